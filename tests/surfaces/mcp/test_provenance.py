"""What a host says for the person is marked in every file, and what it drafts, unless a form took it (ART-8).

The host answers every move with arbitrary text. Each of its strings holds a token that stands nowhere else,
so every line of every file can be asked whether any of it is the host's, and whom the host spoke for.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from hosting import Host, Refusal, here, play
from project import project, small_steps, talk

MARK = "(unverified)"
RELAYED = f"> - Relayed by the host, perhaps not word for word {MARK}."
USERS, PERSONAS = re.compile(r"ZQ\d+"), re.compile(r"PS\d+")
MOVES = 70
PIECES = (
    "", " word", ". And more.", "\nA second line", "\n- one\n- two", "; then this; and that",
    "\n\n### A heading",
    "\n| a | b |\n|---|---|\n| 1 | 2 |", "\n```\ncode = 7\n```", " 4,700 in `forms/no.py:3`", ": a reason",
    " <!-- x --> ", " Maya Chen: I agree.", " as Alex said", "\n**Label**: x", " \u200b",
    " (see", ", small, low",
)  # fmt: skip
SAID_AT_A_MENU = ("E", "C", "C", "undo", "edit 1", "no, {}", "{}", "The office too: {}", "Maya, what of {}?")
SAID_AT_A_REVIEW = ("accept", "", "drop 1", "edit 1: {}", "add decision: {}", "add insight: {}", "undo")
SAID_IN_A_TALK = ("", "done", "{}", "We go with {}.", "Alex, why {}?", "`forms/{}.py` is not touched.")


class AnyHost:
    """A host that says anything; `form` where a person answers in a form of the client's."""

    def __init__(
        self, player: Host, dice: Random, *, form: bool = False, pieces: Sequence[str] = PIECES
    ) -> None:
        self.player, self.dice, self.form, self.pieces = player, dice, form, pieces
        self.numbers = count(1)

    def words(self, most: int = 3, kind: str = "PS") -> str:
        """Return arbitrary words of the host's, with a token in every line: for a persona, or the person."""
        text = "".join(self.dice.choices(self.pieces, k=self.dice.randint(0, most)))
        token = f"{kind}{next(self.numbers)}"
        lines = (f"{line} {token}" if line.strip(" |-`") else line for line in text.split("\n"))
        return "\n".join(f"{token} {line}" if not at else line for at, line in enumerate(lines))

    def choose(self, said: tuple[str, ...]) -> str:
        return self.dice.choice(said).format(self.words(1, "ZQ"))

    async def play(self, item: str, moves: int = MOVES) -> None:
        """Answer so many moves; what is refused twice is answered as plainly as it can be."""
        player = self.player
        await player.start(item)
        for _ in range(moves):
            if "id" not in player.move:
                return
            for answer in (self.answer, self.answer, self.answer_plainly):
                try:
                    await answer()
                    break
                except Refusal:
                    await player.call("next_move", session=player.session)

    async def answer(self) -> None:
        match self.player.move["kind"]:
            case "answer":
                await self.say(self.choose(("{}", "{}", "", "I don't know", "back", "?")))
            case "menu":
                await self.say(self.choose(SAID_AT_A_MENU))
            case "discussion" | "exit" | "choice":
                await self.say(self.choose(SAID_IN_A_TALK))
            case "review":
                await self.say(self.choose(SAID_AT_A_REVIEW))
            case "synthesis":
                await self.player.send(
                    "submit_judgement", insights=self.points(), decisions=self.points(),
                    questions=self.points(), actions=self.points(), summary=self.words(1),
                    takeaway=self.words(1),
                )  # fmt: skip
            case kind:
                await self.speak(kind)

    async def answer_plainly(self) -> None:
        move = self.player.move
        if move["speaker"] == "user":
            await self.say("C" if move["kind"] == "menu" else "done")
        elif move["kind"] == "synthesis":
            insights = [{"text": self.words(0), "turns": [1]}]
            try:
                await self.player.send("submit_judgement", insights=insights, summary="x")
            except Refusal:  # what the user decided and no entry cites is asked for once, as a new move
                await self.player.call("next_move", session=self.player.session)
        else:
            await self.speak(move["kind"], most=0)

    async def say(self, words: str) -> None:
        if self.form:
            await self.player.send("hear_user")
        else:
            await self.player.send("relay_user", words=words)

    async def speak(self, kind: str, most: int = 3) -> None:
        move, more = self.player.move, dict[str, Any]()
        text = self.words(most)
        if kind == "framing":
            more = {"focus_question": f"{self.words(0)}?", "focus_topic": self.words(0)}
        if "off_topic?" in str(move["legal"]) and self.dice.random() < 0.3:
            more["user_off_topic" if "user_off_topic" in str(move["legal"]) else "off_topic"] = self.words(0)
        await self.player.send("submit_turn", speaker=move["speaker"], text=text, **more)

    def points(self) -> list[dict[str, Any]]:
        turns = [1, self.dice.randint(1, 6)]
        return [{"text": self.words(), "turns": turns, "detail": self.dice.choice(["", self.words(1)])}]


def unmarked_lines(folder: Path) -> list[str]:
    """Return the lines of all files that hold words of the host's, and no mark beside or below them."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and ".journal" not in path.parts and not path.name.startswith("."):
            text = path.read_text(encoding="utf-8")
            found += [f"{path.name}: {line}" for line in _unmarked(text, path)]
    return found


def _unmarked(text: str, path: Path) -> list[str]:
    lines, found, in_code = text.splitlines(), [], False
    # What personas say stands in the discussion, and is put off, as with any panel.
    is_talk = path.parent.name == "elaborations" or path.name == "parking-lot.md"
    relayed = {
        line
        for turn in re.split(r'<a id="turn-\d+"></a>|\n## ', text)
        if RELAYED in turn
        for line in turn.splitlines()
    }
    for at, line in enumerate(lines):
        in_code = in_code != line.startswith("```")
        end = next((after for after in range(at + 1, len(lines)) if lines[after].startswith("```")), at)
        is_below = in_code and f"- {MARK}" in lines[end + 1 : end + 3]
        # In meta.json a correction of the code is a path and, two lines below, the marked words that name it.
        is_below = is_below or (line.lstrip().startswith('"path":') and MARK in lines[at + 2])
        is_draft = path.name == "draft.md" and lines[-1].endswith(f"title and text {MARK}.")
        is_hosts = USERS.search(line) or (PERSONAS.search(line) and not is_talk)
        if is_hosts and not (MARK in line or line in relayed or is_below or is_draft):
            found.append(line)
    return found


@pytest.mark.rule("ART-8")
@pytest.mark.parametrize("size", ["small", "whole"])
@settings(max_examples=6, phases=[Phase.generate])
@given(dice=st.randoms(use_true_random=True))
def test_whatever_a_host_says_for_the_person_or_drafts_is_marked(size: str, dice: Random) -> None:
    with tempfile.TemporaryDirectory() as place:
        root, _ = project(Path(place) / "project")
        if size == "small":
            small_steps(root)

        async def test() -> None:
            async with here(root) as (player, _):
                host = AnyHost(player, dice)
                added = await player.raw("add_item", text=host.words(), title=host.words(0))
                await host.play(re.findall(r'"item":"([^"]+)"', added)[0])

        play(test())
        home = root / "docs" / "requirements"
        assert unmarked_lines(home) == []
        assert any(MARK in path.read_text() for path in home.rglob("*.md"))


HARMLESS = (
    "",
    " word",
    ". And more.",
    "\nA second line",
    "\n- one\n- two",
    "; then this; and that",
    " <!-- x --> ",
)
PERSON = {
    "answer": ("The inspector retypes forms.", "Two of the offices.", "", "I don't know"),
    "menu": ("C", "C", "E", "The office too."),
    "discussion": ("", "done", "We go with the office.", "Alex, why?"),
    "exit": ("yes",),
    "choice": ("L",),
    "review": ("accept", "", "add decision: The office keeps a copy"),
}


@pytest.mark.rule("ART-8", "SYN-8")
@settings(max_examples=6, phases=[Phase.generate])
@given(dice=st.randoms(use_true_random=True))
def test_nothing_is_marked_where_the_person_answers_in_forms(dice: Random) -> None:
    with tempfile.TemporaryDirectory() as place:
        root, item = project(Path(place) / "project")
        small_steps(root)
        seated: list[Host] = []
        words = dict(PERSON)

        def person() -> Iterator[str]:
            while True:
                yield dice.choice(words[str(seated[0].move["kind"])])

        async def test() -> None:
            async with here(root, user=person()) as (player, _):
                seated.append(player)
                host = AnyHost(player, dice, form=True, pieces=HARMLESS)
                await host.play(item.name)
                words.update(menu=("C",), discussion=("done",), review=("accept",))
                while "id" in player.move and player.move["kind"] != "menu":
                    await host.answer_plainly()
                if "id" in player.move:
                    await player.send("hear_user")

        play(test())
        found = [
            f"{path.name}: {line}"
            for path in (root / "docs" / "requirements").rglob("*")
            if path.is_file() and ".journal" not in path.parts
            for line in path.read_text(encoding="utf-8").splitlines()
            if MARK in line
        ]
        assert found == []


@pytest.mark.rule("ART-8", "STEP-4")
@pytest.mark.parametrize("takes_it_up", [True, False])
def test_a_person_who_takes_a_marked_answer_at_a_terminal_accepts_it(
    raw: tuple[Path, Path], takes_it_up: bool
) -> None:
    root, item = raw

    async def test() -> None:
        async with here(root) as (player, _):
            await player.start(item.name)
            for words in ("The inspector retypes forms.", "60 inspectors"):
                await player.send("relay_user", words=words)

    play(test())
    document = item / "quick-scan.md"
    assert document.read_text().count(MARK) == 2
    if takes_it_up:
        talk(root, item, ["", "", "C"], reopen="00-01")
    assert document.read_text().count(MARK) == (0 if takes_it_up else 2)
    assert "60 inspectors" in document.read_text()


@pytest.mark.rule("ART-8")
def test_a_person_who_skips_a_marked_answer_has_not_accepted_it(raw: tuple[Path, Path]) -> None:
    root, item = raw
    document = item / "quick-scan.md"

    async def test() -> None:
        async with here(root) as (player, _):
            await player.start(item.name)
            for words in ("The inspector retypes forms.", "60 inspectors"):
                await player.send("relay_user", words=words)
        async with here(root, user=["edit 1", "skip"]) as (player, _):
            await player.start(item.name)
            for _ in range(2):
                await player.send("hear_user")

    play(test())
    assert document.read_text().count(MARK) == 2
    talk(root, item, ["skip", "skip", "C"], reopen="00-01")
    assert document.read_text().count(MARK) == 2


@pytest.mark.rule("ART-8", "STEP-4")
def test_marked_answers_of_a_short_track_are_asked_about_again(tmp_path: Path) -> None:
    root, item = project(tmp_path / "project")
    (item / "draft.md").write_text("# Crash: saving an empty name answers 500\n\nIt fails.\n")

    async def test() -> None:
        async with here(root) as (player, _):
            await player.start(item.name)
            await player.send("relay_user", words="bug")
            for words in ("It answers 500.", "Save twice."):
                await player.send("relay_user", words=words)

    play(test())
    report = item / "bug-report.md"
    assert MARK in report.read_text()
    talk(root, item, [""] * 3, reopen="00-11", panel=None)
    assert MARK not in report.read_text()
