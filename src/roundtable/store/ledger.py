"""The ledger: what each call of a model has used, in the item's `.journal/` folder.

A call has a line when it is sent, with an estimate, and one with the same number when it is over; the last
counts. So a call that was broken off with the program is not lost.

No progress depends on it: without the file the analysis goes on, and only the earlier spending is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import Annotated

import msgspec

from . import files

NAME = "spent.log"
Tokens = Annotated[int, msgspec.Meta(ge=0)]
# As a Decimal is written; no call costs a billion dollars, and figures beyond reason cannot be added up.
Dollars = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{1,9}(\.[0-9]{1,60})?(E-[0-9]{1,2})?$")]


class LedgerEntry(msgspec.Struct, frozen=True):
    """One call: when, of which model, for what, in which step and discussion, its tokens and its price."""

    at: str
    model: str
    purpose: str
    step: str
    discussion: int | None
    input: Tokens
    output: Tokens
    cached: Tokens
    stored: Tokens
    estimated: bool
    money: Dollars | None
    number: str = ""
    """The same in all lines of one call; lines without one are calls of their own."""

    @property
    def has_usage(self) -> bool:
        """Whether the call was sent and not refused."""
        return bool(self.input or self.output)


class Total(msgspec.Struct, frozen=True):
    """What several calls have used, under the names that programs get."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    estimated: bool = False
    money: Decimal | None = None
    """What is known of the price in US dollars; None if no call has one."""

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


def append(folder: Path, entry: LedgerEntry) -> None:
    """Write a call to disk."""
    files.append(files.journal_folder(folder) / NAME, files.encode_record(entry))


def read(folder: Path) -> tuple[LedgerEntry, ...]:
    """Return the calls that were made for an item; lines that do not read are passed over."""
    return latest_entries(files.read_records(folder, NAME, LedgerEntry))


def latest_entries(entries: Iterable[LedgerEntry]) -> tuple[LedgerEntry, ...]:
    """Return the calls that used something, each as it was last recorded, in the order they were sent."""
    calls: dict[object, LedgerEntry] = {}
    for at, entry in enumerate(entries):
        calls[entry.number or at] = entry
    return tuple(entry for entry in calls.values() if entry.has_usage)


def add_up(entries: Iterable[LedgerEntry]) -> Total:
    """Return what the calls have used together."""
    found = tuple(entries)
    prices = [Decimal(entry.money) for entry in found if entry.money is not None]
    return Total(
        len(found),
        sum(entry.input for entry in found),
        sum(entry.output for entry in found),
        sum(entry.cached for entry in found),
        any(entry.estimated for entry in found),
        sum(prices, Decimal(0)) if prices else None,
    )


def describe_total(spent: Total) -> str:
    """Return what was used, for a person."""
    about = "about " if spent.estimated else ""
    calls = f"{spent.calls} {'call' if spent.calls == 1 else 'calls'}"
    cached = f" ({spent.cached_tokens:,} cached)" if spent.cached_tokens else ""
    money = f", {show_dollars(spent.money)}" if spent.money is not None else ""
    return f"{calls}, {about}{spent.input_tokens:,} tokens in{cached}, {spent.output_tokens:,} out{money}"


def show_dollars(money: Decimal) -> str:
    """Return an amount in US dollars, with as many digits as say something."""
    if money >= 1:
        return f"${money:,.2f}"
    return f"${money:.3f}" if money >= Decimal("0.001") or not money else "under $0.001"
