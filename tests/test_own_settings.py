"""The user's own settings file, written: who speaks is kept in it, and all else stays."""

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
OWN = """# mine
user_name = "Ada"   # me
model = [           # two
    "ollama:x",
    "offline",
]
panel = "offline"   # for now
base_url = "http://h/v1"

[budget]            # panel = "model"
turns = 8
"""
STATEMENTS = [
    'user_name = "A"',
    "# model = 1",
    "",
    'panel = "offline" # x',
    'model = ["a",\n  "b]"]',
    "review = true",
    'items = """\nx\n"""',
    "'base_url' = 'http://h/v1'",
    "[budget]",
    "turns = 3",
    "[x]",
    'panel = "z"',
]


def write_own(home: Path, data: bytes) -> tuple[Path, dict[str, str]]:
    """Return the user's file with these bytes, and the environment in which it is theirs."""
    environment = {"XDG_CONFIG_HOME": str(home)}
    own = user_file(environment)
    assert own is not None
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_bytes(data)
    return own, environment


def test_a_choice_is_kept_in_a_new_file_that_nobody_else_reads(tmp_path: Path) -> None:
    environment = {"XDG_CONFIG_HOME": str(tmp_path / "new" / "config")}
    own = remember_panel("model", ODD, environment=environment)
    assert own == user_file(environment)
    assert stat.S_IMODE(own.stat().st_mode) == 0o600
    settings, warnings = load_settings(tmp_path, environment=environment)
    assert (settings.panel, settings.models, warnings) == ("model", (ODD,), ())
    assert [path.name for path in own.parent.iterdir()] == ["config.toml"]


def test_whatever_else_the_user_wrote_stays(tmp_path: Path) -> None:
    own, environment = write_own(tmp_path, OWN.encode())
    remember_panel("model", "ollama:y", environment=environment)
    assert own.read_text() == (
        'panel = "model"\nmodel = "ollama:y"\n# mine\nuser_name = "Ada"   # me\n\n'
        '[budget]            # panel = "model"\nturns = 8\n'
    )
    remember_panel("model", "qwen", "http://127.0.0.1:1234/v1", environment=environment)
    kept = 'panel = "model"\nmodel = "qwen"\nbase_url = "http://127.0.0.1:1234/v1"\n# mine\n'
    assert own.read_text().startswith(kept)


def test_staying_offline_leaves_the_models_that_are_named(tmp_path: Path) -> None:
    own, environment = write_own(tmp_path, OWN.replace('"offline"   #', '"model"   #').encode())
    remember_panel("offline", environment=environment)
    assert tomllib.loads(own.read_text()) == tomllib.loads(OWN)


@given(
    before=st.lists(st.sampled_from(STATEMENTS), max_size=8),
    newline=st.sampled_from(["\n", "\r\n"]),
    is_ended=st.booleans(),
    model=st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=20),
)
def test_any_file_says_what_was_chosen_and_all_else_or_stays(
    tmp_path_factory: pytest.TempPathFactory, before: list[str], newline: str, is_ended: bool, model: str
) -> None:
    text = newline.join(before) + newline * is_ended
    own, environment = write_own(tmp_path_factory.mktemp("any"), text.encode())
    try:
        said = tomllib.loads(text)
    except ValueError:
        with pytest.raises(RuleBroken):
            remember_panel("model", model, environment=environment)
        assert own.read_bytes() == text.encode()
        return
    remember_panel("model", model, environment=environment)
    said.pop("base_url", None)
    assert tomllib.loads(own.read_bytes().decode()) == said | {"panel": "model", "model": model}
    for line in before:
        assert line == "" or line in own.read_text() or line.startswith(("panel", "model", "'base", "items"))


@pytest.mark.parametrize("data", [b"panel = ", b"\xff\xfe", b"[[model]]\n", b"[panel]\nx = 1\n"])
def test_a_file_that_does_not_read_or_is_oddly_written_stays_as_it_is(tmp_path: Path, data: bytes) -> None:
    own, environment = write_own(tmp_path, data)
    with pytest.raises(RuleBroken, match=r"config\.toml"):
        remember_panel("model", "ollama:y", environment=environment)
    assert own.read_bytes() == data


@pytest.mark.parametrize(
    ("model", "base_url"), [("a\nb", ""), ("x" * 501, ""), ("qwen", "http://u:pw@h/v1"), ("qwen", "ftp://h")]
)
def test_what_would_not_be_read_again_is_not_kept(tmp_path: Path, model: str, base_url: str) -> None:
    own, environment = write_own(tmp_path, OWN.encode())
    with pytest.raises(RuleBroken, match="Nothing was changed"):
        remember_panel("model", model, base_url, environment=environment)
    assert own.read_text() == OWN


def test_without_a_home_nothing_is_kept() -> None:
    with pytest.raises(RuleBroken, match="There is no home folder to keep your settings in"):
        remember_panel("offline", environment={})


def test_a_link_to_the_users_file_stays_a_link(tmp_path: Path) -> None:
    own, environment = write_own(tmp_path, b"")
    kept = tmp_path / "dotfiles.toml"
    kept.write_text('user_name = "Ada"\n')
    kept.chmod(0o640)
    own.unlink()
    own.symlink_to(kept)
    remember_panel("offline", environment=environment)
    assert own.is_symlink()
    assert kept.read_text() == 'panel = "offline"\nuser_name = "Ada"\n'
    assert stat.S_IMODE(kept.stat().st_mode) == 0o640
