"""An issue as a tracker tells it, and the failure to get one."""

from __future__ import annotations

from dataclasses import dataclass

from ..core.errors import TrackerFailed
from ..core.markup import printable
from .reference import Reference


@dataclass(frozen=True, slots=True)
class Issue:
    """What an item is made of: a title of one line, a text that may be empty, and where both come from."""

    title: str
    text: str
    source: str
    source_id: str
    url: str


def cleaned_issue(reference: Reference, *, title: object, text: object, url: str) -> Issue:
    """The issue without control characters; without a title it is called by its id."""
    return Issue(
        title=_one_line(title) or reference.source_id,
        text=_lines(text),
        source=reference.source,
        source_id=reference.source_id,
        url=_one_line(url),
    )


def no_issue(source_id: str, failed: str, do: str = "") -> TrackerFailed:
    """The failure to get this issue: what failed, and both ways on."""
    by_hand = f'roundtable add {source_id} --title "what it is about"'
    return TrackerFailed(
        failed,
        saved="Nothing was added.",
        do=f"{do} Or add it by hand: {by_hand}" if do else f"Add it by hand: {by_hand}",
    )


def _one_line(value: object) -> str:
    return " ".join(printable(value).split()) if isinstance(value, str) else ""


def _lines(value: object) -> str:
    if not isinstance(value, str):
        return ""
    return printable(value.replace("\r\n", "\n").replace("\r", "\n")).strip()
