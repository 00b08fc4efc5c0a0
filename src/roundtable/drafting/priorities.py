"""Priorities: what must, should, could and won't be in the release, by requirement; and the trace of each."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence

from ..core.commands import Answer
from ..core.words import folded, words_of
from .likeness import share, tokens
from .page import labelled, open_questions, section, table
from .register import Requirement, requirements, stories
from .sheet import Sheet

PRIORITIES = ("Must", "Should", "Could", "Won't")
COLUMNS = ("requirement", "title", "priority", "stories", "acceptance", "section")
LABELS = ("Must", "Should and Could", "Should", "Could", "Won't")

_LABEL = re.compile(
    r"(?:^|(?<=[.;\n]))\s{0,40}+(?P<priority>must|should|could|won['’]?t)\s{0,40}+:", re.IGNORECASE
)
_ID = re.compile(r"\bFR-\d{3,}\b", re.IGNORECASE)
_EVERYTHING = frozenset({"all", "everything", "every", "alles", "alle"})
_CLOSE = 0.5
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")


def prioritization(sheet: Sheet) -> str:
    """A table of the requirements by priority, then the reasons in the user's words."""
    listed = requirements(sheet.documents)
    chosen = priorities(sheet.answers, listed)
    ordered = sorted(listed, key=lambda each: (PRIORITIES.index(chosen.get(each.id, "Won't")), each.id))
    rows = [(each.id, each.title, chosen[each.id]) for each in ordered if each.id in chosen]
    missing = [
        f"Must, should or could {each.id} be in the release?" for each in listed if each.id not in chosen
    ]
    head = [table(("Requirement", "What", "Priority"), rows)] if rows else []
    return section(head, labelled(sheet.answers), open_questions(sheet.answers, missing))


def trace(sheet: Sheet) -> str:
    """A row for each requirement: its priority, the stories it serves, its criteria, where it stands."""
    listed = requirements(sheet.documents)
    chosen = priorities(sheet.answers, listed)
    told = stories(sheet.documents)
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(COLUMNS)
    for each in listed:
        served = [story.id for story in told if each.id in story.requirements]
        met = [criterion.id for criterion in each.criteria]
        cells = (
            each.id,
            each.title,
            chosen.get(each.id, ""),
            "; ".join(served),
            "; ".join(met),
            "6. Functional Requirements",
        )
        rows.writerow([guarded(cell) for cell in cells])
    return out.getvalue()


def guarded(cell: str) -> str:
    """The cell as text on one line that no spreadsheet takes for a formula."""
    line = " ".join(cell.split())
    return f"'{line}" if line.startswith(_FORMULA) else line


def priorities(answers: Sequence[Answer], listed: Sequence[Requirement]) -> dict[str, str]:
    """The priority of each requirement that the answers name, by its id or by its words."""
    parts = list(_parts(answers))
    chosen: dict[str, str] = {}
    for priority, text in parts:
        for identity in _ID.findall(text):
            if any(each.id == identity.upper() for each in listed):
                chosen.setdefault(identity.upper(), priority)
    for each in listed:
        if each.id not in chosen and (priority := _by_words(each, parts, alone=len(listed) == 1)):
            chosen[each.id] = priority
    return chosen


def _by_words(requirement: Requirement, parts: Sequence[tuple[str, str]], *, alone: bool) -> str:
    """The priority of the part that says most of the requirement's words, else of the one that names all."""
    words = tokens(requirement.text)
    close = [
        (share(words, tokens(text)), -place) for place, (_, text) in enumerate(parts) if not _ID.search(text)
    ]
    best, place = max(close, default=(0.0, 0))
    if best >= _CLOSE:
        return parts[-place][0]
    every = (priority for priority, text in parts if alone or _EVERYTHING & set(words_of(text)))
    return next(every, "")


def _parts(answers: Sequence[Answer]) -> Iterator[tuple[str, str]]:
    """What the answers say of each priority: their own labels first, else the question's."""
    for answer in answers:
        if answer.unknown or folded(answer.label) not in map(folded, LABELS):
            continue
        default = next(each for each in PRIORITIES if folded(answer.label).startswith(folded(each)))
        starts = list(_LABEL.finditer(answer.text))
        ends = [*(found.start() for found in starts[1:]), len(answer.text)]
        before = answer.text[: starts[0].start()] if starts else answer.text
        if before.strip():
            yield default, before
        for found, end in zip(starts, ends, strict=False):
            named = folded(found["priority"]).replace("'", "")
            priority = next(each for each in PRIORITIES if folded(each).replace("'", "") == named)
            yield priority, answer.text[found.end() : end]
