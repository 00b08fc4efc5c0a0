"""Whole discussions over a real connection that misbehaves: who is asked next, and what is kept (FAIL-1)."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from commandline import CommandLine
from panel.model.service import Asked, Reply, Service, refuses, says, well
from panel.model.wire import FAILURES, by, discuss, failing, hold_no_key
from project import kinds, meta, texts
from roundtable.core.errors import PanelFailed
from roundtable.panel.model.conversation import Usage
from roundtable.panel.model.panel import Call
from roundtable.runtime.session import Session

pytestmark = pytest.mark.usefixtures("secret_keys")


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
    sent = [call for call in calls if not call.over]
    used = [call for call in calls if call.over]
    assert [call.purpose for call in used] == ["framing", "contribution", "contribution", "synthesis"]
    assert {call.usage for call in used} == {Usage(120, 34, 100)}
    assert calls == [each for pair in zip(sent, used, strict=True) for each in pair]
    assert [call.number for call in sent] == [call.number for call in used]
    assert all(call.usage.estimated and call.usage.input > 120 for call in sent)
    assert len(server.calls) == 4
    (record,) = meta(place[1])["elaborations"]
    assert record["synthesis_summary"] == "Identified 1 gap in the hand-over of forms"
    document = (place[1] / "quick-scan.md").read_text()
    assert "- [Alex] Forms are retyped at night." in document


@pytest.mark.parametrize("name", FAILURES)
@pytest.mark.rule("FAIL-1", "GREET-6")
def test_without_a_terminal_the_same_command_goes_on_where_it_failed(
    server: Service, place: tuple[Path, Path], name: str
) -> None:
    server.answers = failing(3, FAILURES[name])
    with pytest.raises(PanelFailed) as raised:
        discuss(place, by(server), "done")
    told = "".join(traceback.format_exception(raised.value))
    hold_no_key(told, str(raised.value))
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
    assert "stopped before its answer was complete." in error
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
    lines = discuss(place, by(server), "The forms are signed by two people in the basement.", "done")
    assert len(meta(place[1])["elaborations"]) == 1
    assert "synthesis" in kinds(lines)
    asked_for = [asked for asked in server.calls if "Now the synthesis." in asked.prompt]
    assert len(asked_for) == 2, "the synthesis is asked for twice, and no more"
    assert "<!-- Elaboration: step 00-01" in (place[1] / "quick-scan.md").read_text()


# --- falling back --------------------------------------------------------------------------------------


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
    hold_no_key(told)


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


# --- the command line ----------------------------------------------------------------------------------


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
    hold_no_key(ran.out, ran.err)
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
