"""What is wrong with a content file, said so that a person can repair it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MOST_REMARKS = 20


def printable(text: str) -> str:
    """The text without anything that could upset a terminal."""
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text)


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault of one file: where, why, and whether the file was left out because of it."""

    file: str
    field: str
    reason: str
    skipped: bool

    @property
    def text(self) -> str:
        """The problem in one line: `.roundtable/personas/x.md, name: is missing. The file is skipped.`"""
        place = f"{self.file}, {self.field}" if self.field else self.file
        return printable(f"{place}: {self.reason}.") + (" The file is skipped." if self.skipped else "")


class UnusableError(Exception):
    """A file cannot be used; carries the field and the reason (never leaves this package)."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(field, reason)
        self.field = field
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Remark:
    """A fault that a file survives, before the file's name is added."""

    field: str
    reason: str


def problems_of(file: str, remarks: Sequence[Remark]) -> list[Problem]:
    """What a file survived, as problems; a file with very many faults has the last of them counted only."""
    problems = [Problem(file, one.field, one.reason, skipped=False) for one in remarks[:MOST_REMARKS]]
    more = len(remarks) - MOST_REMARKS
    if more > 0:
        problems.append(Problem(file, "", f"has {more} more faults of this kind", skipped=False))
    return problems


LARGEST = 256 * 1024
MOST_FILES = 500

# Line ends and tabs may stand in a text; other control characters may not, nor those that reorder a line.
_NOT_SHOWN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Source:
    """A content file, and the name by which a person knows it."""

    path: Path
    shown: str

    @property
    def name(self) -> str:
        return self.path.name


def hidden_character(text: str) -> str | None:
    """The first character of a text that must not be shown, by its number, such as `U+0007`."""
    found = _NOT_SHOWN.search(text)
    return f"U+{ord(found.group()):04X}" if found else None


def list_sources(
    folder: Path, shown: str, suffix: str = ".md"
) -> tuple[tuple[Source, ...], tuple[Problem, ...]]:
    """The files of a folder with a suffix, by name; hidden files and a README are passed over."""
    try:
        names = sorted(entry.name for entry in folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return (), ()
    except OSError as error:
        return (), (Problem(shown, "", f"the folder cannot be read ({error.strerror})", skipped=True),)
    wanted = [name for name in names if _is_content(name, suffix)]
    problems: tuple[Problem, ...] = ()
    if len(wanted) > MOST_FILES:
        reason = f"holds {len(wanted)} files; only the first {MOST_FILES} are read"
        problems = (Problem(shown, "", reason, skipped=False),)
    found = (Source(folder / name, f"{shown}/{printable(name)}") for name in wanted[:MOST_FILES])
    return tuple(found), problems


def read_source(source: Source, root: Path) -> str:
    """The file's text with plain line ends; raises UnusableError for all but a sound text inside `root`."""
    data = _bytes_within(source.path, root)
    if len(data) > LARGEST:
        raise UnusableError("", f"is larger than {LARGEST // 1024} KB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UnusableError("", f"is not UTF-8 text (line {line})") from None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    found = _NOT_SHOWN.search(text)
    if found:
        line = text.count("\n", 0, found.start()) + 1
        raise UnusableError("", f"holds the control character U+{ord(found.group()):04X} in line {line}")
    if not text.strip():
        raise UnusableError("", "is empty")
    return text


def _is_content(name: str, suffix: str) -> bool:
    return name.lower().endswith(suffix) and not name.startswith(".") and name.lower() != "readme.md"


def _bytes_within(path: Path, root: Path) -> bytes:
    """At most one byte more than is allowed, from a regular file whose links stay inside `root`."""
    try:
        real = path.resolve(strict=True)
        if not real.is_relative_to(root):
            raise UnusableError("", "is a link that leads out of its folder")
        # A pipe or a device would keep the reader waiting.
        if not real.is_file():
            raise UnusableError("", "is not a file")
        with real.open("rb") as stream:
            return stream.read(LARGEST + 1)
    except RuntimeError:  # how Python 3.11 and 3.12 report a loop of links
        raise UnusableError("", "is a link that leads round in a circle") from None
    except OSError as error:
        raise UnusableError("", f"cannot be read ({error.strerror})") from None


FIELD = "front matter"
DEEPEST = 12


@dataclass(frozen=True, slots=True)
class ContentFile:
    """A markdown file in its two parts."""

    fields: dict[str, object]
    body: str


def parse_front_matter(text: str) -> ContentFile:
    """The fields and the body of a file; raises UnusableError where there is no sound front matter."""
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        raise UnusableError(FIELD, "is missing; the file begins with a line ---, then the fields, then ---")
    end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), None)
    if end is None:
        raise UnusableError(FIELD, "has no closing line ---")
    return ContentFile(_fields("\n".join(lines[1:end])), "\n".join(lines[end + 1 :]))


def _fields(text: str) -> dict[str, object]:
    import yaml

    loader = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
    try:
        _refuse_tricks(yaml.parse(text, Loader=loader))
        value = yaml.load(text, Loader=loader)
    except yaml.YAMLError as error:
        raise UnusableError(FIELD, f"is not sound YAML{_place(error)}") from None
    except (ValueError, OverflowError, RecursionError):
        raise UnusableError(FIELD, "holds a value that cannot be read; put it in quotes") from None
    if value is None:
        raise UnusableError(FIELD, "is empty")
    if not isinstance(value, dict):
        raise UnusableError(FIELD, "is not a list of `field: value` lines")
    return {str(name): entry for name, entry in value.items()}


def _refuse_tricks(events: Iterable[Any]) -> None:
    """Refuse aliases (they can unfold to gigabytes), tags and deep nesting before anything is built."""
    import yaml

    level = 0
    for event in events:
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise UnusableError(
                FIELD, "uses a YAML anchor or alias (& or *); write the value out or put it in quotes"
            )
        if getattr(event, "tag", None) is not None:
            raise UnusableError(FIELD, "uses a YAML tag (!); write a plain value or put it in quotes")
        if isinstance(event, yaml.CollectionStartEvent):
            level += 1
            if level > DEEPEST:
                raise UnusableError(FIELD, f"is nested more than {DEEPEST} levels deep")
        elif isinstance(event, yaml.CollectionEndEvent):
            level -= 1


def _place(error: Exception) -> str:
    """Where and why YAML gave up; lines are counted in the file, where the first is the opening `---`."""
    mark = getattr(error, "problem_mark", None)
    reason = getattr(error, "problem", None)
    where = f" in line {mark.line + 2}" if mark else ""
    return f"{where}: {reason}" if reason else where


LONGEST_TEXT = 2000
MOST_ENTRIES = 100


def text(fields: Mapping[str, object], name: str, longest: int = LONGEST_TEXT) -> str:
    """The required text of a field on one line; raises UnusableError where there is none."""
    if fields.get(name) is None:
        raise UnusableError(name, "is missing")
    return as_text(fields[name], name, longest)


def optional_text(fields: Mapping[str, object], name: str, longest: int = LONGEST_TEXT) -> str:
    """The text of a field on one line, empty where the field is absent."""
    return text(fields, name, longest) if fields.get(name) is not None else ""


def texts(fields: Mapping[str, object], name: str) -> tuple[str, ...]:
    """A field that is a list of texts, empty where the field is absent; UnusableError for anything else."""
    value = fields.get(name)
    if value is None:
        return ()
    if not isinstance(value, list):
        raise UnusableError(name, f"must be a list, is {kind_of(value)}")
    if len(value) > MOST_ENTRIES:
        raise UnusableError(name, f"has more than {MOST_ENTRIES} entries")
    return tuple(as_text(entry, name, LONGEST_TEXT) for entry in value)


def as_text(value: object, name: str, longest: int) -> str:
    """A value as one line of 1 to `longest` characters; raises UnusableError where it is no text."""
    if not isinstance(value, str):
        raise UnusableError(name, f"must be text, is {kind_of(value)}; put it in quotes")
    hidden = hidden_character(value)
    if hidden:
        raise UnusableError(name, f"holds the control character {hidden}")
    line = " ".join(value.split())
    if not line:
        raise UnusableError(name, "is empty")
    if len(line) > longest:
        raise UnusableError(name, f"is longer than {longest} characters")
    return line


def kind_of(value: object) -> str:
    """What a YAML value is, in a person's words."""
    match value:
        case bool():
            return "yes or no (true or false)"
        case int() | float():
            return "a number"
        case list():
            return "a list"
        case dict():
            return "a group of fields"
        case str():
            return "a text"
        case None:
            return "nothing"
        case _:
            return "a date or another special value"


def unknown(fields: Mapping[str, object], known: frozenset[str], what: str) -> list[Remark]:
    """A remark for each field that a file of this sort does not have, most often a slip of the pen."""
    strange = [name for name in fields if name not in known]
    return [Remark(_tidy(name), f"is not a field of a {what} file and is ignored") for name in strange]


def _tidy(name: str) -> str:
    return "".join(char for char in name if char.isprintable())[:60] or "(no name)"
