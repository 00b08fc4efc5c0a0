"""The account: what a model's words cost, held against the budget (MENU-6, EXIT-2)."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from people import ITEM, JOURNEYS, MAYA, ROSTER, STEPS
from roundtable.core.commands import Table
from roundtable.panel.model.model import Usage
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
    made.enter("01-03", discussing=True)
    return made


def call(tokens: int = 1_000, purpose: str = "contribution") -> Call:
    return Call("m", purpose, Usage(tokens, 0))


def test_every_call_is_in_the_ledger_with_its_step_and_discussion(folder: Path) -> None:
    (folder / "meta.json").write_text(json.dumps({"elaborations": [{}, {}]}))
    made = BudgetAccount(folder, price=a_cent)
    made.enter("01-03", discussing=False)
    made.take(call(purpose="draft"))
    made.enter("01-03", discussing=True)
    made.take(call())
    made.take(Call("m", "judgement", Usage()))  # nothing was sent
    entries = ledger.read(folder)
    assert [(each.purpose, each.step, each.discussion, each.money) for each in entries] == [
        ("draft", "01-03", None, "0.01"),
        ("contribution", "01-03", 3, "0.01"),
    ]
    assert made.discussion.calls == 1
    assert made.item.calls == 2
    assert made.spent() == "2,000 tokens, $0.020"
    assert made.close() == (
        "This discussion used 1 call, 1,000 tokens in, 0 out, $0.010. "
        "The item so far: 2 calls, 2,000 tokens in, 0 out, $0.020."
    )


def test_a_call_counts_when_it_is_sent_and_once(folder: Path) -> None:
    made = account(folder, tokens=100_000)
    made.take(Call("m", "contribution", Usage(900, 0, estimated=True), "a", over=False))
    assert ledger.describe_total(made.discussion) == "1 call, about 900 tokens in, 0 out, $0.009"
    assert account(folder).spent() == "900 tokens, $0.009"
    made.take(Call("m", "contribution", Usage(1_000, 100), "a"))
    assert ledger.describe_total(made.item) == "1 call, 1,000 tokens in, 100 out, $0.011"
    made.take(Call("m", "contribution", Usage(900, 0, estimated=True), "b", over=False))
    made.take(Call("m", "contribution", Usage(), "b"))
    assert made.item.calls == account(folder).item.calls == 1


def test_what_was_spent_before_a_restart_counts(folder: Path) -> None:
    account(folder).take(call())
    again = account(folder, tokens=2_500)
    assert again.discussion.calls == 1
    assert again.spent() == "1,000 tokens, $0.010"


def test_where_nothing_was_spent_nothing_is_said(folder: Path) -> None:
    made = account(folder)
    assert (made.spent(), made.close(), made.news()) == ("", "", ())
    made.enter("01-03", discussing=False)
    assert made.close() == ""


@pytest.mark.rule("EXIT-2")
def test_a_budget_of_tokens_warns_and_ends_keeping_what_the_synthesis_needs(folder: Path) -> None:
    made = account(folder, tokens=10_000)
    made.take(call())
    # 1,000 are used, and the synthesis will need 1,000 and its own 700.
    assert made.over(1) is None
    assert made.news() == ()
    made.take(call(3_000))
    assert made.over(2) is None
    assert made.news() == ()
    made.take(call(1_300))
    assert made.over(3) is None
    assert made.news() == ()
    made.take(call(1_000))
    assert made.over(3) is None
    assert made.news() == (
        "The budget for this discussion is nearly used up: 6,300 of 10,000 tokens, "
        "with the synthesis to come.",
    )
    assert made.over(3) is None
    assert made.news() == ()
    made.take(call(2_000))
    assert made.over(4) == (
        "The budget for this discussion is used up (8,300 of 10,000 tokens, with the synthesis to come)"
    )


@pytest.mark.rule("EXIT-2")
def test_a_budget_of_money_counts_where_prices_are_known(folder: Path) -> None:
    made = account(folder, money=Decimal("0.05"))
    made.take(call(1_000))
    assert made.over(1) is None
    made.take(call(1_500))
    assert made.over(2) is None
    assert made.news() == (
        "The budget for this discussion is nearly used up: $0.025 of $0.050, with the synthesis to come.",
    )
    made.take(call(1_000))
    assert (
        made.over(3)
        == "The budget for this discussion is used up ($0.035 of $0.050, with the synthesis to come)"
    )
    free = BudgetAccount(folder / "x", Budget(money=Decimal("0.01")), price=nothing)
    free.enter("01-03", discussing=True)
    assert free.over(9) is None


@pytest.mark.rule("EXIT-2")
def test_a_budget_of_turns_warns_two_turns_before(folder: Path) -> None:
    made = account(folder, turns=6)
    assert (made.over(3), made.news()) == (None, ())
    assert made.over(4) is None
    assert made.news() == ("The budget for this discussion is nearly used up: 4 of 6 turns.",)
    assert made.over(5) is None
    assert made.over(6) == "The budget for this discussion is used up (6 of 6 turns)"


def test_each_discussion_has_a_budget_of_its_own(folder: Path) -> None:
    made = account(folder, tokens=3_000)
    made.take(call(2_000))
    assert made.over(1) is not None
    (folder / "meta.json").write_text(json.dumps({"elaborations": [{}]}))
    made.enter("01-03", discussing=False)
    made.enter("01-03", discussing=True)
    assert made.discussion.calls == 0


@pytest.mark.rule("MENU-6")
def test_a_forecast_says_turns_tokens_and_money_where_known(folder: Path) -> None:
    text = account(folder).forecast(TABLE, "anthropic:x")
    assert text.startswith("Elaboration Mode with anthropic:x: up to 10 turns, about ")
    assert text.endswith(" at most.")
    free = BudgetAccount(folder, Budget(turns=6), price=nothing).forecast(TABLE, "ollama:x")
    assert free.startswith("Elaboration Mode with ollama:x: up to 6 turns, about ")
    assert free.endswith(",000 tokens.")
    whole = BudgetAccount(folder, price=nothing).forecast(TABLE, "ollama:x")
    assert _tokens(free) < _tokens(whole)
    assert _tokens(free) == _tokens(
        BudgetAccount(folder, price=nothing).forecast(replace(TABLE, max_turns=6), "x")
    )


def _tokens(told: str) -> int:
    return int(told.split(" about ")[1].split(" ")[0].replace(",", ""))


def test_a_full_disk_is_said_and_stops_nothing(folder: Path) -> None:
    made = account(folder)
    (folder / ".journal").mkdir()
    (folder / ".journal" / "spent.log").mkdir()
    made.take(call())
    made.take(Call("m", "contribution", Usage(900, 0), "b", over=False))
    (news,) = made.news()
    assert news.startswith("What this call used could not be noted. ")
    assert made.item.calls == 2
