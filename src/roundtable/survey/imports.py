"""Which file imports which: the import lines of the common languages, resolved to the project's paths."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from .kinds import ending_of

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
    ending = ending_of(path)
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
    if module.family.isdisjoint({ending_of(importer)}):
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
