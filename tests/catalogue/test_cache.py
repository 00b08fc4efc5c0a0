"""The built-in content in the user's cache folder: as good as the files, and never needed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import roundtable.catalogue as caching
from roundtable.catalogue import load_roster, load_steps

PRINT = "from roundtable.catalogue import load_roster, load_steps; print(load_roster(), load_steps())"
PARSES = "import sys; from roundtable.catalogue import load_steps; load_steps(); print('yaml' in sys.modules)"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, for this test and the processes that it starts."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def run(program: str) -> str:
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return ran.stdout


def cache_file(home: Path) -> Path:
    (file,) = (home / "roundtable").iterdir()
    return file


def test_a_second_process_gets_the_same_content_without_parsing_it(home: Path) -> None:
    assert run(PARSES) == "True\n"
    made = cache_file(home).read_bytes()
    assert run(PARSES) == "False\n"
    assert run(PRINT) == f"{load_roster()} {load_steps()}\n"
    assert cache_file(home).read_bytes() == made


@pytest.mark.parametrize("data", [b"", b"[]", b"null", b'{"personas": 3}', b"[" * 100_000, b"\xff\xfe"])
def test_a_cache_that_makes_no_sense_is_made_anew(home: Path, data: bytes) -> None:
    run(PARSES)
    sound = cache_file(home).read_bytes()
    for broken in (data, sound[: len(sound) // 2]):
        cache_file(home).write_bytes(broken)
        assert run(PARSES) == "True\n"
        assert cache_file(home).read_bytes() == sound


NAMES = ("content/personas/business-analyst.md", "catalogue/reading.py", "core/personas.py")


@pytest.mark.parametrize("name", NAMES)
def test_a_changed_file_of_the_content_or_of_its_reader_makes_it_anew(home: Path, name: str) -> None:
    run(PARSES)
    kept = json.loads(cache_file(home).read_bytes())
    changed = next(each for each in kept[0] if each[0] == str(caching.BUILT_IN.parent / name))
    changed[2] += 1
    cache_file(home).write_text(json.dumps(kept))
    assert run(PARSES) == "True\n"


@pytest.mark.skipif(os.name == "nt", reason="pipes and modes are those of Unix")
def test_a_cache_folder_that_cannot_be_used_is_done_without(home: Path) -> None:
    home.write_text("a file where the folder would be")
    assert run(PARSES) == "True\n"
    home.unlink()
    run(PARSES)
    file = cache_file(home)
    file.unlink()
    file.mkdir()
    assert run(PARSES) == "True\n"


@pytest.mark.skipif(os.name == "nt", reason="the limit is one of Unix")
def test_a_full_disk_leaves_nothing_in_the_cache_folder(home: Path) -> None:
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, 1_000)); "
    assert run(limit + PARSES) == "True\n"
    assert list((home / "roundtable").iterdir()) == []


def test_without_a_home_there_is_no_cache_and_a_relative_one_does_not_count() -> None:
    assert caching.find_cache_file({}) is None
    assert caching.find_cache_file({"XDG_CACHE_HOME": "here", "HOME": "."}) is None
    found = caching.find_cache_file({"XDG_CACHE_HOME": "here", "HOME": "/home/ada"})
    assert found is not None and found.is_relative_to("/home/ada")


def test_what_a_project_says_never_gets_into_the_cache(home: Path, tmp_path: Path) -> None:
    run(PARSES)
    sound = cache_file(home).read_bytes()
    folder = tmp_path / "project" / ".roundtable" / "personas"
    folder.mkdir(parents=True)
    (folder / "ba.md").write_text("---\nkey: business-analyst\ndisabled: true\n---\n")
    run(f"from pathlib import Path; from roundtable.catalogue import load_roster; "
        f"assert 'business-analyst' not in load_roster(Path({str(tmp_path / 'project')!r}))")  # fmt: skip
    assert cache_file(home).read_bytes() == sound
