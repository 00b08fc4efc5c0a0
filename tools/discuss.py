"""Write the roundtable in docs/discuss.md from a real run of it: `python -m tools.discuss`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from .example import ROOT
from .readme import wrap_lines

PAGE = ROOT / "docs" / "discuss.md"
_DOCUMENT = re.compile(r"<!-- the document -->\n```markdown\n(.*?)```", re.DOTALL)
_ANSWERS = re.compile(r"<!-- the messages -->\n```text\n(.*?)```", re.DOTALL)
_BLOCK = re.compile(r"(?<=<!-- made by tools/discuss.py -->\n```text\n).*?(?=```)", re.DOTALL)


def play_discussion(page: str) -> str:
    """Return what a roundtable on the document of the page shows, with the messages of the page."""
    document, answers = (pattern.search(page) for pattern in (_DOCUMENT, _ANSWERS))
    assert document and answers
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        (project / "roundtable.toml").touch()
        (project / "rfc.md").write_text(document[1], encoding="utf-8")
        (project / "answers.txt").write_text(answers[1], encoding="utf-8")
        environment = {**os.environ, "HOME": folder, "ROUNDTABLE_USER_NAME": "You"}
        command = [sys.executable, "-m", "roundtable", "discuss", "rfc.md", "--answers", "answers.txt"]
        done = subprocess.run(
            command, cwd=project, env=environment, capture_output=True, text=True, check=True
        )
    return wrap_lines(done.stdout)


def main() -> None:
    page = PAGE.read_text(encoding="utf-8")
    made = play_discussion(page)
    PAGE.write_text(_BLOCK.sub(lambda _: made, page), encoding="utf-8")


if __name__ == "__main__":
    main()
