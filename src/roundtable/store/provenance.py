"""Where a line of a document comes from: a discussion's turns, an answer, feedback, a step or an edit."""

import re
from collections.abc import Mapping
from difflib import SequenceMatcher
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ..core.errors import RuleBroken
from ..core.markers import FeedbackMarker
from ..core.steps import Step
from ..core.text import fold_text, parse_heading, unescape_markdown
from ..documents.additions import find_step_texts
from ..documents.blocks import CitedEntry, SpokenTurn, TranscriptContent, find_elaboration_blocks
from ..documents.outline import LABELLED, read_outline
from ..documents.page import join_lines
from ..documents.questions import ANSWER
from .artifact import read_documents
from .transcript import FOLDER, parse_transcripts

_PLACE = re.compile(r"^(?P<file>.+):(?P<line>\d{1,7})")
_EDITED = 0.6  # least similarity of a line to an edited entry of its block
_MOVED = 0.8  # the same, outside the entry's own block
_MAX_COMPARED = 600
_STEP_EDITED = "The step's text was edited since, so this line may be somebody's own."


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
    """Return the origin of `FILE:LINE`, or of every line with a text; raise RuleBroken if there is none."""
    documents = read_documents(folder, (".md",))
    transcripts = {each.name: each.content for each in parse_transcripts(folder) if each.content}
    place, wanted = _PLACE.fullmatch(where.strip()), fold_text(" ".join(where.split()))
    file = place["file"].rpartition(f"/{folder.name}/")[2].removeprefix("./") if place else ""
    lines = [
        (name, number)
        for name, text in documents.items()
        for number, words in enumerate(text.split("\n"), 1)
        if wanted and wanted in fold_text(unescape_markdown(" ".join(words.split())))
    ]
    if place and file in documents:
        written = documents[file].split("\n")[max(int(place["line"]) - 1, 0) : int(place["line"])]
        lines = [(file, int(place["line"]))]
        if not "".join(written).strip():
            raise RuleBroken(f"There is nothing in line {place['line']} of {file}.")
    elif place and (name := f"{FOLDER}/{Path(file).name}") in transcripts:
        return (_follow_turn(name, transcripts[name], int(place["line"])),)
    if not lines:
        names = ", ".join(documents) or "no documents"
        raise RuleBroken(f"No document has that text, or words in that line. The documents are: {names}.")
    return tuple(_find_origin(documents[name], name, line, transcripts, steps) for name, line in lines)


def _find_origin(
    text: str, file: str, line: int, transcripts: Mapping[str, TranscriptContent], steps: tuple[Step, ...]
) -> LineOrigin:
    words = text.split("\n")[line - 1]
    here = LineOrigin(file, line, words.strip())
    if answer := ANSWER.fullmatch(words):
        return replace(here, origin=f"An answer to an open question, added on {answer['date']}.")
    blocks = find_elaboration_blocks(file, text)
    block = next((each for each in blocks if each.line <= line < each.end), None)
    if block is not None:
        transcripts = {name: each for name, each in transcripts.items() if each.key == block.key}
        here = replace(here, text=here.text.removeprefix("- "))
    # Checked before the step: an entry that was moved may be among its lines now.
    is_entry = words.startswith("- ") and here.text != "None"
    known = [(name, each) for name, content in transcripts.items() for each in content.entries]
    found = ((_measure_likeness(join_lines(here.text), each), name, each) for name, each in known)
    likeness, name, entry = max(found, key=lambda each: each[0], default=(0.0, "", None))
    if entry is not None and (likeness >= _MOVED if block is None else is_entry and likeness >= _EDITED):
        moved = "It stands outside of its block now: somebody moved or copied it." if block is None else ""
        before = f'It was edited since. As it was written: "{unescape_markdown(entry.text)}"'
        remarks = tuple(filter(None, (moved, before if likeness < 1 else "")))
        return replace(_describe_entry(here, name, transcripts[name], entry), remarks=remarks)
    if block is None:
        return _find_writer(here, text, steps)
    origin = f"Part of the block of the roundtable on step {block.step_id}, {block.timestamp}."
    remark = "The transcript does not have it: somebody added it since." if is_entry else ""
    remark = remark if transcripts else "Its transcript is missing, so the turns are not known."
    transcript = next(iter(transcripts), "")
    return replace(here, origin=origin, transcript=transcript, remarks=(remark,) if remark else ())


def _measure_likeness(bullet: str, entry: CitedEntry) -> float:
    """Return how similar a list entry is to one of a transcript; 1 if it is the same."""
    texts = bullet[:_MAX_COMPARED], entry.text[:_MAX_COMPARED]
    ratio = SequenceMatcher(None, *texts, autojunk=False).ratio()
    return 1.0 if entry.is_written_as(bullet) else min(ratio, 0.99)


def _describe_entry(here: LineOrigin, name: str, content: TranscriptContent, entry: CitedEntry) -> LineOrigin:
    done = {"added": "added", "edited": "reworded"}.get(entry.review)
    said = f" (the user {done} it in the review)" if done else ""
    spoken = {turn.number: turn for turn in reversed(content.turns)}
    turns = tuple(spoken[number] for number in entry.turns if number in spoken)
    origin = f"{entry.part} of the roundtable on step {content.step_id}, {content.timestamp}{said}."
    return replace(here, origin=origin, turns=turns, transcript=name)


def _follow_turn(name: str, content: TranscriptContent, line: int) -> LineOrigin:
    """Return what the turn at a line of a transcript led to, or which turns the entry there comes from."""
    entry = next((each for each in content.entries if each.line == line), None)
    if entry is not None:
        return _describe_entry(LineOrigin(name, line, unescape_markdown(entry.text)), name, content, entry)
    turn = next((each for each in reversed(content.turns) if each.line - 1 <= line), None)
    if turn is None or any(each.line <= line for each in content.entries):
        raise RuleBroken(f"Line {line} of {name} belongs to no turn.")
    led_to = [each for each in content.entries if turn.number in each.turns]
    remarks = tuple(f"It led to {each.part}: {unescape_markdown(each.text)}" for each in led_to)
    here = LineOrigin(name, line, f"{turn.speaker}: {turn.text}", transcript=name)
    origin = f"Turn {turn.number} of the roundtable on step {content.step_id}, {content.timestamp}."
    return replace(here, origin=origin, remarks=remarks or ("It led to no entry of the synthesis.",))


def _find_writer(here: LineOrigin, text: str, steps: tuple[Step, ...]) -> LineOrigin:
    """Return which feedback, or which step and question, a line outside all blocks comes from."""
    shape = read_outline(text.encode())
    start = shape.lines[min(here.line, len(shape.lines)) - 1]
    for marker in [piece.marker for piece in shape.pieces if piece.start <= start][-2:]:
        if isinstance(marker, FeedbackMarker):  # on the line or right before it
            return replace(here, origin=f"The user's feedback on step {marker.step_id}, {marker.at}.")
    for own in [each for each in find_step_texts(shape) if each.start <= start][-1:]:
        # Text that was edited since may reach to the end of its section.
        ends = [len(shape.document), *(each.end - 1 for each in shape.sections if each.start < own.start)]
        if start <= (own.end if own.is_intact else ends[-1]):
            step_id, written = own.marker.step_id, f"Written by step {own.marker.step_id}."
            for step in (each for each in steps if each.step_id == step_id):
                label = _find_label(text.split("\n")[: here.line])
                asked = [each.text for each in step.every_question if each.label.replace("*", "") == label]
                said = f'The answer to "{asked[-1]}",' if asked else "Written by"
                written = f"{said} step {step_id} ({step.title})."
            return replace(here, origin=written, remarks=() if own.is_intact else (_STEP_EDITED,))
    return replace(here, origin="No discussion wrote it, and no step in these words.")


def _find_label(lines: list[str]) -> str:
    """Return the label above the last line, within its section; empty if there is none."""
    for line in reversed(lines):
        if found := LABELLED.fullmatch(line.strip()):
            return unescape_markdown(found["label"].strip())
        if parse_heading(line) or line.startswith("<!--"):
            break
    return ""
