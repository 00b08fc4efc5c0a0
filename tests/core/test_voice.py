"""Whether a contribution keeps its persona's voice (rules VOICE-2 to VOICE-4)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from people import find_slips
from roundtable.core.errors import RuleBroken
from roundtable.core.personas import Ban, Persona
from roundtable.core.turns import Turn
from roundtable.core.voice import Violation, strip_quotations

MAYA = Persona(
    "business-analyst", "Maya Chen", "Business Analyst", "BA", (), "user", (),
    bans=(
        Ban("vocabulary", r"\b(?:coupling|throughput|schemas?)\b", "Maya uses no jargon."),
        Ban("form", r"`\w+\([^)`]*\)[^`]*`", "Maya writes no signatures."),
        Ban("question", r"\?", "Maya asks nothing here."),
        Ban("tradeoff", r"\btradeoffs?\b", "Maya weighs nothing here."),
    ),
)  # fmt: skip
NAMES = ("Maya Chen", "Alex Rivera", "Jordan Park")
ALEX, USER = "solutions-architect", "user"
BASEMENT = (
    "A technician who loses signal in a basement must see which forms are still waiting. "
    "The counter should stay on the home screen until every form has reached the office."
)


def heard(text: str, *earlier: Turn, free: bool = False) -> tuple[Violation, ...]:
    return find_slips(text, MAYA, earlier, free=free)


def kinds(text: str, *earlier: Turn) -> list[str]:
    return [violation.kind for violation in heard(text, *earlier)]


@pytest.mark.rule("VOICE-2")
def test_forbidden_words_are_found_with_the_reason() -> None:
    assert heard("The Coupling hurts, the coupling and the schema.") == (
        Violation("forbidden", "coupling", "Maya uses no jargon."),
        Violation("forbidden", "schema", "Maya uses no jargon."),
    )
    assert heard("Nobody is left waiting in the rain.") == ()


@pytest.mark.rule("VOICE-2")
def test_each_kind_of_ban_is_checked() -> None:
    assert heard("Call `save(form) -> id` now, or is the tradeoff wrong?") == (
        Violation("forbidden", "`save(form) -> id`", "Maya writes no signatures."),
        Violation("forbidden", "?", "Maya asks nothing here."),
        Violation("forbidden", "tradeoff", "Maya weighs nothing here."),
    )


@pytest.mark.rule("VOICE-4")
def test_where_all_may_ask_and_weigh_only_those_bans_are_lifted() -> None:
    found = heard("Call `save(form)` for the schema, or is the tradeoff wrong?", free=True)
    assert [violation.found for violation in found] == ["schema", "`save(form)`"]


@pytest.mark.rule("VOICE-2")
def test_a_pattern_that_finds_nothing_to_see_is_no_violation() -> None:
    nobody = Persona("x", "X", "X", "X", (), "x", (), bans=(Ban("form", r"z*|\s", "No."),))
    assert find_slips("Plain words here.", nobody) == ()


@pytest.mark.rule("VOICE-2")
def test_a_pattern_that_is_none_is_named() -> None:
    broken = Persona("x", "Xenia", "X", "X", (), "x", (), bans=(Ban("form", "(", "No."),))
    with pytest.raises(RuleBroken, match=r"^A forbidden pattern of Xenia is not a regular expression: \( \("):
        find_slips("Plain.", broken)


@pytest.mark.rule("VOICE-3")
@pytest.mark.parametrize(
    "quoted",
    [
        '"the schema"',
        "“the schema”",
        "'the schema'",
        "‘the schema’",
        "'that’s the schema'",
        "'that's the schema'",
        "('schema')",
        '“the "schema" here”',
        "‘the 'schema' here’",
        '"the\nschema"',
    ],
)
def test_a_quotation_is_no_violation(quoted: str) -> None:
    assert heard(f"Alex calls it {quoted} and nobody outside knows that word.") == ()


@pytest.mark.rule("VOICE-3")
@pytest.mark.parametrize(
    "text",
    [
        "The `schema` matters to nobody outside.",
        "The users' schema and the clerks' lists differ.",
        "It doesn't hold the schema that isn't ours.",
        'A 5" schema is too small for gloves.',
        '"One\n\nschema" spans two paragraphs of it.',
    ],
)
def test_what_is_no_quotation_counts(text: str) -> None:
    assert [violation.found for violation in heard(text)] == ["schema"]


@pytest.mark.rule("VOICE-3")
def test_a_quotation_leaves_a_mark() -> None:
    assert strip_quotations('so "a b" it is') == "so  \ufffc  it is"
    assert strip_quotations("don't") == "don't"


@pytest.mark.rule("VOICE-3")
@pytest.mark.parametrize("speaker", [ALEX, USER])
def test_a_word_that_another_has_used_may_be_taken_up(speaker: str) -> None:
    said = Turn(1, speaker, "We must change the Schema first.")
    assert heard("Nobody outside knows what schemas are.", said) == ()
    assert [violation.found for violation in heard("The coupling of schema hurts clerks.", said)] == [
        "coupling"
    ]


@pytest.mark.rule("VOICE-3")
def test_a_word_of_ones_own_may_not() -> None:
    assert kinds("Nobody outside knows the schema.", Turn(1, MAYA.key, "The schema is big.")) == ["forbidden"]


@pytest.mark.rule("VOICE-3")
def test_only_words_are_taken_up_not_forms() -> None:
    said = Turn(1, ALEX, "Call `save(form)` then? That tradeoff is known.")
    found = heard("Let clerks call `save(form)` as the tradeoff?", said)
    assert [violation.found for violation in found] == ["`save(form)`", "?", "tradeoff"]


@pytest.mark.rule("VOICE-2")
@pytest.mark.parametrize("speaker", [ALEX, USER, MAYA.key])
def test_an_earlier_contribution_said_again_is_an_echo(speaker: str) -> None:
    assert heard(f" {BASEMENT}\n", Turn(1, USER, "Rain."), Turn(1, speaker, BASEMENT)) == (
        Violation(
            "echo",
            BASEMENT,
            "It repeats what was said before: "
            "A technician who loses signal in a basement must see which forms ...",
        ),
    )


@pytest.mark.rule("VOICE-2")
@pytest.mark.parametrize(
    "text",
    [
        f"Right. {BASEMENT}",
        "A technician who loses signal in a basement must see which forms are still waiting.",
        "So the technician who loses signal must see which forms are waiting, and the counter stays on the"
        " home screen until the form has reached the office.",
        f"“{BASEMENT}”",
        f"{BASEMENT} A supervisor needs payroll numbers too.",
    ],
)
def test_little_else_than_an_earlier_contribution_is_an_echo(text: str) -> None:
    assert kinds(text, Turn(1, ALEX, BASEMENT)) == ["echo"]


@pytest.mark.rule("VOICE-2", "VOICE-3")
@pytest.mark.parametrize(
    "text",
    [
        "A technician who loses signal in a basement must see which forms are still waiting."
        " That fails when the battery dies.",
        f"“{BASEMENT}” And payroll closes on Friday.",
        "A supervisor needs to know by noon whether payroll can close, so a late form costs a day.",
        "The technician must see forms.",
        "Forms waiting.",
        "",
    ],
)
def test_an_answer_with_something_new_is_no_echo(text: str) -> None:
    assert kinds(text, Turn(1, ALEX, BASEMENT)) == []


@pytest.mark.rule("VOICE-2")
def test_short_contributions_echo_only_word_for_word() -> None:
    assert kinds("Sync first!", Turn(1, USER, "sync first")) == ["echo"]
    assert kinds("Sync.", Turn(1, USER, "sync first")) == []
    assert kinds("Yes.", Turn(1, USER, "yes")) == []
    assert kinds("Payroll closes Friday noon.", Turn(1, USER, "Payroll closes Friday noon, always.")) == []
    assert kinds("Noon on Friday closes payroll.", Turn(1, USER, "Payroll closes Friday noon.")) == []
    assert kinds("オフラインで使う", Turn(1, USER, "オフラインで使う")) == ["echo"]


@pytest.mark.rule("VOICE-2")
def test_one_echo_is_told_once_with_a_short_text_whole() -> None:
    twice = (Turn(1, USER, "Sync first."), Turn(1, ALEX, "Sync first."))
    assert heard("Sync first.", *twice) == (
        Violation("echo", "Sync first.", "It repeats what was said before: Sync first."),
    )


@pytest.mark.rule("VOICE-2")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I agree with everyone. Great point, Alex.", "i agree"),
        ("We all agree with Alex and Jordan here.", "we all agree"),
        ("Great point!", "great point"),
        ("As a team, we should do this together.", "as a team"),
        ("All valid points.", "valid points"),
        ("I couldn’t agree more.", "couldn't agree more"),
        ("I strongly agree with Maya.", "i strongly agree"),
        ("I second that.", "i second that"),
        ("I support what was said.", "i support what was said"),
        ("We are in agreement.", "we are in agreement"),
        ("We're all on the same page.", "we're all on the same page"),
        ("Nothing to add.", "nothing to add"),
        ("That makes\nsense to me.", "makes sense"),
        ("We should consider all perspectives.", "consider all perspectives"),
        ("There are pros and cons to both.", "pros and cons"),
        ("I agree on retries, payroll, noon.", "i agree"),
    ],
)
def test_agreement_that_adds_nothing_is_committee_talk(text: str, found: str) -> None:
    assert heard(text) == (Violation("committee", found, "It agrees without adding anything of its own."),)


@pytest.mark.rule("VOICE-2", "VOICE-3")
@pytest.mark.parametrize(
    "text",
    [
        "I agree with Alex that retries charge the customer double.",
        "I agree on retries, payroll, noon, Friday.",
        "Great point, and clerks in Lisbon lose their morning to it.",
        "Clerks lose their morning.",
        'When they say "great point" nobody listens.',
        "I disagree.",
        "Customers agree more often than they refuse.",
    ],
)
def test_agreement_with_something_of_its_own_is_not(text: str) -> None:
    assert heard(text) == ()


@pytest.mark.rule("VOICE-2")
@given(st.text(), st.text())
def test_any_text_can_be_checked(text: str, before: str) -> None:
    for violation in heard(text, Turn(1, ALEX, before)):
        assert violation.reason
