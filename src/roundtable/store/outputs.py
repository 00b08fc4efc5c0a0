"""What the steps of an item write: documents, data files, and what is read from them again.

A step replaces a data file only as it wrote it itself: what anybody else wrote there stays (rule STEP-5).
Open questions are listed with who can resolve them, and answered in the documents (ART-9).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from ..core import lines
from ..core.citations import LinesOf
from ..core.commands import UpdateArtifacts, WriteDrafts, WriteFeedback, WriteStep
from ..core.errors import DiskFailed, RuleBroken
from ..core.events import SectionText
from ..core.markers import FeedbackMarker
from ..core.personas import Roster
from ..core.steps import Step
from ..core.text import escape_markdown
from ..core.turns import Material
from ..documents.additions import (
    add_note,
    drop_from_note,
    insert_addition,
    name_steps,
    write_section,
    write_skeleton,
    write_skip_note,
)
from ..documents.answers import read_answers, read_labelled_answers
from ..documents.outline import (
    ADDITIONAL,
    DEEPEST,
    find_named_sections,
    read_outline,
    strip_numbering,
)
from ..documents.page import write_paragraph
from ..documents.questions import (
    OpenQuestion,
    add_answer,
    find_asked_questions,
    list_questions,
    quote_answer,
)
from . import files
from .artifact import (
    Change,
    Result,
    change_artifact,
    decode_text,
    explain_refusal,
    is_markdown,
    one_line,
    read_artifact,
    read_documents,
    reason_of,
)
from .files import AGAIN, UNCHANGED
from .items import read_item
from .transcript import check_writable
from .undo import UndoLog

if TYPE_CHECKING:
    from ..documents.handoff import HandOff

MAX_MATERIAL_LENGTH = 60_000
"""How many characters of documents a panel is given."""

_ACRONYMS = frozenset({"api", "csv", "json", "nfr", "ui", "ux"})


class Outputs(Struct, frozen=True):
    """The documents and data files in an item's folder that its steps write.

    `every` are the steps of all tracks: their outputs are read as well, wherever the item has them. Each
    change is noted in the undo log before it is made.
    """

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
        """Add the block of an elaboration to each markdown output, once; one announcement per output.

        DiskFailed where a block cannot be written and no transcript could be either: nothing counts then.
        """
        outputs = list(dict.fromkeys(command.step.outputs))
        if not any(map(is_markdown, outputs)) and (first := self.first_markdown(command.step)):
            outputs.append(first)
        return tuple(self._add_block(command, output) for output in outputs)

    def write_step(self, command: WriteStep) -> tuple[str, ...]:
        """Write each section that a step drafted; DiskFailed where one cannot be written."""
        announcements = []
        for section in command.sections:
            write = self._write_section if is_markdown(section.target.output) else self._write_data
            try:
                announcements.append(write(command.step, section))
            except RuleBroken as error:
                failed = f"Could not write {one_line(section.target.output)}: {reason_of(error)}."
                saved = "The file is as it was, and your answers are kept."
                raise DiskFailed(failed, saved=saved, do=f"Correct the file. {AGAIN}") from error
        return tuple(announcements)

    def write_feedback(self, command: WriteFeedback) -> tuple[str, ...]:
        """Add the user's words to the step's section, once; DiskFailed where they cannot be saved."""
        step = command.step
        marker = FeedbackMarker(step.step_id, command.at)
        said = indent(write_paragraph("Feedback", command.words, is_exact=True), "  ").lstrip()
        block = f"{marker}\n- {said}"
        output = next(filter(is_markdown, step.outputs), None) or self.first_markdown(step)
        if output is None:
            return ("Could not add your feedback to any document of this phase.",)
        heading = step.section(output) or step.title

        def add(document: bytes) -> tuple[bytes, str]:
            if not marker.stands_in(document):
                document = insert_addition(document, block, topic=heading, step_id=step.step_id).document
            return document, _heading_in(document, heading)

        try:
            place = self._change_document(step, output, add)
        except RuleBroken as error:
            return (f"Could not add your feedback to {one_line(output)} ({reason_of(error)}).",)
        return (lines.artifact_updated(one_line(output), place, "your feedback"),)

    def write_drafts(self, command: WriteDrafts) -> tuple[str, ...]:
        """Make sure that each document of a skipped step exists and says at its top what was skipped."""
        skipped: dict[str, list[Step]] = {}
        for step in command.skipped:
            for output in filter(is_markdown, dict.fromkeys(step.outputs)):
                skipped.setdefault(output, []).append(step)
        return tuple(self._mark_draft(output, missing) for output, missing in skipped.items())

    def material(self, step: Step, limit: int = MAX_MATERIAL_LENGTH) -> tuple[Material, ...]:
        """Return the step's outputs as text, `limit` characters together; DiskFailed if none reads."""
        found, problems = self._read(step.outputs)
        if not found:
            failed = f"Could not read what step {step.step_id} wrote: {', '.join(problems)}."
            raise DiskFailed(failed, saved=UNCHANGED, do="Put the file back, or run the step again.")
        return _cut_to_limit(found, limit)

    def all_material(self, limit: int = MAX_MATERIAL_LENGTH) -> tuple[Material, ...]:
        """Return every markdown artifact in the folder as text, in the order of the steps, then by name."""
        texts = read_documents(self.folder, (".md",))
        ordered = [output for step in self._all_steps for output in step.outputs if output in texts]
        names = dict.fromkeys((*ordered, *texts))
        return _cut_to_limit([Material(name, texts[name]) for name in names], limit)

    def documents(self) -> dict[str, str]:
        """Return every file that the steps write, whole, by name: ids and references are read from them."""
        found, _ = self._read(output for step in self._all_steps for output in step.outputs)
        return {each.name: each.text for each in found}

    def stored_answers(self) -> dict[tuple[str, str], str]:
        """Return the answers that stand in the artifacts, by step and label."""
        answers: dict[tuple[str, str], str] = {}
        for name, text in self.documents().items():
            if is_markdown(name):
                with suppress(RuleBroken):  # as text it may be too long
                    answers |= _read_step_answers(self._all_steps, name, text)
        return answers

    def open_questions(self, step: Step) -> frozenset[str]:
        """Return the questions that a step's documents hold as open, answered since or not."""
        found, _ = self._read(output for output in step.outputs if is_markdown(output))
        return frozenset(asked for each in found for _, asked in find_asked_questions(each.text))

    def _add_block(self, command: UpdateArtifacts, output: str) -> str:
        """Add the block to one output, and say what came of it."""
        name, step = one_line(output), command.step
        if reason := explain_refusal(self.folder, output):
            return lines.not_updated(name, reason)
        if not is_markdown(output):
            return lines.left_alone(name)

        def change(found: bytes | None) -> tuple[bytes | None, str | None]:
            if found is None:
                return None, None
            if command.marker.stands_in(found):
                return found, _heading_around(found, str(command.marker).encode())
            block = f"{command.marker}\n\n{command.block}"
            addition = insert_addition(found, block, topic=step.title, section=step.section(output))
            return addition.document, addition.heading or ADDITIONAL

        try:
            heading = self._change(step, output, change)
        except RuleBroken as failure:
            return lines.not_updated(name, reason_of(failure))
        except DiskFailed as failure:
            if files.is_disk_wide(failure):
                raise
            check_writable(self.folder)
            return lines.not_updated(name, reason_of(failure))
        if heading is None:
            return lines.not_updated(name, "file not found")
        return lines.artifact_updated(name, one_line(heading), command.description)

    def _write_section(self, step: Step, section: SectionText) -> str:
        output, heading = section.target.output, section.target.section

        def change(document: bytes) -> tuple[bytes, str]:
            document = write_section(document, step_id=step.step_id, heading=heading, text=section.text)
            document = drop_from_note(document, step, self._all_steps)
            return document, _heading_in(document, heading)

        place = self._change_document(step, output, change)
        return f'Wrote {one_line(output)}, section "{place}".'

    def _mark_draft(self, output: str, missing: list[Step]) -> str:
        note = write_skip_note(missing)
        try:
            self._change_document(missing[0], output, lambda document: (add_note(document, note), ""))
        except RuleBroken as error:
            return f"Could not mark {one_line(output)} as a draft ({reason_of(error)})."
        ids = name_steps([step.step_id for step in missing])
        return f"{one_line(output)} is a draft: it says at its top that {ids} skipped."

    def _write_data(self, step: Step, section: SectionText) -> str:
        output = section.target.output
        new = f"{section.text.rstrip()}\n".encode("utf-8", "replace")

        def change(found: bytes | None) -> tuple[bytes | None, str]:
            if found in (None, new) or self._log.has_written(step.step_id, output, found or b""):
                return new, f"Wrote {one_line(output)}."
            return None, (
                f"Left {one_line(output)} unchanged, because it is not as this step wrote it. "
                "Delete the file to have it written again."
            )

        return self._change(step, output, change)

    def _change_document(self, step: Step, output: str, change: Callable[[bytes], tuple[bytes, str]]) -> str:
        """Change a document, which begins with the sections of its phase; return what `change` says of it."""
        return self._change(
            step, output, lambda found: change(self._skeleton(step, output) if found is None else found)
        )

    def _change(self, step: Step, name: str, change: Change[Result]) -> Result:
        """Change one output of a step; it is noted before anything is written."""

        def note_and_change(found: bytes | None) -> tuple[bytes | None, Result]:
            document, result = change(found)
            if document is not None and document != found:
                self._log.note_change(step.step_id, name, found, document)
            return document, result

        return change_artifact(self.folder, name, note_and_change)

    def _phase(self, step: Step) -> tuple[Step, ...]:
        steps = dict.fromkeys((*self.steps, step))
        return tuple(other for other in steps if other.step_id[:2] == step.step_id[:2])

    def _skeleton(self, step: Step, output: str) -> bytes:
        """Return a new document with the sections that the phase's steps fill.

        Its title is the file's name: `nfr-matrix.md` is `NFR Matrix`.
        """
        headings = dict.fromkeys(
            strip_numbering(heading)
            for other in self._phase(step)
            if output in other.outputs
            for heading in _headings(other, output)
        )
        words = output.rpartition(".")[0].replace("_", "-").replace(" ", "-").split("-")
        title = " ".join(word.upper() if word in _ACRONYMS else word.capitalize() for word in words if word)
        return write_skeleton(title, escape_markdown(read_item(self.folder).name), tuple(headings))

    def first_markdown(self, step: Step) -> str | None:
        """The phase's first markdown artifact that is there, else the first that a step would write."""
        names = [output for other in self._phase(step) for output in other.outputs if is_markdown(output)]
        usable = [name for name in names if explain_refusal(self.folder, name) is None]
        there = (name for name in usable if (self.folder / name).is_file())
        return next(there, next(iter(usable or names), None))

    def _read(self, names: Iterable[str]) -> tuple[list[Material], list[str]]:
        """Return what can be read of these files, and what is wrong with the others."""
        found: list[Material] = []
        problems: list[str] = []
        for name in dict.fromkeys(names):
            try:
                found.append(Material(name, decode_text(read_artifact(self.folder, name))))
            except FileNotFoundError:
                problems.append(f"{one_line(name)} (file not found)")
            except DiskFailed as error:
                problems.append(f"{one_line(name)} ({reason_of(error)})")
        return found, problems


def _read_step_answers(steps: Iterable[Step], output: str, text: str) -> dict[tuple[str, str], str]:
    """Return the answers that stand in a document, by step and label."""
    shape = read_outline(text.encode())
    return {
        (step.step_id, label): answer
        for step in steps
        if output in step.outputs
        for heading in _headings(step, output)
        for label, answer in read_labelled_answers(shape, step, heading).items()
    }


def find_answered(steps: Iterable[Step], output: str, text: str) -> frozenset[tuple[str, str]]:
    """Return the answers that a document holds in any form, by step and label; an open question is one."""
    asked = {question for _, question in find_asked_questions(text)}
    mine = [step for step in steps if output in step.outputs]
    unknown = {
        (step.step_id, question.label)
        for step in mine
        for question in step.every_question
        if question.text in asked
    }
    return frozenset({*unknown, *_read_step_answers(mine, output, text), *read_answers({output: text}, "")})


def _headings(step: Step, output: str) -> tuple[str, ...]:
    """The sections that a step writes in an output."""
    own = tuple(target.section for target in step.targets if target.output == output)
    return own or (step.title,)


def _heading_in(document: bytes, heading: str) -> str:
    """The heading as it stands in the document."""
    found = find_named_sections(read_outline(document).sections, heading)
    return one_line(found[0].heading if found else heading)


def _heading_around(document: bytes, marker: bytes) -> str:
    """The heading of the section that holds the block behind a marker."""
    place, found = document.index(marker), read_outline(document).sections
    level = next((section.level for section in found if section.start > place), DEEPEST)
    above = [each for each in found if each.start < place < each.end and not each.elaboration]
    around = [each.heading for each in above if each.level < level or level == DEEPEST]
    return around[-1] if around else ADDITIONAL


def _cut_to_limit(found: list[Material], limit: int) -> tuple[Material, ...]:
    """The documents, cut so that they have `limit` characters together."""
    kept: list[Material] = []
    for material in found:
        if limit > 0:
            text = material.text if len(material.text) <= limit else f"{material.text[:limit]}\n[...]"
            kept.append(Material(material.name, text))
        limit -= len(material.text)
    return tuple(kept)


def read_questions(folder: Path, steps: tuple[Step, ...], roster: Roster) -> tuple[OpenQuestion, ...]:
    """Return every question that the documents leave or left open, in the order of the steps."""
    found = list_questions(Outputs(folder, steps).documents())
    return tuple(each if each.resolver else _name_asker(each, steps, roster) for each in found)


def _name_asker(question: OpenQuestion, steps: tuple[Step, ...], roster: Roster) -> OpenQuestion:
    """Return a question that a step left open, with who asked it."""
    for step in steps:
        for each in step.every_question if question.file in step.outputs else ():
            if question.words in (each.text, each.without):
                persona = roster[step.persona].title if step.persona in roster else step.persona
                return replace(question, resolver=f"asked by {persona}, step {step.step_id}")
    return question


def write_answer(folder: Path, steps: tuple[Step, ...], question: OpenQuestion, answer: str) -> str:
    """Add an answer where its question stands, with today's date, and return the file.

    A question in a data file is answered in a document of the same phase. The lock is the caller's business.
    """
    if not one_line(answer):
        raise RuleBroken(f"The answer is empty. {UNCHANGED}")
    date, file = files.timestamp()[:10], question.file
    owner = next((step for step in steps if file in step.outputs), None)
    if owner is not None and not is_markdown(file):
        file = Outputs(folder, steps).first_markdown(owner) or file

    def change(found: bytes | None) -> tuple[bytes, None]:
        if found is None or not is_markdown(file):
            raise RuleBroken(f"There is no document to put the answer into. {UNCHANGED}")
        if file == question.file:
            return add_answer(found, question.line, question.words, answer, date), None
        words = quote_answer(question.words, answer, date)
        return insert_addition(found, words, topic=owner.title if owner else "").document, None

    change_artifact(folder, file, change)
    return file


def read_hand_off(
    folder: Path, steps: tuple[Step, ...], roster: Roster, lines_of: LinesOf = lambda _: 0
) -> HandOff:
    """Return what the item's documents say to whoever builds it; `lines_of` tells which files there are."""
    from ..documents.handoff import collect_hand_off  # late: needed once, at the end

    documents = Outputs(folder, steps).documents()
    return collect_hand_off(read_item(folder), documents, read_questions(folder, steps, roster), lines_of)
