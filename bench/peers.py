"""Speed beside a bare append and LangGraph with synchronous SQLite, in turns in one run; ratios first.

The figures are kept in bench/results, which docs/speed.md tabulates. LangGraph takes part where
`make peers` has installed it.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

ROUNDS = 3
AT_ONCE = 200
MOST_AT_ONCE = 1_000
RESULTS = Path(__file__).parent / "results"
_ROOT = Path(__file__).parents[1]
_PEERS = _ROOT / "build" / "peers" / "bin" / "python"
_OURS = (sys.executable, "-m", "bench.turns")
_PEER = (str(_PEERS), str(Path(__file__).with_name("langgraph_turns.py")))
_TARGETS = (
    ("per turn", "turn_ms", 0.5),
    ("per turn, processor time", "turn_cpu_ms", 0.5),
    ("first turn, cold", "first_ms", 1.0),
    (f"{AT_ONCE} at once, time", "seconds", 0.5),
    (f"{AT_ONCE} at once, processor time", "cpu_seconds", 0.5),
    (f"{AT_ONCE} at once, memory", "megabytes", 2 / 3),
)

Figures = dict[str, float]


def measure() -> Iterator[str]:
    has_peer = _PEERS.exists()
    runs: dict[str, list[Figures]] = {"roundtable": [], "langgraph": [], "bare": []}
    for _ in range(ROUNDS):
        runs["bare"].append(_run(_OURS, "bare"))
        runs["roundtable"].append(_run(_OURS, "one"))
        if has_peer:
            runs["langgraph"].append(_run(_PEER, "one"))
    runs["roundtable"].append(_run(_OURS, "many", str(AT_ONCE)))
    if has_peer:
        runs["langgraph"].append(_run(_PEER, "many", str(AT_ONCE)))
    found = {name: _take_medians(figures) for name, figures in runs.items() if figures}
    ours, peer = found["roundtable"], found.get("langgraph", {})
    for name, key, most in _TARGETS:
        if key in peer:
            ratio = ours[key] / peer[key]
            verdict = "met" if ratio <= most else "missed"
            yield f"{ratio:5.2f} of LangGraph   {name:<32} target {most:.2f}, {verdict}"
    yield f"{ours['turn_ms'] / found['bare']['turn_ms']:5.1f} times a bare append and fsync, per turn"
    many = _run(_OURS, "many", str(MOST_AT_ONCE))
    yield f"{MOST_AT_ONCE} at once without an error: {many['seconds']:.1f} s, {many['megabytes']:.0f} MB"
    for name, figures in found.items():
        yield f"{name:<12}" + "  ".join(f"{key} {value:.2f}" for key, value in figures.items())
    _keep({**found, f"roundtable, {MOST_AT_ONCE} at once": many})


def _run(command: tuple[str, ...], *words: str) -> Figures:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    ran = subprocess.run([*command, *words], cwd=_ROOT, env=environment, stdout=subprocess.PIPE, check=True)
    figures: Figures = json.loads(ran.stdout)
    return figures


def _take_medians(figures: list[Figures]) -> Figures:
    keys = dict.fromkeys(key for each in figures for key in each if key != "turns")
    return {key: statistics.median(each[key] for each in figures if key in each) for key in keys}


def _keep(found: dict[str, Figures]) -> None:
    now = datetime.now(UTC)
    RESULTS.mkdir(exist_ok=True)
    kept = {
        "at": now.isoformat(timespec="seconds"),
        "command": "make bench",
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "processors": os.cpu_count(),
        "python": sys.version.split()[0],
        "figures": {
            name: {key: round(value, 2) for key, value in each.items()} for name, each in found.items()
        },
    }
    (RESULTS / f"turns-{now:%Y-%m-%d}.json").write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    for row in measure():
        print(row)
