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

from ...core.errors import ItemUnknown, RoundtableError
from ...core.steps import PHASES
from ...core.text import clean_text
from ...project import Project
from ...store.artifact import read_documents
from ...store.files import read_inside
from ...store.transcript import StoredTranscript, parse_transcripts
from . import markup
from .markup import DiscussionView

if TYPE_CHECKING:
    from ...store.items import ItemEntry


def find_entry(project: Project, slug: str) -> ItemEntry:
    """Return the item whose folder has exactly this name; ItemUnknown if there is none."""
    with suppress(ItemUnknown):
        if (entry := project.find_item(slug)).slug == slug:
            return entry
    raise ItemUnknown(f"There is no item {slug[:60]!r}.")


def list_backlog(project: Project, wanted: str = "") -> list[tuple[dict[str, Any], int]]:
    """Return each item that the wanted words fit and its open questions, the one worked on last first."""
    words = wanted.casefold().split()
    questions = {entry.slug: len(project.open_questions(entry)) for entry in project.items()}
    rows = []
    for row in project.list_progress():
        state = f"{row['analysis_status']}{', stale' if row['stale'] else ''}"
        if all(word in f"{row['slug']} {row['title']} {state}".casefold() for word in words):
            rows.append((row, questions.get(row["slug"], 0)))
    return sorted(rows, key=lambda row: row[0]["last_activity"] or "", reverse=True)


class ItemView:
    """All that the pages of an item show."""

    def __init__(self, project: Project, slug: str, *, on_one_page: bool = False) -> None:
        """Read an item, or raise ItemUnknown; `on_one_page`, every link leads to a place in the same page."""
        entry = find_entry(project, slug)
        self.address = "" if on_one_page else f"/items/{quote(slug)}"
        self.status = project.status(entry)
        draft = _read_text(entry.folder, "draft.md")
        self.draft = draft.partition("\n")[2].strip() if draft.startswith("# ") else draft
        steps = self.status.steps
        phases = ((phase, [row for row in steps if row[0].phase == phase]) for phase in PHASES)
        self.phases = [(phase, rows) for phase, rows in phases if rows]
        self.documents = read_documents(entry.folder)
        titles = {step.step_id: step.title for step in (*project.steps(), *(step for step, _ in steps))}
        self.discussions = [self._view(each, titles) for each in parse_transcripts(entry.folder)]
        self.talks = Counter(each.step for each in self.discussions if not each.is_undone)
        self.questions = () if entry.problem else project.open_questions(slug)
        self.parking_lot = _read_text(entry.folder, "parking-lot.md").removeprefix("# Parking Lot").strip()

    def _view(self, found: StoredTranscript, titles: dict[str, str]) -> DiscussionView:
        content = found.content
        step_id, at = content.key if content else ("", "")
        title = titles.get(step_id, Path(found.name).name)
        entries = content.entries if content else ()
        turns = {markup.strip_credit(each.text): each.turns for each in entries}
        page = f"{self.address}/discussions/{found.number}" if self.address else ""
        place, is_undone = f"{page}#discussion-{found.number}", at in self.status.taken_back
        text = clean_text(found.text)
        return DiscussionView(found.number, step_id, at, text, title, is_undone, turns, place)

    def render_document(self, name: str) -> Markup:
        known = {(each.step, each.at): each for each in self.discussions}
        return markup.render_document(self.documents[name], known)

    def render_discussion(self, discussion: DiscussionView) -> Markup:
        """Return a transcript as HTML, with links from its turns to what came of them."""
        key, led_to = (discussion.step, discussion.at), []
        for name, text in self.documents.items():
            if key in markup.find_additions(text):
                page = f"{self.address}/documents/{quote(name)}" if self.address else ""
                led_to.append((name, f"{page}#{markup.addition_id(*key)}"))
        return markup.render_transcript(discussion, led_to)

    def read_data(self, name: str) -> dict[str, Any]:
        """Return the fields of a JSON file or the rows of a CSV file; none where a table cannot show them."""
        with suppress(csv.Error, ValueError, RecursionError):
            if name.endswith(".csv"):
                return {"": list(csv.DictReader(StringIO(self.documents[name]), restkey="more", restval=""))}
            found = json.loads(self.documents[name])
            return found if isinstance(found, dict) else {}
        return {}


def _read_text(folder: Path, name: str) -> str:
    try:
        return clean_text(read_inside(folder, name).decode("utf-8-sig", "replace")).strip()
    except (FileNotFoundError, RoundtableError):
        return ""
