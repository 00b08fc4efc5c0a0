"""`handoff`: one page for whoever builds it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from ...project import HandOffForm
from .options import Command, Flags, complete_item


@click.command(cls=Command)
@click.argument("item", required=False, shell_complete=complete_item)
@click.option(
    "--for",
    "form",
    type=click.Choice(("page", "agent", "pr", "spec-kit")),
    default="page",
    help="A page, a prompt for a coding agent, a pull request text, or spec-kit's files.",
)
@click.option("--out", metavar="FILE", help="Write it to FILE; for spec-kit a folder, else specs/ITEM.")
@click.pass_obj
def handoff(flags: Flags, item: str | None, form: HandOffForm, out: str | None) -> None:
    """Write one page for whoever builds ITEM.

    Problem, decisions with reasons, requirements with criteria, places to touch, risks, the first failing
    test, open questions: all from the documents, each with its source. A file that is there already is not
    overwritten. Without ITEM it takes the one that is open.
    """
    project, entry = flags.find_item(item)
    text, paths = project.write_hand_off(entry.slug, form, Path(out) if out else None)
    told = "\n".join(f"Wrote {path}" for path in paths)
    flags.show_result(
        {
            "slug": entry.slug,
            "for": form,
            "files": [str(path) for path in paths],
            "text": text,
            **asdict(project.hand_off(entry.slug)),
        },
        told or text.removesuffix("\n"),
    )
