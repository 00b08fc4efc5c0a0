"""Search: the written lines that come closest to a question (BM25 over Snowball stems).

A line that comes close is shown with where it stands, never as the answer: ranking cannot tell that there is
none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property, lru_cache
from math import log

from msgspec import Struct

from ...core.text import fold_text
from .lexicon import content_stems, pattern, similar_stems, stems_of_list
from .section import SearchLine

MAX_LINES_SHOWN = 3
_K1, _B = 1.2, 0.6
_CONTEXT_WEIGHT = 0.4
"""What a word of the question that a line answers counts beside a word of the line itself."""
_SIMILAR_WEIGHT = 0.45
"""What a word that means nearly the same counts beside the word itself."""
_EXPECTED_WEIGHT = 1.6
_LEAST_SCORE = 1.0
_TWO = 2
# A line that holds the kind of thing that a question asks for is more likely to answer it.
_EXPECTED = (
    (
        re.compile(r"\bhow (?:many|much|big|large|far|high)\b|\bwhat (?:number|size|share|limit|amount)\b"),
        "number_answer",
    ),
    (
        re.compile(r"\bwhen\b|\bhow (?:long|often|soon|late|fast|quickly|old)\b|\bwhat time\b|\bdeadline\b"),
        "time_answer",
    ),
    (re.compile(r"\bwhy\b|\bwhat for\b|\bhow come\b|\breason\b"), "reason_answer"),
    (re.compile(r"\bwhere\b|\bwhich (?:file|place|part|module)\b"), "place_answer"),
)
_WISH = re.compile(r"\b(?:must|should|shall|needs?|wants?|wish\w*)\b", re.IGNORECASE)
_WANTED = re.compile(r"\b(?:which|what) \w+", re.IGNORECASE)
_WHO = re.compile(r"\bwho(?:m|se)?\b|\bwhich (?:person|people|role|team|user)\b")


@lru_cache(maxsize=8)
def find_closest_lines(question: str, lines: tuple[SearchLine, ...]) -> tuple[SearchLine, ...]:
    """Return the written lines that come closest to a question."""
    return LineIndex(lines).find_closest(question)


class LineIndex(Struct, frozen=True, dict=True):
    """Lines with their stems, ready to be ranked."""

    lines: tuple[SearchLine, ...]

    @cached_property
    def _rows(self) -> tuple[tuple[Counter[str], frozenset[str]], ...]:
        return tuple(
            (Counter(content_stems(line.text)), frozenset(content_stems(line.context))) for line in self.lines
        )

    @cached_property
    def _frequency(self) -> Counter[str]:
        return Counter(stem for counts, context in self._rows for stem in counts.keys() | context)

    @cached_property
    def _average(self) -> float:
        return sum(counts.total() for counts, _ in self._rows) / max(len(self._rows), 1) or 1.0

    def find_closest(self, question: str) -> tuple[SearchLine, ...]:
        """Return the lines that come closest to a question, best first; none where nothing comes close."""
        asked = tuple(dict.fromkeys(content_stems(question)))
        written = (stem for stem in asked if self._frequency[stem])
        rarest = max(written, key=self._rarity, default="")
        scored: list[tuple[bool, float, int]] = []
        for place, (line, (counts, context)) in enumerate(zip(self.lines, self._rows, strict=True)):
            score = self._score(asked, counts, context)
            if _holds_what_is_asked(question, line.text):
                score += _EXPECTED_WEIGHT
            # A line that only says the question again tells nothing.
            if score >= _LEAST_SCORE and frozenset(asked) != counts.keys():
                scored.append((rarest not in counts, -score, place))
        return _leave_out_echoes([self.lines[place] for *_, place in sorted(scored)])

    def _score(self, asked: Sequence[str], counts: Counter[str], context: frozenset[str]) -> float:
        length = _K1 * (1 - _B + _B * counts.total() / self._average)
        total = 0.0
        for stem in asked:
            count = counts[stem] or (_CONTEXT_WEIGHT if stem in context else 0.0)
            if count:
                total += self._rarity(stem) * count * (_K1 + 1) / (count + length)
            elif alike := similar_stems(stem) & counts.keys():
                total += _SIMILAR_WEIGHT * max(map(self._rarity, alike)) * (_K1 + 1) / (1 + length)
        return total

    def _rarity(self, stem: str) -> float:
        seen = self._frequency[stem]
        return log(1 + (len(self._rows) - seen + 0.5) / (seen + 0.5))


def answers_question(question: str, line: SearchLine) -> bool:
    """Whether a line holds every word of a question that carries a meaning, but for what is asked for."""
    asked = frozenset(content_stems(_WANTED.sub("", question)))
    held = frozenset(content_stems(line.text))
    is_wish = _WISH.search(line.text) and not _WISH.search(question)  # it says nothing of what there is
    is_told = len(asked) >= _TWO and not line.text.endswith("?") and not is_wish
    return bool(is_told) and all(stem in held or similar_stems(stem) & held for stem in asked)


def _leave_out_echoes(lines: Sequence[SearchLine]) -> tuple[SearchLine, ...]:
    """Return the first lines, without those that only say again what one of them says."""
    kept: list[SearchLine] = []
    for line in lines:
        stems = frozenset(content_stems(line.text))
        if len(kept) < MAX_LINES_SHOWN and not any(
            stems <= frozenset(content_stems(each.text)) for each in kept
        ):
            kept.append(line)
    return tuple(kept)


def _holds_what_is_asked(question: str, line: str) -> bool:
    asked = fold_text(question)
    if _WHO.search(asked):
        return not stems_of_list("person").isdisjoint(content_stems(line))
    return any(pattern(wanted).search(line) for asks, wanted in _EXPECTED if asks.search(asked))
