"""Whatever a service answers, it ends in an object or in one clear line, and no credential shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from roundtable.core.errors import OutsideFailure, TrackerFailed
from roundtable.trackers.issues import (
    LARGEST,
    PATIENCE,
    Service,
    find_base,
    get_json,
)
from trackers.server import CANARY, Reply, Tracker, tracker

pytestmark = pytest.mark.rule("ITEM-2")

BY_HAND = 'dd it by hand: roundtable add ABC-1 --title "what it is about"'
SAVED = "Nothing was added."


def service(address: str, *, token: str | None = CANARY) -> Service:
    authorization = f"Bearer {token}" if token else None
    return Service("Tracker", address, "", "THE_ADDRESS", "THE_TOKEN", "ABC-1", authorization)


def failure(given: Service, path: str = "/x") -> str:
    with pytest.raises(TrackerFailed) as caught:
        get_json(given, path, dict[str, Any])
    text = str(caught.value)
    assert CANARY not in text
    assert "\n" not in text
    assert text.endswith(BY_HAND)
    assert isinstance(caught.value, OutsideFailure)
    assert caught.value.saved == SAVED
    shown = f"{given!r}{caught.value.__cause__!r}{caught.value.__context__!r}"
    assert CANARY not in shown
    return text.removesuffix(f"Or a{BY_HAND}").removesuffix(f"A{BY_HAND}").strip()


def test_an_object_comes_back(server: Tracker) -> None:
    server.gives("/x", {"title": "Größe"})
    assert get_json(service(server.address), "/x", dict[str, Any]) == {"title": "Größe"}
    (asked,) = server.asked
    assert asked.headers["Authorization"] == f"Bearer {CANARY}"
    assert asked.headers["Accept"] == "application/json"
    assert asked.headers["User-Agent"].startswith("roundtable/")


def test_without_credentials_none_are_sent(server: Tracker) -> None:
    server.gives("/x", {})
    assert get_json(service(server.address, token=None), "/x", dict[str, Any]) == {}
    assert "Authorization" not in server.asked[0].headers


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_a_refusal_says_what_to_set(server: Tracker, status: int) -> None:
    server.refuses("/x", status)
    ending = f"({status}). {SAVED} Check the reference, THE_ADDRESS, THE_TOKEN."
    assert failure(service(server.address)) == f"Tracker does not show ABC-1 with these credentials {ending}"
    unknown = service(server.address, token=None)
    assert failure(unknown) == f"Tracker does not show ABC-1 without credentials {ending}"


@pytest.mark.parametrize("status", [500, 503])
def test_trouble_of_the_tracker_is_told_from_a_refusal(server: Tracker, status: int) -> None:
    server.refuses("/x", status)
    assert failure(service(server.address)) == f"Tracker is in trouble ({status}). {SAVED} Try again later."


@pytest.mark.parametrize(
    ("status", "headers"), [(429, {}), (403, {"X_RateLimit_Remaining": "0"}), (403, {"Retry_After": "7"})]
)
def test_a_limit_of_requests_is_told_from_a_refusal(
    server: Tracker, status: int, headers: dict[str, str]
) -> None:
    server.refuses("/x", status, **headers)
    said = f"Tracker takes no more requests for now ({status}). {SAVED} Try again later."
    assert failure(service(server.address)) == said
    unknown = service(server.address, token=None)
    assert failure(unknown) == f"{said} With credentials it takes more: set THE_TOKEN."


def test_a_limit_that_is_not_reached_explains_no_refusal(server: Tracker) -> None:
    server.refuses("/x", 403, X_RateLimit_Remaining="4")
    assert failure(service(server.address)).startswith("Tracker does not show ABC-1")


def test_a_redirect_within_the_host_is_followed_with_the_credentials(server: Tracker) -> None:
    server.refuses("/x", 301, Location="/moved")
    server.refuses("/moved", 307, Location=f"{server.address}/there")
    server.gives("/there", {"a": 1})
    assert get_json(service(server.address), "/x", dict[str, Any]) == {"a": 1}
    assert [asked.headers.get("Authorization") for asked in server.asked] == [f"Bearer {CANARY}"] * 3


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_to_another_host_gets_no_credentials(server: Tracker, other: Tracker, status: int) -> None:
    other.gives("/x", {"title": "stolen"})
    server.refuses("/x", status, Location=f"{other.address}/x")
    assert failure(service(server.address)) == (
        f"Tracker sends the request on to {other.address}. No credentials were sent there. {SAVED} "
        "If that is right, set THE_ADDRESS to it."
    )
    assert other.asked == []


def test_a_redirect_to_the_same_host_by_another_name_or_scheme_is_another_host(server: Tracker) -> None:
    port = server.host.partition(":")[2]
    for place in (f"http://localhost:{port}/x", f"https://{server.host}/x", "ftp://127.0.0.1/x"):
        server.refuses("/x", 301, Location=place)
        assert failure(service(server.address)).startswith(
            f"Tracker sends the request on to {place.removesuffix('/x')}."
        )
    assert len(server.asked) == 3


def test_a_redirect_that_arrives_nowhere(server: Tracker) -> None:
    server.refuses("/x", 301, Location="/x")
    refusal = "Tracker does not show ABC-1 with these credentials (301)."
    expected = f"{refusal} {SAVED} Check the reference, THE_ADDRESS, THE_TOKEN."
    assert failure(service(server.address)) == expected
    server.refuses("/x", 301)
    assert failure(service(server.address)) == expected
    server.refuses("/x", 301, Location="file:///etc/passwd")
    assert failure(service(server.address)) == expected
    for number in range(9):
        server.refuses(f"/{number}", 302, Location=f"/{number + 1}")
    server.gives("/9", {})
    assert "(302)" in failure(service(server.address), "/0")


@pytest.mark.parametrize(
    "body",
    [
        b"<!doctype html><p>Log in",
        b'{"title":',
        b"",
        b"[1]",
        b'{"a": "\xff"}',
        b"[" * 100_000,
        b'{"a": ' + b"9" * 5000 + b"}",
    ],
)
def test_an_answer_that_is_no_object(server: Tracker, body: bytes) -> None:
    server.replies["/x"] = Reply(body=body)
    assert failure(service(server.address)) == (
        f"Tracker at {server.host} answered with something that is not an issue. "
        f"{SAVED} Check the connection and the address."
    )


def test_an_answer_may_have_five_megabytes(server: Tracker) -> None:
    assert LARGEST == 5_000_000
    filler = "x" * (LARGEST - len('{"a": ""}'))
    server.gives("/x", {"a": filler})
    assert get_json(service(server.address), "/x", dict[str, Any]) == {"a": filler}
    server.gives("/x", {"a": filler + "x"})
    assert "answered with something that is not an issue" in failure(service(server.address))


def test_nobody_waits_longer_than_the_time(server: Tracker, monkeypatch: pytest.MonkeyPatch) -> None:
    assert PATIENCE == 10
    monkeypatch.setattr("roundtable.trackers.issues.PATIENCE", 0.3)
    server.replies["/x"] = Reply(manner="hangs")
    expected = (
        f"Could not reach {server.host}: no answer came in time. "
        f"{SAVED} Check the connection and the address."
    )
    assert failure(service(server.address)) == expected
    server.replies["/x"] = Reply(body=json.dumps({}).encode(), manner="drips")
    assert failure(service(server.address)) == expected


def test_a_connection_that_breaks_off(server: Tracker) -> None:
    server.replies["/x"] = Reply(manner="breaks")
    assert failure(service(server.address)) == (
        f"Could not reach {server.host}: no answer came in time. {SAVED} "
        "Check the connection and the address."
    )


def test_a_connection_that_is_refused() -> None:
    with tracker() as gone:
        pass
    assert failure(service(gone.address)) == (
        f"Could not reach {gone.host}: Connection refused. {SAVED} Check the connection and the address."
    )


@pytest.mark.parametrize("host", ["nowhere.invalid", "a..b", "x" * 64 + ".invalid"])
def test_a_host_that_does_not_exist(host: str) -> None:
    said = failure(service(f"http://{host}"))
    assert said.startswith(f"Could not reach {host}: ")
    assert said.endswith(f". {SAVED} Check the connection and the address.")


def test_a_connection_that_is_not_secure(server: Tracker) -> None:
    said = failure(service(server.address.replace("http:", "https:")))
    assert said.startswith(f"Could not reach {server.host}: ")
    assert said.endswith(f" {SAVED} Check the connection and the address.")
    assert server.asked == []


def test_a_certificate_that_nobody_trusts(secure: Tracker) -> None:
    said = failure(service(secure.address))
    assert said.startswith(f"Could not reach {secure.host}: ")
    assert "certificate verify failed" in said
    assert secure.asked == []


def test_a_certificate_that_the_user_trusts(
    secure: Tracker, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    secure.gives("/x", {"a": 1})
    assert get_json(service(secure.address), "/x", dict[str, Any]) == {"a": 1}


class TestBaseAddress:
    @pytest.mark.parametrize(
        ("value", "base"),
        [
            ("https://company.example", "https://company.example"),
            ("http://company.example:8080/jira//", "http://company.example:8080/jira"),
        ],
    )
    def test_is_taken_without_its_ending(self, value: str, base: str) -> None:
        assert find_base("THE_URL", {"THE_URL": value}, "ABC-1") == base

    @pytest.mark.parametrize(
        "value",
        [
            "company.example",
            "ftp://company.example",
            "file:///etc",
            "https://",
            "https://[x",
            "https://a:b",
            "https://a b",
            "https://company.example/jira?x=y#z",
            f"https://ada:{CANARY}@company.example",
        ],
    )
    def test_must_be_a_web_address(self, value: str) -> None:
        with pytest.raises(TrackerFailed) as caught:
            find_base("THE_URL", {"THE_URL": value}, "ABC-1")
        assert str(caught.value) == (
            f"THE_URL is not an address that can be used. {SAVED} "
            f"Set it to something like https://company.example, without a name or a password. Or a{BY_HAND}"
        )
