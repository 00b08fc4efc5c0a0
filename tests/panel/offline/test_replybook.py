"""The book of replies: what a message has to speak of, and whose words come first."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from commandline import CommandLine, command_line
from offline_talk import Discussion
from roundtable.content.catalogue import load_roster
from roundtable.core.items import Item
from roundtable.core.turns import USER
from roundtable.core.voice import check_voice
from roundtable.panel.offline import OfflinePanel
from roundtable.panel.offline.probefile import read_library
from roundtable.panel.offline.replybook import ReplyBook
from roundtable.panel.offline.replyfile import BUILT_IN_REPLIES, built_in_replies, read_replies
from roundtable.panel.offline.template import Template
from roundtable.panel.offline.traces import traces

ITEM = Item("bikes", "Reserve a campus bike", "On most mornings every rack is empty, and 40 students walk.")
PERSONAS = load_roster().personas
ASKED = {"clause": "who signs it", "when": "if the pen is lost", "outcome": "whether it counts"}
BOOK = """
[concepts]
SLEEP = "asleep, lid, goes to sleep"
WAITING = "wait, countdown, seconds"

[[reply]]
id = "sleep"
to = ["question", "told"]
when = ["SLEEP"]
[reply.system-designer]
text = "I'd store the due instant, and compare on waking."
handle = "due instant"
insight = "The due instant is stored."

[[reply]]
id = "sleep.counting"
to = ["question"]
when = ["SLEEP", "WAITING, timer"]
unless = "baby"
[reply.system-designer]
text = "I'd not count down in memory; it's asleep with the device."
handle = "countdown in memory"
insight = "A countdown in memory sleeps with the device."
open = "After how long asleep should it ask?"
[reply.solutions-architect]
text = "A countdown sleeps with the device. I would store when it is due."
handle = "stored instant"
insight = "When it is due is stored."
"""


def book(tmp_path: Path, text: str = BOOK) -> ReplyBook:
    (tmp_path / "own.toml").write_text(text, encoding="utf-8")
    found, problems = read_replies(tmp_path, "probes")
    assert problems == ()
    return found


def called(found: ReplyBook, message: str, kind: str = "question") -> list[str]:
    return [call.reply.id for call in found.called(traces(message), kind)]


@pytest.mark.parametrize(
    ("message", "kind", "found"),
    [
        ("what if the laptop goes to sleep during the countdown?", "question", ["sleep.counting", "sleep"]),
        ("what if somebody closes the lid?", "question", ["sleep"]),
        ("what if the timer stops?", "question", []),
        ("what if the baby is asleep and the timer rings?", "question", ["sleep"]),
        ("the lid was closed for 30 seconds", "told", ["sleep"]),
        ("close the lid after 30 seconds", "decision", []),
    ],
)
def test_all_groups_have_to_be_met_and_most_comes_first(
    tmp_path: Path, message: str, kind: str, found: list[str]
) -> None:
    replies = book(tmp_path)
    assert [each for each in called(replies, message, kind) if each.startswith("sleep")] == found


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ('id = "sleep.counting"', 'id = "sleep"', "reply sleep, id: is there twice"),
        ('to = ["question", "told"]', 'to = ["shout"]', "reply sleep, to: must be a list of question, told"),
        ('when = ["SLEEP"]', "when = []", "reply sleep, when: is missing"),
        ('when = ["SLEEP"]', 'when = ["SLEEPY"]', "names the concept SLEEPY, which is not there"),
        ('when = ["SLEEP"]', 'when = ["SLEEP", " , "]', "reply sleep, when: has a group without a cue"),
        (
            'when = ["SLEEP"]',
            'when = ["as soon as the lid is"]',
            "'as soon as the lid is', which can never be met: one to 5 words",
        ),
        ('unless = "baby"', 'unless = "the baby is * asleep"', "reply sleep.counting, unless: has the cue"),
        ('handle = "due instant"\n', "", "reply sleep, handle: is missing"),
        ("I'd store the due instant", "I'd store {it}", "has the slot {it}, which cannot be filled here"),
        (
            'WAITING = "wait, countdown, seconds"',
            "Waiting = 3",
            "concepts, Waiting: must be a name in capital",
        ),
    ],
)
def test_a_bad_entry_is_named_and_the_rest_is_used(
    tmp_path: Path, before: str, after: str, reason: str
) -> None:
    assert before in BOOK
    (tmp_path / "own.toml").write_text(BOOK.replace(before, after, 1), encoding="utf-8")
    found, problems = read_replies(tmp_path, "probes")
    assert any(reason in each.text for each in problems), [each.text for each in problems]
    assert found.replies


# --- the built-in book ----------------------------------------------------------------------------------


@pytest.mark.rule("VOICE-1")
def test_every_built_in_reply_is_sound_and_keeps_the_voice() -> None:
    found, problems = read_replies(BUILT_IN_REPLIES, "replies")
    assert problems == ()
    names = [persona.name for persona in PERSONAS]
    assert len(found.replies) > 300
    for reply in found.replies:
        assert reply.says.keys() <= {persona.key for persona in PERSONAS}
        for persona in PERSONAS:
            said = reply.says.get(persona.key)
            for text in wordings(said["text"]) if said else ():
                assert not check_voice(text, persona, earlier=(), names=names), (reply.id, persona.key, text)


def wordings(text: str) -> tuple[str, ...]:
    """A text with its slots filled, once in each of the wordings that stand at one place."""
    ways = [part.split("|") for part in re.findall(r"\{([^{}]*\|[^{}]*)\}", text)]
    found = []
    for number in range(max(map(len, ways), default=1)):
        plain = text
        for way in ways:
            plain = plain.replace("{" + "|".join(way) + "}", way[number % len(way)], 1)
        found.append(plain.format(**ASKED))
    return tuple(found)


def test_what_is_kept_is_what_is_read() -> None:
    kept, read = built_in_replies(), read_replies(BUILT_IN_REPLIES, "replies")[0]
    assert kept.concepts == read.concepts
    assert [(each.id, each.to, each.when, each.unless, each.shape, each.direct) for each in kept.replies] == [
        (each.id, each.to, each.when, each.unless, each.shape, each.direct) for each in read.replies
    ]
    assert kept.shapes == read.shapes


@pytest.mark.rule("LOOP-3")
def test_no_sentence_stands_in_two_replies() -> None:
    told: dict[str, str] = {}
    for reply in built_in_replies().replies:
        for said in reply.says.values():
            for sentence in said["text"].replace("? ", ". ").split(". "):
                key = sentence.strip(" .?").lower()
                # With a slot it is another sentence each time.
                again = key in told and not Template(key).slots and len(key.split()) >= 4
                assert not again, (reply.id, told[key], sentence)
                told[key] = reply.id


# --- in a discussion ------------------------------------------------------------------------------------


def talk(tmp_path: Path, *says: str) -> Discussion:
    """A discussion in which nothing is known but these replies."""
    own = book(tmp_path)
    library = replace(read_library()[0], probes=(), replies=lambda: own)
    return Discussion(ITEM, "01-03", (), says, max_turns=30, panel=OfflinePanel(library=library))


@pytest.mark.rule("HEAR-4")
def test_a_projects_own_reply_comes_before_every_built_in_one(tmp_path: Path) -> None:
    panel = OfflinePanel(library=read_library(project(tmp_path))[0])
    asked = "Jordan, what happens if the laptop goes to sleep for ten minutes before the retry?"
    turns = Discussion(ITEM, "01-03", (), (asked,), max_turns=30, panel=panel).turns
    [reply] = [turn for turn in turns if "store the due instant" in turn.text]
    assert reply.speaker == "system-designer"


def project(tmp_path: Path) -> Path:
    folder = tmp_path / ".roundtable" / "probes"
    folder.mkdir(parents=True)
    (folder / "sleep.toml").write_text(BOOK, encoding="utf-8")
    return tmp_path


@pytest.mark.rule("HEAR-4", "LOOP-7")
def test_whoever_is_asked_replies_and_another_adds_its_own_point(tmp_path: Path) -> None:
    asked = "Jordan, what if the laptop goes to sleep during the countdown?"
    turns = talk(tmp_path, asked).turns
    at = next(turn.number for turn in turns if turn.speaker == USER)
    first, second = turns[at], turns[at + 1]
    assert first.speaker == "system-designer"
    assert "what if the laptop goes to sleep during the countdown" in first.text
    assert "I'd not count down in memory" in first.text
    assert second.speaker == "solutions-architect"
    assert "I would store when it is due." in second.text


@pytest.mark.rule("LOOP-3")
def test_the_same_reply_is_not_given_twice(tmp_path: Path) -> None:
    asked = "Jordan, what if the lid is closed?"
    turns = talk(tmp_path, asked, asked).turns
    assert sum("I'd store the due instant" in turn.text for turn in turns) == 1


@pytest.mark.rule("SYN-2")
def test_a_reply_becomes_an_insight_with_its_turn(tmp_path: Path) -> None:
    case = talk(tmp_path, "Jordan, what if the lid is closed?")
    [turn] = [turn for turn in case.turns if "I'd store the due instant" in turn.text]
    [entry] = [entry for entry in case.draft.insights if entry.text == "The due instant is stored."]
    assert entry.turns == (turn.number,)


def test_personas_check_counts_them_and_names_one_of_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli: CommandLine = command_line(tmp_path, monkeypatch)
    project(cli.root)
    assert "3 personas and 2 replies of your own read, no problems." in cli.run("personas", "check").out
    file = cli.root / ".roundtable" / "probes" / "sleep.toml"
    file.write_text(BOOK.replace("solutions-architect", "architect"), encoding="utf-8")
    ran = cli.run("personas", "check")
    assert ran.status == 2
    assert "reply sleep.counting: 'architect' is nobody at the table" in ran.out
