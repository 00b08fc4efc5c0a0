"""The ledger: what each call to a model has used, in the item's `.journal/` folder.

A call gets a line with an estimate when it is sent, and one with the same number when it is over.
"""

from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import Annotated

import msgspec

from . import files

_NAME = "spent.log"
Tokens = Annotated[int, msgspec.Meta(ge=0)]
# The text of a Decimal. No call costs a billion dollars, and absurd figures cannot be added up.
Dollars = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{1,9}(\.[0-9]{1,60})?(E-[0-9]{1,2})?$")]


class LedgerEntry(msgspec.Struct, frozen=True):
    """One call to a model: its time, purpose, step and discussion, its tokens and its price."""

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
    number: str

    @property
    def has_usage(self) -> bool:
        """Whether the call was sent and not refused."""
        return bool(self.input or self.output)


class Total(msgspec.Struct, frozen=True):
    """What several calls have used, with the field names of the JSON output; `money` is None if unknown."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    estimated: bool = False
    money: Decimal | None = None

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


def append(folder: Path, entry: LedgerEntry) -> None:
    """Append a call to the ledger."""
    files.append(files.journal_folder(folder) / _NAME, files.encode_record(entry))


def read(folder: Path) -> tuple[LedgerEntry, ...]:
    """Return the calls that were made for an item; unreadable lines are skipped."""
    return latest_entries(files.read_records(folder, _NAME, LedgerEntry))


def latest_entries(entries: Iterable[LedgerEntry]) -> tuple[LedgerEntry, ...]:
    """Return the calls that used something, each as it was last recorded, in the order they were sent."""
    calls = {entry.number or str(at): entry for at, entry in enumerate(entries)}
    return tuple(entry for entry in calls.values() if entry.has_usage)


def add_up(entries: Iterable[LedgerEntry]) -> Total:
    """Return what the calls have used in total."""
    found = tuple(entries)
    prices = [Decimal(entry.money) for entry in found if entry.money is not None]
    sums = [sum(getattr(entry, kind) for entry in found) for kind in ("input", "output", "cached")]
    money = sum(prices, Decimal(0)) if prices else None
    return Total(len(found), sums[0], sums[1], sums[2], any(entry.estimated for entry in found), money)


def describe_total(spent: Total) -> str:
    """Return the total in words."""
    about = "about " if spent.estimated else ""
    calls = f"{spent.calls} {'call' if spent.calls == 1 else 'calls'}"
    cached = f" ({spent.cached_tokens:,} cached)" if spent.cached_tokens else ""
    money = f", {show_dollars(spent.money)}" if spent.money is not None else ""
    return f"{calls}, {about}{spent.input_tokens:,} tokens in{cached}, {spent.output_tokens:,} out{money}"


def show_dollars(money: Decimal) -> str:
    """Return an amount in US dollars."""
    return f"${money:,.2f}" if money >= 1 else f"${money:.3f}"
