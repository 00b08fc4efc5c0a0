"""Commands: what to do next. Each answer of a machine is any number of `Show`, then exactly one other."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from .events import SectionText
from .lines import Awaits, Line
from .markers import ElaborationMarker
from .personas import Persona, Roster
from .steps import Criterion, Depth, Item, Question, Step, Target
from .synthesis import Draft, Entry, Exit
from .tracks import TrackChoice
from .turns import NOTHING_KNOWN, USER, Known, LookedUp, Material, OffTopic, Parked, Turn

Purpose = Literal["framing", "first-round", "answer", "follow", "go-on", "tradeoff"]
"""What a contribution is for."""


class Show(Struct, frozen=True):
    """Show a line."""

    line: Line


class Listen(Struct, frozen=True):
    """Wait for the user's words.

    `prefill` is what stands in the input line to be edited, `offer` the draft that can be put there.
    """

    awaits: Awaits
    prefill: str = ""
    offer: str = ""


# --- the elaboration ------------------------------------------------------------------------------------


class Table(Struct, frozen=True):
    """Everything that was said and is known at the table: what every brief shares."""

    item: Item
    step: Step
    roster: Roster
    lead: Persona
    steps: tuple[Step, ...]
    material: tuple[Material, ...]
    max_turns: int
    focus_question: str = ""
    focus_topic: str = ""
    turns: tuple[Turn, ...] = ()
    documents: tuple[Material, ...] = ()
    """The item's other documents, and the transcripts of earlier discussions on this step."""
    known: Known = NOTHING_KNOWN
    looked_up: tuple[LookedUp, ...] = ()
    """What personas asked to see of the code in this discussion."""
    suspected: OffTopic | None = None
    """What a local check thinks that the user's last turn drifts to; whoever speaks next judges it."""
    insists: bool = False
    """Whether the user insisted on a subject after a redirect: nothing of theirs is redirected again."""


class Brief(Struct, frozen=True):
    """All that a panel needs to give one persona its words."""

    table: Table
    speaker: Persona
    purpose: Purpose
    may_pass: bool = False
    answers: int | None = None
    word_limit: int = 110
    most_words: int = 170
    again: tuple[str, ...] = ()
    may_yield: bool = False
    """Whether a speaker whose part it is to go on may say that nothing is left (LOOP-8)."""
    look_ups: int = 0
    """How many times the speaker may still ask to see something of the code before it speaks."""

    @property
    def number(self) -> int:
        """The number that the contribution will have."""
        return len(self.table.turns) + 1

    @property
    def may_be_silent(self) -> bool:
        """Whether the speaker may say nothing: for want of something distinct, or because nothing is left."""
        return self.may_pass or self.may_yield

    @property
    def follows_user(self) -> bool:
        """Whether the user spoke last, so that the speaker judges that turn with its own words."""
        return bool(self.table.turns) and self.table.turns[-1].speaker == USER

    @property
    def free(self) -> bool:
        """Whether questions and tradeoffs are allowed to everybody in this contribution (VOICE-4)."""
        return self.purpose in ("framing", "tradeoff")


class ReadContext(Struct, frozen=True):
    """Read the step's documents and the turn limit."""

    step: Step


class AskFraming(Struct, frozen=True):
    """Ask the lead for summary, focus question and short topic."""

    brief: Brief


class AskPersona(Struct, frozen=True):
    """Ask a persona for its contribution."""

    brief: Brief


class AskVerdict(Struct, frozen=True):
    """Ask whether the user's last contribution drifts, and whether it holds a decision."""

    table: Table


class SaveLimit(Struct, frozen=True):
    """Write a raised turn limit to meta.json."""

    max_turns: int


class AskSynthesis(Struct, frozen=True):
    """Ask the panel for a synthesis; `problems` says what was wrong with the one before."""

    table: Table
    problems: tuple[str, ...] = ()


class ExtractSynthesis(Struct, frozen=True):
    """Draft the synthesis by offline extraction: the panel could not."""

    table: Table


class UpdateArtifacts(Struct, frozen=True):
    """Add the block to the step's outputs, once."""

    step: Step
    marker: ElaborationMarker
    block: str
    description: str


class Record(Struct, frozen=True):
    """What meta.json keeps of an elaboration (META-5)."""

    step_id: str
    turn_count: int
    personas_active: tuple[str, ...]
    timestamp: str
    synthesis_summary: str


class SaveRecord(Struct, frozen=True):
    """Write the transcript, keep what was parked, and append the record to meta.json, once."""

    record: Record
    table: Table
    draft: Draft
    exit_type: Exit
    parked: tuple[Parked, ...] = ()
    extracted: bool = False
    struck: tuple[Entry, ...] = ()
    """The entries that the user dropped or reworded in the review."""


class Return(Struct, frozen=True):
    """Back to the same menu."""


# --- the analysis ---------------------------------------------------------------------------------------


class Answer(Struct, frozen=True):
    """What the user answered under a label; unknown where "I don't know" was said.

    `relayed` where a host passed any of it on.
    """

    label: str
    question: str
    text: str
    unknown: bool = False
    offered: bool = False
    relayed: bool = False


class StepBrief(Struct, frozen=True):
    """All that a panel needs to know about the step in hand.

    The runtime adds documents, material and what is known, here and below: the machine reads no files.
    """

    item: Item
    step: Step
    persona: Persona
    roster: Roster
    depth: Depth
    answers: tuple[Answer, ...] = ()
    documents: tuple[Material, ...] = ()
    known: Known = NOTHING_KNOWN
    looked_up: tuple[Material, ...] = ()
    """What the panel asked to see of the code in this step."""
    look_ups: int = 0
    """How many times it may still ask before it answers."""


class AskReading(Struct, frozen=True):
    """Ask the incoming persona what it read in the artifacts of the phases before, its `material`."""

    brief: StepBrief
    material: tuple[Material, ...] = ()


class AskOffers(Struct, frozen=True):
    """Collect draft answers for the questions."""

    brief: StepBrief
    questions: tuple[Question, ...]


class AskFollowUp(Struct, frozen=True):
    """Ask for one follow-up question where an answer misses a criterion."""

    brief: StepBrief
    question: Question
    answer: str
    criterion: Criterion


class AskDraft(Struct, frozen=True):
    """Ask for the text of the sections that the step writes: the answers, in the form of each document."""

    brief: StepBrief
    targets: tuple[Target, ...]


class WriteStep(Struct, frozen=True):
    """Write the step's sections into its outputs."""

    step: Step
    sections: tuple[SectionText, ...]


class SaveStep(Struct, frozen=True):
    """Append the step to `steps_completed`."""

    step_id: str


class SaveDepth(Struct, frozen=True):
    """Write the user's depth for the phase to `depth_overrides`."""

    phase: str
    depth: Depth


class SaveTrack(Struct, frozen=True):
    """Write the item's track to meta.json, with the steps that it does not need (STEP-9).

    `before` are the steps of the track that it replaces: a phase that the new one still has steps in opens.
    """

    track: TrackChoice
    not_needed: tuple[str, ...]
    before: tuple[str, ...] = ()


class AskFeedback(Struct, frozen=True):
    """Ask a persona to take up the user's feedback, or to answer an aside that nothing is written of."""

    brief: StepBrief
    words: str
    aside: bool = False
    relayed: bool = False


class Written(Struct, frozen=True):
    """Something that was written in this leg, so that it can be taken back (MENU-7).

    `moment` is what the changes are noted under, `answers` are those from before it, `first` says that it
    completed the step, and `at` is the instant of an elaboration.
    """

    kind: Literal["section", "feedback", "block"]
    moment: str
    answers: tuple[Answer, ...] = ()
    first: bool = False
    at: str = ""
    label: str = ""
    """The label of the only answer that it changed; empty where it was the whole step."""


class UndoLast(Struct, frozen=True):
    """Take back the last thing written, byte for byte, unless it was edited since."""

    step: Step
    written: Written


class WriteFeedback(Struct, frozen=True):
    """Add the feedback to the step's artifact section."""

    step: Step
    words: str
    at: str


class WriteDrafts(Struct, frozen=True):
    """Make sure the outputs of skipped steps exist, saying at their top what was skipped."""

    done: tuple[Step, ...]
    skipped: tuple[Step, ...]


class SavePhase(Struct, frozen=True):
    """Append the phase, and those in which nothing is needed, to `phases_completed`, with the commit."""

    phase: str
    passed: tuple[str, ...] = ()


class Advance(Struct, frozen=True):
    """Go on to what comes next, a step, a phase or the end; or to a step that was skipped or is complete.

    With `is_back` only that step's last question is asked.
    """

    step_id: str = ""
    is_back: bool = False


class StartOver(Struct, frozen=True):
    """Begin the analysis of this item again."""


class Leave(Struct, frozen=True):
    """End the session: there is nothing left to do."""


Command: TypeAlias = (
    Show | Listen | ReadContext | AskFraming | AskPersona | AskVerdict | SaveLimit | AskSynthesis
    | ExtractSynthesis | UpdateArtifacts | SaveRecord | Return | AskReading | AskOffers | AskFollowUp
    | AskDraft | WriteStep | SaveStep | SaveDepth | AskFeedback | WriteFeedback | UndoLast | WriteDrafts
    | SaveTrack | SavePhase | Advance | StartOver | Leave
)  # fmt: skip
