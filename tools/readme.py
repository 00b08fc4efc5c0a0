"""Write the transcript in the README from a real run of the bundled example: `python -m tools.readme`."""

from __future__ import annotations

import re
import textwrap

from .example import ROOT, play_example

README = ROOT / "README.md"
_WIDTH = 100
_BLOCK = re.compile(r"(?<=<!-- made by tools/readme.py -->\n```text\n).*?(?=```)", re.DOTALL)


def cut_transcript(shown: str) -> str:
    """Return the first roundtable of the example, as wide as a page."""
    start = shown.index("---\nELABORATION MODE")
    end = shown.index("\n", shown.index("Saved the discussion", start))
    return wrap_lines(shown[start:end])


def wrap_lines(shown: str) -> str:
    """Return what was shown, as wide as a page."""
    wrapper = textwrap.TextWrapper(_WIDTH, break_on_hyphens=False, break_long_words=False)
    return "\n".join(wrapper.fill(line) for line in shown.splitlines()) + "\n"


def main() -> None:
    with play_example() as run:
        made = cut_transcript(run.shown)
    README.write_text(_BLOCK.sub(lambda _: made, README.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
