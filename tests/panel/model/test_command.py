"""A program as a model, with real programs that misbehave in every way (LOOP-3, FAIL-1)."""

from __future__ import annotations

import asyncio
import os
import select
import shlex
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import aclosing
from pathlib import Path

import pytest

from panel.model.asking import Asked, ask, conversation, request
from roundtable.core.errors import RuleBroken
from roundtable.panel.model.choice import CommandModel
from roundtable.panel.model.conversation import Usage

CANARY = "canary-91c3-do-not-show"
FOR_EVER = "import threading; threading.Event().wait()"
SHORT = 0.3


def program(script: str, *arguments: str) -> CommandModel:
    """A model that is a Python script; the name it goes by is that of the interpreter."""
    return CommandModel(shlex.join([sys.executable, "-I", "-S", "-c", script, *arguments]))


NAME = program("").name


class Gate:
    """A pipe by name at which a program waits until the test lets it go on."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self.wait = f"open({str(path)!r}, 'rb', 0).read(1)"
        self._end = os.open(path, os.O_RDWR)

    def open(self) -> None:
        """Whoever waits goes on, and whoever comes to wait later too."""
        os.write(self._end, b"-")

    def close(self) -> None:
        os.close(self._end)


class Line:
    """A pipe by name that programs hold, and that tells when the last of them has died."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self.hold = f"held = open({str(path)!r}, 'w')\n"
        self._end = os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    def nobody_left(self) -> bool:
        """True as soon as nobody holds it; False where that does not come about."""
        while select.select([self._end], [], [], 20)[0]:
            if not os.read(self._end, 100):
                return True
        return False

    def close(self) -> None:
        os.close(self._end)


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    made = Gate(tmp_path / "gate")
    yield made
    made.close()


@pytest.fixture
def line(tmp_path: Path) -> Iterator[Line]:
    made = Line(tmp_path / "line")
    yield made
    made.close()


# --- what is said ---------------------------------------------------------------------------------------


def test_the_whole_conversation_goes_to_stdin_and_stdout_is_the_reply() -> None:
    asked = ask(program("import sys; print(sys.stdin.read()[::-1])"))
    assert asked.failure is None
    assert asked.said.strip() == conversation().text[::-1]
    assert asked.used == [Usage.estimate(conversation(), asked.said)]


def test_words_come_as_they_are_printed(gate: Gate) -> None:
    script = f"print('One.', flush=True); {gate.wait}; print('Two.')"
    asked = ask(program(script), heard=lambda piece: gate.open() if "One" in piece else None)
    assert asked.pieces == ["One.\n", "Two.\n"]


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (b"a\xe2\x82", b"\xac b", ["a", "€ b"]),
        (b"a", b"\x1b[1mred\x1b[0m b", ["a", "red b"]),
        (b"a\x1b[3", b"1mred\x1b[0m b", ["a", "red b"]),
    ],
)
def test_what_two_reads_cut_in_two_is_made_whole(
    gate: Gate, first: bytes, second: bytes, said: list[str]
) -> None:
    script = (
        f"import sys; out = sys.stdout.buffer; out.write({first!r}); out.flush();"
        f"{gate.wait}; out.write({second!r})"
    )
    assert ask(program(script), heard=lambda piece: gate.open() if piece == "a" else None).pieces == said


def test_bytes_that_are_no_text_are_marked_and_break_nothing() -> None:
    asked = ask(program(r"import sys; sys.stdout.buffer.write(b'a\xff\xfeb \xe2\x82')"))
    assert (asked.said, asked.failure) == ("a\ufffd\ufffdb \ufffd", None)


def test_arguments_are_split_and_no_shell_reads_them() -> None:
    script = "import sys; print('|'.join(sys.argv[1:]))"
    python = shlex.quote(sys.executable)
    command = f"{python} -I -S -c {shlex.quote(script)} 'a b' \"c;d\" $HOME `id` > x # y \\*"
    assert ask(CommandModel(command)).said == "a b|c;d|$HOME|`id`|>|x|#|y|*\n"


def test_the_program_has_the_environment_of_the_user_and_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_LOGIN", "of the user")
    script = "import os; print(os.environ['SOME_LOGIN'], os.getsid(0) == os.getpid() == os.getpgid(0))"
    assert ask(program(script)).said == "of the user True\n"


def test_a_program_that_does_not_read_its_prompt_may_still_answer() -> None:
    asked = ask(program("print('Fine.')"), conversation=conversation("x" * 3_000_000))
    assert (asked.said, asked.failure) == ("Fine.\n", None)


# --- too much -------------------------------------------------------------------------------------------


def test_megabytes_on_stderr_block_nothing_and_are_not_shown() -> None:
    asked = ask(program("import sys; sys.stderr.write('noise ' * 1_000_000); print('Fine.')"))
    assert (asked.said, asked.failure) == ("Fine.\n", None)
    asked = ask(program("import sys; sys.stderr.write('noise ' * 1_000_000); sys.exit(1)"))
    assert len(str(asked.failed)) < 400


def test_what_is_written_to_stderr_fills_no_disk() -> None:
    asked = ask(program("import os, stat; print(stat.S_ISFIFO(os.fstat(2).st_mode))"))
    assert asked.said == "True\n"


def test_output_without_end_is_cut_where_a_service_would_cut_it(line: Line) -> None:
    flood = f"{line.hold}while True: print('more and more', flush=True)"
    asked = ask(program(flood), output_tokens=1_000)
    assert (len(asked.said), asked.failure) == (8_000, None)
    assert line.nobody_left()


def test_a_very_long_answer_arrives_whole_however_slowly_it_is_heard() -> None:
    script = "import sys; sys.stdout.write(''.join(f'{n} ' for n in range(500_000)))"
    asked = ask(program(script), output_tokens=1_000_000)
    assert asked.said == "".join(f"{n} " for n in range(500_000))
    assert len(asked.pieces) > 1


# --- the end --------------------------------------------------------------------------------------------


def test_a_program_that_hangs_is_ended_with_all_that_it_started(line: Line) -> None:
    script = f"import os\n{line.hold}os.fork()\n{FOR_EVER}"
    asked = ask(program(script), seconds=SHORT)
    assert asked.failed.kind == "time-out"
    assert asked.failed.failed == f"{NAME} did not answer in time. It was given 0.3 seconds."
    assert line.nobody_left()


def test_the_time_counts_in_all_not_from_word_to_word() -> None:
    asked = ask(program("while True: print('and', flush=True)"), seconds=SHORT, output_tokens=10**9)
    assert asked.failed.kind == "time-out"
    assert set(asked.said.split()) <= {"and"}


def test_a_program_that_closes_its_output_and_stays_is_ended_in_time(line: Line) -> None:
    script = f"import os\n{line.hold}print('Fine.', flush=True); os.close(1)\n{FOR_EVER}"
    asked = ask(program(script), seconds=SHORT)
    assert asked.failed.kind == "time-out"
    assert line.nobody_left()


def test_a_prompt_that_nobody_reads_does_not_outlive_the_time() -> None:
    asked = ask(program(FOR_EVER), seconds=SHORT, conversation=conversation("x" * 3_000_000))
    assert asked.failed.kind == "time-out"


def test_one_that_is_left_behind_with_the_output_open_holds_nothing_up(line: Line) -> None:
    script = f"import os\n{line.hold}print('Fine.', flush=True)\nif not os.fork():\n  {FOR_EVER}"
    asked = ask(program(script))
    assert (asked.said, asked.failure) == ("Fine.\n", None)
    assert line.nobody_left()


def test_one_that_is_left_behind_with_stderr_open_holds_nothing_up(line: Line) -> None:
    script = (
        f"import os, sys\n{line.hold}sys.stderr.write('No luck.'); sys.stderr.flush()\n"
        f"if not os.fork():\n  os.close(1); {FOR_EVER}\nsys.exit(3)"
    )
    assert "It ended with status 3: No luck." in str(ask(program(script)).failed)
    assert line.nobody_left()


def test_one_that_has_left_the_group_holds_nothing_up_either(gate: Gate) -> None:
    script = (
        "import os\nread, write = os.pipe()\nprint('Fine.', flush=True)\n"
        f"if not os.fork():\n  os.setsid(); os.write(write, b'-'); {gate.wait}\n"
        "else: os.read(read, 1)"
    )
    asked = ask(program(script))
    assert (asked.said, asked.failure) == ("Fine.\n", None)
    gate.open()


@pytest.mark.parametrize("how", ["cancelled", "left"])
def test_whoever_goes_away_leaves_no_process(line: Line, how: str) -> None:
    script = f"import os\n{line.hold}if os.fork(): print('One.', flush=True)\n{FOR_EVER}"
    model, asked = program(script), Asked()

    async def listen(first: asyncio.Event) -> None:
        async with aclosing(model.reply(request(asked))) as pieces:
            async for piece in pieces:
                asked.pieces.append(piece)
                first.set()
                if how == "left":
                    return

    async def run() -> None:
        first = asyncio.Event()
        listening = asyncio.create_task(listen(first))
        await first.wait()
        if how == "cancelled":
            listening.cancel()
        await asyncio.wait([listening])
        assert listening.cancelled() == (how == "cancelled")

    asyncio.run(run())
    assert line.nobody_left()
    assert asked.used == [Usage.estimate(conversation(), asked.said)]


def test_one_model_serves_several_event_loops() -> None:
    model = program("print('Fine.')")
    assert [ask(model).said, ask(model).said] == ["Fine.\n", "Fine.\n"]


# --- failures -------------------------------------------------------------------------------------------

BY_HAND = "Try the command by hand, or name another model with --model."


@pytest.mark.parametrize(
    ("script", "kind", "told"),
    [
        ("", "nonsense", "gave an answer that cannot be used. It printed nothing."),
        ("print(' \\x1b[0m')", "nonsense", "gave an answer that cannot be used. It printed nothing."),
        ("import sys; sys.exit(3)", "server", "failed on its side. It ended with status 3."),
        (
            "import sys; sys.exit('First.\\nNot logged  in.\\n\\n')",
            "server",
            "failed on its side. It ended with status 1: Not logged in.",
        ),
        (
            "import sys; print('Invalid key. Please log in'); sys.exit(2)",
            "cut",
            "stopped before its answer was complete. It ended with status 2: Invalid key. Please log in.",
        ),
        (
            "import os; print('We should', flush=True); os.kill(os.getpid(), 9)",
            "cut",
            "stopped before its answer was complete. It was ended by signal 9.",
        ),
        ("import os; os.kill(os.getpid(), 15)", "server", "failed on its side. It was ended by signal 15."),
        ("import os; os.kill(os.getpid(), 40)", "server", "failed on its side. It was ended by signal 40."),
    ],
)
@pytest.mark.rule("FAIL-1")
def test_what_went_wrong_is_told(script: str, kind: str, told: str) -> None:
    asked = ask(program(script))
    assert asked.failed.kind == kind
    assert str(asked.failed) == f"{NAME} {told} {BY_HAND}"


def test_what_was_said_before_a_failure_was_heard() -> None:
    asked = ask(program("import sys; print('We should', flush=True); sys.exit(9)"))
    assert (asked.said, asked.failed.kind) == ("We should\n", "cut")
    assert asked.used == [Usage.estimate(conversation(), "We should\n")]


def test_a_program_that_is_not_there_is_named() -> None:
    asked = ask(CommandModel("/no/such/folder/oracle -p"))
    assert asked.failed.kind == "not-installed"
    assert str(asked.failed) == (
        "command:oracle cannot be used: a part is not installed. There is no such program here. "
        "Install it, or check the command in --model, ROUNDTABLE_MODEL or your own settings."
    )
    assert asked.used == [Usage()]
    assert CommandModel("no-such-oracle").program() is None


@pytest.mark.rule("TABLE-4")
def test_a_program_runs_in_an_empty_folder_that_is_gone_afterwards(tmp_path: Path) -> None:
    asked = ask(program("import os; print(os.getcwd(), os.listdir())"))
    folder, entries = asked.said.split(maxsplit=1)
    assert (entries.strip(), Path(folder).exists()) == ("[]", False)


@pytest.mark.rule("TABLE-4")
def test_a_relative_folder_of_the_path_gives_no_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    oracle = tmp_path / "bin" / "oracle"
    oracle.parent.mkdir()
    oracle.write_text("#!/bin/sh\necho ready\n")
    oracle.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.pathsep.join(["bin", "", "."]))
    assert CommandModel("oracle").program() is None
    assert CommandModel("bin/oracle").program() == str(oracle)
    assert ask(CommandModel("bin/oracle")).said == "ready\n"
    monkeypatch.setenv("PATH", os.pathsep.join(["bin", str(oracle.parent)]))
    assert CommandModel("oracle").program() == str(oracle)


def test_a_file_that_is_no_program_is_named(tmp_path: Path) -> None:
    file = tmp_path / "oracle"
    file.write_bytes(b"\x00\x01")
    file.chmod(0o755)
    failure = ask(CommandModel(shlex.quote(str(file)))).failed
    assert failure.kind == "not-installed"
    assert "It cannot be run here." in str(failure)


@pytest.mark.parametrize("command", ["", "   ", "''", "' '"])
def test_a_command_without_a_program_is_refused(command: str) -> None:
    with pytest.raises(RuleBroken, match=r"^There is no program after command:, such as command:llm\.$"):
        CommandModel(command)


def test_a_lone_quotation_mark_is_refused() -> None:
    with pytest.raises(RuleBroken, match="has a quotation mark without its partner"):
        CommandModel("llm 'x")


# --- keys -----------------------------------------------------------------------------------------------


def test_the_name_holds_neither_folder_nor_arguments() -> None:
    assert CommandModel(f"/home/ada/bin/llm --key {CANARY}").name == "command:llm"


TELLS = "import os, sys; sys.exit('cannot use ' + {})"
IN_ARGUMENTS: list[Callable[[], CommandModel]] = [
    lambda: program(TELLS.format("sys.argv[-1]"), "--api-key", CANARY),
    lambda: program(TELLS.format("sys.argv[-1]"), f"--token={CANARY}"),
    lambda: program(TELLS.format("sys.argv[-1]"), "--no-key-file", "--token", CANARY),
    lambda: program(TELLS.format("sys.argv[-1]"), f"OPENAI_API_KEY={CANARY}"),
    lambda: program(TELLS.format("sys.argv[-1]"), "--no-key-file", f"--token={CANARY}=="),
    lambda: program(TELLS.format("sys.argv[-1]"), f"--env=OPENAI_API_KEY={CANARY}"),
]


@pytest.mark.parametrize("model", IN_ARGUMENTS)
def test_a_key_in_the_arguments_is_not_told(model: Callable[[], CommandModel]) -> None:
    _tells_nothing(ask(model()))


@pytest.mark.parametrize(
    "told",
    [
        "os.environ['OPENAI_API_KEY']",
        "'x' * 3_000 + ' ' + os.environ['OPENAI_API_KEY']",
        "'\\x1b[1m'.join(os.environ['OPENAI_API_KEY'].partition('-'))",
        "os.environ['OPENAI_API_KEY'] + ' x' * 60",
        "os.environ['OPENAI_API_KEY'] + 'x' * 8_180 + ' for ever'",
    ],
)
def test_a_key_in_the_environment_is_not_told(monkeypatch: pytest.MonkeyPatch, told: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    _tells_nothing(ask(program(TELLS.format(told))))
    _tells_nothing(ask(program(f"import os; print({told}); os._exit(1)")))


def _tells_nothing(asked: Asked) -> None:
    shown = "".join(traceback.format_exception(asked.failed))
    assert "status 1" in shown
    for part in (CANARY, "do-not-show"):
        assert part not in shown
