"""What git remembers, and where it remembers nothing."""

from __future__ import annotations

from pathlib import Path

from gitproject import DAY, NOW, commit, git, repository, write
from roundtable.core.steps import Item
from roundtable.survey.search import Commit, extract_terms, read_history, weigh_past


def changed(root: Path, days: int, subject: str, *names: str) -> None:
    write(root, dict.fromkeys(names, f"{subject} {days}\n"))
    commit(root, subject, when=NOW - days * DAY)


def test_commits_are_read_newest_first_without_the_first_import(tmp_path: Path) -> None:
    root = repository(tmp_path, {"a.py": "", "b.py": ""})
    changed(root, 20, "Print in colour", "a.py", "naïve name.py")
    changed(root, 10, "Second", "b.py")
    assert read_history(root) == (
        Commit("Second", ("b.py",)),
        Commit("Print in colour", ("a.py", "naïve name.py")),
    )


def test_paths_are_relative_to_the_folder_that_is_looked_at(tmp_path: Path) -> None:
    root = repository(tmp_path, {"sub/a.py": "", "b.py": ""})
    changed(root, 20, "Both", "sub/a.py", "b.py")
    changed(root, 10, "Elsewhere", "b.py")
    assert read_history(root / "sub") == (Commit("Both", ("a.py",)),)


def test_no_git_no_commits_and_a_bare_folder_remember_nothing(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "fresh").mkdir()
    git(tmp_path / "fresh", "init", "-q")
    assert read_history(tmp_path / "plain") == ()
    assert read_history(tmp_path / "fresh") == ()
    assert read_history(tmp_path / "missing") == ()


def test_the_edge_of_a_shallow_clone_changes_nothing(tmp_path: Path) -> None:
    source = repository(tmp_path / "p", {"a.py": "", "b.py": ""})
    for days in (30, 20, 10):
        changed(source, days, f"Change {days}", "a.py")
    git(tmp_path, "clone", "-q", "--depth", "2", f"file://{source}", str(tmp_path / "shallow"))
    assert [commit.subject for commit in read_history(tmp_path / "shallow")] == ["Change 10"]


def test_commits_with_like_subjects_lead_to_their_files() -> None:
    sweep = tuple(f"f{number}.py" for number in range(50))
    history = [
        Commit("Render invoices in colour", ("render.py", "gone.py")),
        Commit("Invoice totals", ("totals.py",)),
        Commit("Faster start", ("start.py",)),
        Commit("Reformat invoices", sweep),
    ]
    terms = extract_terms(Item("item", "Rendering of an invoice"))
    past = weigh_past(history, terms, {"render.py", "totals.py", "start.py", *sweep})
    assert past["render.py"] > past["totals.py"] > past["start.py"] > 0
    assert past.keys() == {"render.py", "totals.py", "start.py"}


def test_what_changed_lately_counts_and_what_changed_often_lately_counts_more() -> None:
    history = [Commit("x", ("new.py", "often.py")), *(Commit("y", ("often.py",)) for _ in range(20))]
    history += [Commit("z", ("old.py",)), *(Commit("z", ()) for _ in range(400)), Commit("z", ("oldest.py",))]
    past = weigh_past(history, (), {"new.py", "often.py", "old.py", "oldest.py"})
    assert past["often.py"] > past["new.py"] > past["old.py"] > 0
    assert "oldest.py" not in past
    assert weigh_past((), (), ()) == {}
