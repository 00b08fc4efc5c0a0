"""The short form of `make torture`: killed and broken at random, nothing is lost or doubled."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL and limits of files are those of Unix")
@pytest.mark.rule("GREET-6", "ART-5", "META-4", "META-5", "SYN-6")
def test_killed_and_broken_at_random_nothing_is_lost() -> None:
    tests = Path(__file__).parent
    # A process of its own, since it forks, and only one without threads can do so safely.
    ran = subprocess.run(
        [sys.executable, str(tests / "torture.py"), "--kills", "20", "--seed", "2026"],
        env={**os.environ, "PYTHONPATH": str(tests)}, capture_output=True, text=True,
    )  # fmt: skip
    assert ran.stdout, ran.stderr
    count = json.loads(ran.stdout)
    assert sum(count["kills"].values()) >= 20
    assert set(count["conversations"]) == {"command line", "MCP", "web room"}
    assert count["turns_spoken"] > 9
    assert ran.returncode == 0, count["problems"]
