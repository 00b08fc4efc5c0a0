"""Ids that stay with their text: FR-001, AC-001-01, NFR-001, US-001, ADR-001, E-001.

An entry that says the same as one that is known keeps its id, a new one gets the next free number, and the id
of one that went is never given to another: it is kept as withdrawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from .likeness import likeness, tokens

_SAME = 0.5


@dataclass(frozen=True, slots=True)
class Known:
    """An id that was given, and the text it was given to."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Given:
    """The ids of the entries, in their order, and what is known and no longer among them."""

    ids: tuple[str, ...]
    withdrawn: tuple[Known, ...] = ()


def give(
    prefix: str,
    texts: Sequence[str],
    known: Sequence[Known],
    *,
    taken: Iterable[str] = (),
    digits: int = 3,
    core: Callable[[str], str] = str,
) -> Given:
    """An id for each text: its own where it is known, else the next that was never given.

    `core` leaves the words of a text by which it is told from others.
    """
    pairs = _pairs([core(text) for text in texts], [core(entry.text) for entry in known], known)
    free = max((number_of(each) for each in (*(entry.id for entry in known), *taken)), default=0) + 1
    ids = []
    for index in range(len(texts)):
        if index in pairs:
            ids.append(known[pairs[index]].id)
        else:
            ids.append(f"{prefix}-{free:0{digits}}")
            free += 1
    kept = set(ids)
    gone = {entry.id: entry for entry in known if entry.id not in kept}
    return Given(tuple(ids), tuple(gone.values()))


def number_of(identity: str) -> int:
    """The last number of an id."""
    digits = identity.rpartition("-")[2]
    return int(digits) if digits.isdecimal() else 0


def _pairs(texts: Sequence[str], old: Sequence[str], known: Sequence[Known]) -> dict[int, int]:
    """Which text is which known entry, the most alike first, none twice."""
    words, old_words = [tokens(text) for text in texts], [tokens(text) for text in old]
    alike = []
    for index, text in enumerate(texts):
        for place, before in enumerate(old):
            closeness = 2.0 if text == before else likeness(words[index], old_words[place])
            if closeness >= _SAME:
                alike.append((-closeness, index, place))
    pairs: dict[int, int] = {}
    ids: set[str] = set()
    for _, index, place in sorted(alike):
        if index not in pairs and known[place].id not in ids:
            pairs[index] = place
            ids.add(known[place].id)
    return pairs
