"""Open questions: found in the documents, answered where they stand, settled by later decisions (ART-9).

The list is computed. Nothing is edited when a question is answered: the answer is added, with its date, and
the question is open no more. An answer stands right below its question, or, where that would break into the
text that a step vouches for, right after that text, with the question quoted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from msgspec import Struct

from ..core import lazy_re as re
from ..core.errors import RuleBroken
from ..core.markers import begins_like_feedback
from ..core.synthesis import split_question
from ..core.text import escape_markdown, parse_heading, unescape_markdown
from .additions import find_step_texts, insert_text
from .blocks import find_elaboration_blocks, find_entries
from .ids import OVERVIEW, list_records, read_json_list, word_share
from .outline import Outline, content_words, decode_document, prose_lines, read_outline
from .page import OPEN_QUESTION

_OPEN = re.compile(rf"{OPEN_QUESTION}(?P<question>.*\S|.)\s*")
_ENTRY = re.compile(r"[-*+] ++(?P<question>.*\S)\s*")
_BELOW = re.compile(r"[ \t]+[-*+] \*\*Answer \((?P<date>\d{4}-\d\d-\d\d)\)\*\*: (?P<text>.*\S)\s*")
_QUOTED = re.compile(r"\*\*Answer \((?P<date>\d{4}-\d\d-\d\d)\)\*\* to \"(?P<rest>.*\S)\s*")
_PROPOSED = re.compile(r"Proposed by [^:]{1,80}: ")
_SETTLED = 2 / 3
"""How much of a question's words a decision has to take up to settle it."""
_FEWEST_WORDS = 2
_ASKING = (
    "who whom whose what which when where why how do does did is are was were be been can could should would "
    "will shall may might must have has we you they he she there it if any that this these those not"
)


class OpenQuestion(Struct, frozen=True):
    """A question in a document: where it stands, who can resolve it, and what has become of it."""

    file: str
    line: int
    words: str
    """The whole entry, as it was written."""
    text: str
    resolver: str = ""
    answer: str = ""
    settled_by: str = ""
    """The decision that settles it, with its place."""

    @property
    def is_open(self) -> bool:
        return not self.answer and not self.settled_by


def find_asked_questions(text: str) -> Iterator[tuple[int, str]]:
    """Yield the questions that a document marks or lists as open, answered since or not, with their lines."""
    is_list = False
    for number, line in prose_lines(text):
        if heading := parse_heading(line):
            is_list = heading[1].casefold() == "open questions"
        elif begins_like_feedback(line):  # what is said at the menu after a discussion
            is_list = False
        found = _OPEN.fullmatch(line) or (_ENTRY.fullmatch(line) if is_list else None)
        if found and found["question"].casefold().rstrip(".") != "none":
            yield number, unescape_markdown(found["question"])


def find_listed_questions(text: str) -> Iterator[tuple[int, str]]:
    """Yield the questions that a JSON document lists as open, with their lines."""
    for question in read_json_list(text, "open_questions"):
        if isinstance(question, str) and question:
            place = max(text.find(json.dumps(question, ensure_ascii=False)), 0)
            yield text.count("\n", 0, place) + 1, question


def find_open_questions(text: str) -> Iterator[tuple[int, str]]:
    """Yield the questions of a document that nobody has answered, each with its line."""
    answers = _find_answers({"": text})
    for number, question in find_asked_questions(text):
        if not _choose_answer(answers, "", number, question):
            yield number, question


_READERS = {"md": find_asked_questions, "json": find_listed_questions}


def list_questions(documents: Mapping[str, str]) -> list[OpenQuestion]:
    """Return the questions that the documents leave or left open, in order, and what became of them."""
    answers, decisions = _find_answers(documents), list(_find_decisions(documents))
    found = []
    for file, text in documents.items():
        read = _READERS.get(file.lower().rpartition(".")[2])
        blocks = find_elaboration_blocks(file, text)
        for line, words in read(text) if read else ():
            instants = [each.timestamp for each in blocks if each.line < line < each.end]
            question, resolver = split_question(words) if instants else (words, "")
            settled = _find_settling(question, instants[0] if instants else "", decisions)
            answer = _choose_answer(answers, file, line, words)
            found.append(OpenQuestion(file, line, words, question, resolver, answer, settled))
    return found


def find_answer_date(line: str) -> str:
    """Return the date of the answer that a line is; empty where it is none."""
    found = _BELOW.fullmatch(line) or _QUOTED.fullmatch(line)
    return found["date"] if found else ""


def add_answer(document: bytes, line: int, question: str, answer: str, date: str) -> bytes:
    """Return the document with the answer to the question in a line, and nothing else changed.

    Raises RuleBroken if the question does not stand in that line.
    """
    shape = read_outline(document)
    if (line, question) not in list(find_asked_questions(decode_document(document))):
        raise RuleBroken(
            "The question no longer stands there. Nothing was changed. Run the same command again."
        )
    start = shape.lines[line - 1]
    texts = (each for each in find_step_texts(shape) if each.is_intact)
    own = next((each for each in texts if each.start < start <= each.end), None)
    if own is None:
        words = f"  - **Answer ({date})**: {escape_markdown(answer)}"
        return insert_text(shape, shape.lines[line], words, is_apart=False)
    words = quote_answer(question, answer, date)
    return insert_text(shape, _after_answers(shape, own.end), words)


def quote_answer(question: str, answer: str, date: str) -> str:
    """Return an answer that stands apart from its question."""
    return f'**Answer ({date})** to "{escape_markdown(question)}": {escape_markdown(answer)}'


def _after_answers(shape: Outline, end: int) -> int:
    """Return the place after a step's text and the answers that stand below it already."""
    position = next((start for start in shape.lines if start > end), len(shape.document))
    for piece in shape.pieces:
        if piece.start >= position:
            if not shape.document.startswith(b"**Answer (", piece.start):
                break
            position = shape.settle(piece.start, piece.end)
    return position


_Answers = tuple[dict[tuple[str, int], str], list[tuple[str, str]]]
"""Answers below a question by file and line, and the others: each as it quotes its question, and its date."""


def _find_answers(documents: Mapping[str, str]) -> _Answers:
    below: dict[tuple[str, int], str] = {}
    quoting: list[tuple[str, str]] = []
    for file, text in documents.items():
        last = 0
        for number, line in prose_lines(text) if "**Answer (" in text else ():
            if found := _BELOW.fullmatch(line):
                below.setdefault((file, last), f"{unescape_markdown(found['text'])} ({found['date']})")
            elif quoted := _QUOTED.fullmatch(line):
                quoting.append((quoted["rest"], quoted["date"]))
            else:
                last = number
    return below, quoting


def _choose_answer(answers: _Answers, file: str, line: int, question: str) -> str:
    """Return the answer to a question with its date; empty where there is none."""
    below, quoting = answers
    beginning = f'{escape_markdown(question)}": '
    quoted = (
        f"{unescape_markdown(rest.removeprefix(beginning))} ({date})"
        for rest, date in quoting
        if rest.startswith(beginning)
    )
    return below.get((file, line)) or next(quoted, "")


class _Decision(Struct, frozen=True):
    """A decision with its words, its place and, where an elaboration made it, its instant."""

    words: frozenset[str]
    place: str
    instant: str


def _find_decisions(documents: Mapping[str, str]) -> Iterator[_Decision]:
    for block, number, written in find_entries(documents):
        words = unescape_markdown(written)
        yield _Decision(content_words(words), f"{words} ({block.file}:{number})", block.timestamp)
    for record in list_records({OVERVIEW: documents.get(OVERVIEW, "")}):
        words = f"{record.text} {record.body}"
        yield _Decision(content_words(words), f"{record.text} ({OVERVIEW}, {record.id})", "")


def _find_settling(question: str, since: str, decisions: list[_Decision]) -> str:
    """Return the later decision that takes up most of a question's words; empty if there is none.

    What a step left open comes before every discussion; what a discussion left open, before later ones.
    """
    wanted = content_words(_PROPOSED.sub("", question)) - content_words(_ASKING)
    if len(wanted) < _FEWEST_WORDS:
        return ""
    later = [each for each in decisions if each.instant > since or (not since and not each.instant)]
    return next((each.place for each in later if word_share(wanted, each.words) >= _SETTLED), "")
