"""Text made fit to stand in a document: closed, contained, at the right level (rules ART-4, ART-7)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..core.markup import harmless, printable
from .outline import is_open, parse

if TYPE_CHECKING:
    from markdown_it.token import Token

_MARKER = re.compile(r"<!-- (?:(?!--|<!|>).)+ -->")
_ATX = re.compile(r" {0,3}#{1,6}")
_CLOSING_SIGNS = re.compile(r"(?:(?<![\\#])|(?<=\\#))#+$")
_DEEPEST = 6
_PASSES = 20

Levels = Callable[[Sequence[int]], Sequence[int]]


def child_of(level: int) -> Levels:
    """The first heading goes right under a heading of that level, and all others stay under the first."""

    def levels(old: Sequence[int]) -> Sequence[int]:
        top = level + 1
        rest = (max(each - old[0] + top, top + 1) for each in old[1:])
        return [min(each, _DEEPEST) for each in (top, *rest)]

    return levels


def below(level: int) -> Levels:
    """All headings move down together, only as far as the highest has to."""

    def levels(old: Sequence[int]) -> Sequence[int]:
        shift = max(0, level + 1 - min(old))
        return [min(each + shift, _DEEPEST) for each in old]

    return levels


def fitted(block: str, levels: Levels, *, marked: bool) -> str:
    """The block closed, contained and moved to its level; where `marked`, its first line may be a marker."""
    marker, body = _parted(block, marked)
    return _joined(marker, _relevelled(_contained(body), levels))


def flattened(block: str, level: int, *, marked: bool) -> str:
    """The block as a heading and a plain list under its marker, for text that no gentler way makes safe."""
    marker, body = _parted(block, marked)
    first, *rest = body.split("\n")
    heading = f"{'#' * min(level + 1, _DEEPEST)} {harmless(one_line(first))}"
    entries = "\n".join(f"- {harmless(line)}" for line in rest if harmless(line))
    return _joined(marker, _joined(heading, entries) if body else "")


def one_line(heading: str) -> str:
    """A heading's words on one line, without the signs that make it a heading."""
    return " ".join(printable(heading).split()).lstrip("#").strip()


def _joined(first: str, second: str) -> str:
    return "\n\n".join(part for part in (first, second) if part)


def _parted(block: str, marked: bool) -> tuple[str, str]:
    """The marker in the first line, if there is one, and the rest without blank lines around it."""
    text = _trimmed(printable(block.replace("\r\n", "\n").replace("\r", "\n").replace("\x85", " ")))
    first, _, rest = text.partition("\n")
    if marked and _MARKER.fullmatch(first.rstrip()):
        return first.rstrip(), _trimmed(rest)
    return "", text


def _trimmed(text: str) -> str:
    lines = text.split("\n")
    while lines and not lines[0].strip():
        del lines[0]
    while lines and not lines[-1].strip():
        del lines[-1]
    return "\n".join([lines[0].lstrip(), *lines[1:]]) if lines else ""


def _contained(body: str) -> str:
    """The body with HTML, link definitions and rules disarmed and its last fence closed."""
    for _ in range(_PASSES):
        before = body
        body = _trimmed(_disarmed(body.split("\n")))
        if body == before:
            break
    return body


def _disarmed(lines: list[str]) -> str:
    tokens, env = parse("\n".join(lines))
    code = {
        at
        for token in tokens
        if token.type in ("fence", "code_block") and token.map
        for at in range(*token.map)
    }
    for at, line in enumerate(lines):
        if at not in code:
            lines[at] = line.replace("<!--", "&lt;!--").replace("-->", "--&gt;")
    for token in tokens:
        if token.type == "html_block" and token.map:
            for at in range(*token.map):
                if at == token.map[0] or lines[at].lstrip().startswith("<"):
                    lines[at] = lines[at].replace("<", "&lt;", 1)
        elif token.type == "hr" and token.map and token.level == 0:
            # Three hyphens could close front matter, or underline a line above them.
            lines[token.map[0]] = "***"
    for reference in (*env.get("references", {}).values(), *env.get("duplicate_refs", ())):
        at = reference["map"][0]
        lines[at] = lines[at].replace("[", "\\[", 1)
    return "\n".join(_ended(tokens, lines))


def _ended(tokens: list[Token], lines: list[str]) -> list[str]:
    """The lines with an open fence closed and no rule at the end, which would pass for the section's."""
    last = next((token for token in reversed(tokens) if token.map and token.level == 0), None)
    if last is not None and last.type == "hr":
        return lines[:-1]
    if last is not None and last.type == "fence" and is_open(last, lines):
        return [*lines, last.markup]
    return lines


def _relevelled(body: str, levels: Levels) -> str:
    lines = body.split("\n")
    tokens, _ = parse(body)
    headings = [
        (token, tokens[index + 1].content)
        for index, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0
    ]
    if not headings:
        return body
    new = levels([int(token.tag[1]) for token, _ in headings])
    # From the last to the first, since an underlined heading becomes shorter.
    for (token, content), level in reversed(list(zip(headings, new, strict=True))):
        assert token.map is not None
        first, last = token.map
        if _ATX.match(lines[first]):
            lines[first] = _ATX.sub("#" * level, lines[first], count=1)
        else:
            # A closing run of signs would be taken for the heading's own.
            words = _CLOSING_SIGNS.sub(r"\\\g<0>", " ".join(content.split()))
            lines[first:last] = [f"{'#' * level} {words}"]
    return "\n".join(lines)
