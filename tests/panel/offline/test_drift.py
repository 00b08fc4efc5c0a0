"""Drift on many messages: most small talk and most talk of another step is seen, hardly anything else."""

from __future__ import annotations

import pytest

from drift_samples import AT_HOME, ELSEWHERE, FAR, ITEMS
from offline_talk import ROSTER, STEPS, run, step
from roundtable.core.commands import Table
from roundtable.core.items import Item
from roundtable.core.turns import OffTopic, Turn
from roundtable.panel.offline import OfflinePanel

PANEL = OfflinePanel()
ANY = tuple(ITEMS.values())
AT = ("01-03", "02-01", "03-01", "04-02", "01-05", "00-01")


def drift(words: str, item: Item, step_id: str) -> OffTopic | None:
    here = step(step_id)
    lead = ROSTER[here.persona]
    turns = (Turn(1, lead.key, f"We just covered {here.title}."), Turn(2, "user", words))
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
    assert len(alarms) <= 0.03 * len(AT_HOME), alarms
