"""Who may come in, and what no request gets past."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from markupsafe import escape
from starlette.testclient import TestClient

from roundtable.surfaces.web.access import MAX_BODY, MEMBER
from roundtable.surfaces.web.app import Site
from webserver import check_of, come_in, make_site, open_client

Place = tuple[Path, Path]
ITEM = "/items/offline-forms"


@pytest.mark.parametrize("path", ["/", ITEM, f"{ITEM}/room", f"{ITEM}/room/events", f"{ITEM}/export.html"])
def test_nobody_sees_anything_without_an_invitation(site: Site, path: str) -> None:
    answer = open_client(site).get(path)
    assert answer.status_code == 401 and "invitation" in answer.text and "Offline forms" not in answer.text


def test_a_wrong_invitation_or_no_name_lets_nobody_in(site: Site) -> None:
    client = open_client(site)
    assert client.get("/join/nonsense").status_code == 403
    assert client.post("/join/nonsense", data={"name": "Ana"}).status_code == 403
    token = site.invitations.tokens[MEMBER]
    for name in (" \u200b ", "maya  chen"):
        assert client.post(f"/join/{token}", data={"name": name}).status_code == 409
    assert client.get("/").status_code == 401


@pytest.mark.parametrize(
    "name",
    [
        "Maya Chen (Business Analyst)", "Maya Chen.", "M\u0430ya Chen", "Maya  Chen, BA", "MAYA-CHEN",
        "MayaChen", "Ma\u200bya Chen", "\uff2daya Chen", "M\u00e1ya Chen", "AIex Rivera", "alex",
        "Maya (Business Analyst)",
        "User", "[User]", "the user", "Host", "Us\u0435r", "J0rdan",
    ],
)  # fmt: skip
def test_a_name_that_looks_like_a_personas_is_asked_for_again(site: Site, name: str) -> None:
    client = open_client(site)
    answer = client.post(f"/join/{site.invitations.tokens[MEMBER]}", data={"name": name})
    assert answer.status_code == 409 and "another name" in answer.text
    assert f'value="{name}"' in answer.text and "Come in</button>" in answer.text
    assert client.get("/").status_code == 401


@pytest.mark.parametrize(
    "name",
    [
        "Maya Cheng", "Maya Chenoweth", "Alex B.", "Alexander", "Jordana", "Chen", "Rivera, Ana",
        "Ana (QA)", "Jürgen Users", "Hostetler", "Business Analyst", "\u041c\u0430\u044f", "Ida (2)",
    ],
)  # fmt: skip
def test_other_peoples_names_are_taken_as_they_are(site: Site, name: str) -> None:
    assert escape(name) in come_in(site, open_client(site), name).get("/").text


def test_the_cookie_cannot_be_read_by_scripts_or_sent_by_other_sites(site: Site) -> None:
    client = open_client(site, follow_redirects=False)
    answer = client.post(f"/join/{site.invitations.tokens[MEMBER]}", data={"name": "Ana"})
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=lax" in cookie


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "[::1", "192.168.0.7"])
def test_other_names_than_ours_are_refused(ana: TestClient, host: str) -> None:
    assert ana.get("/", headers={"host": host}).status_code == 421


def test_a_named_host_and_with_every_address_any_address_is_served(place: Place) -> None:
    site = make_site(place[0], hosts=("0.0.0.0", "room.example.org"))
    client = come_in(site, open_client(site), "Ana")
    for host in ("room.example.org", "192.168.0.7:8720", "localhost"):
        assert client.get("/", headers={"host": host}).status_code == 200
    assert client.get("/", headers={"host": "evil.example"}).status_code == 421


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "", "http://[", "https://127.0.0.1:8720.evil.example"]
)
def test_forms_of_other_pages_do_nothing(ana: TestClient, origin: str) -> None:
    data = {"text": "Mischief", "check": check_of(ana)}
    assert ana.post("/items", data=data, headers={"origin": origin}).status_code == 403
    assert "Mischief" not in ana.get("/").text


def test_a_form_without_the_guests_own_check_does_nothing(site: Site, ana: TestClient) -> None:
    ben = come_in(site, open_client(site), "Ben")
    for check in ("", "nonsense", check_of(ben)):
        assert ana.post("/items", data={"text": "Mischief", "check": check}).status_code == 409
    assert "Mischief" not in ana.get("/").text


def test_every_answer_forbids_what_is_not_ours(ana: TestClient) -> None:
    for path in ("/", "/static/room.js", "/nonesuch", "/items/offline-forms/room"):
        headers = ana.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "script-src 'self'" in policy and "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "same-origin"
    page = ana.get("/items/offline-forms/room").text
    assert "<script>" not in page and " style=" not in page and " onclick=" not in page


def test_what_is_too_large_is_refused_also_without_a_length(ana: TestClient) -> None:
    check = check_of(ana)
    large = f"check={check}&text={'x' * MAX_BODY}".encode()
    assert ana.post("/items", content=large).status_code == 413
    pieces = (large[at : at + 65536] for at in range(0, len(large), 65536))
    assert ana.post("/items", content=pieces).status_code == 413
    many = f"check={check}&" + "&".join(f"f{number}=x" for number in range(600))
    assert ana.post("/items", content=many.encode()).status_code == 409


def test_too_much_at_once_is_refused_for_a_while(
    site: Site, ana: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.monotonic()
    monkeypatch.setattr("time.monotonic", lambda: now)  # a slow machine must not let the rate recover
    ben = come_in(site, open_client(site), "Ben")

    def send(client: TestClient) -> int:
        data = {"check": check_of(client)}
        return client.post("/items/offline-forms/room/typing", data=data).status_code

    statuses = [send(ana) for _ in range(60)]
    assert (statuses[0], statuses[-1], send(ben)) == (200, 429, 200)
    now += 10
    assert send(ana) == 200


def test_every_server_has_a_cookie_of_its_own() -> None:
    # A browser sends a cookie to all ports of a host: with one name, guests of another server are sent out.
    show = "from roundtable.surfaces.web.access import COOKIE; print(COOKIE)"
    names = {subprocess.check_output([sys.executable, "-c", show]) for _ in range(2)}
    assert len(names) == 2
