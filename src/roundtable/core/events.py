"""Events: what happened, as both machines hear it. They are journalled before they count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from .steps import Target
from .synthesis import Draft
from .turns import NEUTRAL, NOTHING_KNOWN, Known, Material, Verdict


@dataclass(frozen=True, slots=True)
class UserSpoke:
    """The user said something; what it means depends on what was awaited.

    `relayed` where another program passed the words on, perhaps not word for word; `by` is the name of
    whoever spoke where several people share the table. `seen` where they were said in a form of the client's
    that showed all that a host had worded by then.
    """

    text: str
    relayed: bool = False
    by: str = ""
    seen: bool = False


@dataclass(frozen=True, slots=True)
class Failed:
    """The panel failed; it is kept for the record and changes nothing (FAIL-1)."""

    reason: str


# --- the elaboration ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ContextRead:
    """The step's documents and the turn limit were read."""

    max_turns: int
    material: tuple[Material, ...] = ()
    documents: tuple[Material, ...] = ()
    known: Known = NOTHING_KNOWN


@dataclass(frozen=True, slots=True)
class ContextUnreadable:
    """The step's context could not be read."""

    reason: str


@dataclass(frozen=True, slots=True)
class Framed:
    """The lead framed the discussion; `relayed` where a host gave the words."""

    summary: str
    focus_question: str
    focus_topic: str
    notes: tuple[str, ...] = ()
    relayed: bool = False
    looked_up: tuple[Material, ...] = ()
    """What the lead asked to see before."""


@dataclass(frozen=True, slots=True)
class PersonaSpoke:
    """A persona's contribution is complete and checked."""

    speaker: str
    text: str
    verdict: Verdict = NEUTRAL
    notes: tuple[str, ...] = ()
    judged: Verdict | None = None
    """The speaker's verdict on the user's turn that it follows (FOCUS-1)."""
    looked_up: tuple[Material, ...] = ()
    """What the speaker asked to see before it spoke."""
    relayed: bool = False
    """Whether a host gave the words."""


@dataclass(frozen=True, slots=True)
class PersonaPassed:
    """A persona that may be silent had nothing distinct to add."""

    speaker: str


@dataclass(frozen=True, slots=True)
class Judged:
    """The user's last contribution was judged for drift and decisions.

    As `advice` it redirects nobody: whoever speaks next judges the turn with its own words.
    """

    verdict: Verdict
    advice: bool = False


@dataclass(frozen=True, slots=True)
class LimitRaised:
    """The user asked for more turns."""

    max_turns: int


@dataclass(frozen=True, slots=True)
class LimitSaved:
    """The raised limit was written to meta.json, or could not be."""

    saved: bool


@dataclass(frozen=True, slots=True)
class WrappedUp:
    """The user chose to wrap up from what was said, at a choice rather than in the discussion."""


@dataclass(frozen=True, slots=True)
class BudgetSpent:
    """The budget for this discussion is used up."""

    reason: str


@dataclass(frozen=True, slots=True)
class SynthesisDrafted:
    """A synthesis was drafted; `at` is the instant that marker and record share.

    `claims` says what could not be verified in it, to be sent back with once (ART-8); `relayed` where a host
    gave the words.
    """

    draft: Draft
    at: str
    extracted: bool = False
    claims: tuple[str, ...] = ()
    relayed: bool = False


@dataclass(frozen=True, slots=True)
class SynthesisFailed:
    """The panel could not draft a synthesis."""

    reason: str


@dataclass(frozen=True, slots=True)
class ArtifactsUpdated:
    """The outputs were updated; one announcement each."""

    announcements: tuple[str, ...]
    moment: str = ""
    """What the changes are noted under, so that they can be taken back."""


@dataclass(frozen=True, slots=True)
class RecordSaved:
    """The record is in meta.json and the transcript is written."""

    transcript: str


@dataclass(frozen=True, slots=True)
class RecordFailed:
    """The record could not be written to meta.json."""

    reason: str


# --- the analysis ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ArtifactsRead:
    """The incoming persona read what the phases before produced; empty where there was nothing."""

    text: str


@dataclass(frozen=True, slots=True)
class Offer:
    """A draft answer to the question under a label, and where it comes from.

    A panel's own is read at its source, assumed, or not known (then it has no text); where it `matters`, the
    user is asked (STEP-4).
    """

    label: str
    text: str
    source: str
    standing: Literal["", "read", "assumed", "unknown"] = ""
    matters: bool = True
    is_subject: bool = False
    """Whether it is what the question asks about, and no answer to it."""


@dataclass(frozen=True, slots=True)
class Offered:
    """The draft answers that item, code and earlier answers suggest were collected."""

    offers: tuple[Offer, ...] = ()


@dataclass(frozen=True, slots=True)
class FollowedUp:
    """The persona's follow-up question."""

    text: str


@dataclass(frozen=True, slots=True)
class SectionText:
    """The text that a step writes into its section of an output, and what the user is told about it."""

    target: Target
    text: str
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Drafted:
    """The step's sections were drafted from the answers.

    `unmarked` are the same without the marks on what a host brought in, for a user who accepts them.
    """

    sections: tuple[SectionText, ...]
    unmarked: tuple[SectionText, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentsWritten:
    """The step's sections, the user's feedback or the drafts of skipped steps are on disk."""

    announcements: tuple[str, ...]
    moment: str = ""
    """What the changes are noted under, so that they can be taken back."""


@dataclass(frozen=True, slots=True)
class Saved:
    """The completed step or phase, or the depth or track that the user chose, is in meta.json."""


@dataclass(frozen=True, slots=True)
class FeedbackTaken:
    """A persona took up the user's feedback; `at` is the instant that its marker carries."""

    reply: str
    at: str
    speaker: str = ""
    """Who replied; the lead where it is empty."""


@dataclass(frozen=True, slots=True)
class Undone:
    """What was written last was taken back, or could not be (`done` is false); each file is announced."""

    done: bool
    announcements: tuple[str, ...] = ()


Event: TypeAlias = (
    ContextRead | ContextUnreadable | Framed | PersonaSpoke | PersonaPassed | UserSpoke | Judged | LimitRaised
    | LimitSaved | WrappedUp | BudgetSpent | SynthesisDrafted | SynthesisFailed | ArtifactsUpdated
    | RecordSaved | RecordFailed | ArtifactsRead | Offered | FollowedUp | Drafted | DocumentsWritten | Saved
    | FeedbackTaken | Undone | Failed
)  # fmt: skip
