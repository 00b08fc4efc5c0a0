"""Which file imports which: the import lines of the common languages, resolved to the project's paths."""

from __future__ import annotations

import math
import os
import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .files import Sieve, file_ending, file_kind
from .report import EntryPoint, FoundFile, CodeLine, Reason, Relation
from .scan import read_text
from .search import defined_name, files_holding

_SCRIPT: Final = frozenset(["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte"])
_PYTHON: Final = frozenset(["py", "pyi", "pyx"])
_JVM: Final = frozenset(["java", "kt", "kts", "scala", "groovy"])
_C: Final = frozenset(["c", "h", "cc", "cpp", "cxx", "hpp", "hh", "m", "mm"])
_GO: Final = frozenset({"go"})
_RUST: Final = frozenset({"rs"})
_FAMILIES: Final = (_SCRIPT, _PYTHON, _JVM, _C, _GO, _RUST)
_FOLDER_MODULES: Final = frozenset({"__init__", "index", "mod", "lib"})

_PYTHON_FROM = re.compile(
    rb"^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^()]*\)|[^\n#;]+)|^[ \t]*import[ \t]+([\w., \t]+)",
    re.MULTILINE,
)
_SCRIPT_FROM = re.compile(
    rb"""(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\()\s*["']([^"'\n]+)["']""",
)
_GO_BLOCK = re.compile(rb"^import\s*(?:\(([^()]*)\)|(?:[\w.]+\s+)?(\"[^\"\n]+\"))", re.MULTILINE)
_QUOTED = re.compile(rb'"([^"\n]+)"')
_RUST_USE = re.compile(
    rb"^[ \t]*(?:pub(?:\([a-z]+\))?[ \t]+)?(?:use[ \t]+([\w:]+)|mod[ \t]+(\w+)[ \t]*;)", re.MULTILINE
)
_JVM_IMPORT = re.compile(rb"^[ \t]*import[ \t]+(?:static[ \t]+)?([\w.]+)", re.MULTILINE)
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Module:
    """A file as others import it: its path, and that without its ending and a folder module's name."""

    path: str
    name: str
    family: frozenset[str]
    top: bool

    @property
    def needle(self) -> str:
        """What any file that imports the module has to contain."""
        if self.family is _GO:
            return posixpath.basename(posixpath.dirname(self.path))
        return posixpath.basename(self.name)


def module_of(path: str, paths: frozenset[str]) -> Module | None:
    """The file as a module; None where its language has no imports that are understood here."""
    family = family_of(path)
    if family is None:
        return None
    bare = path.rsplit(".", 1)[0]
    folder, _, last = bare.rpartition("/")
    name = folder if last in _FOLDER_MODULES and folder else bare
    above = posixpath.dirname(name)
    return Module(path, name, family, top=f"{above}/__init__.py" not in paths)


def family_of(path: str) -> frozenset[str] | None:
    """The endings of the languages that may import the file."""
    ending = file_ending(path)
    return next((family for family in _FAMILIES if ending in family), None)


def imports_in(
    path: str, data: bytes, modules: Sequence[Module], *, go_module: str = ""
) -> Iterator[tuple[int, Module]]:
    """The modules that the file imports, each with the offset in the file where it says so."""
    for offset, name in _names(path, data):
        for module in modules:
            if module.path != path and _leads_to(name, module, path, go_module):
                yield offset, module


def _names(path: str, data: bytes) -> Iterator[tuple[int, str]]:
    """The names that the file imports, as paths; those given relative to the file have `=` in front."""
    family = family_of(path)
    if family is _PYTHON:
        yield from _python_names(path, data)
    elif family is _SCRIPT:
        for match in _SCRIPT_FROM.finditer(data):
            yield match.start(1), _relative(path, _text(match[1]))
    elif family is _JVM:
        for match in _JVM_IMPORT.finditer(data):
            yield match.start(1), _text(match[1]).replace(".", "/")
    elif family is _C:
        for match in _INCLUDE.finditer(data):
            yield match.start(1), _text(match[1])
    elif family is _GO:
        for block in _GO_BLOCK.finditer(data):
            for match in _QUOTED.finditer(data, block.start(), block.end()):
                yield match.start(1), _text(match[1])
    elif family is _RUST:
        for match in _RUST_USE.finditer(data):
            said = _text(match[1] or match[2]).replace("::", "/")
            yield match.start(), re.sub(r"^(?:crate|self|super)(?:/super)*/", "", said)


def _python_names(path: str, data: bytes) -> Iterator[tuple[int, str]]:
    for match in _PYTHON_FROM.finditer(data):
        if match[3] is not None:
            for name in _text(match[3]).split(","):
                yield match.start(3), name.split(" as ")[0].strip().replace(".", "/")
            continue
        said = _text(match[1])
        dots = len(said) - len(said.lstrip("."))
        base = said.lstrip(".").replace(".", "/")
        if dots:
            folder = path
            for _ in range(dots):
                folder = posixpath.dirname(folder)
            base = "=" + posixpath.join(folder, base).rstrip("/")
        yield match.start(1), base
        for name in re.findall(r"\w+", re.sub(r"\bas\s+\w+|#[^\n]*", "", _text(match[2]))):
            yield match.start(1), f"{base}/{name}" if base != "=" else f"={name}"


def _relative(path: str, said: str) -> str:
    if not said.startswith("."):
        return re.sub(r"^[@~]/", "", said)
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(path), said))
    return "=" + joined


def _leads_to(name: str, module: Module, importer: str, go_module: str) -> bool:
    if module.family.isdisjoint({file_ending(importer)}):
        return False
    if module.family is _GO:
        folder = posixpath.dirname(module.path)
        whole = f"{go_module}/{folder}".rstrip("/") if go_module else folder
        return bool(whole) and (name == whole or (not go_module and name.endswith(f"/{folder}")))
    if module.family is _C:
        return posixpath.basename(name) == posixpath.basename(module.path) and (
            module.path.endswith(name.removeprefix("../"))
        )
    if name.startswith("="):
        bare = (
            re.sub(r"\.(?:[cm]?[jt]sx?|vue|svelte)$", "", name[1:]) if module.family is _SCRIPT else name[1:]
        )
        return bare == module.name or bare == module.path.rsplit(".", 1)[0]
    if not name or ("/" not in name and module.family is _PYTHON and not module.top):
        return False
    if "/" not in name and module.family is _SCRIPT:
        return False
    return module.name == name or module.name.endswith(f"/{name}")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


_READ = 1_500  # files read again for their imports
_NAMES = 8
_COMMON = 0.2  # a name found in more of the files than this is no name for anything
_GO_MODULE = re.compile(rb"^module\s+(\S+)", re.MULTILINE)
_FIRST_TEST = re.compile(
    rb"^[ \t]*(?:async\s+)?(?:def test|func Test|describe\(|it\(|test\(|@Test|#\[test)", re.MULTILINE
)
_TEST_AFFIX = re.compile(r"^test[_-]?|[._-]?(?:test|tests|spec)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Relations:
    """The lines that tie other files to those that are touched."""

    importers: tuple[Relation, ...]
    mentions: tuple[Relation, ...]
    tests: tuple[Relation, ...]


def relate(
    root: Path, paths: Sequence[str], touched: Sequence[FoundFile], *, sieve: Sieve | None = None
) -> Relations:
    """The files that import a touched file, mention a name it defines on a found line, or test it."""
    known = frozenset(paths)
    modules = [module for each in touched if (module := parse_module(each.path, known))]
    names = _defined_names(touched)
    needles = tuple(dict.fromkeys([module.needle for module in modules if module.needle] + list(names)))
    families = frozenset[str]().union(*(module.family for module in modules))
    sources = [path for path in paths if file_ending(path) in families]
    holding = files_holding(root, sources, needles, sieve=sieve)
    near = sorted(holding, key=lambda path: (-_closeness(path, touched), path))[:_READ]
    go_module = _go_module(root, known) if "go" in families else ""
    importers: list[Relation] = []
    mentions: list[Relation] = []
    for path in near:
        data = read_text(f"{root}{os.sep}{path}")
        if data is None:
            continue
        found = list(_importing(path, data, modules, go_module))
        importers += found
        mentions += _mentioning(path, data, names)
    mentions = _telling(mentions, len(sources))
    tests = _tests(root, paths, touched, importers, mentions)
    return Relations(tuple(importers), tuple(mentions), tests)


def _defined_names(touched: Sequence[FoundFile]) -> dict[str, str]:
    """The names that the best lines of touched source files define, with the file that defines each."""
    names: dict[str, str] = {}
    for finding in touched:
        if file_kind(finding.path) != "source":
            continue
        for line in finding.lines:
            name = defined_name(line.text.encode("utf-8", "surrogateescape")).decode()
            if len(name) > 3 and not name.startswith("__"):
                names.setdefault(name, finding.path)
    return dict(list(names.items())[:_NAMES])


def _closeness(path: str, touched: Sequence[FoundFile]) -> int:
    parts = path.split("/")[:-1]
    best = 0
    for finding in touched:
        shared = 0
        for own, other in zip(parts, finding.path.split("/")[:-1], strict=False):
            if own != other:
                break
            shared += 1
        best = max(best, shared)
    return best


def _importing(path: str, data: bytes, modules: Sequence[Module], go_module: str) -> Iterator[Relation]:
    seen: set[str] = set()
    for offset, module in find_imports(path, data, modules, go_module=go_module):
        if module.path not in seen:
            seen.add(module.path)
            yield Relation("imports", line_at(path, data, offset), module.path)


def _mentioning(path: str, data: bytes, names: dict[str, str]) -> Iterator[Relation]:
    for name, home in names.items():
        spelled = name.encode()
        if home != path and spelled in data:
            found = re.search(rb"(?<![\w$])" + re.escape(spelled) + rb"(?![\w$])", data)
            if found:
                yield Relation("mentions", line_at(path, data, found.start()), name)


def _telling(mentions: Sequence[Relation], sources: int) -> list[Relation]:
    """The mentions without those of names that stand everywhere."""
    count: dict[str, int] = {}
    for mention in mentions:
        count[mention.to] = count.get(mention.to, 0) + 1
    most = max(8, int(sources * _COMMON))
    return [mention for mention in mentions if count[mention.to] <= most]


def _tests(
    root: Path,
    paths: Sequence[str],
    touched: Sequence[FoundFile],
    importers: Sequence[Relation],
    mentions: Sequence[Relation],
) -> tuple[Relation, ...]:
    """The tests that are named after a touched file, then those that import it or mention its names."""
    named = _named_after(touched)
    found: dict[str, Relation] = {}
    for path in paths:
        name = posixpath.basename(path).rsplit(".", 1)[0].lower()
        bare = _TEST_AFFIX.sub("", name)
        if bare in named and file_kind(path) == "test" and (first := _first_line(root, path)):
            found[path] = Relation("tests", first, named[bare])
    for tie in (*importers, *mentions):
        if file_kind(tie.line.path) == "test":
            found.setdefault(tie.line.path, Relation("tests", tie.line, tie.to))
    return tuple(found.values())


def _named_after(touched: Sequence[FoundFile]) -> dict[str, str]:
    """What a test of each touched file would be called without its `test`."""
    named: dict[str, str] = {}
    for finding in touched:
        if file_kind(finding.path) == "test":
            continue
        folder, _, name = finding.path.rpartition("/")
        bare = name.rsplit(".", 1)[0].lower()
        if bare in ("index", "__init__", "mod", "lib", "main"):
            bare = posixpath.basename(folder).lower()
        named.setdefault(bare, finding.path)
        named.setdefault(bare.strip("_"), finding.path)
    named.pop("", None)
    return named


def _first_line(root: Path, path: str) -> CodeLine | None:
    """The line that opens the first test of a file, else its first line that is not empty."""
    data = read_text(f"{root}{os.sep}{path}")
    if not data:
        return None
    test = _FIRST_TEST.search(data)
    return line_at(path, data, test.end() if test else len(data) - len(data.lstrip()))


def line_at(path: str, data: bytes, offset: int) -> CodeLine:
    """The line of a file that an offset falls on."""
    offset = min(offset, len(data) - 1)
    start = data.rfind(b"\n", 0, offset) + 1
    end = data.find(b"\n", offset)
    text = data[start : end if end >= 0 else len(data)][:400].decode("utf-8", "replace").strip()
    return CodeLine(path, data.count(b"\n", 0, start) + 1, text)


def _go_module(root: Path, paths: frozenset[str]) -> str:
    data = read_text(f"{root}{os.sep}go.mod") if "go.mod" in paths else None
    found = _GO_MODULE.search(data or b"")
    return found[1].decode("utf-8", "replace") if found else ""


MOST = 30
_ENTRY_POINTS_READ = 400
_MANIFESTS: Final = frozenset({"pyproject.toml", "setup.cfg", "package.json", "Cargo.toml"})
_MAIN_NAMES_WORDS = """
__main__ main cli app server manage program cmd urls routes router wsgi asgi
"""
_MAIN_NAMES: Final = frozenset(_MAIN_NAMES_WORDS.split())
_SCRIPT_TABLE = re.compile(
    rb"^\[(?:project\.(?:gui-)?scripts|tool\.poetry\.scripts)\][^\n]*\n((?:(?!\[)[^\n]*\n?)*)", re.MULTILINE
)
_ENTRY_POINTS_SCRIPT = re.compile(rb"""^[ \t]*["']?([\w.-]+)["']?[ \t]*=[ \t]*["'{]""", re.MULTILINE)
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
    for path in [*near, *far][:_ENTRY_POINTS_READ]:
        if file_kind(path) in ("test", "docs", "generated"):
            continue
        data = read_text(f"{root}{os.sep}{path}")
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
    ending = file_ending(path)
    for what, endings, pattern in _SIGHTS:
        if ending in endings:
            for match in pattern.finditer(data):
                said = match[1].decode("utf-8", "replace") if match.lastindex else ""
                yield EntryPoint(what, said, line_at(path, data, match.start()), near)


def _in_manifest(name: str, data: bytes) -> Iterator[tuple[str, str, int]]:
    tables = {
        "pyproject.toml": (_SCRIPT_TABLE, _ENTRY_POINTS_SCRIPT),
        "setup.cfg": (_CONSOLE_SCRIPTS, _CONSOLE_SCRIPT),
    }
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


RADIUS_MOST = 60
_TIED = 0.30
_TESTED = 0.30
_TOGETHER = 0.8


def radius(
    root: Path,
    findings: Sequence[FoundFile],
    touched: Sequence[FoundFile],
    ties: Relations,
    company: Mapping[str, float],
) -> tuple[FoundFile, ...]:
    """The findings with what ties add to them, and the tied files no term led to, the likeliest first."""
    strength = {finding.path: finding.score for finding in touched}
    top = max(strength.values(), default=1.0)
    extra: dict[str, float] = {}
    reasons: dict[str, list[Reason]] = {}
    lines: dict[str, CodeLine] = {}

    def tie(path: str, value: float, reason: Reason) -> None:
        extra[path] = max(extra.get(path, 0.0), value)
        reasons.setdefault(path, []).append(reason)

    fan_in = Counter(relation.to for relation in (*ties.importers, *ties.mentions))
    for relation in (*ties.importers, *ties.mentions):
        # One of three that use a file is likelier to change with it than one of three hundred.
        weight = strength.get(relation.to, top * 0.7) / (1 + math.log10(fan_in[relation.to]))
        tie(relation.line.path, _TIED * weight, Reason(relation.tie, relation.to))
        lines.setdefault(relation.line.path, relation.line)
    for relation in ties.tests:
        tie(relation.line.path, _TESTED * strength.get(relation.to, top * 0.7), Reason("tests", relation.to))
        lines.setdefault(relation.line.path, relation.line)
    for path, share in company.items():
        tie(path, _TOGETHER * top * share, Reason(f"changed with them in {share:.0%} of their commits"))
    known = {finding.path: finding for finding in findings}
    merged = []
    for path in known.keys() | extra.keys():
        found = known.get(path)
        score = (found.score if found else 0.0) + extra.get(path, 0.0)
        said = tuple(dict.fromkeys(reasons.get(path, ())))[:3]
        if found and found.lines:
            merged.append(FoundFile(path, score, found.count, found.lines, said))
        else:
            merged.append(
                FoundFile(
                    path, score, found.count if found else 0, (lines[path],) if path in lines else (), said
                )
            )
    merged.sort(key=lambda finding: (-finding.score, finding.path))
    cited = (_with_a_line(root, finding) for finding in merged[: 2 * RADIUS_MOST])
    return tuple(finding for finding in cited if finding.lines)[:RADIUS_MOST]


def _with_a_line(root: Path, finding: FoundFile) -> FoundFile:
    """The finding with its file's first line where nothing else led to it; none where it cannot be cited."""
    data = None if finding.lines else read_text(f"{root}{os.sep}{finding.path}")
    if not data:
        return finding
    line = line_at(finding.path, data, len(data) - len(data.lstrip()))
    return FoundFile(finding.path, finding.score, finding.count, (line,), finding.reasons)
