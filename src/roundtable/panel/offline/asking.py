"""Asking: what kind of answer a question wants, the case it puts, and how an answer can take it up."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from .cases import Case, case, is_put
from .choices import Choice, choice
from .lexicon import sign
from .phrases import quote
from .questions import AUXILIARY, clause, topic

_SHORT = 70
_AUX = "|".join(sorted(AUXILIARY))
_RULED = re.compile(
    r"\b(?:may|have to|has to|should|must|allowed|can we|do we (?:\w+ )?(?:keep|wait|hold|allow|give"
    r"|store|need|retry)"
    r"|does (?:it|one) wait"
    r"|makes? sense|are we willing)\b|\b(?:largest|smallest|maximum|minimum|limit|deadline)\b",
    re.IGNORECASE,
)
_KINDS = (
    ("law", r"\b(?:legal|legally|lawful|by law|regulations?|gdpr|data protection)\b"),
    ("count", r"^(?:and |but )?(?:by |for |within |after |in )?how (?:many|much|long|often|big|large|fast"
              r"|far|old|soon|late|early|high|low|small|short|close|deep|recent|quickly|good|accurate"
              r"|reliable)\b"
              rf"|^how (?!(?:{_AUX}|about|come|exactly|else|not|to|we|i|you)\b)[a-z]+ (?:{_AUX})\b"
              r"|^what (?:does|would|will|do) .{1,40}\bcost\b|^(?:what|which)(?:'s"
              r"| is)? (?:the )?(?:largest|smallest|maximum|minimum|highest|lowest|number|figure|size"
              r"|limit|amount|price|deadline)\b"),
    ("wins", r"^(?:and )?whose\b(?!.*\b(?:job|turn)\b)|^(?:and )?(?:which|who)\b.*\b(?:wins?|first"
             r"|comes before|takes precedence|right one|is the truth|the piece|stands)\b"),
    ("see", r"^(?:what|which\b[^,]*?) (?:exactly )?(?:does|do|should|will|would|can|could"
            r"|must) (?:[\w'-]+ ){1,5}(?:see|read|hear|say)\b|^what\b.*\bon the (?:screen|display|page)\b"
            r"|^(?:what|how)\b.*\b(?:shown|displayed|looks? like)\b|^what (?:is|goes"
            r"|stands) in the (?:e-?mail|mail|message|text|summary)\b|^what (?:e-?mail|mail|message|text"
            r"|wording|notice)\b"),
    (
        "suggest",
        r"^(?:and |but )?why (?:not|don't we|can't we)\b|^(?:couldn't|can't|wouldn't|shouldn't"
        r"|could we not)\b",
    ),
    ("why", r"^(?:and |but )?(?:why|how come|for what reason|what for)\b"),
    ("who", r"^(?:and )?(?:who|whom|to whom|for whom|by whom|which (?:person|role|team|of (?:us|them)))\b"),
    ("advice", r"\b(?:would|should|do|could|can) you (?:\w+ ){0,2}?(?:start|take|pick|choose|use|suggest"
               r"|recommend|propose|do|go|prefer|advise|put|call|name|begin|set|test)\b|\bwhat(?:'s"
               r"| is) your (?:take|advice|view|opinion|choice)\b"),
    ("apart", r"\b(?:tell|know|distinguish|separate)\b.*\b(?:apart|from)\b|^how\b.*\b(?:know|tell"
              r"|recogni[sz]e)\b (?:which|whether|what|when|if)\b|^how\b.*\bknow that\b.*\b(?:is|belongs?"
              r"|comes?|counts?)\b"),
    ("sign", r"^how (?:do|does|would|will|can|could|should|did|are|is)\b.*\b(?:know|known|notice[ds]?"
             r"|tell|recogni[sz]e|find out|detect|be sure|catch|prove|verify|see that)\b|^how (?:would"
             r"|could) .* have noticed"),
    ("prevent", r"^(?:how|what)\b.*\b(?:keep .{2,40} from|stops? .{2,40} from|prevents?|avoid|protect"
                r"|make sure|keeps .{2,40} from)\b"),
    ("undo", r"^how\b.*\b(?:undo|repair|get back|gets? .{2,30} back|correct|take back|restore|reverse"
             r"|revert|recover|fix)\b"),
)  # fmt: skip
_OPEN = re.compile(
    r"(?:and |but |so )?(?:what|who|how|when|where|which|whose|why|if|whom|at|in|on|from)\b", re.IGNORECASE
)
_YES_NO = re.compile(rf"^(?:and |but |so )?(?:{_AUX})(?:n't)?\b", re.IGNORECASE)
_ALSO = re.compile(r"\b(?:also|too|as well|even)\b", re.IGNORECASE)
_DUTY = re.compile(
    r"^(?:and |but |so )?(?:should|must|shall)\b|\b(?:have to|has to|need to|needs to)\b", re.IGNORECASE
)
_ABLE = re.compile(r"^(?:and |but |so )?(?:can|could)\b|\bable to\b|\bpossible to\b", re.IGNORECASE)


_KEPT = re.compile(
    r"what\b.*\b(?:keep|kept|store[sd]?|record(?:ed)?|remember(?:ed)?|saved?|logged|written down|log)\b",
    re.IGNORECASE,
)
_DEFINE = re.compile(
    r"(?:what|which)\b.{0,40}?\b(?:counts? as|exactly|means?|valid|allowed|mandatory|required|optional"
    r"|qualif\w+|must(?: not)?)\b",
    re.IGNORECASE,
)
_WHAT_IF = re.compile(r"\bwhat (?:if|happens (?:if|when))\b", re.IGNORECASE)
_COMPARES = re.compile(
    r"^(?:and )?(?:who|whom|whose)\b|\b(?:more|less|worse|better|harder|easier|faster|cheaper|safer)\b",
    re.IGNORECASE,
)
_DUTIES = re.compile(
    r"^(?:and )?who(?:m)? (?:may|must|should|decides?|approves?|signs?|owns?|pays?|checks?|answers?"
    r"|tells?|finds? out|has to (?!be)|will (?:do|check|decide)|is (?:responsible|in charge))\b",
    re.IGNORECASE,
)
_ACTS = re.compile(
    r"(?:and |but )?what (?:do|does|should|would|will|can|could|must) (?:the|a"
    r"|an) (?P<who>[a-z]+(?: [a-z]+)?) (?:have to )?do\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: the kind of answer, its words, how an answer may begin, its case and its choice."""

    kind: str
    words: str
    when: str
    """How an answer may begin: "if the tablet breaks", "for old forms", "as to who signs it"."""
    case: Case | None
    choice: Choice | None
    who: str = ""
    """Who has to act in the case: "the waiter"."""


@lru_cache(maxsize=64)
def asked(sentence: str) -> Asked:
    """What a question asks for; the address and the fillers at its beginning are already gone."""
    plain = sign("shell").sub("", sentence.strip().replace("’", "'"), count=1)
    plain = re.sub(r"^(what|who|where|how|when)'s\b", r"\1 is", plain, flags=re.IGNORECASE)
    plain = plain.rstrip(" ?!.\"'") or sentence.strip()
    marked = f"{plain}?" if sentence.rstrip().endswith("?") else plain
    put, either = case(marked), choice(plain)
    kind = _kind(plain, put, either)
    own = sentence.strip().rstrip(" ?!.\"'") if sentence.strip() else plain
    return Asked(kind, plain, _when(plain, put, kind, own), put, either, _who(plain))


def _kind(plain: str, put: Case | None, either: Choice | None) -> str:
    if either is not None and (either.one or _YES_NO.match(plain) or not _OPEN.match(plain)):
        return "choice"
    if put is not None and _WHAT_IF.search(plain):
        return "case"
    for name, shown in _KINDS:
        if re.search(shown, plain, re.IGNORECASE):
            return ("limit" if _RULED.search(plain) else "measure") if name == "count" else name
    if put is not None and is_put(f"{plain}?"):
        return "case"
    if _YES_NO.match(plain):
        return _yes_no(plain)
    return _other(plain, put)


def _yes_no(plain: str) -> str:
    """What a yes would mean: a right, a duty, an ability, a wider scope or a fact."""
    if _ALSO.search(plain):
        return "also"
    if re.match(r"(?:and |but |so )?may\b", plain, re.IGNORECASE) or " allowed" in plain:
        return "may"
    if _DUTY.search(plain):
        return "should" if re.match(r"(?:and |but |so )?should\b", plain, re.IGNORECASE) else "must"
    return "able" if _ABLE.search(plain) else "fact"


def _other(plain: str, put: Case | None) -> str:
    if re.match(
        r"(?:and |but )?(?:when|at (?:what|which) (?:time|point|moment)|from when|until when|since when)\b",
        plain,
        re.IGNORECASE,
    ):
        return "time"
    if re.match(r"(?:and |but )?(?:where|(?:in|on|from|at|to) (?:where|which|what))\b", plain, re.IGNORECASE):
        return "place"
    if re.match(
        r"(?:what|which) (?:other|else|of our|of the)\b|what else\b|.*\bis there\b", plain, re.IGNORECASE
    ):
        return "list"
    if re.match(r"(?:and |but )?how\b", plain, re.IGNORECASE):
        return "how"
    if put is not None and put.kind != "plain":
        return "case"
    if _KEPT.match(plain):
        return "kept"
    if _DEFINE.match(plain):
        return "define"
    return "plain"


def _when(plain: str, put: Case | None, kind: str, own: str) -> str:
    """How an answer begins: with the case where the question puts one, else with the question as a clause."""
    if kind == "choice":
        return f'as to "{quote(own, _SHORT)}"'
    said = clause(plain)
    if put is not None and (kind in ("case", "see", "plain") or not said):
        return put.when
    if said:
        return f"as to {said}"
    named = topic(plain)
    return f"as to {named}" if named else f'as to "{quote(own, _SHORT)}"'


def acts(question: str) -> bool:
    """True where "who" asks for the one who has to do or decide something."""
    return bool(_DUTIES.search(question))


def compares(question: str) -> bool:
    """True where a choice is between people, or asks which of two is more of something."""
    return bool(_COMPARES.search(question))


def _who(plain: str) -> str:
    acts = _ACTS.match(plain)
    return f"the {acts['who']}" if acts else ""
