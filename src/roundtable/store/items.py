"""The items of a project: their folders, names and texts (rule ITEM-1)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

from msgspec import Struct

from ..core import lazy_re as re
from ..core.errors import DiskFailed, ItemCorrupt, ItemUnknown, RuleBroken
from ..core.steps import Item
from ..core.synthesis import UNVERIFIED, mark_unverified
from ..core.text import clean_text, parse_heading
from . import files
from .artifact import DRAFT, MAX_ARTIFACT_SIZE, decode_text, one_line
from .files import AGAIN, UNCHANGED, journal_home, leads_out_of_project, read_inside, require_in_project
from .lock import ItemLock
from .meta import change_meta, examine_meta, read_meta, write_meta

ITEMS_FOLDER = "docs/requirements"
MAX_TITLE_LENGTH = 80
MAX_SLUG_LENGTH = 60
UNTITLED = "untitled-item"
ADDED_BY_HOST = f"Added by a host over MCP, not typed by the user: title and text {UNVERIFIED}."

_OTHERS = re.compile(r"[^a-z0-9\s-]")
_GAPS = re.compile(r"[\s-]+")
_MAX_LISTED = 20
_LEADING_SIGNS = re.compile(r"^(?:#{1,6}|[-*+>])[ \t]+")
_SENTENCE = re.compile(r".+?[.!?](?=\s)")


class ItemEntry(Struct, frozen=True):
    """An item as it was read: `meta` is what meta.json says, empty if it cannot be used."""

    item: Item
    folder: Path
    meta: dict[str, Any]
    problem: str | None

    @property
    def slug(self) -> str:
        return self.item.slug

    @property
    def title(self) -> str:
        return self.item.name

    @property
    def analysis_status(self) -> str | None:
        """`raw`, `partial` or `analyzed`; None if meta.json cannot be used."""
        status = self.meta.get("analysis_status")
        return None if self.problem else status if isinstance(status, str) and status else "raw"


def add_item(
    root: Path,
    text: str,
    *,
    title: str | None = None,
    source: str = "manual",
    source_id: str | None = None,
    items_folder: str = ITEMS_FOLDER,
    commit: str | None,
    relayed: bool = False,
) -> Path:
    """Add an item with this text and return its folder, with draft.md and meta.json in it.

    Without a title of its own the text's beginning is the title; a source id stands in front of the slug.
    One that a host adds, `relayed`, says so in its title and below its text (ART-8).
    """
    text = clean_text(text).strip()
    if title is None:
        title = _title_of(text)
        first, _, rest = text.partition("\n")
        # A first line that is all title would only say it twice.
        if one_line(_LEADING_SIGNS.sub("", first.strip())) in (title, f"{title}."):
            text = rest.strip()
    else:
        title = one_line(title)
    if not title:
        raise RuleBroken('An item needs a few words. Nothing was added. Try: roundtable add "Export as PDF"')
    home = require_in_project(root, root / items_folder)
    files.make_folder(home, parents=True)
    slugs = list_slugs(f"{source_id or ''} {title}")
    folder = next(path for slug in slugs if files.make_folder(path := home / slug))  # nobody else made it
    if relayed:
        title, text = mark_unverified(title), f"{text}\n\n{ADDED_BY_HOST}".lstrip()
    files.write(folder / DRAFT, (f"# {title}\n\n{text}".rstrip() + "\n").encode())
    meta: dict[str, Any] = {
        "source": source,
        "source_id": source_id,
        "slug": folder.name,
        "created_at": files.timestamp(),
        "analysis_status": "raw",
        "phases_completed": [],
        **({} if commit is None else {"codebase_hash": commit}),
        "steps_completed": [],
        "depth_overrides": {},
    }
    write_meta(folder, meta)
    return folder


def list_items(root: Path, *, items_folder: str = ITEMS_FOLDER) -> tuple[ItemEntry, ...]:
    """Return every item of the project, by name of its folder; reading never changes anything.

    Links that lead elsewhere are not items; ItemCorrupt where the items' folder itself is one.
    """
    home = require_in_project(root, root / items_folder)
    try:
        folders = sorted(path for path in home.iterdir() if not _is_link_out(root, path) and _is_item(path))
    except OSError:
        return ()
    return tuple(map(_read_entry, folders))


def _read_entry(folder: Path) -> ItemEntry:
    found, problem = examine_meta(folder)
    meta = found or {}
    return ItemEntry(read_item(folder, meta), folder, meta, one_line(problem or "") or None)


def list_outside_links(root: Path, *, items_folder: str = ITEMS_FOLDER) -> tuple[str, ...]:
    """Return the names in the items' folder that are links out of the project, and so not items."""
    try:
        found = [path.name for path in (root / items_folder).iterdir() if _is_link_out(root, path)]
    except OSError:
        return ()
    return tuple(sorted(found))


def find_entry(root: Path, name: str, *, items_folder: str = ITEMS_FOLDER, add_one: str = "") -> ItemEntry:
    """Return the one item that a slug, source id, title or beginning of a slug names.

    Raises ItemUnknown if there is none, or more than one.
    """
    wanted, said = name.strip().casefold(), one_line(name)
    # Most often it is the slug, which is the folder's name: then no other item needs to be read.
    folder = require_in_project(root, root / items_folder) / wanted
    is_slug = False
    with suppress(OSError):  # a name that is too long for one
        if folder.name == wanted:
            is_slug = _is_item(require_in_project(root, folder) if folder.is_symlink() else folder)
    items = (_read_entry(folder),) if is_slug else list_items(root, items_folder=items_folder)
    choices = (
        f"Items here: {list_names(items)}." if items else f"There are no items here yet. {add_one}".strip()
    )
    if not wanted:
        raise ItemUnknown("No item was named.", do=choices)
    for fits in (
        lambda item: item.slug.casefold() == wanted,
        lambda item: str(item.meta.get("source_id") or "").casefold() == wanted,
        lambda item: item.title.casefold() == " ".join(wanted.split()),
        lambda item: item.slug.casefold().startswith(wanted),
    ):  # the most exact first
        matches = [item for item in items if fits(item)]
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise ItemUnknown(f'Several items answer to "{said}".', do=f"Name one of: {list_names(matches)}.")
    raise ItemUnknown(f'No item is called "{said}".', do=choices)


def remove_item(folder: Path) -> None:
    """Delete an item's folder and all that is in it; a link is removed itself, and never followed."""
    if folder.is_symlink():
        files.remove(folder)
        return
    # Whoever works on it is not cut off. On Windows a folder with an open lock in it could not be removed.
    with ItemLock(folder):
        pass
    import shutil

    try:
        shutil.rmtree(folder)
    except OSError as error:
        failed = f"Could not delete all of {folder}: {error.strerror or error}."
        do = f"Check that the folder can be written to. {AGAIN}"
        raise DiskFailed(failed, saved="What is left of it is still there.", do=do) from error


def rename_item(folder: Path, title: str) -> Path:
    """Give an item another title and its folder the slug that follows from it; return the new folder.

    The heading of draft.md and the slug in meta.json change; every other document stays as it is.
    """
    title = one_line(title)
    if not title:
        raise RuleBroken(f"An item needs a title of a few words. {UNCHANGED}")
    if folder.is_symlink():
        raise RuleBroken(f"{folder.name} is a link. {UNCHANGED} Rename the folder that it leads to.")
    with ItemLock(folder):
        draft, problem = _read_draft(folder)
        if problem:
            raise DiskFailed(problem, saved=UNCHANGED, do=f"Repair or remove {DRAFT} first.")
        slugs = list_slugs(f"{read_item(folder).source_id} {title}")
        lines, at = _find_heading(draft)
        lines[at or 0 : 0 if at is None else at + 1] = [f"# {title}", *([""] if at is None else [])]
        files.write(folder / DRAFT, ("\n".join(lines).rstrip() + "\n").encode())
    new = next(path for path in map(folder.with_name, slugs) if path == folder or not path.exists())
    if new != folder:
        files.rename(folder, new)
        if read_meta(new) is not None:
            change_meta(new, lambda meta: meta.update(slug=new.name))
    return new


def last_activity(folder: Path) -> str | None:
    """Return when the item was last worked on: the latest change of meta.json or a journal, in UTC."""
    known = [folder / "meta.json"]
    with suppress(ItemCorrupt):
        known += journal_home(folder).glob("*.jsonl")
    times = [path.lstat().st_mtime for path in known if path.is_file()]
    return datetime.fromtimestamp(max(times), UTC).isoformat(timespec="seconds") if times else None


def read_item(folder: Path, meta: dict[str, Any] | None = None) -> Item:
    """Return the item in a folder as far as it can be read; without draft.md its folder names it.

    `meta` is what meta.json holds, where that was read already.
    """
    known = read_meta(folder) or {} if meta is None else meta
    source, source_id = known.get("source"), known.get("source_id")
    name = one_line(folder.resolve().name) or UNTITLED
    draft = _read_draft(folder)[0]
    lines, at = _find_heading(draft)
    heading = parse_heading(lines[at]) if at is not None else None
    title, text = "", draft
    if at is not None and heading is not None:
        title = one_line(heading[1])
        text = "\n".join(line for line in lines[:at] + lines[at + 1 :] if line.strip() != ADDED_BY_HOST)
    return Item(
        slug=name,
        name=title or name.replace("-", " ").strip() or name,
        text=text.strip(),
        source=(one_line(source) if isinstance(source, str) else "") or "manual",
        source_id=one_line(source_id) if isinstance(source_id, str) else "",
    )


def draft_problem(folder: Path) -> str | None:
    """Return why draft.md cannot be read, in words for a person; None if it can, or is missing."""
    return _read_draft(folder)[1]


def list_slugs(title: str) -> Iterator[str]:
    """Yield the title as a folder's name, then the name with each number that follows.

    It has small letters, digits, single hyphens and at most 60 characters; a long one ends with a whole word
    where that leaves at least half of it.
    """
    plain = unicodedata.normalize("NFC", title)
    if not plain.isascii():
        from anyascii import anyascii  # late: its tables are needed for few titles

        # Of an emoji or another symbol it would give the name.
        plain = "".join(anyascii(char) for char in plain if unicodedata.category(char)[0] != "S")
    apart = re.sub(r"(?<=[a-z])\.(?=[a-z])", "-", plain.lower())  # `click.edit` is two words
    name = _GAPS.sub("-", _OTHERS.sub("", apart)).strip("-") or UNTITLED
    for number in count(1):
        ending = f"-{number}" if number > 1 else ""
        length = MAX_SLUG_LENGTH - len(ending)
        cut = name[:length].rstrip("-")
        whole_words = name[: length + 1].rpartition("-")[0] if len(name) > length else cut
        yield (whole_words if len(whole_words) >= length // 2 else cut) + ending


def _title_of(text: str) -> str:
    """The first line; its first sentence where it is long; its first words where that is long too."""
    lines = (_LEADING_SIGNS.sub("", line.strip(), count=1) for line in text.split("\n"))
    title = next(filter(None, map(one_line, lines)), "")
    if len(title) > MAX_TITLE_LENGTH and (sentence := _SENTENCE.match(title)):
        title = sentence[0]
    if len(title) > MAX_TITLE_LENGTH:
        cut = title[: MAX_TITLE_LENGTH + 1].rpartition(" ")[0]
        title = cut.rstrip(" ,;:-") or title[:MAX_TITLE_LENGTH]
    return title.removesuffix(".") or title


def _is_link_out(root: Path, path: Path) -> bool:
    return path.is_symlink() and leads_out_of_project(root, path) is not None


def _is_item(path: Path) -> bool:
    """Whether a folder holds an item's files; a name that a command would take for an option is none."""
    if one_line(path.name).startswith((".", "-")) or not path.is_dir():
        return False
    return (path / "meta.json").exists() or next(path.glob("*.md"), None) is not None


def list_names(items: Sequence[ItemEntry]) -> str:
    """Return the slugs of the items in one sentence; of many, the first."""
    names = [one_line(item.slug) for item in items[:_MAX_LISTED]]
    more = len(items) - _MAX_LISTED
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")


def _read_draft(folder: Path) -> tuple[str, str | None]:
    """The text of draft.md, and why it cannot be read."""
    try:
        return decode_text(read_inside(folder, DRAFT, limit=MAX_ARTIFACT_SIZE)), None
    except FileNotFoundError:
        return "", None
    except DiskFailed as failure:
        return "", failure.failed


_COMMENTS = re.compile(r"(?>(?:\s*+<!--.*?-->)*)\s*+", re.DOTALL)


def _find_heading(draft: str) -> tuple[list[str], int | None]:
    """The lines, and which has the title: the first after front matter and comments, if it is a heading."""
    lines = draft.split("\n")
    bare = [line.rstrip() for line in lines]
    start = bare.index("---", 1) + 1 if bare[0] == "---" and "---" in bare[1:] else 0
    rest = "\n".join(bare[start:])
    comments = _COMMENTS.match(rest)
    at = start + rest.count("\n", 0, comments.end() if comments else 0)
    return lines, at if any(map(parse_heading, lines[at : at + 1])) else None
