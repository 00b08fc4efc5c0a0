"""Markdown as HTML: whatever the text, nothing in it runs and nothing is fetched."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from roundtable.documents.blocks import CitedEntry, parse_transcript
from roundtable.surfaces.web.markup import DiscussionView, render_document, render_transcript, render_words

PIECES = st.sampled_from(
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<svg/onload=alert(1)>",
        "<a href='javascript:1'>",
        "[a](javascript:alert(1))",
        "[a](JaVaScRiPt&colon;alert(1))",
        "![a](https://elsewhere.example/a.png)",
        "[a](data:text/html,x)",
        "<https://elsewhere.example>",
        "<!-- ",
        " -->",
        "<!-- Elaboration: step 01-03, 2026-02-20T10:00:00.000Z -->\n",
        '<!-- Elaboration: step "><b>, x -->\n',
        '<a id="turn-3"></a>',
        '<a id="turn-3" onclick="x">',
        "</section>",
        "</div>",
        "<style>",
        "<base href=//elsewhere.example>",
        "<iframe src=//elsewhere.example>",
        "```html\n",
        "`",
        "\n",
        "\n\n",
        "# ",
        "- ",
        "> ",
        "| a | b |\n|---|---|\n",
        "&lt;script&gt;",
        "&#60;script&#62;",
        "\x00",
        "\u202e",
        "[x]: javascript:alert(1)\n",
        "[x]",
        "*",
        "word ",
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=6), max_size=14).map("".join)
ENTRIES = [CitedEntry("Key Insights", words, (3,), "", 1) for words in ("word", "x", "#", "<b>")]
TALK = DiscussionView(
    1, "01-03", "2026-02-20T10:00:00.000Z", "Scope", False, "", "/items/x/discussions/1#d", ENTRIES
)


class Found(HTMLParser):
    """Collects the tags and attributes of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]


def assert_harmless(html: str) -> None:
    found = Found(html)
    assert not found.tags & {
        "script",
        "img",
        "svg",
        "iframe",
        "style",
        "base",
        "object",
        "form",
        "link",
        "meta",
    }
    assert {name for name, _ in found.attributes} <= {"href", "id", "class", "rel", "start"}
    schemes = {urlsplit(value).scheme for name, value in found.attributes if name == "href"}
    assert schemes <= {"", "http", "https", "mailto"}


@given(TEXTS)
def test_nothing_in_any_text_can_run_or_fetch(text: str) -> None:
    assert_harmless(render_words(text))
    assert_harmless(render_document(text))
    assert_harmless(render_document(text, [TALK]))
    assert_harmless(render_transcript(replace(TALK, text=text), {"<b>.md": "/items/x/documents/%22"}))


@given(TEXTS)
def test_an_addition_never_swallows_what_follows_it(text: str) -> None:
    page = render_document(f"<!-- Elaboration: step 01-03, x -->\n\n### Added\n\nwords\n\n## Next\n\n{text}")
    assert page.index("</section>") < page.index("<h2>Next</h2>")


def test_fields_stand_on_lines_of_their_own_and_wrapped_text_does_not() -> None:
    html = render_document("**Participants**: Maya\n**Turns**: 9 | **Exit**: user-initiated\n\nOne\ntwo.\n")
    assert "Maya<br>\n<strong>Turns" in html and "One\ntwo." in html


def test_what_was_written_is_shown_as_it_is() -> None:
    assert (
        render_words("<b>bold</b> & *so*\nnext")
        == "<p>&lt;b&gt;bold&lt;/b&gt; &amp; <em>so</em><br>\nnext</p>\n"
    )
    assert "<p>&lt;b&gt;bold&lt;/b&gt;" in render_document("<b>bold</b>").replace("\n", "")
    assert render_document("<!-- Step 01-01: 3 characters, 00000000 -->\n") == ""
    picture = render_words("![A map](https://elsewhere.example/map.png)")
    assert '!<a href="https://elsewhere.example/map.png"' in picture and ">A map</a>" in picture


@pytest.mark.parametrize("review", ["", ", edited in the review"])
def test_the_turns_of_an_entry_are_read_from_the_transcript(review: str) -> None:
    entry = f"- [User/Alex] Keep it: cheap ([turn 2](#turn-2), [turn 12](#turn-12){review})\n- None"
    found = parse_transcript(f"<!-- Transcript: step 01-03, T -->\n## Synthesis\n### Decisions Made\n{entry}")
    assert found is not None and [(each.text, each.turns) for each in found.entries] == [
        ("Keep it: cheap", (2, 12))
    ]


def test_an_entry_is_linked_to_its_turns_also_where_the_document_leaves_its_detail_out() -> None:
    entries = [
        CitedEntry("Key Insights", "[Maya] It is slow: on the old phone", (2, 4), "", 1),
        CitedEntry("Decisions Made", "Keep it: cheap", (5,), "", 2),
    ]
    marker = "<!-- Elaboration: step 01-03, T -->\n\n### Added\n\n"
    page = render_document(
        f"{marker}- [Maya] It is slow.\n- Keep it: cheap\n- Mine\n\n## Next\n\n- Keep it: cheap\n",
        [replace(TALK, at="T", address="/d/1#discussion-1", entries=entries)],
    )
    links = re.findall(r'<li>([^<]+)|href="([^"]+)" rel="[^"]*">(turn \d)</a>', page)
    turn = "/d/1#discussion-1-turn-"
    assert links == [
        ("[Maya] It is slow.", "", ""),
        ("", f"{turn}2", "turn 2"),
        ("", f"{turn}4", "turn 4"),
        ("Keep it: cheap", "", ""),
        ("", f"{turn}5", "turn 5"),
        ("Mine", "", ""),
        ("Keep it: cheap", "", ""),
    ]


def test_words_that_look_like_a_link_to_a_turn_stay_as_they_were_typed() -> None:
    page = render_transcript(replace(TALK, number=7, text="`](#turn-1)` [turn 1](#turn-1)\n"), {})
    assert "<code>](#turn-1)</code>" in page and 'href="#discussion-7-turn-1"' in page


@pytest.mark.parametrize(
    "after",
    [
        "<!-- Feedback: step 01-03, T -->\n\n- **Feedback**: after",
        "<!-- End of addition -->\n\n- after",
        "After\n-----",
    ],
)
def test_an_addition_ends_where_every_other_reader_ends_it(after: str) -> None:
    document = f"  <!-- Elaboration: step 01-03, T -->\n\n### Added\n\n<!-- mine -->\n\nwords\n\n{after}\n"
    before, _, rest = render_document(document).partition("</section>")
    assert before.startswith('<section class="addition"') and "words" in before
    assert "after" in rest.casefold() and "after" not in before.casefold()
