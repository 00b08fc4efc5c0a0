"""What a model is sent: the prompts, filled with the table or the step, and what that may cost.

Text of others is fenced: every line of it begins with a mark, so there is no end mark that it could forge.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache, lru_cache
from importlib.resources import files

from ...core.commands import Answer, Brief, StepBrief, Table
from ...core.personas import Persona, Roster
from ...core.steps import PHASES
from ...core.text import strip_unprintable
from ...core.turns import USER, Material, Turn
from .model import Conversation, Usage, tokens

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
    return _BLANK.sub(lambda found: str(blanks[found[1]]), template(name))


@cache
def template(name: str) -> str:
    """The prompt of that name as it stands in its file, without the last line end."""
    path = files("roundtable.content").joinpath("prompts", f"{name}.md")
    return path.read_text(encoding="utf-8").removesuffix("\n")


_LONGEST_DOCUMENT = 12_000
_LONGEST_DOCUMENTS = 40_000
_LONGEST_ITEM = 8_000
_LONGEST_TURN = 6_000
THE_USER = "the user"
# What the documents hold for us alone: where a step's text ends, which discussion a block came from.
_MARKER = re.compile(r"^<!-- (?:Step|Elaboration)\b[^\n]*-->[ \r]*\n(?:[ \r]*\n)?", re.MULTILINE)


def at_table(table: Table, brief: str) -> Conversation:
    """All that was said at the table, and what is asked for now."""
    system = fill(
        "table",
        personas=_personas(table.roster),
        phases=", ".join(f"{phase.number} {phase.name}" for phase in PHASES),
        item=_item(table.item.name, table.item.text),
        documents=_documents(table.material),
        step_id=table.step.step_id,
        title=table.step.title,
        lead=table.lead.name,
    )
    return Conversation(system, tuple(_turn(turn, table.roster) for turn in table.turns), brief)


def to_speak(brief: Brief) -> Conversation:
    """The request for one contribution."""
    answers = brief.answers if brief.answers is not None else ""
    again = fill("again", reasons=fence("\n".join(brief.again), _LONGEST_TURN)) if brief.again else ""
    words = fill(
        "speak",
        number=brief.number,
        max_turns=brief.table.max_turns,
        speaker=brief.speaker.name,
        purpose=fill(f"speak-{brief.purpose}", answers=answers),
        words=brief.word_limit,
        **{"pass": template("pass") if brief.may_pass else ""},
        again=again,
    )
    return at_table(brief.table, words)


def at_step(brief: StepBrief, material: Sequence[Material], request: str) -> Conversation:
    """The step in hand, the documents, the answers so far, and what is asked for now."""
    system = fill(
        "step",
        title=brief.persona.title,
        persona=_persona(brief.persona, brief.roster),
        item=_item(brief.item.name, brief.item.text),
        documents=_documents(tuple(material)),
        step_id=brief.step.step_id,
        step=brief.step.title,
        answers="\n".join(_answer(answer) for answer in brief.answers),
    )
    return Conversation(system, (), request)


def anew(conversation: Conversation, reason: str) -> Conversation:
    """The same request again, with what was wrong with the answer."""
    return replace(conversation, brief=conversation.brief + fill("anew", reason=inline(reason)))


def _item(name: str, text: str) -> str:
    return fence(f"{name}\n{text.strip()}", _LONGEST_ITEM)


def _turn(turn: Turn, roster: Roster) -> str:
    speaker = THE_USER if turn.speaker == USER else roster[turn.speaker].name
    return fill("turn", number=turn.number, speaker=speaker, text=fence(turn.text, _LONGEST_TURN))


def _answer(answer: Answer) -> str:
    if answer.unknown:
        return fill("unknown", label=inline(answer.label), question=inline(answer.question))
    return fill(
        "answer",
        label=inline(answer.label),
        question=inline(answer.question),
        text=fence(answer.text, _LONGEST_ITEM),
    )


@lru_cache(maxsize=8)
def _documents(material: tuple[Material, ...]) -> str:
    """The documents, each shortened, and no more of them than a model can be expected to read."""
    parts, left = [], _LONGEST_DOCUMENTS
    for each in material:
        text = _MARKER.sub("", each.text).strip()
        if left <= 0 or not text:
            continue
        room = min(left, _LONGEST_DOCUMENT)
        parts.append(fill("document", name=inline(each.name), text=fence(text, room)) + "\n")
        left -= min(len(text), room)
    return "\n".join(parts)


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


HOSTED = ("anthropic", "openai", "google")


def price(model: str, usage: Usage) -> Decimal | None:
    """What a call has cost in US dollars; None where nobody knows."""
    provider, _, name = model.partition(":")
    if provider not in HOSTED or not name:
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
