"""The first visit: the window that asks for the first item, and what is remembered between sessions."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ... import content
from ...core.errors import ItemUnknown
from ...settings import user_file
from ..cli.conversation import run
from ..cli.output import command
from .input_area import InputArea
from .page import LineFormatter
from .renderer import Renderer, has_signs

if TYPE_CHECKING:
    from ...project import Project
    from ...store.items import ItemEntry


_WELCOME = """Welcome. There is no item here yet: a feature, a change or a bug to think through.

For each one Roundtable makes a folder in {home}
  draft.md      what it is about, in your words
  *.md          what you work out, one document at a time
  meta.json     what is done
and touches nothing else. Leave whenever you like: everything is saved as you go."""


def first_item(project: Project) -> ItemEntry:
    """Add the user's first item, or the example, and return it; raise ItemUnknown for neither."""
    added: ItemEntry | None = None
    signs = has_signs(getattr(sys.stdout, "encoding", None), os.environ)
    area = InputArea(
        bottom=lambda width: "Ctrl-D leaves"[:width],
        history=Memory(os.environ).history_file(),
        prompt="› " if signs else "> ",
    )
    formatter = LineFormatter(Renderer(lambda: area.size.columns, signs=signs), None)

    def say(text: str) -> None:
        area.write(formatter.format_aside(text))

    async def ask() -> None:
        nonlocal added
        task = asyncio.current_task()

        def stop() -> None:
            if not area.clear() and task is not None:
                task.cancel()

        area.on_stop, area.on_leave = stop, area.end_input
        title, text = _read_example()
        async with area.open():
            say(_WELCOME.format(home=(project.root / project.items_folder).absolute()))
            say(f"Say in a line what yours is about, or press Enter to try the example: {title}.")
            while (words := await area.ask()) is not None:
                if project.names_issue(words):
                    say(f"That names an issue. Bring it in with: {command('add', words.strip())}")
                    continue
                added = project.add_item(words) if words.strip() else project.add_item(text, title=title)
                say(f"Added {added.slug}.")
                area.write("\n")
                return

    run(ask(), lambda: None, "roundtable analyze")
    if added is None:
        raise ItemUnknown("Nothing was added.")
    return added


def _read_example() -> tuple[str, str]:
    """Return title and text of the bundled item."""
    example = Path(content.__file__).parent / "example"
    draft = next(example.rglob("draft.md")).read_text(encoding="utf-8")
    title, _, text = draft.removeprefix("# ").partition("\n")
    return title, text.strip()


class Memory:
    """What is remembered beside the user's settings; where nothing can be written, everything is new."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        settings = user_file(environment)
        self._folder = settings.parent if settings is not None else None
        if self._folder is not None:
            with suppress(OSError):
                self._folder.mkdir(parents=True, exist_ok=True)

    def is_first_menu(self) -> bool:
        """Whether this is asked for the first time."""
        try:
            if self._folder is not None:
                (self._folder / "seen").touch(exist_ok=False)
        except OSError as error:
            return not isinstance(error, FileExistsError)
        return True

    def history_file(self) -> Path | None:
        """Return the file of what was typed before, readable by nobody else; None where there can be none."""
        if self._folder is None:
            return None
        file = self._folder / "history"
        try:
            file.touch(mode=0o600)
        except OSError:
            return None
        return file
