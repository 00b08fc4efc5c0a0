"""Transcripts: discussions as a person reads them, one markdown file for each item."""

from __future__ import annotations

from pathlib import Path

from ..core.lines import Line
from ..core.markup import harmless
from ..core.turns import USER
from .discussion import Discussion, Trial


def write_transcripts(trials: tuple[Trial, ...], folder: Path) -> tuple[Path, ...]:
    """Write each item's discussions to a file of its own in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for trial in trials:
        path = folder / f"{trial.script.name}.md"
        path.write_text(transcript(trial), encoding="utf-8")
        written.append(path)
    return tuple(written)


def transcript(trial: Trial) -> str:
    """The item, the answers of the step, and both discussions line by line."""
    first = trial.first
    answers = [f"- **{harmless(label)}**: {harmless(text)}" for label, text in trial.script.answers]
    parts = [
        f"# {harmless(first.item.name)}",
        _quoted(first.item.text),
        f"## Step {first.step.step_id}: {first.step.title}",
        "\n".join(answers) or "No answers were given.",
        "## The discussion",
        *map(_shown, _told(first)),
        "## A second one, in which the user is silent",
        *map(_shown, _told(trial.second)),
    ]
    return "\n\n".join(parts) + "\n"


def _told(discussion: Discussion) -> list[Line]:
    return [
        line for line in discussion.lines if line.kind not in ("introduction", "update", "saved", "choice")
    ]


def _shown(line: Line) -> str:
    if line.kind == "contribution":
        who, _, text = line.text.partition(": ") if line.speaker != USER else ("You", "", line.text)
        return f"**{line.turn}. {who}**: {text}"
    if line.kind == "synthesis":
        return line.text
    return _quoted(line.text)


def _quoted(text: str) -> str:
    return "\n".join(f"> {row}".rstrip() for row in text.splitlines())
