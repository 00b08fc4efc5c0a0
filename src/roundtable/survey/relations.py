"""What ties other files to those that an item touches: imports, mentions, tests, entry points, history."""

from __future__ import annotations

import math
import os
import posixpath
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import Final

from .files import file_ending, file_kind
from .report import CodeLine, EntryPoint, FoundFile, Reason, Relation
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
_READ = 1_500  # files read again for their imports
_NAMES = 8
_COMMON = 0.2  # a name found in more of the files than this says nothing
_GO_MODULE = re.compile(rb"^module\s+(\S+)", re.MULTILINE)
_FIRST_TEST = re.compile(
    rb"^[ \t]*(?:async\s+)?(?:def test|func Test|describe\(|it\(|test\(|@Test|#\[test)", re.MULTILINE
)
_TEST_AFFIX = re.compile(r"^test[_-]?|[._-]?(?:test|tests|spec)$", re.IGNORECASE)
MAX_ENTRY_POINTS = 30
_MAX_ENTRY_POINT_FILES = 400
_MAIN_WORDS = "__main__ main cli app server manage program cmd urls routes router wsgi asgi"
_MAIN_NAMES: Final = frozenset(_MAIN_WORDS.split())
_SCRIPT_TABLE = re.compile(
    rb"^\[(?:project\.(?:gui-)?scripts|tool\.poetry\.scripts)\][^\n]*\n((?:(?!\[)[^\n]*\n?)*)", re.MULTILINE
)
_SCRIPT_ROW = re.compile(rb"""^[ \t]*["']?([\w.-]+)["']?[ \t]*=[ \t]*["'{]""", re.MULTILINE)
_CONSOLE_SCRIPTS = re.compile(
    rb"^console_scripts[ \t]*=(?:[ \t\r]*\n)++((?:[ \t]++[^\n]*+(?:\n|\Z))*+)", re.MULTILINE
)
_CONSOLE_SCRIPT = re.compile(rb"^[ \t]+([\w.-]+)\s*=", re.MULTILINE)
_CARGO_BIN = re.compile(
    rb"^\[\[bin\]\][ \t\r]*\n(?:(?![ \t]*(?:name[ \t]*=|\[))[^\n]*\n)*+[ \t]*name[ \t]*=[ \t]*\"([^\"\n]+)\"",
    re.MULTILINE,
)
_PACKAGE_KEY = re.compile(rb'^[ \t]*"(main|bin|module)"\s*:', re.MULTILINE)
# What each manifest names, the part of the file that names it (all where None), and the pattern of one name.
_MANIFESTS: Final[dict[str, tuple[str, re.Pattern[bytes] | None, re.Pattern[bytes]]]] = {
    "pyproject.toml": ("console script", _SCRIPT_TABLE, _SCRIPT_ROW),
    "setup.cfg": ("console script", _CONSOLE_SCRIPTS, _CONSOLE_SCRIPT),
    "package.json": ("package's", None, _PACKAGE_KEY),
    "Cargo.toml": ("binary", None, _CARGO_BIN),
}
_SIGHTS_FILE = Path(__file__).resolve().parents[1] / "content" / "survey" / "entry-points.toml"
_SIGHTS: Final = tuple(
    (sight["what"], sight["endings"].split(), re.compile(sight["pattern"].encode(), re.MULTILINE))
    for sight in tomllib.loads(_SIGHTS_FILE.read_text("utf-8"))["sight"]
)
MAX_RADIUS = 60
_TIED = 0.30
_TOGETHER = 0.8


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


def parse_module(path: str, paths: frozenset[str]) -> Module | None:
    """Return the file as a module; None where the imports of its language are not understood here."""
    family = family_of(path)
    if family is None:
        return None
    bare = path.rsplit(".", 1)[0]
    folder, _, last = bare.rpartition("/")
    name = folder if last in _FOLDER_MODULES and folder else bare
    above = posixpath.dirname(name)
    return Module(path, name, family, top=f"{above}/__init__.py" not in paths)


def family_of(path: str) -> frozenset[str] | None:
    """Return the endings of the languages that may import the file."""
    ending = file_ending(path)
    return next((family for family in _FAMILIES if ending in family), None)


def find_imports(
    path: str, data: bytes, modules: Sequence[Module], *, go_module: str = ""
) -> Iterator[tuple[int, Module]]:
    """Yield the modules that the file imports, each with the offset in the file where it says so."""
    for offset, name in _find_names(path, data):
        for module in modules:
            if module.path != path and _leads_to(name, module, path, go_module):
                yield offset, module


def _find_names(path: str, data: bytes) -> Iterator[tuple[int, str]]:
    """Yield the names that the file imports, as paths; those given relative to the file have `=` in front."""
    family = family_of(path)
    if family is _PYTHON:
        yield from _find_python_names(path, data)
    elif family is _SCRIPT:
        for match in _SCRIPT_FROM.finditer(data):
            yield match.start(1), _resolve(path, _text(match[1]))
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


def _find_python_names(path: str, data: bytes) -> Iterator[tuple[int, str]]:
    for match in _PYTHON_FROM.finditer(data):
        if match[3] is not None:
            for name in _text(match[3]).split(","):
                yield match.start(3), name.split(" as ")[0].strip().replace(".", "/")
            continue
        said = _text(match[1])
        base = said.lstrip(".").replace(".", "/")
        if dots := len(said) - len(said.lstrip(".")):
            folder = "/".join(path.split("/")[:-dots])
            base = "=" + posixpath.join(folder, base).rstrip("/")
        yield match.start(1), base
        for name in re.findall(r"\w+", re.sub(r"\bas\s+\w+|#[^\n]*", "", _text(match[2]))):
            yield match.start(1), f"{base}/{name}" if base != "=" else f"={name}"


def _resolve(path: str, said: str) -> str:
    if not said.startswith("."):
        return re.sub(r"^[@~]/", "", said)
    return "=" + posixpath.normpath(posixpath.join(posixpath.dirname(path), said))


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
        bare = name[1:]
        if module.family is _SCRIPT:
            bare = re.sub(r"\.(?:[cm]?[jt]sx?|vue|svelte)$", "", bare)
        return bare in (module.name, module.path.rsplit(".", 1)[0])
    is_bare = "/" not in name
    is_foreign = module.family is _SCRIPT or (module.family is _PYTHON and not module.top)
    if not name or (is_bare and is_foreign):
        return False
    return module.name == name or module.name.endswith(f"/{name}")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Relations:
    """The lines that tie other files to those that are touched."""

    importers: tuple[Relation, ...]
    mentions: tuple[Relation, ...]
    tests: tuple[Relation, ...]


def find_relations(root: Path, paths: Sequence[str], touched: Sequence[FoundFile]) -> Relations:
    """Return the files that import a touched file, mention a name it defines on a found line, or test it."""
    known = frozenset(paths)
    modules = [module for each in touched if (module := parse_module(each.path, known))]
    names = _defined_names(touched)
    needles = tuple(dict.fromkeys([module.needle for module in modules if module.needle] + list(names)))
    families = frozenset[str]().union(*(module.family for module in modules))
    sources = [path for path in paths if file_ending(path) in families]
    holding = files_holding(root, sources, needles)
    near = sorted(holding, key=lambda path: (-_closeness(path, touched), path))[:_READ]
    go_module = _go_module(root, known) if "go" in families else ""
    importers: list[Relation] = []
    mentions: list[Relation] = []
    for path in near:
        if data := read_text(f"{root}{os.sep}{path}"):
            first: dict[str, int] = {}
            for offset, module in find_imports(path, data, modules, go_module=go_module):
                first.setdefault(module.path, offset)
            importers += (Relation("imports", line_at(path, data, at), to) for to, at in first.items())
            mentions += _find_mentions(path, data, names)
    count = Counter(mention.to for mention in mentions)
    most = max(8, int(len(sources) * _COMMON))
    telling = [mention for mention in mentions if count[mention.to] <= most]
    tests = _find_tests(root, paths, touched, (*importers, *telling))
    return Relations(tuple(importers), tuple(telling), tests)


def _defined_names(touched: Sequence[FoundFile]) -> dict[str, str]:
    """Return the names that the best lines of touched source files define, each with its file."""
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
    """Return how much of the path is shared with a touched file, in folders."""
    pairs = (zip(path.split("/")[:-1], file.path.split("/")[:-1], strict=False) for file in touched)
    shared = (sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], each)) for each in pairs)
    return max(shared, default=0)


def _find_mentions(path: str, data: bytes, names: dict[str, str]) -> Iterator[Relation]:
    for name, home in names.items():
        spelled = name.encode()
        if home != path and spelled in data:
            found = re.search(rb"(?<![\w$])" + re.escape(spelled) + rb"(?![\w$])", data)
            if found:
                yield Relation("mentions", line_at(path, data, found.start()), name)


def _find_tests(
    root: Path, paths: Sequence[str], touched: Sequence[FoundFile], ties: Sequence[Relation]
) -> tuple[Relation, ...]:
    """Return the tests that are named after a touched file, then those that import or mention it."""
    named = _name_tests(touched)
    found: dict[str, Relation] = {}
    for path in paths:
        bare = _TEST_AFFIX.sub("", posixpath.basename(path).rsplit(".", 1)[0].lower())
        if bare in named and file_kind(path) == "test" and (data := read_text(f"{root}{os.sep}{path}")):
            test = _FIRST_TEST.search(data)
            line = line_at(path, data, test.end()) if test else _first_line(path, data)
            found[path] = Relation("tests", line, named[bare])
    for tie in ties:
        if file_kind(tie.line.path) == "test":
            found.setdefault(tie.line.path, Relation("tests", tie.line, tie.to))
    return tuple(found.values())


def _name_tests(touched: Sequence[FoundFile]) -> dict[str, str]:
    """Return what a test of each touched file would be called without its `test`."""
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


def _first_line(path: str, data: bytes) -> CodeLine:
    """Return the first line of a file that is not empty."""
    return line_at(path, data, len(data) - len(data.lstrip()))


def line_at(path: str, data: bytes, offset: int) -> CodeLine:
    """Return the line of a file that an offset falls on."""
    offset = min(offset, len(data) - 1)
    start = data.rfind(b"\n", 0, offset) + 1
    end = data.find(b"\n", offset)
    text = data[start : end if end >= 0 else len(data)][:400].decode("utf-8", "replace").strip()
    return CodeLine(path, data.count(b"\n", 0, start) + 1, text)


def _go_module(root: Path, paths: frozenset[str]) -> str:
    data = read_text(f"{root}{os.sep}go.mod") if "go.mod" in paths else None
    found = _GO_MODULE.search(data or b"")
    return found[1].decode("utf-8", "replace") if found else ""


def find_entry_points(
    root: Path, paths: Sequence[str], touched: Sequence[str], users: Sequence[str]
) -> tuple[EntryPoint, ...]:
    """Return the entry points in touched files, in those that use them, in manifests and main modules."""
    near = dict.fromkeys((*touched, *users))
    far = [path for path in paths if path not in near and _may_start_program(path)]
    far.sort(key=lambda path: (path.count("/"), path))
    found: list[EntryPoint] = []
    for path in [*near, *far][:_MAX_ENTRY_POINT_FILES]:
        if file_kind(path) in ("test", "docs", "generated"):
            continue
        data = read_text(f"{root}{os.sep}{path}")
        if data:
            found += _find_in_file(path, data, near=path in near)
    found.sort(key=lambda point: not point.near)
    return tuple(found[:MAX_ENTRY_POINTS])


def _may_start_program(path: str) -> bool:
    """Whether the file is a manifest, or has a name that main modules go by."""
    name = path.rsplit("/", 1)[-1]
    return path.count("/") <= 4 and (name in _MANIFESTS or name.rsplit(".", 1)[0] in _MAIN_NAMES)


def _find_in_file(path: str, data: bytes, *, near: bool) -> Iterator[EntryPoint]:
    name = path.rsplit("/", 1)[-1]
    if name == "__main__.py":
        package = path.split("/")[-2] if "/" in path else "."
        yield EntryPoint("module run by", f"python -m {package}", _first_line(path, data), near)
    if name in _MANIFESTS:
        what, part, row = _MANIFESTS[name]
        spans = [match.span(1) for match in part.finditer(data)] if part else [(0, len(data))]
        for span in spans:
            for match in row.finditer(data, *span):
                yield EntryPoint(what, _text(match[1]), line_at(path, data, match.start(1)), near)
    ending = file_ending(path)
    for what, endings, pattern in _SIGHTS:
        if ending in endings:
            for match in pattern.finditer(data):
                said = _text(match[1] or b"") if pattern.groups else ""
                yield EntryPoint(what, said, line_at(path, data, match.start()), near)


def rank_radius(
    root: Path,
    findings: Sequence[FoundFile],
    touched: Sequence[FoundFile],
    ties: Relations,
    company: Mapping[str, float],
) -> tuple[FoundFile, ...]:
    """Return the findings with what ties add, and the tied files no term led to, the likeliest first."""
    strength = {finding.path: finding.score for finding in touched}
    top = max(strength.values(), default=1.0)
    extra: dict[str, float] = {}
    reasons: dict[str, list[Reason]] = {}
    lines: dict[str, CodeLine] = {}

    def tie(path: str, value: float, reason: Reason) -> None:
        extra[path] = max(extra.get(path, 0.0), value)
        reasons.setdefault(path, []).append(reason)

    fan_in = Counter(relation.to for relation in (*ties.importers, *ties.mentions))
    for relation in (*ties.importers, *ties.mentions, *ties.tests):
        weight = _TIED * strength.get(relation.to, top * 0.7)
        if relation.tie != "tests":
            # One of three that use a file is likelier to change with it than one of three hundred.
            weight /= 1 + math.log10(fan_in[relation.to])
        tie(relation.line.path, weight, Reason(relation.tie, relation.to))
        lines.setdefault(relation.line.path, relation.line)
    for path, share in company.items():
        tie(path, _TOGETHER * top * share, Reason(f"changed with them in {share:.0%} of their commits"))
    known = {finding.path: finding for finding in findings}
    merged = []
    for path in known.keys() | extra.keys():
        found = known.get(path) or FoundFile(path, 0.0, 0, ())
        merged.append(
            replace(
                found,
                score=found.score + extra.get(path, 0.0),
                lines=found.lines or ((lines[path],) if path in lines else ()),
                reasons=tuple(dict.fromkeys(reasons.get(path, ())))[:3],
            )
        )
    merged.sort(key=lambda finding: (-finding.score, finding.path))
    cited = (_with_a_line(root, finding) for finding in merged[: 2 * MAX_RADIUS])
    return tuple(finding for finding in cited if finding.lines)[:MAX_RADIUS]


def _with_a_line(root: Path, finding: FoundFile) -> FoundFile:
    """Return the finding with its file's first line where nothing else led to it; none if unreadable."""
    data = None if finding.lines else read_text(f"{root}{os.sep}{finding.path}")
    return replace(finding, lines=(_first_line(finding.path, data),)) if data else finding
