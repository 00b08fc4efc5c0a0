"""`personas` and `steps`: who is at the table, what is asked, and what is wrong with their files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .options import Flags, Group
from .output import put_json, put_text, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...catalogue.files import Problem


@click.group(cls=Group)
def personas() -> None:
    """The personas at the table.

    A project's own are files in .roundtable/personas.
    """


@click.group(cls=Group)
def steps() -> None:
    """The steps of an analysis.

    A project's own are files in .roundtable/steps/PHASE.
    """


@personas.command("list")
@click.pass_obj
def list_personas(flags: Flags) -> None:
    """List the personas in their order."""
    from ...catalogue import load_roster

    found = load_roster(flags.settings().root).personas
    if flags.json:
        rows = [
            {
                "key": persona.key,
                "name": persona.name,
                "role": persona.role,
                "short_role": persona.short_role,
                "phases": persona.phases,
                "perspective": persona.perspective,
                "lens": persona.lens,
            }
            for persona in found
        ]
        put_json(rows, indent=2)
        return
    cells = [(each.key, each.name, each.role, ", ".join(each.phases) or "-") for each in found]
    put_text(table(("key", "name", "role", "leads"), cells))


@personas.command("check")
@click.pass_obj
def check_personas(flags: Flags) -> int:
    """Check the files of the personas and the prompts; exit status 2 where one has a problem."""
    from ...catalogue import read_personas
    from ...panel.offline.prompts import read_project_prompts

    root = flags.settings().root
    found, problems = read_personas(root)
    library, wrong = read_project_prompts(root)
    return _checked(flags, "personas", len(found), (*problems, *wrong), len(library.prompts))


@steps.command("list")
@click.pass_obj
def list_steps(flags: Flags) -> None:
    """List the steps in the order in which they run."""
    from ...catalogue import load_steps

    found = load_steps(flags.settings().root)
    if flags.json:
        rows = [
            {
                "step_id": step.step_id,
                "title": step.title,
                "phase": step.phase.key if step.phase else None,
                "persona": step.persona,
                "depth": step.depth,
                "outputs": step.outputs,
                "depends_on": step.depends_on,
                "skip_if": step.skip_if,
            }
            for step in found
        ]
        put_json(rows, indent=2)
        return
    cells = [(each.step_id, each.title, each.persona, each.depth, ", ".join(each.outputs)) for each in found]
    put_text(table(("step", "title", "persona", "depth", "writes"), cells))


@steps.command("check")
@click.pass_obj
def check_steps(flags: Flags) -> int:
    """Check the steps' files; exit status 2 where one has a problem."""
    from ...catalogue import read_steps

    found, problems = read_steps(flags.settings().root)
    return _checked(flags, "steps", len(found), problems)


def _checked(flags: Flags, noun: str, count: int, problems: Sequence[Problem], own_prompts: int = 0) -> int:
    """Say what was read and what is wrong with it; the exit status says whether anything is."""
    if flags.json:
        rows = [
            {"file": each.file, "field": each.field, "reason": each.reason, "skipped": each.skipped}
            for each in problems
        ]
        prompts = {"prompts": own_prompts} if own_prompts else {}
        put_json({noun: count, **prompts, "problems": rows}, indent=2)
    else:
        number = f"{len(problems)} {'problem' if len(problems) == 1 else 'problems'}"
        read = f"{count} {noun[:-1] if count == 1 else noun}"
        if own_prompts:
            read += f" and {own_prompts} {'prompt' if own_prompts == 1 else 'prompts'} of your own"
        total = f"{read} read, {number if problems else 'no problems'}."
        put_text("\n".join([*(problem.text for problem in problems), total]))
    return 2 if problems else 0
