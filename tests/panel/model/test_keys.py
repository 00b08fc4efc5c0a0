"""Keys over a real connection: each goes to its own service, and none is told."""

from __future__ import annotations

import json
import traceback
import warnings

import pytest

from panel.model.asking import ask
from panel.model.service import Asked, Reply, Service, refuses, says, service
from panel.model.wire import OWN, asked_once, hold_no_key
from roundtable.core.errors import RuleBroken
from roundtable.panel.model.choice import Choice, model_of, read_choice

pytestmark = pytest.mark.usefixtures("secret_keys")


def _headers(asked: Asked) -> str:
    return json.dumps(asked.headers)


def test_a_server_of_ones_own_gets_its_own_key_and_no_other(server: Service) -> None:
    asked_once(server, says("Fine."))
    sent = server.calls[0].headers
    assert sent["authorization"] == f"Bearer {OWN}"
    hold_no_key(json.dumps({name: value for name, value in sent.items() if name != "authorization"}))


@pytest.mark.parametrize("reply", [says("Fine."), refuses(401), refuses(500), says("Fine", manner="cut")])
def test_a_server_of_ones_own_never_gets_a_hosted_key(
    server: Service, monkeypatch: pytest.MonkeyPatch, reply: Reply
) -> None:
    monkeypatch.delenv("ROUNDTABLE_API_KEY")
    asked_once(server, reply)
    hold_no_key(_headers(server.calls[0]), json.dumps(server.calls[0].body))


def test_ollama_never_gets_a_key(server: Service) -> None:
    said = ask(model_of(Choice("ollama", "tiny", server.address)))
    assert said.failure is None
    hold_no_key(_headers(server.calls[0]))


@pytest.mark.parametrize(
    ("named", "host"),
    [
        ("openai:gpt-5", "api.openai.com:443"),
        ("anthropic:claude-9", "api.anthropic.com:443"),
        ("google:gemini-2.5-flash", "generativelanguage.googleapis.com:443"),
    ],
)
def test_a_hosted_key_goes_nowhere_but_to_its_service(
    server: Service, monkeypatch: pytest.MonkeyPatch, named: str, host: str
) -> None:
    """The way out leads through our server, which only learns where the library wants to go."""
    for variable in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL"):
        monkeypatch.setenv(variable, server.address)
    for variable in ("https_proxy", "HTTPS_PROXY"):
        monkeypatch.setenv(variable, server.root)
    failure = ask(model_of(read_choice(named, server.address))).failed
    assert failure.kind == "unreachable"
    assert {(each.method, each.path) for each in server.asked} == {("CONNECT", host)}
    for each in server.asked:
        hold_no_key(_headers(each))
    hold_no_key("".join(traceback.format_exception(failure)))


def test_whoever_sends_us_elsewhere_does_not_get_the_key_sent_along(server: Service) -> None:
    with service() as elsewhere:
        there = f"{elsewhere.address}/chat/completions"
        server.answers = lambda _: Reply(status=307, body=b"", headers={"Location": there})
        said = ask(model_of(read_choice("tiny", server.address)))
        assert said.failure is not None or elsewhere.asked
        for each in elsewhere.asked:
            hold_no_key(_headers(each))


@pytest.mark.parametrize("address", ["http://ada:lovelace-1815@h/v1", "http://ada:lovelace-1815@/v1"])
def test_an_address_with_a_password_is_refused_and_not_told(address: str) -> None:
    with pytest.raises(RuleBroken, match="must hold no name and no password") as refused:
        read_choice("tiny", address)
    assert "ROUNDTABLE_API_KEY" in str(refused.value)
    assert "lovelace" not in str(refused.value)


def test_a_library_that_warns_of_a_models_end_does_not_fail(server: Service) -> None:
    """Warnings are errors here; the library warns of this model before it sends anything."""
    server.answers = lambda _: refuses(401)
    old = Choice("anthropic", "claude-2.1", server.root)
    assert ask(model_of(old)).failed.kind == "refused"
    with pytest.warns(DeprecationWarning, match="of ours"):
        warnings.warn("of ours", DeprecationWarning, stacklevel=1)
