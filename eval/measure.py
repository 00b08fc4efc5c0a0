"""The figures of the offline panel: `python -m eval.measure`.

Pairing and search are measured on labelled cases, the rest on discussions played through the real session:
can the speaker be told without the name, is a prompt asked twice, is an on-topic message sent away.
"""

from __future__ import annotations

import math
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from roundtable import load_roster
from roundtable.core.commands import AskPersona
from roundtable.core.text import fold_text, split_sentences, words_of
from roundtable.core.turns import USER
from roundtable.core.voice import strip_quotations
from roundtable.panel.base import OnWords, PanelRequest, ignore_words
from roundtable.panel.offline import OfflinePanel
from roundtable.panel.offline.messages import OpenPrompt, find_answered_prompt, guess_kind, read_message
from roundtable.panel.offline.prompts import extract_question, load_library
from roundtable.panel.offline.section import SearchLine, document_lines, find_closest_lines

from .play import ITEMS, Played, Script, play, read_scripts

HERE = Path(__file__).parent
SETS = ("trial", "reading")


def main() -> None:
    """Print every figure."""
    print(measure_pairing())
    for line in measure_search():
        print(line)
    with tempfile.TemporaryDirectory(prefix="roundtable-eval-") as home:
        for line in measure_discussions(Path(home)):
            print(line)


def measure_pairing() -> str:
    """Return how many labelled answers were paired with the right prompt, left alone, or paired wrongly."""
    counts: Counter[str] = Counter()
    for case in tomllib.loads((HERE / "pairing.toml").read_text("utf-8"))["cases"]:
        waiting = [
            OpenPrompt(place, f"persona {place}", text, extract_question(text) or text, "", guess_kind(text))
            for place, text in enumerate(case["prompts"], 1)
        ]
        found = find_answered_prompt(read_message(case["message"]), waiting)
        place = found.turn - 1 if found else -1
        counts["right" if place == case["label"] else "alone" if place < 0 else "wrong"] += 1
    right, alone, wrong = (counts[each] for each in ("right", "alone", "wrong"))
    return f"pairing: {right} right, {alone} left alone, {wrong} wrong of {counts.total()}"


def measure_search() -> Iterator[str]:
    """Yield how often the right line is among the three that are shown."""
    counts: Counter[tuple[str, bool]] = Counter()
    for case in tomllib.loads((HERE / "questions.toml").read_text("utf-8"))["questions"]:
        folder, name = case["item"].split("/")
        data = tomllib.loads((ITEMS / folder / name / "item.toml").read_text("utf-8"))
        answers = [each for step in data["steps"] for each in step["answers"]]
        told = [
            SearchLine(sentence, each["label"])
            for each in answers
            for sentence in split_sentences(each["text"])
        ]
        lines = (*told, *document_lines("draft.md", f"{data['title']}\n\n{data['text']}"))
        shown = find_closest_lines(case["question"], lines)
        wanted = case["line"].strip()
        hit = any(wanted[:40] in line.text or line.text[:40] in wanted for line in shown)
        counts[case["words"], hit] += 1
    for words in ("other", "same"):
        found, total = counts[words, True], counts[words, True] + counts[words, False]
        share = f"{found} of {total}, {found / total:.0%}"
        yield f"search, question in {words} words: right line among three in {share}"


def measure_discussions(home: Path) -> Iterator[str]:
    """Play every item twice and yield what the discussions show."""
    scripts = [script for name in SETS for script in read_scripts(ITEMS / name)]
    panel = TimedPanel()
    first = [play(script, _root(home, script), max_turns=16, panel=panel) for script in scripts]
    again = [play(script, _root(home, script), messages=("", "", ""), max_turns=10) for script in scripts]
    spoken = [turn for played in (*first, *again) for turn in played.turns[1:] if turn.speaker != USER]
    told, total = tell_speakers([*first, *again])
    yield f"speaker told without the name: {told} of {total}, {told / total:.1%}"
    yield f"prompts asked twice in a discussion: {sum(map(count_repeats, (*first, *again)))} of {len(spoken)}"
    both = sum(len(find_prompts(one) & find_prompts(two)) for one, two in zip(first, again, strict=True))
    yield f"prompts of a first discussion asked again in the second: {both}"
    messages = [turn for played in first for turn in played.turns if turn.speaker == USER]
    sent_away = [turn.text for turn in messages if turn.verdict.off_topic is not None]
    yield f"on-topic messages redirected: {len(sent_away)} of {len(messages)} {sent_away[:3]}"
    longest = max(
        len(turn.text.split()) for turn in spoken if "closest" not in turn.text and "Nearest" not in turn.text
    )
    yield f"longest contribution that is not a list of lines: {longest} words"
    times = sorted(panel.seconds)
    median, late = (1000 * times[len(times) * share // 100] for share in (50, 95))
    yield f"a contribution: {median:.1f} ms, 95 of 100 below {late:.1f} ms"


class TimedPanel(OfflinePanel):
    """The offline panel, with the time that each contribution took."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: list[float] = []

    async def answer(self, request: PanelRequest, on_words: OnWords = ignore_words) -> Any:
        start = time.perf_counter()
        try:
            return await super().answer(request, on_words)
        finally:
            if isinstance(request, AskPersona):
                self.seconds.append(time.perf_counter() - start)


def find_prompts(played: Played) -> frozenset[str]:
    """Return the prompts that were asked in a discussion."""
    library = load_library()
    asked = (
        library.find_prompt(turn.speaker, turn.text) for turn in played.turns[1:] if turn.speaker != USER
    )
    return frozenset(prompt.text for prompt in asked if prompt is not None)


def count_repeats(played: Played) -> int:
    """Return how many prompts were asked a second time in one discussion."""
    library = load_library()
    asked = [
        library.find_prompt(turn.speaker, turn.text) for turn in played.turns[1:] if turn.speaker != USER
    ]
    texts = [prompt.text for prompt in asked if prompt is not None]
    return len(texts) - len(set(texts))


def tell_speakers(plays: Sequence[Played]) -> tuple[int, int]:
    """Guess who spoke from words alone (naive Bayes, each item left out in turn); return right and total.

    Names, roles and quotations are taken out first.
    """
    hidden = {
        word for persona in load_roster().personas for word in words_of(f"{persona.name} {persona.role}")
    }
    samples = [
        (played.script.name, turn.speaker, _features(turn.text, hidden))
        for played in plays
        for turn in played.turns[1:]
        if turn.speaker != USER
    ]
    used: dict[str, Counter[str]] = {}
    for _, speaker, features in samples:
        used.setdefault(speaker, Counter()).update(features)
    right = 0
    for name in dict.fromkeys(name for name, _, _ in samples):
        mine = [(speaker, features) for item, speaker, features in samples if item == name]
        for speaker, features in mine:
            used[speaker].subtract(features)
        right += sum(_guess(features, used) == speaker for speaker, features in mine)
        for speaker, features in mine:
            used[speaker].update(features)
    return right, len(samples)


def _features(text: str, hidden: set[str]) -> Counter[str]:
    words = [word for word in words_of(fold_text(strip_quotations(text))) if word not in hidden]
    return Counter([*words, *(f"{one} {two}" for one, two in pairwise(words))])


def _guess(features: Counter[str], used: dict[str, Counter[str]]) -> str:
    size = len({word for counts in used.values() for word in counts}) or 1

    def score(speaker: str) -> float:
        total = used[speaker].total() + 0.5 * size
        return sum(times * math.log((used[speaker][word] + 0.5) / total) for word, times in features.items())

    return max(used, key=score)


def _root(home: Path, script: Script) -> Path:
    root = home / script.name
    root.mkdir(exist_ok=True)
    return root


if __name__ == "__main__":
    main()
