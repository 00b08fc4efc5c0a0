"""The survey: 50,000 files in a fresh repository, against listing them with git and reading them with cat."""

from __future__ import annotations

import os
import random
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from roundtable.core.steps import Item
from roundtable.survey import survey
from roundtable.survey.files import list_files

FILES = 50_000
ITEM = Item(
    "invoices",
    "Print the delivery address instead of the billing address on invoices",
    "The driver reads `delivery_address` from the paper, and offline the cache has only the billing one.",
)
_TELLING = (
    "invoice",
    "address",
    "delivery_address",
    "billing",
    "print",
    "driver",
    "cache",
    "paper",
    "offline",
)


@dataclass(frozen=True, slots=True)
class SurveyTimes:
    """What a survey of a fresh repository takes, beside listing and reading its files."""

    megabytes: float
    listing: float
    reading: float
    seconds: float
    processor: float


def measure() -> Iterator[str]:
    took = measure_survey(FILES)
    size = f"{FILES} files, {took.megabytes:.0f} MB"
    yield f"{size}: git ls-files {took.listing:.2f} s, cat {took.reading:.2f} s  1.0"
    ratio = took.seconds / took.reading
    yield f"survey: {took.seconds:5.2f} s (limit 5)  {ratio:.1f}   processor {took.processor:.2f} s"


def measure_survey(files: int) -> SurveyTimes:
    """Survey a new repository of so many files."""
    with tempfile.TemporaryDirectory(prefix="survey-bench-") as folder:
        root = Path(folder)
        size = _tree(root, files)
        listing = _seconds(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], root)
        reading = _seconds(["sh", "-c", "git ls-files -z | xargs -0 cat > /dev/null"], root)
        before, start = os.times(), time.perf_counter()
        survey(root, list_files(root), ITEM)
        took = time.perf_counter() - start
        # Beside the time on the clock, since that depends on what else the machine does.
        spent = sum(os.times()[:4]) - sum(before[:4])
    return SurveyTimes(size / 1e6, listing, reading, took, spent)


def _tree(root: Path, files: int) -> int:
    """A repository of modules in which the item's words are as rare as they are in real ones."""
    chance = random.Random(3)
    words = [
        "".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(3, 10))) for _ in range(5000)
    ]
    size = 0
    for number in range(files):
        folder = root / f"m{number % 50}" / f"p{number // 50 % 40}"
        if number < 2000:
            folder.mkdir(parents=True, exist_ok=True)
        lines = [" ".join(chance.choices(words, k=7)) for _ in range(70)]
        if chance.random() < 0.2:
            lines[chance.randrange(70)] = f"def {chance.choice(_TELLING)}_{words[number % 5000]}():"
        lines.append(f"from .f{number - 50} import {words[number % 97]}")
        data = "\n".join(lines).encode()
        size += len(data)
        (folder / f"f{number}.py").write_bytes(data)
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    subprocess.run(["git", "add", "--all"], cwd=root, check=True)
    return size


def _seconds(command: list[str], root: Path) -> float:
    start = time.perf_counter()
    subprocess.run(command, cwd=root, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start
