"""The synthesis: evidence, attribution, completeness, shape (SYN-1 to SYN-5, META-5)."""

from __future__ import annotations

import pytest

from people import MAYA, ROSTER, persona
from roundtable.core.hearing import sounds_decided, split_standing
from roundtable.core.personas import Roster
from roundtable.core.steps import Step
from roundtable.core.synthesis import (
    Draft,
    Entry,
    credit,
    decision_turns,
    description,
    own_words,
    problems,
    render,
    settle,
    shorten_text,
    summary,
    write_entry,
)
from roundtable.core.turns import USER, Turn, Verdict

M, A, J = (persona.key for persona in ROSTER.personas)
TURNS = (
    Turn(1, M, "Framing."),
    Turn(2, A, "Two options."),
    Turn(3, J, "No: one.", Verdict(opposes=2)),
    Turn(4, USER, "We go with A,\nbut never merge safety fields.", Verdict(decisions=(4,))),
    Turn(5, A, "Then 480 forms are locked."),
)


@pytest.mark.rule("SYN-1")
def test_the_block_has_exactly_the_shape_of_the_rule() -> None:
    draft = Draft(
        insights=(Entry("Forms are locked.", (5,)), Entry("A needs B.", (2, 4))),
        decisions=(Entry("Merge field by field.", (4,), "keeps the hand-over possible"),),
        questions=(Entry("How long are versions kept?", (3,), "to be settled in 03-02"),),
        actions=(Entry("Write the criterion", (1,), "Maya"),),
    )
    block = render(draft, Step("01-03", "Journeys", "", "brief", ()), TURNS, ROSTER, "turn-limit")
    assert block == (
        "### Elaboration Insights (Step 01-03: Journeys)\n"
        "\n"
        "**Participants**: Maya Chen (BA), Alex Rivera (Architect), Jordan Park (Designer)\n"
        "**Turns**: 5 | **Exit**: turn-limit\n"
        "\n"
        "#### Key Insights\n"
        "- [Alex] Forms are locked.\n"
        "- [User/Alex] A needs B.\n"
        "\n"
        "#### Decisions Made\n"
        '- Merge field by field ("We go with A, but never merge safety fields."): '
        "keeps the hand-over possible\n"
        "\n"
        "#### Open Questions\n"
        "- How long are versions kept?: to be settled in 03-02\n"
        "\n"
        "#### Action Items\n"
        "- Write the criterion: Maya\n"
    )


@pytest.mark.rule("SYN-1", "SYN-7")
@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("We keep one queue, because order matters.", "We keep one queue, because order matters."),
        ("We keep one queue because of the order.", "We keep one queue because of the order."),
        ("We keep one queue, since order matters.", "We keep one queue, since order matters."),
        ("We keep one queue, so that order is kept.", "We keep one queue, so that order is kept."),
        ("We keep one queue since 2024.", "We keep one queue since 2024: reason not given"),
    ],
)
def test_a_reason_in_the_words_of_a_decision_stays_where_it_is(words: str, shown: str) -> None:
    turns = (Turn(1, USER, words, Verdict(decisions=(1,))),)
    assert write_entry(Entry(words, (1,)), "decisions", turns, ROSTER) == shown


@pytest.mark.rule("SYN-1")
def test_empty_sections_say_none_and_action_items_only_appear_where_there_are_some() -> None:
    block = render(Draft(), Step("01-03", "T", "", "brief", ()), TURNS, ROSTER, "user-initiated")
    assert block.count("- None\n") == 3
    assert "Action Items" not in block
    assert "**Exit**: user-initiated" in block


@pytest.mark.rule("ART-7")
def test_entries_cannot_open_blocks_or_close_comments() -> None:
    draft = Draft(decisions=(Entry("# Take over", (1,), "--> <!-- x"), Entry("```", (1,))))
    block = render(draft, Step("01-03", "T", "", "brief", ()), TURNS, ROSTER, "turn-limit")
    assert "- # Take" not in block
    assert "- ```" not in block
    assert "-->" not in block
    assert "<!--" not in block


@pytest.mark.rule("SYN-2")
@pytest.mark.parametrize(
    ("cited", "credited"),
    [
        ((1,), "Maya"),
        ((2, 1), "Maya/Alex"),
        ((4,), "User"),
        ((3, 4), "User/Jordan"),
        ((1, 5, 3), "All"),
        ((1, 3, 4, 5), "User/All"),
        ((1, 2, 3), "Maya/Alex/Jordan"),
        ((1, 2, 3, 4), "User/Maya/Alex/Jordan"),
        ((2, 5), "Alex"),
    ],
)
def test_the_attribution_is_computed_from_the_turns(cited: tuple[int, ...], credited: str) -> None:
    assert credit(Entry("x", cited), TURNS, ROSTER) == credited


@pytest.mark.rule("SYN-2", "PERS-4")
def test_all_follows_the_roster_in_use() -> None:
    pair = Roster((MAYA, ROSTER.personas[1]))
    assert credit(Entry("x", (1, 2)), TURNS, pair) == "All"
    four = Roster((*ROSTER.personas, persona("qa", "Kim Lee")))
    assert credit(Entry("x", (1, 5, 3)), TURNS, four) == "Maya/Alex/Jordan"
    assert credit(Entry("x", (1,)), TURNS, Roster((MAYA,))) == "Maya"


@pytest.mark.rule("SYN-3")
def test_every_decided_turn_must_be_cited_by_a_decision() -> None:
    assert decision_turns(TURNS) == (4,)
    insight_only = Draft(insights=(Entry("A.", (4,)),))
    assert problems(insight_only, TURNS) == (
        "The user decided in turn 4, and no decision cites it: We go with A, but never merge safety fields.",
    )
    settled = settle(insight_only, TURNS, ROSTER)
    assert settled.decisions == (Entry("We go with A, but never merge safety fields.", (4,)),)
    cited = Draft(decisions=(Entry("A", (4, 2)),))
    assert problems(cited, TURNS) == ()
    assert settle(cited, TURNS, ROSTER).decisions == (Entry("A", (2, 4)),)


def user(number: int, text: str) -> Turn:
    """A turn of the user's that a panel marked as a decision."""
    return Turn(number, USER, text, Verdict(decisions=(number,)))


@pytest.mark.rule("SYN-3")
def test_a_mark_on_anything_but_the_user_s_decision_counts_for_nothing() -> None:
    turns = (
        Turn(1, M, "We should merge.", Verdict(decisions=(1,))),
        user(2, "Should we merge?"),
        user(3, "Let's not decide this now."),
        user(4, "Let's decide that tomorrow."),
        user(5, "Refuse to save. Is that enough?"),
        Turn(6, A, "Yes.", Verdict(decisions=(5, 2))),
    )
    assert decision_turns(turns) == (5,)
    assert settle(Draft(), turns, ROSTER).decisions == (Entry("Refuse to save.", (5,)),)


@pytest.mark.rule("SYN-3")
@pytest.mark.parametrize(
    "words",
    ["No, that was no decision.", "That wasn't a decision.", "I take that back.", "scratch that"],
)
def test_a_decision_can_be_taken_back(words: str) -> None:
    turns = (user(1, "We drop the lock."), user(2, "We refuse late forms."), Turn(3, USER, words))
    assert decision_turns(turns) == (1,)
    drafted = Draft(decisions=(Entry("The lock goes", (1,)), Entry("Late forms are refused", (2,))))
    assert [entry.turns for entry in settle(drafted, turns, ROSTER).decisions] == [(1,)]
    assert settle(drafted, turns, ROSTER).questions == ()


@pytest.mark.rule("SYN-3")
def test_the_later_of_two_on_the_same_thing_stands_and_says_what_it_replaces() -> None:
    turns = (
        user(1, "Late forms are refused."),
        user(2, "Two offices are enough."),
        user(3, "Actually, accept late forms with a warning."),
    )
    assert decision_turns(turns) == (2, 3)
    settled = settle(Draft(), turns, ROSTER)
    assert settled.decisions[1] == Entry(
        "Actually, accept late forms with a warning.", (3,),
        'reason not given; replaces "Late forms are refused."',
    )  # fmt: skip
    other = (user(1, "Late forms are refused."), user(2, "Actually, two offices are enough."))
    assert decision_turns(other) == (1, 2)


@pytest.mark.rule("SYN-3")
@pytest.mark.parametrize(
    ("words", "left"),
    [
        ("Old phones are rare, we can ignore that.", (1,)),
        ("I take that back. We go with e-mail instead.", (2,)),
        ("Scratch that. We go with e-mail.", (2,)),
        ("No letters before 8 am for members.", (1, 2)),
    ],
)
def test_only_what_is_taken_back_or_reversed_goes(words: str, left: tuple[int, ...]) -> None:
    marked = 2 in left
    turns = (user(1, "We write letters to members."), user(2, words) if marked else Turn(2, USER, words))
    assert decision_turns(turns) == left


@pytest.mark.rule("SYN-3")
@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("We drop the lock. Scratch that: we keep it.", "Scratch that: we keep it."),
        ("We drop the lock. It is slow. Wait, no, we keep it.", "Wait, no, we keep it."),
        ("Drop the lock. On second thought, keep it. Nobody minds.",
         "On second thought, keep it. Nobody minds."),
        ("We drop the lock. On second thought, why not?", "We drop the lock."),
        ("We drop the lock. No wait time is acceptable.", "We drop the lock. No wait time is acceptable."),
        ("We drop it. Actually, no, the limit is 5.", "We drop it. Actually, no, the limit is 5."),
    ],
)  # fmt: skip
def test_what_a_message_takes_back_itself_is_not_decided(words: str, kept: str) -> None:
    turns = (user(1, "Late forms are refused."), user(2, words))
    assert decision_turns(turns) == (1, 2)  # what was decided before the message stands
    assert settle(Draft(), turns, ROSTER).decisions[1].text == kept


@pytest.mark.rule("SYN-3")
def test_a_message_that_takes_back_all_that_it_decides_leaves_what_stood_before() -> None:
    turns = (user(1, "Late forms are refused."), user(2, "We drop the lock. Scratch that."))
    assert decision_turns(turns) == (1,)
    assert decision_turns((turns[0], user(2, "Scratch that: we accept them."))) == (2,)


@pytest.mark.rule("SYN-3")
def test_a_mere_statement_decides_nothing() -> None:
    turns = (Turn(1, USER, "There are 12,000 members."),)
    settled = settle(Draft(decisions=(Entry("Use SMS", (1,)),)), turns, ROSTER)
    assert settled.decisions == ()
    assert settled.questions[0].text == "Use SMS"


@pytest.mark.rule("SYN-3")
def test_what_a_persona_proposed_and_nobody_took_up_is_an_open_question() -> None:
    draft = Draft(decisions=(Entry("Lock the form", (2, 5)), Entry("A is taken", (4,))))
    assert problems(draft, TURNS) == (
        'The user decided nothing in turn 2, 5, so this is an open question: "Lock the form".',
    )
    settled = settle(draft, TURNS, ROSTER)
    assert settled.decisions == (Entry("A is taken", (4,)),)
    (question,) = settled.questions
    assert question.text == "Proposed by Alex: Lock the form"
    assert question.turns == (2, 5)


@pytest.mark.rule("SYN-1", "SYN-3")
def test_the_user_s_words_stand_beside_a_decision_unless_it_is_in_these_words() -> None:
    turns = (user(1, "Refuse to save; a lost form costs us 40 euros. Fine? The rest can wait a week."),)
    draft = Draft(
        decisions=(
            Entry("Offline saves are refused", (1,), "a lost form is expensive"),
            Entry("The rest can wait a week.", (1,)),
        )
    )
    block = render(draft, Step("01-03", "T", "", "brief", ()), turns, ROSTER, "turn-limit")
    assert (
        '- Offline saves are refused ("Refuse to save; a lost form costs us 40 euros."): '
        "a lost form is expensive\n"
    ) in block


@pytest.mark.rule("SYN-1")
def test_the_block_says_where_the_user_was_silent() -> None:
    block = render(Draft(), Step("1", "T", "", "brief", ()), TURNS[:3], ROSTER, "turn-limit")
    assert "**Turns**: 3 | **Exit**: turn-limit | **User**: silent\n" in block


@pytest.mark.rule("SYN-4")
def test_no_entry_without_a_turn_and_no_turn_that_does_not_exist() -> None:
    entries = (Entry("kept", (5, 6, 1)), Entry("dropped", (0, 6)), Entry("none", ()), Entry(" ", (1,)))
    draft = Draft(insights=entries, questions=entries, actions=entries)
    assert problems(draft, TURNS[:3])[:4] == (
        'Turn 5 does not exist, cited for: "kept".',
        'Turn 6 does not exist, cited for: "kept".',
        'Turn 0 does not exist, cited for: "dropped".',
        'Turn 6 does not exist, cited for: "dropped".',
    )
    assert 'No turn is cited for: "none".' in problems(draft, TURNS)
    assert "An entry has no text." in problems(draft, TURNS)
    settled = settle(draft, TURNS, ROSTER)
    for kept in (settled.insights, settled.questions, settled.actions):
        assert kept == (Entry("kept", (1, 5)),)


def test_settling_flattens_texts_and_details() -> None:
    draft = Draft(insights=(Entry("two\n lines", (1, 1), "why\nnot"),), summary="s", takeaway="t")
    settled = settle(draft, TURNS[:1], ROSTER)
    assert settled == Draft((Entry("two lines", (1,), "why not"),), summary="s", takeaway="t")


@pytest.mark.rule("ART-6")
def test_the_description_counts_what_there_is() -> None:
    one = (Entry("x", (1,)),)
    assert description(Draft(one, one, one, one)) == "1 insight, 1 decision, 1 open question, 1 action item"
    assert description(Draft(one * 3, (), one * 2)) == "3 insights, 2 open questions"
    assert description(Draft((), one * 2, (), one * 2)) == "2 decisions, 2 action items"


@pytest.mark.rule("META-5")
def test_the_summary_is_one_line_never_empty_and_never_cut_in_a_word() -> None:
    one = (Entry("x", (1,)),)
    assert summary(Draft(one, summary=" Identified\n a gap "), "T") == "Identified a gap"
    assert summary(Draft(takeaway="Nobody objected."), "T") == "Nobody objected."
    assert summary(Draft(one), "Journeys") == "Found: x"
    assert summary(Draft(one, one), "Journeys") == "Decided: x"
    assert summary(Draft(), "Journeys") == "Discussed Journeys"
    assert summary(Draft(one, one, (Entry("Who pays?", (1,)),)), "T") == "Decided: x. Open: Who pays?"
    both = Draft((), (Entry("word " * 40, (1,)),), (Entry("who " * 40, (1,)),))
    assert summary(both, "T") == f"Decided: {'word ' * 6}... Open: {'who ' * 11}..."
    long = summary(Draft(one, summary="word " * 40), "T")
    assert long == "word " * 19 + "word ..."
    assert len(long) <= 105


@pytest.mark.rule("META-5")
@pytest.mark.parametrize(
    ("text", "length", "short"),
    [
        ("exactly", 7, "exactly"),
        ("one two", 2, "one ..."),
        ("one two", 3, "one ..."),
        ("one, two three", 4, "one ..."),
        ("one two", 5, "one two"),
        ("unbroken", 3, "unbroken"),
    ],
)
def test_shortening_ends_with_a_whole_word(text: str, length: int, short: str) -> None:
    assert shorten_text(text, length) == short


def test_own_words_are_flat_and_bounded() -> None:
    assert own_words(Turn(1, USER, " a\n b ")) == "a b"
    assert len(own_words(Turn(1, USER, "word " * 200))) <= 310


@pytest.mark.rule("SYN-3")
@pytest.mark.parametrize(
    ("said", "subject", "quoted"),
    [
        (
            "Decision: we remove `mix_stderr` in 8.2. A feature release of ours may break things. "
            "My worry is the silent kind of break: a suite goes on passing.",
            "`mix_stderr` goes in 8.2",
            "Decision: we remove `mix_stderr` in 8.2. A feature release of ours may break things.",
        ),
        (
            "I am afraid of killing a busy worker. We go with replacing it at once. What do we tell people?",
            "A gone worker is replaced",
            "We go with replacing it at once.",
        ),
        (
            "I'm concerned about the use of Postgres. We go with SQLite.",
            "SQLite instead of the use of Postgres",
            "We go with SQLite.",
        ),
    ],
)
def test_the_quotation_is_what_decides_and_its_reason_not_the_worry(
    said: str, subject: str, quoted: str
) -> None:
    assert own_words(Turn(1, USER, said), subject) == quoted


TAKEN_BACK = (
    ("We decide to use total_seconds() // 60.",
     "actually no, forget that. We use total_seconds() / 3600, no rounding",
     "We use total_seconds() / 3600, no rounding"),
    ("Decision: show only the domain.", "Scratch that decision, we show the full URL",
     "Scratch that decision, we show the full URL"),
    ("We use Redis.", "I take that back. We use Postgres for all jobs.", "We use Postgres for all jobs."),
    ("MAX_SHIFT goes to 16.", "I take back the decision on MAX_SHIFT. Keep 12.", "Keep 12."),
    ("We use Redis.", "Well, scratch that: Postgres", "Well, scratch that: Postgres"),
    ("We use Redis for the queue.", "No wait, Postgres for the queue.", "No wait, Postgres for the queue."),
    ("We go with option A.", "Actually no, option B.", "Actually no, option B."),
)  # fmt: skip


@pytest.mark.rule("SYN-3")
@pytest.mark.parametrize(("first", "words", "holds"), TAKEN_BACK)
def test_what_a_later_message_says_instead_is_the_decision(first: str, words: str, holds: str) -> None:
    turns = (user(1, first), Turn(2, A, "Is that in place today?"), Turn(3, USER, words))
    assert decision_turns(turns) == (3,)
    kept = Draft(decisions=(Entry(first, (1,)), Entry(first, (1, 2))), insights=(Entry(holds, (3,)),))
    assert "took back" in problems(kept, turns)[0]
    settled = settle(kept, turns, ROSTER)
    (decision,) = settled.decisions
    assert (decision.text, decision.turns) == (holds, (3,))
    assert first.rstrip(".") in decision.detail
    assert settled.insights == settled.questions == ()


@pytest.mark.rule("SYN-3")
@pytest.mark.parametrize(
    "words",
    [
        "Scratch that. I need to check with ops.",
        "Forget that. Bad idea.",
        "Scratch that. It breaks the import.",
        "Scratch that, we need to think about it.",
        "Scratch that, it has four.",
        "Forget that, wrong number.",
        "I take back the decision on the redirect.",
        "Ops say it is too costly. Scratch that decision.",
        "Good point. Undo that decision.",
        "No decision yet.",
        "We haven't decided that.",
        "Sorry. Scratch that.",
        "No, that wasn’t a decision.",
        "I didn’t decide that.",
        "That wasn't a decision, only an idea.",
    ],
)
def test_what_only_takes_back_decides_nothing(words: str) -> None:
    assert decision_turns((user(1, "We use 302 for the redirect."), Turn(2, USER, words))) == ()


@pytest.mark.rule("SYN-3")
@pytest.mark.parametrize(
    ("words", "left"),
    [
        ("Scratch that.", (1,)),
        ("Ignore that.", (1,)),
        ("I take back the decision on the colour.", (1,)),
        ("I take back the decision on the redirect.", ()),
        ("That was no decision.", ()),
    ],
)
def test_a_remark_that_is_taken_back_leaves_an_older_decision_alone(
    words: str, left: tuple[int, ...]
) -> None:
    turns = (user(1, "We use 302 for the redirect."), Turn(2, USER, "Ops are on call."), Turn(3, USER, words))
    assert decision_turns(turns) == left


@pytest.mark.rule("SYN-3")
@pytest.mark.parametrize(
    "words",
    [
        "Actually no, the redirect is not cached today.",
        "I was wrong about the number of users, there are 40.",
        "I was wrong, there are 40 users.",
        "Ignore the decision log for now.",
        "Forget the decision tree, rules are enough.",
        "Sorry, I meant the table of links, not the index.",
        "No. That is the decision: 302.",
        "Should we scratch that decision?",
        "Was I wrong about the redirect?",
        "Forget that the redirect is slow, nobody measures it.",
        "I meant to ask about the index.",
        "No wait time is acceptable for the redirect.",
    ],
)
def test_what_corrects_something_else_leaves_the_decision(words: str) -> None:
    turns = (
        user(1, "We use 302 for the redirect."),
        Turn(2, USER, "There is an index."),
        Turn(3, USER, words),
    )
    assert 1 in decision_turns(turns)


@pytest.mark.rule("SYN-3")
@pytest.mark.parametrize(
    "words",
    [
        "We must check the token on every request.",
        "We'll cache it for an hour.",
        "We will ask the user before anything is deleted.",
        "We accept no commits after Friday.",
        "Show a warning when the parser is not sure.",
        "Never mind the old clients, we drop them.",
        "I think it must be refused.",
        "We don't store passwords.",
    ],
)
def test_what_sounds_like_putting_it_off_may_be_the_decision(words: str) -> None:
    assert decision_turns((user(1, words),)) == (1,)


@pytest.mark.rule("SYN-3")
@pytest.mark.parametrize(
    "words",
    ["Let me check with ops.", "I need to ask Lena first.", "We must think about it.", "Not sure."],
)
def test_putting_it_off_is_no_decision_whoever_marks_it(words: str) -> None:
    assert decision_turns((user(1, words),)) == ()


@pytest.mark.rule("SYN-3")
def test_what_was_meant_instead_of_something_else_leaves_the_decision() -> None:
    turns = (user(1, "We use 302 for the redirect."), user(2, "Sorry, I meant the tablet, not the queue."))
    assert decision_turns(turns) == (1, 2)


@pytest.mark.rule("SYN-3")
def test_the_decision_that_is_named_is_taken_back_and_else_the_last_one() -> None:
    turns = (user(1, "The redirect is 302."), user(2, "The queue is Redis."), Turn(3, USER, "No tests yet."))
    named = Turn(4, USER, "I take back the decision on the redirect.")
    assert decision_turns((*turns, named)) == (2,)
    assert decision_turns((*turns, Turn(4, USER, "Forget that decision."))) == (1,)
    assert decision_turns((*turns, Turn(4, USER, "Forget that."))) == (1, 2)  # the remark


@pytest.mark.rule("SYN-3")
@pytest.mark.parametrize("first", ["Delete the old rows.", "Put it into Redis.", "Option B."])
def test_an_order_is_taken_back_in_the_same_message(first: str) -> None:
    before = user(1, "We go with a nightly job.")
    assert decision_turns((before, Turn(2, USER, f"{first} Scratch that."))) == (1,)
    assert split_standing(f"{first} No wait, keep them.") == ("No wait, keep them.",)


@pytest.mark.rule("SYN-3")
def test_an_option_sounds_decided_and_a_remark_does_not() -> None:
    assert all(map(sounds_decided, ("Option B.", "B.", "Let's merge both.")))
    assert not any(map(sounds_decided, ("The queue is rather slow.", "The decision log is long.", "A lock.")))


@pytest.mark.rule("SYN-3")
def test_what_nobody_marked_is_decided_where_a_panel_says_so_and_it_sounds_so() -> None:
    turns = (Turn(1, USER, "We go with paper."), user(2, "We go with ink."), Turn(3, USER, "Paper is cheap."))
    assert decision_turns(turns) == (2,)
    settled = settle(Draft(decisions=(Entry("Paper", (1,)), Entry("Cheap", (3,)))), turns, ROSTER)
    assert [entry.turns for entry in settled.decisions] == [(1,), (2,)]
    assert [entry.text for entry in settled.questions] == ["Cheap"]
