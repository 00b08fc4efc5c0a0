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
from collections.abc import Mapping
from contextlib import suppress
from decimal import Decimal
from pathlib import Path, PureWindowsPath
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct, field

from . import address
from .core.errors import DiskFailed, RuleBroken
from .git import run_git
from .store import files
from .store.artifact import one_line
from .store.items import ITEMS_FOLDER

PANELS = ("offline", "model")
PROJECT_FILES = {"roundtable.toml": "", "pyproject.toml": "tool.roundtable"}
"""The files of a project that hold settings, and the table that they are in."""
_MAX_NAME_LENGTH = 80
_MAX_FILE_SIZE = 1024 * 1024
_GIT_SECONDS = 1.0
_MOST = 10**12
_Count = Annotated[int, Meta(gt=0, lt=_MOST)]
_ModelName = Annotated[str, Meta(max_length=500)]
_SETTINGS: Mapping[str, tuple[Any, str]] = {
    "items": (str, f'a folder inside the project, such as "{ITEMS_FOLDER}"'),
    "panel": (Literal["offline", "model"], f"one of {', '.join(PANELS)}"),
    "user_name": (str, f"a text of 1 to {_MAX_NAME_LENGTH} characters"),
    "review": (bool, "true or false"),
    "model": (
        Annotated[tuple[_ModelName, ...], Meta(min_length=1, max_length=8)],
        'a name, such as "ollama:llama3.2", or a list of names',
    ),
    "base_url": (str, f'an address, such as "{address.EXAMPLE}"'),
    "time_limit": (Annotated[int, Meta(ge=5, le=3600)], "a number of seconds from 5 to 3600"),
    "budget.turns": (_Count, "a number, such as 8"),
    "budget.tokens": (_Count, "a number, such as 60000"),
    "budget.money": (Decimal, "a number, such as 0.50"),
}
"""The form of each setting, and what it must be, in words."""
PERSONAL = frozenset({"model", "base_url", "time_limit", "panel", "budget"})
"""The settings that a project's file cannot make, but for an offline panel."""


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
    warnings: list[str] = field(default_factory=list)

    def take(self, origin: str, table: Mapping[str, Any], names: Mapping[str, str] | None = None) -> None:
        """Keep what no stronger layer said; `names` says what a setting is called there."""
        named = self.values.get("model")
        for key, value in table.items():
            try:
                self.values.setdefault(key, _read_value(key, value))
            except ValueError as problem:
                self.warn(f"{origin}: {(names or {}).get(key, key)} {problem}.")
        # Whoever names a model wants it to speak, unless the panel is named there or more strongly.
        if self.values.get("model") != named or table.get("base_url"):
            self.values.setdefault("panel", "model")

    def take_file(self, path: Path, name: str, section: str, own: Path | None) -> None:
        """Take what a file says in a section: of a project's, what it may decide; it is said of the rest.

        `own` is the user's own file.
        """
        if not (text := self.read_text(path, name, section)):
            return
        import tomllib  # late: most projects have no file of ours

        try:
            table = tomllib.loads(text)
        except (ValueError, RecursionError) as error:
            self.warn(f"{name} is ignored: {error}.")
            return
        for key in filter(None, section.split(".")):
            below = table.get(key)
            table = below if isinstance(below, dict) else {}
        if isinstance(budget := table.get("budget"), Mapping):
            limits = {f"budget.{key}": value for key, value in budget.items()}
            table = {key: value for key, value in table.items() if key != "budget"} | limits
        if path != own:
            named = {key: key.partition(".")[0] for key in table}
            refused = {key: name for key, name in named.items() if name in PERSONAL}
            if table.get("panel") == "offline":
                del refused["panel"]
            for key in dict.fromkeys(refused.values()):
                self.warn(
                    f"{name}: {key} is ignored. A project's file cannot "
                    "choose who speaks, where words and keys go, what that may cost or how long it takes. "
                    f"Set it in {own or 'the environment'}."
                )
            table = {key: value for key, value in table.items() if key not in refused}
        self.take(name, table)

    def read_text(self, path: Path, name: str, section: str) -> str:
        """Return a file's text; empty where there is none, or where it does not mention the section."""
        try:
            data = files.read(path, limit=_MAX_FILE_SIZE)
            return data.decode("utf-8-sig") if section.encode() in data else ""
        except FileNotFoundError:
            pass
        except DiskFailed as failure:
            if not section and not isinstance(failure.__cause__, NotADirectoryError):
                self.warn(f"{name} is ignored. {failure.failed}")
        except UnicodeDecodeError:
            self.warn(f"{name} is ignored: it is not UTF-8 text.")
        return ""

    def warn(self, text: str) -> None:
        self.warnings.append(one_line(text))


def _read_value(key: str, value: object) -> Any:
    """Return the value of a setting; ValueError says what it must be."""
    if key not in _SETTINGS:
        raise ValueError(f"is not a setting; the settings are {', '.join(_SETTINGS)}")
    form, wanted = _SETTINGS[key]
    is_sound = True
    try:
        found = msgspec.convert(
            [value] if key == "model" and isinstance(value, str) else value,
            form,
            strict=key == "review" and not isinstance(value, str),  # only a variable may say 0 or 1
        )
    except msgspec.ValidationError:
        raise ValueError(f"must be {wanted}") from None
    match key:
        case "items":
            # Windows knows every separator and drive, so that a folder is refused on all systems alike.
            path = PureWindowsPath(found)
            is_outside = path.drive or path.root or ".." in path.parts or not path.parts
            is_sound = not is_outside and found.isprintable()
        case "user_name":
            found = one_line(found)
            is_sound = 0 < len(found) <= _MAX_NAME_LENGTH
        case "model":
            # As it stands but for its ends: an argument of a command may have any white space in it.
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
    environment: Mapping[str, str] | None = None,
) -> tuple[Settings, tuple[str, ...]]:
    """Return the settings in force and warnings about what cannot be used; RuleBroken if a flag cannot be."""
    environment = os.environ if environment is None else environment
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
    found = _SettingsReader()
    flags = {"panel": panel, "model": model, "base_url": base_url}
    found.take("Flags", {key: value for key, value in flags.items() if value})
    variables = {key: f"ROUNDTABLE_{key.replace('.', '_').upper()}" for key in _SETTINGS}
    given = {key: value for key, name in variables.items() if (value := environment.get(name))}
    found.take("Environment", given, variables)
    own = user_file(environment)
    if own is not None:
        found.take_file(own, str(own), "", own)
    for name, section in PROJECT_FILES.items():
        found.take_file(home / name, name, section, own)
    values = found.values
    budget = Budget(*(values.pop(f"budget.{limit}", None) for limit in ("turns", "tokens", "money")))
    renamed = {"items_folder": values.pop("items", ITEMS_FOLDER), "models": values.pop("model", ())}
    settings = Settings(home, budget=budget, is_panel_chosen="panel" in values, **renamed, **values)
    return settings, tuple(found.warnings)


def remember_panel(
    panel: str, model: str = "", base_url: str = "", *, environment: Mapping[str, str] | None = None
) -> Path:
    """Write who speaks into the user's own file, and return that file; whatever else it says stays.

    The models that the file names stay if `model` is empty. RuleBroken if there can be no file or it does not
    read, DiskFailed if it cannot be written; it is then as it was.
    """
    values = {"panel": panel} | ({"model": model, "base_url": base_url} if model else {})
    try:
        for key in filter(values.get, values):
            _read_value(key, values[key])
    except ValueError as problem:
        raise RuleBroken(f"The model or its address {problem}. Nothing was changed.") from None
    own = user_file(os.environ if environment is None else environment)
    if own is None:
        raise RuleBroken("There is no home folder to keep your settings in. Set HOME, or use --model.")
    try:
        data, is_new = files.read(own, limit=_MAX_FILE_SIZE), False
    except FileNotFoundError:
        data, is_new = b"", True
    changed = _change_values(data, values, own)
    files.make_folder(own.parent, parents=True)
    files.write(own if is_new else own.resolve(), changed.encode(), new_mode=0o600)
    return own


def _change_values(data: bytes, values: Mapping[str, str], own: Path) -> str:
    """Return the text of a settings file with these texts at its top level; an empty one is taken out."""
    import tomllib

    try:
        text = data.decode("utf-8-sig")
        before = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise RuleBroken(f"{own} cannot be read: {error}. Nothing was changed. Repair it.") from None
    tables = re.search(r"(?m)^[ \t]*\[", text)
    top = text[: tables.start()] if tables else text
    setting = rf"(?m)^[ \t]*[\"']?(?:{'|'.join(values)})[\"']?[ \t]*=[ \t]*(?:\[[^\]]*\])?.*\n?"
    # JSON's strings are TOML's too.
    chosen = [f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in values.items() if value]
    changed = "".join([*chosen, re.sub(setting, "", top), text[len(top) :]])
    wanted = {key: value for key, value in {**before, **values}.items() if value or key not in values}
    with suppress(ValueError):
        if tomllib.loads(changed) == wanted:
            return changed
    raise RuleBroken(f"{own} is written in a way that was not understood. Set there: {', '.join(chosen)}")


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
        marks = (ITEMS_FOLDER, ".roundtable", "roundtable.toml", ".git")
        is_marked = any((folder / name).exists() for name in marks)
        if is_marked or _SettingsReader().read_text(folder / "pyproject.toml", "", "[tool.roundtable"):
            return Path() if folder == here else folder
    return Path()


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
