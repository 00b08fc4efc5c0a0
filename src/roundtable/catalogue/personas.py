"""Personas from their files, and which of them sit at the table (rules PERS-1 to PERS-4)."""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Collection, Iterable
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Annotated, Any

import msgspec
from msgspec import Struct

from ..core.personas import Ban, BanKind, Persona
from ..core.steps import PHASE_KEYS
from ..core.turns import USER
from .files import (
    ContentFile,
    Loaded,
    Name,
    Problem,
    ShortName,
    SomeTexts,
    Text,
    Texts,
    UnusableError,
    convert,
)

MAX_PERSONAS = 8
MAX_WAYS = 50_000
# A repeat without an end counts as this many, which is about the length of the text that is searched.
_ENDLESS = 4_000
_MAX_NESTED_REPEATS = 20
_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
_BLANKS = ([(codes.LITERAL, ord(" "))], [(codes.IN, [(codes.CATEGORY, codes.CATEGORY_SPACE)])])
_KEY = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_BREAKS_ATTRIBUTION = re.compile(r"[:,;?!()\[\]{}<>/\\|*_`#\"]")
# Attributions that are nobody's name.
_RESERVED_NAMES = frozenset({"user", "you", "all"})


class _Switch(msgspec.Struct):
    """The fields that every persona file has, also one that only disables."""

    key: ShortName
    disabled: bool = False


class _PersonaFields(_Switch, kw_only=True):
    name: Name
    role: Name
    short_role: Annotated[str, msgspec.Meta(min_length=1, max_length=30)] = ""
    phases: Texts = ()
    perspective: ShortName
    lens: SomeTexts
    identity: Text = ""
    principles: Texts = ()
    patterns: Texts = ()
    towards: dict[ShortName, Text] = {}
    bans: Any = ()  # each is checked on its own, because the others still count


class _BanFields(msgspec.Struct):
    kind: BanKind
    pattern: Annotated[str, msgspec.Meta(min_length=1, max_length=300)]
    reason: Annotated[str, msgspec.Meta(min_length=1, max_length=300)]


class PersonaFile(Struct, frozen=True):
    """What one file says: a persona, or (`persona` is None) that the one with this key stays away.

    `described` is true where the file also says who it is, as one does that is only switched off.
    """

    key: str
    persona: Persona | None
    described: bool = True


class Seats(Struct, frozen=True):
    """The personas in roster order, the keys that were disabled, and what was refused."""

    personas: tuple[Persona, ...]
    disabled: frozenset[str]
    problems: tuple[Problem, ...]


def parse_persona(file: ContentFile, trusted: Collection[str] | None = None) -> PersonaFile:
    """Return the persona that a file describes or disables; raises UnusableError for a wrong field.

    `trusted` are patterns that need no check for how long they take; None trusts them all.
    """
    switch = convert(file.fields, _Switch)
    if not _KEY.fullmatch(switch.key) or switch.key == USER:
        said = f"must be small letters, digits and single hyphens, such as `security-lead`, and not `{USER}`"
        raise UnusableError("key", said)
    if switch.disabled:
        return PersonaFile(switch.key, None, described="name" in file.fields)
    given = file.convert_fields(_PersonaFields, "persona")
    first = given.name.split()[0]
    is_reserved = first.casefold() in _RESERVED_NAMES
    if _BREAKS_ATTRIBUTION.search(given.name) or not first[0].isalpha() or is_reserved:
        said = "must begin with a letter, hold no brackets, slashes or marks such as : , * #"
        raise UnusableError("name", f"{said} and not begin with {', '.join(sorted(_RESERVED_NAMES))}")
    for phase in given.phases:
        if phase not in PHASE_KEYS:
            file.warn("phases", f"'{phase}' is not a phase and is ignored; known: {', '.join(PHASE_KEYS)}")
    bans = []
    for number, entry in enumerate(file.convert_or_warn("bans", list[Any], []), 1):
        try:
            ban = convert(entry, _BanFields)
            _check_pattern(ban.pattern, is_trusted=trusted is None or ban.pattern in trusted)
            bans.append(Ban(ban.kind, ban.pattern, ban.reason))
        except UnusableError as error:
            file.warn(f"bans, number {number}", f"{error.field} {error.reason}; the ban is ignored")
    fields = msgspec.structs.asdict(given) | {
        "short_role": given.short_role or given.role,
        "phases": tuple(phase for phase in given.phases if phase in PHASE_KEYS),
        "towards": tuple(given.towards.items()),
        "bans": tuple(bans),
    }
    del fields["disabled"]
    return PersonaFile(given.key, Persona(**fields))


def _check_pattern(pattern: str, *, is_trusted: bool) -> None:
    """Refuse a pattern that does not compile, that could keep the program busy, or that bans every text."""
    try:
        with warnings.catch_warnings(action="error"):
            # A later Python may raise what is only a warning today, or read it in another way.
            compiled = re.compile(pattern)
    except (re.error, RecursionError, OverflowError, Warning) as error:
        raise UnusableError("pattern", f"is not a valid regular expression ({error})") from None
    if not is_trusted and _count_ways(parser.parse(pattern)) > MAX_WAYS:
        said = "can be tried in too many ways; give the repeats a limit, such as \\w{0,20} for \\w*"
        raise UnusableError("pattern", said)
    if compiled.search(""):
        raise UnusableError("pattern", "matches every text")


def _count_ways(nodes: Iterable[Any]) -> int:
    """Return in how many ways the nodes can be tried at one place, at least; past the limit it stops."""
    ways = 1
    for code, value in nodes:
        if code in _REPEATS:
            least, most, body = value
            if list(body) in _BLANKS:  # no more than two stand side by side
                continue
            ways *= min(int(most), _ENDLESS) - min(least, _ENDLESS) + 1
            ways *= _count_ways(body) ** min(int(most), _MAX_NESTED_REPEATS)
        elif code in (codes.SUBPATTERN, codes.ASSERT, codes.ASSERT_NOT):
            ways *= _count_ways(value[-1])
        elif code is codes.ATOMIC_GROUP:
            ways *= _count_ways(value)
        elif code is codes.BRANCH:
            ways *= sum(map(_count_ways, value[1]))
        elif code in (codes.GROUPREF, codes.GROUPREF_EXISTS):
            ways *= _ENDLESS
        if ways > MAX_WAYS:
            return MAX_WAYS + 1
    return ways


def seat_personas(built_in: list[Loaded[PersonaFile]], added: list[Loaded[PersonaFile]]) -> Seats:
    """Seat the built-in personas in their order, replaced or disabled in place, then a project's own.

    A file that would break the table is refused as though it were not there; what it replaces stays.
    """
    problems: list[Problem] = []
    known = {file.value.key for file in built_in}
    accepted: dict[str, Loaded[PersonaFile]] = {}
    for file in added:
        key = file.value.key
        if (other := accepted.setdefault(key, file)) is not file:
            reason = f"'{key}' is already the key of {other.shown}"
            problems.append(Problem(file.shown, "key", reason, skipped=True))
        elif file.value.persona is None and key not in known and not file.value.described:
            reason = f"no persona has the key '{key}' to disable"
            problems.append(Problem(file.shown, "key", reason, skipped=True))
    while True:
        files = {file.value.key: file for file in built_in} | accepted
        seats = [(file.value.persona, file) for file in files.values() if file.value.persona is not None]
        clash = _find_clash(seats, [*accepted.values()])
        if clash is None:
            break
        problems.append(clash)
        accepted = {key: file for key, file in accepted.items() if file.shown != clash.file}
    if not seats:
        problems.append(Problem(".roundtable/personas", "disabled", "no persona is left", skipped=False))
    disabled = frozenset(key for key, file in accepted.items() if file.value.persona is None)
    return Seats(tuple(persona for persona, _ in seats), disabled, tuple(problems))


def _find_clash(
    seats: list[tuple[Persona, Loaded[PersonaFile]]], own: list[Loaded[PersonaFile]]
) -> Problem | None:
    """Return the first reason why these cannot sit at one table, blamed on a project's own file."""
    taken: dict[str, tuple[Persona, Loaded[PersonaFile]]] = {}
    for seat in seats:
        other = taken.setdefault(unicodedata.normalize("NFC", seat[0].first_name).casefold(), seat)
        if other is not seat:
            refused, stays = (seat, other) if seat[1] in own else (other, seat)
            reason = f"{stays[0].name} has the same first name; nobody could tell whom you address"
            return Problem(refused[1].shown, "name", reason, skipped=True)
    if len(seats) > MAX_PERSONAS:
        reason = f"{MAX_PERSONAS} personas are at the table already"
        return Problem(seats[MAX_PERSONAS][1].shown, "key", reason, skipped=True)
    return None
