"""Text added to a document, nothing else changed: additions, a step's own text, notes (ART-4, ART-7)."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from ..core import lazy_re as re
from ..core.errors import RuleBroken
from ..core.markers import (
    ElaborationMarker,
    EndMarker,
    FeedbackMarker,
    NoneMarker,
    StepMarker,
    WithdrawnMarker,
    parse_marker,
)
from ..core.steps import Step
from ..core.text import clean_text, escape_markdown, strip_unprintable, unescape_markdown
from .outline import (
    ADDITIONAL,
    DEEPEST,
    Outline,
    Section,
    choose_section,
    decode_document,
    find_block_end,
    find_named_sections,
    is_open,
    parse,
    read_outline,
)

if TYPE_CHECKING:
    from markdown_it.token import Token

_REFUSAL = (
    "The text cannot be added without changing how the rest of the document reads. Nothing was changed. "
    "Add it by hand."
)
_BLOCK_FIELDS = ("**Participants**: ", "**Turns**: ")
_ENDING = re.compile(rb"\r\n|\n|\r")
_BLANK_LINE = re.compile(rb"[ \t]*(?:[\r\n]|\Z)")
_JOINING = re.compile(rb"(?:[ \t]*[\r\n])*(?:[ \t]+[^ \t\r\n]|(?:[-+*]|[0-9]{1,9}[.)])(?:[ \t\r\n]|\Z))")


class Addition(Struct, frozen=True):
    """A document with text added: which bytes are new, and the section they went into, if one fitted."""

    document: bytes
    start: int
    length: int
    heading: str | None


def insert_addition(
    document: bytes, block: str, *, topic: str, section: str | None = None, step_id: str = ""
) -> Addition:
    """Return the document with the block at the end of the section that fits, and nothing else changed.

    With `step_id` that is the step's own, named `topic`; of several the one that holds its text. Where
    nothing fits, a section is made at the end: of that name, else for what is additional.
    """
    shape = read_outline(document)
    own_texts = find_step_texts(shape)
    intact = [own for own in own_texts if own.is_intact]
    # The headings inside a step's own text are part of it: text among them would count as an edit.
    free = [
        found for found in shape.sections if not any(own.start <= found.start < own.end for own in intact)
    ]
    if step_id:
        chosen, level = _find_step_section(free, own_texts, step_id, topic), 2
        named = made = clean_heading(topic)
    else:
        chosen, level = choose_section(free, topic=topic, section=section), 3
        named, made = None, ADDITIONAL
    start = "" if chosen else f"{'#' * level} {made}\n\n"
    if chosen:
        named, level = chosen.heading, chosen.level
    position = find_section_end(shape, chosen) if chosen else find_document_end(shape)
    for text in _safe_forms(block, level, is_addition=True):
        if not text:
            return Addition(document, position, 0, named)
        new = _set_apart(shape, position, start + text)
        if addition := _replace(shape, position, position, new, named):
            return addition
    raise RuleBroken(_REFUSAL)


def write_section(document: bytes, *, step_id: str, heading: str, text: str) -> bytes:
    """Return the document with the step's text in its section, replacing what it wrote and nobody edited."""
    shape = read_outline(document)
    own_texts = find_step_texts(shape)
    section = _find_step_section(shape.sections, own_texts, step_id, heading)
    mine = [own for own in own_texts if section and _is_inside(own, section, step_id)]
    intact = [own for own in mine if own.is_intact]
    for form in _safe_forms(text, section.level if section else 2, is_addition=False):
        if intact:
            start, end = intact[-1].start, intact[-1].end
            marked = _mark_step_text(step_id, form + _guard_against_joining(document[end:]))
            if marked.partition("\n")[0] == str(intact[-1].marker):
                return document
            new = marked.replace("\n", shape.newline).encode("utf-8")
        else:
            marked, name = _mark_step_text(step_id, form), clean_heading(heading)
            start = end = (
                _find_place_after(shape, own_texts, section, mine) if section else find_document_end(shape)
            )
            new = _set_apart(shape, start, marked if section else f"## {name}\n\n{marked}")
        if change := _replace(shape, start, end, new):
            return change.document
    raise RuleBroken(_REFUSAL)


def write_skeleton(title: str, item: str, headings: Sequence[str]) -> bytes:
    """Return a new markdown output: its title, the item it is about, and its sections, numbered."""
    names = [f"## {number}. {clean_heading(heading)}" for number, heading in enumerate(headings, 1)]
    parts = [f"# {clean_heading(title)}", f"**Item**: {clean_heading(item)}", *names]
    return ("\n\n".join(parts) + "\n").encode("utf-8")


def clean_heading(heading: str) -> str:
    """Return a heading's words on one line, without the signs that make it a heading."""
    return " ".join(strip_unprintable(heading).split()).lstrip("#").strip()


def insert_text(shape: Outline, position: int, text: str, *, is_apart: bool = True) -> bytes:
    """Return the document with the text at a line's start, with blank lines around it if it stands apart.

    Raises RuleBroken where the rest would read differently.
    """
    is_ended = shape.document.endswith((b"\n", b"\r"), 0, position)
    line = f"{text}{shape.newline}" if is_ended else f"{shape.newline}{text}"
    new = _set_apart(shape, position, text) if is_apart else line.encode("utf-8")
    if addition := _replace(shape, position, position, new):
        return addition.document
    raise RuleBroken(_REFUSAL)


def find_section_end(shape: Outline, section: Section) -> int:
    """Return the place after all that a section holds, before its closing rule and anything left open."""
    blocks = shape.within(section.body, section.end)
    end = section.end
    if blocks and blocks[-1].open:
        end = blocks[-1].start
    else:
        while blocks and blocks[-1].kind == "hr":
            end = blocks.pop().start
    position = shape.settle(section.body, end)
    for own in find_step_texts(shape):
        if own.is_intact and own.start < position <= own.end:
            return next((start for start in shape.lines if start > own.end), len(shape.document))
    return position


def find_document_end(shape: Outline) -> int:
    """Return the place at the end of the document, before anything left open."""
    is_left_open = bool(shape.pieces) and shape.pieces[-1].open
    return shape.settle(shape.first, shape.pieces[-1].start if is_left_open else len(shape.document))


def _set_apart(shape: Outline, start: int, text: str) -> bytes:
    """Return the bytes of a text that blank lines set apart at a place of the document."""
    newline = shape.newline
    before, after = shape.document[:start], shape.document[start:]
    lead = 0 if start <= shape.first else 1 if before.endswith((b"\n", b"\r")) else 2
    tail = 1 if _BLANK_LINE.match(after) else 2
    # A lone carriage return and a line feed that meet would count as one line ending.
    lead += lead > 0 and before.endswith(b"\r") and newline == "\n"
    tail += newline == "\r" and after.startswith(b"\n")
    whole = (text + _guard_against_joining(after)).replace("\n", newline)
    return (newline * lead + whole + newline * tail).encode("utf-8")


def _guard_against_joining(after: bytes) -> str:
    """Return what keeps indented text or a list that follows from joining a list; else nothing."""
    return f"\n\n{EndMarker()}" if _JOINING.match(after) else ""


def _replace(shape: Outline, start: int, end: int, new: bytes, heading: str | None = None) -> Addition | None:
    """Return the document with new bytes for a stretch; None where the rest would read differently."""
    document = shape.document[:start] + new + shape.document[end:]
    shift = len(new) - (end - start)
    earlier = [each for each in shape.pieces if not start <= each.start < end]
    again = read_outline(document).pieces
    later = [each for each in again if not start <= each.start < start + len(new)]
    is_same = len(earlier) == len(later) and all(
        one.kind == other.kind
        and one.level == other.level
        and other.start == (one.start if one.start < start else one.start + shift)
        for one, other in zip(earlier, later, strict=True)
    )
    return Addition(document, start, len(new), heading) if is_same else None


# The note at the top of a document: which steps were skipped


def write_skip_note(skipped: Sequence[Step]) -> str:
    """Return `> Draft: steps 01-04 (Technical Context) and 01-05 (...) were skipped.`"""
    names = name_steps([f"{step.step_id} ({escape_markdown(step.title)})" for step in skipped])
    return f"> Draft: {names} skipped."


def name_steps(steps: Sequence[str]) -> str:
    """Return the steps as the subject of a sentence: `step 01-04 was`, `steps 01-04 and 01-05 were`."""
    if len(steps) == 1:
        return f"step {steps[0]} was"
    return f"steps {', '.join(steps[:-1])} and {steps[-1]} were"


def add_note(document: bytes, text: str) -> bytes:
    """Return the document with the note after its title and the item's line, once; nothing else changes."""
    if text.encode() in (line.strip() for line in document.splitlines()):
        return document
    shape = read_outline(document)
    position = shape.first
    pieces = list(shape.pieces)
    if pieces and pieces[0].kind == "front_matter":
        position = pieces.pop(0).end
    if pieces and pieces[0].level == 1:
        position = pieces.pop(0).end
        if pieces and document.startswith(b"**Item**", pieces[0].start):
            position = pieces[0].end
    return insert_text(shape, shape.settle(shape.first, position), text)


def drop_from_note(document: bytes, made_up: Step, every: Sequence[Step]) -> bytes:
    """Return the document with one step out of the notes on skipped steps that are still as we wrote them."""
    kept: list[bytes] = []
    for line in document.splitlines(keepends=True):
        named = [step for step in every if line.startswith(b"> Draft: ") and step.step_id.encode() in line]
        if made_up not in named or write_skip_note(named).encode() != line.strip():
            kept.append(line)
        elif rest := [step for step in named if step != made_up]:
            kept.append(line.replace(line.strip(), write_skip_note(rest).encode()))
        elif kept and not kept[-1].strip():
            kept.pop()  # of the blank lines around the note one stays
    return b"".join(kept)


# A block taken out again


class BlockPlace(Struct, frozen=True):
    """An elaboration block in a document, in bytes, from the heading made for it or its marker to its end."""

    start: int
    end: int
    bullets: tuple[tuple[str, str], ...]
    """Its list entries, each with the heading above it."""
    has_more: bool
    """Whether something that we did not write stands inside it."""


def find_block(shape: Outline, marker: ElaborationMarker) -> BlockPlace | None:
    """Return the place of the block behind a marker; None where the document does not have it."""
    pieces = shape.pieces
    at = next((number for number, each in enumerate(pieces) if each.marker == marker), None)
    if at is None:
        return None
    last, heading = at, ""
    is_filled, has_more = True, False
    bullets: list[tuple[str, str]] = []
    for number, piece in enumerate(pieces[at + 1 : find_block_end(pieces, at)], at + 1):
        if piece.kind == "heading":
            heading, is_filled = piece.text, False
        elif piece.kind in ("paragraph", "bullet_list") and not is_filled:
            is_filled = True
            for line in decode_document(shape.document[piece.start : piece.end]).split("\n"):
                if line.startswith("- "):
                    bullets += [(heading, line[2:])] if line != "- None" else []
                else:
                    has_more |= bool(line.strip()) and not line.startswith(_BLOCK_FIELDS)
        else:
            break
        last = number
    last += any(isinstance(each.marker, EndMarker) for each in pieces[last + 1 : last + 2])
    start = pieces[at].start
    before, after = pieces[at - 1] if at else None, pieces[last + 1] if last + 1 < len(pieces) else None
    if before is not None and before.kind == "heading" and before.text == ADDITIONAL:
        # The heading goes with the last block that stands under it.
        is_lone = after is None or (after.kind == "heading" and after.level <= before.level)
        # Before code or markup that nobody closed, up to the end, only a block is put that fits nowhere else.
        is_lone |= after is pieces[-1] and after.kind in ("fence", "html_block")
        start = before.start if is_lone else start
    return BlockPlace(start, shape.settle(start, pieces[last].end), tuple(bullets), has_more)


def take_out_block(shape: Outline, place: BlockPlace) -> tuple[bytes, bool]:
    """Return the document without a block, and whether inserting it again gives the same bytes.

    Where it does not, the blank lines around the block were changed; one on each side goes with it.
    """
    document = shape.document
    whole = decode_document(document[place.start : place.end]).rstrip("\n")
    text = whole.removesuffix(f"\n\n{EndMarker()}")
    text_end = len(document[: place.end].rstrip(b"\r\n"))
    text_before = document[: place.start].rstrip(b"\r\n")
    before = _ENDING.findall(document[len(text_before) : place.start])[-3:]
    after = _ENDING.findall(document[text_end : text_end + 6])[:3]
    starts = [place.start - len(b"".join(before[at:])) for at in range(len(before), -1, -1)]
    ends = [text_end + len(b"".join(after[:at])) for at in range(len(after) + 1)]
    # Usually one line ending before the text and one after it are the insertion's own.
    order = (1, 0, 2, 3)
    for start in [starts[at] for at in order if at < len(starts)]:
        for end in [ends[at] for at in order if at < len(ends)]:
            rest = document[:start] + document[end:]
            if rest[:start] + _set_apart(read_outline(rest), start, text) + rest[start:] == document:
                return rest, True
    start, end = (places[min(1, len(places) - 1)] for places in (starts, ends))
    return document[:start] + document[end:], False


# What a step wrote, under the marker that vouches for it


class StepText(Struct, frozen=True):
    """A step's marker and the text it vouches for, `start` to `end` in bytes, without the last line ending.

    Where the text is not intact, only the marker's own line is known to be the step's.
    """

    marker: StepMarker
    start: int
    end: int
    is_intact: bool


def find_step_texts(shape: Outline) -> tuple[StepText, ...]:
    """Return every step's marker in the document, in order."""
    found: list[StepText] = []
    for block in shape.pieces:
        if isinstance(marker := block.marker, StepMarker):
            own_end = _find_own_end(shape, block.end, marker)
            end = block.end if own_end is None else own_end
            tail = shape.document[end - 2 : end]
            ending = 2 if tail == b"\r\n" else int(tail.endswith((b"\n", b"\r")))
            is_intact = own_end is not None
            found.append(StepText(marker, block.start, end - ending, is_intact))
    return tuple(found)


def _find_own_end(shape: Outline, start: int, marker: StepMarker) -> int | None:
    """Return where the vouched text ends; None where it is not what the step wrote."""
    line = bisect_left(shape.lines, start)
    count = len(shape.lines) - 1

    def read_line() -> str:
        chunk = shape.document[shape.lines[line] : shape.lines[line + 1]]
        return chunk.decode("utf-8", "surrogateescape").rstrip("\r\n")

    if marker.length:
        while line < count and not read_line().strip(" \t"):
            line += 1
    own: list[str] = []
    left = marker.length
    while left > 0 and line < count:
        own.append(read_line())
        left -= len(own[-1]) + (len(own) > 1)
        line += 1
    if left or _digest("\n".join(own)) != marker.digest:
        return None
    end = shape.lines[line]
    is_attached = line < count and read_line().strip(" \t")
    # Whoever made a block of the text go on after it edited the step's text.
    runs_on = any(shape.settle(each.start, each.end) > end for each in shape.within(start, end))
    return None if is_attached or runs_on else end


def _mark_step_text(step_id: str, text: str) -> str:
    """Return a step's text under the marker that vouches for it."""
    marker = StepMarker(step_id, len(text), _digest(text))
    return f"{marker}\n\n{text}" if text else str(marker)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:8]


def _find_step_section(
    sections: Iterable[Section], own_texts: Sequence[StepText], step_id: str, heading: str
) -> Section | None:
    """Return the section of that name; of several, the first that holds this step's text, else the first."""
    found = find_named_sections(sections, heading)
    mine = (section for section in found if any(_is_inside(own, section, step_id) for own in own_texts))
    return next(mine, found[0] if found else None)


def _is_inside(own: StepText, section: Section, step_id: str) -> bool:
    return own.marker.step_id == step_id and section.start <= own.start < section.end


def _find_place_after(
    shape: Outline, own_texts: Sequence[StepText], section: Section, mine: Sequence[StepText]
) -> int:
    """Return the place after what the step wrote and others edited, before what was added to it since."""
    start = mine[-1].end if mine else section.body
    notes = [
        block.start
        for block in shape.within(start, section.end)
        if block.is_elaboration_marker or isinstance(block.marker, FeedbackMarker)
    ]
    notes += [each.start for each in shape.sections if each.elaboration and start <= each.start < section.end]
    if mine:
        notes += [own.start for own in own_texts if start <= own.start < section.end]
    return shape.settle(section.body, min(notes)) if notes else find_section_end(shape, section)


# Text made safe: closed, contained, at the right level

_ONE_COMMENT = re.compile(r"<!-- (?:(?!--|<!|>).)+ -->")
_COMMENT_SIGN = re.compile(r"<!--|-->")
_HEADING_SIGNS = re.compile(r" {0,3}#{1,6}")


def _safe_forms(block: str, level: int, *, is_addition: bool) -> Iterator[str]:
    """Yield the text as it can stand under a heading of that level: as it is if harmless, then as a list.

    An addition may begin with a marker, ours or that of another program, and stands under the section as one
    part of it.
    """
    body = clean_text(block).replace("\x85", " ").strip()
    marker, _, rest = body.partition("\n")
    if is_addition and _ONE_COMMENT.fullmatch(marker.rstrip()):
        marker, body = marker.rstrip(), rest.strip()
    else:
        marker = ""
    first, *others = body.split("\n")
    if first.startswith("#"):  # a title may be anybody's; all else is escaped where it is written
        first = first.replace("<!--", "&lt;!--").replace("-->", "--&gt;")
    lines = [first, *others]
    tokens, env = parse("\n".join(lines))
    if _is_harmless(lines, tokens) and not env.get("references"):
        _move_headings(lines, tokens, level, is_addition=is_addition)
        yield "\n\n".join(filter(None, (marker, "\n".join(lines))))
    title, *entries = (escape_markdown(unescape_markdown(each)) for each in (clean_heading(first), *others))
    heading = f"{'#' * min(level + 1, DEEPEST)} {title}" if body else ""
    listed = "\n".join(f"- {entry}" for entry in entries if entry)
    yield "\n\n".join(filter(None, (marker, heading, listed)))


def _is_harmless(lines: list[str], tokens: Sequence[Token]) -> bool:
    """Whether a text has no HTML, rule or underlined heading, and closes its code."""
    own = NoneMarker | WithdrawnMarker
    safe = {at for at, line in enumerate(lines) if isinstance(parse_marker(line), own)}
    blocks = [(token, range(*token.map)) for token in tokens if token.map]
    for token, covered in blocks:
        is_rule = token.type in ("hr", "heading_open") and not token.markup.startswith("#")
        if is_rule or (token.type == "html_block" and not safe.issuperset(covered)):
            return False
        if token.type in ("fence", "code_block"):
            safe.update(covered)
    has_comment = any(_COMMENT_SIGN.search(line) for at, line in enumerate(lines) if at not in safe)
    return not has_comment and not any(is_open(token, lines) for token, _ in blocks[-1:])


def _move_headings(lines: list[str], tokens: Sequence[Token], level: int, *, is_addition: bool) -> None:
    """Put the headings of a text below a level; of an addition the first right below it."""
    headings = {
        token.map[0]: int(token.tag[1])
        for token in tokens
        if token.type == "heading_open" and token.level == 0 and token.map
    }
    first, lowest = next(iter(headings.values()), 1), min(headings.values(), default=1)
    for number, (at, old) in enumerate(headings.items()):
        if not is_addition:
            new = old + max(0, level + 1 - lowest)
        else:
            new = max(old - first + level + 1, level + 2) if number else level + 1
        lines[at] = _HEADING_SIGNS.sub("#" * min(new, DEEPEST), lines[at], count=1)
