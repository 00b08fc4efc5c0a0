"""Calling: which probes the sentences call for, with the values for their slots, the best first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ...core.words import words_of
from .anchoring import Hit as Hit
from .anchoring import fit, on_answer, on_role
from .lexicon import words
from .phrases import content, figures, is_question
from .probes import Library, Probe, any_of, pattern
from .reading import WEIGHT, Reading, Sentence
from .slots import single, thing_of, values_of

_MOST_EVIDENCE = 4
_MOST_HITS = 8
_CLAIM = re.compile(
    r"(?<!\bi )(?<!\bwe )\b(?:must|shall|should|will|needs? to|has to)\b",
    re.IGNORECASE,
)
_ESTIMATE = re.compile(r"\b(?:maybe|perhaps|possibly) (?:an?|one|two|half|twice|once|\d)\b", re.IGNORECASE)
_NO_PROMISE = re.compile(
    r"\b(?:not|never|no|neither|think about|would|could|might|wonder|either|i)\b|n't\b", re.IGNORECASE
)
_TERM = re.compile(r"\b[A-Z][A-Z0-9]{1,5}\b")


def hits(
    reading: Reading, library: Library, persona: str, sentences: tuple[Sentence, ...] | None = None
) -> tuple[Hit, ...]:
    """Every probe of a persona that is called for and not settled, once each, the best first."""
    if sentences is not None:
        return _called_for(reading, library, persona, sentences)
    if persona not in reading.called:
        chosen = () if reading.language == "foreign" else reading.sentences
        found = (*certain_hits(reading, library, persona), *_called_for(reading, library, persona, chosen))
        reading.called[persona] = tuple(sorted(found, key=lambda hit: -hit.weight))
    return reading.called[persona]


def certain_hits(reading: Reading, library: Library, persona: str) -> tuple[Hit, ...]:
    """The probes of a persona that speak to the answers under the step's labels."""
    if persona not in reading.certain:
        given = () if reading.language == "foreign" else reading.answers
        placed = (
            on_answer(probe, each, reading)
            for each in given
            for probe in library.answering(persona, each.label)
        )
        reading.certain[persona] = tuple(hit for hit in placed if hit is not None)
    return reading.certain[persona]


def _called_for(
    reading: Reading, library: Library, persona: str, chosen: tuple[Sentence, ...]
) -> tuple[Hit, ...]:
    found: list[tuple[int, int, Hit]] = []
    lowered = [(sentence, sentence.text.lower()) for sentence in chosen]
    together = "\n".join(low for _, low in lowered)
    playing: dict[str, tuple[Sentence, ...]] = {}
    for place, probe in enumerate(library.of(persona)):
        if probe.answer:
            continue
        if probe.role or probe.item:
            name = probe.role or probe.item
            if name not in playing:
                playing[name] = reading.playing(name, chosen, library)
            hit = on_role(probe, playing[name], reading, library)
        elif probe.calls_for:
            needles = library.needles.get(probe.calls_for[0], ())
            hit = _hit(probe, _holding(needles, lowered, together), reading)
        else:
            hit = _gap(probe, chosen, reading)
        if hit is not None:
            found.append((-hit.weight, place, hit))
    return tuple(hit for _, _, hit in sorted(found, key=lambda each: each[:2]))


def _holding(
    needles: tuple[str, ...], lowered: list[tuple[Sentence, str]], together: str
) -> tuple[Sentence, ...]:
    """The sentences in which a cue with these needles may be met."""
    there = [needle for needle in needles if needle in together]
    if needles and not there:
        return ()
    return tuple(
        sentence for sentence, low in lowered if not needles or any(needle in low for needle in there)
    )


def _hit(probe: Probe, chosen: tuple[Sentence, ...], reading: Reading) -> Hit | None:
    found: list[Hit] = []
    for sentence in chosen:
        if not pattern(probe.calls_for[0]).search(sentence.text):
            continue
        matches = [_match(cue, sentence.text) for cue in probe.calls_for]
        question = is_question(sentence.text)
        if question and sentence.origin != "user":
            continue
        # A question of the user that names the topic is about it, whatever its verb.
        asked = question
        if not (all(matches) or asked) or any_of(probe.unless, sentence.text):
            continue
        if not found and reading.settles(probe):
            return None
        first = matches[0]
        values = values_of(sentence, reading, first.start() if first else 0)
        for match in matches:
            if match and match.groupdict().get("thing"):
                values.update(thing_of(match["thing"]))
        if first:
            values["word"] = single(first.group(1) if first.re.groups and first.group(1) else first.group())
        weight = 6 + WEIGHT[sentence.origin] + fit(probe, reading) + (2 if "thing" in values else 0)
        found.append(Hit(probe, sentence, values, weight, first.start() if first else 0, whole=all(matches)))
        if len(found) == _MOST_HITS:
            break
    if not found:
        return None
    best, *others = sorted(found, key=lambda hit: -hit.weight)
    more = min(len(found), _MOST_EVIDENCE)
    return replace(best, weight=best.weight + more, others=tuple(others[:_MOST_EVIDENCE]))


def _match(cue: str, text: str) -> re.Match[str] | None:
    """Where a cue is met; the place that names a thing before one that does not."""
    met = tuple(pattern(cue).finditer(text))
    return next((match for match in met if match.groupdict().get("thing")), met[0] if met else None)


def _gap(probe: Probe, chosen: tuple[Sentence, ...], reading: Reading) -> Hit | None:
    for sentence, word in gaps(probe.gap, chosen, reading):
        if any_of(probe.unless, sentence.text):
            continue
        values = {**values_of(sentence, reading), "word": word}
        weight = 1 + WEIGHT[sentence.origin] + fit(probe, reading)
        return Hit(probe, sentence, values, weight)
    return None


def gaps(kind: str, chosen: tuple[Sentence, ...], reading: Reading) -> Iterator[tuple[Sentence, str]]:
    """The sentences that leave something out, each with the word that shows it."""
    match kind:
        case "quality" | "hedge":
            wanted = words(kind)
            for sentence in chosen:
                word = next((each for each in words_of(sentence.text) if each in wanted), None)
                if word and not figures(sentence.text) and not _ESTIMATE.search(sentence.text):
                    yield sentence, word
        case "happy":
            titled = set(content(reading.item.name))
            for sentence in sorted(chosen, key=lambda each: -len(titled.intersection(content(each.text)))):
                claim = None if is_question(sentence.text) else _CLAIM.search(sentence.text)
                if claim and _promises(sentence.text):
                    yield sentence, claim.group().lower()
        case "term":
            known = words("known_terms")
            for sentence in chosen:
                for term in _TERM.findall(sentence.text):
                    explained = f"({term})" in reading.whole or f"{term} (" in reading.whole
                    if term.lower() not in known and not explained:
                        yield sentence, term
        case "unanswered":
            for asked in reading.unanswered:
                yield Sentence(asked, "section"), asked
        case "empty":
            for heading, document in reading.empty:
                yield Sentence(heading, "document", document), heading
        case "bare":
            if not reading.sentences:
                yield Sentence(reading.item.name, "item"), reading.item.name


def _promises(text: str) -> bool:
    """True for a sentence that says what is to be, and nothing of what may go wrong."""
    said = words_of(text)
    return len(said) > 5 and words("failure").isdisjoint(said) and not _NO_PROMISE.search(text)
