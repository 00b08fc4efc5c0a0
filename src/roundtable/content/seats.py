"""Who sits at the table, once built-in personas and a project's files are put together (PERS-3, PERS-4)."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from ..core.personas import Persona
from .personafile import PersonaFile
from .problem import Problem

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
