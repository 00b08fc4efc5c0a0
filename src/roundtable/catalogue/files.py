"""Reads content files safely and within limits, and reports each problem in one line."""

import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Generic, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec

MAX_BYTES = 256 * 1024
MAX_FILES = 500
MAX_NESTING = 12
FRONT_MATTER = "front matter"

Text = Annotated[str, msgspec.Meta(min_length=1, max_length=2000)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=60)]
ShortName = Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
Texts = Annotated[tuple[Text, ...], msgspec.Meta(max_length=100)]
SomeTexts = Annotated[tuple[Text, ...], msgspec.Meta(min_length=1, max_length=100)]

_Value = TypeVar("_Value")
# Line ends and tabs are allowed; no other control characters, none that reorder a line, no invisible tags.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\U000e0001-\U000e007f]"
)
# The field in a message of msgspec: one with a wrong value, or one that is missing or unknown.
_FIELD = re.compile(r"`\$\.(\w+)")
_NAMED = re.compile(r"(missing required|contains unknown) field `([^`]+)`\Z")

# How msgspec words what is wrong with a value in somebody's file, and how we do; tried in this order.
_FAULTS = {
    r"Expected `\w+` of length >= 1": "is empty",
    r"Expected `str` of length <= (\d+)": r"has more than \1 characters",
    r"Expected `\w+` of length <= (\d+)": r"has more than \1 entries",
    r"Expected `str`, got (`(?:bool|int|float|date\w*)`)": r"must be text, is \1; put it in quotes",
    r"Expected (`\w+`), got": r"must be \1, is",
    "`str`": "text",
    "`array`": "a list",
    "`object`": "a group of `field: value` lines",
    "`bool`": "true or false",
    "`(?:int|float)`": "a number",
    r"`date\w*`": "a date",
}


class Problem(msgspec.Struct, frozen=True):
    """One problem in one file: where, why, and whether the file is skipped because of it."""

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
        super().__init__(reason)
        self.field, self.reason = field, reason


class Loaded(msgspec.Struct, Generic[_Value], frozen=True):
    """The value parsed from a file, its path as shown to people, and the name it is sorted by."""

    value: _Value
    shown: str
    place: str


@lru_cache(maxsize=100)
def split_front_matter(text: str) -> tuple[dict[str, object], str]:
    """Return the fields and the body of a markdown file; results are cached by text."""
    first, *lines = text.split("\n")
    end = next((number for number, line in enumerate(lines) if line.rstrip() == "---"), None)
    if first.rstrip() != "---" or end is None:
        said = "is missing; the file begins with a line ---, then the fields, then ---"
        raise UnusableError(FRONT_MATTER, said)
    fields = _tidy("", _load_yaml("\n".join(lines[:end])))
    if not isinstance(fields, dict):
        raise UnusableError(FRONT_MATTER, "is not a list of `field: value` lines")
    return fields, "\n".join(lines[end + 1 :])


def load_folder(
    root: Path, folder: str, problems: list[Problem], parse: Callable[[str], _Value], suffix: str = ".md"
) -> list[Loaded[_Value]]:
    """Return the parsed files of a folder, without hidden ones and READMEs; append to `problems`."""
    shown, path = f"{root.name}/{folder}", root / folder
    try:
        names = sorted(entry.name for entry in path.iterdir() if entry.name.lower() != "readme.md")
    except OSError as error:
        # A dangling link is reported: here, or with the files if it is named like one.
        leads_nowhere = path.is_symlink() and not path.exists() and not folder.endswith(suffix)
        if leads_nowhere or not isinstance(error, FileNotFoundError | NotADirectoryError):
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
            loaded.append(Loaded(parse(read_text(path / name, root)), file, name))
        except UnusableError as error:
            problems.append(Problem(file, error.field, error.reason, skipped=True))
    return loaded


def read_text(path: Path, root: Path) -> str:
    """Return a file's text with plain line ends; raise UnusableError unless it is text inside `root`."""
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
    text = data.decode("utf-8-sig", "surrogateescape").replace("\r\n", "\n").replace("\r", "\n")
    if found := _HIDDEN.search(text):
        line = text.count("\n", 0, found.start()) + 1
        raise UnusableError("", f"is not UTF-8 text without control characters: see line {line}")
    if not text.strip():
        raise UnusableError("", "is empty")
    return text


def _load_yaml(text: str) -> object:
    """Return the YAML value of a text; refuse aliases (they can grow to gigabytes), tags, deep nesting."""
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
        # Lines are counted from the opening `---`.
        where = f" in line {mark.line + 2}" if mark else ""
        said = f"is not valid YAML{where}" + (f": {reason}" if reason else "")
    except (OverflowError, RecursionError, ValueError):
        said = "holds a value that cannot be read; put it in quotes"
    raise UnusableError(FRONT_MATTER, said)


def _tidy(name: str, value: object) -> object:
    """Return the value with each text on one line and without empty fields."""
    if isinstance(value, list):
        return [_tidy(name, entry) for entry in value]
    if isinstance(value, dict):
        return {str(key): _tidy(str(key), entry) for key, entry in value.items() if entry is not None}
    if not isinstance(value, str):
        return value
    if hidden := _HIDDEN.search(value):
        raise UnusableError(name, f"holds the control character U+{ord(hidden[0]):04X}")
    return " ".join(value.split())


def convert(value: object, form: type[_Value], field: str = "it") -> _Value:
    """Return the value as another type; if it does not fit, raise UnusableError with field and reason."""
    try:
        return msgspec.convert(value, form)
    except msgspec.ValidationError as error:
        said = str(error)
    if named := _NAMED.search(said):
        raise UnusableError(named[2][:60], "is missing" if "missing" in named[1] else "is not known here")
    reason = said.partition(" - at ")[0]
    for pattern, words in _FAULTS.items():
        reason = re.sub(pattern, words, reason)
    if found := _FIELD.search(said):
        field = found[1]
    hint = get_type_hints(form).get(field) if reason.startswith("Invalid enum") else None
    if get_origin(hint) is Literal:
        reason = f"must be one of {', '.join(get_args(hint))}"
    raise UnusableError(field, reason)


def escape_hidden(text: str) -> str:
    """Return the text with its unprintable characters escaped."""
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text)
