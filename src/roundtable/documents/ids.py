"""The ids of an item's documents: how they are read, and how they are given to texts (rule STEP-5)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from msgspec import Struct

from ..core import lazy_re as re
from ..core.text import unescape_markdown
from .outline import content_words, prose_lines

_FIRST_CJK = "\u2e80"


def stem_words(text: str) -> frozenset[str]:
    """Return the stems of a text's words; scripts without spaces are taken in pairs of characters."""
    found: set[str] = set()
    for word in content_words(text):
        is_pairs = max(word) >= _FIRST_CJK and len(word) > 1
        found.update(word[at : at + 2] for at in range(len(word) - 1)) if is_pairs else found.add(word)
    return frozenset(found)


def word_share(one: frozenset[str], other: frozenset[str]) -> float:
    """Return how much of the one is in the other, from 0 to 1."""
    return len(one & other) / len(one) if one else 0.0


_SAME = 0.5
# What criteria and stories have in common tells none from another.
_FORMULA = re.compile(
    r"\b(?:given|when|then|and|as (?:an?|the)|i (?:want|need|would like|wish)(?: to)?|so that"
    r"|angenommen|gegeben|wenn|dann|und|als|möchte|will|ich|damit)\b|として",
    re.IGNORECASE,
)


def pair_closest(close: Iterable[tuple[Any, int, str]]) -> dict[int, str]:
    """Return which id each place gets: the closest first, and each id once."""
    pairs: dict[int, str] = {}
    for _, place, identity in sorted(close):
        if place not in pairs and identity not in pairs.values():
            pairs[place] = identity
    return pairs


class KnownId(Struct, frozen=True):
    """An id that was given, and the text it was given to."""

    id: str
    text: str


def assign_ids(
    prefix: str, texts: Sequence[str], known: Sequence[KnownId], *, taken: Iterable[str] = (), digits: int = 3
) -> tuple[str, ...]:
    """Return an id for each text: the one that it has, else the lowest that is neither in use nor `taken`."""
    old = [(entry, stem_words(_FORMULA.sub(" ", entry.text))) for entry in known]
    alike = []
    for index, text in enumerate(texts):
        words = stem_words(_FORMULA.sub(" ", text))
        for entry, others in old:
            likeness = 2 * len(words & others) / max(len(words) + len(others), 1)
            if text == entry.text or likeness >= _SAME:
                alike.append((-2.0 if text == entry.text else -likeness, index, entry.id))
    given = pair_closest(alike)
    used = {*given.values(), *taken}
    free = (each for number in count(1) if (each := f"{prefix}-{number:0{digits}}") not in used)
    return tuple(given[index] if index in given else next(free) for index in range(len(texts)))


SPEC, MATRIX, STORIES_FILE = "requirements-spec.md", "nfr-matrix.md", "user-stories.json"
OVERVIEW, ERRORS, SCAN = "architecture-overview.md", "error-taxonomy.md", "quick-scan.md"
SUMMARY = "design-summary.md"

HEADING = re.compile(r"#{2,6} (?P<id>(?:FR|ADR)-\d{3,}): (?P<text>.*\S|.)\s*")
_ANY_HEADING = re.compile(r"(?P<signs>#{1,6}) ")
CRITERION = re.compile(r"[-*+] \*\*(?P<id>AC-\d{3,}-\d{2,})\*\*:?\s*+(?P<text>(?:.*\S)?)\s*")
ROW = re.compile(r"\| *(?P<id>(?:NFR|E)-\d{3,}) *\|(?P<rest>.*)\|\s*")
_CELL = re.compile(r"(?<!\\)\|")
_GIVING = (HEADING, CRITERION, ROW, re.compile(r"- Open question: |\s{0,40}+\"id\":"))
_NO_PARAGRAPH = re.compile(r"$|[-*+] |#|<!--|\|")
MENTION = re.compile(r"(?<![\w-])(?:AC-\d{3,}-\d{2,}|(?:FR|NFR|US|ADR)-\d{3,}|E-\d{3})(?![\w-])")


class Requirement(KnownId, frozen=True):
    """A functional requirement: its id, its words, its title, and its acceptance criteria."""

    title: str
    criteria: tuple[KnownId, ...] = ()


class Story(KnownId, frozen=True):
    """A user story as the file holds it."""

    requirements: tuple[str, ...]
    unhappy: bool = False


def list_requirements(documents: Mapping[str, str]) -> tuple[Requirement, ...]:
    """Return the functional requirements of the specification, in their order, each id once."""
    found: dict[str, Requirement] = {}
    for heading, lines in sections_with_ids(documents.get(SPEC, ""), "FR"):
        first = next((line for line in lines if line.strip()), "")
        text = heading.text if _NO_PARAGRAPH.match(first) else unescape_markdown(first.strip())
        matches = (CRITERION.fullmatch(line) for line in lines)
        criteria = [KnownId(match["id"], unescape_markdown(match["text"])) for match in matches if match]
        own = tuple(each for each in criteria if each.id[3:-3] == heading.id[3:])
        found.setdefault(heading.id, Requirement(heading.id, text, heading.text, own))
    return tuple(found.values())


class DecisionRecord(KnownId, frozen=True):
    """A decision record of architecture or design: its id and title, its file, and the lines below.

    What was added to it since, such as feedback, is no part of it.
    """

    file: str
    body: str

    def part(self, heading: str) -> str:
        """Return what stands under one of its headings, such as `Decision`."""
        return self.body.partition(f"#### {heading}\n")[2].partition("\n#### ")[0].partition("\n### ")[0]


def list_records(documents: Mapping[str, str]) -> tuple[DecisionRecord, ...]:
    """Return the decision records of architecture and design."""
    return tuple(
        DecisionRecord(heading.id, heading.text, name, "\n".join(lines).partition("<!--")[0])
        for name in (OVERVIEW, SUMMARY)
        for heading, lines in sections_with_ids(documents.get(name, ""), "ADR")
    )


def list_rows(document: str, prefix: str) -> tuple[tuple[str, ...], ...]:
    """Return the cells of the table rows whose first cell is an id of that kind."""
    matches = (ROW.fullmatch(line.strip()) for _, line in prose_lines(document))
    return tuple(
        (
            match["id"],
            *(unescape_markdown(cell.strip().replace("\\|", "|")) for cell in _CELL.split(match["rest"])),
        )
        for match in matches
        if match and match["id"].startswith(f"{prefix}-")
    )


def read_json(text: str) -> Any:
    """Return what a JSON text holds; None where it cannot be read."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def read_json_list(text: str, field: str) -> list[Any]:
    """Return a list that a JSON object holds; nothing where the text cannot be read or has none."""
    content = read_json(text)
    listed = content.get(field) if isinstance(content, dict) else None
    return listed if isinstance(listed, list) else []


def story_entries(documents: Mapping[str, str], field: str) -> list[dict[str, Any]]:
    """Return the objects in a list of user-stories.json."""
    return [each for each in read_json_list(documents.get(STORIES_FILE, ""), field) if isinstance(each, dict)]


def list_stories(documents: Mapping[str, str]) -> tuple[Story, ...]:
    """Return the stories of user-stories.json that can be read."""
    found = []
    for entry in story_entries(documents, "stories"):
        identity, served = entry.get("id"), entry.get("requirements")
        if isinstance(identity, str):
            ids = tuple(each for each in served if isinstance(each, str)) if isinstance(served, list) else ()
            found.append(Story(identity, str(entry.get("text") or ""), ids, entry.get("unhappy") is True))
    return tuple(found)


def find_mentioned_ids(documents: Mapping[str, str], *prefixes: str) -> frozenset[str]:
    """Return the ids of these kinds that the documents refer to, other than where an id is given."""
    lines = (line for text in documents.values() for line in text.splitlines())
    telling = (line for line in lines if not any(each.match(line) for each in _GIVING))
    return frozenset(
        found
        for line in telling
        for found in MENTION.findall(line)
        if any(found.startswith(f"{prefix}-") for prefix in prefixes)
    )


def sections_with_ids(document: str, prefix: str) -> Iterator[tuple[KnownId, list[str]]]:
    """Yield each heading with an id, and the lines up to the next heading of its level or above."""
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
