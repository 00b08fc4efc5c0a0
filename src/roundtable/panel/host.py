"""Requests: what is asked of the host, one at a time, and the replies that it may send."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, assert_never

from ..core.commands import (
    AskDraft,
    AskFeedback,
    AskFollowUp,
    AskSynthesis,
    Brief,
    ExtractSynthesis,
    StepBrief,
    Table,
)
from ..core.errors import PanelFailed, RuleBroken
from ..core.events import SectionText
from ..core.personas import Persona
from ..core.steps import PHASE_KEYS, Target
from ..core.synthesis import Draft
from ..core.text import strip_unprintable
from ..core.turns import NEUTRAL, Material, Verdict
from ..documents.drafting import draft
from .base import Framing, Hearer, Speech

Kind = Literal["framing", "turn", "follow-up", "section", "feedback", "reading", "verdict", "synthesis"]

CHARACTERS_PER_WORD = 12
"""A text is over-long by its characters too, or one without spaces would pass."""


@dataclass(frozen=True, slots=True)
class HostSection:
    """A section that a step writes, with the text that the rules make of the answers."""

    brief: StepBrief
    target: Target
    draft: str


@dataclass(frozen=True, slots=True)
class Reading:
    """The documents that an incoming persona has read."""

    brief: StepBrief
    material: tuple[Material, ...]


Grounds = Brief | Table | AskSynthesis | AskFollowUp | AskFeedback | HostSection | Reading


@dataclass(frozen=True, slots=True)
class HostRequest:
    """What is asked for, of whom, on what grounds.

    `words` are asked for and `most` are taken; `again` says what was wrong with the reply before.
    """

    kind: Kind
    speaker: Persona | None
    grounds: Grounds
    words: int = 0
    most: int = 0
    may_pass: bool = False
    again: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Words:
    """A speaker's words, or its silence; a framing comes with its question and topic."""

    speaker: str
    text: str
    passes: bool = False
    focus_question: str = ""
    focus_topic: str = ""
    verdict: Verdict = NEUTRAL


Reply = Words | Verdict | Draft


QUESTION_WORDS, TOPIC_WORDS, ENTRY_WORDS = 80, 12, 120
MOST_ENTRIES = 40
_KEPT = re.compile(r"\*\*[^*\n]{1,60}\*\*|\b[A-Z]{1,5}-\d+\b")


def check(request: HostRequest, reply: Reply) -> None:
    """Raise RuleBroken, with the reason, where the reply cannot be taken."""
    match reply:
        case Words():
            _check_words(request, reply)
        case Verdict():
            _check_verdict(request, reply)
        case Draft():
            _check_draft(request, reply)
        case other:
            assert_never(other)


def clean(text: str) -> str:
    """The text as it may be shown: no control characters, no space around it."""
    return strip_unprintable(text.replace("\r\n", "\n").replace("\r", "\n")).strip()


def _check_words(request: HostRequest, reply: Words) -> None:
    speaker = request.speaker
    if speaker is None or request.kind in ("verdict", "synthesis"):
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
    if isinstance(request.grounds, Brief):
        _check_turns(reply.verdict, request.grounds.number)
        _check_place(reply.verdict, request.grounds.table)
    if isinstance(request.grounds, HostSection):
        _check_section(request.grounds, reply.text)


def _check_verdict(request: HostRequest, reply: Verdict) -> None:
    if request.kind != "verdict" or not isinstance(request.grounds, Table):
        raise RuleBroken(f"This move asks for a {request.kind}, not for a verdict.")
    _check_turns(reply, len(request.grounds.turns))
    _check_place(reply, request.grounds)


def _check_draft(request: HostRequest, reply: Draft) -> None:
    if request.kind != "synthesis" or not isinstance(request.grounds, AskSynthesis):
        raise RuleBroken(f"This move asks for a {request.kind}, not for a synthesis.")
    if not reply.entries and not reply.summary.strip() and not reply.takeaway.strip():
        raise RuleBroken("The synthesis is empty: send entries and a summary, or a takeaway.")
    if len(reply.entries) > MOST_ENTRIES:
        raise RuleBroken(f"A synthesis has at most {MOST_ENTRIES} entries, not {len(reply.entries)}.")
    _check_length("The summary", f"{reply.summary} {reply.takeaway}", ENTRY_WORDS)
    for entry in reply.entries:
        _check_length("An entry", f"{entry.text} {entry.detail}", ENTRY_WORDS)


def _check_length(name: str, text: str, most: int) -> None:
    words = clean(text)
    if not words:
        raise RuleBroken(f"{name} is empty.")
    count = len(words.split())
    if count > most:
        raise RuleBroken(f"{name} has {count} words; at most {most} are taken.")
    if len(words) > most * CHARACTERS_PER_WORD:
        raise RuleBroken(
            f"{name} has {len(words)} characters; at most {most * CHARACTERS_PER_WORD} are taken."
        )


def _check_turns(verdict: Verdict, number: int) -> None:
    missing = verdict.missing_turns(number)
    if missing:
        raise RuleBroken(f"Turn {missing[0]} does not exist; this is turn {number}.")
    if verdict.off_topic is not None:
        _check_length("off_topic", verdict.off_topic.subject, QUESTION_WORDS)


def _check_place(verdict: Verdict, table: Table) -> None:
    """A place that nobody knows would lose the point in silence."""
    place = verdict.off_topic.belongs_to if verdict.off_topic is not None else None
    steps = tuple(step.step_id for step in table.steps)
    if place is not None and place not in (*PHASE_KEYS, *steps):
        raise RuleBroken(
            f"There is no step or phase {place[:60]!r} for belongs_to. Phases: {', '.join(PHASE_KEYS)}; "
            f"steps: {', '.join(steps)}; leave it out for anything else."
        )


def _check_section(section: HostSection, text: str) -> None:
    """Labels and ids are what other documents and later steps find the section's content by."""
    lost = [each for each in dict.fromkeys(_KEPT.findall(section.draft)) if each not in text]
    if lost:
        raise RuleBroken(
            f"These labels and ids of the draft must stay in the section: {', '.join(lost[:12])}."
        )


NAME = "host (one model speaks for every persona)"
SUMMARY_WORDS, FOLLOW_UP_WORDS, REPLY_WORDS, SECTION_WORDS = 60, 40, 100, 150
LONGEST_DRAFT = 6_000
"""A longer draft stays as the rules made it: nobody can be asked to keep all of it."""


class HostPanel:
    """Asks another program for words; `asked` is called whenever a request opens."""

    def __init__(self, asked: Callable[[HostRequest], None]) -> None:
        self._asked = asked
        self._request: HostRequest | None = None
        self._reply: asyncio.Future[Reply] | None = None

    @property
    def name(self) -> str:
        return NAME

    def submit(self, reply: Reply) -> None:
        """Answer the open request, once; RuleBroken, with the reason, where the reply cannot be taken."""
        if self._request is None or self._reply is None or self._reply.done():
            raise RuleBroken("Nothing is asked of a persona now.")
        check(self._request, reply)
        self._reply.set_result(reply)

    # --- the port ---------------------------------------------------------------------------------------

    async def frame(self, brief: Brief) -> Framing:
        said = await self._words("framing", brief.speaker, brief, SUMMARY_WORDS)
        return Framing(said.text, said.focus_question, said.focus_topic)

    async def speak(self, brief: Brief, heard: Hearer) -> Speech | None:
        said = await self._words(
            "turn", brief.speaker, brief, brief.word_limit, may_pass=brief.may_pass, again=brief.again
        )
        if said.passes:
            return None
        heard(said.text)
        return Speech(said.text, said.verdict)

    async def judge(self, table: Table) -> Verdict:
        reply = await self._ask(HostRequest("verdict", None, table))
        if not isinstance(reply, Verdict):
            raise PanelFailed("The host sent no verdict.")
        return reply

    async def synthesise(self, ask: AskSynthesis | ExtractSynthesis) -> Draft:
        if isinstance(ask, ExtractSynthesis):
            raise PanelFailed("The host does not extract; the offline panel does.")
        request = HostRequest("synthesis", None, ask, again=ask.problems)
        reply = await self._ask(request)
        if not isinstance(reply, Draft):
            raise PanelFailed("The host sent no synthesis.")
        return reply

    async def follow_up(self, ask: AskFollowUp) -> str:
        return (await self._words("follow-up", ask.brief.persona, ask, FOLLOW_UP_WORDS)).text

    async def draft(self, ask: AskDraft, material: tuple[Material, ...]) -> tuple[SectionText, ...]:
        """The sections as the rules draft them from the answers; pages are given to the host to write."""
        ruled = draft(ask, {each.name: each.text for each in material})
        return tuple([await self._section(ask.brief, each) for each in ruled])

    async def take_up(self, ask: AskFeedback) -> str:
        lead = ask.brief.roster.lead_of(ask.brief.step.phase.key if ask.brief.step.phase else "").persona
        return (await self._words("feedback", lead, ask, REPLY_WORDS)).text

    async def read(self, brief: StepBrief, material: tuple[Material, ...]) -> str:
        if not material:
            return ""
        lead = brief.roster.lead_of(brief.step.phase.key if brief.step.phase else "").persona
        said = await self._words("reading", lead, Reading(brief, material), REPLY_WORDS, may_pass=True)
        return "" if said.passes else said.text

    # --- asking -----------------------------------------------------------------------------------------

    async def _section(self, brief: StepBrief, ruled: SectionText) -> SectionText:
        if not ruled.target.output.lower().endswith(".md") or len(ruled.text) > LONGEST_DRAFT:
            return ruled
        section = HostSection(brief, ruled.target, ruled.text)
        # By its characters too, or a draft of few and long words could not be sent back as it is.
        words = max(len(ruled.text.split()), len(ruled.text) // CHARACTERS_PER_WORD + 1)
        most = max(2 * words, SECTION_WORDS)
        said = await self._words("section", brief.persona, section, words, most=most, may_pass=True)
        return ruled if said.passes else SectionText(ruled.target, said.text)

    async def _words(
        self,
        kind: Kind,
        speaker: Persona,
        grounds: Grounds,
        words: int,
        *,
        most: int | None = None,
        may_pass: bool = False,
        again: tuple[str, ...] = (),
    ) -> Words:
        """Words by that persona; `words` are asked for, `most` are taken, else half as many more."""
        request = HostRequest(kind, speaker, grounds, words, most or words * 3 // 2, may_pass, again)
        reply = await self._ask(request)
        if not isinstance(reply, Words):
            raise PanelFailed("The host sent no words.")
        return Words(
            reply.speaker, clean(reply.text), reply.passes, clean(reply.focus_question),
            clean(reply.focus_topic), reply.verdict,
        )  # fmt: skip

    async def _ask(self, request: HostRequest) -> Reply:
        self._request, self._reply = request, asyncio.get_running_loop().create_future()
        self._asked(request)
        try:
            return await self._reply
        finally:
            self._request = self._reply = None


__all__ = ["HostPanel"]
