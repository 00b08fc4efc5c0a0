"""The account: what a model's words cost, held against the budget (MENU-6, EXIT-2)."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest
from msgspec.structs import replace

from people import ITEM, JOURNEYS, MAYA, ROSTER, STEPS
from roundtable.core.commands import Table
from roundtable.panel.model.conversation import Usage
from roundtable.panel.model.panel import Call
from roundtable.runtime.budget import BudgetAccount
from roundtable.settings import Budget
from roundtable.store import ledger

TABLE = Table(ITEM, JOURNEYS, ROSTER, MAYA, STEPS, (), 10)


def a_cent(_model: str, usage: Usage) -> Decimal | None:
    """Every thousand tokens cost a cent."""
    return Decimal(usage.input + usage.output) / 100_000


def nothing(_model: str, _usage: Usage) -> Decimal | None:
    return None


def account(folder: Path, **limits: object) -> BudgetAccount:
    made = BudgetAccount(folder, Budget(**limits), price=a_cent)  # type: ignore[arg-type]
    made.enter_step("01-03", is_discussing=True)
    return made


def call(tokens: int = 1_000, purpose: str = "contribution") -> Call:
    return Call("m", purpose, Usage(tokens, 0))


def test_every_call_is_in_the_ledger_with_its_step_and_discussion(folder: Path) -> None:
    (folder / "meta.json").write_text(json.dumps({"elaborations": [{}, {}]}))
    made = BudgetAccount(folder, Budget(), price=a_cent)
    made.enter_step("01-03", is_discussing=False)
    made.record_call(call(purpose="draft"))
    made.enter_step("01-03", is_discussing=True)
    made.record_call(call())
    made.record_call(Call("m", "judgement", Usage()))  # nothing was sent
    entries = ledger.read(folder)
    assert [(each.purpose, each.step, each.discussion, each.money) for each in entries] == [
        ("draft", "01-03", None, "0.01"),
        ("contribution", "01-03", 3, "0.01"),
    ]
    assert made.discussion.calls == 1
    assert made.item.calls == 2
    assert made.describe_spending() == "2,000 tokens, $0.020"
    assert made.end_discussion() == (
        "This discussion used 1 call, 1,000 tokens in, 0 out, $0.010. "
        "The item so far: 2 calls, 2,000 tokens in, 0 out, $0.020."
    )


def test_a_call_counts_when_it_is_sent_and_once(folder: Path) -> None:
    made = account(folder, tokens=100_000)
    made.record_call(Call("m", "contribution", Usage(900, 0, estimated=True), "a", over=False))
    assert ledger.describe_total(made.discussion) == "1 call, about 900 tokens in, 0 out, $0.009"
    assert account(folder).describe_spending() == "900 tokens, $0.009"
    made.record_call(Call("m", "contribution", Usage(1_000, 100), "a"))
    assert ledger.describe_total(made.item) == "1 call, 1,000 tokens in, 100 out, $0.011"
    made.record_call(Call("m", "contribution", Usage(900, 0, estimated=True), "b", over=False))
    made.record_call(Call("m", "contribution", Usage(), "b"))
    assert made.item.calls == account(folder).item.calls == 1


def test_what_was_spent_before_a_restart_counts(folder: Path) -> None:
    account(folder).record_call(call())
    again = account(folder, tokens=2_500)
    assert again.discussion.calls == 1
    assert again.describe_spending() == "1,000 tokens, $0.010"


def test_where_nothing_was_spent_nothing_is_said(folder: Path) -> None:
    made = account(folder)
    assert (made.describe_spending(), made.end_discussion(), made.take_news()) == ("", "", ())
    made.enter_step("01-03", is_discussing=False)
    assert made.end_discussion() == ""


@pytest.mark.rule("EXIT-2")
def test_a_budget_of_tokens_warns_and_ends_keeping_what_the_synthesis_needs(folder: Path) -> None:
    made = account(folder, tokens=10_000)
    made.record_call(call())
    # 1,000 are used, and the synthesis will need 1,000 and its own 700.
    assert made.find_exhausted_limit(1) is None
    assert made.take_news() == ()
    made.record_call(call(3_000))
    assert made.find_exhausted_limit(2) is None
    assert made.take_news() == ()
    made.record_call(call(1_300))
    assert made.find_exhausted_limit(3) is None
    assert made.take_news() == ()
    made.record_call(call(1_000))
    assert made.find_exhausted_limit(3) is None
    assert made.take_news() == (
        "The budget for this discussion is nearly used up: 6,300 of 10,000 tokens, "
        "with the synthesis to come.",
    )
    assert made.find_exhausted_limit(3) is None
    assert made.take_news() == ()
    made.record_call(call(2_000))
    assert made.find_exhausted_limit(4) == (
        "The budget for this discussion is used up (8,300 of 10,000 tokens, with the synthesis to come)"
    )


@pytest.mark.rule("EXIT-2")
def test_a_budget_of_money_counts_where_prices_are_known(folder: Path) -> None:
    made = account(folder, money=Decimal("0.05"))
    made.record_call(call(1_000))
    assert made.find_exhausted_limit(1) is None
    made.record_call(call(1_500))
    assert made.find_exhausted_limit(2) is None
    assert made.take_news() == (
        "The budget for this discussion is nearly used up: $0.025 of $0.050, with the synthesis to come.",
    )
    made.record_call(call(1_000))
    assert (
        made.find_exhausted_limit(3)
        == "The budget for this discussion is used up ($0.035 of $0.050, with the synthesis to come)"
    )
    free = BudgetAccount(folder / "x", Budget(money=Decimal("0.01")), price=nothing)
    free.enter_step("01-03", is_discussing=True)
    assert free.find_exhausted_limit(9) is None


@pytest.mark.rule("EXIT-2")
def test_a_budget_of_turns_warns_two_turns_before(folder: Path) -> None:
    made = account(folder, turns=6)
    assert (made.find_exhausted_limit(3), made.take_news()) == (None, ())
    assert made.find_exhausted_limit(4) is None
    assert made.take_news() == ("The budget for this discussion is nearly used up: 4 of 6 turns.",)
    assert made.find_exhausted_limit(5) is None
    assert made.find_exhausted_limit(6) == "The budget for this discussion is used up (6 of 6 turns)"
    both = account(folder, turns=6, tokens=1_000)
    both.record_call(call(900))
    assert "of 1,000 tokens" in (both.find_exhausted_limit(5) or "")
    assert both.take_news() == ()  # that its turns are nearly used up does not matter any more


def test_each_discussion_has_a_budget_of_its_own(folder: Path) -> None:
    made = account(folder, tokens=3_000)
    made.record_call(call(2_000))
    assert made.find_exhausted_limit(1) is not None
    (folder / "meta.json").write_text(json.dumps({"elaborations": [{}]}))
    made.enter_step("01-03", is_discussing=False)
    made.enter_step("01-03", is_discussing=True)
    assert made.discussion.calls == 0


@pytest.mark.rule("MENU-6")
def test_a_forecast_says_turns_tokens_and_money_where_known(folder: Path) -> None:
    text = account(folder).describe_forecast(TABLE, "anthropic:x")
    assert text.startswith("Elaboration Mode with anthropic:x: up to 10 turns, about ")
    assert text.endswith(" at most.")
    free = BudgetAccount(folder, Budget(turns=6), price=nothing).describe_forecast(TABLE, "ollama:x")
    assert free.startswith("Elaboration Mode with ollama:x: up to 6 turns, about ")
    assert free.endswith(",000 tokens.")
    whole = BudgetAccount(folder, Budget(), price=nothing).describe_forecast(TABLE, "ollama:x")
    assert _tokens(free) < _tokens(whole)
    assert _tokens(free) == _tokens(
        BudgetAccount(folder, Budget(), price=nothing).describe_forecast(replace(TABLE, max_turns=6), "x")
    )


def _tokens(told: str) -> int:
    return int(told.split(" about ")[1].split(" ")[0].replace(",", ""))


def test_a_full_disk_is_said_and_stops_nothing(folder: Path) -> None:
    made = account(folder)
    (folder / ".journal").mkdir()
    (folder / ".journal" / "spent.log").mkdir()
    made.record_call(call())
    made.record_call(Call("m", "contribution", Usage(900, 0), "b", over=False))
    (news,) = made.take_news()
    assert news.startswith("What this call used could not be noted. ")
    assert made.item.calls == 2
