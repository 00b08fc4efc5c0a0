"""The sections of architecture and design: decision records and errors."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..core.synthesis import NO_REASON
from ..core.text import escape_markdown, unescape_markdown
from ..core.validation import is_settled, says_none
from .blocks import find_elaboration_blocks
from .entries import (
    list_entries,
    split_entries,
    split_lines,
    split_named_entries,
    split_sentences,
    strip_punctuation,
)
from .ids import (
    ERRORS,
    OVERVIEW,
    SUMMARY,
    AssignedIds,
    KnownId,
    assign_ids,
    list_records,
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
    write_paragraph,
    write_table,
    write_title,
    write_withdrawn,
)

DECISION, CHOICE = "Decision", "Choice"
_CONTEXT = ("Forces", "Options", "Third Way", "Reason", "Rejected")
_STATUS = "**Status**: decided"
_REASON = re.compile(
    r",?(?<!\s)\s(?:because|since|so that|as it|as we|as this|over|instead of)\b.*", re.DOTALL
)
_WE = re.compile(
    r"^(?:as |by |(?:we|i)(?:'ll|'d| will| would| should| want to| are going to)? |let's |it will be )"
    r"(?:(?:take|choose|go with|go for|decide (?:for|on)|prefer) )?",
    re.IGNORECASE,
)
_REJECTS = re.compile(
    r"\b(?:turn(?:ed)? down|reject(?:ed)?|rul(?:e|ed) out|decid(?:e|ed) against|do not take)\b", re.IGNORECASE
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
        said = [escape_markdown(text)] if says_none(text) else []
        return join_section(said, write_labelled(context.answers), write_open_questions(context.answers))
    choices = list_entries(text) or ((text,) if text else ())
    return _write_records(context, [(_name_decision(choice), choice) for choice in choices], CHOICE)


def write_review(context: DraftContext) -> str:
    """Write the answers, then a record for each decision of a discussion that has none elsewhere."""
    section = section_text(context.documents.get(context.target.output, ""), context.target.section)
    own = {each.id for each in list_records({OVERVIEW: section})}
    others = {each.text for each in list_records(context.documents) if each.id not in own}
    made: dict[str, tuple[str, str]] = {}
    for file, page in context.documents.items():
        for block in find_elaboration_blocks(file, page):
            for _, line in block.decisions():
                words = unescape_markdown(line)
                name = unescape_markdown(write_title(_name_decision(words.partition(": ")[0])))
                if name not in others:
                    made[name] = words, block.step_id
    given = _assign_record_ids(context, list(made))
    parts: list[str] = []
    for identity, (name, (words, step_id)) in zip(given.ids, made.items(), strict=True):
        decision, _, reason = words.partition(": ")
        parts += [f"### {identity}: {write_title(name)}", f"{_STATUS} in the roundtable on step {step_id}"]
        parts += ["#### Decision", escape_markdown(f"{decision.rstrip('.')}.")]
        parts += [write_paragraph("Reason", capitalise(reason))] if reason not in ("", NO_REASON) else []
    return join_section(
        write_labelled(context.answers),
        write_open_questions(context.answers),
        parts,
        write_withdrawn(given.withdrawn),
    )


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
        sentences = split_sentences(text) if len(lines) == 1 else ()
        rejected = [each for each in sentences if _REJECTS.search(each)]
        rejected = rejected if len(rejected) < len(sentences) else []
        taken = " ".join(each for each in sentences if each not in rejected)
        parts += ["#### Decision", write_bullets(lines) if len(lines) > 1 else escape_markdown(taken)]
        parts += ["#### Turned Down", escape_markdown(" ".join(rejected))] if rejected else []
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
    own = section_text(context.documents.get(context.target.output, ""), context.target.section)
    every = [context.documents.get(file, "") for file in (OVERVIEW, SUMMARY)]
    withdrawn = [each for text in every for each in list_withdrawn(text, "ADR")]
    return assign_ids(
        "ADR",
        [unescape_markdown(write_title(title)) for title in titles],
        [*list_records({OVERVIEW: own}), *list_withdrawn(own, "ADR")],
        taken=[each.id for each in (*list_records(context.documents), *withdrawn)],
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
    """Return what was decided, as a title: without who decided it, without the reason."""
    clause = _first_clause(text)
    named = strip_punctuation(_REASON.sub("", _WE.sub("", clause, count=1), count=1))
    return capitalise(named if len(named) > len("yes") else clause)


ERRORS_LABEL = "Errors"
_CODE = re.compile(r"`([^`]+)`")


def write_errors(context: DraftContext) -> str:
    """Write a row for each error that has a name, then the other answers under their labels."""
    text = context.text(ERRORS_LABEL)
    code = [(_CODE.search(part), part) for part in split_entries(text)]
    found = split_named_entries(text) or tuple((name[0], part) for name, part in code if name)
    if len(found) < len(code) and not split_named_entries(text):
        found = ()  # an entry without a name would be lost
    document = context.documents.get(ERRORS, "")
    known = [KnownId(row[0], row[1]) for row in list_rows(document, "E")]
    given = assign_ids("E", [name for name, _ in found], [*known, *list_withdrawn(document, "E")])
    return join_section(
        write_table(
            ("Id", "Error", "When"), [(each, *pair) for each, pair in zip(given.ids, found, strict=True)]
        ),
        write_labelled(context.without(ERRORS_LABEL) if found else context.answers),
        write_open_questions(context.answers),
        write_withdrawn(given.withdrawn),
    )
