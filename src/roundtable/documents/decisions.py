"""Decision records: what was decided, out of what, and what follows from it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..core.commands import Answer
from ..core.text import unescape_markdown
from .entries import bare, entries, lines_of, listed, one, sentences
from .ids import OVERVIEW, Given, give, gone, list_decisions
from .page import (
    Sheet,
    bullets,
    capital,
    labelled,
    open_questions,
    paragraph,
    said,
    section,
    title,
    withdrawn,
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


def options(sheet: Sheet) -> str:
    """The decision among the options as a record; what was weighed before it, what follows after it."""
    text = sheet.text(DECISION)
    if not text:
        return _undecided(sheet, DECISION)
    return _records(sheet, [(_chosen(sheet.text("Options") or text, text), text)], DECISION)


def technology(sheet: Sheet) -> str:
    """The technology that was chosen as a record; one for each entry of a list."""
    text = sheet.text(CHOICE)
    if not text:
        return _undecided(sheet, CHOICE)
    choices = listed(text) or (text,)
    return _records(sheet, [(_first(choice), choice) for choice in choices], CHOICE)


def review(sheet: Sheet) -> str:
    """Which decisions are reviewed, and the answers on them."""
    records = list_decisions(sheet.documents)
    named = ", ".join(f"{each.id} ({said(each.text)})" for each in records)
    return section(
        [f"Decisions under review: {named}."] if named else [],
        labelled(sheet.answers),
        open_questions(sheet.answers),
    )


def _records(sheet: Sheet, found: Sequence[tuple[str, str]], label: str) -> str:
    given = _given(sheet, [name for name, _ in found])
    rest = [each for each in sheet.without(label) if not each.unknown]
    context = [each for each in rest if each.label in _CONTEXT]
    consequences = [each for each in rest if each.label not in _CONTEXT]
    parts: list[str] = []
    for identity, (name, text) in zip(given.ids, found, strict=True):
        alone = len(found) == 1
        parts += [f"### {identity}: {title(name)}", _STATUS]
        parts += _part("Context", context) if alone else []
        parts += ["#### Decision", _words(text)]
        parts += _part("Consequences", consequences) if alone else []
    if len(found) > 1 and rest:
        parts += ["### Common to These Decisions", *labelled(rest)]
    more = (*withdrawn(given.withdrawn), *open_questions(sheet.answers))
    return section(parts, ["### Open Points"] if more else [], more)


def _given(sheet: Sheet, titles: Sequence[str]) -> Given:
    """Ids for the records of this section; those of other sections are taken."""
    document = sheet.documents.get(OVERVIEW, "")
    own = list_decisions({OVERVIEW: _own_part(document, sheet.target.section)})
    everything = (*list_decisions(sheet.documents), *gone(document, "ADR"))
    mine = [*own, *gone(_own_part(document, sheet.target.section), "ADR")]
    return give("ADR", titles, mine, taken=[each.id for each in everything], core=_heading)


def _heading(text: str) -> str:
    return unescape_markdown(title(text))


def _own_part(document: str, heading: str) -> str:
    """What stands under the section's heading."""
    name = re.sub(r"^[\d.]+\s+", "", heading)
    parts = re.split(r"(?m)^## +(?:[\d.]+\s+)?", document)
    return next((part for part in parts[1:] if part.split("\n", 1)[0].strip() == name), "")


def _undecided(sheet: Sheet, label: str) -> str:
    gone_or_there = _given(sheet, ()).withdrawn
    rest = labelled(sheet.without(label))
    return section(rest, withdrawn(gone_or_there), open_questions(sheet.answers))


def _part(heading: str, answers: Sequence[Answer]) -> list[str]:
    return [f"#### {heading}", *(_weighed(answer) for answer in answers)] if answers else []


def _weighed(answer: Answer) -> str:
    """An answer under its label, the options one below the other."""
    if answer.label != "Options" or len(lines_of(answer.text)) > 1:
        return paragraph(answer.label, answer.text)
    parts = re.split(r"(?<=[.;])\s+(?=option\s+[A-Z]\b)", answer.text, flags=re.IGNORECASE)
    if len(parts) < 2:
        return paragraph(answer.label, answer.text)
    return f"**Options**:\n\n{bullets(map(said, parts))}"


def _words(text: str) -> str:
    lines = lines_of(text)
    return said(one(text)) if len(lines) < 2 else bullets(map(said, lines))


def _chosen(weighed: str, decision: str) -> str:
    """The words of the option that the decision names; the decision's own beginning where it names none."""
    letter = _TAKES.search(decision) or _VERDICT.search(decision) or _LETTER.match(decision.strip())
    named = letter["letter"].upper() if letter else ""
    for option in _OPTION.finditer(weighed):
        if named in ("", option["letter"].upper()) and option["text"].strip():
            return capital(_first(option["text"]))
    return _first(decision)


def _first(text: str) -> str:
    """Return the first sentence or clause; empty where the text has no words, as `;` has none."""
    clauses = [sentence for entry in entries(text) for sentence in sentences(entry)]
    return bare(clauses[0]) if clauses else ""
