"""What the documents decide and what they leave open (TABLE-1, ART-9), and the largest gap in one (MENU-8).

All of it is computed. An answer edits nothing: it is added at the end of the section, with its date and the
question quoted. A question is open until it is answered or a decision settles it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping

from msgspec import Struct

from ..core import lazy_re as re
from ..core.analysis import ASSUMED
from ..core.errors import RuleBroken
from ..core.markers import begins_like_feedback
from ..core.steps import is_markdown
from ..core.synthesis import split_question
from ..core.text import (
    cut_words,
    escape_markdown,
    parse_heading,
    split_sentences,
    strip_unprintable,
    unescape_markdown,
)
from ..core.turns import Material
from . import outline
from .additions import find_end, insert_text
from .blocks import DatedPoint, DocumentPoint, find_elaboration_blocks, list_entries, split_decision
from .ids import OVERVIEW, find_json_line, list_records, read_json_list
from .outline import content_words, decode_document, find_labelled, prose_lines, read_outline
from .page import OPEN_QUESTION, split_lines

_ENTRY_START = r"^ ?(?:[-*+]|\d{1,3}[.)])\s+(?!\[[xX]\])(?:\[ \]\s+)?"
_ENTRY = re.compile(_ENTRY_START)
_OWN_LIST = re.compile("open questions", re.IGNORECASE)
_ANY_LIST = re.compile(r"(?:open|unresolved|outstanding)\b.*|questions", re.IGNORECASE)
_NOTHING = frozenset({"", "none", "n/a", "nothing", "-"})
ANSWER = re.compile(r"\*\*Answer \((?P<date>\d{4}-\d\d-\d\d)\)\*\* to \"(?P<rest>.*\S)\s*")
_PROPOSED = re.compile(r"Proposed by [^:]{1,80}: ")
_SETTLED = 2 / 3  # the share of a question's words that a decision must have to settle it
_FEWEST_WORDS = 2
_ASKING = (
    "who whom whose what which when where why how do does did is are was were be been can could should would "
    "will shall may might must have has we you they he she there it if any that this these those not"
)


def list_decisions(documents: Mapping[str, str], undone: Collection[str] = ()) -> list[DatedPoint]:
    """Return the decision records, then the decisions of discussions that have none.

    `undone` are the instants of discussions that were taken back: their decisions and records are left out.
    """
    left = {words: each for words, each in list_entries(documents).items() if each[1] not in undone}
    held = [
        (each, [left.pop(words)[1] for words in each.find_held(left)]) for each in list_records(documents)
    ]
    # Decisions that no record holds: somebody edited one of the two, or there is no record yet.
    unheld = [
        (point.source.rpartition(", ")[2], content_words(split_decision(words)[0]))
        for words, (point, _) in left.items()
    ]
    found: list[DatedPoint] = []
    for record, instants in held:
        about = content_words(record.body) if unheld and not instants else frozenset()
        is_edited = any(on in record.body and 2 * len(words & about) >= len(words) for on, words in unheld)
        if instants or is_edited or "in the roundtable on step" not in record.body:
            lines = split_lines(record.part("Decision") or record.body)
            kept = (line for line in lines if not line.startswith(("#", "**Status**")))
            details = tuple(line for line in kept if unescape_markdown(line).rstrip(". ") != record.text)
            text = f"**{record.id}**: {escape_markdown(record.text)}"
            point = DocumentPoint(text, f"{record.file}, {record.id}", details)
            found.append((point, max(instants, default="")))
    return [*found, *left.values()]


def describe_decisions(documents: Mapping[str, str], undone: Collection[str] = ()) -> tuple[str, ...]:
    """Return every decision in the documents, in words, with its source, also those that a step asked for."""
    made = [(each.words, each.source) for each, _ in list_decisions(documents, undone)]
    asked = ((find_labelled(text, "Decision"), name) for name, text in documents.items() if name != OVERVIEW)
    made += [(words, name) for words, name in asked if words and not words.endswith(ASSUMED)]
    return tuple(f"{words} ({source})" for words, source in made)


def write_pages(
    documents: Mapping[str, str], undone: Collection[str] = (), put_off: Iterable[str] = ()
) -> tuple[Material, ...]:
    """Return the pages on what is decided, still open and put off; empty pages are left out."""
    asked = (each for each in list_questions(documents) if each.is_open)
    still_open = dict.fromkeys(f"{each.words} ({each.file})" for each in asked)
    decided = describe_decisions(documents, undone)
    pages = {"Decided so far": decided, "Still open": still_open, "Put off for later": put_off}
    listed = ((name, "\n".join(f"- {each}" for each in entries)) for name, entries in pages.items())
    return tuple(Material(name, text) for name, text in listed if text)


# --- open questions


class OpenQuestion(Struct, frozen=True):
    """A question in a document: where it is, who can resolve it, and what became of it."""

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


def _find_asked(
    text: str, lists: re.Pattern[str], entries: re.Pattern[str] = _ENTRY
) -> Iterator[tuple[int, str, str]]:
    """Yield each point that is marked as open, or listed under such a heading: line, section, markdown."""
    section, is_list = "", lists.fullmatch("") is not None
    for number, line, is_code in outline.joined_lines(text):
        if heading := None if is_code else parse_heading(line):
            section = outline.strip_numbering(heading[1])
            is_list = lists.fullmatch(section) is not None
        elif begins_like_feedback(line):  # said at the menu after a discussion
            is_list = False
        elif not is_code and (line.startswith(OPEN_QUESTION) or (is_list and entries.search(line))):
            entry = _ENTRY.sub("", line, count=1).removeprefix(OPEN_QUESTION[2:])
            if entry.casefold().strip("*. ") not in _NOTHING:
                yield number, section, entry


def find_asked_questions(file: str, text: str) -> Iterator[tuple[int, str]]:
    """Yield the questions that a file marks or lists as open, even if answered since, with their lines."""
    if is_markdown(file):
        yield from ((line, unescape_markdown(entry)) for line, _, entry in _find_asked(text, _OWN_LIST))
    elif file.lower().endswith(".json"):
        listed = read_json_list(text, "open_questions", str)
        yield from ((find_json_line(text, each), each) for each in listed if each)


def find_open_questions(text: str) -> Iterator[tuple[int, str]]:
    """Return the questions of a document that are still open, each with its line."""
    return ((each.line, each.words) for each in list_questions({"document.md": text}) if each.is_open)


def list_questions(documents: Mapping[str, str]) -> list[OpenQuestion]:
    """Return the questions that the documents leave or left open, in order, and what became of them."""
    lines = (line for text in documents.values() if "**Answer (" in text for _, line in prose_lines(text))
    answers = [said.group("rest", "date") for line in lines if (said := ANSWER.fullmatch(line))]
    decisions = [(each, content_words(each[0].words)) for each in list_decisions(documents)]
    found = []
    for file, text in documents.items():
        blocks = find_elaboration_blocks(file, text)
        for line, words in find_asked_questions(file, text):
            since = next((each.timestamp for each in blocks if each.line < line < each.end), "")
            question, resolver = split_question(words) if since else (words, "")
            quoted, settled = _quote_question(words), _find_settling(question, since, decisions)
            given = ((rest.removeprefix(quoted), date) for rest, date in answers if rest.startswith(quoted))
            answer = next((f"{unescape_markdown(text)} ({date})" for text, date in given), "")
            found.append(OpenQuestion(file, line, words, question, resolver, answer, settled))
    return found


def add_answer(document: bytes, line: int, question: str, answer: str, date: str) -> bytes:
    """Return the document with an answer added to the question in a line; RuleBroken if it is not there."""
    shape = read_outline(document)
    text = strip_unprintable(decode_document(document))  # as the questions were listed
    if (line, question) not in list(find_asked_questions("document.md", text)):
        raise RuleBroken("The question no longer stands there. Nothing was changed. Run the command again.")
    start = shape.lines[line - 1]
    around = [each for each in shape.sections if each.start < start < each.end and not each.elaboration]
    position = find_end(shape, around[-1] if around else None)
    return insert_text(shape, position, quote_answer(question, answer, date))


def quote_answer(question: str, answer: str, date: str) -> str:
    """Return an answer as it is added: with its date and its question."""
    return f'**Answer ({date})** to "{_quote_question(question)}{escape_markdown(answer)}'


def _quote_question(question: str) -> str:
    return f'{escape_markdown(question)}": '


def _find_settling(question: str, since: str, decisions: Iterable[tuple[DatedPoint, frozenset[str]]]) -> str:
    """Return the later decision that has most of a question's words; empty if there is none."""
    wanted = content_words(_PROPOSED.sub("", question)) - content_words(_ASKING)
    # A question of a step is older than every discussion; one of a discussion is older than later ones.
    later = ((each, words) for (each, at), words in decisions if at > since or not (since or at))
    settling = (each for each, words in later if len(wanted & words) >= _SETTLED * len(wanted))
    found = next(settling, None) if len(wanted) >= _FEWEST_WORDS else None
    return f"{found.words} ({found.source})" if found else ""


# --- the largest gap in a markdown document, which a roundtable on it discusses first

_ASKS = re.compile(r".*?(?<!\?)\?(?=[\s:]|$)")
_COMMENT = re.compile(r"^ {0,3}(?:<!--.*?(?:-->|\Z)|//[^\n]*)", re.MULTILINE | re.DOTALL)
_ASKED_OR_LISTED = re.compile(rf"{_ENTRY_START}|^\w.*\?$")
_ANYWHERE = re.compile(r".*")
_TO_DO = r"^[-*+\s]*+(?:TBD|TODO|FIXME|XXX|\?\?\?)"
_LEFT_TO_DO = re.compile(rf"{_TO_DO}|\bTBD\b|\b(?:TODO|FIXME)[:(]|\?\?\?")
_ONLY_TO_DO = re.compile(rf"(?:{_TO_DO})?[-*+.:\s]*+")
_BEFORE_TO_DO = re.compile(rf"{_TO_DO}(?:\([^()]*\))?[:\s]*+")
_NAMED = re.compile(r"^(?:title|[-*+] \**+Feature Name\**+):\**+[ \t]++(?P<title>[^\n]+)", re.MULTILINE)
_MAX_WORDS_QUOTED = 25


class DocumentGap(Struct, frozen=True):
    """Where a document says least: its section, the question to ask, and both in a few words."""

    section: str
    question: str
    topic: str
    summary: str


def read_title(document: bytes, name: str) -> str:
    """Return the document's title: its only main heading, else the title named at its top, else `name`."""
    sections = [each for each in read_outline(document).sections if each.name and not each.elaboration]
    main = [each.heading for each in sections if each.level == 1]
    if len(main) == 1:
        return main[0]
    named = _NAMED.search(decode_document(document[: sections[0].start] if sections else document))
    return named["title"].strip("\"'` ") if named else next(iter(main), name)


def find_gap(document: bytes, discussed: Collection[str] = ()) -> DocumentGap:
    """Return the first gap: an open question, an empty section, a to-do or the longest section.

    A question that was `discussed` before is returned only if there is no other.
    """
    shape, text = read_outline(document), _COMMENT.sub("", decode_document(document))
    asked = _find_asked(text, _ANY_LIST, _ASKED_OR_LISTED)
    undone = _find_asked(text, _ANYWHERE, _LEFT_TO_DO)
    found = [*_ask(asked), *_find_empty(shape), *_ask(undone), *_find_longest(shape)]
    return next((each for each in found if each.question not in discussed), found[0])


def _ask(points: Iterable[tuple[int, str, str]]) -> Iterator[DocumentGap]:
    """Yield a question for each open point, in its own words if they ask; none for a bare mark."""
    for _, section, entry in points:
        words = unescape_markdown(entry.replace("**", "")).strip()
        if left := [each for each in split_sentences(words) if _LEFT_TO_DO.search(each)]:
            words = left[0]
        point = _BEFORE_TO_DO.sub("", words, count=1) if left else words
        asks, short = _ASKS.match(point), cut_words(words, _MAX_WORDS_QUOTED)
        question = asks[0] if asks and short == words else f'How is this settled: "{short.rstrip(".")}"?'
        if not _ONLY_TO_DO.fullmatch(words):
            yield DocumentGap(section, question, "the open questions", "There are questions open in it.")


def _find_empty(shape: outline.Outline) -> Iterator[DocumentGap]:
    """Yield the sections that hold nothing, or only a comment or a to-do mark."""
    for each in outline.list_open_sections(shape.sections):
        own = _COMMENT.sub("", decode_document(shape.document[each.body : each.end]))
        if all(map(_ONLY_TO_DO.fullmatch, own.split("\n"))):
            question = f'What belongs under "{each.name}", and who can say so?'
            marks = " ".join(own.split())
            said = f'Only "{marks}" is written' if marks else "Nothing is written"
            yield DocumentGap(each.heading, question, f'"{each.name}"', f'{said} under "{each.name}".')


def _find_longest(shape: outline.Outline) -> Iterator[DocumentGap]:
    """Yield the sections, the longest own text first, not counting subsections; if none, the document."""
    ends = (*(each.start for each in shape.sections[1:]), len(shape.document))
    sizes = {each: end - each.body for each, end in zip(shape.sections, ends, strict=False)}
    longest = sorted(outline.list_open_sections(shape.sections), key=sizes.__getitem__, reverse=True)
    for heading in [each.heading for each in longest] or [""]:
        name = f'"{outline.strip_numbering(heading)}"' if heading else "the document"
        question = f"What does {name} leave out, and who would notice it first?"
        yield DocumentGap(heading, question, name, f"The discussion begins with {name}.")
