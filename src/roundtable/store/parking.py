"""The parking lot: points that were put off, kept for the step where they belong (rule FOCUS-2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ..core import lazy_re as re
from ..core.errors import DiskFailed, RuleBroken
from ..core.lines import brought_up
from ..core.markers import ParkedMarker
from ..core.personas import Roster
from ..core.steps import PHASES, Step
from ..core.synthesis import join_lines, mark_unverified, shorten_text
from ..core.text import escape_in_bold, escape_markdown, strip_unprintable, unescape_markdown
from ..core.turns import USER, Parked
from ..documents.additions import find_document_end, find_section_end, insert_text
from ..documents.outline import read_outline
from .artifact import MAX_ARTIFACT_SIZE, PARKING_LOT, change_artifact, one_line, reason_of
from .files import AGAIN, read_inside

LATER = "Later"

_SUBJECT_LENGTH = 80
_START = b"# Parking Lot\n\nPoints that were put off in a discussion, kept for the step where they belong.\n"
_BULLET = re.compile(r"[-*+][ \t]++(?P<text>.+)")
_POINT = re.compile(
    r"\*\*(?P<subject>(?:\\.|[^\\]){1,500}?)\*\* "
    r"\((?P<speaker>.{1,100}?), step (?P<step>\S{1,30}), turn \d{1,9}\):.*"
)
_COMMENT = re.compile(r"<!--(?>(?:(?!<!--|-->).)*)-->")


def park_points(
    folder: Path,
    points: tuple[Parked, ...],
    *,
    step_id: str,
    at: str,
    steps: Sequence[Step],
    roster: Roster,
) -> None:
    """Add the points of a discussion to the parking lot, each once, under the step where it belongs."""

    def change(found: bytes | None) -> tuple[bytes | None, None]:
        document = found
        for point in points:
            marker = ParkedMarker(step_id, point.turn, at)
            if document is None or not marker.stands_in(document):
                bullet = f"- {_text(point, step_id, roster)} {marker}"
                document = _add_bullet(_START if document is None else document, _home(point, steps), bullet)
        return document, None

    try:
        change_artifact(folder, PARKING_LOT, change, is_reserved=True)
    except RuleBroken as error:
        failed = f"Could not write {PARKING_LOT}: {reason_of(error)}."
        saved = "The file is as it was; the points are in the transcript."
        raise DiskFailed(failed, saved=saved, do=f"Correct the file. {AGAIN}") from error


def read_parked(folder: Path, step_id: str) -> tuple[str, ...]:
    """Return what was put off until this step, as it is brought up; nothing if it cannot be read."""
    return tuple(text for key, text in _read_sections(folder) if key == step_id)


def read_all_parked(folder: Path) -> tuple[str, ...]:
    """Return everything that was put off, with the step that it waits for."""
    return tuple(f"{key}: {text}" for key, text in _read_sections(folder))


def _read_sections(folder: Path) -> tuple[tuple[str, str], ...]:
    """Return each point with the first word of its heading: the step it waits for, or `Later`."""
    try:
        document = read_inside(folder, PARKING_LOT, limit=MAX_ARTIFACT_SIZE)
        shape = read_outline(document)
    except (FileNotFoundError, DiskFailed, RuleBroken):
        return ()
    return tuple(
        (section.heading.split()[0], text)
        for section in shape.sections
        if section.level > 1 and section.heading.split()
        for piece in shape.within(section.body, section.end)
        if piece.kind == "bullet_list"
        for text in _read_points(document[piece.start : piece.end].decode("utf-8", "replace"))
    )


def _home(point: Parked, steps: Sequence[Step]) -> str:
    """Return the heading that a point goes under: its step, the first step of its phase, or later."""
    phase = next((phase for phase in PHASES if phase.key == point.belongs_to), None)
    for step in steps:
        if step.step_id == point.belongs_to or (phase and step.phase == phase):
            return f"{step.step_id} {escape_markdown(step.title)}"
    return LATER


def _text(point: Parked, step_id: str, roster: Roster) -> str:
    speaker = roster[point.speaker].title if point.speaker in roster else point.speaker
    who = "the user" if point.speaker == USER else escape_markdown(speaker)
    words = shorten_text(join_lines(point.words), _SUBJECT_LENGTH)
    subject = escape_in_bold(point.subject) or escape_in_bold(words) or "a point"
    said = escape_markdown(mark_unverified(point.words) if point.from_host else point.words)
    return f"**{subject}** ({who}, step {step_id}, turn {point.turn}): {said}"


def _add_bullet(document: bytes, heading: str, bullet: str) -> bytes:
    """Return the document with the bullet at the end of the section; a missing section is added."""
    shape = read_outline(document)
    key = heading.partition(" ")[0]
    inner = (found for found in shape.sections if found.level > 1)
    section = next((found for found in inner if found.heading.split()[:1] == [key]), None)
    position = find_section_end(shape, section) if section else find_document_end(shape)
    text = bullet if section else f"## {heading}\n\n{bullet}"
    return insert_text(shape, position, text)


def _read_points(bullets: str) -> Iterator[str]:
    for line in bullets.splitlines():
        bullet = _BULLET.fullmatch(line.rstrip())
        text = _COMMENT.sub("", strip_unprintable(bullet["text"])).strip() if bullet else ""
        if point := _POINT.fullmatch(text):
            subject = unescape_markdown(point["subject"])
            yield brought_up(one_line(subject), one_line(point["speaker"]), point["step"])
        elif text:
            yield f"Put off until now: {one_line(unescape_markdown(text))}"
