"""A conversation: where the user's messages come from, what they may ask for, and how lines are shown."""

from __future__ import annotations

import asyncio
import io
import os
import re
import sys
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Any

from ...content import read_tables
from ...core.errors import DiskFailed, RuleBroken
from ...core.lines import Line
from ...core.steps import DEPTHS
from ...core.text import clean_text
from ...core.turns import USER
from .main import Interrupted, end_at_once, interruptible
from .output import pairs, put, put_json, table

if TYPE_CHECKING:
    from ...runtime.session import Session
    from ..terminal.conversation import TerminalConversation
    from ..terminal.seat import TableSeat

_MAX_LINE = 1024 * 1024  # a longer line is not a message: the file holds something else


class Answers:
    """The user's messages from an open file, one per line; nothing is read before it is asked for."""

    def __init__(self, handle: int | None, name: str) -> None:
        self.name = name
        self._file = None if handle is None else io.FileIO(handle, closefd=False)
        self.from_terminal = self._file is not None and self._file.isatty()
        self._number = 0

    async def next(self) -> str | None:
        """Return the next message, or None if no more will come."""
        if self._file is None:
            return None
        self._number += 1
        line = await _read_line(self._file)
        if len(line) > _MAX_LINE:
            what = f"longer than {_MAX_LINE:,} bytes, so it cannot be a message"
            raise RuleBroken(f"Line {self._number} of {self.name} is {what}. Everything before it is saved.")
        if not line:
            self._file = None
            return None
        text = line.removesuffix(b"\n").decode("utf-8-sig" if self._number == 1 else "utf-8", "replace")
        return text.rstrip("\r").replace("\r", " ").replace("\x00", "")


def open_answers(name: str | None) -> Answers:
    """Open the file that `--answers` names, or stdin if it names `-` or nothing."""
    if name is None or name == "-":
        # If stdin was closed before we began, its number may belong to another file by now.
        return Answers(None if sys.stdin is None else 0, "the standard input")
    try:
        return Answers(os.open(name, os.O_RDONLY | getattr(os, "O_BINARY", 0)), name)
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise RuleBroken(f"Could not read the answers in {name}: {reason}.") from error


async def _read_line(file: io.FileIO) -> bytes:
    """Return a line up to the limit; a thread reads, because reading a terminal cannot be interrupted."""
    outcome = Future[bytes]()
    outcome.set_running_or_notify_cancel()  # the waiting task may be cancelled, the thread cannot

    def read() -> None:
        line = b""
        with suppress(OSError):  # the terminal was closed, or the disk failed: no more comes
            with suppress(AttributeError):  # not everywhere; another program may have made it non-blocking
                os.set_blocking(file.fileno(), True)
            line = file.readline(_MAX_LINE + 1)
        outcome.set_result(line)

    threading.Thread(target=read, name="answers", daemon=True).start()
    return await asyncio.wrap_future(outcome)


def ask_once(answers: Answers, question: str) -> str | None:
    """Ask a question before a conversation begins, and return the answer; None if none will come."""

    async def ask() -> str | None:
        put(question)  # inside the loop, because an earlier Ctrl-C would hit a half-made one
        return await answers.next()

    words = asyncio.run(ask())
    if words is None:
        put("\n")
    return words


def answer_command(words: str, session: Session | TableSeat, page: Plain | TerminalConversation) -> str:
    """Return the answer to a command that only shows something; empty if the words are for the session.

    A strict page answers `?` with the commands and refuses a lone `/hepl`; in a pipe, both are passed on.
    """
    talk = session.analysis.elaboration if session.analysis is not None else None
    texts = read_tables("terminal.toml")
    match words.split():
        case ["/help"]:
            return pairs([*texts["keys"].items(), *texts["commands"].items()])
        case ["?"] if page.is_strict:
            return f"At any prompt: {', '.join(texts['commands'])}."
        case ["/transcript"] if talk is not None:
            names = {USER: "You"} | {persona.key: persona.title for persona in talk.roster.personas}
            turns = [f"{turn.number}. {names[turn.speaker]}: {turn.text}" for turn in talk.turns]
            return "\n\n".join(turns) or "Nothing has been said yet."
        case ["/turns", *rest] if len(rest) < 2:
            can_raise = session.listening in ("discussion", "exit") and "".join(rest).isdecimal()
            return "" if can_raise else "While a discussion is running, /turns 14 raises its turn limit."
        case ["/depth", depth] if depth in DEPTHS and session.listening in ("answer", "menu"):
            return ""
        case ["/chair", *_] if session.analysis is not None:  # it is on the server if the table is shared
            return str(texts["answers"]["alone"])
        case ["/copy"]:
            copied = page.copy_last()
            return str(texts["answers"]["copied" if copied else "not_copied"].format(words=copied[:60]))
        case ["/who" | "/steps" | "/diff" | "/panel" | "/model" as name]:
            return _look_at(session, name)
        case ["/artifact" | "/depth" | "/transcript" as name, *rest] if len(rest) < 2:
            return _look_at(session, name, *rest)
        case [name] if page.is_strict and name not in texts["commands"] and re.fullmatch("/[A-Za-z]+", name):
            return f"There is no command {name}. There is: {', '.join(texts['commands'])}."
    return ""


def _look_at(session: Session | TableSeat, command: str, wanted: str = "") -> str:
    """Return what a command shows about a session; at a shared table, return where to look instead."""
    from ...runtime.session import Session  # late: it is loaded once there is a conversation

    answers: dict[str, str] = read_tables("terminal.toml")["answers"]
    if not isinstance(session, Session) or (analysis := session.analysis) is None:
        return answers["elsewhere"]
    opening, talk = analysis.opening, analysis.elaboration
    match command:
        case "/who":
            lead, roster = (talk.lead, talk.roster) if talk else (opening.conductor, opening.roster)
            roles = {each: each.role + (", leads" if each == lead else "") for each in roster.personas}
            people = [(each.name, f"{role}: {', '.join(each.lens)}") for each, role in roles.items()]
            return pairs([*people, (opening.user_name or "You", answers["user"])])
        case "/steps":
            rows = [
                (step.step_id, step.title, "here" if step == opening.step else state)
                for step, state in analysis.list_states()
            ]
            return table(("step", "title", "state"), rows) if rows else answers["no_steps"]
        case "/diff":
            return session.show_last_change() or answers["no_change"]
        case "/artifact":
            documents = session.documents()
            names = (wanted,) if wanted else opening.step.outputs if opening.step else ()
            found = next((documents[name] for name in names if name in documents), "")
            return found or answers["no_document"].format(names=", ".join(documents) or "nothing yet")
        case "/transcript":
            talks = session.transcripts()
            known = ", ".join(talks) or "none yet; one is written when a discussion ends"
            return talks.get(wanted or ["", *talks][-1]) or answers["no_transcript"].format(names=known)
        case "/depth":
            return answers["depth"].format(depth=analysis.depth)
    return answers["panel"].format(**session.describe_panel())


async def converse(session: Session | TableSeat, page: Plain | TerminalConversation) -> None:
    """Show every line, and hear the user whenever it is the user's turn; commands are answered here."""
    async with aclosing(session.lines()) as lines:
        async for line in lines:
            page.show(line)
            while line.kind == "listen":
                words = await page.ask(line)
                if words is None or words.strip() == "/quit":
                    session.hang_up()
                    break
                if answer := answer_command(words, session, page):
                    await page.show_answer(answer)
                has_more_help = words.strip() == "?" and session.listening in ("answer", "menu", "review")
                if not answer or has_more_help:
                    session.say(words)
                    break
                page.show(line)


class Plain:
    """Shows a conversation to a person, as text with blank lines between."""

    def __init__(self, answers: Answers, user_name: str | None = None, *, is_prompting: bool = False) -> None:
        """With `is_prompting`, a prompt asks for the user's words, and leaving ends its line."""
        self._answers, self.is_strict = answers, answers.from_terminal
        self._name = user_name or "You"
        self._is_prompting = is_prompting
        self._between = ""

    def show(self, line: Line) -> None:
        if line.kind == "listen" and self._is_prompting:
            put(f"{self._between}> ")
        text = clean_text(line.text)
        # A terminal itself shows what is typed, but words from an earlier run are not on this screen.
        is_on_screen = line.speaker == USER and self._answers.from_terminal and line.kind != "resume"
        if text.strip() and not is_on_screen:
            name = f"{self._name}: " if line.speaker == USER else ""
            put(f"{self._between}{name}{text}\n")
            self._between = "\n"

    async def show_answer(self, answer: str) -> None:
        self.show(Line("notice", answer))

    def copy_last(self) -> str:
        """Copy nothing and return an empty text: plain output has no clipboard."""
        return ""

    async def ask(self, _line: Line) -> str | None:
        words = await self._answers.next()
        if words is None:
            self.leave()
        return words

    def leave(self) -> None:
        if self._is_prompting:
            with suppress(BrokenPipeError, DiskFailed):
                put("\n")


class JsonLines(Plain):
    """Shows a conversation as one JSON object per line, for a program."""

    _count = 0

    def show(self, line: Line) -> None:
        self._count += 1
        fields = ("kind", "state", "speaker", "turn", "text", *(("awaits",) if line.kind == "listen" else ()))
        put_json({"seq": self._count, **{name: getattr(line, name) for name in fields}}, indent=None)


def run(conversation: Coroutine[Any, Any, None], leave: Callable[[], None], again: str) -> int:
    """Run a conversation and return its exit status; on a signal, call `leave` and raise Interrupted."""

    async def converse() -> None:
        """Let a signal cancel the conversation between two moves; a write that has begun is finished."""
        task = asyncio.create_task(conversation)
        with interruptible(lambda: task.get_loop().call_soon_threadsafe(task.cancel)):
            await task

    try:
        asyncio.run(converse())
    except (asyncio.CancelledError, KeyboardInterrupt):
        end_at_once()
        leave()
        raise Interrupted(f"Interrupted. Everything is saved. Go on with: {again}") from None
    return 0
