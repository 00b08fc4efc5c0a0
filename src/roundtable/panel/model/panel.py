"""The model panel: one language model speaks for the personas; the port to a model; its failures.

A model writes words, a verdict that comes with them on a line of its own, and JSON objects.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from functools import cache
from typing import Annotated, Any, Final, Literal, Protocol, TypeVar, assert_never, cast
from uuid import uuid4

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ...content import read_tables
from ...core import commands as do
from ...core.errors import PanelFailed
from ...core.events import Offer
from ...core.personas import Persona, Roster
from ...core.steps import PHASES, phase_of
from ...core.synthesis import Draft, join_lines
from ...core.text import cut_line, fold_text, strip_unprintable, words_of
from ...core.turns import NEUTRAL, OffTopic, Verdict
from ..base import AsksText, Framing, Look, LookUpsWanted, OnWords, PanelRequest, Picks, Speech, ignore_words
from .conversation import Conversation, Usage, WordRequest, fill, inline, write_request

FailureKind = Literal[
    "no-key", "refused", "rate-limit", "quota", "time-out", "unreachable", "server", "cut", "nonsense",
    "filtered", "too-long", "unknown-model", "rejected", "not-installed",
]  # fmt: skip
_SECRET_NAME = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)(?:_|$)", re.IGNORECASE)
_SECRET = re.compile("|".join(read_tables("models.toml")["secrets"]), re.IGNORECASE)
_HIDDEN = "[hidden]"


class ModelFailed(PanelFailed):
    """A model gave no words; `kind` says why. It is raised `from None`, since its cause may hold a key."""

    def __init__(
        self, kind: FailureKind, name: str, *, detail: str = "", do: str = "", more: Iterable[str] = ()
    ) -> None:
        """Word the failure for a person; `more` are further secrets to hide."""
        what, advice = read_tables("models.toml")["failures"][kind]
        super().__init__(f"{name} {what}. {redact_text(detail, more)}".strip(), do=do or advice)
        self.kind = kind


def redact_text(text: str, more: Iterable[str] = ()) -> str:
    """Return the text on one short line, without anything that is or looks like a key."""
    return cut_line(" ".join(hide(text, more).split()), 200)


def hide(text: str, more: Iterable[str] = ()) -> str:
    """Return the text without anything that is or looks like a key, or escapes that could split one."""
    text = strip_unprintable(text)
    own = (value for name, value in os.environ.items() if _SECRET_NAME.search(name))
    for secret in sorted({*own, *more}, key=len, reverse=True):
        if len(secret) >= 8:
            text = text.replace(secret, _HIDDEN)
    return _SECRET.sub(_HIDDEN, text)


class Request(Struct, frozen=True):
    """One call: what is sent and why, the limits of the reply and its time, and a schema for a JSON reply."""

    conversation: Conversation
    report: Callable[[Usage], None]
    output_tokens: int
    seconds: float
    purpose: str = ""
    schema: Mapping[str, Any] | None = None


class Model(Protocol):
    """A language model."""

    @property
    def name(self) -> str:
        """What the user calls it, such as `anthropic:claude-sonnet-5-5` or `command:llm`; holds no secret."""

    def reply(self, request: Request) -> AsyncGenerator[str, None]:
        """Yield the model's words as they come; raise ModelFailed if it fails."""


class Call(Struct, frozen=True):
    """One call and what it used; the meter receives it when it is sent, and again when it is over."""

    model: str
    purpose: str
    usage: Usage
    number: str = ""
    over: bool = True


Meter = Callable[[Call], None]  # receives every call


class ModelPanel:
    """One model speaks for all personas."""

    kind: Final = "model"

    def __init__(self, model: Model, meter: Meter = lambda _: None, *, seconds: float = 120.0) -> None:
        self.name = model.name
        self._model = model
        self._meter = meter
        self._seconds = seconds
        self._next: tuple[int, tuple[str, ...]] = (0, ())  # a turn, and who has more to add after it

    async def answer(self, request: PanelRequest, on_words: OnWords = ignore_words) -> Any:
        match request:
            case do.AskFraming(brief):
                framing = await self._ask_object(request, FramingShape, "framing", brief.look_ups)
                summary, question = join_lines(framing.summary), join_lines(framing.focus_question)
                return Framing(summary, question, join_lines(framing.focus_topic))
            case do.AskPersona(brief):
                return await self._speak(brief, on_words)
            case do.AskVerdict():
                return None  # whoever speaks next judges the turn with its own words
            case do.AskSynthesis():
                # Only one try: if it is wrong, the rules ask again and say why.
                synthesis = await self._ask_object(request, SynthesisShape, "synthesis", tries=1)
                return msgspec.convert(synthesis, Draft, from_attributes=True)
            case do.AskOffers(brief):
                offers = await self._ask_object(request, OffersShape, "draft", brief.look_ups)
                return to_offers(offers, request)
            case do.AskFollowUp():
                return await self._say_at_step(request, "follow-up", 50) or request.criterion.follow_up
            case do.AskFeedback():
                if reply := await self._say_at_step(request, "feedback", 80):
                    return reply
                raise ModelFailed("nonsense", self.name, detail="There was no reply.")
            case do.AskReading():
                return await self._say_at_step(request, "reading", 90)
            case do.AskFiles():
                try:
                    picks = await self._ask_object(request, Picks, "files", tries=1)
                except ModelFailed as failure:
                    if failure.kind not in ("nonsense", "filtered", "too-long"):
                        raise
                    return Picks()  # an answer that cannot be used picks nothing
                # A path may come in quotation marks or with a line number.
                named = (each.strip("`'\" ").partition(":")[0] for each in picks.paths[:20])
                paths = tuple(each.removeprefix("./")[:300] for each in named)
                return Picks(paths, tuple(each[:80] for each in picks.words[:8]))
            case other:
                assert_never(other)

    async def _speak(self, brief: do.Brief, on_words: OnWords) -> Speech | None:
        table, speaker, ask = brief.table, brief.speaker, do.AskPersona(brief)
        # Whoever spoke last may have named who has more to add: that spares a call that would end in silence.
        number, keys = self._next
        if brief.may_pass and not brief.again and number == len(table.turns) and speaker.key not in keys:
            return None
        for _ in range(2):
            words, most = brief.word_limit, brief.most_words
            cutter = Cutter(speaker, table.roster, words, most, look_ups=brief.look_ups)
            await self._ask_words(write_request(ask), cutter, "contribution", on_words)
            if cutter.text:
                break
            # Yielding takes a PASS: words for somebody else do not mean that nothing is left.
            if brief.may_pass or (brief.may_be_silent and cutter.passed):
                return None
            wordless = fill("wordless", speaker=speaker.name)
            ask = do.AskPersona(replace(brief, again=(*brief.again, wordless)))
        else:
            raise ModelFailed("nonsense", self.name, detail=f"There were no words for {speaker.name}.")
        verdict, judged, following = read_trailer(cutter.trailer, table, brief.number)
        self._next = (0, ()) if following is None else (brief.number, following)
        opposed = verdict.opposes
        if opposed is not None and table.turns[opposed - 1].speaker == speaker.key:
            verdict = replace(verdict, opposes=None)  # a speaker who changed their mind opposes nobody
        is_judged = brief.follows_user and judged != NEUTRAL
        return Speech(cutter.text, verdict, judged if is_judged else None, is_cut=cutter.is_cut)

    async def _say_at_step(self, ask: AsksText, purpose: str, words: int) -> str:
        brief, asked = ask.brief, write_request(ask, words)
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
        async with self._send(conversation, purpose, 4_000) as pieces:
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
        self, ask: WordRequest, shape: type[Shaped], purpose: str, look_ups: int = 0, *, tries: int = 2
    ) -> Shaped:
        """Ask for a JSON object of the shape, at most `tries` times; each new request says what was wrong."""
        sent = asked = write_request(ask)
        reason = ""
        for _ in range(tries):
            async with self._send(asked, purpose, 8_000, shape) as pieces:
                text = "".join([piece async for piece in pieces])
            try:
                found = read_object(text, shape)
            except ValueError as misshapen:
                reason = str(misshapen)
                asked = replace(sent, brief=sent.brief + fill("anew", reason=inline(reason)))
                continue
            if looks := read_look_ups(getattr(found, "look", ()))[:look_ups]:
                raise LookUpsWanted(looks)
            return found
        raise ModelFailed("nonsense", self.name, detail=reason)

    def _send(
        self, conversation: Conversation, purpose: str, tokens: int, shape: type[Struct] | None = None
    ) -> aclosing[AsyncGenerator[str, None]]:
        """Record a call and return a context manager for the pieces of its reply."""
        call = Call(self.name, purpose, Usage.estimate(conversation, ""), uuid4().hex, over=False)

        def report(usage: Usage) -> None:
            self._meter(replace(call, usage=usage, over=True))

        self._meter(call)  # before it is sent, so that it is on record even if we are killed before its end
        schema = make_schema(shape) if shape is not None else None
        request = Request(conversation, report, tokens, self._seconds, purpose, schema)
        return aclosing(self._model.reply(request))


SIGN = "@@"
_FIELD = re.compile(r"(?i)(?:(?<=[\s;,])|^)(user-drifts|opposes|decides|drifts|next)\s*[=:]")
_PLACE = re.compile(r"(?P<step>\d{2}(?:-\d{2}|-[a-z-]+)?)\s*[:,]?\s*(?P<subject>.*)", re.DOTALL)
_NOTHING = frozenset({"none", "no", "nobody", "null", "n/a", "-", "nothing", "false"})


def read_trailer(text: str, table: do.Table, number: int) -> tuple[Verdict, Verdict, tuple[str, ...] | None]:
    """Return the verdicts on a turn and on the one before, and who has more to add; nonsense is left out."""
    _, *parts = _FIELD.split(text)
    pairs = zip(parts[::2], parts[1::2], strict=True)
    fields = defaultdict(str, {name.lower(): value.strip(" \t\n;,.") for name, value in pairs})
    told = (re.findall(r"\d{1,4}", fields[name]) for name in ("opposes", "decides"))
    opposed, decided = (list(map(int, numbers)) for numbers in told)
    drift, users_drift = (_read_drift(fields[name], table) for name in ("drifts", "user-drifts"))
    verdict = Verdict(next(iter(opposed), None), drift, tuple(sorted(set(decided))))
    judged = Verdict(off_topic=users_drift, decisions=(number - 1,) if number - 1 in decided else ())
    named = None  # the speaker did not say
    if "next" in fields:
        said = words_of(fields["next"])
        named = tuple(each.key for each in table.roster.personas if fold_text(each.first_name) in said)
    return verdict.within(number), judged.within(number - 1), named


def _read_drift(drift: str, table: do.Table) -> OffTopic | None:
    """Return a drift with the step or phase where it belongs; None if it belongs to this step."""
    found = _PLACE.fullmatch(drift)
    place, subject = (found["step"], found["subject"]) if found else ("", drift)
    words = join_lines(strip_unprintable(subject))[:80].strip()
    if drift.lower() in _NOTHING or not words or place == table.step.step_id:
        return None
    if any(step.step_id == place for step in table.steps):
        return OffTopic(words, place)
    ahead = (phase for phase in PHASES if phase != phase_of(table.step.step_id))
    return OffTopic(words, next((each.key for each in ahead if place in (each.number, each.key)), None))


_LOOK_UP = re.compile(rf"(?i)[\s*_\"'`>|#\[(-]*(?:{SIGN}\s*)?(?P<kind>search|read)\b[:=]?\s*(?P<what>\S.*)")
_LONGEST_LABEL = 90
_LINE_END = re.compile(r"\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
# Single characters, so that it makes no difference where a piece ends.
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ufeff\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
# What a model thinks aloud before it speaks does not count.
_THOUGHT = re.compile(r"\A\s*+<think>.*?(?:</think>|\Z)", re.DOTALL)
PASS = re.compile(r"[\s*_\"'`(\[-]*(?:i\s+)?pass[\s*_\"'`.!)\]]*", re.IGNORECASE)
_RULE = re.compile(r"\s*(?:[-*_]\s*){3,}$|\s*`{3,}\w*\s*$")
_MARKS = re.compile(r"\A\s*(?:\|\s?|#{1,6}\s+)")
_DECORATION = " \t*_\"'`>|#[(-"
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]`*_]*$")


class Cutter:
    """Extracts what the persona says from a model's text, which it reads again with each new piece."""

    def __init__(
        self, speaker: Persona, roster: Roster, words: int, most: int = 0, *, look_ups: int = 0
    ) -> None:
        """`words` are asked for, `most` are accepted, to the end of a sentence; `look_ups` may come first."""
        self.text = ""
        self.trailer = ""
        self.passed = self.is_cut = False
        self.look_ups: tuple[Look, ...] = ()
        self._limits = words, most or round(words * 1.5)
        self._most_look_ups = look_ups
        self._written = ""
        self._labels = _labels(roster)
        self._own = {fold_text(speaker.name), fold_text(speaker.first_name)}
        names = (fold_text(persona.first_name) for persona in roster.personas)
        self._openers = (*names, "turn ", "the user", "user", "you", "pass", "i pass", SIGN, "<think>")

    def feed(self, piece: str) -> str:
        """Return what can be shown now that this piece has come."""
        self._written = (self._written + piece)[:20_000]  # far more than anything that counts
        return self._read(self._written.removesuffix("\r"), ended=False)  # perhaps half a line end

    def end(self) -> str:
        """Return what is left to be shown when nothing more comes."""
        return self._read(self._written, ended=True)

    def _read(self, written: str, *, ended: bool) -> str:
        """Read the lines as far as it is clear what each is; return what is new in the words."""
        lines = _THOUGHT.sub("", _UNPRINTABLE.sub("", _LINE_END.sub("\n", written)), count=1).split("\n")
        said, muted = "", False
        asked: list[str] = []
        for number, line in enumerate(lines, 1):
            is_whole, rest = ended or number < len(lines), line
            while label := self._labels.match(rest[:_LONGEST_LABEL]):
                if fold_text(label["who"]) not in self._own:
                    break
                is_decorated = rest.lstrip()[:1] in ("*", "_")
                rest, muted = rest[label.end() :].lstrip(" \t*_" if is_decorated else " \t"), False
            start = fold_text(rest.lstrip(_DECORATION))
            is_open = any(each.startswith(start) or start.startswith(each) for each in self._openers)
            if not is_whole and is_open and len(rest) <= _LONGEST_LABEL:
                break  # it may still become a label, a look-up or a pass
            begun = bool(said.strip())
            words, sign, trailer = _MARKS.sub("", rest, count=1).partition(SIGN)
            if sign and not begun and not words.strip(_DECORATION) and _LOOK_UP.match(rest):
                asked.append(rest)
                continue
            # `Alex: how far does it reach?` speaks to somebody; a full name begins another's words.
            muted = muted or bool(label and (begun or label["whole"] or label["turn"]))
            if PASS.fullmatch(rest):
                self.passed = self.passed or not begun
            elif not muted and not _RULE.fullmatch(rest) and (not sign or words.strip(_DECORATION)):
                said += words if is_whole else words.removesuffix("@")
            said += "\n"
            if sign:
                self.trailer = sign + trailer
                break
        self.look_ups = read_look_ups(asked[: self._most_look_ups])
        if self.passed or self.look_ups:  # words before a look-up is answered are a guess
            return ""
        words, self.is_cut = _shorten(said, *self._limits, ended=ended), len(said.split()) > self._limits[1]
        new = words[len(self.text) :]
        self.text += new
        return new


def read_look_ups(asked: Sequence[str]) -> tuple[Look, ...]:
    """Return what the lines ask to see: each is `search WORDS` or `read PATH:FIRST-LAST`."""
    return tuple(
        Look("read" if found["kind"].lower() == "read" else "search", found["what"].strip(_DECORATION))
        for found in map(_LOOK_UP.match, asked)
        if found
    )


def _labels(roster: Roster) -> re.Pattern[str]:
    """Return the pattern of a label before somebody's words: a name, perhaps a role, and a colon."""
    whole = "|".join(re.escape(persona.name) for persona in roster.personas)
    first = "|".join(re.escape(persona.first_name) for persona in roster.personas)
    return re.compile(
        rf"[\s*_\"'`>|#\[-]*(?P<turn>turn\s+\d+\s*[,.:-]?\s*)?"
        rf"(?P<who>(?P<whole>{whole}|(?:{first})(?=\s*\()|(?:the\s+)?user|you)|{first})"
        rf"(?:\s*\([^():\n]{{1,40}}\))?[*_\]]*\s*:[*_]*",
        re.IGNORECASE,
    )


def _shorten(said: str, limit: int, most: int, *, ended: bool) -> str:
    """Return at most `most` words; past `limit`, only whole sentences unless the text has `ended`."""
    text, kept, gap, count = "", "", "", 0
    for token in re.findall(r"\s+|\S+", said.strip()):
        if token.isspace():
            gap = "\n" * min(token.count("\n"), 2) or " "
            continue
        if count >= most:
            return kept if _SENTENCE_END.search(kept) else f"{text} ..."
        text += gap + token
        count += 1
        if count <= limit or _SENTENCE_END.search(text):
            kept = text
    return text if ended else kept


Shaped = TypeVar("Shaped", bound=Struct)

ReplyText = Annotated[str, msgspec.Meta(max_length=800)]
ReplyName = Annotated[str, msgspec.Meta(max_length=120)]
TurnNumber = Annotated[int, msgspec.Meta(ge=0, le=10_000)]
Looks = Annotated[tuple[Annotated[str, msgspec.Meta(max_length=80)], ...], msgspec.Meta(max_length=3)]


class FramingShape(Struct, frozen=True):
    """The lead's framing, or what the lead wants to see first."""

    summary: ReplyText = ""
    focus_question: ReplyText = ""
    focus_topic: ReplyName = ""
    look: Looks = ()

    def __post_init__(self) -> None:
        if not self.look and not (self.summary.strip() and self.focus_question.strip()):
            raise ValueError("`summary` or `focus_question` is missing or empty")


class InsightShape(Struct, frozen=True):
    text: ReplyText
    turns: Annotated[tuple[TurnNumber, ...], msgspec.Meta(max_length=40)]


class EntryShape(InsightShape, frozen=True):
    """A decision, question or action, with its rationale, reason or owner."""

    detail: ReplyText


Entries = Annotated[tuple[EntryShape, ...], msgspec.Meta(max_length=12)]


class SynthesisShape(Struct, frozen=True):
    insights: Annotated[tuple[InsightShape, ...], msgspec.Meta(max_length=12)]
    decisions: Entries
    questions: Entries
    actions: Entries
    summary: ReplyText


class OfferShape(Struct, frozen=True):
    """A draft answer to the question of that number: read at its source, assumed, or not known."""

    question: TurnNumber
    text: ReplyText
    source: ReplyName
    standing: Literal["read", "assumed", "unknown"]
    matters: bool


class OffersShape(Struct, frozen=True):
    drafts: Annotated[tuple[OfferShape, ...], msgspec.Meta(max_length=40)] = ()
    look: Looks = ()


def to_offers(shape: OffersShape, ask: do.AskOffers) -> tuple[Offer, ...]:
    """Return the drafts as offers; one whose source is not on the table counts as assumed."""
    known = ask.brief.known
    written = [each.name for each in (*ask.brief.documents, *known.related, *known.pages, *known.excerpts)]
    names = [*written, *(each.name.split()[-1] for each in ask.brief.looked_up)]
    offers: dict[str, Offer] = {}
    for each in shape.drafts:
        text, source = strip_unprintable(each.text).strip(), join_lines(strip_unprintable(each.source))
        if not 1 <= each.question <= len(ask.questions):
            continue
        is_read = "item" in source.casefold().split() or any(name.split(":")[0] in source for name in names)
        standing = each.standing if text else "unknown"
        if standing != "read" or not is_read:
            source, standing = "", "unknown" if standing == "unknown" else "assumed"
        label, words = ask.questions[each.question - 1].label, "" if standing == "unknown" else text
        offers[label] = Offer(label, words, source, standing, each.matters and standing != "read")
    return tuple(offers.values())


def read_object(text: str, shape: type[Shaped]) -> Shaped:
    """Return the object in an answer, whatever surrounds it; raise ValueError, with why, if there is none."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        raise ValueError("There was no JSON object in it.")
    try:
        return msgspec.json.decode(text[start : end + 1].encode("utf-8", "replace"), type=shape)
    except msgspec.ValidationError as error:
        raise ValueError(f"{error}.") from None
    except (msgspec.DecodeError, RecursionError):
        raise ValueError("It was not valid JSON.") from None


# `look` is left out: given it in a schema, a small model would ask for look-ups without end.
_LEFT_OUT = ("title", "default", "description", "look")


@cache
def make_schema(shape: type[Struct]) -> dict[str, Any]:
    """Return the JSON schema of a shape, in one piece and closed, as services want it."""
    (made,), parts = msgspec.json.schema_components([shape], ref_template="{name}")

    def close(node: Any) -> Any:
        if isinstance(node, list):
            return [close(each) for each in node]
        if not isinstance(node, dict):
            return node
        named = parts.get(node.get("$ref", ""), node)
        closed = {key: close(value) for key, value in named.items() if key not in _LEFT_OUT}
        if closed.get("type") == "object":
            closed |= {"additionalProperties": False, "required": list(closed["properties"])}
        return closed

    return cast("dict[str, Any]", close(made))
