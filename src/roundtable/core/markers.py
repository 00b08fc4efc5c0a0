"""The comments that mark what we wrote in a document. Only this module writes and reads them.

`str(marker)` writes a marker. `parse_marker` reads one that is alone on its line, exactly as we write it.
A comment that only resembles a marker marks nothing; the functions at the end are for such comments.
Comments that people write for themselves are ignored.
"""

from typing import ClassVar

from msgspec import Struct, convert
from msgspec.structs import astuple

from . import lazy_re as re

_IN_COMMENT = re.compile(r"[<>]|--+")
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")


class Marker(Struct, frozen=True):
    """One of our comments; `form` is its template."""

    form: ClassVar[str]

    def __str__(self) -> str:
        return f"<!-- {self.form.format(*astuple(self))} -->"

    def stands_in(self, document: bytes) -> bool:
        """Whether the document holds exactly this comment, anywhere."""
        return str(self).encode() in document


class _MomentMarker(Marker, frozen=True):
    """Says which step something belongs to, if any, and when it was said."""

    step_id: str
    at: str

    def __str__(self) -> str:
        return f"<!-- {self.form}: {f'step {self.step_id}, ' if self.step_id else ''}{self.at} -->"


class ElaborationMarker(_MomentMarker, frozen=True):
    form = "Elaboration"  # before the block of an elaboration (ART-4); some documents have no step (MENU-8)


class FeedbackMarker(_MomentMarker, frozen=True):
    form = "Feedback"  # before what the user said at the menu


class TranscriptMarker(_MomentMarker, frozen=True):
    form = "Transcript"  # the first line of a transcript


class ParkedMarker(Marker, frozen=True):
    form = "Parked: step {}, turn {}, {}"  # ends a line of the parking lot, so that no point is parked twice
    step_id: str
    turn: int
    at: str


class StepMarker(Marker, frozen=True):
    """Comes before a step's own text and vouches for it: an edited text does not fit the digest (STEP-5)."""

    form = "Step {}: {} characters, {}"
    step_id: str
    length: int
    digest: str


class NoneMarker(Marker, frozen=True):
    """The labels of the answers that say "none": they count as answered, but are not shown."""

    labels: tuple[str, ...]

    def __str__(self) -> str:
        return f"<!-- None: {'; '.join(_IN_COMMENT.sub(' ', label) for label in self.labels)} -->"


class EnrichmentMarker(Marker, frozen=True):
    form = "Elaboration enrichment {}"  # what seed 001 put before the block of an elaboration
    words: str


class EndMarker(Marker, frozen=True):
    form = "End of addition"  # before a list or indented text, which would join the addition's last list


_COMMENT = re.compile(r" {0,3}<!-- (?P<words>[A-Z][^<>\n]*) -->\s*")
_MOMENT, _LENGTH = r": (?:step (?P<step_id>\S+), )?(?P<at>\S+)", r"(?P<length>\d{1,9})"
_READ: tuple[tuple[type[Marker], re.Pattern[str]], ...] = (
    (StepMarker, re.compile(rf"Step (?P<step_id>\S+): {_LENGTH} characters, (?P<digest>[0-9a-f]{{8}})")),
    (NoneMarker, re.compile(r"None: (?P<labels>.*)")),
    (EndMarker, re.compile(r"End of addition")),
    (EnrichmentMarker, re.compile(r"Elaboration enrichment (?P<words>\(step [^()]+\).*)")),
    (ElaborationMarker, re.compile(rf"Elaboration{_MOMENT}")),
    (FeedbackMarker, re.compile(r"Feedback: step (?P<step_id>\S+), (?P<at>\S+)")),
    (TranscriptMarker, re.compile(rf"Transcript{_MOMENT}")),
)


def parse_marker(line: str) -> Marker | None:
    """Return the marker that fills a line, with up to three blanks before it and any after; else None."""
    comment = _COMMENT.fullmatch(line) if "<!-- " in line else None
    for kind, pattern in _READ if comment else ():
        if comment and (found := pattern.fullmatch(comment["words"])):
            fields = found.groupdict("")
            if kind is NoneMarker:
                return NoneMarker(tuple(fields["labels"].split("; ")))
            return convert(fields, kind, strict=False)
    return None


def strip_markers(text: str, *kinds: type[Marker]) -> str:
    """Return the text without the markers of these kinds, their lines, and a blank line after each."""
    kept, is_after = list[str](), False
    for line in text.split("\n"):
        is_marker = isinstance(parse_marker(line), kinds)
        if not is_marker and (line.strip() or not is_after):
            kept.append(line)
        is_after = is_marker
    return "\n".join(kept)


# --- comments that were markers before somebody edited them ---------------------------------------------

_ELABORATION_START = re.compile(
    r" {0,3}<!-- Elaboration(?:: (?:step |\d{4}-)| enrichment \(step )", re.IGNORECASE
)
_MEANT = re.compile(r"<!--+\s*(?P<kind>step|elaboration|feedback)\b", re.IGNORECASE)


def begins_like_elaboration(comment: str) -> bool:
    """Whether a comment marked an elaboration: the text after it takes no additions (ART-3)."""
    return _ELABORATION_START.match(comment) is not None


def begins_like_feedback(line: str) -> bool:
    """Whether a line marked feedback: no answer follows it."""
    return line.lstrip().startswith("<!-- Feedback:") and line.rstrip().endswith("-->")


def begins_like_section(comment: str) -> bool:
    """Whether a comment was a marker below the heading of a section."""
    return comment.lstrip().startswith(("<!-- Step ", "<!-- Feedback: step "))


def find_malformed_marker(line: str) -> str:
    """Return the kind of a malformed marker in a line, in lower case; empty if nothing is wrong."""
    meant, marker = _MEANT.search(line), parse_marker(line)
    is_sound = _INSTANT.fullmatch(marker.at) if isinstance(marker, _MomentMarker) else marker
    return meant["kind"].lower() if meant and not is_sound else ""
