"""A sheet: one section to be written, with the answers and the documents it is written from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..core.commands import Answer, StepBrief
from ..core.steps import Target
from ..core.text import escape_markdown, fold_text
from .entries import strip_punctuation, split_inline_list, split_lines, split_sentences
from .ids import KnownId


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a section is written from; `targets` are all the sections that the step writes."""

    brief: StepBrief
    target: Target
    targets: tuple[Target, ...]
    documents: Mapping[str, str]

    @property
    def answers(self) -> tuple[Answer, ...]:
        return self.brief.answers

    def answer(self, label: str) -> Answer | None:
        """The answer under a label; None where it is not known."""
        same = (
            each for each in self.answers if fold_text(each.label) == fold_text(label) and not each.unknown
        )
        return next(same, None)

    def text(self, label: str) -> str:
        """The words under a label; empty where they are not known."""
        answer = self.answer(label)
        return answer.text if answer else ""

    def only(self, *labels: str) -> tuple[Answer, ...]:
        """The answers under these labels, in the order of the labels."""
        return tuple(
            each for label in labels for each in self.answers if fold_text(each.label) == fold_text(label)
        )

    def without(self, *labels: str) -> tuple[Answer, ...]:
        """The answers under all other labels."""
        left_out = {fold_text(label) for label in labels}
        return tuple(each for each in self.answers if fold_text(each.label) not in left_out)

    def writes(self, output: str) -> bool:
        """True where the step writes to that file as well."""
        return any(target.output == output for target in self.targets)

    @property
    def document(self) -> str:
        """The present text of the file that the section is in."""
        return self.documents.get(self.target.output, "")


NOTHING = "No answers were given."
WORDLESS = "Without words"

_LONGEST_TITLE = 90
_OPENING = re.compile(r"^\s*(?P<fence>`{3,}|~{3,})\s*(?P<language>[\w+-]*)[^`]*$")
_CLOSING_SIGNS = re.compile(r"(?:(?<![\\#])|(?<=\\#))#+$")


def said(text: str) -> str:
    """Return the words of a person on one line, as they were typed."""
    return escape_markdown(text)


def paragraph(label: str, text: str) -> str:
    """The words after their label; several lines as a list below it, code as code."""
    head = f"**{escape_markdown(label.replace('*', ''))}**:"
    blocks = [_itemised(block) for block in _blocks(text)]
    match blocks:
        case [tuple((_,))]:
            # A single line is no list: a dash or number at its beginning belongs to the words.
            return f"{head} {show_words(_unlabelled(label, text.strip()))}"
        case _:
            parts = (
                block if isinstance(block, str) else write_bullets(map(show_words, block)) for block in blocks
            )
            return "\n\n".join([head, *parts])


def labelled(answers: Iterable[Answer]) -> tuple[str, ...]:
    """Each answer that is known, under its label."""
    return tuple(write_paragraph(answer.label, answer.text) for answer in answers if not answer.unknown)


def open_questions(answers: Iterable[Answer], more: Iterable[str] = ()) -> tuple[str, ...]:
    """The questions that nobody could answer, as one list; nothing where there are none."""
    questions = [*(answer.question for answer in answers if answer.unknown), *more]
    entries = [write_open_question(question) for question in dict.fromkeys(questions)]
    return ("\n".join(entries),) if entries else ()


def open_question(question: str) -> str:
    """One open question, as a list entry."""
    return f"- Open question: {show_words(question)}"


def withdrawn(gone: Iterable[KnownId]) -> tuple[str, ...]:
    """The ids that are no longer in use, as one list; nothing where there are none."""
    entries = [f"- Withdrawn: {entry.id}, {write_title(entry.text)}" for entry in gone]
    return ("\n".join(entries),) if entries else ()


def section(*parts: Iterable[str]) -> str:
    """The parts of a section, set apart by blank lines; what is said where there is nothing."""
    return "\n\n".join(text for part in parts for text in part if text) or NOTHING


def bullets(entries: Iterable[str]) -> str:
    """A list of texts that are harmless."""
    return "\n".join(f"- {entry}" for entry in entries)


def numbered(entries: Iterable[str]) -> str:
    """A numbered list of texts that are harmless."""
    return "\n".join(f"{number}. {entry}" for number, entry in enumerate(entries, 1))


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of words of persons."""
    lines = [
        _row(header),
        _row(["---"] * len(header)),
        *(_row([write_cell(text) for text in row]) for row in rows),
    ]
    return "\n".join(lines)


def cell(text: str) -> str:
    """Words as they can stand in a table."""
    return show_words(text).replace("|", r"\|") or "-"


def title(text: str) -> str:
    """The beginning of a text, as a heading can hold it: one sentence, no full stop at its end."""
    lines = split_lines(text)
    line = lines[0] if lines else ""
    if len(line) > _LONGEST_TITLE:
        line = split_sentences(line)[0]
    if len(line) > _LONGEST_TITLE:
        line = f"{line[:_LONGEST_TITLE].rsplit(' ', 1)[0]}…"
    return _CLOSING_SIGNS.sub(r"\\\g<0>", show_words(_without_end(line))) or WORDLESS


def capital(text: str) -> str:
    """The text with a capital letter at its beginning."""
    return text[:1].upper() + text[1:]


def is_whole(text: str) -> bool:
    """True where the title says all that the text says."""
    return write_title(text) == show_words(_without_end(" ".join(split_lines(text))))


def _unlabelled(label: str, line: str) -> str:
    """The line without the label where the words repeat it."""
    first, colon, rest = line.partition(":")
    return rest.strip() if colon and rest.strip() and fold_text(first) == fold_text(label) else line


def _without_end(line: str) -> str:
    return strip_punctuation(line).rstrip("!:！：").rstrip()


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _blocks(text: str) -> list[tuple[str, ...] | str]:
    """The text as runs of lines and, between them, fenced code as it stands."""
    blocks: list[tuple[str, ...] | str] = []
    held: list[str] = []
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        end = _end_of_code(lines, at)
        if end is None:
            held.append(lines[at])
            at += 1
        else:
            blocks += [split_lines("\n".join(held)), _code(lines[at : end + 1])]
            held, at = [], end + 1
    blocks.append(split_lines("\n".join(held)))
    return [block for block in blocks if block] or [("",)]


def _code(lines: Sequence[str]) -> str:
    """Fenced code with a language, so that no linter finds fault with it."""
    opening = _OPENING.match(lines[0])
    assert opening is not None
    return "\n".join([f"{opening['fence']}{opening['language'] or 'text'}", *lines[1:-1], opening["fence"]])


def _itemised(block: tuple[str, ...] | str) -> tuple[str, ...] | str:
    """A single line that is a list in itself as the entries of that list."""
    return (split_inline_list(block[0]) or block) if isinstance(block, tuple) and len(block) == 1 else block


def _end_of_code(lines: Sequence[str], at: int) -> int | None:
    """The line that closes the code which opens at a line; None where none opens or it stays open."""
    opening = _OPENING.match(lines[at])
    if not opening:
        return None
    fence = opening["fence"]
    closing = re.compile(rf"\s*{fence[0]}{{{len(fence)},}}\s*")
    end = next((later for later in range(at + 1, len(lines)) if closing.fullmatch(lines[later])), None)
    return end if end is not None and end > at + 1 else None
