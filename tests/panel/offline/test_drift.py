"""Drift on many messages: most small talk and most talk of another step is seen, hardly anything else."""

from __future__ import annotations

import pytest

from decision_samples import HALVES, lines
from drift_samples import AT_HOME, ELSEWHERE, FAR, ITEMS
from offline_talk import ROSTER, STEPS, run, step
from roundtable.core.commands import Table
from roundtable.core.items import Item
from roundtable.core.turns import OffTopic, Turn
from roundtable.panel.offline import OfflinePanel
from roundtable.panel.offline.phrases import content
from roundtable.panel.offline.smalltalk import Surroundings, is_far_off

PANEL = OfflinePanel()
ANY = tuple(ITEMS.values())[:6]
OF_HALF = {"built": ANY, "unseen": tuple(ITEMS.values())[6:]}
AT = ("01-03", "02-01", "03-01", "04-02", "01-05", "00-01")


def drift(words: str, item: Item, step_id: str, asked: str = "") -> OffTopic | None:
    here = step(step_id)
    lead = ROSTER[here.persona]
    turns = (Turn(1, lead.key, f"We just covered {here.title}. {asked}".strip()), Turn(2, "user", words))
    question = f"What is still open in {here.title}?"
    table = Table(item, here, ROSTER, lead, STEPS, (), 10, question, here.title, turns)
    return run(PANEL.judge(table)).off_topic


@pytest.mark.rule("FOCUS-1")
def test_small_talk_is_sent_back_whatever_it_is_about() -> None:
    found = [drift(words, ANY[n % len(ANY)], AT[n % len(AT)]) for n, words in enumerate(FAR)]
    missed = [words for words, each in zip(FAR, found, strict=True) if each is None or each.belongs_to]
    assert len(FAR) >= 60
    assert len(missed) <= 0.05 * len(FAR), missed


@pytest.mark.rule("FOCUS-1")
def test_talk_of_another_step_is_sent_there() -> None:
    found = [drift(words, ANY[n % len(ANY)], at) for n, (at, words, _) in enumerate(ELSEWHERE)]
    placed = [
        words
        for (_, words, belongs), each in zip(ELSEWHERE, found, strict=True)
        if each and each.belongs_to and each.belongs_to[:2] == belongs[:2]
    ]
    assert len(ELSEWHERE) >= 60
    assert len(placed) >= 0.8 * len(ELSEWHERE), {words for _, words, _ in ELSEWHERE} - set(placed)


@pytest.mark.rule("FOCUS-1")
def test_hardly_anything_that_belongs_here_is_sent_away() -> None:
    alarms = [(words, each) for name, at, words in AT_HOME if (each := drift(words, ITEMS[name], at))]
    assert len(AT_HOME) >= 60
    # They were chosen to sound like small talk; over whole discussions there are fewer than 1 in 100.
    assert len(alarms) <= 0.09 * len(AT_HOME), alarms


@pytest.mark.rule("FOCUS-1")
@pytest.mark.parametrize("half", HALVES)
def test_careless_small_talk_is_sent_back_too(half: str) -> None:
    far, items = lines("far", half), OF_HALF[half]
    found = [drift(words, items[n % len(items)], AT[n % len(AT)]) for n, words in enumerate(far)]
    missed = [words for words, each in zip(far, found, strict=True) if each is None or each.belongs_to]
    assert len(far) >= 60
    assert len(missed) <= 0.05 * len(far), missed


@pytest.mark.rule("FOCUS-1")
@pytest.mark.parametrize("half", HALVES)
def test_careless_talk_of_another_step_is_sent_there(half: str) -> None:
    placed, said = [], [line.split("|") for line in lines("elsewhere", half)]
    for name, at, belongs, words in said:
        each = drift(words, ITEMS[name], at)
        if each and each.belongs_to and each.belongs_to[:2] == belongs[:2]:
            placed.append(words)
    assert len(said) >= 60
    assert len(placed) >= 0.8 * len(said), {words for *_, words in said} - set(placed)


@pytest.mark.rule("FOCUS-1")
@pytest.mark.parametrize("half", HALVES)
def test_scenes_answers_and_questions_about_the_work_stay(half: str) -> None:
    said = [line.split("|") for line in lines("home", half)]
    found = [(words, drift(words, ITEMS[name], at, asked)) for name, at, asked, words in said]
    alarms = [(words, each) for words, each in found if each]
    assert len(said) >= 120
    assert len(alarms) <= 0.05 * len(said), alarms


@pytest.mark.rule("FOCUS-1", "SYN-3")
def test_what_is_settled_in_passing_is_no_decision() -> None:
    here = step("01-03")
    turns = (
        Turn(1, ROSTER[here.persona].key, "We just covered it."),
        Turn(2, "user", "let's have a beer tonight"),
    )
    table = Table(
        ANY[0], here, ROSTER, ROSTER[here.persona], STEPS, (), 10, "What is open?", here.title, turns
    )
    verdict = run(PANEL.judge(table))
    assert verdict.off_topic is not None
    assert verdict.decisions == ()


@pytest.mark.rule("FOCUS-1")
@pytest.mark.parametrize(
    ("words", "home", "far"),
    [
        ("I'm on the ferry and the connection is awful, if I drop out just go on", "form clerk", True),
        ("I'm on the ferry and the connection is awful, if I drop out just go on", "ferry harbour", False),
        ("my neighbour is drilling again", "form clerk", True),
        ("I say so when I'm on the phone with a customer", "form clerk", False),
    ],
)
def test_an_aside_is_known_by_its_form_unless_it_is_of_the_item(words: str, home: str, far: bool) -> None:
    assert is_far_off(words, Surroundings(frozenset(content(home)))) is far
