"""`doctor`: what there is to work with, and what needs repair."""

from __future__ import annotations

import os
import platform
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from ...version import __version__
from .options import Command, Flags
from .output import one_line, pairs, put_json, put_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ...settings import Settings

_DISTRIBUTION = "roundtable-analyst"
_FOR_DEVELOPERS = "dev"
_EXTRA = re.compile(r"""(?P<name>[\w.-]++).*?\bextra\s{0,9}==\s{0,9}["'](?P<extra>[^"']+)""")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    name: str
    found: str
    sound: bool = True


@click.command(cls=Command)
@click.option("--ask", is_flag=True, help="Ask each model one short question, which may cost a little.")
@click.pass_obj
def doctor(flags: Flags, ask: bool) -> int:
    """Check what Roundtable works with.

    Nothing that is paid is sent without --ask. The exit status is 2 where something needs repair.
    """
    from ...settings import load_settings

    settings, warnings = load_settings(flags.root, flags.panel, model=flags.model, base_url=flags.base_url)
    findings = [
        Finding("python", platform.python_version()),
        Finding("roundtable", __version__),
        Finding("project", str(settings.root.absolute())),
        *(Finding("settings", warning, sound=False) for warning in warnings),
        _items(settings),
        _git(settings.root),
        *_content(settings.root),
        *_panel(settings, ask=ask),
        *_optional_parts(),
    ]
    sound = all(finding.sound for finding in findings)
    if flags.json:
        rows = [{"name": each.name, "found": each.found, "sound": each.sound} for each in findings]
        put_json({"sound": sound, "findings": rows}, indent=2)
    else:
        rows_for_people = [
            (each.name, each.found if each.sound else f"{each.found} <- needs repair") for each in findings
        ]
        put_text(pairs(rows_for_people))
    return 0 if sound else 2


def _items(settings: Settings) -> Finding:
    from ...store.files import leads_out_of_project
    from ...store.items import list_outside_links, list_items

    home = settings.root / settings.items_folder
    if reason := leads_out_of_project(settings.root, home):
        return Finding("items", f"{settings.items_folder}: {reason}", sound=False)
    existing = next(path for path in (home, *home.parents) if path.exists())
    if not existing.is_dir():
        return Finding("items", f"{settings.items_folder}: {existing} is no folder", sound=False)
    if not os.access(existing, os.W_OK | os.X_OK):
        return Finding("items", f"{settings.items_folder}: {existing} cannot be written to", sound=False)
    items = list_items(settings.root, items_folder=settings.items_folder)
    corrupt = [entry.slug for entry in items if entry.problem]
    found = f"{settings.items_folder}: {len(items)} {'item' if len(items) == 1 else 'items'}, writable"
    if links := list_outside_links(settings.root, items_folder=settings.items_folder):
        return Finding(
            "items", f"{found}; links out of the project: {one_line(', '.join(links))}", sound=False
        )
    if corrupt:
        return Finding("items", f"{found}; meta.json cannot be used in {', '.join(corrupt)}", sound=False)
    return Finding("items", found)


def _git(root: Path) -> Finding:
    from shutil import which

    from ...git import current_commit

    if which("git") is None:
        return Finding("git", "not installed; the analysis goes without knowing the commit")
    commit = current_commit(root)
    return Finding("git", f"at commit {commit}" if commit else "no commit here; that is fine")


def _content(root: Path) -> Iterator[Finding]:
    from ...catalogue import read_personas, read_steps

    personas, trouble = read_personas(root)
    yield Finding("personas", f"{len(personas)} at the table", sound=bool(personas))
    yield from (Finding("personas", problem.text, sound=False) for problem in trouble)
    steps, trouble = read_steps(root)
    yield Finding("steps", f"{len(steps)} to run", sound=bool(steps))
    yield from (Finding("steps", problem.text, sound=False) for problem in trouble)


def _panel(settings: Settings, *, ask: bool) -> Iterator[Finding]:
    """Who speaks; of a model, whether it can be asked, and what it answers where that is wanted."""
    if settings.panel != "model":
        yield Finding("panel", f"{settings.panel}: needs no network and no key")
        return
    from ...core.errors import RuleBroken
    from ...panel.model.choice import names_of, read_choice
    from ...panel.model.reaching import ask as asked
    from ...panel.model.reaching import look

    names = names_of(settings.models, settings.base_url)
    yield Finding("panel", "model" if names else "model: no model is named", sound=bool(names))
    for name in names:
        try:
            choice = read_choice(name, settings.base_url)
            label, reached = choice.label, look(choice)
        except RuleBroken as broken:
            yield Finding("model", str(broken), sound=False)
            continue
        yield Finding("model", f"{label}: {reached.found}", reached.sound)
        if ask and choice.kind != "offline":
            import asyncio

            answered = asyncio.run(asked(choice))
            told = f"{label} {answered.found}" if answered.sound else answered.found
            yield Finding("asked", told, answered.sound)
    budget = settings.budget
    limits = {"turns": budget.turns, "tokens": budget.tokens, "dollars": budget.money}
    told = ", ".join(f"{limit:,} {name}" for name, limit in limits.items() if limit is not None)
    yield Finding("budget", f"{told} for each discussion" if told else "none for a discussion")


def _optional_parts() -> Iterator[Finding]:
    """What the package names as extras, and whether it is installed; nothing of it is imported."""
    from importlib import metadata

    try:
        required = metadata.requires(_DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return
    for requirement in required:
        found = _EXTRA.match(requirement)
        if found and found["extra"] != _FOR_DEVELOPERS:
            name, label = found["name"], f"optional: {found['extra']}"
            try:
                yield Finding(label, f"{name} {metadata.version(name)}")
            except metadata.PackageNotFoundError:
                yield Finding(label, f"{name} is not installed")
