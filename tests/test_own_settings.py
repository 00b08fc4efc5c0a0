"""The model that the user chose: it is kept beside the user's own settings file, which is never written."""

from __future__ import annotations

import stat
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtable.core.errors import RuleBroken
from roundtable.settings import load_settings, remember_panel, user_file

pytestmark = pytest.mark.rule("TABLE-4")

ODD = "command:/bin/llm -s 'a \\ \"b\"'"


def write_own(home: Path, text: str) -> tuple[Path, dict[str, str]]:
    """Return the user's file with this text, and the environment in which it is theirs."""
    environment = {"XDG_CONFIG_HOME": str(home)}
    own = user_file(environment)
    assert own is not None
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text(text)
    return own, environment


def test_a_choice_is_kept_in_a_file_that_nobody_else_reads(tmp_path: Path) -> None:
    environment = {"XDG_CONFIG_HOME": str(tmp_path / "new" / "config")}
    kept = remember_panel(ODD, environment=environment)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    settings, warnings = load_settings(tmp_path, environment=environment)
    assert (settings.panel, settings.models, warnings) == ("model", (ODD,), ())
    assert settings.is_panel_chosen
    assert [path.name for path in kept.parent.iterdir()] == ["panel.toml"]


def test_the_last_choice_counts_whole(tmp_path: Path) -> None:
    environment = {"XDG_CONFIG_HOME": str(tmp_path)}
    remember_panel("qwen", "http://127.0.0.1:1234/v1", environment=environment)
    settings, _ = load_settings(tmp_path, environment=environment)
    assert (settings.models, settings.base_url) == (("qwen",), "http://127.0.0.1:1234/v1")
    remember_panel("", environment=environment)
    settings, _ = load_settings(tmp_path, environment=environment)
    assert (settings.panel, settings.models, settings.base_url) == ("offline", (), "")
    assert settings.is_panel_chosen


@pytest.mark.parametrize("text", ['user_name = "Ada"\n[budget]\nturns = 8\n', ""])
def test_the_users_own_file_stays_as_it_is(tmp_path: Path, text: str) -> None:
    own, environment = write_own(tmp_path, text)
    remember_panel("ollama:y", environment=environment)
    assert own.read_text() == text
    assert load_settings(tmp_path, environment=environment)[0].models == ("ollama:y",)


def test_nothing_leaves_the_machine_while_the_users_own_file_cannot_be_read(tmp_path: Path) -> None:
    """It may say `offline`, or what a discussion may cost."""
    own, environment = write_own(tmp_path, 'panel = "offline"\nuser_name = \n')
    remember_panel("ollama:y", environment=environment)
    settings, (warning,) = load_settings(tmp_path, environment=environment)
    assert (settings.panel, settings.models) == ("offline", ())
    assert warning.startswith(f"{own} is ignored: Invalid value")


@pytest.mark.parametrize(
    ("text", "panel", "models", "base_url"),
    [
        ('panel = "offline"\n', "offline", (), ""),
        ('panel = "model"\nmodel = "ollama:x"\n', "model", ("ollama:x",), ""),
        ('model = ["openai:a", "offline"]\n', "model", ("openai:a", "offline"), ""),
        ('base_url = "http://h/v1"\n', "model", (), "http://h/v1"),
    ],
)
def test_what_the_users_own_file_says_of_the_panel_counts_instead(
    tmp_path: Path, text: str, panel: str, models: tuple[str, ...], base_url: str
) -> None:
    """Also a file of before, in which the program kept the choice itself."""
    _, environment = write_own(tmp_path, text)
    remember_panel("qwen", "http://127.0.0.1:1234/v1", environment=environment)
    settings, warnings = load_settings(tmp_path, environment=environment)
    assert (settings.panel, settings.models, settings.base_url, warnings) == (panel, models, base_url, ())


def test_flags_and_variables_count_more(tmp_path: Path) -> None:
    environment = {"XDG_CONFIG_HOME": str(tmp_path), "ROUNDTABLE_MODEL": "ollama:v"}
    remember_panel("ollama:y", environment=environment)
    assert load_settings(tmp_path, environment=environment)[0].models == ("ollama:v",)
    settings, _ = load_settings(tmp_path, "offline", environment=environment)
    assert settings.panel == "offline"


@given(model=st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=20))
def test_any_name_is_read_as_it_was_kept(tmp_path_factory: pytest.TempPathFactory, model: str) -> None:
    environment = {"XDG_CONFIG_HOME": str(tmp_path_factory.mktemp("any"))}
    kept = remember_panel(model, environment=environment)
    assert tomllib.loads(kept.read_text(encoding="utf-8")) == {"panel": "model", "model": model}


@pytest.mark.parametrize(
    ("model", "base_url"), [("a\nb", ""), ("x" * 501, ""), ("qwen", "http://u:pw@h/v1"), ("qwen", "ftp://h")]
)
def test_what_would_not_be_read_again_is_not_kept(tmp_path: Path, model: str, base_url: str) -> None:
    environment = {"XDG_CONFIG_HOME": str(tmp_path)}
    kept = remember_panel("ollama:y", environment=environment)
    before = kept.read_text()
    with pytest.raises(RuleBroken, match="Nothing was changed"):
        remember_panel(model, base_url, environment=environment)
    assert kept.read_text() == before


def test_without_a_home_nothing_is_kept() -> None:
    with pytest.raises(RuleBroken, match="There is no home folder to keep your settings in"):
        remember_panel("", environment={})
