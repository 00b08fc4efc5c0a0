"""meta.json: read with care, written without loss (rules META-1 to META-5, META-8, ENTRY-2)."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import roundtable
from roundtable.core.errors import DiskFailed, ItemCorrupt, ItemLocked, RuleBroken
from roundtable.core.steps import PHASE_KEYS
from roundtable.store.files import timestamp
from roundtable.store.lock import meta_lock
from roundtable.store.meta import (
    Number,
    StartPhase,
    append_elaboration,
    change_meta,
    examine_meta,
    max_turns,
    read_meta,
    set_aside,
    start_phase,
    write_meta,
)

FULL: dict[str, Any] = {
    "source": "github",
    "source_id": "GH-21",
    "slug": "gh-21-offline",
    "created_at": "2026-02-20T12:00:00.000Z",
    "analysis_status": "partial",
    "phases_completed": ["00-quick-scan", "01-requirements"],
    "codebase_hash": "c02145b",
    "steps_completed": ["01-01", "01-02"],
    "depth_overrides": {},
    "elaborations": [],
}
RECORD: dict[str, Any] = {
    "step_id": "01-03",
    "turn_count": 7,
    "personas_active": ["business-analyst", "solutions-architect", "system-designer"],
    "timestamp": "2026-02-20T14:30:00.000Z",
    "synthesis_summary": "Identified 3 additional acceptance criteria for offline sync",
}
DEFAULTED = {
    "source",
    "created_at",
    "analysis_status",
    "phases_completed",
    "steps_completed",
    "depth_overrides",
    "elaborations",
    "phase_a_completed",
}
UNUSABLE = {
    "empty": b"",
    "truncated": b'{"source": "manual"',
    "list": b"[]",
    "number": b"7",
    "null": b"null",
    "bytes": b'{"a": "\xff"}',
    "NaN": b'{"a": NaN}',
    "infinity": b'{"a": -Infinity}',
    "deep": b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "deep enough": b'{"a":' * 501 + b"1" + b"}" * 501,
}


def put(folder: Path, text: str | bytes) -> bytes:
    data = text.encode() if isinstance(text, str) else text
    (folder / "meta.json").write_bytes(data)
    return data


def raw(folder: Path) -> bytes:
    return (folder / "meta.json").read_bytes()


def nothing(meta: dict[str, Any]) -> None:
    """A change that changes nothing."""


def read(folder: Path) -> dict[str, Any]:
    meta = read_meta(folder)
    assert meta is not None
    return meta


class TestReading:
    @pytest.mark.rule("META-1")
    def test_missing_is_none_and_no_problem(self, folder: Path) -> None:
        assert read_meta(folder) is None
        assert read_meta(folder / "gone") is None
        assert examine_meta(folder)[1] is None
        assert list(folder.iterdir()) == []

    @pytest.mark.rule("META-1")
    @pytest.mark.parametrize("data", UNUSABLE.values(), ids=UNUSABLE)
    def test_unusable_is_none_and_the_file_stays(self, folder: Path, data: bytes) -> None:
        put(folder, data)
        assert read_meta(folder) is None
        problem = examine_meta(folder)[1]
        assert problem is not None
        assert problem.startswith(f"{folder / 'meta.json'} cannot be used: ")
        assert raw(folder) == data

    @pytest.mark.rule("META-1")
    @pytest.mark.parametrize(
        ("data", "reason"),
        [
            (b"", "it is empty"),
            (b"[]", "it does not hold an object"),
            (
                b'{\n  "a": 1,\n  b\n}',
                "Expecting property name enclosed in double quotes: line 3 column 3 (char 14)",
            ),
            (b'{"a": NaN}', "it holds NaN, which JSON does not know"),
        ],
    )
    def test_the_problem_is_said_in_words(self, folder: Path, data: bytes, reason: str) -> None:
        put(folder, data)
        assert examine_meta(folder)[1] == f"{folder / 'meta.json'} cannot be used: {reason}."

    @pytest.mark.rule("META-1")
    def test_a_folder_in_its_place_is_none_with_the_reason(self, folder: Path) -> None:
        (folder / "meta.json").mkdir()
        assert read_meta(folder) is None
        assert examine_meta(folder)[1] == f"Could not read {folder / 'meta.json'}: a folder has that name."

    @pytest.mark.rule("META-1")
    def test_a_file_that_is_too_large_is_none_with_the_reason(self, folder: Path) -> None:
        put(folder, b"{}")
        os.truncate(folder / "meta.json", 20 * 1024 * 1024 + 1)
        assert read_meta(folder) is None
        assert "larger than 20,971,520 bytes" in str(examine_meta(folder)[1])

    @pytest.mark.rule("META-1")
    def test_a_link_to_nowhere_is_a_problem_and_not_a_missing_file(self, folder: Path) -> None:
        (folder / "meta.json").symlink_to("nowhere")
        assert read_meta(folder) is None
        assert examine_meta(folder)[1] == (
            f"Could not read {folder / 'meta.json'}: it is a link that cannot be followed."
        )

    @pytest.mark.rule("META-1")
    def test_a_byte_order_mark_is_fine_and_the_last_of_doubled_keys_stands(self, folder: Path) -> None:
        data = put(folder, b'\xef\xbb\xbf{"source": "jira", "source": "github"}')
        assert read(folder)["source"] == "github"
        assert examine_meta(folder)[1] is None
        assert raw(folder) == data

    @pytest.mark.rule("META-1", "META-3")
    def test_a_full_file_is_given_as_it_is_and_stays_as_it_is(self, folder: Path) -> None:
        data = put(folder, json.dumps(FULL))
        assert read_meta(folder) == FULL
        assert list(read(folder)) == list(FULL)
        assert read_meta(str(folder)) == FULL
        assert raw(folder) == data
        assert [entry.name for entry in folder.iterdir()] == ["meta.json"]


class TestDefaults:
    @pytest.mark.rule("META-2")
    def test_an_empty_object(self, folder: Path) -> None:
        put(folder, "{}")
        before = datetime.now(UTC)
        meta = read(folder)
        created = meta.pop("created_at")
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", created)
        assert abs((datetime.fromisoformat(created) - before).total_seconds()) < 5
        assert meta == {
            "source": "manual",
            "analysis_status": "raw",
            "phases_completed": [],
            "steps_completed": [],
            "elaborations": [],
            "depth_overrides": {},
        }

    @pytest.mark.rule("META-2")
    @pytest.mark.parametrize("value", ["null", '""', "0", "false", "[]", "{}"])
    def test_falsy_texts(self, folder: Path, value: str) -> None:
        put(folder, f'{{"analysis_status": {value}, "source": {value}, "created_at": {value}}}')
        meta = read(folder)
        assert (meta["analysis_status"], meta["source"]) == ("raw", "manual")
        assert meta["created_at"].endswith("Z")

    @pytest.mark.rule("META-2")
    def test_truthy_values_pass_through(self, folder: Path) -> None:
        put(folder, '{"analysis_status": 1, "source": ["x"], "created_at": "yesterday"}')
        meta = read(folder)
        assert (meta["analysis_status"], meta["source"], meta["created_at"]) == (1, ["x"], "yesterday")

    @pytest.mark.rule("META-2")
    @pytest.mark.parametrize("key", ["phases_completed", "steps_completed", "elaborations"])
    @pytest.mark.parametrize("value", ["null", '"invalid"', "{}", "1", "true"])
    def test_what_is_no_list(self, folder: Path, key: str, value: str) -> None:
        put(folder, f'{{"{key}": {value}}}')
        assert read(folder)[key] == []

    @pytest.mark.rule("META-2")
    @pytest.mark.parametrize("value", ["null", '"deep"', "[]", "1"])
    def test_what_is_no_object(self, folder: Path, value: str) -> None:
        put(folder, f'{{"depth_overrides": {value}}}')
        assert read(folder)["depth_overrides"] == {}

    @pytest.mark.rule("META-2", "DEPTH-4", "ENTRY-2")
    @pytest.mark.parametrize("value", [None, "ten", [], {"max_turns": "10"}, 3])
    def test_the_configuration_and_odd_depths_pass_through(self, folder: Path, value: Any) -> None:
        put(folder, json.dumps({"elaboration_config": value, "depth_overrides": {"01-requirements": value}}))
        change_meta(folder, nothing)
        meta = json.loads(raw(folder))
        assert meta["elaboration_config"] == value
        assert meta["depth_overrides"] == {"01-requirements": value}

    @pytest.mark.rule("META-2")
    def test_no_configuration_is_made_up(self, folder: Path) -> None:
        put(folder, "{}")
        assert "elaboration_config" not in read(folder)

    @pytest.mark.rule("META-2")
    @pytest.mark.parametrize(
        ("text", "status", "phases"),
        [
            ('{"phase_a_completed": true}', "analyzed", list(PHASE_KEYS)),
            ('{"phase_a_completed": true, "analysis_status": ""}', "analyzed", list(PHASE_KEYS)),
            ('{"phase_a_completed": false}', "raw", []),
            ('{"phase_a_completed": "yes"}', "raw", []),
            ('{"phase_a_completed": false, "phases_completed": ["00-quick-scan"]}', "raw", []),
            ('{"phase_a_completed": true, "analysis_status": "raw"}', "raw", []),
            (
                '{"phases_completed": ["04-design"], "analysis_status": "partial", "phase_a_completed": 1}',
                "partial",
                ["04-design"],
            ),
        ],
    )
    def test_older_files(self, folder: Path, text: str, status: str, phases: list[str]) -> None:
        put(folder, text)
        meta = read(folder)
        assert (meta["analysis_status"], meta["phases_completed"]) == (status, phases)
        written = change_meta(folder, nothing)
        assert (written["analysis_status"], written["phases_completed"]) == (status, phases)
        assert "phase_a_completed" not in json.loads(raw(folder))


class TestWriting:
    @pytest.mark.rule("META-4")
    def test_the_shape_of_the_file(self, folder: Path) -> None:
        write_meta(folder, {"title": "Formulaire é 😀", "phases_completed": [], "tags": []})
        assert raw(folder).decode() == (
            '{\n  "title": "Formulaire é 😀",\n  "phases_completed": [],\n  "tags": [],\n'
            '  "analysis_status": "raw"\n}'
        )

    @pytest.mark.rule("META-4")
    @pytest.mark.parametrize(
        ("phases", "status"),
        [
            ([], "raw"),
            (["05-build", "x"], "raw"),
            (["00-quick-scan"], "partial"),
            (["00-quick-scan"] * 5, "partial"),
            (["00-quick-scan", [], {}, None, 7, "05-build"], "partial"),
            (list(PHASE_KEYS[:4]), "partial"),
            (list(PHASE_KEYS[1:]), "partial"),
            (list(PHASE_KEYS), "analyzed"),
            ([*reversed(PHASE_KEYS), "05-build", {}], "analyzed"),
            (None, "raw"),
            ("00-quick-scan", "raw"),
        ],
        ids=range(11),
    )
    def test_the_status_follows_the_phases(self, folder: Path, phases: Any, status: str) -> None:
        write_meta(folder, {"analysis_status": "analyzed", "phases_completed": phases, "x": 1})
        assert list(json.loads(raw(folder)).items()) == [
            ("analysis_status", status),
            ("phases_completed", phases),
            ("x", 1),
        ]

    @pytest.mark.rule("META-4")
    def test_what_is_given_is_not_changed(self, folder: Path) -> None:
        meta = {"phase_a_completed": True, "x": 1}
        write_meta(str(folder), meta)
        assert meta == {"phase_a_completed": True, "x": 1}
        written = json.loads(raw(folder))
        assert written == {"x": 1, "analysis_status": "analyzed", "phases_completed": list(PHASE_KEYS)}

    @pytest.mark.rule("META-4", "META-3")
    def test_what_was_read_and_written_is_the_same_file(self, folder: Path) -> None:
        data = put(folder, json.dumps(FULL, indent=2))
        write_meta(folder, read(folder))
        assert raw(folder) == data

    @pytest.mark.rule("META-1")
    @pytest.mark.parametrize("data", UNUSABLE.values(), ids=UNUSABLE)
    def test_an_unusable_file_is_never_overwritten(self, folder: Path, data: bytes) -> None:
        put(folder, data)
        with pytest.raises(ItemCorrupt) as caught:
            write_meta(folder, FULL)
        assert raw(folder) == data
        assert str(caught.value) == (
            f"{examine_meta(folder)[1]} The file was not changed. "
            "Repair it, or start over: the file is then set aside under another name."
        )
        with pytest.raises(ItemCorrupt):
            change_meta(folder, nothing)
        with pytest.raises(ItemCorrupt):
            append_elaboration(folder, RECORD)
        assert raw(folder) == data

    @pytest.mark.rule("META-4")
    def test_what_could_not_be_read_back_is_refused_and_the_file_stays(self, folder: Path) -> None:
        data = put(folder, json.dumps(FULL))
        with pytest.raises(RuleBroken):
            write_meta(folder, {"x": math.nan})
        assert raw(folder) == data

    @pytest.mark.rule("META-4")
    def test_a_folder_that_is_gone_does_not_come_back(self, folder: Path) -> None:
        gone = folder / "gone"
        for write in (lambda: write_meta(gone, FULL), lambda: change_meta(gone, nothing)):
            with pytest.raises(DiskFailed, match="its folder is gone"):
                write()
        assert not gone.exists()

    @pytest.mark.rule("META-4")
    def test_the_mode_stays_and_a_link_is_not_written_through(self, folder: Path) -> None:
        target = folder / "meta.json"
        target.write_text("{}")
        target.chmod(0o600)
        change_meta(folder, lambda meta: meta.update(x=1))
        assert target.stat().st_mode & 0o777 == 0o600
        target.rename(folder / "shared.json")
        target.symlink_to("shared.json")
        with pytest.raises(ItemCorrupt):
            change_meta(folder, lambda meta: meta.update(x=2))
        assert json.loads((folder / "shared.json").read_bytes())["x"] == 1


class TestChanging:
    @pytest.mark.rule("META-4")
    def test_a_missing_file_starts_with_the_defaults(self, folder: Path) -> None:
        meta = change_meta(folder, lambda meta: meta["steps_completed"].append("00-01"))
        assert meta == json.loads(raw(folder)) == read_meta(folder)
        assert meta["steps_completed"] == ["00-01"]
        assert meta["source"] == "manual"

    @pytest.mark.rule("META-3", "META-4")
    def test_our_fields_keep_their_place_and_others_are_kept(self, folder: Path) -> None:
        put(folder, '{"z": {"b": 1, "a": [2]}, "phases_completed": [], "y": null, "analysis_status": "raw"}')
        change_meta(str(folder), lambda meta: meta["phases_completed"].append("00-quick-scan"))
        meta = json.loads(raw(folder))
        assert list(meta)[:4] == ["z", "phases_completed", "y", "analysis_status"]
        assert meta["analysis_status"] == "partial"
        assert (json.dumps(meta["z"]), meta["y"]) == ('{"b": 1, "a": [2]}', None)

    @pytest.mark.rule("META-4")
    def test_what_others_changed_meanwhile_is_kept(self, folder: Path) -> None:
        put(folder, json.dumps(FULL))
        read(folder)
        put(folder, json.dumps({**FULL, "steps_completed": ["01-01"], "note": "by hand"}))
        change_meta(folder, lambda meta: meta["steps_completed"].append("01-02"))
        meta = json.loads(raw(folder))
        assert (meta["steps_completed"], meta["note"]) == (["01-01", "01-02"], "by hand")

    @pytest.mark.rule("META-4")
    def test_a_change_that_fails_changes_nothing_and_lets_go(self, folder: Path) -> None:
        data = put(folder, json.dumps(FULL))

        def fail(meta: dict[str, Any]) -> None:
            meta["x"] = 1
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            change_meta(folder, fail)
        assert raw(folder) == data
        with meta_lock(folder, wait=0):
            pass

    @pytest.mark.rule("META-4")
    def test_reading_and_writing_are_under_one_lock(self, folder: Path) -> None:
        def try_lock(meta: dict[str, Any]) -> None:
            with pytest.raises(ItemLocked), meta_lock(folder, wait=0):
                pass

        change_meta(folder, try_lock)

    @pytest.mark.rule("META-3")
    def test_odd_numbers_and_texts_stay_to_the_letter(self, folder: Path) -> None:
        long = "9" * 5000
        text = f'"a": [1e400, 1.00, {long}, -0, 1E5], "b\\udc00": "x\\ud800y"'.replace(", ", ",")
        put(folder, f"{{{text}}}")
        assert read(folder)["a"][0] == math.inf
        change_meta(folder, nothing)
        written = raw(folder).decode()
        compact = re.sub(r"\s+", "", written).replace('":', '": ')
        assert compact.startswith("{" + text)
        again = written
        change_meta(folder, nothing)
        assert raw(folder).decode() == again

    @pytest.mark.rule("META-4")
    def test_a_byte_order_mark_goes(self, folder: Path) -> None:
        put(folder, b'\xef\xbb\xbf{"x": 1}')
        change_meta(folder, nothing)
        assert raw(folder).startswith(b'{\n  "x": 1')

    @pytest.mark.rule("META-4")
    def test_two_processes_lose_nothing(self, folder: Path) -> None:
        script = """
import sys
from roundtable.store.meta import change_meta
def more(meta):
    meta["count"] = meta.get("count", 0) + 1
    meta["steps_completed"].append(sys.argv[2])
sys.stdin.readline()
for _ in range(25):
    change_meta(sys.argv[1], more)
"""
        environment = {**os.environ, "PYTHONPATH": str(Path(roundtable.__file__).parents[1])}
        processes = [
            subprocess.Popen(
                [sys.executable, "-c", script, str(folder), name],
                env=environment,
                stdin=subprocess.PIPE,
                text=True,
            )
            for name in ("one", "two")
        ]
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.close()
        assert [process.wait() for process in processes] == [0, 0]
        meta = read(folder)
        assert meta["count"] == 50
        assert sorted(meta["steps_completed"]) == ["one"] * 25 + ["two"] * 25


KEYS = st.text(st.characters(exclude_categories=())) | st.sampled_from(sorted(DEFAULTED))
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=()))
    | st.sampled_from(PHASE_KEYS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.rule("META-2", "META-3", "META-4")
@settings(deadline=None)
@given(given_meta=st.dictionaries(KEYS, JSON), indent=st.sampled_from([None, 0, 4]), escaped=st.booleans())
def test_any_object_survives_a_change(given_meta: dict[str, Any], indent: int | None, escaped: bool) -> None:
    given_text = json.dumps(given_meta, indent=indent, ensure_ascii=escaped)
    meant = json.loads(given_text.encode("utf-8", "replace"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        put(folder, given_text.encode("utf-8", "replace"))
        before = read(folder)
        after = change_meta(folder, nothing)
        text = raw(folder).decode()
        assert read_meta(folder) == after
    written = json.loads(text)
    others = {key: value for key, value in written.items() if key not in DEFAULTED}
    assert json.dumps(others) == json.dumps({k: v for k, v in meant.items() if k not in DEFAULTED})
    kept = [key for key in meant if key != "phase_a_completed"]
    assert list(written)[: len(kept)] == kept
    assert set(written) == set(kept) | DEFAULTED - {"phase_a_completed"}
    for key in ("source", "phases_completed", "steps_completed", "depth_overrides", "elaborations"):
        assert json.dumps(written[key]) == json.dumps(before[key])
    count = sum(key in written["phases_completed"] for key in PHASE_KEYS)
    assert written["analysis_status"] == ["raw", *["partial"] * 4, "analyzed"][count]


class TestElaborations:
    @pytest.mark.rule("META-5")
    def test_appended_last_and_nothing_else_changes(self, folder: Path) -> None:
        others = [{"step_id": "01-01"}, "odd", None, {**RECORD, "timestamp": "2026-02-20T14:29:00.000Z"}]
        put(folder, json.dumps({**FULL, "elaborations": others}, indent=2))
        append_elaboration(folder, RECORD)
        assert json.loads(raw(folder)) == {**FULL, "elaborations": [*others, RECORD]}

    @pytest.mark.rule("META-5")
    def test_the_first_one_makes_the_list(self, folder: Path) -> None:
        put(folder, '{"elaborations": null}')
        append_elaboration(str(folder), RECORD)
        assert json.loads(raw(folder))["elaborations"] == [RECORD]

    @pytest.mark.rule("META-5")
    def test_the_same_record_is_there_once(self, folder: Path) -> None:
        put(folder, json.dumps({"elaborations": [RECORD]}))
        append_elaboration(folder, {**RECORD, "turn_count": 8})
        assert json.loads(raw(folder))["elaborations"] == [RECORD]

    @pytest.mark.rule("META-5")
    def test_several_on_one_step_and_several_at_one_instant(self, folder: Path) -> None:
        later = {**RECORD, "timestamp": "2026-02-20T14:30:00.001Z"}
        other = {**RECORD, "step_id": "01-05"}
        for record in (RECORD, later, other):
            append_elaboration(folder, record)
        assert read(folder)["elaborations"] == [RECORD, later, other]

    @pytest.mark.rule("META-5")
    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("step_id", ""),
            ("step_id", 103),
            ("turn_count", 0),
            ("turn_count", True),
            ("turn_count", 7.0),
            ("personas_active", "business-analyst"),
            ("personas_active", ["business-analyst", 1]),
            ("timestamp", "2026-02-20T14:30:00Z"),
            ("timestamp", "2026-02-20T14:30:00.000Z\n"),
            ("timestamp", 0),
            ("synthesis_summary", ""),
            ("synthesis_summary", " "),
            ("synthesis_summary", "two\nlines"),
            ("synthesis_summary", "a line\n"),
            ("synthesis_summary", None),
        ],
    )
    def test_a_record_of_ours_is_complete(self, folder: Path, field: str, value: Any) -> None:
        without = {key: kept for key, kept in RECORD.items() if key != field}
        for record in ({**RECORD, field: value}, without):
            with pytest.raises(RuleBroken) as caught:
                append_elaboration(folder, record)
            assert str(caught.value) == (
                f"The elaboration record was not saved: {field} is missing or wrong."
            )
        assert not (folder / "meta.json").exists()

    @pytest.mark.rule("META-5")
    def test_one_turn_is_enough_and_all_wrong_fields_are_named(self, folder: Path) -> None:
        append_elaboration(folder, {**RECORD, "turn_count": 1, "personas_active": ("a",)})
        assert read(folder)["elaborations"][0]["personas_active"] == ["a"]
        with pytest.raises(RuleBroken, match="step_id, turn_count, personas_active, timestamp, synth"):
            append_elaboration(folder, {})


class TestSettingAside:
    @pytest.mark.rule("META-1")
    def test_a_corrupt_file_is_renamed_and_whole(self, folder: Path) -> None:
        data = put(folder, b'{"a": ')
        new = set_aside(str(folder))
        assert new.parent == folder
        assert re.fullmatch(r"meta\.json\.corrupt-\d{8}T\d{6}\.\d{3}Z", new.name)
        assert new.name.removeprefix("meta.json.corrupt-")[:8] == timestamp()[:10].replace("-", "")
        assert new.read_bytes() == data
        assert not (folder / "meta.json").exists()
        assert change_meta(folder, nothing)["analysis_status"] == "raw"

    @pytest.mark.rule("META-1")
    def test_a_folder_or_a_dangling_link_too(self, folder: Path) -> None:
        (folder / "meta.json").mkdir()
        assert set_aside(folder).is_dir()
        (folder / "meta.json").symlink_to("nowhere")
        assert set_aside(folder).is_symlink()
        assert read_meta(folder) is None

    @pytest.mark.rule("META-1")
    def test_many_at_once_are_all_kept(self, folder: Path) -> None:
        kept = {}
        for number in range(30):
            data = put(folder, f"[{number}]")
            kept[set_aside(folder)] = data
        assert len(kept) == 30
        assert {path: path.read_bytes() for path in folder.glob("meta.json*")} == kept

    @pytest.mark.rule("META-1")
    def test_a_sound_or_missing_file_is_not(self, folder: Path) -> None:
        message = f"There is no corrupt meta.json in {folder}; nothing was set aside."
        with pytest.raises(RuleBroken) as caught:
            set_aside(folder)
        assert str(caught.value) == message
        data = put(folder, "{}")
        with pytest.raises(RuleBroken) as caught:
            set_aside(folder)
        assert str(caught.value) == message
        assert raw(folder) == data


@pytest.mark.rule("ENTRY-2")
@pytest.mark.parametrize(
    ("value", "limit"),
    [
        (3, 3),
        (4, 4),
        (250, 250),
        (10.0, 10),
        (12.0, 12),
        (Number("12.00"), 12),
        (2, 10),
        (2.0, 10),
        (0, 10),
        (-5, 10),
        (3.5, 10),
        (True, 10),
        ("12", 10),
        (None, 10),
        ([12], 10),
        (math.nan, 10),
        (math.inf, 10),
        (Number("1e400"), 10),
    ],
)
def test_the_turn_limit(value: Any, limit: int) -> None:
    found = max_turns({"elaboration_config": {"max_turns": value}})
    assert found == limit
    assert type(found) is int


@pytest.mark.rule("ENTRY-2")
@pytest.mark.parametrize("meta", [None, {}, {"elaboration_config": None}, {"elaboration_config": [12]}])
def test_the_turn_limit_without_a_configuration(meta: dict[str, Any] | None) -> None:
    assert max_turns(meta) == 10
    assert max_turns({"elaboration_config": {}}) == 10


class TestStartPhase:
    @pytest.mark.rule("META-8")
    @pytest.mark.parametrize("count", range(6))
    def test_the_completed_prefix_and_what_remains(self, count: int) -> None:
        assert start_phase({"phases_completed": list(reversed(PHASE_KEYS[:count]))}) == StartPhase(
            completed=PHASE_KEYS[:count],
            next=PHASE_KEYS[count] if count < 5 else None,
            remaining=PHASE_KEYS[count:],
            warnings=(),
        )

    @pytest.mark.rule("META-8")
    @pytest.mark.parametrize(
        "meta", [None, {}, {"phases_completed": None}, {"phases_completed": "00-quick-scan"}]
    )
    def test_nothing_recorded(self, meta: dict[str, Any] | None) -> None:
        assert start_phase(meta) == StartPhase((), "00-quick-scan", PHASE_KEYS, ())

    @pytest.mark.rule("META-8")
    def test_a_gap_is_warned_of(self) -> None:
        found = start_phase({"phases_completed": ["00-quick-scan", "02-impact-analysis", "04-design"]})
        assert found.completed == ("00-quick-scan",)
        assert found.next == "01-requirements"
        assert found.remaining == PHASE_KEYS[1:]
        assert found.warnings == (
            "02-impact-analysis is recorded as complete, but 01-requirements before it is not; "
            "the analysis goes on there.",
            "04-design is recorded as complete, but 01-requirements before it is not; "
            "the analysis goes on there.",
        )

    @pytest.mark.rule("META-8")
    def test_unknown_entries_are_warned_of_and_doubled_ones_are_not(self) -> None:
        found = start_phase(
            {"phases_completed": ["00-quick-scan", "00-quick-scan", "05-x\x1b", {}, "y" * 99]}
        )
        assert found.completed == ("00-quick-scan",)
        assert found.warnings == (
            "'05-x\\x1b' in phases_completed is not a phase.",
            "{} in phases_completed is not a phase.",
            f"'{'y' * 59} in phases_completed is not a phase.",
        )
