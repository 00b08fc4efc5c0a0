"""Recognition: which of many texts stand in some words, found by a few words in a row and not one by one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

_Known = TypeVar("_Known")
_WORD = re.compile(r"\w+")
_RUN = 4


@dataclass(frozen=True, slots=True)
class Index(Generic[_Known]):
    """Texts in small letters, each with what it is known for, by four words in a row that it holds."""

    by_run: dict[str, list[tuple[int, str, _Known]]] = field(default_factory=dict)
    short: list[tuple[int, str, _Known]] = field(default_factory=list)

    @classmethod
    def of(cls, texts: Iterable[tuple[str, _Known]]) -> Index[_Known]:
        """The index of some texts; where several stand in the same words, the first comes first."""
        made: Index[_Known] = cls()
        for place, (text, known) in enumerate(texts):
            # The first word of a piece between two slots may be half a word.
            words = _WORD.findall(text)[1 : _RUN + 1]
            there = made.by_run.setdefault(" ".join(words), []) if len(words) == _RUN else made.short
            there.append((place, text, known))
        return made

    def standing_in(self, said: str) -> Iterator[_Known]:
        """What is known for the texts that stand in some words, in small letters."""
        words = _WORD.findall(said)
        runs = {" ".join(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1)}
        found = [each for run in runs for each in self.by_run.get(run, ())]
        for _, text, known in sorted((*found, *self.short), key=lambda each: each[0]):
            if text in said:
                yield known
