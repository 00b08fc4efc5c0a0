"""How the table is laid out for models and for hosts: the same things in the same order (TABLE-1).

Each has its own words for them, in `content/prompts.toml` and in `content/host/tasks.toml`, and its own way
to write a text of others.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from msgspec import Struct

from ..core.personas import Persona, Roster
from ..core.synthesis import join_lines
from ..core.turns import Known, Material

PartKind = Literal["related", "document", "page", "excerpt", "corrections"]
WritePart = Callable[[PartKind, str, str, int], str]
"""Writes a part of the table: its name, and its text up to about so many characters."""

_BLANK = re.compile(r"\{\{(\w+)\}\}")  # what is filled in is never filled again
# What the documents hold for us alone: where a step's text ends, which discussion a block came from.
_MARKER = re.compile(r"^<!-- (?:Step|Elaboration)\b[^\n]*-->[ \r]*\n(?:[ \r]*\n)?", re.MULTILINE)
_LEAST_DOCUMENT = 1_000
"""A document that would be cut to less is left out."""


@cache
def read_texts(path: str) -> dict[str, Any]:
    """Return the texts of a TOML file in content, by name."""
    return tomllib.loads(files("roundtable.content").joinpath(path).read_text(encoding="utf-8"))


def fill_blanks(text: str, blanks: Mapping[str, object]) -> str:
    """Return the text with each `{{blank}}` filled; KeyError for one that is not given."""
    return _BLANK.sub(lambda blank: str(blanks[blank[1]]), text)


def list_traits(persona: Persona, roster: Roster) -> dict[str, tuple[str, ...]]:
    """Return what is told of a persona besides who it is, trait by trait; empty ones are left out."""
    traits = {
        "principles": persona.principles,
        "patterns": persona.patterns,
        "towards": tuple(words for key, words in persona.towards if key in roster),
        "bans": tuple(dict.fromkeys(ban.reason for ban in persona.bans)),
    }
    return {trait: tuple(map(join_lines, entries)) for trait, entries in traits.items() if entries}


class TableRoom(Struct, frozen=True):
    """How many characters of the table are sent: in all, of one document, and of any other part."""

    whole: int
    document: int
    part: int


class LaidTable(Struct, frozen=True):
    """The parts of the table in their order, each as it is written, and the documents without room."""

    parts: tuple[tuple[Material, str], ...]
    left_out: tuple[Material, ...]


def lay_out(
    documents: Sequence[Material],
    known: Known,
    room: TableRoom,
    write: WritePart,
    already_sent: Collection[object] = (),
) -> LaidTable:
    """Lay out what was not sent before: the documents, the step's own last, amid what else is known.

    Where it is too much, the first documents give way.
    """
    corrections = (Material("", "\n".join(known.corrections)),) if known.corrections else ()
    kinds: dict[PartKind, tuple[Material, ...]] = {
        "related": known.related, "page": known.pages, "excerpt": known.excerpts, "corrections": corrections,
    }  # fmt: skip
    related, *after = (
        [(each, write(kind, each.name, each.text, room.part)) for each in parts if each not in already_sent]
        for kind, parts in kinds.items()
    )
    below = [part for parts in after for part in parts]
    left = room.whole - sum(len(text) for _, text in (*related, *below))
    laid: list[tuple[Material, str]] = []
    left_out: list[Material] = []
    for each in reversed(documents):
        text = _MARKER.sub("", each.text).strip()
        longest = min(left, room.document)
        if not text or each in already_sent:
            continue
        if len(text) > longest and longest < _LEAST_DOCUMENT:
            left_out.append(each)
        else:
            laid.append((each, write("document", each.name, text, longest)))
            left -= len(laid[-1][1])
    return LaidTable((*related, *reversed(laid), *below), tuple(reversed(left_out)))
