"""The book of replies: what each persona says to a message that speaks of certain things."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from math import log

from .probes import ANYBODY, Phrase, Probe
from .shapes import Shape, shape_of
from .template import Template

KINDS = ("question", "told", "decision")
"""What a reply may be to: a question, something stated or minded, a decision."""

FORM = "reply"
"""The form of what is said as a reply to what a message speaks of."""

SHAPED_FORM = "shaped"
"""The form of what is said as a reply to how a message is put: a way to an answer, not the answer."""

_LONGER = 0.4
"""How much more each further word of a cue shows."""

_MOST_KEPT = 32


@dataclass(frozen=True, slots=True)
class Group:
    """Ways to speak of one thing: concepts by their names, and cues."""

    concepts: frozenset[str]
    cues: frozenset[str]

    def is_met(self, traces: frozenset[str], spoken: Set[str]) -> bool:
        """True where one of its cues, or a concept that is spoken of, is in the message."""
        return not (self.cues.isdisjoint(traces) and self.concepts.isdisjoint(spoken))


@dataclass(frozen=True, slots=True)
class Reply:
    """To which kinds of message, what has to be spoken of there and what must not, and how each says it."""

    id: str
    to: frozenset[str]
    when: tuple[Group, ...]
    unless: Group
    says: Mapping[str, Mapping[str, str]]
    shape: str = ""
    """The shape of the messages it is to, whatever they speak of; empty for one that cues call for."""
    direct: bool = False
    """True where it answers a message of that shape; the others add a point to it."""
    own: bool = False
    """True for a reply that the project itself has written."""

    def probe(self, persona: str) -> Probe | None:
        """The reply as a point of a persona; None where that persona has none."""
        said = self.says.get(persona) or self.says.get(ANYBODY)
        if said is None:
            return None
        phrase = Phrase(
            form=SHAPED_FORM if self.shape else FORM,
            text=Template(said["text"]),
            handle=said["handle"],
            insight=Template(said["insight"]),
            open=Template(said["open"]) if "open" in said else None,
            action=Template(said["action"]) if "action" in said else None,
        )
        return Probe(id=f"reply.{self.id}", persona=persona, topics=(), says=(phrase,))


@dataclass(frozen=True, slots=True)
class Call:
    """A reply that a message calls for, and how plainly it does."""

    reply: Reply
    weight: float


@dataclass(frozen=True, eq=False)
class ReplyBook:
    """All replies, the words of the concepts that they name, and the shapes that they are to."""

    replies: tuple[Reply, ...] = ()
    concepts: Mapping[str, frozenset[str]] = field(default_factory=dict)
    shapes: tuple[Shape, ...] = ()

    def shaped(self, words: str, to: str) -> tuple[Reply, ...]:
        """The replies to the shape of a message, whatever it speaks of."""
        if (words, to) not in self._shapes_found:
            if len(self._shapes_found) >= _MOST_KEPT:
                self._shapes_found.clear()
            self._shapes_found[words, to] = shape_of(words, to, self.shapes) or ""
        return self._shaped.get(self._shapes_found[words, to], ())

    def called(self, traces: frozenset[str], kind: str) -> list[Call]:
        """The replies that a message of a kind calls for, the most plainly called for first."""
        return sorted(self._calls(traces, kind), key=lambda call: -call.weight)

    def _calls(self, traces: frozenset[str], kind: str) -> Iterator[Call]:
        spoken = {name: said for name, cues in self.concepts.items() if (said := cues & traces)}
        for reply in self.replies:
            if kind not in reply.to or reply.unless.is_met(traces, spoken.keys()):
                continue
            if all(group.is_met(traces, spoken.keys()) for group in reply.when):
                best = self._apart([self._met(group, traces, spoken) for group in reply.when])
                if best:
                    yield Call(reply, sum(weight for weight, _ in best))

    def _apart(self, met: list[list[tuple[float, str]]]) -> list[tuple[float, str]]:
        """For each group its weightiest cue with a word of its own; none where one group has no such cue."""
        used: set[str] = set()
        best = []
        for found in sorted(met, key=len):
            own = [each for each in found if not used.issuperset(_words(each[1]))]
            if not own:
                return []
            best.append(max(own))
            used |= _words(best[-1][1])
        return best

    def phrases(self, persona: str) -> Iterator[tuple[str, tuple[Probe, Phrase]]]:
        """Everything that a persona may say here, each after the text that it is known by."""
        for reply in self.replies:
            probe = reply.probe(persona)
            if probe is not None:
                yield probe.says[0].text.fragment, (probe, probe.says[0])

    def _met(
        self, group: Group, traces: frozenset[str], spoken: Mapping[str, frozenset[str]]
    ) -> list[tuple[float, str]]:
        """The cues of a group that are met, each with its weight."""
        found = [
            (self._weight(name) * _length(cue), cue)
            for name in group.concepts
            for cue in spoken.get(name, ())
        ]
        return found + [(self._weight(cue) * _length(cue), cue) for cue in group.cues & traces]

    def _weight(self, named: str) -> float:
        """What a cue or a concept shows: the more replies name it, the less."""
        return log(1 + self._called_for / self._counts.get(named, 1))

    @property
    def has_cues(self) -> bool:
        """True where words call for some of the replies."""
        return bool(self._called_for)

    @cached_property
    def _called_for(self) -> int:
        """How many replies have cues."""
        return sum(not reply.shape for reply in self.replies)

    @cached_property
    def _shapes_found(self) -> dict[tuple[str, str], str]:
        """The shapes of the last messages: everybody at the table asks for them."""
        return {}

    @cached_property
    def _shaped(self) -> Mapping[str, tuple[Reply, ...]]:
        """The replies by the shape that they are to."""
        found: dict[str, tuple[Reply, ...]] = {}
        for reply in self.replies:
            if reply.shape:
                found[reply.shape] = (*found.get(reply.shape, ()), reply)
        return found

    @cached_property
    def _counts(self) -> Mapping[str, int]:
        counts: dict[str, int] = {}
        for reply in self.replies:
            for named in {each for group in reply.when for each in (*group.concepts, *group.cues)}:
                counts[named] = counts.get(named, 0) + 1
        return counts


def _words(cue: str) -> frozenset[str]:
    return frozenset(cue.removeprefix("^").split()) - {"*"}


def _length(cue: str) -> float:
    return 1 + _LONGER * (len(_words(cue)) - 1)


def joined(books: Iterable[ReplyBook]) -> ReplyBook:
    """Several books as one; a reply with a known id replaces the earlier one."""
    replies: dict[str, Reply] = {}
    concepts: dict[str, frozenset[str]] = {}
    shapes: tuple[Shape, ...] = ()
    for book in books:
        replies.update((reply.id, reply) for reply in book.replies)
        concepts.update(book.concepts)
        # The first shape counts, and a project knows its own people best.
        own = {shape.id for shape in book.shapes}
        shapes = (*book.shapes, *(shape for shape in shapes if shape.id not in own))
    return ReplyBook(tuple(replies.values()), concepts, shapes)
