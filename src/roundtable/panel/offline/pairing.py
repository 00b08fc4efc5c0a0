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
from .lexicon import MAX_MESSAGE_LENGTH, pattern, stems_of_list, telling_stems
from .messages import Piece, UserMessage, read_message
from .prompts import AnswerKind, Library, Prompt, extract_question

_LEAST_SCORE = 2.0
_SHORT = 12
_LITTLE = 2
_TERSE = 5
_LETTER = re.compile(r"(?:^|[\s:(])[AB](?=[\s,.;:)!]|$)(?! [a-z]+ (?:is|was|has)\b)|^[ab](?:[,. ]|$)")
# "She sees ..." answers a prompt that puts a person into a situation, not one with a blank.
_SOMEBODY = re.compile(r"^(?:then )?(?:he|she|they)(?:'d|'ll)?\b")
_ABOUT = re.compile(r"\bquestion (?:about|on|of|with) (?P<what>[^.,;?]{1,60})")
_HAS_SOMEBODY = re.compile(
    r"\b(?:he|she|they|him|her|his|their|them|somebody|someone|person|whoever)\b", re.IGNORECASE
)
# "I think so" has a person, but tells of none.
_PERSON = re.compile(
    r"\b(?:i(?! (?:(?:dis)?agree|think|guess|believe|mean|doubt|hope|do|don't|am not)\b)|me|we|us|nobody"
    r"|whoever|somebody|everybody|my|our|him|her)\b",
    re.IGNORECASE,
)
# What would answer a question that no prompt file describes: the first that it shows.
_KINDS: tuple[tuple[AnswerKind, re.Pattern[str]], ...] = (
    ("case", re.compile(r"___")),
    ("choice", re.compile(r"\boption [ab]\b|\bwhich (?:of|one|would|do|is)\b|\bwhich\?$|\bor\b[^?]*\?$")),
    ("value", re.compile(r"\bhow (?:many|much|long|often|big|soon)\b|\b(?:number|limit|value|name of)\b")),
    ("person", re.compile(r"\bwho(?:se)?\b")),
    ("case", re.compile(r"\bwhat (?:does|do|happens|is on|would)\b")),
)


class OpenPrompt(Struct):
    """A prompt that was put in the discussion, and what became of it."""

    turn: int
    speaker: str
    text: str
    question: str
    label: str
    kind: AnswerKind
    prompt: Prompt | None = None
    state: Literal["open", "answered", "kept", "dropped"] = "open"
    kept_with: str = ""
    """What the user said when they left it open."""


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
    settling_turns: set[int] = field(default_factory=set)
    """The user's turns that struck a question."""

    @property
    def open_prompts(self) -> list[OpenPrompt]:
        """The prompts that nobody has answered or left open."""
        return [each for each in self.prompts if each.state == "open"]


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
        return OpenPrompt(turn.number, speaker, text, prompt.question, prompt.label, prompt.answer, prompt)
    else:
        asked = extract_question(text)
        for each in library.of_persona(speaker):
            if each.further and each.further in text:
                asked, label = each.further, each.label
    return OpenPrompt(turn.number, speaker, asked, asked, label, guess_kind(asked)) if asked else None


def _hear_user(found: Discussion, turn: Turn, table: Table) -> None:
    """Keep what the user said, paired with the prompt that it answers or leaves open."""
    message = read_message(turn.text, first_names(table))
    addressed = address(turn.text, table.roster).persona
    if message.settles_question:
        _settle_question(found, turn)
    if message.rejects_prompt:
        personas, words = table.roster.personas, words_of(turn.text)
        named = {persona.key for persona in personas if fold_text(persona.first_name) in words}
        asked = [each for each in found.open_prompts if not named or each.speaker in named]
        for prompt in asked[-1:]:
            prompt.state = "dropped"
    if message.keeps_open and not message.settles_question:
        waiting = [each for each in found.open_prompts if addressed in (None, each.speaker)][-1:]
        stems = telling_stems(turn.text)
        for prompt in waiting:
            if len(stems) <= _LITTLE or not stems.isdisjoint(telling_stems(prompt.text)):
                prompt.state, prompt.kept_with = "kept", turn.text
                return
        # What is open has a subject of its own: it is a question that the user leaves.
        found.said.append(SaidPiece(turn.number, Piece("question", turn.text)))
    else:
        answered = find_answered_prompt(message, found.open_prompts, addressed=addressed)
        if answered is not None:
            answered.state = "answered"
        for piece in message.pieces:
            pairs = piece.kind in ("statement", "decision")
            found.said.append(SaidPiece(turn.number, piece, answered if pairs else None))
            answered = None if pairs else answered


def _settle_question(found: Discussion, turn: Turn) -> None:
    """Strike the question that the user calls settled: one with the words it names, else the user's last."""
    named = _ABOUT.search(fold_text(turn.text))
    stems = telling_stems(named["what"]) if named else frozenset[str]()
    kept = [each for each in found.prompts if each.state == "kept"]
    for prompt in [each for each in kept if not stems.isdisjoint(telling_stems(each.text))][-1:]:
        prompt.state = "dropped"
        found.settling_turns.add(turn.number)
        return
    asked = [said for said in found.said if said.piece.kind == "question"]
    meant = [said for said in asked if not stems.isdisjoint(telling_stems(said.piece.text))]
    for said in (meant if meant or stems else asked)[-1:]:
        found.settled_questions.add(said.turn)
        found.settling_turns.add(turn.number)


def find_answered_prompt(
    message: UserMessage, waiting: Sequence[OpenPrompt], *, addressed: str | None = None
) -> OpenPrompt | None:
    """Return the prompt that a message answers; None where it answers none, or it is not clear which."""
    told = message.of_kind("statement", "decision")
    candidates = [each for each in waiting if addressed in (None, each.speaker)]
    if not told or not candidates:
        return None
    turns_down = message.of_kind("question", "aside") or message.objects
    if addressed is not None and len(candidates) == 1 and not turns_down:
        # Whoever is told something by name has asked for it, where there is only one thing they asked.
        return candidates[0]
    rated = [(*_rate(told, each, waiting), each) for each in candidates]
    (best, fits, answered), *others = sorted(rated, key=lambda row: (row[0], row[2].turn), reverse=True)
    # A few words that only one of the prompts could be answered with.
    is_alone = fits and all(score <= 0.3 for score, *_ in others)
    is_only = is_alone and len(words_of(told)) <= _SHORT and not message.objects
    is_clear = best >= _LEAST_SCORE and all(score < best for score, *_ in others)
    return answered if is_clear or is_only else None


def _rate(told: str, prompt: OpenPrompt, waiting: Sequence[OpenPrompt]) -> tuple[float, bool]:
    """Return how much speaks for words being the answer to a prompt, and whether they have its shape."""
    others = frozenset(stem for each in waiting if each is not prompt for stem in telling_stems(each.text))
    shared = len((telling_stems(told) & telling_stems(prompt.text)) - others)
    fits = _fits_kind(told, prompt.kind, shares=bool(shared))
    score = min(shared, 3) + 1.2 * fits + 0.3 * (prompt is waiting[-1])
    if prompt.kind == "choice" and not fits:
        score -= 2.0
    if _SOMEBODY.match(fold_text(told).strip()):
        score += 0.8 if _HAS_SOMEBODY.search(prompt.text) else -1.5
    return score, fits


def guess_kind(asked: str) -> AnswerKind:
    """Guess what would answer a question that no prompt file describes."""
    question = fold_text(asked)
    return next((kind for kind, shown in _KINDS if shown.search(question)), "text")


def _fits_kind(told: str, kind: AnswerKind, *, shares: bool) -> bool:
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
            return bool(_PERSON.search(plain)) or not stems_of_list("person").isdisjoint(telling_stems(told))
        case "text":
            return False
