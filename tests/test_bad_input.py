"""Bad places and odd tables: a full disk, a folder that moves, rosters of every kind."""

from __future__ import annotations

import asyncio
import errno
import json
from datetime import datetime, tzinfo
from pathlib import Path

import pytest

from project import ANSWERS, kinds, meta, project, small_steps, talk, texts
from roundtable.core.commands import StepBrief
from roundtable.core.errors import DiskFailed
from roundtable.core.events import SectionText
from roundtable.core.lines import Line
from roundtable.documents import drafting
from roundtable.documents.drafting import draft
from roundtable.runtime.session import Session
from roundtable.store import files
from roundtable.testing import ScriptedPanel

WORDS = (*ANSWERS, "E", "We go with merging.", "done", "The office may be offline too.", "C")


# --- a disk that is full --------------------------------------------------------------------------------


class FullDisk:
    """A disk that is full for the N-th time something is written."""

    def __init__(self, at: int) -> None:
        self.left = at

    def __call__(self, point: str) -> None:
        if point.startswith(("before replace", "half append")):
            self.left -= 1
            if self.left == 0:
                raise OSError(errno.ENOSPC, "No space left on device")


def _run(root: Path, item: Path, used: int) -> tuple[int, list[Line], DiskFailed | None]:
    shown: list[Line] = []

    async def run() -> None:
        session = Session(root, item.name, panel=ScriptedPanel())
        for message in WORDS[used:]:
            session.say(message)
        session.hang_up()
        async for line in session.lines():
            shown.append(line)  # noqa: PERF401 (what came before the failure counts)

    failure = None
    try:
        asyncio.run(run())
    except DiskFailed as failed:
        failure = failed
    heard = [line.text for line in shown if line.speaker == "user" and line.text in WORDS]
    return max([used, *(WORDS.index(text) + 1 for text in heard)]), shown, failure


@pytest.mark.rule("META-4", "META-7", "ART-5", "ART-6", "GREET-6")
def test_on_a_full_disk_nothing_is_lost_and_the_same_command_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = 0
    for number in range(1, 200):
        root, item = project(tmp_path / str(number))
        small_steps(root)
        disk = FullDisk(number)
        monkeypatch.setattr(files, "checkpoint", disk)
        used, shown, failure = _run(root, item, 0)
        monkeypatch.setattr(files, "checkpoint", lambda point: None)
        if disk.left > 0:
            break
        failures += 1
        if failure is not None:
            assert "the disk is full" in str(failure)
            assert "Free some space." in str(failure)
        while used < len(WORDS):
            again, _, failed = _run(root, item, used)
            assert failed is None
            assert again > used
            used = again
        assert meta(item)["steps_completed"] == ["00-01"], number
        document = (item / "quick-scan.md").read_text()
        assert document.count("The inspector retypes forms.") == 1
        assert document.count("<!-- Elaboration:") <= 1
        assert len(meta(item).get("elaborations", [])) + len(texts(shown, "error")) == 1, number
        assert not list(item.rglob(".roundtable-*"))
    assert failures > 30


class NoRoom:
    """A disk on which the named files cannot be written, for the given reason; all others can."""

    def __init__(self, reason: int, *names: str) -> None:
        self.reason = reason
        self.names = names

    def __call__(self, point: str) -> None:
        name = point.removeprefix("before replace ")
        if name != point and name.startswith(self.names):
            raise OSError(self.reason, "injected")


DISCUSSED = (*ANSWERS, "E", "We go with merging.", "done")


def check_saved_once(item: Path) -> None:
    (record,) = meta(item)["elaborations"]
    document = (item / "quick-scan.md").read_text()
    assert document.count(f"<!-- Elaboration: step 00-01, {record['timestamp']} -->") == 1
    assert document.count("<!-- Elaboration:") == 1
    (transcript,) = (item / "elaborations").iterdir()
    assert "We go with merging." in transcript.read_text()


@pytest.mark.rule("META-7", "GREET-6", "SYN-6")
@pytest.mark.parametrize("reason", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_where_block_and_transcript_fail_it_is_an_error_and_the_same_command_tries_again(
    reason: int, place: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, item = place
    talk(root, item, DISCUSSED[:-1])
    disk = NoRoom(reason, "quick-scan.md", "00-01-1.md", ".roundtable-", "meta.json")
    with monkeypatch.context() as patch:
        patch.setattr(files, "checkpoint", disk)
        for words in (["done"], ["C"], ["C"]):
            with pytest.raises(
                DiskFailed, match=r"every turn of it is kept in the journal.*same command again"
            ):
                talk(root, item, words)
    assert "elaborations" not in meta(item) or meta(item)["elaborations"] == []
    lines = talk(root, item, ["C"])
    assert texts(lines, "update")[0].startswith("Updated quick-scan.md")
    check_saved_once(item)


@pytest.mark.rule("META-7", "SYN-6")
@pytest.mark.parametrize("reason", [errno.ENOSPC, errno.EACCES])
def test_without_a_transcript_nothing_is_done_and_the_same_command_tries_again(
    reason: int, place: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, item = place
    with monkeypatch.context() as patch:
        patch.setattr(files, "checkpoint", NoRoom(reason, "00-01-1.md"))
        with pytest.raises(DiskFailed, match="every turn of it is kept in the journal"):
            talk(root, item, DISCUSSED)
    talk(root, item, ["C"])
    check_saved_once(item)


@pytest.mark.rule("ART-6", "META-7")
def test_a_protected_document_is_said_and_the_transcript_holds_the_discussion(
    place: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, item = place
    talk(root, item, DISCUSSED[:-1])
    monkeypatch.setattr(files, "checkpoint", NoRoom(errno.EACCES, "quick-scan.md"))
    lines = talk(root, item, ["done"])
    assert texts(lines, "update")[0].startswith("Could not update quick-scan.md (permission is denied).")
    assert "We go with merging." in (item / "elaborations" / "00-01-1.md").read_text()


@pytest.mark.rule("META-5", "ART-4")
def test_two_discussions_and_two_remarks_at_the_same_instant_are_all_kept(
    place: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, item = place

    class Stopped(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Stopped:
            return cls(2026, 2, 20, 14, 30, 0, 0, tz)

    monkeypatch.setattr(files, "datetime", Stopped)
    discussion = ("E", "We go with merging.", "done")
    talk(root, item, [*ANSWERS, *discussion, "Say more on offices.", "Say more on forms.", *discussion])
    times = [record["timestamp"] for record in meta(item)["elaborations"]]
    document = (item / "quick-scan.md").read_text()
    assert times[0] == "2026-02-20T14:30:00.000Z"
    assert len(set(times)) == 2
    assert [document.count(f"<!-- Elaboration: step 00-01, {at} -->") for at in times] == [1, 1]
    assert "Say more on offices." in document and "Say more on forms." in document
    assert len(list((item / "elaborations").iterdir())) == 2


# --- a folder that moves --------------------------------------------------------------------------------


@pytest.mark.rule("META-4", "GREET-6")
def test_a_folder_renamed_meanwhile_is_said_not_made_anew_and_goes_on_under_its_new_name(
    place: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, item = place
    moved = item.with_name("moved-forms")

    def move_and_draft(brief: StepBrief, documents: dict[str, str]) -> tuple[SectionText, ...]:
        item.rename(moved)
        return draft(brief, documents)

    monkeypatch.setattr(drafting, "draft", move_and_draft)
    with pytest.raises(DiskFailed, match=r"its folder is gone.*use its new name"):
        talk(root, item, ANSWERS)
    monkeypatch.undo()
    assert not item.exists()
    lines = talk(root, moved, [])
    assert kinds(lines)[-3:] == ["menu", "listen", "paused"]
    assert meta(moved)["steps_completed"] == ["00-01"]
    assert "The inspector retypes forms." in (moved / "quick-scan.md").read_text()


# --- rosters --------------------------------------------------------------------------------------------


def persona(root: Path, key: str, name: str = "", *, disabled: bool = False) -> None:
    folder = root / ".roundtable" / "personas"
    folder.mkdir(parents=True, exist_ok=True)
    fields: dict[str, object] = {"key": key}
    if disabled:
        fields["disabled"] = True
    else:
        fields |= {
            "name": name,
            "role": "Tester",
            "short_role": "QA",
            "perspective": "test",
            "lens": ["doubt"],
        }
    (folder / f"{key}.md").write_text(f"---\n{json.dumps(fields, ensure_ascii=False)}\n---\n")


@pytest.mark.rule("PERS-3", "PERS-4")
def test_one_persona_alone_runs_the_analysis_and_says_why_it_cannot_discuss(place: tuple[Path, Path]) -> None:
    root, item = place
    for key in ("solutions-architect", "system-designer"):
        persona(root, key, disabled=True)
    lines = talk(root, item, [*ANSWERS, "E", *["C", *ANSWERS] * 9, "C"])
    assert "A roundtable needs at least two personas. Nothing was changed." in texts(lines, "notice")
    assert meta(item)["analysis_status"] == "analyzed"


@pytest.mark.rule("PERS-2", "PERS-3", "PERS-4")
def test_a_disabled_lead_is_replaced_by_the_first_of_the_roster_with_a_notice(
    place: tuple[Path, Path],
) -> None:
    root, item = place
    persona(root, "business-analyst", disabled=True)
    lines = talk(root, item, [*ANSWERS, "E", "done"])
    assert texts(lines, "greeting")[0].startswith("Alex Rivera: Hi, I'm Alex")
    assert "Nobody leads Quick Scan; Alex Rivera leads this discussion." in texts(lines, "notice")
    assert (
        "[Alex]" in (item / "quick-scan.md").read_text() or "[Jordan]" in (item / "quick-scan.md").read_text()
    )
    assert meta(item)["elaborations"][0]["personas_active"] == ["solutions-architect", "system-designer"]


@pytest.mark.rule("PERS-3", "PERS-4", "HEAR-2")
def test_six_with_a_team_and_a_jose_are_addressed_by_name(place: tuple[Path, Path]) -> None:
    root, item = place
    persona(root, "team", "Team Lead")
    persona(root, "jose", "José Díaz")
    persona(root, "qa", "Kim Lee")
    (item / "meta.json").write_text(json.dumps(meta(item) | {"elaboration_config": {"max_turns": 20}}))
    lines = talk(root, item, [*ANSWERS, "E", "Jose\u0301, what breaks?", "Team, and you?", "done"])
    speakers = [line.speaker for line in lines if line.kind == "contribution"]
    assert speakers[:6] == [
        "business-analyst", "solutions-architect", "system-designer", "jose", "qa", "team",
    ]  # fmt: skip
    assert speakers[6:8] == ["user", "jose"]
    assert speakers[speakers.index("user", 7) + 1] == "team"
    assert "José Díaz (Tester)" in " ".join(texts(lines, "introduction")[0].split())


@pytest.mark.rule("PERS-3", "PERS-4")
def test_two_with_one_first_name_the_second_is_refused_and_named(place: tuple[Path, Path]) -> None:
    root, item = place
    persona(root, "other-alex", "Alex Stone")
    lines = talk(root, item, [])
    assert any("other-alex.md" in text for text in texts(lines, "notice"))
    assert kinds(lines)[-1] == "paused"


@pytest.mark.rule("STEP-2", "STEP-3")
def test_broken_steps_and_circles_are_named_and_the_rest_goes_on(place: tuple[Path, Path]) -> None:
    root, item = place
    steps = root / ".roundtable" / "steps" / "00-quick-scan"
    (steps / "08-broken.md").write_text("---\nstep_id: 00-08\ntitle: [\n---\n")
    for one, other in (("00-05", "00-06"), ("00-06", "00-05")):
        text = (steps / "00-01.md").read_text().replace('"00-01"', f'"{one}"')
        (steps / f"{one}.md").write_text(
            text.replace("depth: standard", f"depth: standard\ndepends_on: [{other}]")
        )
    lines = talk(root, item, [*ANSWERS, "C"] * 4)
    notices = " ".join(texts(lines, "notice"))
    assert "08-broken.md" in notices
    assert "00-05" in notices
    assert {"00-05", "00-06"} <= set(meta(item)["steps_completed"])
