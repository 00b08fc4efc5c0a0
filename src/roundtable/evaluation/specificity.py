"""Specificity: whether a contribution is about this item, and whether what it quotes was ever written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from .discussion import Contribution, Discussion, Trial
from .figure import Bound, Figure, count, share
from .wording import content, is_long, is_verbatim, quotations


def measure(trials: Sequence[Trial]) -> Iterator[Figure]:
    """Contributions that hold a real quotation or a term of this item alone; quotations that nobody wrote."""
    used = Counter(term for trial in trials for term in _talked(trial))
    cases = [
        (_is_quoting(each, discussion) or bool(_own_terms(each, discussion, used)), discussion.named(each))
        for trial in trials
        for discussion in trial.discussions
        for each in discussion.contributions
    ]
    quoting = sum(
        _is_quoting(each, discussion)
        for trial in trials
        for discussion in trial.discussions
        for each in discussion.contributions
    )
    yield share("specific to the item", cases, Bound("at least", 80), remark=f"{quoting} by a quotation")
    invented = [
        f'"{words}" {discussion.named(each)}'
        for trial in trials
        for discussion in trial.discussions
        for each in discussion.contributions
        for words in quotations(each.text)
        if is_long(words) and not is_verbatim(words, _written_before(each, discussion))
    ]
    yield count("quotations that nobody wrote", invented, among="of three words or more")


def _talked(trial: Trial) -> frozenset[str]:
    """Every term that fell in an item's discussions, whoever said it."""
    said = (turn.text for discussion in trial.discussions for turn in discussion.turns)
    return frozenset().union(*map(content, said))


def _is_quoting(contribution: Contribution, discussion: Discussion) -> bool:
    return any(
        is_long(words) and is_verbatim(words, discussion.own_texts) for words in quotations(contribution.text)
    )


def _own_terms(contribution: Contribution, discussion: Discussion, used: Counter[str]) -> frozenset[str]:
    """The terms of the item that fell in no other item's discussion.

    A word of the panel's own that happens to be used once says nothing about the item, so it does not count.
    """
    own = frozenset().union(*map(content, discussion.own_texts))
    return frozenset(term for term in content(contribution.text) & own if used[term] == 1)


def _written_before(contribution: Contribution, discussion: Discussion) -> list[str]:
    """What there was to quote: the item, its documents, the step, and whatever was said."""
    documents = (each.text for each in discussion.material)
    said = (turn.text for turn in discussion.turns[: contribution.turn.number - 1])
    return [discussion.item.name, discussion.item.text, discussion.step.title, *documents, *said]
