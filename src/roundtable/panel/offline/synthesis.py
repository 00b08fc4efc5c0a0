"""The synthesis, from the user's words alone: what they typed, with the prompt that it answers (SYN-9).

The prompt stands before an answer and behind a decision, which always begins with the user's own words.
`FIXED_PHRASES` lists every other word that can stand in an entry.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ...core.commands import Table
from ...core.hearing import address, find_taken_back, is_about
from ...core.synthesis import (
    NO_REASON,
    SUMMARY_LENGTH,
    Draft,
    Entry,
    decision_turns,
    decision_with_question,
    join_lines,
    shorten_text,
)
from ...core.turns import USER, Turn
from .lexicon import drop_name, telling_stems
from .pairing import Discussion, SaidPiece, first_names, follow_discussion
from .prompts import Library

WHO_COULD_TELL = {
    "business-analyst": "for somebody who knows the people concerned",
    "solutions-architect": "for somebody who knows the system",
    "system-designer": "for somebody who knows the code",
}
ANYBODY = "for somebody who knows"
NOBODY_ANSWERED = "Nobody answered; the prompts are in the transcript"
FIXED_PHRASES = (*WHO_COULD_TELL.values(), ANYBODY, NOBODY_ANSWERED, NO_REASON)

# Without the options it says nothing; "Option A: we stop" says it again.
_OPTION = re.compile(r"\boption [ab]\b(?!:)", re.IGNORECASE)
_MAX_ENTRIES = 12
_FEW_STEMS = 3


def extract_synthesis(table: Table, library: Library) -> Draft:
    """Draft the synthesis from what the user said, without small talk."""
    found = follow_discussion(table, library)
    drifts = {turn.number: turn.verdict.off_topic for turn in table.turns}
    corrected = set(_find_corrected(table.turns))
    said = [each for each in found.said if not ((drift := drifts[each.turn]) and drift.is_chat)]
    said = [each for each in said if each.turn not in corrected]
    marked = decision_turns(table.turns)
    decided = [each for each in said if each.piece.kind == "decision" and each.turn in marked]
    told = [each for each in said if each.piece.kind == "statement" and (each.prompt or _stems(each))]
    decisions, insights = (
        tuple(_put_entry(each, table) for each in pieces) for pieces in (decided, told[:_MAX_ENTRIES])
    )
    questions = tuple(_find_questions(table, found, said))[:_MAX_ENTRIES]
    own = [("Decided", each) for each in decided[:1]] or [("Said", each) for each in told[:1]]
    parts = [f"{lead}: {_own_words(each, table)}" for lead, each in own]
    parts += [f"Open: {entry.text}" for entry in questions[:1]]
    if not parts:
        return Draft(summary=NOBODY_ANSWERED, takeaway=NOBODY_ANSWERED)
    half = SUMMARY_LENGTH // len(parts)
    short = (shorten_text(part.rstrip("."), half) + ("" if part.endswith("?") else ".") for part in parts)
    return Draft(insights, decisions, questions, summary=" ".join(short))


def _find_corrected(turns: Sequence[Turn]) -> Iterator[int]:
    """Yield the user's turns that the next one takes back and replaces: "Forget that. We use X"."""
    own = [turn for turn in turns if turn.speaker == USER]
    for before, turn in pairwise(own):
        taken = find_taken_back(turn.text)
        if taken and taken.needs_last and taken.instead and is_about(" ".join(taken.instead), before.text):
            yield before.number


def _stems(said: SaidPiece) -> frozenset[str]:
    return telling_stems(said.piece.text)


def _own_words(said: SaidPiece, table: Table) -> str:
    return drop_name(join_lines(said.piece.text), first_names(table))


def _put_entry(said: SaidPiece, table: Table) -> Entry:
    """Return the user's words as an entry, with the prompt they answer where they say too little alone."""
    words, prompt = _own_words(said, table), said.prompt
    says_little = len(_stems(said)) < _FEW_STEMS or _OPTION.search(words)
    if prompt is None or not says_little or "___" in prompt.question:
        return Entry(words, (said.turn,))
    asked = prompt.question
    if prompt.kind == "choice" and prompt.prompt is not None:
        asked = prompt.text[max(prompt.text.find(prompt.prompt.text[:20]), 0) :]  # with its options
    turns = (prompt.turn, said.turn)
    if said.piece.kind == "decision":
        return decision_with_question(words, join_lines(asked), turns)
    return Entry(f'{join_lines(asked)} "{words}"', turns)


def _find_questions(table: Table, found: Discussion, said: Sequence[SaidPiece]) -> Iterator[Entry]:
    """Yield what the user asked and nobody answered, then the prompts that the user left open."""
    for each in said:
        if each.piece.kind == "question" and each.turn not in found.settled_questions:
            asked = address(table.turns[each.turn - 1].text, table.roster).persona
            detail = WHO_COULD_TELL.get(asked or "", ANYBODY)
            yield Entry(_own_words(each, table), (each.turn,), detail)
    for prompt in found.prompts:
        if prompt.state == "kept":
            said_of_it = join_lines(prompt.kept_with)
            is_named = len(telling_stems(said_of_it)) > 1
            detail = f'"{said_of_it}"' if is_named else WHO_COULD_TELL.get(prompt.speaker, ANYBODY)
            yield Entry(prompt.question, (prompt.turn,), detail)
