"""A hostile repository goes through every command: nothing runs, nothing outside changes, no key leaves."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hostile import BARE_ITEM, ITEM, OPTION_NAME, PRIVATE, SHELL_NAME, Hostile, build_hostile

KEY = "sk-canary-0123456789abcdef"
SECONDS = 60
ANSWERS = [*["Readers renew 60 loans a day at the desk, and wait."] * 12, "E", "done", "C", "C"]


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """Where a stolen key would go."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


@pytest.fixture
def hostile(tmp_path: Path, listener: socket.socket, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hostile]:
    """The repository; after the test, what no command may have done is looked for."""
    for name in ("ROUNDTABLE_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, KEY)
    made = build_hostile(tmp_path, f"http://127.0.0.1:{listener.getsockname()[1]}")
    (tmp_path / "answers.txt").write_text("".join(f"{answer}\n" for answer in ANSWERS))
    beside, home = _snapshot(tmp_path, made.root), _snapshot(Path(os.environ["HOME"]))
    yield made
    assert not made.marker.exists(), "a program of the project's was run"
    assert _snapshot(tmp_path, made.root) == beside
    assert _snapshot(Path(os.environ["HOME"])) == home
    with pytest.raises(BlockingIOError):
        listener.accept()


def _snapshot(folder: Path, leave_out: Path | None = None) -> dict[str, tuple[int, str]]:
    """All that is in a folder, links not followed: the mode, and the content or where a link leads."""
    found: dict[str, tuple[int, str]] = {}
    for path in sorted(folder.rglob("*")):
        if leave_out is not None and path.is_relative_to(leave_out):
            continue
        content = str(path.readlink()) if path.is_symlink() else path.read_text() if path.is_file() else ""
        found[str(path.relative_to(folder))] = (path.lstat().st_mode, content)
    return found


def _run(hostile: Hostile, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a process of its own; it must end in time, not crash, and show nothing private."""
    ran = subprocess.run(
        [sys.executable, "-m", "roundtable", *words],
        cwd=hostile.root,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert "unexpected" not in ran.stderr, ran.stderr
    assert PRIVATE not in ran.stdout + ran.stderr
    assert KEY not in ran.stdout + ran.stderr
    return ran


def _items(hostile: Hostile) -> list[str]:
    return [entry["slug"] for entry in json.loads(_run(hostile, "list", "--json").stdout)]


def test_list_and_status(hostile: Hostile) -> None:
    items = _items(hostile)
    assert {ITEM, SHELL_NAME} <= set(items)
    assert OPTION_NAME not in items
    ran = _run(hostile, "status")
    assert ran.returncode == 0
    assert "roundtable.toml, line 1: model is ignored." in ran.stderr
    assert "roundtable.toml, line 2: base_url is ignored." in ran.stderr
    assert "roundtable analyze '$(touch marker)'" in ran.stdout


def test_analyze(hostile: Hostile) -> None:
    for item in _items(hostile):
        _run(hostile, "analyze", item, "--answers", str(hostile.root.parent / "answers.txt"))
    assert "00-01" in json.loads(_run(hostile, "status", ITEM, "--json").stdout)["steps_completed"]


def test_check(hostile: Hostile) -> None:
    for item in (*_items(hostile), BARE_ITEM):
        assert _run(hostile, "check", item).returncode in (0, 2)


def test_doctor(hostile: Hostile) -> None:
    found = json.loads(_run(hostile, "doctor", "--json").stdout)["findings"]
    assert {"name": "panel", "found": "offline: needs no network and no key", "sound": True} in found


def test_models_test(hostile: Hostile) -> None:
    assert "No model is chosen" in _run(hostile, "models", "test", "--yes").stderr


@pytest.mark.parametrize("target", ["agent-file", "claude-code", "codex", "cursor", "gemini"])
def test_export(hostile: Hostile, target: str) -> None:
    assert _run(hostile, "export", target).returncode in (0, 2)


def test_mcp(hostile: Hostile) -> None:
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    calls = [
        ("initialize", hello),
        ("tools/list", {}),
        ("resources/list", {}),
        ("tools/call", {"name": "list_items", "arguments": {}}),
        *(
            ("resources/read", {"uri": f"roundtable://private-draft/{name}"})
            for name in ("artifact/draft.md", "transcript/1", "status")
        ),
        ("tools/call", {"name": "start", "arguments": {"item": ITEM}}),
    ]
    with subprocess.Popen(
        [sys.executable, "-m", "roundtable", "mcp"],
        cwd=hostile.root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as server:
        assert server.stdin is not None and server.stdout is not None
        too_late = threading.Timer(SECONDS, server.kill)
        too_late.start()
        for number, (method, params) in enumerate(calls):
            call = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            server.stdin.write(json.dumps(call).encode() + b"\n")
            server.stdin.flush()
            answer: dict[str, object] = {}
            while answer.get("id") != number:
                answer = json.loads(server.stdout.readline())
            assert PRIVATE not in json.dumps(answer), params
            assert method == "resources/read" or "result" in answer
            if number == 0:
                server.stdin.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        server.communicate(timeout=SECONDS)
        too_late.cancel()
    assert server.returncode == 0
