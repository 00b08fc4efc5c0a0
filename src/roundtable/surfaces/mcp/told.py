"""What a host has been told, so that nothing is sent to it twice."""

from __future__ import annotations

from ...core.turns import Turn


class Told:
    """Remembers what the host knows."""

    def __init__(self) -> None:
        self._known: set[object] = set()

    @property
    def nothing(self) -> bool:
        """True before anything was told."""
        return not self._known

    def first(self, what: object) -> bool:
        """True the first time."""
        new = what not in self._known
        self._known.add(what)
        return new

    def turn(self, turn: Turn) -> bool:
        """True the first time for that turn."""
        return self.first((turn.number, turn.text))
