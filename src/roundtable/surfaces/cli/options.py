"""Options that every command takes, before or after its name, and completion in a shell."""

from __future__ import annotations

import re
import shlex
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from ... import __version__
from ...core.errors import ItemUnknown, RoundtableError, RuleBroken
from ...core.text import clean_text
from .output import one_line, put, put_json, put_text, tell

if TYPE_CHECKING:
    from ...project import Project
    from ...settings import Settings
    from ...store.items import ItemEntry

COMPLETION_VARIABLE = "_ROUNDTABLE_COMPLETE"
MODEL_OPTIONS = ("panel", "model", "base_url")
TALK_OPTIONS = ("json", "plain", "answers", *MODEL_OPTIONS)
"""The shared options that a command uses, so that its help shows them."""
_PANELS = ("offline", "model")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.-]*")


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
        """Return the project that the settings name; the commands it advises lead to it from here."""
        from ...project import Project

        def command(*words: str) -> str:
            root = ("--root", clean_text(self.root)) if self.root else ()
            return shlex.join(("roundtable", *map(one_line, words), *root))

        settings = settings or self.settings()
        return Project(settings.root, items_folder=settings.items_folder, command=command)

    def find_item(self, name: str | None) -> tuple[Project, ItemEntry]:
        """Return the project, and the item that answers to a name; without a name, the one that is open."""
        project = self.open_project()
        return project, self._choose_open(project) if name is None else project.find_item(name)

    def split_item(
        self, words: tuple[str, ...], *, least: int = 0
    ) -> tuple[Project, ItemEntry, tuple[str, ...]]:
        """Return the project, the item that the first word names, and the words after it.

        Where it names none, or not more than `least` words are there, it is the item that is open.
        """
        project = self.open_project()
        if len(words) > least:
            with suppress(ItemUnknown):
                return project, project.find_item(words[0]), words[1:]
        return project, self._choose_open(project), words

    def _choose_open(self, project: Project) -> ItemEntry:
        """Return the item that is open, and say which one it is if there are others."""
        entry = project.find_open_item()
        if not self.json and len(project.items()) > 1:
            tell(f"Item: {entry.slug}")
        return entry

    def can_ask(self) -> bool:
        """Whether somebody is there to answer a question, and did not ask for JSON or give the answers."""
        is_at_terminal = all(stream and stream.isatty() for stream in (sys.stdin, sys.stderr))
        return is_at_terminal and not self.json and not self.answers

    def require_yes(self, yes: bool, what: str, nothing: str) -> None:
        """Ask at a terminal whether to do what `what` says; RuleBroken with `nothing` without a yes."""
        between = "\n" if "\n" in what else " "
        if not yes and not self.can_ask():
            raise RuleBroken(f"{what}{between}{nothing} Give --yes to do it.")
        if not yes and not confirm(f"{what}{between}Go on?"):
            raise RuleBroken(nothing)

    def show_result(self, data: object, text: str) -> None:
        """Write a result to stdout: the data if JSON was asked for, else the text for a person."""
        if self.json:
            put_json(data)
        else:
            put_text(text)


def confirm(question: str) -> bool:
    """Ask at the terminal; anything but yes is no, and Ctrl-C and Ctrl-D interrupt."""
    try:
        answer: str = click.prompt(f"{question} y/N", default="", show_default=False, err=True)
    except click.Abort:
        raise KeyboardInterrupt from None
    return answer.strip().lower() in ("y", "yes")


class Command(click.Command):
    """A command that takes the options of every command too; its help lists those that it `uses`, or all."""

    def __init__(
        self, name: str | None = None, *, uses: tuple[str, ...] | None = ("json",), **more: Any
    ) -> None:
        super().__init__(name, **more)
        for option in _shared_options():
            option.hidden = uses is not None and option.name not in uses
            self.params.append(option)


class Group(Command, click.Group):
    """A group of such commands; if none is named it is `list`, and for the whole program the help."""

    command_class = Command
    group_class = type

    def __init__(self, name: str | None = None, **more: Any) -> None:
        super().__init__(name, invoke_without_command=True, **({"uses": ()} | more))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_commands(ctx, formatter)
        click.Command.format_options(self, ctx, formatter)

    def invoke(self, ctx: click.Context) -> Any:
        if ctx._protected_args or ctx.args:
            return super().invoke(ctx)
        if ctx.parent is not None and "list" in self.commands:
            return ctx.invoke(self.commands["list"])
        return put_text(ctx.get_help())

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(self.commands)


def _shared_options() -> list[click.Option]:
    def option(name: str, help: str, **more: Any) -> click.Option:  # noqa: A002
        return click.Option((name,), help=help, expose_value=False, **{"callback": _keep_value, **more})

    return [
        option("--root", "The project's folder; default: this one or the nearest above.", metavar="DIR"),
        option("--json", "Write JSON on stdout, for programs.", is_flag=True),
        option("--plain", "Write plain lines without colours.", is_flag=True),
        option("--answers", "Read messages from a file, one per line; - is stdin.", metavar="FILE"),
        option("--panel", "Who gives the personas their words.", type=click.Choice(_PANELS)),
        option("--model", "The model that speaks, such as ollama:llama3.2.", metavar="NAME"),
        option("--base-url", "An OpenAI-compatible server that has the model.", metavar="URL"),
        option("--debug", "Show the traceback of an unexpected error.", is_flag=True),
        option("--version", "Show the version.", is_flag=True, is_eager=True, callback=_show_version),
    ]


def _keep_value(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    flags = ctx.ensure_object(Flags)
    if value and param.name:
        setattr(flags, param.name, value)


def _show_version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        put(f"roundtable {__version__}\n")
        ctx.exit()


@click.command(cls=Command, uses=())
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
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
    # `source()` would start a bash to ask for its version, and there may be none here.
    maker = kind(context.find_root().command, {}, "roundtable", COMPLETION_VARIABLE)
    put_text(maker.source_template % maker.source_vars())


def complete_item(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the items whose names begin like that and need no quoting in a shell."""
    from ...settings import load_settings

    flags = context.find_root().ensure_object(Flags)
    with suppress(RoundtableError):
        slugs = [entry.slug for entry in flags.open_project(load_settings(flags.root)[0]).items()]
        return [slug for slug in slugs if slug.startswith(incomplete) and _PLAIN_NAME.fullmatch(slug)]
    return []
