"""Carries out what a machine commands, with the panel and the store, and says what happened."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from itertools import chain, count
from pathlib import Path
from typing import Any, assert_never

from msgspec import to_builtins
from msgspec.structs import replace

from ..catalogue import read_tracks
from ..core import claims
from ..core import commands as do
from ..core import events as on
from ..core.citations import Code
from ..core.claims import UnverifiedClaim, mark_claims
from ..core.errors import DiskFailed, ItemCorrupt, ItemLocked, PanelFailed
from ..core.markers import ElaborationMarker, FeedbackMarker
from ..core.steps import PHASE_KEYS, Item, Step
from ..core.synthesis import UNVERIFIED, strip_mark
from ..core.text import clean_text
from ..core.tracks import list_all_steps
from ..core.turns import NEUTRAL, NOTHING_KNOWN, UNVERIFIED_NOTE, Known, Material
from ..core.voice import Violation, check_voice
from ..git import current_commit
from ..panel.base import Framing, Panel, PanelStopped, Speech
from ..store import meta as records
from ..store.artifact import is_markdown
from ..store.files import timestamp
from ..store.items import read_item
from ..store.outputs import Outputs
from ..store.parking import park_points
from ..store.transcript import find_discussion, read_transcripts, write_transcript
from ..store.undo import UndoLog, carry_out_undo
from .draft_answers import collect_offers, keep_answers
from .resume import Leg
from .surveyor import AtStep, LookUpPanel, Surveyor

StoreTask = (
    do.SaveLimit | do.UpdateArtifacts | do.SaveRecord | do.WriteStep | do.SaveStep | do.SaveDepth
    | do.WriteFeedback | do.UndoLast | do.WriteDrafts | do.SaveTrack | do.SavePhase
)  # fmt: skip
Task = (
    do.ReadContext | do.AskFraming | do.AskPersona | do.AskVerdict | do.AskSynthesis | do.ExtractSynthesis
    | do.AskDraft | AtStep | StoreTask
)  # fmt: skip
Claims = tuple[UnverifiedClaim, ...]
Faults = tuple[tuple[Violation, ...], Claims]

_MAX_CONTRIBUTION_LENGTH = 6_000
_MAX_TABLE_LENGTH = 400_000
_NOT_WRITTEN = "The discussion is not in the documents yet; every turn of it is kept in the journal."


class Executor:
    """Carries out commands for one item."""

    def __init__(
        self, root: Path, folder: Path, leg: Leg, panel: Panel | None, on_words: Callable[[str, str], None]
    ) -> None:
        """Without a panel, the offline one gives the words.

        `on_words` receives a speaker's key and a piece of its words, as they come.
        """
        self._journal = leg.journal
        self._on_words = on_words
        self._root = root
        self._folder = folder
        self._has_meta = records.has_meta(folder)
        self._undo_log = UndoLog(folder, lambda: self._moment)
        every_step = list_all_steps(read_tracks(root)[0])  # what the steps of other tracks wrote is read too
        self._outputs = Outputs(folder, leg.analysis.opening.steps, self._undo_log, every_step)
        self._surveyor = Surveyor(root, folder)
        self.panel: Panel = LookUpPanel(lambda: panel or self._offline, self._surveyor.look)

    @cached_property
    def _offline(self) -> Panel:
        return make_offline_panel(self._root)

    @cached_property
    def _code(self) -> Code:
        """Return the files that words are held against; imported late, to show a line soon."""
        from ..survey.files import CitedFiles

        cited = CitedFiles(self._root, self._folder)
        return Code(cited.count_lines, cited.read_lines, self._surveyor.has_name)

    @property
    def _panel_names(self) -> str:
        """Return who gave the words: a discussion may begin with one panel and end with another."""
        return ", then ".join(dict.fromkeys((*self._journal.panels, self.panel.name)))

    @property
    def _is_host(self) -> bool:
        """Whether another program gives the words."""
        return self.panel.kind == "host"

    def go_offline(self) -> None:
        """Let the offline panel give the words from now on."""
        self.panel = LookUpPanel(lambda: self._offline, self._surveyor.look)

    async def carry_out(self, task: Task) -> on.Event:
        """Do what is commanded and say what happened; a panel that fails raises PanelFailed."""
        match task:
            case do.ReadContext(step):
                return self.context(step)
            case do.AskFraming(brief):
                return await self._frame(brief)
            case do.AskPersona(brief):
                try:
                    return await self._speak(brief)
                except PanelStopped:
                    return on.SpeakerStopped()
            case do.AskVerdict():
                return await self._judge(task)
            case do.AskSynthesis() | do.ExtractSynthesis():
                return await self._synthesise(task)
            case do.AskReading() | do.AskOffers() | do.AskFollowUp() | do.AskFeedback():
                return await self._answer_at_step(task)
            case do.AskDraft():
                return await self._draft(task)
            case _:
                return self._write(task)

    # --- with the panel, at the table -------------------------------------------------------------------

    async def _frame(self, brief: do.Brief) -> on.Framed:
        """Return how the lead opens, with one more try if its claims are at fault (ART-8)."""

        async def ask(again: tuple[str, ...]) -> tuple[Framing, Claims, Claims]:
            framing = await self.panel.answer(do.AskFraming(replace(brief, again=again)))
            # Apart: a refusal is told by how the text begins.
            return framing, self._claims(framing.summary, brief), self._claims(framing.focus_question, brief)

        framing, in_summary, in_question = await ask(brief.again)
        if again := _reasons(in_summary + in_question):
            framing, in_summary, in_question = await ask(again)
        summary = mark_claims(_require_words(framing.summary), in_summary)
        question = mark_claims(_require_words(framing.focus_question), in_question)
        notes = _notes(self._violations(f"{summary} {question}", brief), in_summary + in_question)
        topic = clean_text(framing.focus_topic).strip()
        return on.Framed(summary, question, topic, notes, self._is_host, framing.looked_up)

    async def _speak(self, brief: do.Brief) -> on.PersonaSpoke | on.PersonaPassed:
        """Return a contribution, with one more try if voice or claims are at fault (VOICE-2, ART-8)."""
        key, may_pass = brief.speaker.key, brief.may_be_silent

        async def ask(again: tuple[str, ...]) -> Speech | None:
            request = do.AskPersona(replace(brief, again=again))
            return await self.panel.answer(request, lambda piece: self._on_words(key, piece))

        speech = await ask(brief.again)
        faults = self._find_faults(speech, brief)
        if any(faults):
            second = await ask((*_notes(faults[0]), *_reasons(faults[1])))
            if second is not None or may_pass:
                speech, faults = second, self._find_faults(second, brief)
        if speech is None and may_pass:
            return on.PersonaPassed(key)
        if speech is None:
            raise PanelFailed(f"The {self.panel.name} panel had no words for {brief.speaker.name}.")
        verdict = speech.verdict.within(brief.number) if speech.verdict != NEUTRAL else NEUTRAL
        judged = speech.judged.within(len(brief.table.turns)) if speech.judged is not None else None
        notes = (*speech.notes, *_notes(*faults))
        text = mark_claims(_require_words(speech.text), faults[1])
        return on.PersonaSpoke(key, text, verdict, notes, judged, speech.looked_up, self._is_host)

    def _find_faults(self, speech: Speech | None, brief: do.Brief) -> Faults:
        if speech is None:
            return (), ()
        return self._violations(speech.text, brief), self._claims(speech.text, brief)

    def _violations(self, text: str, brief: do.Brief) -> tuple[Violation, ...]:
        """Return what the voice check finds; the offline panel asks, so its questions are free (VOICE-6)."""
        table = brief.table
        names = [persona.first_name for persona in table.roster.personas]
        free = brief.free or self.panel.kind == "offline"
        known = (table.item.name, table.item.text, *(each.text for each in table.documents + table.material))
        return check_voice(text, brief.speaker, earlier=table.turns, names=names, free=free, known=known)

    def _claims(self, text: str, brief: do.Brief) -> Claims:
        """Return what cannot be verified in words of the table; the offline panel only quotes (ART-8)."""
        if self.panel.kind == "offline":
            return ()
        return claims.check_contribution(_bound_words(text), brief.speaker, brief.table, self._code)

    async def _judge(self, task: do.AskVerdict) -> on.Judged:
        """Return a verdict; if the panel gives none, the local one is advice for the next speaker."""
        turn = task.table.turns[-1]
        records.keep_corrections(self._folder, turn.text, relayed=turn.from_host)
        verdict = None
        with suppress(PanelFailed):
            verdict = await self.panel.answer(task)
        is_advice = verdict is None
        if verdict is None:
            verdict = await self._offline.answer(task) or NEUTRAL
        return on.Judged(verdict.within(len(task.table.turns)), advice=is_advice)

    async def _synthesise(
        self, task: do.AskSynthesis | do.ExtractSynthesis
    ) -> on.SynthesisDrafted | on.SynthesisFailed:
        step_id = task.table.step.step_id
        if isinstance(task, do.ExtractSynthesis):
            draft = await self._offline.answer(do.AskSynthesis(task.table))
            return on.SynthesisDrafted(draft, self._instant(step_id), extracted=True, from_host=self._is_host)
        try:
            draft = await self.panel.answer(task)
        except PanelFailed as failure:
            return on.SynthesisFailed(str(failure))
        at = self._instant(step_id)
        if self.panel.kind == "offline":
            return on.SynthesisDrafted(draft, at)
        # The first time it is sent back with the reasons; what is still wrong then is marked.
        wrong, marked = claims.check_draft(draft, task.table, self._code)
        if wrong and not task.problems:
            return on.SynthesisDrafted(draft, at, claims=wrong, from_host=self._is_host)
        return on.SynthesisDrafted(marked, at, from_host=self._is_host)

    # --- with the panel, at a step ----------------------------------------------------------------------

    async def _answer_at_step(self, task: AtStep) -> on.Event:
        step_id = task.brief.step.step_id
        if isinstance(task, do.AskReading | do.AskOffers) and self.panel.kind == "model":
            await self._surveyor.ask_panel(task.brief.item, self.panel)
        # Kept first, so that the panel sees them.
        if isinstance(task, do.AskFeedback):
            records.keep_corrections(self._folder, task.words, relayed=task.relayed)
        task = replace(task, brief=await asyncio.to_thread(self._lay_out, task.brief))
        match task:
            case do.AskReading():
                reading = replace(task, material=self._outputs.all_material())
                said = clean_text(await self.panel.answer(reading)).strip()
                return on.ArtifactsRead(self._mark_at_step(said, task.brief) if said else "")
            case do.AskOffers():
                return on.Offered(await self._draft_answers(task))
            case do.AskFollowUp():
                said = _require_words(await self.panel.answer(task))
                return on.FollowedUp(self._mark_at_step(said, task.brief))
            case do.AskFeedback():
                if task.aside:  # a question is answered from all that is written
                    task = replace(task, brief=replace(task.brief, documents=self._outputs.all_material()))
                reply = self._mark_at_step(_require_words(await self.panel.answer(task)), task.brief)
                speaker = task.brief.persona.key if task.aside else ""
                return on.FeedbackTaken(reply, self._instant(step_id), speaker)
            case _:
                assert_never(task)

    def _mark_at_step(self, text: str, brief: do.StepBrief) -> str:
        """Return words that are said outside a discussion, with a mark behind what cannot be verified."""
        if self.panel.kind == "offline":
            return text
        known = self._list_known(brief)
        found = claims.check_words(text, brief.persona, brief.roster, known, self._code)
        return mark_claims(text, (*found, *claims.check_code(text, _list_said(brief), known, self._code)))

    def _list_known(self, brief: do.StepBrief) -> list[str]:
        """Return what is known outside a discussion: the item, documents, answers."""
        answers = (answer.text for answer in brief.answers)
        return [brief.item.text, *chain.from_iterable(self._outputs.documents().items()), *answers]

    async def _draft(self, ask: do.AskDraft) -> on.Drafted:
        """Return the step's sections; every line with an answer that a host passed on is marked (ART-8)."""
        from ..documents.drafting import draft

        for answer in ask.brief.answers:
            # A draft that was taken as it is says what a panel thinks of the code, not the user.
            if not answer.offered:
                records.keep_corrections(self._folder, answer.text, relayed=answer.relayed)
        documents = await asyncio.to_thread(self._outputs.documents)
        # What was answered before and is not asked at this depth stays (STEP-5).
        stored = self._stored_answers(ask.brief.item)
        ask = keep_answers(ask, stored, self._outputs.open_questions(ask.brief.step))
        unheard = tuple(each.relayed or UNVERIFIED in each.text for each in ask.brief.answers)
        ask = _change_answers(ask, strip_mark, unheard)
        sections = draft(ask, documents)
        if not any(unheard):
            return on.Drafted(sections)
        # What reads the same with other words in place of the host's, so that ids stay, is not the host's.
        others = draft(_change_answers(ask, claims.blot_out, unheard), documents)
        flagged = draft(_change_answers(ask, claims.mark_new_lines, unheard), documents)
        data = {each.target: each for each in flagged if not is_markdown(each.target.output)}
        heard = claims.find_shared_lines([each.text for each in sections], [each.text for each in others])
        marked = tuple(
            data.get(each.target) or replace(each, text=claims.mark_new_lines(each.text, heard))
            for each in sections
        )
        return on.Drafted(marked, sections if marked != sections else ())

    async def _draft_answers(self, task: do.AskOffers) -> tuple[on.Offer, ...]:
        """Return the draft answers: those in the documents, else the panel's, else what a step names."""
        item, step_id = task.brief.item, task.brief.step.step_id
        stored = await asyncio.to_thread(self._stored_answers, item)
        offers = await asyncio.to_thread(
            collect_offers, task, stored, lambda label: self._surveyor.offer(item, step_id, label)
        )
        is_new = not task.brief.answers and not any(step == step_id for step, _ in stored)
        drafted = list(await self.panel.answer(task)) if is_new else []
        names = {each.label for each in drafted}
        known, said = self._list_known(task.brief) if drafted else [], _list_said(task.brief)
        for at, each in enumerate(drafted):
            is_wrong = claims.cites_wrongly(each.text, each.source, said, known, self._code)
            if is_wrong and each.standing == "read":  # what is not there was not read
                drafted[at] = replace(each, source="", standing="assumed", matters=True)
        return (*drafted, *(each for each in offers if each.label not in names))

    def _lay_out(self, brief: do.StepBrief) -> do.StepBrief:
        """Put everything on the table that is held about the item, if the panel can read it (TABLE-1)."""
        if self.panel.kind == "offline":
            return brief
        documents = self._outputs.all_material(limit=_MAX_TABLE_LENGTH)
        own = tuple(each for each in documents if each.name in brief.step.outputs)
        others = tuple(each for each in documents if each not in own)
        return replace(brief, documents=others + own, known=self._read_known(brief.item, documents))

    def _read_known(self, item: Item, documents: tuple[Material, ...]) -> Known:
        """Return what was decided and is open, what the user said of the code, and excerpts of it."""
        from ..store.background import read_background  # late: the offline panel does not need it

        known = read_background(self._root, self._folder, item, documents)
        excerpts = self._surveyor.excerpts(item, documents)
        return replace(known, excerpts=excerpts, corrections=records.read_corrections(self._folder))

    def _stored_answers(self, item: Item) -> dict[tuple[str, str], str]:
        from ..documents.answers import number_requirements, read_answers

        documents = self._outputs.documents()
        stored = self._outputs.stored_answers() | number_requirements(documents)
        return stored | read_answers(documents, item.name)

    def find_marked_steps(self, item: Item) -> tuple[str, ...]:
        """Return the steps with an answer that a host passed on and nobody has accepted yet (ART-8)."""
        stored = self._stored_answers(item).items()
        return tuple(sorted({step_id for (step_id, _), text in stored if UNVERIFIED in text}))

    # --- with the store ---------------------------------------------------------------------------------

    def context(self, step: Step) -> on.ContextRead | on.ContextUnreadable:
        """Return the turn limit, the step's documents, the item's others and the step's transcripts."""
        try:
            material = self._outputs.material(step)
        except (DiskFailed, OSError) as failure:
            return on.ContextUnreadable(str(failure))
        own = {each.name for each in material}
        every = self._outputs.all_material(limit=_MAX_TABLE_LENGTH)
        others = tuple(each for each in every if each.name not in own)
        known = NOTHING_KNOWN
        if self.panel.kind != "offline":
            known = self._read_known(read_item(self._folder), every)
        others = read_transcripts(self._folder, step.step_id) + others
        return on.ContextRead(records.max_turns(records.read_meta(self._folder)), material, others, known)

    def _write(self, task: StoreTask) -> on.Event:
        # Another branch was checked out: what is written now would go to the wrong place.
        if self._has_meta and not records.has_meta(self._folder):
            raise records.missing_meta(self._folder)
        match task:
            case do.SaveLimit(limit):
                return on.LimitSaved(records.save_limit(self._folder, limit))
            case do.UpdateArtifacts() | do.SaveRecord():
                try:
                    if isinstance(task, do.SaveRecord):
                        return self._save_record(task)
                    return on.ArtifactsUpdated(*self._tell_changes(self._outputs.update(task)))
                except DiskFailed as failure:
                    again = failure.do or "Run the same command again."
                    raise DiskFailed(failure.failed, saved=_NOT_WRITTEN, do=again) from failure
            case do.WriteStep():
                return on.DocumentsWritten(*self._tell_changes(self._outputs.write_step(task)))
            case do.WriteFeedback():
                return on.DocumentsWritten(*self._tell_changes(self._outputs.write_feedback(task)))
            case do.WriteDrafts():
                return on.DocumentsWritten(self._tell_changes(self._outputs.write_drafts(task))[0])
            case do.UndoLast():
                return self._undo_last(task)
            case do.SaveStep() | do.SaveDepth() | do.SaveTrack() | do.SavePhase():
                commit = current_commit(self._root) if isinstance(task, do.SavePhase) else None
                records.change_meta(self._folder, lambda meta: _note_progress(meta, task, commit))
                return on.Saved()
            case other:
                assert_never(other)

    @property
    def _moment(self) -> str:
        """Return what changes are noted under: this leg and its next event, the same after a kill."""
        return f"{self._journal.moment} {self._journal.opened}"

    def _tell_changes(self, announcements: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
        """Return what to say of changes, and their moment; empty if there is nothing to take back."""
        told = (*announcements, *self._undo_log.problems.values())
        self._undo_log.problems.clear()
        return told, self._moment if self._undo_log.has_notes(self._moment) else ""

    def _undo_last(self, task: do.UndoLast) -> on.Undone:
        """Take back what was written last, in the documents and in meta.json."""
        written, step_id = task.written, task.step.step_id
        answers = f"your answer on {written.label}" if written.label else f"the answers of step {step_id}"
        names = {
            "section": answers,
            "feedback": "your feedback",
            "block": f"the discussion of step {step_id}",
        }
        name = names[written.kind]
        try:
            announcements = carry_out_undo(self._folder, self._undo_log.plan_undo(written.moment), name)
        except DiskFailed as failure:
            return on.Undone(False, (str(failure),))

        def change(meta: dict[str, Any]) -> None:
            if written.first and step_id in meta["steps_completed"]:
                meta["steps_completed"].remove(step_id)
            if written.kind == "block":
                records.note_undone(meta, written.at)

        records.change_meta(self._folder, change)
        return on.Undone(True, announcements)

    def _save_record(self, task: do.SaveRecord) -> on.RecordSaved | on.RecordFailed:
        """Write the transcript, what was put off, and the record.

        Without a transcript nothing counts: DiskFailed ends the session before anything is journalled, and
        the same command tries again. A record that cannot be kept is said (META-7).
        """
        record, table = task.record, task.table
        path = write_transcript(self._folder, task, self._panel_names)
        try:
            park_points(
                self._folder, task.parked, step_id=record.step_id, at=record.timestamp, steps=table.steps,
                roster=table.roster,
            )  # fmt: skip
            records.append_elaboration(self._folder, to_builtins(record))
        except (DiskFailed, ItemCorrupt, ItemLocked) as failure:
            return on.RecordFailed(str(failure))
        return on.RecordSaved(path)

    def _instant(self, step_id: str) -> str:
        """Return this instant, or the first one after it that no discussion or feedback of the step bears.

        Blocks, transcripts and records are told apart by it: a second one at the same instant would be
        taken for the first, and dropped.
        """
        meta = records.read_meta(self._folder) or {}
        stamps = [each.get("timestamp") for each in meta.get("elaborations", []) if isinstance(each, dict)]
        documents = "".join(self._outputs.documents().values()).encode()
        kinds = (ElaborationMarker, FeedbackMarker)
        return next(
            at
            for at in map(timestamp, count())
            if at not in stamps
            and not any(kind(step_id, at).stands_in(documents) for kind in kinds)
            and not find_discussion(self._folder, step_id, at)
        )


def make_offline_panel(project: Path) -> Panel:
    """Return the offline panel with the project's own prompts; imported late, to show the first line soon."""
    from ..panel.offline import OfflinePanel

    return OfflinePanel(project)


def _change_answers(ask: do.AskDraft, change: Callable[[str], str], chosen: tuple[bool, ...]) -> do.AskDraft:
    """Return the request with other words in the answers that are chosen and known."""
    answers = tuple(
        replace(answer, text=change(answer.text)) if is_chosen and not answer.unknown else answer
        for answer, is_chosen in zip(ask.brief.answers, chosen, strict=True)
    )
    return replace(ask, brief=replace(ask.brief, answers=answers))


def _notes(found: tuple[Violation, ...], unverified: Claims = ()) -> tuple[str, ...]:
    """Return what the transcript says of a contribution."""
    return (
        *(f"{each.kind}: {each.found} ({each.reason})" for each in found),
        *(f"{UNVERIFIED_NOTE}{each.reason}" for each in unverified),
    )


def _list_said(brief: do.StepBrief) -> list[str]:
    """Return the user's own words at a step: the item, and what was answered."""
    own = (each.text for each in brief.answers if not each.offered)
    return [brief.item.name, brief.item.text, *own]


def _reasons(unverified: Claims) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.reason for each in unverified))


def _bound_words(text: str) -> str:
    return clean_text(text).strip()[:_MAX_CONTRIBUTION_LENGTH].strip()


def _require_words(text: str) -> str:
    """Return words as they may be shown: free of escape sequences, bounded, never empty."""
    words = _bound_words(text)
    if not words:
        raise PanelFailed("The panel answered with nothing.")
    return words


def _note_progress(
    meta: dict[str, Any], task: do.SaveStep | do.SaveDepth | do.SaveTrack | do.SavePhase, commit: str | None
) -> None:
    """Note in meta.json what was reached or chosen, each step and phase once."""
    steps, phases = meta["steps_completed"], meta["phases_completed"]
    match task:
        case do.SaveStep(step_id):
            steps += [step_id] if step_id not in steps else []
        case do.SaveDepth(phase, depth):
            meta["depth_overrides"][phase] = depth
        case do.SavePhase(phase, passed):
            phases += [key for key in PHASE_KEYS if key in (phase, *passed) and key not in phases]
            if commit:
                meta["codebase_hash"] = commit
        case do.SaveTrack(track, not_needed, before):
            meta["track"] = track.key
            meta.pop("steps_not_needed", None)
            if not_needed:
                meta["steps_not_needed"] = list(not_needed)
            # A phase opens again where the new track has a step that the old one had not.
            open_again = {step_id[:2] for step_id in track.steps if step_id not in (*before, *steps)}
            meta["phases_completed"] = [key for key in phases if str(key)[:2] not in open_again]
