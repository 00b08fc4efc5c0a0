"""Front matter: the YAML between two lines of `---` at the head of a markdown file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .problem import UnusableError

FIELD = "front matter"
DEEPEST = 12


@dataclass(frozen=True, slots=True)
class Document:
    """A markdown file in its two parts."""

    fields: dict[str, object]
    body: str


def parse(text: str) -> Document:
    """The fields and the body of a file; raises UnusableError where there is no sound front matter."""
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        raise UnusableError(FIELD, "is missing; the file begins with a line ---, then the fields, then ---")
    end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), None)
    if end is None:
        raise UnusableError(FIELD, "has no closing line ---")
    return Document(_fields("\n".join(lines[1:end])), "\n".join(lines[end + 1 :]))


def _fields(text: str) -> dict[str, object]:
    import yaml

    loader = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
    try:
        _refuse_tricks(yaml.parse(text, Loader=loader))
        value = yaml.load(text, Loader=loader)
    except yaml.YAMLError as error:
        raise UnusableError(FIELD, f"is not sound YAML{_place(error)}") from None
    except (ValueError, OverflowError, RecursionError):
        raise UnusableError(FIELD, "holds a value that cannot be read; put it in quotes") from None
    if value is None:
        raise UnusableError(FIELD, "is empty")
    if not isinstance(value, dict):
        raise UnusableError(FIELD, "is not a list of `field: value` lines")
    return {str(name): entry for name, entry in value.items()}


def _refuse_tricks(events: Iterable[Any]) -> None:
    """Refuse aliases (they can unfold to gigabytes), tags and deep nesting before anything is built."""
    import yaml

    level = 0
    for event in events:
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise UnusableError(
                FIELD, "uses a YAML anchor or alias (& or *); write the value out or put it in quotes"
            )
        if getattr(event, "tag", None) is not None:
            raise UnusableError(FIELD, "uses a YAML tag (!); write a plain value or put it in quotes")
        if isinstance(event, yaml.CollectionStartEvent):
            level += 1
            if level > DEEPEST:
                raise UnusableError(FIELD, f"is nested more than {DEEPEST} levels deep")
        elif isinstance(event, yaml.CollectionEndEvent):
            level -= 1


def _place(error: Exception) -> str:
    """Where and why YAML gave up; lines are counted in the file, where the first is the opening `---`."""
    mark = getattr(error, "problem_mark", None)
    reason = getattr(error, "problem", None)
    where = f" in line {mark.line + 2}" if mark else ""
    return f"{where}: {reason}" if reason else where
