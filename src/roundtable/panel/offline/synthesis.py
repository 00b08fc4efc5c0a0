"""The synthesis, from the user's words alone: what they typed, led in by the prompt that it answers (SYN-9).

`FIXED_PHRASES` lists every other word that can stand in an entry.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import ceil

from ...core.commands import Table
from ...core.hearing import address
from ...core.synthesis import SUMMARY_LENGTH, Draft, Entry, join_lines, shorten_text
from .lexicon import drop_name, telling_stems
from .messages import Kind
from .pairing import Discussion, SaidPiece, first_names, follow_discussion
from .prompts import Library

WHO_COULD_TELL = {
    "business-analyst": "for somebody who knows the people concerned",
    "solutions-architect": "for somebody who knows the system",
    "system-designer": "for somebody who knows the code",
}
ANYBODY = "for whoever can tell"
NOBODY_ANSWERED = "Nobody answered; the prompts are in the transcript"
FIXED_PHRASES = (*WHO_COULD_TELL.values(), ANYBODY, NOBODY_ANSWERED)

# Without the options it says nothing; "Option A: we stop" says it again.
_OPTION = re.compile(r"\boption [ab]\b(?!:)", re.IGNORECASE)
_MAX_ENTRIES = 12
_FEW_STEMS = 3
_TWO = 2
_TOLD = ("statement", "decision")
_MOST = 0.6


def extract_synthesis(table: Table, library: Library) -> Draft:
    """Draft the synthesis from what the user said."""
    found = follow_discussion(table, library)
    marked = {number for turn in table.turns for number in turn.verdict.decisions}
    decided = (said for said in _pieces(table, found, "decision") if said.turn in marked)
    decisions = tuple(_put_entry(said, table) for said in decided)
    told = (said for said in _pieces(table, found, "statement") if said.prompt or _stems(said))
    insights = tuple(_put_entry(said, table) for said in told)[:_MAX_ENTRIES]
    questions = tuple(_find_questions(table, found))[:_MAX_ENTRIES]
    parts = [f"Decided: {_own_words(entry, table)}" for entry in decisions[:1]]
    parts += [] if decisions else [f"Said: {_own_words(entry, table)}" for entry in insights[:1]]
    parts += [f"Open: {entry.text}" for entry in questions[:1]]
    if not parts:
        return Draft(summary=NOBODY_ANSWERED, takeaway=NOBODY_ANSWERED)
    half = SUMMARY_LENGTH // len(parts)
    short = (shorten_text(part.rstrip("."), half) + ("" if part.endswith("?") else ".") for part in parts)
    return Draft(insights, decisions, questions, summary=" ".join(short))


def _pieces(table: Table, found: Discussion, kind: Kind) -> Iterator[SaidPiece]:
    """Yield what the user said of one kind, without small talk."""
    for said in found.said:
        drift = table.turns[said.turn - 1].verdict.off_topic
        if said.piece.kind == kind and not (drift is not None and drift.is_chat):
            yield said


def _stems(said: SaidPiece) -> frozenset[str]:
    return telling_stems(said.piece.text)


def _put_entry(said: SaidPiece, table: Table) -> Entry:
    """Return the user's words as an entry; led in by what they answer where they say too little alone."""
    words, prompt = drop_name(join_lines(said.piece.text), first_names(table)), said.prompt
    says_little = len(_stems(said)) < _FEW_STEMS or _OPTION.search(words)
    if prompt is None or not says_little or "___" in prompt.question:
        return Entry(words, (said.turn,))
    asked = prompt.question
    if prompt.kind == "choice" and prompt.prompt is not None:
        asked = prompt.text[max(prompt.text.find(prompt.prompt.text[:20]), 0) :]  # with its options
    return Entry(f'{join_lines(asked)} "{words}"', (prompt.turn, said.turn))


def _own_words(entry: Entry, table: Table) -> str:
    """Return the user's words of an entry, without the prompt that leads them in."""
    is_alone = len(entry.turns) == 1
    return entry.text if is_alone else join_lines(table.turns[entry.turns[-1] - 1].text)


def _find_questions(table: Table, found: Discussion) -> Iterator[Entry]:
    """Yield what the user asked and nobody answered, then the prompts that the user left open."""
    for said in _pieces(table, found, "question"):
        if said.turn not in found.settled_questions and not _is_taken_up(said, found):
            words = drop_name(join_lines(said.piece.text), first_names(table))
            asked = address(table.turns[said.turn - 1].text, table.roster).persona
            yield Entry(words, (said.turn,), WHO_COULD_TELL.get(asked or "", ANYBODY))
    for prompt in found.prompts:
        if prompt.state == "kept":
            said_of_it = join_lines(prompt.kept_with)
            is_named = len(telling_stems(said_of_it)) > 1
            detail = f'"{said_of_it}"' if is_named else WHO_COULD_TELL.get(prompt.speaker, ANYBODY)
            yield Entry(prompt.question, (prompt.turn,), detail)


def _is_taken_up(asked: SaidPiece, found: Discussion) -> bool:
    """Whether the user answered a question of their own later: in words that take up most of its words."""
    stems = _stems(asked)
    enough = max(min(_TWO, len(stems)), ceil(_MOST * len(stems)))
    later = (said for said in found.said if said.turn > asked.turn and said.piece.kind in _TOLD)
    return any(len(stems & _stems(said)) >= enough for said in later)
