"""What a model is sent: the prompts, filled with the table or the step, and what that may cost.

Text from others is fenced: each of its lines begins with a mark, so there is no end mark to forge.
"""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache
from typing import TypeAlias, assert_never

from msgspec import Struct

from ...content import read_tables
from ...core import commands as do
from ...core.markers import ElaborationMarker, EnrichmentMarker, StepMarker, strip_markers
from ...core.personas import Persona, Roster
from ...core.steps import PHASES, Item
from ...core.synthesis import decision_turns, join_lines
from ...core.text import fill_blanks, strip_unprintable
from ...core.turns import USER, Known, LookedUp, Material, Turn
from ..base import AtStep, AtTable

CHARACTERS_PER_TOKEN = 4
MARK = "| "
TABLE_TOKENS, HOST_TOKENS = 24_000, 7_500  # of documents, decisions and code, for a model and for a host
_MAX_PART_LENGTH = 20_000
_LEAST_DOCUMENT = 1_000  # a document that would be cut to less is left out
_MAX_ITEM_LENGTH = 8_000
_MAX_TURN_LENGTH = 6_000
# Markers for our own use: where a step's text ends, which discussion a block came from.
_FOR_US_ALONE = (StepMarker, ElaborationMarker, EnrichmentMarker)
_TOKENS_OF_TURN = 190
WordRequest: TypeAlias = AtTable | AtStep | do.AskSynthesis | do.AskFiles


class Conversation(Struct, frozen=True):
    """What a model is sent: rules and material that last, the turns so far, and what is asked."""

    system: str
    turns: tuple[str, ...]
    brief: str

    @property
    def text(self) -> str:
        """All parts in order, for a model that takes one text."""
        return "\n\n".join(filter(None, (self.system, *self.turns, self.brief)))


class Usage(Struct, frozen=True):
    """The tokens of one call; `input` includes those read from a cache and those stored in one."""

    input: int = 0
    output: int = 0
    cached: int = 0
    stored: int = 0
    estimated: bool = False

    @classmethod
    def estimate(cls, conversation: Conversation, said: str) -> Usage:
        """Return an estimate of what a call used, if the model does not say."""
        return cls(tokens(conversation.text), tokens(said), estimated=True)


def tokens(text: str) -> int:
    """Return about how many tokens a text has."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def fence(text: str, longest: int | None = None) -> str:
    """Return the text with the mark before each line, cut to about `longest` characters."""
    # splitlines() knows every line end that a reader might see, not only "\n".
    lines = strip_unprintable(text[:longest]).strip().splitlines() or [""]
    if longest is not None and len(text) > longest:
        lines.append("[... the rest is left out]")
    return "\n".join(f"{MARK}{line}".rstrip() for line in lines)


def inline(text: str) -> str:
    """Return a short text on one line, for the middle of a sentence."""
    return " ".join(strip_unprintable(text).split()).replace('"', "'")


def fill(name: str, /, **blanks: str | int) -> str:
    """Return the prompt of that name with its blanks filled."""
    return fill_blanks(read_tables("instructions.toml")[name], blanks)


def at_table(table: do.Table, brief: str, *, to_host: bool = False) -> Conversation:
    """Return all that is known and was said at the table, and the brief, for a model or `to_host`."""
    system = fill(
        "table", step_id=table.step.step_id, title=table.step.title, lead=table.lead.name,
        personas="\n\n".join(_persona(each, table.roster) for each in table.roster.personas),
        phases=", ".join(f"{phase.number} {phase.name}" for phase in PHASES), item=_item(table.item),
        documents=_documents((*table.documents, *table.material), table.known, to_host),
        signs=fill("calls" if to_host else "signs"),
    )  # fmt: skip
    said = [_looked_up(each) for each in table.looked_up if each.after == 0]
    for turn in table.turns:
        said.append(write_turn(turn, table.roster))
        said += [_looked_up(each) for each in table.looked_up if each.after == turn.number]
    return Conversation(system, tuple(said), brief)


def write_turn(turn: Turn, roster: Roster) -> str:
    """Return a turn as it appears in a conversation."""
    speaker = "the user" if turn.speaker == USER else roster[turn.speaker].name
    return fill("turn", number=turn.number, speaker=speaker, text=fence(turn.text, _MAX_TURN_LENGTH))


def at_step(brief: do.StepBrief, request: str, *, to_host: bool = False) -> Conversation:
    """Return the step, all that is on the table, the answers so far, and the request."""
    system = fill(
        "step", title=brief.persona.title, persona=_persona(brief.persona, brief.roster),
        step_id=brief.step.step_id, step=brief.step.title, item=_item(brief.item),
        documents=_documents(brief.documents, brief.known, to_host),
        answers="\n".join(map(_answer, brief.answers)),
    )  # fmt: skip
    return Conversation(system, tuple(map(_looked_up, brief.looked_up)), request)


def write_request(request: WordRequest, words: int = 0, *, to_host: bool = False) -> Conversation:
    """Return what is sent to a model, or `to_host`; `words` limits what a persona says at a step."""
    place: do.Table | do.StepBrief
    match request:
        case do.AskPersona(brief):
            place, asked = brief.table, _ask_to_speak(brief)
        case do.AskFraming(brief):
            place, speaker = brief.table, brief.speaker
            lens, views = ", ".join(speaker.lens), len(place.roster.personas)
            look, again = _offer_look_ups("look-first", brief.look_ups), _say_what_was_wrong(brief.again)
            asked = fill("frame", speaker=speaker.name, lens=lens, views=views, look=look, again=again)
        case do.AskSynthesis(place, problems):
            numbers = ", ".join(map(str, decision_turns(place.turns)))
            decided = f", {numbers} among them" if numbers else ""
            asked = fill("synthesis", decided=decided, again=_say_what_was_wrong(problems))
        case do.AskOffers(place, drafted):
            rows = (f"{inline(each.label)}: {inline(each.text)} {inline(each.help)}" for each in drafted)
            questions = "\n".join(f"{number}. {row}".rstrip() for number, row in enumerate(rows, 1))
            asked = fill("offers", questions=questions, look=_offer_look_ups("look-first", place.look_ups))
        case do.AskFollowUp(place, question, answer, criterion):
            about = {"question": question.text, "label": question.label}
            about |= {"criterion": criterion.check, "follow_up": criterion.follow_up}
            told = {name: inline(text) for name, text in about.items()}
            asked = fill("follow-up", answer=fence(answer), **told)
        case do.AskFeedback(place, said):
            asked = fill("aside" if request.aside else "take-up", words=fence(said), limit=words)
        case do.AskReading(place):
            asked = fill("read", limit=words, look=_offer_look_ups("look", place.look_ups))
        case do.AskFiles(item, folders, found):
            shown = {"folders": fence(folders, _MAX_PART_LENGTH), "found": fence(found, _MAX_PART_LENGTH)}
            return Conversation(fill("files", item=_item(item), **shown), (), fill("pick"))
        case other:
            assert_never(other)
    if isinstance(place, do.Table):
        return at_table(place, asked, to_host=to_host)
    return at_step(place, asked, to_host=to_host)


def _ask_to_speak(brief: do.Brief) -> str:
    """Return a speaker's brief: the occasion, the limits, what to judge and what else it may do."""
    table, turns = brief.table, brief.table.turns
    drifts = [(turn.number, turn.verdict.off_topic) for turn in turns]
    points = ", ".join(f"turn {number} ({inline(drift.subject)})" for number, drift in drifts if drift)
    suspected = fill("suspected", subject=inline(table.suspected.subject)) if table.suspected else ""
    judge = fill("insists") if table.insists else fill("judge", number=len(turns), suspected=suspected)
    return fill(
        "speak", number=brief.number, max_turns=table.max_turns, speaker=brief.speaker.name,
        purpose=fill(f"speak-{brief.purpose}", answers=brief.answers or ""),
        words=brief.word_limit, most=brief.most_words, left=table.max_turns - brief.number,
        warned=fill("warned") if len(turns) >= table.max_turns - 2 else "",
        put_off=fill("put-off", points=points) if points else "", judge=judge if brief.follows_user else "",
        look=_offer_look_ups("look", brief.look_ups), again=_say_what_was_wrong(brief.again),
        **{"pass": fill("pass" if brief.may_pass else "yield") if brief.may_be_silent else ""},
    )  # fmt: skip


def _offer_look_ups(prompt: str, most: int) -> str:
    return fill(prompt, most=most) if most else ""


def _say_what_was_wrong(reasons: tuple[str, ...]) -> str:
    return fill("again", reasons=fence("\n".join(reasons), _MAX_TURN_LENGTH)) if reasons else ""


def _item(item: Item) -> str:
    return fence(f"{item.name}\n{item.text.strip()}", _MAX_ITEM_LENGTH)


def _looked_up(seen: LookedUp | Material) -> str:
    return fill("look-up", name=inline(seen.name), text=fence(seen.text))


def _answer(answer: do.Answer) -> str:
    prompt, text = ("unknown", "") if answer.unknown else ("answer", fence(answer.text, _MAX_ITEM_LENGTH))
    return fill(prompt, label=inline(answer.label), question=inline(answer.question), text=text)


@lru_cache(maxsize=8)
def _documents(documents: tuple[Material, ...], known: Known, to_host: bool) -> str:
    """Return all that is on the table, in its order; names of what is left out come first (TABLE-1).

    The documents come after related decisions and before the rest, the step's own last; the first are dropped
    if there is no room for all. At least half of the room is for documents.
    """

    def write(kind: str, name: str, text: str, longest: int = _MAX_PART_LENGTH) -> str:
        return fill(kind, name=inline(name), text=fence(text, longest)) + "\n"

    above = [write("related", each.name, each.text) for each in known.related]
    below = [write("page", each.name, each.text) for each in known.pages]
    below += [write("excerpt", each.name, each.text) for each in known.excerpts]
    below += [write("corrections", "", "\n".join(known.corrections))] if known.corrections else []
    room = (HOST_TOKENS if to_host else TABLE_TOKENS) * CHARACTERS_PER_TOKEN
    room = max(room - sum(map(len, above + below)), room // 2)
    laid, left_out = list[str](), list[str]()
    for each in reversed(documents):
        text, longest = strip_markers(each.text, *_FOR_US_ALONE).strip(), min(room, _MAX_PART_LENGTH)
        if len(text) > longest and longest < _LEAST_DOCUMENT:
            left_out.append(inline(each.name))
        elif text:
            laid.append(write("document", each.name, text, longest))
            room -= len(laid[-1])
    missing = [fill("left-out", names=", ".join(left_out[::-1])) + "\n"] if left_out else []
    parts = (*missing, *above, *laid[::-1], *below)
    return "\n".join(("", *parts)) if parts else ""  # separate from the item, which a host is sent once


@lru_cache(maxsize=16)
def _persona(persona: Persona, roster: Roster) -> str:
    lens, identity = ", ".join(persona.lens), join_lines(persona.identity)
    rows = [fill("persona", title=persona.title, lens=lens, identity=identity).rstrip()]
    for trait, entries in roster.traits_of(persona).items():
        rows.append(fill(f"persona-{trait}", all=(" / " if trait == "patterns" else " ").join(entries)))
    return "\n".join(rows)


def forecast(table: do.Table) -> Usage:
    """Return the tokens of a discussion up to its limit, if only personas speak and nothing is cached."""
    calls = table.max_turns + 1  # one for each turn, and the synthesis
    sent = calls * tokens(at_table(table, "").text) + _TOKENS_OF_TURN * sum(range(calls))
    return Usage(sent, table.max_turns * _TOKENS_OF_TURN + 900, estimated=True)


def price(model: str, usage: Usage) -> Decimal | None:
    """Return the price of a call in US dollars; None if it is unknown."""
    provider, _, name = model.partition(":")
    if provider not in ("anthropic", "openai", "google") or not name:
        return None
    cache = {"cache_read_tokens": usage.cached, "cache_write_tokens": usage.stored}
    try:
        import genai_prices

        used = genai_prices.Usage(input_tokens=usage.input, output_tokens=usage.output, **cache)
        return genai_prices.calc_price(used, name, provider_id=provider).total_price
    except (ImportError, LookupError, ValueError):
        return None
