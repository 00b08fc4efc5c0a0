"""A survey from beginning to end, what is written of it, and the drafts it offers."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from gitproject import DAY, NOW, commit, git, repository, write
from roundtable.catalogue import load_steps
from roundtable.core.progress import read_scope
from roundtable.core.steps import Item
from roundtable.survey import cite, draft_answer, estimate_size
from roundtable.survey.search import CodeLine
from surveying import survey

ITEM = Item("toner", "Warn about empty toner", "The office only notices grey pages.")
FILES = {
    "src/press/__init__.py": "from .toner import toner_level\n",
    "src/press/toner.py": "FULL = 5\n\n\ndef toner_level() -> int:\n    return FULL\n",
    "src/press/cli.py": (
        "import click\n\nfrom .toner import toner_level\n\n\n@click.command()\ndef status() -> None:\n"
        "    click.echo(toner_level())\n"
    ),
    "src/press/paper.py": "def paper_left() -> int:\n    return 3\n",
    "tests/test_toner.py": (
        "from press.toner import toner_level\n\n\ndef test_level() -> None:\n    assert toner_level()\n"
    ),
    "docs/guide.md": "# Guide\n\nChange the toner in time.\n",
}
DRAFTED = (("00-02", "Files"), ("02-01", "Touched"))
CITED = re.compile(r"`([^`\s]+):(\d+)`")


@pytest.fixture
def press(tmp_path: Path) -> Path:
    root = repository(tmp_path / "press", FILES)
    for days in (400, 60, 30):
        write(
            root, {"src/press/toner.py": f"FULL = {days}\n\n\ndef toner_level() -> int:\n    return FULL\n"}
        )
        commit(root, f"Toner at {days}", when=NOW - days * DAY)
    write(root, {"docs/requirements/toner/draft.md": "# Warn about empty toner\n\ntoner toner toner\n"})
    return root


def test_the_survey_finds_the_files_and_estimates_the_change(press: Path) -> None:
    found = survey(press, ITEM)
    assert found.findings[0].path == "src/press/toner.py"
    assert found.findings[0].lines[0].text == "def toner_level() -> int:"
    assert estimate_size(found.findings) == ("small", "low")
    assert "src/press/paper.py" not in {finding.path for finding in found.findings}


@pytest.mark.parametrize("label", ["Scope", "Complexity"])
def test_where_no_code_was_found_no_size_is_drafted(press: Path, label: str) -> None:
    found = survey(press, Item("receipts", "Offline receipts", "Couriers sign without a signal."))
    assert draft_answer(found, "00-02", "Files") is None
    assert draft_answer(found, "00-03", label) is None


def test_a_list_of_past_changes_is_no_place_to_touch(press: Path) -> None:
    write(press, {"docs/release-notes.md": "# Notes\n\ntoner_level: warn about empty toner, grey pages\n"})
    for step_id, label in DRAFTED:
        assert "release-notes" not in (draft_answer(survey(press, ITEM), step_id, label) or "")


def test_the_items_own_documents_are_no_findings(press: Path) -> None:
    listed = {finding.path for finding in survey(press, ITEM).radius}
    assert not [path for path in listed if path.startswith("docs/requirements/")]
    assert "docs/guide.md" in listed


@pytest.mark.parametrize(("step", "label"), DRAFTED)
def test_everything_cited_exists(press: Path, step: str, label: str) -> None:
    cited = CITED.findall(draft_answer(survey(press, ITEM), step, label) or "")
    assert cited
    for path, number in cited:
        assert 1 <= int(number) <= len((press / path).read_text().splitlines()), f"{path}:{number}"


def test_a_line_that_has_changed_since_is_not_cited(press: Path) -> None:
    found = survey(press, ITEM)
    write(press, {"src/press/toner.py": "nothing\n", "src/press/cli.py": ""})
    (press / "tests" / "test_toner.py").unlink()
    for step, label in DRAFTED:
        text = draft_answer(found, step, label) or ""
        assert "src/press/toner.py:" not in text
        assert "src/press/cli.py:" not in text
        assert "tests/test_toner.py:" not in text


def test_nothing_found_suggests_no_answer(press: Path) -> None:
    found = survey(press, Item("zeppelin", "Zeppelin mooring"))
    assert found.findings == ()
    assert draft_answer(found, "00-02", "Files") is None
    assert draft_answer(found, "02-01", "Touched") is None


@pytest.mark.rule("STEP-4")
def test_drafts_for_every_question_that_asks_the_survey(press: Path) -> None:
    found = survey(press, ITEM)
    asked = {
        (step.step_id, question.label)
        for step in load_steps()
        for question in (*step.brief, *step.standard, *step.deep)
        if question.draft.strip().casefold() == "survey"
    }
    assert asked
    for step_id, label in asked:
        text = draft_answer(found, step_id, label)
        assert text, f"{step_id} {label}"
        assert "\n" not in text
    assert draft_answer(found, "00-03", "Unknowns") is None


@pytest.mark.rule("DEPTH-1")
def test_the_draft_for_the_scope_is_read_as_scope_and_complexity(press: Path) -> None:
    found = survey(press, ITEM)
    assert draft_answer(found, "00-03", "Scope") == "small, complexity: low"
    assert read_scope(f"Scope: {draft_answer(found, '00-03', 'Scope')}") == ("small", "low")
    assert draft_answer(found, "02-01", "Touched") == (
        "Likely: `src/press/toner.py:4`."
        " Possibly: `tests/test_toner.py:1`, `src/press/__init__.py:1`, and `src/press/cli.py:3`."
    )


def test_a_survey_is_the_same_twice(press: Path) -> None:
    first, second = survey(press, ITEM), survey(press, ITEM)
    assert (first.findings, first.radius) == (second.findings, second.radius)


@pytest.mark.parametrize(
    "title", ["", "the and of", "Die Übersicht drucken", "トナー残量の警告", "`toner", "-e --toner -f"]
)
def test_any_title_survives(press: Path, title: str) -> None:
    found = survey(press, Item("any", title))
    assert bool(draft_answer(found, "00-03", "Scope")) == ("toner" in title)


def test_bad_places_survive(tmp_path: Path) -> None:
    source = repository(tmp_path / "p", FILES)
    git(tmp_path, "clone", "-q", "--bare", str(source), str(tmp_path / "bare.git"))
    (tmp_path / "empty").mkdir()
    (tmp_path / "fresh").mkdir()
    git(tmp_path / "fresh", "init", "-q")
    for place in ("bare.git", "empty", "fresh", "missing"):
        found = survey(tmp_path / place, ITEM)
        assert found.findings == ()
        assert draft_answer(found, "00-02", "Files") is None


def test_without_git_there_are_findings(tmp_path: Path) -> None:
    found = survey(write(tmp_path, FILES), ITEM)
    assert found.findings[0].path == "src/press/toner.py"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_name_that_is_not_utf8_is_found_and_shown_in_letters(tmp_path: Path) -> None:
    name = os.fsdecode(b"t\xf6ner.py")
    found = survey(write(tmp_path, {name: "toner = 1\n"}), ITEM)
    assert found.findings[0].path == name
    text = draft_answer(found, "00-02", "Files") or ""
    assert "`t\\xf6ner.py:1`" in text
    text.encode()
    assert cite(CodeLine("a\nb.py", 1, "")) == "`a\\x0ab.py:1`"


def test_a_line_of_10_megabytes_is_survived(tmp_path: Path) -> None:
    write(tmp_path, {"data.txt": b"toner " * (10 * 1024 * 1024 // 6), "a.py": "toner = 1\n"})
    assert [finding.path for finding in survey(tmp_path, ITEM).findings] == ["a.py"]


@pytest.mark.parametrize(
    "path", ["a `b` c", "`", "``x``", "<!-- x -->", "x\x1b[31m", "a" * 500, "long words " * 50]
)
def test_a_cited_place_stays_one_span(path: str) -> None:
    cited = cite(CodeLine(path, 1, ""))
    inline = next(token for token in MarkdownIt().parse(f"- {cited}") if token.type == "inline")
    assert [child.type for child in inline.children or []] == ["code_inline"]
