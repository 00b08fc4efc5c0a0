"""Flags: the options that every command takes, before or after its name."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from ...core.errors import RoundtableError
from ...version import __version__
from .output import put, put_text, tell

if TYPE_CHECKING:
    from ...settings import Settings


_PANELS = ("offline", "model")


@dataclass(slots=True)
class Flags:
    """What was given on the command line; of an option given twice the last counts."""

    root: str | None = None
    json: bool = False
    plain: bool = False
    answers: str | None = None
    panel: str | None = None
    model: str | None = None
    base_url: str | None = None
    debug: bool = False

    def settings(self) -> Settings:
        """The settings in force; warnings about them go to stderr."""
        from ...settings import load_settings

        settings, warnings = load_settings(self.root, self.panel, model=self.model, base_url=self.base_url)
        for warning in warnings:
            tell(warning)
        return settings


class Command(click.Command):
    """A command that takes the flags too."""

    def __init__(self, name: str | None, **more: Any) -> None:
        super().__init__(name, **more)
        self.params.extend(_everywhere())

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _write_options(self, ctx, formatter)


class Group(click.Group):
    """A group of commands that takes the flags too, and shows its help where no command is named."""

    command_class = Command
    group_class = type

    def __init__(self, name: str | None = None, **more: Any) -> None:
        super().__init__(name, invoke_without_command=True, **more)
        self.params.extend(_everywhere())

    def invoke(self, ctx: click.Context) -> Any:
        if not ctx._protected_args and not ctx.args:
            put_text(ctx.get_help())
            return None
        return super().invoke(ctx)

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(self.commands)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_commands(ctx, formatter)
        _write_options(self, ctx, formatter)


class _Everywhere(click.Option):
    """An option that every command takes."""


def _everywhere() -> list[click.Parameter]:
    def option(*names: str, help: str, **more: Any) -> click.Option:  # noqa: A002
        return _Everywhere(names, help=help, expose_value=False, callback=_note, **more)

    return [
        option("--root", metavar="DIR", help="The project's folder; default: here."),
        option("--json", is_flag=True, help="Write JSON on stdout, for programs."),
        option("--plain", is_flag=True, help="Write plain lines, no colours."),
        option("--answers", metavar="FILE", help="Take messages from a file, one a line; - is stdin."),
        option("--panel", type=click.Choice(_PANELS), help="Who gives the personas words."),
        option("--model", metavar="NAME", help="The model that speaks, such as ollama:llama3.2."),
        option("--base-url", metavar="URL", help="An OpenAI-compatible server that has the model."),
        option("--debug", is_flag=True, help="Show the traceback of an unexpected error."),
        _Everywhere(
            ("--version",),
            is_flag=True,
            expose_value=False,
            is_eager=True,
            callback=_show_version,
            help="Show the version.",
        ),
    ]


def _note(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    flags = ctx.ensure_object(Flags)
    if value and param.name:
        setattr(flags, param.name, value)


def _show_version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        put(f"roundtable {__version__}\n")
        ctx.exit()


def _write_options(command: click.Command, ctx: click.Context, formatter: click.HelpFormatter) -> None:
    """The command's own options first, then those of every command."""
    records: dict[str, list[tuple[str, str]]] = {"Options": [], "Everywhere": []}
    for param in command.get_params(ctx):
        record = param.get_help_record(ctx)
        if record is not None and not isinstance(param, click.Argument):
            shared = isinstance(param, _Everywhere) or "--help" in param.opts
            records["Everywhere" if shared else "Options"].append(record)
    for head, rows in records.items():
        if rows:
            with formatter.section(head):
                formatter.write_dl(rows)


SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_ROUNDTABLE_COMPLETE"
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.-]*")


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the completion script for SHELL.

    \b
    bash:  eval "$(roundtable completion bash)"            in ~/.bashrc
    zsh:   eval "$(roundtable completion zsh)"             in ~/.zshrc
    fish:  roundtable completion fish | source             in ~/.config/fish/config.fish
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    program = context.find_root().command
    # `source()` would start a bash to ask for its version, and there may be none here.
    maker = kind(program, {}, "roundtable", VARIABLE)
    put_text(maker.source_template % maker.source_vars())


def complete_item(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """The items whose names begin like that, as far as a shell takes the name for nothing but a word."""
    from ...settings import load_settings
    from ...store.items import list_items

    flags = context.find_root().ensure_object(Flags)
    with suppress(RoundtableError):
        settings, _ = load_settings(flags.root)
        entries = list_items(settings.root, items_folder=settings.items_folder)
        names = [entry.slug for entry in entries if _PLAIN_NAME.fullmatch(entry.slug)]
        return [name for name in names if name.startswith(incomplete)]
    return []
