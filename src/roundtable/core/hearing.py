"""What the user's words mean: an exit, an address, a decision, a choice (EXIT-1, LOOP-8, SYN-3, MENU-1)."""

from functools import lru_cache
from itertools import pairwise
from typing import Literal, get_args

from msgspec import Struct

from . import lazy_re as re
from .personas import Persona, Roster
from .steps import DEPTHS, Depth
from .text import content_stems, find_phrase, fold_text, is_silence, split_sentences, word_set, words_of

MenuMeaning = Literal["continue", "skip", "elaborate", "feedback", "nothing-to-skip"]
Steering = Literal["undo", "back", "help", "quit", "skip", "edit", "no", "number"]
Part = Literal["insights", "decisions", "questions", "actions"]


class Heard(Struct, frozen=True):
    """What a message in a discussion is, and the key of the persona it addresses."""

    kind: Literal["exit", "unclear-exit", "direct", "group", "open", "silence"]
    persona: str | None = None


_FILLERS = re.compile(
    r"(?<!\S)(?:ok|okay|thanks|thank you|please|let's|i'm|we're|i am|we are|i think|so|well|alright)(?!\S)"
)


def strip_fillers(text: str) -> str:
    """Return the folded words of the text without fillers and punctuation."""
    return " ".join(_FILLERS.sub("", " ".join(words_of(text))).split())


def is_about(text: str, earlier: str) -> bool:
    """Whether two texts share a word that carries content."""
    return not set(content_stems(text)).isdisjoint(content_stems(earlier))


# --- in a discussion ------------------------------------------------------------------------------------

# Not after a letter, and not after `d'` or `non-`: those make it another word.
_WORD_START = r"(?<!\w)(?<!\w[-'@])"
_GROUP = re.compile(
    _WORD_START + r"(?:you\s+all|everyone|all\s+of\s+you|team|what\s+do\s+you\s+think)(?!\w)(?![-']\w)"
)
_INSISTS = re.compile(
    r"\b(?:belongs? here|on topic|i insist|not off[- ]topic|(?:it|this|that)(?:'s| is) relevant"
    r"|(?:it|this) matters|part of this|(?:answer|discuss|settle) (?:it|this|that) now)\b"
)


def hear(text: str, roster: Roster) -> Heard:
    """Return what a message in a discussion is; an exit wins over an address, a persona over the group."""
    if is_silence(text):
        return Heard("silence")
    meant = hear_exit(text)
    return address(text, roster) if meant is None else Heard(meant)


def address(text: str, roster: Roster) -> Heard:
    """Return whom a message addresses, even if it sounds like an exit: a persona, the group or nobody."""
    said = re.sub(r"^\W+", "", fold_text(text)).rstrip()
    places = [(_find_address(said, persona), persona.key) for persona in roster.personas]
    if found := [(place, key) for place, key in places if place is not None]:
        return Heard("direct", min(found, key=lambda each: each[0])[1])
    return Heard("group" if _GROUP.search(fold_text(text)) else "open")


def _find_address(said: str, persona: Persona) -> int | None:
    first, *others = (re.escape(name) for name in fold_text(persona.name).split())
    family = r"\s+".join(others)
    last = rf"\s+(?:{family}|{others[-1]})(?!\w)" if others else r"(?!)"
    called = re.search(rf"\A{first}(?!{last})(?=\s|$)|{_WORD_START}{first}(?:{last})? ?[,:?]", said)
    return called.start() if called else None


def comes_back_to(text: str, subject: str, words: str) -> bool:
    """Whether a message goes on about a subject that was put off, or says that it belongs here."""
    named = set(content_stems(subject))
    shared = {*named, *content_stems(words)}.intersection(content_stems(text))
    goes_on = is_about(text, subject) and len(shared) >= min(2, len(named))
    return goes_on or _INSISTS.search(fold_text(text)) is not None


# --- exits ----------------------------------------------------------------------------------------------

_WRAP_UP = r"wrap(?: it| this)? up"
_EXIT = rf"(?:done|exit|back(?! to\b)|wrap-up|{_WRAP_UP})(?!\S)"
_QUESTION_WORDS = word_set("what how why when where who which")
_CONDITIONS = re.compile(
    r"(?<!\S)(?:if|when(?:ever)?|once|until|till|after|before|unless|while|as (?:soon|long) as|in case"
    r"|provided|assuming)(?!\S)"
)
# "Not quite done", but neither "not that, done" nor "no, I'm done".
_NEGATED = re.compile(
    r"(?:(?:\b(?:not|never|cannot|dont|cant|wont|isnt|arent)|n't)(?: [\w'-]+){0,3}|\bno)"
    r" (?:done|exit|back|wrap)\b"
)
_AUXILIARIES = word_set("are am is can could shall should may might must will would do does did have has")
_MAX_UNCLEAR_WORDS, _MAX_QUESTION_WORDS = 4, 6
_YES, _NO = "yes|yeah|yep|yup|sure", "no|nope|nah"
_ENDS = re.compile(rf"{_YES}|(?:(?:{_YES}|{_NO}) )?(?:end|stop|finish)(?: it| this|(?: the)? discussion)?")
_GOES_ON = re.compile(
    rf"{_NO}|(?:(?:{_YES}|{_NO}) )?(?:continue(?: \w+ing)?(?: this| the discussion)?|(?:go|carry) on"
    r"|keep going|not (?:yet|done|quite)(?: yet)?)"
)


def hear_exit(text: str) -> Literal["exit", "unclear-exit"] | None:
    """Return whether the message ends the discussion or may mean to; None for a contribution (EXIT-1)."""
    said = strip_fillers(text)
    words = said.split()
    is_short = len(words) <= _MAX_UNCLEAR_WORDS
    if re.fullmatch(_EXIT, said) or (is_short and re.match(rf"{_WRAP_UP}(?!\S)", said)):
        return "exit"
    if said in ("quit", "stop"):
        return "unclear-exit"
    if not words or words[0].split("'")[0] in _QUESTION_WORDS or len(words) > _MAX_QUESTION_WORDS:
        return None
    # Words after a condition ("when we are done") end nothing.
    free = _CONDITIONS.split(said)[0]
    if _NEGATED.search(fold_text(text)) or not re.search(rf"(?<!\S){_EXIT}", free):
        return None
    is_question = fold_text(text).rstrip(" \t\r\n\"')]}!.*_").endswith("?") and any(
        first.removesuffix("n't") in _AUXILIARIES and second in ("we", "i")
        for first, second in pairwise(words)
    )
    is_at_edge = re.match(_EXIT, free) or (free == said and re.search(rf"(?<!\S){_EXIT}$", said))
    return "unclear-exit" if is_question or (is_at_edge and is_short) else None


def hear_exit_answer(text: str) -> Literal["exit", "continue", "contribution"]:
    """Return what the answer to the question about an unclear exit means."""
    if hear_exit(text) or _ENDS.fullmatch(strip_fillers(text)):
        return "exit"
    return "continue" if is_silence(text) or _GOES_ON.fullmatch(strip_fillers(text)) else "contribution"


# --- decisions ------------------------------------------------------------------------------------------

# "That was no decision", "leave it open", "I need to check with ops"; "we must check the token" decides.
_DEFERS = re.compile(
    r"(?:\b(?:not?|never|cannot|without)|n't) (?:\w+ ){0,2}(?:decid\w+|decision)\b"
    r"|\b(?:not|never|cannot|without) (?:\w+ ){0,2}(?:settl\w+|commit\w*|choos\w+)\b"
    r"|\b(?:decide|settle|discuss|talk about|look at|choose|see) (?:\w+ ){0,4}"
    r"(?:later|tomorrow|(?:an|some )other (?:time|day)|next (?:week|time|month|sprint|step)|after\w*)\b"
    r"|\b(?:postpone|defer|put off|come back to|leave (?:\w+ ){0,4}open|sleep on|park (?:it|this|that)|tbd"
    r"|undecided|open question|to be decided|no idea|(?:i|we) (?:do not|don't) know)\b"
    r"|(?:^|\b(?:i'm|i am|we're|we are) )not (?:sure|certain)\b|\bnever mind[.!]*$"
    r"|\b(?:let me|i(?:'ll| will| must| should| need to| have to)) (?:\w+ )?(?:ask|look|check|find out)\b"
    r"|\b(?:let me|(?:will|must|should|need to|have to|want to)) (?:think|talk)(?: (?:about|it)\b|[.!]*$)"
)
# The start of a sentence that takes back a decision, often to replace it. A phrase outside `surely` counts
# only if nothing, a decision or a name follows it: "No wait, Postgres for the queue."
_TAKES_BACK = re.compile(
    r"(?:(?:no|ok|okay|oh|wait|sorry|well|but|and|hm+|actually)[,.!]? )*(?:(?P<surely>"
    r"(?:that|this|it) (?:was|is)(?: not|n['’]t| no| never)(?: really)?(?: a| my| our)? decision\b"
    r"|(?:i|we) (?:did not|didn['’]t|have not|haven['’]t|never) decided?\b|no decision(?: yet)?(?=[.!]*$)"
    r"|(?:i|we) take (?:that|this|it)(?: decision)? back\b"
    r"|(?:i |we )?take back (?:that|the|my|our)(?: last)? decision\b(?: (?:on|about|for) [^,:;!?]{1,60})?"
    r"|(?:scratch|strike|forget|undo|ignore) (?:that|(?:that|the)(?: last)? decision)(?=[.!]*$|[,:;]| [-–—]))"
    r"|(?:no,? wait|wait,? no|actually,? no|on second thoughts?)"
    r"(?=[.!]*$|[,:;.!]| [-–—]| (?:rather|instead|let|we|i|use|make|take)\b))[\s,.:;!–—-]*+",
    re.IGNORECASE,
)
# "No wait, too slow" and "No wait, I need to ask" name no replacement.
_TELLS_WHY = word_set("""
    i you he she it they them that this there is are was were has have had do does did can could would should
    will may might because since my too bad idea sorry nonsense wrong mistake mind please
    """)
_MAX_INSTEAD_WORDS = 12
# A sentence sounds like a decision if it has an intention, an order at its beginning, or a rule.
_ACTS = (
    "go|take|use|keep|drop|choose|decide|agree|will|won't|want|refuse|skip|prefer|need|shall|start|stop|make|set"
    "|build|ship|allow|accept|reject|leave|do|don't|show|hide|remove|add|store|send|ask|warn|block|retry|limit"
)
_ORDERS = f"{_ACTS}|delete|merge|put|write|read|log|lock|stay|stick|pick|postpone|let|rather"
_DECIDES = re.compile(
    rf"\b(?:let's|let us|we|i|i'd|i'll|we'll)\b.{{0,40}}\b(?:{_ACTS}|'ll)\b|\blet(?:'s| us) (?:{_ORDERS})\b"
    rf"|^(?:(?:so|then|ok|okay|yes|no|please),? )*(?:(?:{_ORDERS})\b(?!\(|\.\w)|option [a-z]\b|[a-c][.!,]*$)"
    r"|\bdecision:|\b(?:decided|agreed|settled|approved|never|always|only|must|instead|no longer)\b"
)


def can_decide(text: str) -> bool:
    """Whether a message can hold a decision: it has a sentence that does not ask, defer or take back."""
    return any(map(_is_firm, split_standing(text)))


def sounds_decided(text: str) -> bool:
    """Whether a sentence that a message does not take back sounds like a decision."""
    return any(map(_is_resolute, split_standing(text)))


def _is_resolute(sentence: str) -> bool:
    return _is_firm(sentence) and _DECIDES.search(fold_text(strip_correction(sentence))) is not None


def _is_correction(sentence: str) -> bool:
    """Whether a sentence takes something back and replaces it, by a decision or a name without a verb."""
    instead = strip_correction(sentence)
    words = words_of(instead)
    is_name = len(words) <= _MAX_INSTEAD_WORDS and _TELLS_WHY.isdisjoint(words)
    return instead != sentence.strip() and _is_firm(sentence) and (is_name or _is_resolute(sentence))


def _is_firm(sentence: str) -> bool:
    said = fold_text(sentence)
    asks = said.rstrip("\"')*_ ").endswith("?")
    return bool(words_of(strip_correction(sentence))) and not (asks or _DEFERS.search(said))


def split_standing(text: str) -> tuple[str, ...]:
    """Return the sentences of a message, except those it takes back itself: "Redis. No wait, we use X"."""
    return _read_sentences(text)[0]


def find_instead(text: str) -> tuple[str, ...] | None:
    """Return what a message puts in place of an earlier decision; None if it takes back none."""
    return _read_sentences(text)[1]


def strip_correction(sentence: str) -> str:
    """Return a sentence without an opening that takes something back, such as "No wait,"."""
    found = _TAKES_BACK.match(sentence := sentence.strip())
    return sentence[found.end() :] if found else sentence


@lru_cache(maxsize=16)  # few entries, since a message may be long
def _read_sentences(text: str) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
    standing: list[str] = []
    decided: list[int] = []  # places in `standing`
    first: int | None = None  # the place after words that take back an earlier message's decision
    for sentence in split_sentences(text):
        found = None if sentence.endswith("?") else _TAKES_BACK.match(sentence)
        rest = sentence[found.end() :] if found else sentence
        if found and (found["surely"] or not rest or _is_correction(sentence)):
            if decided:
                del standing[decided.pop() :]  # with the reasons that were given for it
            elif found["surely"]:
                first = len(standing)
        if rest:
            decided += [len(standing)] if _is_resolute(sentence) else []
            standing.append(sentence)
    instead = (each for each in standing[first:] if _is_resolute(each) or _is_correction(each))
    return tuple(standing), None if first is None else tuple(instead)


def corrects(text: str) -> bool:
    """Whether a sentence of a message takes something back and replaces it: "No wait, B."."""
    return any(map(_is_correction, split_standing(text)))


# --- what the user says about the code ------------------------------------------------------------------

_FILE = re.compile(
    r"`(?P<code>[\w./-]+(?::\d{1,6})?)(?:-\d{1,6})?`"
    r"|(?<![\w/@.-])(?P<path>(?:(?>(?:[\w-]++/)*)[\w-]*+\.[A-Za-z]\w{0,4}|(?>(?:[\w.-]++/)+)[\w.-]*+)(?![\w/])"
    r"(?::\d{1,6})?)(?:-\d{1,6})?"
)
# The files in a sentence are replaced by ~0~, ~1~ and so on, so that a pattern can match any of them.
_FILES = (
    r"(?<!~ and )(?<!~ or )(?<!~, )(?<!, and )(?<!, or )(?P<files>~\d+~(?:(?:,| and| or|, and|, or) ~\d+~)*)"
)
_NOT = r"(?:(?:\w+ ){0,2}(?:not|never) (?:\w+ )?|(?:is|are|does|do|should|must|need|will)n't (?:be )?)"
_IS_TOUCHED = re.compile(
    rf"{_FILES} (?:is|are|gets?) (?:touched|affected|involved|changed) (?:after all|too|as well)\b"
)
# About the file itself: "the check in loans.py does not change" says nothing about the file.
_STAYS = re.compile(
    rf"(?<!\bat )(?<!\bin )(?<!\bof )(?<!\bby )(?<!\bfrom ){_FILES}(?: itself| too| also)?,? "
    rf"(?:{_NOT}(?:touched|affected|changed?|involved|relevant|modified|edited|part of (?:this|it))\b"
    r"|(?:has|have) nothing to do with|(?:stays?|remains?) as (?:it is|they are)"
    r"|(?:is|are) (?:untouched|unaffected|irrelevant|out of scope)|only looks? like it)"
)
_NOT_TO_TOUCH = re.compile(
    r"(?:(?:\bnot|n't|\bnever) (?:touch|change|modify|edit)"
    rf"|\bleave(?=.{{1,99}} (?:alone|as (?:it is|they are)|out)\b)) {_FILES}"
)


class CodeCorrection(Struct, frozen=True):
    """What the user says about a file or a `path:line`: that it is not touched, or is after all."""

    path: str
    is_touched: bool
    words: str


def find_corrections(text: str) -> tuple[CodeCorrection, ...]:
    """Return what a message says about files: "`_main.py` is not touched" (TABLE-2)."""
    found, places = list[CodeCorrection](), list[str]()

    def number(file: re.Match[str]) -> str:
        place = (file["code"] or file["path"]).strip("/").removeprefix("./")
        places.append(place)
        return f"~{len(places) - 1}~" if "." in place or "/" in place else place

    for sentence in split_sentences(text):
        words = " ".join(sentence.split())
        numbered = _FILE.sub(number, words.replace("~", " "))
        said = re.sub(r" ?\([^()]*\)", "", numbered.casefold())  # without asides
        for pattern in (_IS_TOUCHED, _STAYS, _NOT_TO_TOUCH) if not words.endswith("?") else ():
            files = " ".join(match["files"] for match in pattern.finditer(said))
            numbers = map(int, re.findall(r"\d+", files))
            found += [CodeCorrection(places[each], pattern is _IS_TOUCHED, words) for each in numbers]
    return tuple(found)


# --- a review -------------------------------------------------------------------------------------------

_ACCEPTS = re.compile(
    r"yes|(?:yes )?(?:accept(?: all| it)?|write(?: it)?|fine|good|looks good(?: to me)?"
    r"|that's (?:fine|it|right)|perfect|great|agreed|go ahead|done)"
)
_DROPS = re.compile(
    r"(?:yes )?(?:drop|strike|delete|remove)(?: (?:the )?(?:numbers?|entry|entries|points?|no))?"
    r"(?P<numbers>(?: (?:and )?\d+)+)"
)
_EDITS = re.compile(
    r"(?:edit|reword|(?P<change>change))\s++(?P<number>\d{1,4})(?=[\s:.]|$)\s*+[:.]?+\s*+(?(change)(?:to\s++)?)(?P<words>\S.*)?",
    re.DOTALL | re.IGNORECASE,
)
_ADDS = re.compile(
    r"add\s++(?:an?\s++)?(?:(?:open\s++)?(?P<part>insight|decision|question|action)s?(?:\s*+:\s*+|\s++))?"
    r"(?P<words>\S.*)",
    re.DOTALL | re.IGNORECASE,
)
_PARTS: dict[str, Part] = {part.removesuffix("s"): part for part in get_args(Part)}


class ReviewAnswer(Struct, frozen=True):
    """What the user does to a synthesis under review: the numbers of entries, or words and their part."""

    kind: Literal["accept", "drop", "edit", "add", "undo", "unclear"]
    numbers: tuple[int, ...] = ()
    words: str = ""
    part: Part = "insights"


def hear_review(text: str) -> ReviewAnswer:
    """Return what a message in a review asks for; `unclear` if it is none of the known requests."""
    said, plain, asks = text.strip(), strip_fillers(text), text.rstrip().endswith("?")
    is_ok = not plain and not {"ok", "okay"}.isdisjoint(words_of(text))
    if is_silence(text) or (not asks and (is_ok or _ACCEPTS.fullmatch(plain))):
        return ReviewAnswer("accept")
    if plain == "undo":
        return ReviewAnswer("undo")
    if (found := _DROPS.fullmatch(plain)) and not asks:
        numbers = (int(number[:6]) for number in re.findall(r"\d+", found["numbers"]))
        return ReviewAnswer("drop", tuple(dict.fromkeys(numbers)))
    if found := _EDITS.fullmatch(said):
        return ReviewAnswer("edit", (int(found["number"]),), (found["words"] or "").strip())
    if found := _ADDS.fullmatch(said):
        return ReviewAnswer("add", (), found["words"].strip(), _PARTS[(found["part"] or "insight").lower()])
    return ReviewAnswer("unclear")


# --- at a menu ------------------------------------------------------------------------------------------

_ASSENT = word_set("ok okay alright thanks thank")
_STEERING: dict[Steering, re.Pattern[str]] = {
    "undo": re.compile(r"undo(?: that| it| this| the last)?|take (?:it|that) back"),
    "back": re.compile(r"(?:go |one |step )?back|previous(?: question)?"),
    "quit": re.compile(r"q|quit(?: now)?|leave|pause"),
    "no": re.compile(r"no|nope|nah"),
    "number": re.compile(r"\d+(?:-\d+)?"),
    "help": re.compile(
        r"help(?: me)?|menu|commands|what now|(?:how|where|what) (?:do|can|could|would|should) i\b.*"
    ),
}
_PASS = re.compile(r"s|(?:dunno )?skip(?: it| this(?: one| question)?)?")
_EDIT = re.compile(
    r"(?:edit|change|correct)(?: (?:my |the )?answer)?|edit (?:to |on |number )?(?P<what>.{1,80})"
)
_MAX_EDIT_WORDS = 4
_CHOICES: dict[MenuMeaning, re.Pattern[str]] = {
    "continue": re.compile(
        r"c|(?:complete|finish)(?: (?:the )?analysis)?|continue move to the next step"
        r"|continue to (?:requirements|impact analysis|architecture|design)"
        r"|(?:the )?(?:next|on|continue|proceed|go|(?:go|move|carry|keep) (?:on|ahead|going)|move)"
        r"(?: (?:to|with))?(?:(?: the)? next)?(?: (?:step|phase|one))?(?: 0\d(?: \w+){0,3})?"
    ),
    "elaborate": re.compile(
        r"e|elaborate(?:(?: on)? (?:this|it|that))?|discuss(?: this| it)?|(?:start (?:a|the) )?roundtable"
        r"|elaboration(?: mode)?(?: bring all perspectives to discuss this topic)?"
        r"|(?:bring|get|ask|hear)(?: in)? (?:the )?(?:others|everyone|team)(?: in)?|what do the others think"
    ),
    "skip": re.compile(
        r"s|skip(?: all| everything| (?:this|the) phase)?"
        r"|skip (?:the )?(?:rest|remaining)(?: of the)?(?: steps)?(?:(?: in| of)? (?:this|the) phase)?"
    ),
}
# "that's fine, can we go on?" counts as "go on"; a line copied from the menu, with its letter, counts too.
_COURTESY = re.compile(
    r"^(?:(?:yes|yeah|yep|sure|(?:(?:that's|that is|this is|it's|looks|sounds|all|very) )?(?:fine|good"
    r"|great|perfect|right|correct|cool|nice))(?: for me| to me| so far)?(?: (?:and|then)(?= ))?(?: |$))?"
    r"(?:(?:(?:can|could|shall|should) (?:we|you)|(?:we|you) can|i want to|i'd like to|just|lets|let us) )?"
    r"(?:[ecs] (?=elaboration|continue|complete|skip))?"
)
_TABLE = re.compile(
    r"^(?:e|elaborate|discuss(?: (?:this|it))?|roundtable|bring in|ask)(?: (?:with|only|just))* (?P<names>.+)"
)


def hear_steering(text: str, *, at_menu: bool) -> Steering | None:
    """Return the command in a message, None for content; at a question only a few words are commands."""
    said = strip_fillers(text)
    if text.strip() == "?":
        return "help"
    if text.lstrip().startswith("/"):
        return None
    if not at_menu and _PASS.fullmatch(said):
        return "skip"
    edits = at_menu and _EDIT.fullmatch(said) and len(said.split()) <= _MAX_EDIT_WORDS
    if edits or re.fullmatch(r"edit \d+", said):
        return "edit"
    meant = next((meant for meant, pattern in _STEERING.items() if pattern.fullmatch(said)), None)
    return meant if at_menu or (meant == said and meant != "no") else None


def hear_edit(text: str, labels: tuple[str, ...]) -> str | None:
    """Return the label of the answer that a message wants to edit, by number or by its beginning."""
    found = _EDIT.fullmatch(strip_fillers(text))
    return _find_choice(words_of(found["what"] or ""), labels) if found else None


def hear_menu(text: str, *, can_skip: bool) -> MenuMeaning:
    """Return what a message at a menu chooses; a message that chooses nothing is feedback."""
    said = strip_fillers(text)
    wish = _COURTESY.sub("", said).removesuffix(" now")
    if not wish and (said or is_silence(text) or not _ASSENT.isdisjoint(words_of(text))):
        return "continue"
    meant: MenuMeaning = next((each for each, words in _CHOICES.items() if words.fullmatch(wish)), "feedback")
    return "nothing-to-skip" if meant == "skip" and not can_skip else meant


# "Yes, and the import too": the words after the agreement are added to the draft.
_AGREES = re.compile(
    r"(?:(?:ok|okay|yes|yeah|yep|yup|sure)\b[,.!]*\s*)?(?:(?:exactly|correct|agreed|looks (?:good|right)"
    r"|(?:it )?fits|that(?:['’]?s| is)? (?:it|right|correct|fine|fits|works))\b[,.;:!]*\s*)?"
    r"(?:(?:thanks|thank you)[.!]*)?(?P<more>(?:and (?!no\b)|plus |also ).+)?",
    re.IGNORECASE | re.DOTALL,
)


def hear_agreement(text: str, draft: str) -> str | None:
    """Return what an agreement adds to a draft, "" for "Yes, that fits."; None without an agreement."""
    found = _AGREES.fullmatch(text.strip())
    if not found or not found[0] or {*words_of(draft)[:1]} & {"yes", "no", "none", "nothing"}:
        return None
    return (found["more"] or "") if found["more"] != found[0] else None


_CALLS = re.compile(
    r"(?P<name>[\w-]{1,40})(?:[,:]? (?:what|how|why|where|which)"
    r"|[,:] (?:when )?(?:who|is|are|do|does|did|can|could|would|should|will|has|have))\b.*\?"
)


def hear_aside(text: str, roster: Roster) -> str | None:
    """Return the key of the persona whom a one-sentence message asks by name: "Alex, what breaks?"."""
    called = _CALLS.fullmatch(fold_text(text).strip()) if len(split_sentences(text)) == 1 else None
    named = (each.key for each in roster.personas if called and fold_text(each.first_name) == called["name"])
    return next(named, None)


def hear_table(text: str, roster: Roster) -> tuple[str, ...] | None:
    """Return the keys of the personas whom a message such as `E alex` invites; None for other messages."""
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
    return _find_choice(words_of(text), choices) or _find_choice(words_of(strip_fillers(text)), choices)


def _find_choice(words: tuple[str, ...], choices: tuple[str, ...]) -> str | None:
    said, spelled = " ".join(words), {choice: words_of(choice) for choice in choices}
    readings = (
        [choice for number, choice in enumerate(choices, 1) if said == str(number)],
        [choice for choice in choices if spelled[choice] == words],
        [choice for choice in choices if " ".join(spelled[choice]).startswith(said)],
        [choice for choice in choices if find_phrase(words, spelled[choice]) is not None],
    )
    return next((found[0] for found in readings if words and len(found) == 1), None)


# --- the depth ------------------------------------------------------------------------------------------

_DEPTH = re.compile(
    r"(?<!\S)(?:(?P<deep>deep|more detail|dig in|thorough|go deeper|full analysis)"
    r"|(?P<brief>brief|skip ahead|keep it short|quick|fast|summarize|just the highlights)"
    r"|(?P<standard>standard|normal))(?!\S)"
)
# A request holds only the phrase and these words: "make it deep please" is one, "it must be fast" is not.
_REQUEST_WORDS = word_set("""
        let let's lets please go make it this keep can could would we you i i'd like mode a an the bit more
        analysis version switch change set to into just now ok okay thanks thank depth here with use some
        give me do for treatment on from then and yes
        """)
_MAX_REQUEST_WORDS = 6
# A question about time or length asks for the word itself: "How soon must it load?" -- "Fast."
_MEASURES = (
    (("fast", "quick"), re.compile(r"\b(?:fast|quick|speed|slow|soon|latency|performance|time|long)")),
    (("short",), re.compile(r"\b(?:long|short)")),
)


def hear_depth(text: str, question: str | None) -> Depth | None:
    """Return the depth that a short message asks for; None if it answers the open question or says more."""
    words = words_of(text)
    found = list(_DEPTH.finditer(" ".join(words)))
    depths = [depth for depth in DEPTHS if any(each[depth] for each in found)]
    spoken = {word for each in found for word in each[0].split()}
    if len(words) > _MAX_REQUEST_WORDS or len(depths) != 1 or not spoken | _REQUEST_WORDS >= set(words):
        return None
    asked = "" if text.lstrip().startswith("/depth") else fold_text(question or "")
    is_measure = any(not spoken.isdisjoint(words) and asks.search(asked) for words, asks in _MEASURES)
    return None if is_measure or is_about(" ".join(spoken), asked) else depths[0]


# --- feedback on an answer ------------------------------------------------------------------------------

# "No, it is two" corrects; "No new module" and "wrong input raises" do not.
_CORRECTS = re.compile(
    r"^(?:(?:(?:no|nope|wrong)\b[,:.!]|(?:actually|correction|sorry|not quite|that is wrong|that's wrong)\b"
    r"[,:.!]?)\s+)+",
    re.IGNORECASE,
)
_ASKS = re.compile(r"\b(?:tell me|explain|say|what|why|how|who|when|where|which)\b")


def find_corrected(text: str, answers: tuple[tuple[str, str], ...]) -> tuple[str, str] | None:
    """Return the label and the new words of the answer that a message corrects, by name or shared words."""
    said = text.strip()
    named = fold_text(said.partition(":")[0].strip())
    for label, _ in answers:
        if fold_text(label) == named:
            return label, said
    right = _CORRECTS.sub("", said)
    stems = {*content_stems(right)}
    ranked = [
        (len(stems.intersection(content_stems(words))), -len(words_of(words)), label)
        for label, words in ((label, f"{label} {answer}") for label, answer in answers)
    ]
    best = max(ranked, default=(0, 0, ""))
    if right == said or not best[0] or sum(each[:2] == best[:2] for each in ranked) > 1:
        return None
    return best[2], right[:1].upper() + right[1:]


def asks_something(text: str) -> bool:
    """Whether a message that addresses somebody wants an answer rather than a change."""
    return text.rstrip().endswith("?") or bool(_ASKS.search(fold_text(text)[:60]))
