"""The command line, killed: `python killed.py NUMBER LOG ARGUMENTS...`.

The process ends itself at the point of that number among its durable changes (0: at none); the name of each
point that it reaches becomes a line of the log.
"""

from __future__ import annotations

import os
import signal
import sys
from itertools import count
from pathlib import Path

from roundtable.store import files


def watch(number: int, log: Path) -> None:
    passed = count(1)

    def reach(point: str) -> None:
        with log.open("a", encoding="utf-8") as file:
            file.write(f"{point}\n")
        if next(passed) == number:
            os.kill(os.getpid(), signal.SIGKILL)

    files.checkpoint = reach


if __name__ == "__main__":
    watch(int(sys.argv[1]), Path(sys.argv[2]))
    from roundtable.surfaces.cli.main import main

    sys.exit(main(sys.argv[3:]))
