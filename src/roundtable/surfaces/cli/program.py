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
from .options import Command
from .output import prepare, put_text, tell

DONE, UNEXPECTED, USAGE = 0, 1, 2
STATUSES: dict[type[Exception], int] = {
    **dict.fromkeys((errors.RuleBroken, errors.ItemUnknown, errors.ContentBroken), USAGE),
    **dict.fromkeys((errors.PanelFailed, errors.TrackerFailed), 3),
    **dict.fromkeys((errors.ItemLocked, errors.ItemCorrupt), 4),
    errors.DiskFailed: UNEXPECTED,
}
_COMMANDS = (
    ("items", ("add", "list", "status", "show", "rename", "remove")),
    ("analyze", ("analyze", "elaborate", "discuss")),
    ("items", ("questions", "handoff", "check", "why", "undo")),
    ("content", ("personas", "steps", "models", "doctor")),
    ("servers", ("serve", "mcp", "export")),
)
"""The module of each command; it is imported when its command is called, so that no other one waits."""


class Program(Command, click.Group):
    """All commands, in the order of the help."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_commands(ctx, formatter)
        click.Command.format_options(self, ctx, formatter)

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return [name for _, names in _COMMANDS for name in names]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = next((module for module, names in _COMMANDS if cmd_name in names), None)
        if module is not None and cmd_name not in self.commands:
            for each in vars(import_module(f".{module}", __package__)).values():
                if isinstance(each, Command) and each.name == cmd_name:
                    self.add_command(each)
        return super().get_command(ctx, cmd_name)


@click.group(
    cls=Program,
    uses=None,
    invoke_without_command=True,
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
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Think a backlog item through with three colleagues before anything is built."""
    if ctx.invoked_subcommand is None:
        put_text(ctx.get_help())


def run(arguments: list[str]) -> int:
    """Run a command and return its exit status; only an interrupt is raised."""
    try:
        prepare()
        if os.environ.get("_ROUNDTABLE_COMPLETE"):  # a shell asks what may come next
            cli.main(arguments, "roundtable")
        with cli.make_context("roundtable", list(arguments)) as context:
            result = cli.invoke(context)
            return result if isinstance(result, int) else DONE
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.Abort:  # Ctrl-C or Ctrl-D at a question
        raise KeyboardInterrupt from None
    except BrokenPipeError:  # the reader of stdout has gone, as `head` does
        return DONE
    except click.ClickException as error:
        used = error.ctx if isinstance(error, click.UsageError) else None
        usage = f"\n{used.get_usage()}\nMore with: {used.command_path} --help" if used is not None else ""
        tell(f"{error.format_message()}{usage}")
        return USAGE
    except Exception as error:
        from ...panel.model.panel import hide  # late: what goes well has nothing to hide

        is_debugging = "--debug" in arguments
        if is_debugging:
            tell(hide(traceback.format_exc()))
        if isinstance(error, RoundtableError):
            tell(str(error))
        else:
            what = " ".join(hide(f"{type(error).__name__}: {error}").split())[:300].removesuffix(":")
            hint = "" if is_debugging else " Run the same command with --debug to see where."
            tell(f"Something unexpected happened ({what}). What was shown before it is saved.{hint}")
        return next((status for kind, status in STATUSES.items() if isinstance(error, kind)), UNEXPECTED)
