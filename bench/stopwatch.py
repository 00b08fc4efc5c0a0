"""The median time of something done several times, in milliseconds."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable


def median(action: Callable[[], object], *, runs: int = 20) -> float:
    """The median of the runs, after one that does not count."""
    action()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        action()
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)
