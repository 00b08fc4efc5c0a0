"""One table: a terminal and a browser's requests at the same table of the same item, through the server."""

from __future__ import annotations

import re
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest

from cable import Cable
from roundtable.surfaces.terminal.seat import announce
from roundtable.surfaces.web.access import MEMBER
from roundtable.surfaces.web.app import Site
from tools.pseudo_terminal import PseudoTerminal
from webserver import make_site, serve

Place = tuple[Path, Path]
Opens = Callable[..., PseudoTerminal]
ROOM = "/items/offline-forms/room"
PATIENCE = 30.0


class Person:
    """Somebody who uses the pages, without a browser."""

    def __init__(self, site: Site, address: str, name: str) -> None:
        self.client = httpx2.Client(
            base_url=address, headers={"origin": address}, timeout=PATIENCE, follow_redirects=True
        )
        self.client.post(f"/join/{site.invitations.tokens[MEMBER]}", data={"name": name})
        self.check = re.findall(r'name="check" value="([^"]+)"', self.client.get("/").text)[0]

    def do(self, action: str, **fields: str) -> None:
        self.client.post(f"{ROOM}/{action}", data={"check": self.check, **fields}).raise_for_status()

    def wait(self, awaits: str) -> str:
        """Wait until the table waits for something, and return the number of that listening."""
        return str(self.wait_for(lambda state: state["awaits"] == awaits, awaits)["listen"])

    def wait_for(self, is_there: Callable[[dict[str, Any]], bool], what: str) -> dict[str, Any]:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            state: dict[str, Any] = self.client.get(ROOM, headers={"accept": "application/json"}).json()
            if is_there(state):
                return state
        raise AssertionError(f"never saw {what}")

    def say(self, text: str, awaits: str = "discussion") -> None:
        self.do("say", at=self.wait(awaits), text=text)

    def read_turns(self) -> list[tuple[str, str]]:
        """Return number and speaker of each turn, as the page shows them."""
        found = re.findall(
            r'<b class="name">([^<]+)</b>.*?(?:<span class="number">turn (\d+)</span>)?\s*</header>',
            self.client.get(ROOM).text, re.DOTALL,
        )  # fmt: skip
        return [(number, name) for name, number in found if number]


class Web:
    """A project behind a server that announces itself, with one person at the item's table."""

    def __init__(self, root: Path, stack: ExitStack, **options: Any) -> None:
        self.site = make_site(root, **options)
        address = stack.enter_context(serve(self.site))
        self.cable = stack.enter_context(Cable(address))  # to the terminal; pages reach the server directly
        self.ana = Person(self.site, address, "Ana")
        stack.callback(self.ana.client.close)
        self._root, self._stack = root, stack

    def announce(self) -> None:
        token = self.site.invitations.tokens[MEMBER]
        self._stack.enter_context(announce(self._root, f"{self.cable.address}/join/{token}"))

    def discuss(self) -> Person:
        self.announce()
        self.ana.do("open")
        self.ana.say("E", "menu")
        self.ana.wait("discussion")
        return self.ana


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


@pytest.fixture
def terminals(completed: Place, stack: ExitStack) -> Opens:
    def start(name: str = "Ada") -> PseudoTerminal:
        environment = {"ROUNDTABLE_USER_NAME": name}
        terminal = PseudoTerminal(("analyze", "offline-forms"), root=completed[0], environment=environment)
        stack.callback(terminal.process.close, force=True)
        return terminal

    return start


def sit_down(terminal: PseudoTerminal) -> PseudoTerminal:
    terminal.see("Sit down at that table? Y/n")
    terminal.keys("\r")
    terminal.listen()
    return terminal


def places_of(terminal: PseudoTerminal, *texts: str) -> list[int]:
    """Return where each text stands on the screen, which must show it once."""
    shown = terminal.words()
    for text in texts:
        assert shown.count(text) == 1, (text, terminal.shown)
    return [shown.index(text) for text in texts]


def test_terminals_and_a_page_see_each_others_words_once_and_in_order(
    completed: Place, stack: ExitStack, terminals: Opens
) -> None:
    ana = Web(completed[0], stack).discuss()
    ada, ben = sit_down(terminals()), terminals("Ben")
    ben.see("The item is open in the web room, with Ada.")
    sit_down(ben)
    ada.see("with Ben")
    ada.keys("We go with option B.\r")
    said = ["Ada: We go with option B.", "Ana: Fine by me.", "Ben: Then it is settled."]
    for terminal in (ada, ben):
        terminal.see(said[0])
        terminal.listen()
    ana.say("Fine by me.")
    for terminal in (ada, ben):
        terminal.see(said[1])
        terminal.listen()
    ben.keys("Then it is settled.\r")
    for terminal in (ada, ben):
        terminal.see(said[2])
        terminal.listen()
        places = places_of(terminal, *said)
        assert places == sorted(places)
        assert not terminal.screen.trespasses
    ana.wait("discussion")
    turns = ana.read_turns()
    assert [int(number) for number, _ in turns] == list(range(1, len(turns) + 1))
    assert [name for _, name in turns if name in ("Ada", "Ana", "Ben")] == ["Ada", "Ana", "Ben"]


def test_the_chair_ends_the_discussion_and_can_be_taken_from_somebody_who_left(
    completed: Place, stack: ExitStack, terminals: Opens
) -> None:
    web = Web(completed[0], stack)
    web.discuss()
    terminal = sit_down(terminals())
    terminal.keys("done\r")
    terminal.see("Only Ana, who has the chair, can do that.")
    terminal.see("They have left: take it (at a terminal, /chair).")
    terminal.wait(lambda: terminal.lines[terminal.screen.row] == "› done", "the words, to send again")
    terminal.keys("\x15/chair\r")
    terminal.listen()
    terminal.say("done")
    terminal.see("C Continue")
    terminal.keys("\x04")
    terminal.see("You left the table; everything is saved. Come back with: roundtable analyze offline-forms")
    assert terminal.end() == 0
    assert web.ana.wait("menu")  # the table goes on


def test_a_server_that_ends_leaves_word_of_what_to_do_and_of_what_was_typed(
    completed: Place, stack: ExitStack, terminals: Opens
) -> None:
    with ExitStack() as server:
        web = Web(completed[0], server)
        web.discuss()
        terminal = sit_down(terminals())
        terminal.keys("Half a sentence")
        terminal.see("Half a sentence")
        web.cable.cut()
        terminal.see("What was said is saved. Go on with: roundtable analyze offline-forms")
        assert terminal.end() == 0
        assert terminal.words().endswith("Half a sentence")
    alone = terminals()
    alone.see("Resume the discussion, or wrap up from what was said?")


def test_who_does_not_sit_down_is_told_who_holds_the_item(
    completed: Place, stack: ExitStack, terminals: Opens
) -> None:
    web = Web(completed[0], stack)
    web.announce()
    closed = terminals()  # nobody has opened the table: the terminal has the item to itself
    closed.see("C Continue")
    closed.keys("\x04")
    assert closed.end() == 0
    web.discuss()
    terminal = terminals()
    terminal.see("Sit down at that table? Y/n")
    terminal.keys("n\r")
    terminal.see("is in use by process")
    assert terminal.end() == 4


def test_nobody_but_the_user_can_read_where_the_table_is(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    with announce(tmp_path, "http://127.0.0.1:1/join/x"):
        (file,) = (tmp_path / "config").glob("**/served/*")
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
        with announce(tmp_path, "http://127.0.0.1:2/join/y"):  # a second server of the same project
            assert ":2/" in file.read_text()
    assert not file.exists()
