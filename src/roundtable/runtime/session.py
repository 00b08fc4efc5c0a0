"""The session: one item, one panel, lines out and words in; every surface is built on it.

It holds the item's lock, asks the machine what comes next, has it carried out, and journals what happened
before it counts. Killed at any point and started again, it goes on where it was, and finishes exactly once.
"""

from __future__ import annotations

import asyncio
import re
import shlex
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, TypeVar, assert_never

from msgspec.structs import replace

from ..catalogue import read_tracks
from ..core import commands as do
from ..core import events as on
from ..core import lines as texts
from ..core.analysis import Analysis, Stage, recall
from ..core.elaboration import Awaited, State
from ..core.errors import PanelFailed, RuleBroken
from ..core.hearing import hear_choice, hear_steering
from ..core.lines import Awaits, Line
from ..core.synthesis import UNVERIFIED
from ..core.text import strip_hidden, strip_unprintable
from ..core.tracks import list_all_steps
from ..core.turns import USER
from ..panel.base import OFFLINE, Panel
from ..store.artifact import one_line
from ..store.items import ITEMS_FOLDER, find_entry
from ..store.journal import waits_for_disk
from ..store.lock import ItemLock
from .executor import Executor, Task
from .resume import Leg, Resume

if TYPE_CHECKING:
    from .budget import BudgetAccount


RESUME, WRAP_UP, TRY_AGAIN = "resume", "wrap up", "try again"
MAX_MESSAGE_LENGTH = 100_000
"""How many characters of one message are taken."""

_TURNS = re.compile(r"\s*/turns\s+(\d{1,4})\s*")

_QUIT_AT = ("answer", "menu", "review")
"""Where `quit` alone pauses the session; in a discussion it may mean to end that."""

_Result = TypeVar("_Result")
Ending = do.Advance | do.StartOver | do.Leave


class Session:
    """The analysis of one item: iterate over `lines()`, and `say()` something when it is `listening`."""

    _running: ClassVar[int] = 0
    """How many sessions of this process are running."""

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
        on_words: Callable[[str, str], None] | None = None,
        review: bool = False,
        account: BudgetAccount | None = None,
        again: str = "",
        command: Callable[..., str] = lambda *words: shlex.join(("roundtable", *words)),
    ) -> None:
        """An analysis of an item, a roundtable on its completed `step`, or a completed step to `reopen`.

        `interactive` says that somebody can be asked when a panel fails or a discussion was cut off;
        `on_words` is handed a speaker's key and words as they come, before they count; with `review` the user
        accepts or changes each synthesis before it is written; `account` keeps what the panel's words cost;
        `again` is the command that goes on, where it needs more than the item's name; `command` words others.
        """
        self.root = Path(root)
        self.folder = self._find_folder(item, items_folder)
        self.listening: Awaits | None = None
        self.prefill = ""
        """The text in the input line that the user can edit, while the session is listening."""
        self.offer = ""
        """The draft answer that Enter takes and that can be put into the input line."""
        self._step = step
        self._reopen = reopen
        self._panel = panel
        self._user_name = user_name
        self._interactive = interactive
        self._on_words = on_words or (lambda *_: None)
        self._review = review
        self._account = account
        self._again, self._word_command = again, command
        self._leg: Leg | None = None
        self._executor: Executor | None = None
        self._said: deque[tuple[on.UserSpoke, tuple[str, ...]]] = deque()
        self._held: on.UserSpoke | None = None
        self._news = asyncio.Event()
        self._hung_up = False
        self._shown: asyncio.Queue[Line | None] = asyncio.Queue()
        self._told_forecast = False

    @property
    def analysis(self) -> Analysis | None:
        """Return the state of the leg in play, to look at; None before there is one."""
        return self._leg.analysis if self._leg is not None else None

    @property
    def moment(self) -> str:
        """Return a name for where the session stands; it is the same after a kill and a new start."""
        return self._leg.journal.moment if self._leg is not None else ""

    def say(self, text: str, *, relayed: bool = False, by: str = "", seen: bool = False) -> None:
        """Say something; early words wait for the next turn to listen; the rest as in `UserSpoke`.

        Of a message that is too long only the beginning is taken, and a notice says so.
        """
        words = strip_unprintable(text)
        remarks = texts.not_taken(len(text) - len(strip_hidden(text)), len(words), MAX_MESSAGE_LENGTH)
        self._said.append((on.UserSpoke(words[:MAX_MESSAGE_LENGTH], relayed, by, seen), remarks))
        self._news.set()

    def hang_up(self) -> None:
        """No more words will come: when they are used up, the session pauses."""
        self._hung_up = True
        self._news.set()

    async def close(self) -> None:
        """Pause at the next turn to listen; everything that counts is saved already."""
        self._said.clear()
        self.hang_up()

    async def lines(self) -> AsyncGenerator[Line, None]:
        """Yield all that is to be shown, in order, until the analysis is done or paused."""
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

    # --- the run ----------------------------------------------------------------------------------------

    def _find_folder(self, item: str, items_folder: str) -> Path:
        """Return the folder that holds the journal and the lock."""
        return find_entry(self.root, item, items_folder=items_folder).folder

    def _make_executor(self, leg: Leg) -> Executor:
        return Executor(self.root, self.folder, leg, self._panel, self._on_words)

    def _is_over(self, leg: Leg) -> bool:  # noqa: ARG002
        """Whether nothing of the leg is left to be played, so that its menu is not shown."""
        return False

    async def _run(self) -> None:
        with ItemLock(self.folder):
            resume = Resume(self.root, self.folder, self._user_name)
            begin = resume.start
            if self._step is not None:
                begin = partial(resume.elaborate, self._step)
            elif self._reopen is not None:
                begin = partial(resume.reopen, self._reopen)
            leg = await self._aside(begin)
            while True:
                ending = await self._play(leg)
                if ending is None:
                    await self._show_paused()
                    return
                match ending:
                    case do.Leave():
                        after = None
                    case do.StartOver():
                        after = await self._aside(resume.start_over)
                    case do.Advance():
                        step_id = ending.step_id or await self._find_marked(leg)
                        reopen = partial(resume.reopen, step_id, asks_last=ending.is_back)
                        after = await self._aside(reopen if step_id else resume.next)
                    case other:
                        assert_never(other)
                if after is None or after.journal.path != leg.journal.path:
                    await self._aside(partial(resume.close, leg.journal))
                if after is None or after.analysis.opening.kind == "finished":
                    if after is not None:
                        resume.close(after.journal)
                        await self._show_hand_off(leg)
                    text = f"The analysis is complete. Its documents are in {self.folder}."
                    await self._show(Line("done", text))
                    return
                leg = after

    async def _find_marked(self, leg: Leg) -> str:
        """Return the next step whose marked answers can be accepted, after one that was reopened (ART-8)."""
        if self._reopen is None or self._executor is None:
            return ""
        step, item = leg.analysis.opening.step, leg.analysis.opening.item
        marked = await self._aside(partial(self._executor.find_marked_steps, item))
        later = [each for each in marked if step and each > step.step_id]
        self._reopen = next((each for each in later if each in leg.analysis.completed_steps), None)
        if self._reopen is None:
            return ""
        text = f"Step {self._reopen} has answers marked {UNVERIFIED}, too. Enter accepts one as it stands."
        await self._show(Line("notice", text))
        return self._reopen

    async def _commit(self, leg: Leg, event: on.Event, panel: str = "") -> None:
        if waits_for_disk(event):
            await self._aside(lambda: leg.commit(event, panel))
        else:
            leg.commit(event, panel)

    async def _aside(self, write: Callable[[], _Result]) -> _Result:
        """Do what waits for the disk; in a thread where other sessions of the process would wait as well.

        A task that is cancelled meanwhile ends only after the write: the lock must not be given back before.
        """
        if Session._running == 1:
            return write()
        writing = asyncio.ensure_future(asyncio.to_thread(write))
        try:
            return await asyncio.shield(writing)
        except asyncio.CancelledError:
            while not writing.done():
                with suppress(asyncio.CancelledError):
                    await asyncio.wait((writing,))
            raise

    async def _play(self, leg: Leg) -> Ending | None:
        """Play one leg to its end; None where the words ran out before."""
        executor = self._make_executor(leg)
        self._leg, self._executor = leg, executor
        for warning in leg.warnings:
            await self._show(Line("notice", warning))
        if leg.resumed and not await self._take_up_again(leg):
            return None
        while True:
            task = await self._show_all(leg.commands)
            match task:
                case do.Advance() | do.StartOver() | do.Leave():
                    return task
                case do.Listen("review") if not self._review:
                    # Nobody reviews here: it is written as it stands, and not as accepted by the user.
                    await self._commit(leg, on.UserSpoke("", relayed=True))
                case do.Listen(awaits, prefill, offer):
                    words = await self._listen(awaits, leg.state, prefill, offer)
                    if words is None or (
                        awaits in _QUIT_AT and hear_steering(words.text, at_menu=False) == "quit"
                    ):
                        return None
                    raised = _TURNS.fullmatch(words.text) if leg.can_wrap_up else None
                    try:
                        await self._commit(leg, on.LimitRaised(int(raised[1])) if raised else words)
                    except RuleBroken as refused:
                        await self._show(Line("notice", str(refused), state=leg.state))
                        leg.commands = (task,)
                    await self._settle(leg, words)
                case do.Show() | do.Return():
                    raise RuleBroken("A machine's answer must end in something to wait for.")
                case _:
                    event = await self._perform(leg, executor, task)
                    if event is None:
                        return None
                    by_panel = isinstance(event, on.Framed | on.PersonaSpoke)
                    await self._commit(leg, event, executor.panel.name if by_panel else "")
                    await self._settle(leg, event)
            if self._is_over(leg):
                for each in leg.commands:
                    if isinstance(each, do.Show) and each.line.kind not in ("menu", "step"):
                        await self._show(each.line)
                return do.Leave()

    async def _show_paused(self) -> None:
        again = self._again or self._command()
        await self._show(Line("paused", f"Paused; everything is saved. Go on with: {again}"))

    async def _show_hand_off(self, leg: Leg) -> None:
        """Show in a few lines what is needed to build the item."""
        from ..documents.handoff import write_summary
        from ..store.outputs import read_hand_off

        every_step = list_all_steps(read_tracks(self.root)[0])
        hand_off = read_hand_off(self.folder, every_step, leg.analysis.opening.roster)
        if not hand_off.is_empty:
            command = self._word_command("handoff", one_line(self.folder.name))
            await self._show(Line("notice", write_summary(hand_off, command)))

    async def _take_up_again(self, leg: Leg) -> bool:
        """Say where things stood; ask about a discussion that was cut off; False where the words ran out."""
        for show in recall(leg.analysis):
            await self._show(show.line)
        discussion = leg.analysis.elaboration
        if discussion is not None and discussion.turns:
            told = (discussion.step.step_id, len(discussion.turns), discussion.max_turns)
            is_reviewed = discussion.awaits is Awaited.REVIEW
            text = texts.REVIEW_AGAIN if is_reviewed else texts.discussion_cut_off(*told)
            await self._show(Line("resume", text, state=discussion.state))
        if leg.asked is not None and leg.analysis.stage is Stage.ANSWER:
            await self._show(Line("resume", leg.asked.words.partition("\n")[0], leg.asked.speaker))
        shown = (each for each in leg.commands if isinstance(each, do.Show))
        echoes = [each for each in shown if (each.line.speaker, each.line.words) == (USER, leg.last_words)]
        if leg.last_words is not None and not any(each.line.turn for each in echoes):
            await self._show(Line("resume", leg.last_words, USER))
            leg.commands = tuple(each for each in leg.commands if each not in echoes)
        if leg.can_wrap_up and isinstance(leg.commands[-1], do.Listen) and discussion is not None:
            last = texts.contribution(discussion.turns[-1], discussion.roster)
            is_shown = any(isinstance(each, do.Show) and each.line.turn for each in leg.commands)
            if last.speaker != USER and not is_shown:  # the others passed; it waits for a reply
                await self._show(replace(last, kind="resume"))
        if not (self._interactive and leg.can_wrap_up):
            return True
        leg.commands = (await self._show_all(leg.commands),)
        question = "Resume the discussion, or wrap up from what was said?"
        choice = await self._choose(question, (RESUME, WRAP_UP), otherwise=RESUME)
        if choice == WRAP_UP:
            await self._commit(leg, on.WrappedUp())
        return choice is not None

    async def _perform(self, leg: Leg, executor: Executor, task: Task) -> on.Event | None:
        """Return what a task led to; if the panel fails, the user decides, or the session ends."""
        while True:
            if self._account is not None:
                step = leg.analysis.opening.step
                self._account.enter_step(step.step_id if step else "", is_discussing=leg.is_discussing)
            try:
                try:
                    return await executor.carry_out(task)
                finally:
                    await self._show_news(leg)
            except PanelFailed as failure:
                await self._commit(leg, on.Failed(str(failure)))
                text = f"{failure} Everything said so far is saved."
                await self._show(Line("error", text, state=leg.state))
                if not self._interactive:
                    raise PanelFailed(
                        failure.failed,
                        saved="Everything said so far is saved.",
                        do=f"The same command goes on from there: {self._again or self._command()}",
                    ) from failure
            choices = (TRY_AGAIN, OFFLINE, WRAP_UP) if leg.can_wrap_up else (TRY_AGAIN, OFFLINE)
            choice = await self._choose("Try again, or go on with the offline panel?", choices)
            if choice is None:
                return None
            if choice == WRAP_UP:
                return on.WrappedUp()
            if choice == OFFLINE:
                self._panel = None
                executor.go_offline()

    async def _settle(self, leg: Leg, event: on.Event) -> None:
        """After an event: say what a discussion has used, or end it where its budget is spent (EXIT-2)."""
        if self._account is None:
            return
        if isinstance(event, on.RecordSaved | on.RecordFailed) and (used := self._account.end_discussion()):
            await self._show(Line("notice", used, state=State.STATE_PERSIST))
        discussion = leg.analysis.elaboration
        if discussion is None or discussion.awaits is not Awaited.PERSONA:
            return
        reason = self._account.find_exhausted_limit(len(discussion.turns))
        if reason is not None:
            await self._show_all(leg.commands)
            await self._commit(leg, on.BudgetSpent(reason))
        else:
            await self._show_news(leg)

    async def _show_news(self, leg: Leg) -> None:
        for text in self._account.take_news() if self._account is not None else ():
            await self._show(Line("notice", text, state=leg.state))

    async def _show_priced(self, line: Line) -> None:
        """Show a line; the menu, else the introduction, comes with what an elaboration may cost (MENU-6)."""
        if line.kind == "menu" and (forecast := self._forecast()):
            self._told_forecast = True
            line = texts.with_forecast(line, forecast)
        elif line.kind == "introduction" and not self._told_forecast and (forecast := self._forecast()):
            await self._show(Line("notice", forecast, state=line.state))
        await self._show(line)

    def _forecast(self) -> str:
        """Return what an elaboration of the step may cost; empty if it costs nothing or cannot be held."""
        if self._account is None or self._leg is None or self._executor is None:
            return ""
        opening, executor = self._leg.analysis.opening, self._executor
        if opening.step is None or not opening.roster.can_discuss or executor.panel.kind == "offline":
            return ""
        context = executor.context(opening.step)
        if isinstance(context, on.ContextUnreadable):
            return ""
        seats = do.Table(
            opening.item, opening.step, opening.roster, opening.lead, opening.steps, context.material,
            context.max_turns,
        )  # fmt: skip
        return self._account.describe_forecast(seats, executor.panel.name)

    # --- lines out, words in ----------------------------------------------------------------------------

    async def _show(self, line: Line) -> None:
        """Hand a line over and wait until it was taken: nothing goes on before people can have seen it."""
        await self._shown.put(line)
        await self._shown.join()

    async def _show_all(self, commands: tuple[do.Command, ...]) -> do.Command:
        """Show what is to be shown, and return the last command, which is to be done."""
        for command in commands[:-1]:
            if isinstance(command, do.Show) and (self._review or command.line.kind != "review"):
                await self._show_priced(command.line)
        return commands[-1]

    async def _listen(
        self, awaits: Awaits, state: str | None, prefill: str = "", offer: str = ""
    ) -> on.UserSpoke | None:
        """Return the user's next words; None if no more will come."""
        if self._held is not None:  # said already: nobody is asked for them again
            words, self._held = self._held, None
            return words
        self.listening, self.prefill, self.offer = awaits, prefill, offer
        await self._show(Line("listen", "", state=state, awaits=awaits))
        try:
            while not self._said:
                if self._hung_up:
                    return None
                self._news.clear()
                await self._news.wait()
            words, remarks = self._said.popleft()
        finally:
            self.listening, self.prefill, self.offer = None, "", ""
        for remark in remarks:
            await self._show(Line("notice", remark, state=state))
        return words

    async def _choose(self, question: str, choices: tuple[str, ...], otherwise: str = "") -> str | None:
        """Ask for one of a few choices until it is made; None if the words ran out.

        Several words that choose nothing choose `otherwise`, where it is given, and are said after it.
        """
        while True:
            await self._show(texts.choice_menu(question, choices))
            words = await self._listen("choice", None)
            if words is None:
                return None
            choice = hear_choice(words.text, choices)
            if choice is not None:
                await self._show(Line("choice", words.text.strip() or choice, USER))
                return choice
            if otherwise and len(words.text.split()) > 1:
                self._held = words
                return otherwise
            await self._show(Line("notice", "That is not one of the choices."))

    def _command(self) -> str:
        # Cleaned before it is quoted: what is taken out later would take quotation marks along.
        name = one_line(self.folder.name)
        words = ["elaborate", name, "--step", self._step] if self._step else ["analyze", name]
        return self._word_command(*words)
