"""Helpers for tests of your own personas and steps: a scripted panel, and a driver that plays a session.

Nothing here needs a model or a network; see docs/content.md for an example.
"""

import asyncio
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, assert_never

from .catalogue import load_steps
from .core import commands as do
from .core.errors import PanelFailed
from .core.events import Offer
from .core.lines import Line
from .core.synthesis import Draft, Entry, decision_turns, own_words
from .core.turns import NEUTRAL, OffTopic, Verdict
from .panel.base import Framing, OnWords, Panel, PanelKind, PanelRequest, Speech, ignore_words
from .runtime.session import Session
from .store.items import add_item
from .store.meta import change_meta

_NAMES: dict[type[PanelRequest], str] = {
    do.AskFraming: "frame", do.AskPersona: "speak", do.AskVerdict: "judge", do.AskSynthesis: "synthesise",
    do.AskFollowUp: "follow_up", do.AskFeedback: "take_up", do.AskReading: "read",
}  # fmt: skip


@dataclass
class ScriptedPanel:
    """A panel that says one distinct thing per turn; override its methods to change replies, or its `kind`.

    `says` returns a contribution, or None for the default words; `offers` holds the draft answers. `fails`
    maps a method's name to the number of times that it fails. `asked` and `briefs` record the requests.
    """

    name: ClassVar[str] = "scripted"
    kind: ClassVar[PanelKind] = "model"

    fails: dict[str, int] = field(default_factory=dict)
    says: Callable[[do.Brief], Speech | None] | None = None
    offers: tuple[Offer, ...] = ()
    asked: list[str] = field(default_factory=list)
    briefs: list[do.Brief] = field(default_factory=list)

    async def answer(self, request: PanelRequest, on_words: OnWords = ignore_words) -> Any:
        if name := _NAMES.get(type(request)):
            self.asked.append(name)
            if self.fails.get(name, 0) > 0:
                self.fails[name] -= 1
                raise PanelFailed(f"The model did not answer ({name}).")
        match request:
            case do.AskFraming(brief) | do.AskPersona(brief):
                self.briefs.append(brief)
                is_framing = isinstance(request, do.AskFraming)
                return await (self.frame(brief) if is_framing else self.speak(brief, on_words))
            case do.AskVerdict(table):
                return await self.judge(table)
            case do.AskSynthesis():
                return await self.synthesise(request)
            case do.AskOffers():
                return self.offers
            case do.AskFiles():
                return None
            case do.AskFollowUp():
                return request.criterion.follow_up
            case do.AskFeedback():
                return f"I take that up: {request.words}"
            case do.AskReading():
                names = ", ".join(each.name for each in request.brief.documents)
                return f"I have read {names}." if names else ""
            case other:
                assert_never(other)

    async def frame(self, brief: do.Brief) -> Framing:  # noqa: ARG002
        """Open the discussion."""
        question = "Who decides when answers differ?"
        return Framing("Two journeys are written down.", question, "differing answers")

    async def speak(self, brief: do.Brief, on_words: OnWords) -> Speech | None:
        """Say what `says` returns; else pass if the brief allows it, or remark with the turn's number."""
        speech = self.says(brief) if self.says else None
        if speech is None and brief.may_pass:
            return None
        usual = f"Remark {brief.number} by {brief.speaker.first_name} on the {brief.purpose}."
        speech = speech or Speech(usual)
        for word in speech.text.split():
            on_words(word)
        return speech

    async def judge(self, table: do.Table) -> Verdict:
        """Judge "weather" as off topic and "go with" as a decision."""
        turn = table.turns[-1]
        if "weather" in turn.text:
            return Verdict(off_topic=OffTopic("the weather", "03-02"))
        return Verdict(decisions=(turn.number,)) if "go with" in turn.text else NEUTRAL

    async def synthesise(self, ask: do.AskSynthesis) -> Draft:
        """Return one insight, and the decisions in the user's words."""
        turns, insight = ask.table.turns, Entry("Answers can differ.", (2,))
        decided = tuple(Entry(own_words(turns[n - 1]), (n,), "said so") for n in decision_turns(turns))
        return Draft(insights=(insight,), decisions=decided, summary="Identified 1 gap")


@dataclass(frozen=True, slots=True)
class PlayedSession:
    """The lines that a session showed, and the text of each page that it wrote, by file name."""

    lines: tuple[Line, ...]
    documents: Mapping[str, str]

    def texts(self, kind: str) -> list[str]:
        """Return the texts of the lines of one kind, such as "question" or "contribution"."""
        return [line.text for line in self.lines if line.kind == kind]


def play_step(
    project: Path, step: str, messages: Iterable[str], *, panel: Panel | None = None,
    item: str = "Offline forms\n\nInspectors fill in forms in basements without signal.",
) -> PlayedSession:  # fmt: skip
    """Analyse an item from this step on, in a copy with the project's own personas and steps.

    The steps before it count as completed. The messages are what the user says, one after another; the
    session pauses when they run out. The panel is a `ScriptedPanel` unless you give one.
    """
    steps = load_steps(project)
    ids = [each.step_id for each in steps]
    if step not in ids:
        raise ValueError(f"The project has no step {step!r}.")
    done = steps[: ids.index(step) + 1]
    phases = dict.fromkeys(each.phase.key for each in done if each.phase and each.phase != done[-1].phase)
    completed = {"steps_completed": [each.step_id for each in done], "phases_completed": [*phases]}
    with TemporaryDirectory() as copy:
        root = Path(copy)
        if (project / ".roundtable").is_dir():
            shutil.copytree(project / ".roundtable", root / ".roundtable")
        folder = add_item(root, item, commit=None)
        change_meta(folder, lambda meta: meta.update(completed))
        session = Session(root, folder.name, reopen=step, panel=panel or ScriptedPanel())
        lines = play_session(session, messages)
        documents = {path.name: path.read_text("utf-8") for path in sorted(folder.glob("*.md"))}
        return PlayedSession(tuple(lines), documents)


def play_session(session: Session, messages: Iterable[str]) -> list[Line]:
    """Return the lines that a session shows until it is done, or until the messages run out."""

    async def run() -> list[Line]:
        for message in messages:
            session.say(message)
        session.hang_up()
        return [line async for line in session.lines()]

    return asyncio.run(run())
