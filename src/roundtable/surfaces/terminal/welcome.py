"""Memory: what is remembered about the user between sessions, beside the user's settings; never needed."""

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
from ...git import current_commit
from ...settings import user_file
from ...store.items import add_item
from ...trackers import parse_reference
from ..cli.conversation import run
from ..cli.output import command
from .input_area import Desk
from .page import Page
from .renderer import Press, has_signs

if TYPE_CHECKING:
    from ...settings import Settings


_SEEN, _HISTORY = "seen", "history"
_PRIVATE = 0o600


class Memory:
    """Where nothing can be written, everything is new each time."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        settings = user_file(environment)
        self._folder = settings.parent if settings is not None else None

    def first_time(self, what: str) -> bool:
        """True the first time that this is asked."""
        file = self._file(_SEEN)
        if file is None:
            return True
        try:
            seen = file.read_text(encoding="utf-8").split()
        except (OSError, UnicodeDecodeError):
            seen = []
        if what in seen:
            return False
        with suppress(OSError):
            file.write_text("".join(f"{each}\n" for each in [*seen, what]), encoding="utf-8")
        return True

    def history(self) -> Path | None:
        """The file of what was typed before, for nobody else to read; None where there can be none."""
        file = self._file(_HISTORY)
        if file is None:
            return None
        try:
            file.touch(mode=_PRIVATE)
        except OSError:
            return None
        return file

    def _file(self, name: str) -> Path | None:
        if self._folder is None:
            return None
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
        return self._folder / name


_WELCOME = """Welcome. There is no item here yet: a feature, a change or a bug to think through.

For each one Roundtable makes a folder in {home}
  draft.md      what it is about, in your words
  *.md          what you work out, one document at a time
  meta.json     what is done
and touches nothing else. Leave whenever you like: everything is saved as you go."""
_ASK = "Say in a line what yours is about, or press Enter to try the example: {example}."
_ISSUE = "That names an issue. Bring it in with: {command}"


def first_item(settings: Settings) -> Path:
    """The folder of the first item: the user's own, in a line, or the example's; ItemUnknown for neither."""
    welcome = _Welcome(settings)
    run(welcome.hold(), lambda: None, "roundtable analyze")
    if welcome.folder is None:
        raise ItemUnknown("Nothing was added.")
    return welcome.folder


class _Welcome:
    def __init__(self, settings: Settings) -> None:
        self.folder: Path | None = None
        self._settings = settings
        signs = has_signs(getattr(sys.stdout, "encoding", None), os.environ)
        memory = Memory(os.environ)
        self._desk = Desk(
            bottom=lambda width: "Ctrl-D leaves"[:width],
            history=memory.history(),
            prompt="› " if signs else "> ",
        )
        self._desk.on_leave = self._desk.leave
        self._page = Page(Press(lambda: self._desk.columns, signs=signs), None)

    async def hold(self) -> None:
        task = asyncio.current_task()

        def stop() -> None:
            if not self._desk.take_back() and task is not None:
                task.cancel()

        self._desk.on_stop = stop
        async with self._desk.shown():
            await self._add()

    async def _add(self) -> None:
        settings, (title, text) = self._settings, _example()
        home = (settings.root / settings.items_folder).absolute()
        self._say(_WELCOME.format(home=home))
        self._say(_ASK.format(example=title))
        while (words := await self._desk.ask()) is not None:
            if parse_reference(words) is not None:
                self._say(_ISSUE.format(command=command("add", words.strip())))
                continue
            self.folder = add_item(
                settings.root,
                words if words.strip() else text,
                title=None if words.strip() else title,
                items_folder=settings.items_folder,
                commit=current_commit(settings.root),
            )
            self._say(f"Added {self.folder.name}.")
            self._desk.write("\n")
            return

    def _say(self, text: str) -> None:
        self._desk.write(self._page.aside(text))


def _example() -> tuple[str, str]:
    """Title and text of the bundled item."""
    example = Path(content.__file__).parent / "example"
    draft = next(example.rglob("draft.md")).read_text(encoding="utf-8")
    title, _, text = draft.removeprefix("# ").partition("\n")
    return title, text.strip()
