"""Markdown as HTML in which nothing can run and for which nothing is fetched from elsewhere.

Raw HTML is never passed on: of it only our own comments and anchors mean something, and we write what stands
for them. Whatever comes out is cleaned once more by a second library, which knows the tags that we use.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from html import escape
from itertools import pairwise
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from ...documents.blocks import find_elaboration_blocks

_TAGS = {
    "a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p",
    "pre", "section", "span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_ATTRIBUTES = {"a": {"href", "id", "class"}, "ol": {"start"}, "section": {"id", "class"}, "span": {"class"}}
_COMMENT = re.compile(r"(?>(?:\s*+<!--(?>(?:(?!-->).)*)-->)+)\s*+", re.DOTALL)
_ANCHOR = re.compile(r'<a id="(?:discussion-\d{1,6}-)?turn-\d{1,6}">')


def render_words(text: str) -> Markup:
    """Return what somebody said, as HTML; single line ends stay."""
    return _clean(_parser(breaks=True).render(text))


def render_document(text: str, discussions: Mapping[tuple[str, str], str] | None = None) -> Markup:
    """Return a document as HTML; what an elaboration added is marked, and linked to its discussion.

    `discussions` has the addresses of the transcripts, by step and instant.
    """
    tokens = list(_mark_additions(text, discussions or {}))
    for token in tokens:
        shown = [each for each in token.children or () if each.type != "text" or each.content]
        for before, after in pairwise(shown):
            if before.type == "softbreak" and after.type == "strong_open":  # a field begins its own line
                before.type = "hardbreak"
    parser = _parser(breaks=False)
    return _clean(str(parser.renderer.render(tokens, parser.options, {})))


def render_transcript(text: str, number: int) -> Markup:
    """Return the transcript of a number as HTML; with it, its turns are told from others in the same page."""
    for before in ('<a id="', "](#"):
        text = text.replace(f"{before}turn-", f"{before}discussion-{number}-turn-")
    return _clean(_parser(breaks=False).render(text))


def find_additions(document: str) -> set[str]:
    """Return the names of the places where elaborations added to a document."""
    return {addition_id(*block.key) for block in find_elaboration_blocks("", document)}


def addition_id(step: str, at: str) -> str:
    """Return the name of the place where an elaboration's addition stands in a page."""
    return re.sub(r"[^\w-]", "-", f"addition-{step}-{at}")


@cache
def _parser(*, breaks: bool) -> MarkdownIt:
    # HTML is recognised only to be replaced: by nothing where it is a comment, by its own signs elsewhere.
    parser = MarkdownIt("commonmark", {"html": not breaks, "breaks": breaks})
    for kind in ("html_block", "html_inline"):
        parser.add_render_rule(kind, _render_html)
    return parser.enable(["table", "strikethrough"]).disable("image")  # what is left of an image is a link


def _render_html(_renderer: Any, tokens: Sequence[Token], index: int, *_rest: Any) -> str:
    token, text = tokens[index], tokens[index].content
    if token.meta.get("ours"):
        return text
    if _COMMENT.fullmatch(text) or text == "</a>":
        return ""
    if anchor := _ANCHOR.fullmatch(text.strip()):
        return f"{anchor[0]}</a>"
    return f"<p>{escape(text)}</p>" if token.type == "html_block" else escape(text)


def _mark_additions(text: str, discussions: Mapping[tuple[str, str], str]) -> Iterator[Token]:
    """Yield the tokens with a section around each elaboration."""
    starts = {block.line: block for block in find_elaboration_blocks("", text)}
    end = 0
    for token in _parser(breaks=False).parse(text):
        line = token.map[0] + 1 if token.map and token.level == 0 else 0
        if end and line >= end:
            yield _ours("</section>")
            end = 0
        if token.type == "html_block" and (block := starts.get(line)):
            end, html = block.end, f'<section class="addition" id="{addition_id(*block.key)}">'
            if address := discussions.get(block.key):
                html += f'<a class="origin" href="{escape(address)}">From the discussion</a>'
            yield _ours(html)
            continue
        yield token
    if end:
        yield _ours("</section>")


def _ours(html: str) -> Token:
    return Token("html_block", "", 0, content=html, meta={"ours": True})


def _clean(html: str) -> Markup:
    schemes, rel = {"http", "https", "mailto"}, "noopener noreferrer nofollow"
    return Markup(nh3.clean(html, tags=_TAGS, attributes=_ATTRIBUTES, url_schemes=schemes, link_rel=rel))
