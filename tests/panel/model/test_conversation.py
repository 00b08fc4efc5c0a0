"""One growing conversation: each request repeats the one before it, and material stays material."""

from __future__ import annotations

from itertools import takewhile

import pytest
from msgspec.structs import replace

from people import ALEX, ITEM, JORDAN, JOURNEYS, MAYA, ROSTER, STEPS, no_code
from roundtable.core.claims import check_contribution
from roundtable.core.commands import Answer, AskPersona, Brief, Purpose, StepBrief, Table
from roundtable.core.personas import Ban
from roundtable.core.turns import Material, Turn
from roundtable.panel.model import conversation as made
from roundtable.panel.model.conversation import Conversation, Usage, tokens

WORDS = "the desk may ask who has the form now and how far the van goes "
TABLE = Table(
    ITEM, JOURNEYS, ROSTER, MAYA, STEPS, (Material("requirements-spec.md", WORDS * 80),), 10,
    turns=tuple(Turn(number, key, WORDS * 6) for number, key in enumerate(ROSTER.keys, 1)),
)  # fmt: skip


def speak(brief: Brief) -> made.Conversation:
    return made.write_request(AskPersona(brief))


def test_a_request_is_the_one_before_it_and_what_was_said_since() -> None:
    first = speak(Brief(TABLE, ALEX, "go-on")).text
    longer = replace(TABLE, turns=(*TABLE.turns, Turn(4, "user", WORDS * 6)))
    second = speak(Brief(longer, MAYA, "answer", answers=4)).text
    raised = speak(Brief(replace(longer, max_turns=14), MAYA, "answer", answers=4)).text
    for before, after in ((first, second), (second, raised)):
        same = takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))
        assert sum(1 for _ in same) / len(after) > 0.9
    assert first.endswith(
        "\n\nNow turn 4 of 10: Alex Rivera. Take the discussion a step further: a case, a consequence or "
        "a contradiction that no turn has named. About 110 words, at most 170. Turns left after it: 6."
    )
    assert second.endswith(
        "\n\nNow turn 5 of 10: Maya Chen. Answer turn 4, the user's, first; "
        "then say what follows from it in your lens. About 110 words, at most 170. Turns left after it: 5. "
        "Judge turn 4, the user's, too."
    )


def test_a_brief_says_what_may_be_left_out_and_what_was_wrong() -> None:
    brief = Brief(TABLE, ALEX, "follow", may_pass=True, answers=2, again=("forbidden: x\ny (It is a ban.)",))
    assert speak(brief).brief == (
        "Now turn 4 of 10: Alex Rivera. Add to the answer to turn 2 what only your lens shows. "
        "About 110 words, at most 170. Turns left after it: 6. With nothing distinct to add, answer PASS. "
        "An earlier try was not accepted. Avoid what was wrong with it:\n| forbidden: x\n| y (It is a ban.)"
    )


@pytest.mark.rule("ART-8")
@pytest.mark.parametrize("purpose", ["first-round", "answer", "follow", "go-on", "tradeoff"])
def test_a_brief_said_back_is_no_contribution(purpose: Purpose) -> None:
    brief = speak(Brief(TABLE, ALEX, purpose, answers=2)).brief
    (fault,) = check_contribution(brief, ALEX, TABLE, no_code)
    assert fault.reason == "It repeats what you were told: say it in words of Alex's own."


@pytest.mark.rule("ART-8")
@pytest.mark.parametrize(
    "told",
    [
        "The desk waits." + made.fill("pass"),
        "The desk waits." + made.fill("yield"),
        made.fill("judge", number=4, suspected="").strip(),
        made.fill("speak-answer", answers=4),
        made.at_step(StepBrief(ITEM, JOURNEYS, ALEX, ROSTER, "standard", ()), "").system.splitlines()[0],
    ],
)
def test_a_part_of_what_was_told_said_back_is_no_contribution(told: str) -> None:
    """core/claims.py knows these phrases by heart: changing a prompt without it fails here."""
    (fault,) = check_contribution(told, ALEX, TABLE, no_code)
    assert fault.reason == "It repeats what you were told: say it in words of Alex's own."


@pytest.mark.rule("LOOP-6", "LOOP-8")
def test_who_goes_on_is_told_how_to_yield() -> None:
    assert speak(Brief(TABLE, ALEX, "go-on", may_yield=True)).brief.endswith(
        "Turns left after it: 6. Only if nothing is left to say, answer PASS."
    )
    assert "PASS" not in speak(Brief(TABLE, ALEX, "go-on")).brief


def test_personas_documents_and_turns_are_there_in_this_order() -> None:
    maya = replace(
        MAYA, identity="Stands by the user.", patterns=("Who waits?",), bans=(Ban("form", "x", "No x."),)
    )
    table = replace(TABLE, roster=replace(ROSTER, personas=(maya, ALEX, JORDAN)))
    text = made.at_table(table, "Now.").text
    parts = (
        "Maya Chen (Business Analyst): user needs, business value, stakeholder impact. Stands by the user.\n"
        "Sounds like: Who waits?\nLimits: No x.\n\nAlex Rivera",
        "Phases: 00 Quick Scan, 01 Requirements, 02 Impact Analysis, 03 Architecture, 04 Design\n",
        "The item:\n| offline mode feature\n| Inspectors fill in forms",
        "The document requirements-spec.md:\n| the desk",
        "The step: 01-03 User Experience & Journeys, led by Maya Chen.",
        "Turn 1, Maya Chen:\n| the desk",
        "Turn 3, Jordan Park:\n| the desk",
        "Now.",
    )
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


def test_no_more_of_the_documents_is_sent_than_can_be_read() -> None:
    many = tuple(Material(f"{number}.md", "x" * 30_000) for number in range(9))
    text = made.at_table(replace(TABLE, documents=many[:8], material=many[8:]), "").text
    assert text.count("The document") == text.count("[... the rest is left out]") == 5
    assert "Left out for length: 0.md, 1.md, 2.md, 3.md.\n" in text
    assert "The document 8.md" in text
    assert len(text) < 110_000
    assert "The document" not in made.at_table(replace(TABLE, material=(Material("a.md", " \n"),)), "").text


def test_marks_that_are_for_us_alone_are_not_sent() -> None:
    text = (
        "## 1. Scope\n\n<!-- Step 00-01: 4 characters, 0123abcd -->\n\nBig.\n\n"
        "<!-- Elaboration: step 00-01, 2026 -->\n### Elaboration Insights\n\n<!-- by hand -->\n"
    )
    told = made.at_table(replace(TABLE, material=(Material("a.md", text),)), "").text
    assert (
        "The document a.md:\n| ## 1. Scope\n|\n| Big.\n|\n| ### Elaboration Insights\n|\n| <!-- by hand -->\n"
        in told
    )


def test_a_persona_without_patterns_or_limits_has_no_empty_lines() -> None:
    bare = replace(MAYA, identity="She asks:", principles=(), patterns=(), towards=(), bans=())
    table = replace(TABLE, roster=replace(ROSTER, personas=(bare, ALEX, JORDAN)))
    assert "stakeholder impact. She asks:\n\nAlex Rivera" in made.at_table(table, "").text


def test_a_step_is_told_with_its_answers() -> None:
    answers = (
        Answer("Problem", "Who is stuck?", "The inspector."),
        Answer("Risk", "What?", "", unknown=True),
    )
    brief = StepBrief(ITEM, JOURNEYS, MAYA, ROSTER, "standard", answers)
    conversation = made.at_step(replace(brief, documents=(Material("a.md", "b"),)), "Go on.")
    assert "The document a.md:\n| b\n" in conversation.system
    assert conversation.system.endswith(
        'Answer "Problem", to the question "Who is stuck?":\n| The inspector.\n'
        'Answer "Risk", to the question "What?": not known; it stays open.'
    )
    assert conversation.brief == "Go on."


@pytest.mark.parametrize(("text", "number"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2)])
def test_four_characters_are_a_token(text: str, number: int) -> None:
    assert tokens(text) == number
    conversation = Conversation(text, (), "")
    assert Usage.estimate(conversation, "abcd") == Usage(number, 1, estimated=True)


def test_what_is_filled_in_is_never_filled_again() -> None:
    item = replace(ITEM, text="{{personas}} {{brief}} {x}")
    text = made.at_table(replace(TABLE, item=item), "{{turns}}").text
    assert "| {{personas}} {{brief}} {x}" in text
    assert text.endswith("{{turns}}")
