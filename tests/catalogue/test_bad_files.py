"""Anything may lie in a project's folder; it is named, and the rest still loads (PERS-3, STEP-2)."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from project import read_steps
from roundtable.catalogue import load_roster, load_steps, read_roster, read_tracks
from roundtable.catalogue.files import Problem
from roundtable.panel.offline.prompts import read_project_prompts

SOUND = "---\nkey: guard\nname: Ann\nrole: Guard\nperspective: security\nlens: [threats]\n---\n"
BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{','.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(9)
)


@pytest.fixture
def personas(tmp_path: Path) -> Path:
    folder = tmp_path / ".roundtable" / "personas"
    folder.mkdir(parents=True)
    return folder


def only_problem(project: Path) -> Problem:
    roster, problems = read_roster(project)
    assert len(roster.personas) == 3
    assert len(problems) == 1
    assert problems[0].skipped
    return problems[0]


@pytest.mark.rule("PERS-3")
@pytest.mark.parametrize(
    "data",
    [
        SOUND.encode("utf-8-sig"),
        SOUND.replace("\n", "\r\n").encode(),
        SOUND.replace("\n", "\r").encode(),
        SOUND.replace("---\n", "---  \n").encode(),
        SOUND.rstrip("\n").encode(),
    ],
    ids=["byte order mark", "CRLF", "CR", "spaces after the rule", "no last newline"],
)
def test_what_editors_do_to_a_file_is_no_problem(tmp_path: Path, personas: Path, data: bytes) -> None:
    (personas / "a.md").write_bytes(data)
    roster, problems = read_roster(tmp_path)
    assert problems == ()
    assert roster["guard"].lens == ("threats",)


@pytest.mark.rule("PERS-3")
@pytest.mark.parametrize(
    ("data", "field", "reason"),
    [
        (b"", "", "is empty"),
        (b" \n\n", "", "is empty"),
        (b"\xff\xfe---", "", "is not UTF-8 text without control characters: see line 1"),
        (SOUND.encode() + b"caf\xe9", "", "is not UTF-8 text without control characters: see line 8"),
        (b"---\nkey: a\x00b\n---\n", "", "is not UTF-8 text without control characters: see line 2"),
        (
            "---\nkey: a\U000e0041b\n---\n".encode(),
            "",
            "is not UTF-8 text without control characters: see line 2",
        ),
        (b"---\nkey: a\x1b[31m\n---\n", "", "is not UTF-8 text without control characters: see line 2"),
        (
            "---\nkey: a\u202eb\n---\n".encode(),
            "",
            "is not UTF-8 text without control characters: see line 2",
        ),
        (b"key: guard\n", "front matter", "is missing; the file begins with a line ---"),
        (b"---\nkey: guard\n", "front matter", "is missing; the file begins with a line ---"),
        (b"---\n---\n", "front matter", "is not a list of `field: value` lines"),
        (b"---\n# only a remark\n---\n", "front matter", "is not a list of `field: value` lines"),
        (b"---\n- a\n---\n", "front matter", "is not a list of `field: value` lines"),
        (b"---\njust words\n---\n", "front matter", "is not a list of `field: value` lines"),
        (b"---\nkey: [a\n---\n", "front matter", "is not valid YAML in line 3"),
        (b"---\nkey: a\nname: b: c\n---\n", "front matter", "is not valid YAML in line 3"),
        (b"---\n\tkey: a\n---\n", "front matter", "is not valid YAML in line 2"),
        (b"---\nkey: 2024-13-45\n---\n", "front matter", "holds a value that cannot be read"),
        (b"---\nkey: " + b"9" * 5000 + b"\n---\n", "front matter", "holds a value that cannot be read"),
        (b"---\nkey: =\n---\n", "front matter", "is not valid YAML"),
        (b"---\nkey: &a x\n---\n", "front matter", "uses a YAML anchor (&), alias (*) or tag (!)"),
        (b"---\nkey: *a\n---\n", "front matter", "uses a YAML anchor (&), alias (*) or tag (!)"),
        (f"---\n{BOMB}---\n".encode(), "front matter", "uses a YAML anchor (&), alias (*) or tag (!)"),
        (
            b"---\nkey: !!python/object:os.system x\n---\n",
            "front matter",
            "uses a YAML anchor (&), alias (*) or tag (!)",
        ),
        (b"---\nkey: !!int x\n---\n", "front matter", "uses a YAML anchor (&), alias (*) or tag (!)"),
        (
            b"---\nkey: " + b"[" * 5000 + b"\n---\n",
            "front matter",
            "uses a YAML anchor (&), alias (*) or tag (!), or nests too deep",
        ),
        (b"---\nkey: a\n--- \nname: b\n---\n", "name", "is missing"),
        (b"---\n? [a, b]\n: c\n---\n", "front matter", "is not valid YAML"),
    ],
)
def test_a_broken_file_is_named_with_its_reason(
    tmp_path: Path, personas: Path, data: bytes, field: str, reason: str
) -> None:
    (personas / "a.md").write_bytes(data)
    problem = only_problem(tmp_path)
    assert (problem.file, problem.field) == (".roundtable/personas/a.md", field)
    assert problem.reason.startswith(reason)
    assert problem.text.isprintable()


@pytest.mark.rule("PERS-3")
def test_a_huge_file_is_not_read_to_its_end(tmp_path: Path, personas: Path) -> None:
    with (personas / "a.md").open("wb") as stream:
        stream.write(SOUND.encode())
        stream.truncate(50 * 1024 * 1024)
    begun = time.perf_counter()
    assert only_problem(tmp_path).text == (
        ".roundtable/personas/a.md: is larger than 256 KB. The file is skipped."
    )
    assert time.perf_counter() - begun < 1


@pytest.mark.rule("PERS-3")
def test_the_largest_file_that_is_read(tmp_path: Path, personas: Path) -> None:
    (personas / "a.md").write_text(SOUND + "x" * (256 * 1024 - len(SOUND)), encoding="utf-8")
    assert "guard" in load_roster(tmp_path)
    (personas / "a.md").write_text(SOUND + "x" * (256 * 1024 - len(SOUND) + 1), encoding="utf-8")
    assert "guard" not in load_roster(tmp_path)


@pytest.mark.rule("PERS-3")
def test_a_folder_called_like_a_file_is_no_file(tmp_path: Path, personas: Path) -> None:
    (personas / "a.md").mkdir()
    assert only_problem(tmp_path).reason == "is not a file"


@pytest.mark.rule("PERS-3")
def test_a_pipe_does_not_keep_us_waiting(tmp_path: Path, personas: Path) -> None:
    os.mkfifo(personas / "a.md")
    assert only_problem(tmp_path).reason == "is not a file"


@pytest.mark.rule("PERS-3", "STEP-8")
def test_a_link_out_of_the_folder_is_refused(tmp_path: Path, personas: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text(SOUND, encoding="utf-8")
    (personas / "a.md").symlink_to(outside)
    assert only_problem(tmp_path).reason == "is a link that leads out of its folder"


@pytest.mark.rule("PERS-3")
def test_a_folder_that_is_a_link_elsewhere_is_refused(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere" / "personas"
    elsewhere.mkdir(parents=True)
    (elsewhere / "a.md").write_text(SOUND, encoding="utf-8")
    project = tmp_path / "project"
    project.mkdir()
    (project / ".roundtable").symlink_to(elsewhere.parent)
    assert only_problem(project).reason == "is a link that leads out of its folder"


@pytest.mark.rule("PERS-3", "STEP-2")
def test_a_folder_that_is_a_link_to_nothing_is_named(tmp_path: Path) -> None:
    own = tmp_path / ".roundtable"
    own.mkdir()
    readers: dict[str, Callable[[Path], tuple[object, tuple[Problem, ...]]]] = {
        "personas": read_roster,
        "steps": read_steps,
        "tracks": read_tracks,
        "prompts": read_project_prompts,
    }
    for kind, read in readers.items():
        (own / kind).symlink_to("gone")
        problems = read(tmp_path)[1]
        why = "the folder cannot be read (No such file or directory). The file is skipped."
        assert [each.text for each in problems] == [f".roundtable/{kind}: {why}"]
        (own / kind).unlink()
    (own / "steps").mkdir()
    (own / "steps" / "a.md").symlink_to("gone")
    (problem,) = read_steps(tmp_path)[1]
    assert problem.file == ".roundtable/steps/a.md"


@pytest.mark.rule("PERS-3")
def test_a_link_within_the_folder_is_followed(tmp_path: Path, personas: Path) -> None:
    (personas / "real.txt").write_text(SOUND, encoding="utf-8")
    (personas / "a.md").symlink_to("real.txt")
    assert "guard" in load_roster(tmp_path)


@pytest.mark.rule("PERS-3")
def test_links_that_lead_nowhere_or_in_a_circle_are_named(tmp_path: Path, personas: Path) -> None:
    (personas / "a.md").symlink_to("b.md")
    (personas / "b.md").symlink_to("a.md")
    (personas / "c.md").symlink_to("gone.md")
    roster, problems = read_roster(tmp_path)
    assert len(roster.personas) == 3
    assert [problem.file[-4:] for problem in problems] == ["a.md", "b.md", "c.md"]
    assert all(problem.skipped for problem in problems)
    assert problems[2].reason == "cannot be read (No such file or directory)"


@pytest.mark.rule("PERS-3")
def test_a_project_reached_through_a_link_is_fine(tmp_path: Path, personas: Path) -> None:
    (personas / "a.md").write_text(SOUND, encoding="utf-8")
    (tmp_path / "link").symlink_to(tmp_path, target_is_directory=True)
    assert "guard" in load_roster(tmp_path / "link")


@pytest.mark.rule("PERS-3")
@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_named(tmp_path: Path, personas: Path) -> None:
    (personas / "a.md").write_text(SOUND, encoding="utf-8")
    (personas / "a.md").chmod(0)
    assert only_problem(tmp_path).reason == "cannot be read (Permission denied)"


@pytest.mark.rule("PERS-3")
def test_notes_and_the_remains_of_editors_are_passed_over(tmp_path: Path, personas: Path) -> None:
    for name in ("README.md", "readme.md", "notes.txt", ".hidden.md", "a.md~"):
        (personas / name).write_text("no persona", encoding="utf-8")
    (personas / ".#a.md").symlink_to("somebody@host:1")
    roster, problems = read_roster(tmp_path)
    assert (len(roster.personas), problems) == (3, ())


@pytest.mark.rule("PERS-3")
def test_a_file_name_in_capitals_counts(tmp_path: Path, personas: Path) -> None:
    (personas / "GUARD.MD").write_text(SOUND, encoding="utf-8")
    assert "guard" in load_roster(tmp_path)


@pytest.mark.rule("STEP-2", "STEP-9")
@pytest.mark.parametrize(
    ("line", "problem"),
    [("short: maybe", "short: must be true or false, is text"), ("shrt: true", "shrt: is not known here")],
)
def test_a_wrong_field_of_a_track_is_named_as_it_was_written(tmp_path: Path, line: str, problem: str) -> None:
    folder = tmp_path / ".roundtable" / "tracks"
    folder.mkdir(parents=True)
    track = f"---\nkey: spike\ntitle: Spike\nsummary: A look\nsteps: [00-01]\n{line}\n---\n"
    (folder / "spike.md").write_text(track, encoding="utf-8")
    (found,) = read_tracks(tmp_path)[1]
    assert found.text == f".roundtable/tracks/spike.md, {problem}. The file is skipped."


@pytest.mark.rule("PERS-3")
def test_a_file_name_cannot_upset_the_terminal(tmp_path: Path, personas: Path) -> None:
    (personas / "a\x1b[31m.md").write_text("x", encoding="utf-8")
    Path(os.fsdecode(os.fsencode(personas) + b"/b\xff.md")).write_text("x", encoding="utf-8")
    _, problems = read_roster(tmp_path)
    assert [problem.file for problem in problems] == [
        ".roundtable/personas/a\\u001b[31m.md",
        ".roundtable/personas/b\\udcff.md",
    ]


@pytest.mark.rule("PERS-3")
def test_no_more_than_500_files_are_read(tmp_path: Path, personas: Path) -> None:
    for number in range(502):
        (personas / f"{number:03}.md").write_text("x", encoding="utf-8")
    _, problems = read_roster(tmp_path)
    assert problems[0].text == ".roundtable/personas: holds 502 files; only the first 500 are read."
    assert len(problems) == 501


@pytest.mark.rule("PERS-3", "STEP-2")
def test_a_file_in_place_of_a_folder_is_as_good_as_none(tmp_path: Path) -> None:
    (tmp_path / ".roundtable").write_text("", encoding="utf-8")
    assert load_roster(tmp_path) == load_roster()
    assert load_steps(tmp_path) == load_steps()


@pytest.mark.rule("STEP-2")
def test_a_bad_step_file_does_not_keep_the_others_from_loading(tmp_path: Path) -> None:
    folder = tmp_path / ".roundtable" / "steps" / "03-architecture"
    folder.mkdir(parents=True)
    (folder / "01-x.md").write_bytes(b"\x00\xff")
    steps, problems = read_steps(tmp_path)
    assert steps == load_steps()
    assert [problem.text for problem in problems] == [
        ".roundtable/steps/03-architecture/01-x.md: is not UTF-8 text without control characters: "
        "see line 1. The file is skipped."
    ]


_YAML_PIECES = st.sampled_from(
    [
        *"\n\n\n::  -?[]{}&*!|>'\"%@`#,~<=.0x",
        "---\n",
        "key",
        "name",
        "lens",
        "bans",
        "yes",
        "1e9",
        "2024-01-01",
    ]
)


_STEP = "---\nstep_id: 01-50\ntitle: T\npersona: x\ndepth: deep\noutputs: [a.md]\n---\n"
_BODY_WORDS = """
## Brief Mode|## Deep Mode|## |### |Label|- Help: |- Draft:|text:|## Validation|## Artifacts|- |a number|a.md
"""
_BODY_PIECES = st.sampled_from([*_BODY_WORDS.split("|"), *"\n\n\n\t\u200b?|", "<!--", "-->"])


@pytest.mark.rule("PERS-3", "STEP-2")
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.one_of(
        st.binary(max_size=200),
        st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")),
        st.lists(_YAML_PIECES, max_size=40).map(lambda pieces: f"---\n{''.join(pieces)}\n---\n".encode()),
        st.lists(_BODY_PIECES, max_size=40).map(lambda pieces: (_STEP + "".join(pieces)).encode()),
    )
)
def test_whatever_a_file_holds_loading_survives_it(tmp_path: Path, data: bytes) -> None:
    for folder in ("personas", "steps/01-requirements"):
        (tmp_path / ".roundtable" / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / ".roundtable" / folder / "a.md").write_bytes(data)
    roster, problems = read_roster(tmp_path)
    steps, more = read_steps(tmp_path)
    assert len(roster.personas) >= 3
    assert len(steps) >= 24
    assert ".roundtable/steps/01-requirements/a.md" in {problem.file for problem in more}
    assert all(problem.text.isprintable() for problem in (*problems, *more))


@pytest.mark.rule("STEP-2")
@pytest.mark.parametrize("piece", ["<!--", "- x\n", "###  x\n", "## x\n", "| ", "\n"])
def test_a_body_of_one_piece_over_and_over_is_read_in_no_time(tmp_path: Path, piece: str) -> None:
    folder = tmp_path / ".roundtable" / "steps" / "01-requirements"
    folder.mkdir(parents=True)
    text = _STEP + "## Deep Mode\n### A\nWhat?\n## Validation\n"
    (folder / "a.md").write_text(text + piece * ((250 * 1024) // len(piece)), encoding="utf-8")
    begun = time.perf_counter()
    _, problems = read_steps(tmp_path)
    assert time.perf_counter() - begun < 2
    assert 1 <= len(problems) <= 2


@pytest.mark.rule("STEP-1", "PERS-3")
def test_everything_loads_within_a_blink() -> None:
    load_steps()
    begun = time.perf_counter()
    load_roster()
    load_steps()
    assert time.perf_counter() - begun < 0.5  # 15 ms on a laptop; the margin is for a busy machine


@pytest.mark.rule("PERS-3")
def test_a_prompt_file_that_cannot_be_read_is_named_too(tmp_path: Path) -> None:
    folder = tmp_path / ".roundtable" / "prompts"
    folder.mkdir(parents=True)
    (folder / "a.toml").write_text("", encoding="utf-8")
    _, problems = read_project_prompts(tmp_path)
    assert [problem.text for problem in problems] == [
        ".roundtable/prompts/a.toml: is empty. The file is skipped."
    ]
