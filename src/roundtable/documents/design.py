"""The sections of architecture and design: decision records and errors."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import zip_longest

from ..core import lazy_re as re
from ..core.synthesis import NO_REASON
from ..core.text import escape_markdown, unescape_markdown
from ..core.validation import is_settled, says_none
from .blocks import find_elaboration_blocks
from .entries import (
    join_lines,
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
_MAX_TITLE_WORDS = 16
_STRONG_END = re.compile(r"[,;:](?=\s)|\s(?:which|so)\b")
_JOINT = re.compile(r"\s(?:and|or|but|before|after|instead)\b")
_WEAK_END = re.compile(r"\s(?:with|from|for|in|on|at|by|to|into|as|of)\b")
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
    own = {each.id for each in list_decisions({OVERVIEW: _own_section(context)})}
    others = {each.text for each in list_decisions(context.documents) if each.id not in own}
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


def _own_section(context: DraftContext) -> str:
    return section_text(context.documents.get(context.target.output, ""), context.target.section)


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
    own = _own_section(context)
    mine = [*list_decisions({OVERVIEW: own}), *list_withdrawn(own, "ADR")]
    withdrawn = (
        each
        for file in (OVERVIEW, SUMMARY)
        for each in list_withdrawn(context.documents.get(file, ""), "ADR")
    )
    taken = [each.id for each in (*list_decisions(context.documents), *withdrawn)]
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
    """Return what was decided, as a title: without who decided it, without the reason."""
    clause = _first_clause(text)
    named = strip_punctuation(_REASON.sub("", _WE.sub("", clause, count=1), count=1))
    return capitalise(_shorten_title(named if len(named) > len("yes") else clause))


def _shorten_title(words: str) -> str:
    """Return at most 16 words that end where a part of the sentence ends: no title is cut off."""
    if len(words.split()) <= _MAX_TITLE_WORDS:
        return words
    for ends, least in ((_STRONG_END, 4), (_JOINT, 3), (_WEAK_END, 3)):
        starts = [words[: found.start()] for found in ends.finditer(words)]
        fitting = [each for each in starts if least <= len(each.split()) <= _MAX_TITLE_WORDS]
        if fitting:
            return strip_punctuation(fitting[0] if ends is _STRONG_END else fitting[-1])
    return " ".join(words.split()[:_MAX_TITLE_WORDS])


ERRORS_LABEL = "Errors"
_ERROR_COLUMNS = ("Id", "Error", "When")
_ERROR_NAME = re.compile(r"`(?:\w{1,60}\.){0,9}[A-Z]\w{1,80}`(?=\s?\(|\s(?:when|if|as|on|for|where|with)\b)")
_BRACKETED = re.compile(r"\A\(([^()]*)\)\Z")
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


def _split_sentence(text: str) -> tuple[tuple[str, str], ...]:
    """Return the errors that a sentence names in code, each with the words up to the next one."""
    names = list(_ERROR_NAME.finditer(text))
    told = []
    for name, after in zip_longest(names, names[1:]):
        words = text[name.end() : after.start() if after else None]
        words = words.strip(" ,.;:").removesuffix(" and").strip(" ,.;")
        told.append((name[0], _BRACKETED.sub(r"\1", words)))
    return tuple(told) if all(words for _, words in told) else ()


def _read_errors(text: str) -> tuple[tuple[str, str], ...]:
    """Return each error with its name: `Name: cause`, or a name in code within a sentence."""
    if pairs := split_named_entries(text) or _split_sentence(join_lines(text)):
        return pairs
    code = [(_CODE.search(part), part) for part in split_entries(text)]
    found = [(match[0], part) for match, part in code if match]
    if len(found) == len(code):
        return tuple(found)
    return ((found[0][0], join_lines(text)),) if len(found) == 1 else ()
