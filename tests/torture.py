"""Kill the program at random instants, break the disk under it, and count what was lost.

Run it with `make torture KILLS=1000`.

One conversation after another: answers, a discussion of real turns, a synthesis (in every third one reviewed
before it is written), feedback, and its undo. Each is cut off again and again, at a random instant or at a
random write, and goes on with the same command. Between two runs the disk is full, the documents are
protected, another process has the item, or another branch is checked out. When the words are used up, the
invariants are looked at. A seed repeats a run as far as chance and the clock of the machine allow.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from gitproject import git
from insertions import find_insertion
from project import meta, project, small_steps, talk
from roundtable.core.lines import Line
from roundtable.runtime.session import Session

WORDS = (
    "E",
    "Alex, how many forms are locked at once?",
    "We go with merging field by field.",
    "done",
    "The office may be offline too.",
    "undo",
)
REVIEWED = (*WORDS[:4], "accept", *WORDS[4:])
DOCUMENT = "quick-scan.md"
# Root writes to protected files as well, so that fault needs another user.
FAULTS = ("nothing", "full disk", "two processes", "checkout", *(("read-only",) if os.geteuid() else ()))
MOST_CUTS = 8
SECONDS = 120


@dataclass
class Count:
    """What was done, and what must stay at nought."""

    conversations: int = 0
    kills: int = 0
    kills_at_writes: int = 0
    reviews: int = 0
    faults: dict[str, int] = field(default_factory=dict)
    turns_spoken: int = 0
    turns_lost: int = 0
    turns_changed: int = 0
    documents_changed_otherwise: int = 0
    records_doubled: int = 0
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
            if len(self.problems) < 10:
                self.problems.append(what)


@dataclass
class CutOff:
    """A conversation over pipes that is cut off; after each cut only what did not count is said again."""

    root: Path
    item: str
    is_reviewed: bool
    used: int = 0
    turns: dict[int, str] = field(default_factory=dict)
    changed: int = 0

    @property
    def words(self) -> tuple[str, ...]:
        return REVIEWED if self.is_reviewed else WORDS

    def run(self, *, kill_after: float | None = None, limit: int | None = None, **environment: str) -> int:
        """Run the same command once more; return what it exits with."""
        command = ["-m", "roundtable", "analyze", self.item, "--json", "--answers", "-", "--root"]
        if self.is_reviewed:
            command = [__file__, "--child", self.item, "--root"]
        # Where no file can grow, Python's own files would be cut off as well, and stay so.
        without = "" if limit is None else "1"
        process = subprocess.Popen(
            [sys.executable, *command, str(self.root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env={**os.environ, "PYTHONDONTWRITEBYTECODE": without, **environment},
            preexec_fn=None if limit is None else lambda: _limit_files(limit),
        )  # fmt: skip
        timer = threading.Timer(SECONDS if kill_after is None else kill_after, process.kill)
        timer.start()
        assert process.stdin is not None and process.stdout is not None
        try:
            with process.stdin, process.stdout:
                for raw in process.stdout:
                    self._hear(raw, process.stdin)
        except BrokenPipeError:
            pass
        finally:
            timer.cancel()
        return process.wait()

    def _hear(self, raw: bytes, pipe: object) -> None:
        try:
            line = json.loads(raw)
        except ValueError:  # cut off in the middle of a line
            return
        if line["kind"] == "contribution":
            self.changed += self.turns.setdefault(line["turn"], line["text"]) != line["text"]
        if line["speaker"] == "user" and line["text"] in self.words:
            self.used = max(self.used, self.words.index(line["text"]) + 1)
        if line["kind"] == "listen":
            try:
                if self.used < len(self.words):
                    pipe.write((self.words[self.used] + "\n").encode())  # type: ignore[attr-defined]
                    pipe.flush()  # type: ignore[attr-defined]
                else:
                    pipe.close()  # type: ignore[attr-defined]
            except (BrokenPipeError, ValueError):
                pass


def _limit_files(size: int) -> None:
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def make_project(root: Path) -> str:
    """Make a project at the menu of its first completed step, in git, and return its item's name."""
    _, item = project(root)
    small_steps(root)
    talk(root, item, ["The inspector retypes forms.", "60 inspectors"])
    git(root, "init", "-q", "-b", "main")
    git(root, "commit", "-q", "--allow-empty", "-m", "Nothing yet")
    git(root, "branch", "elsewhere")
    git(root, "add", "--all")
    git(root, "commit", "-q", "-m", "An item")
    return item.name


def torture(kills: int, seed: int, *, say: bool = False) -> Count:
    """Hold conversations until so many kills were survived, or not, and return the figures."""
    chance, count = random.Random(seed), Count()
    with tempfile.TemporaryDirectory(prefix="torture-") as name:
        prepared = Path(name) / "prepared"
        item = make_project(prepared)
        original = (prepared / "docs/requirements" / item / DOCUMENT).read_bytes()
        began = time.monotonic()
        CutOff(_copy(prepared, Path(name) / "dry"), item, is_reviewed=False).run()
        usual = time.monotonic() - began
        while count.kills < kills:
            root = _copy(prepared, Path(name) / f"{count.conversations}")
            talked = CutOff(root, item, is_reviewed=count.conversations % 3 == 2)
            _hold(talked, count, chance, usual, min(MOST_CUTS, kills - count.kills))
            _look(talked, count, original)
            shutil.rmtree(root)
            if say and count.conversations % 10 == 0:
                sys.stdout.write(f"{count.kills} kills, {count.turns_spoken} turns\n")
                sys.stdout.flush()
    return count


def _copy(prepared: Path, root: Path) -> Path:
    shutil.copytree(prepared, root, symlinks=True)
    return root


def _hold(talked: CutOff, count: Count, chance: random.Random, usual: float, cuts: int) -> None:
    """Hold one conversation to its end, cut off up to so many times."""
    count.conversations += 1
    count.reviews += talked.is_reviewed
    status = 0
    for _ in range(cuts):
        _break(talked, count, chance)
        if chance.random() < 0.5:
            status = talked.run(kill_after=chance.uniform(0.1, 1.0) * usual)
            count.kills += status == -signal.SIGKILL
        else:
            status = talked.run(ROUNDTABLE_KILL_AT=str(chance.randint(1, 60)))
            count.kills += status == -signal.SIGKILL
            count.kills_at_writes += status == -signal.SIGKILL
        if talked.used == len(talked.words) and status == 0:
            break
    for _ in range(3):  # whatever happened, the same command goes on
        status = talked.run()
        if status == 0 and talked.used == len(talked.words):
            return
    count.blame("other_failures", f"the last run ended with status {status} after {talked.used} words")


def _break(talked: CutOff, count: Count, chance: random.Random) -> None:
    """Put something in the program's way, for one run; afterwards all is as it was."""
    fault = chance.choice(FAULTS)
    count.faults[fault] = count.faults.get(fault, 0) + 1
    folder = talked.root / "docs" / "requirements" / talked.item
    match fault:
        case "full disk":
            talked.run(limit=chance.randint(0, 60_000))
        case "read-only":
            modes = {path: path.stat().st_mode for path in (folder / DOCUMENT, folder / "meta.json")}
            for path in modes:
                path.chmod(0o444)
            status = talked.run(ROUNDTABLE_KILL_AT=str(chance.randint(1, 60)))
            count.kills += status == -signal.SIGKILL
            count.kills_at_writes += status == -signal.SIGKILL
            for path, mode in modes.items():
                path.chmod(mode)
        case "two processes":
            other = CutOff(talked.root, talked.item, talked.is_reviewed, used=len(talked.words))
            thread = threading.Thread(target=other.run)
            thread.start()
            count.kills += talked.run(kill_after=chance.uniform(0.2, 3.0)) == -signal.SIGKILL
            thread.join()
            # The other one may have had the item first, and heard turns that wait for nobody.
            talked.changed += any(talked.turns.get(turn, text) != text for turn, text in other.turns.items())
            talked.turns |= other.turns
        case "checkout":
            _check_out(talked, count)
        case _:
            pass


def _check_out(talked: CutOff, count: Count) -> None:
    """Run the command on a branch that does not have the item; it must refuse, and make nothing."""
    git(talked.root, "add", "--all")
    git(talked.root, "commit", "-q", "--allow-empty", "-m", "So far")
    git(talked.root, "checkout", "-q", "elsewhere")
    if talked.run() == 0:
        count.blame("other_failures", "on a branch without the item the command ended well")
    if left := git(talked.root, "status", "--porcelain"):
        count.blame("other_failures", f"on a branch without the item it made {left}")
    git(talked.root, "checkout", "-q", "main")


def _look(talked: CutOff, count: Count, original: bytes) -> None:
    """Count what the conversation left behind, against what was shown of it."""
    item = talked.root / "docs" / "requirements" / talked.item
    where = f"conversation {count.conversations}"
    count.turns_spoken += len(talked.turns)
    count.blame("turns_changed", f"{where}: a turn was shown with other words", talked.changed)
    records = meta(item)["elaborations"]
    document = (item / DOCUMENT).read_bytes()
    texts = [path.read_text() for path in (item / "elaborations").glob("*.md")]
    lost = [
        number for number in talked.turns if not any(f'<a id="turn-{number}"></a>' in text for text in texts)
    ]
    count.blame("turns_lost", f"{where}: turns {lost} are in no transcript", len(lost))
    markers = document.count(b"<!-- Elaboration:")
    doubled = max(len(records), len(texts), markers, 1) - 1
    count.blame("records_doubled", f"{where}: {len(records)} records, {markers} blocks", doubled)
    if len(records) != 1 or markers != 1 or records[0]["turn_count"] != len(talked.turns):
        turns = [record["turn_count"] for record in records]
        count.blame("other_failures", f"{where}: records of {turns} turns, {markers} blocks")
    if find_insertion(original, document) is None:
        count.blame("documents_changed_otherwise", f"{where}: {DOCUMENT} is not the old one and a block")
    if left := [path.name for path in item.rglob(".roundtable-*")]:
        count.blame("other_failures", f"{where}: left behind {left}")


async def _play_child(root: Path, item: str) -> None:
    """Do as the command line does, with a review before each synthesis is written."""
    session = Session(root, item, review=True)
    async for line in session.lines():
        sys.stdout.write(_encode(line))
        sys.stdout.flush()
        if line.kind == "listen":
            words = sys.stdin.readline()
            if words:
                session.say(words.rstrip("\n"))
            else:
                session.hang_up()


def _encode(line: Line) -> str:
    shown = {"kind": line.kind, "speaker": line.speaker, "text": line.text, "turn": line.turn}
    return json.dumps(shown) + "\n"


def main() -> int:
    """Return 0 if every invariant held."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--child", metavar="ITEM", help=argparse.SUPPRESS)
    parser.add_argument("--root", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        asyncio.run(_play_child(given.root, given.child))
        return 0
    seed = random.randrange(2**32) if given.seed is None else given.seed
    began = time.monotonic()
    count = torture(given.kills, seed, say=True)
    sys.stdout.write(
        json.dumps({"seed": seed, "seconds": round(time.monotonic() - began), **asdict(count)}, indent=1)
    )
    sys.stdout.write("\n")
    return 0 if count.is_sound else 1


if __name__ == "__main__":
    sys.exit(main())
