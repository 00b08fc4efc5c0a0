"""`status`: how far each item is, and what comes next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .options import Command, Flags
from .output import command, pairs, put_json, put_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...core.steps import Step


@click.command(cls=Command)
@click.argument("item", required=False)
@click.pass_obj
def status(flags: Flags, item: str | None) -> None:
    """Show how far each item, or ITEM, is and what comes next."""
    from ...catalogue import load_steps
    from ...project import Project

    settings = flags.settings()
    project = Project(settings.root, items_folder=settings.items_folder)
    reports = project.report(project.items()) if item is None else [project.status(item)]
    if flags.json:
        put_json(reports if item is None else reports[0], indent=2)
    elif reports:
        steps = load_steps(settings.root)
        put_text("\n\n".join(_for_people(each, steps) for each in reports))
    else:
        put_text('No items yet. Add one with: roundtable add "what it is about"')


def _for_people(found: dict[str, Any], steps: Sequence[Step]) -> str:
    head = f"{found['slug']}: {found['title']}"
    rows = [("status", _progress(found, steps)), ("next", _next(found, steps))]
    if found["source_id"]:
        rows.append(("source", f"{found['source']} {found['source_id']}"))
    if talk := found["discussion"]:
        rows.append(
            ("discussion", f"open on step {talk['step']}, turn {talk['turn']} of {talk['max_turns']}")
        )
    if found["stale"]:
        rows.append(("code", "has moved on since the last phase was completed"))
    if found["spent"]:
        rows.append(("spent", _told(found["spent"])))
    rows.extend(("warning", warning) for warning in found["start_phase"]["warnings"])
    if found["problem"]:
        rows.append(("problem", found["problem"]))
    return f"{head}\n{pairs(rows)}"


def _told(spent: dict[str, Any]) -> str:
    from decimal import Decimal

    from ...store.ledger import Total, describe_total

    money = spent["money"]
    return describe_total(
        Total(
            spent["calls"], spent["input_tokens"], spent["output_tokens"], spent["cached_tokens"],
            Decimal(money or 0), money is not None, not spent["estimated"],
        )
    )  # fmt: skip


def _progress(found: dict[str, Any], steps: Sequence[Step]) -> str:
    if found["problem"]:
        return "corrupt"
    phases = len(found["start_phase"]["completed"])
    done = sum(step.step_id in found["steps_completed"] for step in steps)
    talks = found["elaborations"]
    return (
        f"{found['analysis_status']}: {phases} of 5 phases, {done} of {len(steps)} steps, "
        f"{talks} {'elaboration' if talks == 1 else 'elaborations'}"
    )


def _next(found: dict[str, Any], steps: Sequence[Step]) -> str:
    """What comes next, and the command for it."""
    again = command("analyze", found["slug"])
    if found["problem"]:
        return f"repair meta.json, or begin anew and keep it aside: {again} --start-over"
    step = next((step for step in steps if step.step_id == found["next_step"]), None)
    if step is not None:
        phase = f" ({step.phase.name})" if step.phase else ""
        return f"step {step.step_id}, {step.title}{phase}: {again}"
    if found["start_phase"]["next"]:
        return f"the menu of phase {found['start_phase']['next'][:2]}: {again}"
    return f"nothing, all phases are complete: {command('show', found['slug'])}"
