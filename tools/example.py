"""Write the golden example into docs/example from a real run: `python -m tools.example`.

The repository in example/ is analysed with the answers beside it, through all five phases. Instants differ
from run to run and are written as one fixed instant; everything else has to come out the same every time.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "example"
GOLDEN = ROOT / "docs" / "example"
SLUG = "renew-loans-by-text-message"
_INSTANT = re.compile(r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_FIXED = "2026-02-20T10:00:00.000Z"


@dataclass(frozen=True, slots=True)
class ExampleRun:
    """What a run showed, and the folder of the item that it left."""

    shown: str
    item: Path


@contextmanager
def play_example() -> Iterator[ExampleRun]:
    """Analyse the example to its end in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        shutil.copytree(EXAMPLE / "project", project, ignore=shutil.ignore_patterns("__pycache__"))
        command = [sys.executable, "-m", "roundtable", "--root", str(project), "analyze"]
        answers = ["--answers", str(EXAMPLE / "answers.txt")]
        environment = {**os.environ, "HOME": folder, "ROUNDTABLE_USER_NAME": "You"}
        done = subprocess.run(
            [*command, *answers], env=environment, capture_output=True, text=True, check=True
        )
        yield ExampleRun(done.stdout, project / "docs" / "requirements" / SLUG)


def read_documents(item: Path) -> dict[str, str]:
    """Return the documents of an item by name, with every instant made the same."""
    found = sorted(path for path in item.rglob("*") if path.is_file() and ".journal" not in path.parts)
    return {
        path.relative_to(item).as_posix(): _INSTANT.sub(_FIXED, path.read_text(encoding="utf-8"))
        for path in found
    }


def main() -> None:
    shutil.rmtree(GOLDEN, ignore_errors=True)
    with play_example() as run:
        for name, text in read_documents(run.item).items():
            path = GOLDEN / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
