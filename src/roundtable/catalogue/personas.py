"""Personas from their files, and which of them sit at the table (rules PERS-1 to PERS-4)."""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Collection, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct
from msgspec.structs import asdict

from ..core.personas import Ban, BanKind, Persona
from ..core.steps import PHASE_KEYS
from ..core.turns import USER
from . import files
from .files import ContentFile, Loaded, Problem, UnusableError, convert, load_folder, parse_markdown

MAX_PERSONAS = 8
# What a project's pattern may hold, so that it is quick on any text: words, blanks and alternatives, optional
# parts, and an open end of a word.
_PLAIN = re.compile(r"(?:\(\?i\))?(?>(?:[^\W_]|[ '/-]|\\b|\\s\+?|\\w[*+](?=\\b|\||\Z)|\(\?:|[|)?])+)")
_TURN = re.compile(r"\(\?[:i]|[|)?]")
_MAX_WAYS = 1_024  # as ten optional parts have
_KEY = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_BREAKS_ATTRIBUTION = re.compile(r"[:,;?!()\[\]{}<>/\\|*_`#\"]")
# Attributions that are nobody's name.
_RESERVED_NAMES = frozenset({"user", "you", "all"})


class _Switch(Struct):
    key: files.ShortName
    disabled: bool = False


class _PersonaFields(_Switch, kw_only=True):
    name: files.Name
    role: files.Name
    short_role: Annotated[str, Meta(min_length=1, max_length=30)] = ""
    phases: files.Texts = ()
    perspective: files.ShortName
    lens: files.SomeTexts
    identity: files.Text = ""
    principles: files.Texts = ()
    patterns: files.Texts = ()
    towards: dict[files.ShortName, files.Text] = {}
    bans: Any = ()  # each is checked on its own, because the others still count


class _BanFields(Struct):
    kind: BanKind
    pattern: Annotated[str, Meta(min_length=1, max_length=300)]
    reason: Annotated[str, Meta(min_length=1, max_length=300)]


class PersonaFile(Struct, frozen=True):
    """What one file says: a persona, or (None) that the one with this key, `described` or not, stays away."""

    key: str
    persona: Persona | None
    described: bool = True


def parse_persona(file: ContentFile, trusted: Collection[str] | None = None) -> PersonaFile:
    """Return the persona that a file describes or disables; None trusts all patterns."""
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
            if trusted is not None and ban.pattern not in trusted:
                _check_pattern(ban.pattern)
            bans.append(Ban(ban.kind, ban.pattern, ban.reason))
        except UnusableError as error:
            file.warn(f"bans, number {number}", f"{error.field} {error.reason}; the ban is ignored")
    fields = asdict(given) | {
        "short_role": given.short_role or given.role,
        "phases": tuple(phase for phase in given.phases if phase in PHASE_KEYS),
        "towards": tuple(given.towards.items()),
        "bans": tuple(bans),
    }
    del fields["disabled"]
    return PersonaFile(given.key, Persona(**fields))


def _check_pattern(pattern: str) -> None:
    """Refuse a pattern that does not compile, that bans every text, or that could keep the program busy."""
    try:
        with warnings.catch_warnings(action="error"):
            # A later Python may raise what is only a warning today, or read it in another way.
            compiled = re.compile(pattern)
    except (re.error, RecursionError, OverflowError, Warning) as error:
        raise UnusableError("pattern", f"is not a valid regular expression ({error})") from None
    if compiled.search(""):
        raise UnusableError("pattern", "matches every text")
    if not _PLAIN.fullmatch(pattern) or _count_ways(pattern) > _MAX_WAYS:
        said = "may hold words, \\b, \\s+, a few | and ? and (?:...), and \\w+ at the end of a word"
        raise UnusableError("pattern", said)


def _count_ways(pattern: str) -> int:
    """Return in how many ways a plain pattern can be tried at one place, at most."""
    groups = [[0, 1]]  # those that are open: the ways of the alternatives so far, and of the last
    for turn in _TURN.findall(pattern):
        if turn[0] == "(":
            groups.append([0, 1])
        elif turn == "|":
            groups[-1] = [sum(groups[-1]), 1]
        else:
            ways = 2 if turn == "?" else sum(groups.pop())
            groups[-1][1] *= ways
    return sum(groups[-1])


def load_personas(
    built_in: Path, own: Path | None, problems: list[Problem]
) -> tuple[tuple[Persona, ...], frozenset[str]]:
    """Return who sits at the table, and the keys that a project disabled.

    Built-in personas are replaced or disabled in place; then come a project's own that break no table.
    """
    parse = partial(parse_markdown, parse_persona)
    built = load_folder(built_in, "personas", problems, partial(parse, None))
    ours = {file.value.key: file for file in built}
    # A copy of a built-in persona keeps its patterns, which are tested one by one.
    personas = [file.value.persona for file in ours.values() if file.value.persona is not None]
    trusted = frozenset(ban.pattern for persona in personas for ban in persona.bans)
    added: dict[str, Loaded[PersonaFile]] = {}
    for file in load_folder(own, "personas", problems, partial(parse, trusted)) if own else ():
        key, reason = file.value.key, ""
        if (other := added.setdefault(key, file)) is not file:
            reason = f"'{key}' is already the key of {other.shown}"
        elif file.value.persona is None and key not in ours and not file.value.described:
            reason = f"no persona has the key '{key}' to disable"
        if reason:
            problems.append(Problem(file.shown, "key", reason, skipped=True))
    while clash := _find_clash(ours | added, added):
        problems.append(clash)
        added = {key: file for key, file in added.items() if file.shown != clash.file}
    seated = tuple(file.value.persona for file in (ours | added).values() if file.value.persona is not None)
    if not seated:
        problems.append(Problem(".roundtable/personas", "disabled", "no persona is left", skipped=False))
    return seated, frozenset(key for key, file in added.items() if file.value.persona is None)


def _find_clash(
    given: Mapping[str, Loaded[PersonaFile]], added: Mapping[str, Loaded[PersonaFile]]
) -> Problem | None:
    """Return the first reason why these cannot sit at one table, blamed on a project's own file."""
    taken: dict[str, tuple[Persona, str]] = {}
    for seat in ((file.value.persona, file.shown) for file in given.values() if file.value.persona):
        other = taken.setdefault(unicodedata.normalize("NFC", seat[0].first_name).casefold(), seat)
        if other is not seat:
            (_, refused), (stays, _) = (seat, other) if seat[0].key in added else (other, seat)
            reason = f"{stays.name} has the same first name; nobody could tell whom you address"
            return Problem(refused, "name", reason, skipped=True)
        if len(taken) > MAX_PERSONAS:
            reason = f"{MAX_PERSONAS} personas are at the table already"
            return Problem(seat[1], "key", reason, skipped=True)
    return None
