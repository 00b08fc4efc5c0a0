"""The surveyor: looks at the project's code once for an item, and only when a step asks for it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .core.items import Item

if TYPE_CHECKING:
    from .survey import Survey

_REPORTED = frozenset({"00-02", "00-03", "02-01", "02-02"})


class Surveyor:
    """What the project's files say about an item, for the steps that rest on it."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._root = root
        self._own = (".roundtable", _below(root, folder.parent))
        self._seen: dict[str, Survey] = {}

    def offer(self, item: Item, step_id: str, label: str) -> str | None:
        """The draft answer to a question of a step, where the code suggests one."""
        from .survey import offer

        return offer(self._survey(item), step_id, label)

    def report(self, item: Item, step_id: str) -> str | None:
        """What was found, as the step's section shows it; none for steps that do not rest on it."""
        if step_id not in _REPORTED:
            return None
        from .survey import report

        return report(self._survey(item), step_id)

    def _survey(self, item: Item) -> Survey:
        if item.slug not in self._seen:
            from .survey import survey

            self._seen[item.slug] = survey(self._root, item, leave_out=self._own)
        return self._seen[item.slug]


def _below(root: Path, folder: Path) -> str:
    """The folder of the items as the project names it; what we wrote ourselves is no evidence."""
    try:
        return folder.resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        return folder.name
