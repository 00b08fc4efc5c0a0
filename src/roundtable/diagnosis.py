"""The diagnosis: what there is to work with in a project, and what needs repair."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from importlib.util import find_spec

from msgspec import Struct

from . import __version__
from .catalogue import read_personas, read_steps
from .core.errors import ItemCorrupt, RuleBroken
from .git import current_commit
from .settings import Settings
from .store.items import list_items

_EXTRAS = {"models": "pydantic_ai", "mcp": "mcp", "web": "starlette", "code": "tree_sitter"}
"""The extras of the package, each with a module that it brings along."""


class Diagnosis(Struct, frozen=True):
    """One thing that was looked at, and whether it is sound."""

    name: str
    found: str
    sound: bool = True


def diagnose(settings: Settings, warnings: Sequence[str] = ()) -> Iterator[Diagnosis]:
    """Yield all that was looked at; nothing is asked that costs money."""
    root = settings.root
    yield Diagnosis("python", platform.python_version())
    yield Diagnosis("roundtable", __version__)
    yield Diagnosis("project", str(root.absolute()))
    yield from (Diagnosis("settings", warning, sound=False) for warning in warnings)
    yield _check_items(settings)
    commit = current_commit(root)
    yield Diagnosis("git", f"at commit {commit}" if commit else "no commit here; that is fine")
    kinds = {"personas": ("at the table", *read_personas(root)), "steps": ("to run", *read_steps(root))}
    for name, (where, content, trouble) in kinds.items():
        yield Diagnosis(name, f"{len(content)} {where}", sound=bool(content))
        yield from (Diagnosis(name, problem.text, sound=False) for problem in trouble)
    yield from _check_panel(settings)
    for extra, module in _EXTRAS.items():
        yield Diagnosis(f"optional: {extra}", "installed" if find_spec(module) else "not installed")


def _check_items(settings: Settings) -> Diagnosis:
    name, home = settings.items_folder, settings.root / settings.items_folder
    existing = next(path for path in (home, *home.parents) if path.exists())
    try:
        items = list_items(settings.root, items_folder=name)
    except ItemCorrupt as corrupt:
        return Diagnosis("items", corrupt.failed, sound=False)
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        return Diagnosis("items", f"{name}: {existing} cannot be written to", sound=False)
    if broken := ", ".join(entry.slug for entry in items if entry.problem):
        return Diagnosis("items", f"{name}: meta.json cannot be used in {broken}", sound=False)
    return Diagnosis("items", f"{name}: {len(items)} item{'' if len(items) == 1 else 's'}, writable")


def _check_panel(settings: Settings) -> Iterator[Diagnosis]:
    if settings.panel != "model":
        yield Diagnosis("panel", f"{settings.panel}: needs no network and no key")
        return
    from .panel.model.choice import find_lacking, names_of, read_choice

    names = names_of(settings.models, settings.base_url)
    yield Diagnosis("panel", "model" if names else "model: no model is named", sound=bool(names))
    for name in names:
        try:
            choice = read_choice(name, settings.base_url)
            lacking = find_lacking(choice)
            yield Diagnosis("model", f"{choice.label}: {lacking or 'has what it needs'}", sound=not lacking)
        except RuleBroken as broken:
            yield Diagnosis("model", str(broken), sound=False)
