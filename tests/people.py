"""The three at the table, an item and a few steps, as plain values for tests of the core."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from roundtable.core.commands import Table
from roundtable.core.personas import Persona, Roster
from roundtable.core.steps import Criterion, Item, Question, Step, Target
from roundtable.core.turns import Turn
from roundtable.core.voice import Violation, check_voice

MAYA = Persona(
    "business-analyst", "Maya Chen", "Business Analyst", "BA", ("00-quick-scan", "01-requirements"), "user",
    ("user needs", "business value", "stakeholder impact"),
)  # fmt: skip
ALEX = Persona(
    "solutions-architect", "Alex Rivera", "Solutions Architect", "Architect",
    ("02-impact-analysis", "03-architecture"), "architecture",
    ("feasibility", "blast radius", "tradeoffs", "risk"),
)  # fmt: skip
JORDAN = Persona(
    "system-designer", "Jordan Park", "System Designer", "Designer", ("04-design",), "design",
    ("interfaces", "specifications", "data structures", "error handling"),
)  # fmt: skip
ROSTER = Roster((MAYA, ALEX, JORDAN))


def no_code(_path: str) -> None:
    """A project without any file."""


ITEM = Item("offline-forms", "offline mode feature", "Inspectors fill in forms in basements without signal.")


def persona(key: str, name: str, *, phases: tuple[str, ...] = ()) -> Persona:
    """Another persona, told apart by key and name."""
    return replace(JORDAN, key=key, name=name, role="Tester", short_role="QA", phases=phases)


def step(step_id: str, title: str = "", **fields: object) -> Step:
    """A step with one question per depth, unless said otherwise."""
    question = Question("Problem", "Who is stuck, and where?", "One scene.", "The inspector in a basement.")
    base = Step(
        step_id, title or f"Step {step_id}", "business-analyst", "standard", ("requirements-spec.md",),
        brief=(question,), standard=(question,), deep=(question,),
        targets=(Target("requirements-spec.md", "3. User Journeys"),),
    )  # fmt: skip
    return replace(base, **fields)


JOURNEYS = step("01-03", "User Experience & Journeys")
STEPS = (
    step("00-01", "Scope Estimation"),
    step("01-01", "Business Context Discovery"),
    JOURNEYS,
    step("01-08", "MoSCoW Prioritization"),
    step("03-02", "Technology Decisions", persona="solutions-architect"),
    step("04-01", "Module Design & Boundaries", persona="system-designer"),
)
NUMBER = Criterion("Problem", "a number", "How many are stuck?")


def find_slips(
    text: str, speaker: Persona, earlier: Sequence[Turn] = (), *, item: str = "", free: bool = False
) -> tuple[Violation, ...]:
    """What the voice check finds at a table of the three, after earlier turns on an item with this text."""
    table = Table(Item("x", "", item), JOURNEYS, ROSTER, MAYA, turns=tuple(earlier))
    return check_voice(text, speaker, table, free=free)
