"""The documentation says what the code does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import roundtable
from eval.pages import BLIND, draw_transcripts, tabulate_blind, tabulate_sheets
from project import read_steps
from roundtable.catalogue import read_roster
from roundtable.core.elaboration import TRANSITIONS, State
from roundtable.core.lines import Awaits, LineKind
from roundtable.panel.offline.prompts import Prompt, read_project_prompts
from tools.example import GOLDEN, play_example, read_documents
from tools.readme import cut_transcript

ROOT = Path(__file__).parents[1]


def draw_table() -> str:
    """A mermaid state diagram: every transition with the events that make it."""
    moves: dict[tuple[str, str], list[str]] = {}
    for (state, _, event), (_, leads_to) in TRANSITIONS.items():
        for target in leads_to:
            names = moves.setdefault((state.value, target.value), [])
            if event.__name__ not in names:
                names.append(event.__name__)
    lines = ["stateDiagram-v2", f"    [*] --> {State.ENTRY}"]
    lines += [f"    {start} --> {end}: {', '.join(names)}" for (start, end), names in moves.items()]
    lines += [f"    {state} --> [*]" for state in (State.ENTRY, State.STATE_PERSIST)]
    return "\n".join(lines)


def test_the_diagram_in_the_docs_is_made_from_the_table() -> None:
    assert f"```mermaid\n{draw_table()}\n```" in (ROOT / "docs" / "architecture.md").read_text()


def test_the_readme_and_the_golden_example_are_what_one_gets() -> None:
    page = (ROOT / "README.md").read_text()
    block = page.partition("<!-- made by tools/readme.py -->\n```text\n")[2].partition("```")[0]
    with play_example() as run:
        assert "The analysis is complete." in run.shown
        assert block == cut_transcript(run.shown), "run `python -m tools.readme`"
        assert read_documents(GOLDEN) == read_documents(run.item), "run `python -m tools.example`"
    assert "Updated requirements-spec.md" in block


def test_the_worked_examples_in_the_docs_load(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "content.md").read_text()
    blocks = re.findall(r"`(\.roundtable/[^`]+\.md)`:\n\n```markdown\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 2
    for name, text in blocks:
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
    roster, roster_problems = read_roster(tmp_path)
    steps, step_problems = read_steps(tmp_path)
    assert (roster_problems, step_problems) == ((), ())
    assert "security-engineer" in roster
    assert "01-09" in {step.step_id for step in steps}


def test_the_prompts_in_the_docs_load(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "prompts.md").read_text()
    ((name, text),) = re.findall(r"`(\.roundtable/[^`]+\.toml)`:\n\n```toml\n(.*?)```", page, re.DOTALL)
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_text(text)
    library, problems = read_project_prompts(tmp_path)
    assert problems == ()
    assert (len(library.prompts), len(library.focuses)) == (2, 1)
    fields = {field for field in Prompt.__struct_fields__ if f"`{field}`" not in page}
    assert fields == set(), "docs/prompts.md leaves out a field"


def test_the_transcripts_and_the_tables_of_readings_are_what_one_gets() -> None:
    for name, text in draw_transcripts().items():
        page = (ROOT / "docs" / "transcripts" / f"{name}.md").read_text()
        assert page == text, "run `python -m eval.pages`"
    page = (ROOT / "docs" / "reading.md").read_text()
    for row in (*tabulate_sheets(), *(row for name in BLIND for row in tabulate_blind(name))):
        assert row in page, "run `python -m eval.pages`"


def test_links_between_the_documents_lead_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    assert len(pages) > 5
    for page in pages:
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_public_name_can_be_imported_and_is_listed() -> None:
    for name in roundtable.__all__:
        assert getattr(roundtable, name) is not None
    assert sorted(roundtable.__all__) == roundtable.__all__


def test_every_kind_of_line_is_in_the_docs() -> None:
    text = (ROOT / "docs" / "commands.md").read_text()
    listed = text.partition("`kind` is one of ")[2].partition(".")[0]
    assert set(listed.replace("\n", " ").split(", ")) == set(get_args(LineKind))
    awaited = text.partition("what is waited for: ")[2].partition(".")[0]
    assert set(awaited.replace(" or ", ", ").split(", ")) == set(get_args(Awaits))
