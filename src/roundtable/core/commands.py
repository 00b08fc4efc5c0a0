"""Commands: what to do next. Each answer of a machine is any number of `Show`, then exactly one other.

Ask commands go to the panel; Write, Update and Undo change documents, Save commands change meta.json. What
they carry is laid out first: the table of a discussion, the brief of a speaker or of a step.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from .events import SectionText
from .lines import Awaits, Line, LineKind
from .markers import ElaborationMarker
from .personas import Persona, Roster
from .steps import Criterion, Depth, Item, Question, Step
from .synthesis import Draft, Entry, Exit
from .tracks import TrackChoice
from .turns import NOTHING_KNOWN, USER, Known, LookedUp, Material, OffTopic, Parked, Turn

DEFAULT_MAX_TURNS = 10
Purpose = Literal["framing", "first-round", "answer", "follow", "go-on", "tradeoff"]
"""What a contribution is for."""


class Show(Struct, frozen=True):
    line: Line


def show(kind: LineKind, words: str, speaker: Persona | str | None = None) -> Show:
    return Show(Line(kind, words, speaker.key if isinstance(speaker, Persona) else speaker))


class Listen(Struct, frozen=True):  # wait for the user's words
    awaits: Awaits
    prefill: str = ""  # what stands in the input line to be edited
    offer: str = ""  # the draft that can be put there


# --- the elaboration ------------------------------------------------------------------------------------


class Table(Struct, frozen=True):
    """Everything that was said and is known at the table: what every brief shares."""

    item: Item
    step: Step
    roster: Roster
    lead: Persona
    steps: tuple[Step, ...] = ()
    material: tuple[Material, ...] = ()
    max_turns: int = DEFAULT_MAX_TURNS
    focus_question: str = ""
    focus_topic: str = ""
    turns: tuple[Turn, ...] = ()
    documents: tuple[Material, ...] = ()  # the item's others, and transcripts of discussions on this step
    known: Known = NOTHING_KNOWN
    looked_up: tuple[LookedUp, ...] = ()  # what personas asked to see of the code in this discussion
    suspected: OffTopic | None = None  # what a local check thinks that the user's last turn drifts to
    insists: bool = False  # the user did so on a subject: nothing of theirs is redirected again


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
    may_yield: bool = False  # whose part it is to go on may say that nothing is left (LOOP-8)
    look_ups: int = 0  # how many times the speaker may still ask to see some of the code before it speaks

    @property
    def number(self) -> int:
        """The number that the contribution will have."""
        return len(self.table.turns) + 1

    @property
    def may_be_silent(self) -> bool:
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
    step: Step  # its documents, and the turn limit


class AskFraming(Struct, frozen=True):
    brief: Brief  # the lead gives summary, focus question and short topic


class AskPersona(Struct, frozen=True):
    brief: Brief


class AskVerdict(Struct, frozen=True):
    table: Table  # does the user's last contribution drift, and does it hold a decision?


class SaveLimit(Struct, frozen=True):
    max_turns: int


class AskSynthesis(Struct, frozen=True):
    table: Table
    problems: tuple[str, ...] = ()  # what was wrong with the one before
    is_extracted: bool = False  # by the offline panel: the other could not


class UpdateArtifacts(Struct, frozen=True):
    """Add the block to the step's outputs, once."""

    step: Step
    marker: ElaborationMarker
    block: str
    description: str


class Record(Struct, frozen=True):
    # What meta.json keeps of an elaboration (META-5).
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
    struck: tuple[Entry, ...] = ()  # the entries that the user dropped or reworded in the review


class Return(Struct, frozen=True):
    """Back to the same menu."""


# --- the analysis ---------------------------------------------------------------------------------------


class Answer(Struct, frozen=True):
    """What the user answered under a label."""

    label: str
    question: str
    text: str
    unknown: bool = False  # "I don't know" was said
    offered: bool = False  # it is a draft that was taken as it is
    relayed: bool = False  # a host passed any of it on


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
    looked_up: tuple[Material, ...] = ()  # what the panel asked to see of the code in this step
    look_ups: int = 0  # how many times it may still ask before it answers


class AskReading(Struct, frozen=True):
    brief: StepBrief  # with the documents of the phases before


class AskOffers(Struct, frozen=True):
    brief: StepBrief
    questions: tuple[Question, ...]  # what draft answers are collected for


class AskFiles(Struct, frozen=True):
    """Ask which files the item will change. The runtime asks this before a step, no machine does."""

    item: Item
    folders: str
    found: str  # by a survey, to pick from


class AskFollowUp(Struct, frozen=True):
    brief: StepBrief
    question: Question
    answer: str
    criterion: Criterion  # what the answer misses


class AskDraft(Struct, frozen=True):
    brief: StepBrief  # what the step writes its sections from


class WriteStep(Struct, frozen=True):
    step: Step
    sections: tuple[SectionText, ...]


class SaveProgress(Struct, frozen=True):
    """Note in meta.json what is given: a completed step or phase, a depth, a track."""

    step_id: str = ""
    phases: tuple[str, ...] = ()  # the completed one, and those in which nothing is needed
    depth: tuple[str, Depth] | None = None  # with its phase
    track: TrackChoice | None = None
    not_needed: tuple[str, ...] = ()  # the steps that the track does not need (STEP-9)
    before: tuple[str, ...] = ()  # the old track's steps: a phase that the new one has others in opens again


class AskFeedback(Struct, frozen=True):
    """Ask a persona to take up the user's feedback, or to answer an aside that nothing is written of."""

    brief: StepBrief
    words: str
    aside: bool = False
    relayed: bool = False


class Written(Struct, frozen=True):
    """Something that was written in this leg, so that it can be taken back (MENU-7)."""

    kind: Literal["section", "feedback", "block"]
    moment: str  # what the changes are noted under
    answers: tuple[Answer, ...] = ()  # those from before it
    first: bool = False  # it completed the step
    at: str = ""  # the instant of an elaboration


class UndoLast(Struct, frozen=True):
    step: Step
    written: Written  # to be taken back byte for byte, unless it was edited since


class WriteFeedback(Struct, frozen=True):
    step: Step
    words: str
    at: str


class WriteDrafts(Struct, frozen=True):
    done: tuple[Step, ...]
    skipped: tuple[Step, ...]  # their outputs have to exist, and say at their top what was skipped


class Advance(Struct, frozen=True):
    """Leave the leg: go on to what comes next, or to a step; or begin the analysis again, or leave."""

    step_id: str = ""  # a step that was skipped or is complete
    is_back: bool = False  # only the last question of that step is asked
    otherwise: str = ""  # "start over" or "leave"


Command: TypeAlias = (
    Show | Listen | ReadContext | AskFraming | AskPersona | AskVerdict | SaveLimit | AskSynthesis
    | UpdateArtifacts | SaveRecord | Return | AskReading | AskOffers | AskFollowUp | AskDraft | WriteStep
    | AskFeedback | WriteFeedback | UndoLast | WriteDrafts | SaveProgress | Advance
)  # fmt: skip
