"""The diagnosis: what there is to work with in a project, and what needs repair."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from shutil import which

from msgspec import Struct

from . import __version__
from .catalogue import read_personas, read_steps
from .core.errors import RuleBroken
from .git import current_commit
from .settings import Settings
from .store.artifact import one_line
from .store.files import leads_out_of_project
from .store.items import list_items, list_outside_links

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
    commit = f"at commit {found}" if (found := current_commit(root)) else "no commit here; that is fine"
    without = "not installed; the analysis goes without knowing the commit"
    yield Diagnosis("git", commit if which("git") else without)
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
    problem = leads_out_of_project(settings.root, home)
    if not problem and not existing.is_dir():
        problem = f"{existing} is not a folder"
    elif not problem and not os.access(existing, os.W_OK | os.X_OK):
        problem = f"{existing} cannot be written to"
    if problem:
        return Diagnosis("items", f"{name}: {problem}", sound=False)
    items = list_items(settings.root, items_folder=name)
    found = [f"{name}: {len(items)} item{'' if len(items) == 1 else 's'}, writable"]
    if links := list_outside_links(settings.root, items_folder=name):
        found.append(f"links out of the project: {one_line(', '.join(links))}")
    if corrupt := [entry.slug for entry in items if entry.problem]:
        found.append(f"meta.json cannot be used in {', '.join(corrupt)}")
    return Diagnosis("items", "; ".join(found), sound=len(found) == 1)


def _check_panel(settings: Settings) -> Iterator[Diagnosis]:
    """Yield who speaks; for each model also whether it can be asked."""
    if settings.panel != "model":
        yield Diagnosis("panel", f"{settings.panel}: needs no network and no key")
        return
    from .panel.model.choice import check_reach, names_of, read_choice

    names = names_of(settings.models, settings.base_url)
    yield Diagnosis("panel", "model" if names else "model: no model is named", sound=bool(names))
    for name in names:
        try:
            choice = read_choice(name, settings.base_url)
            found, sound = check_reach(choice)
        except RuleBroken as broken:
            yield Diagnosis("model", str(broken), sound=False)
            continue
        yield Diagnosis("model", f"{choice.label}: {found}", sound)
    budget = settings.budget
    limits = {"turns": budget.turns, "tokens": budget.tokens, "dollars": budget.money}
    told = ", ".join(f"{limit:,} {name}" for name, limit in limits.items() if limit is not None)
    yield Diagnosis("budget", f"{told} for each discussion" if told else "none for a discussion")
