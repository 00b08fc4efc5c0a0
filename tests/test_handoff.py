"""The hand-off: one page for whoever builds it, from the documents, each point with its source."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from commandline import CommandLine, command_line
from project import project, small_steps, talk, texts
from roundtable import Project
from roundtable.core.errors import RuleBroken
from roundtable.core.steps import Item
from roundtable.documents.answers import read_answers
from roundtable.documents.handoff import (
    collect_hand_off,
    write_form,
    write_summary,
)
from roundtable.store.meta import keep_corrections

EXAMPLE = Path(__file__).parents[1] / "docs" / "example"
SLUG = "renew-loans"
BUG = """# Bug Report

**Item**: Crash on empty list

## 1. What Happens

<!-- Step 00-01: 10 characters, 00000000 -->

**What Happens**: `head([])` raises IndexError instead of returning None.

**How to Repeat**:

1. Start with an empty list.
2. Call `head`.

- Open question: Since which release?

## 2. Cause, Fix and Test

**Cause**: `src/lists.py:12` reads the first entry without looking.

**Fix**: Return None for an empty list, because the docs promise it.

**Test**: `head([])` is None; fails today with IndexError.

**What Could Break**: Callers that catch IndexError.
"""


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    line = command_line(tmp_path, monkeypatch)
    shutil.copytree(EXAMPLE, line.root / "docs" / "requirements" / SLUG)
    for name in ("loans.py", "koha.py", "reminders.py"):
        (line.root / "library").mkdir(exist_ok=True)
        (line.root / "library" / name).write_text("pass\n" * 40)
    return line


def part(page: str, heading: str) -> str:
    return page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def test_the_page_holds_what_the_builder_needs_each_with_its_source(cli: CommandLine) -> None:
    page = cli.run("handoff").out
    assert page.startswith("# Hand-off: Renew loans by text message\n")
    assert "about 340 times a day. (requirements-spec.md, 1. Business Context)" in part(page, "Problem")
    decisions = part(page, "Decisions")
    assert (
        "- **ADR-001**: Let the gateway call us (architecture-overview.md, ADR-001)\n  - Option A"
        in decisions
    )
    assert (
        "- **ADR-002**: Renewing only the titles of the message that was answered, never all loans of the "
        "number (architecture-overview.md, ADR-002)\n"
        "  - We go with renewing only the titles of the message that was answered, never" in decisions
    )
    assert "in opening hours (architecture-overview.md, ADR-003)" in decisions
    assert decisions.count("Add a check that raises an alarm") == 1
    requirements = part(page, "Requirements and criteria")
    assert "- **FR-001**" in requirements
    assert "\n  - **AC-001-01**: Given a loan that is due in 2 days" in requirements
    places = part(page, "Places to touch")
    assert (
        "- `library/loans.py:28`: renew (" in places and "- `library/gateway.py` (not there yet) (" in places
    )
    assert "desk.py" not in places  # "only looks like it"
    assert "runs the text gateway and charges per message" in part(page, "Contract, rules and fixed points")
    assert "delivered twice and renews twice" in part(page, "Risks")
    test = part(page, "First failing test")
    assert "the second answer says so. (design-summary.md, 1. Design Review)" in test
    asked = part(page, "Open questions")
    assert re.search(
        r"Who signs .*\? \(for somebody who knows the people concerned\) \(requirements-spec.md:37\)",
        asked,
    )
    for section in page.split("\n## ")[1:]:
        points = [line for line in section.splitlines() if line.startswith("- ")]
        assert "\nSource: " in section or all(line.endswith(")") for line in points), section


@pytest.mark.rule("ART-9")
@pytest.mark.parametrize("form", ["page", "agent", "pr", "spec-kit"])
def test_a_question_that_was_answered_stands_there_with_its_answer(cli: CommandLine, form: str) -> None:
    asked = Project(cli.root).open_questions(SLUG)
    number, question = next((at, each) for at, each in enumerate(asked, 1) if "Who signs" in each.text)
    assert cli.run("questions", SLUG, "--answer", str(number), "The council signs.").status == 0
    text = cli.run("handoff", "--for", form, "--json").json["text"]
    assert f"- {question.text} ({question.file}:{question.line})\n  - The council signs. (20" in text
    assert text.count("Who signs") == 1


def test_every_point_stands_in_the_documents(cli: CommandLine) -> None:
    folder = cli.root / "docs" / "requirements" / SLUG
    everything = " ".join(" ".join(path.read_text().split()) for path in folder.iterdir() if path.is_file())
    found = Project(cli.root).hand_off(SLUG)
    points = (
        *found.parts["problem"],
        *found.parts["decisions"],
        *found.parts["risks"],
        *found.parts["first_test"],
        *found.parts["left_out"],
    )
    assert len(points) > 6
    for point in points:
        words = point.text.partition("**: ")[2] or point.text
        assert words in everything, point.text


def test_for_an_agent_and_for_a_pull_request(cli: CommandLine) -> None:
    agent = cli.run("handoff", SLUG, "--for", "agent").out
    assert agent.startswith("# Task: Renew loans by text message\n")
    assert f"The documents of its analysis are in `docs/requirements/{SLUG}`" in agent
    assert "Begin with the first failing test." in agent
    assert "**AC-001-01**" in agent
    request = cli.run("handoff", SLUG, "--for", "pr").out
    assert "- [ ] **AC-001-01**: Given a loan" in part(request, "How to check it")
    assert "## Still open" in request


@pytest.mark.rule("ART-9")
def test_it_is_posted_only_where_somebody_can_say_yes(cli: CommandLine) -> None:
    refused = cli.run("handoff", "--post")
    assert "comes from no tracker" in refused.err
    refused = cli.run("handoff", "--post", "https://github.com/acme/shop/issues/21")
    assert "Nothing was posted" in refused.err and "GH-21 of acme/shop" in refused.err
    assert "# " in refused.err + refused.out  # it was shown


def test_spec_kits_files_have_its_headings_and_overwrite_nothing(cli: CommandLine) -> None:
    ran = cli.run("handoff", SLUG, "--for", "spec-kit")
    folder = cli.root / "specs" / SLUG
    assert ran.out == f"Wrote specs/{SLUG}/spec.md\nWrote specs/{SLUG}/plan.md\n"
    spec, plan = (folder / "spec.md").read_text(), (folder / "plan.md").read_text()
    for heading in ("User Scenarios & Testing", "Requirements", "Success Criteria"):
        assert f"\n## {heading}\n" in spec
    assert "### User Story 1 - Renew loans by text message" in spec
    assert "[NEEDS CLARIFICATION: " in spec
    for heading in ("Summary", "Technical Context", "Constitution Check", "Project Structure"):
        assert f"\n## {heading}\n" in plan
    assert cli.run("handoff", SLUG, "--for", "spec-kit").status == 0  # the same files again
    (folder / "plan.md").write_text("Mine.\n")
    again = cli.run("handoff", SLUG, "--for", "spec-kit")
    assert again.status == 2
    assert "is there already. Nothing was written." in again.err
    assert (folder / "plan.md").read_text() == "Mine.\n"


def test_it_goes_to_a_file_and_to_a_program(cli: CommandLine) -> None:
    assert cli.run("handoff", "--out", "page.md").out == "Wrote page.md\n"
    assert (cli.root / "page.md").read_text() == cli.run("handoff").out
    data = cli.run("handoff", "--json").json
    assert data["text"] == (cli.root / "page.md").read_text()
    assert data["first_test"][0]["source"] == "design-summary.md, 1. Design Review"


def test_a_bug_report_is_read_by_its_labels(tmp_path: Path) -> None:
    root, item = project(tmp_path / "project")
    (item / "quick-scan.md").write_text(BUG)
    found = Project(root).hand_off(item.name)
    problem = [point.text for point in found.parts["problem"]]
    assert problem[0] == "**What Happens**: `head([])` raises IndexError instead of returning None."
    assert found.parts["problem"][1].details == ("Start with an empty list.", "Call `head`.")
    assert [point.text for point in found.parts["decisions"]] == [
        "**Fix**: Return None for an empty list, because the docs promise it."
    ]
    assert problem[2] == "**Cause**: `src/lists.py:12` reads the first entry without looking."
    assert found.parts["first_test"][0].text == "**Test**: `head([])` is None; fails today with IndexError."
    assert found.parts["risks"][0].text == "**What Could Break**: Callers that catch IndexError."
    assert [point.text for point in found.parts["questions"]] == ["Since which release?"]


@pytest.mark.parametrize("form", ["page", "agent", "pr", "plan"])
def test_places_are_also_files_that_the_cause_the_first_test_and_insights_name(form: str) -> None:
    report = BUG.replace("without looking.", "without looking; `src/lists.py:30` too. /var/log/a.log tells.")
    report = report.replace("`head([])` is None;", "tests/test\\_lists.py::test_empty: `head([])` is None;")
    report = report.replace("that catch IndexError", "such as src/pages.py:7")
    report += (
        "\n<!-- Elaboration: step 00-01, 2026-11-16T06:27:53.406Z -->\n\n"
        "### Elaboration Insights (Step 00-01: What Happens)\n\n#### Key Insights\n"
        "- [Alex] src/tails.py:3 has the same fault; src/lists.py:30 is called by it\n"
    )
    text = write_form(collect_hand_off(Item("a", "A", ""), {"bug-report.md": report}, ()), form, folder="f")
    assert (
        "\n- `src/lists.py:12`: reads the first entry without looking (bug-report.md, 2. Cause, Fix and Test)"
        "\n- `src/lists.py:30`: too (bug-report.md, 2. Cause, Fix and Test)\n"
        "- `src/tails.py:3`: has the same fault (bug-report.md:33, roundtable on step 00-01)\n"
        "- `tests/test_lists.py`: the first test (bug-report.md, 2. Cause, Fix and Test)\n"
    ) in text
    assert "- `src/pages.py:7`" not in text
    small = PLAN.replace("**Places**: src/ui.py:840", "**Decision**: Widen src/ui.py:840 (unverified)")
    found = collect_hand_off(Item("a", "A", ""), {"change-plan.md": small}, ())
    first, *_ = found.parts["places"]
    assert first.text.startswith("`src/ui.py:840`") and first.text.endswith("(unverified)")


FENCED = BUG.replace(
    "**Test**: `head([])` is None; fails today with IndexError.",
    "**Test**:\n\n```text\ndef test_head():\n    assert head([]) is None\n```",
)


def test_a_test_that_is_code_stands_in_every_form() -> None:
    found = collect_hand_off(Item("a", "A", ""), {"bug-report.md": FENCED}, ())
    code = "\n\n  ```text\n  def test_head():\n      assert head([]) is None\n  ```\n"
    assert f"- **Test**: (bug-report.md, 2. Cause, Fix and Test){code}" in write_form(found, "page")
    assert "see it fail for the reason that it names" in write_form(found, "agent", folder="f")
    assert code in write_form(found, "agent", folder="f")
    assert f"- [ ] **Test**: (bug-report.md, 2. Cause, Fix and Test){code}" in write_form(
        found, "pr", folder="f"
    )
    assert code in write_form(found, "plan", date="2026-11-16")
    assert "First failing test: see the page (bug-report.md" in write_summary(found, "x")
    assert write_summary(found, "x").startswith("For the developer who builds it: 0 requirements, ")


PLAN = """# Change Plan

**Item**: Take a path

## 1. Scope and Requirement

**Acceptance**: Given a path p, when edit(p) is called, it opens; the same with [p]. mypy accepts both.

**Left Out**: None.

## 2. Places, Decision and Test

**Places**: src/ui.py:840 and src/ui.py:850 (the two signatures), src/_impl.py:7 (the annotation), \
tests/test_ui.py and a new tests/typed.py. src/types.py is not edited, but docs/ui.md:3 loses a note. \
src/utils.py only looks like it.

**Risk**: In Client.send (src/client.py:70) a hook that raises would leave it open.

**Test**: test_path in tests/test_ui.py.

**What Could Break**: src/ui.py:900 reads it and does not change.
"""


def test_feedback_is_no_part_of_a_decision() -> None:
    record = (
        "## 2. Technology Decisions\n\n### ADR-001: PostgreSQL\n\n**Status**: decided\n\n#### Decision\n\n"
        "We keep PostgreSQL\n\n<!-- Feedback: step 03-02, t -->\n\n- **Feedback**: Which version?\n"
    )
    (decision,) = collect_hand_off(Item("a", "A", ""), {"architecture-overview.md": record}, ()).parts[
        "decisions"
    ]
    assert decision.details == ("We keep PostgreSQL",)
    assert read_answers({"architecture-overview.md": record}, "x")["03-02", "Choice"] == "We keep PostgreSQL"


def test_where_people_work_is_no_place_to_touch() -> None:
    spec = "## 4. Technical Context\n\n**Place**: On the ward, by the bed.\n"
    assert collect_hand_off(Item("a", "A", ""), {"requirements-spec.md": spec}, ()).parts["places"] == ()


@pytest.mark.rule("TABLE-2")
def test_places_are_those_that_the_user_named_each_with_its_words(tmp_path: Path) -> None:
    root, item = project(tmp_path / "project")
    (item / "quick-scan.md").write_text(PLAN)
    for name in ("src/ui.py", "src/_impl.py", "src/client.py", "tests/test_ui.py", "docs/ui.md"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("")
    found = Project(root).hand_off(item.name)
    named = [
        "`src/ui.py:840`: the two signatures",
        "`src/ui.py:850`: the two signatures",
        "`src/_impl.py:7`: the annotation",
        "`tests/test_ui.py`: the first test",
        "`tests/typed.py` (not there yet)",
        "`docs/ui.md:3`: loses a note",
        "`src/client.py:70`: a hook that raises would leave it open",
    ]
    assert [point.text for point in found.parts["places"]] == named
    assert [point.text for point in found.parts["requirements"]] == [
        "**Acceptance**: Given a path p, when edit(p) is called, it opens; the same with [p]. "
        "mypy accepts both."
    ]
    assert found.parts["left_out"] == ()
    keep_corrections(item, "_impl.py is not touched. src/ui.py:850 stays as it is.")
    later = [point.text for point in Project(root).hand_off(item.name).parts["places"]]
    assert later == [each for each in named if "_impl.py" not in each and ":850" not in each]


@pytest.mark.rule("TABLE-2")
def test_a_file_in_the_root_or_one_that_is_touched_after_all_is_a_place(tmp_path: Path) -> None:
    root, item = project(tmp_path / "project")
    for name in ("setup.py", "src/cart.py", "src/tax.py", "src/old.py"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("")
    told = (
        "setup.py and ./src/cart.py: rename the class; src/cart.py:1 (the total); 404.html is shown. "
        "src/tax.py is touched after all. ./src/old.py is not touched."
    )
    (item / "impact-analysis.md").write_text(f"# Impact\n\n## 1. Blast Radius\n\n**Touched**: {told}\n")
    named = [point.text.partition(":")[0] for point in Project(root).hand_off(item.name).parts["places"]]
    assert named == ["`setup.py`", "`src/cart.py`", "`src/cart.py", "`src/tax.py`"]


def test_an_answer_about_places_that_names_no_file_stays_in_its_words(static: CommandLine) -> None:
    assert [point.text for point in Project(static.root).hand_off("serve-small-files").parts["places"]] == [
        "**First Edit**: lookup_path in static.py."
    ]
    told = "**Touched**: The whole gateway, and Node.js.\n\n**Places**: src/gate.py, but not the old one.\n"
    found = collect_hand_off(Item("a", "A", ""), {"impact-analysis.md": told}, ()).parts["places"]
    assert [point.text for point in found] == [
        "**Touched**: The whole gateway, and Node.js.", "`src/gate.py`: but not the old one"
    ]  # fmt: skip


STATIC = """# Requirements Spec

## 6. Functional Requirements

### FR-001: Switch it on

- **AC-001-01** Given no argument, when a client asks for /static/app.js, then it gets app.js as today.

### FR-002: Serve the small file

- **AC-002-01** Given dist/app.js.gz, when a client asks for /static/app.js, then it gets the small file.

## 8. Prioritization

| Requirement | What | Priority |
| --- | --- | --- |
| FR-001 | Switch it on | Must |
| FR-002 | Serve the small file | Should |
"""
IMPACT = """# Impact Analysis

**Fixed Points**: The ETag of the plain file.

**First Edit**: lookup_path in static.py.

**Risk**: A request for /static/app.js in dist/app.js could leave the folder.

**Safeguard**: A test with a link that leads out.

**Conditions**: Only with that test.
"""


@pytest.fixture
def static(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    line = command_line(tmp_path, monkeypatch)
    line.run("add", "Serve small files")
    folder = line.root / "docs" / "requirements" / "serve-small-files"
    (folder / "requirements-spec.md").write_text(STATIC)
    (folder / "impact-analysis.md").write_text(IMPACT)
    return line


def test_the_first_failing_test_is_no_criterion_that_holds_today(static: CommandLine) -> None:
    assert part(static.run("handoff").out, "First failing test").startswith("\n- **AC-002-01**")
    assert static.run("handoff", "--for", "pr").out.count("AC-002-01") == 1
    found = collect_hand_off(
        Item("a", "A", ""), {"requirements-spec.md": STATIC.replace("the small file.", "it unchanged.")}, ()
    )
    assert found.parts["first_test"] == ()


@pytest.mark.parametrize("form", ["page", "agent", "pr", "spec-kit"])
def test_every_form_holds_fixed_points_conditions_priorities_and_how_far_it_is(
    static: CommandLine, form: str
) -> None:
    text = static.run("handoff", "--for", form, "--json").json["text"]
    for words in (
        "**Fixed Points**: The ETag of the plain file.",
        "**First Edit**: lookup_path in static.py.",
        "**Safeguard**: A test with a link that leads out.",
        "**Conditions**: Only with that test.",
        "0 of 24 steps of the analysis are done.",
        "(Should)",
    ):
        assert words in text, words
    assert form != "spec-kit" or "### User Story 2 - Serve the small file (Priority: P2)" in text


def test_the_quick_scan_names_places_and_what_success_is() -> None:
    scan = "## 1. Scope\n\n**Files**: app/server.py\n\n**Success**: Mails go from 20 to under 5.\n"
    found = collect_hand_off(Item("a", "A", ""), {"quick-scan.md": scan}, ())
    assert [each.text for each in found.parts["places"]] == ["`app/server.py`"]
    assert [each.text for each in found.parts["requirements"]] == [
        "**Success**: Mails go from 20 to under 5."
    ]


DISCUSSED = """# Spec

## 3. User Journeys

**Dependents**: Only Lena's Excel reads links.db by hand.

**Rules**: \\- links without it never expire in LinkStore.\\_\\_init__

<!-- Elaboration: step 01-03, 2026-11-16T06:27:53.406Z -->

### Elaboration Insights (Step 01-03: User Journeys)

#### Key Insights
- [Alex] The lease of 30 s (courier/queue.py:21) is shorter than the timeout of 60 s (courier/sender.py:12).
- [User] The answer is 400 with {"error": "expires_at is in the past"}
- [User] Nobody reads the mails anyway

#### Decisions Made
- None

#### Open Questions
- None

#### Action Items
- Ask the CRM team for their import: Lena

<!-- Feedback: step 01-03, 2026-11-16T07:27:53.406Z -->

- **Feedback**: support mails should go from 20 to under 5

<!-- Feedback: step 01-03, 2026-11-16T07:28:53.406Z -->

- **Feedback**: what would you do about that?

<!-- Feedback: step 01-03, 2026-11-16T07:29:53.406Z -->

- **Feedback**: not quite
"""


def test_what_was_agreed_beside_the_decisions_is_handed_off() -> None:
    twice = {"quick-scan.md": DISCUSSED.partition("<!-- Feedback")[0], "requirements-spec.md": DISCUSSED}
    found = collect_hand_off(Item("a", "A", ""), twice, ())
    assert [(each.text.partition(" ")[0], each.source) for each in found.parts["findings"]] == [
        ("[Alex]", "requirements-spec.md:14, roundtable on step 01-03"),
        ("[User]", "requirements-spec.md:15, roundtable on step 01-03"),
        ("[User]", "requirements-spec.md:16, roundtable on step 01-03"),
        ("**Feedback**:", "requirements-spec.md, 3. User Journeys"),
        ("**Feedback**:", "requirements-spec.md, 3. User Journeys"),
        ("**Feedback**:", "requirements-spec.md, 3. User Journeys"),
    ]
    assert [each.text for each in found.parts["actions"]] == ["Ask the CRM team for their import: Lena"]
    assert found.parts["contract"][0].text == "**Dependents**: Only Lena's Excel reads links.db by hand."
    page = write_form(found, "page")
    assert "shorter than the timeout of 60 s" in part(page, "Findings and remarks")
    assert "Ask the CRM team" in part(page, "Action items")
    assert "shorter than the timeout" in write_form(found, "plan", date="2026-11-16")


def test_a_decision_is_not_dropped_for_the_words_before_its_first_colon() -> None:
    made = "Option A: the lease is the timeout plus 10 s"
    block = (
        "# Spec\n\n## 3. User Journeys\n\n<!-- Elaboration: step 01-03, 2026-11-16T06:27:53.406Z -->\n\n"
        f"### Elaboration Insights (Step 01-03: User Journeys)\n\n#### Decisions Made\n- {made}\n"
    )
    record = "## 1. Options\n\n### ADR-001: One process\n\n#### Decision\n\nOption A, one process.\n"
    documents = {"requirements-spec.md": block, "architecture-overview.md": record}
    decisions = collect_hand_off(Item("a", "A", ""), documents, ()).parts["decisions"]
    assert [each.text for each in decisions] == ["**ADR-001**: One process", made]


def test_a_record_that_somebody_edited_is_still_handed_off_and_one_of_an_undone_discussion_is_not() -> None:
    block = (
        "# Spec\n\n## 3. User Journeys\n\n<!-- Elaboration: step 01-03, 2026-11-16T06:27:53.406Z -->\n\n"
        "### Elaboration Insights (Step 01-03: User Journeys)\n\n"
        "#### Decisions Made\n- Keep drafts a day: law\n"
    )
    record = (
        "## 4. Review\n\n### ADR-001: Keep drafts a day\n\n"
        "**Status**: decided in the roundtable on step 01-03\n\n"
        "#### Decision\n\nKeep drafts a day, two on weekends.\n\n**Reason**: Law\n"
    )
    documents = {"requirements-spec.md": block, "architecture-overview.md": record}
    edited = collect_hand_off(Item("a", "A", ""), documents, ()).parts["decisions"]
    assert edited[0].details[0] == "Keep drafts a day, two on weekends."
    assert [each.text for each in edited[1:]] == ["Keep drafts a day: law"]
    for other in ("# Spec\n", block.replace("Keep drafts a day: law", "Mail the parents: asked")):
        undone = collect_hand_off(Item("a", "A", ""), documents | {"requirements-spec.md": other}, ())
        assert not [each for each in undone.parts["decisions"] if "drafts" in each.text]


@pytest.mark.rule("ART-8")
def test_a_priority_with_a_mark_is_still_a_priority() -> None:
    marked = STATIC.replace("| Must |", "| Must (unverified) |")
    item, documents = Item("a", "A", ""), {"requirements-spec.md": marked}
    found = collect_hand_off(item, documents, ())
    assert [each.text for each in found.parts["requirements"]] == [
        "**FR-001** (Must (unverified)): Switch it on", "**FR-002** (Should): Serve the small file"
    ]  # fmt: skip
    assert "Switch it on (Priority: P1)" in write_form(found, "spec", date="2026-11-16")
    told = marked.replace("FR-001: Switch it on", "FR-001: Switch it on (unverified)")
    first = collect_hand_off(item, {"requirements-spec.md": told}, ()).parts["requirements"][0]
    assert first.text == "**FR-001** (Must (unverified)): Switch it on (unverified)"


@pytest.mark.rule("ART-8")
def test_what_is_unverified_in_a_document_is_so_on_the_page() -> None:
    report = BUG.replace("without looking.", "without looking; then `src/lists.py:30` (unverified).")
    rows = "| ID | Attribute | Goal | Note |\n|---|---|---|---|\n| NFR-001 | Speed | fast | (unverified) |\n"
    item = Item("a", "Crash (unverified)", "Legal wants it.")
    told = collect_hand_off(item, {"bug-report.md": report, "nfr-matrix.md": rows}, ())
    assert [point.text for point in told.parts["places"] if "lists.py" in point.text]
    assert all("(unverified)" in point.text for point in told.parts["places"] if "lists.py" in point.text)
    assert all("(unverified)" in point.text for point in told.parts["requirements"] if "NFR" in point.text)
    (problem,) = collect_hand_off(item, {}, ()).parts["problem"]
    assert problem.text == "Legal wants it (unverified)"


REAL_ITEMS = EXAMPLE.with_name("real-items")
REAL_FILES = {
    "click": "src/click/termui.py src/click/_termui_impl.py tests/test_termui.py",
    "httpx": "httpx/_client.py docs/advanced.md docs/compatibility.md",
    "requests": "src/requests/sessions.py tests/test_requests.py",
    "rich": "rich/panel.py tests/test_panel.py",
    "starlette": "starlette/responses.py tests/test_responses.py tests/test_staticfiles.py docs/responses.md",
}


@pytest.mark.parametrize("name", REAL_FILES)
def test_the_printed_pages_of_real_items_are_what_the_program_writes_today(name: str, tmp_path: Path) -> None:
    """`UPDATE_SNAPSHOT=1 pytest tests/test_handoff.py` prints them anew.

    How many steps were done stands in meta.json, which is not printed there; so the pages do not say it.
    """
    shutil.copytree(REAL_ITEMS / name, tmp_path / "docs" / "requirements" / name)
    for file in REAL_FILES[name].split():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("")
    page = write_form(replace(Project(tmp_path).hand_off(name), steps=0), "page")
    printed = REAL_ITEMS / name / "hand-off.md"
    if os.environ.get("UPDATE_SNAPSHOT"):
        printed.write_text(page, encoding="utf-8")
    assert page == printed.read_text(encoding="utf-8")
    assert "\n## Places to touch\n" in page and "\n## First failing test\n" in page


def test_an_item_without_documents_has_nothing_to_hand_off(tmp_path: Path) -> None:
    root, item = project(tmp_path / "project")
    with pytest.raises(RuleBroken, match="nothing to hand off yet"):
        Project(root).write_hand_off(item.name, "page", None)


def test_what_is_assumed_stays_with_its_criterion() -> None:
    page = "# A\n\n**Expected**: Katrin sees it. Pia does not. (assumed)\n"
    found = collect_hand_off(Item("a", "A", ""), {"bug-report.md": page}, ())
    assert [each.text for each in found.parts["requirements"]] == [
        "**Expected**: Katrin sees it. Pia does not. (assumed)"
    ]


def test_a_complete_analysis_shows_it_in_short(tmp_path: Path) -> None:
    root, item = project(tmp_path / "project")
    small_steps(root)
    for path in (root / ".roundtable" / "steps").rglob("*.md"):
        path.write_text(
            path.read_text().replace("### Measure", "### First Test").replace("- Measure |", "- Point |")
        )
    words = ["The inspector retypes 40 forms.", "A form survives a lost signal.", "C"]
    lines = talk(root, item, words * 10 + ["C"] * 5)
    assert lines[-1].text.startswith("The analysis is complete.")
    summary = texts(lines, "notice")[-1]
    assert "First failing test: A form survives a lost signal. (quick-scan.md, " in summary
    assert summary.endswith(f"The whole page: roundtable handoff {item.name}")


def test_a_finished_bug_can_be_handed_off_and_its_status_counts_its_own_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = command_line(tmp_path, monkeypatch)
    line.run("add", "Crash when an upload fails\n\nflush() stops at the first form that raises.")
    answers = ["", "Queue two forms, let the first fail.", "", "upload.py:8 has no try.", "Catch per form.",
               "Three forms, the second raises: the third is sent.", "It gets slower.", "C"]  # fmt: skip
    line.run("analyze", answers=answers)
    assert "2 of 2 phases, 2 of 2 steps" in line.run("status").out
    page = line.run("handoff").out
    assert "- **Fix**: Catch per form." in part(page, "Decisions")
    assert "Three forms, the second raises" in part(page, "First failing test")


def test_programs_get_the_fixed_points_by_themselves(cli: CommandLine) -> None:
    data = cli.run("handoff", "--json").json
    assert data["fixed"]
    assert all(each in data["contract"] for each in data["fixed"])
