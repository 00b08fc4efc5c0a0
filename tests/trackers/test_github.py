"""Issues from GitHub over its REST interface."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from roundtable.core.errors import TrackerFailed
from roundtable.core.steps import Item
from roundtable.trackers import Reference
from roundtable.trackers.issues import fetch_issue, find_origin, post_comment
from trackers.server import CANARY, Tracker

pytestmark = pytest.mark.rule("ITEM-2")

PATH = "/repos/acme/shop/issues/21"
GH_21 = Reference("github", "GH-21")
NAMED = Reference("github", "GH-21", "github.com", "acme/shop")
BY_HAND = 'Or add it by hand: roundtable add GH-21 --title "what it is about"'


@pytest.fixture
def environment(environment: dict[str, str], server: Tracker) -> dict[str, str]:
    return environment | {"GITHUB_API_URL": server.address}


def git(root: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(root), *words], check=True, capture_output=True)


def add_origin(root: Path, address: str) -> tuple[str, str] | None:
    git(root, "init")
    git(root, "remote", "add", "origin", address)
    return find_origin(root)


def failure(reference: Reference, root: Path, environment: dict[str, str]) -> str:
    with pytest.raises(TrackerFailed) as caught:
        fetch_issue(reference, root, environment)
    assert CANARY not in f"{caught.value}{caught.value.__cause__!r}{caught.value.__context__!r}"
    return str(caught.value)


def test_title_and_text_come_from_there(server: Tracker, environment: dict[str, str], root: Path) -> None:
    server.gives(
        PATH,
        {
            "title": "Offline \x1b[31mforms\n",
            "body": "Forms lose\x00 what was typed.\r\n\r\n- [ ] keep\r\n",
            "comments": None,
            "url": "https://api.github.com/repos/acme/shop/issues/21",
            "html_url": "https://github.com/acme/shop/issues/21",
        },
    )
    environment["GITHUB_TOKEN"] = f" {CANARY}\n"
    assert fetch_issue(NAMED, root, environment) == (
        "Offline forms",
        "Forms lose what was typed.\n\n- [ ] keep",
    )
    (asked,) = server.asked
    assert asked.path == PATH
    assert asked.headers["Authorization"] == f"Bearer {CANARY}"
    assert asked.headers["Accept"] == "application/json"


def test_the_newest_comments_come_along(server: Tracker, environment: dict[str, str], root: Path) -> None:
    server.gives(PATH, {"title": "Offline forms", "body": "They lose it.", "comments": 31})
    comments = [
        {
            "user": {"login": "ana"},
            "created_at": "2026-01-02T03:04:05Z",
            "body": "Also\x1b[2J on trams.\r\n# Twice.",
        },
        {"user": None, "created_at": "2026-01-03T03:04:05Z", "body": None},
    ]
    server.gives(f"{PATH}/comments?per_page=30&page=2", comments)
    title, text = fetch_issue(NAMED, root, environment)
    assert text == "They lose it.\n\n## Comments\n\n**ana**, 2026-01-02:\n\n> Also on trams.\n> # Twice."
    assert Item("a", title, text).own_text == "They lose it."


def test_a_comment_is_put_on_the_issue(server: Tracker, environment: dict[str, str], root: Path) -> None:
    server.gives(f"{PATH}/comments", {"html_url": "https://github.com/acme/shop/issues/21#c1"})
    environment["GITHUB_TOKEN"] = CANARY
    assert post_comment(NAMED, root, environment, "# Hand-off\n").endswith("21#c1")
    (asked,) = server.asked
    assert json.loads(asked.body) == {"body": "# Hand-off\n"}
    assert asked.headers["Authorization"] == f"Bearer {CANARY}"
    server.refuses(f"{PATH}/comments", 403)
    with pytest.raises(TrackerFailed, match=r"Nothing was posted\. Put the text there by hand"):
        post_comment(NAMED, root, environment, "again")


@pytest.mark.parametrize(
    ("tokens", "sent"),
    [
        ({"GITHUB_TOKEN": "a", "GH_TOKEN": "b"}, "Bearer a"),
        ({"GITHUB_TOKEN": " ", "GH_TOKEN": "b"}, "Bearer b"),
        ({"GH_TOKEN": "b"}, "Bearer b"),
        ({}, None),
    ],
)
def test_the_token_comes_from_the_environment(
    server: Tracker, environment: dict[str, str], root: Path, tokens: dict[str, str], sent: str | None
) -> None:
    server.gives(PATH, {"title": "T"})
    fetch_issue(NAMED, root, environment | tokens)
    assert server.asked[0].headers.get("Authorization") == sent


@pytest.mark.parametrize("answer", [{"title": "", "body": None}, {"title": None}, {"title": " "}])
def test_an_issue_without_words_is_called_by_its_id(
    server: Tracker, environment: dict[str, str], root: Path, answer: object
) -> None:
    server.gives(PATH, answer)
    assert fetch_issue(NAMED, root, environment) == ("GH-21", "")


def test_the_repository_is_the_projects_own(server: Tracker, environment: dict[str, str], root: Path) -> None:
    git(root, "init")
    git(root, "remote", "add", "origin", "git@github.com:acme/shop.git")
    server.gives(PATH, {"title": "T"})
    assert fetch_issue(GH_21, root, environment)[0] == "T"


@pytest.mark.parametrize("prepared", [False, True])
def test_without_a_repository_the_address_is_asked_for(
    environment: dict[str, str], root: Path, prepared: bool
) -> None:
    if prepared:
        git(root, "init")
        git(root, "remote", "add", "origin", str(root / "elsewhere"))
    assert failure(GH_21, root, environment) == (
        'GH-21 names no repository, and git knows no remote "origin" here that does. Nothing was added. '
        f"Give the full address: https://github.com/OWNER/NAME/issues/21. {BY_HAND}"
    )


def test_a_refusal_without_a_token_says_so(server: Tracker, environment: dict[str, str], root: Path) -> None:
    assert failure(NAMED, root, environment) == (
        "GitHub does not show GH-21 without credentials (404). Nothing was added. "
        f"Check the reference, GITHUB_API_URL, GITHUB_TOKEN or the login of gh. {BY_HAND}"
    )
    server.refuses(PATH, 403)
    assert "GitHub does not show GH-21 without credentials (403)." in failure(NAMED, root, environment)


def test_a_refused_token_is_said(server: Tracker, environment: dict[str, str], root: Path) -> None:
    server.refuses(PATH, 401)
    assert failure(NAMED, root, environment | {"GH_TOKEN": CANARY}) == (
        "GitHub does not show GH-21 with these credentials (401). Nothing was added. "
        f"Check the reference, GITHUB_API_URL, GITHUB_TOKEN or the login of gh. {BY_HAND}"
    )


@pytest.mark.parametrize("token", [f"{CANARY}\nX-Evil: 1", f"{CANARY} x", f"{CANARY}ü", f"{CANARY}\x00"])
def test_a_token_that_is_none_is_not_sent(
    server: Tracker, environment: dict[str, str], root: Path, token: str
) -> None:
    assert failure(NAMED, root, environment | {"GITHUB_TOKEN": token}) == (
        "GITHUB_TOKEN or GH_TOKEN holds characters that no token has. Nothing was added. "
        f"Check GITHUB_TOKEN or GH_TOKEN. {BY_HAND}"
    )
    assert server.asked == []


@pytest.mark.parametrize("answer", [{"message": "hello"}, {"title": "x", "body": ["y"]}])
def test_an_answer_without_a_title_or_a_text_is_no_issue(
    server: Tracker, environment: dict[str, str], root: Path, answer: object
) -> None:
    server.gives(PATH, answer)
    assert failure(NAMED, root, environment).startswith(
        f"GitHub at {server.host} answered with something that is not an issue."
    )


def test_a_moved_repository_is_followed(server: Tracker, environment: dict[str, str], root: Path) -> None:
    server.refuses(PATH, 301, Location=f"{server.address}/repositories/7/issues/21")
    server.gives("/repositories/7/issues/21", {"title": "Moved"})
    assert fetch_issue(NAMED, root, environment | {"GITHUB_TOKEN": CANARY})[0] == "Moved"
    assert server.asked[1].headers["Authorization"] == f"Bearer {CANARY}"


def test_a_pasted_address_of_another_host_never_gets_the_token(
    environment: dict[str, str], root: Path
) -> None:
    # GitHub's own runners set GITHUB_API_URL to GitHub itself.
    for address in ("", "https://api.github.com"):
        given = environment | {"GITHUB_API_URL": address, "GITHUB_TOKEN": CANARY}
        reference = Reference("github", "GH-21", "git.nowhere.invalid", "acme/shop")
        said = failure(reference, root, given)
        assert said.startswith("Could not reach git.nowhere.invalid: ")
        assert said.endswith(f"Check the connection and the address. {BY_HAND}")


def test_a_company_is_told_what_to_set(
    environment: dict[str, str],
    root: Path,
    secure: Tracker,
    certificate: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    given = environment | {"GITHUB_API_URL": "https://api.github.com", "GITHUB_TOKEN": CANARY}
    assert failure(Reference("github", "GH-21", secure.host, "acme/shop"), root, given) == (
        "GitHub does not show GH-21 without credentials (404). Nothing was added. "
        f"Check the reference, GITHUB_API_URL, GITHUB_TOKEN or the login of gh. {BY_HAND}"
    )
    (asked,) = secure.asked
    assert asked.path == f"/api/v3{PATH}"
    assert "Authorization" not in asked.headers


def test_the_address_that_is_set_serves_a_company(
    environment: dict[str, str], root: Path, server: Tracker
) -> None:
    server.gives(PATH, {"title": "Ours"})
    reference = Reference("github", "GH-21", "git.corp.example", "acme/shop")
    assert fetch_issue(reference, root, environment | {"GITHUB_TOKEN": CANARY})[0] == "Ours"
    assert server.asked[0].headers["Authorization"] == f"Bearer {CANARY}"


class TestRemote:
    @pytest.mark.parametrize(
        "address",
        [
            "https://github.com/acme/web.shop",
            "https://github.com/acme/web.shop.git",
            "https://github.com/acme/web.shop/",
            "https://ada:secret@github.com/acme/web.shop.git",
            "http://www.github.com/acme/web.shop",
            "git@github.com:acme/web.shop.git",
            "github.com:acme/web.shop",
            "git@GitHub.com:/acme/web.shop.git",
            "ssh://git@github.com/acme/web.shop.git",
            "ssh://git@ssh.github.com:443/acme/web.shop.git",
            "git://github.com/acme/web.shop.git",
            "git@github-work:acme/web.shop.git",
        ],
    )
    def test_is_read_whichever_way_git_writes_it(self, root: Path, address: str) -> None:
        assert add_origin(root, address) == ("github.com", "acme/web.shop")

    @pytest.mark.parametrize(
        ("address", "repository"),
        [("git@git.corp.example:acme/shop.git", "acme/shop"), ("ssh://git@git.corp.example:2222/a/b", "a/b")],
    )
    def test_may_be_on_a_companys_host(self, root: Path, address: str, repository: str) -> None:
        assert add_origin(root, address) == ("git.corp.example", repository)

    @pytest.mark.parametrize(
        "address",
        [
            "/srv/git/shop.git",
            "../shop",
            "file:///srv/git/shop.git",
            "https://github.com/shop",
            "C:\\git\\shop",
            "https://gitlab.com/group/sub/shop.git",
            "https://github.com/-acme /shop",
        ],
    )
    def test_a_folder_or_a_deeper_path_is_none(self, root: Path, address: str) -> None:
        assert add_origin(root, address) is None

    def test_is_asked_of_git(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        assert find_origin(root) is None
        git(root, "init")
        assert find_origin(root) is None
        git(root, "remote", "add", "origin", "https://github.com/acme/shop")
        assert find_origin(root) == ("github.com", "acme/shop")
        monkeypatch.setenv("PATH", str(root))
        assert find_origin(root) is None
