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
RESULTS = Path(__file__).parent / "results"
_ROOT = Path(__file__).parents[1]
_PEERS = _ROOT / "build" / "peers" / "bin" / "python"
_OURS = (sys.executable, "-m", "bench.turns")
_PEER = (str(_PEERS), str(Path(__file__).with_name("langgraph_turns.py")))
_SYNCS = "ours waits for the disk {syncs:.0f} times: for each message and contribution, and 11 more"
_WORK = "ours also checks each voice and claim, reads what was decided elsewhere and writes documents"
_TARGETS = (
    ("per turn", "turn_ms", 0.5, _SYNCS),
    ("per turn, processor time", "turn_cpu_ms", 0.5, _WORK),
    ("first turn, cold", "first_ms", 1.0, "importing takes that long"),
    (f"{AT_ONCE} at once, time", "seconds", 0.5, _SYNCS),
    (f"{AT_ONCE} at once, processor time", "cpu_seconds", 0.5, _WORK),
    (f"{AT_ONCE} at once, memory", "megabytes", 2 / 3, "each open session holds its documents"),
)
"""What is compared, how much of LangGraph's it may be, and why it is more where it is."""

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
    for name, key, most, reason in _TARGETS:
        if key in peer:
            ratio = ours[key] / peer[key]
            verdict = "met" if ratio <= most else f"missed: {reason.format(**ours)}"
            yield f"{ratio:5.2f} of LangGraph   {name:<32} target {most:.2f}, {verdict}"
    if not has_peer:
        yield "LangGraph is not here to compare with: `make peers` installs it."
    yield f"{ours['turn_ms'] / found['bare']['turn_ms']:5.1f} times a bare append and fsync, per turn"
    for name, figures in found.items():
        yield f"{name:<12}" + "  ".join(f"{key} {value:.2f}" for key, value in figures.items())
    keep_figures("turns", found)


def _run(command: tuple[str, ...], *words: str) -> Figures:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    ran = subprocess.run([*command, *words], cwd=_ROOT, env=environment, stdout=subprocess.PIPE, check=True)
    figures: Figures = json.loads(ran.stdout)
    return figures


def _take_medians(figures: list[Figures]) -> Figures:
    keys = dict.fromkeys(key for each in figures for key in each if key != "turns")
    return {key: statistics.median(each[key] for each in figures if key in each) for key in keys}


def keep_figures(name: str, found: dict[str, Figures]) -> None:
    """Write the figures of this run to bench/results."""
    now = datetime.now(UTC)
    RESULTS.mkdir(exist_ok=True)
    kept = {
        "at": now.isoformat(timespec="seconds"),
        "command": "make bench",
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "processors": os.cpu_count(),
        "python": sys.version.split()[0],
        "figures": {
            key: {part: round(value, 2) for part, value in each.items()} for key, each in found.items()
        },
    }
    (RESULTS / f"{name}-{now:%Y-%m-%d}.json").write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    for row in measure():
        print(row, flush=True)
