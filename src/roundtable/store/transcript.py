"""The transcript of a discussion: every turn with an anchor, every insight with its turns (rule SYN-2)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..core import synthesis
from ..core.errors import DiskFailed
from ..core.hearing import Part
from ..core.markers import TranscriptMarker
from ..core.personas import Roster
from ..core.text import clean_text, escape_in_bold, escape_markdown
from ..core.turns import UNVERIFIED_NOTE, USER, Material, Parked, Turn
from ..documents.blocks import TranscriptContent, parse_transcript
from . import files

if TYPE_CHECKING:
    from ..core.commands import SaveRecord

FOLDER = "elaborations"
_EVERY = f"{FOLDER}/"  # how the relative path of each transcript of an item begins
_RELAYED = f"Relayed by the host, perhaps not word for word {synthesis.UNVERIFIED}."
_NAME = re.compile(r".+-[1-9]\d{0,8}\.md")
# A row of dashes would turn the line above into a table; a link label may begin a line before its `]:`.
_TABLE_ROW = re.compile(r"[-:| ]+")


class StoredTranscript(NamedTuple):
    """A transcript of an item: its number in the list, its relative path, its text and parsed content."""

    number: int
    name: str
    text: str
    content: TranscriptContent | None


def write_transcript(folder: Path, command: SaveRecord, panel: str, beginning: str = "") -> str:
    """Write the discussion's transcript, unless it exists, and return its path relative to the folder.

    Its name is `beginning` and the next number; by default it begins with the folder and the step's id.
    """
    step_id, at = command.record.step_id, command.record.timestamp
    if not beginning:
        files.make_folder(files.require_inside(folder, folder / FOLDER))
        beginning = f"{FOLDER}/{step_id}-"
    if written := find_discussion(folder, step_id, at, beginning):
        return written.name
    earlier = [_parts(path)[1] for path in list_transcripts(folder, beginning)]
    name = f"{beginning}{1 + max(earlier, default=0)}.md"
    files.write(folder / name, render_transcript(command, panel).encode())
    return name


def check_writable(folder: Path) -> None:
    """Raise DiskFailed if a transcript could not be written now."""
    home = files.require_inside(folder, folder / FOLDER)
    probe = (home if os.path.lexists(home) else folder) / f".roundtable-{os.urandom(16).hex()}.tmp"
    files.write(probe, b"Can be removed.\n")
    files.remove(probe)


def list_transcripts(folder: Path, beginning: str = _EVERY) -> tuple[Path, ...]:
    """Return the transcripts whose relative path has this beginning, sorted by step and number."""
    place, name = os.path.split(beginning)
    known = () if files.leads_out(folder, folder / place) else (folder / place).glob("*.md")
    found = (path for path in known if path.name.startswith(name) and _NAME.fullmatch(path.name))
    return tuple(sorted(found, key=_parts))


def parse_transcripts(folder: Path, beginning: str = _EVERY) -> Iterator[StoredTranscript]:
    """Yield the readable files of `list_transcripts`; one that is not ours has no content."""
    for number, path in enumerate(list_transcripts(folder, beginning), start=1):
        name = path.relative_to(folder).as_posix()
        with suppress(OSError, DiskFailed):
            text = files.read_inside(folder, name).decode("utf-8-sig", "replace")
            yield StoredTranscript(number, name, text, parse_transcript(text))


def read_transcripts(folder: Path, step_id: str, limit: int = 40_000) -> tuple[Material, ...]:
    """Return the readable transcripts of one step, `limit` characters of each."""
    found = parse_transcripts(folder, f"{FOLDER}/{step_id}-")
    return tuple(Material(each.name, each.text[:limit]) for each in found)


def find_discussion(folder: Path, step_id: str, at: str, beginning: str = _EVERY) -> StoredTranscript | None:
    """Return the transcript of that step and time; None if there is none."""
    marker, found = str(TranscriptMarker(step_id, at)), parse_transcripts(folder, beginning)
    return next((each for each in found if each.text.startswith(marker)), None)


def _parts(path: Path) -> tuple[str, int]:
    """Return a transcript's name without its number, and the number."""
    name, _, number = path.stem.rpartition("-")
    return name, int(number)


def render_transcript(command: SaveRecord, panel: str) -> str:
    """Return the transcript's text, which begins with its marker."""
    table, record = command.table, command.record
    step = table.step
    subject = f"Elaboration of step {step.step_id}" if step.step_id else "Roundtable"
    titles = [persona.title for persona in table.roster.personas]
    fields = {
        "Item" if step.step_id else "Document": table.item.name,
        "Step": f"{step.step_id} {step.title}" if step.step_id else "",
        "Participants": ", ".join([*titles, *synthesis.list_people(table.turns)]),
        "Turns": f"{record.turn_count} of {table.max_turns}",
        "Exit": command.exit_type,
        "Date": record.timestamp,
        "Panel": panel,
        "Focus question": table.focus_question,
    }
    parts = [
        str(TranscriptMarker(record.step_id, record.timestamp)),
        f"# {subject}: {escape_markdown(step.title)}",
        "\n".join(f"- **{name}**: {escape_markdown(text)}" for name, text in fields.items() if text),
        "## Discussion",
        *_render_turns(table.turns, table.roster),
        "## Synthesis",
        *_render_synthesis(command),
    ]
    if command.struck:
        struck = _render_entries(command.struck, None, command)
        parts += ["### Struck or reworded before it was written", struck]
    if command.parked:
        parts += ["## Put off", "\n".join(_render_parked(point, table.roster) for point in command.parked)]
    return "\n\n".join(parts) + "\n"


def _render_turns(turns: Iterable[Turn], roster: Roster) -> Iterator[str]:
    for turn in turns:
        who = _name_speaker(turn.speaker, roster)
        speaker = escape_in_bold(f"{who} ({turn.by})" if turn.by else who)
        yield f'<a id="turn-{turn.number}"></a>\n**{turn.number}. {speaker}**'
        for paragraph in re.split(r"\n[ \t]*\n", clean_text(turn.text)):
            # Escaped, they read the same, and no markup reaches beyond them.
            kept = (line for line in paragraph.split("\n") if line.strip())
            lines = [escape_markdown(line).replace("]:", "]\\:") for line in kept]
            if lines:
                yield "\n".join(f"\\{line}" if _TABLE_ROW.fullmatch(line) else line for line in lines)
        remarks = [_RELAYED] if turn.relayed else []
        if drift := turn.verdict.off_topic:
            remarks.append(f"Put off: {escape_markdown(drift.subject)}")
        for note in turn.notes:
            claim = note.removeprefix(UNVERIFIED_NOTE)
            remarks.append(f"{'Voice check' if claim == note else 'Unverified'}: {escape_markdown(claim)}")
        if remarks:
            yield "\n".join(f"> - {remark}" for remark in remarks)


def _render_synthesis(command: SaveRecord) -> Iterable[str]:
    draft = command.draft
    if command.extracted:
        yield "Extracted offline: the panel could not draft the synthesis."
    if not draft.entries:
        yield f"Key takeaway: {escape_markdown(synthesis.summary(draft, command.table.step.title))}"
        return
    for part, heading in synthesis.HEADINGS.items():
        entries = draft.part(part)
        if entries or part != "actions":
            yield f"### {heading}"
            yield _render_entries(entries, part, command) or "- None"


def _render_entries(entries: Iterable[synthesis.Entry], part: Part | None, command: SaveRecord) -> str:
    """Return the entries as in the documents, with credits and sources; struck entries have no `part`."""
    turns, roster = command.table.turns, command.table.roster
    lines = []
    for entry in entries:
        text = synthesis.write_entry(entry, part, turns, roster) if part else escape_markdown(entry.text)
        if part in ("insights", None) and entry.detail:
            text = f"{text.rstrip('.')}: {escape_markdown(entry.detail)}"
        who = "" if part == "insights" else f"[{synthesis.credit(entry, turns, roster)}] "
        sources = [*map(_link, entry.turns), *([f"{entry.review} in the review"] if entry.review else [])]
        lines.append(f"- {who}{text} ({', '.join(sources)})")
    return "\n".join(lines)


def _render_parked(point: Parked, roster: Roster) -> str:
    place = f" for {escape_markdown(point.belongs_to)}" if point.belongs_to else ""
    who = escape_markdown(_name_speaker(point.speaker, roster))
    said = f"{_link(point.turn)}: {escape_markdown(point.words)}"
    return f"- **{escape_markdown(point.subject)}**{place}, {who}, {said}"


def _link(number: int) -> str:
    return f"[turn {number}](#turn-{number})"


def _name_speaker(key: str, roster: Roster) -> str:
    return "User" if key == USER else roster[key].title if key in roster else key
