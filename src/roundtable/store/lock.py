"""One lock per item, so that two sessions never work on it at once, and a short one for meta.json."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.errors import DiskFailed, ItemLocked
from . import files
from .artifact import one_line
from .files import AGAIN, JOURNAL_FOLDER, UNCHANGED, journal_folder, read_journal_file

if TYPE_CHECKING:
    from filelock import BaseFileLock

_NO_LOCKS = frozenset({errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP})
_MAX_HOLDER_SIZE = 1_000  # bytes: enough to know a holder by, too few to flood a screen


class ItemLock:
    """The right to work on an item; held by one session at a time, and given back when its process ends."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock: BaseFileLock | None = None

    def __enter__(self) -> None:
        """Take the lock at once, or raise ItemLocked and name the holder."""
        home = journal_folder(self._folder)
        lock = _take(home / "item.lock", wait=0)
        if lock is None:
            failed = f"{self._folder.resolve().name} is in use by {_holder(self._folder)}."
            do = f"End that session or wait until it ends. {AGAIN}"
            raise ItemLocked(failed, saved=UNCHANGED, do=do)
        self._lock = lock
        import platform  # late: most commands never lock an item

        me = {"pid": os.getpid(), "host": platform.node(), "since": files.timestamp()}
        with suppress(DiskFailed):  # the lock counts, with or without a name on it
            files.write(home / "holder.json", json.dumps(me).encode(), durable=False)
        with suppress(ItemLocked, DiskFailed), meta_lock(self._folder, wait=0):
            files.sweep(self._folder)

    def __exit__(self, *_error: object) -> None:
        """Give the lock back."""
        with suppress(OSError):
            (self._folder / JOURNAL_FOLDER / "holder.json").unlink(missing_ok=True)
        if self._lock is not None:
            self._lock.release()


@contextmanager
def meta_lock(folder: Path, *, wait: float = 10) -> Iterator[None]:
    """Hold the right to change meta.json, after at most `wait` seconds; ItemLocked if it does not come."""
    lock = _take(journal_folder(folder) / "meta.lock", wait=wait)
    if lock is None:
        name = folder.resolve().name
        failed = f"Another program has kept meta.json of {name} for more than {wait:g} seconds."
        raise ItemLocked(failed, saved=UNCHANGED, do=f"Wait until it is done. {AGAIN}")
    try:
        yield
    finally:
        lock.release()


def _take(path: Path, *, wait: float) -> BaseFileLock | None:
    """Return the lock, or None if somebody else has held it all the time."""
    # Late: importing it takes longer than a whole `roundtable list`.
    from filelock import FileLock, SoftFileLock, Timeout

    lock: BaseFileLock = FileLock(
        path, timeout=wait, poll_interval=0.01, thread_local=False, fallback_to_soft=False
    )
    try:
        try:
            lock.acquire()
        except OSError as error:
            if isinstance(error, Timeout) or error.errno not in _NO_LOCKS:
                raise
            # A lock file that exists counts as held here, and the one above stays behind, empty, on every
            # other filesystem: so this lock has a name of its own.
            held = path.with_suffix(".held")
            lock = SoftFileLock(held, timeout=wait, poll_interval=0.01, thread_local=False)
            lock.acquire()
    except Timeout:
        return None
    except OSError as error:
        do = f"Check that the folder can be written to. {AGAIN}"
        failed = f"Could not lock {path}: {error.strerror or error}."
        raise DiskFailed(failed, saved=UNCHANGED, do=do) from error
    return lock


def _holder(folder: Path) -> str:
    """Return the holder in words, as far as its file tells; another program may have written to that."""
    try:
        found = json.loads(read_journal_file(folder, "holder.json", limit=_MAX_HOLDER_SIZE))
        words = f"process {int(found['pid'])} on {found['host']} since {found['since']}"
    except (DiskFailed, OSError, ValueError, TypeError, KeyError, RecursionError):
        return "another process"
    return one_line(words)
