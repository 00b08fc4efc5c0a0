"""The journal: on disk before an event counts, torn only at its end, and set aside where it does not read."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from legs_play import opening
from roundtable.core import events as on
from roundtable.core.errors import DiskFailed, ItemCorrupt
from roundtable.core.turns import Material, OffTopic, Verdict
from roundtable.store import files
from roundtable.store.journal import RULES, Journal, list_journals

pytestmark = pytest.mark.rule("META-6")

OPENING = opening(facts=(("scope", "small"), ("count", "3")), parked=("Ünklar",))
EVENTS: tuple[on.Event, ...] = (
    on.Offered((on.Offer("Problem", "Prüfer — unten", "draft.md"),)),
    on.UserSpoke("Zwei\nZeilen"),
    on.ContextRead(7, (Material("a.md", "# A"),)),
    on.PersonaSpoke("alex", "No.", Verdict(1, OffTopic("cost"), (1, 2)), ("dry",)),
    on.Saved(),
)


def begun(folder: Path, *events: on.Event, name: str = "01-03") -> Journal:
    journal = Journal(folder, name)
    journal.begin(OPENING)
    for event in events:
        journal.append(event)
    return journal


def lines_of(journal: Journal) -> list[str]:
    return journal.path.read_bytes().decode().splitlines()


def corrupt(journal: Journal) -> ItemCorrupt:
    with pytest.raises(ItemCorrupt) as caught:
        journal.read()
    return caught.value


def test_what_was_written_is_read_back(folder: Path) -> None:
    begun(folder, *EVENTS)
    assert Journal(folder, "01-03").read() == (OPENING, EVENTS)
    assert begun(folder).read() == (OPENING, ())
    assert Journal(folder, "01-04").read() is None


def test_the_panels_of_the_last_discussion_are_known_as_they_came(folder: Path) -> None:
    framed, spoke = on.Framed("Landed.", "Who?", "whom"), on.PersonaSpoke("alex", "No.")
    journal = begun(folder, on.UserSpoke("E"))
    panels = [journal.panels]
    for event, panel in ((framed, "host"), (spoke, "host"), (on.UserSpoke("Hm."), ""), (spoke, "offline")):
        journal.append(event, panel)
        panels.append(journal.panels)
    assert panels == [(), ("host",), ("host",), ("host",), ("host", "offline")]
    assert [json.loads(line).get("panel") for line in lines_of(journal)[1:]] == [
        None, "host", "host", None, "offline",
    ]  # fmt: skip
    again = Journal(folder, "01-03")
    assert again.read() is not None
    assert again.panels == ("host", "offline")
    again.append(framed, "offline")
    panels = [again.panels]
    again.append(framed)
    panels.append(again.panels)
    again.append(spoke, "host")
    again.begin(OPENING)
    assert [*panels, again.panels] == [("offline",), (), ()]


def test_each_line_is_small_json_with_its_number_kind_and_instant(folder: Path) -> None:
    journal = begun(folder, *EVENTS[:2])
    assert journal.path == folder / ".journal" / "01-03.jsonl"
    assert journal.name == "01-03"
    head, first, second = map(json.loads, lines_of(journal))
    assert list(head) == ["rules", "opening", "meta", "opened"]
    assert head["rules"] == RULES == 1
    assert [list(line) for line in (first, second)] == [["n", "event", "data", "at"]] * 2
    assert (first["n"], first["event"]) == (1, "Offered")
    assert (second["n"], second["event"], second["data"]) == (
        2, "UserSpoke", {"text": "Zwei\nZeilen", "relayed": False, "by": ""},
    )  # fmt: skip
    assert second["at"].endswith("Z")
    assert '"data":{"offers":[{"label":"Problem","text":"Prüfer — unten"' in lines_of(journal)[1]
    assert (folder / ".journal" / ".gitignore").exists()


def test_a_journal_that_is_taken_up_again_counts_on(folder: Path) -> None:
    begun(folder, *EVENTS[:2])
    again = Journal(folder, "01-03")
    assert again.read() is not None
    again.append(EVENTS[2])
    again.append(EVENTS[3])
    recorded = Journal(folder, "01-03").read()
    assert recorded is not None
    assert recorded[1] == EVENTS[:4]


def test_beginning_again_forgets_what_was_there(folder: Path) -> None:
    journal = begun(folder, *EVENTS)
    journal.begin(OPENING)
    journal.append(on.Saved())
    assert Journal(folder, "01-03").read() == (OPENING, (on.Saved(),))


def test_a_torn_last_line_does_not_count_and_is_cut_off_by_a_repair(folder: Path) -> None:
    journal = begun(folder, *EVENTS[:2])
    whole = journal.path.read_bytes()
    torn = whole + b'{"n":3,"ev'
    journal.path.write_bytes(torn)
    again = Journal(folder, "01-03")
    assert again.read() == (OPENING, EVENTS[:2])
    assert journal.path.read_bytes() == torn
    again.repair()
    assert journal.path.read_bytes() == whole
    again.append(EVENTS[2])
    assert len(lines_of(journal)) == 4


@pytest.mark.parametrize("torn", [b"", b'{"rules":1,"op'])
def test_a_head_that_never_was_whole_is_no_journal(folder: Path, torn: bytes) -> None:
    journal = begun(folder)
    journal.path.write_bytes(torn)
    assert journal.read() is None
    assert journal.path.read_bytes() == torn
    journal.repair()
    assert not journal.path.exists()


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('"rules":1', '"rules":7', "it follows version 7 of the rules, this program version 1"),
        ('"n":2,', '"n":3,', "event 2 is missing"),
        ('"n":1,', '"n":2,', "event 1 is missing"),
        ('"event":"UserSpoke"', '"event":"Nothing"', "'Nothing'"),
        ('"text":"Zwei', '"test":"Zwei', "Object missing required field `text`"),
        ('"opening":', '"ending":', "'opening'"),
        ('"personas":', '"personas":[],"nobody":', "A roster needs at least one persona."),
    ],
)
def test_what_does_not_read_is_said_and_stays_as_it_is(folder: Path, old: str, new: str, reason: str) -> None:
    journal = begun(folder, *EVENTS[:2])
    text = journal.path.read_text().replace(old, new, 1)
    journal.path.write_text(text)
    error = corrupt(journal)
    assert error.failed == f"The journal .journal/01-03.jsonl cannot be read ({reason})."
    assert error.saved == "meta.json and the artifacts are not touched."
    assert error.do == "The analysis goes on from what meta.json says."
    journal.repair()
    assert journal.path.read_text() == text
    aside = journal.set_aside()
    assert aside is not None
    assert aside.name.startswith("01-03.jsonl.corrupt-")
    assert aside.read_text() == text
    assert not journal.path.exists()


def test_what_cannot_be_opened_is_said_with_the_reason(folder: Path) -> None:
    journal = Journal(folder, "01-03")
    journal.path.mkdir(parents=True)
    assert corrupt(journal).failed == (
        f"The journal .journal/01-03.jsonl cannot be read (Could not read {journal.path}: "
        "a folder has that name.)."
    )


def test_a_journal_is_never_set_aside_over_another(folder: Path) -> None:
    first = begun(folder).set_aside()
    second = begun(folder, EVENTS[0]).set_aside()
    assert first is not None
    assert second is not None
    assert first.read_bytes() != second.read_bytes()


def test_where_it_cannot_even_be_set_aside_the_file_stays(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, new: Path) -> None:
        raise DiskFailed(f"Could not rename {path} to {new}.")

    journal = begun(folder)
    monkeypatch.setattr(files, "rename", refuse)
    journal.path.write_bytes(b"garbage\n")
    assert journal.set_aside() is None
    assert journal.path.read_bytes() == b"garbage\n"


def test_a_closed_journal_is_gone(folder: Path) -> None:
    journal = begun(folder, EVENTS[0])
    journal.close()
    assert not journal.path.exists()
    assert journal.read() is None
    journal.close()


def test_the_open_journals_come_last_written_first(folder: Path) -> None:
    assert list_journals(folder) == ()
    for name, instant in (("01-02", 1), ("01-01", 1), ("01-03.elaborate", 3), ("01-menu", 2)):
        os.utime(begun(folder, name=name).path, (instant, instant))
    (folder / ".journal" / "01-04.jsonl").mkdir()
    begun(folder, name="01-05").set_aside()
    found = list_journals(folder)
    assert [journal.name for journal in found] == ["01-03.elaborate", "01-menu", "01-01", "01-02"]
    assert found[0].read() == (OPENING, ())
