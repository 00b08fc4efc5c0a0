"""Items at the edges: line ends, limits, comments and front matter in a draft, and long names."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from roundtable.documents.outline import MAX_DOCUMENT_SIZE
from roundtable.store.items import (
    MAX_SLUG_LENGTH,
    MAX_TITLE_LENGTH,
    add_item,
    list_slugs,
    read_item,
    rename_item,
)


def item(tmp_path: Path, draft: str) -> Path:
    folder = tmp_path / "some-item"
    folder.mkdir(exist_ok=True)
    (folder / "draft.md").write_bytes(draft.encode())
    return folder


@pytest.mark.rule("ITEM-4")
def test_line_ends_of_any_make_become_one_kind(tmp_path: Path) -> None:
    folder = add_item(tmp_path, "One\r\nTwo\rThree\nFour", commit=None)
    assert (folder / "draft.md").read_bytes() == b"# One\n\nTwo\nThree\nFour\n"
    assert read_item(item(tmp_path, "# T\r\nOne\r\nTwo\rThree")).text == "One\nTwo\nThree"


@pytest.mark.rule("ITEM-4")
def test_a_title_may_have_eighty_characters(tmp_path: Path) -> None:
    exact = "Short one. " + "a" * 30 + " " + "b" * 38
    assert len(exact) == MAX_TITLE_LENGTH == 80
    assert read_item(add_item(tmp_path, exact, commit=None)).name == exact
    longer = exact + "c"
    assert read_item(add_item(tmp_path, longer, commit=None)).name == "Short one"
    words = "a" * 40 + " " + "b" * 39
    assert read_item(add_item(tmp_path, words, commit=None)).name == words
    assert read_item(add_item(tmp_path, words + "c", commit=None)).name == "a" * 40


@pytest.mark.rule("ITEM-4")
def test_a_draft_that_is_too_large_is_passed_over(tmp_path: Path) -> None:
    assert read_item(item(tmp_path, "# T\n" + " " * (MAX_DOCUMENT_SIZE - 4))).name == "T"
    assert read_item(item(tmp_path, "# T\n" + " " * (MAX_DOCUMENT_SIZE - 3))).name == "some item"


@pytest.mark.rule("ITEM-4")
def test_a_new_name_takes_the_place_of_the_heading_at_the_top(tmp_path: Path) -> None:
    folder = item(tmp_path, "# Yes\n\n```\n# No\n```\n")
    assert read_item(folder).name == "Yes"
    renamed = rename_item(folder, "New name")
    assert (renamed / "draft.md").read_text() == "# New name\n\n```\n# No\n```\n"


@pytest.mark.rule("ITEM-1")
def test_a_number_never_follows_two_hyphens() -> None:
    name = "a" * (MAX_SLUG_LENGTH - 3) + "-bc"
    second = list(islice(list_slugs(name), 2))[1]
    assert second == "a" * (MAX_SLUG_LENGTH - 3) + "-2"
    assert len(second) == MAX_SLUG_LENGTH - 1
