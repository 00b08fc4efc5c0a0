"""What the lead says outside a discussion: to feedback on a step, and on taking over from another phase."""

from __future__ import annotations

from collections.abc import Mapping

from ...core.commands import AskFeedback, StepBrief
from ...core.lines import listed
from ...core.turns import Material
from .calling import hits
from .phrases import quote
from .probes import Library
from .reading import Reading, Sentence
from .template import capital

_MOST_DOCUMENTS = 3


def take_up(ask: AskFeedback, library: Library) -> str:
    """The lead's reply: the user's words, and that they are added to the section."""
    values = {"subject": f'"{quote(ask.words, 90)}"', **_known(ask.brief)}
    return _chosen(library, "feedback", ask.brief.persona.key, values, len(ask.words))


def read_ahead(brief: StepBrief, reading: Reading, material: tuple[Material, ...], library: Library) -> str:
    """Which documents there are and one thing that they leave open; empty where there is nothing."""
    written = [document.name for document in material if document.text.strip()]
    said = [each for each in reading.sentences if each.origin != "item"]
    if not written or not said:
        return ""
    names = listed(written[:_MOST_DOCUMENTS])
    open_question = _left_open(material)
    use = "ahead" if open_question else "reading"
    found = open_question or quote(_telling(reading, brief, said, library).text)
    values = {"doc": names, "quote": found, **_known(brief)}
    return _chosen(library, use, brief.persona.key, values, len(names))


def _telling(reading: Reading, brief: StepBrief, said: list[Sentence], library: Library) -> Sentence:
    """The sentence that most calls for this persona's questions."""
    called = (hit.sentence for hit in hits(reading, library, brief.persona.key))
    return next((sentence for sentence in called if sentence.origin != "item"), said[0])


def _left_open(material: tuple[Material, ...]) -> str | None:
    """A question that a document lists as open."""
    for document in material:
        below = False
        for line in document.text.split("\n"):
            heading = line.strip(" #*:").casefold()
            if heading == "open questions":
                below = True
            elif below and line.lstrip().startswith("- ") and heading not in ("- none", "none"):
                return quote(line.lstrip()[2:])
            elif below and line.strip():
                below = False
    return None


def _known(brief: StepBrief) -> Mapping[str, str]:
    return {
        "item": quote(brief.item.name),
        "title": brief.step.title,
        "step": brief.step.step_id,
        "actor": "the reader",
    }


def _chosen(library: Library, use: str, persona: str, values: Mapping[str, str], at: int) -> str:
    lines = library.lines(use, persona)
    made = [text for line in lines if (text := line.fill(values))]
    return capital(made[at % len(made)]) if made else ""
