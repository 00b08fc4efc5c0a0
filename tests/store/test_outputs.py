"""The outputs of the steps on disk: added to, never harmed, and said so."""

from __future__ import annotations

import json
import resource
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from roundtable.core.commands import UpdateArtifacts, WriteDrafts, WriteFeedback, WriteStep
from roundtable.core.errors import DiskFailed, RuleBroken
from roundtable.core.events import SectionText
from roundtable.core.markers import ElaborationMarker
from roundtable.core.steps import Question, Step, Target
from roundtable.core.text import unescape_markdown
from roundtable.core.turns import Material
from roundtable.documents.additions import write_skeleton
from roundtable.documents.answers import read_labelled
from roundtable.documents.outline import MAX_DOCUMENT_SIZE
from roundtable.store.artifact import change_artifact, explain_refusal, read_artifact, reason_of
from roundtable.store.meta import facts_of
from roundtable.store.outputs import Outputs

AT = "2026-02-20T14:30:00.000Z"
MARKER = f"<!-- Elaboration: step 01-03, {AT} -->"
BLOCK = "### Elaboration Insights (Step 01-03: Journeys)\n\n#### Key Insights\n- [Maya] Sync\n"
ABOVE = "Elaboration insights are in the synthesis summary above."


def step(step_id: str, title: str, *outputs: str, section: str = "", labels: str = "") -> Step:
    return Step(
        step_id,
        title,
        "business-analyst",
        "standard",
        outputs,
        standard=tuple(Question(label, "?") for label in labels.split()),
        targets=tuple(Target(output, section) for output in outputs if section),
    )


CONTEXT = step("01-01", "Business Context", "spec.md", section="1. Context", labels="Problem Cost")
JOURNEYS = step("01-03", "Journeys", "spec.md", section="3. User Journeys", labels="Journey Detour")
QUALITY = step("01-05", "Quality", "spec.md", "nfr-matrix.md")
STORIES = step("01-07", "User Stories", "user-stories.json")
PRIORITIES = step("01-08", "Priorities", "matrix.csv")
DESIGN = step("04-01", "Modules", "modules.md")
STEPS = (CONTEXT, JOURNEYS, QUALITY, STORIES, PRIORITIES, DESIGN)


@pytest.fixture
def outputs(folder: Path) -> Outputs:
    return Outputs(folder, STEPS)


@contextmanager
def full_disk() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def update(of: Step = JOURNEYS) -> UpdateArtifacts:
    return UpdateArtifacts(of, ElaborationMarker("01-03", AT), BLOCK, "1 insight")


def written(of: Step, text: str, output: str = "") -> WriteStep:
    name = output or of.outputs[0]
    return WriteStep(of, (SectionText(Target(name, of.section(name) or of.title), text),))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != ".journal")


class TestUpdate:
    @pytest.mark.rule("ART-4", "ART-6")
    def test_the_block_goes_into_the_steps_own_section(self, outputs: Outputs, folder: Path) -> None:
        (folder / "spec.md").write_text("# Spec\n\n## 3. User Journeys\n\nText.\n\n## 4. Journeys\n\nMore.\n")
        assert outputs.update(update()) == ('Updated spec.md, section "3. User Journeys": added 1 insight.',)
        assert (folder / "spec.md").read_text() == (
            f"# Spec\n\n## 3. User Journeys\n\nText.\n\n{MARKER}\n\n{BLOCK}\n## 4. Journeys\n\nMore.\n"
        )

    @pytest.mark.rule("ART-3", "ART-6")
    def test_without_a_target_the_title_is_the_topic(self, outputs: Outputs, folder: Path) -> None:
        (folder / "nfr-matrix.md").write_text("# N\n\n## Quality\n\nx\n")
        (folder / "spec.md").write_text("# S\n\nText only.\n")
        assert outputs.update(update(QUALITY)) == (
            'Updated spec.md, section "Additional Insights from Elaboration": added 1 insight.',
            'Updated nfr-matrix.md, section "Quality": added 1 insight.',
        )

    @pytest.mark.rule("ART-6")
    def test_a_missing_file_is_said_and_the_others_go_on(self, outputs: Outputs, folder: Path) -> None:
        (folder / "nfr-matrix.md").write_text("# N\n\n## Quality\n\nx\n")
        assert outputs.update(update(QUALITY)) == (
            f"Could not update spec.md (file not found). {ABOVE}",
            'Updated nfr-matrix.md, section "Quality": added 1 insight.',
        )
        assert names(folder) == ["nfr-matrix.md"]

    @pytest.mark.rule("ART-2")
    def test_data_is_left_alone_and_the_phases_first_document_takes_the_block(
        self, outputs: Outputs, folder: Path
    ) -> None:
        (folder / "user-stories.json").write_text("[]")
        (folder / "nfr-matrix.md").write_text("# N\n\n## Q\n")
        (folder / "modules.md").write_text("# M\n")
        assert outputs.update(update(STORIES)) == (
            "Left user-stories.json as it is: only markdown artifacts take elaboration insights.",
            'Updated nfr-matrix.md, section "Additional Insights from Elaboration": added 1 insight.',
        )
        assert (folder / "user-stories.json").read_text() == "[]"
        assert (folder / "modules.md").read_text() == "# M\n"

    @pytest.mark.rule("ART-2")
    def test_with_no_document_there_the_first_is_not_found(self, outputs: Outputs, folder: Path) -> None:
        assert outputs.update(update(STORIES))[1:] == (f"Could not update spec.md (file not found). {ABOVE}",)
        alone = Outputs(folder, ())
        assert len(alone.update(update(STORIES))) == 1

    @pytest.mark.rule("ART-2")
    def test_a_markdown_output_of_the_step_needs_no_other(self, outputs: Outputs, folder: Path) -> None:
        both = step("01-09", "Both", "x.csv", "own.MD")
        (folder / "spec.md").write_text("# S\n")
        (folder / "own.MD").write_text("# O\n")
        assert [text.split()[1].rstrip(",") for text in outputs.update(update(both))] == ["x.csv", "own.MD"]
        assert (folder / "spec.md").read_text() == "# S\n"

    @pytest.mark.rule("ART-1")
    @pytest.mark.parametrize(
        ("name", "said", "reason"),
        [
            ("../x.md", "../x.md", "it is not a plain file name"),
            ("a/b.md", "a/b.md", "it is not a plain file name"),
            ("a\\b.md", "a\\b.md", "it is not a plain file name"),
            ("/etc/x.md", "/etc/x.md", "it is not a plain file name"),
            ("C:x.md", "C:x.md", "it is not a plain file name"),
            ("..", "..", "it is not a plain file name"),
            ("x\x1b[31m.md", "x.md", "it is not a plain file name"),
            ("x\0.md", "x.md", "it is not a plain file name"),
            ("draft.md", "draft.md", "the name belongs to the item itself"),
            ("Parking-Lot.md", "Parking-Lot.md", "the name belongs to the item itself"),
            ("meta.json", "meta.json", "the name belongs to the item itself"),
            (".hidden.md", ".hidden.md", "the name belongs to the item itself"),
        ],
    )
    def test_other_names_are_refused_and_the_rest_go_on(
        self, outputs: Outputs, folder: Path, name: str, said: str, reason: str
    ) -> None:
        (folder.parent / "x.md").write_text("# Out\n")
        (folder / "spec.md").write_text("# S\n\n## Journeys\n")
        announcements = outputs.update(update(replace(JOURNEYS, outputs=(name, "spec.md"), targets=())))
        assert announcements == (
            f"Could not update {said} ({reason}). {ABOVE}",
            'Updated spec.md, section "Journeys": added 1 insight.',
        )
        assert (folder.parent / "x.md").read_text() == "# Out\n"

    @pytest.mark.rule("ART-1")
    @pytest.mark.parametrize(
        "target", ["../secret.md", "real.md", "spec.md", "draft.md", "meta.json", ".journal/x"]
    )
    def test_no_link_is_followed(self, outputs: Outputs, folder: Path, target: str) -> None:
        for name in ("../secret.md", "real.md"):
            (folder / name).write_text("# S\n\n## Journeys\n")
        (folder / "spec.md").symlink_to(target)
        assert outputs.update(update()) == (f"Could not update spec.md (it is a link). {ABOVE}",)
        assert {(folder / name).read_text() for name in ("../secret.md", "real.md")} == {
            "# S\n\n## Journeys\n"
        }

    @pytest.mark.rule("ART-1")
    def test_a_folder_of_that_name_and_a_huge_file_are_refused(self, outputs: Outputs, folder: Path) -> None:
        (folder / "spec.md").mkdir()
        with (folder / "nfr-matrix.md").open("wb") as file:
            file.truncate(50_000_000)
        assert outputs.update(update(QUALITY)) == (
            f"Could not update spec.md (a folder has that name). {ABOVE}",
            f"Could not update nfr-matrix.md (it is larger than 5,000,000 bytes). {ABOVE}",
        )

    @pytest.mark.rule("ART-5")
    def test_a_document_that_would_grow_too_large_is_left_alone(self, outputs: Outputs, folder: Path) -> None:
        document = b"# S\n\n## Journeys\n\n" + b"x" * (MAX_DOCUMENT_SIZE - 100) + b"\n"
        (folder / "spec.md").write_bytes(document)
        (said,) = outputs.update(update())
        assert said.startswith("Could not update spec.md (the document has ")
        assert (folder / "spec.md").read_bytes() == document

    @pytest.mark.rule("ART-5")
    def test_a_full_disk_leaves_the_file_whole_and_is_an_error(self, outputs: Outputs, folder: Path) -> None:
        (folder / "spec.md").write_text("# S\n\n## Journeys\n")
        with (
            full_disk(),
            pytest.raises(DiskFailed, match="File too large"),
        ):
            outputs.update(update())
        assert (folder / "spec.md").read_text() == "# S\n\n## Journeys\n"
        assert names(folder) == ["spec.md"]

    def test_a_renamed_item_is_not_made_again(self, outputs: Outputs, folder: Path) -> None:
        folder.rename(folder.with_name("new"))
        assert outputs.update(update()) == (f"Could not update spec.md (file not found). {ABOVE}",)
        assert not folder.exists()

    @pytest.mark.rule("ART-5")
    @pytest.mark.parametrize(
        "document",
        [
            b"\xef\xbb\xbf# S\r\n\r\n## 3. User Journeys\r\n\r\nText",
            b"# S\n\n## User Journeys\n\n```\n## 4. Not a heading\n",
            b"# S\n\n<!--\n## User Journeys\n-->\n\n## User Journeys\n\n\xff\xfe\n\n---\n",
            b"## User Journeys\n\nText\n\n### Detail\n\nMore\n\n## Next\n",
            b"",
        ],
    )
    def test_taking_the_block_out_gives_back_the_file(
        self, outputs: Outputs, folder: Path, document: bytes
    ) -> None:
        (folder / "spec.md").write_bytes(document)
        first = outputs.update(update())
        after = (folder / "spec.md").read_bytes()
        assert after.count(MARKER.encode()) == 1
        start = next(at for at in range(len(after) + 1) if after[: at + 1] != document[: at + 1])
        assert after[:start] + after[len(after) - (len(document) - start) :] == document
        assert outputs.update(update()) == first
        assert (folder / "spec.md").read_bytes() == after

    @pytest.mark.rule("ART-6")
    def test_headings_are_said_without_escape_sequences(self, outputs: Outputs, folder: Path) -> None:
        (folder / "spec.md").write_bytes(b"# S\n\n## User Journeys \x1b[31mred\n")
        assert outputs.update(update()) == ('Updated spec.md, section "User Journeys red": added 1 insight.',)


class TestChange:
    """A person may write to the file between our reading and our writing."""

    def editing(self, path: Path, times: int) -> Callable[[bytes | None], tuple[bytes | None, int]]:
        calls = 0

        def change(found: bytes | None) -> tuple[bytes | None, int]:
            nonlocal calls
            calls += 1
            if calls <= times:
                path.write_bytes((found or b"") + b"edit\n")
            return (found or b"") + b"ours\n", calls

        return change

    @pytest.mark.rule("ART-5")
    def test_it_is_done_again_on_what_the_person_wrote(self, folder: Path) -> None:
        path = folder / "a.md"
        path.write_bytes(b"old\n")
        assert change_artifact(folder, "a.md", self.editing(path, 3)) == 4
        assert path.read_bytes() == b"old\nedit\nedit\nedit\nours\n"

    @pytest.mark.rule("ART-5")
    def test_a_file_that_never_rests_is_left_to_its_writer(self, folder: Path) -> None:
        path = folder / "a.md"
        with pytest.raises(DiskFailed) as caught:
            change_artifact(folder, "a.md", self.editing(path, 4))
        assert path.read_bytes() == b"edit\n" * 4
        assert str(caught.value) == (
            "Could not change a.md: another program changed it meanwhile. "
            "The file is as that program left it. Close it there. Run the same command again."
        )

    def test_a_file_removed_meanwhile_is_seen(self, folder: Path) -> None:
        (folder / "a.md").write_bytes(b"old")
        seen: list[bytes | None] = []

        def change(found: bytes | None) -> tuple[bytes | None, None]:
            seen.append(found)
            (folder / "a.md").unlink(missing_ok=True)
            return None, None

        change_artifact(folder, "a.md", change)
        assert seen == [b"old", None]
        assert names(folder) == []

    def test_what_is_unchanged_is_not_written(self, folder: Path) -> None:
        path = folder / "a.md"
        path.write_bytes(b"old")
        before = path.stat().st_ino
        change_artifact(folder, "a.md", lambda found: (found, None))
        change_artifact(folder, "a.md", lambda found: (None, None))
        assert path.stat().st_ino == before

    @pytest.mark.rule("ART-1")
    def test_a_refused_name_says_what_to_do(self, folder: Path) -> None:
        assert explain_refusal(folder, "a.md") is None
        with pytest.raises(DiskFailed) as caught:
            read_artifact(folder, "../x.md")
        assert str(caught.value) == (
            "Could not use ../x.md: it is not a plain file name. Nothing was changed. "
            "Put a plain file in its place, or correct the outputs in the step's file."
        )

    def test_reasons_are_short(self) -> None:
        assert reason_of(DiskFailed("Could not write /a: b/c.md: the disk is full.")) == "the disk is full"
        assert reason_of(RuleBroken("The text cannot go there. Nothing was changed.")) == (
            "the text cannot go there"
        )
        assert reason_of(RuleBroken("No.")) == "no"


class TestWriteStep:
    @pytest.mark.rule("STEP-5")
    def test_a_missing_output_gets_a_skeleton_and_the_section(self, outputs: Outputs, folder: Path) -> None:
        (folder / "draft.md").write_text("# Offline <mode>\n")
        assert outputs.write_step(written(JOURNEYS, "**Journey**: She opens it.")) == (
            'Wrote spec.md, section "2. User Journeys".',
        )
        text = (folder / "spec.md").read_text()
        assert text.startswith(
            "# Spec\n\n**Item**: Offline &lt;mode>\n\n## 1. Context\n\n## 2. User Journeys\n\n"
        )
        assert text.endswith("**Journey**: She opens it.\n\n## 3. Quality\n")

    @pytest.mark.rule("STEP-5")
    def test_each_output_has_its_own_sections_and_title(self, outputs: Outputs, folder: Path) -> None:
        (said,) = outputs.write_step(written(QUALITY, "x", "nfr-matrix.md"))
        assert said == 'Wrote nfr-matrix.md, section "1. Quality".'
        expected = write_skeleton("NFR Matrix", "offline forms", ["Quality"]).decode()
        assert (folder / "nfr-matrix.md").read_text().startswith(expected)
        own = step("01-09", "Own", "my_API notes.md")
        outputs.write_step(written(own, "x"))
        assert (folder / "my_API notes.md").read_text().startswith("# My Api Notes\n")
        assert "\n## 1. Own\n" in (folder / "my_API notes.md").read_text()

    @pytest.mark.rule("STEP-5")
    def test_a_second_run_replaces_its_own_text_and_nothing_else(
        self, outputs: Outputs, folder: Path
    ) -> None:
        outputs.write_step(written(CONTEXT, "**Problem**: old"))
        outputs.write_step(written(JOURNEYS, "**Journey**: same"))
        (folder / "spec.md").write_text((folder / "spec.md").read_text() + "\nBy hand.\n")
        outputs.update(update())
        before = (folder / "spec.md").read_text()
        outputs.write_step(written(CONTEXT, "**Problem**: new"))
        after = (folder / "spec.md").read_text()
        assert "old" not in after
        assert after[after.index("## 2.") :] == before[before.index("## 2.") :]
        once = (folder / "spec.md").read_bytes()
        outputs.write_step(written(CONTEXT, "**Problem**: new"))
        assert (folder / "spec.md").read_bytes() == once

    @pytest.mark.rule("STEP-5")
    def test_a_hand_edit_stays(self, outputs: Outputs, folder: Path) -> None:
        outputs.write_step(written(CONTEXT, "**Problem**: old"))
        path = folder / "spec.md"
        path.write_text(path.read_text().replace("old", "mine"))
        outputs.write_step(written(CONTEXT, "**Problem**: new"))
        assert "**Problem**: mine" in path.read_text()
        assert "**Problem**: new" in path.read_text()

    @pytest.mark.parametrize(
        ("name", "reason"),
        [("../x.md", "it is not a plain file name"), ("meta.json", "the name belongs to the item itself")],
    )
    def test_a_refused_name_raises(self, outputs: Outputs, folder: Path, name: str, reason: str) -> None:
        with pytest.raises(DiskFailed, match=reason):
            outputs.write_step(written(step("01-09", "X", name), "{}"))
        assert names(folder) == []
        assert not (folder.parent / "x.md").exists()

    def test_a_full_disk_raises_and_leaves_the_file_whole(self, outputs: Outputs, folder: Path) -> None:
        (folder / "spec.md").write_text("# S\n")
        with full_disk(), pytest.raises(DiskFailed):
            outputs.write_step(written(CONTEXT, "text"))
        assert (folder / "spec.md").read_text() == "# S\n"

    def test_a_renamed_item_raises(self, outputs: Outputs, folder: Path) -> None:
        folder.rename(folder.with_name("new"))
        with pytest.raises(DiskFailed, match="its folder is gone"):
            outputs.write_step(written(CONTEXT, "text"))
        assert not folder.exists()

    def test_a_document_that_would_grow_too_large_raises(self, outputs: Outputs, folder: Path) -> None:
        (folder / "spec.md").write_bytes(b"# S\n\n" + b"x" * (MAX_DOCUMENT_SIZE - 10))
        with pytest.raises(DiskFailed) as caught:
            outputs.write_step(written(CONTEXT, "text"))
        assert caught.value.failed.startswith("Could not write spec.md: the document has ")
        assert caught.value.saved == "The file is as it was, and your answers are kept."
        assert caught.value.do == "Correct the file. Run the same command again."


@pytest.mark.rule("STEP-5")
class TestData:
    def run(self, outputs: Outputs, text: str, of: Step = STORIES) -> str:
        (said,) = outputs.write_step(written(of, text))
        return said

    def stored(self, folder: Path) -> object:
        return json.loads((folder / "user-stories.json").read_text())

    def test_is_written_and_written_again_by_its_step(self, outputs: Outputs, folder: Path) -> None:
        for text in ('{"a": "é"}', '{"c": 1}', '{"d": 1}'):
            assert self.run(outputs, text) == "Wrote user-stories.json."
            assert (folder / "user-stories.json").read_text() == f"{text}\n"

    @pytest.mark.parametrize("held", [b'{ "a":1 }', b"{broken", b"", b"[" * 100_000])
    def test_what_a_hand_wrote_is_left_and_said(self, outputs: Outputs, folder: Path, held: bytes) -> None:
        self.run(outputs, '{"a": 1}')
        (folder / "user-stories.json").write_bytes(held)
        assert self.run(outputs, '{"a": 2}') == (
            "Left user-stories.json unchanged, because it is not as this step wrote it. "
            'Delete the file to have it written again. It lacks:\n{"a": 2}'
        )
        assert (folder / "user-stories.json").read_bytes() == held

    def test_what_another_step_wrote_is_left_and_said(self, outputs: Outputs, folder: Path) -> None:
        self.run(outputs, '{"a": 1}')
        said = self.run(outputs, '{"a": 2}', step("01-09", "Other", "user-stories.json"))
        assert said.startswith("Left user-stories.json unchanged")
        assert self.stored(folder) == {"a": 1}

    def test_without_its_memory_nothing_is_replaced(self, outputs: Outputs, folder: Path) -> None:
        self.run(outputs, '{"a": 1}')
        for damage in ("[]", "{", '{"file": "user-stories.json"}', ""):
            (folder / ".journal" / "undo.log").write_text(damage)
            self.run(outputs, '{"a": 2}')
            assert self.stored(folder) == {"a": 1}

    def test_in_a_fresh_clone_nobody_is_said_to_have_edited_it(self, outputs: Outputs, folder: Path) -> None:
        self.run(outputs, '{"a": 1}')
        shutil.rmtree(folder / ".journal")
        assert self.run(outputs, '{"a": 2}') == (
            "Left user-stories.json unchanged, because it is not as this step wrote it. "
            'Delete the file to have it written again. It lacks:\n{"a": 2}'
        )
        (folder / "user-stories.json").unlink()
        self.run(outputs, '{"a": 2}')
        assert self.stored(folder) == {"a": 2}

    def test_after_a_kill_or_an_undo_an_earlier_text_is_still_the_steps_own(
        self, outputs: Outputs, folder: Path
    ) -> None:
        self.run(outputs, '{"a": 1}')
        old = (folder / "user-stories.json").read_bytes()
        for number in range(4):
            self.run(outputs, f'{{"b": {number}}}')
            (folder / "user-stories.json").write_bytes(old)
        self.run(outputs, '{"c": 1}')
        assert self.stored(folder) == {"c": 1}

    def test_a_folder_of_that_name_raises(self, outputs: Outputs, folder: Path) -> None:
        (folder / "user-stories.json").mkdir()
        with pytest.raises(DiskFailed, match="a folder has that name"):
            self.run(outputs, "{}")

    def test_another_kind_of_file_is_written_once(self, outputs: Outputs, folder: Path) -> None:
        own = step("01-09", "Own", "notes.txt")
        assert outputs.write_step(written(own, "a \n")) == ("Wrote notes.txt.",)
        assert (folder / "notes.txt").read_bytes() == b"a\n"
        (folder / "notes.txt").write_bytes(b"mine")
        assert outputs.write_step(written(own, "b")) == (
            "Left notes.txt unchanged, because it is not as this step wrote it. "
            "Delete the file to have it written again. It lacks:\nb",
        )
        assert (folder / "notes.txt").read_bytes() == b"mine"


@pytest.mark.rule("MENU-3")
class TestFeedback:
    def test_stands_in_the_steps_section_once(self, outputs: Outputs, folder: Path) -> None:
        (folder / "spec.md").write_text("# S\n\n## 3. User Journeys\n\nText.\n\n## 4. Next\n")
        command = WriteFeedback(JOURNEYS, "Add the # night <shift>", AT)
        said = outputs.write_feedback(command)
        assert said == ('Updated spec.md, section "3. User Journeys": added your feedback.',)
        expected = (
            f"# S\n\n## 3. User Journeys\n\nText.\n\n<!-- Feedback: step 01-03, {AT} -->\n\n"
            "- **Feedback**: Add the # night &lt;shift>\n\n## 4. Next\n"
        )
        assert (folder / "spec.md").read_text() == expected
        assert outputs.write_feedback(command) == said
        assert (folder / "spec.md").read_text() == expected
        outputs.write_feedback(replace(command, at="2026-02-20T14:31:00.000Z"))
        assert (folder / "spec.md").read_text().count("- **Feedback**: ") == 2

    def test_keeps_its_lines_and_its_code(self, outputs: Outputs, folder: Path) -> None:
        (folder / "spec.md").write_text("# S\n\n## 3. User Journeys\n\nText.\n")
        words = "It fails here:\n\ndef total(self):\n    return self.__sum\n\nEvery night.\nAnd on *Sunday*"
        outputs.write_feedback(WriteFeedback(JOURNEYS, words, AT))
        text = (folder / "spec.md").read_text()
        assert text.partition("- **Feedback**:\n\n")[2] == (
            "  ```text\n  It fails here:\n\n  def total(self):\n      return self.__sum\n\n"
            "  Every night.\n  And on *Sunday*\n  ```\n"
        )
        (answer,) = read_labelled(text, with_feedback=True)
        assert answer.parts == (f"```text\n{words}\n```",)
        assert list(read_labelled(text)) == []

    @pytest.mark.parametrize(
        ("words", "shown"),
        [
            ("Feedback: only this", " Feedback: only this"),
            ("2. too long\n5. wrong", "\n\n  - 2\\. too long\n  - 5\\. wrong"),
            ("- one\n* two\n• three", "\n\n  - one\n  - \\* two\n  - • three"),
            ("Add the\n# night <shift>", "\n\n  - Add the\n  - \\# night &lt;shift>"),
            (
                f"Add\n<!-- Feedback: step 01-03, {AT} -->\n~~~\n## Not mine",
                f"\n\n  - Add\n  - &lt;!-- Feedback: step 01-03, {AT} --&gt;\n  - \\~~~\n  - \\## Not mine",
            ),
        ],
    )
    def test_keeps_every_line_as_it_was_typed(
        self, outputs: Outputs, folder: Path, words: str, shown: str
    ) -> None:
        (folder / "spec.md").write_text("# S\n\n## 3. User Journeys\n\nText.\n\n## 4. Next\n")
        outputs.write_feedback(WriteFeedback(JOURNEYS, words, AT))
        text = (folder / "spec.md").read_text()
        assert text.partition("- **Feedback**:")[2] == f"{shown}\n\n## 4. Next\n"
        (answer,) = read_labelled(text, with_feedback=True)
        assert answer.text == words.removeprefix("- ")

    def test_a_step_without_a_document_uses_the_phases_first(self, outputs: Outputs, folder: Path) -> None:
        (folder / "nfr-matrix.md").write_text("# N\n")
        assert outputs.write_feedback(WriteFeedback(STORIES, "x", AT)) == (
            'Updated nfr-matrix.md, section "User Stories": added your feedback.',
        )
        assert "- **Feedback**: x" in (folder / "nfr-matrix.md").read_text()

    def test_a_missing_document_is_made(self, outputs: Outputs, folder: Path) -> None:
        assert outputs.write_feedback(WriteFeedback(JOURNEYS, "x", AT)) == (
            'Updated spec.md, section "2. User Journeys": added your feedback.',
        )
        assert "## 1. Context\n" in (folder / "spec.md").read_text()

    def test_none_that_can_be_used_raises_or_is_said(self, outputs: Outputs, folder: Path) -> None:
        (folder / "modules.md").mkdir()
        with pytest.raises(DiskFailed, match="a folder has that name"):
            outputs.write_feedback(WriteFeedback(DESIGN, "x", AT))
        assert Outputs(folder, ()).write_feedback(WriteFeedback(STORIES, "x", AT)) == (
            "Could not add your feedback to any document of this phase.",
        )

    def test_a_document_that_would_grow_too_large_is_said(self, outputs: Outputs, folder: Path) -> None:
        (folder / "spec.md").write_bytes(b"# S\n\n" + b"x" * (MAX_DOCUMENT_SIZE - 10))
        (said,) = outputs.write_feedback(WriteFeedback(JOURNEYS, "x", AT))
        assert said.startswith("Could not change spec.md (the document has ")

    def test_a_full_disk_raises(self, outputs: Outputs, folder: Path) -> None:
        (folder / "spec.md").write_text("# S\n\n## User Journeys\n")
        with full_disk(), pytest.raises(DiskFailed):
            outputs.write_feedback(WriteFeedback(JOURNEYS, "x", AT))
        assert (folder / "spec.md").read_text() == "# S\n\n## User Journeys\n"


@pytest.mark.rule("MENU-4")
class TestDrafts:
    NOTE = "> Draft: steps 01-03 (Journeys) and 01-05 (Quality) were skipped."

    def test_missing_documents_are_made_and_say_what_was_skipped(
        self, outputs: Outputs, folder: Path
    ) -> None:
        command = WriteDrafts((CONTEXT,), (JOURNEYS, QUALITY, STORIES, PRIORITIES))
        said = outputs.write_drafts(command)
        assert said == (
            "spec.md is a draft: it says at its top that steps 01-03 and 01-05 were skipped.",
            "nfr-matrix.md is a draft: it says at its top that step 01-05 was skipped.",
        )
        assert names(folder) == ["nfr-matrix.md", "spec.md"]
        assert (folder / "spec.md").read_text() == (
            f"# Spec\n\n**Item**: offline forms\n\n{self.NOTE}\n\n"
            "## 1. Context\n\n## 2. User Journeys\n\n## 3. Quality\n"
        )
        assert "\n\n> Draft: step 01-05 (Quality) was skipped.\n\n" in (folder / "nfr-matrix.md").read_text()
        before = (folder / "spec.md").read_bytes()
        assert outputs.write_drafts(command) == said
        assert (folder / "spec.md").read_bytes() == before

    def test_three_skipped_steps_are_listed(self, outputs: Outputs, folder: Path) -> None:
        outputs.write_drafts(WriteDrafts((), (CONTEXT, JOURNEYS, QUALITY)))
        assert (
            "> Draft: steps 01-01 (Business Context), 01-03 (Journeys) and 01-05 (Quality) were skipped."
            in (folder / "spec.md").read_text()
        )

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("---\nk: v\n---\n# T\n\nText\n", "---\nk: v\n---\n# T\n\n{}\n\nText\n"),
            ("# T\r\n\r\n**Item**: x\r\n", "# T\r\n\r\n**Item**: x\r\n\r\n{}\r\n"),
            ("# T", "# T\n\n{}\n"),
            ("## No title\n", "{}\n\n## No title\n"),
            ("```\nopen", "{}\n\n```\nopen"),
            ("", "{}\n"),
        ],
    )
    def test_the_note_stands_after_the_title_and_nothing_else_changes(
        self, outputs: Outputs, folder: Path, before: str, after: str
    ) -> None:
        (folder / "spec.md").write_bytes(before.encode())
        outputs.write_drafts(WriteDrafts((), (JOURNEYS,)))
        note = "> Draft: step 01-03 (Journeys) was skipped."
        assert (folder / "spec.md").read_bytes().decode() == after.format(note)

    def test_another_list_adds_another_note(self, outputs: Outputs, folder: Path) -> None:
        outputs.write_drafts(WriteDrafts((CONTEXT,), (JOURNEYS, QUALITY)))
        outputs.write_drafts(WriteDrafts((CONTEXT, JOURNEYS), (QUALITY,)))
        text = (folder / "spec.md").read_text()
        assert self.NOTE in text
        assert "> Draft: step 01-05 (Quality) was skipped." in text

    def test_a_step_that_is_made_up_leaves_the_note(self, outputs: Outputs, folder: Path) -> None:
        outputs.write_drafts(WriteDrafts((CONTEXT,), (JOURNEYS, QUALITY)))
        outputs.write_step(written(JOURNEYS, "**Journey**: by phone"))
        assert "\n\n> Draft: step 01-05 (Quality) was skipped.\n\n" in (folder / "spec.md").read_text()
        outputs.write_step(written(QUALITY, "**Quality**: high"))
        text = (folder / "spec.md").read_text()
        assert text.startswith("# Spec\n\n**Item**: offline forms\n\n## 1. Context\n\n")

    def test_a_note_in_other_words_is_the_users(self, outputs: Outputs, folder: Path) -> None:
        outputs.write_drafts(WriteDrafts((CONTEXT,), (QUALITY,)))
        (folder / "spec.md").write_text(
            "# S\n\n> Draft: step 01-05 (Quality) was skipped. Why?\n\n## 3. Quality\n"
        )
        outputs.write_step(written(QUALITY, "**Quality**: high"))
        assert "\n> Draft: step 01-05 (Quality) was skipped. Why?\n" in (folder / "spec.md").read_text()

    def test_documents_of_done_steps_alone_are_left_alone(self, outputs: Outputs, folder: Path) -> None:
        (folder / "spec.md").write_text("# S\n")
        assert outputs.write_drafts(WriteDrafts((CONTEXT,), (STORIES,))) == ()
        assert (folder / "spec.md").read_text() == "# S\n"

    def test_a_document_that_cannot_be_used_raises(self, outputs: Outputs, folder: Path) -> None:
        (folder / "spec.md").mkdir()
        with pytest.raises(DiskFailed, match="a folder has that name"):
            outputs.write_drafts(WriteDrafts((), (QUALITY,)))

    def test_a_document_that_would_grow_too_large_is_said(self, outputs: Outputs, folder: Path) -> None:
        (folder / "spec.md").write_bytes(b"# S\n\n" + b"x" * (MAX_DOCUMENT_SIZE - 10))
        (said,) = outputs.write_drafts(WriteDrafts((), (JOURNEYS,)))
        assert said.startswith("Could not change spec.md (the document has ")

    def test_a_full_disk_raises(self, outputs: Outputs, folder: Path) -> None:
        with full_disk(), pytest.raises(DiskFailed):
            outputs.write_drafts(WriteDrafts((), (JOURNEYS,)))


class TestMaterial:
    @pytest.mark.rule("ENTRY-1")
    def test_is_the_text_of_the_outputs(self, outputs: Outputs, folder: Path) -> None:
        (folder / "spec.md").write_bytes(b"\xef\xbb\xbf# S\r\n\xff\x1b[31mred\rx")
        assert outputs.material(QUALITY) == (Material("spec.md", "# S\n\ufffdred\nx"),)

    @pytest.mark.rule("ENTRY-1")
    def test_none_that_can_be_read_is_said(self, outputs: Outputs, folder: Path) -> None:
        (folder / "nfr-matrix.md").mkdir()
        with pytest.raises(DiskFailed) as caught:
            outputs.material(QUALITY)
        assert str(caught.value) == (
            "Could not read what step 01-05 wrote: spec.md, nfr-matrix.md. Nothing was changed. "
            "Put the file back, or run the step again."
        )

    def test_is_cut_to_the_limit(self, outputs: Outputs, folder: Path) -> None:
        (folder / "spec.md").write_text("abcde")
        (folder / "nfr-matrix.md").write_text("fghij")
        assert [m.text for m in outputs.material(QUALITY, limit=10)] == ["abcde", "fghij"]
        assert [m.text for m in outputs.material(QUALITY, limit=9)] == ["abcde", "fghi\n[...]"]
        assert [m.text for m in outputs.material(QUALITY, limit=5)] == ["abcde"]
        assert [m.text for m in outputs.material(QUALITY, limit=4)] == ["abcd\n[...]"]
        (folder / "spec.md").write_text("x" * 60_001)
        assert len(outputs.material(JOURNEYS)[0].text) == 60_000 + len("\n[...]")

    def test_all_of_it_follows_the_steps_and_leaves_out_what_is_no_artifact(
        self, outputs: Outputs, folder: Path
    ) -> None:
        for name in ("modules.md", "spec.md", "a.md", "draft.md", "parking-lot.md", "x.json", ".h.md"):
            (folder / name).write_text(name)
        (folder / "b.md").mkdir()
        (folder / "c.md").symlink_to(folder.parent / "out.md")
        found = outputs.all_material()
        assert found == tuple(Material(name, name) for name in ("spec.md", "modules.md", "a.md"))
        assert [material.text for material in outputs.all_material(7)] == ["spec.md"]

    def test_a_renamed_item_has_none(self, outputs: Outputs, folder: Path) -> None:
        folder.rename(folder.with_name("new"))
        assert outputs.all_material() == ()
        assert facts_of(folder, {}) == {}
        assert outputs.stored_answers() == {}

    def test_documents_are_what_the_steps_write_whole(self, outputs: Outputs, folder: Path) -> None:
        assert outputs.documents() == {}
        (folder / "spec.md").write_text("x" * 70_000)
        (folder / "other.md").write_text("no")
        assert outputs.documents() == {"spec.md": "x" * 70_000}

    @pytest.mark.rule("DEPTH-1")
    def test_the_scope_is_read_from_the_quick_scan(self, outputs: Outputs, folder: Path) -> None:
        assert facts_of(folder, {}) == {}
        (folder / "quick-scan.md").write_text("**Scope**: large\n\n**Complexity**: low\n")
        assert facts_of(folder, {}) == {"scope": "large", "complexity": "low"}


@pytest.mark.rule("STEP-4")
class TestStoredAnswers:
    def test_are_found_in_the_section_that_the_step_writes(self, outputs: Outputs, folder: Path) -> None:
        outputs.write_step(written(CONTEXT, "**Problem**: Forms lose\nwhat was typed.\n\n**Other**: no"))
        outputs.write_step(written(JOURNEYS, "- **Journey**: \\# She opens &lt;it>\n- **Detour:** none"))
        outputs.update(replace(update(), block=f"{BLOCK}\n**Journey**: not this\n"))
        outputs.write_feedback(WriteFeedback(JOURNEYS, "x", AT))
        assert outputs.stored_answers() == {
            ("01-01", "Problem"): "Forms lose what was typed.",
            ("01-03", "Journey"): "# She opens <it>",
            ("01-03", "Detour"): "none",
        }

    def test_are_the_steps_own_and_not_in_fences_or_other_sections(
        self, outputs: Outputs, folder: Path
    ) -> None:
        (folder / "spec.md").write_text(
            "**Problem**: top\n\n## 1. Context\n\n```\n**Problem**: fence\n```\n\n**Journey**: other step\n\n"
            "**Cost**:\n\n## Else\n\n**Problem**: else\n"
        )
        assert outputs.stored_answers() == {}

    def test_the_last_of_several_counts(self, outputs: Outputs, folder: Path) -> None:
        (folder / "spec.md").write_text(
            "## Context\n\n**Problem**: first\n\n### More\n\n"
            "**Problem**: last\x1b[31m\n1. no\n**Cost**: 5\n- no\n"
        )
        assert outputs.stored_answers() == {("01-01", "Problem"): "last", ("01-01", "Cost"): "5"}

    def test_several_lines_stand_in_a_list_below_the_label(self, outputs: Outputs, folder: Path) -> None:
        (folder / "spec.md").write_bytes(
            b"## Context\n\n**Problem**:\n\n- \\# one \xff\n- two\n\n**Cost**: 5\n\n- no\n\n"
            b"**Cost**:\n\nno\n\n- no\n"
        )
        assert outputs.stored_answers() == {("01-01", "Problem"): "# one \ufffd\ntwo", ("01-01", "Cost"): "5"}

    def test_steps_and_code_below_a_label_are_its_answer_and_open_questions_are_not(
        self, outputs: Outputs, folder: Path
    ) -> None:
        (folder / "spec.md").write_text(
            "## Context\n\n**Problem**:\n\n1. one\n2. two\n\n```text\na\n```\n\n- three\n\n**Cost**:\n\n"
            "- Open question: How much?\n"
        )
        assert outputs.stored_answers() == {("01-01", "Problem"): "one\ntwo\n```text\na\n```\nthree"}

    def test_every_section_that_a_step_writes_holds_answers(self, folder: Path) -> None:
        asks = step("01-01", "Context", "spec.md", labels="Problem Left")
        asks = replace(asks, targets=(Target("spec.md", "1. Context"), Target("spec.md", "2. Out")))
        outputs = Outputs(folder, (asks,))
        sections = (
            SectionText(asks.targets[0], "**Problem**: a"),
            SectionText(asks.targets[1], "**Left**: b"),
        )
        outputs.write_step(WriteStep(asks, sections))
        assert "\n## 1. Context\n" in (folder / "spec.md").read_text()
        assert "\n## 2. Out\n" in (folder / "spec.md").read_text()
        assert outputs.stored_answers() == {("01-01", "Problem"): "a", ("01-01", "Left"): "b"}

    def test_a_label_with_signs_is_known(self, folder: Path) -> None:
        asks = replace(step("01-01", "Context", "spec.md"), deep=(Question("A *b* `", "?"),))
        (folder / "spec.md").write_text("## Context\n\n**A b \\`**: yes\n")
        assert Outputs(folder, (asks,)).stored_answers() == {("01-01", "A *b* `"): "yes"}

    def test_feedback_is_no_answer(self, folder: Path) -> None:
        asks = step("01-01", "Context", "spec.md", labels="Feedback")
        outputs = Outputs(folder, (asks,))
        outputs.write_feedback(WriteFeedback(asks, "x", AT))
        assert outputs.stored_answers() == {}

    def test_an_unreadable_document_is_passed_over(self, outputs: Outputs, folder: Path) -> None:
        (folder / "spec.md").mkdir()
        (folder / "modules.md").write_bytes(b"x" * (MAX_DOCUMENT_SIZE + 1))
        assert outputs.stored_answers() == {}

    @pytest.mark.parametrize(
        ("held", "said"),
        [
            ("\\# a", "# a"),
            ("1\\. a", "1. a"),
            ("12\\) a", "12) a"),
            ("a \\` b", "a ` b"),
            ("a \\\\# b", "a \\# b"),
            ("&lt;b> --&gt;", "<b> -->"),
            ("ends \\\\", "ends \\"),
        ],
    )
    def test_markup_that_was_disarmed_is_plain_again(self, held: str, said: str) -> None:
        assert unescape_markdown(held) == said


@pytest.mark.rule("ART-5")
def test_the_mode_of_a_document_survives(outputs: Outputs, folder: Path) -> None:
    (folder / "spec.md").write_text("# S\n\n## Journeys\n")
    (folder / "spec.md").chmod(0o640)
    outputs.update(update())
    assert (folder / "spec.md").stat().st_mode & 0o777 == 0o640


@pytest.mark.rule("ART-4", "ART-6")
@given(
    lines=st.lists(
        st.sampled_from(
            [
                "# S",
                "## User Journeys",
                "### Detail",
                "#### Deeper",
                "## Other",
                "x",
                "- y",
                "",
                "```",
                "---",
            ]
        ),
        max_size=10,
    )
)
def test_said_twice_it_is_added_once_and_announced_alike(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("item")
    outputs = Outputs(folder, STEPS)
    (folder / "spec.md").write_text("\n".join(lines))
    first = outputs.update(update())
    after = (folder / "spec.md").read_bytes()
    assert outputs.update(update()) == first
    assert (folder / "spec.md").read_bytes() == after
    assert after.count(MARKER.encode()) == 1
