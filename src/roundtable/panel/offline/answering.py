"""Answering: what the book of replies holds for the user's words, and for whoever adds to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from .floor import Candidate, Floor
from .phrases import quote
from .probes import Probe
from .replybook import Call
from .traces import stems, traces
from .utterances import utterances

_LONGEST_AGAIN = 90
_MOST_CALLS = 6
_LEAST_WEIGHT = 10.0
_FIRST_WORDS = 8
"""How plainly a reply has to be called for, and among how many first words: what comes late is an aside."""
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


def _comes_early(call: Call, piece: str) -> bool:
    """True where the words that call for a reply begin among the first of a sentence."""
    told = stems(piece)
    firsts = {cue.removeprefix("^").partition(" ")[0] for cue in call.met}
    return any(word in firsts for word in told[:_FIRST_WORDS])


def _points(floor: Floor, pieces: Sequence[str], kind: str) -> Iterator[tuple[Probe, str]]:
    """The speaker's points that were not made yet, here or earlier, those called for most plainly first."""
    mine = {made.probe.id for made in floor.made if made.speaker == floor.brief.speaker.key}
    left = floor.reading.elaborated_low
    called = [
        (call.reply.own, call.weight, -place, call.reply)
        for place, piece in enumerate(pieces)
        for call in floor.library.book.called(traces(piece, floor.first_names), kind)
        if call.reply.own or (call.weight >= _LEAST_WEIGHT and _comes_early(call, piece))
    ]
    called.sort(key=lambda each: each[:3], reverse=True)
    for _, _, place, reply in called[:_MOST_CALLS]:
        probe = reply.probe(floor.brief.speaker.key)
        if probe and probe.id not in mine and not (left and probe.says[0].insight.fragment in left):
            yield probe, pieces[-place]
