"""`analyze`, `elaborate` and `discuss`: they choose the item or document, and who speaks."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING

import click

from ...content import read_tables
from ...core.errors import ItemUnknown
from ...core.hearing import hear_steering
from ...project import choose_panel, find_lacking
from ...settings import announcement_file, user_name
from .conversation import JsonLines, Plain, ask_once, converse, open_answers, run
from .output import is_at_screen, put_text, table, tell
from .program import TALK_OPTIONS, Flags, command

if TYPE_CHECKING:
    from ...runtime.session import Session
    from ...store.items import ItemEntry


@command(item="optional", uses=TALK_OPTIONS)
@click.option("--start-over", is_flag=True, help="Begin again with the first step; the documents stay.")
@click.option("--from", "reopen", metavar="ID", help="Repeat a completed step, such as 01-03.")
def analyze(flags: Flags, item: str | None, start_over: bool, reopen: str | None) -> int:
    """Analyse ITEM step by step; continue where it stopped."""
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
    """Hold a roundtable on FILE, any markdown document of the project."""
    from ...runtime.discussion import DocumentSession, find_discussion_folder

    talk = _Talk(flags)
    root, again = talk.project.root, talk.project.command("discuss", file, *(["--into"] if into else []))
    start = partial(DocumentSession, root, file, into=into)
    return talk.hold(start, find_discussion_folder(root, file), again)


class _Talk:
    """Prepares a conversation: who speaks, where the user's words come from, and which item it is about."""

    def __init__(self, flags: Flags) -> None:
        self._flags = flags
        self._settings = flags.settings()
        for missing in find_lacking(self._settings):
            tell(missing)
        self.project = flags.open_project(self._settings)
        self._answers = open_answers(flags.answers)
        self._at_terminal = self._answers.from_terminal and is_at_screen()
        self._is_painted = self._at_terminal and not (flags.plain or flags.json) and _can_paint()

    def choose_item(self) -> ItemEntry:
        """Return the open item; of several, ask which one, or raise ItemUnknown if nobody can be asked."""
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
        announcement = announcement_file(self.project.root)
        # An open table cannot jump to a step: for `--step` or `--from`, report that the item is in use.
        if self._is_painted and not any(options.values()) and announcement.exists():
            from ..terminal.conversation import TerminalConversation  # late: the web room is seldom open
            from ..terminal.seat import find_seat

            if (seat := find_seat(announcement, entry.slug, again)) is not None:
                tell(seat.describe_others("The item is open in the web room"))
                words = ask_once(self._answers, "Sit down at that table? Y/n ")
                if words is not None and words.strip().lower() in ("", "y", "yes"):
                    seat.sit_down(user_name(self._settings) or os.environ.get("USER", "Guest"))
                    make_panel, _ = choose_panel(self._settings, entry.folder)  # unused: the server has one
                    spent, roster = seat.describe_others, self.project.roster()
                    seat.page = TerminalConversation(lambda **_: seat, make_panel, spent=spent, roster=roster)
                    return seat.page.hold(again)
        return self.hold(partial(self.project.open_session, entry.slug, **options), entry.folder, again)

    def hold(self, start: Callable[..., Session], folder: Path, again: str) -> int:
        """Hold the conversation of the session that `start` opens; `again` is the command to go on with."""
        flags, answers, settings = self._flags, self._answers, self._settings
        if self._at_terminal and not (settings.is_panel_chosen or flags.json or flags.answers):
            from .content import offer_models  # late: this is asked only once

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
