"""Draft answers from the survey: short enough to confirm at a glance."""

from __future__ import annotations

from collections.abc import Iterable

from .findings import Survey
from .kinds import kind_of
from .report import cite, code, named, shown, standing, still
from .scope import likely_files

_FEW = 5


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
            return _touched(survey)
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
        lines = standing(survey, finding.lines)
        if finding.count and lines:
            rows.append(f"{cite(lines[0])} ({finding.count} hit{'' if finding.count == 1 else 's'})")
        if len(rows) == _FEW:
            break
    return _sentence(rows)


def _surroundings(survey: Survey) -> str | None:
    homes = [cite(lines[0]) for finding in survey.findings[:3] if (lines := standing(survey, finding.lines))]
    if not homes:
        return None
    users = dict.fromkeys(
        shown(use.line.path) for use in still(survey, survey.importers) if kind_of(use.line.path) != "test"
    )
    used = f" It is used by {_joined(code(path) for path in list(users)[:3])}." if users else ""
    return f"It lives in {_joined(homes)}.{used}"


def _touched(survey: Survey) -> str | None:
    likely = set(likely_files(survey.findings))
    certain = [
        cite(lines[0])
        for finding in survey.radius
        if finding.path in likely and (lines := standing(survey, finding.lines))
    ]
    others = [
        cite(lines[0])
        for finding in survey.radius[:20]
        if finding.path not in likely and (lines := standing(survey, finding.lines))
    ]
    if not certain and not others:
        return None
    parts = [
        f"Likely: {_joined(certain[:4])}." if certain else "",
        f"Possibly: {_joined(others[:3])}." if others else "",
    ]
    return " ".join(part for part in parts if part)


def _dependents(survey: Survey) -> str | None:
    ties = [
        tie
        for tie in still(survey, (*survey.importers, *survey.mentions))
        if kind_of(tie.line.path) != "test"
    ]
    rows = list(dict.fromkeys(f"{cite(tie.line)} {tie.tie} {code(shown(tie.to))}" for tie in ties))
    return _sentence(rows[:_FEW])


def _entry_points(survey: Survey) -> str | None:
    points = [point for point in survey.entry_points if standing(survey, (point.line,))]
    near = [point for point in points if point.near] or points
    return _sentence([f"{cite(point.line)} {named(point.what, point.name)}" for point in near[:_FEW]])


def _coverage(survey: Survey) -> str | None:
    likely = likely_files(survey.findings)
    if not likely:
        return None
    tests = still(survey, survey.tests)
    if not tests:
        return "No test was found that imports the touched files or is named after them."
    said = _sentence([cite(test.line) for test in tests[:_FEW]])
    bare = [path for path in likely if all(test.to != path for test in survey.tests)][:3]
    gap = f" No test was found for {_joined(code(shown(path)) for path in bare)}." if bare else ""
    return f"Tested by {said}{gap}"


def _likelihood(survey: Survey) -> str | None:
    if not survey.findings:
        return None
    return f"{survey.complexity}; " + "; ".join(survey.reasons[1:]) if survey.reasons else survey.complexity


def _sentence(rows: list[str]) -> str | None:
    return f"{'; '.join(rows)}." if rows else None


def _joined(parts: Iterable[str]) -> str:
    *first, last = list(parts)
    return f"{', '.join(first)} and {last}" if first else last
