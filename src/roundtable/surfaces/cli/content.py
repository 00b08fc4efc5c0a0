"""`personas`, `steps`, `models` and `doctor`: they list what there is to work with, and its problems."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from importlib.metadata import distributions
from shutil import get_terminal_size, which
from typing import TYPE_CHECKING, Literal

import click
from msgspec.structs import asdict, replace

from ... import __version__
from ...content import read_tables
from ...core.errors import DiskFailed, ItemCorrupt, PanelFailed, RuleBroken
from ...detection import FoundModel, ask_model, find_models, list_speakers, read_model
from ...panel.base import OFFLINE
from ...project import Project, check_panel
from ...settings import Settings, load_settings, remember_panel, user_file
from .conversation import Answers, ask_once
from .output import count, one_line, pairs, put_text, table, tell
from .program import MODEL_OPTIONS, STATUSES, Flags, command

if TYPE_CHECKING:
    from ...catalogue.files import Problem

_PERSONA_FIELDS = ("key", "name", "role", "phases", "short_role", "perspective", "lens")
_STEP_FIELDS = ("step_id", "title", "persona", "depth", "outputs", "phase", "depends_on", "skip_if")
"""The fields that programs get; people see the first five."""
_EXTRAS = {
    "models": "pydantic-ai-slim", "mcp": "mcp", "web": "starlette", "code": "tree-sitter",
    "telemetry": "opentelemetry-exporter-otlp-proto-http",
}  # fmt: skip
"""The extras of this package, each with a package that it installs."""
_OFFLINE = FoundModel(OFFLINE, "", "", "built in", "is free", "nothing leaves this machine")
_MOST_OFFERED = 9


@command()
@click.argument("action", type=click.Choice(("list", "check")), default="list")
def personas(flags: Flags, action: str) -> int:
    """List the personas, or check their files and prompts."""
    project = flags.open_project()
    if action == "check":
        return _report(flags, "persona", *project.check_personas())
    return _list_content(flags, project.roster().personas, _PERSONA_FIELDS)


@command()
@click.argument("action", type=click.Choice(("list", "check")), default="list")
def steps(flags: Flags, action: str) -> int:
    """List the steps of an analysis, or check their files."""
    project = flags.open_project()
    if action == "check":
        return _report(flags, "step", *project.check_steps())
    return _list_content(flags, project.steps(), _STEP_FIELDS)


def _list_content(flags: Flags, found: Sequence[object], fields: tuple[str, ...]) -> int:
    values = [[getattr(each, field) for field in fields] for each in found]
    data = [dict(zip(fields, (getattr(v, "key", v) for v in row), strict=True)) for row in values]
    rows = [[", ".join(v) if isinstance(v, tuple) else v for v in row[:5]] for row in values]
    flags.show_result(data, table(fields[:5], rows))
    return 0


def _report(flags: Flags, noun: str, number: int, problems: Sequence[Problem], prompts: int = 0) -> int:
    """Report what was read and its problems, and return the exit status."""
    read = count(number, noun) + (f" and {count(prompts, 'prompt')} of your own" if prompts else "")
    total = f"{read} read, {count(len(problems), 'problem') if problems else 'no problems'}."
    text = "\n".join([*(problem.text for problem in problems), total])
    own = {"prompts": prompts} if prompts else {}
    flags.show_result({f"{noun}s": number, **own, "problems": problems}, text)
    return 2 if problems else 0


@command(uses=("json", *MODEL_OPTIONS))
def doctor(flags: Flags) -> int:
    """Check settings, models, extras and project files."""
    settings, warnings = load_settings(flags.root, flags.panel, model=flags.model, base_url=flags.base_url)
    project = flags.open_project(settings)
    rows = [("python", platform.python_version(), True), ("roundtable", __version__, True)]
    rows.append(("project", str(project.root.absolute()), True))
    rows += [("settings", warning, False) for warning in warnings]
    rows.append(("items", *_check_items(project)))
    commit = project.commit
    git = f"at commit {commit}" if commit else "no commit here; that is fine"
    rows.append(("git", git if which("git") else "not installed; an analysis does not note the commit", True))
    read = {"personas": project.check_personas()[:2], "steps": project.check_steps()}
    for name, (number, problems) in read.items():
        where = "at the table" if name == "personas" else "to run"
        rows.append((name, f"{number} {where}", number > 0))
        rows += [(name, problem.text, False) for problem in problems]
    rows += check_panel(settings)
    limits = {f"budget.{name}": most for name, most in asdict(settings.budget).items()}
    limits["time_limit"] = settings.time_limit
    rows += [(name, str(most), True) for name, most in limits.items() if most is not None]
    for extra, package in _EXTRAS.items():
        versions = [each.version for each in distributions(name=package)]
        found = f"{package} {versions[0]}" if versions else f"{package} is not installed"
        rows.append((f"optional: {extra}", found, True))
    sound = all(row[2] for row in rows)
    data = [dict(zip(("name", "found", "sound"), row, strict=True)) for row in rows]
    text = pairs([(name, found if fine else f"{found} <- needs repair") for name, found, fine in rows])
    flags.show_result({"sound": sound, "findings": data}, text)
    return 0 if sound else 2


def _check_items(project: Project) -> tuple[str, bool]:
    name, home = project.items_folder, project.root / project.items_folder
    existing = next(path for path in (home, *home.parents) if path.exists())
    try:
        items = project.items()
    except ItemCorrupt as corrupt:
        return corrupt.failed, False
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        return f"{name}: {existing} cannot be written to", False
    if links := ", ".join(project.list_stray_links()):
        return f"{name}: {one_line(links)} leads out of the project, so it is not an item", False
    if broken := ", ".join(entry.slug for entry in items if entry.problem):
        return f"{name}: meta.json cannot be used in {broken}", False
    return f"{name}: {count(len(items), 'item')}, writable", True


def offer_models(settings: Settings, answers: Answers) -> Settings:
    """Ask the user once which of the models found here speaks, and remember it; return the new settings."""
    found = find_models(settings.root) if user_file(os.environ) is not None else ()
    if not found:
        return settings
    offered = {str(number): each for number, each in enumerate(found[:_MOST_OFFERED], start=1)}
    described = "\n\n".join(_describe(each, number) for number, each in offered.items())
    text = read_tables("terminal.toml")["offer"].format(found=described)
    put_text(click.wrap_text(text, get_terminal_size().columns, preserve_paragraphs=True))
    while (words := ask_once(answers, "Number, or Enter: ")) is not None:
        chosen = offered.get(words.strip()) if words.strip() else _OFFLINE
        if chosen is None or chosen.lacks:
            lacks = f"{chosen.name} {chosen.lacks}." if chosen else "That is not in the list."
            put_text(f"{lacks} Type a number from it, or press Enter to stay offline.")
            continue
        try:
            put_text(f"{chosen.name}: kept in {remember_panel(chosen.model, chosen.base_url)}.\n")
        except (RuleBroken, DiskFailed) as failure:
            tell(f"{failure} Your choice is used this once.")
        if chosen is not _OFFLINE:
            settings = replace(settings, panel="model", models=(chosen.model,), base_url=chosen.base_url)
        return replace(settings, is_panel_chosen=True)
    return settings


def _describe(model: FoundModel, mark: str) -> str:
    lacks = f" It {model.lacks}." if model.lacks else ""
    return f"{mark:>2}  {model.name}: {model.how}. {_warn(model)}{lacks}"


def _warn(model: FoundModel) -> str:
    return f"It {model.cost}. {model.leaves[0].upper()}{model.leaves[1:]}."


@command(uses=("json", "base_url"))
@click.argument("action", type=click.Choice(("list", "use", "test")), default="list")
@click.argument("name", required=False)
@click.option("--yes", is_flag=True, help="Test the model without asking you first.")
def models(flags: Flags, action: Literal["list", "use", "test"], name: str | None, yes: bool) -> int:
    """List, choose and test the language models on this machine."""
    settings = flags.settings()
    found = find_models(settings.root)
    match action:
        case "list":
            try:
                speakers = list_speakers(settings, found)
            except RuleBroken as broken:  # the settings name an unknown model; the others are listed
                tell(str(broken))
                speakers = []
            names = [model.name for model in speakers] or [OFFLINE] * (settings.panel == OFFLINE)
            shown = [*found, *(model for model in speakers if model not in found)]
            lines = [_describe(model, "*" if model.name in names else "") for model in (_OFFLINE, *shown)]
            if not found:
                lines.append("\nNo assistant, no local model server and no key was found.")
            lines.append("\n* speaks. Choose with: roundtable models use NAME")
            flags.show_result({"speaks": names, "found": shown}, "\n".join(lines))
        case "use":
            if not name:
                raise click.UsageError("Name the model: roundtable models use NAME")
            is_offline = name.strip() == OFFLINE
            model = _OFFLINE if is_offline else read_model(name, flags.base_url or "", found)
            if model.lacks:
                tell(f"{model.name} {model.lacks}.")
            kept = remember_panel(model.model, model.base_url)
            now, _ = load_settings(flags.root)
            speaks = ("".join(now.models), now.base_url) if now.panel == "model" else ("", "")
            told = f"{model.name} speaks from now on. {_warn(model)} Kept in {kept}."
            if speaks != (model.model, model.base_url):
                stronger = f"your environment or {user_file(os.environ)} names another one or cannot be read"
                told = f"{model.name} is kept in {kept}, but does not speak: {stronger}."
            flags.show_result({"speaks": name.strip(), "file": str(kept)}, told)
        case "test":
            named = [read_model(name, flags.base_url or "", found)] if name else []
            chosen = named or list_speakers(settings, found)
            if not chosen:
                wrong = "No model is chosen, so none can be tested."
                raise RuleBroken(f"{wrong} Name one: roundtable models test NAME")
            what = " ".join(f"{each.name} is asked one short question. It {each.cost}." for each in chosen)
            flags.require_yes(yes, f"{what} Nothing from your project is sent.", "Nothing was sent.")
            results = [(each.name, *ask_model(each)) for each in chosen]
            data = [{"name": name, "answer": answer, "sound": sound} for name, answer, sound in results]
            answers = (f"{name} {answer}" if sound else answer for name, answer, sound in results)
            flags.show_result(data, "\n".join(answers))
            return 0 if all(sound for _, _, sound in results) else STATUSES[PanelFailed]
    return 0
