"""The web room in a real browser: several people, cuts, keys alone, narrow windows, hostile words."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from cable import Cable
from project import ANSWERS, talk
from roundtable.core.commands import Brief
from roundtable.panel.base import OnWords, Speech
from roundtable.store.items import add_item
from roundtable.surfaces.web.access import MEMBER, OBSERVER, Role
from roundtable.surfaces.web.app import Site
from roundtable.testing import ScriptedPanel
from webserver import make_site, serve

playwright = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
from playwright.sync_api import Browser, BrowserContext, Page, expect  # noqa: E402

Place = tuple[Path, Path]
ROOT = Path(__file__).parents[3]
CHROMIUM = shutil.which("chromium")
AXE = ROOT / "build" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
]  # fmt: skip
PATIENCE = 15_000
CUT = 10.0  # seconds
ROOM = "/items/offline-forms/room"
QUESTION = "Who tells the desk?"
HOSTILE = (
    "<script>window.ran = 1</script><img src=x onerror='window.ran = 2'> "
    "[press](javascript:window.ran=3) ![seen](https://elsewhere.example/pixel.png) "
    "<style>body{background:url(https://elsewhere.example/b.png)}</style> <b onclick='window.ran=4'>bold</b>"
)
FILE_NAMES = (
    "<img src=x onerror=window.ran=9>.md",
    "\"><b onclick='window.ran=10'>.md",
    "javascript:alert(1).md",
)
MEASURE_SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const each of list.getEntries()) {
    window.shifts.push([each.value, each.sources.map((source) => source.node?.id || source.node?.className)]);
  }
}).observe({ type: "layout-shift", buffered: false });
"""
FIND_SERIOUS = """async (options) => (await axe.run(options)).violations
  .filter((each) => ["serious", "critical"].includes(each.impact))
  .map((each) => [each.id, each.nodes.map((node) => node.html)])"""
IS_SEEN = """(selector) => {
  const element = document.querySelector(selector);
  const { left, top } = element.getBoundingClientRect();
  return element.contains(document.elementFromPoint(left + 5, top + 5));
}"""

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="Chromium is missing. Install it with: apt-get install chromium"
)


class GatedPanel(ScriptedPanel):
    """Says half of a contribution and waits until the test lets it go on."""

    def __init__(self) -> None:
        super().__init__()
        self.is_open = False

    async def speak(self, brief: Brief, heard: OnWords) -> Speech | None:
        if brief.may_pass:
            return None
        heard(f"The first half of {brief.number}, ")
        while not self.is_open:
            await asyncio.sleep(0.01)
        heard("the second half.")
        return Speech(f"The first half of {brief.number}, the second half.")


class House:
    """A site on a real server, and the browsers of the people who come in."""

    def __init__(self, browser: Browser, site: Site, address: str) -> None:
        self.site, self.address = site, address
        self.requests: list[str] = []
        self.console: list[str] = []
        self._browser = browser
        self._contexts: list[BrowserContext] = []

    def let_in(
        self, name: str, path: str = ROOM, role: Role = MEMBER, address: str = "", **options: Any
    ) -> Page:
        """Let somebody in, in a browser of their own, and show a page."""
        address = address or self.address
        context = self._browser.new_context(**options)
        self._contexts.append(context)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.console.append(message.text))
        door = f"{address}/join/{self.site.invitations.tokens[role]}"
        context.request.post(door, form={"name": name}, headers={"origin": address})
        page.goto(f"{address}{path}")
        return page

    def close(self) -> None:
        for context in self._contexts:
            context.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with playwright.sync_playwright() as started:
        yield started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)


def talk_elsewhere(place: Place, words: Sequence[str]) -> None:
    """Hold a conversation in another thread: in this one Playwright has its own loop."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(talk, *place, words, review=True).result(PATIENCE / 1000)


@pytest.fixture
def completed(place: Place) -> Place:
    talk_elsewhere(place, ANSWERS)
    return place


@pytest.fixture
def houses(browser: Browser) -> Iterator[Any]:
    with ExitStack() as stack:

        def make(root: Path, panel: Any = None, **options: Any) -> House:
            site = make_site(root, panel, **options)
            house = House(browser, site, stack.enter_context(serve(site)))
            stack.callback(house.close)
            return house

        yield make


def awaits(page: Page, what: str) -> None:
    """Wait until the form is the one for what the table waits for."""
    expect(page.locator(f'#form [data-awaits="{what}"]')).to_be_visible(timeout=PATIENCE)


def send(page: Page, text: str) -> None:
    """Say something that counts, and wait until the form that said it is gone: a new one follows."""
    awaits(page, "discussion")
    page.fill("#text", text)
    number = page.locator("#form [name=at]")
    said = str(number.get_attribute("value"))
    page.press("#text", "Enter")
    expect(number).not_to_have_value(said, timeout=PATIENCE)


def send_again(page: Page) -> None:
    awaits(page, "discussion")
    page.press("#text", "Enter")


def has_turns(page: Page, count: int) -> None:
    """Wait until the conversation has so many turns, each once and in order."""
    wanted = [f"turn {number + 1}" for number in range(count)]
    expect(page.locator("#log .number")).to_have_text(wanted, timeout=PATIENCE)


def begin_discussion(page: Page) -> None:
    """Open the table at the menu of the step that is complete, and bring everybody to it."""
    page.click("text=Open the table")
    awaits(page, "menu")
    page.keyboard.press("e")


def test_two_people_and_an_observer_in_one_discussion(houses: Any, completed: Place) -> None:
    house = houses(completed[0], review=True)
    ana = house.let_in("Ana")
    ben, eva = house.let_in("Alex B."), house.let_in("Eva", role=OBSERVER)
    begin_discussion(ana)
    awaits(ben, "discussion")
    ben.locator("#text").press_sequentially("We go")
    expect(ana.locator("#work")).to_have_text("Alex B. is typing", timeout=PATIENCE)
    send(ben, "We go with option B.")
    send(ana, "Fine by me.")
    awaits(ana, "discussion")
    expect(ana.locator("#log .contribution.person .name")).to_have_text(["Alex B.", "Ana"], timeout=PATIENCE)
    for page in (ana, ben, eva):
        has_turns(page, 7)
    for page in (ana, ben):
        expect(page.locator("#text")).to_have_value("")
    expect(eva.locator("#form")).to_have_text("You are looking on.")
    assert eva.locator("#form textarea, #form button").count() == 0
    assert ben.locator("text=Wrap up").count() == 0
    awaits(ben, "discussion")
    ben.fill("#text", "done")
    ben.press("#text", "Enter")
    expect(ben.locator("#problem")).to_contain_text("chair")
    ana.click("text=Hand over the chair")
    ben.click("text=Wrap up")
    expect(ben.locator("#log .person .words").last).to_have_text("Wrap up", timeout=PATIENCE)
    ben.click("text=Accept and write")
    awaits(ben, "menu")
    expect(eva.locator("#log .synthesis")).to_contain_text("option B", timeout=PATIENCE)
    eva.click("#log .changes summary")
    expect(eva.locator("#log .changes .file").first).to_contain_text("(lines added: ")
    expect(eva.locator("#table li.voice-0 .role").first).to_have_text("Business Analyst, leads")
    eva.wait_for_function(IS_SEEN, arg="#log .changes .file")  # and not behind the form
    expect(ana.locator("#form")).to_contain_text("Alex B. chooses")


def test_a_reload_in_the_middle_of_a_contribution_loses_and_doubles_nothing(
    houses: Any, completed: Place
) -> None:
    panel = GatedPanel()
    house = houses(completed[0], panel)
    ana = house.let_in("Ana")
    begin_discussion(ana)
    expect(ana.locator("#draft")).to_contain_text("The first half of 2", timeout=PATIENCE)
    ana.reload()
    expect(ana.locator("#draft")).to_contain_text("The first half of 2", timeout=PATIENCE)
    expect(ana.locator("#draft.voice-1 header")).to_contain_text("▲ Alex Rivera Solutions Architect")
    panel.is_open = True
    awaits(ana, "discussion")
    has_turns(ana, 3)
    expect(ana.locator("#draft")).to_be_hidden()


def test_a_cut_of_ten_seconds_loses_and_doubles_nothing(houses: Any, completed: Place) -> None:
    house = houses(completed[0])
    with Cable(house.address) as cable:
        ana, ben = house.let_in("Ana"), house.let_in("Ben", address=cable.address)
        begin_discussion(ana)
        awaits(ben, "discussion")
        cut_at = time.monotonic()
        cable.cut()
        expect(ben.locator("#connection")).to_contain_text("trying again", timeout=PATIENCE)
        ben.fill("#text", "Still here")
        ben.press("#text", "Enter")
        expect(ben.locator("#problem")).to_contain_text("cannot be reached", timeout=PATIENCE)
        send(ana, "While you were away.")
        has_turns(ana, 5)
        send(ana, "And some more.")
        has_turns(ana, 7)
        ben.wait_for_timeout(max(CUT - (time.monotonic() - cut_at), 0) * 1000)
        cable.mend()
        for page in (ana, ben):
            has_turns(page, 7)
            said = page.locator("#log .contribution.person .words")
            expect(said).to_have_text(["While you were away.", "And some more."], timeout=PATIENCE)
        expect(ben.locator("#connection")).to_have_text("")
        expect(ben.locator("#text")).to_have_value("Still here")
        send_again(ben)
        expect(ana.locator("#log .contribution.person").last).to_contain_text("Still here", timeout=PATIENCE)
        has_turns(ana, 9)
        has_turns(ben, 9)


def test_after_a_restart_the_old_page_says_what_to_do(houses: Any, completed: Place) -> None:
    house, advice = houses(completed[0]), "open the address that `roundtable serve` printed"
    with Cable(house.address) as cable:
        ana = house.let_in("Ana", address=cable.address)
        begin_discussion(ana)
        awaits(ana, "discussion")
        ana.fill("#text", "Half a thought")
        cable.cut()
        expect(ana.locator("#connection")).to_contain_text("trying again", timeout=PATIENCE)
        ana.context.clear_cookies()  # a server that was restarted knows nobody
        cable.mend()
        expect(ana.locator("#connection")).to_contain_text(advice, timeout=PATIENCE)
        ana.press("#text", "Enter")
        expect(ana.locator("#problem")).to_contain_text(advice, timeout=PATIENCE)
        expect(ana.locator("#text")).to_have_value("Half a thought")


def test_the_keyboard_alone_is_enough(houses: Any, place: Place) -> None:
    house = houses(place[0])
    page = house.let_in("Somebody", path=f"/join/{house.site.invitations.tokens[MEMBER]}")
    expect(page.locator("#name")).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type("Ana")
    page.keyboard.press("Enter")
    expect(page.locator(".me")).to_have_text("Ana")

    def tab_to(text: str) -> None:
        for _ in range(40):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.innerText?.trim() || ''") == text:
                return
        raise AssertionError(f"Tab never reaches {text!r}")

    tab_to("Offline forms")
    page.keyboard.press("Enter")
    expect(page.locator("#steps")).to_be_visible()
    tab_to("Open the table")
    page.keyboard.press("Enter")
    awaits(page, "answer")
    for words in ANSWERS:
        expect(page.locator("#text")).to_be_focused()
        page.keyboard.type(words)
        at = page.locator("#form [name=at]").get_attribute("value")
        page.keyboard.press("Enter")
        expect(page.locator("#log .answer").last).to_contain_text(words, timeout=PATIENCE)
        # A form answers one question: an answer to the next one is refused until its own form is drawn.
        expect(page.locator("#form [name=at]")).not_to_have_value(str(at), timeout=PATIENCE)
    awaits(page, "menu")
    page.keyboard.press("e")
    awaits(page, "discussion")
    expect(page.locator("#text")).to_be_focused()
    page.keyboard.type("We go with B.")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("And soon.")
    number = page.locator("#form [name=at]").get_attribute("value")
    page.keyboard.press("Enter")
    expect(page.locator("#log .person").last).to_contain_text("And soon.")
    has_turns(page, 5)
    expect(page.locator("#form [name=at]")).not_to_have_value(str(number), timeout=PATIENCE)
    awaits(page, "discussion")
    tab_to("Wrap up")
    page.keyboard.press("Enter")
    awaits(page, "menu")
    page.keyboard.press("c")
    awaits(page, "answer")


def test_an_answer_that_comes_second_can_still_be_read(houses: Any, place: Place) -> None:
    house = houses(place[0])
    ana, ben, cleo = house.let_in("Ana"), house.let_in("Ben"), house.let_in("Cleo")
    held: list[Any] = []
    ben.route("**/say", lambda route: held.append(route))  # it waits until the test lets it go on
    ana.click("text=Open the table")
    for number, words in enumerate(ANSWERS, start=1):
        for page in (ana, ben, cleo):
            expect(page.locator("#log .question")).to_have_count(number, timeout=PATIENCE)
            awaits(page, "answer")
        if number == len(ANSWERS):
            cleo.fill("#text", "Not even sent.")
            ben.fill("#text", "Mine, <b>too</b>.")
            ben.press("#text", "Enter")
        ana.fill("#text", words)
        ana.press("#text", "Enter")
        expect(ana.locator("#log .answer")).to_have_count(number, timeout=PATIENCE)
    for page in (ana, ben, cleo):
        awaits(page, "menu")
    expect(cleo.locator(".unsaid")).to_have_text(["Not said: Not even sent."])
    expect(ben.locator(".unsaid")).to_have_count(0)  # it may still count
    held[0].continue_()
    expect(ben.locator("#problem")).to_contain_text("Somebody answered first", timeout=PATIENCE)
    expect(ben.locator(".unsaid")).to_have_text(["Not said: Mine, <b>too</b>."])
    expect(ana.locator(".unsaid")).to_have_count(0)


@pytest.mark.rule("MENU-3")
def test_enter_at_the_menu_continues_and_words_are_feedback(houses: Any, completed: Place) -> None:
    page = houses(completed[0]).let_in("Ana")
    page.click("text=Open the table")
    awaits(page, "menu")
    expect(page.locator("button.main")).to_have_attribute("data-key", "c")
    page.fill("#text", "Ask the foreman, too.")
    page.press("#text", "Enter")
    expect(page.locator("#log .feedback.person")).to_have_text(re.compile("foreman"), timeout=PATIENCE)
    expect(page.locator('[data-key="c"]')).to_be_focused(timeout=PATIENCE)
    page.press("#text", "Enter")
    awaits(page, "answer")
    page.reload()
    awaits(page, "answer")
    assert page.locator("#log .contribution").count() == 0


def test_a_review_with_a_struck_and_an_edited_entry(houses: Any, completed: Place) -> None:
    house = houses(completed[0], review=True)
    ana, ben = house.let_in("Ana"), house.let_in("Ben")
    begin_discussion(ana)
    send(ana, "We go with option B.")
    awaits(ana, "discussion")
    ana.click("text=Wrap up")
    awaits(ana, "review")
    expect(ben.locator("#form")).to_contain_text("Ana can still change it.")
    expect(ben.locator(".review textarea").first).to_be_disabled()
    ana.uncheck('[name="keep-1"]')
    ana.fill('[name="text-2"]', "We take option B: it costs least")
    ana.select_option("#part", "question")
    for words in (QUESTION, "Who pays?"):
        ana.fill('[name="add"]', words)
        ana.keyboard.press("Enter")
        expect(ana.locator(".review textarea").last).to_have_value(words, timeout=PATIENCE)
        expect(ana.locator('[name="add"]')).to_be_focused()
    expect(ana.locator(".review")).not_to_contain_text("reason not given")
    ana.select_option("#part", "decision")
    ana.fill('[name="add"]', "Paper stays")
    ana.keyboard.press("Enter")
    expect(ana.locator(".review")).to_contain_text(": reason not given", timeout=PATIENCE)
    documents = "".join(path.read_text() for path in completed[1].glob("*.md"))
    assert QUESTION not in documents and "option B" not in documents
    ana.select_option("#part", "question")
    ana.fill('[name="add"]', "Ask Eva?")
    ana.click("text=Accept and write")
    awaits(ana, "menu")
    text = next(
        path.read_text() for path in completed[1].glob("*.md") if "Elaboration Insights" in path.read_text()
    )
    decided = ("We take option B: it costs least", "Paper stays: reason not given")
    for words in (*decided, QUESTION, "Who pays?", "Ask Eva?"):
        assert f"- {words}" in text
    assert "Answers can differ." not in text
    expect(ben.locator("#log .synthesis")).to_contain_text("it costs least")


def bring_a_hostile_colleague(root: Path) -> None:
    """Let the project's own files be hostile, too: a persona's role (its name may hold no marks), a step."""
    folder = root / ".roundtable" / "personas"
    folder.mkdir(parents=True)
    words = json.dumps("<script>window.ran = 11</script> <b onclick=window.ran=12>")
    (folder / "sam.md").write_text(
        f"---\nkey: sam\nname: Sam Okoye\nrole: {words}\n"
        f"short_role: <b onclick=ran()>\nperspective: <b onclick=ran()>\nphases: []\nlens: [{words}]\n---\n"
    )
    step = root / ".roundtable" / "steps" / "00-quick-scan" / "00-02.md"
    step.write_text(step.read_text().replace('title: "', 'title: "<script>window.ran = 6</script> ', 1))


def test_hostile_words_in_every_field_run_nothing_and_fetch_nothing(houses: Any, place: Place) -> None:
    root, _ = place
    bring_a_hostile_colleague(root)
    panel = ScriptedPanel(says=lambda brief: Speech(f"{brief.number} {HOSTILE}"))
    house = houses(root, panel, review=True)
    ana, ben = house.let_in(HOSTILE[:40], path="/"), house.let_in("<b onclick=window.ran=7>Ben</b>", path="/")
    ana.fill("#text", f"{HOSTILE[:70]}\n\n{HOSTILE}")
    ana.click("text=Add >> nth=-1")
    expect(ana.locator("h1")).to_contain_text("<script>")
    item = ana.url
    ana.click("text=Open the table")
    ben.goto(ana.url)
    for _ in range(2):
        awaits(ana, "answer")
        number = ana.locator("#form [name=at]").get_attribute("value")
        ana.fill("#text", f"7 {HOSTILE}")
        ana.press("#text", "Enter")
        expect(ana.locator("#form [name=at]")).not_to_have_value(str(number), timeout=PATIENCE)
    awaits(ana, "menu")
    ana.keyboard.press("e")
    awaits(ben, "discussion")
    ben.locator("#text").press_sequentially("I")
    expect(ana.locator("#work")).to_contain_text("onclick", timeout=PATIENCE)  # the name, while Ben types
    send(ana, f"We go with {HOSTILE}")
    awaits(ana, "discussion")
    ana.click("text=Wrap up")
    awaits(ana, "review")
    ana.fill('[name="text-1"]', f"Edited {HOSTILE}")
    ana.select_option("#part", "question")
    ana.fill('[name="add"]', HOSTILE)
    ana.click("text=Accept and write")
    awaits(ana, "menu")
    ana.fill("#text", f"Feedback {HOSTILE}")
    ana.press("#text", "Enter")
    expect(ana.locator("#log .feedback").last).to_contain_text("script", timeout=PATIENCE)
    awaits(ana, "menu")
    expect(ana.locator("#table")).to_contain_text("<script>window.ran = 11")
    room = ana.url
    ana.click("text=Close the table")
    ana.goto(item)
    ana.locator("form.row input[name=text]").first.fill(f"Answer {HOSTILE}")
    ana.locator("form.row button").first.click()
    expect(ana.locator("#steps")).to_be_visible()
    folder = next(path for path in (root / "docs" / "requirements").iterdir() if path.name != "offline-forms")
    assert "Answer &lt;script>" in "".join(path.read_text() for path in folder.glob("*.md"))
    for name in FILE_NAMES:
        (folder / name).write_text(f"# {HOSTILE}\n\n{HOSTILE}\n\n| {HOSTILE} |\n|---|\n| {HOSTILE} |\n")
    ana.goto(item)
    links = {str(link.get_attribute("href")) for link in ana.locator("main a").all()}
    pages = {"/", f"/?q={quote(HOSTILE)}", "/items/<img src=x onerror=window.ran=8>", *links} - {room}
    pages = {page for page in pages if page.startswith("/") and "export.html" not in page}
    assert len(pages) >= 8 and sum("documents" in page for page in pages) >= 4
    for address in (room, item, *(f"{house.address}{page}" for page in sorted(pages))):
        ana.goto(address)
        expect(ana.locator("body")).to_contain_text("onerror", timeout=PATIENCE)
        assert ana.evaluate("window.ran") is None, address
        for selector in ("main img", "main script", "main style", "[onclick]", '[href^="javascript"]'):
            assert ana.locator(selector).count() == 0, (address, selector)
    assert all(url.startswith(house.address) for url in house.requests)
    export = ana.request.get(f"{item}/export.html").text()
    file = root.parent / "export.html"
    file.write_text(export)
    ana.goto(f"file://{file}")
    expect(ana.locator("body")).to_contain_text("onerror")
    assert ana.evaluate("window.ran") is None
    assert ana.evaluate("getComputedStyle(document.querySelector('.card')).borderRadius") == "12px"
    assert all(url.startswith((house.address, "file:")) for url in house.requests)
    assert [each for each in house.console if "Content Security Policy" in each] == []


def test_the_page_does_not_jump_while_others_talk(houses: Any, completed: Place) -> None:
    """What counts is what the browser itself measures, on the page of somebody who only reads."""
    house = houses(completed[0])
    ana = house.let_in("Ana")
    ben = house.let_in("Ben", viewport={"width": 1280, "height": 700})
    ben.evaluate(MEASURE_SHIFTS)
    begin_discussion(ana)
    for number in range(3):
        send(ana, f"Remark {number}: what about the forms that were filled in twice, and who decides then?")
        has_turns(ben, 5 + 2 * number)
    awaits(ben, "discussion")
    shifts = ben.evaluate("window.shifts")
    assert sum(value for value, _ in shifts) < 0.1, shifts


def test_a_phone_shows_every_page_without_scrolling_sideways(houses: Any, completed: Place) -> None:
    root, item = completed
    (item / "quick-scan.md").write_text(
        f"# Wide\n\n| a | b |\n|---|---|\n| {'x' * 300} | {'y ' * 200} |\n\n{'z' * 500}\n"
    )
    house = houses(root)
    page = house.let_in("Ana", viewport={"width": 360, "height": 740}, is_mobile=True, has_touch=True)
    page.tap("text=Open the table")
    awaits(page, "menu")
    expect(page.locator('[data-key="e"]')).to_be_in_viewport()
    item_page = "/items/offline-forms"
    for path in ("/", item_page, f"{item_page}/documents/quick-scan.md", ROOM):
        page.goto(f"{house.address}{path}")
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), path


def test_on_a_phone_a_table_of_three_columns_fits_and_a_line_has_one_height(
    houses: Any, completed: Place
) -> None:
    root, item = completed
    row = "FR-001 | Switch it on with StaticFiles(precompressed=True) | Should"
    (item / "priorities.md").write_text(
        f"# P\n\n| Requirement | What | Priority |\n|---|---|---|\n| {row} |\n"
    )
    talk_elsewhere(completed, ["E", "We go with B.", "done", f"add question: {QUESTION}", "accept"])
    page = houses(root).let_in("Ana", "/items/offline-forms", viewport={"width": 390, "height": 844})
    heights = page.locator("form.row").first.evaluate(
        "(row) => [...row.children].filter((each) => each.offsetHeight).map((each) => each.offsetHeight)"
    )
    assert len(heights) == 2 and len(set(heights)) == 1
    page.click("text=priorities.md")
    assert page.locator("table").evaluate("(table) => table.scrollWidth <= table.clientWidth")


def test_keys_scroll_a_wide_data_file(houses: Any, completed: Place) -> None:
    root, folder = completed
    columns = [f"Column{number}" for number in range(200)]
    (folder / "wide.csv").write_text(f"{','.join(columns)}\n{','.join(columns)}\n")
    page = houses(root).let_in("Ana", "/items/offline-forms/documents/wide.csv")
    page.locator("table").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.querySelector('table').scrollLeft > 0")


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is missing: npm install --prefix build/axe axe-core")
def test_axe_finds_nothing_serious_on_any_page_light_or_dark(houses: Any, completed: Place) -> None:
    root, folder = completed
    (folder / "wide.csv").write_text("Requirement,Story,Decision\n" * 3 + "FR-001," * 200)
    talk_elsewhere(completed, ["E", "We go with B.", "done", f"add question: {QUESTION}", "accept"])
    add_item(root, "Another one", commit=None)
    house = houses(root, review=True)
    page = house.let_in("Ana", path="/")
    other = house.let_in("Ben", path="/")
    item, script = "/items/offline-forms", AXE.read_text(encoding="utf-8")
    checked: list[str] = []

    def check(name: str, page: Page = page) -> None:
        if not page.evaluate("Boolean(window.axe)"):
            page.evaluate(script)
        page.emulate_media(color_scheme="dark")
        found = page.evaluate(FIND_SERIOUS, {"runOnly": ["color-contrast"]})
        page.emulate_media(color_scheme="light")
        found += page.evaluate(FIND_SERIOUS, {"resultTypes": ["violations"]})
        assert found == [], name
        checked.append(name)

    looks = {
        "backlog": "/",
        "backlog, nothing fits": "/?q=nothing-like-that",
        "item with open questions": item,
        "document with an addition": f"{item}/documents/quick-scan.md",
        "data file": f"{item}/documents/wide.csv",
        "transcript": f"{item}/discussions/1",
        "hand-off": f"{item}/hand-off",
        "no such item": "/items/nonesuch",
        "no such document": f"{item}/documents/nonesuch.md",
        "invitation that is not valid": "/join/nonesuch",
        "invitation to look on": f"/join/{house.site.invitations.tokens[OBSERVER]}",
        "new item": "/items/another-one",
        "room, closed": f"{item}/room",
    }
    for name, path in looks.items():
        page.goto(f"{house.address}{path}")
        check(name)
    other.goto(f"{house.address}{item}/room")
    page.click("text=Open the table")
    moves: dict[str, Callable[[], object]] = {
        "menu": lambda: page.keyboard.press("e"),
        "discussion": lambda: send(page, "We go with C."),
        "discussion, after a turn": lambda: page.click("text=Wrap up"),
        "review": lambda: page.click("text=Accept and write"),
        "menu, with changes": lambda: page.keyboard.press("c"),
        "answer": lambda: other.click("text=Show an example"),
        "answer, with help": lambda: None,
    }
    for awaited, act in moves.items():
        if awaited == "discussion, after a turn":
            has_turns(page, 5)
        if awaited == "answer, with help":
            expect(page.locator("#log .note").last).to_be_visible()
        awaits(page, awaited.partition(",")[0])
        expect(page.locator("#form.busy")).to_have_count(0, timeout=PATIENCE)  # dimmed until it is drawn anew
        check(f"room, {awaited}")
        if awaited in ("menu", "review"):  # whoever does not have the chair sees another form
            awaits(other, awaited)
            check(f"room, {awaited}, without the chair", other)
        act()
    page.goto(f"{house.address}{item}")
    check("item while its table is open")
    file = root.parent / "export.html"
    file.write_text(page.request.get(f"{house.address}{item}/export.html").text())
    page.goto(f"file://{file}")
    check("export")
    nobody = house.let_in("Eva", path="/")
    nobody.context.clear_cookies()
    nobody.goto(house.address)
    check("without an invitation", nobody)
    assert len(checked) == 25
