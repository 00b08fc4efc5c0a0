"""Tracks from their files: which steps an item of one kind needs, and what it is known by (rule STEP-9).

    ---
    key: bug
    title: bug fix
    summary: six questions, one short document
    short: true                      drafts are taken without asking
    most_words: 400                  a longer item is not proposed for it
    words: [bug, crash, regression]  what such an item says in its title or text
    title_words: [error, wrong]      what it says in its title
    unless_first: [add, support]     how the title of another kind of item begins
    first_words: [let, accept]       how its title begins, where the title names code
    steps: [00-11, 04-11]            `all` for every step that no other track brings along
    ---

The steps that a track brings along stand in the folder of its name, by phase, as those of the analysis do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import msgspec

from ..core.steps import Step
from ..core.tracks import Track
from .files import ContentFile, Name, Text, Texts, UnusableError, convert

EVERY_STEP = "all"
_KEY = re.compile(r"[a-z][a-z0-9-]{1,30}")


class _TrackFields(msgspec.Struct):
    key: Name
    title: Name
    summary: Text
    steps: Any
    short: bool = False
    most_words: int = 0
    words: Texts = ()
    title_words: Texts = ()
    unless_first: Texts = ()
    first_words: Texts = ()


def parse_track(file: ContentFile, all_steps: tuple[Step, ...], own: Mapping[str, Step]) -> Track:
    """Return the track of a file; raises UnusableError for a wrong field.

    `all_steps` are those of the analysis, `own` those that the track brings along, by id.
    """
    file.warn_of_unknown(_TrackFields.__struct_fields__, "track")
    given = file.convert_fields(_TrackFields)
    if not _KEY.fullmatch(given.key):
        raise UnusableError("key", "must be one word of small letters, digits and hyphens")
    known = {step.step_id: step for step in all_steps} | dict(own)
    is_whole = given.steps == EVERY_STEP
    steps = all_steps if is_whole else _find_steps(convert(given.steps, Texts), known, file)
    if not steps:
        raise UnusableError("steps", "names no step that there is")
    return Track(
        given.key, given.title, given.summary, steps, given.short, given.words, given.title_words,
        given.unless_first, given.first_words, max(given.most_words, 0),
    )  # fmt: skip


def _find_steps(ids: tuple[str, ...], known: Mapping[str, Step], file: ContentFile) -> tuple[Step, ...]:
    """Return the steps by id, those of an earlier phase first; what they need of others is left out."""
    for step_id in ids:
        if step_id not in known:
            file.warn("steps", f"there is no step {step_id[:60]}; it is ignored")
    found = [known[step_id] for step_id in dict.fromkeys(ids) if step_id in known]
    found.sort(key=lambda step: step.step_id[:2])
    names = {step.step_id for step in found}
    return tuple(
        replace(step, depends_on=tuple(each for each in step.depends_on if each in names)) for step in found
    )
