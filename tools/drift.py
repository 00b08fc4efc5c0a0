"""Learns the weights by which small talk and talk of another phase are told: `python -m tools.drift`.

From `tools/samples` (small talk, what sounds like it and belongs to an item, and messages that belong to a
step), the half of `tests/samples` that is not
kept back, and the items of the sets `write` and `check`; the fresh set is never read.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from math import log
from pathlib import Path

from roundtable.content.catalogue import load_roster
from roundtable.panel.offline.phrases import content
from roundtable.panel.offline.weighing import FAR, WEIGHTS, at_home, features

_SAMPLES = Path(__file__).parent / "samples"
_TOLD = Path(__file__).parents[1] / "tests" / "samples"
_ITEMS = Path(__file__).parents[1] / "src" / "roundtable" / "evaluation" / "items"
_NAMES = tuple(persona.first_name for persona in load_roster().personas)
_LEARNT_FROM = ("write", "check")
_SILENT = ("silence", "ok")
_SEEN = 2
"""How often a feature has to be seen to count."""
_FAR_MOST, _PHASE_MOST = 2.5, 2.0
"""What one feature counts at most."""
_LEAST = 0.3
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def main() -> None:
    """Write the weights anew."""
    WEIGHTS.mkdir(exist_ok=True)
    (WEIGHTS / "weights.toml").write_text(learnt(), encoding="utf-8")


def learnt() -> str:
    """The weights as they stand in their file."""
    tables = {FAR: _far(), **_phases()}
    lines = ["# Learnt by `python -m tools.drift` from sample messages; not written by hand.\n"]
    for name, weights in tables.items():
        lines.append(f'["{name}"]')
        listed: dict[float, list[str]] = {}
        for word, weight in sorted(weights.items()):
            listed.setdefault(round(weight, 1), []).append(word)
        for weight in sorted(listed, reverse=True):
            quoted = ", ".join(f'"{word}"' for word in listed[weight])
            lines.append(f'"{weight}" = [{quoted}]')
        lines.append("")
    return "\n".join(lines)


def _far() -> Mapping[str, float]:
    """Small talk against everything that is said about items."""
    far = [features(line, _NAMES) for line in (*_lines("chatter.txt"), *_lines("far-built.txt", _TOLD))]
    near = [features(text, _NAMES) for _, text in (*_of_steps(), *_at_home())]
    near += [features(line, _NAMES) for line in _lines("scenes.txt")]
    for kind, _, text, _ in _messages():
        (far if kind == "drift-far" else near).append(features(text, _NAMES))
    for name in _LEARNT_FROM:
        for file in sorted((_ITEMS / name).glob("*.md")):
            near += [features(each) for each in _SENTENCE.split(file.read_text("utf-8")) if " " in each]
    return _odds(Counter(_all(far)), len(far), Counter(_all(near)), len(near), _FAR_MOST)


def _phases() -> dict[str, Mapping[str, float]]:
    """Each phase against all others; of a message only what its item does not say itself."""
    rows = [(step[:2], features(text, _NAMES)) for step, text in (*_of_steps(), *_at_home())]
    for kind, step, text, home in _messages():
        if kind != "drift-far":
            told = features(text, _NAMES)
            rows.append((step[:2], frozenset(each for each in told if not at_home(each, home))))
    whole, number = Counter(_all(told for _, told in rows)), len(rows)
    found: dict[str, Mapping[str, float]] = {}
    for phase in sorted({phase for phase, _ in rows}):
        own = [told for each, told in rows if each == phase]
        counts = Counter(_all(own))
        rest = Counter({each: whole[each] - counts[each] for each in whole})
        found[phase] = _odds(counts, len(own), rest, number - len(own), _PHASE_MOST)
    return found


def _odds(
    one: Counter[str], of_one: int, other: Counter[str], of_other: int, most: float
) -> dict[str, float]:
    found = {}
    for each in set(one) | set(other):
        if one[each] + other[each] >= _SEEN:
            weight = log((one[each] + 0.4) / (of_one + 0.8)) - log((other[each] + 0.4) / (of_other + 0.8))
            if abs(weight) >= _LEAST:
                found[each] = max(-most, min(most, weight))
    return found


def _all(told: Iterable[frozenset[str]]) -> Iterator[str]:
    return (each for features_of_one in told for each in features_of_one)


def _lines(name: str, folder: Path = _SAMPLES) -> list[str]:
    return [line for line in (folder / name).read_text("utf-8").splitlines() if line.strip()]


def _of_steps() -> Iterator[tuple[str, str]]:
    for line in _lines("steps.txt"):
        step, _, text = line.partition("\t")
        yield step, text


def _at_home() -> Iterator[tuple[str, str]]:
    """Messages that belong to the step in which they are said, and those that belong to another."""
    for name, at in (("home-built.txt", 1), ("elsewhere-built.txt", 2)):
        for line in _lines(name, _TOLD):
            fields = line.split("|")
            yield fields[at], fields[-1]


def _messages() -> Iterator[tuple[str, str, str, frozenset[str]]]:
    """Every message of the items: its kind, the step it belongs to, its text, and the stems of its item."""
    for name in _LEARNT_FROM:
        for file in sorted((_ITEMS / name).glob("*.toml")):
            item = tomllib.loads(file.read_text("utf-8"))
            told = file.with_suffix(".md").read_text("utf-8") + " ".join(item["answers"].values())
            home = frozenset(content(told))
            for message in item["messages"]:
                if message["kind"] not in _SILENT:
                    step = message.get("belongs_to", item["step"])
                    yield message["kind"], step, message["text"], home


if __name__ == "__main__":
    main()
