"""What a message means in a discussion and at a menu (rules HEAR-1 to HEAR-4, EXIT-1, MENU-3)."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtable.core.hearing import (
    Heard,
    MenuMeaning,
    address,
    hear,
    hear_agreement,
    hear_aside,
    hear_choice,
    hear_edit,
    hear_exit_answer,
    hear_menu,
)
from roundtable.core.personas import Persona, Roster


def persona(key: str, name: str) -> Persona:
    return Persona(key, name, "Role", "Role", (), "user", ())


ROSTER = Roster(
    (persona("maya", "Maya Chen"), persona("alex", "Alex Rivera"), persona("jordan", "Jordan Park"))
)


@pytest.mark.rule("HEAR-1")
@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u200b", "\ufeff \u2060", "\x00\x07", "\u00a0"])
def test_nothing_to_be_seen_is_silence(text: str) -> None:
    assert hear(text, ROSTER) == Heard("silence", None)


@pytest.mark.rule("HEAR-1", "EXIT-1")
def test_an_exit_goes_before_an_address() -> None:
    assert hear("done", ROSTER) == Heard("exit", None)
    assert hear("wrap up, Alex, everyone", ROSTER) == Heard("exit", None)
    assert hear("Alex, I'm done", ROSTER) == Heard("unclear-exit", None)
    assert hear("everyone done?", ROSTER) == Heard("unclear-exit", None)


@pytest.mark.rule("HEAR-1")
def test_a_direct_address_goes_before_the_group() -> None:
    assert hear("What do you all think, Jordan?", ROSTER) == Heard("direct", "jordan")
    assert hear("Everyone, and Maya: what now", ROSTER) == Heard("direct", "maya")


@pytest.mark.rule("HEAR-2")
@pytest.mark.parametrize(
    "text",
    [
        "Alex, how does it scale?",
        "alex: how",
        "ALEX?",
        "Alex how does it scale",
        "Alex\nhow",
        "Alex",
        "  Alex  ",
        "@Alex how",
        '"Alex, how',
        "how does it scale, Alex?",
        "so Alex, how",
        "I ask Alex: how",
        "Et toi, Alex ?",
        "Alex， how",
        "—Alex, how",
        "Alex Rivera, how",
        "Alex Rivera: how",
        "and you, Alex Rivera?",
        "Alex Riverside flows",
    ],
)
def test_a_first_name_addresses(text: str) -> None:
    assert hear(text, ROSTER) == Heard("direct", "alex")


@pytest.mark.rule("HEAR-2", "HEAR-4")
@pytest.mark.parametrize(
    "text",
    [
        "I think Alex is right",
        "ask Alex",
        "Alex's point, though",
        "Alex’s point, though",
        "we liked Alex's, too",
        "Alex Rivera made a point",
        "Alex Rivera",
        "Alex Rivera's point",
        "as Alex Rivera said",
        "Alexa, play",
        "non-Alex, that is",
        "bob@alex, hm",
        "d'Alex, oui",
        "preAlex, that",
        "Alex!",
        "Alex-like, that",
        "Rivera, how",
        "architect, how",
        "Solutions Architect: how",
    ],
)
def test_other_uses_of_a_name_do_not_address(text: str) -> None:
    assert hear(text, ROSTER) == Heard("open", None)


@pytest.mark.rule("HEAR-2")
def test_of_several_names_the_earliest_that_addresses_counts() -> None:
    assert hear("Jordan, and then Maya, what?", ROSTER) == Heard("direct", "jordan")
    assert hear("Jordan and Maya, what?", ROSTER) == Heard("direct", "jordan")
    assert hear("as Jordan says, Maya, what?", ROSTER) == Heard("direct", "maya")
    assert hear("Jordan's point, Maya?", ROSTER) == Heard("direct", "maya")
    assert hear("so Jordan, and Maya, what", ROSTER) == Heard("direct", "jordan")


@pytest.mark.rule("HEAR-2", "PERS-4")
def test_names_of_any_language_address() -> None:
    roster = Roster(
        (
            persona("jose", "José de la Cruz"),
            persona("neil", "O'Neil Smith"),
            persona("luc", "Jean-Luc Godard"),
            persona("cher", "Cher"),
            persona("team", "Team Lee"),
        )
    )
    for form in ("NFC", "NFD"):
        assert hear(unicodedata.normalize(form, "JOSÉ, qué?"), roster) == Heard("direct", "jose")
    assert hear("Jose, qué?", roster) == Heard("open")
    assert hear("José de la Cruz has it", roster) == Heard("open")
    assert hear("José Cruz has it", roster) == Heard("open")
    assert hear("and José de la Cruz?", roster) == Heard("direct", "jose")
    assert hear("O’Neil, how", roster) == Heard("direct", "neil")
    assert hear("jean-luc how", roster) == Heard("direct", "luc")
    assert hear("Cher how", roster) == Heard("direct", "cher")
    assert hear("Team, how", roster) == Heard("direct", "team")
    assert hear("the team is small", roster) == Heard("group")


@pytest.mark.rule("HEAR-3")
@pytest.mark.parametrize(
    "text",
    [
        "What do you all think about caching?",
        "you  all",
        "EVERYONE please",
        "I ask all of you",
        "hello team!",
        "What do you think?",
        "what do you\nthink about it",
        "the 'team' then",
    ],
)
def test_the_group_is_addressed(text: str) -> None:
    assert hear(text, ROSTER) == Heard("group", None)


@pytest.mark.rule("HEAR-3", "HEAR-4")
@pytest.mark.parametrize(
    "text",
    [
        "I tell you. All is good",
        "the teams differ",
        "steam",
        "the team's load",
        "everyone's view",
        "cross-team work",
        "a team-wide rule",
        "you allow it",
        "What about error handling?",
        "?",
    ],
)
def test_nobody_is_addressed(text: str) -> None:
    assert hear(text, ROSTER) == Heard("open", None)


@pytest.mark.rule("EXIT-1", "HEAR-2")
def test_a_held_message_keeps_its_address() -> None:
    assert address("Alex, I'm done", ROSTER) == Heard("direct", "alex")
    assert address("is everyone done?", ROSTER) == Heard("group")
    assert address("are we done?", ROSTER) == Heard("open")


@pytest.mark.rule("HEAR-1")
@given(st.text())
def test_any_text_is_heard(text: str) -> None:
    heard = hear(text, ROSTER)
    assert (heard.persona is not None) == (heard.kind == "direct")


@pytest.mark.rule("EXIT-1")
@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("done", "exit"),
        ("Yes", "exit"),
        ("yeah.", "exit"),
        ("yep!", "exit"),
        ("yes please", "exit"),
        ("yes, end it", "exit"),
        ("end", "exit"),
        ("no, end the discussion", "exit"),
        ("are we done?", "exit"),
        ("I said I'm done", "exit"),
        ("no", "continue"),
        ("Nope", "continue"),
        ("continue", "continue"),
        ("no, let's continue", "continue"),
        ("yes, continue", "continue"),
        ("not yet", "continue"),
        ("no, not done yet", "continue"),
        ("", "continue"),
        (" \u200b", "continue"),
        ("yes, but what of sync", "contribution"),
        ("no sync is needed", "contribution"),
        ("Alex, how?", "contribution"),
        ("let's talk about sync", "contribution"),
        ("ok", "contribution"),
        ("end users need it", "contribution"),
        ("continue the discussion", "continue"),
        ("keep going", "continue"),
        ("yeah, end it", "exit"),
    ],
)
def test_the_answer_to_an_unclear_exit(text: str, meaning: str) -> None:
    assert hear_exit_answer(text) == meaning


@pytest.mark.rule("MENU-3")
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("E", "elaborate"),
        ("e", "elaborate"),
        ("[E]", "elaborate"),
        ("elaborate", "elaborate"),
        ("Bring in the others!", "elaborate"),
        ("please elaborate on this", "elaborate"),
        ("C", "continue"),
        ("c.", "continue"),
        ("", "continue"),
        ("  \n", "continue"),
        ("Continue", "continue"),
        ("ok, next please", "continue"),
        ("go on", "continue"),
        ("can we continue now?", "continue"),
        ("let's move on", "continue"),
        ("ok", "continue"),
        ("thank you", "continue"),
        ("That's fine, go on.", "continue"),
        ("looks good", "continue"),
        ("Go on to the next step, please.", "continue"),
        ("on to the next phase", "continue"),
        ("move to the next one", "continue"),
        ("go with the next option", "feedback"),
        ("Continue to Requirements", "continue"),
        ("continue to requirements of the law", "feedback"),
        ("sounds good to me, next", "continue"),
        ("yes", "continue"),
        ("cool thanks", "continue"),
        ("nice, lets go on", "continue"),
        ("Lets continue", "continue"),
        ("start the roundtable", "elaborate"),
        ("nice to have: a second printer", "feedback"),
        ("cool the server room first", "feedback"),
        ("Good, and continue", "continue"),
        ("great, bring in the others", "elaborate"),
        ("fine, skip the rest", "skip"),
        ("Good point but the second journey is missing", "feedback"),
        ("right side is wrong", "feedback"),
        ("fine and dandy", "feedback"),
        ("s", "skip"),
        ("S", "skip"),
        ("skip the rest", "skip"),
        ("Skip remaining steps in this phase.", "skip"),
        ("?", "feedback"),
        ("so", "feedback"),
        ("x", "feedback"),
        ("cc", "feedback"),
        ("continue the sync after a restart", "feedback"),
        ("next week is too late", "feedback"),
        ("skip ahead", "feedback"),
        ("elaborate on the second journey", "feedback"),
        ("users can continue", "feedback"),
    ],
)
def test_what_a_message_at_a_menu_chooses(text: str, kind: MenuMeaning) -> None:
    assert hear_menu(text, can_skip=True) == kind
    without_skip: MenuMeaning = "nothing-to-skip" if kind == "skip" else kind
    assert hear_menu(text, can_skip=False) == without_skip


RECOVERY = ("retry", "offline", "wrap up")


@pytest.mark.rule("GREET-6", "FAIL-1")
@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("", "retry"),
        ("\u200b ", "retry"),
        ("r", "retry"),
        ("[R]", "retry"),
        ("O", "offline"),
        ("w", "wrap up"),
        ("1", "retry"),
        ("2.", "offline"),
        ("3", "wrap up"),
        ("Retry", "retry"),
        ("off", "offline"),
        ("offline, please", "offline"),
        ("wrap", "wrap up"),
        ("up", "wrap up"),
        ("wrap up, please", "wrap up"),
        ("done", None),
        ("0", None),
        ("4", None),
        ("9" * 5000, None),
        ("x", None),
        ("?", None),
        ("ok", None),
        ("retry it later", None),
    ],
)
def test_a_small_choice_is_heard_in_many_ways(text: str, choice: str | None) -> None:
    assert hear_choice(text, RECOVERY) == choice


@pytest.mark.rule("GREET-5")
def test_an_ambiguous_choice_is_none() -> None:
    assert hear_choice("s", ("start over", "stop")) is None
    assert hear_choice("sto", ("start over", "stop")) == "stop"
    assert hear_choice("start", ("start", "start over")) == "start"
    assert hear_choice("over", ("start over", "get over")) is None
    assert hear_choice("done", ("start over", "leave")) is None
    assert hear_choice("so what", ("so what", "leave")) == "so what"


def test_no_choices_no_choice() -> None:
    assert hear_choice("", ()) is None
    assert hear_choice("1", ()) is None


@pytest.mark.rule("MENU-7")
def test_an_answer_to_edit_is_meant_by_its_whole_name_before_the_beginning_of_another() -> None:
    labels = ("Options", "Cost", "Options and Tradeoffs")
    assert hear_edit("edit options", labels) == "Options"
    assert hear_edit("edit cos", labels) == "Cost"
    assert hear_edit("edit opt", labels) is None


@pytest.mark.rule("STEP-4")
@pytest.mark.parametrize(
    "words",
    ["yes", "Yes, that fits.", "yes, that's it", "ok", "OK!", "Yes, exactly.", "that's right", "Looks good.",
     "sure", "fits"],
)  # fmt: skip
def test_plain_agreement_takes_a_draft(words: str) -> None:
    assert hear_agreement(words, "medium, complexity: low") == ""


@pytest.mark.rule("STEP-4")
@pytest.mark.parametrize(
    "words",
    ["", "no", "Yes, but only for admins", "ok is a status", "yes and no", "that fits in one table",
     "sure thing button", "correct the total", "It works offline", "Exactly 3 rows", "Agreed dates are kept",
     "Yes, it should be 90 days", "Add the CSV", "that's right after the export", "Yes, no rows are lost",
     "And the import", "sure, in March", "exactly, no, wait: it is the other way round", "Agreed, not.",
     "Exactly. Wrong.", "looks good: except the second, which is wrong", "Exactly, but not on Sundays",
     "That's right. But drop the third one.", "looks good, skip it", "Looks good, only smaller",
     "exactly, don't", "Correct. Actually it is high", "Agreed: drop the third", "right, except the export"],
)  # fmt: skip
def test_more_than_agreement_is_an_answer(words: str) -> None:
    assert hear_agreement(words, "medium, complexity: low") is None


@pytest.mark.rule("STEP-4")
@pytest.mark.parametrize(
    ("words", "more"),
    [
        ("Yes, and the CSV too.", "and the CSV too."),
        ("ok, plus the import", "plus the import"),
        ("Yes! Also the nightly run.", "Also the nightly run."),
        ("agreed: and a test", "and a test"),
    ],
)
def test_what_comes_after_the_agreement_is_said_besides_the_draft(words: str, more: str) -> None:
    assert hear_agreement(words, "medium, complexity: low") == more


@pytest.mark.rule("STEP-4", "MENU-3")
@pytest.mark.parametrize(
    ("words", "key"),
    [
        ("Alex, what do you think of sqlite here?", "alex"),
        ("alex what breaks?", "alex"),
        ("Maya: who uses it today?", "maya"),
        ("Maya, is that enough?", "maya"),
        ("Alex, could we use a queue?", "alex"),
        ("ALEX, WHY NOT?", "alex"),
        ("Maya, when do you need it?", "maya"),
        ("Alex, what breaks in store.py, or is it safe?", "alex"),
    ],
)
def test_a_question_to_the_table_is_no_answer(words: str, key: str) -> None:
    assert hear_aside(words, ROSTER) == key


@pytest.mark.rule("STEP-4", "MENU-3")
@pytest.mark.parametrize(
    "words",
    [
        "Maya?",
        "Maya or Alex?",
        "Alex, the ops lead?",
        "Alex is on call, right?",
        "Alex, what he says goes.",
        "Sam, what do you think?",
        "What do you want to export?",
        "Could you add the CSV?",
        "It asks: what would you do?",
        "What would you do? is the title of the page",
        "Alex has the keys",
        "They ask Alex, what now?",
        "Which files do you have?",
        "Maya will sign, who else?",
        "What would you do?",
        "what do you say to customers who lose a row?",
        "Maya, when a customer opens it in Excel, the columns have no names, right?",
        "Maya, when they export it, the columns have no names. Is that what you need?",
        "Alex, how it works today: people export a CSV and mail it. OK?",
        "Alex: what does legal need?\nMaya: who approves it?",
    ],
)
def test_a_name_or_a_question_mark_alone_asks_nobody(words: str) -> None:
    assert hear_aside(words, ROSTER) is None


def test_yes_to_a_draft_that_says_no_is_an_answer_of_its_own() -> None:
    assert hear_agreement("Yes", "No, the report only reads it.") is None
