"""Cases that `tools.fuzz --coverage` found."""

from __future__ import annotations

import pytest

from roundtable import insert_addition
from roundtable.core.markers import ElaborationMarker
from roundtable.documents.additions import find_block, take_out_block
from roundtable.documents.outline import read_outline

MARKER = ElaborationMarker("01-03", "2026-02-20T14:30:00.000Z")


@pytest.mark.rule("ART-5")
@pytest.mark.parametrize("document", [b"```\n## x\n", b"<!--\n## x\n", b"# A\n\n```\nx\n"])
def test_a_block_before_unclosed_code_is_taken_out_with_its_heading(document: bytes) -> None:
    added = insert_addition(document, f"{MARKER}\n\n### Insights\n\n- [Maya] One.\n", topic="User Journeys")
    shape = read_outline(added.document)
    place = find_block(shape, MARKER)
    assert place is not None
    assert take_out_block(shape, place).strip() == document.strip()
