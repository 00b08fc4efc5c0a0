"""Reads content files: safely, within bounds, and with one line for each thing that is wrong with one."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Generic, TypeVar, get_args, get_type_hints

import msgspec
from msgspec import Struct, field

MAX_BYTES = 256 * 1024
MAX_FILES = 500
MAX_NESTING = 12
MAX_WARNINGS = 20
FRONT_MATTER = "front matter"

Text = Annotated[str, msgspec.Meta(min_length=1, max_length=2000)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=60)]
ShortName = Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
Texts = Annotated[tuple[Text, ...], msgspec.Meta(max_length=100)]
SomeTexts = Annotated[tuple[Text, ...], msgspec.Meta(min_length=1, max_length=100)]

_Value = TypeVar("_Value")
_Warnings = list[tuple[str, str]]
_Parse = Callable[[str], tuple[_Value, _Warnings]]
# Line ends and tabs may stand in a text; other control characters may not, nor those that reorder a line.
_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
# The field that a message of msgspec is about: where it stands, or that it is missing.
_FIELD = re.compile(r"`\$\.(\w+)")
_MISSING = re.compile(r"missing required field `(\w+)`")


class Problem(Struct, frozen=True):
    """One fault of one file: where, why, and whether the file was left out because of it."""

    file: str
    field: str
    reason: str
    skipped: bool

    @property
    def text(self) -> str:
        """The problem in one line: `.roundtable/personas/x.md, name: is missing. The file is skipped.`"""
        place = f"{self.file}, {self.field}" if self.field else self.file
        return escape_hidden(f"{place}: {self.reason}.") + (" The file is skipped." if self.skipped else "")


class UnusableError(ValueError):
    """A file or an entry cannot be used; carries the field and the reason."""

    def __init__(self, field: str, reason: str) -> None:
        self.field, self.reason = field, reason


class ContentFile(Struct):
    """A markdown file in its two parts; collects the faults that the file survives."""

    fields: dict[str, object]
    body: str
    warnings: _Warnings = field(default_factory=list)

    def warn(self, field: str, reason: str) -> None:
        """Note a fault because of which only a part of the file is ignored."""
        self.warnings.append((field, reason))

    def convert_fields(self, struct: type[_Value], what: str) -> _Value:
        """Return the fields as the struct, and note those that it does not have."""
        known = get_type_hints(struct)
        for name in (name for name in self.fields if name not in known):
            self.warn(escape_hidden(name)[:60], f"is not a field of a {what} file and is ignored")
        return convert(self.fields, struct)

    def convert_or_warn(self, name: str, form: type[_Value], default: _Value) -> _Value:
        """Return one field in a form; the default where there is none, or where it is noted as wrong."""
        try:
            return convert(self.fields[name], form) if name in self.fields else default
        except UnusableError as error:
            self.warn(name, f"{error.reason}; it is ignored")
            return default


class Loaded(Struct, Generic[_Value], frozen=True):
    """What a file holds, the file as a person knows it, and the name by which it is put in order."""

    value: _Value
    shown: str
    place: str


@lru_cache(maxsize=100)
def parse_markdown(
    parse: Callable[[ContentFile, Any], Any], context: Any, text: str
) -> tuple[Any, _Warnings]:
    """Parse a text; a project's files are read each time, but the same text is not parsed again."""
    first, *lines = text.split("\n")
    end = next((number for number, line in enumerate(lines) if line.rstrip() == "---"), None)
    if first.rstrip() != "---" or end is None:
        said = "is missing; the file begins with a line ---, then the fields, then ---"
        raise UnusableError(FRONT_MATTER, said)
    fields = _tidy("", _load_yaml("\n".join(lines[:end])))
    if not isinstance(fields, dict):
        raise UnusableError(FRONT_MATTER, "is not a list of `field: value` lines")
    file = ContentFile(fields, "\n".join(lines[end + 1 :]))
    value = parse(file, context)
    more = len(file.warnings) - MAX_WARNINGS
    return value, file.warnings[:MAX_WARNINGS] + [("", f"has {more} more faults of this kind")] * (more > 0)


def load_folder(
    root: Path, folder: str, problems: list[Problem], parse: _Parse[_Value], suffix: str = ".md"
) -> list[Loaded[_Value]]:
    """Return what the files of a folder hold, without hidden ones and READMEs, and add to the problems."""
    shown = f"{root.name}/{folder}" if root.name.startswith(".") else folder  # a project's folder is named
    try:
        names = sorted(entry.name for entry in (root / folder).iterdir() if entry.name.lower() != "readme.md")
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        problems.append(Problem(shown, "", f"the folder cannot be read ({error.strerror})", skipped=True))
        return []
    names = [name for name in names if name.lower().endswith(suffix) and not name.startswith(".")]
    if len(names) > MAX_FILES:
        reason = f"holds {len(names)} files; only the first {MAX_FILES} are read"
        problems.append(Problem(shown, "", reason, skipped=False))
    loaded = []
    for name in names[:MAX_FILES]:
        file = f"{shown}/{escape_hidden(name)}"
        try:
            value, warnings = parse(_read_text(root / folder / name, root))
        except UnusableError as error:
            problems.append(Problem(file, error.field, error.reason, skipped=True))
        else:
            loaded.append(Loaded(value, file, name))
            problems += (Problem(file, *warning, skipped=False) for warning in warnings)
    return loaded


def _read_text(path: Path, root: Path) -> str:
    """Return a file's text with plain line ends; raises UnusableError unless it is text inside `root`."""
    try:
        real = path.resolve(strict=True)
        if not real.is_relative_to(root.parent.resolve() / root.name):
            raise UnusableError("", "is a link that leads out of its folder")
        # A pipe or a device would keep the reader waiting.
        if not real.is_file():
            raise UnusableError("", "is not a file")
        with real.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except (OSError, RuntimeError) as error:  # the second reports a loop of links in Python 3.11 and 3.12
        said = error.strerror if isinstance(error, OSError) else "a loop of links"
        raise UnusableError("", f"cannot be read ({said})") from None
    if len(data) > MAX_BYTES:
        raise UnusableError("", f"is larger than {MAX_BYTES // 1024} KB")
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UnusableError("", f"is not UTF-8 text (line {line})") from None
    if found := _HIDDEN.search(text):
        line = text.count("\n", 0, found.start()) + 1
        raise UnusableError("", f"holds the control character U+{ord(found[0]):04X} in line {line}")
    if not text.strip():
        raise UnusableError("", "is empty")
    return text


def _load_yaml(text: str) -> object:
    """Return the value of a text without aliases (they can unfold to gigabytes), tags and deep nesting."""
    import yaml

    loader = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
    level = 0
    try:
        for event in yaml.parse(text, Loader=loader):
            level += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            is_marked = getattr(event, "anchor", None) is not None or getattr(event, "tag", None) is not None
            if is_marked or isinstance(event, yaml.AliasEvent) or level > MAX_NESTING:
                break
        else:
            return yaml.load(text, Loader=loader)
        said = "uses a YAML anchor (&), alias (*) or tag (!), or nests too deep; quote or simplify it"
    except yaml.YAMLError as error:
        mark, reason = getattr(error, "problem_mark", None), getattr(error, "problem", None)
        # Lines are counted in the file, where the first is the opening `---`.
        where = f" in line {mark.line + 2}" if mark else ""
        said = f"is not valid YAML{where}" + (f": {reason}" if reason else "")
    except (OverflowError, RecursionError, ValueError):
        said = "holds a value that cannot be read; put it in quotes"
    raise UnusableError(FRONT_MATTER, said)


def _tidy(name: str, value: object) -> object:
    """Return the value with each text on one line; a regular expression keeps its blanks."""
    if isinstance(value, list):
        return [_tidy(name, entry) for entry in value]
    if isinstance(value, dict):
        return {str(key): _tidy(str(key), entry) for key, entry in value.items() if entry is not None}
    if not isinstance(value, str):
        return value
    if hidden := _HIDDEN.search(value):
        raise UnusableError(name, f"holds the control character U+{ord(hidden[0]):04X}")
    return value.strip() if name == "pattern" else " ".join(value.split())


def convert(value: object, struct: type[_Value]) -> _Value:
    """Return the value as the struct; raises UnusableError with the field and the reason."""
    try:
        return msgspec.convert(value, struct)
    except msgspec.ValidationError as error:
        said = str(error)
    if missing := _MISSING.search(said):
        raise UnusableError(missing[1], "is missing")
    found = _FIELD.search(said)
    field, reason = found[1] if found else "it", said.partition(" - at ")[0]
    if choices := get_args(get_type_hints(struct).get(field)) if reason.startswith("Invalid enum") else ():
        raise UnusableError(field, f"must be one of {', '.join(choices)}")
    raise UnusableError(field, reason.replace("Expected", "must be").replace("got", "is"))


def escape_hidden(text: str) -> str:
    """Return the text without anything that could upset a terminal."""
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text)
