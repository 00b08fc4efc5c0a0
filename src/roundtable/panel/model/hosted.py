"""Hosted: a model behind an address, through pydantic-ai, which is imported when the first word is asked for.

One call, one connection, no retries of the library's own: what comes next is for the panel to decide.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager
from math import ceil, isfinite
from typing import TYPE_CHECKING, cast

from .model import Conversation, FailureKind, ModelFailed, Request, Usage, make_failure

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelRequest
    from pydantic_ai.models import Model as Service
    from pydantic_ai.models import ModelRequestParameters, StreamedResponse
    from pydantic_ai.settings import ModelSettings

_NEEDS_MARKS = "anthropic"  # the service that caches only up to a mark

Opened = Callable[[], AbstractAsyncContextManager["Service"]]
"""Opens a connection to the service; closing it lets everything go."""


class HostedModel:
    """A model that pydantic-ai can speak to."""

    def __init__(self, name: str, opened: Opened, *, secrets: tuple[str, ...] = ()) -> None:
        """`name` is what the user calls it; `secrets` are never to be seen in a message."""
        self.name = name
        self._opened = opened
        self._secrets = secrets

    async def reply(self, request: Request) -> AsyncGenerator[str, None]:
        said = ""
        failure: ModelFailed | None = None
        stream: StreamedResponse | None = None
        is_unpaid = True
        try:
            from pydantic_ai.direct import model_request_stream
            from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta

            async with self._opened() as service:
                is_unpaid = False
                async with model_request_stream(
                    service,
                    [_message(request.conversation, service)],
                    model_settings=_settings(service, request),
                    model_request_parameters=_parameters(service, request),
                ) as stream:
                    async for event in stream:
                        match event:
                            case (
                                PartStartEvent(part=TextPart(words))
                                | PartDeltaEvent(delta=TextPartDelta(words))
                            ) if words:
                                said += words
                                yield words
            if stream.finish_reason == "content_filter":
                failure = make_failure("filtered", self.name)
        except ModelFailed as known:
            failure = known
        except ImportError:
            is_unpaid, failure = True, make_failure("not-installed", self.name)
        except Exception as error:
            kind, detail = _kind(error, begun=bool(said))
            if kind == "time-out":
                when = ", and was in the middle of its answer" if said else ""
                detail = f"It was given {request.seconds:g} seconds{when}."
            failure = make_failure(kind, self.name, detail=detail, more=self._secrets)
            is_unpaid = is_unpaid or _is_unpaid(error)
        finally:
            used = Usage() if is_unpaid and not said else Usage.estimate(request.conversation, said)
            if stream is not None and (stream.usage.input_tokens or stream.usage.output_tokens):
                found = stream.usage
                cached, stored = found.cache_read_tokens, found.cache_write_tokens
                used = Usage(found.input_tokens, found.output_tokens, cached, stored)
            request.report(used)
        if failure is not None:  # outside of the handler, so that nothing is chained to it
            raise failure


def _message(conversation: Conversation, service: Service) -> ModelRequest:
    """The conversation as one request: the lasting part, then the turns, then the brief."""
    from pydantic_ai.messages import CachePoint, ModelRequest, SystemPromptPart, UserPromptPart

    said: str | list[str | CachePoint] = "\n\n".join((*conversation.turns, conversation.brief))
    if service.system == _NEEDS_MARKS:
        # Each turn is a block of its own: only whole blocks are found again in the cache.
        mark = [CachePoint()] if conversation.turns else []
        said = [*conversation.turns, *mark, conversation.brief]
    return ModelRequest(parts=[SystemPromptPart(conversation.system), UserPromptPart(said)])


def _settings(service: Service, request: Request) -> ModelSettings:
    settings = {"max_tokens": request.output_tokens, "request_timeout": request.seconds}
    if service.system != "function":  # that one has no wire that could be slow
        settings |= {"timeout": request.seconds, "max_retries": 0}
    if service.system == _NEEDS_MARKS:
        settings["anthropic_cache_instructions"] = True
    return cast("ModelSettings", settings)


def _parameters(service: Service, request: Request) -> ModelRequestParameters:
    """Where the service can be held to a schema, it is; the brief describes the object in any case."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition

    if request.schema is None or not service.profile.get("supports_json_schema_output", False):
        return ModelRequestParameters()
    shape = OutputObjectDefinition(dict(request.schema), name=request.shape)
    return ModelRequestParameters(output_mode="native", output_object=shape, allow_text_output=True)


def _is_unpaid(error: Exception) -> bool:
    """Whether the request did not get there, or was refused before anything was read of it."""
    from pydantic_ai import exceptions as api

    if isinstance(error, api.ModelHTTPError):
        return not error.in_stream
    if isinstance(error, api.ModelConnectionError):
        return error.phase in ("pool", "connect")
    refused = (api.ModelRateLimitError, api.ModelQuotaExceededError, api.ModelRequestRejectedError)
    return isinstance(error, refused) or (isinstance(error, OSError) and not isinstance(error, TimeoutError))


def _kind(error: Exception, *, begun: bool) -> tuple[FailureKind, str]:
    """What kind of failure an error of the library is, and what is worth telling of it."""
    from pydantic_ai import exceptions as api

    kinds: dict[FailureKind, tuple[type[Exception], ...]] = {
        "too-long": (api.ModelContextWindowExceededError,),
        "time-out": (TimeoutError, api.ModelTimeoutError, api.ModelRequestTimeout),
        "refused": (api.ModelAuthenticationError,),
        "quota": (api.ModelQuotaExceededError,),
        "unknown-model": (api.ModelNotFoundError,),
        "filtered": (api.ContentFilterError,),
        "cut" if begun else "unreachable": (api.ModelConnectionError, OSError),
        "nonsense": (api.UnexpectedModelBehavior,),
    }
    if found := next((kind for kind, types in kinds.items() if isinstance(error, types)), None):
        return found, ""
    match error:
        case api.ModelHTTPError(status_code=413 | 408):
            return "too-long" if error.status_code == 413 else "time-out", ""
        case api.ModelRateLimitError():
            seconds = error.retry_after if error.retry_after and isfinite(error.retry_after) else 0
            wait = f"{ceil(seconds / 60)} minutes" if seconds > 120 else f"{ceil(seconds)} seconds"
            return "rate-limit", f"It asks to wait {wait}." if seconds else ""
        case api.ModelRequestRejectedError():
            match error.body:
                case {"error": {"message": str(message)} | str(message)} | {"message": str(message)}:
                    return "rejected", message
            return "rejected", ""
        case api.ModelAPIError():  # a ValueError is what came of words that were no JSON
            is_nonsense = isinstance(error.__cause__, ValueError)
            return "cut" if begun else "nonsense" if is_nonsense else "server", ""
        case _:
            return ("cut", "") if begun else ("server", f"({type(error).__name__})")
