"""What the pages show of a project: the backlog, an item's steps, documents, discussions and open points."""

from __future__ import annotations

import csv
import json
from collections import Counter
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from markupsafe import Markup
from msgspec import Struct

from ...core.errors import ItemUnknown, RoundtableError
from ...core.steps import PHASES, Phase, Step
from ...core.text import clean_text
from ...project import BacklogRow, ItemStatus, Project
from ...store.artifact import read_documents
from ...store.files import read_inside
from ...store.transcript import parse_transcripts
from .markup import (
    DiscussionView,
    addition_id,
    find_additions,
    render_document,
    render_transcript,
    strip_credit,
)  # fmt: skip

if TYPE_CHECKING:
    from ...documents.questions import OpenQuestion
    from ...store.items import ItemEntry


class ItemView(Struct, frozen=True):
    """All that the pages of an item show; `talks` counts the discussions of each step."""

    status: ItemStatus
    address: str
    draft: str
    phases: tuple[tuple[Phase, tuple[tuple[Step, str], ...]], ...]
    talks: Counter[str]
    documents: dict[str, str]
    discussions: tuple[DiscussionView, ...]
    questions: tuple[OpenQuestion, ...]
    parking_lot: str

    def render_document(self, name: str) -> Markup:
        """Return a document as HTML."""
        known = {(each.step, each.at): each for each in self.discussions}
        return render_document(self.documents[name], known)

    def render_discussion(self, discussion: DiscussionView) -> Markup:
        """Return a transcript as HTML, with links from its turns to what came of them."""
        place = addition_id(discussion.step, discussion.at)
        led_to = [
            (name, f"{self.address}/documents/{quote(name)}#{place}" if self.address else f"#{place}")
            for name, text in self.documents.items()
            if (discussion.step, discussion.at) in find_additions(text)
        ]
        return render_transcript(discussion, led_to)

    def read_data(self, name: str) -> dict[str, Any]:
        """Return the fields of a JSON file or the rows of a CSV file; none where a table cannot show them."""
        with suppress(csv.Error, ValueError, RecursionError):
            if name.endswith(".csv"):
                return {"": list(csv.DictReader(StringIO(self.documents[name]), restkey="more", restval=""))}
            found = json.loads(self.documents[name])
            return found if isinstance(found, dict) else {}
        return {}


def find_entry(project: Project, slug: str) -> ItemEntry:
    """Return the item whose folder has exactly this name; ItemUnknown if there is none."""
    with suppress(ItemUnknown):
        if (entry := project.find_item(slug)).slug == slug:
            return entry
    raise ItemUnknown(f"There is no item {slug[:60]!r}.")


def list_backlog(project: Project, wanted: str = "") -> list[tuple[BacklogRow, int]]:
    """Return each item that the wanted words fit and its open questions, the one worked on last first."""
    words = wanted.casefold().split()
    questions = project.count_open_questions()
    rows = [
        (row, questions.get(row.slug, 0))
        for row in project.list_progress()
        if all(word in f"{row.slug} {row.title} {row.state}".casefold() for word in words)
    ]
    return sorted(rows, key=lambda row: row[0].last_activity or "", reverse=True)


def view_item(project: Project, slug: str, *, on_one_page: bool = False) -> ItemView:
    """Return all that the pages of an item show; ItemUnknown where there is none of that name."""
    entry = find_entry(project, slug)
    address, folder = "" if on_one_page else f"/items/{quote(slug)}", entry.folder
    status = project.status(entry)
    titles = {step.step_id: step.title for step in (*project.steps(), *(step for step, _ in status.steps))}
    undone, found = status.taken_back, []
    for number, name, text, content in parse_transcripts(folder):
        step_id, at = content.key if content else ("", "")
        title = titles.get(step_id, Path(name).name)
        turns = {strip_credit(each.text): each.turns for each in content.entries} if content else {}
        page = "" if on_one_page else f"{address}/discussions/{number}"
        place = f"{page}#discussion-{number}"
        found.append(DiscussionView(number, step_id, at, clean_text(text), title, at in undone, turns, place))
    phases = ((phase, tuple(row for row in status.steps if row[0].phase == phase)) for phase in PHASES)
    draft = _read_text(folder, "draft.md")
    return ItemView(
        status,
        address,
        draft.partition("\n")[2].strip() if draft.startswith("# ") else draft,
        tuple((phase, row) for phase, row in phases if row),
        Counter(each.step for each in found if not each.is_undone),
        read_documents(folder),
        tuple(found),
        () if entry.problem else project.open_questions(slug),
        _read_text(folder, "parking-lot.md").removeprefix("# Parking Lot").strip(),
    )


def _read_text(folder: Path, name: str) -> str:
    try:
        return clean_text(read_inside(folder, name).decode("utf-8-sig", "replace")).strip()
    except (FileNotFoundError, RoundtableError):
        return ""
