"""Occasions: what the lines between the probes are for, and which slots each of them may fill."""

from __future__ import annotations

from collections.abc import Mapping

CASES = (
    "busy", "race", "differ", "outage", "change", "old", "missing", "unknown", "wrong", "full", "again",
    "forget", "act", "who", "plain",
)  # fmt: skip
"""What kind of thing happens in a case that a question puts."""

ANSWERS = (
    "found", "figure", "limit", "measure", "nearly", "who-named", "who-none", "who-acts", "who-does",
    *(f"case-{kind}" for kind in CASES), "see", "see-before", "sign", "sign-test", "apart", "prevent", "undo",
    "choice", "choice-plain", "choice-keep", "choice-who", "wins", "may", "able", "also", "must", "should",
    "suggest", "law", "fact", "list", "define", "kept", "how", "place", "time", "reason", "no-reason",
    "advice", "plain",
)  # fmt: skip
"""How a question is answered, by what it asks for."""

STATED = (
    "stated", "stated-line", "stated-figure", "objected", "objected-wish", "objected-line",
    "objected-decision",
    "objected-point", "decided", "decided-never", "decided-only", "decided-order", "decided-settles",
    "decided-replaces", "do-that",
)  # fmt: skip
"""How a statement, an objection or a decision is taken up, by what it bears on."""

NEXT = ("next-figure", "next-person", "next-failure", "next-claim", "next")
"""What is said of a sentence that nobody took up, by what it speaks of."""

USES = (
    *ANSWERS, *STATED, "near", *NEXT, "recall", "pasted", "foreign", "bare", "why", "upset", "last",
    "tradeoff", "feedback", "reading", "ahead",
)  # fmt: skip
"""What stock lines are for."""

_LINE = frozenset({"quote", "says"})
_POINT = frozenset({"name", "open"})
_REFERENCE = frozenset({"name", "their"})
_SAID = frozenset({"claim", "that", "subject"})
_ASKED = frozenset({"when", "subject", "who"})
SLOTS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(ANSWERS, _ASKED),
    "found": _LINE | _ASKED,
    "nearly": _LINE | _ASKED,
    "figure": _LINE | _ASKED | {"figure"},
    "who-named": _LINE | _ASKED,
    "reason": _LINE | _ASKED,
    **dict.fromkeys(("choice", "choice-plain", "choice-keep", "choice-who"), _ASKED | {"one", "other"}),
    **dict.fromkeys(STATED, _SAID),
    "stated-line": _SAID | _LINE,
    "objected-line": _SAID | _LINE,
    "objected-decision": _SAID | {"before"},
    "objected-point": _SAID | _REFERENCE,
    "decided-settles": _SAID | _POINT,
    "decided-replaces": _SAID | {"before"},
    "near": _LINE,
    **dict.fromkeys(NEXT, _LINE),
    "recall": _POINT,
    "why": frozenset({"says", "handle"}),
    "pasted": frozenset({"quote", "figure"}),
    "tradeoff": frozenset({"one", "other", "point", "counterpoint"}),
    "reading": frozenset({"doc", "quote"}),
    "ahead": frozenset({"doc", "quote"}),
    **dict.fromkeys(("upset", "foreign", "feedback"), frozenset({"subject"})),
}
"""The slots of a line besides those that are always known."""
