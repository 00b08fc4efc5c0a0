"""The server on a port of this machine, as a process of its own, the package's client over HTTP."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client.streamable_http import streamable_http_client

from commandline import CommandLine, command_line
from hosting import Host, Refusal, host, play
from project import meta

Place = tuple[Path, Path]


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    return command_line(tmp_path, monkeypatch)


@dataclass
class Listening:
    """A server that listens: its process, and what it printed."""

    process: subprocess.Popen[bytes]
    told: str
    port: int
    token: str

    @asynccontextmanager
    async def host(self, **options: Any) -> AsyncIterator[Host]:
        """A host that has the token."""
        headers = {"Authorization": f"Bearer {self.token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60) as web:
            address = f"http://127.0.0.1:{self.port}/mcp"
            async with host(streamable_http_client(address, http_client=web), **options) as player:
                yield player

    def post(self, headers: dict[str, str], path: str = "/mcp", method: str = "POST") -> int:
        """The status that a request gets."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        plain = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        connection.request(method, path, body, {**plain, **headers})
        status = connection.getresponse().status
        connection.close()
        return status


@contextmanager
def listening(root: Path, *more: str) -> Iterator[Listening]:
    """The server on a free port of this machine; it ends as on Ctrl-C."""
    command = [sys.executable, "-m", "roundtable", "mcp", "--http", "--root", str(root), *more]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, **pipes) as process:
        assert process.stdout is not None and process.stderr is not None
        try:
            told = ""
            while "Bearer" not in told:
                line = process.stderr.readline().decode()
                assert line, told
                told += line
            port, token = re.search(r"127\.0\.0\.1:(\d+)/mcp", told), re.search(r"Bearer ([\w-]+)", told)
            assert port is not None and token is not None
            yield Listening(process, told, int(port[1]), token[1])
        finally:
            process.send_signal(signal.SIGINT)
            shown, said = process.communicate(timeout=20)
    assert process.returncode == 130
    assert shown == b""
    assert said.decode().endswith("Interrupted. Everything is saved.\n")
    assert token[1] not in said.decode()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_elaboration_over_http_and_the_person_is_asked(place: Place, mode: str) -> None:
    root, item = place

    async def test(server: Listening) -> None:
        async with server.host(user=["We go with A.", "done", "accept"], mode=mode) as player:
            await player.start(item.name, "00-01")
            await player.until_heard()
            await player.send("hear_user")
            await player.until_heard()
            await player.send("hear_user")
            await player.until_heard()
            assert player.move["kind"] == "menu"

    with listening(root) as server:
        play(test(server))
    assert meta(item)["elaborations"][0]["turn_count"] == 5
    assert "Relayed" not in (item / "elaborations" / "00-01-1.md").read_text()


def test_two_clients_at_one_server_share_a_table_and_the_first_counts(place: Place) -> None:
    root, item = place

    async def test(server: Listening) -> None:
        async with server.host() as one, server.host() as two:
            await one.start(item.name, "00-01")
            await two.call("next_move", session=item.name)
            await two.obey()
            with pytest.raises(Refusal, match="has been used"):
                await one.obey()
            await one.call("next_move", session=item.name)
            await one.play(["done"])
            assert one.move["kind"] == "menu"

    with listening(root) as server:
        play(test(server))
    assert meta(item)["elaborations"][0]["turn_count"] == 3


def test_nobody_is_heard_without_the_token(place: Place) -> None:
    with listening(place[0]) as server:
        token = server.token
        assert len(token) >= 40
        wrong: tuple[dict[str, str], ...] = (
            {},
            {"Authorization": token},
            {"Authorization": "Bearer"},
            {"Authorization": "Bearer "},
            {"Authorization": f"Bearer {token[:-1]}"},
            {"Authorization": f"Bearer {token}x"},
            {"Authorization": f"Bearer {token[:-1]}\xe9"},
            {"Authorization": f"Basic {token}"},
            {"Cookie": f"token={token}"},
        )
        for headers in wrong:
            assert server.post(headers) == 401
        for method in ("GET", "DELETE", "OPTIONS", "PUT"):
            assert server.post({}, method=method) == 401
        for path in ("/", "/other", f"/mcp?token={token}", "/.well-known/oauth-protected-resource"):
            assert server.post({}, path) == 401
        assert server.post({"Authorization": f"Bearer {token}"}) not in (401, 403, 421)
    with listening(place[0]) as again:
        assert again.token != token


def test_other_names_and_pages_of_others_are_refused_though_they_have_the_token(place: Place) -> None:
    with listening(place[0]) as server:
        for name, value, status in (
            ("Host", "evil.example", 421),
            ("Host", f"127.0.0.1.evil.example:{server.port}", 421),
            ("Host", f"192.168.0.1:{server.port}", 421),
            ("Origin", "https://evil.example", 403),
            ("Origin", f"http://127.0.0.1.evil.example:{server.port}", 403),
            ("Origin", "null", 403),
        ):
            assert server.post({"Authorization": f"Bearer {server.token}", name: value}) == status


def test_it_listens_on_loopback_and_nowhere_else(place: Place) -> None:
    with listening(place[0]) as server:
        for address in ("127.0.0.2", "::1"):
            with pytest.raises(OSError), socket.create_connection((address, server.port), timeout=5):
                pass


@pytest.mark.parametrize("given", ["0.0.0.0:8765", "example.org:80", ":80", "65536", "x", "0.0.0.0"])
def test_other_machines_and_what_is_no_port_are_refused(cli: CommandLine, given: str) -> None:
    ran = cli.run("mcp", f"--http={given}")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("Invalid value for '--http'")


def test_a_port_that_is_taken_is_said(cli: CommandLine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ran = cli.run("mcp", "--http", str(taken.getsockname()[1]))
    assert (ran.status, ran.out) == (2, "")
    assert "Give another one." in ran.err


def test_what_it_prints_sets_up_a_client_and_the_log_never_has_the_token(place: Place) -> None:
    with listening(place[0], "--debug") as server:
        command = f"claude mcp add --transport http roundtable http://127.0.0.1:{server.port}/mcp"
        assert f'{command} --header "Authorization: Bearer {server.token}"' in server.told
        assert server.post({"Authorization": f"Bearer {server.token}"}) != 401


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_at_once_with_a_client_connected_and_all_is_saved(
    place: Place, number: signal.Signals
) -> None:
    root, item = place

    left = ""

    async def begin(server: Listening) -> None:
        nonlocal left
        with pytest.raises(Exception):  # noqa: B017 (however the client words that its server is gone)
            async with server.host(mode="legacy") as player:  # which holds a stream open
                await player.start(item.name, "00-01")
                await player.obey()
                left = player.move["id"]
                server.process.send_signal(number)
                assert server.process.wait(10) == 130
                await player.call("next_move", session=item.name)

    async def go_on(server: Listening) -> None:
        async with server.host() as player:
            await player.start(item.name)
            assert player.move["id"] == left
            await player.play(["done"])

    with listening(root) as server:
        play(begin(server))
    with listening(root) as server:
        play(go_on(server))
    assert meta(item)["elaborations"][0]["turn_count"] == 3
