"""Take the pictures of the web room in docs/images: `python -m tools.screenshots`.

They are of a real server in a real browser, so it needs Chromium (Debian: `apt-get install chromium`). The
scene is the bundled example: two people and somebody who looks on, in the middle of a discussion.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from .example import EXAMPLE, GOLDEN, ROOT, SLUG

HOME = ROOT / "docs" / "images"
CHROMIUM = "/usr/bin/chromium"
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--font-render-hinting=none",
)  # fmt: skip
OTHER_ITEMS = (
    "Offline forms for inspectors\n\nInspectors fill in forms in basements without signal.",
    "Export the monthly report as PDF\n\nThe treasurer sends it to the auditors.",
    "Opening hours on the home page are wrong on public holidays\n\nPeople stand at a closed door.",
)
ANSWER = (
    "Titles are listed with numbers; the member answers R or R 2, and reads what was renewed and until when."
)
_WIDE, _PHONE = {"width": 1280, "height": 860}, {"width": 390, "height": 844}


@contextmanager
def serve_example() -> Iterator[str]:
    """Serve a copy of the example, at the menu before a step, and yield the address to come in by."""
    said = (EXAMPLE / "answers.txt").read_text(encoding="utf-8").splitlines()
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "library"
        shutil.copytree(EXAMPLE / "project", project, ignore=shutil.ignore_patterns("__pycache__"))
        answers = Path(folder) / "answers.txt"
        answers.write_text("\n".join(said[: said.index("E") - 2]) + "\n", encoding="utf-8")
        environment = {**os.environ, "HOME": folder, "ROUNDTABLE_USER_NAME": "Ines"}
        roundtable = [sys.executable, "-m", "roundtable", "--root", str(project)]
        for text in OTHER_ITEMS:
            subprocess.run([*roundtable, "add", text], env=environment, check=True, capture_output=True)
        start = [*roundtable, "analyze", SLUG, "--answers", str(answers)]
        subprocess.run(start, env=environment, check=True, capture_output=True)
        done = project / "docs" / "requirements" / "self-service-returns"
        shutil.copytree(GOLDEN, done)
        text = "# Self-service returns at the branches\n\nThe same as for renewals, at a machine.\n"
        (done / "draft.md").write_text(text, encoding="utf-8")
        serve = [*roundtable, "serve", "--port", "0", "--json"]
        with subprocess.Popen(serve, env=environment, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                shown = ""
                while "}" not in shown:
                    shown += server.stdout.readline()
                yield str(json.loads(shown)["address"])
            finally:
                server.terminate()


def come_in(browser: Browser, address: str, name: str, **options: Any) -> Page:
    """Open a browser of its own for somebody and let them in."""
    page = browser.new_context(**options).new_page()
    page.goto(address)
    page.fill("#name", name)
    page.click("text=Come in")
    return page


def say(page: Page, text: str) -> None:
    """Say something in a discussion, when it is the people's turn."""
    page.wait_for_selector('form[data-awaits="discussion"]')
    page.fill("#text", text)
    page.keyboard.press("Enter")


def take_pictures() -> None:
    """Play the scene and take every picture."""
    HOME.mkdir(exist_ok=True)
    with serve_example() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        base = address.partition("/join/")[0]
        ines = come_in(browser, address, "Ines", viewport=_WIDE)
        ines.goto(f"{base}/items/{SLUG}")
        ines.click("text=Go on at the table")
        looking = ines.locator("#observer").get_attribute("value") or address
        tom = come_in(browser, address, "Tom", viewport=_WIDE)
        eva = come_in(browser, looking, "Eva", viewport=_WIDE)
        for page in (tom, eva):
            page.goto(f"{base}/items/{SLUG}/room")
        ines.wait_for_selector('[data-key="c"]')
        ines.keyboard.press("c")
        ines.wait_for_selector('form[data-awaits="answer"]')
        _shoot(ines, "question-light")
        ines.fill("#text", ANSWER)
        ines.keyboard.press("Enter")
        ines.wait_for_selector('[data-key="e"]')
        ines.keyboard.press("e")
        say(tom, "Alex, option A: we stop the messages and the desk renews by phone again. It needs a list of the answers that were not handled.")  # fmt: skip  # noqa: E501
        say(ines, "Maya, who needs care because several cards share one number?")
        ines.wait_for_selector("#log >> text=turn 7")
        ines.wait_for_selector('form[data-awaits="discussion"]')
        tom.locator("#text").press_sequentially("We go with renewing only the titles")
        ines.wait_for_selector("text=Tom is typing")
        for scheme in ("light", "dark"):
            ines.emulate_media(color_scheme=scheme)
            _shoot(ines, f"room-{scheme}")
            for name, path in _pages().items():
                page = ines.context.new_page()
                page.emulate_media(color_scheme=scheme)
                page.goto(f"{base}{path}")
                _shoot(page, f"{name}-{scheme}")
                page.close()
        phone = come_in(browser, address, "Ines", viewport=_PHONE)
        for name, path in {**_pages(), "room": f"/items/{SLUG}/room"}.items():
            phone.goto(f"{base}{path}")
            phone.wait_for_timeout(300)
            _shoot(phone, f"{name}-phone")
        phone.context.close()
        _take_review(ines, tom)
        browser.close()


def _take_review(chair: Page, other: Page) -> None:
    other.fill("#text", "We go with renewing only the titles of the message that was answered.")
    other.keyboard.press("Enter")
    chair.wait_for_selector("#log >> text=turn 9")
    chair.emulate_media(color_scheme="light")
    chair.click("text=Wrap up")
    chair.wait_for_selector(".review")
    chair.uncheck('[name="keep-1"]')
    _shoot(chair, "review-light")


def _pages() -> dict[str, str]:
    document = "/items/self-service-returns/documents/requirements-spec.md"
    return {"backlog": "/", "item": f"/items/{SLUG}", "document": document}


def _shoot(page: Page, name: str) -> None:
    page.screenshot(path=HOME / f"{name}.png")


if __name__ == "__main__":
    take_pictures()
