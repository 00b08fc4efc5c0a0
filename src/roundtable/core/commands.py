"""Commands: what to do next. A machine returns any number of `Show`, then exactly one other command.

Ask commands go to the panel; Write, Update and Undo commands change documents; Save commands change
meta.json. Their contents are defined here too: the table of a discussion, the brief of a speaker or a step.
"""

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
    prefill: str = ""  # the text in the input line, to be edited
    offer: str = ""  # a draft that can be put there


# --- the elaboration ------------------------------------------------------------------------------------


class Table(Struct, frozen=True):
    """Everything that was said or is known at the table; every brief shares it."""

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
    documents: tuple[Material, ...] = ()  # the item's other ones, and transcripts of discussions on this step
    known: Known = NOTHING_KNOWN
    looked_up: tuple[LookedUp, ...] = ()  # code that personas asked to see in this discussion
    suspected: OffTopic | None = None  # where the user's last turn drifts, as a local check sees it
    insists: bool = False  # the user insisted on a subject and is not redirected again


class Brief(Struct, frozen=True):
    """Everything a panel needs to give one persona its words."""

    table: Table
    speaker: Persona
    purpose: Purpose
    may_pass: bool = False
    answers: int | None = None
    word_limit: int = 110
    most_words: int = 170
    again: tuple[str, ...] = ()
    may_yield: bool = False  # the speaker may say that it has nothing left (LOOP-8)
    look_ups: int = 0  # how often the speaker may still ask to see code before it speaks

    @property
    def number(self) -> int:
        """The number that the contribution will have."""
        return len(self.table.turns) + 1

    @property
    def may_be_silent(self) -> bool:
        return self.may_pass or self.may_yield

    @property
    def follows_user(self) -> bool:
        """Whether the user spoke last; the speaker then judges that turn in its own words."""
        return bool(self.table.turns) and self.table.turns[-1].speaker == USER

    @property
    def free(self) -> bool:
        """Whether anybody may ask questions and weigh tradeoffs in this contribution (VOICE-4)."""
        return self.purpose in ("framing", "tradeoff")


class ReadContext(Struct, frozen=True):
    step: Step  # read its documents and the turn limit


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
    problems: tuple[str, ...] = ()  # what was wrong with the previous draft
    is_extracted: bool = False  # the offline panel is asked: the other failed


class UpdateArtifacts(Struct, frozen=True):
    """Add the block to the step's outputs, once."""

    step: Step
    marker: ElaborationMarker
    block: str
    description: str


class Record(Struct, frozen=True):
    # What meta.json keeps about an elaboration (META-5).
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
    """Go back to the same menu."""


# --- the analysis ---------------------------------------------------------------------------------------


class Answer(Struct, frozen=True):
    """The user's answer to the question with a label."""

    label: str
    question: str
    text: str
    unknown: bool = False  # left open, as by "I don't know"
    offered: bool = False  # it is a draft that was accepted as it is
    relayed: bool = False  # a host passed on some of it


class StepBrief(Struct, frozen=True):
    """Everything a panel needs to know about the current step.

    The runtime adds the documents and what is known, because the machine reads no files.
    """

    item: Item
    step: Step
    persona: Persona
    roster: Roster
    depth: Depth
    answers: tuple[Answer, ...] = ()
    documents: tuple[Material, ...] = ()
    known: Known = NOTHING_KNOWN
    looked_up: tuple[Material, ...] = ()  # code that the panel asked to see in this step
    look_ups: int = 0  # how often it may still ask before it answers


class AskReading(Struct, frozen=True):
    brief: StepBrief  # with the documents of earlier phases


class AskOffers(Struct, frozen=True):
    brief: StepBrief
    questions: tuple[Question, ...]  # to collect draft answers for


class AskFiles(Struct, frozen=True):
    """Ask which files the item will change. The runtime asks this before a step; no machine does."""

    item: Item
    folders: str
    found: str  # by a survey; the panel picks from it


class AskFollowUp(Struct, frozen=True):
    brief: StepBrief
    question: Question
    answer: str
    criterion: Criterion  # what the answer misses


class AskDraft(Struct, frozen=True):
    brief: StepBrief  # the step's sections are written from it


class WriteStep(Struct, frozen=True):
    step: Step
    sections: tuple[SectionText, ...]


class SaveProgress(Struct, frozen=True):
    """Note in meta.json whatever is given: a completed step or phase, a depth, a track."""

    step_id: str = ""
    phases: tuple[str, ...] = ()  # the completed one, and those that need no step
    depth: tuple[str, Depth] | None = None  # with its phase
    track: TrackChoice | None = None
    not_needed: tuple[str, ...] = ()  # the steps that the track does not need (STEP-9)
    before: tuple[str, ...] = ()  # the old track's steps: a phase with other steps in the new one is reopened


class AskFeedback(Struct, frozen=True):
    """Ask a persona to take up the user's feedback, or to answer an aside, which is not written."""

    brief: StepBrief
    words: str
    aside: bool = False
    relayed: bool = False


class Written(Struct, frozen=True):
    """Something that this leg wrote and that can be taken back (MENU-7)."""

    kind: Literal["section", "feedback", "block"]
    moment: str  # the key under which the changes are noted
    answers: tuple[Answer, ...] = ()  # the step's answers before it
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
    skipped: tuple[Step, ...]  # their outputs must exist and say at the top what was skipped


class Advance(Struct, frozen=True):
    """End the leg: go on to what comes next or to a given step, start over, or leave."""

    step_id: str = ""  # a skipped or completed step to open
    is_back: bool = False  # only the last question of that step is asked
    otherwise: str = ""  # "start over" or "leave"


Command: TypeAlias = (
    Show | Listen | ReadContext | AskFraming | AskPersona | AskVerdict | SaveLimit | AskSynthesis
    | UpdateArtifacts | SaveRecord | Return | AskReading | AskOffers | AskFollowUp | AskDraft | WriteStep
    | AskFeedback | WriteFeedback | UndoLast | WriteDrafts | SaveProgress | Advance
)  # fmt: skip
