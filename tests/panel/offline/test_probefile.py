"""Probe files: strict about what they say, kind to the rest."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from roundtable.panel.offline.probefile import parse, read_library, read_own, read_probes
from roundtable.panel.offline.probes import ANYBODY, USES
from roundtable.panel.offline.template import Template

GOOD = """
[[probe]]
id = "zoe.night"
persona = "tester"
topics = ["night"]
calls_for = ['\\bnight\\b', '\\bshift\\b']
[[probe.says]]
form = "risk"
text = "At night {actor} is alone: {says}."
handle = "worry about the night"
insight = "{Actor} is alone at night."
"""


@pytest.fixture
def probes(tmp_path: Path) -> Path:
    folder = tmp_path / ".roundtable" / "probes"
    folder.mkdir(parents=True)
    (folder.parent / "personas").mkdir()
    (folder.parent / "personas" / "tester.md").write_text(
        "---\nkey: tester\nname: Zoe Ash\nrole: Tester\nshort_role: Test\nperspective: testing\n"
        "lens: [tests]\nphases: []\n---\n"
    )
    return folder


@pytest.mark.rule("PERS-3")
def test_the_built_in_files_are_sound() -> None:
    library, problems = read_library(strict=True)
    assert problems == ()
    assert len(library.probes) >= 40
    for persona in ("business-analyst", "solutions-architect", "system-designer"):
        assert len(library.of(persona)) >= 12
    topics = {topic.id for topic in library.topics}
    by_words = [probe for probe in library.probes if not (probe.answer or probe.role or probe.item)]
    assert {topic for probe in by_words for topic in probe.topics} <= topics
    assert all(library.lines(use, "nobody-knows") for use in USES)


@pytest.mark.rule("PERS-3")
def test_every_phrase_can_be_found_again_in_what_was_said() -> None:
    library, _ = read_library()
    values = {
        "thing": "the red form", "actor": "the nurse", "quote": "It works",
        "says": 'the item says "It works"',
        "figure": "8 forms", "word": "fast", "cls": "Form", "fn": "form", "title": "Scope", "item": "Forms",
        "lead": "Mind this: ", "name": "Alex", "their": "point",
    }  # fmt: skip
    for probe in library.probes:
        for phrase in probe.says:
            said = phrase.text.fill(values)
            assert said is not None
            found = phrase.text.recover(said)
            assert found is not None, probe.id
            assert phrase.insight.fill(found) == phrase.insight.fill(values), probe.id
            others = [
                each.id
                for each in library.of(probe.persona)
                for other in each.says
                if other != phrase and other.text.recover(said) is not None
            ]
            assert others == [], probe.id


@pytest.mark.rule("PERS-3")
def test_a_project_adds_and_replaces(probes: Path) -> None:
    known = read_probes()[0][0].id
    (probes / "own.toml").write_text(GOOD + GOOD.replace("zoe.night", known), encoding="utf-8")
    found, problems = read_probes(probes.parents[1])
    assert problems == ()
    by_id = {probe.id: probe for probe in found}
    assert by_id["zoe.night"].persona == "tester"
    assert by_id[known].persona == "tester"
    assert len(found) == len(read_probes()[0]) + 1


@pytest.mark.rule("PERS-3")
@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("{actor} is", "{whoever} is"), "probe zoe.night, text: has the slot {whoever}"),
        (("{Actor} is alone", "{figure} is alone"), "probe zoe.night, insight: has the slot {figure}"),
        (("\\\\bnight\\\\b", "(night"), "probe zoe.night, calls_for: is no regular expression"),
        (("handle =", "handel ="), "probe zoe.night, handel: is not a field here"),
        (("form = \"risk\"\n", ""), "probe zoe.night, form: is missing"),
        (("calls_for = ", "unless = "), "probe zoe.night, calls_for: is missing; this, `answer`"),
        (("topics = [\"night\"]", "topics = \"night\""), "probe zoe.night, topics: must be a list of texts"),
        (("{says}.", "{says} {."), "probe zoe.night, text: has a brace that is no slot"),
        (("calls_for = ", "gap = \"nothing\"\nunless = "), "probe zoe.night, gap: is none of"),
        (("handle =", "against = true\nhandle ="), "probe zoe.night, opposes: is missing"),
        (("calls_for", "role = 'wisch'\ncalls_for"), "probe zoe.night, role: is none of wish, complaint"),
        (("calls_for", "item = 'epic'\ncalls_for"), "probe zoe.night, item: is none of bug, feature"),
        (("calls_for", "answer = 7\ncalls_for"), "probe zoe.night, answer: must be text"),
        (("calls_for", "gap = 'hedge'\nanswer = 'Finish'\nunless"), "probe zoe.night, gap: must be"),
        (("calls_for", "gap = 'hedge'\ncalls_for"), "probe zoe.night, calls_for: either this or `gap`"),
        (("calls_for", "role = 'wish'\nanswer = 'Finish'\nunless"), "probe zoe.night, role: cannot stand"),
    ],
)  # fmt: skip
def test_a_bad_entry_is_named_and_left_out(probes: Path, change: tuple[str, str], complaint: str) -> None:
    old, new = change[0].replace("\\\\", "\\"), change[1]
    assert old in GOOD
    (probes / "own.toml").write_text(GOOD.replace(old, new), encoding="utf-8")
    found, problems = read_probes(probes.parents[1])
    assert "zoe.night" not in {probe.id for probe in found}
    assert len(found) == len(read_probes()[0])
    assert len(problems) == 1
    assert problems[0].text.startswith(f".roundtable/probes/own.toml, {complaint}")


@pytest.mark.rule("PERS-3")
def test_a_file_that_is_no_toml_is_named_and_the_rest_is_read(probes: Path) -> None:
    (probes / "a.toml").write_text("[[probe", encoding="utf-8")
    (probes / "b.toml").write_text(GOOD, encoding="utf-8")
    found, problems = read_probes(probes.parents[1])
    assert "zoe.night" in {probe.id for probe in found}
    assert [problem.file for problem in problems] == [".roundtable/probes/a.toml"]
    assert problems[0].skipped


def test_an_opposed_probe_must_exist(probes: Path) -> None:
    (probes / "own.toml").write_text(GOOD.replace("topics", 'opposes = "no.body"\ntopics'), encoding="utf-8")
    _, problems = read_probes(probes.parents[1])
    assert [problem.reason for problem in problems] == ["opposes 'no.body', which is no probe"]


@pytest.mark.rule("PERS-3")
@pytest.mark.parametrize("more", ["", 'gap = "unanswered"', "calls_for = ['rain']", 'item = "bug"'])
def test_a_probe_may_hang_on_an_answer(probes: Path, more: str) -> None:
    asked = f'answer = "Detour"\nsteps = ["01-03"]\n{more}\nunless = '
    (probes / "answers-zoe.toml").write_text(GOOD.replace("calls_for = ", asked), encoding="utf-8")
    own, _, problems = read_own(probes.parents[1])
    assert problems == ()
    assert [probe.answer for probe in own] == ["Detour"]


@pytest.mark.rule("PERS-3")
@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        ('steps = ["01-03"]', "'Detur' is the label of no question in 01-03"),
        ("", "'Detur' is the label of no question in any step"),
    ],
)
def test_a_label_that_no_step_asks_for_is_named(probes: Path, steps: str, reason: str) -> None:
    asked = f'answer = "Detur"\n{steps}\nunless = '
    (probes / "own.toml").write_text(GOOD.replace("calls_for = ", asked), encoding="utf-8")
    _, _, problems = read_own(probes.parents[1])
    assert [(each.field, each.reason) for each in problems] == [("probe zoe.night, answer", reason)]


@pytest.mark.rule("PERS-3")
def test_a_project_says_what_shows_a_role(probes: Path) -> None:
    (probes / "roles.toml").write_text(
        "[roles.wish]\ncues = ['dream of']\n[roles.hope]\ncues = ['x']\n[roles.cause]\ncues = ['(']\n",
        encoding="utf-8",
    )
    library, problems = read_library(probes.parents[1])
    assert library.roles["wish"].cues == ("dream of",)
    assert [problem.field for problem in problems] == ["roles, hope", "roles, cause, cues"]
    assert library.roles["cause"] == read_library()[0].roles["cause"]


def test_words_that_nobody_wrote_stand_between_other_marks() -> None:
    text = r"{Actor} says \"all is well\" to \"{quote}\"."
    library, _ = parse(GOOD.replace("At night {actor} is alone: {says}.", text))
    assert library.probes[0].says[0].text.text == "{Actor} says 'all is well' to \"{quote}\"."


def test_whoever_has_no_lines_speaks_with_anybodys() -> None:
    library, _ = read_library()
    assert library.lines("last", "stranger") == library.lines("last", ANYBODY)
    assert library.of("stranger") == ()


@pytest.mark.rule("PERS-3")
def test_the_worked_examples_of_the_documentation_are_sound(probes: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "probes.md").read_text(encoding="utf-8")
    examples = [
        each for each in re.findall(r"```toml\n(.*?)```", page, re.DOTALL) if ']]\nid = "clinic' in each
    ]
    for number, each in enumerate(examples):
        (probes / f"clinic-{number}.toml").write_text(each, encoding="utf-8")
    own, replies, problems = read_own(probes.parents[1])
    assert problems == ()
    assert [reply.id for reply in replies] == ["clinic.after-the-handover"]
    assert [probe.id for probe in own] == [
        "clinic.moved", "clinic.detour", "clinic.detour.open", "clinic.by-hand",
    ]  # fmt: skip
    assert own[0].says[0].handle == "patient on the bus"


def test_one_of_several_wordings_is_taken_and_found_again() -> None:
    template = Template("{Nobody|No one} has {told us|said} {asked}, and {actor} waits.")
    values = {"asked": "who signs", "actor": "the clerk"}
    said = {template.fill({**values, "pick": str(n)}) for n in range(40)}
    assert len(said) == 4
    for each in said:
        assert each is not None
        assert template.recover(each) == values
    assert template.fill({**values, "pick": "7"}) == template.fill({**values, "pick": "7"})


def test_an_empty_lead_before_a_quotation_is_found_again() -> None:
    template = Template('{lead}"{quote}": who signs?')
    assert template.recover('"It is sent": who signs?') == {"lead": "", "quote": "It is sent"}
    assert template.recover('As Alex said: "It is sent": who signs?') == {
        "lead": "As Alex said: ",
        "quote": "It is sent",
    }


def test_a_quotation_does_not_stand_alone() -> None:
    library, problems = parse(
        GOOD.replace("At night {actor} is alone: {says}.", "Is {actor} there? {Says}. Nobody sees it.")
    )
    assert problems == ()
    assert library.probes[0].says[0].text.text == "Is {actor} there? {Says}; nobody sees it."
