"""Finds where a session starts or resumes, from meta.json and the journals (GREET-5, GREET-6)."""

from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ..catalogue import read_roster, read_tracks
from ..core import commands as do
from ..core import events as on
from ..core.analysis import Analysis, Arrival, Opening, OpeningKind, Stage
from ..core.elaboration import State
from ..core.errors import ItemCorrupt, RuleBroken
from ..core.lines import join_names, track_proposal
from ..core.personas import Roster
from ..core.progress import Position, Progress, analysis_status, choose_depth, find_position, steps_of_phase
from ..core.steps import PHASES, Item, Phase
from ..core.tracks import ItemTrack, Track, choose_track, list_all_steps
from ..git import current_commit, has_code_moved
from ..store import items, parking
from ..store import meta as records
from ..store.artifact import DRAFT, read_own_text
from ..store.files import JOURNAL_FOLDER
from ..store.journal import Journal, list_journals

_ELABORATE = ".elaborate"


class Leg(Struct):
    """The current leg of an analysis: its journal, the machine's state and the machine's commands."""

    journal: Journal
    analysis: Analysis
    commands: tuple[do.Command, ...]
    resumed: bool = False
    last_words: str | None = None
    warnings: tuple[str, ...] = ()

    def commit(self, event: on.Event, panel: str = "") -> None:
        """Check an event (RuleBroken changes nothing), journal it with the panel that spoke, and apply it."""
        analysis, commands = self.analysis.receive(event)
        # A leg that is left before its end stays as it is, and is resumed from its journal.
        if analysis.stage is Stage.ENDED or not isinstance(commands[-1], do.Advance):
            self.journal.append(event, panel)
        self.analysis, self.commands = analysis, commands

    @property
    def is_discussing(self) -> bool:
        return self.analysis.elaboration is not None

    @property
    def state(self) -> State | None:
        return self.analysis.elaboration.state if self.analysis.elaboration else None

    @property
    def can_wrap_up(self) -> bool:
        """Whether personas and user are talking, so that a synthesis may come next."""
        return self.state is State.DISCUSSION_LOOP


def read_leg(journal: Journal) -> Leg | None:
    """Return the leg that a journal holds, None if there is none; reading changes nothing.

    Raises ItemCorrupt if the journal is invalid or its events break the rules.
    """
    if (recorded := journal.read()) is None:
        return None
    try:
        leg = Leg(journal, *Analysis.begin(recorded[0]), resumed=True)
        for event in recorded[1]:
            if isinstance(event, on.UserSpoke) and event.text.strip():
                leg.last_words = event.text.strip()
            if isinstance(event, on.UserSpoke) and leg.analysis.chosen:
                # An earlier version refused a track in the middle of a step, and asked the question again.
                leg.analysis = replace(leg.analysis, stage=Stage.ANSWER, chosen=None)
            if not isinstance(event, on.Failed):  # it changes nothing
                leg.analysis, leg.commands = leg.analysis.receive(event)
    except RuleBroken as failure:
        raise journal.corrupt(f"breaks the rules ({failure})") from failure
    return leg


def replay_leg(journal: Journal) -> tuple[Leg | None, str]:
    """Repair a journal and return its leg; if it is unusable, set it aside and return the reason."""
    journal.repair()
    try:
        return read_leg(journal), ""
    except ItemCorrupt as failure:
        aside = journal.set_aside()
        kept = f" It is kept as {JOURNAL_FOLDER}/{aside.name}." if aside else ""
        return None, f"{failure.failed}{kept} {failure.saved} {failure.do}"


class Standing(Struct, frozen=True):
    """The state of an item: what meta.json, its text and the project's files say at one moment."""

    meta: dict[str, Any]
    item: Item
    chosen: ItemTrack
    tracks: tuple[Track, ...]
    roster: Roster
    problems: tuple[str, ...]
    progress: Progress
    facts: dict[str, str]
    position: Position | None  # what comes next; None if everything is done


class Resume:
    """Finds the next leg of an item's analysis, for a session that holds the item's lock."""

    def __init__(self, root: Path, folder: Path, user_name: str | None = None) -> None:
        self._root, self._folder, self._user_name = root, folder, user_name
        self._last: Opening | None = None
        self._has_meta = False
        self.warnings: list[str] = []  # shown when the next leg begins

    def start(self) -> Leg:
        """Return the leg to play: a discussion that was cut off, an open leg, or a new one."""
        if problem := read_own_text(self._folder, DRAFT)[1]:
            self.warnings.append(f"{problem} The item goes by the name of its folder.")
        legs = [leg for journal in list_journals(self._folder) if (leg := self._replay(journal.name))]
        opened = None
        # Separate roundtables on a completed step come first (MENU-5).
        for leg in sorted(legs, key=lambda leg: not leg.journal.name.endswith(_ELABORATE)):
            is_apart = leg.journal.name.endswith(_ELABORATE)
            if leg.analysis.stage is Stage.ENDED or (is_apart and not leg.is_discussing):
                leg.journal.close()  # a kill left it behind
            elif opened is None and (is_apart or _is_open(leg.analysis, self._look())):
                opened = leg
        if opened is None:
            return self.next()
        seated, roster = opened.analysis.opening.roster, self._look().roster
        if added := [persona.name for persona in roster.personas if persona.key not in seated]:
            self.warnings.append(f"{join_names(added)} will take part from the next step on.")
        return self._take_up(opened)

    def next(self) -> Leg:
        """Return the next leg according to meta.json, with its answers if it was begun before."""
        here = self._look()
        where = here.position
        if where is None:
            return self._begin("finished", self._open_at(here, Position(PHASES[-1], None)))
        name = where.step.step_id if where.step else f"{where.phase.number}-menu"
        begun = self._replay(name)
        if begun is not None and begun.analysis.opening.kind == "step" and _is_open(begun.analysis, here):
            return self._take_up(begun)
        return self._begin(name, self._open_at(here, where))

    def elaborate(self, step_id: str) -> Leg:
        """Return a leg that goes straight to a roundtable on a completed step (MENU-5)."""
        here = self._look()
        opening = self._open_at(here, _find_completed(here, step_id), "elaborate")
        for name in (step_id, step_id + _ELABORATE):
            leg = self._replay(name)
            if leg is None or not _is_open(leg.analysis, here):
                continue
            if leg.is_discussing:
                return self._take_up(leg)
            # At the step's own menu, undo reaches the discussion; a changed roster needs a new leg.
            if leg.analysis.stage is Stage.MENU and leg.analysis.opening.roster == opening.roster:
                leg.commit(on.UserSpoke("E"))
                return Leg(leg.journal, leg.analysis, leg.commands)
        return self._begin(step_id + _ELABORATE, opening)

    def reopen(self, step_id: str, *, asks_last: bool = False) -> Leg:
        """Return a leg for a completed or skipped step, at its start, its last question or where it was left.

        The texts of later steps stay.
        """
        here = self._look()
        opening = self._open_at(here, _find_completed(here, step_id, or_skipped=True), "step")
        if begun := self._replay(step_id):
            analysis = begun.analysis
            is_begun = _is_reopened(analysis) and not analysis.saved and _is_open(analysis, here)
            if is_begun or begun.is_discussing:  # what was said in a discussion is never overwritten
                return self._take_up(begun)
        return self._begin(step_id, replace(opening, asks_last=asks_last))

    def start_over(self) -> Leg:
        """Forget which steps and phases are complete, and return the first leg."""
        self._require_meta()
        records.start_over(self._folder)
        return self.next()

    def _replay(self, name: str) -> Leg | None:
        journal = Journal(self._folder, name)
        leg, problem = replay_leg(journal)
        if problem:
            self.warnings.append(problem)
        elif journal.has_meta and not records.has_meta(self._folder):
            raise records.missing_meta(self._folder)
        return leg

    def _take_up(self, leg: Leg) -> Leg:
        self._last = leg.analysis.opening
        leg.warnings, self.warnings = tuple(self.warnings), []
        return leg

    def _begin(self, name: str, opening: Opening) -> Leg:
        leg = Leg(Journal(self._folder, name), *Analysis.begin(opening))
        leg.journal.begin(opening)
        return self._take_up(leg)

    def _open_at(self, here: Standing, where: Position, kind: OpeningKind | None = None) -> Opening:
        """Return the opening of a leg at a place; without a kind, the place and the progress decide it."""
        track, progress, facts = here.chosen.track, here.progress, here.facts
        step, last = where.step or where.last, self._last
        overrides, own = here.meta.get("depth_overrides", {}), step.depth if step else "standard"
        depth = choose_depth(overrides, where.phase.key, facts, own, track.is_short)
        others, proposal = [each.key for each in here.tracks if each.key != track.key], ""
        if others and not kind and not here.chosen.is_chosen:
            told = (track.title, track.summary, here.chosen.word, others)
            proposal = track_proposal(*told, is_asked=track.is_short)
        is_begun = any(step_id[:2] == where.phase.number for step_id in progress.steps_completed)
        arrival: Arrival = "resumed" if is_begun else "new"
        begins = where.step if kind != "elaborate" else None
        finished = where.step is None and analysis_status(progress.phases_completed) == "analyzed"
        known = here.meta.get("codebase_hash")
        return Opening(
            kind=kind or ("finished" if finished else "step" if where.step else "menu"),
            item=here.item,
            roster=here.roster,
            steps=track.steps,
            phase=where.phase,
            step=step,
            progress=progress,
            facts=tuple(facts.items()),
            depth=depth,
            arrival="continuing" if last and (is_begun or last.phase == where.phase) else arrival,
            handed_over_by=_handed_over_by(here, where.phase),
            parked=parking.read_parked(self._folder, begins.step_id) if begins else (),
            notices=(*here.problems, *where.warnings) if last is None else where.warnings,
            moved_on=isinstance(known, str)
            and has_code_moved(self._root, known, current_commit(self._root), self._folder.parent),
            user_name=self._user_name,
            track=track.key,
            tracks=tuple(each.choice for each in here.tracks),
            proposal=proposal,
            is_short=track.is_short,
            is_depth_known=last is not None and last.depth == depth and last.phase != PHASES[0],
        )

    def _look(self) -> Standing:
        meta = self._require_meta()
        item = items.read_item(self._folder, meta)
        roster, persona_problems = read_roster(self._root)
        tracks, step_problems = read_tracks(self._root)
        problems = tuple(problem.text for problem in (*persona_problems, *step_problems))
        chosen, facts = choose_track(tracks, item, meta), records.facts_of(self._folder, meta)
        progress = records.progress_of(meta)
        where = find_position(chosen.track.steps, progress, facts)
        return Standing(meta, item, chosen, tracks, roster, problems, progress, facts, where)

    def _require_meta(self) -> dict[str, Any]:
        """Return meta.json, empty for a new item; raise ItemCorrupt if it is unusable or gone."""
        meta, problem = records.examine_meta(self._folder)
        if problem:
            do = "Repair the file, or set it aside with: roundtable analyze ITEM --start-over"
            raise ItemCorrupt(problem, saved="Nothing was changed.", do=do)
        if meta is None and self._has_meta:
            raise records.missing_meta(self._folder)
        self._has_meta = meta is not None
        return meta or {}


def _is_open(analysis: Analysis, here: Standing) -> bool:
    """Whether the leg can go on, according to meta.json."""
    opening, progress = analysis.opening, here.progress
    if opening.kind == "finished" or analysis.stage is Stage.ENDED:
        return False
    if analysis.chosen and analysis.chosen.key == here.meta.get("track"):
        return True  # it was killed when all but its end was on disk
    done = opening.step is not None and opening.step.step_id in progress.steps_completed
    if analysis.saved or (analysis.stage is Stage.SAVED and done):
        running = analysis.elaboration is not None or opening.kind == "elaborate"
        over = opening.phase.key in progress.phases_completed and analysis.stage is not Stage.PHASE
        return (done or opening.step is None) and (running or not over)
    if _is_reopened(analysis):
        return done == (analysis.step.step_id in opening.progress.steps_completed)
    where = here.position
    return where is not None and where.step is not None and where.step.step_id == analysis.step.step_id


def _is_reopened(analysis: Analysis) -> bool:
    """Whether the step was already complete, or skipped with its phase, when its leg began."""
    opening, progress = analysis.opening, analysis.opening.progress
    if opening.kind != "step" or opening.step is None:
        return False
    return opening.step.step_id in progress.steps_completed or opening.phase.key in progress.phases_completed


def _find_completed(here: Standing, step_id: str, *, or_skipped: bool = False) -> Position:
    """Return the position of a step; raise RuleBroken if it is unknown or not complete (or skipped)."""
    steps = dict.fromkeys((*here.chosen.track.steps, *list_all_steps(here.tracks)))
    step = next((step for step in steps if step.step_id == step_id), None)
    if step is None or step.phase is None:
        known = ", ".join(each.step_id for each in steps)
        raise RuleBroken(f"There is no step {step_id}. The steps are {known}.")
    completed = here.progress.steps_completed
    is_skipped = or_skipped and step.phase.key in here.progress.phases_completed
    if step_id not in completed and not is_skipped:
        done = ", ".join(completed) or "none yet"
        raise RuleBroken(f"Step {step_id} is not complete yet. Complete: {done}.")
    return Position(step.phase, step)


def _handed_over_by(here: Standing, phase: Phase) -> Phase | None:
    """Return the previous phase that has steps, if it is complete and another persona led it."""
    earlier, steps = PHASES[: PHASES.index(phase)], here.chosen.track.steps
    before = next((each for each in reversed(earlier) if steps_of_phase(steps, each)), None)
    if before is None or before.key not in here.progress.phases_completed:
        return None
    return before if here.roster.lead_of(before.key) != here.roster.lead_of(phase.key) else None
