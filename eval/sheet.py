"""A sheet for a blind reading, with 60 contributions in their place: `python -m eval.sheet SET SEED`."""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

from roundtable.core.turns import USER

from .play import ITEMS, play, read_scripts

DRAWN = 60


def main(name: str, seed: int) -> None:
    """Print the contributions drawn by seed, each with item, answers and what was said before."""
    places = []
    with tempfile.TemporaryDirectory(prefix="roundtable-sheet-") as home:
        for script in read_scripts(ITEMS / name):
            root = Path(home) / script.name
            root.mkdir()
            played = play(script, root)
            places += [(played, turn) for turn in played.turns if turn.speaker != USER]
    drawn = random.Random(seed).sample(places, DRAWN)
    for number, (played, turn) in enumerate(drawn, 1):
        script = played.script
        print(f"\n=== {number} | {script.name} | {script.title}\n{script.text}\n")
        print("\n".join(f"  {label}: {text}" for label, text in script.answers))
        print("  -- so far --")
        for before in played.turns[: turn.number - 1]:
            print(f"  {before.number} {before.speaker}: {before.text}")
        print(f">>> {turn.number} {turn.speaker}: {turn.text}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
