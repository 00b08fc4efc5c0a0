"""Reaching a model: what can be found out without paying, and one paid question where that is wanted."""

from __future__ import annotations

import os
from contextlib import aclosing
from importlib.util import find_spec

from msgspec import Struct

from ...address import show_host
from .choice import KEYS, OWN_KEY, Choice, model_of
from .command import CommandModel
from .conversation import fill
from .model import Conversation, ModelFailed, Request, Usage, redact_text

_PATIENCE = 3.0
_ASK_SECONDS = 60.0
_ASK_TOKENS = 200


class Reached(Struct, frozen=True):
    """What was found out about a model, and whether it can be asked."""

    found: str
    sound: bool = True


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


def look(choice: Choice) -> Reached:
    """Return whether a model has what it needs and its service answers; ask for nothing that is paid."""
    if missing := find_lacking(choice):
        return Reached(missing, sound=False)
    match choice.kind:
        case "offline":
            return Reached("needs no network and no key")
        case "command":
            program = CommandModel(choice.name).program()
            return Reached(f"runs {program}; whether it answers is only known when it is asked")
        case _:
            return _ask_for_models(choice, choice.key(os.environ))


async def ask(choice: Choice) -> Reached:
    """Return whether a model answers one short question, which may cost a little."""
    used: list[Usage] = []
    conversation = Conversation(fill("ready"), (), fill("ready"))
    request = Request(conversation, used.append, _ASK_TOKENS, _ASK_SECONDS)
    try:
        async with aclosing(model_of(choice).reply(request)) as pieces:
            said = "".join([piece async for piece in pieces]).strip()
    except ModelFailed as failure:
        return Reached(str(failure), sound=False)
    tokens = sum(usage.input + usage.output for usage in used)
    return Reached(f'answered "{redact_text(said)[:40]}" with {tokens} tokens')


def _ask_for_models(choice: Choice, key: str) -> Reached:
    """What the service says when it is asked which models it has, which is free everywhere."""
    from urllib.error import HTTPError, URLError
    from urllib.request import HTTPRedirectHandler, build_opener
    from urllib.request import Request as Question

    class Stay(HTTPRedirectHandler):
        """Follows nobody to another address, where the key would go along."""

        def redirect_request(self, *_: object) -> None:
            return None

    where = show_host(choice.address)
    path, headers = "/models", {"Authorization": f"Bearer {key}"} if key else {}
    if choice.kind == "anthropic":
        path, headers = "/v1/models", {"x-api-key": key, "anthropic-version": "2023-06-01"}
    elif choice.kind == "google":
        path, headers = "/v1beta/models", {"x-goog-api-key": key}
    question = Question(f"{choice.address.rstrip('/')}{path}", headers=headers)
    try:
        with build_opener(Stay).open(question, timeout=_PATIENCE):
            pass
    except HTTPError as error:
        error.close()
        if error.code in (401, 403):
            wanted = f"; set {OWN_KEY}" if choice.kind == "compatible" and not key else ""
            return Reached(f"{where} refuses the key (status {error.code}){wanted}", sound=False)
        return Reached(f"{where} answers (status {error.code})")
    except (URLError, OSError, ValueError):
        return Reached(f"{where} cannot be reached", sound=False)
    return Reached(f"{where} answers" + (" and takes the key" if key else ""))
