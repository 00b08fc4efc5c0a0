"""Functional requirements: each with its id and its acceptance criteria; and what is left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..core.markup import plain
from .entries import entries, scenarios
from .identities import Known, give
from .likeness import tokens
from .page import (
    WORDLESS,
    capital,
    is_whole,
    labelled,
    open_question,
    open_questions,
    said,
    section,
    title,
    withdrawn,
)
from .register import SCAN, SPEC, gone, mentioned, requirements
from .sheet import Sheet

FEATURES, ACCEPTANCE, LEFT_OUT = "Features", "Acceptance", "Out of Scope"
_SAME_IN_ALL = re.compile(r"\b(?:given|when|then|and|angenommen|gegeben|wenn|dann|und)\b", re.IGNORECASE)
_REST = "### Rules and Open Points"


def functional(sheet: Sheet) -> str:
    """A heading for each requirement with its criteria below it, then the rules that hold for all of them."""
    known = requirements(sheet.documents)
    document = sheet.documents.get(SPEC, "")
    features = [capital(each) for each in entries(sheet.text(FEATURES))] or [sheet.brief.item.name]
    given = give(
        "FR",
        features,
        [*(Known(each.id, each.text) for each in known), *gone(document, "FR")],
        taken=mentioned(sheet.documents, "FR"),
        core=lambda text: text if tokens(text) else WORDLESS,
    )
    criteria = _shared_out(scenarios(sheet.text(ACCEPTANCE)), features)
    ever = [each for requirement in known for each in requirement.criteria] + list(gone(document, "AC"))
    parts, used = [], set[str]()
    for identity, feature, own in zip(given.ids, features, criteria, strict=True):
        ids = _criteria_ids(identity, own, ever, mentioned(sheet.documents, "AC"))
        used.update(ids)
        parts.append(_requirement(identity, feature, own, ids, asked=_is_unknown(sheet)))
    lost = {each.id: each for each in (*given.withdrawn, *ever) if each.id not in used}
    left_out = LEFT_OUT if _has_own_section(sheet) else ""
    asked = sheet.without(left_out)
    rest = labelled(sheet.without(FEATURES, ACCEPTANCE, left_out))
    more = (*rest, *withdrawn(lost.values()), *open_questions(asked))
    return section(parts, [_REST] if more else [], more)


def out_of_scope(sheet: Sheet) -> str:
    """What is left out on purpose; where nobody was asked, what the quick scan said of it."""
    asked = sheet.only(LEFT_OUT)
    if asked:
        return section(labelled(asked), open_questions(asked))
    boundary = _boundary(sheet.documents.get(SCAN, ""))
    return f"From the quick scan: {said(boundary)}" if boundary else "Nothing is named as out of scope."


def _is_unknown(sheet: Sheet) -> bool:
    return any(answer.unknown for answer in sheet.only(ACCEPTANCE))


def _requirement(
    identity: str, feature: str, criteria: Sequence[str], ids: Sequence[str], *, asked: bool
) -> str:
    """One requirement; where it has no criteria and that is no open question yet, it becomes one."""
    parts = [f"### {identity}: {title(feature)}"]
    if not is_whole(feature):
        parts.append(said(feature))
    listed = [f"- **{each}** {said(text)}" for each, text in zip(ids, criteria, strict=True)]
    if not listed and not asked:
        listed = [
            open_question(
                f"In which situation, after which action, would you see what, so that {identity} is done?"
            )
        ]
    return "\n\n".join([*parts, "\n".join(listed)]).rstrip()


def _criteria_ids(
    identity: str, texts: Sequence[str], ever: Sequence[Known], taken: frozenset[str]
) -> tuple[str, ...]:
    prefix = f"AC-{identity.removeprefix('FR-')}"
    own = [each for each in ever if each.id.startswith(f"{prefix}-")]
    known_elsewhere = [each for each in taken if each.startswith(f"{prefix}-")]
    return give(prefix, texts, own, taken=known_elsewhere, digits=2, core=_core).ids


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
    wanted = [tokens(feature) for feature in features]
    for place, criterion in enumerate(criteria):
        words = tokens(criterion)
        action = tokens(criterion.casefold().partition("when")[2].partition("then")[0])
        for index, feature in enumerate(wanted):
            yield -len(feature & words) - len(feature & action), index != place, place, index


def _core(text: str) -> str:
    """The words in which criteria differ."""
    return _SAME_IN_ALL.sub(" ", text)


def _has_own_section(sheet: Sheet) -> bool:
    return any(target.section.endswith(LEFT_OUT) for target in sheet.targets)


def _boundary(scan: str) -> str:
    """The boundary that the quick scan named."""
    lines = (line.partition("**Boundary**:") for line in scan.split("\n"))
    return next(
        (plain(text.strip()) for before, label, text in lines if label and not before.strip("- ")), ""
    )
