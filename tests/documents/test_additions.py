"""One insertion into a document, and nothing else."""

from __future__ import annotations

import pytest

from roundtable.core.errors import RuleBroken
from roundtable.documents.additions import Addition, add_note, insert_addition, write_section
from roundtable.documents.outline import MAX_DOCUMENT_SIZE, read_outline

MARKER = "<!-- Elaboration: step 01-03, 2026-01-02T03:04:05.678Z -->"
TITLE = "Elaboration Insights (Step 01-03: User Experience & Journeys)"
BLOCK = f"{MARKER}\n\n### {TITLE}\n\n#### Key Insights\n- [Maya] Drafts survive."
TOPIC = "User Experience & Journeys"


def add(document: bytes, block: str = BLOCK, topic: str = TOPIC, section: str | None = None) -> Addition:
    addition = insert_addition(document, block, topic=topic, section=section)
    start, end = addition.start, addition.start + addition.length
    assert addition.document[:start] + addition.document[end:] == document
    return addition


def block_at(level: int) -> bytes:
    sub = "#" * min(level + 1, 6)
    return f"{MARKER}\n\n{'#' * level} {TITLE}\n\n{sub} Key Insights\n- [Maya] Drafts survive.".encode()


@pytest.mark.rule("ART-3", "ART-4", "ART-5")
def test_the_block_follows_all_that_the_section_holds() -> None:
    before = b"# Spec\n\n## 3. User Journeys\n\ntext\n\n### 3.1 Sub\n\nmore\n"
    after = b"\n\n## 4. Next\n"
    addition = add(before + after)
    assert addition == Addition(
        before + b"\n" + block_at(3) + b"\n" + after, len(before), len(block_at(3)) + 2, "3. User Journeys"
    )


@pytest.mark.rule("ART-4")
def test_a_second_block_follows_the_first() -> None:
    once = add(b"# Spec\n\n## User Journeys\n\n## Next\n")
    twice = add(once.document, BLOCK.replace("survive", "return"))
    assert twice.start == once.start + once.length
    assert (
        twice.document.index(b"survive") < twice.document.index(b"return") < twice.document.index(b"## Next")
    )


@pytest.mark.rule("ART-3")
def test_the_section_that_the_step_writes_is_used() -> None:
    document = b"# T\n\n## 1. User Journeys\n\n## 2. Flows\n"
    assert add(document, section="Flows").heading == "2. Flows"


@pytest.mark.rule("ART-3")
def test_what_fits_nowhere_goes_to_the_end_and_the_next_one_joins_it() -> None:
    first = add(b"# Spec\n\n## Other\n\ntext\n\n---\n")
    heading = b"### Additional Insights from Elaboration\n\n"
    assert first.document == b"# Spec\n\n## Other\n\ntext\n\n---\n\n" + heading + block_at(4) + b"\n"
    assert first.heading is None
    second = add(first.document)
    assert second.document == first.document + b"\n" + block_at(4) + b"\n"
    assert second.heading == "Additional Insights from Elaboration"


@pytest.mark.rule("ART-4")
@pytest.mark.parametrize(("level", "child"), [(1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 6)])
def test_the_block_is_a_direct_child_of_its_section(level: int, child: int) -> None:
    signs = b"#" * level
    addition = add(b"# One\n\n# Two\n\n" + signs + b" User Journeys\n")
    assert block_at(child) in addition.document


@pytest.mark.rule("ART-4")
def test_at_the_deepest_level_blocks_still_follow_each_other() -> None:
    document = b"# T\n\n###### User Journeys\n\n###### Next\n"
    twice = add(add(document).document, BLOCK.replace("survive", "return")).document
    assert twice.index(b"survive") < twice.index(b"return") < twice.index(b"###### Next")


@pytest.mark.rule("ART-4", "ART-7")
def test_no_heading_of_the_block_leaves_the_block() -> None:
    addition = add(b"# T\n\n## User Journeys\n\n## Next\n", f"{BLOCK}\n\n# Evil\n\n### Same")
    inside = [(s.heading, s.level) for s in read_outline(addition.document).sections if s.elaboration]
    assert inside == [(TITLE, 3), ("Key Insights", 4), ("Evil", 4), ("Same", 4)]


@pytest.mark.rule("ART-4")
@pytest.mark.parametrize("rule", [b"---\n", b"***\n", b"---\n\n---\n", b"- - -\n"])
def test_the_block_goes_before_a_closing_rule(rule: bytes) -> None:
    before = b"# T\n\n## User Journeys\n\ntext\n"
    addition = add(before + b"\n" + rule + b"\n## Next\n")
    assert addition.start == len(before)
    assert addition.document[len(before) + addition.length :] == b"\n" + rule + b"\n## Next\n"


@pytest.mark.rule("ART-4")
def test_a_rule_in_the_middle_closes_nothing() -> None:
    document = b"# T\n\n## User Journeys\n\na\n\n---\n\nb\n"
    assert add(document).start == len(document)


@pytest.mark.rule("ART-4")
@pytest.mark.parametrize(
    "unclosed",
    [
        b"```\ncode\n\n## Not a heading\n",
        b"~~~",
        b"<!-- note\n\n## x\n",
        b"<pre>\n\n",
        b"<?php\n",
        b"<![CDATA[ x",
    ],
)
@pytest.mark.parametrize("topic", [TOPIC, "Nothing like it"])
def test_the_block_goes_before_what_is_left_open(unclosed: bytes, topic: str) -> None:
    before = b"# T\n\n## User Journeys\n\ntext\n"
    addition = add(before + b"\n" + unclosed, topic=topic)
    assert addition.start == len(before)
    assert addition.document.endswith(b"\n\n" + unclosed)


@pytest.mark.rule("ART-4", "ART-5")
def test_a_document_that_is_left_open_from_its_start() -> None:
    addition = add(b"\xef\xbb\xbf```\ncode")
    assert addition.document.startswith(b"\xef\xbb\xbf### Additional Insights from Elaboration\n\n<!--")
    assert addition.document.endswith(b"\n\n```\ncode")


@pytest.mark.rule("ART-5")
@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (b"", b"### Additional Insights from Elaboration\n\n%b\n"),
        (b"\xef\xbb\xbf", b"\xef\xbb\xbf### Additional Insights from Elaboration\n\n%b\n"),
        (b"\n \n", b"### Additional Insights from Elaboration\n\n%b\n\n \n"),
        (b"text", b"text\n\n### Additional Insights from Elaboration\n\n%b\n"),
        (b"\xff\x00\xc3", b"\xff\x00\xc3\n\n### Additional Insights from Elaboration\n\n%b\n"),
        (b"a\r\n", b"a\r\n\r\n### Additional Insights from Elaboration\r\n\r\n%b\r\n"),
    ],
)
def test_the_ends_of_odd_documents(document: bytes, expected: bytes) -> None:
    newline = b"\r\n" if b"\r\n" in document else b"\n"
    assert add(document).document == expected % block_at(4).replace(b"\n", newline)


@pytest.mark.rule("ART-5")
@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_line_endings_follow_the_document(newline: bytes) -> None:
    lines = [b"# T", b"", b"## User Journeys", b"text", b"## Next", b""]
    addition = add(newline.join(lines))
    new = b"\n" + block_at(3) + b"\n\n"
    assert (
        addition.document
        == newline.join([*lines[:4], b""]) + new.replace(b"\n", newline) + b"## Next" + newline
    )


@pytest.mark.rule("ART-5")
@pytest.mark.parametrize(
    "document",
    [b"# T\n\n## User Journeys\n\ntext\r## Next\n", b"# T\r\r## User Journeys\r\rtext\n\n## Next\r"],
)
def test_line_endings_that_meet_do_not_become_one(document: bytes) -> None:
    addition = add(document)
    new = addition.document.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    assert b"text\n\n" + block_at(3) + b"\n\n" in new


@pytest.mark.rule("ART-5", "ART-7")
@pytest.mark.parametrize("following", [b"  ## Next\n", b"   Next\n  ===\n", b"  ---\n", b"  ```\nopen"])
def test_what_follows_does_not_become_part_of_the_block_s_list(following: bytes) -> None:
    document = b"# T\n\n## User Journeys\n\ntext\n\n" + following
    addition = add(document)
    assert addition.document.endswith(b"survive.\n\n<!-- End of addition -->\n\n" + following)
    names = [
        section.heading for section in read_outline(addition.document).sections if not section.elaboration
    ]
    assert names == [section.heading for section in read_outline(document).sections]


@pytest.mark.rule("ART-7")
@pytest.mark.parametrize(
    ("hostile", "written"),
    [
        ("```\ncode", "- \\`\\`\\`\n- code"),
        ("a <!-- b", "- a &lt;!-- b"),
        ("<!-- b\n\nc", "- &lt;!-- b\n- c"),
        ("<!-- Elaboration: step 09-09, t -->", "- &lt;!-- Elaboration: step 09-09, t --&gt;"),
        ("<pre>\n\nx", "- &lt;pre>\n- x"),
        ("<?php", "- &lt;?php"),
        ("[Maya]: /evil", "- \\[Maya]: /evil"),
        ("a\n\n---\n\nb", "- a\n- \\---\n- b"),
        ("Evil #\n===", "- Evil #\n- \\==="),
        ("a\x1b[31m\x00b", "ab"),
        ("a\r\nb\rc", "a\nb\nc"),
    ],
)
def test_a_hostile_block_is_made_harmless(hostile: str, written: str) -> None:
    document = b"# T\n\n## User Journeys\n\n## Next\n"
    addition = add(document, f"{MARKER}\n\n### Title\n\n{hostile}\n\n\n")
    new = addition.document[addition.start : addition.start + addition.length].decode()
    assert new == f"\n{MARKER}\n\n### Title\n\n{written}\n"


@pytest.mark.rule("ART-4", "ART-7")
def test_a_title_with_the_signs_of_a_comment_leaves_the_block_as_it_is() -> None:
    addition = add(b"# T\n\n## User Journeys\n", BLOCK.replace("Journeys)", "<!-- A --> B)"))
    assert b"& &lt;!-- A --&gt; B)\n\n#### Key Insights\n- [Maya] Drafts survive.\n" in addition.document


@pytest.mark.rule("ART-7")
def test_a_marker_that_is_not_whole_is_no_marker() -> None:
    addition = add(b"# T\n\n## User Journeys\n", "<!-- Elaboration: step 01-03 -->x<!-- \n\ntext")
    assert b"&lt;!-- Elaboration: step 01-03 --&gt;x&lt;!--" in addition.document


@pytest.mark.rule("ART-5", "ART-7")
def test_a_block_cannot_turn_the_document_into_front_matter() -> None:
    document = b"---\n## User Journeys\n\n## Next\n"
    addition = add(document, f"{MARKER}\n\n### Title\n\n```\n---\n```")
    assert [s.heading for s in read_outline(addition.document).sections] == ["User Journeys", "Title", "Next"]
    assert b"### Title\n\n- \\`\\`\\`\n- \\---\n- \\`\\`\\`\n" in addition.document


@pytest.mark.rule("ART-5")
def test_nothing_to_add_changes_nothing() -> None:
    assert add(b"# T\n", " \n\x00").length == 0


@pytest.mark.rule("STEP-5", "ART-4")
def test_the_headings_in_a_step_s_own_text_are_no_targets() -> None:
    text = "### User Journeys\n\nfirst\n\n### Other\n\nlast"
    document = write_section(b"# T\n\n## Flows\n\n## Next\n", step_id="01-03", heading="Flows", text=text)
    assert add(document).heading is None
    addition = add(document, section="Flows")
    assert addition.document.index(b"last") < addition.start < addition.document.index(b"## Next")
    under_hand = b"# T\n\n## Flows\n\n### User Journeys\n\nhand\n\n" + document.partition(b"## Flows\n\n")[2]
    assert add(under_hand).start > under_hand.index(b"last")


@pytest.mark.rule("ART-5")
def test_a_document_that_is_too_large_is_refused() -> None:
    with pytest.raises(RuleBroken, match="Nothing was changed"):
        insert_addition(b"x" * (MAX_DOCUMENT_SIZE + 1), BLOCK, topic=TOPIC)


@pytest.mark.rule("MENU-4")
def test_the_note_on_skipped_steps_stands_below_title_and_item() -> None:
    top = b"---\na: b\n---\n\n# Spec\n\n**Item**: Offline\n"
    assert add_note(top + b"\nText.\n", "> Draft.") == top + b"\n> Draft.\n\nText.\n"
    for front in (b"---\na: b\n---\n", b"---\n\na: b\n---\n"):
        assert add_note(front + b"\nText.\n", "> Draft.") == front + b"\n> Draft.\n\nText.\n"
    rules = b"---\n\nNo key.\n\n---\n"
    assert add_note(rules, "> Draft.") == b"> Draft.\n\n" + rules


@pytest.mark.rule("ART-4")
def test_a_rule_at_the_top_does_not_become_front_matter_far_above_the_text() -> None:
    document = b"---\na rule, not front matter\n\n# Spec\n\n## User Journeys\n\ntext\n\n## Next\n"
    addition = add(document, "Insights\n...\nmore")
    kinds = [each.kind for each in read_outline(addition.document).pieces]
    assert kinds[:3] == ["hr", "paragraph", "heading"]
