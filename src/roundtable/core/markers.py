"""The comments that mark what we wrote in a document. They are written and read here and nowhere else.

`str(marker)` writes one, `parse_marker` reads one: a comment that is all of its line, exactly as we write it.
What merely resembles a marker marks nothing; the two functions at the end are for such comments. The comments
that people write for themselves are no business of this module.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from . import lazy_re as re

_IN_COMMENT = re.compile(r"[<>]|--+")
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")


class Marker(Struct, frozen=True):
    """A comment of ours."""

    def stands_in(self, document: bytes) -> bool:
        """Whether the document holds this very comment, wherever."""
        return str(self).encode() in document


class _MomentMarker(Marker, frozen=True):
    """Says which step something belongs to, and when it was said."""

    kind: ClassVar[str]
    step_id: str
    at: str

    def __str__(self) -> str:
        return f"<!-- {self.kind}: {f'step {self.step_id}, ' if self.step_id else ''}{self.at} -->"

    @property
    def is_dated(self) -> bool:
        """Whether the moment is an instant, as we write it."""
        return _INSTANT.fullmatch(self.at) is not None


class ElaborationMarker(_MomentMarker, frozen=True):
    """Stands before the block of an elaboration (ART-4); one on a document has no step (MENU-8)."""

    kind: ClassVar[str] = "Elaboration"


class FeedbackMarker(_MomentMarker, frozen=True):
    """Stands before what the user said at the menu."""

    kind: ClassVar[str] = "Feedback"


class TranscriptMarker(_MomentMarker, frozen=True):
    """The first line of a transcript; one of a discussion on a document has no step (MENU-8)."""

    kind: ClassVar[str] = "Transcript"


class ParkedMarker(Marker, frozen=True):
    """Ends a line of the parking lot, so that the same point is parked once (FOCUS-2)."""

    step_id: str
    turn: int
    at: str

    def __str__(self) -> str:
        return f"<!-- Parked: step {self.step_id}, turn {self.turn}, {self.at} -->"


class StepMarker(Marker, frozen=True):
    """Stands before a step's own text and vouches for it: an edit of the text breaks the digest (STEP-5)."""

    step_id: str
    length: int
    digest: str

    def __str__(self) -> str:
        return f"<!-- Step {self.step_id}: {self.length} characters, {self.digest} -->"


class NoneMarker(Marker, frozen=True):
    """The labels of the answers that say none: they count as answered, and no reader sees them."""

    labels: tuple[str, ...]

    def __str__(self) -> str:
        return f"<!-- None: {'; '.join(_IN_COMMENT.sub(' ', label) for label in self.labels)} -->"


class WithdrawnMarker(Marker, frozen=True):
    """What earlier versions wrote of an id that is no longer in use."""

    words: str

    def __str__(self) -> str:
        return f"<!-- Withdrawn: {self.words} -->"


class EnrichmentMarker(Marker, frozen=True):
    """What earlier versions wrote before the block of an elaboration."""

    words: str

    def __str__(self) -> str:
        return f"<!-- Elaboration enrichment {self.words} -->"


class EndMarker(Marker, frozen=True):
    """Stands between an addition and a list or indented text, which would join the addition's last list."""

    def __str__(self) -> str:
        return "<!-- End of addition -->"


_COMMENT = re.compile(r" {0,3}<!-- (?P<kind>[A-Z][a-z]++)(?P<words>[^<>\n]*) -->\s*")
_MOMENT = re.compile(r": (?:step (?P<step>\S+), )?(?P<at>\S+)")
_STEP = re.compile(r" (?P<step>\S+): (?P<length>\d{1,9}) characters, (?P<digest>[0-9a-f]{8})")
_ENRICHMENT = re.compile(r" enrichment (?P<words>\(step [^)]+\).*)")


def parse_marker(line: str) -> Marker | None:
    """Return the marker that is all of a line, but for three blanks before it and any after; else None."""
    comment = _COMMENT.fullmatch(line) if "<!-- " in line else None
    if comment is None:
        return None
    kind, words = comment["kind"], comment["words"]
    match kind:
        case "Step" if step := _STEP.fullmatch(words):
            return StepMarker(step["step"], int(step["length"]), step["digest"])
        case "None" | "Withdrawn" if words.startswith(": "):
            listed = words.removeprefix(": ")
            return NoneMarker(tuple(listed.split("; "))) if kind == "None" else WithdrawnMarker(listed)
        case "End" if words == " of addition":
            return EndMarker()
        case "Elaboration" if old := _ENRICHMENT.fullmatch(words):
            return EnrichmentMarker(old["words"])
        case "Elaboration" | "Feedback" | "Transcript" if moment := _MOMENT.fullmatch(words):
            step_id, at = moment["step"] or "", moment["at"]
            if kind == "Feedback":
                return FeedbackMarker(step_id, at) if step_id else None
            return (ElaborationMarker if kind == "Elaboration" else TranscriptMarker)(step_id, at)
    return None


def strip_markers(text: str, *kinds: type[Marker]) -> str:
    """Return the text without the markers of these kinds, each with its line and the blank line after it."""
    kept: list[str] = []
    is_after = False
    for line in text.split("\n"):
        is_marker = isinstance(parse_marker(line), kinds)
        if not is_marker and (line.strip() or not is_after):
            kept.append(line)
        is_after = is_marker
    return "\n".join(kept)


def mentions_elaboration(text: str) -> bool:
    """Whether a text can hold the marker of an elaboration, in code or elsewhere."""
    return "<!-- Elaboration: " in text


# What resembles a marker

_ELABORATION_START = re.compile(
    r" {0,3}<!-- Elaboration(?:: (?:step |\d{4}-)| enrichment \(step )", re.IGNORECASE
)
_MEANT = re.compile(r"<!--+\s*(?P<kind>step|elaboration|feedback)\b", re.IGNORECASE)


def begins_like_elaboration(comment: str) -> bool:
    """Whether a comment was a marker before an elaboration, however it was edited since.

    What stands behind such a comment is still not a section that anything is added to (ART-3).
    """
    return _ELABORATION_START.match(comment) is not None


def begins_like_feedback(line: str) -> bool:
    """Whether a line was a marker before feedback, however it was edited since: no answer follows it."""
    return line.lstrip().startswith("<!-- Feedback:") and line.rstrip().endswith("-->")


def begins_like_section(comment: str) -> bool:
    """Whether a comment was a marker of ours below the heading of a section, however it was edited since."""
    return comment.lstrip().startswith(("<!-- Step ", "<!-- Feedback: step "))


def find_malformed_marker(line: str) -> str:
    """Return the kind of marker, in small letters, that a line fails to be; empty where nothing is wrong."""
    meant = _MEANT.search(line)
    if meant is None:
        return ""
    marker = parse_marker(line)
    is_sound = marker.is_dated if isinstance(marker, _MomentMarker) else marker is not None
    return "" if is_sound else meant["kind"].lower()
