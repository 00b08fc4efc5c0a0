"""The layout of the table: the same things for models and for hosts, in the same order (TABLE-1)."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import get_args

import pytest
from msgspec.structs import replace

from people import MAYA, ROSTER
from roundtable.core.personas import Ban
from roundtable.core.text import fill_blanks
from roundtable.core.turns import NOTHING_KNOWN, Known, Material, PartKind, lay_out
from roundtable.surfaces.mcp.sessions import host_table

ROOM = 25_000
KNOWN = Known(
    related=(Material("adr.md", "forms are kept"),),
    pages=(Material("Decided", "paper stays"),),
    excerpts=(Material("a.py:3", "x = 1"),),
    corrections=("b.py is not touched", "c.py is"),
)
FULL = replace(
    MAYA,
    principles=("A need has\na face.",),
    patterns=("Who waits?",),
    towards=(("solutions-architect", "Asks Alex."), ("nobody", "Asks nobody.")),
    bans=(Ban("form", "x", "No x."), Ban("form", "y", "No x.")),
)


def write(kind: PartKind, name: str, text: str, longest: int) -> str:
    return f"{kind} {name}: {text[:longest]}"


@pytest.mark.rule("TABLE-1")
def test_documents_stand_below_decisions_elsewhere_and_above_what_is_open_and_the_code() -> None:
    documents = (
        Material("old.md", "<!-- Step 00-01: 4 characters, 0123abcd -->\n\nOld."),
        Material("own.md", "Own."),
    )
    parts, left_out = lay_out((*documents, Material("empty.md", " \n")), KNOWN, ROOM, write)
    assert [text for _, text in parts] == [
        "related adr.md: forms are kept", "document old.md: Old.", "document own.md: Own.",
        "page Decided: paper stays", "excerpt a.py:3: x = 1", "corrections : b.py is not touched\nc.py is",
    ]  # fmt: skip
    assert left_out == []


@pytest.mark.rule("TABLE-1")
def test_the_oldest_documents_give_way_and_half_of_the_room_is_theirs() -> None:
    documents = tuple(Material(f"{number}.md", str(number) * 24_000) for number in range(4))
    parts, left_out = lay_out(documents, NOTHING_KNOWN, ROOM, write)
    assert [len(text) for _, text in parts] == [5_000, 20_015]
    assert left_out == [*documents[:2]]
    long = replace(KNOWN, excerpts=(Material("a.py:3", "x" * 12_000),) * 2)
    parts, left_out = lay_out((*documents, Material("empty.md", "")), long, ROOM, write)
    assert [len(text) for part, text in parts if part in documents] == [ROOM // 2 + 15]  # with its heading
    assert left_out == [*documents[:3]]


def test_what_was_sent_before_takes_no_room() -> None:
    documents = tuple(Material(f"{number}.md", str(number) * 12_000) for number in range(3))
    sent = {part for part, _ in lay_out(documents, KNOWN, ROOM, write)[0]}
    assert sent > {*documents[1:], *KNOWN.pages}
    assert lay_out(documents, KNOWN, ROOM, write, sent=sent)[0] == [
        (documents[0], f"document 0.md: {documents[0].text}")
    ]


def test_traits_are_those_that_bear_on_the_roster_each_on_one_line() -> None:
    assert ROSTER.traits_of(FULL) == {
        "principles": ("A need has a face.",), "patterns": ("Who waits?",), "towards": ("Asks Alex.",),
        "bans": ("No x.",),
    }  # fmt: skip


def test_every_part_and_every_trait_has_words_for_models_and_for_hosts() -> None:
    prompts = tomllib.loads(files("roundtable.content").joinpath("prompts.toml").read_text("utf-8"))
    tasks = host_table("tasks.toml")
    for kind in get_args(PartKind):
        assert "{{text}}" in prompts[kind] and "{{text}}" in tasks["context"][kind]
    for trait in ROSTER.traits_of(FULL):
        assert "{{all}}" in prompts[f"persona-{trait}"] and "{{all}}" in tasks["card"][trait]


def test_what_is_filled_in_is_not_filled_again_and_every_blank_is_given() -> None:
    assert fill_blanks("{{one}} {two} {{one}}", {"one": "{{two}}"}) == "{{two}} {two} {{two}}"
    with pytest.raises(KeyError, match="one"):
        fill_blanks("{{one}}", {})
