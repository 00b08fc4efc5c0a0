"""What the machine has: real stand-ins on the path, real servers on loopback, keys in the environment."""

from __future__ import annotations

import os
import shlex
import socket
import sys
import threading
import time
from pathlib import Path
from typing import get_args

import pytest

from machine import LISTED, TAGS, Machine, make_machine, serve_models, watch_sockets
from roundtable.core.errors import RuleBroken
from roundtable.detection import FoundModel, LocalServer, ask_model, find_models, read_model
from roundtable.panel.model.choice import KEYS, SERVICES

pytestmark = pytest.mark.rule("TABLE-4")

_PAUSE = 0.05
_SECONDS = 3


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return make_machine(tmp_path)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    return project


def names(found: tuple[FoundModel, ...]) -> list[str]:
    return [model.name for model in found]


# --- assistants -----------------------------------------------------------------------------------------


def test_assistants_on_the_path_are_found_and_not_started(machine: Machine, root: Path) -> None:
    programs = {name: machine.install(name) for name in ("llm", "codex", "claude", "gemini", "agy")}
    found = find_models(root, machine.environment(), ())
    assert names(found) == ["claude", "codex", "llm"]
    assert [shlex.split(model.model.removeprefix("command:")) for model in found] == [
        [
            str(programs["claude"]), "-p", "--tools", "", "--safe-mode", "--strict-mcp-config",
            "--no-session-persistence",
        ],
        [
            str(programs["codex"]), "exec", "--sandbox", "read-only", "--skip-git-repo-check", "--ephemeral",
            "--ignore-user-config", "-",
        ],
        [str(programs["llm"])],
    ]  # fmt: skip
    assert [model.how for model in found] == [f"installed as {programs[name]}" for name in names(found)]
    assert (
        found[0].leaves == "what you say, the item, its documents, decisions of other items that bear on it "
        "and excerpts of code go to Anthropic"
    )
    assert machine.started == []


def test_gemini_needs_a_key(machine: Machine, root: Path) -> None:
    machine.install("gemini")
    (gemini, google) = find_models(root, machine.environment(GEMINI_API_KEY="secret-1"), ())
    assert (gemini.name, google.how) == ("gemini", "GEMINI_API_KEY is set")


def test_what_is_not_to_be_started_is_no_assistant(machine: Machine, root: Path) -> None:
    machine.install("claude").chmod(0o644)
    (machine.programs / "codex").mkdir()
    assert find_models(root, machine.environment(), ()) == ()
    assert find_models(root, {}, ()) == ()


def test_a_project_brings_no_assistant_along(machine: Machine, root: Path) -> None:
    theirs = root / "node_modules" / ".bin"
    machine.install("claude", folder=theirs)
    machine.install("codex", folder=root)
    outside = root.parent / "links"
    outside.mkdir()
    (outside / "llm").symlink_to(machine.install("llm", folder=theirs))
    (root.parent / "also").symlink_to(theirs)
    hostile = [str(theirs), "node_modules/.bin", ".", "", str(root / ".." / "project"), str(outside)]
    path = os.pathsep.join([*hostile, str(root.parent / "also")])
    assert find_models(root, machine.environment(PATH=path), ()) == ()
    assert find_models(root.parent / "elsewhere", machine.environment(PATH=path), ()) == ()
    own = machine.install("claude")
    # A relative folder counts for nothing, even where it leads to the same program.
    path = os.pathsep.join([f"../{own.parent.name}", ".", "", path, str(own.parent)])
    (claude,) = find_models(root, machine.environment(PATH=path), ())
    assert claude.how == f"installed as {own}"


def test_a_users_home_is_no_project_of_others(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    home = machine.programs.parent / "home"
    machine.install("claude", folder=home / ".local" / "bin")
    monkeypatch.chdir(home)
    environment = machine.environment(PATH=str(home / ".local" / "bin"))
    assert names(find_models(Path(), environment, ())) == ["claude"]


def test_an_assistant_answers_in_an_empty_folder(machine: Machine, root: Path) -> None:
    machine.install("claude")
    (found,) = find_models(root, machine.environment(), ())
    answer, sound = ask_model(found)
    assert (answer.startswith('answered "ready"'), sound) == (True, True)
    ((_, folder, _, given),) = machine.started
    assert given == "-p --tools  --safe-mode --strict-mcp-config --no-session-persistence"
    assert not Path(folder).exists()
    assert not Path(folder).is_relative_to(root)


# --- local servers --------------------------------------------------------------------------------------


def test_a_server_is_asked_once_for_its_models_and_gets_nothing_else(
    machine: Machine, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = machine.environment(ROUNDTABLE_API_KEY="secret-1")
    with serve_models({"/api/tags": TAGS, "/v1/models": LISTED}) as served, serve_models({}) as proxy:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        servers = (LocalServer("ollama", served.port, "/api/tags"), LocalServer("lmstudio", served.port))
        found = find_models(root, environment, servers)
        monkeypatch.setenv("no_proxy", "")
        (through, *_) = find_models(root, environment, servers)
    base_url = f"http://127.0.0.1:{served.port}/v1"
    # Cloud models, embeddings, and names that are programs or services to us are left out.
    assert [(model.name, model.model, model.base_url) for model in found] == [
        ("ollama:llama3.2:latest", "llama3.2:latest", base_url),
        ("ollama:qwen3:8b", "qwen3:8b", base_url),
        ("lmstudio:qwen", "qwen", base_url),
    ]
    assert {model.how for model in found} == {f"answers on 127.0.0.1:{served.port}"}
    assert {(model.cost, model.leaves) for model in found} == {("is free", "nothing leaves this machine")}
    assert sorted(path for path, _ in served.requests) == ["/api/tags"] * 2 + ["/v1/models"] * 2
    assert {key for _, headers in served.requests for key in headers} == {"Host", "Accept-Encoding", "Accept"}
    assert proxy.requests == []
    assert "go to the proxy that HTTP_PROXY names" in through.leaves


@pytest.mark.parametrize(
    "named", ["127.0.0.1:{}", "localhost:{}", "0.0.0.0:{}", ":{}", "http://127.0.0.1:{}/"]
)
def test_ollama_is_where_its_variable_says_on_this_machine(machine: Machine, root: Path, named: str) -> None:
    with serve_models({"/api/tags": TAGS}) as served, serve_models({"/api/tags": TAGS}) as usual:
        environment = machine.environment(OLLAMA_HOST=named.format(served.port))
        found = find_models(root, environment, (LocalServer("ollama", usual.port, "/api/tags"),))
    assert {model.how for model in found} == {f"answers on 127.0.0.1:{served.port}"}
    assert usual.requests == []


@pytest.mark.parametrize(
    "named", ["192.0.2.1:1", "https://127.0.0.1:1", "localhost.example:1", "http://[::1", "127.0.0.1:x"]
)
def test_nobody_else_is_asked(machine: Machine, root: Path, named: str) -> None:
    with watch_sockets() as seen, serve_models({"/api/tags": TAGS}) as usual:
        environment = machine.environment(OLLAMA_HOST=named)
        found = find_models(root, environment, (LocalServer("ollama", usual.port, "/api/tags"),))
        assert {model.how for model in found} == {f"answers on 127.0.0.1:{usual.port}"}
    assert [what for event, what in seen if event == "socket.connect"] == [f"('127.0.0.1', {usual.port})"]
    assert not [what for _, what in seen if "192.0.2.1" in what or "example" in what]


@pytest.mark.parametrize(
    "answer",
    [
        b"", b"<html>", b"[" * 100_000, b"[]", b"3", b'{"data": 3}', b'{"data": [[]]}',
        b'{"models": {"name": "x"}}',
        b'{"data": [{"id": ""}, {"id": "a\\nb"}, {"id": "\\u001b[1m"}, {"id": null}]}',
        b'{"data": [{"id": "' + b"x" * 201 + b'"}]}',
    ],
)  # fmt: skip
def test_an_answer_that_is_none_is_no_model(machine: Machine, root: Path, answer: bytes) -> None:
    with serve_models({"/v1/models": answer}) as served:
        assert find_models(root, machine.environment(), (LocalServer("llamacpp", served.port),)) == ()
        assert len(served.requests) == 1


def test_a_server_that_never_answers_holds_nobody_up(machine: Machine, root: Path) -> None:
    machine.install("claude")
    with socket.create_server(("127.0.0.1", 0)) as silent, serve_models({"/v1/models": LISTED}) as served:
        servers = (LocalServer("ollama", silent.getsockname()[1]), LocalServer("lmstudio", served.port))
        began = time.monotonic()
        found = find_models(root, machine.environment(), servers)
        assert time.monotonic() - began < _SECONDS
    assert names(found) == ["claude", "lmstudio:qwen"]


def test_a_server_that_answers_drop_by_drop_holds_nobody_up(machine: Machine, root: Path) -> None:
    enough = threading.Event()

    def drip(server: socket.socket) -> None:
        connection, _ = server.accept()
        with connection:
            while not enough.wait(_PAUSE):
                connection.sendall(b"H")

    with socket.create_server(("127.0.0.1", 0)) as slow:
        thread = threading.Thread(target=drip, args=(slow,))
        thread.start()
        began = time.monotonic()
        try:
            found = find_models(
                root, machine.environment(), (LocalServer("lmstudio", slow.getsockname()[1]),)
            )
            taken = time.monotonic() - began
        finally:
            enough.set()
            thread.join()
    assert found == ()
    assert taken < _SECONDS


def test_a_part_that_is_not_installed_is_said(
    machine: Machine, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    (found,) = find_models(root, machine.environment(OPENAI_API_KEY="secret-1"), ())
    assert found.lacks.startswith("needs a part that is not installed: pip install")


# --- keys and names -------------------------------------------------------------------------------------


def test_a_key_is_named_and_never_shown(machine: Machine, root: Path) -> None:
    keys = {"ANTHROPIC_API_KEY": "secret-1", "OPENAI_API_KEY": "secret-2", "GOOGLE_API_KEY": "secret-3"}
    found = find_models(root, machine.environment(**keys), ())
    assert [model.how for model in found] == [f"{key} is set" for key in keys]
    assert [model.model for model in found] == [f"{kind}:{SERVICES[kind]['model']}" for kind in KEYS]
    assert "secret" not in str(found)
    assert find_models(root, machine.environment(**dict.fromkeys(keys, "")), ()) == ()


def test_the_models_that_a_key_pays_for_are_known_to_the_library() -> None:
    from pydantic_ai.models import KnownModelName

    known = set(get_args(KnownModelName.__value__))
    assert [kind for kind in KEYS if f"{kind}:{SERVICES[kind]['model']}" not in known] == []


def test_a_model_is_named_as_it_was_found_or_as_in_the_settings(machine: Machine, root: Path) -> None:
    machine.install("claude")
    found = find_models(root, machine.environment(), ())
    assert read_model(" claude ", "", found) == found[0]
    assert read_model(found[0].model, "", found) == found[0]
    hosted = read_model("anthropic:x", "", found)
    assert (hosted.model, hosted.leaves.split()[-1]) == ("anthropic:x", "Anthropic")
    far = read_model("qwen", "http://models.example/v1", found)
    assert far.leaves.endswith("go to models.example")
    assert far.cost == "costs what models.example asks for it"
    near = read_model("qwen", "http://localhost:8080/v1", found)
    assert (near.cost, near.leaves) == ("is free", "nothing leaves this machine")
    program = read_model("command:llm --key secret-1", "", found)
    assert (program.name, program.cost) == ("command:llm", "costs what that program costs")
    for name in ("oracle", "offline", ""):
        with pytest.raises(RuleBroken):
            read_model(name, "", found)
