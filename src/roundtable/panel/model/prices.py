"""Prices: what tokens cost where that is known, by the list that comes with genai-prices; no network."""

from __future__ import annotations

from decimal import Decimal

from .model import Usage

HOSTED = ("anthropic", "openai", "google")


def price(model: str, usage: Usage) -> Decimal | None:
    """What a call has cost in US dollars; None where nobody knows."""
    provider, _, name = model.partition(":")
    if provider not in HOSTED or not name:
        return None
    try:
        from genai_prices import Usage as Priced
        from genai_prices import calc_price
    except ImportError:
        return None
    tokens = Priced(
        input_tokens=usage.input,
        output_tokens=usage.output,
        cache_read_tokens=usage.cached,
        cache_write_tokens=usage.stored,
    )
    try:
        return calc_price(tokens, name, provider_id=provider).total_price
    except (LookupError, ValueError):
        return None
