"""Finds the language models that this machine already has: assistants, local model servers, keys.

The search starts no program, uses no key and never leaves the machine: it only asks each local server once
which models it has. A program inside the project is never taken for an assistant.
"""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import shutil
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import aclosing, closing, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from msgspec import Struct, convert

from .address import show_host
from .content import read_tables
from .core.errors import RuleBroken
from .panel.base import OFFLINE
from .panel.model.choice import KEYS, SERVICES, Choice, find_lacking, model_of, names_of, read_choice
from .panel.model.conversation import Conversation, Usage, fill
from .panel.model.panel import ModelFailed, Request, redact_text

if TYPE_CHECKING:
    from .settings import Settings

_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_KNOWN = read_tables("models.toml")


class FoundModel(Struct, frozen=True):
    """A model that could speak, named as in `models use` and the settings; `lacks` says what is missing."""

    name: str
    model: str
    base_url: str
    how: str
    cost: str
    leaves: str
    lacks: str = ""


class LocalServer(Struct, frozen=True):
    name: str
    port: int
    path: str = "/v1/models"


SERVERS = convert(_KNOWN["servers"], tuple[LocalServer, ...])


def find_models(
    root: Path, environment: Mapping[str, str] = os.environ, servers: Sequence[LocalServer] = SERVERS
) -> tuple[FoundModel, ...]:
    """Return the models found here: assistants first, then local ones, then those with a key."""
    served: dict[LocalServer, list[str]] = {_move_ollama(each, environment): [] for each in servers}
    probes = [Thread(target=_ask_for_models, args=each, daemon=True) for each in served.items()]
    for probe in probes:
        probe.start()
    found = [*_find_assistants(root, environment)]  # while the servers answer
    deadline = time.monotonic() + 0.4
    for probe in probes:
        probe.join(max(deadline - time.monotonic(), 0))
    for server, names in served.items():
        where, is_usual = f"127.0.0.1:{server.port}", server == SERVERS[0]
        for name in dict.fromkeys(names):
            model, base_url = (f"ollama:{name}", "") if is_usual else (name, f"http://{where}/v1")
            choice = read_choice(model, base_url)
            # A server may give a model any name, even `command:...`, which would run a program.
            if choice.kind in ("ollama", "compatible"):
                how = f"answers on {where}"
                found.append(_describe(f"{server.name}:{name}", model, base_url, how, choice))
    for kind, variables in KEYS.items():
        if key := next(filter(environment.get, variables), None):
            name = f"{kind}:{SERVICES[kind]['model']}"
            found.append(_describe(name, name, "", f"{key} is set", read_choice(name)))
    return tuple(found)


def read_model(name: str, base_url: str, found: Sequence[FoundModel]) -> FoundModel:
    """Return the model of this name, as found or as written in settings; raise RuleBroken for others."""
    name = name.strip()
    for each in found:
        if (name == each.name and not base_url) or (name == each.model and each.base_url in ("", base_url)):
            return each
    try:
        choice = read_choice(name, base_url)
    except RuleBroken as broken:
        names = ", ".join(each.name for each in found) or "none"
        raise RuleBroken(f"{broken} Found here: {names}.") from None
    if choice.kind == "offline":
        raise RuleBroken("`offline` is not a model.")
    where = base_url if choice.kind == "compatible" else ""
    return _describe(choice.label, name, where, "named by you", choice)


def list_speakers(settings: Settings, found: Sequence[FoundModel]) -> list[FoundModel]:
    """Return the models that the settings name, in order; raise RuleBroken for an unknown name."""
    names = names_of(settings.models, settings.base_url) if settings.panel == "model" else ()
    return [read_model(name, settings.base_url, found) for name in names if name != OFFLINE]


def ask_model(found: FoundModel) -> tuple[str, bool]:
    """Ask a model a short question, which may cost a little; return the outcome and whether it answered."""
    used: list[Usage] = []
    request = Request(Conversation(fill("ready"), (), fill("ready")), used.append, 200, seconds=60.0)

    async def ask() -> str:
        async with aclosing(model_of(read_choice(found.model, found.base_url)).reply(request)) as pieces:
            return "".join([piece async for piece in pieces]).strip()

    try:
        said = asyncio.run(ask())
    except ModelFailed as failure:
        return str(failure), False
    tokens = sum(usage.input + usage.output for usage in used)
    return f'answered "{redact_text(said)[:40]}" with {tokens} tokens', True


def _describe(name: str, model: str, base_url: str, how: str, choice: Choice) -> FoundModel:
    host = urlsplit(choice.address).hostname or ""
    cost, receiver = f"costs what {show_host(choice.address)} asks for it", host
    if choice.kind in KEYS:
        cost = "is paid by use; the menu says how much before each discussion"
        receiver = SERVICES[choice.kind]["owner"]
    elif choice.kind == "command":
        cost, receiver = "costs what that program costs", "that program, and where it sends them"
    elif host in _LOOPBACK and getproxies().get("http") and not proxy_bypass(host):
        receiver = f"the proxy that HTTP_PROXY names; set NO_PROXY={host} to keep them here"
    elif host in _LOOPBACK:
        cost, receiver = "is free", ""
    leaves = f"{_KNOWN['sent']} {receiver}" if receiver else "nothing leaves this machine"
    return FoundModel(name, model, base_url, how, cost, leaves, find_lacking(choice))


def _find_assistants(root: Path, environment: Mapping[str, str]) -> Iterable[FoundModel]:
    folders = map(Path, environment.get("PATH", "").split(os.pathsep))
    usable = (each for each in folders if each.is_absolute() and not _is_in_project(each, root, environment))
    path = os.pathsep.join(map(str, usable))
    for name, each in _KNOWN["assistants"].items():
        program = Path(shutil.which(name, path=path) or "")
        is_theirs = not program.is_absolute() or _is_in_project(program, root, environment)  # maybe by a link
        if is_theirs or ("keys" in each and not any(map(environment.get, each["keys"]))):
            continue
        # The full path: later, another folder of PATH may have a program of the same name.
        command = "command:" + shlex.join([str(program), *each.get("arguments", ())])
        cost, leaves = "counts against your own plan or account there", f"{_KNOWN['sent']} {each['owner']}"
        yield FoundModel(name, command, "", f"installed as {program}", cost, leaves)


def _is_in_project(path: Path, root: Path, environment: Mapping[str, str]) -> bool:
    """Whether a path resolves into the project; a root that contains the user's home does not count."""
    home, real = Path(environment.get("HOME") or os.sep).resolve(), path.resolve()
    theirs = (each for each in (root.resolve(), Path.cwd()) if not home.is_relative_to(each))
    return any(map(real.is_relative_to, theirs))


def _move_ollama(server: LocalServer, environment: Mapping[str, str]) -> LocalServer:
    """Return the server; ollama gets the port in OLLAMA_HOST if that is on this machine."""
    named = environment.get("OLLAMA_HOST", "").strip()
    with suppress(ValueError):
        parts = urlsplit(named if "://" in named else f"http://{named}")
        is_here = parts.scheme == "http" and (parts.hostname or "localhost") in (*_LOOPBACK, "0.0.0.0", "::")
        if server.name == "ollama" and is_here and parts.port:
            return LocalServer("ollama", parts.port, server.path)
    return server


def _ask_for_models(server: LocalServer, names: list[str]) -> None:
    """Append the server's models that can converse and run on this machine to `names`."""
    with (
        suppress(OSError, HTTPException, ValueError, TypeError, AttributeError, RecursionError),
        closing(HTTPConnection("127.0.0.1", server.port, timeout=0.2)) as connection,  # no proxy
    ):
        connection.request("GET", server.path, headers={"Accept": "application/json"})
        answer = connection.getresponse()  # a redirect is not followed
        listed: dict[str, Any] = json.loads(answer.read(1024 * 1024)) if answer.status == 200 else {}
        rows = listed.get("models") or listed.get("data") or ()
        for row in (each for each in rows if isinstance(each, dict)):
            name = str(row.get("name") or row.get("id") or "")
            is_sound = name.isprintable() and " " not in name and 0 < len(name) <= 200
            # ollama lists its cloud models among the local ones.
            is_local = not row.get("remote_host") and not name.endswith("cloud")
            if is_sound and is_local and "embed" not in name.lower():
                names.append(name)
