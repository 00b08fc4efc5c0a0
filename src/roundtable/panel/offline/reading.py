"""Reading: what item, documents and messages say, sentence by sentence, and what they leave out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Literal

from ...core.items import Item
from ...core.steps import Step
from ...core.turns import Material
from ...core.words import words_of
from . import text as texts
from .lexicon import words
from .phrases import actor, content, figures, is_plural, is_question, noun_phrase, quote
from .phrases import camel as camel_case
from .probes import Library, Probe, any_of, pattern
from .template import PLURAL

Origin = Literal["section", "document", "item", "user"]
NOBODY = "the person using it"
_MOST_TEXT = 40_000
_MOST_EVIDENCE = 4
_MOST_HITS = 8
_MOST_CODE = 8_000
_WEIGHT: Mapping[Origin, int] = {"user": 6, "section": 4, "item": 3, "document": 2}
_CLAIM = re.compile(
    r"\b(?:must|shall|should|can|will|needs? to|has to|have to|allows?|lets?|able to)\b", re.IGNORECASE
)
_TERM = re.compile(r"\b[A-Z][A-Z0-9]{1,5}\b")
_ELABORATION = re.compile(r"elaboration insights|additional insights from elaboration", re.IGNORECASE)
_BELOW_ELABORATION = frozenset({"key insights", "decisions made", "open questions", "action items"})


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, where it stands, and the name of its document."""

    text: str
    origin: Origin
    document: str = ""

    @property
    def said(self) -> str:
        """The sentence with who says it: `the item says "..."`."""
        return attributed(self, quote(self.text))


@dataclass(frozen=True, slots=True)
class Hit:
    """A probe that a sentence calls for, with the values for its slots and how well it fits."""

    probe: Probe
    sentence: Sentence
    values: Mapping[str, str]
    weight: int
    at: int = 0
    """Where in the sentence the cue stands."""
    others: tuple[Hit, ...] = ()
    """The same probe on other sentences."""


@dataclass(frozen=True)
class Reading:
    """What was read for one step of one item."""

    item: Item
    step: Step
    sentences: tuple[Sentence, ...]
    empty: tuple[tuple[str, str], ...]
    """Headings without a text, each with its document."""
    code: str
    """The code, where the item is code."""
    whole: str
    """Everything that was read, to see what is settled."""
    elaborated: str
    """What earlier discussions left in the documents."""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names in the code."""
        return texts.identifiers(self.code)

    @cached_property
    def actor(self) -> str:
        return actor([self.item.name, *(each.text for each in self.sentences)]) or NOBODY

    @cached_property
    def language(self) -> Literal["english", "foreign", "none"]:
        """English, another language, or too little to tell."""
        return language(" ".join(each.text for each in self.sentences[:80]))

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(content(self.item.name + " " + " ".join(each.text for each in self.sentences)))

    @cached_property
    def indexed(self) -> tuple[tuple[Sentence, frozenset[str]], ...]:
        """Each sentence with its stems."""
        return tuple((each, frozenset(content(each.text))) for each in self.sentences)

    def coded(self, message: str) -> tuple[Sentence, ...]:
        """The lines of the code in which a word of the message stands."""
        asked = {word for word in words_of(message) if word not in words("empty") and len(word) > 3}
        lines = (line.strip() for line in self.code[:_MOST_CODE].split("\n"))
        found = [line for line in lines if asked & set(re.findall(r"[a-z]+", line.lower()))]
        return tuple(Sentence(line, "document", "the code") for line in found[:2])

    def about(self, message: str) -> tuple[Sentence, ...]:
        """The sentences that share most with a message, best first; none where that is too little."""
        asked = set(content(message))
        rarity = self._rarity
        scored = []
        for place, (sentence, stems) in enumerate(self.indexed):
            shared = asked & stems
            score = sum(rarity[stem] for stem in shared)
            if score >= 1.0 and (len(shared) > 1 or len(asked) <= 3):
                scored.append((-score, -_WEIGHT[sentence.origin], place, sentence))
        return tuple(each[-1] for each in sorted(scored, key=lambda each: each[:3])[:8])

    def settles(self, probe: Probe) -> bool:
        """True where the texts already hold what the probe asks for."""
        known = self._settled.get(probe.id)
        if known is None:
            known = self._settled[probe.id] = any_of(probe.settled_by, self.whole)
        return known

    @cached_property
    def called(self) -> dict[str, tuple[Hit, ...]]:
        """What was found to call for each persona, kept because it is asked for with every contribution."""
        return {}

    @cached_property
    def _settled(self) -> dict[str, bool]:
        return {}

    @cached_property
    def _rarity(self) -> Mapping[str, float]:
        """How telling a stem is: one for what stands in one sentence, less for what stands in many."""
        counts: dict[str, int] = {}
        for _, stems in self.indexed:
            for each in stems:
                counts[each] = counts.get(each, 0) + 1
        return {each: 1 / count**0.5 for each, count in counts.items()}


def read(item: Item, step: Step, material: tuple[Material, ...]) -> Reading:
    """What item and documents say; of very long ones the beginning."""
    wanted = {(step.section(output) or step.title).casefold() for output in step.outputs} | {
        step.title.casefold()
    }
    found: list[Sentence] = []
    empty: list[tuple[str, str]] = []
    elaborated: list[str] = []
    for document in material:
        if document.name.endswith((".json", ".csv")):
            continue
        _read_document(document, wanted, found, empty, elaborated)
    found.sort(key=lambda each: each.origin != "section")
    body = item.text[:_MOST_TEXT]
    coded = texts.mostly_code(body[:4_000])
    parts = () if coded else texts.sections(body)
    own = (each for section in parts for each in texts.sentences(section.lines))
    from_item = [Sentence(each, "item") for each in islice(own, texts.MOST_SENTENCES)]
    known = {each.text for each in from_item}
    found = [each for each in found if each.text not in known][: texts.MOST_SENTENCES]
    everything = "\n".join([item.name, body, *(document.text[:_MOST_TEXT] for document in material)])
    code = body if coded or "```" in body else ""
    return Reading(item, step, (*found, *from_item), tuple(empty), code, everything, "\n".join(elaborated))


def _read_document(
    document: Material,
    wanted: set[str],
    found: list[Sentence],
    empty: list[tuple[str, str]],
    elaborated: list[str],
) -> None:
    parts = texts.sections(document.text[:_MOST_TEXT])
    inside, inside_level, past = False, 0, False
    for place, part in enumerate(parts):
        heading = re.sub(r"^[\d.]+\s+", "", part.heading).casefold()
        if part.level and (not inside or part.level <= inside_level):
            names = {re.sub(r"^[\d.]+\s+", "", name) for name in wanted}
            inside, inside_level = heading in names, part.level
        past = bool(_ELABORATION.match(heading)) or (past and heading in _BELOW_ELABORATION)
        if past:
            elaborated.extend(part.lines)
            continue
        said = list(islice(texts.sentences(part.lines), texts.MOST_SENTENCES))
        found.extend(Sentence(each, "section" if inside else "document", document.name) for each in said)
        has_children = place + 1 < len(parts) and parts[place + 1].level > part.level
        if part.level > 1 and not said and not has_children and part.heading:
            empty.append((part.heading, document.name))


def language(text: str) -> Literal["english", "foreign", "none"]:
    """The language of a text, as far as the panel has to know it."""
    said = words_of(text)
    letters = [char for char in text if char.isalpha()]
    if sum(not char.isascii() for char in letters) * 2 > len(letters) > 0:
        return "foreign"
    if len(said) < 6:
        return "none"
    english, german = (sum(word in words(name) for word in said) for name in ("english", "german"))
    if german > english:
        return "foreign"
    return "english" if english * 14 >= len(said) else "foreign" if len(said) >= 20 else "none"


def attributed(sentence: Sentence, quoted: str) -> str:
    """A quotation with who says it."""
    match sentence.origin:
        case "user":
            return f'you {"ask" if is_question(sentence.text) else "say"} "{quoted}"'
        case "item":
            return f'the item says "{quoted}"'
        case _:
            return f'{sentence.document or "the text"} says "{quoted}"'


# --- what calls for a probe ---------------------------------------------------------------------------


def hits(
    reading: Reading, library: Library, persona: str, sentences: tuple[Sentence, ...] | None = None
) -> tuple[Hit, ...]:
    """Every probe of a persona that is called for and not settled, once each, the best first."""
    if sentences is not None:
        return _called_for(reading, library, persona, sentences)
    if persona not in reading.called:
        chosen = () if reading.language == "foreign" else reading.sentences
        reading.called[persona] = _called_for(reading, library, persona, chosen)
    return reading.called[persona]


def _called_for(
    reading: Reading, library: Library, persona: str, chosen: tuple[Sentence, ...]
) -> tuple[Hit, ...]:
    found: list[tuple[int, int, Hit]] = []
    for place, probe in enumerate(library.of(persona)):
        hit = _hit(probe, chosen, reading) if probe.calls_for else _gap(probe, chosen, reading)
        if hit is not None:
            found.append((-hit.weight, place, hit))
    return tuple(hit for _, _, hit in sorted(found, key=lambda each: each[:2]))


def _hit(probe: Probe, chosen: tuple[Sentence, ...], reading: Reading) -> Hit | None:
    if reading.settles(probe):
        return None
    found: list[Hit] = []
    for sentence in chosen:
        matches = [_match(cue, sentence.text) for cue in probe.calls_for]
        # A question of the user that names the topic is about it, whatever its verb.
        asked = sentence.origin == "user" and is_question(sentence.text) and matches[0] is not None
        if not (all(matches) or asked) or any_of(probe.unless, sentence.text):
            continue
        values = dict(_values(sentence, reading))
        for match in matches:
            if match and match.groupdict().get("thing"):
                values.update(_thing(match["thing"]))
        first = matches[0]
        if first:
            values["word"] = _single(first.group(1) if first.re.groups and first.group(1) else first.group())
            values["quote"] = quote(sentence.text, around=first.start())
            values["says"] = attributed(sentence, values["quote"])
        weight = 6 + _WEIGHT[sentence.origin] + _fit(probe, reading) + (2 if "thing" in values else 0)
        found.append(Hit(probe, sentence, values, weight, first.start() if first else 0))
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


def _single(word: str) -> str:
    """One of what a word names: `reminder` for `Reminders`, while `SMS` stays."""
    small = word if word.isupper() else word.lower()
    return small[:-1] if is_plural(small) else small


def _gap(probe: Probe, chosen: tuple[Sentence, ...], reading: Reading) -> Hit | None:
    for sentence, word in gaps(probe.gap, chosen, reading):
        if any_of(probe.unless, sentence.text):
            continue
        values = {**dict(_values(sentence, reading)), "word": word}
        weight = 1 + _WEIGHT[sentence.origin] + _fit(probe, reading)
        return Hit(probe, sentence, values, weight)
    return None


def _fit(probe: Probe, reading: Reading) -> int:
    return 2 if probe.fits(reading.step.step_id) else -2


def gaps(kind: str, chosen: tuple[Sentence, ...], reading: Reading) -> Iterator[tuple[Sentence, str]]:
    """The sentences that leave something out, each with the word that shows it."""
    match kind:
        case "quality" | "hedge":
            wanted = words(kind)
            for sentence in chosen:
                word = next((each for each in words_of(sentence.text) if each in wanted), None)
                if word and not figures(sentence.text):
                    yield sentence, word
        case "happy":
            failure = words("failure")
            for sentence in chosen:
                claim = None if is_question(sentence.text) else _CLAIM.search(sentence.text)
                if claim and failure.isdisjoint(words_of(sentence.text)) and len(words_of(sentence.text)) > 4:
                    yield sentence, claim.group().lower()
        case "term":
            known = words("known_terms")
            for sentence in chosen:
                for term in _TERM.findall(sentence.text):
                    explained = f"({term})" in reading.whole or f"{term} (" in reading.whole
                    if term.lower() not in known and not explained:
                        yield sentence, term
        case "empty":
            for heading, document in reading.empty:
                yield Sentence(heading, "document", document), heading
        case "bare":
            if not reading.sentences:
                yield Sentence(reading.item.name, "item"), reading.item.name


def _values(sentence: Sentence, reading: Reading) -> Iterator[tuple[str, str]]:
    quoted = quote(sentence.text)
    yield "quote", quoted
    yield "says", attributed(sentence, quoted)
    yield "actor", actor([sentence.text]) or reading.actor
    yield "title", reading.step.title
    yield "item", quote(reading.item.name)
    counted = figures(sentence.text)
    if counted:
        yield "figure", counted[0]


def _thing(rest: str) -> Iterator[tuple[str, str]]:
    found = noun_phrase(rest)
    if found is None:
        return
    yield "thing", found
    if is_plural(found):
        yield PLURAL, "yes"
    name = camel_case(found)
    if name and len(name) <= 30:
        yield "cls", name
        yield "fn", name[0].lower() + name[1:]
