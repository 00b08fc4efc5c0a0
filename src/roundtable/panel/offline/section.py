"""The section in hand: the user's answer under each label of the step, and the written lines on a question.

A line that comes close is shown with where it stands, never as the answer: ranking cannot tell that there is
none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from math import log
from typing import Literal

from msgspec import Struct

from ...core.commands import Table
from ...core.errors import RuleBroken
from ...core.steps import DEPTHS, Question, Step
from ...core.text import content_stems, fold_text, parse_heading, split_sentences, words_of
from ...core.text import unescape_markdown as unescape
from ...core.turns import Material
from ...core.validation import is_unknown, meets_check
from ...documents.answers import read_answers, read_labelled_answers
from ...documents.outline import read_outline
from ...documents.questions import find_open_questions
from .lexicon import MAX_MESSAGE_LENGTH, pattern, similar_stems, stems_of_list
from .prompts import Need, Prompt

AnswerState = Literal["given", "none", "unknown"]

MAX_QUOTE_WORDS = 8
MAX_DOCUMENT_LENGTH = 40_000
MAX_LINES = 1_500
_LONGEST_LINE = 600
_JOINT = re.compile(r"[,;:.!?()\n]| - | – | — ")
# A long line that goes on with a small letter was wrapped by an editor.
_WRAPPED = re.compile(r"^(?![#`~|<])(.{60,}\S) *\n(?=[a-z])", re.MULTILINE)
_CHECKS: dict[Need, str] = {
    "person": "names a person or role",
    "failure": "an error or failure",
    "option": "two options",
}


class LabelAnswer(Struct, frozen=True):
    """What the user answered under one label of the step."""

    label: str
    text: str = ""
    document: str = ""

    @property
    def state(self) -> AnswerState:
        """Whether something is told, nothing is needed, or nobody knew."""
        said = fold_text(self.text).strip()
        is_short = len(words_of(said)) <= MAX_QUOTE_WORDS
        if is_short and pattern("none").fullmatch(said):
            return "none"
        unsure = is_unknown(self.text) or (is_short and pattern("unsure").match(said))
        return "unknown" if not said or unsure else "given"

    def meets(self, need: Need) -> bool:
        """Whether the answer holds what a prompt presupposes."""
        named = _CHECKS.get(need)
        text = self.text[:MAX_MESSAGE_LENGTH]
        return meets_check(named, self.text) if named else bool(pattern(need).search(text))

    @property
    def quote(self) -> str:
        """A whole clause of the answer that can be quoted, eight words at most; empty where there is none."""
        for clause in _JOINT.split(self.text):
            words = clause.strip()
            if '"' not in words and 3 <= len(words.split()) <= MAX_QUOTE_WORDS and content_stems(words):
                return words
        return ""


class SearchLine(Struct, frozen=True):
    """A line of what is written, and where it stands in words for a person."""

    text: str
    place: str


class SectionContext(Struct, frozen=True):
    """All that the panel reads before it speaks; made once for a discussion."""

    step: Step
    answers: tuple[LabelAnswer, ...]
    lines: tuple[SearchLine, ...]
    stems: frozenset[str]
    """The stems of everything that is written about the item."""
    asked_before: tuple[str, ...]
    """Folded texts of earlier discussions on this step: what stands there was asked already."""

    def find_answer(self, label: str) -> LabelAnswer | None:
        """Return the answer under a label; None where there is none."""
        wanted = fold_text(label)
        return next((each for each in self.answers if fold_text(each.label) == wanted), None)

    def is_settled(self, prompt: Prompt) -> bool:
        """Whether item or answers hold a word that shows that the prompt is answered already."""
        settling = (frozenset(content_stems(each)) for each in prompt.settled_by)
        return any(stems and stems <= self.stems for stems in settling)


def read_section(table: Table) -> SectionContext:
    """Read item and documents for a discussion; the same texts are not read twice."""
    return _read(table.item.name, table.item.text, table.step, table.material, table.documents)


@lru_cache(maxsize=8)
def _read(
    title: str, text: str, step: Step, material: tuple[Material, ...], documents: tuple[Material, ...]
) -> SectionContext:
    transcripts = [each for each in documents if each.name.startswith("elaborations/")]
    others = [each for each in documents if each not in transcripts and each.name.endswith(".md")]
    written = [each for each in material if each.name.endswith(".md")]
    answers = tuple(_find_answers(title, step, material))
    lines = [*answer_lines(answers), *document_lines("draft.md", text)]
    answered = [line.text for line in lines]
    for document in (*written, *others):
        found = document_lines(document.name, document.text)
        # An answer stands in its document too, behind its label: once is enough.
        lines += [line for line in found if not any(line.text.endswith(each) for each in answered)]
    unique: dict[str, SearchLine] = {}
    for line in lines[:MAX_LINES]:
        unique.setdefault(line.text, line)
    stems = frozenset(stem for text in unique for stem in content_stems(text))
    # What an earlier discussion asked stands in its transcript, what was answered in the documents too.
    asked = tuple(fold_text(unescape(each.text[:MAX_DOCUMENT_LENGTH])) for each in (*transcripts, *material))
    return SectionContext(step, answers, tuple(unique.values()), stems, asked)


def _find_answers(title: str, step: Step, material: tuple[Material, ...]) -> Iterator[LabelAnswer]:
    """Yield the answers in the order of the questions, with those that nobody could give."""
    texts = {each.name: each.text[:MAX_DOCUMENT_LENGTH] for each in material}
    given: dict[str, tuple[str, str]] = {}
    for name, text in texts.items():
        try:
            shape = read_outline(text.encode("utf-8", "replace"))
        except RuleBroken:
            continue
        headings = {target.section for target in step.targets if target.output == name} | {step.title}
        for heading in sorted(headings) if name.endswith(".md") else ():
            for label, answer in read_labelled_answers(shape, step, heading).items():
                given.setdefault(label, (answer, name))
    for (step_id, label), answer in read_answers(texts, title).items():
        if step_id == step.step_id:
            given.setdefault(label, (answer, next(iter(texts), "")))
    open_ones = {fold_text(line) for text in texts.values() for _, line in find_open_questions(text)}
    asked: dict[str, Question] = {}
    for question in (*step.standard, *(each for depth in DEPTHS for each in step.questions(depth))):
        asked.setdefault(question.label, question)
    for label, question in asked.items():
        answer, name = given.get(label, ("", next(iter(texts), "")))
        if answer or fold_text(question.text) in open_ones:
            yield LabelAnswer(label, answer, name)


def answer_lines(answers: tuple[LabelAnswer, ...]) -> Iterator[SearchLine]:
    for answer in answers:
        for sentence in split_sentences(answer.text):
            place = f"{answer.document}, {answer.label}" if answer.document else answer.label
            yield SearchLine(sentence, place)


def document_lines(name: str, text: str) -> Iterator[SearchLine]:
    """Yield the sentences of a document, each with the heading it stands under."""
    heading, fenced = "", False
    for line in _WRAPPED.sub(r"\1 ", text[:MAX_DOCUMENT_LENGTH]).split("\n"):
        plain = line.strip()
        if plain.startswith(("```", "~~~")):
            fenced = not fenced
        elif fenced:
            continue
        elif titled := parse_heading(plain):
            heading = titled[1]
        elif plain and not plain.startswith(
            ("<!--", "|", "---", "**Item**", "**Status**", "**Participants**", "**Turns**")
        ):
            body = plain.lstrip("-*>+ ").replace("**", "")
            place = f"{name}, {heading}" if heading else name
            for sentence in split_sentences(body[:_LONGEST_LINE]):
                if content_stems(sentence):
                    yield SearchLine(sentence, place)


# --- search ---------------------------------------------------------------------------------------------

MAX_LINES_SHOWN = 3
_K1, _B = 1.2, 0.6
_SIMILAR_WEIGHT = 0.45
_EXPECTED_WEIGHT = 1.6
_LEAST_SCORE = 1.0
# A line that holds the kind of thing that a question asks for is more likely to answer it.
_EXPECTED = (
    (re.compile(r"\bhow (?:many|much|big|large|far|high)\b|\bwhat (?:number|size|limit)\b"), "number_answer"),
    (re.compile(r"\bwhen\b|\bhow (?:long|often|soon|late|fast|old)\b|\bdeadline\b"), "time_answer"),
    (re.compile(r"\bwhy\b|\bwhat for\b|\breason\b"), "reason_answer"),
)
_WHO = re.compile(r"\bwho(?:m|se)?\b|\bwhich (?:person|people|role|team|user)\b")


@lru_cache(maxsize=8)
def find_closest_lines(question: str, lines: tuple[SearchLine, ...]) -> tuple[SearchLine, ...]:
    """Return the written lines that come closest to a question, best first, if any comes close.

    They are ranked by BM25 over Snowball stems; a word that means nearly the same counts less.
    """
    asked = dict.fromkeys(content_stems(question))
    rows = [Counter(content_stems(line.text)) for line in lines]
    seen = Counter(stem for counts in rows for stem in counts)
    average = sum(counts.total() for counts in rows) / max(len(rows), 1) or 1.0

    def rarity(stem: str) -> float:
        return log(1 + (len(rows) - seen[stem] + 0.5) / (seen[stem] + 0.5))

    def score(line: SearchLine, counts: Counter[str]) -> float:
        length = _K1 * (1 - _B + _B * counts.total() / average)
        total = _EXPECTED_WEIGHT if _holds_what_is_asked(question, line.text) else 0.0
        for stem in asked:
            if count := counts[stem]:
                total += rarity(stem) * count * (_K1 + 1) / (count + length)
            elif alike := similar_stems(stem) & counts.keys():
                total += _SIMILAR_WEIGHT * max(map(rarity, alike)) * (_K1 + 1) / (1 + length)
        return total

    rarest = max((stem for stem in asked if seen[stem]), key=rarity, default="")
    pairs = zip(lines, rows, strict=True)
    scored = ((rarest not in row, -score(line, row), at) for at, (line, row) in enumerate(pairs))
    kept: list[int] = []
    for _, negative, place in sorted(scored):
        stems = rows[place].keys()
        # A line that only says again what the question or a better line says tells nothing.
        is_echo = stems == asked.keys() or any(stems <= rows[each].keys() for each in kept)
        if -negative >= _LEAST_SCORE and not is_echo and len(kept) < MAX_LINES_SHOWN:
            kept.append(place)
    return tuple(lines[place] for place in kept)


def _holds_what_is_asked(question: str, line: str) -> bool:
    asked = fold_text(question)
    if _WHO.search(asked):
        return not stems_of_list("person").isdisjoint(content_stems(line))
    return any(pattern(wanted).search(line) for asks, wanted in _EXPECTED if asks.search(asked))
