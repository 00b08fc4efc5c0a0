"""Carries out a machine's commands with the panel and the store, and returns what happened."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import cached_property
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import to_builtins
from msgspec.structs import replace

from ..catalogue import read_tracks
from ..core import claims
from ..core import commands as do
from ..core import events as on
from ..core.errors import DiskFailed, ItemCorrupt, ItemLocked, PanelFailed, RuleBroken
from ..core.steps import PHASE_KEYS, Item, Step, is_markdown
from ..core.synthesis import UNVERIFIED
from ..core.text import clean_text
from ..core.tracks import list_all_steps
from ..core.turns import NEUTRAL, NOTHING_KNOWN, UNVERIFIED_NOTE, Known, Material
from ..core.voice import check_voice
from ..documents import drafting
from ..documents.page import mark_answer
from ..git import current_commit
from ..panel.base import AtStep, AtTable, Framing, LookUpPanel, Panel, PanelStopped, Speech
from ..store import files, items, outputs, parking, transcript, undo
from ..store import meta as records
from ..store.background import read_background
from .draft_answers import collect_offers, keep_answers
from .resume import Leg

if TYPE_CHECKING:
    from .surveyor import Surveyor

_MAX_CONTRIBUTION_LENGTH = 6_000
_MAX_TABLE_LENGTH = 400_000
_NOT_WRITTEN = "The discussion is not in the documents yet; every turn of it is kept in the journal."


class Executor:
    """Carries out commands for one item."""

    def __init__(
        self, root: Path, folder: Path, leg: Leg, panel: Panel | None, on_words: Callable[[str, str], None]
    ) -> None:
        """Without a panel, the offline one speaks; `on_words` receives a speaker's key and its words."""
        self._root, self._folder, self._journal = root, folder, leg.journal
        self._on_words = on_words
        self._has_meta = records.has_meta(folder)
        self._undo_log = undo.UndoLog(folder, lambda: self._moment)
        self.every_step = list_all_steps(read_tracks(root)[0])  # files of other tracks' steps are read too
        self._outputs = outputs.Outputs(folder, leg.analysis.opening.steps, self._undo_log, self.every_step)
        self.not_picked = set[Item]()  # a panel failed to pick their files; kept for all legs of a session
        self.set_panel(panel)

    def set_panel(self, panel: Panel | None) -> None:
        """Let this panel speak from now on; None means the offline one."""
        self.panel: Panel = LookUpPanel(lambda: panel or self._offline, lambda look: self._code.look(look))

    @cached_property
    def _offline(self) -> Panel:
        return make_offline_panel(self._root)

    @cached_property
    def _code(self) -> Surveyor:
        """Return the surveyor of the code; imported late, to show the first line soon."""
        from .surveyor import Surveyor

        return Surveyor(self._root, self._folder, self.not_picked)

    @property
    def _panel_names(self) -> str:
        """Return the panels' names: a discussion may begin with one panel and end with another."""
        return ", then ".join(dict.fromkeys((*self._journal.panels, self.panel.name)))

    async def carry_out(self, task: do.Command, aside: Callable[..., Awaitable[on.Event]]) -> on.Event:
        """Carry out a command and return what happened; raise PanelFailed if the panel fails.

        `aside` runs a function that only waits for the disk.
        """
        # Another branch was checked out: what is written now would go to the wrong place.
        if self._has_meta and not records.has_meta(self._folder):
            raise records.missing_meta(self._folder)
        match task:
            case do.AskFraming():
                return await self._frame(task)
            case do.AskPersona():
                return await self._speak(task)
            case do.AskVerdict():
                return await self._judge(task)
            case do.AskSynthesis():
                return await self._synthesise(task)
            case do.AskReading() | do.AskOffers() | do.AskFollowUp() | do.AskFeedback():
                return await self._answer_at_step(task)
            case do.AskDraft():
                return await self._draft(task)
            case _:
                return await aside(self.use_store, task)

    def use_store(self, task: do.Command) -> on.Event:
        """Carry out a command that uses the store, and return what happened."""
        match task:
            case do.ReadContext(step):
                return self.context(step)
            case do.SaveLimit(limit):
                return on.Saved(records.save_limit(self._folder, limit))
            case do.UpdateArtifacts() | do.SaveRecord():
                try:
                    if isinstance(task, do.SaveRecord):
                        return self._save_record(task)
                    return self._tell_changes(self._outputs.update(task))
                except DiskFailed as failure:
                    again = failure.do or files.AGAIN
                    raise DiskFailed(failure.failed, saved=_NOT_WRITTEN, do=again) from failure
            case do.WriteStep():
                return self._tell_changes(self._outputs.write_step(task))
            case do.WriteFeedback():
                return self._tell_changes(self._outputs.write_feedback(task))
            case do.WriteDrafts():
                return self._tell_changes(self._outputs.write_drafts(task))
            case do.UndoLast():
                return self._undo_last(task)
            case do.SaveProgress():
                return self._save_progress(task)
            case _:
                raise RuleBroken("A machine's answer must end in something to wait for.")

    async def _ask_at_table(self, ask: AtTable) -> tuple[Any, list[str], tuple[str, ...]]:
        """Return the panel's reply, its texts with marks, and notes for the transcript.

        The panel is asked once more if voice or claims are at fault (VOICE-2, ART-8).
        """
        brief, table, is_offline = ask.brief, ask.brief.table, self.panel.kind == "offline"
        speaker = brief.speaker
        free = brief.free or is_offline  # the offline panel asks (VOICE-6), and claims nothing
        heard: tuple[Any, list[str], tuple[str, ...]] = None, [], ()
        for _ in range(2):
            reply: Any = await self.panel.answer(ask, lambda piece: self._on_words(speaker.key, piece))
            if reply is None:
                return (None, [], ()) if brief.may_be_silent else heard
            # Kept apart: a refusal is recognised by how a text begins.
            said = (reply.summary, reply.focus_question) if isinstance(reply, Framing) else (reply.text,)
            texts, wrong = [*map(_bound_words, said)], list[str]()
            for at, text in enumerate(() if is_offline else texts):
                found = claims.check_contribution(text, speaker, table, self._code.lines_of)
                texts[at] = claims.mark_claims(text, found)
                wrong += (each.reason for each in found)
            voice = check_voice(" ".join(said), speaker, table, free=free)
            notes = [f"{each.kind}: {each.found} ({each.reason})" for each in voice]
            heard = reply, texts, (*notes, *(f"{UNVERIFIED_NOTE}{each}" for each in wrong))
            if not (notes or wrong):
                break
            ask = replace(ask, brief=replace(brief, again=(*notes, *dict.fromkeys(wrong))))
        return heard

    async def _frame(self, ask: do.AskFraming) -> on.Framed:
        framing, (summary, question), notes = await self._ask_at_table(ask)
        return on.Framed(summary, question, clean_text(framing.focus_topic).strip(), notes, framing.looked_up)

    async def _speak(self, ask: do.AskPersona) -> on.PersonaSpoke | on.PersonaPassed | on.SpeakerStopped:
        brief, key = ask.brief, ask.brief.speaker.key
        speech: Speech | None
        try:
            speech, texts, notes = await self._ask_at_table(ask)
        except PanelStopped:
            return on.SpeakerStopped()
        if speech is None and brief.may_be_silent:
            return on.PersonaPassed(key)
        if speech is None:
            raise PanelFailed(f"The {self.panel.name} panel had no words for {brief.speaker.name}.")
        judged = speech.judged and speech.judged.within(len(brief.table.turns))
        notes += (f"length: cut at {brief.most_words} words",) if speech.is_cut else ()
        verdict = speech.verdict.within(brief.number)
        return on.PersonaSpoke(key, texts[0], verdict, notes, judged, speech.looked_up)

    async def _judge(self, ask: do.AskVerdict) -> on.Judged:
        """Return the panel's verdict, or if it gives none, the local one as advice for the next speaker."""
        turn = ask.table.turns[-1]
        records.keep_corrections(self._folder, turn.text, relayed=turn.relayed)
        verdict = None
        with suppress(PanelFailed):
            verdict = await self.panel.answer(ask)
        found = verdict or await self._offline.answer(ask) or NEUTRAL
        return on.Judged(found.within(len(ask.table.turns)), advice=verdict is None)

    async def _synthesise(self, ask: do.AskSynthesis) -> on.Event:
        wrong: tuple[str, ...] = ()
        panel = self._offline if ask.is_extracted else self.panel
        try:
            draft = await panel.answer(ask)
        except PanelFailed as failure:
            return on.TaskFailed(str(failure))
        if panel.kind != "offline":
            # The first draft is sent back with the reasons; what is wrong in the second is marked.
            found, marked = claims.check_draft(draft, ask.table, self._code.lines_of)
            wrong = () if ask.problems else found
            draft = draft if wrong else marked
        at = self._instant(ask.table.step.step_id)
        return on.SynthesisDrafted(draft, at, ask.is_extracted, wrong, self.panel.kind == "host")

    async def _answer_at_step(self, task: AtStep) -> on.Event:
        if isinstance(task, do.AskFeedback):  # kept first, so that the panel sees them
            records.keep_corrections(self._folder, task.words, relayed=task.relayed)
        if self.panel.kind == "model":
            await self._code.ask_panel(task.brief.item, self.panel)
        task = replace(task, brief=await asyncio.to_thread(self._lay_out, task.brief))
        if isinstance(task, do.AskOffers):
            return on.Offered(await self._draft_answers(task))
        brief, is_reading = task.brief, isinstance(task, do.AskReading)
        if is_reading and not any(each.text.strip() for each in brief.documents):
            return on.PersonaReplied("")  # there is nothing to read (GREET-4)
        text = _bound_words(await self.panel.answer(task), may_be_empty=is_reading)
        if text and self.panel.kind != "offline":
            known = self._list_known(brief)
            found = claims.check_words(text, brief.persona, brief.roster, known, self._code.lines_of)
            text = claims.mark_claims(text, found)
        if not isinstance(task, do.AskFeedback):
            return on.PersonaReplied(text)
        speaker = brief.persona.key if task.aside else ""
        return on.FeedbackTaken(text, self._instant(brief.step.step_id), speaker)

    def _list_known(self, brief: do.StepBrief) -> list[str]:
        """Return what is known outside a discussion: the item, documents, answers."""
        answers = (each.text for each in brief.answers)
        return [brief.item.text, *chain.from_iterable(self._outputs.documents().items()), *answers]

    async def _draft(self, ask: do.AskDraft) -> on.Drafted:
        """Return the step's sections; each part of an answer that a host passed on is marked (ART-8)."""
        for answer in ask.brief.answers:
            # An accepted draft says what a panel thinks of the code, not what the user thinks.
            if not answer.offered:
                records.keep_corrections(self._folder, answer.text, relayed=answer.relayed)
        documents = await asyncio.to_thread(self._outputs.documents)
        # Earlier answers that are not asked for at this depth stay (STEP-5).
        stored = self._outputs.stored_answers(ask.brief.item.name)
        for step in self._outputs.steps:
            if not all(map(is_markdown, step.outputs)):
                bare = replace(ask.brief, step=step, answers=())
                standing = keep_answers(bare, stored, self._outputs.open_questions(step))
                self._outputs.adopt_data(step, drafting.draft(standing, documents))
        brief = keep_answers(ask.brief, stored, self._outputs.open_questions(ask.brief.step))
        answers = tuple(
            replace(each, text=mark_answer(each.text))
            if not each.unknown and (each.relayed or UNVERIFIED in each.text)
            else each
            for each in brief.answers
        )
        return on.Drafted(drafting.draft(replace(brief, answers=answers), documents))

    async def _draft_answers(self, task: do.AskOffers) -> tuple[on.Offer, ...]:
        """Return the panel's drafts if the step is new, and those of `collect_offers` for other labels."""
        item, step_id = task.brief.item, task.brief.step.step_id
        stored = await asyncio.to_thread(self._outputs.stored_answers, item.name)
        offers = await asyncio.to_thread(
            collect_offers, task, stored, lambda label: self._code.offer(item, step_id, label)
        )
        is_new = not task.brief.answers and not any(step == step_id for step, _ in stored)
        drafted = list(await self.panel.answer(task)) if is_new else []
        known = self._list_known(task.brief) if drafted else []
        for at, each in enumerate(drafted):
            is_wrong = claims.cites_missing_line(each.text, each.source, known, self._code.lines_of)
            if is_wrong and each.standing == "read":  # a missing line cannot have been read
                drafted[at] = replace(each, source="", standing="assumed", matters=True)
        names = {each.label for each in drafted}
        return (*drafted, *(each for each in offers if each.label not in names))

    def _lay_out(self, brief: do.StepBrief) -> do.StepBrief:
        if self.panel.kind == "offline":
            return replace(brief, documents=self._outputs.all_material())
        documents = self._outputs.all_material(limit=_MAX_TABLE_LENGTH)
        own_last = sorted(documents, key=lambda each: each.name in brief.step.outputs)
        return replace(brief, documents=tuple(own_last), known=self._read_known(brief.item, documents))

    def _read_known(self, item: Item, documents: tuple[Material, ...]) -> Known:
        known = read_background(self._root, self._folder, item, documents)
        excerpts = self._code.excerpts(item, documents)
        return replace(known, excerpts=excerpts, corrections=records.read_corrections(self._folder))

    def context(self, step: Step) -> on.ContextRead | on.TaskFailed:
        """Return the turn limit, the step's documents and transcripts, and the item's other documents."""
        try:
            material = self._outputs.material(step)
        except (DiskFailed, OSError) as failure:
            return on.TaskFailed(str(failure))
        own = {each.name for each in material}
        every = self._outputs.all_material(limit=_MAX_TABLE_LENGTH)
        others = transcript.read_transcripts(self._folder, step.step_id)
        others += tuple(each for each in every if each.name not in own)
        is_offline = self.panel.kind == "offline"
        known = NOTHING_KNOWN if is_offline else self._read_known(items.read_item(self._folder), every)
        return on.ContextRead(records.max_turns(records.read_meta(self._folder)), material, others, known)

    @property
    def _moment(self) -> str:
        """Return the name for noting changes: this leg and its next event, the same after a kill."""
        return f"{self._journal.moment} {self._journal.opened}"

    def _tell_changes(self, announcements: tuple[str, ...]) -> on.DocumentsWritten:
        """Return what to say about changes, and their moment, which is empty if none can be undone."""
        told = (*announcements, *self._undo_log.problems.values())
        self._undo_log.problems.clear()
        return on.DocumentsWritten(told, self._moment if self._undo_log.has_notes(self._moment) else "")

    def _undo_last(self, task: do.UndoLast) -> on.Undone:
        written, step_id = task.written, task.step.step_id
        what = {
            "section": f"what you last answered in step {step_id}",
            "feedback": "your feedback",
            "block": f"the discussion of step {step_id}",
        }[written.kind]
        try:
            announcements = undo.carry_out_undo(self._folder, self._undo_log.plan_undo(written.moment), what)
        except DiskFailed as failure:
            return on.Undone(False, (str(failure),))
        with records.edit_meta(self._folder) as meta:
            if written.first and step_id in meta["steps_completed"]:
                meta["steps_completed"].remove(step_id)
            if written.kind == "block":
                records.note_undone(meta, written.at)
        return on.Undone(True, announcements)

    def _save_record(self, task: do.SaveRecord) -> on.RecordSaved | on.TaskFailed:
        # Without a transcript nothing counts: DiskFailed ends the session, and the same command tries again.
        record, table = task.record, task.table
        path = transcript.write_transcript(self._folder, task, self._panel_names)
        try:
            parking.park_points(
                self._folder, task.parked, step_id=record.step_id, at=record.timestamp, steps=table.steps,
                roster=table.roster,
            )  # fmt: skip
            records.append_elaboration(self._folder, to_builtins(record))
        except (DiskFailed, ItemCorrupt, ItemLocked) as failure:
            return on.TaskFailed(str(failure))
        return on.RecordSaved(path)

    def _save_progress(self, task: do.SaveProgress) -> on.Saved:
        commit = current_commit(self._root) if task.phases else None
        with records.edit_meta(self._folder) as meta:
            steps, phases = meta["steps_completed"], meta["phases_completed"]
            steps += [task.step_id] if task.step_id and task.step_id not in steps else []
            phases += [key for key in PHASE_KEYS if key in task.phases and key not in phases]
            meta |= {"codebase_hash": commit} if commit else {}
            meta["depth_overrides"] |= [task.depth] if task.depth else []
            if task.track is not None:
                meta["track"] = task.track.key
                meta.pop("steps_not_needed", None)
                meta |= {"steps_not_needed": list(task.not_needed)} if task.not_needed else {}
                # A phase opens again if the new track has a step that the old one did not have.
                known = (*task.before, *steps)
                open_again = {step_id[:2] for step_id in task.track.steps if step_id not in known}
                meta["phases_completed"] = [key for key in phases if str(key)[:2] not in open_again]
        return on.Saved()

    def _instant(self, step_id: str) -> str:
        """Return the time now, or the first later one that no file contains: it identifies a block."""
        transcripts = (each.text for each in transcript.read_transcripts(self._folder, step_id))
        written = (str(records.read_meta(self._folder)), *self._outputs.documents().values(), *transcripts)
        return next(at for at in map(files.timestamp, count()) if not any(at in text for text in written))


def make_offline_panel(project: Path) -> Panel:
    """Return the offline panel with the project's own prompts; imported late, to show the first line soon."""
    from ..panel.offline import OfflinePanel

    return OfflinePanel(project)


def _bound_words(text: str, *, may_be_empty: bool = False) -> str:
    """Return words that are safe to show, cut to a limit; raise PanelFailed if there are none."""
    words = clean_text(text).strip()[:_MAX_CONTRIBUTION_LENGTH].strip()
    if not words and not may_be_empty:
        raise PanelFailed("The panel answered with nothing.")
    return words
