"""Legs: where a session starts or is taken up again, from meta.json and the journals (GREET-5, GREET-6)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..catalogue import read_roster, read_steps
from ..core import commands as do
from ..core import events as on
from ..core.analysis import Analysis, Arrival, Opening, OpeningKind, Stage
from ..core.depth import choose_depth
from ..core.errors import ItemCorrupt, RuleBroken
from ..core.personas import Roster
from ..core.progress import Position, Progress, find_position
from ..core.steps import PHASES, Phase, Step
from ..git import current_commit
from ..store.items import draft_problem, read_item
from ..store.journal import Journal, Recorded, list_journals
from ..store.meta import has_meta, is_stale, missing_meta, meta_problem, read_meta
from ..store.parking import read_parked
from ..store.progress import facts_of, progress_of
from ..store.transcript import write_transcript

_ELABORATE = ".elaborate"


@dataclass(frozen=True, slots=True)
class Leg:
    """A leg of the analysis with its journal, and how it came to be."""

    journal: Journal
    analysis: Analysis
    commands: tuple[do.Command, ...]
    resumed: bool = False
    last_words: str | None = None
    warnings: tuple[str, ...] = ()


class Legs:
    """Finds the next leg of an item's analysis."""

    def __init__(self, root: Path, folder: Path, user_name: str | None = None) -> None:
        self._root = root
        self._folder = folder
        self._user_name = user_name
        self._previous: Phase | None = None
        self._warnings: list[str] = []
        self._has_meta = False

    def start(self) -> Leg:
        """Where the analysis stands: a discussion that was cut off, an open leg, or a new one."""
        if problem := draft_problem(self._folder):
            self._warnings.append(f"{problem} The item goes by the name of its folder.")
        for journal in list_journals(self._folder):
            if not journal.name.endswith(_ELABORATE):
                continue
            leg = self._replayed(journal)
            if leg is not None and leg.analysis.elaboration is not None:
                return self._found(leg)
            if leg is not None:
                self.close(journal)
        legs = [
            leg for journal in list_journals(self._folder) if (leg := self._replayed(journal)) is not None
        ]
        for leg in legs:
            if leg.analysis.stage is Stage.ENDED:
                # A kill, or a transcript that could not be written, left it behind.
                self.close(leg.journal)
        opened = next((leg for leg in legs if self._is_open(leg.analysis)), None)
        return self._found(opened) if opened is not None else self.next()

    def close(self, journal: Journal) -> None:
        """Remove the journal of a leg that is over, once each of its discussions has a transcript.

        DiskFailed where one is missing and cannot be written: the journal then stays.
        """
        self._keep_discussions(journal)
        journal.close()

    def next(self) -> Leg:
        """The leg that follows from meta.json, with the answers already given where it had been begun."""
        steps, roster, notices = self._content()
        meta = self._meta()
        progress, facts = progress_of(meta), facts_of(self._folder, meta)
        where = find_position(steps, progress, facts)
        if where is None:
            return self._begin(
                "finished", self._opening(meta, roster, steps, Position(PHASES[-1], None), notices)
            )
        opening = self._opening(meta, roster, steps, where, notices)
        name = where.step.step_id if where.step else f"{where.phase.number}-menu"
        begun = self._replayed(Journal(self._folder, name))
        if begun is not None and begun.analysis.opening.kind == "step" and self._is_open(begun.analysis):
            return self._found(begun)
        return self._begin(name, opening)

    def elaborate(self, step_id: str) -> Leg:
        """Straight to a roundtable on a completed step (MENU-5)."""
        opening = self._opening_at(step_id, "elaborate")
        for name in (step_id, step_id + _ELABORATE):
            leg = self._replayed(Journal(self._folder, name))
            if leg is None or not self._is_open(leg.analysis):
                continue
            if leg.analysis.elaboration is not None:
                return self._found(leg)
            # Who came to the table since that menu was shown takes part.
            if leg.analysis.stage is Stage.MENU and leg.analysis.opening.roster == opening.roster:
                leg.journal.append(on.UserSpoke("E"))
                after, commands = leg.analysis.receive(on.UserSpoke("E"))
                return Leg(leg.journal, after, commands)
        return self._begin(step_id + _ELABORATE, opening)

    def reopen(self, step_id: str) -> Leg:
        """A completed step again, from its first question; what later steps wrote stays."""
        opening = self._opening_at(step_id, "step")
        begun = self._replayed(Journal(self._folder, step_id))
        if begun is not None and _is_reopened(begun.analysis) and self._is_open(begun.analysis):
            return self._found(begun)
        return self._begin(step_id, opening)

    def _opening_at(self, step_id: str, kind: OpeningKind) -> Opening:
        """An opening at a step that must be complete."""
        steps, roster, notices = self._content()
        meta = self._meta()
        step = next((step for step in steps if step.step_id == step_id), None)
        phase = step.phase if step else None
        if step is None or phase is None:
            known = ", ".join(each.step_id for each in steps)
            raise RuleBroken(f"There is no step {step_id}. The steps are {known}.")
        if step_id not in meta["steps_completed"]:
            done = ", ".join(str(each) for each in meta["steps_completed"]) or "none yet"
            raise RuleBroken(f"Step {step_id} is not complete yet. Complete: {done}.")
        return self._opening(meta, roster, steps, Position(phase, step), notices, kind)

    def require_meta(self) -> None:
        """Raise ItemCorrupt where meta.json cannot be used, or was there before and is gone."""
        self._meta()

    # --- replaying --------------------------------------------------------------------------------------

    def _replayed(self, journal: Journal) -> Leg | None:
        """The leg that a journal holds; one that does not read or does not follow the rules is set aside."""
        try:
            recorded = journal.read()
            leg = None if recorded is None else _replay_events(journal, recorded)
        except ItemCorrupt as failure:
            self._warnings.append(str(failure))
        except RuleBroken as failure:
            aside = journal.set_aside()
            kept = f" It is kept as {aside.name}." if aside else ""
            self._warnings.append(f"The journal {journal.path.name} breaks the rules ({failure}).{kept}")
        else:
            if journal.has_meta and not has_meta(self._folder):
                raise missing_meta(self._folder)
            return leg
        return None

    def _is_open(self, analysis: Analysis) -> bool:
        """True where the journal and meta.json tell the same story."""
        opening, meta = analysis.opening, self._meta()
        if opening.kind == "finished" or analysis.stage is Stage.ENDED:
            return False
        done = opening.step is not None and opening.step.step_id in meta["steps_completed"]
        if analysis.saved or (analysis.stage is Stage.SAVED and done):
            running = analysis.elaboration is not None or opening.kind == "elaborate"
            over = opening.phase.key in meta["phases_completed"] and analysis.stage is not Stage.PHASE
            return (done or opening.step is None) and (running or not over)
        if _is_reopened(analysis):
            return done
        steps, _, _ = self._content()
        where = find_position(steps, progress_of(meta), facts_of(self._folder, meta))
        return where is not None and where.step is not None and where.step.step_id == analysis.step.step_id

    def _found(self, leg: Leg) -> Leg:
        self._previous = leg.analysis.opening.phase
        return Leg(leg.journal, leg.analysis, leg.commands, True, leg.last_words, self._take_warnings())

    def _keep_discussions(self, journal: Journal) -> None:
        """Write the transcripts that a journal alone still holds, before it goes."""
        leg = self._replayed(journal)
        for command in _failed_records(leg.journal) if leg is not None else ():
            write_transcript(self._folder, command, ", then ".join(journal.panels) or "unknown")

    # --- opening ----------------------------------------------------------------------------------------

    def _begin(self, name: str, opening: Opening) -> Leg:
        journal = Journal(self._folder, name)
        self._keep_discussions(journal)
        journal.begin(opening)
        self._previous = opening.phase
        analysis, commands = Analysis.begin(opening)
        return Leg(journal, analysis, commands, warnings=self._take_warnings())

    def _opening(
        self,
        meta: dict[str, Any],
        roster: Roster,
        steps: tuple[Step, ...],
        where: Position,
        notices: tuple[str, ...],
        kind: OpeningKind | None = None,
    ) -> Opening:
        progress, facts = progress_of(meta), facts_of(self._folder, meta)
        step = where.step or where.last
        depth = choose_depth(
            override=meta["depth_overrides"].get(where.phase.key),
            scope=facts.get("scope"),
            complexity=facts.get("complexity"),
            step=step.depth if step else "standard",
        )
        finished = where.step is None and progress.finished()
        return Opening(
            kind=kind or ("finished" if finished else "step" if where.step else "menu"),
            item=read_item(self._folder),
            roster=roster,
            steps=steps,
            phase=where.phase,
            step=step,
            progress=progress,
            facts=tuple(facts.items()),
            depth=depth,
            arrival=self._arrival(where.phase, progress),
            handed_over_by=_handed_over_by(roster, where.phase, progress),
            parked=read_parked(self._folder, where.step.step_id)
            if where.step and kind != "elaborate"
            else (),
            notices=(*notices, *where.warnings) if self._previous is None else where.warnings,
            moved_on=is_stale(meta.get("codebase_hash"), current_commit(self._root)),
            user_name=self._user_name,
        )

    def _arrival(self, phase: Phase, progress: Progress) -> Arrival:
        if self._previous is not None and self._previous.key == phase.key:
            return "continuing"
        begun = any(step_id[:2] == phase.number for step_id in progress.steps_completed)
        return "resumed" if begun else "new"

    def _content(self) -> tuple[tuple[Step, ...], Roster, tuple[str, ...]]:
        roster, persona_problems = read_roster(self._root)
        steps, step_problems = read_steps(self._root)
        return steps, roster, tuple(problem.text for problem in (*persona_problems, *step_problems))

    def _meta(self) -> dict[str, Any]:
        meta = read_meta(self._folder)
        if meta is not None:
            self._has_meta = True
            return meta
        problem = meta_problem(self._folder)
        if problem:
            raise ItemCorrupt(
                problem,
                saved="Nothing was changed.",
                do="Repair the file, or start over with `roundtable analyze ITEM --start-over`, "
                "which sets it aside.",
            )
        if self._has_meta:
            raise missing_meta(self._folder)
        return {"steps_completed": [], "phases_completed": [], "depth_overrides": {}, "elaborations": []}

    def _take_warnings(self) -> tuple[str, ...]:
        taken = tuple(self._warnings)
        self._warnings.clear()
        return taken


def _replay(journal: Journal, recorded: Recorded) -> Leg:
    analysis, commands = Analysis.begin(recorded.opening)
    words = None
    for event in recorded.events:
        if isinstance(event, on.Failed):
            continue
        analysis, commands = analysis.receive(event)
        words = event.text if isinstance(event, on.UserSpoke) and event.text.strip() else words
    return Leg(journal, analysis, commands, True, words)


def _failed_records(journal: Journal) -> Iterator[do.SaveRecord]:
    """Yield what was to be saved of each discussion whose record failed, from a journal that replays."""
    recorded = journal.read()
    if recorded is None:
        return
    analysis, commands = Analysis.begin(recorded.opening)
    for event in recorded.events:
        if isinstance(event, on.Failed):
            continue
        if isinstance(event, on.RecordFailed) and isinstance(commands[-1], do.SaveRecord):
            yield commands[-1]
        analysis, commands = analysis.receive(event)


def _is_reopened(analysis: Analysis) -> bool:
    """True for a step that was complete already when its leg began."""
    opening = analysis.opening
    completed = opening.progress.steps_completed
    return opening.kind == "step" and opening.step is not None and opening.step.step_id in completed


def _handed_over_by(roster: Roster, phase: Phase, progress: Progress) -> Phase | None:
    """The phase before, where it is complete and somebody else led it."""
    index = PHASES.index(phase)
    before = PHASES[index - 1] if index else None
    if before is None or before.key not in progress.phases_completed:
        return None
    led_by = roster.lead_of(before.key).persona
    return before if led_by.key != roster.lead_of(phase.key).persona.key else None
