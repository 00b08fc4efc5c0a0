"""The fields of an entry in a probe file, each of the right kind or a reason why not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ...content.problem import UnusableError
from .probes import pattern
from .template import Template

_SLOT = re.compile(r"\{(?:[A-Za-z_]+|[^{}|]*(?:\|[^{}|]*)+)\}")


def known(entry: Mapping[str, object], names: frozenset[str]) -> None:
    """That there is no field but these."""
    strange = sorted(set(entry) - names)
    if strange:
        raise UnusableError(strange[0], "is not a field here")


def table(entry: object, section: str) -> Mapping[str, object]:
    """An entry as a table."""
    if not isinstance(entry, dict):
        raise UnusableError("", f"must be a [[{section}]] table")
    return entry


def text(entry: Mapping[str, object], name: str, *, required: bool = True) -> str:
    """Words on one line."""
    value = entry.get(name, "")
    if not isinstance(value, str):
        raise UnusableError(name, "must be text")
    words = " ".join(value.split())
    if required and not words:
        raise UnusableError(name, "is missing")
    return words


def texts(entry: Mapping[str, object], name: str) -> tuple[str, ...]:
    """A list of words, each on one line."""
    values = entry.get(name, [])
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise UnusableError(name, "must be a list of texts")
    return tuple(" ".join(value.split()) for value in values)


def tables(entry: Mapping[str, object], name: str) -> Iterable[Mapping[str, object]]:
    """A list of tables."""
    values = entry.get(name, [])
    if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
        raise UnusableError(name, "must be a list of tables")
    return values


def template(
    entry: Mapping[str, object], name: str, allowed: frozenset[str], *, blank: bool = False
) -> Template:
    """Words with slots."""
    value = entry.get(name)
    if not isinstance(value, str) or (not value.strip() and not blank):
        raise UnusableError(name, "is missing")
    return checked(value if blank else value.strip(), name, allowed)


def checked(words: str, name: str, allowed: frozenset[str]) -> Template:
    """A template whose slots can be filled."""
    made = Template(words)
    if "{" not in words and "}" not in words:
        return made
    strange = sorted(made.slots - allowed)
    if strange:
        raise UnusableError(name, f"has the slot {{{strange[0]}}}, which cannot be filled here")
    braces = len(_SLOT.findall(words))
    if words.count("{") != braces or words.count("}") != braces:
        raise UnusableError(name, "has a brace that is no slot")
    return made


def listed(value: object) -> list[object]:
    """One entry or several."""
    return value if isinstance(value, list) else [value]


def expressions(entry: Mapping[str, object], name: str) -> tuple[str, ...]:
    """Expressions that compile."""
    given = texts(entry, name)
    for each in given:
        try:
            pattern(each)
        except re.error as error:
            raise UnusableError(name, f"is no regular expression: {each} ({error})") from None
    return given
