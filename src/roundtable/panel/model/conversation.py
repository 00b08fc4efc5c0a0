"""What a model is sent: the prompts, filled with the table or the step, and what that may cost.

Text of others is fenced: every line of it begins with a mark, so there is no end mark that it could forge.
"""

from __future__ import annotations

import re
import tomllib
from decimal import Decimal
from functools import cache, lru_cache
from importlib.resources import files

from msgspec.structs import replace

from ...core.commands import Answer, Brief, StepBrief, Table
from ...core.markers import ElaborationMarker, EnrichmentMarker, StepMarker, strip_markers
from ...core.personas import Persona, Roster
from ...core.steps import PHASES, Item
from ...core.text import strip_unprintable
from ...core.turns import USER, Known, LookedUp, Material
from ..base import MAX_PICK_WORDS, MAX_PICKS, AskFiles
from .model import CHARACTERS_PER_TOKEN, Conversation, Usage, tokens

MARK = "| "
_CUT = "[... the rest is left out]"


def fence(text: str, longest: int | None = None) -> str:
    """The text with the mark before each of its lines, shortened to about so many characters."""
    lines = _lines(text)
    if longest is not None and len(text) > longest:
        lines = [*_lines(text[:longest]), _CUT]
    return "\n".join(f"{MARK}{line}".rstrip() for line in lines)


def inline(text: str) -> str:
    """A short text on one line, for the middle of a sentence."""
    return " ".join(" ".join(_lines(text)).split()).replace('"', "'")


def _lines(text: str) -> list[str]:
    # All that any reader could take for a line end: splitlines() knows more of them than "\n".
    return strip_unprintable(text).strip().splitlines() or [""]


_EMPTY_LINE = re.compile(r"(?:[\w ]+:)?\s*")
_BLANK = re.compile(r"\{\{(\w+)\}\}")


def fill(name: str, /, **blanks: str | int) -> str:
    """The prompt of that name with its blanks filled; a blank that is not given is a mistake of ours."""
    return _BLANK.sub(lambda found: str(blanks[found[1]]), _load_prompts()[name])


@cache
def _load_prompts() -> dict[str, str]:
    return tomllib.loads(files("roundtable.content").joinpath("prompts.toml").read_text(encoding="utf-8"))


TABLE_TOKENS = 24_000
"""How much of documents, decisions and code a request carries; the oldest documents are left out first."""
_LONGEST_DOCUMENT = 20_000
_LEAST_DOCUMENT = 1_000
"""A document that would be cut to less is left out."""
_LONGEST_ITEM = 8_000
_LONGEST_TURN = 6_000
# What the documents hold for us alone: where a step's text ends, which discussion a block came from.
_FOR_US_ALONE = (StepMarker, ElaborationMarker, EnrichmentMarker)


def at_table(table: Table, brief: str) -> Conversation:
    """All that was said at the table, and what is asked for now."""
    system = fill(
        "table",
        personas=_personas(table.roster),
        phases=", ".join(f"{phase.number} {phase.name}" for phase in PHASES),
        item=_item(table.item),
        documents=_lay_out(table.documents, table.material, table.known),
        step_id=table.step.step_id,
        title=table.step.title,
        lead=table.lead.name,
    )
    said = [_looked_up(each) for each in table.looked_up if each.after == 0]
    for turn in table.turns:
        speaker = "the user" if turn.speaker == USER else table.roster[turn.speaker].name
        text = fence(turn.text, _LONGEST_TURN)
        said.append(fill("turn", number=turn.number, speaker=speaker, text=text))
        said += [_looked_up(each) for each in table.looked_up if each.after == turn.number]
    return Conversation(system, tuple(said), brief)


def to_speak(brief: Brief) -> Conversation:
    """The request for one contribution."""
    table = brief.table
    put_off = ", ".join(
        f"turn {turn.number} ({inline(turn.verdict.off_topic.subject)})"
        for turn in table.turns
        if turn.verdict.off_topic is not None
    )
    place = fill(
        "place",
        left=table.max_turns - brief.number,
        warned=fill("warned") if len(table.turns) >= table.max_turns - 2 else "",
        put_off=fill("put-off", points=put_off) if put_off else "",
    )
    judge = ""
    if brief.follows_user and table.insists:
        judge = fill("insists")
    elif brief.follows_user:
        suspected = fill("suspected", subject=inline(table.suspected.subject)) if table.suspected else ""
        judge = fill("judge", number=table.turns[-1].number, suspected=suspected)
    words = fill(
        "speak",
        number=brief.number,
        max_turns=table.max_turns,
        speaker=brief.speaker.name,
        purpose=fill(f"speak-{brief.purpose}", answers=brief.answers or ""),
        words=brief.word_limit,
        most=brief.most_words,
        place=place,
        judge=judge,
        look=fill("look", most=brief.look_ups) if brief.look_ups else "",
        **{"pass": fill("pass" if brief.may_pass else "yield") if brief.may_be_silent else ""},
        again=fill("again", reasons=fence("\n".join(brief.again), _LONGEST_TURN)) if brief.again else "",
    )
    return at_table(table, words)


def at_step(brief: StepBrief, request: str) -> Conversation:
    """The step in hand, all that is on the table, the answers so far, and what is asked for now."""
    system = fill(
        "step",
        title=brief.persona.title,
        persona=_persona(brief.persona, brief.roster),
        item=_item(brief.item),
        documents=_lay_out(brief.documents, (), brief.known),
        step_id=brief.step.step_id,
        step=brief.step.title,
        answers="\n".join(_answer(answer) for answer in brief.answers),
    )
    return Conversation(system, tuple(map(_looked_up, brief.looked_up)), request)


def to_pick(ask: AskFiles) -> Conversation:
    """The request for the files that the item will change: what a survey found, to choose from."""
    system = fill(
        "files",
        item=_item(ask.item),
        folders=fence(ask.folders, _LONGEST_DOCUMENT),
        candidates=fence(ask.candidates),
    )
    return Conversation(system, (), fill("pick", most=MAX_PICKS, words=MAX_PICK_WORDS))


def anew(conversation: Conversation, reason: str) -> Conversation:
    """The same request again, with what was wrong with the answer."""
    return replace(conversation, brief=conversation.brief + fill("anew", reason=inline(reason)))


def _item(item: Item) -> str:
    return fence(f"{item.name}\n{item.text.strip()}", _LONGEST_ITEM)


def _looked_up(seen: LookedUp | Material) -> str:
    return fill("look-up", name=inline(seen.name), text=fence(seen.text))


def _answer(answer: Answer) -> str:
    prompt, text = ("unknown", "") if answer.unknown else ("answer", fence(answer.text, _LONGEST_ITEM))
    return fill(prompt, label=inline(answer.label), question=inline(answer.question), text=text)


@lru_cache(maxsize=8)
def _lay_out(documents: tuple[Material, ...], own: tuple[Material, ...], known: Known) -> str:
    """What is on the table in its order: documents, the step's own last, decisions, what is open, the code.

    Where it is too much, the oldest documents give way first; what is left out is named.
    """
    related = [_fence_page("related", each.name, each.text) for each in known.related]
    after = [_fence_page("page", each.name, each.text) for each in known.pages]
    after += [_fence_page("excerpt", each.name, each.text) for each in known.excerpts]
    if known.corrections:
        after.append(fill("corrections", text=fence("\n".join(known.corrections), _LONGEST_TURN)) + "\n")
    room = TABLE_TOKENS * CHARACTERS_PER_TOKEN - sum(map(len, (*related, *after)))
    laid: list[str] = []
    left_out: list[str] = []
    for each in reversed((*documents, *own)):
        text = strip_markers(each.text, *_FOR_US_ALONE).strip()
        longest = min(room, _LONGEST_DOCUMENT)
        if len(text) > longest and longest < _LEAST_DOCUMENT:
            left_out.insert(0, inline(each.name))
        elif text:
            laid.insert(0, _fence_page("document", each.name, text, longest))
            room -= len(laid[0])
    missing = [fill("left-out", names=", ".join(left_out)) + "\n"] if left_out else []
    return "\n".join((*missing, *related, *laid, *after))


def _fence_page(prompt: str, name: str, text: str, longest: int = _LONGEST_DOCUMENT) -> str:
    return fill(prompt, name=inline(name), text=fence(text, longest)) + "\n"


@lru_cache(maxsize=8)
def _personas(roster: Roster) -> str:
    return "\n\n".join(_persona(persona, roster) for persona in roster.personas)


def _persona(persona: Persona, roster: Roster) -> str:
    text = fill(
        "persona",
        title=persona.title,
        lens=", ".join(persona.lens),
        identity=persona.identity,
        principles=" ".join(persona.principles),
        patterns=" / ".join(persona.patterns),
        towards=" ".join(words for key, words in persona.towards if key in roster),
        bans=" ".join(dict.fromkeys(ban.reason for ban in persona.bans)),
    )
    # A line of the description that nothing was filled into is left out.
    return "\n".join(line.rstrip() for line in text.splitlines() if not _EMPTY_LINE.fullmatch(line))


_TURN = 190
_SYNTHESIS = 900


def forecast(table: Table) -> Usage:
    """The tokens of a discussion up to its limit in which only personas speak and nothing is cached."""
    start = tokens(at_table(table, "").text)
    calls = table.max_turns + 1  # one for each turn, and the synthesis
    sent = calls * start + _TURN * sum(range(calls))
    return Usage(sent, table.max_turns * _TURN + _SYNTHESIS, estimated=True)


def price(model: str, usage: Usage) -> Decimal | None:
    """What a call has cost in US dollars; None where nobody knows."""
    provider, _, name = model.partition(":")
    if provider not in ("anthropic", "openai", "google") or not name:
        return None
    try:
        from genai_prices import Usage as Priced
        from genai_prices import calc_price
    except ImportError:
        return None
    tokens = Priced(
        input_tokens=usage.input,
        output_tokens=usage.output,
        cache_read_tokens=usage.cached,
        cache_write_tokens=usage.stored,
    )
    try:
        return calc_price(tokens, name, provider_id=provider).total_price
    except (LookupError, ValueError):
        return None
