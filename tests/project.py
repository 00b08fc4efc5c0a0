"""A project with one item, and a session on it that a test can talk to."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from roundtable.catalogue import load_steps, read_tracks
from roundtable.catalogue.files import Problem
from roundtable.core.lines import Line
from roundtable.core.steps import Step
from roundtable.runtime.session import Session
from roundtable.store.items import add_item
from roundtable.testing import ScriptedPanel, play_session

STEP = """---
step_id: "{step_id}"
title: {title}
persona: {persona}
depth: standard
outputs: [{outputs}]
---
## Brief Mode
### Point
What is the point?
## Standard Mode
### Point
What is the point?
### Measure
How is it measured?
## Deep Mode
### Point
What is the point?
### Measure
How is it measured?
### Risk
What may go wrong?
## Validation
- Measure | a number | In figures, how much is that?
## Artifacts
{targets}
"""
TEXT = "Offline forms\n\nInspectors fill in forms in basements without signal."


ANSWERS = ("The inspector retypes forms.", "60 inspectors")
"""What completes the first of the small steps."""


def project(tmp: Path) -> tuple[Path, Path]:
    """A project folder and the folder of its one item."""
    tmp.mkdir(exist_ok=True)
    return tmp, add_item(tmp, TEXT, commit=None)


def small_steps(root: Path) -> None:
    """Replace the built-in steps by two per phase with two short questions each."""
    leads = {"00": "business-analyst", "01": "business-analyst", "02": "solutions-architect",
             "03": "solutions-architect", "04": "system-designer"}  # fmt: skip
    from roundtable.catalogue import load_steps

    for step in load_steps():
        phase = step.phase
        assert phase is not None
        folder = root / ".roundtable" / "steps" / phase.key
        folder.mkdir(parents=True, exist_ok=True)
        output = step.outputs[0] if step.outputs[0].endswith(".md") else "requirements-spec.md"
        text = STEP.format(
            step_id=step.step_id, title=json.dumps(step.title), persona=leads[phase.number], outputs=output,
            targets=f"- {output} | {step.section(step.outputs[0]) or step.title}",
        )  # fmt: skip
        keep = int(step.step_id[3:]) <= 2
        (folder / f"{step.step_id}.md").write_text(
            text if keep else text.replace("depth: standard", 'depth: standard\nskip_if: "true"')
        )


def read_steps(root: Path | None = None) -> tuple[tuple[Step, ...], tuple[Problem, ...]]:
    """Return the steps of a project, and what is wrong with the files of its steps and tracks."""
    return load_steps(root), read_tracks(root)[1]


def talk(root: Path, item: Path, words: Iterable[str], **options: Any) -> list[Line]:
    """What a session shows while the words last; they may be callables' results, one message each."""
    options.setdefault("panel", ScriptedPanel())
    return play_session(Session(root, item.name, **options), words)


def kinds(lines: Iterable[Line]) -> list[str]:
    return [line.kind for line in lines]


def texts(lines: Iterable[Line], kind: str) -> list[str]:
    return [line.text for line in lines if line.kind == kind]


def meta(item: Path) -> dict[str, Any]:
    found = json.loads((item / "meta.json").read_text())
    assert isinstance(found, dict)
    return found
