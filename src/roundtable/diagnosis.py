"""The diagnosis: what there is to work with in a project, and what needs repair."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path
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

_DISTRIBUTION = "roundtable-analyst"
_FOR_DEVELOPERS = "dev"
_EXTRA = re.compile(r"""(?P<name>[\w.-]++).*?\bextra\s{0,9}==\s{0,9}["'](?P<extra>[^"']+)""")


class Diagnosis(Struct, frozen=True):
    """One thing that was looked at, and whether it is sound."""

    name: str
    found: str
    sound: bool = True


def diagnose(settings: Settings, warnings: Sequence[str] = ()) -> list[Diagnosis]:
    """Return all that was looked at; nothing is asked that costs money."""
    return [
        Diagnosis("python", platform.python_version()),
        Diagnosis("roundtable", __version__),
        Diagnosis("project", str(settings.root.absolute())),
        *(Diagnosis("settings", warning, sound=False) for warning in warnings),
        _check_items(settings),
        _check_git(settings.root),
        *_check_content(settings.root),
        *_check_panel(settings),
        *_list_extras(),
    ]


def _check_items(settings: Settings) -> Diagnosis:
    name, home = settings.items_folder, settings.root / settings.items_folder
    if reason := leads_out_of_project(settings.root, home):
        return Diagnosis("items", f"{name}: {reason}", sound=False)
    existing = next(path for path in (home, *home.parents) if path.exists())
    if not existing.is_dir():
        return Diagnosis("items", f"{name}: {existing} is not a folder", sound=False)
    if not os.access(existing, os.W_OK | os.X_OK):
        return Diagnosis("items", f"{name}: {existing} cannot be written to", sound=False)
    items = list_items(settings.root, items_folder=name)
    found = f"{name}: {len(items)} item{'' if len(items) == 1 else 's'}, writable"
    if links := list_outside_links(settings.root, items_folder=name):
        found += f"; links out of the project: {one_line(', '.join(links))}"
    elif corrupt := [entry.slug for entry in items if entry.problem]:
        found += f"; meta.json cannot be used in {', '.join(corrupt)}"
    else:
        return Diagnosis("items", found)
    return Diagnosis("items", found, sound=False)


def _check_git(root: Path) -> Diagnosis:
    if which("git") is None:
        return Diagnosis("git", "not installed; the analysis goes without knowing the commit")
    commit = current_commit(root)
    return Diagnosis("git", f"at commit {commit}" if commit else "no commit here; that is fine")


def _check_content(root: Path) -> Iterator[Diagnosis]:
    kinds = {"personas": ("at the table", *read_personas(root)), "steps": ("to run", *read_steps(root))}
    for name, (where, found, trouble) in kinds.items():
        yield Diagnosis(name, f"{len(found)} {where}", sound=bool(found))
        yield from (Diagnosis(name, problem.text, sound=False) for problem in trouble)


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


def _list_extras() -> Iterator[Diagnosis]:
    """Yield what the package names as extras, and whether it is installed, without importing any."""
    try:
        requirements = metadata.requires(_DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return
    for requirement in requirements:
        found = _EXTRA.match(requirement)
        if found and found["extra"] != _FOR_DEVELOPERS:
            name, label = found["name"], f"optional: {found['extra']}"
            try:
                yield Diagnosis(label, f"{name} {metadata.version(name)}")
            except metadata.PackageNotFoundError:
                yield Diagnosis(label, f"{name} is not installed")
