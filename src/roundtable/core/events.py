"""Events: what happened, as both machines hear it. They are journalled before they count."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct, field

from .steps import Target
from .synthesis import Draft
from .turns import NEUTRAL, NOTHING_KNOWN, Known, Material, Verdict


class UserSpoke(Struct, frozen=True):
    """The user said something; what it means depends on what was awaited.

    `relayed` where a host passed the words on, perhaps not word for word; `by` is the name of
    whoever spoke where several people share the table. `seen` where they were said in a form of the client's
    that showed all that a host had worded by then.
    """

    text: str
    relayed: bool = False
    by: str = ""
    seen: bool = False


class Failed(Struct, frozen=True):
    """The panel failed; it is kept for the record and changes nothing (FAIL-1)."""

    reason: str


# --- the elaboration ------------------------------------------------------------------------------------


class ContextRead(Struct, frozen=True):
    """The step's documents and the turn limit were read."""

    max_turns: int
    material: tuple[Material, ...] = ()
    documents: tuple[Material, ...] = ()
    known: Known = NOTHING_KNOWN


class ContextUnreadable(Struct, frozen=True):
    """The step's context could not be read."""

    reason: str


class Framed(Struct, frozen=True):
    """The lead framed the discussion; `from_host` where a host gave the words."""

    summary: str
    focus_question: str
    focus_topic: str
    notes: tuple[str, ...] = ()
    from_host: bool = field(default=False, name="relayed")
    looked_up: tuple[Material, ...] = ()
    """What the lead asked to see before."""


class PersonaSpoke(Struct, frozen=True):
    """A persona's contribution is complete and checked."""

    speaker: str
    text: str
    verdict: Verdict = NEUTRAL
    notes: tuple[str, ...] = ()
    judged: Verdict | None = None
    """The speaker's verdict on the user's turn that it follows (FOCUS-1)."""
    looked_up: tuple[Material, ...] = ()
    """What the speaker asked to see before it spoke."""
    from_host: bool = field(default=False, name="relayed")
    """Whether a host gave the words."""


class PersonaPassed(Struct, frozen=True):
    """A persona that may be silent had nothing distinct to add."""

    speaker: str


class Judged(Struct, frozen=True):
    """The user's last contribution was judged for drift and decisions.

    As `advice` it redirects nobody: whoever speaks next judges the turn with its own words.
    """

    verdict: Verdict
    advice: bool = False


class SpeakerStopped(Struct, frozen=True):
    """The user stopped whoever was due, in order to speak."""


class LimitRaised(Struct, frozen=True):
    """The user asked for more turns."""

    max_turns: int


class LimitSaved(Struct, frozen=True):
    """The raised limit was written to meta.json, or could not be."""

    saved: bool


class WrappedUp(Struct, frozen=True):
    """The user chose to wrap up from what was said, at a choice rather than in the discussion."""


class BudgetSpent(Struct, frozen=True):
    """The budget for this discussion is used up."""

    reason: str


class SynthesisDrafted(Struct, frozen=True):
    """A synthesis was drafted; `at` is the instant that marker and record share.

    `claims` says what could not be verified in it, to be sent back with once (ART-8); `from_host` where a
    host gave the words.
    """

    draft: Draft
    at: str
    extracted: bool = False
    claims: tuple[str, ...] = ()
    from_host: bool = field(default=False, name="relayed")


class SynthesisFailed(Struct, frozen=True):
    """The panel could not draft a synthesis."""

    reason: str


class ArtifactsUpdated(Struct, frozen=True):
    """The outputs were updated; one announcement each."""

    announcements: tuple[str, ...]
    moment: str = ""
    """What the changes are noted under, so that they can be taken back."""


class RecordSaved(Struct, frozen=True):
    """The record is in meta.json and the transcript is written."""

    transcript: str


class RecordFailed(Struct, frozen=True):
    """The record could not be written to meta.json."""

    reason: str


# --- the analysis ---------------------------------------------------------------------------------------


class ArtifactsRead(Struct, frozen=True):
    """The incoming persona read what the phases before produced; empty where there was nothing."""

    text: str


class Offer(Struct, frozen=True):
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


class Offered(Struct, frozen=True):
    """The draft answers that item, code and earlier answers suggest were collected."""

    offers: tuple[Offer, ...] = ()


class FollowedUp(Struct, frozen=True):
    """The persona's follow-up question."""

    text: str


class SectionText(Struct, frozen=True):
    """The text that a step writes into its section of an output, and what the user is told about it."""

    target: Target
    text: str
    notice: str = ""


class Drafted(Struct, frozen=True):
    """The step's sections were drafted from the answers.

    `unmarked` are the same without the marks on what a host brought in, for a user who accepts them.
    """

    sections: tuple[SectionText, ...]
    unmarked: tuple[SectionText, ...] = ()


class DocumentsWritten(Struct, frozen=True):
    """The step's sections, the user's feedback or the drafts of skipped steps are on disk."""

    announcements: tuple[str, ...]
    moment: str = ""
    """What the changes are noted under, so that they can be taken back."""


class Saved(Struct, frozen=True):
    """The completed step or phase, or the depth or track that the user chose, is in meta.json."""


class FeedbackTaken(Struct, frozen=True):
    """A persona took up the user's feedback; `at` is the instant that its marker carries."""

    reply: str
    at: str
    speaker: str = ""
    """Who replied; the lead where it is empty."""


class Undone(Struct, frozen=True):
    """What was written last was taken back, or could not be (`done` is false); each file is announced."""

    done: bool
    announcements: tuple[str, ...] = ()


Event: TypeAlias = (
    ContextRead | ContextUnreadable | Framed | PersonaSpoke | PersonaPassed | SpeakerStopped | UserSpoke
    | Judged | LimitRaised | LimitSaved | WrappedUp | BudgetSpent | SynthesisDrafted | SynthesisFailed
    | ArtifactsUpdated | RecordSaved | RecordFailed | ArtifactsRead | Offered | FollowedUp | Drafted
    | DocumentsWritten | Saved | FeedbackTaken | Undone | Failed
)  # fmt: skip
