"""A project's own patterns: how many ways there are to match one, so that none can keep the program busy."""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, cast, get_args

from ..core.personas import Ban, BanKind, Persona
from ..core.steps import PHASE_KEYS
from . import files as field
from .files import ContentFile, Problem, Remark, UnusableError

MOST_WAYS = 50_000
# A repeat without an end counts as this many, which is about the length of the text that is searched.
_ENDLESS = 4_000
_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
_BLANKS = ((codes.LITERAL, ord(" ")), (codes.IN, [(codes.CATEGORY, codes.CATEGORY_SPACE)]))


def is_bounded(pattern: str) -> bool:
    """Whether the pattern, which must compile, takes a short time on any text; ours are tested one by one."""
    return _is_ours(pattern) or _ways(list(parser.parse(pattern))) <= MOST_WAYS


def _ways(nodes: Sequence[Any]) -> int:
    """Return in how many ways the nodes can be tried at one place; past the limit it is not counted on."""
    ways = 1
    for code, value in nodes:
        if code in _REPEATS:
            ways *= _ways_to_repeat(*value)
        elif code is codes.SUBPATTERN:
            ways *= _ways(list(value[-1]))
        elif code is codes.ATOMIC_GROUP:
            ways *= _ways(list(value))
        elif code is codes.BRANCH:
            ways *= sum(_ways(list(branch)) for branch in value[1])
        elif code in (codes.ASSERT, codes.ASSERT_NOT):
            ways *= _ways(list(value[1]))
        elif code in (codes.GROUPREF, codes.GROUPREF_EXISTS):
            ways *= _ENDLESS
        if ways > MOST_WAYS:
            return MOST_WAYS + 1
    return ways


def _ways_to_repeat(least: int, most: int, body: Any) -> int:
    nodes = list(body)
    if len(nodes) == 1 and nodes[0] in _BLANKS:  # no more than two stand side by side
        return 1
    inner = _ways(nodes)
    if inner == 1:
        return min(int(most), _ENDLESS) - min(least, _ENDLESS) + 1
    ways = 1
    for _ in range(min(int(most), _ENDLESS)):
        ways = 1 + inner * ways
        if ways > MOST_WAYS:
            break
    return ways


def _is_ours(pattern: str) -> bool:
    return f"pattern: {pattern}\n" in _our_personas()


@lru_cache(maxsize=1)
def _our_personas() -> str:
    folder = files("roundtable.content").joinpath("personas")
    return "".join(file.read_text("utf-8") for file in folder.iterdir() if file.name.endswith(".md"))


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


def parse_persona(document: ContentFile) -> PersonaFile:
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


MOST_PERSONAS = 8


@dataclass(frozen=True, slots=True)
class Seats:
    """The personas in roster order, the keys that were disabled, and what was refused."""

    personas: tuple[Persona, ...]
    disabled: frozenset[str]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class _Seat:
    """A persona and the project file it comes from, empty for a built-in one."""

    persona: Persona
    file: str


def seated(built_in: tuple[PersonaFile, ...], added: tuple[tuple[str, PersonaFile], ...]) -> Seats:
    """Built-in personas in their order, replaced or disabled in place, then a project's own by file name.

    A file that would break the table is refused as though it were not there; what it replaces stays.
    """
    accepted, problems = _one_per_key(added)
    known = {file.key for file in built_in}
    for shown, file in accepted:
        if file.persona is None and file.key not in known and not file.described:
            problems.append(
                Problem(shown, "key", f"no persona has the key '{file.key}' to disable", skipped=True)
            )
    while (clash := _clash(_arranged(built_in, accepted))) is not None:
        problems.append(clash)
        accepted = [(shown, file) for shown, file in accepted if shown != clash.file]
    personas = tuple(seat.persona for seat in _arranged(built_in, accepted))
    disabled = frozenset(file.key for _, file in accepted if file.persona is None)
    if not personas:
        problems.append(Problem(".roundtable/personas", "disabled", "no persona is left", skipped=False))
    return Seats(personas, disabled, tuple(problems))


def _one_per_key(
    added: tuple[tuple[str, PersonaFile], ...],
) -> tuple[list[tuple[str, PersonaFile]], list[Problem]]:
    first: dict[str, tuple[str, PersonaFile]] = {}
    problems: list[Problem] = []
    for shown, file in added:
        if file.key in first:
            reason = f"'{file.key}' is already the key of {first[file.key][0]}"
            problems.append(Problem(shown, "key", reason, skipped=True))
        else:
            first[file.key] = (shown, file)
    return list(first.values()), problems


def _arranged(built_in: tuple[PersonaFile, ...], accepted: list[tuple[str, PersonaFile]]) -> list[_Seat]:
    changes = {file.key: (shown, file) for shown, file in accepted}
    own = [changes.pop(file.key, ("", file)) for file in built_in]
    return [
        _Seat(file.persona, shown) for shown, file in (*own, *changes.values()) if file.persona is not None
    ]


def _clash(seats: list[_Seat]) -> Problem | None:
    """The first reason why these cannot sit at one table, laid on a project's file."""
    taken: dict[str, _Seat] = {}
    for seat in seats:
        name = unicodedata.normalize("NFC", seat.persona.first_name).casefold()
        other = taken.setdefault(name, seat)
        if other is not seat:
            refused, stays = (seat, other) if seat.file else (other, seat)
            reason = f"{stays.persona.name} has the same first name; nobody could tell whom you address"
            return Problem(refused.file, "name", reason, skipped=True)
    if len(seats) > MOST_PERSONAS:
        reason = f"{MOST_PERSONAS} personas are at the table already"
        return Problem(seats[MOST_PERSONAS].file, "key", reason, skipped=True)
    return None
