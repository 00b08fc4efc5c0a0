"""What steps write in their sections, and may replace as long as nobody has edited it (rule STEP-5)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..core.errors import RuleBroken
from .additions import Addition, added, end_of, guard, shape_end, spliced, unharmed
from .blocks import below, fitted, flattened, one_line
from .claims import Claim, claimed, claims
from .outline import Outline, outline
from .sections import Section, is_elaboration_marker, named, sections_of, targets

_NUMBER = re.compile(r"\(?(\d+(?:\.\d+)*)")
_FEEDBACK = re.compile(r"<!-- Feedback: step ")
_SECTION_LEVEL = 2


def skeleton(title: str, item: str, headings: Sequence[str]) -> bytes:
    """A new markdown output: its title, the item it is about, and its sections, numbered."""
    names = [f"## {number}. {one_line(heading)}" for number, heading in enumerate(headings, 1)]
    parts = [f"# {one_line(title)}", f"**Item**: {one_line(item)}", *names]
    return ("\n\n".join(parts) + "\n").encode("utf-8")


def write_section(document: bytes, *, step_id: str, heading: str, text: str) -> bytes:
    """The document with the step's text in its section, in place of what it wrote and nobody edited."""
    shape = outline(document)
    own_texts = claims(shape)
    section = _section(shape, own_texts, step_id, heading)
    level = section.level if section else _SECTION_LEVEL
    for own in (fitted(text, below(level), marked=False), flattened(text, level, marked=False)):
        change, removed = _change(shape, own_texts, section, step_id, heading, own)
        if unharmed(shape, change, removed=removed):
            return change.document
    raise RuleBroken(
        f'The text of step {step_id} cannot be written to the section "{heading}" without changing how the '
        "rest of the document reads. Nothing was changed. Put it there by hand."
    )


def add_feedback(document: bytes, *, step_id: str, heading: str, block: str) -> Addition:
    """The document with feedback at the end of the step's section, outside of every step's own text."""
    if not block.startswith(f"<!-- Feedback: step {step_id}, "):
        raise RuleBroken(f"Feedback on step {step_id} begins with its marker: nothing was changed.")
    shape = outline(document)
    section = _section(shape, claims(shape), step_id, heading)
    if section:
        return added(shape, end_of(shape, section), block, level=section.level, named=section.heading)
    name = one_line(heading)
    position = _numeric_place(shape, name)
    return added(shape, position, block, level=_SECTION_LEVEL, named=name, heading=f"## {name}\n\n")


def _section(shape: Outline, own_texts: Sequence[Claim], step_id: str, heading: str) -> Section | None:
    """The section of that name; of several, the first that holds this step's text, else the first."""
    found = named(sections_of(shape), heading)
    mine = (section for section in found if any(_inside(claim, section, step_id) for claim in own_texts))
    return next(mine, found[0] if found else None)


def _change(
    shape: Outline, own_texts: Sequence[Claim], section: Section | None, step_id: str, heading: str, own: str
) -> tuple[Addition, int]:
    """The document with the own text where it belongs, and how many bytes gave way to it."""
    if section is None:
        name = one_line(heading)
        position = _numeric_place(shape, name)
        return spliced(shape, position, position, f"## {name}\n\n{claimed(step_id, own)}"), 0
    mine = [claim for claim in own_texts if _inside(claim, section, step_id)]
    intact = [claim for claim in mine if claim.intact]
    if not intact:
        position = _place_after(shape, own_texts, section, mine)
        return spliced(shape, position, position, claimed(step_id, own)), 0
    last = intact[-1]
    before, after = shape.document[: last.start], shape.document[last.end :]
    own += guard(after)
    if last.vouches_for(own):
        return Addition(shape.document, last.start, 0, section.heading), 0
    new = claimed(step_id, own).replace("\n", shape.newline).encode("utf-8")
    return Addition(before + new + after, last.start, len(new), section.heading), last.end - last.start


def _inside(claim: Claim, section: Section, step_id: str) -> bool:
    return claim.step_id == step_id and section.start <= claim.start < section.end


def _place_after(shape: Outline, own_texts: Sequence[Claim], section: Section, mine: Sequence[Claim]) -> int:
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
    return shape.settle(section.body, min(notes)) if notes else end_of(shape, section)


def _numeric_place(shape: Outline, heading: str) -> int:
    """Where a new section goes: before the first with a higher number, else after the numbered ones."""
    number = _number(heading)
    siblings = [s for s in targets(sections_of(shape)) if s.level == _SECTION_LEVEL and _number(s.heading)]
    if number:
        for sibling in siblings:
            if _number(sibling.heading) > number:
                return shape.settle(shape.first, sibling.start)
        if siblings and siblings[-1].end < len(shape.document):
            return shape.settle(shape.first, siblings[-1].end)
    return shape_end(shape)


def _number(heading: str) -> tuple[int, ...]:
    number = _NUMBER.match(heading)
    return tuple(int(part) for part in number[1].split(".")) if number else ()
