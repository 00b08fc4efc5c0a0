"""Ids: each defined once, every one that is mentioned defined, every requirement with criteria."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..drafting.register import CRITERION, HEADING, ROW, STORIES, WITHDRAWN, prose
from .findings import Finding

_MENTION = re.compile(r"(?<![\w-])(?:AC-\d{3,}-\d{2,}|(?:FR|NFR|US|ADR)-\d{3,}|E-\d{3})(?![\w-])")
_STORY = re.compile(r'"id"\s*:\s*"(?P<id>US-\d{3,})"')
_DEFINITIONS = (HEADING, CRITERION, ROW)


@dataclass(frozen=True, slots=True)
class Place:
    """An id and where it stands."""

    id: str
    file: str
    line: int


def check_identities(documents: Mapping[str, str]) -> Iterator[Finding]:
    """Dangling references, ids that are defined twice, requirements without acceptance criteria."""
    defined = list(_defined(documents))
    first: dict[str, Place] = {}
    for place in defined:
        if place.id in first:
            before = first[place.id]
            where = (
                f"line {before.line}" if before.file == place.file else f"{before.file}, line {before.line}"
            )
            yield Finding(
                place.file, place.line, "duplicate", f"{place.id} is defined a second time; first in {where}."
            )
        first.setdefault(place.id, place)
    yield from _dangling(documents, set(first))
    for place in first.values():
        if place.id.startswith("FR-") and not _criteria(place.id, first):
            yield Finding(place.file, place.line, "no-acceptance", f"{place.id} has no acceptance criterion.")


def _criteria(requirement: str, defined: Mapping[str, Place]) -> bool:
    return any(each.startswith(f"AC-{requirement.removeprefix('FR-')}-") for each in defined)


def _dangling(documents: Mapping[str, str], defined: set[str]) -> Iterator[Finding]:
    gone = _withdrawn(documents)
    for name, text in documents.items():
        for number, line in _lines(name, text):
            said = _STORY.sub("", line) if name == STORIES else line
            if WITHDRAWN.fullmatch(line):
                continue
            for identity in dict.fromkeys(_MENTION.findall(said)):
                if identity not in defined:
                    why = "was withdrawn" if identity in gone else "is defined nowhere"
                    yield Finding(name, number, "dangling", f"{identity} {why}.")


def _defined(documents: Mapping[str, str]) -> Iterator[Place]:
    for name, text in documents.items():
        gone = _gone_stories(text) if name == STORIES else frozenset()
        for number, line in _lines(name, text):
            if name == STORIES:
                ids = _STORY.findall(line)
            else:
                ids = [match["id"] for each in _DEFINITIONS if (match := each.fullmatch(line))]
            yield from (Place(identity, name, number) for identity in ids if identity not in gone)


def _withdrawn(documents: Mapping[str, str]) -> frozenset[str]:
    listed = (
        match["id"]
        for name, text in documents.items()
        for _, line in _lines(name, text)
        if (match := WITHDRAWN.fullmatch(line))
    )
    return frozenset(listed) | _gone_stories(documents.get(STORIES, ""))


def _gone_stories(text: str) -> frozenset[str]:
    try:
        content = json.loads(text)
        return frozenset(str(each["id"]) for each in content["withdrawn"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return frozenset()


def _lines(name: str, text: str) -> Iterator[tuple[int, str]]:
    return prose(text) if name.endswith(".md") else iter(enumerate(text.split("\n"), 1))
