"""Messages: what a user's message in a discussion does, sentence by sentence, in the user's own words."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from msgspec import Struct

from ...core.text import fold_text, split_sentences, words_of
from ...core.validation import is_unknown
from .decisions import find_decisions, is_question
from .lexicon import MAX_MESSAGE_LENGTH, content_stems, drop_name, pattern, strip_address

Kind = Literal["question", "decision", "statement", "denial"]

_MAX_CLARIFYING_WORDS = 12
_FEW = 2
_PASTED_LINES = 20


class Piece(Struct, frozen=True):
    """What a message says in one breath, exactly as it was typed, and what that does."""

    kind: Kind
    text: str


class UserMessage(Struct, frozen=True):
    """A message of the user, understood as far as rules can."""

    text: str
    pieces: tuple[Piece, ...]
    keeps_open: bool = False
    settles_question: bool = False
    asks_to_clarify: bool = False
    objects: bool = False

    def of_kind(self, kind: Kind) -> str:
        """Return all that the message says of one kind, empty where there is nothing."""
        return " ".join(piece.text for piece in self.pieces if piece.kind == kind)


@lru_cache(maxsize=256)
def read_message(text: str, names: tuple[str, ...] = ()) -> UserMessage:
    """Understand a message; `names` are the first names that may stand before it."""
    whole = text.strip()
    if whole.count("\n") > _PASTED_LINES or len(whole) > MAX_MESSAGE_LENGTH:
        return UserMessage(whole, (Piece("statement", whole),))
    plain = fold_text(strip_address(whole, names)).strip()
    decided = frozenset(find_decisions(whole, names))
    pieces: list[Piece] = []
    asks = False
    for sentence in split_sentences(whole):
        told = fold_text(strip_address(sentence, names))
        is_doubt = "?" not in told and pattern("doubted").match(told) is not None
        if pattern("misfit").match(told):
            continue
        kind: Kind = "statement"
        if sentence in decided:
            kind = "decision"
        elif pattern("not_answered").match(fold_text(drop_name(sentence, names))):
            kind = "denial"
        elif (is_question(told) or is_doubt) and content_stems(told):
            kind = "question"
        asks = asks or (kind == "question" and not is_doubt)
        # Neighbouring statements are said in one breath, and so is "Approved." with what is approved.
        last = pieces[-1] if pieces else Piece(kind, "")
        approves = last.kind == "decision" and kind == "statement" and len(content_stems(last.text)) < _FEW
        if pieces and (approves or kind == last.kind != "decision"):
            pieces[-1] = Piece(last.kind, f"{last.text} {sentence}")
        else:
            pieces.append(Piece(kind, sentence))
    is_plain = not asks and not decided
    is_short = len(words_of(plain)) <= _MAX_CLARIFYING_WORDS
    return UserMessage(
        whole,
        () if is_noise(plain) or is_noise(fold_text(whole)) else tuple(pieces),
        keeps_open=is_plain and (is_unknown(plain) or pattern("kept_open").match(plain) is not None),
        settles_question=pattern("settled").match(plain) is not None,
        asks_to_clarify=is_short and pattern("clarify").search(plain) is not None,
        objects=is_plain and not is_unknown(plain) and pattern("objection").search(plain) is not None,
    )


def is_noise(said: str) -> bool:
    """Whether folded words say nothing that could stand in a document: no word, a greeting, a key."""
    return not words_of(said) or pattern("noise").fullmatch(said.strip(" .!?,\n")) is not None
