"""Personas and the roster they form (rules PERS-1 to PERS-4)."""

from typing import Literal

from msgspec import Struct

from .errors import RuleBroken


class Ban(Struct, frozen=True):
    kind: Literal["vocabulary", "question", "tradeoff", "form"]
    pattern: str  # what a persona's words may not contain
    reason: str  # as a person would give it


class Persona(Struct, frozen=True):
    """One participant, as its file describes it."""

    key: str
    name: str
    role: str
    short_role: str
    phases: tuple[str, ...]
    perspective: str
    lens: tuple[str, ...]
    identity: str = ""
    principles: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    towards: tuple[tuple[str, str], ...] = ()
    bans: tuple[Ban, ...] = ()

    @property
    def first_name(self) -> str:
        return self.name.split()[0]

    @property
    def title(self) -> str:
        """The name as shown before a contribution: `Maya Chen (Business Analyst)`."""
        return f"{self.name} ({self.role})"


class Roster(Struct, frozen=True):
    """The personas at the table, in their order."""

    personas: tuple[Persona, ...]

    def __post_init__(self) -> None:
        if not self.personas:
            raise RuleBroken("A roster needs at least one persona.")

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(persona.key for persona in self.personas)

    @property
    def can_discuss(self) -> bool:
        """Whether there are enough personas for a roundtable."""
        return len(self.personas) > 1

    def __contains__(self, key: object) -> bool:
        return key in self.keys

    def __getitem__(self, key: str) -> Persona:
        if persona := self.find(key):
            return persona
        raise RuleBroken(f"No persona has the key '{key}'.", legal=self.keys)

    def find(self, key: str) -> Persona | None:
        return next((persona for persona in self.personas if persona.key == key), None)

    def lead_of(self, phase_key: str) -> Persona:
        """Return the persona that leads the phase; the first of the roster if none does (PERS-2)."""
        return next((each for each in self.personas if phase_key in each.phases), self.personas[0])

    def traits_of(self, persona: Persona) -> dict[str, tuple[str, ...]]:
        """Return a persona's traits at this table, by kind, each entry on one line."""
        traits = {
            "principles": persona.principles,
            "patterns": persona.patterns,
            "towards": tuple(words for key, words in persona.towards if key in self),
            "bans": tuple(dict.fromkeys(ban.reason for ban in persona.bans)),
        }
        return {key: tuple(" ".join(each.split()) for each in told) for key, told in traits.items() if told}

    def others(self, lead: Persona) -> tuple[Persona, ...]:
        """Return everybody but the lead, in roster order."""
        return tuple(persona for persona in self.personas if persona.key != lead.key)
