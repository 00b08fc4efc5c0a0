"""The house: how much code there is, what things are called, and that nothing is done twice."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from zipfile import ZipFile

import pytest
from hatchling.build import build_wheel

PACKAGE = Path(__file__).parents[1] / "src" / "roundtable"

MOST_MODULES = 115
MOST_LINES = 22_000  # what needs more has to take something away
MOST_DATA_LINES = 12_000
LARGEST_WHEEL = 500 * 1024
FEW_LINES = 60
MOST_SHARED_LINES = 9
REASON_TO_STAND_ALONE = "on its own because"

PARTICIPLE = re.compile(
    r"""[a-z]{2,}(?:ed|ing)|(?:un|re|mis|over|with)?(?:begun|bound|broken|brought|built|chosen|done|drawn|fallen
    |found|given|gone|grown|heard|held|hidden|kept|known|laid|lain|led|left|lost|made|meant|met|paid|said|seen
    |sent|shown|sold|spent|spoken|stood|struck|taken|taught|thought|told|understood|woven|written)""",
    re.VERBOSE,
)
VERB = re.compile(
    r"bleed|breed|embed|exceed|feed|need|proceed|seed|shed|speed|succeed|(?:[bw]r|p|r|s|st|str)ing"
)


@cache
def modules() -> dict[str, Path]:
    """Return the package's modules by dotted name."""
    return {".".join(_dotted(path)): path for path in sorted(PACKAGE.rglob("*.py"))}


def _dotted(path: Path) -> tuple[str, ...]:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


@cache
def read_tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def count_lines(path: Path) -> int:
    return len(path.read_bytes().splitlines())


def is_participle(name: str) -> bool:
    """Whether a function's name is one participle and nothing else, such as `joined` or `_told`.

    Names such as `__missing__` are Python's own.
    """
    if name.endswith("__"):
        return False
    word = name.strip("_").lower()
    return bool(PARTICIPLE.fullmatch(word)) and not VERB.fullmatch(word)


def test_the_check_of_names_tells_participles_from_verbs() -> None:
    assert all(map(is_participle, ("told", "_joined", "loading", "__shown", "listed", "unknown")))
    assert not any(map(is_participle, ("tell", "join_cells", "feed", "read", "string", "is_known", "add")))


def test_every_name_of_a_class_or_of_a_choice_has_one_meaning() -> None:
    places = defaultdict(list)
    for name, path in modules().items():
        for node in ast.walk(read_tree(path)):
            match node:
                case ast.ClassDef(name=named):
                    places[named].append(f"{name}:{node.lineno}")
                case ast.Assign([ast.Name(named)], ast.Subscript(ast.Name("Literal"))):
                    places[named].append(f"{name}:{node.lineno}")
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_function_is_called_by_a_lone_participle() -> None:
    found = [
        f"{name}:{node.lineno} {node.name}"
        for name, path in modules().items()
        for node in ast.walk(read_tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and is_participle(node.name)
    ]
    assert found == []


def test_the_package_stays_small() -> None:
    assert len(modules()) <= MOST_MODULES
    assert sum(map(count_lines, modules().values())) <= MOST_LINES


def test_the_package_data_stays_small() -> None:
    data = [path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc")]
    assert data
    assert sum(map(count_lines, data)) <= MOST_DATA_LINES


def test_a_small_module_with_one_importer_says_why_it_stands_alone() -> None:
    importers = Counter(target for name, path in modules().items() for target in _imports(name, path))
    lonely = [
        name
        for name, path in modules().items()
        if path.name not in ("__init__.py", "__main__.py")
        and count_lines(path) < FEW_LINES
        and importers[name] == 1
        and REASON_TO_STAND_ALONE not in " ".join((ast.get_docstring(read_tree(path)) or "").split())
    ]
    assert lonely == []


def _imports(name: str, path: Path) -> set[str]:
    """Return the modules of ours that a module imports, wherever in it."""
    parts = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    found: set[str] = set()
    for node in ast.walk(read_tree(path)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = parts[: len(parts) - node.level + 1] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            found.add(source)
            found.update(f"{source}.{alias.name}" for alias in node.names)
    return (found & modules().keys()) - {name}


def test_no_two_places_share_ten_lines() -> None:
    window = MOST_SHARED_LINES + 1
    places = defaultdict(list)
    for name, path in modules().items():
        lines = list(_telling_lines(path))
        for at in range(len(lines) - window + 1):
            run = lines[at : at + window]
            places[tuple(text for _, text in run)].append(f"{name}:{run[0][0]}")
    assert [found for found in places.values() if len(found) > 1] == []


def _telling_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield number and text of the lines that say something, without indentation, comments and imports."""
    silent: set[int] = set()
    for node in ast.walk(read_tree(path)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            silent.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        text = " ".join(line.split())
        if number not in silent and re.search(r"\w", text) and not text.startswith("#"):
            yield number, text


def test_the_wheel_stays_small_and_holds_all_that_the_program_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(PACKAGE.parents[1])
    wheel = tmp_path / build_wheel(str(tmp_path))
    assert wheel.stat().st_size <= LARGEST_WHEEL
    installed, project = tmp_path / "installed", tmp_path / "project"
    project.mkdir()
    with ZipFile(wheel) as packed:
        packed.extractall(installed)
    for words in (["add", "Offline forms"], ["analyze", "--answers", os.devnull], ["export", "agent-file"]):
        ran = subprocess.run(
            [sys.executable, "-m", "roundtable", *words],
            cwd=project, env={**os.environ, "PYTHONPATH": str(installed)}, capture_output=True, text=True,
        )  # fmt: skip
        assert (ran.returncode, ran.stderr) == (0, ""), words
        assert ran.stdout
