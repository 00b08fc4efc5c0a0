"""`roundtable add` with an issue: what the tracker says becomes the item, or the user is asked."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest

from commandline import CommandLine, command_line
from roundtable.core.steps import Item
from roundtable.store.items import read_item
from trackers.server import CANARY, Tracker

pytestmark = pytest.mark.rule("ITEM-2", "ITEM-4")

PATH = "/repos/acme/shop/issues/21"
ADDRESS = "https://github.com/acme/shop/issues/21"
VARIABLES = ("GITHUB_TOKEN", "GH_TOKEN", "GITHUB_API_URL", "JIRA_BASE_URL", "JIRA_USER", "JIRA_TOKEN")


@pytest.fixture
def cli(
    tmp_path: Path, environment: dict[str, str], server: Tracker, monkeypatch: pytest.MonkeyPatch
) -> CommandLine:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in (environment | {"GITHUB_API_URL": server.address}).items():
        monkeypatch.setenv(name, value)
    return command_line(tmp_path, monkeypatch)


def test_an_issue_becomes_an_item(cli: CommandLine, server: Tracker) -> None:
    server.gives(PATH, {"title": "Offline forms", "body": "Forms lose what was typed."})
    ran = cli.run("add", ADDRESS)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == (
        "Added gh-21-offline-forms: Offline forms\nGo on with: roundtable analyze gh-21-offline-forms\n"
    )
    folder = cli.root / "docs" / "requirements" / "gh-21-offline-forms"
    assert read_item(folder) == Item(
        "gh-21-offline-forms", "Offline forms", "Forms lose what was typed.", "github", "GH-21"
    )
    meta = json.loads((folder / "meta.json").read_text())
    assert (meta["source"], meta["source_id"], meta["slug"]) == ("github", "GH-21", folder.name)


def test_the_same_issue_is_not_added_twice(cli: CommandLine, server: Tracker) -> None:
    server.gives(PATH, {"title": "Offline forms", "body": ""})
    assert cli.run("add", ADDRESS).status == 0
    for words in ([ADDRESS], ["GH-21"], ["#21", "--title", "Forms"]):
        ran = cli.run("add", *words)
        assert (ran.status, ran.out) == (2, "")
        assert ran.err == (
            "GH-21 is already here: gh-21-offline-forms. Nothing was added. "
            "Go on with: roundtable analyze gh-21-offline-forms\n"
        )
    assert [path.name for path in (cli.root / "docs" / "requirements").iterdir()] == ["gh-21-offline-forms"]


def test_an_issue_in_jira_becomes_an_item(
    cli: CommandLine, server: Tracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in zip(VARIABLES[3:], (server.address, "ada", CANARY), strict=True):
        monkeypatch.setenv(name, value)
    path = "/rest/api/2/issue/ABC-12?fields=summary,description,comment"
    server.gives(path, {"fields": {"summary": "Export", "description": None}})
    assert cli.run("add", "ABC-12", "--json").json == {
        "slug": "abc-12-export",
        "title": "Export",
        "folder": "docs/requirements/abc-12-export",
    }
    assert (cli.root / "docs/requirements/abc-12-export/draft.md").read_text() == "# Export\n"


def test_the_users_gh_is_used(cli: CommandLine, fake_gh: Callable[[str], None], server: Tracker) -> None:
    fake_gh(f"echo {CANARY}")
    server.gives(PATH, {"title": "From gh"})
    assert cli.run("add", ADDRESS, "--json").json["slug"] == "gh-21-from-gh"
    assert server.asked[0].headers["Authorization"] == f"Bearer {CANARY}"


def test_without_the_tracker_the_option_is_named(
    cli: CommandLine, server: Tracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", CANARY)
    server.refuses(PATH, 401)
    ran = cli.run("add", ADDRESS, "--debug")
    assert (ran.status, ran.out) == (3, "")
    assert CANARY not in ran.err
    ran = cli.run("add", ADDRESS)
    assert (ran.status, ran.out, ran.err) == (
        3,
        "",
        "GitHub does not show GH-21 with these credentials (401). Nothing was added. "
        "Check the reference, GITHUB_API_URL, GITHUB_TOKEN or the login of gh. "
        'Or add it by hand: roundtable add GH-21 --title "what it is about"\n',
    )
    assert not (cli.root / "docs").exists()


def test_with_a_title_the_tracker_is_not_asked(cli: CommandLine, server: Tracker) -> None:
    ran = cli.run("add", "GH-21", "--title", "Offline forms", "--json")
    folder = cli.root / ran.json["folder"]
    assert read_item(folder) == Item("gh-21-offline-forms", "Offline forms", "", "github", "GH-21")
    assert server.asked == []


def test_words_may_have_a_title_too(cli: CommandLine) -> None:
    ran = cli.run("add", "Forms lose", "what was typed.", "--title", "Offline forms", "--json")
    folder = cli.root / ran.json["folder"]
    assert (folder / "draft.md").read_text() == "# Offline forms\n\nForms lose what was typed.\n"
    assert json.loads((folder / "meta.json").read_text())["source"] == "manual"


class TestAtATerminal:
    @pytest.fixture
    def terminal(self, cli: CommandLine) -> Iterator[pexpect.spawn[str]]:
        process: pexpect.spawn[str] = pexpect.spawn(
            sys.executable,
            ["-m", "roundtable", "add", ADDRESS],
            cwd=str(cli.root),
            encoding="utf-8",
            timeout=60,
            dimensions=(50, 300),
        )
        process.expect_exact("GitHub does not show GH-21")
        process.expect_exact("Title (Enter leaves): ")
        yield process
        process.close(force=True)

    def test_the_user_is_asked(self, cli: CommandLine, terminal: pexpect.spawn[str]) -> None:
        terminal.sendline("Offline forms")
        terminal.expect_exact("Added gh-21-offline-forms: Offline forms")
        terminal.expect(pexpect.EOF)
        folder = cli.root / "docs" / "requirements" / "gh-21-offline-forms"
        assert read_item(folder) == Item(folder.name, "Offline forms", "", "github", "GH-21")

    @pytest.mark.parametrize(
        ("typed", "said", "status"),
        [
            ("\r", "No title was given, so nothing was added.", 2),
            ("\x03", "Interrupted.", 130),
            ("\x04", "Interrupted.", 130),
        ],
    )
    def test_the_user_may_leave(
        self, cli: CommandLine, terminal: pexpect.spawn[str], typed: str, said: str, status: int
    ) -> None:
        terminal.send(typed)
        terminal.expect_exact(said)
        terminal.expect(pexpect.EOF)
        terminal.close()
        assert terminal.exitstatus == status
        assert not (cli.root / "docs").exists()
