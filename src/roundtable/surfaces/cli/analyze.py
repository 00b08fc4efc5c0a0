"""`analyze` and `elaborate`: which item, and who speaks."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...core.errors import ItemUnknown
from ...panel.base import Panel
from ...runtime.executor import make_offline_panel
from ...runtime.session import Session
from ...settings import Settings, user_name
from ...store.items import ItemEntry, find_item, list_items, read_item
from ...store.lock import ItemLock
from ...store.meta import meta_problem, set_aside
from ...store.progress import start_over as forget_progress
from .conversation import Answers, JsonLines, Plain, hold, open_answers
from .options import Command, Flags, complete_item, pause_collection
from .output import command, put, table, tell

if TYPE_CHECKING:
    from ...runtime.budget import BudgetAccount


@click.command(cls=Command)
@click.argument("item", required=False, shell_complete=complete_item)
@click.option("--start-over", is_flag=True, help="Begin with the first step again; what was written stays.")
@click.option("--from", "reopen", metavar="ID", help="Go through a completed step again, such as 01-03.")
@click.pass_obj
def analyze(flags: Flags, item: str | None, start_over: bool, reopen: str | None) -> int:
    """Analyse ITEM step by step; goes on where it stopped.

    Without ITEM it takes the one that is open. At each menu, [E] brings all personas to the table. Messages
    come from the terminal, a pipe or --answers; when they end, the analysis pauses (exit status 0).
    """
    settings, answers = flags.settings(), open_answers(flags.answers)
    folder = _choose_item(flags, settings, answers) if item is None else _find_folder(settings, item)
    if start_over:
        with ItemLock(folder):
            if problem := meta_problem(folder):
                aside = set_aside(folder)
                tell(f"{problem} It is kept as {aside.name}, and the analysis begins anew.")
            else:
                forget_progress(folder)
    return _converse(flags, settings, answers, folder, reopen=reopen)


@click.command(cls=Command)
@click.argument("item", shell_complete=complete_item)
@click.option("--step", required=True, metavar="ID", help="A completed step, such as 01-03.")
@click.pass_obj
def elaborate(flags: Flags, item: str, step: str) -> int:
    """Discuss a completed step of ITEM with all personas."""
    settings, answers = flags.settings(), open_answers(flags.answers)
    return _converse(flags, settings, answers, _find_folder(settings, item), step)


def _find_folder(settings: Settings, item: str) -> Path:
    return find_item(settings.root, item, items_folder=settings.items_folder)


def _converse(
    flags: Flags,
    settings: Settings,
    answers: Answers,
    folder: Path,
    step: str | None = None,
    reopen: str | None = None,
) -> int:
    at_terminal = _is_at_terminal(answers)
    make_panel, account = choose_panel(settings, folder)
    name, slug = user_name(settings), read_item(folder).slug
    again = command("elaborate", slug, "--step", step) if step else command("analyze", slug)
    start = partial(
        Session,
        settings.root,
        slug,
        step=step,
        reopen=reopen,
        user_name=name,
        interactive=at_terminal,
        items_folder=settings.items_folder,
        account=account,
        review=settings.review and answers.from_terminal,
    )
    if at_terminal and _can_paint(flags):
        with pause_collection():
            from ..terminal.conversation import TerminalConversation  # late: only a real terminal needs it
        spent = account.describe_spending if account is not None else lambda: ""
        return TerminalConversation(start, make_panel, user_name=name, spent=spent).hold(again)
    session = start(panel=make_panel() if account is not None else None)
    plain = Plain(name, echo=not answers.from_terminal, prompt=at_terminal)
    return hold(session, answers, JsonLines() if flags.json else plain, again)


def choose_panel(settings: Settings, folder: Path) -> tuple[Callable[[], Panel], BudgetAccount | None]:
    """Return the maker of the panel in the settings, and the account of its costs if it may have any.

    A model's name is checked now; what it lacks is said on stderr before the first question is answered.
    """
    if settings.panel != "model":
        return lambda: make_offline_panel(settings.root), None
    from ...panel.model.choice import choose, names_of, read_choice
    from ...panel.model.reaching import find_lacking
    from ...panel.model.tracing import collect
    from ...runtime.budget import BudgetAccount  # late, like the panel: it takes a tenth of the time to start

    collect()
    account = BudgetAccount(folder, settings.budget)
    panel = choose(
        settings.models,
        settings.base_url,
        meter=account.record_call,
        news=account.add_news,
        project=settings.root,
    )
    for name in names_of(settings.models, settings.base_url):
        choice = read_choice(name, settings.base_url)
        if missing := find_lacking(choice):
            tell(f"{choice.label}: {missing}. See roundtable doctor.")
    return lambda: panel, account


def _is_at_terminal(answers: Answers) -> bool:
    return answers.from_terminal and sys.stdout is not None and sys.stdout.isatty()


def _can_paint(flags: Flags) -> bool:
    """Whether neither the user nor the terminal asks for plain lines."""
    from ..terminal.renderer import has_cursor

    return not (flags.plain or flags.json) and has_cursor(os.environ)


def _choose_item(flags: Flags, settings: Settings, answers: Answers) -> Path:
    """Return the one open item; of several the user chooses one, or sees a list if nobody can be asked."""
    items = list_items(settings.root, items_folder=settings.items_folder)
    unfinished = [entry for entry in items if (entry.meta or {}).get("analysis_status") != "analyzed"]
    candidates = unfinished or list(items)
    at_terminal = _is_at_terminal(answers)
    if not candidates and at_terminal and _can_paint(flags):
        from ..terminal.welcome import first_item

        return first_item(settings)
    if not candidates:
        raise ItemUnknown('There is no item yet. Add one with: roundtable add "what it is about"')
    if len(candidates) == 1:
        return candidates[0].folder
    rows = [(str(number), entry.slug, entry.title) for number, entry in enumerate(candidates, start=1)]
    choices = table(("", "item", "title"), rows)
    if not at_terminal or flags.json:
        raise ItemUnknown(f"Name one of these items:\n{choices}")
    tell(choices)
    return _ask_for_item(settings, candidates, answers)


def _ask_for_item(settings: Settings, entries: list[ItemEntry], answers: Answers) -> Path:
    async def ask() -> str | None:
        put("Which one? ")  # inside the loop, because Ctrl-C would meet a half-made one before it
        return await answers.next()

    while True:
        words = asyncio.run(ask())
        if words is None:
            put("\n")
            raise ItemUnknown("No item was chosen.")
        number = words.strip()
        if number.isdecimal() and 0 < int(number[:9]) <= len(entries):
            return entries[int(number[:9]) - 1].folder
        try:
            return _find_folder(settings, words)
        except ItemUnknown as unknown:
            tell(str(unknown))
