"""The disk: every durable change of a file or folder is made here, and nowhere else.

Each change is announced to `checkpoint` before, in the middle and after, so that a test can end the process
at any of these points.
"""

import errno
import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

import msgspec

from ..core.errors import DiskFailed, ItemCorrupt, RuleBroken

MAX_FILE_SIZE = 20 * 1024 * 1024
MAX_LOG_SIZE = 64 * 1024 * 1024
JOURNAL_FOLDER = ".journal"
UNCHANGED, AGAIN = "Nothing was changed.", "Run the same command again."
Kept = TypeVar("Kept")

_BINARY = getattr(os, "O_BINARY", 0)
_AT_ONCE = getattr(os, "O_NONBLOCK", 0)  # opening a pipe must fail rather than wait for its other end
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_LEFTOVER = re.compile(r"\.roundtable-[0-9a-f]{32}\.tmp")
_DENIED = ("permission is denied", "Check who owns the file and its folder.")
_GONE = ("its folder is gone", "If the item was renamed or moved, use its new name.")
_REASONS: dict[int, tuple[str, str]] = {
    errno.ENOSPC: ("the disk is full", "Free some space."),
    errno.EROFS: ("the disk is read-only", "Make it writable."),
    errno.EACCES: _DENIED,
    errno.EPERM: _DENIED,
    errno.ENOENT: _GONE,
    errno.ENOTDIR: _GONE,
    errno.EISDIR: ("a folder has that name", "Move the folder away."),
    errno.EEXIST: ("something else has that name", "Move it away."),
    errno.ELOOP: ("it is a link that cannot be followed", "Put a file in its place."),
    errno.ENXIO: ("it is not a regular file", "Put a file in its place."),
}


def timestamp(later: int = 0) -> str:
    """Return the time now, or `later` milliseconds from now, as ISO 8601 in UTC with milliseconds and Z."""
    instant = datetime.now(UTC) + timedelta(milliseconds=later)
    return instant.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def read(path: Path, *, limit: int = MAX_FILE_SIZE, follow_link: bool = True) -> bytes:
    """Return a regular file's bytes, `limit` at most; raise FileNotFoundError if missing, else DiskFailed."""
    with (
        explain_failure("read", path, ""),
        _open(path, os.O_RDONLY | (0 if follow_link else _NO_LINK)) as (handle, size),
    ):
        data = piece = os.read(handle, min(size, limit) + 1)
        while piece and len(data) <= limit:
            piece = os.read(handle, min(64 * 1024, limit + 1 - len(data)))
            data += piece
    if len(data) > limit:
        failed = f"Could not read {path}: it is larger than {limit:,} bytes."
        raise DiskFailed(failed, do="If this is the right file, make it smaller.")
    return data


def write(path: Path, data: bytes, *, new_mode: int = 0o666) -> None:
    """Replace the file or link with `data` in one move, keeping its mode; if that fails, it is unchanged."""
    with _announce_change("write", path, "The file is as it was."):
        old = path.lstat() if os.path.lexists(path) and not path.is_symlink() else None
        if old is not None:
            _require_regular(old)
            if not os.access(path, os.W_OK):  # renaming would not notice that the file is protected
                raise PermissionError(errno.EACCES, "protected", str(path))
        temporary = path.with_name(f".roundtable-{os.urandom(16).hex()}.tmp")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK
        try:
            with _open(temporary, flags, 0o600 if old else new_mode) as (handle, _):
                _write_all(handle, data)
                if old is not None and hasattr(os, "fchmod"):
                    os.fchmod(handle, stat.S_IMODE(old.st_mode))
                os.fsync(handle)
            checkpoint(f"before replace {path.name}")
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        _sync_folder(path.parent)


def append(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Append `data` to the file durably, all of it or nothing; a missing file is created.

    Without `durable`, the data survives a kill, but perhaps not a power cut before the next durable append.
    """
    with _announce_change("append", path, "What it held before is whole.", "add to"):
        is_new = not os.path.lexists(path)
        flags = os.O_WRONLY | os.O_APPEND | _NO_LINK | (os.O_CREAT if is_new else 0)
        with _open(path, flags) as (handle, size):
            half = len(data) // 2
            try:
                _write_all(handle, data[:half])
                checkpoint(f"half append {path.name}")
                _write_all(handle, data[half:])
                if durable:
                    os.fsync(handle)
            except BaseException:
                with suppress(OSError):
                    os.ftruncate(handle, size)
                    os.fsync(handle)
                if is_new and not size:
                    path.unlink(missing_ok=True)
                raise
        if is_new:
            _sync_folder(path.parent)


def make_folder(path: Path, *, parents: bool = False) -> bool:
    """Create the folder durably, with missing `parents` if asked; return whether it was missing."""
    if path.is_dir():
        return False
    if parents:
        make_folder(path.parent, parents=True)
    with _announce_change("folder", path, UNCHANGED, "create the folder"):
        try:
            path.mkdir()
        except FileExistsError:
            if path.is_dir():
                return False
            raise
        _sync_folder(path.parent)
    return True


def rename(path: Path, new: Path) -> None:
    """Rename a file or folder durably within its folder; never replace something else."""
    path.lstat()  # FileNotFoundError if there is nothing to rename
    with _announce_change("rename", path, UNCHANGED, f"give the name {new.name} to"):
        if os.path.lexists(new):
            raise FileExistsError(errno.EEXIST, "exists", str(new))
        path.rename(new)
        _sync_folder(new.parent)


def set_aside(path: Path) -> Path:
    """Rename an unusable file to `NAME.corrupt-...`, and return its new path."""
    instant = timestamp().replace("-", "").replace(":", "")  # Windows allows no colon in a name
    new = path.with_name(f"{path.name}.corrupt-{instant}")
    while os.path.lexists(new):
        new = new.with_name(f"{new.name}-again")
    rename(path, new)
    return new


def remove(path: Path) -> None:
    """Remove the file durably; a missing one is fine."""
    with _announce_change("remove", path, "The file is as it was."):
        path.unlink(missing_ok=True)
        _sync_folder(path.parent)


def write_new_files(
    folder: Path, texts: Mapping[str, str], do: str, *, replace: bool = False
) -> tuple[Path, ...]:
    """Write files and return their paths; raise RuleBroken, with what to `do`, if one exists and differs."""
    paths = {folder / name: text.encode() for name, text in texts.items()}
    if outside := ", ".join(str(path) for path in paths if leads_out(folder, path)):
        raise RuleBroken(f"{outside} would go through a link that leads elsewhere. Nothing was written. {do}")
    for path, data in paths.items():
        is_free = replace or not os.path.lexists(path)
        if not is_free and not (is_regular_file(path) and read(path) == data):
            raise RuleBroken(f"{path} is there already. Nothing was written. {do}")
    for path, data in paths.items():
        make_folder(path.parent, parents=True)
        write(path, data)
    return tuple(paths)


def sweep(folder: Path) -> None:
    """Remove what killed writes left in the folder and its subfolders; the caller must keep writers out."""
    with suppress(OSError):
        folders = [path for path in folder.iterdir() if path.is_dir() and not path.is_symlink()]
        for path in (each for place in (folder, *folders) for each in place.iterdir()):
            if _LEFTOVER.fullmatch(path.name) and not path.is_dir():
                path.unlink()


@contextmanager
def _announce_change(name: str, path: Path, saved: str, verb: str = "") -> Iterator[None]:
    checkpoint(f"before {name} {path.name}")
    with explain_failure(verb or name, path, saved):
        yield
    checkpoint(f"after {name} {path.name}")


@contextmanager
def explain_failure(verb: str, path: Path, saved: str) -> Iterator[None]:
    """Turn an OSError, except a missing file on `read`, into a DiskFailed that says what is `saved`."""
    try:
        yield
    except OSError as error:
        if verb == "read" and isinstance(error, FileNotFoundError):
            raise
        reason, do = _REASONS.get(error.errno or 0, (error.strerror or str(error), ""))
        failed = f"Could not {verb} {path}: {reason}."
        raise DiskFailed(failed, saved=saved, do=f"{do} {AGAIN}".lstrip()) from error


@contextmanager
def _open(path: Path, flags: int, mode: int = 0o666) -> Iterator[tuple[int, int]]:
    """Yield the handle and size of a regular file; refuse anything else without waiting for it."""
    handle = os.open(path, flags | _BINARY | _AT_ONCE, mode)
    try:
        found = os.fstat(handle)
        _require_regular(found)
        yield handle, found.st_size
    finally:
        os.close(handle)


def _require_regular(found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, "folder")
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.ENXIO, "not regular")


def _write_all(handle: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


def _sync_folder(folder: Path) -> None:
    """Make the names in the folder durable if the system can; the files are whole in any case."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def checkpoint(point: str) -> None:
    """Do nothing; a test replaces this with a function that fails or ends the process."""


def leads_out(home: Path, path: Path) -> bool:
    """Whether a path below `home` leads out of it, to `home` itself or to a hidden folder in it."""
    is_plain = path.parent == home and path.name != ".." and path.name.isprintable()
    if path == home or (is_plain and not path.is_symlink()):  # the usual case
        return False
    try:
        real = path.resolve()
        place = real.relative_to(home.resolve())
    except (OSError, RuntimeError, ValueError):  # a loop of links, a NUL byte
        return True
    hidden = [part for part in place.parts if part.startswith(".") and part not in path.parts]
    is_hidden_link = path.name.startswith(".") and path.is_symlink()
    is_nowhere = place == Path() or real.is_symlink()  # a loop of links, on newer Pythons
    return is_nowhere or is_hidden_link or bool(hidden) or ".git" in map(str.lower, place.parts)


def require_inside(home: Path, path: Path, failure: type[DiskFailed | ItemCorrupt] = DiskFailed) -> Path:
    """Return a path below `home`, existing or not; raise `failure` if it leads elsewhere."""
    if leads_out(home, path):
        failed = f"{path} cannot be used: it is a link that leads elsewhere."
        do = f"Remove the link, or put a file or folder in its place. {AGAIN}"
        raise failure(failed, saved=UNCHANGED, do=do)
    return path


def read_inside(folder: Path, name: str, *, limit: int = MAX_FILE_SIZE) -> bytes:
    """Return the bytes of a file in the folder; raise DiskFailed if it is elsewhere or a link."""
    return read(require_inside(folder, folder / name), limit=limit, follow_link=False)


def journal_home(folder: Path) -> Path:
    """Return the item's `.journal` folder, existing or not; raise ItemCorrupt if it is a link."""
    return require_inside(folder, folder / JOURNAL_FOLDER, ItemCorrupt)


def journal_folder(folder: Path) -> Path:
    """Return the item's `.journal` folder; if it is missing, create it, ignored by git."""
    home = journal_home(folder)
    make_folder(home)
    if not (home / ".gitignore").exists():
        write(home / ".gitignore", b"*\n")
    return home


def read_journal_file(folder: Path, name: str, *, limit: int = MAX_LOG_SIZE) -> bytes:
    """Return the bytes of a file in `.journal`; never follow a link."""
    return read(journal_home(folder) / name, limit=limit, follow_link=False)


def read_records(folder: Path, name: str, kind: type[Kept]) -> list[Kept]:
    """Return the records in the lines of a file in `.journal`, without those that cannot be read."""
    found: list[Kept] = []
    with suppress(FileNotFoundError, DiskFailed, ItemCorrupt):
        for line in read_journal_file(folder, name).split(b"\n"):
            with suppress(ValueError, RecursionError):
                found.append(msgspec.json.decode(line, type=kind))
    return found


def encode_record(record: object) -> bytes:
    """Return a record as the line that `read_records` reads."""
    try:
        return msgspec.json.encode(record) + b"\n"
    except UnicodeEncodeError:
        # Escaped: a lone surrogate, which meta.json can hold, must not stop the session.
        return json.dumps(msgspec.to_builtins(record), separators=(",", ":")).encode("ascii") + b"\n"


def is_regular_file(path: Path) -> bool:
    """Whether the path is a regular file, and not a link to one."""
    return path.is_file() and not path.is_symlink()
