"""Issues from Jira, whose document format is turned into markdown."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import Any
from urllib.parse import urlsplit

from ..core.text import neutralize_markdown
from .reference import JiraReference, host_of
from .service import (
    PATIENCE,
    Issue,
    Service,
    build_headers,
    check_base_address,
    clean_issue,
    explain_bad_answer,
    get_json,
    no_issue_error,
)

Node = dict[str, Any]

_ADDRESS, _USER, _TOKEN = "JIRA_BASE_URL", "JIRA_USER", "JIRA_TOKEN"
_FIELDS = "fields=summary,description"
_DEEPEST = 40
_INLINE = {"text", "hardBreak", "mention", "emoji", "date", "status", "inlineCard"}
_SIGNS = {"strong": "**", "em": "*", "strike": "~~"}
_WORDS = ("text", "shortName", "alt", "title", "url")
_LANGUAGE = re.compile(r"[\w+#.-]{1,30}", re.ASCII)
_TICKS = re.compile("`+")
_BARS = re.compile(r"(?<!\\)\|")
_WEB = re.compile(r"(?:https?://|mailto:)\S", re.IGNORECASE)
_UNSAFE_IN_LINKS = re.compile(r"[\s()<>\\]")


def fetch_jira(
    reference: JiraReference, environment: Mapping[str, str], *, patience: float = PATIENCE
) -> Issue:
    """Return the issue with the user's own credentials."""
    service = _build_service(reference, environment)
    # Jira on one's own server knows only version 2, where the text is a string.
    paths = (f"/rest/api/{version}/issue/{reference.key}?{_FIELDS}" for version in (3, 2))
    fields = get_json(service, *paths, patience=patience).get("fields")
    if not isinstance(fields, dict):
        raise explain_bad_answer(service)
    text = fields.get("description")
    return clean_issue(
        reference,
        title=fields.get("summary"),
        text=render_markdown(text) if isinstance(text, dict) else text,
    )


def _build_service(reference: JiraReference, environment: Mapping[str, str]) -> Service:
    key, site = reference.key, reference.site
    given = {name: environment.get(name, "").strip() for name in (_ADDRESS, _USER, _TOKEN)}
    if missing := [name for name, value in given.items() if not value]:
        names = " and ".join(filter(None, (", ".join(missing[:-1]), missing[-1])))
        like = f" {_ADDRESS} would be {site}." if site and _ADDRESS in missing else ""
        raise no_issue_error(key, f"Jira cannot be asked for {key} yet.", f"Set {names}.{like}")
    base = check_base_address(_ADDRESS, given[_ADDRESS], key)
    # An address in the reference never decides where the credentials go.
    if site and (named := host_of(urlsplit(site))) != (known := host_of(urlsplit(base))):
        raise no_issue_error(
            key,
            f"{key} is on {named}, and {_ADDRESS} names {known}.",
            f"Set {_ADDRESS} to {site}, with the {_USER} and {_TOKEN} for it.",
        )
    basic = b64encode(f"{given[_USER]}:{given[_TOKEN]}".encode("utf-8", "surrogateescape")).decode()
    headers = build_headers("application/json", f"Basic {basic}")
    return Service("Jira", base, f"{_USER} and {_TOKEN}", _ADDRESS, key, headers)


def render_markdown(document: Node) -> str:
    """Return the text with its headings, lists, code, links and tables; of what is unknown, the words."""
    return _render_blocks(_children(document), 0)


def _render_blocks(nodes: Sequence[Node], depth: int, *, tight: bool = False) -> str:
    """Return the blocks with empty lines between them; where it is tight, none before a list."""
    if depth > _DEEPEST:
        return neutralize_markdown(" ".join(_find_words(nodes)))
    written = ""
    for inline, run in groupby(nodes, lambda node: _kind(node) in _INLINE):
        group = list(run)
        for node in [{"type": "paragraph", "content": group}] if inline else group:
            if block := _render_block(node, depth + 1):
                # A numbered list may begin anywhere, and then needs the empty line.
                close = tight and _kind(node) in ("bulletList", "taskList")
                written += ("\n" if close else "\n\n") + block if written else block
    return written


def _render_block(node: Node, depth: int) -> str:
    children = _children(node)
    match _kind(node):
        case "paragraph":
            lines = "".join(map(_render_piece, children)).split("\n")
            return "\n".join(filter(None, map(neutralize_markdown, lines)))
        case "heading":
            title = neutralize_markdown("".join(map(_render_piece, children)))
            return f"{'#' * _find_number(node, 'level', 6)} {title}" if title else ""
        case "bulletList" | "decisionList" | "taskList" | "orderedList":
            return _render_list(node, depth)
        case "codeBlock":
            code = "".join(_find_words(children))
            language = _attributes(node).get("language")
            name = language if isinstance(language, str) and _LANGUAGE.fullmatch(language) else ""
            fence = _fence(code, least=3)
            return f"{fence}{name}\n{code}\n{fence}"
        case "blockquote" | "panel":
            return _indent(_render_blocks(children, depth), "> ", "> ")
        case "expand" | "nestedExpand":
            title = neutralize_markdown(_own_words(node))
            return "\n\n".join(filter(None, (title and f"**{title}**", _render_blocks(children, depth))))
        case "rule":
            return "---"
        case "table":
            return _render_table(children, depth)
    return _render_blocks(children, depth) if children else neutralize_markdown(_own_words(node))


def _render_list(node: Node, depth: int) -> str:
    lines: list[str] = []
    number = _find_number(node, "order", 999_999)
    for item in _children(node):
        if _kind(item).endswith("List"):
            lines.append(_indent(_render_blocks([item], depth), "  ", "  "))
            continue
        sign, rest = "- ", "  "
        if _kind(node) == "orderedList":
            sign = f"{number}. "
            rest = " " * len(sign)
        elif _kind(node) == "taskList":
            sign = "- [x] " if _attributes(item).get("state") == "DONE" else "- [ ] "
        number += 1
        lines.append(_indent(_render_blocks(_children(item), depth, tight=True), sign, rest))
    return "\n".join(filter(None, lines))


def _render_table(rows: Sequence[Node], depth: int) -> str:
    cells = [
        [
            _BARS.sub(r"\|", " ".join(_render_blocks(_children(cell), depth).split()))
            for cell in _children(row)
        ]
        for row in rows
    ]
    width = max(map(len, cells), default=0)
    if not width:
        return ""
    lines = [" | ".join(row + [""] * (width - len(row))) for row in cells]
    return "\n".join(f"| {line} |" for line in [lines[0], " | ".join(["---"] * width), *lines[1:]])


def _render_piece(node: Node) -> str:
    words = _own_words(node)
    match _kind(node):
        case "text":
            return _add_marks(node, words)
        case "hardBreak":
            return "\n"
        case "mention":
            return words or "@somebody"
        case "date":
            try:
                seconds = int(str(_attributes(node).get("timestamp"))) / 1000
                return datetime.fromtimestamp(seconds, UTC).date().isoformat()
            except (ValueError, OverflowError, OSError):
                return ""
        case "inlineCard":
            return f"<{_escape_url(words)}>" if _WEB.match(words) else words
    return words or " ".join(_find_words(_children(node)))


def _add_marks(node: Node, text: str) -> str:
    """Return the words of a text node with the marks that markdown has."""
    marks = node.get("marks")
    kinds = {_kind(mark): mark for mark in marks if isinstance(mark, dict)} if isinstance(marks, list) else {}
    if "code" in kinds and text.strip():
        ticks = _fence(text)
        gap = " " if "`" in (text[0], text[-1]) else ""
        text = f"{ticks}{gap}{text}{gap}{ticks}"
    for kind, sign in _SIGNS.items():
        if kind in kinds:
            text = _wrap(text, sign, sign)
    url = _attributes(kinds.get("link", {})).get("href")
    if isinstance(url, str) and _WEB.match(url):
        text = _wrap(text, "[", f"]({_escape_url(url)})")
    return text


def _wrap(text: str, before: str, after: str) -> str:
    """Return the words between two signs, the spaces around them outside, as markdown wants it."""
    words = text.strip()
    return text.replace(words, f"{before}{words}{after}", 1) if words else text


def _escape_url(url: str) -> str:
    return _UNSAFE_IN_LINKS.sub(lambda sign: "".join(f"%{byte:02X}" for byte in sign[0].encode()), url)


def _fence(text: str, least: int = 1) -> str:
    """Return more backticks than stand together anywhere in the text."""
    return "`" * max(least, max(map(len, _TICKS.findall(text)), default=0) + 1)


def _indent(text: str, first: str, rest: str) -> str:
    """Return the lines behind a sign, the later ones behind another; nothing where there are none."""
    head, *tail = text.split("\n")
    return "\n".join([first + head, *((rest + line).rstrip() for line in tail)]) if text else ""


def _find_words(nodes: Sequence[Node]) -> Iterator[str]:
    """Yield the words of the nodes and all below them, in order, however deep they go."""
    waiting = list(reversed(nodes))
    while waiting:
        node = waiting.pop()
        if words := "\n" if _kind(node) == "hardBreak" else _own_words(node):
            yield words
        waiting.extend(reversed(_children(node)))


def _own_words(node: Node) -> str:
    attributes = _attributes(node)
    found = (node.get("text"), *(attributes.get(name) for name in _WORDS))
    return next((words for words in found if isinstance(words, str) and words), "")


def _kind(node: Node) -> str:
    kind = node.get("type")
    return kind if isinstance(kind, str) else ""


def _children(node: Node) -> list[Node]:
    content = node.get("content")
    return [child for child in content if isinstance(child, dict)] if isinstance(content, list) else []


def _attributes(node: Node) -> Node:
    attributes = node.get("attrs")
    return attributes if isinstance(attributes, dict) else {}


def _find_number(node: Node, name: str, most: int) -> int:
    """Return a number from 1 to the most among a node's attributes; 1 where it is none."""
    value = _attributes(node).get(name)
    return max(1, min(value, most)) if isinstance(value, int) else 1
