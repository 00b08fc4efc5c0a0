"""Memory: what is remembered about the user between sessions, beside the user's settings; never needed."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from ...settings import user_file

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
