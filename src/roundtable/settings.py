"""Settings, strongest first: flags, `ROUNDTABLE_*` variables, the user's file, the project's file, defaults.

    # the user's config.toml, or roundtable.toml, or [tool.roundtable] in pyproject.toml
    items = "docs/requirements"     # where the items' folders are, inside the project
    panel = "offline"               # who gives the personas their words; a project may say "offline" only
    user_name = "Ada"               # what the personas call you; else git's user.name
    review = true                   # you accept or change each synthesis before it is written

    # the user's config.toml only: a project that was cloned does not choose what runs here or gets a key
    model = "anthropic:NAME"        # who speaks for the model panel; a list: each where those before it fail
    base_url = "http://HOST/v1"     # an OpenAI-compatible server, for a model that is named without a service
    time_limit = 120                # how many seconds one answer of a model may take

    [budget]                        # what one discussion may use; it ends like a turn limit
    turns = 8
    tokens = 60000
    money = 0.50                    # US dollars

What cannot be used is passed over with a warning that names the file and the key.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from pathlib import Path, PureWindowsPath
from typing import Any

from . import address
from .core.errors import DiskFailed, RuleBroken
from .git import run_git
from .store import files
from .store.artifact import one_line
from .store.items import ITEMS_FOLDER

PANELS = ("offline", "model")
REVIEWS = {"true": True, "false": False, "before": True, "after": False}
"""What `review` may be; the last two are how older files say it."""
PROJECT_FILES = {"roundtable.toml": "", "pyproject.toml": "tool.roundtable"}
"""The files of a project that hold settings, and the table that they are in."""
_BUDGET = "budget"
_WHY_PERSONAL = "A project's file cannot choose what runs here or where words and keys go."
PERSONAL = {
    "model": _WHY_PERSONAL,
    "base_url": _WHY_PERSONAL,
    "time_limit": "A project's file cannot say how long you wait for a model.",
    "panel": 'A project\'s file can only say panel = "offline".',
    _BUDGET: "A project's file cannot say what a discussion may cost you.",
}
"""The settings that a project's file cannot make, but for an offline panel; and why."""
_MAX_NAME_LENGTH = 80
_MAX_FILE_SIZE = 1024 * 1024
_GIT_SECONDS = 1.0
_LEAST_SECONDS, _MOST_SECONDS = 5, 3600
_MOST_MODELS = 8
_MAX_MODEL_LENGTH = 500
_EXAMPLE_MODEL = "ollama:llama3.2"
_MOST = 10**12


@dataclass(frozen=True, slots=True)
class Budget:
    """What one discussion may use; None where there is no limit."""

    turns: int | None = None
    tokens: int | None = None
    money: Decimal | None = None


UNLIMITED = Budget()


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run of the program goes by."""

    root: Path = Path()
    items_folder: str = ITEMS_FOLDER
    panel: str = "offline"
    user_name: str | None = None
    review: bool = True
    models: tuple[str, ...] = ()
    base_url: str = ""
    time_limit: float | None = None
    """How many seconds one answer of a model may take; None for the usual time of its kind."""
    budget: Budget = UNLIMITED
    is_panel_chosen: bool = False
    """Whether anybody named a panel, a model or a server; else the user may be asked."""


@dataclass(slots=True)
class _SettingsReader:
    """The values found so far, and what is wrong with others; a value once found is not replaced."""

    values: dict[str, str] = field(default_factory=dict)
    models: tuple[str, ...] = ()
    budget: dict[str, Decimal] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def take(self, origin: str, table: Mapping[str, Any], *, shown: Callable[[str], str] = str) -> None:
        named = self.models
        for key, value in table.items():
            check, example = _CHECKS.get(key, (None, ""))
            if key == _BUDGET:
                self._take_budget(origin, value, shown)
            elif key == "model" and isinstance(value, list):
                self._take_models(origin, value)
            elif check is None:
                known = ", ".join((*_CHECKS, _BUDGET))
                self.warn(f"{origin}: {shown(key)} is not a setting; the settings are {known}.")
            elif key == "review" and isinstance(value, bool):
                self.values.setdefault(key, str(value).lower())
            elif key == "time_limit" and type(value) is int and check(str(value)) is None:
                self.values.setdefault(key, str(value))
            elif not isinstance(value, str):
                self.warn(f'{origin}: {shown(key)} must be a text in quotes, such as "{example}".')
            elif problem := check(value):
                self.warn(f"{origin}: {shown(key)} {problem}.")
            elif key == "model":
                self._take_models(origin, [value])
            else:
                self.values.setdefault(key, one_line(value))
        # Whoever names a model wants it to speak, unless the panel is named there or more strongly.
        if self.models != named or table.get("base_url"):
            self.values.setdefault("panel", "model")

    def take_from_project(
        self, file: str, table: Mapping[str, Any], text: str, section: str, own: Path | None
    ) -> None:
        """Take what a project may decide; say of the rest where it stands and where it belongs."""
        refused = [key for key in PERSONAL if key in table and (key, table[key]) != ("panel", "offline")]
        for key in refused:
            means = f"{_flag(key)}, {_variable(key)}"
            if key in (_BUDGET, "time_limit"):
                means = _variable("budget_turns" if key == _BUDGET else key)
            self.warn(
                f"{file}, line {_line_of(key, text, section)}: {key} is ignored. {PERSONAL[key]} Use {means}"
                + (f" or {own}." if own else ".")
            )
        self.take(file, {key: value for key, value in table.items() if key not in refused})

    def _take_models(self, origin: str, names: list[Any]) -> None:
        if not 0 < len(names) <= _MOST_MODELS or not all(
            isinstance(name, str) and name.strip() and _bad_model(name) is None for name in names
        ):
            self.warn(f'{origin}: model must be a name, such as "{_EXAMPLE_MODEL}", or a list of names.')
        elif not self.models:
            # As it stands but for its ends: an argument of a command may have any white space in it.
            self.models = tuple(name.strip() for name in names)

    def _take_budget(self, origin: str, table: object, shown: Callable[[str], str]) -> None:
        if not isinstance(table, Mapping):
            self.warn(f"{origin}: {shown(_BUDGET)} must be a table with {', '.join(_LIMITS)}.")
            return
        for key, value in table.items():
            limit = _limit(key, value)
            if key not in _LIMITS:
                self.warn(
                    f"{origin}: {shown(f'{_BUDGET}_{key}')} is not a limit; they are {', '.join(_LIMITS)}."
                )
            elif limit is None:
                self.warn(f"{origin}: {shown(f'{_BUDGET}_{key}')} must be a number, such as {_LIMITS[key]}.")
            else:
                self.budget.setdefault(key, limit)

    def warn(self, text: str) -> None:
        self.warnings.append(one_line(text))


def load_settings(
    root: Path | str | None = None,
    panel: str | None = None,
    *,
    model: str | None = None,
    base_url: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> tuple[Settings, tuple[str, ...]]:
    """Return the settings in force and warnings about what cannot be used; RuleBroken if a flag cannot be."""
    environment = os.environ if environment is None else environment
    named = root or environment.get("ROUNDTABLE_ROOT")
    _require_folder(Path(named or "."))
    home = Path(named) if named else find_root()
    if base_url and (problem := address.find_problem(base_url)):
        raise RuleBroken(f"--base-url {problem}.")
    found = _SettingsReader()
    flags = {"panel": panel, "model": model, "base_url": base_url}
    found.take("Flags", {key: value for key, value in flags.items() if value}, shown=_flag)
    variables = {key: environment.get(_variable(key), "") for key in _CHECKS}
    limits = {key: environment.get(_variable(f"{_BUDGET}_{key}"), "") for key in _LIMITS}
    given: dict[str, Any] = {key: value for key, value in variables.items() if value}
    if any(limits.values()):
        given[_BUDGET] = {key: value for key, value in limits.items() if value}
    found.take("Environment", given, shown=_variable)
    own = user_file(environment)
    if own is not None:
        found.take(str(own), _table(_text(own, str(own), found), str(own), found))
    for file, section in PROJECT_FILES.items():
        text = _text(home / file, file, found, mention=section)
        found.take_from_project(file, _section(_table(text, file, found), section), text, section, own)
    values = found.values
    items = values.pop("items", ITEMS_FOLDER)
    turns, tokens = (int(found.budget[key]) if key in found.budget else None for key in ("turns", "tokens"))
    budget = Budget(turns, tokens, found.budget.get("money"))
    review = REVIEWS[values.pop("review", "true")]
    time_limit = values.pop("time_limit", "")
    settings = Settings(
        home,
        items_folder=items,
        review=review,
        time_limit=float(time_limit) if time_limit else None,
        models=found.models,
        budget=budget,
        is_panel_chosen="panel" in values,
        **values,
    )
    return settings, tuple(found.warnings)


def remember_panel(
    panel: str, model: str = "", base_url: str = "", *, environment: Mapping[str, str] | None = None
) -> Path:
    """Write who speaks into the user's own file, and return that file; whatever else it says stays.

    The models that the file names stay if `model` is empty. RuleBroken if there can be no file or it does not
    read, DiskFailed if it cannot be written; it is then as it was.
    """
    problem = (model and _bad_model(model)) or (base_url and address.find_problem(base_url))
    if problem:
        raise RuleBroken(f"The model's {'address' if base_url else 'name'} {problem}. Nothing was changed.")
    own = user_file(os.environ if environment is None else environment)
    if own is None:
        raise RuleBroken("There is no home folder to keep your settings in. Set HOME, or use --model.")
    try:
        text = files.read(own, limit=_MAX_FILE_SIZE).decode("utf-8-sig")
        is_new = False
    except FileNotFoundError:
        text, is_new = "", True
    except UnicodeDecodeError:
        raise RuleBroken(f"{own} is not UTF-8 text. Nothing was changed. Repair it.") from None
    values = {"panel": panel} | ({"model": model, "base_url": base_url} if model else {})
    changed = _change_values(text, values, own)
    files.make_folder(own.parent, parents=True)
    files.write(own, changed.encode(), follow_link=not is_new, new_mode=0o600)
    return own


def _change_values(text: str, values: Mapping[str, str], own: Path) -> str:
    """Return the text of a settings file with these texts at its top level; an empty one is taken out."""
    import tomllib

    try:
        before = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise RuleBroken(f"{own} cannot be read: {error}. Nothing was changed. Repair it.") from None
    newline = "\r\n" if "\r\n" in text else "\n"
    left = {key: value for key, value in values.items() if value}
    lines, kept, at = re.findall(r".*\n|.+\Z", text), list[str](), 0
    while at < len(lines) and not lines[at].lstrip().startswith("["):
        statement, at, table = _take_statement(lines, at)
        key = next((key for key in table if key in values), None)
        if key is None:
            kept.append(statement)
        elif value := left.pop(key, ""):
            kept.append(f"{key} = {_quote(value)}{_find_comment(statement, table)}{newline}")
    if kept and not kept[-1].endswith("\n"):
        kept.append(newline)
    kept += [f"{key} = {_quote(value)}{newline}" for key, value in left.items()]
    if at < len(lines) and left:
        kept.append(newline)
    changed = "".join([*kept, *lines[at:]])
    wanted = {key: value for key, value in {**before, **values}.items() if value or key not in values}
    try:
        is_as_wanted = tomllib.loads(changed) == wanted
    except ValueError:
        is_as_wanted = False
    if not is_as_wanted:
        lines_to_set = ", ".join(f"{key} = {_quote(value)}" for key, value in values.items() if value)
        raise RuleBroken(f"{own} is written in a way that was not understood. Set there: {lines_to_set}.")
    return changed


def _take_statement(lines: list[str], at: int) -> tuple[str, int, Mapping[str, Any]]:
    """Return the statement that begins at a line, the line after it, and what it sets."""
    import tomllib

    for end in range(at + 1, len(lines) + 1):
        statement = "".join(lines[at:end])
        try:
            return statement, end, tomllib.loads(statement)
        except ValueError:  # a list or a text that goes on in the next line
            continue
    return "".join(lines[at:]), len(lines), {}


def _find_comment(statement: str, table: Mapping[str, Any]) -> str:
    """Return the comment after a value of one line, with the blanks before it."""
    import tomllib

    for mark in re.finditer(r"(?<!\s)\s*+#", statement):
        with suppress(ValueError):
            if tomllib.loads(statement[: mark.start()]) == table:
                comment = statement[mark.start() :].rstrip()
                return "" if "\n" in comment else comment
    return ""


def _quote(value: str) -> str:
    """Return a printable text as TOML writes it."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def find_root() -> Path:
    """Return the project's folder: here, or the nearest above that has items, settings or a git repository.

    Without any of these it is here. A folder above that belongs to somebody else does not count, nor what is
    above it: nobody else decides what is read and written from here.
    """
    here = Path.cwd()
    owner = here.stat().st_uid
    for folder in (here, *here.parents):
        if folder.stat().st_uid != owner:
            break
        if _is_root(folder):
            return Path() if folder == here else folder
    return Path()


def _is_root(folder: Path) -> bool:
    if any((folder / name).exists() for name in (ITEMS_FOLDER, ".roundtable", "roundtable.toml", ".git")):
        return True
    section = PROJECT_FILES["pyproject.toml"]
    return bool(_text(folder / "pyproject.toml", "pyproject.toml", _SettingsReader(), mention=f"[{section}"))


def user_file(environment: Mapping[str, str]) -> Path | None:
    """Return the user's own settings file, where the system keeps such files; None without a home."""
    base = Path(environment.get("XDG_CONFIG_HOME") or environment.get("APPDATA", ""))
    if base.is_absolute():  # else the project that one stands in would decide
        return base / "roundtable" / "config.toml"
    if not (home := environment.get("HOME")):
        return None
    folder = "Library/Application Support" if sys.platform == "darwin" else ".config"
    return Path(home) / folder / "roundtable" / "config.toml"


def user_name(settings: Settings) -> str | None:
    """Return what the user is called: by the settings, else by git; None if neither says."""
    if settings.user_name:
        return settings.user_name
    answer = run_git(settings.root, "config", "user.name", seconds=_GIT_SECONDS)
    name = one_line((answer or b"").decode("utf-8", "replace"))
    return name if _bad_name(name) is None else None


def _require_folder(path: Path) -> None:
    try:
        path.is_absolute() or Path.cwd()
    except OSError:
        gone = "The folder that you are in was removed. Nothing was changed. Go to another folder."
        raise RuleBroken(gone) from None
    if "\0" in str(path) or not path.is_dir():
        raise RuleBroken(f"There is no folder {path}. Name the project's folder with --root.")


def _text(path: Path, name: str, found: _SettingsReader, *, mention: str = "") -> str:
    """The text of a file; empty where there is no file, or (a big file of others) no mention of us in it."""
    try:
        data = files.read(path, limit=_MAX_FILE_SIZE)
        return data.decode("utf-8-sig") if mention.encode() in data else ""
    except FileNotFoundError:
        return ""
    except DiskFailed as failure:
        if not mention and not isinstance(failure.__cause__, NotADirectoryError):
            found.warn(f"{name} is passed over. {failure.failed}")
    except UnicodeDecodeError:
        found.warn(f"{name} is passed over: it is not UTF-8 text.")
    return ""


def _table(text: str, name: str, found: _SettingsReader) -> Mapping[str, Any]:
    if not text:
        return {}
    import tomllib  # late: most projects have no file of ours

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        found.warn(f"{name} is passed over: {error}.")
    return {}


def _section(table: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The table below these keys; empty where there is none."""
    for key in filter(None, name.split(".")):
        below = table.get(key)
        table = below if isinstance(below, dict) else {}
    return table


def _line_of(key: str, text: str, section: str) -> int:
    """The line that a key is set in: the first that looks like it from the section's head on."""
    lines = text.split("\n")
    first = next((number for number, line in enumerate(lines) if section in line), 0)
    setting = re.compile(rf"(?<![\w-]){key}[\"']?\s*[=.\]]")
    return next((number for number in range(first, len(lines)) if setting.search(lines[number])), first) + 1


def _variable(key: str) -> str:
    return f"ROUNDTABLE_{key.upper()}"


def _flag(key: str) -> str:
    return f"--{key.replace('_', '-')}"


def _limit(key: str, value: object) -> Decimal | None:
    """A limit of the budget: a number above nought, whole where it counts turns or tokens."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = Decimal(str(value).strip())
    except ArithmeticError:
        return None
    if not number.is_finite() or not 0 < number < _MOST:
        return None
    return number if key == "money" or number == number.to_integral_value() else None


def _bad_items(value: str) -> str | None:
    # Windows knows every separator and drive, so that a folder is refused on all systems alike.
    path = PureWindowsPath(value)
    if path.drive or path.root or ".." in path.parts or not path.parts or not value.isprintable():
        return f'must name a folder inside the project, such as "{ITEMS_FOLDER}"'
    return None


def _not_among(choices: Collection[str], value: str) -> str | None:
    return None if value in choices else f"must be one of {', '.join(choices)}, not {value[:40]}"


def _bad_time(value: str) -> str | None:
    is_number = value.isascii() and value.isdecimal() and len(value) <= 4
    is_time = is_number and _LEAST_SECONDS <= int(value) <= _MOST_SECONDS
    return None if is_time else f"must be a number of seconds from {_LEAST_SECONDS} to {_MOST_SECONDS}"


def _bad_model(value: str) -> str | None:
    return None if value.isprintable() and len(value) <= _MAX_MODEL_LENGTH else "must be a name on one line"


def _bad_name(value: str) -> str | None:
    name = one_line(value)
    return None if 0 < len(name) <= _MAX_NAME_LENGTH else f"must have 1 to {_MAX_NAME_LENGTH} characters"


# For each setting: what is wrong with a text, and an example of one that is right.
_CHECKS: Mapping[str, tuple[Callable[[str], str | None], str]] = {
    "items": (_bad_items, ITEMS_FOLDER),
    "panel": (partial(_not_among, PANELS), PANELS[0]),
    "user_name": (_bad_name, "Ada"),
    "review": (partial(_not_among, REVIEWS), "true"),
    "model": (_bad_model, _EXAMPLE_MODEL),
    "base_url": (address.find_problem, address.EXAMPLE),
    "time_limit": (_bad_time, "120"),
}
_LIMITS = {"turns": "8", "tokens": "60000", "money": "0.50"}
