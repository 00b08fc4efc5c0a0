"""Drafts: what a step writes into its sections, from its answers and the item's documents.

Most sections hold the answers under their labels. Those with a form of their own have a writer below, and a
row in the table at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from ..core import lazy_re as re
from ..core.commands import Answer, AskDraft
from ..core.depth import read_scope
from ..core.events import SectionText
from ..core.markers import NoneMarker
from ..core.synthesis import NO_REASON, mark_like, split_detail, strip_mark
from ..core.text import escape_markdown, fold_text, split_sentences, unescape_markdown, word_set, words_of
from ..core.validation import is_settled, says_none
from . import ids, page
from .blocks import find_entries
from .outline import find_labelled, prose_lines, section_text, strip_numbering
from .page import DraftContext


def draft(ask: AskDraft, documents: Mapping[str, str]) -> tuple[SectionText, ...]:
    """Return the text of every section that the step writes; `documents` are the item's files as they stand.

    No answer can stop a step: a section that cannot be drafted holds the answers as they are, and says so.
    """
    contexts = (DraftContext(ask.brief, target, ask.targets, documents) for target in ask.targets)
    sections = list(map(_draft_section, contexts))
    nones = [each for each in ask.brief.answers if not each.unknown and says_none(each.text)]
    pages = [at for at, each in enumerate(sections) if each.target.output.lower().endswith(".md")]
    if nones and pages:
        # Given, but nothing to read in a document: the marker tells that they are answered.
        first = sections[pages[0]]
        text = escape_markdown(nones[0].text) if first.text == page.NOTHING else first.text
        marker = NoneMarker(tuple(each.label.replace("*", "") for each in nones))
        sections[pages[0]] = replace(first, text=page.join_section([text, str(marker)]))
    return tuple(sections)


def _draft_section(context: DraftContext) -> SectionText:
    target = context.target
    by_format = {"json": _write_json, "csv": _write_csv}.get(target.output.lower().rpartition(".")[2])
    write = _WRITERS.get((target.output, strip_numbering(target.section))) or by_format
    try:
        return SectionText(target, write(context) if write else page.write_answers(context.answers))
    except Exception as error:
        # No answer can stop a step. It is journalled by now: raised, the error would end every later start.
        failed = f'Could not draft {target.output}, section "{target.section}" ({type(error).__name__}).'
        notice = f"{failed} It holds your answers as you gave them. Please report this."
        return SectionText(target, (by_format or _list_answers)(context), notice)


def _list_answers(context: DraftContext) -> str:
    lines = [
        page.write_open_question(answer.question)
        if answer.unknown
        else f"- **{escape_markdown(answer.label.replace('*', ''))}**: {escape_markdown(answer.text)}"
        for answer in context.answers
    ]
    return "\n".join(lines) or page.NOTHING


def _write_json(context: DraftContext) -> str:
    """Write one object with the step, the item, an entry for each answer and the open questions."""
    known = [{"label": each.label, "text": each.text} for each in context.answers if not each.unknown]
    step_id, item = context.brief.step.step_id, context.brief.item.name
    questions = [each.question for each in context.answers if each.unknown]
    return page.write_json({"step": step_id, "item": item, "answers": known, "open_questions": questions})


def _write_csv(context: DraftContext) -> str:
    step_id = context.brief.step.step_id
    said = [(each, each.question if each.unknown else page.join_lines(each.text)) for each in context.answers]
    rows = [(step_id, each.label, text, "yes" if each.unknown else "no") for each, text in said]
    return page.write_csv(("step", "label", "answer", "open"), rows)


# --- the quick scan: size

_COMPLEXITY = re.compile(
    r"(?i)[,;.\s]{0,9}+\b(?:(?:and|but|with) )?(?:the )?complexity\b(?: is)?[\s:=]*+(?=(?:low|medium|high)\b)"
)
_SIZE_IS = re.compile(r"^(?:(?:the )?(?:scope|size)\b(?: is)?|it(?: is|'s))[\s:=]++", re.IGNORECASE)
SIZES = ("Scope", "Complexity")
SIZE_WORDS = word_set("scope complexity size small medium large low high it it's is the and but with")


def read_sizes(said: Mapping[str, str]) -> dict[str, str]:
    """Return the scope and the complexity that answers name, given by their labels."""
    found: dict[str, str] = {}
    for label, text in said.items():
        for line in text.splitlines():
            # The later line corrects the earlier; "small, low" says both.
            plain = _COMPLEXITY.sub(", complexity: ", _SIZE_IS.sub("", strip_mark(line))).rstrip(".")
            sizes = zip(SIZES, read_scope(f"{label}: {plain}"), strict=True)
            found |= {each: value for each, value in sizes if value}
    return found


def write_size(context: DraftContext) -> str:
    """Write scope and complexity on lines of their own, then the words that say more, then the rest."""
    said = {label: text for label in SIZES if (text := context.text(label))}
    found = read_sizes(said)
    whole, both = " ".join(said.values()), (label for label in SIZES if label in found)
    values = [page.write_paragraph(label, mark_like(whole, found[label])) for label in both]
    words = [
        page.write_paragraph(f"Why this {label.lower()}" if label in found else label, text)
        for label, text in said.items()
        if label not in found or not SIZE_WORDS.issuperset(words_of(strip_mark(text)))
    ]
    return page.write_answers(context.without(*said), values, words)


# --- requirements

FEATURES, ACCEPTANCE, LEFT_OUT = "Features", "Acceptance", "Out of Scope"
_OWNER = re.compile(r"(?i)[(\[]?(?:FR|AC)-(?P<number>\d{3,})(?:-\d{2,})?\b[)\]]?\s*+[:.–-]?\s*+(?=\S)")


def write_functional(context: DraftContext) -> str:
    """Write a heading for each requirement with its criteria, then the rules that hold for all of them."""
    known = ids.list_requirements(context.documents)
    taken = ids.find_mentioned_ids(context.documents, "FR", "AC")
    features = list(map(page.capitalise, page.split_statements(context.text(FEATURES))))
    features = features or [context.brief.item.name]
    given = ids.assign_ids("FR", features, known, taken=taken)
    criteria = _assign_criteria(page.split_statements(context.text(ACCEPTANCE)), features, given, known)
    before = {each.id: each.criteria for each in known}
    is_asked = any(answer.unknown for answer in context.only(ACCEPTANCE))
    parts = []
    for identity, feature, own in zip(given, features, criteria, strict=True):
        parts += [f"### {identity}: {page.write_title(feature)}"]
        parts += [] if page.is_title_enough(feature) else [escape_markdown(feature)]
        if own:
            prefix = identity.replace("FR", "AC")
            numbers = ids.assign_ids(prefix, own, before.get(identity, ()), taken=taken, digits=2)
            listed = zip(numbers, own, strict=True)
            parts.append("\n".join(f"- **{each}** {escape_markdown(text)}" for each, text in listed))
        elif not is_asked:
            parts.append(page.write_open_question(ask_for_criterion(identity)))
    has_own_section = any(target.section.endswith(LEFT_OUT) for target in context.targets)
    left_out = LEFT_OUT if has_own_section else ""
    rest = page.write_labelled(context.without(FEATURES, ACCEPTANCE, left_out))
    more = (*rest, *page.write_open_questions(context.without(left_out)))
    return page.join_section(parts, ["### Rules and Open Points"] if more else [], more)


def ask_for_criterion(identity: str) -> str:
    """Return the question that stands below a requirement without an acceptance criterion."""
    return f"When does {identity} count as done: in which situation, after which action, what do you see?"


def write_out_of_scope(context: DraftContext) -> str:
    """Write what is left out on purpose; where nobody was asked, what the quick scan said of it."""
    if asked := context.only(LEFT_OUT):
        return page.write_answers(asked)
    scan = context.documents.get(ids.SCAN, "")
    boundary = find_labelled(scan, "Not Included") or find_labelled(scan, "Boundary")
    return escape_markdown(boundary) or page.write_open_question("What is left out on purpose?")


def _assign_criteria(
    criteria: Sequence[str], features: Sequence[str], given: Sequence[str], known: Sequence[ids.Requirement]
) -> list[list[str]]:
    """Return the criteria of each feature: by the id at their start, else as before, else by words."""
    before = [(each.text, owner.id) for owner in known for each in owner.criteria]
    found: list[list[str]] = [[] for _ in features]
    for place, criterion in enumerate(criteria):
        named = _OWNER.match(criterion)
        was = next((each for each in before if each[0] == criterion), ("", ""))
        identity = f"FR-{named['number']}" if named else was[1]
        if identity in given:
            found[given.index(identity)].append(criterion[named.end() :] if named else criterion)
            before = [each for each in before if each is not was]
        else:
            shared = enumerate(ids.count_shared(criterion, features))
            found[-max((count, at == place, -at) for at, count in shared)[2]].append(criterion)
    return found


STORY_LABELS = ("Stories", "Unhappy Story")

_STORY = re.compile(r"(?i)(?:^|(?<=[.;\n]))\s{0,9}+(?:(?:[-+*•]|\d{1,3}[.)])\s)?(?=(?:and )?(?:as|als) \w)")
_FEWEST_SHARED = 2
# With single blanks between the words.
_SHAPES = tuple(
    re.compile(shape, re.IGNORECASE | re.DOTALL)
    for shape in (
        r"\A(?:and )?as (?:(?:an?|the) )?(?P<as_a>.+?),? I (?:want|need|would like|wish) "
        r"(?P<i_want>.+?)(?:,? so that (?P<so_that>.+))?",
        r"\Aals (?:(?:eine?|der|die|das) )?(?P<as_a>.+?),? (?:möchte|will|brauche) ich,? "
        r"(?P<i_want>.+?)(?:,? (?:damit|sodass|so dass|um) (?P<so_that>.+))?",
    )
)


def write_stories(context: DraftContext) -> str:
    """Write the stories as a JSON document, each with its id and what it refers to."""
    parts = [
        (story, answer.label != STORY_LABELS[0])
        for answer in context.only(*STORY_LABELS)
        for story in _split_stories("" if answer.unknown else answer.text)
    ]
    known, taken = ids.list_stories(context.documents), ids.find_mentioned_ids(context.documents, "US")
    given = ids.assign_ids("US", [text for text, _ in parts], known, taken=taken)
    listed = ids.list_requirements(context.documents)
    found = [
        _draft_story(identity, text, listed) | ({"unhappy": True} if unhappy else {})
        for identity, (text, unhappy) in zip(given, parts, strict=True)
    ]
    questions = [answer.question for answer in context.answers if answer.unknown]
    others = [each for each in context.without(*STORY_LABELS) if not each.unknown]
    notes = [{"label": each.label, "text": page.join_lines(each.text)} for each in others]
    content = {"item": context.brief.item.name, "stories": found, "open_questions": questions}
    return page.write_json(content | ({"notes": notes} if notes else {}))


def _split_stories(text: str) -> list[str]:
    """Return the stories in an answer; what begins none belongs to the one before."""
    parts = (page.join_lines(part).rstrip("; ") for part in _STORY.split(text))
    found = [page.capitalise(part) for part in parts if part]
    return found if len(found) <= page.MAX_ENTRIES else [page.join_lines(text)]


def _draft_story(identity: str, text: str, listed: Sequence[ids.Requirement]) -> dict[str, Any]:
    """Return a story with its parts; it serves the requirements that it shares the most words with."""
    shared = ids.count_shared(text, [each.text for each in listed])
    enough = max(_FEWEST_SHARED, *shared) if len(listed) > 1 else 0
    served = [each for each, count in zip(listed, shared, strict=True) if count >= enough]
    words = " ".join(page.strip_punctuation(text).split())
    shape = next((found for each in _SHAPES if (found := each.fullmatch(words))), None)
    parts = shape.groupdict() if shape else dict.fromkeys(("as_a", "i_want", "so_that"))
    return {
        "id": identity,
        **{name: mark_like(text, part.strip()) if part else None for name, part in parts.items()},
        "requirements": [each.id for each in served],
        "acceptance": [criterion.id for each in served for criterion in each.criteria],
        "text": text,
    }


PRIORITIES = ("Must", "Should", "Could", "Won't")
_PRIORITY_LABELS = ("Priorities", "Must", "Should and Could", "Should", "Could", "Won't")
_PRIORITY_ROW = re.compile(
    r"\| *(?P<id>FR-\d{3,}) *\|.*\| *(?P<priority>(?:Must|Should|Could|Won't)(?: \(unverified\))?) *\|"
)
_ID = re.compile(r"\bFR-\d{3,}\b", re.IGNORECASE)
_REST = word_set("all both everything every alles alle rest others other remaining")
# "..., but could wait" tells of the same thing.
_CLAUSE = re.compile(
    r"(?<=[.!?])\s|[;\n]|(?<!\s)\s(?:but|while|whereas)\s(?!(?:can|could|may|might|should|must|not)\b)"
    r"|,\s(?=(?:and )?(?:the|an?)\s)"
)
_THINGS = re.compile(r",|\band\b|\bas well as\b", re.IGNORECASE)
# An exception or a negation: words alone would say the opposite.
_UNCLEAR = re.compile(
    r"(?i)\b(?:except|apart from|other than|(?:everything|all) but|nothing|none|not|cannot|can't|won't"
    r"|neither|the (?:first|second|third|last)(?! (?:release|version|week|month|sprint)))\b"
)
# What people say when they do not mean Must, the strongest first.
_PLAIN_WORDS = tuple(
    (priority, re.compile(rf"\b(?:{words})\b", re.IGNORECASE))
    for priority, words in (
        ("Won't", r"won['’]?t|not at all|never|drop(?:ped)?|(?:left|leave|is|are) out|not in this release"),
        ("Could", r"nice to have|if there is time|optional|some ?day|maybe|might"),
        (
            "Should",
            r"(?:can|could|may) wait|later|(?:next|second) (?:week|month|release|sprint)|not urgent|should",
        ),
        ("Must", r"must|has to|have to"),
        ("Could", r"could"),
    )
)


def write_priorities(context: DraftContext) -> str:
    """Write a table of the requirements by priority, then the user's words."""
    listed = ids.list_requirements(context.documents)
    if len(listed) == 1:
        return page.write_answers(context.answers)
    chosen = read_priorities(context.answers, listed)
    placed = [(each.id, each.title, chosen[each.id]) for each in listed if each.id in chosen]
    placed.sort(key=lambda row: (PRIORITIES.index(strip_mark(row[2])), row[0]))
    head = page.write_table(("Requirement", "What", "Priority"), placed)
    left = ", ".join(each.id for each in listed if each.id not in chosen)
    missing = [f"Must, should or could {left} be in the release?"] if left else []
    return page.write_answers(context.answers, head, more=missing)


def read_priority_rows(document: str) -> dict[str, str]:
    """Return the priority of each requirement in the table of the specification, with its mark if any."""
    rows = (_PRIORITY_ROW.fullmatch(line.strip()) for _, line in prose_lines(document))
    return {row["id"]: row["priority"] for row in rows if row}


def write_trace(context: DraftContext) -> str:
    """Write a row for each requirement: its priority, the stories it serves, its criteria, its section."""
    listed, stories = ids.list_requirements(context.documents), ids.list_stories(context.documents)
    chosen = read_priorities(context.answers, listed)
    rows = [
        (
            each.id,
            each.title,
            chosen.get(each.id, ""),
            "; ".join(story.id for story in stories if each.id in story.requirements),
            "; ".join(criterion.id for criterion in each.criteria),
            "6. Functional Requirements",
        )
        for each in listed
    ]
    return page.write_csv(("requirement", "title", "priority", "stories", "acceptance", "section"), rows)


def read_priorities(answers: Sequence[Answer], listed: Sequence[ids.Requirement]) -> dict[str, str]:
    """Return the priority of each requirement that is named: by id, else by its words, else as "the rest"."""
    clauses = list(_split_priorities(answers))
    chosen: dict[str, str] = {}
    for priority, clause in clauses:
        named = set(map(str.upper, _ID.findall(clause)))
        chosen = {each.id: priority for each in listed if each.id in named} | chosen
    if not chosen:
        free = [each.text for each in answers if each.label == _PRIORITY_LABELS[0] and len(listed) > 1]
        if any(map(_UNCLEAR.search, free)):
            return {}
        for priority, clause in clauses:
            for thing in _THINGS.split(clause):
                left = [each for each in listed if each.id not in chosen]
                shared = ids.count_shared(thing, [each.text for each in left])
                if any(shared):
                    chosen[left[shared.index(max(shared))].id] = priority
    rest = [priority for priority, clause in clauses if len(listed) == 1 or _REST & set(words_of(clause))]
    return (dict.fromkeys((each.id for each in listed), rest[0]) if rest else {}) | chosen


def _split_priorities(answers: Sequence[Answer]) -> Iterator[tuple[str, str]]:
    """Yield what the answers say of each priority: by plain words, else by the label they stand under."""
    labels = [fold_text(each) for each in _PRIORITY_LABELS]
    for answer in answers:
        asked = fold_text(answer.label)
        if answer.unknown or asked not in labels:
            continue
        current = next((each for each in PRIORITIES if asked.startswith(fold_text(each))), PRIORITIES[0])
        for clause in filter(str.strip, _CLAUSE.split(answer.text)):
            pieces = [(_find_priority(piece), piece) for piece in clause.split(",")]
            if not all(priority for priority, _ in pieces):  # not one each: "refund must, mail could"
                pieces = [(_find_priority(clause) or current, clause)]
            yield from ((mark_like(answer.text, priority), piece) for priority, piece in pieces)


def _find_priority(text: str) -> str:
    return next((priority for priority, words in _PLAIN_WORDS if words.search(text)), "")


RISKS = ("Risks", "Worst Case", "Early Sign")


def write_attributes(context: DraftContext) -> str:
    """Write the risks under their labels, and under which ids the matrix holds the rest."""
    named = ", ".join(f"{identity} ({label})" for identity, label, _ in _number_attributes(context))
    if not named or not any(target.output == ids.MATRIX for target in context.targets):
        return page.write_answers(context.answers)
    return page.write_answers(context.only(*RISKS), [f"Measured in {ids.MATRIX}: {named}."])


def write_matrix(context: DraftContext) -> str:
    """Write a row for each attribute: what it is held to."""
    table = page.write_table(("Id", "Attribute", "Measure"), _number_attributes(context))
    return page.join_section(table, page.write_open_questions(context.without(*RISKS)))


def _number_attributes(context: DraftContext) -> list[tuple[str, str, str]]:
    known = (each for each in context.without(*RISKS) if not each.unknown)
    rows = [(each.label, page.join_lines(each.text)) for each in known]
    return _number_rows(context, ids.MATRIX, "NFR", rows)


def _number_rows(
    context: DraftContext, file: str, prefix: str, rows: Sequence[tuple[str, str]]
) -> list[tuple[str, str, str]]:
    """Return the rows of a table, each with the id that its name has there, else a new one."""
    known = [ids.KnownId(row[0], row[1]) for row in ids.list_rows(context.documents.get(file, ""), prefix)]
    taken = ids.find_mentioned_ids(context.documents, prefix)
    given = ids.assign_ids(prefix, [name for name, _ in rows], known, taken=taken)
    return [(identity, *row) for identity, row in zip(given, rows, strict=True)]


# --- architecture and design

DECISION, CHOICE = "Decision", "Choice"
_AGREED = re.compile(r"(?i)(?:(?:we|i)(?: have|'ve)? )?(?:agreed?|decided?|decision)(?: that| on)?: ")
_REASON = re.compile(r"(?s),?(?<!\s)\s(?:because|since|so that|as it|as we|as this|over|instead of)\b.*")
_WE = re.compile(
    r"(?i)^(?:as |by |(?:we|i)(?:'ll|'d| will| would| should| want to| are going to)? |let's |it will be )"
    r"(?:(?:take|choose|go with|go for|decide (?:for|on)|prefer) )?"
)
_OPTION = re.compile(r"\boption\s{1,9}([A-Z])\b[\s:,-]*+", re.IGNORECASE)
# The letter that a sentence begins with or consists of is the option taken: "B, because ...", "So A."
_TAKEN = re.compile(
    r"(?i)(?:^|[.;]\s{1,9})(?:so |therefore )?(?:(?:i|we) (?:take|choose|prefer) )?(?:option )?"
    r"(?P<letter>[A-H])(?=[.,;]|\s{1,9}because\b|\s{0,9}$)"
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
        return page.write_answers(context.answers)
    return _write_records(context, [(_name_decision(each), each) for each in page.list_entries(text)], CHOICE)


def write_review(context: DraftContext) -> str:
    """Write the answers, then a record for each decision of a discussion that has none elsewhere."""
    own = {each.id for each in _list_own_records(context)}
    others = {each.text for each in ids.list_records(context.documents) if each.id not in own}
    made = dict.fromkeys((block.step_id, line) for block, _, line in find_entries(context.documents))
    found = []
    for step_id, line in made:
        words = unescape_markdown(line)
        lead_in = agreed[0] if (agreed := _AGREED.match(words)) else ""
        # A few words stand in quotes after the question that they answer.
        end = '": ' if '? "' in words else ": "
        decision, mark, detail = words.removeprefix(lead_in).partition(end)
        decision += mark[:-2]
        name = decision if mark == '": ' else _name_decision(decision)
        # Each discussion has an option B of its own.
        of_step = f" (step {step_id})" if len(name) == 1 or _OPTION.fullmatch(name) else ""
        title = page.write_title(name + of_step)
        if unescape_markdown(title) not in others:
            found.append((title, lead_in + decision, detail, step_id))
    parts: list[str] = []
    given = _assign_record_ids(context, [title for title, *_ in found])
    for identity, (title, decision, detail, step_id) in zip(given, found, strict=True):
        reason, asked = split_detail(detail)
        status = f"decided in the roundtable on step {step_id}"
        parts += _write_record(identity, title, f"{decision.rstrip('.')}.", status)
        if reason not in ("", NO_REASON):
            parts.append(page.write_paragraph("Reason", mark_like(decision, page.capitalise(reason))))
        if asked:
            parts.append(page.write_paragraph("Asked", asked))
    answered = page.write_labelled(context.answers)
    return page.join_section(answered, page.write_open_questions(context.answers), parts)


def _write_records(context: DraftContext, found: Sequence[tuple[str, str]], label: str) -> str:
    """Write a record for each decision, given by its title and its words, then what the rest says of it."""
    titles = [page.write_title(name) for name, _ in found]
    parts: list[str] = []
    for identity, title, (_, text) in zip(_assign_record_ids(context, titles), titles, found, strict=True):
        parts += _write_record(identity, title, text)
    rest = page.write_labelled(context.without(label))
    if found and rest:
        parts.append("#### Context" if len(found) == 1 else "### Common to These Decisions")
    more = page.write_open_questions(context.answers)
    return page.join_section(parts, rest, ["### Open Points"] if found and more else [], more)


def _write_record(identity: str, title: str, text: str, status: str = "decided") -> list[str]:
    lines = page.split_lines(text)
    decided = page.write_bullets(lines) if len(lines) > 1 else escape_markdown(text)
    return [f"### {identity}: {title}", f"**Status**: {status}", "#### Decision", decided]


def _assign_record_ids(context: DraftContext, titles: Sequence[str]) -> tuple[str, ...]:
    """Return ids for the records of this section; those of other sections are taken."""
    known = _list_own_records(context)
    others = {each.id for each in ids.list_records(context.documents)} - {each.id for each in known}
    taken = others | ids.find_mentioned_ids(context.documents, "ADR")
    return ids.assign_ids("ADR", list(map(unescape_markdown, titles)), known, taken=taken)


def _list_own_records(context: DraftContext) -> tuple[ids.DecisionRecord, ...]:
    section = section_text(context.documents.get(context.target.output, ""), context.target.section)
    return ids.list_records({ids.OVERVIEW: section})


def _name_option(weighed: str, decision: str) -> str:
    """Return the words of the option that the decision names; where it names none, its beginning."""
    parts = _OPTION.split(weighed)
    options = dict(zip(map(str.upper, parts[1::2]), parts[2::2], strict=True))
    taken = [each["letter"].upper() for each in _TAKEN.finditer(strip_mark(decision).strip())]
    return _name_decision(options.get(taken[-1], "") if taken else "") or _name_decision(decision)


def _name_decision(text: str) -> str:
    """Return what was decided, as a title: without who decided it, without the reason."""
    clauses = (sentence for entry in page.split_entries(text) for sentence in split_sentences(entry))
    clause = page.strip_punctuation(next(clauses, ""))  # nothing where the text has no words, as `;` has none
    named = page.strip_punctuation(_REASON.sub("", _WE.sub("", clause, count=1), count=1))
    return mark_like(text, page.capitalise(named if len(named) > len("yes") else clause))


ERRORS_LABEL = "Errors"


def write_errors(context: DraftContext) -> str:
    """Write a row for each error that has a name, then the other answers under their labels."""
    found = page.split_named_entries(context.text(ERRORS_LABEL))
    table = page.write_table(("Id", "Error", "When"), _number_rows(context, ids.ERRORS, "E", found))
    return page.write_answers(context.without(ERRORS_LABEL) if found else context.answers, table)


_WRITERS: Mapping[tuple[str, str], Callable[[DraftContext], str]] = {
    ("quick-scan.md", "Size and Complexity"): write_size,
    ("requirements-spec.md", "Quality Attributes and Risks"): write_attributes,
    ("nfr-matrix.md", "Quality Attributes"): write_matrix,
    ("requirements-spec.md", "Functional Requirements"): write_functional,
    ("requirements-spec.md", "Out of Scope"): write_out_of_scope,
    ("user-stories.json", "stories"): write_stories,
    ("requirements-spec.md", "Prioritization"): write_priorities,
    ("traceability-matrix.csv", "rows"): write_trace,
    ("architecture-overview.md", "Options and Tradeoffs"): write_options,
    ("architecture-overview.md", "Technology Decisions"): write_technology,
    ("architecture-overview.md", "Review"): write_review,
    ("design-summary.md", "Design Review"): write_review,
    ("error-taxonomy.md", "Errors and Validation"): write_errors,
}
