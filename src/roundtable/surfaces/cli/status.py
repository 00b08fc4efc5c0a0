"""`status`: how far each item has come, what comes next, and what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from ...project import Project
from .options import Command, Flags, complete_item
from .output import NO_ITEMS, command, count, pairs

if TYPE_CHECKING:
    from ...core.steps import Step


@click.command(cls=Command)
@click.argument("item", required=False, shell_complete=complete_item)
@click.pass_obj
def status(flags: Flags, item: str | None) -> None:
    """Show how far each item, or ITEM, is and what comes next."""
    project = flags.open_project()
    reports = project.report(project.items()) if item is None else [project.status(item)]
    texts = [_describe(each, project, project.steps_of(each["slug"])) for each in reports]
    flags.show_result(reports if item is None else reports[0], "\n\n".join(texts) or NO_ITEMS)


def _describe(found: dict[str, Any], project: Project, steps: Sequence[Step]) -> str:
    """Return a report as text for a person."""
    rows = [("status", _summarise(found, steps)), ("next", _say_next(found, steps))]
    if found["source_id"]:
        rows.append(("source", f"{found['source']} {found['source_id']}"))
    if talk := found["discussion"]:
        rows.append(
            ("discussion", f"open on step {talk['step']}, turn {talk['turn']} of {talk['max_turns']}")
        )
    if found["stale"]:
        rows.append(("code", "has moved on since the last phase was completed"))
    if found["spent"]:
        rows.append(("spent", project.describe_spending(found["slug"])))
    rows.extend(("warning", warning) for warning in found["start_phase"]["warnings"])
    if found["problem"]:
        rows.append(("problem", found["problem"]))
    return f"{found['slug']}: {found['title']}\n{pairs(rows)}"


def _summarise(found: dict[str, Any], steps: Sequence[Step]) -> str:
    if found["problem"]:
        return "corrupt"
    phases = len(found["start_phase"]["completed"])
    done = sum(step.step_id in found["steps_completed"] for step in steps)
    return (
        f"{found['analysis_status']}: {phases} of 5 phases, {done} of {len(steps)} steps, "
        f"{count(found['elaborations'], 'elaboration')}"
    )


def _say_next(found: dict[str, Any], steps: Sequence[Step]) -> str:
    """Return what comes next, and the command for it."""
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
