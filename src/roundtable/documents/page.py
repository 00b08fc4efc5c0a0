"""What a section is drafted from, how answers are split, and how the parts of a section are written.

Answers are split into lines, entries and statements; sections hold labels, lists, tables and titles.
"""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from msgspec import Struct

from ..core import lazy_re as re
from ..core.commands import Answer, StepBrief
from ..core.steps import Target
from ..core.synthesis import UNVERIFIED, mark_like, strip_mark
from ..core.text import escape_markdown, find_code_end, fold_text, split_sentences, strip_unprintable_values
from ..core.validation import says_none
from .outline import CLOSING_SIGNS

NOTHING = "No answers were given."
OPEN_QUESTION = "- Open question: "

_LONGEST_TITLE = 90
_FENCE = re.compile(r"^\s*(?P<fence>`{3,}|~{3,})\s*(?P<language>[\w+-]*)[^`]*$")
_INDENTED = re.compile(r"(?:\t|  )(?!\s*+(?:[-+*•]|\d{1,3}[.)])\s)\s*+\S")
_CODE_SIGN = re.compile(r"\w\(|[=!<>]=|\s=\s|[{};(\[]$|:\d+\)?$", re.MULTILINE)
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")


class DraftContext(Struct, frozen=True):
    """What a section of a step is drafted from."""

    brief: StepBrief
    target: Target
    documents: Mapping[str, str]

    def text(self, label: str) -> str:
        """Return the words under a label; empty if they are not known."""
        return next((each.text for each in self.only(label) if not each.unknown), "")

    def only(self, *labels: str) -> tuple[Answer, ...]:
        """Return the answers under these labels."""
        wanted = {fold_text(label) for label in labels}
        return tuple(each for each in self.brief.answers if fold_text(each.label) in wanted)

    def without(self, *labels: str) -> tuple[Answer, ...]:
        """Return the answers under all other labels."""
        left_out = self.only(*labels)
        return tuple(each for each in self.brief.answers if each not in left_out)


def join_section(*parts: Iterable[str]) -> str:
    """Join the parts of a section with blank lines; if there are none, say so."""
    return "\n\n".join(text for part in parts for text in part if text) or NOTHING


def write_answers(answers: Sequence[Answer], *before: Iterable[str], more: Iterable[str] = ()) -> str:
    """Write what is in `before`, then every answer under its label, then the open questions."""
    return join_section(*before, write_labelled(answers), write_open_questions(answers, more))


def write_labelled(answers: Iterable[Answer]) -> tuple[str, ...]:
    """Write each answer under its label, unless it is unknown or says "none"."""
    known = (answer for answer in answers if not answer.unknown and not says_none(answer.text))
    return tuple(write_paragraph(answer.label, answer.text) for answer in known)


def write_paragraph(label: str, text: str, *, is_exact: bool = False) -> str:
    """Write the text after its label, lines as a list, code as code; `is_exact` keeps their numbers."""
    head = f"**{escape_markdown(label.replace('*', ''))}**:"
    if len(text.strip().splitlines()) < 2:
        # A single line is not a list: a dash or number at its beginning belongs to the words.
        return f"{head} {escape_markdown(text)}"
    lines, mark = text.strip("\n").splitlines(), _DASH if is_exact else _MARK
    if _is_code(lines):
        return "\n\n".join([head, *_write_code("```text", lines, "```")])
    blocks, entries, at = [head], list[str](), 0
    while at < len(lines):
        start, opening = at, _FENCE.match(lines[at])
        end = find_code_end(lines, start, opening["fence"]) if opening else start
        at = start + 1
        if opening and end > at:
            # With a language, so that no linter complains.
            first = f"{opening['fence']}{opening['language'] or 'text'}"
            blocks += [write_bullets(entries), *_write_code(first, lines[at:end], opening["fence"])]
            entries, at = [], end + 1
        elif lines[start].strip():
            entries.append(mark.sub("", lines[start], count=1))
    return "\n\n".join(filter(None, [*blocks, write_bullets(entries)]))


def _write_code(first: str, lines: Sequence[str], last: str) -> list[str]:
    """Write code as it is; a mark in it moves below it."""
    code = "\n".join((first, *lines, last))
    return [strip_mark(code), *([f"- {UNVERIFIED}"] if UNVERIFIED in code else [])]


def _is_code(lines: Sequence[str]) -> bool:
    """Whether a line outside a list is indented, has a sign of code in it or above, and no line is fenced."""
    pairs = (each for each in pairwise(("", *lines)) if _INDENTED.match(each[1]) and not _MARK.match(each[0]))
    return not any(map(_FENCE.match, lines)) and any(_CODE_SIGN.search("\n".join(each)) for each in pairs)


def write_open_questions(answers: Iterable[Answer], more: Iterable[str] = ()) -> tuple[str, ...]:
    """Write the questions that nobody could answer as one list; nothing if there are none."""
    questions = [*(answer.question for answer in answers if answer.unknown), *more]
    return ("\n".join(map(write_open_question, dict.fromkeys(questions))),) if questions else ()


def write_open_question(question: str) -> str:
    """Write one open question as a list entry."""
    return f"{OPEN_QUESTION}{escape_markdown(question)}"


def write_bullets(entries: Iterable[str]) -> str:
    """Write a list of people's words."""
    return "\n".join(f"- {escape_markdown(entry)}" for entry in entries)


def write_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Write a table of people's words; nothing if there are no rows."""
    cells = [[escape_markdown(text).replace("|", r"\|") or "-" for text in row] for row in rows]
    lines = (f"| {' | '.join(row)} |" for row in (header, ["---"] * len(header), *cells))
    return ("\n".join(lines),) if cells else ()


def write_csv(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a CSV table in which every cell is one line that no spreadsheet takes for a formula."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(header)
    for row in rows:
        lines = (" ".join(cell.split()) for cell in strip_unprintable_values(row))
        table.writerow([f"'{line}" if line.startswith(_FORMULA) else line for line in lines])
    return out.getvalue()


def write_json(content: Any) -> str:
    """Write JSON data, without unprintable characters."""
    return json.dumps(strip_unprintable_values(content), ensure_ascii=False, indent=2) + "\n"


def write_title(text: str) -> str:
    """Write the beginning of a text as a heading can hold it: one sentence, no full stop at its end."""
    line = next(iter(split_lines(text)), "")
    if len(line) > _LONGEST_TITLE:
        line = split_sentences(line)[0]
    if len(line) > _LONGEST_TITLE:
        line = f"{line[:_LONGEST_TITLE].rsplit(' ', 1)[0]}…"
    title = CLOSING_SIGNS.sub(r"\\\g<0>", escape_markdown(strip_end(line)))
    return mark_like(text, title) or "Without words"


def capitalise(text: str) -> str:
    """Return the text with a capital letter at its beginning."""
    return text[:1].upper() + text[1:]


def strip_end(line: str) -> str:
    """Return a line without the final signs that a title does not have."""
    return strip_punctuation(line).rstrip("!:！：").rstrip()


# --- splitting an answer --------------------------------------------------------------------------------

MAX_ENTRIES = 60  # more are not a list but a document: it stays in one piece

_MARK = re.compile(r"^\s*(?:[-+*•]|\d{1,3}[.)])\s+")
_DASH = re.compile(r"^\s*- ")
_NUMBER = re.compile(r"(?:^|\s)\d{1,2}[.)]$")
_NUMBERED = re.compile(r"(?:^|\s)(\d{1,2})[.)]\s")
# Text in quotes, brackets or code is never cut.
_CLOSED = re.compile(
    r"`[^`\n]*`|\"[^\"\n]*\"|“[^“”\n]*”|„[^„“”\n]*[“”]|「[^「」\n]*」|\([^()\n]*\)|\[[^\[\]\n]*\]|\{[^{}\n]*\}"
)
_SEMICOLON = re.compile("[;；]")
# A tick, a thumb or ++ says something too; signs that make lists, code, tables and ends of sentences do not.
_SAYS_SOMETHING = re.compile(r"[^\s.!?:;。！？；…`~*_=|#>+-]|\+{2}")
_GIVEN = re.compile(r"(?:\S{1,12} )?given\b", re.IGNORECASE)
_TAKES_UP = re.compile(
    r"(?i)(?:it|its|this|that|these|those|they|their|he|she|there|so|then|when|and|but|or|otherwise|because|also|both"
    r"|the same|such|not|only|\(assumed)\b"
)
# Semicolons separate a list before an id, between scenarios, or between three or more whole clauses.
_BEFORE_ID = re.compile(r"[;；]\s{0,9}(?=(?:FR|AC)-[\d-]{3,12}:)")
_SCENARIO = re.compile(r"(?i)given\b.*\bthen\b.*")
_CLAUSE = re.compile(r"(?i)(?:[\w'’-]+ ){1,4}?(?:can|may|must|should|will|are|have|[a-z]+s) [^:=]+")


def split_lines(text: str) -> tuple[str, ...]:
    """Return the lines that are not blank, without their list marks."""
    return tuple(_MARK.sub("", line, count=1).strip() for line in text.splitlines() if line.strip())


def join_lines(text: str) -> str:
    """Return the text on one line."""
    return " ".join(split_lines(text))


def list_entries(text: str) -> tuple[str, ...]:
    """Return the entries of a list whose lines all have list marks; else the text as one, if it has words."""
    lines = [line for line in text.splitlines() if line.strip()]
    is_list = len(lines) <= MAX_ENTRIES and all(map(_MARK.match, lines))
    return split_lines(text) if is_list and len(lines) > 1 else tuple(filter(None, [text]))


def split_statements(text: str) -> tuple[str, ...]:
    """Return the requirements or criteria in a text, by line or, in a single line, by number or sentence.

    A sentence that refers to the one before belongs to it, and so does such a line below a Given. Semicolons
    separate only a list whose parts are complete.
    """
    lines = split_lines(text)
    before, *counted = _NUMBERED.split(text.strip()) if len(lines) == 1 else ("", "")
    numbers = [str(each) for each in range(1, len(counted) // 2 + 1)]
    if len(numbers) > 1 and not before and counted[::2] == numbers:
        lines = tuple(counted[1::2])
    are_sentences = len(lines) == 1
    found: list[str] = []
    for line in split_outside_quotes(lines[0], _split_line) if are_sentences else lines:
        is_numbered = are_sentences and found and _NUMBER.search(found[-1][-6:])
        if is_numbered or (found and _TAKES_UP.match(line) and (are_sentences or _GIVEN.match(found[-1]))):
            found[-1] += f"{' ' if found[-1].endswith(tuple(',.;!?。！？')) else ', '}{line}"
        else:
            found.append(line)
    return tuple(found) if len(found) <= MAX_ENTRIES else (join_lines(text),)


def _split_line(line: str) -> Iterator[str]:
    for sentence in split_sentences(line):
        listed = [part.strip() for part in _SEMICOLON.split(sentence)]
        are_clauses = all(_CLAUSE.fullmatch(part) and not _TAKES_UP.match(part) for part in listed)
        if (are_clauses and len(listed) > 2) or all(map(_SCENARIO.fullmatch, listed)):
            yield from listed
        else:
            yield from _BEFORE_ID.split(sentence)


def mark_answer(text: str) -> str:
    """Return an answer in which every line, entry and sentence is marked, however it is split later (ART-8).

    Any marks that it has are dropped first.
    """
    marked = []
    for line in strip_mark(text).splitlines():
        hidden, start, pieces = _hide_quotes(line), 0, list[str]()
        ends = {found.start() for sign in (_SEMICOLON, _NUMBERED) for found in sign.finditer(hidden)}
        for sentence in split_sentences(hidden):
            start = hidden.index(sentence, start) + len(sentence)
            ends |= set() if _NUMBER.search(sentence) else {start - len(sentence) + _length(sentence)}
        start = 0
        for end in (*sorted(ends), _length(line)):
            piece, start = line[start:end], max(start, end)
            pieces.append(f"{piece} {UNVERIFIED}" if _SAYS_SOMETHING.search(piece) else piece)
        marked.append("".join((*pieces, line[start:])))
    return "\n".join(marked)


def _length(sentence: str) -> int:
    return len(sentence.rstrip(" \t.!?:。！？"))


def strip_punctuation(text: str) -> str:
    """Return the text without its final punctuation."""
    return text.strip().rstrip(".;,。；、").rstrip()


def split_outside_quotes(text: str, split: Callable[[str], Iterable[str]]) -> tuple[str, ...]:
    """Return the pieces that `split` finds; text in quotes, brackets and code stays whole."""
    hidden = _hide_quotes(text)
    pieces: list[str] = []
    at = 0
    for piece in split(hidden):
        at = hidden.index(piece, at)
        pieces.append(text[at : at + len(piece)].strip())
        at += len(piece)
    return tuple(filter(None, pieces))


def _hide_quotes(text: str) -> str:
    return _CLOSED.sub(lambda found: "x" * len(found[0]), text)
