"""The states of an elaboration, and what each can wait for."""

from __future__ import annotations

from enum import StrEnum


class State(StrEnum):
    """The five states; there is no sixth."""

    ENTRY = "ENTRY"
    TOPIC_FRAMING = "TOPIC_FRAMING"
    DISCUSSION_LOOP = "DISCUSSION_LOOP"
    SYNTHESIS = "SYNTHESIS"
    STATE_PERSIST = "STATE_PERSIST"


class Awaited(StrEnum):
    """What the machine waits for."""

    CONTEXT = "the step's context"
    FRAMING = "the framing"
    PERSONA = "a persona"
    VERDICT = "a verdict on the user's words"
    USER = "the user"
    EXIT = "whether the user wants to end"
    LIMIT = "the raised limit on disk"
    DRAFT = "a draft of the synthesis"
    ARTIFACTS = "the artifacts on disk"
    RECORD = "the record on disk"
    NOTHING = "nothing: it has ended"
