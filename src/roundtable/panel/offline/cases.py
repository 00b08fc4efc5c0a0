"""Cases: the condition that a question puts, in its own words, and what kind of thing happens in it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .questions import AUXILIARY, swapped

_MOST_WORDS = 22
_AUX = "|".join(sorted(AUXILIARY))
_LINK = r"(?:if|when|while|once|after|before|until|unless|as soon as)"
# A second question after a comma is another matter.
_SECOND = re.compile(
    rf",\s+(?:(?:and|or|so|but)\s+)?(?:(?:what|who|which|where|how|why|whose)\b|(?:{_AUX})\s+(?:that|it"
    rf"|this|there|we|they|i|you|the|a|an|[\"'])).*$",
    re.IGNORECASE,
)
_THEN = re.compile(
    r"^(?P<case>.{8,}?),?\s+(?:and\s+)?(?:what then|then what|what (?:do we do|happens) then)$", re.IGNORECASE
)
_LEADING = re.compile(
    rf"^(?:and\s+|but\s+|so\s+)?(?:what\s+|how\s+)?(?P<link>{_LINK})\s+(?P<case>.+)$", re.IGNORECASE
)
_TO = re.compile(
    r"^(?:and\s+)?what(?:\s+\w+)?\s+(?:happens?|becomes?|happened)\s+(?:to|with|of|for)\s+(?P<thing>.+)$"
    r"|^(?:and\s+|but\s+|so\s+)?(?:what|how) about\s+(?P<about>.+)$"
    r"|^(?:and|but)\s+(?P<and>(?:the|a|an|our|those|these|my|people|somebody|someone)\b.+)$"
    r"|^(?:and\s+)?what (?:do|does|should|would|will|can|could|must)\s+[\w' -]{1,40}?\s+"
    r"(?:do|answer|return|give)\s+(?:with|about|for)\s+(?P<with>.+)$"
    r"|^what (?:is|would be|changes) (?:different )?(?:for|with)\s+(?P<for>.+)$",
    re.IGNORECASE,
)
_TRAILING = re.compile(
    r"^.{4,}?\s(?P<link>if|when|while|unless|once(?= (?:he|she|it|they|the|a|we|i|you"
    r"|somebody)\b))\s+(?P<case>.+)$",
    re.IGNORECASE,
)
_ON = re.compile(r"^(?:and\s+)?what happens (?P<link>on|in|at|during)\s+(?P<case>.+)$", re.IGNORECASE)
_BARE = re.compile(r"^(?P<case>(?:the|a|an|our|those|these|my|people|somebody|someone)\b.+)$", re.IGNORECASE)
_KINDS = (
    ("busy", r"\b(?:half ?way through|open at that moment|(?:is|are|was|were) (?:still |already )?running"
             r"|in progress|in the middle of (?!writing|saving|sending)|waiting (?:message|request|order"
             r"|job))\b"),
    ("race", r"\b(?:same (?:second|moment|minute)|at once|simultaneous\w*|in the very)\b"
             r"|\bboth (?:\w+ )?(?:click|save|take|book|confirm|press|send|pick)|\b(?:two"
             r"|both)\b.*\bsame time\b"),
    ("old", r"^(?:for |on |in ).*\b(?:already|existing|so far|in the past|have now|until now|past years?"
            r"|last (?:month|year|week)|before .{2,30} existed)\b|^for (?:the |our |those )?old\b"),
    ("change", r"\b(?:chang(?:es?|ed|ing)|since|meanwhile|after all|edited|renamed|moved|between (?:the"
               r"|its|his|her) |no longer|is chosen|turns out)\b"),
    ("differ", r"\b(?:disagree\w*|differ\w*|overlap\w*|conflict\w*|contradict\w*|shares? (?:one|the|a)\b"
               r"|both|duplicates?)\b|^(?:if|when|while|once) (?:the )?two\b|\bthere are two\b"
               r"|\bsays? .* says?\b"),
    ("wrong", r"\b(?:wrong(?:ly)?|faulty|broken|invalid|by (?:mistake|accident)|incorrect\w*|in pounds"
              r"|letters in|five minutes off|mistyped|misspelt|typo)\b"),
    ("full", r"\b(?:full|fills?|used up|runs? out|(?:all|every) [\w ]{2,30}(?:reserved|taken|used|full"
             r"|gone)|(?:does|do) ?n[o']t fit|none left|too (?:many|big|large))\b"),
    ("outage", r"\b(?:offline|down|away|gone|unreachable|drops?|crash\w*|sleep|interrupted|half ?way"
               r"|fails?|failed|breaks?|hangs?|silent|unplugged|times? out|disconnect\w*|loses? (?:power"
               r"|the|its|connection)|stops?|no (?:network|signal|connection|power|wifi)|power (?:cut"
               r"|goes|fails)|gives? up|stuck|does ?n[o']t (?:answer|respond|arrive))\b"),
    ("again", r"\b(?:twice|a second time|once more|repeatedly)\b"),
    ("forget", r"\b(?:forgets?|forgotten|never (?:answers?|reacts?|reads?|looks?)|ignores?|overlooks?"
               r"|nobody (?:answers?|looks?|reads?|notices?))\b"),
    ("unknown", r"\b(?:(?:does|do|did) ?n[o']?t exist|unknown|not (?:found|in (?:the|our) list)"
                r"|nobody knows)\b"),
    ("missing", r"\b(?:without (?!\w+ing\b)|missing|empty|nothing|absent|(?:have|has|with) no \w+"
                r"|is ?n[o']t (?:set|there))"),
    ("act", r"\b(?:by hand|on purpose|really wants?|wants? to|regardless|insists?|chooses?|overrides?"
            r"|turns the)\b"),
)  # fmt: skip


_FEW_WORDS = re.compile(
    rf"^(?!(?:and|but|so|why|what|how|who|when|where|which|whose|really|seriously|yes|no|ok|{_AUX})\b)"
    rf"(?!.*\b(?:{_AUX}|or|not)\b)(?P<case>[a-z][\w-]*(?: [\w-]+){{0,2}})$",
    re.IGNORECASE,
)
_WHEN_IS = re.compile(rf"(?:and\s+)?when\s+(?:{_AUX})\b", re.IGNORECASE)
_DOES = re.compile(
    r"(?:and |but |so )?what (?:happens?|(?:do|does|should|would|will|can) .{1,40}? (?:do|return|answer"
    r"|give)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Case:
    """A condition as it can begin a sentence ("if the tablet breaks", "for old forms"), and its kind."""

    when: str
    kind: str


def case(question: str) -> Case | None:
    """The case that a question puts; None where it puts none, or one too long to be said again."""
    plain = question.rstrip(" ?!.").replace("’", "'")
    then = _THEN.match(plain)
    if then:
        return _made("if", then["case"])
    leading = _LEADING.match(plain)
    if leading and not _WHEN_IS.match(plain):
        return _made(leading["link"], leading["case"])
    on = _ON.match(plain)
    if on:
        return _made(on["link"], on["case"])
    to = _TO.match(plain)
    if to:
        return _made("for", next(found for found in to.groups() if found))
    trailing = _TRAILING.match(plain)
    if trailing:
        return _made(trailing["link"], trailing["case"])
    bare = _BARE.match(plain) or (question.rstrip().endswith("?") and _FEW_WORDS.match(plain))
    return _made("for", bare["case"]) if bare else None


def is_put(question: str) -> bool:
    """True where a question only puts its case: "what if ...", "what about ...", "..., what then?"."""
    plain = question.rstrip(" ?!.").replace("’", "'")
    if _THEN.match(plain) or _TO.match(plain) or _ON.match(plain) or _BARE.match(plain):
        return True
    if question.rstrip().endswith("?") and _FEW_WORDS.match(plain):
        return True
    return bool(_LEADING.match(plain) and not _WHEN_IS.match(plain)) or bool(_DOES.match(plain))


def kind(text: str) -> str:
    """What kind of thing happens in a case."""
    return next((name for name, shown in _KINDS if re.search(shown, text, re.IGNORECASE)), "plain")


def _made(link: str, said: str) -> Case | None:
    inner = _SECOND.sub("", said.strip()).strip(" ,;:")
    inner = re.sub(r",?\s+(?:what happens|what then|then what)$", "", inner, flags=re.IGNORECASE)
    inner = inner.replace('"', "'")
    if not inner or len(inner.split()) > _MOST_WORDS:
        return None
    if link == "for" and re.match(rf"(?:{_AUX})\b", inner, re.IGNORECASE):
        return None
    said_again = f"{link.lower()} {swapped(inner)}"
    return Case(said_again, kind(said_again))
