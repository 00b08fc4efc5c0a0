"""The disk: every durable change of a file or folder is made here, and nowhere else.

Each change is announced to `checkpoint` before, in the middle and after, so that a test can end the process
at any of these points. With `ROUNDTABLE_KILL_AT=N` the process kills itself at the N-th point; with
`ROUNDTABLE_KILL_LOG=FILE` each point that is reached adds its name as a line to that file.
"""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import TypeVar

import msgspec

from ..core.errors import DiskFailed, ItemCorrupt, RuleBroken

MAX_FILE_SIZE = 20 * 1024 * 1024
"""The most bytes that `read` takes in, where its caller names no other limit."""

MAX_LOG_SIZE = 64 * 1024 * 1024
JOURNAL_FOLDER = ".journal"
Kept = TypeVar("Kept")

_CANNOT_FOLLOW = "it is a link that cannot be followed"
_BINARY = getattr(os, "O_BINARY", 0)
_AT_ONCE = getattr(os, "O_NONBLOCK", 0)  # opening a pipe must fail rather than wait for its other end
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_PIECE = 64 * 1024
_LEFTOVER = re.compile(r"\.roundtable-[0-9a-f]{32}\.tmp")
UNCHANGED, AGAIN = "Nothing was changed.", "Run the same command again."
_DENIED = ("permission is denied", f"Check who owns the file and its folder. {AGAIN}")
_GONE = ("its folder is gone", "If the item was renamed or moved, start again with its new name.")
_REASONS: dict[int, tuple[str, str]] = {
    errno.ENOSPC: ("the disk is full", f"Free some space. {AGAIN}"),
    errno.EDQUOT: ("your share of the disk is used up", f"Free some space. {AGAIN}"),
    errno.EFBIG: ("the file would grow larger than this system allows", f"Raise the limit. {AGAIN}"),
    errno.EROFS: ("the disk is read-only", f"Make it writable. {AGAIN}"),
    errno.EACCES: _DENIED,
    errno.EPERM: _DENIED,
    errno.ENOENT: _GONE,
    errno.ENOTDIR: _GONE,
    errno.EISDIR: ("a folder has that name", f"Move the folder away. {AGAIN}"),
    errno.EEXIST: ("something else has that name", f"Move it away. {AGAIN}"),
    errno.ELOOP: (_CANNOT_FOLLOW, f"Put a file in its place. {AGAIN}"),
    errno.ENXIO: ("it is not a regular file", f"Put a file in its place. {AGAIN}"),
}
_DISK_WIDE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)


def timestamp(later: int = 0) -> str:
    """Return this instant, or one so many milliseconds later, as ISO 8601 in UTC with milliseconds and Z."""
    instant = datetime.now(UTC) + timedelta(milliseconds=later)
    return instant.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def is_disk_wide(failure: DiskFailed) -> bool:
    """Whether any other file would have failed as well: the disk is full, read-only or broken."""
    cause = failure.__cause__
    return isinstance(cause, OSError) and cause.errno in _DISK_WIDE


def read(path: Path, *, limit: int = MAX_FILE_SIZE, follow_link: bool = True) -> bytes:
    """Return the bytes of a regular file of at most `limit` bytes; FileNotFoundError if there is none.

    Without `follow_link` a link does not count as a regular file.
    """
    flags = os.O_RDONLY | _BINARY | _AT_ONCE | (0 if follow_link else _NO_LINK)
    try:
        handle = os.open(path, flags)
        try:
            found = os.fstat(handle)
            _require_regular(found)
            data = piece = os.read(handle, min(found.st_size, limit) + 1)
            while piece and len(data) <= limit:
                piece = os.read(handle, min(_PIECE, limit + 1 - len(data)))
                data += piece
        finally:
            os.close(handle)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise _describe_failure("read", path, error, saved="") from error
    if len(data) > limit:
        raise DiskFailed(
            f"Could not read {path}: it is larger than {limit:,} bytes.",
            do="If this is the right file, make it smaller.",
        )
    return data


def write(path: Path, data: bytes, *, new_mode: int = 0o666, durable: bool = True) -> None:
    """Put `data` in place of the file, durably and in one move, keeping its mode; a new one has `new_mode`.

    What nobody needs after a power cut need not be `durable`; it is whole after a kill in any case. Where
    writing fails, the old file is whole and nothing else is left behind; no missing folder is created.
    A link is replaced by a file.
    """
    with _announce_change("write", path, "The file is as it was."):
        mode = _find_mode(path)
        temporary = path.with_name(f".roundtable-{os.urandom(16).hex()}.tmp")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY | _NO_LINK
        handle = os.open(temporary, flags, new_mode if mode is None else 0o600)
        try:
            try:
                _write_all(handle, data)
                if mode is not None and hasattr(os, "fchmod"):
                    os.fchmod(handle, mode)
                if durable:
                    os.fsync(handle)
            finally:
                os.close(handle)
            checkpoint(f"before replace {path.name}")
            temporary.replace(path)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
        if durable:
            _sync_folder(path.parent)


def _find_mode(path: Path) -> int | None:
    """Return the mode of the file that is to be written; None if a new one is to be made."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(found.st_mode):
        return None
    _require_regular(found)
    if not os.access(path, os.W_OK):  # renaming would not notice that the file is protected
        raise PermissionError(errno.EACCES, "protected", str(path))
    return stat.S_IMODE(found.st_mode)


def append(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Add `data` to the end of the file, durably, all of it or nothing; a missing file is created.

    What need not be `durable` outlives a kill, but perhaps not a power cut before the next durable append.
    """
    with _announce_change("append", path, "What it held before is whole.", "add to"):
        flags = os.O_WRONLY | os.O_APPEND | _BINARY | _AT_ONCE | _NO_LINK
        is_new = False
        try:
            handle = os.open(path, flags)
        except FileNotFoundError:
            handle = os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o666)
            is_new = True
        try:
            found = os.fstat(handle)
            _require_regular(found)
            half = len(data) // 2
            try:
                _write_all(handle, data[:half])
                checkpoint(f"half append {path.name}")
                _write_all(handle, data[half:])
                if durable:
                    os.fsync(handle)
            except BaseException:
                with suppress(OSError):
                    os.ftruncate(handle, found.st_size)
                    os.fsync(handle)
                if is_new:
                    with suppress(OSError):
                        path.unlink()
                raise
        finally:
            os.close(handle)
        if is_new:
            _sync_folder(path.parent)


def make_folder(path: Path, *, parents: bool = False) -> bool:
    """Create the folder durably; True where it was not there before.

    Missing folders above it are created only where `parents` asks for them.
    """
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
    """Give a file, folder or link a new name in the same folder, durably; what has that name already stays.

    FileNotFoundError where there is nothing to rename.
    """
    path.lstat()
    with _announce_change("rename", path, UNCHANGED, f"give the name {new.name} to"):
        if new.is_symlink() or new.exists():
            raise FileExistsError(errno.EEXIST, "exists", str(new))
        path.rename(new)
        _sync_folder(new.parent)


def remove(path: Path) -> None:
    """Remove the file durably; a missing one is fine."""
    with _announce_change("remove", path, "The file is as it was."):
        path.unlink(missing_ok=True)
        _sync_folder(path.parent)


def write_new_files(folder: Path, texts: Mapping[str, str]) -> tuple[Path, ...]:
    """Write files that are not there yet, all or none; return their paths.

    Raises RuleBroken if one of them exists and holds something else.
    """
    for name, text in texts.items():
        path = folder / name
        if os.path.lexists(path) and not (is_regular_file(path) and read(path) == text.encode()):
            raise RuleBroken(f"{path} is there already. Nothing was written. Name another place with --out.")
    make_folder(folder, parents=True)
    for name, text in texts.items():
        write(folder / name, text.encode())
    return tuple(folder / name for name in texts)


@contextmanager
def _announce_change(name: str, path: Path, saved: str, verb: str = "") -> Iterator[None]:
    """Announce a change before and after; raise DiskFailed, with what is saved, where the disk refuses it."""
    checkpoint(f"before {name} {path.name}")
    try:
        yield
    except OSError as error:
        raise _describe_failure(verb or name, path, error, saved=saved) from error
    checkpoint(f"after {name} {path.name}")


def sweep(folder: Path) -> None:
    """Remove what killed writes left in the folder and the folders in it; the caller keeps writers out.

    Folders that are links are passed over: what lies there is not ours.
    """
    waiting = [str(folder)]
    for place in waiting:
        with suppress(OSError), os.scandir(place) as entries:
            for entry in entries:
                if _LEFTOVER.fullmatch(entry.name):
                    with suppress(OSError):
                        Path(entry.path).unlink()
                elif place == waiting[0] and entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)


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
    """Make the names in the folder durable where the system can; the files are whole in any case."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _describe_failure(verb: str, path: Path, error: OSError, *, saved: str) -> DiskFailed:
    reason, do = _REASONS.get(error.errno or 0, (error.strerror or str(error), AGAIN))
    return DiskFailed(f"Could not {verb} {path}: {reason}.", saved=saved, do=do)


_kill_at, _kill_log = os.environ.get("ROUNDTABLE_KILL_AT", ""), os.environ.get("ROUNDTABLE_KILL_LOG", "")
_passed = count(1)


def checkpoint(point: str) -> None:
    """Note down that a point is reached, and end the process there, where a test asks for it."""
    if _kill_log:
        with Path(_kill_log).open("a", encoding="utf-8") as file:
            file.write(f"{point}\n")
    if _kill_at and str(next(_passed)) == _kill_at:
        os.kill(os.getpid(), signal.SIGKILL)


def leads_out(folder: Path, name: str) -> str | None:
    """Return why a file of the item's folder may not be used; None where it lies in that folder."""
    is_plain = name.isprintable() and name != ".." and Path(name).name == name
    if is_plain and not (folder / name).is_symlink():  # nearly always, and told in no time
        return None
    with suppress(OSError, ValueError):  # the folder is gone, a NUL byte
        home, place = os.path.realpath(folder), Path(os.path.realpath(folder / name))
        if place.is_relative_to(home) and not place.is_symlink():  # a circle of links ends at one
            return None
    return "it leads out of the item's folder"


def read_inside(folder: Path, name: str, *, limit: int = MAX_FILE_SIZE) -> bytes:
    """Return the bytes of a file in the item's folder; DiskFailed where it lies elsewhere or is a link."""
    require_inside(folder, name)
    return read(folder / name, limit=limit, follow_link=False)


def require_inside(folder: Path, name: str) -> None:
    """Raise DiskFailed where a file of the item's folder lies elsewhere."""
    if reason := leads_out(folder, name):
        failed = f"Could not use {folder / name}: {reason}."
        raise DiskFailed(failed, saved=UNCHANGED, do=f"Remove the link. {AGAIN}")


def leads_out_of_project(root: Path, folder: Path) -> str | None:
    """Return why a folder of the project may not hold items; None where it lies in the project.

    A link may lead to another folder of the project, but not to a hidden one, which is some program's own.
    """
    try:
        place = folder.resolve().relative_to(root.resolve())
    except ValueError:
        return "it is a link that leads out of the project"
    except (OSError, RuntimeError):
        return _CANNOT_FOLLOW
    if place == Path() and folder.is_symlink():
        return "it is a link to the project itself"
    hidden = [part for part in place.parts if part.startswith(".") and part not in folder.parts]
    return "it leads to a hidden folder" if hidden or ".git" in map(str.lower, place.parts) else None


def require_in_project(root: Path, folder: Path) -> Path:
    """Return the folder, there or not; ItemCorrupt where it does not lie in the project."""
    if reason := leads_out_of_project(root, folder):
        raise _not_ours(folder, reason)
    return folder


def journal_home(folder: Path) -> Path:
    """Return the item's `.journal` folder, there or not; ItemCorrupt where a link has its name."""
    home = folder / JOURNAL_FOLDER
    if home.is_symlink():
        raise _not_ours(home, "it is a link")
    return home


def journal_folder(folder: Path) -> Path:
    """Return the item's `.journal` folder; a missing one is made, out of version control."""
    home = journal_home(folder)
    make_folder(home)
    if not (home / ".gitignore").exists():
        write(home / ".gitignore", b"*\n")
    return home


def read_journal_file(folder: Path, name: str, *, limit: int = MAX_FILE_SIZE) -> bytes:
    """Return the bytes of a file in `.journal`, where no link is ever followed."""
    return read(journal_home(folder) / name, limit=limit, follow_link=False)


def read_records(folder: Path, name: str, kind: type[Kept]) -> list[Kept]:
    """Return what the lines of a file in `.journal` hold; what does not read, or was cut off, is left out."""
    found: list[Kept] = []
    with suppress(FileNotFoundError, DiskFailed, ItemCorrupt):
        for line in read_journal_file(folder, name, limit=MAX_LOG_SIZE).split(b"\n"):
            with suppress(ValueError, RecursionError):
                found.append(msgspec.json.decode(line, type=kind))
    return found


def encode_record(record: object) -> bytes:
    """Return a record as the line that `read_records` reads."""
    try:
        return msgspec.json.encode(record) + b"\n"
    except UnicodeEncodeError:
        # Escaped, so that even half a character that meta.json can hold does not stop the session.
        return json.dumps(msgspec.to_builtins(record), separators=(",", ":")).encode("ascii") + b"\n"


def is_regular_file(path: Path) -> bool:
    """Whether a regular file has this name; a link to one has not."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _not_ours(path: Path, reason: str) -> ItemCorrupt:
    do = f"Remove the link, or put a folder in its place. {AGAIN}"
    return ItemCorrupt(f"{path} cannot be used: {reason}.", saved=UNCHANGED, do=do)
