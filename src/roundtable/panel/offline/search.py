"""Search: the written lines that come closest to a question (BM25 over Snowball stems).

A line that comes close is shown with where it stands, never as the answer: ranking cannot tell that there is
none.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from math import log

from ...core.text import content_stems, fold_text
from .lexicon import pattern, similar_stems, stems_of_list
from .section import SearchLine

MAX_LINES_SHOWN = 3
_K1, _B = 1.2, 0.6
_SIMILAR_WEIGHT = 0.45
"""What a word that means nearly the same counts beside the word itself."""
_EXPECTED_WEIGHT = 1.6
_LEAST_SCORE = 1.0
# A line that holds the kind of thing that a question asks for is more likely to answer it.
_EXPECTED = (
    (re.compile(r"\bhow (?:many|much|big|large|far|high)\b|\bwhat (?:number|size|limit)\b"), "number_answer"),
    (re.compile(r"\bwhen\b|\bhow (?:long|often|soon|late|fast|old)\b|\bdeadline\b"), "time_answer"),
    (re.compile(r"\bwhy\b|\bwhat for\b|\breason\b"), "reason_answer"),
)
_WHO = re.compile(r"\bwho(?:m|se)?\b|\bwhich (?:person|people|role|team|user)\b")


@lru_cache(maxsize=8)
def find_closest_lines(question: str, lines: tuple[SearchLine, ...]) -> tuple[SearchLine, ...]:
    """Return the written lines that come closest to a question, best first, if any comes close."""
    asked = dict.fromkeys(content_stems(question))
    rows = [Counter(content_stems(line.text)) for line in lines]
    seen = Counter(stem for counts in rows for stem in counts)
    average = sum(counts.total() for counts in rows) / max(len(rows), 1) or 1.0

    def rarity(stem: str) -> float:
        return log(1 + (len(rows) - seen[stem] + 0.5) / (seen[stem] + 0.5))

    def score(line: SearchLine, counts: Counter[str]) -> float:
        length = _K1 * (1 - _B + _B * counts.total() / average)
        total = _EXPECTED_WEIGHT if _holds_what_is_asked(question, line.text) else 0.0
        for stem in asked:
            if count := counts[stem]:
                total += rarity(stem) * count * (_K1 + 1) / (count + length)
            elif alike := similar_stems(stem) & counts.keys():
                total += _SIMILAR_WEIGHT * max(map(rarity, alike)) * (_K1 + 1) / (1 + length)
        return total

    rarest = max((stem for stem in asked if seen[stem]), key=rarity, default="")
    pairs = zip(lines, rows, strict=True)
    scored = ((rarest not in row, -score(line, row), at) for at, (line, row) in enumerate(pairs))
    kept: list[int] = []
    for _, negative, place in sorted(scored):
        stems = rows[place].keys()
        # A line that only says again what the question or a better line says tells nothing.
        is_echo = stems == asked.keys() or any(stems <= rows[each].keys() for each in kept)
        if -negative >= _LEAST_SCORE and not is_echo and len(kept) < MAX_LINES_SHOWN:
            kept.append(place)
    return tuple(lines[place] for place in kept)


def _holds_what_is_asked(question: str, line: str) -> bool:
    asked = fold_text(question)
    if _WHO.search(asked):
        return not stems_of_list("person").isdisjoint(content_stems(line))
    return any(pattern(wanted).search(line) for asks, wanted in _EXPECTED if asks.search(asked))
