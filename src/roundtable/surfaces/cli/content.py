"""`personas`, `steps` and `doctor`: what there is to work with, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from ...diagnosis import diagnose
from ...settings import load_settings
from .options import MODEL_OPTIONS, Command, Flags, Group
from .output import count, pairs, table

if TYPE_CHECKING:
    from ...catalogue.files import Problem

_PERSONA_FIELDS = ("key", "name", "role", "short_role", "phases", "perspective", "lens")
_STEP_FIELDS = ("step_id", "title", "phase", "persona", "depth", "outputs", "depends_on", "skip_if")


@click.group(cls=Group)
def personas() -> None:
    """The personas at the table.

    A project's own personas are files in .roundtable/personas.
    """


@click.group(cls=Group)
def steps() -> None:
    """The steps of an analysis.

    A project's own steps are files in .roundtable/steps/PHASE.
    """


@personas.command("list")
@click.pass_obj
def list_personas(flags: Flags) -> None:
    """List the personas in their order."""
    found = flags.open_project().roster().personas
    rows = [(each.key, each.name, each.role, ", ".join(each.phases) or "-") for each in found]
    flags.show_result(
        [{field: getattr(each, field) for field in _PERSONA_FIELDS} for each in found],
        table(("key", "name", "role", "leads"), rows),
    )


@personas.command("check")
@click.pass_obj
def check_personas(flags: Flags) -> int:
    """Check the files of the personas and the prompts; the exit status is 2 if one has a problem."""
    number, prompts, problems = flags.open_project().check_personas()
    return _report(flags, "persona", number, problems, prompts)


@steps.command("list")
@click.pass_obj
def list_steps(flags: Flags) -> None:
    """List the steps in the order in which they run."""
    found = flags.open_project().steps()
    rows = [(each.step_id, each.title, each.persona, each.depth, ", ".join(each.outputs)) for each in found]
    data = [
        {field: getattr(each, field) for field in _STEP_FIELDS}
        | {"phase": each.phase.key if each.phase else None}
        for each in found
    ]
    flags.show_result(data, table(("step", "title", "persona", "depth", "writes"), rows))


@steps.command("check")
@click.pass_obj
def check_steps(flags: Flags) -> int:
    """Check the steps' files; the exit status is 2 if one has a problem."""
    return _report(flags, "step", *flags.open_project().check_steps())


def _report(flags: Flags, noun: str, number: int, problems: Sequence[Problem], own_prompts: int = 0) -> int:
    """Say what was read and what is wrong with it, and return the exit status."""
    read = count(number, noun) + (f" and {count(own_prompts, 'prompt')} of your own" if own_prompts else "")
    total = f"{read} read, {count(len(problems), 'problem') if problems else 'no problems'}."
    prompts = {"prompts": own_prompts} if own_prompts else {}
    flags.show_result(
        {f"{noun}s": number, **prompts, "problems": problems},
        "\n".join([*(problem.text for problem in problems), total]),
    )
    return 2 if problems else 0


@click.command(cls=Command, uses=("json", *MODEL_OPTIONS))
@click.pass_obj
def doctor(flags: Flags) -> int:
    """Check what Roundtable works with.

    It sends nothing that costs money. The exit status is 2 if something needs repair.
    """
    settings, warnings = load_settings(flags.root, flags.panel, model=flags.model, base_url=flags.base_url)
    found = list(diagnose(settings, warnings))
    sound = all(each.sound for each in found)
    rows = [(each.name, each.found if each.sound else f"{each.found} <- needs repair") for each in found]
    flags.show_result({"sound": sound, "findings": found}, pairs(rows))
    return 0 if sound else 2
