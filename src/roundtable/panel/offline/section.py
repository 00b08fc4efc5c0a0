"""The current section: the user's answer under each label, and the written lines that fit a question."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from math import log
from typing import Literal

from msgspec import Struct

from ...core.commands import StepBrief, Table
from ...core.steps import Item, Question, Step, is_markdown
from ...core.text import content_stems, fold_text, parse_heading, split_sentences, words_of
from ...core.text import unescape_markdown as unescape
from ...core.turns import Material
from ...core.validation import is_unknown, meets_check
from ...documents.answers import read_answers, read_step_answers
from ...documents.outline import prose_lines
from ...documents.questions import find_open_questions
from .messages import MAX_LENGTH_READ, pattern, similar_stems
from .prompts import Need

MAX_DOCUMENT_LENGTH = 40_000
MAX_LINES = 1_500
_LONGEST_LINE = 600
_MAX_STATE_WORDS = 8  # of an answer that may mean none or unknown
# A long line that goes on in lower case was wrapped by an editor.
_WRAPPED = re.compile(r"^(?![#`~|<])(.{60,}\S) *\n(?=[a-z])", re.MULTILINE)
_FRAME = re.compile(r"<!--|\||---|\*\*(?:Item|Status|Participants|Turns)\*\*")
_CHECKS = {"person": "names a person or role", "option": "two options"}


class LabelAnswer(Struct, frozen=True):
    """What the user answered under one label of the step."""

    label: str
    text: str = ""
    document: str = ""

    @property
    def state(self) -> Literal["given", "none", "unknown"]:
        """Whether an answer is given, nothing is needed, or nobody knew."""
        said = fold_text(self.text).strip()
        is_short = len(words_of(said)) <= _MAX_STATE_WORDS
        if is_short and pattern("none").fullmatch(said):
            return "none"
        unsure = is_unknown(self.text) or (is_short and pattern("unsure").match(said))
        return "unknown" if not said or unsure else "given"

    def meets(self, need: Need) -> bool:
        """Whether the answer holds what a prompt presupposes."""
        if need in _CHECKS:
            return meets_check(_CHECKS[need], self.text)
        return bool(pattern(need).search(self.text[:MAX_LENGTH_READ]))


class SearchLine(Struct, frozen=True):
    """A written line, and its place in words for a person."""

    text: str
    place: str


class SectionContext(Struct, frozen=True):
    """All that the panel reads before it speaks; made once for a discussion."""

    answers: tuple[LabelAnswer, ...]
    lines: tuple[SearchLine, ...]
    stems: frozenset[str]
    asked_before: tuple[str, ...]  # folded texts of earlier discussions on this step: they asked it already


def read_section(place: Table | StepBrief) -> SectionContext:
    """Return the context of a discussion or a step; the same texts are not read twice."""
    material = place.material if isinstance(place, Table) else ()
    return _read(place.item, place.step, material, place.documents)


@lru_cache(maxsize=8)
def _read(
    item: Item, step: Step, material: tuple[Material, ...], documents: tuple[Material, ...]
) -> SectionContext:
    transcripts = [each for each in documents if each.name.startswith("elaborations/")]
    written = [each for each in (*material, *documents) if each not in transcripts]
    answers = tuple(_find_answers(item.name, step, material))
    lines = [
        SearchLine(sentence, f"{answer.document}, {answer.label}")
        for answer in answers
        for sentence in split_sentences(answer.text)
    ]
    lines += document_lines("draft.md", item.text)
    answered = tuple(line.text for line in lines)
    for document in (each for each in written if is_markdown(each.name)):
        # An answer is in its document too, after its label: once is enough.
        found = document_lines(document.name, document.text)
        lines += [line for line in found if not line.text.endswith(answered)]
    unique = {line.text: line for line in reversed(lines[:MAX_LINES])}  # keeps the first of equal lines
    stems = frozenset(stem for text in unique for stem in content_stems(text))
    # Questions of earlier discussions are in the transcripts, those that were answered in the documents too.
    asked = tuple(fold_text(unescape(each.text[:MAX_DOCUMENT_LENGTH])) for each in (*transcripts, *material))
    return SectionContext(answers, tuple(reversed(unique.values())), stems, asked)


def _find_answers(title: str, step: Step, material: tuple[Material, ...]) -> Iterator[LabelAnswer]:
    """Yield the answers in the order of the questions, with empty ones for open questions."""
    texts = {each.name: each.text[:MAX_DOCUMENT_LENGTH] for each in material}
    first = next(iter(texts), "")
    given = {key: (answer, first) for key, answer in read_answers(texts, title).items()}
    for name, text in reversed(texts.items()):
        given |= {key: (answer, name) for key, answer in read_step_answers((step,), name, text).items()}
    open_ones = {fold_text(line) for text in texts.values() for _, line in find_open_questions(text)}
    asked: dict[str, Question] = {}
    for question in (*step.standard, *step.brief, *step.deep):
        asked.setdefault(question.label, question)
    for label, question in asked.items():
        answer, name = given.get((step.step_id, label), ("", first))
        if answer or fold_text(question.text) in open_ones:
            yield LabelAnswer(label, answer, name)


def document_lines(name: str, text: str) -> Iterator[SearchLine]:
    """Yield the sentences of a document, each with the heading above it."""
    place = name
    for _, line in prose_lines(_WRAPPED.sub(r"\1 ", text[:MAX_DOCUMENT_LENGTH])):
        plain = line.strip()
        if titled := parse_heading(plain):
            place = f"{name}, {titled[1]}"
        elif not _FRAME.match(plain):
            for sentence in split_sentences(plain.lstrip("-*>+ ").replace("**", "")[:_LONGEST_LINE]):
                if content_stems(sentence):
                    yield SearchLine(sentence, place)


MAX_LINES_SHOWN = 3
_SIMILAR_WEIGHT, _EXPECTED_WEIGHT, _LEAST_SCORE = 0.45, 1.6, 1.0


@lru_cache(maxsize=8)
def find_closest_lines(question: str, lines: tuple[SearchLine, ...]) -> tuple[SearchLine, ...]:
    """Return the written lines that come closest to a question, best first, if any comes close."""
    # Like BM25 for lines of one length: by the rarity of shared stems; similar stems count less.
    asked = frozenset(content_stems(question))
    rows = {line: frozenset(content_stems(line.text)) for line in lines}
    seen = Counter(stem for row in rows.values() for stem in row)
    folded = fold_text(question)
    asks_who = pattern("asks_person").search(folded)
    # A line that holds the kind of thing that a question asks for is more likely to answer it.
    kinds = [kind for kind in ("number", "reason") if pattern(f"asks_{kind}").search(folded)]

    def rarity(stem: str) -> float:
        return log(1 + (len(rows) - seen[stem] + 0.5) / (seen[stem] + 0.5))

    def score(text: str, row: frozenset[str]) -> float:
        is_expected = any(pattern(f"tells_{kind}").search(text) for kind in kinds)
        fits = meets_check(_CHECKS["person"], text) if asks_who else is_expected
        total = _EXPECTED_WEIGHT * fits + sum(map(rarity, asked & row))
        alike = (similar_stems(stem) & row for stem in asked - row)
        return total + _SIMILAR_WEIGHT * sum(max(map(rarity, stems)) for stems in alike if stems)

    scores = {line: score(line.text, row) for line, row in rows.items()}
    kept: list[SearchLine] = []
    for line in sorted(rows, key=lambda each: -scores[each]):
        # A line that only repeats the question or a better line adds nothing.
        is_echo = rows[line] == asked or any(rows[line] <= rows[each] for each in kept)
        if scores[line] >= _LEAST_SCORE and not is_echo:
            kept.append(line)
    return tuple(kept[:MAX_LINES_SHOWN])
