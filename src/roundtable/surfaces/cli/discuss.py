"""`discuss`: a roundtable on any markdown document of the project."""

from __future__ import annotations

from functools import partial

import click

from .analyze import converse, prepare_talk
from .options import TALK_OPTIONS, Command, Flags
from .output import command


@click.command(cls=Command, uses=TALK_OPTIONS)
@click.argument("file")
@click.option("--into", is_flag=True, help="Add the synthesis to FILE itself, too.")
@click.pass_obj
def discuss(flags: Flags, file: str, into: bool) -> int:
    """Hold a roundtable on FILE, any markdown document of the project.

    It begins with the document's largest gap: an open question, an empty section, a TODO, else its longest
    section. The transcript and its synthesis are written beside it, FILE.roundtable-1.md; FILE itself is
    changed only with --into. Cut off, the same command goes on where it stopped.
    """
    settings, project, answers = prepare_talk(flags)
    folder = project.find_discussion_folder(file)
    again = command("discuss", file, *(["--into"] if into else []))
    start = partial(project.open_discussion, file, into=into)
    return converse(flags, settings, answers, start, folder, again)
