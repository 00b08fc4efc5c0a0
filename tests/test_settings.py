"""Settings: flags, variables, the user's file, the project's file, defaults, in this order."""

from __future__ import annotations

import os
import subprocess
from decimal import Decimal
from pathlib import Path

import pytest

from roundtable import address
from roundtable.core.errors import RuleBroken
from roundtable.settings import Budget, Settings, find_root, load_settings, user_file, user_name

KNOWN = "items, panel, user_name, review, model, base_url, telemetry, time_limit, "
KNOWN += "budget.turns, budget.tokens, budget.money"
LAYERS = ("variable", "the user's file", "roundtable.toml", "pyproject.toml")
PERSONAL_LAYERS = ("variable", "the user's file")


def _prepare(project: Path, home: Path, layers: tuple[str, ...], key: str) -> dict[str, str]:
    """Each layer names itself as the value of the key; what comes back is the environment."""
    environment = {"XDG_CONFIG_HOME": str(home)}
    for layer in layers:
        match layer:
            case "variable":
                environment[f"ROUNDTABLE_{key.upper()}"] = layer
            case "roundtable.toml":
                (project / "roundtable.toml").write_text(f'{key} = "{layer}"\n')
            case "pyproject.toml":
                (project / "pyproject.toml").write_text(f'[tool.roundtable]\n{key} = "{layer}"\n')
            case _:
                (home / "roundtable").mkdir(exist_ok=True)
                (home / "roundtable" / "config.toml").write_text(f'{key} = "{layer}"\n')
    return environment


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "config"
    folder.mkdir()
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("key", ["items", "user_name"])
@pytest.mark.parametrize("first", range(len(LAYERS)))
def test_the_strongest_layer_that_says_something_counts(
    project: Path, home: Path, key: str, first: int
) -> None:
    environment = _prepare(project, home, LAYERS[first:], key)
    settings, warnings = load_settings(project, environment=environment)
    assert {"items": settings.items_folder, "user_name": settings.user_name}[key] == LAYERS[first]
    assert warnings == ()


@pytest.mark.rule("SYN-8")
def test_a_synthesis_is_reviewed_unless_a_setting_says_otherwise(project: Path) -> None:
    def review(**variables: str) -> bool:
        return load_settings(project, environment=variables)[0].review

    assert review() is True
    assert review(ROUNDTABLE_REVIEW="false") is False
    (project / "roundtable.toml").write_text("review = false\n")
    assert review() is False
    assert review(ROUNDTABLE_REVIEW="true") is True
    _, warnings = load_settings(project, environment={"ROUNDTABLE_REVIEW": "never"})
    assert warnings == ("Environment: ROUNDTABLE_REVIEW must be true or false.",)
    assert (review(ROUNDTABLE_REVIEW="0"), review(ROUNDTABLE_REVIEW="1")) == (False, True)


@pytest.mark.parametrize(("word", "is_reviewed"), [("before", True), ("after", False)])
def test_the_earlier_words_for_the_review_are_still_read(project: Path, word: str, is_reviewed: bool) -> None:
    (project / "roundtable.toml").write_text(f'review = "{word}"\n')
    settings, warnings = load_settings(project, environment={})
    assert (settings.review, warnings) == (is_reviewed, ())


def test_without_any_word_the_defaults_hold(project: Path, home: Path) -> None:
    settings, warnings = load_settings(project, environment={"XDG_CONFIG_HOME": str(home)})
    assert settings == Settings(project, "docs/requirements", "offline", None)
    assert warnings == ()


def test_the_root_comes_from_the_flag_then_the_variable_then_is_here(project: Path, home: Path) -> None:
    environment = {"ROUNDTABLE_ROOT": str(home)}
    assert load_settings(project, environment=environment)[0].root == project
    assert load_settings(environment=environment)[0].root == home
    assert load_settings(environment={})[0].root == Path()


@pytest.mark.parametrize("name", ["missing", "file", "nul\0byte"])
def test_a_root_that_is_no_folder_is_refused(project: Path, name: str) -> None:
    (project / "file").touch()
    with pytest.raises(RuleBroken, match=r"There is no folder .* Name the project's folder with --root\."):
        load_settings(project / name, environment={})


@pytest.mark.parametrize("file", ["roundtable.toml", "pyproject.toml"])
def test_unknown_keys_and_wrong_types_are_named_and_passed_over(project: Path, file: str) -> None:
    head = "[tool.roundtable]\n" if file == "pyproject.toml" else ""
    (project / file).write_text(f'{head}itms = "a"\nitems = 3\nuser_name = ""\nreview = true\nroot = "x"\n')
    settings, warnings = load_settings(project, environment={})
    assert settings == Settings(project)
    assert warnings == (
        f"{file}: itms is not a setting; the settings are {KNOWN}.",
        f'{file}: items must be a folder inside the project, such as "docs/requirements".',
        f"{file}: user_name must be a text of 1 to 80 characters.",
        f"{file}: root is not a setting; the settings are {KNOWN}.",
    )


@pytest.mark.parametrize("value", ["../x", "/tmp", "a/../../b", "C:x", "\\\\host\\x", ".", "a\x07b"])
def test_items_stay_inside_the_project(project: Path, value: str) -> None:
    settings, warnings = load_settings(project, environment={"ROUNDTABLE_ITEMS": value})
    assert settings.items_folder == "docs/requirements"
    assert warnings == (
        'Environment: ROUNDTABLE_ITEMS must be a folder inside the project, such as "docs/requirements".',
    )


def test_a_panel_that_is_not_there_is_said_and_the_next_layer_counts(project: Path) -> None:
    (project / "roundtable.toml").write_text('panel = "offline"\n')
    settings, warnings = load_settings(project, environment={"ROUNDTABLE_PANEL": "oracle"})
    assert settings.panel == "offline"
    assert warnings == ("Environment: ROUNDTABLE_PANEL must be one of offline, model.",)


# --- models and budget ----------------------------------------------------------------------------------


@pytest.mark.parametrize("first", range(len(PERSONAL_LAYERS)))
def test_a_model_is_named_by_the_user_and_the_strongest_layer_counts(
    project: Path, home: Path, first: int
) -> None:
    environment = _prepare(project, home, PERSONAL_LAYERS[first:], "model")
    settings, warnings = load_settings(project, environment=environment)
    assert (settings.models, settings.panel, warnings) == ((PERSONAL_LAYERS[first],), "model", ())
    flagged, _ = load_settings(project, model="ollama:x", base_url="http://h/v1", environment=environment)
    assert (flagged.models, flagged.base_url) == (("ollama:x",), "http://h/v1")


@pytest.mark.parametrize("file", ["roundtable.toml", "pyproject.toml"])
def test_a_projects_file_names_no_model_no_program_and_no_address(
    project: Path, home: Path, file: str
) -> None:
    head = '[project]\nname = "shop"\n\n[tool.roundtable]\n' if file == "pyproject.toml" else "# ours\n\n\n\n"
    (project / file).write_text(
        f'{head}user_name = "Ada"\nmodel = "command:sh -c \'AUTH=1; id\'"\n\'base_url\' = "http://h/v1"\n'
    )
    environment = {"XDG_CONFIG_HOME": str(home)}
    settings, warnings = load_settings(project, environment=environment)
    assert settings == Settings(project, user_name="Ada")
    own = home / "roundtable" / "config.toml"
    why = "is ignored. A project's file cannot choose who speaks, where words and keys go, "
    why += f"what that may cost or how long it takes. Set it in {own}."
    assert warnings == (f"{file}, line 6: model {why}", f"{file}, line 7: base_url {why}")


@pytest.mark.rule("TABLE-4")
@pytest.mark.parametrize(
    ("file", "line", "text"),
    [
        ("roundtable.toml", 2, 'user_name = "Ada"\npanel = "model"\n'),
        ("roundtable.toml", 1, "panel = 3\n"),
        ("pyproject.toml", 3, '[tool.roundtable]\n\npanel = "model"\n'),
        ("roundtable.toml", 3, 'user_name = "budget"\n\n[budget]\nmoney = 900\n'),
        ("roundtable.toml", 1, "budget.money = 900\n"),
        ("pyproject.toml", 2, "[budget]\n[tool.roundtable.budget]\nmoney = 900\n"),
        ("roundtable.toml", 1, '"budget.money" = 900\n'),
    ],
)
def test_a_projects_file_chooses_no_panel_but_offline_and_no_budget(
    project: Path, home: Path, file: str, line: int, text: str
) -> None:
    (project / file).write_text(text)
    settings, (told,) = load_settings(project, environment={"XDG_CONFIG_HOME": str(home)})
    assert (settings.panel, settings.is_panel_chosen, settings.budget) == ("offline", False, Budget())
    key = "panel" if "panel" in text else "budget"
    assert told.startswith(f"{file}, line {line}: {key} is ignored. A project's file cannot")
    assert told.endswith(f" Set it in {home / 'roundtable' / 'config.toml'}.")


@pytest.mark.rule("TABLE-4")
@pytest.mark.parametrize("file", ["roundtable.toml", "pyproject.toml"])
def test_only_the_user_switches_telemetry_on(project: Path, home: Path, file: str) -> None:
    text = "telemetry = true\n"
    (project / file).write_text(f"[tool.roundtable]\n{text}" if file == "pyproject.toml" else text)
    settings, (told,) = load_settings(project, environment={"XDG_CONFIG_HOME": str(home)})
    assert not settings.telemetry
    line = 2 if file == "pyproject.toml" else 1
    assert told.startswith(f"{file}, line {line}: telemetry is ignored. A project's file cannot choose")
    (project / file).write_text("")
    assert load_settings(project, environment={"ROUNDTABLE_TELEMETRY": "1"})[0].telemetry
    assert not load_settings(project, environment={"ROUNDTABLE_TELEMETRY": "0"})[0].telemetry
    assert load_settings(project, environment=_own(home, text))[0].telemetry


@pytest.mark.rule("TABLE-4")
def test_a_limit_by_another_name_is_no_setting_of_a_projects_file(project: Path) -> None:
    (project / "roundtable.toml").write_text("budget_turns = 1\nBUDGET_MONEY = 900\n")
    settings, told = load_settings(project, environment={})
    assert settings.budget == Budget()
    assert ["is not a setting" in text for text in told] == [True, True]


@pytest.mark.rule("TABLE-4")
def test_a_project_may_stay_offline_and_the_user_is_stronger(project: Path, home: Path) -> None:
    (project / "roundtable.toml").write_text('panel = "offline"\n')
    settings, warnings = load_settings(project, environment={"XDG_CONFIG_HOME": str(home)})
    assert (settings.panel, settings.is_panel_chosen, warnings) == ("offline", True, ())
    settings, _ = load_settings(project, environment=_own(home, 'model = "ollama:x"\n'))
    assert settings.panel == "model"


@pytest.mark.rule("TABLE-4")
def test_a_panel_is_chosen_where_it_a_model_or_a_server_is_named(project: Path, home: Path) -> None:
    def is_chosen(own: str = "", panel: str | None = None, **variables: str) -> bool:
        environment = _own(home, own) | variables
        return load_settings(project, panel, environment=environment)[0].is_panel_chosen

    assert not is_chosen()
    assert not is_chosen('user_name = "Ada"\n[budget]\nturns = 3\n')
    assert is_chosen('panel = "offline"\n')
    assert is_chosen('model = "ollama:x"\n')
    assert is_chosen(panel="offline")
    assert is_chosen(ROUNDTABLE_MODEL="ollama:x")
    assert is_chosen(ROUNDTABLE_BASE_URL="http://h/v1")


@pytest.mark.parametrize(
    "text",
    [
        "[tool]\nroundtable = {x = 1}\n[tool.roundtable.model]\nx = 1",
        '[tool.roundtable]\n"mod\\u0065l" = "x:y"',
    ],
)
def test_a_model_that_is_oddly_written_is_ignored_too(project: Path, text: str) -> None:
    (project / "pyproject.toml").write_text(text)
    settings, warnings = load_settings(project, environment={})
    assert (settings.models, settings.panel) == ((), "offline")
    assert len(warnings) == 1


def test_a_users_own_model_is_not_replaced_by_the_projects(project: Path, home: Path) -> None:
    environment = _prepare(project, home, LAYERS[1:], "model")
    settings, warnings = load_settings(project, environment=environment)
    assert (settings.models, settings.panel, len(warnings)) == (("the user's file",), "model", 2)


def test_a_users_folder_that_depends_on_where_one_stands_is_none_of_the_users() -> None:
    assert user_file({"XDG_CONFIG_HOME": "config", "HOME": "/h"}) == user_file({"HOME": "/h"})


def _own(home: Path, text: str) -> dict[str, str]:
    """The environment with the user's own settings."""
    (home / "roundtable").mkdir(exist_ok=True)
    (home / "roundtable" / "config.toml").write_text(text)
    return {"XDG_CONFIG_HOME": str(home)}


def test_several_models_are_a_chain(project: Path, home: Path) -> None:
    environment = _own(home, 'model = ["anthropic:x", " ollama:y ", "offline"]\n')
    settings, warnings = load_settings(project, environment=environment)
    assert (settings.models, warnings) == (("anthropic:x", "ollama:y", "offline"), ())


@pytest.mark.parametrize("value", ["[]", "[3]", '["a", ""]', '["a\\nb"]', f'["{"x" * 501}"]', str(["a"] * 9)])
def test_a_chain_that_is_none_is_passed_over(project: Path, home: Path, value: str) -> None:
    settings, warnings = load_settings(project, environment=_own(home, f"model = {value}\n"))
    assert (settings.models, settings.panel) == ((), "offline")
    (told,) = warnings
    assert told.endswith(': model must be a name, such as "ollama:llama3.2", or a list of names.')


def test_whoever_names_a_model_wants_it_unless_the_panel_is_named_there_or_more_strongly(
    project: Path, home: Path
) -> None:
    (project / "roundtable.toml").write_text('panel = "offline"\n')
    assert load_settings(project, environment={"ROUNDTABLE_MODEL": "ollama:x"})[0].panel == "model"
    assert load_settings(project, environment={"ROUNDTABLE_BASE_URL": "http://h/v1"})[0].panel == "model"
    assert load_settings(project, model="ollama:x", environment={})[0].panel == "model"
    (project / "roundtable.toml").unlink()
    environment = _own(home, 'model = "ollama:x"\npanel = "offline"\n')
    assert load_settings(project, environment=environment)[0].panel == "offline"
    environment = _own(home, 'model = "ollama:x"\n')
    assert load_settings(project, "offline", environment=environment)[0].panel == "offline"
    environment["ROUNDTABLE_PANEL"] = "offline"
    assert load_settings(project, environment=environment)[0].panel == "offline"


BAD = 'must be an address, such as "http://localhost:8080/v1".'
PRIVATE = "must hold no name and no password; where the server wants a key, set ROUNDTABLE_API_KEY."


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("h/v1", BAD),
        ("ftp://h", BAD),
        ("http://", BAD),
        ("http://a b", BAD),
        ("http://h\x07", BAD),
        ("http://h:99999/v1", BAD),
        ("http://h:0/v1", BAD),
        ("http://h:x/v1", BAD),
        ("http://[::1", BAD),
        ("http://h/v1?key=pw", BAD),
        ("http://h/v1#pw", BAD),
        ("http://u:pw@h/v1", PRIVATE),
        ("http://u:pw@/v1", PRIVATE),
        ("http://u@h/v1", PRIVATE),
    ],
)
def test_a_base_url_is_an_address_without_a_password(project: Path, value: str, problem: str) -> None:
    settings, warnings = load_settings(project, environment={"ROUNDTABLE_BASE_URL": value})
    assert (settings.base_url, settings.is_panel_chosen) == ("", False)
    assert warnings == (f"Environment: ROUNDTABLE_BASE_URL {problem}",)
    with pytest.raises(RuleBroken) as refused:
        load_settings(project, base_url=value, environment={})
    assert str(refused.value) == f"--base-url {problem}"


@pytest.mark.parametrize(
    ("value", "host"),
    [("http://[::1]:8080/v1", "[::1]:8080"), ("https://h/v1", "h"), ("http://h:1/", "h:1")],
)
def test_an_address_is_told_by_its_host_and_port(project: Path, value: str, host: str) -> None:
    assert load_settings(project, base_url=value, environment={})[0].base_url == value
    assert address.show_host(value) == host


def test_the_arguments_of_a_command_stay_as_they_are(project: Path, home: Path) -> None:
    environment = _own(home, """model = ' command:llm -s "two  blanks" '""")
    assert load_settings(project, environment=environment)[0].models == ('command:llm -s "two  blanks"',)


def test_a_budget_has_up_to_three_limits_each_from_the_strongest_layer(project: Path, home: Path) -> None:
    own = _own(home, "[budget]\nturns = 8\ntokens = 60000.0\nmoney = 0.5\n")
    assert load_settings(project, environment=own)[0].budget == Budget(8, 60_000, Decimal("0.5"))
    environment = own | {"ROUNDTABLE_BUDGET_TOKENS": "9000", "ROUNDTABLE_BUDGET_MONEY": "0.25"}
    assert load_settings(project, environment=environment)[0].budget == Budget(8, 9_000, Decimal("0.25"))
    assert load_settings(project, environment={})[0].budget == Budget()


@pytest.mark.parametrize("value", ["0", "-1", "true", '"many"', "1.5", "inf", "nan", "[8]", "1e12"])
def test_a_limit_is_a_number_above_nought(project: Path, home: Path, value: str) -> None:
    settings, (told,) = load_settings(project, environment=_own(home, f"[budget]\nturns = {value}\n"))
    assert settings.budget == Budget()
    assert told.endswith("config.toml: budget.turns must be a number, such as 8.")


def test_a_budget_that_is_none_is_named_and_passed_over(project: Path, home: Path) -> None:
    (told,) = load_settings(project, environment=_own(home, "budget = 3\n"))[1]
    assert told.endswith(f"config.toml: budget is not a setting; the settings are {KNOWN}.")
    (told,) = load_settings(project, environment=_own(home, "[budget]\nyears = 3\n"))[1]
    assert told.endswith(f"config.toml: budget.years is not a setting; the settings are {KNOWN}.")
    told = "Environment: ROUNDTABLE_BUDGET_TURNS must be a number, such as 8."
    assert load_settings(project, environment={"ROUNDTABLE_BUDGET_TURNS": "few"})[1] == (told,)


def test_the_flag_names_the_panel(project: Path) -> None:
    assert load_settings(project, "offline", environment={"ROUNDTABLE_PANEL": "oracle"})[0].panel == "offline"


def test_a_name_is_kept_on_one_line_without_control_characters(project: Path) -> None:
    environment = {"ROUNDTABLE_USER_NAME": " Ada\n \x1b[31mLovelace\x07 "}
    assert load_settings(project, environment=environment)[0].user_name == "Ada Lovelace"


@pytest.mark.parametrize("value", ["   ", "x" * 81, "\x07"])
def test_a_name_that_is_no_name_is_passed_over(project: Path, value: str) -> None:
    settings, warnings = load_settings(project, environment={"ROUNDTABLE_USER_NAME": value})
    assert settings.user_name is None
    assert warnings == ("Environment: ROUNDTABLE_USER_NAME must be a text of 1 to 80 characters.",)


def test_a_name_of_eighty_characters_is_a_name(project: Path) -> None:
    assert load_settings(project, environment={"ROUNDTABLE_USER_NAME": "x" * 80})[0].user_name == "x" * 80


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"panel = ", "ignored: "),
        (b"\xff\xfe", "'utf-8' codec can't decode byte 0xff"),
        (b"x = " + b"[" * 50_000, "ignored: "),
        (b"x = 1" + b"0" * 5_000, "ignored: "),
        (b"#" * (1024 * 1024 + 1), "it is larger than 1,048,576 bytes"),
    ],
    ids=["torn", "not UTF-8", "nested", "huge number", "huge file"],
)
def test_a_file_that_does_not_read_is_named_and_passed_over(project: Path, data: bytes, reason: str) -> None:
    (project / "roundtable.toml").write_bytes(data)
    settings, warnings = load_settings(project, environment={})
    assert settings == Settings(project)
    assert len(warnings) == 1
    assert warnings[0].startswith("roundtable.toml is ignored")
    assert reason in warnings[0]


def test_a_folder_and_a_pipe_in_place_of_the_file_do_no_harm(project: Path, home: Path) -> None:
    (project / "roundtable.toml").mkdir()
    os.mkfifo(project / "pyproject.toml")
    (home / "roundtable").touch()
    settings, warnings = load_settings(project, environment={"XDG_CONFIG_HOME": str(home)})
    assert settings == Settings(project)
    assert len(warnings) == 2
    assert "a folder has that name" in warnings[0]
    assert "it is not a regular file" in warnings[1]


@pytest.mark.parametrize(
    "text", ["[tool.ruff]\nx = ", "tool = 3\n# tool.roundtable", "[tool]\nroundtable = 3"]
)
def test_a_pyproject_that_holds_no_table_of_ours_is_none_of_our_business(project: Path, text: str) -> None:
    (project / "pyproject.toml").write_text(text)
    assert load_settings(project, environment={}) == (Settings(project), ())


def test_a_byte_order_mark_is_no_problem(project: Path) -> None:
    (project / "roundtable.toml").write_bytes(b'\xef\xbb\xbfuser_name = "Ada"\r\n')
    assert load_settings(project, environment={})[0].user_name == "Ada"


def test_the_users_file_lies_where_the_system_keeps_settings() -> None:
    assert user_file({"XDG_CONFIG_HOME": "/c", "HOME": "/h"}) == Path("/c/roundtable/config.toml")
    assert user_file({"APPDATA": "/a", "HOME": "/h"}) == Path("/a/roundtable/config.toml")
    own = user_file({"HOME": "/h"})
    assert own is not None
    assert own.is_relative_to("/h")
    assert own.parts[-2:] == ("roundtable", "config.toml")
    assert user_file({}) is None


def test_the_users_name_is_the_setting_else_what_git_says(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    assert user_name(Settings(project)) is None
    subprocess.run(["git", "-C", str(project), "config", "user.name", "Grace \x1b[1mHopper"], check=True)
    assert user_name(Settings(project)) == "Grace Hopper"
    assert user_name(Settings(project, user_name="Ada")) == "Ada"


def test_without_git_the_user_has_no_name(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(project))
    assert user_name(Settings(project)) is None


@pytest.mark.parametrize(
    "mark", ["docs/requirements", ".roundtable", "roundtable.toml", "pyproject.toml", ".git"]
)
def test_the_project_is_the_nearest_folder_above_that_has_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    below = tmp_path / "inner" / "src"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert find_root() == Path()
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    assert find_root() == Path()
    (tmp_path / ".git").mkdir()
    assert find_root() == tmp_path
    place = tmp_path / "inner" / mark
    if mark.endswith(".toml"):
        place.write_text("[tool.roundtable]\npanel = \n")
    else:
        place.mkdir(parents=True)
    assert find_root() == tmp_path / "inner"
    monkeypatch.chdir(tmp_path / "inner")
    assert find_root() == Path()
    monkeypatch.chdir(tmp_path)
    assert load_settings()[0].root == Path()


@pytest.mark.parametrize(
    ("text", "seconds", "warned"),
    [
        ("time_limit = 45", 45.0, False),
        ('time_limit = "45"', 45.0, False),
        ("time_limit = 4", None, True),
        ("time_limit = true", None, True),
        ('time_limit = "soon"', None, True),
        ("", None, False),
    ],
)
def test_the_user_says_how_long_an_answer_may_take(
    tmp_path: Path, text: str, seconds: float | None, warned: bool
) -> None:
    own = tmp_path / "config" / "roundtable" / "config.toml"
    own.parent.mkdir(parents=True)
    own.write_text(text)
    environment = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    found, warnings = load_settings(tmp_path, environment=environment)
    assert found.time_limit == seconds
    assert bool(warnings) is warned
    (tmp_path / "roundtable.toml").write_text("time_limit = 45\n")
    own.write_text("")
    found, (warning,) = load_settings(tmp_path, environment=environment)
    assert found.time_limit is None
    assert "time_limit is ignored" in warning
