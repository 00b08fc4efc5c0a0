"""What a survey finds, as values; every place in the code is a path inside the project and a line."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..core.text import strip_unprintable
from .files import file_kind
from .scan import read_text

Scope = Literal["small", "medium", "large"]
Complexity = Literal["low", "medium", "high"]
Tie = Literal["imports", "mentions", "tests"]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file, counted from 1, with its text as it stood."""

    path: str
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a file is listed, in words, and the file or name that the words are about."""

    why: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A file that the item may touch: how strongly, how often its terms occur, and its best lines first."""

    path: str
    score: float
    count: int
    lines: tuple[CodeLine, ...]
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Relation:
    """A line that ties a file to a file, or to a name defined in one, that the item touches."""

    tie: Tie
    line: CodeLine
    to: str


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A line through which the program is entered; near where it is in, or uses, what is touched."""

    what: str
    name: str
    line: CodeLine
    near: bool


@dataclass(frozen=True, slots=True)
class ChangeRate:
    """How many commits changed a file in the last 90 days and in the last year."""

    path: str
    quarter: int
    year: int


@dataclass(frozen=True, slots=True)
class Survey:
    """What one look at the project's files says about an item.

    `findings` are the files the item's terms lead to; `radius` is the order in which step 02-01 lists files:
    the findings, and those that are tied to them by import, mention, name or history.
    """

    root: Path
    words: tuple[str, ...]
    findings: tuple[FoundFile, ...]
    radius: tuple[FoundFile, ...]
    mentions: tuple[Relation, ...]
    importers: tuple[Relation, ...]
    entry_points: tuple[EntryPoint, ...]
    tests: tuple[Relation, ...]
    change_rate: tuple[ChangeRate, ...]
    scope: Scope
    complexity: Complexity
    reasons: tuple[str, ...]
    files_seen: int
    seconds: float


_STRONG = 0.5
_SMALL_FILES, _LARGE_FILES = 3, 9
_SMALL_FOLDERS, _LARGE_FOLDERS = 2, 6
_SOME_USERS, _MANY_USERS = 5, 20
_BUSY = 12  # commits a year on one file


@dataclass(frozen=True, slots=True)
class Estimate:
    """Scope and complexity, and what speaks for them in words with figures."""

    scope: Scope
    complexity: Complexity
    reasons: tuple[str, ...]


def estimate(
    findings: Sequence[FoundFile],
    users: Sequence[Relation],
    tests: Sequence[Relation],
    rates: Sequence[ChangeRate],
) -> Estimate:
    """The estimate from the findings, the lines that use them, their tests and their change rates."""
    likely = likely_files(findings)
    if not likely:
        return Estimate("medium", "medium", ("no file mentions the item's words, so this is a guess",))
    folders = {posixpath.dirname(path) for path in likely}
    using = {use.line.path for use in users if file_kind(use.line.path) != "test"} - set(likely)
    testing = {test.line.path for test in tests}
    busiest = max((rate for rate in rates if rate.path in likely), key=lambda rate: rate.year, default=None)
    them = "it" if len(likely) == 1 else "them"
    use = f"import{_s(using)} or mention{_s(using)}"
    tested = f"{_several(len(testing), 'test file')} cover{_s(testing)} {them}"
    reasons = [
        f"{_several(len(likely), 'file')} in {_several(len(folders), 'folder')} look{_s(likely)} touched",
        f"{_several(len(using), 'other file')} {use} {them}",
        tested if testing else f"no test was found that covers {them}",
    ]
    if busiest is not None and busiest.year:
        reasons.append(
            f"the busiest, {busiest.path}, changed in {_several(busiest.year, 'commit')} in a year"
        )
    points = (len(using) > _SOME_USERS) + (len(using) > _MANY_USERS) + (len(folders) > _SMALL_FOLDERS)
    points += (
        (len(folders) > _LARGE_FOLDERS) + (not testing) + (busiest is not None and busiest.year >= _BUSY)
    )
    complexity: Complexity = "low" if points <= 1 else "medium" if points <= 3 else "high"
    return Estimate(_scope(len(likely), len(folders)), complexity, tuple(reasons))


def likely_files(findings: Sequence[FoundFile]) -> tuple[str, ...]:
    """The findings a change would have to edit, going by their scores: no tests, no documents."""
    least = findings[0].score * _STRONG if findings else 0.0
    return tuple(
        finding.path
        for finding in findings
        if finding.score >= least and finding.count and file_kind(finding.path) in ("source", "config")
    )


def _scope(files: int, folders: int) -> Scope:
    if files > _LARGE_FILES or folders > _LARGE_FOLDERS:
        return "large"
    return "small" if files <= _SMALL_FILES and folders <= _SMALL_FOLDERS else "medium"


def _several(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _s(doers: Collection[str]) -> str:
    """The ending of a verb that so many do."""
    return "s" if len(doers) == 1 else ""


LISTED = 20
_FEW = 12
_LONGEST_QUOTE = 90
_FAR = " (not seen to lead there directly)"
NOTHING = "No file of the project mentions the item's words, so there is nothing to cite yet."


def report(survey: Survey, step_id: str) -> str | None:
    """The survey's part of a step's section; None for a step that the survey has no part in."""
    match step_id:
        case "00-02":
            return keyword_search(survey)
        case "00-03":
            return suggest_size(survey)
        case "02-01":
            return blast_radius(survey)
        case "02-02":
            return ways_in(survey)
        case _:
            return None


def keyword_search(survey: Survey) -> str:
    """Step 00-02: the files in which the item's words occur, with counts and the best lines."""
    rows: list[str] = []
    for finding in survey.findings:
        lines = sorted(keep_current(survey, finding.lines), key=lambda line: line.number)
        if finding.count and lines:
            rows.append(f"- {quote_code(show_path(finding.path))}: {_count_noun(finding.count, 'hit')}")
            rows += [f"  - {cite(line)} {quote_code(line.text)}" for line in lines]
        if sum(row.startswith("-") for row in rows) == _FEW:
            break
    if not rows:
        return NOTHING
    words = ", ".join(quote_code(word) for word in survey.words)
    return f"Searched {_count_noun(survey.files_seen, 'file')} for {words}.\n\n" + "\n".join(rows)


def size(survey: Survey) -> str:
    """Step 00-03: what the files alone suggest, and what speaks for it; the answer above it counts."""
    reasons = "\n".join(f"- {_sentence(reason)}" for reason in survey.reasons)
    return f"The files alone suggest {survey.scope} scope and {survey.complexity} complexity.\n\n{reasons}"


def blast_radius(survey: Survey) -> str:
    """Step 02-01: the files that mention or import what is touched, the likeliest first."""
    rows: list[str] = []
    for finding in survey.radius:
        lines = keep_current(survey, finding.lines)
        if lines:
            rows.append(f"{len(rows) + 1}. {cite(lines[0])} {_why(finding)}")
        if len(rows) == LISTED:
            break
    return "\n".join(rows) if rows else NOTHING


def ways_in(survey: Survey) -> str:
    """Step 02-02: the entry points, the tests that cover what is touched, and how often it changes."""
    points = [
        f"- {cite(point.line)} {add_name(point.what, point.name)}{'' if point.near else _FAR}"
        for point in survey.entry_points
        if keep_current(survey, (point.line,))
    ]
    tests = [
        f"- {cite(test.line)} covers {quote_code(show_path(test.to))}"
        for test in first_current(survey, survey.tests)
    ]
    rates = [
        f"- {quote_code(show_path(rate.path))}: {_count_noun(rate.quarter, 'commit')} in 90 days, {rate.year} in a year"
        for rate in survey.change_rate
        if rate.year
    ]
    parts = [
        _list("Entry points", points, "No entry point was recognised in the files."),
        _list(
            "Tests that cover the touched files",
            tests,
            "No test was found that imports or is named after them.",
        ),
        _list("Recent changes", rates, "Git tells of no change to these files in the last year."),
    ]
    return "\n\n".join(parts)


def standing(survey: Survey, lines: Iterable[CodeLine]) -> tuple[CodeLine, ...]:
    """The lines that still stand in their files as they were found."""
    return tuple(line for line in lines if _stands(survey, line))


def still(survey: Survey, relations: Sequence[Relation]) -> tuple[Relation, ...]:
    """The first relations whose lines still stand."""
    found = []
    for relation in relations:
        if _stands(survey, relation.line):
            found.append(relation)
        if len(found) == _FEW:
            break
    return tuple(found)


def _stands(survey: Survey, line: CodeLine) -> bool:
    data = read_text(f"{survey.root}{os.sep}{line.path}")
    if data is None:
        return False
    rows = data.split(b"\n", line.number)
    if len(rows) < line.number:
        return False
    return rows[line.number - 1][:400].decode("utf-8", "replace").strip() == line.text


def cite(line: CodeLine) -> str:
    """A place in the code, as everybody writes it."""
    return quote_code(f"{show_path(line.path)}:{line.number}")


def shown(path: str) -> str:
    """The path in letters that can be written; a byte that is none is spelled `\\xff`."""
    text = os.fsencode(path).decode("utf-8", "backslashreplace")
    return re.sub(r"[\x00-\x1f\x7f]", lambda match: f"\\x{ord(match[0]):02x}", text)


def code(text: str) -> str:
    """The text as a code span on one line, cut where it is long."""
    text = " ".join(strip_unprintable(text).split())
    if len(text) > _LONGEST_QUOTE and " " in text:
        text = text[:_LONGEST_QUOTE].rstrip() + " ..."
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") or not text else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _why(finding: FoundFile) -> str:
    reasons = [_count_noun(finding.count, "hit")] if finding.count else []
    return ", ".join([*reasons, *(add_name(reason.why, reason.name) for reason in finding.reasons[:2])])


def named(words: str, name: str) -> str:
    """The words, and the name they are about as code, where there is one."""
    return f"{words} {quote_code(show_path(name))}" if name else words


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _list(title: str, rows: Sequence[str], nothing: str) -> str:
    return f"{title}:\n\n" + "\n".join(rows[:_FEW]) if rows else nothing


def _count_noun(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


_DRAFTS_FEW = 5


def offer(survey: Survey, step_id: str, label: str) -> str | None:
    """The draft answer to a question of a step, None where the survey suggests nothing."""
    match (step_id, label.strip().casefold()):
        case ("00-02", "matches"):
            return _matches(survey)
        case ("00-03", "scope"):
            return f"{survey.scope}, complexity: {survey.complexity}"
        case ("00-03", "complexity"):
            return (
                f"{survey.complexity}; {survey.reasons[1]}" if len(survey.reasons) > 1 else survey.complexity
            )
        case ("01-04", "surroundings"):
            return _surroundings(survey)
        case ("02-01", "touched"):
            return _draft_touched(survey)
        case ("02-01", "dependents"):
            return _dependents(survey)
        case ("02-02", "entry points"):
            return _entry_points(survey)
        case ("02-02", "coverage"):
            return _coverage(survey)
        case ("02-03", "likelihood"):
            return _likelihood(survey)
        case _:
            return None


def _matches(survey: Survey) -> str | None:
    rows = []
    for finding in survey.findings:
        lines = keep_current(survey, finding.lines)
        if finding.count and lines:
            rows.append(f"{cite(lines[0])} ({finding.count} hit{'' if finding.count == 1 else 's'})")
        if len(rows) == _DRAFTS_FEW:
            break
    return _sentence_drafts(rows)


def _surroundings(survey: Survey) -> str | None:
    homes = [
        cite(lines[0]) for finding in survey.findings[:3] if (lines := keep_current(survey, finding.lines))
    ]
    if not homes:
        return None
    users = dict.fromkeys(
        show_path(use.line.path)
        for use in first_current(survey, survey.importers)
        if file_kind(use.line.path) != "test"
    )
    used = f" It is used by {_join_words(quote_code(path) for path in list(users)[:3])}." if users else ""
    return f"It lives in {_join_words(homes)}.{used}"


def _touched(survey: Survey) -> str | None:
    likely = set(likely_files(survey.findings))
    certain = [
        cite(lines[0])
        for finding in survey.radius
        if finding.path in likely and (lines := keep_current(survey, finding.lines))
    ]
    others = [
        cite(lines[0])
        for finding in survey.radius[:20]
        if finding.path not in likely and (lines := keep_current(survey, finding.lines))
    ]
    if not certain and not others:
        return None
    parts = [
        f"Likely: {_join_words(certain[:4])}." if certain else "",
        f"Possibly: {_join_words(others[:3])}." if others else "",
    ]
    return " ".join(part for part in parts if part)


def _dependents(survey: Survey) -> str | None:
    ties = [
        tie
        for tie in first_current(survey, (*survey.importers, *survey.mentions))
        if file_kind(tie.line.path) != "test"
    ]
    rows = list(dict.fromkeys(f"{cite(tie.line)} {tie.tie} {quote_code(show_path(tie.to))}" for tie in ties))
    return _sentence_drafts(rows[:_DRAFTS_FEW])


def _entry_points(survey: Survey) -> str | None:
    points = [point for point in survey.entry_points if keep_current(survey, (point.line,))]
    near = [point for point in points if point.near] or points
    return _sentence_drafts(
        [f"{cite(point.line)} {add_name(point.what, point.name)}" for point in near[:_DRAFTS_FEW]]
    )


def _coverage(survey: Survey) -> str | None:
    likely = likely_files(survey.findings)
    if not likely:
        return None
    tests = first_current(survey, survey.tests)
    if not tests:
        return "No test was found that imports the touched files or is named after them."
    said = _sentence_drafts([cite(test.line) for test in tests[:_DRAFTS_FEW]])
    bare = [path for path in likely if all(test.to != path for test in survey.tests)][:3]
    gap = (
        f" No test was found for {_join_words(quote_code(show_path(path)) for path in bare)}." if bare else ""
    )
    return f"Tested by {said}{gap}"


def _likelihood(survey: Survey) -> str | None:
    if not survey.findings:
        return None
    return f"{survey.complexity}; " + "; ".join(survey.reasons[1:]) if survey.reasons else survey.complexity


def _sentence_drafts(rows: list[str]) -> str | None:
    return f"{'; '.join(rows)}." if rows else None


def _joined(parts: Iterable[str]) -> str:
    *first, last = list(parts)
    return f"{', '.join(first)} and {last}" if first else last
