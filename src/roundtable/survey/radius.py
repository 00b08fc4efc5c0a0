"""The order in which step 02-01 lists files: those the terms lead to, and those that are tied to them."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from .findings import Finding, Line, Reason
from .relations import Relations, line_at
from .scan import read

MOST = 60
_TIED = 0.30
_TESTED = 0.30
_TOGETHER = 0.8


def radius(
    root: Path,
    findings: Sequence[Finding],
    touched: Sequence[Finding],
    ties: Relations,
    company: Mapping[str, float],
) -> tuple[Finding, ...]:
    """The findings with what ties add to them, and the tied files no term led to, the likeliest first."""
    strength = {finding.path: finding.score for finding in touched}
    top = max(strength.values(), default=1.0)
    extra: dict[str, float] = {}
    reasons: dict[str, list[Reason]] = {}
    lines: dict[str, Line] = {}

    def tie(path: str, value: float, reason: Reason) -> None:
        extra[path] = max(extra.get(path, 0.0), value)
        reasons.setdefault(path, []).append(reason)

    fan_in = Counter(relation.to for relation in (*ties.importers, *ties.mentions))
    for relation in (*ties.importers, *ties.mentions):
        # One of three that use a file is likelier to change with it than one of three hundred.
        weight = strength.get(relation.to, top * 0.7) / (1 + math.log10(fan_in[relation.to]))
        tie(relation.line.path, _TIED * weight, Reason(relation.tie, relation.to))
        lines.setdefault(relation.line.path, relation.line)
    for relation in ties.tests:
        tie(relation.line.path, _TESTED * strength.get(relation.to, top * 0.7), Reason("tests", relation.to))
        lines.setdefault(relation.line.path, relation.line)
    for path, share in company.items():
        tie(path, _TOGETHER * top * share, Reason(f"changed with them in {share:.0%} of their commits"))
    known = {finding.path: finding for finding in findings}
    merged = []
    for path in known.keys() | extra.keys():
        found = known.get(path)
        score = (found.score if found else 0.0) + extra.get(path, 0.0)
        said = tuple(dict.fromkeys(reasons.get(path, ())))[:3]
        if found and found.lines:
            merged.append(Finding(path, score, found.count, found.lines, said))
        else:
            merged.append(
                Finding(
                    path, score, found.count if found else 0, (lines[path],) if path in lines else (), said
                )
            )
    merged.sort(key=lambda finding: (-finding.score, finding.path))
    cited = (_with_a_line(root, finding) for finding in merged[: 2 * MOST])
    return tuple(finding for finding in cited if finding.lines)[:MOST]


def _with_a_line(root: Path, finding: Finding) -> Finding:
    """The finding with its file's first line where nothing else led to it; none where it cannot be cited."""
    data = None if finding.lines else read(f"{root}{os.sep}{finding.path}")
    if not data:
        return finding
    line = line_at(finding.path, data, len(data) - len(data.lstrip()))
    return Finding(finding.path, finding.score, finding.count, (line,), finding.reasons)
