"""The ledger: one line a call, durable, and readable whatever happened to it."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest
from msgspec.structs import replace

from roundtable.store import ledger
from roundtable.store.ledger import LedgerEntry, Total, describe_total, show_dollars

ENTRY = LedgerEntry(
    "2026-02-20T14:30:00.000Z", "m", "contribution", "01-03", 1, 1_200, 80, 1_000, 0, False, "0.0042", "1"
)


def test_what_is_appended_is_read_again_in_order(folder: Path) -> None:
    assert ledger.read(folder) == ()
    other = replace(ENTRY, discussion=None, money=None, estimated=True, number="2")
    ledger.append(folder, ENTRY)
    ledger.append(folder, other)
    assert ledger.read(folder) == (ENTRY, other)
    assert (folder / ".journal" / ".gitignore").exists()
    assert not list((folder / ".journal").glob("*.jsonl"))


def test_of_several_lines_of_one_call_the_last_counts(folder: Path) -> None:
    sent = replace(ENTRY, input=900, output=0, estimated=True, number="a")
    other = replace(ENTRY, number="b")
    over = replace(ENTRY, number="a")
    for entry in (ENTRY, sent, other, over):
        ledger.append(folder, entry)
    assert ledger.read(folder) == (ENTRY, over, other)
    ledger.append(folder, replace(over, input=0, output=0))
    assert ledger.read(folder) == (ENTRY, other)
    ledger.append(folder, replace(other, input=0, output=1))
    assert ledger.read(folder) == (ENTRY, replace(other, input=0, output=1))


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"[]",
        b"3",
        b"{}",
        b"\xff",
        json.dumps({"input": -1}).encode(),
        b'{"at":"","model":"m","purpose":"","step":"","discussion":1,"input":-1,"output":0,"cached":0,"stored":0,'
        b'"estimated":false,"money":null}',
        b'{"at":"","model":"m","purpose":"","step":"","discussion":1,"input":true,"output":0,"cached":0,"stored":0,'
        b'"estimated":false,"money":null}',
        b'{"at":"","model":"m","purpose":"","step":"","discussion":1,"input":1,"output":0,"cached":0,"stored":0,'
        b'"estimated":false,"money":"NaN","number":"2"}',
        b'{"at":"","model":"m","purpose":"","step":"","discussion":1,"input":1,"output":0,"cached":0,"stored":0,'
        b'"estimated":false,"money":"much"}',
        b'{"at":"","model":"m","purpose":"","step":"","discussion":1,"input":1,"output":0,"cached":0,"stored":0,'
        b'"estimated":false,"money":""}',
        b'{"at":"","model":"m","purpose":"","step":"","discussion":1,"input":1,"output":0,"cached":0,"stored":0,'
        b'"estimated":false,"money":"1e999999999"}',
        b'{"at":"","model":"m","purpose":"","step":"","discussion":1,"input":1,"output":0,"cached":0,"stored":0,'
        b'"estimated":false,"money":"-5"}',
        b'{"at":"","model":"m","purpose":"","step":"","discussion":1,"input":1,"output":0,"cached":0,"stored":0,'
        b'"estimated":false,"money":null,"number":3}',
    ],
)
def test_lines_that_do_not_read_are_passed_over(folder: Path, line: bytes) -> None:
    ledger.append(folder, ENTRY)
    with (folder / ".journal" / "spent.log").open("ab") as file:
        file.write(line + b"\n")
    later = replace(ENTRY, number="2")
    ledger.append(folder, later)
    assert ledger.read(folder) == (ENTRY, later)


def test_a_torn_line_costs_one_line(folder: Path) -> None:
    ledger.append(folder, ENTRY)
    path = folder / ".journal" / "spent.log"
    path.write_bytes(path.read_bytes()[:-20])
    assert ledger.read(folder) == ()


def test_a_folder_in_its_place_is_no_ledger(folder: Path) -> None:
    (folder / ".journal" / "spent.log").mkdir(parents=True)
    assert ledger.read(folder) == ()


def test_a_total_adds_up_and_knows_what_it_does_not_know() -> None:
    assert ledger.add_up(()) == Total()
    free = replace(ENTRY, money=None, estimated=True, input=800, cached=0)
    both = ledger.add_up((ENTRY, free))
    assert both == Total(2, 2_000, 160, 1_000, estimated=True, money=Decimal("0.0042"))
    assert both.tokens == 2_160
    assert ledger.add_up((free,)) == Total(1, 800, 80, 0, estimated=True)


@pytest.mark.parametrize(
    ("total", "words"),
    [
        (Total(1, 10, 2), "1 call, 10 tokens in, 2 out"),
        (
            Total(2, 12_345, 678, 9_000, money=Decimal("0.0412")),
            "2 calls, 12,345 tokens in (9,000 cached), 678 out, $0.041",
        ),
        (Total(2, 5, 6, estimated=True), "2 calls, about 5 tokens in, 6 out"),
    ],
)
def test_what_was_used_is_said_in_one_line(total: Total, words: str) -> None:
    assert describe_total(total) == words


@pytest.mark.parametrize(
    ("money", "words"),
    [
        ("0", "$0.000"),
        ("0.0004", "$0.000"),
        ("0.001", "$0.001"),
        ("0.9994", "$0.999"),
        ("1234.5", "$1,234.50"),
    ],
)
def test_an_amount_has_the_digits_that_say_something(money: str, words: str) -> None:
    assert show_dollars(Decimal(money)) == words
