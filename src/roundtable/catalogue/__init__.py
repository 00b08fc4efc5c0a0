"""Loads personas, steps and tracks: the built-in ones, changed by a project's own files.

Files in `.roundtable/personas`, `.roundtable/steps` and `.roundtable/tracks` add to the built-in content or
replace an entry with the same key or id; a persona can also be disabled. This package never writes a file
(rule STEP-8). `docs/content.md` describes the format.
"""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct
from msgspec.structs import asdict, replace

from ..content import HOME as BUILT_IN
from ..content import read_tables
from ..core import lazy_re as re
from ..core import steps as model
from ..core.errors import ContentBroken, RuleBroken
from ..core.personas import Ban, Persona, Roster
from ..core.progress import parse_condition
from ..core.steps import PHASE_KEYS, Criterion, Depth, Question, Step, Target
from ..core.text import fold_text
from ..core.tracks import Track
from ..core.turns import USER
from ..core.validation import find_check
from . import files
from .files import Loaded, Problem, UnusableError, convert, load_folder, read_text, split_front_matter

PROJECT_FOLDER = ".roundtable"
MAX_PERSONAS = 8
_MAX_PATTERN_LENGTH = 300
_PLAIN_WORDS = re.compile(r"\w(?:[\w '’-]*\w)?")
_BREAKS_ATTRIBUTION = re.compile(r"[:,;?!()\[\]{}<>/\\|*_`#\"]")
# Attributions that no persona may have as its name.
_RESERVED_NAMES = frozenset({"user", "you", "all"})
_KEY = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
MAX_LABEL_LENGTH = 60
_SECTIONS = ("Brief Mode", "Standard Mode", "Deep Mode", "Questions", "Validation", "Artifacts", "Notes")
_EXTRAS = ("help", "example", "draft", "without", "shows")
# An unclosed comment is not matched, so that no text is lost.
_COMMENT = re.compile(r"<!--(?>(?:(?!<!--|-->).)*)-->", re.DOTALL)
_NEXT_STEP = re.compile(r"(?m)^(?=---\nstep_id:)")
_SECTION = re.compile(r"(?m)^##[ \t]++(.+)")
_LABEL = re.compile(r"(?m)^###[ \t]++(.+)")
_EXTRA = re.compile(r"(?m)^-[ \t]++(\w++):")
_DRAFT = re.compile(r"(?:item(?: steps| wish| whole)?|survey|text:[ \t]*\S.*|answer[ \t]+\S.*)?", re.DOTALL)
# A step, and each ignored field of its file with the reason.
_StepFile = tuple[Step, list[tuple[str, str]]]
# A key, and its persona or None if it is disabled.
_PersonaFile = tuple[str, Persona | None]


class Content(Struct, frozen=True):
    """Personas, steps and tracks, with the problems in their files; `tracks` also has those of steps."""

    personas: tuple[tuple[Persona, ...], tuple[Problem, ...]]
    steps: tuple[Step, ...]
    tracks: tuple[tuple[Track, ...], tuple[Problem, ...]]


def load_roster(project: Path | None = None) -> Roster:
    """Return the personas at the table; raise ContentBroken when none is left."""
    return read_roster(project)[0]


def load_steps(project: Path | None = None) -> tuple[Step, ...]:
    """Return all steps of all phases, in the order in which they run."""
    return _load_content(project).steps


def read_roster(project: Path | None = None) -> tuple[Roster, tuple[Problem, ...]]:
    """Return the personas at the table and their files' problems; raise ContentBroken if none is left."""
    personas, problems = read_personas(project)
    if not personas:
        failed = "No persona is left: every one of them is disabled."
        do = f"Take `disabled: true` out of one of the files in {PROJECT_FOLDER}/personas/."
        raise ContentBroken(failed, saved="Nothing was changed.", do=do)
    return Roster(personas), problems


def read_personas(project: Path | None = None) -> tuple[tuple[Persona, ...], tuple[Problem, ...]]:
    """Like `read_roster`, but report an empty table as one more problem instead of raising."""
    return _load_content(project).personas


def read_tracks(project: Path | None = None) -> tuple[tuple[Track, ...], tuple[Problem, ...]]:
    """Return the tracks, worded for the kind of project, and the problems in step and track files."""
    tracks, problems = _load_content(project).tracks
    kind = find_project_kind(project) if project is not None else ""
    worded = (replace(each, steps=tuple(step.word_for(kind) for step in each.steps)) for each in tracks)
    return tuple(worded), problems


def find_project_kind(root: Path) -> str:
    """Return `library`, `service`, `app` or `tool`, judged by the top-level files; empty if unclear."""
    home, manifests = root.resolve(), ""
    for name in ("pyproject.toml", "Cargo.toml", "package.json"):
        with suppress(UnusableError):
            manifests += read_text(home / name, home) + "\n"
    for kind, signs in read_tables("survey.toml")["projects"].items():
        if re.search(signs["manifest"], manifests) or any((home / name).exists() for name in signs["files"]):
            return str(kind)
    return ""


def _load_content(project: Path | None) -> Content:
    # BUILT_IN itself has no such folder, so that nothing is merged.
    own = (project or BUILT_IN) / PROJECT_FOLDER
    has_own = any(os.path.lexists(own / kind) for kind in ("personas", "steps", "tracks"))
    return _parse_content(own) if has_own else _parse_built_in()


class _Switch(Struct):
    key: files.ShortName
    disabled: bool = False


class _PersonaFields(_Switch, kw_only=True, forbid_unknown_fields=True):
    name: files.Name
    role: files.Name
    short_role: Annotated[str, Meta(min_length=1, max_length=30)] = ""
    phases: files.Texts = ()
    perspective: files.ShortName
    lens: files.SomeTexts
    identity: files.Text = ""
    principles: files.Texts = ()
    patterns: files.Texts = ()
    towards: dict[files.ShortName, files.Text] = {}
    bans: Annotated[tuple[Ban, ...], Meta(max_length=100)] = ()


class _StepFields(Struct, forbid_unknown_fields=True):
    step_id: files.Text
    title: files.Name
    persona: files.ShortName
    depth: Depth
    outputs: files.SomeTexts
    # A fault in one of these does not lose the step, so each is checked on its own.
    depends_on: Any = ()
    skip_if: Any = ""


def _parse_content(own: Path) -> Content:
    """Return the built-in content merged with that in `own`; a replaced step keeps its place in the order."""
    persona_problems: list[Problem] = []
    personas = _load_personas(own, persona_problems)
    problems: list[Problem] = []

    def load_steps(root: Path, *folders: str) -> Iterator[Loaded[_StepFile]]:
        for folder in (each for name in folders for each in sorted(root.glob(name)) or [root / name]):
            for file in load_folder(root, folder.relative_to(root).as_posix(), problems, parse_steps):
                for step in file.value:
                    place = file.place if len(file.value) == 1 else step[0].step_id[3:]
                    yield Loaded(step, file.shown, place)

    finish = partial(_finish_steps, Roster(personas) if personas else None, problems)
    roots = (BUILT_IN, own)
    found: dict[str, Loaded[_StepFile]] = {}
    for root in roots:
        given: dict[str, Loaded[_StepFile]] = {}
        for entry in load_steps(root, "steps", "steps/[!.]*"):
            step_id = entry.value[0].step_id
            if (first := given.setdefault(step_id, entry)) is entry:
                found[step_id] = replace(entry, place=found.get(step_id, entry).place)
            else:
                reason = f"{step_id} is already the id of {first.shown}"
                problems.append(Problem(entry.shown, "step_id", reason, skipped=True))
    in_order = sorted(found.values(), key=lambda entry: (entry.value[0].step_id[:2], entry.place))
    steps = tuple(finish(in_order))
    tracks: dict[str, Track] = {}
    for root in roots:
        brought = tuple(finish(load_steps(root, "tracks/[!.]*", "tracks/[!.]*/[!.]*")))
        parse = partial(parse_track, steps=steps, brought=brought)
        tracks |= {each.value.key: each.value for each in load_folder(root, "tracks", problems, parse)}
    return Content((personas, tuple(persona_problems)), steps, (tuple(tracks.values()), tuple(problems)))


_parse_built_in = cache(partial(_parse_content, BUILT_IN / PROJECT_FOLDER))


def _load_personas(own: Path, problems: list[Problem]) -> tuple[Persona, ...]:
    """Return the personas at the table: ours, replaced or disabled in place, then the project's own."""
    built = load_folder(BUILT_IN, "personas", problems, partial(parse_persona, trusted=None))
    ours = {file.value[0]: file for file in built}
    # The patterns of built-in personas are tested one by one, so a copy may keep them.
    trusted = {ban.pattern for file in built if (persona := file.value[1]) for ban in persona.bans}
    added: dict[str, Loaded[_PersonaFile]] = {}
    parse = partial(parse_persona, trusted=trusted)
    for file in load_folder(own, "personas", problems, parse):
        if (other := added.setdefault(file.value[0], file)) is not file:
            reason = f"'{file.value[0]}' is already the key of {other.shown}"
            problems.append(Problem(file.shown, "key", reason, skipped=True))
    while clash := _find_clash(ours | added, added):
        problems.append(clash)
        added = {key: file for key, file in added.items() if file.shown != clash.file}
    seated = tuple(persona for _, persona in (file.value for file in (ours | added).values()) if persona)
    if not seated:
        problems.append(Problem(".roundtable/personas", "disabled", "no persona is left", skipped=False))
    for phase in PHASE_KEYS:
        leads = [persona.name for persona in seated if phase in persona.phases]
        if len(leads) > 1:
            reason = f"{phase} is led by {' and '.join(leads)}; only {leads[0]} does it"
            problems.append(Problem(".roundtable/personas", "phases", reason, skipped=False))
    return seated


def _find_clash(given: Mapping[str, Loaded[_PersonaFile]], added: Collection[str]) -> Problem | None:
    """Return the first clash between personas, as a problem in a project's own file; None without one."""
    taken: dict[str, tuple[Persona, str]] = {}
    for seat in ((persona, file.shown) for file in given.values() if (persona := file.value[1])):
        other = taken.setdefault(fold_text(seat[0].first_name), seat)
        if other is not seat:
            (_, refused), (stays, _) = (seat, other) if seat[0].key in added else (other, seat)
            reason = f"{stays.name} has the same first name; nobody could tell whom you address"
            return Problem(refused, "name", reason, skipped=True)
        if len(taken) > MAX_PERSONAS:
            return Problem(seat[1], "key", f"{MAX_PERSONAS} personas are at the table already", skipped=True)
    return None


def _finish_steps(
    roster: Roster | None, problems: list[Problem], loaded: Iterable[Loaded[_StepFile]]
) -> Iterator[Step]:
    """Yield the steps, depending only on earlier ones, each with a persona who is at the table."""
    before: set[str] = set()
    for entry in loaded:
        step, ignored = entry.value
        missing = [other for other in step.depends_on if other not in before]
        ignored += (("depends_on", f"no step {each[:60]} comes before it; it is ignored") for each in missing)
        step = replace(step, depends_on=tuple(each for each in step.depends_on if each in before))
        before.add(step.step_id)
        if roster is not None and step.phase is not None and step.persona not in roster:
            lead = roster.lead_of(step.phase.key)
            # A project that disables a persona needs no warning for each built-in step of that persona.
            if not entry.shown.startswith(BUILT_IN.name):
                reason = f"no persona has the key '{step.persona}'; {lead.name} conducts the step"
                ignored.append(("persona", reason))
            step = replace(step, persona=lead.key)
        problems += (Problem(entry.shown, *fault, skipped=False) for fault in ignored)
        yield step


def parse_persona(text: str, trusted: Collection[str] | None) -> _PersonaFile:
    """Return a file's key and persona, None for a disabled one; `trusted=None` trusts all patterns."""
    fields, _ = split_front_matter(text)
    switch = convert(fields, _Switch)
    if not _KEY.fullmatch(switch.key) or switch.key == USER:
        said = f"must be small letters, digits and single hyphens, such as `security-lead`, and not `{USER}`"
        raise UnusableError("key", said)
    if switch.disabled:
        return switch.key, None
    given = convert(fields, _PersonaFields)
    first = given.name.split()[0]
    is_reserved = first.casefold() in _RESERVED_NAMES
    if _BREAKS_ATTRIBUTION.search(given.name) or not first[0].isalpha() or is_reserved:
        said = "must begin with a letter, hold no brackets, slashes or marks such as : , * #"
        raise UnusableError("name", f"{said} and not begin with {', '.join(sorted(_RESERVED_NAMES))}")
    if not set(given.phases) <= set(PHASE_KEYS):
        raise UnusableError("phases", f"must be among {', '.join(PHASE_KEYS)}")
    own = asdict(given)
    del own["disabled"]
    own["short_role"] = given.short_role or given.role
    own["towards"] = tuple(given.towards.items())
    if trusted is not None:
        own["bans"] = tuple(ban if ban.pattern in trusted else _ban_words(ban) for ban in given.bans)
    return given.key, Persona(**own)


def _ban_words(ban: Ban) -> Ban:
    """Return the ban with a project's plain words as a pattern that is quick on any text."""
    choices = [words.strip() for words in ban.pattern.split("|")]
    if len(ban.pattern) > _MAX_PATTERN_LENGTH or not all(map(_PLAIN_WORDS.fullmatch, choices)):
        said = f"a pattern has plain words with | between them, {_MAX_PATTERN_LENGTH} characters at most"
        raise UnusableError("bans", said)
    return replace(ban, pattern=rf"\b(?:{'|'.join(choices)})\b".replace(" ", r"\s+"))


def parse_track(text: str, steps: tuple[Step, ...], brought: tuple[Step, ...]) -> Track:
    """Return the track in a file, made of the analysis's steps and of those in track folders."""
    fields, _ = split_front_matter(text)
    if not _KEY.fullmatch(str(fields.get("key"))):
        raise UnusableError("key", "must be one word of small letters, digits and hyphens")
    if fields.get("steps") != "all":
        known = {step.step_id: step for step in (*steps, *brought)}
        named = dict.fromkeys(convert(fields.get("steps"), files.SomeTexts, "steps"))
        if unknown := [step_id for step_id in named if step_id not in known]:
            raise UnusableError("steps", f"there is no step {unknown[0][:60]}")
        # Earlier phases come first; dependencies on steps outside the track are dropped.
        chosen = sorted((known[each] for each in named), key=lambda step: step.step_id[:2])
        met = ([each for each in step.depends_on if each in named] for step in chosen)
        steps = tuple(replace(step, depends_on=tuple(each)) for step, each in zip(chosen, met, strict=True))
    return convert(fields | {"steps": steps}, Track)


def parse_steps(text: str) -> list[_StepFile]:
    """Return the steps in a file, which may hold several."""
    return [parse_step(part) for part in _NEXT_STEP.split(text) if part.strip()]


def parse_step(text: str) -> _StepFile:
    """Return a step and the faults in `depends_on` and `skip_if`; raise UnusableError for any other fault."""
    fields, body = split_front_matter(text)
    given = convert(fields, _StepFields)
    if not model.is_step_id(given.step_id) or model.phase_of(given.step_id) is None:
        raise UnusableError("step_id", "must be the number of a phase, 00 to 04, a hyphen and two digits")
    for output in given.outputs:
        if not model.is_output_name(output) or output.lower() in model.ITEM_FILES:
            said = "must be a plain name in .md, .json or .csv, and of no file of the item itself"
            raise UnusableError("outputs", f"'{output[:60]}' {said}")
    given.outputs = tuple(dict.fromkeys(given.outputs))
    ignored = []
    try:
        given.depends_on = tuple(dict.fromkeys(convert(given.depends_on, files.Texts)))
    except UnusableError as error:
        ignored.append(("depends_on", f"{error}; it is ignored"))
        given.depends_on = ()
    try:
        if convert(given.skip_if, str):
            parse_condition(given.skip_if)
    except (UnusableError, RuleBroken) as error:
        ignored.append(("skip_if", f"cannot be read and is ignored ({error})"))
        given.skip_if = ""
    sections: dict[str, str] = {}
    for title, lines in _split_at(_SECTION, _COMMENT.sub("", body))[1]:
        if title.title() not in _SECTIONS:
            raise UnusableError(f"section '{title[:60]}'", f"is not known; known: {', '.join(_SECTIONS)}")
        sections[title.title()] = sections.get(title.title(), "") + lines
    every_depth = sections.get("Questions", "")
    standard = _parse_questions("Standard Mode", sections.get("Standard Mode", every_depth), {})
    brief = _parse_questions("Brief Mode", sections.get("Brief Mode", every_depth), standard)
    deep = _parse_questions("Deep Mode", sections.get("Deep Mode", every_depth), standard)
    if not (spare := standard or deep or brief):
        said = "asks no question; a question is a line `### Label` with a paragraph below it"
        raise UnusableError("body", said)
    labels = {*brief, *standard, *deep}
    criteria = tuple(Criterion(*cells) for cells in _parse_rows(sections, "Validation", 3))
    for each in criteria:
        if each.label not in labels or find_check(each.check) is None:
            said = f"'{each.label} | {each.check}' names no question here, or no check that there is"
            raise UnusableError("Validation", said[:200])
    targets = tuple(Target(*cells) for cells in _parse_rows(sections, "Artifacts", 2))
    if foreign := [each.output for each in targets if each.output not in given.outputs]:
        raise UnusableError("Artifacts", f"'{foreign[0][:60]}' is not among the outputs")
    own = asdict(given) | {"validation": criteria, "targets": targets}
    for depth, questions in (("brief", brief), ("standard", standard), ("deep", deep)):
        own[depth] = tuple((questions or spare).values())
    return Step(**own), ignored


def _split_at(heading: re.Pattern[str], text: str) -> tuple[str, list[tuple[str, str]]]:
    """Return the text before the first heading, and each heading with the text below it."""
    first, *rest = heading.split(text)
    titles = (" ".join(title.split()) for title in rest[::2])
    return first, list(zip(titles, rest[1::2], strict=True))


def _parse_questions(section: str, text: str, standard: Mapping[str, Question]) -> dict[str, Question]:
    """Return a depth's questions by label; a label without text repeats the question of Standard Mode."""
    questions: dict[str, Question] = {}
    for label, block in _split_at(_LABEL, text)[1]:
        place = f"{section}, '{label[:MAX_LABEL_LENGTH]}'"
        if len(label) > MAX_LABEL_LENGTH or set(label) & set("*|`<>"):
            said = f"a label has at most {MAX_LABEL_LENGTH} characters and none of * | ` < >"
            raise UnusableError(place, said)
        if label in questions:
            raise UnusableError(place, "the label stands twice at this depth")
        is_repeated = label in standard and not block.strip()
        questions[label] = standard[label] if is_repeated else _parse_question(label, block, place)
    return questions


def _parse_question(label: str, block: str, place: str) -> Question:
    text, extras = _split_at(_EXTRA, block)
    parts = {name.lower(): " ".join(words.split()) for name, words in extras}
    kinds = tuple((kind, parts.pop(kind)) for kind in model.PROJECT_KINDS if kind in parts)
    if not text.strip():
        raise UnusableError(place, "has no question below the label")
    if unknown := [name for name in parts if name not in _EXTRAS]:
        raise UnusableError(place, f"'{unknown[0][:60]}' is not known; known: {', '.join(_EXTRAS)}")
    drafts = [each for name in ("draft", "shows") for each in model.split_drafts(parts.get(name, ""))]
    if not all(map(_DRAFT.fullmatch, drafts)):
        raise UnusableError(place, "a draft must be item, survey, answer ... or text: ...")
    return replace(Question(label, " ".join(text.split()), kinds=kinds), **parts)


def _parse_rows(sections: Mapping[str, str], section: str, columns: int) -> Iterator[list[str]]:
    """Yield the cells of each list line in a section; raise UnusableError unless there are `columns`."""
    for line in filter(None, (" ".join(line.split()) for line in sections.get(section, "").split("\n"))):
        cells = [cell.strip() for cell in line.removeprefix("-").split("|", columns - 1)]
        if not line.startswith("- ") or len(cells) != columns or not all(cells):
            raise UnusableError(section, f"a line needs {columns} parts with | between them: {line[:80]}")
        yield cells
