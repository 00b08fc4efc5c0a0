"""Pairing: which open prompt a message answers. When unsure it answers none, and stands by itself.

`follow_discussion` reads the turns in order and keeps for every prompt whether it is open, answered, or left
as an open question. The panel has no memory between requests: everything is recovered from the turns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct, field

from ...core.commands import Table
from ...core.hearing import address
from ...core.text import fold_text, words_of
from ...core.turns import USER, Turn
from .lexicon import MAX_MESSAGE_LENGTH, content_stems, pattern, persona_line, stems_of_list
from .messages import Piece, UserMessage, read_message
from .prompts import AnswerKind, Library, Prompt, extract_question

PromptState = Literal["open", "answered", "kept"]

_LEAST_SCORE = 2.0
_LEAST_MARGIN = 0.6
_SHORT = 12
_LITTLE = 2
_TERSE = 5
_TOLD = ("statement", "decision")
_LETTER = re.compile(r"(?:^|[\s:(])[AB](?=[\s,.;:)!]|$)(?! [a-z]+ (?:is|was|has)\b)|^[ab](?:[,. ]|$)")
# "She sees ..." answers a prompt that puts a person into a situation, not one with a blank.
_SOMEBODY = re.compile(r"^(?:then )?(?:he|she|they)(?:'d|'ll)?\b")
_HAS_SOMEBODY = re.compile(
    r"\b(?:he|she|they|him|her|his|their|them|somebody|someone|person|whoever)\b", re.IGNORECASE
)
_PERSON = re.compile(r"\b(?:i|me|we|us|nobody|whoever|somebody|everybody|my|our|him|her)\b", re.IGNORECASE)


class OpenPrompt(Struct):
    """A prompt that was put in the discussion, and what became of it."""

    turn: int
    speaker: str
    text: str
    question: str
    label: str
    kind: AnswerKind
    prompt: Prompt | None = None
    state: PromptState = "open"
    further: bool = False


class SaidPiece(Struct, frozen=True):
    """A piece of a user's turn, and the prompt it answers."""

    turn: int
    piece: Piece
    prompt: OpenPrompt | None = None


class Discussion(Struct):
    """What was asked and said so far, as the turns tell it."""

    prompts: list[OpenPrompt] = field(default_factory=list)
    said: list[SaidPiece] = field(default_factory=list)
    settled_questions: set[int] = field(default_factory=set)
    """The user's turns whose questions the user calls answered."""
    kept_with: dict[int, str] = field(default_factory=dict)
    """For a prompt kept open, by its turn: what the user said of it."""

    @property
    def last_question(self) -> list[int]:
        """The turn of the user's last question, if there is any."""
        return [said.turn for said in self.said if said.piece.kind == "question"][-1:]

    @property
    def open_prompts(self) -> list[OpenPrompt]:
        return [each for each in self.prompts if each.state == "open"]


def first_names(table: Table) -> tuple[str, ...]:
    """Return the first names at the table."""
    return tuple(persona.first_name for persona in table.roster.personas)


def follow_discussion(table: Table, library: Library, upto: int | None = None) -> Discussion:
    """Read the turns in order and keep what became of each prompt; `upto` leaves out later turns."""
    found = Discussion()
    names = first_names(table)
    for turn in table.turns[:upto]:
        if turn.speaker == USER:
            _hear_user(found, turn, table, names)
        else:
            _hear_persona(found, turn, table, library)
    return found


def _hear_persona(found: Discussion, turn: Turn, table: Table, library: Library) -> None:
    """Keep what a persona asked: the focus question, a prompt, one step further, or a model's question."""
    number, speaker, text = turn.number, turn.speaker, turn.text
    if text.startswith(persona_line(speaker, "found").removesuffix("{lines}.")):
        found.settled_questions.update(found.last_question)
        return
    prompt = None if number == 1 else library.find_prompt(speaker, text)
    if prompt is not None:
        found.prompts.append(
            OpenPrompt(number, speaker, text, prompt.question, prompt.label, prompt.answer, prompt)
        )
        return
    mine = library.of_persona(speaker)
    source = next((each for each in mine if each.further and each.further in text), None)
    asked = source.further if source else extract_question(text)
    if number == 1 and table.focus_question:
        asked = table.focus_question[:1].upper() + table.focus_question[1:]
    if asked:
        label, kind = source.label if source else "", guess_kind(asked)
        asking = OpenPrompt(number, speaker, asked, asked, label, kind, source, further=bool(source))
        found.prompts.append(asking)


def _hear_user(found: Discussion, turn: Turn, table: Table, names: tuple[str, ...]) -> None:
    message = read_message(turn.text, names)
    if message.settles_question:
        found.settled_questions.update(found.last_question)
        return
    addressed = address(turn.text, table.roster).persona
    if message.keeps_open:
        waiting = [each for each in found.open_prompts if addressed in (None, each.speaker)]
        shares = waiting and not frozenset(content_stems(turn.text)).isdisjoint(
            content_stems(waiting[-1].text)
        )
        if waiting and (shares or len(content_stems(turn.text)) <= _LITTLE):
            waiting[-1].state = "kept"
            found.kept_with[waiting[-1].turn] = turn.text
        else:
            # What is open has a subject of its own: it is a question that the user leaves.
            found.said.append(SaidPiece(turn.number, Piece("question", turn.text)))
        return
    if message.of_kind("denial"):
        found.settled_questions.difference_update(found.last_question)
    answered = find_answered_prompt(message, found.open_prompts, addressed=addressed)
    if answered is not None:
        answered.state = "answered"
    first = True
    for piece in message.pieces:
        pairs = piece.kind in _TOLD and first
        found.said.append(SaidPiece(turn.number, piece, answered if pairs else None))
        first = first and not pairs


def find_answered_prompt(
    message: UserMessage, waiting: Sequence[OpenPrompt], *, addressed: str | None = None
) -> OpenPrompt | None:
    """Return the prompt that a message answers; None where it answers none, or it is not clear which."""
    told = " ".join(piece.text for piece in message.pieces if piece.kind in _TOLD)
    if not told or not waiting:
        return None
    candidates = [each for each in waiting if addressed in (None, each.speaker)]
    turns_down = message.question or message.objects or message.of_kind("denial")
    if addressed is not None and len(candidates) == 1 and not turns_down:
        # Whoever is told something by name has asked for it, where there is only one thing they asked.
        return candidates[0]
    rated = [(_rate(told, each, waiting), each) for each in candidates]
    ranked = sorted(rated, key=lambda row: (row[0][0], row[1].turn), reverse=True)
    if not ranked:
        return None
    (best, fits), answered = ranked[0]
    others = [score for (score, _), _ in ranked[1:]]
    if best >= _LEAST_SCORE and all(best - each >= _LEAST_MARGIN for each in others):
        return answered
    # A few words that only one of the prompts could be answered with.
    alone = fits and all(each <= 0.3 for each in others) and len(words_of(told)) <= _SHORT
    return answered if alone else None


def _rate(told: str, prompt: OpenPrompt, waiting: Sequence[OpenPrompt]) -> tuple[float, bool]:
    """Return how much speaks for words being the answer to a prompt, and whether they have its shape."""
    others = frozenset(stem for each in waiting if each is not prompt for stem in content_stems(each.text))
    shared = len((frozenset(content_stems(told)) & frozenset(content_stems(prompt.text))) - others)
    fits = fits_kind(told, prompt.kind, shares=bool(shared))
    score = min(shared, 3) + 1.2 * fits + 0.3 * (prompt is waiting[-1])
    if prompt.kind == "choice" and not fits:
        score -= 2.0
    if _SOMEBODY.match(fold_text(told).strip()):
        score += 0.8 if _HAS_SOMEBODY.search(prompt.text) else -1.5
    return score, fits


def guess_kind(asked: str) -> AnswerKind:
    """Guess what would answer a question that no prompt file describes."""
    question = fold_text(asked)
    if "___" in question:
        return "case"
    if re.search(
        r"\boption [ab]\b|\bwhich (?:of|one|loss|would|do|is)\b|\bwhich\?$|\bor\b[^?]*\?$", question
    ):
        return "choice"
    if re.search(
        r"\bhow (?:many|much|long|often|big|soon)\b|\b(?:number|limit|value|name of|figure)\b", question
    ):
        return "value"
    if re.search(r"\bwho\b|\bwhose\b", question):
        return "person"
    return "case" if re.search(r"\bwhat (?:does|do|happens|is on|would)\b", question) else "text"


def fits_kind(told: str, kind: AnswerKind, *, shares: bool = False) -> bool:
    """Whether words have the shape of what a prompt asks for; `shares`: they take up one of its words."""
    plain = fold_text(told[:MAX_MESSAGE_LENGTH]).strip()
    match kind:
        case "choice":
            named = pattern("chooses").search(plain) or _LETTER.search(told.strip())
            return bool(named) or (shares and len(words_of(plain)) <= _TERSE)
        case "value":
            return bool(pattern("gives_value").search(told))
        case "case":
            return bool(pattern("tells_case").search(plain)) and not pattern("states_fact").match(plain)
        case "person":
            people = stems_of_list("person")
            return bool(_PERSON.search(plain)) or not people.isdisjoint(content_stems(told))
        case "text":
            return False
