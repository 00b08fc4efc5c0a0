"""Event streams over a real server: two hundred readers of one discussion, and `roundtable serve` itself."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx2
import pytest

from commandline import CommandLine, command_line
from roundtable.surfaces.web.access import COOKIE, MEMBER
from roundtable.surfaces.web.app import Site
from webserver import check_of, make_site, open_client, serve
from webserver import come_in as enter

Place = tuple[Path, Path]
READERS, EACH = 200, 10
ROOM = "/items/offline-forms/room"
PATIENCE = 30.0


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    return command_line(tmp_path, monkeypatch)


async def read_ids(address: str, secret: str, last_turn: int, after: str = "") -> list[str]:
    """Follow a discussion until its menu is back; return the ids of the lines in the order they came."""
    host, port = address.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    head = f"GET {ROOM}/events HTTP/1.1\r\nHost: {host}:{port}\r\nCookie: {COOKIE}={secret}\r\n"
    writer.write(f"{head}Last-Event-ID: {after}\r\n\r\n".encode())
    found: list[str] = []
    while True:
        line = (await asyncio.wait_for(reader.readline(), PATIENCE)).decode()
        if line.startswith("id: "):
            found.append(line.removeprefix("id: ").strip())
        if line.startswith("data: ") and f"turn {last_turn}</span>" in line:
            break
    writer.close()
    return found


def come_in(site: Site, name: str) -> str:
    return site.invitations.admit(site.invitations.tokens[MEMBER], name, site.project.roster())[0]


def test_two_hundred_streams_of_one_discussion_get_every_line_once_and_in_order(completed: Place) -> None:
    site = make_site(completed[0])
    secrets = [come_in(site, f"Reader {number}") for number in range(READERS // EACH)]
    secret = come_in(site, "Ana")

    async def talk(client: httpx2.AsyncClient, check: str) -> None:
        async def listen(awaits: str) -> str:
            deadline = time.monotonic() + PATIENCE
            while time.monotonic() < deadline:
                page = (await client.get(f"{ROOM}/form")).text
                if f'data-awaits="{awaits}"' in page:
                    return page.partition('name="at" value="')[2].partition('"')[0]
            raise AssertionError(f"the table never waits for {awaits}")

        for awaits, text in (("menu", "E"), ("discussion", "We go with B."), ("discussion", "And soon.")):
            data = {"check": check, "at": await listen(awaits), "text": text}
            assert (await client.post(f"{ROOM}/say", data=data)).status_code == 303

    async def run(address: str) -> None:
        headers = {"cookie": f"{COOKIE}={secret}", "origin": address}
        async with httpx2.AsyncClient(base_url=address, headers=headers, timeout=PATIENCE) as client:
            stuck = socket.create_connection((address.split(":")[1][2:], int(address.split(":")[2])))
            stuck.sendall(
                f"GET {ROOM}/events HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {COOKIE}={secret}\r\n\r\n".encode()
            )
            readers = [
                asyncio.create_task(read_ids(address, each, 6)) for each in secrets for _ in range(EACH)
            ]
            check = (await client.get("/")).text.partition('name="check" value="')[2].partition('"')[0]
            assert (await client.post(f"{ROOM}/open", data={"check": check})).status_code == 303
            await talk(client, check)
            found = await asyncio.gather(*readers)
            stuck.close()
        numbers = [int(each.rpartition("-")[2]) for each in found[0]]
        assert numbers == list(range(1, len(numbers) + 1))
        assert len(found) == READERS and all(each == found[0] for each in found)
        halfway = found[0][len(found[0]) // 2]
        assert await read_ids(address, secret, 6, halfway) == found[0][len(found[0]) // 2 + 1 :]

    with serve(site) as address:
        asyncio.run(run(address))


def test_serve_prints_an_address_that_lets_people_in_and_ends_in_order(cli: CommandLine) -> None:
    cli.add()
    with cli.spawn("serve", "--port", "0", "--json") as process:
        assert process.stdout is not None and process.stderr is not None
        shown = b""
        while b"}" not in shown:
            shown += process.stdout.readline()
        address = json.loads(shown)["address"]
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/join/\S{40,}", address)
        base = address.partition("/join/")[0]
        with httpx2.Client(headers={"origin": base}, follow_redirects=True) as client:
            assert "Your name" in client.get(address).text
            assert "Offline forms" in client.post(address, data={"name": "Ana"}).text
        (announced,) = Path(os.environ["XDG_CONFIG_HOME"]).rglob("served/*")
        assert announced.read_text() == address  # for the user's own terminals
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE)
        assert process.returncode == 130 and not announced.exists()
        assert b"can come in" in process.stderr.read()


def test_a_terminal_is_told_who_holds_an_item_whose_table_is_open(cli: CommandLine) -> None:
    cli.add()
    site = make_site(cli.root)
    with open_client(site) as client:
        enter(site, client, "Ana")
        client.post(f"{ROOM}/open", data={"check": check_of(client)})
        deadline = time.monotonic() + PATIENCE
        while 'data-awaits="answer"' not in client.get(f"{ROOM}/form").text:
            assert time.monotonic() < deadline
        ran = cli.call("analyze", "--plain", said=b"Mine.\n")
    assert ran.status == 4 and "is in use by process" in ran.err


def test_serve_says_what_is_wrong_with_a_port_and_warns_of_an_open_address(cli: CommandLine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ran = cli.run("serve", "--port", str(taken.getsockname()[1]), "--no-browser")
    assert ran.status == 2 and "Cannot listen on 127.0.0.1" in ran.err
    assert cli.run("serve", "--port", "70000").status == 2
    assert cli.run("serve", "--host", "nonesuch.invalid", "--no-browser").status == 2


def test_serve_says_how_to_install_the_web_room(cli: CommandLine, tmp_path: Path) -> None:
    hidden = "import sys; sys.modules['jinja2'] = None; from roundtable.surfaces.cli.main import main"
    ran = subprocess.run(
        [sys.executable, "-c", f"{hidden}; sys.exit(main(['serve', '--no-browser']))"],
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert ran.returncode == 2 and "roundtable[web]" in ran.stderr
