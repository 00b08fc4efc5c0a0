"""Finds the names that files define: with tree-sitter if the `code` extra is installed, else line by line.

A hostile file can keep a grammar busy for minutes, or crash it. So files are parsed in a separate process:
this module runs as a script without imports of ours, and is stopped when its time is up.
"""

import importlib
import json
import marshal
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice, pairwise
from typing import Any, Final

from msgspec import Struct

_DEFINES: Final = re.compile(
    r"(?:definition|(?<!parameter_)declaration|(?<!parameter)_item|_spec|_alias|(?:class|struct|enum|union)_specifier)$"
    r"|(?:method|function)_signature$|^(?:method|class|module)$"
)
_IS_IMPORT: Final = re.compile(r"import|export_spec|use_")
# The kinds of node that give a name to a value, and the greatest depth at which each counts.
_VALUES: Final = {"assignment": 1, "variable_declarator": 3}
_DEFINITION = re.compile(
    rb"""\s*
    (?:@?(?:export|default|declare|public|private|protected|internal|static|final|abstract|async
        |pub(?:\([a-z]+\))?|unsafe|override|open|data|sealed|inline|virtual)\s+)*
    (?:def|class|func|function\*?|interface|type|struct|enum|trait|impl|fn|module|namespace|record|object
        |protocol|const|let|var|val|macro_rules!|message|service|create\ table|\#define)\s+
    (?:\([^)]*\)\s*)?([A-Za-z_$][\w$]*)""",
    re.IGNORECASE | re.VERBOSE,
)


class Definition(Struct, frozen=True):
    """A name that a file defines, and the lines of the definition, counted from 1."""

    name: str
    first: int
    last: int


def find_definitions(
    texts: Mapping[str, bytes], *, patience: float = 5.0
) -> dict[str, tuple[Definition, ...]]:
    """Return each path's definitions in order; a file that no grammar reads in time is read line by line."""
    from ..content import read_tables  # late: as a script, this module is in no package

    names = read_tables("survey.toml")["languages"].items()
    languages = {ending: language for language, endings in names for ending in endings.split()}
    found = {path: _read_definitions(data) for path, data in texts.items()}
    asked = [(languages.get(path.rpartition(".")[2].lower(), ""), data) for path, data in texts.items()]
    answers = _ask_parser(asked, patience) if texts else []  # half a second for twenty ordinary files
    for path, answer in zip(texts, answers, strict=False):
        if answer is not None:
            found[path] = tuple(Definition(*each) for each in answer)
    return found


def defined_name(line: bytes) -> bytes:
    """Return the name that a line of code defines, in any common language; empty if it defines none."""
    found = _DEFINITION.match(line[:300])
    return found[1] if found else b""


def _read_definitions(data: bytes) -> tuple[Definition, ...]:
    """Return the definitions found line by line; each lasts until the next."""
    lines = data.split(b"\n")
    named = [(number, name) for number, line in enumerate(lines, 1) if (name := defined_name(line))]
    named.append((len(lines) + 1, b""))
    return tuple(Definition(name.decode(), first, after - 1) for (first, name), (after, _) in pairwise(named))


def _ask_parser(question: list[tuple[str, bytes]], patience: float) -> list[Any]:
    """Return the parser's answers, one for each file; fewer if it failed or took more than these seconds."""
    command, asked = [sys.executable, "-I", __file__], marshal.dumps(question)
    try:
        answer = subprocess.run(command, input=asked, capture_output=True, timeout=patience).stdout
    except subprocess.TimeoutExpired as late:
        answer = late.stdout or b""
    except OSError:
        answer = b""
    # The last line may be cut off.
    return [json.loads(line) for line in answer.split(b"\n")[:-1]]


def _serve() -> None:
    """Read files from the standard input and write the definitions of each to the standard output."""
    # Imported by name, so that the types do not depend on what is installed.
    get_parser: Any = importlib.import_module("tree_sitter_language_pack").get_parser
    for language, data in marshal.load(sys.stdin.buffer):
        answer = None
        with suppress(LookupError, ValueError, OSError):
            if len(data) <= 400_000:
                rows = islice(_find_names(get_parser(language).parse(data).root_node), 3_000)
                answer = sorted(set(rows), key=lambda row: row[1:])
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _find_names(root: Any) -> Iterator[tuple[str, int, int]]:
    """Yield the name, first and last line of each definition in a tree, level by level."""
    level, depth = [root], 0
    while level:
        for node in level:
            kind = node.type
            if depth <= _VALUES.get(kind, -1) or (_DEFINES.search(kind) and not _IS_IMPORT.search(kind)):
                name = node.child_by_field_name("left" if kind == "assignment" else "name")
                # In C, the name of a function is inside its declarator.
                inner = node.child_by_field_name("declarator") if kind == "function_definition" else None
                while name is None and inner is not None:
                    name = inner if inner.type == "identifier" else None
                    inner = inner.child_by_field_name("declarator")
                if name is not None:
                    yield name.text.decode("utf-8", "replace"), node.start_point[0] + 1, node.end_point[0] + 1
        level, depth = [child for node in level for child in node.named_children], depth + 1


if __name__ == "__main__":
    _serve()
