"""Whatever the document and whatever the text: what was there stays, byte for byte, and reads as before."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from roundtable.documents.additions import insert_addition, write_section
from roundtable.documents.outline import Section, parse, read_outline

LINES = [
    *[
        "# T",
        "## 3. User Journeys",
        "## Other",
        "   ## Indented",
        "###### deep",
        "Setext",
        "===",
        "---",
        "***",
    ],
    *[
        "- a",
        "  - b",
        "1. x",
        "> q",
        "```",
        "~~~",
        "````",
        "- ```",
        "    code",
        "\ttab",
        "",
        "",
        "text",
        "  two",
    ],
    *[
        "<!--",
        "-->",
        "<!-- c -->",
        "> <!--",
        "- <!-- x",
        "<pre>",
        "</pre>",
        "<script>",
        "<?",
        "<![CDATA[",
        "<div>",
    ],
    *[
        "<!DOCTYPE",
        "| a | b |",
        "|---|---|",
        "[x]: /u",
        "[x]: /u 'a",
        "[foo",
        "bar]: /x",
        "...",
        "\\",
        "a: b",
    ],
    *[
        "### Additional Insights from Elaboration",
        "<!-- Elaboration: step 01-01, t -->",
        "\x00",
        "\u2028",
        "\x0c",
    ],
    *["### Elaboration Insights (Step 01-01: x)", "<!-- Elaboration enrichment (step 01-01, t) -->"],
    "<!-- Step 01-03: 4 characters, 982d9e3e -->",
]
LINE = st.tuples(st.sampled_from(LINES), st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"])).map("".join)
TEXT = st.one_of(st.lists(LINE).map("".join), st.text())
BEGINNING = st.sampled_from([b"", b"\xef\xbb\xbf", b"---\n", b"---\na: b\n---\n", b"\xff\xfe"])
END = st.sampled_from([b"", b"end", b"\xc3", b"## last", b"```", b"  "])
DOCUMENT = st.one_of(
    st.tuples(BEGINNING, st.lists(LINE).map(lambda lines: "".join(lines).encode()), END).map(b"".join),
    st.binary(),
)
MARKER = "<!-- Elaboration: step 01-03, t -->"
TITLE = "### Elaboration Insights (Step 01-03: x)"
MARKED = TEXT.map(lambda text: f"{MARKER}\n\n{TITLE}\n\n#### Key Insights\n{text}")
BLOCK = st.one_of(TEXT, MARKED)
HEADING = st.sampled_from(["3. User Journeys", "Other", "Indented", "deep", "4. Missing"])


def names(found: tuple[Section, ...], start: int = 0, length: int = 0) -> list[tuple[str, int]]:
    return [(s.heading, s.level) for s in found if not start <= s.start < start + length]


def list_pieces(document: bytes, start: int, length: int = 0) -> list[tuple[str, int, int]]:
    """Every piece outside of a stretch, with its level and where it stood before the stretch was added."""
    found = [each for each in read_outline(document).pieces if not start <= each.start < start + length]
    return [(each.kind, each.level, each.start - length * (each.start >= start)) for each in found]


def alike(one: bytes, other: bytes) -> int:
    """How many bytes two documents begin with alike."""
    different = (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(different, min(len(one), len(other)))


@pytest.mark.rule("ART-4", "ART-5", "ART-7")
@given(document=DOCUMENT, block=BLOCK, topic=HEADING)
def test_an_addition_is_one_insertion_that_leaves_all_sections_as_they_were(
    document: bytes, block: str, topic: str
) -> None:
    addition = insert_addition(document, block, topic=topic)
    start, length = addition.start, addition.length
    assert addition.document[:start] + addition.document[start + length :] == document
    old, new = read_outline(document).sections, read_outline(addition.document).sections
    assert names(new, start, length) == names(old)
    assert list_pieces(addition.document, start, length) == list_pieces(document, start)
    if addition.heading is not None:
        above = next(s for s in old if s.heading == addition.heading and s.body <= start <= s.end)
        inside = [s.level for s in new if start <= s.start < start + length]
        assert inside[:1] in ([], [min(above.level + 1, 6)])
        assert all(level > min(above.level + 1, 5) for level in inside[1:])


@pytest.mark.rule("STEP-5")
@given(document=DOCUMENT, first=TEXT, second=TEXT, heading=HEADING, block=MARKED)
def test_a_re_run_keeps_elaborations_and_feedback(
    document: bytes, first: str, second: str, heading: str, block: str
) -> None:
    assume(heading != "deep")  # below level 6 there is no room to contain a hostile heading
    once = write_section(document, step_id="01-09", heading=heading, text=first)
    addition = insert_addition(once, block, topic=heading, section=heading)
    words = "<!-- Feedback: step 01-09, t -->\n\nNo."
    feedback = insert_addition(addition.document, words, topic=heading, step_id="01-09")
    end = addition.start + addition.length
    again = write_section(feedback.document, step_id="01-09", heading=heading, text=second)
    assert addition.document[addition.start : end].strip(b"\r\n") in again
    new = feedback.document[feedback.start : feedback.start + feedback.length]
    assert new.strip(b"\r\n") in again


@pytest.mark.rule("STEP-5")
@given(document=DOCUMENT, first=TEXT, second=TEXT, hand=st.lists(st.sampled_from(LINES)), data=st.data())
def test_a_re_run_changes_one_stretch_and_no_hand_edit(
    document: bytes, first: str, second: str, hand: list[str], data: st.DataObject
) -> None:
    once = write_section(document, step_id="01-09", heading="Other", text=first)
    lines = once.splitlines(keepends=True)
    at = data.draw(st.integers(0, len(lines)))
    before, after = b"".join(lines[:at]), b"".join(lines[at:])
    edit = "".join(f"{line}\n" for line in ["Written by hand.", *hand]).encode()
    by_hand = before + edit + after
    again = write_section(by_hand, step_id="01-09", heading="Other", text=second)
    same_before = alike(by_hand, again)
    same_after = alike(by_hand[::-1], again[::-1])
    only_inserted = same_before + same_after >= len(by_hand)
    assert only_inserted or same_before >= len(before + edit) or same_after >= len(edit + after)


@pytest.mark.rule("STEP-5")
@given(document=DOCUMENT, text=TEXT, heading=HEADING)
def test_writing_twice_is_writing_once(document: bytes, text: str, heading: str) -> None:
    once = write_section(document, step_id="01-09", heading=heading, text=text)
    assert write_section(once, step_id="01-09", heading=heading, text=text) == once


ORDINARY = [
    "Words here",
    "**Label**: words",
    "- one",
    "* two",
    "1. first",
    "2) other",
    "- [Maya] said",
    "- [a]: b",
]
ORDINARY += ["|a|b|", "| - | :-: |", "|1|", "## C# #", "#", "``` `x", "```py", "10 people", "", "", "", " "]


@given(st.lists(st.sampled_from([*ORDINARY, *LINES])), st.sampled_from(["", "\n", "  ", "\n\n"]))
def test_a_document_is_read_as_the_parser_reads_the_whole_of_it(chosen: list[str], end: str) -> None:
    text = "\n".join(["", *chosen]) + end
    shape = read_outline(text.encode())
    expected = [
        (token.type.removesuffix("_open"), shape.lines[token.map[0]], shape.lines[token.map[1]])
        for token in parse(text)[0]
        if token.level == 0 and token.nesting >= 0 and token.map
    ]
    assert [(piece.kind, piece.start, piece.end) for piece in shape.pieces] == expected
