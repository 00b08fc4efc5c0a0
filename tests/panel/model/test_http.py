"""One request over a real connection, to a server that misbehaves in every way (FAIL-1)."""

from __future__ import annotations

import pytest

from panel.model.asking import ask, conversation
from panel.model.service import USAGE, Service, refuses, says, service
from panel.model.wire import BROKEN, REFUSALS, SHORT, asked_once
from roundtable.panel.model.choice import model_of, read_choice
from roundtable.panel.model.conversation import Usage

pytestmark = pytest.mark.usefixtures("secret_keys")


def test_many_small_pieces_come_one_by_one_with_what_they_used(server: Service) -> None:
    pieces = tuple(f"word{number} " for number in range(200))
    said = asked_once(server, says(*pieces, usage=USAGE))
    assert tuple(said.pieces) == pieces
    assert said.failure is None
    assert said.used == [Usage(input=120, output=34, cached=100)]


def test_an_answer_in_one_piece_is_an_answer(server: Service) -> None:
    said = asked_once(server, says("All at once."))
    assert (said.pieces, said.failure) == (["All at once."], None)
    assert said.used == [Usage.estimate(conversation(), "All at once.")]


def test_an_answer_that_reaches_its_length_is_an_answer(server: Service) -> None:
    said = asked_once(server, says("And so", finish="length"))
    assert (said.said, said.failure) == ("And so", None)


def test_the_request_is_the_conversation_and_the_limits(server: Service) -> None:
    asked_once(server, says("Fine."), output_tokens=77)
    (request,) = server.calls
    assert request.prompt == conversation().text
    assert request.body["model"] == "tiny"
    assert request.body["stream"] is True
    assert 77 in (request.body.get("max_tokens"), request.body.get("max_completion_tokens"))
    assert "response_format" not in request.body


def test_an_object_is_asked_for_by_its_schema(server: Service) -> None:
    schema = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    asked_once(server, says("{}"), purpose="framing", schema=schema)
    wanted = server.calls[0].body["response_format"]
    assert wanted["type"] == "json_schema"
    assert wanted["json_schema"]["name"] == "framing"
    assert wanted["json_schema"]["schema"] == schema


@pytest.mark.parametrize("name", REFUSALS)
@pytest.mark.rule("FAIL-1")
def test_a_refusal_is_told_by_its_kind(server: Service, name: str) -> None:
    reply, kind = REFUSALS[name]
    said = asked_once(server, reply)
    assert said.failed.kind == kind
    assert said.pieces == []
    paid = kind in ("time-out", "nonsense", "filtered")  # then it may have been read
    assert said.used == [Usage.estimate(conversation(), "") if paid else Usage()]
    assert said.failed.do


@pytest.mark.parametrize(
    ("header", "told"),
    [
        ("1", "1 seconds"),
        ("7", "7 seconds"),
        ("7200", "7200 seconds"),
    ],
)
def test_a_service_that_asks_to_wait_is_quoted(server: Service, header: str, told: str) -> None:
    failure = asked_once(server, refuses(429, retry_after=header)).failed
    assert f"asked too often. It asks to wait {told}. Wait and" in str(failure)


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.rule("FAIL-1")
def test_what_came_before_a_break_was_heard(server: Service, name: str) -> None:
    reply, kind = BROKEN[name]
    said = asked_once(server, reply, **({"seconds": SHORT} if reply.manner == "stuck" else {}))
    assert said.pieces == ["We should ", "first"]
    assert said.failed.kind == kind
    assert said.used == [Usage.estimate(conversation(), "We should first")]


def test_silence_ends_with_the_time(server: Service) -> None:
    said = asked_once(server, says(manner="silent"), seconds=SHORT)
    assert (said.failed.kind, said.pieces) == ("time-out", [])
    assert "did not answer in time. It was given 0.8 seconds. " in str(said.failed)
    assert said.used == [Usage.estimate(conversation(), "")]


def test_words_without_end_end_with_the_time(server: Service) -> None:
    said = asked_once(server, says("We ", manner="drips"), seconds=SHORT, output_tokens=100)
    assert said.failed.kind == "time-out"
    assert "It was given 0.8 seconds, and was in the middle of its answer." in str(said.failed)
    assert said.said.startswith("We and ")


def test_a_server_that_is_not_there_is_told() -> None:
    with service() as gone:
        address = gone.address
    said = ask(model_of(read_choice("tiny", address)))
    assert said.failed.kind == "unreachable"
    assert said.used == [Usage()]
