"""What was decided and what is still open, collected from documents for whoever speaks next (TABLE-1)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from ..core.analysis import ASSUMED
from ..core.synthesis import join_lines
from ..core.text import unescape_markdown
from ..core.turns import Material
from .blocks import find_entries
from .gaps import read_title
from .ids import OVERVIEW, list_records
from .outline import content_words, find_labelled, section_text
from .questions import list_questions

_STATUS_GONE = re.compile(r"\b(?:superseded|deprecated|rejected|withdrawn)\b", re.IGNORECASE)
_MAX_RECORD_LENGTH = 1_200
_LEAST_SHARED = 2


def list_decisions_made(documents: Mapping[str, str], undone: Collection[str] = ()) -> tuple[str, ...]:
    """Return every decision in the documents, each once; `undone` are instants of discussions."""
    found = [
        f"{unescape_markdown(written)} (step {block.step_id}, {block.timestamp[:10]})"
        for block, _, written in find_entries(documents)
        if block.timestamp not in undone
    ]
    for name, text in documents.items():
        # The answer to a step's own question for the decision; the records below hold theirs.
        words = find_labelled(text, "Decision") if name != OVERVIEW else ""
        found += [f"{words} ({name})"] if words and not words.endswith(ASSUMED) else []
    for record in list_records({OVERVIEW: documents.get(OVERVIEW, "")}):
        if "in the roundtable on step" not in record.body:  # else it stands there as well
            decided = re.sub(r"^[-*+] ", "", record.part("Decision"), flags=re.MULTILINE)
            reason = find_labelled(record.body, "Reason")
            words = unescape_markdown(join_lines(decided)) + (f" Reason: {reason}" if reason else "")
            found.append(f"{record.id} {record.text}: {words} ({OVERVIEW})")
    return tuple(dict.fromkeys(found))


def write_pages(
    documents: Mapping[str, str], undone: Collection[str] = (), put_off: Iterable[str] = ()
) -> tuple[Material, ...]:
    """Return the pages on what is decided, still open and put off; one with nothing on it is left out."""
    texts = {name: text for name, text in documents.items() if name.lower().endswith(".md")}
    questions = list_questions(texts)
    still_open = dict.fromkeys(f"{each.words} ({each.file})" for each in questions if each.is_open)
    decided = list_decisions_made(documents, undone)
    pages = {"Decided so far": decided, "Still open": still_open, "Put off for later": put_off}
    listed = ((name, "\n".join(f"- {each}" for each in entries)) for name, entries in pages.items())
    return tuple(Material(name, text) for name, text in listed if text)


def read_record(name: str, text: str) -> Material | None:
    """Return the title and the decision of a decision record; None for one that no longer holds."""
    status = section_text(text, "Status") or find_labelled(text, "Status")
    if _STATUS_GONE.search(status):
        return None
    decision = section_text(text, "Decision").strip() or section_text(text, "Decision Outcome").strip()
    title = read_title(text.encode("utf-8", "replace"), name)
    return Material(name, f"{title}\n{(decision or text.strip())[:_MAX_RECORD_LENGTH]}")


def find_related(about: str, candidates: Sequence[Material], most: int) -> tuple[Material, ...]:
    """Return the candidates that share the most words with a text."""
    wanted = content_words(about)
    shared = [len(content_words(each.text) & wanted) for each in candidates]
    ranked = sorted(range(len(candidates)), key=lambda at: -shared[at])
    return tuple(candidates[at] for at in ranked if shared[at] >= _LEAST_SHARED)[:most]
