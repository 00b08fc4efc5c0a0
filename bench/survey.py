"""The survey: 50,000 files in a fresh repository, against listing them with git and reading them with cat."""

from __future__ import annotations

import os
import random
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from roundtable.core.steps import Item
from roundtable.survey import survey

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


def measure() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="survey-bench-") as folder:
        root = Path(folder)
        size = _tree(root)
        listing = _seconds(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], root)
        reading = _seconds(["sh", "-c", "git ls-files -z | xargs -0 cat > /dev/null"], root)
        yield f"{FILES} files, {size / 1e6:.0f} MB: git ls-files {listing:.2f} s, cat {reading:.2f} s  1.0"
        before = os.times()
        found = survey(root, ITEM)
        # Beside the time on the clock, since that depends on what else the machine does.
        spent = sum(os.times()[:4]) - sum(before[:4])
        ratio = found.seconds / reading
        yield f"survey: {found.seconds:5.2f} s (limit 5)  {ratio:.1f}   processor {spent:.2f} s"


def _tree(root: Path) -> int:
    """A repository of modules in which the item's words are as rare as they are in real ones."""
    chance = random.Random(3)
    words = [
        "".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(3, 10))) for _ in range(5000)
    ]
    size = 0
    for number in range(FILES):
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
