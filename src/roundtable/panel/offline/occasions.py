"""Occasions: what the lines between the probes are for, and which slots each of them may fill."""

from __future__ import annotations

from collections.abc import Mapping

CASES = ("plain", "shown")
"""Cases that a question puts: any, and what is to be seen while something is not known yet."""

FOUND = ("found", "figure", "who-named", "reason")
"""Answers that stand in the text."""

ANSWERS = (
    *FOUND, "touches", "fact", "yes-no", "either", "choice", *(f"case-{kind}" for kind in CASES), "measure",
    "limit", "who-none", "who-can", "no-reason", "list", "sign", "see", "view", "plain",
)  # fmt: skip
"""How a question is answered, by what it asks for."""

STATED = (
    "stated", "changes", "proposed", "objected", "objected-decision", "decided", "decided-replaces",
    "do-that",
)  # fmt: skip
"""How a statement, an objection or a decision is taken up."""

OPENINGS = ("opens-asked", "opens-added", "opens-told", "opens-objected", "opens-decided")
"""What stands before a reply that the words of a message called for."""

SHARES = ("share-few", "share-some", "share-most")
"""What is said to a share that the user states, by its size."""

NEXT = ("next-figure", "next-person", "next-failure", "next-claim", "next")
"""What is said of a sentence that nobody took up, by what it speaks of."""

USES = (
    *ANSWERS, *STATED, *OPENINGS, *SHARES, "near", "bears", "beside", *NEXT, "open-asked", "open-step",
    "recall",
    "pasted", "foreign", "bare", "why", "upset", "last", "tradeoff", "feedback", "reading", "ahead",
)  # fmt: skip
"""What stock lines are for."""

_LINE = frozenset({"quote", "says"})
_ASKED = frozenset({"asked", "clause", "when"})
_SAID = frozenset({"claim"})
SLOTS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(ANSWERS, _ASKED),
    **dict.fromkeys((*FOUND, "touches"), _LINE | _ASKED),
    "figure": _LINE | _ASKED | {"figure"},
    **dict.fromkeys(STATED, _SAID),
    **dict.fromkeys(OPENINGS, _SAID),
    **dict.fromkeys(SHARES, _SAID | {"share"}),
    **dict.fromkeys(("opens-asked", "opens-added"), _ASKED),
    "changes": _SAID | {"label", "quote"},
    "proposed": _SAID | {"thing"},
    **dict.fromkeys(("open-asked", "open-step"), frozenset({"asked"})),
    "objected-decision": _SAID | {"before"},
    "decided-replaces": _SAID | {"before"},
    **dict.fromkeys(("near", "bears"), _LINE),
    **dict.fromkeys(NEXT, _LINE),
    "recall": frozenset({"question", "open"}),
    "why": frozenset({"says", "handle"}),
    "pasted": frozenset({"quote", "figure"}),
    "tradeoff": frozenset({"one", "other", "point", "counterpoint"}),
    "reading": frozenset({"doc", "quote"}),
    "ahead": frozenset({"doc", "quote"}),
    **dict.fromkeys(("upset", "foreign", "feedback"), frozenset({"subject"})),
}
"""The slots of a line besides those that are always known."""
