"""Text made fit to stand in a document: closed, contained, at the right level (rules ART-4, ART-7)."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..core.errors import RuleBroken
from ..core.text import neutralize_markdown, strip_unprintable
from .outline import (
    ADDITIONAL,
    Outline,
    Section,
    choose_section,
    find_named_sections,
    is_elaboration_marker,
    is_open,
    read_outline,
    parse,
    sections_of,
    list_open_sections,
)

if TYPE_CHECKING:
    from markdown_it.token import Token


_MARKER = re.compile(r"<!-- (?:(?!--|<!|>).)+ -->")
_ATX = re.compile(r" {0,3}#{1,6}")
_CLOSING_SIGNS = re.compile(r"(?:(?<![\\#])|(?<=\\#))#+$")
_DEEPEST = 6
_PASSES = 20

Levels = Callable[[Sequence[int]], Sequence[int]]


def child_of(level: int) -> Levels:
    """The first heading goes right under a heading of that level, and all others stay under the first."""

    def levels(old: Sequence[int]) -> Sequence[int]:
        top = level + 1
        rest = (max(each - old[0] + top, top + 1) for each in old[1:])
        return [min(each, _DEEPEST) for each in (top, *rest)]

    return levels


def below(level: int) -> Levels:
    """All headings move down together, only as far as the highest has to."""

    def levels(old: Sequence[int]) -> Sequence[int]:
        shift = max(0, level + 1 - min(old))
        return [min(each + shift, _DEEPEST) for each in old]

    return levels


def fitted(block: str, levels: Levels, *, marked: bool) -> str:
    """The block closed, contained and moved to its level; where `marked`, its first line may be a marker."""
    marker, body = _split_marker(block, marked)
    return _join_parts(marker, _move_headings(_disarm_text(body), levels))


def flattened(block: str, level: int, *, marked: bool) -> str:
    """The block as a heading and a plain list under its marker, for text that no gentler way makes safe."""
    marker, body = _split_marker(block, marked)
    first, *rest = body.split("\n")
    heading = f"{'#' * min(level + 1, _DEEPEST)} {neutralize_markdown(clean_heading(first))}"
    entries = "\n".join(f"- {neutralize_markdown(line)}" for line in rest if neutralize_markdown(line))
    return _join_parts(marker, _join_parts(heading, entries) if body else "")


def one_line(heading: str) -> str:
    """A heading's words on one line, without the signs that make it a heading."""
    return " ".join(strip_unprintable(heading).split()).lstrip("#").strip()


def _joined(first: str, second: str) -> str:
    return "\n\n".join(part for part in (first, second) if part)


def _parted(block: str, marked: bool) -> tuple[str, str]:
    """The marker in the first line, if there is one, and the rest without blank lines around it."""
    text = _trim_blank_lines(
        strip_unprintable(block.replace("\r\n", "\n").replace("\r", "\n").replace("\x85", " "))
    )
    first, _, rest = text.partition("\n")
    if marked and _MARKER.fullmatch(first.rstrip()):
        return first.rstrip(), _trim_blank_lines(rest)
    return "", text


def _trimmed(text: str) -> str:
    lines = text.split("\n")
    while lines and not lines[0].strip():
        del lines[0]
    while lines and not lines[-1].strip():
        del lines[-1]
    return "\n".join([lines[0].lstrip(), *lines[1:]]) if lines else ""


def _contained(body: str) -> str:
    """The body with HTML, link definitions and rules disarmed and its last fence closed."""
    for _ in range(_PASSES):
        before = body
        body = _trim_blank_lines(_disarm_once(body.split("\n")))
        if body == before:
            break
    return body


def _disarmed(lines: list[str]) -> str:
    tokens, env = parse("\n".join(lines))
    code = {
        at
        for token in tokens
        if token.type in ("fence", "code_block") and token.map
        for at in range(*token.map)
    }
    for at, line in enumerate(lines):
        if at not in code:
            lines[at] = line.replace("<!--", "&lt;!--").replace("-->", "--&gt;")
    for token in tokens:
        if token.type == "html_block" and token.map:
            for at in range(*token.map):
                if at == token.map[0] or lines[at].lstrip().startswith("<"):
                    lines[at] = lines[at].replace("<", "&lt;", 1)
        elif token.type == "hr" and token.map and token.level == 0:
            # Three hyphens could close front matter, or underline a line above them.
            lines[token.map[0]] = "***"
    for reference in (*env.get("references", {}).values(), *env.get("duplicate_refs", ())):
        at = reference["map"][0]
        lines[at] = lines[at].replace("[", "\\[", 1)
    return "\n".join(_close_last_block(tokens, lines))


def _ended(tokens: list[Token], lines: list[str]) -> list[str]:
    """The lines with an open fence closed and no rule at the end, which would pass for the section's."""
    last = next((token for token in reversed(tokens) if token.map and token.level == 0), None)
    if last is not None and last.type == "hr":
        return lines[:-1]
    if last is not None and last.type == "fence" and is_open(last, lines):
        return [*lines, last.markup]
    return lines


def _relevelled(body: str, levels: Levels) -> str:
    lines = body.split("\n")
    tokens, _ = parse(body)
    headings = [
        (token, tokens[index + 1].content)
        for index, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0
    ]
    if not headings:
        return body
    new = levels([int(token.tag[1]) for token, _ in headings])
    # From the last to the first, since an underlined heading becomes shorter.
    for (token, content), level in reversed(list(zip(headings, new, strict=True))):
        assert token.map is not None
        first, last = token.map
        if _ATX.match(lines[first]):
            lines[first] = _ATX.sub("#" * level, lines[first], count=1)
        else:
            # A closing run of signs would be taken for the heading's own.
            words = _CLOSING_SIGNS.sub(r"\\\g<0>", " ".join(content.split()))
            lines[first:last] = [f"{'#' * level} {words}"]
    return "\n".join(lines)


_CLAIMS_MARKER = re.compile(r"<!-- Step (\S+): (\d{1,9}) characters, ([0-9a-f]{8}) -->\s*")


@dataclass(frozen=True, slots=True)
class Claim:
    """A step's marker and the text it vouches for, `start` to `end` in bytes, without the last line ending.

    Where the text is not intact, only the marker's own line is known to be the step's.
    """

    step_id: str
    size: int
    digest: str
    start: int
    end: int
    intact: bool

    def vouches_for(self, text: str) -> bool:
        """True where the step wrote exactly this text and it still stands."""
        return self.intact and (self.size, self.digest) == (len(text), digest_of(text))


def claims(shape: Outline) -> tuple[StepText, ...]:
    """Every step's marker in the document, in order."""
    found: list[StepText] = []
    for piece in shape.pieces:
        if piece.kind == "html_block" and (marker := _CLAIMS_MARKER.fullmatch(piece.text)):
            size = int(marker[2])
            end = _end_of_own(shape, piece.end, size, marker[3])
            found.append(
                StepText(
                    step_id=marker[1],
                    size=size,
                    digest=marker[3],
                    start=piece.start,
                    end=_without_ending(shape, piece.end) if end is None else end,
                    intact=end is not None,
                )
            )
    return tuple(found)


def claimed(step_id: str, text: str) -> str:
    """A step's text under the marker that vouches for it."""
    marker = f"<!-- Step {step_id}: {len(text)} characters, {digest_of(text)} -->"
    return f"{marker}\n\n{text}" if text else marker


def digest_of(text: str) -> str:
    """A short fingerprint of a text with plain line endings."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:8]


def _end_of_own(shape: Outline, start: int, size: int, digest: str) -> int | None:
    """Where the vouched text ends; None where it is not what the step wrote."""
    line = bisect_left(shape.lines, start)
    count = len(shape.lines) - 1
    if size:
        while line < count and not _text(shape, line):
            line += 1
    own: list[str] = []
    left = size
    while left > 0 and line < count:
        own.append(_raw(shape, line))
        left -= len(own[-1]) + (len(own) > 1)
        line += 1
    if left or digest_of("\n".join(own)) != digest:
        return None
    end = shape.lines[line]
    attached = line < count and _text(shape, line)
    return None if attached or _runs_on(shape, start, end) else _without_ending(shape, end)


def _runs_on(shape: Outline, start: int, end: int) -> bool:
    """True where a block of the text goes on after it: whoever wrote that edited the step's text."""
    return any(shape.settle(piece.start, piece.end) > end for piece in shape.within(start, end))


def _raw(shape: Outline, line: int) -> str:
    chunk = shape.document[shape.lines[line] : shape.lines[line + 1]]
    return chunk.decode("utf-8", "surrogateescape").rstrip("\r\n")


def _text(shape: Outline, line: int) -> str:
    return _raw(shape, line).strip(" \t")


def _without_ending(shape: Outline, end: int) -> int:
    for ending in (b"\r\n", b"\n", b"\r"):
        if shape.document.endswith(ending, 0, end):
            return end - len(ending)
    return end


_ADDITIONAL_LEVEL = 3
_BLANK_LINE = re.compile(rb"[ \t]*(?:[\r\n]|\Z)")
_JOINING = re.compile(rb"(?:[ \t]*[\r\n])*(?:[ \t]+[^ \t\r\n]|(?:[-+*]|[0-9]{1,9}[.)])(?:[ \t\r\n]|\Z))")


@dataclass(frozen=True, slots=True)
class Addition:
    """A document with text added: which bytes are new, and the section they went into, if one fitted."""

    document: bytes
    start: int
    length: int
    heading: str | None


def insert_addition(document: bytes, block: str, *, topic: str, section: str | None = None) -> Addition:
    """The document with the block at the end of the section that fits, and nothing else changed."""
    shape = read_outline(document)
    own_texts = [claim for claim in find_step_texts(shape) if claim.intact]
    # The headings inside a step's own text are part of it: text among them would count as an edit.
    free = [
        found
        for found in sections_of(shape)
        if not any(claim.start <= found.start < claim.end for claim in own_texts)
    ]
    chosen = choose_section(free, topic=topic, section=section)
    if chosen is None:
        heading = f"{'#' * _ADDITIONAL_LEVEL} {ADDITIONAL}\n\n"
        return add_block(
            shape, find_document_end(shape), block, level=_ADDITIONAL_LEVEL, heading=heading, named=None
        )
    return add_block(shape, find_section_end(shape, chosen), block, level=chosen.level, named=chosen.heading)


def added(
    shape: Outline, position: int, block: str, *, level: int, named: str | None, heading: str = ""
) -> Addition:
    """The block at a place of the document, under a heading of that level, in the gentlest safe form."""
    attempts = (fit_block(block, child_of(level), marked=True), flatten_block(block, level, marked=True))
    for text in attempts:
        if not text:
            return Addition(shape.document, position, 0, named)
        addition = splice_text(shape, position, position, heading + text, named)
        if leaves_rest_unchanged(shape, addition, removed=0):
            return addition
    raise RuleBroken(
        "The text cannot be added without changing how the rest of the document reads. "
        "Nothing was changed. Add it by hand."
    )


def end_of(shape: Outline, section: Section) -> int:
    """The place after all that a section holds, before its closing rule and before anything left open."""
    pieces = shape.within(section.body, section.end)
    end = section.end
    if pieces and pieces[-1].open:
        end = pieces[-1].start
    else:
        while pieces and pieces[-1].kind == "hr":
            end = pieces.pop().start
    position = shape.settle(section.body, end)
    for claim in find_step_texts(shape):
        if claim.intact and claim.start < position <= claim.end:
            return line_end(shape, claim.end)
    return position


def shape_end(shape: Outline) -> int:
    """The place at the end of the document, before anything left open."""
    left_open = bool(shape.pieces) and shape.pieces[-1].open
    return shape.settle(shape.first, shape.pieces[-1].start if left_open else len(shape.document))


def line_end(shape: Outline, position: int) -> int:
    """The start of the line after the one that a place is in; the document's end on its last line."""
    return next((start for start in shape.lines if start > position), len(shape.document))


def spliced(shape: Outline, start: int, end: int, text: str, heading: str | None = None) -> Addition:
    """The document with the bytes between two places replaced by text that blank lines set apart."""
    newline = shape.newline
    before, after = shape.document[:start], shape.document[end:]
    text += guard_against_joining(after)
    lead = 0 if start <= shape.first else 1 if before.endswith((b"\n", b"\r")) else 2
    tail = 1 if _BLANK_LINE.match(after) else 2
    # A lone carriage return and a line feed that meet would count as one line ending.
    lead += lead > 0 and before.endswith(b"\r") and newline == "\n"
    tail += newline == "\r" and after.startswith(b"\n")
    new = (newline * lead + text.replace("\n", newline) + newline * tail).encode("utf-8")
    return Addition(before + new + after, start, len(new), heading)


def guard(after: bytes) -> str:
    """What keeps indented text or a list that follows from joining a list; nothing, where none follows."""
    return "\n\n<!-- End of addition -->" if _JOINING.match(after) else ""


def unharmed(shape: Outline, addition: Addition, *, removed: int) -> bool:
    """True where everything outside the new bytes is there, in its place, and reads as before."""
    start, length = addition.start, addition.length
    old, new = shape.document, addition.document
    if new[:start] != old[:start] or new[start + length :] != old[start + removed :]:
        return False
    after = read_outline(new)
    return _outline_of(shape, start, removed, length) == _outline_of(after, start, length, length)


def _outline_of(shape: Outline, start: int, size: int, length: int) -> Sequence[object]:
    """What a reader finds outside of a stretch, placed as if the stretch had `length` bytes."""
    move = length - size
    pieces = [
        (piece.kind, piece.level, piece.start if piece.start < start else piece.start + move)
        for piece in shape.pieces
        if not start <= piece.start < start + size
    ]
    names = [section.heading for section in sections_of(shape) if not start <= section.start < start + size]
    return [pieces, names]


_NUMBER = re.compile(r"\(?(\d+(?:\.\d+)*)")
_FEEDBACK = re.compile(r"<!-- Feedback: step ")
_SECTION_LEVEL = 2


def skeleton(title: str, item: str, headings: Sequence[str]) -> bytes:
    """A new markdown output: its title, the item it is about, and its sections, numbered."""
    names = [f"## {number}. {clean_heading(heading)}" for number, heading in enumerate(headings, 1)]
    parts = [f"# {clean_heading(title)}", f"**Item**: {clean_heading(item)}", *names]
    return ("\n\n".join(parts) + "\n").encode("utf-8")


def write_section(document: bytes, *, step_id: str, heading: str, text: str) -> bytes:
    """The document with the step's text in its section, in place of what it wrote and nobody edited."""
    shape = read_outline(document)
    own_texts = find_step_texts(shape)
    section = _find_step_section(shape, own_texts, step_id, heading)
    level = section.level if section else _SECTION_LEVEL
    for own in (fit_block(text, below(level), marked=False), flatten_block(text, level, marked=False)):
        change, removed = _place_step_text(shape, own_texts, section, step_id, heading, own)
        if leaves_rest_unchanged(shape, change, removed=removed):
            return change.document
    raise RuleBroken(
        f'The text of step {step_id} cannot be written to the section "{heading}" without changing how the '
        "rest of the document reads. Nothing was changed. Put it there by hand."
    )


def add_feedback(document: bytes, *, step_id: str, heading: str, block: str) -> Addition:
    """The document with feedback at the end of the step's section, outside of every step's own text."""
    if not block.startswith(f"<!-- Feedback: step {step_id}, "):
        raise RuleBroken(f"Feedback on step {step_id} begins with its marker: nothing was changed.")
    shape = read_outline(document)
    section = _find_step_section(shape, find_step_texts(shape), step_id, heading)
    if section:
        return add_block(
            shape, find_section_end(shape, section), block, level=section.level, named=section.heading
        )
    name = clean_heading(heading)
    position = _find_numbered_place(shape, name)
    return add_block(shape, position, block, level=_SECTION_LEVEL, named=name, heading=f"## {name}\n\n")


def _section(shape: Outline, own_texts: Sequence[StepText], step_id: str, heading: str) -> Section | None:
    """The section of that name; of several, the first that holds this step's text, else the first."""
    found = find_named_sections(sections_of(shape), heading)
    mine = (section for section in found if any(_inside(claim, section, step_id) for claim in own_texts))
    return next(mine, found[0] if found else None)


def _change(
    shape: Outline,
    own_texts: Sequence[StepText],
    section: Section | None,
    step_id: str,
    heading: str,
    own: str,
) -> tuple[Addition, int]:
    """The document with the own text where it belongs, and how many bytes gave way to it."""
    if section is None:
        name = clean_heading(heading)
        position = _find_numbered_place(shape, name)
        return splice_text(shape, position, position, f"## {name}\n\n{mark_step_text(step_id, own)}"), 0
    mine = [claim for claim in own_texts if _inside(claim, section, step_id)]
    intact = [claim for claim in mine if claim.intact]
    if not intact:
        position = _place_after(shape, own_texts, section, mine)
        return splice_text(shape, position, position, mark_step_text(step_id, own)), 0
    last = intact[-1]
    before, after = shape.document[: last.start], shape.document[last.end :]
    own += guard_against_joining(after)
    if last.vouches_for(own):
        return Addition(shape.document, last.start, 0, section.heading), 0
    new = mark_step_text(step_id, own).replace("\n", shape.newline).encode("utf-8")
    return Addition(before + new + after, last.start, len(new), section.heading), last.end - last.start


def _inside(claim: StepText, section: Section, step_id: str) -> bool:
    return claim.step_id == step_id and section.start <= claim.start < section.end


def _place_after(
    shape: Outline, own_texts: Sequence[StepText], section: Section, mine: Sequence[StepText]
) -> int:
    """The place after what the step wrote and others edited, before what was added to it since."""
    start = mine[-1].end if mine else section.body
    notes = [
        piece.start
        for piece in shape.within(start, section.end)
        if is_elaboration_marker(piece) or (piece.kind == "html_block" and _FEEDBACK.match(piece.text))
    ]
    notes += [s.start for s in sections_of(shape) if s.elaboration and start <= s.start < section.end]
    if mine:
        notes += [claim.start for claim in own_texts if start <= claim.start < section.end]
    return shape.settle(section.body, min(notes)) if notes else find_section_end(shape, section)


def _numeric_place(shape: Outline, heading: str) -> int:
    """Where a new section goes: before the first with a higher number, else after the numbered ones."""
    number = _read_number(heading)
    siblings = [
        s
        for s in list_open_sections(sections_of(shape))
        if s.level == _SECTION_LEVEL and _read_number(s.heading)
    ]
    if number:
        for sibling in siblings:
            if _read_number(sibling.heading) > number:
                return shape.settle(shape.first, sibling.start)
        if siblings and siblings[-1].end < len(shape.document):
            return shape.settle(shape.first, siblings[-1].end)
    return find_document_end(shape)


def _number(heading: str) -> tuple[int, ...]:
    number = _NUMBER.match(heading)
    return tuple(int(part) for part in number[1].split(".")) if number else ()
