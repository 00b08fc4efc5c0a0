"""The review of a synthesis: nothing is written before the user has seen and accepted it (SYN-8)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtable.core import commands as do
from roundtable.core import events as on
from roundtable.core import lines
from roundtable.core.elaboration import Awaited, Elaboration, State
from roundtable.core.hearing import ReviewAnswer, hear_review
from roundtable.core.synthesis import Draft, Entry
from roundtable.core.turns import Verdict
from talk import AT, Talk

UNCLEAR = f"I did not understand that. {lines.REVIEW}"
UNKNOWN = f"There is no such entry. {lines.REVIEW}"
DRAFT = Draft(
    insights=(Entry("Forms are filled in twice.", (2,)), Entry("Nobody reads them.", (3,))),
    decisions=(Entry("Late forms are refused", (4,), "a lost form is expensive"),),
    questions=(Entry("Who is told?", (3,), "for Maya"),),
    summary="Found a gap",
)


def under_review(*messages: str) -> Talk:
    """Return a discussion that was ended and whose synthesis the user now reviews with these messages."""
    decided = {"Refuse late forms.": Verdict(decisions=(4,))}
    drafts: list[on.SynthesisDrafted | on.TaskFailed] = [on.SynthesisDrafted(DRAFT, AT)]
    talk = Talk(has_review=True, verdicts=decided, drafts=drafts).says("Refuse late forms.", "done")
    assert talk.now.awaits is Awaited.REVIEW
    return talk.says(*messages)


def block_of(talk: Talk) -> str:
    (update,) = (asked for asked in talk.asked if isinstance(asked, do.UpdateArtifacts))
    assert talk.texts("synthesis") == [update.block]
    return update.block


@pytest.mark.rule("SYN-8")
def test_nothing_is_written_before_the_user_accepts() -> None:
    talk = under_review()
    assert talk.commands[-1] == do.Listen("review")
    assert talk.texts("synthesis") == []
    assert not [asked for asked in talk.asked if isinstance(asked, do.UpdateArtifacts | do.SaveRecord)]
    (shown,) = talk.texts("review")
    assert "  1. [Alex] Forms are filled in twice." in shown
    assert '  3. Late forms are refused ("Refuse late forms."): a lost form is expensive' in shown
    assert "  4. Who is told?: for Maya" in shown
    assert talk.says("").now.has_ended
    assert "- [Alex] Forms are filled in twice.\n" in block_of(talk)


@pytest.mark.rule("SYN-8")
def test_entries_are_dropped_edited_and_added() -> None:
    talk = under_review(
        "drop 1 4",
        "edit 2 Nobody has read them since May",
        "add decision: Two offices: we have two",
        "accept",
    )
    block = block_of(talk)
    assert "filled in twice" not in block
    assert "Who is told" not in block
    assert "- [User/Jordan] Nobody has read them since May\n" in block
    assert "- Two offices: we have two\n" in block
    save = next(asked for asked in talk.asked if isinstance(asked, do.SaveRecord))
    assert [entry.text for entry in save.struck] == [
        "Forms are filled in twice.", "Nobody reads them.", "Who is told?",
    ]  # fmt: skip


@pytest.mark.rule("SYN-8")
def test_entries_keep_their_numbers() -> None:
    talk = under_review("drop 2", "add insight: Two offices", "drop 2", "drop 4", "add question: Which one?")
    shown = talk.texts("review")[-1]
    assert re.findall(r"(?m)^  (\d+)\. \W?(\w+)", shown) == [
        ("1", "Alex"), ("5", "User"), ("3", "Late"), ("6", "Which"),
    ]  # fmt: skip
    assert talk.texts("notice") == [UNKNOWN]
    block = block_of(talk.says("edit 6 Which of the two?", "accept"))
    assert "- Which of the two?\n" in block
    assert "Nobody reads them" not in block


@pytest.mark.rule("SYN-8")
def test_an_entry_can_be_edited_in_the_input_line() -> None:
    talk = under_review("edit 3")
    assert talk.commands[-1] == do.Listen("review", "Late forms are refused: a lost form is expensive")
    talk.says("Late forms are refused: each costs 40 euros", "")
    assert "- Late forms are refused: each costs 40 euros\n" in block_of(talk)
    left = under_review("edit 3", "", "edit 3", "undo", "")
    assert '- Late forms are refused ("Refuse late forms."): a lost form is expensive\n' in block_of(left)


@pytest.mark.rule("SYN-7", "SYN-8", "SYN-10")
def test_a_decision_of_the_review_is_not_cut_at_a_colon() -> None:
    talk = under_review("edit 3: Option A: the lease is the timeout plus 10 s", "accept")
    assert "- Option A: the lease is the timeout plus 10 s\n" in block_of(talk)
    save = next(asked for asked in talk.asked if isinstance(asked, do.SaveRecord))
    assert save.record.synthesis_summary == (
        "Decided: Option A: the lease is the timeout plus 10 s. Open: Who is told?"
    )
    kept = under_review("edit 3 Late forms: refused at once: a lost form is expensive").now.draft.decisions[0]
    assert (kept.text, kept.detail) == ("Late forms: refused at once", "a lost form is expensive")


@pytest.mark.rule("SYN-8")
@pytest.mark.parametrize(
    ("words", "text", "detail"),
    [
        ("Who is told? (for Lena)", "Who is told?", "for Lena"),
        ("Who is told?: see 01-02: for Lena (or Tom)", "Who is told?", "see 01-02: for Lena (or Tom)"),
        ("Who is told: Maya or Jordan?", "Who is told: Maya or Jordan?", ""),
        ("Who pays (Lena or Tom)?", "Who pays (Lena or Tom)?", ""),
        ("The order of forms: for Maya", "The order of forms", "for Maya"),
    ],
)
def test_a_question_of_the_review_may_say_who_can_resolve_it(words: str, text: str, detail: str) -> None:
    talk = under_review("edit 4")
    assert talk.commands[-1] == do.Listen("review", "Who is told?: for Maya")
    (asked,) = talk.says(words).now.draft.questions
    assert (asked.text, asked.detail) == (text, detail)


@pytest.mark.rule("SYN-8")
def test_a_change_can_be_undone_and_what_is_unclear_changes_nothing() -> None:
    talk = under_review("drop 3", "undo", "undo", "drop 9", "that is nonsense", "yes")
    assert "There is nothing to undo here." in talk.texts("notice")
    assert {UNKNOWN, UNCLEAR} <= set(talk.texts("notice"))
    assert '- Late forms are refused ("Refuse late forms.")' in block_of(talk)


@pytest.mark.rule("SYN-8", "ART-8")
def test_what_a_host_passes_on_at_a_review_is_marked() -> None:
    changes = ("edit 1 Nobody fills in forms", "add decision: Fines are abolished: the user settled it")
    talk = under_review()
    for words in (*changes, "accept"):
        talk.hear(on.UserSpoke(words, relayed=True))
    block = block_of(talk)
    assert "Nobody fills in forms (unverified)\n" in block
    assert "- Fines are abolished (unverified): the user settled it (unverified)\n" in block
    mixed = under_review(*changes)  # typed in forms, and accepted by the host alone
    block = block_of(mixed.hear(on.UserSpoke("accept", relayed=True)))
    assert "Nobody fills in forms\n" in block and "- Fines are abolished: the user settled it\n" in block
    typed = under_review()
    for words in changes:
        typed.hear(on.UserSpoke(words, relayed=True))
    assert "(unverified)" not in block_of(typed.says("accept"))  # in a form, which shows all of it


@pytest.mark.rule("SYN-8", "SYN-5")
def test_dropping_everything_leaves_a_takeaway_and_writes_no_block() -> None:
    talk = under_review("drop 1, 2, 3 and 4")
    assert talk.texts("review")[-1].startswith("Nothing is left: Enter writes nothing")
    assert talk.asked[-1] == do.Listen("review") and not talk.texts("synthesis")
    talk.says("drop 1")
    assert talk.texts("notice")[-1] == UNKNOWN
    talk.says("")
    assert talk.texts("synthesis") == ["Key takeaway: Discussed User Experience & Journeys"]
    assert not [asked for asked in talk.asked if isinstance(asked, do.UpdateArtifacts)]
    assert talk.now.has_ended


@pytest.mark.rule("SYN-8")
@pytest.mark.parametrize(("said", "numbers"), [("undo", [1, 2, 3, 4]), ("add question: Who pays?", [5])])
def test_dropping_everything_can_be_taken_back_or_made_up_for(said: str, numbers: list[int]) -> None:
    talk = under_review("drop 1 2 3 4", said)
    assert [entry.number for entry in talk.now.draft.entries] == numbers
    assert "Nothing is written yet. Enter accepts" in talk.texts("review")[-1]


@pytest.mark.rule("SYN-8")
def test_a_review_that_was_cut_off_goes_on_where_it_was() -> None:
    talk = under_review("drop 1", "add question: Which printer?")
    again, commands = Elaboration.begin(
        item=talk.now.item, step=talk.now.step, roster=talk.now.roster, steps=talk.now.steps, has_review=True
    )
    for event in talk.events:
        again, commands = again.receive(event)
    assert again == talk.now
    assert commands == talk.commands
    assert again.state is State.SYNTHESIS


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("", ReviewAnswer("accept")),
        ("Accept.", ReviewAnswer("accept")),
        ("Yes, accept it.", ReviewAnswer("accept")),
        ("looks good, thanks", ReviewAnswer("accept")),
        ("yes, but drop the lock", ReviewAnswer("unclear")),
        ("thanks", ReviewAnswer("unclear")),
        ("drop 2 5", ReviewAnswer("drop", (2, 5))),
        ("Strike 2, 5 and 7", ReviewAnswer("drop", (2, 5, 7))),
        ("edit 3", ReviewAnswer("edit", (3,))),
        ("edit 3: Two offices", ReviewAnswer("edit", (3,), "Two offices")),
        ("add Two offices", ReviewAnswer("add", (), "Two offices")),
        ("add an open question: Who pays?", ReviewAnswer("add", (), "Who pays?", "questions")),
        ("change 3 to Two offices", ReviewAnswer("edit", (3,), "Two offices")),
        ("drop the lock", ReviewAnswer("unclear")),
        ("drop", ReviewAnswer("unclear")),
    ],
)
@pytest.mark.rule("SYN-8")
def test_what_is_heard_at_a_review(text: str, answer: ReviewAnswer) -> None:
    assert hear_review(text) == answer


@pytest.mark.rule("SYN-8")
@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("done", ()),
        ("Done, thanks!", ()),
        ("that's fine", ()),
        ("accept", ()),
        ("well ok", ()),
        ("we're done", ()),
        ("drop 2, 3 and 6 please", (2, 3, 6)),
        ("please drop 2 and 3", (2, 3)),
        ("remove number 4", (4,)),
        ("Remove entries 2 and 3, please.", (2, 3)),
        ("ok, drop #4", (4,)),
        ("Yes, please delete 1 and 5!", (1, 5)),
        ("Strike no. 4", (4,)),
        ("drop the entry 3", (3,)),
        ("So drop 2, 3, thanks", (2, 3)),
    ],
)
def test_a_free_sentence_at_a_review_accepts_or_drops(text: str, numbers: tuple[int, ...]) -> None:
    assert hear_review(text) == ReviewAnswer("drop" if numbers else "accept", numbers)


@pytest.mark.rule("SYN-8")
@pytest.mark.parametrize(
    "text",
    [
        "looks good, but 4 is wrong",
        "not done",
        "done?",
        "that's fine except 2",
        "ok, what about 3?",
        "accept 3",
        "I don't accept that",
        "good point",
        "no, that's fine",
        "done with the insights",
        "should I drop 2?",
        "don't drop 2",
        "drop 2 but keep 3",
        "drop 2 or 3",
        "remove 2 days from the estimate",
        "drop 2 and edit 3",
        "drop 1-3",
        "drop number",
        "we dropped 2",
        "please drop the lock",
        "now",
        "thanks, please",
    ],
)
def test_a_doubtful_sentence_at_a_review_changes_nothing(text: str) -> None:
    assert hear_review(text).kind == "unclear"


@pytest.mark.rule("SYN-8")
@pytest.mark.parametrize("text", ["Number 4 is wrong, I said option A.", "3 should name the office"])
def test_what_is_unclear_at_a_review_changes_nothing_and_says_what_to_type(text: str) -> None:
    talk = under_review(text)
    assert talk.texts("notice")[-1] == UNCLEAR
    assert len(talk.now.draft.entries) == 4


@pytest.mark.rule("SYN-8")
@pytest.mark.parametrize("words", ["auction: the bid closes", "reaction: x", "decison: We use Redis"])
def test_what_names_no_kind_of_entry_is_added_as_it_is_said(words: str) -> None:
    assert hear_review(f"add {words}") == ReviewAnswer("add", (), words)
    assert f"5. [User] {words}" in under_review(f"add {words}").texts("review")[-1]


@pytest.mark.rule("SYN-8")
@given(st.lists(st.text(max_size=40) | st.sampled_from(["drop 1", "edit 2 x", "add y", "undo"]), max_size=8))
def test_whatever_is_said_the_review_ends_in_what_was_shown_last(messages: list[str]) -> None:
    talk = under_review(*messages)
    if not talk.now.has_ended:
        talk.says("accept")
    if not talk.now.has_ended:  # it waited for the new words of an entry
        talk.says("accept")
    assert talk.now.has_ended
    save = next(asked for asked in talk.asked if isinstance(asked, do.SaveRecord))
    for entry in save.draft.entries:
        assert entry.turns or entry.review == "added"
