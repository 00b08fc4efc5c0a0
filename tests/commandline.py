"""The command line under test: a project of its own, and two ways to run a command in it."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from roundtable.surfaces.cli.main import main

TITLE = "Offline forms"
SLUG = "offline-forms"


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command left behind."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.split("\n")[:-1]]

    @property
    def kinds(self) -> list[str]:
        return [line["kind"] for line in self.lines]


@dataclass(frozen=True, slots=True)
class CommandLine:
    """Runs commands in one project."""

    root: Path

    @property
    def item(self) -> Path:
        """The folder of the item that `add` makes."""
        return self.root / "docs" / "requirements" / SLUG

    def add(self, title: str = TITLE) -> Path:
        """Add an item and return its folder."""
        return self.root / str(self.run("add", title, "--json").json["folder"])

    def run(self, *arguments: str, answers: Sequence[str] | bytes | None = None) -> Ran:
        """Run a command in this process; answers are put into a file."""
        given = [*arguments, *self._answers(answers)]
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n") for _ in range(2))
        with redirect_stdout(out), redirect_stderr(err):
            status = main(given)
        for stream in (out, err):
            stream.flush()
        return Ran(status, out.buffer.getvalue().decode(), err.buffer.getvalue().decode())

    def spawn(self, *arguments: str, **more: Any) -> subprocess.Popen[bytes]:
        """Start a command as a process of its own, with pipes."""
        pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE) | more
        return _Process([sys.executable, "-m", "roundtable", *arguments], cwd=self.root, **pipes)

    def call(self, *arguments: str, said: bytes = b"", **more: Any) -> Ran:
        """Run a command as a process of its own, to its end."""
        with self.spawn(*arguments, **more) as process:
            out, err = process.communicate(said if process.stdin else None, timeout=60)
        return Ran(process.returncode, _text(out), _text(err))

    def _answers(self, answers: Sequence[str] | bytes | None) -> list[str]:
        if answers is None:
            return []
        file = self.root.parent / "answers.txt"
        text = answers if isinstance(answers, bytes) else "".join(f"{line}\n" for line in answers).encode()
        file.write_bytes(text)
        return ["--answers", str(file)]


class _Process(subprocess.Popen[bytes]):
    """A process that does not outlive a test that failed: waiting for it would hide why."""

    def __exit__(self, kind: type[BaseException] | None, *more: Any) -> None:
        if kind is not None:
            self.kill()
        super().__exit__(kind, *more)


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "replace")


def command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """A new project, apart from any git repository and from the settings of whoever runs the tests."""
    root = tmp_path / "my project"
    root.mkdir()
    monkeypatch.chdir(root)
    for variable in ("ROOT", "PANEL", "USER_NAME", "ITEMS"):
        monkeypatch.delenv(f"ROUNDTABLE_{variable}", raising=False)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return CommandLine(root)
