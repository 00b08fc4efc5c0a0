"""The forecast: what a discussion may use at most, before its first word."""

from __future__ import annotations

from ...core.commands import Table
from .conversation import at_table
from .model import Usage, tokens

_TURN = 190
_SYNTHESIS = 900


def forecast(table: Table) -> Usage:
    """The tokens of a discussion up to its limit in which only personas speak and nothing is cached."""
    start = tokens(at_table(table, "").text)
    calls = table.max_turns + 1  # one for each turn, and the synthesis
    sent = calls * start + _TURN * sum(range(calls))
    return Usage(sent, table.max_turns * _TURN + _SYNTHESIS, estimated=True)
