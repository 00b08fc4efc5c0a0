"""Items with scripted users: read from files, and those that come with the package."""

from __future__ import annotations

from pathlib import Path

import pytest

from roundtable.content.catalogue import load_steps
from roundtable.core.errors import ContentBroken
from roundtable.evaluation.scripts import Message, read_scripts, set_folder

TEXT = "# Offline forms\n\nInspectors fill in forms.\n\nIn basements."
SCRIPT = """
step = "01-03"
domain = "inspections"

[answers]
Journey = "The inspector goes down."

[[messages]]
kind = "decision"
text = "Let's keep both."
decision = ["keep", "both"]

[[messages]]
kind = "drift-step"
text = "Which database?"
belongs_to = "03-02"

[[messages]]
kind = "silence"
text = "not said"
"""


def put(folder: Path, name: str = "01-forms", script: str = SCRIPT, text: str = TEXT) -> Path:
    (folder / f"{name}.md").write_text(text, encoding="utf-8")
    (folder / f"{name}.toml").write_text(script, encoding="utf-8")
    return folder


def test_an_item_is_two_files(tmp_path: Path) -> None:
    put(tmp_path, "02-later")
    put(tmp_path)
    (tmp_path / "README.md").write_text("no item")
    first, second = read_scripts(tmp_path)
    assert (first.name, second.name) == ("01-forms", "02-later")
    assert (first.item.name, first.item.text) == (
        "Offline forms",
        "Inspectors fill in forms.\n\nIn basements.",
    )
    assert (first.step_id, first.answers) == ("01-03", (("Journey", "The inspector goes down."),))
    assert first.messages == (
        Message("decision", "Let's keep both.", "keep both"),
        Message("drift-step", "Which database?", "", "03-02"),
        Message("silence", ""),
    )


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("answers = {}", "`step` is missing"),
        ("step = '01-03'\nanswers = 'none'", "`answers` is no table of labels and texts"),
        ("step = '01-03'\nmessages = ['hi']", "`messages` is no list of tables"),
        ("step = '01-03'\n[[messages]]\nkind = 'joke'", "a message is of kind 'joke', not one of question, "),
        ("step =", "Invalid value"),
    ],
)
def test_a_script_that_cannot_be_used_is_named_with_the_reason(
    tmp_path: Path, script: str, reason: str
) -> None:
    put(tmp_path, script=script)
    with pytest.raises(ContentBroken) as error:
        read_scripts(tmp_path)
    assert f"{tmp_path / '01-forms.toml'} cannot be used: {reason}" in str(error.value)


def test_a_folder_without_items_says_what_an_item_is(tmp_path: Path) -> None:
    (tmp_path / "alone.toml").write_text(SCRIPT)
    with pytest.raises(ContentBroken, match=r"There are no items in .*An item is NAME\.md"):
        read_scripts(tmp_path)


@pytest.mark.parametrize("name", ["write", "check"])
def test_the_sets_of_the_package_can_be_played(name: str) -> None:
    scripts = read_scripts(set_folder(name))
    steps = {step.step_id: step for step in load_steps()}
    assert len(scripts) >= 20
    for script in scripts:
        labels = {each.label for each in steps[script.step_id].standard}
        assert {label for label, _ in script.answers} <= labels, script.name
        for message in script.messages:
            assert bool(message.text) is (message.kind != "silence"), script.name
            assert bool(message.decision) is (message.kind == "decision"), script.name
            assert (message.belongs_to in steps) is (message.kind == "drift-step"), script.name


def test_no_item_is_in_two_sets() -> None:
    texts = [script.item.text for name in ("write", "check") for script in read_scripts(set_folder(name))]
    assert len(set(texts)) == len(texts)
