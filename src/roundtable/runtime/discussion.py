"""A roundtable on any markdown document of the project (MENU-8).

It has the same machine, texts and limits as on a step. The result is a transcript beside the document; the
block is added to the document itself only if the user asks for it. There is no item and no meta.json: the
journal and the lock are in a folder under `.roundtable/`, outside version control.
"""

import hashlib
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ..catalogue import read_roster
from ..core import commands as do
from ..core import events as on
from ..core import lines
from ..core.analysis import Analysis, Opening
from ..core.errors import DiskFailed, ItemCorrupt, RuleBroken
from ..core.steps import PHASES, Item, Step, Target, is_output_name
from ..core.text import strip_unprintable, unescape_markdown
from ..core.turns import Material
from ..documents import outline, questions
from ..store import artifact, files, transcript
from ..store.artifact import one_line
from ..store.items import list_slugs
from ..store.journal import DISCUSSION, Journal
from ..store.lock import item_lock
from ..store.outputs import MAX_MATERIAL_LENGTH, add_block
from .executor import Executor
from .resume import Leg, replay_leg
from .session import Session

_FOLDER = Path(".roundtable", "discussions")
_ENDING = ".roundtable-"  # in a transcript's name, before its number
_SUFFIXES = (".md", ".markdown")
_MAX_TITLE_LENGTH = 60
_FOCUS = re.compile(r"^- \*\*Focus question\*\*: (?P<question>.*)$", re.MULTILINE)


def find_document(root: Path, name: str) -> tuple[Path, str]:
    """Return a document's path and its path in the project; raise RuleBroken if it cannot be discussed."""
    path = Path(name).absolute()
    try:
        place = path.resolve().relative_to(root.resolve())
    except (OSError, RuntimeError, ValueError):
        raise RuleBroken(f"{one_line(name)} is not in the project {root}. Nothing was changed.") from None
    faults = {
        "is in a hidden folder, which belongs to some program": any(part[0] == "." for part in place.parts),
        "is not a markdown document (.md)": path.suffix.lower() not in _SUFFIXES,
        "is not there": not files.is_regular_file(path),
    }
    for fault in (fault for fault, is_found in faults.items() if is_found):
        raise RuleBroken(f"{one_line(name)} {fault}. Nothing was changed.")
    return path, place.as_posix()


def find_discussion_folder(root: Path, name: str) -> Path:
    """Return the folder for the journal of a discussion on a document, existing or not."""
    path, place = find_document(root, name)
    digest = hashlib.sha256(place.encode("utf-8", "surrogateescape")).hexdigest()[:8]
    return files.require_inside(root, root / _FOLDER / f"{next(list_slugs(path.stem))}-{digest}", ItemCorrupt)


def _find_gap(path: Path) -> questions.DocumentGap:
    earlier = transcript.parse_transcripts(path.parent, f"{path.name}{_ENDING}")
    found = (_FOCUS.search(each.text) for each in earlier)
    discussed = frozenset(unescape_markdown(each["question"].strip()) for each in found if each)
    return questions.find_gap(files.read(path, limit=outline.MAX_DOCUMENT_SIZE), discussed)


class DocumentSession(Session):
    """A roundtable on a document: iterate over `lines()`, and `say()` something when it is `listening`."""

    def __init__(self, root: Path, name: str, *, again: str, into: bool = False, **options: Any) -> None:
        """Take the `options` of `Session`; with `into`, the block is added to the document."""
        self.path, self._place = find_document(root, name)
        self._into = into
        super().__init__(root, name, again=again, **options)

    def _find_folder(self, item: str, items_folder: str) -> Path:  # noqa: ARG002
        return find_discussion_folder(self.root, item)

    def documents(self) -> dict[str, str]:
        return artifact.read_texts(self.path.parent, (self.path.name,))

    def transcripts(self) -> dict[str, str]:
        found = transcript.parse_transcripts(self.path.parent, f"{self.path.name}{_ENDING}")
        return {str(each.number): each.text for each in found}

    def _make_executor(self, leg: Leg) -> Executor:
        executor = DocumentExecutor(self.root, self.folder, leg, self._panel, self._on_words)
        executor.path, executor.into = self.path, self._into
        return executor

    async def _run(self) -> None:
        files.make_folder(self.folder, parents=True)
        ignore = self.folder.parent / ".gitignore"
        if not ignore.exists():
            files.write(ignore, b"*\n")
        with item_lock(self.folder):
            journal = Journal(self.folder, DISCUSSION)
            leg, problem = replay_leg(journal)
            if leg is None or not leg.is_discussing:
                opening = self._make_opening()
                leg = Leg(journal, *Analysis.begin(opening), warnings=(problem,) if problem else ())
                journal.begin(opening)
            if await self._play(leg) is not None:
                journal.close()
                await self._show(lines.Line("done", "The discussion is over."))

    def _make_opening(self) -> Opening:
        roster, problems = read_roster(self.root)
        name, document = self.path.name, files.read(self.path, limit=outline.MAX_DOCUMENT_SIZE)
        title = one_line(questions.read_title(document, name))[:_MAX_TITLE_LENGTH].strip() or name
        output = name if is_output_name(name) else "document.md"  # a stand-in
        section = one_line(_find_gap(self.path).section)
        targets = (Target(output, section),) if section else ()
        return Opening(
            kind="elaborate",
            item=Item(self.folder.name, one_line(self._place), ""),
            roster=roster,
            steps=(),
            phase=PHASES[0],
            step=Step("", title, roster.personas[0].key, "standard", (output,), targets=targets),
            notices=tuple(problem.text for problem in problems),
            user_name=self._user_name,
        )


class DocumentExecutor(Executor):
    """Carries out commands for a roundtable on one document."""

    path: Path
    into = False  # whether the block is added to the document

    def use_store(self, task: do.Command) -> on.Event:
        match task:
            case do.SaveLimit():
                return on.Saved(False)
            case do.UpdateArtifacts():
                return on.DocumentsWritten((self._add_block(task),))
            case do.SaveRecord():
                names, beginning = self._panel_names, f"{self.path.name}{_ENDING}"
                return on.RecordSaved(transcript.write_transcript(self.path.parent, task, names, beginning))
            case _:
                return super().use_store(task)

    def context(self, step: Step) -> on.ContextRead | on.TaskFailed:  # noqa: ARG002
        """Return the document, its transcripts and the turn limit."""
        try:
            text = outline.decode_document(files.read(self.path, limit=outline.MAX_DOCUMENT_SIZE))
        except (DiskFailed, OSError) as failure:
            return on.TaskFailed(str(failure))
        past = transcript.parse_transcripts(self.path.parent, f"{self.path.name}{_ENDING}")
        # Panels recognise a transcript by this name, and do not ask the same again.
        talks = tuple(Material(f"elaborations/{each.name}", each.text[:MAX_MATERIAL_LENGTH]) for each in past)
        material = Material(f"{self.path.stem}.md", strip_unprintable(text)[:MAX_MATERIAL_LENGTH])
        return on.ContextRead(do.DEFAULT_MAX_TURNS, (material,), talks)

    async def _frame(self, ask: do.AskFraming) -> on.Framed:
        framed = await super()._frame(ask)
        with suppress(DiskFailed, OSError, RuleBroken):  # it may be gone by now
            gap = _find_gap(self.path)
            summary = gap.summary if self.panel.kind == "offline" else framed.summary
            summary, question, topic = map(strip_unprintable, (summary, gap.question, gap.topic))
            framed = replace(framed, summary=summary, focus_question=question, focus_topic=topic)
        return framed

    def _add_block(self, task: do.UpdateArtifacts) -> str:
        name = one_line(self.path.name)
        if not self.into:
            return f"{name} is not changed; only a discussion begun with --into adds its block."

        def change(found: bytes | None) -> tuple[bytes, str]:
            if found is None:
                raise RuleBroken("File not found.")
            return add_block(found, task, task.step.outputs[0])

        try:
            heading = artifact.change_artifact(self.path.parent, self.path.name, change)
        except (DiskFailed, RuleBroken) as error:
            return lines.not_updated(name, artifact.reason_of(error))
        return lines.artifact_updated(name, one_line(heading), task.description)
