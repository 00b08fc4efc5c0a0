"""Uptake: whether a reply takes up what the user said, by a word that carries a meaning or by a quotation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..core.words import words_of
from .discussion import Contribution, Discussion, Trial
from .figure import Bound, Figure, share
from .scripts import Message
from .wording import content, is_long, is_verbatim, quotations, stem


def measure(trials: Sequence[Trial]) -> Iterator[Figure]:
    """Replies to a message that has a subject, and how many of them share it."""
    cases: dict[str, list[tuple[bool, str]]] = {"answer": [], "follow": []}
    for trial in trials:
        for each in trial.first.contributions:
            if each.answers is not None and each.purpose in cases and _subject(each.answers, trial.first):
                words = f'to "{each.answers.text}" {trial.first.named(each)}'
                cases[each.purpose].append((takes_up(each, each.answers, trial.first), words))
    followed = sum(so for so, _ in cases["follow"])
    remark = f"by whom the message was for; {followed} of {len(cases['follow'])} by those who added something"
    yield share("replies that take up the subject", cases["answer"], Bound("at least", 95), remark=remark)


def takes_up(contribution: Contribution, message: Message, discussion: Discussion) -> bool:
    """True where the contribution shares a word that carries a meaning with the message, or quotes it."""
    if _subject(message, discussion) & content(contribution.text):
        return True
    return any(
        is_long(words) and is_verbatim(words, [message.text]) for words in quotations(contribution.text)
    )


def _subject(message: Message, discussion: Discussion) -> frozenset[str]:
    """What a message is about: the words that carry a meaning, without the names of those at the table."""
    names = {stem(word) for persona in discussion.roster.personas for word in words_of(persona.first_name)}
    return frozenset() if message.kind in ("ok", "silence") else content(message.text) - names
