"""Spans: one a call, with what it used; no key and none of the words, however the call ends."""

from __future__ import annotations

import asyncio
import gzip
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import aclosing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import socket
from threading import Thread
from time import monotonic

import pytest
from opentelemetry.exporter.otlp.proto.http import trace_exporter
from opentelemetry.sdk.trace import ReadableSpan, export
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic_ai import Agent

from panel.model.asking import Asked, ask, conversation, request
from panel.model.service import USAGE, Reply, Service, says
from panel.model.wire import FAILURES, OWN, discuss, hold_no_key
from roundtable.panel.model.choice import model_of, read_choice, trace_calls
from roundtable.project import choose_panel
from roundtable.settings import Settings

pytestmark = pytest.mark.usefixtures("secret_keys")
Place = tuple[Path, Path]
SECRET = "The van is stolen"


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    """What is sent, once the panel of the settings was chosen."""
    exporter = InMemorySpanExporter()
    monkeypatch.setattr(trace_exporter, "OTLPSpanExporter", lambda **_: exporter)
    monkeypatch.setattr(export, "BatchSpanProcessor", export.SimpleSpanProcessor)
    trace_calls.cache_clear()
    yield exporter
    Agent.instrument_all(False)
    trace_calls.cache_clear()


def settings(server: Service, *, telemetry: bool = True) -> Settings:
    return Settings(panel="model", models=("tiny",), base_url=server.address, telemetry=telemetry)


def call(server: Service, reply: Reply, **more: bool) -> Asked:
    server.answers = lambda _: reply
    choose_panel(settings(server, **more), Path())
    told = conversation(f"{SECRET}, says the rule.", f"{SECRET}, says the brief.")
    return ask(model_of(read_choice("tiny", server.address)), conversation=told)


def hold_no_word(span: ReadableSpan) -> None:
    text = span.to_json()
    hold_no_key(text)
    assert SECRET not in text
    assert "We should" not in text


def test_a_call_is_a_span_with_its_figures_and_without_its_words(
    server: Service, spans: InMemorySpanExporter
) -> None:
    assert call(server, says(SECRET, usage=USAGE)).said == SECRET
    (span,) = spans.get_finished_spans()
    assert span.name == "chat tiny"
    assert span.attributes is not None
    assert span.attributes["gen_ai.request.model"] == "tiny"
    assert span.attributes["gen_ai.usage.input_tokens"] == 120
    assert span.attributes["gen_ai.usage.output_tokens"] == 34
    hold_no_word(span)


@pytest.mark.parametrize("reply", FAILURES.values(), ids=FAILURES)
def test_however_a_call_fails_its_span_holds_no_key_and_no_word(
    server: Service, spans: InMemorySpanExporter, reply: Reply
) -> None:
    assert call(server, reply).failure is not None
    (span,) = spans.get_finished_spans()
    hold_no_word(span)


def test_a_call_that_is_stopped_has_a_span_too(
    server: Service, spans: InMemorySpanExporter, caplog: pytest.LogCaptureFixture
) -> None:
    server.answers = lambda _: says(SECRET, " and gone", manner="stuck")
    asked = Asked()

    async def stop() -> None:
        choose_panel(settings(server), Path())
        model = model_of(read_choice("tiny", server.address))
        async with aclosing(model.reply(request(asked))) as pieces:
            await anext(pieces)

    asyncio.run(stop())
    (span,) = spans.get_finished_spans()
    hold_no_word(span)
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


def test_nothing_is_traced_unless_it_is_asked_for(server: Service, spans: InMemorySpanExporter) -> None:
    assert call(server, says(SECRET), telemetry=False).said == SECRET
    assert spans.get_finished_spans() == ()


def test_where_it_is_asked_for_and_not_installed_the_user_is_told(
    server: Service, spans: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    _, account = choose_panel(settings(server), Path())
    assert account is not None
    (told,) = account.take_news()
    assert 'pip install "path/to/roundtable[telemetry]"' in told
    assert call(server, says(SECRET)).said == SECRET
    assert spans.get_finished_spans() == ()


def test_each_call_of_a_discussion_is_a_span(
    server: Service, spans: InMemorySpanExporter, place: Place
) -> None:
    make_panel, _ = choose_panel(settings(server), place[1])
    discuss(place, make_panel(), f"{SECRET}.", "done", "accept")
    found = spans.get_finished_spans()
    assert len(found) == len(server.calls) > 3
    assert OWN in server.calls[0].headers["authorization"]
    for span in found:
        hold_no_word(span)


class Collector(BaseHTTPRequestHandler):
    """Takes what is sent to it."""

    taken: list[tuple[str, bytes]] = []  # noqa: RUF012

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.taken.append((self.path, gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def run(server: Service, place: Place, port: int) -> subprocess.Popen[str]:
    """Hold one discussion through the command, with spans for whoever listens at the port."""
    root, item = place
    command = [sys.executable, "-m", "roundtable", "elaborate", item.name, "--step", "00-01"]
    command += ["--root", str(root), "--model", "tiny", "--base-url", server.address, "--answers", "-"]
    there = {"ROUNDTABLE_TELEMETRY": "1", "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}"}
    pipe = subprocess.PIPE
    running = subprocess.Popen(
        command, text=True, env=os.environ | there, stdin=pipe, stdout=pipe, stderr=pipe
    )
    assert running.stdin is not None
    running.stdin.write(f"{SECRET}.\ndone\n")
    running.stdin.close()
    running.stdin = None
    return running


def test_the_command_sends_spans_to_the_collector_that_the_user_names(server: Service, place: Place) -> None:
    Collector.taken.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Collector) as collector:
        Thread(target=collector.serve_forever, daemon=True).start()
        running = run(server, place, collector.server_port)
        _, errors = running.communicate()
        collector.shutdown()
    assert (running.returncode, errors) == (0, "")
    assert {path for path, _ in Collector.taken} == {"/v1/traces"}
    sent = b"".join(body for _, body in Collector.taken).decode("utf-8", "replace")
    assert "chat tiny" in sent
    assert SECRET not in sent
    hold_no_key(sent)


@pytest.mark.parametrize("is_silent", [False, True], ids=["closed port", "nobody answers"])
def test_without_a_collector_the_command_ends_soon_and_quietly(
    server: Service, place: Place, *, is_silent: bool
) -> None:
    with socket() as listener:
        listener.bind(("127.0.0.1", 0))
        if is_silent:
            listener.listen()
        with run(server, place, listener.getsockname()[1]) as running:
            assert running.stdout is not None
            assert running.stderr is not None
            said = [monotonic() for _ in running.stdout]
            errors = running.stderr.read()
    assert monotonic() - said[-1] < 6  # one second, and what a busy machine adds
    assert running.returncode == 0
    assert errors == ""
