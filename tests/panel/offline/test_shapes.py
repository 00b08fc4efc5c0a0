"""Shapes: what is said to how a message is put, where nothing is known of what it is about."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from offline_talk import Discussion
from roundtable.core.items import Item
from roundtable.core.turns import USER, Turn
from roundtable.panel.offline import OfflinePanel
from roundtable.panel.offline.probefile import read_library
from roundtable.panel.offline.replyfile import built_in_replies, read_replies
from roundtable.panel.offline.shapes import SHAPED, shape_of

ITEM = Item("bikes", "Reserve a campus bike", "On most mornings every rack is empty, and 40 students walk.")
OWN = """
[[shape]]
id = "colour"
to = "question"
like = ["^(?:in )?(?:what|which) colou?r"]

[[reply]]
id = "colour.1"
shape = "colour"
direct = true
[reply.business-analyst]
text = "People name colours in three ways; I would ask two of them to point at it."
handle = "pointing at it"
insight = "Two people point at the colour they mean."
"""
SHAPES = {
    ("question", "what should the screen say at the end of the import?"): "wording",
    ("question", "what do people see when they press export too early?"): "sees-when",
    ("question", "who tells the people that theirs comes later?"): "told",
    ("question", "who may write off a debt?"): "may",
    ("question", "who gets it when the parents live apart?"): "people",
    ("question", "may somebody see how many have voted?"): "may",
    ("question", "who pays when the inspector finds cows there?"): "harmed",
    ("question", "is there anything else that listens to the weather event?"): "uses",
    ("question", "how would we notice that a code never reached the lock?"): "noticed",
    ("question", "how does the caller know that only 2 of 3 went in?"): "knows",
    ("question", "can we tell a scanner from a human?"): "apart",
    ("question", "what about grades that already went to the office?"): "existing",
    ("question", "what happens if two waiters take the last beer at the same time?"): "together",
    ("question", "what counts as short, five minutes or ten?"): "means",
    ("question", "which position wins if both devices were offline?"): "disagree",
    ("question", "what happens when the lock itself is offline while we sync?"): "broken",
    ("question", "what if the job didn't run for two weeks, does she get two mails?"): "broken-outcome",
    ("question", "what if it is a 7 page booklet, where do the blank ones go?"): "case-outcome",
    ("question", "what about events without any time zone?"): "about",
    ("question", "what if another subtitle file is chosen for the same film?"): "case",
    ("question", "how long do we keep the message?"): "keep-long",
    ("question", "how many wrong codes may somebody try?"): "limit",
    ("question", "is 30 days really enough?"): "enough",
    ("question", "is extend and renew the same thing everywhere?"): "same",
    ("question", "is the place stored or worked out each time it is printed?"): "stored",
    ("question", "can we just use the versioning of the store?"): "rather",
    ("question", "is it about files on disk only or streams too?"): "in-or-out",
    ("question", "is a link dead at midnight or after exactly 168 hours?"): "is-or",
    ("question", "so, blue or so, I mean, blue?"): "asked",
    ("objection", "3 seconds per clip is too long, I import two hundred at a time"): "threshold",
    ("objection", "please no barcodes, we tried in 2019 and the labels fell off"): "tried",
    ("objection", "a mail for each tool is too often, some people have seven"): "threshold",
    ("objection", "a popup for every wrong scan"): "asks-each",
    ("objection", "hm, I mind"): "minded",
}


@pytest.mark.parametrize(("message", "found"), SHAPES.items(), ids=lambda each: str(each)[:60])
def test_the_first_shape_that_stands_in_a_message_is_its_own(message: tuple[str, str], found: str) -> None:
    to, words = message
    assert shape_of(words, to, built_in_replies().shapes) == found


def test_every_message_has_a_shape_and_every_shape_is_spoken_to() -> None:
    book = built_in_replies()
    for to in SHAPED:
        assert shape_of("", to, book.shapes)
    spoken = {reply.shape for reply in book.replies}
    assert {shape.id for shape in book.shapes} <= spoken


def answer(turns: tuple[Turn, ...]) -> Turn:
    """What was said right after the user."""
    at = next(turn.number for turn in turns if turn.speaker == USER)
    return turns[at]


def talk(message: str) -> Discussion:
    panel = OfflinePanel(library=replace(read_library()[0], probes=()))
    return Discussion(ITEM, "01-03", (), (message,), max_turns=30, panel=panel)


@pytest.mark.rule("LOOP-7", "HEAR-4")
def test_what_nothing_is_known_of_is_answered_by_its_shape() -> None:
    asked = "Jordan, how does the guard know that a zorbing is destructive?"
    reply = answer(talk(asked).turns)
    assert reply.speaker == "system-designer"
    assert "zorbing is destructive" in reply.text
    shaped = [each for each in built_in_replies().replies if each.shape == "knows" and each.direct]
    said = [probe.says[0].text for each in shaped if (probe := each.probe("system-designer"))]
    assert any(each.recover(reply.text) is not None for each in said), reply.text


@pytest.mark.rule("LOOP-7")
def test_another_adds_a_point_on_the_same_shape() -> None:
    asked = "Jordan, how does the guard know that a zorbing is destructive?"
    turns = talk(asked).turns
    second = turns[answer(turns).number]
    assert second.speaker != "system-designer"
    assert '"how does the guard know that a zorbing is destructive"' in second.text
    shaped = [each for each in built_in_replies().replies if each.shape == "knows" and not each.direct]
    assert any(
        each.says[second.speaker]["text"] in second.text for each in shaped if second.speaker in each.says
    )


@pytest.mark.rule("SYN-2", "SYN-5")
def test_a_way_to_an_answer_leaves_its_question_open() -> None:
    case = talk("Jordan, how does the guard know that a zorbing is destructive?")
    second = case.turns[answer(case.turns).number]
    [insight] = [each for each in case.draft.insights if each.turns == (second.number,)]
    assert insight.text.startswith('On "how does the guard know that a zorbing is destructive": ')
    assert any("zorbing" in each.text for each in case.draft.questions)


def own_project(tmp_path: Path, text: str = OWN) -> Path:
    folder = tmp_path / ".roundtable" / "probes"
    folder.mkdir(parents=True)
    (folder / "own.toml").write_text(text, encoding="utf-8")
    return tmp_path


def test_a_projects_own_shape_comes_first(tmp_path: Path) -> None:
    library, problems = read_library(own_project(tmp_path), strict=True)
    assert problems == ()
    panel = OfflinePanel(library=library)
    asked = "Maya, which colour do people mean when they say zorb?"
    reply = answer(Discussion(ITEM, "01-03", (), (asked,), max_turns=30, panel=panel).turns)
    assert "ask two of them to point at it" in reply.text


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ('to = "question"', 'to = "shout"', "shape 1, to: must be one of question, objection"),
        ('like = ["^(?:in )?(?:what|which) colou?r"]', "like = []", "shape 1, like: is missing"),
        ("colou?r", "(colou?r", "shape 1, like: is no regular expression"),
        ('shape = "colour"', 'shape = "color"', "names the shape color, which is not there"),
        ('shape = "colour"', 'shape = "colour"\nto = ["told"]', "shape: says to what this is a reply"),
        ("direct = true", 'direct = "yes"', "direct: must be true or false"),
        (
            'to = "question"',
            'to = "objection"',
            "direct: must be true or false, and goes with the shape of a q",
        ),
        (
            "[[reply]]",
            '[[shape]]\nid = "colour"\nto = "question"\nlike = ["x"]\n\n[[reply]]',
            "shape 2, id: is there",
        ),
        ("People name colours", "{actor} names colours", "has the slot {actor}, which cannot be filled here"),
    ],
)
def test_a_bad_shape_is_named(tmp_path: Path, before: str, after: str, reason: str) -> None:
    assert before in OWN
    (tmp_path / "own.toml").write_text(OWN.replace(before, after, 1), encoding="utf-8")
    problems = read_replies(tmp_path, "probes")[1]
    assert any(reason in each.text for each in problems), [each.text for each in problems]


def test_each_pattern_stands_for_itself(tmp_path: Path) -> None:
    like = 'like = ["(?i)^WHICH (?P<x>colou?r)", "^what (?P<x>colou?r) is (?P=x)"]'
    text = OWN.replace('like = ["^(?:in )?(?:what|which) colou?r"]', like)
    (tmp_path / "own.toml").write_text(text, encoding="utf-8")
    found, problems = read_replies(tmp_path, "probes")
    assert problems == ()
    assert shape_of("Which colour is it?", "question", found.shapes) == "colour"


@pytest.mark.rule("HEAR-4")
def test_what_the_panel_cannot_read_gets_no_point_on_its_shape() -> None:
    turns = talk("Was passiert mit den Zorbs, wenn das Tablet in der Nacht ausfällt?").turns
    shaped = [each["text"] for reply in built_in_replies().replies for each in reply.says.values()]
    assert not any(text in turn.text for turn in turns for text in shaped)


@pytest.mark.rule("SYN-2")
def test_an_insight_names_the_question_that_was_answered() -> None:
    case = talk("Jordan, ok so? Who pays the zorb tax when the zorbing is over?")
    found = [each.text for each in case.draft.insights if each.turns == (answer(case.turns).number,)]
    assert all(each.startswith('On "Who pays the zorb tax when the zorbing is over": ') for each in found)
