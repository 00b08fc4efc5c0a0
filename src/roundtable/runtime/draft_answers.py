"""Draft answers from the documents, the item and the code; answers that stay unasked (STEP-4, STEP-5)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from msgspec.structs import replace

from ..core import lazy_re as re
from ..core.analysis import ASSUMED, GUESSED, STANDING, UNKNOWN
from ..core.commands import Answer, AskDraft, AskOffers, StepBrief
from ..core.depth import read_scope
from ..core.events import Offer
from ..core.steps import Item, Question, split_drafts
from ..core.synthesis import UNVERIFIED, mark_unverified, strip_mark
from ..core.text import split_sentences, strip_unprintable

Stored = Mapping[tuple[str, str], str]
"""Answers that stand in the documents, by step and label."""
Surveyed = Callable[[str], str | None]
"""What the code survey suggests for a label of the step in hand."""

_MAX_OFFER_LENGTH = 400
_ANSWER = re.compile(r"answer\s++(?:(?P<step>\d\d-\d\d)\s++)?(?P<label>.+)", re.IGNORECASE)


def collect_offers(ask: AskOffers, stored: Stored, surveyed: Surveyed) -> tuple[Offer, ...]:
    """Return the draft answers for the questions, from where each question says that one may come."""
    drafts, subjects = list[Offer](), list[Offer]()
    for question in ask.questions:
        if given := stored.get((ask.brief.step.step_id, question.label)):
            # Whole: taken as it is, it replaces what stands there, and is no longer an assumption.
            drafts.append(Offer(question.label, given.removesuffix(ASSUMED), STANDING))
        elif draft := _offer_from(question.draft, ask.brief, question, stored, surveyed):
            drafts.append(draft)
        if question.shows == "survey" and drafts and drafts[-1].label == question.label:
            continue  # the user has named the places: what the code suggests would only be noise
        if subject := _offer_from(question.shows, ask.brief, question, stored, surveyed):
            subjects.append(replace(subject, is_subject=True))
    return (*drafts, *subjects)


def keep_answers(ask: AskDraft, stored: Stored, open_questions: Collection[str]) -> AskDraft:
    """Return the request with the step's answers that stand in the documents and were not asked for again.

    `open_questions` are the questions that stand there as open; they stay open.
    """
    step, given = ask.brief.step, {answer.label: answer for answer in ask.brief.answers}
    answers: dict[str, Answer] = {}
    for question in step.every_question:
        text = stored.get((step.step_id, question.label), "")
        if question.label in given:
            answers[question.label] = given[question.label]
        elif text and not _is_superseded(question.label, text, given):
            answers.setdefault(question.label, Answer(question.label, question.text, text))
        elif question.text in open_questions:
            answers.setdefault(question.label, Answer(question.label, question.text, UNKNOWN, unknown=True))
    return replace(ask, brief=replace(ask.brief, answers=tuple((answers | given).values())))


def _is_superseded(label: str, text: str, given: Mapping[str, Answer]) -> bool:
    """Whether another answer says otherwise: asked briefly, the scope is given with the complexity."""
    if label != "Complexity" or "Scope" not in given:
        return False
    complexity = read_scope(f"Scope: {given['Scope'].text}")[1]
    return complexity is not None and complexity != read_scope(f"Complexity: {text}")[1]


def _offer_from(
    sources: str, brief: StepBrief, question: Question, stored: Stored, surveyed: Surveyed
) -> Offer | None:
    """Return what the first of the sources gives that gives anything."""
    for source in split_drafts(sources):
        kind = source.casefold()
        text, origin = "", ""
        if kind in _ITEM_DRAFTS:
            text, origin = _draft_from_item(kind, brief.item), "the item"
            if text and UNVERIFIED in f"{brief.item.name} {brief.item.own_text}":
                text = mark_unverified(text)  # a host added the item, so its words are the host's
        elif kind == "survey":
            text, origin = surveyed(question.label) or "", GUESSED
        elif kind.startswith("text:"):
            text = source[5:].strip()
        elif found := _ANSWER.fullmatch(source):
            label = found["label"].strip()
            step_id = found["step"] or brief.step.step_id
            text, origin = stored.get((step_id, label), ""), f"step {step_id}, {label}"
            if step_id == brief.step.step_id:
                own = [each for each in brief.answers if each.label == label and not each.unknown]
                text = "".join(mark_unverified(each.text) if each.relayed else each.text for each in own)
                origin = f"your answer on {label}"
        if text:
            return Offer(question.label, text, origin)
    return None


_LISTED = re.compile(r"(?m)^[ \t]*(?:\d{1,2}[.)]|[-*+])[ \t]+(\S.*)$")
_REPEATS = re.compile(r"\b(?:reproduc\w*|repeat|repro|steps|to see it|how to)\b", re.IGNORECASE)
_WISHES = re.compile(r"\b(?:should|must|expect(?:ed|s)?|instead of|want(?:s)? to)\b", re.IGNORECASE)
_REQUESTS = re.compile(rf"{_WISHES.pattern}|^(?:let|allow|add|support|make|provide)\b", re.IGNORECASE)
_LEFT_OUT = re.compile(
    r"\b(?:stays?|remains?|out of scope|not part of|left out|unchanged|no new)\b", re.IGNORECASE
)
_EXPECTED = re.compile(r"^expected[^:.]{0,20}: ", re.IGNORECASE)
_NOT_PROSE = re.compile(r"#|[-*+] |```|>|\|")


def _find_steps(text: str) -> str:
    """Return how the item says that it can be repeated: its numbered list or its code; empty without one."""
    hint = _REPEATS.search(text)
    if hint is None:
        return ""
    after = text[hint.start() :]
    opening = after.find("\n```")
    closing = after.find("\n```", opening + len("\n```"))
    if 0 <= opening < closing:
        return f"{after[opening:closing].strip()}\n```"
    return "\n".join(_LISTED.findall(after)[:12])


def _draft_from_item(kind: str, item: Item) -> str:
    """Return what a question's draft takes from the item's own text: one of `_ITEM_DRAFTS`."""
    text = strip_mark(strip_unprintable(item.own_text))
    if kind == "item steps":
        return _find_steps(text)
    paragraphs = (" ".join(each.split()) for each in re.split(r"\n\s*\n", text))
    beginning = _shorten(next((each for each in paragraphs if each and not _NOT_PROSE.match(each)), ""))
    if kind == "item":
        return " ".join(each for each in split_sentences(beginning) if not _REQUESTS.search(each))
    prose = " ".join(re.sub(r"(?s)```.*?```", " ", text).split())
    found = [each for each in split_sentences(prose) if _ITEM_DRAFTS[kind].search(each)]
    if kind == "item whole":
        asked = _shorten(" ".join(each for each in found if each not in beginning))
        return " ".join(part for part in (beginning, asked) if part) or item.name
    said = " ".join(found)
    if kind == "item wish":
        said = _EXPECTED.sub("", said)
        said = said[:1].upper() + said[1:]
    return _shorten(said)


_ITEM_DRAFTS: Mapping[str, re.Pattern[str]] = {
    "item": _REQUESTS,
    "item whole": _WISHES,
    "item steps": _REPEATS,
    "item request": _REQUESTS,
    "item wish": _WISHES,
    "item left": _LEFT_OUT,
}
"""What a question's draft can take from the item's own text, and by which words it is told."""


def _shorten(text: str) -> str:
    """Return the text, cut after a sentence or a word if it is too long to confirm at a glance."""
    if len(text) <= _MAX_OFFER_LENGTH:
        return text
    cut = text[:_MAX_OFFER_LENGTH]
    sentence = max(cut.rfind(". "), cut.rfind("? "), cut.rfind("! "))
    return cut[: sentence + 1] if sentence > _MAX_OFFER_LENGTH // 3 else cut.rsplit(" ", 1)[0] + " ..."
