"""Content files on disk: which there are, and their text. Whatever lies there, reading it does no harm."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from .problem import Problem, UnusableError, printable

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


def sources(folder: Path, shown: str, suffix: str = ".md") -> tuple[tuple[Source, ...], tuple[Problem, ...]]:
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


def read(source: Source, root: Path) -> str:
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
