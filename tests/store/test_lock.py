"""One session per item: real processes that hold, wait, and die."""

from __future__ import annotations

import errno
import fcntl
import inspect
import json
import os
import platform
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

import roundtable
from roundtable.core.errors import DiskFailed, ItemLocked
from roundtable.store.files import journal_folder
from roundtable.store.lock import item_lock, meta_lock

HOLD_ITEM = "with item_lock(folder): wait()"
HOLD_META = "with meta_lock(folder): wait()"
REST = "Nothing was changed. End that session or wait until it ends. Run the same command again."


@contextmanager
def holder(folder: Path, work: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that says when it holds, and lets go when it is told."""
    script = f"""
import sys
from pathlib import Path
from roundtable.store.lock import item_lock, meta_lock
folder = Path(sys.argv[1])
def wait():
    print("held", flush=True)
    sys.stdin.readline()
{work}
print("free", flush=True)
"""
    source = str(Path(roundtable.__file__).parents[1])
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(folder)],
        env={**os.environ, "PYTHONPATH": source},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def let_go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    assert process.stdout.readline() == "free\n"


def kill(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL


def refusal(folder: Path) -> ItemLocked:
    with pytest.raises(ItemLocked) as caught, item_lock(folder):
        pass
    return caught.value


class TestItemLock:
    def test_another_process_is_refused_at_once_and_told_who_holds_it(self, folder: Path) -> None:
        with holder(folder, HOLD_ITEM) as process:
            info = json.loads((folder / ".journal" / "holder.json").read_bytes())
            assert abs((datetime.fromisoformat(info["since"]) - datetime.now(UTC)).total_seconds()) < 60
            error = refusal(folder)
            assert error.failed == (
                f"offline-forms is in use by process {process.pid} on {platform.node()} "
                f"since {info['since']}."
            )
            assert str(error) == f"{error.failed} {REST}"

    def test_released_it_is_free_for_the_next(self, folder: Path) -> None:
        with holder(folder, HOLD_ITEM) as process:
            let_go(process)
            assert not (folder / ".journal" / "holder.json").exists()
            with item_lock(folder):
                assert (folder / ".journal" / "holder.json").exists()

    def test_one_left_by_a_killed_process_is_taken_over(self, folder: Path) -> None:
        with holder(folder, HOLD_ITEM) as process:
            kill(process)
            assert (folder / ".journal" / "holder.json").exists()
            with item_lock(folder):
                info = json.loads((folder / ".journal" / "holder.json").read_bytes())
                assert info["pid"] == os.getpid()

    def test_taking_it_clears_away_what_killed_writes_left(self, folder: Path) -> None:
        leftover = folder / f".roundtable-{'0f' * 16}.tmp"
        leftover.touch()
        with meta_lock(folder), item_lock(folder):
            assert leftover.exists()
        with item_lock(folder):
            assert not leftover.exists()

    def test_the_same_process_is_refused_too_and_the_first_lock_stays(self, folder: Path) -> None:
        with item_lock(folder):
            for _ in range(2):
                assert refusal(folder).failed.startswith(
                    f"offline-forms is in use by process {os.getpid()} on "
                )
        with item_lock(folder):
            pass

    def test_released_also_when_the_work_fails(self, folder: Path) -> None:
        with pytest.raises(ZeroDivisionError), item_lock(folder):
            raise ZeroDivisionError
        with item_lock(folder):
            refusal(folder)

    def test_two_items_do_not_disturb_each_other(self, folder: Path, tmp_path: Path) -> None:
        other = tmp_path / "other"
        other.mkdir()
        with item_lock(folder), item_lock(other):
            pass

    def test_a_folder_that_is_gone_does_not_come_back(self, tmp_path: Path) -> None:
        with pytest.raises(DiskFailed, match="its folder is gone"), item_lock(tmp_path / "gone"):
            pass
        assert list(tmp_path.iterdir()) == []

    def test_a_renamed_folder_is_released_under_its_old_name(self, folder: Path) -> None:
        with item_lock(folder):
            new = folder.rename(folder.with_name("new"))
        assert not folder.exists()
        with item_lock(new):
            pass

    def test_a_lock_file_that_cannot_be_opened_is_named(self, folder: Path) -> None:
        (folder / ".journal").mkdir()
        (folder / ".journal" / "item.lock").mkdir()
        with pytest.raises(DiskFailed) as caught, item_lock(folder):
            pass
        assert str(caught.value) == (
            f"Could not lock {folder / '.journal' / 'item.lock'}: a folder has that name. "
            "Nothing was changed. Move the folder away. Run the same command again."
        )


class TestHolder:
    """Whatever stands in holder.json, the lock works and the screen stays whole."""

    @pytest.mark.parametrize(
        ("info", "words"),
        [
            (b"", "another process"),
            (b"\xff", "another process"),
            (b"[" * 100_000, "another process"),
            (b"[1]", "another process"),
            (b'{"pid": %s}' % (b"9" * 5000), "another process"),
            (b'{"pid": "x", "host": "box", "since": "noon"}', "another process"),
            (b'{"pid": 7}', "another process"),
            (
                b'{"pid": 7, "host": "\\u001b[31m b\\nox\\u202e", "since": "noon"}',
                "process 7 on b ox since noon",
            ),
        ],
        ids=range(8),
    )
    def test_is_named_as_far_as_it_is_known(self, folder: Path, info: bytes, words: str) -> None:
        with item_lock(folder):
            (folder / ".journal" / "holder.json").write_bytes(info)
            assert refusal(folder).failed == f"offline-forms is in use by {words}."

    def test_may_be_missing_or_a_folder(self, folder: Path) -> None:
        with item_lock(folder):
            (folder / ".journal" / "holder.json").unlink()
            assert refusal(folder).failed == "offline-forms is in use by another process."
            (folder / ".journal" / "holder.json").mkdir()
            assert refusal(folder).failed == "offline-forms is in use by another process."
        with item_lock(folder):
            assert refusal(folder).failed == "offline-forms is in use by another process."


class TestMetaLock:
    def test_another_process_keeps_it_for_too_long(self, folder: Path) -> None:
        with holder(folder, HOLD_META), pytest.raises(ItemLocked) as caught, meta_lock(folder, wait=0.05):
            pytest.fail("both have it")
        assert str(caught.value) == (
            f"Another program has kept {folder / 'meta.json'} for more than 0.05 seconds. "
            "Nothing was changed. Wait until it is done. Run the same command again."
        )

    def test_is_waited_for_10_seconds_at_most(self) -> None:
        assert inspect.signature(meta_lock).parameters["wait"].default == 10

    def test_is_waited_for(self, folder: Path) -> None:
        with holder(folder, HOLD_META) as process:
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()
            with meta_lock(folder):
                pass

    def test_one_left_by_a_killed_process_is_taken_over(self, folder: Path) -> None:
        with holder(folder, HOLD_META) as process:
            kill(process)
            with meta_lock(folder, wait=0):
                pass

    def test_is_given_back_also_when_the_work_fails(self, folder: Path) -> None:
        with pytest.raises(ZeroDivisionError), meta_lock(folder):
            raise ZeroDivisionError
        with meta_lock(folder, wait=0):
            pass

    def test_a_session_on_the_item_does_not_stand_in_its_way(self, folder: Path) -> None:
        with holder(folder, HOLD_ITEM), meta_lock(folder, wait=0):
            pass


class TestJournalFolder:
    def test_is_kept_out_of_version_control(self, folder: Path) -> None:
        assert journal_folder(folder) == folder / ".journal"
        assert (folder / ".journal" / ".gitignore").read_bytes() == b"*\n"

    def test_what_the_user_put_there_stays(self, folder: Path) -> None:
        (folder / ".journal").mkdir()
        (folder / ".journal" / ".gitignore").write_bytes(b"mine\n")
        journal_folder(folder)
        assert (folder / ".journal" / ".gitignore").read_bytes() == b"mine\n"


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("code", [errno.ENOSYS, errno.ENOTSUP])
@pytest.mark.parametrize("leftover", [True, False])
def test_where_the_filesystem_has_no_locks_an_empty_file_holds_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, code: int, leftover: bool
) -> None:
    def refuse(_handle: int, _operation: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(fcntl, "flock", refuse)
    if leftover:
        for name in ("item.lock", "meta.lock"):
            (journal_folder(folder) / name).touch()
    for _ in range(2):
        with item_lock(folder), meta_lock(folder, wait=0):
            assert refusal(folder).failed.startswith("offline-forms is in use by process")


def test_a_lock_file_that_is_a_link_is_not_followed(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("mine")
    (journal_folder(folder) / "item.lock").symlink_to(tmp_path / "outside")
    with pytest.raises(DiskFailed, match=r"Could not lock .*item\.lock"), item_lock(folder):
        pass
    assert (tmp_path / "outside").read_text() == "mine"


def test_importing_the_lock_does_not_import_filelock() -> None:
    source = str(Path(roundtable.__file__).parents[1])
    script = "import sys, roundtable.store.lock; assert 'filelock' not in sys.modules"
    environment = {**os.environ, "PYTHONPATH": source}
    assert subprocess.run([sys.executable, "-c", script], env=environment, check=False).returncode == 0
