"""Tracks: how much of the analysis an item needs, and what proposes one (rule STEP-9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from . import lazy_re as re
from .steps import Item, Step
from .text import find_phrase, fold_text, words_of

FEATURE = "feature"
"""The track with all steps; an item that names no other follows it."""

_TRACK = re.compile(r"tracks?|(?:track|(?:change|switch) (?:the )?track to) (?P<name>\S+)")
_CODE = re.compile(r"`|\w\(|\w[._]\w|(?:^|\s)--?\w|[a-z][A-Z]")
_TELLING_WORDS = 60
_OLD_LEAD = re.compile(r"^(?:(?:it's|it is|this is|make it|that's|no|rather|as) )*(?:an? |the )?")
# "Please take it as a feature", "No, it's just a bug": the name, with what says nothing else around it.
_IT, _WORD = "(?:it|this|that)", r"[\w-]{1,40}(?![\w-])"
_CHOOSES = re.compile(
    r"(?:(?:no[,.:;!]|yes|please|ok|okay|well|oh|so|actually|sorry)[,.:;!]* )*"
    rf"(?:(?:(?:{_IT}(?:['’]s| is)|its|thats|(?:make|call|take|treat|handle|see|analy[sz]e|count) {_IT}) )?"
    r"(?:(?:as|just|only|rather|really|clearly|more of) )*an? |as )?"
    rf"[`'\"]?(?P<name>{_WORD}(?: {_WORD})??)[`'\"]?"
    r"(?:,? (?:please|instead|rather|then|thanks|track|item|request|one|really))*[.!?]*",
    re.IGNORECASE,
)


class TrackChoice(Struct, frozen=True):
    """A track as the user can choose it: its name, what it asks for, and the ids of its steps."""

    key: str
    title: str
    summary: str
    steps: tuple[str, ...] = ()


class Track(Struct, frozen=True):
    """The steps that items of one kind need, and the words that such an item is known by.

    A short track takes drafts without asking, and its menus are one line.
    """

    key: str
    title: str
    summary: str
    steps: tuple[Step, ...]
    is_short: bool = False
    words: tuple[str, ...] = ()
    title_words: tuple[str, ...] = ()
    """Words that count only in the title of an item."""
    unless_first: tuple[str, ...] = ()
    """A title that begins with one of these is of another kind: `Add an error page`."""
    first_words: tuple[str, ...] = ()
    """A title that begins with one of these and names code is of this kind: `Let open() take a path`."""
    most_words: int = 0
    """A longer item is not proposed for this track; 0 is no limit."""

    @property
    def choice(self) -> TrackChoice:
        return TrackChoice(self.key, self.title, self.summary, tuple(step.step_id for step in self.steps))


class ItemTrack(Struct, frozen=True):
    """The track of an item: chosen by the user, or proposed because of a word of the item."""

    track: Track
    word: str = ""
    is_chosen: bool = False


def list_all_steps(tracks: Sequence[Track]) -> tuple[Step, ...]:
    """Return the steps of all tracks, those of the feature track first, each once."""
    ordered = sorted(tracks, key=lambda track: track.key != FEATURE)
    return tuple({step.step_id: step for track in reversed(ordered) for step in track.steps}.values())


def choose_track(tracks: Sequence[Track], item: Item, meta: Mapping[str, Any]) -> ItemTrack:
    """Return the item's track: the one that meta.json names, else the one proposed for a new item.

    An item that was begun without a track follows the feature track.
    """
    whole = next((track for track in tracks if track.key == FEATURE), tracks[0])
    if meta.get("track") is not None or meta.get("steps_completed") or meta.get("phases_completed"):
        chosen = next((track for track in tracks if track.key == meta.get("track")), whole)
        return ItemTrack(chosen, is_chosen=True)
    return propose_track(tracks, item) or ItemTrack(whole)


def propose_track(tracks: Sequence[Track], item: Item) -> ItemTrack | None:
    """Return the track whose words the item holds, if the item is short enough.

    The title and the beginning of the text say what an item is; in the rest a word proves nothing.
    """
    size = len(words_of(f"{item.name} {item.text}"))
    title, text = words_of(item.name), words_of(item.text)[:_TELLING_WORDS]
    fitting = [
        track
        for track in tracks
        if (not track.most_words or size <= track.most_words)
        and title[:1] not in map(words_of, track.unless_first)
    ]
    told = [(track, word, title) for track in fitting for word in (*track.words, *track.title_words)]
    told += [(track, word, text) for track in fitting for word in track.words]
    found = ((track, word) for track, word, spoken in told if find_phrase(words_of(word), spoken) is not None)
    track, word = next(found, (None, ""))
    if track is None and _CODE.search(item.name):  # the first word alone is no reason that could be named
        track = next((each for each in fitting if set(title[:1]) & {*each.first_words}), None)
    return ItemTrack(track, word) if track else None


class TrackWish(Struct, frozen=True):
    """The track that a message chooses, None where it names no known one."""

    track: TrackChoice | None = None
    is_command: bool = False
    """Whether it is `track NAME`."""


def hear_track(
    text: str, choices: Sequence[TrackChoice], *, is_open: bool, is_old: bool = False
) -> TrackWish | None:
    """Return what a message says of the item's track; None where it is about something else.

    `track NAME` always chooses. While the track is only proposed, so does its name alone, or in a sentence
    that says nothing else ("It's a bug."). Journals before that are heard as they were.
    """
    said, asks = " ".join(words_of(text)), text.rstrip().endswith("?")
    names = {" ".join(words_of(name)): each for each in choices for name in (each.title, each.key)}
    if found := _TRACK.fullmatch(said):
        track = names.get(found["name"] or "")
        return TrackWish(None if asks and not is_old else track, is_command=bool(found["name"]))
    if is_old or not is_open:
        track = names.get(_OLD_LEAD.sub("", said)) if is_open else None
        return TrackWish(track) if track else None
    found = _CHOOSES.fullmatch(text.strip())
    track = names.get(fold_text(found["name"])) if found else None
    return TrackWish(None if asks else track) if track else None
