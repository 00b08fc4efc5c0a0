"""The stages of a leg of the analysis: what it waits for."""

from __future__ import annotations

from enum import StrEnum


class Stage(StrEnum):
    """What the analysis waits for."""

    READING = "what the incoming persona read"
    OFFERS = "the draft answers"
    ANSWER = "an answer"
    FOLLOW_UP = "a follow-up question"
    DEPTH = "the new depth on disk"
    DRAFT = "the text of the step's sections"
    WRITTEN = "the step's artifacts on disk"
    SAVED = "the step in meta.json"
    MENU = "a choice at the menu"
    MENU_DEPTH = "the new depth on disk, at the menu"
    FEEDBACK = "the lead's reply to feedback"
    FEEDBACK_WRITTEN = "the feedback on disk"
    DRAFTS = "the drafts of skipped steps on disk"
    PHASE = "the phase in meta.json"
    FINISHED = "whether to start over"
    ELABORATION = "the roundtable"
    ENDED = "nothing: the leg has ended"
