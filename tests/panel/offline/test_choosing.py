"""Choosing: the answer that leaves most open is the focus, and what is certain is said first."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from offline_talk import Discussion
from roundtable.core.items import Item
from roundtable.core.turns import Material
from roundtable.panel.offline.panel import OfflinePanel
from roundtable.panel.offline.probefile import parse, read_library
from roundtable.panel.offline.probes import Library

KEYS = {"maya": "business-analyst", "alex": "solutions-architect", "jordan": "system-designer"}
TOPICS = "\n".join(
    f'[[topic]]\nid = "01-03.{label.lower()}{end}"\nname = "the {label.lower()}"\n'
    f'gap = "The {label.lower()} is {left}."\n[topic.question]\n"*" = "{asked}"\n'
    for label in ("Journey", "Detour", "Finish")
    for end, left, asked in (
        ("", "told", r"\"{quote}\": what of the " + label.lower() + "?"),
        (".open", "open", f"what is the {label.lower()}?"),
    )
)


def probe(who: str, name: str, called: str, *texts: str, topic: str = "") -> str:
    """A probe with one phrase for each text, each in a form of its own."""
    says = "".join(
        f'[[probe.says]]\nform = "{text.split()[0]}"\ntext = "{text}"\nhandle = "point {name}"\n'
        f'insight = "Kept of {who} {name} {number}."\n'
        '[probe.says.lead]\nalone = ""\n"*" = "After {name}: "\n'
        for number, text in enumerate(texts)
    )
    return (
        f'[[probe]]\nid = "{who}.{name}"\npersona = "{KEYS[who]}"\ntopics = ["{topic or name}"]\n'
        f'steps = ["01-03"]\n{called}\n{says}'
    )


def on(who: str, label: str, *texts: str, gap: bool = False) -> str:
    called = f'answer = "{label}"' + ('\ngap = "unanswered"' if gap else "")
    return probe(who, label.lower(), called, *texts, topic=f"01-03.{label.lower()}")


def library(*probes: str) -> Library:
    built_in, _ = read_library()
    own, problems = parse(TOPICS + "\n".join(probes))
    assert problems == ()
    return replace(built_in, probes=own.probes, topics=own.topics + built_in.topics)


def held(
    known: Library, spec: str, text: str = "The gate is open.", says: tuple[str, ...] = ()
) -> Discussion:
    material = Material("requirements-spec.md", f"# Spec\n\n## 3. User Journeys\n\n{spec}\n\n## 4. Other\n")
    item = Item("gate", "Gate pass", text)
    return Discussion(item, "01-03", (material,), says, 24, panel=OfflinePanel(library=known))


JOURNEY = "**Journey**: The guard lifts the bar and waves the truck through."
DETOUR = "**Detour**: The bar is stuck in the frost of January."
FINISH = "**Finish**: A green lamp burns at the barrier."
OPEN_FINISH = (
    "- Open question: How does the person know that they are done and can rely on it, without asking anybody?"
)


@pytest.mark.rule("FRAME-2")
def test_the_answer_on_which_both_others_have_something_is_the_focus() -> None:
    known = library(
        on("alex", "Journey", "Journey: a ledger of weights would settle who pays; {says}."),
        on("alex", "Detour", "Detour: salt costs little, a second hinge costs more; {says}."),
        on("jordan", "Detour", "{lead}one value tells whether it moved, and a test reads it; {says}."),
    )
    case = held(known, f"{JOURNEY}\n\n{DETOUR}\n\n{FINISH}")
    assert case.framing is not None
    assert case.framing.focus_question == '"The bar is stuck in the frost of January": what of the detour?'
    assert case.framing.focus_topic == "the detour"
    assert case.framing.summary == (
        'under Journey it says "The guard lifts the bar and waves the truck through" '
        'and under Finish "A green lamp burns at the barrier". The detour is told.'
    )
    assert [turn.text for turn in case.spoken] == [
        "Detour: salt costs little, a second hinge costs more; "
        'under Detour it says "The bar is stuck in the frost of January".',
        "After Alex: one value tells whether it moved, and a test reads it; "
        'under Detour it says "The bar is stuck in the frost of January".',
    ]


@pytest.mark.rule("FRAME-2")
def test_what_nobody_could_answer_comes_before_all() -> None:
    known = library(
        *(on(who, "Journey", f"Journey {who} says {{quote}}.") for who in ("alex", "jordan")),
        on("alex", "Finish", "Finish: I would ask the driver what he waits for.", gap=True),
    )
    case = held(known, f"{JOURNEY}\n\n{OPEN_FINISH}")
    assert case.framing is not None
    assert case.framing.focus_question == "what is the finish?"
    assert case.framing.summary == (
        'under Journey it says "The guard lifts the bar and waves the truck through". The finish is open.'
    )
    assert case.spoken[0].text == "Finish: I would ask the driver what he waits for."


@pytest.mark.rule("LOOP-7")
def test_after_the_first_round_only_answers_are_spoken_to_unasked() -> None:
    known = library(
        probe("alex", "role", 'role = "wish"', "Role: whoever asks for it pays for the fog lamp."),
        probe(
            "alex", "word", "calls_for = ['gate']", "Word: a hinge rusts twice as fast near the sea; {says}."
        ),
        on("alex", "Journey", "Journey: a ledger of weights would settle who pays; {says}."),
        on("alex", "Detour", "Detour: salt costs little, a second hinge costs more; {says}."),
    )
    case = held(
        known,
        f"{JOURNEY}\n\n{DETOUR}",
        "The gate is open at night. I would like a lamp there.",
        ("", "", "Alex, what else?"),
    )
    said = [turn.text.split(":")[0] for turn in case.spoken if turn.speaker == KEYS["alex"]]
    assert set(said[:2]) == {"Journey", "Detour"}
    assert not {"Word", "Role"} & set(said)


@pytest.mark.rule("LOOP-7")
def test_in_the_first_round_topics_come_before_roles() -> None:
    known = library(
        probe("alex", "role", 'role = "wish"', "Role: whoever asks for it pays for the fog lamp."),
        probe(
            "alex", "word", "calls_for = ['gate']", "Word: a hinge rusts twice as fast near the sea; {says}."
        ),
    )
    case = held(known, JOURNEY, "The gate is open at night. I would like a lamp there.")
    said = [turn.text.split(":")[0] for turn in case.spoken if turn.speaker == KEYS["alex"]]
    assert said[0] == "Word"


@pytest.mark.rule("LOOP-7")
def test_nobody_speaks_twice_running_in_one_form_or_quotes_a_sentence_twice() -> None:
    known = library(
        *(
            on(
                who,
                label,
                *(f"{form} {who} adds a word on {label} to it: {{says}}." for form in ("One", "Two")),
            )
            for who in KEYS
            for label in ("Journey", "Detour")
        )
    )
    case = held(known, f"{JOURNEY}\n\n{DETOUR}", "The gate is open.", ("", "", "", ""))
    quoted: list[tuple[str, str]] = []
    last: dict[str, str] = {}
    for turn in case.spoken:
        form = turn.text.split()[0]
        assert last.get(turn.speaker) != form or form not in ("One", "Two")
        last[turn.speaker] = form
        quoted += [(turn.speaker, words) for words in re.findall(r'"([^"]+)"', turn.text)]
    assert len(quoted) == len(set(quoted))
    for words in {words for _, words in quoted}:
        assert len([speaker for speaker, other in quoted if other == words]) <= 2


@pytest.mark.rule("LOOP-7")
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("The bar is lifted 40 times a day.", "Figure 40 times"),
        ("The bar was lifted at 8:40 in 2019.", "Plain"),
        ("The bar is up after two weeks.", "Figure two weeks"),
        ("The guard lifts it and waits.", "Person the guard"),
    ],
)
def test_a_phrase_without_its_value_is_not_used(answer: str, said: str) -> None:
    known = library(
        on("alex", "Journey", "Figure {figure} of {quote}.", "Person {actor} of {quote}.", "Plain {quote}.")
    )
    case = held(known, f"**Journey**: {answer}")
    text = case.spoken[0].text
    assert text.startswith(said) or (said.startswith("Person") and text.startswith("Plain"))
    assert "the person using it" not in text


@pytest.mark.rule("FRAME-2")
def test_a_second_elaboration_turns_to_another_answer() -> None:
    known = library(
        on("alex", "Journey", "One: a ledger of weights would settle who pays; {says}."),
        on("alex", "Detour", "Two: salt costs little, a second hinge costs more; {says}."),
        on("jordan", "Journey", "Three: one value tells whether it moved; {says}."),
        on("jordan", "Detour", "Four: a test reads the hinge every hour; {says}."),
    )
    first = held(known, f"{JOURNEY}\n\n{DETOUR}")
    block = next(text for text in first.lines("synthesis"))
    second = held(known, f"{JOURNEY}\n\n{DETOUR}\n\n{block}")
    assert first.framing is not None and second.framing is not None
    assert {first.framing.focus_topic, second.framing.focus_topic} == {"the journey", "the detour"}
    assert not {turn.text for turn in first.spoken} & {turn.text for turn in second.spoken}
