"""One table: terminals and a browser's requests at the same table of the same item, through the server."""

from __future__ import annotations

import asyncio
import re
import stat
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest

from cable import Cable
from roundtable.core.commands import Brief
from roundtable.core.errors import RuleBroken
from roundtable.panel.base import OnWords, Speech
from roundtable.settings import announcement_file
from roundtable.surfaces.cli.servers import announce
from roundtable.surfaces.terminal.seat import find_seat
from roundtable.surfaces.web.access import MEMBER
from roundtable.surfaces.web.app import Site
from roundtable.testing import ScriptedPanel
from tools.pseudo_terminal import PseudoTerminal
from webserver import make_site, serve

Place = tuple[Path, Path]
Opens = Callable[..., PseudoTerminal]
ROOM = "/items/offline-forms/room"
PATIENCE = 30.0
IMPATIENT = """
from roundtable.__main__ import main
from roundtable.surfaces.terminal import seat
seat.PATIENCE = 2.0
main()
"""


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
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            form = self.client.get(f"{ROOM}/form").text
            if f'data-awaits="{awaits}"' in form:
                return form.partition('name="at" value="')[2].partition('"')[0]
        raise AssertionError(f"the table never waits for {awaits}")

    def say(self, text: str, awaits: str = "discussion") -> None:
        self.do("say", at=self.wait(awaits), text=text)

    def read_turns(self) -> list[tuple[str, str]]:
        """Return number and speaker of each turn, as the page shows them."""
        found = re.findall(
            r'<b class="name">([^<]+)</b>.*?(?:<span class="number">turn (\d+)</span>)?\s*</header>',
            self.client.get(ROOM).text, re.DOTALL,
        )  # fmt: skip
        return [(number, name) for name, number in found if number]


class HeldPanel(ScriptedPanel):
    """Says half of each contribution and waits until the test lets it go on."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on = threading.Event()

    async def speak(self, brief: Brief, heard: OnWords) -> Speech | None:
        heard(f"Half of turn {brief.number}, ")
        await asyncio.get_running_loop().run_in_executor(None, self.go_on.wait, PATIENCE)
        heard("and the rest.")
        return Speech(f"Half of turn {brief.number}, and the rest.")


class Web:
    """A project behind a server that announces itself, with one person who uses its pages."""

    def __init__(self, root: Path, stack: ExitStack, **options: Any) -> None:
        self.site = make_site(root, **options)
        address = stack.enter_context(serve(self.site))
        self.cable = stack.enter_context(Cable(address))  # to the terminal; pages reach the server directly
        self.ana = Person(self.site, address, "Ana")
        stack.callback(self.ana.client.close)
        token = self.site.invitations.tokens[MEMBER]
        stack.enter_context(announce(root, f"{self.cable.address}/join/{token}"))

    def discuss(self, awaits: str = "discussion") -> Person:
        self.ana.do("open")
        self.ana.say("E", "menu")
        self.ana.wait(awaits)
        return self.ana


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


@pytest.fixture
def terminals(place: Place, stack: ExitStack) -> Opens:
    def start(name: str = "Ada", *options: str, **more: Any) -> PseudoTerminal:
        environment = {"ROUNDTABLE_USER_NAME": name}
        arguments = ("analyze", "offline-forms", *options)
        terminal = PseudoTerminal(arguments, root=place[0], environment=environment, **more)
        stack.callback(terminal.process.close, force=True)
        return terminal

    return start


def sit_down(terminal: PseudoTerminal) -> PseudoTerminal:
    terminal.see("Sit down at that table? Y/n")
    terminal.keys("\r")
    terminal.listen()
    return terminal


def see_line(terminal: PseudoTerminal, words: str) -> None:
    """Wait until words stand in the input line."""
    terminal.wait(lambda: terminal.lines[terminal.screen.row] == f"› {words}".rstrip(), f"{words} to send")


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
    ben.see("The item is open in the web room · with Ada")
    sit_down(ben)
    ada.see("with Ben")
    said = ["Ada: We go with option B.", "Ana: Fine by me.", "Ben: Then it is settled."]
    ada.keys("We go with option B.\r")
    ben.see(said[0])
    ana.say("Fine by me.")
    ben.see(said[1])
    ben.keys("Then it is settled.\r")
    for terminal in (ada, ben):
        terminal.see(said[2])
        places = places_of(terminal, *said)
        assert places == sorted(places)
        assert not terminal.screen.trespasses
    ana.wait("discussion")
    turns = ana.read_turns()
    assert [int(number) for number, _ in turns] == list(range(1, len(turns) + 1))
    assert [name for _, name in turns if name in ("Ada", "Ana", "Ben")] == ["Ada", "Ana", "Ben"]


def test_a_cut_connection_comes_back_with_all_that_was_said_meanwhile(
    completed: Place, stack: ExitStack, terminals: Opens
) -> None:
    web = Web(completed[0], stack)
    ana = web.discuss()
    ada = sit_down(terminals())
    ana.say("Before the cut.")
    ada.see("Ana: Before the cut.")
    ana.wait("discussion")
    web.cable.cut()
    ada.see("The connection to the table is lost; trying again for a minute. What was said is saved.")
    ada.see("not connected")
    ada.keys("Typed in the dark\r")
    ada.see("The server did not answer.")
    see_line(ada, "Typed in the dark")
    ana.say("While you were away.")
    ana.wait("discussion")
    web.cable.mend()
    ada.see("Ana: While you were away.")
    ada.see("The connection is back.")
    ada.keys("\r")
    ada.see("Ada: Typed in the dark")
    said = ["Ana: Before the cut.", "Ana: While you were away.", "Ada: Typed in the dark"]
    places = places_of(ada, *said)
    assert places == sorted(places)
    assert [name for _, name in ana.read_turns() if name in ("Ada", "Ana")] == ["Ana", "Ana", "Ada"]
    assert not ada.screen.trespasses


def test_a_restarted_server_lets_the_terminal_in_again_once_the_table_is_open(
    completed: Place, stack: ExitStack, terminals: Opens
) -> None:
    with ExitStack() as server:
        Web(completed[0], server).discuss()
        ada = sit_down(terminals())
    ada.see("The connection to the table is lost")
    ana = Web(completed[0], stack).ana  # with invitations of its own
    ana.client.get(ROOM).raise_for_status()
    ana.do("open")
    ana.say("R", "choice")
    ada.see("Ana: Resume")
    ada.see("The connection is back.")
    ana.wait("discussion")
    ada.keys("Here I am again.\r")
    ada.see("Ada: Here I am again.")


def test_words_are_shown_as_they_come_and_those_typed_meanwhile_are_kept(
    completed: Place, stack: ExitStack, terminals: Opens
) -> None:
    panel = HeldPanel()
    web = Web(completed[0], stack, panel=panel)
    stack.callback(panel.go_on.set)
    web.discuss("early")
    ada = terminals()
    ada.see("Sit down at that table? Y/n")
    ada.keys("\r")
    ada.see("Alex Rivera (Solutions Architect): Half of turn 2,")
    ada.keys("We go with option B.")
    ada.see("› We go with option B.")
    ada.resize(60)
    panel.go_on.set()
    ada.see("Half of turn 3, and the rest.")
    see_line(ada, "We go with option B.")
    ada.keys("\r")
    ada.see("Ada: We go with option B.")
    places_of(ada, "Half of turn 2, and the rest.", "Half of turn 3, and the rest.")
    assert not ada.screen.trespasses


def test_ctrl_c_stops_the_speaker_if_the_user_has_the_chair(
    completed: Place, stack: ExitStack, terminals: Opens
) -> None:
    panel = HeldPanel()
    web = Web(completed[0], stack, panel=panel)
    stack.callback(panel.go_on.set)
    web.discuss("early")  # Ana does not follow the table: who needs the chair first gets it
    ada, ben = sit_down(terminals()), sit_down(terminals("Ben"))
    ada.see("Alex is speaking · with Ben")
    ada.keys("/chair\r")
    ada.see("Ada has the chair now.")
    ada.keys("\x03")
    ada.see("Stopped. Ctrl-C again leaves; everything is saved.")
    for terminal in (ada, ben):
        terminal.see("Alex Rivera (Solutions Architect): Half of turn 2, ...")
    ada.keys("Alex, go on.\r")
    ben.see("Ada: Alex, go on.")
    ben.see("is speaking · with Ada")
    ben.keys("\x03")
    ben.see("Only Ada, who has the chair, can do that. Nothing was changed.")


def test_what_is_refused_comes_back_and_the_chair_of_somebody_who_left_is_taken(
    completed: Place, stack: ExitStack, terminals: Opens
) -> None:
    web = Web(completed[0], stack)
    web.discuss()  # Ana opened the table and does not follow it
    ada, ben = sit_down(terminals()), sit_down(terminals("Ben"))
    ada.see("with Ben")
    ben.keys("/chair\r")
    ada.see("Ben has the chair now.")
    ben.keys("/chair Ada\r")
    for terminal in (ada, ben):
        terminal.see("Ada has the chair now.")
    ada.keys("/turns 14\r")
    ada.see("The turn limit is now 14")
    ben.keys("done\r")
    ben.see("Only Ada, who has the chair, can do that. Nothing was changed.")
    see_line(ben, "done")
    ada.keys("/quit\r")
    ada.see("You left the table, which goes on. Come back with: roundtable analyze offline-forms")
    assert ada.end() == 0
    ben.wait(lambda: "with Ada" not in ben.lines[ben.screen.row + 1], "Ada leave")
    ben.keys("\r")
    ben.see("C Continue")
    ben.keys("\x04")
    assert ben.end() == 0
    assert web.ana.wait("menu")  # the table goes on


def test_where_somebody_answers_first_what_was_typed_stays(
    place: Place, stack: ExitStack, terminals: Opens
) -> None:
    ana = Web(place[0], stack).ana
    ana.do("open")
    ana.wait("answer")
    ada = sit_down(terminals())
    ada.see("What is the point?")
    ada.keys("Half an answer")
    see_line(ada, "Half an answer")
    ana.say("The inspector retypes forms.", "answer")
    ada.see("Ana: The inspector retypes forms.")
    see_line(ada, "Half an answer")
    assert not ada.screen.trespasses
    ada.keys("\x15back\r")
    ada.see("Tab puts the draft into the line")
    ada.keys("\t")
    see_line(ada, "The inspector retypes forms.")
    ada.keys("\x15\r")  # Enter alone takes the draft
    ada.see("Ada: The inspector retypes forms.")


def test_an_entry_to_edit_comes_into_the_line_of_the_chair(
    completed: Place, stack: ExitStack, terminals: Opens
) -> None:
    ana = Web(completed[0], stack, review=True).discuss()
    ana.say("We decided to go with option B because it is cheap.")
    ada = sit_down(terminals())
    ada.keys("done\r")
    ada.see("Nothing is written yet.")
    ada.keys("edit 1\r")
    ada.wait(lambda: len(ada.lines[ada.screen.row]) > 5, "the entry to edit")


def test_a_server_that_ends_leaves_word_of_what_to_do_and_of_what_was_typed(
    completed: Place, stack: ExitStack, terminals: Opens
) -> None:
    with ExitStack() as server:
        web = Web(completed[0], server)
        web.discuss()
        terminal = sit_down(terminals(program=("-c", IMPATIENT)))
        terminal.keys("Half a sentence")
        terminal.see("Half a sentence")
        web.cable.cut()
        terminal.see("The connection to the table is lost")
        terminal.see("The table did not come back. What was said is saved.")
        terminal.see("Come back with: roundtable analyze offline-forms")
        assert terminal.end() == 0
        assert terminal.words().endswith("Half a sentence")
    alone = terminals()
    alone.see("Resume the discussion, or wrap up from what was said?")


def test_who_does_not_sit_down_is_told_who_holds_the_item(
    completed: Place, stack: ExitStack, terminals: Opens
) -> None:
    web = Web(completed[0], stack)
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


def test_nobody_sits_down_under_the_name_of_a_persona(
    completed: Place, stack: ExitStack, terminals: Opens
) -> None:
    Web(completed[0], stack).discuss()
    terminal = terminals("Alex")
    terminal.see("Sit down at that table? Y/n")
    terminal.keys("\r")
    terminal.see('"Alex" is taken here.')
    assert terminal.end() == 2


def test_nobody_but_the_user_can_read_where_the_table_is(tmp_path: Path) -> None:
    file = announcement_file(tmp_path)
    assert not file.is_relative_to(tmp_path)  # a project cannot say where to sit down
    with announce(tmp_path, "http://127.0.0.1:1/join/x"):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        with announce(tmp_path, "http://127.0.0.1:2/join/y"):  # a second server of the same project
            assert ":2/" in file.read_text()
    assert not file.exists()


def test_without_a_home_no_table_is_announced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "XDG_CONFIG_HOME", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    with announce(tmp_path, "http://127.0.0.1:1/join/x"):
        assert not announcement_file(tmp_path).exists()


def test_a_server_that_is_asked_too_much_says_so_and_takes_any_letters(
    place: Place, stack: ExitStack
) -> None:
    web = Web(place[0], stack)
    web.ana.do("open")
    seat = find_seat(announcement_file(place[0]), "offline-forms", "again")
    assert seat is not None
    refusals = []
    for _ in range(60):
        with pytest.raises(RuleBroken) as refused:
            seat.sit_down("Alex\udcff")
        refusals.append(str(refused.value))
    assert refusals[0].startswith('"Alex" is taken here.')
    assert refusals[-1].startswith("That was too much at once.")


def test_what_is_refused_is_shown_if_something_else_is_typed_by_then(
    completed: Place, stack: ExitStack, terminals: Opens
) -> None:
    Web(completed[0], stack).discuss()
    ada, ben = sit_down(terminals()), sit_down(terminals("Ben"))
    ada.see("with Ben")
    ada.keys("/turns 14\r")
    ada.see("The turn limit is now 14")
    ben.keys("done\rBut first")
    ben.see("Only Ada, who has the chair, can do that. Nothing was changed. Not said: done")
    see_line(ben, "But first")


def test_what_is_said_in_haste_is_heard_in_its_order(
    completed: Place, stack: ExitStack, terminals: Opens
) -> None:
    web = Web(completed[0], stack)
    web.discuss()
    ada = sit_down(terminals())
    web.cable.hold()
    for words in ("We go with option B.", "It is the cheapest one."):
        ada.keys(words)
        see_line(ada, words)
        ada.keys("\r")
        see_line(ada, "")
    web.cable.release()
    ada.see("Ada: It is the cheapest one.")
    places = places_of(ada, "Ada: We go with option B.", "Ada: It is the cheapest one.")
    assert places == sorted(places)


def test_no_seat_is_offered_to_whoever_wants_another_step(
    completed: Place, stack: ExitStack, terminals: Opens
) -> None:
    Web(completed[0], stack).discuss()
    ada = terminals("Ada", "--from", "00-01")
    assert ada.end() != 0
    assert "in use" in ada.words() and "Sit down" not in ada.words()


def test_commands_at_a_seat_say_where_to_look(completed: Place, stack: ExitStack, terminals: Opens) -> None:
    Web(completed[0], stack).discuss()
    ada = sit_down(terminals())
    ada.keys("/steps\r")
    ada.see("At a shared table the last line here says who is with you")


def test_help_at_a_seat_says_what_ctrl_c_does_there(
    completed: Place, stack: ExitStack, terminals: Opens
) -> None:
    Web(completed[0], stack).discuss()
    ada = sit_down(terminals())
    ada.keys("/help\r")
    ada.see("clears the line; twice, or Ctrl-D, leaves")
