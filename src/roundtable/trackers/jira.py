"""Jira's document format, as markdown."""

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
    check_base_address,
    clean_issue,
    get_json,
    build_headers,
    no_issue_error,
    explain_bad_answer,
)

Node = dict[str, Any]

_DEEPEST = 40
_INLINE = {"text", "hardBreak", "mention", "emoji", "date", "status", "inlineCard"}
_SIGNS = {"strong": "**", "em": "*", "strike": "~~"}
_WORDS = ("text", "shortName", "alt", "title", "url")
_LANGUAGE = re.compile(r"[\w+#.-]{1,30}", re.ASCII)
_TICKS = re.compile("`+")
_BARS = re.compile(r"(?<!\\)\|")
_WEB = re.compile(r"(?:https?://|mailto:)\S", re.IGNORECASE)
_UNSAFE_IN_LINKS = re.compile(r"[\s()<>\\]")


def markdown(document: Node) -> str:
    """The document's text with its headings, lists, code, links and tables; of what is unknown, the words."""
    return _blocks(_children(document), 0)


def _blocks(nodes: Sequence[Node], depth: int, *, tight: bool = False) -> str:
    """Blocks with empty lines between them; where it is tight, none before a list."""
    if depth > _DEEPEST:
        return neutralize_markdown(" ".join(_words(nodes)))
    written = ""
    for inline, run in groupby(nodes, lambda node: _kind(node) in _INLINE):
        group = list(run)
        for node in [{"type": "paragraph", "content": group}] if inline else group:
            if block := _block(node, depth + 1):
                # A numbered list may begin anywhere, and then needs the empty line.
                close = tight and _kind(node) in ("bulletList", "taskList")
                written += ("\n" if close else "\n\n") + block if written else block
    return written


def _block(node: Node, depth: int) -> str:
    children = _children(node)
    match _kind(node):
        case "paragraph":
            return _paragraph(children)
        case "heading":
            title = neutralize_markdown(_inline(children))
            return f"{'#' * _whole(node, 'level', 1, 6)} {title}" if title else ""
        case "bulletList" | "decisionList" | "taskList" | "orderedList":
            return _list(node, depth)
        case "codeBlock":
            return _code_block(node)
        case "blockquote" | "panel":
            return _indented(_blocks(children, depth), "> ", "> ")
        case "expand" | "nestedExpand":
            title = neutralize_markdown(_leaf(node))
            return "\n\n".join(filter(None, (title and f"**{title}**", _blocks(children, depth))))
        case "rule":
            return "---"
        case "table":
            return _table(children, depth)
    return _blocks(children, depth) if children else neutralize_markdown(_leaf(node))


def _paragraph(nodes: Sequence[Node]) -> str:
    return "\n".join(filter(None, map(neutralize_markdown, _inline(nodes).split("\n"))))


def _list(node: Node, depth: int) -> str:
    lines: list[str] = []
    number = _whole(node, "order", 1, 999_999)
    for item in _children(node):
        if _kind(item).endswith("List"):
            lines.append(_indented(_blocks([item], depth), "  ", "  "))
            continue
        sign = _sign(node, item, number)
        number += 1
        width = len(sign) if sign[0].isdigit() else 2
        lines.append(_indented(_blocks(_children(item), depth, tight=True), sign, " " * width))
    return "\n".join(filter(None, lines))


def _sign(node: Node, item: Node, number: int) -> str:
    match _kind(node):
        case "orderedList":
            return f"{number}. "
        case "taskList":
            return "- [x] " if _attributes(item).get("state") == "DONE" else "- [ ] "
    return "- "


def _code_block(node: Node) -> str:
    code = "".join(_words(_children(node)))
    language = _attributes(node).get("language")
    name = language if isinstance(language, str) and _LANGUAGE.fullmatch(language) else ""
    fence = "`" * max(3, _longest_ticks(code) + 1)
    return f"{fence}{name}\n{code}\n{fence}"


def _table(rows: Sequence[Node], depth: int) -> str:
    cells = [[_cell(cell, depth) for cell in _children(row)] for row in rows]
    width = max(map(len, cells), default=0)
    if not width:
        return ""
    lines = [" | ".join(row + [""] * (width - len(row))) for row in cells]
    return "\n".join(f"| {line} |" for line in [lines[0], " | ".join(["---"] * width), *lines[1:]])


def _cell(node: Node, depth: int) -> str:
    return _BARS.sub(r"\|", " ".join(_blocks(_children(node), depth).split()))


def _inline(nodes: Sequence[Node]) -> str:
    return "".join(map(_piece, nodes))


def _piece(node: Node) -> str:
    attributes = _attributes(node)
    match _kind(node):
        case "text":
            return _marked(node)
        case "hardBreak":
            return "\n"
        case "mention":
            return _leaf(node) or "@somebody"
        case "date":
            return _date(attributes.get("timestamp"))
        case "inlineCard":
            url = _leaf(node)
            return f"<{_safe(url)}>" if _WEB.match(url) else url
    return _leaf(node) or " ".join(_words(_children(node)))


def _marked(node: Node) -> str:
    """The words of a text node, with the marks that markdown has."""
    text = _leaf(node)
    marks = node.get("marks")
    kinds = {_kind(mark): mark for mark in marks if isinstance(mark, dict)} if isinstance(marks, list) else {}
    if "code" in kinds and text.strip():
        ticks = "`" * (_longest_ticks(text) + 1)
        gap = " " if "`" in (text[0], text[-1]) else ""
        text = f"{ticks}{gap}{text}{gap}{ticks}"
    for kind, sign in _SIGNS.items():
        if kind in kinds:
            text = _wrapped(text, sign, sign)
    if "link" in kinds:
        url = _attributes(kinds["link"]).get("href")
        if isinstance(url, str) and _WEB.match(url):
            text = _wrapped(text, "[", f"]({_safe(url)})")
    return text


def _wrapped(text: str, before: str, after: str) -> str:
    """The words between two signs, the spaces around them outside, as markdown wants it."""
    words = text.strip()
    if not words:
        return text
    start = text.index(words)
    return f"{text[:start]}{before}{words}{after}{text[start + len(words) :]}"


def _safe(url: str) -> str:
    return _UNSAFE_IN_LINKS.sub(lambda sign: "".join(f"%{byte:02X}" for byte in sign[0].encode()), url)


def _date(timestamp: object) -> str:
    try:
        return datetime.fromtimestamp(int(str(timestamp)) / 1000, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return ""


def _longest_ticks(text: str) -> int:
    return max(map(len, _TICKS.findall(text)), default=0)


def _indented(text: str, first: str, rest: str) -> str:
    """The lines behind a sign, the later ones behind another; nothing where there are none."""
    head, *tail = text.split("\n")
    return "\n".join([first + head, *((rest + line).rstrip() for line in tail)]) if text else ""


def _words(nodes: Sequence[Node]) -> Iterator[str]:
    """The words of the nodes and all below them, in order, however deep they go."""
    waiting = list(reversed(nodes))
    while waiting:
        node = waiting.pop()
        if words := "\n" if _kind(node) == "hardBreak" else _leaf(node):
            yield words
        waiting.extend(reversed(_children(node)))


def _leaf(node: Node) -> str:
    """A node's own words."""
    attributes = _attributes(node)
    told = (node.get("text"), *(attributes.get(name) for name in _WORDS))
    return next((words for words in told if isinstance(words, str) and words), "")


def _kind(node: Node) -> str:
    kind = node.get("type")
    return kind if isinstance(kind, str) else ""


def _children(node: Node) -> list[Node]:
    content = node.get("content")
    return [child for child in content if isinstance(child, dict)] if isinstance(content, list) else []


def _attributes(node: Node) -> Node:
    attributes = node.get("attrs")
    return attributes if isinstance(attributes, dict) else {}


def _whole(node: Node, name: str, least: int, most: int) -> int:
    """A number among a node's attributes, within its bounds; the least where it is none."""
    value = _attributes(node).get(name)
    return max(least, min(value, most)) if isinstance(value, int) else least


_ADDRESS, _USER, _TOKEN = "JIRA_BASE_URL", "JIRA_USER", "JIRA_TOKEN"
_FIELDS = "fields=summary,description"


def fetch_jira(
    reference: JiraReference, environment: Mapping[str, str], *, patience: float = PATIENCE
) -> Issue:
    """The issue with the user's own credentials."""
    service = _service(reference, environment)
    # Jira on one's own server knows only version 2, where the text is a string.
    paths = (f"/rest/api/{version}/issue/{reference.key}?{_FIELDS}" for version in (3, 2))
    answer = get_json(service, *paths, source_id=reference.key, patience=patience)
    fields = answer.get("fields")
    if not isinstance(fields, dict):
        raise explain_bad_answer(service, reference.key, page=False)
    text = fields.get("description")
    return clean_issue(
        reference,
        title=fields.get("summary"),
        text=render_markdown(text) if isinstance(text, dict) else text,
        url=f"{service.base}/browse/{reference.key}",
    )


def _service(reference: JiraReference, environment: Mapping[str, str]) -> Service:
    given = {name: environment.get(name, "").strip() for name in (_ADDRESS, _USER, _TOKEN)}
    if missing := [name for name, value in given.items() if not value]:
        like = f" {_ADDRESS} would be {reference.site}." if reference.site and _ADDRESS in missing else ""
        raise no_issue_error(
            reference.key, f"Jira cannot be asked for {reference.key} yet.", f"Set {_joined(missing)}.{like}"
        )
    base = check_base_address(_ADDRESS, given[_ADDRESS], reference.key)
    _check_site(reference, base)
    basic = b64encode(f"{given[_USER]}:{given[_TOKEN]}".encode("utf-8", "surrogateescape")).decode()
    return Service(
        "Jira", base, f"{_USER} and {_TOKEN}", _ADDRESS, build_headers("application/json", f"Basic {basic}")
    )


def _check_site(reference: JiraReference, base: str) -> None:
    """An address in the reference never decides where the credentials go."""
    if reference.site is None:
        return
    named, known = host_of(urlsplit(reference.site)), host_of(urlsplit(base))
    if named != known:
        raise no_issue_error(
            reference.key,
            f"{reference.key} is on {named}, and {_ADDRESS} names {known}.",
            f"Set {_ADDRESS} to {reference.site}, with the {_USER} and {_TOKEN} for it.",
        )


def _joined(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
