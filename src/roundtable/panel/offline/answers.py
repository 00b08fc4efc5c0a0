"""Answers: what the user said under each label of a step, recovered from the documents that hold it.

What stands under "Fixed Points" is a fixed point: here the meaning of a sentence is certain.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ...core.markup import plain
from ...core.steps import Question, Step
from ...core.turns import Material
from ...core.validation import is_unknown
from ...core.words import folded, words_of
from ...drafting import recall
from . import text as texts
from .lexicon import sign
from .phrases import content

_LABEL = re.compile(r"^\s*(?:[-+*•]\s+)?\*\*(?P<label>[^*\n]{1,60}?)(?::\*\*|\*\*\s*:)\s*(?P<rest>.*)$")
_OPEN = re.compile(r"^\s*-\s+Open question:\s*(?P<asked>.+)$")
_ENDS = re.compile(r"^\s*(?:#{1,6}\s|\||-\s+(?:Open question|Withdrawn):|Measured in |<!--)")
_NUMBER = re.compile(r"^[\d.]+\s+")
_ELABORATION = re.compile(r"(?:additional insights from )?elaboration", re.IGNORECASE)
_UNSURE = re.compile(
    r"\bnot (?:really |quite |entirely |so |yet )?sure\b|\bunsure\b|\bno idea\b|\bno clue\b"
    r"|(?:^|\b(?:i|we|honestly|really)[, ]+(?:really |still )?)(?:do not|don['’]?t) (?:really |quite )?know"
    r"\b",
    re.IGNORECASE,
)
_MOST_TEXT = 40_000
_SOMETHING = 3


@dataclass(frozen=True, slots=True)
class Answer:
    """A question of the step by its label, and the sentences that answer it; none where nobody knew."""

    label: str
    asked: str
    sentences: tuple[str, ...] = ()
    document: str = ""

    @property
    def known(self) -> bool:
        return bool(self.sentences)

    @property
    def text(self) -> str:
        return " ".join(self.sentences)


def answers(step: Step, material: Iterable[Material], title: str = "") -> tuple[Answer, ...]:
    """The answers to the step's questions in the order in which they are asked, with those nobody knew."""
    documents = {each.name: each.text[:_MOST_TEXT] for each in material}
    asked = _asked(step)
    given: dict[str, tuple[str, str]] = {}
    open_ones: set[str] = set()
    for name, document in documents.items():
        if not name.endswith(".md"):
            open_ones |= _unanswered(_listed(document), asked)
            continue
        lines = tuple(_own_lines(document, _headings(step, name)))
        for label, text in _labelled(lines, asked):
            given.setdefault(label, (text, name))
        found = (_OPEN.match(line) for line in lines)
        open_ones |= _unanswered((plain(each["asked"]) for each in found if each), asked)
    for (step_id, label), text in recall(documents, title).items():
        if step_id == step.step_id and folded(label) in asked:
            # One entry a line there; each is a paragraph of its own here.
            given.setdefault(folded(label), (text.replace("\n", "\n\n"), ""))
    return tuple(_answers(asked, given, open_ones))


def _answers(
    asked: Mapping[str, Question], given: Mapping[str, tuple[str, str]], open_ones: set[str]
) -> Iterator[Answer]:
    for key, question in asked.items():
        text, document = given.get(key, ("", ""))
        told = tuple(texts.sentences(tuple(text.split("\n"))))
        # "Don't know, I guess a tick" says something all the same.
        more = len(content(_UNSURE.sub(" ", text))) >= _SOMETHING
        doubts = bool(_UNSURE.search("".join(told[:1]))) and not more
        unsure = is_unknown(text) or bool(sign("undecided").match(text)) or doubts
        said = () if unsure else tuple(each for each in told if not is_unknown(each))
        if said or key in open_ones or (unsure and text):
            yield Answer(question.label, question.text, said, document)


def _asked(step: Step) -> dict[str, Question]:
    """The questions of all depths by their label, those of the standard depth first."""
    found: dict[str, Question] = {}
    for question in (*step.standard, *step.deep, *step.brief):
        found.setdefault(folded(question.label), question)
    return found


def _headings(step: Step, output: str) -> frozenset[str]:
    named = [target.section for target in step.targets if target.output == output]
    return frozenset(_NUMBER.sub("", name).casefold() for name in (*named, step.title))


def _own_lines(document: str, headings: frozenset[str]) -> Iterator[str]:
    """The lines under the step's headings, without what earlier discussions left there."""
    inside, own, block, fenced = False, 0, 0, False
    for line in document.split("\n"):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        head = None if fenced else re.match(r"(#{1,6})\s+(.+?)\s*#*$", line)
        if head:
            level, name = len(head[1]), _NUMBER.sub("", plain(head[2])).casefold()
            if name in headings:
                inside, own = True, level
            elif level <= own:
                inside = False
            if block and level <= block:
                block = 0
            if _ELABORATION.match(name):
                block = level
        if inside and not block:
            yield line


def _labelled(lines: tuple[str, ...], asked: Mapping[str, Question]) -> Iterator[tuple[str, str]]:
    """What stands after each label: the rest of its paragraph, or the list below it."""
    label, held, listed = "", list[str](), False
    for line in (*lines, "# end"):
        found = _LABEL.match(line)
        ends = bool(found or _ENDS.match(line) or (not line.strip() and held and not listed))
        if ends and label:
            yield label, "\n".join(held)
            label, held = "", []
        if found and folded(found["label"]) in asked:
            label, listed = folded(plain(found["label"])), not found["rest"].strip()
            held = [found["rest"]] if found["rest"].strip() else []
        elif label:
            held.append(plain(line) if not line.startswith((" ", "\t")) else line)


def _listed(document: str) -> tuple[str, ...]:
    """The open questions of a document that is data."""
    try:
        found = json.loads(document)
    except ValueError:
        return ()
    listed = found.get("open_questions") if isinstance(found, dict) else None
    return tuple(map(str, listed)) if isinstance(listed, list) else ()


def _unanswered(questions: Iterable[str], asked: Mapping[str, Question]) -> set[str]:
    """The labels of the questions that stand there as open ones."""
    by_words = {words_of(question.text): key for key, question in asked.items()}
    return {key for each in questions if (key := by_words.get(words_of(each))) is not None}
