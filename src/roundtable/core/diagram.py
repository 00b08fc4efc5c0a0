"""The diagram of the elaboration, drawn from its table so that it cannot differ from it."""

from __future__ import annotations

from .elaboration import TABLE
from .states import State


def diagram() -> str:
    """A mermaid state diagram: every transition with the events that make it."""
    moves: dict[tuple[str, str], list[str]] = {}
    for (state, _), answers in TABLE.items():
        for event, move in answers.items():
            for target in move.to:
                names = moves.setdefault((state.value, target.value), [])
                if event.__name__ not in names:
                    names.append(event.__name__)
    lines = ["stateDiagram-v2", f"    [*] --> {State.ENTRY}"]
    lines += [f"    {start} --> {end}: {', '.join(names)}" for (start, end), names in moves.items()]
    lines += [f"    {state} --> [*]" for state in (State.ENTRY, State.STATE_PERSIST)]
    return "\n".join(lines)
