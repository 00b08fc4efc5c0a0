"""What words cost, where that is known."""

from __future__ import annotations

from decimal import Decimal

import pytest
from msgspec.structs import replace

from people import ITEM, JOURNEYS, MAYA, ROSTER, STEPS
from roundtable.core.commands import Table
from roundtable.panel.model.conversation import Usage, forecast, price

TABLE = Table(ITEM, JOURNEYS, ROSTER, MAYA, STEPS, (), 10)


def test_a_known_model_has_a_price_and_what_is_cached_costs_less() -> None:
    whole = price("anthropic:claude-sonnet-5-5", Usage(100_000, 1_000))
    cached = price("anthropic:claude-sonnet-5-5", Usage(100_000, 1_000, cached=90_000))
    assert whole is not None
    assert cached is not None
    assert Decimal("0.01") < cached < whole < 10


@pytest.mark.parametrize(
    "model", ["ollama:llama3.2", "command:llm", "x at h", "anthropic:", "openai:no-such-model-x", ""]
)
def test_what_nobody_knows_has_no_price(model: str) -> None:
    assert price(model, Usage(1, 1)) is None


@pytest.mark.rule("MENU-6")
def test_a_forecast_grows_with_the_turns_and_covers_every_call() -> None:
    ten, eleven = forecast(TABLE), forecast(replace(TABLE, max_turns=11))
    start = (ten.input - 190 * sum(range(11))) // 11
    assert ten == Usage(11 * start + 190 * 55, 10 * 190 + 900, estimated=True)
    assert eleven == Usage(12 * start + 190 * 66, 11 * 190 + 900, estimated=True)
