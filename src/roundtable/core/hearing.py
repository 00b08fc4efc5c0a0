"""Whether a message is meant to end the discussion (rule EXIT-1)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from .personas import Persona, Roster
from .text import WORD, fold_text, is_silence, find_phrase, words_of

Exit = Literal["exit", "unclear-exit"]

_WRAP_UPS = (("wrap", "up"), ("wrap", "it", "up"), ("wrap", "this", "up"))
_KEYWORDS = (("done",), ("exit",), ("back",), ("wrap-up",), *_WRAP_UPS)
_FILLERS = tuple(
    words_of(phrase)
    for phrase in (
        *(
            "ok",
            "okay",
            "thanks",
            "thank you",
            "please",
            "let's",
            "i'm",
            "we're",
            "i am",
            "we are",
            "i think",
        ),
        *("so", "well", "alright"),
    )
)
_LONGEST_FILLER = max(len(filler) for filler in _FILLERS)
_QUESTION_WORDS = frozenset(words_of("what how why when where who which"))
_CONDITIONS = tuple(
    words_of(phrase)
    for phrase in (
        *("if", "when", "whenever", "once", "until", "till", "after", "before", "unless", "while"),
        *("as soon as", "as long as", "in case", "provided", "assuming"),
    )
)
_NEGATIONS = frozenset(words_of("not never cannot dont cant wont isnt arent"))
# What may stand between a negation and its keyword without weakening it: "not quite done".
_SOFTENERS = frozenset(
    words_of(
        "quite yet really fully entirely completely totally nearly exactly even all sure think ready to go"
    )
    + words_of("going want")
)
_AUXILIARIES = frozenset(
    words_of(
        "are aren't am is can can't could couldn't shall should shouldn't may might must will would do don't"
    )
    + words_of("did have")
)
_CLAUSE_ENDS = frozenset(",.;:!?–—\n")
_LONGEST_UNCLEAR = 4
_LONGEST_QUESTION = 6


@dataclass(frozen=True, slots=True)
class _Word:
    """A word that is no filler, and what stood between it and the one before."""

    text: str
    after_clause: bool
    after_filler: bool


def without_fillers(text: str) -> tuple[str, ...]:
    """The folded words of the text that are neither punctuation nor filler."""
    return tuple(word.text for word in _kept(text))


def hear_exit(text: str) -> Exit | None:
    """Whether the message ends the discussion, may mean to, or is a contribution (None)."""
    kept = _kept(text)
    words = tuple(word.text for word in kept)
    if words in _KEYWORDS or any(words[: len(start)] == start for start in _WRAP_UPS):
        return "exit"
    if not words or words[0].split("'")[0] in _QUESTION_WORDS or len(words) > _LONGEST_QUESTION:
        return None
    places = [place for place in _keyword_places(words) if _is_meant(kept, *place)]
    if not places:
        return None
    at_an_edge = any(start == 0 or end == len(words) for start, end in places)
    if at_an_edge and len(words) <= _LONGEST_UNCLEAR:
        return "unclear-exit"
    return "unclear-exit" if _is_short_question(text, words) else None


def _kept(text: str) -> tuple[_Word, ...]:
    said = fold_text(text)
    matches = list(WORD.finditer(said))
    words = [match.group() for match in matches]
    kept: list[_Word] = []
    at, end_before, after_filler = 0, 0, False
    while at < len(words):
        skipped = _filler_length(words[at : at + _LONGEST_FILLER])
        if skipped:
            at, after_filler = at + skipped, True
            continue
        between = said[end_before : matches[at].start()]
        kept.append(_Word(words[at], not _CLAUSE_ENDS.isdisjoint(between), after_filler))
        end_before, after_filler = matches[at].end(), False
        at += 1
    return tuple(kept)


def _filler_length(words: Sequence[str]) -> int:
    return next((len(filler) for filler in _FILLERS if tuple(words[: len(filler)]) == filler), 0)


def _keyword_places(words: tuple[str, ...]) -> list[tuple[int, int]]:
    return [
        (start, start + len(keyword))
        for start in range(len(words))
        for keyword in _KEYWORDS
        if words[start : start + len(keyword)] == keyword
    ]


def _is_meant(kept: tuple[_Word, ...], start: int, end: int) -> bool:
    """True where the keyword at this place is neither negated, conditional, nor the way back to something."""
    words = tuple(word.text for word in kept)
    if words[start : end + 1] == ("back", "to"):
        return False
    if any(find_phrase(condition, words[:start]) is not None for condition in _CONDITIONS):
        return False
    return not _is_negated(kept, start)


def _is_negated(kept: tuple[_Word, ...], start: int) -> bool:
    for at in range(start, 0, -1):
        before = kept[at - 1].text
        if kept[at].after_clause:
            return False
        if before in _NEGATIONS or before.endswith("n't"):
            return True
        if before == "no":
            # "no, I'm done" answers something else; only "no exit" denies the keyword.
            return at == start and not kept[at].after_filler
        if before not in _SOFTENERS:
            return False
    return False


def _is_short_question(text: str, words: tuple[str, ...]) -> bool:
    asks = fold_text(text).rstrip(" \t\r\n\"')]}!.*_").endswith("?")
    return (
        asks
        and len(words) <= _LONGEST_QUESTION
        and any(first in _AUXILIARIES and second in {"we", "i"} for first, second in pairwise(words))
    )


HeardKind = Literal["exit", "unclear-exit", "direct", "group", "open", "silence"]
ExitAnswer = Literal["exit", "continue", "contribution"]
MenuKind = Literal["continue", "skip", "elaborate", "feedback", "nothing-to-skip"]


@dataclass(frozen=True, slots=True)
class Heard:
    """What a message in a discussion is, and the key of the persona it addresses."""

    kind: HeardKind
    persona: str | None = None


@dataclass(frozen=True, slots=True)
class MenuHeard:
    """What a message at a menu chooses."""

    kind: MenuKind


# Not after a letter, and not after `d'` or `non-`: those make another word of it.
_WORD_START = r"(?<!\w)(?<!\w[-'@])"
_GROUP = re.compile(
    _WORD_START + r"(?:you\s+all|everyone|all\s+of\s+you|team|what\s+do\s+you\s+think)(?!\w)(?![-']\w)"
)


def _messages(listed: str) -> frozenset[str]:
    return frozenset(message.strip() for message in listed.split("|"))


_YES = _messages("yes | yeah | yep | yup | sure")
_NO = _messages("no | nope | nah")
_END = _messages("end | end it | end this | end discussion | end the discussion | stop | finish")
_GO_ON = _messages(
    "continue | continue exploring | continue exploring this | continue discussing | continue the discussion"
    "| go on | keep going | keep exploring | carry on | not yet | not done | not done yet | not quite"
)
_CONTINUE = _messages(
    "c | next one | complete | complete analysis | complete the analysis | finish | finish the analysis"
)
_ONWARDS = re.compile(
    r"(?:the )?(?:next|on|continue|proceed|go|(?:go|move|carry|keep) (?:on|ahead|going)|move)"
    r"(?: (?:to|with))?(?:(?: the)? next)?(?: (?:step|phase|one))?"
)
_ELABORATE = _messages(
    "e | elaborate | elaborate this | elaborate on this | elaborate on it | elaborate on that"
    "| elaboration | elaboration mode | bring in others | bring in the others | bring the others in"
    "| bring in everyone | bring everyone in | bring in the team | bring all perspectives"
    "| bring in all perspectives | bring in the other perspectives | get the others | get the others in"
    "| ask the others | hear the others | what do the others think | discuss | discuss this | discuss it"
    "| discuss this topic | roundtable | start a roundtable | start the roundtable | roundtable discussion"
)
_SKIP = _messages(
    "s | skip | skip all | skip everything | skip rest | skip the rest | skip remaining | skip the remaining"
    "| skip remaining steps | skip the remaining steps | skip the rest of the steps | skip this phase"
    "| skip the phase | skip remaining steps in this phase | skip the remaining steps in this phase"
    "| skip the rest of this phase | skip the rest of the phase"
)
_ASSENT = _messages("ok | okay | alright | thanks | thank")
# "that's fine, go on" chooses as "go on" does, and "looks good" is no remark to be filed in a document.
_APPROVAL = re.compile(
    r"^(?:yes|yeah|yep|sure|(?:(?:that's|that is|this is|it's|looks|sounds|all|very) )?"
    r"(?:fine|good|great|perfect|right|correct))(?: for me| to me| so far)?(?: (?:and|then)(?= ))?(?: |$)"
)
# "can we continue?" chooses as "continue" does.
_REQUEST = re.compile(
    r"^(?:(?:can|could|shall|should) (?:we|you)|(?:we|you) can|i want to|i'd like to|just) "
)


def hear(text: str, roster: Roster) -> Heard:
    """What a message in a discussion is: an exit before a direct address, that before a group address."""
    if is_silence(text):
        return Heard("silence")
    meant = hear_exit(text)
    if meant is not None:
        return Heard(meant)
    return address(text, roster)


def address(text: str, roster: Roster) -> Heard:
    """Whom a contribution addresses, whatever it may say about ending: one persona, the group or nobody."""
    addressed = _addressed(text, roster)
    if addressed is not None:
        return Heard("direct", addressed.key)
    return Heard("group" if _GROUP.search(fold_text(text)) else "open")


def _addressed(text: str, roster: Roster) -> Persona | None:
    said = re.sub(r"^\W+", "", fold_text(text)).rstrip()
    places = [(_place_of_address(said, persona), persona) for persona in roster.personas]
    found = [(place, persona) for place, persona in places if place is not None]
    return min(found, key=lambda each: each[0])[1] if found else None


def _place_of_address(said: str, persona: Persona) -> int | None:
    first, *others = (re.escape(name) for name in fold_text(persona.name).split())
    family = "|".join((r"\s+".join(others), others[-1])) if others else ""
    last = rf"\s+(?:{family})(?!\w)" if family else r"(?!)"
    if re.match(rf"{first}(?!{last})(?:\s|$)", said):
        return 0
    called = re.search(rf"{_WORD_START}{first}(?:{last})? ?[,:?]", said)
    return called.start() if called else None


_INSISTS = re.compile(
    r"\b(?:belongs? here|on topic|i insist|not off[- ]topic|it is relevant|this is relevant|that is relevant"
    r"|it's relevant|that's relevant|this matters|it matters|part of this"
    r"|(?:answer|discuss|settle) (?:it|this|that) now)\b"
)


def insists_on_topic(text: str) -> bool:
    """Whether the user says that what was redirected belongs here after all (FOCUS-1)."""
    return bool(_INSISTS.search(fold_text(text)))


def hear_exit_answer(text: str, roster: Roster) -> ExitAnswer:
    """What the answer to the question about an unclear exit means."""
    heard = hear(text, roster).kind
    if heard == "silence":
        return "continue"
    if heard in ("exit", "unclear-exit"):
        return "exit"
    words = strip_fillers(text)
    rest = " ".join(words[1:] if words and words[0] in _YES | _NO else words)
    if rest in _END:
        return "exit"
    if rest in _GO_ON:
        return "continue"
    if words and not rest:
        return "exit" if words[0] in _YES else "continue"
    return "contribution"


def hear_menu(text: str, *, can_skip: bool) -> MenuHeard:
    """What a message at a menu chooses; feedback is whatever chooses nothing."""
    words = strip_fillers(text)
    said = " ".join(words)
    approved = _APPROVAL.sub("", said, count=1)
    wish = _REQUEST.sub("", approved).removesuffix(" now")
    assents = (not words and not _ASSENT.isdisjoint(words_of(text))) or (bool(said) and not approved)
    if is_silence(text) or assents or wish in _CONTINUE or _ONWARDS.fullmatch(wish):
        return MenuHeard("continue")
    if wish in _ELABORATE:
        return MenuHeard("elaborate")
    if wish in _SKIP:
        return MenuHeard("skip" if can_skip else "nothing-to-skip")
    return MenuHeard("feedback")


def hear_choice(text: str, choices: tuple[str, ...]) -> str | None:
    """The choice that a message names by number, by its words or by a beginning that is no other's."""
    if is_silence(text):
        return choices[0] if choices else None
    for words in (words_of(text), strip_fillers(text)):
        chosen = _choice_named(words, choices) if words else None
        if chosen is not None:
            return chosen
    # "wrap it up" and "done" say the same as "wrap up"; "back" may as well mean back to the discussion.
    ends = [choice for choice in choices if hear_exit(choice) == "exit"]
    meant = hear_exit(text) == "exit" and strip_fillers(text) != ("back",)
    return ends[0] if meant and ends else None


def _choice_named(words: tuple[str, ...], choices: tuple[str, ...]) -> str | None:
    said = " ".join(words)
    spelled = {choice: words_of(choice) for choice in choices}
    readings = (
        [choice for number, choice in enumerate(choices, 1) if said == str(number)],
        [choice for choice in choices if spelled[choice] == words],
        [choice for choice in choices if " ".join(spelled[choice]).startswith(said)],
        [choice for choice in choices if find_phrase(words, spelled[choice]) is not None],
    )
    return next((found[0] for found in readings if len(found) == 1), None)
