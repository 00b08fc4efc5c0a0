"""Reading one field of the front matter as what it has to be."""

from __future__ import annotations

from collections.abc import Mapping

from .problem import Remark, UnusableError
from .source import hidden_character

LONGEST_TEXT = 2000
MOST_ENTRIES = 100


def text(fields: Mapping[str, object], name: str, longest: int = LONGEST_TEXT) -> str:
    """The required text of a field on one line; raises UnusableError where there is none."""
    if fields.get(name) is None:
        raise UnusableError(name, "is missing")
    return as_text(fields[name], name, longest)


def optional_text(fields: Mapping[str, object], name: str, longest: int = LONGEST_TEXT) -> str:
    """The text of a field on one line, empty where the field is absent."""
    return text(fields, name, longest) if fields.get(name) is not None else ""


def texts(fields: Mapping[str, object], name: str) -> tuple[str, ...]:
    """A field that is a list of texts, empty where the field is absent; UnusableError for anything else."""
    value = fields.get(name)
    if value is None:
        return ()
    if not isinstance(value, list):
        raise UnusableError(name, f"must be a list, is {kind_of(value)}")
    if len(value) > MOST_ENTRIES:
        raise UnusableError(name, f"has more than {MOST_ENTRIES} entries")
    return tuple(as_text(entry, name, LONGEST_TEXT) for entry in value)


def as_text(value: object, name: str, longest: int) -> str:
    """A value as one line of 1 to `longest` characters; raises UnusableError where it is no text."""
    if not isinstance(value, str):
        raise UnusableError(name, f"must be text, is {kind_of(value)}; put it in quotes")
    hidden = hidden_character(value)
    if hidden:
        raise UnusableError(name, f"holds the control character {hidden}")
    line = " ".join(value.split())
    if not line:
        raise UnusableError(name, "is empty")
    if len(line) > longest:
        raise UnusableError(name, f"is longer than {longest} characters")
    return line


def kind_of(value: object) -> str:
    """What a YAML value is, in a person's words."""
    match value:
        case bool():
            return "yes or no (true or false)"
        case int() | float():
            return "a number"
        case list():
            return "a list"
        case dict():
            return "a group of fields"
        case str():
            return "a text"
        case None:
            return "nothing"
        case _:
            return "a date or another special value"


def unknown(fields: Mapping[str, object], known: frozenset[str], what: str) -> list[Remark]:
    """A remark for each field that a file of this sort does not have, most often a slip of the pen."""
    strange = [name for name in fields if name not in known]
    return [Remark(_tidy(name), f"is not a field of a {what} file and is ignored") for name in strange]


def _tidy(name: str) -> str:
    return "".join(char for char in name if char.isprintable())[:60] or "(no name)"
