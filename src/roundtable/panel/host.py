"""The host panel: another program gives the words, such as an assistant that speaks MCP.

It hands out one request at a time and checks each reply before it counts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Literal, assert_never

from msgspec import Struct
from msgspec.structs import replace

from ..core import commands as do
from ..core.errors import RuleBroken
from ..core.personas import Persona
from ..core.steps import PHASE_KEYS
from ..core.synthesis import Draft
from ..core.text import clean_text
from ..core.turns import NEUTRAL, Verdict
from ..documents.drafting import draft
from .base import HOST, AskFiles, Framing, OnWords, PanelRequest, Speech, ignore_words

SUMMARY_WORDS, FOLLOW_UP_WORDS, REPLY_WORDS = 60, 40, 100
QUESTION_WORDS, TOPIC_WORDS, ENTRY_WORDS = 80, 12, 120
MAX_ENTRIES = 40
CHARACTERS_PER_WORD = 12
"""Texts are limited by characters too; otherwise one without spaces would pass."""

Kind = Literal["framing", "turn", "follow-up", "feedback", "reading", "synthesis"]


class HostRequest(Struct, frozen=True):
    """What the host is asked for, by whom it is spoken, and on what grounds.

    `words` is the length to aim for and `most` the limit; `again` says what was wrong with the last reply.
    """

    kind: Kind
    speaker: Persona | None
    grounds: do.Brief | do.AskSynthesis | do.AskFollowUp | do.AskFeedback | do.AskReading
    words: int = 0
    most: int = 0
    may_pass: bool = False
    again: tuple[str, ...] = ()


class Words(Struct, frozen=True):
    """A speaker's words, or its silence; a framing comes with its question and topic.

    `judged` is what it says of the user's turn that it follows.
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

    def __init__(self, on_request: Callable[[HostRequest], None]) -> None:
        self._on_request = on_request
        self._request: HostRequest | None = None
        self._reply: asyncio.Future[HostReply] | None = None

    @property
    def name(self) -> str:
        return HOST

    def submit(self, reply: HostReply) -> None:
        """Answer the open request once; raise RuleBroken, with the reason, if the reply cannot be used."""
        if self._request is None or self._reply is None or self._reply.done():
            raise RuleBroken("Nothing is asked of a persona now.")
        if isinstance(reply, Draft):
            _check_synthesis(self._request, reply)
        else:
            _check_words(self._request, reply)
        self._reply.set_result(reply)

    async def answer(self, request: PanelRequest, on_words: OnWords = ignore_words) -> Any:
        match request:
            case do.AskFraming(brief):
                said = await self._ask_words(
                    "framing", brief.speaker, brief, SUMMARY_WORDS, again=brief.again
                )
                return Framing(said.text, said.focus_question, said.focus_topic)
            case do.AskPersona(brief):
                said = await self._ask_words(
                    "turn", brief.speaker, brief, brief.word_limit, most=brief.most_words,
                    may_pass=brief.may_pass, again=brief.again,
                )  # fmt: skip
                if said.passes:
                    return None
                on_words(said.text)
                return Speech(said.text, said.verdict, None if said.judged == NEUTRAL else said.judged)
            case do.AskVerdict():
                return None  # whoever speaks next judges the turn with its own words
            case do.AskSynthesis():
                return await self._ask(HostRequest("synthesis", None, request, again=request.problems))
            case do.AskOffers():
                return ()
            case do.AskFollowUp(brief):
                return (await self._ask_words("follow-up", brief.persona, request, FOLLOW_UP_WORDS)).text
            case do.AskDraft():
                # The sections hold what the person answered: nothing is left for a host to word.
                return draft(request, {each.name: each.text for each in request.material})
            case do.AskFeedback(brief):
                speaker = brief.persona if request.aside else _find_lead(brief)
                return (await self._ask_words("feedback", speaker, request, REPLY_WORDS)).text
            case do.AskReading(brief, material):
                if not material:
                    return ""
                said = await self._ask_words(
                    "reading", _find_lead(brief), request, REPLY_WORDS, may_pass=True
                )
                return "" if said.passes else said.text
            case AskFiles():
                return None  # a host looks at the code with its own tools
            case other:
                assert_never(other)

    async def _ask_words(
        self, kind: Kind, speaker: Persona, grounds: Any, words: int, *, most: int = 0, **more: Any
    ) -> Words:
        """Ask for a persona's words; without `most`, half as many again as `words` are accepted."""
        reply = await self._ask(HostRequest(kind, speaker, grounds, words, most or words * 3 // 2, **more))
        assert isinstance(reply, Words)  # `submit` has checked it against the request
        return replace(
            reply, text=clean_text(reply.text).strip(), focus_topic=clean_text(reply.focus_topic).strip(),
            focus_question=clean_text(reply.focus_question).strip(),
        )  # fmt: skip

    async def _ask(self, request: HostRequest) -> HostReply:
        self._request, self._reply = request, asyncio.get_running_loop().create_future()
        self._on_request(request)
        try:
            return await self._reply
        finally:
            self._request = self._reply = None


def _find_lead(brief: do.StepBrief) -> Persona:
    return brief.roster.lead_of(brief.step.phase.key if brief.step.phase else "").persona


# --- what a reply has to hold ---------------------------------------------------------------------------


def _check_words(request: HostRequest, reply: Words) -> None:
    speaker = request.speaker
    if speaker is None:
        raise RuleBroken(f"A {request.kind} is sent with submit_judgement.")
    if reply.speaker != speaker.key:
        raise RuleBroken(
            f"It is {speaker.name}'s turn ({speaker.key}); {reply.speaker[:60]!r} cannot speak now."
        )
    if reply.passes:
        if not request.may_pass:
            raise RuleBroken(f"{speaker.name} has to speak here and cannot pass.")
        return
    _check_length("The text", reply.text, request.most)
    if request.kind == "framing":
        _check_length("focus_question", reply.focus_question, QUESTION_WORDS)
        _check_length("focus_topic", reply.focus_topic, TOPIC_WORDS)
    if isinstance(brief := request.grounds, do.Brief):
        _check_verdict(reply.verdict, brief.table, brief.number)
        if not brief.follows_user and reply.judged != NEUTRAL:
            raise RuleBroken("The turn before this one is not the user's, so there is nothing to judge.")
        _check_verdict(reply.judged, brief.table, len(brief.table.turns))


def _check_synthesis(request: HostRequest, reply: Draft) -> None:
    if request.kind != "synthesis":
        raise RuleBroken(f"This move asks for a {request.kind}, not for a synthesis.")
    if not reply.entries and not reply.summary.strip() and not reply.takeaway.strip():
        raise RuleBroken("The synthesis is empty: send entries and a summary, or a takeaway.")
    if len(reply.entries) > MAX_ENTRIES:
        raise RuleBroken(f"A synthesis has at most {MAX_ENTRIES} entries, not {len(reply.entries)}.")
    _check_length("The summary", f"{reply.summary} {reply.takeaway}", ENTRY_WORDS)
    for entry in reply.entries:
        _check_length("An entry", f"{entry.text} {entry.detail}", ENTRY_WORDS)


def _check_verdict(verdict: Verdict, table: do.Table, number: int) -> None:
    """Check the turns and the place that a verdict names; an unknown place would silently lose the point."""
    missing = verdict.missing_turns(number)
    if missing:
        raise RuleBroken(f"Turn {missing[0]} does not exist; this is turn {number}.")
    if verdict.off_topic is None:
        return
    _check_length("off_topic", verdict.off_topic.subject, QUESTION_WORDS)
    place = verdict.off_topic.belongs_to
    steps = tuple(step.step_id for step in table.steps)
    if place is not None and place not in (*PHASE_KEYS, *steps):
        raise RuleBroken(
            f"There is no step or phase {place[:60]!r} for belongs_to. Phases: {', '.join(PHASE_KEYS)}; "
            f"steps: {', '.join(steps)}; leave it out for anything else."
        )


def _check_length(name: str, text: str, most: int) -> None:
    words = clean_text(text).strip()
    if not words:
        raise RuleBroken(f"{name} is empty.")
    count = len(words.split())
    if count > most:
        raise RuleBroken(f"{name} has {count} words; at most {most} are taken.")
    if len(words) > most * CHARACTERS_PER_WORD:
        raise RuleBroken(
            f"{name} has {len(words)} characters; at most {most * CHARACTERS_PER_WORD} are taken."
        )
