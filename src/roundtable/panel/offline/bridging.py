"""Bridging: what of the text, and of what a persona has not said yet, truly bears on the user's words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

from ...core.turns import USER
from .calling import Hit, certain_hits
from .choosing import phrased
from .finding import bearing, bears, light, passage, telling
from .floor import Candidate, Floor
from .labels import raised_before
from .phrases import content, quote, without_address
from .reading import attributed
from .utterances import asks, utterances

_LONGEST_LINE = 110
_MOST_LINES = 2
_MOST_POINTS = 2
_MOST_WAYS = 8
_MANY = 3
_SHARED = 2
_LONGEST_MESSAGE = 2_000
_MOSTLY = 0.5
_BY_NAME = 9
"""What it counts that the user names the label itself."""


def lines(floor: Floor, words: str, *, claimed: bool = False) -> Iterator[dict[str, str]]:
    """The lines that bear on the user's words, as they are quoted."""
    for sentence in bearing(floor.reading, words, claimed=claimed)[:_MOST_LINES]:
        quoted = passage(sentence.text, words, _LONGEST_LINE)
        if quoted and floor.may_quote(sentence):
            yield {"quote": quoted, "says": attributed(sentence, quoted)}
    if claimed:
        yield from _own_words(floor, words)


def _own_words(floor: Floor, words: str) -> Iterator[dict[str, str]]:
    """What the user asked or said before, where it shares two telling words with what they say now."""
    told = frozenset(content(words)) - light()
    before = floor.table.turns[: floor.answered.number - 1] if floor.answered else ()
    for turn in reversed(before):
        if turn.speaker != USER or turn.verdict.off_topic is not None:
            continue
        for piece in utterances(turn.text[:_LONGEST_MESSAGE]):
            plain = without_address(piece, floor.first_names)
            if len(told.intersection(content(plain))) >= _SHARED:
                quoted = quote(plain, _LONGEST_LINE)
                yield {"quote": quoted, "says": f'you {"asked" if asks(plain) else "said"} "{quoted}"'}


def unsaid(floor: Floor, words: str) -> Iterator[Candidate]:
    """What the speaker has not said yet about an answer that the user's words speak of."""
    for hit in _on_answers(floor, words)[:_MOST_POINTS]:
        for candidate in phrased(floor, hit):
            if candidate.opposes is None:
                yield candidate


def _on_answers(floor: Floor, words: str) -> list[Hit]:
    """The probes on answers that hold most of what the user's words name, or whose label they name."""
    spoken = {made.probe.id for made in floor.made}
    rare, told = telling(floor.reading, words), set(content(words)) - light()
    found: list[tuple[float, Hit]] = []
    for hit in certain_hits(floor.reading, floor.library, floor.brief.speaker.key):
        if hit.probe.id in spoken or raised_before(hit, floor.reading):
            continue
        label = set(content(hit.probe.answer))
        if hit.probe.gap:
            # What nobody could answer is meant where its label is named.
            if label and label <= told:
                found.append((_BY_NAME, hit))
            continue
        near = [(bears(each.sentence.text, rare), each) for each in (hit, *hit.others)]
        shared, best = max(near, key=lambda each: each[0])
        if shared >= _MANY or (shared and shared >= _MOSTLY * len(told)):
            found.append((shared, replace(best, others=(), weight=hit.weight)))
    return [hit for _, hit in sorted(found, key=lambda each: (-each[0], -each[1].weight))]


def led(floor: Floor, use: str, values: Mapping[str, str], text: str) -> Iterator[Candidate]:
    """An opening for an occasion, and after it what bears on the user's words, said as such."""
    beside = [each.text for each in floor.stock("beside")] or [""]
    # After "close to it:" a sentence goes on in small letters.
    first = text.partition(" ")[0].strip(",:;'")
    proper = first in ("I", "I'd", "Option", "Given", *floor.first_names) or not first[1:].islower()
    inner = text if proper else text[:1].lower() + text[1:]
    for place, opening in enumerate(floor.stock(use, values)):
        yield Candidate(f"{opening.text} {beside[place % len(beside)]} {inner}")


def lined(floor: Floor, use: str, values: Mapping[str, str], said_of: str, words: str) -> Iterator[Candidate]:
    """An opening for an occasion with a line that bears on the user's words, then the opening alone."""
    for line in lines(floor, words, claimed=said_of == "bears"):
        openings = [each.text for each in floor.stock(use, values)]
        yield from islice(floor.joined(openings, said_of, line), _MOST_WAYS)
    taken = [each.lower() for each in values.values() if each]
    for candidate in floor.stock(use, values):
        # Alone it has to name what it speaks of.
        if any(each in candidate.text.lower() for each in taken):
            yield candidate
