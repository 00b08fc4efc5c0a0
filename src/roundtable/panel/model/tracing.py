"""Tracing: an OpenTelemetry span for each call, with what it used; the words only where that is asked for.

Without OpenTelemetry no model is `Traced`; where nothing collects its spans, nothing happens.
"""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator
from contextlib import aclosing

from msgspec.structs import replace

from .model import Model, ModelFailed, Request, Usage

CONTENT = "ROUNDTABLE_TRACE_CONTENT"
"""The variable that lets the words themselves into the spans."""
_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")


def collect() -> bool:
    """Send spans where the usual variables of OpenTelemetry say; False where they say nothing."""
    if not any(os.environ.get(name) for name in _ENDPOINTS):
        return False
    try:
        from opentelemetry import trace
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        return False
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    return True


class Traced:
    """Another model, with a span around each call."""

    def __init__(self, model: Model) -> None:
        self.name = model.name
        self._model = model

    async def reply(self, request: Request) -> AsyncGenerator[str, None]:
        from opentelemetry import trace

        with_content = os.environ.get(CONTENT, "") not in ("", "0")
        sent, said = request.conversation.text, ""
        span = trace.get_tracer("roundtable").start_span("roundtable.reply")
        span.set_attributes({"gen_ai.request.model": self.name, "roundtable.request_characters": len(sent)})

        def report(usage: Usage) -> None:
            span.set_attribute("gen_ai.usage.input_tokens", usage.input)
            span.set_attribute("gen_ai.usage.output_tokens", usage.output)
            span.set_attribute("gen_ai.usage.cache_read_tokens", usage.cached)
            request.report(usage)

        try:
            async with aclosing(self._model.reply(replace(request, report=report))) as pieces:
                async for piece in pieces:
                    said += piece
                    yield piece
        except ModelFailed as failure:
            span.set_attribute("error.type", failure.kind)
            raise
        finally:
            if with_content:
                span.set_attributes({"roundtable.request": sent, "roundtable.reply": said})
            span.end()
