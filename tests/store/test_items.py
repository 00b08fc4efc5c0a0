"""Items: added, listed, found and read, whatever their folders hold."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtable.core.errors import DiskFailed, ItemUnknown, RuleBroken
from roundtable.core.steps import Item
from roundtable.git import current_commit
from roundtable.store.items import add_item, find_entry, list_items, read_item
from roundtable.store.meta import read_meta


def make(root: Path, name: str, *, draft: str | None = None, meta: object = None) -> Path:
    folder = root / "docs" / "requirements" / name
    folder.mkdir(parents=True)
    if draft is not None:
        (folder / "draft.md").write_text(draft, encoding="utf-8", newline="")
    if meta is not None:
        (folder / "meta.json").write_text(json.dumps(meta))
    return folder


class TestAdd:
    @pytest.mark.rule("ITEM-1", "ITEM-4")
    def test_makes_the_folder_with_draft_and_meta(self, tmp_path: Path) -> None:
        folder = add_item(tmp_path, "Offline mode\nForms lose what was typed.", commit="abc1234")
        assert folder == tmp_path / "docs" / "requirements" / "offline-mode"
        assert (folder / "draft.md").read_text() == ("# Offline mode\n\nForms lose what was typed.\n")
        meta = json.loads((folder / "meta.json").read_text())
        created = meta.pop("created_at")
        assert created.endswith("Z")
        assert meta == {
            "source": "manual",
            "source_id": None,
            "slug": "offline-mode",
            "analysis_status": "raw",
            "phases_completed": [],
            "codebase_hash": "abc1234",
            "steps_completed": [],
            "depth_overrides": {},
        }
        assert list(json.loads((folder / "meta.json").read_text())) == [
            "source", "source_id", "slug", "created_at", "analysis_status", "phases_completed",
            "codebase_hash", "steps_completed", "depth_overrides",
        ]  # fmt: skip

    @pytest.mark.rule("ITEM-4")
    def test_outside_git_there_is_no_codebase_hash(self, tmp_path: Path) -> None:
        folder = add_item(tmp_path, "x", commit=None)
        assert "codebase_hash" not in json.loads((folder / "meta.json").read_text())

    @pytest.mark.rule("ITEM-1")
    def test_a_taken_name_gets_a_number(self, tmp_path: Path) -> None:
        made = [add_item(tmp_path, "Same", commit=None).name for _ in range(3)]
        assert made == ["same", "same-2", "same-3"]
        meta = read_meta(tmp_path / "docs" / "requirements" / "same-3")
        assert meta is not None
        assert meta["slug"] == "same-3"

    @pytest.mark.rule("ITEM-1")
    def test_the_folder_of_items_can_be_another(self, tmp_path: Path) -> None:
        folder = add_item(tmp_path, "x", items_folder="backlog", commit=None)
        assert folder == tmp_path / "backlog" / "x"
        assert find_entry(tmp_path, "x", items_folder="backlog").folder == folder
        assert list_items(tmp_path) == ()

    @pytest.mark.rule("ITEM-1", "ITEM-4")
    def test_an_item_from_a_tracker_keeps_its_title_and_where_it_comes_from(self, tmp_path: Path) -> None:
        folder = add_item(
            tmp_path,
            "## Why\r\n\r\nForms lose it.\n",
            title=" Offline\n forms. \x07",
            source="github",
            source_id="GH-21",
            commit=None,
        )
        assert folder.name == "gh-21-offline-forms"
        assert (folder / "draft.md").read_text() == "# Offline forms.\n\n## Why\n\nForms lose it.\n"
        meta = json.loads((folder / "meta.json").read_text())
        assert (meta["source"], meta["source_id"]) == ("github", "GH-21")
        assert meta["slug"] == "gh-21-offline-forms"
        expected = Item(
            "gh-21-offline-forms", "Offline forms.", "## Why\n\nForms lose it.", "github", "GH-21"
        )
        assert read_item(folder) == expected
        assert find_entry(tmp_path, "gh-21").folder == folder

    @pytest.mark.rule("ITEM-1")
    @pytest.mark.parametrize(
        ("source_id", "title", "name"),
        [
            ("ABC-12", "Export", "abc-12-export"),
            ("MY_TEAM-3", "Export", "myteam-3-export"),
            ("GH-21", "x" * 70, "gh-21-" + "x" * 54),
            ("GH-21", "x" * 53 + " yz", "gh-21-" + "x" * 53),
            (None, "x" * 70, "x" * 60),
        ],
    )
    def test_the_source_id_stands_in_front_of_the_slug(
        self, tmp_path: Path, source_id: str | None, title: str, name: str
    ) -> None:
        folder = add_item(tmp_path, "", title=title, source_id=source_id, commit=None)
        assert folder.name == name
        assert (folder / "draft.md").read_text() == f"# {title}\n"
        assert read_item(folder).name == title

    @pytest.mark.rule("ITEM-1")
    def test_the_same_issue_twice_gets_a_number(self, tmp_path: Path) -> None:
        made = [add_item(tmp_path, "", title="Export", source_id="GH-2", commit=None).name for _ in range(2)]
        assert made == ["gh-2-export", "gh-2-export-2"]

    def test_an_empty_title_is_none(self, tmp_path: Path) -> None:
        with pytest.raises(RuleBroken, match=r"^An item needs a few words\."):
            add_item(tmp_path, "text", title=" \x07", commit=None)

    @pytest.mark.parametrize(
        ("text", "title"),
        [
            ("Export as PDF.", "Export as PDF"),
            ("\n\n  # Export\r\nmore", "Export"),
            ("- Export\nmore", "Export"),
            ("#21 is broken", "#21 is broken"),
            ("Fix it. It fails.", "Fix it. It fails"),
            ("w" * 80, "w" * 80),
            ("w" * 81, "w" * 80),
            ("Short one! " + "w " * 60, "Short one!"),
            ("ab " * 40, ("ab " * 27).strip()[:80]),
            ("a" * 79 + " b c", "a" * 79),
            ("a" * 80 + " b c", "a" * 80),
            ("a" * 75 + ", bcdefgh", "a" * 75),
            ("Red \x1b[31malert\x1b[0m\x07", "Red alert"),
            (".", "."),
            ("日本語", "日本語"),
        ],
    )
    def test_the_title_is_the_first_line_or_sentence(self, tmp_path: Path, text: str, title: str) -> None:
        folder = add_item(tmp_path, text, commit=None)
        assert read_item(folder).name == title
        assert (folder / "draft.md").read_text().startswith(f"# {title}\n")

    @pytest.mark.parametrize("text", ["", " \n\t", "\x1b[31m\x00"])
    def test_an_item_without_words_is_refused(self, tmp_path: Path, text: str) -> None:
        with pytest.raises(RuleBroken) as caught:
            add_item(tmp_path, text, commit=None)
        assert str(caught.value) == (
            'An item needs a few words. Nothing was added. Try: roundtable add "Export as PDF"'
        )
        assert list(tmp_path.iterdir()) == []

    def test_a_file_in_place_of_the_folder_is_said(self, tmp_path: Path) -> None:
        (tmp_path / "docs").write_text("")
        with pytest.raises(DiskFailed, match="Could not create the folder"):
            add_item(tmp_path, "x", commit=None)


class TestList:
    @pytest.mark.parametrize("name", ["--model=command:id", "-x", "\x1b[m--json", " --json"])
    def test_a_name_that_reads_as_an_option_is_no_item(self, tmp_path: Path, name: str) -> None:
        make(tmp_path, name, draft="# x")
        assert list_items(tmp_path) == ()
        with pytest.raises(ItemUnknown):
            find_entry(tmp_path, name)

    @pytest.mark.rule("ITEM-1")
    def test_accepts_folders_of_any_name(self, tmp_path: Path) -> None:
        make(tmp_path, "REQ-0027 Old Thing", meta={"source": "github", "source_id": "GH-2"})
        make(tmp_path, "by-hand", draft="## By hand ##\ntext")
        make(tmp_path, "only-spec")
        (tmp_path / "docs/requirements/only-spec/requirements-spec.md").write_text("# R")
        make(tmp_path, "empty")
        make(tmp_path, ".hidden", draft="# x")
        (tmp_path / "docs/requirements/notes.md").write_text("")
        entries = list_items(tmp_path)
        assert [(entry.slug, entry.title) for entry in entries] == [
            ("REQ-0027 Old Thing", "REQ 0027 Old Thing"),
            ("by-hand", "By hand"),
            ("only-spec", "only spec"),
        ]
        assert entries[0].folder == tmp_path / "docs/requirements/REQ-0027 Old Thing"
        assert entries[0].meta["source_id"] == "GH-2"
        assert [(entry.meta, entry.problem) for entry in entries[1:]] == [({}, None), ({}, None)]

    def test_says_what_is_wrong_with_a_corrupt_one(self, tmp_path: Path) -> None:
        folder = make(tmp_path, "broken", draft="# Broken")
        (folder / "meta.json").write_text("{")
        (entry,) = list_items(tmp_path)
        assert entry.meta == {}
        assert entry.problem is not None
        assert "meta.json cannot be used" in entry.problem

    def test_a_project_without_items_has_none(self, tmp_path: Path) -> None:
        assert list_items(tmp_path) == ()

    def test_shows_no_escape_sequences(self, tmp_path: Path) -> None:
        folder = make(tmp_path, "a\x1b[31mb", draft="# T\x1b[2Jx\x07\n\nbody\x00")
        (folder / "meta.json").write_text("[")
        (entry,) = list_items(tmp_path)
        assert (entry.slug, entry.title) == ("ab", "Tx")
        assert entry.problem is not None
        assert "\x1b" not in entry.problem
        assert find_entry(tmp_path, "ab").folder == folder

    def test_reading_changes_nothing(self, tmp_path: Path) -> None:
        folder = make(tmp_path, "a", draft="# A")
        list_items(tmp_path)
        assert [path.name for path in folder.iterdir()] == ["draft.md"]


@pytest.mark.rule("ITEM-3")
class TestFind:
    @pytest.fixture
    def root(self, tmp_path: Path) -> Path:
        make(tmp_path, "gh-21-forms", draft="# Offline  forms", meta={"source_id": "GH-21"})
        make(tmp_path, "gh-22-forms", draft="# Other", meta={"source_id": "GH-22"})
        make(tmp_path, "export", draft="# Export")
        make(tmp_path, "export-all", draft="# Export all")
        return tmp_path

    @pytest.mark.parametrize(
        ("name", "slug"),
        [
            ("gh-21-forms", "gh-21-forms"),
            ("GH-21-Forms", "gh-21-forms"),
            ("GH-21", "gh-21-forms"),
            ("gh-22", "gh-22-forms"),
            (" offline FORMS ", "gh-21-forms"),
            ("offline  forms", "gh-21-forms"),
            ("export", "export"),
            ("Export all", "export-all"),
            ("export-", "export-all"),
        ],
    )
    def test_by_slug_beginning_source_id_or_title(self, root: Path, name: str, slug: str) -> None:
        assert find_entry(root, name).folder == root / "docs" / "requirements" / slug

    def test_several_are_listed(self, root: Path) -> None:
        with pytest.raises(ItemUnknown) as caught:
            find_entry(root, "gh-2")
        assert str(caught.value) == ('Several items answer to "gh-2". Name one of: gh-21-forms, gh-22-forms.')

    def test_the_same_title_twice_is_listed(self, root: Path) -> None:
        make(root, "z", draft="# OTHER")
        with pytest.raises(ItemUnknown, match=r"Name one of: gh-22-forms, z\."):
            find_entry(root, "other")

    def test_none_says_what_exists(self, root: Path) -> None:
        with pytest.raises(ItemUnknown) as caught:
            find_entry(root, "no\x1b[31mne")
        assert str(caught.value) == (
            'No item is called "none". Items here: export, export-all, gh-21-forms, gh-22-forms.'
        )

    def test_no_name_says_what_exists(self, root: Path) -> None:
        with pytest.raises(ItemUnknown, match=r"^No item is called ..\. Items here: export, "):
            find_entry(root, " ")

    @pytest.mark.parametrize("name", ["..", "../..", "/", ".", "x" * 300, "a\0b"])
    def test_a_path_is_no_name(self, root: Path, name: str) -> None:
        with pytest.raises(ItemUnknown):
            find_entry(root, name)

    def test_without_items_says_how_to_add_one(self, tmp_path: Path) -> None:
        with pytest.raises(ItemUnknown) as caught:
            find_entry(tmp_path, "x", add_one="Add one with: add")
        assert str(caught.value) == 'No item is called "x". There are no items here yet. Add one with: add'

    @pytest.mark.parametrize(("count", "ending"), [(20, ", i19."), (21, " and 1 more.")])
    def test_a_long_list_is_cut(self, tmp_path: Path, count: int, ending: str) -> None:
        for number in range(count):
            make(tmp_path, f"i{number:02}", draft="")
        with pytest.raises(ItemUnknown) as caught:
            find_entry(tmp_path, "x")
        assert str(caught.value).endswith(ending)
        assert str(caught.value).count(", i") == 19

    def test_a_source_id_of_another_kind_matches_nothing(self, tmp_path: Path) -> None:
        make(tmp_path, "a", meta={"source_id": 21})
        assert find_entry(tmp_path, "21").folder.name == "a"
        with pytest.raises(ItemUnknown):
            find_entry(tmp_path, "none")


class TestRead:
    @pytest.mark.rule("ITEM-4")
    def test_title_and_text_stand_in_the_draft(self, tmp_path: Path) -> None:
        folder = make(
            tmp_path,
            "a-b",
            draft="# The title\n\nThe text.\n",
            meta={"source": "github", "source_id": "GH-1"},
        )
        assert read_item(folder) == Item("a-b", "The title", "The text.", "github", "GH-1")

    @pytest.mark.parametrize(
        ("draft", "name", "text"),
        [
            ("", "a b", ""),
            ("just text", "a b", "just text"),
            ("intro\n# no", "a b", "intro\n# no"),
            ("```\n# no\n```\n# no", "a b", "```\n# no\n```\n# no"),
            ("\ufeff# Yes\r\n\r\nline\rline", "Yes", "line\nline"),
            ("# Yes ##  ", "Yes", ""),
            ("# C#", "C#", ""),
            ("#no heading", "a b", "#no heading"),
            ("    # code", "a b", "# code"),
            ("###### Six\n####### seven", "Six", "####### seven"),
        ],
    )
    def test_the_first_heading_is_the_title(self, tmp_path: Path, draft: str, name: str, text: str) -> None:
        folder = make(tmp_path, "a-b", draft=draft)
        item = read_item(folder)
        assert (item.name, item.text) == (name, text)

    def test_survives_a_missing_unreadable_or_huge_draft(self, tmp_path: Path) -> None:
        folder = make(tmp_path, "a-b")
        assert read_item(folder) == Item("a-b", "a b")
        (folder / "draft.md").mkdir()
        assert read_item(folder) == Item("a-b", "a b")
        (folder / "draft.md").rmdir()
        with (folder / "draft.md").open("wb") as file:
            file.truncate(50_000_000)
        assert read_item(folder) == Item("a-b", "a b")

    def test_invalid_bytes_and_wrong_types_survive(self, tmp_path: Path) -> None:
        folder = make(tmp_path, "-", meta={"source": 5, "source_id": ["x"]})
        (folder / "draft.md").write_bytes(b"# A\xffb\n")
        assert read_item(folder) == Item("-", "A\ufffdb")
        (folder / "draft.md").unlink()
        assert read_item(folder).name == "-"


class TestCommit:
    def git(self, root: Path, *words: str) -> str:
        author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        done = subprocess.run(["git", "-C", str(root), *author, *words], check=True, capture_output=True)
        return done.stdout.decode().strip()

    def test_is_the_short_commit(self, tmp_path: Path) -> None:
        self.git(tmp_path, "init")
        assert current_commit(tmp_path) is None
        self.git(tmp_path, "commit", "--allow-empty", "-m", "x")
        commit = current_commit(tmp_path)
        assert commit == self.git(tmp_path, "rev-parse", "--short", "HEAD")
        assert commit

    def test_outside_git_there_is_none(self, tmp_path: Path) -> None:
        assert current_commit(tmp_path) is None
        assert current_commit(tmp_path / "gone") is None

    def test_without_git_there_is_none(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        assert current_commit(Path(__file__).parent) is None
        fake = tmp_path / "git"
        fake.write_text("#!/bin/sh\necho not a commit\n")
        fake.chmod(0o755)
        assert current_commit(tmp_path) is None


@given(text=st.text(min_size=1, max_size=200))
def test_any_text_can_be_added_and_read(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    root = tmp_path_factory.mktemp("root")
    try:
        folder = add_item(root, text, commit=None)
    except RuleBroken:
        return
    item = read_item(folder)
    assert item.name
    assert len(item.name) <= 80
    assert find_entry(root, folder.name).folder == folder


@pytest.mark.rule("ITEM-1")
@pytest.mark.parametrize(
    "title", ["C# interop layer", "Export as PDF - with cover", "Move A -> B", "a > b is wrong"]
)
def test_signs_inside_a_title_stay(tmp_path: Path, title: str) -> None:
    assert read_item(add_item(tmp_path, title, commit=None)).name == title
