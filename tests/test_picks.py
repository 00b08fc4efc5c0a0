"""The panel's part in the survey: it is shown what was found, picks the files, and names further words."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from unittest.mock import Mock

import pytest
from pydantic_ai import exceptions as api

from bench.survey_recall import RecordedModel
from gitproject import git, write
from model_talk import ScriptedModel
from project import ANSWERS, talk
from roundtable.core.commands import AskFiles
from roundtable.core.steps import Item
from roundtable.core.turns import Material
from roundtable.panel.host import HostPanel
from roundtable.panel.model.choice import FallbackPanel
from roundtable.runtime.budget import BudgetAccount
from roundtable.runtime.surveyor import Surveyor
from roundtable.settings import Budget
from roundtable.store import ledger
from roundtable.survey import draft_answer, lookup
from surveying import survey

Place = tuple[Path, Path]
FILES = {
    "app/forms.py": "def fill_forms(inspectors: list[str]) -> int:\n    return len(inspectors)\n",
    "app/basement.py": "SIGNAL = 0\n\n\ndef has_signal() -> bool:\n    return bool(SIGNAL)\n",
    "app/outbox.py": "def hold_back(letter: str) -> str:\n    return letter\n",
    "post/courier.py": "def deliver_later(parcel: str) -> str:\n    return parcel\n",
    "tests/test_forms.py": "from app.forms import fill_forms\n\n\ndef test_it() -> None:\n    fill_forms()\n",
}
ITEM = Item("offline-forms", "Offline forms", "Inspectors fill in forms in basements without signal.")
PICKS = {"paths": ["app/outbox.py", "`app/basement.py:1`", "app/gone.py"], "words": ["deliver_later"]}
STEP_2 = ["C", *ANSWERS]


@pytest.fixture
def coded(place: Place) -> Place:
    """A project in git with a little code, and its item."""
    root, _ = place
    git(root, "init", "-q")
    write(root, FILES)
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "Begin")
    return place


def picking(reply: object = PICKS) -> ScriptedModel:
    """A model that answers the request for files with this and all others as usual."""
    text = reply if isinstance(reply, str) else json.dumps(reply)
    return ScriptedModel(twist=lambda brief, words: text if '"paths"' in brief else words)


def asked(model: ScriptedModel) -> list[str]:
    """The requests for files."""
    return [request for request, brief in model.requests if '"paths"' in brief]


def shown(model: ScriptedModel) -> str:
    """The request for the drafts of the step, which has the code on its table."""
    return next(request for request, brief in reversed(model.requests) if '"drafts"' in brief)


def nearest(model: ScriptedModel) -> list[str]:
    """The paths that the drafts' request lists as nearest to the item."""
    listed = shown(model).partition("the files nearest to the item, one line of each:\n")[2]
    return [row[2:].partition(":")[0] for row in listed.partition("\n\n")[0].splitlines() if row[:2] == "| "]


@pytest.mark.rule("TABLE-1")
def test_the_panel_is_shown_the_item_the_folders_and_what_was_found(coded: Place) -> None:
    model = picking()
    talk(*coded, ANSWERS, panel=model.panel())
    (request,) = asked(model)
    assert model.requests[0][0] == request
    parts = (
        "| Offline forms\n",
        "| Inspectors fill in forms in basements without signal.",
        "\n| app/ basement.py forms.py outbox.py\n",
        "\n| app/forms.py:1 def fill_forms(inspectors",
        "at most 20,",
        "at most 8 names",
    )
    places = [request.index(part) for part in parts]
    assert places == sorted(places)


@pytest.mark.rule("TABLE-1")
def test_what_it_picks_leads_the_code_on_the_table_and_its_words_find_more(coded: Place) -> None:
    plain, model = picking("{}"), picking()
    talk(*coded, ANSWERS, panel=plain.panel())
    assert nearest(plain)[0] == "app/forms.py"
    assert "The code, post/courier.py" not in shown(plain)
    (coded[1] / ".journal" / "picks.json").unlink()
    talk(*coded, STEP_2, panel=model.panel())
    assert nearest(model)[:2] == ["app/outbox.py", "app/basement.py"]
    assert "post/courier.py" in nearest(model)
    assert "app/gone.py" not in shown(model)
    assert "The code, post/courier.py:1 (the whole file, defines deliver_later)" in shown(model)


@pytest.mark.rule("TABLE-1")
def test_it_is_asked_once_and_what_it_picked_holds_for_every_later_step(coded: Place) -> None:
    first, second = picking(), picking({"paths": ["app/forms.py"]})
    talk(*coded, ANSWERS, panel=first.panel())
    talk(*coded, STEP_2, panel=second.panel())
    assert (len(asked(first)), len(asked(second))) == (1, 0)
    assert nearest(second)[0] == "app/outbox.py"


@pytest.mark.rule("TABLE-1")
@pytest.mark.parametrize(("change", "again"), [("code", 1), ("item", 1), ("documents", 0)])
def test_it_is_asked_again_when_the_item_or_the_code_has_changed(
    coded: Place, change: str, again: int
) -> None:
    root, item = coded
    talk(*coded, ANSWERS, panel=picking().panel())
    if change == "item":
        page = next(path for path in item.glob("*.md") if "Inspectors fill in" in path.read_text())
        page.write_text(page.read_text().replace("basements", "cellars"))
    elif change == "code":
        write(root, {"app/outbox.py": "def hold_back() -> None:\n    return None\n"})
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "Go on")
    model = picking()
    talk(*coded, STEP_2, panel=model.panel())
    assert len(asked(model)) == again


@pytest.mark.rule("TABLE-1")
@pytest.mark.parametrize(
    "reply",
    ["I would rather not.", '{"paths": "app/forms.py"}', '{"paths": [3]}', '{"paths": ["/etc/passwd"]}', ""],
)
def test_a_refusal_or_an_odd_reply_leaves_the_order_of_the_survey(coded: Place, reply: str) -> None:
    model, later = picking(reply), picking()
    lines = talk(*coded, ANSWERS, panel=model.panel())
    assert not [line for line in lines if line.kind == "error"]
    assert nearest(model)[0] == "app/forms.py"
    assert "/etc/passwd" not in shown(model)
    talk(*coded, STEP_2, panel=later.panel())
    assert len(asked(model) + asked(later)) == 1


def fail_on_files(brief: str) -> None:
    if '"paths"' in brief:
        raise api.ModelRateLimitError("m", "429", retry_after=3.0)


@pytest.mark.rule("TABLE-1")
def test_a_model_that_fails_then_is_asked_in_the_next_run_and_nobody_takes_over(coded: Place) -> None:
    news: list[str] = []
    model, other, later = ScriptedModel(before=fail_on_files), ScriptedModel(), picking()
    chain = FallbackPanel((model.panel(), other.panel()), news.append)
    lines = talk(*coded, [*ANSWERS, *STEP_2], panel=chain)
    assert not [line for line in lines if line.kind == "error"]
    assert len(asked(model)) == 1  # not again at the second step
    assert (news, other.requests) == ([], [])
    assert nearest(model)[0] == "app/forms.py"
    talk(*coded, STEP_2, panel=later.panel())
    assert nearest(later)[0] == "app/outbox.py"


@pytest.mark.rule("TABLE-2")
def test_what_the_user_excludes_is_neither_shown_nor_picked(coded: Place) -> None:
    model, later = picking(), picking({"paths": ["app/outbox.py", "app/basement.py"]})
    talk(*coded, ["app/outbox.py is not touched.", "60 inspectors"], panel=model.panel())
    talk(*coded, STEP_2, panel=later.panel())
    assert not asked(later)
    assert nearest(later)[0] == "app/basement.py"
    assert "| app/outbox.py:" not in shown(later)
    (coded[1] / ".journal" / "picks.json").unlink()
    talk(*coded, STEP_2, panel=later.panel())
    assert "outbox.py" not in asked(later)[0]
    assert nearest(later)[0] == "app/basement.py"


@pytest.mark.rule("TABLE-1")
def test_files_that_hold_keys_are_not_shown(coded: Place) -> None:
    write(coded[0], {".env": "FORMS_OFFLINE_INSPECTORS_SIGNAL=hunter2\n"})
    model = picking()
    talk(*coded, ANSWERS, panel=model.panel())
    assert not [request for request, _ in model.requests if "hunter2" in request or ".env" in request]


def test_the_call_counts_in_what_the_item_has_used(coded: Place) -> None:
    account = BudgetAccount(coded[1], Budget())
    talk(*coded, ANSWERS, panel=picking().panel(meter=account.record_call), account=account)
    purposes = [entry.purpose for entry in ledger.read(coded[1])]
    assert purposes.count("files") == 1
    assert account.item.calls == len(purposes)


@pytest.mark.rule("TABLE-4")
def test_without_code_or_without_a_model_nothing_is_asked(place: Place, coded: Place) -> None:
    model = picking()
    for name in FILES:
        (coded[0] / name).unlink()
    talk(*coded, ANSWERS, panel=model.panel())
    assert not asked(model)
    write(coded[0], FILES)
    talk(*coded, STEP_2, panel=None)
    assert not (coded[1] / ".journal" / "picks.json").exists()
    host = HostPanel(lambda _: None)
    assert host.kind == "host"
    assert asyncio.run(host.answer(AskFiles(ITEM, "", ""))) is None


# --- in the survey ---------------------------------------------------------------------------------------


def test_picks_lead_findings_lists_and_drafts(tmp_path: Path) -> None:
    root = write(tmp_path, FILES)
    found = survey(root, ITEM, picked=["app/outbox.py", "no/such.py", "post/courier.py"])
    assert [file.path for file in found.findings[:3]] == ["app/outbox.py", "post/courier.py", "app/forms.py"]
    assert [file.path for file in found.radius[:2]] == ["app/outbox.py", "post/courier.py"]
    assert "Likely: `app/outbox.py:1` and `post/courier.py:1`." in (
        draft_answer(found, "02-01", "Touched") or ""
    )
    assert (draft_answer(found, "00-02", "Files") or "").startswith("`app/outbox.py:1`; `post/courier.py:1`")


def test_picks_change_no_size(tmp_path: Path) -> None:
    files = FILES | {f"post/{number}/part.py": "def carry() -> None: ...\n" for number in range(12)}
    root = write(tmp_path, files)
    found = survey(root, ITEM, picked=sorted(files))
    assert found.picked == tuple(sorted(files))
    assert draft_answer(found, "00-03", "Scope") == draft_answer(survey(root, ITEM), "00-03", "Scope")


def test_words_find_what_the_item_does_not_say(tmp_path: Path) -> None:
    root, told = write(tmp_path / "app", FILES), tmp_path / "told"
    write(told, {"app-1.json": json.dumps({"words": ["deliver_later"]})})
    model = RecordedModel(None, told)
    assert "post/courier.py" not in {file.path for file in survey(root, ITEM).radius}
    assert "post/courier.py" in {file.path for file in model.pick(root, ITEM, "app-1").radius}


def test_folders_are_shown_to_their_second_level_with_what_is_below_but_no_secrets() -> None:
    paths = [".env", "a.py", "src/app/b.py", "src/app/deep/c.py", "src/d.py"]
    assert lookup.list_folders(paths) == "./ a.py\nsrc/app/ b.py deep/c.py\nsrc/ d.py"
    many = lookup.list_folders([f"src/{number}/{part}.py" for number in range(300) for part in range(40)])
    assert len(many.splitlines()) == 300
    assert many.startswith("src/0/ 0.py 1.py 2.py 3.py\n")


def test_an_empty_file_that_is_named_like_the_item_is_not_listed_by_its_line(coded: Place) -> None:
    write(coded[0], {"forms/offline/__init__.py": ""})
    model = picking()
    talk(*coded, ANSWERS, panel=model.panel())
    assert nearest(model)[0] == "app/outbox.py"
    assert "forms/offline/__init__.py" not in nearest(model)


def test_the_bench_asks_what_the_program_asks_and_reads_replies_through_it(tmp_path: Path) -> None:
    root, told = write(tmp_path / "app", FILES), tmp_path / "told"
    write(told, {"app-1.json": json.dumps(PICKS), "app-2.json": "No."})
    model = RecordedModel(tmp_path / "ask", told)
    assert model.pick(root, ITEM, "app-1").radius[0].path == "app/outbox.py"
    assert model.pick(root, ITEM, "app-2").radius[0].path == "app/forms.py"
    request = (tmp_path / "ask" / "app-1.md").read_text(encoding="utf-8")
    assert "| Offline forms\n" in request
    assert "| app/forms.py:1 def fill_forms(" in request
    assert request.rstrip().endswith("and that the item does not say.")
    assert model.answered == 2


def test_the_code_is_read_once_for_the_same_documents(coded: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    root, item = coded
    find = Mock(wraps=lookup.find_excerpts)
    monkeypatch.setattr(lookup, "find_excerpts", find)
    surveyor = Surveyor(root, item)
    first = surveyor.excerpts(ITEM, ())
    assert surveyor.excerpts(ITEM, ()) is first
    surveyor.excerpts(ITEM, (Material("quick-scan.md", "It is in app/outbox.py:1."),))
    assert find.call_count == 2
