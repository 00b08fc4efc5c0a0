"""The discussion so far, from its turns: which prompt a message answers, and the synthesis of what was said.

A message that may answer several prompts answers none, and stands by itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from ...core import synthesis
from ...core.commands import Table
from ...core.hearing import address
from ...core.synthesis import Draft, Entry, join_lines
from ...core.text import fold_text, words_of
from ...core.turns import USER, Turn
from . import messages
from .messages import Piece, UserMessage, pattern, telling_stems
from .prompts import AnswerKind, Library, Prompt, extract_question

_LEAST_SCORE = 2.0
_MAX_ANSWER_WORDS = 12
# What answers a question of each kind; the first kind that a question shows is its own.
_SHAPES: Mapping[AnswerKind, str] = {
    "choice": "chooses", "value": "gives_value", "person": "tells_person", "case": "tells_case",
}  # fmt: skip


class OpenPrompt(Struct):
    """A prompt that was put in the discussion, and whether it still waits for an answer."""

    turn: int
    speaker: str
    text: str
    question: str
    label: str
    kind: AnswerKind
    prompt: Prompt | None = None
    is_open: bool = True


class SaidPiece(Struct, frozen=True):
    """A piece of a user's turn, and the prompt that it answers, or leaves open where it is a question."""

    turn: int
    piece: Piece
    prompt: OpenPrompt | None = None


class Discussion(Struct):
    """What was asked and said so far, without the questions that the user calls answered."""

    prompts: list[OpenPrompt] = field(default_factory=list)
    said: list[SaidPiece] = field(default_factory=list)

    def list_open(self, speaker: str | None = None) -> list[OpenPrompt]:
        """Return the prompts, of one speaker or of all, that still wait for an answer."""
        return [each for each in self.prompts if each.is_open and speaker in (None, each.speaker)]


def first_names(table: Table) -> tuple[str, ...]:
    """Return the first names at the table."""
    return tuple(persona.first_name for persona in table.roster.personas)


def follow_discussion(table: Table, library: Library) -> Discussion:
    """Read the turns in order and keep what became of each prompt."""
    found = Discussion()
    for turn in table.turns:
        if turn.speaker == USER:
            _hear_user(found, turn, table)
        elif prompt := _read_prompt(turn, table.focus_question, library):
            found.prompts.append(prompt)
    return found


def _read_prompt(turn: Turn, focus_question: str, library: Library) -> OpenPrompt | None:
    """Return what a persona asked: the focus question, a prompt, one step further, or a model's question."""
    speaker, text, label = turn.speaker, turn.text, ""
    if turn.number == 1 and focus_question:
        asked = focus_question[:1].upper() + focus_question[1:]
    elif prompt := library.find_prompt(speaker, text):
        asked = extract_question(prompt.text) or prompt.text
        return OpenPrompt(turn.number, speaker, text, asked, prompt.label, prompt.answer, prompt)
    else:
        asked = extract_question(text)
        for each in library.of_persona(speaker):
            if each.further and each.further in text:
                asked, label = each.further, each.label
    return OpenPrompt(turn.number, speaker, asked, asked, label, guess_kind(asked)) if asked else None


def _hear_user(found: Discussion, turn: Turn, table: Table) -> None:
    """Keep what the user said, paired with the prompt that it answers or leaves open."""
    message = messages.read_message(turn.text, first_names(table))
    addressed = address(turn.text, table.roster).persona
    waiting = found.list_open(addressed)
    if message.act == "settled":  # the question that was left open last
        asked = [each for each in found.said if each.piece.kind == "question"]
        found.said = [each for each in found.said if each not in asked[-1:]]
    left = waiting[-1] if waiting and message.act in ("rejected", "kept_open") else None
    if left is not None:
        left.is_open = False
    if message.act == "kept_open":
        found.said.append(SaidPiece(turn.number, Piece("question", turn.text), left))
        return
    answered = find_answered_prompt(message, found.list_open(), addressed=addressed)
    if answered is not None:
        answered.is_open = False
    for piece in message.pieces:
        pairs = piece.kind in ("statement", "decision")
        found.said.append(SaidPiece(turn.number, piece, answered if pairs else None))
        answered = None if pairs else answered


def find_answered_prompt(
    message: UserMessage, waiting: Sequence[OpenPrompt], *, addressed: str | None = None
) -> OpenPrompt | None:
    """Return the prompt that a message answers; None where it answers none, or it is not clear which."""
    told = message.of_kind("statement", "decision")
    candidates = [each for each in waiting if addressed in (None, each.speaker)]
    if not told or not candidates:
        return None
    turns_down = message.of_kind("question", "aside") or message.act == "objection"
    if addressed is not None and len(candidates) == 1 and not turns_down:
        # Whoever is told something by name has asked for it, where there is only one thing they asked.
        return candidates[0]
    rated = [(*_rate(told, each, waiting), each) for each in candidates]
    (best, fits, answered), *others = sorted(rated, key=lambda row: -row[0])
    # A few words that only one of the prompts could be answered with.
    is_alone = fits and all(score <= 0 for score, *_ in others)
    is_only = is_alone and len(words_of(told)) <= _MAX_ANSWER_WORDS and message.act != "objection"
    is_clear = best >= _LEAST_SCORE and all(score < best for score, *_ in others)
    return answered if is_clear or is_only else None


def _rate(told: str, prompt: OpenPrompt, waiting: Sequence[OpenPrompt]) -> tuple[float, bool]:
    """Return how much speaks for words being the answer to a prompt, and whether they have its shape."""
    others = frozenset(stem for each in waiting if each is not prompt for stem in telling_stems(each.text))
    shared = len((telling_stems(told) & telling_stems(prompt.text)) - others)
    said = told[: messages.MAX_MESSAGE_LENGTH].replace("’", "'").strip()
    shape = pattern(_SHAPES[prompt.kind]).search(said) if prompt.kind in _SHAPES else None
    fits = shape is not None and not (prompt.kind == "case" and pattern("states_fact").match(said))
    score = min(shared, 3) + 1.2 * fits
    if pattern("somebody").match(fold_text(told).strip()):
        score += 0.8 if pattern("has_somebody").search(prompt.text) else -1.5
    return score, fits


def guess_kind(asked: str) -> AnswerKind:
    """Guess what would answer a question that no prompt file describes."""
    question = fold_text(asked)
    if "___" in question:
        return "case"
    return next((kind for kind in _SHAPES if pattern(f"asks_{kind}").search(question)), "text")


WHO_COULD_TELL = {
    "business-analyst": "for somebody who knows the people concerned",
    "solutions-architect": "for somebody who knows the system",
    "system-designer": "for somebody who knows the code",
}
ANYBODY = "for somebody who knows"
NOBODY_ANSWERED = "Nobody answered; the prompts are in the transcript"

# Without the options it says nothing; "Option A: we stop" says it again.
_OPTION = re.compile(r"\boption [ab]\b(?!:)", re.IGNORECASE)
_MAX_ENTRIES = 12
_FEW_STEMS = 3


def extract_synthesis(table: Table, library: Library) -> Draft:
    """Draft the synthesis from what the user said, without small talk."""
    chat = {turn.number for turn in table.turns if (drift := turn.verdict.off_topic) and drift.is_chat}
    said = [each for each in follow_discussion(table, library).said if each.turn not in chat]
    marked = synthesis.decision_turns(table.turns)
    found: dict[str, list[Entry]] = {"decision": [], "statement": [], "question": [], "aside": []}
    for each in said:
        tells = each.piece.kind != "statement" or each.prompt or telling_stems(each.piece.text)
        if tells and (each.piece.kind != "decision" or each.turn in marked):
            found[each.piece.kind].append(_put_entry(each, table))
    insights, questions = (tuple(found[kind][:_MAX_ENTRIES]) for kind in ("statement", "question"))
    draft = Draft(insights, tuple(found["decision"]), questions)
    return draft if draft.entries else Draft(summary=NOBODY_ANSWERED, takeaway=NOBODY_ANSWERED)


def _put_entry(said: SaidPiece, table: Table) -> Entry:
    """Return the user's words as an entry, with the prompt they answer where they say too little alone."""
    prompt, typed = said.prompt, join_lines(said.piece.text)
    words, stems = messages.drop_name(typed, first_names(table)), telling_stems(said.piece.text)
    if said.piece.kind == "question":
        # What the user asked and nobody answered, or the prompt that the user left open.
        if prompt is None:
            addressed = address(table.turns[said.turn - 1].text, table.roster).persona
            return Entry(words, (said.turn,), WHO_COULD_TELL.get(addressed or "", ANYBODY))
        detail = f'"{typed}"' if len(stems) > 1 else WHO_COULD_TELL.get(prompt.speaker, ANYBODY)
        return Entry(prompt.question, (prompt.turn,), detail)
    says_little = len(stems) < _FEW_STEMS or _OPTION.search(words)
    if prompt is None or not says_little or "___" in prompt.question:
        return Entry(words, (said.turn,))
    asked = prompt.question
    if prompt.kind == "choice" and prompt.prompt is not None:
        asked = prompt.text[max(prompt.text.find(prompt.prompt.text[:20]), 0) :]  # with its options
    turns = (prompt.turn, said.turn)
    if said.piece.kind == "decision":
        return synthesis.decision_with_question(words, join_lines(asked), turns)
    return Entry(f'{join_lines(asked)} "{words}"', turns)
