"""The named checks that a step's Validation section applies to answers (rules STEP-1 and STEP-4)."""

from collections.abc import Callable
from typing import Final

from . import lazy_re as re
from .errors import RuleBroken
from .text import find_phrase, fold_text, word_set, words_of

Check = Callable[[str], bool]

_AROUND = (
    r"(?:i|i'm|im|i've|we|we're|we've|it|it's|is|that|that's|this|to be|me|have|got|honestly|really|sorry"
    r"|still|just|yet|now|right|at|all|the|moment|point|about|here|well|so|hmm?|um|uh|and|frankly|actually"
    r"|currently|afraid)"
)
_UNKNOWN = re.compile(
    rf"(?:{_AROUND} )*(?:(?:don't|dont|do not|didn't|not) know|no (?:idea|clue)|not (?:sure|known|decided)"
    r"|unsure|unknown|unclear|undecided|dunno|idk|tb[ad]|n a|na|(?:can't|cannot) (?:say|tell)|hard to say"
    rf"|to be (?:decided|determined))(?: {_AROUND})*"
)
_MAX_WORDS_AROUND = 8
_ASKS_BACK = re.compile(
    r"(?:(?:sorry|hm+|uh|um|well|ok|dunno)[,.!]? )*(?:huh|what|why|(?:such as|like|for example) what|what for"
    r"|(?:what|why) (?:do|does|did|are) (?:you|that|this) (?:mean|need|ask(?:ing)?|want)(?: \w+){0,3}"
    r"|what (?:should|do|am) i (?:supposed to )?(?:write|say|put|answer)(?: here| there| now)?"
    r"|(?:i )?(?:don't|dont|do not|didn't) (?:understand|get)(?: (?:it|that|this|(?:the|your) question))?"
    r"|(?:can|could) (?:i skip|you (?:explain|rephrase|repeat))(?: (?:it|that|this|the question))?"
    r"|(?:(?:can|could) you )?give me an example)[ ,.!?]*"
)
_NONE = r"(?:none|nothing|not applicable|(?:doesn't|does not) apply|not (?:relevant|needed))(?!\S)"
_SETTLED = re.compile(
    rf"{_NONE}|(?:approved|no (?:new|one|changes?)|nobody|nowhere|never|(?:same )?as (?:today|before)"
    r"|unchanged)(?!\S)"
)
# A document can leave these out; "nobody", "never" and "as before" are real answers.
_SAYS_NONE = re.compile(rf"approved|{_NONE}(?: (?:none|nothing|else|at|all|here|really|unverified|assumed))*")
_MAX_SETTLED_WORDS = 16


def is_unknown(answer: str) -> bool:
    """Whether a short message only says that the answer is not known."""
    said, words = fold_text(answer).strip(), words_of(answer)
    if not words:
        return bool(said) and not said.strip("?.-!/ 🤷")
    return len(words) <= _MAX_WORDS_AROUND and _UNKNOWN.fullmatch(" ".join(words)) is not None


def is_settled(answer: str) -> bool:
    """Whether a short answer says that there is nothing to say or all is well, so that nothing is missing."""
    words = words_of(answer)
    return len(words) <= _MAX_SETTLED_WORDS and _SETTLED.match(" ".join(words)) is not None


def says_none(answer: str) -> bool:
    """Whether an answer says only "none", "not applicable" or "approved", so a document can omit it."""
    return _SAYS_NONE.fullmatch(" ".join(words_of(answer))) is not None


def asks_back(answer: str) -> bool:
    """Whether a message only says that the question is not understood, or asks what it is for."""
    return _ASKS_BACK.fullmatch(fold_text(answer).strip()) is not None


_NUMBER = re.compile(
    r"(?<!\d)\d[\d.,]{0,30}+|\b(?:zero|one|two|three|four|five|six|seven|eight|nine"
    r"|ten|eleven|twelve|fifteen|twenty|thirty|fifty|dozens?|hundreds?|thousands?|millions?|half|twice)\b"
)
_MEASURED = re.compile(rf"[$€£¥]\s?\d|(?:{_NUMBER.pattern})\s?(?:[%°€$£¥]|-?(?P<unit>[^\W\d_]+))")
_NO_UNITS = word_set(
    "a an and are as at but by for from if in is it no not of on or per so than that the then this to was"
    " st nd rd th"
)
_PEOPLE = word_set("""
    user customer client buyer visitor member people person anyone everybody everyone nobody admin
    administrator manager team owner stakeholder developer dev engineer designer tester analyst architect
    operator ops support sales marketing finance legal compliance security auditor agent staff employee worker
    technician driver nurse doctor patient teacher student parent guest partner vendor supplier reviewer
    approver editor author reader subscriber lead head director cto ceo cfo cio po pm qa sre dba hr helpdesk
    maintainer contributor contractor inspector clerk accountant colleague
    """)
_SPEAKERS = word_set("i me my mine myself we us our ours ourselves")
# A capital inside a sentence, or a message that is nothing but capitalised words.
_PERSON_NAME = re.compile(r"(?<=\w[ ,])[A-ZÀ-Þ][a-zß-ÿ]+|^[A-ZÀ-Þ][a-zß-ÿ]+(?: [A-ZÀ-Þ][a-zß-ÿ]+)*\W*$|@\w+")
_NO_NAMES = word_set("yes no none maybe ok okay sure")
_CODE_PLACE = re.compile(
    r"\b(?!and/or\b)[A-Za-z][\w-]{0,40}/[\w./-]+|\b\w{2,}\.[a-z][a-z0-9]{0,4}\b|\b[a-z0-9]+_\w+"
    r"|\b[A-Z]?[a-z]+[A-Z]\w*|`[^`\n]+`"
)
_CODE_WORDS = re.compile(
    r"\b(?:(?:file|module|package|service|component|function|method|folder|table|endpoint|controller|page|screen"
    r"|script|api|repo|handler|schema|migration|job|queue|view)s?|class(?:es)?|(?:director|librar|repositor)(?:y|ies)"
    r"|frontend|backend|front-end|back-end)\b"
)
_BETWEEN_WORDS = re.compile(r"[\s,;/]+")
_BETWEEN_ENTRIES = re.compile(r"\n|;|,(?!\d)|(?<!\d),|\band\b|\s&\s|(?:^|\s)(?:\d+[.)]|[-*•])\s")


def meets_check(name: str, answer: str) -> bool:
    """Whether the answer meets the named check, says "not known", or is in a script that we cannot read."""
    checked = find_check(name)
    if checked is None:
        families = ("at least N words", "at least N entries", "one of A, B, C")
        raise RuleBroken(f"No validation criterion is called '{name}'.", legal=(*_CHECKS, *families))
    letters = [char for char in answer if char.isalpha()]
    is_foreign = 2 * sum(char.isascii() for char in letters) < len(letters)
    return is_foreign or is_unknown(answer) or checked(answer)


def find_check(name: str) -> Check | None:
    """Return the check of that name; None if there is none."""
    plain = " ".join(fold_text(name).split()).rstrip(".")
    if check := _CHECKS.get(plain):
        return check
    if counted := re.fullmatch(r"at least ([1-9][0-9]?) (words?|entr(?:y|ies))", plain):
        least, between = int(counted[1]), _BETWEEN_WORDS if counted[2].startswith("w") else _BETWEEN_ENTRIES
        # A piece counts if it holds a letter or a digit.
        return lambda answer: (
            sum(any(map(str.isalnum, piece)) for piece in between.split(fold_text(answer))) >= least
        )
    listed = re.fullmatch(r"one of (.+)", plain)
    values = [words_of(part) for part in re.split(r", ?(?:or )?| or ", listed[1])] if listed else []
    if not values or not all(values):
        return None

    def names_one(answer: str) -> bool:
        """Whether the first clause that names any value names exactly one; later clauses do not count."""
        clauses = (words_of(clause) for clause in re.split(r"[,;:.\n]", answer))
        counts = (sum(find_phrase(value, words) is not None for value in values) for words in clauses)
        return next(filter(None, counts), 0) == 1

    return names_one


def _names_somebody(answer: str) -> bool:
    words = words_of(answer)
    is_name = _PERSON_NAME.search(answer.strip()) is not None and not _NO_NAMES.issuperset(words)
    return is_name or any(word in _PEOPLE or word.removesuffix("s") in _PEOPLE for word in words)


_PATTERNS: Final[dict[str, re.Pattern[str]]] = {
    "a number": _NUMBER,
    "given, when and then": re.compile(r"\A(?>.*?\bgiven\b)(?>.*?\bwhen\b).*?\bthen\b", re.DOTALL),
    "a date or deadline": re.compile(
        r"\b(?:\d{4}-\d{1,2}(?:-\d{1,2})?|\d{1,2}[./]\d{1,2}(?:[./]\d{2,4})?|(?:19|20)\d\d|q[1-4]"
        r"|jan(?:uary?)?|feb(?:ruary?)?|mar(?:ch)?|apr(?:il)?|may \d|\d{1,2}(?:st|nd|rd|th)? (?:of )?may"
        r"|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
        r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:hour|day|week|month|quarter|year)s?"
        r"|today|tonight|tomorrow|yesterday|now|asap|immediately"
        r"|deadlines?|due|milestones?|releases?|launch|go-live|sprints?)\b"
    ),
    "a condition": re.compile(
        r"\b(?:given|if|when|whenever|unless|until|once|while|only|where|after|before|as soon as|as long as"
        r"|in case|provided|except|otherwise)\b"
    ),
    "an error or failure": re.compile(
        r"\b(?:errors?|fail(?:s|ed|ing|ures?)?|faults?|exceptions?|time-?outs?|times? out|timed out|crash\w*"
        r"|invalid|missing|malformed|unavailable|unreachable|offline|lost|loses?|loss|conflicts?|denied"
        r"|refused|reject\w*|wrong|broken?|breaks|down|outages?|cannot|can't|could not|couldn't|corrupt\w*"
        r"|expire[sd]?|duplicates?|stale|not found|bugs?|drops?|dropped|retry|retries|abort\w*|partial"
        r"|overflow\w*|[45]\d\d|[45]xx)\b"
    ),
    "two options": re.compile(
        r"\w[^\w\n;]*[\n;]\W*\w|\b(?:or|versus|vs|either|alternatively|alternative|instead|rather than"
        r"|compared (?:to|with)|two (?:options|ways|approaches))\b"
        r"|\b(?:option|approach|plan|variant)s? (?:a|1|one)\b.{0,200}?\b(?:b|2|two)\b"
        r"|\A(?>.*?\b(?:a|1|one|first)[:.),]).*?\b(?:b|2|two|second)[:.),]",
        re.DOTALL,
    ),
}
_CHECKS: Final[dict[str, Check]] = {
    name: lambda answer, pattern=pattern: pattern.search(fold_text(answer)) is not None
    for name, pattern in _PATTERNS.items()
} | {
    "a number with a unit": lambda answer: any(
        found["unit"] not in _NO_UNITS for found in _MEASURED.finditer(fold_text(answer))
    ),
    "names a person or role": _names_somebody,
    "an owner": lambda answer: _names_somebody(answer) or not _SPEAKERS.isdisjoint(words_of(answer)),
    "a file or module": lambda answer: (
        _CODE_PLACE.search(answer) is not None or _CODE_WORDS.search(fold_text(answer)) is not None
    ),
}
