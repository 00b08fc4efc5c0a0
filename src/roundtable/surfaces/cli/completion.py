"""Shell completion: the script for a shell, and what can be completed besides commands and options."""

from __future__ import annotations

import re
from contextlib import suppress

import click

from ...core.errors import RoundtableError
from .flags import Command, Flags
from .output import put_text

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
