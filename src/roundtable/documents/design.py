"""Errors: a table of what can fail, when, and what the person sees then."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from .entries import chains, entries, named_entries, one
from .ids import ERRORS, Known, give, gone, rows, tokens
from .page import Sheet, labelled, open_questions, section, table, withdrawn

LABEL, MESSAGES = "Errors", "Messages"
_HEADER = ("Id", "Error", "When", "What the person sees")
_CODE = re.compile(r"`([^`]+)`")
_QUOTED = re.compile(r"\"([^\"]+)\"|“([^“”]+)”|„([^„“”]+)[“”]|「([^「」]+)」")
_WORD_START = re.compile(r"(?<=[a-z])(?=[A-Z])|_")


def taxonomy(sheet: Sheet) -> str:
    """A row for each error that has a name, then the other answers under their labels."""
    found = _named(sheet.text(LABEL))
    document = sheet.documents.get(ERRORS, "")
    known = [Known(row.id, row.cells[0]) for row in rows(document, "E") if row.cells]
    given = give("E", [name for name, _ in found], [*known, *gone(document, "E")], core=_spelled)
    seen = _seen([f"{name} {when}" for name, when in found], sheet.text(MESSAGES))
    lines = [
        (identity, name, when, seen.get(place, ""))
        for place, (identity, (name, when)) in enumerate(zip(given.ids, found, strict=True))
    ]
    silent = [row[0] for row in lines if not row[3]]
    asked = [f"What does the person see for {', '.join(silent)}?"] if silent else []
    rest = sheet.without(LABEL) if found else sheet.answers
    lost = withdrawn(given.withdrawn)
    return section(
        [table(_HEADER, lines)] if lines else [], labelled(rest), lost, open_questions(sheet.answers, asked)
    )


def _named(text: str) -> tuple[tuple[str, str], ...]:
    """The errors in an answer, each with its name: `Name: cause`, or a name in code within a sentence."""
    if pairs := named_entries(text):
        return pairs
    code = [(_CODE.search(part), part) for part in entries(text)]
    found = [(match[0], part) for match, part in code if match]
    if len(found) == len(code):
        return tuple(found)
    return ((found[0][0], one(text)),) if len(found) == 1 else ()


def _seen(errors: Sequence[str], messages: str) -> dict[int, str]:
    """The words that a person reads, by the place of the error whose words they share; else none."""
    quoted = ["".join(groups) for groups in _QUOTED.findall(messages)]
    if not quoted:
        return {}
    words = tokens(one(messages))
    close = [len(tokens(_spelled(error)) & words) for error in errors]
    best = max(close, default=0)
    return {close.index(best): quoted[0]} if best or len(errors) == 1 else {}


def _spelled(name: str) -> str:
    """A name with its words apart: `ScaleOffline` is `Scale Offline`."""
    return _WORD_START.sub(" ", name)


FLOW = "Flow"
_LONGEST = 80
# Mermaid reads these even inside quotes; its own entities show them as they are.
_SIGNS = {
    "#": "#35;",
    '"': "#quot;",
    "`": "#96;",
    "<": "#lt;",
    ">": "#gt;",
    "\\": "#92;",
    ";": "#59;",
    "%": "#37;",
}
_SIGN = re.compile("|".join(map(re.escape, _SIGNS)))


def data_flow(sheet: Sheet) -> str:
    """The answers under their labels, the flow with its diagram."""
    parts = []
    for answer in sheet.answers:
        parts.append(labelled([answer]))
        if answer.label == FLOW and not answer.unknown:
            parts.append(diagram(chains(answer.text)))
    return section(*parts, open_questions(sheet.answers))


def diagram(found: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """A mermaid flowchart of the chains; none where there are none."""
    if not found:
        return ()
    stations = dict.fromkeys(station for chain in found for station in chain)
    names = {station: f"s{number}" for number, station in enumerate(stations, 1)}
    nodes = [f'    {name}["{_label(station)}"]' for station, name in names.items()]
    edges = [f"    {names[one]} --> {names[next_]}" for chain in found for one, next_ in pairwise(chain)]
    return ("\n".join(["```mermaid", "flowchart LR", *nodes, *dict.fromkeys(edges), "```"]),)


def _label(station: str) -> str:
    line = " ".join(station.split())
    if len(line) > _LONGEST:
        line = line[:_LONGEST].rsplit(" ", 1)[0] + "…"
    return _SIGN.sub(lambda sign: _SIGNS[sign[0]], line)
