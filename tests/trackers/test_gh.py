"""The token that the user's own gh keeps: a real process, however it behaves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from roundtable.trackers import Reference
from roundtable.trackers.issues import fetch_issue
from trackers.server import CANARY, Tracker

pytestmark = pytest.mark.rule("ITEM-2")

Install = Callable[[str], None]

NAMED = Reference("github", "GH-21", "github.com", "acme/shop")
PATH = "/repos/acme/shop/issues/21"


@pytest.fixture
def environment(environment: dict[str, str], server: Tracker) -> dict[str, str]:
    server.gives(PATH, {"title": "From there"})
    return environment | {"GITHUB_API_URL": server.address}


def test_a_gh_that_is_logged_in_gives_its_token(
    fake_gh: Install, root: Path, environment: dict[str, str], server: Tracker, tmp_path: Path
) -> None:
    fake_gh(f'echo "$@" > {tmp_path}/asked\nenv > {tmp_path}/said\necho {CANARY}')
    given = {"GH_ENTERPRISE_TOKEN": "for-any-host", "GIT_DIR": "/elsewhere"}
    assert fetch_issue(NAMED, root, environment | given)[0] == "From there"
    assert server.asked[0].headers["Authorization"] == f"Bearer {CANARY}"
    assert (tmp_path / "asked").read_text() == "auth token --hostname github.com\n"
    said = (tmp_path / "said").read_text()
    assert "for-any-host" not in said
    assert "GIT_DIR=" not in said


def test_a_company_is_asked_with_the_login_to_its_own_host(
    fake_gh: Install, root: Path, environment: dict[str, str], server: Tracker, tmp_path: Path
) -> None:
    fake_gh(f'echo "$@" > {tmp_path}/asked\necho {CANARY}')
    reference = Reference("github", "GH-21", "git.corp.example", "acme/shop")
    assert fetch_issue(reference, root, environment)[0] == "From there"
    assert (tmp_path / "asked").read_text() == "auth token --hostname git.corp.example\n"


def test_a_token_of_the_environment_comes_first(
    fake_gh: Install, root: Path, environment: dict[str, str], server: Tracker
) -> None:
    fake_gh("echo of-gh")
    fetch_issue(NAMED, root, environment | {"GH_TOKEN": CANARY})
    assert server.asked[0].headers["Authorization"] == f"Bearer {CANARY}"


@pytest.mark.parametrize("script", ["exit 4", "echo no >&2; exit 1", "echo", "echo two words", "sleep 600"])
def test_a_gh_without_a_token_is_passed_over(
    fake_gh: Install,
    root: Path,
    environment: dict[str, str],
    server: Tracker,
    script: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("roundtable.trackers.issues.GH_PATIENCE", 0.5)
    fake_gh(f"exec {script}" if script.startswith("sleep") else script)
    assert fetch_issue(NAMED, root, environment)[0] == "From there"
    assert "Authorization" not in server.asked[0].headers


def test_a_gh_that_is_no_program_is_passed_over(
    programs: Path, root: Path, environment: dict[str, str], server: Tracker
) -> None:
    (programs / "gh").write_bytes(b"\x00\x01")
    (programs / "gh").chmod(0o755)
    assert fetch_issue(NAMED, root, environment)[0] == "From there"
    assert "Authorization" not in server.asked[0].headers
