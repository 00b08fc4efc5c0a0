"""User stories as data: who wants what, why, and which requirements and criteria that is."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from ..core.commands import Answer
from ..core.text import strip_unprintable
from .entries import strip_punctuation, split_entries, join_lines, split_sentences
from .ids import (
    KnownId,
    Requirement,
    assign_ids,
    list_requirements,
    list_stories,
    word_share,
    read_story_file,
    stem_words,
)
from .page import SectionContext, capitalise

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
_SAME_IN_ALL = re.compile(
    r"\b(?:as\s+(?:an?|the)|I\s+(?:want|need|would\s+like|wish)(?:\s+to)?|so\s+that|als|möchte|will|ich|damit)\b|として",
    re.IGNORECASE,
)
_COMMON = 2
_CLOSE = 0.5


def story_data(sheet: SectionContext) -> str:
    """The stories as a JSON document, each with its id and what it refers to."""
    parts = [
        (part, answer.label != STORIES[0])
        for answer in sheet.only(*STORIES)
        for part in _split_stories(answer)
    ]
    told = [text for text, _ in parts]
    before = read_story_file(sheet.documents)
    known = [KnownId(each.id, each.text) for each in list_stories(sheet.documents)]
    given = assign_ids("US", told, [*known, *_gone(before)], core=_core)
    listed = list_requirements(sheet.documents)
    found = [
        _story(identity, text, listed) | ({"unhappy": True} if unhappy else {})
        for identity, (text, unhappy) in zip(given.ids, parts, strict=True)
    ]
    unknown = [answer.question for answer in sheet.answers if answer.unknown]
    questions = [*unknown, *(question for story in found for question in _questions(story, listed))]
    content: dict[str, Any] = {"item": sheet.brief.item.name, "stories": found, "open_questions": questions}
    if notes := [_note(answer) for answer in sheet.without(*STORIES) if not answer.unknown]:
        content["notes"] = notes
    if given.withdrawn:
        content["withdrawn"] = [{"id": each.id, "text": each.text} for each in given.withdrawn]
    return json.dumps(_printable(content), ensure_ascii=False, indent=2) + "\n"


def _told(answer: Answer) -> tuple[str, ...]:
    """The stories in an answer: a part that begins none belongs to the one before."""
    found: list[str] = []
    text = "" if answer.unknown else answer.text
    for part in (piece for entry in split_entries(text) for piece in _openings(entry)):
        if found and not _OPENS.match(part):
            found[-1] = f"{found[-1]}; {part}"
        else:
            found.append(capitalise(part))
    return tuple(found)


def _openings(entry: str) -> tuple[str, ...]:
    said = split_sentences(entry)
    starts = [at for at, sentence in enumerate(said) if at == 0 or _OPENS.match(sentence)]
    return tuple(
        _joined(said[start:end]) for start, end in zip(starts, [*starts[1:], len(said)], strict=True)
    )


def _joined(said: Sequence[str]) -> str:
    return "".join(each if each.endswith(("。", "！", "？")) else f"{each} " for each in said).strip()


def _core(text: str) -> str:
    """The words in which stories differ."""
    return _SAME_IN_ALL.sub(" ", text)


def _story(identity: str, text: str, listed: Sequence[Requirement]) -> dict[str, Any]:
    words = " ".join(strip_punctuation(text).split())
    shape = next((found for each in _SHAPES if (found := each.fullmatch(words))), None)
    served = _find_served(text, listed)
    return {
        "id": identity,
        "as_a": shape["who"].strip() if shape else None,
        "i_want": shape["what"].strip() if shape else None,
        "so_that": shape["why"].strip() if shape and shape["why"] else None,
        "requirements": [each.id for each in served],
        "acceptance": [criterion.id for each in served for criterion in each.criteria],
        "text": text,
    }


def _served(text: str, listed: Sequence[Requirement]) -> tuple[Requirement, ...]:
    """The requirements that a story is about, by words; the only one where there is one."""
    if len(listed) == 1:
        return tuple(listed)
    words = stem_words(text)
    close = {each.id: word_share(stem_words(each.text), words) for each in listed}
    best = max(close.values(), default=0.0)
    return tuple(
        each
        for each in listed
        if close[each.id] >= best * 0.8
        and best
        and (close[each.id] >= _CLOSE or len(stem_words(each.text) & words) >= _COMMON)
    )


def _questions(story: dict[str, Any], listed: Sequence[Requirement]) -> list[str]:
    asked = []
    if story["as_a"] is None:
        asked.append(f"Who wants {story['id']}, and what for?")
    elif story["so_that"] is None:
        asked.append(f"What becomes possible with {story['id']}?")
    if listed and not story["requirements"]:
        asked.append(f"Which requirement does {story['id']} need?")
    return asked


def _note(answer: Answer) -> dict[str, str]:
    return {"label": answer.label, "text": join_lines(answer.text)}


def _gone(content: dict[str, Any]) -> list[KnownId]:
    listed = content.get("withdrawn")
    entries_ = (each for each in listed if isinstance(each, dict)) if isinstance(listed, list) else ()
    return [KnownId(str(each.get("id", "")), str(each.get("text", ""))) for each in entries_]


def _printable(value: Any) -> Any:
    if isinstance(value, str):
        return strip_unprintable(value)
    if isinstance(value, list):
        return [_printable(each) for each in value]
    if isinstance(value, dict):
        return {key: _printable(each) for key, each in value.items()}
    return value
