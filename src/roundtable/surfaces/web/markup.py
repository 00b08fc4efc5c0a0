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
from msgspec import Struct

from ...documents.blocks import ElaborationBlock, find_elaboration_blocks

_TAGS = {
    "a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p",
    "pre", "section", "span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_ATTRIBUTES = {"a": {"href", "id", "class"}, "ol": {"start"}, "section": {"id", "class"}, "span": {"class"}}
_COMMENT = re.compile(r"(?>(?:\s*+<!--(?>(?:(?!-->).)*)-->)+)\s*+", re.DOTALL)
_ANCHOR = re.compile(r'<a id="turn-(?P<turn>\d{1,6})">')


class DiscussionView(Struct, frozen=True):
    """A discussion that has its transcript; `number` is its place in the item's list."""

    number: int
    step: str
    at: str
    text: str
    title: str
    is_undone: bool
    turns: Mapping[str, Sequence[int]]
    """The turns that each entry of its synthesis cites."""
    address: str
    """Where it can be read; a turn has `-turn-N` after it."""


Discussions = Mapping[tuple[str, str], DiscussionView]
"""The discussions of an item, by step and instant."""


def render_words(text: str) -> Markup:
    """Return what somebody said, as HTML; single line ends stay."""
    return _clean(_parser(breaks=True).render(text))


def render_document(text: str, discussions: Discussions | None = None) -> Markup:
    """Return a document as HTML, with what each elaboration added marked and linked to its turns."""
    parser = _parser(breaks=False)
    blocks = find_elaboration_blocks("", text)
    tokens = list(_mark_additions(parser.parse(text), blocks, discussions or {}))
    for token in tokens:
        shown = [each for each in token.children or () if each.type != "text" or each.content]
        for before, after in pairwise(shown):
            if before.type == "softbreak" and after.type == "strong_open":  # a field begins its own line
                before.type = "hardbreak"
    return _clean(str(parser.renderer.render(tokens, parser.options, {"prefix": "", "links": {}})))


def render_transcript(discussion: DiscussionView, led_to: Sequence[tuple[str, str]]) -> Markup:
    """Return a transcript as HTML; the turns that were cited link to the documents by name and address."""
    parser, prefix = _parser(breaks=False), f"discussion-{discussion.number}-"
    tokens = parser.parse(discussion.text)
    for token in (child for each in tokens for child in each.children or ()):
        if token.type == "link_open" and str(token.attrs.get("href", "")).startswith("#turn-"):
            token.attrs["href"] = f"#{prefix}{str(token.attrs['href'])[1:]}"
    cited = {turn for turns in discussion.turns.values() for turn in turns}
    links = "".join(_link(address, name, "led-to") for name, address in led_to)
    env = {"prefix": prefix, "links": dict.fromkeys(cited, links)}
    return _clean(str(parser.renderer.render(tokens, parser.options, env)))


def strip_credit(entry: str) -> str:
    """Return an entry without the names in brackets at its beginning."""
    return entry.partition("] ")[2] if entry.startswith("[") else entry


def find_additions(document: str) -> tuple[tuple[str, str], ...]:
    """Return step and instant of each elaboration that added to a document."""
    return tuple(block.key for block in find_elaboration_blocks("", document))


@cache
def _parser(*, breaks: bool) -> MarkdownIt:
    # HTML is recognised only to be replaced: by nothing where it is a comment, by its own signs elsewhere.
    parser = MarkdownIt("commonmark", {"html": not breaks, "breaks": breaks}).enable(
        ["table", "strikethrough"]
    )
    parser.add_render_rule("html_block", _render_html)
    parser.add_render_rule("html_inline", _render_html)
    return parser.disable("image")  # what is left is a link


def _render_html(_renderer: Any, tokens: Sequence[Token], index: int, _options: Any, env: Any) -> str:
    token = tokens[index]
    if token.meta.get("ours"):
        return token.content
    text = token.content
    if _COMMENT.fullmatch(text) or text == "</a>":
        return ""
    if anchor := _ANCHOR.fullmatch(text.strip()):
        turn = int(anchor["turn"])
        return f'<a id="{env["prefix"]}turn-{turn}"></a>{env["links"].get(turn, "")}'
    return f"<p>{escape(text)}</p>" if token.type == "html_block" else escape(text)


def _mark_additions(
    tokens: Sequence[Token], blocks: Sequence[ElaborationBlock], discussions: Discussions
) -> Iterator[Token]:
    """Yield the tokens with a section around each elaboration, and links behind its entries."""
    found: DiscussionView | None = None
    starts = {block.line: block for block in blocks}
    end = 0
    for token in tokens:
        line = token.map[0] + 1 if token.map and token.level == 0 else 0
        if end and line >= end:
            yield _ours("</section>")
            end = 0
        if token.type == "html_block" and (block := starts.get(line)):
            found, end = discussions.get(block.key), block.end
            yield _ours(f'<section class="addition" id="{addition_id(*block.key)}">')
            if found is not None:
                yield _ours(_link(found.address, "From the discussion", "origin"))
            continue
        if end and found is not None and token.type == "inline" and token.children is not None:
            turns = found.turns.get(strip_credit(token.content), ())
            if cited := "".join(_link(f"{found.address}-turn-{n}", f"turn {n}", "turn") for n in turns):
                token.children.append(_ours(f'<span class="turns">{cited}</span>', "html_inline"))
        yield token
    if end:
        yield _ours("</section>")


def addition_id(step: str, at: str) -> str:
    """Return the name of the place where an elaboration's addition stands in a page."""
    return re.sub(r"[^\w-]", "-", f"addition-{step}-{at}")


def _ours(html: str, kind: str = "html_block") -> Token:
    return Token(kind, "", 0, content=html, meta={"ours": True})


def _link(address: str, name: str, kind: str) -> str:
    return f'<a class="{kind}" href="{escape(address)}">{escape(name)}</a>'


def _clean(html: str) -> Markup:
    schemes, rel = {"http", "https", "mailto"}, "noopener noreferrer nofollow"
    return Markup(nh3.clean(html, tags=_TAGS, attributes=_ATTRIBUTES, url_schemes=schemes, link_rel=rel))
