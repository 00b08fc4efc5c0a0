"""How deep the analysis of a phase goes, and the words that change it (rules DEPTH-1 to DEPTH-4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from . import lazy_re as re
from .steps import PHASE_KEYS, Depth, is_depth
from .text import find_phrase, fold_text, word_set, words_of

_SPEED = "fast faster quick quicker quickly speed slow slowly soon latency performance time long"
# The words that ask for a depth. Where the open question uses one of the words behind them, it asked for the
# word itself: "How quickly must it load?" -- "Fast."
_PHRASES: Final[tuple[tuple[Depth, str, str], ...]] = (
    ("deep", "deep", "deep deeper deeply depth"),
    ("deep", "more detail", "detail details"),
    ("deep", "dig in", "dig"),
    ("deep", "thorough", "thorough thoroughly"),
    ("deep", "go deeper", "deep deeper deeply depth"),
    ("deep", "full analysis", "full analysis"),
    ("brief", "brief", "brief briefly"),
    ("brief", "skip ahead", "skip"),
    ("brief", "keep it short", "short long"),
    ("brief", "quick", _SPEED),
    ("brief", "fast", _SPEED),
    ("brief", "summarize", "summarize summary"),
    ("brief", "just the highlights", "highlights"),
    ("standard", "standard", "standard standards"),
    ("standard", "normal", "normal normally"),
)
# Beside the phrase only these make a request of it: "make it deep please" does, "it must be fast" does not.
_REQUEST_WORDS = word_set("""
        let let's lets please go make it this keep can could would we you i i'd like mode a an the bit more
        analysis version switch change set to into just now ok okay thanks thank depth here with use some
        give me do for treatment on from then and yes
        """)
_MAX_REQUEST_WORDS = 6

_ANNOUNCEMENTS: Final[dict[Depth, str]] = {
    "brief": "This looks straightforward. I'll keep the analysis brief"
    " -- say 'deep' if you want the full treatment.",
    "deep": "This is a substantial change. I'll do a thorough analysis"
    " -- say 'brief' if you want to speed things up.",
}

_SCOPES = ("small", "medium", "large")
_COMPLEXITIES = ("low", "medium", "high")
# "Scope: small, low": whoever is asked for both in one line leaves the second label out.
_PAIR = re.compile(
    r"^[ \t-]*+(?:scope[ \t]*+[:|=][ \t]*+){1,3}(?P<scope>small|medium|large)"
    r"[ \t]*+[,/][ \t]*+(?P<complexity>low|medium|high)[ \t]*+[.|]?[ \t]*$",
    re.MULTILINE,
)
_MARKUP = str.maketrans("", "", "*_'>#+")  # backticks are folded to apostrophes


def hear_depth(text: str, question: str | None) -> Depth | None:
    """Return the depth that a short message asks for; None if it answers the open question or says more."""
    words = words_of(text)
    if len(words) > _MAX_REQUEST_WORDS:
        return None
    found = [each for each in _PHRASES if find_phrase(words_of(each[1]), words) is not None]
    depths = {depth for depth, _, _ in found}
    spoken = {word for _, phrase, _ in found for word in words_of(phrase)}
    asked = set(words_of(question or ""))
    if len(depths) != 1 or not spoken | _REQUEST_WORDS >= set(words):
        return None
    return None if any(asked & set(words_of(kin)) for _, _, kin in found) else depths.pop()


def find_override(overrides: Mapping[str, object], phase: str) -> object:
    """Return the depth that the user set for a phase, else for the nearest phase before it."""
    keys = PHASE_KEYS[: PHASE_KEYS.index(phase) + 1] if phase in PHASE_KEYS else (phase,)
    return next((overrides[key] for key in reversed(keys) if is_depth(overrides.get(key))), None)


def choose_depth(
    *, override: object, scope: str | None, complexity: str | None, step: Depth, is_short: bool = False
) -> Depth:
    """Return the depth of a step: the user's word, else what the quick scan suggests, else the step's own.

    A short track is brief unless the user says otherwise. A size in between is asked at standard, so that no
    step goes deeper than its neighbours without a reason that the user can see.
    """
    if is_depth(override):
        return override
    if is_short:
        return "brief"
    size, difficulty = fold_text(scope or "").strip(), fold_text(complexity or "").strip()
    if size == "large" or difficulty == "high":
        return "deep"
    if size == "small" and difficulty == "low":
        return "brief"
    is_known = size in _SCOPES or difficulty in _COMPLEXITIES
    return step if is_depth(step) and not is_known else "standard"


def announcement(depth: Depth) -> str | None:
    """Return what is said once after the greeting; None at the standard depth."""
    return _ANNOUNCEMENTS.get(depth)


def acknowledgement(depth: Depth) -> str:
    """Return what is said when the user's words changed the depth."""
    return f"Got it, switching to {depth} mode."


def read_scope(quick_scan: str) -> tuple[str | None, str | None]:
    """Return the scope and the complexity that quick-scan.md names, each None if it names none."""
    scope = _find_labelled("scope", _SCOPES, quick_scan)
    complexity = _find_labelled("complexity", _COMPLEXITIES, quick_scan)
    if complexity is None:
        pair = _PAIR.search(fold_text(quick_scan).translate(_MARKUP))
        scope, complexity = (pair["scope"], pair["complexity"]) if pair else (scope, None)
    return scope, complexity


def _find_labelled(label: str, values: tuple[str, ...], text: str) -> str | None:
    # The label opens a line, a cell or a clause, so that "Out of scope: large files" does not count.
    labelled = re.compile(
        rf"(?:^|[|,;(])[\s-]*+(?:\d{{1,9}}[.)]\s*+)?(?:estimated |overall )?{label}(?: estimate)?\s*+"
        rf"[:|=]\s*+(?:{label}\s*+:\s*+)?(?P<value>{'|'.join(values)})\b(?P<more>.*)"
    )
    for line in text.splitlines():
        found = labelled.search(fold_text(line).translate(_MARKUP))
        if found:
            more = re.split(r"[|,;(]\s*(?:scope|complexity)\b", found["more"])[0]
            # A line that offers several values, as a template does, has chosen none.
            if not set(values) & set(words_of(more)) - {found["value"]}:
                return found["value"]
    return None
