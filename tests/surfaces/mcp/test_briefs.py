"""What a host reads with each move: all that a person is to see, and what keeps it from being wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hosting import Host, Refusal, Says, here, play
from project import ANSWERS, project, talk

Place = tuple[Path, Path]
MAYA = "Maya Chen (Business Analyst)"
ALEX = "Alex Rivera (Solutions Architect)"
AGAINST = {
    2: Says("Option A locks each form on the van's tablet."),
    3: Says("I contradict Alex: the lock times out.", {"opposes": 2}),
}


def shown(player: Host) -> list[dict[str, Any]]:
    found = player.last.get("lines", [])
    assert isinstance(found, list)
    return found


# --- the lines ------------------------------------------------------------------------------------------


@pytest.mark.rule("LOOP-3")
def test_what_a_persona_says_and_what_was_relayed_comes_back_as_it_counts(place: Place) -> None:
    root, item = place

    async def test() -> None:
        async with here(root) as (player, _):
            await player.start(item.name, "00-01")
            await player.obey()
            assert shown(player)[0]["text"].startswith(f"{MAYA}: We just covered Scope Estimation.")
            await player.send(
                "submit_turn", speaker="solutions-architect", text=" The gateway\x07 is narrow. "
            )
            assert shown(player) == [
                {"kind": "contribution", "text": f"{ALEX}: The gateway is narrow.", "turn": 2}
            ]
            await player.obey()
            await player.send("relay_user", words=" Alex, how many? ")
            (said,) = shown(player)
            assert (said["text"], said["speaker"], said["turn"]) == ("Alex, how many?", "user", 4)
            assert "context" not in player.last
            await player.until_heard()
            await player.send("relay_user", words="done!")
            assert [each["kind"] for each in shown(player)] == ["choice", "acknowledgement"]

    play(test())


def test_a_move_says_how_long_the_words_may_be(place: Place) -> None:
    root, item = place

    async def test() -> None:
        async with here(root) as (player, _):
            await player.start(item.name)
            assert player.move["limits"] == "at most 20,000 characters"
            await player.start(item.name, "00-01")
            assert (player.move["kind"], player.move["limits"]) == ("framing", "about 60 words, at most 90")
            await player.obey()
            assert (player.move["kind"], player.move["limits"]) == ("turn", "about 110 words, at most 170")
            with pytest.raises(Refusal, match="The text has 171 words; at most 170 are taken"):
                await player.send("submit_turn", speaker=player.move["speaker"], text="word " * 171)
            await player.until_heard()
            await player.send("relay_user", words="done")
            assert player.move["limits"] == "each entry one or two sentences"

    play(test())


@pytest.mark.rule("LOOP-9", "TABLE-1")
def test_a_turn_that_is_too_long_for_a_line_comes_whole_in_the_context(place: Place) -> None:
    root, item = place

    async def test() -> None:
        async with here(root) as (player, _):
            await player.start(item.name, "00-01")
            await player.until_heard()
            await player.send("relay_user", words=f"Alex, {'the rows are old. ' * 300}Never delete them.")
            assert "Never delete them." not in shown(player)[0]["text"]
            assert "Never delete them." in player.last["context"]

    play(test())


@pytest.mark.rule("TABLE-1")
def test_a_step_that_is_opened_again_after_another_is_named_again(raw: Place) -> None:
    root, item = raw

    async def test() -> None:
        async with here(root) as (player, _):
            await player.start(item.name)
            for words in (*ANSWERS, "C", *ANSWERS, "00-01", "skip", "skip"):
                if words in ("C", "00-01"):
                    await player.play(["E", "done"])
                await player.send("relay_user", words=words)
            await player.send("relay_user", words="E")
            assert player.last["context"].endswith("The step: 00-01 Scope Estimation, led by Maya Chen.")
            await player.obey()
            assert "context" not in player.last  # and only once

    play(test())


@pytest.mark.rule("LOOP-6", "LOOP-8")
def test_a_host_that_lets_every_persona_yield_has_the_user_asked_whether_to_wrap_up(place: Place) -> None:
    root, item = place

    async def test() -> None:
        async with here(root) as (player, _):
            await player.start(item.name, "00-01")
            await player.until_heard()
            await player.send("relay_user", words="")
            for _ in range(3):
                assert player.move["purpose"] == "go-on"
                assert "Only if nothing is left to say, answer PASS." in player.move["brief"]
                assert any("passes=true" in call for call in player.move["legal"])
                await player.send("submit_turn", speaker=player.move["speaker"], text="", passes=True)
            assert "inactivity" in [each["kind"] for each in shown(player)]

    play(test())


def test_words_that_were_heard_through_the_client_come_back_as_the_persons(place: Place) -> None:
    root, item = place

    async def test() -> None:
        async with here(root, user=["Alex, how many?"]) as (player, _):
            await player.start(item.name, "00-01")
            await player.until_heard()
            await player.send("hear_user")
            assert shown(player) == [
                {"kind": "contribution", "text": "Alex, how many?", "speaker": "user", "turn": 4}
            ]

    play(test())


def test_what_became_of_the_persons_words_comes_back_where_it_is_something_else(tmp_path: Path) -> None:
    root, item = project(tmp_path / "project")
    (item / "draft.md").write_text("# Offline forms\n\nInspectors should save a form without signal.\n")

    async def test() -> None:
        async with here(root) as (player, _):
            await player.start(item.name)
            assert "(Enter takes the draft.)" in shown(player)[-1]["text"]
            await player.send("relay_user", words="")
            taken, question = shown(player)
            assert (taken["kind"], taken["speaker"]) == ("answer", "user")
            assert "Inspectors should save a form" in taken["text"]
            assert question["kind"] == "question"
            await player.send("relay_user", words="They wait for \x1b[31mpaper.")
            assert shown(player)[0]["text"] == "They wait for paper."

    play(test())


@pytest.mark.rule("STEP-5")
def test_a_section_is_shown_before_anybody_is_asked_about_it(raw: Place) -> None:
    root, item = raw

    async def test() -> None:
        async with here(root) as (player, _):
            await player.start(item.name)
            await player.send("relay_user", words="The inspector retypes forms.")
            await player.send("relay_user", words="60 inspectors")
            section, wrote = [each for each in shown(player) if each["kind"] == "update"]
            assert section["text"].startswith(
                "### 1. Scope\n\n**Point**: The inspector retypes forms (unverified).\n"
            )
            assert section["text"].endswith("**Measure**: 60 inspectors (unverified)")
            assert wrote["text"] == 'Wrote quick-scan.md, section "1. Scope".'
            assert player.move["kind"] == "menu"

    play(test())
    assert "retypes forms (unverified)" in (item / "quick-scan.md").read_text()


def test_leaving_is_answered_in_json_too(place: Place) -> None:
    root, item = place

    async def test() -> None:
        async with here(root) as (player, _):
            await player.start(item.name)
            left = json.loads(await player.raw("leave", session=item.name))
            assert left == {
                "session": item.name,
                "note": f"{item.name} is free, and everything is saved. start goes on from there.",
            }

    play(test())


# --- the briefs -----------------------------------------------------------------------------------------


@pytest.mark.rule("LOOP-7", "SYN-2")
def test_the_persons_objection_is_kept_and_is_no_disagreement_of_the_personas(place: Place) -> None:
    root, item = place

    async def test() -> None:
        async with here(root) as (player, _):
            await player.start(item.name, "00-01")
            await player.until_heard()
            await player.send("relay_user", words="No, that never happens.")
            assert (player.move["speaker"], player.move["purpose"]) == ("business-analyst", "answer")
            words = {"speaker": "business-analyst", "text": "Then nobody waits."}
            await player.send("submit_turn", **words, user_opposes=3, decides=[4])
        async with here(root) as (player, _):
            await player.start(item.name, "00-01")
            await player.until_heard()
            await player.send("relay_user", words="done")
            entry = {"text": "It never happens.", "turns": [1, 2, 3, 4], "detail": "the user said so"}
            await player.send("submit_judgement", decisions=[entry], summary="Identified 1 gap")
            await player.until_heard()

    play(test())
    transcript = (item / "elaborations" / "00-01-1.md").read_text()
    assert "Opposes" not in transcript and "Holds a decision" not in transcript  # said by the host alone
    words = '(unverified) ("No, that never happens."): the user said so'
    assert f"- [User/Maya/Alex/Jordan] It never happens {words}" in transcript


@pytest.mark.rule("SYN-3", "FOCUS-2")
def test_a_turn_that_was_put_off_and_decides_something_is_only_said_to_be_cited(place: Place) -> None:
    root, item = place

    async def test() -> None:
        async with here(root) as (player, _):
            await player.start(item.name, "00-01")
            await player.play(["We go with A, whatever the weather."])
            await player.send("relay_user", words="done")
            assert "is cited by a decision, 4 among them." in player.move["brief"]

    play(test())


@pytest.mark.rule("SYN-3", "FOCUS-2", "LOOP-7")
def test_a_synthesis_is_asked_for_with_all_that_the_program_knows_of_the_turns(place: Place) -> None:
    root, item = place

    async def test() -> None:
        async with here(root) as (player, _):
            player.says = {**AGAINST, 7: Says("I contradict Jordan: it is open.", {"opposes": 3})}
            await player.start(item.name, "00-01")
            await player.play(["We go with A.", "And the weather?"])
            await player.send("relay_user", words="done")
            brief = player.move["brief"]
            assert "every turn that settles something is cited by a decision, 5 among them." in brief
            assert "an assumption as an assumption" in brief
            again = await player.start(item.name)
            assert "Turn 5, the user:\n| We go with A.\n\nTurn 6, " in again["context"]

    play(test())


@pytest.mark.rule("SYN-3")
def test_a_synthesis_of_a_discussion_without_any_of_that(place: Place) -> None:
    root, item = place

    async def test() -> None:
        async with here(root) as (player, _):
            await player.start(item.name, "00-01")
            await player.until_heard()
            await player.send("relay_user", words="done")
            assert "is cited by a decision. At most 8 entries a list" in player.move["brief"]

    play(test())


@pytest.mark.rule("FRAME-2")
def test_a_framing_is_asked_for_beside_the_lead_s_own_lens(place: Place) -> None:
    root, item = place

    async def test() -> None:
        async with here(root) as (player, _):
            await player.start(item.name, "00-01")
            assert (
                "needs more than Maya Chen's lens (user needs, business value, stakeholder impact)"
                in player.move["brief"]
            )

    play(test())


# --- who gave the words ---------------------------------------------------------------------------------


def test_a_discussion_that_another_panel_finishes_names_both(place: Place) -> None:
    root, item = place

    async def test() -> None:
        async with here(root) as (player, _):
            await player.start(item.name, "00-01")
            await player.until_heard()

    play(test())
    talk(root, item, ["Alex, why?", "done", "E", "done"])
    first, second = ((item / "elaborations" / f"00-01-{number}.md").read_text() for number in (1, 2))
    assert "- **Panel**: host (one model speaks for every persona), then scripted\n" in first
    assert "- **Panel**: scripted\n" in second


# --- the table, the review, a new item ------------------------------------------------------------------


@pytest.mark.rule("TABLE-1", "TABLE-3")
def test_everything_that_is_held_is_sent_once_and_the_host_uses_its_own_tools(place: Place) -> None:
    root, item = place
    (item / "notes.md").write_text("# Notes\n\n- Open question: Who prints?\n")
    records = root / "docs" / "adr"
    records.mkdir(parents=True)
    (records / "0001-forms.md").write_text("# Forms are kept\n\n## Decision\n\nInspectors keep forms.\n")

    async def test() -> None:
        async with here(root) as (player, _):
            context = (await player.start(item.name, "00-01"))["context"]
            parts = (
                "with your own tools", "The item:\n| Offline forms",
                "A decision that may bear on this, docs/adr/0001-forms.md:",
                "The document notes.md:", "The document quick-scan.md:",
                "Still open:\n| - Who prints? (notes.md)",
            )  # fmt: skip
            places = [context.index(part) for part in parts]
            assert places == sorted(places)
            assert "<!-- Step" not in context  # which is for the program alone
            await player.until_heard()
            assert "@@" not in context  # which is how a model replies
            assert all("The document" not in answer for answer in player.answers[1:])

    play(test())


@pytest.mark.rule("SYN-8")
def test_the_person_reviews_what_is_written(raw: Place) -> None:
    root, item = raw

    async def test() -> None:
        async with here(root) as (player, _):
            player.accepts = False
            await player.start(item.name)
            await player.play([*ANSWERS, "E", "We go with A.", "done"])
            assert (player.move["kind"], player.move["speaker"]) == ("review", "user")
            assert "Nothing is written before they accept" in player.move["brief"]
            assert "1. [Alex] Answers can differ." in shown(player)[-1]["text"]
            before = (item / "quick-scan.md").read_bytes()
            await player.send("relay_user", words="drop 1")
            assert player.move["kind"] == "review"
            await player.send("relay_user", words="add decision: Paper stays: the cellar is wet")
            assert (item / "quick-scan.md").read_bytes() == before
            await player.send("relay_user", words="accept")
            assert player.move["kind"] == "menu"

    play(test())
    document = (item / "quick-scan.md").read_text()
    assert "Answers can differ" not in document
    assert "- Paper stays (unverified): the cellar is wet (unverified)" in document


@pytest.mark.rule("FOCUS-1")
def test_the_lead_leads_back_in_its_own_words_and_an_insisting_person_is_heard(place: Place) -> None:
    root, item = place

    async def test() -> None:
        async with here(root) as (player, _):
            await player.start(item.name, "00-01")
            await player.until_heard()
            await player.send("relay_user", words="How is the weather?")
            words = {"speaker": "business-analyst", "text": "Rain does matter later."}
            await player.send("submit_turn", **words, user_off_topic="the weather", user_belongs_to="03-02")
            (line,) = [each for each in shown(player) if each["kind"] == "redirect"]
            assert line["text"] == (
                f"{MAYA}: That is a great question for Architecture. For now, let us focus on "
                "differing answers. Rain does matter later."
            )
            assert player.move["kind"] == "discussion"
            await player.send("relay_user", words="But the weather decides whether there is signal.")
            assert "The user insists on what was put off before: go into it." in player.move["brief"]
            await player.send("submit_turn", **words, user_off_topic="the weather")
            assert [each["kind"] for each in shown(player)] == ["contribution"]

    play(test())


def test_an_item_can_be_added_in_the_persons_words(raw: Place) -> None:
    async def test() -> None:
        async with here(raw[0]) as (player, _):
            added = json.loads(await player.raw("add_item", text="Late returns\n\nNobody is told."))
            assert (added["item"], added["title"]) == ("late-returns", "Late returns (unverified)")
            for text in ("", " \n", "x" * 20_001):
                with pytest.raises(Refusal, match="An item needs a text of 1 to 20,000 characters"):
                    await player.raw("add_item", text=text)

    play(test())
    draft = raw[1].with_name("late-returns") / "draft.md"
    below = "Added by a host over MCP, not typed by the user: title and text (unverified)."
    assert draft.read_text() == f"# Late returns (unverified)\n\nNobody is told.\n\n{below}\n"
