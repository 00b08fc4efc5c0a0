"""What each section says: every sentence from an answer, an open question, or the skeleton."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from drafts import STEPS, ask, documents, drafted, step_of, write
from people import ITEM, MAYA, ROSTER
from people import step as made_step
from project import project, talk
from roundtable.catalogue import read_tracks
from roundtable.core.commands import Answer, StepBrief
from roundtable.core.progress import read_scope
from roundtable.core.steps import Target
from roundtable.core.text import unescape_markdown
from roundtable.documents import drafting
from roundtable.documents.additions import write_section
from roundtable.documents.answers import read_answers, read_labelled, read_labelled_answers
from roundtable.documents.drafting import draft
from roundtable.documents.outline import read_outline, strip_numbering
from roundtable.store.outputs import find_answered

FEATURES = "A guest sees the free tables\na guest books one without an account"
SEES = "Given 2 free tables, When a guest looks, Then 2 tables are listed."
BOOKS = "Given no account, When a guest books a table, Then a booking exists."
SPEC = """# Requirements Spec

## 6. Functional Requirements

### FR-001: A guest sees the free tables

- **AC-001-01** Given 2 free tables, When a guest looks, Then 2 tables are listed.

### FR-002: A guest books one without an account

- **AC-002-01** Given no account, When a guest books a table, Then a booking exists.
"""


@pytest.mark.rule("STEP-5")
def test_every_writer_belongs_to_a_section_that_a_step_writes() -> None:
    written = {
        (target.output, strip_numbering(target.section))
        for track in read_tracks()[0]
        for step in track.steps
        for target in step.targets
    }
    assert set(drafting._WRITERS) - written == set()


def spec(text: str) -> dict[str, str]:
    return {"requirements-spec.md": f"# Spec\n\n## 6. Functional Requirements\n\n{text}\n"}


def stories(answers: dict[str, str | None], documents: dict[str, str] | None = None) -> dict[str, Any]:
    found = json.loads(drafted("01-07", answers, documents))
    assert isinstance(found, dict)
    return found


def test_labels_on_lines_that_follow_each_other_are_answers_of_their_own() -> None:
    found = read_labelled("## 1. A\n\n**One**: a\n**Two:** b\ngoes on\n\n**Three**:\n\n- c\n  d\n- e\n")
    assert [(each.label, each.text, each.section) for each in found] == [
        ("One", "a", "1. A"), ("Two", "b goes on", "1. A"), ("Three", "c d\ne", "1. A")
    ]  # fmt: skip


@pytest.mark.rule("STEP-5")
@pytest.mark.parametrize(
    ("below", "answer"),
    [
        ("\n\n* one\n* two\n", "one\ntwo"),
        ("\n\n+ one\n+ two\n", "one\ntwo"),
        ("\n\n2023. one\n", "one"),
        ("\n\n- one\n\n  more of one\n- two\n", "one more of one\ntwo"),
        ("\n\n- one\n  * inner\n- two\n", "one\ninner\ntwo"),
        ("\n\n- one\n-\n- two\n", "one\ntwo"),
        ("\n\n- one\n// more\n| of one\n- two\n", "one // more | of one\ntwo"),
        ("\n\n- one\n- **Bold**: two\n", "one\n**Bold**: two"),
        ("\n\n<!-- prettier-ignore -->\n\n- one\n", "one"),
        (" see\n// keep this\nand on\n", "see // keep this and on"),
        (" either\n| or\n", "either | or"),
        ("\n| or\n", "| or"),
        # What belongs to somebody else
        ("\n\n- one\n\ntheirs\n", "one"),
        ("\n\n- one\n- Open question: Who?\n", "one"),
        (" one\n| a | b |\n| --- | --- |\n| c | d |\n", "one"),
        ("\n\n<!-- Feedback: step 03-03, 2026-01-01T00:00:00Z -->\n\n- theirs\n", None),
    ],
)
def test_no_word_of_an_answer_is_lost_however_a_formatter_writes_it(below: str, answer: str | None) -> None:
    step = step_of("03-03")
    (target,) = step.targets
    page = f"# Page\n\n## {target.section}\n\n**Connections**:{below}"
    found = dict(read_labelled_answers(read_outline(page.encode()), step, target.section))
    assert found.get("Connections") == answer
    assert (("03-03", "Connections") in find_answered([step], target.output, page)) == (answer is not None)


@pytest.mark.rule("STEP-5")
def test_after_feedback_without_a_blank_line_comes_an_answer() -> None:
    found = read_labelled("<!-- Feedback: step 01-01, 2026-01-01T00:00:00Z -->\nwords\n\n**One**: a\n")
    assert [(each.label, each.text) for each in found] == [("One", "a")]


def test_an_entry_with_a_label_of_its_own_is_an_answer_where_the_label_above_is_nobodys() -> None:
    found = read_labelled("**More**:\n\n- a\n  - **Risk**: b\n")
    assert [(each.label, each.text) for each in found] == [("More", "a"), ("Risk", "b")]


# --- any section ----------------------------------------------------------------------------------------


@pytest.mark.rule("STEP-4", "STEP-5", "ART-7")
def test_answers_stand_under_their_labels_and_what_is_unknown_is_an_open_question() -> None:
    text = drafted(
        "01-01",
        {
            "Problem": "Forms lose what was typed.",
            "Success": None,
            "Cost of Waiting": "- 6 a week\n# trust\n<!-- x -->",
        },
    )
    assert text == (
        "**Problem**: Forms lose what was typed.\n\n"
        "**Cost of Waiting**:\n\n- 6 a week\n- \\# trust\n- &lt;!-- x --&gt;\n\n"
        "- Open question: Which figure tells you, three months after the release, that it was worth it?"
    )


def test_a_section_without_answers_says_so() -> None:
    assert drafted("01-01", {}) == "No answers were given."


@pytest.mark.rule("SYN-7")
def test_paths_read_as_they_were_typed_and_code_stays_code() -> None:
    text = drafted(
        "02-01", {"Touched": "src/__init__.py:12, `a_b.py` and https://x.org/a.py; see docs/, v1.2"}
    )
    assert text == r"**Touched**: src/\_\_init__.py:12, `a_b.py` and https://x.org/a.py; see docs/, v1.2"


@pytest.mark.rule("SYN-7")
@pytest.mark.parametrize(
    ("typed", "written"),
    [("- 5 degrees", r"\- 5 degrees"), ("1. May", r"1\. May"), ("+ 3 more", r"\+ 3 more"), ("-5", "-5")],
)
def test_a_sign_before_a_single_line_is_kept(typed: str, written: str) -> None:
    assert drafted("02-01", {"Touched": typed}) == f"**Touched**: {written}"


TYPED = (
    "2*3*4 in <tablet_id>.json and [text](https://host/?a=1&b=2) and `a_b` and snake_case and __x__ "
    "and 👩‍👩‍👧 and C:\\*.txt | #1"
)


@pytest.mark.rule("SYN-7", "STEP-5")
@pytest.mark.parametrize("step_id", [step.step_id for step in STEPS])
def test_an_answer_stands_in_the_document_as_it_was_typed(step_id: str, tmp_path: Path) -> None:
    step = step_of(step_id)
    for question in step.questions("standard"):
        folder = tmp_path / question.label
        folder.mkdir()
        write(folder, ask(step_id, {question.label: TYPED}))
        assert any(
            TYPED in unescape_markdown(text) or TYPED in text for text in documents(folder).values()
        ), question.label


def test_fenced_code_is_kept_and_an_open_fence_is_made_harmless() -> None:
    text = drafted("04-02", {"Contract": "The call:\n```python\nquote(1)  # -> 2\n```\nNothing else."})
    assert text == "**Contract**:\n\n- The call:\n\n```python\nquote(1)  # -> 2\n```\n\n- Nothing else."
    assert drafted("04-02", {"Contract": "```\nx"}) == "**Contract**:\n\n- \\`\\`\\`\n- x"
    assert drafted("04-02", {"Contract": "~~~\na\n~~~"}) == "**Contract**:\n\n~~~text\na\n~~~"


@pytest.mark.rule("STEP-7")
def test_a_step_of_a_project_gets_its_answers_as_they_are() -> None:
    targets = (Target("own.md", "1. Own"), Target("own.json", "own"), Target("own.csv", "rows"))
    answers = (Answer("Cost", "What does it cost?", "=1+1"), Answer("Who", "Who pays?", "?", unknown=True))
    step = made_step("01-09", "Own", outputs=("own.md", "own.json", "own.csv"))
    brief = StepBrief(ITEM, replace(step, targets=targets), MAYA, ROSTER, "standard", answers)
    text, data, table = (section.text for section in draft(brief, {}))
    assert text == "**Cost**: =1+1\n\n- Open question: Who pays?"
    assert json.loads(data) == {
        "step": "01-09",
        "item": "offline mode feature",
        "answers": [{"label": "Cost", "text": "=1+1"}],
        "open_questions": ["Who pays?"],
    }
    assert table == "step,label,answer,open\n01-09,Cost,'=1+1,no\n01-09,Who,Who pays?,yes\n"


def test_each_target_gets_its_text() -> None:
    brief = ask("01-06", {"Acceptance": SEES})
    assert [section.target for section in draft(brief, {})] == list(brief.step.targets)


# --- the quick scan -------------------------------------------------------------------------------------


@pytest.mark.rule("DEPTH-1")
@pytest.mark.parametrize(
    ("answers", "text", "found"),
    [
        (
            {"Scope": "Scope: small, complexity: low"},
            "**Scope**: Scope: small, complexity: low",
            ("small", "low"),
        ),
        ({"Scope": "small, low"}, "**Scope**: small, low", ("small", "low")),
        ({"Scope": "medium, complexity: high"}, "**Scope**: medium, complexity: high", ("medium", "high")),
        ({"Scope": "no idea\nlarge"}, "**Scope**:\n\n- no idea\n- large", ("large", None)),
        ({"Scope": "small\nonly the form"}, "**Scope**:\n\n- small\n- only the form", ("small", None)),
        ({"Scope": "small\nno, large"}, "**Scope**:\n\n- small\n- no, large", (None, None)),
        ({"Scope": "small\nlarge"}, "**Scope**:\n\n- small\n- large", (None, None)),
        (
            {"Scope": "medium; the page.", "Complexity": "high, because refunds differ."},
            "**Scope**: medium; the page.\n\n**Complexity**: high, because refunds differ.",
            ("medium", "high"),
        ),
        (
            {"Scope": "- large\n- it has many parts\n- complexity: high"},
            "**Scope**:\n\n- large\n- it has many parts\n- complexity: high",
            ("large", "high"),
        ),
        ({"Scope": "small or medium"}, "**Scope**: small or medium", (None, None)),
        (
            {"Scope": "large, low", "Complexity": "high"},
            "**Scope**: large, low\n\n**Complexity**: high",
            ("large", "high"),
        ),
    ],
)
def test_the_size_stands_under_its_label_so_that_the_depth_can_be_read_from_it(
    answers: dict[str, str | None], text: str, found: tuple[str | None, str | None]
) -> None:
    assert drafted("00-03", answers) == text
    assert read_scope(text) == found


# --- requirements ---------------------------------------------------------------------------------------


def test_each_requirement_has_its_criteria_by_words() -> None:
    text = drafted("01-06", {"Features": FEATURES, "Acceptance": f"{BOOKS} {SEES}"})
    assert f"# Requirements Spec\n\n## 6. Functional Requirements\n\n{text}\n" == SPEC


def test_by_place_where_the_words_do_not_tell() -> None:
    text = drafted("01-06", {"Features": "One\nTwo", "Acceptance": "a is so\nb is so"})
    assert text == "### FR-001: One\n\n- **AC-001-01** a is so\n\n### FR-002: Two\n\n- **AC-002-01** b is so"


def list_criteria(text: str) -> list[str]:
    return re.findall(r"AC-\d+-\d+\*\* \w+ \w+", text)


THREE = "Switch it on with precompressed=True\nServe app.js.gz for gzip\nServe app.js when the .gz is older"


THREE_SPEC = spec(
    "\n\n".join(f"### FR-00{number}: {text}" for number, text in enumerate(THREE.split("\n"), 1))
)


def test_an_id_at_the_start_of_a_line_says_whose_criterion_it_is() -> None:
    said = (
        "Given A file app.js.gz for gzip, it comes.\nFR-003: Given B app.js.gz for gzip, app.js comes.\n"
        "(FR-001) Given C app.js.gz, nothing changes.\nfr-003 - D is an app.js.gz that is gone."
    )
    text = drafted("01-06", {"Features": THREE, "Acceptance": said})
    assert list_criteria(text) == [
        "AC-001-01** Given C", "AC-002-01** Given A", "AC-003-01** Given B", "AC-003-02** D is"
    ]  # fmt: skip
    answers = read_answers(spec(text), "x")["01-06", "Acceptance"]
    assert drafted("01-06", {"Features": THREE, "Acceptance": answers}, spec(text)) == text


def test_a_requirement_without_criteria_says_what_is_open() -> None:
    text = drafted(
        "01-06", {"Features": FEATURES, "Acceptance": SEES, "Rules": "Only guests.", "Refusal": None}
    )
    assert text.partition("### FR-002: ")[2].startswith(
        "A guest books one without an account\n\n- Open question: When does FR-002 count as done: "
        "in which situation, after which action, what do you see?\n\n### Rules and Open Points\n\n"
        "**Rules**: Only guests.\n\n- Open question: When must it say no"
    )


def test_without_features_the_items_title_is_the_requirement() -> None:
    assert (
        drafted("01-06", {"Acceptance": SEES})
        == f"### FR-001: offline mode feature\n\n- **AC-001-01** {SEES}"
    )
    unknown = drafted("01-06", {"Features": None, "Acceptance": SEES})
    assert unknown.startswith("### FR-001: offline mode feature\n")
    assert unknown.endswith(
        "### Rules and Open Points\n\n- Open question: What can a person do afterwards that they cannot "
        "do now? One line for each thing."
    )


def test_criteria_that_nobody_knows_are_asked_for_once() -> None:
    text = drafted("01-06", {"Features": FEATURES, "Acceptance": None})
    assert text.startswith(
        "### FR-001: A guest sees the free tables\n\n### FR-002: A guest books one without an account\n\n"
        "### Rules and Open Points\n\n- Open question: When does each of these features count as done: "
    )


def test_a_long_feature_has_a_short_title_and_its_words_below() -> None:
    long = f"A guest {'very ' * 30}much likes tables. The rest."
    text = drafted("01-06", {"Features": f"{long}\nB", "Acceptance": SEES})
    first, _, body = text.partition("\n\n")
    assert first.startswith("### FR-001: A guest very") and first.endswith("…") and len(first) < 110
    assert body.startswith(long)


def test_headings_end_without_a_sign() -> None:
    text = drafted("01-06", {"Features": "Use C #\nDone!\n...", "Acceptance": "x"})
    assert [line for line in text.split("\n") if line.startswith("###")] == [
        "### FR-001: Use C \\#",
        "### FR-002: Done",
        "### FR-003: Without words",
    ]


@pytest.mark.rule("STEP-5")
def test_ids_stay_with_their_words_when_the_step_runs_again() -> None:
    answers: dict[str, str | None] = {
        "Features": "The cook sees the orders\na guest books one without any account",
        "Acceptance": f"{BOOKS} Given an order, When the cook looks at orders, Then it is listed. "
        "Given a full house, When a guest books a table, Then the next free day is named.",
    }
    told = {"traceability-matrix.csv": "FR-001,AC-001-01\nFR-003,AC-003-01\n"}
    text = drafted(
        "01-06", answers, {"requirements-spec.md": SPEC, "user-stories.json": '["FR-001 AC-001-01"]'}
    )
    assert text == (
        "### FR-003: The cook sees the orders\n\n"
        "- **AC-003-01** Given an order, When the cook looks at orders, Then it is listed.\n\n"
        "### FR-002: A guest books one without any account\n\n"
        f"- **AC-002-01** {BOOKS}\n"
        "- **AC-002-02** Given a full house, When a guest books a table, Then the next free day is named."
    )
    again = drafted("01-06", answers, spec(text) | told)
    assert again == text


@pytest.mark.rule("STEP-5")
def test_the_number_of_what_went_is_given_again_where_nobody_refers_to_it() -> None:
    text = drafted(
        "01-06", {"Features": "The cook sees the orders\nA guest books one without an account"}, spec(SPEC)
    )
    assert [line[:10] for line in text.split("\n") if line.startswith("### FR")] == [
        "### FR-001",
        "### FR-002",
    ]


def test_entries_that_are_numbered_on_one_line_are_requirements() -> None:
    text = drafted("01-06", {"Features": "1. Save it 2. List them 3. Use Python 3 or later"})
    assert [line for line in text.split("\n") if line.startswith("###")] == [
        "### FR-001: Save it", "### FR-002: List them", "### FR-003: Use Python 3 or later"
    ]  # fmt: skip


def test_the_steps_own_examples_are_three_requirements_linked_by_words() -> None:
    features, told = (
        next(each.example for each in step_of(step_id).questions("standard") if each.label == label)
        for step_id, label in (("01-06", "Features"), ("01-07", "Stories"))
    )
    scenario = "Given a table, When it is taken, Then it is not listed"
    criteria = f"{scenario}; FR-002: {scenario}; FR-003: {scenario}."
    page = {"requirements-spec.md": drafted("01-06", {"Features": features, "Acceptance": criteria})}
    assert [line for line in page["requirements-spec.md"].split("\n") if line] == [
        "### FR-001: A guest sees the free tables for tonight", f"- **AC-001-01** {scenario}",
        "### FR-002: A guest books one without an account", f"- **AC-002-01** {scenario}",
        "### FR-003: The waiter sees the booking at the door within a minute", f"- **AC-003-01** {scenario}.",
    ]  # fmt: skip
    found = stories({"Stories": told}, page)
    served = [(each["id"], each["requirements"], each["acceptance"]) for each in found["stories"]]
    assert served == [("US-001", ["FR-001"], ["AC-001-01"]), ("US-002", ["FR-003"], ["AC-003-01"])]
    assert found["open_questions"] == []


def test_an_id_before_a_feature_is_no_part_of_its_title() -> None:
    text = drafted("01-06", {"Features": "FR-001: Guests see tables; FR-002: Guests book"})
    assert re.findall("### .*", text) == ["### FR-001: Guests see tables", "### FR-002: Guests book"]


def test_each_sentence_is_a_requirement_and_each_sentence_a_criterion() -> None:
    text = drafted(
        "01-06",
        {
            "Features": "Get one range of a file. Go on with a download. It starts where it stopped.",
            "Acceptance": "Given a file, when a range is asked for, it comes; also two. mypy accepts it.",
        },
    )
    assert "### FR-001: Get one range of a file\n" in text
    assert "### FR-002: Go on with a download. It starts where it stopped\n" in text
    assert "- **AC-001-01** Given a file, when a range is asked for, it comes; also two.\n" in text
    assert "** mypy accepts it." in text


@pytest.mark.rule("STEP-5")
def test_an_id_that_a_data_file_refers_to_is_not_given_to_another() -> None:
    documents = {"user-stories.json": '{"stories": [{"id": "US-001", "requirements": ["FR-004"]}]}'}
    assert drafted("01-06", {"Acceptance": SEES}, documents).startswith("### FR-001: offline mode feature")
    documents["user-stories.json"] = documents["user-stories.json"].replace("FR-004", "FR-001")
    assert drafted("01-06", {"Acceptance": SEES}, documents).startswith("### FR-002: offline mode feature")


def test_what_is_out_of_scope() -> None:
    assert (
        drafted("01-06", {"Out of Scope": "Paying a deposit."}, at=1) == "**Out of Scope**: Paying a deposit."
    )
    assert "deposit" not in drafted("01-06", {"Out of Scope": "Paying a deposit."})
    assert drafted("01-06", {"Out of Scope": None}, at=1).startswith("- Open question: What do you leave out")
    scan = {"quick-scan.md": "## 1. Scope\n\n**Boundary**: Other towns &lt;3 stay out.\n"}
    assert drafted("01-06", {}, scan, at=1) == "Other towns <3 stay out."
    assert drafted("01-06", {}, at=1) == "- Open question: What is left out on purpose?"


def test_quality_attributes_have_ids_and_risks_have_none() -> None:
    answers: dict[str, str | None] = {
        "Speed": "2 seconds | at most",
        "Reliability": None,
        "Privacy": "Nobody\nat all",
        "Worst Case": "Fire, low.",
    }
    assert drafted("01-05", answers, at=1) == (
        "| Id | Attribute | Measure |\n| --- | --- | --- |\n"
        "| NFR-001 | Speed | 2 seconds \\| at most |\n"
        "| NFR-002 | Privacy | Nobody at all |\n\n"
        "- Open question: When may it be unavailable or wrong, for how long, and who notices?"
    )
    assert drafted("01-05", answers) == (
        "Measured in nfr-matrix.md: NFR-001 (Speed), NFR-002 (Privacy).\n\n**Worst Case**: Fire, low."
    )
    matrix = {"nfr-matrix.md": drafted("01-05", answers, at=1)}
    assert read_answers(matrix, "x")["01-05", "Speed"] == "2 seconds | at most"


@pytest.mark.rule("STEP-5")
def test_an_attribute_keeps_its_id() -> None:
    before = {"nfr-matrix.md": drafted("01-05", {"Speed": "2 s", "Privacy": "x"}, at=1)}
    text = drafted("01-05", {"Privacy": "all", "Access": "y"}, before, at=1)
    assert text.endswith("| NFR-002 | Privacy | all |\n| NFR-001 | Access | y |")


# --- stories and priorities -----------------------------------------------------------------------------


def test_stories_refer_to_requirements_and_criteria() -> None:
    told = (
        "As a guest, I want to see free tables, so that I decide; as an owner, I want to book; also by phone."
    )
    found = stories(
        {"Stories": told, "Proof": "Salma in\n10 s", "Split": None}, {"requirements-spec.md": SPEC}
    )
    assert found["item"] == "offline mode feature"
    assert found["stories"] == [
        {
            "id": "US-001", "as_a": "guest", "i_want": "to see free tables", "so_that": "I decide",
            "requirements": ["FR-001"], "acceptance": ["AC-001-01"],
            "text": "As a guest, I want to see free tables, so that I decide",
        },
        {
            "id": "US-002", "as_a": "owner", "i_want": "to book; also by phone", "so_that": None,
            "requirements": ["FR-002"], "acceptance": ["AC-002-01"],
            "text": "As an owner, I want to book; also by phone.",
        },
    ]  # fmt: skip
    assert found["open_questions"] == [
        "Which story is too large for a week, and where would you cut it so that both halves are of use?",
        "What becomes possible with US-002?",
    ]
    assert found["notes"] == [{"label": "Proof", "text": "Salma in 10 s"}]


@pytest.mark.parametrize(
    ("told", "who", "what", "why"),
    [
        ("As the cook I need a list.", "cook", "a list", None),
        ("As a guest, I would like tea so that I wake up", "guest", "tea", "I wake up"),
        ("Als Gast möchte ich Tische sehen, damit ich plane.", None, None, None),
        ("客として、空席を見たい。", None, None, None),
        ("The cook sees a list.", None, None, None),
    ],
)  # fmt: skip
def test_a_story_of_the_usual_form_has_its_parts(told: str, who: str, what: str, why: str) -> None:
    (story,) = stories({"Stories": told})["stories"]
    assert (story["as_a"], story["i_want"], story["so_that"], story["text"]) == (who, what, why, told)


MENU = spec("### FR-001: A guest sees free tables\n\n### FR-002: A guest cancels an evening booking")


@pytest.mark.parametrize(
    ("told", "served"),
    [
        ("As a guest, I want to cancel a booking, so that I stay home", [["FR-002"]]),
        # Words that several requirements share, or a single one, tell nothing.
        ("As a guest, I want to see the menu, so that I choose", [[]]),
        ("As a guest, I want free tables shown when I cancel a booking, so that I move", [[]]),
        # The order counts where there are as many, and the words of none say otherwise.
        ("As a cat, I want milk, so that I purr\nAs a cow, I want hay, so that I eat",
         [["FR-001"], ["FR-002"]]),
        ("As a guest, I want to cancel a booking, so that I rest\nAs a cow, I want hay, so that I eat",
         [["FR-002"], []]),
    ],
)  # fmt: skip
def test_a_story_serves_what_its_words_clearly_fit_and_else_it_is_asked(
    told: str, served: list[list[str]]
) -> None:
    found = stories({"Stories": told}, MENU)
    assert [each["requirements"] for each in found["stories"]] == served
    left = [each["id"] for each in found["stories"] if not each["requirements"]]
    assert found["open_questions"] == [f"Which requirement does {each} need?" for each in left]


def test_an_unhappy_story_takes_no_place_in_the_order() -> None:
    told = {"Stories": "As a cat, I want milk, so that I purr", "Unhappy Story": "As a cow, I want hay"}
    found = stories({**told}, MENU)["stories"]
    assert [each["requirements"] for each in found] == [[], []]


def test_who_wants_a_story_and_what_for_is_asked_where_it_does_not_say() -> None:
    found = stories({"Stories": "The cook sees a list"})
    assert found["open_questions"] == ["Who wants US-001, and what for?"]


def test_a_story_serves_the_requirements_that_it_names() -> None:
    found = stories({"Stories": "As a guest, I want FR-001 at night."}, {"requirements-spec.md": SPEC})
    assert found["stories"][0]["requirements"] == ["FR-001"]


def test_the_only_requirement_is_what_a_story_is_about() -> None:
    found = stories({"Stories": "As a cat, I want milk."}, spec("### FR-001: Something else"))
    assert found["stories"][0]["requirements"] == ["FR-001"]


@pytest.mark.rule("STEP-5")
def test_stories_keep_their_ids() -> None:
    first = drafted("01-07", {"Stories": "As a cat, I want milk.\nAs a dog, I want a bone."})
    second = drafted(
        "01-07",
        {"Stories": "As a cow, I want hay.\nAs a dog, I want a big bone."},
        {"user-stories.json": first},
    )
    found = json.loads(second)
    assert [story["id"] for story in found["stories"]] == ["US-001", "US-002"]


@pytest.mark.parametrize("broken", ["", "[", "[]", "null", '{"stories": 3}', '{"stories": [3, {"id": 4}]}'])
def test_a_story_file_that_says_nothing_is_no_obstacle(broken: str) -> None:
    assert (
        stories({"Stories": "As a cat, I want milk."}, {"user-stories.json": broken})["stories"][0]["id"]
        == "US-001"
    )


def test_priorities_by_id_and_for_all() -> None:
    documents = {"requirements-spec.md": SPEC + "\n### FR-003: Allergies are noted\n\n### FR-004: Music\n"}
    answers: dict[str, str | None] = {
        "Must": "FR-001. Without it nobody comes.",
        "Should and Could": "Should: FR-002. Could: fr-004 some day.",
        "Won't": "FR-003; the cook asks about allergies.",
    }
    text = drafted("01-08", answers, documents)
    assert text.startswith(
        "| Requirement | What | Priority |\n| --- | --- | --- |\n"
        "| FR-001 | A guest sees the free tables | Must |\n"
        "| FR-002 | A guest books one without an account | Should |\n"
        "| FR-004 | Music | Could |\n"
        "| FR-003 | Allergies are noted | Won't |\n\n"
        "**Must**: FR-001. Without it nobody comes.\n\n"
    )
    everything = drafted("01-08", {"Must": "Must: everything. Nothing can go."}, documents)
    assert everything.count("| Must |") == 4


@pytest.mark.rule("STEP-10")
@pytest.mark.parametrize(
    ("said", "first", "second"),
    [
        ("FR-001 has to be there. FR-002 can wait a week.", "Must", "Should"),
        ("FR-001; FR-002 would be nice to have.", "Must", "Could"),
        ("Seeing the free tables. Booking without an account can wait a week.", "Must", "Should"),
        ("FR-001. FR-002 comes next sprint.", "Must", "Should"),
        ("All of them.", "Must", "Must"),
        ("FR-001. We drop FR-002.", "Must", "Won't"),
    ],
)
def test_priorities_follow_plain_words(said: str, first: str, second: str) -> None:
    text = drafted("01-08", {"Must": said}, {"requirements-spec.md": SPEC})
    assert f"| FR-001 | A guest sees the free tables | {first} |" in text
    assert f"| FR-002 | A guest books one without an account | {second} |" in text


@pytest.mark.rule("STEP-10")
@pytest.mark.parametrize(
    ("said", "priority"),
    [
        ("Must: export a month. choose columns can wait a week. progress could", ""),
        ("Must: export a month. But columns can wait.", ""),
        ("Must: export a month. Could: a hint that says so.", "Must"),
        ("FR-001. The hint can wait.", "Must"),
        ("It has to be there.", "Must"),
        ("The whole of it can wait a week.", "Should"),
    ],
)
def test_a_requirement_whose_parts_differ_in_priority_has_none(said: str, priority: str) -> None:
    spec = "## 6. Functional Requirements\n\n### FR-001: Export a month; choose columns; see progress\n"
    trace = drafted("01-08", {"Priorities": said}, {"requirements-spec.md": spec}, at=1)
    _, row = csv.reader(trace.splitlines())
    assert row[2] == priority


@pytest.mark.rule("STEP-10")
def test_semicolons_in_a_sentence_or_in_code_part_no_requirement() -> None:
    text = drafted(
        "01-06",
        {
            "Features": "The cache is dropped; nothing changes.",
            "Acceptance": "When `a; b; c` runs; it ends.",
        },
    )
    assert text == (
        "### FR-001: The cache is dropped; nothing changes\n\n- **AC-001-01** When `a; b; c` runs; it ends."
    )


def test_a_technology_that_nobody_needs_is_no_decision() -> None:
    assert drafted("03-02", {"Choice": "None."}) == "None.\n\n<!-- None: Choice -->"
    text = drafted("03-02", {"Choice": "None, we keep PostgreSQL", "Reason": "we know it"})
    assert text == "**Choice**: None, we keep PostgreSQL\n\n**Reason**: we know it"


@pytest.mark.rule("STEP-5")
def test_an_answer_that_says_none_is_not_written_and_counts_as_answered() -> None:
    step = step_of("03-03")
    answers: dict[str, str | None] = {
        "Connections": "It calls the router.",
        "Outage": "Not applicable.",
    }
    text = drafted("03-03", answers)
    assert text == "**Connections**: It calls the router.\n\n<!-- None: Outage -->"
    (target,) = step.targets
    page = write_section(b"# Page\n", step_id="03-03", heading=target.section, text=text)
    assert find_answered([step], target.output, page.decode()) == {
        ("03-03", "Connections"), ("03-03", "Outage")
    }  # fmt: skip


BARE_NONES = [
    "None",
    "none.",
    "nothing",
    "Nothing at all.",
    "None, really",
    "not applicable",
    "Not applicable here.",
    "does not apply",
    "None (unverified)",
    "Nothing, none at all",
    "approved",
]
MORE_THAN_NONE = [
    "None of them may write.",
    "Nothing may be lost.",
    "Approved. They asked for a test.",
    "No new key",
    "none, except that anybody can make links, there is no login",
    "none, see app/Python 3.11, stdlib only, nothing may be added",
    "nothing, same as today",
    "None, only Lena's Excel reads links.db by hand",
    "none - the CRM reads the table directly",
    "nothing - well, the CSV import breaks",
    "None, because the old index stays",
    "not applicable (one process)",
    "not needed until June",
    "Nobody",
    "Never",
    "same as before",
]


@pytest.mark.parametrize("words", BARE_NONES)
def test_a_bare_none_is_not_written(words: str) -> None:
    assert drafted("03-03", {"Connections": "A.", "Outage": words}).endswith("A.\n\n<!-- None: Outage -->")


@pytest.mark.parametrize("words", MORE_THAN_NONE)
def test_an_answer_that_says_more_than_none_is_written(words: str) -> None:
    assert drafted("03-03", {"Outage": words}).startswith(f"**Outage**: {words}")


def test_a_none_with_its_reason_is_read_from_a_page_of_an_earlier_version() -> None:
    section = b"## 3. Integration\n\nNone; the hooks are the caller's.\n\n<!-- None: Connections -->\n"
    found = dict(read_labelled_answers(read_outline(section), step_of("03-03"), "3. Integration"))
    assert found == {"Connections": "None; the hooks are the caller's."}


@pytest.mark.parametrize(
    ("words", "title"),
    [
        (
            "We close the response and let the exception of the hook through unchanged.",
            "Close the response and let the exception of the hook through unchanged",
        ),
        (
            "Add a check that raises an alarm after 15 minutes without any call.",
            "Add a check that raises an alarm after 15 minutes without any call",
        ),
        (
            "We try again unless the server says no, because it may be busy.",
            "Try again unless the server says no",
        ),
        (
            "We read the header inside FileResponse, because it is there.",
            "Read the header inside FileResponse",
        ),
    ],
)
def test_the_title_of_a_record_says_the_decision_with_its_condition(words: str, title: str) -> None:
    assert f"### ADR-001: {title}\n" in drafted("03-01", {"Decision": words})


BLOCK = """# Spec

## 3. User Journeys

<!-- Elaboration: step 01-03, 2026-11-16T06:27:53.406Z -->

### Elaboration Insights (Step 01-03: User Journeys)

#### Decisions Made
- We decide for 400 on a bad header: because nobody would see it
- We keep the log: reason not given
- We agreed: one log a day: because the disk is small
- Decision: 503 for all: the proxies know it
"""


def test_each_discussion_has_its_own_record_of_an_option_with_the_question_that_it_answers() -> None:
    asked = "Suppose it comes after all. Option A prepares for it: more work now. Option B: less. Which one?"
    lines = f"""
- We go with option B, because the provider changes: in answer to "{asked}"
- B: reason not given; in answer to "Now or `later`?"; replaces "A"
"""
    block = f"{BLOCK.partition('- We decide')[0]}{lines.lstrip()}"
    other = block.replace("01-03", "01-05")
    text = drafted("03-04", {}, {"requirements-spec.md": block, "nfr.md": other})
    assert re.findall("### (ADR.*)", text) == [
        "ADR-001: Option B",
        "ADR-002: B",
        "ADR-003: Option B",
        "ADR-004: B",
    ]
    decided = "We go with option B, because the provider changes."
    assert f"#### Decision\n\n{decided}\n\n**Asked**: {asked}\n\n###" in text
    reason = '**Reason**: Reason not given; replaces "A"'
    assert f"#### Decision\n\nB.\n\n{reason}\n\n**Asked**: Now or `later`?" in text


@pytest.mark.parametrize(
    ("made", "title", "decision"),
    [
        ('Which store? "Postgres": reason not given', 'Which store? "Postgres"', 'Which store? "Postgres".'),
        ('We agreed: which store? "Postgres": reason not given', 'We agreed: which store? "Postgres"',
         'We agreed: which store? "Postgres".'),
        ('If it breaks: A stops. Which is it? "A": we can', 'If it breaks: A stops. Which is it? "A"',
         'If it breaks: A stops. Which is it? "A".\n\n**Reason**: We can'),
    ],
)  # fmt: skip
def test_a_record_is_titled_with_the_question_and_the_answer(made: str, title: str, decision: str) -> None:
    block = BLOCK.partition("- We decide")[0] + f"- {made}\n"
    text = drafted("03-04", {"Approval": "Approved."}, {"requirements-spec.md": block})
    assert text.startswith(f"### ADR-001: {title}\n")
    assert f"#### Decision\n\n{decision}\n" in text


def test_each_decision_of_a_discussion_has_a_record_with_its_reason() -> None:
    documents = {"requirements-spec.md": BLOCK}
    text = drafted("03-04", {"Approval": "Approved."}, documents)
    assert text == (
        "### ADR-001: 400 on a bad header\n\n**Status**: decided in the roundtable on step 01-03\n\n"
        "#### Decision\n\nWe decide for 400 on a bad header.\n\n**Reason**: Because nobody would see it\n\n"
        "### ADR-002: Keep the log\n\n**Status**: decided in the roundtable on step 01-03\n\n"
        "#### Decision\n\nWe keep the log.\n\n"
        "### ADR-003: One log a day\n\n**Status**: decided in the roundtable on step 01-03\n\n"
        "#### Decision\n\nWe agreed: one log a day.\n\n**Reason**: Because the disk is small\n\n"
        "### ADR-004: 503 for all\n\n**Status**: decided in the roundtable on step 01-03\n\n"
        "#### Decision\n\nDecision: 503 for all.\n\n**Reason**: The proxies know it\n\n"
        "<!-- None: Approval -->"
    )
    documents["architecture-overview.md"] = f"# A\n\n## 4. Review\n\n{text}\n"
    assert drafted("03-04", {"Approval": "Approved."}, documents) == text
    assert drafted("04-05", {"First Test": "One range."}, documents) == "**First Test**: One range."


def test_a_decision_that_begins_with_a_number_keeps_it() -> None:
    page = {"requirements-spec.md": BLOCK.replace("We keep the log:", "1. party login only:")}
    assert "#### Decision\n\n1\\. party login only." in drafted("03-04", {}, page)


@pytest.mark.parametrize(
    "words",
    [
        "It depends on the weather.",
        "All three, nothing can wait.",
        "Everything except the stale check, which can wait.",
        "The first is a must. The rest in the second release.",
        "Serving app.js.gz is a must; the stale check won't be in this release.",
    ],
)
def test_words_that_place_nothing_are_asked_about_once_and_are_no_musts(words: str) -> None:
    text = drafted("01-08", {"Priorities": words}, THREE_SPEC)
    assert text == (
        f"**Priorities**: {words}\n\n"
        "- Open question: Must, should or could FR-001, FR-002, FR-003 be in the release?"
    )


def test_the_question_for_priorities_shows_the_ids(tmp_path: Path) -> None:
    root, item = project(tmp_path / "project")
    (item / "requirements-spec.md").write_text(THREE_SPEC["requirements-spec.md"])
    done = [step.step_id for step in STEPS if step.step_id <= "01-08"]
    (item / "meta.json").write_text(json.dumps({"slug": item.name, "steps_completed": done}))
    lines = talk(root, item, [], reopen="01-08")
    assert "FR-002: Serve app.js.gz for gzip" in "\n".join(line.text for line in lines)


@pytest.mark.rule("STEP-4")
def test_what_phase_00_answered_is_the_draft_for_the_features(tmp_path: Path) -> None:
    root, item = project(tmp_path / "project")
    (item / "quick-scan.md").write_text("# Quick Scan\n\n## 1. Scope\n\n**Afterwards**: They sign at home.\n")
    done = [step.step_id for step in STEPS if step.step_id < "01-06"]
    (item / "meta.json").write_text(
        json.dumps({"slug": item.name, "steps_completed": done, "phases_completed": ["00-quick-scan"]})
    )
    lines = talk(root, item, [""] * 2)
    offered = next(line.text for line in lines if "They sign at home." in line.text)
    assert "step 00-01, Afterwards" in offered


def test_the_review_shows_the_technology_that_was_decided_where_the_options_are_open(tmp_path: Path) -> None:
    root, item = project(tmp_path / "project")
    record = drafted("03-02", {"Choice": "SQLite, because it is there"})
    page = f"# Architecture Overview\n\n## 2. Technology Decisions\n\n{record}\n"
    (item / "architecture-overview.md").write_text(page)
    done = [step.step_id for step in STEPS if step.step_id <= "03-04"]
    (item / "meta.json").write_text(json.dumps({"slug": item.name, "steps_completed": done}))
    shown = "\n".join(line.text for line in talk(root, item, [], reopen="03-04"))
    assert "SQLite, because it is there" in shown
    assert "Do you approve this decision" in shown


def test_what_nobody_placed_is_an_open_question() -> None:
    text = drafted("01-08", {"Must": "FR-002 and FR-009."}, {"requirements-spec.md": SPEC})
    assert "| FR-001" not in text and "FR-009 |" not in text
    assert text.endswith("- Open question: Must, should or could FR-001 be in the release?")


def test_the_only_requirement_needs_no_name_and_no_table() -> None:
    only = spec("### FR-001: Entries are kept")
    assert "FR-001,Entries are kept,Could," in drafted("01-08", {"Must": "Could: the hint."}, only, at=1)
    assert drafted("01-08", {"Must": "Could: the hint."}, only) == "**Must**: Could: the hint."


@pytest.mark.parametrize("words", ["Not now.\n\nMaybe one day.", "It can't be in;", "..."])
def test_words_that_place_nothing_do_not_make_the_only_requirement_a_must(words: str) -> None:
    only = spec("### FR-001: Entries are kept")
    assert "FR-001,Entries are kept,,," in drafted("01-08", {"Priorities": words}, only, at=1)


RANGES = spec(
    "### FR-001: Get one range of a file with 206\n\n### FR-002: Get several ranges in one answer\n\n"
    "### FR-003: Go on with a download with If-Range\n\n### FR-004: Learn from 416 that a range is outside"
)


def test_priorities_by_ids() -> None:
    text = drafted("01-08", {"Must": "Must: FR-001, FR-003 and FR-004. Should: FR-002."}, RANGES)
    table, _, words = text.partition("\n\n")
    assert words == "**Must**: Must: FR-001, FR-003 and FR-004. Should: FR-002."
    rows = [[cell.strip() for cell in line.split("|")] for line in table.split("\n")[2:]]
    assert [(row[1], row[3]) for row in rows] == [
        ("FR-001", "Must"), ("FR-003", "Must"), ("FR-004", "Must"), ("FR-002", "Should")
    ]  # fmt: skip


CARTS = spec(
    "### FR-001: Save the cart\n\n### FR-002: List saved carts\n\n### FR-003: Restore a cart\n\n"
    "### FR-004: Support can look up a cart"
)


@pytest.mark.parametrize(
    ("words", "priorities"),
    [
        ("Only saving the cart is a must, the rest can wait until May", "- - - -"),
        ("Saving the cart, but the list can wait", "- - - -"),
        ("Support first, then the list", "- - - -"),
        ("The cart must be there", "- - - -"),
        ("Must have: save the cart, restore a cart", "- - - -"),
        ("Everything except support is a must: the law asks for it.", "- - - -"),
        ("Everything but the support look-up; that one can come later", "- - - -"),
        ("Must: FR-001. Note that the list must be short.", "Must - - -"),
        ("Should: FR-001. The list must not go out twice", "Should - - -"),
        ("Must: FR-001. The rest can wait.", "Must - - -"),
        ("FR-001 must. FR-001 can wait.", "- - - -"),
        ("Support must wait", "- - - Should"),
        ("Support has to go", "- - - -"),
        ("Support must be left out", "- - - -"),
        ("Support must never come", "- - - -"),
        ("FR-001, FR-002 could", "Could Could - -"),
        ("FR-001 must, FR-002 could wait, FR-003 won't", "Must Should Won't -"),
        ("FR-001 must, FR-002", "Must Must - -"),
        ("Must: all of them", "Must Must Must Must"),
        ("Save must, list should, restore must, support could", "- - Must Could"),
        ("Save must; list should; restore must; support could", "- - Must Could"),
        (
            "Saving and restoring must be in. The list should be. Support look-up is out.",
            "- - - Won't",
        ),
    ],
)
def test_priorities_in_plain_words_go_to_what_is_named_and_the_words_stay(
    words: str, priorities: str
) -> None:
    text = drafted("01-08", {"Priorities": words}, CARTS)
    found = dict(re.findall(r"\| (FR-00\d) \|.*\| ([\w']+) \|", text))
    assert " ".join(found.get(f"FR-00{number}", "-") for number in range(1, 5)) == priorities
    assert f"**Priorities**: {words}" in text
    assert ("Open question" in text) == ("-" in priorities)


def test_a_story_that_names_no_requirement_is_linked_to_none() -> None:
    (story,) = json.loads(drafted("01-07", {"Stories": "The customer's"}, CARTS))["stories"]
    assert story["requirements"] == []


def test_the_trace_joins_requirement_priority_stories_and_criteria() -> None:
    documents = {"requirements-spec.md": SPEC.replace("A guest sees", "=cmd|x, sees")}
    documents["user-stories.json"] = drafted(
        "01-07",
        {"Stories": "As a guest, I want FR-001.\nAs a guest, I want more of FR-001."},
        documents,
    )
    rows = list(csv.reader(io.StringIO(drafted("01-08", {"Must": "FR-002", "Won't": None}, documents, at=1))))
    place = "6. Functional Requirements"
    assert rows == [
        ["requirement", "title", "priority", "stories", "acceptance", "section"],
        ["FR-001", "'=cmd|x, sees the free tables", "", "US-001; US-002", "AC-001-01", place],
        ["FR-002", "A guest books one without an account", "Must", "", "AC-002-01", place],
    ]  # fmt: skip


def test_without_requirements_there_is_a_header_and_the_words() -> None:
    assert drafted("01-08", {"Must": "All of it."}) == "**Must**: All of it."
    assert (
        drafted("01-08", {"Must": "All of it."}, at=1)
        == "requirement,title,priority,stories,acceptance,section\n"
    )


# --- architecture and design ----------------------------------------------------------------------------


def test_the_decision_is_a_record_named_after_the_option_taken() -> None:
    text = drafted(
        "03-01",
        {
            "Forces": "Fresh against quiet.",
            "Options": "Option A: compute it on each request. Option B: keep it up to date. A is simple.",
            "Price": "A: 3 days. B: 8 days.",
            "Decision": "B. If it drifts we go to A.",
            "Reversibility": None,
        },
    )
    assert text == (
        "### ADR-001: Keep it up to date\n\n"
        "**Status**: decided\n\n"
        "#### Context\n\n**Forces**: Fresh against quiet.\n\n"
        "**Options**: Option A: compute it on each request. Option B: keep it up to date. A is simple.\n\n"
        "#### Decision\n\nB. If it drifts we go to A.\n\n"
        "#### Consequences\n\n**Price**: A: 3 days. B: 8 days.\n\n"
        "### Open Points\n\n"
        "- Open question: Which option can be taken back after half a year, and what is lost then?"
    )


@pytest.mark.parametrize(
    ("decision", "title"),
    [
        ("Option A: poll it. Option B: let it call us. B, because of the 60 seconds.", "Let it call us"),
        ("Option A: poll it. Option B: let it call us. So A.", "Poll it"),
        ("Option A: change it here, inside. Option B: rebuild. A, as B is risky.", "Change it here, inside"),
        ("Option A, a check before saving, over option B, a rule engine; one rule.", "A check before saving"),
        ("A queue in the database. Nothing else.", "A queue in the database"),
        ("We keep it; it works.", "Keep it"),
        ("We go with SQLite because it needs no server.", "SQLite"),
        ("We will write to the queue first, since it survives a crash.", "Write to the queue first"),
        ("Option A: rows. Option B: a broker. I take B.", "A broker"),
        ("Rows in the database\nbecause we know them", "Rows in the database"),
    ],
)  # fmt: skip
def test_the_title_of_a_record(decision: str, title: str) -> None:
    assert drafted("03-01", {"Decision": decision}).startswith(f"### ADR-001: {title}\n")


def test_the_reply_to_a_follow_up_is_part_of_the_choice() -> None:
    text = drafted("03-02", {"Choice": "Redis\nFor the queue, as we run it already."})
    assert text.startswith("### ADR-001: Redis\n")
    assert text.endswith("#### Decision\n\n- Redis\n- For the queue, as we run it already.")


def test_without_a_decision_there_is_no_record() -> None:
    text = drafted("03-01", {"Options": "A or B.", "Decision": None})
    assert text.startswith("**Options**: A or B.\n\n- Open question: Which of these options do you take")
    assert "ADR" not in text


@pytest.mark.rule("STEP-5")
def test_records_of_two_sections_share_the_numbers() -> None:
    first = drafted("03-01", {"Decision": "Rows in the database."})
    document = f"# Overview\n\n## 1. Options and Tradeoffs\n\n{first}\n\n## 2. Technology Decisions\n"
    second = drafted(
        "03-02",
        {"Choice": "- A job queue\n- A mail library", "Reason": "Measured."},
        {"architecture-overview.md": document},
    )
    assert [line for line in second.split("\n") if line.startswith("### ")] == [
        "### ADR-002: A job queue", "### ADR-003: A mail library", "### Common to These Decisions"
    ]  # fmt: skip
    assert "\n\n**Reason**: Measured." in second
    whole = {"architecture-overview.md": f"{document}\n{second}\n\n## 4. Review\n"}
    assert (
        drafted("03-02", {"Choice": "- A job queue\n- A mail library", "Reason": "Measured."}, whole)
        == second
    )
    changed = drafted("03-01", {"Decision": "Files on a shared disk."}, whole)
    assert changed.startswith("### ADR-001: Files on a shared disk\n")


def test_the_flow_stands_as_it_was_given() -> None:
    assert drafted("04-03", {"Flow": "form -> table", "Truth": "The table."}) == (
        "**Flow**: form -> table\n\n**Truth**: The table."
    )
    assert drafted("04-03", {"Flow": None}).startswith("- Open question: Follow one real value")


CODE = """
def test_more_than_a_day():
    day = Day(start, end)

    assert day.hours() == 25
---
@pytest.mark.parametrize("n", [1, 2])
def test_x(n):
    assert Day(n).hours == n
---
Traceback (most recent call last):
  File "app/server.py", line 3, in <module>
    main()
KeyError: 'x'
---
class Day:
    hours: int = 3
---
{
  "error": "expired",
  "code": 410
}
---
function hours(day) {
  return day.end - day.start;
}
---
for link in links:
    print(link)
---
if link.expires_at <= now():
    raise Gone
---
java.lang.IllegalStateException: no lease
\tat com.courier.Queue.take(Queue.java:21)
\tat com.courier.Main.main(Main.java:3)
---
Error: boom
    at send (/srv/app/sender.js:12:5)
    at process (/srv/app/main.js:3:1)
---
    def test_x():
>       assert hours() == 25
E       assert 1 == 25
---
Test: def test_x():
    assert hours() == 25
""".strip("\n").split("\n---\n")
NO_CODE = """
the roles:
    admin
    guest
---
Steps:
  1. open the page
  2. press Save
---
if it is late:
    we wait for Ana
---
for everybody in support:
  - a banner
---
- first
  - nested
- second
---
A link that expired
   answers 410
---
Given a link
  When it expired
  Then 410
---
try it twice:
   once with a login, once without
---
we meet
   at noon (or later)
---
import customers
   from the CRM
---
timeout = 30
retries = 3
---
with a login:
    the owner sees all
---
else:
    ask Ana
---
class A customers:
    get it first
""".strip("\n").split("\n---\n")


@pytest.mark.parametrize("code", CODE)
def test_code_keeps_its_form_without_a_fence(code: str) -> None:
    text = drafted("03-03", {"Outage": f"This fails:\n\n{code}\n\nNobody knows why."})
    assert text == f"**Outage**:\n\n```text\nThis fails:\n\n{code}\n\nNobody knows why.\n```"
    (answer,) = read_labelled(f"## 3. Integration\n\n{text}\n")
    assert drafted("03-03", {"Outage": answer.text}) == text


@pytest.mark.parametrize("words", NO_CODE)
def test_lines_that_people_indent_stay_a_list(words: str) -> None:
    entries = [line.strip(" -").removeprefix("1. ").removeprefix("2. ") for line in words.split("\n")]
    assert drafted("03-03", {"Outage": words}) == "\n- ".join(["**Outage**:\n", *entries])
