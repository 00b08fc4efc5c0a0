"""The files that the steps of an item write, documents and data, and what is read back from them.

A step replaces a data file only if it is just as the step wrote it: others' changes stay (rule STEP-5).
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from itertools import product
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from ..core import lines
from ..core.claims import LinesOf
from ..core.commands import UpdateArtifacts, WriteDrafts, WriteFeedback, WriteStep
from ..core.errors import DiskFailed, RuleBroken
from ..core.events import SectionText
from ..core.markers import FeedbackMarker
from ..core.personas import Roster
from ..core.steps import Step, is_markdown
from ..core.text import escape_markdown
from ..core.turns import Material
from ..documents import additions, outline, questions
from ..documents.answers import read_answers, read_step_answers
from ..documents.ids import list_requirements
from ..documents.page import write_paragraph
from ..documents.questions import OpenQuestion
from . import artifact, files
from .artifact import change_artifact, explain_refusal, one_line, read_texts, reason_of
from .items import read_item
from .meta import read_excluded
from .transcript import check_writable
from .undo import UndoLog

if TYPE_CHECKING:
    from ..documents.handoff import HandOff

MAX_MATERIAL_LENGTH = 60_000  # characters of documents that a panel is given
_DISK_WIDE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)  # any other file would fail as well
_ACRONYMS = frozenset({"api", "csv", "json", "nfr", "ui", "ux"})


class Outputs(Struct, frozen=True):
    """The files in an item's folder that its `steps` write, or that `every` step of all tracks may write."""

    folder: Path
    steps: tuple[Step, ...]
    undo_log: UndoLog | None = None
    every: tuple[Step, ...] = ()

    @property
    def _all_steps(self) -> tuple[Step, ...]:
        return tuple({step.step_id: step for step in (*self.steps, *self.every)}.values())

    @property
    def _log(self) -> UndoLog:
        return self.undo_log or UndoLog(self.folder)

    def update(self, command: UpdateArtifacts) -> tuple[str, ...]:
        """Add the block once per markdown output; raise DiskFailed if even a transcript cannot be saved."""
        outputs = list(dict.fromkeys(command.step.outputs))
        if not any(map(is_markdown, outputs)) and (first := self.first_markdown(command.step)):
            outputs.append(first)
        return tuple(self._add_block(command, output) for output in outputs)

    def _add_block(self, command: UpdateArtifacts, output: str) -> str:
        name = one_line(output)
        if reason := explain_refusal(self.folder, output):
            return lines.not_updated(name, reason)
        if not is_markdown(output):
            return f"Left {name} as it is: only markdown artifacts take elaboration insights."  # ART-2
        if not (self.folder / output).exists():
            return lines.not_updated(name, "file not found")

        try:
            heading = self._change(command.step, output, lambda found: add_block(found, command, output))
        except (RuleBroken, DiskFailed) as failure:
            if isinstance(failure.__cause__, OSError) and failure.__cause__.errno in _DISK_WIDE:
                raise
            check_writable(self.folder)
            return lines.not_updated(name, reason_of(failure))
        return lines.artifact_updated(name, one_line(heading), command.description)

    def write_step(self, command: WriteStep) -> tuple[str, ...]:
        """Write each section that a step drafted; raise DiskFailed if one cannot be written."""
        return tuple(self._write_section(command.step, section) for section in command.sections)

    def _write_section(self, step: Step, section: SectionText) -> str:
        output, heading = section.target.output, section.target.section
        name, data = one_line(output), _encode_data(section)

        def change(found: bytes) -> tuple[bytes | None, str]:
            if is_markdown(output):
                own, text = step.step_id, section.text
                found = additions.write_section(found, step_id=own, heading=heading, text=text)
                found = additions.drop_from_note(found, step, self._all_steps)
                named = outline.find_named_sections(outline.read_outline(found).sections, heading)
                return found, f'Wrote {name}, section "{one_line(named[0].heading if named else heading)}".'
            makers = self._log.find_makers(output, found)
            is_ours = found == data or any(note.step == step.step_id for note in makers)
            if is_ours or not (self.folder / output).exists():
                return data, f"Wrote {name}."
            held = {*found.decode("utf-8", "replace").splitlines()}
            lacking = "\n".join(line for line in section.text.splitlines() if line not in held)
            why = "because it is not as this step wrote it. Delete the file to have it written again."
            told = f"Left {name} unchanged, {why}"
            return None, f"{told} It lacks:\n{lacking}" if lacking else told

        try:
            return self._change(step, output, change)
        except RuleBroken as error:
            saved = "The file is as it was, and your answers are kept."
            failed = f"Could not write {name}: {reason_of(error)}."
            raise DiskFailed(failed, saved=saved, do=f"Correct the file. {files.AGAIN}") from error

    def adopt_data(self, step: Step, standing: Iterable[SectionText]) -> None:
        """Note data files that match the `standing` answers as the step's own: a clone has no notes."""
        for section in standing:
            name, data = section.target.output, _encode_data(section)
            is_same = read_texts(self.folder, [name]).get(name, "").encode("utf-8", "replace") == data
            if is_same and not is_markdown(name) and not self._log.find_makers(name, data):
                UndoLog(self.folder).note_change(step.step_id, name, data, data)  # no moment, so never undone

    def write_feedback(self, command: WriteFeedback) -> tuple[str, ...]:
        """Add the user's words once to the step's section; raise DiskFailed if they cannot be saved."""
        step, marker = command.step, FeedbackMarker(command.step.step_id, command.at)
        said = indent(write_paragraph("Feedback", command.words, is_exact=True), "  ").lstrip()
        output = next(filter(is_markdown, step.outputs), None) or self.first_markdown(step)
        if output is None:
            return ("Could not add your feedback to any document of this phase.",)
        heading, name = step.section(output) or step.title, one_line(output)

        def add(document: bytes) -> tuple[bytes, str]:
            block, own = f"{marker}\n- {said}", step.step_id
            done = additions.insert_addition(document, block, topic=heading, step_id=own)
            told = lines.artifact_updated(name, one_line(done.heading or heading), "your feedback")
            return document if marker.stands_in(document) else done.document, told

        return (self._try_change(step, output, add),)

    def write_drafts(self, command: WriteDrafts) -> tuple[str, ...]:
        """Make sure that each document of a skipped step exists and says at its top what was skipped."""
        outputs = dict.fromkeys(output for step in command.skipped for output in step.outputs)
        return tuple(self._mark_draft(output, command.skipped) for output in filter(is_markdown, outputs))

    def _mark_draft(self, output: str, skipped: Iterable[Step]) -> str:
        missing = [step for step in skipped if output in step.outputs]
        note = additions.write_skip_note(missing)
        ids = additions.name_steps([each.step_id for each in missing])
        told = f"{one_line(output)} is a draft: it says at its top that {ids} skipped."
        return self._try_change(missing[0], output, lambda found: (additions.add_note(found, note), told))

    def _try_change(self, step: Step, name: str, change: Callable[[bytes], tuple[bytes | None, str]]) -> str:
        try:
            return self._change(step, name, change)
        except RuleBroken as error:
            return f"Could not change {one_line(name)} ({reason_of(error)})."

    def _change(self, step: Step, name: str, change: Callable[[bytes], tuple[bytes | None, str]]) -> str:
        """Change an output of a step, or its skeleton if it is missing; note the change before writing it."""

        def note_and_change(found: bytes | None) -> tuple[bytes | None, str]:
            document, told = change(self._skeleton(step, name) if found is None else found)
            if document is not None and document != found:
                self._log.note_change(step.step_id, name, found, document)
            return document, told

        return change_artifact(self.folder, name, note_and_change)

    def _phase(self, step: Step) -> tuple[Step, ...]:
        steps = dict.fromkeys((*self.steps, step))
        return tuple(other for other in steps if other.step_id[:2] == step.step_id[:2])

    def _skeleton(self, step: Step, output: str) -> bytes:
        """Return a skeleton with the sections of the phase; `nfr-matrix.md` has the title `NFR Matrix`."""
        if not is_markdown(output):
            return b""
        every = (target for other in self._phase(step) for target in other.sections)
        sections = (each.section for each in every if each.output == output)
        headings = dict.fromkeys(map(outline.strip_numbering, sections))
        words = output.rpartition(".")[0].replace("_", "-").replace(" ", "-").split("-")
        title = " ".join(word.upper() if word in _ACRONYMS else word.capitalize() for word in words if word)
        return additions.write_skeleton(title, escape_markdown(read_item(self.folder).name), tuple(headings))

    def first_markdown(self, step: Step) -> str | None:
        """Return the phase's first markdown artifact that exists, else the first that a step would write."""
        names = [output for other in self._phase(step) for output in other.outputs if is_markdown(output)]
        usable = [name for name in names if explain_refusal(self.folder, name) is None]
        there = (name for name in usable if (self.folder / name).is_file())
        return next(there, next(iter(usable or names), None))

    def material(self, step: Step, limit: int = MAX_MATERIAL_LENGTH) -> tuple[Material, ...]:
        """Return the step's outputs, `limit` characters in all; raise DiskFailed if none can be read."""
        found = read_texts(self.folder, step.outputs)
        if not found:
            failed = one_line(f"Could not read what step {step.step_id} wrote: {', '.join(step.outputs)}.")
            raise DiskFailed(failed, saved=files.UNCHANGED, do="Put the file back, or run the step again.")
        return _cut_to_limit(found, limit)

    def all_material(self, limit: int = MAX_MATERIAL_LENGTH) -> tuple[Material, ...]:
        """Return every markdown artifact in the folder as text, in the order of the steps, then by name."""
        texts = artifact.read_documents(self.folder, (".md",))
        ordered = [output for step in self._all_steps for output in step.outputs if output in texts]
        return _cut_to_limit({name: texts[name] for name in (*ordered, *texts)}, limit)

    def documents(self) -> dict[str, str]:
        """Return every file that the steps write, by name, uncut: ids and references are read from them."""
        return read_texts(self.folder, (output for step in self._all_steps for output in step.outputs))

    def stored_answers(self, title: str = "") -> dict[tuple[str, str], str]:
        """Return the answers in an item's artifacts, by step and label."""
        answers: dict[tuple[str, str], str] = {}
        documents = self.documents()
        for name in filter(is_markdown, documents):
            with suppress(RuleBroken):  # the text may be too long
                answers |= read_step_answers(self._all_steps, name, documents[name])
        if requirements := [f"{each.id}: {each.text}" for each in list_requirements(documents)]:
            answers["01-06", "Requirements"] = "\n".join(requirements)  # for questions that show them
        return answers | read_answers(documents, title)

    def open_questions(self, step: Step) -> frozenset[str]:
        """Return the questions listed as open in a step's documents, even if answered since."""
        texts = read_texts(self.folder, step.outputs).items()
        return frozenset(asked for file in texts for _, asked in questions.find_asked_questions(*file))


def _encode_data(section: SectionText) -> bytes:
    return f"{section.text.rstrip()}\n".encode("utf-8", "replace")


def add_block(document: bytes, command: UpdateArtifacts, output: str) -> tuple[bytes, str]:
    """Return the document with a discussion's block, added once, and the heading above the block."""
    step, marker = command.step, command.marker
    block, section = f"{marker}\n\n{command.block}", step.section(output)
    done = additions.insert_addition(document, block, topic=step.title, section=section)
    # If the block is already there, it would go to the same section again.
    return document if marker.stands_in(document) else done.document, done.heading or outline.ADDITIONAL


def find_answered(steps: Iterable[Step], output: str, text: str) -> frozenset[tuple[str, str]]:
    """Return the step and label of each answer in a document; an open question counts as one."""
    asked = {question for _, question in questions.find_asked_questions(output, text)}
    mine = [step for step in steps if output in step.outputs]
    rows = ((step.step_id, question) for step in mine for question in step.every_question)
    unknown = {(step_id, question.label) for step_id, question in rows if question.text in asked}
    return frozenset({*unknown, *read_step_answers(mine, output, text), *read_answers({output: text}, "")})


def _cut_to_limit(texts: Mapping[str, str], limit: int) -> tuple[Material, ...]:
    kept: list[Material] = []
    for name, text in texts.items():
        if limit > 0:
            kept.append(Material(name, text if len(text) <= limit else f"{text[:limit]}\n[...]"))
        limit -= len(text)
    return tuple(kept)


def read_questions(folder: Path, steps: tuple[Step, ...], roster: Roster) -> tuple[OpenQuestion, ...]:
    """Return every question that the documents list as open, answered since or not, in step order."""
    asked_by: dict[tuple[str, str], str] = {}
    for step in reversed(steps):
        persona = roster[step.persona].title if step.persona in roster else step.persona
        wordings = [words for each in step.every_question for words in (each.text, each.without)]
        asked_by |= dict.fromkeys(product(step.outputs, wordings), f"asked by {persona}, step {step.step_id}")
    found = questions.list_questions(Outputs(folder, steps).documents())
    resolved = ((each, each.resolver or asked_by.get((each.file, each.words), "")) for each in found)
    return tuple(replace(each, resolver=resolver) for each, resolver in resolved)


def write_answer(folder: Path, steps: tuple[Step, ...], question: OpenQuestion, answer: str) -> str:
    """Add an answer to its question's section, else to a document of the same phase; return the file."""
    if not one_line(answer):
        raise RuleBroken(f"The answer is empty. {files.UNCHANGED}")
    date, file = files.timestamp()[:10], question.file
    owner = next((step for step in steps if file in step.outputs), None)
    if owner is not None and not is_markdown(file):
        file = Outputs(folder, steps).first_markdown(owner) or file

    def change(found: bytes | None) -> tuple[bytes, None]:
        if found is None or not is_markdown(file):
            raise RuleBroken(f"There is no document to put the answer into. {files.UNCHANGED}")
        if file == question.file:
            return questions.add_answer(found, question.line, question.words, answer, date), None
        words = questions.quote_answer(question.words, answer, date)
        return additions.insert_addition(found, words, topic=owner.title if owner else "").document, None

    change_artifact(folder, file, change)
    return file


def read_hand_off(folder: Path, steps: tuple[Step, ...], roster: Roster, lines_of: LinesOf | None) -> HandOff:
    """Return the hand-off to whoever builds the item, from its documents."""
    from ..documents.handoff import collect_hand_off  # late: needed once, at the end

    documents = Outputs(folder, steps).documents()
    asked, excluded = read_questions(folder, steps, roster), read_excluded(folder)
    return collect_hand_off(read_item(folder), documents, asked, lines_of, excluded)
