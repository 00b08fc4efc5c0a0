"""The project's files: git's list, the walk without git, and what both survive."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gitproject import commit, git, repository, write
from roundtable.survey.files import list_files

FILES = {"src/app.py": "x = 1\n", "README.md": "# App\n", ".gitignore": "*.log\nsecret/\n"}
IGNORED = {"debug.log": "noise\n", "secret/key.txt": "noise\n"}


def test_git_lists_what_is_tracked_and_what_is_new_but_not_what_is_ignored(tmp_path: Path) -> None:
    root = repository(tmp_path / "p", FILES)
    write(root, {**IGNORED, "new.py": "y = 2\n", "README.md.roundtable-1.md": "- **Exit**: turn-limit\n"})
    assert list_files(root) == (".gitignore", "README.md", "new.py", "src/app.py")


def test_a_walk_respects_ignore_files_at_every_level_and_knows_build_folders(tmp_path: Path) -> None:
    write(tmp_path, {**FILES, **IGNORED, "node_modules/a/index.js": "", ".venv/b.py": "", "build/c.js": ""})
    write(
        tmp_path, {"lib/.gitignore": "*.tmp\n!keep.log\n/only.py\n", "lib/a.tmp": "", "lib/keep.log": "ok\n"}
    )
    write(tmp_path, {"lib/only.py": "", "lib/deep/only.py": "z\n", "lib/deep/b.tmp": ""})
    assert list_files(tmp_path) == (
        ".gitignore",
        "README.md",
        "lib/.gitignore",
        "lib/deep/only.py",
        "lib/keep.log",
        "src/app.py",
    )


def test_outside_git_what_a_folder_ignores_reaches_no_survey(tmp_path: Path) -> None:
    write(tmp_path, {"app/.gitignore": "private.py\nconf/\n", "app/private.py": "", "app/conf/keys.py": ""})
    write(tmp_path, {"app/open.py": "", "private.py": ""})
    assert list_files(tmp_path) == ("app/.gitignore", "app/open.py", "private.py")


def test_outside_git_an_ignore_file_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "x = 1\n"})
    os.mkfifo(tmp_path / ".gitignore")
    assert list_files(tmp_path) == ("a.py",)


def test_outside_git_an_ignore_file_that_is_an_endless_device_is_not_read(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "x = 1\n"})
    (tmp_path / ".gitignore").symlink_to("/dev/zero")
    assert list_files(tmp_path) == ("a.py",)


def test_outside_git_an_ignore_file_that_is_far_too_long_does_not_count(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "x = 1\n", ".gitignore": "a.py\n" * 100_000})
    assert list_files(tmp_path) == (".gitignore", "a.py")


@pytest.mark.parametrize(
    "rule", ["a*a*a*b", "*a" * 100 + "b", "/".join(["a", "**"] * 30) + "/b", "a" * 1_000]
)
def test_outside_git_a_rule_that_would_take_long_does_not_count(tmp_path: Path, rule: str) -> None:
    names = [f"{'a' * 200}{number}.py" for number in range(300)]
    write(tmp_path, {**dict.fromkeys(names, ""), "b.log": "", ".gitignore": f"{rule}\n*.log\n"})
    before = time.process_time()
    assert list_files(tmp_path) == (".gitignore", *sorted(names))
    assert time.process_time() - before < 5


def test_without_a_git_program_the_folder_is_walked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = repository(tmp_path / "p", FILES)
    write(root, IGNORED)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert list_files(root) == (".gitignore", "README.md", "src/app.py")


def test_a_repository_without_commits_lists_its_files(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write(tmp_path, FILES)
    assert list_files(tmp_path) == (".gitignore", "README.md", "src/app.py")


def test_a_folder_inside_a_repository_lists_only_what_is_below_it(tmp_path: Path) -> None:
    root = repository(tmp_path / "p", FILES)
    assert list_files(root / "src") == ("app.py",)


def test_a_bare_repository_and_an_empty_folder_have_no_files(tmp_path: Path) -> None:
    source = repository(tmp_path / "p", FILES)
    git(tmp_path, "clone", "-q", "--bare", str(source), str(tmp_path / "bare.git"))
    (tmp_path / "empty").mkdir()
    assert list_files(tmp_path / "bare.git") == ()
    assert list_files(tmp_path / "empty") == ()
    assert list_files(tmp_path / "missing") == ()


def test_a_shallow_clone_lists_its_files(tmp_path: Path) -> None:
    source = repository(tmp_path / "p", FILES)
    write(source, {"src/more.py": "m = 1\n"})
    commit(source, "More")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{source}", str(tmp_path / "shallow"))
    assert (tmp_path / "shallow" / ".git" / "shallow").exists()
    assert list_files(tmp_path / "shallow") == (".gitignore", "README.md", "src/app.py", "src/more.py")


def test_a_submodule_and_a_repository_inside_are_passed_over(tmp_path: Path) -> None:
    inner = repository(tmp_path / "inner", {"inner.py": "i = 1\n"})
    root = repository(tmp_path / "p", FILES)
    git(root, "submodule", "add", "-q", f"file://{inner}", "parts")
    commit(root, "Take in the parts")
    repository(root / "stray", {"stray.py": "s = 1\n"})
    listed = list_files(root)
    assert "src/app.py" in listed
    assert not [path for path in listed if path.startswith(("parts/", "stray"))]


@pytest.mark.parametrize("with_git", [True, False])
def test_links_never_lead_anywhere(tmp_path: Path, with_git: bool) -> None:
    root = tmp_path / "p"
    write(root, FILES)
    (root / "loop").symlink_to(root)
    (root / "src" / "up").symlink_to("..")
    write(tmp_path, {"outside/secret.py": "password\n"})
    (root / "out").symlink_to(tmp_path / "outside")
    if with_git:
        git(root, "init", "-q")
    listed = list_files(root)
    assert [path for path in listed if path.endswith(".py")] == ["src/app.py"]


def test_what_git_lists_behind_a_link_is_passed_over(tmp_path: Path) -> None:
    root = tmp_path / "p"
    repository(root, {**FILES, "conf/keys.py": "a = 1\n"})
    write(tmp_path, {"elsewhere/keys.py": "password\n"})
    (root / "conf").rename(tmp_path / "old")
    (root / "conf").symlink_to(tmp_path / "elsewhere")
    assert [path for path in list_files(root) if path.endswith(".py")] == ["src/app.py"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
@pytest.mark.parametrize("with_git", [True, False])
def test_a_name_that_is_not_utf8_leads_back_to_its_file(tmp_path: Path, with_git: bool) -> None:
    name = os.fsdecode(b"caf\xe9.py")
    write(tmp_path, {name: "coffee = 1\n"})
    if with_git:
        git(tmp_path, "init", "-q")
    assert list_files(tmp_path) == (name,)
    assert (tmp_path / name).read_text() == "coffee = 1\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable for root")
def test_a_folder_that_cannot_be_read_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path, {"open.py": "o\n", "closed/in.py": "c\n"})
    (tmp_path / "closed").chmod(0)
    try:
        assert list_files(tmp_path) == ("open.py",)
    finally:
        (tmp_path / "closed").chmod(0o700)


def test_our_own_documents_are_left_out(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"a.py": "", "docs/requirements/x/draft.md": "", ".roundtable/steps/s.md": "", "specs/y.md": ""},
    )
    assert list_files(tmp_path) == ("a.py", "specs/y.md")
    assert "specs/y.md" not in list_files(tmp_path, leave_out=("specs",))


def test_git_variables_of_a_surrounding_command_do_not_mislead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = repository(tmp_path / "other", {"other.py": ""})
    root = repository(tmp_path / "p", FILES)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    assert "src/app.py" in list_files(root)


def test_a_project_inside_an_ignored_folder_is_walked(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".gitignore").write_text("build/\n")
    inside = tmp_path / "build" / "example"
    inside.mkdir(parents=True)
    (inside / "loans.py").write_text("x = 1\n")
    assert list_files(inside) == ("loans.py",)
    assert list_files(tmp_path) == (".gitignore",)
