"""A language model: the port, what it is sent and what it used, and its failures, which never show a key."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from typing import Any, Literal, Protocol

from msgspec import Struct

from ...core.errors import PanelFailed
from ...core.text import strip_unprintable

FailureKind = Literal[
    "no-key", "refused", "rate-limit", "quota", "time-out", "unreachable", "server", "cut", "nonsense",
    "filtered", "too-long", "unknown-model", "rejected", "not-installed",
]  # fmt: skip

_TRY_AGAIN = "Try again, or name another model with --model."
_INSTALL = 'Install it: pip install "path/to/roundtable[models]"'
# What failed, and what the user can do about it.
_FAILURES: Mapping[FailureKind, tuple[str, str]] = {
    "no-key": ("has no key", "See roundtable doctor."),
    "refused": ("refused the key", "Check the key."),
    "rate-limit": ("is asked too often", "Wait and try again, or name another model with --model."),
    "quota": ("says that the quota or credit is used up", "Check the account, or name another model."),
    "time-out": ("did not answer in time", _TRY_AGAIN),
    "unreachable": ("cannot be reached", "Check the address and the network; see roundtable doctor."),
    "server": ("failed on its side", _TRY_AGAIN),
    "cut": ("stopped before its answer was complete", "Try again."),
    "nonsense": ("gave an answer that cannot be used", _TRY_AGAIN),
    "filtered": ("withheld its answer: a content filter", _TRY_AGAIN),
    "too-long": ("cannot take so long a conversation", "Name a model with a longer context with --model."),
    "unknown-model": ("is not known where it was asked for", "Check its name in --model or your settings."),
    "rejected": ("rejected the request", "Name another model with --model; see roundtable doctor."),
    "not-installed": ("cannot be used: a part is not installed", _INSTALL),
}
_LONGEST = 200
_SECRET_NAME = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)(?:_|$)", re.IGNORECASE)
_SHORTEST_SECRET = 8
_SECRET = re.compile(
    r"""
      (?<![\w-])(?:sk|pk|rk|xai|gsk|hf|ghp|gho|glpat)[-_][\w-]{8,}      # the usual beginnings of a key
    | (?<!\w)AIza[\w-]{20,}
    | (?<=bearer\s)\S+
    | (?<=://)[^/\s:@]+:[^/\s@]+(?=@)                                   # a password in an address
    | (?<=key[=:])\S+
    """,
    re.VERBOSE | re.IGNORECASE,
)
_HIDDEN = "[hidden]"


class ModelFailed(PanelFailed):
    """A model gave no words, and of what kind the failure is."""

    kind: FailureKind = "server"


def make_failure(
    kind: FailureKind, name: str, *, detail: str = "", do: str = "", more: Iterable[str] = ()
) -> ModelFailed:
    """The failure as a person reads it, to raise `from None`; `more` are further secrets to hide."""
    what, advice = _FAILURES[kind]
    failure = ModelFailed(f"{name} {what}. {redact_text(detail, more)}".strip(), do=do or advice)
    failure.kind = kind
    return failure


def redact_text(text: str, more: Iterable[str] = ()) -> str:
    """The text on one line, short, and without anything that is or looks like a key."""
    told = " ".join(hide(text, more).split())
    return told if len(told) <= _LONGEST else told[: _LONGEST - 3].rstrip() + "..."


def hide(text: str, more: Iterable[str] = ()) -> str:
    """The text without anything that is or looks like a key, and without escapes that could part one."""
    text = strip_unprintable(text)
    own = (value for name, value in os.environ.items() if _SECRET_NAME.search(name))
    for secret in sorted({*own, *more}, key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, _HIDDEN)
    return _SECRET.sub(_HIDDEN, text)


CHARACTERS_PER_TOKEN = 4


class Conversation(Struct, frozen=True):
    """What a model is sent: rules and material that last, the turns so far, and what is asked."""

    system: str
    turns: tuple[str, ...]
    brief: str

    @property
    def text(self) -> str:
        """All of it in order, for a model that takes one text."""
        return "\n\n".join(filter(None, (self.system, *self.turns, self.brief)))


class Usage(Struct, frozen=True):
    """The tokens of one call; `input` includes those read from a cache and those stored in one."""

    input: int = 0
    output: int = 0
    cached: int = 0
    stored: int = 0
    estimated: bool = False

    @classmethod
    def estimate(cls, conversation: Conversation, said: str) -> Usage:
        """What a call may have used, where the model does not say."""
        return cls(tokens(conversation.text), tokens(said), estimated=True)


def tokens(text: str) -> int:
    """About how many tokens a text has."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


class Request(Struct, frozen=True):
    """One call: what is sent, how much may come back in what time, and as what JSON object, if any."""

    conversation: Conversation
    report: Callable[[Usage], None]
    output_tokens: int
    seconds: float
    shape: str = ""
    schema: Mapping[str, Any] | None = None


class Model(Protocol):
    """A language model."""

    @property
    def name(self) -> str:
        """What the user calls it, such as `anthropic:claude-sonnet-5-5` or `command:llm`; holds no secret."""

    def reply(self, request: Request) -> AsyncGenerator[str, None]:
        """The model's words as they come."""
