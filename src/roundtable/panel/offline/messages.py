"""Messages: what a user's message in a discussion does, sentence by sentence, in the user's own words."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from ...core.text import fold_text, split_sentences, words_of
from ...core.validation import is_unknown
from .decisions import find_decisions, is_question
from .lexicon import MAX_MESSAGE_LENGTH, content_stems, drop_name, pattern, strip_address

Kind = Literal["question", "decision", "statement", "denial"]

_SHORT = 6
_FEW = 2
_PASTED_LINES = 20


class Piece(Struct, frozen=True):
    """One sentence of a message, exactly as it was typed, and what it does."""

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

    def of_kind(self, kind: Kind) -> tuple[str, ...]:
        return tuple(piece.text for piece in self.pieces if piece.kind == kind)

    @property
    def question(self) -> str:
        """The questions of the message, empty where it asks nothing."""
        return " ".join(self.of_kind("question"))


@lru_cache(maxsize=256)
def read_message(text: str, names: tuple[str, ...] = ()) -> UserMessage:
    """Understand a message; `names` are the first names that may stand before it."""
    whole = text.strip()
    if whole.count("\n") > _PASTED_LINES or len(whole) > MAX_MESSAGE_LENGTH:
        return UserMessage(whole, (Piece("statement", whole),))
    plain = fold_text(strip_address(whole, names)).strip()
    noise = is_noise(plain) or is_noise(fold_text(whole).strip())
    decided = frozenset(find_decisions(whole, names))
    sentences = ((each, fold_text(strip_address(each, names))) for each in split_sentences(whole))
    fitting = (each for each, told in sentences if not pattern("misfit").match(told))
    pieces = tuple(_join_statements(_classify(piece, decided, names) for piece in fitting))
    asks = any(piece.kind == "question" and not _is_doubt(piece.text, names) for piece in pieces)
    short = len(words_of(plain)) <= _SHORT
    return UserMessage(
        whole,
        () if noise else pieces,
        keeps_open=not asks
        and not decided
        and (is_unknown(plain) or bool(pattern("kept_open").match(plain))),
        settles_question=bool(pattern("settled").match(plain)),
        asks_to_clarify=bool(pattern("clarify").search(plain)) and len(words_of(plain)) <= 2 * _SHORT,
        objects=not asks
        and not decided
        and bool(pattern("objection").search(plain))
        and not (short and is_unknown(plain)),
    )


def is_noise(said: str) -> bool:
    """Whether folded words say nothing that could stand in a document: no word, a greeting, a key."""
    return not words_of(said) or pattern("noise").fullmatch(said.strip(" .!?,")) is not None


def _classify(sentence: str, decided: frozenset[str], names: Iterable[str]) -> Piece:
    if sentence in decided:
        return Piece("decision", sentence)
    plain = strip_address(sentence, names)
    tagged = pattern("tagged").search(plain) and not plain.rstrip().endswith(".")
    if pattern("not_answered").match(fold_text(drop_name(sentence, names))):
        return Piece("denial", sentence)
    asks = is_question(plain) or tagged or pattern("openly").match(plain) or _is_doubt(sentence, names)
    return Piece("question" if asks and content_stems(plain) else "statement", sentence)


def _is_doubt(words: str, names: Iterable[str]) -> bool:
    """Whether somebody says what they do not know, without a question mark."""
    return "?" not in words and bool(pattern("doubted").match(fold_text(strip_address(words, names))))


def _join_statements(pieces: Iterable[Piece]) -> list[Piece]:
    """Join what was said in one breath: neighbouring statements, and "Approved." with what is approved."""
    joined: list[Piece] = []
    for piece in pieces:
        last = joined[-1] if joined else Piece("question", "")
        says_little = last.kind == "decision" and len(content_stems(last.text)) < _FEW
        continues = piece.kind == last.kind != "decision" or (says_little and piece.kind == "statement")
        if joined and continues:
            joined[-1] = Piece(last.kind, f"{last.text} {piece.text}")
        else:
            joined.append(piece)
    return joined
