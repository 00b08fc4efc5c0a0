"""Run the property tests with new examples until the time is up: `make fuzz MINUTES=10`."""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
_NO_TESTS = 5


def main() -> int:
    """Return 0 if no example failed in the given time, else 1, and print the seed that shows it again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=3.0)
    parser.add_argument("--seed", type=int, help="show what a seed found, once")
    parser.add_argument("files", nargs="*", help="the test files; all with property tests unless given")
    given = parser.parse_args()
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
