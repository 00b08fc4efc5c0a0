"""Checks an item; each finding names a file, a line and the problem there.

The documents come first: ids, citations, markers, data files. Then come the rules for a meta.json, whoever
wrote it (META-2, META-4, META-5), the claims of elaboration blocks (ART-8), and text lost since then in git.
"""

import csv
import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, ValidationError, convert

from .core import claims
from .core.claims import LinesOf, check_citation, is_marked
from .core.errors import DiskFailed, RuleBroken
from .core.hearing import is_about
from .core.markers import ElaborationMarker, find_malformed_marker, parse_marker
from .core.personas import Roster
from .core.progress import analysis_status, faulty_fields
from .core.steps import PHASE_KEYS, Step, is_markdown
from .core.synthesis import HEADINGS, UNVERIFIED, strip_mark
from .core.text import cut_line, parse_heading, unescape_markdown
from .documents import ids
from .documents.additions import find_lines_of_others
from .documents.blocks import ElaborationBlock, TranscriptContent, find_elaboration_blocks, read_entries
from .documents.outline import decode_document, prose_lines, strip_numbering
from .documents.questions import ANSWER
from .git import earlier_versions
from .store.files import read_inside
from .store.meta import examine_meta, list_undone, max_turns
from .store.outputs import Outputs, find_answered, read_questions
from .store.transcript import parse_transcripts
from .survey.files import make_line_counter

META = "meta.json"
_LONGEST_QUOTE = 60
_STORY = re.compile(r'"id"\s*:\s*"(?P<id>US-\d{3,})"')
_TURNS = re.compile(r"\*\*Turns\*\*: (\d{1,9})\b")
_CREDIT = re.compile(r"\\?\[(?P<who>[^\]\\]+)\\?\] ")
_WITHDRAWN = re.compile(r"(?:<!-- |- )?Withdrawn: (?P<id>[A-Z]+(?:-\d{2,})+), .*")

FindingKind = Literal["id", "citation", "document", "record", "block", "claim", "lost", "open", "unverified"]


class CheckFinding(Struct, frozen=True):
    """One finding in one line of a file; the kinds `open` and `unverified` are not problems."""

    file: str
    line: int
    kind: FindingKind
    text: str


class ItemReport(Struct, frozen=True):
    """The files checked, the number of earlier versions in git, and what is wrong, open or unverified."""

    files: tuple[str, ...]
    versions: int
    problems: tuple[CheckFinding, ...]
    open_questions: tuple[CheckFinding, ...]
    unverified: tuple[CheckFinding, ...] = ()


def check_item(root: Path, folder: Path, steps: tuple[Step, ...], roster: Roster) -> ItemReport:
    """Return the report on the item in a folder; nothing is changed."""
    documents = Outputs(folder, steps).documents()
    outputs = dict.fromkeys(output for step in steps for output in step.outputs)
    unread = (name for name in outputs if name not in documents and (folder / name).exists())
    problems = [CheckFinding(name, 1, "document", "It cannot be read.") for name in unread]
    lines_of = make_line_counter(root, folder)
    problems += check_documents(documents, lines_of)
    pages = {}
    for path in sorted(folder.glob("*.md")):
        with suppress(DiskFailed, OSError):
            pages[path.name] = decode_document(read_inside(folder, path.name))
    meta, problem = examine_meta(folder)
    blocks = [block for name, text in pages.items() for block in find_elaboration_blocks(name, text)]
    undone = frozenset(map(str, list_undone(meta)))  # taken back, not lost
    talks = [each.content for each in parse_transcripts(folder) if each.content is not None]
    if meta is None:
        problems.append(CheckFinding(META, 1, "record", problem or "There is no meta.json."))
    else:
        text = read_inside(folder, META).decode("utf-8-sig", "replace")
        for place, wrong in _check_meta(meta, roster, steps):
            problems.append(CheckFinding(META, ids.find_json_line(text, place), "record", wrong))
        written = {step.step_id for step in steps if pages.keys() & {*step.outputs}}
        empty = (each.timestamp for each in talks if not each.entries)  # there was nothing to add
        problems += _check_pairs(text, meta, blocks, written, {*undone, *empty})
    if (folder / "state.json").exists():
        unused = f"Progress is kept in {META}; this file is not used."
        problems.append(CheckFinding("state.json", 1, "record", unused))
    problems += _check_claims(blocks, talks, pages, lines_of, roster)
    total = 0
    for name in filter(is_markdown, outputs):
        earlier = earlier_versions(root, folder / name)
        if earlier is None:  # git has no answer for one document, so it has none for the others
            break
        now = pages.get(name, documents.get(name, ""))
        with suppress(RuleBroken):  # a version is too long for a document
            lost = [*_find_lost(name, earlier, now, undone, steps), *_find_lost_lines(earlier, now)]
            problems += [CheckFinding(name, 1, "lost", each) for each in lost]
            total += len(earlier)
    questions = (each for each in read_questions(folder, steps, roster) if each.is_open)
    asked = tuple(CheckFinding(each.file, each.line, "open", each.words) for each in questions)
    marked: list[CheckFinding] = []
    for name, text in (pages | documents).items():
        lines = ((at, line) for at, line in enumerate(text.split("\n"), 1) if UNVERIFIED in line)
        marked += (CheckFinding(name, at, "unverified", _quote(line)) for at, line in lines)
    return ItemReport(tuple(documents), total, tuple(dict.fromkeys(problems)), asked, tuple(marked))


def check_documents(documents: Mapping[str, str], lines_of: LinesOf) -> tuple[CheckFinding, ...]:
    """Return every problem in the documents, in the order of files and lines."""
    found: list[CheckFinding] = []
    defined: dict[str, list[tuple[str, int]]] = {}
    mentioned: dict[tuple[str, int, str], None] = {}
    stories = ids.read_json_list(documents.get(ids.STORIES_FILE, ""), "withdrawn", dict)
    withdrawn = {str(each.get("id")) for each in stories}
    for name, text in documents.items():
        is_page = is_markdown(name)
        if name.lower().endswith(".json") and ids.read_json(text) is None:
            found.append(CheckFinding(name, 1, "document", "It is not valid JSON."))
        elif name == ids.STORIES_FILE:
            try:
                convert(ids.read_json(text), _StoryFile)
            except ValidationError as error:  # the first place that departs from the schema
                found.append(CheckFinding(name, 1, "document", f"{error}."))
        elif name == ids.TRACE:
            found += (CheckFinding(name, at, "document", each) for at, each in _check_trace(text))
        for number, line in prose_lines(text) if is_page else enumerate(text.split("\n"), 1):
            if kind := find_malformed_marker(line) if is_page else None:
                problem = f"The {kind} marker is malformed, so that what it marks is taken for a hand edit."
                found.append(CheckFinding(name, number, "document", problem))
            for cited in claims.CITATION.finditer(line) if is_page else ():
                is_free = claims.is_address(cited["path"]) or is_marked(line, cited.end())
                if problem := "" if is_free else check_citation(cited, lines_of):
                    found.append(CheckFinding(name, number, "citation", problem))
            given = [match["id"] for form in ids.DEFINING if (match := form.fullmatch(line))]
            if name == ids.STORIES_FILE:
                given = [each for each in _STORY.findall(line) if each not in withdrawn]
                line = _STORY.sub("", line)
            if gone := _WITHDRAWN.fullmatch(line):
                withdrawn.add(gone["id"])
                continue
            for each in given:
                defined.setdefault(each, []).append((name, number))
            mentioned |= dict.fromkeys((name, number, each) for each in ids.MENTION.findall(line))
    for name, number, each in mentioned:
        if each not in defined:
            why = "was withdrawn" if each in withdrawn else "is defined nowhere"
            found.append(CheckFinding(name, number, "id", f"{each} {why}."))
    for each, ((name, number), *again) in defined.items():
        twice = f"{each} is defined a second time; first in {name}, line {number}."
        found += [CheckFinding(file, at, "id", twice) for file, at in again]
        criteria = each.replace("FR-", "AC-") + "-"
        if each.startswith("FR-") and not any(other.startswith(criteria) for other in defined):
            found.append(CheckFinding(name, number, "id", f"{each} has no acceptance criterion."))
    order = list(documents)
    return tuple(sorted(found, key=lambda each: (order.index(each.file), each.line, each.text)))


class _StoryRow(Struct):
    id: Annotated[str, Meta(pattern="^US-[0-9]{3,}$")]
    as_a: str | None
    i_want: str | None
    so_that: str | None
    requirements: list[Annotated[str, Meta(pattern="^FR-[0-9]{3,}$")]]
    acceptance: list[Annotated[str, Meta(pattern="^AC-[0-9]{3,}-[0-9]{2,}$")]]
    text: Annotated[str, Meta(min_length=1)]
    unhappy: bool = False


class _StoryFile(Struct):
    item: str
    stories: list[_StoryRow]
    open_questions: list[Annotated[str, Meta(min_length=1)]]
    notes: list[dict[str, Any]] = []


def _check_trace(text: str) -> Iterator[tuple[int, str]]:
    """Yield the problems in the header, the rows and the ids of the traceability matrix, with their lines."""
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    rows = csv.reader(text.splitlines(keepends=True), delimiter=delimiter, strict=True)
    try:
        header = next(rows, [])
        if missing := ", ".join(each for each in ids.TRACE_COLUMNS if each not in header):
            yield 1, f"Columns are missing: {missing}."
        for row in filter(None, rows):
            identity = dict(zip(header, row, strict=False)).get("requirement", "FR-000")
            if len(row) != len(header):
                yield rows.line_num, f"A row has {len(row)} of {len(header)} cells."
            elif not re.fullmatch(r"FR-\d{3,}", identity):
                yield rows.line_num, f"{_quote(identity)} is not the id of a requirement."
    except csv.Error as error:
        yield rows.line_num, f"It is not valid CSV: {error}."


def _check_meta(meta: dict[str, Any], roster: Roster, steps: tuple[Step, ...]) -> Iterator[tuple[Any, str]]:
    """Yield the problems in a readable meta.json, each with the value or the field that it is about."""
    phases, completed, limit = meta["phases_completed"], meta["steps_completed"], max_turns(meta)
    known = {step.step_id for step in steps}
    for noun, keys in {"phase": PHASE_KEYS, "step": known}.items():
        for key, times in Counter(map(str, meta[f"{noun}s_completed"])).items():
            problem = f"{key} is listed {times} times." if key in keys else f"There is no {noun} {key}."
            if key not in keys or times > 1:
                yield f"{noun}s_completed", problem
    status, wanted = meta["analysis_status"], analysis_status(phases)
    if status != wanted:
        done = f"{sum(key in phases for key in PHASE_KEYS)} of {len(PHASE_KEYS)} phases"
        yield "analysis_status", f"analysis_status is {status!r}; with {done} it is {wanted!r}."
    for record in meta["elaborations"]:
        if not isinstance(record, dict):
            yield "elaborations", "The elaboration record is not an object."
            continue
        place, faulty = record.get("timestamp", "elaborations"), faulty_fields(record)
        for field in faulty:
            shown = cut_line(json.dumps(record.get(field), ensure_ascii=False), _LONGEST_QUOTE)
            yield place, f"{field} of an elaboration cannot be {shown}."
        sound = {field: value for field, value in record.items() if field not in faulty}
        if (step_id := sound.get("step_id")) and step_id not in known:
            yield place, f"There is no step {step_id}, which the record names."
        elif step_id and step_id not in completed:
            yield place, f"Step {step_id} was discussed but is not in steps_completed."
        if sound.get("turn_count", 0) > limit:
            yield place, f"turn_count is {sound['turn_count']}, above the limit of {limit} turns."
        if strangers := [key for key in sound.get("personas_active", ()) if key not in roster]:
            yield place, f"personas_active names {', '.join(strangers)}, and no persona has that key."


def _check_pairs(
    text: str, meta: dict[str, Any], blocks: Sequence[ElaborationBlock], written: set[str], excused: set[str]
) -> Iterator[CheckFinding]:
    """Yield blocks whose record in meta.json is missing or differs, and records without a block.

    Only steps in `written` have a document for a block; records with an `excused` timestamp need none.
    """
    fields = ("step_id", "timestamp", "turn_count")
    rows = (map(each.get, fields) for each in meta["elaborations"] if isinstance(each, dict))
    turns = {(str(step_id), str(at)): count for step_id, at, count in rows}
    for block in blocks:
        said = next((found[1] for _, line in block.lines if (found := _TURNS.match(line))), None)
        if block.key not in turns:
            problem = f"{ElaborationMarker(block.step_id, block.timestamp)} has no record in {META}."
            yield CheckFinding(block.file, block.line, "block", problem)
        elif said not in (None, str(turns[block.key])):
            problem = f"The block says {said} turns, the record in {META} says {turns[block.key]}."
            yield CheckFinding(block.file, block.line, "block", problem)
    for step_id, at in sorted(turns.keys() - {block.key for block in blocks}):
        if step_id in written and at not in excused:
            problem = f"No document holds the block of step {step_id}, {at}."
            yield CheckFinding(META, ids.find_json_line(text, at), "record", problem)


def _check_claims(
    blocks: Sequence[ElaborationBlock],
    transcripts: Sequence[TranscriptContent],
    documents: Mapping[str, str],
    lines_of: LinesOf,
    roster: Roster,
) -> Iterator[CheckFinding]:
    """Yield the sections that a block lacks, and its claims that nothing supports (ART-8).

    Figures and decisions are checked against the transcript if it exists. Marked text claims nothing.
    """
    names = {"User", "All", *(persona.first_name for persona in roster.personas)}
    written = {(block.file, number) for block in blocks for number, _ in block.lines}
    others = [
        "\n".join(line for number, line in enumerate(text.split("\n"), 1) if (name, number) not in written)
        for name, text in documents.items()
    ]
    held = {transcript.key: transcript for transcript in transcripts}
    for block in blocks:
        transcript, lines = held.get(block.key), [line for _, line in block.lines]
        is_silent = any(line.rstrip().endswith("| **User**: silent") for line in lines)
        sources = [*others, *(turn.text for turn in transcript.turns)] if transcript is not None else []
        headings = {found[1] for line in lines if (found := parse_heading(line))}
        is_whole = any(line.startswith("Key takeaway:") for line in lines)
        head = (f"Elaboration Insights (Step {block.step_id}: ", "**Participants**: ", "**Turns**: ")
        for part in () if is_whole else (*head, *[*HEADINGS.values()][:-1]):
            if not any(each.startswith(part) for each in (*headings, *lines)):
                problem = f"The block has no part '{part.rstrip(': ')}'."
                yield CheckFinding(block.file, block.line, "block", problem)
        for number, part, words in read_entries(block.lines):
            entry, wrong = unescape_markdown(words), list[tuple[FindingKind, str]]()
            credit = _CREDIT.match(words) if part == HEADINGS["insights"] else None
            who = credit["who"].split("/") if credit else []
            if part == HEADINGS["insights"] and not credit:
                wrong.append(("block", "The insight credits nobody."))
            if strangers := ", ".join(each for each in who if each not in names):
                wrong += [("block", f"The insight credits {strangers}, who was not at the table.")]
            for path in claims.find_paths(entry):
                if not is_marked(entry, path.end()) and not any(path["path"] in each for each in sources):
                    wrong.append(("citation", check_citation(path, lines_of)))
            for figure, _ in claims.find_unknown_figures(entry, sources) if transcript is not None else ():
                wrong.append(("claim", f"{figure} is not in the transcript or the documents."))
            if part == HEADINGS["decisions"] and not _is_decided(words.strip(), transcript, is_silent):
                wrong.append(("claim", f"Nothing that the user said decides this: {_quote(entry)}"))
            yield from (CheckFinding(block.file, number, kind, text) for kind, text in wrong if text)


def _is_decided(line: str, transcript: TranscriptContent | None, is_silent: bool) -> bool:
    """Whether the user may have decided a line, judged by the transcript; a marked line claims nothing."""
    if transcript is None or UNVERIFIED in line:
        return UNVERIFIED in line or not is_silent
    by_user = (each for each in transcript.turns if each.speaker.partition(" (")[0] == "User")
    said = {each.number: each.text for each in by_user}
    noted = next((each for each in transcript.entries if line in each.text), None)
    if noted is not None:
        return bool(said.keys() & {*noted.turns}) or bool(noted.review)
    return is_about(unescape_markdown(line), " ".join(said.values()))


def _find_lost(
    file: str, earlier: dict[str, tuple[str, str]], now: str, undone: Collection[str], steps: tuple[Step, ...]
) -> Iterator[str]:
    """Yield the answers, blocks and entries of blocks that an earlier commit has and the text `now` lacks."""

    def list_held(text: str) -> Iterator[str]:
        answers = sorted(find_answered(steps, file, text))
        yield from (f"The answer on {label} of step {step_id}" for step_id, label in answers)
        yield from (f"The answer {_quote(line)}" for line in text.split("\n") if ANSWER.fullmatch(line))
        for block in find_elaboration_blocks(file, strip_mark(text)):  # a mark may be removed
            if block.timestamp not in undone:
                name = f" block of step {block.step_id}, {block.timestamp},"
                yield f"The{name}"
                yield from (f"{_quote(words)} in the{name}" for *_, words in read_entries(block.lines))

    there = {*list_held(now)}
    stood = {held: commit for commit, (_, text) in earlier.items() for held in list_held(text)}
    for held, commit in stood.items():
        if held not in there:
            yield f"{held} was in commit {commit}, but not in the working tree."


def _find_lost_lines(earlier: dict[str, tuple[str, str]], now: str) -> Iterator[str]:
    """Yield others' lines that were lost when a commit added a block (ART-5) and are still missing."""
    versions = {**earlier, "": (next(reversed(earlier), ""), now)}
    for commit, (parent, text) in versions.items():
        before = earlier[parent][1] if parent in earlier else ""
        came = {*text.split("\n")} - {*before.split("\n")}
        if not any(isinstance(parse_marker(line), ElaborationMarker) for line in came):
            continue  # people edit their documents as they like
        kept = {_without_place(line) for page in (text, now) for line in (*page.split("\n"), "")}
        after = f"commit {commit}" if commit else "the working tree"
        for number, line in find_lines_of_others(before):
            if _without_place(line) not in kept:
                yield f"Line {number} of commit {parent} was lost when {after} added a block: {_quote(line)}"


def _without_place(line: str) -> str:
    """Return the part of a line that stays when it is moved, renumbered, realigned or unmarked."""
    words = " ".join(strip_mark(f" {line}").split()).strip("# ")
    words = strip_numbering(re.sub(r"\A[-*+] (?:\[[ xX]\] )?", "", words))
    return words if words.strip("-:|= ") else ""  # else a border or a rule


def _quote(line: str) -> str:
    return f'"{cut_line(" ".join(line.split()), _LONGEST_QUOTE)}"'
