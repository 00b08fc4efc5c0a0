"""`analyze` and `elaborate`: which item, and who speaks."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from ...core.errors import ItemUnknown
from .options import Command, Flags, complete_item
from .output import command, put, put_text, table, tell

if TYPE_CHECKING:
    from pathlib import Path

    from ...panel.base import Panel
    from ...runtime.budget import BudgetAccount
    from ...runtime.executor import Review
    from ...settings import Settings
    from ...store.items import ItemEntry
    from .conversation import Answers


@click.command(cls=Command)
@click.argument("item", required=False, shell_complete=complete_item)
@click.option("--start-over", is_flag=True, help="Begin with the first step again; what was written stays.")
@click.option("--from", "reopen", metavar="ID", help="Go through a completed step again, such as 01-03.")
@click.pass_obj
def analyze(flags: Flags, item: str | None, start_over: bool, reopen: str | None) -> int:
    """Analyse ITEM step by step; goes on where it stopped.

    Without ITEM it is the one that is open. At each menu, [E] brings all personas to the table. Messages come
    from the terminal, a pipe or --answers; where they end, the analysis pauses (exit status 0).
    """
    from .conversation import open_answers

    settings, answers = flags.settings(), open_answers(flags.answers)
    folder = _folder(settings, item) if item is not None else _open_item(flags, settings, answers)
    if start_over:
        _begin_anew(folder)
    return _converse(flags, settings, answers, folder, reopen=reopen)


@click.command(cls=Command)
@click.argument("item", shell_complete=complete_item)
@click.option("--step", required=True, metavar="ID", help="A completed step, such as 01-03.")
@click.pass_obj
def elaborate(flags: Flags, item: str, step: str) -> int:
    """Discuss a completed step of ITEM with all personas."""
    from .conversation import open_answers

    settings, answers = flags.settings(), open_answers(flags.answers)
    return _converse(flags, settings, answers, _folder(settings, item), step)


def _folder(settings: Settings, item: str) -> Path:
    from ...store.items import find_item

    return find_item(settings.root, item, items_folder=settings.items_folder)


def _converse(
    flags: Flags,
    settings: Settings,
    answers: Answers,
    folder: Path,
    step: str | None = None,
    reopen: str | None = None,
) -> int:
    at_terminal = answers.from_terminal and _stdout_is_terminal()
    with _loading():
        from functools import partial

        from ...runtime.session import Session
        from ...settings import user_name
        from ...store.items import read_item
        from .conversation import JsonLines, Plain, hold
    table = _table(settings, folder)
    reviewing = settings.review == "before"
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
        account=table.account,
    )
    if at_terminal and _can_paint(flags):
        with _loading():
            from ..terminal.conversation import TerminalConversation  # late: only a real terminal needs it
        conversation = TerminalConversation(
            start, table.panel, user_name=name, reviewing=reviewing, spent=table.spent
        )
        return conversation.hold(again)
    review = _reviewer(answers) if at_terminal and reviewing and not flags.json else None
    session = start(review=review, panel=table.panel() if table.account is not None else None)
    if flags.json:
        return hold(session, answers, JsonLines(), again)
    page = Plain(name, echo=not answers.from_terminal, prompt=at_terminal)
    return hold(session, answers, page, again)


@dataclass(frozen=True, slots=True)
class _Table:
    """Who speaks, and the account of what that costs, where it costs something."""

    panel: Callable[[], Panel]
    account: BudgetAccount | None = None

    def spent(self) -> str:
        return self.account.spent() if self.account is not None else ""


def _table(settings: Settings, folder: Path) -> _Table:
    """The panel of the settings; a model is checked for its name now and asked for words later."""
    if settings.panel != "model":
        from ...runtime.executor import make_offline_panel

        return _Table(lambda: make_offline_panel(settings.root))
    from ...panel.model.choice import choose
    from ...panel.model.tracing import collect
    from ...runtime.budget import BudgetAccount

    collect()
    account = BudgetAccount(folder, settings.budget)
    panel = choose(
        settings.models, settings.base_url, meter=account.take, news=account.tell, project=settings.root
    )
    _tell_lacking(settings)
    return _Table(lambda: panel, account)


def _tell_lacking(settings: Settings) -> None:
    """Say on stderr what a named model needs and does not have, before the first question is answered."""
    from ...panel.model.choice import names_of, read_choice
    from ...panel.model.reaching import lacking

    for name in names_of(settings.models, settings.base_url):
        choice = read_choice(name, settings.base_url)
        if missing := lacking(choice):
            tell(f"{choice.label}: {missing}. See roundtable doctor.")


@contextmanager
def _loading() -> Iterator[None]:
    """Modules are no garbage: not to look for any in them saves a tenth of the time to the first prompt."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _stdout_is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def _reviewer(answers: Answers) -> Review:
    """The review of a synthesis in plain lines."""
    from ..terminal.review import review

    async def ask() -> str | None:
        put("> ")
        return await answers.next()

    return lambda draft, table: review(draft, table, put_text, ask)


def _can_paint(flags: Flags) -> bool:
    """True where neither the user nor the terminal asks for plain lines."""
    from ..terminal.renderer import has_cursor

    return not (flags.plain or flags.json) and has_cursor(os.environ)


# --- which item -----------------------------------------------------------------------------------------


def _open_item(flags: Flags, settings: Settings, answers: Answers) -> Path:
    """The one open item; else the user chooses, and where nobody can be asked the items are listed."""
    from ...store.items import list_items

    items = list_items(settings.root, items_folder=settings.items_folder)
    candidates = [entry for entry in items if not _is_analysed(entry)] or list(items)
    at_terminal = answers.from_terminal and _stdout_is_terminal()
    if not candidates and at_terminal and _can_paint(flags):
        from ..terminal.welcome import first_item

        return first_item(settings)
    if not candidates:
        raise ItemUnknown('There is no item yet. Add one with: roundtable add "what it is about"')
    if len(candidates) == 1:
        return candidates[0].folder
    if at_terminal and not flags.json:
        return _chosen(settings, candidates, answers)
    raise ItemUnknown(f"Name one of these items:\n{_listed(candidates)}")


def _is_analysed(entry: ItemEntry) -> bool:
    return entry.meta is not None and entry.meta.get("analysis_status") == "analyzed"


def _listed(entries: list[ItemEntry]) -> str:
    rows = [(str(number), entry.slug, entry.title) for number, entry in enumerate(entries, start=1)]
    return table(("", "item", "title"), rows)


def _chosen(settings: Settings, entries: list[ItemEntry], answers: Answers) -> Path:
    import asyncio  # late: the other commands do without

    async def ask() -> str | None:
        put("Which one? ")  # not before the loop is there: Ctrl-C would meet it half made
        return await answers.next()

    tell(_listed(entries))
    while True:
        words = asyncio.run(ask())
        if words is None:
            put("\n")
            raise ItemUnknown("No item was chosen.")
        number = words.strip()
        if number.isdecimal() and 0 < int(number[:9]) <= len(entries):
            return entries[int(number[:9]) - 1].folder
        try:
            return _folder(settings, words)
        except ItemUnknown as unknown:
            tell(str(unknown))


def _begin_anew(folder: Path) -> None:
    """Forget which steps and phases are complete; a meta.json that cannot be used is set aside."""
    from ...store.lock import ItemLock
    from ...store.meta import meta_problem, set_aside
    from ...store.progress import start_over

    with ItemLock(folder):
        if problem := meta_problem(folder):
            aside = set_aside(folder)
            tell(f"{problem} It is kept as {aside.name}, and the analysis begins anew.")
        else:
            start_over(folder)
