"""Jira's document format reads the same as markdown."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roundtable.trackers.jira import render_markdown

pytestmark = pytest.mark.rule("ITEM-2")


def node(kind: str, *content: object, **attrs: object) -> dict[str, Any]:
    return {"type": kind, "content": list(content), "attrs": attrs}


def text(words: str, *marks: str, href: str | None = None) -> dict[str, Any]:
    kinds: list[dict[str, Any]] = [{"type": mark} for mark in marks]
    if href is not None:
        kinds.append({"type": "link", "attrs": {"href": href}})
    return {"type": "text", "text": words, "marks": kinds}


def para(*words: object) -> dict[str, Any]:
    return node("paragraph", *(text(word) if isinstance(word, str) else word for word in words))


def doc(*content: object) -> str:
    return render_markdown(node("doc", *content))


def test_paragraphs_and_headings_stand_apart() -> None:
    assert doc(node("heading", text("Why"), level=2), para("One."), para("Two.")) == "## Why\n\nOne.\n\nTwo."


@pytest.mark.parametrize(("level", "signs"), [(1, "#"), (6, "######"), (9, "######"), (0, "#"), ("x", "#")])
def test_a_headings_level_stays_within_six(level: object, signs: str) -> None:
    assert doc(node("heading", text("T"), level=level)) == f"{signs} T"


def test_an_empty_heading_or_paragraph_leaves_nothing() -> None:
    assert doc(node("heading", level=2), para(), para("x"), para(" ")) == "x"


def test_a_break_starts_a_new_line() -> None:
    assert doc(para("one", node("hardBreak"), "two")) == "one\ntwo"


@pytest.mark.parametrize(
    ("piece", "expected"),
    [
        (text("bold", "strong"), "**bold**"),
        (text(" bold ", "strong"), "a ** bold ** z".replace("** bold **", " **bold** ")),
        (text("it", "em"), "*it*"),
        (text("gone", "strike"), "~~gone~~"),
        (text("both", "strong", "em"), "***both***"),
        (text("under", "underline"), "under"),
        (text("x = 1", "code"), "`x = 1`"),
        (text("a`b", "code"), "``a`b``"),
        (text("`b", "code"), "`` `b ``"),
        (text("b`", "code"), "`` b` ``"),
        (text("docs", href="https://e.org/a b(c)"), "[docs](https://e.org/a%20b%28c%29)"),
        (text("mail", href="mailto:a@e.org"), "[mail](mailto:a@e.org)"),
        (text("bad", href="javascript:alert(1)"), "bad"),
        (text("bad", "strong", href="/relative"), "**bad**"),
        (text("f()", "code", href="https://e.org"), "[`f()`](https://e.org)"),
        (node("mention", id="77", text="@Ada"), "@Ada"),
        (node("mention", id="77"), "@somebody"),
        (node("emoji", shortName=":smile:", text="🙂"), "🙂"),
        (node("emoji", shortName=":own:"), ":own:"),
        (node("date", timestamp="1582152559000"), "2020-02-19"),
        (node("date", timestamp="soon"), ""),
        (node("status", text="IN PROGRESS", color="blue"), "IN PROGRESS"),
        (node("inlineCard", url="https://e.org/x"), "<https://e.org/x>"),
        (node("inlineCard", url="javascript:x"), "javascript:x"),
        (node("inlineCard"), ""),
        (node("strange", text("known "), text("words")), "known  words"),
        ({"type": "text", "text": "x", "marks": "bold"}, "x"),
        ({"type": "text", "text": "x", "marks": ["bold", {"type": "link"}]}, "x"),
        ({"type": "text"}, ""),
    ],
)
def test_words_keep_their_marks(piece: dict[str, Any], expected: str) -> None:
    whole = doc(para("a ", piece, " z"))
    assert whole == (expected if expected.startswith("a ") else f"a {expected} z")


def test_lists_nest_and_count() -> None:
    inner = node("bulletList", node("listItem", para("deep")))
    numbered = node("orderedList", node("listItem", para("n")), order=3)
    items = [node("listItem", para("one"), inner), node("listItem", para("two"), para("more"), numbered)]
    assert doc(para("So:"), node("bulletList", *items)) == (
        "So:\n\n- one\n  - deep\n- two\n\n  more\n\n  3. n"
    )
    assert doc(node("orderedList", *items, order=9)) == ("9. one\n   - deep\n10. two\n\n    more\n\n    3. n")
    assert doc(node("orderedList", node("listItem", para("a")), node("listItem", para("b")))) == "1. a\n2. b"


def test_tasks_say_whether_they_are_done() -> None:
    done, to_do = node("taskItem", text("done"), state="DONE"), node("taskItem", text("to do"), state="TODO")
    nested = node("taskList", node("taskItem", text("below")))
    assert doc(node("taskList", done, to_do, nested)) == "- [x] done\n- [ ] to do\n  - [ ] below"
    assert doc(node("decisionList", node("decisionItem", text("we will")))) == "- we will"


def test_code_is_kept_as_it_is() -> None:
    code = text("# no heading\n  <b>&\n")
    assert doc(node("codeBlock", code, language="python")) == "```python\n# no heading\n  <b>&\n\n```"
    assert doc(node("codeBlock", text("x"), language="a b`")) == "```\nx\n```"
    assert doc(node("codeBlock", text("```\nx"))) == "````\n```\nx\n````"


def test_quotes_panels_and_expandable_parts() -> None:
    assert doc(node("blockquote", para("a"), para("b"))) == "> a\n>\n> b"
    assert doc(node("panel", para("note"), panelType="info")) == "> note"
    assert doc(node("expand", para("inside"), title="More")) == "**More**\n\ninside"
    assert doc(node("nestedExpand", para("inside"))) == "inside"
    assert doc(para("a"), {"type": "rule"}, para("b")) == "a\n\n---\n\nb"


def test_tables_have_a_head_and_even_rows() -> None:
    head = node("tableRow", node("tableHeader", para("Name")), node("tableHeader", para("A|B")))
    row = node("tableRow", node("tableCell", para("one"), para("|two")))
    assert doc(node("table", head, row)) == "| Name | A\\|B |\n| --- | --- |\n| one \\|two |  |"
    assert doc(node("table")) == ""
    assert doc(node("table", node("tableRow"))) == ""


def test_of_unknown_nodes_the_words_stay() -> None:
    assert doc(node("layout", node("column", para("left")), node("column", para("right")))) == "left\n\nright"
    assert doc(node("mediaSingle", node("media", id="1", alt="A screenshot"))) == "A screenshot"
    assert doc(node("blockCard", url="https://e.org")) == "https://e.org"
    assert doc(text("loose "), text("words"), para("then")) == "loose words\n\nthen"
    assert doc(node("extension", extensionKey="x")) == ""


def test_a_kind_that_is_no_word_is_unknown() -> None:
    assert doc({"type": ["text"], "content": [para("one")]}, {"type": {}, "text": "two"}) == "one\n\ntwo"
    assert doc(para({"type": "text", "text": "x", "marks": [{"type": ["strong"]}, {"type": "em"}]})) == "*x*"


def test_words_cannot_act_as_markup() -> None:
    assert doc(para("# not a heading")) == "\\# not a heading"
    assert doc(para("<!-- hidden -->")) == "&lt;!-- hidden --&gt;"
    assert doc(para("one", node("hardBreak"), "- two")) == "one\n\\- two"


@pytest.mark.parametrize("kind", ["bulletList", "taskList", "blockquote", "panel", "unknown", "table"])
def test_however_deep_it_goes_the_words_are_found(kind: str) -> None:
    deep: dict[str, Any] = para("bottom")
    for _ in range(5000):
        deep = node(kind, deep)
    assert "bottom" in doc(deep)


def test_forty_levels_keep_their_form() -> None:
    def quoted(times: int) -> str:
        deep = para(text("b", "strong"))
        for _ in range(times):
            deep = node("blockquote", deep)
        return doc(deep)

    assert quoted(40) == "> " * 40 + "**b**"
    assert quoted(41) == "> " * 41 + "b"


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "content", "attrs", "text", "marks", "level", "href", "order"]),
            inner
            | st.sampled_from(["paragraph", "text", "table", "orderedList", "heading", "codeBlock", "date"]),
            max_size=4,
        )
    ),
    max_leaves=20,
)


@settings(deadline=None, max_examples=300)
@given(st.dictionaries(st.sampled_from(["type", "content", "attrs", "version"]), values))
def test_no_document_is_too_strange(document: dict[str, Any]) -> None:
    assert isinstance(render_markdown(document), str)
