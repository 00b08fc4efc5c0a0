"""Answering: what the book of replies holds for the user's words and for how they are put."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from zlib import crc32

from .asking import LONGEST, Asked
from .floor import Candidate, Floor
from .phrases import quote
from .probes import Probe
from .replybook import Reply
from .template import PICK, capital
from .traces import traces
from .utterances import utterances

_MOST_CALLS = 6
_MOST_OPENINGS = 3


def replied(floor: Floor, pieces: Sequence[str], kind: str, opening: str) -> Iterator[Candidate]:
    """What the speaker replies to one of the pieces of a message, after an opening that names it."""
    for probe, piece in _points(floor, pieces, kind):
        # One sentence is enough to say which words are meant.
        again = next(iter(utterances(piece)), piece)
        yield from _opened(floor, again, opening, probe)


def direct(floor: Floor, question: Asked, line: str = "") -> Iterator[Candidate]:
    """What the speaker answers to a question of this shape, in its words or after naming it and a line."""
    known = {"clause": question.clause, "when": question.when, "outcome": question.outcome}
    for probe in _unmade(floor, question.asked, "question", direct=True):
        text = probe.says[0].text
        if text.slots:
            said = text.fill({**known, PICK: floor.seed})
            if said:
                yield Candidate(f"{line} {capital(said)}".strip())
        else:
            yield from _opened(floor, question.asked, "opens-asked", probe, line)


def shaped(floor: Floor, words: str, said: str, to: str, opening: str) -> Iterator[Candidate]:
    """The speaker's point on words of their shape, after an opening that names what was said."""
    for probe in _unmade(floor, words, to, direct=False):
        yield from _opened(floor, said, opening, probe)


def _unmade(floor: Floor, words: str, to: str, *, direct: bool) -> Iterator[Probe]:
    """The speaker's points on the shape of words that were not made yet, in an order of this place's own."""
    found = (each for each in floor.library.book.shaped(words, to) if each.direct is direct)
    for reply in sorted(found, key=lambda each: (not each.own, crc32(f"{floor.seed}|{each.id}".encode()))):
        probe = _new(floor, reply)
        if probe:
            yield probe


def _new(floor: Floor, reply: Reply) -> Probe | None:
    """A reply as the speaker's point; None where it has none or made it before, here or in a document."""
    me, left = floor.brief.speaker.key, floor.reading.elaborated_low
    probe = reply.probe(me)
    if probe is None or any(made.probe.id == probe.id and made.speaker == me for made in floor.made):
        return None
    return None if left and probe.says[0].insight.fragment in left else probe


def _opened(floor: Floor, said: str, opening: str, probe: Probe, line: str = "") -> Iterator[Candidate]:
    """The point of a probe after the words that it is about, and after a line that bears on them."""
    text = capital(probe.says[0].text.fill({PICK: floor.seed}) or "")
    again = said if len(said) <= LONGEST else quote(said, LONGEST)
    again = again.rstrip(" ?.!").replace('"', "'")
    for before in islice(floor.stock(opening, {"asked": again, "claim": again}), _MOST_OPENINGS):
        # After a colon two more sentences would hang in the air.
        if not (line and before.text.endswith(":")):
            yield Candidate(" ".join(each for each in (before.text, line, text) if each))


def added(floor: Floor, pieces: Sequence[str], kind: str) -> Iterator[Candidate]:
    """What another adds to a reply: its own point on the same words."""
    for probe, _ in _points(floor, pieces, kind):
        yield Candidate(capital(probe.says[0].text.fill({PICK: floor.seed}) or ""))


def _points(floor: Floor, pieces: Sequence[str], kind: str) -> Iterator[tuple[Probe, str]]:
    """The speaker's points that were not made yet, here or earlier, those called for most plainly first."""
    if not floor.library.book.has_cues:
        return
    called = [
        (call.weight, -place, call.reply)
        for place, piece in enumerate(pieces)
        for call in floor.library.book.called(traces(piece, floor.first_names), kind)
    ]
    called.sort(key=lambda each: each[:2], reverse=True)
    for _, place, reply in called[:_MOST_CALLS]:
        probe = _new(floor, reply)
        if probe:
            yield probe, pieces[-place]
