"""A project adds, replaces and disables personas; bad ones are named and the rest still loads."""

from __future__ import annotations

import json
import os
import time
from importlib.resources import files
from pathlib import Path

import pytest

from people import find_slips
from project import read_steps
from roundtable.catalogue import load_roster, load_steps, read_personas, read_roster
from roundtable.catalogue.files import Problem
from roundtable.core.errors import ContentBroken

PERSONAS = ".roundtable/personas"
BUILT_IN = ("business-analyst", "solutions-architect", "system-designer")


def persona(project: Path, file: str, *, key: str, name: str, more: str = "") -> None:
    text = f"key: {key}\nname: {name}\nrole: Guard\nperspective: security\nlens: [threats]\n{more}"
    write(project, f"{PERSONAS}/{file}", f"---\n{text}---\n")


def write(project: Path, name: str, text: str) -> None:
    path = project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def texts(problems: tuple[Problem, ...]) -> list[str]:
    return [problem.text for problem in problems]


@pytest.mark.rule("PERS-3")
def test_a_project_without_a_folder_has_the_built_in_roster(tmp_path: Path) -> None:
    assert load_roster(tmp_path) == load_roster() == load_roster(tmp_path / "nowhere")
    assert load_roster().keys == BUILT_IN


@pytest.mark.rule("PERS-3")
def test_a_fourth_persona_sits_last_and_may_say_little_about_itself(tmp_path: Path) -> None:
    persona(tmp_path, "b.md", key="legal", name="Team")
    persona(
        tmp_path, "a.md", key="security", name="José Núñez", more="short_role: Sec\nphases: [04-design]\n"
    )
    roster, (problem,) = read_roster(tmp_path)
    assert problem.reason == "04-design is led by Jordan Park and José Núñez; only Jordan Park does it"
    assert roster.keys == (*BUILT_IN, "security", "legal")
    assert (roster["security"].first_name, roster["security"].short_role) == ("José", "Sec")
    assert (roster["legal"].title, roster["legal"].short_role) == ("Team (Guard)", "Guard")


@pytest.mark.rule("PERS-3")
def test_the_same_key_replaces_in_place(tmp_path: Path) -> None:
    persona(tmp_path, "z.md", key="solutions-architect", name="Ada Byron")
    roster, problems = read_roster(tmp_path)
    assert problems == ()
    assert [one.name for one in roster.personas] == ["Maya Chen", "Ada Byron", "Jordan Park"]


@pytest.mark.rule("PERS-3")
def test_the_name_of_a_replaced_or_disabled_persona_is_free_again(tmp_path: Path) -> None:
    persona(tmp_path, "1.md", key="business-analyst", name="Alex Okoro")
    persona(tmp_path, "2.md", key="solutions-architect", name="Maya Ito")
    write(tmp_path, f"{PERSONAS}/3.md", "---\nkey: system-designer\ndisabled: true\n---\n")
    persona(tmp_path, "4.md", key="writer", name="Jordan Lee")
    roster, problems = read_roster(tmp_path)
    assert problems == ()
    assert [one.name for one in roster.personas] == ["Alex Okoro", "Maya Ito", "Jordan Lee"]


@pytest.mark.rule("PERS-3", "PERS-4")
def test_a_disabled_persona_stays_away_and_its_steps_go_to_the_first_without_noise(tmp_path: Path) -> None:
    write(tmp_path, f"{PERSONAS}/off.md", "---\nkey: solutions-architect\ndisabled: true\n---\n")
    roster, problems = read_roster(tmp_path)
    assert (roster.keys, problems) == (("business-analyst", "system-designer"), ())
    steps, problems = read_steps(tmp_path)
    assert problems == ()
    assert {one.persona for one in steps if one.step_id[:2] in ("02", "03")} == {"business-analyst"}


@pytest.mark.rule("PERS-3")
def test_a_persona_of_the_project_can_be_switched_off_in_its_own_file(tmp_path: Path) -> None:
    persona(tmp_path, "a.md", key="guard", name="Ann", more="disabled: true\n")
    assert read_roster(tmp_path) == (load_roster(), ())


@pytest.mark.rule("PERS-4")
def test_everybody_disabled_leaves_nothing_to_run_with(tmp_path: Path) -> None:
    for key in BUILT_IN:
        write(tmp_path, f"{PERSONAS}/{key}.md", f"---\nkey: {key}\ndisabled: true\n---\n")
    assert read_personas(tmp_path)[0] == ()
    assert texts(read_personas(tmp_path)[1]) == [".roundtable/personas, disabled: no persona is left."]
    with pytest.raises(ContentBroken) as raised:
        load_roster(tmp_path)
    assert str(raised.value) == (
        "No persona is left: every one of them is disabled. Nothing was changed. "
        "Take `disabled: true` out of one of the files in .roundtable/personas/."
    )
    assert len(load_steps(tmp_path)) == 24


@pytest.mark.rule("PERS-4")
def test_one_persona_is_enough_to_load(tmp_path: Path) -> None:
    for key in BUILT_IN[1:]:
        write(tmp_path, f"{PERSONAS}/{key}.md", f"---\nkey: {key}\ndisabled: true\n---\n")
    assert load_roster(tmp_path).keys == BUILT_IN[:1]


@pytest.mark.rule("PERS-4")
@pytest.mark.parametrize("name", ["maya Okafor", "MAYA", "Maya"])
def test_two_personas_may_not_share_a_first_name(tmp_path: Path, name: str) -> None:
    persona(tmp_path, "m.md", key="second", name=name)
    roster, problems = read_roster(tmp_path)
    assert roster.keys == BUILT_IN
    assert texts(problems) == [
        ".roundtable/personas/m.md, name: Maya Chen has the same first name; "
        "nobody could tell whom you address. The file is skipped."
    ]


@pytest.mark.rule("PERS-4")
def test_of_two_project_files_with_one_first_name_the_second_is_refused(tmp_path: Path) -> None:
    persona(tmp_path, "1.md", key="first", name="Jose\u0301 Lima")
    persona(tmp_path, "2.md", key="second", name="José Rey")
    roster, problems = read_roster(tmp_path)
    assert roster.keys == (*BUILT_IN, "first")
    assert [(problem.file, problem.field, problem.skipped) for problem in problems] == [
        (".roundtable/personas/2.md", "name", True)
    ]


@pytest.mark.rule("PERS-4")
def test_a_replacement_with_a_taken_first_name_is_refused_and_the_built_in_one_stays(tmp_path: Path) -> None:
    persona(tmp_path, "x.md", key="business-analyst", name="Alex Smith")
    roster, problems = read_roster(tmp_path)
    assert [one.name for one in roster.personas] == ["Maya Chen", "Alex Rivera", "Jordan Park"]
    assert [(problem.file, problem.field) for problem in problems] == [(".roundtable/personas/x.md", "name")]


@pytest.mark.rule("PERS-4")
def test_the_ninth_is_refused(tmp_path: Path) -> None:
    for number, name in enumerate(["Ann", "Ben", "Cem", "Dov", "Eve", "Fay", "Gus"]):
        persona(tmp_path, f"{number}.md", key=f"extra-{number}", name=name)
    roster, problems = read_roster(tmp_path)
    assert roster.keys == (*BUILT_IN, *(f"extra-{number}" for number in range(5)))
    reason = "key: 8 personas are at the table already. The file is skipped."
    assert texts(problems) == [f".roundtable/personas/{number}.md, {reason}" for number in (5, 6)]


@pytest.mark.rule("PERS-3")
def test_a_key_given_twice_counts_once(tmp_path: Path) -> None:
    persona(tmp_path, "1.md", key="guard", name="Ann")
    persona(tmp_path, "2.md", key="guard", name="Ben")
    roster, problems = read_roster(tmp_path)
    assert roster["guard"].name == "Ann"
    assert texts(problems) == [
        ".roundtable/personas/2.md, key: 'guard' is already the key of .roundtable/personas/1.md. "
        "The file is skipped."
    ]


@pytest.mark.rule("PERS-3")
@pytest.mark.parametrize(
    ("more", "field", "reason"),
    [
        ("phases: [05-party]\n", "phases", "must be among 00-quick-scan, 01-requirements"),
        ("favourite: tea\n", "favourite", "is not known here"),
        ("bans: nothing\n", "bans", "must be a list, is text"),
        ("bans: [x]\n", "bans", "must be a group of `field: value` lines, is text"),
        ("bans: [{kind: rude, pattern: x, reason: r}]\n", "bans", "Invalid enum value 'rude'"),
        ("bans: [{kind: form, pattern: x}]\n", "bans", "Object missing required field `reason`"),
        (f"bans: [{{kind: form, pattern: {'x' * 301}, reason: r}}]\n", "bans", "a pattern has plain words"),
    ],
)
def test_a_fault_in_a_field_that_may_be_left_out(tmp_path: Path, more: str, field: str, reason: str) -> None:
    persona(tmp_path, "g.md", key="guard", name="Ann", more=more)
    roster, problems = read_roster(tmp_path)
    assert roster.keys == BUILT_IN
    assert [(one.file, one.field, one.skipped) for one in problems] == [
        (".roundtable/personas/g.md", field, True)
    ]
    assert problems[0].reason.startswith(reason)


@pytest.mark.rule("PERS-3")
@pytest.mark.parametrize(
    ("change", "field", "reason"),
    [
        (("key: guard\n", ""), "key", "is missing"),
        (("key: guard", "key: Guard"), "key", "must be small letters"),
        (("key: guard", "key: user"), "key", "must be small letters"),
        (("name: Ann", "name: yes"), "name", "must be text, is true or false; put it in quotes"),
        (("name: Ann", "name: 7"), "name", "must be text, is a number; put it in quotes"),
        (("name: Ann", "name: '   '"), "name", "is empty"),
        (("name: Ann", "name: 2024-01-01"), "name", "must be text, is a date; put it in quotes"),
        (("name: Ann", 'name: "A\\u0007nn"'), "name", "holds the control character U+0007"),
        (("name: Ann", "name: All of us"), "name", "must begin with a letter"),
        (("name: Ann", "name: Ann [x]"), "name", "must begin with a letter"),
        (("name: Ann", f"name: {'A' * 61}"), "name", "has more than 60 characters"),
        (("role: Guard\n", ""), "role", "is missing"),
        (("perspective: security\n", ""), "perspective", "is missing"),
        (("lens: [threats]\n", ""), "lens", "is missing"),
        (("lens: [threats]", "lens: threats"), "lens", "must be a list, is text"),
        (("lens: [threats]", "lens: [1]"), "lens", "must be text, is a number; put it in quotes"),
        (("lens: [threats]", f"lens: [{'a, ' * 100}b]"), "lens", "has more than 100 entries"),
        (
            ("lens: [threats]", "lens: [t]\ntowards: x"),
            "towards",
            "must be a group of `field: value` lines, is text",
        ),
        (("lens: [threats]", "lens: [t]\ndisabled: maybe"), "disabled", "must be true or false, is text"),
    ],
)
def test_a_persona_without_a_sound_field_is_skipped(
    tmp_path: Path, change: tuple[str, str], field: str, reason: str
) -> None:
    sound = "---\nkey: guard\nname: Ann\nrole: Guard\nperspective: security\nlens: [threats]\n---\n"
    write(tmp_path, f"{PERSONAS}/g.md", sound.replace(*change))
    roster, problems = read_roster(tmp_path)
    assert roster.keys == BUILT_IN
    assert [(one.file, one.field, one.skipped) for one in problems] == [
        (".roundtable/personas/g.md", field, True)
    ]
    assert problems[0].reason.startswith(reason)


@pytest.mark.parametrize(
    "pattern", ["(a+)+b", "a?", ".", r"\bvalue\b", "x|", "|", " ", "-x", "x-", "a(b", "[[a]"]
)
def test_a_pattern_is_plain_words(tmp_path: Path, pattern: str) -> None:
    persona(tmp_path, "g.md", key="guard", name="Ann", more=_ban(pattern))
    roster, problems = read_roster(tmp_path)
    assert "guard" not in roster
    assert problems[0].field == "bans"


@pytest.mark.rule("PERS-3", "VOICE-2")
@pytest.mark.parametrize(
    ("said", "slips"),
    [
        ("It has business value.", True),
        ("A BUSINESS\nVALUE of it", True),
        ("Nobody pays a subbusiness values.", False),
        ("That's ROI, plain and simple.", True),
        ("The roids are gone.", False),
        ("It won\u2019t pay off.", True),
        ("A back-end.", True),
    ],
)
def test_the_words_of_a_ban_are_found_whole_and_in_any_case(tmp_path: Path, said: str, slips: bool) -> None:
    persona(
        tmp_path, "g.md", key="guard", name="Ann", more=_ban("business value | roi|back-end|won't pay off")
    )
    roster, problems = read_roster(tmp_path)
    assert problems == ()
    found = find_slips(said, roster["guard"])
    assert [one.kind for one in found] == ["forbidden"] * slips


def test_the_words_of_a_ban_are_found_quickly_in_any_text(tmp_path: Path) -> None:
    pattern = "|".join(["a a a a a a a a a b"] * 15)
    persona(tmp_path, "g.md", key="guard", name="Ann", more=_ban(pattern))
    roster, problems = read_roster(tmp_path)
    assert problems == ()
    for sign in ("a", "xy", "a ", "a  "):
        before = time.process_time()
        find_slips(sign * 1_000_000, roster["guard"])
        assert time.process_time() - before < 10


def test_a_copy_of_our_own_persona_keeps_all_its_bans(tmp_path: Path) -> None:
    ours = files("roundtable.content").joinpath("personas", "solutions-architect.md").read_text("utf-8")
    folder = tmp_path / ".roundtable" / "personas"
    folder.mkdir(parents=True)
    (folder / "solutions-architect.md").write_text(ours, "utf-8")
    assert read_roster(tmp_path)[1] == ()


def _ban(pattern: str) -> str:
    return f"bans:\n  - kind: form\n    pattern: {json.dumps(pattern)}\n    reason: r\n"


def test_an_edit_of_a_projects_file_counts_at_once(tmp_path: Path) -> None:
    """Also an edit that leaves size and time as they were."""
    folder = tmp_path / ".roundtable" / "personas"
    folder.mkdir(parents=True)
    text = "---\nkey: tester\nname: {} Lind\nrole: Tester\nperspective: user\nlens: [use]\n---\n"
    file = folder / "tester.md"
    for name in ("Nora", "Nils", "Nora"):
        file.write_text(text.format(name))
        os.utime(file, ns=(0, 0))
        assert load_roster(tmp_path)["tester"].first_name == name
        assert read_roster(tmp_path)[1] == read_steps(tmp_path)[1] == ()
    file.unlink()
    assert "tester" not in load_roster(tmp_path)
