"""The fixed texts at their edges: articles, full stops, long names, and what an error says."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from people import ALEX, JORDAN, MAYA, ROSTER, STEPS, step
from roundtable.core import lines
from roundtable.core.errors import OutsideFailure
from roundtable.core.lines import continue_sentence
from roundtable.core.progress import Progress, find_position, find_remaining_steps
from roundtable.core.steps import PHASES, Step, Target
from roundtable.core.synthesis import Draft, Entry, problems, render, shorten_text, summary
from roundtable.core.turns import Turn


@pytest.mark.rule("FRAME-1")
@pytest.mark.parametrize(
    ("noun", "article"),
    [
        *[("architecture", "an"), ("engineer", "an"), ("issue", "an"), ("option", "an"), ("ugly", "an")],
        *[
            ("unit", "a"),
            ("user", "a"),
            ("European", "a"),
            ("one-off", "a"),
            ("utility", "a"),
            ("design", "a"),
        ],
        *[(" Usage", "a"), ("x-ray", "a"), ("", "a")],
    ],
)
def test_an_article_follows_the_sound(noun: str, article: str) -> None:
    assert lines.article(noun) == article


@pytest.mark.rule("FRAME-1")
@pytest.mark.parametrize(
    ("summary_", "landed"), [("Done", "Done."), ("Done.", "Done."), ("Done!", "Done!"), ("Done?", "Done?")]
)
def test_a_framing_s_summary_ends_like_a_sentence_and_once(summary_: str, landed: str) -> None:
    framing = lines.framing_text(Step("01-03", "T", "", "brief", ()), f" {summary_} ", " Why? ", ALEX)
    assert framing == (
        f"We just covered T. Here is where we landed: {landed}\n\n"
        "I think we could benefit from all our perspectives on this specific question: Why?\n\n"
        "Alex, what is your take from an architecture perspective?"
    )


@pytest.mark.rule("ENTRY-3")
def test_names_in_the_introduction_are_never_broken() -> None:
    long = replace(JORDAN, name="J" * 80, role="R")
    shown = lines.introduction([long], title="T", item_name="I", max_turns=3)
    assert f"Bringing\n{'J' * 80}\n(R)\ninto the discussion." in shown
    hyphened = replace(JORDAN, name=f"{'A' * 55} B", role="Front-End-Engineer-Lead-Of-All")
    shown = lines.introduction([hyphened], title="T", item_name="I", max_turns=3)
    assert f"Bringing {'A' * 55} B\n(Front-End-Engineer-Lead-Of-All)\ninto the discussion." in shown


@pytest.mark.rule("ART-6")
def test_a_missing_output_is_said_in_the_fixed_words() -> None:
    assert lines.not_updated("a.md", "file not found") == (
        "Could not update a.md (file not found). Elaboration insights are in the synthesis summary above."
    )


@pytest.mark.rule("GREET-3")
def test_a_summary_loses_its_full_stop_and_nothing_else() -> None:
    assert continue_sentence("Named the risk of MAX.") == "we named the risk of MAX."


def test_a_failure_says_what_failed_what_is_saved_and_what_to_do() -> None:
    failure = OutsideFailure("It failed.", saved="All is saved.", do="Try again.")
    assert str(failure) == "It failed. All is saved. Try again."
    assert (failure.failed, failure.saved, failure.do) == ("It failed.", "All is saved.", "Try again.")
    bare = OutsideFailure("It failed.")
    assert (str(bare), bare.saved, bare.do) == ("It failed.", "", "")


@pytest.mark.rule("STEP-2")
def test_every_missing_dependency_is_named() -> None:
    waiting = step("01-03", "Journeys", depends_on=("01-01", "01-02"))
    left = find_remaining_steps((waiting,), PHASES[1], (), {})
    assert left.warnings == (
        "Step 01-03 (Journeys) is skipped, because steps 01-01 and 01-02 are not complete.",
    )


@pytest.mark.rule("STEP-2", "STEP-3")
def test_the_next_step_is_found_by_the_facts_and_comes_without_warnings() -> None:
    steps = (step("00-01", skip_if='scope == "small"'), step("00-02"), step("00-03", depends_on=("00-09",)))
    for scope, step_id in (("small", "00-02"), ("large", "00-01")):
        found = find_position(steps, Progress(), {"scope": scope})
        assert found is not None
        assert found.step is not None
        assert (found.step.step_id, found.last, found.warnings) == (step_id, None, ())


@pytest.mark.rule("STEP-1")
def test_a_step_names_the_section_of_an_output_where_its_file_does() -> None:
    two = step("01-03", targets=(Target("a.md", "A"), Target("b.md", "B")))
    assert (two.section("b.md"), two.section("a.md"), two.section("c.md")) == ("B", "A", None)
    assert STEPS[0].section("requirements-spec.md") == "3. User Journeys"


# --- synthesis ------------------------------------------------------------------------------------------


@pytest.mark.rule("SYN-4")
def test_the_first_and_the_last_turn_may_be_cited() -> None:
    turns = (Turn(1, MAYA.key, "One."), Turn(2, ALEX.key, "Two."))
    assert problems(Draft(insights=(Entry("Both.", (1, 2)),)), turns) == ()
    assert problems(Draft(insights=(Entry("Odd.", (0, 3)),)), turns) == (
        'Turn 0 does not exist, cited for: "Odd.".', 'Turn 3 does not exist, cited for: "Odd.".',
    )  # fmt: skip


@pytest.mark.rule("META-5")
def test_a_text_is_cut_after_a_word_and_only_where_it_is_too_long() -> None:
    assert shorten_text("ab cd", 5) == "ab cd"
    assert shorten_text("ab cd ef", 4) == "ab cd ..."
    assert shorten_text("ab MAX, and more", 7) == "ab MAX ..."
    assert summary(Draft(summary="x" * 100), "T") == "x" * 100


@pytest.mark.rule("SYN-1")
def test_only_a_full_stop_gives_way_to_the_detail() -> None:
    draft = Draft(decisions=(Entry("Use MAX.", (1,), "it is enough"),))
    block = render(
        draft, Step("01-03", "T", "", "brief", ()), (Turn(1, MAYA.key, "Use MAX."),), ROSTER, "turn-limit"
    )
    assert "\n- Use MAX: it is enough\n" in block
