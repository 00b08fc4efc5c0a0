"""Whole discussions on varied items: what must hold whatever is said at the table."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offline_talk import ROSTER, Discussion, run
from roundtable.core.items import Item
from roundtable.core.personas import Persona, Roster
from roundtable.core.synthesis import decided, problems
from roundtable.core.turns import Material
from roundtable.core.voice import Said, check_voice
from roundtable.panel.offline.panel import OfflinePanel
from roundtable.panel.offline.phrases import content, is_question, message_sentences
from roundtable.panel.offline.probefile import parse, read_library

GARDEN = Item(
    "garden", "Shared garden plan",
    "Forty allotment holders plan their beds in one shared spreadsheet. Two gardeners often edit the "
    "same bed at the same time, and the last one to save wins without noticing. A gardener can delete a bed "
    "that is given up. Reminders are sent by email when watering is due. "
    "It should be simple for older members. The committee keeps the phone numbers of all members. "
    "Only the chair may approve a swap of beds.",
)  # fmt: skip
PLAN = Material(
    "requirements-spec.md",
    "# Requirements\n\n## 3. User Journeys\n\n**Journey**: The gardener opens the plan on the phone at the "
    "allotment, marks the bed as watered and goes home.\n\n"
    "**Detour**: There is no signal behind the shed.\n\n## 4. Technical Context\n",
)
HALF_A_PLAN = Material(
    "requirements-spec.md",
    "# Requirements\n\n## 3. User Journeys\n\n**Journey**: no idea\n\n**Detour**: Nobody.\n\n"
    "- Open question: How does the person know that they are done and can rely on it, without asking "
    "anybody?\n\n## 4. Technical Context\n",
)
PLAN_IN_GERMAN = Material(
    "requirements-spec.md",
    "# Anforderungen\n\n## 3. User Journeys\n\n**Journey**: Anna zieht die Schicht zu Paul, und er bestätigt "
    "sie auf dem Telefon.\n\n**Detour**: Im Keller gibt es kein Netz.\n",
)
TINY = Item("tiny", "Dark mode")
HUGE = Item(
    "huge", "Parcel tracking",
    "\n\n".join(
        f"Depot {n} scans {n * 7 + 3} parcels an hour. "
        f"The carrier API is called for every parcel of depot {n}. "
        f"Drivers of depot {n} must see the next stop."
        for n in range(900)
    ),
)  # fmt: skip
GERMAN = Item(
    "tausch", "Schichttausch",
    "Pflegekräfte sollen Schichten untereinander tauschen können. Die Stationsleitung muss den Tausch "
    "bestätigen, bevor er gilt. Wenn jemand krank wird, soll das System einen Ersatz vorschlagen.",
)  # fmt: skip
JAPANESE = Item("kanji", "図書館の予約", "利用者は本を予約できます。予約は三日後に取り消されます。")
CODE = Item(
    "code", "Queue drain",
    "def drain_queue(queue, sink):\n    for job in queue:\n        try:\n"
    "            sink.push(job.id, job.body)\n        except TimeoutError:\n            continue\n"
    "        queue.remove(job)\n\nclass RetryQueue:\n    def remove(self, job): ...\n",
)  # fmt: skip
SPREAD = Item(
    "import", "Import of bank statements",
    "The treasurer imports a CSV file from the bank every month. Duplicate transactions must be detected. "
    "There are about 400 transactions a year. Maybe the club also accepts card payments later.",
)  # fmt: skip
HEADINGS = Material("module-design.md", "# Modules\n\n## 1. Parts\n\n## 2. Seams\n\n## 3. Rules\n")
LOG = "\n".join(f"2026-02-20 12:00:{n % 60:02d} worker {n} ERROR timeout after 30 s" for n in range(500))

CASES: dict[str, Callable[[], Discussion]] = {
    "asks": partial(
        Discussion, GARDEN, "01-03", (PLAN,),
        ("Alex, how many gardeners are there?", "What happens behind the shed without signal?",
         "Jordan, who wins when both save?"),
        max_turns=16,
    ),
    "decides": partial(
        Discussion, GARDEN, "02-03", (),
        ("We go with Option B because nothing may get lost.", "agreed, do that",
         "No, the chair decides about every swap.", "Reminders are pointless in winter."),
        max_turns=18,
    ),
    "tiny, silent": partial(Discussion, TINY, "01-01", (), ("", ""), max_turns=14),
    "huge": partial(
        Discussion, HUGE, "03-03", (),
        ("how often is the carrier API called?", "ok", "Everyone, what is missing?"),
        max_turns=16,
    ),
    "german": partial(
        Discussion, GERMAN, "01-02", (),
        ("Was passiert, wenn die Stationsleitung im Urlaub ist?", "", "Das ist wichtig."),
        max_turns=15,
    ),
    "japanese": partial(
        Discussion, JAPANESE, "01-03", (), ("予約が重なったらどうなりますか？", ""), max_turns=12
    ),
    "german, answered": partial(
        Discussion, GERMAN, "01-03", (PLAN_IN_GERMAN,), ("", "Wer bestätigt das?", ""), max_turns=16
    ),
    "answered, and not": partial(
        Discussion, GARDEN, "01-03", (HALF_A_PLAN,), ("", "", "ok", "Jordan, what is left half done?"),
        max_turns=20,
    ),
    "code": partial(
        Discussion, CODE, "02-03", (), ("Jordan, is the continue right?", "", "use two queues"), max_turns=14
    ),
    "headings": partial(
        Discussion, SPREAD, "04-01", (HEADINGS,),
        ("what do you think", "this is all useless", LOG, "use one part per format"),
        max_turns=20,
    ),
    "long": partial(
        Discussion, SPREAD, "01-06", (),
        ("", "", "Maya, why?", "", "", "hm", "", "", "Alex, and the bank?", ""),
        max_turns=40,
    ),
}  # fmt: skip
OPPOSED = """
[[probe]]
id = "alex.undo"
persona = "solutions-architect"
topics = ["undo"]
calls_for = ['\\bdelete\\b']
[[probe.says]]
form = "options"
text = "Option A: keep a snapshot of everything each night; {says}."
handle = "snapshot option"
insight = "A snapshot each night keeps everything."
[[probe]]
id = "jordan.undo"
persona = "system-designer"
topics = ["undo"]
calls_for = ['\\bdelete\\b']
opposes = "alex.undo"
[[probe.says]]
form = "against"
against = true
text = "I would not build on {name}'s {their}: {says}, and one entry has to come back alone."
handle = "restore by single entry"
insight = "One entry has to come back alone."
"""
OPEN = ("ok", "hm", "what do you think", "Everyone, what is missing?")  # messages that only say "go on"


@cache
def played(name: str) -> Discussion:
    """A discussion, held once for all tests that look at it."""
    return CASES[name]()


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Discussion:
    return played(str(request.param))


def sentences(text: str) -> list[str]:
    pieces = re.split(r"(?<=[.!?])\s+|\n+", text.casefold())
    return [piece.strip(" .\"'") for piece in pieces if piece.strip(" .\"'")]


@pytest.mark.rule("VOICE-1", "VOICE-2", "VOICE-4")
def test_no_contribution_breaks_its_voice_or_echoes(case: Discussion) -> None:
    names = [persona.name for persona in case.roster.personas]
    for turn in case.turns:
        if turn.speaker == "user":
            continue
        before = [Said(each.speaker, each.text[:3_000]) for each in case.turns[: turn.number - 1]]
        brief = next((each for each in case.briefs if each.number == turn.number), None)
        free = turn.number == 1 or (brief is not None and brief.free)
        found = check_voice(turn.text, case.roster[turn.speaker], earlier=before, names=names, free=free)
        assert found == (), turn.text


@pytest.mark.rule("LOOP-3")
def test_nothing_is_empty_and_no_sentence_comes_twice(case: Discussion) -> None:
    seen: set[str] = set()
    for turn in case.turns:
        assert turn.text.strip()
        said = set(sentences(turn.text))
        if turn.speaker != "user":
            assert seen.isdisjoint(said), turn.text
        seen |= said


@pytest.mark.rule("LOOP-7")
def test_whoever_is_named_has_spoken_before(case: Discussion) -> None:
    for turn in case.spoken:
        before = {each.speaker for each in case.turns[: turn.number - 1]}
        for persona in case.roster.personas:
            if persona.key != turn.speaker and re.search(rf"\b{persona.first_name}\b", turn.text):
                assert persona.key in before, turn.text


@pytest.mark.rule("LOOP-7")
def test_no_slot_is_left_open(case: Discussion) -> None:
    for turn in case.spoken:
        assert not re.search(r"\{[a-zA-Z_]+\}|<[^<>|]*\|[^<>|]*>", turn.text)


@pytest.mark.rule("HEAR-2", "HEAR-4")
def test_an_answer_takes_up_the_subject(case: Discussion) -> None:
    for brief in case.briefs:
        if brief.purpose != "answer" or brief.number > len(case.turns):
            continue
        message = case.turns[(brief.answers or 1) - 1].text[:4_000]
        if message in OPEN:
            continue
        asked = set(content(message)) - {persona.first_name.casefold() for persona in case.roster.personas}
        reply = case.turns[brief.number - 1].text
        proposed = {"agre", "agree"} & asked  # "agreed, do that" is taken up by what was proposed
        assert not asked or proposed or asked & set(content(reply)), (asked, reply)


@pytest.mark.rule("SYN-2", "SYN-3", "SYN-4")
def test_every_entry_cites_turns_and_the_draft_is_accepted_at_once(case: Discussion) -> None:
    assert not case.retried
    assert problems(case.draft, case.turns) == ()
    for entry in case.draft.entries:
        assert set(entry.turns) <= {turn.number for turn in case.turns}


@pytest.mark.rule("SYN-3")
def test_no_statement_of_the_user_is_lost(case: Discussion) -> None:
    kept = {n for entry in (*case.draft.insights, *case.draft.decisions) for n in entry.turns}
    for turn in case.turns:
        if turn.speaker != "user":
            continue
        stated = [
            piece for piece in message_sentences(turn.text) if not is_question(piece) and content(piece)
        ]
        if stated and turn.text not in OPEN:
            assert turn.number in kept, turn.text[:80]
    assert {n for entry in case.draft.decisions for n in entry.turns} >= set(decided(case.turns))


@pytest.mark.rule("META-5")
def test_the_summary_is_one_short_sentence_about_what_was_done(case: Discussion) -> None:
    assert re.match(r"(?:Identified|Decided|Discussed) ", case.draft.summary)
    assert len(case.summary) <= 100
    assert "\n" not in case.summary


@pytest.mark.rule("FRAME-1", "FRAME-2")
def test_the_framing_is_grounded_and_asks(case: Discussion) -> None:
    assert case.framing is not None
    told = f"{case.framing.summary} {case.framing.focus_question}"
    assert '"' in told
    assert case.framing.focus_question.endswith("?")
    assert 2 <= len(re.findall(r"[.!?](?:\s|$)", case.framing.summary)) <= 5
    assert not case.framing.focus_topic.endswith((".", "?"))
    read = (case.item.name + case.item.text + "".join(each.text for each in case.material)).replace("*", "")
    read = " ".join(read.split()).casefold()
    for quoted in re.findall(r'"([^"]+)"', told):
        plain = quoted.removesuffix(" ...").removeprefix("... ")
        assert plain.casefold() in read, quoted


@pytest.mark.rule("LOOP-9")
def test_the_same_discussion_is_the_same_word_for_word() -> None:
    for case in (played("asks"), played("decides")):
        again = replace(case, shown=[], briefs=[], panel=type(case.panel)())
        assert again.turns == case.turns
        assert again.draft == case.draft


@pytest.mark.rule("PERS-4")
@pytest.mark.parametrize("count", [2, 4, 8])
def test_any_roster_speaks(count: int) -> None:
    strangers = tuple(
        Persona(
            f"extra-{n}", f"{name} Øst", "Tester", "QA", (), "testing", (f"coverage {n}", "failure drills")
        )
        for n, name in enumerate(("Zoë", "Åsa", "Íris", "Ōta", "Émile", "Ñusta"))
    )
    roster = (
        Roster((ROSTER.personas + strangers)[:count])
        if count > 2
        else Roster((ROSTER.personas[0], strangers[0]))
    )
    case = Discussion(GARDEN, "01-03", (PLAN,), ("What do you all think about the shed?", ""), 24, roster)
    spoken = {turn.speaker for turn in case.turns} - {"user"}
    assert spoken == set(roster.keys)
    names = [persona.name for persona in roster.personas]
    for turn in case.spoken:
        before = [Said(each.speaker, each.text) for each in case.turns[: turn.number - 1]]
        assert not check_voice(turn.text, roster[turn.speaker], earlier=before, names=names, free=True), (
            turn.text
        )


@pytest.mark.rule("LOOP-7")
def test_opposition_names_its_turn_and_the_lead_sums_it_up() -> None:
    built_in, _ = read_library()
    own, _ = parse(OPPOSED)
    panel = OfflinePanel(library=replace(built_in, probes=own.probes))
    item = Item("beds", "Bed plan", "A gardener can delete a bed plan and all its notes.")
    case = Discussion(item, "01-03", (), ("I would rather keep every note.",), panel=panel)
    opposing = next(turn for turn in case.turns if turn.verdict.opposes is not None)
    against = case.turns[opposing.verdict.opposes - 1] if opposing.verdict.opposes else None
    assert (opposing.speaker, against and against.speaker) == ("system-designer", "solutions-architect")
    assert "Alex's snapshot option" in opposing.text
    summed_up = case.turns[opposing.number]
    assert summed_up.speaker == "business-analyst"
    assert "Jordan's restore by single entry" in summed_up.text
    assert "Alex's snapshot option" in summed_up.text
    assert summed_up.text.endswith("?") or "weigh in" in summed_up.text


@pytest.mark.rule("VOICE-2")
def test_another_try_brings_other_words() -> None:
    case = played("asks")
    brief = next(each for each in case.briefs if each.purpose == "first-round")
    first = run(case.panel.speak(brief, lambda words: None))
    second = run(
        case.panel.speak(replace(brief, again=("It repeats what was said before.",)), lambda words: None)
    )
    assert first and second and first.text != second.text


@pytest.mark.rule("HEAR-4")
def test_figures_answer_how_many() -> None:
    item = Item("forms", "Forms", "60 inspectors fill in up to 8 forms a day. Basements have no signal.")
    case = Discussion(item, "01-03", (), ("Alex, how many forms is that?",))
    reply = next(turn for turn in case.turns[4:] if turn.speaker == "solutions-architect")
    assert "480 forms a day at most (60 times 8)" in reply.text


@pytest.mark.rule("FRAME-2")
def test_a_second_elaboration_asks_something_else() -> None:
    first = played("asks")
    block = next(text for text in first.lines("synthesis"))
    enriched = Material(PLAN.name, f"{PLAN.text}\n{block}")
    second = Discussion(GARDEN, "01-03", (enriched,))
    assert first.framing and second.framing
    assert second.framing.focus_question != first.framing.focus_question
    assert not {turn.text for turn in first.spoken} & {turn.text for turn in second.spoken}


@pytest.mark.rule("LOOP-3", "SYN-4")
@settings(max_examples=30, deadline=None)
@given(
    name=st.text(max_size=30), text=st.text(max_size=400), says=st.lists(st.text(max_size=120), max_size=4)
)
def test_whatever_is_written_or_said_the_discussion_goes_on(name: str, text: str, says: list[str]) -> None:
    case = Discussion(
        Item("x", name, text), "02-01", (Material("impact-analysis.md", text),), tuple(says), 12
    )
    assert all(turn.text.strip() for turn in case.turns)
    assert problems(case.draft, case.turns) == ()
    assert len(case.summary) <= 100


def test_it_says_what_it_is() -> None:
    assert played("asks").panel.name == "offline"
    framing = played("german").framing
    assert framing is not None
    assert "offline panel" in framing.summary
