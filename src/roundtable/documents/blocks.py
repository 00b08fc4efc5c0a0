"""What elaborations leave behind, read again: their blocks in documents, and their transcripts.

A block goes from its marker to the next one or to a heading that is not its own. A transcript says who said
what, and which turns each entry of the synthesis comes from.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache

from msgspec import Struct

from ..core import lazy_re as re
from ..core.errors import RuleBroken
from ..core.hearing import Part
from ..core.markers import ElaborationMarker, TranscriptMarker, mentions_elaboration, parse_marker
from ..core.synthesis import HEADINGS
from ..core.text import parse_heading, unescape_markdown
from .outline import find_block_end, prose_lines, read_outline

_TURNS = re.compile(
    r"\*\*Turns\*\*: (?P<turns>\d{1,4}) \| \*\*Exit\*\*: (?P<exit>user-initiated|turn-limit)"
    r"(?: \(unverified\))?(?: \| \*\*User\*\*: silent)?\s*"
)


class ElaborationBlock(Struct, frozen=True):
    """What follows a marker in a document; `line` is the marker's, `end` the one after the block."""

    file: str
    line: int
    end: int
    step_id: str
    timestamp: str
    lines: tuple[tuple[int, str], ...]

    @property
    def key(self) -> tuple[str, str]:
        return self.step_id, self.timestamp

    @property
    def turns(self) -> int | None:
        found = (_TURNS.fullmatch(line) for _, line in self.lines)
        return next((int(each["turns"]) for each in found if each), None)

    def entries(self) -> Iterator[tuple[int, str, str]]:
        """Yield what the block lists: the line, the heading above it, and the words as they are written."""
        part = ""
        for number, line in self.lines:
            if heading := parse_heading(line):
                part = heading[1]
            elif line.startswith(("- ", "* ")) and line[2:].strip().rstrip(".") != "None":
                yield number, part, line[2:].rstrip()


@lru_cache(maxsize=4)  # few: a document may have megabytes, and a server runs for long
def find_elaboration_blocks(name: str, text: str) -> tuple[ElaborationBlock, ...]:
    """Return the blocks of a document in their order; none of a text that is too long for a document."""
    if not mentions_elaboration(text):  # most do not, and need not be parsed
        return ()
    found: list[ElaborationBlock] = []
    with suppress(RuleBroken):
        shape = read_outline(text.encode("utf-8", "surrogatepass"))
        lines = tuple(prose_lines(text))
        starts = [*(piece.start for piece in shape.pieces), len(shape.document)]
        for at, piece in enumerate(shape.pieces):
            if isinstance(marker := piece.marker, ElaborationMarker) and marker.step_id:
                places = (starts[at], starts[find_block_end(shape.pieces, at)])
                line, end = (bisect_left(shape.lines, place) + 1 for place in places)
                own = lines[bisect_left(lines, (line + 1,)) : bisect_left(lines, (end,))]
                found.append(ElaborationBlock(name, line, end, marker.step_id, marker.at, own))
    return tuple(found)


def find_entries(
    documents: Mapping[str, str], part: Part = "decisions"
) -> Iterator[tuple[ElaborationBlock, int, str]]:
    """Yield what the blocks of the markdown documents list in a part, each with its block and line."""
    for name, text in documents.items():
        for block in find_elaboration_blocks(name, text) if name.lower().endswith(".md") else ():
            listed = block.entries()
            yield from ((block, at, words) for at, heading, words in listed if heading == HEADINGS[part])


# --- transcripts ---------------------------------------------------------------------------------------

_SPEAKER = re.compile(r"\*\*(?P<number>\d{1,4})\. (?P<speaker>.+)\*\*")
_ANCHOR = re.compile(r"<a id=\"turn-\d{1,4}\"></a>")
_LINK = re.compile(r"\[turn (?P<number>\d{1,4})\]\(#turn-\d{1,4}\)")
_SOURCES = re.compile(
    r" \((?P<sources>(?>(?:(?:, )?\[turn \d{1,4}\]\(#turn-\d{1,4}\))*)"
    r"(?:(?:, )?(?:added|edited) in the review)?)\)$"
)
_CREDIT = re.compile(r"\[(?P<who>[^\]\[]{1,200})\] ")
_TITLES = tuple(HEADINGS.values())
_INSIGHTS = HEADINGS["insights"]


class SpokenTurn(Struct, frozen=True):
    """One turn of a transcript: its number, who spoke, the words, and where it begins."""

    number: int
    speaker: str
    text: str
    line: int


class CitedEntry(Struct, frozen=True):
    """One entry of a transcript's synthesis: its part, its words as the block has them, and its turns."""

    part: str
    text: str
    turns: tuple[int, ...]
    review: str
    """What the user did to it in the review: `added`, `edited` or nothing."""
    line: int

    def is_written_as(self, bullet: str) -> bool:
        """Whether a list entry of a block is this one; the block leaves the detail of an insight out."""
        words = bullet.strip()
        return words == self.text or (
            self.part == _INSIGHTS and self.text.startswith(f"{words.rstrip('.')}: ")
        )


class TranscriptContent(Struct, frozen=True):
    """What a transcript holds; `step_id` is empty where the discussion was not on a step."""

    step_id: str
    timestamp: str
    turns: tuple[SpokenTurn, ...]
    entries: tuple[CitedEntry, ...]

    @property
    def key(self) -> tuple[str, str]:
        return self.step_id, self.timestamp

    @property
    def users_turns(self) -> dict[int, str]:
        """What the user said, by the number of the turn."""
        return {each.number: each.text for each in self.turns if each.speaker.partition(" (")[0] == "User"}

    def turn(self, number: int) -> SpokenTurn | None:
        """Return the turn of that number; None if there is none."""
        return next((each for each in self.turns if each.number == number), None)


def parse_transcript(text: str) -> TranscriptContent | None:
    """Return what a transcript holds; None where the text is not one of ours."""
    lines = text.split("\n")
    marker = parse_marker(lines[0])
    if not isinstance(marker, TranscriptMarker):
        return None
    turns: list[tuple[int, str, int]] = []
    spoken: list[list[str]] = []
    entries: list[CitedEntry] = []
    chapter = part = ""
    for number, line in enumerate(lines, 1):
        if heading := parse_heading(line):
            chapter = heading[1] if heading[0] == 2 else chapter
            part = heading[1] if heading[0] == 3 and chapter == "Synthesis" else ""
        elif chapter == "Discussion":
            if begins := _SPEAKER.fullmatch(line):
                turns.append((int(begins["number"]), unescape_markdown(begins["speaker"]), number))
                spoken.append([])
            elif spoken and not _ANCHOR.fullmatch(line) and not line.startswith("> - "):
                spoken[-1].append(unescape_markdown(line))
        elif part in _TITLES and line.startswith("- ") and line != "- None":
            entries.append(_read_entry(line[2:], part, number))
    said = tuple(
        SpokenTurn(turn, speaker, "\n".join(words).strip(), line)
        for (turn, speaker, line), words in zip(turns, spoken, strict=True)
    )
    return TranscriptContent(marker.step_id, marker.at, said, tuple(entries))


def _read_entry(bullet: str, part: str, number: int) -> CitedEntry:
    sources = _SOURCES.search(bullet)
    text = bullet[: sources.start()] if sources else bullet
    cited = sources["sources"] if sources else ""
    if part != _INSIGHTS and (credit := _CREDIT.match(text)):
        text = text[credit.end() :]
    review = next((each for each in ("added", "edited") if f"{each} in the review" in cited), "")
    turns = tuple(int(found["number"]) for found in _LINK.finditer(cited))
    return CitedEntry(part, text, turns, review, number)
