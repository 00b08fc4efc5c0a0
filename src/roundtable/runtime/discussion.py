"""A roundtable on any markdown document of the project (MENU-8).

The same machine, texts and limits as on a step; the result is a transcript beside the document, and the
document itself gains the block only where the user asks for it. There is no item and no meta.json: journal
and lock lie in a folder of their own under `.roundtable/`, out of version control.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ..catalogue import read_roster
from ..core import commands as do
from ..core import events as on
from ..core import lines
from ..core.analysis import Analysis, Opening
from ..core.elaboration import DEFAULT_MAX_TURNS
from ..core.errors import DiskFailed, RuleBroken
from ..core.hearing import HEARING
from ..core.lines import Line
from ..core.steps import PHASES, Item, Step, Target, is_output_name
from ..core.text import strip_unprintable, unescape_markdown
from ..core.turns import Material
from ..documents.additions import insert_addition
from ..documents.gaps import find_gap, read_title
from ..documents.outline import ADDITIONAL, decode_document
from ..store import files
from ..store.artifact import MAX_ARTIFACT_SIZE, change_artifact, one_line, reason_of
from ..store.items import list_slugs
from ..store.journal import DISCUSSION, Journal
from ..store.lock import ItemLock
from ..store.outputs import MAX_MATERIAL_LENGTH
from ..store.transcript import read_transcripts_beside, write_transcript_beside
from .executor import Executor, Task
from .resume import Leg, replay_leg
from .session import Session

_FOLDER = Path(".roundtable", "discussions")
_SUFFIXES = (".md", ".markdown")
_STAND_IN = "document.md"
_MAX_TITLE_LENGTH = 60
_FOCUS = re.compile(r"^- \*\*Focus question\*\*: (?P<question>.*)$", re.MULTILINE)


def find_document(root: Path, name: str) -> Path:
    """Return the path of a markdown document of the project; RuleBroken where it cannot be discussed."""
    path = Path(name).absolute()
    shown = one_line(name)
    try:
        place = path.resolve().relative_to(root.resolve())
    except (OSError, RuntimeError, ValueError):
        raise RuleBroken(f"{shown} is not in the project {root}. Nothing was changed.") from None
    if any(part.startswith(".") for part in place.parts):
        raise RuleBroken(
            f"{shown} is in a hidden folder, which belongs to some program. Nothing was changed."
        )
    if path.suffix.lower() not in _SUFFIXES:
        raise RuleBroken(f"{shown} is not a markdown document (.md). Nothing was changed.")
    if not files.is_regular_file(path):
        raise RuleBroken(f"There is no document {shown}. Nothing was changed.")
    return path


def find_discussion_folder(root: Path, path: Path) -> Path:
    """Return the folder that holds the journal of the discussion on a document, there or not."""
    place = path.resolve().relative_to(root.resolve()).as_posix()
    digest = hashlib.sha256(place.encode("utf-8", "surrogateescape")).hexdigest()[:8]
    return files.require_in_project(root, root / _FOLDER / f"{next(list_slugs(path.stem))}-{digest}")


def list_discussed(path: Path) -> frozenset[str]:
    """Return the focus questions of the earlier discussions on a document."""
    found = (_FOCUS.search(text) for text in read_transcripts_beside(path).values())
    return frozenset(unescape_markdown(each["question"].strip()) for each in found if each)


class DocumentSession(Session):
    """A roundtable on a document: iterate over `lines()`, and `say()` something when it is `listening`."""

    def __init__(self, root: Path | str, document: str, *, into: bool = False, **options: Any) -> None:
        """A roundtable; the options are those of `Session`. With `into` the document gains the block."""
        self.path = find_document(Path(root), document)
        self._into = into
        super().__init__(root, document, **options)

    def _find_folder(self, item: str, items_folder: str) -> Path:  # noqa: ARG002
        return find_discussion_folder(self.root, self.path)

    def _make_executor(self, leg: Leg) -> Executor:
        executor = DocumentExecutor(self.root, self.folder, leg, self._panel, self._on_words)
        executor.path, executor.into = self.path, self._into
        return executor

    def _is_over(self, leg: Leg) -> bool:
        return leg.analysis.elaboration is None

    async def _run(self) -> None:
        home = self.folder.parent
        files.make_folder(self.folder, parents=True)
        if not (home / ".gitignore").exists():
            files.write(home / ".gitignore", b"*\n")
        with ItemLock(self.folder):
            leg = self._open_leg()
            if await self._play(leg) is None:
                await self._show_paused()
                return
            leg.journal.close()
            await self._show(Line("done", "The discussion is over."))

    def _open_leg(self) -> Leg:
        """Return the discussion that was cut off, else a new one."""
        journal = Journal(self.folder, DISCUSSION)
        begun, problem = replay_leg(journal)
        if begun is not None and not self._is_over(begun):
            return begun
        opening = self._make_opening()
        journal.begin(opening)
        return Leg(journal, *Analysis.begin(opening), warnings=(problem,) if problem else ())

    def _make_opening(self) -> Opening:
        roster, problems = read_roster(self.root)
        if not roster.can_discuss:
            raise RuleBroken("A roundtable needs at least two personas. Nothing was changed.")
        document = files.read(self.path, limit=MAX_ARTIFACT_SIZE)
        name = self.path.name
        title = one_line(read_title(document, name))[:_MAX_TITLE_LENGTH].strip() or name
        output = name if is_output_name(name) else _STAND_IN
        section = one_line(find_gap(document, list_discussed(self.path)).section)
        step = Step(
            "", title, roster.personas[0].key, "standard", (output,),
            targets=(Target(output, section),) if section else (),
        )  # fmt: skip
        place = self.path.resolve().relative_to(self.root.resolve()).as_posix()
        return Opening(
            kind="elaborate",
            item=Item(self.folder.name, one_line(place), ""),
            roster=roster,
            steps=(),
            phase=PHASES[0],
            step=step,
            notices=tuple(problem.text for problem in problems),
            user_name=self._user_name,
            has_review=True,
            hearing=HEARING,
        )

    def _command(self) -> str:
        words = ["roundtable", "discuss", one_line(os.path.relpath(self.path))]
        return shlex.join([*words, "--into"] if self._into else words)


class DocumentExecutor(Executor):
    """Carries out commands for a roundtable on one document."""

    path: Path
    into = False
    """Whether the document gains the block."""

    async def carry_out(self, task: Task) -> on.Event:
        match task:
            case do.AskFraming():
                return self._ask_about_gap(await super().carry_out(task))
            case do.SaveLimit():
                return on.LimitSaved(False)
            case do.UpdateArtifacts():
                return on.ArtifactsUpdated((self._add_block(task),))
            case do.SaveRecord():
                return on.RecordSaved(write_transcript_beside(self.path, task, self._panel_names))
            case _:
                return await super().carry_out(task)

    def context(self, step: Step) -> on.ContextRead | on.ContextUnreadable:  # noqa: ARG002
        """Return the document and the turn limit."""
        try:
            text = decode_document(self._read())
        except (DiskFailed, OSError) as failure:
            return on.ContextUnreadable(str(failure))
        name = self.path.name if self.path.suffix.lower() == ".md" else f"{self.path.stem}.md"
        earlier = read_transcripts_beside(self.path).items()
        # Under this name the panels know it for a transcript, and do not ask the same again.
        talks = tuple(Material(f"elaborations/{each}", said[:MAX_MATERIAL_LENGTH]) for each, said in earlier)
        material = Material(name, strip_unprintable(text)[:MAX_MATERIAL_LENGTH])
        return on.ContextRead(DEFAULT_MAX_TURNS, (material,), talks)

    def _read(self) -> bytes:
        return files.read(self.path, limit=MAX_ARTIFACT_SIZE)

    def _ask_about_gap(self, event: on.Event) -> on.Event:
        """Return the framing with the question that the document's largest gap asks."""
        assert isinstance(event, on.Framed)
        try:
            gap = find_gap(self._read(), list_discussed(self.path))
        except (DiskFailed, OSError, RuleBroken):
            return event
        summary = gap.summary if self.panel.kind == "offline" else event.summary
        summary, question, topic = map(strip_unprintable, (summary, gap.question, gap.topic))
        return replace(event, summary=summary, focus_question=question, focus_topic=topic)

    def _add_block(self, task: do.UpdateArtifacts) -> str:
        name = one_line(self.path.name)
        if not self.into:
            return f"{name} is not changed; only a discussion begun with --into adds its block."
        section = task.step.section(task.step.outputs[0])

        def change(found: bytes | None) -> tuple[bytes | None, str | None]:
            if found is None or task.marker.stands_in(found):
                return found, None
            block = f"{task.marker}\n\n{task.block}"
            addition = insert_addition(found, block, topic=task.step.title, section=section)
            return addition.document, addition.heading or ADDITIONAL

        try:
            heading = change_artifact(self.path.parent, self.path.name, change)
        except (DiskFailed, RuleBroken) as error:
            return lines.not_updated(name, reason_of(error))
        return lines.artifact_updated(name, one_line(heading or task.step.title), task.description)
