"""Hosted: a model behind an address, through pydantic-ai, which is imported when the first word is asked for.

One call, one connection, no retries of the library's own: what comes next is for the panel to decide.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, cast

from .model import Conversation, FailureKind, ModelFailed, Request, Usage, make_failure

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelRequest, ModelResponseStreamEvent
    from pydantic_ai.models import Model as Service
    from pydantic_ai.models import ModelRequestParameters, StreamedResponse
    from pydantic_ai.settings import ModelSettings

_DAY = 24 * 3_600
_UNITS = ((3_600, "hours"), (60, "minutes"), (1, "seconds"))

Opened = Callable[[], AbstractAsyncContextManager["Service"]]
"""Opens a connection to the service; closing it lets everything go."""


class HostedModel:
    """A model that pydantic-ai can speak to."""

    def __init__(self, name: str, opened: Opened, *, secrets: tuple[str, ...] = ()) -> None:
        """`name` is what the user calls it; `secrets` are never to be seen in a message."""
        self._name = name
        self._opened = opened
        self._secrets = secrets

    @property
    def name(self) -> str:
        return self._name

    async def reply(self, request: Request) -> AsyncGenerator[str, None]:
        said = ""
        failure: ModelFailed | None = None
        stream: StreamedResponse | None = None
        is_unpaid = True
        try:
            from pydantic_ai.direct import model_request_stream

            async with self._opened() as service:
                is_unpaid = False
                async with model_request_stream(
                    service,
                    [_message(request.conversation, cached=_wants_marks(service))],
                    model_settings=_settings(service, request),
                    model_request_parameters=_parameters(service, request),
                ) as stream:
                    async for event in stream:
                        if words := _words(event):
                            said += words
                            yield words
            if stream.finish_reason == "content_filter":
                failure = make_failure("filtered", self._name)
        except ModelFailed as known:
            failure = known
        except Exception as error:
            failure = self._failure(error, request, begun=bool(said))
            is_unpaid = is_unpaid or isinstance(error, ImportError) or _is_unpaid(error)
        finally:
            request.report(Usage() if is_unpaid and not said else _read_usage(stream, request, said))
        if failure is not None:  # outside of the handler, so that nothing is chained to it
            raise failure

    def _failure(self, error: Exception, request: Request, *, begun: bool) -> ModelFailed:
        if isinstance(error, ImportError):
            return make_failure("not-installed", self._name)
        kind, detail = _kind(error, begun=begun)
        if kind == "time-out":
            when = ", and was in the middle of its answer" if begun else ""
            detail = f"It was given {request.seconds:g} seconds{when}."
        return make_failure(kind, self._name, detail=detail, more=self._secrets)


def _read_usage(stream: StreamedResponse | None, request: Request, said: str) -> Usage:
    """Return what the service says it used, or an estimate where it does not say."""
    found = stream.usage if stream is not None else None
    if found is None or not (found.input_tokens or found.output_tokens):
        return Usage.estimate(request.conversation, said)
    return Usage(found.input_tokens, found.output_tokens, found.cache_read_tokens, found.cache_write_tokens)


def _message(conversation: Conversation, *, cached: bool) -> ModelRequest:
    """The conversation as one request: the lasting part, then the turns, then the brief."""
    from pydantic_ai.messages import CachePoint, ModelRequest, SystemPromptPart, UserPromptPart

    system = SystemPromptPart(conversation.system)
    if not cached:
        said = "\n\n".join((*conversation.turns, conversation.brief))
        return ModelRequest(parts=[system, UserPromptPart(said)])
    # Each turn is a block of its own: only whole blocks are found again in the cache.
    mark = [CachePoint()] if conversation.turns else []
    return ModelRequest(parts=[system, UserPromptPart([*conversation.turns, *mark, conversation.brief])])


def _wants_marks(service: Service) -> bool:
    """True for services that cache only up to a mark."""
    return service.system == "anthropic"


def _settings(service: Service, request: Request) -> ModelSettings:
    from pydantic_ai.settings import ModelSettings

    settings = ModelSettings(max_tokens=request.output_tokens, request_timeout=request.seconds)
    if service.system != "function":  # that one has no wire that could be slow
        settings["timeout"], settings["max_retries"] = request.seconds, 0
    if _wants_marks(service):
        return cast("ModelSettings", {**settings, "anthropic_cache_instructions": True})
    return settings


def _parameters(service: Service, request: Request) -> ModelRequestParameters:
    """Where the service can be held to a schema, it is; the brief describes the object in any case."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition

    if request.schema is None or not service.profile.get("supports_json_schema_output", False):
        return ModelRequestParameters()
    shape = OutputObjectDefinition(dict(request.schema), name=request.shape)
    return ModelRequestParameters(output_mode="native", output_object=shape, allow_text_output=True)


def _words(event: ModelResponseStreamEvent) -> str:
    from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta

    match event:
        case PartStartEvent(part=TextPart(content=words)):
            return words
        case PartDeltaEvent(delta=TextPartDelta(content_delta=words)):
            return words
        case _:
            return ""


def _is_unpaid(error: Exception) -> bool:
    """True where the request did not get there, or was refused before anything was read of it."""
    from pydantic_ai import exceptions as api

    match error:
        case api.ModelHTTPError():
            return not error.in_stream
        case api.ModelConnectionError():
            return error.phase in ("pool", "connect")
        case api.ModelRateLimitError() | api.ModelQuotaExceededError() | api.ModelRequestRejectedError():
            return True
        case _:
            return isinstance(error, OSError) and not isinstance(error, TimeoutError)


def _kind(error: Exception, *, begun: bool) -> tuple[FailureKind, str]:
    """What kind of failure an error of the library is, and what is worth telling of it."""
    from pydantic_ai import exceptions as api

    broken: FailureKind = "cut" if begun else "unreachable"
    match error:
        case api.ModelHTTPError(status_code=413) | api.ModelContextWindowExceededError():
            return "too-long", ""
        case (
            api.ModelHTTPError(status_code=408)
            | api.ModelTimeoutError()
            | api.ModelRequestTimeout()
            | TimeoutError()
        ):
            return "time-out", ""
        case api.ModelAuthenticationError():
            return "refused", ""
        case api.ModelRateLimitError():
            return "rate-limit", _wait(error.retry_after)
        case api.ModelQuotaExceededError():
            return "quota", ""
        case api.ModelNotFoundError():
            return "unknown-model", ""
        case api.ModelRequestRejectedError(
            body={"error": {"message": str(message)}} | {"message": str(message)} | {"error": str(message)}
        ):
            return "rejected", message
        case api.ModelRequestRejectedError():
            return "rejected", ""
        case api.ContentFilterError():
            return "filtered", ""
        case api.ModelConnectionError() | OSError():
            return broken, ""
        case api.UnexpectedModelBehavior():
            return "nonsense", ""
        case api.ModelAPIError():
            unread = isinstance(error.__cause__, ValueError)  # what came was no JSON
            return ("cut" if begun else "nonsense" if unread else "server"), ""
        case _:
            return ("cut" if begun else "server"), f"({type(error).__name__})"


def _wait(seconds: float | None) -> str:
    """How long a service asks to wait, in a unit that a person can use."""
    if not seconds:
        return ""
    if seconds >= _DAY:
        return "It asks to wait for more than a day."
    size, unit = next(((size, unit) for size, unit in _UNITS if seconds > 2 * size), _UNITS[-1])
    return f"It asks to wait {-int(-seconds // size)} {unit}."
