"""The items of a project: their folders, names and texts (rule ITEM-1)."""

import os
import unicodedata
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from textwrap import shorten
from typing import Any

from msgspec import Struct

from ..core import lazy_re as re
from ..core.errors import ItemCorrupt, ItemUnknown, RuleBroken
from ..core.steps import Item
from ..core.synthesis import UNVERIFIED, mark_unverified
from ..core.text import clean_text, parse_heading
from . import files
from .artifact import DRAFT, change_artifact, decode_text, one_line, read_own_text
from .lock import item_lock
from .meta import change_meta, examine_meta, read_meta, write_meta

ITEMS_FOLDER = "docs/requirements"
MAX_TITLE_LENGTH = 80
MAX_SLUG_LENGTH = 60
UNTITLED = "untitled-item"
ADDED_BY_HOST = f"Added by a host over MCP, not typed by the user: title and text {UNVERIFIED}."

_OTHERS = re.compile(r"[^a-z0-9\s-]")
_GAPS = re.compile(r"[\s-]+")
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
    """Add an item and return its folder; if a host `relayed` it, its title and text say so (ART-8)."""
    text = clean_text(text).strip()
    if title is None:
        title, text = _split_title(text)
    title = one_line(title)
    if not title:
        raise RuleBroken('An item needs a few words. Nothing was added. Try: roundtable add "Export as PDF"')
    home = files.require_inside(root, root / items_folder, ItemCorrupt)
    files.make_folder(home, parents=True)
    slugs = list_slugs(f"{source_id or ''} {title}")
    folder = next(path for slug in slugs if files.make_folder(path := home / slug))  # the first that we made
    if relayed:
        title, text = mark_unverified(title), f"{text}\n\n{ADDED_BY_HOST}".lstrip()
    files.write(folder / DRAFT, (f"# {title}\n\n{text}".rstrip() + "\n").encode())
    meta: dict[str, Any] = {"source": source, "source_id": source_id, "slug": folder.name}
    meta |= {"created_at": files.timestamp(), "analysis_status": "raw", "phases_completed": []}
    meta |= {"codebase_hash": commit} if commit is not None else {}
    write_meta(folder, meta | {"steps_completed": [], "depth_overrides": {}})
    return folder


def list_items(root: Path, *, items_folder: str = ITEMS_FOLDER) -> tuple[ItemEntry, ...]:
    """Return every item, sorted by folder name; links that lead out of the project are not items."""
    home = files.require_inside(root, root / items_folder, ItemCorrupt)
    try:
        folders = [path for path in sorted(home.iterdir()) if _is_item(path)]
        inside = (path for path in folders if not (path.is_symlink() and files.leads_out(root, path)))
        return tuple(map(_read_entry, inside))
    except OSError:
        return ()


def _read_entry(folder: Path) -> ItemEntry:
    found, problem = examine_meta(folder)
    meta = found or {}
    return ItemEntry(read_item(folder, meta), folder, meta, one_line(problem or "") or None)


def find_entry(root: Path, name: str, *, items_folder: str = ITEMS_FOLDER, add_one: str = "") -> ItemEntry:
    """Return the item by slug, slug prefix, source id or title; raise ItemUnknown if none or several fit."""
    wanted, said = name.strip().casefold(), one_line(name)
    # Usually it is the slug, which is the folder's name; then no other item needs to be read.
    folder = files.require_inside(root, root / items_folder, ItemCorrupt) / wanted
    is_slug = folder.name == wanted and os.path.isdir(folder)  # noqa: PTH112 (False if a name is too long)
    if is_slug and _is_item(files.require_inside(root, folder, ItemCorrupt)):
        return _read_entry(folder)
    items = list_items(root, items_folder=items_folder)
    for fits in (
        lambda item: item.slug.casefold() == wanted,
        lambda item: str(item.meta.get("source_id") or "").casefold() == wanted,
        lambda item: item.title.casefold() == " ".join(wanted.split()),
        lambda item: item.slug.casefold().startswith(wanted),
    ):  # the most exact first
        matches = [item for item in items if wanted and fits(item)]
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise ItemUnknown(f'Several items answer to "{said}".', do=f"Name one of: {list_names(matches)}.")
    here = f"Items here: {list_names(items)}." if items else f"There are no items here yet. {add_one}".strip()
    raise ItemUnknown(f'No item is called "{said}".', do=here)


def remove_item(folder: Path) -> None:
    """Delete an item's folder and all that is in it; if it is a link, remove only the link."""
    if folder.is_symlink():
        files.remove(folder)
        return
    # Fails while somebody works on it. Released at once: Windows cannot remove a folder with an open lock.
    with item_lock(folder):
        pass
    import shutil

    with files.explain_failure("delete all of", folder, "What is left of it is still there."):
        shutil.rmtree(folder)


def rename_item(folder: Path, title: str) -> Path:
    """Change an item's title in draft.md, its slug in meta.json and its folder's name; return the folder."""
    title = one_line(title)
    if not title:
        raise RuleBroken(f"An item needs a title of a few words. {files.UNCHANGED}")
    if folder.is_symlink():
        raise RuleBroken(f"{folder.name} is a link. {files.UNCHANGED} Rename the folder that it leads to.")

    def put_title(found: bytes | None) -> tuple[bytes, None]:
        draft = found or b""
        text = draft.removeprefix(BOM_UTF8).lstrip(b"\r\n")
        first = text.splitlines()[0] if text else b""
        rest = text.removeprefix(first)
        if not parse_heading(decode_text(first)):
            line_end = b"\r\n" if b"\r\n" in draft else b"\n"
            rest = 2 * line_end + text if text else line_end
        return draft.removesuffix(text) + f"# {title}".encode() + rest, None

    with item_lock(folder):
        slugs = list_slugs(f"{read_item(folder).source_id} {title}")
        change_artifact(folder, DRAFT, put_title, is_reserved=True)
    new = next(path for path in map(folder.with_name, slugs) if path == folder or not path.exists())
    if new != folder:
        files.rename(folder, new)
        if read_meta(new) is not None:
            change_meta(new, lambda meta: meta.update(slug=new.name))
    return new


def last_activity(folder: Path) -> str | None:
    """Return when meta.json or a journal of the item last changed, in UTC."""
    known = [folder / "meta.json"]
    with suppress(ItemCorrupt):
        known += files.journal_home(folder).glob("*.jsonl")
    times = [path.lstat().st_mtime for path in known if path.is_file()]
    return datetime.fromtimestamp(max(times), UTC).isoformat(timespec="seconds") if times else None


def read_item(folder: Path, meta: dict[str, Any] | None = None) -> Item:
    """Return the item in a folder as far as it can be read; without a title, the folder's name is used."""
    known = read_meta(folder) or {} if meta is None else meta
    texts = {key: one_line(value) for key, value in known.items() if isinstance(value, str)}
    source, source_id = texts.get("source") or "manual", texts.get("source_id", "")
    slug = one_line(folder.resolve().name) or UNTITLED
    text = read_own_text(folder, DRAFT)[0].lstrip("\n").rstrip()
    first, _, rest = text.partition("\n")
    title, text = (one_line(heading[1]), rest) if (heading := parse_heading(first)) else ("", text)
    name = title or slug.replace("-", " ").strip() or slug
    return Item(slug, name, text.removesuffix(ADDED_BY_HOST).strip(), source, source_id)


def list_slugs(title: str) -> Iterator[str]:
    """Yield the title as a folder name of at most 60 characters, then with `-2`, `-3` and so on."""
    plain = unicodedata.normalize("NFC", title)
    if not plain.isascii():
        from anyascii import anyascii  # late: its tables are needed for few titles

        # It would spell out the name of an emoji or another symbol.
        plain = "".join(anyascii(char) for char in plain if unicodedata.category(char)[0] != "S")
    name = _GAPS.sub("-", _OTHERS.sub("", plain.lower())).strip("-") or UNTITLED
    for number in count(1):
        ending = f"-{number}" if number > 1 else ""
        yield name[: MAX_SLUG_LENGTH - len(ending)].rstrip("-") + ending


def _split_title(text: str) -> tuple[str, str]:
    """Return a title from the first line, and the text, without that line if the title says all of it."""
    first, _, rest = text.partition("\n")
    line = one_line(_LEADING_SIGNS.sub("", first.strip(), count=1))
    sentence = _SENTENCE.match(line) if len(line) > MAX_TITLE_LENGTH else None
    title = sentence[0] if sentence else line
    title = shorten(title, MAX_TITLE_LENGTH, placeholder="").rstrip(" ,;:-") or title[:MAX_TITLE_LENGTH]
    title = title.removesuffix(".") or title
    return title, rest.strip() if line in (title, f"{title}.") else text


def _is_item(path: Path) -> bool:
    """Whether a folder holds an item; hidden folders and names that look like an option do not count."""
    if one_line(path.name).startswith((".", "-")) or not path.is_dir():
        return False
    return (path / "meta.json").exists() or next(path.glob("*.md"), None) is not None


def list_names(items: Sequence[ItemEntry]) -> str:
    """Return the slugs of the first 20 items, and how many more there are."""
    more = f" and {len(items) - 20} more" if len(items) > 20 else ""
    return ", ".join(one_line(item.slug) for item in items[:20]) + more
