"""Decision records: what was decided, out of what, and what follows from it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..core.commands import Answer
from ..core.text import unescape_markdown
from .entries import (
    strip_punctuation,
    split_entries,
    split_lines,
    list_entries,
    join_lines,
    split_sentences,
)
from .ids import OVERVIEW, AssignedIds, assign_ids, list_withdrawn, list_decisions
from .page import (
    SectionContext,
    write_bullets,
    capitalise,
    write_labelled,
    write_open_questions,
    write_paragraph,
    show_words,
    join_section,
    write_title,
    write_withdrawn,
)

DECISION, CHOICE = "Decision", "Choice"
_CONTEXT = ("Forces", "Options", "Third Way", "Reason", "Rejected")
_STATUS = "**Status**: decided; the approval stands under Review."
_OPTION = re.compile(
    r"\boption\s+(?P<letter>[A-Z])\b[\s:,-]*+(?P<text>.*?)"
    r"(?=,?(?:(?<!\s)\s+)?(?:over\s{1,9})?\boption\s{1,9}[A-Z]\b|[;\n]|$)",
    re.IGNORECASE | re.DOTALL,
)
_LETTER = re.compile(r"(?:[Oo]ption\s+)?(?P<letter>[A-H])(?=[.,;:\s]|$)(?!\s+[a-z]+\s+[a-z])")
# "Option A: ... Option B: ... B, because ...": the letter that stands alone at the end is the one taken.
_VERDICT = re.compile(r"[.;]\s+(?:so\s+|therefore\s+)?(?P<letter>[A-H])(?=,|\.|\s+because\b|\s*$)")
_TAKES = re.compile(r"\b(?:take|choose|prefer)\s+(?:option\s+)?(?P<letter>[A-H])\b")


def options(sheet: SectionContext) -> str:
    """The decision among the options as a record; what was weighed before it, what follows after it."""
    text = sheet.text(DECISION)
    if not text:
        return _write_undecided(sheet, DECISION)
    return _write_records(sheet, [(_find_chosen_option(sheet.text("Options") or text, text), text)], DECISION)


def technology(sheet: SectionContext) -> str:
    """The technology that was chosen as a record; one for each entry of a list."""
    text = sheet.text(CHOICE)
    if not text:
        return _write_undecided(sheet, CHOICE)
    choices = list_entries(text) or (text,)
    return _write_records(sheet, [(_first_clause(choice), choice) for choice in choices], CHOICE)


def review(sheet: SectionContext) -> str:
    """Which decisions are reviewed, and the answers on them."""
    records = list_decisions(sheet.documents)
    named = ", ".join(f"{each.id} ({show_words(each.text)})" for each in records)
    return join_section(
        [f"Decisions under review: {named}."] if named else [],
        write_labelled(sheet.answers),
        write_open_questions(sheet.answers),
    )


def _records(sheet: SectionContext, found: Sequence[tuple[str, str]], label: str) -> str:
    given = _give_ids(sheet, [name for name, _ in found])
    rest = [each for each in sheet.without(label) if not each.unknown]
    context = [each for each in rest if each.label in _CONTEXT]
    consequences = [each for each in rest if each.label not in _CONTEXT]
    parts: list[str] = []
    for identity, (name, text) in zip(given.ids, found, strict=True):
        alone = len(found) == 1
        parts += [f"### {identity}: {write_title(name)}", _STATUS]
        parts += _part("Context", context) if alone else []
        parts += ["#### Decision", _words(text)]
        parts += _part("Consequences", consequences) if alone else []
    if len(found) > 1 and rest:
        parts += ["### Common to These Decisions", *write_labelled(rest)]
    more = (*write_withdrawn(given.withdrawn), *write_open_questions(sheet.answers))
    return join_section(parts, ["### Open Points"] if more else [], more)


def _given(sheet: SectionContext, titles: Sequence[str]) -> AssignedIds:
    """Ids for the records of this section; those of other sections are taken."""
    document = sheet.documents.get(OVERVIEW, "")
    own = list_decisions({OVERVIEW: _own_part(document, sheet.target.section)})
    everything = (*list_decisions(sheet.documents), *list_withdrawn(document, "ADR"))
    mine = [*own, *list_withdrawn(_own_part(document, sheet.target.section), "ADR")]
    return assign_ids("ADR", titles, mine, taken=[each.id for each in everything], core=_heading)


def _heading(text: str) -> str:
    return unescape_markdown(write_title(text))


def _own_part(document: str, heading: str) -> str:
    """What stands under the section's heading."""
    name = re.sub(r"^[\d.]+\s+", "", heading)
    parts = re.split(r"(?m)^## +(?:[\d.]+\s+)?", document)
    return next((part for part in parts[1:] if part.split("\n", 1)[0].strip() == name), "")


def _undecided(sheet: SectionContext, label: str) -> str:
    gone_or_there = _give_ids(sheet, ()).withdrawn
    rest = write_labelled(sheet.without(label))
    return join_section(rest, write_withdrawn(gone_or_there), write_open_questions(sheet.answers))


def _part(heading: str, answers: Sequence[Answer]) -> list[str]:
    return [f"#### {heading}", *(_write_context(answer) for answer in answers)] if answers else []


def _weighed(answer: Answer) -> str:
    """An answer under its label, the options one below the other."""
    if answer.label != "Options" or len(split_lines(answer.text)) > 1:
        return write_paragraph(answer.label, answer.text)
    parts = re.split(r"(?<=[.;])\s+(?=option\s+[A-Z]\b)", answer.text, flags=re.IGNORECASE)
    if len(parts) < 2:
        return write_paragraph(answer.label, answer.text)
    return f"**Options**:\n\n{write_bullets(map(show_words, parts))}"


def _words(text: str) -> str:
    lines = split_lines(text)
    return show_words(join_lines(text)) if len(lines) < 2 else write_bullets(map(show_words, lines))


def _chosen(weighed: str, decision: str) -> str:
    """The words of the option that the decision names; the decision's own beginning where it names none."""
    letter = _TAKES.search(decision) or _VERDICT.search(decision) or _LETTER.match(decision.strip())
    named = letter["letter"].upper() if letter else ""
    for option in _OPTION.finditer(weighed):
        if named in ("", option["letter"].upper()) and option["text"].strip():
            return capitalise(_first_clause(option["text"]))
    return _first_clause(decision)


def _first(text: str) -> str:
    """Return the first sentence or clause; empty where the text has no words, as `;` has none."""
    clauses = [sentence for entry in split_entries(text) for sentence in split_sentences(entry)]
    return strip_punctuation(clauses[0]) if clauses else ""
