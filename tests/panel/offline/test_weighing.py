"""The words of small talk and of other phases, learnt from samples; what belongs to the item is left out."""

from __future__ import annotations

import pytest

from roundtable.panel.offline.phrases import content
from roundtable.panel.offline.weighing import WEIGHTS, at_home, far_weights, features, phase_weights
from tools import drift


def test_the_weights_are_those_that_the_tool_learns() -> None:
    assert (WEIGHTS / "weights.toml").read_text(encoding="utf-8") == drift.learnt()


@pytest.mark.rule("FOCUS-1")
def test_small_talk_weighs_more_than_work_and_the_items_own_words_do_not_count() -> None:
    chatter = "sorry, my dog is barking at the postman again"
    told, against = far_weights(chatter, frozenset())
    assert told + against > 0
    at_kennel, _ = far_weights(chatter, frozenset(content("the dog barks at the postman")))
    assert at_kennel < told
    work = far_weights("what happens to the entries if the import fails halfway?", frozenset())
    assert sum(work) < 0


@pytest.mark.rule("FOCUS-1")
def test_each_phase_has_words_of_its_own() -> None:
    asked = phase_weights("what would the call take, and which error does it return?", frozenset())
    assert max(asked, key=lambda phase: asked[phase]) == "04"
    assert set(asked) == {"00", "01", "02", "03", "04"}


def test_what_is_weighed_are_words_pairs_and_beginnings() -> None:
    found = features("Alex, who owns the place?", ("Alex",))
    assert {"who", "own", "who own", "^who own the"} <= found
    assert not any("*" in each for each in found)
    assert at_home("^who own", frozenset({"who", "own"}))
    assert not at_home("who own", frozenset({"own"}))
