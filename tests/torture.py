"""Kill the program at random instants, break the disk under it, and count what was lost.

Run it with `make torture KILLS=10000`. With `TMPDIR` on a disk in memory it is several times as fast.

One conversation after another, through the command line, MCP or the web room: a discussion of real turns, a
synthesis (reviewed before it is written), feedback, and its undo. First each door is killed at every single
system call that writes, then each conversation is cut off again and again, at a random instant or at a random
call, and goes on through the same door. In between something is in the way: see `FAULTS`. When the words are
used up, the invariants are looked at. A seed repeats a run as far as the clock of the machine allows.
"""

from __future__ import annotations

import argparse
import errno
import gc
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, TextIO

from doors import REVIEWED, WORDS, CommandLine, Conversation, Mcp, WebRoom
from gitproject import git
from insertions import find_insertion
from project import meta, project, small_steps, talk
from roundtable.settings import Settings
from roundtable.store import files
from roundtable.surfaces.mcp.server import RoundtableServer
from roundtable.surfaces.mcp.sessions import HostedSessions

DOORS: tuple[type[Conversation], ...] = (CommandLine, Mcp, WebRoom)
WEIGHTS = (6, 4, 2)
"""How often each door is taken: a conversation in the web room takes three times as long."""
DOCUMENT = "quick-scan.md"
FAULTS = (
    "full disk", "file limit", "fsync error", "read-only", "two processes",
    "power cut", "clock back", "edits", "checkout", "checkout while it waits",
)  # fmt: skip
FAULT_SHARE = 0.15
MOST_CUTS = 40
FEW_CALLS = 14
"""A run goes on for so many calls that write, at most, so that a conversation takes many."""
NOBODY = 65534
NOTE = "\nA note by a colleague, number {}.\n"
_NOTES = re.compile(rb"\nA note by a colleague, number \d+\.\n")
Where = Literal["before", "half", "after"]
WHERE: tuple[Where, ...] = ("before", "half", "after")


@dataclass
class Count:
    """What was done, and what must stay at nought."""

    conversations: Counter[str] = field(default_factory=Counter)
    kills: Counter[str] = field(default_factory=Counter)
    kills_at_system_calls: int = 0
    kills_after: Counter[str] = field(default_factory=Counter)
    """How many kills came after these words of the user, or before any in that run."""
    faults: Counter[str] = field(default_factory=Counter)
    events_cut_off: int = 0
    """How many journals lost what was not synced."""
    turns_spoken: int = 0
    turns_lost: int = 0
    turns_changed: int = 0
    documents_changed_otherwise: int = 0
    records_doubled: int = 0
    records_refused: int = 0
    """How often meta.json could not be written, which was said; document and transcript stand (META-7)."""
    other_failures: int = 0
    problems: list[str] = field(default_factory=list)

    @property
    def is_sound(self) -> bool:
        wrong = self.turns_lost + self.turns_changed + self.documents_changed_otherwise + self.records_doubled
        return wrong + self.other_failures == 0

    def blame(self, field_name: str, what: str, amount: int = 1) -> None:
        """Count a broken invariant, and keep the first few for a person."""
        if amount:
            setattr(self, field_name, getattr(self, field_name) + amount)
            if len(self.problems) < 20:
                self.problems.append(what)

    def note(self, talked: Conversation, status: int, *, at_call: bool = False) -> None:
        """Count a run that was killed."""
        if status == -signal.SIGKILL and not talked.is_over:
            self.kills[talked.door] += 1
            self.kills_after[talked.sent or "nothing yet"] += 1
            self.kills_at_system_calls += at_call


class SystemCalls:
    """Stands before the calls that write, in the process that it is installed in, and acts at the nth."""

    NAMES = ("write", "fsync", "open", "replace", "rename", "unlink", "mkdir", "ftruncate", "fchmod")

    def __init__(self, act: Callable[[int, str], None], half: int = 0) -> None:
        """`act` is called before each with its number and name; of write number `half` only half is done."""
        self._act, self._half, self._passed = act, half, 0

    def install(self) -> None:
        for name in self.NAMES:
            setattr(os, name, partial(self._call, name, getattr(os, name)))

    def _call(self, name: str, call: Callable[..., Any], *words: Any, **more: Any) -> Any:
        if name == "open" and not words[1] & os.O_CREAT:
            return call(*words, **more)
        self._passed += 1
        if name == "write" and self._passed == self._half:
            call(words[0], bytes(words[1])[: len(words[1]) // 2])
            kill()
        self._act(self._passed, name)
        return call(*words, **more)


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def kill_at(number: int, where: Where) -> None:
    """Let this process be killed at so many calls that write: before it, in the middle or after it."""
    last = number + (where == "after")
    SystemCalls(lambda at, _: kill() if at == last else None, number if where == "half" else 0).install()


def fail_from(number: int, name: str, reason: int, *, once: bool) -> None:
    """Let the calls of that name fail in this process, from the nth on or only that one."""
    seen = 0

    def act(_: int, called: str) -> None:
        nonlocal seen
        seen += called == name
        if called == name and (seen == number or (seen > number and not once)):
            raise OSError(reason, os.strerror(reason))

    SystemCalls(act).install()


def log_syncs(log: Path) -> None:
    """Write down how long each file was when it was synced."""
    handle, write = os.open(log, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o666), os.write
    sync, fstat, name_of = os.fsync, os.fstat, os.readlink

    def note(file: int) -> None:
        sync(file)
        write(handle, f"{fstat(file).st_size} {name_of(f'/proc/self/fd/{file}')}\n".encode())

    os.fsync = note  # type: ignore[assignment]


def log_calls(log: Path) -> None:
    """Write a letter for each call that writes into a file of its own."""
    handle, write = os.open(log, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o666), os.write

    def act(_: int, name: str) -> None:
        write(handle, name[0].encode())

    SystemCalls(act).install()


def limit_files(size: int) -> None:
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def set_clock_back(by: timedelta) -> None:
    """Let this process tell an earlier time."""

    class Earlier(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return datetime.now(tz) - by

    files.datetime = Earlier  # type: ignore[attr-defined]


def drop_rights() -> None:
    """Become somebody who may only read; root could write to protected files as well."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def make_project(root: Path) -> str:
    """Make a project at the menu of its first completed step, in git, and return its item's name."""
    _, item = project(root)
    small_steps(root)
    talk(root, item, ["The inspector retypes forms.", "60 inspectors"])
    git(root, "init", "-q", "-b", "main", "--template=")
    git(root, "commit", "-q", "--allow-empty", "-m", "Nothing yet")
    git(root, "branch", "elsewhere")
    git(root, "add", "--all")
    git(root, "commit", "-q", "-m", "An item")
    return item.name


class Torture:
    """Holds conversations in copies of one project, and counts."""

    def __init__(self, base: Path, seed: int) -> None:
        base.chmod(0o755)
        self.count, self.chance, self._base = Count(), random.Random(seed), base
        self._prepared = base / "prepared"
        self.item = make_project(self._prepared)
        self._original = (self._prepared / "docs/requirements" / self.item / DOCUMENT).read_bytes()
        self._usual: dict[str, float] = {}
        self._warm_up()

    def run(self, kills: int, *, every_call: bool, say: Callable[[str], None] = lambda _: None) -> Count:
        """Kill so many times, or a few more, and return the figures."""
        count, chance = self.count, self.chance
        for door in DOORS:
            log = self._base / "calls"
            log.unlink(missing_ok=True)
            with self._conversation(door) as talked:
                began = time.monotonic()
                talked.run(prepare=partial(log_calls, log))
                self._usual[door.door] = time.monotonic() - began
                self._finish(talked)
            calls = log.read_text()
            for number, letter in enumerate(calls, 1) if every_call else ():
                for where in WHERE[: 1 + (letter == "w")]:
                    with self._conversation(door) as talked:
                        count.note(talked, talked.run(prepare=partial(kill_at, number, where)), at_call=True)
                        self._finish(talked)
            say(f"{door.door}: {len(calls)} calls that write, {sum(count.kills.values())} kills so far")
        while sum(count.kills.values()) < kills:
            (door,) = chance.choices(DOORS, WEIGHTS)
            with self._conversation(door) as talked:
                self._cut_off(talked, min(MOST_CUTS, kills - sum(count.kills.values())))
                self._finish(talked)
            if sum(count.conversations.values()) % 25 == 0:
                say(json.dumps(vars(count)))
        return count

    def _warm_up(self) -> None:
        """Let this process read and import whatever a conversation needs, since the others are copies."""
        for module in ("uvicorn", "roundtable.surfaces.cli.program", "roundtable.surfaces.web.app"):
            import_module(module)
        root = self._copy("warm")
        talk(root, root / "docs/requirements" / self.item, WORDS, panel=None)
        RoundtableServer(HostedSessions(Settings(root)))
        shutil.rmtree(root)
        gc.collect()
        gc.freeze()

    @contextmanager
    def _conversation(self, door: type[Conversation]) -> Iterator[Conversation]:
        """Begin a conversation in a project of its own; look at what it left behind afterwards."""
        self.count.conversations[door.door] += 1
        root = self._copy(str(self.count.conversations.total()))
        is_piped = door is CommandLine and self.chance.random() < 0.5
        talked = door(root, self.item, self._base / "log", WORDS if is_piped else REVIEWED)
        yield talked
        self._look(talked)
        shutil.rmtree(root)

    def _copy(self, name: str) -> Path:
        shutil.copytree(self._prepared, self._base / name, symlinks=True)
        return self._base / name

    def _cut_off(self, talked: Conversation, cuts: int) -> None:
        """Hold a conversation, cut off up to so many times."""
        chance, count = self.chance, self.count
        for _ in range(cuts):
            if chance.random() < FAULT_SHARE:
                self._break(talked)
                if talked.is_over:
                    return
            usual = self._usual[talked.door]
            kind = chance.randrange(5)
            if kind == 0:
                count.note(talked, talked.run(seconds=chance.random() * usual))
            elif kind < 3:
                talked.cut = chance.random() * usual / len(talked.words)
                count.note(talked, talked.run())
                talked.cut = None
            else:
                where = chance.choice(WHERE)
                ended = talked.run(prepare=partial(kill_at, chance.randint(1, FEW_CALLS), where))
                count.note(talked, ended, at_call=True)
            if talked.is_over:
                return

    def _finish(self, talked: Conversation) -> None:
        """Whatever happened, the same command goes on, and comes to the end."""
        status = 0
        for _ in range(3):
            status = talked.run()
            if talked.is_over:
                return
        self._blame("other_failures", talked, f"it ended with status {status} after {talked.used} words")

    def _break(self, talked: Conversation) -> None:
        """Put something in the program's way, for one run; afterwards all is as it was."""
        chance, count = self.chance, self.count
        fault = chance.choice(FAULTS)
        count.faults[fault] += 1
        talked.faults.append(fault)
        folder = talked.root / "docs" / "requirements" / talked.item
        match fault:
            case "full disk":
                talked.run(
                    prepare=partial(fail_from, chance.randint(1, 40), "write", errno.ENOSPC, once=False)
                )
            case "file limit":
                talked.run(prepare=partial(limit_files, chance.randint(0, 60_000)))
            case "fsync error":
                once = chance.random() < 0.5
                talked.run(prepare=partial(fail_from, chance.randint(1, 40), "fsync", errno.EIO, once=once))
            case "read-only":
                modes = {
                    path: path.stat().st_mode for path in (folder, folder / ".journal", *folder.glob("*"))
                }
                for path, mode in modes.items():
                    path.chmod(mode & 0o555)
                talked.run(prepare=drop_rights)
                for path, mode in modes.items():
                    path.chmod(mode)
            case "two processes":
                self._run_two(talked)
            case "power cut":
                self._cut_power(talked, folder / ".journal")
            case "clock back":
                for path in (folder / ".journal").glob("*.jsonl"):
                    earlier = time.time() - chance.randint(1, 100_000)
                    os.utime(path, (earlier, earlier))
                back = timedelta(seconds=chance.randint(1, 200_000))
                number, where = chance.randint(1, FEW_CALLS), chance.choice(WHERE)

                def go_back_and_die() -> None:
                    set_clock_back(back)
                    kill_at(number, where)

                count.note(talked, talked.run(prepare=go_back_and_die), at_call=True)
            case "edits":
                talked.disturb = partial(self._edit, folder)
            case "checkout":
                self._check_out(talked)
                if talked.run() == 0 and talked.is_over:
                    self._blame("other_failures", talked, "without the item the command ended well")
                self._check_in(talked)
            case "checkout while it waits":
                talked.disturb = partial(self._check_out, talked)
                talked.run()
                self._check_in(talked)
                talked.disturb = None
            case _:
                raise AssertionError(fault)

    def _run_two(self, talked: Conversation) -> None:
        door = self.chance.choice(DOORS)
        other = door(talked.root, talked.item, talked.log, REVIEWED, used=len(REVIEWED))
        first = talked.open(seconds=self.chance.random() * self._usual[talked.door])
        second = other.open()
        self.count.note(talked, talked.hold(first))
        other.hold(second)
        # The other one may have had the item first, and heard turns that wait for nobody.
        talked.changed += other.changed
        talked.elsewhere |= set(other.turns)

    def _cut_power(self, talked: Conversation, journals: Path) -> None:
        """Kill the program, and take back what it appended to a journal after the last sync."""
        log, number, where = self._base / "syncs", self.chance.randint(1, 60), self.chance.choice(WHERE)
        log.write_bytes(b"")
        before = {str(path): path.stat().st_size for path in journals.glob("*.jsonl")}

        def run_out() -> None:
            log_syncs(log)
            kill_at(number, where)

        self.count.note(talked, talked.run(prepare=run_out), at_call=True)
        sizes = (line.partition(" ") for line in log.read_text().splitlines())
        synced = {name: int(size) for size, _, name in sizes}
        for path in journals.glob("*.jsonl"):
            head = len(path.read_bytes().partition(b"\n")[0]) + 1  # it is synced before it gets its name
            size = synced.get(str(path), before.get(str(path), head))
            if size < path.stat().st_size:
                os.truncate(path, size)
                self.count.events_cut_off += 1

    def _edit(self, folder: Path) -> None:
        """Write into the same files as somebody with an editor."""
        number = self.chance.randint(1, 10**9)
        for name in (DOCUMENT, "meta.json"):
            data = (folder / name).read_bytes()
            if name == DOCUMENT:
                data += NOTE.format(number).encode()
            else:
                data = json.dumps({**json.loads(data), "team": "ours"}, indent=2).encode()
            (folder / ".edited").write_bytes(data)
            (folder / ".edited").replace(folder / name)

    def _check_out(self, talked: Conversation) -> None:
        """Check out a branch that does not have the item."""
        git(talked.root, "add", "--all")
        git(talked.root, "commit", "-q", "--allow-empty", "-m", "So far")
        git(talked.root, "checkout", "-q", "elsewhere")

    def _check_in(self, talked: Conversation) -> None:
        """Check that nothing was made on the other branch, and go back."""
        if git(talked.root, "branch", "--show-current").strip() == "main":
            return  # it ended before it waited
        if left := git(talked.root, "status", "--porcelain"):
            self._blame("other_failures", talked, f"on a branch without the item it made {left}")
        git(talked.root, "checkout", "-q", "main")

    def _look(self, talked: Conversation) -> None:
        """Count what the conversation left behind, against what was shown of it."""
        item = talked.root / "docs" / "requirements" / talked.item
        blame, found = partial(self._blame, talked=talked), meta(item)
        shown = talked.elsewhere | set(talked.turns)
        self.count.turns_spoken += len(shown)
        blame("other_failures", what="a run did not end", amount=talked.late)
        blame("turns_changed", what="a turn was shown with other words", amount=talked.changed)
        document = (item / DOCUMENT).read_bytes()
        texts = [path.read_text() for path in (item / "elaborations").glob("*.md")]
        kept = {int(number) for text in texts for number in re.findall(r'<a id="turn-(\d+)"></a>', text)}
        lost = sorted(shown - kept)
        blame("turns_lost", what=f"turns {lost} are in no transcript", amount=len(lost))
        records, markers = found["elaborations"], document.count(b"<!-- Elaboration:")
        doubled = max(len(records), len(texts), markers, 1) - 1
        blame("records_doubled", what=f"{len(records)} records, {markers} blocks", amount=doubled)
        for words in WORDS[1:3]:
            said = sum(text.count(f"{words}\n") for text in texts)
            blame("records_doubled", what=f"{words!r} was said {said} times", amount=abs(said - 1))
        if not records and markers == 1 and talked.was_refused:
            self.count.records_refused += 1
        elif len(records) != 1 or markers != 1 or records[0]["turn_count"] != len(kept):
            turns = [record["turn_count"] for record in records]
            blame(
                "other_failures", what=f"records of {turns} turns, {markers} blocks, {len(kept)} turns kept"
            )
        notes = _NOTES.findall(document)
        if find_insertion(self._original, _NOTES.sub(b"", document)) is None or len(set(notes)) < len(notes):
            blame("documents_changed_otherwise", what=f"{DOCUMENT} is not the old one and a block")
        if notes and found.get("team") != "ours":
            blame("documents_changed_otherwise", what="what somebody wrote into meta.json is gone")
        if left := [path.name for path in item.rglob(".roundtable-*")]:
            blame("other_failures", what=f"left behind {left}")

    def _blame(self, field_name: str, talked: Conversation, what: str, amount: int = 1) -> None:
        where = f"{talked.door}, conversation {self.count.conversations.total()}, after {talked.faults}"
        self.count.blame(field_name, f"{where}: {what}", amount)


def torture(kills: int, seed: int, *, every_call: bool, say: Callable[[str], None]) -> Count:
    """Hold conversations until so many kills were survived, or not, and return the figures."""
    with tempfile.TemporaryDirectory(prefix="torture-") as name:
        os.environ |= {"HOME": name, "XDG_CONFIG_HOME": name, "ROUNDTABLE_PANEL": "offline"}
        return Torture(Path(name), seed).run(kills, every_call=every_call, say=say)


def main() -> int:
    """Return 0 if every invariant held."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--every-call", action="store_true", help="first at each single call that writes")
    given = parser.parse_args()
    seed = random.randrange(2**32) if given.seed is None else given.seed
    began = time.monotonic()
    count = torture(given.kills, seed, every_call=given.every_call, say=lambda text: _say(sys.stderr, text))
    figures = {"seed": seed, "seconds": round(time.monotonic() - began), **vars(count)}
    _say(sys.stdout, json.dumps(figures, indent=1))
    return 0 if count.is_sound else 1


def _say(stream: TextIO, text: str) -> None:
    stream.write(f"{text}\n")
    stream.flush()


if __name__ == "__main__":
    sys.exit(main())
