"""Errors: a table of what can fail, when, and what the person sees then."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from .entries import read_chains, split_entries, split_named_entries, join_lines
from .ids import ERRORS, KnownId, assign_ids, list_withdrawn, list_rows, stem_words
from .page import (
    SectionContext,
    write_labelled,
    write_open_questions,
    join_section,
    write_table,
    write_withdrawn,
)

ERRORS_LABEL, MESSAGES = "Errors", "Messages"
_HEADER = ("Id", "Error", "When", "What the person sees")
_CODE = re.compile(r"`([^`]+)`")
_QUOTED = re.compile(r"\"([^\"]+)\"|“([^“”]+)”|„([^„“”]+)[“”]|「([^「」]+)」")
_WORD_START = re.compile(r"(?<=[a-z])(?=[A-Z])|_")


def taxonomy(sheet: SectionContext) -> str:
    """A row for each error that has a name, then the other answers under their labels."""
    found = _named_errors(sheet.text(ERRORS_LABEL))
    document = sheet.documents.get(ERRORS, "")
    known = [KnownId(row.id, row.cells[0]) for row in list_rows(document, "E") if row.cells]
    given = assign_ids(
        "E", [name for name, _ in found], [*known, *list_withdrawn(document, "E")], core=_split_name
    )
    seen = _match_messages([f"{name} {when}" for name, when in found], sheet.text(MESSAGES))
    lines = [
        (identity, name, when, seen.get(place, ""))
        for place, (identity, (name, when)) in enumerate(zip(given.ids, found, strict=True))
    ]
    silent = [row[0] for row in lines if not row[3]]
    asked = [f"What does the person see for {', '.join(silent)}?"] if silent else []
    rest = sheet.without(ERRORS_LABEL) if found else sheet.answers
    lost = write_withdrawn(given.withdrawn)
    return join_section(
        [write_table(_HEADER, lines)] if lines else [],
        write_labelled(rest),
        lost,
        write_open_questions(sheet.answers, asked),
    )


def _named(text: str) -> tuple[tuple[str, str], ...]:
    """The errors in an answer, each with its name: `Name: cause`, or a name in code within a sentence."""
    if pairs := split_named_entries(text):
        return pairs
    code = [(_CODE.search(part), part) for part in split_entries(text)]
    found = [(match[0], part) for match, part in code if match]
    if len(found) == len(code):
        return tuple(found)
    return ((found[0][0], join_lines(text)),) if len(found) == 1 else ()


def _seen(errors: Sequence[str], messages: str) -> dict[int, str]:
    """The words that a person reads, by the place of the error whose words they share; else none."""
    quoted = ["".join(groups) for groups in _QUOTED.findall(messages)]
    if not quoted:
        return {}
    words = stem_words(join_lines(messages))
    close = [len(stem_words(_split_name(error)) & words) for error in errors]
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


def data_flow(sheet: SectionContext) -> str:
    """The answers under their labels, the flow with its diagram."""
    parts = []
    for answer in sheet.answers:
        parts.append(write_labelled([answer]))
        if answer.label == FLOW and not answer.unknown:
            parts.append(draw_flow(read_chains(answer.text)))
    return join_section(*parts, write_open_questions(sheet.answers))


def diagram(found: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """A mermaid flowchart of the chains; none where there are none."""
    if not found:
        return ()
    stations = dict.fromkeys(station for chain in found for station in chain)
    names = {station: f"s{number}" for number, station in enumerate(stations, 1)}
    nodes = [f'    {name}["{_label(station)}"]' for station, name in names.items()]
    edges = [
        f"    {names[join_lines]} --> {names[next_]}"
        for chain in found
        for join_lines, next_ in pairwise(chain)
    ]
    return ("\n".join(["```mermaid", "flowchart LR", *nodes, *dict.fromkeys(edges), "```"]),)


def _label(station: str) -> str:
    line = " ".join(station.split())
    if len(line) > _LONGEST:
        line = line[:_LONGEST].rsplit(" ", 1)[0] + "…"
    return _SIGN.sub(lambda sign: _SIGNS[sign[0]], line)
