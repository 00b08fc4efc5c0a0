"""A room: the session of one item, what it has shown, and the people who follow it.

Whatever is shown becomes a numbered entry that is kept for the whole run. A reader holds nothing but its
place among them: a slow one slows nobody, and one that comes back gets everything once and in order.
"""

import asyncio
import difflib
import json
import secrets
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing, suppress
from itertools import count
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from ...core.analysis import Analysis
from ...core.elaboration import Elaboration, State
from ...core.errors import RoundtableError, RuleBroken
from ...core.hearing import hear, hear_steering
from ...core.lines import Awaits, Line, contribution
from ...core.synthesis import HEADINGS, Draft, join_lines
from ...core.text import clean_text
from ...core.turns import USER
from ...panel.base import StoppablePanel
from ...runtime.session import Session
from ..terminal.page import describe_work, format_bottom_line
from .access import MEMBER, Guest

IDLE = 300.0  # seconds without a reader until the table is closed, so that others can take the item up
TYPING = 6.0  # seconds after the last key in which somebody still counts as typing
# Makes a session and its panel from a slug, `on_words`, `on_begin` and the options of `Session`.
StartSession = Callable[..., tuple[Session, StoppablePanel]]


class _Seat(Struct):
    guest: Guest
    name: str  # with a number after it if the name was taken
    streams: int = 0
    typing_until: float = 0.0


class _Speech(Struct):
    """The words of a contribution so far, and the speaker's key; each contribution is a new object."""

    key: str = ""
    text: str = ""


class Room:
    """Plays the session of one item for any number of people."""

    def __init__(self, slug: str, start: StartSession, draw: Callable[..., str]) -> None:
        """`draw` makes HTML from a template's name and its values."""
        self.slug = slug
        self.run_id = ""  # names this opening of the table; entries are numbered within it
        self.entries: list[str] = []  # all that was shown, as HTML
        self._lines: list[str] = []  # the same for terminals, as the JSON of lines
        self.question: Line | None = None  # what was asked last: a question, menu or review
        self.awaits: Awaits | None = None  # what the table waits to hear; None while somebody else is at work
        self.chair: _Seat | None = None
        self.session: Session | None = None
        self._start, self._draw = start, draw
        self._panel: StoppablePanel | None = None
        self._task: asyncio.Task[None] | None = None
        self._waiting: list[tuple[str, str, Awaits]] = []  # who said what, and what the table waited for then
        self._heard_last = ""
        self._recalled = 0  # turns of a discussion that was cut off; the session shows some of them again
        self._before: dict[str, str] = {}
        self._speech = _Speech()
        self._seats: dict[str, _Seat] = {}
        self._changed = asyncio.Event()
        self._table = ""
        self._closing: asyncio.TimerHandle | None = None

    @property
    def is_open(self) -> bool:
        return self._task is not None and not self._task.done()

    @property
    def open_draft(self) -> str:
        """Return the draft of the answer that the table waits for."""
        return self.question.draft if self.awaits == "answer" and self.question is not None else ""

    @property
    def listen_number(self) -> int:
        """Return a number for what the table waits for, different each time; 0 while it does not listen."""
        return len(self.entries) if self.awaits else 0

    @property
    def analysis(self) -> Analysis | None:
        return self.session.analysis if self.session is not None else None

    @property
    def discussion(self) -> Elaboration | None:
        return self.analysis.elaboration if self.analysis is not None else None

    @property
    def draft(self) -> Draft | None:
        """Return the synthesis under review; None at any other time, or while one entry is being edited."""
        talk = self.discussion
        return talk.draft if talk is not None and self.awaits == "review" and talk.editing is None else None

    @property
    def is_discussing(self) -> bool:
        return self.is_open and self.discussion is not None and self.discussion.state is State.DISCUSSION_LOOP

    def is_chair(self, guest: Guest) -> bool:
        return self.chair is not None and self.chair.guest.id == guest.id

    def people(self) -> list[_Seat]:
        return [seat for seat in self._seats.values() if seat.streams]

    def describe(self) -> str:
        """Return who is here, who works or types, and what is awaited, as JSON with the HTML of the table."""
        if not self._table:
            work = describe_work(self.analysis, has_words=bool(self._speech.text))
            people, now = self.people(), asyncio.get_running_loop().time()
            self._table = json.dumps({
                "open": self.is_open, "listen": self.listen_number, "talking": self.is_discussing,
                "awaits": self.awaits, "offer": self.open_draft, "place": format_bottom_line(self.analysis),
                "prefill": self.session.prefill if self.session is not None else "",
                "people": {seat.guest.id: seat.name for seat in people},
                "typing": {seat.guest.id: seat.name for seat in people if seat.typing_until > now},
                "chair": self.chair.guest.id if self.chair else "",
                "work": work if self.is_open and self.awaits is None else "",
                "html": self._draw("_table.html", room=self),
            })  # fmt: skip
        return self._table

    async def follow(
        self, guest: Guest, after: str = "", *, as_lines: bool = False
    ) -> AsyncIterator[dict[str, str]]:
        """Yield every entry after the one with that id, then each as it comes, until the reader goes.

        Between them come the speaker's words and the state of the table, without ids: they are not kept.
        """
        seat = self._take_seat(guest)
        seat.streams += 1
        self._tell()
        run, _, number = after.rpartition("-")
        place = int(number[:9]) if number.isdecimal() else 0
        if place > len(self.entries):
            run = ""
        table, speech, length = "", self._speech, 0
        try:
            while True:
                changed = self._changed
                if run != self.run_id:
                    yield {"event": "reset", "data": ""}
                    run, place = self.run_id, 0
                while place < len(self.entries) and run == self.run_id:
                    place += 1
                    shown = self._lines[place - 1] if as_lines else json.dumps(self.entries[place - 1])
                    yield {"event": "line", "id": f"{run}-{place}", "data": shown}
                if self._speech is not speech or len(speech.text) > length:
                    length = length if self._speech is speech else 0
                    speech, piece = self._speech, self._speech.text[length:]
                    said = {"from": length, "text": piece, "speaker": speech.key}
                    yield {"event": "words", "data": json.dumps(said)}
                    length += len(piece)
                if table != self.describe():
                    table = self.describe()
                    yield {"event": "table", "data": table}
                await changed.wait()
        finally:
            seat.streams -= 1
            self._tell()

    def _take_seat(self, guest: Guest) -> _Seat:
        if guest.id not in self._seats:
            taken = {seat.name.casefold() for seat in self._seats.values()}
            names = (f"{guest.name} ({number})" if number > 1 else guest.name for number in count(1))
            name = next(name for name in names if name.casefold() not in taken)
            self._seats[guest.id] = _Seat(guest, name)
        return self._seats[guest.id]

    def _tell(self, *, is_table: bool = True) -> None:
        """Wake every reader; a table without readers will close. `is_table` says that its state changed."""
        self._table = "" if is_table else self._table
        self._changed.set()
        self._changed = asyncio.Event()
        if self._closing is not None:
            self._closing.cancel()
        if self.is_open and not self.people():
            self._closing = asyncio.get_running_loop().call_later(IDLE, self._end_run)

    def open(self, guest: Guest, **options: Any) -> None:
        """Open the table unless it is open; whoever opens it has the chair."""
        if self.is_open:
            return
        options |= {"on_words": self._take_words, "on_begin": self._begin_words}
        self.session, self._panel = self._start(**options)
        self.run_id, self.chair = secrets.token_hex(4), self._take_seat(guest)
        self.entries, self._lines, self._waiting, self._heard_last, self._recalled = [], [], [], "", 0
        self._task = asyncio.create_task(self._play(self.session), name=f"room {self.slug}")
        self._task.add_done_callback(lambda _: self._tell())
        self._tell()

    async def close(self) -> None:
        """Close the table; everything that counts is on disk."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    def leave(self, guest: Guest) -> None:
        self._require_chair(guest)
        self._end_run()

    def _end_run(self) -> None:
        if self.session is not None and self.awaits is not None:
            self.session.hang_up()
        elif self._task is not None:
            self._task.cancel()

    def say(self, guest: Guest, text: str, at: int) -> None:
        """Answer the `listen` with this number; raise RuleBroken if the guest may not speak now.

        In a discussion, early words wait until the table listens again. `/chair NAME` hands over the chair,
        and `/chair` takes it from somebody who has left.
        """
        words, awaits, draft = clean_text(text).strip(), self.awaits, self.open_draft
        if not self.is_open:
            raise RuleBroken("The table is closed, so nothing was said. Open it to go on.")
        command, _, name = words.partition(" ")
        if command == "/chair":
            wanted = name.strip() or self._take_seat(guest).name
            found = (seat.guest.id for seat in self.people() if seat.name.casefold() == wanted.casefold())
            self.hand_over(guest, next(found, ""))
            return
        is_discussed = self.is_discussing and awaits in (None, "discussion")
        if not is_discussed and (awaits is None or at != self.listen_number):
            reason = "Somebody answered first" if at else "The table does not listen now"
            raise RuleBroken(f"{reason}, so your words were not sent.")
        if self._is_for_chair(words):
            self._require_chair(guest)
        if draft and not words:
            raise RuleBroken("Nothing was said. Write an answer, or choose “I don't know”.")
        self._take_seat(guest).typing_until = 0.0
        takes_draft = draft and words == draft.strip()  # an empty message accepts it
        self._queue(guest, "" if takes_draft else words, awaits or "discussion")

    def review(self, guest: Guest, fields: Mapping[str, str], at: int) -> None:
        """Change the synthesis as a form says, then accept it unless there is a field `only`."""
        if self.draft is None:
            raise RuleBroken("There is nothing to review now, so nothing was changed.")
        messages = list_changes(self.draft, fields)
        if "only" not in fields:
            messages.append("")
        elif not any(words.startswith("add ") for words in messages):
            raise RuleBroken("Nothing was added. Write what to add first.")
        self.say(guest, messages[0], at)
        for words in messages[1:]:
            self._queue(guest, words, "review")

    def _queue(self, guest: Guest, words: str, awaits: Awaits) -> None:
        self._waiting.append((self._take_seat(guest).name, words, awaits))
        self._pass_on()
        self._tell()

    def stop_speaker(self, guest: Guest) -> None:
        """Cut the speaker short; what was said by then is the contribution."""
        self._require_chair(guest)
        if self._panel is not None:
            self._panel.stop()

    def show_typing(self, guest: Guest) -> None:
        loop = asyncio.get_running_loop()
        self._take_seat(guest).typing_until = loop.time() + TYPING
        loop.call_later(TYPING + 0.1, self._tell)
        self._tell()

    def hand_over(self, guest: Guest, to: str) -> None:
        """Give the chair to a member who is here; if its holder has left, anybody may do so."""
        people = {seat.guest.id: seat for seat in self.people() if seat.guest.role == MEMBER}
        if to not in people:
            raise RuleBroken("The chair was not handed over: nobody here who may speak has that name.")
        self._require_chair(guest)
        self.chair = people[to]
        self._tell()

    def _is_for_chair(self, words: str) -> bool:
        """Whether only the chair may say this, as it ends the discussion, accepts or chooses something."""
        if self.awaits in ("exit", "menu", "choice", "review"):
            return True
        if self.is_discussing and self.discussion is not None:
            return words.startswith("/") or hear(words, self.discussion.roster).kind in ("exit", "silence")
        return hear_steering(words, at_menu=False) == "quit"

    def _require_chair(self, guest: Guest) -> None:
        """Raise RuleBroken unless the guest has the chair, or is here and takes it from a holder who left."""
        people, seat = self.people(), self._take_seat(guest)
        if seat in people and self.chair not in people:
            self.chair = seat
            self._tell()
        if not self.is_chair(guest):
            name = self.chair.name if self.chair is not None else "the person"
            raise RuleBroken(f"Only {name}, who has the chair, can do that. Nothing was changed.")

    async def _play(self, session: Session) -> None:
        try:
            self._before = await asyncio.to_thread(session.documents)
            async with aclosing(session.lines()) as lines:
                async for line in lines:
                    self._take(line)
        except Exception as error:
            saved = "What was shown before it is saved. Open the table to go on."
            unexpected = f"Something unexpected happened ({type(error).__name__}). {saved}"
            self._add(Line("error", str(error) if isinstance(error, RoundtableError) else unexpected))
        finally:
            self.awaits, self._speech = None, _Speech()

    def _take(self, line: Line) -> None:
        self.awaits, self._speech = None, _Speech()
        is_resumed = line.kind == "resume"
        if line.turn and line.turn <= self._recalled:
            return
        self._recalled = 0 if line.kind == "introduction" else self._recalled
        if is_resumed and line.state is not None and line.speaker is None and self.discussion:
            for turn in self.discussion.turns:  # it was cut off: only the journal has them
                self._add(contribution(turn, self.discussion.roster))
            self._recalled = len(self.discussion.turns)
        self._add(replace(line, by=line.by or ("" if is_resumed else self._heard_last)))
        if line.kind == "listen":
            self.awaits = line.awaits
            for name, words, awaits in self._waiting:
                if awaits != line.awaits and words:
                    self._add(Line("notice", f"This came too late for the discussion. {name}: {words}"))
            self._waiting = [each for each in self._waiting if each[2] == line.awaits]
            self._pass_on()

    def _pass_on(self) -> None:
        """Hand the next waiting message to the session, if it listens."""
        if self._waiting and self.awaits is not None and self.session is not None:
            self._heard_last, words, _ = self._waiting.pop(0)
            self.awaits = None
            self.session.say(words, by=self._heard_last)

    def _begin_words(self, speaker: str) -> None:
        self._speech = _Speech(speaker)
        self._tell()

    def _take_words(self, speaker: str, piece: str) -> None:
        if self._speech.key != speaker:
            self._begin_words(speaker)
        was_silent = not self._speech.text
        self._speech.text += piece
        self._tell(is_table=was_silent)

    def _add(self, line: Line) -> None:
        """Show a line as an entry; a menu comes with what changed in the documents."""
        by = (line.by or "Said before") if line.speaker == USER else ""
        cleaned = {name: clean_text(getattr(line, name)) for name in ("words", "heading", "draft", "source")}
        line = replace(line, by=by, **cleaned)
        if line.kind == "choice" and self.question is not None and self.question.menu is not None:
            line = replace(line, words=self.question.menu.find_label(line.words.upper()) or line.words)
        if line.kind in ("question", "menu", "review", "unclear-exit"):
            self.question = line
        changes = {}
        if line.kind == "menu" and self.session is not None:
            before, self._before = self._before, self.session.documents()
            for name in sorted({*before, *self._before}):
                old, new = (texts.get(name, "").splitlines() for texts in (before, self._before))
                if rows := [*difflib.unified_diff(old, new, n=1, lineterm="")][2:]:
                    changes[name] = rows
        self.entries.append(self._draw("_entry.html", line=line, analysis=self.analysis, changes=changes))
        self._lines.append(json.dumps(to_builtins(line)))
        self._tell()


def list_changes(draft: Draft, fields: Mapping[str, str]) -> list[str]:
    """Return the review messages that change the synthesis as the fields of a form say."""
    changes, dropped = [], []
    for number in (entry.number for entry in draft.entries):
        text = join_lines(fields.get(f"text-{number}", ""))
        if fields.get(f"keep-{number}") != "yes":
            dropped.append(str(number))
        elif text and text != join_lines(draft.words_of_entry(number)):
            changes.append(f"edit {number} {text}")
    words, part = join_lines(fields.get("add", "")), fields.get("part", "")
    if words and f"{part}s" in HEADINGS:
        changes.append(f"add {part}: {words}")
    return [*changes, f"drop {' '.join(dropped)}"] if dropped else changes
