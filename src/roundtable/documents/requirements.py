"""The sections of the requirements: what is wanted, how it is accepted, stories, priorities, attributes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ..core import lazy_re as re
from ..core.commands import Answer
from ..core.text import escape_markdown, fold_text, strip_unprintable_values, words_of
from .entries import (
    join_lines,
    split_entries,
    split_scenarios,
    split_sentences,
    split_statements,
    strip_punctuation,
)
from .ids import (
    MATRIX,
    SCAN,
    SPEC,
    AssignedIds,
    KnownId,
    Requirement,
    assign_ids,
    find_mentioned_ids,
    list_requirements,
    list_rows,
    list_stories,
    list_withdrawn,
    list_withdrawn_stories,
    stem_words,
    word_share,
)
from .outline import find_labelled, prose_lines
from .page import (
    WORDLESS,
    DraftContext,
    capitalise,
    is_title_enough,
    join_section,
    write_csv,
    write_labelled,
    write_open_question,
    write_open_questions,
    write_table,
    write_title,
    write_withdrawn,
)

FEATURES, ACCEPTANCE, LEFT_OUT = "Features", "Acceptance", "Out of Scope"
_OWNER = re.compile(
    r"[(\[]?(?:FR|AC)-(?P<number>\d{3,})(?:-\d{2,})?\b[)\]]?\s*+[:.–-]?\s*+(?=\S)", re.IGNORECASE
)
_SAME_IN_CRITERIA = re.compile(r"\b(?:given|when|then|and|angenommen|gegeben|wenn|dann|und)\b", re.IGNORECASE)


def write_functional(context: DraftContext) -> str:
    """Write a heading for each requirement with its criteria, then the rules that hold for all of them."""
    referred = find_mentioned_ids(context.documents, "FR", "AC")
    # As long as nobody refers to an id, the numbers follow the order.
    document = context.documents.get(SPEC, "") if referred else ""
    known = list_requirements({SPEC: document})
    features = list(map(capitalise, split_statements(context.text(FEATURES)))) or [context.brief.item.name]
    given = assign_ids(
        "FR",
        features,
        [*(KnownId(each.id, each.text) for each in known), *list_withdrawn(document, "FR")],
        taken=[each for each in referred if each.startswith("FR-")],
        core=lambda text: text if stem_words(text) else WORDLESS,
    )
    written = list_requirements(context.documents)
    owners = {each.text: owner.text for owner in written for each in owner.criteria}
    numbers = [each.removeprefix("FR-") for each in given.ids]
    criteria = _assign_criteria(split_scenarios(context.text(ACCEPTANCE)), features, numbers, owners)
    ever = [each for requirement in known for each in requirement.criteria]
    ever += list_withdrawn(document, "AC")
    is_asked = any(answer.unknown for answer in context.only(ACCEPTANCE))
    parts, used = [], set[str]()
    for identity, feature, own in zip(given.ids, features, criteria, strict=True):
        prefix = f"AC-{identity.removeprefix('FR-')}"
        before = [each for each in ever if each.id.startswith(f"{prefix}-")]
        taken = [each for each in referred if each.startswith(f"{prefix}-")]
        ids = assign_ids(
            prefix, own, before, taken=taken, digits=2, core=partial(_SAME_IN_CRITERIA.sub, " ")
        ).ids
        used.update(ids)
        parts += [f"### {identity}: {write_title(feature)}"]
        parts += [] if is_title_enough(feature) else [escape_markdown(feature)]
        if ids:
            listed = zip(ids, own, strict=True)
            parts.append("\n".join(f"- **{each}** {escape_markdown(text)}" for each, text in listed))
        elif not is_asked:
            question = "In which situation, after which action, would you see what, so that"
            parts.append(write_open_question(f"{question} {identity} is done?"))
    kept = {*referred, *(each.id for each in list_withdrawn(document))}
    withdrawn = (each for each in (*given.withdrawn, *ever) if each.id in kept)
    lost = {each.id: each for each in withdrawn if each.id not in used}
    has_own_section = any(target.section.endswith(LEFT_OUT) for target in context.targets)
    left_out = LEFT_OUT if has_own_section else ""
    rest = write_labelled(context.without(FEATURES, ACCEPTANCE, left_out))
    more = (*rest, *write_open_questions(context.without(left_out)))
    head = ["### Rules and Open Points"] if more else []
    return join_section(parts, head, more, write_withdrawn(lost.values()))


def write_out_of_scope(context: DraftContext) -> str:
    """Write what is left out on purpose; where nobody was asked, what the quick scan said of it."""
    asked = context.only(LEFT_OUT)
    if asked:
        return join_section(write_labelled(asked), write_open_questions(asked))
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


STORIES = ("Stories", "Unhappy Story")

_OPENS = re.compile(r"(?:and\s+)?(?:as\s++(?:an?|the|one|some)?\s*+\w|als\s+\w)|.+?として", re.IGNORECASE)
# With single blanks between the words.
_SHAPES = tuple(
    re.compile(shape, re.IGNORECASE | re.DOTALL)
    for shape in (
        r"\A(?:and )?as (?:(?:an?|the) )?(?P<who>.+?),? I (?:want|need|would like|wish) "
        r"(?P<what>.+?)(?:,? so that (?P<why>.+))?",
        r"\Aals (?:(?:eine?|der|die|das) )?(?P<who>.+?),? (?:möchte|will|brauche) ich,? "
        r"(?P<what>.+?)(?:,? (?:damit|sodass|so dass|um) (?P<why>.+))?",
        r"\A(?P<who>.+?)として[、,]? ?(?P<what>.+?)(?:。 ?(?P<why>.+))?",
    )
)
_SAME_IN_STORIES = re.compile(
    r"\b(?:as\s+(?:an?|the)|I\s+(?:want|need|would\s+like|wish)(?:\s+to)?|so\s+that|als|möchte|will|ich|damit)\b|として",
    re.IGNORECASE,
)
_COMMON = 2
_CLOSE = 0.5


def write_stories(context: DraftContext) -> str:
    """Write the stories as a JSON document, each with its id and what it refers to."""
    answers = context.only(*STORIES)
    parts = [(part, answer.label != STORIES[0]) for answer in answers for part in _split_stories(answer)]
    known = [KnownId(each.id, each.text) for each in list_stories(context.documents)]
    known += list_withdrawn_stories(context.documents)
    given = assign_ids("US", [text for text, _ in parts], known, core=partial(_SAME_IN_STORIES.sub, " "))
    listed = list_requirements(context.documents)
    served = _share_out(parts, listed)
    found = [
        _story(identity, text, own) | ({"unhappy": True} if unhappy else {})
        for identity, (text, unhappy), own in zip(given.ids, parts, served, strict=True)
    ]
    questions = [answer.question for answer in context.answers if answer.unknown]
    for story in found:
        if story["as_a"] is None:
            questions.append(f"Who wants {story['id']}, and what for?")
        elif story["so_that"] is None:
            questions.append(f"What becomes possible with {story['id']}?")
        if listed and not story["requirements"]:
            questions.append(f"Which requirement does {story['id']} need?")
    content: dict[str, Any] = {
        "item": context.brief.item.name,
        "stories": found,
        "open_questions": questions,
    }
    notes = [each for each in context.without(*STORIES) if not each.unknown]
    if notes:
        content["notes"] = [{"label": each.label, "text": join_lines(each.text)} for each in notes]
    if given.withdrawn:
        content["withdrawn"] = [{"id": each.id, "text": each.text} for each in given.withdrawn]
    return json.dumps(strip_unprintable_values(content), ensure_ascii=False, indent=2) + "\n"


def _split_stories(answer: Answer) -> tuple[str, ...]:
    """Return the stories in an answer: a part that begins none belongs to the one before."""
    found: list[str] = []
    for entry in split_entries("" if answer.unknown else answer.text):
        sentences = split_sentences(entry)
        starts = [at for at, each in enumerate(sentences) if at == 0 or _OPENS.match(each)]
        for start, end in zip(starts, [*starts[1:], len(sentences)], strict=True):
            spaced = (
                each if each.endswith(("。", "！", "？")) else f"{each} " for each in sentences[start:end]
            )
            part = "".join(spaced).strip()
            if found and not _OPENS.match(part):
                found[-1] = f"{found[-1]}; {part}"
            else:
                found.append(capitalise(part))
    return tuple(found)


def _share_out(
    stories: Sequence[tuple[str, bool]], listed: Sequence[Requirement]
) -> list[Sequence[Requirement]]:
    """Return the requirements of each story: by words, else by order where both are as many.

    A story is given with whether it tells of a mishap.
    """
    served: list[Sequence[Requirement]] = [_find_served(text, listed) for text, _ in stories]
    happy = [at for at, (_, unhappy) in enumerate(stories) if not unhappy]
    if len(happy) == len(listed) and not all(served[at] for at in happy):
        for at, requirement in zip(happy, listed, strict=True):
            served[at] = [requirement]
    return served


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
    close = [(word_share(stem_words(each.text), words), each) for each in listed]
    best = max((share for share, _ in close), default=0.0)
    return [
        each
        for share, each in close
        if share
        and share >= best * 0.8
        and (share >= _CLOSE or len(stem_words(each.text) & words) >= _COMMON)
    ]


PRIORITIES = ("Must", "Should", "Could", "Won't")
COLUMNS = ("requirement", "title", "priority", "stories", "acceptance", "section")
LABELS = ("Priorities", "Must", "Should and Could", "Should", "Could", "Won't")

_LABEL = re.compile(
    r"(?:^|(?<=[.;\n]))\s{0,40}+(?P<priority>must|should|could|won['’]?t)\s{0,40}+:", re.IGNORECASE
)
_PRIORITY_ROW = re.compile(r"\| *(?P<id>FR-\d{3,}) *\|.*\| *(?P<priority>Must|Should|Could|Won't) *\|")
_ID = re.compile(r"\bFR-\d{3,}\b", re.IGNORECASE)
_EVERYTHING = frozenset({"all", "everything", "every", "alles", "alle"})
_REST = frozenset({"rest", "others", "other", "remaining"})
# "..., but could wait" tells of the same thing.
_CLAUSE = re.compile(
    r"(?<=[.!?])\s|[;\n]|(?<!\s)\s(?:but|while|whereas)\s(?!(?:can|could|may|might|should|must|not)\b)"
    r"|,\s(?=(?:and )?(?:the|an?)\s)"
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth")
_NUMBERS = ("one", "two", "three", "four", "five")
_BY_PLACE = re.compile(
    rf"\bthe (?P<place>{'|'.join(_ORDINALS)}|last)(?: (?P<many>{'|'.join(_NUMBERS)}))?"
    r"(?: ones?| requirements?)?"
    r"(?=[,.;:]|$| (?:and|is|are|must|should|could|can|has|have|may|might|would|needs?|in|to)\b)",
    re.IGNORECASE,
)
_UNCLEAR = re.compile(
    r"\b(?:except|apart from|other than|nothing|none|not|cannot|can't|won't|wouldn't|neither)\b",
    re.IGNORECASE,
)
_WHY = re.compile(r"\b(?:because|since|so that|without|otherwise|weil|damit|sonst)\b", re.IGNORECASE)
_BETWEEN_THINGS = re.compile(r",|\band\b|\bas well as\b", re.IGNORECASE)
# What people say when they do not mean Must, the strongest first.
_PLAIN_WORDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (priority, re.compile(rf"\b(?:{words})\b", re.IGNORECASE))
    for priority, words in (
        ("Won't", r"won['’]?t|not at all|never|drop(?:ped)?|left out|leave out|not in this release"),
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
    """Write a table of the requirements by priority, then the reasons in the user's words."""
    listed = list_requirements(context.documents)
    chosen = read_priorities(context.answers, listed)
    ordered = sorted(listed, key=lambda each: (PRIORITIES.index(chosen.get(each.id, "Won't")), each.id))
    rows = [(each.id, each.title, chosen[each.id]) for each in ordered if each.id in chosen]
    left = ", ".join(each.id for each in listed if each.id not in chosen)
    missing = [f"Must, should or could {left} be in the release?"] if left else []
    head = write_table(("Requirement", "What", "Priority"), rows)
    if len(listed) == 1:
        return join_section(write_labelled(context.answers), write_open_questions(context.answers, missing))
    is_told = bool(rows) and not missing  # then only what says more than the table is written again
    answers = [each for each in context.answers if not (is_told and _is_in_table(each, listed))]
    return join_section(head, write_labelled(answers), write_open_questions(context.answers, missing))


def _is_in_table(answer: Answer, listed: Sequence[Requirement]) -> bool:
    """Whether the table says all of an answer: it gives no reason and names nothing but requirements."""
    words = frozenset[str]().union(*(stem_words(each.text) for each in listed))
    parts = list(_split_priorities([answer]))
    is_named = all(_ID.search(text) or words & stem_words(text) for _, text in parts)
    return bool(parts) and is_named and not _WHY.search(answer.text)


def read_priority_rows(document: str) -> dict[str, str]:
    """Return the priority of each requirement in the table of the specification."""
    rows = (_PRIORITY_ROW.fullmatch(line.strip()) for _, line in prose_lines(document))
    return {row["id"]: row["priority"] for row in rows if row}


def read_priority_table(document: str) -> str:
    """Return the priorities as the table of the specification has them: `Must: FR-001, FR-002.`"""
    found = read_priority_rows(document).items()
    by_priority = [(each, [identity for identity, own in found if own == each]) for each in PRIORITIES]
    return " ".join(f"{each}: {', '.join(ids)}." for each, ids in by_priority if ids)


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
    return write_csv(COLUMNS, rows)


def read_priorities(answers: Sequence[Answer], listed: Sequence[Requirement]) -> dict[str, str]:
    """Return the priority of each requirement that the answers name, by its id or by its words."""
    parts = list(_split_priorities(answers))
    chosen: dict[str, str] = {}
    for priority, text in parts:
        for identity in _ID.findall(text):
            if any(each.id == identity.upper() for each in listed):
                chosen.setdefault(identity.upper(), priority)
    for priority, text in parts:
        for found in _BY_PLACE.finditer(text):
            for each in _take_by_place(found, listed):
                chosen.setdefault(each.id, priority)
    if any(_is_unclear(each) for each in answers):
        return chosen  # an exception or a negation: words alone would say the opposite
    parts = [(priority, text) for priority, text in parts if not _BY_PLACE.search(text)]
    chosen |= _match_things([each for each in listed if each.id not in chosen], parts)
    every_word = {*_EVERYTHING, *(["both"] if len(listed) == 2 else [])}
    every = [priority for priority, text in parts if len(listed) == 1 or every_word & set(words_of(text))]
    rest = [priority for priority, text in parts if _REST & set(words_of(text))]
    missing = [each.id for each in listed if each.id not in chosen]
    if len(missing) == 1 and len(strange := _list_strange(listed, parts)) == 1:
        rest += strange
    return chosen | (dict.fromkeys(missing, (every or rest)[0]) if every or rest else {})


def _is_unclear(answer: Answer) -> bool:
    """Whether an answer without ids and labels makes an exception or denies something."""
    is_free = not _ID.search(answer.text) and not _LABEL.search(answer.text)
    return is_free and answer.label == LABELS[0] and _UNCLEAR.search(answer.text) is not None


def _take_by_place(found: re.Match[str], listed: Sequence[Requirement]) -> Sequence[Requirement]:
    """Return the requirements that `the first two` or `the last` means."""
    many = _NUMBERS.index((found["many"] or "one").lower()) + 1
    if (place := found["place"].lower()) == "last":
        return listed[-many:]
    return listed[_ORDINALS.index(place) :][:many]


def _list_strange(listed: Sequence[Requirement], parts: Sequence[tuple[str, str]]) -> list[str]:
    """Return the priorities that were said of something by words that no requirement has."""
    words = frozenset[str]().union(*(stem_words(each.text) for each in listed))
    return [
        priority
        for priority, text in parts
        if not (_ID.search(text) or words & stem_words(text))
        and any(said.search(text) for name, said in _PLAIN_WORDS if name == priority)
    ]


def _match_things(listed: Sequence[Requirement], parts: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return the priorities of requirements that a part names in a few words: `One range, 416 must be in`."""
    close = []
    things = [(priority, thing) for priority, text in parts for thing in _BETWEEN_THINGS.split(text)]
    for place, (_, thing) in enumerate(things):
        for number, each in enumerate(listed):
            shared = len(stem_words(thing) & stem_words(each.text))
            also = len(set(words_of(thing)) & set(words_of(each.text)))
            if shared and not _ID.search(thing):
                close.append((-shared, -also, place, number))
    chosen: dict[str, str] = {}
    used: set[int] = set()
    for _, _, place, number in sorted(close):
        if place not in used and listed[number].id not in chosen:
            chosen[listed[number].id] = things[place][0]
            used.add(place)
    return chosen


def _split_priorities(answers: Sequence[Answer]) -> Iterator[tuple[str, str]]:
    """Yield what the answers say of each priority: by their own labels, else by the question's."""
    for answer in answers:
        if answer.unknown or fold_text(answer.label) not in map(fold_text, LABELS):
            continue
        label = fold_text(answer.label)
        default = next((each for each in PRIORITIES if label.startswith(fold_text(each))), PRIORITIES[0])
        starts = list(_LABEL.finditer(answer.text))
        ends = [*(found.start() for found in starts[1:]), len(answer.text)]
        before = answer.text[: starts[0].start()] if starts else answer.text
        for clause in filter(str.strip, _CLAUSE.split(before)):
            plain = (priority for priority, words in _PLAIN_WORDS if words.search(clause))
            yield next(plain, default), clause
        for found, end in zip(starts, ends, strict=False):
            named = fold_text(found["priority"]).replace("'", "")
            priority = next(each for each in PRIORITIES if fold_text(each).replace("'", "") == named)
            yield priority, answer.text[found.end() : end]


RISKS = ("Risks", "Worst Case", "Early Sign")
_MATRIX_COLUMNS = ("Id", "Attribute", "Measure")


def write_attributes(context: DraftContext) -> str:
    """Write the risks under their labels, and under which ids the matrix holds the rest."""
    attributes, given = _number_attributes(context)
    named = ", ".join(
        f"{identity} ({answer.label})" for identity, answer in zip(given.ids, attributes, strict=True)
    )
    if not named or not any(target.output == MATRIX for target in context.targets):
        return join_section(write_labelled(context.answers), write_open_questions(context.answers))
    pointer = f"Measured in {MATRIX}: {named}."
    risks = write_labelled(context.only(*RISKS))
    return join_section([pointer], risks, write_open_questions(context.only(*RISKS)))


def write_matrix(context: DraftContext) -> str:
    """Write a row for each attribute: what it is held to."""
    attributes, given = _number_attributes(context)
    found = [
        (identity, answer.label, join_lines(answer.text))
        for identity, answer in zip(given.ids, attributes, strict=True)
    ]
    questions = write_open_questions(context.without(*RISKS))
    return join_section(write_table(_MATRIX_COLUMNS, found), questions, write_withdrawn(given.withdrawn))


def _number_attributes(context: DraftContext) -> tuple[tuple[Answer, ...], AssignedIds]:
    attributes = tuple(each for each in context.without(*RISKS) if not each.unknown)
    document = context.documents.get(MATRIX, "")
    listed = [KnownId(row[0], row[1]) for row in list_rows(document, "NFR")]
    known = (*listed, *list_withdrawn(document, "NFR"))
    taken = find_mentioned_ids(context.documents, "NFR")
    return attributes, assign_ids("NFR", [answer.label for answer in attributes], known, taken=taken)
