"""Files, locks and what steps wrote, at their edges: clocks, races, modes, threads."""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from roundtable.core.errors import DiskFailed, ItemLocked
from roundtable.store import files
from roundtable.store.lock import item_lock


@pytest.fixture
def everything_allowed() -> Iterator[None]:
    old = os.umask(0)
    yield
    os.umask(old)


@pytest.fixture
def tokyo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.rule("META-5")
def test_a_timestamp_is_in_utc_wherever_the_clock_hangs(tokyo: None) -> None:
    instant = datetime.fromisoformat(files.timestamp())
    assert abs((instant - datetime.now(UTC)).total_seconds()) < 60


def test_a_folder_that_another_made_meanwhile_is_not_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "new"
    monkeypatch.setattr(files, "checkpoint", lambda point: folder.mkdir(exist_ok=True))
    assert files.make_folder(folder) is False


def test_while_it_is_written_a_file_is_for_its_owner_alone(
    tmp_path: Path, everything_allowed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "secret.md"
    path.write_bytes(b"old")
    path.chmod(0o640)
    seen: list[int] = []
    fchmod = os.fchmod

    def watched(handle: int, mode: int) -> None:
        seen.append(stat.S_IMODE(os.fstat(handle).st_mode))
        fchmod(handle, mode)

    monkeypatch.setattr(os, "fchmod", watched)
    files.write(path, b"new")
    assert seen == [0o600]
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_file_that_is_added_to_starts_with_the_usual_mode(tmp_path: Path, everything_allowed: None) -> None:
    files.append(tmp_path / "log", b"x")
    assert stat.S_IMODE((tmp_path / "log").stat().st_mode) == 0o666


def test_a_failure_without_a_number_is_said_in_its_own_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(point: str) -> None:
        if point.startswith("before replace"):
            raise OSError("the tape ran out")

    monkeypatch.setattr(files, "checkpoint", fail)
    with pytest.raises(DiskFailed) as caught:
        files.write(tmp_path / "a", b"x")
    assert str(caught.value) == (
        f"Could not write {tmp_path / 'a'}: the tape ran out. "
        "The file is as it was. Run the same command again."
    )
    assert list(tmp_path.iterdir()) == []


# --- the lock -------------------------------------------------------------------------------------------


def test_a_lock_taken_in_one_thread_is_given_back_in_another(folder: Path) -> None:
    lock = item_lock(folder)
    thread = threading.Thread(target=lock.__enter__)
    thread.start()
    thread.join()
    with pytest.raises(ItemLocked), item_lock(folder):
        pass
    lock.__exit__(None, None, None)
    with item_lock(folder):
        pass


def test_an_item_whose_meta_lock_cannot_be_used_is_still_locked(folder: Path) -> None:
    (folder / ".journal" / "meta.lock").mkdir(parents=True)
    with item_lock(folder), pytest.raises(ItemLocked), item_lock(folder):
        pass
