"""`analyze`, `elaborate` and `discuss`: who speaks, where the user's words come from, how lines are shown."""

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
from functools import partial
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import click

from ...content import read_tables
from ...core.errors import DiskFailed, ItemUnknown, RuleBroken
from ...core.hearing import hear_steering
from ...core.lines import Line
from ...core.text import clean_text
from ...core.turns import USER
from ...project import choose_panel, find_lacking
from ...settings import announcement_file, user_name
from .main import Interrupted, end_at_once, interruptible
from .output import pairs, put, put_json, put_text, table, tell
from .program import TALK_OPTIONS, Flags, command

if TYPE_CHECKING:
    from ...runtime.session import Session
    from ...store.items import ItemEntry
    from ..terminal.conversation import TerminalConversation
    from ..terminal.seat import TableSeat

_MAX_LINE = 1024 * 1024  # a longer line is not a message: the file is of another kind


@command(item="optional", uses=TALK_OPTIONS)
@click.option("--start-over", is_flag=True, help="Begin again with the first step; the documents stay.")
@click.option("--from", "reopen", metavar="ID", help="Repeat a completed step, such as 01-03.")
def analyze(flags: Flags, item: str | None, start_over: bool, reopen: str | None) -> int:
    """Analyse ITEM step by step; continue where it stopped.

    Without ITEM it uses the one that is open. At each menu, [E] brings all personas to the table. Messages
    come from the terminal, a pipe or --answers; when they end, the analysis pauses (exit status 0). An item
    follows a track: feature (all steps), bug fix or small change (at most six questions, one document). It is
    proposed first; `track bug` at a menu changes it.
    """
    talk = _Talk(flags)
    entry = talk.choose_item() if item is None else talk.project.find_item(item)
    if start_over and (told := talk.project.start_over(entry.slug)):
        tell(told)
    return talk.analyze(entry, talk.project.command("analyze", entry.slug), reopen=reopen)


@command(item="optional", uses=TALK_OPTIONS)
@click.option("--step", required=True, metavar="ID", help="A completed step, such as 01-03.")
def elaborate(flags: Flags, item: str | None, step: str) -> int:
    """Discuss a completed step of ITEM with all personas. Without ITEM it uses the one that is open."""
    talk = _Talk(flags)
    entry = talk.project.find_open_item() if item is None else talk.project.find_item(item)
    return talk.analyze(entry, talk.project.command("elaborate", entry.slug, "--step", step), step=step)


@command(uses=TALK_OPTIONS)
@click.argument("file")
@click.option("--into", is_flag=True, help="Also add the synthesis to FILE itself.")
def discuss(flags: Flags, file: str, into: bool) -> int:
    """Hold a roundtable on FILE, any markdown document of the project.

    The transcript and its synthesis are written beside it, to FILE.roundtable-1.md; FILE itself changes only
    with --into. If you are interrupted, the same command continues where it stopped.
    """
    from ...runtime.discussion import DocumentSession, find_discussion_folder

    talk = _Talk(flags)
    root, again = talk.project.root, talk.project.command("discuss", file, *(["--into"] if into else []))
    start = partial(DocumentSession, root, file, into=into)
    return talk.hold(start, find_discussion_folder(root, file), again)


class _Talk:
    """A conversation before it begins: who speaks, where the user's words come from, and which item it is."""

    def __init__(self, flags: Flags) -> None:
        self._flags = flags
        self._settings = flags.settings()
        for missing in find_lacking(self._settings):
            tell(missing)
        self.project = flags.open_project(self._settings)
        self._answers = open_answers(flags.answers)
        self._at_terminal = self._answers.from_terminal and sys.stdout is not None and sys.stdout.isatty()
        self._is_painted = self._at_terminal and not (flags.plain or flags.json) and _can_paint()

    def choose_item(self) -> ItemEntry:
        """Return the open item; if there are several, ask which, or list them if nobody can be asked."""
        candidates = self.project.open_items()
        can_ask = self._at_terminal and not self._flags.json
        if not candidates and can_ask:
            return self._add_first_item()
        if len(candidates) < 2:
            return self.project.find_open_item()
        numbered = {str(number): entry for number, entry in enumerate(candidates, start=1)}
        rows = [(number, entry.slug, entry.title) for number, entry in numbered.items()]
        choices = table(("", "item", "title"), rows)
        if not can_ask:
            raise ItemUnknown(f"Name one of these items:\n{choices}")
        tell(choices)
        while (words := ask_once(self._answers, "Which one? ")) is not None:
            try:
                return numbered.get(words.strip()) or self.project.find_item(words)
            except ItemUnknown as unknown:
                tell(str(unknown))
        raise ItemUnknown("No item was chosen.")

    def _add_first_item(self) -> ItemEntry:
        """Add what the user describes, or the bundled example, and return it."""
        texts = read_tables("terminal.toml")
        example = texts["example"]
        home = (self.project.root / self.project.items_folder).absolute()
        welcome = texts["welcome"].format(home=home, example=example["title"])
        put_text(click.wrap_text(welcome, get_terminal_size().columns, preserve_paragraphs=True))
        while (words := ask_once(self._answers, f"\n{'›' if self._is_painted else '>'} ")) is not None:
            put_text("")
            match hear_steering(words.strip().removeprefix("/"), at_menu=False):
                case "quit":
                    break
                case "help":
                    put_text("Describe your item in one line. Enter alone starts the example; `quit` leaves.")
                    continue
            add = self.project.add_item
            added = add(words) if words.strip() else add(example["text"], title=example["title"])
            put_text(f"Added {added.slug}.\n")
            return added
        raise ItemUnknown("Nothing was added.")

    def analyze(self, entry: ItemEntry, again: str, **options: str | None) -> int:
        """Hold the analysis of an item, or take a seat at its table if the web room has it open."""
        if self._is_painted and (announcement := announcement_file(self.project.root)).exists():
            from ..terminal.conversation import TerminalConversation  # late: the web room is seldom open
            from ..terminal.seat import find_seat

            if (seat := find_seat(announcement, entry.slug, again)) is not None:
                tell(seat.describe_others("The item is open in the web room"))
                words = ask_once(self._answers, "Sit down at that table? Y/n ")
                if words is not None and words.strip().lower() in ("", "y", "yes"):
                    seat.sit_down(user_name(self._settings) or os.environ.get("USER", "Guest"))
                    make_panel, _ = choose_panel(self._settings, entry.folder)  # not made: the server has one
                    spent, roster = seat.describe_others, self.project.roster()
                    seat.page = TerminalConversation(lambda **_: seat, make_panel, spent=spent, roster=roster)
                    return seat.page.hold(again)
        return self.hold(partial(self.project.open_session, entry.slug, **options), entry.folder, again)

    def hold(self, start: Callable[..., Session], folder: Path, again: str) -> int:
        """Hold the conversation of the session that `start` opens; `again` is the command that goes on."""
        flags, answers, settings = self._flags, self._answers, self._settings
        if self._at_terminal and not (settings.is_panel_chosen or flags.json or flags.answers):
            from .content import offer_models  # late: who has chosen is not asked

            settings = offer_models(settings, answers)
        make_panel, account = choose_panel(settings, folder)
        name = user_name(settings)
        review = settings.review and answers.from_terminal
        where = {"user_name": name, "interactive": self._at_terminal, "review": review, "again": again}
        start = partial(start, account=account, **where)
        if self._is_painted:
            from ..terminal.conversation import TerminalConversation  # late: only a real terminal needs it

            spent = account.describe_spending if account is not None else str
            return TerminalConversation(start, make_panel, user_name=name, spent=spent).hold(again)
        session = start(panel=make_panel() if account is not None else None)
        page = JsonLines(answers) if flags.json else Plain(answers, name, is_prompting=self._at_terminal)
        return run(converse(session, page), page.leave, again)


def _can_paint() -> bool:
    """Whether the terminal can move its cursor and show our signs; the Linux console cannot."""
    is_plain = os.name != "nt" and os.environ.get("TERM", "") in ("", "dumb", "unknown", "linux")
    return not is_plain and (sys.stdout.encoding or "").lower().startswith("utf")


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
        line = b""
        with suppress(OSError):  # the terminal was closed, or the disk failed: no more comes
            line = await _read_line(self._file)
        if len(line) > _MAX_LINE:
            raise RuleBroken(
                f"Line {self._number} of {self.name} is longer than {_MAX_LINE:,} bytes, "
                "so it cannot be a message. Everything before it is saved."
            )
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
    """Return a line, as far as we take it; a thread reads, because a terminal cannot be interrupted."""
    outcome = Future[bytes]()
    outcome.set_running_or_notify_cancel()  # whoever waits may be cancelled, the thread cannot be

    def read() -> None:
        try:
            with suppress(AttributeError):  # not everywhere; another program may have made it non-blocking
                os.set_blocking(file.fileno(), True)
            outcome.set_result(file.readline(_MAX_LINE + 1))
        except OSError as error:
            outcome.set_exception(error)

    threading.Thread(target=read, name="answers", daemon=True).start()
    return await asyncio.wrap_future(outcome)


def ask_once(answers: Answers, question: str) -> str | None:
    """Ask before a conversation begins; None if no answer will come."""

    async def ask() -> str | None:
        put(question)  # inside the loop, because Ctrl-C would meet a half-made one before it
        return await answers.next()

    words = asyncio.run(ask())
    if words is None:
        put("\n")
    return words


def answer_command(words: str, session: Session | TableSeat, *, is_strict: bool) -> str:
    """Return the answer to a command that only looks; nothing where the words are for the session.

    With `is_strict` a lone `/hepl` is told to be no command; in a pipe it is an answer.
    """
    talk = session.analysis.elaboration if session.analysis is not None else None
    texts = read_tables("terminal.toml")
    match words.split():
        case ["/help"]:
            return pairs([*texts["keys"].items(), *texts["commands"].items()])
        case ["/transcript"] if talk is not None:
            names = {USER: "You"} | {persona.key: persona.title for persona in talk.roster.personas}
            turns = [f"{turn.number}. {names[turn.speaker]}: {turn.text}" for turn in talk.turns]
            return "\n\n".join(turns) or "Nothing has been said yet."
        case ["/transcript"] | ["/transcript", _]:
            return "In another window `roundtable show` has earlier transcripts."
        case ["/turns", *rest] if len(rest) < 2:
            can_raise = session.listening in ("discussion", "exit") and "".join(rest).isdecimal()
            return "" if can_raise else "While a discussion is running, /turns 14 raises its turn limit."
        case [name] if is_strict and name not in texts["commands"] and re.fullmatch("/[a-z]+", name):
            return f"There is no command {name}. There is: {', '.join(texts['commands'])}."
    return ""


async def converse(session: Session | TableSeat, page: Plain | TerminalConversation) -> None:
    """Show every line, and hear the user whenever it is the user's turn; commands are answered here."""
    async with aclosing(session.lines()) as lines:
        async for line in lines:
            page.show(line)
            while line.kind == "listen":
                words = await page.ask(line)
                if words is None or words.strip() == "/quit":
                    session.hang_up()
                elif answer := answer_command(words, session, is_strict=page.is_strict):
                    page.show(Line("notice", answer))
                    page.show(line)
                    continue
                else:
                    session.say(words)
                break


class Plain:
    """Shows a conversation as text with blank lines between, for a person."""

    def __init__(self, answers: Answers, user_name: str | None, *, is_prompting: bool) -> None:
        """With `is_prompting` a sign asks for the user's words, and leaving ends its line."""
        self._answers, self.is_strict = answers, answers.from_terminal
        self._name = user_name or "You"
        self._is_prompting = is_prompting
        self._between = ""

    def show(self, line: Line) -> None:
        if line.kind == "listen" and self._is_prompting:
            put(f"{self._between}> ")
        text = clean_text(line.text)
        # A terminal shows itself what is typed; words from an earlier run are not on this screen.
        is_on_screen = line.speaker == USER and self._answers.from_terminal and line.kind != "resume"
        if text.strip() and not is_on_screen:
            name = f"{self._name}: " if line.speaker == USER else ""
            put(f"{self._between}{name}{text}\n")
            self._between = "\n"

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

    def __init__(self, answers: Answers) -> None:
        super().__init__(answers, None, is_prompting=False)
        self._count = 0

    def show(self, line: Line) -> None:
        self._count += 1
        fields = ("kind", "state", "speaker", "turn", "text", *(("awaits",) if line.kind == "listen" else ()))
        put_json({"seq": self._count, **{name: getattr(line, name) for name in fields}}, indent=None)


def run(conversation: Coroutine[Any, Any, None], leave: Callable[[], None], again: str) -> int:
    """Run a conversation to its end and return its exit status; a signal calls `leave` and names `again`."""

    async def converse() -> None:
        """Let a signal cancel the conversation between two moves; what is being written is written."""
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        with interruptible(lambda: loop.call_soon_threadsafe(task.cancel)):
            await conversation

    try:
        with interruptible():
            asyncio.run(converse())
    except (asyncio.CancelledError, KeyboardInterrupt):
        end_at_once()
        leave()
        raise Interrupted(f"Interrupted. Everything is saved. Go on with: {again}") from None
    return 0
