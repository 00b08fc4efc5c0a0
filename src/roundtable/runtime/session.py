"""The session: one item, one panel, lines out and words in; every surface is built on it.

It holds the item's lock, asks the machine what comes next, has it carried out, and journals what happened
before it counts. Killed at any point and started again, it goes on where it was, and finishes exactly once.
"""

from __future__ import annotations

import asyncio
import re
import shlex
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from msgspec.structs import replace

from ..core import commands as do
from ..core import events as on
from ..core import lines as texts
from ..core.analysis import START_OVER, Analysis, Stage, recall
from ..core.elaboration import Awaited, State
from ..core.errors import DiskFailed, PanelFailed, RuleBroken
from ..core.hearing import hear_choice, hear_menu, hear_steering
from ..core.lines import Awaits, Line, LineKind
from ..core.steps import Item
from ..core.text import strip_hidden, strip_unprintable
from ..core.turns import USER
from ..panel.base import OFFLINE, Panel
from ..store.artifact import one_line, read_documents
from ..store.items import ITEMS_FOLDER, find_entry
from ..store.lock import item_lock
from ..store.meta import progress_of, read_meta
from ..store.transcript import FOLDER as TRANSCRIPT_FOLDER
from ..store.transcript import parse_transcripts
from ..store.undo import UndoLog, show_diff
from .executor import Executor
from .resume import Leg, Resume

if TYPE_CHECKING:
    from .budget import BudgetAccount

RESUME, WRAP_UP, TRY_AGAIN, KEEP, SKIP = "resume", "wrap up", "try again", "keep them", "skip them"
MAX_MESSAGE_LENGTH = 100_000  # characters of one message that are taken
_TURNS = re.compile(r"\s*/turns\s+(\d{1,4})\s*")
_QUIT_AT = ("answer", "menu", "review")  # in a discussion, `quit` may mean ending it
_SAVED = "Everything said so far is saved."
_Result = TypeVar("_Result")


class _Paused(Exception):
    """The words ran out, or the user wants to go on later."""


class Session:
    """The analysis of one item: iterate over `lines()`, and `say()` something when it is `listening`."""

    _running: ClassVar[int] = 0  # sessions in this process

    def __init__(
        self,
        root: Path | str,
        item: str,
        *,
        step: str | None = None,
        reopen: str | None = None,
        panel: Panel | None = None,
        user_name: str | None = None,
        interactive: bool = False,
        items_folder: str = ITEMS_FOLDER,
        on_words: Callable[[str, str], None] = lambda *_: None,
        review: bool = False,
        account: BudgetAccount | None = None,
        again: str = "",
        command: Callable[..., str] = lambda *words: shlex.join(("roundtable", *words)),
    ) -> None:
        """Analyse an item, hold a roundtable on its completed `step`, or `reopen` a completed step.

        `interactive`: somebody can be asked if a panel fails or a discussion was cut off. `review`: the user
        accepts each synthesis. `on_words` receives a speaker's key and words as they come; `account` records
        what they cost; `again` is the command to resume the session, and `command` writes others.
        """
        self.root = Path(root)
        self.folder = self._find_folder(item, items_folder)
        self.listening: Awaits | None = None
        self.prefill, self.offer = "", ""
        """While listening: the text to edit in the input line, and the draft that Enter accepts."""
        self._step, self._reopen = step, reopen
        self._panel, self._on_words, self._account = panel, on_words, account
        self._user_name, self._interactive, self._review = user_name, interactive, review
        # Cleaned before it is quoted: cleaning it later could remove quotation marks as well.
        name = one_line(self.folder.name)
        self._again = again or command(*(("elaborate", name, "--step", step) if step else ("analyze", name)))
        self._hand_off_command = command("handoff", name)
        self._leg: Leg | None = None
        self._said: asyncio.Queue[tuple[on.UserSpoke, tuple[str, ...]] | None] = asyncio.Queue()
        self._shown: asyncio.Queue[Line | None] = asyncio.Queue()
        self._held: on.UserSpoke | None = None  # said at a choice, but meant for the discussion
        self._not_picked = set[Item]()
        self._told_forecast = False

    @property
    def analysis(self) -> Analysis | None:
        """Return the state of the current leg, for reading; None before there is one."""
        return self._leg.analysis if self._leg is not None else None

    @property
    def moment(self) -> str:
        """Return a name for the session's current position, the same after a kill and a restart."""
        return self._leg.journal.moment if self._leg is not None else ""

    @property
    def is_first_time(self) -> bool:
        """Whether no step was complete when this leg began, and no item here was ever discussed."""
        is_begun = self.analysis is None or bool(self.analysis.opening.progress.steps_completed)
        return not is_begun and not any(self.folder.parent.glob(f"*/{TRANSCRIPT_FOLDER}/*.md"))

    def documents(self) -> dict[str, str]:
        """Return the current texts of the item's documents by name."""
        return read_documents(self.folder)

    def transcripts(self) -> dict[str, str]:
        """Return the transcripts of the item's discussions, each by its number."""
        return {str(each.number): each.text for each in parse_transcripts(self.folder)}

    def show_last_change(self) -> str:
        """Return a diff of what `undo` would take back, or why it cannot; empty if nothing was written."""
        if self.analysis is None or not self.analysis.written:
            return ""
        try:
            plan = UndoLog(self.folder).plan_undo(self.analysis.written[-1].moment)
        except DiskFailed as failure:
            return failure.failed
        return show_diff((each.name, each.document, each.current) for each in plan)

    def describe_panel(self) -> dict[str, str]:
        """Return the panel's name, what the item has used, and the command to resume."""
        used = self._account.describe_spending() if self._account is not None else ""
        return {"panel": self._executor.panel.name, "used": used or "nothing", "again": self._again}

    def say(self, text: str, *, relayed: bool = False, by: str = "") -> None:
        """Say something, as in `UserSpoke`; early words wait. A notice says what was not taken."""
        words = strip_unprintable(text)
        remarks = texts.not_taken(len(text) - len(strip_hidden(text)), len(words), MAX_MESSAGE_LENGTH)
        self._said.put_nowait((on.UserSpoke(words[:MAX_MESSAGE_LENGTH], relayed, by), remarks))

    def hang_up(self) -> None:
        """End the input: the session pauses when the words said so far are used up."""
        self._said.put_nowait(None)

    async def close(self) -> None:
        """Pause the session when it next listens; everything that counts is already saved."""
        while not self._said.empty():
            self._said.get_nowait()
        self.hang_up()

    async def lines(self) -> AsyncGenerator[Line, None]:
        """Yield every line to show, in order, until the analysis is done or paused."""
        Session._running += 1
        running = asyncio.ensure_future(self._run())
        running.add_done_callback(lambda _: self._shown.put_nowait(None))
        try:
            while (line := await self._shown.get()) is not None:
                yield line
                self._shown.task_done()
            await running
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await running
            Session._running -= 1

    def _find_folder(self, item: str, items_folder: str) -> Path:
        return find_entry(self.root, item, items_folder=items_folder).folder

    def _make_executor(self, leg: Leg) -> Executor:
        executor = Executor(self.root, self.folder, leg, self._panel, self._on_words)
        executor.not_picked = self._not_picked
        return executor

    async def _run(self) -> None:
        with item_lock(self.folder):
            resume = Resume(self.root, self.folder, self._user_name)
            if self._step is not None:
                leg = await self._aside(resume.elaborate, self._step)
            elif self._reopen is not None:
                leg = await self._aside(resume.reopen, self._reopen)
            else:
                leg = await self._aside(resume.start)
            while (ending := await self._play(leg)) is not None:
                after = await self._aside(self._go_on, resume, ending)
                is_replaced = after is not None and after.journal.path == leg.journal.path
                is_empty = leg.analysis.answers == leg.analysis.stood  # left by `back` with nothing new
                if (leg.analysis.stage is Stage.ENDED or is_empty) and not is_replaced:
                    await self._aside(leg.journal.close)
                if after is None or after.analysis.opening.kind == "finished":
                    if after is not None:
                        after.journal.close()
                        await self._show_hand_off(leg)
                    text = f"The analysis is complete. Its documents are in {self.folder}."
                    await self._show(Line("done", text))
                    return
                leg = after

    async def _aside(self, write: Callable[..., _Result], *given: Any) -> _Result:
        """Run what waits for the disk, in a thread if other sessions of the process would wait as well."""
        if Session._running == 1:
            return write(*given)
        writing = asyncio.ensure_future(asyncio.to_thread(write, *given))
        try:
            return await asyncio.shield(writing)
        finally:
            while not writing.done():  # cancelled: the lock must not be given back before the write is over
                with suppress(asyncio.CancelledError):
                    await asyncio.wait((writing,))

    def _go_on(self, resume: Resume, ending: do.Advance) -> Leg | None:
        """Return the next leg; None if the user leaves."""
        if ending.otherwise:
            return resume.start_over() if ending.otherwise == START_OVER else None
        step_id = ending.step_id
        return resume.reopen(step_id, asks_last=ending.is_back) if step_id else resume.next()

    async def _play(self, leg: Leg) -> do.Advance | None:
        """Play one leg and return how it ends; None if it is paused."""
        self._leg, self._executor = leg, self._make_executor(leg)
        for warning in leg.warnings:
            await self._tell("notice", warning)
        try:
            if leg.resumed:
                await self._take_up_again(leg)
            while True:
                task = await self._show_all(leg.commands)
                if isinstance(task, do.Advance):
                    return task
                if is_heard := isinstance(task, do.Listen):
                    event = await self._hear(leg, task)
                else:
                    event = await self._perform(leg, task)
                by_panel = isinstance(event, on.Framed | on.PersonaSpoke)
                try:
                    await self._aside(leg.commit, event, self._executor.panel.name if by_panel else "")
                except RuleBroken as refused:
                    if not is_heard:
                        raise
                    await self._tell("notice", str(refused))
                    leg.commands = (task,)
                await self._settle(leg, event)
        except _Paused:
            await self._show(Line("paused", f"Paused; everything is saved. Go on with: {self._again}"))
            return None

    async def _hear(self, leg: Leg, listen: do.Listen) -> on.Event:
        if listen.awaits == "review" and not self._review:
            # Nobody reviews here: it is written as it is, and not as accepted by the user.
            return on.UserSpoke("", relayed=True)
        words, self._held = self._held or await self._listen(listen, leg.state), None
        if listen.awaits in _QUIT_AT and hear_steering(words.text, at_menu=False) == "quit":
            raise _Paused
        can_skip = self._interactive and bool(leg.analysis.remaining_steps.steps)
        if listen.awaits == "menu" and hear_menu(words.text, can_skip=can_skip) == "skip":
            # One letter skips many steps, so the user has to confirm; any other words keep them.
            await self._show(texts.choice_menu("Skip the remaining steps in this phase?", (KEEP, SKIP)))
            sure = await self._listen(do.Listen("choice"), None)
            if (heard := hear_choice(sure.text, (KEEP, SKIP, "yes", "no"))) not in (SKIP, "yes"):
                if heard is None and sure.text.strip():
                    await self._tell("notice", "Nothing was skipped, and these words were not kept.")
                await self._show_all(leg.commands[-2:])  # the same menu
                return await self._hear(leg, listen)
        raised = _TURNS.fullmatch(words.text) if leg.can_wrap_up else None
        return on.LimitRaised(int(raised[1])) if raised else words

    async def _show_hand_off(self, leg: Leg) -> None:
        from ..documents.handoff import write_summary
        from ..store.outputs import read_hand_off

        hand_off = read_hand_off(self.folder, self._executor.every_step, leg.analysis.opening.roster, None)
        if not hand_off.is_empty:
            await self._show(Line("notice", write_summary(hand_off, self._hand_off_command)))

    async def _take_up_again(self, leg: Leg) -> None:
        """Say where things stood; ask about a discussion that was cut off."""
        shown = [each for each in leg.commands if isinstance(each, do.Show)]
        # The journal's opening knows only what was discussed before the leg.
        for show in recall(leg.analysis, progress_of(read_meta(self.folder) or {})):
            await self._show(show.line)
            first = [each for each in shown if each.line.kind == "greeting"]  # shown before the pause
            leg.commands = tuple(each for each in leg.commands if each not in first)
        discussion = leg.analysis.elaboration
        if discussion is not None and discussion.turns:
            step_id, count = discussion.step.step_id, len(discussion.turns)
            subject = f"step {step_id}" if step_id else "this document"
            stood = f"The discussion of {subject} was cut off at turn {count} of {discussion.max_turns}."
            is_review = discussion.awaits is Awaited.REVIEW
            await self._tell("resume", texts.REVIEW_AGAIN if is_review else stood)
        echoes = [each for each in shown if (each.line.speaker, each.line.words) == (USER, leg.last_words)]
        if leg.last_words is not None and not any(each.line.turn for each in echoes):
            await self._show(Line("resume", leg.last_words, USER))
            leg.commands = tuple(each for each in leg.commands if each not in echoes)
        if discussion is None or not leg.can_wrap_up:
            return
        last = texts.contribution(discussion.turns[-1], discussion.roster)
        is_shown = any(each.line.turn for each in shown)
        if isinstance(leg.commands[-1], do.Listen) and last.speaker != USER and not is_shown:
            await self._show(replace(last, kind="resume"))  # the others passed; it waits for a reply
        if self._interactive:
            leg.commands = (await self._show_all(leg.commands),)
            question = "Resume the discussion, or wrap up from what was said?"
            if await self._choose(question, (RESUME, WRAP_UP), otherwise=RESUME) == WRAP_UP:
                await self._aside(leg.commit, on.WrappedUp())

    async def _perform(self, leg: Leg, task: do.Command) -> on.Event:
        """Return the event of a task; if the panel fails, ask the user or raise PanelFailed."""
        while True:
            if self._account is not None:
                step = leg.analysis.opening.step
                self._account.enter_step(step.step_id if step else "", is_discussing=leg.is_discussing)
            try:
                try:
                    return await self._executor.carry_out(task, self._aside)
                finally:
                    await self._show_news()
            except PanelFailed as failure:
                await self._aside(leg.journal.append, on.Failed(str(failure)))
                await self._tell("error", f"{failure} {_SAVED}")
                if not self._interactive:
                    again = f"The same command goes on from there: {self._again}"
                    raise PanelFailed(failure.failed, saved=_SAVED, do=again) from failure
            choices = (TRY_AGAIN, OFFLINE, WRAP_UP) if leg.can_wrap_up else (TRY_AGAIN, OFFLINE)
            choice = await self._choose("Try again, or go on with the offline panel?", choices)
            if choice == WRAP_UP:
                return on.WrappedUp()
            if choice == OFFLINE:
                self._panel = None
                self._executor.set_panel(None)

    async def _settle(self, leg: Leg, event: on.Event) -> None:
        """After an event, say what a discussion has used, or end it if its budget is spent (EXIT-2)."""
        if self._account is None:
            return
        discussion = leg.analysis.elaboration
        has_ended = discussion is None and isinstance(event, on.RecordSaved | on.TaskFailed)
        if has_ended and (used := self._account.end_discussion()):
            await self._show(Line("notice", used, state=State.STATE_PERSIST))
        if discussion is not None and discussion.awaits is Awaited.PERSONA:
            if reason := self._account.find_exhausted_limit(len(discussion.turns)):
                await self._show_all(leg.commands)
                await self._aside(leg.commit, on.WrappedUp(reason))
            await self._show_news()

    async def _show_news(self) -> None:
        for text in self._account.take_news() if self._account is not None else ():
            await self._tell("notice", text)

    def _forecast(self) -> str:
        """Return what an elaboration of the step may cost (MENU-6); empty if nothing or it cannot start."""
        opening, panel = self._leg.analysis.opening if self._leg else None, self._executor.panel
        if self._account is None or opening is None or opening.step is None or panel.kind == "offline":
            return ""
        context = self._executor.context(opening.step)
        if not opening.roster.can_discuss or isinstance(context, on.TaskFailed):
            return ""
        item, step, roster = opening.item, opening.step, opening.roster
        table = do.Table(item, step, roster, opening.lead, opening.steps, context.material, context.max_turns)
        return self._account.describe_forecast(table, panel.name)

    async def _show(self, line: Line) -> None:
        """Hand over a line and wait until it is taken, so that people see it before anything goes on."""
        await self._shown.put(line)
        await self._shown.join()

    async def _tell(self, kind: LineKind, text: str) -> None:
        await self._show(Line(kind, text, state=self._leg.state if self._leg is not None else None))

    async def _show_all(self, commands: tuple[do.Command, ...]) -> do.Command:
        """Show the lines of the commands, with the costs, and return the last one, which is still to do."""
        for command in commands[:-1]:
            if not isinstance(command, do.Show) or (command.line.kind == "review" and not self._review):
                continue
            line = command.line
            if line.kind == "menu" and (forecast := self._forecast()):
                self._told_forecast = True
                if line.menu and line.menu.find_label("E"):
                    line = replace(line, words=forecast)  # above its choices (MENU-6)
            elif line.kind == "introduction" and not self._told_forecast and (forecast := self._forecast()):
                await self._show(Line("notice", forecast, state=line.state))
            await self._show(line)
        return commands[-1]

    async def _listen(self, listen: do.Listen, state: str | None) -> on.UserSpoke:
        self.listening, self.prefill, self.offer = listen.awaits, listen.prefill, listen.offer
        await self._show(Line("listen", "", state=state, awaits=listen.awaits))
        try:
            said = await self._said.get()
        finally:
            self.listening, self.prefill, self.offer = None, "", ""
        if said is None:
            raise _Paused
        for remark in said[1]:
            await self._show(Line("notice", remark, state=state))
        return said[0]

    async def _choose(self, question: str, choices: tuple[str, ...], otherwise: str = "") -> str:
        """Ask until a choice is made; several other words mean `otherwise`, and become the next message."""
        while True:
            await self._show(texts.choice_menu(question, choices))
            words = await self._listen(do.Listen("choice"), None)
            if choice := hear_choice(words.text, choices):
                await self._show(Line("choice", words.text.strip() or choice, USER))
                return choice
            if otherwise and len(words.text.split()) > 1:
                self._held = words
                return otherwise
            await self._show(Line("notice", "That is not one of the choices."))
