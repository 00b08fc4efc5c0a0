"""Choosing a model: what the user names, and where its key goes."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from people import ALEX, ITEM, JOURNEYS, MAYA, ROSTER, STEPS
from roundtable.core.commands import AskPersona, Brief, Table
from roundtable.core.errors import PanelFailed, RuleBroken
from roundtable.panel.model import choice as choosing
from roundtable.panel.model.choice import Choice, FallbackPanel, choose, read_choice
from roundtable.panel.model.panel import ModelPanel

KEYS = {
    "ANTHROPIC_API_KEY": "anthropic-key-1",
    "OPENAI_API_KEY": "openai-key-1",
    "GEMINI_API_KEY": "google-key-1",
    "ROUNDTABLE_API_KEY": "own-key-1",
}
BRIEF = Brief(Table(ITEM, JOURNEYS, ROSTER, MAYA, STEPS, (), 10), ALEX, "go-on")


@pytest.mark.parametrize(
    ("named", "base_url", "choice", "label"),
    [
        (
            "anthropic:claude-x",
            "",
            Choice("anthropic", "claude-x", "https://api.anthropic.com"),
            "anthropic:claude-x",
        ),
        (
            "openai:gpt-x",
            "http://h/v1",
            Choice("openai", "gpt-x", "https://api.openai.com/v1"),
            "openai:gpt-x",
        ),
        (
            "google:gem",
            "",
            Choice("google", "gem", "https://generativelanguage.googleapis.com"),
            "google:gem",
        ),
        (
            " ollama:llama3.2:3b ",
            "",
            Choice("ollama", "llama3.2:3b", "http://localhost:11434/v1"),
            "ollama:llama3.2:3b",
        ),
        ("command:llm -m x", "", Choice("command", "llm -m x"), "command:llm"),
        (
            "qwen3:8b",
            "http://h:8080/v1",
            Choice("compatible", "qwen3:8b", "http://h:8080/v1"),
            "qwen3:8b at h:8080",
        ),
        ("offline", "", Choice("offline", "offline"), "offline"),
    ],
)
def test_a_name_says_what_is_asked_and_where(named: str, base_url: str, choice: Choice, label: str) -> None:
    found = read_choice(named, base_url)
    assert found == choice
    assert found.label == label


@pytest.mark.parametrize("named", ["", "gpt-x", "oracle:x", "anthropic:", "command: ", "anthropic"])
def test_a_name_without_a_service_or_address_is_refused(named: str) -> None:
    with pytest.raises(RuleBroken, match="There is no model"):
        read_choice(named, "")


@pytest.mark.parametrize(
    ("names", "reason"), [((), "needs a model"), (("offline",), "`offline` is not a model")]
)
def test_a_model_panel_needs_a_model(names: tuple[str, ...], reason: str) -> None:
    with pytest.raises(RuleBroken, match=reason):
        choose(names)


def test_one_model_is_a_panel_and_several_are_a_chain() -> None:
    assert isinstance(choose(["ollama:x"]), ModelPanel)
    assert choose([], "http://localhost:1/v1").name == "default at localhost:1"
    chain = choose(["ollama:x", "command:llm", "offline"])
    assert isinstance(chain, FallbackPanel)
    assert chain.name == "ollama:x"


@pytest.mark.parametrize(
    ("choice", "key"),
    [
        (read_choice("anthropic:x", ""), "anthropic-key-1"),
        (read_choice("openai:x", ""), "openai-key-1"),
        (read_choice("google:x", ""), "google-key-1"),
        (read_choice("ollama:x", ""), ""),
        (read_choice("x", "http://h/v1"), "own-key-1"),
        (read_choice("command:x", ""), ""),
    ],
)
def test_a_key_goes_to_its_own_service_only(choice: Choice, key: str) -> None:
    assert choice.key(KEYS) == key
    assert choice.key({}) == ""


@pytest.mark.parametrize(
    "named", ["anthropic:claude-sonnet-5-5", "openai:gpt-5", "google:gemini-2.5-pro", "ollama:x", "x"]
)
def test_the_client_is_made_for_the_address_of_the_service_whatever_the_environment_says(
    named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = "http://elsewhere.invalid/v1"
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL"):
        monkeypatch.setenv(name, elsewhere)
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    choice = read_choice(named, "http://own.invalid/v1")

    async def look() -> tuple[str, Any]:
        async with choosing._open_service(choice, choice.key(KEYS)) as service:
            provider = service.provider
            assert provider is not None
            return str(provider.base_url), provider.client

    address, client = asyncio.run(look())
    assert address.rstrip("/") == choice.address
    sent = getattr(client, "api_key", None)
    if choice.kind in ("ollama", "compatible", "openai", "anthropic"):
        assert sent == (choice.key(KEYS) or "api-key-not-set")


@pytest.mark.rule("FAIL-1")
@pytest.mark.parametrize(
    ("named", "variable"),
    [
        ("anthropic:x", "ANTHROPIC_API_KEY"),
        ("openai:x", "OPENAI_API_KEY"),
        ("google:x", "GOOGLE_API_KEY or GEMINI_API_KEY"),
    ],
)
def test_without_a_key_it_is_said_which_to_set(
    named: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for each in variable.split(" or "):
        monkeypatch.delenv(each, raising=False)
    panel = choose([named])
    with pytest.raises(PanelFailed, match=f"^{named} has no key. Set {variable}, or name another model"):
        asyncio.run(panel.answer(AskPersona(BRIEF)))
