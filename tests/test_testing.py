"""What we ship for tests of personas and steps."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from roundtable.core.errors import PanelFailed
from roundtable.testing import ScriptedPanel, play_step

PAGE = Path(__file__).parents[1] / "docs" / "content.md"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A project with the persona and the step that the docs show."""
    for name, text in re.findall(
        r"`(\.roundtable/[^`]+\.md)`:\n\n```markdown\n(.*?)```", PAGE.read_text(), re.DOTALL
    ):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_the_tests_in_the_docs_pass(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    before = sorted(own.rglob("*"))
    names: dict[str, object] = {}
    exec(code, names)
    tests = [each for name, each in names.items() if name.startswith("test_")]
    monkeypatch.chdir(own)
    assert len(tests) == 2
    for test in tests:
        assert callable(test)
        test()
    assert sorted(own.rglob("*")) == before


def test_a_step_that_does_not_exist_is_said(own: Path) -> None:
    with pytest.raises(ValueError, match="has no step '09-09'"):
        play_step(own, "09-09", [])


def test_the_analysis_goes_on_after_the_step_and_a_failure_is_scripted(own: Path) -> None:
    panel = ScriptedPanel(fails={"take_up": 1})
    answers = ["The office manager.", "Nothing is stored.", "A date in the file.", "Name the office too."]
    with pytest.raises(PanelFailed, match="The model did not answer"):
        play_step(own, "01-09", answers, panel=panel)
    assert panel.asked == ["take_up"]
    played = play_step(own, "01-09", answers, panel=panel)
    assert "[C] Continue to Phase 02" in played.texts("menu")[0]
    assert "Name the office too." in played.documents["requirements-spec.md"]
