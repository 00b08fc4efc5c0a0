"""The language models that this machine has already: assistants, local model servers, keys.

Looking for them starts no program, reads no key and leaves the machine alone: each local server is asked once
which models it has, and nothing else is sent. What a project brings along is never taken for an assistant.
"""

from __future__ import annotations

import ipaddress
import json
import os
import shlex
import shutil
import time
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from .core.errors import RuleBroken

if TYPE_CHECKING:
    from .panel.model.choice import Choice
    from .settings import Settings

_PATIENCE = 0.2
_MOST_PATIENCE = 0.4
_LOGIN_SECONDS = 5.0
_MAX_ANSWER = 1024 * 1024
_MAX_NAME_LENGTH = 200
_WORDS = (
    "what you say, the item, its documents, decisions of other items that bear on it "
    "and excerpts of code go to"
)
_NOTHING_LEAVES = "nothing leaves this machine"


class FoundModel(Struct, frozen=True):
    """A model that could speak: how it was found, what it costs, and what leaves the machine."""

    name: str
    """What `roundtable models use` calls it."""
    model: str
    """What the settings call it."""
    base_url: str
    how: str
    cost: str
    leaves: str
    lacks: str = ""
    """What is missing before it can be asked; empty if nothing is."""


class _Assistant(Struct, frozen=True):
    """A program that answers once: who gets the words, its arguments, and how it tells about the login."""

    owner: str
    arguments: Sequence[str] = ()
    login: Sequence[str] = ()
    keys: Sequence[str] = ()


_KNOWN = tomllib.loads((Path(__file__).parent / "content" / "models.toml").read_text(encoding="utf-8"))
_ASSISTANTS = {name: _Assistant(**fields) for name, fields in _KNOWN["assistants"].items()}
KEY_MODELS: dict[str, tuple[str, str]] = {name: (*pair,) for name, pair in _KNOWN["services"].items()}
"""For each service that takes a key: who it is, and the model that is offered."""


class LocalServer(Struct, frozen=True):
    """Where a model server listens on this machine, and what it is asked."""

    name: str
    port: int
    path: str = "/v1/models"
    host: str = "127.0.0.1"

    @property
    def address(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


OLLAMA_PORT = 11434
SERVERS = (
    LocalServer("ollama", OLLAMA_PORT, "/api/tags"),
    LocalServer("lmstudio", 1234),
    LocalServer("llamacpp", 8080),
)


def find_models(
    root: Path, environment: Mapping[str, str] | None = None, servers: Sequence[LocalServer] = SERVERS
) -> tuple[FoundModel, ...]:
    """Return the models that are there: assistants first, then local ones, then those that a key pays for."""
    environment = os.environ if environment is None else environment
    probes = [_Probe(_move_ollama(server, environment)) for server in servers]
    for probe in probes:
        probe.start()
    found = [*_find_assistants(root, environment)]  # while the servers answer
    keys = [*_find_keys(environment)]
    deadline = time.monotonic() + _MOST_PATIENCE
    for probe in probes:
        probe.join(max(deadline - time.monotonic(), 0))
        found += _list_served(probe.server, probe.names, environment)
    return (*found, *keys)


def search_path(root: Path, environment: Mapping[str, str]) -> str:
    """Return PATH without the folders that are relative or in the project."""
    folders = environment.get("PATH", "").split(os.pathsep)
    return os.pathsep.join(
        each
        for each in folders
        if Path(each).is_absolute() and not _is_in_project(Path(each), root, environment)
    )


def find_login_problem(found: FoundModel, root: Path, environment: Mapping[str, str] | None = None) -> str:
    """Return why an assistant that the user chose would not answer; empty if it would, or cannot say.

    It is started for this, with its own command that tells about the login.
    """
    import subprocess
    from tempfile import TemporaryDirectory

    environment = os.environ if environment is None else environment
    assistant = _ASSISTANTS.get(found.name)
    if assistant is None or not assistant.login:
        return ""
    program = shlex.split(found.model.removeprefix("command:"))[0]
    with TemporaryDirectory(prefix="roundtable-", ignore_cleanup_errors=True) as empty:
        try:
            status = subprocess.run(
                [program, *assistant.login],
                cwd=empty,
                env={**environment, "PATH": search_path(root, environment)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=_LOGIN_SECONDS,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            return ""
        except OSError as error:
            return f"{found.name} cannot be started: {error.strerror}."
    if status:
        return f"{found.name} says that you are not logged in. Log in with {found.name} first."
    return ""


def read_model(name: str, base_url: str, found: Sequence[FoundModel]) -> FoundModel:
    """Return the model that the user names: one that was found, or by its name in the settings.

    Raises RuleBroken if it is neither.
    """
    from .panel.model.choice import read_choice

    name = name.strip()
    for each in found:
        if (name == each.name and not base_url) or (name == each.model and each.base_url in ("", base_url)):
            return each
    try:
        choice = read_choice(name, base_url)
    except RuleBroken as broken:
        raise RuleBroken(
            f"{broken} Found here: {', '.join(each.name for each in found) or 'none'}."
        ) from None
    if choice.kind == "offline":
        raise RuleBroken("`offline` is not a model.")
    where = base_url if choice.kind == "compatible" else ""
    return _describe(choice.label, name, where, "named by you", choice)


def list_speakers(settings: Settings, found: Sequence[FoundModel]) -> list[FoundModel]:
    """Return the models that the settings let speak, in their order; RuleBroken if one of them is none."""
    from .panel.model.choice import OFFLINE, names_of

    names = names_of(settings.models, settings.base_url) if settings.panel == "model" else ()
    return [read_model(name, settings.base_url, found) for name in names if name != OFFLINE]


def ask_model(model: FoundModel) -> tuple[str, bool]:
    """Ask a model one short question, which may cost a little; return what came, and whether it answered."""
    import asyncio

    from .panel.model.choice import read_choice
    from .panel.model.reaching import ask

    answer = asyncio.run(ask(read_choice(model.model, model.base_url)))
    return answer.found, answer.sound


# --- assistants and keys --------------------------------------------------------------------------------


def _find_assistants(root: Path, environment: Mapping[str, str]) -> Iterable[FoundModel]:
    path = search_path(root, environment)
    for name, assistant in _ASSISTANTS.items():
        program = shutil.which(name, path=path)
        if program is None or not Path(program).is_absolute():
            continue
        if _is_in_project(Path(program), root, environment):  # a link may lead there
            continue
        if assistant.keys and not any(environment.get(key) for key in assistant.keys):
            continue
        # The full path, lest another folder of PATH has one of the same name where it is used.
        yield FoundModel(
            name,
            "command:" + shlex.join([program, *assistant.arguments]),
            "",
            f"installed as {program}",
            "counts against your own plan or account there",
            f"{_WORDS} {assistant.owner}",
        )


def _find_keys(environment: Mapping[str, str]) -> Iterable[FoundModel]:
    if not any(value for name, value in environment.items() if name.endswith("_API_KEY")):
        return  # the model panel takes a while to load
    from .panel.model.choice import KEYS, read_choice

    for kind, names in KEYS.items():
        key = next((name for name in names if environment.get(name)), None)
        if key is not None:
            name = f"{kind}:{KEY_MODELS[kind][1]}"
            yield _describe(name, name, "", f"{key} is set", read_choice(name, environment=environment))


def _describe(name: str, model: str, base_url: str, how: str, choice: Choice) -> FoundModel:
    """Return a model with what it costs and what leaves the machine, as its kind and address tell."""
    from .address import show_host
    from .panel.model.reaching import find_lacking

    cost, leaves = "is free", _describe_leaving(choice.address)
    if choice.kind in KEY_MODELS:
        cost = "is paid by use; the menu says how much before each discussion"
        leaves = f"{_WORDS} {KEY_MODELS[choice.kind][0]}"
    elif choice.kind == "command":
        cost, leaves = "costs what that program costs", f"{_WORDS} that program, and where it sends them"
    elif leaves:
        cost = f"costs what {show_host(choice.address)} asks for it"
    return FoundModel(name, model, base_url, how, cost, leaves or _NOTHING_LEAVES, find_lacking(choice))


def _is_in_project(path: Path, root: Path, environment: Mapping[str, str]) -> bool:
    """Whether a path leads into the project; a folder around the user's home is no project of others."""
    home = Path(environment.get("HOME") or os.sep).resolve()
    real = path.resolve()
    return any(
        real.is_relative_to(folder) and not home.is_relative_to(folder)
        for folder in (root.resolve(), Path.cwd())
    )


# --- local servers --------------------------------------------------------------------------------------


class _Probe(Thread):
    """Asks one server which models it has; it has no names until the server has answered."""

    def __init__(self, server: LocalServer) -> None:
        super().__init__(name=f"probe {server.name}", daemon=True)
        self.server = server
        self.names: tuple[str, ...] = ()

    def run(self) -> None:
        from http.client import HTTPConnection, HTTPException  # no proxy, and no redirect is followed

        connection = HTTPConnection(self.server.host, self.server.port, timeout=_PATIENCE)
        try:
            connection.request("GET", self.server.path, headers={"Accept": "application/json"})
            answer = connection.getresponse()
            if answer.status == 200:
                self.names = tuple(_read_names(json.loads(answer.read(_MAX_ANSWER))))
        except (OSError, HTTPException, ValueError, RecursionError):
            pass
        finally:
            connection.close()


def _read_names(answer: Any) -> Iterable[str]:
    """Yield the models of an answer that can hold a conversation and do so on this machine."""
    rows = answer.get("models") or answer.get("data") if isinstance(answer, dict) else None
    for row in rows if isinstance(rows, list) else ():
        name = (row.get("name") or row.get("id")) if isinstance(row, dict) else None
        if not isinstance(name, str) or not name.isprintable() or not 0 < len(name) <= _MAX_NAME_LENGTH:
            continue
        # Cloud models of ollama are listed among the local ones.
        if " " in name or name.endswith("cloud") or row.get("remote_host") or "embed" in name.lower():
            continue
        yield name


def _list_served(
    server: LocalServer, names: Sequence[str], environment: Mapping[str, str]
) -> Iterable[FoundModel]:
    if not names:
        return
    from .panel.model.choice import OLLAMA, read_choice

    base_url = f"http://{server.address}/v1"
    for name in dict.fromkeys(names):
        model, where = name, base_url
        with suppress(RuleBroken):  # OLLAMA_BASE_URL may name another address
            if server == SERVERS[0] and read_choice(f"ollama:{name}", "", environment).address == OLLAMA:
                model, where = f"ollama:{name}", ""
        choice = read_choice(model, where, environment)
        # A server may call a model as it likes, also like a program of ours to run.
        if choice.kind in ("ollama", "compatible"):
            yield _describe(f"{server.name}:{name}", model, where, f"answers on {server.address}", choice)


def _describe_leaving(address: str) -> str:
    """Return what leaves the machine with a request to an address; empty if nothing does."""
    from urllib.parse import urlsplit
    from urllib.request import getproxies, proxy_bypass

    host = urlsplit(address).hostname or ""
    if not _is_loopback(host):
        return f"{_WORDS} {host}"
    if getproxies().get("http") and not proxy_bypass(host):
        return f"{_WORDS} the proxy that HTTP_PROXY names; set NO_PROXY={host} to keep them here"
    return ""


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:  # another name, whose address only a network knows
        return False


def _move_ollama(server: LocalServer, environment: Mapping[str, str]) -> LocalServer:
    """Return where ollama listens: where OLLAMA_HOST says if that is on this machine, else as usual."""
    from urllib.parse import urlsplit

    named = environment.get("OLLAMA_HOST", "").strip()
    if server.name != "ollama" or not named:
        return server
    try:
        parts = urlsplit(named if "://" in named else f"http://{named}")
        host, port = parts.hostname or "localhost", parts.port
    except ValueError:
        return server
    if host in ("localhost", "0.0.0.0", "::"):  # the last two are where a server listens
        host = "127.0.0.1"
    if parts.scheme != "http" or not _is_loopback(host):
        return server
    return LocalServer("ollama", port or (80 if "://" in named else OLLAMA_PORT), server.path, host)
