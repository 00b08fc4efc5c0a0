"""Write the transcript in the README from a real run of the bundled example: `python -m tools.readme`."""

from __future__ import annotations

import re
import textwrap

from .example import ROOT, played

README = ROOT / "README.md"
_WIDTH = 100
_BLOCK = re.compile(r"(?<=<!-- made by tools/readme.py -->\n```text\n).*?(?=```)", re.DOTALL)


def transcript(shown: str) -> str:
    """The first roundtable of the example, as wide as a page."""
    start = shown.index("---\nELABORATION MODE")
    end = shown.index("\n", shown.index("Saved the discussion", start))
    return "\n".join(_wrapped(line) for line in shown[start:end].splitlines()) + "\n"


def _wrapped(line: str) -> str:
    return textwrap.fill(line, _WIDTH, break_on_hyphens=False, break_long_words=False)


def main() -> None:
    with played() as run:
        made = transcript(run.shown)
    README.write_text(_BLOCK.sub(lambda _: made, README.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
