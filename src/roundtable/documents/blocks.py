"""Read what elaborations leave behind: their blocks in documents, and their transcripts.

A block goes from its marker to the next one or to a heading that is not its own. A transcript says who said
what, and which turns each entry of the synthesis comes from.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache

from msgspec import Struct

from ..core import lazy_re as re
from ..core.errors import RuleBroken
from ..core.hearing import Part
from ..core.markers import ElaborationMarker, TranscriptMarker, parse_marker
from ..core.steps import is_markdown
from ..core.synthesis import HEADINGS, LEAD_IN, NO_REASON, split_detail
from ..core.text import parse_heading, unescape_markdown
from .outline import find_block_end, prose_lines, read_outline


class _OfDiscussion(Struct, frozen=True):
    """Something that belongs to one discussion; `step_id` is empty if that was not on a step."""

    step_id: str
    timestamp: str

    @property
    def key(self) -> tuple[str, str]:
        return self.step_id, self.timestamp


class ElaborationBlock(_OfDiscussion, frozen=True):
    """The block after a marker in a document; `line` is the marker's, `end` the line after the block."""

    file: str
    line: int
    end: int
    lines: tuple[tuple[int, str], ...]


def read_entries(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str, str]]:
    """Yield the entries of lists: the line, the heading above it, and the words as written."""
    part = ""
    for number, line in lines:
        if heading := parse_heading(line):
            part = heading[1]
        elif line.startswith(("- ", "* ")) and line[2:].strip().rstrip(".") != "None":
            yield number, part, line[2:].rstrip()


@lru_cache(maxsize=4)  # few entries: a document may have megabytes, and a server runs for long
def find_elaboration_blocks(name: str, text: str) -> tuple[ElaborationBlock, ...]:
    """Return the blocks of a document in order; none if the text is too long for a document."""
    if f"<!-- {ElaborationMarker.form}" not in text:  # most texts have none, and need not be parsed
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
                found.append(ElaborationBlock(marker.step_id, marker.at, name, line, end, own))
    return tuple(found)


def find_entries(
    documents: Mapping[str, str], part: Part = "decisions"
) -> Iterator[tuple[ElaborationBlock, int, str]]:
    """Yield the entries that blocks in markdown documents list under a part, each with its block and line."""
    for name, text in documents.items():
        for block in find_elaboration_blocks(name, text) if is_markdown(name) else ():
            listed = read_entries(block.lines)
            yield from ((block, at, words) for at, heading, words in listed if heading == HEADINGS[part])


class DocumentPoint(Struct, frozen=True):
    """Something that the documents say, as markdown, with its source and its details."""

    text: str
    source: str
    details: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """Return all of it on one line, without markup."""
        said = f"{self.text}: {' '.join(self.details)}" if self.details else self.text
        return unescape_markdown(said.replace("**", ""))


DatedPoint = tuple[DocumentPoint, str]  # with the instant of its discussion; empty if there was none


def list_entries(documents: Mapping[str, str], part: Part = "decisions") -> dict[str, DatedPoint]:
    """Return the entries that discussions list under a part, each once, by their words."""
    return {
        words: (DocumentPoint(words, f"{at.file}:{line}, roundtable on step {at.step_id}"), at.timestamp)
        for at, line, words in find_entries(documents, part)
    }


def split_decision(entry: str) -> tuple[str, str, str]:
    """Return what an entry decides, then its reason and the question that it answers; both may be empty."""
    words = unescape_markdown(entry)
    lead_in = found[0] if (found := LEAD_IN.match(words)) else ""
    # A decision of a few words is quoted after the question that it answers.
    decision, mark, detail = words.removeprefix(lead_in).partition('": ' if '? "' in words else ": ")
    reason, asked = split_detail(detail)
    return f"{lead_in}{decision}{mark[:-2]}", "" if reason == NO_REASON else reason, asked


_SPEAKER = re.compile(r"\*\*(?P<number>\d{1,4})\. (?P<speaker>.+)\*\*")
_ANCHOR = re.compile(r"<a id=\"turn-\d{1,4}\"></a>")
_LINK = re.compile(r"\[turn (\d{1,4})\]\(#turn-\d{1,4}\)")
_CITED_ENTRY = re.compile(
    r"- (?P<words>.*?)(?: \((?P<sources>(?>(?:(?:, )?\[turn \d{1,4}\]\(#turn-\d{1,4}\))*)"
    r"(?:(?:, )?(?P<review>added|edited) in the review)?)\))?"
)
_CREDIT = re.compile(r"\[(?P<who>[^\]\[]{1,200})\] ")
_INSIGHTS = HEADINGS["insights"]


class SpokenTurn(Struct, frozen=True):
    """One turn of a transcript: its number, who spoke, the words, and the line where it begins."""

    number: int
    speaker: str
    text: str
    line: int


class CitedEntry(Struct, frozen=True):
    """One entry of a synthesis: part, words as in the block, turns, and `added` or `edited` in the review."""

    part: str
    text: str
    turns: tuple[int, ...]
    review: str
    line: int

    def is_written_as(self, bullet: str) -> bool:
        """Whether a list entry of a block is this one; the block leaves out the detail of an insight."""
        words = bullet.strip()
        is_insight = self.part == _INSIGHTS and self.text.startswith(f"{words.rstrip('.')}: ")
        return words == self.text or is_insight


class TranscriptContent(_OfDiscussion, frozen=True):
    """What a transcript holds."""

    turns: tuple[SpokenTurn, ...]
    entries: tuple[CitedEntry, ...]


def parse_transcript(text: str) -> TranscriptContent | None:
    """Return what a transcript holds; None if the text is not one of ours."""
    lines = text.split("\n")
    marker = parse_marker(lines[0])
    if not isinstance(marker, TranscriptMarker):
        return None
    turns: list[tuple[int, str, list[str], int]] = []
    entries: list[CitedEntry] = []
    chapter = part = ""
    for number, line in enumerate(lines, 1):
        if heading := parse_heading(line):
            chapter = heading[1] if heading[0] == 2 else chapter
            part = heading[1] if heading[0] == 3 and chapter == "Synthesis" else ""
        elif chapter == "Discussion":
            if begins := _SPEAKER.fullmatch(line):
                speaker = unescape_markdown(begins["speaker"])
                turns.append((int(begins["number"]), speaker, [], number))
            elif turns and not _ANCHOR.fullmatch(line) and not line.startswith("> - "):
                turns[-1][2].append(unescape_markdown(line))
        elif part in HEADINGS.values() and line != "- None" and (entry := _CITED_ENTRY.fullmatch(line)):
            words, sources, review = entry.groups("")
            if part != _INSIGHTS and (credit := _CREDIT.match(words)):
                words = words[credit.end() :]
            entries.append(CitedEntry(part, words, tuple(map(int, _LINK.findall(sources))), review, number))
    said = tuple(SpokenTurn(at, who, "\n".join(words).strip(), line) for at, who, words, line in turns)
    return TranscriptContent(marker.step_id, marker.at, said, tuple(entries))
