"""The note at the top of a draft that says which steps were skipped (rule MENU-4)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ..core import lines
from ..core.commands import UpdateArtifacts, WriteDrafts, WriteFeedback, WriteStep
from ..core.errors import DiskFailed, ItemCorrupt, RuleBroken
from ..core.events import SectionText
from ..core.steps import Step
from ..core.text import escape_markdown, neutralize_markdown, unescape_markdown, strip_unprintable
from ..core.turns import Material
from ..documents.additions import (
    add_feedback,
    insert_addition,
    write_skeleton,
    splice_text,
    leaves_rest_unchanged,
    write_section,
)
from ..documents.answers import OPEN_QUESTION, read_labelled_answers
from ..documents.outline import (
    ADDITIONAL,
    Outline,
    find_named_sections,
    strip_numbering,
    read_outline,
    read_sections,
)
from . import data_files, files, meta
from .artifact import (
    RESERVED,
    change_artifact,
    is_markdown,
    read_artifact,
    reason_of,
    explain_refusal,
    one_line,
)
from .files import read_journal_file
from .items import read_item
from .lock import journal_folder
from .transcript import check_writable


def write_skip_note(skipped: Sequence[Step]) -> str:
    """`> Draft: steps 01-04 (Technical Context) and 01-05 (...) were skipped.`"""
    return f"> Draft: {name_steps([f'{step.step_id} ({neutralize_markdown(step.title)})' for step in skipped])} skipped."


def named(steps: Sequence[str]) -> str:
    """The steps as the subject of a sentence: `step 01-04 was`, `steps 01-04 and 01-05 were`."""
    if len(steps) == 1:
        return f"step {steps[0]} was"
    return f"steps {', '.join(steps[:-1])} and {steps[-1]} were"


def with_note(document: bytes, text: str) -> bytes:
    """The document with the note right after its title, once, and nothing else changed."""
    shape = read_outline(document)
    if text.encode() in (line.strip() for line in document.splitlines()):
        return document
    position = _after_title(shape)
    addition = splice_text(shape, position, position, text)
    if not leaves_rest_unchanged(shape, addition, removed=0):
        raise RuleBroken(
            "The note on skipped steps cannot be added without changing how the rest of the document reads. "
            "Nothing was changed. Add it by hand."
        )
    return addition.document


def _after_title(shape: Outline) -> int:
    """The place after front matter, a first heading that is a title, and the item's line below it."""
    position = shape.first
    pieces = list(shape.pieces)
    if pieces and pieces[0].kind == "front_matter":
        position = pieces.pop(0).end
    if pieces and pieces[0].kind == "heading" and pieces[0].level == 1:
        position = pieces.pop(0).end
        if pieces and shape.document.startswith(b"**Item**", pieces[0].start):
            position = pieces[0].end
    return shape.settle(shape.first, position)


_NAME = "written.json"


def is_own(folder: Path, name: str, step_id: str, document: bytes) -> bool:
    """True where the step wrote the file exactly as it stands."""
    return _digest(document) in _digests(_read_digests(folder), name, step_id)


def remember(folder: Path, name: str, step_id: str, document: bytes) -> None:
    """Note what the step is about to write; what it wrote before counts until the new file is in place."""
    known = _read_digests(folder)
    before = _digests(known, name, step_id)
    new = _digest(document)
    if before[-1:] == [new]:
        return
    known[name] = {"step": step_id, "digests": [*before[-1:], new]}
    files.write(journal_folder(folder) / _NAME, meta.render_json(known).encode())


def _known(folder: Path) -> dict[str, Any]:
    try:
        found = meta.parse_json(read_journal_file(folder, _NAME))
    except (FileNotFoundError, DiskFailed, ItemCorrupt, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _digests(known: dict[str, Any], name: str, step_id: str) -> list[str]:
    entry = known.get(name)
    if not isinstance(entry, dict) or entry.get("step") != step_id:
        return []
    digests = entry.get("digests")
    return [each for each in digests if isinstance(each, str)] if isinstance(digests, list) else []


def _digest(document: bytes) -> str:
    return hashlib.sha256(document).hexdigest()


MAX_MATERIAL_LENGTH = 60_000
"""How many characters of documents a panel is given."""

_CUT = "\n[...]"
_ACRONYMS = frozenset({"api", "csv", "json", "nfr", "ui", "ux"})


class Outputs:
    """The documents and data files in an item's folder that its steps write."""

    def __init__(self, folder: Path, steps: tuple[Step, ...]) -> None:
        self.folder = folder
        self.steps = steps

    def update(self, command: UpdateArtifacts) -> tuple[str, ...]:
        """Add the block of an elaboration to each markdown output, once; one announcement per output.

        DiskFailed where a block cannot be written and no transcript could be either: nothing counts then.
        """
        outputs = tuple(dict.fromkeys(command.step.outputs))
        announcements = [self._updated(command, output) for output in outputs]
        if not any(map(is_markdown, outputs)) and (first := self._first_markdown(command.step)):
            announcements.append(self._updated(command, first))
        return tuple(announcements)

    def write_step(self, command: WriteStep) -> tuple[str, ...]:
        """Write each section that a step drafted; DiskFailed where one cannot be written."""
        announcements = []
        for section in command.sections:
            try:
                announcements.append(self._written(command.step, section))
            except RuleBroken as error:
                raise _not_written(section.target.output, reason_of(error)) from error
        return tuple(announcements)

    def write_feedback(self, command: WriteFeedback) -> tuple[str, ...]:
        """Add the user's words to the step's section, once; DiskFailed where they cannot be saved."""
        step = command.step
        marker = f"<!-- Feedback: step {step.step_id}, {command.at} -->"
        block = f"{marker}\n- **Feedback**: {escape_markdown(command.words)}"
        own = [output for output in step.outputs if is_markdown(output)]
        names = dict.fromkeys([*own, *filter(None, [self._first_markdown(step)])])
        output = next((name for name in names if not self._obstacle(name)), None)
        if output is None:
            reasons = [f"{one_line(name)} ({self._obstacle(name)})" for name in names]
            return (_not_added(" or ".join(reasons) or "any document of this phase"),)
        heading = step.section(output) or step.title

        def change(found: bytes | None) -> tuple[bytes, str]:
            document = self._skeleton(step, output) if found is None else found
            if marker.encode() not in document:
                addition = add_feedback(document, step_id=step.step_id, heading=heading, block=block)
                document = addition.document
            return document, _heading_in(document, heading)

        try:
            place = change_artifact(self.folder, output, change)
        except RuleBroken as error:
            return (_not_added(f"{one_line(output)} ({reason_of(error)})"),)
        return (lines.artifact_updated(one_line(output), place, "your feedback"),)

    def write_drafts(self, command: WriteDrafts) -> tuple[str, ...]:
        """Make sure that each document of a skipped step exists and says at its top what was skipped."""
        outputs = [output for step in (*command.done, *command.skipped) for output in step.outputs]
        announcements = []
        for output in dict.fromkeys(filter(is_markdown, outputs)):
            missing = [step for step in command.skipped if output in step.outputs]
            if missing:
                announcements.append(self._drafted(output, missing))
        return tuple(announcements)

    def material(self, step: Step, limit: int = MAX_MATERIAL_LENGTH) -> tuple[Material, ...]:
        """The step's outputs as text, `limit` characters together; DiskFailed where none can be read."""
        found, problems = self._read(step.outputs)
        if not found:
            raise DiskFailed(
                f"Could not read what step {step.step_id} wrote: {', '.join(problems)}.",
                saved="Nothing was changed.",
                do="Put the file back, or run the step again.",
            )
        return _cut_to_limit(found, limit)

    def all_material(self, limit: int = MAX_MATERIAL_LENGTH) -> tuple[Material, ...]:
        """Every markdown artifact in the folder as text, in the order of the steps, then by name."""
        try:
            names = sorted(path.name for path in self.folder.iterdir())
        except OSError:
            return ()
        ordered = dict.fromkeys(output for step in self.steps for output in step.outputs if output in names)
        every = (*ordered, *(name for name in names if name not in ordered))
        found, _ = self._read(name for name in every if is_markdown(name) and name.lower() not in RESERVED)
        return _cut_to_limit(found, limit)

    def documents(self) -> tuple[Material, ...]:
        """Every file that the steps write, whole: what ids and references are read from."""
        found, _ = self._read(output for step in self.steps for output in step.outputs)
        return tuple(found)

    def stored_answers(self) -> dict[tuple[str, str], str]:
        """The answers that stand in the artifacts, by step and label."""
        documents: dict[str, Outline] = {}
        for output in {output for step in self.steps for output in step.outputs if is_markdown(output)}:
            try:
                documents[output] = read_outline(read_artifact(self.folder, output))
            except (FileNotFoundError, DiskFailed, RuleBroken):
                continue
        return {
            (step.step_id, label): text
            for step in self.steps
            for output in step.outputs
            if output in documents
            for heading in _headings(step, output)
            for label, text in read_labelled_answers(documents[output], step, heading).items()
        }

    def open_questions(self, step: Step) -> frozenset[str]:
        """The questions that stand as open in the documents that a step writes."""
        found, _ = self._read(output for output in step.outputs if is_markdown(output))
        lines_of = (line.strip() for each in found for line in each.text.splitlines())
        return frozenset(
            unescape_markdown(line.removeprefix(OPEN_QUESTION))
            for line in lines_of
            if line.startswith(OPEN_QUESTION)
        )

    def _updated(self, command: UpdateArtifacts, output: str) -> str:
        """Add the block to one output, and say what came of it."""
        name = one_line(output)
        if reason := explain_refusal(self.folder, output):
            return lines.not_updated(name, reason)
        if not is_markdown(output):
            return lines.left_alone(name)
        step = command.step
        section = step.section(output)

        def change(found: bytes | None) -> tuple[bytes | None, str | None]:
            if found is None:
                return None, None
            if command.marker.encode() in found:
                return found, _heading_around(found, command.marker.encode())
            block = f"{command.marker}\n\n{command.block}"
            addition = insert_addition(found, block, topic=step.title, section=section)
            return addition.document, addition.heading or ADDITIONAL

        try:
            heading = change_artifact(self.folder, output, change)
        except DiskFailed as failure:
            if files.is_disk_wide(failure):
                raise
            check_writable(self.folder)
            return lines.not_updated(name, reason_of(failure))
        except RuleBroken as error:
            return lines.not_updated(name, reason_of(error))
        if heading is None:
            return lines.not_found(name)
        return lines.artifact_updated(name, one_line(heading), command.description)

    def _written(self, step: Step, section: SectionText) -> str:
        output, heading = section.target.output, section.target.section
        if not is_markdown(output):
            return self._data_written(step, section)

        def change(found: bytes | None) -> tuple[bytes, str]:
            document = self._skeleton(step, output) if found is None else found
            document = write_section(document, step_id=step.step_id, heading=heading, text=section.text)
            return document, _heading_in(document, heading)

        place = change_artifact(self.folder, output, change)
        return f'Wrote {one_line(output)}, section "{place}".'

    def _data_written(self, step: Step, section: SectionText) -> str:
        output = section.target.output
        new = data_files.render_data(output, section.target.section, section.text)

        def change(found: bytes | None) -> tuple[bytes | None, data_files.Merged]:
            if found is None or found == new or is_own(self.folder, output, step.step_id, found):
                remember(self.folder, output, step.step_id, new)
                return new, data_files.Merged(new)
            merged = data_files.merge_data(output, found, new)
            return merged.document, merged

        merged = change_artifact(self.folder, output, change)
        if merged.document is None:
            return f"Left {one_line(output)} as it is: {one_line(merged.remark)}."
        return f"Wrote {one_line(output)}. {merged.remark}".strip() + ("." if merged.remark else "")

    def _drafted(self, output: str, missing: list[Step]) -> str:
        note = write_skip_note(missing)

        def change(found: bytes | None) -> tuple[bytes, None]:
            document = self._skeleton(missing[0], output) if found is None else found
            return add_note(document, note), None

        if reason := self._obstacle(output):
            return f"Could not mark {one_line(output)} as a draft ({reason})."
        try:
            change_artifact(self.folder, output, change)
        except RuleBroken as error:
            return f"Could not mark {one_line(output)} as a draft ({reason_of(error)})."
        ids = name_steps([step.step_id for step in missing])
        return f"{one_line(output)} is a draft: it says at its top that {ids} skipped."

    def _phase(self, step: Step) -> tuple[Step, ...]:
        steps = dict.fromkeys((*self.steps, step))
        return tuple(other for other in steps if other.step_id[:2] == step.step_id[:2])

    def _skeleton(self, step: Step, output: str) -> bytes:
        """A new document with the sections that the phase's steps fill."""
        headings = dict.fromkeys(
            strip_numbering(heading)
            for other in self._phase(step)
            if output in other.outputs
            for heading in _headings(other, output)
        )
        item = escape_markdown(read_item(self.folder).name)
        return write_skeleton(_title(output), item, tuple(headings))

    def _first_markdown(self, step: Step) -> str | None:
        """The phase's first markdown artifact that is there, else the first that a step would write."""
        names = [output for other in self._phase(step) for output in other.outputs if is_markdown(output)]
        usable = [name for name in names if explain_refusal(self.folder, name) is None]
        there = (name for name in usable if (self.folder / name).is_file())
        return next(there, next(iter(usable or names), None))

    def _obstacle(self, output: str) -> str | None:
        """What keeps an output from being changed by anyone, such as a folder of its name."""
        try:
            read_artifact(self.folder, output)
        except FileNotFoundError:
            return None
        except DiskFailed as error:
            return reason_of(error)
        return None

    def _read(self, names: Iterable[str]) -> tuple[list[Material], list[str]]:
        """What can be read of these files, and what is wrong with the others."""
        found: list[Material] = []
        problems: list[str] = []
        for name in dict.fromkeys(names):
            try:
                document = read_artifact(self.folder, name)
            except FileNotFoundError:
                problems.append(f"{one_line(name)} (file not found)")
            except DiskFailed as error:
                problems.append(f"{one_line(name)} ({reason_of(error)})")
            else:
                text = document.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")
                found.append(Material(name, strip_unprintable(text)))
        return found, problems


def answered_in(steps: Iterable[Step], output: str, text: str) -> frozenset[tuple[str, str]]:
    """Return the answers that stand in a document, each by step and label; an open question counts as one."""
    shape = read_outline(text.encode())
    lines_of = [line.strip() for line in text.splitlines()]
    asked = {
        unescape_markdown(line.removeprefix(OPEN_QUESTION))
        for line in lines_of
        if line.startswith(OPEN_QUESTION)
    }
    mine = [step for step in steps if output in step.outputs]
    told = {
        (step.step_id, label)
        for step in mine
        for heading in _headings(step, output)
        for label in read_labelled_answers(shape, step, heading)
    }
    unknown = {
        (step.step_id, question.label)
        for step in mine
        for question in (*step.brief, *step.standard, *step.deep)
        if question.text in asked
    }
    return frozenset(told | unknown)


def _headings(step: Step, output: str) -> tuple[str, ...]:
    """The sections that a step writes in an output."""
    own = tuple(target.section for target in step.targets if target.output == output)
    return own or (step.title,)


def _not_added(where: str) -> str:
    return f"Could not add your feedback to {where}."


def _not_written(output: str, reason: str) -> DiskFailed:
    return DiskFailed(
        f"Could not write {one_line(output)}: {reason}.",
        saved="The file is as it was, and your answers are kept.",
        do="Correct the file. Run the same command again.",
    )


def _heading_in(document: bytes, heading: str) -> str:
    """The heading as it stands in the document."""
    found = find_named_sections(read_sections(document), heading)
    return one_line(found[0].heading if found else heading)


def _heading_around(document: bytes, marker: bytes) -> str:
    """The heading of the section that holds the block behind a marker."""
    place = document.index(marker)
    found = read_sections(document)
    level = next((section.level for section in found if section.start > place), 6)
    around = [
        section.heading
        for section in found
        if section.start < place < section.end
        and not section.elaboration
        and (section.level < level or level == 6)
    ]
    return around[-1] if around else ADDITIONAL


def _within(found: list[Material], limit: int) -> tuple[Material, ...]:
    """The documents, cut so that they have `limit` characters together."""
    kept: list[Material] = []
    for material in found:
        text = material.text if len(material.text) <= limit else material.text[:limit] + _CUT
        if limit > 0:
            kept.append(Material(material.name, text))
        limit -= len(material.text)
    return tuple(kept)


def _title(output: str) -> str:
    """A file's name as a title: `nfr-matrix.md` is `NFR Matrix`."""
    words = output.rpartition(".")[0].replace("_", "-").replace(" ", "-").split("-")
    return " ".join(word.upper() if word in _ACRONYMS else word.capitalize() for word in words if word)
