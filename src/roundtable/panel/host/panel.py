"""The host panel: each request of the port becomes an open request, and waits for a reply that is checked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

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
from ...core.errors import PanelFailed, RuleBroken
from ...core.events import SectionText
from ...core.personas import Persona
from ...core.synthesis import Draft
from ...core.turns import Material, Verdict
from ...drafting import draft
from ..base import Framing, Hearer, Speech
from .checks import check, clean
from .requests import CHARACTERS_PER_WORD, Grounds, Kind, Reading, Reply, Request, Section, Words

NAME = "host (one model speaks for every persona)"
SUMMARY_WORDS, FOLLOW_UP_WORDS, REPLY_WORDS, SECTION_WORDS = 60, 40, 100, 150
LONGEST_DRAFT = 6_000
"""A longer draft stays as the rules made it: nobody can be asked to keep all of it."""


class HostPanel:
    """Asks another program for words; `asked` is called whenever a request opens."""

    def __init__(self, asked: Callable[[Request], None]) -> None:
        self._asked = asked
        self._request: Request | None = None
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
        reply = await self._ask(Request("verdict", None, table))
        if not isinstance(reply, Verdict):
            raise PanelFailed("The host sent no verdict.")
        return reply

    async def synthesise(self, ask: AskSynthesis | ExtractSynthesis) -> Draft:
        if isinstance(ask, ExtractSynthesis):
            raise PanelFailed("The host does not extract; the offline panel does.")
        request = Request("synthesis", None, ask, again=ask.problems)
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
        section = Section(brief, ruled.target, ruled.text)
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
        request = Request(kind, speaker, grounds, words, most or words * 3 // 2, may_pass, again)
        reply = await self._ask(request)
        if not isinstance(reply, Words):
            raise PanelFailed("The host sent no words.")
        return Words(
            reply.speaker, clean(reply.text), reply.passes, clean(reply.focus_question),
            clean(reply.focus_topic), reply.verdict,
        )  # fmt: skip

    async def _ask(self, request: Request) -> Reply:
        self._request, self._reply = request, asyncio.get_running_loop().create_future()
        self._asked(request)
        try:
            return await self._reply
        finally:
            self._request = self._reply = None
