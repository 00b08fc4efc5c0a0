"""The guide: every text that a host reads besides the discussion itself, from the files in content/host."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from ...core.commands import Brief
from ...core.errors import RuleBroken
from ...core.lines import Awaits
from ...core.turns import USER
from ...panel.host import Request


def instructions() -> str:
    """What the server says about itself."""
    return _read("instructions.md").strip()


def tool(name: str) -> str:
    """What a tool is for, and how it is called."""
    return _flat(_table("tools.toml")[name])


def text(group: str, name: str, /, **fields: object) -> str:
    """The text of that name, with its fields filled in as they are."""
    return str(_table("tasks.toml")[group][name]).strip().format(**fields)


def _flat(value: object) -> str:
    return " ".join(str(value).split())


@cache
def _table(name: str) -> dict[str, Any]:
    return tomllib.loads(_read(name))


def _read(name: str) -> str:
    return (files("roundtable.content") / "host" / name).read_text(encoding="utf-8")


LONGEST_WORDS = 20_000
DONE, PAUSED = "done", "paused"

_VERDICT = ", opposes?, decides?, off_topic?, belongs_to?"
_SYNTHESIS = ", insights?, decisions?, questions?, actions?, summary, takeaway?"
_MORE = {"turn": _VERDICT, "framing": ", focus_question, focus_topic"}


class Refused(RuleBroken):
    """What was sent does not count; nothing changed, and the open move says what would."""


@dataclass(frozen=True, slots=True)
class Move:
    """An open move: a request to the host's model, or the user's words that are awaited."""

    id: str
    request: Request | None = None
    awaits: Awaits | None = None

    @property
    def kind(self) -> str:
        return self.request.kind if self.request is not None else str(self.awaits)

    @property
    def speaker(self) -> str | None:
        """Who speaks: a persona's key, the user, or nobody where a judgement is asked for."""
        if self.request is None:
            return USER
        return self.request.speaker.key if self.request.speaker is not None else None

    @property
    def brief(self) -> Brief | None:
        """The machine's brief, where the move is a turn in a discussion."""
        grounds = self.request.grounds if self.request is not None else None
        return grounds if isinstance(grounds, Brief) else None

    @property
    def limits(self) -> str:
        """How long the answer should be, and how long it may be."""
        if self.request is None:
            return f"at most {LONGEST_WORDS:,} characters"
        if self.kind == "section":
            return f"about as long as the draft ({self.request.words} words), at most {self.request.most}"
        if not self.request.most:
            return "each entry one or two sentences" if self.kind == "synthesis" else "no text"
        return f"about {self.request.words} words, at most {self.request.most}"

    def check_user(self) -> None:
        """Refuse where it is not the user who is to be heard."""
        if self.request is not None:
            raise Refused("The user is not to be heard now.")

    def legal(self, *, can_ask: bool) -> list[str]:
        """The calls that are legal now; without a way to ask the person, relaying is the only one."""
        if self.request is None:
            relay = f'relay_user(session, move="{self.id}", words)'
            return [f'hear_user(session, move="{self.id}")', relay] if can_ask else [relay]
        if self.kind == "verdict":
            return [f'submit_judgement(session, move="{self.id}"{_VERDICT})']
        if self.kind == "synthesis":
            return [f'submit_judgement(session, move="{self.id}"{_SYNTHESIS})']
        more = _MORE.get(self.kind, "")
        call = f'submit_turn(session, move="{self.id}", speaker="{self.speaker}"'
        calls = [f"{call}, text{more})"]
        return [*calls, f"{call}, passes=true)"] if self.request.may_pass else calls

    def named(self, *, can_ask: bool) -> str:
        """The move in a sentence, for whoever tried another."""
        calls = " or ".join(self.legal(can_ask=can_ask))
        return f"Open now: move {self.id}, {self.kind}, {self.speaker or 'you'}. Legal: {calls}."
