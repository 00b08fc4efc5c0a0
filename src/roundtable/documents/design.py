"""The sections of architecture and design: decision records, the data flow, the errors."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from itertools import pairwise

from ..core.text import escape_markdown, unescape_markdown
from ..core.validation import is_settled
from .entries import (
    join_lines,
    list_entries,
    read_chains,
    split_entries,
    split_lines,
    split_named_entries,
    split_sentences,
    strip_punctuation,
)
from .ids import (
    ERRORS,
    OVERVIEW,
    AssignedIds,
    KnownId,
    assign_ids,
    list_decisions,
    list_rows,
    list_withdrawn,
)
from .outline import section_text
from .page import (
    DraftContext,
    capitalise,
    join_section,
    write_bullets,
    write_labelled,
    write_open_questions,
    write_table,
    write_title,
    write_withdrawn,
)

DECISION, CHOICE = "Decision", "Choice"
_CONTEXT = ("Forces", "Options", "Third Way", "Reason", "Rejected")
_STATUS = "**Status**: decided"
_REASON = re.compile(
    r",?(?<!\s)\s(?:because|since|so that|as it|as we|as this|unless|if|over|instead of)\b.*", re.DOTALL
)
_WE = re.compile(
    r"^(?:(?:we|i)(?:'ll|'d| will| would| should| want to| are going to)? |let's |it will be )"
    r"(?:(?:take|choose|go with|go for|decide (?:for|on)|prefer) )?",
    re.IGNORECASE,
)
_OPTION = re.compile(
    r"\boption\s+(?P<letter>[A-Z])\b[\s:,-]*+(?P<text>.*?)"
    r"(?=,?(?:(?<!\s)\s+)?(?:over\s{1,9})?\boption\s{1,9}[A-Z]\b|[;\n]|$)",
    re.IGNORECASE | re.DOTALL,
)
# The letter that a sentence begins with or consists of is the option taken: "B, because ...", "So A."
_TAKEN = re.compile(
    r"(?:^|[.;]\s{1,9})(?:so |therefore )?(?:(?:i|we) (?:take|choose|prefer) )?(?:option )?(?P<letter>[A-H])"
    r"(?=[.,;]|\s{1,9}because\b|\s{0,9}$)",
    re.IGNORECASE,
)


def write_options(context: DraftContext) -> str:
    """Write the decision among the options as a record; what was weighed before it, what follows after it."""
    text = context.text(DECISION)
    records = [(_name_option(context.text("Options") or text, text), text)] if text else []
    return _write_records(context, records, DECISION)


def write_technology(context: DraftContext) -> str:
    """Write the technology that was chosen as a record; one for each entry of a list."""
    text = context.text(CHOICE)
    if is_settled(text):
        return join_section(write_labelled(context.answers), write_open_questions(context.answers))
    choices = list_entries(text) or ((text,) if text else ())
    return _write_records(context, [(_name_decision(choice), choice) for choice in choices], CHOICE)


def _write_records(context: DraftContext, found: Sequence[tuple[str, str]], label: str) -> str:
    """Write a record for each decision, given by its title and its words."""
    given = _assign_record_ids(context, [name for name, _ in found])
    rest = [each for each in context.without(label) if not each.unknown]
    weighed = [each for each in rest if each.label in _CONTEXT]
    consequences = [each for each in rest if each.label not in _CONTEXT]
    is_alone = len(found) == 1
    parts: list[str] = []
    for identity, (name, text) in zip(given.ids, found, strict=True):
        lines = split_lines(text)
        parts += [f"### {identity}: {write_title(name)}", _STATUS]
        if is_alone and weighed:
            parts += ["#### Context", *write_labelled(weighed)]
        parts += [
            "#### Decision",
            write_bullets(lines) if len(lines) > 1 else escape_markdown(join_lines(text)),
        ]
        if is_alone and consequences:
            parts += ["#### Consequences", *write_labelled(consequences)]
    if len(found) > 1 and rest:
        parts.append("### Common to These Decisions")
    if not is_alone:
        parts += write_labelled(rest)
    more = write_open_questions(context.answers)
    head = ["### Open Points"] if found and more else []
    return join_section(parts, head, more, write_withdrawn(given.withdrawn))


def _assign_record_ids(context: DraftContext, titles: Sequence[str]) -> AssignedIds:
    """Return ids for the records of this section; those of other sections are taken."""
    document = context.documents.get(OVERVIEW, "")
    own = section_text(document, context.target.section)
    mine = [*list_decisions({OVERVIEW: own}), *list_withdrawn(own, "ADR")]
    taken = [each.id for each in (*list_decisions(context.documents), *list_withdrawn(document, "ADR"))]
    return assign_ids(
        "ADR", titles, mine, taken=taken, core=lambda text: unescape_markdown(write_title(text))
    )


def _name_option(weighed: str, decision: str) -> str:
    """Return the words of the option that the decision names; where it names none, its beginning."""
    options = {each["letter"].upper(): each["text"] for each in _OPTION.finditer(weighed)}
    taken = [each["letter"].upper() for each in _TAKEN.finditer(decision.strip())]
    return capitalise(_first_clause(options.get(taken[-1], "")) if taken else "") or _name_decision(decision)


def _first_clause(text: str) -> str:
    """Return the first sentence or clause; empty where the text has no words, as `;` has none."""
    clauses = (sentence for entry in split_entries(text) for sentence in split_sentences(entry))
    return strip_punctuation(next(clauses, ""))


def _name_decision(text: str) -> str:
    """Return what was decided, as a title: without who decided it, and without the reason."""
    clause = _first_clause(text)
    named = strip_punctuation(_REASON.sub("", _WE.sub("", clause, count=1), count=1))
    return capitalise(named if len(named) > len("yes") else clause)


ERRORS_LABEL = "Errors"
_ERROR_COLUMNS = ("Id", "Error", "When")
_CODE = re.compile(r"`([^`]+)`")
_WORD_START = re.compile(r"(?<=[a-z])(?=[A-Z])|_")


def write_errors(context: DraftContext) -> str:
    """Write a row for each error that has a name, then the other answers under their labels."""
    found = _read_errors(context.text(ERRORS_LABEL))
    document = context.documents.get(ERRORS, "")
    known = [KnownId(row[0], row[1]) for row in list_rows(document, "E")]
    known += list_withdrawn(document, "E")
    # `ScaleOffline` has the words of `Scale Offline`.
    given = assign_ids("E", [name for name, _ in found], known, core=partial(_WORD_START.sub, " "))
    return join_section(
        write_table(_ERROR_COLUMNS, [(each, *pair) for each, pair in zip(given.ids, found, strict=True)]),
        write_labelled(context.without(ERRORS_LABEL) if found else context.answers),
        write_open_questions(context.answers),
        write_withdrawn(given.withdrawn),
    )


def _read_errors(text: str) -> tuple[tuple[str, str], ...]:
    """Return each error with its name: `Name: cause`, or a name in code within a sentence."""
    if pairs := split_named_entries(text):
        return pairs
    code = [(_CODE.search(part), part) for part in split_entries(text)]
    found = [(match[0], part) for match, part in code if match]
    if len(found) == len(code):
        return tuple(found)
    return ((found[0][0], join_lines(text)),) if len(found) == 1 else ()


_LONGEST_STATION = 80
# Mermaid reads these even inside quotes; its own entities show them as they are.
_SIGNS = str.maketrans(
    {sign: f"#{ord(sign)};" for sign in "#`\\;%"} | {'"': "#quot;", "<": "#lt;", ">": "#gt;"}
)


def write_data_flow(context: DraftContext) -> str:
    """Write the answers under their labels, the flow with its diagram."""
    parts: list[str] = []
    for answer in context.answers:
        parts += write_labelled([answer])
        if answer.label == "Flow" and not answer.unknown:
            parts.append(_draw_flow(read_chains(answer.text)))
    return join_section(parts, write_open_questions(context.answers))


def _draw_flow(chains: Sequence[Sequence[str]]) -> str:
    """Draw a mermaid flowchart of the chains; empty where there are none."""
    stations = dict.fromkeys(station for chain in chains for station in chain)
    names = {station: f"s{number}" for number, station in enumerate(stations, 1)}
    nodes = [f'    {name}["{_label_station(station)}"]' for station, name in names.items()]
    edges = [f"    {names[one]} --> {names[after]}" for chain in chains for one, after in pairwise(chain)]
    return "\n".join(["```mermaid", "flowchart LR", *nodes, *dict.fromkeys(edges), "```"]) if chains else ""


def _label_station(station: str) -> str:
    line = " ".join(station.split())
    if len(line) > _LONGEST_STATION:
        line = line[:_LONGEST_STATION].rsplit(" ", 1)[0] + "…"
    return line.translate(_SIGNS)
