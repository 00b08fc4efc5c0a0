"""Text added to a document, nothing else changed: additions, a step's own text, feedback (ART-4, ART-7)."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from msgspec import Struct

from ..core import lazy_re as re
from ..core.errors import RuleBroken
from ..core.text import clean_text, escape_markdown, strip_unprintable, unescape_markdown
from .ids import NONE_COMMENT, WITHDRAWN_COMMENT
from .outline import (
    ADDITIONAL,
    CLOSING_SIGNS,
    DEEPEST,
    Outline,
    Section,
    choose_section,
    continues_block,
    decode_document,
    find_named_sections,
    is_elaboration_marker,
    is_open,
    list_open_sections,
    parse,
    read_outline,
)

_ADDITIONAL_LEVEL = 3
_SECTION_LEVEL = 2
_NUMBER = re.compile(r"\(?(\d+(?:\.\d+)*)")
_FEEDBACK = re.compile(r"<!-- Feedback: step ")
_STEP_MARKER = re.compile(r"<!-- Step (\S+): (\d{1,9}) characters, ([0-9a-f]{8}) -->\s*")
_END_OF_ADDITION = "<!-- End of addition -->"
_BLOCK_FIELDS = ("**Participants**: ", "**Turns**: ")
_ENDINGS = (b"\r\n", b"\n", b"\r")
_BLANK_LINE = re.compile(rb"[ \t]*(?:[\r\n]|\Z)")
_JOINING = re.compile(rb"(?:[ \t]*[\r\n])*(?:[ \t]+[^ \t\r\n]|(?:[-+*]|[0-9]{1,9}[.)])(?:[ \t\r\n]|\Z))")


class Addition(Struct, frozen=True):
    """A document with text added: which bytes are new, and the section they went into, if one fitted."""

    document: bytes
    start: int
    length: int
    heading: str | None


def insert_addition(document: bytes, block: str, *, topic: str, section: str | None = None) -> Addition:
    """Return the document with the block at the end of the section that fits, and nothing else changed."""
    shape = read_outline(document)
    own_texts = [own for own in find_step_texts(shape) if own.is_intact]
    # The headings inside a step's own text are part of it: text among them would count as an edit.
    free = [
        found for found in shape.sections if not any(own.start <= found.start < own.end for own in own_texts)
    ]
    chosen = choose_section(free, topic=topic, section=section)
    if chosen:
        return _add_block(shape, find_section_end(shape, chosen), block, chosen.level, chosen.heading)
    heading = f"{'#' * _ADDITIONAL_LEVEL} {ADDITIONAL}\n\n"
    return _add_block(shape, find_document_end(shape), block, _ADDITIONAL_LEVEL, None, heading)


def add_feedback(document: bytes, *, step_id: str, heading: str, block: str) -> Addition:
    """Return the document with feedback at the end of the step's section, outside of any step's own text."""
    if not block.startswith(f"<!-- Feedback: step {step_id}, "):
        raise RuleBroken(f"Feedback on step {step_id} begins with its marker: nothing was changed.")
    shape = read_outline(document)
    section = _find_step_section(shape, find_step_texts(shape), step_id, heading)
    if section:
        return _add_block(shape, find_section_end(shape, section), block, section.level, section.heading)
    name = clean_heading(heading)
    return _add_block(shape, _find_numbered_place(shape, name), block, _SECTION_LEVEL, name, f"## {name}\n\n")


def write_section(document: bytes, *, step_id: str, heading: str, text: str) -> bytes:
    """Return the document with the step's text in its section, replacing what it wrote and nobody edited."""
    shape = read_outline(document)
    own_texts = find_step_texts(shape)
    section = _find_step_section(shape, own_texts, step_id, heading)
    for own in _safe_forms(text, section.level if section else _SECTION_LEVEL, is_addition=False):
        change, removed = _place_step_text(shape, own_texts, section, step_id, heading, own)
        if _leaves_rest_unchanged(shape, change, removed=removed):
            return change.document
    raise RuleBroken(
        f'The text of step {step_id} cannot be written to the section "{heading}" without changing how the '
        "rest of the document reads. Nothing was changed. Put it there by hand."
    )


def write_skeleton(title: str, item: str, headings: Sequence[str]) -> bytes:
    """Return a new markdown output: its title, the item it is about, and its sections, numbered."""
    names = [f"## {number}. {clean_heading(heading)}" for number, heading in enumerate(headings, 1)]
    parts = [f"# {clean_heading(title)}", f"**Item**: {clean_heading(item)}", *names]
    return ("\n\n".join(parts) + "\n").encode("utf-8")


def clean_heading(heading: str) -> str:
    """Return a heading's words on one line, without the signs that make it a heading."""
    return " ".join(strip_unprintable(heading).split()).lstrip("#").strip()


def _add_block(
    shape: Outline, position: int, block: str, level: int, named: str | None, heading: str = ""
) -> Addition:
    """Return the document with the block under a heading of that level, in the gentlest safe form."""
    for text in _safe_forms(block, level, is_addition=True):
        if not text:
            return Addition(shape.document, position, 0, named)
        if addition := _try_insertion(shape, position, heading + text, named):
            return addition
    raise RuleBroken(
        "The text cannot be added without changing how the rest of the document reads. "
        "Nothing was changed. Add it by hand."
    )


def insert_text(shape: Outline, position: int, text: str, *, refusal: str) -> bytes:
    """Return the document with the text at a place; RuleBroken with `refusal` where the rest would change."""
    addition = _try_insertion(shape, position, text)
    if addition is None:
        raise RuleBroken(refusal)
    return addition.document


def insert_line(shape: Outline, position: int, line: str, *, refusal: str) -> bytes:
    """Return the document with one line at a line's start; RuleBroken with `refusal` as in `insert_text`."""
    before, after = shape.document[:position], shape.document[position:]
    is_ended = before.endswith((b"\n", b"\r"))
    text = f"{line}{shape.newline}" if is_ended else f"{shape.newline}{line}"
    new = text.encode("utf-8")
    addition = Addition(before + new + after, position, len(new), None)
    if not _leaves_rest_unchanged(shape, addition, removed=0):
        raise RuleBroken(refusal)
    return addition.document


def _try_insertion(shape: Outline, position: int, text: str, heading: str | None = None) -> Addition | None:
    addition = _splice_text(shape, position, text, heading)
    return addition if _leaves_rest_unchanged(shape, addition, removed=0) else None


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


def _splice_text(shape: Outline, start: int, text: str, heading: str | None = None) -> Addition:
    """Return the document with text that blank lines set apart, at a place."""
    newline = shape.newline
    before, after = shape.document[:start], shape.document[start:]
    text += _guard_against_joining(after)
    lead = 0 if start <= shape.first else 1 if before.endswith((b"\n", b"\r")) else 2
    tail = 1 if _BLANK_LINE.match(after) else 2
    # A lone carriage return and a line feed that meet would count as one line ending.
    lead += lead > 0 and before.endswith(b"\r") and newline == "\n"
    tail += newline == "\r" and after.startswith(b"\n")
    new = (newline * lead + text.replace("\n", newline) + newline * tail).encode("utf-8")
    return Addition(before + new + after, start, len(new), heading)


def _guard_against_joining(after: bytes) -> str:
    """Return what keeps indented text or a list that follows from joining a list; else nothing."""
    return f"\n\n{_END_OF_ADDITION}" if _JOINING.match(after) else ""


def _leaves_rest_unchanged(shape: Outline, addition: Addition, *, removed: int) -> bool:
    """Whether everything outside the new bytes is there, in its place, and reads as before."""
    start, length = addition.start, addition.length
    old, new = shape.document, addition.document
    if new[:start] != old[:start] or new[start + length :] != old[start + removed :]:
        return False

    earlier = [each for each in shape.pieces if not start <= each.start < start + removed]
    later = [each for each in read_outline(new).pieces if not start <= each.start < start + length]
    return len(earlier) == len(later) and all(
        one.kind == other.kind
        and one.level == other.level
        and other.start == (one.start if one.start < start else one.start + length - removed)
        and (not one.level or one.text == other.text)
        for one, other in zip(earlier, later, strict=True)
    )


# A block taken out again


class BlockPlace(Struct, frozen=True):
    """An elaboration block in a document, in bytes, from the heading made for it or its marker to its end."""

    start: int
    end: int
    bullets: tuple[tuple[str, str], ...]
    """Its list entries, each with the heading above it."""
    has_more: bool
    """Whether something that we did not write stands inside it."""


def find_block(shape: Outline, marker: str) -> BlockPlace | None:
    """Return the place of the block behind a marker; None where the document does not have it."""
    pieces = shape.pieces
    at = next(
        (n for n, each in enumerate(pieces) if each.kind == "html_block" and each.text.strip() == marker),
        None,
    )
    if at is None:
        return None
    last, level, heading = at, 0, ""
    is_filled, has_more = True, False
    bullets: list[tuple[str, str]] = []
    for number, piece in enumerate(pieces[at + 1 :], at + 1):
        if piece.kind == "heading" and (not level or continues_block(piece, level)):
            level, heading, is_filled = level or piece.level, piece.text, False
        elif piece.kind in ("paragraph", "bullet_list") and level and not is_filled:
            is_filled = True
            for line in decode_document(shape.document[piece.start : piece.end]).split("\n"):
                if line.startswith("- "):
                    bullets += [(heading, line[2:])] if line != "- None" else []
                else:
                    has_more |= bool(line.strip()) and not line.startswith(_BLOCK_FIELDS)
        elif piece.kind == "html_block" and piece.text.strip() == _END_OF_ADDITION:
            last = number
            break
        else:
            break
        last = number
    start = pieces[at].start
    before, after = pieces[at - 1] if at else None, pieces[last + 1] if last + 1 < len(pieces) else None
    if before is not None and before.kind == "heading" and before.text == ADDITIONAL:
        # The heading goes with the last block that stands under it.
        is_lone = after is None or (after.kind == "heading" and after.level <= before.level)
        # Before code or markup that nobody closed, up to the end, only a block is put that fits nowhere else.
        is_lone |= after is pieces[-1] and after.kind in ("fence", "html_block")
        start = before.start if is_lone else start
    end = shape.settle(start, pieces[last].end)
    return BlockPlace(start, end, tuple(bullets), has_more)


def take_out_block(shape: Outline, place: BlockPlace) -> tuple[bytes, bool]:
    """Return the document without a block, and whether inserting it again gives the same bytes.

    Where it does not, the blank lines around the block were changed; one on each side goes with it.
    """
    document = shape.document
    text = (
        decode_document(document[place.start : place.end])
        .rstrip("\n")
        .removesuffix(f"\n\n{_END_OF_ADDITION}")
    )
    text_end = len(document[: place.end].rstrip(b"\r\n"))
    starts = _step_over_endings(document, place.start, -1)
    ends = _step_over_endings(document, text_end, 1)
    # Usually one line ending before the text and one after it are the insertion's own.
    order = (1, 0, 2, 3)
    tries = [
        (starts[one], ends[two]) for one in order for two in order if one < len(starts) if two < len(ends)
    ]
    for start, end in tries:
        rest = document[:start] + document[end:]
        if _splice_text(read_outline(rest), start, text).document == document:
            return rest, True
    start, end = starts[min(1, len(starts) - 1)], ends[min(1, len(ends) - 1)]
    return document[:start] + document[end:], False


def _step_over_endings(document: bytes, at: int, direction: int) -> list[int]:
    """Return a place and those up to three line endings before or after it."""
    found = [at]
    for _ in range(3):
        if direction < 0:
            ending = next((each for each in _ENDINGS if document.endswith(each, 0, at)), b"")
        else:
            ending = next((each for each in _ENDINGS if document.startswith(each, at)), b"")
        if not ending:
            break
        at += direction * len(ending)
        found.append(at)
    return found


# What a step wrote, under the marker that vouches for it


class StepText(Struct, frozen=True):
    """A step's marker and the text it vouches for, `start` to `end` in bytes, without the last line ending.

    Where the text is not intact, only the marker's own line is known to be the step's.
    """

    step_id: str
    marker: str
    start: int
    end: int
    is_intact: bool


def find_step_texts(shape: Outline) -> tuple[StepText, ...]:
    """Return every step's marker in the document, in order."""
    found: list[StepText] = []
    for block in shape.pieces:
        if block.kind == "html_block" and (marker := _STEP_MARKER.fullmatch(block.text)):
            own_end = _find_own_end(shape, block.end, int(marker[2]), marker[3])
            end = block.end if own_end is None else own_end
            ending = next((each for each in _ENDINGS if shape.document.endswith(each, 0, end)), b"")
            is_intact = own_end is not None
            found.append(StepText(marker[1], marker[0].strip(), block.start, end - len(ending), is_intact))
    return tuple(found)


def _find_own_end(shape: Outline, start: int, size: int, digest: str) -> int | None:
    """Return where the vouched text ends; None where it is not what the step wrote."""
    line = bisect_left(shape.lines, start)
    count = len(shape.lines) - 1

    def read_line() -> str:
        chunk = shape.document[shape.lines[line] : shape.lines[line + 1]]
        return chunk.decode("utf-8", "surrogateescape").rstrip("\r\n")

    if size:
        while line < count and not read_line().strip(" \t"):
            line += 1
    own: list[str] = []
    left = size
    while left > 0 and line < count:
        own.append(read_line())
        left -= len(own[-1]) + (len(own) > 1)
        line += 1
    if left or _digest("\n".join(own)) != digest:
        return None
    end = shape.lines[line]
    is_attached = line < count and read_line().strip(" \t")
    # Whoever made a block of the text go on after it edited the step's text.
    runs_on = any(shape.settle(each.start, each.end) > end for each in shape.within(start, end))
    return None if is_attached or runs_on else end


def _mark_step_text(step_id: str, text: str) -> str:
    """Return a step's text under the marker that vouches for it."""
    marker = f"<!-- Step {step_id}: {len(text)} characters, {_digest(text)} -->"
    return f"{marker}\n\n{text}" if text else marker


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:8]


def _find_step_section(
    shape: Outline, own_texts: Sequence[StepText], step_id: str, heading: str
) -> Section | None:
    """Return the section of that name; of several, the first that holds this step's text, else the first."""
    found = find_named_sections(shape.sections, heading)
    mine = (section for section in found if any(_is_inside(own, section, step_id) for own in own_texts))
    return next(mine, found[0] if found else None)


def _is_inside(own: StepText, section: Section, step_id: str) -> bool:
    return own.step_id == step_id and section.start <= own.start < section.end


def _place_step_text(
    shape: Outline,
    own_texts: Sequence[StepText],
    section: Section | None,
    step_id: str,
    heading: str,
    text: str,
) -> tuple[Addition, int]:
    """Return the document with the step's text where it belongs, and how many bytes gave way to it."""
    if section is None:
        name = clean_heading(heading)
        position = _find_numbered_place(shape, name)
        return _splice_text(shape, position, f"## {name}\n\n{_mark_step_text(step_id, text)}"), 0
    mine = [own for own in own_texts if _is_inside(own, section, step_id)]
    intact = [own for own in mine if own.is_intact]
    if not intact:
        position = _find_place_after(shape, own_texts, section, mine)
        return _splice_text(shape, position, _mark_step_text(step_id, text)), 0
    last = intact[-1]
    before, after = shape.document[: last.start], shape.document[last.end :]
    marked = _mark_step_text(step_id, text + _guard_against_joining(after))
    if marked.partition("\n")[0] == last.marker:
        return Addition(shape.document, last.start, 0, section.heading), 0
    new = marked.replace("\n", shape.newline).encode("utf-8")
    return Addition(before + new + after, last.start, len(new), section.heading), last.end - last.start


def _find_place_after(
    shape: Outline, own_texts: Sequence[StepText], section: Section, mine: Sequence[StepText]
) -> int:
    """Return the place after what the step wrote and others edited, before what was added to it since."""
    start = mine[-1].end if mine else section.body
    notes = [
        block.start
        for block in shape.within(start, section.end)
        if is_elaboration_marker(block) or (block.kind == "html_block" and _FEEDBACK.match(block.text))
    ]
    notes += [each.start for each in shape.sections if each.elaboration and start <= each.start < section.end]
    if mine:
        notes += [own.start for own in own_texts if start <= own.start < section.end]
    return shape.settle(section.body, min(notes)) if notes else find_section_end(shape, section)


def _find_numbered_place(shape: Outline, heading: str) -> int:
    """Return where a new section goes: before the first with a higher number, else after the numbered."""
    number = _read_number(heading)
    numbered = [
        section
        for section in list_open_sections(shape.sections)
        if section.level == _SECTION_LEVEL and _read_number(section.heading)
    ]
    if number and numbered:
        for section in numbered:
            if _read_number(section.heading) > number:
                return shape.settle(shape.first, section.start)
        if numbered[-1].end < len(shape.document):
            return shape.settle(shape.first, numbered[-1].end)
    return find_document_end(shape)


def _read_number(heading: str) -> tuple[int, ...]:
    number = _NUMBER.match(heading)
    return tuple(int(part) for part in number[1].split(".")) if number else ()


# Text made safe: closed, contained, at the right level

_MARKER = re.compile(r"<!-- (?:(?!--|<!|>).)+ -->")
_HEADING_SIGNS = re.compile(r" {0,3}#{1,6}")
_PASSES = 20


def _safe_forms(block: str, level: int, *, is_addition: bool) -> Iterator[str]:
    """Yield the text as it can stand under a heading of that level: fitted, then as a plain list.

    An addition may begin with a marker, and stands under the section as one part of it.
    """
    body = _trim_blank_lines(clean_text(block).replace("\x85", " "))
    marker, _, rest = body.partition("\n")
    if is_addition and _MARKER.fullmatch(marker.rstrip()):
        body = _trim_blank_lines(rest)
    else:
        marker = ""
    fitted = _move_headings(_disarm_text(body), level, is_addition=is_addition)
    yield "\n\n".join(filter(None, (marker.rstrip(), fitted)))
    first, _, rest = body.partition("\n")
    title, *lines = (
        escape_markdown(unescape_markdown(each)) for each in (clean_heading(first), *rest.split("\n"))
    )
    heading = f"{'#' * min(level + 1, DEEPEST)} {title}" if body else ""
    entries = "\n".join(f"- {line}" for line in lines if line)
    yield "\n\n".join(filter(None, (marker.rstrip(), heading, entries)))


def _trim_blank_lines(text: str) -> str:
    lines = text.split("\n")
    while lines and not lines[0].strip():
        del lines[0]
    while lines and not lines[-1].strip():
        del lines[-1]
    return "\n".join([lines[0].lstrip(), *lines[1:]]) if lines else ""


def _disarm_text(body: str) -> str:
    """Return the body with HTML, link definitions and rules disarmed and its last fence closed."""
    for _ in range(_PASSES):
        before = body
        body = _trim_blank_lines(_disarm_once(body.split("\n")))
        if body == before:
            break
    return body


def _disarm_once(lines: list[str]) -> str:
    tokens, env = parse("\n".join(lines))
    code = {
        at
        for token in tokens
        if token.type in ("fence", "code_block") and token.map
        for at in range(*token.map)
    }
    own = {
        at
        for at, line in enumerate(lines)
        if at not in code and (WITHDRAWN_COMMENT.fullmatch(line) or NONE_COMMENT.fullmatch(line))
    }
    code |= own
    for at, line in enumerate(lines):
        if at not in code:
            lines[at] = line.replace("<!--", "&lt;!--").replace("-->", "--&gt;")
    for token in tokens:
        if token.type == "html_block" and token.map:
            for at in range(*token.map):
                if at not in own and (at == token.map[0] or lines[at].lstrip().startswith("<")):
                    lines[at] = lines[at].replace("<", "&lt;", 1)
        elif token.type == "hr" and token.map and token.level == 0:
            # Three hyphens could close front matter, or underline a line above them.
            lines[token.map[0]] = "***"
    for reference in (*env.get("references", {}).values(), *env.get("duplicate_refs", ())):
        at = reference["map"][0]
        lines[at] = lines[at].replace("[", "\\[", 1)
    last = next((token for token in reversed(tokens) if token.map and token.level == 0), None)
    if last is not None and last.type == "hr":
        # A rule at the end would pass for the section's.
        del lines[-1]
    elif last is not None and last.type == "fence" and is_open(last, lines):
        lines.append(last.markup)
    return "\n".join(lines)


def _move_headings(body: str, level: int, *, is_addition: bool) -> str:
    """Return the body with its headings below a level; of an addition the first right below it."""
    lines = body.split("\n")
    tokens, _ = parse(body)
    headings = [
        (token, tokens[index + 1].content)
        for index, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0
    ]
    if not headings:
        return body
    old = [int(token.tag[1]) for token, _ in headings]
    if is_addition:
        new = [level + 1, *(max(each - old[0] + level + 1, level + 2) for each in old[1:])]
    else:
        new = [each + max(0, level + 1 - min(old)) for each in old]
    # From the last to the first, since an underlined heading becomes shorter.
    for (token, content), wanted in reversed(list(zip(headings, new, strict=True))):
        assert token.map is not None
        first, last = token.map
        signs = "#" * min(wanted, DEEPEST)
        if _HEADING_SIGNS.match(lines[first]):
            lines[first] = _HEADING_SIGNS.sub(signs, lines[first], count=1)
        else:
            words = CLOSING_SIGNS.sub(r"\\\g<0>", " ".join(content.split()))
            lines[first:last] = [f"{signs} {words}"]
    return "\n".join(lines)
