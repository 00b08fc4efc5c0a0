"""Contributions are drawn for a reader, and the reader's verdicts are counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from roundtable.core.errors import ContentBroken, DiskFailed
from roundtable.evaluation import verdicts
from roundtable.evaluation.scripts import Message
from trials import discussion, says, trial, user

ASKS = Message("question", "a | b?")
TALK = discussion(
    says("Maya", "We begin.\n\nSecond paragraph.", "framing"),
    user(ASKS),
    says("Alex", "A \\ pipe | here.", "answer"),
)
SECOND = discussion(says("Jordan", "Not drawn."))


def filled(path: Path, *rows: str) -> Path:
    head = verdicts.table(()).splitlines()
    cells = [
        f"| {at} | 01-forms | 01-03 | go-on | Maya | text {at} | {row} |" for at, row in enumerate(rows, 1)
    ]
    path.write_text("\n".join(["# Read by somebody", "", *head, *cells, "", "A remark."]), encoding="utf-8")
    return path


def test_the_same_seed_draws_the_same_in_the_order_of_the_items() -> None:
    items = [
        trial(discussion(*(says("Maya", f"{name} {at}") for at in range(9)), name=name)) for name in "ab"
    ]
    one, again, other = (verdicts.draw(items, 6, seed) for seed in (1, 1, 2))
    assert one == again != other
    assert len(one) == 6
    places = [(each.discussion.script.name, each.contribution.turn.number) for each in one]
    assert places == sorted(set(places))


def test_only_the_discussion_with_the_user_is_drawn_from_and_all_of_it_at_most() -> None:
    drawn = verdicts.draw([trial(TALK, SECOND)], 60, 1)
    assert [each.contribution.speaker for each in drawn] == ["business-analyst", "solutions-architect"]


def test_the_table_holds_what_a_reader_needs_and_four_empty_columns() -> None:
    assert verdicts.table(verdicts.draw([trial(TALK)], 60, 1)) == (
        "| number | item | step | to | speaker | text | sensible | worth saying | nonsense | answers |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
        "| 1 | 01-forms | 01-03 | framing | Maya | We begin.<br>Second paragraph. |  |  |  |  |\n"
        '| 2 | 01-forms | 01-03 | "a \\| b?" | Alex | A \\\\ pipe \\| here. |  |  |  |  |\n'
    )


def test_an_empty_table_has_no_shares(tmp_path: Path) -> None:
    path = tmp_path / "sample.md"
    path.write_text(verdicts.table(verdicts.draw([trial(TALK)], 60, 1)), encoding="utf-8")
    assert [figure.value for figure in verdicts.read_verdicts(path)] == [None, None, None, None]


def test_the_verdicts_become_shares_with_their_bounds(tmp_path: Path) -> None:
    path = filled(
        tmp_path / "v.md", "yes | Yes | no | y", "y | no | no | -", "**no** | n | x | ", "yes | yes | no | no"
    )
    sensible, worth, nonsense, answers = verdicts.read_verdicts(path)
    assert [figure.name for figure in (sensible, worth, nonsense, answers)] == [
        "read: sensible", "read: worth saying", "read: nonsense", "read: answers",
    ]  # fmt: skip
    assert (sensible.counted, worth.counted, nonsense.counted, answers.counted) == (
        "3 of 4", "2 of 4", "1 of 4", "1 of 2",
    )  # fmt: skip
    assert [figure.wanted for figure in (sensible, worth, nonsense, answers)] == [
        "at least 85 %", "at least 50 %", "at most 5 %", "at least 70 %",
    ]  # fmt: skip
    assert sensible.misses == nonsense.misses == ("3 01-forms, Maya: text 3",)


def test_a_cell_that_says_neither_is_named(tmp_path: Path) -> None:
    path = filled(tmp_path / "v.md", "yes | maybe | no | ")
    with pytest.raises(
        ContentBroken, match=r'Row 1 of .* says "maybe" under worth saying\. Write yes, no or'
    ):
        verdicts.read_verdicts(path)


@pytest.mark.parametrize("text", ["", "# No table\n", "| 1 | too | short |\n"])
def test_a_file_without_the_table_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "v.md"
    path.write_text(text)
    with pytest.raises(ContentBroken, match="holds no table with the columns number, item"):
        verdicts.read_verdicts(path)
    with pytest.raises(DiskFailed, match="Could not read"):
        verdicts.read_verdicts(tmp_path / "missing.md")
