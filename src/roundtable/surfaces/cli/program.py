"""The program: all commands, the options that each takes, and the exit status of each kind of error.

0  done or paused (also when the reader of stdout has gone)      3  the panel or a tracker failed
1  unexpected, or the disk failed                                4  the item is locked or corrupt
2  usage: a wrong option, item, step, file or setting            130  interrupted
"""

from __future__ import annotations

import os
import shlex
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

import click
from msgspec import Struct

from ... import __version__
from ...core import errors
from ...core.text import clean_text
from .output import diff_colours, is_at_screen, one_line, open_pager, put_json, put_text, tell

if TYPE_CHECKING:
    from ...project import Project
    from ...settings import Settings
    from ...store.items import ItemEntry

DONE, UNEXPECTED, USAGE = 0, 1, 2
STATUSES: dict[type[Exception], int] = {
    **dict.fromkeys((errors.RuleBroken, errors.ItemUnknown, errors.ContentBroken), USAGE),
    **dict.fromkeys((errors.PanelFailed, errors.TrackerFailed), 3),
    **dict.fromkeys((errors.ItemLocked, errors.ItemCorrupt), 4),
    errors.DiskFailed: UNEXPECTED,
}
_TALKS = ("analyze", "elaborate", "discuss")
_COMMANDS = (
    ("items", ("add", "list", "status", "show", "rename", "remove")),
    ("analyze", _TALKS),
    ("items", ("questions", "handoff", "check", "why", "undo")),
    ("content", ("personas", "steps", "models", "doctor")),
    ("servers", ("serve", "mcp", "export")),
)
"""The module of each command, imported only when the command is called, so that no other one waits."""

ask_user: Callable[..., Any] = partial(click.prompt, default="", show_default=False, err=True)
"""Ask at the terminal; Enter alone is an empty answer, Ctrl-C and Ctrl-D interrupt."""

# The shared options that a command uses, so that its help shows them.
MODEL_OPTIONS = ("panel", "model", "base_url")
TALK_OPTIONS = ("json", "plain", "answers", *MODEL_OPTIONS)
_SHARED_OPTIONS: dict[str, dict[str, Any]] = {
    "--root": {"help": "The project's folder; default: this one or the nearest above.", "metavar": "DIR"},
    "--json": {"help": "Write JSON on stdout, for programs.", "is_flag": True},
    "--plain": {"help": "Write plain lines without colours.", "is_flag": True},
    "--answers": {"help": "Read messages from a file, one per line; - is stdin.", "metavar": "FILE"},
    "--panel": {"help": "Who gives the personas their words.", "type": click.Choice(("offline", "model"))},
    "--model": {"help": "The model that speaks, such as ollama:llama3.2.", "metavar": "NAME"},
    "--base-url": {"help": "An OpenAI-compatible server that has the model.", "metavar": "URL"},
    "--debug": {"help": "Show the traceback of an unexpected error.", "is_flag": True},
    "--version": {"help": "Show the version.", "is_flag": True, "is_eager": True},
}


def confirm(question: str) -> bool:
    """Ask at the terminal; anything but yes is no."""
    return ask_user(f"{clean_text(question)} y/N").strip().lower() in ("y", "yes")


class Flags(Struct):
    """What was given on the command line; if an option is given twice, the last one counts."""

    root: str | None = None
    json: bool = False
    plain: bool = False
    answers: str | None = None
    panel: str | None = None
    model: str | None = None
    base_url: str | None = None
    debug: bool = False

    def settings(self) -> Settings:
        """Return the settings in force; warnings about them go to stderr."""
        from ...settings import load_settings

        settings, warnings = load_settings(self.root, self.panel, model=self.model, base_url=self.base_url)
        for warning in warnings:
            tell(warning)
        return settings

    def open_project(self, settings: Settings | None = None) -> Project:
        """Return the project that the settings name; the commands it advises repeat the options given."""
        from ...project import Project

        def command(*words: str) -> str:
            given = {"--root": clean_text(self.root or "")}
            if words[0] in _TALKS and (self.panel or self.model or self.base_url):
                from ...panel.model.panel import hide  # late; the words of a `command:` may hold a key

                speakers = {"--panel": self.panel, "--model": self.model, "--base-url": self.base_url}
                given |= {option: hide(value or "") for option, value in speakers.items()}
            options = (part for option in given.items() if option[1] for part in option)
            return shlex.join(("roundtable", *map(one_line, words), *options))

        settings = settings or self.settings()
        return Project(settings.root, items_folder=settings.items_folder, command=command)

    def find_item(self, name: str | None) -> tuple[Project, ItemEntry]:
        """Return the project, and the item of this name; without a name, the one that is open."""
        project = self.open_project()
        return project, self._find_open_item(project) if name is None else project.find_item(name)

    def split_item(
        self, words: tuple[str, ...], *, least: int = 0
    ) -> tuple[Project, ItemEntry, tuple[str, ...]]:
        """Return the project, the item that the first word names, and the words after it.

        If it names none, or there are at most `least` words, return the open item and all words.
        """
        project = self.open_project()
        if len(words) > least:
            with suppress(errors.ItemUnknown):
                return project, project.find_item(words[0]), words[1:]
        return project, self._find_open_item(project), words

    def _find_open_item(self, project: Project) -> ItemEntry:
        entry = project.find_open_item()
        if not self.json and len(project.items()) > 1:
            tell(f"Item: {entry.slug}")
        return entry

    def can_ask(self) -> bool:
        """Whether somebody is at the terminal to answer, and chose neither JSON nor prepared answers."""
        is_at_terminal = all(stream and stream.isatty() for stream in (sys.stdin, sys.stderr))
        return is_at_terminal and not self.json and not self.answers

    def require_yes(self, yes: bool, what: str, nothing: str) -> None:
        """Ask at a terminal whether to do `what`; without a yes, raise RuleBroken with `nothing`."""
        if not yes and not self.can_ask():
            raise errors.RuleBroken(f"{what} {nothing} Give --yes to do it.")
        if not yes and not confirm(f"{what} Go on?"):
            raise errors.RuleBroken(nothing)

    def show_result(self, data: object, text: str, *, pages: bool = False) -> None:
        """Write the data if JSON was asked for, else the text; one that `pages` may open a pager."""
        if self.json:
            put_json(data)
        elif pages and not self.plain and is_at_screen():
            colours, lines = diff_colours(text), clean_text(text).split("\n")
            styled = (click.style(line, colours[line[0]]) if line[:1] in colours else line for line in lines)
            open_pager("\n".join(styled))
        else:
            put_text(text)


class Command(click.Command):
    """A command that also takes the shared options; its help lists those that it `uses`, or all for None."""

    def __init__(self, *given: Any, uses: tuple[str, ...] | None = ("json",), **more: Any) -> None:
        super().__init__(*given, **more)
        for option, details in _SHARED_OPTIONS.items():
            made = click.Option((option,), expose_value=False, callback=_keep_value, **details)
            made.hidden = uses is not None and made.name not in uses
            self.params.append(made)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_help_text(ctx, formatter)
        _write_details(self.name or "", formatter)


def _write_details(name: str, formatter: click.HelpFormatter) -> None:
    """Write the details that content/terminal.toml has on a command."""
    from ...content import read_tables  # late: only the help needs it

    if details := read_tables("terminal.toml")["help"].get(name):
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(details)


def _keep_value(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    flags = ctx.ensure_object(Flags)
    if value and param.name == "version":
        put_text(f"roundtable {__version__}")
        ctx.exit()
    elif value and param.name in Flags.__struct_fields__:
        setattr(flags, param.name, value)


def command(
    name: str | None = None, *, item: Literal["needed", "optional", ""] = "", **more: Any
) -> Callable[[Callable[..., Any]], Command]:
    """Make a command from a function that takes the flags and, with `item`, the name of an item."""

    def make(function: Callable[..., Any]) -> Command:
        if item:
            required = item == "needed"
            function = click.argument("item", required=required, shell_complete=complete_item)(function)
        return click.command(name, cls=Command, **more)(click.pass_obj(function))

    return make


def complete_item(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the items whose names begin with `incomplete` and need no quotes in a shell."""
    from ...settings import load_settings

    flags = ctx.find_root().ensure_object(Flags)
    with suppress(errors.RoundtableError):
        slugs = [entry.slug for entry in flags.open_project(load_settings(flags.root)[0]).items()]
        return [slug for slug in slugs if slug.startswith(incomplete) and slug == shlex.quote(slug)]
    return []


class Program(Command, click.Group):
    """All commands, in the order of the help."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_commands(ctx, formatter)
        click.Command.format_options(self, ctx, formatter)

    def format_epilog(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _write_details("roundtable", formatter)

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return [name for _, names in _COMMANDS for name in names]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        cmd_name = "check" if cmd_name == "validate" else cmd_name  # its old name
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
)
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Think a backlog item through with three colleagues before anything is built."""
    if ctx.invoked_subcommand is None:
        put_text(ctx.get_help())


def run(arguments: list[str]) -> int:
    """Run a command and return its exit status; only an interrupt is raised."""
    try:
        # Whatever the locale, they take every character.
        streams = {sys.stdin: "replace", sys.stdout: "backslashreplace", sys.stderr: "backslashreplace"}
        for stream, on_error in streams.items():
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors=on_error)
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
        from ...panel.model.panel import hide  # late: only errors need it

        is_debugging = "--debug" in arguments
        if is_debugging:
            tell(hide(traceback.format_exc()))
        if isinstance(error, errors.RoundtableError):
            tell(str(error))
        else:
            what = " ".join(hide(f"{type(error).__name__}: {error}").split())[:300].removesuffix(":")
            hint = "" if is_debugging else " Run the same command with --debug to see where."
            tell(f"Something unexpected happened ({what}). What was shown before it is saved.{hint}")
        return next((status for kind, status in STATUSES.items() if isinstance(error, kind)), UNEXPECTED)
