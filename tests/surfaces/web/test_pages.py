"""The pages: what they show, what their forms do, and that they are readable without scripts."""

from __future__ import annotations

import json
import re
import shutil
import time
from html import unescape
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from project import ANSWERS, talk
from roundtable.documents.questions import OpenQuestion
from roundtable.project import Project
from roundtable.store.items import ItemEntry, add_item
from roundtable.surfaces.web.access import OBSERVER
from roundtable.surfaces.web.app import Site
from webserver import PATIENCE, check_of, come_in, make_site, open_client

Place = tuple[Path, Path]
GOLDEN = Path(__file__).parents[3] / "docs" / "example"
ITEM = "/items/offline-forms"


@pytest.fixture
def site(completed: Place) -> Site:
    return make_site(completed[0])


@pytest.fixture
def golden(completed: Place) -> Path:
    """The bundled example, which has been discussed twice, as a second item."""
    folder = completed[1].parent / "renew-loans"
    shutil.copytree(GOLDEN, folder)
    return folder


def act(client: TestClient, action: str, **fields: str) -> int:
    """Do something at the table the way a page without scripts does."""
    data = {"check": check_of(client, f"{ITEM}/room"), **fields}
    return client.post(f"{ITEM}/room/{action}", data=data).status_code


def load_until(client: TestClient, text: str) -> str:
    """Load the room's page again until it shows a text, as somebody without scripts does."""
    deadline = time.monotonic() + PATIENCE
    while text not in (page := client.get(f"{ITEM}/room").text):
        assert time.monotonic() < deadline, f"never shown: {text}"
    return page


def number_of(page: str) -> str:
    """Return the number of the listening that the page's form answers."""
    return page.partition('name="at" value="')[2].partition('"')[0]


def test_the_backlog_lists_items_with_progress_and_can_be_filtered(ana: TestClient, golden: Path) -> None:
    page = ana.get("/").text
    assert "Offline forms" in page and "1 of 24 steps" in page
    assert "Renew loans by text message" in page and "2 discussions" in page and "1 open question" in page
    filtered = ana.get("/", params={"q": "RENEW loans"}).text
    assert "Renew loans" in filtered and "Offline forms" not in filtered
    assert "Nothing here fits" in ana.get("/", params={"q": "nonesuch"}).text


def test_the_backlog_reads_the_documents_of_an_item_again_only_once_they_changed(
    site: Site, golden: Path
) -> None:
    read: list[str] = []

    class CountingProject(Project):
        def list_questions(self, item: str | ItemEntry) -> tuple[OpenQuestion, ...]:
            read.append(item if isinstance(item, str) else item.slug)
            return super().list_questions(item)

    site.project = CountingProject(site.project.root)
    ana = come_in(site, open_client(site), "Ana")  # to the backlog
    assert "1 open question<" in ana.get("/").text
    assert sorted(read) == ["offline-forms", "renew-loans"]
    read.clear()
    assert "1 open question<" in ana.get("/").text and read == []
    site.project.answer_question("renew-loans", 1, "The city does.")
    read.clear()
    assert "open question<" not in ana.get("/").text and read == ["renew-loans"]


def test_an_item_is_added_with_a_form(ana: TestClient, completed: Place) -> None:
    page = ana.post("/items", data={"text": "Export as PDF\n\nFor auditors.", "check": check_of(ana)})
    assert (
        page.status_code == 200 and "Export as PDF" in page.text and page.url.path == "/items/export-as-pdf"
    )
    assert "For auditors." in (completed[1].parent / "export-as-pdf" / "draft.md").read_text()
    assert ana.post("/items", data={"text": " ", "check": check_of(ana)}).status_code == 409


def test_an_item_shows_its_steps_documents_discussions_and_questions(ana: TestClient, golden: Path) -> None:
    page = ana.get("/items/renew-loans").text
    for text in (
        "Business Context Discovery",
        "requirements-spec.md",
        "Open questions",
        "signs the contract",
    ):
        assert text in page
    assert page.count('class="done"') == 24
    assert re.search(r'href="/items/renew-loans/discussions/1">User Experience', page)
    raw = ana.get(ITEM).text
    assert 'class="current"' in raw and 'class="not-needed"' in raw and 'class="ahead"' in raw


def test_what_a_discussion_added_is_marked_and_linked_both_ways(ana: TestClient, golden: Path) -> None:
    page = ana.get("/items/renew-loans/documents/requirements-spec.md").text
    (place,) = re.findall(r'<section class="addition" id="([^"]+)">', page)
    block = page.partition('<section class="addition"')[2].partition("</section>")[0]
    assert "Elaboration Insights" in block and "4. Technical Context" not in block
    assert "<!--" not in page and "&lt;!--" not in page
    assert 'href="/items/renew-loans/discussions/1#discussion-1"' in block
    links = re.findall(r'href="([^"]+)" rel="[^"]*">turn (\d+)</a>', block)
    assert ("/items/renew-loans/discussions/1#discussion-1-turn-4", "4") in links
    assert ("/items/renew-loans/discussions/1#discussion-1-turn-8", "8") in links
    talk = ana.get("/items/renew-loans/discussions/1").text
    back = f'href="/items/renew-loans/documents/requirements-spec.md#{place}"'
    assert talk.count(back) == 1 + 3  # at its top, and at the three turns that led to something
    synthesis = talk.partition("<h2>Synthesis</h2>")[2]
    assert 'href="#discussion-1-turn-8"' in synthesis and 'id="discussion-1-turn-8"' in talk


@pytest.mark.rule("MENU-7")
def test_a_discussion_that_was_taken_back_says_so_and_does_not_count(site: Site, completed: Place) -> None:
    talk(*completed, ["E", "We go with B.", "done"])
    ana = come_in(site, open_client(site), "Ana")
    assert '<span class="count"' in ana.get(ITEM).text and "taken back" not in ana.get(ITEM).text
    talk(*completed, ["undo"])
    page = ana.get(ITEM).text
    assert '<span class="count"' not in page and page.count("taken back") == 1
    assert "discussion" not in ana.get("/").text
    for address in (f"{ITEM}/discussions/1", f"{ITEM}/export.html"):
        assert "what it added stands in no document" in ana.get(address).text


def test_a_finished_bug_shows_its_own_steps_and_its_hand_off_first(tmp_path: Path) -> None:
    item = add_item(tmp_path, "Saving a form crashes\n\nThe app crashes without signal.", commit=None)
    answers = [
        "Save without signal.",
        "C",
        "forms.py:12 expects a signal.",
        "Catch it.",
        "Save twice.",
        "None.",
    ]
    talk(tmp_path, item, ["", *answers, "E", "Fine.", "done", "C"])
    site = make_site(tmp_path)
    page = come_in(site, open_client(site), "Ana").get(f"/items/{item.name}").text
    assert re.findall(r'<h3 id="phase-\d+">([^<]+)<', page) == ["Quick Scan", "Impact Analysis"]
    assert re.findall(r'discussions/1">([^<]+)<', page) == ["Cause, Fix and Test"]
    assert re.findall(r'class="[^"]*main[^"]*"[^>]*>([^<]+)<', page) == ["Hand-off"]


@pytest.mark.parametrize(
    ("name", "text", "shown"),
    [
        ("a.json", '{"n": 3, "rows": [{"a_b": "<b>", "c": 1}]}\n', "<h2>Rows</h2>"),
        ("a.json", '{"n": [3, 4], "rows": [{"b": 1, "c": 1}]}', 'class="field"><strong>N</strong>: 3\n4</p>'),
        ("a.json", '{"n": 3, "rows": [{"a_b": "<b>", "c": 1}]}\n', "<td>&lt;b&gt;</td><td>1</td>"),
        ("a.json", '[{"<b>": 1}, {"a_b": ["x", null, {"b": "é"}]}]', "<th>&lt;b&gt;</th><th>A b</th>"),
        (
            "a.json",
            '[{"<b>": 1}, {"a_b": ["x", "y", {"b": "é"}]}]',
            "<td>x\ny\n{&#34;b&#34;: &#34;é&#34;}</td>",
        ),
        ("a.json", '[{"a": "\\ud800\\u202e!", "\\ud800b": 1}]', "<td>!</td>"),
        ("a.json", '[{"as_a": "x", "id": 1, "text": "y"}]', "<td>1</td><td>y</td><td>x</td></tr>"),
        ("a.json", '[{"a": 1, "a": 2, "b": 3}]', "<code>[{"),
        ("a.json", json.dumps({str(n): [{"a": 1, "b": 2}] * 5_000 for n in range(5)}), "<code>{&#34;0"),
        ("a.json", '{"a": [1, "<b>"]}', "<code>{&#34;a&#34;: [1, &#34;&lt;b&gt;&#34;]}</code>"),
        ("a.json", "[1, <b>]", "<code>[1, &lt;b&gt;]</code>"),
        ("a.json", "[" * 100_000, "<code>[[["),
        ("a.json", '[{"a": ' + "[" * 900 + "]" * 900 + ', "b": 1}]', "[[["),
        ("a.json", json.dumps([{f"k{n}": 1} for n in range(2_000)]), "<code>[{&#34;k0"),
        ("a.csv", "a,<b>\n\n1,2\n4\n", "<th>A</th><th>&lt;b&gt;</th></tr>"),
        ("a.csv", "a,<b>\n\n1,2\n4\n", "<tr><td>4</td><td></td></tr>"),
        ("a.csv", "a,b\n1,2,3\n", "<code>a,b\n1,2,3</code>"),
        ("a.csv", "a,a,b\n1,2,3\n", "<code>a,a,b\n1,2,3</code>"),
        ("a.csv", "a;b\n1;2\n", "<code>a;b\n1;2</code>"),
        ("a.csv", f'a,b\n"{"x" * 200_000}', "<code>a,b"),
        ("a.csv", "", "<code></code>"),
    ],
)
def test_any_data_file_is_shown_and_none_of_it_is_html(
    ana: TestClient, completed: Place, name: str, text: str, shown: str
) -> None:
    (completed[1] / name).write_text(text)
    for address in (f"{ITEM}/documents/{name}", f"{ITEM}/export.html"):
        page = ana.get(address).text
        assert shown in page and "<b>" not in page.partition("<main")[2]


def test_stories_and_the_matrix_are_tables(ana: TestClient, golden: Path) -> None:
    stories = ana.get("/items/renew-loans/documents/user-stories.json").text
    assert "<h2>Stories</h2>" in stories and "<td>US-001</td><td>As a member" in stories
    assert '<p class="field"><strong>Item</strong>: Renew' in stories
    matrix = ana.get("/items/renew-loans/documents/traceability-matrix.csv").text
    assert "<th>Requirement</th><th>Title</th>" in matrix and "<td>FR-001</td>" in matrix


def test_the_hand_off_is_a_page(ana: TestClient, golden: Path) -> None:
    page = ana.get("/items/renew-loans/hand-off")
    assert page.status_code == 200 and "We go with renewing only the titles" in page.text


def test_an_export_is_one_file_with_all_links_inside(ana: TestClient, golden: Path) -> None:
    answer = ana.get("/items/renew-loans/export.html")
    assert "attachment" in answer.headers["content-disposition"]
    page = answer.text
    assert not re.search(r'(?:src|href)="(?!#|https?://)[^"]', page) and "<script" not in page
    assert "url(" not in page and "@import" not in page
    names = set(re.findall(r'id="([^"]+)"', page))
    wanted = set(re.findall(r'href="#([^"]+)"', page))
    assert wanted <= names and "discussion-1-turn-8" in wanted
    assert len(re.findall(r'id="discussion-2-turn-1"', page)) == 1


@pytest.mark.parametrize("is_link", [True, False])
def test_a_parking_lot_that_cannot_be_read_hides_nothing_else(
    ana: TestClient, completed: Place, is_link: bool
) -> None:
    root, item = completed
    if is_link:
        (item / "parking-lot.md").symlink_to(root / "elsewhere.md")
    else:
        (item / "parking-lot.md").write_text("# Parking Lot\n\n" + "x" * 1_000_001)
    for page in (ITEM, f"{ITEM}/documents/quick-scan.md"):
        answer = ana.get(page)
        assert answer.status_code == 200 and str(root) not in answer.text and "xxx" not in answer.text


def test_only_documents_of_the_item_are_served(ana: TestClient, completed: Place) -> None:
    root, item = completed
    (root / "secret.md").write_text("# Secret\n")
    (item / "away.md").symlink_to(root / "secret.md")
    for name in (
        "../../../secret.md",
        "..%2F..%2F..%2Fsecret.md",
        "away.md",
        "meta.json",
        ".journal",
        "%00.md",
    ):
        answer = ana.get(f"{ITEM}/documents/{name}")
        assert answer.status_code == 404 and "Secret" not in answer.text, name
    for slug in ("..", "%2e%2e", "offline", "nonesuch", "..%2Foffline-forms"):
        assert ana.get(f"/items/{slug}/room").status_code == 404, slug
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2Fapp.py"):
        assert ana.get(path).status_code == 404


def test_a_whole_step_can_be_answered_without_scripts(site: Site, place: Place) -> None:
    with open_client(site) as client:
        come_in(site, client, "Ana")
        assert "If you open it, you have the chair" in client.get(f"{ITEM}/room").text
        assert act(client, "open") == 200
        page = load_until(client, 'data-awaits="menu"')
        assert "<noscript>" in page and "<kbd>E</kbd>" in page
        assert act(client, "say", at=number_of(page), choice="C") == 200
        at = number_of(load_until(client, 'data-awaits="answer"'))
        assert act(client, "say", at=at, text="It is slow.") == 200
        load_until(client, "It is slow.")
        assert act(client, "say", at=at, text="Again.") == 409
        assert act(client, "nonsense") == 404


def test_names_and_titles_are_shown_as_they_were_written(place: Place) -> None:
    root, folder = place
    (folder / "draft.md").write_text("# Forms --- offline\n\nInspectors lose what they typed.\n")
    talk(root, folder, ANSWERS)
    site = make_site(root)
    with open_client(site) as client:
        come_in(site, client, "Ana (QA)")
        act(client, "open")
        act(client, "say", at=number_of(load_until(client, 'data-awaits="menu"')), choice="E")
        page = load_until(client, 'data-awaits="discussion"')
        assert "for Forms --- offline" in page
        assert '<b class="name">Maya Chen</b> <span class="role">Business Analyst</span>' in page
        act(client, "say", at=number_of(page), text="It is slow.")
        page = load_until(client, "It is slow.")
        assert re.search(r'<b class="name">Ana \(QA\)</b>(?:(?!</article>)[^~])*It is slow\.', page)


def test_an_observer_may_look_and_nothing_else(site: Site) -> None:
    with open_client(site) as client:
        come_in(site, client, "Eva", OBSERVER)
        page = client.get(f"{ITEM}/room").text
        assert "Invite somebody" not in page and "The table is closed." in page
        assert "Add an item" not in client.get("/").text
        check = page.partition('data-check="')[2].partition('"')[0]
        for action in ("open", "say", "typing", "chair", "stop", "close", "review"):
            answer = client.post(f"{ITEM}/room/{action}", data={"check": check, "text": "x", "at": "1"})
            assert answer.status_code == 409, action
        assert client.post("/items", data={"check": check, "text": "x"}).status_code == 409


def test_an_open_question_is_answered_in_place(place: Place) -> None:
    talk(*place, ["I don't know", "60 inspectors"], panel=None)
    site = make_site(place[0])
    client = come_in(site, open_client(site), "Ana")
    page = client.get(ITEM).text
    question = unescape(page.partition('name="question" value="')[2].partition('"')[0])
    data = {"check": check_of(client, ITEM), "question": question, "text": "Forms are lost."}
    assert question and "Nothing is left open." in client.post(f"{ITEM}/answer", data=data).text
    assert "Forms are lost." in client.get(f"{ITEM}/documents/quick-scan.md").text
    assert client.post(f"{ITEM}/answer", data=data).status_code == 409
