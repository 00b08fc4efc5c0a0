"""Answers: one message per line, whatever the file holds."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from commandline import SLUG, CommandLine, command_line
from roundtable.core.errors import RuleBroken
from roundtable.surfaces.cli.conversation import Answers, open_answers


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    found = command_line(tmp_path, monkeypatch)
    found.add()
    return found


async def _all(answers: Answers) -> list[str]:
    found = []
    while (message := await answers.next()) is not None:
        found.append(message)
    assert await answers.next() is None
    return found


def _read(tmp_path: Path, data: bytes) -> list[str]:
    file = tmp_path / "answers.txt"
    file.write_bytes(data)
    return asyncio.run(_all(open_answers(str(file))))


@pytest.mark.parametrize(
    ("data", "messages"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"a\n\nb\n", ["a", "", "b"]),
        (b"a\nb", ["a", "b"]),
        (b"a\r\n\r\nb\r\n", ["a", "", "b"]),
        (b"\xef\xbb\xbfE\n\xef\xbb\xbfE\n", ["E", "\ufeffE"]),
        (b"\xef\xbb\xbf", [""]),
        (b"a\x00b\x00\n", ["ab"]),
        (b"a\xffb\xc3\n\xa9\n", ["a�b�", "�"]),
        (b"one\rtwo\n", ["one two"]),
        ("dé 日\u2028x\n".encode(), ["dé 日\u2028x"]),
    ],
)
def test_messages_are_the_lines_of_the_file(tmp_path: Path, data: bytes, messages: list[str]) -> None:
    assert _read(tmp_path, data) == messages


def test_a_line_across_many_reads_is_one_message(tmp_path: Path) -> None:
    assert _read(tmp_path, b"x" * 300_000 + b"\nend\n") == ["x" * 300_000, "end"]


def test_a_line_without_end_is_refused_before_it_fills_the_memory() -> None:
    async def read() -> None:
        await open_answers("/dev/zero").next()

    with pytest.raises(RuleBroken, match=r"^Line 1 of /dev/zero is longer than 1,048,576 bytes"):
        asyncio.run(read())


def test_nothing_is_read_before_it_is_asked_for() -> None:
    end, start = os.pipe()
    os.set_blocking(end, False)

    async def read() -> str | None:
        answers = Answers(end, "a pipe")
        waiting = asyncio.ensure_future(answers.next())
        await asyncio.sleep(0)
        assert not waiting.done()
        os.write(start, b"now\n")
        return await waiting

    try:
        assert asyncio.run(read()) == "now"
    finally:
        os.close(end)
        os.close(start)


@pytest.mark.parametrize("name", ["missing.txt", ".", "a\0b", "file.txt/x"])
def test_answers_that_cannot_be_read_are_a_usage_error(cli: CommandLine, name: str) -> None:
    (cli.root / "file.txt").touch()
    ran = cli.run("analyze", "--answers", name)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("Could not read the answers in ")
    assert not list((cli.item / ".journal").glob("*.jsonl"))


def test_answers_come_from_stdin_where_a_dash_or_nothing_is_named(cli: CommandLine) -> None:
    for more in (["--answers", "-"], []):
        ran = cli.call("analyze", SLUG, "--json", *more, said="Inspectors save é.\r\n".encode())
        assert ran.status == 0
        assert ran.kinds[-1] == "paused"
        assert "Inspectors save é." in [line["text"] for line in ran.lines if line["speaker"] == "user"]


def test_a_closed_stdin_is_an_empty_one(cli: CommandLine) -> None:
    ran = cli.call("analyze", SLUG, "--json", stdin=None, preexec_fn=lambda: os.close(0))
    assert (ran.status, ran.err) == (0, "")
    assert ran.kinds[-2:] == ["listen", "paused"]


def test_another_program_can_hold_the_conversation_over_pipes(cli: CommandLine) -> None:
    with cli.spawn("analyze", SLUG, "--json") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        heard = 0
        for line in process.stdout:
            if b'"kind": "listen"' in line and heard < 2:
                heard += 1
                process.stdin.write(b"I don't know\n")
                process.stdin.flush()
            elif b'"kind": "listen"' in line:
                process.stdin.close()
        last = line
    assert heard == 2
    assert b'"kind": "paused"' in last
    assert process.returncode == 0
