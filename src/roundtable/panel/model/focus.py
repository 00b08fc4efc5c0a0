"""The focus screen: whether the user's words are plainly at home here, so that no model has to be asked."""

from __future__ import annotations

from ...core.commands import Table
from ...core.words import words_of

_LONG = 4
_FEW = 6
_SHARE = 0.2


def in_doubt(table: Table) -> bool:
    """True where the last turn has enough words to say something, and hardly one was heard here before."""
    said = _telling(table.turns[-1].text)
    if len(said) < _FEW:
        return False
    return len(said & _known(table)) / len(said) < _SHARE


def _known(table: Table) -> set[str]:
    """The words of the item, the step, its documents and the discussion so far."""
    step = table.step
    questions = (question.text for question in (*step.brief, *step.standard, *step.deep))
    texts = (
        table.item.name,
        table.item.text,
        step.title,
        table.focus_question,
        table.focus_topic,
        *questions,
        *(each.text for each in table.material),
        *(turn.text for turn in table.turns[:-1]),
    )
    return {word for text in texts for word in _telling(text)}


def _telling(text: str) -> set[str]:
    """The longer words, without the endings that make one word look like two."""
    words = (word.removesuffix("'s") for word in words_of(text))
    return {word.rstrip("s") for word in words if len(word) >= _LONG}
