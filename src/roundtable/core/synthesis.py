"""The synthesis: entries that cite their turns, attributed and completed by rule (SYN-1 to SYN-5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from .personas import Roster
from .text import escape_markdown
from .turns import USER, Turn

Exit = Literal["user-initiated", "turn-limit"]

SUMMARY_LENGTH = 100
_OWN_WORDS_LENGTH = 300


@dataclass(frozen=True, slots=True)
class Entry:
    """An insight, decision, question or action, the turns it cites, and its rationale, reason or owner."""

    text: str
    turns: tuple[int, ...]
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """A synthesis as a panel drafts it, with the one-line summary for the record."""

    insights: tuple[Entry, ...] = ()
    decisions: tuple[Entry, ...] = ()
    questions: tuple[Entry, ...] = ()
    actions: tuple[Entry, ...] = ()
    summary: str = ""
    takeaway: str = ""

    @property
    def entries(self) -> tuple[Entry, ...]:
        return self.insights + self.decisions + self.questions + self.actions


def decision_turns(turns: Sequence[Turn]) -> tuple[int, ...]:
    """Return the numbers of the turns that hold a decision, in order."""
    return tuple(sorted({number for turn in turns for number in turn.verdict.decisions}))


def problems(draft: Draft, turns: Sequence[Turn]) -> tuple[str, ...]:
    """Return what keeps a draft from being accepted as it is, in words that a panel can act on."""
    found: list[str] = []
    for entry in draft.entries:
        text = join_lines(entry.text)
        if not text:
            found.append("An entry has no text.")
        elif not entry.turns:
            found.append(f'No turn is cited for: "{text}".')
        found += [
            f'Turn {number} does not exist, cited for: "{text}".'
            for number in entry.turns
            if not 1 <= number <= len(turns)
        ]
    found += [
        f"Turn {turn.number} holds a decision that no decision cites: {own_words(turn)}"
        for turn in _left_out(draft.decisions, turns)
    ]
    return tuple(found)


def settle(draft: Draft, turns: Sequence[Turn]) -> Draft:
    """Return the draft with nothing uncited left in it and no decision left out."""
    decisions = _drop_uncited(draft.decisions, turns)
    added = tuple(Entry(own_words(turn), (turn.number,)) for turn in _left_out(decisions, turns))
    return replace(
        draft,
        insights=_drop_uncited(draft.insights, turns),
        decisions=decisions + added,
        questions=_drop_uncited(draft.questions, turns),
        actions=_drop_uncited(draft.actions, turns),
    )


def _left_out(decisions: Iterable[Entry], turns: Sequence[Turn]) -> list[Turn]:
    """The turns that hold a decision and that no decision cites."""
    cited = {number for entry in decisions for number in entry.turns}
    return [turns[number - 1] for number in decision_turns(turns) if number not in cited]


def attribution(cited: Iterable[int], turns: Sequence[Turn], roster: Roster) -> str:
    """Return who is credited for an entry, computed from the speakers of the turns that it cites."""
    numbers = set(cited)
    said = [turn for turn in turns if turn.number in numbers]
    speakers = {turn.speaker for turn in said}
    personas = [persona for persona in roster.personas if persona.key in speakers]
    opposed = any(turn.verdict.opposes in numbers for turn in said)
    if len(personas) == len(roster.personas) and len(personas) > 1 and not opposed:
        names = ["All"]
    else:
        names = [persona.first_name for persona in personas]
    return "/".join((["User"] if USER in speakers else []) + names)


def render(
    draft: Draft, *, step_id: str, title: str, roster: Roster, turns: Sequence[Turn], exit_type: Exit
) -> str:
    """The block of SYN-1, from a settled draft."""
    participants = ", ".join(f"{persona.name} ({persona.short_role})" for persona in roster.personas)
    parts = [
        f"### Elaboration Insights (Step {step_id}: {title})",
        f"**Participants**: {participants}\n**Turns**: {len(turns)} | **Exit**: {exit_type}",
        "#### Key Insights\n"
        + _bullets(
            f"[{attribution(entry.turns, turns, roster)}] {escape_markdown(entry.text)}"
            for entry in draft.insights
        ),
        "#### Decisions Made\n" + _bullets(_with_detail(entry) for entry in draft.decisions),
        "#### Open Questions\n" + _bullets(_with_detail(entry) for entry in draft.questions),
    ]
    if draft.actions:
        parts.append("#### Action Items\n" + _bullets(_with_detail(entry) for entry in draft.actions))
    return "\n\n".join(parts) + "\n"


def marker(step_id: str, at: str) -> str:
    """The comment that stands before every block in a document (ART-4)."""
    return f"<!-- Elaboration: step {step_id}, {at} -->"


def description(draft: Draft) -> str:
    """What was added, in a few words: `3 insights, 1 decision`."""
    nouns = ("insight", "decision", "open question", "action item")
    counts = map(len, (draft.insights, draft.decisions, draft.questions, draft.actions))
    pairs = zip(counts, nouns, strict=True)
    return ", ".join(f"{count} {noun}{'' if count == 1 else 's'}" for count, noun in pairs if count)


def summary(draft: Draft, title: str) -> str:
    """The one sentence for the record: one line, not empty, never cut in a word (META-5)."""
    text = join_lines(draft.summary) or join_lines(draft.takeaway)
    if not text:
        text = f"Collected {description(draft)} on {title}" if draft.entries else f"Discussed {title}"
    return shorten_text(text, SUMMARY_LENGTH)


def shorten_text(text: str, length: int) -> str:
    """Return the text up to the end of the word that reaches the length, so that no word is cut."""
    if len(text) <= length:
        return text
    end = length
    while end < len(text) and not text[end - 1].isspace() and not text[end].isspace():
        end += 1
    return text if end == len(text) else text[:end].rstrip(",;: ") + " ..."


def own_words(turn: Turn) -> str:
    """What a speaker said, on one line and short enough for a list."""
    return shorten_text(join_lines(turn.text), _OWN_WORDS_LENGTH)


def join_lines(text: str) -> str:
    """Return the text on one line."""
    return " ".join(text.split())


def _drop_uncited(entries: Iterable[Entry], turns: Sequence[Turn]) -> tuple[Entry, ...]:
    kept = []
    for entry in entries:
        numbers = tuple(sorted({number for number in entry.turns if 1 <= number <= len(turns)}))
        if numbers and join_lines(entry.text):
            kept.append(Entry(join_lines(entry.text), numbers, join_lines(entry.detail)))
    return tuple(kept)


def _with_detail(entry: Entry) -> str:
    text = escape_markdown(entry.text)
    if not entry.detail:
        return text
    return f"{text.rstrip('.')}: {escape_markdown(entry.detail)}"


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines) or "- None"
