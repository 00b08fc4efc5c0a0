"""Issues through the user's own gh: a real process, however it behaves."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gitproject import git
from hostile import PROGRAM_TRICKS, build_hostile
from roundtable.core.errors import TrackerFailed
from roundtable.trackers import GithubReference, Issue, fetch_issue
from roundtable.trackers.github import GH_PATIENCE, ask_gh, fetch_github
from trackers.server import CANARY, Tracker

pytestmark = pytest.mark.rule("ITEM-2")

Install = Callable[[str], None]

GH_21 = GithubReference(21)
NAMED = GithubReference(21, "acme/shop", "github.com")
PATH = "/repos/acme/shop/issues/21"
ANSWER = {
    "title": "Offline forms",
    "body": "Forms lose\x07 it.\r\n",
    "url": "https://github.com/acme/shop/issues/21",
    "number": 21,
    "state": "OPEN",
}
PRINTS = f"cat <<'END'\n{json.dumps(ANSWER)}\nEND"
SAVED = "Nothing was added."
BY_HAND = 'Or add it by hand: roundtable add GH-21 --title "what it is about"'
TRY_IT = f"Try it with: gh issue view 21. {BY_HAND}"


# Shell commands that run what a repository's settings name, unless git is told not to.
CARELESS = "git ls-files --others > listed; git log --show-signature > logged"


@pytest.fixture
def environment(environment: dict[str, str], server: Tracker) -> dict[str, str]:
    return environment | {"GITHUB_API_URL": server.address}


def failure(root: Path, environment: dict[str, str], *, patience: float = GH_PATIENCE) -> str:
    with pytest.raises(TrackerFailed) as caught:
        fetch_github(NAMED, root, environment, gh_patience=patience)
    assert CANARY not in f"{caught.value}{caught.value.__cause__!r}{caught.value.__context__!r}"
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_gh_that_is_logged_in_is_asked_first(
    fake_gh: Install, root: Path, environment: dict[str, str], server: Tracker
) -> None:
    fake_gh(f'echo "$@" > asked\npwd > where\nenv > said\n{PRINTS}')
    given = {"GITHUB_TOKEN": CANARY, "GH_FORCE_TTY": "1", "CLICOLOR_FORCE": "1", "GH_DEBUG": "api"}
    assert fetch_issue(GH_21, root, environment | given) == Issue("Offline forms", "Forms lose it.")
    assert (root / "asked").read_text() == "issue view 21 --json title,body\n"
    assert Path((root / "where").read_text().strip()).samefile(root)
    said = (root / "said").read_text().split("\n")
    assert "GH_PROMPT_DISABLED=1" in said
    assert f"GITHUB_TOKEN={CANARY}" in said
    assert not [line for line in said if line.startswith(("GH_FORCE_TTY", "CLICOLOR_FORCE", "GH_DEBUG"))]
    assert server.asked == []


@pytest.mark.parametrize("host", ["github.com", "git.corp.example"])
def test_the_references_repository_is_named(
    fake_gh: Install, root: Path, environment: dict[str, str], host: str
) -> None:
    fake_gh(f'echo "$@" > asked\n{PRINTS}')
    assert ask_gh(GithubReference(21, "acme/shop", host), root, environment) == ANSWER
    assert (root / "asked").read_text().endswith(f" --repo {host}/acme/shop\n")
    ask_gh(GithubReference(21, "acme/shop"), root, environment)
    assert (root / "asked").read_text().endswith(" --repo github.com/acme/shop\n")


@pytest.mark.parametrize(
    "script",
    [
        "exit 4",
        "echo 'To get started with GitHub CLI, please run: gh auth login' >&2; exit 1",
        "exit 4\n" + "x" * 10,
    ],
)
def test_a_gh_that_is_not_logged_in_is_passed_over(
    fake_gh: Install, root: Path, environment: dict[str, str], server: Tracker, script: str
) -> None:
    fake_gh(script)
    assert ask_gh(NAMED, root, environment) is None
    server.gives(PATH, {"title": "From REST"})
    assert fetch_issue(NAMED, root, environment).title == "From REST"


def test_a_gh_that_is_no_program_is_passed_over(
    programs: Path, root: Path, environment: dict[str, str]
) -> None:
    assert ask_gh(NAMED, root, environment) is None
    (programs / "gh").write_bytes(b"\x00\x01")
    (programs / "gh").chmod(0o755)
    assert ask_gh(NAMED, root, environment) is None
    assert ask_gh(NAMED, root, {}) is None


def test_a_gh_that_hangs_is_ended_with_all_that_it_started(
    fake_gh: Install, root: Path, environment: dict[str, str]
) -> None:
    assert GH_PATIENCE == 15
    fake_gh("sleep 600 &\necho $! > child\nsleep 600")
    began = time.monotonic()
    assert failure(root, environment, patience=1.5) == (
        f"gh did not answer within 1.5 seconds. {SAVED} {TRY_IT}"
    )
    assert time.monotonic() - began < 30
    assert is_gone(int((root / "child").read_text()))


def is_gone(pid: int) -> bool:
    """True once the process has ended; one that waits to be collected has."""
    latest = time.monotonic() + 10
    while time.monotonic() < latest:
        try:
            os.kill(pid, 0)
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
    return False


@pytest.mark.parametrize("said", ["Welcome!", "", "[1]", '{"message": "x"}', "null", '{"title":', "\\377"])
def test_garbage_is_no_issue(fake_gh: Install, root: Path, environment: dict[str, str], said: str) -> None:
    fake_gh(f"printf '{said}'")
    assert failure(root, environment) == f"gh answered with something that is not an issue. {SAVED} {TRY_IT}"


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo 'GraphQL: no issue 21.' >&2; exit 1", "GraphQL: no issue 21."),
        (r"printf '\n \033[31mbad\033[0m  news\nmore' >&2; exit 1", "bad news."),
        ("exit 3", "it ended with status 3."),
        ("echo out; exit 1", "it ended with status 1."),
        (f"echo 'at {'x' * 300}' >&2; exit 1", f"at {'x' * 197}."),
        (f"echo 'bad {CANARY} here' >&2; exit 1", "bad *** here."),
        ("echo 'bad ghp_0aBc9 and github_pat_11A_b here' >&2; exit 1", "bad *** and *** here."),
    ],
)
def test_what_gh_says_is_passed_on_without_credentials(
    fake_gh: Install, root: Path, environment: dict[str, str], script: str, said: str
) -> None:
    fake_gh(script)
    environment |= {"GH_ENTERPRISE_TOKEN": f"{CANARY}\n", "EMPTY_TOKEN": ""}
    assert failure(root, environment) == (
        f"gh could not read GH-21: {said} {SAVED} "
        f"Check the reference, or give the issue's full address. {BY_HAND}"
    )


@pytest.mark.parametrize("script", ["echo no >&2; exit 1", "echo garbage", "sleep 600"])
def test_with_a_token_a_gh_that_fails_is_passed_over(
    fake_gh: Install, root: Path, environment: dict[str, str], server: Tracker, script: str
) -> None:
    fake_gh(script)
    server.gives(PATH, {"title": "From REST"})
    issue = fetch_github(NAMED, root, environment | {"GH_TOKEN": CANARY}, gh_patience=0.2)
    assert issue.title == "From REST"
    assert server.asked[0].headers["Authorization"] == f"Bearer {CANARY}"


def test_nothing_that_the_repository_names_is_run_by_the_git_that_gh_asks(
    fake_gh: Install, tmp_path: Path, environment: dict[str, str]
) -> None:
    (tmp_path / "hostile").mkdir()
    hostile = build_hostile(tmp_path / "hostile", "http://127.0.0.1:9", PROGRAM_TRICKS)
    git(hostile.root, "config", "core.fsmonitor", str(hostile.program))
    subprocess.run(["sh", "-c", CARELESS], cwd=hostile.root, check=False, capture_output=True, timeout=30)
    assert hostile.marker.exists(), "the trick does not work on a careless git"
    hostile.marker.unlink()
    fake_gh(f"{CARELESS}\n{PRINTS}")
    assert fetch_issue(GH_21, hostile.root, environment) == Issue("Offline forms", "Forms lose it.")
    assert (hostile.root / "listed").exists()
    assert not hostile.marker.exists()
