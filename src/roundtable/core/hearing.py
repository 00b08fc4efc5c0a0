"""What the user's words mean: an exit, an address, a decision, a choice (EXIT-1, LOOP-8, SYN-3, MENU-1)."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

from msgspec import Struct

from . import lazy_re as re
from .personas import Persona, Roster
from .text import (
    content_stems,
    find_phrase,
    fold_text,
    is_silence,
    phrases_of,
    split_sentences,
    word_set,
    words_of,
)

Exit = Literal["exit", "unclear-exit"]
HeardKind = Literal["exit", "unclear-exit", "direct", "group", "open", "silence"]
ExitAnswer = Literal["exit", "continue", "contribution"]
MenuChoice = Literal["continue", "skip", "elaborate", "feedback", "nothing-to-skip"]
Steering = Literal["undo", "back", "help", "quit", "skip", "edit", "no", "number"]

_WRAP_UPS = phrases_of("wrap up | wrap it up | wrap this up")
_KEYWORDS = (*phrases_of("done | exit | back | wrap-up"), *_WRAP_UPS)
_STOPS = phrases_of("quit | stop")
_FILLERS = phrases_of(
    "ok | okay | thanks | thank you | please | let's | i'm | we're | i am | we are | i think"
    "| so | well | alright"
)
_QUESTION_WORDS = word_set("what how why when where who which")
_CONDITIONS = phrases_of(
    "if | when | whenever | once | until | till | after | before | unless | while | as soon as | as long as"
    "| in case | provided | assuming"
)
# "Not quite done", but neither "not that, done" nor "no, I'm done".
_NEGATED = re.compile(
    r"(?:(?:\b(?:not|never|cannot|dont|cant|wont|isnt|arent)|n't)(?: [\w'-]+){0,3}|\bno)"
    r" (?:done|exit|back|wrap)\b"
)
_AUXILIARIES = word_set("""
        are aren't am is can can't could couldn't shall should shouldn't may might must will would do don't
        did have
        """)
_MAX_UNCLEAR_WORDS = 4
_MAX_QUESTION_WORDS = 6

# Not after a letter, and not after `d'` or `non-`: those make another word of it.
_WORD_START = r"(?<!\w)(?<!\w[-'@])"
_GROUP = re.compile(
    _WORD_START + r"(?:you\s+all|everyone|all\s+of\s+you|team|what\s+do\s+you\s+think)(?!\w)(?![-']\w)"
)
_INSISTS = re.compile(
    r"\b(?:belongs? here|on topic|i insist|not off[- ]topic|it is relevant|this is relevant|that is relevant"
    r"|it's relevant|that's relevant|this matters|it matters|part of this"
    r"|(?:answer|discuss|settle) (?:it|this|that) now)\b"
)


def _list_messages(text: str) -> frozenset[str]:
    return frozenset(message.strip() for message in text.split("|"))


_YES = _list_messages("yes | yeah | yep | yup | sure")
_NO = _list_messages("no | nope | nah")
_END = _list_messages("end | end it | end this | end discussion | end the discussion | stop | finish")
_GO_ON = _list_messages(
    "continue | continue exploring | continue exploring this | continue discussing | continue the discussion"
    "| go on | keep going | keep exploring | carry on | not yet | not done | not done yet | not quite"
)
_CONTINUE = _list_messages(
    "c | next one | continue move to the next step"
    "| complete | complete analysis | complete the analysis | finish | finish the analysis"
)
_ONWARDS = re.compile(
    r"(?:the )?(?:next|on|continue|proceed|go|(?:go|move|carry|keep) (?:on|ahead|going)|move)"
    r"(?: (?:to|with))?(?:(?: the)? next)?(?: (?:step|phase|one))?(?: 0\d(?: \w+){0,3})?"
)
_ELABORATE = _list_messages(
    "e | elaboration mode bring all perspectives to discuss this topic"
    "| elaborate | elaborate this | elaborate on this | elaborate on it | elaborate on that"
    "| elaboration | elaboration mode | bring in others | bring in the others | bring the others in"
    "| bring in everyone | bring everyone in | bring in the team | bring all perspectives"
    "| bring in all perspectives | bring in the other perspectives | get the others | get the others in"
    "| ask the others | hear the others | what do the others think | discuss | discuss this | discuss it"
    "| discuss this topic | roundtable | start a roundtable | start the roundtable | roundtable discussion"
)
_SKIP = _list_messages(
    "s | skip | skip all | skip everything | skip rest | skip the rest | skip remaining | skip the remaining"
    "| skip remaining steps | skip the remaining steps | skip the rest of the steps | skip this phase"
    "| skip the phase | skip remaining steps in this phase | skip the remaining steps in this phase"
    "| skip the rest of this phase | skip the rest of the phase"
)
_ASSENT = _list_messages("ok | okay | alright | thanks | thank")
# "that's fine, go on" chooses as "go on" does, and "looks good" does not go into a document as feedback.
_APPROVAL = re.compile(
    r"^(?:yes|yeah|yep|sure|(?:(?:that's|that is|this is|it's|looks|sounds|all|very) )?"
    r"(?:fine|good|great|perfect|right|correct))(?: for me| to me| so far)?(?: (?:and|then)(?= ))?(?: |$)"
)
# "can we continue?" chooses as "continue" does.
_REQUEST = re.compile(
    r"^(?:(?:can|could|shall|should) (?:we|you)|(?:we|you) can|i want to|i'd like to|just|let us) "
)
# The menu's own lines choose too, with their letter in brackets.
_LETTER = re.compile(r"^[ecs] (?=elaboration|continue|complete|skip)")

_STEERED: tuple[tuple[Steering, str], ...] = (
    ("undo", "undo | undo that | undo it | undo this | undo the last | take it back | take that back"),
    ("back", "back | go back | previous | previous question | one back | step back"),
    ("help", "help | help me | menu | what now | what can i do | what can i say | commands"),
    ("quit", "quit | q | quit now | leave | pause"),
    ("no", "no | nope | nah"),
)
_STEERING = {message: meant for meant, said in _STEERED for message in _list_messages(said)}
_PASS = _list_messages("skip | s | skip it | skip this | skip this one | skip this question | dunno skip")
_HOW_DO_I = re.compile(
    r"(?:how|where) (?:do|can|could|would|should) i\b|what (?:do|can|should) i (?:do|say|type)\b"
)
_EDIT = re.compile(
    r"(?:edit|change|correct)(?: (?:my |the )?answer)?(?:(?: to| on| number)? (?P<what>\S.{0,80}))?"
)
_MAX_EDIT_WORDS = 4


class Heard(Struct, frozen=True):
    """What a message in a discussion is, and the key of the persona it addresses."""

    kind: HeardKind
    persona: str | None = None


# --- in a discussion ------------------------------------------------------------------------------------


def hear(text: str, roster: Roster) -> Heard:
    """Return what a message in a discussion is: an exit before an address, one persona before the group."""
    if is_silence(text):
        return Heard("silence")
    meant = hear_exit(text)
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
    family = "|".join((r"\s+".join(others), others[-1])) if others else ""
    last = rf"\s+(?:{family})(?!\w)" if family else r"(?!)"
    if re.match(rf"{first}(?!{last})(?:\s|$)", said):
        return 0
    called = re.search(rf"{_WORD_START}{first}(?:{last})? ?[,:?]", said)
    return called.start() if called else None


def insists_on_topic(text: str) -> bool:
    """Whether the user says that what was redirected belongs here after all (FOCUS-1)."""
    return bool(_INSISTS.search(fold_text(text)))


def comes_back_to(text: str, subject: str, words: str) -> bool:
    """Whether a message goes on about a subject that was put off with these words."""
    said = _subjects(text)
    named, meant = _subjects(subject), _subjects(words)
    return not said.isdisjoint(named) and len(said & (named | meant)) >= min(2, len(named))


# --- exits ----------------------------------------------------------------------------------------------


def hear_exit(text: str) -> Exit | None:
    """Return whether the message ends the discussion or may mean to; None for a contribution (EXIT-1)."""
    words = strip_fillers(text)
    starts = any(words[: len(start)] == start for start in _WRAP_UPS)
    if words in _KEYWORDS or (starts and len(words) <= _MAX_UNCLEAR_WORDS):
        return "exit"
    if words in _STOPS:
        return "unclear-exit"
    if not words or words[0].split("'")[0] in _QUESTION_WORDS or len(words) > _MAX_QUESTION_WORDS:
        return None
    if _NEGATED.search(fold_text(text)):
        return None
    places = [
        (start, start + len(keyword))
        for start in range(len(words))
        for keyword in _KEYWORDS
        if words[start : start + len(keyword)] == keyword and _is_meant(words, start, start + len(keyword))
    ]
    is_at_edge = any(start == 0 or end == len(words) for start, end in places)
    is_question = fold_text(text).rstrip(" \t\r\n\"')]}!.*_").endswith("?") and any(
        first in _AUXILIARIES and second in ("we", "i") for first, second in pairwise(words)
    )
    if places and (is_question or (is_at_edge and len(words) <= _MAX_UNCLEAR_WORDS)):
        return "unclear-exit"
    return None


def hear_exit_answer(text: str, roster: Roster) -> ExitAnswer:
    """Return what the answer to the question about an unclear exit means."""
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


def strip_fillers(text: str) -> tuple[str, ...]:
    """Return the folded words of the text without fillers and punctuation."""
    words, kept, at = words_of(text), list[str](), 0
    while at < len(words):
        filler = next((each for each in _FILLERS if words[at : at + len(each)] == each), ())
        kept += () if filler else words[at : at + 1]
        at += len(filler) or 1
    return tuple(kept)


def _is_meant(words: tuple[str, ...], start: int, end: int) -> bool:
    """Whether the keyword at this place is neither conditional nor the way back to something."""
    is_conditional = any(find_phrase(condition, words[:start]) is not None for condition in _CONDITIONS)
    return not is_conditional and words[start : end + 1] != ("back", "to")


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
_TAKES_BACK = re.compile(
    r"^(?:(?:no|ok|okay|wait|sorry|well|but|and)[,.!]? )*(?:"
    r"(?:that|this|it) (?:was|is)(?: not|n't| no| never)(?: really)?(?: a| my| our)? decision"
    r"|(?:i|we) (?:did not|didn't|have not|haven't|never) (?:decide|decided)\b"
    r"|(?:i|we) take (?:that|this|it)(?: decision)? back"
    r"|take back (?:that|this|the|my|our)(?: last)? decision"
    r"|(?:scratch|strike|forget|undo|ignore) (?:that|the|this)(?: last)?(?: decision)?[.!]*$"
    r"|no decision(?: yet)?[.!]*$)"
)
_REVERSES = re.compile(
    r"^(?:no[,.:!]|actually\b|wait\b|sorry\b|hm+\b|rather\b|instead\b|correction\b)|\bon second thoughts?\b"
    r"|\bchang(?:e|ed|ing) my mind\b|\binstead\b|\bafter all\b|\brather not\b|\bno longer\b|\breverse\b"
    r"|\bnot any ?more\b|\bwhat i said (?:before|earlier)\b|\bother way round\b"
)
# What makes a sentence sound like a decision: a will, a rule, or an order at its beginning.
_DECIDES = re.compile(
    r"\b(?:let's|let us|we|i|i'd|i'll|we'll)\b.{0,40}\b(?:go|take|use|keep|drop|choose|decide|agree|will"
    r"|won't|want|refuse|skip|prefer|need|shall|'ll|start|stop|make|set|build|ship|allow|accept|reject|leave"
    r"|do|don't)\b"
    r"|\b(?:decided|agreed|settled|approved|never|always|only|must|must not|instead|no longer)\b"
    r"|^(?:so |then |ok,? |okay,? |yes,? |no,? |please )*(?:refuse|keep|drop|use|take|make|set|remove|add"
    r"|skip|show|hide|let|do|don't|delete|store|send|ask|warn|block|merge|retry|accept|reject|allow|build|ship"
    r"|start|stop|go|put|write|read|log|limit|lock|leave|stay|stick|postpone|choose|pick|option [a-z]\b"
    r"|[a-c]\b[.!,]?)"
)


def can_decide(text: str) -> bool:
    """Whether a message can hold a decision: it has a sentence that neither asks, defers nor takes back."""
    return any(_is_firm(sentence) for sentence in split_sentences(text))


def sounds_decided(text: str) -> bool:
    """Whether a message sounds like a decision, where nobody marked it as one: it wills, rules or orders."""
    return any(
        _is_firm(sentence) and _DECIDES.search(fold_text(sentence).strip())
        for sentence in split_sentences(text)
    )


def _is_firm(sentence: str) -> bool:
    said = fold_text(sentence).strip()
    asks = said.rstrip("\"')*_ ").endswith("?")
    return bool(words_of(said)) and not (asks or _DEFERS.search(said) or _TAKES_BACK.search(said))


def takes_back(text: str) -> bool:
    """Whether the user says that the last decision was none, or no longer is."""
    return any(_TAKES_BACK.search(fold_text(each).strip()) for each in split_sentences(text))


def reverses(text: str, earlier: str) -> bool:
    """Whether a decision replaces an earlier one: it says so, and it is about the same thing."""
    said = fold_text(text).strip()
    return bool(_REVERSES.search(said)) and not _subjects(said).isdisjoint(_subjects(earlier))


def _subjects(text: str) -> frozenset[str]:
    return frozenset(content_stems(text))


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
_DONE = (
    r"(?:touched|affected|changed?|involved|relevant|modified|edited|concerned"
    r"|part of (?:this|it|the change))\b"
)
_UNTOUCHED = tuple(
    re.compile(pattern)
    for pattern in (
        # Said of the file itself: "the check in loans.py does not change" says nothing of the file.
        rf"(?<!\bat )(?<!\bin )(?<!\bof )(?<!\bby )(?<!\bfrom ){_FILES}"
        rf"(?: itself| too| also)?,? (?:{_NOT}{_DONE}"
        r"|(?:has|have) nothing to do with|(?:stays?|remains?) as (?:it is|they are)"
        r"|(?:is|are) (?:untouched|unaffected|irrelevant|out of scope)|only looks? like it)",
        rf"(?:\bnot|n't|\bnever) (?:touch|change|modify|edit) {_FILES}",
        rf"\bleave {_FILES} (?:alone|as it is|as they are|out)\b",
        rf"\bonly looks? like it:? {_FILES}",
    )
)
_TOUCHED = re.compile(
    rf"{_FILES} (?:is|are|gets?) (?:touched|affected|involved|changed)(?: after all| too| as well)\b"
)


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
        files = list(_FILE.finditer(words))
        said = re.sub(r" ?\([^()]*\)", "", _number_files(words, files).casefold())
        for is_touched, patterns in ((True, (_TOUCHED,)), (False, _UNTOUCHED)):
            for each in (match for pattern in patterns for match in pattern.finditer(said)):
                for number in re.findall(r"~(\d+)~", each["files"]):
                    file = files[int(number)]
                    path = (file["code"] or file["path"]).strip("/").removeprefix("./")
                    line = file["at"] or file["line"]
                    if "." in path or "/" in path:
                        place = f"{path}:{line}" if line else path
                        found.append(CodeCorrection(place, is_touched, words))
    return tuple(found)


def _number_files(words: str, files: list[re.Match[str]]) -> str:
    """Return a sentence with ~0~, ~1~ and so on in place of the files that it names."""
    parts, at = [], 0
    for number, each in enumerate(files):
        parts += [words[at : each.start()].replace("~", " "), f"~{number}~"]
        at = each.end()
    return "".join((*parts, words[at:].replace("~", " ")))


# --- a review -------------------------------------------------------------------------------------------

ReviewKind = Literal["accept", "drop", "edit", "add", "undo", "unclear"]
_ACCEPTS = _list_messages(
    "accept | accept all | accept it | ok | okay | yes | write | write it | fine | good | looks good"
    " | looks good to me | that's fine | that's it | perfect | great | agreed | go ahead"
)
_POLITE = frozenset({"thanks", "thank you", "please"})
_DROPS = re.compile(
    r"(?:drop|strike|delete|remove)\s++(?P<numbers>\d[\d\s,]*+(?:and\s++[\d\s]++)?)\.?", re.IGNORECASE
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


class ReviewAnswer(Struct, frozen=True):
    """What the user does to a synthesis under review: numbers of entries, or words and where they go."""

    kind: ReviewKind
    numbers: tuple[int, ...] = ()
    words: str = ""
    part: Literal["insights", "decisions", "questions", "actions"] = "insights"


def hear_review(text: str) -> ReviewAnswer:
    """Return what a message at a review asks for; `unclear` where it asks for nothing that is known."""
    said = text.strip()
    parts = {part.strip() for part in re.split(r"[.,!;]", fold_text(said))} - {"", *_POLITE}
    if is_silence(text) or (parts and parts <= _ACCEPTS):
        return ReviewAnswer("accept")
    if fold_text(said).rstrip(".!") == "undo":
        return ReviewAnswer("undo")
    if found := _DROPS.fullmatch(said):
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


_PARTS: dict[str, Literal["insights", "decisions", "questions", "actions"]] = {
    "insight": "insights",
    "decision": "decisions",
    "question": "questions",
    "action": "actions",
}


# --- at a menu ------------------------------------------------------------------------------------------


_EDIT_NUMBER = re.compile(r"edit \d{1,3}")


def hear_steering(text: str, *, at_menu: bool) -> Steering | None:
    """Return what a message does to the analysis itself, None where it is content or a choice (MENU-7).

    At a question only a few words alone steer: a number or "no" is an answer there.
    """
    if text.lstrip().startswith("/"):
        return None
    said = " ".join(strip_fillers(text))
    if text.strip() == "?":
        return "help"
    if not at_menu:
        if said in _PASS:
            return "skip"
        if _EDIT_NUMBER.fullmatch(said):
            return "edit"
        return _STEERING[said] if said in ("help", "undo", "back", "quit") else None
    if said in _STEERING:
        return _STEERING[said]
    if _HOW_DO_I.match(said):
        return "help"
    if said.isdecimal():
        return "number"
    found = _EDIT.fullmatch(said)
    is_edit = found is not None and len(said.split()) <= _MAX_EDIT_WORDS and said.split()[0] == "edit"
    return "edit" if is_edit or (found and found["what"] is None) else None


def hear_edit(text: str, labels: tuple[str, ...]) -> str | None:
    """Return the label of the answer that a message wants to edit, by number or by its beginning."""
    found = _EDIT.fullmatch(" ".join(strip_fillers(text)))
    what = (found["what"] or "").strip() if found else ""
    if what.isdecimal():
        return labels[int(what[:6]) - 1] if 0 < int(what[:6]) <= len(labels) else None
    folded = {label: " ".join(words_of(label)) for label in labels}
    begun = [label for label, words in folded.items() if what and words.startswith(what)]
    exact = [label for label in begun if folded[label] == what]
    return next(iter(exact or begun), None) if len(begun) == 1 or exact else None


# "No, it is two" corrects; "No new module" and "wrong input raises" do not.
_CORRECTS = re.compile(
    r"^(?:(?:(?:no|nope|wrong)\b[,:.!]|(?:actually|correction|sorry|not quite|that is wrong|that's wrong)\b"
    r"[,:.!]?)\s+)+",
    re.IGNORECASE,
)
_ASKS = re.compile(r"\b(?:tell me|explain|say|what|why|how|who|when|where|which)\b")


class AnswerAddition(Struct, frozen=True):
    """The answer that a message adds to or puts right, the words, and whether they stand in its place."""

    label: str
    words: str
    replaces: bool = False


def find_corrected(text: str, answers: tuple[tuple[str, str], ...]) -> AnswerAddition | None:
    """Return the answer that a message puts right; None where it corrects nothing known.

    `answers` are labels with what was answered; the one that shares most of the message's words is meant.
    """
    named = text.partition(":")[0].strip()
    if label := next((label for label, _ in answers if fold_text(label) == fold_text(named)), ""):
        return AnswerAddition(label, text.strip(), replaces=True)
    found = _CORRECTS.match(text.strip())
    if found is None:
        return None
    right = text.strip()[found.end() :]
    subjects = _subjects(right)
    ranked = []
    for label, words in answers:
        answer = f"{label} {words}"
        # Of answers that share as many words, the shorter one is meant.
        ranked.append(((len(subjects & _subjects(answer)), -len(words_of(answer))), label))
    best = max(ranked, default=((0, 0), ""))
    is_only = [rank for rank, _ in ranked].count(best[0]) == 1
    if not best[0][0] or not is_only:
        return None
    return AnswerAddition(best[1], right[:1].upper() + right[1:], replaces=True)


_ADDING = re.compile(r"^(?:please\s+)?(?:also\s+)?add(?:\s+that\b|\s*:)\s*", re.IGNORECASE)
_REPLACING = re.compile(
    r"^(?:instead|rather|replace (?:it|that|this) (?:with|by))\b[,:]?\s++|(?<=\S)\s++instead[.!]?$",
    re.IGNORECASE,
)
_LABELLED = re.compile(r"(?P<label>[^:\n]{3,40}):\s+(?P<words>\S.*)", re.DOTALL)
_OUTSIDE = _list_messages("out of scope | not included | left out | stays as it is | boundary")


def hear_addition(text: str, labels: tuple[str, ...], only: str = "") -> AnswerAddition | None:
    """Return what a message at a menu adds to an answer; None where it names none.

    It names one of the labels before a colon ("Out of scope: ..."); else it means `only`, the one answer that
    there is. It adds, unless it says that it replaces.
    """
    words, label = text.strip(), only
    if found := _LABELLED.fullmatch(words):
        said = fold_text(found["label"]).strip()
        named = [each for each in labels if fold_text(each) == said or {said, fold_text(each)} <= _OUTSIDE]
        words, label = (found["words"], named[0]) if named else (words, label)
    if not label:
        return None
    replaces = _REPLACING.search(words) is not None
    right = _REPLACING.sub("", _ADDING.sub("", words)).strip()
    return AnswerAddition(label, right[:1].upper() + right[1:], replaces)


def asks_something(text: str) -> bool:
    """Whether a message that addresses somebody wants an answer rather than a change."""
    return text.rstrip().endswith("?") or bool(_ASKS.search(fold_text(text)[:60]))


def hear_menu(text: str, *, can_skip: bool) -> MenuChoice:
    """Return what a message at a menu chooses; feedback is whatever chooses nothing."""
    words = strip_fillers(text)
    said = " ".join(words)
    approved = _APPROVAL.sub("", said, count=1)
    wish = _LETTER.sub("", _REQUEST.sub("", approved)).removesuffix(" now")
    assents = (not words and not _ASSENT.isdisjoint(words_of(text))) or (bool(said) and not approved)
    if is_silence(text) or assents or wish in _CONTINUE or _ONWARDS.fullmatch(wish):
        return "continue"
    if wish in _ELABORATE:
        return "elaborate"
    if wish in _SKIP:
        return "skip" if can_skip else "nothing-to-skip"
    return "feedback"


_TABLE = re.compile(
    r"^(?:e|elaborate|discuss(?: (?:this|it))?|roundtable|bring in|ask)(?: (?:with|only|just))* (?P<names>.+)"
)


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
