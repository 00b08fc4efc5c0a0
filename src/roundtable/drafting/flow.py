"""Data flow: the way of a value as a diagram, and the states around it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from .entries import chains
from .page import labelled, open_questions, section
from .sheet import Sheet

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
