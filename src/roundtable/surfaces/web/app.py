"""The web room's pages: what each address shows, and what each form does."""

from __future__ import annotations

import base64
import csv
import hashlib
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from ...core.errors import ItemUnknown, RoundtableError, RuleBroken
from ...core.steps import PHASES, is_step_id
from ...core.synthesis import HEADINGS, NO_REASON, lacks_reason
from ...core.text import clean_text
from ...project import Project
from ..terminal.page import VOICES
from . import markup
from .access import COOKIE, MAX_NAME, MEMBER, Door, Guard, Invitations, read_form, wants_json
from .room import Room, StartSession

if TYPE_CHECKING:
    from ...store.items import ItemEntry

HERE = Path(__file__).parent
PING = 15  # seconds of silence until a reader is told that the connection lives
MAX_CELLS = 20_000  # a larger table would take seconds to draw
STUCK = 30  # seconds until a reader that takes nothing is dropped; it comes back for the rest


class Site:
    """The pages of one project and their rooms."""

    def __init__(
        self, project: Project, start: StartSession, *, owner: str = "", hosts: Sequence[str] = ()
    ) -> None:
        """`start` makes the sessions; `owner` is the name suggested to members; `hosts` are our names."""
        self.project = project
        self.invitations = Invitations()
        self.rooms: dict[str, Room] = {}
        self._counted: dict[str, tuple[set[object], int]] = {}
        self._start, self._owner, self._hosts = start, owner, hosts
        templates = self._templates = Environment(
            loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined,
            trim_blocks=True, lstrip_blocks=True,
        )  # fmt: skip
        templates.globals.update(
            headings=HEADINGS, phases=PHASES, voices=VOICES, lacks_reason=lacks_reason, no_reason=NO_REASON
        )
        templates.filters.update(
            words=markup.render_words, document=markup.render_document,
            transcript=markup.render_transcript, quote=quote,
            day=lambda at: (at or "")[:16].replace("T", " "),
        )  # fmt: skip

    def make_app(self) -> Starlette:
        """Return the application, with every check in front of it."""

        @asynccontextmanager
        async def close_rooms(_app: Starlette) -> AsyncIterator[None]:
            yield
            for room in tuple(self.rooms.values()):
                await room.close()

        item, room = "/items/{slug}", "/items/{slug}/room"
        pages = {
            "/": self.show_backlog,
            item: self.show_item,
            f"{item}/documents/{{name}}": self.show_document,
            f"{item}/discussions/{{number:int}}": self.show_discussion,
            f"{item}/hand-off": self.show_hand_off,
            f"{item}/export.html": self.export,
            room: self.show_room,
            f"{room}/form": self.show_form,
            f"{room}/events": self.follow,
        }
        forms = {"/items": self.add, f"{item}/answer": self.answer, f"{room}/{{action}}": self.act}
        inside = [Route(path, page) for path, page in pages.items()]
        inside += [Route(path, form, methods=["POST"]) for path, form in forms.items()]
        return Starlette(
            routes=[
                Route("/join/{token}", self.show_door),
                Route("/join/{token}", self.come_in, methods=["POST"]),
                Mount("/static", StaticFiles(directory=HERE / "static")),
                Mount("/", routes=inside, middleware=[Middleware(Door, invitations=self.invitations)]),
            ],
            middleware=[Middleware(Guard, hosts=self._hosts)],
            exception_handlers={RoundtableError: self._show_problem, HTTPException: self._show_problem},
            lifespan=close_rooms,
        )

    async def show_door(self, request: Request, name: str = "", problem: str = "") -> Response:
        """Ask somebody with an invitation for a name, or for another if this one has a problem."""
        token, item = request.path_params["token"], request.query_params.get("item", "")
        role, guest = self.invitations.role_of(token), self.invitations.find_guest(request)
        if item in self.rooms and wants_json(request):  # a terminal that looks for a seat
            return Response(self.rooms[item].describe(), media_type="application/json")
        own = guest.name if guest is not None else self._owner if role == MEMBER else ""
        told = {"token": token, "role": role, "name": name or own, "longest": MAX_NAME, "problem": problem}
        return self._page(request, "join.html", 409 if problem else 200, **told)

    async def come_in(self, request: Request) -> Response:
        name = (await read_form(request)).get("name", "")
        roster = await run_in_threadpool(self.project.roster)
        try:
            secret, guest = self.invitations.admit(request.path_params["token"], name, roster)
        except RuleBroken as refusal:
            if wants_json(request):
                raise
            return await self.show_door(request, name[:MAX_NAME], str(refusal))
        told = {"id": guest.id, "check": guest.check}  # for a terminal, which reads no pages
        response = JSONResponse(told) if wants_json(request) else RedirectResponse("/", 303)
        secure = request.headers.get("origin", "").startswith("https:")  # a proxy in front may speak TLS
        response.set_cookie(COOKIE, secret, httponly=True, samesite="lax", secure=secure)
        return response

    def show_backlog(self, request: Request) -> Response:
        """List the items that contain the words searched for, most recently active first."""
        wanted = request.query_params.get("q", "")[:200]
        rows = []
        for row in self.project.list_progress():
            text = f"{row['slug']} {row['title']} {row['analysis_status']}".casefold()
            if all(word in text for word in wanted.casefold().split()):
                rows.append(row)
        rows.sort(key=lambda row: row["last_activity"] or "", reverse=True)
        questions = {each.slug: self._count_questions(each) for each in self.project.items()}
        told = {"rows": rows, "wanted": wanted, "questions": questions, "rooms": self.rooms}
        return self._page(request, "backlog.html", **told)

    def _count_questions(self, entry: ItemEntry) -> int:
        """Return how many questions of an item are open; read its documents only if a file changed."""
        stamps: set[object] = set()
        with suppress(OSError):  # a file may disappear meanwhile
            files = ((path.name, path.lstat()) for path in entry.folder.iterdir())
            stamps.update((name, stat.st_mtime_ns, stat.st_size) for name, stat in files)
        if self._counted.get(entry.slug, (None, 0))[0] != stamps:
            self._counted[entry.slug] = stamps, len(self.project.open_questions(entry))
        return self._counted[entry.slug][1]

    def add(self, request: Request) -> Response:
        if not (text := request.state.form.get("text", "").strip()):
            raise RuleBroken("Nothing was added. Say in a line what the item is about.")
        if self.project.names_issue(text):  # only the owner asks a tracker with the owner's key
            raise RuleBroken("That names an issue, so nothing was added. `roundtable add` brings issues in.")
        return RedirectResponse(f"/items/{quote(self.project.add_item(text).slug)}", 303)

    def answer(self, request: Request) -> Response:
        """Answer an open question of an item, identified by its exact words."""
        form, slug = request.state.form, find_entry(self.project, request.path_params["slug"]).slug
        questions = [each.words for each in self.project.open_questions(slug)]
        if form.get("question") not in questions:
            raise RuleBroken("That question is no longer open. Nothing was changed.")
        self.project.answer_question(slug, questions.index(form["question"]) + 1, form.get("text", ""))
        return RedirectResponse(f"/items/{quote(slug)}", 303)

    def show_item(self, request: Request) -> Response:
        item = ItemView(self.project, request.path_params["slug"])
        return self._page(request, "item.html", item=item, room=self._room_of(item.status.entry.slug))

    def show_document(self, request: Request) -> Response:
        item, name = ItemView(self.project, request.path_params["slug"]), request.path_params["name"]
        if name not in item.documents:  # only names that are in the item's folder
            raise HTTPException(404, "There is no document of that name.")
        return self._page(request, "document.html", item=item, name=name, body="", talk=None)

    def show_discussion(self, request: Request) -> Response:
        item, number = ItemView(self.project, request.path_params["slug"]), request.path_params["number"]
        found = next((each for each in item.discussions if each.number == number), None)
        if found is None:
            raise HTTPException(404, "There is no discussion of that number.")
        return self._page(request, "document.html", item=item, name=found.title, body="", talk=found)

    def show_hand_off(self, request: Request) -> Response:
        item = ItemView(self.project, request.path_params["slug"])
        body = markup.render_document(self.project.write_hand_off(item.status.entry.slug, "page", None)[0])
        return self._page(request, "document.html", item=item, name="Hand-off", body=body, talk=None)

    def export(self, request: Request) -> Response:
        """Return the whole item as one file that needs no other."""
        item = ItemView(self.project, request.path_params["slug"], on_one_page=True)
        style = (HERE / "static" / "style.css").read_text(encoding="utf-8")
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        text = self._draw("export.html", item=item, style=Markup(style), digest=digest)
        name = f"attachment; filename*=UTF-8''{quote(item.status.entry.slug, safe='')}.html"
        return HTMLResponse(text, headers={"Content-Disposition": name})

    async def show_room(self, request: Request) -> Response:
        entry = await run_in_threadpool(find_entry, self.project, request.path_params["slug"])
        room = self._room_of(entry.slug)
        links = {role: f"{request.base_url}join/{token}" for role, token in self.invitations.tokens.items()}
        return self._page(request, "room.html", room=room, title=entry.title, links=links)

    async def show_form(self, request: Request) -> Response:
        """Return the form for what the table waits for, as a part of the page."""
        return self._page(request, "_form.html", room=await self._find_room(request))

    async def follow(self, request: Request) -> Response:
        """Stream what is shown at the table, from the first entry that the reader does not have."""
        room, guest = await self._find_room(request), request.state.guest
        after = request.headers.get("last-event-id") or request.query_params.get("after", "")
        return EventSourceResponse(
            room.follow(guest, after, as_lines=wants_json(request)), ping=PING, send_timeout=STUCK,
            ping_message_factory=lambda: ServerSentEvent("", event="ping", retry=1000),
        )  # fmt: skip

    async def act(self, request: Request) -> Response:
        form, guest, room = request.state.form, request.state.guest, await self._find_room(request)
        at = int(form["at"][:9]) if form.get("at", "").isdecimal() else 0
        steps = {key: form[key] for key in ("step", "reopen") if is_step_id(form.get(key, ""))}
        actions: dict[str, Callable[[], None]] = {
            "open": lambda: room.open(guest, user_name=guest.name, **steps),
            "say": lambda: room.say(guest, form.get("choice", form.get("text", "")), at),
            "review": lambda: room.review(guest, form, at),
            "typing": lambda: room.show_typing(guest),
            "chair": lambda: room.hand_over(guest, form.get("to", "")),
            "stop": lambda: room.stop_speaker(guest),
            "close": lambda: room.leave(guest),
        }
        if (action := request.path_params["action"]) not in actions:
            raise HTTPException(404, "Unknown action. Nothing was changed.")
        actions[action]()
        if wants_json(request):
            return JSONResponse({})
        return RedirectResponse(f"/items/{quote(room.slug)}/room", 303)

    async def _find_room(self, request: Request) -> Room:
        slug = request.path_params["slug"]
        if slug not in self.rooms:  # make no room for an unknown item
            await run_in_threadpool(find_entry, self.project, slug)
        return self._room_of(slug)

    def _room_of(self, slug: str) -> Room:
        # Pages are made in threads: if two ask at once, both get the room of the first.
        return self.rooms.setdefault(slug, Room(slug, partial(self._start, slug), self._draw))

    def _page(self, request: Request, template: str, status: int = 200, /, **more: Any) -> Response:
        return HTMLResponse(self._draw(template, guest=getattr(request.state, "guest", None), **more), status)

    def _draw(self, template: str, /, **values: Any) -> str:
        return self._templates.get_template(template).render(values)

    async def _show_problem(self, request: Request, problem: Exception) -> Response:
        status, text = 404 if isinstance(problem, ItemUnknown) else 409, str(problem)
        if isinstance(problem, HTTPException):
            status, text = problem.status_code, problem.detail
        if wants_json(request):
            return JSONResponse({"error": text}, status)
        return self._page(request, "problem.html", status, text=text)


def find_entry(project: Project, slug: str) -> ItemEntry:
    """Return the item whose folder has exactly this name; raise ItemUnknown if there is none."""
    with suppress(ItemUnknown):
        if (entry := project.find_item(slug)).slug == slug:
            return entry
    raise ItemUnknown(f"There is no item {slug[:60]!r}.")


class ItemView:
    """Everything that the pages of an item show."""

    def __init__(self, project: Project, slug: str, *, on_one_page: bool = False) -> None:
        """Read an item, or raise ItemUnknown; with `on_one_page`, every link stays within the page."""
        entry = find_entry(project, slug)
        self.address = "" if on_one_page else f"/items/{quote(slug)}"
        self.status = project.status(entry)
        self.documents = project.documents(entry)
        steps = (*project.steps(), *(step for step, _ in self.status.steps))
        titles = {step.step_id: step.title for step in steps}
        self.discussions = []
        for number, name, text, content in project.transcripts(entry):
            step, at = content.key if content else ("", "")
            title, is_undone = titles.get(step, Path(name).name), at in self.status.taken_back
            address = self._find_place(f"discussions/{number}", f"discussion-{number}")
            entries, text = content.entries if content else (), clean_text(text)
            view = markup.DiscussionView(number, step, at, title, is_undone, text, address, entries)
            self.discussions.append(view)
        self.questions = () if entry.problem else project.open_questions(slug)
        self.parking_lot = ""
        with suppress(RoundtableError, FileNotFoundError):  # the other documents can be read without it
            lot = project.read_file(entry, "parking-lot.md", limit=1_000_000)
            self.parking_lot = lot.removeprefix("# Parking Lot").strip()

    def read_data(self, name: str) -> dict[str, str | list[dict[str, str]]]:
        """Return the fields of a data file, lists of objects as rows; empty if there is no table to show."""
        text = self.documents[name]
        with suppress(csv.Error, ValueError, RecursionError):
            if name.endswith(".csv"):
                head, *rows = filter(None, csv.reader(StringIO(text)))
                found: Any = [_make_row([*zip(head, row, strict=len(row) > len(head))]) for row in rows]
            else:
                found = json.loads(text, object_pairs_hook=_make_row)
            fields = found if isinstance(found, dict) else {"": found}
            shown = {clean_text(key): _read_field(value) for key, value in fields.items()}
            cells = sum(len(value) * len(value[0]) for value in shown.values() if isinstance(value, list))
            return shown if 0 < cells <= MAX_CELLS else {}
        return {}

    def find_additions(self, discussion: markup.DiscussionView) -> dict[str, str]:
        """Return the address of what a discussion added, for each document that it added to."""
        place = markup.addition_id(discussion.step, discussion.at)
        names = [name for name, text in self.documents.items() if place in markup.find_additions(text)]
        return {name: self._find_place(f"documents/{quote(name)}", place) for name in names}

    def _find_place(self, page: str, place: str) -> str:
        return f"{self.address}/{page}#{place}" if self.address else f"#{place}"


def _make_row(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields of a row; raise ValueError if two have one name, as a table would lose one."""
    if len(row := dict(pairs)) < len(pairs):
        raise ValueError
    return row


def _read_field(value: Any) -> str | list[dict[str, str]]:
    """Return the rows of a list of objects, and anything else as words."""
    if not (isinstance(value, list) and value and all(isinstance(row, dict) for row in value)):
        return _read_words(value)
    columns = dict.fromkeys(column for row in value for column in row)
    if not 1 < len(columns) <= MAX_CELLS / len(value):  # one column: the file has other separators
        raise ValueError
    return [{clean_text(column): _read_words(row.get(column)) for column in columns} for row in value]


def _read_words(value: Any) -> str:
    if isinstance(value, list):
        return "\n".join(map(_read_words, value))
    text = value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
    return clean_text(text)
