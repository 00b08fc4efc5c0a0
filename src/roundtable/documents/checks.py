"""The check of an item's documents: each finding names a file, a line and what is the matter there."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NoReturn

import msgspec

from ..core.citations import CITATION, LinesOf, check_citation, is_address, is_marked
from .ids import (
    CRITERION,
    HEADING,
    ROW,
    STORIES,
    TRACE,
    WITHDRAWN,
    list_withdrawn,
    list_withdrawn_stories,
)
from .outline import prose_lines
from .questions import find_open_questions
from .requirements import COLUMNS

Kind = Literal[
    "dangling", "duplicate", "no-acceptance", "stories", "table", "citation", "marker", "unreadable", "open",
    "record", "block", "lost", "decision", "figure", "unverified",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """One thing in one line of a file.

    `open` is a question left open, `unverified` what nobody accepted; everything else is a problem.
    """

    file: str
    line: int
    kind: Kind
    text: str

    @property
    def is_problem(self) -> bool:
        return self.kind not in ("open", "unverified")


def check_documents(documents: Mapping[str, str], lines_of: LinesOf) -> tuple[CheckFinding, ...]:
    """Return everything that is found in the documents, by file in their order and by line."""
    found = list(check_ids(documents))
    for name, text in documents.items():
        if name.lower().endswith(".md"):
            found += [CheckFinding(name, line, "open", asked) for line, asked in find_open_questions(text)]
            found += check_citations(name, text, lines_of)
            found += check_markers(name, text)
        elif name == STORIES:
            found += check_stories(text)
        elif name.lower().endswith(".csv"):
            found += check_table(name, text)
    order = list(documents)
    return tuple(sorted(found, key=lambda each: (order.index(each.file), each.line, each.text)))


_LOOKS_LIKE = re.compile(r"<!--+\s*(?P<kind>step|elaboration|feedback)\b", re.IGNORECASE)
_SOUND = re.compile(
    r" {0,3}(?:"
    r"<!-- Step \S+: \d{1,9} characters, [0-9a-f]{8} -->"
    r"|<!-- (?:Elaboration: (?:step \S+, )?|Feedback: step \S+, )"
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z -->"
    r"|<!-- Elaboration enrichment \(step [^)]+\).* -->"
    r")\s*"
)


def check_markers(name: str, text: str) -> Iterator[CheckFinding]:
    """Yield the lines that are meant to be markers and are not."""
    for number, line in prose_lines(text):
        found = _LOOKS_LIKE.search(line)
        if found and not _SOUND.fullmatch(line):
            problem = "marker is malformed, so that what it marks is taken for a hand edit"
            yield CheckFinding(name, number, "marker", f"The {found['kind'].lower()} {problem}.")


def check_table(name: str, text: str) -> Iterator[CheckFinding]:
    """Yield what keeps a table from being read."""
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
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


def check_citations(name: str, text: str, lines_of: LinesOf) -> Iterator[CheckFinding]:
    """Yield the citations in a document that lead nowhere and are not marked as unverified."""
    for number, line in prose_lines(text):
        for found in CITATION.finditer(line):
            if is_address(found["path"]) or is_marked(line, found.end()):
                continue
            if problem := check_citation(found, lines_of):
                yield CheckFinding(name, number, "citation", problem)


_MENTION = re.compile(r"(?<![\w-])(?:AC-\d{3,}-\d{2,}|(?:FR|NFR|US|ADR)-\d{3,}|E-\d{3})(?![\w-])")
_STORY = re.compile(r'"id"\s*:\s*"(?P<id>US-\d{3,})"')


def check_ids(documents: Mapping[str, str]) -> Iterator[CheckFinding]:
    """Yield dangling references, ids defined twice, and requirements without acceptance criteria."""
    gone_stories = {each.id for each in list_withdrawn_stories(documents)}
    gone = gone_stories.union(each.id for text in documents.values() for each in list_withdrawn(text))
    first: dict[str, tuple[str, int]] = {}
    mentions: list[tuple[str, str, int]] = []
    for name, text in documents.items():
        for number, line in prose_lines(text) if name.endswith(".md") else enumerate(text.split("\n"), 1):
            if name == STORIES:
                defined = [each for each in _STORY.findall(line) if each not in gone_stories]
                line = _STORY.sub("", line)
            else:
                defined = [
                    found["id"] for each in (HEADING, CRITERION, ROW) if (found := each.fullmatch(line))
                ]
            for each in defined:
                if each in first:
                    file, at = first[each]
                    where = f"line {at}" if file == name else f"{file}, line {at}"
                    problem = f"{each} is defined a second time; first in {where}."
                    yield CheckFinding(name, number, "duplicate", problem)
                first.setdefault(each, (name, number))
            if not WITHDRAWN.fullmatch(line):
                mentions += [(each, name, number) for each in dict.fromkeys(_MENTION.findall(line))]
    for each, name, number in mentions:
        if each not in first:
            why = "was withdrawn" if each in gone else "is defined nowhere"
            yield CheckFinding(name, number, "dangling", f"{each} {why}.")
    for each, (name, number) in first.items():
        criteria = each.replace("FR-", "AC-") + "-"
        if each.startswith("FR-") and not any(other.startswith(criteria) for other in first):
            yield CheckFinding(name, number, "no-acceptance", f"{each} has no acceptance criterion.")


class _Note(msgspec.Struct):
    label: str
    text: str


class _Withdrawn(msgspec.Struct):
    id: str
    text: str


def _id_type(pattern: str) -> Any:
    return Annotated[str, msgspec.Meta(pattern=rf"\A{pattern}\Z")]


_Words = Annotated[str, msgspec.Meta(min_length=1)]
# Each field with its type and what is said where it has another.
_FILE_FIELDS: Mapping[str, tuple[Any, str]] = {
    "item": (str, "is not a text"),
    "open_questions": (list[_Words], "is not a list of texts"),
    "stories": (list, "is not a list"),
    "notes": (list[_Note], "is not a list of entries with label and text"),
    "withdrawn": (list[_Withdrawn], "is not a list of entries with id and text"),
}
_STORY_FIELDS: Mapping[str, tuple[Any, str]] = {
    "id": (_id_type("US-[0-9]{3,}"), "is not like US-001"),
    "as_a": (str | None, "is neither a text nor null"),
    "i_want": (str | None, "is neither a text nor null"),
    "so_that": (str | None, "is neither a text nor null"),
    "requirements": (list[_id_type("FR-[0-9]{3,}")], "is not a list of ids like FR-001"),  # type: ignore[misc]
    "acceptance": (list[_id_type("AC-[0-9]{3,}-[0-9]{2,}")], "is not a list of ids like AC-001-01"),  # type: ignore[misc]
    "text": (_Words, "is empty or not a text"),
    "unhappy": (bool, "is neither true nor false"),
}
_OPTIONAL = frozenset({"notes", "withdrawn", "unhappy"})


def check_stories(text: str) -> Iterator[CheckFinding]:
    """Yield what keeps user-stories.json from having the shape of its schema, and its open questions."""
    try:
        content = json.loads(text, parse_constant=_reject_constant)
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
        reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        yield CheckFinding(STORIES, line, "stories", f"It is not valid JSON: {reason}.")
        return
    for where, problem in _find_story_problems(content):
        yield CheckFinding(STORIES, _line_of(text, where), "stories", problem)
    questions = content.get("open_questions") if isinstance(content, dict) else None
    for question in questions if isinstance(questions, list) else []:
        if isinstance(question, str) and question:
            line = _line_of(text, json.dumps(question, ensure_ascii=False))
            yield CheckFinding(STORIES, line, "open", question)


def _find_story_problems(content: Any) -> Iterator[tuple[str, str]]:
    """Yield what is wrong, each with a text to find its line by."""
    if not isinstance(content, dict):
        yield "", "It is not an object."
        return
    missing, wrong = _check_fields(content, _FILE_FIELDS)
    yield from (("", f"The field {field} is missing.") for field in missing)
    yield from ((f'"{field}"', f"The field {field} {problem}.") for field, problem in wrong)
    stories = content.get("stories")
    for number, story in enumerate(stories if isinstance(stories, list) else [], 1):
        if not isinstance(story, dict):
            yield '"stories"', f"Story {number} is not an object."
            continue
        missing, wrong = _check_fields(story, _STORY_FIELDS)
        identity = story.get("id")
        where = f'"{identity}"' if isinstance(identity, str) else '"stories"'
        has_id = "id" not in (*missing, *(field for field, _ in wrong))
        name = str(identity) if has_id else f"Story {number}"
        if missing:
            yield where, f"{name} lacks {', '.join(missing)}."
        yield from ((where, f"{name}: {field} {problem}.") for field, problem in wrong)


def _check_fields(
    entry: dict[str, Any], fields: Mapping[str, tuple[Any, str]]
) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the fields that are missing, and those of the wrong type with what is said of them."""
    wrong = []
    for field, (wanted, problem) in fields.items():
        try:
            msgspec.convert(entry[field], wanted)
        except msgspec.ValidationError:
            wrong.append((field, problem))
        except KeyError:
            continue
    return [field for field in fields if field not in entry and field not in _OPTIONAL], wrong


def _line_of(text: str, where: str) -> int:
    """Return the line in which a text first stands; the first line where it does not."""
    place = text.find(where)
    return text.count("\n", 0, place) + 1 if place > 0 else 1


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value")
