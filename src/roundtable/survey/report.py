"""What a survey found, in markdown; every line cited is looked up again before it is written."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence

from ..core.markup import printable
from .findings import Finding, Line, Relation, Survey
from .scan import read

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
            return size(survey)
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
        lines = sorted(standing(survey, finding.lines), key=lambda line: line.number)
        if finding.count and lines:
            rows.append(f"- {code(shown(finding.path))}: {_several(finding.count, 'hit')}")
            rows += [f"  - {cite(line)} {code(line.text)}" for line in lines]
        if sum(row.startswith("-") for row in rows) == _FEW:
            break
    if not rows:
        return NOTHING
    words = ", ".join(code(word) for word in survey.words)
    return f"Searched {_several(survey.files_seen, 'file')} for {words}.\n\n" + "\n".join(rows)


def size(survey: Survey) -> str:
    """Step 00-03: what the files alone suggest, and what speaks for it; the answer above it counts."""
    reasons = "\n".join(f"- {_sentence(reason)}" for reason in survey.reasons)
    return f"The files alone suggest {survey.scope} scope and {survey.complexity} complexity.\n\n{reasons}"


def blast_radius(survey: Survey) -> str:
    """Step 02-01: the files that mention or import what is touched, the likeliest first."""
    rows: list[str] = []
    for finding in survey.radius:
        lines = standing(survey, finding.lines)
        if lines:
            rows.append(f"{len(rows) + 1}. {cite(lines[0])} {_why(finding)}")
        if len(rows) == LISTED:
            break
    return "\n".join(rows) if rows else NOTHING


def ways_in(survey: Survey) -> str:
    """Step 02-02: the entry points, the tests that cover what is touched, and how often it changes."""
    points = [
        f"- {cite(point.line)} {named(point.what, point.name)}{'' if point.near else _FAR}"
        for point in survey.entry_points
        if standing(survey, (point.line,))
    ]
    tests = [f"- {cite(test.line)} covers {code(shown(test.to))}" for test in still(survey, survey.tests)]
    rates = [
        f"- {code(shown(rate.path))}: {_several(rate.quarter, 'commit')} in 90 days, {rate.year} in a year"
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


def standing(survey: Survey, lines: Iterable[Line]) -> tuple[Line, ...]:
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


def _stands(survey: Survey, line: Line) -> bool:
    data = read(f"{survey.root}{os.sep}{line.path}")
    if data is None:
        return False
    rows = data.split(b"\n", line.number)
    if len(rows) < line.number:
        return False
    return rows[line.number - 1][:400].decode("utf-8", "replace").strip() == line.text


def cite(line: Line) -> str:
    """A place in the code, as everybody writes it."""
    return code(f"{shown(line.path)}:{line.number}")


def shown(path: str) -> str:
    """The path in letters that can be written; a byte that is none is spelled `\\xff`."""
    text = os.fsencode(path).decode("utf-8", "backslashreplace")
    return re.sub(r"[\x00-\x1f\x7f]", lambda match: f"\\x{ord(match[0]):02x}", text)


def code(text: str) -> str:
    """The text as a code span on one line, cut where it is long."""
    text = " ".join(printable(text).split())
    if len(text) > _LONGEST_QUOTE and " " in text:
        text = text[:_LONGEST_QUOTE].rstrip() + " ..."
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") or not text else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _why(finding: Finding) -> str:
    reasons = [_several(finding.count, "hit")] if finding.count else []
    return ", ".join([*reasons, *(named(reason.why, reason.name) for reason in finding.reasons[:2])])


def named(words: str, name: str) -> str:
    """The words, and the name they are about as code, where there is one."""
    return f"{words} {code(shown(name))}" if name else words


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _list(title: str, rows: Sequence[str], nothing: str) -> str:
    return f"{title}:\n\n" + "\n".join(rows[:_FEW]) if rows else nothing


def _several(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
