"""Echo: sentences said twice, sentences that come back with every item, and what a second discussion adds."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import combinations

from ..core.words import words_of
from .discussion import Discussion, Trial
from .figure import Bound, Figure, count, share
from .wording import content, sentences

_SLOT = re.compile(r'"[^"\n]+"|“[^”\n]+”|`[^`\n]+`|\d[\d.,:]*')
_SLOT_SIGN = "#"
_RUN = 3
_LEAST_COMMON = 4
_SAME_POINT = 0.6


def measure(trials: Sequence[Trial]) -> Iterator[Figure]:
    """Repeats within a discussion, between items, and the news of a second elaboration."""
    discussions = [discussion for trial in trials for discussion in trial.discussions]
    spoken = sum(len(_said(discussion)) for discussion in discussions)
    repeated = [each for discussion in discussions for each in repeats(discussion)]
    yield count("sentences repeated in a discussion", repeated, among=f"{spoken} sentences")
    yield from _shared(trials)
    yield from _renewed(trials)


def repeats(discussion: Discussion) -> Iterator[str]:
    """Every sentence of a persona that was said before in the same discussion."""
    seen: set[tuple[str, ...]] = set()
    for number, sentence in _said(discussion):
        words = words_of(sentence)
        if words in seen:
            yield f"{discussion.script.name} turn {number}: {sentence}"
        seen.add(words)


def _said(discussion: Discussion) -> list[tuple[int, str]]:
    return [
        (each.turn.number, sentence) for each in discussion.contributions for sentence in sentences(each.text)
    ]


# --- between items --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Form:
    """A sentence as a row of words, and which of them its item could have put there."""

    item: str
    sentence: str
    words: tuple[str, ...]
    slots: frozenset[str]


def _shared(trials: Sequence[Trial]) -> Iterator[Figure]:
    """Sentences that come back anywhere in the set, and what two items share on average."""
    forms = [form for trial in trials for form in _forms(trial)]
    pairs = _alike(forms)
    alike = {at for pair in pairs for at in pair}
    cases = [(at in alike, f"{form.item}: {form.sentence}") for at, form in enumerate(forms)]
    yield share("sentences shared with any other item", cases, Bound("below", 25))
    yield Figure("sentences shared by two items, on average", _mean_overlap(forms, pairs))


def _mean_overlap(forms: Sequence[Form], pairs: set[tuple[int, int]]) -> float | None:
    """The percentage of an item's sentences that another item has too, over all pairs of items."""
    spoken = Counter(form.item for form in forms)
    if len(spoken) < 2:
        return None
    found = {(at, forms[other].item) for pair in pairs for at, other in (pair, pair[::-1])}
    overlap = sum(1 / spoken[forms[at].item] for at, _ in found)
    return 100 * overlap / (len(spoken) * (len(spoken) - 1))


def _forms(trial: Trial) -> Iterator[Form]:
    """The sentences of the first discussion's contributions, framing left out: its words are the rule's."""
    discussion = trial.first
    own = frozenset(word for text in discussion.own_texts for word in words_of(text))
    for each in discussion.contributions:
        if each.purpose == "framing":
            continue
        for sentence in sentences(each.text):
            plain = _SLOT.sub(f" {_SLOT_SIGN} ", sentence)
            named = {word.lower() for word in re.findall(r"(?<=\w )[A-Z][\w'-]*", plain)}
            words = tuple(part.lower().strip(".,;:!?()") or _SLOT_SIGN for part in plain.split())
            yield Form(trial.script.name, sentence, words, own | named | {_SLOT_SIGN})


def _alike(forms: Sequence[Form]) -> set[tuple[int, int]]:
    """The pairs of sentences of different items that are one sentence with other words in its slots."""
    holding: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for at, form in enumerate(forms):
        for start in range(len(form.words) - _RUN + 1):
            holding[form.words[start : start + _RUN]].append(at)
    candidates = {
        pair
        for places in holding.values()
        for pair in combinations(dict.fromkeys(places), 2)
        if forms[pair[0]].item != forms[pair[1]].item
    }
    return {pair for pair in candidates if is_same_form(forms[pair[0]], forms[pair[1]])}


def is_same_form(one: Form, other: Form) -> bool:
    """True where both say the same in the same order, and differ only in what their items brought along."""
    if one.words == other.words:
        return len(one.words) > 1
    common = 0
    matcher = SequenceMatcher(None, one.words, other.words, autojunk=False)
    for operation, start, end, other_start, other_end in matcher.get_opcodes():
        if operation == "equal":
            common += sum(word != _SLOT_SIGN for word in one.words[start:end])
        elif not (
            one.slots.issuperset(one.words[start:end])
            and other.slots.issuperset(other.words[other_start:other_end])
        ):
            return False
    return common >= _LEAST_COMMON


# --- the second elaboration -----------------------------------------------------------------------------


def _renewed(trials: Sequence[Trial]) -> Iterator[Figure]:
    news = [(trial, new_points(trial)) for trial in trials]
    points = sum(len(trial.second.draft.insights) for trial in trials)
    fresh = sum(len(new) for _, new in news)
    cases = [(bool(new), trial.script.name) for trial, new in news]
    remark = f"{fresh} of {points} points are new"
    yield share("second elaborations with new points", cases, Bound("at least", 100), remark=remark)
    said = []
    for trial in trials:
        before = {words_of(sentence) for _, sentence in _said(trial.first)}
        said += [
            (words_of(sentence) not in before, f"{trial.script.name} turn {number}: {sentence}")
            for number, sentence in _said(trial.second)
            if number > 1
        ]
    yield share("new sentences in them", said)


def new_points(trial: Trial) -> tuple[str, ...]:
    """The insights of the second synthesis that the first does not hold in other words."""
    before = [content(entry.text) for entry in trial.first.draft.insights]
    return tuple(
        entry.text
        for entry in trial.second.draft.insights
        if all(len(content(entry.text) & held) < _SAME_POINT * len(content(entry.text)) for held in before)
    )
