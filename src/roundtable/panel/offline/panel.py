"""The offline panel: the port's requests, answered from prompts and from what was read.

It keeps nothing between two requests but what it has loaded, so the same request always gets the same answer.
Whether the user's words drift is judged by words alone and only where they leave no doubt (FOCUS-1).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, assert_never

from ...core import commands as do
from ...core.hearing import address
from ...core.lines import join_names
from ...core.text import content_stems, cut_words, words_of
from ...core.turns import USER, Material, OffTopic, Verdict
from ...documents.questions import find_open_questions
from ..base import OFFLINE, AskFiles, OnWords, PanelRequest, Speech, ignore_words
from .lexicon import pattern, phase_expressions, stems_of_list, strip_address
from .messages import find_decisions, read_message
from .pairing import first_names, follow_discussion
from .prompts import Library, load_library
from .section import read_section
from .speaking import Floor, answer_aside, frame_discussion, say_next
from .synthesis import extract_synthesis

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
        if self._library is None:
            self._library = load_library(self._project)
        return self._library

    async def answer(self, request: PanelRequest, on_words: OnWords = ignore_words) -> Any:
        match request:
            case do.AskFraming(brief):
                return frame_discussion(brief, self.library)
            case do.AskPersona(brief):
                text = say_next(Floor(brief, read_section(brief.table), self.library))
                if text is not None:
                    on_words(text)
                return None if text is None else Speech(text)
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
            case AskFiles():
                return None
            case other:
                assert_never(other)


def _read_documents(material: tuple[Material, ...]) -> str:
    """Name the documents there are, and the first question that they leave open."""
    written = [document.name for document in material if document.text.strip()]
    if not written:
        return ""
    said = f"I've read {join_names(written[:_MAX_DOCUMENTS_NAMED])}."
    asked = [each for document in material for _, each in find_open_questions(document.text)]
    if len(asked) > 1:
        return f'{said} {len(asked)} questions are open there. The first: "{asked[0]}"'
    return f'{said} Still open there: "{asked[0]}"' if asked else said


# --- focus ----------------------------------------------------------------------------------------------


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
            return OffTopic(_subject(turn.text, names), is_chat=True)
    question = read_message(turn.text, names).of_kind("question")
    if not question or address(turn.text, table.roster).kind != "open" or not table.step.step_id:
        return None  # without a step there is no other phase that it could belong to
    asked = frozenset(content_stems(question))
    for phase, expression in phase_expressions().items():
        found = expression.search(question)
        if phase == table.step.step_id[:2] or found is None:
            continue
        if not home.issuperset(content_stems(found[0])) and len(asked & home) <= len(asked) // 2:
            step = next((step for step in table.steps if step.step_id.startswith(phase)), None)
            return OffTopic(_subject(question, names), step.step_id if step else None)
    return None


def _is_small_talk(message: str, home: frozenset[str]) -> bool:
    """Whether a short message speaks of private life or the meeting, and of nothing that is at home here.

    It holds one of the words `far_off`, and speaks the way people do in passing.
    """
    said = frozenset(content_stems(message))
    is_private = not said.isdisjoint(stems_of_list("far_off")) and home.isdisjoint(said)
    is_short = len(words_of(message)) <= _MAX_CHAT_WORDS
    chats = is_private and is_short and pattern("chat").search(message.replace("’", "'"))
    return bool(chats) and not find_decisions(message)


def _subject(text: str, names: tuple[str, ...]) -> str:
    return f'"{cut_words(strip_address(text, names).rstrip("?!. "), _MAX_SUBJECT_WORDS)}"'
