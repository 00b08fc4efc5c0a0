"""Prompts: one for each purpose a persona may speak for, and none that nobody asks for."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import get_args

import pytest

from roundtable.core.commands import Purpose
from roundtable.panel.model.conversation import fill


def test_every_purpose_of_a_contribution_has_its_words_and_no_other_has() -> None:
    prompts = tomllib.loads(files("roundtable.content").joinpath("instructions.toml").read_text("utf-8"))
    spoken = set(get_args(Purpose)) - {"framing"}  # which is asked for as an object
    assert {name for name in prompts if name.startswith("speak-")} == {f"speak-{each}" for each in spoken}
    for purpose in spoken:
        assert fill(f"speak-{purpose}", answers=2).endswith(".")


def test_a_blank_that_is_not_given_is_a_mistake() -> None:
    assert fill("speak-answer", answers=4).startswith("Answer turn 4,")
    with pytest.raises(KeyError, match="answers"):
        fill("speak-answer")
