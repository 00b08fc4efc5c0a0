"""Checks: whether a reply answers the request; what does not is refused, and nothing changes."""

from __future__ import annotations

import re
from typing import assert_never

from ...core.commands import AskSynthesis, Brief, Table
from ...core.errors import RuleBroken
from ...core.markup import printable
from ...core.steps import PHASE_KEYS
from ...core.synthesis import Draft
from ...core.turns import Verdict
from .requests import CHARACTERS_PER_WORD, Reply, Request, Section, Words

QUESTION_WORDS, TOPIC_WORDS, ENTRY_WORDS = 80, 12, 120
MOST_ENTRIES = 40
_KEPT = re.compile(r"\*\*[^*\n]{1,60}\*\*|\b[A-Z]{1,5}-\d+\b")


def check(request: Request, reply: Reply) -> None:
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
    return printable(text.replace("\r\n", "\n").replace("\r", "\n")).strip()


def _check_words(request: Request, reply: Words) -> None:
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
    if isinstance(request.grounds, Section):
        _check_section(request.grounds, reply.text)


def _check_verdict(request: Request, reply: Verdict) -> None:
    if request.kind != "verdict" or not isinstance(request.grounds, Table):
        raise RuleBroken(f"This move asks for a {request.kind}, not for a verdict.")
    _check_turns(reply, len(request.grounds.turns))
    _check_place(reply, request.grounds)


def _check_draft(request: Request, reply: Draft) -> None:
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
    missing = verdict.missing(number)
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


def _check_section(section: Section, text: str) -> None:
    """Labels and ids are what other documents and later steps find the section's content by."""
    lost = [each for each in dict.fromkeys(_KEPT.findall(section.draft)) if each not in text]
    if lost:
        raise RuleBroken(
            f"These labels and ids of the draft must stay in the section: {', '.join(lost[:12])}."
        )
