"""The inner port: one language model, hosted, local or behind a command.

How an implementation behaves:

- `reply` sends the conversation once, never twice: trying again and falling back are the panel's part.
- It yields the words as they come, each piece not empty. It cuts, checks and parses nothing: where the
  request has a shape the pieces join to JSON text, as far as the model can; the brief asks for it in words.
- It calls `request.report` exactly once, also where it fails or is closed in the middle, with what is known
  of the usage; `estimated` where the model does not say (`Usage.estimate`).
- It fails by `raise failures.failed(kind, ...) from None` only: no key, header or address with a password
  stands in the message or in a chained exception.
- It keeps within `request.seconds` in all, and stops what it started when the iterator is closed. Nothing
  stays open between two calls, which may come in different event loops.
- A command's is `CommandModel(words)` in `command.py`, `words` being what stands after `command:`.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Role = Literal["system", "turn", "brief"]
CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Message:
    """One piece of a conversation: the lasting rules, a turn that was taken, or the brief at the end."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """What a model is sent: it only grows, but for the brief, which is always the last message."""

    messages: tuple[Message, ...]

    @property
    def system(self) -> str:
        """The rules, the personas and the material, which stay the same all along."""
        return "\n\n".join(each.text for each in self.messages if each.role == "system")

    @property
    def turns(self) -> str:
        """What was said so far; empty before the first turn."""
        return "\n\n".join(each.text for each in self.messages if each.role == "turn")

    @property
    def brief(self) -> str:
        """What is asked for now."""
        return "\n\n".join(each.text for each in self.messages if each.role == "brief")

    @property
    def text(self) -> str:
        """All of it in order, for a model that takes one text."""
        return "\n\n".join(each.text for each in self.messages)


@dataclass(frozen=True, slots=True)
class Usage:
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


@dataclass(frozen=True, slots=True)
class Request:
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
