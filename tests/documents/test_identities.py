"""Ids that stay with their text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtable.documents.ids import AssignedIds, KnownId, assign_ids, number_of

GUEST = "A guest books a table without an account"
WAITER = "The waiter sees the booking at the door"
RAIN = "Nobody stands in the rain"


def test_new_entries_are_numbered_from_one() -> None:
    assert assign_ids("FR", [GUEST, WAITER], []) == AssignedIds(("FR-001", "FR-002"))
    assert assign_ids("AC-002", [GUEST], [], digits=2) == AssignedIds(("AC-002-01",))


def test_an_entry_keeps_its_id_wherever_it_moves_and_however_it_is_reworded() -> None:
    known = [KnownId("FR-001", GUEST), KnownId("FR-002", WAITER)]
    found = assign_ids("FR", [RAIN, "The waiter sees each booking at the front door", f"{GUEST}."], known)
    assert found == AssignedIds(("FR-003", "FR-002", "FR-001"))


def test_the_id_of_an_entry_that_went_is_withdrawn_and_never_given_again() -> None:
    found = assign_ids("FR", [GUEST], [KnownId("FR-001", GUEST), KnownId("FR-002", WAITER)])
    assert found == AssignedIds(("FR-001",), (KnownId("FR-002", WAITER),))
    again = assign_ids("FR", [GUEST, RAIN], [KnownId("FR-001", GUEST), *found.withdrawn])
    assert again == AssignedIds(("FR-001", "FR-003"), (KnownId("FR-002", WAITER),))


def test_an_entry_that_comes_back_gets_its_id_back() -> None:
    assert assign_ids("FR", [WAITER], [KnownId("FR-002", WAITER)]) == AssignedIds(("FR-002",))


def test_ids_that_others_refer_to_are_taken() -> None:
    assert assign_ids("FR", [RAIN], [KnownId("FR-001", GUEST)], taken=["FR-007"]).ids == ("FR-008",)


def test_of_two_alike_the_same_words_win() -> None:
    known = [KnownId("FR-001", f"{GUEST} today"), KnownId("FR-002", GUEST)]
    assert assign_ids("FR", [GUEST, f"{GUEST} tomorrow"], known).ids == ("FR-002", "FR-001")


def test_one_id_goes_to_one_entry() -> None:
    known = [KnownId("FR-001", GUEST), KnownId("FR-001", WAITER)]
    assert assign_ids("FR", [GUEST, WAITER], known) == AssignedIds(("FR-001", "FR-002"))


def test_half_of_the_words_are_enough() -> None:
    assert assign_ids("FR", ["alpha beta"], [KnownId("FR-004", "alpha gamma")]).ids == ("FR-004",)
    assert assign_ids("FR", ["alpha beta"], [KnownId("FR-004", "alpha gamma delta")]).ids == ("FR-005",)


def test_scripts_without_spaces_are_compared_too() -> None:
    known = [KnownId("FR-001", "受付係は予約の一覧を見る")]
    assert assign_ids("FR", ["受付係は今日の予約の一覧を見る"], known).ids == ("FR-001",)
    assert assign_ids("FR", ["雨の中で待つ人はいない"], known).ids == ("FR-002",)


def test_words_that_hold_nothing_still_get_an_id() -> None:
    assert assign_ids("FR", ["...", "!"], []).ids == ("FR-001", "FR-002")
    assert assign_ids("FR", ["..."], [KnownId("FR-001", "...")]).ids == ("FR-001",)


@pytest.mark.parametrize(("identity", "number"), [("FR-001", 1), ("AC-002-13", 13), ("US-", 0), ("", 0)])
def test_the_number_of_an_id(identity: str, number: int) -> None:
    assert number_of(identity) == number


_TEXTS = st.lists(st.text(alphabet="abc xyz.", max_size=12), max_size=6)


@given(_TEXTS, _TEXTS)
def test_ids_are_unique_and_a_second_run_changes_nothing(first: list[str], second: list[str]) -> None:
    one = assign_ids("FR", first, [])
    known = [KnownId(identity, text) for identity, text in zip(one.ids, first, strict=True)]
    two = assign_ids("FR", second, known)
    assert len(set(two.ids)) == len(second)
    assert {each.id for each in two.withdrawn} == set(one.ids) - set(two.ids)
    again = [KnownId(identity, text) for identity, text in zip(two.ids, second, strict=True)]
    three = assign_ids("FR", second, [*again, *two.withdrawn])
    assert three.ids == two.ids or len(set(second)) < len(second)
