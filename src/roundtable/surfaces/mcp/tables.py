"""Tables: one for each item in play, opened when it is asked for and let go of when nobody comes any more."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from functools import partial
from pathlib import Path

from ...core.errors import RoundtableError
from ...panel.base import Panel
from ...runtime.session import Session
from ...settings import Settings, user_name
from ...store.items import find_item
from .answers import Reader
from .table import Table

IDLE = 300.0
"""After so many seconds without a call an item is let go of, so that a terminal can take it up."""


class Tables:
    """The tables of one project, by the name of the item's folder."""

    def __init__(self, settings: Settings, *, idle: float = IDLE) -> None:
        self.settings = settings
        self._idle = idle
        self._name = user_name(settings)
        self._open: dict[str, Table] = {}
        self._readers: dict[str, Reader] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    @property
    def in_play(self) -> tuple[str, ...]:
        """The items that are held."""
        return tuple(self._open)

    def folder(self, item: str) -> Path:
        """The item's folder; ItemUnknown, with what there is, where the name fits none or several."""
        return find_item(self.settings.root, item, items_folder=self.settings.items_folder)

    def reader(self, table: Table) -> Reader:
        """Who reads the table's answers."""
        return self._readers.setdefault(table.slug, Reader())

    async def start(self, item: str, step: str | None) -> Table:
        """The item's table from the beginning of the story; with a step, at a roundtable on it."""
        slug = self.folder(item).name
        async with self._turns[slug]:
            table = self._open.get(slug)
            if table is not None and (step is not None or table.ended):
                await self._close(slug)
            self._readers[slug] = Reader()
            return await self._take(slug, step)

    async def take(self, session: str) -> Table:
        """The table of a session, which goes on where it stood where the server was started anew."""
        slug = self.folder(session).name
        async with self._turns[slug]:
            return await self._take(slug, None)

    async def leave(self, session: str) -> str:
        """Let go of an item; its name is returned."""
        slug = self.folder(session).name
        async with self._turns[slug]:
            await self._close(slug)
        return slug

    async def close(self) -> None:
        """Let go of everything."""
        for slug in list(self._open):
            await self._close(slug)

    async def _take(self, slug: str, step: str | None) -> Table:
        table = self._open.get(slug)
        if table is None or table.failure is not None:
            table = self._open[slug] = Table(partial(self._session, slug, step))
        self._touch(slug)
        try:
            await table.open()
        except RoundtableError:
            await self._close(slug)
            raise
        return table

    def _session(self, slug: str, step: str | None, panel: Panel) -> Session:
        settings = self.settings
        return Session(
            settings.root, slug, step=step, panel=panel, user_name=self._name,
            items_folder=settings.items_folder,
        )  # fmt: skip

    async def _close(self, slug: str) -> None:
        timer = self._timers.pop(slug, None)
        if timer is not None:
            timer.cancel()
        table = self._open.get(slug)
        if table is not None:
            await table.close()
            self._open.pop(slug, None)

    def _touch(self, slug: str) -> None:
        if slug in self._timers:
            self._timers[slug].cancel()
        loop = asyncio.get_running_loop()
        self._timers[slug] = loop.call_later(self._idle, self._let_go, slug)

    def _let_go(self, slug: str) -> None:
        closing = asyncio.ensure_future(self._close_idle(slug))
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)

    async def _close_idle(self, slug: str) -> None:
        async with self._turns[slug]:
            table = self._open.get(slug)
            if table is not None and table.waiting:
                self._touch(slug)
            else:
                await self._close(slug)
