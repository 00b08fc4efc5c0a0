"""What is taken out of a text: sentences, phrases, figures, persons, and what calls for a probe."""

from __future__ import annotations

import pytest

from offline_talk import STEPS, step
from roundtable.core.items import Item
from roundtable.core.turns import Material
from roundtable.panel.offline.calling import hits
from roundtable.panel.offline.phrases import actor, figures, noun_phrase, quote, subject
from roundtable.panel.offline.probefile import parse
from roundtable.panel.offline.reading import Reading, language, read

PROBES = """
[[probe]]
id = "undo"
persona = "solutions-architect"
topics = ["undo"]
calls_for = ['\\b(?:delet|remov)\\w*\\s+(?P<thing>.+)', '\\b(?:articles?|comments?|files?)\\b']
unless = ['removes? the need']
settled_by = ['\\bsnapshots?\\b']
[[probe.says]]
form = "risk"
text = "What becomes of {thing}? {Says}."
handle = "loss"
insight = "{Thing} may be lost."

[[probe]]
id = "repeat"
persona = "solutions-architect"
topics = ["repeat"]
calls_for = ['\\bduplicat\\w+', '\\b(?:orders?|payments?)\\b']
unless = ['duplicated? code']
[[probe.says]]
form = "risk"
text = "{Says}. Which one counts?"
handle = "twin"
insight = "One of two counts."
"""
GAP_PROBES = "\n".join(
    f'[[probe]]\nid = "{gap}"\npersona = "solutions-architect"\ntopics = ["{gap}"]\ngap = "{gap}"\n'
    f'[[probe.says]]\nform = "f"\ntext = "{gap}: {{word}}"\nhandle = "h"\ninsight = "i"\n'
    for gap in ("quality", "happy", "hedge", "term", "empty", "unanswered")
)
LIBRARY, _ = parse(PROBES + GAP_PROBES)


@pytest.mark.parametrize(
    ("rest", "found"),
    [
        ("the form when it is done", "the form"),
        ("a shopping list.", "the shopping list"),
        ("customer records after 30 days", "the customer records"),
        ("only when the phone rings", None),
        ("quickly", None),
        ("form data", "the form data"),
        ("form", None),
        ("the very long and winding road", None),
        ("the old", None),
        ("their own", None),
        ("the meeting", None),
        ("", None),
    ],
)
def test_a_noun_phrase_is_given_only_when_it_is_certain(rest: str, found: str | None) -> None:
    assert noun_phrase(rest) == found


def test_figures_carry_what_they_count() -> None:
    assert figures("60 inspectors, up to 8 forms and 5 % more in 2 to 3 days") == (
        "60 inspectors", "up to 8 forms", "5 %", "2", "3 days",
    )  # fmt: skip


def test_a_named_role_is_worth_more_than_the_user() -> None:
    assert actor(["Users log in. The user waits. A nurse signs."]) == "the nurse"
    assert actor(["Users log in. The user waits. Users leave."]) == "the user"
    assert actor(["It rains."]) is None


def test_a_quotation_is_verbatim_and_fits() -> None:
    assert quote('- **He** said "no".') == "He said 'no'"
    assert len(quote("x" * 500)) <= 100
    assert quote("word " * 60) == " ".join(["word"] * 20)


@pytest.mark.rule("FRAME-2")
@pytest.mark.parametrize(
    ("sentence", "around", "quoted"),
    [
        # From the beginning as far as whole clauses go.
        (
            "When the truck arrives at the yard, the guard opens the gate, and the driver hands over "
            "all of the papers that he was given",
            "",
            "When the truck arrives at the yard, the guard opens the gate",
        ),
        # A clause that hangs on another is not alone.
        (
            "If the lock service has been away for longer than a whole day and nobody noticed it at all, "
            "the guest who has just arrived stands before a closed door in the rain",
            "",
            "the guest who has just arrived stands before a closed door in the rain",
        ),
        # The clause at the place, where the beginning is too far away.
        (
            "The office keeps a list of every key that was ever handed out to somebody in the house; "
            "a lost key costs the tenant 80 euros",
            "lost",
            "a lost key costs the tenant 80 euros",
        ),
        # Never half of what somebody reads, and never half of what stands in brackets.
        (
            "Itay searches at 8:40 and sees the train at 8:53 with a red '5 min to change' on top and "
            "below it 'leave at 8:38 instead, 20 min to change'",
            "",
            "Itay searches at 8:40 and sees the train at 8:53 with a red '5 min to change' on top and "
            "below it 'leave at 8:38 instead, 20 min to change'",
        ),
        (
            "We have two kinds of codes (one without shipping cost, one with five dollars off each of all)"
            ", and only one counts",
            "",
            "We have two kinds of codes (one without shipping cost, one with five dollars off each of all)",
        ),
    ],
)
def test_a_long_sentence_is_quoted_in_whole_clauses(sentence: str, around: str, quoted: str) -> None:
    assert quote(sentence, around=sentence.find(around)) == quoted
    assert quoted in sentence


@pytest.mark.parametrize(
    ("message", "about"),
    [
        ("Alex, what about the storage cost?", "the storage cost"),
        ("What about it?", '"What about it"'),
        ("Well, how many forms are locked?", '"how many forms are locked"'),
        ("It is dark. Who signs?", '"Who signs"'),
    ],
)
def test_the_subject_is_a_phrase_or_the_users_own_words(message: str, about: str) -> None:
    assert subject(message, ("Alex",)) == about


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The form is sent to the office and it is kept there.", "english"),
        ("Die Leitung muss den Tausch bestätigen, bevor er gilt.", "foreign"),
        ("利用者は本を予約できます。", "foreign"),
        ("Dark mode", "none"),
    ],
)
def test_the_language_is_told_as_far_as_needed(text: str, found: str) -> None:
    assert language(text) == found


def test_the_steps_own_section_comes_first_and_earlier_blocks_are_no_source() -> None:
    spec = Material(
        "requirements-spec.md",
        "# Spec\n\n## 1. Business Context\n\nIt costs an hour.\n\n## 3. User Journeys\n\n"
        "She opens the form.\n\n"
        "### Elaboration Insights (Step 01-03: User Experience & Journeys)\n\n#### Key Insights\n"
        "- [Alex] Old insight here.\n\n```\ncode in a fence\n```\n\n## 4. Empty\n",
    )
    reading = read(Item("f", "Forms", "Inspectors walk."), step("01-03"), (spec,))
    assert [(each.text, each.origin) for each in reading.sentences] == [
        ("She opens the form.", "section"),
        ("It costs an hour.", "document"),
        ("Inspectors walk.", "item"),
    ]
    assert "Old insight here." in reading.elaborated
    assert reading.empty == ()  # "4. Empty" waits for another step


def called(text: str, persona: str = "solutions-architect") -> set[str]:
    reading = read(Item("x", "Something", text), step("01-03"), ())
    return {hit.probe.topics[0] for hit in hits(reading, LIBRARY, persona)}


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("The editor can delete an article and its comments.", "undo"),
        ("Duplicate orders must be detected.", "repeat"),
        ("It has to be fast.", "quality"),
        ("The clerk should get the label printed at the counter.", "happy"),
        ("Maybe the club also takes cards.", "hedge"),
        ("The XKP is read every night.", "term"),
    ],
)
def test_a_sentence_calls_for_a_probe(text: str, topic: str) -> None:
    assert topic in called(text)


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("This removes the need for files.", "undo"),  # a wrong sense
        ("The editor can delete the old plan.", "undo"),  # one cue of two
        ("Articles are long. The editor deletes a plan.", "undo"),  # in two sentences
        ("Duplicate code in orders should go.", "repeat"),
        ("It is fast: 90 % within 2 seconds.", "quality"),
        ("It costs us maybe a day.", "hedge"),  # an estimate, not a choice
        ("It would print the label at the counter today.", "happy"),  # no promise
        ("The label should not be printed at the counter.", "happy"),
        ("The PDF is read every night.", "term"),
    ],
)
def test_a_wrong_sense_does_not(text: str, topic: str) -> None:
    assert topic not in called(text)


def test_what_is_settled_is_not_asked_again() -> None:
    assert "undo" in called("The editor can delete an article and its comments.")
    assert "undo" not in called("The editor can delete an article and its comments. A snapshot is kept.")


OWN = (
    "# Spec\n\n**Item**: Forms\n\n## 1. Business Context\n\n## 3. User Journeys\n\n"
    "<!-- Step 01-03: 412 characters, 1a2b -->\n\n{text}\n\n"
    "<!-- Feedback: step 01-03, 2026-02-20T14:30:00.000Z -->\n- **Feedback**: Too long.\n\n"
    "<!-- Elaboration: step 01-03, 2026-02-20T14:30:00.000Z -->\n\n"
    "### Elaboration Insights (Step 01-03: User Experience & Journeys)\n\n#### Open Questions\n- How?\n\n"
    "## 4. Technical Context\n"
)


def from_spec(text: str) -> Reading:
    spec = Material("requirements-spec.md", OWN.format(text=text))
    return read(Item("f", "Forms", ""), step("01-03"), (spec,), STEPS)


@pytest.mark.rule("FRAME-2")
def test_what_the_program_writes_is_nobodys_text() -> None:
    reading = from_spec("**Journey**: She opens the form.\n\n- Open question: Who signs it?")
    assert [(each.text, each.label) for each in reading.sentences] == [("She opens the form.", "Journey")]
    assert reading.sentences[0].said == 'under Journey it says "She opens the form"'
    assert reading.unanswered == ("Who signs it?",)


@pytest.mark.rule("FRAME-2")
def test_only_the_steps_own_section_can_be_a_gap() -> None:
    assert from_spec("**Journey**: She opens the form.").empty == ()
    assert from_spec("").empty == (("User Journeys", "requirements-spec.md"),)
    assert from_spec("No answers were given.").empty == (("User Journeys", "requirements-spec.md"),)


@pytest.mark.rule("FRAME-2")
def test_in_a_document_without_it_the_headings_of_other_steps_are_none() -> None:
    spec = Material("requirements-spec.md", "# Spec\n\n## 4. Technical Context\n\n## 9. Seams\n")
    reading = read(Item("f", "Forms", ""), step("01-03"), (spec,), STEPS)
    assert reading.empty == (("Seams", "requirements-spec.md"),)


def test_a_list_stands_under_its_label() -> None:
    reading = from_spec("**Errors**:\n\n- The form is refused.\n- The form is late.")
    assert [(each.text, each.label) for each in reading.sentences] == [
        ("The form is refused.", "Errors"),
        ("The form is late.", "Errors"),
    ]


def test_an_incident_with_a_log_in_it_is_no_code() -> None:
    text = (
        "Incident last night: the release ran while the dump was going, and every query had to wait:\n\n"
        "    2471695 | 00:15:00 | Raise the profile\n    2466684 | 00:12:16 | GetUserProfile\n\n"
        "Cancelling it by hand freed everything in an instant."
    )
    reading = read(Item("f", "Lock", text), step("01-03"), ())
    assert reading.code == ""
    assert len(reading.sentences) == 2


def test_a_table_is_text_too() -> None:
    reading = from_spec("| Quality | Target |\n|---|---|\n| Speed | less than a minute for a course |")
    assert reading.empty == ()
    assert [(each.text, each.label) for each in reading.sentences] == [
        ("less than a minute for a course", "Speed")
    ]
