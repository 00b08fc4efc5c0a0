"""What the project's code says about an item, for the steps that need it and for speakers who ask.

Its own imports take a while, so this module is imported late, to show the first line soon.
"""

import asyncio
import os
from collections.abc import Collection, Sequence
from pathlib import Path

from msgspec.structs import replace

from ..core import lazy_re as re
from ..core.commands import AskFiles
from ..core.errors import PanelFailed
from ..core.steps import Item
from ..core.synthesis import strip_mark
from ..core.turns import Material
from ..git import current_commit, has_code_moved
from ..panel.base import Look, Panel, Picks
from ..store import files
from ..store.background import RECORD_FOLDERS
from ..store.meta import read_excluded
from ..survey import Survey, draft_answer, lookup, survey
from ..survey.files import list_files, make_line_counter

_LINES = re.compile(r"(?P<path>[^\s:]+)(?::(?P<first>\d{1,6})(?:\s*-\s*(?P<last>\d{1,6}))?)?.*", re.DOTALL)
_PICKS = "picks.json"
_MAX_HITS = 20
_MAX_HIT_LENGTH = 120


class Surveyor:
    """Finds what the project's files say about an item."""

    def __init__(self, root: Path, folder: Path, not_picked: set[Item] | None = None) -> None:
        """`not_picked` are the items for which a panel failed to pick files; it is not asked again."""
        items = os.path.relpath(folder.parent.resolve(), root.resolve())
        self._own = (".roundtable", Path(items).as_posix())  # what we wrote ourselves proves nothing
        self._root, self._folder = root.absolute(), folder
        self._picks: Picks | None = None
        self._not_picked = set[Item]() if not_picked is None else not_picked
        self._surveys: dict[tuple[str, ...], Survey] = {}
        self._excerpts: dict[object, tuple[Material, ...]] = {}
        self.lines_of = make_line_counter(root, folder)

    def _list_files(self, excluded: Collection[str] = ()) -> tuple[str, ...]:
        return list_files(self._root, leave_out=self._own, excluded=excluded)

    async def ask_panel(self, item: Item, panel: Panel) -> None:
        """Let the panel pick the files that the item will change, once per item text and commit of the code.

        If it fails, the survey's own order counts, and a later run asks again.
        """
        if item in self._not_picked or self._read_picks(item) is not None:
            return
        found = await asyncio.to_thread(self._list_near, item, 2)
        paths = await asyncio.to_thread(self._list_files, read_excluded(self._folder))
        self._picks = Picks()
        try:
            ask = AskFiles(item, lookup.list_folders(paths), "\n".join(found))
            if found and (picks := await panel.answer(ask)):
                self._picks = picks
                self._surveys.clear()
                self._excerpts.clear()
                kept = files.encode_record((item, current_commit(self._root) or "", picks))
                files.write(files.journal_folder(self._folder) / _PICKS, kept)
        except PanelFailed:
            self._not_picked.add(item)

    def _read_picks(self, item: Item) -> Picks | None:
        if self._picks is None:
            for before, commit, picks in files.read_records(self._folder, _PICKS, tuple[Item, str, Picks]):
                now = current_commit(self._root)
                if before == item and not has_code_moved(self._root, commit, now, self._folder.parent):
                    self._picks = picks
        return self._picks

    def _add_picks(self, item: Item) -> tuple[Item, tuple[str, ...]]:
        """Return the item with a panel's words put before its text, and the paths that the panel picked."""
        picks = self._read_picks(item) or Picks()
        words = " ".join(f"`{word}`" for word in " ".join(picks.words).split())
        return replace(item, name=strip_mark(item.name), text=f"{words} {item.text}"), picks.paths

    def survey(self, item: Item) -> Survey:
        """Return what the project's files say about the item, with a panel's picks first."""
        excluded = read_excluded(self._folder)
        if excluded not in self._surveys:
            item, picked = self._add_picks(item)
            self._surveys[excluded] = survey(self._root, self._list_files(excluded), item, picked)
        return self._surveys[excluded]

    def offer(self, item: Item, step_id: str, label: str) -> str | None:
        """Return the draft answer to a question of a step, if the code suggests one."""
        return draft_answer(self.survey(item), step_id, label)

    def excerpts(self, item: Item, documents: Sequence[Material]) -> tuple[Material, ...]:
        """Return the pieces of code that fit the item, each under its `path:line`, and the nearest files."""
        excluded = read_excluded(self._folder)
        if (key := (item, tuple(documents), excluded)) in self._excerpts:  # finding them reads every file
            return self._excerpts[key]
        paths, cited = self._list_files(excluded), [each.text for each in documents]
        wanted, picked = self._add_picks(item)
        found = lookup.find_excerpts(self._root, paths, wanted, cited, excluded, picked)
        near = self._list_near(item, 1)
        nearest = Material("the files nearest to the item, one line of each", "\n".join(near[:_MAX_HITS]))
        shown = (Material(f"{each.path}:{each.first} ({each.reason})", each.with_numbers) for each in found)
        self._excerpts[key] = (*shown, nearest) if near else tuple(shown)
        return self._excerpts[key]

    def _list_near(self, item: Item, most: int) -> list[str]:
        """Return at most `most` lines of each file that the item may touch, each with its `path:line`."""
        # Decision records that are still in force are on the table already.
        found = (each for each in self.survey(item).radius if not each.path.startswith(RECORD_FOLDERS))
        lines = (line for each in found if not lookup.is_secret(each.path) for line in each.lines[:most])
        return [f"{line.path}:{line.number} {line.text}"[:_MAX_HIT_LENGTH] for line in lines]

    def look(self, look: Look) -> Material:
        """Return what a speaker asked to see: lines of a file, or the lines that hold the words."""
        name = f"{look.kind} {' '.join(look.what.split())[:_MAX_HIT_LENGTH]}"
        if look.kind == "read":
            shown = None
            if place := _LINES.fullmatch(look.what.strip().strip("`")):
                first = int(place["first"] or 1)
                shown = lookup.read_lines(self._root, place["path"], first, int(place["last"] or first + 59))
            return Material(name, shown.with_numbers if shown else "There is no such file to show.")
        # Files that the user ruled out are searched too: what the user said about them is on the table.
        words = [word.strip("`\"',") for word in look.what.split()]
        hits = lookup.search_code(self._root, self._list_files(), words)
        lines = [f"{hit.path}:{hit.number} {hit.text.strip()}" for hit in hits[:_MAX_HITS]]
        return Material(name, "\n".join(lines) or "Nothing in the code holds these words.")
