"""What is analysed: the item, the phases, and the steps with their questions."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

COMMENTS = "## Comments"  # below this, an item's text holds the comments from its tracker


class Item(Struct, frozen=True):
    """A feature or a bug: its folder's name, its title, and the text that describes it."""

    slug: str
    name: str
    text: str = ""
    source: str = "manual"
    source_id: str = ""

    @property
    def own_text(self) -> str:
        """The text without the comments of a tracker."""
        return self.text.partition(f"\n{COMMENTS}\n")[0].strip()


Depth = Literal["brief", "standard", "deep"]
DEPTHS: tuple[Depth, ...] = ("brief", "standard", "deep")
_STEP_ID = re.compile(r"[0-9]{2}-[0-9]{2}")
_OUTPUT_NAME = re.compile(r"\w[\w .-]{0,90}\.(md|json|csv)")
ITEM_FILES = frozenset({"meta.json", "state.json", "draft.md", "parking-lot.md"})  # no step may write these
# Checked when they are read back from a file, because they become paths; a document has no step id.
_StepId = Annotated[str, Meta(pattern=rf"^({_STEP_ID.pattern})?\Z")]
_OutputName = Annotated[str, Meta(pattern=rf"^{_OUTPUT_NAME.pattern}\Z")]
_PhaseKey = Annotated[str, Meta(pattern=r"^[0-9]{2}-[a-z-]+\Z")]


def is_step_id(text: str) -> bool:
    """Whether the text has the form of a step id, such as `01-03`."""
    return _STEP_ID.fullmatch(text) is not None


def is_output_name(text: str) -> bool:
    """Whether the text is a plain file name of a kind that steps may write."""
    return _OUTPUT_NAME.fullmatch(text) is not None


def is_markdown(name: str) -> bool:
    """Whether a file of that name is markdown."""
    return name.lower().endswith(".md")


class Phase(Struct, frozen=True):
    key: _PhaseKey
    name: str  # in menus
    description: str  # in greetings

    @property
    def number(self) -> str:
        return self.key[:2]


PHASES: tuple[Phase, ...] = (
    Phase("00-quick-scan", "Quick Scan", "the Quick Scan"),
    Phase("01-requirements", "Requirements", "Requirements Discovery"),
    Phase("02-impact-analysis", "Impact Analysis", "Impact Analysis"),
    Phase("03-architecture", "Architecture", "Architecture Decisions"),
    Phase("04-design", "Design", "Detailed Design"),
)
PHASE_KEYS: tuple[str, ...] = tuple(phase.key for phase in PHASES)


def phase_of(step_id: str) -> Phase | None:
    """Return the phase that a step id such as `01-03` belongs to."""
    return next((phase for phase in PHASES if phase.number == step_id[:2]), None)


NOT_ASKED = "-"
PROJECT_KINDS = ("library", "service", "app", "tool")  # those that the wording of a question depends on


def split_drafts(draft: str) -> tuple[str, ...]:
    """Return the places that a draft answer may come from, in the order in which they are tried."""
    return (draft,) if draft.startswith("text:") else tuple(part.strip() for part in draft.split("|"))


class Question(Struct, frozen=True):
    """A question under its label, with help and an example."""

    label: str
    text: str
    help: str = ""
    example: str = ""
    draft: str = ""  # where a draft answer may come from
    without: str = ""  # how to ask if there is none
    kinds: tuple[tuple[str, str], ...] = ()  # how to ask in a kind of project
    shows: str = ""  # where its subject, which is shown with it, comes from
    is_asked: bool = True  # it fits the kind of project; if not, an existing answer is kept

    def choose_wording(self, *, with_draft: bool) -> str:
        """Return the question's words, with or without a draft answer or a subject below them."""
        return self.text if with_draft or self.without in ("", NOT_ASKED) else self.without

    def word_for(self, kind: str) -> Question:
        """Return the question in the words for a kind of project; `-` means that it is not asked there."""
        text = dict(self.kinds).get(kind, self.text)
        return replace(self, is_asked=False) if text == NOT_ASKED else replace(self, text=text)


class Criterion(Struct, frozen=True):
    label: str
    check: str  # what the answer under the label has to meet
    follow_up: str  # what to ask if it does not


class Target(Struct, frozen=True):
    output: _OutputName
    section: str  # the one that a step writes


class Step(Struct, frozen=True):
    """One unit of analysis, as its file describes it."""

    step_id: _StepId
    title: str
    persona: str
    depth: Depth
    outputs: tuple[_OutputName, ...]
    depends_on: tuple[str, ...] = ()
    skip_if: str = ""
    brief: tuple[Question, ...] = ()
    standard: tuple[Question, ...] = ()
    deep: tuple[Question, ...] = ()
    validation: tuple[Criterion, ...] = ()
    targets: tuple[Target, ...] = ()

    @property
    def phase(self) -> Phase | None:
        return phase_of(self.step_id)

    @property
    def every_question(self) -> tuple[Question, ...]:
        """The questions of all depths, the deepest first; several may share a label."""
        return (*self.deep, *self.standard, *self.brief)

    def questions(self, depth: Depth) -> tuple[Question, ...]:
        """Return the questions asked at a depth."""
        return {"brief": self.brief, "standard": self.standard, "deep": self.deep}[depth]

    def word_for(self, kind: str) -> Step:
        """Return the step with its questions in the words for a kind of project."""
        worded = {depth: tuple(each.word_for(kind) for each in self.questions(depth)) for depth in DEPTHS}
        return replace(self, **worded)

    @property
    def sections(self) -> tuple[Target, ...]:
        """The sections that the step writes: those that its file names, and its title in any other output."""
        own = tuple(target for target in self.targets if target.output in self.outputs)
        named = {target.output for target in own}
        return own + tuple(Target(each, self.title) for each in self.outputs if each not in named)

    def section(self, output: str) -> str | None:
        """Return the heading that the step writes in an output, if its file names one."""
        return next((target.section for target in self.targets if target.output == output), None)
