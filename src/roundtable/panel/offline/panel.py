"""The offline panel: the port's requests, answered from prompts and from what was read.

It keeps nothing between two requests but what it has loaded, so the same request always gets the same answer.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ...core.commands import (
    AskDraft,
    AskFeedback,
    AskFollowUp,
    AskSynthesis,
    Brief,
    ExtractSynthesis,
    StepBrief,
    Table,
)
from ...core.events import SectionText
from ...core.lines import join_names
from ...core.synthesis import Draft
from ...core.turns import Material, Verdict
from ..base import Framing, Hearer, Speech

if TYPE_CHECKING:
    from .prompts import Library

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
            from .prompts import load_library

            self._library = load_library(self._project)
        return self._library

    async def frame(self, brief: Brief) -> Framing:
        from .speaking import frame_discussion

        return frame_discussion(brief, self.library)

    async def speak(self, brief: Brief, heard: Hearer) -> Speech | None:
        from .section import read_section
        from .speaking import Floor, say_next

        text = say_next(Floor(brief, read_section(brief.table), self.library))
        if text is None:
            return None
        heard(text)
        return Speech(text)

    async def judge(self, table: Table) -> Verdict:
        from .focus import judge_message
        from .section import read_section

        return judge_message(table, read_section(table), self.library)

    async def synthesise(self, ask: AskSynthesis | ExtractSynthesis) -> Draft:
        from .synthesis import extract_synthesis

        return extract_synthesis(ask.table, self.library)

    async def follow_up(self, ask: AskFollowUp) -> str:
        return ask.criterion.follow_up

    async def draft(self, ask: AskDraft, material: tuple[Material, ...]) -> tuple[SectionText, ...]:
        from ...documents.drafting import draft

        return draft(ask, {each.name: each.text for each in material})

    async def take_up(self, ask: AskFeedback) -> str:
        return f"I've added that to {ask.brief.step.title}, in your words."

    async def read(self, brief: StepBrief, material: tuple[Material, ...]) -> str:
        """Name the documents there are, and the first question that they leave open."""
        from ...documents.answers import find_open_questions

        written = [document.name for document in material if document.text.strip()]
        if not written:
            return ""
        said = f"I've read {join_names(written[:_MAX_DOCUMENTS_NAMED])}."
        asked = next((each for document in material for _, each in find_open_questions(document.text)), "")
        return f'{said} Still open there: "{asked}"' if asked else said
