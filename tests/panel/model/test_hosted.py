"""A hosted model: its words as they come, what they used, and every way to fail, without a key in sight."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import get_args

import pytest
from msgspec.structs import replace
from pydantic_ai import exceptions as api
from pydantic_ai.messages import CachePoint, ModelMessage, SystemPromptPart, UserPromptPart
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, FunctionModel

from roundtable.content import read_tables
from roundtable.core.errors import PanelFailed
from roundtable.panel.model import choice as hosted
from roundtable.panel.model.choice import HostedModel
from roundtable.panel.model.conversation import Conversation, Usage
from roundtable.panel.model.panel import FailureKind, ModelFailed, Request, hide, redact_text

CANARY = "sk-canary-0123456789abcdef"
TALK = Conversation("Rules.", ("Turn 1.", "Turn 2."), "Now.")
PAID = ("time-out", "cut", "nonsense", "filtered")
"""Kinds of failure after which the words may have been read, and so are paid for."""


class Wire:
    """A service that yields pieces, then ends or raises."""

    def __init__(self, *pieces: str, error: BaseException | None = None) -> None:
        self.pieces, self.error = pieces, error
        self.seen: list[tuple[list[ModelMessage], AgentInfo]] = []
        self.closed = False

    async def stream(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        self.seen.append((messages, info))
        for piece in self.pieces:
            yield piece
        if self.error is not None:
            raise self.error

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Model]:
        try:
            yield FunctionModel(stream_function=self.stream, model_name="wire")
        finally:
            self.closed = True


def ask(wire: Wire, used: list[Usage], *, schema: dict[str, object] | None = None) -> list[str]:
    model = HostedModel("test:wire", wire.opened, secrets=(CANARY,))

    async def run() -> list[str]:
        request = Request(TALK, used.append, 99, 5.0, "thing" if schema else "", schema)
        async with aclosing(model.reply(request)) as pieces:
            return [piece async for piece in pieces]

    return asyncio.run(run())


def test_the_words_come_as_they_are_written_and_what_they_used_is_reported_once() -> None:
    wire, used = Wire("The ", "van ", "waits."), list[Usage]()
    assert ask(wire, used) == ["The ", "van ", "waits."]
    (usage,) = used
    assert usage.output > 0
    assert usage.input > 0
    assert not usage.estimated
    assert wire.closed
    ((messages, info),) = wire.seen
    system, prompt = messages[0].parts
    assert isinstance(system, SystemPromptPart)
    assert isinstance(prompt, UserPromptPart)
    assert (system.content, prompt.content) == ("Rules.", "Turn 1.\n\nTurn 2.\n\nNow.")
    assert info.model_settings is not None
    assert info.model_settings["max_tokens"] == 99
    assert info.model_settings["request_timeout"] == 5.0
    assert info.model_request_parameters.output_mode == "text"


def test_a_shape_is_asked_for_natively_where_the_service_can() -> None:
    wire = Wire("{}")
    schema: dict[str, object] = {
        "type": "object",
        "properties": {},
        "required": [],
        "additionalProperties": False,
    }
    ask(wire, [], schema=schema)
    parameters = wire.seen[0][1].model_request_parameters
    assert parameters.output_mode == "native"
    assert parameters.output_object is not None
    assert (parameters.output_object.name, parameters.output_object.json_schema) == ("thing", schema)


def test_a_reader_that_leaves_closes_everything_and_is_still_charged() -> None:
    wire, used = Wire("The ", "van ", "waits."), list[Usage]()

    async def run() -> None:
        async with aclosing(
            HostedModel("x", wire.opened).reply(Request(TALK, used.append, 9, 5.0))
        ) as pieces:
            async for _ in pieces:
                break

    asyncio.run(run())
    assert wire.closed
    assert len(used) == 1


@pytest.mark.rule("FAIL-1")
@pytest.mark.parametrize(
    ("error", "kind", "says"),
    [
        (api.ModelAuthenticationError("m", f"bad key {CANARY}"), "refused", "refused the key. Check the key"),
        (api.ModelRateLimitError("m", "slow", retry_after=30.0), "rate-limit", "It asks to wait 30 seconds."),
        (api.ModelRateLimitError("m", "slow"), "rate-limit", "asked too often. Wait and try again"),
        (api.ModelQuotaExceededError("m", "pay"), "quota", "quota or credit is used up"),
        (api.ModelTimeoutError("m", "late"), "time-out", "did not answer in time"),
        (TimeoutError(), "time-out", "did not answer in time"),
        (api.ModelConnectionError("m", "gone"), "unreachable", "cannot be reached"),
        (ConnectionRefusedError(), "unreachable", "cannot be reached"),
        (api.ModelServerError("m", "500"), "server", "failed on its side"),
        (api.ModelOverloadedError("m", "busy"), "server", "failed on its side"),
        (api.ModelContextWindowExceededError("m", "long"), "too-long", "so long a conversation"),
        (api.ModelNotFoundError("m", "what"), "unknown-model", "is not known"),
        (
            api.ModelRequestRejectedError("m", "no", body={"error": {"message": f"no {CANARY} here"}}),
            "rejected",
            "rejected the request. no [hidden] here",
        ),
        (api.ContentFilterError("no"), "filtered", "a content filter"),
        (api.UnexpectedModelBehavior("odd"), "nonsense", "cannot be used"),
        (api.ModelAPIError("m", "odd"), "server", "failed on its side"),
        (RuntimeError(CANARY), "server", "failed on its side. (RuntimeError)"),
        (ImportError("pydantic_ai"), "not-installed", "pip install"),
    ],
)
def test_every_failure_says_what_it_is_and_what_to_do(error: Exception, kind: FailureKind, says: str) -> None:
    used: list[Usage] = []
    with pytest.raises(ModelFailed) as failure:
        ask(Wire(error=error), used)
    assert failure.value.kind == kind
    assert str(failure.value).startswith("test:wire ")
    assert says in str(failure.value)
    assert failure.value.do
    assert isinstance(failure.value, PanelFailed)
    assert used == [Usage.estimate(TALK, "") if kind in PAID else Usage()]
    _holds_no_key(failure.value)


def test_every_kind_of_failure_has_its_words_in_the_table_and_no_other() -> None:
    assert set(read_tables("models.toml")["failures"]) == set(get_args(FailureKind))


@pytest.mark.rule("FAIL-1")
@pytest.mark.parametrize(
    "error",
    [api.ModelConnectionError("m", "gone"), api.ModelAPIError("m", "odd"), KeyError(CANARY)],
)
def test_a_stream_that_breaks_off_is_cut_and_what_it_used_is_estimated(error: Exception) -> None:
    used: list[Usage] = []
    with pytest.raises(ModelFailed, match="stopped before its answer") as failure:
        ask(Wire("The van", error=error), used)
    assert failure.value.kind == "cut"
    assert len(used) == 1
    assert used[0].input > 0
    _holds_no_key(failure.value)


def _holds_no_key(failure: BaseException) -> None:
    """Neither in the message nor in anything that a traceback could show."""
    assert CANARY not in "".join(traceback.format_exception(failure))
    assert failure.__cause__ is None
    assert failure.__context__ is None


@pytest.mark.parametrize("system", ["anthropic", "openai"])
def test_marks_for_the_cache_are_set_where_the_service_wants_them(system: str) -> None:
    class Service(FunctionModel):
        @property
        def system(self) -> str:
            return system

    service = Service(stream_function=Wire("x").stream)
    request = Request(TALK, lambda _: None, 9, 5.0)
    sent = hosted._make_arguments(service, request)
    prompt, settings = sent["messages"][0].parts[1], sent["model_settings"]
    assert isinstance(prompt, UserPromptPart)
    assert (settings["max_retries"], settings["timeout"]) == (0, 5.0)
    if system == "anthropic":
        assert list(prompt.content) == ["Turn 1.", "Turn 2.", CachePoint(), "Now."]
        opening = replace(request, conversation=Conversation(TALK.system, (), TALK.brief))
        first = hosted._make_arguments(service, opening)["messages"][0].parts[1]
        assert isinstance(first, UserPromptPart)
        assert list(first.content) == ["Now."]
        assert settings["anthropic_cache_instructions"] is True
    else:
        assert prompt.content == "Turn 1.\n\nTurn 2.\n\nNow."
        assert "anthropic_cache_instructions" not in settings


@pytest.mark.parametrize(
    "text",
    [
        f"key {CANARY}",
        "Bearer abcdef.123",
        "https://user:secretpass@host/v1",
        "AIzaSyA1234567890abcdefghijk",
        "?key=abcdefgh&x",
        "api-key: nothing",
        "own-token-value-1",
    ],
)
def test_what_is_or_looks_like_a_key_is_hidden(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "own-token-value-1")
    monkeypatch.setenv("SHORT_KEY", "before")
    said = hide(f"before {text} after")
    assert said.startswith("before ")
    for secret in (CANARY, "abcdef.123", "secretpass", "AIzaSyA", "=abcdefgh", "own-token"):
        assert secret not in said


def test_what_a_service_says_is_one_short_line() -> None:
    assert redact_text("a\n\x1b[31mb") == "a b"
    assert redact_text("sk-can\x1b[0mary-0123") == "[hidden]"
    assert len(redact_text("x" * 1_000)) == 200
