"""The named checks that a step's Validation section asks of an answer (rules STEP-1 and STEP-4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from . import lazy_re as re
from .errors import RuleBroken
from .text import find_phrase, fold_text, phrases_of, word_set, words_of

Check = Callable[[str], bool]

# --- what is no answer, or says that there is none ------------------------------------------------------

_UNKNOWNS = phrases_of(
    "don't know | dont know | do not know | didn't know | no idea | no clue | not sure | unsure | unknown"
    "| unclear | not known | dunno | idk | tbd | tba | n/a | na | can't say | cannot say | hard to say"
    "| can't tell | cannot tell | to be decided | to be determined | not decided | undecided | weiß nicht"
    "| weiss nicht | keine ahnung | unbekannt | unklar"
)
_AROUND_UNKNOWNS = word_set("""
        i i'm im i've we we're we've it it's is that that's this to be me have got honestly really sorry still
        just yet now right at all the moment point about here well so hm hmm um uh and frankly actually
        currently afraid ich wir es das noch leider
        """)
_UNKNOWN_UNSPACED = re.compile(r"[わ分]か(?:らない|らん|りません)|不明|未定|不知道|不清楚|不确定")
_ASKED_BACK = phrases_of(
    "do you mean | does that mean | does this mean | why do you need | why do you ask | why do you want"
    "| why are you asking | do you want to know | can you explain | could you explain | give me an example"
    "| for example what | like what | such as what | what for"
)
_LOST = re.compile(
    r"(?:(?:sorry|hm+|uh|um|well|ok|huh|dunno|but)[,.!]? )*(?:huh|what|what did you mean(?: \w+){0,3}"
    r"|what (?:should|do|am) i (?:supposed to )?(?:write|say|put|answer)(?: here| there| now| to this)?"
    r"|(?:i )?(?:don't|dont|do not|didn't) (?:really )?(?:understand|get)(?: (?:it|that|this|you"
    r"|what you mean|(?:the|this|that|your) question))?|(?:can|could|may) i skip (?:this|it|that)(?: one)?"
    r"|(?:can|could) you (?:rephrase|repeat)(?: (?:it|that|this|the question))?|say that again)[ ,.!?]*"
)
# What is named after a colon was named before: "I named two already: rows and a queue".
_COMPLAINT = re.compile(
    r"(?:but |well,? |sorry,? )*(?:as (?:i|we) (?:just |already )?(?:said|wrote)|see above|asked and answered"
    r"|(?:i|we)(?:'ve| have)? (?:(?:just|already) (?:did|done|said|named|gave|given|told|answered|listed)"
    r"(?: \w+){0,3}|(?:did|said|named|gave|told|answered|listed)(?: \w+){0,3}? (?:already|before|above))"
    r"|you (?:just |already )?asked (?:that|this|it)(?: already| before)?)(?::.*|[.!]*$)",
    re.DOTALL,
)
_MAX_WORDS_AROUND = 8
_SETTLED = phrases_of(
    "not applicable | doesn't apply | does not apply | not relevant | not needed | approved | none | nothing"
    "| no new | no one | nobody | nowhere | never | same as today | same as before | as before | unchanged"
    "| no change | no changes | keine | nichts | genehmigt"
)
_MAX_SETTLED_WORDS = 16
# Nobody misses these in a document; "nobody", "never" and "as before" answer something.
_NONES = phrases_of(
    "none | nothing | not applicable | doesn't apply | does not apply | not relevant | not needed | keine"
    "| nichts"
)
_AROUND_NONES = word_set("none nothing else at all here really unverified assumed")
_APPROVALS = phrases_of("approved | genehmigt")


def is_unknown(answer: str) -> bool:
    """Whether a short message says no more than that the answer is not known."""
    said, words = fold_text(answer).strip(), words_of(answer)
    if not words:
        return bool(said) and not said.strip("?.-!/ 🤷")
    if len(words) > _MAX_WORDS_AROUND:
        return False
    if _UNKNOWN_UNSPACED.search(said):
        return len(said) <= 2 * _MAX_WORDS_AROUND
    places = ((find_phrase(phrase, words), len(phrase)) for phrase in _UNKNOWNS)
    return any(
        at is not None and _AROUND_UNKNOWNS.issuperset(words[:at] + words[at + length :])
        for at, length in places
    )


def is_settled(answer: str) -> bool:
    """Whether a short answer says that there is nothing to say, or that all is well: nothing is missing."""
    words = words_of(answer)
    return len(words) <= _MAX_SETTLED_WORDS and any(words[: len(each)] == each for each in _SETTLED)


def says_none(answer: str) -> bool:
    """Whether an answer says none, not applicable or approved and not a word more: nobody misses it."""
    words = words_of(answer)
    return words in _APPROVALS or any(
        words[: len(each)] == each and _AROUND_NONES.issuperset(words[len(each) :]) for each in _NONES
    )


def asks_back(answer: str, *, is_old: bool = False) -> bool:
    """Whether a short message asks what the question means or what it is for, and answers nothing.

    Older journals knew fewer such messages.
    """
    words = words_of(answer)
    if not is_old and _LOST.fullmatch(fold_text(answer).strip()):
        return True
    if not fold_text(answer).rstrip(" !\"')").endswith("?") or len(words) > _MAX_WORDS_AROUND:
        return False
    return words == ("why",) or any(find_phrase(phrase, words) is not None for phrase in _ASKED_BACK)


def complains(reply: str) -> bool:
    """Whether a reply to a follow-up says no more than that it was answered before."""
    return _COMPLAINT.match(fold_text(reply).strip()) is not None


# --- the named checks -----------------------------------------------------------------------------------

# Scripts that write words without spaces between them: Thai to Khmer, kana, Han.
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_NUMBER = re.compile(
    r"(?<!\d)\d[\d.,]{0,30}+|[一二三四五六七八九十百千万]|\b(?:zero|one|two|three|four|five|six|seven|eight|nine"
    r"|ten|eleven|twelve|fifteen|twenty|thirty|fifty|dozens?|hundreds?|thousands?|millions?|half|twice)\b"
)
_MEASURED = re.compile(rf"[$€£¥]\s?\d|(?:{_NUMBER.pattern})\s?(?:[%°€$£¥]|-?(?P<unit>[^\W\d_]+))")
_NO_UNITS = word_set("""
        a an and are as at but by for from if in is it no not of on or per so than that the then this to was
        st nd rd th und oder bis von zu
        """)
_PEOPLE = word_set("""
        user customer client buyer visitor member people person anyone everybody everyone nobody admin
        administrator manager team owner stakeholder developer dev engineer designer tester analyst architect
        operator ops support sales marketing finance legal compliance security auditor agent staff employee
        worker technician driver nurse doctor patient teacher student parent guest partner vendor supplier
        reviewer approver editor author reader subscriber lead head director cto ceo cfo cio po pm qa sre dba
        hr helpdesk maintainer contributor contractor inspector clerk accountant colleague
        benutzer nutzer kunde kunden kundin mitarbeiter leiter chef
        """)
_SPEAKERS = word_set("i me my mine myself we us our ours ourselves ich wir")
# A capital inside a sentence, or a message that is nothing but capitalised words.
_PERSON_NAME = re.compile(r"(?<=\w[ ,])[A-ZÀ-Þ][a-zß-ÿ]+|^[A-ZÀ-Þ][a-zß-ÿ]+(?: [A-ZÀ-Þ][a-zß-ÿ]+)*\W*$|@\w+")
_NO_NAMES = word_set("yes no none maybe ok okay sure ja nein")
_OPTIONS = re.compile(
    r"\b(?:or|versus|vs|either|alternatively|alternative|instead|rather than|compared (?:to|with)|oder"
    r"|entweder|two (?:options|ways|approaches))\b"
    r"|\b(?:option|approach|plan|variant)s? (?:a|1|one)\b.{0,200}?\b(?:b|2|two)\b"
    r"|\A(?>.*?\b(?:a|1|one|first)[:.),]).*?\b(?:b|2|two|second)[:.),]",
    re.DOTALL,
)
_CODE_PLACE = re.compile(
    r"\b(?!and/or\b)[A-Za-z][\w-]{0,40}/[\w./-]+|\b\w{2,}\.[a-z][a-z0-9]{0,4}\b|\b[a-z0-9]+_\w+|\b[A-Z]?[a-z]+[A-Z]\w*|`[^`\n]+`"
)
_CODE_WORDS = re.compile(
    r"\b(?:files?|modules?|packages?|class|classes|services?|components?|functions?|methods?|folders?|director(?:y|ies)"
    r"|tables?|endpoints?|controllers?|pages?|screens?|scripts?|librar(?:y|ies)|apis?|repos?|repositor(?:y|ies)"
    r"|handlers?|schemas?|migrations?|jobs?|queues?|views?|frontend|backend|front-end|back-end|datei\w*|modul\w*)\b"
)
_BETWEEN_ENTRIES = re.compile(r"\n|;|,(?!\d)|(?<!\d),|・|\b(?:and|und)\b|\s&\s|(?:^|\s)(?:\d+[.)]|[-*•])\s")


def is_known_check(name: str) -> bool:
    """Whether a check of that name exists."""
    return _find_check(name) is not None


def meets_check(name: str, answer: str) -> bool:
    """Whether the answer meets the named check, or says in earnest that it is not known."""
    checked = _find_check(name)
    if checked is None:
        families = ("at least N words", "at least N entries", "one of A, B, C")
        raise RuleBroken(f"No validation criterion is called '{name}'.", legal=(*_CHECKS, *families))
    return is_unknown(answer) or checked(answer)


def _find_check(name: str) -> Check | None:
    plain = " ".join(fold_text(name).split()).rstrip(".")
    if check := _CHECKS.get(plain):
        # A number is read in every script; nobody is asked again for writing in one that a check cannot read.
        return lambda answer: (
            check(answer) or (not plain.startswith("a number") and _UNSPACED.search(answer) is not None)
        )
    if counted := re.fullmatch(r"at least ([1-9][0-9]?) (words?|entr(?:y|ies))", plain):
        count = _count_words if counted[2].startswith("word") else _count_entries
        return lambda answer: count(answer) >= int(counted[1])
    listed = re.fullmatch(r"one of (.+)", plain)
    values = [words_of(part) for part in re.split(r", ?(?:or )?| or ", listed[1])] if listed else []
    if not values or not all(values):
        return None

    def names_one(answer: str) -> bool:
        """Whether the first clause that names any value names one: what comes after it is about more."""
        clauses = (words_of(clause) for clause in re.split(r"[,;:.\n]", answer))
        counts = (sum(find_phrase(value, words) is not None for value in values) for words in clauses)
        return next(filter(None, counts), 0) == 1

    return names_one


def _count_words(answer: str) -> int:
    said = fold_text(answer)
    spaced = _count_pieces(re.split(r"[\s,;/]+", _UNSPACED.sub(" ", said)))
    return spaced + len(_UNSPACED.findall(said)) // 2


def _count_entries(answer: str) -> int:
    return _count_pieces(_BETWEEN_ENTRIES.split(fold_text(answer)))


def _count_pieces(pieces: Iterable[str]) -> int:
    return sum(any(char.isalnum() for char in piece) for piece in pieces)


def _is_measured(answer: str) -> bool:
    return any(match["unit"] not in _NO_UNITS for match in _MEASURED.finditer(fold_text(answer)))


def _names_somebody(answer: str) -> bool:
    words = words_of(answer)
    is_name = _PERSON_NAME.search(answer.strip()) is not None and not _NO_NAMES.issuperset(words)
    return is_name or any(map(is_role, words))


def is_role(word: str) -> bool:
    """Whether a word, in small letters, says what somebody does instead of who it is."""
    return word in _PEOPLE or word.removesuffix("s") in _PEOPLE


_PATTERNS: Final[dict[str, re.Pattern[str]]] = {
    "a number": _NUMBER,
    "given, when and then": re.compile(
        r"\A(?:(?>.*?\bgiven\b)(?>.*?\bwhen\b).*?\bthen\b"
        r"|(?>.*?\b(?:gegeben|angenommen)\b)(?>.*?\bwenn\b).*?\bdann\b)",
        re.DOTALL,
    ),
    "a date or deadline": re.compile(
        r"\b(?:\d{4}-\d{1,2}(?:-\d{1,2})?|\d{1,2}[./]\d{1,2}(?:[./]\d{2,4})?|(?:19|20)\d\d|q[1-4]"
        r"|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may \d|\d{1,2}(?:st|nd|rd|th)? (?:of )?may|june?"
        r"|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
        r"|januar|februar|märz|mai|juni|juli|oktober|dezember|heute|morgen|sofort|frist"
        r"|tage?n?|wochen?|monate?n?|jahre?n?"
        r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:hour|day|week|month|quarter|year)s?"
        r"|today|tonight|tomorrow|yesterday|now|asap|immediately"
        r"|deadlines?|due|milestones?|releases?|launch|go-live|sprints?)\b"
    ),
    "a condition": re.compile(
        r"\b(?:given|if|when|whenever|unless|until|once|while|only|where|after|before|as soon as|as long as"
        r"|in case|provided|except|otherwise|wenn|falls|sobald|solange|sofern)\b"
    ),
    "an error or failure": re.compile(
        r"\b(?:errors?|fail(?:s|ed|ing|ures?)?|faults?|exceptions?|time-?outs?|times? out|timed out|crash\w*"
        r"|invalid|missing|malformed|unavailable|unreachable|offline|lost|loses?|loss|conflicts?|denied"
        r"|refused|reject\w*|wrong|broken?|breaks|down|outages?|cannot|can't|could not|couldn't|corrupt\w*"
        r"|expire[sd]?|duplicates?|stale|not found|bugs?|drops?|dropped|retry|retries|abort\w*|partial"
        r"|overflow\w*|[45]\d\d|[45]xx|fehler\w*|ausfall\w*|absturz|abbruch)\b"
    ),
}
_CHECKS: Final[dict[str, Check]] = {
    name: lambda answer, pattern=pattern: pattern.search(fold_text(answer)) is not None
    for name, pattern in _PATTERNS.items()
} | {
    "a number with a unit": _is_measured,
    "two options": lambda answer: (
        _count_pieces(re.split(r"[\n;]", answer)) > 1 or _OPTIONS.search(fold_text(answer)) is not None
    ),
    "names a person or role": _names_somebody,
    "an owner": lambda answer: _names_somebody(answer) or not _SPEAKERS.isdisjoint(words_of(answer)),
    "a file or module": lambda answer: (
        _CODE_PLACE.search(answer) is not None or _CODE_WORDS.search(fold_text(answer)) is not None
    ),
}
