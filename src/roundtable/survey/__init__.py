"""Finds the code that an item touches, and suggests draft answers from it."""

import os
import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from msgspec import Struct

from ..core.lines import join_names
from ..core.steps import Item
from ..core.text import strip_unprintable
from .files import file_kind, read_text
from .search import CodeLine, FoundFile, extract_terms, make_line, rank_files, read_history, weigh_past

_SMALL_FILES, _LARGE_FILES = 3, 9
_SMALL_FOLDERS, _LARGE_FOLDERS = 2, 6
_PAST_CHANGES = re.compile(r"(?i)(?:^|/)(?:change(?:s|log)|history|news|release[-_]?notes)\b[^/]*$")


class Survey(Struct, frozen=True):
    """What the project's files say about an item."""

    root: Path
    findings: tuple[FoundFile, ...]  # files with the item's terms, and picked ones
    radius: tuple[FoundFile, ...]  # every file it may touch, in the order for 02-01
    picked: tuple[str, ...] = ()  # by a panel


def survey(root: Path, paths: Sequence[str], item: Item, picked: Sequence[str] = ()) -> Survey:
    """Return what these files below the root say about the item; nothing that a file holds makes it fail.

    The files that a panel `picked` come first in every list.
    """
    terms, known = extract_terms(item), frozenset(paths)
    picked = tuple(path for path in picked if path in known)
    past = weigh_past(read_history(root) if terms else (), terms, known)
    ranked = rank_files(root, paths, terms, past, picked)
    findings = tuple(file for file in ranked if file.count or file.path in picked)
    return Survey(root, findings[:40], ranked[:60], picked)


def estimate_size(findings: Sequence[FoundFile]) -> tuple[str, str] | None:
    """Estimate scope by files and folders, complexity by folders and tests; None without a likely file."""
    likely = likely_files(findings)
    if not likely:
        return None
    files, folders = len(likely), len({posixpath.dirname(path) for path in likely})
    is_large = files > _LARGE_FILES or folders > _LARGE_FOLDERS
    is_small = files <= _SMALL_FILES and folders <= _SMALL_FOLDERS
    scope = "large" if is_large else "small" if is_small else "medium"
    is_tested = any(file_kind(each.path) == "test" for each in _strong_files(findings))
    points = (folders > _SMALL_FOLDERS) + (folders > _LARGE_FOLDERS) + (not is_tested)
    complexity = "low" if points == 0 else "high" if points > 2 else "medium"
    return scope, complexity


def likely_files(findings: Sequence[FoundFile]) -> tuple[str, ...]:
    """Return the paths with a high score that a change would have to edit: no tests, no documents."""
    strong = (each.path for each in _strong_files(findings))
    return tuple(path for path in strong if file_kind(path) in ("source", "config"))


def _strong_files(findings: Sequence[FoundFile]) -> list[FoundFile]:
    least = max((each.score for each in findings), default=0.0) / 2
    return [each for each in findings if each.score >= least and each.count]


def draft_answer(survey: Survey, step_id: str, label: str) -> str | None:
    """Return the draft answer to a step's question; None if the survey suggests nothing."""
    match (step_id, label.strip().casefold()):
        case ("00-02", "files"):
            places = [*islice(_cite_files(survey, survey.findings), 5)]
            return f"{'; '.join(places)}." if places else None
        case ("00-03", "scope" | "complexity" as asked) if size := estimate_size(survey.findings):
            return f"{size[0]}, complexity: {size[1]}" if asked == "scope" else size[1]
        case ("02-01", "touched") | ("02-11", "cause") | ("02-21", "places"):
            likely = survey.picked or likely_files(survey.findings)
            surely = (file for file in survey.radius if file.path in likely)
            maybe = (file for file in survey.radius[:20] if file.path not in likely)
            chosen = (("Likely", surely, 4), ("Possibly", maybe, 3))
            cited = ((word, [*islice(_cite_files(survey, files), most)]) for word, files, most in chosen)
            return " ".join(f"{word}: {join_names(places)}." for word, places in cited if places) or None
    return None


def _cite_files(survey: Survey, files: Iterable[FoundFile]) -> Iterator[str]:
    """Yield a citation of each file's best line that is still as it was found; changelogs are skipped."""
    for file in (each for each in files if not _PAST_CHANGES.search(each.path)):
        rows = [b"", *(read_text(survey.root, file.path) or b"").split(b"\n")]
        there = (line for line in file.lines if line.number < len(rows))
        current = (line for line in there if make_line(file.path, line.number, rows[line.number]) == line)
        yield from map(cite, islice(current, 1))


def cite(line: CodeLine) -> str:
    """Return `path:line` as inline code; bytes that cannot be decoded are spelled `\\xff`."""
    path = os.fsencode(line.path).decode("utf-8", "backslashreplace")
    path = re.sub(r"[\x00-\x1f\x7f]", lambda match: f"\\x{ord(match[0]):02x}", path)
    text = " ".join(strip_unprintable(f"{path}:{line.number}").split())
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    pad = " " if text.startswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"
