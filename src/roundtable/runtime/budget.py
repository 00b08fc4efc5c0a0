"""What a model's words cost for one item: recorded in the ledger, compared with the budget."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path

from msgspec.structs import replace

from ..core.commands import Table
from ..core.errors import DiskFailed
from ..panel.model.conversation import Usage, forecast, price
from ..panel.model.panel import Call
from ..settings import Budget
from ..store import ledger
from ..store.files import timestamp
from ..store.ledger import Total, describe_total, show_dollars
from ..store.meta import read_meta

PriceOf = Callable[[str, Usage], Decimal | None]
_WARN = Decimal("0.8")
_WARN_TURNS = 2
_SYNTHESIS_OUTPUT = 700


class BudgetAccount:
    """Records what the calls for one item cost, and watches the budget."""

    def __init__(self, folder: Path, budget: Budget, *, price: PriceOf = price) -> None:
        self._folder, self._budget, self._price = folder, budget, price
        self._entries = list(ledger.read(folder))
        self._step = ""
        self._discussion: int | None = None
        self._last, self._model = Usage(), ""
        self._warned = False
        self._news: list[str] = []

    def record_call(self, call: Call) -> None:
        """Record a call that was sent, or is over; a full disk does not stop the discussion."""
        usage = call.usage
        money = self._price(call.model, usage)
        entry = ledger.LedgerEntry(
            timestamp(), call.model, call.purpose, self._step, self._discussion, usage.input, usage.output,
            usage.cached, usage.stored, usage.estimated, None if money is None else str(money), call.number,
        )  # fmt: skip
        self._entries.append(entry)
        if call.over and entry.has_usage:
            self._last, self._model = usage, call.model
        try:
            ledger.append(self._folder, entry)
        except DiskFailed as failure:
            if call.over:
                self.add_news(f"What this call used could not be noted. {failure.failed}")

    def add_news(self, text: str) -> None:
        """Keep a message for the user until `take_news` is called."""
        self._news.append(text)

    def take_news(self) -> tuple[str, ...]:
        """Return the messages kept since the last call."""
        news, self._news = tuple(self._news), []
        return news

    def enter_step(self, step_id: str, *, is_discussing: bool) -> None:
        """Book later calls to this step, and to a discussion if `is_discussing`."""
        self._step = step_id
        if not is_discussing:
            self._discussion = None
        elif self._discussion is None:
            self._discussion = len((read_meta(self._folder) or {}).get("elaborations", [])) + 1
            self._warned = False

    def find_exhausted_limit(self, turns: int) -> str | None:
        """Return why the discussion must end now to leave room for a synthesis; None if it may go on."""
        limits = tuple(self._limits(turns))
        for words in (words for used, _, most, words in limits if used >= most):
            return f"The budget for this discussion is used up ({words})"
        for used, near, _, words in limits:
            if used >= near and not self._warned:
                self._warned = True
                self.add_news(f"The budget for this discussion is nearly used up: {words}.")
        return None

    def end_discussion(self) -> str:
        """End the discussion and return what it and the item have used; empty if it used nothing."""
        here, item, self._discussion = self.discussion, self.item, None
        so_far = f" The item so far: {describe_total(item)}." if item.calls > here.calls else ""
        return f"This discussion used {describe_total(here)}.{so_far}" if here.calls else ""

    def describe_forecast(self, table: Table, model: str) -> str:
        """Return what a discussion may use, for the menu (MENU-6)."""
        turns = min(table.max_turns, self._budget.turns or table.max_turns)
        most = forecast(replace(table, max_turns=turns))
        money = self._price(model, most)
        cost = f", {show_dollars(money)} at most" if money is not None else ""
        tokens = round(most.input + most.output, -3)
        return f"Elaboration Mode with {model}: up to {turns} turns, about {tokens:,} tokens{cost}."

    def describe_spending(self) -> str:
        """Return what the item has used, in a few words."""
        item = self.item
        money = f", {show_dollars(item.money)}" if item.money is not None else ""
        return f"{item.tokens:,} tokens{money}" if item.calls else ""

    @property
    def discussion(self) -> Total:
        """What the current discussion has used."""
        calls = ledger.latest_entries(self._entries)
        return ledger.add_up(each for each in calls if each.discussion == (self._discussion or 0))

    @property
    def item(self) -> Total:
        """What the item has used in all."""
        return ledger.add_up(ledger.latest_entries(self._entries))

    def _limits(self, turns: int) -> Iterator[tuple[Decimal, Decimal, Decimal, str]]:
        """Yield each limit: the use with the synthesis to come, when to warn, the maximum, and a text."""
        budget, here, last = self._budget, self.discussion, self._last
        # The synthesis will need the conversation once more, and its own text.
        reserve = Usage(last.input, _SYNTHESIS_OUTPUT, last.cached, estimated=True) if last.input else Usage()
        if (most := budget.turns) is not None:
            yield Decimal(turns), Decimal(most - _WARN_TURNS), Decimal(most), f"{turns} of {most} turns"
        if (tokens := budget.tokens) is not None:
            used = Decimal(here.tokens + reserve.input + reserve.output)
            words = f"{here.tokens:,} of {tokens:,} tokens, with the synthesis to come"
            yield used, tokens * _WARN, Decimal(tokens), words
        if (money := budget.money) is not None and here.money is not None:
            words = f"{show_dollars(here.money)} of {show_dollars(money)}, with the synthesis to come"
            yield here.money + (self._price(self._model, reserve) or 0), money * _WARN, money, words
