"""Read the ids in an item's documents, and assign ids to texts (rule STEP-5)."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import count
from typing import Any

from msgspec import Struct

from ..core import lazy_re as re
from ..core.text import fold_text, unescape_markdown
from .blocks import split_decision
from .outline import content_words, prose_lines

_SAME = 0.5


class KnownId(Struct, frozen=True):
    """An id that was given, and the text it was given to."""

    id: str
    text: str


def assign_ids(
    prefix: str, texts: Sequence[str], known: Sequence[KnownId], *, taken: Iterable[str] = (), digits: int = 3
) -> tuple[str, ...]:
    """Return an id for each text: the one that it has, else the lowest that is neither in use nor `taken`."""
    old = [(entry, content_words(entry.text)) for entry in known]
    alike = []
    for index, text in enumerate(texts):
        words = content_words(text)
        for entry, others in old:
            likeness = 2 * len(words & others) / max(len(words) + len(others), 1)
            if text == entry.text or likeness >= _SAME:
                alike.append((-2.0 if text == entry.text else -likeness, index, entry.id))
    given: dict[int, str] = {}
    for _, index, identity in sorted(alike):  # the closest first, and each id once
        if index not in given and identity not in given.values():
            given[index] = identity
    used = {*given.values(), *taken}
    free = (each for number in count(1) if (each := f"{prefix}-{number:0{digits}}") not in used)
    return tuple(given[index] if index in given else next(free) for index in range(len(texts)))


SPEC, MATRIX, STORIES_FILE = "requirements-spec.md", "nfr-matrix.md", "user-stories.json"
TRACE = "traceability-matrix.csv"
TRACE_COLUMNS = ("requirement", "title", "priority", "stories", "acceptance", "section")
OVERVIEW, SUMMARY, SCAN = "architecture-overview.md", "design-summary.md", "quick-scan.md"

_HEADING_SIGN = re.compile(r" {0,3}(?P<sign>#{1,6})(?!\S)")  # also matches a heading without words
HEADING = re.compile(r"#{2,6} (?P<id>(?:FR|ADR)-\d{3,}): (?P<text>.*\S|.)\s*")
CRITERION = re.compile(r"[-*+] \*\*(?P<id>AC-\d{3,}-\d{2,})\*\*:?\s*+(?P<text>(?:.*\S)?)\s*")
ROW = re.compile(r"\| *(?P<id>NFR-\d{3,}) *\|.*\|\s*")
_TABLE_ROW = re.compile(r"\| *(?P<id>[A-Z]+-\d{3,}) *\|(?P<rest>.*)\|")
_CELL = re.compile(r"(?<!\\)\|")
DEFINING = (HEADING, CRITERION, ROW)  # the lines that give an id to something
_GIVING = (*DEFINING, re.compile(r"- Open question: |\s{0,40}+\"(?:id\":|[^\"]*\?\",?$)"))
_NO_PARAGRAPH = re.compile(r"$|[-*+] |#|<!--|\|")
MENTION = re.compile(r"(?<![\w-])(?:AC-\d{3,}-\d{2,}|(?:FR|NFR|US|ADR)-\d{3,})(?![\w-])")


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
        own = tuple(each for each in criteria if each.id.rpartition("-")[0][3:] == heading.id[3:])
        found.setdefault(heading.id, Requirement(heading.id, text, heading.text, own))
    return tuple(found.values())


class DecisionRecord(KnownId, frozen=True):
    """A decision record: its id and title, its file, and the lines below, without what was added since."""

    file: str
    body: str

    def part(self, heading: str) -> str:
        """Return the text under one of its headings, such as `Decision`."""
        return self.body.partition(f"#### {heading}\n")[2].partition("\n#### ")[0].partition("\n### ")[0]

    def find_held(self, entries: Iterable[str]) -> list[str]:
        """Return the entries of discussions that this record contains in full."""
        body = fold_text(unescape_markdown(self.body))
        lines = {line.rstrip(". ") for line in body.split("\n")}
        split = ((each, _fold_decision(each)) for each in entries)
        told = ((each, more) for each, (decision, *more) in split if decision.rstrip(". ") in lines)
        return [each for each, more in told if all(part in body for part in more)]


@lru_cache(maxsize=1_000)  # each record is compared with each entry
def _fold_decision(entry: str) -> tuple[str, ...]:
    return tuple(map(fold_text, split_decision(entry)))


def list_records(documents: Mapping[str, str]) -> tuple[DecisionRecord, ...]:
    """Return the decision records of architecture and design."""
    return tuple(
        DecisionRecord(heading.id, heading.text, name, "\n".join(lines).partition("<!--")[0])
        for name in (OVERVIEW, SUMMARY)
        for heading, lines in sections_with_ids(documents.get(name, ""), "ADR")
    )


def list_attributes(documents: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    """Return the rows of the matrix of quality attributes: the id, then the other cells."""
    return list_rows(documents.get(MATRIX, ""), "NFR")


def list_rows(document: str, prefix: str) -> Iterator[tuple[str, ...]]:
    """Yield the words in the cells of each table row that begins with an id of this kind."""
    for _, line in prose_lines(document):
        row = _TABLE_ROW.fullmatch(line.strip())
        if row and row["id"].startswith(f"{prefix}-"):
            cells = (cell.strip().replace("\\|", "|") for cell in _CELL.split(row["rest"]))
            yield row["id"], *map(unescape_markdown, cells)


def read_json(text: str) -> Any:
    """Return what a JSON text holds; None if it cannot be read."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def find_json_line(text: str, value: object) -> int:
    """Return the line of a JSON text in which a value or a field's name first occurs; else the first."""
    return text.count("\n", 0, max(text.find(json.dumps(value, ensure_ascii=False)), 0)) + 1


def read_json_list(text: str, field: str, kind: type) -> list[Any]:
    """Return the entries of a type in a list of a JSON object; none if the text cannot be read."""
    content = read_json(text)
    listed = content.get(field) if isinstance(content, dict) else None
    return [each for each in listed if isinstance(each, kind)] if isinstance(listed, list) else []


def list_stories(documents: Mapping[str, str]) -> tuple[Story, ...]:
    """Return the stories of user-stories.json that can be read."""
    found = []
    for entry in read_json_list(documents.get(STORIES_FILE, ""), "stories", dict):
        if isinstance(entry.get("id"), str):
            served, text = entry.get("requirements"), str(entry.get("text") or "")
            requirements = tuple(served) if isinstance(served, list) else ()
            found.append(Story(entry["id"], text, requirements, entry.get("unhappy") is True))
    return tuple(found)


def find_mentioned_ids(documents: Mapping[str, str], *prefixes: str) -> frozenset[str]:
    """Return the ids of these kinds that the documents mention, except where an id is assigned."""
    lines = (line for text in documents.values() for line in text.splitlines())
    telling = (line for line in lines if not any(each.match(line) for each in _GIVING))
    kinds = tuple(f"{prefix}-" for prefix in prefixes)
    return frozenset(each for line in telling for each in MENTION.findall(line) if each.startswith(kinds))


def sections_with_ids(document: str, prefix: str) -> list[tuple[KnownId, list[str]]]:
    """Return each heading with an id, and the lines up to the next heading of its level or above."""
    found: list[tuple[KnownId, list[str]]] = []
    level = 0  # of the current heading; 0 if there is none
    for _, line in prose_lines(document):
        match, sign = HEADING.fullmatch(line), _HEADING_SIGN.match(line)
        if sign and len(sign["sign"]) <= level:
            level = 0
        if match and sign and not level and match["id"].startswith(f"{prefix}-"):
            found.append((KnownId(match["id"], unescape_markdown(match["text"])), []))
            level = len(sign["sign"])
        elif level:
            found[-1][1].append(line)
    return found
