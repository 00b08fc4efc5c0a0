"""The account: what a model's words cost for one item, kept in the ledger, held against the budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

from ..core.commands import Table
from ..core.errors import DiskFailed
from ..panel.model.conversation import forecast, price
from ..panel.model.model import Usage
from ..panel.model.panel import Call
from ..settings import UNLIMITED, Budget
from ..store import ledger
from ..store.files import timestamp
from ..store.ledger import Total, show_dollars, describe_total
from ..store.meta import read_meta

_WARN = Decimal("0.8")
_WARN_TURNS = 2
_SYNTHESIS_OUTPUT = 700


@dataclass(frozen=True, slots=True)
class _Limit:
    """How one limit of the budget stands, and how that is said."""

    spent: bool
    nearly: bool
    words: str


class Account:
    """The account of one item, for one run of the program."""

    def __init__(
        self,
        folder: Path,
        budget: Budget = UNLIMITED,
        *,
        price: Callable[[str, Usage], Decimal | None] = price,
    ) -> None:
        self._folder = folder
        self._budget = budget
        self._price = price
        self._entries = list(ledger.read(folder))
        self._step = ""
        self._discussion: int | None = None
        self._last, self._model = Usage(), ""
        self._warned = False
        self._news: list[str] = []

    # --- what the panel reports --------------------------------------------------------------------------

    def take(self, call: Call) -> None:
        """A call was sent, or is over; a disk that is full does not stop the discussion."""
        usage = call.usage
        money = self._price(call.model, usage)
        entry = ledger.LedgerEntry(
            timestamp(), call.model, call.purpose, self._step, self._discussion, usage.input, usage.output,
            usage.cached, usage.stored, usage.estimated, None if money is None else str(money), call.number,
        )  # fmt: skip
        self._entries.append(entry)
        if call.over and entry.used:
            self._last, self._model = usage, call.model
        try:
            ledger.append(self._folder, entry)
        except DiskFailed as failure:
            if call.over:
                self.tell(f"What this call used could not be noted. {failure.failed}")

    def tell(self, text: str) -> None:
        """Something that the user has to know at the next opportunity."""
        self._news.append(text)

    # --- what the session asks ---------------------------------------------------------------------------

    def enter(self, step_id: str, *, discussing: bool) -> None:
        """From now on calls are for this step, and for a discussion of it or not."""
        if discussing and self._discussion is None:
            meta = read_meta(self._folder) or {}
            self._discussion = len(meta.get("elaborations", [])) + 1
            self._warned = False
        elif not discussing:
            self._discussion = None
        self._step = step_id

    def news(self) -> tuple[str, ...]:
        """What is to be told since this was last asked."""
        news, self._news = tuple(self._news), []
        return news

    def over(self, turns: int) -> str | None:
        """Why the discussion has to end now, keeping what the synthesis needs; None where it has not."""
        limits = tuple(self._limits(turns))
        spent = next((limit for limit in limits if limit.spent), None)
        if spent is not None:
            return f"The budget for this discussion is used up ({spent.words})"
        nearly = next((limit for limit in limits if limit.nearly), None)
        if nearly is not None and not self._warned:
            self._warned = True
            self.tell(f"The budget for this discussion is nearly used up: {nearly.words}.")
        return None

    def close(self) -> str:
        """The discussion is over: what it and the item have used; empty where nothing was."""
        here, self._discussion = self.discussion, None
        if not here.calls:
            return ""
        item = self.item
        so_far = f" The item so far: {describe_total(item)}." if item.calls > here.calls else ""
        return f"This discussion used {describe_total(here)}.{so_far}"

    def forecast(self, table: Table, model: str) -> str:
        """What a discussion may use, for the menu (MENU-6)."""
        turns = min(table.max_turns, self._budget.turns or table.max_turns)
        most = forecast(replace(table, max_turns=turns))
        money = self._price(model, most)
        cost = f", {show_dollars(money)} at most" if money is not None else ""
        tokens = round(most.input + most.output, -3)
        return f"Elaboration Mode with {model}: up to {turns} turns, about {tokens:,} tokens{cost}."

    def spent(self) -> str:
        """What the item has used, in a few words."""
        item = self.item
        if not item.calls:
            return ""
        return f"{item.tokens:,} tokens" + (f", {show_dollars(item.money)}" if item.priced else "")

    @property
    def discussion(self) -> Total:
        """What the discussion in hand has used."""
        number = self._discussion
        entries = ledger.latest_entries(self._entries)
        return ledger.add_up(entry for entry in entries if number and entry.discussion == number)

    @property
    def item(self) -> Total:
        """What the item has used in all."""
        return ledger.add_up(ledger.latest_entries(self._entries))

    def _limits(self, turns: int) -> Iterator[_Limit]:
        budget, here = self._budget, self.discussion
        if (most := budget.turns) is not None:
            yield _Limit(turns >= most, turns >= most - _WARN_TURNS, f"{turns} of {most} turns")
        if (tokens := budget.tokens) is not None:
            needed = here.tokens + self._reserve.input + self._reserve.output
            words = f"{here.tokens:,} of {tokens:,} tokens, with the synthesis to come"
            yield _Limit(needed >= tokens, needed >= tokens * _WARN, words)
        if (money := budget.money) is not None and here.priced:
            cost = here.money + (self._price(self._model, self._reserve) or 0)
            words = f"{show_dollars(here.money)} of {show_dollars(money)}, with the synthesis to come"
            yield _Limit(cost >= money, cost >= money * _WARN, words)

    @property
    def _reserve(self) -> Usage:
        """What the synthesis will need: the conversation once more, and its own text."""
        if not self._last.input:
            return Usage()
        return Usage(self._last.input, _SYNTHESIS_OUTPUT, self._last.cached, estimated=True)
