"""Puts personas, steps and tracks together from their files, the built-in ones and a project's own.

`docs/content.md` says how a file is written.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, replace

from ..core import steps as model
from ..core.errors import RuleBroken
from ..core.personas import Roster
from ..core.progress import parse_condition
from ..core.steps import PHASE_KEYS, PHASES, Criterion, Depth, Phase, Question, Step, Target
from ..core.tracks import Track
from ..core.validation import is_known_check
from . import BUILT_IN, Content, files
from .files import ContentFile, Loaded, Problem, UnusableError, load_folder, parse_markdown
from .personas import load_personas

_EVERY_STEP = "all"
_KEY = re.compile(r"[a-z][a-z0-9-]{1,30}")
MAX_LABEL_LENGTH = 60
_MODES = ("Brief Mode", "Standard Mode", "Deep Mode")
_ALL_MODES = "Questions"
_SECTIONS = (*_MODES, _ALL_MODES, "Validation", "Artifacts", "Notes")
_EXTRAS = ("Help", "Example", "Draft", "Without", "Shows", "Formerly")
# One that nothing closes takes nothing with it.
_COMMENT = re.compile(r"<!--(?>(?:(?!<!--|-->).)*)-->", re.DOTALL)
_SECTION = re.compile(r"##[ \t]++(.+)")
_LABEL = re.compile(r"###[ \t]++(.+)")
_EXTRA = re.compile(r"-[ \t]++(\w+):[ \t]*+(.*)")
_DRAFT = re.compile(r"item(?: steps| wish| title)?|survey|text:[ \t]*\S.*|answer[ \t]+\S.*", re.DOTALL)
# These belong to the item itself.
_RESERVED_OUTPUTS = frozenset({"meta.json", "draft.md", "parking-lot.md", "state.json"})


class _TrackFields(Struct):
    key: files.Name
    title: files.Name
    summary: files.Text
    steps: Any
    short: bool = False
    most_words: int = 0
    words: files.Texts = ()
    title_words: files.Texts = ()
    unless_first: files.Texts = ()
    first_words: files.Texts = ()


class _StepFields(Struct):
    step_id: files.Text
    title: files.Name
    persona: files.ShortName
    depth: Depth
    outputs: files.SomeTexts
    # A step survives a fault in these, so each is checked on its own.
    depends_on: Any = ()
    skip_if: Any = ""


def parse_content(own: Path | None) -> Content:
    """Return the content with a project's own folder; a step of it keeps the place of the one it replaces."""
    persona_problems: list[Problem] = []
    personas, disabled = load_personas(BUILT_IN, own, persona_problems)
    problems: list[Problem] = []

    def load_steps(root: Path, folder: str) -> Iterator[Loaded[Step]]:
        for phase in PHASES:
            parse = partial(parse_markdown, parse_step, phase)
            yield from load_folder(root, f"{folder}/{phase.key}", problems, parse)

    finish = partial(_finish_steps, Roster(personas) if personas else None, disabled, problems)
    roots = (BUILT_IN, own) if own else (BUILT_IN,)
    found: dict[str, Loaded[Step]] = {}
    for root in roots:
        shown: dict[str, str] = {}
        for entry in load_steps(root, "steps"):
            step_id = entry.value.step_id
            if (first := shown.setdefault(step_id, entry.shown)) == entry.shown:
                found[step_id] = replace(entry, place=found.get(step_id, entry).place)
            else:
                reason = f"{step_id} is already the id of {first}"
                problems.append(Problem(entry.shown, "step_id", reason, skipped=True))
    if own is not None:
        problems += _find_strays(own)
    steps = tuple(finish(sorted(found.values(), key=lambda entry: (entry.value.step_id[:2], entry.place))))
    step_problems = tuple(problems)
    tracks: dict[str, Track] = {}
    for root in roots:
        folders = sorted(path for path in (root / "tracks").glob("*") if path.is_dir())
        brought = tuple(step for each in folders for step in finish(load_steps(root, f"tracks/{each.name}")))
        parse = partial(parse_markdown, _parse_track, (steps, brought))
        tracks |= {each.value.key: each.value for each in load_folder(root, "tracks", problems, parse)}
    return Content(
        personas=(personas, tuple(persona_problems)),
        steps=(steps, step_problems),
        tracks=(tuple(tracks.values()), tuple(problems)),
    )


def _parse_track(file: ContentFile, both: tuple[tuple[Step, ...], tuple[Step, ...]]) -> Track:
    """Return the track of a file, from the steps of the analysis and those that tracks bring along."""
    steps, brought = both
    given = file.convert_fields(_TrackFields, "track")
    if not _KEY.fullmatch(given.key):
        raise UnusableError("key", "must be one word of small letters, digits and hyphens")
    if given.steps != _EVERY_STEP:
        known = {step.step_id: step for step in (*steps, *brought)}
        named = dict.fromkeys(files.convert(given.steps, files.Texts))
        for step_id in (step_id for step_id in named if step_id not in known):
            file.warn("steps", f"there is no step {step_id[:60]}; it is ignored")
        # Those of an earlier phase come first; what they need of steps outside the track is left out.
        chosen = sorted((known[each] for each in named if each in known), key=lambda step: step.step_id[:2])
        met = ([each for each in step.depends_on if each in named] for step in chosen)
        steps = tuple(replace(step, depends_on=tuple(each)) for step, each in zip(chosen, met, strict=True))
    if not steps:
        raise UnusableError("steps", "names no step that there is")
    fields = asdict(given) | {"steps": steps, "most_words": max(given.most_words, 0)}
    return Track(is_short=fields.pop("short"), **fields)


def _finish_steps(
    roster: Roster | None, disabled: Collection[str], problems: list[Problem], loaded: Iterable[Loaded[Step]]
) -> Iterator[Step]:
    """Yield the steps with the dependencies that come before them, each with a persona at the table."""
    before: set[str] = set()
    for entry in loaded:
        step, lead = entry.value, None
        met = tuple(other for other in step.depends_on if other in before)
        for other in (other for other in step.depends_on if other not in before):
            reason = f"no step {other[:60]} comes before it; it is ignored"
            problems.append(Problem(entry.shown, "depends_on", reason, skipped=False))
        before.add(step.step_id)
        if roster is not None and step.phase is not None and step.persona not in roster:
            lead = roster.lead_of(step.phase.key)
            # Who was sent away on purpose needs no warning for each of the steps it would have conducted.
            if step.persona not in disabled:
                reason = f"no persona has the key '{step.persona}'; {lead.name} conducts the step"
                problems.append(Problem(entry.shown, "persona", reason, skipped=False))
        yield replace(step, depends_on=met, persona=lead.key if lead else step.persona)


def _find_strays(own: Path) -> list[Problem]:
    """Return a problem for each step file or folder of a project that no phase would ever look for."""
    reason = f"is not the folder of a phase; known phases: {', '.join(PHASE_KEYS)}"
    return [
        Problem(f"{own.name}/steps/{files.escape_hidden(path.name)}", "", reason, skipped=True)
        for path in sorted((own / "steps").glob("[!.]*"))
        if path.name not in PHASE_KEYS and path.name.lower() != "readme.md"
        if path.is_dir() or path.suffix.lower() == ".md"
    ]


def parse_step(file: ContentFile, phase: Phase) -> Step:
    """Return the step of a file in a phase's folder; raises UnusableError for a wrong field."""
    given = file.convert_fields(_StepFields, "step")
    if not model.is_step_id(given.step_id) or model.phase_of(given.step_id) != phase:
        said = f"must be {phase.number}, a hyphen and two digits in the folder {phase.key}"
        raise UnusableError("step_id", said)
    for output in given.outputs:
        if not model.is_output_name(output) or output.lower() in _RESERVED_OUTPUTS:
            said = "must be a plain name in .md, .json or .csv, and of no file of the item itself"
            raise UnusableError("outputs", f"'{output[:60]}' {said}")
    sections = _split_sections(file)
    if _ALL_MODES in sections:
        sections |= {name: sections.get(name, sections[_ALL_MODES]) for name in _MODES}
    modes = {name: _parse_mode(name, sections.get(name, []), file) for name in _MODES}
    brief, standard, deep = modes.values()
    spare = standard or deep or brief
    if not spare:
        said = "asks no question; a question is a line `### Label` with a paragraph below it"
        raise UnusableError("body", said)
    for name in (name for name, questions in modes.items() if not questions):
        file.warn(f"section '{name}'", "holds no question; those of another depth are asked")
    labels = {question.label for question in (*brief, *standard, *deep)}
    skip_if = file.convert_or_warn("skip_if", str, "")
    try:
        if skip_if:
            parse_condition(skip_if)
    except RuleBroken as error:
        file.warn("skip_if", f"cannot be read and is ignored ({error.args[0]})")
        skip_if = ""
    criteria, targets = [], []
    for label, check, follow_up in _parse_rows(file, sections, "Validation", 3):
        if label not in labels:
            file.warn("Validation", f"no question has the label '{label}'; ignored: {check}")
        elif not is_known_check(check):
            file.warn("Validation", f"'{check}' is not a known check; ignored: {label}")
        else:
            criteria.append(Criterion(label, check, follow_up))
    for output, section in _parse_rows(file, sections, "Artifacts", 2):
        if output in given.outputs:
            targets.append(Target(output, section))
        else:
            file.warn("Artifacts", f"'{output}' is not among the outputs; ignored: {section}")
    return Step(
        step_id=given.step_id,
        title=given.title,
        persona=given.persona,
        depth=given.depth,
        outputs=tuple(dict.fromkeys(given.outputs)),
        depends_on=tuple(dict.fromkeys(file.convert_or_warn("depends_on", files.Texts, ()))),
        skip_if=skip_if,
        brief=brief or spare,
        standard=standard or spare,
        deep=deep or spare,
        validation=tuple(criteria),
        targets=tuple(targets),
    )


def _split_at(heading: re.Pattern[str], lines: Iterable[str]) -> list[tuple[str, list[str]]]:
    """Return each heading with the lines below it; what stands before the first is left out."""
    parts: list[tuple[str, list[str]]] = []
    for line in map(str.rstrip, lines):
        if found := heading.fullmatch(line):
            parts.append((" ".join(found[1].split()), []))
        elif parts:
            parts[-1][1].append(line)
    return parts


def _split_sections(file: ContentFile) -> dict[str, list[str]]:
    """Return the lines of the body under each known heading, without comments."""
    names = {name.lower(): name for name in _SECTIONS}
    sections: dict[str, list[str]] = {}
    for title, lines in _split_at(_SECTION, _COMMENT.sub("", file.body).split("\n")):
        if name := names.get(title.lower()):
            sections.setdefault(name, []).extend(lines)
        else:
            file.warn(f"section '{title[:60]}'", f"is ignored; known: {', '.join(_SECTIONS)}")
    return sections


def _parse_mode(mode: str, lines: list[str], file: ContentFile) -> tuple[Question, ...]:
    questions: dict[str, Question] = {}
    for label, block in _split_at(_LABEL, lines):
        place = f"{mode}, '{label[:MAX_LABEL_LENGTH]}'"
        if len(label) > MAX_LABEL_LENGTH or set(label) & set("*|`<>"):
            file.warn(place, f"a label has at most {MAX_LABEL_LENGTH} characters and none of * | ` < >")
        elif label in questions:
            file.warn(place, "the label stands twice at this depth; the second question is ignored")
        elif question := _parse_question(label, block, place, file):
            questions[label] = question
    return tuple(questions.values())


def _parse_question(label: str, lines: list[str], place: str, file: ContentFile) -> Question | None:
    words: dict[str, list[str]] = {"": []}
    current = words[""]
    for line in lines:
        if extra := _EXTRA.fullmatch(line):
            current = words.setdefault(extra[1].lower(), [])
        current.append(extra[2] if extra else line)
    parts = {name: " ".join(" ".join(part).split()) for name, part in words.items()}
    text = parts.pop("")
    help_text, example, draft, without, shows, formerly = (parts.pop(name.lower(), "") for name in _EXTRAS)
    kinds = tuple((kind, parts.pop(kind)) for kind in model.PROJECT_KINDS if kind in parts)
    for name in parts:
        file.warn(place, f"'{name}' is ignored; known: {', '.join(_EXTRAS)}")
    if not text:
        file.warn(place, "has no question below the label and is ignored")
        return None
    if not all(map(_DRAFT.fullmatch, filter(None, (*model.split_drafts(draft), *model.split_drafts(shows))))):
        file.warn(place, "the draft must be item, survey, answer ... or text: ...; it is ignored")
        draft = shows = ""
    return Question(label, text, help_text, example, draft, without, kinds, shows, formerly=formerly)


def _parse_rows(
    file: ContentFile, sections: Mapping[str, list[str]], section: str, columns: int
) -> Iterator[list[str]]:
    """Yield the list lines of a section, each cut at its bars into so many cells."""
    for line in filter(None, (" ".join(line.split()) for line in sections.get(section, ()))):
        cells = [cell.strip() for cell in line.removeprefix("-").split("|", columns - 1)]
        if line.startswith("- ") and len(cells) == columns and all(cells):
            yield cells
        else:
            file.warn(section, f"a line needs {columns} parts with | between them; ignored: {line[:80]}")
