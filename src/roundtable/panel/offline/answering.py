"""Answering: what the book of replies holds for the user's words, and for whoever adds to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from .floor import Candidate, Floor
from .phrases import quote
from .probes import Probe
from .traces import traces
from .utterances import utterances

_LONGEST_AGAIN = 90
_MOST_CALLS = 6
_MOST_OPENINGS = 3


def replied(floor: Floor, pieces: Sequence[str], kind: str, opening: str) -> Iterator[Candidate]:
    """What the speaker replies to one of the pieces of a message, after an opening that names it."""
    for probe, piece in _points(floor, pieces, kind):
        # One sentence is enough to say which words are meant.
        again = next(iter(utterances(piece)), piece)
        again = again if len(again) <= _LONGEST_AGAIN else quote(again, _LONGEST_AGAIN)
        said = again.rstrip(" ?.!").replace('"', "'")
        for before in islice(floor.stock(opening, {"asked": said, "claim": said}), _MOST_OPENINGS):
            yield Candidate(f"{before.text} {probe.says[0].text.text}")


def added(floor: Floor, pieces: Sequence[str], kind: str) -> Iterator[Candidate]:
    """What another adds to a reply: its own point on the same words."""
    for probe, _ in _points(floor, pieces, kind):
        yield Candidate(probe.says[0].text.text)


def _points(floor: Floor, pieces: Sequence[str], kind: str) -> Iterator[tuple[Probe, str]]:
    """The speaker's points that were not made yet, here or earlier, those called for most plainly first."""
    mine = {made.probe.id for made in floor.made if made.speaker == floor.brief.speaker.key}
    left = floor.reading.elaborated_low
    called = [
        (call.reply.own, call.weight, -place, call.reply)
        for place, piece in enumerate(pieces)
        for call in floor.library.book.called(traces(piece, floor.first_names), kind)
    ]
    called.sort(key=lambda each: each[:3], reverse=True)
    for _, _, place, reply in called[:_MOST_CALLS]:
        probe = reply.probe(floor.brief.speaker.key)
        if probe and probe.id not in mine and not (left and probe.says[0].insight.fragment in left):
            yield probe, pieces[-place]
