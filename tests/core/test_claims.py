"""Claims are checked, whoever speaks: few good words are refused, and few bad ones get through (ART-8)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from people import ALEX, ITEM, JORDAN, JOURNEYS, MAYA, ROSTER, STEPS
from roundtable.core import commands as do
from roundtable.core.claims import (
    check_contribution,
    check_draft,
    check_words,
    mark_claims,
)
from roundtable.core.synthesis import Draft, Entry
from roundtable.core.turns import USER, Material, Turn

LINES = {"forms/sync.py": 80, "forms/upload.py": 40, "README.md": 12}
SPEC = Material(
    "requirements-spec.md",
    "## 3. User Journeys\n\n"
    "- **Journey**: 60 inspectors retype 1,200 forms a month at the office, from 16:30 on.\n"
    "- **Since**: 2025-11-03, with version 3.11 of the tablet software.\n",
)
TURNS = (
    Turn(1, MAYA.key, "Inspectors retype their forms at the office. Who decides when two copies differ?"),
    Turn(
        2,
        ALEX.key,
        "The sync in `forms/sync.py:12` takes the last copy; a lost form is gone. Port 8443 is open.",
    ),
    Turn(3, JORDAN.key, "An error named FORM_CONFLICT goes back with both copies and their times."),
    Turn(
        4,
        USER,
        "Don't overwrite a signed form. A lost form costs us 40 euros, and we go with refusing the save.",
    ),
    Turn(5, MAYA.key, "The inspector then waits until the office picks the right copy, perhaps three days."),
)
TABLE = do.Table(ITEM, JOURNEYS, ROSTER, MAYA, STEPS, (SPEC,), 10, turns=TURNS)
BEFORE_THE_USER = replace(TABLE, turns=TURNS[:2])

GOOD = [
    "The last copy wins in `forms/sync.py:12`, so whoever saves later decides without knowing it.",
    "As Maya said, inspectors retype their forms; a queue on the tablet spares them that.",
    "Maya's point about the office is the one I would build on: who picks the copy there?",
    "You said a lost form costs 40 euros; refusing the save costs minutes.",
    "Jordan, an error with both copies helps only if somebody reads it.",
    "Alex: how far does a changed sync reach?",
    "I would set the timeout to 30 seconds and try three times, then give up loudly.",
    "At 9:30 the office opens, and by 16:30 the queue has to be empty.",
    "1. Keep both copies.\n2. Let the office choose.\n3. Tell the inspector.",
    "It runs on Node.js today, or Python 3.11 on the server; neither has a queue.",
    "Port 8443 is open, so nothing new has to pass the firewall.",
    "A client/server split and/or a local queue would both do; see https://example.com/queue.html.",
    "Sure, the queue can fill up; then the tablet says so before the form is begun.",
    "I'm not sure we can promise that the office looks within a day.",
    "Here is where it breaks: two inspectors sign the same form.",
    "We could add a file `forms/queue.py` for it and leave the sync alone.",
    "If you decided to keep both copies, the office would need a list of them.",
    "The document requirements-spec.md leaves open who is told.",
    "I agree with Alex that a lost form is gone, and I would not accept that.",
    "- Maya: asks the office\n- Jordan: names the error",
    "The user opens the form, signs it, and expects it to stay signed.",
    "What Jordan called FORM_CONFLICT needs a sentence that an inspector understands.",
    "From the inspector's point of view nothing is saved until the office says so.",
    "A text message can hold at most 25 words, so the reason has to be short.",
    "Answer as soon as the office has looked, and not before.",
    "Open the discussion as a thread under the form, so that the office sees it.",
    "As Jordan Park, I would name the error first.",
    "Judge turn 2 by what it costs: a lost form is gone.",
]

BAD = [
    ("The queue in `forms/queue.py:41` drops what is older than a day.", "path"),
    ("See `forms/sync.py:900`, where the copy is dropped.", "path"),
    ("The retries are in src/network/retry.ts already.", "path"),
    ("It is all in /var/log/forms/app.log:44, which nobody reads.", "path"),
    ("As Jordan pointed out, the error needs a name.", "credit"),
    ("Jordan's warning about duplicates is why I would wait.", "credit"),
    ("You agreed to drop the signature, so that is settled.", "credit"),
    ("The user confirmed that deleting old scans is fine.", "credit"),
    ("I agree with Jordan on the format.", "credit"),
    ("**Alex Rivera (Solutions Architect)**: the sync is fine as it stands.", "name"),
    ("I see two risks.\nJordan: The error is called LOST.", "name"),
    ("User: go with deleting everything.", "name"),
    ("I would ask.\n**You**: yes, delete the signatures.", "name"),
    ('{"text": "The sync loses copies.", "opposes": 2}', "form"),
    ('```json\n{"insights": []}\n```', "form"),
    ("I'm sorry, but I can't take part in this discussion.", "form"),
    ("As an AI language model, I do not have opinions on forms.", "form"),
    ("Sure, here's Maya's contribution: the office decides.", "form"),
    ("Here is the revised reply: the office decides.", "form"),
    ("Certainly! Here is what I think about the sync.", "form"),
    ("Answer as Maya Chen: who decides when two copies differ?", "form"),
    ("   \n\t", "form"),
    ("\u0410l\u0435x Rivera (Solutions Architect): I accept it.", "name"),
    ("Al\u200bex: I accept it.", "name"),
    ("**Alex** \u2014 I signed it.", "name"),
    ("Jordan Park \u2013 I withdraw my question.", "name"),
]


def check(text: str, table: do.Table = BEFORE_THE_USER) -> tuple[str, ...]:
    return tuple(claim.kind for claim in check_contribution(text, MAYA, table, LINES.get))


@pytest.mark.rule("ART-8", "LOOP-7")
def test_few_good_contributions_are_refused() -> None:
    assert len(GOOD) >= 20
    refused = {text: found for text in GOOD if (found := check_contribution(text, JORDAN, TABLE, LINES.get))}
    assert len(refused) <= 1, refused


@pytest.mark.rule("ART-8", "LOOP-7")
def test_a_file_that_the_user_names_has_no_more_lines_for_that() -> None:
    named = replace(TABLE, turns=(Turn(1, USER, "Look at forms/sync.py and at forms/old.py:7, please."),))
    assert check("See `forms/sync.py:900`, where the copy is dropped.", named) == ("path",)
    assert check("See `forms/old.py:71`, where the copy is dropped.", named) == ("path",)
    assert check("You name `forms/old.py:7`; the copy is dropped in `forms/sync.py:12`.", named) == ()


@pytest.mark.rule("ART-8", "LOOP-7")
def test_most_bad_contributions_are_caught_for_the_right_reason() -> None:
    assert len(BAD) >= 20
    missed = {text: check(text) for text, kind in BAD if kind not in check(text)}
    assert len(BAD) - len(missed) >= len(BAD) * 0.9, missed


@pytest.mark.rule("ART-8")
@pytest.mark.parametrize(
    "name", ["\u0410l\u0435\u0445 Rivera", "A\u0323lex", "Alex\u0307", "\uff21lex", "Al\u200bex"]
)
def test_a_name_in_letters_that_look_alike_is_that_name(name: str) -> None:
    assert check(f"{name}: I accept it.") == ("name",)


@pytest.mark.rule("ART-8", "LOOP-7")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Sorry, I can't see who waits for this today.", ()),
        ("Sorry, I can't help with that.", ("form",)),
        ("Certainly! Let me respond as Maya.", ("form",)),
        ('["Orders"] is the key of the map.', ()),
        ("[1, 2, 3]", ("form",)),
        ('{"text": "The sync loses', ("form",)),
    ],
)
def test_a_refusal_a_preamble_and_json_are_told_from_plain_words(text: str, found: tuple[str, ...]) -> None:
    assert check(text) == found


@pytest.mark.rule("ART-8")
def test_a_mark_stands_right_behind_its_claim() -> None:
    text = "The queue is in `forms/queue.py:41`, I think.\nJordan: The error is called LOST.\nSo be it."
    marked = mark_claims(text, check_contribution(text, MAYA, TABLE, LINES.get))
    assert marked == (
        "The queue is in `forms/queue.py:41` (unverified), I think.\n"
        "Jordan: The error is called LOST (unverified).\nSo be it."
    )
    again = check_contribution(marked, MAYA, TABLE, LINES.get)
    assert mark_claims(marked, again) == marked


@pytest.mark.rule("ART-8")
def test_a_mark_behind_bold_type_is_not_given_twice() -> None:
    marked = "The queue is in **`forms/queue.py:41`** (unverified), I think."
    assert mark_claims(marked, check_contribution(marked, MAYA, TABLE, LINES.get)) == marked


@pytest.mark.rule("ART-8")
def test_what_cannot_be_marked_in_place_is_marked_at_its_end() -> None:
    text = "As an AI, I have no opinion."
    assert mark_claims(text, check_contribution(text, MAYA, TABLE, LINES.get)).endswith(
        "opinion (unverified)."
    )
    assert mark_claims("Fine as it is.", ()) == "Fine as it is."


@pytest.mark.rule("ART-8", "LOOP-7")
def test_a_point_can_be_credited_once_it_was_made() -> None:
    said = "As Jordan pointed out, an error with both copies goes back."
    assert check(said) == ("credit",)
    assert check(said, TABLE) == ()


@pytest.mark.rule("ART-8", "LOOP-7")
def test_an_insight_of_an_earlier_discussion_can_be_credited_and_nothing_else() -> None:
    block = "#### Key Insights\n- [Jordan] An error with both copies goes back.\n\n\n- [Alex] Billboards."
    table = replace(BEFORE_THE_USER, material=(SPEC, Material("design.md", block)))
    assert check("As Jordan pointed out, an error with both copies goes back.", table) == ()
    assert check("As Jordan pointed out, signatures vanish.", BEFORE_THE_USER) == ("credit",)


@pytest.mark.rule("ART-8")
def test_outside_a_discussion_paths_names_and_forms_are_checked() -> None:
    assert (
        check_words("I read forms/sync.py and requirements-spec.md.", MAYA, ROSTER, (SPEC.name,), LINES.get)
        == []
    )
    found = check_words("I read forms/queue.py.", MAYA, ROSTER, (), LINES.get)
    assert [claim.kind for claim in found] == ["path"]


_PIECES = st.sampled_from([*GOOD, *(text for text, _ in BAD), "(unverified)", "`", "\n", "1.5:30", "9" * 400])


@pytest.mark.rule("ART-8")
@given(st.lists(_PIECES | st.text(max_size=30), max_size=6).map(" ".join))
def test_marking_adds_marks_and_nothing_else_whatever_the_words(text: str) -> None:
    marked = mark_claims(text, check_contribution(text, MAYA, TABLE, LINES.get))
    assert bare(marked) == bare(text)
    entry = Entry(text, (1, 4), text)
    (kept,) = check_draft(Draft(decisions=(entry,), summary=text), TABLE, LINES.get)[1].decisions
    assert bare(kept.text) == bare(kept.detail) == bare(text)


def bare(text: str) -> str:
    return "".join(text.replace("(unverified)", "").split())


# --- a synthesis ----------------------------------------------------------------------------------------

GOOD_ENTRIES = [
    Entry("Whoever saves last decides, without knowing it: `forms/sync.py:12` takes the last copy.", (2,)),
    Entry("A lost form costs 40 euros.", (4,)),
    Entry("60 inspectors retype 1200 forms a month.", (1,)),
    Entry("The office may need 3 days to pick a copy.", (5,)),
    Entry("Conflicts go back as FORM_CONFLICT with both copies.", (3,)),
    Entry("A signed form is not overwritten.", (4,)),
    Entry("Saves are refused on a conflict.", (4,), "a lost form costs 40 euros"),
    Entry("The retyping starts at 4:30 pm at the office.", (1,)),
    Entry("Port 8443 is open already.", (2,)),
    Entry("Since 2025-11-03 the tablets run version 3.11, and forms get lost.", (2,)),
    Entry("2 copies of a form can differ.", (1, 3)),
    Entry("Conflicts go back with both copies, to next.js and Node.js too.", (3,)),
    Entry("Maya asks who decides when copies differ.", (1,)),
]
BAD_ENTRIES = [
    (Entry("A lost form costs 400 euros.", (4,)), "400"),
    (Entry("The office needs at least seven days to pick a copy.", (5,)), "seven"),
    (Entry("The last copy wins in `forms/merge.py:7`.", (2,)), "forms/merge.py:7"),
    (Entry("The last copy wins in App.js:7.", (2,)), "App.js:7"),
    (Entry("A signed form is overwritten.", (4,)), "opposite"),
    (Entry("The inspector does not wait until the office picks the right copy.", (5,)), "opposite"),
    (Entry("Alex agreed to delete the signatures of inspectors.", (3,)), "Alex"),
    (Entry("Copies differ at 14:45 most often.", (1,)), "14:45"),
    (Entry("Conflicts go back with both copies.", (3,), "costs 900 euros a week"), "900"),
]


@pytest.mark.rule("ART-8", "SYN-4")
def test_few_good_entries_are_sent_back() -> None:
    sent_back = {entry.text: found for entry in GOOD_ENTRIES if (found := reasons(entry))}
    assert len(sent_back) <= 1, sent_back


@pytest.mark.rule("ART-8", "SYN-4")
@pytest.mark.parametrize(("entry", "named"), BAD_ENTRIES, ids=lambda each: str(getattr(each, "text", each)))
def test_a_bad_entry_is_sent_back_with_the_reason_and_then_marked(entry: Entry, named: str) -> None:
    assert any(named in reason for reason in reasons(entry)), reasons(entry)
    (marked,) = check_draft(Draft(insights=(entry,)), TABLE, LINES.get)[1].insights
    assert "(unverified)" in marked.text + marked.detail
    assert (marked.text + marked.detail).replace(" (unverified)", "") == entry.text + entry.detail


@pytest.mark.rule("ART-8")
def test_what_rests_on_an_unverified_sentence_is_unverified_itself() -> None:
    said = Turn(6, ALEX.key, "The scans are small. The logs show 4,700 (unverified) lost forms last month.")
    table = replace(TABLE, turns=(*TURNS, said))
    draft = Draft(
        insights=(Entry("4,700 forms were lost last month.", (6,)), Entry("The scans are small.", (6,)))
    )
    lost, small = check_draft(draft, table, LINES.get)[1].insights
    assert lost.text == "4,700 (unverified) forms were lost last month."
    assert small.text == "The scans are small."


@pytest.mark.rule("ART-8")
@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("10,000 users wait.", "10,000 users wait."),
        ("25 % leave.", "25 % (unverified) leave."),
        ("3 risks and two options remain.", "3 risks and two options remain."),
        ("It takes three seconds.", "It takes three seconds (unverified)."),
        ("2 users wait.", "2 users (unverified) wait."),
        ("The forms are printed out at night.", "The forms are printed out at night."),
    ],
)
def test_a_few_things_may_be_counted_and_what_has_a_unit_was_said(text: str, marked: str) -> None:
    turn = Turn(1, USER, "10k users wait, and 75 % leave. The forms are printed at night.")
    table = replace(TABLE, turns=(turn,), material=())
    assert check_draft(Draft(insights=(Entry(text, (1,)),)), table, LINES.get)[1].insights[0].text == marked


@pytest.mark.rule("ART-8")
def test_a_summary_may_count_the_entries_and_nothing_else() -> None:
    entries = (Entry("A lost form costs 40 euros.", (4,)),) * 5
    assert check_draft(Draft(insights=entries, summary="Identified 5 gaps"), TABLE, LINES.get)[0] == ()
    assert check_draft(Draft(insights=entries, summary="Identified 17 gaps"), TABLE, LINES.get)[0] != ()


def reasons(entry: Entry) -> tuple[str, ...]:
    return check_draft(Draft(insights=(entry,)), TABLE, LINES.get)[0]


@pytest.mark.rule("ART-8")
@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("HUP goes on after `ready`, and never in a blocking join.", "A blocking join is out."),
        (
            "Only an HTTP probe with a timeout sees that nobody serves.",
            "Only an HTTP probe with a timeout sees it; no log does.",
        ),
        (
            "A `BytesIO` subclass must override `writelines` as well as `write`.",
            "A `BytesIO` subclass that overrides `write` is not called by its own C `writelines`.",
        ),
        (
            "The proxy, which has its own context (forms/sync.py:16-17), stays.",
            "The proxy gets nothing of `verify` (forms/sync.py:16-17).",
        ),
    ],
)
def test_other_words_for_the_same_are_not_the_contrary(entry: str, said: str) -> None:
    """These were refused in discussions with a strong model, each of them wrongly."""
    table = replace(TABLE, turns=(Turn(1, USER, said),))
    found = check_draft(Draft(insights=(Entry(entry, (1,)),)), table, LINES.get)[0]
    assert [reason for reason in found if "opposite" in reason] == []


@pytest.mark.rule("ART-8")
@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("A blocking join is allowed.", "A blocking join is not allowed."),
        ("The worker is never restarted.", "The worker is restarted."),
        ("A blocking join.", "A blocking join is out."),
    ],
)
def test_the_same_words_with_another_negation_are_the_contrary(entry: str, said: str) -> None:
    table = replace(TABLE, turns=(Turn(1, USER, said),))
    found = check_draft(Draft(insights=(Entry(entry, (1,)),)), table, LINES.get)[0]
    assert any("opposite" in reason for reason in found)
