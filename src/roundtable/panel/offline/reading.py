"""Reading: what item, documents and messages say, sentence by sentence, and what they leave out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Literal

from ...core.items import Item
from ...core.steps import Step
from ...core.turns import Material
from ...core.words import WORD, words_of
from . import text as texts
from .answers import Answer, answers
from .lexicon import words
from .phrases import actor, content, is_question, quote
from .probes import ITEMS, Library, Probe, any_of

if TYPE_CHECKING:
    from .calling import Hit

Origin = Literal["section", "document", "item", "user"]
WEIGHT: Mapping[Origin, int] = {"user": 6, "section": 4, "item": 3, "document": 2}
_MOST_TEXT = 40_000
_MOST_CODE = 8_000
_TELLING = 0.6
_ELABORATION = re.compile(r"elaboration insights|additional insights from elaboration", re.IGNORECASE)
_NUMBER = re.compile(r"^[\d.]+\s+")
_OPEN_QUESTION = re.compile(r"^open questions?:?\s*", re.IGNORECASE)
# What the program itself writes into a section; none of it is anybody's text.
_OURS = frozenset({"item", "feedback", "withdrawn", "status"})
_NOT_WRITTEN = re.compile(
    r"^(?:no answers were given|withdrawn:|measured in [\w-]+\.md|decisions under review:"
    r"|the design stands in|from the quick scan:|nothing is named as out of scope)",
    re.IGNORECASE,
)
_IDENTITY = re.compile(r"^[A-Z]{1,4}-\d{2,4}(?:-\d{1,3})?:?\s+")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, where it stands, and the name of its document."""

    text: str
    origin: Origin
    document: str = ""
    label: str = ""
    """The label under which it stands in the document."""

    @property
    def said(self) -> str:
        """The sentence with who says it: `the item says "..."`."""
        return attributed(self, quote(self.text))


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
    unanswered: tuple[str, ...] = ()
    """The questions of the step that nobody could answer."""
    answers: tuple[Answer, ...] = ()
    """The questions of the step itself with their answers, in the order in which they are asked."""

    @cached_property
    def elaborated_low(self) -> str:
        return self.elaborated.lower()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names in the code."""
        return texts.identifiers(self.code)

    @cached_property
    def actor(self) -> str:
        """The person whom the texts speak of; empty where they name nobody."""
        return actor([self.item.name, *(each.text for each in self.sentences)]) or ""

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

    def about(self, message: str, least: float = 1.2) -> tuple[Sentence, ...]:
        """The sentences that share most with a message, best first; none where that is too little."""
        asked = content(message)
        rarity = self._rarity
        scored = []
        for place, (sentence, stems) in enumerate(self.indexed):
            shared = stems.intersection(asked)
            score = sum(rarity[stem] for stem in shared)
            # A person whom a question names first is whom it is about.
            leading = bool(asked) and asked[0] in shared
            person = leading and asked[0] in _persons() and rarity[asked[0]] > _TELLING
            if (score >= least and len(shared) > 1) or person:
                scored.append((-score - leading, -WEIGHT[sentence.origin], place, sentence))
        return tuple(each[-1] for each in sorted(scored, key=lambda each: each[:3])[:8])

    def place(self, sentence: Sentence, message: str) -> int:
        """Where in a sentence the word stands that it most tellingly shares with a message."""
        asked = set(content(message))
        shared = [
            (-self._rarity.get(stem, 0.0), word.start())
            for word in WORD.finditer(sentence.text)
            for stem in content(word.group())
            if stem in asked
        ]
        return min(shared)[1] if shared else 0

    def settles(self, probe: Probe) -> bool:
        """True where the texts already hold what the probe asks for."""
        known = self._settled.get(probe.id)
        if known is None:
            known = self._settled[probe.id] = any_of(probe.settled_by, self.whole)
        return known

    def plays(self, text: str, name: str, library: Library) -> bool:
        """True where a sentence has a role beyond doubt."""
        key = (name, text)
        if key not in self._played:
            role = library.roles.get(name)
            # A question and the line before a list say nothing of their own.
            ends = text.rstrip("\"')* ").endswith(("?", "？", ":"))
            self._played[key] = role is not None and not ends and role.is_played(text)
        return self._played[key]

    def playing(self, name: str, sentences: tuple[Sentence, ...], library: Library) -> tuple[Sentence, ...]:
        """The sentences of the item, or of the user, that have a role."""
        own = (each for each in sentences if each.origin in ("item", "user"))
        return tuple(each for each in own if self.plays(each.text, name, library))

    def kind(self, library: Library) -> str:
        """Whether the item reports a bug or asks for a feature; empty where that is in doubt."""
        if "kind" not in self._kinds:
            said = [each.text for each in self.sentences if each.origin == "item"]
            titled = [name for name in ITEMS if self.plays(self.item.name, name, library)]
            told = [name for name in ITEMS if sum(self.plays(text, name, library) for text in said) > 1]
            shown = titled or told
            self._kinds["kind"] = shown[0] if len(shown) == 1 else ""
        return self._kinds["kind"]

    @cached_property
    def _played(self) -> dict[tuple[str, str], bool]:
        return {}

    @cached_property
    def _kinds(self) -> dict[str, str]:
        return {}

    @cached_property
    def called(self) -> dict[str, tuple[Hit, ...]]:
        """What was found to call for each persona, kept because it is asked for with every contribution."""
        return {}

    @cached_property
    def certain(self) -> dict[str, tuple[Hit, ...]]:
        """The same for what speaks to the answers; it is looked for first and costs little."""
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


@lru_cache(maxsize=1)
def _persons() -> frozenset[str]:
    return frozenset(content(" ".join(words("person"))))


@dataclass(slots=True)
class _Page:
    """What is collected from the documents while they are read."""

    sentences: list[Sentence] = field(default_factory=list)
    empty: list[tuple[str, str]] = field(default_factory=list)
    elaborated: list[str] = field(default_factory=list)
    unanswered: list[str] = field(default_factory=list)


def read(item: Item, step: Step, material: tuple[Material, ...], steps: tuple[Step, ...] = ()) -> Reading:
    """What item and documents say; of very long ones the beginning."""
    page = _Page()
    answered = answers(step, material, item.name)
    for document in material:
        if not document.name.endswith((".json", ".csv")):
            wanted = _wanted(step, document.name)
            others = frozenset[str]().union(*(_wanted(other, document.name) for other in steps))
            _read_document(document, wanted, others - wanted, page)
    if any(each.known for each in answered):
        mine = [
            Sentence(said, "section", each.document, each.label)
            for each in answered
            for said in each.sentences
        ]
        known_there = {each.text for each in mine}
        page.sentences = [
            *mine,
            *(each for each in page.sentences if each.origin != "section" and each.text not in known_there),
        ]
    page.sentences.sort(key=lambda each: each.origin != "section")
    body = item.text[:_MOST_TEXT]
    coded = texts.mostly_code(body[:4_000])
    parts = () if coded else texts.sections(body)
    own = (each for section in parts for each in texts.sentences(section.lines))
    from_item = [Sentence(each, "item") for each in islice(own, texts.MOST_SENTENCES)]
    known = {each.text for each in from_item}
    found = [each for each in page.sentences if each.text not in known][: texts.MOST_SENTENCES]
    everything = "\n".join([item.name, body, *(document.text[:_MOST_TEXT] for document in material)])
    code = body if coded or "```" in body else ""
    return Reading(
        item, step, (*found, *from_item), tuple(page.empty), code, everything, "\n".join(page.elaborated),
        tuple(page.unanswered), answered,
    )  # fmt: skip


def _wanted(step: Step, output: str) -> frozenset[str]:
    """The headings under which the step writes in a document."""
    named = {step.section(output) or step.title, step.title}
    return frozenset(_NUMBER.sub("", name).casefold() for name in named)


def _read_document(document: Material, wanted: frozenset[str], others: frozenset[str], page: _Page) -> None:
    """Sentences and gaps of a document; the headings of other steps are no gaps of this one."""
    parts = texts.sections(document.text[:_MOST_TEXT])
    mine = [_NUMBER.sub("", part.heading).casefold() in wanted for part in parts]
    ours = next((part.level for part, own in zip(parts, mine, strict=True) if own), 0)
    inside, block = False, 0
    for place, part in enumerate(parts):
        if part.level and part.level <= ours:
            inside = mine[place]
        block = _inside_block(part, block)
        if block:
            page.elaborated.extend(part.lines)
            continue
        written = _read_part(part, "section" if inside else "document", document.name, page)
        below = parts[place + 1] if place + 1 < len(parts) else part
        has_children = below.level > part.level and not _inside_block(below, 0)
        # Of a document with a section of the step itself only that one counts; the others are not its matter.
        counts = inside if ours else _NUMBER.sub("", part.heading).casefold() not in others
        if part.level > 1 and counts and not (written or has_children) and part.heading:
            page.empty.append((part.heading, document.name))


def _inside_block(part: texts.Section, block: int) -> int:
    """The level of the elaboration block that a part belongs to; 0 where it belongs to none."""
    if _ELABORATION.match(_NUMBER.sub("", part.heading)):
        return part.level
    return block if part.level > block else 0


def _read_part(part: texts.Section, origin: Origin, document: str, page: _Page) -> bool:
    """True where somebody has written something there."""
    written = any(line.lstrip().startswith("|") for line in part.lines)
    for label, said in islice(texts.labelled(part.lines), texts.MOST_SENTENCES):
        asked = _OPEN_QUESTION.match(said)
        if label.casefold() in _OURS or _NOT_WRITTEN.match(said):
            continue
        written = True
        if asked or _OPEN_QUESTION.fullmatch(label):
            if origin == "section":
                page.unanswered.append(_OPEN_QUESTION.sub("", said))
        else:
            page.sentences.append(Sentence(_IDENTITY.sub("", said), origin, document, label))
    return written


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
    asks = is_question(sentence.text)
    says = "asks" if asks else "says"
    match sentence.origin:
        case "user":
            return f'you {"ask" if asks else "said"} "{quoted}"'
        case "item":
            return f'the item {says} "{quoted}"'
        case _ if sentence.label:
            return f'under {sentence.label} it {says} "{quoted}"'
        case _:
            return f'{sentence.document or "the text"} {says} "{quoted}"'
