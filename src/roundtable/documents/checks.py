"""What a check finds: a place in a file, and what is the matter there."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

from ..core.text import parse_heading, unescape_markdown
from .ids import CRITERION, HEADING, ROW, STORIES, TRACE, WITHDRAWN, prose_lines
from .requirements import COLUMNS

Kind = Literal[
    "dangling", "duplicate", "no-acceptance", "stories", "table", "citation", "marker", "unreadable", "open",
    "record", "block", "lost",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing in one line of a file; `open` is a question left open, everything else a problem."""

    file: str
    line: int
    kind: Kind
    text: str

    @property
    def is_problem(self) -> bool:
        return self.kind != "open"


_LOOKS_LIKE = re.compile(r"<!--+\s*(?P<kind>step|elaboration|feedback)\b", re.IGNORECASE)
_SOUND = re.compile(
    r" {0,3}(?:"
    r"<!-- Step \S+: \d{1,9} characters, [0-9a-f]{8} -->"
    r"|<!-- (?:Elaboration|Feedback): step \S+, \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z -->"
    r"|<!-- Elaboration enrichment \(step [^)]+\).* -->"
    r")\s*"
)


def check_markers(name: str, text: str) -> Iterator[CheckFinding]:
    """The lines that are meant to be markers and are not."""
    for number, line in prose_lines(text):
        found = _LOOKS_LIKE.search(line)
        if found and not _SOUND.fullmatch(line):
            kind = found["kind"].lower()
            yield CheckFinding(
                name,
                number,
                "marker",
                f"The {kind} marker is malformed, so that what it marks is taken for a hand edit.",
            )


_OPEN = re.compile(r"- Open question: (?P<question>.*\S|.)\s*")
_ENTRY = re.compile(r"[-*+] ++(?P<question>.*\S)\s*")
_NONE = "none"


def check_questions(name: str, text: str) -> Iterator[CheckFinding]:
    """Every question that stands open in a document."""
    in_elaboration = False
    for number, line in prose_lines(text):
        if heading := parse_heading(line):
            in_elaboration = heading[1].casefold() == "open questions"
        found = _OPEN.fullmatch(line) or (_ENTRY.fullmatch(line) if in_elaboration else None)
        if found and found["question"].casefold().rstrip(".") != _NONE:
            yield CheckFinding(name, number, "open", unescape_markdown(found["question"]))


def check_story_questions(name: str, text: str) -> Iterator[CheckFinding]:
    """Every question that user-stories.json lists as open."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return
    listed = content.get("open_questions") if isinstance(content, dict) else None
    for question in listed if isinstance(listed, list) else []:
        if isinstance(question, str) and question:
            place = text.find(json.dumps(question, ensure_ascii=False))
            yield CheckFinding(name, text.count("\n", 0, place) + 1 if place > 0 else 1, "open", question)


_DELIMITERS = ",;\t"


def check_table(name: str, text: str) -> Iterator[CheckFinding]:
    """What keeps a table from being read."""
    delimiter = max(_DELIMITERS, key=text.partition("\n")[0].count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header: list[str] | None = None
    try:
        for row in rows:
            if header is None:
                header = row
                missing = [each for each in COLUMNS if each not in row] if name == TRACE else []
                if missing:
                    yield CheckFinding(name, 1, "table", f"The columns {', '.join(missing)} are missing.")
            elif row and len(row) != len(header):
                cells = f"{len(row)} cell{'s' if len(row) != 1 else ''} under {len(header)} columns"
                yield CheckFinding(name, rows.line_num, "table", f"A row has {cells}.")
    except csv.Error as error:
        yield CheckFinding(name, rows.line_num, "table", f"It is not valid CSV: {error}.")
    if header is None:
        yield CheckFinding(name, 1, "table", "It is empty.")


LinesOf = Callable[[str], int | None]
"""How many lines a file of the project has, by its path; None where there is none."""

_CITATION = re.compile(
    r"(?<![\w/.@+-])(?P<path>(?:[\w@+.-]+/)+[\w@+.-]*\w|[\w@+-][\w@+.-]*\.[A-Za-z]\w{0,7})"
    r":(?P<line>\d{1,7})(?:-(?P<last>\d{1,7}))?(?![\w:])"
)
_HOST = re.compile(
    r"(?:[\w-]+\.)+(?:com|org|net|io|dev|de|local|internal|example|test)(?:/|$)", re.IGNORECASE
)


def check_citations(name: str, text: str, lines_of: LinesOf) -> Iterator[CheckFinding]:
    """The citations in a document that lead nowhere."""
    for number, line in prose_lines(text):
        for found in _CITATION.finditer(line):
            path, first = found["path"], int(found["line"])
            last = int(found["last"] or first)
            if _HOST.match(path):
                continue
            count = lines_of(path)
            if count is None:
                yield CheckFinding(
                    name, number, "citation", f"{found[0]}: there is no file {path} in the project."
                )
            elif not 1 <= first <= last <= count:
                lines = f"{count} line{'s' if count != 1 else ''}"
                yield CheckFinding(name, number, "citation", f"{found[0]}: the file has {lines}.")


_MENTION = re.compile(r"(?<![\w-])(?:AC-\d{3,}-\d{2,}|(?:FR|NFR|US|ADR)-\d{3,}|E-\d{3})(?![\w-])")
_STORY = re.compile(r'"id"\s*:\s*"(?P<id>US-\d{3,})"')
_DEFINITIONS = (HEADING, CRITERION, ROW)


@dataclass(frozen=True, slots=True)
class Place:
    """An id and where it stands."""

    id: str
    file: str
    line: int


def check_identities(documents: Mapping[str, str]) -> Iterator[CheckFinding]:
    """Dangling references, ids that are defined twice, requirements without acceptance criteria."""
    defined = list(_find_definitions(documents))
    first: dict[str, Place] = {}
    for place in defined:
        if place.id in first:
            before = first[place.id]
            where = (
                f"line {before.line}" if before.file == place.file else f"{before.file}, line {before.line}"
            )
            yield CheckFinding(
                place.file, place.line, "duplicate", f"{place.id} is defined a second time; first in {where}."
            )
        first.setdefault(place.id, place)
    yield from _find_dangling(documents, set(first))
    for place in first.values():
        if place.id.startswith("FR-") and not _criteria(place.id, first):
            yield CheckFinding(
                place.file, place.line, "no-acceptance", f"{place.id} has no acceptance criterion."
            )


def _criteria(requirement: str, defined: Mapping[str, Place]) -> bool:
    return any(each.startswith(f"AC-{requirement.removeprefix('FR-')}-") for each in defined)


def _dangling(documents: Mapping[str, str], defined: set[str]) -> Iterator[CheckFinding]:
    gone = _withdrawn_ids(documents)
    for name, text in documents.items():
        for number, line in _lines(name, text):
            said = _STORY.sub("", line) if name == STORIES else line
            if WITHDRAWN.fullmatch(line):
                continue
            for identity in dict.fromkeys(_MENTION.findall(said)):
                if identity not in defined:
                    why = "was withdrawn" if identity in gone else "is defined nowhere"
                    yield CheckFinding(name, number, "dangling", f"{identity} {why}.")


def _defined(documents: Mapping[str, str]) -> Iterator[Place]:
    for name, text in documents.items():
        gone = _gone_stories(text) if name == STORIES else frozenset()
        for number, line in _lines(name, text):
            if name == STORIES:
                ids = _STORY.findall(line)
            else:
                ids = [match["id"] for each in _DEFINITIONS if (match := each.fullmatch(line))]
            yield from (Place(identity, name, number) for identity in ids if identity not in gone)


def _withdrawn(documents: Mapping[str, str]) -> frozenset[str]:
    listed = (
        match["id"]
        for name, text in documents.items()
        for _, line in _lines(name, text)
        if (match := WITHDRAWN.fullmatch(line))
    )
    return frozenset(listed) | _gone_stories(documents.get(STORIES, ""))


def _gone_stories(text: str) -> frozenset[str]:
    try:
        content = json.loads(text)
        return frozenset(str(each["id"]) for each in content["withdrawn"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return frozenset()


def _lines(name: str, text: str) -> Iterator[tuple[int, str]]:
    return prose_lines(text) if name.endswith(".md") else iter(enumerate(text.split("\n"), 1))


_ID = re.compile(r"US-[0-9]{3,}")
_REQUIREMENT = re.compile(r"FR-[0-9]{3,}")
_CRITERION = re.compile(r"AC-[0-9]{3,}-[0-9]{2,}")
_WORDS = ("as_a", "i_want", "so_that")
_FIELDS = ("id", *_WORDS, "requirements", "acceptance", "text")


def check_stories(text: str) -> Iterator[CheckFinding]:
    """What keeps the file from being valid, each with its line."""
    try:
        content = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
        reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        yield CheckFinding(STORIES, line, "stories", f"It is not valid JSON: {reason}.")
        return
    for where, problem in _problems(content):
        yield CheckFinding(STORIES, _line(text, where), "stories", problem)


def _problems(content: Any) -> Iterator[tuple[str, str]]:
    """What is wrong, each with a text to find its line by."""
    if not isinstance(content, dict):
        yield "", "It is not an object."
        return
    yield from (
        ("", f"The field {name} is missing.")
        for name in ("item", "stories", "open_questions")
        if name not in content
    )
    if not isinstance(content.get("item", ""), str):
        yield '"item"', "The field item is not a text."
    yield from _strings(content.get("open_questions", []), "open_questions")
    listed = content.get("stories", [])
    if not isinstance(listed, list):
        yield '"stories"', "The field stories is not a list."
        return
    for number, story in enumerate(listed, 1):
        yield from _story(number, story)
    for name, fields in (("notes", ("label", "text")), ("withdrawn", ("id", "text"))):
        entries = content.get(name, [])
        sound = isinstance(entries, list) and all(
            isinstance(each, dict) and all(isinstance(each.get(field), str) for field in fields)
            for each in entries
        )
        if not sound:
            yield f'"{name}"', f"The field {name} is not a list of entries with {' and '.join(fields)}."


def _story(number: int, story: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(story, dict):
        yield '"stories"', f"Story {number} is not an object."
        return
    identity = story.get("id")
    known = isinstance(identity, str) and _ID.fullmatch(identity) is not None
    name = str(identity) if known else f"Story {number}"
    where = f'"{identity}"' if isinstance(identity, str) else '"stories"'
    missing = [field for field in _FIELDS if field not in story]
    if missing:
        yield where, f"{name} lacks {', '.join(missing)}."
    if "id" in story and not known:
        yield where, f"{name} has an id that is not like US-001."
    for field in _WORDS:
        if not isinstance(story.get(field), str | None):
            yield where, f"{name}: {field} is neither a text nor null."
    if "text" in story and not (isinstance(story["text"], str) and story["text"]):
        yield where, f"{name}: text is empty or not a text."
    if not isinstance(story.get("unhappy", False), bool):
        yield where, f"{name}: unhappy is neither true nor false."
    for field, pattern, like in (
        ("requirements", _REQUIREMENT, "FR-001"),
        ("acceptance", _CRITERION, "AC-001-01"),
    ):
        ids = story.get(field, [])
        if not isinstance(ids, list) or not all(
            isinstance(each, str) and pattern.fullmatch(each) for each in ids
        ):
            yield where, f"{name}: {field} is not a list of ids like {like}."


def _strings(value: Any, name: str) -> Iterator[tuple[str, str]]:
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        yield f'"{name}"', f"The field {name} is not a list of texts."


def _line(text: str, where: str) -> int:
    """The line in which a text first stands; the first where it does not."""
    place = text.find(where)
    return text.count("\n", 0, place) + 1 if place > 0 else 1


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value")


__all__ = ["Finding", "LinesOf", "check"]


def check(documents: Mapping[str, str], lines_of: LinesOf) -> tuple[CheckFinding, ...]:
    """Everything that is found in the documents, by file in their order and by line."""
    order = list(documents)
    found = [
        *check_identities(documents),
        *(each for name in order for each in _one(name, documents[name], lines_of)),
    ]
    return tuple(sorted(found, key=lambda each: (order.index(each.file), each.line, each.text)))


def _one(name: str, text: str, lines_of: LinesOf) -> Iterator[CheckFinding]:
    """What is found in one file, whatever the others say."""
    if name.lower().endswith(".md"):
        yield from check_questions(name, text)
        yield from check_citations(name, text, lines_of)
        yield from check_markers(name, text)
    elif name == STORIES:
        yield from check_stories(text)
        yield from check_story_questions(name, text)
    elif name.lower().endswith(".csv"):
        yield from check_table(name, text)
