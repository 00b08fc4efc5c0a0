"""Where a line of a document comes from: turns of a discussion, an answer, feedback, a step, a hand."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ..core.errors import RuleBroken
from ..core.steps import Step
from ..core.text import fold_text, parse_heading, unescape_markdown
from ..documents.additions import find_step_texts
from ..documents.blocks import (
    CitedEntry,
    ElaborationBlock,
    SpokenTurn,
    TranscriptContent,
    find_elaboration_blocks,
)
from ..documents.outline import LABELLED, read_outline
from ..documents.questions import find_answer_date
from .artifact import one_line, read_documents
from .transcript import FOLDER, parse_transcripts

_PLACE = re.compile(r"^(?P<file>.+):(?P<line>\d{1,7})")
_MARK = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+")
_FEEDBACK = re.compile(r"<!-- Feedback: step (?P<step>\S+), (?P<at>\S+) -->")
_EDITED, _MOVED = 0.6, 0.8
"""How alike a line and an entry are at least, inside and outside of the entry's own block."""
_MAX_COMPARED = 600
_OUR_LINES = re.compile(r"\*\*(?:Participants|Turns)\*\*.*|None")


class LineOrigin(Struct, frozen=True):
    """Where one line comes from: in words, with the turns behind it, and what changed since."""

    file: str
    line: int
    text: str
    origin: str = ""
    turns: tuple[SpokenTurn, ...] = ()
    transcript: str = ""
    remarks: tuple[str, ...] = ()


def find_origins(folder: Path, steps: tuple[Step, ...], where: str) -> tuple[LineOrigin, ...]:
    """Return where a line comes from, `FILE:LINE`, or every line that holds a piece of text.

    Raises RuleBroken if there is no such line.
    """
    documents = read_documents(folder, (".md",))
    transcripts = {each.name: each.content for each in parse_transcripts(folder) if each.content}
    if place := _PLACE.fullmatch(where.strip()):
        file, line = place["file"].removeprefix("./"), int(place["line"])
        name = f"{FOLDER}/{Path(file).name}"
        if name in transcripts:
            return (_follow_turn(name, transcripts[name], line),)
        if file in documents:
            lines = documents[file].split("\n")
            if not 1 <= line <= len(lines) or not lines[line - 1].strip():
                raise RuleBroken(f"There is nothing in line {line} of {one_line(file)}.")
            return (_find_origin(documents[file], file, line, transcripts, steps),)
    wanted = fold_text(" ".join(where.split()))
    found = [
        _find_origin(text, file, number, transcripts, steps)
        for file, text in documents.items()
        for number, words in enumerate(text.split("\n"), 1)
        if wanted and wanted in fold_text(unescape_markdown(" ".join(words.split())))
    ]
    gone = "No document holds it any more: it was taken back, dropped or reworded."
    found = found or [
        _describe_entry(
            LineOrigin(name, entry.line, unescape_markdown(entry.text)), name, content, entry, gone
        )
        for name, content in transcripts.items()
        for entry in content.entries
        if wanted and wanted in fold_text(unescape_markdown(entry.text))
    ]
    if not found:
        names = ", ".join(documents) or "no documents"
        raise RuleBroken(
            f"No document of the item holds that text, and no line has that place. There is: {names}."
        )
    return tuple(found)


def _find_origin(
    text: str, file: str, line: int, transcripts: dict[str, TranscriptContent], steps: tuple[Step, ...]
) -> LineOrigin:
    lines = text.split("\n")
    words = lines[line - 1].strip()
    bullet = _MARK.sub("", lines[line - 1], count=1).strip()
    here = LineOrigin(file, line, words)
    if date := find_answer_date(lines[line - 1]):
        return replace(here, origin=f"An answer to an open question, added on {date}.")
    for block in find_elaboration_blocks(file, text):
        if line == block.line or any(number == line for number, _ in block.lines):
            return _find_in_block(LineOrigin(file, line, bullet), block, transcripts)
    above = next((each for each in reversed(lines[: line - 1]) if each.strip()), "")
    if feedback := _FEEDBACK.fullmatch(words if "<!--" in words else above.strip()):
        return replace(here, origin=f"The user's feedback on step {feedback['step']}, {feedback['at']}.")
    # Before the step: an entry that was moved may stand among its lines now.
    for name, content in transcripts.items():
        entry, likeness = _find_nearest(bullet, content.entries)
        if entry is not None and likeness >= _MOVED:
            moved = "It stands outside of its block now: somebody moved or copied it."
            return _describe_entry(here, name, content, entry, moved, *_tell_edit(entry, likeness))
    return _find_step(here, text, steps)


def _find_in_block(
    here: LineOrigin, block: ElaborationBlock, transcripts: dict[str, TranscriptContent]
) -> LineOrigin:
    subject = f"the roundtable on step {block.step_id}, {block.timestamp}"
    own = next(((name, each) for name, each in transcripts.items() if each.key == block.key), None)
    if own is None:
        missing = ("Its transcript is missing, so the turns are not known.",)
        return replace(here, origin=f"From {subject}.", remarks=missing)
    name, content = own
    is_entry = any(number == here.line and text.startswith("- ") for number, text in block.lines)
    entry, likeness = _find_nearest(here.text, content.entries)
    if entry is not None and is_entry and likeness >= _EDITED:
        return _describe_entry(here, name, content, entry, *_tell_edit(entry, likeness))
    is_ours = here.line == block.line or parse_heading(here.text) or _OUR_LINES.fullmatch(here.text)
    added = () if is_ours else ("The transcript does not have it: somebody added it since.",)
    return replace(here, origin=f"Part of the block of {subject}.", transcript=name, remarks=added)


def _find_nearest(bullet: str, entries: tuple[CitedEntry, ...]) -> tuple[CitedEntry | None, float]:
    """Return the entry that is most like a line, and how alike they are: 1 where it is written so."""

    def compare(entry: CitedEntry) -> float:
        if entry.is_written_as(bullet):
            return 1.0
        texts = bullet[:_MAX_COMPARED], entry.text[:_MAX_COMPARED]
        return min(SequenceMatcher(None, *texts, autojunk=False).ratio(), 0.99)

    compared = ((entry, compare(entry)) for entry in entries)
    return max(compared, key=lambda each: each[1], default=(None, 0.0))


def _tell_edit(entry: CitedEntry, likeness: float) -> tuple[str, ...]:
    if likeness == 1:
        return ()
    return (f'It was edited since. As it was written: "{unescape_markdown(entry.text)}"',)


def _describe_entry(
    here: LineOrigin, name: str, content: TranscriptContent, entry: CitedEntry, *remarks: str
) -> LineOrigin:
    done = {"added": "added", "edited": "reworded"}.get(entry.review)
    said = f" (the user {done} it in the review)" if done else ""
    turns = tuple(turn for number in entry.turns if (turn := content.turn(number)))
    origin = f"{entry.part} of the roundtable on step {content.step_id}, {content.timestamp}{said}."
    return replace(here, origin=origin, turns=turns, transcript=name, remarks=remarks)


def _find_step(here: LineOrigin, text: str, steps: tuple[Step, ...]) -> LineOrigin:
    """Return what a step wrote into a line, or that a hand did."""
    shape = read_outline(text.encode())
    start = shape.lines[min(here.line, len(shape.lines)) - 1]
    top = min((each.start for each in shape.sections if each.start < start < each.end), default=start)
    texts = find_step_texts(shape)
    own = [each for each in texts if each.is_intact and each.start <= start <= each.end]
    edited = [each for each in texts if not each.is_intact and top < each.start < start]
    if not own and not edited:
        return replace(here, origin="No discussion and no step wrote it.")
    step_id = (own or edited[::-1])[0].step_id
    step = next((each for each in steps if each.step_id == step_id), None)
    title = f" ({step.title})" if step else ""
    asked = [*step.brief, *step.standard, *step.deep] if step else []
    label = _find_label(text.split("\n"), here.line)
    question = next((each.text for each in asked if each.label == label), "")
    said = f'The answer to "{question}", ' if question else "Written by "
    remarks = () if own else ("The step's text was edited since, so that this line may be somebody's own.",)
    return replace(here, origin=f"{said}step {step_id}{title}.", remarks=remarks)


def _find_label(lines: list[str], line: int) -> str:
    """Return the label that a line stands under."""
    for each in reversed(lines[:line]):
        if found := LABELLED.fullmatch(each.strip()):
            return unescape_markdown(found["label"].strip())
        if parse_heading(each) or each.startswith("<!--"):
            break
    return ""


def _follow_turn(name: str, content: TranscriptContent, line: int) -> LineOrigin:
    """Return what the turn in a line of a transcript led to."""
    entry = next((each for each in content.entries if each.line == line), None)
    if entry is not None:
        return _describe_entry(LineOrigin(name, line, unescape_markdown(entry.text)), name, content, entry)
    turn = next((each for each in reversed(content.turns) if each.line - 1 <= line), None)
    if turn is None or any(each.line <= line for each in content.entries):
        raise RuleBroken(f"Line {line} of {name} belongs to no turn.")
    led_to = [each for each in content.entries if turn.number in each.turns]
    remarks = tuple(f"It led to {each.part}: {unescape_markdown(each.text)}" for each in led_to)
    origin = f"Turn {turn.number} of the roundtable on step {content.step_id}, {content.timestamp}."
    said = f"{turn.speaker}: {turn.text}"
    return LineOrigin(
        name, line, said, origin, (), name, remarks or ("It led to no entry of the synthesis.",)
    )
