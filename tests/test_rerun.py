"""Any step may be run again: elaborations and hand edits stay, byte for byte (STEP-5)."""

from __future__ import annotations

from pathlib import Path

import pytest

from drafts import STEPS, ask, example, step_of
from roundtable.artifacts.additions import insert_addition
from roundtable.artifacts.sections import sections
from roundtable.core.commands import WriteStep
from roundtable.drafting import draft
from roundtable.store.outputs import Outputs

BLOCK = (
    "<!-- Elaboration: step {step_id}, 2026-02-20T14:30:00.000Z -->\n\n"
    "### Elaboration Insights (Step {step_id}: T)\n\n#### Key Insights\n- [Maya] Keep me.\n"
)
EDIT = b"\n\nA sentence that a person wrote here.\n"


def run(outputs: Outputs, step_id: str, more: str = "") -> None:
    """The step from its questions' examples, or from other words."""
    step = step_of(step_id)
    answers: dict[str, str | None] = {
        question.label: example(step, question) + more for question in step.questions("standard")
    }
    documents = {each.name: each.text for each in outputs.documents()}
    outputs.write_step(WriteStep(step, draft(ask(step_id, answers), documents)))


@pytest.fixture(scope="module")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The documents of an item after all 24 steps."""
    folder = tmp_path_factory.mktemp("item")
    outputs = Outputs(folder, STEPS)
    for step in STEPS:
        run(outputs, step.step_id)
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.rule("STEP-5", "ART-5")
@pytest.mark.parametrize("step_id", [step.step_id for step in STEPS])
def test_run_again_it_keeps_elaborations_and_hand_edits_and_changes_nothing_outside(
    step_id: str, analysed: dict[str, bytes], tmp_path: Path
) -> None:
    for name, data in analysed.items():
        (tmp_path / name).write_bytes(data)
    step = step_of(step_id)
    pages = [target for target in step.targets if target.output.endswith(".md")]
    for target in pages:
        path = tmp_path / target.output
        block = BLOCK.format(step_id=step_id)
        added = insert_addition(path.read_bytes(), block, topic=step.title, section=target.section)
        end = added.start + added.length
        path.write_bytes(added.document[:end] + EDIT + added.document[end:])
    before = {name: (tmp_path / name).read_bytes() for name in analysed}
    run(Outputs(tmp_path, STEPS), step_id, " And more of it, with 7 cats.")
    written = {target.output for target in step.targets} | set(step.outputs)
    for name in analysed:
        after = (tmp_path / name).read_bytes()
        if name not in written:
            assert after == before[name]
        elif name.endswith(".md"):
            mine = {target.section for target in pages if target.output == name}
            outside = [
                each for each in sections(before[name]) if each.level == 2 and each.heading not in mine
            ]
            for each in outside:
                assert before[name][each.start : each.end].strip() in after
            assert after.count(EDIT.strip()) == len(mine)
            assert after.count(b"- [Maya] Keep me.") == len(mine)
            assert b"7 cats" in after or not mine
