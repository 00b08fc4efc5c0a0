"""The host panel: another program gives the words, such as an assistant that speaks MCP.

It hands out one request at a time and checks each reply before it counts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final, Literal, assert_never

from msgspec import Struct
from msgspec.structs import replace

from ..core import commands as do
from ..core.errors import RuleBroken
from ..core.personas import Persona
from ..core.steps import PHASE_KEYS
from ..core.synthesis import Draft
from ..core.text import clean_text
from ..core.turns import NEUTRAL, Verdict
from .base import AtTable, Framing, OnWords, PanelRequest, Speech, ignore_words
from .model.conversation import Conversation, write_request
from .model.conversation import write_turn as write_turn  # for showing a turn to a host
from .model.panel import PASS

_WORDS = {"framing": 60, "follow-up": 40, "feedback": 100, "reading": 100}
_QUESTION_WORDS, _TOPIC_WORDS, _ENTRY_WORDS = 80, 12, 120
_MAX_ENTRIES = 40
_CHARACTERS_PER_WORD = 12  # texts are limited by characters too; otherwise one without spaces would pass

MoveKind = Literal["framing", "turn", "follow-up", "feedback", "reading", "synthesis"]


class Refused(RuleBroken):
    """What a host sent does not count. Nothing changed, and the open request says what would count."""


class HostRequest(Struct, frozen=True):
    """What the host is asked for and for which speaker, worded as for a model.

    `brief` is that of a framing or turn; about `words` words are wanted, and `most` are accepted.
    """

    kind: MoveKind
    speaker: Persona | None
    conversation: Conversation
    reply: asyncio.Future[HostReply]
    brief: do.Brief | None = None
    words: int = 0
    most: int = 0
    may_pass: bool = False

    def submit(self, reply: HostReply) -> None:
        """Answer the request; raise Refused, with the reason, if the reply cannot be used."""
        if isinstance(reply, Draft):
            _check_synthesis(self, reply)
        else:
            if PASS.fullmatch(reply.text):  # as the brief words it
                reply = replace(reply, passes=True)
            _check_words(self, reply)
        self.reply.set_result(reply)


class Words(Struct, frozen=True):
    """A speaker's words, or its silence; a framing comes with its question and topic.

    `judged` is the verdict on the user's turn right before.
    """

    speaker: str
    text: str
    passes: bool = False
    focus_question: str = ""
    focus_topic: str = ""
    verdict: Verdict = NEUTRAL
    judged: Verdict = NEUTRAL


HostReply = Words | Draft


class HostPanel:
    """Asks another program for words; `on_request` is called whenever a request opens."""

    name = "host (one model speaks for every persona)"
    kind: Final = "host"

    def __init__(self, on_request: Callable[[HostRequest], None]) -> None:
        self._on_request = on_request

    async def answer(self, request: PanelRequest, on_words: OnWords = ignore_words) -> Any:
        match request:
            case do.AskFraming(brief):
                said = await self._ask("framing", request, brief.speaker)
                return Framing(said.text, said.focus_question, said.focus_topic)
            case do.AskPersona(brief):
                said = await self._ask("turn", request, brief.speaker, brief.may_be_silent)
                if said.passes:
                    return None
                on_words(said.text)
                return Speech(said.text, said.verdict, None if said.judged == NEUTRAL else said.judged)
            case do.AskSynthesis():
                return await self._ask("synthesis", request, None)
            case do.AskFollowUp(brief):
                return (await self._ask("follow-up", request, brief.persona)).text
            case do.AskFeedback(brief):
                return (await self._ask("feedback", request, brief.persona)).text
            case do.AskReading(brief):
                said = await self._ask("reading", request, brief.persona, may_pass=True)
                return "" if said.passes else said.text
            case do.AskOffers():
                return ()
            case do.AskVerdict() | do.AskFiles():
                return None  # the next speaker judges the turn; a host looks at the code with its own tools
            case other:
                assert_never(other)

    async def _ask(self, kind: MoveKind, ask: Any, speaker: Persona | None, may_pass: bool = False) -> Any:
        """Open a request and return the reply; but for a turn, 1.5 times the usual words are accepted."""
        words = _WORDS.get(kind, 0)
        told = write_request(ask, words, to_host=True)
        brief, most = ask.brief if isinstance(ask, AtTable) else None, words * 3 // 2
        if brief is not None and kind == "turn":
            words, most = brief.word_limit, brief.most_words
        future = asyncio.get_running_loop().create_future()
        self._on_request(HostRequest(kind, speaker, told, future, brief, words, most, may_pass))
        return await future


# --- what a reply has to hold ---------------------------------------------------------------------------


def _check_words(request: HostRequest, reply: Words) -> None:
    speaker = request.speaker
    if speaker is None:
        raise Refused(f"A {request.kind} is sent with submit_judgement.")
    if reply.speaker != speaker.key:
        whose = f"It is {speaker.name}'s turn ({speaker.key})"
        raise Refused(f"{whose}; {reply.speaker[:60]!r} cannot speak now.")
    if reply.passes:
        if not request.may_pass:
            raise Refused(f"{speaker.name} has to speak here and cannot pass.")
        return
    _check_length("The text", reply.text, request.most)
    if request.kind == "framing":
        _check_length("focus_question", reply.focus_question, _QUESTION_WORDS)
        _check_length("focus_topic", reply.focus_topic, _TOPIC_WORDS)
    if (brief := request.brief) is not None:
        if not brief.follows_user and reply.judged != NEUTRAL:
            raise Refused("The turn before this one is not the user's, so there is nothing to judge.")
        _check_verdict(reply.verdict, brief.table, brief.number)
        _check_verdict(reply.judged, brief.table, len(brief.table.turns))


def _check_synthesis(request: HostRequest, reply: Draft) -> None:
    if request.kind != "synthesis":
        raise Refused(f"This move asks for a {request.kind}, not for a synthesis.")
    said = f"{reply.summary} {reply.takeaway}"
    if not reply.entries and not said.strip():
        raise Refused("The synthesis is empty: send entries and a summary, or a takeaway.")
    if len(reply.entries) > _MAX_ENTRIES:
        raise Refused(f"A synthesis has at most {_MAX_ENTRIES} entries, not {len(reply.entries)}.")
    _check_length("The summary", said, _ENTRY_WORDS)
    for entry in reply.entries:
        _check_length("An entry", f"{entry.text} {entry.detail}", _ENTRY_WORDS)


def _check_verdict(verdict: Verdict, table: do.Table, number: int) -> None:
    """Check the turns and the place that a verdict names; an unknown place would silently lose the point."""
    if missing := verdict.missing_turns(number):
        raise Refused(f"Turn {missing[0]} does not exist; this is turn {number}.")
    if verdict.off_topic is None:
        return
    _check_length("off_topic", verdict.off_topic.subject, _QUESTION_WORDS)
    place, known = verdict.off_topic.belongs_to, {step.step_id: step.title for step in table.steps}
    if place is not None and place not in (*PHASE_KEYS, *known):
        names = ", ".join([*PHASE_KEYS, *(f"{step_id} ({title})" for step_id, title in known.items())])
        places = f"There are {names}; leave it out for anything else."
        raise Refused(f"There is no step or phase {place[:60]!r} for belongs_to. {places}")


def _check_length(name: str, text: str, most: int) -> None:
    words = clean_text(text).strip()
    if not words:
        raise Refused(f"{name} is empty.")
    counts = {"words": (len(words.split()), most), "characters": (len(words), most * _CHARACTERS_PER_WORD)}
    for unit, (count, limit) in counts.items():
        if count > limit:
            raise Refused(f"{name} has {count} {unit}; at most {limit} are taken.")
