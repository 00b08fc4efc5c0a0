"""What a section is drafted from, and the parts it is made of: labelled answers, lists, tables, titles."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from ..core.commands import Answer, StepBrief
from ..core.steps import Target
from ..core.text import escape_markdown, find_code_end, fold_text, split_sentences, strip_unprintable
from ..core.validation import says_none
from .entries import split_lines, strip_punctuation
from .outline import CLOSING_SIGNS

NOTHING = "No answers were given."
OPEN_QUESTION = "- Open question: "

_IN_COMMENT = re.compile(r"[<>]|--+")
_LONGEST_TITLE = 90
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")
_OPENING = re.compile(r"^\s*(?P<fence>`{3,}|~{3,})\s*(?P<language>[\w+-]*)[^`]*$")


class DraftContext(Struct, frozen=True):
    """What a section is drafted from; `targets` are all the sections that the step writes."""

    brief: StepBrief
    target: Target
    targets: tuple[Target, ...]
    documents: Mapping[str, str]

    @property
    def answers(self) -> tuple[Answer, ...]:
        return self.brief.answers

    def text(self, label: str) -> str:
        """Return the words under a label; empty where they are not known."""
        return next((each.text for each in self.only(label) if not each.unknown), "")

    def only(self, *labels: str) -> tuple[Answer, ...]:
        """Return the answers under these labels, in the order of the labels."""
        return tuple(
            each for label in labels for each in self.answers if fold_text(each.label) == fold_text(label)
        )

    def without(self, *labels: str) -> tuple[Answer, ...]:
        """Return the answers under all other labels."""
        left_out = {fold_text(label) for label in labels}
        return tuple(each for each in self.answers if fold_text(each.label) not in left_out)


def join_section(*parts: Iterable[str]) -> str:
    """Join the parts of a section with blank lines; say so where there are none."""
    return "\n\n".join(text for part in parts for text in part if text) or NOTHING


def write_labelled(answers: Iterable[Answer]) -> tuple[str, ...]:
    """Write each answer that is known and says more than none, under its label."""
    return tuple(
        write_paragraph(answer.label, answer.text)
        for answer in answers
        if not answer.unknown and not says_none(answer.text)
    )


def write_answers(answers: Sequence[Answer]) -> str:
    """Write every answer under its label, then the open questions."""
    return join_section(write_labelled(answers), write_open_questions(answers))


def list_nones(answers: Iterable[Answer]) -> tuple[Answer, ...]:
    """Return the answers that say none or not applicable: given, but nothing to read in a document."""
    return tuple(answer for answer in answers if not answer.unknown and says_none(answer.text))


def write_nones(answers: Iterable[Answer]) -> str:
    """Write the labels of such answers where no reader sees them, so that they count as answered."""
    labels = (_IN_COMMENT.sub(" ", answer.label.replace("*", "")) for answer in answers)
    return f"<!-- None: {'; '.join(labels)} -->"


def write_paragraph(label: str, text: str) -> str:
    """Write the words after their label; several lines as a list below it, code as code."""
    head = f"**{escape_markdown(label.replace('*', ''))}**:"
    blocks = _split_blocks(text)
    if len(blocks) == 1 and len(blocks[0]) == 1:
        # A single line is not a list: a dash or number at its beginning belongs to the words.
        line = text.strip()
        first, _, rest = line.partition(":")
        is_repeated = rest.strip() and fold_text(first) == fold_text(label)
        return f"{head} {escape_markdown(rest.strip() if is_repeated else line)}"
    parts = [block if isinstance(block, str) else write_bullets(block) for block in blocks]
    return "\n\n".join([head, *parts])


def write_open_questions(answers: Iterable[Answer], more: Iterable[str] = ()) -> tuple[str, ...]:
    """Write the questions that nobody could answer as one list; nothing where there are none."""
    questions = [*(answer.question for answer in answers if answer.unknown), *more]
    entries = [write_open_question(question) for question in dict.fromkeys(questions)]
    return ("\n".join(entries),) if entries else ()


def write_open_question(question: str) -> str:
    """Write one open question as a list entry."""
    return f"{OPEN_QUESTION}{escape_markdown(question)}"


def write_bullets(entries: Iterable[str]) -> str:
    """Write a list of people's words."""
    return "\n".join(f"- {escape_markdown(entry)}" for entry in entries)


def write_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Write a table of people's words; nothing where there are no rows."""
    cells = [[write_cell(text) for text in row] for row in rows]
    lines = (f"| {' | '.join(row)} |" for row in (header, ["---"] * len(header), *cells))
    return ("\n".join(lines),) if cells else ()


def write_cell(text: str) -> str:
    """Write words as they can stand in a table."""
    return escape_markdown(text).replace("|", r"\|") or "-"


def write_csv(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a CSV table in which every cell is one line that no spreadsheet takes for a formula."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(header)
    for row in rows:
        lines = (" ".join(strip_unprintable(cell).split()) for cell in row)
        table.writerow([f"'{line}" if line.startswith(_FORMULA) else line for line in lines])
    return out.getvalue()


def write_title(text: str) -> str:
    """Write the beginning of a text as a heading can hold it: one sentence, no full stop at its end."""
    line = next(iter(split_lines(text)), "")
    if len(line) > _LONGEST_TITLE:
        line = split_sentences(line)[0]
    if len(line) > _LONGEST_TITLE:
        line = f"{line[:_LONGEST_TITLE].rsplit(' ', 1)[0]}…"
    return CLOSING_SIGNS.sub(r"\\\g<0>", escape_markdown(_strip_end(line))) or "Without words"


def is_title_enough(text: str) -> bool:
    """Whether the title says all that the text says."""
    return write_title(text) == escape_markdown(_strip_end(" ".join(split_lines(text))))


def capitalise(text: str) -> str:
    """Return the text with a capital letter at its beginning."""
    return text[:1].upper() + text[1:]


def _strip_end(line: str) -> str:
    return strip_punctuation(line).rstrip("!:！：").rstrip()


def _split_blocks(text: str) -> list[tuple[str, ...] | str]:
    """Return the text as runs of lines and, between them, fenced code as it stands."""
    blocks: list[tuple[str, ...] | str] = []
    held: list[str] = []
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        opening = _OPENING.match(lines[at])
        end = find_code_end(lines, at, opening["fence"]) if opening else at
        if opening and end > at + 1:
            # With a language, so that no linter finds fault with it.
            fence = f"{opening['fence']}{opening['language'] or 'text'}"
            code = "\n".join([fence, *lines[at + 1 : end], opening["fence"]])
            blocks += [split_lines("\n".join(held)), code]
            held, at = [], end + 1
        else:
            held.append(lines[at])
            at += 1
    blocks.append(split_lines("\n".join(held)))
    return [block for block in blocks if block] or [("",)]
