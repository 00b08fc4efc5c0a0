"""What a survey finds, and what it suggests: a draft answer to a question, an estimate of the size."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Literal

from msgspec import Struct

from ..core.lines import join_names
from ..core.text import strip_unprintable
from .files import file_kind, read_text

Scope = Literal["small", "medium", "large"]
Complexity = Literal["low", "medium", "high"]
_STRONG = 0.5
_SMALL_FILES, _LARGE_FILES = 3, 9
_SMALL_FOLDERS, _LARGE_FOLDERS = 2, 6
_SOME_USERS, _MANY_USERS = 5, 20
_MAX_PLACES = 5  # in a draft answer
_LONGEST_LINE = 400
_PAST_CHANGES = re.compile(r"(?i)(?:^|/)(?:change(?:s|log)|history|news|release[-_]?notes)\b[^/]*$")


class CodeLine(Struct, frozen=True):
    """One line of a file, counted from 1, with its text as it stood."""

    path: str
    number: int
    text: str


def make_line(path: str, number: int, line: bytes) -> CodeLine:
    """Return a line as a survey cites it: cut where it is very long."""
    return CodeLine(path, number, line[:_LONGEST_LINE].decode("utf-8", "replace").strip())


def first_line(path: str, data: bytes) -> CodeLine:
    """Return the first line of a file that is not empty."""
    rest = data.lstrip()
    return make_line(path, data[: len(data) - len(rest)].count(b"\n") + 1, rest.partition(b"\n")[0])


class FoundFile(Struct, frozen=True):
    """A file that the item may touch: how strongly, how often its terms occur, and its best lines first."""

    path: str
    score: float
    count: int
    lines: tuple[CodeLine, ...]
    picked: bool = False  # by a panel: then it counts whatever its words say


class SizeEstimate(Struct, frozen=True):
    """How large and how tricky the change looks, and how many other files use what looks touched."""

    scope: Scope
    complexity: Complexity
    users: str = ""


class Survey(Struct, frozen=True):
    """What one look at the project's files says about an item."""

    root: Path
    findings: tuple[FoundFile, ...]  # what the item's terms lead to
    radius: tuple[FoundFile, ...]  # all that it may touch, in the order of 02-01
    size: SizeEstimate | None  # None where no file looks touched


def estimate_size(findings: Sequence[FoundFile], users: Collection[str] | None) -> SizeEstimate | None:
    """Estimate scope and complexity; None without a file to edit. Unknown users give no figure and no low."""
    likely = likely_files(findings)
    if not likely:
        return None
    folders = {posixpath.dirname(path) for path in likely}
    using = {path for path in users or () if file_kind(path) != "test"} - set(likely)
    is_tested = any(file_kind(path) == "test" for path in users or ())
    is_large = len(likely) > _LARGE_FILES or len(folders) > _LARGE_FOLDERS
    is_small = len(likely) <= _SMALL_FILES and len(folders) <= _SMALL_FOLDERS
    scope: Scope = "large" if is_large else "small" if is_small else "medium"
    points = (len(using) > _SOME_USERS) + (len(using) > _MANY_USERS) + (not is_tested)
    points += (len(folders) > _SMALL_FOLDERS) + (len(folders) > _LARGE_FOLDERS)
    is_low = points <= 1 and users is not None
    complexity: Complexity = "high" if points > 2 else "low" if is_low else "medium"
    return SizeEstimate(scope, complexity, "" if users is None else f"other files that use it: {len(using)}")


def likely_files(findings: Sequence[FoundFile]) -> tuple[str, ...]:
    """Return the findings that a change would have to edit, as picked or by score: no tests, no documents."""
    least = findings[0].score * _STRONG if findings else 0.0
    picked = [each for each in findings if each.picked]
    likely = picked or [each for each in findings if each.score >= least and each.count]
    return tuple(each.path for each in likely if file_kind(each.path) in ("source", "config"))


def draft_answer(survey: Survey, step_id: str, label: str) -> str | None:
    """Return the draft answer to a question of a step, None where the survey suggests nothing."""
    match (step_id, label.strip().casefold()):
        case ("00-02", "files"):
            places = [*islice(_cite_files(survey, survey.findings), _MAX_PLACES)]
            return f"{'; '.join(places)}." if places else None
        case ("00-03", "scope") if (size := survey.size) is not None:
            return f"{size.scope}, complexity: {size.complexity}"
        case ("00-03", "complexity") if (size := survey.size) is not None:
            return "; ".join(filter(None, (size.complexity, size.users)))
        case ("02-01", "touched") | ("02-11", "cause") | ("02-21", "places"):
            likely = likely_files(survey.findings)
            surely = (file for file in survey.radius if file.path in likely)
            maybe = (file for file in survey.radius[:20] if file.path not in likely)
            chosen = (("Likely", surely, 4), ("Possibly", maybe, 3))
            cited = ((word, [*islice(_cite_files(survey, files), most)]) for word, files, most in chosen)
            return " ".join(f"{word}: {join_names(places)}." for word, places in cited if places) or None
    return None


def _cite_files(survey: Survey, files: Iterable[FoundFile]) -> Iterator[str]:
    """Yield of each file the best line that is still as it was found; a list of past changes is no place."""
    for file in (each for each in files if not _PAST_CHANGES.search(each.path)):
        rows = [b"", *(read_text(survey.root, file.path) or b"").split(b"\n")]
        there = (line for line in file.lines if line.number < len(rows))
        current = (line for line in there if make_line(file.path, line.number, rows[line.number]) == line)
        yield from map(cite, islice(current, 1))


def cite(line: CodeLine) -> str:
    """Return a place in the code as everybody writes it; a byte that is no letter is spelled `\\xff`."""
    path = os.fsencode(line.path).decode("utf-8", "backslashreplace")
    path = re.sub(r"[\x00-\x1f\x7f]", lambda match: f"\\x{ord(match[0]):02x}", path)
    text = " ".join(strip_unprintable(f"{path}:{line.number}").split())
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    pad = " " if text.startswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"
