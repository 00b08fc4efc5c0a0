"""The models that the user names: what they lack, how to ask a service or a program, and a panel of several.

One call, one connection, and no retries by a library: the panel decides what comes next.
"""

from __future__ import annotations

import asyncio
import codecs
import logging
import os
import re
import shlex
import shutil
import signal
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, TYPE_CHECKING, Any, Literal, cast

from msgspec import Struct

from ...address import find_problem, show_host
from ...content import read_tables
from ...core.commands import AskFiles, AskSynthesis
from ...core.errors import PanelFailed, RuleBroken
from ...core.text import strip_unprintable
from ..base import OFFLINE, LookUpsWanted, OnWords, Panel, PanelRequest, PanelWrapper, ignore_words
from .conversation import CHARACTERS_PER_TOKEN, Usage
from .panel import FailureKind, Meter, Model, ModelFailed, ModelPanel, Request

if TYPE_CHECKING:
    from pydantic_ai.models import Model as Service
    from pydantic_ai.models import StreamedResponse

_KNOWN = read_tables("models.toml")
_SPAN_TIME_LIMITS = ("OTEL_EXPORTER_OTLP_TIMEOUT", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT")
SERVICES = _KNOWN["services"]
KEYS: Mapping[str, Sequence[str]] = {kind: each["keys"] for kind, each in SERVICES.items() if each["keys"]}
# Kinds of failure after which the request may have been read, and so is paid for.
_PAID: tuple[FailureKind, ...] = ("time-out", "cut", "nonsense", "filtered")
_KEPT_OF_STDERR = 8 * 1024
# An escape sequence that the end of a piece has cut in two.
_CUT_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*+[ -/]*+|[\]PX^_][^\x07\x1b]*+\x1b?+|[ -/]*+)\Z")
# Arguments of a program that are keys, judging by their names: `--api-key K`, `--api-key=K`, `NAME_TOKEN=K`.
# A key after `=` is read once, to the end of its argument, so that a long argument is not slow.
_GIVEN_KEY = re.compile(
    r"(?i)(?:key|token|secret|password|credential|auth)[^=\0]{0,40}(?:=([^\0]+)|\0(?=([^\0]+)))"
)
_BY_HAND = "Try the command by hand, or name another model with --model."
Opened = Callable[[], AbstractAsyncContextManager["Service"]]


class Choice(Struct, frozen=True):
    """A model as the user named it: its kind, its name there, and the address to ask."""

    kind: Literal["anthropic", "openai", "google", "ollama", "compatible", "command", "offline"]
    name: str
    address: str = ""

    @property
    def label(self) -> str:
        """What the user calls it."""
        match self.kind:
            case "offline":
                return OFFLINE
            case "compatible":
                return f"{self.name} at {show_host(self.address)}"
            case "command":
                return CommandModel(self.name).name
        return f"{self.kind}:{self.name}"

    def key(self, environment: Mapping[str, str]) -> str:
        """Return the key to send; empty if none is set."""
        names = ("ROUNDTABLE_API_KEY",) if self.kind == "compatible" else KEYS.get(self.kind, ())
        return next(filter(None, map(environment.get, names)), "")


def read_choice(named: str, base_url: str = "") -> Choice:
    """Return the model with this name; raise RuleBroken if there is none."""
    prefix, colon, rest = named.strip().partition(":")
    match prefix:
        case "offline" if not colon:
            return Choice("offline", OFFLINE)
        case "anthropic" | "openai" | "google" | "ollama" | "command" if rest.strip():
            return Choice(prefix, rest.strip(), SERVICES[prefix]["address"] if prefix in SERVICES else "")
        case _ if base_url and named.strip():
            if problem := find_problem(base_url):
                raise RuleBroken(f"The address of the server {problem}.")
            return Choice("compatible", named.strip(), base_url)
    raise RuleBroken(f"There is no model '{named.strip()[:80]}'. {_KNOWN['names']}")


def names_of(names: Sequence[str], base_url: str = "") -> tuple[str, ...]:
    """Return the names of the models; a server without any is asked for its default."""
    return tuple(names) or (("default",) if base_url else ())


def choose(
    names: Sequence[str], base_url: str = "", *, meter: Meter = lambda _: None,
    news: Callable[[str], None] = lambda _: None, project: Path | None = None, seconds: float | None = None,
) -> Panel:  # fmt: skip
    """Return a panel of the named models, each used when those before it fail."""
    found = [read_choice(name, base_url) for name in names_of(names, base_url)]
    if all(choice.kind == OFFLINE for choice in found):
        named = "name one with --model, ROUNDTABLE_MODEL or in your own settings"
        raise RuleBroken(f"The model panel needs a model: {named}. `offline` is not a model.")

    def make(choice: Choice) -> Panel:
        if choice.kind == "offline":
            from ..offline import OfflinePanel

            return OfflinePanel(project)
        usual = 120.0 if choice.kind in KEYS else 300.0  # the user's own machine is slower
        return ModelPanel(model_of(choice), meter, seconds=seconds or usual)

    panels = [make(choice) for choice in found]
    return panels[0] if len(panels) == 1 else FallbackPanel(panels, news)


def model_of(choice: Choice) -> Model:
    """Return the chosen model, which is not offline; its library is only loaded when it is asked."""
    if choice.kind == "command":
        return CommandModel(choice.name)
    key = choice.key(os.environ)
    return HostedModel(choice.label, lambda: _open_service(choice, key), secrets=(key,))


class HostedModel:
    """A model that pydantic-ai can speak to."""

    def __init__(self, name: str, opened: Opened, *, secrets: tuple[str, ...] = ()) -> None:
        """`name` is what the user calls it; `secrets` never appear in a message."""
        self.name = name
        self._opened = opened
        self._secrets = secrets

    async def reply(self, request: Request) -> AsyncGenerator[str, None]:
        said = ""
        failure: ModelFailed | None = None
        stream: StreamedResponse | None = None
        try:
            from pydantic_ai.direct import model_request_stream
            from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta

            async with (
                self._opened() as service,
                model_request_stream(service, **_make_arguments(service, request)) as stream,
            ):
                async for event in stream:
                    match event:
                        case PartStartEvent(part=TextPart(text)) | PartDeltaEvent(delta=TextPartDelta(text)):
                            said += text
                            if text:
                                yield text
            if stream.finish_reason == "content_filter":
                failure = ModelFailed("filtered", self.name)
        except ModelFailed as known:
            failure = known
        except ImportError:
            failure = ModelFailed("not-installed", self.name)
        except Exception as error:
            kind, detail = _read_error(error, begun=bool(said))
            if kind == "time-out":
                when = ", and was in the middle of its answer" if said else ""
                detail = f"It was given {request.seconds:g} seconds{when}."
            failure = ModelFailed(kind, self.name, detail=detail, more=self._secrets)
        finally:
            is_paid = bool(said) or failure is None or failure.kind in _PAID
            used = Usage.estimate(request.conversation, said) if is_paid else Usage()
            if stream is not None and (stream.usage.input_tokens or stream.usage.output_tokens):
                found = stream.usage
                cached, stored = found.cache_read_tokens, found.cache_write_tokens
                used = Usage(found.input_tokens, found.output_tokens, cached, stored)
            request.report(used)
        if failure is not None:  # outside of the handler, so that nothing is chained to it
            raise failure


def _make_arguments(service: Service, request: Request) -> dict[str, Any]:
    """Return the library's arguments for a call: the lasting part of the conversation, turns and brief."""
    from pydantic_ai.messages import CachePoint, ModelRequest, SystemPromptPart, UserPromptPart
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition

    turns, brief = request.conversation.turns, request.conversation.brief
    said: str | list[str | CachePoint] = "\n\n".join((*turns, brief))
    settings = {"max_tokens": request.output_tokens, "request_timeout": request.seconds}
    if service.system != "function":  # it has no network that could be slow
        settings |= {"timeout": request.seconds, "max_retries": 0}
    if service.system == "anthropic":  # it caches only up to a mark
        # Each turn is a block of its own: only whole blocks are found again in the cache.
        said = [*turns, *([CachePoint()] if turns else []), brief]
        settings["anthropic_cache_instructions"] = True
    parameters = ModelRequestParameters()
    # A service that can follow a schema gets it; the brief describes the object in any case.
    if request.schema is not None and service.profile.get("supports_json_schema_output", False):
        shape = OutputObjectDefinition(dict(request.schema), name=request.purpose)
        parameters = ModelRequestParameters(output_mode="native", output_object=shape, allow_text_output=True)
    message = ModelRequest(parts=[SystemPromptPart(request.conversation.system), UserPromptPart(said)])
    return {"messages": [message], "model_settings": settings, "model_request_parameters": parameters}


def _read_error(error: Exception, *, begun: bool) -> tuple[FailureKind, str]:
    """Return which kind of failure a library's error is, and details worth showing."""
    from pydantic_ai import exceptions as api

    kinds: dict[FailureKind, tuple[type[Exception], ...]] = {
        "too-long": (api.ModelContextWindowExceededError,),
        "time-out": (TimeoutError, api.ModelTimeoutError, api.ModelRequestTimeout),
        "refused": (api.ModelAuthenticationError,),
        "quota": (api.ModelQuotaExceededError,),
        "rate-limit": (api.ModelRateLimitError,),
        "unknown-model": (api.ModelNotFoundError,),
        "filtered": (api.ContentFilterError,),
        "cut" if begun else "unreachable": (api.ModelConnectionError, OSError),
        "nonsense": (api.UnexpectedModelBehavior,),
    }
    if found := next((kind for kind, types in kinds.items() if isinstance(error, types)), None):
        wait = error.retry_after if isinstance(error, api.ModelRateLimitError) else None
        return found, f"It asks to wait {wait:.0f} seconds." if wait else ""
    match error:
        case api.ModelHTTPError(status_code=408 | 413 as status):
            return "time-out" if status == 408 else "too-long", ""
        case api.ModelRequestRejectedError(body=body):
            inner = body.get("error", body) if isinstance(body, dict) else None
            told = inner.get("message") if isinstance(inner, dict) else inner
            return "rejected", told if isinstance(told, str) else ""
        case api.ModelAPIError():
            return "cut" if begun else "server", ""
    return ("cut", "") if begun else ("server", f"({type(error).__name__})")


@asynccontextmanager
async def _open_service(choice: Choice, key: str) -> AsyncIterator[Service]:
    """Yield a connection to the service, with the key that is meant for it and no other."""
    if choice.kind in KEYS and not key:
        advice = f"Set {' or '.join(KEYS[choice.kind])}, or name another model; see roundtable doctor."
        raise ModelFailed("no-key", choice.label, do=advice)
    if choice.kind in ("anthropic", "google"):
        from pydantic_ai.models import infer_model
        from pydantic_ai.providers import infer_provider_class

        make: Any = infer_provider_class(choice.kind)
        async with make(api_key=key, base_url=choice.address) as service:
            yield infer_model(f"{choice.kind}:{choice.name}", lambda _: service)
        return
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    # A stream that ends without saying why was cut.
    profile = OpenAIModelProfile(openai_chat_streaming_requires_finish_reason=True)
    given: dict[str, Any] = {"base_url": choice.address, "api_key": key or None}
    is_openai = choice.kind == "openai"
    provider = OpenAIProvider(**given) if is_openai else OpenAICompatibleProvider(choice.kind, **given)
    async with provider:
        yield OpenAIChatModel(choice.name, provider=provider, profile=profile)


class CommandModel:
    """A program that is started anew for each reply, in an empty folder.

    An assistant takes settings and hooks from the folder it is in, and a project may come from anybody.
    """

    def __init__(self, command: str) -> None:
        """Take the user's command without `command:`; raise RuleBroken if it names no program."""
        try:
            self._command = shlex.split(command)
        except ValueError:
            raise RuleBroken("The command after command: has a quotation mark without its partner.") from None
        if not self._command or not self._command[0].strip():
            raise RuleBroken("There is no program after command:, such as command:llm.")
        # Without its folder and arguments, which may hold a key.
        self.name = f"command:{strip_unprintable(Path(self._command[0]).name) or 'program'}"

    def program(self) -> str | None:
        """Return the file that would be run; None if there is none."""
        # A relative folder in PATH may belong to the project; a path that the user gives is intended.
        folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
        path = os.pathsep.join(each for each in folders if Path(each).is_absolute())
        found = shutil.which(self._command[0], path=path)
        return str(Path(found).absolute()) if found else None

    async def reply(self, request: Request) -> AsyncGenerator[str, None]:
        """Yield what the program prints as it comes, cut to a limit as a service would do."""
        deadline = asyncio.get_running_loop().time() + request.seconds
        most = request.output_tokens * CHARACTERS_PER_TOKEN * 2  # twice what a service would be asked for
        said, held, decoder = "", "", codecs.getincrementaldecoder("utf-8")("replace")
        with (
            TemporaryDirectory(prefix="roundtable-", ignore_cleanup_errors=True) as folder,
            TemporaryFile() as prompt,  # not a pipe: nobody waits for a program that does not read
        ):
            prompt.write(request.conversation.text.encode("utf-8", "replace") + b"\n")
            prompt.seek(0)
            running = await self._start(request, folder, prompt)
            try:
                while len(said) < most:
                    async with asyncio.timeout_at(deadline):
                        data = await running.output.read(64 * 1024)
                    text = held + decoder.decode(data, final=not data)
                    cut = _CUT_ESCAPE.search(text, max(len(text) - 1_000, 0)) if data else None
                    text, held = (text[: cut.start()], cut[0]) if cut else (text, "")
                    piece = strip_unprintable(text)[: most - len(said)]
                    said += piece
                    if piece:
                        yield piece
                    if not data:
                        self._check(running.transport.get_returncode() or 0, said, bytes(running.errors))
                        break
            except TimeoutError:
                detail = f"It was given {request.seconds:g} seconds."
                raise ModelFailed("time-out", self.name, detail=detail) from None
            finally:
                request.report(Usage.estimate(request.conversation, said))
                await running.end()

    async def _start(self, request: Request, folder: str, prompt: IO[bytes]) -> RunningProgram:
        """Start the program in a session of its own, so that it cannot ask at our terminal."""
        program, start = self.program(), asyncio.get_running_loop().subprocess_exec
        options: dict[str, Any] = {"stdin": prompt, "cwd": folder, "start_new_session": True}
        try:
            return (await start(RunningProgram, program or "", *self._command[1:], **options))[1]
        except (OSError, ValueError):
            request.report(Usage())
        why = "It cannot be run here." if program else "There is no such program here."
        do = "Install it, or check the command in --model, ROUNDTABLE_MODEL or your own settings."
        raise ModelFailed("not-installed", self.name, detail=why, do=do)

    def _check(self, status: int, said: str, errors: bytes) -> None:
        if status == 0:
            if not said.strip():
                raise ModelFailed("nonsense", self.name, detail="It printed nothing.", do=_BY_HAND)
            return
        how = f"It was ended by signal {-status}" if status < 0 else f"It ended with status {status}"
        if len(errors) == _KEPT_OF_STDERR:  # the first word may be a part of a key
            errors = b"".join(errors.split(maxsplit=1)[1:])
        # What it wrote to stdout explains its end only if it wrote nothing to stderr.
        written = strip_unprintable(errors.decode("utf-8", "replace")).strip()
        last = (written or (said.strip() if status > 0 else "")).rpartition("\n")[2]
        detail = f"{how}: {last.rstrip('.')}." if last else f"{how}."
        kind: FailureKind = "cut" if said.strip() else "server"
        secrets = [found[1] or found[2] for found in _GIVEN_KEY.finditer("\0".join(self._command))]
        raise ModelFailed(kind, self.name, detail=detail, do=_BY_HAND, more=secrets)


class RunningProgram(asyncio.SubprocessProtocol):
    """A running program: its output, which ends with the program, and the end of its stderr."""

    def __init__(self) -> None:
        self.output = asyncio.StreamReader()
        self.errors = bytearray()
        self._has_ended = asyncio.Event()
        self._closing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.SubprocessTransport", transport)
        self.output.set_transport(cast("asyncio.BaseTransport", self.transport.get_pipe_transport(1)))

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 1:
            self.output.feed_data(data)
        else:  # read without end, so that the program never blocks
            self.errors += data
            del self.errors[:-_KEPT_OF_STDERR]
        if self._has_ended.is_set():
            self._close_when_silent()

    def process_exited(self) -> None:
        self._has_ended.set()
        self._close_when_silent()

    def _close_when_silent(self) -> None:
        """Read what still comes; do not wait for a silent process that holds the pipes."""
        if self._closing is not None:
            self._closing.cancel()
        self._closing = asyncio.get_running_loop().call_later(0.5, self.transport.close)

    def connection_lost(self, _exc: Exception | None) -> None:
        self.output.feed_eof()  # the program has ended, and its pipes are closed

    async def end(self) -> None:
        """End the program and all that it started, and close its pipes."""
        # The group: if the program itself is gone, the processes that it left keep the number.
        with suppress(ProcessLookupError, PermissionError, AttributeError):  # Windows has no groups
            os.killpg(self.transport.get_pid(), signal.SIGKILL)
        self.transport.close()  # this kills a program that still runs
        with suppress(TimeoutError):  # a process that the system itself cannot end
            await asyncio.wait_for(self._has_ended.wait(), timeout=5.0)


@cache
def trace_calls() -> bool:
    """Send a span for each call from now on, without its words; return whether OpenTelemetry is installed."""
    try:
        from opentelemetry.exporter.otlp.proto.http import trace_exporter
        from opentelemetry.sdk.trace import TracerProvider, export
        from pydantic_ai import Agent, InstrumentationSettings
    except ImportError:
        return False
    # At the end, one batch may be under way and one left: without a collector, we wait twice this time.
    is_time_set = any(name in os.environ for name in _SPAN_TIME_LIMITS)
    exporter = trace_exporter.OTLPSpanExporter(timeout=None if is_time_set else 0.5)
    # Not for every library of the process: others may send more.
    provider = TracerProvider()
    provider.add_span_processor(export.BatchSpanProcessor(exporter))
    Agent.instrument_all(InstrumentationSettings(tracer_provider=provider, include_content=False))
    # It would complain in the middle of the conversation.
    logging.getLogger(trace_exporter.__name__).disabled = True
    return True


def find_lacking(choice: Choice) -> str:
    """Return what a model needs and this machine lacks, without using the network; empty if nothing."""
    match choice.kind:
        case "offline":
            return ""
        case "command":
            return "" if CommandModel(choice.name).program() else "there is no such program to run"
        case _ if find_spec("pydantic_ai") is None:
            return 'needs a part that is not installed: pip install "path/to/roundtable[models]"'
        case kind if kind in KEYS and not choice.key(os.environ):
            return f"has no key; set {' or '.join(KEYS[kind])}"
    return ""


def check_reach(choice: Choice) -> tuple[str, bool]:
    """Return what is known about a model and whether it can be asked; no paid call is made."""
    if missing := find_lacking(choice):
        return missing, False
    if choice.kind == "offline":
        return "needs no network and no key", True
    if choice.kind == "command":
        program = CommandModel(choice.name).program()
        return f"runs {program}; whether it answers is only known when it is asked", True
    from http.client import HTTPException
    from urllib import error, request

    where = show_host(choice.address)
    try:
        request.urlopen(choice.address, timeout=3).close()  # without a key
    except error.HTTPError as answer:
        answer.close()
    except (OSError, ValueError, HTTPException):
        return f"{where} cannot be reached", False
    return f"{where} answers", True


class FallbackPanel(PanelWrapper):
    """A sequence of panels: if one fails, the next takes over for good."""

    def __init__(self, panels: Sequence[Panel], news: Callable[[str], None] = lambda _: None) -> None:
        """`news` receives a message when another panel takes over."""
        super().__init__(lambda: panels[0])
        self._others = panels[1:]
        self._news = news

    async def answer(self, request: PanelRequest, on_words: OnWords = ignore_words) -> Any:
        """Ask the panel that spoke last, then those after it; raise PanelFailed if none answers."""
        if isinstance(request, AskFiles):  # only advice: a failure is no reason to change panels
            return await self._panel.answer(request)
        is_first_synthesis = isinstance(request, AskSynthesis) and not request.problems
        failures: list[PanelFailed] = []
        for at, panel in enumerate((self._panel, *self._others)):
            try:
                # Words that were shown cannot be taken back: those of the next panel come in one piece.
                reply: Any = await panel.answer(request, ignore_words if failures else on_words)
            except PanelFailed as failure:
                # The rules send nonsense back to its author once; only then does the next panel try.
                if is_first_synthesis and isinstance(failure, ModelFailed) and failure.kind == "nonsense":
                    raise
                failures.append(failure)
                continue
            except LookUpsWanted as wanted:
                reply, wanted.is_after_failure = wanted, bool(failures)
            if failures:
                self._news(f"{' '.join(each.failed for each in failures)} {panel.name} goes on.")
                self._panel, self._others = panel, self._others[at:]
            if isinstance(reply, LookUpsWanted):  # it is asked again with the result
                raise reply
            return reply
        raise PanelFailed(" ".join(each.failed for each in failures), do=failures[-1].do)
