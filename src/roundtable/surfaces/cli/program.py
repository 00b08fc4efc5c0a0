"""The program: all commands, and what becomes of whatever goes wrong in them.

0  done or paused (also where the reader of stdout has gone)     3  the panel or a tracker failed
1  unexpected, or the disk failed                                4  the item is locked or corrupt
2  usage: a wrong option, item, step, file or setting            130  interrupted
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import click

from ...core.errors import (
    ContentBroken,
    DiskFailed,
    ItemCorrupt,
    ItemLocked,
    ItemUnknown,
    PanelFailed,
    RoundtableError,
    RuleBroken,
    TrackerFailed,
)
from .agents import export, mcp
from .analyze import analyze, elaborate
from .check import check, validate
from .content import personas, steps
from .doctor import doctor
from .items import add, list_, show
from .options import VARIABLE, Group, completion
from .output import ReaderGone, prepare, tell
from .status import status

DONE, UNEXPECTED, USAGE, PANEL, ITEM = 0, 1, 2, 3, 4
STATUSES: dict[type[RoundtableError], int] = {
    RuleBroken: USAGE,
    ItemUnknown: USAGE,
    ContentBroken: USAGE,
    PanelFailed: PANEL,
    TrackerFailed: PANEL,
    ItemLocked: ITEM,
    ItemCorrupt: ITEM,
    DiskFailed: UNEXPECTED,
}


@click.group(
    cls=Group,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Documents are written to docs/requirements/ITEM in the project. "
    "Everything is saved at once; whatever happens, the same command goes on where it stopped.",
)
def cli() -> None:
    """Think a backlog item through with three colleagues before anything is built.

    \b
    The first three commands:
      roundtable add "Offline mode for the mobile app"
      roundtable analyze       answer Maya's questions; [E] brings all three to the table
      roundtable status        what is done, and what comes next
    """


for command in (
    add,
    analyze,
    elaborate,
    list_,
    status,
    show,
    check,
    validate,
    personas,
    steps,
    doctor,
    mcp,
    export,
    completion,
):
    cli.add_command(command)


def run(arguments: list[str]) -> int:
    """Run a command and return its exit status; only an interrupt is raised."""
    try:
        prepare()
        return _invoke(arguments)
    except ReaderGone:
        return DONE
    except click.ClickException as error:
        tell(_usage(error))
        return USAGE
    except RoundtableError as error:
        _trace(arguments)
        tell(str(error))
        return next((status for kind, status in STATUSES.items() if isinstance(error, kind)), UNEXPECTED)
    except Exception as error:
        traced = _trace(arguments)
        tell(_unexpected(error, traced=traced))
        return UNEXPECTED


def _invoke(arguments: list[str]) -> int:
    if os.environ.get(VARIABLE):  # a shell asks for completions
        cli.main(arguments, "roundtable")
    try:
        with cli.make_context("roundtable", list(arguments)) as context:
            result = cli.invoke(context)
            return result if isinstance(result, int) else DONE
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except BrokenPipeError as error:  # from Click's own output
        raise ReaderGone from error


def _usage(error: click.ClickException) -> str:
    context = error.ctx if isinstance(error, click.UsageError) else None
    message = error.format_message()
    if context is None:
        return message
    return f"{message}\n{context.get_usage()}\nMore with: {context.command_path} --help"


def _unexpected(error: Exception, *, traced: bool) -> str:
    reason = " ".join(_without_keys(str(error)).split())[:300]
    what = type(error).__name__ + (f": {reason}" if reason else "")
    hint = "" if traced else " Run the same command with --debug to see where."
    return f"Something unexpected happened ({what}). What was shown before it is saved.{hint}"


def _without_keys(text: str) -> str:
    from ...panel.model.model import hide

    return hide(text)


def _trace(arguments: Sequence[str]) -> bool:
    """Show the traceback where it was asked for; True where it was."""
    if "--debug" not in arguments:
        return False
    import traceback

    tell(_without_keys(traceback.format_exc()))
    return True
