"""`analyze`, `elaborate` and `discuss`: which item or document, and who speaks."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import click

from ...core.errors import ItemUnknown
from ...project import Project, choose_panel, find_lacking
from ...settings import Settings, user_name
from .conversation import Answers, JsonLines, Plain, ask_once, hold, open_answers
from .options import TALK_OPTIONS, Command, Flags, complete_item
from .output import command, table, tell

if TYPE_CHECKING:
    from pathlib import Path

    from ...runtime.session import Session
    from ...store.items import ItemEntry


@click.command(cls=Command, uses=TALK_OPTIONS)
@click.argument("item", required=False, shell_complete=complete_item)
@click.option("--start-over", is_flag=True, help="Begin with the first step again; what was written stays.")
@click.option("--from", "reopen", metavar="ID", help="Go through a completed step again, such as 01-03.")
@click.pass_obj
def analyze(flags: Flags, item: str | None, start_over: bool, reopen: str | None) -> int:
    """Analyse ITEM step by step; goes on where it stopped.

    Without ITEM it takes the one that is open. At each menu, [E] brings all personas to the table. Messages
    come from the terminal, a pipe or --answers; when they end, the analysis pauses (exit status 0).

    \b
    An item follows a track, which is proposed first; say another one, or `track bug` later:
      feature   all steps of the five phases
      bug       a bug fix: at most six short questions, one document
      small     a small change: at most six questions, one short document
    """
    settings, project, answers = _prepare_talk(flags)
    entry = _choose_item(flags, project, answers) if item is None else project.find_item(item)
    if start_over and (told := project.start_over(entry.slug)):
        tell(told)
    return _converse(flags, settings, project, answers, entry, reopen=reopen)


@click.command(cls=Command, uses=TALK_OPTIONS)
@click.argument("item", required=False, shell_complete=complete_item)
@click.option("--step", required=True, metavar="ID", help="A completed step, such as 01-03.")
@click.pass_obj
def elaborate(flags: Flags, item: str | None, step: str) -> int:
    """Discuss a completed step of ITEM with all personas.

    Without ITEM it takes the one that is open.
    """
    settings, project, answers = _prepare_talk(flags)
    return _converse(flags, settings, project, answers, project.choose_item(item), step)


@click.command(cls=Command, uses=TALK_OPTIONS)
@click.argument("file")
@click.option("--into", is_flag=True, help="Add the synthesis to FILE itself, too.")
@click.pass_obj
def discuss(flags: Flags, file: str, into: bool) -> int:
    """Hold a roundtable on FILE, any markdown document of the project.

    It begins with the document's largest gap: an open question, an empty section, a TODO, else its longest
    section. The transcript and its synthesis are written beside it, FILE.roundtable-1.md; FILE itself is
    changed only with --into. Cut off, the same command goes on where it stopped.
    """
    settings, project, answers = _prepare_talk(flags)
    folder = project.find_discussion_folder(file)
    again = command("discuss", file, *(["--into"] if into else []))
    start = partial(project.open_discussion, file, into=into)
    return _hold_session(flags, settings, answers, start, folder, again)


def _prepare_talk(flags: Flags) -> tuple[Settings, Project, Answers]:
    """Return what a conversation begins with; what a model lacks is said before anything else."""
    settings = flags.settings()
    for missing in find_lacking(settings):
        tell(missing)
    project = Project(settings.root, items_folder=settings.items_folder)
    return settings, project, open_answers(flags.answers)


def _converse(
    flags: Flags,
    settings: Settings,
    project: Project,
    answers: Answers,
    entry: ItemEntry,
    step: str | None = None,
    reopen: str | None = None,
) -> int:
    slug = entry.slug
    again = command("elaborate", slug, "--step", step) if step else command("analyze", slug)
    if _is_at_terminal(answers) and _can_paint(flags):
        from ..terminal.seat import find_seat

        name = user_name(settings)
        seat = find_seat(project, entry, name, again)
        if seat is not None and _wants_to_join(answers, seat.describe_others()):
            from ..terminal.conversation import TerminalConversation

            make_panel, _ = choose_panel(settings, entry.folder)  # which is never made: the server has one
            return TerminalConversation(lambda **_: seat, make_panel, user_name=name).hold(again)
    start = partial(project.open_session, slug, step=step, reopen=reopen)
    return _hold_session(flags, settings, answers, start, entry.folder, again)


def _wants_to_join(answers: Answers, others: str) -> bool:
    """Whether the user sits down at the table of the web room."""
    tell(f"The item is open in the web room{', ' if others else ''}{others}.")
    words = ask_once(answers, "Sit down at that table? Y/n ")
    return words is not None and words.strip().lower() in ("", "y", "yes")


def _hold_session(
    flags: Flags,
    settings: Settings,
    answers: Answers,
    start: Callable[..., Session],
    folder: Path,
    again: str,
) -> int:
    """Hold the conversation of a session, at a terminal or in plain lines or JSON; return its exit status.

    `start` opens the session with the options that depend on where it is held; what models use is kept in
    the folder, and `again` is the command that goes on with it.
    """
    at_terminal = _is_at_terminal(answers)
    if at_terminal and not (settings.is_panel_chosen or flags.json or flags.answers):
        from .models import offer_models  # late: who has chosen is not asked

        settings = offer_models(settings, answers)
    make_panel, account = choose_panel(settings, folder)
    name = user_name(settings)
    start = partial(
        start,
        user_name=name,
        interactive=at_terminal,
        account=account,
        review=settings.review and answers.from_terminal,
    )
    if at_terminal and _can_paint(flags):
        from ..terminal.conversation import TerminalConversation  # late: only a real terminal needs it

        spent = account.describe_spending if account is not None else lambda: ""
        return TerminalConversation(start, make_panel, user_name=name, spent=spent).hold(again)
    session = start(panel=make_panel() if account is not None else None)
    plain = Plain(name, echo=not answers.from_terminal, prompt=at_terminal)
    return hold(session, answers, JsonLines() if flags.json else plain, again)


def _is_at_terminal(answers: Answers) -> bool:
    return answers.from_terminal and sys.stdout is not None and sys.stdout.isatty()


def _can_paint(flags: Flags) -> bool:
    """Whether neither the user nor the terminal asks for plain lines."""
    from ..terminal.renderer import has_cursor

    return not (flags.plain or flags.json) and has_cursor(os.environ)


def _choose_item(flags: Flags, project: Project, answers: Answers) -> ItemEntry:
    """Return the one open item; of several the user chooses one, or sees a list if nobody can be asked."""
    candidates = project.open_items()
    at_terminal = _is_at_terminal(answers)
    if not candidates and at_terminal and _can_paint(flags):
        from ..terminal.welcome import first_item

        return first_item(project)
    if len(candidates) < 2:
        return project.choose_item(None)
    rows = [(str(number), entry.slug, entry.title) for number, entry in enumerate(candidates, start=1)]
    choices = table(("", "item", "title"), rows)
    if not at_terminal or flags.json:
        raise ItemUnknown(f"Name one of these items:\n{choices}")
    tell(choices)
    while True:
        words = ask_once(answers, "Which one? ")
        if words is None:
            raise ItemUnknown("No item was chosen.")
        number = words.strip()
        if number.isdecimal() and 0 < int(number[:9]) <= len(candidates):
            return candidates[int(number[:9]) - 1]
        try:
            return project.find_item(words)
        except ItemUnknown as unknown:
            tell(str(unknown))
