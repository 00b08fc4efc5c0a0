"""A panel that speaks by script: a real implementation of the port, with failures where a test wants them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from roundtable.core.commands import (
    AskDraft,
    AskFeedback,
    AskFollowUp,
    AskSynthesis,
    Brief,
    ExtractSynthesis,
    StepBrief,
    Table,
)
from roundtable.core.errors import PanelFailed
from roundtable.core.events import SectionText
from roundtable.core.synthesis import Draft, Entry, decision_turns, own_words
from roundtable.core.turns import NEUTRAL, Material, OffTopic, Verdict
from roundtable.panel.base import Framing, Hearer, Speech

Says = Callable[[Brief], Speech | None]


@dataclass
class ScriptedPanel:
    """Says one distinct thing per turn; fails as often as told at what it is told."""

    fails: dict[str, int] = field(default_factory=dict)
    says: Says | None = None
    asked: list[str] = field(default_factory=list)
    briefs: list[Brief] = field(default_factory=list)

    @property
    def name(self) -> str:
        return "scripted"

    async def frame(self, brief: Brief) -> Framing:
        self._asked("frame")
        self.briefs.append(brief)
        return Framing(
            "Two journeys are written down.", "Who decides when answers differ?", "differing answers"
        )

    async def speak(self, brief: Brief, heard: Hearer) -> Speech | None:
        self._asked("speak")
        self.briefs.append(brief)
        speech = self.says(brief) if self.says else None
        if speech is None and brief.may_pass:
            return None
        speech = speech or Speech(
            f"Remark {brief.number} by {brief.speaker.first_name} on the {brief.purpose}."
        )
        for word in speech.text.split():
            heard(word)
        return speech

    async def judge(self, table: Table) -> Verdict:
        self._asked("judge")
        turn = table.turns[-1]
        if "weather" in turn.text:
            return Verdict(off_topic=OffTopic("the weather", "03-02"))
        return Verdict(decisions=(turn.number,)) if "go with" in turn.text else NEUTRAL

    async def synthesise(self, ask: AskSynthesis | ExtractSynthesis) -> Draft:
        self._asked("synthesise")
        turns = ask.table.turns
        return Draft(
            insights=(Entry("Answers can differ.", (2,)),),
            decisions=tuple(Entry(own_words(turns[n - 1]), (n,), "said so") for n in decision_turns(turns)),
            summary="Identified 1 gap",
        )

    async def follow_up(self, ask: AskFollowUp) -> str:
        self._asked("follow_up")
        return ask.criterion.follow_up

    async def draft(self, ask: AskDraft, material: tuple[Material, ...]) -> tuple[SectionText, ...]:
        self._asked("draft")
        text = "\n".join(f"- **{answer.label}**: {answer.text}" for answer in ask.brief.answers)
        return tuple(SectionText(target, text) for target in ask.targets if target.output.endswith(".md"))

    async def take_up(self, ask: AskFeedback) -> str:
        self._asked("take_up")
        return f"I take that up: {ask.words}"

    async def read(self, brief: StepBrief, material: tuple[Material, ...]) -> str:
        self._asked("read")
        return "I have read " + ", ".join(each.name for each in material) + "." if material else ""

    def _asked(self, what: str) -> None:
        self.asked.append(what)
        if self.fails.get(what, 0) > 0:
            self.fails[what] -= 1
            raise PanelFailed(f"The model did not answer ({what}).")
