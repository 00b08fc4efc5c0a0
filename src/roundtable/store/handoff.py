"""The hand-off of one item: collected from its folder, and written where somebody wants it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from ..core.errors import RuleBroken
from ..core.personas import Roster
from ..core.steps import Step
from ..documents.handoff import HandOff, collect_hand_off
from . import files
from .items import read_item
from .outputs import Outputs
from .questions import read_questions


def read_hand_off(folder: Path, steps: tuple[Step, ...], roster: Roster) -> HandOff:
    """Return what the item's documents say to whoever builds it."""
    documents = {each.name: each.text for each in Outputs(folder, steps).documents()}
    questions = (each for each in read_questions(folder, steps, roster) if each.is_open)
    return collect_hand_off(read_item(folder), documents, questions)


def write_new_files(folder: Path, texts: Mapping[str, str]) -> tuple[Path, ...]:
    """Write files that are not there yet, all or none; return their paths.

    Raises RuleBroken if one of them exists and holds something else.
    """
    for name, text in texts.items():
        path = folder / name
        if os.path.lexists(path) and not (files.is_regular_file(path) and files.read(path) == text.encode()):
            raise RuleBroken(f"{path} is there already. Nothing was written. Name another place with --out.")
    files.make_folder(folder, parents=True)
    for name, text in texts.items():
        files.write(folder / name, text.encode())
    return tuple(folder / name for name in texts)
