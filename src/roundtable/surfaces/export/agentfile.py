"""Templates of exported files: texts in `content/export` with places such as `{{menu}}`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from ...core import depth, lines
from ...core.personas import Persona, Roster
from ...core.steps import DEPTHS, PHASES, Phase, Question, Step
from ...core.synthesis import Draft, Entry, render
from ...core.turns import Turn

_HOME = Path(__file__).resolve().parents[2] / "content" / "export"
_PLACE = re.compile(r"\{\{(\w+)\}\}")


def fill(name: str, values: Mapping[str, str]) -> str:
    """The template with every place filled; KeyError where a place has no value."""
    text = (_HOME / name).read_text(encoding="utf-8")
    return _PLACE.sub(lambda place: values[place[1]], text)


# Stands for whoever it will be, so that the fixed lines come out with their places open.
_LEAD = Persona("lead", "{Lead}", "{Role}", "{short}", (), "{perspective}", ())
_PHASE = Phase("", "{phase}", "{phase description}")


def agent_file(roster: Roster, steps: tuple[Step, ...]) -> str:
    """The complete instructions, for these personas and these steps."""
    return fill("agent.md", {**_lines(roster), **_people(roster), **_work(steps)})


def _lines(roster: Roster) -> Mapping[str, str]:
    """The lines that the rules fix, from where the program has them too."""
    others = (
        Persona("a", "{Other}", "{Role}", "", (), "", ()),
        Persona("b", "{Other}", "{Role}", "", (), "", ()),
    )
    return {
        "brief": depth.announcement("brief") or "",
        "deep": depth.announcement("deep") or "",
        "menu": lines.menu(last=False, next_phase=None),
        "skipping": lines.SKIPPING,
        "unreadable": lines.CONTEXT_UNREADABLE,
        "introduction": lines.introduction(others, title="{title}", item_name="{item}", max_turns=10).replace(
            "limit: 10", "limit: {max_turns}"
        ),
        "framing": lines.contribution(
            _LEAD,
            lines.framing_text(
                title="{title}",
                summary="{two or three sentences on the step's output}",
                focus_question="{focus question}",
                first=Persona("c", "{Colleague}", "", "", (), "{perspective}", ()),
            ),
        ),
        "inactivity": lines.inactivity(_LEAD, None),
        "warning": lines.limit_warning(_LEAD),
        "limit": lines.limit(_LEAD),
        "acknowledgement": lines.ACKNOWLEDGEMENT,
        "unclear": lines.UNCLEAR_EXIT,
        "unsaved": lines.RECORD_FAILED,
        "greeting": lines.new_in_phase(Persona("d", "{Name}", "{Role}", "", (), "", ()), _PHASE),
        "synthesis": _synthesis(roster),
        "record": _record(roster),
    }


def _people(roster: Roster) -> Mapping[str, str]:
    first = roster.personas[0]
    return {
        "count": str(len(roster.personas)),
        "first": first.name,
        "possessive": f"{first.first_name}'s",
        "personas": "\n\n".join(_persona(each) for each in roster.personas),
        "leads": _leads(roster),
        "voices": "\n\n".join(_voice(each, roster) for each in roster.personas),
    }


def _work(steps: tuple[Step, ...]) -> Mapping[str, str]:
    rows = ["| step | title | depth | writes | after |", "| --- | --- | --- | --- | --- |"]
    for step in steps:
        after = ", ".join(step.depends_on) or "-"
        rows.append(f"| {step.step_id} | {step.title} | {step.depth} | {', '.join(step.outputs)} | {after} |")
    return {"steps": "\n".join(rows), "questions": "\n\n".join(_questions(step) for step in steps)}


def _persona(persona: Persona) -> str:
    said = [f"#### {persona.title}", persona.identity] if persona.identity else [f"#### {persona.title}"]
    said.append(f"- Looks at: {', '.join(persona.lens)}.")
    principles = "\n".join(f"- {each}" for each in persona.principles)
    return "\n\n".join([*said[:-1], "\n".join(part for part in (said[-1], principles) if part)])


def _leads(roster: Roster) -> str:
    rows = [f"| {phase.key} | {phase.name} | {roster.lead_of(phase.key).persona.name} |" for phase in PHASES]
    return "\n".join(["| phase | name | lead |", "| --- | --- | --- |", *rows])


def _voice(persona: Persona, roster: Roster) -> str:
    return "\n".join([f"**{persona.title}**", "", *_manners(persona, roster)])


def _manners(persona: Persona, roster: Roster) -> Iterator[str]:
    yield f"- Lens: {', '.join(persona.lens)}."
    for pattern in persona.patterns:
        yield f"- Speaks like: {pattern}"
    for key, behaviour in persona.towards:
        if key in roster:
            yield f"- Towards {roster[key].first_name}: {behaviour}"
    for reason in dict.fromkeys(ban.reason for ban in persona.bans):
        yield f"- Keeps to this: {reason}"


def _questions(step: Step) -> str:
    parts = [f"### {step.step_id} {step.title}"]
    for each in DEPTHS:
        asked = step.questions(each)
        if asked:
            parts.append("\n".join([f"{each.capitalize()}:", "", *map(_question, asked)]))
    if step.validation:
        checks = [f"- {each.label}: {each.check}. If not: {each.follow_up}" for each in step.validation]
        parts.append("\n".join(["An answer has to hold:", "", *checks]))
    sections = [f"- {each.output}: {each.section}" for each in step.targets]
    if sections:
        parts.append("\n".join(["Writes:", "", *sections]))
    return "\n\n".join(parts)


def _question(question: Question) -> str:
    return f"- **{question.label}**: {question.text}"


def _synthesis(roster: Roster) -> str:
    """The block of SYN-1 with its places open, rendered by the rule itself."""
    first = roster.personas[0]
    drafted = Draft(
        insights=(Entry("{insight}", (1,)),),
        decisions=(Entry("{decision}", (1,), "{rationale}"),),
        questions=(Entry("{question}", (1,), "{why it is open, who should resolve it}"),),
        actions=(Entry("{action}", (1,), "{owner}"),),
    )
    block = render(
        drafted,
        step_id="{step_id}",
        title="{title}",
        roster=roster,
        turns=(Turn(1, first.key, "{text}"),),
        exit_type="user-initiated",
    )
    block = block.strip().replace(f"[{first.first_name}] ", "[{attribution}] ").replace("\\", "")
    return block.replace("**Turns**: 1", "**Turns**: {turn_count}").replace(
        "**Exit**: user-initiated", "**Exit**: {user-initiated | turn-limit}"
    )


def _record(roster: Roster) -> str:
    record = {
        "step_id": "01-03",
        "turn_count": 8,
        "personas_active": list(roster.keys),
        "timestamp": "2026-01-31T12:00:00.000Z",
        "synthesis_summary": "Identified three gaps in the journey and settled who decides",
    }
    return json.dumps(record, indent=2)
