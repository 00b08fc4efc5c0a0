"""user-stories.json: has the shape that its schema describes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn

from ..drafting.register import STORIES
from .findings import Finding

_ID = re.compile(r"US-[0-9]{3,}")
_REQUIREMENT = re.compile(r"FR-[0-9]{3,}")
_CRITERION = re.compile(r"AC-[0-9]{3,}-[0-9]{2,}")
_WORDS = ("as_a", "i_want", "so_that")
_FIELDS = ("id", *_WORDS, "requirements", "acceptance", "text")


def check_stories(text: str) -> Iterator[Finding]:
    """What keeps the file from being valid, each with its line."""
    try:
        content = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
        reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        yield Finding(STORIES, line, "stories", f"It is not valid JSON: {reason}.")
        return
    for where, problem in _problems(content):
        yield Finding(STORIES, _line(text, where), "stories", problem)


def _problems(content: Any) -> Iterator[tuple[str, str]]:
    """What is wrong, each with a text to find its line by."""
    if not isinstance(content, dict):
        yield "", "It is not an object."
        return
    yield from (
        ("", f"The field {name} is missing.")
        for name in ("item", "stories", "open_questions")
        if name not in content
    )
    if not isinstance(content.get("item", ""), str):
        yield '"item"', "The field item is not a text."
    yield from _strings(content.get("open_questions", []), "open_questions")
    listed = content.get("stories", [])
    if not isinstance(listed, list):
        yield '"stories"', "The field stories is not a list."
        return
    for number, story in enumerate(listed, 1):
        yield from _story(number, story)
    for name, fields in (("notes", ("label", "text")), ("withdrawn", ("id", "text"))):
        entries = content.get(name, [])
        sound = isinstance(entries, list) and all(
            isinstance(each, dict) and all(isinstance(each.get(field), str) for field in fields)
            for each in entries
        )
        if not sound:
            yield f'"{name}"', f"The field {name} is not a list of entries with {' and '.join(fields)}."


def _story(number: int, story: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(story, dict):
        yield '"stories"', f"Story {number} is not an object."
        return
    identity = story.get("id")
    known = isinstance(identity, str) and _ID.fullmatch(identity) is not None
    name = str(identity) if known else f"Story {number}"
    where = f'"{identity}"' if isinstance(identity, str) else '"stories"'
    missing = [field for field in _FIELDS if field not in story]
    if missing:
        yield where, f"{name} lacks {', '.join(missing)}."
    if "id" in story and not known:
        yield where, f"{name} has an id that is not like US-001."
    for field in _WORDS:
        if not isinstance(story.get(field), str | None):
            yield where, f"{name}: {field} is neither a text nor null."
    if "text" in story and not (isinstance(story["text"], str) and story["text"]):
        yield where, f"{name}: text is empty or not a text."
    if not isinstance(story.get("unhappy", False), bool):
        yield where, f"{name}: unhappy is neither true nor false."
    for field, pattern, like in (
        ("requirements", _REQUIREMENT, "FR-001"),
        ("acceptance", _CRITERION, "AC-001-01"),
    ):
        ids = story.get(field, [])
        if not isinstance(ids, list) or not all(
            isinstance(each, str) and pattern.fullmatch(each) for each in ids
        ):
            yield where, f"{name}: {field} is not a list of ids like {like}."


def _strings(value: Any, name: str) -> Iterator[tuple[str, str]]:
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        yield f'"{name}"', f"The field {name} is not a list of texts."


def _line(text: str, where: str) -> int:
    """The line in which a text first stands; the first where it does not."""
    place = text.find(where)
    return text.count("\n", 0, place) + 1 if place > 0 else 1


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value")
