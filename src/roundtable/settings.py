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

import json
import os
import re
import sys
from collections.abc import Callable, Collection, Mapping
from decimal import Decimal
from functools import partial
from pathlib import Path, PureWindowsPath
from typing import Any

from msgspec import Struct, field

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


class Budget(Struct, frozen=True):
    """What one discussion may use; None where there is no limit."""

    turns: int | None = None
    tokens: int | None = None
    money: Decimal | None = None


UNLIMITED = Budget()


class Settings(Struct, frozen=True):
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


class _SettingsReader(Struct):
    """The values found so far, and what is wrong with others; a value once found is not replaced."""

    values: dict[str, Any] = field(default_factory=dict)
    budget: dict[str, Decimal] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def take(self, origin: str, table: Mapping[str, Any], *, shown: Callable[[str], str] = str) -> None:
        named = self.values.get("model")
        for key, value in table.items():
            if key == _BUDGET:
                self._take_budget(origin, value, shown)
            elif key not in _READERS:
                known = ", ".join((*_READERS, _BUDGET))
                self.warn(f"{origin}: {shown(key)} is not a setting; the settings are {known}.")
            else:
                try:
                    self.values.setdefault(key, _READERS[key](value))
                except ValueError as problem:
                    self.warn(f"{origin}: {shown(key)} {problem}.")
        # Whoever names a model wants it to speak, unless the panel is named there or more strongly.
        if self.values.get("model") != named or table.get("base_url"):
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
    given: dict[str, Any] = {key: value for key in _READERS if (value := environment.get(_variable(key)))}
    limits = {key: value for key in _LIMITS if (value := environment.get(_variable(f"{_BUDGET}_{key}")))}
    found.take("Environment", given | {_BUDGET: limits}, shown=_variable)
    own = user_file(environment)
    if own is not None:
        found.take(str(own), _table(_text(own, str(own), found), str(own), found))
    for file, section in PROJECT_FILES.items():
        text = _text(home / file, file, found, mention=section)
        found.take_from_project(file, _section(_table(text, file, found), section), text, section, own)
    values = found.values
    renamed = {"items_folder": values.pop("items", ITEMS_FOLDER), "models": values.pop("model", ())}
    turns, tokens = (int(found.budget[key]) if key in found.budget else None for key in ("turns", "tokens"))
    budget = Budget(turns, tokens, found.budget.get("money"))
    settings = Settings(home, budget=budget, is_panel_chosen="panel" in values, **renamed, **values)
    return settings, tuple(found.warnings)


def remember_panel(
    panel: str, model: str = "", base_url: str = "", *, environment: Mapping[str, str] | None = None
) -> Path:
    """Write who speaks into the user's own file, and return that file; whatever else it says stays.

    The models that the file names stay if `model` is empty. RuleBroken if there can be no file or it does not
    read, DiskFailed if it cannot be written; it is then as it was.
    """
    try:
        if model:
            _read_models(model)
        if base_url:
            _read_address(base_url)
    except ValueError as problem:
        what = "address" if base_url else "name"
        raise RuleBroken(f"The model's {what} {problem}. Nothing was changed.") from None
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
    lines, kept, at = re.findall(r".*\n|.+\Z", text), list[str](), 0
    while at < len(lines) and not lines[at].lstrip().startswith("["):
        statement, at, table = _take_statement(lines, at)
        if not table.keys() & values.keys():
            kept.append(statement)
    # JSON's strings are TOML's too.
    chosen = [f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in values.items() if value]
    changed = "".join([*chosen, *kept, *lines[at:]])
    wanted = {key: value for key, value in {**before, **values}.items() if value or key not in values}
    try:
        is_as_wanted = tomllib.loads(changed) == wanted
    except ValueError:
        is_as_wanted = False
    if not is_as_wanted:
        raise RuleBroken(f"{own} is written in a way that was not understood. Set there: {', '.join(chosen)}")
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
    return name if 0 < len(name) <= _MAX_NAME_LENGTH else None


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


def _read_text(value: object, example: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f'must be a text in quotes, such as "{example}"')  # noqa: TRY004
    return value


def _read_items(value: object) -> str:
    text = _read_text(value, ITEMS_FOLDER)
    # Windows knows every separator and drive, so that a folder is refused on all systems alike.
    path = PureWindowsPath(text)
    if path.drive or path.root or ".." in path.parts or not path.parts or not text.isprintable():
        raise ValueError(f'must name a folder inside the project, such as "{ITEMS_FOLDER}"')
    return text


def _read_choice(value: object, choices: Collection[str]) -> str:
    text = _read_text(value, next(iter(choices)))
    if text not in choices:
        raise ValueError(f"must be one of {', '.join(choices)}, not {text[:40]}")
    return text


def _read_name(value: object) -> str:
    name = one_line(_read_text(value, "Ada"))
    if not 0 < len(name) <= _MAX_NAME_LENGTH:
        raise ValueError(f"must have 1 to {_MAX_NAME_LENGTH} characters")
    return name


def _read_review(value: object) -> bool:
    return value if isinstance(value, bool) else REVIEWS[_read_choice(value, REVIEWS)]


def _read_models(value: object) -> tuple[str, ...]:
    names = [name for name in (value if isinstance(value, list) else [value]) if isinstance(name, str)]
    is_known = all(name.strip() and name.isprintable() and len(name) <= _MAX_MODEL_LENGTH for name in names)
    given = len(value) if isinstance(value, list) else 1
    if not 0 < given <= _MOST_MODELS or len(names) < given or not is_known:
        raise ValueError(f'must be a name, such as "{_EXAMPLE_MODEL}", or a list of names')
    # As it stands but for its ends: an argument of a command may have any white space in it.
    return tuple(name.strip() for name in names)


def _read_address(value: object) -> str:
    if problem := address.find_problem(text := _read_text(value, address.EXAMPLE)):
        raise ValueError(problem)
    return text


def _read_time(value: object) -> float:
    text = str(value) if type(value) is int else _read_text(value, "120")
    is_number = text.isascii() and text.isdecimal() and len(text) <= 4
    if not is_number or not _LEAST_SECONDS <= int(text) <= _MOST_SECONDS:
        raise ValueError(f"must be a number of seconds from {_LEAST_SECONDS} to {_MOST_SECONDS}")
    return float(text)


_READERS: Mapping[str, Callable[[object], Any]] = {
    "items": _read_items,
    "panel": partial(_read_choice, choices=PANELS),
    "user_name": _read_name,
    "review": _read_review,
    "model": _read_models,
    "base_url": _read_address,
    "time_limit": _read_time,
}
"""What reads each setting; a ValueError says what is wrong with a value."""
_LIMITS = {"turns": "8", "tokens": "60000", "money": "0.50"}
