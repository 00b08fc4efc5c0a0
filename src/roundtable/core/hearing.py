"""What the user's words mean: an exit, an address, a decision, a choice (EXIT-1, LOOP-8, SYN-3, MENU-1)."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from . import lazy_re as re
from .personas import Persona, Roster
from .text import content_stems, find_phrase, fold_text, is_silence, split_sentences, word_set, words_of

HeardKind = Literal["exit", "unclear-exit", "direct", "group", "open", "silence"]
ExitAnswer = Literal["exit", "continue", "contribution"]
MenuMeaning = Literal["continue", "skip", "elaborate", "feedback", "nothing-to-skip"]
Steering = Literal["undo", "back", "help", "quit", "skip", "edit", "no", "number"]
ReviewKind = Literal["accept", "drop", "edit", "add", "undo", "unclear"]
Part = Literal["insights", "decisions", "questions", "actions"]

HEARING = 2
"""How words are heard; what an older journal holds is replayed as it was heard then.

1: a wish to end is asked about, an emptied review goes on, "yes" takes a draft, a lone C answers nothing.
2: a track is chosen at any question, "brief" at a follow-up; "yes, and X" adds to a draft; a question to a
persona, or "I don't get it", is no answer; a review hears free sentences; "cool, thanks" is no feedback.
"""


class Heard(Struct, frozen=True):
    """What a message in a discussion is, and the key of the persona it addresses."""

    kind: HeardKind
    persona: str | None = None


def _subjects(text: str) -> frozenset[str]:
    return frozenset(content_stems(text))


# --- in a discussion ------------------------------------------------------------------------------------

# Not after a letter, and not after `d'` or `non-`: those make another word of it.
_WORD_START = r"(?<!\w)(?<!\w[-'@])"
_GROUP = re.compile(
    _WORD_START + r"(?:you\s+all|everyone|all\s+of\s+you|team|what\s+do\s+you\s+think)(?!\w)(?![-']\w)"
)
_INSISTS = re.compile(
    r"\b(?:belongs? here|on topic|i insist|not off[- ]topic|(?:it|this|that)(?:'s| is) relevant|it matters"
    r"|this matters|part of this|(?:answer|discuss|settle) (?:it|this|that) now)\b"
)


def hear(text: str, roster: Roster, *, can_ask_to_end: bool = True) -> Heard:
    """Return what a message in a discussion is: an exit before an address, one persona before the group."""
    if is_silence(text):
        return Heard("silence")
    meant = hear_exit(text, can_ask_to_end=can_ask_to_end)
    return address(text, roster) if meant is None else Heard(meant)


def address(text: str, roster: Roster) -> Heard:
    """Return whom a contribution addresses, whatever it says about ending: a persona, the group or nobody."""
    said = re.sub(r"^\W+", "", fold_text(text)).rstrip()
    places = [(_find_address(said, persona), persona.key) for persona in roster.personas]
    found = [(place, key) for place, key in places if place is not None]
    if found:
        return Heard("direct", min(found, key=lambda each: each[0])[1])
    return Heard("group" if _GROUP.search(fold_text(text)) else "open")


def _find_address(said: str, persona: Persona) -> int | None:
    first, *others = (re.escape(name) for name in fold_text(persona.name).split())
    family = r"\s+".join(others)
    last = rf"\s+(?:{family}|{others[-1]})(?!\w)" if others else r"(?!)"
    if re.match(rf"{first}(?!{last})(?:\s|$)", said):
        return 0
    called = re.search(rf"{_WORD_START}{first}(?:{last})? ?[,:?]", said)
    return called.start() if called else None


def insists_on_topic(text: str) -> bool:
    """Whether the user says that what was redirected belongs here after all (FOCUS-1)."""
    return bool(_INSISTS.search(fold_text(text)))


def comes_back_to(text: str, subject: str, words: str) -> bool:
    """Whether a message goes on about a subject that was put off with these words."""
    said, named = _subjects(text), _subjects(subject)
    return not said.isdisjoint(named) and len(said & (named | _subjects(words))) >= min(2, len(named))


# --- exits ----------------------------------------------------------------------------------------------

_WRAP_UP = r"wrap(?: it| this)? up"
_EXIT = rf"(?:done|exit|back(?! to\b)|wrap-up|{_WRAP_UP})(?!\S)"
_FILLERS = re.compile(
    r"(?<!\S)(?:ok|okay|thanks|thank you|please|let's|i'm|we're|i am|we are|i think|so|well|alright)(?!\S)"
)
_QUESTION_WORDS = word_set("what how why when where who which")
_CONDITIONS = re.compile(
    r"(?<!\S)(?:if|when|whenever|once|until|till|after|before|unless|while|as soon as|as long as|in case"
    r"|provided|assuming)(?!\S)"
)
# "Not quite done", but neither "not that, done" nor "no, I'm done".
_NEGATED = re.compile(
    r"(?:(?:\b(?:not|never|cannot|dont|cant|wont|isnt|arent)|n't)(?: [\w'-]+){0,3}|\bno)"
    r" (?:done|exit|back|wrap)\b"
)
_AUXILIARIES = word_set("are am is can could shall should may might must will would do does did have has")
_MAX_UNCLEAR_WORDS = 4
_MAX_QUESTION_WORDS = 6
# Said of the discussion, and not of what it is about: neither "can we stop it?" nor "finish the import now".
_MAY_WE, _END = r"(?:can|could|shall|should|may) (?:we|i) (?:just )?", "(?:end|stop|finish)"
_ASKS_TO_END = re.compile(
    rf"{_MAY_WE}{_END}|(?:{_MAY_WE})?{_END}"
    r"(?:(?: it| this)?(?: right)? (?:here|now)| (?:the|this) (?:discussion|roundtable)(?: here| now)?)"
    rf"|(?:that's|thats|that is) (?:all|enough)(?: for (?:now|today|me))?(?: {_WRAP_UP})?"
)
_YES, _NO = "yes|yeah|yep|yup|sure", "no|nope|nah"
_ENDS = re.compile(rf"{_YES}|(?:(?:{_YES}|{_NO}) )?(?:end(?: it| this)?|end (?:the )?discussion|stop|finish)")
_GOES_ON = re.compile(
    rf"{_NO}|(?:(?:{_YES}|{_NO}) )?(?:continue(?: exploring| discussing)?(?: this| the discussion)?"
    r"|(?:go|carry) on|keep (?:going|exploring)|not (?:yet|done|quite)(?: yet)?)"
)


def hear_exit(text: str, *, can_ask_to_end: bool = True) -> Literal["exit", "unclear-exit"] | None:
    """Return whether the message ends the discussion or may mean to; None for a contribution (EXIT-1)."""
    words = strip_fillers(text)
    said, is_short = " ".join(words), len(words) <= _MAX_UNCLEAR_WORDS
    if re.fullmatch(_EXIT, said) or (is_short and re.match(rf"{_WRAP_UP}(?!\S)", said)):
        return "exit"
    if said in ("quit", "stop") or (can_ask_to_end and asks_to_end(text)):
        return "unclear-exit"
    if not words or words[0].split("'")[0] in _QUESTION_WORDS or len(words) > _MAX_QUESTION_WORDS:
        return None
    # What depends on a condition ends nothing.
    free = _CONDITIONS.split(said)[0]
    if _NEGATED.search(fold_text(text)) or not re.search(rf"(?<!\S){_EXIT}", free):
        return None
    is_question = fold_text(text).rstrip(" \t\r\n\"')]}!.*_").endswith("?") and any(
        first.removesuffix("n't") in _AUXILIARIES and second in ("we", "i")
        for first, second in pairwise(words)
    )
    is_at_edge = re.match(_EXIT, free) or (free == said and re.search(rf"(?<!\S){_EXIT}$", said))
    return "unclear-exit" if is_question or (is_at_edge and is_short) else None


def asks_to_end(text: str) -> bool:
    """Whether a message is about nothing but ending the discussion: "Can we stop here?"."""
    return _ASKS_TO_END.fullmatch(" ".join(strip_fillers(text))) is not None


def hear_exit_answer(text: str, roster: Roster, *, can_ask_to_end: bool = True) -> ExitAnswer:
    """Return what the answer to the question about an unclear exit means."""
    heard = hear(text, roster, can_ask_to_end=can_ask_to_end).kind
    said = " ".join(strip_fillers(text))
    if heard in ("exit", "unclear-exit") or _ENDS.fullmatch(said):
        return "exit"
    return "continue" if heard == "silence" or _GOES_ON.fullmatch(said) else "contribution"


def strip_fillers(text: str) -> tuple[str, ...]:
    """Return the folded words of the text without fillers and punctuation."""
    return tuple(_FILLERS.sub("", " ".join(words_of(text))).split())


# --- decisions ------------------------------------------------------------------------------------------

# "Let's not decide this now", "we can settle that tomorrow", "leave it open".
_DEFERS = re.compile(
    r"\b(?:not|n't|never|cannot|can't|without) (?:\w+ ){0,2}"
    r"(?:decid\w+|settl\w+|commit\w*|choos\w+|made up)\b"
    r"|\b(?:decide|settle|discuss|talk about|look at|choose|see) (?:\w+ ){0,4}"
    r"(?:later|tomorrow|another (?:time|day)|next (?:week|time|month|sprint|step)|some other time|after\w*)\b"
    r"|\b(?:postpone|defer|put off|come back to|leave (?:\w+ ){0,4}open|sleep on|park (?:it|this|that))\b"
    r"|\b(?:undecided|open question|to be decided|tbd|no idea|(?:i|we) (?:do not|don't) know"
    r"|(?:i'm|i am|we're|we are) not (?:sure|certain))\b"
)
_FIRST = r"^(?:(?:no|ok|okay|oh|wait|sorry|well|but|and|hm+|actually)[,.!]? )*"
_TAKES_BACK = re.compile(
    rf"{_FIRST}(?:"
    r"(?:that|this|it) (?:was|is)(?: not|n't| no| never)(?: really)?(?: a| my| our)? decision"
    r"|(?:i|we) (?:did not|didn't|have not|haven't|never) (?:decide|decided)\b"
    r"|(?:i|we) take (?:that|this|it)(?: decision)? back"
    r"|no decision(?: yet)?[.!]*$)"
)
_CLAUSE_END = r"(?=[.!]*$|[,:;]| [-–—])"
# Takes back what was just said, often with what holds instead: "Scratch that: we use Postgres."
_SCRATCHES = re.compile(
    rf"{_FIRST}(?:"
    r"(?P<bluntly>(?:scratch|strike|forget|undo|ignore) (?:that|the|this)(?: last)?"
    r"(?:(?: decision)?(?=[.!]*$|[:;]| [-–—])| decision(?=,))|(?:scratch|strike) that(?=,)"
    r"|(?:(?:i|we) )?take back (?:that|this|the|my|our)(?: last)? decision"
    rf"(?: (?:on|about|for) (?P<on>[^,:;!?]{{1,60}}))?{_CLAUSE_END}"
    rf"|i was (?:wrong|mistaken) (?:about|with|on) (?P<about>[^,:;!?]{{1,60}}){_CLAUSE_END})"
    r"|(?:no,? wait|wait,? no|actually,? no|on second thoughts?)"
    r"(?=[.!]*$|[,:;.!]| [-–—]| (?:rather|instead|let|we|i|use|make|take)\b))"
    r"[\s,.:;!–—-]*+",
    re.IGNORECASE,
)
# "Sorry, I meant an integer, not ISO text": what was meant holds instead.
_MEANT = re.compile(rf"{_FIRST}i meant (?P<new>(?:(?! not\b).)+)(?:,? not (?P<old>.+))?$")
_REVERSES = re.compile(
    r"^(?:no[,.:!]|no wait\b|actually\b|wait\b|sorry\b|hm+\b|rather\b|instead\b|correction\b)"
    r"|\bon second thoughts?\b|\bchang(?:e|ed|ing) my mind\b|\binstead\b|\bafter all\b|\brather not\b"
    r"|\bno longer\b|\breverse\b|\bnot any ?more\b|\bwhat i said (?:before|earlier)\b|\bother way round\b"
)
_CONFIRMS = re.compile(r"\b(?:that|this|it)(?:'s| is| was) (?:the|my|our) decision(?=[:.,!;]|$)")
# What follows a correction without a verb says what holds; "too slow" and "I need to ask" do not.
_TELLS_WHY = word_set("""
        i you he she it they them that this there is are was were has have had do does did can could would
        should will may might because since my too bad idea sorry nonsense wrong mistake not mind please
        """)
_MAX_INSTEAD_WORDS = 12
_LOOKS_INTO = re.compile(
    r"\b(?:let me|i(?:'ll| will| must| should| need to| have to| want to)) (?:\w+ )?(?:ask|look|check)\b"
    r"|\b(?:me|i|we)\b(?: [\w']+){0,3} (?:think|find out|talk)\b|\bnever mind\b"
)
_JUST_SAID = 5
"""How many sentences before it a correction may be about."""
# What makes a sentence sound like a decision: a will, a rule, or an order at its beginning.
_DECIDES = re.compile(
    r"\b(?:let's|let us|we|i|i'd|i'll|we'll)\b.{0,40}\b(?:go|take|use|keep|drop|choose|decide|agree|will"
    r"|won't|want|refuse|skip|prefer|need|shall|'ll|start|stop|make|set|build|ship|allow|accept|reject|leave"
    r"|do|don't)\b"
    r"|\b(?:decided|agreed|settled|approved|never|always|only|must|must not|instead|no longer)\b"
    r"|^(?:so |then |ok,? |okay,? |yes,? |no,? |please )*(?:(?:refuse|keep|drop|use|take|make|set|remove|add"
    r"|skip|show|hide|let|do|don't|delete|store|send|ask|warn|block|merge|retry|accept|reject|allow|build|ship"
    r"|start|stop|go|put|write|read|log|limit|lock|leave|stay|stick|postpone|choose|pick)\b(?!\(|\.\w)"
    r"|option [a-z]\b|[a-c]\b[.!,]?)"
)


def can_decide(text: str) -> bool:
    """Whether a message can hold a decision: it has a sentence that neither asks, defers nor takes back."""
    return any(map(_is_firm, split_standing(text)))


def sounds_decided(text: str) -> bool:
    """Whether a message sounds like a decision, where nobody marked it as one: it wills, rules or orders."""
    return any(map(_is_resolute, split_standing(text)))


def split_standing(text: str) -> tuple[str, ...]:
    """Return the sentences of a message without what it takes back itself: "Redis. No wait, X"."""
    return _read_sentences(text)[0]


def strip_correction(sentence: str) -> str:
    """Return what a sentence says instead of what was just said; all of it where it corrects nothing."""
    return _SCRATCHES.sub("", sentence.strip(), count=1)


class TakenBack(Struct, frozen=True):
    """What a message takes back of the messages before it, and the sentences that say what holds instead."""

    subject: str = ""
    """What it names of the decision that it takes back; empty where it means the last one."""
    is_certain: bool = False
    """Whether it says that a decision is taken back; else only where it is about the same thing."""
    needs_last: bool = False
    """Whether it can only mean what the user said right before."""
    is_remark: bool = False
    """Whether it corrects words, which need not have decided anything."""
    instead: tuple[str, ...] = ()


def find_taken_back(text: str) -> TakenBack | None:
    """Return what a message takes back of what was said before it; None where it takes back nothing."""
    return _read_sentences(text)[1]


@lru_cache(maxsize=16)  # few: a message may be long
def _read_sentences(text: str) -> tuple[tuple[str, ...], TakenBack | None]:
    """Return the sentences that stand, and what the message takes back of those before it."""
    standing: list[str] = []
    taken: TakenBack | None = None
    first = 0
    for sentence in split_sentences(text):
        scratches, said = _SCRATCHES.match(sentence), fold_text(sentence).strip()
        is_blunt = scratches is not None and scratches["bluntly"] is not None
        says_more = bool(strip_correction(sentence)) and not _holds_instead(sentence)
        is_meant = is_blunt or (scratches is not None and not sentence.endswith("?") and not says_more)
        if is_meant and (place := _find_last_decision(standing, by_form=not is_blunt)) is not None:
            del standing[place:]  # with the reasons that were given for it
        elif (found := _find_retraction(said, scratches)) and (taken is None or found.is_certain):
            taken, first = found, len(standing)
        standing += [sentence] if strip_correction(sentence) else []
    if taken is not None:
        taken = replace(taken, instead=tuple(filter(_holds_instead, standing[first:])))
    return tuple(standing), taken


def _find_retraction(said: str, scratches: re.Match[str] | None) -> TakenBack | None:
    if said.endswith("?"):
        return None
    if _TAKES_BACK.search(said):
        return TakenBack(is_certain=True)
    if scratches is not None:
        named, bluntly = scratches["on"] or scratches["about"] or "", scratches["bluntly"]
        is_just_that = bluntly is not None and not named and "decision" not in bluntly.lower()
        return TakenBack(named, is_certain=bluntly is not None, needs_last=is_just_that)
    if found := _MEANT.match(said):
        return TakenBack(found["old"] or "", is_certain=True, needs_last=not found["old"], is_remark=True)
    return None


def _holds_instead(sentence: str) -> bool:
    """Whether a sentence after a correction says what holds: it decides, or it only names it."""
    said = fold_text(strip_correction(sentence)).strip()
    if _LOOKS_INTO.search(said) or not _is_firm(sentence):
        return False
    words = words_of(said)
    is_name = len(words) <= _MAX_INSTEAD_WORDS and _TELLS_WHY.isdisjoint(words)
    return is_name or bool(_MEANT.match(said)) or _is_resolute(sentence)


def _find_last_decision(sentences: list[str], *, by_form: bool) -> int | None:
    """Return the place of what was just decided, by its sound or else by its form; None if nothing was."""
    just_said = range(max(0, len(sentences) - _JUST_SAID), len(sentences))
    resolute = [at for at in just_said if _is_resolute(sentences[at])]
    firm = [at for at in just_said if _is_firm(sentences[at])] if by_form else []
    return max(resolute or firm, default=None)


def _is_resolute(sentence: str) -> bool:
    said = fold_text(strip_correction(sentence))
    return _is_firm(sentence) and bool(_DECIDES.search(said) or _CONFIRMS.search(said))


def _is_firm(sentence: str) -> bool:
    said = fold_text(strip_correction(sentence))
    asks = said.rstrip("\"')*_ ").endswith("?")
    return bool(words_of(said)) and not (asks or _DEFERS.search(said) or _TAKES_BACK.search(said))


def is_about(text: str, earlier: str) -> bool:
    """Whether two texts share a word that carries the point."""
    return not _subjects(text).isdisjoint(_subjects(earlier))


def reverses(text: str, earlier: str) -> bool:
    """Whether a decision replaces an earlier one: it says so, and it is about the same thing."""
    said = fold_text(text).strip()
    return bool(_REVERSES.search(said)) and not _CONFIRMS.search(said) and is_about(said, earlier)


# --- what the user says of the code ---------------------------------------------------------------------

_FILE = re.compile(
    r"(?:`(?P<code>[\w./-]+)(?::(?P<at>\d{1,6})(?:-\d{1,6})?)?`"
    r"|(?<![\w/@.-])(?P<path>(?>(?:[\w-]++/)*)[\w-]*+\.[A-Za-z]\w{0,4}|(?>(?:[\w.-]++/)+)[\w.-]*+)(?![\w/])"
    r"(?::(?P<line>\d{1,6})(?:-\d{1,6})?)?)"
)
# The files of a sentence are read as ~1~, ~2~ and so on, so that a pattern sees what is said of which.
_FILES = (
    r"(?<!~ and )(?<!~ or )(?<!~, )(?<!, and )(?<!, or )(?P<files>~\d+~(?:(?:,| and| or|, and|, or) ~\d+~)*)"
)
_NOT = r"(?:(?:\w+ ){0,2}(?:not|never) (?:\w+ )?|(?:is|are|does|do|should|must|need|will)n't (?:be )?)"
_IS_TOUCHED = re.compile(
    rf"{_FILES} (?:is|are|gets?) (?:touched|affected|involved|changed)(?: after all| too| as well)\b"
)
# Said of the file itself: "the check in loans.py does not change" says nothing of the file.
_STAYS = re.compile(
    rf"(?<!\bat )(?<!\bin )(?<!\bof )(?<!\bby )(?<!\bfrom ){_FILES}(?: itself| too| also)?,? "
    rf"(?:{_NOT}(?:touched|affected|changed?|involved|relevant|modified|edited|part of (?:this|it))\b"
    r"|(?:has|have) nothing to do with|(?:stays?|remains?) as (?:it is|they are)"
    r"|(?:is|are) (?:untouched|unaffected|irrelevant|out of scope)|only looks? like it)"
)
_NOT_TO_TOUCH = re.compile(rf"(?:\bnot|n't|\bnever) (?:touch|change|modify|edit) {_FILES}")
_LEAVE_ALONE = re.compile(rf"\bleave {_FILES} (?:alone|as it is|as they are|out)\b")


class CodeCorrection(Struct, frozen=True):
    """What the user says of a file, or of its `path:line`: that it is not touched, or is after all."""

    path: str
    is_touched: bool
    words: str


def find_corrections(text: str) -> tuple[CodeCorrection, ...]:
    """Return what a message says of files: "`_main.py` is not touched" (TABLE-2)."""
    found: list[CodeCorrection] = []
    for sentence in split_sentences(text):
        words = " ".join(sentence.split())
        if words.endswith("?"):
            continue
        said, places = _number_files(words)
        for pattern in (_IS_TOUCHED, _STAYS, _NOT_TO_TOUCH, _LEAVE_ALONE):
            files = " ".join(match["files"] for match in pattern.finditer(said))
            numbers = map(int, re.findall(r"\d+", files))
            found += [CodeCorrection(places[each], pattern is _IS_TOUCHED, words) for each in numbers]
    return tuple(found)


def _number_files(sentence: str) -> tuple[str, list[str]]:
    """Return a folded sentence in which each file is a number, without asides, and the places so numbered."""
    places: list[str] = []

    def number(file: re.Match[str]) -> str:
        path = (file["code"] or file["path"]).strip("/").removeprefix("./")
        line = file["at"] or file["line"]
        places.append(f"{path}:{line}" if line else path)
        return f"~{len(places) - 1}~" if "." in path or "/" in path else path

    numbered = _FILE.sub(number, sentence.replace("~", " "))
    return re.sub(r" ?\([^()]*\)", "", numbered.casefold()), places


# --- a review -------------------------------------------------------------------------------------------

_ACCEPTS = re.compile(
    r"accept(?: all| it)?|ok|okay|yes|write(?: it)?|fine|good|looks good(?: to me)?|that's (?:fine|it)"
    r"|perfect|great|agreed|go ahead"
)
_ASIDE = "ok|okay|yes|please|thanks|thank you|now|then|so|well"
_ACCEPTS_FREELY = re.compile(
    rf"(?:(?:{_ASIDE}) ){{0,3}}(?:{_ACCEPTS.pattern}|done|(?:i'm|we're|i am|we are) done|all good|lgtm"
    r"|(?:that's|that is|it's|it is|this is|(?:that |it |this |everything )?looks)(?: all)? "
    r"(?:fine|good|right|correct|great|perfect|ok|okay)(?: to me| for me| as it is)?)"
    rf"(?: (?:{_ASIDE})){{0,3}}"
)
_POLITE = frozenset({"thanks", "thank you", "please"})
_DROPS = re.compile(
    rf"(?P<before>(?:(?:{_ASIDE})\b[,.!]?+\s++){{0,3}})(?:drop|strike|delete|remove)\s++"
    r"(?P<named>(?:(?:the\s++)?(?:numbers?+|entry|entries|points?+|no\.?+)\s++)?#?+)"
    r"(?P<numbers>\d[\d\s,]*+(?:and\s++[\d\s]++)?)\.?"
    rf"(?P<after>(?:[,\s]*+(?:{_ASIDE}|too|as well)\b){{0,3}}[.!]*+)",
    re.IGNORECASE,
)
_EDITS = re.compile(
    r"(?:edit|change|reword)\s++(?P<number>\d{1,4})(?=[\s:.]|$)\s*+[:.]?+\s*+(?P<words>\S.*)?",
    re.DOTALL | re.IGNORECASE,
)
_ADDS = re.compile(
    r"add\s++(?:an?\s++)?(?:(?P<part>insight|decision|(?:open\s++)?question|action)s?(?:\s*+:\s*+|\s++))?"
    r"(?P<words>\S.*)",
    re.DOTALL | re.IGNORECASE,
)
_PARTS: dict[str, Part] = {part.removesuffix("s"): part for part in get_args(Part)}


class ReviewAnswer(Struct, frozen=True):
    """What the user does to a synthesis under review: numbers of entries, or words and where they go."""

    kind: ReviewKind
    numbers: tuple[int, ...] = ()
    words: str = ""
    part: Part = "insights"


def hear_review(text: str, *, is_strict: bool = False) -> ReviewAnswer:
    """Return what a message at a review asks for; `unclear` where it asks for nothing that is known.

    `is_strict` is for older journals, in which only the commands themselves were heard.
    """
    said = text.strip()
    parts = {part.strip() for part in re.split(r"[.,!;]", fold_text(said))} - {"", *_POLITE}
    accepts = _ACCEPTS if is_strict else _ACCEPTS_FREELY
    if is_silence(text) or (parts and all(map(accepts.fullmatch, parts))):
        return ReviewAnswer("accept")
    if parts == {"undo"}:
        return ReviewAnswer("undo")
    found = _DROPS.fullmatch(said)
    if found and not (is_strict and (found["before"] or found["named"] or found["after"])):
        numbers = (int(number[:6]) for number in re.findall(r"\d+", found["numbers"]))
        return ReviewAnswer("drop", tuple(dict.fromkeys(numbers)))
    if found := _EDITS.fullmatch(said):
        words = (found["words"] or "").strip()
        if said[:6].lower() == "change" and words.lower().startswith("to "):
            words = words[3:].lstrip()
        return ReviewAnswer("edit", (int(found["number"]),), words)
    if found := _ADDS.fullmatch(said):
        part = (found["part"] or "insight").lower().split()[-1]
        return ReviewAnswer("add", (), found["words"].strip(), _PARTS[part])
    return ReviewAnswer("unclear")


# --- at a menu ------------------------------------------------------------------------------------------

_STEERING: tuple[tuple[Steering, re.Pattern[str]], ...] = (
    ("undo", re.compile(r"undo(?: that| it| this| the last)?|take (?:it|that) back")),
    ("back", re.compile(r"(?:go |one |step )?back|previous(?: question)?")),
    ("help", re.compile(r"help(?: me)?|menu|commands|what now|what can i (?:do|say)")),
    ("quit", re.compile(r"q|quit(?: now)?|leave|pause")),
    ("no", re.compile(r"no|nope|nah")),
    ("help", re.compile(r"(?:(?:how|where) (?:do|can|could|would|should)|what (?:do|should)) i\b.*")),
    ("number", re.compile(r"\d+")),
)
_PASS = re.compile(r"s|(?:dunno )?skip(?: it| this(?: one| question)?)?")
_EDIT = re.compile(
    r"(?P<verb>edit|change|correct)(?: (?:my |the )?answer)?(?:(?: to| on| number)? (?P<what>\S.{0,80}))?"
)
_MAX_EDIT_WORDS = 4
_ONWARDS = re.compile(
    r"c|(?:complete|finish)(?: (?:the )?analysis)?|continue move to the next step"
    r"|(?:the )?(?:next|on|continue|proceed|go|(?:go|move|carry|keep) (?:on|ahead|going)|move)"
    r"(?: (?:to|with))?(?:(?: the)? next)?(?: (?:step|phase|one))?(?: 0\d(?: \w+){0,3})?"
)
_ELABORATE = re.compile(
    r"e|elaboration mode bring all perspectives to discuss this topic"
    r"|elaborate(?:(?: on)? (?:this|it|that))?|elaboration(?: mode)?"
    r"|(?:bring|get|ask|hear)(?: in)? (?:the )?(?:others|everyone|team|(?:all |other )?perspectives)(?: in)?"
    r"|what do the others think|discuss(?: this| it)?(?: topic)?|(?:start (?:a|the) )?roundtable"
)
_SKIP = re.compile(
    r"s|skip(?: all| everything| (?:this|the) phase)?"
    r"|skip (?:the )?(?:rest|remaining)(?: of the)?(?: steps)?(?:(?: in| of)? (?:this|the) phase)?"
)
_ASSENT = word_set("ok okay alright thanks thank")
# "that's fine, go on" chooses as "go on" does, and "looks good" does not go into a document as feedback.
_APPROVAL = re.compile(
    r"^(?:yes|yeah|yep|sure|(?:(?:that's|that is|this is|it's|looks|sounds|all|very) )?"
    r"(?:fine|good|great|perfect|right|correct))(?: for me| to me| so far)?(?: (?:and|then)(?= ))?(?: |$)"
)
# "can we continue?" chooses as "continue" does, and so do the menu's own lines with their letter.
_REQUEST = re.compile(
    r"^(?:(?:(?:can|could|shall|should) (?:we|you)|(?:we|you) can|i want to|i'd like to|just|let us) )?"
    r"(?:[ecs] (?=elaboration|continue|complete|skip))?"
)
_TABLE = re.compile(
    r"^(?:e|elaborate|discuss(?: (?:this|it))?|roundtable|bring in|ask)(?: (?:with|only|just))* (?P<names>.+)"
)


def hear_steering(text: str, *, at_menu: bool) -> Steering | None:
    """Return what a message does to the analysis itself, None where it is content or a choice (MENU-7).

    At a question only a few words alone steer: a number or "no" is an answer there.
    """
    said = " ".join(strip_fillers(text))
    if text.strip() == "?":
        return "help"
    if text.lstrip().startswith("/"):
        return None
    steering = next((meant for meant, pattern in _STEERING if pattern.fullmatch(said)), None)
    edits = _EDIT.fullmatch(said)
    if not at_menu:
        if _PASS.fullmatch(said):
            return "skip"
        edits_number = edits and edits["verb"] == "edit" and (edits["what"] or "").isdecimal()
        if edits_number:
            return "edit"
        return steering if said == steering and steering != "no" else None
    if steering is None and edits and (edits["what"] is None or edits["verb"] == "edit"):
        return "edit" if len(said.split()) <= _MAX_EDIT_WORDS else None
    return steering


def hear_edit(text: str, labels: tuple[str, ...]) -> str | None:
    """Return the label of the answer that a message wants to edit, by number or by its beginning."""
    found = _EDIT.fullmatch(" ".join(strip_fillers(text)))
    what = (found["what"] or "").strip() if found else ""
    return _find_choice(tuple(what.split()), labels) if what else None


def hear_menu(text: str, *, can_skip: bool, is_old: bool = False) -> MenuMeaning:
    """Return what a message at a menu chooses; feedback is whatever chooses nothing."""
    if not is_old:
        text = re.sub(r"\b(?:cool|nice)\b", "good", re.sub(r"\blets\b", "let's", fold_text(text)))
    words = strip_fillers(text)
    said = " ".join(words)
    approved = _APPROVAL.sub("", said, count=1)
    wish = _REQUEST.sub("", approved).removesuffix(" now")
    assents = not approved if said else is_silence(text) or not _ASSENT.isdisjoint(words_of(text))
    if assents or _ONWARDS.fullmatch(wish):
        return "continue"
    if _ELABORATE.fullmatch(wish):
        return "elaborate"
    if _SKIP.fullmatch(wish):
        return "skip" if can_skip else "nothing-to-skip"
    return "feedback"


_AGREES = re.compile(
    r"(?:ok|okay|yes|yeah|yep|yup|sure|exactly|correct|agreed)?"
    r"(?: ?(?:exactly|(?:that's|thats|that is|that) (?:it|right|correct|fine|fits|works|matches)"
    r"|(?:it )?(?:fits|matches)|looks (?:good|right)))?"
)


# "Yes exactly, and the import too": what comes after it is said besides the draft, unless it takes it back.
_AGREES_AND = re.compile(
    r"(?:(?:ok|okay|yes|yeah|yep|sure)[,.!]* )?(?:exactly|correct|agreed|looks (?:good|right)"
    r"|(?:that['’]s|thats|that is) (?:it|right|correct|fine)|that (?:fits|works))[,.;:!]+\s+"
    r"(?!(?:no|not|none|nothing|never|\w+n['’]t|dont|isnt|but|except|though|however|only|just|if|unless|instead"
    r"|rather|actually|wait|sorry|wrong|hm+|or|maybe|skip|drop|remove|delete|change|replace)\b)(?P<more>\S.*)"
    r"|(?:ok|okay|yes|yeah|yep|sure)(?: exactly)?[,.;:!]* (?P<added>(?:and (?!no)|plus |also |add ).*)",
    re.IGNORECASE | re.DOTALL,
)


def hear_agreement(text: str, draft: str) -> str | None:
    """Return what a message says besides that the draft of an answer fits, "" for "Yes, that fits."

    None where it does not agree. To a draft that says yes or no itself, "yes" may be the answer.
    """
    words = words_of(text)
    if not words or {*words_of(draft)[:1]} & {"yes", "no", "none", "nothing"}:
        return None
    if _AGREES.fullmatch(" ".join(words)):
        return ""
    found = _AGREES_AND.fullmatch(text.strip())
    return (found["more"] or found["added"]).strip() if found else None


def takes_yes(question: str) -> bool:
    """Whether a question can be answered with yes: one of its clauses begins with "do", "is" or the like."""
    firsts = (words_of(clause)[:1] for clause in re.split(r"[.,:;?]", question))
    return any(_AUXILIARIES.issuperset(first) for first in firsts if first)


_CALLS = re.compile(
    r"(?P<name>[\w-]{1,40})(?:[,:]? (?:what|how|why|where|which)"
    r"|[,:] (?:when )?(?:who|is|are|do|does|did|can|could|would|should|will|has|have))\b.*\?"
)


def hear_aside(text: str, roster: Roster) -> str | None:
    """Return the key of the persona that a message asks by name, "Alex, what breaks?"; None if it does not.

    It is one sentence: what states something as well is an answer.
    """
    called = _CALLS.fullmatch(fold_text(text).strip()) if len(split_sentences(text)) == 1 else None
    named = (each.key for each in roster.personas if called and fold_text(each.first_name) == called["name"])
    return next(named, None)


def hear_table(text: str, roster: Roster) -> tuple[str, ...] | None:
    """Return the keys of those whom a message calls to the table, such as `E alex`; None for other words."""
    found = _TABLE.match(" ".join(words_of(text)))
    names = [name for name in found["names"].split() if name not in ("and", "only", "just")] if found else []
    keys = {persona.first_name.casefold(): persona.key for persona in roster.personas}
    if not names or any(name not in keys for name in names):
        return None
    return tuple(dict.fromkeys(keys[name] for name in names))


def hear_choice(text: str, choices: tuple[str, ...]) -> str | None:
    """Return the choice that a message names by number, by its words or by an unambiguous beginning."""
    if is_silence(text):
        return choices[0] if choices else None
    for words in (words_of(text), strip_fillers(text)):
        chosen = _find_choice(words, choices) if words else None
        if chosen is not None:
            return chosen
    # "wrap it up" and "done" say the same as "wrap up"; "back" may also mean back to the discussion.
    ends = [choice for choice in choices if hear_exit(choice) == "exit"]
    meant = hear_exit(text) == "exit" and strip_fillers(text) != ("back",)
    return ends[0] if meant and ends else None


def _find_choice(words: tuple[str, ...], choices: tuple[str, ...]) -> str | None:
    said = " ".join(words)
    spelled = {choice: words_of(choice) for choice in choices}
    readings = (
        [choice for number, choice in enumerate(choices, 1) if said == str(number)],
        [choice for choice in choices if spelled[choice] == words],
        [choice for choice in choices if " ".join(spelled[choice]).startswith(said)],
        [choice for choice in choices if find_phrase(words, spelled[choice]) is not None],
    )
    return next((found[0] for found in readings if len(found) == 1), None)


# --- feedback on an answer ------------------------------------------------------------------------------

# "No, it is two" corrects; "No new module" and "wrong input raises" do not.
_CORRECTS = re.compile(
    r"^(?:(?:(?:no|nope|wrong)\b[,:.!]|(?:actually|correction|sorry|not quite|that is wrong|that's wrong)\b"
    r"[,:.!]?)\s+)+",
    re.IGNORECASE,
)
_ASKS = re.compile(r"\b(?:tell me|explain|say|what|why|how|who|when|where|which)\b")
_ADDING = re.compile(r"^(?:please\s+)?(?:also\s+)?add(?:\s+that\b|\s*:)\s*", re.IGNORECASE)
_REPLACING = re.compile(
    r"^(?:instead|rather|replace (?:it|that|this) (?:with|by))\b[,:]?\s++|(?<=\S)\s++instead[.!]?$",
    re.IGNORECASE,
)
_OUTSIDE = {"out of scope", "not included", "left out", "stays as it is", "boundary"}


class AnswerAddition(Struct, frozen=True):
    """The answer that a message adds to or puts right, the words, and whether they stand in its place."""

    label: str
    words: str
    replaces: bool = False


def find_corrected(text: str, answers: tuple[tuple[str, str], ...]) -> AnswerAddition | None:
    """Return the answer that a message puts right; None where it corrects nothing known.

    `answers` are labels with what was answered; the one that shares most of the message's words is meant.
    """
    said = text.strip()
    named = fold_text(said.partition(":")[0].strip())
    for label, _ in answers:
        if fold_text(label) == named:
            return AnswerAddition(label, said, replaces=True)
    found = _CORRECTS.match(said)
    if found is None:
        return None
    right = said[found.end() :]

    def rank(answer: tuple[str, str]) -> tuple[int, int]:
        # Of answers that share as many words, the shorter one is meant.
        words = " ".join(answer)
        return len(_subjects(right) & _subjects(words)), -len(words_of(words))

    ranked = [(rank(answer), answer[0]) for answer in answers]
    best, label = max(ranked, default=((0, 0), ""))
    if not best[0] or [each for each, _ in ranked].count(best) > 1:
        return None
    return AnswerAddition(label, right[:1].upper() + right[1:], replaces=True)


def hear_addition(text: str, labels: tuple[str, ...], only: str = "") -> AnswerAddition | None:
    """Return what a message at a menu adds to an answer; None where it names none.

    It names one of the labels before a colon ("Out of scope: ..."); else it means `only`, the one answer that
    there is. It adds, unless it says that it replaces.
    """
    words, label = text.strip(), only
    before, _, after = words.partition(":")
    said = fold_text(before).strip()
    named = [each for each in labels if fold_text(each) == said or {said, fold_text(each)} <= _OUTSIDE]
    if named and after[:1].isspace() and after.strip():
        words, label = after.strip(), named[0]
    if not label:
        return None
    replaces = _REPLACING.search(words) is not None
    right = _REPLACING.sub("", _ADDING.sub("", words)).strip()
    return AnswerAddition(label, right[:1].upper() + right[1:], replaces)


def asks_something(text: str) -> bool:
    """Whether a message that addresses somebody wants an answer rather than a change."""
    return text.rstrip().endswith("?") or bool(_ASKS.search(fold_text(text)[:60]))
