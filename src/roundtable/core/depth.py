"""How deep the analysis of a phase goes, and the words that change it (rules DEPTH-1 to DEPTH-4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from . import lazy_re as re
from .steps import PHASE_KEYS, Depth, is_depth
from .text import content_stems, find_phrase, fold_text, phrases_of, word_set, words_of

_PHRASES: Final[Mapping[Depth, tuple[tuple[str, ...], ...]]] = {
    "deep": phrases_of("deep | more detail | dig in | thorough | go deeper | full analysis"),
    "brief": phrases_of(
        "brief | skip ahead | keep it short | quick | fast | summarize | just the highlights"
    ),
    "standard": phrases_of("standard | normal"),
}
# A question about time or length asked for the word itself: "How soon must it load?" -- "Fast."
_MEASURES = (
    word_set("fast faster quick quickly speed slow slowly soon latency performance time long"),
    word_set("short long"),
)
# Beside the phrase only these make a request of it: "make it deep please" does, "it must be fast" does not.
_REQUEST_WORDS = word_set("""
        let let's lets please go make it this keep can could would we you i i'd like mode a an the bit more
        analysis version switch change set to into just now ok okay thanks thank depth here with use some
        give me do for treatment on from then and yes
        """)
_MAX_REQUEST_WORDS = 6

ANNOUNCEMENTS: Final[dict[Depth, str]] = {
    "brief": "This looks straightforward. I'll keep the analysis brief"
    " -- say 'deep' if you want the full treatment.",
    "deep": "This is a substantial change. I'll do a thorough analysis"
    " -- say 'brief' if you want to speed things up.",
}
"""What is said once after the greeting; nothing at the standard depth (DEPTH-3)."""

_SIZES = {"scope": word_set("small medium large"), "complexity": word_set("low medium high")}
# The label opens a line, a cell or a clause, so that "Out of scope: large files" does not count.
_SIZE = re.compile(
    r"(?:^|[|,;(])[\s-]*+(?:\d{1,9}[.)]\s*+)?(?:estimated |overall )?"
    r"(?P<label>scope|complexity)(?: estimate)?\s*+[:|=]\s*+"
    r"(?:(?P=label)\s*+:\s*+)?(?P<value>small|medium|large|low|high)\b"
    r"(?P<more>(?:(?![|,;(]\s*+(?:scope|complexity)\b).)*)"
)
# "Scope: small, low": whoever is asked for both in one line leaves the second label out.
_BESIDE = re.compile(r"\s*+[,/]\s*+(low|medium|high)\s*+[.|]?\s*")
_MARKUP = str.maketrans("", "", "*_'>#+")  # backticks are folded to apostrophes


def hear_depth(text: str, question: str | None) -> Depth | None:
    """Return the depth that a short message asks for; None if it answers the open question or says more."""
    words = words_of(text)
    found = [
        (depth, phrase)
        for depth, phrases in _PHRASES.items()
        for phrase in phrases
        if find_phrase(phrase, words) is not None
    ]
    depths = {depth for depth, _ in found}
    spoken = {word for _, phrase in found for word in phrase}
    if len(words) > _MAX_REQUEST_WORDS or len(depths) != 1 or not spoken | _REQUEST_WORDS >= set(words):
        return None
    asked = question or ""
    is_shared = not set(content_stems(" ".join(spoken))).isdisjoint(content_stems(asked))
    is_measure = any(spoken & words and words.intersection(words_of(asked)) for words in _MEASURES)
    return None if is_shared or is_measure else depths.pop()


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
    if scope == "large" or complexity == "high":
        return "deep"
    if scope == "small" and complexity == "low":
        return "brief"
    return "standard" if scope or complexity else step


def read_scope(quick_scan: str) -> tuple[str | None, str | None]:
    """Return the scope and the complexity that quick-scan.md names, each None if it names none."""
    found: dict[str, str] = {}
    for line in quick_scan.splitlines():
        for each in _SIZE.finditer(fold_text(line).translate(_MARKUP)):
            named = _SIZES[each["label"]].intersection((each["value"], *words_of(each["more"])))
            beside = _BESIDE.fullmatch(each["more"]) if each["label"] == "scope" else None
            if beside or named == {each["value"]}:  # a line that offers several, as a template, chose none
                found.setdefault(each["label"], each["value"])
            if beside:
                found.setdefault("beside", beside[1])
    return found.get("scope"), found.get("complexity") or found.get("beside")
