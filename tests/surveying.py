"""The survey of a whole project, as the runtime does it: all its files but what the user excludes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from roundtable import survey as surveys
from roundtable.core.steps import Item
from roundtable.survey import lookup
from roundtable.survey.files import list_files
from roundtable.survey.search import CodeLine


def survey(
    root: Path, item: Item, excluded: Collection[str] = (), picked: Sequence[str] = ()
) -> surveys.Survey:
    return surveys.survey(root, list_files(root, excluded=excluded), item, picked)


def find_excerpts(
    root: Path, item: Item, documents: Sequence[str] = (), excluded: Collection[str] = ()
) -> tuple[lookup.Excerpt, ...]:
    return lookup.find_excerpts(root, list_files(root, excluded=excluded), item, documents, excluded)


def search_code(root: Path, words: Sequence[str]) -> tuple[CodeLine, ...]:
    return lookup.search_code(root, list_files(root), words)
