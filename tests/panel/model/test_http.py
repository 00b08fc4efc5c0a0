"""Models behind an address, with a real server on this machine that misbehaves in every way (FAIL-1)."""

from __future__ import annotations

import asyncio
import json
import logging
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from commandline import CommandLine
from panel.model.asking import Asked as Said
from panel.model.asking import ask, conversation
from panel.model.service import USAGE, Asked, Reply, Service, chunk, refuses, says, service, well
from project import kinds, meta, project, small_steps, talk, texts
from roundtable.core.errors import PanelFailed
from roundtable.core.lines import Line
from roundtable.panel.base import Panel
from roundtable.panel.model.choice import choose, model_of, read_choice
from roundtable.panel.model.model import Usage
from roundtable.panel.model.panel import Call
from roundtable.session import Session

KEYS = {
    "ANTHROPIC_API_KEY": "canary-3f1-anthropic",
    "GEMINI_API_KEY": "canary-3f1-gemini",
    "GOOGLE_API_KEY": "canary-3f1-google",
    "OPENAI_API_KEY": "canary-3f1-openai",
    "ROUNDTABLE_API_KEY": "canary-3f1-own-server",
}
OWN = KEYS["ROUNDTABLE_API_KEY"]
SHORT = 0.8
LOGGERS = (
    "anthropic",
    "asyncio",
    "google_genai",
    "httpcore2",
    "httpx2",
    "openai",
    "pydantic_ai",
    "roundtable",
)


@pytest.fixture(autouse=True)
def _keys_stay_secret(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> Iterator[None]:
    """Keys are in the environment in every test, and in no file, log or output after it."""
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    for name in ("http_proxy", "https_proxy", "all_proxy", "OPENAI_BASE_URL", "OLLAMA_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for name in LOGGERS:
        caplog.set_level(logging.DEBUG, name)
    yield
    out, err = capfd.readouterr()
    logged = "\n".join(caplog.handler.format(record) for record in caplog.get_records("call"))
    written = b"\n".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    _hold_no_key(out, err, logged, written.decode("utf-8", "replace"))


def _hold_no_key(*texts: str) -> None:
    for text in texts:
        assert "canary-3f1" not in text


@pytest.fixture
def server() -> Iterator[Service]:
    with service() as running:
        yield running


def asked_once(server: Service, reply: Reply, **more: Any) -> Said:
    """What becomes of one request that is answered like this; the server is asked once and no more."""
    server.answers = lambda _: reply
    said = ask(model_of(read_choice("tiny", server.address)), **more)
    assert len(server.asked) == 1, "the library must not try again on its own"
    if said.failure is not None:
        _hold_no_key("".join(traceback.format_exception(said.failure)))
    return said


# --- one request ----------------------------------------------------------------------------------------


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
    asked_once(server, says("{}"), shape="framing", schema=schema)
    wanted = server.calls[0].body["response_format"]
    assert wanted["type"] == "json_schema"
    assert wanted["json_schema"]["name"] == "framing"
    assert wanted["json_schema"]["schema"] == schema


def _events(*events: dict[str, Any] | str) -> Reply:
    """A stream of exactly these events, which need not be what the service would say."""
    texts = (event if isinstance(event, str) else json.dumps(event) for event in events)
    body = "".join(f"data: {text}\n\n" for text in texts).encode()
    return Reply(body=body, headers={"Content-Type": "text/event-stream"})


_BEGUN = (chunk({"content": "We should "}), chunk({"content": "first"}))

REFUSALS = {
    "401": (refuses(401, f"Incorrect API key provided: {OWN}."), "refused"),
    "403": (refuses(403, f"Not with {OWN}."), "refused"),
    "404": (refuses(404, "The model `tiny` does not exist", "model_not_found"), "unknown-model"),
    "429": (refuses(429, retry_after="7"), "rate-limit"),
    "quota": (refuses(429, "You exceeded your current quota", "insufficient_quota"), "quota"),
    "400": (refuses(400, f"Bearer {OWN} is no good"), "rejected"),
    "too long": (refuses(400, "too long", "context_length_exceeded"), "too-long"),
    "500": (refuses(500, f"Traceback: key={OWN}"), "server"),
    "503": (refuses(503), "server"),
    "html": (Reply(body=b"<html>Welcome</html>", headers={"Content-Type": "text/html"}), "nonsense"),
    "bad json": (_events("{not json"), "server"),
    "error event": (_events({"error": {"message": f"overloaded, {OWN}"}}), "server"),
    "filter": (says(finish="content_filter"), "filtered"),
    "model refuses": (_events(chunk({"refusal": "I cannot"}), chunk({}, "stop")), "filtered"),
    "no stream": (says(manner="cut"), "unreachable"),
}


@pytest.mark.parametrize("name", REFUSALS)
@pytest.mark.rule("FAIL-1")
def test_a_refusal_is_told_by_its_kind(server: Service, name: str) -> None:
    reply, kind = REFUSALS[name]
    said = asked_once(server, reply)
    assert said.failed.kind == kind
    assert said.pieces == []
    assert said.used == [Usage()]
    assert said.failed.do


def test_a_service_that_asks_to_wait_is_quoted(server: Service) -> None:
    failure = asked_once(server, refuses(429, retry_after="7")).failed
    assert "It asks to wait 7 seconds." in str(failure)


BROKEN = {
    "torn off": (says("We should ", "first", manner="cut"), "cut"),
    "ended without a reason": (says("We should ", "first", manner="unfinished"), "cut"),
    "withheld": (says("We should ", "first", finish="content_filter"), "filtered"),
    "bad json in the middle": (_events(*_BEGUN, "{not json"), "cut"),
    "error event in the middle": (_events(*_BEGUN, {"error": {"message": f"overloaded, {OWN}"}}), "cut"),
    "silent in the middle": (says("We should ", "first", manner="stuck"), "cut"),
}


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


def test_words_without_end_end_with_the_time(server: Service) -> None:
    said = asked_once(server, says("We ", manner="drips"), seconds=SHORT, output_tokens=100)
    assert said.failed.kind in ("time-out", "cut")
    assert said.said.startswith("We and ")


def test_a_server_that_is_not_there_is_told() -> None:
    with service() as gone:
        address = gone.address
    failure = ask(model_of(read_choice("tiny", address))).failed
    assert failure.kind == "unreachable"


# --- keys -----------------------------------------------------------------------------------------------


def _headers(asked: Asked) -> str:
    return json.dumps(asked.headers)


def test_a_server_of_ones_own_gets_its_own_key_and_no_other(server: Service) -> None:
    asked_once(server, says("Fine."))
    sent = server.calls[0].headers
    assert sent["authorization"] == f"Bearer {OWN}"
    _hold_no_key(json.dumps({name: value for name, value in sent.items() if name != "authorization"}))


@pytest.mark.parametrize("reply", [says("Fine."), refuses(401), refuses(500), says("Fine", manner="cut")])
def test_a_server_of_ones_own_never_gets_a_hosted_key(
    server: Service, monkeypatch: pytest.MonkeyPatch, reply: Reply
) -> None:
    monkeypatch.delenv("ROUNDTABLE_API_KEY")
    asked_once(server, reply)
    _hold_no_key(_headers(server.calls[0]), json.dumps(server.calls[0].body))


def test_ollama_never_gets_a_key(server: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_BASE_URL", server.address)
    said = ask(model_of(read_choice("ollama:tiny")))
    assert said.failure is None
    _hold_no_key(_headers(server.calls[0]))


@pytest.mark.parametrize(
    ("named", "host"),
    [
        ("openai:gpt-5", "api.openai.com:443"),
        ("anthropic:claude-9", "api.anthropic.com:443"),
        ("google:gemini-2.5-flash", "generativelanguage.googleapis.com:443"),
    ],
)
def test_a_hosted_key_goes_nowhere_but_to_its_service(
    server: Service, monkeypatch: pytest.MonkeyPatch, named: str, host: str
) -> None:
    """The way out leads through our server, which only learns where the library wants to go."""
    for variable in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL"):
        monkeypatch.setenv(variable, server.address)
    for variable in ("https_proxy", "HTTPS_PROXY"):
        monkeypatch.setenv(variable, server.root)
    failure = ask(model_of(read_choice(named, server.address))).failed
    assert failure.kind == "unreachable"
    assert {(each.method, each.path) for each in server.asked} == {("CONNECT", host)}
    for each in server.asked:
        _hold_no_key(_headers(each))
    _hold_no_key("".join(traceback.format_exception(failure)))


def test_whoever_sends_us_elsewhere_does_not_get_the_key_sent_along(server: Service) -> None:
    with service() as elsewhere:
        there = f"{elsewhere.address}/chat/completions"
        server.answers = lambda _: Reply(status=307, body=b"", headers={"Location": there})
        said = ask(model_of(read_choice("tiny", server.address)))
        assert said.failure is not None or elsewhere.asked
        for each in elsewhere.asked:
            _hold_no_key(_headers(each))


def test_a_password_in_an_address_is_not_told(server: Service) -> None:
    server.answers = lambda _: refuses(401)
    model = model_of(read_choice("tiny", server.address.replace("://", "://ada:lovelace-1815@")))
    told = "".join(traceback.format_exception(ask(model).failed))
    assert "lovelace-1815" not in told + model.name


# --- a whole discussion ---------------------------------------------------------------------------------


@pytest.fixture
def place(tmp_path: Path) -> tuple[Path, Path]:
    """A project whose first step is complete."""
    root, item = project(tmp_path / "project")
    small_steps(root)
    talk(root, item, ["The inspector retypes forms.", "60 inspectors"])
    return root, item


def failing(number: int, reply: Reply) -> Callable[[Asked], Reply]:
    """Well but for one request, counted from 1."""
    count = 0

    def answers(asked: Asked) -> Reply:
        nonlocal count
        count += 1
        return reply if count == number else well(asked)

    return answers


def discuss(place: tuple[Path, Path], panel: Panel, *words: str, **more: Any) -> list[Line]:
    return talk(*place, words, step="00-01", panel=panel, **more)


def by(server: Service, *names: str, **more: Any) -> Panel:
    return choose(names or ("tiny",), server.address, **more)


@pytest.mark.rule("LOOP-3", "SYN-6", "META-5", "GREET-6")
def test_a_discussion_by_a_model_is_streamed_counted_and_written(
    server: Service, place: tuple[Path, Path]
) -> None:
    heard: list[tuple[str, str]] = []
    calls: list[Call] = []
    lines = discuss(place, by(server, meter=calls.append), "done", on_words=lambda *each: heard.append(each))
    said = [line for line in lines if line.kind == "contribution" and line.speaker != "user"]
    assert [line.turn for line in said] == [1, 2, 3]
    for line in said[1:]:
        streamed = [words for key, words in heard if key == line.speaker]
        assert len(streamed) > 5
        assert line.text.endswith("".join(streamed))
    assert [call.purpose for call in calls] == ["framing", "contribution", "contribution", "synthesis"]
    assert {call.usage for call in calls} == {Usage(120, 34, 100)}
    assert len(server.calls) == 4
    (record,) = meta(place[1])["elaborations"]
    assert record["synthesis_summary"] == "Identified 1 gap in the hand-over of forms"
    document = (place[1] / "quick-scan.md").read_text()
    assert "- [Alex] Forms are retyped at night." in document


FAILURES = {name: reply for name, (reply, _) in (REFUSALS | BROKEN).items() if name != "silent in the middle"}


@pytest.mark.parametrize("name", FAILURES)
@pytest.mark.rule("FAIL-1", "GREET-6")
def test_without_a_terminal_the_same_command_goes_on_where_it_failed(
    server: Service, place: tuple[Path, Path], name: str
) -> None:
    server.answers = failing(3, FAILURES[name])
    with pytest.raises(PanelFailed) as raised:
        discuss(place, by(server), "done")
    told = "".join(traceback.format_exception(raised.value))
    _hold_no_key(told, str(raised.value))
    assert "Everything said so far is saved." in str(raised.value)
    assert "roundtable elaborate offline-forms --step 00-01" in str(raised.value)
    paid = len(server.calls)
    lines = discuss(place, by(server), "done")
    assert lines[-1].kind == "paused"
    assert len(server.calls) - paid == 2, "turn 3 and the synthesis: no complete turn is paid twice"
    assert len(meta(place[1])["elaborations"]) == 1


@pytest.mark.rule("FAIL-1")
def test_at_a_terminal_one_may_try_again(server: Service, place: tuple[Path, Path]) -> None:
    server.answers = failing(3, says("We should ", "first", manner="cut"))
    lines = discuss(place, by(server), "T", "done", interactive=True)
    (error,) = texts(lines, "error")
    assert error.startswith("tiny at 127.0.0.1:")
    assert "stopped in the middle of its answer." in error
    assert error.endswith("Everything said so far is saved.")
    assert [line.turn for line in lines if line.kind == "contribution"] == [1, 2, 3]
    assert len(server.calls) == 5
    transcript = (place[1] / "elaborations" / "00-01-1.md").read_text()
    assert "We should first" not in transcript, "a draft that was cut off does not count"


@pytest.mark.rule("FAIL-1")
def test_at_a_terminal_one_may_go_on_offline(server: Service, place: tuple[Path, Path]) -> None:
    server.answers = failing(3, refuses(401))
    lines = discuss(place, by(server), "O", "done", interactive=True)
    assert [line.turn for line in lines if line.kind == "contribution"] == [1, 2, 3]
    assert len(server.calls) == 3, "the model is not asked any more"
    assert len(meta(place[1])["elaborations"]) == 1


@pytest.mark.rule("FAIL-1")
def test_at_a_terminal_one_may_wrap_up(server: Service, place: tuple[Path, Path]) -> None:
    server.answers = failing(3, refuses(500))
    lines = discuss(place, by(server), "W", interactive=True)
    assert [line.turn for line in lines if line.kind == "contribution"] == [1, 2]
    (record,) = meta(place[1])["elaborations"]
    assert record["turn_count"] == 2
    assert "synthesis" in kinds(lines)


def test_a_failure_before_the_first_word_leaves_the_way_back(
    server: Service, place: tuple[Path, Path]
) -> None:
    server.answers = failing(1, refuses(429, retry_after="7"))
    lines = discuss(place, by(server), "T", "done", interactive=True)
    assert "It asks to wait 7 seconds." in texts(lines, "error")[0]
    assert [line.turn for line in lines if line.kind == "contribution"] == [1, 2, 3]


@pytest.mark.parametrize(
    "reply", [refuses(500), says("I would rather not."), says('{"insights": [', manner="cut")]
)
@pytest.mark.rule("SYN-5")
def test_a_synthesis_that_does_not_come_is_drawn_from_what_was_said(
    server: Service, place: tuple[Path, Path], reply: Reply
) -> None:
    server.answers = lambda asked: reply if "Now the synthesis." in asked.prompt else well(asked)
    lines = discuss(place, by(server), "done")
    assert len(meta(place[1])["elaborations"]) == 1
    assert "synthesis" in kinds(lines)
    assert len(server.calls) == 5, "the synthesis is asked for twice, and no more"
    assert "<!-- Elaboration: step 00-01" in (place[1] / "quick-scan.md").read_text()


# --- falling back ---------------------------------------------------------------------------------------


def _only(name: str, reply: Reply) -> Callable[[Asked], Reply]:
    """Well, but for the model of that name."""
    return lambda asked: reply if asked.body["model"] == name else well(asked)


def _models(server: Service) -> list[str]:
    return [asked.body["model"] for asked in server.calls]


@pytest.mark.parametrize("name", FAILURES)
@pytest.mark.rule("FAIL-1")
def test_where_a_model_fails_the_next_goes_on_and_stays(
    server: Service, place: tuple[Path, Path], name: str
) -> None:
    news: list[str] = []
    server.answers = _only("first", FAILURES[name])
    lines = discuss(place, by(server, "first", "second", news=news.append), "done")
    assert not texts(lines, "error")
    assert _models(server)[-4:] == ["second"] * 4
    assert set(_models(server)[:-4]) == {"first"}
    (told,) = news
    assert told.startswith("first at 127.0.0.1:")
    assert told.endswith("goes on.")
    _hold_no_key(told)


def test_a_model_that_fails_in_the_middle_of_its_words_is_followed_by_the_next(
    server: Service, place: tuple[Path, Path]
) -> None:
    heard: list[str] = []
    broken = says("We should ", "first", manner="cut")
    server.answers = lambda asked: (
        broken if asked.body["model"] == "first" and "Now turn 2 of" in asked.prompt else well(asked)
    )
    lines = discuss(
        place, by(server, "first", "second"), "done", on_words=lambda _, words: heard.append(words)
    )
    assert _models(server) == ["first", "first", "second", "second", "second"]
    (second,) = [line.text for line in lines if line.kind == "contribution" and line.turn == 2]
    assert "We should first" not in second
    assert len(meta(place[1])["elaborations"]) == 1


def test_the_offline_panel_may_be_the_last(server: Service, place: tuple[Path, Path]) -> None:
    server.answers = lambda _: refuses(500)
    lines = discuss(place, by(server, "first", "second", "offline"), "done")
    assert not texts(lines, "error")
    assert _models(server) == ["first", "second"]
    assert len(meta(place[1])["elaborations"]) == 1


def test_where_all_fail_each_is_told(server: Service, place: tuple[Path, Path]) -> None:
    server.answers = lambda asked: refuses(401 if asked.body["model"] == "first" else 500)
    with pytest.raises(PanelFailed) as raised:
        discuss(place, by(server, "first", "second"), "done")
    told = str(raised.value)
    assert "first at" in told
    assert "refused the key." in told
    assert "second at" in told
    assert "failed on its side." in told


# --- the command line -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["401", "500", "torn off", "bad json"])
@pytest.mark.rule("FAIL-1")
def test_on_the_command_line_a_failure_is_status_3_and_tells_no_key(
    server: Service, place: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(place[0])
    server.answers = failing(3, FAILURES[name])
    line = CommandLine(place[0])
    options = ("--model", "tiny", "--base-url", server.address)
    ran = line.run(
        "elaborate", "offline-forms", "--step", "00-01", *options, "--debug", "--json", answers=["done"]
    )
    assert ran.status == 3
    assert ran.kinds[-1] == "error"
    assert "Traceback" in ran.err
    _hold_no_key(ran.out, ran.err)
    again = line.run("elaborate", "offline-forms", "--step", "00-01", *options, "--json", answers=["done"])
    assert again.status == 0
    assert again.kinds[-1] == "paused"
    assert len(meta(place[1])["elaborations"]) == 1


@pytest.mark.rule("GREET-6")
def test_stopped_in_the_middle_of_a_stream_nothing_complete_is_paid_twice(
    server: Service, place: tuple[Path, Path]
) -> None:
    """As a closed terminal does it: the session goes while words are coming."""
    server.answers = failing(3, says("We should ", "first", manner="stuck"))
    root, item = place

    async def leave_in_the_middle() -> None:
        heard = asyncio.Event()

        def words(_speaker: str, piece: str) -> None:
            if "We" in piece:
                heard.set()

        session = Session(root, item.name, step="00-01", panel=by(server), on_words=words)

        async def listen() -> None:
            async for _ in session.lines():
                pass

        listening = asyncio.create_task(listen())
        await heard.wait()
        listening.cancel()
        await asyncio.wait([listening])

    asyncio.run(leave_in_the_middle())
    paid = len(server.calls)
    lines = discuss(place, by(server), "done")
    assert lines[-1].kind == "paused"
    assert len(server.calls) - paid == 2, "turn 3 and the synthesis"
    assert len(meta(item)["elaborations"]) == 1
