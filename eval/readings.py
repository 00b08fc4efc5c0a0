"""Sheets for reading prompts in their place: `python -m eval.readings PHASE > sheet.txt`.

A prompt earns its place with five readings on five different items: sensible in at least four, worth
answering in at least three. The sheet shows each item once, with its answers and the prompts that fit them.
"""

from __future__ import annotations

import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from zlib import crc32

from roundtable.core.text import content_stems, fold_text
from roundtable.panel.offline.messages import read_message
from roundtable.panel.offline.prompts import Prompt, load_library
from roundtable.panel.offline.section import LabelAnswer

from .play import ITEMS, Script, read_scripts

READINGS = 5
VERDICTS = Path(__file__).parent / "verdicts"
TRACKS = Path(__file__).parent / "tracks.toml"


def prompt_id(prompt: Prompt) -> str:
    """Return a short name by which a verdict is matched with its prompt."""
    return f"{crc32(fold_text(prompt.text).encode()):08x}"


def read_verdicts() -> dict[str, list[tuple[bool, bool]]]:
    """Return, by the text of each prompt in use, whether it was sensible and worth answering where read."""
    found: dict[str, dict[str, tuple[bool, bool]]] = {}
    for path in sorted(VERDICTS.glob("*.verdicts.tsv")):
        for line in path.read_text("utf-8").splitlines():
            name, item, sensible, worth, *_ = line.split("\t")
            found.setdefault(name, {})[item] = (sensible == "y", worth == "y")
    return {prompt.text: list(found.get(prompt_id(prompt), {}).values()) for prompt in load_library().prompts}


def read_track_scripts(scripts: Iterable[Script]) -> Iterator[Script]:
    """Yield items at the steps of the short tracks, with the answers that were written for these steps."""
    by_name = {script.name: script for script in scripts}
    for step in tomllib.loads(TRACKS.read_text("utf-8"))["steps"]:
        name, step_id = step["item"], step["id"]
        answers = tuple(step["answers"].items())
        yield replace(by_name[name], name=f"{name}@{step_id}", step_id=step_id, answers=answers)


def find_objection(script: Script) -> str:
    """Return the user's first message that objects to something; empty where there is none."""
    return next((said for said in script.messages if read_message(said).act == "objection"), "")


def find_place(prompt: Prompt, script: Script) -> LabelAnswer | None:
    """Return the answer that the prompt would be asked on; None where the panel would not ask it."""
    if prompt.suits == "objection":
        objection = find_objection(script)
        return LabelAnswer("the objection", objection) if objection else None
    if prompt.label and prompt.step != script.step_id:
        return None
    stems = frozenset(
        content_stems(" ".join((script.title, script.text, *(text for _, text in script.answers))))
    )
    if prompt.is_topical and not prompt.fits_topic(stems):
        return None
    for label, text in script.answers:
        answer = LabelAnswer(label, text)
        fits = prompt.is_topical or answer.state == prompt.suits
        if prompt.label and fold_text(prompt.label) != fold_text(answer.label):
            continue
        if fits and all(answer.meets(need) for need in prompt.needs):
            return answer
    return None


def main(phase: str) -> None:
    """Print the sheet of one phase, `tracks`, `anywhere`, `objections` or `topics`."""
    scripts = [script for name in ("check", "write", "trial") for script in read_scripts(ITEMS / name)]
    if phase in ("tracks", "anywhere"):
        scripts += list(read_track_scripts(scripts))
    prompts = [prompt for prompt in load_library().prompts if _belongs(prompt, phase)]
    places: dict[str, list[tuple[Prompt, LabelAnswer]]] = {}
    by_name = {script.name: script for script in scripts}
    crowd: Counter[str] = Counter()
    for prompt in prompts:
        fitting = [(script, place) for script in scripts if (place := find_place(prompt, script)) is not None]
        if phase == "objections":
            # One line says what is objected to, so that each prompt can be read with other items.
            fitting.sort(key=lambda each: crc32(f"{prompt.text}|{each[0].name}".encode()))
        else:
            # Items that are on the sheet already come first: a reader reads few items and many prompts.
            fitting.sort(key=lambda each: -crowd[each[0].name])
        for script, place in fitting[:READINGS]:
            crowd[script.name] += 1
            places.setdefault(script.name, []).append((prompt, place))
    for name, found in places.items():
        script = by_name[name]
        print(f"\n=== {name} | step {script.step_id} | {script.title}\n{script.text}\n")
        for label, text in script.answers:
            print(f"  {label}: {text}")
        if phase == "objections":
            print(f"  The user objects: {find_objection(script)}")
        for prompt, place in found:
            print(f"  [{prompt_id(prompt)}] on {place.label} ({prompt.persona.split('-')[0]}): {prompt.text}")


def _belongs(prompt: Prompt, phase: str) -> bool:
    if phase == "topics":
        return prompt.is_topical
    if phase == "objections":
        return prompt.suits == "objection"
    if phase == "tracks":
        return prompt.step[-2:] in ("11", "21")
    if phase == "anywhere":
        return not prompt.is_topical and not prompt.label and prompt.suits != "objection"
    return prompt.step.startswith(phase)


if __name__ == "__main__":
    main(sys.argv[1])
