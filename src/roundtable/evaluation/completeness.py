"""Completeness: whether the synthesis holds what the user decided and said, and nothing that was not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..core.synthesis import Entry
from .discussion import Discussion, Heard, Trial
from .figure import Bound, Figure, count, share
from .scripts import Kind
from .wording import content, sentences

_ENOUGH = 0.75
_STATED: tuple[Kind, ...] = ("statement", "objection", "decision")


def measure(trials: Sequence[Trial]) -> Iterator[Figure]:
    """Messages that were heard, decisions found and invented, statements lost."""
    heard = [(trial.first, each) for trial in trials for each in trial.first.heard]
    unheard = [
        f"{discussion.script.name}: {each.message.text}"
        for discussion, each in heard
        if each.turn is None and each.message.kind != "silence"
    ]
    yield count("messages that were not heard", unheard, among=f"{len(heard)} messages")
    cases: dict[bool, list[tuple[bool, str]]] = {True: [], False: []}
    for discussion, each in heard:
        if each.turn and each.message.kind == "decision":
            named = f"{discussion.script.name}: {each.message.text}"
            cases[each.message.cue].append((is_decided(discussion, each), named))
    plain = cases[False]
    remark = f"{sum(so for so, _ in plain)} of {len(plain)} that are only stated" if plain else ""
    yield share("decisions with a cue found", cases[True], Bound("at least", 95), remark=remark)
    entries = [case for trial in trials for case in _invented(trial.first)]
    yield share("decisions invented", entries, Bound("at most", 5))
    lost = [
        f"{discussion.script.name}: {each.message.text}"
        for discussion, each in heard
        if each.turn and each.message.kind in _STATED and not is_kept(discussion, each)
    ]
    stated = sum(each.message.kind in _STATED for _, each in heard)
    yield count("statements of the user lost", lost, among=f"{stated} statements")


def is_decided(discussion: Discussion, heard: Heard) -> bool:
    """True where the words of a decision stand in an entry that cites its turn."""
    wanted = content(heard.message.decision or heard.message.text)
    citing = _citing(discussion.draft.decisions, heard)
    return any(_covers(wanted, content(f"{entry.text} {entry.detail}")) for entry in citing)


def is_kept(discussion: Discussion, heard: Heard) -> bool:
    """True where what a message states stands in a decision or in an insight of the user."""
    stated = [piece for piece in sentences(heard.message.text) if not piece.endswith("?")]
    wanted = frozenset().union(*map(content, stated))
    citing = _citing((*discussion.draft.decisions, *discussion.draft.insights), heard)
    held = frozenset().union(*(content(f"{entry.text} {entry.detail}") for entry in citing))
    return _covers(wanted, held)


def _invented(discussion: Discussion) -> Iterator[tuple[bool, str]]:
    """Each decision of the synthesis, and whether no message decided it."""
    decided = {each.turn.number for each in discussion.heard if each.turn and each.message.decision}
    for entry in discussion.draft.decisions:
        yield decided.isdisjoint(entry.turns), f"{discussion.script.name}: {entry.text}"


def _citing(entries: Sequence[Entry], heard: Heard) -> list[Entry]:
    return [entry for entry in entries if heard.turn and heard.turn.number in entry.turns]


def _covers(wanted: frozenset[str], held: frozenset[str]) -> bool:
    return len(wanted & held) >= _ENOUGH * len(wanted)
