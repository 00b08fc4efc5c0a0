"""Tracing: one span a call, with figures; words only where they are asked for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from roundtable.panel.model.model import Conversation, ModelFailed, Request, Usage, make_failure
from roundtable.panel.model.tracing import Traced, collect

SECRET = "The van is stolen."


class Speaking:
    """Says one thing, and fails where it is told to."""

    name = "test:m"

    def __init__(self, *, fails: bool = False) -> None:
        self.fails = fails

    async def reply(self, request: Request) -> AsyncGenerator[str, None]:
        yield SECRET
        request.report(Usage(10, 2, 5))
        if self.fails:
            raise make_failure("cut", self.name)


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    yield exporter
    provider.shutdown()


def call(model: Speaking) -> list[Usage]:
    used: list[Usage] = []
    request = Request(Conversation("", (), f"Now. {SECRET}"), used.append, 9, 5.0)

    async def run() -> None:
        assert [piece async for piece in Traced(model).reply(request)] == [SECRET]

    asyncio.run(run())
    return used


def test_a_call_is_a_span_with_its_figures_and_without_its_words(spans: InMemorySpanExporter) -> None:
    assert call(Speaking()) == [Usage(10, 2, 5)]
    (span,) = spans.get_finished_spans()
    assert span.name == "roundtable.reply"
    assert span.attributes == {
        "gen_ai.request.model": "test:m",
        "gen_ai.usage.input_tokens": 10,
        "gen_ai.usage.output_tokens": 2,
        "gen_ai.usage.cache_read_tokens": 5,
        "roundtable.request_characters": 23,
    }
    assert SECRET not in span.to_json()


def test_the_words_are_there_where_they_are_asked_for(
    spans: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROUNDTABLE_TRACE_CONTENT", "1")
    call(Speaking())
    (span,) = spans.get_finished_spans()
    assert _attribute(span, "roundtable.reply") == SECRET
    assert _attribute(span, "roundtable.request") == f"Now. {SECRET}"


def test_a_failure_has_its_kind(spans: InMemorySpanExporter) -> None:
    with pytest.raises(ModelFailed):
        call(Speaking(fails=True))
    (span,) = spans.get_finished_spans()
    assert _attribute(span, "error.type") == "cut"
    assert SECRET not in span.to_json()


def test_nothing_is_collected_unless_the_environment_says_where(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", raising=False)
    assert collect() is False
    made: list[object] = []
    monkeypatch.setattr(trace, "set_tracer_provider", made.append)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:9")
    assert collect() is True
    (provider,) = made
    assert isinstance(provider, TracerProvider)
    provider.shutdown()


def _attribute(span: ReadableSpan, name: str) -> object:
    assert span.attributes is not None
    return span.attributes[name]
