"""Files for coding agents, made from the personas, steps and rules in use.

The texts are templates in `content/export`; the lines that the rules fix come from the program's own code.
"""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

import msgspec

from .. import __version__
from ..content import HOME, read_tables
from ..core import lines
from ..core.personas import Persona, Roster
from ..core.steps import DEPTHS, PHASES, Phase, Step
from ..core.text import fill_blanks

# Placeholders for personas, so that the fixed lines keep blanks to fill in.
_LEAD, _OTHER, _COLLEAGUE, _ANYBODY = (
    Persona(name, name, "{Role}", "{short}", (), "{perspective}", ())
    for name in ("{Lead}", "{Other}", "{Colleague}", "{Name}")
)
_STEP = Step("{step_id}", "{title}", "", "brief", ())
_to_json = partial(json.dumps, ensure_ascii=False)  # without \u escapes it is a TOML string, too
AGENT_FILE = "agent-file"
QUESTIONS_FILE = "roundtable-questions.md"
SHARED_FILES = (".codex/config.toml", ".cursor/mcp.json")  # they may name other servers: never replaced


def agent_file(roster: Roster, steps: tuple[Step, ...]) -> str:
    """Return the complete instructions for these personas and these steps."""
    first = roster.personas[0]
    introduction = lines.introduction((_OTHER, _OTHER), title="{title}", item_name="{item}", max_turns=10)
    summary = "{two or three sentences on the step's output}"
    framing = lines.framing_text(_STEP, summary, "{focus question}", _COLLEAGUE)
    leads = ((phase.key, phase.name, roster.lead_of(phase.key).name) for phase in PHASES)
    lists = ((step, ", ".join(step.outputs), ", ".join(step.depends_on) or "-") for step in steps)
    writes = ((step.step_id, step.title, step.depth, *rest) for step, *rest in lists)
    values: dict[str, str] = {
        **{name.lower(): text for name, text in vars(lines).items() if isinstance(text, str)},
        **{name: lines.DEPTH_ANNOUNCEMENTS[name] for name in ("brief", "deep")},
        "menu": lines.menu(last=False, next_phase=None).text,
        "switching": lines.depth_changed("{depth}"),
        "header": lines.speech(_ANYBODY, "Step {step_id}: {title}", "step").text,
        "default": lines.leads_instead(first, None, "{key}"),
        "introduction": lines.Line("introduction", introduction.replace(": 10", ": {max_turns}")).text,
        "framing": lines.speech(_LEAD, framing, "contribution").text,
        "inactivity": lines.speech(_LEAD, lines.inactivity(None), "inactivity").text,
        "warning": lines.speech(_LEAD, lines.LIMIT_WARNING, "warning").text,
        "limit": lines.speech(_LEAD, lines.LIMIT, "limit").text,
        "greeting": lines.new_in_phase(_ANYBODY, Phase("", "{phase}", "{phase description}")).text,
        "participants": ", ".join(f"{each.name} ({each.short_role})" for each in roster.personas),
        "count": str(len(roster.personas)),
        "keys": ", ".join(json.dumps(key) for key in roster.keys),
        "possessive": f"{first.first_name}'s",
        "personas": "\n\n".join(_describe_persona(each) for each in roster.personas),
        "voices": "\n\n".join(_describe_voice(each, roster) for each in roster.personas),
        "leads": _table(("phase", "name", "lead"), leads),
        "steps": _table(("step", "title", "depth", "writes", "after"), writes),
    }
    return fill_blanks((HOME / "export/agent.md").read_text("utf-8"), values)


def questions_file(steps: tuple[Step, ...]) -> str:
    """Return the questions of these steps, which the agent file refers to."""
    questions = "\n\n".join("\n\n".join(_describe_step(step)) for step in steps)
    return fill_blanks(_TABLES["questions"], {"questions": questions})


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (heads, ("---",) * len(heads), *rows))


def _describe_persona(persona: Persona) -> str:
    manners = [f"- Looks at: {', '.join(persona.lens)}.", *(f"- {each}" for each in persona.principles)]
    return "\n\n".join(filter(None, [f"#### {persona.title}", persona.identity, "\n".join(manners)]))


def _describe_voice(persona: Persona, roster: Roster) -> str:
    kinds, traits = {"patterns": "Speaks like: ", "bans": "Keeps to this: "}, roster.traits_of(persona)
    traits.pop("principles", None)  # they are in the persona's description
    rows = [f"- {kinds.get(kind, '')}{each}" for kind, told in traits.items() for each in told]
    return "\n".join([f"**{persona.title}**\n", *rows])


def _describe_step(step: Step) -> Iterator[str]:
    yield f"### {step.step_id} {step.title}"
    lists = {each.capitalize(): [f"**{q.label}**: {q.text}" for q in step.questions(each)] for each in DEPTHS}
    lists["An answer has to hold"] = [
        f"{each.label}: {each.check}. If not: {each.follow_up}" for each in step.validation
    ]
    lists["Writes"] = [f"{each.output}: {each.section}" for each in step.targets]
    yield from ("\n- ".join([f"{head}:\n", *rows]) for head, rows in lists.items() if rows)


class Host(msgspec.Struct, frozen=True):
    """A coding agent, from content/export/hosts.toml: what the user does next, and templates of its files."""

    next_step: str
    files: Mapping[str, str]
    arguments: str = "as the person named them"  # stands for the words after a command
    reads_project: bool = False

    def make_files(self, agent: str, questions: str, root: Path) -> dict[str, str]:
        """Return the host's files for a project, by path inside the folder; `agent` is the agent file.

        They start the server by its full path, as a host may have another search path. With -P, the project's
        own files are never imported.
        """
        server = ["-P", "-m", "roundtable", "--root", str(root.resolve()), "mcp"]
        values = {"program": _to_json(sys.executable), "server": _to_json(server)}
        values |= {"agent": agent, "questions": questions, "version": __version__}
        for name, text in _TABLES["texts"].items():
            values[name] = fill_blanks(text, values | {"arguments": self.arguments})
            values[f"{name}_json"] = _to_json(values[name])
        return {path: fill_blanks(text, values) for path, text in self.files.items()}


_TABLES = read_tables("export/hosts.toml")  # its texts go to every host, in the host's format
HOSTS = msgspec.convert(_TABLES["hosts"], dict[str, Host])
