"""Signals: a conversation that is interrupted has everything saved and says how to go on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commandline import SLUG, CommandLine, command_line
from roundtable.surfaces.cli.main import Interrupted, interruptible, signals_to_handle


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    found = command_line(tmp_path, monkeypatch)
    found.add()
    return found


def _until_it_listens(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    assert process.stdout is not None
    for line in process.stdout:
        found: dict[str, Any] = json.loads(line)
        if found["kind"] == "listen":
            return found
    raise AssertionError("it never listened")


def _say(process: subprocess.Popen[bytes], words: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{words}\n".encode())
    process.stdin.flush()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_with_everything_saved(cli: CommandLine, number: signal.Signals) -> None:
    with cli.spawn("analyze", SLUG, "--json") as process:
        _until_it_listens(process)
        _say(process, "Inspectors save a form in a basement.")
        _until_it_listens(process)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == b""
    assert err.decode() == f"Interrupted. Everything is saved. Go on with: roundtable analyze {SLUG}\n"
    again = cli.run("analyze", SLUG, "--json", answers=[])
    assert again.status == 0
    resumed = [line["text"] for line in again.lines if line["kind"] == "resume"]
    assert "Inspectors save a form in a basement." in resumed


def test_an_interrupted_elaboration_names_its_step(cli: CommandLine) -> None:
    cli.run("analyze", answers=["I don't know"] * 4)
    while "00-01" not in cli.run("status", SLUG, "--json").json["steps_completed"]:
        assert cli.run("analyze", answers=["I don't know"]).status == 0
    with cli.spawn("elaborate", SLUG, "--step", "00-01", "--json") as process:
        assert _until_it_listens(process)["awaits"] == "discussion"
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.decode().endswith(f"Go on with: roundtable elaborate {SLUG} --step 00-01\n")


def test_under_nohup_a_hangup_is_ignored(cli: CommandLine) -> None:
    ignore: Callable[[], object] = lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)  # noqa: E731
    with cli.spawn("analyze", SLUG, "--json", preexec_fn=ignore) as process:
        _until_it_listens(process)
        process.send_signal(signal.SIGHUP)
        _say(process, "I don't know")
        _until_it_listens(process)
        process.communicate(timeout=60)
    assert process.returncode == 0


def test_a_signal_before_the_first_line_shows_no_traceback_either(cli: CommandLine, tmp_path: Path) -> None:
    # Whoever opens a pipe waits for the other end: here the command has read its options, and no more.
    os.mkfifo(tmp_path / "pipe")
    with cli.spawn("analyze", SLUG, "--answers", str(tmp_path / "pipe"), "--debug") as process:
        writer = os.open(tmp_path / "pipe", os.O_WRONLY)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        os.close(writer)
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert err.startswith(b"Interrupted.")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_each_signal_interrupts_once_and_then_does_what_it_did_before(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with interruptible():
        with pytest.raises(Interrupted):
            signal.raise_signal(number)
        assert signal.getsignal(number) is signal.SIG_DFL
    assert signal.getsignal(number) is before


_BUSY_AT_THE_END = """
from roundtable.surfaces.cli.main import interruptible
with interruptible():
    try:
        print("ready", flush=True)
        while True:
            pass
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        while True:
            pass
"""
_BUSY_IN_A_CONVERSATION = """
import signal
from roundtable.surfaces.cli.conversation import run

async def converse():
    print("ready", flush=True)
    while signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        pass
    print("interrupted", flush=True)
    while True:
        pass

run(converse(), lambda: None, "nothing")
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("script", [_BUSY_AT_THE_END, _BUSY_IN_A_CONVERSATION])
def test_a_second_signal_ends_the_process_at_once(script: str, number: signal.Signals) -> None:
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        assert process.stdout.readline() == "interrupted\n"
        process.send_signal(number)
        assert process.wait(timeout=60) == -number


def test_an_ignored_signal_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interruptible():
            signal.raise_signal(signal.SIGHUP)
            assert signals_to_handle() == (signal.SIGINT, signal.SIGTERM)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
