"""Settings, strongest first: flags, `ROUNDTABLE_*` variables, the user's file, the project's file, defaults.

docs/commands.md lists them. A value that cannot be used is skipped with a warning that names it. The program
never writes the user's file: the chosen model is kept beside it, and counts if that file names none.
"""

import json
import os
import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from decimal import Decimal
from pathlib import Path, PureWindowsPath
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, ValidationError, convert

from . import address
from .core.errors import DiskFailed, RuleBroken
from .git import run_git
from .store import files
from .store.artifact import one_line
from .store.items import ITEMS_FOLDER

PANELS = ("offline", "model")
PROJECT_FILES = {"roundtable.toml": "", "pyproject.toml": "tool.roundtable"}
"""The project's files that may hold settings, each with the table they are in."""
_MAX_NAME_LENGTH = 80
_MAX_FILE_SIZE = 1024 * 1024
_MOST = 10**12
_Count = Annotated[int, Meta(gt=0, lt=_MOST)]
_ModelNames = Annotated[tuple[Annotated[str, Meta(max_length=500)], ...], Meta(min_length=1, max_length=8)]
_SETTINGS: Mapping[str, tuple[Any, str]] = {
    "items": (str, f'a folder inside the project, such as "{ITEMS_FOLDER}"'),
    "panel": (Literal["offline", "model"], f"one of {', '.join(PANELS)}"),
    "user_name": (str, f"a text of 1 to {_MAX_NAME_LENGTH} characters"),
    "review": (bool, "true or false"),
    "model": (_ModelNames, 'a name, such as "ollama:llama3.2", or a list of names'),
    "base_url": (str, f'an address, such as "{address.EXAMPLE}"'),
    "telemetry": (bool, "true or false"),
    "time_limit": (Annotated[int, Meta(ge=5, le=3600)], "a number of seconds from 5 to 3600"),
    "budget.turns": (_Count, "a number, such as 8"),
    "budget.tokens": (_Count, "a number, such as 60000"),
    "budget.money": (Decimal, "a number, such as 0.50"),
}
"""The type of each setting, and what it must be, in words."""
PERSONAL = frozenset({"model", "base_url", "telemetry", "time_limit", "panel", "budget"})
"""The settings that a project's file cannot change, except to choose the offline panel."""
KEPT_FILE = "panel.toml"  # beside the user's own file; it holds the model that the user chose


class Budget(Struct, frozen=True):
    """What one discussion may use; None means no limit."""

    turns: int | None = None
    tokens: int | None = None
    money: Decimal | None = None


class Settings(Struct, frozen=True):
    """The settings of one run of the program."""

    root: Path = Path()
    items_folder: str = ITEMS_FOLDER
    panel: str = "offline"
    user_name: str | None = None
    review: bool = True
    models: tuple[str, ...] = ()
    base_url: str = ""
    telemetry: bool = False
    time_limit: float | None = None
    budget: Budget = Budget()
    is_panel_chosen: bool = False  # a setting names a panel, model or server; if not, the user may be asked


def _read_layer(path: Path, warnings: list[str], section: str = "", personal: str = "") -> dict[str, Any]:
    """Return a file's settings in a section; if `personal` names the place for personal ones, skip those."""
    name = path.name if personal else str(path)
    try:
        data = files.read(path, limit=_MAX_FILE_SIZE)
        if section.encode() not in data:
            return {}
        import tomllib  # late: most projects have no such file

        text = data.decode("utf-8-sig")
        table = tomllib.loads(text)
    except (FileNotFoundError, DiskFailed, ValueError, RecursionError) as error:
        reason = error.failed if isinstance(error, DiskFailed) else f"{error}."
        if path.exists():
            warnings.append(f"{name} is ignored: {reason}")
        return {}
    for key in filter(None, section.split(".")):
        below = table.get(key)
        table = below if isinstance(below, dict) else {}
    if isinstance(table.get("budget"), dict):
        table |= {f"budget.{key}": value for key, value in table.pop("budget").items()}
    if not personal:
        return table
    kept = {key: value for key, value in table.items() if key.partition(".")[0] not in PERSONAL}
    kept |= {"panel": "offline"} if table.get("panel") == "offline" else {}
    why = "A project's file cannot choose who speaks, where words and keys go, what that may cost"
    for key in dict.fromkeys(key.partition(".")[0] for key in table if key not in kept):
        named = re.compile(rf"^[ \t]*\[?(?:{section}\.)?[\"']?{key}\b", re.MULTILINE)
        found = named.search(text, max(text.find(section) - 1, 0))  # from the bracket of its table
        line = text.count("\n", 0, found.end()) + 1 if found else 0
        place = f"{name}, line {line}" if line else name
        warnings.append(f"{place}: {key} is ignored. {why} or how long it takes. Set it in {personal}.")
    return kept


def _read_value(key: str, value: object) -> Any:
    if key not in _SETTINGS:
        raise ValueError(f"is not a setting; the settings are {', '.join(_SETTINGS)}")
    form, wanted = _SETTINGS[key]
    if key == "review":  # its old values still count
        value = {"before": True, "after": False}.get(str(value), value)
    given = [value] if key == "model" and isinstance(value, str) else value
    is_sound = True
    try:
        found = convert(given, form, strict=False)
    except ValidationError:
        raise ValueError(f"must be {wanted}") from None
    match key:
        case "items":
            # Windows rules know every separator and drive, so that all systems refuse the same folders.
            path = PureWindowsPath(found)
            is_sound = bool(path.parts) and not path.anchor and ".." not in path.parts and found.isprintable()
        case "user_name":
            found = one_line(found)
            is_sound = 0 < len(found) <= _MAX_NAME_LENGTH
        case "model":
            # Only the ends are stripped: an argument of a command may contain any white space.
            found = tuple(name.strip() for name in found)
            is_sound = all(name and name.isprintable() for name in found)
        case "base_url" if problem := address.find_problem(found):
            raise ValueError(problem)
        case "budget.money":
            is_sound = found.is_finite() and 0 < found < _MOST
    if not is_sound:
        raise ValueError(f"must be {wanted}")
    return found


def load_settings(
    root: Path | str | None = None,
    panel: str | None = None,
    *,
    model: str | None = None,
    base_url: str | None = None,
    environment: Mapping[str, str] = os.environ,
) -> tuple[Settings, tuple[str, ...]]:
    """Return the settings in force and warnings about unusable ones; raise RuleBroken for a bad flag."""
    named = root or environment.get("ROUNDTABLE_ROOT")
    try:
        home = Path(named) if named else find_root()
    except OSError:
        gone = "The folder that you are in was removed. Nothing was changed. Go to another folder."
        raise RuleBroken(gone) from None
    if "\0" in str(home) or not home.is_dir():
        raise RuleBroken(f"There is no folder {home}. Name the project's folder with --root.")
    if base_url and (problem := address.find_problem(base_url)):
        raise RuleBroken(f"--base-url {problem}.")
    warnings: list[str] = []
    flags = (("panel", panel), ("model", model), ("base_url", base_url))
    variables = {key: f"ROUNDTABLE_{key.replace('.', '_').upper()}" for key in _SETTINGS}
    given = {key: value for key, name in variables.items() if (value := environment.get(name))}
    layers = [("Flags", {key: value for key, value in flags if value}), ("Environment", given)]
    if (own := user_file(environment)) is not None:
        mine, kept = _read_layer(own, warnings), own.with_name(KEPT_FILE)
        layers.append((str(own), mine))
        # A model and its address belong together. A file that cannot be read may name another one, or none.
        if not warnings and not mine.keys() & {"panel", "model", "base_url"}:
            layers.append((str(kept), _read_layer(kept, warnings)))
    for name, section in PROJECT_FILES.items():
        layers.append((name, _read_layer(home / name, warnings, section, str(own or "the environment"))))
    values: dict[str, Any] = {}
    for origin, table in layers:
        before = values.get("model"), values.get("base_url")
        for key, value in table.items():
            try:
                values.setdefault(key, _read_value(key, value))
            except ValueError as problem:
                name = variables[key] if origin == "Environment" else key
                warnings.append(f"{origin}: {name} {problem}.")
        # Naming a model means that it should speak, unless this or a stronger layer names the panel.
        if (values.get("model"), values.get("base_url")) != before:
            values.setdefault("panel", "model")
    budget = Budget(*(values.pop(f"budget.{limit}", None) for limit in ("turns", "tokens", "money")))
    renamed = {"items_folder": values.pop("items", ITEMS_FOLDER), "models": values.pop("model", ())}
    settings = Settings(home, budget=budget, is_panel_chosen="panel" in values, **renamed, **values)
    return settings, tuple(map(one_line, warnings))


def remember_panel(model: str, base_url: str = "", *, environment: Mapping[str, str] = os.environ) -> Path:
    """Write who speaks to a file beside the user's own and return it; an empty model means offline."""
    if (own := user_file(environment)) is None:
        raise RuleBroken("There is no home folder to keep your settings in. Set HOME, or use --model.")
    values = {"panel": "model" if model else "offline", "model": model, "base_url": base_url}
    text = "# Written by `roundtable models use`. A panel or model that config.toml names counts instead.\n"
    for key in filter(values.get, values):
        try:
            _read_value(key, values[key])
        except ValueError as problem:
            raise RuleBroken(f"{key} {problem}. Nothing was changed.") from None
        text += f"{key} = {json.dumps(values[key], ensure_ascii=False)}\n"  # JSON strings are valid TOML
    kept = own.with_name(KEPT_FILE)
    files.make_folder(kept.parent, parents=True)
    files.write(kept, text.encode(), new_mode=0o600)
    return kept


def find_root() -> Path:
    """Return the nearest folder, from here up, that has items, settings or git; else this one."""
    here = Path.cwd()
    owner = here.stat().st_uid
    for folder in (here, *here.parents):
        if folder.stat().st_uid != owner:  # another user must not decide what is read and written
            break
        marks = (ITEMS_FOLDER, ".roundtable", "roundtable.toml", ".git")
        is_marked = any((folder / name).exists() for name in marks)
        with suppress(FileNotFoundError, DiskFailed):
            is_marked |= b"[tool.roundtable" in files.read(folder / "pyproject.toml", limit=_MAX_FILE_SIZE)
        if is_marked:
            return Path() if folder == here else folder
    return Path()


def user_file(environment: Mapping[str, str]) -> Path | None:
    """Return the path of the user's settings file, in the system's usual place; None without a home."""
    base = Path(environment.get("XDG_CONFIG_HOME") or environment.get("APPDATA", ""))
    if not base.is_absolute():  # a relative path would depend on the current folder
        if not (home := environment.get("HOME")):
            return None
        base = Path(home) / ("Library/Application Support" if sys.platform == "darwin" else ".config")
    return base / "roundtable" / "config.toml"


def announcement_file(root: Path) -> Path:
    """Return the user's file with the address of a project's web room; without a home it cannot exist."""
    import hashlib  # late: it loads OpenSSL

    own = user_file(os.environ) or Path(os.devnull, "none")
    return own.with_name("served") / hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:16]


def user_name(settings: Settings) -> str | None:
    """Return the user's name from the settings, else from git; None if neither has one."""
    if settings.user_name:
        return settings.user_name
    answer = run_git(settings.root, "config", "user.name", seconds=1.0)
    name = one_line((answer or b"").decode("utf-8", "replace"))
    return name if 0 < len(name) <= _MAX_NAME_LENGTH else None
