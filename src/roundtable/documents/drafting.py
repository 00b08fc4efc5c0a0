"""Drafts: what a step writes into its sections, from its answers and the item's documents.

Most sections hold the answers under their labels. Those with a form of their own have a writer below, and a
row in the table at the end.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from msgspec.structs import replace

from ..core import lazy_re as re
from ..core.commands import Answer, StepBrief
from ..core.events import SectionText
from ..core.markers import NoneMarker
from ..core.steps import is_markdown
from ..core.synthesis import LEAD_IN, mark_like, strip_mark
from ..core.text import escape_markdown, fold_text, unescape_markdown, word_set, words_of
from ..core.validation import is_settled, says_none
from . import ids, page
from .blocks import find_entries, split_decision
from .outline import content_words, find_labelled, section_text, strip_numbering
from .page import DraftContext


def draft(brief: StepBrief, documents: Mapping[str, str]) -> tuple[SectionText, ...]:
    """Return the text of every section that the step writes; `documents` are the item's files as they are.

    No answer can stop a step: a section that cannot be drafted holds the answers as they are, and says so.
    """
    sections = [_draft_section(DraftContext(brief, target, documents)) for target in brief.step.sections]
    nones = [each for each in brief.answers if not each.unknown and says_none(each.text)]
    pages = [at for at, each in enumerate(sections) if is_markdown(each.target.output)]
    if nones and pages:
        # These answers add nothing to a document, so a marker says that they were given.
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
        return SectionText(target, write(context) if write else page.write_answers(context.brief.answers))
    except Exception as error:
        # No answer can stop a step: it is already journalled, so an error here would stop every later start.
        failed = f'Could not draft {target.output}, section "{target.section}" ({type(error).__name__}).'
        notice = f"{failed} It holds your answers as you gave them. Please report this."
        return SectionText(target, (by_format or _list_answers)(context), notice)


def _list_answers(context: DraftContext) -> str:
    lines = []
    for each in context.brief.answers:
        known = f"- **{escape_markdown(each.label.replace('*', ''))}**: {escape_markdown(each.text)}"
        lines.append(page.write_open_question(each.question) if each.unknown else known)
    return "\n".join(lines) or page.NOTHING


def _write_json(context: DraftContext) -> str:
    known = [{"label": each.label, "text": each.text} for each in context.brief.answers if not each.unknown]
    step_id, item = context.brief.step.step_id, context.brief.item.name
    questions = [each.question for each in context.brief.answers if each.unknown]
    return page.write_json({"step": step_id, "item": item, "answers": known, "open_questions": questions})


def _write_csv(context: DraftContext) -> str:
    step_id, answers = context.brief.step.step_id, context.brief.answers
    said = [(each, each.question if each.unknown else page.join_lines(each.text)) for each in answers]
    rows = [(step_id, each.label, text, "yes" if each.unknown else "no") for each, text in said]
    return page.write_csv(("step", "label", "answer", "open"), rows)


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
    features = [each.removeprefix(f"{own}: ") for own, each in zip(given, features, strict=True)]
    criteria = _assign_criteria(page.split_statements(context.text(ACCEPTANCE)), features, given, known)
    before = {each.id: each.criteria for each in known}
    is_asked = any(answer.unknown for answer in context.only(ACCEPTANCE))
    parts = []
    for identity, feature, own in zip(given, features, criteria, strict=True):
        title, whole = page.write_title(feature), escape_markdown(page.strip_end(page.join_lines(feature)))
        parts += [f"### {identity}: {title}", "" if title == whole else escape_markdown(feature)]
        if own:
            prefix = identity.replace("FR", "AC")
            numbers = ids.assign_ids(prefix, own, before.get(identity, ()), taken=taken, digits=2)
            listed = zip(numbers, own, strict=True)
            parts.append("\n".join(f"- **{each}** {escape_markdown(text)}" for each, text in listed))
        elif not is_asked:
            how = "in which situation, after which action, what do you see?"
            parts.append(page.write_open_question(f"When does {identity} count as done: {how}"))
    has_own_section = any(each.section.endswith(LEFT_OUT) for each in context.brief.step.sections)
    left_out = LEFT_OUT if has_own_section else ""
    rest = page.write_labelled(context.without(FEATURES, ACCEPTANCE, left_out))
    more = (*rest, *page.write_open_questions(context.without(left_out)))
    return page.join_section(parts, ["### Rules and Open Points"] if more else [], more)


def write_out_of_scope(context: DraftContext) -> str:
    """Write what is left out on purpose; if nobody was asked, what the quick scan said about it."""
    if asked := context.only(LEFT_OUT):
        return page.write_answers(asked)
    scan = context.documents.get(ids.SCAN, "")
    boundary = find_labelled(scan, "Not Included") or find_labelled(scan, "Boundary")
    return escape_markdown(boundary) or page.write_open_question("What is left out on purpose?")


def _assign_criteria(
    criteria: Sequence[str], features: Sequence[str], given: Sequence[str], known: Sequence[ids.Requirement]
) -> list[list[str]]:
    """Return the criteria of each feature, matched by a leading id, as before, by words, or by position."""
    before: dict[str, list[str]] = {}
    for owner in known:
        for each in owner.criteria:
            before.setdefault(each.text, []).append(owner.id)
    found: list[list[str]] = [[] for _ in features]
    for place, criterion in enumerate(criteria):
        named, was = _OWNER.match(criterion), before.get(criterion)
        identity = f"FR-{named['number']}" if named else was.pop(0) if was else ""
        if identity in given:
            found[given.index(identity)].append(criterion[named.end() :] if named else criterion)
        else:
            words = content_words(criterion)
            shared = [(len(words & content_words(each)), at == place) for at, each in enumerate(features)]
            found[shared.index(max(shared))].append(criterion)
    return found


STORY_LABELS = ("Stories", "Unhappy Story")

_STORY = re.compile(r"(?i)(?:^|(?<=[.;\n]))\s{0,9}+(?:(?:[-+*•]|\d{1,3}[.)])\s)?(?=(?:and )?as \w)")
# For a text with single blanks between the words.
_STORY_PARTS = re.compile(
    r"(?i)(?:and )?as (?:(?:an?|the) )?(?P<as_a>.+?),? I (?:want|need|would like|wish) "
    r"(?P<i_want>.+?)(?:,? so that (?P<so_that>.+))?"
)


def write_stories(context: DraftContext) -> str:
    """Write the stories as a JSON document, each with its id and the ids that it refers to."""
    told = [each for each in context.only(*STORY_LABELS) if not each.unknown]
    parts = [(story, each.label != STORY_LABELS[0]) for each in told for story in _split_stories(each.text)]
    known, taken = ids.list_stories(context.documents), ids.find_mentioned_ids(context.documents, "US")
    given = ids.assign_ids("US", [text for text, _ in parts], known, taken=taken)
    listed = ids.list_requirements(context.documents)
    served = [_find_served(text, listed) for text, _ in parts]
    happy = [own for own, (_, unhappy) in zip(served, parts, strict=True) if not unhappy]
    # With as many stories as requirements, they match in order, unless a story's words say otherwise.
    if len(happy) == len(listed) and all(own in ([], [at]) for own, at in zip(happy, listed, strict=True)):
        served[: len(happy)] = ([each] for each in listed)
    found = []
    questions = [answer.question for answer in context.brief.answers if answer.unknown]
    for identity, (text, unhappy), own in zip(given, parts, served, strict=True):
        story = _draft_story(identity, text, own) | ({"unhappy": True} if unhappy else {})
        found.append(story)
        if not story["as_a"]:
            questions.append(f"Who wants {identity}, and what for?")
        elif not story["so_that"]:
            questions.append(f"What becomes possible with {identity}?")
        if listed and not own:
            questions.append(f"Which requirement does {identity} need?")
    others = [each for each in context.without(*STORY_LABELS) if not each.unknown]
    notes = [{"label": each.label, "text": page.join_lines(each.text)} for each in others]
    content = {"item": context.brief.item.name, "stories": found, "open_questions": questions}
    return page.write_json(content | ({"notes": notes} if notes else {}))


def _split_stories(text: str) -> list[str]:
    """Return the stories in an answer; text that begins no story belongs to the one before."""
    parts = (page.join_lines(part).rstrip("; ") for part in _STORY.split(text))
    found = [page.capitalise(part) for part in parts if part]
    return found if len(found) <= page.MAX_ENTRIES else [page.join_lines(text)]


def _find_served(text: str, listed: Sequence[ids.Requirement]) -> list[ids.Requirement]:
    """Return the requirements that a story names, else the only one, or the only one that its words fit."""
    words = [content_words(each.text) for each in listed]
    counted = Counter(chain.from_iterable(words))
    # A word that several requirements share proves nothing, and a single word may be chance.
    telling = {word for word in content_words(text) if counted[word] == 1}
    fitting = [each for each, own in zip(listed, words, strict=True) if len(own & telling) > 1]
    only = next((each for each in (listed, fitting) if len(each) == 1), ())
    return [each for each in listed if each.id in text] or list(only)


def _draft_story(identity: str, text: str, served: Sequence[ids.Requirement]) -> dict[str, Any]:
    shape = _STORY_PARTS.fullmatch(" ".join(page.strip_punctuation(text).split()))
    parts = shape.groupdict() if shape else dict.fromkeys(("as_a", "i_want", "so_that"))
    return {
        "id": identity,
        **{name: mark_like(text, part) if part else None for name, part in parts.items()},
        "requirements": [each.id for each in served],
        "acceptance": [criterion.id for each in served for criterion in each.criteria],
        "text": text,
    }


PRIORITIES = ("Must", "Should", "Could", "Won't")
_ID = re.compile(r"\bFR-\d{3,}\b", re.IGNORECASE)
_CLAUSE = re.compile(r"(?<=[.!?])\s|[;\n]")
_PRIORITY_WORDS = {
    "Must": re.compile(r"(?i)\b(?:must|ha(?:s|ve) to)\b(?! wait)"),
    "Should": re.compile(r"(?i)\b(?:should|wait|later|next \w+)\b"),
    "Could": re.compile(r"(?i)\b(?:could(?! wait)|nice to have|optional)\b"),
    "Won't": re.compile(r"(?i)\b(?:won['’]?t|drop(?:ped)?|out|never)\b"),
}
# An exception, a negation or a ranking: the priority's word alone could say the opposite.
_UNCLEAR = re.compile(
    r"(?i)\b(?:but|except|apart|others?|rest|not|no|nothing|none|cannot|can't|go|first|second|last)\b"
)
_ALL = word_set("all both everything every")


def write_priorities(context: DraftContext) -> str:
    """Write a table of the requirements by priority, then the user's words."""
    listed = ids.list_requirements(context.documents)
    if len(listed) == 1:
        return page.write_answers(context.brief.answers)
    chosen = read_priorities(context.brief.answers, listed)
    placed = [(each.id, each.title, chosen[each.id]) for each in listed if each.id in chosen]
    placed.sort(key=lambda row: (PRIORITIES.index(strip_mark(row[2])), row[0]))
    head = page.write_table(("Requirement", "What", "Priority"), placed)
    left = ", ".join(each.id for each in listed if each.id not in chosen)
    missing = [f"Must, should or could {left} be in the release?"] if left else []
    return page.write_answers(context.brief.answers, head, more=missing)


def read_priority_rows(document: str) -> dict[str, str]:
    """Return the priority of each requirement in the table of the specification, with its mark if any."""
    rows = ids.list_rows(document, "FR")
    return {identity: cells[-1] for identity, *cells in rows if strip_mark(cells[-1]) in PRIORITIES}


def write_trace(context: DraftContext) -> str:
    """Write a row for each requirement: its priority, the stories it serves, its criteria, its section."""
    listed, stories = ids.list_requirements(context.documents), ids.list_stories(context.documents)
    chosen = read_priorities(context.brief.answers, listed)
    rows = []
    for each in listed:
        served = "; ".join(story.id for story in stories if each.id in story.requirements)
        criteria, section = "; ".join(one.id for one in each.criteria), "6. Functional Requirements"
        rows.append((each.id, each.title, chosen.get(each.id, ""), served, criteria, section))
    return page.write_csv(ids.TRACE_COLUMNS, rows)


def read_priorities(answers: Sequence[Answer], listed: Sequence[ids.Requirement]) -> dict[str, str]:
    """Return the priority of each requirement that is clearly named, by id or else by its words."""
    clauses = [each for answer in answers if not answer.unknown for each in _split_priorities(answer)]
    if len(listed) == 1:  # named or not; if parts of it have different priorities, it has none
        words = content_words(f"{listed[0].id} {listed[0].text}")
        telling = [row for row in clauses if row[0] or _find_priorities(row[1])]
        found = {priority for priority, clause in telling if words & content_words(clause)}
        found = found or {priority for priority, _ in telling}
        return {listed[0].id: min(found)} if len(found) == 1 and found != {""} else {}
    has_ids = any(_ID.search(clause) for _, clause in clauses)
    said: dict[str, set[str]] = {each.id: set() for each in listed}
    for priority, clause in clauses:
        words = content_words(clause)
        described = [each.id for each in listed if words & content_words(each.text)]
        named = [each.id for each in listed if each.id in clause.upper()] if has_ids else described
        if not described and _ALL.intersection(words_of(clause)):
            named = list(said)
        is_clear = has_ids or named != described or len(named) == 1
        for each in named:
            said[each].add(priority if is_clear else "")
    return {each: min(found) for each, found in said.items() if len(found) == 1 and found != {""}}


def _split_priorities(answer: Answer) -> Iterator[tuple[str, str]]:
    """Yield the priority that each clause of an answer names, empty if it is not clear, and the clause."""
    asked = fold_text(answer.label)
    under = next((each for each in PRIORITIES if asked.startswith(fold_text(each))), "")
    clauses = _CLAUSE.split(answer.text) if under or asked == "priorities" else []
    pieces = [clause.split(",") for clause in clauses]  # "refund must, mail could"
    parts = (own if all(map(_find_priorities, own)) else [",".join(own)] for own in pieces)
    for clause in chain.from_iterable(parts):
        head, colon, _ = clause.partition(":")
        telling = head if colon and _find_priorities(head) else clause
        named = _find_priorities(telling)
        # A clause with nothing but ids says what must be in.
        is_bare = _ID.search(clause) and {"and"}.issuperset(words_of(_ID.sub("", clause)))
        default = under or (PRIORITIES[0] if is_bare else "")
        is_clear = len(named) < 2 and not _UNCLEAR.search(telling)
        priority = next(iter(named), default) if is_clear else ""
        yield mark_like(answer.text, priority), clause


def _find_priorities(text: str) -> list[str]:
    return [priority for priority, words in _PRIORITY_WORDS.items() if words.search(text)]


RISKS = ("Risks", "Worst Case", "Early Sign")


def write_attributes(context: DraftContext) -> str:
    """Write the risks under their labels, and the ids of the rest, which is in the matrix."""
    named = ", ".join(f"{identity} ({label})" for identity, label, _ in _number_attributes(context))
    if not named or ids.MATRIX not in context.brief.step.outputs:
        return page.write_answers(context.brief.answers)
    return page.write_answers(context.only(*RISKS), [f"Measured in {ids.MATRIX}: {named}."])


def write_matrix(context: DraftContext) -> str:
    """Write a row for each quality attribute and its measure."""
    table = page.write_table(("Id", "Attribute", "Measure"), _number_attributes(context))
    return page.join_section(table, page.write_open_questions(context.without(*RISKS)))


def _number_attributes(context: DraftContext) -> list[tuple[str, str, str]]:
    """Return a row for each attribute that is known, with its old id or a new one."""
    rows = [(each.label, page.join_lines(each.text)) for each in context.without(*RISKS) if not each.unknown]
    known = [ids.KnownId(row[0], row[1]) for row in ids.list_attributes(context.documents)]
    taken = ids.find_mentioned_ids(context.documents, "NFR")
    given = ids.assign_ids("NFR", [label for label, _ in rows], known, taken=taken)
    return [(identity, *row) for identity, row in zip(given, rows, strict=True)]


# --- architecture and design

DECISION, CHOICE = "Decision", "Choice"
_WEIGHED = ("Forces", "Options", "Third Way", "Reason", "Rejected")
_WE = re.compile(r"(?i)^(?:we|i)(?:'ll| will)? (?:(?:take|choose|go with|decide for) )?")
_REASON = re.compile(r",?(?<!\s)\s(?:because|since|over|instead of)\b.*")
_OPTION = re.compile(r"\boption\s{1,9}([A-Z])\b[\s:,-]*+", re.IGNORECASE)
# The letter that a sentence begins with or consists of is the option taken: "B, because ...", "So A."
_TAKEN = re.compile(
    r"(?i)(?:^|[.;]\s{1,9})(?:so |therefore )?(?:(?:i|we) (?:take|choose|prefer) )?(?:option )?"
    r"(?P<letter>[A-H])(?=[.,;]|\s{1,9}because\b|\s{0,9}$)"
)


def write_options(context: DraftContext) -> str:
    """Write the decision among the options as a record, with what was weighed and what follows from it."""
    text = context.text(DECISION)
    # It is named after the option that it takes; if it takes none, after its own first words.
    parts = _OPTION.split(context.text("Options") or text)
    options = dict(zip(map(str.upper, parts[1::2]), parts[2::2], strict=True))
    taken = [each["letter"].upper() for each in _TAKEN.finditer(strip_mark(text).strip())]
    name = _name_decision(options.get(taken[-1], "") if taken else "") or _name_decision(text)
    return _write_choices(context, [(name, text)] if text else [], DECISION)


def write_technology(context: DraftContext) -> str:
    """Write the technology that was chosen as a record; a list gives one record for each entry."""
    text = context.text(CHOICE)
    if is_settled(text):
        return page.write_answers(context.brief.answers)
    return _write_choices(context, [(_name_decision(each), each) for each in page.list_entries(text)], CHOICE)


def _write_choices(context: DraftContext, found: Sequence[tuple[str, str]], label: str) -> str:
    """Write a record for each choice, given by its title and its words, then the other answers."""
    parts = _write_records(context, [(name, "decided", text) for name, text in found])
    if len(found) == 1:
        weighed = page.write_labelled(context.only(*_WEIGHED))
        parts[2:2] = ["#### Context", *weighed] if weighed else []  # below the title and the status
        headed = {"#### Consequences": context.without(label, *_WEIGHED)}
    else:
        headed = {"### Common to These Decisions" if found else "": context.without(label)}
    written = ((heading, page.write_labelled(answers)) for heading, answers in headed.items())
    rest = [each for heading, told in written if told for each in (heading, *told) if each]
    more = page.write_open_questions(context.brief.answers)
    return page.join_section(parts, rest, ["### Open Points"] if found and more else [], more)


def write_review(context: DraftContext) -> str:
    """Write the answers, then a record for each decision of a discussion that has none elsewhere."""
    others, found = _list_records(context)[1], []
    made = dict.fromkeys((block.step_id, words) for block, _, words in find_entries(context.documents))
    held = {words for each in others for words in each.find_held([words for _, words in made])}
    for step_id, words in made:
        if words not in held:
            decision, reason, asked = split_decision(words)
            name = decision if '? "' in decision else _name_decision(decision)
            said = {"Reason": mark_like(decision, page.capitalise(reason)), "Asked": asked}
            more = [page.write_paragraph(label, text) for label, text in said.items() if text]
            status = f"decided in the roundtable on step {step_id}"
            found.append((name, status, f"{decision.rstrip('.')}.", *more))
    answered = page.write_labelled(context.brief.answers)
    records = _write_records(context, found)
    return page.join_section(answered, page.write_open_questions(context.brief.answers), records)


def _write_records(context: DraftContext, found: Sequence[tuple[str, ...]]) -> list[str]:
    """Write decision records, each given by its title, status, words and more; ids stay with the titles."""
    titles = [page.write_title(name) for name, *_ in found]
    own, others = _list_records(context)
    taken = {each.id for each in others} | ids.find_mentioned_ids(context.documents, "ADR")
    given = ids.assign_ids("ADR", list(map(unescape_markdown, titles)), own, taken=taken)
    parts: list[str] = []
    for identity, title, (_, status, text, *more) in zip(given, titles, found, strict=True):
        lines = page.split_lines(text)
        decided = page.write_bullets(lines) if len(lines) > 1 else escape_markdown(text)
        parts += [f"### {identity}: {title}", f"**Status**: {status}", "#### Decision", decided, *more]
    return parts


def _list_records(context: DraftContext) -> tuple[Sequence[ids.DecisionRecord], Sequence[ids.DecisionRecord]]:
    """Return the decision records of this section, and all others."""
    section = section_text(context.documents.get(context.target.output, ""), context.target.section)
    own = ids.list_records({ids.OVERVIEW: section})
    mine = {each.id for each in own}
    return own, [each for each in ids.list_records(context.documents) if each.id not in mine]


def _name_decision(text: str) -> str:
    """Return the first clause of what was decided as a title, without `we` and the reason."""
    # Empty if the text has no words, such as `;`.
    clauses = (page.split_outside_quotes(line, _CLAUSE.split) for line in page.split_lines(text))
    clause = next(filter(None, map(page.strip_punctuation, chain.from_iterable(clauses))), "")
    named = _REASON.sub("", _WE.sub("", LEAD_IN.sub("", clause, count=1)))
    return mark_like(text, page.capitalise(page.strip_punctuation(named) or clause))


_WRITERS: Mapping[tuple[str, str], Callable[[DraftContext], str]] = {
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
}
