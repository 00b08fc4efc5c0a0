"""Which models were named, what they lack, and the panel that speaks with them: the first that answers."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from ...address import find_problem, show_host
from ...core.commands import AskSynthesis, AskVerdict
from ...core.errors import PanelFailed, RuleBroken
from ..base import OFFLINE, AskFiles, OnWords, Panel, PanelRequest, PanelWrapper, ignore_words
from .command import CommandModel
from .hosted import HostedModel
from .model import Model, ModelFailed, make_failure
from .panel import LOCAL_SECONDS, SECONDS, Meter, ModelPanel

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic_ai.models import Model as Service


News = Callable[[str], None]
ModelKind = Literal["anthropic", "openai", "google", "ollama", "compatible", "command", "offline"]
DEFAULT = "default"
"""What a server is asked for that has one model only."""
OWN_KEY = "ROUNDTABLE_API_KEY"
_PATIENCE = 3.0
KEYS: Mapping[ModelKind, tuple[str, ...]] = {
    "anthropic": ("ANTHROPIC_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "google": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
}
ADDRESSES: Mapping[ModelKind, str] = {
    "anthropic": "https://api.anthropic.com",
    "openai": "https://api.openai.com/v1",
    "google": "https://generativelanguage.googleapis.com",
    "ollama": "http://localhost:11434/v1",
}


class Choice(Struct, frozen=True):
    """A model as it was named: its kind, its name there, and the address where it is asked."""

    kind: ModelKind
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
                return CommandModel(self.name).name  # the arguments may hold a key
            case _:
                return f"{self.kind}:{self.name}"

    def key(self, environment: Mapping[str, str]) -> str:
        """The key to send; empty if none is set."""
        names = KEYS.get(self.kind, (OWN_KEY,) if self.kind == "compatible" else ())
        return next((environment[name] for name in names if environment.get(name)), "")


def read_choice(named: str, base_url: str = "") -> Choice:
    """What a model's name stands for; RuleBroken where it stands for nothing."""
    prefix, colon, rest = named.strip().partition(":")
    match prefix:
        case "offline" if not colon:
            return Choice("offline", OFFLINE)
        case "anthropic" | "openai" | "google" | "ollama" | "command" if rest.strip():
            return Choice(prefix, rest.strip(), ADDRESSES.get(prefix, ""))
        case _ if base_url and named.strip():
            if problem := find_problem(base_url):
                raise RuleBroken(f"The address of the server {problem}.")
            return Choice("compatible", named.strip(), base_url)
        case _:
            raise RuleBroken(
                f"There is no model '{named.strip()[:80]}'. Name one as anthropic:NAME, openai:NAME, "
                "google:NAME, ollama:NAME or command:PROGRAM, or give its server's address with --base-url."
            )


def names_of(names: Sequence[str], base_url: str = "") -> tuple[str, ...]:
    """The names of the models; a server that is named alone is asked for the one it has."""
    return tuple(names) or ((DEFAULT,) if base_url else ())


def choose(
    names: Sequence[str],
    base_url: str = "",
    *,
    meter: Meter = lambda _: None,
    news: News = lambda _: None,
    project: Path | None = None,
    seconds: float | None = None,
) -> Panel:
    """Return the panel that speaks with the named models, each where those before it fail.

    `seconds` is how long one answer may take, where the user says so.
    """
    found = [read_choice(name, base_url) for name in names_of(names, base_url)]
    if not found:
        raise RuleBroken(
            "The model panel needs a model: name one with --model, ROUNDTABLE_MODEL or in your own settings."
        )
    if found[0].kind == "offline" and len(found) == 1:
        raise RuleBroken("`offline` is not a model. Put it last in the list to use it as a fallback.")
    panels: list[Panel] = []
    for choice in found:
        if choice.kind == "offline":
            from ..offline import OfflinePanel

            panels.append(OfflinePanel(project))
        else:
            usual = SECONDS if choice.kind in KEYS else LOCAL_SECONDS
            panels.append(ModelPanel(model_of(choice), meter, seconds=seconds or usual))
    return panels[0] if len(panels) == 1 else FallbackPanel(panels, news)


def model_of(choice: Choice) -> Model:
    """Return the model that was chosen, which is not offline; nothing of it is loaded before it is asked."""
    if choice.kind == "command":
        return CommandModel(choice.name)
    key = choice.key(os.environ)
    return HostedModel(choice.label, lambda: _open_service(choice, key), secrets=(key,))


@asynccontextmanager
async def _open_service(choice: Choice, key: str) -> AsyncIterator[Service]:
    """A connection to the service, with the key that is meant for it and no other."""
    if choice.kind in KEYS and not key:
        names = " or ".join(KEYS[choice.kind])
        raise make_failure(
            "no-key", choice.label, do=f"Set {names}, or name another model; see roundtable doctor."
        )
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
    provider = (
        OpenAIProvider(api_key=key, base_url=choice.address)
        if choice.kind == "openai"
        else OpenAICompatibleProvider(choice.kind, base_url=choice.address, api_key=key or None)
    )
    async with provider:
        yield OpenAIChatModel(choice.name, provider=provider, profile=profile)


def find_lacking(choice: Choice) -> str:
    """Return what a model needs and this machine does not have, without asking a network; else nothing."""
    if choice.kind == "offline":
        return ""
    if choice.kind == "command":
        return "" if CommandModel(choice.name).program() else "there is no such program to run"
    if find_spec("pydantic_ai") is None:
        return 'needs a part that is not installed: pip install "path/to/roundtable[models]"'
    if choice.kind in KEYS and not choice.key(os.environ):
        return f"has no key; set {' or '.join(KEYS[choice.kind])}"
    return ""


def check_reach(choice: Choice) -> tuple[str, bool]:
    """Return what was found out about a model and whether it can be asked; nothing paid is asked for."""
    if missing := find_lacking(choice):
        return missing, False
    if choice.kind == "offline":
        return "needs no network and no key", True
    if choice.kind == "command":
        program = CommandModel(choice.name).program()
        return f"runs {program}; whether it answers is only known when it is asked", True
    from urllib.error import HTTPError
    from urllib.request import Request, urlopen

    where = show_host(choice.address)
    try:
        with urlopen(Request(choice.address), timeout=_PATIENCE):  # no key goes along
            pass
    except HTTPError as error:  # an answer, too
        error.close()
    except (OSError, ValueError):
        return f"{where} cannot be reached", False
    return f"{where} answers", True


class FallbackPanel(PanelWrapper):
    """Panels one after another: where one fails, the next goes on, and stays."""

    def __init__(self, panels: Sequence[Panel], news: News = lambda _: None) -> None:
        """`news` is told when another panel takes over."""
        super().__init__(lambda: panels[0])
        self._others = panels[1:]
        self._news = news

    async def answer(self, request: PanelRequest, on_words: OnWords = ignore_words) -> Any:
        """Ask the panel that spoke last, then those after it; if none answers, report every failure."""
        # Advice only: a lack of it is no reason to change the speakers.
        if isinstance(request, AskVerdict | AskFiles):
            return await self._panel.answer(request)
        is_first_synthesis = isinstance(request, AskSynthesis) and not request.problems
        has_begun = False
        failures: list[PanelFailed] = []

        def pass_on(piece: str) -> None:
            nonlocal has_begun
            has_begun = True
            on_words(piece)

        for at, panel in enumerate((self._panel, *self._others)):
            try:
                # Words that were shown cannot be taken back: those of the next panel come in one piece.
                reply = await panel.answer(request, ignore_words if has_begun else pass_on)
            except PanelFailed as failure:
                # The rules send nonsense back to its author once; only then the next panel tries.
                if is_first_synthesis and isinstance(failure, ModelFailed) and failure.kind == "nonsense":
                    raise
                failures.append(failure)
                continue
            if failures:
                reasons = " ".join(failure.failed for failure in failures)
                self._news(f"{reasons} {panel.name} goes on.")
                self._panel, self._others = panel, self._others[at:]
            return reply
        raise PanelFailed(" ".join(failure.failed for failure in failures), do=failures[-1].do)
