"""Roundtable: think a backlog item through with three disciplined colleagues before anything is built."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .catalogue import load_roster, load_steps
    from .core.elaboration import Elaboration
    from .core.hearing import Heard, hear
    from .documents.additions import Addition, insert_addition
    from .project import Project
    from .runtime.session import Session
    from .store.meta import change_meta, read_meta, write_meta

__version__ = "0.1.0"

__all__ = [
    "Addition",
    "Elaboration",
    "Heard",
    "Project",
    "Session",
    "__version__",
    "change_meta",
    "hear",
    "insert_addition",
    "load_roster",
    "load_steps",
    "read_meta",
    "write_meta",
]

_HOMES = {
    "catalogue": ("load_roster", "load_steps"),
    "core.elaboration": ("Elaboration",),
    "core.hearing": ("Heard", "hear"),
    "documents.additions": ("Addition", "insert_addition"),
    "project": ("Project",),
    "runtime.session": ("Session",),
    "store.meta": ("change_meta", "read_meta", "write_meta"),
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that `--version` costs nothing."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
