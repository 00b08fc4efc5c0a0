"""Git is asked in one way: nothing that a project names is run, and no variable points git elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

import roundtable.git
from gitproject import commit, git, repository
from hostile import BARE_ITEM, ITEM, PROGRAM_TRICKS, Hostile, build_hostile
from roundtable.git import GitCommand, current_commit, earlier_versions, has_code_moved, run_git

DOCUMENT = f"docs/requirements/{ITEM}/quick-scan.md"


@pytest.fixture
def hostile(tmp_path: Path) -> Hostile:
    return build_hostile(tmp_path, "http://127.0.0.1:9", PROGRAM_TRICKS)


def test_the_tricks_work_on_a_careless_git(hostile: Hostile) -> None:
    """The other tests would prove nothing with tricks that do not work."""
    for folder, words in {
        hostile.items / BARE_ITEM: ["log"],
        hostile.root: ["show", f"HEAD:{DOCUMENT}"],
        hostile.items: ["log", "-p", "--", "../../library"],
    }.items():
        subprocess.run(["git", "-C", str(folder), *words], capture_output=True, check=False, timeout=30)
        assert hostile.marker.exists(), words
        hostile.marker.unlink()


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("log", ["-p"]),
        ("log", ["--show-signature"]),
        ("cat-file", ["blob", f"HEAD:{DOCUMENT}"]),
        ("ls-files", ["--cached", "--others", "--exclude-standard"]),
        ("rev-parse", ["--short", "HEAD"]),
        ("remote", ["get-url", "origin"]),
        ("config", ["user.name"]),
        ("diff-tree", ["-r", "--name-only", "HEAD", "HEAD"]),
    ],
)
def test_nothing_that_a_repository_names_is_run(
    hostile: Hostile, command: GitCommand, words: list[str]
) -> None:
    run_git(hostile.root, command, *words, seconds=30)
    assert not hostile.marker.exists()


@pytest.mark.rule("META-8")
def test_an_analysis_is_stale_when_the_code_moved_and_not_when_its_documents_were_committed(
    tmp_path: Path,
) -> None:
    root = repository(tmp_path, {"loans.py": "due = 1\n", "docs/requirements/a/meta.json": "{}"})
    items = root / "docs" / "requirements"
    known = current_commit(root)
    assert known is not None
    assert not has_code_moved(root, known, known + "0e1f2", items)
    (items / "a" / "quick-scan.md").write_text("# Scan\n")
    commit(root, "Scan")
    assert not has_code_moved(root, known, current_commit(root), items)
    (root / "loans.py").write_text("due = 2\n")
    commit(root, "Change")
    assert has_code_moved(root, known, current_commit(root), items)
    for unknown in ("02145b", "--output=x", ""):
        assert has_code_moved(root, unknown, current_commit(root), items) is bool(unknown)
    assert not has_code_moved(root, known, None, items)


def test_a_folder_that_looks_like_a_repository_is_none(hostile: Hostile) -> None:
    assert run_git(hostile.items / BARE_ITEM, "log", seconds=30) is None
    assert not hostile.marker.exists()


def test_the_versions_of_a_document_come_from_the_projects_repository(tmp_path: Path) -> None:
    root = repository(tmp_path / "around", {"shop/docs/item/a.md": "one\n"}) / "shop"
    (root / "docs" / "item" / "a.md").write_text("two\n")
    commit(root, "Second")
    versions = earlier_versions(root, root / "docs" / "item" / "a.md")
    assert [text for _, text in (versions or {}).values()] == ["one\n", "two\n"]


def test_the_versions_in_a_hostile_item_run_nothing(hostile: Hostile) -> None:
    for item in (BARE_ITEM, ITEM):
        earlier_versions(hostile.root, hostile.items / item / "quick-scan.md")
    assert not hostile.marker.exists()


def test_the_callers_variables_do_not_point_git_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = repository(tmp_path / "project", {"a.txt": "a\n"})
    other = repository(tmp_path / "other", {"b.txt": "b\n"}, "Other")
    trace = tmp_path / "trace"
    for name, value in {
        "GIT_DIR": str(other / ".git"),
        "GIT_WORK_TREE": str(other),
        "GIT_INDEX_FILE": str(other / ".git" / "index"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "user.name",
        "GIT_CONFIG_VALUE_0": "Mallory",
        "GIT_CONFIG_PARAMETERS": "'user.name=Mallory'",
        "GIT_TRACE": str(trace),
    }.items():
        monkeypatch.setenv(name, value)
    assert run_git(root, "ls-files", seconds=30) == b"a.txt\n"
    assert run_git(root, "config", "user.name", seconds=30) is None
    assert not trace.exists()


def test_git_ends_in_time(tmp_path: Path) -> None:
    root = repository(tmp_path / "project", {"a.txt": "a\n"})
    endless = tmp_path / "endless"
    os.mkfifo(endless)
    git(root, "config", "include.path", str(endless))
    assert run_git(root, "rev-parse", "HEAD", seconds=0.2) is None


def test_nobody_else_runs_git() -> None:
    package = Path(roundtable.git.__file__).parent
    callers = [path for path in package.rglob("*.py") if re.search(r"\[\s*[\"']git[\"']", path.read_text())]
    assert [str(path.relative_to(package)) for path in callers] == ["git.py"]
