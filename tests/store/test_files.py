"""Durable writes: all or nothing, and killed at every point without harm."""

from __future__ import annotations

import errno
import os
import re
import resource
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

import killed
import roundtable
from roundtable.core.errors import DiskFailed
from roundtable.store import files

AGAIN = "Run the same command again."


@contextmanager
def room_for(length: int) -> Iterator[None]:
    """No file may grow beyond this length, as on a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (length, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def usual_mask(mask: int) -> Iterator[None]:
    old = os.umask(mask)
    try:
        yield
    finally:
        os.umask(old)


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def open_handles() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_a_timestamp_is_this_instant_in_utc_with_milliseconds_and_z() -> None:
    before = datetime.now(UTC)
    text = files.timestamp()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", text)
    assert abs((datetime.fromisoformat(text) - before).total_seconds()) < 5


class TestRead:
    def test_gives_the_bytes(self, tmp_path: Path) -> None:
        (tmp_path / "a").write_bytes(b"\xff\r\n\0")
        assert files.read(tmp_path / "a") == b"\xff\r\n\0"

    def test_a_missing_file_is_a_missing_file(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError):
            files.read(tmp_path / "a")

    def test_takes_as_much_as_the_limit_and_no_byte_more(self, tmp_path: Path) -> None:
        path = tmp_path / "a"
        path.write_bytes(b"x" * 1200)
        assert files.read(path, limit=1200) == b"x" * 1200
        with pytest.raises(DiskFailed) as caught:
            files.read(path, limit=1199)
        assert str(caught.value) == (
            f"Could not read {path}: it is larger than 1,199 bytes. "
            "If this is the right file, make it smaller."
        )

    def test_the_usual_limit_is_20_mib(self, tmp_path: Path) -> None:
        path = tmp_path / "a"
        path.touch()
        os.truncate(path, 20 * 1024 * 1024)
        assert len(files.read(path)) == 20 * 1024 * 1024
        os.truncate(path, 20 * 1024 * 1024 + 1)
        with pytest.raises(DiskFailed, match="larger than 20,971,520 bytes"):
            files.read(path)

    def test_a_folder_is_no_file(self, tmp_path: Path) -> None:
        before = open_handles()
        with pytest.raises(DiskFailed) as caught:
            files.read(tmp_path)
        assert str(caught.value) == (
            f"Could not read {tmp_path}: a folder has that name. Move the folder away. {AGAIN}"
        )
        assert caught.value.saved == ""
        assert open_handles() == before

    def test_a_pipe_is_no_file_and_nobody_waits_for_it(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(DiskFailed) as caught:
            files.read(tmp_path / "pipe")
        assert str(caught.value) == (
            f"Could not read {tmp_path / 'pipe'}: it is not a regular file. Put a file in its place. {AGAIN}"
        )

    def test_a_link_in_a_circle_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "a").symlink_to("a")
        with pytest.raises(DiskFailed) as caught:
            files.read(tmp_path / "a")
        assert str(caught.value) == (
            f"Could not read {tmp_path / 'a'}: it is a link that cannot be followed. "
            f"Put a file in its place. {AGAIN}"
        )

    def test_leaves_no_handle_open(self, tmp_path: Path) -> None:
        (tmp_path / "a").write_bytes(b"x")
        before = open_handles()
        files.read(tmp_path / "a")
        assert open_handles() == before


class TestWrite:
    def test_makes_a_new_file_with_the_usual_mode(self, tmp_path: Path) -> None:
        with usual_mask(0o027):
            files.write(tmp_path / "a", b"new")
        assert (tmp_path / "a").read_bytes() == b"new"
        assert mode(tmp_path / "a") == 0o640
        assert names(tmp_path) == ["a"]

    @pytest.mark.parametrize("bits", [0o600, 0o666, 0o755])
    def test_keeps_the_mode_of_the_file(self, tmp_path: Path, bits: int) -> None:
        path = tmp_path / "a"
        path.write_bytes(b"old")
        path.chmod(bits)
        files.write(path, b"new")
        assert path.read_bytes() == b"new"
        assert mode(path) == bits

    def test_whoever_reads_the_old_file_keeps_reading_it(self, tmp_path: Path) -> None:
        path = tmp_path / "a"
        path.write_bytes(b"old")
        with path.open("rb") as reader:
            files.write(path, b"new")
            assert reader.read() == b"old"

    @pytest.mark.parametrize("data", [b"", b"x" * 3_000_000], ids=["empty", "long"])
    def test_any_length(self, tmp_path: Path, data: bytes) -> None:
        files.write(tmp_path / "a", data)
        assert (tmp_path / "a").read_bytes() == data

    def test_a_name_as_long_as_names_may_be(self, tmp_path: Path) -> None:
        files.write(tmp_path / ("n" * 255), b"new")
        assert (tmp_path / ("n" * 255)).read_bytes() == b"new"

    def test_a_folder_that_is_gone_does_not_come_back(self, tmp_path: Path) -> None:
        path = tmp_path / "gone" / "a"
        with pytest.raises(DiskFailed) as caught:
            files.write(path, b"new")
        assert str(caught.value) == (
            f"Could not write {path}: its folder is gone. The file is as it was. "
            f"If the item was renamed or moved, use its new name. {AGAIN}"
        )
        assert names(tmp_path) == []

    def test_a_file_in_place_of_the_folder_counts_as_gone(self, tmp_path: Path) -> None:
        (tmp_path / "gone").touch()
        with pytest.raises(DiskFailed, match="its folder is gone"):
            files.write(tmp_path / "gone" / "a", b"new")

    def test_a_full_disk_leaves_the_old_file_whole_and_nothing_else(self, tmp_path: Path) -> None:
        path = tmp_path / "a"
        path.write_bytes(b"old")
        before = open_handles()
        with room_for(1000), pytest.raises(DiskFailed) as caught:
            files.write(path, b"x" * 1001)
        assert str(caught.value) == (
            f"Could not write {path}: File too large. The file is as it was. {AGAIN}"
        )
        assert path.read_bytes() == b"old"
        assert names(tmp_path) == ["a"]
        assert open_handles() == before

    def test_an_interrupt_leaves_the_old_file_whole_and_nothing_else(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "a"
        path.write_bytes(b"old")

        def interrupt(point: str) -> None:
            if point == "before replace a":
                raise KeyboardInterrupt

        monkeypatch.setattr(files, "checkpoint", interrupt)
        with pytest.raises(KeyboardInterrupt):
            files.write(path, b"new")
        assert path.read_bytes() == b"old"
        assert names(tmp_path) == ["a"]

    def test_what_is_written_first_lies_hidden_beside_the_file_under_a_name_nobody_can_guess(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "a"
        path.write_bytes(b"old")
        path.chmod(0o640)
        seen: list[str] = []

        def look(point: str) -> None:
            if point == "before replace a":
                [temporary] = set(names(tmp_path)) - {"a"}
                assert (tmp_path / temporary).read_bytes() == b"new"
                assert mode(tmp_path / temporary) == 0o640
                assert path.read_bytes() == b"old"
                seen.append(temporary)

        monkeypatch.setattr(files, "checkpoint", look)
        files.write(path, b"new")
        path.write_bytes(b"old")
        files.write(path, b"new")
        assert all(re.fullmatch(r"\.roundtable-[0-9a-f]{32}\.tmp", name) for name in seen)
        assert len(set(seen)) == 2

    def test_a_folder_is_never_replaced(self, tmp_path: Path) -> None:
        (tmp_path / "a").mkdir()
        with pytest.raises(DiskFailed, match="a folder has that name"):
            files.write(tmp_path / "a", b"new")
        assert names(tmp_path) == ["a"]

    def test_a_pipe_is_never_replaced(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(DiskFailed, match="it is not a regular file"):
            files.write(tmp_path / "pipe", b"new")
        assert (tmp_path / "pipe").is_fifo()

    @pytest.mark.skipif(os.geteuid() == 0, reason="nothing is protected from root")
    def test_a_protected_file_is_respected(self, tmp_path: Path) -> None:
        path = tmp_path / "a"
        path.write_bytes(b"old")
        path.chmod(0o444)
        with pytest.raises(DiskFailed) as caught:
            files.write(path, b"new")
        assert str(caught.value) == (
            f"Could not write {path}: permission is denied. The file is as it was. "
            f"Check who owns the file and its folder. {AGAIN}"
        )
        assert path.read_bytes() == b"old"


class TestWriteAtALink:
    def test_the_link_is_replaced_and_its_target_left_alone(self, tmp_path: Path) -> None:
        target, link = tmp_path / "target", tmp_path / "link"
        target.write_bytes(b"old")
        target.chmod(0o600)
        link.symlink_to(target)
        with usual_mask(0o022):
            files.write(link, b"new")
        assert not link.is_symlink()
        assert link.read_bytes() == b"new"
        assert mode(link) == 0o644
        assert target.read_bytes() == b"old"


class TestAppend:
    def test_creates_the_file_and_then_adds_to_it(self, tmp_path: Path) -> None:
        path = tmp_path / "log"
        with usual_mask(0o027):
            files.append(path, b"one\n")
        files.append(path, b"two\n")
        assert path.read_bytes() == b"one\ntwo\n"
        assert mode(path) == 0o640

    @pytest.mark.parametrize("data", [b"", b"1", b"12", b"123", b"x" * 3_000_000])
    def test_any_length(self, tmp_path: Path, data: bytes) -> None:
        path = tmp_path / "log"
        path.write_bytes(b"old ")
        files.append(path, data)
        assert path.read_bytes() == b"old " + data

    def test_a_folder_that_is_gone_does_not_come_back(self, tmp_path: Path) -> None:
        path = tmp_path / "gone" / "log"
        with pytest.raises(DiskFailed) as caught:
            files.append(path, b"one\n")
        assert str(caught.value) == (
            f"Could not add to {path}: its folder is gone. What it held before is whole. "
            f"If the item was renamed or moved, use its new name. {AGAIN}"
        )
        assert names(tmp_path) == []

    @pytest.mark.parametrize("room", [4, 5, 8, 13])
    def test_a_full_disk_takes_all_of_it_back(self, tmp_path: Path, room: int) -> None:
        path = tmp_path / "log"
        path.write_bytes(b"old\n")
        before = open_handles()
        with room_for(room), pytest.raises(DiskFailed) as caught:
            files.append(path, b"0123456789")
        assert str(caught.value) == (
            f"Could not add to {path}: File too large. What it held before is whole. {AGAIN}"
        )
        assert path.read_bytes() == b"old\n"
        assert open_handles() == before

    def test_a_file_that_another_process_makes_meanwhile_is_added_to(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "log"
        path.write_bytes(b"theirs\n")
        monkeypatch.setattr(os.path, "lexists", lambda _path: False)
        files.append(path, b"ours\n")
        with room_for(14), pytest.raises(DiskFailed):
            files.append(path, b"0123456789")
        assert path.read_bytes() == b"theirs\nours\n"

    def test_a_full_disk_leaves_no_new_file(self, tmp_path: Path) -> None:
        with room_for(6), pytest.raises(DiskFailed):
            files.append(tmp_path / "log", b"0123456789")
        assert names(tmp_path) == []

    def test_a_disk_that_fails_to_the_last_leaves_no_new_file(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(_handle: int) -> None:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

        monkeypatch.setattr(os, "fsync", fail)
        with pytest.raises(DiskFailed):
            files.append(tmp_path / "log", b"one\n")
        assert names(tmp_path) == []

    def test_an_interrupt_takes_it_back(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = tmp_path / "log"
        path.write_bytes(b"old\n")
        seen: list[bytes] = []

        def interrupt(point: str) -> None:
            if point == "half append log":
                seen.append(path.read_bytes())
                raise KeyboardInterrupt

        monkeypatch.setattr(files, "checkpoint", interrupt)
        with pytest.raises(KeyboardInterrupt):
            files.append(path, b"0123456789")
        assert seen == [b"old\n01234"]
        assert path.read_bytes() == b"old\n"

    @pytest.mark.parametrize(
        ("make", "reason"),
        [
            (lambda path: path.symlink_to("elsewhere"), "it is a link that cannot be followed"),
            (os.mkfifo, "it is not a regular file"),
            (Path.mkdir, "a folder has that name"),
        ],
        ids=["link", "pipe", "folder"],
    )
    def test_only_to_a_file(self, tmp_path: Path, make: Callable[[Path], None], reason: str) -> None:
        make(tmp_path / "log")
        with pytest.raises(DiskFailed, match=reason):
            files.append(tmp_path / "log", b"one\n")
        assert names(tmp_path) == ["log"]

    def test_a_pipe_that_somebody_reads_is_no_file_either(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "log")
        reader = os.open(tmp_path / "log", os.O_RDONLY | os.O_NONBLOCK)
        try:
            with pytest.raises(DiskFailed, match="it is not a regular file"):
                files.append(tmp_path / "log", b"one\n")
            assert os.read(reader, 10) == b""
        finally:
            os.close(reader)


class TestFolders:
    def test_made_once(self, tmp_path: Path) -> None:
        assert files.make_folder(tmp_path / "a") is True
        assert files.make_folder(tmp_path / "a") is False
        assert (tmp_path / "a").is_dir()

    def test_the_folders_above_are_made_only_when_asked_for(self, tmp_path: Path) -> None:
        with pytest.raises(DiskFailed) as caught:
            files.make_folder(tmp_path / "a" / "b")
        assert str(caught.value) == (
            f"Could not create the folder {tmp_path / 'a' / 'b'}: its folder is gone. Nothing was changed. "
            f"If the item was renamed or moved, use its new name. {AGAIN}"
        )
        assert names(tmp_path) == []
        assert files.make_folder(tmp_path / "a" / "b" / "c", parents=True) is True
        assert (tmp_path / "a" / "b" / "c").is_dir()

    def test_a_file_of_that_name_stays(self, tmp_path: Path) -> None:
        (tmp_path / "a").write_bytes(b"old")
        with pytest.raises(DiskFailed) as caught:
            files.make_folder(tmp_path / "a")
        assert str(caught.value) == (
            f"Could not create the folder {tmp_path / 'a'}: something else has that name. "
            f"Nothing was changed. Move it away. {AGAIN}"
        )
        assert (tmp_path / "a").read_bytes() == b"old"


class TestRenameAndRemove:
    def test_renames(self, tmp_path: Path) -> None:
        (tmp_path / "a").write_bytes(b"old")
        files.rename(tmp_path / "a", tmp_path / "b")
        assert names(tmp_path) == ["b"]
        assert (tmp_path / "b").read_bytes() == b"old"

    @pytest.mark.parametrize(
        "make",
        [Path.touch, Path.mkdir, lambda path: path.symlink_to("nowhere")],
        ids=["file", "folder", "dangling link"],
    )
    def test_never_over_anything(self, tmp_path: Path, make: Callable[[Path], None]) -> None:
        (tmp_path / "a").write_bytes(b"old")
        make(tmp_path / "b")
        with pytest.raises(DiskFailed) as caught:
            files.rename(tmp_path / "a", tmp_path / "b")
        assert str(caught.value) == (
            f"Could not give the name b to {tmp_path / 'a'}: something else has that name. "
            f"Nothing was changed. Move it away. {AGAIN}"
        )
        assert (tmp_path / "a").read_bytes() == b"old"

    def test_a_dangling_link_can_be_renamed_and_a_missing_file_cannot(self, tmp_path: Path) -> None:
        (tmp_path / "a").symlink_to("nowhere")
        files.rename(tmp_path / "a", tmp_path / "b")
        assert (tmp_path / "b").is_symlink()
        with pytest.raises(FileNotFoundError):
            files.rename(tmp_path / "a", tmp_path / "c")

    def test_removes_and_a_missing_file_is_fine(self, tmp_path: Path) -> None:
        (tmp_path / "a").touch()
        files.remove(tmp_path / "a")
        files.remove(tmp_path / "a")
        assert names(tmp_path) == []

    def test_a_folder_is_not_removed(self, tmp_path: Path) -> None:
        (tmp_path / "a").mkdir()
        with pytest.raises(DiskFailed) as caught:
            files.remove(tmp_path / "a")
        assert caught.value.failed.startswith(f"Could not remove {tmp_path / 'a'}: ")
        assert caught.value.saved == "The file is as it was."
        assert names(tmp_path) == ["a"]

    def test_only_leftovers_are_swept(self, tmp_path: Path) -> None:
        (tmp_path / "inner").mkdir()
        ours, folder = f".roundtable-{'0f' * 16}.tmp", f".roundtable-{'1e' * 16}.tmp"
        others = (".other.tmp", ".roundtable-1.tmp", ".roundtable-notes.tmp", "meta.json", "x.tmp")
        for name in (ours, f"inner/{ours}", *others):
            (tmp_path / name).touch()
        (tmp_path / folder).mkdir()
        files.sweep(tmp_path)
        assert names(tmp_path) == sorted([*others, folder, "inner"])
        assert names(tmp_path / "inner") == []


@pytest.fixture
def durable(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was made durable, and the points that were reached, in order."""
    seen: list[str] = []
    sync = os.fsync

    def watch(handle: int) -> None:
        sync(handle)
        seen.append("sync folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "sync file")

    monkeypatch.setattr(os, "fsync", watch)
    monkeypatch.setattr(files, "checkpoint", lambda point: seen.append(point.rsplit(" ", 1)[0]))
    return seen


class TestDurable:
    """Data is on the disk before its name is, and the name before anybody goes on."""

    def test_a_write(self, tmp_path: Path, durable: list[str]) -> None:
        before = open_handles()
        files.write(tmp_path / "a", b"new")
        assert durable == ["before write", "sync file", "before replace", "sync folder", "after write"]
        assert open_handles() == before

    def test_an_append(self, tmp_path: Path, durable: list[str]) -> None:
        files.append(tmp_path / "log", b"one\n")
        files.append(tmp_path / "log", b"two\n")
        again = ["before append", "half append", "sync file"]
        assert durable == [*again, "sync folder", "after append", *again, "after append"]

    def test_an_append_that_is_taken_back(self, tmp_path: Path, durable: list[str]) -> None:
        (tmp_path / "log").touch()
        with room_for(2), pytest.raises(DiskFailed):
            files.append(tmp_path / "log", b"one\n")
        assert durable == ["before append", "half append", "sync file"]

    def test_names(self, tmp_path: Path, durable: list[str]) -> None:
        (tmp_path / "a").touch()
        files.make_folder(tmp_path / "folder")
        files.make_folder(tmp_path / "folder")
        files.rename(tmp_path / "a", tmp_path / "b")
        files.remove(tmp_path / "b")
        assert durable == [
            *("before folder", "sync folder", "after folder"),
            *("before rename", "sync folder", "after rename"),
            *("before remove", "sync folder", "after remove"),
        ]


@pytest.mark.parametrize(
    ("number", "reason", "do"),
    [
        (errno.ENOSPC, "the disk is full", f"Free some space. {AGAIN}"),
        (errno.EDQUOT, "Disk quota exceeded", AGAIN),
        (errno.EROFS, "the disk is read-only", f"Make it writable. {AGAIN}"),
        (errno.EACCES, "permission is denied", f"Check who owns the file and its folder. {AGAIN}"),
        (errno.EPERM, "permission is denied", f"Check who owns the file and its folder. {AGAIN}"),
        (errno.EIO, "Input/output error", AGAIN),
    ],
)
def test_the_reason_is_said_in_plain_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, reason: str, do: str
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def fail(point: str) -> None:
        if point == "before replace a":
            raise OSError(number, os.strerror(number))

    monkeypatch.setattr(files, "checkpoint", fail)
    with pytest.raises(DiskFailed) as caught:
        files.write(path, b"new")
    assert caught.value.failed == f"Could not write {path}: {reason}."
    assert caught.value.saved == "The file is as it was."
    assert caught.value.do == do
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["a"]


class TestKilledAtEveryPoint:
    """A real process ends itself at each point; what is on disk then is the old state or the new one."""

    SCRIPT = """
import sys
from pathlib import Path
from killed import watch
from roundtable.store import files
watch(int(sys.argv[2]), Path(sys.argv[3]))
root = Path(sys.argv[1])
files.make_folder(root / "inner")
files.write(root / "a", b"new")
files.append(root / "log", b"second\\n")
files.rename(root / "b", root / "c")
files.remove(root / "d")
"""
    POINTS = (
        "before folder inner",
        "after folder inner",
        "before write a",
        "before replace a",
        "after write a",
        "before append log",
        "half append log",
        "after append log",
        "before rename b",
        "after rename b",
        "before remove d",
        "after remove d",
    )

    def run(self, root: Path, kill_at: int, log: Path) -> int:
        root.mkdir()
        (root / "a").write_bytes(b"old")
        (root / "log").write_bytes(b"first\n")
        (root / "b").touch()
        (root / "d").touch()
        folders = (Path(roundtable.__file__).parents[1], Path(killed.__file__).parent)
        command = [sys.executable, "-c", self.SCRIPT, str(root), str(kill_at), str(log)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))}
        return subprocess.run(command, env=environment, check=False).returncode

    def test_the_points_are_noted_in_their_order(self, tmp_path: Path) -> None:
        log = tmp_path / "points"
        assert self.run(tmp_path / "root", 0, log) == 0
        assert tuple(log.read_text().splitlines()) == self.POINTS

    @pytest.mark.parametrize("number", range(1, len(POINTS) + 1), ids=POINTS)
    def test_old_or_new(self, tmp_path: Path, number: int) -> None:
        root, log = tmp_path / "root", tmp_path / "points"
        status = self.run(root, number, log)
        assert status == -signal.SIGKILL
        assert tuple(log.read_text().splitlines()) == self.POINTS[:number]
        assert (root / "inner").exists() == (number >= 2)
        assert (root / "a").read_bytes() == (b"new" if number >= 5 else b"old")
        added = b"" if number < 7 else b"sec" if number == 7 else b"second\n"
        assert (root / "log").read_bytes() == b"first\n" + added
        assert (root / "b").exists() == (number < 10)
        assert (root / "c").exists() == (number >= 10)
        assert (root / "d").exists() == (number < 12)
        left = [name for name in names(root) if name.endswith(".tmp")]
        assert len(left) == (1 if number == 4 else 0)
        files.sweep(root)
        assert not [name for name in names(root) if name.endswith(".tmp")]


def test_nothing_waits_at_the_points_by_default() -> None:
    source = str(Path(roundtable.__file__).parents[1])
    script = "from roundtable.store import files; [files.checkpoint('before write x') for _ in range(200)]"
    environment = {key: value for key, value in os.environ.items() if not key.startswith("ROUNDTABLE_")}
    environment["PYTHONPATH"] = source
    assert subprocess.run([sys.executable, "-c", script], env=environment, check=False).returncode == 0
