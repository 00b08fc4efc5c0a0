"""Ids that stay with their text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtable.documents.ids import KnownId, assign_ids, list_requirements

GUEST = "A guest books a table without an account"
WAITER = "The waiter sees the booking at the door"
RAIN = "Nobody stands in the rain"


def test_new_entries_are_numbered_from_one() -> None:
    assert assign_ids("FR", [GUEST, WAITER], []) == ("FR-001", "FR-002")
    assert assign_ids("AC-002", [GUEST], [], digits=2) == ("AC-002-01",)


def test_an_entry_keeps_its_id_wherever_it_moves_and_however_it_is_reworded() -> None:
    known = [KnownId("FR-001", GUEST), KnownId("FR-002", WAITER)]
    found = assign_ids("FR", [RAIN, "The waiter sees each booking at the front door", f"{GUEST}."], known)
    assert found == ("FR-003", "FR-002", "FR-001")


def test_the_id_of_an_entry_that_went_is_given_again_only_where_nothing_refers_to_it() -> None:
    known = [KnownId("FR-001", GUEST), KnownId("FR-002", WAITER)]
    assert assign_ids("FR", [RAIN, WAITER], known) == ("FR-001", "FR-002")
    assert assign_ids("FR", [RAIN, WAITER], known, taken=["FR-001"]) == ("FR-003", "FR-002")


def test_ids_that_others_refer_to_are_taken() -> None:
    assert assign_ids("FR", [RAIN, GUEST], [], taken=["FR-001"]) == ("FR-002", "FR-003")


def test_of_two_alike_the_same_words_win() -> None:
    known = [KnownId("FR-001", f"{GUEST} today"), KnownId("FR-002", GUEST)]
    assert assign_ids("FR", [GUEST, f"{GUEST} tomorrow"], known) == ("FR-002", "FR-001")


def test_one_id_goes_to_one_entry() -> None:
    known = [KnownId("FR-001", GUEST), KnownId("FR-001", WAITER)]
    assert assign_ids("FR", [GUEST, WAITER], known) == ("FR-001", "FR-002")


def test_half_of_the_words_are_enough() -> None:
    assert assign_ids("FR", ["alpha beta"], [KnownId("FR-004", "alpha gamma")]) == ("FR-004",)
    assert assign_ids("FR", ["alpha beta"], [KnownId("FR-004", "alpha gamma delta")]) == ("FR-001",)


def test_words_that_hold_nothing_still_get_an_id() -> None:
    assert assign_ids("FR", ["...", "!"], []) == ("FR-001", "FR-002")
    assert assign_ids("FR", ["..."], [KnownId("FR-001", "...")]) == ("FR-001",)


_TEXTS = st.lists(st.text(alphabet="abc xyz.", max_size=12), max_size=6)


@given(_TEXTS, _TEXTS)
def test_ids_are_unique_and_a_second_run_changes_nothing(first: list[str], second: list[str]) -> None:
    one = assign_ids("FR", first, [])
    known = [KnownId(identity, text) for identity, text in zip(one, first, strict=True)]
    two = assign_ids("FR", second, known)
    assert len(set(two)) == len(second)
    again = [KnownId(identity, text) for identity, text in zip(two, second, strict=True)]
    assert assign_ids("FR", second, again) == two or len(set(second)) < len(second)


@pytest.mark.rule("STEP-5")
def test_the_hundredth_criterion_belongs_to_its_requirement_too() -> None:
    spec = "### FR-001: Save\n\n- **AC-001-99** One.\n- **AC-001-100** Another.\n"
    (found,) = list_requirements({"requirements-spec.md": spec})
    assert [each.id for each in found.criteria] == ["AC-001-99", "AC-001-100"]


def test_an_empty_heading_ends_a_requirement() -> None:
    spec = "## FR-001: Save\n\n- **AC-001-01** One.\n\n## \n\n- **AC-001-02** Another.\n"
    (found,) = list_requirements({"requirements-spec.md": spec})
    assert [each.id for each in found.criteria] == ["AC-001-01"]
