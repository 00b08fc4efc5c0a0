"""`undo`: takes back one elaboration, byte for byte."""

from __future__ import annotations

import click

from ...core.errors import ItemUnknown
from ...project import Project
from .options import Command, Flags, complete_item
from .output import count


@click.command(cls=Command)
@click.argument("what", nargs=-1, metavar="[ITEM] [N]", shell_complete=complete_item)
@click.option("--dry-run", is_flag=True, help="Show what would be taken out, as a diff, and change nothing.")
@click.option("--force", is_flag=True, help="Take it out even if somebody has edited it since.")
@click.pass_obj
def undo(flags: Flags, what: tuple[str, ...], dry_run: bool, force: bool) -> None:
    """Take back the last elaboration of ITEM, or number N as `show` counts them.

    Its block leaves every document, and nothing else changes. Text that was edited since is left alone
    unless --force is given. The record and the transcript stay; meta.json notes what was undone. Without ITEM
    it takes the one that is open.
    """
    project = flags.open_project()
    slug, number = _read_words(project, what)
    told: tuple[str, ...]
    if dry_run:
        plan, told = project.plan_undo(slug, number), ()
    else:
        plan, told = project.undo(slug, number, force=force)
    edits = [f"{file} was edited since: {reason}." for file, reason in plan.edits]
    subject = f"The elaboration of step {plan.step_id}, {plan.timestamp}"
    nothing = f"{subject}, stands in no document" + ("." if dry_run else "; it is noted as taken back.")
    text = [plan.show_diff(), *edits] if dry_run else list(told)
    flags.show_result(
        {
            "slug": slug,
            "step": plan.step_id,
            "timestamp": plan.timestamp,
            "undone": not dry_run,
            "files": [change.name for change in plan.changes],
            "edited": [{"file": file, "reason": reason} for file, reason in plan.edits],
            **({"diff": plan.show_diff()} if dry_run else {}),
        },
        "\n".join(text) if plan.changes or plan.edits else nothing,
    )


def _read_words(project: Project, words: tuple[str, ...]) -> tuple[str, int | None]:
    """Return the item and the number that the words name."""
    match words:
        case ():
            return project.choose_item(None).slug, None
        case (word,) if word.isdecimal() and len(word) < 6:
            try:  # an item may be called by a number too
                return project.find_item(word).slug, None
            except ItemUnknown:
                return project.choose_item(None).slug, int(word)
        case (name,):
            return project.choose_item(name).slug, None
        case (name, number) if number.isdecimal() and len(number) < 6:
            return project.choose_item(name).slug, int(number)
        case _:
            raise click.UsageError(f"Name an item and a number, not {count(len(words), 'word')}.")
