"""How much two texts say the same, by their words."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..core.text import unescape_markdown
from .outline import words_of

_CJK = "\u2e80"


def tokens(text: str) -> frozenset[str]:
    """The stems of a text's words; scripts without spaces are taken in pairs of characters."""
    return frozenset(token for word in words_of(text) for token in _tokens(word))


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """From 0, nothing in common, to 1, the same words."""
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0


def share(one: frozenset[str], other: frozenset[str]) -> float:
    """How much of the one is in the other, from 0 to 1."""
    return len(one & other) / len(one) if one else 0.0


def _tokens(word: str) -> Iterator[str]:
    if max(word) < _CJK or len(word) < 2:
        yield word
    else:
        yield from (word[at : at + 2] for at in range(len(word) - 1))


_SAME = 0.5


@dataclass(frozen=True, slots=True)
class Known:
    """An id that was given, and the text it was given to."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Given:
    """The ids of the entries, in their order, and what is known and no longer among them."""

    ids: tuple[str, ...]
    withdrawn: tuple[KnownId, ...] = ()


def give(
    prefix: str,
    texts: Sequence[str],
    known: Sequence[KnownId],
    *,
    taken: Iterable[str] = (),
    digits: int = 3,
    core: Callable[[str], str] = str,
) -> AssignedIds:
    """An id for each text: its own where it is known, else the next that was never given.

    `core` leaves the words of a text by which it is told from others.
    """
    pairs = _pairs([core(text) for text in texts], [core(entry.text) for entry in known], known)
    free = max((number_of(each) for each in (*(entry.id for entry in known), *taken)), default=0) + 1
    ids = []
    for index in range(len(texts)):
        if index in pairs:
            ids.append(known[pairs[index]].id)
        else:
            ids.append(f"{prefix}-{free:0{digits}}")
            free += 1
    kept = set(ids)
    list_withdrawn = {entry.id: entry for entry in known if entry.id not in kept}
    return AssignedIds(tuple(ids), tuple(list_withdrawn.values()))


def number_of(identity: str) -> int:
    """The last number of an id."""
    digits = identity.rpartition("-")[2]
    return int(digits) if digits.isdecimal() else 0


def _pairs(texts: Sequence[str], old: Sequence[str], known: Sequence[KnownId]) -> dict[int, int]:
    """Which text is which known entry, the most alike first, none twice."""
    words, old_words = [stem_words(text) for text in texts], [stem_words(text) for text in old]
    alike = []
    for index, text in enumerate(texts):
        for place, before in enumerate(old):
            closeness = 2.0 if text == before else likeness(words[index], old_words[place])
            if closeness >= _SAME:
                alike.append((-closeness, index, place))
    pairs: dict[int, int] = {}
    ids: set[str] = set()
    for _, index, place in sorted(alike):
        if index not in pairs and known[place].id not in ids:
            pairs[index] = place
            ids.add(known[place].id)
    return pairs


SPEC, MATRIX, STORIES, TRACE = (
    "requirements-spec.md",
    "nfr-matrix.md",
    "user-stories.json",
    "traceability-matrix.csv",
)
OVERVIEW, ERRORS, SCAN = "architecture-overview.md", "error-taxonomy.md", "quick-scan.md"

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
HEADING = re.compile(r"#{2,6} (?P<id>(?:FR|ADR)-\d{3,}): (?P<text>.*\S|.)\s*")
_ANY_HEADING = re.compile(r"(?P<signs>#{1,6}) ")
CRITERION = re.compile(r"[-*+] \*\*(?P<id>AC-\d{3,}-\d{2,})\*\*:?\s*+(?P<text>(?:.*\S)?)\s*")
ROW = re.compile(r"\| *(?P<id>(?:NFR|E)-\d{3,}) *\|(?P<rest>.*)\|\s*")
_CELL = re.compile(r"(?<!\\)\|")
WITHDRAWN = re.compile(r"- Withdrawn: (?P<id>[A-Z]+(?:-\d{2,})+), (?P<text>(?:.*\S)?)\s*")
_NO_PARAGRAPH = re.compile(r"$|[-*+] |#|<!--|\|")
_MENTION = re.compile(r"\b(?:FR|AC|NFR|US|ADR|E)-\d{3,}(?:-\d{2,})?\b")


@dataclass(frozen=True, slots=True)
class Requirement:
    """A functional requirement: its id, its words, and its acceptance criteria."""

    id: str
    title: str
    text: str
    criteria: tuple[KnownId, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table that begins with an id, and its other cells."""

    id: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """A user story as the file holds it."""

    id: str
    text: str
    requirements: tuple[str, ...]
    unhappy: bool = False


def prose(document: str) -> Iterator[tuple[int, str]]:
    """The lines outside of fenced code, each with its number."""
    fence = ""
    for number, line in enumerate(document.split("\n"), 1):
        mark = _FENCE.match(line)
        if not fence and mark:
            fence = mark[1]
        elif fence:
            if mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        else:
            yield number, line


def list_requirements(documents: Mapping[str, str]) -> tuple[Requirement, ...]:
    """The functional requirements of the specification, in their order, each id once."""
    found: dict[str, Requirement] = {}
    for heading, lines in _under_ids(documents.get(SPEC, ""), "FR"):
        first = next((line for line in lines if line.strip()), "")
        text = heading.text if _NO_PARAGRAPH.match(first) else unescape_markdown(first.strip())
        criteria = tuple(each for each in criteria_in("\n".join(lines)) if each.id[3:-3] == heading.id[3:])
        found.setdefault(heading.id, Requirement(heading.id, heading.text, text, criteria))
    return tuple(found.values())


def criteria_in(text: str) -> tuple[KnownId, ...]:
    """The acceptance criteria that stand in a text."""
    matches = (CRITERION.fullmatch(line) for _, line in prose_lines(text))
    return tuple(KnownId(found["id"], unescape_markdown(found["text"])) for found in matches if found)


def list_decisions(documents: Mapping[str, str]) -> tuple[KnownId, ...]:
    """The decision records of the architecture, each with its title."""
    return tuple(heading for heading, _ in _under_ids(documents.get(OVERVIEW, ""), "ADR"))


def bodies(document: str, prefix: str) -> dict[str, str]:
    """What stands under the heading of each id."""
    return {heading.id: "\n".join(lines) for heading, lines in _under_ids(document, prefix)}


def rows(document: str, prefix: str) -> tuple[IdRow, ...]:
    """The rows of tables whose first cell is an id of that kind."""
    matches = (ROW.fullmatch(line.strip()) for _, line in prose_lines(document))
    found = (match for match in matches if match and match["id"].startswith(f"{prefix}-"))
    return tuple(IdRow(match["id"], tuple(_cells(match["rest"]))) for match in found)


def gone(document: str, prefix: str) -> tuple[KnownId, ...]:
    """The ids of that kind that the document lists as withdrawn."""
    matches = (WITHDRAWN.fullmatch(line) for _, line in prose_lines(document))
    return tuple(
        KnownId(found["id"], unescape_markdown(found["text"]))
        for found in matches
        if found and found["id"].startswith(f"{prefix}-")
    )


def story_file(documents: Mapping[str, str]) -> dict[str, Any]:
    """The content of user-stories.json; empty where it is no object."""
    try:
        content = json.loads(documents.get(STORIES, ""))
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def list_stories(documents: Mapping[str, str]) -> tuple[Story, ...]:
    """The stories of user-stories.json that can be read."""
    listed = read_story_file(documents).get("stories")
    found = []
    for entry in listed if isinstance(listed, list) else []:
        if isinstance(entry, dict) and isinstance(entry.get("id"), str):
            served = entry.get("requirements")
            ids = tuple(each for each in served if isinstance(each, str)) if isinstance(served, list) else ()
            found.append(Story(entry["id"], str(entry.get("text") or ""), ids, entry.get("unhappy") is True))
    return tuple(found)


def mentioned(documents: Mapping[str, str], prefix: str) -> frozenset[str]:
    """The ids of that kind that the data files refer to."""
    texts = (text for name, text in documents.items() if name.endswith((".json", ".csv")))
    return frozenset(
        each for text in texts for each in _MENTION.findall(text) if each.startswith(f"{prefix}-")
    )


def _under_ids(document: str, prefix: str) -> Iterator[tuple[KnownId, list[str]]]:
    """Each heading with an id, and the lines up to the next heading of its level or above."""
    heading: KnownId | None = None
    level = 0
    lines: list[str] = []
    for _, line in prose_lines(document):
        other = _ANY_HEADING.match(line)
        if other and heading and len(other["signs"]) <= level:
            yield heading, lines
            heading = None
        match = HEADING.fullmatch(line)
        if match and match["id"].startswith(f"{prefix}-") and heading is None:
            heading = KnownId(match["id"], unescape_markdown(match["text"]))
            level = len(line) - len(line.lstrip("#"))
            lines = []
        elif heading:
            lines.append(line)
    if heading:
        yield heading, lines


def _cells(rest: str) -> Iterator[str]:
    for text in _CELL.split(rest):
        yield unescape_markdown(text.strip().replace("\\|", "|"))
