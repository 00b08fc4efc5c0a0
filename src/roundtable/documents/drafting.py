"""Drafts: what a step writes into its sections, from its answers and the item's documents.

Most sections hold the answers under their labels. Those with a form of their own have a writer below, and a
row in the table at the end.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from ..core import lazy_re as re
from ..core.commands import Answer, AskDraft
from ..core.depth import read_scope
from ..core.events import SectionText
from ..core.synthesis import NO_REASON, mark_like, split_detail, strip_mark
from ..core.text import (
    escape_markdown,
    fold_text,
    split_sentences,
    strip_unprintable_values,
    unescape_markdown,
    word_set,
    words_of,
)
from ..core.validation import is_settled, says_none
from .blocks import find_entries
from .ids import (
    ERRORS,
    MATRIX,
    OVERVIEW,
    SCAN,
    KnownId,
    Requirement,
    assign_ids,
    find_mentioned_ids,
    list_records,
    list_requirements,
    list_rows,
    list_stories,
    pair_closest,
    stem_words,
    word_share,
)
from .outline import find_labelled, prose_lines, section_text, strip_numbering
from .page import (
    NOTHING,
    DraftContext,
    capitalise,
    is_title_enough,
    join_lines,
    join_section,
    list_entries,
    list_nones,
    split_entries,
    split_lines,
    split_named_entries,
    split_scenarios,
    split_statements,
    strip_punctuation,
    write_answers,
    write_bullets,
    write_csv,
    write_labelled,
    write_nones,
    write_open_question,
    write_open_questions,
    write_paragraph,
    write_table,
    write_title,
)


def draft(ask: AskDraft, documents: Mapping[str, str]) -> tuple[SectionText, ...]:
    """Return the text of every section that the step writes; `documents` are the item's files as they stand.

    No answer can stop a step: a section that cannot be drafted holds the answers as they are, and says so.
    """
    sections = [
        _draft_section(DraftContext(ask.brief, target, ask.targets, documents)) for target in ask.targets
    ]
    nones = list_nones(ask.brief.answers)
    pages = [at for at, each in enumerate(sections) if each.target.output.lower().endswith(".md")]
    if nones and pages:
        first = sections[pages[0]]
        text = escape_markdown(nones[0].text) if first.text == NOTHING else first.text
        sections[pages[0]] = replace(first, text=join_section([text, write_nones(nones)]))
    return tuple(sections)


def _draft_section(context: DraftContext) -> SectionText:
    target = context.target
    name = target.output.lower()
    by_format = _write_json if name.endswith(".json") else _write_csv if name.endswith(".csv") else None
    writer = _WRITERS.get((target.output, strip_numbering(target.section)))
    try:
        write = writer or by_format
        return SectionText(target, write(context) if write else write_answers(context.answers))
    except Exception as error:
        # The answers are journalled by now: raised here, the same error would end every later start.
        notice = (
            f'Could not draft {target.output}, section "{target.section}" ({type(error).__name__}). '
            "It holds your answers as you gave them. Please report this."
        )
        return SectionText(target, (by_format or _list_answers)(context), notice)


def _list_answers(context: DraftContext) -> str:
    """Write every answer on a line of its own, with no reading of what it says."""
    known = [
        f"- **{escape_markdown(answer.label.replace('*', ''))}**: {escape_markdown(answer.text)}"
        for answer in context.answers
        if not answer.unknown
    ]
    unknown = [write_open_question(answer.question) for answer in context.answers if answer.unknown]
    return "\n".join([*known, *unknown]) or NOTHING


def _write_json(context: DraftContext) -> str:
    """Write one object with the step, the item, an entry for each answer and the open questions."""
    known = [each for each in context.answers if not each.unknown]
    content = {
        "step": context.brief.step.step_id,
        "item": context.brief.item.name,
        "answers": [{"label": each.label, "text": each.text} for each in known],
        "open_questions": [each.question for each in context.answers if each.unknown],
    }
    return _dump(content)


def _dump(content: Any) -> str:
    return json.dumps(strip_unprintable_values(content), ensure_ascii=False, indent=2) + "\n"


def _write_csv(context: DraftContext) -> str:
    """Write a row for each answer."""
    step_id = context.brief.step.step_id
    rows = [
        (step_id, each.label, each.question, "yes")
        if each.unknown
        else (step_id, each.label, join_lines(each.text), "no")
        for each in context.answers
    ]
    return write_csv(("step", "label", "answer", "open"), rows)


# --- the quick scan: size

_COMPLEXITY = re.compile(
    r"[,;.\s]{0,9}+\b(?:(?:and|but|with) )?(?:the )?complexity\b(?: is)?[\s:=]*+(?=(?:low|medium|high)\b)",
    re.IGNORECASE,
)
_SIZE_IS = re.compile(r"^(?:(?:the )?(?:scope|size)\b(?: is)?|it(?: is|'s))[\s:=]++", re.IGNORECASE)
SIZE_WORDS = word_set("scope complexity size small medium large low high it it's is the and but with")


def read_sizes(label: str, text: str) -> dict[str, str]:
    """Return the scope and the complexity that an answer under one of these labels names."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        # The later line corrects the earlier; "small, low" says both.
        plain = _COMPLEXITY.sub(", complexity: ", _SIZE_IS.sub("", line))
        sizes = zip(("Scope", "Complexity"), read_scope(f"{label}: {plain.rstrip('.')}"), strict=True)
        found |= {each: value for each, value in sizes if value}
    return found


def write_size(context: DraftContext) -> str:
    """Write scope and complexity on lines of their own, then the words that say more, then the rest."""
    said = {label: context.text(label) for label in ("Scope", "Complexity")}
    found: dict[str, str] = {}
    for label, text in said.items():
        found |= read_sizes(label, text)
    values = [write_paragraph(label, found[label]) for label in said if label in found]
    words = [
        write_paragraph(f"Why this {label.lower()}" if label in found else label, text)
        for label, text in said.items()
        if text and (label not in found or not SIZE_WORDS.issuperset(words_of(text)))
    ]
    rest = write_labelled(context.without(*said))
    return join_section(values, words, rest, write_open_questions(context.answers))


# --- requirements

FEATURES, ACCEPTANCE, LEFT_OUT = "Features", "Acceptance", "Out of Scope"
_OWNER = re.compile(
    r"[(\[]?(?:FR|AC)-(?P<number>\d{3,})(?:-\d{2,})?\b[)\]]?\s*+[:.–-]?\s*+(?=\S)", re.IGNORECASE
)


def write_functional(context: DraftContext) -> str:
    """Write a heading for each requirement with its criteria, then the rules that hold for all of them."""
    known = list_requirements(context.documents)
    taken = find_mentioned_ids(context.documents, "FR", "AC")
    features = list(map(capitalise, split_statements(context.text(FEATURES)))) or [context.brief.item.name]
    given = assign_ids("FR", features, known, taken=taken)
    owners = {each.text: owner.text for owner in known for each in owner.criteria}
    numbers = [each.removeprefix("FR-") for each in given]
    criteria = _assign_criteria(split_scenarios(context.text(ACCEPTANCE)), features, numbers, owners)
    before = [each for owner in known for each in owner.criteria]
    is_asked = any(answer.unknown for answer in context.only(ACCEPTANCE))
    parts = []
    for identity, feature, own in zip(given, features, criteria, strict=True):
        prefix = f"AC-{identity.removeprefix('FR-')}"
        mine = [each for each in before if each.id.startswith(f"{prefix}-")]
        parts += [f"### {identity}: {write_title(feature)}"]
        parts += [] if is_title_enough(feature) else [escape_markdown(feature)]
        if own:
            listed = zip(assign_ids(prefix, own, mine, taken=taken, digits=2), own, strict=True)
            parts.append("\n".join(f"- **{each}** {escape_markdown(text)}" for each, text in listed))
        elif not is_asked:
            parts.append(write_open_question(ask_for_criterion(identity)))
    has_own_section = any(target.section.endswith(LEFT_OUT) for target in context.targets)
    left_out = LEFT_OUT if has_own_section else ""
    rest = write_labelled(context.without(FEATURES, ACCEPTANCE, left_out))
    more = (*rest, *write_open_questions(context.without(left_out)))
    return join_section(parts, ["### Rules and Open Points"] if more else [], more)


def ask_for_criterion(identity: str) -> str:
    """Return the question that stands below a requirement without an acceptance criterion."""
    return f"When does {identity} count as done: in which situation, after which action, what do you see?"


def write_out_of_scope(context: DraftContext) -> str:
    """Write what is left out on purpose; where nobody was asked, what the quick scan said of it."""
    asked = context.only(LEFT_OUT)
    if asked:
        return write_answers(asked)
    scan = context.documents.get(SCAN, "")
    boundary = find_labelled(scan, "Not Included") or find_labelled(scan, "Boundary")
    if not boundary:
        return write_open_question("What is left out on purpose?")
    return escape_markdown(boundary)


def _assign_criteria(
    criteria: Sequence[str], features: Sequence[str], numbers: Sequence[str], before: Mapping[str, str]
) -> list[list[str]]:
    """Return the criteria of each feature: by the id at their start, else as before, else by words or place.

    Where as many are left as features without one, and the words do not part them, each gets one in order.
    """
    wanted = [stem_words(feature) for feature in features]
    texts, owners = list(criteria), dict[int, int]()
    for place, criterion in enumerate(criteria):
        if (named := _OWNER.match(criterion)) and named["number"] in numbers:
            texts[place], owners[place] = criterion[named.end() :], numbers.index(named["number"])
        elif before.get(criterion) in features:
            owners[place] = features.index(before[criterion])
    free = [at for at in range(len(features)) if at not in owners.values()]
    loose = [place for place in range(len(texts)) if place not in owners]
    for place in loose:
        words = stem_words(texts[place])
        shared = [(len(feature & words), at == place, -at) for at, feature in enumerate(wanted)]
        owners[place] = -max(shared)[2]
    if len(loose) == len(free) and sorted(owners[place] for place in loose) != free:
        owners |= dict(zip(loose, free, strict=True))
    return [[text for place, text in enumerate(texts) if owners[place] == at] for at in range(len(features))]


STORY_LABELS = ("Stories", "Unhappy Story")

_OPENS = re.compile(r"(?:and\s+)?(?:as\s++(?:an?|the|one|some)?\s*+\w|als\s+\w)", re.IGNORECASE)
# With single blanks between the words.
_SHAPES = tuple(
    re.compile(shape, re.IGNORECASE | re.DOTALL)
    for shape in (
        r"\A(?:and )?as (?:(?:an?|the) )?(?P<who>.+?),? I (?:want|need|would like|wish) "
        r"(?P<what>.+?)(?:,? so that (?P<why>.+))?",
        r"\Aals (?:(?:eine?|der|die|das) )?(?P<who>.+?),? (?:möchte|will|brauche) ich,? "
        r"(?P<what>.+?)(?:,? (?:damit|sodass|so dass|um) (?P<why>.+))?",
    )
)
_CLOSE, _COMMON = 0.5, 2
"""How much of a requirement's words, or how many of them, a story about it has at least."""


def write_stories(context: DraftContext) -> str:
    """Write the stories as a JSON document, each with its id and what it refers to."""
    answers = context.only(*STORY_LABELS)
    parts = [(part, answer.label != STORY_LABELS[0]) for answer in answers for part in _split_stories(answer)]
    taken = find_mentioned_ids(context.documents, "US")
    given = assign_ids("US", [text for text, _ in parts], list_stories(context.documents), taken=taken)
    listed = list_requirements(context.documents)
    found = [
        _story(identity, text, _find_served(text, listed)) | ({"unhappy": True} if unhappy else {})
        for identity, (text, unhappy) in zip(given, parts, strict=True)
    ]
    questions = [answer.question for answer in context.answers if answer.unknown]
    for story in found:
        if story["as_a"] is None:
            questions.append(f"Who wants {story['id']}, and what for?")
        elif story["so_that"] is None:
            questions.append(f"What becomes possible with {story['id']}?")
        if listed and not story["requirements"]:
            questions.append(f"Which requirement does {story['id']} need?")
    notes = [
        {"label": each.label, "text": join_lines(each.text)}
        for each in context.without(*STORY_LABELS)
        if not each.unknown
    ]
    content = {"item": context.brief.item.name, "stories": found, "open_questions": questions}
    return _dump(content | ({"notes": notes} if notes else {}))


def _split_stories(answer: Answer) -> list[str]:
    """Return the stories in an answer: a part that begins none belongs to the one before."""
    found: list[str] = []
    for entry in split_entries("" if answer.unknown else answer.text):
        for number, sentence in enumerate(split_sentences(entry)):
            if not found or _OPENS.match(sentence):
                found.append(capitalise(sentence))
            else:
                found[-1] += f"{' ' if number else '; '}{sentence}"
    return found


def _story(identity: str, text: str, served: Sequence[Requirement]) -> dict[str, Any]:
    words = " ".join(strip_punctuation(text).split())
    shape = next((found for each in _SHAPES if (found := each.fullmatch(words))), None)
    return {
        "id": identity,
        "as_a": shape["who"].strip() if shape else None,
        "i_want": shape["what"].strip() if shape else None,
        "so_that": shape["why"].strip() if shape and shape["why"] else None,
        "requirements": [each.id for each in served],
        "acceptance": [criterion.id for each in served for criterion in each.criteria],
        "text": text,
    }


def _find_served(text: str, listed: Sequence[Requirement]) -> list[Requirement]:
    """Return the requirements that a story is about, by words; the only one where there is one."""
    if len(listed) == 1:
        return list(listed)
    words = stem_words(text)
    shares = [word_share(stem_words(each.text), words) for each in listed]
    best = max(shares, default=0.0)
    return [
        each
        for each, share in zip(listed, shares, strict=True)
        if share >= best * 0.8 and (share >= _CLOSE or len(stem_words(each.text) & words) >= _COMMON)
    ]


PRIORITIES = ("Must", "Should", "Could", "Won't")
_COLUMNS = ("requirement", "title", "priority", "stories", "acceptance", "section")
_FREE = "Priorities"
_LABELS = tuple(map(fold_text, (_FREE, "Must", "Should and Could", "Should", "Could", "Won't")))
_LABEL = re.compile(
    r"(?:^|(?<=[.;\n]))\s{0,9}+(?:must|should|could|won['’]?t)(?: have)?\s{0,9}+:", re.IGNORECASE
)
_PRIORITY_ROW = re.compile(
    r"\| *(?P<id>FR-\d{3,}) *\|.*\| *(?P<priority>(?:Must|Should|Could|Won't)(?: \(unverified\))?) *\|"
)
_ID = re.compile(r"\bFR-\d{3,}\b", re.IGNORECASE)
_REST = frozenset(
    {"all", "both", "everything", "every", "alles", "alle", "rest", "others", "other", "remaining"}
)
# "..., but could wait" tells of the same thing.
_CLAUSE = re.compile(
    r"(?<=[.!?])\s|[;\n]|(?<!\s)\s(?:but|while|whereas)\s(?!(?:can|could|may|might|should|must|not)\b)"
    r"|,\s(?=(?:and )?(?:the|an?)\s)"
)
_THINGS = re.compile(r",|\band\b|\bas well as\b", re.IGNORECASE)
_UNCLEAR = re.compile(
    r"\b(?:except|apart from|other than|(?:everything|all) but|nothing|none|not|cannot|can't|won't|neither"
    r"|the (?:first|second|third|last)(?! (?:release|version|week|month|sprint)))\b",
    re.IGNORECASE,
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
    listed = list_requirements(context.documents)
    chosen = read_priorities(context.answers, listed)
    ordered = sorted(listed, key=lambda each: (PRIORITIES.index(chosen.get(each.id, "Won't")), each.id))
    rows = [(each.id, each.title, chosen[each.id]) for each in ordered if each.id in chosen]
    left = ", ".join(each.id for each in listed if each.id not in chosen)
    missing = [f"Must, should or could {left} be in the release?"] if left else []
    head = write_table(("Requirement", "What", "Priority"), rows)
    if len(listed) == 1:
        return write_answers(context.answers)
    words = write_labelled(context.answers)
    return join_section(head, words, write_open_questions(context.answers, missing))


def read_priority_rows(document: str) -> dict[str, str]:
    """Return the priority of each requirement in the table of the specification, with its mark if any."""
    rows = (_PRIORITY_ROW.fullmatch(line.strip()) for _, line in prose_lines(document))
    return {row["id"]: row["priority"] for row in rows if row}


def read_priority_table(document: str) -> str:
    """Return the priorities as the table of the specification has them: `Must: FR-001, FR-002.`"""
    found = read_priority_rows(document)
    by_priority = [(each, [own for own in found if strip_mark(found[own]) == each]) for each in PRIORITIES]
    text = " ".join(f"{each}: {', '.join(ids)}." for each, ids in by_priority if ids)
    return mark_like(" ".join(found.values()), text)


def write_trace(context: DraftContext) -> str:
    """Write a row for each requirement: its priority, the stories it serves, its criteria, its section."""
    listed = list_requirements(context.documents)
    chosen = read_priorities(context.answers, listed)
    stories = list_stories(context.documents)
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
    return write_csv(_COLUMNS, rows)


def read_priorities(answers: Sequence[Answer], listed: Sequence[Requirement]) -> dict[str, str]:
    """Return the priority of each requirement that the answers name, by its id or by its words."""
    parts = list(_split_priorities(answers))
    chosen: dict[str, str] = {}
    for priority, text in parts:
        for identity in _ID.findall(text):
            if any(each.id == identity.upper() for each in listed):
                chosen.setdefault(identity.upper(), priority)
    free = [each.text for each in answers if each.label == _FREE]
    if any(_UNCLEAR.search(text) and not _ID.search(text) and not _LABEL.search(text) for text in free):
        return chosen  # an exception or a negation: words alone would say the opposite
    chosen |= _match_things([each for each in listed if each.id not in chosen], parts)
    rest = [priority for priority, text in parts if len(listed) == 1 or _REST & set(words_of(text))]
    missing = [each.id for each in listed if each.id not in chosen]
    return chosen | (dict.fromkeys(missing, rest[0]) if rest else {})


def _match_things(listed: Sequence[Requirement], parts: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return the priorities of what is named in a few words; each thing named is one requirement."""
    things = [(priority, thing) for priority, text in parts for thing in _THINGS.split(text)]
    close = []
    for place, (_, thing) in enumerate(things):
        for each in listed if not _ID.search(thing) else ():
            shared = len(stem_words(thing) & stem_words(each.text))
            also = len(set(words_of(thing)) & set(words_of(each.text)))
            if shared:
                close.append(((-shared, -also), place, each.id))
    return {identity: things[place][0] for place, identity in pair_closest(close).items()}


def _split_priorities(answers: Sequence[Answer]) -> Iterator[tuple[str, str]]:
    """Yield what the answers say of each priority: by a label or plain words, else by the question."""
    for answer in answers:
        asked = fold_text(answer.label)
        if answer.unknown or asked not in _LABELS:
            continue
        current = next((each for each in PRIORITIES if asked.startswith(fold_text(each))), PRIORITIES[0])
        is_by_id = False
        for clause in filter(str.strip, _CLAUSE.split(answer.text)):
            if label := _LABEL.match(clause):
                current, is_by_id = _find_priority(label[0]), bool(_ID.search(clause))
                yield current, clause[label.end() :]
                continue
            if is_by_id and not _ID.search(clause) and not _REST & set(words_of(clause)):
                continue  # a remark on what was named by its id: "Must: FR-001. The mail must be short."
            pieces = [(_find_priority(piece), piece) for piece in clause.split(",")]
            if not all(priority for priority, _ in pieces):  # not one each: "refund must, mail could"
                pieces = [(_find_priority(clause) or current, clause)]
            yield from pieces


def _find_priority(text: str) -> str:
    """Return the priority that plain words say; empty where they say none."""
    return next((priority for priority, words in _PLAIN_WORDS if words.search(text)), "")


RISKS = ("Risks", "Worst Case", "Early Sign")


def write_attributes(context: DraftContext) -> str:
    """Write the risks under their labels, and under which ids the matrix holds the rest."""
    named = ", ".join(f"{identity} ({answer.label})" for identity, answer in _number_attributes(context))
    if not named or not any(target.output == MATRIX for target in context.targets):
        return write_answers(context.answers)
    risks = context.only(*RISKS)
    pointer = f"Measured in {MATRIX}: {named}."
    return join_section([pointer], write_labelled(risks), write_open_questions(risks))


def write_matrix(context: DraftContext) -> str:
    """Write a row for each attribute: what it is held to."""
    rows = [
        (identity, answer.label, join_lines(answer.text)) for identity, answer in _number_attributes(context)
    ]
    table = write_table(("Id", "Attribute", "Measure"), rows)
    return join_section(table, write_open_questions(context.without(*RISKS)))


def _number_attributes(context: DraftContext) -> list[tuple[str, Answer]]:
    attributes = [each for each in context.without(*RISKS) if not each.unknown]
    given = _number_rows(context, MATRIX, "NFR", [each.label for each in attributes])
    return list(zip(given, attributes, strict=True))


def _number_rows(context: DraftContext, file: str, prefix: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return ids for the rows of a table, given by what stands in their second cell."""
    known = [KnownId(row[0], row[1]) for row in list_rows(context.documents.get(file, ""), prefix)]
    return assign_ids(prefix, names, known, taken=find_mentioned_ids(context.documents, prefix))


# --- architecture and design

DECISION, CHOICE = "Decision", "Choice"
_CONTEXT = ("Forces", "Options", "Third Way", "Reason", "Rejected")
_AGREED = re.compile(r"(?i)(?:(?:we|i)(?: have|'ve)? )?(?:agreed?|decided?|decision)(?: that| on)?: ")
_ANSWER = re.compile(r'(?P<asked>[^"\n]*\?) "(?P<words>.*)"(?=: |$)')  # a few words, after what they answer
_REASON = re.compile(
    r",?(?<!\s)\s(?:because|since|so that|as it|as we|as this|over|instead of)\b.*", re.DOTALL
)
_WE = re.compile(
    r"^(?:as |by |(?:we|i)(?:'ll|'d| will| would| should| want to| are going to)? |let's |it will be )"
    r"(?:(?:take|choose|go with|go for|decide (?:for|on)|prefer) )?",
    re.IGNORECASE,
)
_OPTION = re.compile(r"\boption\s{1,9}([A-Z])\b[\s:,-]*+", re.IGNORECASE)
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
        said = [escape_markdown(text)] if says_none(text) else []  # the reason, if any, speaks of it
        return join_section(said, write_labelled(context.answers), write_open_questions(context.answers))
    choices = list_entries(text) or ((text,) if text else ())
    return _write_records(context, [(_name_decision(choice), choice) for choice in choices], CHOICE)


def write_review(context: DraftContext) -> str:
    """Write the answers, then a record for each decision of a discussion that has none elsewhere."""
    section = section_text(context.documents.get(context.target.output, ""), context.target.section)
    own = {each.id for each in list_records({OVERVIEW: section})}
    others = {each.text for each in list_records(context.documents) if each.id not in own}
    made: dict[str, tuple[str, str, str]] = {}
    for block, _, line in find_entries(context.documents):
        words = unescape_markdown(line)
        lead_in = found[0] if (found := _AGREED.match(words)) else ""
        said = words.removeprefix(lead_in)
        decision, _, detail = said.partition(": ")
        title = _name_decision(decision)
        if answer := _ANSWER.match(said):
            decision, detail = answer[0], said[answer.end() :].removeprefix(": ")
            title = f"{_name_decision(answer['words'])} ({answer['asked'].rstrip('?')})"
        elif len(title) == 1 or _OPTION.fullmatch(title):  # each discussion has an option B of its own
            title = f"{title} (step {block.step_id})"
        name = unescape_markdown(write_title(title))
        if name not in others:
            made[name] = lead_in + decision, detail, block.step_id
    parts: list[str] = []
    given = _assign_record_ids(context, list(made))
    for identity, (name, (decision, detail, step_id)) in zip(given, made.items(), strict=True):
        where = f" in the roundtable on step {step_id}"
        reason, asked = split_detail(detail)
        weighed = [escape_markdown(asked)] if asked else []
        parts += _write_record(identity, name, f"{decision.rstrip('.')}.", where, weighed)
        if reason not in ("", NO_REASON):
            parts.append(write_paragraph("Reason", mark_like(decision, capitalise(reason))))
    return join_section(write_labelled(context.answers), write_open_questions(context.answers), parts)


def _write_records(context: DraftContext, found: Sequence[tuple[str, str]], label: str) -> str:
    """Write a record for each decision, given by its title and its words."""
    given = _assign_record_ids(context, [name for name, _ in found])
    rest = [each for each in context.without(label) if not each.unknown]
    parts: list[str] = []
    if len(found) == 1:
        weighed = write_labelled(each for each in rest if each.label in _CONTEXT)
        follows = write_labelled(each for each in rest if each.label not in _CONTEXT)
        parts += _write_record(given[0], *found[0], weighed=weighed)
        parts += ["#### Consequences", *follows] if follows else []
    else:
        for identity, (name, text) in zip(given, found, strict=True):
            parts += _write_record(identity, name, text)
        parts += ["### Common to These Decisions"] if found and rest else []
        parts += write_labelled(rest)
    more = write_open_questions(context.answers)
    return join_section(parts, ["### Open Points"] if found and more else [], more)


def _write_record(
    identity: str, title: str, text: str, where: str = "", weighed: Sequence[str] = ()
) -> list[str]:
    """Write the heading of a record, its status, what was weighed, and what was decided."""
    lines = split_lines(text)
    if len(lines) == 1 and text.strip()[0].isdigit():
        lines = (text.strip(),)  # "1. party login only" is no list
    decided = write_bullets(lines) if len(lines) > 1 else escape_markdown(" ".join(lines))
    context = ["#### Context", *weighed] if weighed else []
    status = f"**Status**: decided{where}"
    return [f"### {identity}: {write_title(title)}", status, *context, "#### Decision", decided]


def _assign_record_ids(context: DraftContext, titles: Sequence[str]) -> tuple[str, ...]:
    """Return ids for the records of this section; those of other sections are taken."""
    own = section_text(context.documents.get(context.target.output, ""), context.target.section)
    known = list_records({OVERVIEW: own})
    others = {each.id for each in list_records(context.documents)} - {each.id for each in known}
    taken = others | find_mentioned_ids(context.documents, "ADR")
    return assign_ids("ADR", [unescape_markdown(write_title(title)) for title in titles], known, taken=taken)


def _name_option(weighed: str, decision: str) -> str:
    """Return the words of the option that the decision names; where it names none, its beginning."""
    parts = _OPTION.split(weighed)
    options = dict(zip(map(str.upper, parts[1::2]), parts[2::2], strict=True))
    taken = [each["letter"].upper() for each in _TAKEN.finditer(decision.strip())]
    return _name_decision(options.get(taken[-1], "") if taken else "") or _name_decision(decision)


def _name_decision(text: str) -> str:
    """Return what was decided, as a title: without who decided it, without the reason."""
    clauses = (sentence for entry in split_entries(text) for sentence in split_sentences(entry))
    clause = strip_punctuation(next(clauses, ""))  # nothing where the text has no words, as `;` has none
    named = strip_punctuation(_REASON.sub("", _WE.sub("", clause, count=1), count=1))
    return capitalise(named if len(named) > len("yes") else clause)


ERRORS_LABEL = "Errors"


def write_errors(context: DraftContext) -> str:
    """Write a row for each error that has a name, then the other answers under their labels."""
    found = split_named_entries(context.text(ERRORS_LABEL))
    given = _number_rows(context, ERRORS, "E", [name for name, _ in found])
    rows = [(identity, *pair) for identity, pair in zip(given, found, strict=True)]
    return join_section(
        write_table(("Id", "Error", "When"), rows),
        write_labelled(context.without(ERRORS_LABEL) if found else context.answers),
        write_open_questions(context.answers),
    )


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
