"""A project and its items, for every surface: what there is, how far it is, what is open, who speaks.

What few commands need is imported late, so that listing the items does not load the machine.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from .catalogue import load_roster, load_steps, read_personas, read_tracks
from .core.errors import ItemUnknown, RoundtableError, RuleBroken
from .core.progress import Progress, find_position, is_skipped
from .core.steps import Step
from .core.tracks import FEATURE, choose_track, list_all_steps
from .git import current_commit, has_code_moved
from .store import items, ledger, meta
from .store.files import MAX_LOG_SIZE, journal_home, read_journal_file
from .store.items import ITEMS_FOLDER, ItemEntry

if TYPE_CHECKING:
    from .catalogue.files import Problem
    from .core.analysis import Analysis
    from .core.elaboration import Elaboration
    from .core.personas import Roster
    from .documents.handoff import HandOff
    from .documents.questions import OpenQuestion
    from .item_check import ItemReport
    from .panel.base import Panel
    from .runtime.budget import BudgetAccount
    from .runtime.session import Session
    from .settings import Settings
    from .store.provenance import LineOrigin
    from .store.undo import ElaborationUndo

HandOffForm = Literal["page", "agent", "pr", "spec-kit"]
"""For whom a hand-off is written."""
StepState = Literal["done", "current", "ahead", "not needed", "skipped"]
"""How a step stands for an item; skipped is one whose phase ended without it."""
# The events that every discussion begins with, and ends with.
_BEGINNING, _ENDS = b'"ContextRead"', (b'"RecordSaved"', b'"RecordFailed"')


class BacklogRow(Struct, frozen=True):
    """An item in the list, under the names that programs get."""

    slug: str
    title: str
    analysis_status: str
    steps_completed: int
    steps: int
    elaborations: int
    last_activity: str | None
    stale: bool
    problem: str | None

    @property
    def state(self) -> str:
        """The status in words for a person."""
        return f"{self.analysis_status}, stale" if self.stale else self.analysis_status


class ItemStatus(Struct, frozen=True):
    """All that can be said of an item's progress."""

    entry: ItemEntry
    steps: tuple[tuple[Step, StepState], ...]
    """The steps of the track that the item follows."""
    progress: Progress
    start: meta.StartPhase
    next_step: Step | None
    is_stale: bool
    """Whether the code has moved on since the last phase was completed."""
    discussion: Elaboration | None
    """The discussion that was begun and not ended."""
    calls: tuple[ledger.LedgerEntry, ...]
    """What models were asked for the item."""

    @property
    def steps_done(self) -> int:
        return sum(state == "done" for _, state in self.steps)

    @property
    def steps_needed(self) -> int:
        return sum(state != "not needed" for _, state in self.steps)

    @property
    def taken_back(self) -> tuple[str, ...]:
        """The instants of the discussions that were taken back."""
        return tuple(map(str, meta.list_undone(self.entry.meta)))

    @property
    def cost(self) -> str:
        """What models have used for the item, in words for a person; empty if none was asked."""
        return ledger.describe_total(ledger.add_up(self.calls)) if self.calls else ""

    @property
    def next(self) -> str:
        """What comes next, in words for a person."""
        if self.entry.problem:
            return "repair meta.json, or begin anew and keep it aside"
        if step := self.next_step:
            return f"step {step.step_id}, {step.title}{f' ({step.phase.name})' if step.phase else ''}"
        return (
            f"the menu of phase {self.start.next[:2]}"
            if self.start.next
            else "nothing, all phases are complete"
        )

    def to_data(self) -> dict[str, Any]:
        """Return the status as programs get it."""
        talk = self.discussion
        open_talk = talk and {"step": talk.step.step_id, "turn": len(talk.turns), "max_turns": talk.max_turns}
        return {
            "slug": self.entry.slug,
            "title": self.entry.title,
            "folder": str(self.entry.folder),
            "source": self.entry.item.source,
            "source_id": self.entry.item.source_id or None,
            "analysis_status": self.entry.analysis_status,
            "phases_completed": list(self.progress.phases_completed),
            "steps_completed": list(self.progress.steps_completed),
            "next": self.next,
            "next_step": self.next_step.step_id if self.next_step else None,
            "start_phase": to_builtins(self.start),
            "elaborations": len(self.progress.elaborations),
            "stale": self.is_stale,
            "discussion": open_talk,
            "spent": to_builtins(ledger.add_up(self.calls)) if self.calls else None,
            "problem": self.entry.problem,
        }


class Project:
    """The project in a folder, with its items."""

    def __init__(
        self,
        root: Path | str,
        *,
        items_folder: str = ITEMS_FOLDER,
        command: Callable[..., str] = lambda *words: shlex.join(("roundtable", *words)),
    ) -> None:
        """`command` words the commands that people are advised to give, as they are given on the surface."""
        self.root = Path(root)
        self.items_folder = items_folder
        self.command = command
        self.add_one = f"Add one with: {command('add', 'what it is about')}"

    def roster(self) -> Roster:
        """Return the personas at the project's table."""
        return load_roster(self.root)

    def steps(self) -> tuple[Step, ...]:
        """Return the steps of the project's analyses, in their order."""
        return load_steps(self.root)

    def check_personas(self) -> tuple[int, tuple[Problem, ...]]:
        """Return how many personas the project has, and what is wrong with their files and own prompts."""
        from .panel.offline.prompts import read_project_prompts

        personas, problems = read_personas(self.root)
        _, more = read_project_prompts(self.root)
        return len(personas), (*problems, *more)

    def check_steps(self) -> tuple[int, tuple[Problem, ...]]:
        """Return how many steps the project's analyses have, and what is wrong with their files."""
        tracks, problems = read_tracks(self.root)
        return len(next(each.steps for each in tracks if each.key == FEATURE)), problems

    def items(self) -> tuple[ItemEntry, ...]:
        """Return every item, by the name of its folder."""
        return items.list_items(self.root, items_folder=self.items_folder)

    def find_item(self, name: str) -> ItemEntry:
        """Return the one item that answers to a slug, source id, title or beginning of a slug.

        Raises ItemUnknown if there is none, or more than one.
        """
        return items.find_entry(self.root, name, items_folder=self.items_folder, add_one=self.add_one)

    def open_items(self) -> tuple[ItemEntry, ...]:
        """Return the items whose analysis is not complete; all of them if every one is."""
        found = self.items()
        unfinished = (each for each in found if each.analysis_status != "analyzed")
        return tuple(unfinished) or found

    def find_open_item(self) -> ItemEntry:
        """Return the one item that is open; ItemUnknown if there is none, or more than one."""
        match self.open_items():
            case (entry,):
                return entry
            case ():
                raise ItemUnknown("There is no item yet.", do=self.add_one)
            case entries:
                raise ItemUnknown("Several items are open.", do=f"Name one of: {items.list_names(entries)}.")

    def names_issue(self, text: str) -> bool:
        """Whether the text names an issue of a tracker, instead of describing an item."""
        from .trackers import parse_reference

        return parse_reference(text) is not None

    def add_item(self, text: str, *, title: str | None = None, relayed: bool = False) -> ItemEntry:
        """Add an item with this text, or the issue that it names; an issue with a title is not looked up.

        `relayed` where a host gave title and text, and the user has not accepted them in a form.
        Raises RuleBroken if the issue is here already, TrackerFailed if its tracker does not give it.
        """
        from .trackers import parse_reference

        source, source_id = "manual", None
        if reference := parse_reference(text):
            text, source, source_id = "", reference.source, reference.source_id
            for entry in self.items():
                if (entry.meta.get("source"), entry.meta.get("source_id")) == (source, source_id):
                    raise RuleBroken(
                        f"{source_id} is already here: {entry.slug}. Nothing was added. "
                        f"Go on with: {self.command('analyze', entry.slug)}"
                    )
            if relayed and title is not None:
                raise RuleBroken(
                    f"With a title, {source_id} is not looked up. Nothing was added. "
                    "Leave out the title, or add the item by its text."
                )
            if title is None:
                from .trackers.issues import fetch_issue  # late: most items are words, and need no network

                issue = fetch_issue(reference, self.root, os.environ)
                text, title, relayed = issue.text, issue.title, False
        folder = items.add_item(
            self.root,
            text,
            title=title,
            source=source,
            source_id=source_id,
            items_folder=self.items_folder,
            commit=current_commit(self.root),
            relayed=relayed,
        )
        return self.find_item(folder.name)

    def remove_item(self, name: str) -> ItemEntry:
        """Delete an item with all its files and return what it was; a link is removed, never followed."""
        entry = self.find_item(name)
        items.remove_item(entry.folder)
        return entry

    def rename_item(self, name: str, title: str) -> ItemEntry:
        """Give an item another title, and its folder the name that follows from it; return it."""
        return self.find_item(items.rename_item(self.find_item(name).folder, title).name)

    def list_progress(self) -> tuple[BacklogRow, ...]:
        """Return one short row for each item: how far it is and when it was last worked on."""
        rows = []
        for entry, steps, is_stale in self._look_at(self.items()):
            progress = meta.progress_of(entry.meta)
            row = BacklogRow(
                slug=entry.slug,
                title=entry.title,
                analysis_status=entry.analysis_status or "corrupt",
                steps_completed=sum(step.step_id in progress.steps_completed for step in steps),
                steps=len(steps),
                elaborations=len(progress.elaborations),
                last_activity=items.last_activity(entry.folder),
                stale=is_stale,
                problem=entry.problem,
            )
            rows.append(row)
        return tuple(rows)

    def status(self, item: str | ItemEntry) -> ItemStatus:
        """Return all that can be said of an item's progress; an open discussion stays as it is."""
        (found,) = self.report([self.find_item(item) if isinstance(item, str) else item])
        return found

    def report(self, entries: Iterable[ItemEntry]) -> tuple[ItemStatus, ...]:
        """Return the status of each of these items."""
        return tuple(_read_status(*each) for each in self._look_at(entries))

    def _look_at(self, entries: Iterable[ItemEntry]) -> Iterator[tuple[ItemEntry, tuple[Step, ...], bool]]:
        """Yield each item with the steps of its track, and whether the code has moved on since."""
        tracks, commit = read_tracks(self.root)[0], current_commit(self.root)
        for entry in entries:
            known, home = entry.meta.get("codebase_hash"), entry.folder.parent
            is_stale = isinstance(known, str) and has_code_moved(self.root, known, commit, home)
            yield entry, choose_track(tracks, entry.item, entry.meta).track.steps, is_stale

    def check(self, name: str) -> ItemReport:
        """Return what is wrong with an item's documents and records, and which questions are open."""
        from .item_check import check_item

        return check_item(self.root, self.find_item(name).folder, self._every_step(), self.roster())

    def _every_step(self) -> tuple[Step, ...]:
        """Return the steps of all tracks: an item may have followed another one before."""
        return list_all_steps(read_tracks(self.root)[0])

    def list_questions(self, name: str) -> tuple[OpenQuestion, ...]:
        """Return every question that the item's documents leave or left open, in the order of the steps."""
        from .store.outputs import read_questions

        return read_questions(self.find_item(name).folder, self._every_step(), self.roster())

    def open_questions(self, name: str) -> tuple[OpenQuestion, ...]:
        """Return the questions that nobody has answered and no later decision settles (ART-9)."""
        return tuple(each for each in self.list_questions(name) if each.is_open)

    def count_open_questions(self) -> dict[str, int]:
        """Return how many questions each item leaves open, by slug."""
        from .store.outputs import read_questions

        steps, roster = self._every_step(), self.roster()
        found = {entry.slug: read_questions(entry.folder, steps, roster) for entry in self.items()}
        return {slug: sum(each.is_open for each in questions) for slug, questions in found.items()}

    def answer_question(self, name: str, number: int, answer: str) -> tuple[OpenQuestion, str]:
        """Answer the open question of a number, counted from 1; return it, and the file that has the answer.

        Raises RuleBroken, and changes nothing, where there is no such question or no answer.
        """
        from .store.lock import ItemLock
        from .store.outputs import write_answer

        folder = self.find_item(name).folder
        with ItemLock(folder):
            found = self.open_questions(name)
            if not 1 <= number <= len(found):
                raise RuleBroken(
                    f"There is no open question {number}; there are {len(found)}. Nothing was changed."
                )
            question = found[number - 1]
            return question, write_answer(folder, self._every_step(), question, answer)

    def hand_off(self, name: str) -> HandOff:
        """Return what the item's documents say to whoever builds it, each point with its source."""
        from .store.outputs import read_hand_off
        from .survey.files import CitedFiles

        entry = self.find_item(name)
        lines_of = CitedFiles(self.root, entry.folder).count_lines
        status = self.status(entry)
        found = read_hand_off(entry.folder, self._every_step(), self.roster(), lines_of)
        return replace(found, steps_done=status.steps_done, steps=status.steps_needed)

    def find_issue(self, name: str, issue: str) -> tuple[str, Callable[[str], str]]:
        """Return how the issue is called that was named, else the item's own, and what comments on it.

        That puts a text there and returns its address. RuleBroken where there is no issue.
        """
        from .trackers import JiraReference, parse_reference
        from .trackers.issues import post_comment

        entry = self.find_item(name)
        found = parse_reference(issue or str(entry.meta.get("source_id") or ""))
        if found is None:
            raise RuleBroken(
                f"{entry.slug} comes from no tracker. Name the issue: "
                f"{self.command('handoff', entry.slug, '--post', 'ADDRESS')}"
            )
        where = found.site if isinstance(found, JiraReference) else found.repository
        called = f"{found.source_id} of {where}" if where else found.source_id
        return called, lambda text: post_comment(found, self.root, os.environ, text)

    def write_hand_off(
        self, name: str, form: HandOffForm, place: Path | None, *, as_typed: bool = False
    ) -> tuple[str, tuple[Path, ...]]:
        """Return the hand-off in a form, and the files it was written to: `place`, if one is given.

        With `as_typed` a page or a prompt that goes to no file has no escapes: for eyes alone.
        For spec-kit these are spec.md and plan.md in a folder, `specs/ITEM` of the project if none is given.
        Raises RuleBroken, and writes nothing, where a file is there already or no step has written anything.
        """
        from .documents import handoff
        from .store.files import timestamp, write_new_files

        entry, hand_off, date = self.find_item(name), self.hand_off(name), timestamp()[:10]
        if hand_off.is_empty:
            do = self.command("analyze", entry.slug)
            raise RuleBroken(f"There is nothing to hand off yet. Go on with: {do}")
        folder = os.path.relpath(entry.folder, self.root)
        if form == "spec-kit":
            texts = {
                "spec.md": handoff.write_spec(hand_off, date),
                "plan.md": handoff.write_plan(hand_off, date),
            }
            paths = write_new_files(place or self.root / "specs" / entry.slug, texts)
            return "\n".join(texts.values()), paths
        if form == "pr":
            text = handoff.write_pull_request(hand_off, folder)
        else:
            is_prompt = form == "agent"
            text = handoff.write_agent_prompt(hand_off, folder) if is_prompt else handoff.write_page(hand_off)
            text = handoff.show_as_typed(text) if as_typed and place is None else text
        return text, write_new_files(place.parent, {place.name: text}) if place else ()

    def explain(self, name: str, where: str) -> tuple[LineOrigin, ...]:
        """Return where a line of the item's documents comes from, by `FILE:LINE` or a piece of its text."""
        from .store.provenance import find_origins

        return find_origins(self.find_item(name).folder, self._every_step(), where)

    def plan_undo(self, name: str, number: int | None = None) -> ElaborationUndo:
        """Return what taking back an elaboration would do: the last one, or that of a transcript's number.

        Raises RuleBroken if there is none.
        """
        from .store.undo import choose_elaboration, plan_elaboration_undo

        folder = self.find_item(name).folder
        return plan_elaboration_undo(folder, *choose_elaboration(folder, number))

    def undo(
        self, name: str, number: int | None = None, *, force: bool = False
    ) -> tuple[ElaborationUndo, tuple[str, ...]]:
        """Take back an elaboration (MENU-7); return what was done, and what is said of each document.

        Raises RuleBroken, and changes nothing, where its text was edited since and `force` is not given.
        """
        from .store.lock import ItemLock
        from .store.undo import undo_elaboration

        folder = self.find_item(name).folder
        with ItemLock(folder):
            plan = self.plan_undo(name, number)
            if plan.edits and not force:
                reasons = "; ".join(f"{file}: {reason}" for file, reason in plan.edits)
                raise RuleBroken(
                    f"The text was edited since it was written ({reasons}). Nothing was changed. "
                    "See what would go with --dry-run; take it out all the same with --force."
                )
            return plan, undo_elaboration(folder, plan)

    def start_over(self, name: str) -> str | None:
        """Forget which steps and phases of an item are complete; everything written stays.

        A meta.json that cannot be used is set aside; the text that is returned then says so.
        """
        from .store.lock import ItemLock

        folder = self.find_item(name).folder
        with ItemLock(folder):
            if problem := meta.meta_problem(folder):
                aside = meta.set_aside(folder)
                return f"{problem} It is kept as {aside.name}, and the analysis begins anew."
            meta.start_over(folder)
        return None

    def open_session(self, name: str, **options: Any) -> Session:
        """Return a session on an item; the options are those of `Session`."""
        from .runtime.session import Session

        return Session(self.root, name, items_folder=self.items_folder, command=self.command, **options)

    def read_analysis(self, name: str, moment: str) -> Analysis | None:
        """Return where another process's session of the item stands, by its `moment`; None if it is over."""
        from .runtime.resume import read_leg
        from .store.journal import Journal

        leg = read_leg(Journal(self.find_item(name).folder, moment.rpartition(".")[0]))
        return leg.analysis if leg is not None else None

    def open_discussion(self, document: str, **options: Any) -> Session:
        """Return a roundtable on a markdown document of the project; the options are those of `Session`.

        With `into=True` the document gains the block. Raises RuleBroken if it cannot be discussed.
        """
        from .runtime.discussion import DocumentSession

        return DocumentSession(self.root, document, **options)

    def find_discussion_folder(self, document: str) -> Path:
        """Return the folder that holds the journal of the discussion on a document, there or not."""
        from .runtime.discussion import find_discussion_folder, find_document

        return find_discussion_folder(self.root, find_document(self.root, document))


def find_lacking(settings: Settings) -> Iterator[str]:
    """Yield what each model of the settings lacks before it can be asked, such as a key.

    Raises RuleBroken if a name is not that of a model. Nothing is sent anywhere.
    """
    if settings.panel != "model":
        return
    from .panel.model.choice import find_lacking as find_lack
    from .panel.model.choice import names_of, read_choice

    for name in names_of(settings.models, settings.base_url):
        choice = read_choice(name, settings.base_url)
        if missing := find_lack(choice):
            yield f"{choice.label}: {missing}. See roundtable doctor."


def choose_panel(settings: Settings, folder: Path) -> tuple[Callable[[], Panel], BudgetAccount | None]:
    """Return the maker of the panel in the settings, and the account of its costs if it may have any."""
    if settings.panel != "model":
        from .runtime.executor import make_offline_panel

        return lambda: make_offline_panel(settings.root), None
    from .panel.model.choice import choose
    from .runtime.budget import BudgetAccount

    account = BudgetAccount(folder, settings.budget)
    panel = choose(
        settings.models,
        settings.base_url,
        meter=account.record_call,
        news=account.add_news,
        project=settings.root,
        seconds=settings.time_limit,
    )
    return lambda: panel, account


def _read_status(entry: ItemEntry, steps: tuple[Step, ...], is_stale: bool) -> ItemStatus:
    progress, facts = meta.progress_of(entry.meta), meta.facts_of(entry.folder, entry.meta)
    where, start = find_position(steps, progress, facts, can_pass=True), meta.start_phase(entry.meta)
    current = where.step if where is not None else None
    if where is not None and not entry.problem:
        start = replace(start, warnings=(*start.warnings, *where.warnings))

    def find_state(step: Step) -> StepState:
        if step.step_id in progress.steps_completed:
            return "done"
        if is_skipped(step, facts):
            return "not needed"
        if step.phase is not None and step.phase.key in progress.phases_completed:
            return "skipped"
        return "current" if step is current else "ahead"

    return ItemStatus(
        entry=entry,
        steps=tuple((step, find_state(step)) for step in steps),
        progress=progress,
        start=start,
        next_step=None if entry.problem else current,
        is_stale=is_stale,
        discussion=_find_open_discussion(entry.folder),
        calls=ledger.read(entry.folder),
    )


def _find_open_discussion(folder: Path) -> Elaboration | None:
    """Return the discussion that was begun and not ended; None if there is none that can be read."""
    try:
        names = [path.name for path in journal_home(folder).glob("*.jsonl")]
        found = [read_journal_file(folder, name, limit=MAX_LOG_SIZE) for name in names]
    except (OSError, RoundtableError):
        return None
    # A glance at the events saves loading the machine.
    if not any(data.rfind(_BEGINNING) > max(map(data.rfind, _ENDS)) for data in found):
        return None
    from .runtime.resume import read_leg
    from .store.journal import list_journals

    for journal in list_journals(folder):
        with suppress(RoundtableError):
            leg = read_leg(journal)
            if leg is not None and leg.analysis.elaboration is not None:
                return leg.analysis.elaboration
    return None
