"""The code on a model's table: what is nearest to the item, never what the user struck or what holds keys."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import Mock

import pytest

from gitproject import git, write
from model_talk import ScriptedModel
from project import ANSWERS, talk
from roundtable.core.steps import Item
from roundtable.core.turns import Material
from roundtable.runtime.surveyor import Surveyor
from roundtable.survey import lookup

Place = tuple[Path, Path]
FILES = {
    "app/forms.py": "def fill_forms(inspectors: list[str]) -> int:\n    return len(inspectors)\n",
    "app/basement.py": "SIGNAL = 0\n\n\ndef has_signal() -> bool:\n    return bool(SIGNAL)\n",
    "app/outbox.py": "def hold_back(letter: str) -> str:\n    return letter\n",
    "tests/test_forms.py": "from app.forms import fill_forms\n\n\ndef test_it() -> None:\n    fill_forms()\n",
}
ITEM = Item("offline-forms", "Offline forms", "Inspectors fill in forms in basements without signal.")
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


def shown(model: ScriptedModel) -> str:
    """The request for the drafts of the step, which has the code on its table."""
    return next(request for request, brief in reversed(model.requests) if '"drafts"' in brief)


def nearest(model: ScriptedModel) -> list[str]:
    """The paths that the drafts' request lists as nearest to the item."""
    listed = shown(model).partition("the files nearest to the item, one line of each:\n")[2]
    return [row[2:].partition(":")[0] for row in listed.partition("\n\n")[0].splitlines() if row[:2] == "| "]


@pytest.mark.rule("TABLE-1")
def test_the_first_request_of_an_item_has_the_nearest_files_and_no_call_goes_before_it(coded: Place) -> None:
    model = ScriptedModel()
    talk(*coded, ANSWERS, panel=model.panel())
    assert model.requests[0][0] == shown(model)
    assert {*nearest(model)[:2]} == {"app/forms.py", "app/basement.py"}
    assert "The code, app/forms.py:1 (the whole file, defines fill_forms)" in shown(model)


@pytest.mark.rule("TABLE-2")
def test_what_the_user_excludes_is_not_shown_at_the_next_step(coded: Place) -> None:
    model, later = ScriptedModel(), ScriptedModel()
    talk(*coded, ["app/forms.py is not touched.", "60 inspectors"], panel=model.panel())
    talk(*coded, STEP_2, panel=later.panel())
    assert nearest(later)
    assert "app/forms.py" not in nearest(later)
    assert "The code, app/forms.py" not in shown(later)


@pytest.mark.rule("TABLE-1")
def test_files_that_hold_keys_are_not_shown(coded: Place) -> None:
    write(coded[0], {".env": "FORMS_OFFLINE_INSPECTORS_SIGNAL=hunter2\n"})
    model = ScriptedModel()
    talk(*coded, ANSWERS, panel=model.panel())
    assert not [request for request, _ in model.requests if "hunter2" in request or ".env" in request]


def test_the_code_is_read_once_for_the_same_documents(coded: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    root, item = coded
    find = Mock(wraps=lookup.find_excerpts)
    monkeypatch.setattr(lookup, "find_excerpts", find)
    surveyor = Surveyor(root, item)
    first = surveyor.excerpts(ITEM, ())
    assert surveyor.excerpts(ITEM, ()) is first
    surveyor.excerpts(ITEM, (Material("quick-scan.md", "It is in app/outbox.py:1."),))
    assert find.call_count == 2
