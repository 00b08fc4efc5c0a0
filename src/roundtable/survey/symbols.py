"""Finds the names that files define: by tree-sitter where the `code` extra is installed, else line by line.

A grammar can take minutes on a file made to hurt it, or crash. So files are parsed in a process of their own:
this module, run as a script without imports of ours, which is stopped when its time is up.
"""

from __future__ import annotations

import importlib
import json
import marshal
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

from msgspec import Struct

_LANGUAGE_WORDS: Final = """
py:python pyi:python js:javascript jsx:javascript mjs:javascript cjs:javascript ts:typescript mts:typescript
cts:typescript tsx:tsx go:go rs:rust java:java kt:kotlin kts:kotlin scala:scala cs:csharp c:c h:cpp cc:cpp
cpp:cpp cxx:cpp hpp:cpp hh:cpp swift:swift rb:ruby php:php lua:lua dart:dart zig:zig
"""
_LANGUAGES: Final = dict(pair.split(":") for pair in _LANGUAGE_WORDS.split())
_DEFINES: Final = re.compile(
    r"(?:definition|(?<!parameter_)declaration|(?<!parameter)_item|_spec|_alias|(?:class|struct|enum|union)_specifier)$"
    r"|(?:method|function)_signature$|^(?:method|class|module)$"
)
_IS_IMPORT: Final = re.compile(r"import|export_spec|use_")
# What a grammar does not know makes its query fail; the others still tell.
_QUERIES: Final = (
    "(_ name: (_) @name)",
    "(function_definition declarator: (_ declarator: (identifier) @top))"
    " (function_definition declarator: (_ declarator: (_ declarator: (identifier) @top)))",
    "(module (assignment left: (identifier) @top))",
    "(program (_ (variable_declarator name: (identifier) @top)))"
    " (program (export_statement (_ (variable_declarator name: (identifier) @top))))",
)
_LONGEST_FILE = 400_000
_MAX_NAMES = 3_000
_PATIENCE = 5.0  # seconds for all files; twenty ordinary ones take half a second
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
    texts: Mapping[str, bytes], *, patience: float = _PATIENCE
) -> dict[str, tuple[Definition, ...]]:
    """Return what each file defines, by its path, in order; files that no grammar reads in time, by line."""
    asked = {
        path: (language, data)
        for path, data in texts.items()
        if (language := _LANGUAGES.get(path.rsplit(".", 1)[-1].lower())) and len(data) <= _LONGEST_FILE
    }
    answers = _ask_parser(list(asked.values()), patience) if asked else []
    found = {path: tuple(_read_definitions(data)) for path, data in texts.items()}
    for path, answer in zip(asked, answers, strict=False):
        if answer is not None:
            found[path] = tuple(Definition(*each) for each in answer)
    return found


def find_symbol(definitions: Sequence[Definition], number: int) -> Definition | None:
    """Return the inmost definition around a line; None outside of all."""
    around = (each for each in definitions if each.first <= number <= each.last)
    return max(around, key=lambda each: each.first, default=None)


def defined_name(line: bytes) -> bytes:
    """Return the name that a line of code defines, in any of the common languages; empty if it has none."""
    found = _DEFINITION.match(line[:300])
    return found[1] if found else b""


def _read_definitions(data: bytes) -> Iterator[Definition]:
    """Yield what the lines define; each definition lasts until the next."""
    before: tuple[str, int] | None = None
    lines = data.split(b"\n")
    for number, line in enumerate(lines, 1):
        if name := defined_name(line):
            if before:
                yield Definition(*before, number - 1)
            before = name.decode("ascii", "replace"), number
    if before:
        yield Definition(*before, len(lines))


def _ask_parser(question: list[tuple[str, bytes]], patience: float) -> list[Any]:
    """Return the parser's answers, one for each file; fewer where it ran out of time or failed."""
    command = [sys.executable, "-I", __file__]
    try:
        done = subprocess.run(
            command, input=marshal.dumps(question), capture_output=True, timeout=patience, check=False
        )
        data = done.stdout
    except subprocess.TimeoutExpired as late:
        data = late.stdout or b""
    except OSError:
        return []
    # The last line may be cut off.
    return [json.loads(line) for line in data.split(b"\n")[:-1]]


def _serve() -> None:
    """Answer one question from the standard input on the standard output, file by file."""
    # By name, so that the types do not depend on what is installed.
    tree_sitter: Any = importlib.import_module("tree_sitter")
    get_language = importlib.import_module("tree_sitter_language_pack").get_language

    @cache
    def load(language: str) -> tuple[Any, list[Any]]:
        grammar = get_language(language)
        queries = []
        for text in _QUERIES:
            try:
                queries.append(tree_sitter.Query(grammar, text))
            except tree_sitter.QueryError:
                continue
        return tree_sitter.Parser(grammar), queries

    for language, data in marshal.load(sys.stdin.buffer):
        try:
            parser, queries = load(language)
            root = parser.parse(data).root_node
            nodes = [tree_sitter.QueryCursor(query).captures(root) for query in queries]
            answer = sorted(
                {row for captured in nodes for row in _name_rows(captured)}, key=lambda row: row[1:]
            )
        except (LookupError, ValueError, OSError):
            answer = None
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _name_rows(captured: Mapping[str, Sequence[Any]]) -> Iterator[tuple[str, int, int]]:
    """Yield name, first and last line of the definitions among the captured nodes."""
    for kind, nodes in captured.items():
        for node in nodes[:_MAX_NAMES]:
            whole = node.parent
            while kind == "top" and not whole.type.endswith(("definition", "declaration", "assignment")):
                whole = whole.parent
            if kind == "name" and (not _DEFINES.search(whole.type) or _IS_IMPORT.search(whole.type)):
                continue
            yield node.text.decode("utf-8", "replace"), whole.start_point[0] + 1, whole.end_point[0] + 1


if __name__ == "__main__":
    _serve()
