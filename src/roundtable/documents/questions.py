"""Open questions: found in the documents, answered where they stand, settled by later decisions (ART-9).

The list is computed. Nothing is edited when a question is answered: the answer is added, with its date, and
the question is open no more. An answer stands at the end of the section, with the question quoted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from ..core import lazy_re as re
from ..core.errors import RuleBroken
from ..core.markers import begins_like_feedback
from ..core.synthesis import split_question
from ..core.text import escape_markdown, parse_heading, unescape_markdown
from .additions import find_end, insert_text
from .blocks import find_elaboration_blocks, find_entries
from .ids import OVERVIEW, find_json_line, list_records, read_json_list
from .outline import content_words, decode_document, prose_lines, read_outline
from .page import OPEN_QUESTION

_OPEN = re.compile(rf"{OPEN_QUESTION}(?P<question>.*\S|.)\s*")
_ENTRY = re.compile(r"[-*+] ++(?P<question>.*\S)\s*")
_ANSWER = re.compile(r"\*\*Answer \((?P<date>\d{4}-\d\d-\d\d)\)\*\* to \"(?P<rest>.*\S)\s*")
# Right below its question, as earlier versions wrote it.
_BELOW = re.compile(r"[ \t]+[-*+] \*\*Answer \((?P<date>\d{4}-\d\d-\d\d)\)\*\*: (?P<rest>.*\S)\s*")
_PROPOSED = re.compile(r"Proposed by [^:]{1,80}: ")
_SETTLED = 2 / 3  # how much of a question's words a decision has to take up to settle it
_FEWEST_WORDS = 2
_ASKING = (
    "who whom whose what which when where why how do does did is are was were be been can could should would "
    "will shall may might must have has we you they he she there it if any that this these those not"
)


class OpenQuestion(Struct, frozen=True):
    """A question in a document: where it stands, who can resolve it, and what has become of it."""

    file: str
    line: int
    words: str  # the whole entry, as it was written
    text: str
    resolver: str = ""
    answer: str = ""
    settled_by: str = ""  # the decision that settles it, with its place

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
    """Return the questions that a JSON document lists as open, with their lines."""
    listed = read_json_list(text, "open_questions", str)
    return ((find_json_line(text, each), each) for each in listed if each)


def find_open_questions(text: str) -> Iterator[tuple[int, str]]:
    """Return the questions of a document that nobody has answered, each with its line."""
    answers = _find_answers([text])
    return (asked for asked in find_asked_questions(text) if not _choose_answer(answers, asked[1]))


_READERS = {"md": find_asked_questions, "json": find_listed_questions}


def list_questions(documents: Mapping[str, str]) -> list[OpenQuestion]:
    """Return the questions that the documents leave or left open, in order, and what became of them."""
    answers, decisions = _find_answers(documents.values()), list(_find_decisions(documents))
    found = []
    for file, text in documents.items():
        read = _READERS.get(file.lower().rpartition(".")[2])
        blocks = find_elaboration_blocks(file, text)
        for line, words in read(text) if read else ():
            since = next((each.timestamp for each in blocks if each.line < line < each.end), "")
            question, resolver = split_question(words) if since else (words, "")
            answer, settled = _choose_answer(answers, words), _find_settling(question, since, decisions)
            found.append(OpenQuestion(file, line, words, question, resolver, answer, settled))
    return found


def find_answer_date(line: str) -> str:
    """Return the date of the answer that a line is; empty where it is none."""
    found = _ANSWER.fullmatch(line) or _BELOW.fullmatch(line)
    return found["date"] if found else ""


def add_answer(document: bytes, line: int, question: str, answer: str, date: str) -> bytes:
    """Return the document with an answer added to the question in a line; RuleBroken if it is not there."""
    shape = read_outline(document)
    if (line, question) not in list(find_asked_questions(decode_document(document))):
        raise RuleBroken("The question no longer stands there. Nothing was changed. Run the command again.")
    start = shape.lines[line - 1]
    around = [each for each in shape.sections if each.start < start < each.end and not each.elaboration]
    position = find_end(shape, around[-1] if around else None)
    return insert_text(shape, position, quote_answer(question, answer, date))


def quote_answer(question: str, answer: str, date: str) -> str:
    """Return an answer that stands apart from its question."""
    return f'**Answer ({date})** to "{_quote_question(question)}{escape_markdown(answer)}'


def _find_answers(texts: Iterable[str]) -> list[tuple[str, str]]:
    """Return the answers, each as it quotes its question, and its date."""
    found = list[tuple[str, str]]()
    for text in (text for text in texts if "**Answer (" in text):
        asked, above = dict(find_asked_questions(text)), 0
        for number, line in prose_lines(text):
            if answer := _ANSWER.fullmatch(line):
                found.append((answer["rest"], answer["date"]))
            elif below := _BELOW.fullmatch(line):
                found.append((_quote_question(asked.get(above, "")) + below["rest"], below["date"]))
            else:
                above = number
    return found


def _quote_question(question: str) -> str:
    return f'{escape_markdown(question)}": '


def _choose_answer(answers: Iterable[tuple[str, str]], question: str) -> str:
    quoted = _quote_question(question)
    texts = ((rest.removeprefix(quoted), date) for rest, date in answers if rest.startswith(quoted))
    return next((f"{unescape_markdown(text)} ({date})" for text, date in texts), "")


# The words of a decision, its place and, where an elaboration made it, its instant.
_Decision = tuple[frozenset[str], str, str]


def _find_decisions(documents: Mapping[str, str]) -> Iterator[_Decision]:
    for block, number, written in find_entries(documents):
        words = unescape_markdown(written)
        yield content_words(words), f"{words} ({block.file}:{number})", block.timestamp
    for record in list_records({OVERVIEW: documents.get(OVERVIEW, "")}):
        yield content_words(f"{record.text} {record.body}"), f"{record.text} ({OVERVIEW}, {record.id})", ""


def _find_settling(question: str, since: str, decisions: Iterable[_Decision]) -> str:
    """Return the later decision that takes up most of a question's words; empty if there is none."""
    wanted = content_words(_PROPOSED.sub("", question)) - content_words(_ASKING)
    # What a step left open comes before every discussion; what a discussion left open, before later ones.
    settling = (
        place
        for words, place, instant in decisions
        if (instant > since or not (since or instant)) and len(wanted & words) >= _SETTLED * len(wanted)
    )
    return next(settling, "") if len(wanted) >= _FEWEST_WORDS else ""
