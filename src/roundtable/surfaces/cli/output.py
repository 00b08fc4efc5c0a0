"""Output: data on stdout, messages on stderr, and nothing in either that could upset a terminal."""

import json
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TextIO

import click
from msgspec import to_builtins

from ...core.errors import DiskFailed
from ...core.text import clean_text, cut_line, strip_unprintable_values


def put(text: str) -> None:
    """Write data to stdout at once, as it is; raise BrokenPipeError if its reader has gone, like `head`."""
    try:
        _write(sys.stdout, text)
    except BrokenPipeError:
        raise
    except OSError as error:
        failed = f"Could not write to the standard output: {error.strerror or error}."
        saved, do = "What was shown before is saved.", "Run the same command again."
        raise DiskFailed(failed, saved=saved, do=do) from error


def put_text(text: str) -> None:
    """Show a text to a person on stdout, on lines of its own."""
    put(f"{clean_text(text)}\n")


def open_pager(styled: str) -> None:
    """Show a text in the user's pager; `less` just prints one that fits the window."""
    shows_colours = "r" in os.environ.setdefault("LESS", "-FRX").lower()
    before = signal.signal(signal.SIGINT, lambda *_: None)  # Ctrl-C is for the pager
    try:
        click.echo_via_pager(styled, color=shows_colours)
    except ValueError:  # a quote in $PAGER that is not closed
        put(f"{styled}\n")
    finally:
        signal.signal(signal.SIGINT, before)


def is_at_screen() -> bool:
    """Whether stdout is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def diff_colours(text: str) -> dict[str, str]:
    """Return the colour of a diff's lines by their first character; for other texts, nothing."""
    is_plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return {} if is_plain or not text.startswith("--- a/") else {"+": "green", "-": "red", "@": "cyan"}


def put_json(value: object, *, indent: int | None = 2) -> None:
    """Write a value, which may hold structs, as JSON to stdout; without `indent`, on one line."""
    encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "")
    data = strip_unprintable_values(to_builtins(value))
    put(json.dumps(data, ensure_ascii=encoding != "utf8", indent=indent, allow_nan=False) + "\n")


def tell(text: str) -> None:
    """Tell a person something on stderr; a closed stderr is not an error."""
    with suppress(OSError, ValueError):
        _write(sys.stderr, f"{clean_text(text)}\n")


def _write(stream: TextIO | None, text: str) -> None:
    """Write a text; if that fails, discard the rest, so that Python does not complain at exit."""
    if stream is None:  # closed before we began
        return
    try:
        stream.write(text)
        stream.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)
        raise


def count(number: int, noun: str) -> str:
    """Return a number with its noun: `1 item`, `2 items`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def one_line(text: str, width: int = 100) -> str:
    """Return the text on one line, cut if it is longer than `width`; 0 means no limit."""
    return cut_line(" ".join(clean_text(text).split()), width)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, width: int = 0) -> str:
    """Return the rows in columns under their heads, each line cut at `width` unless it is 0."""
    lines = [heads, *([one_line(cell) for cell in row] for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(heads))]
    aligned = ["  ".join(map(str.ljust, line, widths)) for line in lines]
    return "\n".join(cut_line(line.rstrip(), width) for line in aligned)


def pairs(rows: Sequence[tuple[str, str]]) -> str:
    """Return labels and values in two columns."""
    width = max((len(label) for label, _ in rows), default=0)
    return "\n".join(f"{label:<{width}}  {one_line(value, 0)}".rstrip() for label, value in rows)
