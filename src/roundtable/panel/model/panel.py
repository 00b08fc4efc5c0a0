"""The focus screen: whether the user's words are plainly at home here, so that no model has to be asked."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import cache
from uuid import uuid4

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
from ...core.personas import Persona, Roster
from ...core.synthesis import Draft, Entry, decision_turns, join_lines
from ...core.text import words_of
from ...core.turns import Material, Verdict
from ..base import Framing, Hearer, Panel, Speech
from . import conversation as made
from . import replies
from .conversation import fence, fill, inline
from .model import Conversation, Model, Request, Usage, make_failure
from .replies import Cutter, off_topic, read_trailer

_LONG = 4
_FEW = 6
_SHARE = 0.2


def in_doubt(table: Table) -> bool:
    """True where the last turn has enough words to say something, and hardly one was heard here before."""
    said = _long_words(table.turns[-1].text)
    if len(said) < _FEW:
        return False
    return len(said & _collect_known_words(table)) / len(said) < _SHARE


def _collect_known_words(table: Table) -> set[str]:
    """The words of the item, the step, its documents and the discussion so far."""
    step = table.step
    questions = (question.text for question in (*step.brief, *step.standard, *step.deep))
    texts = (
        table.item.name,
        table.item.text,
        step.title,
        table.focus_question,
        table.focus_topic,
        *questions,
        *(each.text for each in table.material),
        *(turn.text for turn in table.turns[:-1]),
    )
    return {word for text in texts for word in _long_words(text)}


def _long_words(text: str) -> set[str]:
    """The longer words, without the endings that make one word look like two."""
    words = (word.removesuffix("'s") for word in words_of(text))
    return {word.rstrip("s") for word in words if len(word) >= _LONG}


# With room for a model that thinks before it speaks; what is said is cut by words.
_SPEECH_TOKENS = 4_000
_OBJECT_TOKENS = 8_000
_REPLY_WORDS = 80
_QUESTION_WORDS = 50
_READING_WORDS = 90
_RUNAWAY = 4_000  # characters after the last one that counts
SECONDS, LOCAL_SECONDS = 120.0, 300.0
"""How long one answer may take, hosted and on a machine of the user's own."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call: of which model, for what, and what it used, as far as that is known.

    It is told twice with the same number: when it is sent, and when it is over.
    """

    model: str
    purpose: str
    usage: Usage
    number: str = ""
    over: bool = True


Meter = Callable[[Call], None]
"""Is told of every call."""


class ModelPanel:
    """The personas in the words of one model."""

    def __init__(self, model: Model, meter: Meter = lambda _: None, *, seconds: float = SECONDS) -> None:
        self._model = model
        self._meter = meter
        self._seconds = seconds
        self._next: tuple[int, tuple[str, ...]] | None = None

    @property
    def name(self) -> str:
        return self._model.name

    # --- at the table ------------------------------------------------------------------------------------

    async def frame(self, brief: Brief) -> Framing:
        table, lead = brief.table, brief.speaker
        words = fill("frame", speaker=lead.name, lens=", ".join(lead.lens), views=len(table.roster.personas))
        shape = await self._object(made.at_table(table, words), replies.FramingShape, "framing")
        summary, question = join_lines(shape.summary), join_lines(shape.focus_question)
        if not summary or not question:
            raise make_failure("nonsense", self.name, detail="The framing was empty.")
        return Framing(summary, question, join_lines(shape.focus_topic))

    async def speak(self, brief: Brief, heard: Hearer) -> Speech | None:
        if brief.may_pass and self._has_nothing_to_add(brief):
            return None
        asked = brief
        for _ in range(2):
            cutter = await self._words(
                made.to_speak(asked),
                brief.speaker,
                brief.table.roster,
                brief.word_limit,
                "contribution",
                heard,
            )
            if cutter.text:
                return self._speech(cutter, brief)
            if brief.may_pass:
                return None
            asked = replace(brief, again=(*brief.again, fill("wordless", speaker=brief.speaker.name)))
        raise make_failure("nonsense", self.name, detail=f"There were no words for {brief.speaker.name}.")

    def _speech(self, cutter: Cutter, brief: Brief) -> Speech:
        table = brief.table
        trailer = read_trailer(cutter.trailer, table.roster, table.steps, table.step.step_id, brief.number)
        self._next = None if trailer.next is None else (brief.number, trailer.next)
        verdict, opposed = trailer.verdict, trailer.verdict.opposes
        if opposed is not None and table.turns[opposed - 1].speaker == brief.speaker.key:
            verdict = replace(verdict, opposes=None)  # who has changed their mind opposes nobody
        return Speech(cutter.text, verdict)

    def _has_nothing_to_add(self, brief: Brief) -> bool:
        """True where the one who spoke last has said so: that spares a call that would end in silence."""
        if self._next is None or brief.again:
            return False
        number, keys = self._next
        return number == len(brief.table.turns) and brief.speaker.key not in keys

    async def judge(self, table: Table) -> Verdict:
        local = await _offline().judge(table)
        if local.off_topic is not None or not in_doubt(table):
            return local
        number = len(table.turns)
        conversation = made.at_table(table, fill("judge", number=number))
        shape = await self._object(conversation, replies.JudgementShape, "judgement")
        drift = (
            off_topic(shape.subject, shape.step, table.steps, table.step.step_id) if shape.off_topic else None
        )
        decisions = (number,) if shape.decides or local.decisions else ()
        return Verdict(off_topic=drift, decisions=decisions)

    async def synthesise(self, ask: AskSynthesis | ExtractSynthesis) -> Draft:
        """One try: where it does not hold, the rules ask once more with what was wrong."""
        problems = ask.problems if isinstance(ask, AskSynthesis) else ()
        numbers = ", ".join(str(number) for number in decision_turns(ask.table.turns))
        words = fill(
            "synthesis",
            decided=f", {numbers} among them" if numbers else "",
            again=fill("again", reasons=fence("\n".join(problems))) if problems else "",
        )
        conversation = made.at_table(ask.table, words)
        shape = await self._object(conversation, replies.SynthesisShape, "synthesis", tries=1)
        return Draft(
            insights=tuple(Entry(each.text, each.turns) for each in shape.insights),
            decisions=_entries(shape.decisions),
            questions=_entries(shape.questions),
            actions=_entries(shape.actions),
            summary=shape.summary,
        )

    # --- at a step ---------------------------------------------------------------------------------------

    async def follow_up(self, ask: AskFollowUp) -> str:
        words = fill(
            "follow-up",
            question=inline(ask.question.text),
            label=inline(ask.question.label),
            answer=fence(ask.answer),
            criterion=inline(ask.criterion.check),
            follow_up=inline(ask.criterion.follow_up),
        )
        asked = await self._at_step(ask.brief, (), words, _QUESTION_WORDS, "follow-up")
        return asked or ask.criterion.follow_up

    async def draft(self, ask: AskDraft, material: tuple[Material, ...]) -> tuple[SectionText, ...]:
        """The answers as they were given, and below them what they mean together."""
        from ...documents.drafting import draft

        written = draft(ask, {each.name: each.text for each in material})
        answered = [answer for answer in ask.brief.answers if not answer.unknown]
        targets = replies.pages([each.target for each in written])
        if not answered or not targets:
            return written
        sections = (
            f"{number}. {target.section} ({target.output})" for number, target in enumerate(targets, 1)
        )
        words = fill("draft", sections="\n".join(map(inline, sections)), most=replies.MOST)
        conversation = made.at_step(ask.brief, (), words)
        shape = await self._object(conversation, replies.DraftShape, "draft")
        return replies.with_sentences(written, shape, answered)

    async def take_up(self, ask: AskFeedback) -> str:
        words = fill("take-up", words=fence(ask.words), limit=_REPLY_WORDS)
        reply = await self._at_step(ask.brief, (), words, _REPLY_WORDS, "feedback")
        if not reply:
            raise make_failure("nonsense", self.name, detail="There was no reply.")
        return reply

    async def read(self, brief: StepBrief, material: tuple[Material, ...]) -> str:
        if not any(each.text.strip() for each in material):
            return ""
        words = fill("read", limit=_READING_WORDS)
        return await self._at_step(brief, material, words, _READING_WORDS, "reading")

    async def _at_step(
        self, brief: StepBrief, material: tuple[Material, ...], words: str, limit: int, purpose: str
    ) -> str:
        conversation = made.at_step(brief, material, words)
        cutter = await self._words(conversation, brief.persona, brief.roster, limit, purpose)
        return cutter.text

    # --- with the model ----------------------------------------------------------------------------------

    async def _words(
        self,
        conversation: Conversation,
        speaker: Persona,
        roster: Roster,
        limit: int,
        purpose: str,
        heard: Hearer = lambda _: None,
    ) -> Cutter:
        """What a persona says, handed on as it comes; a model that does not stop is stopped."""
        cutter = Cutter(speaker, roster, limit)
        taken = 0
        async with aclosing(self._reply(conversation, purpose, _SPEECH_TOKENS)) as pieces:
            async for piece in pieces:
                taken += len(piece)
                if words := cutter.feed(piece):
                    heard(words)
                if taken > _RUNAWAY + len(cutter.text):
                    break
        if words := cutter.end():
            heard(words)
        return cutter

    async def _object(
        self, conversation: Conversation, shape: type[replies.Shaped], purpose: str, *, tries: int = 2
    ) -> replies.Shaped:
        """A JSON object of the shape; what is wrong with one is told to the model once."""
        asked = conversation
        reason = ""
        for _ in range(tries):
            async with aclosing(self._reply(asked, purpose, _OBJECT_TOKENS, shape)) as pieces:
                text = "".join([piece async for piece in pieces])
            try:
                return replies.read(text, shape)
            except replies.Misshapen as misshapen:
                reason = str(misshapen)
            asked = made.anew(conversation, reason)
        raise make_failure("nonsense", self.name, detail=reason)

    async def _reply(
        self,
        conversation: Conversation,
        purpose: str,
        output_tokens: int,
        shape: type[replies.Shaped] | None = None,
    ) -> AsyncGenerator[str, None]:
        number = uuid4().hex
        request = Request(
            conversation,
            lambda usage: self._meter(Call(self.name, purpose, usage, number)),
            output_tokens,
            self._seconds,
            purpose if shape else "",
            replies.schema(shape) if shape else None,
        )
        # Before it is sent, so that it is known of even where we are killed before the end.
        self._meter(Call(self.name, purpose, Usage.estimate(conversation, ""), number, over=False))
        async with aclosing(self._model.reply(request)) as pieces:
            async for piece in pieces:
                yield piece


@cache
def _offline() -> Panel:
    """The panel whose judgement costs nothing; in doubt it sees no drift."""
    from ..offline import OfflinePanel

    return OfflinePanel()


def _entries(shape: tuple[replies.EntryShape, ...]) -> tuple[Entry, ...]:
    return tuple(Entry(each.text, each.turns, each.detail) for each in shape)
