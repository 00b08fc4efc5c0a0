"""Markdown as HTML in which nothing can run and for which nothing is fetched from elsewhere.

Raw HTML is never passed on: of it only our own comments and anchors mean something, and we write what stands
for them. Whatever comes out is cleaned once more by a second library, which knows the tags that we use.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from html import escape
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup
from msgspec import Struct, field

_TAGS = {
    "a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p",
    "pre", "section", "span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_ATTRIBUTES = {
    "a": {"href", "id", "class"},
    "ol": {"start"},
    "section": {"id", "class"},
    "span": {"class"},
}
_ADDITION = re.compile(
    r"<!-- Elaboration: step (?P<step>[\d-]{1,9}), (?P<at>\S{1,40}) -->\s*+", re.IGNORECASE
)
_COMMENT = re.compile(r"(?>(?:\s*+<!--(?>(?:(?!-->).)*)-->)+)\s*+", re.DOTALL)
_ANCHOR = re.compile(r'<a id="turn-(?P<turn>\d{1,6})">')


class TurnLinks(Struct, frozen=True):
    """Where a discussion can be read, a turn with `-turn-N` after it; and the turns that each entry cites."""

    address: str
    turns: Mapping[str, Sequence[int]] = field(default_factory=dict)


class DocumentLinks(Struct, frozen=True):
    """What a document is linked to: discussions by step and instant, or the documents that cite its turns."""

    discussions: Mapping[tuple[str, str], TurnLinks] = field(default_factory=dict)
    cited_in: Mapping[int, Sequence[tuple[str, str]]] = field(default_factory=dict)
    prefix: str = ""
    """What the names of its turns begin with, so that they are its own where several share a page."""


NO_LINKS = DocumentLinks()


def render_words(text: str) -> Markup:
    """Return what somebody said, as HTML; single line ends stay."""
    return _clean(_parser(breaks=True).render(text))


def render_document(text: str, links: DocumentLinks = NO_LINKS) -> Markup:
    """Return a document as HTML, with what each elaboration added marked and linked to its turns."""
    parser = _parser(breaks=False)
    tokens = list(_mark_additions(parser.parse(text), links))
    for token in (child for each in tokens for child in each.children or ()):
        if token.type == "link_open" and str(token.attrs.get("href", "")).startswith("#turn-"):
            token.attrs["href"] = f"#{links.prefix}{str(token.attrs['href'])[1:]}"
    return _clean(str(parser.renderer.render(tokens, parser.options, {"links": links})))


def strip_credit(entry: str) -> str:
    """Return an entry without the names in brackets at its beginning."""
    return entry.partition("] ")[2] if entry.startswith("[") else entry


def find_additions(document: str) -> tuple[tuple[str, str], ...]:
    """Return step and instant of each elaboration that added to a document."""
    return tuple((each["step"], each["at"]) for each in _ADDITION.finditer(document))


@cache
def _parser(*, breaks: bool) -> MarkdownIt:
    # HTML is recognised only to be replaced: by nothing where it is a comment, by its own signs elsewhere.
    parser = MarkdownIt("commonmark", {"html": not breaks, "breaks": breaks}).enable(
        ["table", "strikethrough"]
    )
    parser.add_render_rule("html_block", _render_html)
    parser.add_render_rule("html_inline", _render_html)
    parser.add_render_rule("image", _render_image)
    return parser


def _render_html(_renderer: Any, tokens: Sequence[Token], index: int, _options: Any, env: Any) -> str:
    token = tokens[index]
    if token.meta.get("ours"):
        return token.content
    text = token.content
    if _COMMENT.fullmatch(text) or text == "</a>":
        return ""
    if anchor := _ANCHOR.fullmatch(text.strip()):
        turn, links = int(anchor["turn"]), env.get("links", NO_LINKS)
        cited = "".join(_link(address, name, "led-to") for name, address in links.cited_in.get(turn, ()))
        return f'<a id="{links.prefix}turn-{turn}"></a>{cited}'
    return f"<p>{escape(text)}</p>" if token.type == "html_block" else escape(text)


def _render_image(_renderer: Any, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    name, address = tokens[index].content or "image", str(tokens[index].attrs.get("src", ""))
    return f'<span class="image">{escape(name)} ({escape(address)})</span>'


def _mark_additions(tokens: Sequence[Token], links: DocumentLinks) -> Iterator[Token]:
    """Yield the tokens with a section around each elaboration, and links behind its entries."""
    found: TurnLinks | None = None
    level = 0
    is_open = False
    for token in tokens:
        is_comment = token.type == "html_block" and token.level == 0 and _COMMENT.fullmatch(token.content)
        is_end = (
            token.type == "heading_open" and token.level == 0 and level > 0 and int(token.tag[1]) <= level
        )
        if is_open and (is_comment or is_end):
            yield _ours("</section>")
            is_open = False
        if is_comment and (marker := _ADDITION.fullmatch(token.content)):
            found, level, is_open = links.discussions.get((marker["step"], marker["at"])), 0, True
            identity = addition_id(marker["step"], marker["at"])
            yield _ours(f'<section class="addition" id="{identity}">')
            if found is not None:
                yield _ours(_link(found.address, "From the discussion", "origin"))
            continue
        if is_open and not level and token.type == "heading_open":
            level = int(token.tag[1])
        if is_open and found is not None and token.type == "inline" and token.children is not None:
            turns = found.turns.get(strip_credit(token.content), ())
            if cited := "".join(_link(f"{found.address}-turn-{n}", f"turn {n}", "turn") for n in turns):
                token.children.append(_ours(f'<span class="turns">{cited}</span>', "html_inline"))
        yield token
    if is_open:
        yield _ours("</section>")


def addition_id(step: str, at: str) -> str:
    """Return the name of the place where an elaboration's addition stands in a page."""
    return re.sub(r"[^\w-]", "-", f"addition-{step}-{at}")


def _ours(html: str, kind: str = "html_block") -> Token:
    return Token(kind, "", 0, content=html, meta={"ours": True})


def _link(address: str, name: str, kind: str) -> str:
    return f'<a class="{kind}" href="{escape(address)}">{escape(name)}</a>'


def _clean(html: str) -> Markup:
    safe = nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )
    return Markup(safe)
