"""Run the property tests with new examples until the time is up: `make fuzz MINUTES=10`.

With `--coverage` the targets of `tools.fuzz_targets` are fed instead, by what each input reaches. That needs
atheris, which is not among the packages for development, because it builds on few machines.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
_NO_TESTS = 5
TARGETS = ("hearing", "content", "meta", "insertion", "journal", "drafting", "mcp")


def main() -> int:
    """Return 0 if no example failed in the given time, else 1, and print the seed that shows it again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=3.0)
    parser.add_argument("--seed", type=int, help="show what a seed found, once")
    parser.add_argument("files", nargs="*", help="the test files, or targets; all unless given")
    parser.add_argument("--coverage", action="store_true", help="feed the targets by what inputs reach")
    given = parser.parse_args()
    if given.coverage:
        return feed_targets(given.files or TARGETS, given.minutes)
    files = given.files or find_property_tests()
    if given.seed is not None:
        return _run(given.seed, files, None)
    end = time.monotonic() + given.minutes * 60
    runs = 0
    while (left := end - time.monotonic()) > 0:
        seed = random.randrange(2**32)
        # In another order each time, because the last run is cut short.
        for file in random.Random(seed).sample(files, len(files)):
            left = end - time.monotonic()
            if left <= 0:
                break
            if _run(seed, [file], left):
                _say(f"Failed. To see it again: {sys.executable} -m tools.fuzz --seed {seed} {file}")
                return 1
            runs += 1
    _say(f"{runs} runs of a test file with new examples in {given.minutes:g} minutes, and none failed.")
    return 0


def find_property_tests() -> list[str]:
    """Return the test files that hold property tests."""
    found = (path for path in sorted((ROOT / "tests").rglob("test_*.py")))
    return [str(path.relative_to(ROOT)) for path in found if "from hypothesis" in path.read_text("utf-8")]


def feed_targets(names: Sequence[str], minutes: float) -> int:
    """Feed each target for its share of the time; return 1 if one failed, and print how to see it again."""
    if importlib.util.find_spec("atheris") is None:
        _say("Coverage needs atheris. Install it with: pip install atheris")
        return 2
    path = os.pathsep.join((str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")))
    failed = 0
    for name in names:
        command = [sys.executable, "-m", "tools.fuzz_targets", name]
        limit = f"-max_total_time={max(1, round(minutes * 60 / len(names)))}"
        ran = subprocess.run(
            [*command, limit, "-print_final_stats=1", f"-artifact_prefix={ROOT / 'build'}{os.sep}{name}-"],
            cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, check=False, text=True, errors="replace",
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip
        stats = dict(re.findall(r"stat::(\w+):\s+(\d+)", ran.stderr))
        reached = re.findall(r"cov: (\d+)", ran.stderr)[-1:]
        _say(
            f"{name}: {stats.get('number_of_executed_units', '0')} inputs, {' '.join(reached)} places reached"
        )
        if ran.returncode:
            failed = 1
            kept = re.findall(r"Test unit written to (\S+)", ran.stderr)[-1:]
            _say(f"{ran.stderr[-3000:]}\nFailed. To see it again: {' '.join([*command, *kept])}")
    return failed


def _run(seed: int, files: list[str], seconds: float | None) -> int:
    """Run the property tests of the files and return 1 if one failed; running out of time is not one."""
    options = ["-q", "-x", "-m", "hypothesis", "-p", "no:cacheprovider", "--hypothesis-profile=fuzz"]
    command = [sys.executable, "-m", "pytest", *options, f"--hypothesis-seed={seed}", *files]
    _say(f"seed {seed}: {' '.join(files)}")
    try:
        ended = subprocess.run(command, cwd=ROOT, check=False, timeout=seconds, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return 0
    return 0 if ended.returncode in (0, _NO_TESTS) else 1


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
