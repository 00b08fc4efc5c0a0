"""The blocks of elaborations: where they begin and end, as every part of the program reads them."""

from __future__ import annotations

import pytest

from roundtable.core.markers import ElaborationMarker
from roundtable.documents.additions import find_block, insert_addition
from roundtable.documents.blocks import find_elaboration_blocks, read_entries
from roundtable.documents.outline import MAX_DOCUMENT_SIZE, read_outline

AT = "2026-02-20T14:30:00.000Z"
MARKER = ElaborationMarker("01-03", AT)
BLOCK = f"""{MARKER}

### Elaboration Insights (Step 01-03: Journeys)

**Participants**: Maya Chen (BA)
**Turns**: 4 | **Exit**: user-initiated

#### Key Insights
- [Maya] One.

#### Decisions Made
- None

#### Open Questions
- Who decides?
"""


def entries(document: str) -> list[tuple[str, str]]:
    (block,) = find_elaboration_blocks("spec.md", document)
    assert block.key == ("01-03", AT)
    lines = document.split("\n")
    assert lines[block.line - 1].strip() == str(MARKER)
    assert all(block.line < number < block.end and lines[number - 1] == line for number, line in block.lines)
    return [(part, words) for _, part, words in read_entries(block.lines)]


WANTED = [("Key Insights", "[Maya] One."), ("Open Questions", "Who decides?")]


@pytest.mark.rule("ART-4")
@pytest.mark.parametrize(
    "after",
    [
        "",
        "## Next\n\n- not of the block\n",
        "Next\n----\n\n- not of the block\n",
        "### Additional Insights from Elaboration\n\n- not of the block\n",
        f"<!-- Feedback: step 01-03, {AT} -->\n\n- **Feedback**: 77 of them.\n",
        "<!-- Step 01-04: 12 characters, 0123abcd -->\n\n- not of the block\n",
        "<!-- End of addition -->\n\n- not of the block\n",
        f"<!-- Elaboration: {AT} -->\n\n- not of the block\n",
        "<!-- Elaboration enrichment (step 01-01, t) -->\n\n- not of the block\n",
    ],
)
def test_a_block_ends_before_what_is_not_its_own(after: str) -> None:
    assert entries(f"# T\n\n## Journeys\n\n{BLOCK}\n{after}") == WANTED


@pytest.mark.rule("ART-4")
@pytest.mark.parametrize("level", range(1, 7))
def test_a_block_is_whole_at_any_depth(level: int) -> None:
    """At the deepest level the headings of its parts are no deeper than its own."""
    title = f"# T\n\n{'#' * level} Journeys\n\nText.\n".encode()
    addition = insert_addition(title, BLOCK, topic="Journeys", section="Journeys")
    assert entries(addition.document.decode()) == WANTED
    place = find_block(read_outline(addition.document), MARKER)
    assert place is not None and place.bullets == tuple(WANTED)


@pytest.mark.parametrize(
    "around", ["```\n{}\n```\n", "<div>\n{}\n</div>\n", "- list\n\n  {}\n", "    {}\n", "text {}\n"]
)
def test_a_marker_inside_other_text_marks_nothing(around: str) -> None:
    document = around.replace("{}", str(MARKER))
    assert find_elaboration_blocks("spec.md", document) == ()
    assert find_block(read_outline(document.encode()), MARKER) is None


def test_a_text_that_is_too_long_for_a_document_has_none() -> None:
    assert find_elaboration_blocks("spec.md", BLOCK + "x" * MAX_DOCUMENT_SIZE) == ()
