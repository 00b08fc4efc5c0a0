"""The ways into the program: scripts, main modules, routes and commands, those near the change first."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from .findings import EntryPoint
from .kinds import ending_of, kind_of
from .relations import line_at
from .scan import read

MOST = 30
_READ = 400
_MANIFESTS: Final = frozenset({"pyproject.toml", "setup.cfg", "package.json", "Cargo.toml"})
_MAIN_NAMES_WORDS = """
__main__ main cli app server manage program cmd urls routes router wsgi asgi
"""
_MAIN_NAMES: Final = frozenset(_MAIN_NAMES_WORDS.split())
_SCRIPT_TABLE = re.compile(
    rb"^\[(?:project\.(?:gui-)?scripts|tool\.poetry\.scripts)\][^\n]*\n((?:(?!\[)[^\n]*\n?)*)", re.MULTILINE
)
_SCRIPT = re.compile(rb"""^[ \t]*["']?([\w.-]+)["']?[ \t]*=[ \t]*["'{]""", re.MULTILINE)
_CONSOLE_SCRIPTS = re.compile(
    rb"^console_scripts[ \t]*=(?:[ \t\r]*\n)++((?:[ \t]++[^\n]*+(?:\n|\Z))*+)", re.MULTILINE
)
_CONSOLE_SCRIPT = re.compile(rb"^[ \t]+([\w.-]+)\s*=", re.MULTILINE)
_CARGO_BIN = re.compile(
    rb"^\[\[bin\]\][ \t\r]*\n(?:(?![ \t]*(?:name[ \t]*=|\[))[^\n]*\n)*+[ \t]*name[ \t]*=[ \t]*\"([^\"\n]+)\"",
    re.MULTILINE,
)
_PACKAGE_KEY = re.compile(rb'^[ \t]*"(main|bin|module)"\s*:', re.MULTILINE)
_SIGHTS: Final[tuple[tuple[str, frozenset[str], re.Pattern[bytes]], ...]] = tuple(
    (what, frozenset(endings.split()), re.compile(pattern, re.MULTILINE))
    for what, endings, pattern in (
        ("runs as a script", "py", rb"^if[ \t]+__name__[ \t]*==[ \t]*[\"']__main__[\"']"),
        (
            "command",
            "py",
            rb"^[ \t]*@[\w.]*\b(?:command|group)\b(?:\([^\n]*)?\n(?:[^\n]*\n){0,12}?"
            rb"[ \t]*(?:async )?def (\w+)",
        ),
        ("command", "py", rb"^[^\n#]*\.add_parser\([ \t]*[\"']([^\"'\n]+)[\"']"),
        (
            "route",
            "py",
            rb"^[ \t]*@[\w.]+\.(?:route|get|post|put|patch|delete|websocket)"
            rb"\([ \t]*[rf]?[\"']([^\"'\n]*)[\"']",
        ),
        ("route", "py", rb"^[ \t]*(?:re_)?(?:path|url)\([ \t]*r?[\"']([^\"'\n]*)[\"']"),
        (
            "route",
            "js jsx mjs cjs ts tsx mts cts",
            rb"^[ \t]*(?:\w+\.)*(?:app|router|server|routes|api|fastify)\."
            rb"(?:get|post|put|patch|delete|all|route)\([ \t]*[\"'`]([^\"'`\n]+)[\"'`]",
        ),
        (
            "command",
            "js jsx mjs cjs ts tsx mts cts",
            rb"^[ \t]*(?:\w+[ \t]*)?\.command\([ \t]*[\"'`]([^\"'`\n]+)[\"'`]",
        ),
        ("main function", "go", rb"^func main\(\)"),
        ("command", "go", rb"^[^\n]*&cobra\.Command\{(?:[^}]{0,400}?\bUse:\s{0,40}\"([^\"\n]+)\")?"),
        (
            "route",
            "go",
            rb"^[^\n]*\.(?:HandleFunc|Handle|GET|POST|PUT|PATCH|DELETE|Get|Post|Put|Patch|Delete)"
            rb"\([ \t]*\"(/[^\"\n]*)\"",
        ),
        ("main function", "rs", rb"^(?:pub )?(?:async )?fn main\(\)"),
        ("main function", "java kt cs c cc cpp", rb"^[^\n/*]*\b(?:void|int|fun)[ \t]+[mM]ain\("),
        (
            "route",
            "java kt",
            rb"^[ \t]*@(?:Get|Post|Put|Patch|Delete|Request)Mapping\((?:[^\"\n]*\"([^\"\n]+)\")?",
        ),
    )
)


def entry_points(
    root: Path, paths: Sequence[str], touched: Sequence[str], users: Sequence[str]
) -> tuple[EntryPoint, ...]:
    """The entry points in the touched files, in those that use them, in manifests and in main modules."""
    near = dict.fromkeys((*touched, *users))
    far = [path for path in paths if path not in near and _promises(path)]
    far.sort(key=lambda path: (path.count("/"), path))
    found: list[EntryPoint] = []
    for path in [*near, *far][:_READ]:
        if kind_of(path) in ("test", "docs", "generated"):
            continue
        data = read(f"{root}{os.sep}{path}")
        if data:
            found += _in_file(path, data, near=path in near)
    found.sort(key=lambda point: not point.near)
    return tuple(found[:MOST])


def _promises(path: str) -> bool:
    """True for a manifest, and for a name that main modules go by."""
    name = path.rsplit("/", 1)[-1]
    return path.count("/") <= 4 and (name in _MANIFESTS or name.rsplit(".", 1)[0] in _MAIN_NAMES)


def _in_file(path: str, data: bytes, *, near: bool) -> Iterator[EntryPoint]:
    name = path.rsplit("/", 1)[-1]
    if name == "__main__.py":
        package = path.split("/")[-2] if "/" in path else "."
        start = len(data) - len(data.lstrip())
        yield EntryPoint("module run by", f"python -m {package}", line_at(path, data, start), near)
    if name in _MANIFESTS:
        for what, said, offset in _in_manifest(name, data):
            yield EntryPoint(what, said, line_at(path, data, offset), near)
    ending = ending_of(path)
    for what, endings, pattern in _SIGHTS:
        if ending in endings:
            for match in pattern.finditer(data):
                said = match[1].decode("utf-8", "replace") if match.lastindex else ""
                yield EntryPoint(what, said, line_at(path, data, match.start()), near)


def _in_manifest(name: str, data: bytes) -> Iterator[tuple[str, str, int]]:
    tables = {"pyproject.toml": (_SCRIPT_TABLE, _SCRIPT), "setup.cfg": (_CONSOLE_SCRIPTS, _CONSOLE_SCRIPT)}
    if name in tables:
        table, row = tables[name]
        for body in table.finditer(data):
            for match in row.finditer(data, body.start(1), body.end(1)):
                yield "console script", match[1].decode(), match.start(1)
    elif name == "package.json":
        for match in _PACKAGE_KEY.finditer(data):
            yield "package's", match[1].decode(), match.start(1)
    else:
        for match in _CARGO_BIN.finditer(data):
            yield "binary", match[1].decode("utf-8", "replace"), match.start(1)
