"""The offline panel: the port's requests, answered from prompts and from what was read.

It keeps nothing between two requests but what it has loaded, so the same request always gets the same answer.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, assert_never

from ...core import commands as do
from ...core.lines import join_names
from ...core.turns import Material
from ...documents.drafting import draft
from ...documents.questions import find_open_questions
from ..base import AskFiles, OnWords, PanelRequest, Speech, ignore_words
from .focus import judge_message
from .prompts import Library, load_library
from .section import read_section
from .speaking import Floor, answer_aside, frame_discussion, say_next
from .synthesis import extract_synthesis

NAME = "offline"
_MAX_DOCUMENTS_NAMED = 3


class OfflinePanel:
    """Three colleagues without a model: they ask, keep what is said, and find lines."""

    def __init__(self, project: Path | None = None, library: Library | None = None) -> None:
        self._project = project
        self._library = library

    @property
    def name(self) -> str:
        return NAME

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
                return self._speak(brief, on_words)
            case do.AskVerdict(table):
                return judge_message(table, read_section(table), self.library)
            case do.AskSynthesis(table):
                return extract_synthesis(table, self.library)
            case do.AskOffers():
                return ()
            case do.AskFollowUp():
                return request.criterion.follow_up
            case do.AskDraft():
                return draft(request, {each.name: each.text for each in request.material})
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

    def _speak(self, brief: do.Brief, on_words: OnWords) -> Speech | None:
        text = say_next(Floor(brief, read_section(brief.table), self.library))
        if text is None:
            return None
        on_words(text)
        return Speech(text)


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
