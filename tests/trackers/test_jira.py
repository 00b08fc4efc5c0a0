"""Issues from Jira, with the credentials in the environment."""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path

import pytest

from roundtable.core.errors import TrackerFailed
from roundtable.trackers import Reference
from roundtable.trackers.issues import fetch_issue
from trackers.server import CANARY, Reply, Tracker

pytestmark = pytest.mark.rule("ITEM-2")

PATH = "/rest/api/2/issue/ABC-12?fields=summary,description,comment"
ABC_12 = Reference("jira", "ABC-12")
ENDING = 'Nothing was added. {} Or add it by hand: roundtable add ABC-12 --title "what it is about"'


@pytest.fixture
def environment(server: Tracker) -> dict[str, str]:
    return {"JIRA_BASE_URL": f"{server.address}/", "JIRA_USER": "ada@example.org", "JIRA_TOKEN": CANARY}


def failure(environment: dict[str, str], reference: Reference = ABC_12) -> str:
    with pytest.raises(TrackerFailed) as caught:
        fetch_issue(reference, Path(), environment)
    assert CANARY not in f"{caught.value}{caught.value.__cause__!r}"
    return str(caught.value)


def test_title_and_text_come_from_there(server: Tracker, environment: dict[str, str], tmp_path: Path) -> None:
    words = "Forms lose\x1b[31m what was typed."
    server.gives(PATH, {"key": "ABC-12", "fields": {"summary": "Offline\n forms\x07", "description": words}})
    assert fetch_issue(ABC_12, tmp_path, environment) == ("Offline forms", "Forms lose what was typed.")
    (asked,) = server.asked
    scheme, _, sent = asked.headers["Authorization"].partition(" ")
    assert (scheme, b64decode(sent).decode()) == ("Basic", f"ada@example.org:{CANARY}")


def test_its_comments_come_along(server: Tracker, environment: dict[str, str], root: Path) -> None:
    told = {
        "author": {"displayName": "Ana"},
        "created": "2026-01-02T03:04:05.000+0000",
        "body": "On trams too.",
    }
    fields = {"summary": "Offline forms", "description": "Lost.", "comment": {"comments": [told]}}
    server.gives(PATH, {"fields": fields})
    _, text = fetch_issue(Reference("jira", "ABC-12"), root, environment)
    assert text == "Lost.\n\n## Comments\n\n**Ana**, 2026-01-02:\n\n> On trams too."


@pytest.mark.parametrize("comment", [None, 3, {}, {"comments": "x"}, {"comments": [3, None, {"body": 3}]}])
def test_comments_that_are_none_are_left_out(
    server: Tracker, environment: dict[str, str], comment: object
) -> None:
    server.gives(PATH, {"fields": {"summary": "Old", "description": "Lost.", "comment": comment}})
    assert fetch_issue(ABC_12, Path(), environment) == ("Old", "Lost.")


def test_its_markup_reads_as_markdown(server: Tracker, environment: dict[str, str]) -> None:
    words = "h2. Why\r\nBecause\rso.\n# first\n# second\n{code:java}\nx = 1;\n{code}"
    told = {"author": {"displayName": "Ana"}, "created": "2026-01-02", "body": "h1. Me too\n# really"}
    fields = {"summary": "h1. Old", "description": words, "comment": {"comments": [told]}}
    server.gives(PATH, {"fields": fields})
    title, whole = fetch_issue(ABC_12, Path(), environment)
    assert title == "h1. Old"
    text, comments = whole.split("\n\n## Comments\n\n")
    assert text == "## Why\nBecause\nso.\n1. first\n1. second\n```\nx = 1;\n```"
    assert comments == "**Ana**, 2026-01-02:\n\n> # Me too\n> 1. really"


@pytest.mark.parametrize(
    "fields", [{}, {"summary": None, "description": None}, {"summary": " ", "description": ""}]
)
def test_an_issue_without_words_is_called_by_its_id(
    server: Tracker, environment: dict[str, str], fields: dict[str, object]
) -> None:
    server.gives(PATH, {"fields": fields})
    assert fetch_issue(ABC_12, Path(), environment) == ("ABC-12", "")


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"fields": None},
        {"errorMessages": ["x"]},
        {"fields": {"summary": "x", "description": {"type": "doc"}}},
    ],
)
def test_an_answer_without_fields_is_no_issue(
    server: Tracker, environment: dict[str, str], answer: object
) -> None:
    server.gives(PATH, answer)
    assert failure(environment).startswith(
        f"Jira at {server.host} answered with something that is not an issue."
    )


@pytest.mark.parametrize(
    ("missing", "told"),
    [
        (("JIRA_TOKEN",), "Set JIRA_TOKEN."),
        (("JIRA_USER", "JIRA_TOKEN"), "Set JIRA_USER and JIRA_TOKEN."),
        (("JIRA_BASE_URL", "JIRA_USER", "JIRA_TOKEN"), "Set JIRA_BASE_URL and JIRA_USER and JIRA_TOKEN."),
    ],
)
@pytest.mark.parametrize("blank", [True, False])
def test_missing_credentials_are_named(
    environment: dict[str, str], missing: tuple[str, ...], told: str, blank: bool
) -> None:
    left = {name: value for name, value in environment.items() if name not in missing}
    left |= dict.fromkeys(missing, " ") if blank else {}
    assert failure(left) == f"Jira cannot be asked for ABC-12 yet. {ENDING.format(told)}"


def test_an_address_in_the_reference_never_gets_the_credentials(
    server: Tracker, other: Tracker, environment: dict[str, str]
) -> None:
    assert failure(environment, Reference("jira", "ABC-12", f"{other.address}/jira")) == (
        f"ABC-12 is on {other.host}, and JIRA_BASE_URL names {server.host}. "
        + ENDING.format(
            f"Set JIRA_BASE_URL to {other.address}/jira, with the JIRA_USER and JIRA_TOKEN for it."
        )
    )
    assert server.asked == other.asked == []
    server.gives(PATH, {"fields": {"summary": "Here"}})
    assert fetch_issue(Reference("jira", "ABC-12", server.address), Path(), environment)[0] == "Here"


def test_an_address_that_cannot_be_used_is_said(environment: dict[str, str]) -> None:
    said = failure(environment | {"JIRA_BASE_URL": "company"})
    assert said.startswith("JIRA_BASE_URL is not an address that can be used.")
    said = failure(environment | {"JIRA_BASE_URL": f"https://ada:{CANARY}@company.example"})
    assert said.startswith("JIRA_BASE_URL is not an address that can be used.")


def test_what_goes_wrong_names_the_variables(server: Tracker, environment: dict[str, str]) -> None:
    server.refuses(PATH, 401)
    assert failure(environment) == (
        "Jira does not show ABC-12 with these credentials (401). "
        + ENDING.format("Check the reference, JIRA_BASE_URL, JIRA_USER and JIRA_TOKEN.")
    )
    server.replies[PATH] = Reply(body=b"<html>", headers={"Content-Type": "text/html"})
    assert failure(environment) == (
        f"Jira at {server.host} answered with something that is not an issue. "
        + ENDING.format("Check the connection and the address.")
    )


def test_any_characters_may_stand_in_the_credentials(server: Tracker, environment: dict[str, str]) -> None:
    server.gives(PATH, {"fields": {}})
    environment["JIRA_TOKEN"] = "pä\nß\udcff"
    fetch_issue(ABC_12, Path(), environment)
    sent = b64decode(server.asked[0].headers["Authorization"].partition(" ")[2])
    assert sent == b"ada@example.org:p\xc3\xa4\n\xc3\x9f\xff"
