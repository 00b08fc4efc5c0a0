"""A project and its items, for every surface: their files, progress, open questions and panel.

Modules that few commands need are imported late, so that listing items does not load the state machine.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from msgspec import to_builtins
from msgspec.structs import replace

from .catalogue import load_roster, load_steps, read_personas, read_tracks
from .core.errors import ItemUnknown, RoundtableError, RuleBroken
from .core.progress import find_position, find_state
from .core.steps import Step
from .core.text import clean_text
from .core.tracks import choose_track, list_all_steps
from .git import current_commit, has_code_moved
from .store import files, items, ledger, meta
from .store.artifact import read_documents
from .store.items import ITEMS_FOLDER, ItemEntry
from .store.lock import item_lock
from .trackers import parse_reference

if TYPE_CHECKING:
    from .catalogue.files import Problem
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
    from .store.transcript import StoredTranscript
    from .store.undo import ElaborationUndo

HandOffForm = Literal["page", "agent", "pr", "spec-kit"]  # who reads the hand-off


class ItemStatus:
    """Everything known about an item's progress."""

    def __init__(self, entry: ItemEntry, steps: tuple[Step, ...], is_stale: bool) -> None:
        """`steps` are its track's; `is_stale` means that the code changed since the last completed phase."""
        self.entry, self.is_stale = entry, is_stale
        self.progress, facts = meta.progress_of(entry.meta), meta.facts_of(entry.folder, entry.meta)
        self.start = meta.start_phase(entry.meta)
        where = find_position(steps, self.progress, facts)
        current = where.step if where is not None else None
        self.next_step = None if entry.problem else current
        if where is not None and not entry.problem:
            self.start = replace(self.start, warnings=(*self.start.warnings, *where.warnings))
        self.steps = tuple((step, find_state(step, current, self.progress, facts)) for step in steps)
        self.steps_done = sum(state == "done" for _, state in self.steps)
        self.steps_needed = sum(state != "not needed" for _, state in self.steps)
        self.taken_back = tuple(map(str, meta.list_undone(entry.meta)))  # timestamps of discussions
        self.discussion = _find_open_discussion(entry.folder)
        self._calls = ledger.read(entry.folder)
        self.cost = ledger.describe_total(ledger.add_up(self._calls)) if self._calls else ""

    @property
    def next(self) -> str:
        """What comes next, in words for a person."""
        if self.entry.problem:
            return "repair meta.json, or begin anew and keep it aside"
        if step := self.next_step:
            return f"step {step.step_id}, {step.title}{f' ({step.phase.name})' if step.phase else ''}"
        phase = self.start.next
        return f"the menu of phase {phase[:2]}" if phase else "nothing, all phases are complete"

    def to_data(self) -> dict[str, Any]:
        """Return the status as data for programs."""
        entry, talk = self.entry, self.discussion
        return {
            "slug": entry.slug,
            "title": entry.title,
            "folder": str(entry.folder),
            "source": entry.item.source,
            "source_id": entry.item.source_id or None,
            "analysis_status": entry.analysis_status,
            "phases_completed": list(self.progress.phases_completed),
            "steps_completed": list(self.progress.steps_completed),
            "next": self.next,
            "next_step": self.next_step and self.next_step.step_id,
            "start_phase": to_builtins(self.start),
            "elaborations": len(self.progress.elaborations),
            "stale": self.is_stale,
            "discussion": talk
            and {"step": talk.step.step_id, "turn": len(talk.turns), "max_turns": talk.max_turns},
            "spent": self._report_spending() if self._calls else None,
            "problem": entry.problem,
        }

    def _report_spending(self) -> dict[str, Any]:
        steps = {each.discussion: each.step for each in self._calls if each.discussion is not None}
        talks = [
            {"number": number, "step": steps[number]}
            | to_builtins(ledger.add_up(each for each in self._calls if each.discussion == number))
            for number in sorted(steps)
        ]
        return {**to_builtins(ledger.add_up(self._calls)), "elaborations": talks}


class Project:
    """The project in a folder, with its items."""

    def __init__(
        self,
        root: Path | str,
        *,
        items_folder: str = ITEMS_FOLDER,
        command: Callable[..., str] = lambda *words: shlex.join(("roundtable", *words)),
    ) -> None:
        """`command` formats the commands that messages advise people to run."""
        self.root, self.items_folder, self.command = Path(root), items_folder, command
        self.add_one = f"Add one with: {command('add', 'what it is about')}"

    @property
    def commit(self) -> str | None:
        """The current commit of git, shortened; None if there is none."""
        return current_commit(self.root)

    def roster(self) -> Roster:
        """Return the personas at the project's table."""
        return load_roster(self.root)

    def steps(self) -> tuple[Step, ...]:
        """Return the steps of the project's analyses, in order."""
        return load_steps(self.root)

    def check_personas(self) -> tuple[int, tuple[Problem, ...], int]:
        """Return how many personas the project has, all problems in their files, and how many own prompts."""
        from .panel.offline.prompts import read_project_prompts

        personas, problems = read_personas(self.root)
        library, more = read_project_prompts(self.root)
        return len(personas), (*problems, *more), len(library.prompts)

    def check_steps(self) -> tuple[int, tuple[Problem, ...]]:
        """Return how many steps the project's analyses have, and the problems in step and track files."""
        return len(self.steps()), read_tracks(self.root)[1]

    def items(self) -> tuple[ItemEntry, ...]:
        """Return every item, sorted by folder name."""
        return items.list_items(self.root, items_folder=self.items_folder)

    def list_stray_links(self) -> list[str]:
        """Return the names of links among the items to folders out of the project, so they are no items."""
        found = (path for path in (self.root / self.items_folder).glob("[!.]*") if path.is_dir())
        return [path.name for path in found if path.is_symlink() and files.leads_out(self.root, path)]

    def find_item(self, name: str) -> ItemEntry:
        """Return the only item with this slug, slug prefix, source id or title; else raise ItemUnknown."""
        return items.find_entry(self.root, name, items_folder=self.items_folder, add_one=self.add_one)

    def open_items(self) -> tuple[ItemEntry, ...]:
        """Return the items whose analysis is not complete; if every one is complete, return all items."""
        found = self.items()
        return tuple(each for each in found if each.analysis_status != "analyzed") or found

    def find_open_item(self) -> ItemEntry:
        """Return the only open item; raise ItemUnknown if there is none or more than one."""
        if not (found := self.open_items()):
            raise ItemUnknown("There is no item yet.", do=self.add_one)
        if len(found) > 1:
            raise ItemUnknown("Several items are open.", do=f"Name one of: {items.list_names(found)}.")
        return found[0]

    def names_issue(self, text: str) -> bool:
        """Whether the text names an issue of a tracker, instead of describing an item."""
        return parse_reference(text) is not None

    def add_item(self, text: str, *, title: str | None = None, relayed: bool = False) -> ItemEntry:
        """Add an item with this text, or the issue that it names; an issue with a title is not looked up.

        `relayed` means that a host gave title and text and the user has not accepted them in a form.
        """
        source, source_id = "manual", None
        if reference := parse_reference(text):
            text, source, source_id = "", reference.source, reference.source_id
            for entry in self.items():
                if (entry.meta.get("source"), entry.meta.get("source_id")) == (source, source_id):
                    do = f"Nothing was added. Go on with: {self.command('analyze', entry.slug)}"
                    raise RuleBroken(f"{source_id} is already here: {entry.slug}. {do}")
            if relayed and title is not None:
                do = "Nothing was added. Leave out the title, or add the item by its text."
                raise RuleBroken(f"With a title, {source_id} is not looked up. {do}")
            if title is None:
                from .trackers.issues import fetch_issue  # late: most items are words, and need no network

                title, text = fetch_issue(reference, self.root, os.environ)
                relayed = False
        folder = items.add_item(
            self.root,
            text,
            title=title,
            source=source,
            source_id=source_id,
            items_folder=self.items_folder,
            commit=self.commit,
            relayed=relayed,
        )
        return self.find_item(folder.name)

    def remove_item(self, name: str) -> None:
        """Delete an item with all its files; a link is removed, never followed."""
        items.remove_item(self._folder(name))

    def rename_item(self, name: str, title: str) -> ItemEntry:
        """Give an item another title and its folder the matching name; return the item."""
        return self.find_item(items.rename_item(self._folder(name), title).name)

    def list_progress(self) -> tuple[dict[str, Any], ...]:
        """Return one short row of data for each item: its progress and its last activity."""
        rows = []
        for entry, steps, is_stale in self._look_at(self.items()):
            progress = meta.progress_of(entry.meta)
            row = {
                "slug": entry.slug,
                "title": entry.title,
                "analysis_status": entry.analysis_status or "corrupt",
                "steps_completed": sum(step.step_id in progress.steps_completed for step in steps),
                "steps": len(steps),
                "elaborations": len(progress.elaborations),
                "last_activity": items.last_activity(entry.folder),
                "stale": is_stale,
                "problem": entry.problem,
            }
            rows.append(row)
        return tuple(rows)

    def status(self, item: str | ItemEntry) -> ItemStatus:
        """Return everything known about an item's progress; an open discussion stays as it is."""
        return self.report([self.find_item(item) if isinstance(item, str) else item])[0]

    def report(self, entries: Iterable[ItemEntry]) -> tuple[ItemStatus, ...]:
        """Return the status of each of these items."""
        return tuple(ItemStatus(*each) for each in self._look_at(entries))

    def _look_at(self, entries: Iterable[ItemEntry]) -> Iterator[tuple[ItemEntry, tuple[Step, ...], bool]]:
        tracks, commit = read_tracks(self.root)[0], self.commit
        for entry in entries:
            known, home = entry.meta.get("codebase_hash"), entry.folder.parent
            is_stale = isinstance(known, str) and has_code_moved(self.root, known, commit, home)
            yield entry, choose_track(tracks, entry.item, entry.meta).track.steps, is_stale

    def start_over(self, name: str) -> str | None:
        """Forget the completed steps and phases; return a message if a broken meta.json was set aside."""
        folder = self._folder(name)
        with item_lock(folder):
            if problem := meta.examine_meta(folder)[1]:
                aside = meta.set_aside(folder)
                return f"{problem} It is kept as {aside.name}, and the analysis begins anew."
            meta.start_over(folder)
        return None

    def _folder(self, item: str | ItemEntry) -> Path:
        return self.find_item(item).folder if isinstance(item, str) else item.folder

    def list_files(self, item: str | ItemEntry) -> tuple[list[Path], tuple[Path, ...]]:
        """Return the paths of an item's own files, by name, and of its transcripts, by number."""
        from .store.transcript import list_transcripts

        folder = self._folder(item)
        own = sorted(path for path in folder.glob("[!.]*") if files.is_regular_file(path))
        return own, list_transcripts(folder)

    def read_file(self, item: str | ItemEntry, name: str, *, limit: int = files.MAX_FILE_SIZE) -> str:
        """Return the text of one of an item's files; raise for a link, or if it has over `limit` bytes."""
        data = files.read_inside(self._folder(item), name, limit=limit)
        return clean_text(data.decode("utf-8-sig", "replace"))

    def documents(self, item: str | ItemEntry) -> dict[str, str]:
        """Return the texts of an item's documents by name."""
        return read_documents(self._folder(item))

    def transcripts(self, item: str | ItemEntry) -> tuple[StoredTranscript, ...]:
        """Return the transcripts of an item's discussions, in the order of their numbers."""
        from .store.transcript import parse_transcripts

        return tuple(parse_transcripts(self._folder(item)))

    def _every_step(self) -> tuple[Step, ...]:
        """Return the steps of all tracks, since an item may have followed another track before."""
        return list_all_steps(read_tracks(self.root)[0])

    def check(self, name: str) -> ItemReport:
        """Return the problems in an item's documents and records, and its open questions."""
        from .item_check import check_item

        return check_item(self.root, self._folder(name), self._every_step(), self.roster())

    def list_questions(self, item: str | ItemEntry) -> tuple[OpenQuestion, ...]:
        """Return every question that the documents leave open or once did, in the order of the steps."""
        from .store.outputs import read_questions

        return read_questions(self._folder(item), self._every_step(), self.roster())

    def open_questions(self, item: str | ItemEntry) -> tuple[OpenQuestion, ...]:
        """Return the questions that nobody has answered and no later decision settles (ART-9)."""
        return tuple(each for each in self.list_questions(item) if each.is_open)

    def answer_question(
        self, name: str, number: int, answer: str, *, words: str = ""
    ) -> tuple[OpenQuestion, str]:
        """Answer open question `number`, counted from 1; return it and the file that holds the answer.

        With `words`, those of the question that the user saw, raise RuleBroken if it has others by now.
        """
        from .store.outputs import write_answer

        folder = self._folder(name)
        with item_lock(folder):
            found = self.open_questions(name)
            if not 1 <= number <= len(found):
                there_are = f"there are {len(found)}. Nothing was changed."
                raise RuleBroken(f"There is no open question {number}; {there_are}")
            question = found[number - 1]
            if words and words != question.words:
                raise RuleBroken("The questions have changed meanwhile. Nothing was changed.")
            return question, write_answer(folder, self._every_step(), question, answer)

    def hand_off(self, name: str) -> HandOff:
        """Return what the item's documents say to whoever builds it, each point with its source."""
        from .store.outputs import read_hand_off
        from .survey.files import make_line_counter

        status = self.status(name)
        lines_of = make_line_counter(self.root, self.root)  # its own documents are no places to touch
        found = read_hand_off(status.entry.folder, self._every_step(), self.roster(), lines_of)
        return replace(found, steps_done=status.steps_done, steps=status.steps_needed)

    def find_issue(self, name: str, issue: str) -> tuple[str, Callable[[str], str]]:
        """Return the issue's name, by default the item's own, and a function that posts a comment on it."""
        from .trackers.issues import post_comment

        entry = self.find_item(name)
        found = parse_reference(issue or str(entry.meta.get("source_id") or ""))
        if found is None:
            do = self.command("handoff", entry.slug, "--post", "ADDRESS")
            raise RuleBroken(f"{entry.slug} comes from no tracker. Name the issue: {do}")
        where = found.repository or found.site
        called = f"{found.source_id} of {where}" if where else found.source_id
        return called, lambda text: post_comment(found, self.root, os.environ, text)

    def write_hand_off(
        self, name: str, form: HandOffForm, place: Path | None
    ) -> tuple[str, tuple[Path, ...]]:
        """Return the hand-off in a form, and the files it was written to: `place`, if one is given.

        For spec-kit these are spec.md and plan.md in the folder `place`, by default `specs/ITEM`.
        """
        from .documents import handoff

        entry, found, date = self.find_item(name), self.hand_off(name), files.timestamp()[:10]
        if found.is_empty:
            do = self.command("analyze", entry.slug)
            raise RuleBroken(f"There is nothing to hand off yet. Go on with: {do}")
        elsewhere = "Name another place with --out."
        if form == "spec-kit":
            texts = {f"{each}.md": handoff.write_form(found, each, date=date) for each in ("spec", "plan")}
            paths = files.write_new_files(place or self.root / "specs" / entry.slug, texts, elsewhere)
            return "\n".join(texts.values()), paths
        folder = os.path.relpath(entry.folder, self.root)
        text = handoff.write_form(found, form, folder=folder)
        return text, files.write_new_files(place.parent, {place.name: text}, elsewhere) if place else ()

    def explain(self, name: str, where: str) -> tuple[LineOrigin, ...]:
        """Return where a line of the documents comes from; `FILE:LINE` or part of its text names it."""
        from .store.provenance import find_origins

        return find_origins(self._folder(name), self._every_step(), where)

    def plan_undo(self, name: str, number: int | None = None) -> ElaborationUndo:
        """Return what undoing an elaboration would do: the last one, or that of transcript `number`."""
        from .store.undo import plan_elaboration_undo

        return plan_elaboration_undo(self._folder(name), number)

    def undo(
        self, name: str, number: int | None = None, *, force: bool = False
    ) -> tuple[ElaborationUndo, tuple[str, ...]]:
        """Take back an elaboration (MENU-7), with `force` even if its text was edited since."""
        from .store.undo import carry_out_undo

        folder = self._folder(name)
        with item_lock(folder):
            plan = self.plan_undo(name, number)
            if plan.edits and not force:
                reasons = "; ".join(f"{file}: {reason}" for file, reason in plan.edits)
                do = "See what would go with --dry-run; take it out all the same with --force."
                raise RuleBroken(f"The text was edited since ({reasons}). Nothing was changed. {do}")
            said = carry_out_undo(folder, plan.changes, f"the discussion of step {plan.step_id}")
            # Noted last: if this is interrupted, the same command undoes the rest.
            meta.change_meta(folder, lambda found: meta.note_undone(found, plan.timestamp))
            return plan, said

    def open_session(self, name: str, **options: Any) -> Session:
        """Return a session on an item; the options are those of `Session`."""
        from .runtime.session import Session

        return Session(self.root, name, items_folder=self.items_folder, command=self.command, **options)


def find_lacking(settings: Settings) -> Iterator[str]:
    """Yield what each model in the settings still needs, such as a key; nothing is sent."""
    if settings.panel != "model":
        return
    from .panel.model import choice

    for name in choice.names_of(settings.models, settings.base_url):
        model = choice.read_choice(name, settings.base_url)
        if missing := choice.find_lacking(model):
            yield f"{model.label}: {missing}. See roundtable doctor."


def check_panel(settings: Settings) -> Iterator[tuple[str, str, bool]]:
    """Yield a finding on the panel and on each of its models, and whether it is sound; this costs nothing."""
    if settings.panel != "model":
        yield "panel", f"{settings.panel}: needs no network and no key", True
        return
    from .panel.model.choice import check_reach, names_of, read_choice

    names = names_of(settings.models, settings.base_url)
    yield "panel", "model" if names else "model: no model is named", bool(names)
    for name in names:
        try:
            model = read_choice(name, settings.base_url)
            found, is_sound = check_reach(model)
            yield "model", f"{model.label}: {found}", is_sound
        except RuleBroken as broken:
            yield "model", str(broken), False


def choose_panel(settings: Settings, folder: Path) -> tuple[Callable[[], Panel], BudgetAccount | None]:
    """Return a function that makes the panel in the settings, and an account if the panel can cost money."""
    if settings.panel != "model":
        from .runtime.executor import make_offline_panel

        return lambda: make_offline_panel(settings.root), None
    from .panel.model.choice import choose, trace_calls
    from .runtime.budget import BudgetAccount

    account = BudgetAccount(folder, settings.budget)
    if settings.telemetry and not trace_calls():
        account.add_news('Telemetry needs a part: pip install "path/to/roundtable[telemetry]"')
    meter, news, seconds = account.record_call, account.add_news, settings.time_limit
    panel = choose(
        settings.models, settings.base_url, meter=meter, news=news, project=settings.root, seconds=seconds
    )
    return lambda: panel, account


def _find_open_discussion(folder: Path) -> Elaboration | None:
    """Return the discussion that has begun but not ended; None if there is none that can be read."""
    with suppress(OSError, RoundtableError):
        if any(files.journal_home(folder).glob("*.jsonl")):  # else the machine need not be loaded
            from .runtime.resume import read_leg
            from .store.journal import list_journals

            for journal in list_journals(folder):
                with suppress(RoundtableError):
                    if (leg := read_leg(journal)) and leg.is_discussing:
                        return leg.analysis.elaboration
    return None
