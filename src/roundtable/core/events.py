"""Events: what happened, as input to both machines. Each is journalled before it counts.

`moment` is the key under which changes to documents are noted, so that they can be undone.
"""

from typing import Literal, TypeAlias

from msgspec import Struct

from .steps import Target
from .synthesis import Draft
from .turns import NEUTRAL, NOTHING_KNOWN, Known, Material, Verdict


class UserSpoke(Struct, frozen=True):
    """The user said something; what it means depends on what was awaited."""

    text: str
    relayed: bool = False  # a host passed the words on, perhaps not word for word
    by: str = ""  # who spoke, if several people share the table


class Failed(Struct, frozen=True):
    reason: str  # why the panel gave no words; kept for the record, changes nothing (FAIL-1)


class TaskFailed(Struct, frozen=True):
    reason: str  # the context was not read, the synthesis not drafted, or the record not saved


class DocumentsWritten(Struct, frozen=True):
    """A step's sections, feedback, drafts of skipped steps or a discussion's block are on disk."""

    announcements: tuple[str, ...]
    moment: str = ""


class Saved(Struct, frozen=True):
    """meta.json was updated; `saved` is false if that failed."""

    saved: bool = True


# --- the elaboration ------------------------------------------------------------------------------------


class ContextRead(Struct, frozen=True):
    max_turns: int
    material: tuple[Material, ...] = ()
    documents: tuple[Material, ...] = ()
    known: Known = NOTHING_KNOWN


class Framed(Struct, frozen=True):
    """The lead framed the discussion; `looked_up` is the code that it asked to see."""

    summary: str
    focus_question: str
    focus_topic: str
    notes: tuple[str, ...] = ()
    looked_up: tuple[Material, ...] = ()


class PersonaSpoke(Struct, frozen=True):
    """A persona's contribution is complete and checked."""

    speaker: str
    text: str
    verdict: Verdict = NEUTRAL
    notes: tuple[str, ...] = ()
    judged: Verdict | None = None  # its verdict on the user's turn before it (FOCUS-1)
    looked_up: tuple[Material, ...] = ()


class PersonaPassed(Struct, frozen=True):
    speaker: str  # it may be silent, and had nothing distinct to add


class Judged(Struct, frozen=True):
    verdict: Verdict  # on the user's last contribution
    advice: bool = False  # it redirects nobody: the next speaker judges the turn in its own words


class SpeakerStopped(Struct, frozen=True):
    """The user stopped the speaker who was due, in order to speak."""


class LimitRaised(Struct, frozen=True):
    max_turns: int


class WrappedUp(Struct, frozen=True):
    """The discussion is ended from outside: by the user, or by a spent budget, which gives the `reason`."""

    reason: str = ""


class SynthesisDrafted(Struct, frozen=True):
    draft: Draft
    at: str  # the instant that marker and record share
    extracted: bool = False
    claims: tuple[str, ...] = ()  # why claims could not be verified, to send back once (ART-8)
    relayed: bool = False  # a host drafted it


class RecordSaved(Struct, frozen=True):
    transcript: str  # the file; the record is in meta.json


# --- the analysis ---------------------------------------------------------------------------------------


class PersonaReplied(Struct, frozen=True):
    text: str  # a follow-up, or what the incoming persona read in earlier phases, which may be nothing


class Offer(Struct, frozen=True):
    """A draft answer to the question with a label, and where it comes from.

    A panel's draft is read at its source, assumed, or unknown (without text); if it `matters`, the user is
    asked (STEP-4). A subject is what the question asks about, not an answer to it.
    """

    label: str
    text: str
    source: str
    standing: Literal["", "read", "assumed", "unknown"] = ""
    matters: bool = True
    is_subject: bool = False


class Offered(Struct, frozen=True):
    offers: tuple[Offer, ...] = ()  # what item, code and earlier answers suggest


class SectionText(Struct, frozen=True):
    """The text that a step writes into its section of an output, and what the user is told about it."""

    target: Target
    text: str
    notice: str = ""


class Drafted(Struct, frozen=True):
    sections: tuple[SectionText, ...]


class FeedbackTaken(Struct, frozen=True):
    """A persona, by default the lead, replied to the user's feedback; its marker has the instant `at`."""

    reply: str
    at: str
    speaker: str = ""


class Undone(Struct, frozen=True):
    """The last change was taken back, or could not be (`done` is false); each file is announced."""

    done: bool
    announcements: tuple[str, ...] = ()


Event: TypeAlias = (
    UserSpoke | Failed | TaskFailed | DocumentsWritten | Saved | ContextRead | Framed | PersonaSpoke
    | PersonaPassed | Judged | SpeakerStopped | LimitRaised | WrappedUp | SynthesisDrafted | RecordSaved
    | PersonaReplied | Offered | Drafted | FeedbackTaken | Undone
)  # fmt: skip
