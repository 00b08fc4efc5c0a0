"""Progress as meta.json tells it, and starting over (GREET-3, STEP-3, META-3)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roundtable.core.progress import Past, Progress
from roundtable.store.meta import facts_of, progress_of, start_over


@pytest.mark.rule("GREET-3", "META-2")
def test_what_is_malformed_is_passed_over() -> None:
    records = [
        {"step_id": "01-03", "synthesis_summary": "Identified\x1b[31m a gap"},
        {"step_id": "01-03", "synthesis_summary": " "},
        {"step_id": 7, "synthesis_summary": "x"},
        {"step_id": "01-04"},
        "x",
    ]
    meta = {
        "steps_completed": ["00-01", 3, None],
        "phases_completed": [[], "00-quick-scan"],
        "elaborations": records,
    }
    assert progress_of(meta) == Progress(("00-01",), ("00-quick-scan",), (Past("01-03", "Identified a gap"),))
    assert progress_of({}) == progress_of({"steps_completed": "00-01"}) == Progress()


@pytest.mark.rule("STEP-3")
def test_only_what_is_known_is_a_fact(folder: Path) -> None:
    assert facts_of(folder, {"source": "jira"}) == {"source": "jira"}
    assert facts_of(folder, {"source": 7}) == facts_of(folder, {"source": " "}) == {}
    (folder / "quick-scan.md").mkdir()
    assert facts_of(folder, {}) == {}


@pytest.mark.rule("META-3", "META-4")
def test_starting_over_forgets_progress_and_nothing_else(folder: Path) -> None:
    path = folder / "meta.json"
    path.write_text(json.dumps({"owner": "Kim", "steps_completed": ["00-01"], "elaborations": [{"a": 1}]}))
    start_over(folder)
    after = json.loads(path.read_text())
    assert (after["steps_completed"], after["phases_completed"]) == ([], [])
    assert (after["owner"], after["elaborations"], after["analysis_status"]) == ("Kim", [{"a": 1}], "raw")
