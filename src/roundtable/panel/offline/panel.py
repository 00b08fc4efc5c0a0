"""The offline panel: the port's requests, answered from prompts and from what was read; nothing is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, assert_never

from ...core import commands as do
from ...core.hearing import address
from ...core.lines import join_names
from ...core.text import content_stems, cut_words, words_of
from ...core.turns import USER, Material, OffTopic, Verdict
from ...documents.questions import find_open_questions
from ..base import OFFLINE, OnWords, PanelRequest, Speech, ignore_words
from .messages import find_decisions, pattern, phase_expressions, read_message, stems_of_list, strip_address
from .pairing import extract_synthesis, first_names, follow_discussion
from .prompts import Library, load_library
from .section import read_section
from .speaking import Floor, answer_aside, frame_discussion, say_next

_MAX_DOCUMENTS_NAMED = 3
_MAX_CHAT_WORDS = 30
_MAX_SUBJECT_WORDS = 8


class OfflinePanel:
    """Three colleagues without a model: they ask, keep what is said, and find lines."""

    name = OFFLINE
    kind: Final = OFFLINE

    def __init__(self, project: Path | None = None, library: Library | None = None) -> None:
        self._project = project
        self._library = library

    @property
    def library(self) -> Library:
        """The prompts in use, loaded when they are first needed."""
        return self._library or load_library(self._project)

    async def answer(self, request: PanelRequest, on_words: OnWords = ignore_words) -> Any:
        match request:
            case do.AskFraming(brief):
                return frame_discussion(brief, self.library)
            case do.AskPersona(brief):
                text = say_next(Floor(brief, self.library))
                if text is None:
                    return None
                on_words(text)
                return Speech(text)
            case do.AskVerdict(table):
                return _judge_message(table, self.library)
            case do.AskSynthesis(table):
                return extract_synthesis(table, self.library)
            case do.AskOffers():
                return ()
            case do.AskFollowUp():
                return request.criterion.follow_up
            case do.AskFeedback(brief, words) if request.aside:
                return answer_aside(brief, words)
            case do.AskFeedback(brief):
                return f"I've added that to {brief.step.title}, in your words."
            case do.AskReading():
                return _read_documents(request.material)
            case other:
                assert_never(other)


def _read_documents(material: tuple[Material, ...]) -> str:
    written = [document.name for document in material if document.text.strip()]
    if not written:
        return ""
    said = f"I've read {join_names(written[:_MAX_DOCUMENTS_NAMED])}."
    asked = [each for document in material for _, each in find_open_questions(document.text)]
    more = f" and {len(asked) - 1} more." if len(asked) > 1 else ""
    return f'{said} Still open there: "{asked[0]}"{more}' if asked else said


def _judge_message(table: do.Table, library: Library) -> Verdict:
    """Judge the last turn, the user's: what it drifts to, and whether it decides something."""
    if not table.turns or table.turns[-1].speaker != USER:
        return Verdict()
    turn = table.turns[-1]
    off_topic = _find_drift(table, library)
    chats = off_topic is not None and off_topic.is_chat
    decides = not chats and bool(find_decisions(turn.text, first_names(table)))
    return Verdict(off_topic=off_topic, decisions=(turn.number,) if decides else ())


def _find_drift(table: do.Table, library: Library) -> OffTopic | None:
    """Return what the last turn drifts to; None unless it is certain."""
    turn, names = table.turns[-1], first_names(table)
    told = [each.text for each in table.turns[:-1] if each.verdict.off_topic is None]
    discussed = " ".join((table.step.title, table.focus_question, table.focus_topic, *told))
    home = read_section(table).stems.union(content_stems(discussed))
    if _is_small_talk(strip_address(turn.text, names), home):
        said = follow_discussion(table, library).said
        if not any(each.prompt for each in said if each.turn == turn.number):
            return OffTopic(_name_subject(turn.text, names), is_chat=True)
    question = read_message(turn.text, names).of_kind("question")
    if not question or address(turn.text, table.roster).kind != "open" or not table.step.step_id:
        return None  # without a step there is no other phase that it could belong to
    asked = frozenset(content_stems(question))
    for phase, expression in phase_expressions().items():
        found = expression.search(question) if phase != table.step.step_id[:2] else None
        if found and not home.issuperset(content_stems(found[0])) and 2 * len(asked & home) <= len(asked):
            ahead = (step.step_id for step in table.steps if step.step_id.startswith(phase))
            return OffTopic(_name_subject(question, names), next(ahead, None))
    return None


def _is_small_talk(message: str, home: frozenset[str]) -> bool:
    """Whether a short message speaks of private life in passing, and of nothing that is at home here."""
    said = frozenset(content_stems(message))
    is_private = not said.isdisjoint(stems_of_list("far_off")) and home.isdisjoint(said)
    is_short = len(words_of(message)) <= _MAX_CHAT_WORDS
    chats = is_private and is_short and pattern("chat").search(message.replace("’", "'"))
    return bool(chats) and not find_decisions(message)


def _name_subject(text: str, names: tuple[str, ...]) -> str:
    return f'"{cut_words(strip_address(text, names).rstrip("?!. "), _MAX_SUBJECT_WORDS)}"'
