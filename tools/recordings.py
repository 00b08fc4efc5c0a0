"""Record a first run and an elaboration at a terminal into docs/recordings: `python -m tools.recordings`.

Each is a real run in a pseudo-terminal; its scrollback becomes an SVG, and a text for screen readers.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from .example import EXAMPLE, ROOT
from .pseudo_terminal import PseudoTerminal

HOME = ROOT / "docs" / "recordings"
_COLUMNS, _ROWS = 92, 40
_STYLES = {
    "bold": "bold",
    "italics": "italic",
    "underscore": "underline",
    "blink": "dim",
    "reverse": "reverse",
}
_BASE = ("default", "black", "red", "green", "brown", "blue", "magenta", "cyan", "white")


def first_run() -> list[Text]:
    """Record an empty folder, a line about the item, and the first questions."""
    with _folder() as folder:
        project = folder / "my-project"
        project.mkdir()
        terminal = _terminal(folder, project)
        terminal.say("Export the monthly report as PDF", "?")
        terminal.say("The treasurer sends it to the auditors without opening a spreadsheet.")
        return _take_rows(terminal, folder)


def elaboration() -> list[Text]:
    """Record the bundled example at the menu of a step: E, a few words, and what comes of it."""
    said = (EXAMPLE / "answers.txt").read_text(encoding="utf-8").splitlines()
    first = said.index("E")
    with _folder() as folder:
        project = folder / "library"
        shutil.copytree(EXAMPLE / "project", project, ignore=shutil.ignore_patterns("__pycache__"))
        answers = folder / "answers.txt"
        answers.write_text("\n".join(said[:first]) + "\n", encoding="utf-8")
        subprocess.run(
            [sys.executable, "-m", "roundtable", "analyze", "--answers", str(answers)],
            cwd=project, env=_environment(folder), capture_output=True, check=True,
        )  # fmt: skip
        terminal = _terminal(folder, project)
        terminal.say(*said[first : first + 4])
        return _take_rows(terminal, folder)


def main() -> None:
    HOME.mkdir(exist_ok=True)
    for record in (first_run, elaboration):
        name = record.__name__.replace("_", "-")
        lines = record()
        console = Console(record=True, width=_COLUMNS, file=io.StringIO(), color_system="truecolor")
        for line in lines:
            console.print(line, soft_wrap=True)
        (HOME / f"{name}.txt").write_text("".join(f"{line.plain}\n" for line in lines), encoding="utf-8")
        picture = console.export_svg(title="roundtable analyze", unique_id=name)
        (HOME / f"{name}.svg").write_text(picture, encoding="utf-8")


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def _environment(folder: Path) -> dict[str, str]:
    settings = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config"), "ROUNDTABLE_USER_NAME": "You"}
    return {**os.environ, **settings, "COLORTERM": "truecolor"}


def _terminal(folder: Path, project: Path) -> PseudoTerminal:
    environment = _environment(folder)
    environment.pop("NO_COLOR", None)
    terminal = PseudoTerminal(
        ("analyze",), root=project, rows=_ROWS, columns=_COLUMNS, environment=environment
    )
    terminal.listen()
    return terminal


def _take_rows(terminal: PseudoTerminal, folder: Path) -> list[Text]:
    terminal.listen()
    rows = [_paint_row(row) for row in terminal.screen.styled_rows()]
    terminal.process.close(force=True)
    while rows and not rows[-1].plain:
        rows.pop()
    for row in rows:
        if str(folder) in row.plain:
            row.plain = row.plain.replace(str(folder), "~")
    return rows


def _paint_row(row: dict[int, Any]) -> Text:
    """Return a row of the screen with its colours."""
    cells = [row.get(at) for at in range(max(row, default=-1) + 1)]
    text = Text()
    for style, run in groupby(cells, key=lambda cell: _name_style(cell) if cell else ""):
        text.append("".join(cell.data if cell else " " for cell in run), style)
    text.rstrip()
    return text


def _name_style(cell: Any) -> str:
    attributes = " ".join(name for flag, name in _STYLES.items() if getattr(cell, flag))
    colour = cell.fg if cell.fg in _BASE else f"#{cell.fg}"
    return f"{attributes} {'yellow' if colour == 'brown' else colour}".strip()


if __name__ == "__main__":
    main()
