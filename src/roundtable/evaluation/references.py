"""References: whether a point that is ascribed to somebody at the table was made by then."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..core.turns import USER
from .discussion import Discussion, Trial
from .figure import Figure, count
from .wording import without_quotations

_SAID = (
    "said|says|raised|raises|asked|asks|named|names|proposed|proposes|suggested|suggests|put|mentioned"
    "|wrote|wants"
)
_TURN = re.compile(r"\bturn (?P<number>\d+)\b", re.IGNORECASE)


def measure(trials: Sequence[Trial]) -> Iterator[Figure]:
    """References to somebody who has not spoken, or to a turn that is not there."""
    discussions = [discussion for trial in trials for discussion in trial.discussions]
    references = sum(len(list(_all_references(discussion))) for discussion in discussions)
    found = [each for discussion in discussions for each in empty_references(discussion)]
    yield count("references to points not made", found, among=f"{references} references")


def empty_references(discussion: Discussion) -> Iterator[str]:
    """Every reference to a point that nobody has made yet."""
    for number, who, words in _all_references(discussion):
        earlier = discussion.turns[: number - 1]
        speakers = {turn.speaker for turn in earlier} | {str(turn.number) for turn in earlier}
        if who not in speakers:
            yield f"{discussion.script.name} turn {number}: {words}"


def _all_references(discussion: Discussion) -> Iterator[tuple[int, str, str]]:
    """The turn, whom or what it refers to, and the words around it."""
    for turn in discussion.turns:
        if turn.speaker == USER:
            continue
        text = without_quotations(turn.text).replace("’", "'")
        for persona in discussion.roster.personas:
            pattern = rf"\b{re.escape(persona.first_name)}(?:'s\b| (?:has |had )?(?:{_SAID})\b)"
            for found in re.finditer(pattern, text):
                yield turn.number, persona.key, _around(text, found)
        for found in _TURN.finditer(text):
            # A speaker may count its own turn: only what lies before can be referred to as a point.
            if int(found["number"]) != turn.number:
                yield turn.number, found["number"], _around(text, found)


def _around(text: str, found: re.Match[str]) -> str:
    return " ".join(text[max(0, found.start() - 30) : found.end() + 50].split())
