"""The model panel: the personas in the words of one language model, its port, and its failures."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import aclosing
from typing import Any, Final, Literal, Protocol, assert_never
from uuid import uuid4

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ...content import read_tables
from ...core import commands as do
from ...core.errors import PanelFailed
from ...core.synthesis import Draft, join_lines
from ...core.text import strip_unprintable
from ...core.turns import NEUTRAL
from ..base import Framing, LookUpsWanted, OnWords, PanelRequest, Picks, Speech, ignore_words
from . import conversation as made
from . import replies
from .conversation import Conversation, Usage
from .replies import Cutter, Shaped, read_trailer

FailureKind = Literal[
    "no-key", "refused", "rate-limit", "quota", "time-out", "unreachable", "server", "cut", "nonsense",
    "filtered", "too-long", "unknown-model", "rejected", "not-installed",
]  # fmt: skip
_SECRET_NAME = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)(?:_|$)", re.IGNORECASE)
_SECRET = re.compile(
    r"""
      (?<![\w-])(?:sk|pk|rk|xai|gsk|hf|ghp|gho|glpat)[-_][\w-]{8,}      # the usual beginnings of a key
    | (?<!\w)AIza[\w-]{20,}
    | (?<=bearer\s)\S+
    | (?<=://)[^/\s:@]+:[^/\s@]+(?=@)                                   # a password in an address
    | (?<=key[=:])\S+
    """,
    re.VERBOSE | re.IGNORECASE,
)
_HIDDEN = "[hidden]"
_STEP_WORDS = {"follow-up": 50, "feedback": 80, "reading": 90}


class ModelFailed(PanelFailed):
    """A model gave no words, and of what kind the failure is."""

    kind: FailureKind = "server"


def make_failure(
    kind: FailureKind, name: str, *, detail: str = "", do: str = "", more: Iterable[str] = ()
) -> ModelFailed:
    """The failure as a person reads it, to raise `from None`; `more` are further secrets to hide."""
    what, advice = read_tables("models.toml")["failures"][kind]
    failure = ModelFailed(f"{name} {what}. {redact_text(detail, more)}".strip(), do=do or advice)
    failure.kind = kind
    return failure


def redact_text(text: str, more: Iterable[str] = ()) -> str:
    """The text on one line, short, and without anything that is or looks like a key."""
    told = " ".join(hide(text, more).split())
    return told if len(told) <= 200 else told[:197].rstrip() + "..."


def hide(text: str, more: Iterable[str] = ()) -> str:
    """The text without anything that is or looks like a key, and without escapes that could part one."""
    text = strip_unprintable(text)
    own = (value for name, value in os.environ.items() if _SECRET_NAME.search(name))
    for secret in sorted({*own, *more}, key=len, reverse=True):
        if len(secret) >= 8:
            text = text.replace(secret, _HIDDEN)
    return _SECRET.sub(_HIDDEN, text)


class Request(Struct, frozen=True):
    """One call: what is sent, how much may come back in what time, and as what JSON object, if any."""

    conversation: Conversation
    report: Callable[[Usage], None]
    output_tokens: int
    seconds: float
    shape: str = ""
    schema: Mapping[str, Any] | None = None


class Model(Protocol):
    """A language model."""

    @property
    def name(self) -> str:
        """What the user calls it, such as `anthropic:claude-sonnet-5-5` or `command:llm`; holds no secret."""

    def reply(self, request: Request) -> AsyncGenerator[str, None]:
        """The model's words as they come."""


class Call(Struct, frozen=True):
    """One call and what it used; the meter receives it when it is sent, and again when it is over."""

    model: str
    purpose: str
    usage: Usage
    number: str = ""
    over: bool = True


Meter = Callable[[Call], None]
"""Receives every call."""


class ModelPanel:
    """The personas in the words of one model."""

    kind: Final = "model"

    def __init__(self, model: Model, meter: Meter = lambda _: None, *, seconds: float = 120.0) -> None:
        self._model = model
        self._meter = meter
        self._seconds = seconds
        self._next: tuple[int, tuple[str, ...]] = (0, ())
        """After which turn who has more to add was said, and who that is."""

    @property
    def name(self) -> str:
        return self._model.name

    async def answer(self, request: PanelRequest, on_words: OnWords = ignore_words) -> Any:
        match request:
            case do.AskFraming(brief):
                framing = await self._ask_object(request, replies.FramingShape, "framing", brief.look_ups)
                summary, question = join_lines(framing.summary), join_lines(framing.focus_question)
                return Framing(summary, question, join_lines(framing.focus_topic))
            case do.AskPersona(brief):
                return await self._speak(brief, on_words)
            case do.AskVerdict():
                return None  # whoever speaks next judges the turn with its own words
            case do.AskSynthesis():
                # Once: where it does not hold, the rules ask again and say what was wrong.
                synthesis = await self._ask_object(request, replies.SynthesisShape, "synthesis", tries=1)
                return msgspec.convert(synthesis, Draft, from_attributes=True)
            case do.AskOffers(brief):
                offers = await self._ask_object(request, replies.OffersShape, "draft", brief.look_ups)
                return replies.to_offers(offers, request)
            case do.AskFollowUp():
                return await self._say_at_step(request, "follow-up") or request.criterion.follow_up
            case do.AskFeedback():
                if reply := await self._say_at_step(request, "feedback"):
                    return reply
                raise make_failure("nonsense", self.name, detail="There was no reply.")
            case do.AskReading(_, material):
                is_empty = not any(each.text.strip() for each in material)
                return "" if is_empty else await self._say_at_step(request, "reading")
            case do.AskFiles():
                return await self._pick_files(request)
            case other:
                assert_never(other)

    async def _speak(self, brief: do.Brief, on_words: OnWords) -> Speech | None:
        table, speaker, asked = brief.table, brief.speaker, brief
        # Whoever spoke last may have named who has more to add: that spares a call that would end in silence.
        number, keys = self._next
        if brief.may_pass and not brief.again and number == len(table.turns) and speaker.key not in keys:
            return None
        for _ in range(2):
            words, most = brief.word_limit, brief.most_words
            cutter = Cutter(speaker, table.roster, words, most, look_ups=brief.look_ups)
            await self._ask_words(made.to_speak(asked), cutter, "contribution", on_words)
            if cutter.text:
                return self._read_speech(cutter, brief)
            # To yield takes a PASS: words for somebody else do not say that nothing is left.
            if brief.may_pass or (brief.may_be_silent and cutter.passed):
                return None
            asked = replace(brief, again=(*brief.again, made.fill("wordless", speaker=speaker.name)))
        raise make_failure("nonsense", self.name, detail=f"There were no words for {speaker.name}.")

    def _read_speech(self, cutter: Cutter, brief: do.Brief) -> Speech:
        table = brief.table
        trailer = read_trailer(cutter.trailer, table.roster, table.steps, table.step.step_id, brief.number)
        self._next = (0, ()) if trailer.next is None else (brief.number, trailer.next)
        verdict, opposed = trailer.verdict, trailer.verdict.opposes
        if opposed is not None and table.turns[opposed - 1].speaker == brief.speaker.key:
            verdict = replace(verdict, opposes=None)  # who has changed their mind opposes nobody
        judged = trailer.judged if brief.follows_user and trailer.judged != NEUTRAL else None
        return Speech(cutter.text, verdict, judged)

    async def _pick_files(self, ask: do.AskFiles) -> Picks:
        """Ask once which files the item will change; an answer that cannot be used picks nothing."""
        try:
            picks = await self._ask_object(ask, Picks, "files", tries=1)
        except ModelFailed as failure:
            if failure.kind not in ("nonsense", "filtered", "too-long"):
                raise
            return Picks()
        # A path may come in quotation marks or with its line.
        paths = (each.strip("`'\" ").partition(":")[0].removeprefix("./")[:300] for each in picks.paths[:20])
        return Picks(tuple(paths), tuple(each[:80] for each in picks.words[:8]))

    async def _say_at_step(self, ask: made.StepSaying, purpose: str) -> str:
        brief, words = ask.brief, _STEP_WORDS[purpose]
        asked = made.to_ask(ask, words)
        for look_ups in (brief.look_ups, 0):  # a model that returns nothing is asked once more
            cutter = Cutter(brief.persona, brief.roster, words, look_ups=look_ups)
            await self._ask_words(asked, cutter, purpose)
            if cutter.text or cutter.passed:
                return cutter.text
        return ""

    async def _ask_words(
        self, conversation: Conversation, cutter: Cutter, purpose: str, on_words: OnWords = ignore_words
    ) -> None:
        """Ask for a persona's words and pass them on as they come; stop a model that does not stop."""
        taken = 0
        # With room for a model that thinks before it speaks; what is said is cut by words.
        async with aclosing(self._reply(conversation, purpose, 4_000)) as pieces:
            async for piece in pieces:
                taken += len(piece)
                if words := cutter.feed(piece):
                    on_words(words)
                if taken > 4_000 + len(cutter.text):
                    break
        if words := cutter.end():
            on_words(words)
        if cutter.look_ups:
            raise LookUpsWanted(cutter.look_ups)

    async def _ask_object(
        self, ask: made.OtherRequest, shape: type[Shaped], purpose: str, look_ups: int = 0, *, tries: int = 2
    ) -> Shaped:
        """Ask for a JSON object of the shape; tell the model once what was wrong with it."""
        sent = asked = made.to_ask(ask)
        reason = ""
        for _ in range(tries):
            async with aclosing(self._reply(asked, purpose, 8_000, shape)) as pieces:
                text = "".join([piece async for piece in pieces])
            try:
                found = replies.read(text, shape)
            except replies.Misshapen as misshapen:
                reason = str(misshapen)
                again = made.fill("anew", reason=made.inline(reason))
                asked = replace(sent, brief=sent.brief + again)
                continue
            if looks := replies.read_look_ups(getattr(found, "look", ()))[:look_ups]:
                raise LookUpsWanted(looks)
            return found
        raise make_failure("nonsense", self.name, detail=reason)

    async def _reply(
        self, conversation: Conversation, purpose: str, tokens: int, shape: type[Struct] | None = None
    ) -> AsyncGenerator[str, None]:
        number = uuid4().hex

        def report(usage: Usage) -> None:
            self._meter(Call(self.name, purpose, usage, number))

        request = Request(conversation, report, tokens, self._seconds)
        if shape is not None:
            request = replace(request, shape=purpose, schema=replies.schema(shape))
        # Before it is sent, so that the call is on record even if we are killed before its end.
        self._meter(Call(self.name, purpose, Usage.estimate(conversation, ""), number, over=False))
        async with aclosing(self._model.reply(request)) as pieces:
            async for piece in pieces:
                yield piece
