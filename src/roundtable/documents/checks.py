"""The check of an item's documents: each finding names a file, a line and what is the matter there."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, NoReturn

import msgspec
from msgspec import Struct

from ..core.citations import CITATION, LinesOf, check_citation, is_address, is_marked
from .drafting import COLUMNS
from .ids import CRITERION, HEADING, ROW, STORIES, TRACE
from .outline import prose_lines
from .questions import find_open_questions

Kind = Literal[
    "dangling", "duplicate", "no-acceptance", "stories", "table", "citation", "marker", "unreadable", "open",
    "record", "block", "lost", "decision", "figure", "unverified",
]  # fmt: skip


class CheckFinding(Struct, frozen=True):
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
# What earlier versions wrote of an id that is no longer in use.
_WITHDRAWN = re.compile(r"(?:- |<!-- )Withdrawn: ")
_STORY = re.compile(r'"id"\s*:\s*"(?P<id>US-\d{3,})"')


def check_ids(documents: Mapping[str, str]) -> Iterator[CheckFinding]:
    """Yield dangling references, ids defined twice, and requirements without acceptance criteria."""
    first: dict[str, tuple[str, int]] = {}
    mentions: list[tuple[str, str, int]] = []
    for name, text in documents.items():
        for number, line in prose_lines(text) if name.endswith(".md") else enumerate(text.split("\n"), 1):
            if name == STORIES:
                defined, line = _STORY.findall(line), _STORY.sub("", line)
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
            if not _WITHDRAWN.match(line):
                mentions += [(each, name, number) for each in dict.fromkeys(_MENTION.findall(line))]
    for each, name, number in mentions:
        if each not in first:
            yield CheckFinding(name, number, "dangling", f"{each} is defined nowhere.")
    for each, (name, number) in first.items():
        criteria = each.replace("FR-", "AC-") + "-"
        if each.startswith("FR-") and not any(other.startswith(criteria) for other in first):
            yield CheckFinding(name, number, "no-acceptance", f"{each} has no acceptance criterion.")


_Words = Annotated[str, msgspec.Meta(min_length=1)]
_StoryId = Annotated[str, msgspec.Meta(pattern="^US-[0-9]{3,}$")]
_RequirementId = Annotated[str, msgspec.Meta(pattern="^FR-[0-9]{3,}$")]
_CriterionId = Annotated[str, msgspec.Meta(pattern="^AC-[0-9]{3,}-[0-9]{2,}$")]


class _StoryRow(msgspec.Struct):
    id: _StoryId
    as_a: str | None
    i_want: str | None
    so_that: str | None
    requirements: list[_RequirementId]
    acceptance: list[_CriterionId]
    text: _Words
    unhappy: bool = False


class _NoteRow(msgspec.Struct):
    label: str
    text: str


class _WithdrawnRow(msgspec.Struct):
    id: _StoryId
    text: str


class _StoryFile(msgspec.Struct):
    """user-stories.json as its schema describes it."""

    item: str
    stories: list[_StoryRow]
    open_questions: list[_Words]
    notes: list[_NoteRow] = []
    withdrawn: list[_WithdrawnRow] = []


def check_stories(text: str) -> Iterator[CheckFinding]:
    """Yield what first keeps user-stories.json from the shape of its schema, and its open questions."""
    try:
        content = json.loads(text, parse_constant=_reject_constant)
    except (ValueError, RecursionError) as error:
        line, reason = 1, "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        if isinstance(error, json.JSONDecodeError):
            line, reason = error.lineno, error.msg
        yield CheckFinding(STORIES, line, "stories", f"It is not valid JSON: {reason}.")
        return
    try:
        msgspec.convert(content, _StoryFile)
    except msgspec.ValidationError as error:
        yield CheckFinding(STORIES, 1, "stories", f"{error}.")
    questions = content.get("open_questions") if isinstance(content, dict) else None
    for question in questions if isinstance(questions, list) else []:
        if isinstance(question, str) and question:
            place = max(text.find(json.dumps(question, ensure_ascii=False)), 0)
            yield CheckFinding(STORIES, text.count("\n", 0, place) + 1, "open", question)


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value")
