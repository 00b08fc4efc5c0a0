"""`why`: the turns and speakers that a line of a document comes from."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...core.errors import ItemUnknown
from ...project import Project
from .options import Command, Flags, complete_item

if TYPE_CHECKING:
    from ...store.provenance import LineOrigin


@click.command(cls=Command)
@click.argument(
    "what", nargs=-1, required=True, metavar="[ITEM] FILE:LINE|TEXT", shell_complete=complete_item
)
@click.pass_obj
def why(flags: Flags, what: tuple[str, ...]) -> None:
    """Show where a line comes from: who said what, in which turn.

    \b
    roundtable why requirements-spec.md:34          the line of a document
    roundtable why "never all loans of the number"  every line that holds this text
    roundtable why elaborations/01-03-1.md:48       what a turn of a transcript led to

    It works also after people moved or edited text, and says so then. A line that no discussion led to comes
    from an answer, feedback, a step or a hand. Without ITEM it takes the one that is open.
    """
    project = flags.open_project()
    slug, where = _read_words(project, what)
    found = project.explain(slug, where)
    data = [{"slug": slug, **asdict(each)} for each in found]
    flags.show_result(data, "\n\n".join(map(_describe, found)))


def _read_words(project: Project, words: tuple[str, ...]) -> tuple[str, str]:
    """Return the item and the place or text that the words name."""
    if len(words) > 1:
        try:
            return project.find_item(words[0]).slug, " ".join(words[1:])
        except ItemUnknown:
            pass  # the first word belongs to the text
    where = " ".join(words)
    path = Path(where).absolute()
    for entry in project.items():  # a path from here, as an editor or grep gives it
        if path.is_relative_to(entry.folder.absolute()):
            return entry.slug, str(path.relative_to(entry.folder.absolute()))
    return project.choose_item(None).slug, where


def _describe(found: LineOrigin) -> str:
    lines = [f"{found.file}:{found.line}: {found.text}", f"  {found.origin}"]
    lines += [f"  {remark}" for remark in found.remarks]
    lines += [f"  turn {turn.number}, {turn.speaker}: {' '.join(turn.text.split())}" for turn in found.turns]
    return "\n".join([*lines, f"  See {found.transcript}"] if found.transcript else lines)
