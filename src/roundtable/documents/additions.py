"""Add text to a document and change nothing else: additions, a step's own text, notes (ART-4, ART-7)."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from ..core import lazy_re as re
from ..core import markers
from ..core.errors import RuleBroken
from ..core.steps import Step
from ..core.text import clean_text, escape_markdown, parse_heading, strip_unprintable, unescape_markdown
from . import outline
from .blocks import read_entries

if TYPE_CHECKING:
    from markdown_it.token import Token

_CHANGING = ("> Draft: ", "**Status**: ")  # lines that say how far something is
_BLOCK_LINES = ("- ", "**Participants**: ", "**Turns**: ")  # how a block's lines begin, except headings
_FIRST_ENDING = re.compile(rb"\A(?:\r\n|\n|\r)")
_LAST_ENDING = re.compile(rb"(?:\r\n|\n|\r)\Z")
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

    With `step_id` that is the step's own section, named `topic`; of several, the one that holds its text. If
    none fits, a section is made at the end: of that name, or without `step_id` for additional insights.
    """
    shape = outline.read_outline(document)
    written = find_step_texts(shape)
    # The headings inside a step's own text are part of it: text among them would count as an edit.
    free = [each for each in shape.sections if not any(own.start <= each.start < own.end for own in written)]
    if step_id:
        chosen, _ = _find_step_section(free, written, step_id, topic)
        level, name = 2, clean_heading(topic)
    else:
        chosen = outline.choose_section(free, topic=topic, section=section)
        level, name = 3, outline.ADDITIONAL
    heading = chosen.heading if chosen else name if step_id else None
    start = "" if chosen else f"{'#' * level} {name}\n\n"
    position = find_end(shape, chosen)
    forms = _safe_forms(block, chosen.level if chosen else level, is_addition=True)
    texts = (_set_apart(shape, position, start + form) if form else b"" for form in forms)
    return _replace(shape, position, position, texts, heading)


def write_section(document: bytes, *, step_id: str, heading: str, text: str) -> bytes:
    """Return the document with the step's text in its section; it replaces old text that nobody edited."""
    shape = outline.read_outline(document)
    section, mine = _find_step_section(shape.sections, find_step_texts(shape), step_id, heading)
    intact = [own for own in mine if own.is_intact]
    if intact:
        start, end = intact[-1].start, intact[-1].end
    elif section:
        start = end = _find_place_after(shape, section, mine)
    else:
        start = end = find_end(shape)

    def render(form: str) -> bytes:
        form += _guard_against_joining(document[end:]) if intact else ""
        marker = markers.StepMarker(step_id, len(form), _digest(form))
        marked = f"{marker}\n\n{form}" if form else str(marker)
        if not intact:
            return _set_apart(shape, start, marked if section else f"## {clean_heading(heading)}\n\n{marked}")
        is_same = marker == intact[-1].marker
        return document[start:end] if is_same else marked.replace("\n", shape.newline).encode("utf-8")

    forms = _safe_forms(text, section.level if section else 2, is_addition=False)
    return _replace(shape, start, end, map(render, forms)).document


def write_skeleton(title: str, item: str, headings: Sequence[str]) -> bytes:
    """Return a new markdown output: its title, the item it is about, and its sections, numbered."""
    names = [f"## {number}. {clean_heading(heading)}" for number, heading in enumerate(headings, 1)]
    parts = [f"# {clean_heading(title)}", f"**Item**: {clean_heading(item)}", *names]
    return ("\n\n".join(parts) + "\n").encode("utf-8")


def clean_heading(heading: str) -> str:
    """Return a heading's words on one line, without the signs that make it a heading."""
    return " ".join(strip_unprintable(heading).split()).lstrip("#").strip()


def insert_text(shape: outline.Outline, position: int, text: str) -> bytes:
    """Return the document with the text inserted at a line's start; RuleBroken if the rest would change."""
    return _replace(shape, position, position, [_set_apart(shape, position, text)]).document


def find_end(shape: outline.Outline, section: outline.Section | None = None) -> int:
    """Return where a section, or else the document, ends: before a closing rule or an unclosed block."""
    body, end = (section.body, section.end) if section else (shape.lines[0], len(shape.document))
    blocks = shape.within(body, end)
    if blocks and blocks[-1].open:
        end = blocks[-1].start
    elif section:
        while blocks and blocks[-1].kind == "hr":
            end = blocks.pop().start
    position = shape.settle(body, end)
    texts = (own for own in find_step_texts(shape) if own.is_intact)
    return next((shape.line_after(own.end) for own in texts if own.start < position <= own.end), position)


def _set_apart(shape: outline.Outline, start: int, text: str) -> bytes:
    """Return a text as bytes, with the blank lines that set it apart at a place of the document."""
    newline = shape.newline
    before, after = shape.document[:start], shape.document[start:]
    lead = 0 if start <= shape.lines[0] else 1 if before.endswith((b"\n", b"\r")) else 2
    tail = 1 if _BLANK_LINE.match(after) else 2
    # A lone carriage return and a line feed that meet would count as one line ending.
    lead += lead > 0 and before.endswith(b"\r") and newline == "\n"
    tail += newline == "\r" and after.startswith(b"\n")
    whole = (text + _guard_against_joining(after)).replace("\n", newline)
    return (newline * lead + whole + newline * tail).encode("utf-8")


def _guard_against_joining(after: bytes) -> str:
    """Return a marker if indented text or a list follows, which would join our list; else nothing."""
    return f"\n\n{markers.EndMarker()}" if _JOINING.match(after) else ""


def _replace(
    shape: outline.Outline, start: int, end: int, texts: Iterable[bytes], heading: str | None = None
) -> Addition:
    """Return the document with a stretch replaced by the first text that leaves the rest reading as before.

    A heading reads the same whatever comes above it, unless that is left open. So if the headings next to
    the stretch still read as before, everything beyond them does. RuleBroken if no text fits.
    """
    headings = [each for each in shape.pieces if each.level and shape.document.startswith(b"#", each.start)]
    # A rule at the top becomes front matter if a line of the text closes it, however far below.
    is_ruled = any(each.kind == "hr" for each in shape.pieces[:1])
    first = max((each.start for each in headings if each.end <= start and not is_ruled), default=0)
    last = min((each.end for each in headings if each.start >= end), default=len(shape.document))
    rest = [each for each in shape.within(first, last) if not start <= each.start < end]
    for new in texts:
        document, moved = shape.document[:start] + new + shape.document[end:], len(new) - (end - start)
        outline.check_size(document)
        expected = [(each.kind, each.level, each.start + moved * (each.start >= end)) for each in rest]
        pieces = outline.read_outline(document[first : last + moved]).pieces
        places = [(each.kind, each.level, first + each.start) for each in pieces]
        if [each for each in places if not start <= each[2] < end + moved] == expected:
            return Addition(document, start, len(new), heading)
    failed = "The text cannot be added without changing how the rest of the document reads."
    raise RuleBroken(f"{failed} Nothing was changed. Add it by hand.")


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
    shape = outline.read_outline(document)
    position, pieces = shape.lines[0], list(shape.pieces)
    for is_top in (
        lambda piece: piece.kind == "front_matter",
        lambda piece: piece.level == 1,
        lambda piece: document.startswith(b"**Item**", piece.start),
    ):
        if pieces and is_top(pieces[0]):
            position = pieces.pop(0).end
    return insert_text(shape, shape.settle(shape.lines[0], position), text)


def drop_from_note(document: bytes, made_up: Step, every: Sequence[Step]) -> bytes:
    """Return the document with one step removed from the notes on skipped steps that nobody edited."""
    kept: list[bytes] = []
    for line in document.splitlines(keepends=True):
        named = [step for step in every if line.startswith(b"> Draft: ") and step.step_id.encode() in line]
        if made_up not in named or write_skip_note(named).encode() != line.strip():
            kept.append(line)
        elif rest := [step for step in named if step != made_up]:
            kept.append(line.replace(line.strip(), write_skip_note(rest).encode()))
        elif kept and not kept[-1].strip():
            kept.pop()  # one of the blank lines around the note stays
    return b"".join(kept)


# Taking a block out again


class BlockPlace(Struct, frozen=True):
    """Where an elaboration block is in a document, in bytes, including a heading that was made for it."""

    start: int
    end: int
    bullets: tuple[tuple[str, str], ...]  # its list entries, each with the heading above it
    has_more: bool  # it holds something that we did not write


def find_block(shape: outline.Outline, marker: markers.ElaborationMarker) -> BlockPlace | None:
    """Return the place of the block after a marker; None if the document does not have it."""
    pieces = shape.pieces
    at = next((number for number, each in enumerate(pieces) if each.marker == marker), None)
    if at is None:
        return None
    last, is_filled = at, True
    for number, piece in enumerate(pieces[at + 1 : outline.find_block_end(pieces, at)], at + 1):
        if piece.kind != "heading" and (is_filled or piece.kind not in ("paragraph", "bullet_list")):
            break  # what comes after the one list of a part is not ours
        last, is_filled = number, piece.kind != "heading"
    lines = outline.decode_document(shape.document[pieces[at].end : pieces[last].end]).split("\n")
    bullets = tuple((part, words) for _, part, words in read_entries(enumerate(lines)))
    rest = (line for line in lines if line.strip() and not parse_heading(line))
    has_more = not all(line.startswith(_BLOCK_LINES) for line in rest)
    last += any(isinstance(each.marker, markers.EndMarker) for each in pieces[last + 1 : last + 2])
    start, above, below = pieces[at].start, pieces[:at][-1:], pieces[last + 1 :]
    if above and above[0].kind == "heading" and above[0].text == outline.ADDITIONAL:
        # The heading is removed with the last block under it. If only unclosed code or markup follows, up to
        # the end, the block was put before it because it fitted nowhere else.
        is_lone = not below or (below[0].kind == "heading" and below[0].level <= above[0].level)
        is_lone |= len(below) == 1 and below[0].kind in ("fence", "html_block")
        start = above[0].start if is_lone else start
    return BlockPlace(start, shape.settle(start, pieces[last].end), bullets, has_more)


def take_out_block(shape: outline.Outline, place: BlockPlace) -> bytes:
    """Return the document without a block, and without one line ending on each side of it."""
    document = shape.document
    before, text = document[: place.start], document[place.start : place.end].rstrip(b"\r\n")
    after = document[place.start + len(text) :]
    return _LAST_ENDING.sub(b"", before) + _FIRST_ENDING.sub(b"", after)


# What a step wrote, under the marker that vouches for it


class StepText(Struct, frozen=True):
    """A step's marker and the text it vouches for, `start` to `end` in bytes, without the last line end."""

    marker: markers.StepMarker
    start: int
    end: int
    is_intact: bool  # else only the marker's own line is known to be the step's


def find_step_texts(shape: outline.Outline) -> tuple[StepText, ...]:
    """Return every step marker in the document with its text, in order."""
    found: list[StepText] = []
    for block in shape.pieces:
        if isinstance(marker := block.marker, markers.StepMarker):
            own_end = _find_own_end(shape, block.end, marker)
            end = own_end or block.end
            text_end = block.start + len(shape.document[block.start : end].rstrip(b"\r\n"))
            found.append(StepText(marker, block.start, text_end, own_end is not None))
    return tuple(found)


def find_lines_of_others(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines, with their numbers, that no step, feedback, discussion or note of ours wrote.

    A heading right above the text of a step or feedback was made for it, and is left out too.
    """
    shape = outline.read_outline(text.encode("utf-8", "surrogatepass"))
    pieces, step_ends = shape.pieces, {own.start: own.end for own in find_step_texts(shape)}
    ours: list[tuple[int, int]] = []
    for at, piece in enumerate(pieces):
        start = pieces[at - 1].start if at and pieces[at - 1].kind == "heading" else piece.start
        match piece.marker:
            case markers.StepMarker():
                ours.append((start, step_ends[piece.start]))
            case markers.FeedbackMarker():
                ours.append((start, pieces[at : at + 2][-1].end))
            case markers.ElaborationMarker() as marker if block := find_block(shape, marker):
                ours.append((block.start, block.end))
    for number, (start, line) in enumerate(zip(shape.lines, text.split("\n"), strict=False), 1):
        if not line.startswith(_CHANGING) and not any(begin <= start < after for begin, after in ours):
            yield number, line


def _find_own_end(shape: outline.Outline, start: int, marker: markers.StepMarker) -> int | None:
    """Return where the text that a marker vouches for ends; None if somebody changed the text."""
    own: list[str] = []
    left, end, is_attached = marker.length, start, False
    for at in range(bisect_left(shape.lines, start), len(shape.lines) - 1):
        chunk = shape.document[end : shape.lines[at + 1]]
        line = chunk.decode("utf-8", "surrogateescape").rstrip("\r\n")
        if left <= 0:
            is_attached = bool(line.strip(" \t"))
            break
        if own or line.strip(" \t"):
            own.append(line)
            left -= len(line) + (len(own) > 1)
        end = shape.lines[at + 1]
    # If a block of the text goes on beyond its end, somebody edited the step's text.
    runs_on = any(shape.settle(each.start, each.end) > end for each in shape.within(start, end))
    is_own = not left and _digest("\n".join(own)) == marker.digest
    return end if is_own and not is_attached and not runs_on else None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:8]


def _find_step_section(
    sections: Sequence[outline.Section], own_texts: Sequence[StepText], step_id: str, heading: str
) -> tuple[outline.Section | None, list[StepText]]:
    """Return the section of that name, preferably one with texts of this step, and these texts."""
    mine = [own for own in own_texts if own.marker.step_id == step_id]
    named = outline.find_named_sections(sections, heading)
    found = [(each, [own for own in mine if each.start <= own.start < each.end]) for each in named]
    return next((each for each in found if each[1]), found[0] if found else (None, []))


def _find_place_after(shape: outline.Outline, section: outline.Section, mine: Sequence[StepText]) -> int:
    """Return the place after the step's edited text, and before what was added to it since."""
    start = mine[-1].end if mine else section.body
    kinds = (markers.FeedbackMarker, markers.StepMarker) if mine else (markers.FeedbackMarker,)
    later = shape.within(start, section.end)
    added = [each.start for each in later if each.is_elaboration_marker or isinstance(each.marker, kinds)]
    added += [each.start for each in shape.sections if each.elaboration and start <= each.start < section.end]
    return shape.settle(section.body, min(added)) if added else find_end(shape, section)


# Text made safe: closed, contained, at the right level

_ONE_COMMENT = re.compile(r"<!-- (?:(?!--|<!|>).)+ -->")
_COMMENT_SIGN = re.compile(r"<!--|-->")
_HEADING_SIGNS = re.compile(r" {0,3}#{1,6}")


def _safe_forms(block: str, level: int, *, is_addition: bool) -> Iterator[str]:
    """Yield the text in forms that fit under a heading of that level: unchanged if harmless, then a list."""
    body = clean_text(block).replace("\x85", " ").strip()
    # An addition may begin with a marker, ours or that of another program.
    head, _, rest = body.partition("\n")
    marker = head.rstrip() if is_addition and _ONE_COMMENT.fullmatch(head.rstrip()) else ""
    body = rest.strip() if marker else body
    first, *others = body.split("\n")
    if first.startswith("#"):  # anybody may have typed a title; all else is escaped when written
        first = first.replace("<!--", "&lt;!--").replace("-->", "--&gt;")
    lines = [first, *others]
    tokens, env = outline.parse("\n".join(lines))
    if _is_harmless(lines, tokens) and not env.get("references"):
        _move_headings(lines, tokens, level, is_addition=is_addition)
        yield "\n\n".join(filter(None, (marker, "\n".join(lines))))
    title, *entries = (escape_markdown(unescape_markdown(each)) for each in (clean_heading(first), *others))
    heading = f"{'#' * min(level + 1, outline.DEEPEST)} {title}" if body else ""
    listed = "\n".join(f"- {entry}" for entry in entries if entry)
    yield "\n\n".join(filter(None, (marker, heading, listed)))


def _is_harmless(lines: list[str], tokens: Sequence[Token]) -> bool:
    """Whether a text has no HTML, rule or underlined heading, and closes its code."""
    safe = {at for at, line in enumerate(lines) if isinstance(markers.parse_marker(line), markers.NoneMarker)}
    blocks = [(token, range(*token.map)) for token in tokens if token.map]
    for token, covered in blocks:
        is_rule = token.type in ("hr", "heading_open") and not token.markup.startswith("#")
        if is_rule or (token.type == "html_block" and not safe.issuperset(covered)):
            return False
        if token.type in ("fence", "code_block"):
            safe.update(covered)
    has_comment = any(_COMMENT_SIGN.search(line) for at, line in enumerate(lines) if at not in safe)
    return not has_comment and not any(outline.is_open(token, lines) for token, _ in blocks[-1:])


def _move_headings(lines: list[str], tokens: Sequence[Token], level: int, *, is_addition: bool) -> None:
    """Move the headings of a text below a level; an addition's first heading goes right below it."""
    opened = (token for token in tokens if token.type == "heading_open" and token.level == 0)
    headings = {token.map[0]: int(token.tag[1]) for token in opened if token.map}
    first, lowest = next(iter(headings.values()), 1), min(headings.values(), default=1)
    for number, (at, old) in enumerate(headings.items()):
        is_later = number > 0
        new = level + 1 + max(old - first, is_later) if is_addition else max(old, old - lowest + level + 1)
        lines[at] = _HEADING_SIGNS.sub("#" * min(new, outline.DEEPEST), lines[at], count=1)
