"""What a panel may look at: excerpts, a search, lines of a file; never anything outside or secret."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitproject import write
from roundtable.core.steps import Item
from roundtable.survey.lookup import (
    EXCERPT_LINES,
    MAX_EXCERPTS,
    MAX_READ_LINES,
    MAX_SEARCH_HITS,
    SMALL_FILE,
    read_lines,
)
from surveying import find_excerpts, search_code, survey

ITEM = Item("toner", "Warn when the toner is low", "The office only notices grey pages; see `toner_level`.")
FILLER = "".join(f"value_{number} = {number}\n" for number in range(60))


@pytest.fixture
def office(tmp_path: Path) -> Path:
    root = tmp_path / "office"
    return write(
        root,
        {
            "press/toner.py": f"{FILLER}\n\ndef toner_level() -> int:\n    return 5\n\n\n{FILLER}",
            "press/status.py": "from .toner import toner_level\n\n\ndef show():\n    print(toner_level())\n",
            "press/paper.py": FILLER,
            "tests/test_toner.py": "def test_toner_level() -> None:\n    assert toner_level()\n",
            ".env": "toner_level=secret\n",
            "keys/server.pem": "toner_level\n",
            "docs/requirements/toner/draft.md": "toner_level\n",
        },
    )


def test_excerpts_stand_around_the_best_symbols_with_path_line_and_reason(office: Path) -> None:
    found = find_excerpts(office, ITEM, ("The level is read in press.",))
    first = found[0]
    assert (first.path, first.reason) == ("press/toner.py", "defines toner_level")
    lines = (office / first.path).read_text().split("\n")
    shown = first.text.split("\n")
    assert shown == lines[first.first - 1 : first.first - 1 + len(shown)]
    assert "def toner_level() -> int:" in shown
    assert 1 < len(found) <= MAX_EXCERPTS
    assert all(len(each.text.split("\n")) <= SMALL_FILE for each in found)
    assert len(shown) <= EXCERPT_LINES
    assert {each.path for each in found} <= {"press/toner.py", "press/status.py", "tests/test_toner.py"}


def test_the_heading_names_the_first_line_and_each_line_has_its_number(office: Path) -> None:
    first = find_excerpts(office, ITEM)[0]
    lines = (office / first.path).read_text().split("\n")
    assert lines[first.first - 1].strip()
    for row in first.with_numbers.split("\n"):
        number, _, text = row.partition(" ")
        assert text == lines[int(number) - 1]


def test_a_small_file_is_shown_whole_and_a_long_one_is_not(office: Path) -> None:
    shown = {each.path: each for each in find_excerpts(office, ITEM)}
    whole = shown["press/status.py"]
    assert (whole.first, whole.text) == (1, (office / whole.path).read_text().strip("\n"))
    assert whole.reason.startswith("the whole file")
    assert len(shown["press/toner.py"].text.split("\n")) < SMALL_FILE


def test_two_excerpts_that_nearly_touch_are_one(tmp_path: Path) -> None:
    body = "    first = 1\n" * 12
    code = f"{FILLER}\n\ndef toner_level():\n{body}\n\ndef toner_warning():\n{body}\n\n{FILLER}"
    write(tmp_path, {"press.py": code})
    (shown,) = find_excerpts(tmp_path, Item("toner", "Warn: `toner_level` and `toner_warning`"))
    assert "def toner_level" in shown.text
    assert "def toner_warning" in shown.text


def test_a_sentence_on_what_does_not_change_is_searched_too(tmp_path: Path) -> None:
    write(tmp_path, {"reset.py": "def reset_password():\n    pass\n", "toner.py": "def toner():\n    pass\n"})
    item = Item("mail", "Mail after the form", "The password is not changed after the reset.")
    assert [each.path for each in find_excerpts(tmp_path, item)] == ["reset.py"]


def test_a_line_that_the_user_excludes_strikes_the_excerpt_and_not_the_file(tmp_path: Path) -> None:
    code = f"def toner_level():\n    pass\n{FILLER}{FILLER}\ndef toner_warning():\n    pass\n"
    write(tmp_path, {"press.py": code})
    item = Item("toner", "Warn: `toner_level` and `toner_warning`")
    assert len(find_excerpts(tmp_path, item)) == 2
    (left,) = find_excerpts(tmp_path, item, excluded={"press.py:1"})
    assert "toner_warning" in left.text


def test_the_search_puts_rare_and_whole_words_first(tmp_path: Path) -> None:
    plenty = {f"a{number}.py": "certificate = 1\n" for number in range(9)}
    write(tmp_path, {**plenty, "pyproject.toml": 'requires-python = ">=3.8"\n', "z.py": "import certifi\n"})
    found = [line.path for line in search_code(tmp_path, ["requires-python", "certifi"])]
    assert found[:2] == ["pyproject.toml", "z.py"]


def test_the_search_puts_the_definition_of_a_name_first(office: Path) -> None:
    write(office, {"a.py": "from press.toner import toner_level\n\nlevel = toner_level()\nPAPER = 3\n"})
    found = search_code(office, ["toner_level"])
    assert (found[0].path, found[0].number) == ("press/toner.py", 63)
    write(office, {"0.py": "print(PAPER == 3)\n"})
    assert search_code(office, ["PAPER"])[0].path == "a.py"


def test_brackets_after_a_name_are_not_searched_for(office: Path) -> None:
    assert search_code(office, ["toner_level()"]) == search_code(office, ["toner_level"])
    assert search_code(office, ["()"]) == ()


def test_no_words_and_no_files_give_no_excerpts(office: Path, tmp_path: Path) -> None:
    assert find_excerpts(office, Item("", "")) == ()
    assert find_excerpts(tmp_path / "missing", ITEM, ()) == ()


def test_the_search_names_lines_with_most_of_the_words_first(office: Path) -> None:
    found = search_code(office, ["toner_level", "print"])
    assert (found[0].path, found[0].number, found[0].text) == (
        "press/status.py",
        5,
        "    print(toner_level())",
    )
    assert {line.path for line in found} == {"press/toner.py", "press/status.py", "tests/test_toner.py"}
    assert search_code(office, ["", "x"]) == ()


def test_the_search_is_bounded(tmp_path: Path) -> None:
    write(tmp_path, {f"a{number}.py": "toner " * 200 + "\n" for number in range(60)})
    found = search_code(tmp_path, ["toner"] * 1_000)
    assert len(found) == MAX_SEARCH_HITS
    assert max(len(line.text) for line in found) <= 300


def test_lines_are_read_as_they_stand_and_at_most_so_many(office: Path) -> None:
    found = read_lines(office, "press/toner.py", 63, 64)
    assert found is not None
    assert (found.path, found.first, found.text) == (
        "press/toner.py",
        63,
        "def toner_level() -> int:\n    return 5",
    )
    write(office, {"long.txt": "x\n" * 1_000})
    most = read_lines(office, "long.txt", -5, 10**9)
    assert most is not None
    assert (most.first, len(most.text.split("\n"))) == (1, MAX_READ_LINES)
    assert read_lines(office, "long.txt", 5_000, 6_000) is None


def test_nothing_outside_linked_or_secret_is_shown(office: Path) -> None:
    write(office.parent, {"outside.txt": "toner_level\n"})
    (office / "link.txt").symlink_to(office.parent / "outside.txt")
    (office / "away").symlink_to(office.parent)
    os.mkfifo(office / "pipe")
    bad = (
        "../outside.txt", "press/../../outside.txt", str(office.parent / "outside.txt"), "link.txt",
        "away/outside.txt", ".env", "./.env", "keys/server.pem", ".git/config", "press", "missing.py", "a\0b",
        "", "pipe", "press/toner.py/x",
    )  # fmt: skip
    assert [path for path in bad if read_lines(office, path, 1, 9)] == []
    shown = {line.path for line in search_code(office, ["toner_level"])}
    assert not shown & {"link.txt", "away/outside.txt", ".env", "keys/server.pem"}


def test_a_project_behind_a_link_is_read(office: Path) -> None:
    link = office.parent / "link"
    link.symlink_to(office)
    found = read_lines(link, "press/toner.py", 63, 64)
    assert found is not None
    assert found == read_lines(office, "press/toner.py", 63, 64)
    assert read_lines(link, "press", 1, 9) is read_lines(link, "", 1, 9) is None


@pytest.mark.rule("TABLE-2")
@pytest.mark.parametrize("said", ["press/toner.py", "toner.py"])
def test_what_the_user_says_is_not_touched_is_in_no_list(office: Path, said: str) -> None:
    item = Item("toner", "Warn when the toner is low", "`toner_level`")
    assert "press/toner.py" in {file.path for file in survey(office, item).radius}
    found = survey(office, item, excluded={said})
    listed = {
        *(file.path for file in (*found.findings, *found.radius)),
        *(each.path for each in find_excerpts(office, ITEM, excluded={said})),
    }
    assert "press/status.py" in listed
    assert "press/toner.py" not in listed
    assert "tests/test_toner.py" in listed  # another file whose name ends alike
