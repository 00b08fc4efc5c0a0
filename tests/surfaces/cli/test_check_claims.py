"""`check` finds what a misbehaving host wrote: invented paths and figures, decisions of nobody (ART-8)."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from commandline import CommandLine, command_line

AT = "2026-02-20T14:30:00.000Z"
TRANSCRIPT = f"""<!-- Transcript: step 01-03, {AT} -->

# Elaboration of step 01-03: User Experience & Journeys

- **Turns**: 3 of 10

## Discussion

<a id="turn-1"></a>
**1. Maya Chen (Business Analyst)**

Inspectors retype 40 forms a day. Who decides when two copies differ?

<a id="turn-2"></a>
**2. Alex Rivera (Solutions Architect)**

All tablets could be replaced by phones.

<a id="turn-3"></a>
**3. User**

We go with merging field by field; a lost form costs 40 euros.

> - Holds a decision.

## Synthesis

### Key Insights

- [Maya] Inspectors retype 40 forms a day. ([turn 1](#turn-1))

### Decisions Made

- [User] Copies are merged field by field: a lost form costs 40 euros ([turn 3](#turn-3))
- [Alex] Every tablet goes: phones are cheaper ([turn 2](#turn-2))
- [User] The office is told: reason not given (added in the review)
"""
RECORD = {
    "step_id": "01-03",
    "turn_count": 3,
    "personas_active": ["business-analyst", "solutions-architect", "system-designer"],
    "timestamp": AT,
    "synthesis_summary": "Settled who decides when answers differ",
}


class Documents:
    """An item whose one document has an elaboration block, and the transcript of its discussion."""

    def __init__(self, line: CommandLine) -> None:
        self.line = line
        self.folder = line.add()
        meta = json.loads((self.folder / "meta.json").read_text())
        meta |= {"steps_completed": ["01-01", "01-02", "01-03"], "elaborations": [RECORD]}
        (self.folder / "meta.json").write_text(json.dumps(meta))
        (self.folder / "elaborations").mkdir()
        self.transcript = self.folder / "elaborations" / "01-03-1.md"
        self.transcript.write_text(TRANSCRIPT)
        (line.root / "forms").mkdir()
        (line.root / "forms" / "sync.py").write_text("one\ntwo\n")

    def check(
        self, *, insight: str = "", decision: str = "", silent: bool = False, after: str = ""
    ) -> list[tuple[str, str]]:
        """What `check` finds of claims where the block has this insight and this decision."""
        lines = [
            "# Requirements\n\n## 3. User Journeys\n\nA tablet in a basement, 60 of them.\n",
            f"<!-- Elaboration: step 01-03, {AT} -->\n",
            "### Elaboration Insights (Step 01-03: User Experience & Journeys)\n",
            "**Participants**: Maya Chen (BA), Alex Rivera (Architect), Jordan Park (Designer)",
            f"**Turns**: 3 | **Exit**: user-initiated{' | **User**: silent' if silent else ''}\n",
            f"#### Key Insights\n- {insight or 'None'}\n",
            f"#### Decisions Made\n- {decision or 'None'}\n",
            f"#### Open Questions\n- None\n\n{after}",
        ]
        (self.folder / "requirements-spec.md").write_text("\n".join(lines))
        ran = self.line.run("check", self.folder.name, "--json")
        kinds = ("citation", "claim", "block")
        return [(row["kind"], row["text"]) for row in ran.json["problems"] if row["kind"] in kinds]


@pytest.fixture
def documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Documents:
    return Documents(command_line(tmp_path, monkeypatch))


@pytest.mark.rule("ART-8")
@pytest.mark.parametrize(
    ("insight", "kind", "named"),
    [
        ("[Alex] The retries sit in forms/queue.py.", "citation", "no file forms/queue.py"),
        ("[Alex] The retries sit in `forms/sync.py:9`.", "citation", "the file has 2 lines"),
        ("[Maya] Inspectors retype 4,700 forms a day.", "claim", "4,700"),
        ("[Maya] At least seven of them give up.", "claim", "seven"),
    ],
)
def test_invented_evidence_is_found(documents: Documents, insight: str, kind: str, named: str) -> None:
    ((found, text),) = documents.check(insight=insight)
    assert found == kind
    assert named in text


@pytest.mark.rule("ART-8")
@pytest.mark.parametrize(
    "insight",
    [
        "[Maya] Inspectors retype 40 forms a day.",
        "[All] 60 tablets are in basements, see `forms/sync.py:2`.",
        "[Alex] The retries sit in `forms/queue.py:41` (unverified) and lose 900 (unverified) forms.",
    ],
)
def test_what_is_borne_out_or_marked_is_no_problem(documents: Documents, insight: str) -> None:
    assert documents.check(insight=insight) == []


@pytest.mark.rule("ART-8")
def test_feedback_below_a_block_is_no_claim_of_the_discussion(documents: Documents) -> None:
    feedback = f"<!-- Feedback: step 01-03, {AT} -->\n\n- **Feedback**: It is 77 of them in forms/new.py.\n"
    assert documents.check(after=feedback) == []


@pytest.mark.rule("ART-8", "SYN-3")
@pytest.mark.parametrize(
    "decision",
    [
        "Every tablet goes: phones are cheaper",
        "Signatures are deleted after the audit: legal said so",
    ],
)
def test_a_decision_without_a_turn_of_the_users_is_found(documents: Documents, decision: str) -> None:
    ((kind, text),) = documents.check(decision=decision)
    assert kind == "claim"
    assert decision[:20] in text


@pytest.mark.rule("ART-8", "SYN-3")
@pytest.mark.parametrize(
    "decision",
    [
        "Copies are merged field by field: a lost form costs 40 euros",
        "The office is told: reason not given",
        "Merging is done per field, as reworded by hand: a lost form costs 40 euros",
        "Signatures are deleted (unverified): reason not given",
    ],
)
def test_a_decision_of_the_users_is_no_problem(documents: Documents, decision: str) -> None:
    assert documents.check(decision=decision) == []


@pytest.mark.rule("ART-8", "SYN-3")
def test_without_a_transcript_only_a_silent_user_is_known_to_have_decided_nothing(
    documents: Documents,
) -> None:
    documents.transcript.unlink()
    assert documents.check(decision="Signatures are deleted: legal said so") == []
    found = documents.check(decision="Signatures are deleted: legal said so", silent=True)
    assert "claim" in [kind for kind, _ in found]


@pytest.mark.rule("ART-8")
def test_what_is_marked_is_listed_and_is_no_problem(documents: Documents) -> None:
    documents.check(insight="[Alex] It is slow (unverified)", decision="Paper goes (unverified): no reason")
    ran = documents.line.run("check", documents.folder.name)
    assert re.search(r'(requirements-spec.md:\d+: unverified: "- .+\(unverified\).*"\n){2}', ran.out)
    rows = documents.line.run("check", documents.folder.name, "--json").json["unverified"]
    assert [(row["file"], row["text"]) for row in rows] == [
        ("requirements-spec.md", '"- [Alex] It is slow (unverified)"'),
        ("requirements-spec.md", '"- Paper goes (unverified): no reason"'),
    ]
