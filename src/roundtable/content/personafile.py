"""A persona's file: front matter that describes one participant (rule PERS-3).

Required: `key`, `name`, `role`, `perspective`, `lens`. Optional: `short_role` (else the role), `phases` (that
it leads), `identity`, `principles`, `patterns` (sentences in its voice), `towards` (persona key: behaviour),
`bans` (each with `kind`, `pattern`, `reason`), `disabled`. What stands below the front matter is for the
people who keep the file.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from typing import cast, get_args

from ..core.personas import Ban, BanKind, Persona
from ..core.steps import PHASE_KEYS
from . import fields as field
from .frontmatter import Document
from .patterns import is_bounded
from .problem import Remark, UnusableError

LONGEST_PATTERN = 300
_KINDS: tuple[str, ...] = get_args(BanKind)
_KEY = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_KNOWN = frozenset(
    {"key", "name", "role", "short_role", "phases", "perspective", "lens", "identity"}
    | {"principles", "patterns", "towards", "bans", "disabled"}
)
# Speakers and attributions that are nobody's name.
_RESERVED_KEYS = frozenset({"user"})
_RESERVED_NAMES = frozenset({"user", "you", "all"})
_BREAKS_ATTRIBUTION = re.compile(r"[:,;?!()\[\]{}<>/\\|*_`#\"]")


@dataclass(frozen=True, slots=True)
class PersonaFile:
    """What one file says: a persona, or (`persona` is None) that the one with this key stays away.

    `described` is true where the file also says who it is, as one does that is only switched off.
    """

    key: str
    persona: Persona | None
    remarks: tuple[Remark, ...] = ()
    described: bool = True


def parse(document: Document) -> PersonaFile:
    """The persona that a file describes or disables; raises UnusableError for a field missing or wrong."""
    given = document.fields
    key = _key(given)
    remarks = field.unknown(given, _KNOWN, "persona")
    if _disabled(given):
        return PersonaFile(key, None, tuple(remarks), described="name" in given)
    name = _name(given)
    role = field.text(given, "role", 60)
    perspective = field.text(given, "perspective", 40)
    lens = field.texts(given, "lens")
    if not lens:
        raise UnusableError("lens", "is missing")
    persona = Persona(
        key=key,
        name=name,
        role=role,
        short_role=field.optional_text(given, "short_role", 30) or role,
        phases=_phases(given, remarks),
        perspective=perspective,
        lens=lens,
        identity=field.optional_text(given, "identity"),
        principles=field.texts(given, "principles"),
        patterns=field.texts(given, "patterns"),
        towards=_towards(given),
        bans=_bans(given, remarks),
    )
    return PersonaFile(key, persona, tuple(remarks))


def _key(given: dict[str, object]) -> str:
    key = field.text(given, "key", 40)
    if not _KEY.fullmatch(key):
        raise UnusableError(
            "key", "must be small letters, digits and single hyphens, such as `security-lead`"
        )
    if key in _RESERVED_KEYS:
        raise UnusableError("key", f"'{key}' is taken by the person at the table")
    return key


def _disabled(given: dict[str, object]) -> bool:
    value = given.get("disabled", False)
    if not isinstance(value, bool):
        raise UnusableError("disabled", f"must be true or false, is {field.kind_of(value)}")
    return value


def _name(given: dict[str, object]) -> str:
    name = field.text(given, "name", 60)
    first = name.split()[0]
    if _BREAKS_ATTRIBUTION.search(name) or not first[0].isalpha():
        raise UnusableError(
            "name", "must begin with a letter and hold no brackets, slashes or marks such as : , * #"
        )
    if first.casefold() in _RESERVED_NAMES:
        raise UnusableError(
            "name", f"'{first}' already means something else in a synthesis; choose another first name"
        )
    return name


def _phases(given: dict[str, object], remarks: list[Remark]) -> tuple[str, ...]:
    named = field.texts(given, "phases")
    for phase in named:
        if phase not in PHASE_KEYS:
            known = ", ".join(PHASE_KEYS)
            remarks.append(Remark("phases", f"'{phase}' is no phase and is ignored; known: {known}"))
    return tuple(phase for phase in named if phase in PHASE_KEYS)


def _towards(given: dict[str, object]) -> tuple[tuple[str, str], ...]:
    value = given.get("towards")
    if value is None:
        return ()
    if not isinstance(value, dict):
        raise UnusableError("towards", f"must be lines `persona-key: behaviour`, is {field.kind_of(value)}")
    return tuple(
        (field.as_text(key, "towards", 40), field.as_text(behaviour, "towards", field.LONGEST_TEXT))
        for key, behaviour in value.items()
    )


def _bans(given: dict[str, object], remarks: list[Remark]) -> tuple[Ban, ...]:
    value = given.get("bans")
    if value is None:
        return ()
    if not isinstance(value, list):
        remarks.append(Remark("bans", f"must be a list, is {field.kind_of(value)}; it is ignored"))
        return ()
    bans = []
    for number, entry in enumerate(value, 1):
        try:
            bans.append(_ban(entry))
        except UnusableError as error:
            remarks.append(
                Remark(f"bans, number {number}", f"{error.field} {error.reason}; the ban is ignored")
            )
    return tuple(bans)


def _ban(entry: object) -> Ban:
    if not isinstance(entry, dict):
        raise UnusableError("it", "must have the fields kind, pattern and reason")
    kind = field.text(entry, "kind")
    if kind not in _KINDS:
        raise UnusableError("kind", f"must be one of {', '.join(_KINDS)}")
    field.text(entry, "pattern", LONGEST_PATTERN)
    pattern = str(entry["pattern"]).strip()
    _check_pattern(pattern)
    return Ban(cast(BanKind, kind), pattern, field.text(entry, "reason", 300))


def _check_pattern(pattern: str) -> None:
    if len(pattern) > LONGEST_PATTERN:
        raise UnusableError("pattern", f"is longer than {LONGEST_PATTERN} characters")
    try:
        with warnings.catch_warnings():
            # What is only a warning today would be raised or read otherwise by a later Python.
            warnings.simplefilter("error")
            compiled = re.compile(pattern)
    except (re.error, RecursionError, OverflowError, Warning) as error:
        raise UnusableError("pattern", f"is no sound regular expression ({error})") from None
    if not is_bounded(pattern):
        said = "can be tried in too many ways; give the repeats a limit, such as \\w{0,20} for \\w*"
        raise UnusableError("pattern", said)
    if compiled.search(""):
        raise UnusableError("pattern", "matches every text")
