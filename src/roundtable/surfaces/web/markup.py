"""Renders markdown as HTML that runs nothing and fetches nothing from elsewhere.

Raw HTML is never passed on: only our own comments and anchors have a meaning, and we write new HTML for them.
A second library then cleans the result, and keeps only the tags that we use.
"""

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

from ...documents.blocks import CitedEntry, find_elaboration_blocks

_TAGS = {
    "a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p",
    "pre", "section", "span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_ATTRIBUTES = {"a": {"href", "id", "class"}, "ol": {"start"}, "section": {"id", "class"}, "span": {"class"}}
_COMMENT = re.compile(r"(?>(?:\s*+<!--(?>(?:(?!-->).)*)-->)+)\s*+", re.DOTALL)
_ANCHOR = re.compile(r'<a id="turn-(?P<turn>\d{1,6})">')


class DiscussionView(Struct, frozen=True):
    """A discussion with its transcript."""

    number: int  # its place in the item's list
    step: str
    at: str
    title: str
    is_undone: bool
    text: str
    address: str  # where it is shown; a turn's address ends in `-turn-N`
    entries: Sequence[CitedEntry]


def render_words(text: str) -> Markup:
    """Return what somebody said, as HTML with its line breaks."""
    return _clean(_parser(breaks=True).render(text))


def render_document(text: str, discussions: Sequence[DiscussionView] = ()) -> Markup:
    """Return a document as HTML; what a discussion added is marked, and linked to the turns it cites."""
    tokens = list(_mark_additions(text, {(each.step, each.at): each for each in discussions}))
    for token in tokens:
        shown = [each for each in token.children or () if each.type != "text" or each.content]
        for before, after in pairwise(shown):
            if before.type == "softbreak" and after.type == "strong_open":  # a field begins its own line
                before.type = "hardbreak"
    return _render(tokens)


def render_transcript(discussion: DiscussionView, led_to: Mapping[str, str]) -> Markup:
    """Return a transcript as HTML; the turns that entries cite link to what they `led_to`.

    Its number is in each anchor, so that several transcripts fit on one page.
    """
    tokens, prefix = _parser(breaks=False).parse(discussion.text), f"discussion-{discussion.number}-"
    for token in (child for each in tokens for child in each.children or ()):
        if token.type == "link_open" and str(token.attrs.get("href", "")).startswith("#turn-"):
            token.attrs["href"] = f"#{prefix}{str(token.attrs['href'])[1:]}"
    links = "".join(_link(address, name, "led-to") for name, address in led_to.items())
    return _render(tokens, prefix, {turn: links for entry in discussion.entries for turn in entry.turns})


def find_additions(document: str) -> set[str]:
    """Return the ids of the sections that elaborations added to a document."""
    return {addition_id(*block.key) for block in find_elaboration_blocks("", document)}


def addition_id(step: str, at: str) -> str:
    """Return the id of the section that an elaboration added to a page."""
    return re.sub(r"[^\w-]", "-", f"addition-{step}-{at}")


@cache
def _parser(*, breaks: bool) -> MarkdownIt:
    # HTML is recognised only to be replaced: a comment by nothing, anything else by its escaped text.
    parser = MarkdownIt("commonmark", {"html": not breaks, "breaks": breaks})
    for kind in ("html_block", "html_inline"):
        parser.add_render_rule(kind, _render_html)
    return parser.enable(["table", "strikethrough"]).disable("image")  # what is left of an image is a link


def _render(tokens: Sequence[Token], prefix: str = "", links: Mapping[int, str] | None = None) -> Markup:
    parser, env = _parser(breaks=False), {"prefix": prefix, "links": links or {}}
    return _clean(str(parser.renderer.render(tokens, parser.options, env)))


def _render_html(_renderer: Any, tokens: Sequence[Token], index: int, _options: Any, env: Any) -> str:
    token, text = tokens[index], tokens[index].content
    if token.meta.get("ours"):
        return text
    if _COMMENT.fullmatch(text) or text == "</a>":
        return ""
    if anchor := _ANCHOR.fullmatch(text.strip()):
        turn = int(anchor["turn"])
        return f'<a id="{env["prefix"]}turn-{turn}"></a>{env["links"].get(turn, "")}'
    return f"<p>{escape(text)}</p>" if token.type == "html_block" else escape(text)


def _mark_additions(text: str, origins: Mapping[tuple[str, str], DiscussionView]) -> Iterator[Token]:
    """Yield the tokens with a section around each elaboration, and links after its entries."""
    starts = {block.line: block for block in find_elaboration_blocks("", text)}
    origin: DiscussionView | None = None
    end = 0
    for token in _parser(breaks=False).parse(text):
        line = token.map[0] + 1 if token.map and token.level == 0 else 0
        if end and line >= end:
            yield _ours("</section>")
            end = 0
        if token.type == "html_block" and (block := starts.get(line)):
            end, origin = block.end, origins.get(block.key)
            link = _link(origin.address, "From the discussion", "origin") if origin is not None else ""
            yield _ours(f'<section class="addition" id="{addition_id(*block.key)}">{link}')
            continue
        if end and origin is not None and token.type == "inline" and token.children is not None:
            written = (each.turns for each in origin.entries if each.is_written_as(token.content))
            for turn in next(written, ()):
                link = _link(f"{origin.address}-turn-{turn}", f"turn {turn}", "turn")
                token.children.append(_ours(link, "html_inline"))
        yield token
    if end:
        yield _ours("</section>")


def _ours(html: str, kind: str = "html_block") -> Token:
    return Token(kind, "", 0, content=html, meta={"ours": True})


def _link(address: str, name: str, kind: str) -> str:
    return f'<a class="{kind}" href="{escape(address)}">{escape(name)}</a>'


def _clean(html: str) -> Markup:
    schemes, rel = {"http", "https", "mailto"}, "noopener noreferrer nofollow"
    return Markup(nh3.clean(html, tags=_TAGS, attributes=_ATTRIBUTES, url_schemes=schemes, link_rel=rel))
