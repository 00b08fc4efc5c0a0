"""One lock per item, so that two sessions never work on it at once, and a short one for meta.json."""

import errno
import json
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from ..core.errors import DiskFailed, ItemLocked
from . import files
from .artifact import one_line
from .files import AGAIN, UNCHANGED, journal_folder, read_journal_file

_NO_LOCKS = frozenset({errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP})


@contextmanager
def item_lock(folder: Path) -> Iterator[None]:
    """Hold the item's lock; if another session has it, raise ItemLocked at once, with the holder."""
    home, name = journal_folder(folder), folder.resolve().name
    do = "End that session or wait until it ends."
    with _take(home / "item.lock", 0, lambda: f"{name} is in use by {_holder(folder)}.", do):
        import platform  # late: most commands never lock an item

        me = {"pid": os.getpid(), "host": platform.node(), "since": files.timestamp()}
        try:
            with suppress(DiskFailed):  # the lock holds even without its holder's name
                files.write(home / "holder.json", json.dumps(me).encode())
            with suppress(ItemLocked, DiskFailed), meta_lock(folder, wait=0):
                files.sweep(folder)
            yield
        finally:
            with suppress(OSError):
                (home / "holder.json").unlink(missing_ok=True)


def meta_lock(folder: Path, *, wait: float = 10) -> AbstractContextManager[object]:
    """Hold the lock of meta.json; raise ItemLocked if it is not free within `wait` seconds."""
    failed = f"Another program has kept {folder / 'meta.json'} for more than {wait:g} seconds."
    return _take(journal_folder(folder) / "meta.lock", wait, lambda: failed, "Wait until it is done.")


def _take(path: Path, wait: float, explain: Callable[[], str], do: str) -> AbstractContextManager[object]:
    """Take the lock and return what releases it; if another has it, raise ItemLocked with `explain()`."""
    # Late: importing it takes longer than a whole `roundtable list`.
    from filelock import FileLock, SoftFileLock, Timeout

    lock = FileLock(path, timeout=wait, poll_interval=0.01, thread_local=False, fallback_to_soft=False)
    with files.explain_failure("lock", path, UNCHANGED):
        try:
            try:
                return lock.acquire()
            except OSError as error:
                if isinstance(error, Timeout) or error.errno not in _NO_LOCKS:
                    raise
                # A soft lock is held while its file exists, and the lock above leaves an empty file behind on
                # other filesystems; so this one has a name of its own.
                held = path.with_suffix(".held")
                return SoftFileLock(held, timeout=wait, poll_interval=0.01, thread_local=False).acquire()
        except Timeout:
            raise ItemLocked(explain(), saved=UNCHANGED, do=f"{do} {AGAIN}") from None


def _holder(folder: Path) -> str:
    """Return the holder in words, if its file can be read; another program may have written to it."""
    try:
        found = json.loads(read_journal_file(folder, "holder.json", limit=1_000))  # not to flood a screen
        return one_line(f"process {int(found['pid'])} on {found['host']} since {found['since']}")
    except (DiskFailed, OSError, ValueError, TypeError, KeyError, RecursionError):
        return "another process"
