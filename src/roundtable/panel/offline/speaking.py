"""Speaking: what a persona says of its own accord, and how the lead sums up a disagreement."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice, pairwise

from ...core.turns import USER, Turn
from ...core.words import words_of
from .asking import asked, unaddressed
from .choosing import phrased as phrased
from .choosing import points as points
from .claims import amounts
from .floor import Candidate as Candidate
from .floor import Candidates as Candidates
from .floor import Floor as Floor
from .floor import deliver as deliver
from .floor import last_words as last_words
from .floor import plain_sentences as plain_sentences
from .floor import sound as sound
from .lexicon import words
from .memory import still_open
from .phrases import SHORT_QUOTE, actor, is_question, quote
from .reading import Sentence, attributed
from .template import Template, capital
from .utterances import asks, utterances

_MOST_QUOTES = 6
_FEWEST_WORDS = 5
_LONGEST = 4_000
NOT_WRITTEN = {
    "shown": "case-shown", "case": "case-plain", "who": "who-none", "who-can": "who-can", "why": "no-reason",
    "fact": "fact", "yes-no": "yes-no", "either": "either", "choice": "choice", "measure": "measure",
    "limit": "limit", "list": "list", "sign": "sign", "see": "see", "view": "view",
}  # fmt: skip
"""The lines for a question whose answer is not written, by its kind."""

_QUOTED = re.compile(r'"([^"]{12,})"')
_CLAIM = re.compile(r"\b(?:must|shall|should|can|will|needs? to|has to|have to|want|would)\b", re.IGNORECASE)


def quotable(floor: Floor) -> Iterator[tuple[str, Mapping[str, str]]]:
    """The sentences, each with what it speaks of; those quoted least and those that say most come first."""
    found: list[Sentence] = list(floor.reading.sentences)
    if not found:
        found = [Sentence(name, "document", "the code") for name in floor.reading.names]
        found += [Sentence(heading, "document", document) for heading, document in floor.reading.empty]
    whole = [each for each in found if len(each.text.split()) >= _FEWEST_WORDS] or found
    shown = [(each, quote(each.text), spoken_of(each)) for each in whole]
    # The framing does not count: what it quotes is what the others are to speak of.
    since = "\n".join(each.text for each in floor.earlier[1:]).lower()
    for each, quoted, use in sorted(shown, key=lambda one: (since.count(one[1].lower()), one[2] == "next")):
        if quoted and floor.may_quote(each):
            yield use, {"quote": quoted, "says": attributed(each, quoted)}


def spoken_of(sentence: Sentence) -> str:
    """The use of the lines that fit a sentence: by its figure, its person, its failure or its claim."""
    told = set(words_of(sentence.text))
    if is_question(sentence.text):
        return "next"
    if any(each[:1].isdigit() for each in amounts(sentence.text)):
        return "next-figure"
    if told & words("failure"):
        return "next-failure"
    if actor([sentence.text]):
        return "next-person"
    return "next-claim" if _CLAIM.search(sentence.text) else "next"


def next_points(floor: Floor) -> Iterator[Candidate]:
    """What a speaker says of its own accord: a probe, an open question, at first any sentence."""
    yield from points(floor)
    if floor.brief.purpose != "first-round":
        if not floor.brief.may_pass:
            yield from left_open(floor)
            yield from recalled(floor)
        if floor.reading.answers:
            return
    for use, values in islice(quotable(floor), _MOST_QUOTES):
        yield from floor.stock(use, values)
    yield from recalled(floor)
    if not any(line.persona == floor.brief.speaker.key for line in floor.library.stock):
        yield from patterns(floor)
    if not floor.reading.sentences:
        yield from floor.stock("bare")


def left_open(floor: Floor) -> Iterator[Candidate]:
    """What the user asked and nobody could answer, then what the step asked and the user did not know."""
    uses = frozenset(NOT_WRITTEN.values()) | {"plain"}
    lines = [each.text for each in floor.library.stock if each.use in uses]
    names = floor.first_names
    for turn, reply in pairwise(floor.table.turns):
        if turn.speaker != USER or reply.speaker in (USER, floor.brief.speaker.key):
            continue
        put = next((each for each in utterances(turn.text[:_LONGEST]) if asks(unaddressed(each, names))), "")
        if (
            put
            and turn.verdict.off_topic is None
            and any(line.recover(reply.text) is not None for line in lines)
        ):
            yield from floor.stock("open-asked", {"asked": asked(put, names).asked})
    for given in floor.reading.answers:
        if not given.known and given.asked.rstrip("?").lower() not in floor.heard:
            yield from floor.stock("open-step", {"asked": given.asked.rstrip(" ?.")})


def recalled(floor: Floor) -> Iterator[Candidate]:
    """A question that somebody else left open and nobody has come back to."""
    for made, question in still_open(floor.made, floor.table):
        other = made.speaker != floor.brief.speaker.key and made.speaker in floor.table.roster
        if other and question.lower() not in floor.heard:
            asked = f"{floor.table.roster[made.speaker].first_name}'s question"
            on = _QUOTED.search(made.values.get("says", "")) or _QUOTED.search(
                f'"{made.values.get("quote", "")}"'
            )
            named = f'{asked} on "{quote(on[1], SHORT_QUOTE)}"' if on else asked
            yield from floor.stock("recall", {"question": named, "open": question})


def patterns(floor: Floor) -> Iterator[Candidate]:
    """The speaker's own sentence patterns, where everything in them is known."""
    values = dict(floor.base)
    for pattern in floor.brief.speaker.patterns:
        text = Template(pattern).fill(values)
        if text:
            yield Candidate(capital(text))


def tradeoff(floor: Floor) -> Iterator[Candidate]:
    """Who opposes whom, with both points, and the question to the user."""
    for turn in reversed(floor.table.turns):
        number = turn.verdict.opposes
        if number is None or turn.speaker == USER:
            continue
        against = floor.table.turns[number - 1]
        if against.speaker == USER:
            continue
        values = {
            "one": _whose(floor, turn), "point": _handle(floor, turn),
            "other": _whose(floor, against), "counterpoint": _handle(floor, against),
        }  # fmt: skip
        yield from floor.stock("tradeoff", values)
        return


def _whose(floor: Floor, turn: Turn) -> str:
    if turn.speaker == floor.brief.speaker.key:
        return "my"
    return f"{floor.table.roster[turn.speaker].first_name}'s"


def _handle(floor: Floor, turn: Turn) -> str:
    made = next((each for each in floor.made if each.turn == turn.number), None)
    return made.phrase.handle if made else f"point in turn {turn.number}"
