"""The parts of the docs that are made here: `python -m eval.pages`.

Writes three transcripts, drawn by seed from the trial items, and the tables of `docs/reading.md`.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

from roundtable import load_roster, load_steps
from roundtable.core.turns import USER

from .play import ITEMS, Played, play, read_scripts
from .readings import READINGS, read_verdicts

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
SEED = 11
DRAWN = 3
BLIND = {"final": (1, 2), "final2": (3, 4), "final3": (5, 6)}
"""The blind readings, each with the numbers of its two readers."""
_COLUMNS = ("sensible", "worth answering", "nonsense")
_SHEETS = {
    "00": "Quick scan",
    "01": "Requirements",
    "02": "Impact analysis",
    "03": "Architecture",
    "04": "Design",
    "tracks": "Short tracks",
    "anywhere": "Any step",
    "objections": "Objections",
    "topics": "Topics",
}


def main() -> None:
    """Write all pages."""
    for name, text in draw_transcripts().items():
        (DOCS / "transcripts" / f"{name}.md").write_text(text, encoding="utf-8")
    path = DOCS / "reading.md"
    page = path.read_text(encoding="utf-8")
    blind = ((name, tabulate_blind(name)) for name in BLIND)
    for name, table in (("sheets", tabulate_sheets()), *blind):
        mark = f"<!-- {name}: made by eval/pages.py -->\n"
        before, _, after = page.partition(mark)
        rest = after.partition("<!-- end -->")[2]
        page = "\n".join((f"{before}{mark}", *table, "", f"<!-- end -->{rest}"))
    path.write_text(page, encoding="utf-8")


def draw_transcripts() -> dict[str, str]:
    """Play the trial items that the seed draws, and return the discussions by name."""
    drawn = random.Random(SEED).sample(read_scripts(ITEMS / "trial"), DRAWN)
    found = {}
    with tempfile.TemporaryDirectory(prefix="roundtable-pages-") as home:
        for script in sorted(drawn, key=lambda each: each.name):
            root = Path(home) / script.name
            root.mkdir()
            found[script.name.partition("@")[0]] = write_transcript(play(script, root, max_turns=16))
    return found


def write_transcript(played: Played) -> str:
    """Return a discussion as a page: the item, the step's answers, what was said, what became of it."""
    script, roster = played.script, load_roster()
    step = next(each for each in load_steps() if each.step_id == script.step_id)
    quoted = "\n".join(f"> {line}".rstrip() for line in script.text.split("\n"))
    answers = "\n".join(f"- **{label}**: {text}" for label, text in script.answers)
    said = (
        f"**{turn.number}. {'You' if turn.speaker == USER else roster[turn.speaker].name}**: {turn.text}"
        for turn in played.turns
    )
    block = next((line.text for line in played.lines if line.kind == "synthesis"), "")
    return "\n\n".join(
        (
            f"# {script.title}",
            quoted,
            f"## Step {script.step_id}: {step.title}",
            answers,
            "## The discussion",
            *said,
            "## What was added",
            f"~~~markdown\n{block.strip()}\n~~~\n",
        )
    )


def tabulate_sheets() -> Iterator[str]:
    """Yield the table of the readings by sheet, and how many prompts have earned their place."""
    yield f"| sheet | readings | {' | '.join(_COLUMNS)} |"
    yield "|---|---|---|---|---|"
    for name, title in _SHEETS.items():
        rows = read_rows(f"{name}.verdicts.tsv")
        yield f"| {title} | {len(rows)} | {_shares([row[2:5] for row in rows])} |"
    counts = [
        (len(found), sum(each[0] for each in found), sum(each[1] for each in found))
        for found in read_verdicts().values()
    ]
    full = [each for each in counts if each[0] >= READINGS]
    earned = sum(sensible >= READINGS - 1 and worth >= READINGS - 2 for _, sensible, worth in full)
    few = sum(0 < total < READINGS for total, _, _ in counts)
    unread = sum(total == 0 for total, _, _ in counts)
    yield ""
    yield (
        f"Of the {len(counts)} prompts in use, {earned} have earned their place, {len(full) - earned} were "
        f"read {READINGS} times and fell short, {few} fit fewer than {READINGS} of the items and were read "
        f"there, and {unread or 'none'} {'was' if unread == 1 else 'were'} left unread."
    )


def tabulate_blind(name: str) -> Iterator[str]:
    """Yield the shares of a blind reading and its table: all contributions with both verdicts."""
    numbers = BLIND[name]
    readers = [read_rows(f"{name}.reader{number}.tsv") for number in numbers]
    yield f"| reader | contributions | {' | '.join(_COLUMNS)} |"
    yield "|---|---|---|---|---|"
    for number, rows in zip(numbers, readers, strict=True):
        yield f"| {number} | {len(rows)} | {_shares([row[1:4] for row in rows])} |"
    pairs = list(zip(*readers, strict=True))
    agree = (sum(one[place] == two[place] for one, two in pairs) for place in (1, 2, 3))
    yield ""
    yield "They agree on {} of the 60 for sensible, {} for worth answering, {} for nonsense.".format(*agree)
    yield ""
    one, two = numbers
    yield f"| | item and step | turn | speaker | contribution | {one} | {two} | reader {one} | reader {two} |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for said, verdicts in zip(read_rows(f"{name}.contributions.tsv"), pairs, strict=True):
        cells = (*said, *(" ".join(each[1:4]) for each in verdicts), *(each[4] for each in verdicts))
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def read_rows(name: str) -> list[list[str]]:
    """Return the rows of a file of verdicts."""
    return [line.split("\t") for line in (HERE / "verdicts" / name).read_text("utf-8").splitlines()]


def _shares(rows: list[list[str]]) -> str:
    return " | ".join(f"{sum(row[place] == 'y' for row in rows) / len(rows):.0%}" for place in range(3))


if __name__ == "__main__":
    main()
