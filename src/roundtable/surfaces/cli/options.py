"""Options that every command takes, before or after its name, and completion in a shell."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

import click
from msgspec import Struct

from ... import __version__
from ...core.errors import ItemUnknown, RoundtableError, RuleBroken
from ...core.text import clean_text
from .output import one_line, put_json, put_text, tell

if TYPE_CHECKING:
    from ...project import Project
    from ...settings import Settings
    from ...store.items import ItemEntry

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
        return project, project.find_open_item() if name is None else project.find_item(name)

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
        return project, project.find_open_item(), words

    def can_ask(self) -> bool:
        """Whether somebody is there to answer a question, and did not ask for JSON or give the answers."""
        is_at_terminal = all(stream and stream.isatty() for stream in (sys.stdin, sys.stderr))
        return is_at_terminal and not self.json and not self.answers

    def require_yes(self, yes: bool, what: str, nothing: str) -> None:
        """Ask at a terminal whether to do what `what` says; RuleBroken with `nothing` without a yes."""
        if not yes and not self.can_ask():
            raise RuleBroken(f"{what} {nothing} Give --yes to do it.")
        if not yes and not click.confirm(clean_text(f"{what} Go on?"), err=True):
            raise RuleBroken(nothing)

    def show_result(self, data: object, text: str) -> None:
        """Write a result to stdout: the data if JSON was asked for, else the text for a person."""
        if self.json:
            put_json(data)
        else:
            put_text(text)


class Command(click.Command):
    """A command that takes the options of every command too; its help lists those that it `uses`, or all."""

    def __init__(
        self, name: str | None = None, *, uses: tuple[str, ...] | None = ("json",), **more: Any
    ) -> None:
        super().__init__(name, **more)
        for option, details in _SHARED_OPTIONS.items():
            made = click.Option((option,), expose_value=False, callback=_keep_value, **details)
            made.hidden = uses is not None and made.name not in uses
            self.params.append(made)


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
    """Make a command of a function, which is given the flags and, if it takes one, the name of an item."""

    def make(function: Callable[..., Any]) -> Command:
        if item:
            required = item == "needed"
            function = click.argument("item", required=required, shell_complete=complete_item)(function)
        return click.command(name, cls=Command, **more)(click.pass_obj(function))

    return make


def complete_item(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the items whose names begin like that and need no quotation marks in a shell."""
    from ...settings import load_settings

    flags = ctx.find_root().ensure_object(Flags)
    with suppress(RoundtableError):
        slugs = [entry.slug for entry in flags.open_project(load_settings(flags.root)[0]).items()]
        return [slug for slug in slugs if slug.startswith(incomplete) and slug == shlex.quote(slug)]
    return []
