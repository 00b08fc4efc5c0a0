"""Whether the documents of an item hold together: references, ids, criteria, data, citations, markers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..drafting.register import STORIES
from .citations import LinesOf, check_citations
from .findings import Finding
from .identities import check_identities
from .markers import check_markers
from .questions import check_questions, check_story_questions
from .stories import check_stories
from .tables import check_table

__all__ = ["Finding", "LinesOf", "check"]


def check(documents: Mapping[str, str], lines_of: LinesOf) -> tuple[Finding, ...]:
    """Everything that is found in the documents, by file in their order and by line."""
    order = list(documents)
    found = [
        *check_identities(documents),
        *(each for name in order for each in _one(name, documents[name], lines_of)),
    ]
    return tuple(sorted(found, key=lambda each: (order.index(each.file), each.line, each.text)))


def _one(name: str, text: str, lines_of: LinesOf) -> Iterator[Finding]:
    """What is found in one file, whatever the others say."""
    if name.lower().endswith(".md"):
        yield from check_questions(name, text)
        yield from check_citations(name, text, lines_of)
        yield from check_markers(name, text)
    elif name == STORIES:
        yield from check_stories(text)
        yield from check_story_questions(name, text)
    elif name.lower().endswith(".csv"):
        yield from check_table(name, text)
