"""The same discussions in LangGraph, each turn kept in SQLite before the next.

Needs nothing of ours; `build/peers/bin/python bench/langgraph_turns.py one` (or `many 200`) prints JSON.
"""

import time

BEGAN = time.perf_counter()

import json  # noqa: E402
import operator  # noqa: E402
import resource  # noqa: E402
import sqlite3  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
from collections.abc import Callable  # noqa: E402
from concurrent.futures import ThreadPoolExecutor  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Annotated, Any, TypedDict  # noqa: E402

from langgraph.checkpoint.sqlite import SqliteSaver  # type: ignore[import-not-found]  # noqa: E402
from langgraph.graph import END, START, StateGraph  # type: ignore[import-not-found]  # noqa: E402

TURNS = 10


class Talk(TypedDict):
    """What a discussion holds: its turns."""

    turns: Annotated[list[str], operator.add]


def make_graph(folder: Path) -> Any:
    """Return a graph of one persona that speaks, with its checkpoints in a SQLite file."""
    graph = StateGraph(Talk)
    graph.add_node(
        "speak", lambda talk: {"turns": [f"Remark {len(talk['turns'])} on the differing answers."]}
    )
    graph.add_edge(START, "speak")
    graph.add_edge("speak", END)
    connection = sqlite3.connect(folder / "talk.sqlite", check_same_thread=False)
    return graph.compile(checkpointer=SqliteSaver(connection))


def discuss(graph: Any, name: str, shown: Callable[[], None] = lambda: None) -> None:
    """Hold a discussion of ten turns, half of them the user's words, each answered at once."""
    for number in range(TURNS // 2):
        config = {"configurable": {"thread_id": name}}
        graph.invoke({"turns": [f"Two at most, {number}."]}, config, durability="sync")
        shown()


def hold_one() -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="turns-") as folder:
        graph = make_graph(Path(folder))
        first: list[float] = []
        discuss(graph, "0", lambda: first.append(time.perf_counter()))
        taken = []
        for number in range(5):
            start, cpu = time.perf_counter(), time.process_time()
            discuss(graph, f"{number + 1}")
            taken.append(((time.perf_counter() - start) / TURNS, (time.process_time() - cpu) / TURNS))
    wall, used = sorted(taken)[len(taken) // 2]
    return {
        "first_ms": (first[0] - BEGAN) * 1000, "turn_ms": wall * 1000, "turn_cpu_ms": used * 1000,
        "turns": TURNS,
    }  # fmt: skip


def hold_many(count: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="turns-") as folder:
        graph = make_graph(Path(folder))
        start, cpu = time.perf_counter(), time.process_time()
        with ThreadPoolExecutor(16) as pool:
            list(pool.map(lambda number: discuss(graph, str(number)), range(count)))
        seconds, used = time.perf_counter() - start, time.process_time() - cpu
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": seconds, "cpu_seconds": used, "turns": count * TURNS, "megabytes": memory}


if __name__ == "__main__":
    print(json.dumps(hold_one() if sys.argv[1] == "one" else hold_many(int(sys.argv[2]))))
