"""What panels see of the project's code: the survey and excerpts for an item, and what they ask to look up.

`Surveyor` reads the code for one item. `LookUpPanel` wraps another panel and shows it the code that it asks
for before it speaks, drafts or opens (TABLE-1).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from ..core import commands as do
from ..core import lazy_re as re
from ..core.errors import DiskFailed, ItemCorrupt, PanelFailed
from ..core.steps import Item
from ..core.synthesis import strip_mark
from ..core.turns import LookedUp, Material
from ..git import current_commit, has_code_moved
from ..panel.base import (
    MAX_PICKS,
    AskFiles,
    Look,
    LookUpsWanted,
    OnWords,
    Panel,
    PanelRequest,
    PanelWrapper,
    Picks,
    ignore_words,
)
from ..store import files
from ..store.background import RECORD_FOLDERS
from ..store.meta import read_excluded

if TYPE_CHECKING:
    from ..survey.report import Survey

MOST_LOOK_UPS = 3
"""How many times a speaker may look something up before one contribution."""
AtStep = do.AskReading | do.AskOffers | do.AskFollowUp | do.AskFeedback
_LINES = re.compile(r"(?P<path>[^\s:]+)(?::(?P<first>\d{1,6})(?:\s*-\s*(?P<last>\d{1,6}))?)?.*", re.DOTALL)
_CITED = re.compile(r"(?<![\w./-])[\w./-]++:\d++")
_PICKS = "picks.json"
_READ_LINES, _MOST_HITS, _LONGEST_LOOK = 60, 20, 120


class Surveyor:
    """What the project's files say about an item, for the steps that rest on it."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._root = root
        try:
            items = folder.parent.resolve().relative_to(root.resolve()).as_posix()
        except ValueError:
            items = folder.parent.name
        self._own = (".roundtable", items)  # what we wrote ourselves proves nothing
        self._folder = folder
        self._picks: Picks | None = None
        self._seen: dict[tuple[str, ...], Survey] = {}
        self._excerpts: dict[tuple[str, ...], tuple[Material, ...]] = {}

    async def ask_panel(self, item: Item, panel: Panel) -> None:
        """Let the panel pick the files that the item will change, once for its text and the code's commit.

        Where it fails or has no say, the survey's own order stands, and the next step asks again.
        """
        if self._read_picks(item) is not None:
            return
        self._picks = Picks()
        ask = await asyncio.to_thread(self._make_request, item)
        with suppress(PanelFailed, DiskFailed, ItemCorrupt, UnicodeEncodeError):
            if ask is not None and (picks := await panel.answer(ask)) is not None:
                self._picks = picks
                self._seen.clear()
                self._excerpts.clear()
                kept = msgspec.json.encode((item, current_commit(self._root) or "", picks))
                files.write(files.journal_folder(self._folder) / _PICKS, kept)

    def _make_request(self, item: Item) -> AskFiles | None:
        """Return the request that shows a panel what the survey found; None where that is nothing."""
        from ..survey.lookup import is_secret, list_folders

        found = [each for each in self.survey(item).radius if not is_secret(each.path)]
        near = [each.path for each in found]
        candidates: list[str] = []
        for each in found:
            lines = (f"  {line.number} {line.text}"[:_LONGEST_LOOK] for line in each.lines[:2])
            candidates += (each.path, *lines)
        folders = list_folders(self._root, near, excluded=read_excluded(self._folder), leave_out=self._own)
        item = replace(item, name=strip_mark(item.name))
        return AskFiles(item, folders, "\n".join(candidates)) if candidates else None

    def _read_picks(self, item: Item) -> Picks | None:
        """Return what was picked for the item as it reads and the code as it is; None where nothing was."""
        if self._picks is None:
            try:
                data = files.read_journal_file(self._folder, _PICKS)
                before, commit, picks = msgspec.json.decode(data, type=tuple[Item, str, Picks])
            except (FileNotFoundError, DiskFailed, ItemCorrupt, msgspec.MsgspecError, RecursionError):
                return None
            now = current_commit(self._root)
            if before != item or has_code_moved(self._root, commit, now, self._folder.parent):
                return None
            self._picks = Picks(picks.paths[:MAX_PICKS], picks.words)
        return self._picks

    def offer(self, item: Item, step_id: str, label: str) -> str | None:
        """Return the draft answer to a question of a step, if the code suggests one."""
        from ..survey.report import draft_answer

        return draft_answer(self.survey(item), step_id, label)

    def excerpts(self, item: Item, documents: Sequence[Material]) -> tuple[Material, ...]:
        """Return the pieces of code that fit the item, each under its `path:line`, and the nearest files."""
        from ..survey.lookup import find_excerpts, is_secret

        # Places that were written down since the last step lead to other code.
        cited = dict.fromkeys(place for each in documents for place in _CITED.findall(each.text))
        excluded = read_excluded(self._folder)
        key = (*excluded, "", *cited)
        if key not in self._excerpts:
            picks = self._read_picks(item) or Picks()
            text = "\n".join((item.name, item.own_text, *(f"`{word}`" for word in picks.words)))
            found = find_excerpts(
                self._root, text, [each.text for each in documents], excluded=excluded, leave_out=self._own,
                picked=picks.paths,
            )  # fmt: skip
            shown = [
                Material(f"{each.path}:{each.first} ({each.reason})", each.with_numbers) for each in found
            ]
            near = [
                f"{file.path}:{file.lines[0].number} {file.lines[0].text}"[:_LONGEST_LOOK]
                for file in self.survey(item).radius
                # Records that hold are on the table already.
                if not file.path.startswith(RECORD_FOLDERS) and not is_secret(file.path)
            ][:_MOST_HITS]
            if near:
                shown.append(Material("the files nearest to the item, one line of each", "\n".join(near)))
            self._excerpts[key] = tuple(shown)
        return self._excerpts[key]

    def look(self, look: Look) -> Material:
        """Return what a speaker asked to see: lines of a file, or the lines that hold the words."""
        from ..survey.lookup import read_lines, search_code

        name = f"{look.kind} {' '.join(look.what.split())[:_LONGEST_LOOK]}"
        if look.kind == "read":
            place = _LINES.fullmatch(look.what.strip().strip("`"))
            first = int(place["first"] or 1) if place else 1
            last = int(place["last"] or first + _READ_LINES - 1) if place else _READ_LINES
            shown = read_lines(self._root, place["path"] if place else look.what, first, last)
            if shown is None:
                return Material(name, "There is no such file to show.")
            return Material(name, shown.with_numbers)
        # Also in files that the user has ruled out: what the user said of them is on the table too.
        words = [word.strip("`\"',") for word in look.what.split()]
        hits = search_code(self._root, words, leave_out=self._own)
        lines = [f"{hit.path}:{hit.number} {hit.text.strip()}" for hit in hits[:_MOST_HITS]]
        return Material(name, "\n".join(lines) or "Nothing in the code holds these words.")

    def has_name(self, name: str) -> bool:
        """Whether a name stands in the code, also where it is written in capitals."""
        from ..survey.lookup import search_code

        return bool(search_code(self._root, (name, name.lower(), name.upper()), leave_out=self._own))

    def survey(self, item: Item) -> Survey:
        """Return what the project's files say about the item, with what a panel picked before all else."""
        struck = read_excluded(self._folder)
        if struck not in self._seen:
            from ..survey import survey

            picks = self._read_picks(item) or Picks()
            item = replace(item, name=strip_mark(item.name))
            self._seen[struck] = survey(
                self._root, item, leave_out=self._own, excluded=struck, picked=picks.paths, words=picks.words
            )
        return self._seen[struck]


class LookUpPanel(PanelWrapper):
    """Another panel, which is shown the code that it asks for, a few times before each answer."""

    def __init__(self, make: Callable[[], Panel], look: Callable[[Look], Material]) -> None:
        super().__init__(make)
        self._look = look
        self._seen: dict[int | str, tuple[Material, ...]] = {}
        """What was shown last for a turn, by its number, and for a step, by its id."""

    async def answer(self, request: PanelRequest, on_words: OnWords = ignore_words) -> Any:
        key: int | str
        match request:
            case do.AskPersona(brief) | do.AskFraming(brief):
                key = brief.number
                # A second try at the same turn has seen what the first one asked for.
                seen = self._seen.get(key, ()) if brief.again else ()
                left = MOST_LOOK_UPS - len(seen)
            case do.AskReading() | do.AskOffers() | do.AskFollowUp() | do.AskFeedback():
                # What was seen for a step stays on its table, from the hand-off on.
                key = request.brief.step.step_id
                seen = self._seen.get(key, ())
                left = MOST_LOOK_UPS
            case _:
                return await self._panel.answer(request, on_words)
        while True:
            try:
                said: Any = await self._panel.answer(_add_code(request, seen, left), on_words)
            except LookUpsWanted as wanted:
                looks = wanted.looks[:left]
                if not looks:
                    raise PanelFailed(
                        f"The {self.name} panel only asks to see code and says nothing."
                    ) from None
                left -= len(looks)
                found = [await asyncio.to_thread(self._look, look) for look in looks]
                seen += tuple(each for each in found if each not in seen)
                continue
            self._seen[key] = seen
            is_turn = isinstance(request, do.AskPersona | do.AskFraming)
            return replace(said, looked_up=seen) if is_turn and said is not None and seen else said


def _add_code(
    request: do.AskPersona | do.AskFraming | AtStep, seen: tuple[Material, ...], left: int
) -> PanelRequest:
    """Return the request with what was seen, and how much more may be asked for now.

    One look-up is kept back while there are several, so that what a search finds can still be read.
    """
    now = max(left - 1, min(left, 1))
    if not isinstance(request, do.AskPersona | do.AskFraming):
        can_ask = isinstance(request, do.AskReading | do.AskOffers)
        step = replace(request.brief, looked_up=seen, look_ups=now if can_ask else 0)
        return replace(request, brief=step)
    table = request.brief.table
    names = {each.name for each in table.looked_up}
    new = (LookedUp(each.name, each.text, len(table.turns)) for each in seen if each.name not in names)
    table = replace(table, looked_up=(*table.looked_up, *new))
    return replace(request, brief=replace(request.brief, table=table, look_ups=now))
