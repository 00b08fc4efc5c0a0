"""The prompts as data: each in its speaker's genre and length, none twice, every step covered (VOICE-6)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from offline_talk import ROSTER, STEPS
from people import find_slips
from roundtable.catalogue import read_tracks
from roundtable.core.text import words_of
from roundtable.panel.offline.prompts import MAX_PROMPT_WORDS, Prompt, load_library, read_project_prompts

LIBRARY = load_library()
MAYA, ALEX, JORDAN = (persona.key for persona in ROSTER.personas)
NAMES = [persona.first_name for persona in ROSTER.personas]


@pytest.mark.rule("VOICE-6")
def test_every_prompt_can_be_asked_as_it_stands() -> None:
    for prompt in LIBRARY.prompts:
        text = prompt.text
        assert len(prompt.text.split()) <= MAX_PROMPT_WORDS, prompt.text
        assert len(prompt.further.split()) <= 20, prompt.further
        assert "under" not in words_of(text)[:1] or "it says" not in text, prompt.text
        found = find_slips(text, ROSTER[prompt.persona], free=True)
        assert found == (), (prompt.text, found)


@pytest.mark.rule("VOICE-6")
def test_jordan_s_prompts_are_closed() -> None:
    """A blank, a value, or the name of an error: nothing that opens a new discussion."""
    for prompt in LIBRARY.of_persona(JORDAN):
        first = [
            words_of(sentence)[:1]
            for sentence in prompt.text.replace("?", "?|").split("|")
            if "?" in sentence
        ]
        assert ("why",) not in first, prompt.text
        bans = find_slips(prompt.text, ROSTER[JORDAN])
        assert bans == (), (prompt.text, bans)


def test_no_prompt_stands_twice() -> None:
    texts = Counter(" ".join(words_of(prompt.text)) for prompt in LIBRARY.prompts)
    assert [text for text, count in texts.items() if count > 1] == []
    # The panel knows by its words that a prompt was asked, so none may be a part of another.
    needles = [prompt.needle for prompt in LIBRARY.of_persona(MAYA)]
    assert [one for one in needles if sum(one in other for other in needles) > 1] == []


def test_each_persona_has_something_to_ask_at_every_step() -> None:
    tracks, _ = read_tracks()
    steps = {step.step_id: step for step in (*STEPS, *(step for track in tracks for step in track.steps))}
    labels = {
        step_id: {question.label for question in (*step.standard, *step.brief, *step.deep)}
        for step_id, step in steps.items()
    }
    counts = Counter((prompt.step, prompt.persona) for prompt in LIBRARY.prompts if prompt.label)
    for step_id in steps:
        for persona in ROSTER.personas:
            assert counts[step_id, persona.key] >= 1, (step_id, persona.key)
    unknown = [
        prompt for prompt in LIBRARY.prompts if prompt.label and prompt.label not in labels[prompt.step]
    ]
    assert unknown == []
    assert len(LIBRARY.prompts) >= 150


def test_every_label_asked_at_standard_depth_has_its_framings() -> None:
    for step in STEPS:
        for question in step.standard:
            for suits in ("given", "unknown"):
                assert LIBRARY.find_focus(step.step_id, question.label, suits), (
                    step.step_id,
                    question.label,
                    suits,
                )


def test_a_topic_is_proven_by_one_sure_word_or_two_others() -> None:
    prompt = Prompt(
        persona=MAYA,
        text="Somebody wants the money back. What do they see?",
        topic=("pay", "card"),
        topic_sure=("refund",),
    )
    assert prompt.fits_topic(frozenset({"refund"}))
    assert prompt.fits_topic(frozenset({"pay", "card", "shop"}))
    assert not prompt.fits_topic(frozenset({"card"}))


def write(project: Path, text: str) -> None:
    folder = project / ".roundtable" / "prompts"
    folder.mkdir(parents=True)
    (folder / "own.toml").write_text(text, encoding="utf-8")


def test_a_project_s_own_prompts_come_first(tmp_path: Path) -> None:
    write(
        tmp_path,
        '[[prompt]]\npersona = "business-analyst"\nstep = "01-03"\nlabel = "Journey"\n'
        'text = "The auditor stands beside her. What may he see?"\nanswer = "case"\n',
    )
    library, problems = read_project_prompts(tmp_path)
    assert problems == ()
    assert [prompt.label for prompt in library.prompts] == ["Journey"]
    assert (
        load_library(tmp_path).of_persona(MAYA)[0].text == "The auditor stands beside her. What may he see?"
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('[[prompt]]\npersona = "x"\n', "text"),
        ('[[prompt]]\npersona = "x"\ntext = "Who waits for it?"\nneeds = ["luck"]\n', "luck"),
        ('[[prompt]]\npersona = "x"\ntext = "Who waits for it?"\nlabel = "Users"\n', "step"),
        (f'[[prompt]]\npersona = "x"\ntext = "{"word " * 50}?"\n', "45"),
        ("[[prompt\n", "line 1"),
    ],
)
def test_what_is_wrong_with_a_prompt_file_is_said(tmp_path: Path, text: str, reason: str) -> None:
    write(tmp_path, text)
    library, problems = read_project_prompts(tmp_path)
    assert library.prompts == ()
    assert [problem.file for problem in problems] == [".roundtable/prompts/own.toml"]
    assert reason in problems[0].text
