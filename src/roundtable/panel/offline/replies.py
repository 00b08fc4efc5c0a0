"""Replies: what the user's words call for, from figures, the item's own words, probes, or honesty."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from ...core.turns import USER, Turn
from ...core.words import words_of
from .calling import Hit, hits
from .claims import Claim, claim
from .counting import counted, figure_line
from .decisions import deciding, points_back
from .lexicon import words
from .memory import Made, still_open
from .phrases import actor, content, is_question, message_sentences, pasted, quote, without_address
from .questions import Asked, asked
from .reading import Sentence, attributed, language
from .speaking import Candidate, Floor, next_points, phrased, points

_OPEN_TO_ALL = re.compile(
    r"\bwhat (?:do|would) (?:you|we)(?: all)? (?:think|say)\s*[?.!]*$|\b(?:what|anything) else\s*[?.!]*$"
    r"|\bwhat (?:is|are we|do we|did we) (?:missing|miss|forget)\s*[?.!]*$"
    r"|^(?:\w+, )?(?:and |so )?what(?:'s| is)? (?:next|now)\s*[?.!]*$"
    r"|^(?:\w+, )?(?:(?:and|so)(?: what| then| now)?|go on)\s*[?.!]*$",
    re.IGNORECASE,
)
_WHY = re.compile(r"\bwhy\b|\bhow (?:so|come)\b|\bwhat do you mean\b", re.IGNORECASE)
_MANY_LINES = 40
_LONGEST = 4_000
_FEW = 2
_MOST_PROBES = 3
_LONGEST_FOUND = 100
_CLOSE = 1.8


@dataclass(frozen=True, slots=True)
class Message:
    """What kind of thing the user said."""

    turn: Turn
    asks: bool
    decides: bool
    pasted: bool
    little: bool
    """Assent, thanks, a sound: nothing to take up."""
    why: bool
    """A bare question for the reason of what was said."""
    upset: bool
    """Short words of displeasure at the discussion itself."""

    @classmethod
    def of(cls, turn: Turn, names: tuple[str, ...]) -> Message:
        text = turn.text[:_LONGEST]
        pieces = message_sentences(text)
        asks = any(is_question(piece) for piece in pieces)
        decides = bool(turn.verdict.decisions) or bool(deciding(text, names))
        assents = words("assent").issuperset(words_of(text))
        told = content(without_address(text, names))
        return cls(
            turn=turn,
            asks=asks,
            decides=decides,
            pasted=turn.text.count("\n") >= _MANY_LINES,
            little=not decides and (bool(_OPEN_TO_ALL.search(text)) or assents or not (told or asks)),
            why=asks and not told and bool(_WHY.search(text)),
            upset=not words("upset").isdisjoint(told) and len(set(told) - words("upset")) < _FEW,
        )


def answer(floor: Floor) -> Iterator[Candidate]:
    """What the answering persona may say, the most fitting first."""
    turn = floor.answered
    if turn is None:
        yield from next_points(floor)
        return
    message = Message.of(turn, floor.first_names)
    if message.why:
        yield from _explained(floor)
    if message.little or message.why:
        yield from next_points(floor)
        return
    for candidate in _answers(floor, message):
        if takes_up(candidate.text, turn.text, floor.first_names) or _meant(floor, turn):
            yield candidate
    for candidate in next_points(floor):
        yield Candidate(f"On {floor.base['subject']}: {small(candidate.text)}", candidate.opposes)
        yield candidate


def follow(floor: Floor) -> Iterator[Candidate]:
    """What somebody else may add: only a probe that the user's own words call for, and only one of them."""
    turn = floor.answered
    if turn is None:
        return
    message = Message.of(turn, floor.first_names)
    since = [each for each in floor.table.turns[turn.number :] if each.speaker != USER]
    if message.little or message.pasted or len(since) > 1:
        return
    called = _asked_for(floor, turn) if message.asks else _called(floor, turn)
    for candidate in points(floor, called):
        if takes_up(candidate.text, turn.text, floor.first_names):
            yield candidate


def takes_up(text: str, message: str, names: Iterable[str] = ()) -> bool:
    """True where a reply speaks of what the message speaks of, apart from whom it addresses."""
    told = set(content(message[:_LONGEST])) - set(content(" ".join(names)))
    return not told or not told.isdisjoint(content(text))


def small(text: str) -> str:
    """The text to stand inside a sentence: a capital that only began a sentence goes."""
    first = re.match(r"[A-Z][a-z]+\b", text)
    common = first and first.group().lower() in words("opener")
    return text[0].lower() + text[1:] if common else text


def _explained(floor: Floor) -> Iterator[Candidate]:
    """What the speaker's last point rests on, for a bare "why?"."""
    own = [made for made in floor.made if made.speaker == floor.brief.speaker.key and made.values.get("says")]
    if own:
        yield from floor.stock("why", {"says": own[-1].values["says"], "handle": own[-1].phrase.handle})


def _answers(floor: Floor, message: Message) -> Iterator[Candidate]:
    turn = message.turn
    if message.pasted:
        count, telling = pasted(turn.text)
        yield from floor.stock("pasted", {"figure": count, "quote": telling})
        return
    if message.upset and not message.decides:
        yield from floor.stock("upset")
    if language(turn.text[:_LONGEST]) == "foreign":
        if any("offline panel" in each.text for each in floor.earlier):
            yield from _answered(floor, Asked("what", turn.text, None, None))
        yield from floor.stock("foreign")
        return
    if message.decides or not message.asks:
        yield from _taken_up(floor, turn)
    else:
        yield from _answered(floor, _asked(floor, turn))


# --- questions ------------------------------------------------------------------------------------------


def _asked(floor: Floor, turn: Turn) -> Asked:
    pieces = [without_address(piece, floor.first_names) for piece in message_sentences(turn.text)]
    return asked(next(piece for piece in pieces if is_question(piece)))


def _answered(floor: Floor, question: Asked) -> Iterator[Candidate]:
    """A figure, else what is written or that nothing is, and then a point or what the speaker's lens adds."""
    turn = floor.answered
    assert turn is not None
    if question.kind == "count":
        for sentence, figure in counted(floor.reading, turn.text[:_LONGEST], _told_before(floor, turn)):
            quoted = figure_line(sentence, figure)
            yield from floor.stock(
                "figure", {"quote": quoted, "says": attributed(sentence, quoted), "figure": figure}
            )
    if question.kind == "advice":
        about = question.topic or floor.base["subject"]
        for each in floor.stock("body-advice"):
            yield Candidate(f"As to {about}, {each.text}")
    absent = tuple(_absent(floor, question))
    for hit in _asked_for(floor, turn):
        for candidate in phrased(floor, hit):
            for opening in absent[:_FEW]:
                yield Candidate(f"{opening} {candidate.text}", candidate.opposes)
    yield from floor.joined((*_found(floor, turn, question), *absent), f"body-{question.kind}")


def _absent(floor: Floor, question: Asked) -> Iterator[str]:
    """That nothing is written; the question as a clause reads better than between quotation marks."""
    values = {"asked": question.clause, "subject": ""} if question.clause else {}
    return (each.text for each in floor.stock("absent", values))


def _found(floor: Floor, turn: Turn, question: Asked) -> Iterator[str]:
    """What is written that comes closest."""
    values = {"asked": question.clause} if question.clause else {}
    for sentence in _looked_up(floor, turn)[:2]:
        quoted = quote(sentence.text, _LONGEST_FOUND, floor.reading.place(sentence, turn.text[:_LONGEST]))
        known = {**values, "quote": quoted, "says": attributed(sentence, quoted)}
        yield from (each.text for each in floor.stock("found", known))


def _looked_up(floor: Floor, turn: Turn) -> tuple[Sentence, ...]:
    """What the user said before and what is written on the subject, as long as it was not quoted yet."""
    found = (*_told_before(floor, turn), *floor.reading.about(turn.text)[:4])
    if not found and re.search(r"\bwho(?:m|se)?\b", turn.text, re.IGNORECASE):
        found = tuple(each for each in floor.reading.sentences if actor([each.text]))[:2]
    return found or floor.reading.coded(turn.text)


def _asked_for(floor: Floor, turn: Turn) -> tuple[Hit, ...]:
    """The speaker's probes that the user's words call for, on the sentence of the text that does so too."""
    spoken = {made.probe.id for made in floor.made}
    key = floor.brief.speaker.key
    found = hits(floor.reading, floor.library, key, _pieces(floor, turn))
    wanted = {hit.probe.id: hit for hit in found if hit.probe.calls_for and hit.probe.id not in spoken}
    asks = set(content(turn.text[:_LONGEST]))
    chosen = []
    for hit in hits(floor.reading, floor.library, key):
        called = wanted.get(hit.probe.id)
        if called and (called.whole or not asks.isdisjoint(content(hit.sentence.text))):
            chosen.append(hit)
    # What speaks without a quotation needs no sentence of the text.
    known = {hit.probe.id for hit in chosen}
    chosen += [
        replace(hit, probe=replace(hit.probe, says=tuple(each for each in hit.probe.says if not each.quotes)))
        for hit in wanted.values()
        if hit.whole and hit.probe.id not in known
    ]
    return tuple(chosen[:_MOST_PROBES])


def _pieces(floor: Floor, turn: Turn) -> tuple[Sentence, ...]:
    return tuple(
        Sentence(without_address(piece, floor.first_names), "user") for piece in message_sentences(turn.text)
    )


def _called(floor: Floor, turn: Turn) -> tuple[Hit, ...]:
    """The speaker's probes that the user's words call for, then those on sentences that they speak of."""
    key = floor.brief.speaker.key
    found = hits(floor.reading, floor.library, key, _pieces(floor, turn))
    from_words = tuple(hit for hit in found if hit.probe.calls_for and hit.whole)
    asks = set(content(turn.text[:_LONGEST]))
    named = {hit.probe.id for hit in from_words}
    related = tuple(
        hit
        for hit in hits(floor.reading, floor.library, key)
        if hit.probe.id not in named
        and hit.probe.calls_for
        and len(asks & set(content(hit.sentence.text))) > (1 if floor.focus in hit.probe.topics else 2)
    )
    return (*from_words, *related)


def _told_before(floor: Floor, turn: Turn) -> tuple[Sentence, ...]:
    """What the user said earlier about the same thing, the closest first."""
    asks = set(content(turn.text[:_LONGEST]))
    told = []
    for each in floor.table.turns[: turn.number - 1]:
        said = claim(each.text[:_LONGEST], floor.first_names) if each.speaker == USER else None
        if said and each.verdict.off_topic is None and len(asks & set(content(said.text))) > _FEW:
            told.append(Sentence(said.text, "user"))
    return tuple(sorted(told, key=lambda each: -len(asks & set(content(each.text))))[:2])


# --- statements, objections, decisions ------------------------------------------------------------------


def _taken_up(floor: Floor, turn: Turn) -> Iterator[Candidate]:
    """What was stated or decided, what it touches, and what follows for the speaker's lens."""
    proposed = _meant(floor, turn)
    said = claim(turn.text[:_LONGEST], floor.first_names)
    if proposed is not None:
        mine = f"{whose(floor, proposed.speaker)} {proposed.phrase.handle}"
        said = Claim("decision", mine, "", "")
    if said is None:
        return
    use = {"decision": "decided", "objection": "objected", "fact": "stated"}[said.kind]
    openings = [each.text for each in floor.stock(use, {"claim": said.text})]
    if proposed is not None:
        openings = [opening.replace(f'"{said.text}"', said.text) for opening in openings]
    if said.kind != "decision":
        for hit in _asked_for(floor, turn):
            for candidate in phrased(floor, hit):
                yield from (
                    Candidate(f"{opening} {candidate.text}", candidate.opposes) for opening in openings[:_FEW]
                )
    values = {"figure": said.figure, "word": said.word}
    links = tuple(_links(floor, turn, said.kind, proposed))
    for body in said.bodies:
        for linked in (*links, ""):
            for candidate in islice(floor.joined(openings, body, values), _FEW):
                yield Candidate(f"{candidate.text} {linked}".strip() if said.kind == "decision"
                                else _inserted(candidate.text, openings, linked))  # fmt: skip
    for body in said.bodies:
        yield from floor.joined(openings, body, values)


def _inserted(text: str, openings: list[str], linked: str) -> str:
    """The text with a link right after its opening."""
    opening = next((each for each in openings if text.startswith(each)), "")
    return f"{opening} {linked}{text[len(opening) :]}" if linked and opening else text


def _links(floor: Floor, turn: Turn, kind: str, proposed: Made | None) -> Iterator[str]:
    """What the words bear on: after a decision an open question, else a point or a line on the same thing."""
    if kind == "decision":
        told = set(content(turn.text[:_LONGEST]))
        waiting = [
            (made, question)
            for made, question in still_open(floor.made, floor.table)
            if made.speaker in floor.table.roster and made != proposed and question.lower() not in floor.heard
        ]
        for made, question in sorted(waiting, key=lambda each: -len(told & set(content(each[1]))))[:1]:
            known = {"name": whose(floor, made.speaker), "open": question}
            yield from (each.text for each in islice(floor.stock("decided-open", known), 1))
        return
    told = set(content(turn.text[:_LONGEST]))
    for made in reversed(floor.made):
        about = set(content(f"{made.insight or ''} {made.question or ''}"))
        if len(told & about) >= _FEW and made.speaker in floor.table.roster:
            known = {"name": whose(floor, made.speaker), "their": made.phrase.handle}
            yield from (each.text for each in islice(floor.stock("link-point", known), 1))
            return
    for sentence in floor.reading.about(turn.text[:_LONGEST], _CLOSE)[:1]:
        quoted = quote(sentence.text, _LONGEST_FOUND, floor.reading.place(sentence, turn.text[:_LONGEST]))
        if quoted.lower() not in floor.heard:
            yield from (each.text for each in islice(floor.stock("link-line", {"quote": quoted}), 1))


def _meant(floor: Floor, turn: Turn) -> Made | None:
    """The point that a bare "do that" decides: the last one before it."""
    sentences = deciding(turn.text, floor.first_names)
    if not sentences or not all(points_back(each, floor.first_names) for each in sentences):
        return None
    return next((made for made in reversed(floor.made) if made.turn < turn.number), None)


def whose(floor: Floor, speaker: str) -> str:
    """Whose point it is, as the speaker says it."""
    mine = speaker == floor.brief.speaker.key
    return "my" if mine else f"{floor.table.roster[speaker].first_name}'s"
