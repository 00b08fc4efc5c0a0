"""Where terms stand, and which files come first."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitproject import write
from roundtable.core.steps import Item
from roundtable.survey.files import FileKind, file_kind, list_files
from roundtable.survey.search import CodeLine, extract_terms, find_hits, rank_files
from roundtable.survey.symbols import defined_name


def ranked(root: Path, title: str) -> list[str]:
    paths = list_files(root)
    terms = extract_terms(Item("item", title))
    return [finding.path for finding in rank_files(root, paths, terms, {}, ())]


def test_a_term_stands_at_the_beginning_of_a_word_or_of_a_part_of_a_name() -> None:
    terms = extract_terms(Item("item", "cache"))
    data = b"cache Caching myCache CACHE_SIZE http_cache\nscache precached cachexyzabcd HTTPCache\n"
    found = find_hits(data, terms)
    assert found.counts == [6]
    assert [place.number for place in found.lines] == [1, 2]


def test_a_whole_name_is_found_inside_other_names() -> None:
    assert find_hits(b"self._hide_inputs\n", extract_terms(Item("item", "hide_input"))[:1]).counts == [1]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (b"    async def render(self):", b"render"),
        (b"class Invoice(Base):", b"Invoice"),
        (b"export default function print(", b"print"),
        (b"export const LIMIT = 3", b"LIMIT"),
        (b"func (c *Command) Execute() error {", b"Execute"),
        (b"pub(crate) fn parse<'a>(", b"parse"),
        (b"public static final class Row {", b"Row"),
        (b"return render()", b""),
        (b"# class of its own", b""),
    ],
)
def test_the_name_that_a_line_defines(line: bytes, name: bytes) -> None:
    assert defined_name(line) == name


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("src/mail/render.py", "source"),
        ("tests/mail/helpers.py", "test"),
        ("src/render.test.ts", "test"),
        ("pkg/render_test.go", "test"),
        ("docs/guide.md", "docs"),
        ("CHANGES.rst", "docs"),
        ("pyproject.toml", "config"),
        (".github/workflows/ci.yml", "config"),
        ("package-lock.json", "generated"),
        ("web/app.min.js", "generated"),
        ("src/latest.py", "source"),
        ("src/contest/score.go", "source"),
    ],
)
def test_the_kind_of_a_file(path: str, kind: FileKind) -> None:
    assert file_kind(path) == kind


def test_path_and_definition_outweigh_mere_mentions(tmp_path: Path) -> None:
    filler = "value = 1\n" * 30
    write(
        tmp_path,
        {
            "src/invoice.py": "x = 1\n" + filler,
            "src/defines.py": "def invoice_total():\n    pass\n" + filler,
            "src/mentions.py": "# see the invoice\n" + filler,
            "src/nothing.py": filler,
        },
    )
    assert ranked(tmp_path, "Invoice rounding") == ["src/invoice.py", "src/defines.py", "src/mentions.py"]


def test_several_terms_outweigh_many_hits_of_one(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"many.py": "toner\n" * 50, "both.py": "toner of the tray\n" + "x\n" * 50, "c.py": "x\n" * 50},
    )
    assert ranked(tmp_path, "Toner tray")[0] == "both.py"


@pytest.mark.parametrize(
    "title", ["Currently the level of the toner is wrong", "Press: the toner currently leaks"]
)
def test_a_vague_word_or_the_projects_name_never_leads(tmp_path: Path, title: str) -> None:
    filler = "value = 1\n" * 10
    write(
        tmp_path,
        {
            "press/toner.py": f"def toner_level():\n    pass\n{filler}",
            "press/paper.py": f"# currently only white\n# currently dry\n{filler}",
            **{f"press/part{number}.py": f"from press import x\n{filler}" for number in range(8)},
            "press/other.py": f"print('toner')\n{filler}",
        },
    )
    order = ranked(tmp_path, title)
    assert order[:2] == ["press/toner.py", "press/other.py"]


def test_tests_documents_and_generated_files_come_after_the_source(tmp_path: Path) -> None:
    same = "def toner():\n    return 1\n"
    write(tmp_path, {"src/a.py": same, "tests/b.py": same, "docs/c.py": same, "vendor/d.py": same})
    assert ranked(tmp_path, "Toner") == ["src/a.py", "tests/b.py", "docs/c.py", "vendor/d.py"]
    assert ranked(tmp_path, "Toner tests")[:2] == ["tests/b.py", "src/a.py"]


def test_the_best_lines_come_first_and_stand_in_the_file(tmp_path: Path) -> None:
    rows = ["toner", "x", "def toner_level():", "toner of the tray", "y", "toner"]
    write(tmp_path, {"a.py": "\r\n".join(rows) + "\r\n"})
    paths = list_files(tmp_path)
    terms = extract_terms(Item("item", "Toner tray"))
    (finding,) = rank_files(tmp_path, paths, terms, {}, ())
    assert finding.count == 5
    assert finding.lines == (
        CodeLine("a.py", 3, "def toner_level():"),
        CodeLine("a.py", 4, "toner of the tray"),
        CodeLine("a.py", 1, "toner"),
    )
