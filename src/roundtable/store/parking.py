"""The parking lot: points that were put off, kept for the step where they belong (rule FOCUS-2)."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from ..core import lazy_re as re
from ..core.errors import DiskFailed, RuleBroken
from ..core.markers import ParkedMarker
from ..core.personas import Roster
from ..core.steps import Step
from ..core.synthesis import join_lines, shorten_text
from ..core.text import escape_in_bold, escape_markdown, parse_heading, unescape_markdown
from ..core.turns import USER, Parked
from ..documents.additions import find_end, insert_text
from ..documents.outline import prose_lines, read_outline
from .artifact import PARKING_LOT, change_artifact, one_line, read_own_text, reason_of
from .files import AGAIN

_SUBJECT_LENGTH = 80
_START = b"# Parking Lot\n\nPoints that were put off in a discussion, kept for the step where they belong.\n"
_BULLET = re.compile(r"[-*+][ \t]++(?P<text>.+)")
_POINT = re.compile(
    r"\*\*(?P<subject>(?:\\.|[^\\]){1,500}?)\*\* "
    r"\((?P<speaker>.{1,100}?), step (?P<step>\S{1,30}), turn \d{1,9}\):.*"
)
_COMMENT = re.compile(r"<!--(?>(?:(?!<!--|-->).)*)-->")


def park_points(
    folder: Path, points: tuple[Parked, ...], *, step_id: str, at: str, steps: Sequence[Step], roster: Roster
) -> None:
    """Add the points of a discussion to the parking lot, each once, under the step where it belongs."""
    homes: dict[object, str] = {}
    for step in reversed(steps):  # so that a phase's key maps to its first step
        heading = f"{step.step_id} {escape_markdown(step.title)}"
        homes |= {step.step_id: heading, step.phase and step.phase.key: heading}

    def change(found: bytes | None) -> tuple[bytes | None, None]:
        document = found or _START
        for point in points:
            marker = ParkedMarker(step_id, point.turn, at)
            if not marker.stands_in(document):
                speaker = roster[point.speaker].title if point.speaker in roster else point.speaker
                who = "the user" if point.speaker == USER else escape_markdown(speaker)
                words = shorten_text(join_lines(point.words), _SUBJECT_LENGTH)
                subject = escape_in_bold(point.subject) or escape_in_bold(words) or "a point"
                said = f"({who}, step {step_id}, turn {point.turn}): {escape_markdown(point.words)}"
                home = homes.get(point.belongs_to, "Later")
                document = _add_bullet(document, home, f"- **{subject}** {said} {marker}")
        return document if points else None, None

    try:
        change_artifact(folder, PARKING_LOT, change, is_reserved=True)
    except RuleBroken as error:
        failed = f"Could not write {PARKING_LOT}: {reason_of(error)}."
        saved = "The file is as it was; the points are in the transcript."
        raise DiskFailed(failed, saved=saved, do=f"Correct the file. {AGAIN}") from error


def read_parked(folder: Path, step_id: str) -> tuple[str, ...]:
    """Return the points put off until this step, worded for the user; none if the file is unreadable."""
    return tuple(text for key, text in read_points(folder) if key == step_id)


def read_points(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield each point with the first word of its heading: the step it waits for, or `Later`."""
    key = ""
    for _, line in prose_lines(read_own_text(folder, PARKING_LOT)[0]):
        if heading := parse_heading(line):
            key = heading[1].split()[0] if heading[0] > 1 else ""
        bullet = _BULLET.fullmatch(line.rstrip()) if key else None
        text = _COMMENT.sub("", bullet["text"]).strip() if bullet else ""
        if point := _POINT.fullmatch(text):
            where = f"by {one_line(point['speaker'])} in the discussion of step {point['step']}"
            yield key, f"Put off until now, {where}: {one_line(unescape_markdown(point['subject']))}"
        elif text:
            yield key, f"Put off until now: {one_line(unescape_markdown(text))}"


def _add_bullet(document: bytes, heading: str, bullet: str) -> bytes:
    shape = read_outline(document)
    key = heading.partition(" ")[0]
    inner = (found for found in shape.sections if found.level > 1)
    section = next((found for found in inner if found.heading.split()[:1] == [key]), None)
    return insert_text(shape, find_end(shape, section), bullet if section else f"## {heading}\n\n{bullet}")
