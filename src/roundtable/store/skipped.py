"""The note at the top of a draft that says which steps were skipped (rule MENU-4)."""

from __future__ import annotations

from collections.abc import Sequence

from ..artifacts.additions import spliced, unharmed
from ..artifacts.outline import Outline, outline
from ..core.errors import RuleBroken
from ..core.markup import harmless
from ..core.steps import Step


def note(skipped: Sequence[Step]) -> str:
    """`> Draft: steps 01-04 (Technical Context) and 01-05 (...) were skipped.`"""
    return f"> Draft: {named([f'{step.step_id} ({harmless(step.title)})' for step in skipped])} skipped."


def named(steps: Sequence[str]) -> str:
    """The steps as the subject of a sentence: `step 01-04 was`, `steps 01-04 and 01-05 were`."""
    if len(steps) == 1:
        return f"step {steps[0]} was"
    return f"steps {', '.join(steps[:-1])} and {steps[-1]} were"


def with_note(document: bytes, text: str) -> bytes:
    """The document with the note right after its title, once, and nothing else changed."""
    shape = outline(document)
    if text.encode() in (line.strip() for line in document.splitlines()):
        return document
    position = _after_title(shape)
    addition = spliced(shape, position, position, text)
    if not unharmed(shape, addition, removed=0):
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
