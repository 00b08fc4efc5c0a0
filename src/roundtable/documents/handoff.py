"""The hand-off: one page for whoever builds an item, from its documents, each point with its source.

Nothing is added to what the documents say. The label of a line decides which part it goes to, also in a
project's own steps.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import indent

from msgspec import Struct

from ..content import read_tables
from ..core import lazy_re as re
from ..core.claims import LinesOf, find_paths
from ..core.hearing import find_corrections
from ..core.steps import Item, is_markdown
from ..core.synthesis import mark_like, shorten_text
from ..core.text import escape_markdown, fill_blanks, fold_text, split_sentences, unescape_markdown, word_set
from ..core.validation import says_none
from .answers import LabelledAnswer, is_code, read_labelled
from .blocks import DocumentPoint, list_entries
from .drafting import PRIORITIES, read_priority_rows
from .ids import MATRIX, SPEC, list_attributes, list_requirements
from .questions import OpenQuestion, list_decisions

_TEXTS = read_tables("handoff.toml")
_BLANK = re.compile(r"\{\{(\w+)\}\}")
_PASSES_TODAY = re.compile(r"(?i)\b(?:(?:as|like) (?:today|before|now)|unchanged|still|nothing changes)\b")
_LOOSE = word_set("and or but so before after while with in of at to the a an new test tests")
_MAX_PLACE_LENGTH = 160


class HandOff(Struct, frozen=True):
    """What the builder of an item needs to know: a part for each of `[labels]`, actions and questions."""

    title: str
    slug: str
    parts: Mapping[str, tuple[DocumentPoint, ...]]
    steps_done: int = 0
    steps: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether no step has written anything that could be handed off."""
        telling = ("decisions", "requirements", "places", "first_test", "risks")
        return not any(self.parts[name] for name in telling)

    @property
    def progress(self) -> str:
        """How much of the analysis was done; empty if that is not known."""
        return f"{self.steps_done} of {self.steps} steps of the analysis are done." if self.steps else ""


def collect_hand_off(
    item: Item,
    documents: Mapping[str, str],
    questions: Iterable[OpenQuestion],
    lines_of: LinesOf | None = None,
    excluded: Sequence[str] = (),
) -> HandOff:
    """Return what the documents tell whoever builds the item; `questions` includes those answered since.

    `lines_of` knows the project's files, and `excluded` are those that the user ruled out (TABLE-2).
    """
    labelled = [
        (each, f"{name}, {each.section}" if each.section else name)
        for name, text in documents.items()
        if is_markdown(name)
        for each in read_labelled(text, with_feedback=True)
    ]
    parts = {part: _pick(labelled, labels) for part, labels in _TEXTS["labels"].items()}
    if not parts["problem"] and item.text.strip():
        first = mark_like(f"{item.name} {item.text}", escape_markdown(item.text.strip().split("\n\n")[0]))
        parts["problem"] = (DocumentPoint(first, "draft.md"),)
    made = (point for point, _ in list_decisions(documents))
    insights, actions = (
        tuple(point for point, _ in list_entries(documents, part).values())
        for part in ("insights", "actions")
    )
    asked = [(each, f"{each.file}:{each.line}") for each in questions]
    still_open = (
        DocumentPoint(escape_markdown(f"{each.text} ({each.resolver})".removesuffix(" ()")), place)
        for each, place in asked
        if each.is_open
    )
    answered = (
        DocumentPoint(escape_markdown(each.text), place, (escape_markdown(each.answer),))
        for each, place in asked
        if each.answer
    )
    requirements = (*parts["requirements"], *_list_criteria(documents))
    # If the user named no first test, take the first criterion that does not say that it holds today.
    criteria = ((one, each.source) for each in requirements for one in each.details if not is_code(one))
    failing = (DocumentPoint(*each) for each in criteria if not _PASSES_TODAY.search(each[0]))
    first_test = (*parts["first_test"], *failing)[:1]
    named = (*_pick(labelled, _TEXTS["naming_places"]), *insights)
    touched = parts["places"] or _pick(labelled, ["files"])
    places = _list_places(touched, named, first_test, lines_of, excluded)
    parts |= {
        "decisions": (*made, *parts["decisions"]),
        "findings": (*insights, *parts["findings"]),
        "fixed": _pick(labelled, ["constraints", "fixed points", "conditions"]),  # they are in `contract` too
        "requirements": requirements,
        "places": (*_pick(labelled, ["first edit"]), *places),
        "first_test": first_test,
        "actions": actions,
        "questions": tuple(still_open),
        "answered": tuple(answered),
    }
    return HandOff(item.name, item.slug, parts)


def _pick(answers: Sequence[tuple[LabelledAnswer, str]], wanted: Sequence[str]) -> tuple[DocumentPoint, ...]:
    """Return the answers under these labels that say something, in the order of the documents, each once."""
    found: dict[str, DocumentPoint] = {}
    for each, source in answers:
        if fold_text(each.label) in wanted and each.text and not says_none(unescape_markdown(each.words)):
            text = f"**{each.label}**: {each.words}".strip()
            found.setdefault(each.text, DocumentPoint(text, source, each.parts))
    return tuple(found.values())


def _list_places(
    touched: Sequence[DocumentPoint], named: Sequence[DocumentPoint], first_test: Sequence[DocumentPoint],
    lines_of: LinesOf | None, excluded: Sequence[str],
) -> Iterator[DocumentPoint]:  # fmt: skip
    """Yield each project file or line to touch, once, with what is said about it.

    Only the answers about places (`touched`) and tests may name a file that does not exist yet. An answer
    about places that names no file stays as it is.
    """
    found: dict[str, DocumentPoint] = {}
    for point in (*touched, *named, *first_test):
        said = (unescape_markdown(each) for each in (point.text, *point.details) if not is_code(each))
        places = [place for each in said for place in _read_places(each, lines_of)]
        for place, after in places:
            path = place.partition(":")[0]
            is_there = lines_of is None or lines_of(path) is not None
            is_out = any(f"/{each.strip('/')}/" in f"/{name}/" for name in (path, place) for each in excluded)
            if not is_out and (is_there or point in touched or "test" in path):
                words = ": the first test" if point in first_test else after and f": {escape_markdown(after)}"
                text = f"`{place}`{words}{'' if is_there else ' (not there yet)'}"
                if place not in found or (words and ": " not in found[place].text):
                    found[place] = DocumentPoint(mark_like(point.text, text), point.source)
        if not places and point in touched:
            found[point.text] = point
    # A file is not listed beside its own lines, unless something is said about it.
    cited = {place.partition(":")[0] for place in found if ":" in place}
    yield from (point for place, point in found.items() if place not in cited or ": " in point.text)


def _read_places(text: str, lines_of: LinesOf | None) -> Iterator[tuple[str, str]]:
    """Yield each file or line that a text does not rule out, with the words after it.

    `a.py and b.py (both)` share them. A name without a folder, such as `404.html`, counts if the file exists.
    """
    for clause in (each for sentence in split_sentences(text) for each in sentence.split("; ")):
        named = sorted(find_paths(clause, planned=True), key=lambda found: found.start())
        cited = [
            each for each in named if {"/", ":"} & {*each[0]} or (lines_of and lines_of(each[0]) is not None)
        ]
        ends = [*(each.start() for each in cited[1:]), len(clause)]
        said = [_trim_words(clause[each.end() : end]) for each, end in zip(cited, ends, strict=False)]
        for at, place in enumerate(each[0].removeprefix("./") for each in cited):
            words = next(filter(None, said[at:]), "")
            corrections = (*find_corrections(clause), *find_corrections(f"{place} {words}"))
            ruled_out = {each.path for each in corrections if not each.is_touched}
            if place not in ruled_out and not place.startswith(("/", "~", "..")):
                yield place, words


def _trim_words(text: str) -> str:
    """Return the words without what links them to a next place, and without brackets around them."""
    words = text.removeprefix("`").removesuffix("`").split()
    while words and words[-1].strip("(,;:.") in {"", *_LOOSE}:
        words.pop()
    said = " ".join(words).lstrip(" ,;:.)").rstrip(" ,;:.")
    is_one = "(" not in said[1:] and said.find(")") in (-1, len(said) - 1)
    return shorten_text(said.strip("()") if is_one else said, _MAX_PLACE_LENGTH)


def _list_criteria(documents: Mapping[str, str]) -> Iterator[DocumentPoint]:
    """Yield the requirements with their acceptance criteria, then the quality attributes."""
    priorities = read_priority_rows(documents.get(SPEC, ""))
    for each in list_requirements(documents):
        criteria = tuple(f"**{one.id}**: {escape_markdown(one.text)}" for one in each.criteria)
        priority = priorities.get(each.id, "")
        name = f"**{each.id}** ({priority})" if priority else f"**{each.id}**"
        yield DocumentPoint(f"{name}: {escape_markdown(each.text)}", f"{SPEC}, {each.id}", criteria)
    for identity, *cells in list_attributes(documents):
        words = mark_like(" ".join(cells), ": ".join(cell for cell in cells[:2] if cell))
        yield DocumentPoint(f"**{identity}**: {escape_markdown(words)}", f"{MATRIX}, {identity}")


# --- the page in its forms --------------------------------------------------------------------------------


def write_form(hand_off: HandOff, form: str, *, folder: str = "", date: str = "") -> str:
    """Return the page in a form of `handoff.toml`: `page`, `agent`, `pr`, or spec-kit's `spec` and `plan`."""
    parts, required = hand_off.parts, hand_off.parts["requirements"]
    functional = [each for each in required if each.text.startswith("**FR-")]
    listed = {one for each in required for one in each.details}
    checks = (*required, *(each for each in parts["first_test"] if each.text not in listed))
    unclear = (f"- [NEEDS CLARIFICATION: {each.text}] ({each.source})" for each in parts["questions"])
    blanks = {name: _write_points(points) for name, points in parts.items()} | {
        "title": escape_markdown(hand_off.title),
        "slug": hand_off.slug,
        "progress": hand_off.progress,
        "folder": folder,
        "date": date,
        "checks": _write_points(checks, "- [ ] "),
        "context": _write_points((*parts["decisions"], *parts["findings"], *parts["contract"])),
        "stories": "\n\n".join(_write_stories(functional)),
        "functional": _write_points(functional),
        "measured": _write_points([each for each in required if each not in functional]),
        "unclear": "\n".join(unclear),
    }
    template = _TEXTS["forms"][form].replace("{{parts}}", _TEXTS["forms"]["parts"])
    paragraphs: list[str] = []
    for paragraph in template.strip().split("\n\n"):
        names = _BLANK.findall(paragraph)
        if not names or any(blanks[name] for name in names):
            paragraphs.append(fill_blanks(paragraph.replace("\n{{", "\n\n{{"), blanks).strip())
    return "\n\n".join(paragraphs) + "\n"


def _write_stories(functional: Sequence[DocumentPoint]) -> Iterator[str]:
    for number, each in enumerate(functional, 1):
        name, _, title = each.text.partition(": ")
        levels = (f" (Priority: P{at})" for at, one in enumerate(PRIORITIES, 1) if f"({one}" in name)
        scenarios = (f"{at}. {one}" for at, one in enumerate(each.details or ("Not written yet.",), 1))
        yield f"### User Story {number} - {title}{next(levels, '')}"
        yield from ("**Acceptance Scenarios**:", "\n".join(scenarios))


def write_summary(hand_off: HandOff, command: str) -> str:
    """Return the page in a few lines, as it is shown when an analysis is complete."""
    nouns = {"requirement": hand_off.parts["requirements"], "decision": hand_off.parts["decisions"]}
    nouns |= {"risk": hand_off.parts["risks"], "open question": hand_off.parts["questions"]}
    counts = (f"{len(each)} {noun}{'s'[: len(each) != 1]}" for noun, each in nouns.items())
    lines = [f"For the developer who builds it: {', '.join(counts)}."]
    for test in hand_off.parts["first_test"]:
        label, _, words = test.text.rpartition("**:")
        words = "" if test.details and not label else unescape_markdown(words.strip())
        lines.append(f"First failing test: {words or 'see the page'} ({test.source})")
    return "\n".join([*lines, f"The whole page: {command}"])


def _write_points(points: Sequence[DocumentPoint], sign: str = "- ") -> str:
    """Write points, each with its details as entries below it, code as code."""
    lines: list[str] = []
    for each in points:
        lines.append(f"{sign}{each.text} ({each.source})")
        lines += [indent(f"\n{one}\n", "  ") if is_code(one) else f"  {sign}{one}" for one in each.details]
    return "\n".join(lines)
