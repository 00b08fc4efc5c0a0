"""The program: all commands, and the exit status of whatever goes wrong in them.

0  done or paused (also when the reader of stdout has gone)      3  the panel or a tracker failed
1  unexpected, or the disk failed                                4  the item is locked or corrupt
2  usage: a wrong option, item, step, file or setting            130  interrupted
"""

from __future__ import annotations

import os
import traceback
from importlib import import_module

import click

from ...core import errors
from ...core.errors import RoundtableError
from .options import COMPLETION_VARIABLE, Group
from .output import ReaderGone, prepare, tell

DONE, UNEXPECTED, USAGE = 0, 1, 2
STATUSES: dict[type[RoundtableError], int] = {
    errors.RuleBroken: USAGE,
    errors.ItemUnknown: USAGE,
    errors.ContentBroken: USAGE,
    errors.PanelFailed: 3,
    errors.TrackerFailed: 3,
    errors.ItemLocked: 4,
    errors.ItemCorrupt: 4,
    errors.DiskFailed: UNEXPECTED,
}
_COMMANDS = {
    "add": "items.add",
    "analyze": "analyze.analyze",
    "elaborate": "analyze.elaborate",
    "discuss": "analyze.discuss",
    "list": "items.list_backlog",
    "status": "items.status",
    "show": "items.show",
    "questions": "documents.questions",
    "handoff": "documents.handoff",
    "check": "documents.check",
    "why": "documents.why",
    "undo": "documents.undo",
    "rename": "items.rename",
    "remove": "items.remove",
    "personas": "content.personas",
    "steps": "content.steps",
    "models": "content.models",
    "doctor": "content.doctor",
    "serve": "serve.serve",
    "mcp": "agents.mcp",
    "export": "agents.export",
    "completion": "options.completion",
}
"""Where each command is; a module is imported when its command is called, so that no other one waits."""


class Program(Group):
    """All commands, in the order of the help."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands and cmd_name in _COMMANDS:
            module, name = _COMMANDS[cmd_name].split(".")
            self.commands[cmd_name] = getattr(import_module(f".{module}", __package__), name)
        return super().get_command(ctx, cmd_name)


@click.group(
    cls=Program,
    uses=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="""Documents are written to docs/requirements/ITEM in the project. Everything is saved as you go;
    if you are interrupted, the same command continues where it stopped.

    \b
    The first three commands:
      roundtable add "Offline mode for the mobile app"
      roundtable analyze       answer Maya's questions; [E] brings all three to the table
      roundtable status        what is done, and what comes next
    """,
)
def cli() -> None:
    """Think a backlog item through with three colleagues before anything is built."""


def run(arguments: list[str]) -> int:
    """Run a command and return its exit status; only an interrupt is raised."""
    try:
        prepare()
        if os.environ.get(COMPLETION_VARIABLE):  # a shell asks for completions
            cli.main(arguments, "roundtable")
        with cli.make_context("roundtable", list(arguments)) as context:
            result = cli.invoke(context)
            return result if isinstance(result, int) else DONE
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except (ReaderGone, BrokenPipeError):  # the second is from Click's own output
        return DONE
    except click.ClickException as error:
        used = error.ctx if isinstance(error, click.UsageError) else None
        usage = f"\n{used.get_usage()}\nMore with: {used.command_path} --help" if used is not None else ""
        tell(f"{error.format_message()}{usage}")
        return USAGE
    except Exception as error:
        from ...panel.model.model import hide  # late: what goes well has nothing to hide

        if "--debug" in arguments:
            tell(hide(traceback.format_exc()))
        if isinstance(error, RoundtableError):
            tell(str(error))
        else:
            reason = " ".join(hide(str(error)).split())[:300]
            what = type(error).__name__ + (f": {reason}" if reason else "")
            hint = "" if "--debug" in arguments else " Run the same command with --debug to see where."
            tell(f"Something unexpected happened ({what}). What was shown before it is saved.{hint}")
        return next((status for kind, status in STATUSES.items() if isinstance(error, kind)), UNEXPECTED)
