"""Write the transcript in the README from a real run of the bundled example: `python -m tools.readme`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
EXAMPLE = ROOT / "src" / "roundtable" / "content" / "example"
_WIDTH = 100
_BLOCK = re.compile(r"(?<=<!-- made by tools/readme.py -->\n```text\n).*?(?=```)", re.DOTALL)


def play() -> str:
    """What `make run` shows without a terminal."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "example"
        shutil.copytree(EXAMPLE, project)
        command = [sys.executable, "-m", "roundtable", "--root", str(project), "analyze"]
        answers = ["--answers", str(project / "answers.txt")]
        environment = {**os.environ, "HOME": folder, "ROUNDTABLE_USER_NAME": "You"}
        done = subprocess.run(
            [*command, *answers], env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout


def transcript() -> str:
    """The first roundtable of the example, as wide as a page."""
    shown = play()
    start = shown.index("---\nELABORATION MODE")
    end = shown.index("\n", shown.index("Saved the discussion", start))
    lines = shown[start:end].splitlines()
    return (
        "\n".join(
            textwrap.fill(line, _WIDTH, break_on_hyphens=False, break_long_words=False) if line else ""
            for line in lines
        )
        + "\n"
    )


def main() -> None:
    made = transcript()
    README.write_text(_BLOCK.sub(lambda _: made, README.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
