"""Where a document's sections are, and which of them a topic belongs to."""

from __future__ import annotations

import pytest

from roundtable.artifacts.outline import LARGEST, outline
from roundtable.artifacts.sections import choose, name_of, sections, words_of
from roundtable.core.errors import RuleBroken

MARKER = b"<!-- Elaboration: step 01-02, 2026-01-02T03:04:05.678Z -->\n\n"


def headings(document: bytes) -> list[str]:
    return [section.heading for section in sections(document)]


def chosen(document: bytes, topic: str, section: str | None = None) -> str | None:
    found = choose(sections(document), topic=topic, section=section)
    return found.heading if found else None


@pytest.mark.rule("ART-3")
def test_a_section_knows_its_bytes() -> None:
    document = "# Spec\n\n## 1. Café **now**\n\ntext\n\n### 1.1 Sub\n\n## 2. Next\n".encode()
    title, first, sub, last = sections(document)
    assert (first.heading, first.name, first.level) == ("1. Café now", "Café now", 2)
    assert document[first.start : first.body] == "## 1. Café **now**\n".encode()
    assert document[first.body : first.end] == b"\ntext\n\n### 1.1 Sub\n\n"
    assert document[sub.start : sub.end] == b"### 1.1 Sub\n\n"
    assert (title.end, last.end) == (len(document), len(document))


@pytest.mark.rule("ART-3")
@pytest.mark.parametrize(
    "hidden",
    [
        b"```\n## Hidden\n```\n",
        b"~~~ md\n## Hidden\n~~~\n",
        b"<!--\n\n## Hidden\n\n-->\n",
        b"<pre>\n\n## Hidden\n</pre>\n",
        b"<div>\n## Hidden\n</div>\n",
        b"- item\n\n  ## Hidden\n",
        b"> ## Hidden\n",
        b"    ## Hidden\n",
        b"a | b\n--- | ---\nHidden\n---\n",
    ],
)
def test_only_headings_of_the_document_itself_count(hidden: bytes) -> None:
    assert headings(b"## A\n\n" + hidden + b"\n## B\n") == ["A", "B"]


@pytest.mark.rule("ART-3")
@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (b"---\n# comment\na: b\n---\n# T\n", ["T"]),
        (b"\xef\xbb\xbf---\na: b\n...\n# T\n", ["T"]),
        (b"---\n\ntitle: x\n---\n# T\n", ["T"]),
        (b"---\n---\n# T\n", ["T"]),
        (b"---\n\n# T\n\n---\n\n## A\n", ["T", "A"]),
        (b"---\n# T\n", ["T"]),
        (b"\n---\n# T\n\n---\n", ["T"]),
    ],
)
def test_front_matter_holds_no_headings(document: bytes, expected: list[str]) -> None:
    assert headings(document) == expected


@pytest.mark.rule("ART-3", "ART-5")
@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_line_endings_byte_order_marks_and_bad_bytes_keep_their_places(newline: bytes, mark: bytes) -> None:
    document = mark + newline.join([b"One", b"===", b"", b"\xff\x00 text", b"", b"## T\xc3wo ##", b"x"])
    one, two = sections(document)
    assert one.start == len(mark)
    assert document[one.start : one.body] == newline.join([b"One", b"===", b""])
    assert document[two.start :].startswith(b"## T\xc3wo")
    assert (one.heading, one.level, two.heading, two.level) == ("One", 1, "T\ufffdwo", 2)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (b"## A & B &amp; C", "A & B & C"),
        (b"## `code` [link](x) ![pic](y) \\# <a id='x'></a> end", "code link pic # end"),
        (b"Two\nlines\n---", "Two lines"),
        (b"##", ""),
    ],
)
def test_a_heading_is_shown_without_its_markup(written: bytes, shown: str) -> None:
    assert headings(written + b"\n") == [shown]


@pytest.mark.rule("ART-3")
@pytest.mark.parametrize(
    "numbering",
    ["3. ", "3.1 ", "3.1. ", "3) ", "(3) ", "3 ", "12 - ", "3: ", "A. ", "IV. ", "Section 3: ", "§3 ", "3."],
)
def test_numbering_is_stripped(numbering: str) -> None:
    assert name_of(f"{numbering}User Journeys") == "User Journeys"


@pytest.mark.parametrize(
    "heading", ["3", "2024 Goals", "A day", "I think", "MVP. Later", "e.g. this", "v2 API"]
)
def test_what_is_no_numbering_stays(heading: str) -> None:
    assert name_of(heading) == heading


@pytest.mark.rule("ART-3")
def test_the_step_s_own_section_comes_first() -> None:
    document = b"# T\n\n## User Experience & Journeys\n\n## 3. USER  journeys\n"
    assert chosen(document, "User Experience & Journeys", "User Journeys") == "3. USER journeys"
    assert chosen(document, "User Experience & Journeys", "4. user Journeys") == "3. USER journeys"
    assert chosen(document, "User Experience & Journeys", "Gone") == "User Experience & Journeys"


@pytest.mark.rule("ART-3")
def test_the_full_title_goes_before_the_closest_words() -> None:
    document = b"# T\n\n## Journeys of user experience\n\n## 2. user experience & journeys\n"
    assert chosen(document, "User Experience & Journeys") == "2. user experience & journeys"


@pytest.mark.rule("ART-3")
@pytest.mark.parametrize(
    ("topic", "expected"),
    [
        ("User Experience & Journeys", "3. User Journeys"),  # two of three words
        ("Risk Zones", "5. Risks"),  # one of two is half
        ("Risk Zone Analysis", None),  # one of three is less than half
        ("Quality of the Journey", "3. User Journeys"),  # stop words do not count
        ("Story Writing", "6. Written stories to write"),
        ("Estimating requirements", "7. Requirement estimates"),
        ("and the of", None),
    ],
)
def test_the_closest_section_meets_half_of_the_words(topic: str, expected: str | None) -> None:
    document = (
        b"# Spec\n\n## 2. User Needs\n\n## 3. User Journeys\n\n## 4. Journeys of each user\n\n## 5. Risks\n\n"
        b"## 6. Written stories to write\n\n## 7. Requirement estimates\n"
    )
    assert chosen(document, topic) == expected


@pytest.mark.rule("ART-3")
def test_more_words_win_and_the_first_of_equals() -> None:
    document = b"## User data\n\n## Data flow\n\n## User data flow\n\n## Flow of user data\n"
    assert chosen(document, "User Data Flow State") == "User data flow"
    assert chosen(document, "Data Model") == "User data"


def test_words_fold_case_plurals_and_simple_stems() -> None:
    assert words_of("Journeys journey") == words_of("JOURNEY")
    assert words_of("Stories and classes, boxes") == words_of("story class box")
    assert words_of("Handling validated") == words_of("handle validation")
    assert words_of("Prioritisation Assessments") == words_of("prioritization assess")
    assert words_of("status bus is") == words_of("status bus")
    assert words_of("data") != words_of("date")


@pytest.mark.rule("ART-3")
def test_a_lone_title_is_no_section() -> None:
    assert chosen(b"# User Journeys\n\ntext\n", "User Journeys", "User Journeys") is None
    assert chosen(b"# User Journeys\n\n# Other\n", "User Journeys") == "User Journeys"


@pytest.mark.rule("ART-3")
def test_the_section_for_what_fits_nowhere_is_used_again() -> None:
    document = b"# T\n\n## A\n\n" + MARKER + b"### Elaboration Insights (Step 01-02: A)\n\n"
    document += b"### Additional Insights from Elaboration\n"
    assert chosen(document, "Nothing like it") == "Additional Insights from Elaboration"
    assert chosen(b"# T\n\n## A\n", "Nothing like it") is None


@pytest.mark.rule("ART-3")
@pytest.mark.parametrize(
    "block",
    [
        MARKER + b"### Elaboration Insights (Step 01-02: User Journeys)\n\n#### User Journeys\n",
        MARKER + b"### User Journeys\n\n#### User Journeys\n",
        b"<!-- Elaboration enrichment (step 01-02, t) -->\n\n"
        b"## Elaboration Insights (Step 01-02: User Journeys)\n\n### User Journeys\n",
        b"## Elaboration Insights (Step 01-02: User Journeys)\n\n### User Journeys\n",
    ],
)
def test_earlier_elaboration_blocks_are_no_targets(block: bytes) -> None:
    document = b"# T\n\n## Needs\n\ntext\n\n" + block + b"\ntext\n\n## Last\n"
    assert [section.elaboration for section in sections(document)] == [False, False, True, True, False]
    assert chosen(document, "User Journeys", "User Journeys") is None
    needs = sections(document)[1]
    assert document[needs.end :] == b"## Last\n"


@pytest.mark.rule("ART-3")
def test_a_marker_without_its_block_hides_no_section() -> None:
    document = b"# T\n\n## Needs\n\n" + MARKER + b"## User Journeys\n"
    assert chosen(document, "User Journeys") == "User Journeys"
    for ours in (b"<!-- Step 01-03: 0 characters, e3b0c442 -->", b"<!-- Feedback: step 01-03, t -->"):
        assert (
            chosen(b"# T\n\n" + MARKER + b"## User Journeys\n\n" + ours, "User Journeys") == "User Journeys"
        )


@pytest.mark.rule("ART-3", "ART-4")
def test_at_the_deepest_level_a_block_s_parts_belong_to_it() -> None:
    document = b"###### Deep\n\n" + MARKER + b"###### Elaboration Insights (Step 01-02: x)\n\n"
    document += b"###### Key Insights\n\n###### Own\n"
    assert [section.elaboration for section in sections(document)] == [False, True, True, False]
    assert document[sections(document)[0].end :] == b"###### Own\n"


@pytest.mark.parametrize(
    ("document", "is_open"),
    [
        (b"```\na", True),
        (b"```\na\n```\n", False),
        (b"````\na\n```\n", True),
        (b"```\na\n    ```\n", True),
        (b"~~~\na\n  ~~~~ \n", False),
        (b"```\n", True),
        (b"<!-- a\n\nb", True),
        (b"<!-- a\n\nb -->", False),
        (b"<PRE>\n\nx", True),
        (b"<script>\n</script>", False),
        (b"<?php\n", True),
        (b"<!DOCTYPE\n", True),
        (b"<![CDATA[\n]]>", False),
        (b"<div>\n", False),
        (b"- ```\n  x\n", False),
    ],
)
def test_a_piece_is_open_where_nothing_closes_it(document: bytes, is_open: bool) -> None:
    assert outline(document).pieces[-1].open is is_open


@pytest.mark.rule("ART-5")
def test_a_document_that_is_too_large_is_refused() -> None:
    assert sections(b"x" * LARGEST) == ()
    with pytest.raises(RuleBroken, match=r"5,000,001 bytes; at most 5,000,000 .* Nothing was changed"):
        sections(b"x" * (LARGEST + 1))
