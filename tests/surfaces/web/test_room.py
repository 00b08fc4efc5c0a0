"""One table for several people: everything once and in order, each under their own name."""

from __future__ import annotations

import asyncio
import gc
import json
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from project import ANSWERS
from roundtable.core.commands import Brief
from roundtable.core.errors import RuleBroken
from roundtable.core.synthesis import Draft, Entry
from roundtable.panel.base import OnWords, Speech, StoppablePanel
from roundtable.runtime.session import Session
from roundtable.surfaces.web.access import MEMBER, Guest
from roundtable.surfaces.web.room import Room, list_changes
from roundtable.testing import ScriptedPanel
from webroom import ANA, BEN, CLEO, Follower, at_table, draw, entries, listen, make_room, say, start_with

Place = tuple[Path, Path]


class HeldPanel(ScriptedPanel):
    """Says half of a contribution and waits until the test lets it go on."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on = asyncio.Event()

    async def speak(self, brief: Brief, heard: OnWords) -> Speech | None:
        heard("The first half, ")
        await self.go_on.wait()
        heard("the second half.")
        return Speech(f"The first half, the second half, turn {brief.number}.")


async def discuss(room: Room, follower: Follower) -> None:
    """Answer the first step's questions and begin a discussion."""
    for words in ANSWERS:
        await say(room, follower, words, "answer")
    await say(room, follower, "E", "menu")


def test_everybody_gets_every_line_once_and_in_order_also_who_comes_late(place: Place) -> None:
    async def run() -> None:
        room = make_room(*place)
        async with at_table(room, ANA, BEN, CLEO) as people:
            await say(room, people[0], ANSWERS[0], "answer")
            await listen(room, people[0], "answer")
            late = Follower(room, Guest("Dora", MEMBER))
            expected = [f"{room.run_id}-{number}" for number in range(1, len(room.entries) + 1)]
            for each in (*people, late):
                await each.until(lambda reader: len(reader.ids) == len(expected))
                assert each.ids == expected
            await late.leave()

    asyncio.run(run())


@pytest.mark.rule("MENU-4")
def test_skipping_is_asked_for_twice_with_a_choice_of_its_own(place: Place) -> None:
    async def run() -> None:
        room = make_room(*place)
        async with at_table(room, ANA) as (ana,):
            for words in ANSWERS:
                await say(room, ana, words, "answer")
            await say(room, ana, "S", "menu")
            await listen(room, ana, "choice")
            assert room.question is not None and room.question.menu is not None
            assert [each.key for each in room.question.menu.choices] == ["K", "S"]
            await say(room, ana, "K", "choice")
            await listen(room, ana, "menu")
            assert room.question.menu.takes_feedback

    asyncio.run(run())


def test_whoever_comes_back_gets_what_is_missing_and_nothing_twice(place: Place) -> None:
    async def run() -> None:
        room = make_room(*place)
        async with at_table(room, ANA) as (ana,):
            await listen(room, ana, "answer")
            ben = await Follower(room, BEN).until(lambda reader: len(reader.ids) == len(room.entries))
            await ben.leave()
            last = ben.ids[-1]
            await say(room, ana, ANSWERS[0], "answer")
            await listen(room, ana, "answer")
            again = Follower(room, BEN, after=last)
            await again.until(lambda reader: reader.ids[-1:] == [f"{room.run_id}-{len(room.entries)}"])
            assert [*ben.ids, *again.ids] == [f"{room.run_id}-{n + 1}" for n in range(len(room.entries))]
            assert not [event for event in again.events if event["event"] == "reset"]
            await again.leave()
            stranger = Follower(room, BEN, after="elsewhere-3")
            await stranger.until(lambda reader: len(reader.ids) == len(room.entries))
            assert stranger.events[0]["event"] == "reset"
            await stranger.leave()

    asyncio.run(run())


def test_who_joins_in_the_middle_of_a_contribution_sees_its_beginning(place: Place) -> None:
    async def run() -> None:
        panel = HeldPanel()
        room = make_room(*place, panel=panel)
        async with at_table(room, ANA) as (ana,):
            await discuss(room, ana)
            await ana.until(
                lambda reader: any('"The first half, "' in each["data"] for each in reader.events)
            )
            late = Follower(room, BEN)
            await late.until(
                lambda reader: any('"The first half, "' in each["data"] for each in reader.events)
            )
            panel.go_on.set()
            await listen(room, late, "discussion")
            words = [each["data"] for each in late.events if each["event"] == "words"]
            assert any('"from": 16' in each and "the second half." in each for each in words)
            assert [entry.line.turn for entry in entries(room, "contribution")] == [1, 2, 3]
            await late.leave()

    asyncio.run(run())


def test_each_message_bears_the_name_of_its_author_in_the_room_and_the_transcript(place: Place) -> None:
    async def run() -> None:
        room = make_room(*place)
        async with at_table(room, ANA, BEN) as (ana, ben):
            await discuss(room, ana)
            await say(room, ben, "We go with option B.", "discussion")
            await say(room, ana, "Fine by me, keep the forms.", "discussion")
            await say(room, ana, "done", "discussion")
            await listen(room, ana, "menu")
        said = {entry.line.words: entry.line.by for entry in entries(room, "contribution") if entry.line.by}
        assert said == {"We go with option B.": "Alex", "Fine by me, keep the forms.": "Ana"}

    asyncio.run(run())
    (transcript,) = (place[1] / "elaborations").glob("*.md")
    text = transcript.read_text()
    assert "User (Alex)**" in text and "User (Ana)**" in text
    spec = next(path for path in place[1].glob("*.md") if "Elaboration Insights" in path.read_text())
    assert "[Alex]" in spec.read_text()  # the persona, who said turn 2
    assert "- We go with option B: said so" in spec.read_text()


def test_people_of_one_name_are_told_apart_and_those_who_spoke_are_participants(place: Place) -> None:
    async def run() -> None:
        room = make_room(*place)
        other = Guest("ana", MEMBER)
        async with at_table(room, ANA, other) as (ana, _):
            await discuss(room, ana)
            await say(room, ana, "We go with B.", "discussion", by=other)
            await say(room, ana, "done", "discussion")
            await listen(room, ana, "menu")
            assert [seat.name for seat in room.people()] == ["Ana", "ana (2)"]

    asyncio.run(run())
    written = (place[1] / "quick-scan.md").read_text() + (
        place[1] / "elaborations" / "00-01-1.md"
    ).read_text()
    assert (
        "**Participants**: Maya Chen (BA), Alex Rivera (Architect), Jordan Park (Designer), ana (2)"
        in written
    )
    assert "Jordan Park (System Designer), ana (2)" in written


def test_whoever_loads_the_page_again_keeps_the_name(place: Place) -> None:
    async def run() -> None:
        room, other = make_room(*place), Guest("Ana", MEMBER)
        for guests in ([ANA], [other], [ANA, other]):
            async with at_table(room, *guests):
                while len(room.people()) < len(guests):
                    await asyncio.sleep(0)
                names = [seat.name for seat in room.people()]
            assert names in (["Ana"], ["Ana (2)"], ["Ana", "Ana (2)"])

    asyncio.run(run())


def test_a_speaker_who_is_stopped_leaves_the_floor_to_the_people(place: Place) -> None:
    async def run() -> None:
        room = make_room(*place, HeldPanel())
        async with at_table(room, ANA, BEN) as (ana, _):
            await discuss(room, ana)
            await ana.until(lambda each: any("first half" in event["data"] for event in each.events))
            room.say(BEN, "Alex, what about paper?", 0)
            room.stop_speaker(ANA)
            await ana.until(lambda _: bool(room.discussion and len(room.discussion.turns) == 3))
        said = [entry.line for entry in entries(room, "contribution")]
        assert [(line.speaker, line.by) for line in said[1:]] == [
            ("solutions-architect", ""),
            ("user", "Alex"),
        ]
        assert said[1].words == "The first half, ..."

    asyncio.run(run())


def test_only_the_chair_ends_the_discussion_and_can_hand_it_over(place: Place) -> None:
    async def run() -> None:
        room = make_room(*place)
        async with at_table(room, ANA, BEN, CLEO) as (ana, ben, cleo):
            await discuss(room, ana)
            number = await listen(room, ana, "discussion")
            for words in ("done", "", "/turns 14", "Let's wrap up."):
                with pytest.raises(RuleBroken, match="chair"):
                    room.say(BEN, words, number)
            with pytest.raises(RuleBroken, match="chair"):
                room.hand_over(BEN, BEN.id)
            with pytest.raises(RuleBroken, match="may speak"):
                room.hand_over(ANA, CLEO.id)
            for words in ("/chair alex", "/chair"):
                with pytest.raises(RuleBroken, match="Only Ana"):
                    room.say(BEN, words, 0)
            for words in ("/chair Cleo", "/chair nobody"):
                with pytest.raises(RuleBroken, match="may speak"):
                    room.say(ANA, words, 0)
            room.say(ANA, "/chair", number)
            assert room.is_chair(ANA)
            room.say(ANA, "/chair alex", 0)  # whoever is listened to
            with pytest.raises(RuleBroken, match="Alex"):
                room.say(ANA, "done", number)
            room.say(BEN, "done", number)
            await listen(room, cleo, "menu")
            assert (ben.table["chair"], ben.table["html"]) == (BEN.id, "Ana, Alex, Cleo")

    asyncio.run(run())


def test_anybody_may_take_the_chair_of_whoever_left(place: Place) -> None:
    async def run() -> None:
        room = make_room(*place)
        async with at_table(room, ANA, BEN) as (ana, _):
            await ana.leave()
            room.say(BEN, "/chair", 0)
            assert room.is_chair(BEN)

    asyncio.run(run())


def test_who_does_what_needs_the_chair_takes_it_where_its_holder_has_left(place: Place) -> None:
    async def run() -> None:
        room = make_room(*place)
        async with at_table(room, ANA, BEN) as (ana, ben):
            await discuss(room, ana)
            number = await listen(room, ben, "discussion")
            await ana.leave()
            with pytest.raises(RuleBroken, match="Only Ana"):
                room.say(Guest("Dora", MEMBER), "done", number)  # who is not here either
            room.say(BEN, "done", number)
            await listen(room, ben, "menu")
            assert room.is_chair(BEN)

    asyncio.run(run())


def test_two_answers_to_one_question_do_not_answer_the_next(place: Place) -> None:
    async def run() -> None:
        room = make_room(*place)
        async with at_table(room, ANA, BEN) as (ana, _):
            number = await listen(room, ana, "answer")
            room.say(BEN, "The inspector retypes forms.", number)
            with pytest.raises(RuleBroken, match="Somebody answered first"):
                room.say(ANA, "Something else.", number)
            await listen(room, ana, "answer")
            with pytest.raises(RuleBroken, match="Somebody answered first"):
                room.say(ANA, "Something else.", number)

    asyncio.run(run())


def test_what_was_said_too_late_for_the_discussion_is_shown_and_answers_nothing(place: Place) -> None:
    async def run() -> None:
        room = make_room(*place)
        async with at_table(room, ANA, BEN) as (ana, _):
            await discuss(room, ana)
            number = await listen(room, ana, "discussion")
            room.say(ANA, "done", number)
            room.say(BEN, "One more thing!", number)
            await listen(room, ana, "menu")
            (late,) = [entry for entry in entries(room, "notice") if "One more thing!" in entry.line.words]
            assert "Alex" in late.line.words

    asyncio.run(run())


def test_words_that_were_asked_about_keep_the_name_of_their_author(place: Place) -> None:
    async def run() -> None:
        room = make_room(*place)
        async with at_table(room, ANA, BEN) as (ana, ben):
            await discuss(room, ana)
            await say(room, ben, "Are we done?", "discussion")
            await say(room, ana, "Continue", "exit")
            await listen(room, ana, "discussion")
        said = {entry.line.words: entry.line.by for entry in entries(room, "contribution")}
        assert said["Are we done?"] == "Alex"

    asyncio.run(run())


def test_a_draft_is_taken_as_it_is_or_as_it_was_edited(tmp_path: Path) -> None:
    from project import project

    async def run() -> None:
        root, item = project(tmp_path / "project")
        (item / "draft.md").write_text("# Offline forms\n\nInspectors should save a form without signal.\n")
        room = make_room(root, item)
        async with at_table(room, ANA) as (ana,):
            number = await listen(room, ana, "answer")
            question = room.question
            assert question is not None and question.draft and "Draft" not in question.words
            with pytest.raises(RuleBroken, match="Write an answer"):
                room.say(ANA, "", number)
            room.say(ANA, question.draft, number)
            await listen(room, ana, "answer")
            assert entries(room, "answer")[0].line.words == question.draft

    asyncio.run(run())


def test_the_documents_that_changed_are_shown_before_the_menu(place: Place) -> None:
    async def run() -> None:
        room = make_room(*place)
        async with at_table(room, ANA) as (ana,):
            for words in ANSWERS:
                await say(room, ana, words, "answer")
            await listen(room, ana, "menu")
            (menu,) = entries(room, "menu")
            added = "\n+**Point**: The inspector retypes forms."
            assert [entry for entry in room.entries if added in entry] == [menu]

    asyncio.run(run())


def test_a_table_that_is_opened_again_shows_the_turns_of_the_discussion_that_was_cut_off(
    place: Place,
) -> None:
    async def run() -> None:
        first = make_room(*place)
        async with at_table(first, ANA, BEN) as (ana, ben):
            await discuss(first, ana)
            await say(first, ben, "We go with option B.", "discussion")
            await listen(first, ana, "discussion")
        again = make_room(*place)
        async with at_table(again, BEN) as (ben,):
            await listen(again, ben, "choice")
            said = [
                (entry.line.turn, entry.line.by or entry.line.name)
                for entry in entries(again, "contribution")
            ]
            assert (1, "Maya Chen (Business Analyst)") in said
            assert (4, "Alex") in said and len(said) >= 5
            words = [entry.line.words for entry in entries(again)]
            assert words.count(entries(again, "contribution")[-1].line.words) == 1

    asyncio.run(run())


def test_a_discussion_that_was_cut_off_before_the_user_spoke_is_shown_once(place: Place) -> None:
    async def run() -> None:
        first = make_room(*place)
        async with at_table(first, ANA) as (ana,):
            await discuss(first, ana)
            await listen(first, ana, "discussion")
        again = make_room(*place)
        async with at_table(again, ANA) as (ana,):
            await say(again, ana, "R", "choice")
            await say(again, ana, "done", "discussion")
            await say(again, ana, "E", "menu")
            await listen(again, ana, "discussion")
            turns = [entry.line.turn for entry in entries(again, "contribution")]
            assert turns == [1, 2, 3, 1, 2, 3]

    asyncio.run(run())


def test_words_redraw_no_table_and_are_appended_to_no_other_speakers(place: Place) -> None:
    root, item = place
    drawn: list[str] = []
    heard: list[Callable[[str, str], None]] = []

    def start(**options: Any) -> tuple[Session, StoppablePanel]:
        heard.append(options["on_words"])
        return start_with(root)(item.name, **options)

    def count(template: str, **given: Any) -> str:
        drawn.append(template)
        return draw(template, **given)

    async def run() -> None:
        room = Room(item.name, start, count)
        async with at_table(room, ANA) as (ana,):
            await listen(room, ana, "answer")
            before = drawn.count("_table.html")
            for piece in range(50):
                heard[0]("business-analyst", f"{piece} ")
                await ana.until(partial(has_said, f"{piece} "))
            assert drawn.count("_table.html") - before <= 2
            heard[0]("stranger", "Mine.")
            await ana.until(partial(has_said, "Mine."))
            assert "".join(piece["text"] for piece in speech(ana)) == "Mine."

    def speech(reader: Follower) -> list[dict[str, Any]]:
        words = [json.loads(event["data"]) for event in reader.events if event["event"] == "words"]
        begins = max((at for at, each in enumerate(words) if not each["from"]), default=0)
        return words[begins:]

    def has_said(piece: str, reader: Follower) -> bool:
        return any(each["text"].endswith(piece) for each in speech(reader))

    asyncio.run(run())


def test_the_table_closes_when_nobody_follows_it(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roundtable.surfaces.web.room.IDLE", 0.0)

    async def run() -> None:
        room = make_room(*place)
        async with at_table(room, ANA) as (ana,):
            await listen(room, ana, "answer")
            await ana.leave()
            watcher = Follower(room, BEN)
            await watcher.until(lambda _: not room.is_open)
            await watcher.leave()

    asyncio.run(run())


def test_a_failure_of_the_session_is_said_in_the_room(place: Place) -> None:
    async def run() -> None:
        first, second = make_room(*place), make_room(*place)
        async with at_table(first, ANA) as (ana,):
            await listen(first, ana, "answer")  # now it holds the lock; opened together, either may get it
            async with at_table(second, BEN) as (ben,):
                await ben.until(lambda _: not second.is_open)
                assert "is in use by" in entries(second, "error")[0].line.words

    asyncio.run(run())


def test_two_hundred_readers_get_everything_once_and_one_that_does_not_read_slows_nobody(
    place: Place,
) -> None:
    async def run() -> None:
        room = make_room(*place)
        stuck = room.follow(Guest("Stuck", MEMBER))
        await anext(stuck)  # and never again
        async with at_table(room, ANA) as (ana,):
            await listen(room, ana, "answer")
            gc.collect()
            tracemalloc.start()
            before = tracemalloc.get_traced_memory()[0]
            readers = [Follower(room, Guest(f"Reader {number}", MEMBER)) for number in range(200)]
            for each in readers:
                await each.until(lambda reader: len(reader.ids) == len(room.entries))
            used = tracemalloc.get_traced_memory()[0] - before
            tracemalloc.stop()
            assert used / len(readers) < 200_000
            await discuss(room, ana)
            await listen(room, ana, "discussion")
            expected = [f"{room.run_id}-{number + 1}" for number in range(len(room.entries))]
            for each in readers:
                await each.until(lambda reader: len(reader.ids) >= len(expected))
                assert each.ids == expected
            for each in readers:
                await each.leave()
        await stuck.aclose()  # type: ignore[attr-defined]

    asyncio.run(run())


DRAFT = Draft(
    insights=(Entry("One", (1,)), Entry("Two", (2,))),
    decisions=(Entry("Three", (3,), "because"),),
    questions=(Entry("Four", (4,)),),
).number_entries()
KEPT = {f"keep-{number}": "yes" for number in range(1, 5)}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (KEPT, []),
        (KEPT | {"text-1": "One", "text-3": "Three: because"}, []),
        (KEPT | {"text-2": "Two\n and a half"}, ["edit 2 Two and a half"]),
        (KEPT | {"keep-2": "", "keep-4": ""}, ["drop 2 4"]),
        (
            KEPT | {"add": "Ours", "part": "decision", "keep-4": "", "keep-1": ""},
            ["add decision: Ours", "drop 1 4"],
        ),
        (KEPT | {"add": "Ours", "part": "insight", "text-3": "Third"}, ["edit 3 Third", "add insight: Ours"]),
        (KEPT | {"add": "Ours", "part": "nonsense"}, []),
    ],
)
def test_a_review_form_becomes_what_somebody_would_type(fields: dict[str, str], said: list[str]) -> None:
    assert list_changes(DRAFT, fields) == said


@pytest.mark.rule("SYN-8")
def test_the_chair_reviews_the_synthesis_with_a_form(place: Place) -> None:
    async def run() -> None:
        room = make_room(*place, review=True)
        async with at_table(room, ANA, BEN) as (ana, _):
            await discuss(room, ana)
            await say(room, ana, "We go with option B.", "discussion")
            await say(room, ana, "done", "discussion")
            number = await listen(room, ana, "review")
            draft = room.draft
            assert draft is not None and len(draft.entries) == 2
            fields = {
                "keep-2": "yes",
                "text-2": "We take option B: it is cheap",
                "add": "Ask Eva",
                "part": "action",
            }
            with pytest.raises(RuleBroken, match="chair"):
                room.review(BEN, fields, number)
            with pytest.raises(RuleBroken, match="Nothing was added"):
                room.review(ANA, {"only": "add", "add": " ", "part": "action"}, number)
            room.review(ANA, fields, number)
            await listen(room, ana, "menu")
            with pytest.raises(RuleBroken, match="nothing to review"):
                room.review(ANA, fields, number)

    asyncio.run(run())
    text = (place[1] / "quick-scan.md").read_text()
    assert "- We take option B: it is cheap" in text and "- Ask Eva" in text
    assert "Answers can differ." not in text


def test_going_back_brings_the_answer_to_edit_and_only_the_chair_pauses(place: Place) -> None:
    async def run() -> None:
        room = make_room(*place)
        async with at_table(room, ANA, BEN) as (ana, _):
            await say(room, ana, ANSWERS[0], "answer")
            first = len(room.entries)
            await ana.until(lambda _: room.awaits == "answer" and len(room.entries) > first)
            with pytest.raises(RuleBroken, match="chair"):
                room.say(BEN, "quit", room.listen_number)
            before = room.listen_number
            room.say(BEN, "back", before)
            await ana.until(lambda _: room.awaits == "answer" and room.listen_number > before)
            assert room.question is not None
            assert (room.question.draft, room.question.source) == (ANSWERS[0], "your answer")
            assert "Draft" not in room.question.words

    asyncio.run(run())


def test_a_draft_that_is_a_word_of_the_line_below_it_stands_alone(place: Place) -> None:
    async def run() -> None:
        room = make_room(*place)
        async with at_table(room, ANA) as (ana,):
            before = await listen(room, ana, "answer")
            room.say(ANA, "draft", before)
            await ana.until(lambda _: room.awaits == "answer" and room.listen_number > before)
            before = room.listen_number
            room.say(ANA, "back", before)
            await ana.until(lambda _: room.awaits == "answer" and room.listen_number > before)
            assert room.question is not None
            assert (room.question.draft, room.question.source) == ("draft", "your answer")
            assert "Draft" not in room.question.words

    asyncio.run(run())
