"""Progress: what meta.json says is done, what comes next and how deep (META-4, STEP-3, DEPTH-1)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from . import lazy_re as re
from .errors import RuleBroken
from .steps import DEPTHS, PHASE_KEYS, PHASES, Depth, Phase, Step
from .text import fold_text, word_set, words_of

StepState = Literal["done", "current", "ahead", "not needed", "skipped"]
"""The state of a step of an item; `skipped` means that its phase ended without it."""
_RECORD_FIELDS = ("step_id", "turn_count", "personas_active", "timestamp", "synthesis_summary")
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def analysis_status(phases_completed: object) -> Literal["raw", "partial", "analyzed"]:
    """Return how far an analysis is: none, some or all of the five phases are complete (META-4)."""
    recorded = phases_completed if isinstance(phases_completed, list | tuple) else ()
    count = sum(key in recorded for key in PHASE_KEYS)
    return "raw" if count == 0 else "analyzed" if count == len(PHASE_KEYS) else "partial"


def faulty_fields(record: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the fields of an elaboration record that are missing or of the wrong kind (META-5)."""
    step_id, turns, personas, at, summary = (record.get(name) for name in _RECORD_FIELDS)
    is_sound = (
        isinstance(step_id, str) and step_id != "",
        type(turns) is int and turns >= 1,
        isinstance(personas, list | tuple) and personas and all(isinstance(key, str) for key in personas),
        isinstance(at, str) and _TIMESTAMP.fullmatch(at) is not None,
        isinstance(summary, str) and summary.strip() != "" and summary.splitlines() == [summary],
    )
    return tuple(name for name, sound in zip(_RECORD_FIELDS, is_sound, strict=True) if not sound)


class Past(Struct, frozen=True):
    step_id: str
    summary: str  # of an earlier elaboration, as meta.json has it


class Progress(Struct, frozen=True):
    steps_completed: tuple[str, ...] = ()
    phases_completed: tuple[str, ...] = ()
    elaborations: tuple[Past, ...] = ()


class RemainingSteps(Struct, frozen=True):
    steps: tuple[Step, ...]  # those of a phase that can run now
    warnings: tuple[str, ...] = ()  # why others cannot


class Position(Struct, frozen=True):
    phase: Phase
    step: Step | None  # the one to run; None if the phase's menu is next
    last: Step | None = None  # the last completed one
    warnings: tuple[str, ...] = ()


def steps_of_phase(steps: Sequence[Step], phase: Phase) -> tuple[Step, ...]:
    """Return the steps of a phase in their order."""
    return tuple(step for step in steps if step.phase == phase)


def find_remaining_steps(
    steps: Sequence[Step], phase: Phase, completed: Sequence[str], facts: Mapping[str, str]
) -> RemainingSteps:
    """Return the steps of a phase that can run: not done, not skipped, with complete dependencies."""
    runnable, warnings = [], []
    for step in steps_of_phase(steps, phase):
        if step.step_id in completed or is_skipped(step, facts):
            continue
        if missing := [needed for needed in step.depends_on if needed not in completed]:
            needed = f"step {missing[0]} is" if len(missing) == 1 else f"steps {' and '.join(missing)} are"
            warnings.append(f"Step {step.step_id} ({step.title}) is skipped, because {needed} not complete.")
        else:
            runnable.append(step)
    return RemainingSteps(tuple(runnable), tuple(warnings))


# A term of `skip_if`, and the word that joins it to the next: `and` binds before `or`.
_TERM = re.compile(
    r"""\s*(?:(?P<name>\w+)\s*(?P<sign>==|!=)\s*(?P<quoted>'[^']*'|"[^"]*")|(?P<word>true|false)\b)"""
    r"\s*(?:(?P<joint>and|or)\b|\Z)"
)


def parse_condition(text: str) -> list[list[re.Match[str]]]:
    """Return a condition as rows of terms, one of which must hold; raise `RuleBroken` if it is invalid."""
    rows: list[list[re.Match[str]]] = [[]]
    at = 0
    while found := _TERM.match(text, at):
        rows[-1].append(found)
        if found["joint"] is None:
            return rows
        rows += [[]] if found["joint"] == "or" else []
        at = found.end()
    raise RuleBroken(f"The condition does not parse: {text[at:].strip()[:40]!r} is not understood.")


def is_skipped(step: Step, facts: Mapping[str, str]) -> bool:
    """Whether the step's `skip_if` holds; it does not if it cannot be parsed or names an unknown fact."""

    def holds(term: re.Match[str]) -> bool:
        if term["word"]:
            return term["word"] == "true"
        return (facts[term["name"]] == term["quoted"][1:-1]) == (term["sign"] == "==")

    try:
        rows = [[holds(term) for term in row] for row in parse_condition(step.skip_if)]
    except (RuleBroken, KeyError):
        return False
    return any(map(all, rows))


def find_state(step: Step, current: Step | None, progress: Progress, facts: Mapping[str, str]) -> StepState:
    if step.step_id in progress.steps_completed:
        return "done"
    if is_skipped(step, facts):
        return "not needed"
    if step.phase is not None and step.phase.key in progress.phases_completed:
        return "skipped"
    return "current" if step == current else "ahead"


def find_position(steps: Sequence[Step], progress: Progress, facts: Mapping[str, str]) -> Position | None:
    """Return the first incomplete phase, with the step to run or its menu; None when all is done.

    A phase without steps is passed over: the item's track needs nothing there (STEP-9).
    """
    for phase in PHASES:
        if phase.key in progress.phases_completed or not steps_of_phase(steps, phase):
            continue
        left = find_remaining_steps(steps, phase, progress.steps_completed, facts)
        if left.steps:
            return Position(phase, left.steps[0])
        done = [step for step in steps_of_phase(steps, phase) if step.step_id in progress.steps_completed]
        return Position(phase, None, done[-1] if done else None, left.warnings)
    return None


# --- how deep -----------------------------------------------------------------------------------------

_SIZES = {"scope": word_set("small medium large"), "complexity": word_set("low medium high")}
# The label opens a line, a cell or a clause, so that "Out of scope: large files" does not count.
_SIZE = re.compile(
    r"(?:^|[|,;(])[\s-]*+(?:\d{1,9}[.)]\s*+)?(?:estimated |overall )?"
    r"(?P<label>scope|complexity)(?: estimate)?\s*+[:|=]\s*+"
    r"(?:(?P=label)\s*+:\s*+)?(?P<value>small|medium|large|low|high)\b"
    r"(?P<more>(?:(?![|,;(]\s*+(?:scope|complexity)\b).)*)"
)
# "Scope: small, low": people who give both in one line leave the second label out.
_BESIDE = re.compile(r"\s*+[,/]\s*+(low|medium|high)\s*+(?:\(unverified\))?\s*+[.|]?\s*")
_LABELS = tuple(f"{label}:" for label in _SIZES)
_MARKUP = str.maketrans("", "", "*_'>#+")  # backticks are folded to apostrophes


def choose_depth(
    overrides: Mapping[str, object], phase: str, facts: Mapping[str, str], step: Depth, is_short: bool = False
) -> Depth:
    """Return the depth of a step: the user's choice, else what the quick scan suggests, else the step's own.

    The user's choice for a phase holds for later phases too. A short track is brief unless the user says
    otherwise. A medium size means standard, so that no step goes deeper than its neighbours without a
    reason that the user can see.
    """
    keys = PHASE_KEYS[: PHASE_KEYS.index(phase) + 1] if phase in PHASE_KEYS else (phase,)
    wanted = (depth for key in reversed(keys) for depth in DEPTHS if depth == overrides.get(key))
    if chosen := next(wanted, None):
        return chosen
    scope, complexity = facts.get("scope"), facts.get("complexity")
    if is_short or (scope == "small" and complexity == "low"):
        return "brief"
    if scope == "large" or complexity == "high":
        return "deep"
    return "standard" if scope or complexity else step


def read_scope(quick_scan: str) -> tuple[str | None, str | None]:
    """Return the scope and the complexity that quick-scan.md names, each None if it names none."""
    found: dict[str, str] = {}
    for line in _join_lists(quick_scan):
        for each in _SIZE.finditer(line):
            named = _SIZES[each["label"]].intersection((each["value"], *words_of(each["more"])))
            beside = _BESIDE.fullmatch(each["more"]) if each["label"] == "scope" else None
            if beside or named == {each["value"]}:  # a line that lists several, like a template, chose none
                found.setdefault(each["label"], each["value"])
            if beside:
                found.setdefault("beside", beside[1])
    return found.get("scope"), found.get("complexity") or found.get("beside")


def _join_lists(quick_scan: str) -> Iterator[str]:
    """Yield the lines without markup, and the list under a label as one line, with its last size first."""
    label, entries = "", list[str]()
    for line in (*quick_scan.splitlines(), "."):
        plain = fold_text(line).translate(_MARKUP).strip()
        if label and plain.startswith("- "):
            entries.insert(0, f"{label} {plain[2:]}")
        elif plain:
            in_order = sorted(entries, key=lambda each: _SIZE.match(each) is None)
            yield label + ";".join(each.removeprefix(label) for each in in_order)
            yield plain
            label, entries = plain if plain in _LABELS else "", []
