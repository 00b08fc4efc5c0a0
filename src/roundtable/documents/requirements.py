"""Functional requirements: each with its id and its acceptance criteria; and what is left out."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence

from ..core.commands import Answer
from ..core.text import fold_text, unescape_markdown, words_of
from .entries import split_entries, join_lines, split_scenarios
from .ids import (
    MATRIX,
    SCAN,
    SPEC,
    AssignedIds,
    KnownId,
    Requirement,
    assign_ids,
    list_withdrawn,
    list_requirements,
    list_stories,
    find_mentioned_ids,
    list_rows,
    word_share,
    stem_words,
)
from .page import (
    WORDLESS,
    SectionContext,
    capitalise,
    is_title_enough,
    write_labelled,
    write_open_question,
    write_open_questions,
    show_words,
    join_section,
    write_table,
    write_title,
    write_withdrawn,
)

FEATURES, ACCEPTANCE, LEFT_OUT = "Features", "Acceptance", "Out of Scope"
_SAME_IN_ALL = re.compile(r"\b(?:given|when|then|and|angenommen|gegeben|wenn|dann|und)\b", re.IGNORECASE)
_REST = "### Rules and Open Points"


def functional(sheet: SectionContext) -> str:
    """A heading for each requirement with its criteria below it, then the rules that hold for all of them."""
    known = list_requirements(sheet.documents)
    document = sheet.documents.get(SPEC, "")
    features = [capitalise(each) for each in split_entries(sheet.text(FEATURES))] or [sheet.brief.item.name]
    given = assign_ids(
        "FR",
        features,
        [*(KnownId(each.id, each.text) for each in known), *list_withdrawn(document, "FR")],
        taken=find_mentioned_ids(sheet.documents, "FR"),
        core=lambda text: text if stem_words(text) else WORDLESS,
    )
    criteria = _assign_criteria(split_scenarios(sheet.text(ACCEPTANCE)), features)
    ever = [each for requirement in known for each in requirement.criteria] + list(
        list_withdrawn(document, "AC")
    )
    parts, used = [], set[str]()
    for identity, feature, own in zip(given.ids, features, criteria, strict=True):
        ids = _criteria_ids(identity, own, ever, find_mentioned_ids(sheet.documents, "AC"))
        used.update(ids)
        parts.append(_requirement(identity, feature, own, ids, asked=_is_unknown(sheet)))
    lost = {each.id: each for each in (*given.withdrawn, *ever) if each.id not in used}
    left_out = LEFT_OUT if _has_own_section(sheet) else ""
    asked = sheet.without(left_out)
    rest = write_labelled(sheet.without(FEATURES, ACCEPTANCE, left_out))
    more = (*rest, *write_withdrawn(lost.values()), *write_open_questions(asked))
    return join_section(parts, [_REST] if more else [], more)


def out_of_scope(sheet: SectionContext) -> str:
    """What is left out on purpose; where nobody was asked, what the quick scan said of it."""
    asked = sheet.only(LEFT_OUT)
    if asked:
        return join_section(write_labelled(asked), write_open_questions(asked))
    boundary = _boundary(sheet.documents.get(SCAN, ""))
    return f"From the quick scan: {show_words(boundary)}" if boundary else "Nothing is named as out of scope."


def _is_unknown(sheet: SectionContext) -> bool:
    return any(answer.unknown for answer in sheet.only(ACCEPTANCE))


def _requirement(
    identity: str, feature: str, criteria: Sequence[str], ids: Sequence[str], *, asked: bool
) -> str:
    """One requirement; where it has no criteria and that is no open question yet, it becomes one."""
    parts = [f"### {identity}: {write_title(feature)}"]
    if not is_title_enough(feature):
        parts.append(show_words(feature))
    listed = [f"- **{each}** {show_words(text)}" for each, text in zip(ids, criteria, strict=True)]
    if not listed and not asked:
        listed = [
            write_open_question(
                f"In which situation, after which action, would you see what, so that {identity} is done?"
            )
        ]
    return "\n\n".join([*parts, "\n".join(listed)]).rstrip()


def _criteria_ids(
    identity: str, texts: Sequence[str], ever: Sequence[KnownId], taken: frozenset[str]
) -> tuple[str, ...]:
    prefix = f"AC-{identity.removeprefix('FR-')}"
    own = [each for each in ever if each.id.startswith(f"{prefix}-")]
    known_elsewhere = [each for each in taken if each.startswith(f"{prefix}-")]
    return assign_ids(prefix, texts, own, taken=known_elsewhere, digits=2, core=_core).ids


def _shared_out(criteria: Sequence[str], features: Sequence[str]) -> list[list[str]]:
    """Which criterion belongs to which feature, by words; where there are as many of both, one each."""
    own: list[list[tuple[int, str]]] = [[] for _ in features]
    left = set(range(len(features)))
    each_one = len(criteria) == len(features)
    for _, _, place, index in sorted(_closeness(criteria, features)):
        if (not each_one or index in left) and all(place != other for taken in own for other, _ in taken):
            own[index].append((place, criteria[place]))
            left.discard(index)
    return [[text for _, text in sorted(taken)] for taken in own]


def _closeness(criteria: Sequence[str], features: Sequence[str]) -> Iterator[tuple[int, bool, int, int]]:
    """How close each criterion is to each feature, the words of its action counting twice."""
    wanted = [stem_words(feature) for feature in features]
    for place, criterion in enumerate(criteria):
        words = stem_words(criterion)
        action = stem_words(criterion.casefold().partition("when")[2].partition("then")[0])
        for index, feature in enumerate(wanted):
            yield -len(feature & words) - len(feature & action), index != place, place, index


def _core(text: str) -> str:
    """The words in which criteria differ."""
    return _SAME_IN_ALL.sub(" ", text)


def _has_own_section(sheet: SectionContext) -> bool:
    return any(target.section.endswith(LEFT_OUT) for target in sheet.targets)


def _boundary(scan: str) -> str:
    """The boundary that the quick scan named."""
    lines = (line.partition("**Boundary**:") for line in scan.split("\n"))
    return next(
        (
            unescape_markdown(text.strip())
            for before, label, text in lines
            if label and not before.strip("- ")
        ),
        "",
    )


PRIORITIES = ("Must", "Should", "Could", "Won't")
COLUMNS = ("requirement", "title", "priority", "stories", "acceptance", "section")
LABELS = ("Must", "Should and Could", "Should", "Could", "Won't")

_LABEL = re.compile(
    r"(?:^|(?<=[.;\n]))\s{0,40}+(?P<priority>must|should|could|won['’]?t)\s{0,40}+:", re.IGNORECASE
)
_ID = re.compile(r"\bFR-\d{3,}\b", re.IGNORECASE)
_EVERYTHING = frozenset({"all", "everything", "every", "alles", "alle"})
_CLOSE = 0.5
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")


def prioritization(sheet: SectionContext) -> str:
    """A table of the requirements by priority, then the reasons in the user's words."""
    listed = list_requirements(sheet.documents)
    chosen = read_priorities(sheet.answers, listed)
    ordered = sorted(listed, key=lambda each: (PRIORITIES.index(chosen.get(each.id, "Won't")), each.id))
    list_rows = [(each.id, each.title, chosen[each.id]) for each in ordered if each.id in chosen]
    missing = [
        f"Must, should or could {each.id} be in the release?" for each in listed if each.id not in chosen
    ]
    head = [write_table(("Requirement", "What", "Priority"), list_rows)] if list_rows else []
    return join_section(head, write_labelled(sheet.answers), write_open_questions(sheet.answers, missing))


def trace(sheet: SectionContext) -> str:
    """A row for each requirement: its priority, the stories it serves, its criteria, where it stands."""
    listed = list_requirements(sheet.documents)
    chosen = read_priorities(sheet.answers, listed)
    told = list_stories(sheet.documents)
    out = io.StringIO()
    list_rows = csv.writer(out, lineterminator="\n")
    list_rows.writerow(COLUMNS)
    for each in listed:
        served = [story.id for story in told if each.id in story.requirements]
        met = [criterion.id for criterion in each.criteria]
        cells = (
            each.id,
            each.title,
            chosen.get(each.id, ""),
            "; ".join(served),
            "; ".join(met),
            "6. Functional Requirements",
        )
        list_rows.writerow([guard_cell(cell) for cell in cells])
    return out.getvalue()


def guarded(cell: str) -> str:
    """The cell as text on one line that no spreadsheet takes for a formula."""
    line = " ".join(cell.split())
    return f"'{line}" if line.startswith(_FORMULA) else line


def priorities(answers: Sequence[Answer], listed: Sequence[Requirement]) -> dict[str, str]:
    """The priority of each requirement that the answers name, by its id or by its words."""
    parts = list(_parts(answers))
    chosen: dict[str, str] = {}
    for priority, text in parts:
        for identity in _ID.findall(text):
            if any(each.id == identity.upper() for each in listed):
                chosen.setdefault(identity.upper(), priority)
    for each in listed:
        if each.id not in chosen and (priority := _by_words(each, parts, alone=len(listed) == 1)):
            chosen[each.id] = priority
    return chosen


def _by_words(requirement: Requirement, parts: Sequence[tuple[str, str]], *, alone: bool) -> str:
    """The priority of the part that says most of the requirement's words, else of the one that names all."""
    words = stem_words(requirement.text)
    close = [
        (word_share(words, stem_words(text)), -place)
        for place, (_, text) in enumerate(parts)
        if not _ID.search(text)
    ]
    best, place = max(close, default=(0.0, 0))
    if best >= _CLOSE:
        return parts[-place][0]
    every = (priority for priority, text in parts if alone or _EVERYTHING & set(words_of(text)))
    return next(every, "")


def _parts(answers: Sequence[Answer]) -> Iterator[tuple[str, str]]:
    """What the answers say of each priority: their own labels first, else the question's."""
    for answer in answers:
        if answer.unknown or fold_text(answer.label) not in map(fold_text, LABELS):
            continue
        default = next(each for each in PRIORITIES if fold_text(answer.label).startswith(fold_text(each)))
        starts = list(_LABEL.finditer(answer.text))
        ends = [*(found.start() for found in starts[1:]), len(answer.text)]
        before = answer.text[: starts[0].start()] if starts else answer.text
        if before.strip():
            yield default, before
        for found, end in zip(starts, ends, strict=False):
            named = fold_text(found["priority"]).replace("'", "")
            priority = next(each for each in PRIORITIES if fold_text(each).replace("'", "") == named)
            yield priority, answer.text[found.end() : end]


RISKS = ("Worst Case", "Early Sign")
_HEADER = ("Id", "Attribute", "Measure", "Source")


def attributes_and_risks(sheet: SectionContext) -> str:
    """All answers under their labels, and under which ids they are measured."""
    attributes, given = _number_attributes(sheet)
    named = ", ".join(
        f"{identity} ({answer.label})" for identity, answer in zip(given.ids, attributes, strict=True)
    )
    pointer = [f"Measured in {MATRIX}: {named}."] if named and sheet.writes(MATRIX) else []
    return join_section(write_labelled(sheet.answers), pointer, write_open_questions(sheet.answers))


def matrix(sheet: SectionContext) -> str:
    """A row for each attribute: what it is held to, and which answer says so."""
    attributes, given = _number_attributes(sheet)
    step_id = sheet.brief.step.step_id
    found = [
        (identity, answer.label, join_lines(answer.text), f"{step_id}, {answer.label}")
        for identity, answer in zip(given.ids, attributes, strict=True)
    ]
    unknown = sheet.without(*RISKS)
    return join_section(
        [write_table(_HEADER, found)] if found else [],
        write_withdrawn(given.withdrawn),
        write_open_questions(unknown),
    )


def _numbered(sheet: SectionContext) -> tuple[tuple[Answer, ...], AssignedIds]:
    attributes = tuple(each for each in sheet.without(*RISKS) if not each.unknown)
    document = sheet.documents.get(MATRIX, "")
    known = (*_known(document), *list_withdrawn(document, "NFR"))
    return attributes, assign_ids(
        "NFR",
        [answer.label for answer in attributes],
        known,
        taken=find_mentioned_ids(sheet.documents, "NFR"),
    )


def _known(document: str) -> Iterator[KnownId]:
    for row in list_rows(document, "NFR"):
        yield KnownId(row.id, row.cells[0] if row.cells else "")
