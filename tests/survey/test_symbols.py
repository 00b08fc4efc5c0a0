"""The names that files define: by grammar where the extra is installed, by line where it is not."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from roundtable.survey.symbols import Definition, find_definitions

PYTHON = (
    b"LIMIT = 3\n\n\nclass Tray:\n    def fill(\n        self,\n    ):\n        return 1\n\n\nx = LIMIT\n"
)


@pytest.fixture
def without_grammars(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")


def test_a_grammar_tells_where_a_definition_ends() -> None:
    pytest.importorskip("tree_sitter_language_pack")
    assert find_definitions({"tray.py": PYTHON}, patience=30)["tray.py"] == (
        Definition("LIMIT", 1, 1),
        Definition("Tray", 4, 8),
        Definition("fill", 5, 8),
        Definition("x", 11, 11),
    )


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        ("a.go", "package a\n\nfunc (t *Tray) Fill(n int) {\n}\n\ntype Tray struct {\n}\n", ["Fill", "Tray"]),
        (
            "a.ts",
            "import { b } from './b'\nexport const fill = (n) => n\ninterface Tray {\n}\n",
            ["fill", "Tray"],
        ),
        ("a.rs", "pub fn fill(n: u8) {}\nstruct Tray {}\n", ["fill", "Tray"]),
        ("a.c", "static char *fill(int n)\n{\n}\nstruct tray { int n; };\n", ["fill", "tray"]),
        ("A.java", "class Tray {\n  int fill(int n) { return n; }\n}\n", ["Tray", "fill"]),
    ],
)
def test_definitions_of_other_languages(path: str, text: str, names: list[str]) -> None:
    pytest.importorskip("tree_sitter_language_pack")
    assert [each.name for each in find_definitions({path: text.encode()}, patience=30)[path]] == names


@pytest.mark.usefixtures("without_grammars")
def test_without_grammars_lines_tell_and_a_definition_lasts_until_the_next() -> None:
    assert find_definitions({"tray.py": PYTHON, "notes.txt": b"no code\n"}) == {
        "tray.py": (Definition("Tray", 4, 4), Definition("fill", 5, 12)),
        "notes.txt": (),
    }


@pytest.mark.parametrize(
    "data", [b"(\n" * 150_000, b"{a:<\n" * 60_000, b"\xff\xfe" * 10_000, b"def " * 90_000]
)
def test_a_hostile_file_takes_no_longer_than_allowed_and_harms_no_other(data: bytes) -> None:
    start = time.monotonic()
    found = find_definitions({"good.py": b"def fill(): pass\n", "bad.ts": data, "bad.py": data}, patience=1)
    assert time.monotonic() - start < 10  # the patience, and a machine that is busy
    assert found["good.py"][0].name == "fill"


def test_a_parser_that_fails_leaves_the_lines(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script = tmp_path / "python"
    script.write_text("#!/bin/sh\nprintf 'half an ans'\nexit 139\n")
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))
    assert [each.name for each in find_definitions({"a.py": b"def fill(): pass\n"})["a.py"]] == ["fill"]
