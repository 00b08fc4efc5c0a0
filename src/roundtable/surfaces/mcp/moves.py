"""Moves: what the host or its user has to do next, and the texts of content/host that a host reads."""

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
from ...panel.host import HostRequest

MAX_MESSAGE_LENGTH = 20_000
_VERDICT = ", opposes?, decides?, off_topic?, belongs_to?"
_JUDGEMENT = ", user_off_topic?, user_belongs_to?, user_opposes?, answers?"
_SYNTHESIS = ", insights?, decisions?, questions?, actions?, summary, takeaway?"
_MORE_ARGUMENTS = {"turn": _VERDICT, "framing": ", focus_question, focus_topic"}


class Refused(RuleBroken):
    """What was sent does not count. Nothing changed, and the open move says what would count."""


@dataclass(frozen=True, slots=True)
class OpenMove:
    """A request to the host's model, or the user's words that are awaited."""

    id: str
    request: HostRequest | None = None
    awaits: Awaits | None = None

    @property
    def kind(self) -> str:
        return self.request.kind if self.request is not None else str(self.awaits)

    @property
    def speaker(self) -> str | None:
        """The key of the persona who speaks, or the user; None where a judgement is asked for."""
        if self.request is None:
            return USER
        return self.request.speaker.key if self.request.speaker is not None else None

    @property
    def limits(self) -> str:
        """How long the answer should be, and how long it may be."""
        if self.request is None:
            return f"at most {MAX_MESSAGE_LENGTH:,} characters"
        if not self.request.most:
            return "each entry one or two sentences"
        return f"about {self.request.words} words, at most {self.request.most}"

    def list_calls(self, *, can_ask: bool) -> list[str]:
        """Return the calls that are legal now; without a way to ask the person, only relaying is."""
        if self.request is None:
            relay = f'relay_user(session, move="{self.id}", words)'
            return [f'hear_user(session, move="{self.id}")', relay] if can_ask else [relay]
        if self.request.speaker is None:
            return [f'submit_judgement(session, move="{self.id}"{_SYNTHESIS})']
        call = f'submit_turn(session, move="{self.id}", speaker="{self.speaker}"'
        passing = [f"{call}, passes=true)"] if self.request.may_pass else []
        more = _MORE_ARGUMENTS.get(self.kind, "") + (_JUDGEMENT if self.judges_user else "")
        return [f"{call}, text{more})", *passing]

    @property
    def judges_user(self) -> bool:
        """Whether the speaker follows a turn of the user's, and judges it with its own words."""
        grounds = self.request.grounds if self.request is not None else None
        return isinstance(grounds, Brief) and grounds.follows_user


def host_text(group: str, name: str, /, **fields: object) -> str:
    """Return a text of content/host/tasks.toml, with its fields filled in as they are."""
    return str(_read_table("tasks.toml")[group][name]).strip().format(**fields)


def tool_text(group: str, name: str) -> str:
    """Return what a tool is for and how it is called, or what a parameter means."""
    return " ".join(str(_read_table("tools.toml")[group][name]).split())


def instructions() -> str:
    """Return what the server says about itself."""
    return _read("instructions.md").strip()


@cache
def _read_table(name: str) -> dict[str, Any]:
    return tomllib.loads(_read(name))


def _read(name: str) -> str:
    return (files("roundtable.content") / "host" / name).read_text(encoding="utf-8")
