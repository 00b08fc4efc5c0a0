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
from ...core.turns import USER
from .decisions import find_decisions, is_pointing_back
from .lexicon import content_stems, drop_name
from .pairing import Discussion, OpenPrompt, SaidPiece, first_names, follow_discussion
from .prompts import Library

WHO_COULD_TELL = {
    "business-analyst": "for somebody who knows the people concerned",
    "solutions-architect": "for somebody who knows the system",
    "system-designer": "for somebody who knows the code",
}
ANYBODY = "for whoever can tell"
NOBODY_ANSWERED = "Nobody answered; the prompts are in the transcript"
FIXED_PHRASES = (
    *WHO_COULD_TELL.values(),
    ANYBODY,
    NOBODY_ANSWERED,
    "Decided:",
    "Open:",
    "Said:",
    "replaces:",
)

# Without the options it says nothing; "Option A: we stop" says it again.
_OPTION = re.compile(r"\boption [ab]\b(?!:)", re.IGNORECASE)
_MAX_ENTRIES = 12
_FEW_STEMS = 3
_TWO = 2
_MOST = 0.6


def extract_synthesis(table: Table, library: Library) -> Draft:
    """Draft the synthesis from what the user said."""
    found = follow_discussion(table, library)
    decisions = tuple(_find_decisions(table, found))
    insights = tuple(_find_insights(table, found))[:_MAX_ENTRIES]
    questions = tuple(_find_questions(table, found))[:_MAX_ENTRIES]
    takeaway = "" if decisions or insights or questions else NOBODY_ANSWERED
    return Draft(
        insights, decisions, questions, (), _summarise(found, table, decisions, insights, questions), takeaway
    )


def _find_decisions(table: Table, found: Discussion) -> Iterator[Entry]:
    """Yield the user's decisions; one that says only "A" or "do that" is led in by what it answers."""
    marked = {number for turn in table.turns for number in turn.verdict.decisions}
    names = first_names(table)
    for said in _pieces(table, found, "decision"):
        if said.turn in marked:
            words = said.piece.text
            little = is_pointing_back(words, names) or not find_decisions(words, names)
            yield _lead_in(said, table, always=little or len(content_stems(words)) < _FEW_STEMS)


def _find_insights(table: Table, found: Discussion) -> Iterator[Entry]:
    """Yield the user's own sentences; one that says too little alone is led in by what it answers."""
    for said in _pieces(table, found, "statement"):
        stems = content_stems(said.piece.text)
        if said.prompt is not None or stems:
            yield _lead_in(said, table, always=len(stems) < _FEW_STEMS)


def _find_questions(table: Table, found: Discussion) -> Iterator[Entry]:
    for said in _pieces(table, found, "question"):
        if said.turn not in found.settled_questions and not _is_taken_up(said, found):
            words = drop_name(join_lines(said.piece.text), first_names(table))
            asked = address(table.turns[said.turn - 1].text, table.roster).persona
            yield Entry(words, (said.turn,), WHO_COULD_TELL.get(asked or "", ANYBODY))
    for prompt in found.prompts:
        if prompt.state == "kept":
            said_of_it = join_lines(found.kept_with.get(prompt.turn, ""))
            named = len(content_stems(said_of_it)) > 1
            detail = f'"{said_of_it}"' if named else WHO_COULD_TELL.get(prompt.speaker, ANYBODY)
            yield Entry(prompt.question, (prompt.turn,), detail)


def _is_taken_up(asked: SaidPiece, found: Discussion) -> bool:
    """Whether the user answered a question of their own later: in words that take up most of its words."""
    stems = frozenset(content_stems(asked.piece.text))
    enough = max(min(_TWO, len(stems)), ceil(_MOST * len(stems)))
    later = (said.piece for said in found.said if said.turn > asked.turn)
    return any(
        piece.kind in ("statement", "decision")
        and len(stems & frozenset(content_stems(piece.text))) >= enough
        for piece in later
    )


def _pieces(table: Table, found: Discussion, kind: str) -> Iterator[SaidPiece]:
    """Yield what the user said of one kind, without small talk."""
    for said in found.said:
        drift = table.turns[said.turn - 1].verdict.off_topic
        chats = drift is not None and drift.is_chat
        if said.piece.kind == kind and not chats:
            yield said


def _lead_in(said: SaidPiece, table: Table, *, always: bool) -> Entry:
    words = drop_name(join_lines(said.piece.text), first_names(table))
    if said.prompt is None or not (always or _OPTION.search(words)) or "___" in said.prompt.question:
        return Entry(words, (said.turn,))
    return Entry(f'{_put_plainly(said.prompt)} "{words}"', (said.prompt.turn, said.turn))


def _put_plainly(prompt: OpenPrompt) -> str:
    """Return the prompt as it leads in an answer; a choice keeps its options."""
    if prompt.kind == "choice" and prompt.prompt is not None and not prompt.further:
        start = prompt.text.find(prompt.prompt.text[:20])
        return join_lines(prompt.text[max(start, 0) :])
    return join_lines(prompt.question)


def _summarise(
    found: Discussion,
    table: Table,
    decisions: tuple[Entry, ...],
    insights: tuple[Entry, ...],
    questions: tuple[Entry, ...],
) -> str:
    """Say what was decided and what is open, in the user's words (SYN-10)."""
    if not any(turn.speaker == USER for turn in table.turns):
        return NOBODY_ANSWERED
    parts = []
    if decisions:
        parts.append(f"Decided: {_first_words(found, decisions[0], table)}")
    elif insights:
        parts.append(f"Said: {_first_words(found, insights[0], table)}")
    if questions:
        parts.append(f"Open: {questions[0].text}")
    if not parts:
        return NOBODY_ANSWERED
    half = SUMMARY_LENGTH // len(parts)
    return " ".join(
        shorten_text(part.rstrip("."), half) + ("" if part.endswith("?") else ".") for part in parts
    )


def _first_words(found: Discussion, entry: Entry, table: Table) -> str:
    """Return the user's own words of an entry, without the prompt that leads them in."""
    turn = entry.turns[-1]
    names = first_names(table)
    spoken = [drop_name(join_lines(said.piece.text), names) for said in found.said if said.turn == turn]
    return next((words for words in spoken if words in entry.text), join_lines(table.turns[turn - 1].text))
