"""Tracks: how much of the analysis an item needs, and how one is proposed (rule STEP-9)."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from . import lazy_re as re
from .steps import Item, Step
from .text import find_phrase, words_of

FEATURE = "feature"  # the track with all steps; an item that has no other follows it

_COMMAND = re.compile(r"tracks?|(?:track|(?:change|switch) (?:the )?track to) (?P<name>\S+)")
_LEAD = re.compile(r"^(?:(?:no|ok|please) )*(?:(?:it'?s|it is|this is|make it|take it as) (?:just )?)?an? ")
_CODE = re.compile(r"`|\w\(|\w[._]\w|(?:^|\s)--?\w|[a-z][A-Z]")
_TELLING_WORDS = 60


class TrackChoice(Struct, frozen=True):
    key: str  # what the user says to choose it
    title: str
    summary: str
    steps: tuple[str, ...] = ()


class Track(Struct, frozen=True, forbid_unknown_fields=True):
    """The steps that items of one kind need, and the words by which such an item is recognised."""

    key: str
    title: str
    summary: str
    steps: tuple[Step, ...]
    is_short: bool = field(default=False, name="short")  # accepts drafts without asking; menus of one line
    words: tuple[str, ...] = ()
    title_words: tuple[str, ...] = ()  # count only in the title of an item
    unless_first: tuple[str, ...] = ()  # a title that begins with one is of another kind: `Add an error page`
    first_words: tuple[str, ...] = ()  # or the title begins with one and names code: `Let open() take a path`
    most_words: int = 0  # this track is not proposed for a longer item; 0 is no limit

    @property
    def choice(self) -> TrackChoice:
        return TrackChoice(self.key, self.title, self.summary, tuple(step.step_id for step in self.steps))


class ItemTrack(Struct, frozen=True):
    track: Track
    word: str = ""  # the item's word that suggests the track
    is_chosen: bool = False  # by the user


def list_all_steps(tracks: Sequence[Track]) -> tuple[Step, ...]:
    """Return the steps of all tracks, each once; the feature track's version of a step wins."""
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
    """Return the track whose words occur in the item, if the item is short enough.

    The title and the beginning of the text say what an item is; in the rest a word proves nothing.
    """
    size = len(words_of(f"{item.name} {item.text}"))
    title, text = words_of(item.name), words_of(item.text)[:_TELLING_WORDS]
    short = [track for track in tracks if not track.most_words or size <= track.most_words]
    fitting = [track for track in short if title[:1] not in map(words_of, track.unless_first)]
    told = [(track, word, title) for track in fitting for word in (*track.words, *track.title_words)]
    told += [(track, word, text) for track in fitting for word in track.words]
    for track, word, spoken in told:
        if find_phrase(words_of(word), spoken) is not None:
            return ItemTrack(track, word)
    # The first word alone is not a reason to show to the user.
    by_code = (each for each in fitting if _CODE.search(item.name) and set(title[:1]) & {*each.first_words})
    return next((ItemTrack(track) for track in by_code), None)


class TrackWish(Struct, frozen=True):
    track: TrackChoice | None = None  # None if the message names no known one
    is_command: bool = False  # `track NAME`


def hear_track(text: str, choices: Sequence[TrackChoice], *, is_open: bool) -> TrackWish | None:
    """Return what a message says about the item's track; None if it is about something else.

    `track NAME` always chooses. While the track is only proposed, so does its name alone ("It's a bug.").
    """
    said = " ".join(words_of(text))
    names = {" ".join(words_of(name)): each for each in choices for name in (each.title, each.key)}
    command = _COMMAND.fullmatch(said)
    name = command["name"] if command else _LEAD.sub("", said) if is_open else None
    track = names.get(name or "")
    if not (command or track):
        return None
    return TrackWish(None if text.rstrip().endswith("?") else track, is_command=bool(command and name))
