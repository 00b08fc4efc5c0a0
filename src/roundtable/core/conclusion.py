"""The moves that end an elaboration: the synthesis is checked, added and recorded (rules SYN, META-5)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from . import commands as do
from . import events as on
from . import lines, synthesis
from .lines import Line, LineKind
from .states import Awaited, State

if TYPE_CHECKING:
    from .elaboration import Answer, Elaboration

Shown = tuple[do.Command, ...]


def show(
    now: Elaboration, kind: LineKind, text: str, speaker: str | None = None, turn: int | None = None
) -> do.Show:
    return do.Show(Line(kind, text, speaker, turn, now.state))


def synthesize(now: Elaboration, exit_type: synthesis.Exit, shown: Shown) -> Answer:
    after = replace(
        now, state=State.SYNTHESIS, awaits=Awaited.DRAFT, exit_type=exit_type, due=(), held=None, attempts=1
    )
    return after, (*shown, do.AskSynthesis(after.table))


def synthesis_failed(now: Elaboration, event: on.SynthesisFailed) -> Answer:
    after = replace(now, attempts=now.attempts + 1)
    if now.attempts == 1:
        return after, (do.AskSynthesis(now.table, (event.reason,)),)
    return after, (show(now, "notice", lines.EXTRACTED), do.ExtractSynthesis(now.table))


def drafted(now: Elaboration, event: on.SynthesisDrafted) -> Answer:
    wrong = synthesis.problems(event.draft, now.turns)
    if wrong and now.attempts == 1 and not event.extracted:
        return replace(now, attempts=2), (do.AskSynthesis(now.table, wrong),)
    draft = synthesis.settle(event.draft, now.turns)
    after = replace(now, draft=draft, at=event.at, extracted=event.extracted)
    if not draft.entries:
        takeaway = f"Key takeaway: {synthesis.summary(draft, now.step.title)}"
        return _persist(after, (show(now, "synthesis", takeaway),))
    block = synthesis.render(
        draft, step_id=now.step.step_id, title=now.step.title, roster=now.roster, turns=now.turns,
        exit_type=_exit_type(now),
    )  # fmt: skip
    marker = synthesis.marker(now.step.step_id, event.at)
    update = do.UpdateArtifacts(now.step, marker, block, synthesis.description(draft))
    return replace(after, awaits=Awaited.ARTIFACTS), (show(now, "synthesis", block), update)


def updated(now: Elaboration, event: on.ArtifactsUpdated) -> Answer:
    return _persist(now, tuple(show(now, "update", text) for text in event.announcements))


def _persist(now: Elaboration, shown: Shown) -> Answer:
    draft = now.draft or synthesis.Draft()
    record = do.Record(
        now.step.step_id, len(now.turns), now.roster.keys, now.at or "",
        synthesis.summary(draft, now.step.title),
    )  # fmt: skip
    after = replace(now, state=State.STATE_PERSIST, awaits=Awaited.RECORD)
    save = do.SaveRecord(record, now.table, draft, _exit_type(now), now.parked, now.extracted)
    return after, (*shown, save)


def saved(now: Elaboration, event: on.RecordSaved) -> Answer:
    put_off = tuple(point.subject for point in now.parked)
    text = lines.recorded(len(now.turns), event.transcript, put_off)
    return replace(now, awaits=Awaited.NOTHING), (show(now, "saved", text), do.Return())


def record_failed(now: Elaboration, event: on.RecordFailed) -> Answer:
    after = replace(now, awaits=Awaited.NOTHING)
    return after, (show(now, "error", lines.RECORD_FAILED), do.Return())


def _exit_type(now: Elaboration) -> synthesis.Exit:
    return now.exit_type or "user-initiated"
