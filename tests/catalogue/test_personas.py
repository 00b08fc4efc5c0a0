"""The built-in personas, and whether their bans tell a voice from a slip of the tongue."""

from __future__ import annotations

import re

import pytest

from people import find_slips
from roundtable.catalogue import read_roster
from roundtable.core.personas import Persona

ROSTER, PROBLEMS = read_roster()
MAYA, ALEX, JORDAN = ROSTER.personas


def slips(text: str, persona: Persona) -> list[str]:
    """The reasons for which a sentence is not in the persona's voice."""
    found = find_slips(text, persona)
    return [violation.reason for violation in found if violation.kind == "forbidden"]


@pytest.mark.parametrize("persona", [MAYA, ALEX], ids=["maya", "alex"])
def test_a_signature_is_shown_with_its_whole_name(persona: Persona) -> None:
    text = "Then renew_lease(self, seconds) -> None runs first."
    (found,) = find_slips(text, persona)
    assert found.found == "renew_lease(self, seconds) ->"


@pytest.mark.rule("PERS-1", "PERS-3")
def test_the_built_in_roster_is_the_table_of_the_spec() -> None:
    assert PROBLEMS == ()
    assert [
        (one.key, one.name, one.role, one.short_role, one.phases, one.perspective, one.lens)
        for one in ROSTER.personas
    ] == [
        (
            "business-analyst",
            "Maya Chen",
            "Business Analyst",
            "BA",
            ("00-quick-scan", "01-requirements"),
            "user",
            ("user needs", "business value", "stakeholder impact"),
        ),
        (
            "solutions-architect",
            "Alex Rivera",
            "Solutions Architect",
            "Architect",
            ("02-impact-analysis", "03-architecture"),
            "architecture",
            ("feasibility", "blast radius", "tradeoffs", "risk"),
        ),
        (
            "system-designer",
            "Jordan Park",
            "System Designer",
            "Designer",
            ("04-design",),
            "design",
            ("interfaces", "specifications", "data structures", "error handling"),
        ),
    ]


@pytest.mark.rule("PERS-3", "VOICE-1")
@pytest.mark.parametrize("persona", ROSTER.personas, ids=lambda persona: persona.key)
def test_each_persona_is_complete(persona: Persona) -> None:
    assert persona.identity
    assert len(persona.principles) >= 4
    assert len(persona.patterns) >= 4
    assert {key for key, _ in persona.towards} == set(ROSTER.keys) - {persona.key}
    assert persona.bans
    for ban in persona.bans:
        assert ban.reason.startswith(f"{persona.first_name} ")
        assert ban.reason.endswith(".")


@pytest.mark.rule("VOICE-1")
@pytest.mark.parametrize("persona", ROSTER.personas, ids=lambda persona: persona.key)
def test_a_persona_keeps_its_own_bans_in_its_own_patterns(persona: Persona) -> None:
    assert [text for text in persona.patterns if slips(text, persona)] == []


GOOD: list[tuple[Persona, str]] = [
    *(
        (MAYA, text)
        for text in (
            "Before we go further: which of the 40 couriers is standing in the rain while this loads?",
            "So the librarian scans the card and nothing happens. What does she do with the queue?",
            "The acceptance criterion here would be: a parent sees the new pick-up time within a minute.",
            "Alex's second option keeps the old list alive. Who tells the drivers which of the two is right?",
            "That sounds neat, but what does the night nurse actually see when the reading never arrives?",
            "So we agree on one list per ward. What we still owe the doctors is when to rely on it.",
            'You called it "loose coupling"; for the cashier it means that the price may be a minute old.',
            "We should add a sentence that says what happens to the deposit.",
            "I agree with Jordan on the order, and for the tenant it means that the photo can be late.",
            "Could the shop use the same words as the sheet on the wall? People know those.",
            "Two couples book one table; who of the four is sent away?",
            "Agreed; and for the courier that means one ride less.",
            "They can use the service desk on the ground floor until noon.",
            "We should add a table for four near the door, says Rosa. Who carries it in when it rains?",
        )
    ),
    *(
        (ALEX, text)
        for text in (
            "I see two approaches here. Option A: recompute each time, 300 ms more. Option B: keep a copy.",
            "The risk with B is drift; we can mitigate it with a nightly comparison of both lists.",
            "Maya's requirement for a minute implies a push instead of a timer at the architecture level.",
            "The blast radius is four modules and the month-end export, and only the export is hard to undo.",
            "Jordan, your contract has to account for a reader that has been away for a week.",
            "This is an architectural decision; the tradeoff should be on record before the pilot.",
            "Maya's acceptance criterion rules out the nightly job, whatever we think of its price.",
            "People rely on the old address, so it has to answer for another year.",
            "`load()` is reached from three entry points, and the one at night has no test.",
            "Given 480 forms before eight, a lock per form turns into a rush hour.",
            "At ten times the size the index leaves memory; that is an assumption, nobody measured it.",
            "An outage only shows after an hour if the queue holds; I would call that a risk.",
        )
    ),
    *(
        (JORDAN, text)
        for text in (
            "To make this concrete: `merge(base, ours, theirs) -> Merged`, and it fails with `BaseUnknown`.",
            "What happens when the photo arrives and the form is then refused? The contract has to say it.",
            "We are getting abstract. Here is the actual data: 12.5 kg, field B-07, 14:02.",
            "Maya's criterion becomes this test: Given two holds, When both end, Then the seat is free.",
            "Which field carries the version, and who writes it?",
            "To make Alex's Option A concrete, the reader sends its last id and gets everything after it.",
            "The error case: both pick at once; the first stored choice stands, the second sees it.",
            "Who owns the retry, the phone or the gateway?",
            "`FieldConflict(field, ours, theirs, chosen_by)` keeps who decided.",
            "The list is at most 500 entries; number 501 is refused with `ListFull`.",
            "Why 90 seconds? The feed is late by two minutes on a normal Monday.",
            "Why is that field optional? Nothing in the contract leaves it out.",
            "A scale out of range gives `WeightImplausible`, at 60.1 kg.",
            "The user types `80331 ` with a space; the parser trims it, letters are refused.",
        )
    ),
]

BAD: list[tuple[Persona, str]] = [
    *(
        (MAYA, text)
        for text in (
            "The coupling between the two lists worries me.",
            "What throughput do the couriers need?",
            "We need a schema for the visits first.",
            "The latency at the till is what people notice.",
            "Would an idempotent retry help the cashier?",
            "We could add a column for the driver's note.",
            "They should just build a small service that sends the letters.",
            "The team can store it in a lookup table.",
            "You could implement it as a second list.",
            "`find(reader) -> Loan` is what the librarian needs.",
            "I agree.",
            "Good point, Alex.",
            "The API should answer before the patient does.",
            "Let's cache the prices overnight.",
        )
    ),
    *(
        (ALEX, text)
        for text in (
            "Users will feel lost on that page.",
            "Customers love the old list.",
            "It would be frustrating for the nurses.",
            "The icons are too small anyway.",
            "A calmer colour for the warning would do.",
            "The look and feel should follow the website.",
            "The acceptance criterion would be: the tenant sees it within a minute.",
            "Acceptance criteria: the list is sorted by date.",
            "Given a locked form, When a colleague opens it, Then she sees who holds it.",
            "So we need merge(base, ours) -> Merged on the server.",
            "Store it as HoldRecord(seat, owner, until).",
            "The record has `seat_id: str, until: datetime`.",
            "It has to be intuitive, that is the point.",
            "def release(seat): is all we need.",
        )
    ),
    *(
        (JORDAN, text)
        for text in (
            "Who benefits from this field at all?",
            "Why do users want a second list?",
            "What problem are we solving here?",
            "What do you think about the export?",
            "Tell me more about the drivers.",
            "The architectural tradeoff is between speed and safety.",
            "We should weigh the options before I write this down.",
            "I see two approaches: one list or two.",
            "The blast radius of that is small.",
            "A queue scales better than a table.",
            "Scalability will be a problem with this contract.",
            "The business value of that field is low.",
            "Stakeholders will ask for it.",
            "That is a pain point for our target audience.",
        )
    ),
]


@pytest.mark.rule("VOICE-1", "VOICE-2", "VOICE-3")
@pytest.mark.parametrize(("persona", "text"), GOOD, ids=lambda value: getattr(value, "first_name", None))
def test_a_sensible_sentence_raises_no_alarm(persona: Persona, text: str) -> None:
    assert slips(text, persona) == []


@pytest.mark.rule("VOICE-1", "VOICE-2")
@pytest.mark.parametrize(("persona", "text"), BAD, ids=lambda value: getattr(value, "first_name", None))
def test_a_sentence_out_of_character_is_caught(persona: Persona, text: str) -> None:
    assert slips(text, persona)


@pytest.mark.rule("VOICE-1")
@pytest.mark.parametrize("persona", ROSTER.personas, ids=lambda persona: persona.key)
def test_every_ban_catches_one_of_the_bad_sentences(persona: Persona) -> None:
    said = [text for speaker, text in BAD if speaker is persona]
    patterns = [re.compile(ban.pattern, re.IGNORECASE) for ban in persona.bans]
    assert [pattern.pattern for pattern in patterns if not any(map(pattern.search, said))] == []


@pytest.mark.rule("VOICE-4")
def test_bans_on_questions_and_tradeoffs_are_of_those_kinds() -> None:
    """What every lead must do (ask, weigh) has to be free to lift."""
    lifted = [text for speaker, text in BAD if speaker is JORDAN and not _forbidden_when_free(text)]
    assert lifted == [text for speaker, text in BAD if speaker is JORDAN][:11]


def _forbidden_when_free(text: str) -> bool:
    found = find_slips(text, JORDAN, free=True)
    return any(violation.kind == "forbidden" for violation in found)
