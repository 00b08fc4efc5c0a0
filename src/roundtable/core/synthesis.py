"""The synthesis: entries that cite their turns, attributed and completed by rule (SYN-1 to SYN-5).

A decision is the user's: it stands only where the user decided in a turn that it cites, and the user's words
stand beside it. What somebody else proposed is an open question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import count
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from .hearing import (
    Part,
    TakenBack,
    can_decide,
    find_taken_back,
    is_about,
    reverses,
    sounds_decided,
    split_standing,
)
from .lines import join_names
from .personas import Roster
from .text import content_stems, escape_markdown, fold_text, split_sentences, words_of
from .turns import USER, Turn

Exit = Literal["user-initiated", "turn-limit"]

SUMMARY_LENGTH = 100
NO_REASON = "reason not given"
UNVERIFIED = "(unverified)"
"""Stands behind what nobody could verify (ART-8)."""
HEADINGS: Mapping[Part, str] = {
    "insights": "Key Insights",
    "decisions": "Decisions Made",
    "questions": "Open Questions",
    "actions": "Action Items",
}
_IN_ANSWER_TO, _REPLACES = 'in answer to "', '; replaces "'
_OWN_WORDS_LENGTH = 300
_REASON = re.compile(r"\b(?:because|so that|weil|damit)\s|,\ssince\s(?=[^\d\W])", re.IGNORECASE)
_WORRIES = re.compile(r"\b(?:worr(?:y|ies|ied)|afraid|fears?|concern(?:s|ed)?|not sure)\b", re.IGNORECASE)


class Entry(Struct, frozen=True):
    """An insight, decision, question or action, the turns it cites, and its rationale, reason or owner."""

    text: str
    turns: tuple[int, ...]
    detail: str = ""
    review: Literal["", "added", "edited"] = ""
    """What the user did to it when the synthesis was reviewed (SYN-8)."""
    number: int = 0
    """Its number in the review, which it keeps when another one is dropped."""


class Draft(Struct, frozen=True):
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

    def entries_missing_in(self, other: Draft) -> tuple[Entry, ...]:
        """Return the entries that another draft does not have."""
        return tuple(entry for entry in self.entries if entry not in other.entries)

    def number_entries(self) -> Draft:
        """Return the draft with its entries numbered from 1 over all parts, for the review."""
        numbers = count(1)
        return self.change_entries(lambda _part, entry: replace(entry, number=next(numbers)))

    def words_of_entry(self, number: int) -> str:
        """Return an entry's words as they are edited."""
        entry = next(entry for entry in self.entries if entry.number == number)
        return _join_detail(entry.text, entry.detail)

    def drop_entries(self, numbers: Collection[int]) -> Draft:
        """Return the draft without these entries."""
        return self.change_entries(lambda _part, entry: None if entry.number in numbers else entry)

    def edit_entry(self, number: int, words: str, *, relayed: bool = False) -> Draft:
        """Return the draft with new words for an entry.

        Words that a host passed on, `relayed`, are marked (ART-8).
        """

        def edit(part: Part, entry: Entry) -> Entry:
            changed = replace(entry, review=entry.review or "edited")
            return _put_words(changed, words, part, relayed=relayed) if entry.number == number else entry

        return self.change_entries(edit)

    def add_entry(self, part: Part, words: str, number: int, *, relayed: bool = False) -> Draft:
        """Return the draft with an entry of the user's own at the end of a part."""
        entry = _put_words(Entry("", (), review="added", number=number), words, part, relayed=relayed)
        return self._put(part, (*self.part(part), entry))

    def part(self, part: Part) -> tuple[Entry, ...]:
        """Return the entries of one part."""
        entries: tuple[Entry, ...] = getattr(self, part)
        return entries

    def change_entries(self, change: Callable[[Part, Entry], Entry | None]) -> Draft:
        """Return the draft with what `change` makes of each entry of each part; None drops it."""
        draft = self
        for part in HEADINGS:
            changed = (change(part, entry) for entry in self.part(part))
            draft = draft._put(part, tuple(entry for entry in changed if entry is not None))
        return draft

    def _put(self, part: Part, entries: tuple[Entry, ...]) -> Draft:
        parts: dict[str, Any] = {part: entries}
        return replace(self, **parts)


def _put_words(entry: Entry, words: str, part: Part, *, relayed: bool) -> Entry:
    """Return an entry with words of the user's.

    A question may say who can resolve it, and an action whose it is. A decision is not cut at a colon, unless
    its reason was left as it is: what follows may be a reason or the decision itself.
    """
    text, detail = join_lines(words), ""
    kept = f": {entry.detail}"
    if part == "questions":
        text, detail = split_question(text)
    elif part == "actions":
        text, _, detail = text.partition(": ")
    elif entry.detail and text.endswith(kept):
        text, detail = text.removesuffix(kept), entry.detail
    changed = replace(entry, text=text.strip(), detail=detail.strip())
    return mark_entry(changed) if relayed else changed


def _join_detail(text: str, detail: str) -> str:
    """Return a text with its detail: in brackets after a question mark, else after a colon."""
    if not detail:
        return text
    return f"{text} ({detail})" if text.endswith("?") else f"{text.rstrip('.')}: {detail}"


def split_question(words: str) -> tuple[str, str]:
    """Return a question, and what it says about why it is open and who can resolve it.

    Earlier versions wrote `Who pays?: for Maya`.
    """
    text, mark, rest = words.partition("? (")
    if mark and rest.endswith(")") and "?: " not in text and not rest.startswith(UNVERIFIED[1:]):
        return f"{text}?", rest[:-1]
    text, mark, rest = words.partition("?: ")
    if mark:
        return f"{text}?", rest
    text, mark, rest = words.rpartition(": ")
    return (words, "") if not mark or rest.endswith("?") else (text, rest)


# --- decisions ------------------------------------------------------------------------------------------


class _Decisions(Struct, frozen=True):
    """What the user decided, by turn: what stands, with the turn that it replaces, and what was withdrawn."""

    standing: Mapping[int, Turn | None]
    withdrawn: frozenset[int]

    def stands_in(self, entry: Entry, turns: Sequence[Turn]) -> bool:
        """Whether an entry cites a turn in which the user decided it, and did not take it back."""
        said = (turns[number - 1] for number in entry.turns if number not in self.withdrawn)
        return any(
            turn.number in self.standing or (turn.speaker == USER and sounds_decided(turn.text))
            for turn in said
        )

    def has_withdrawn(self, entry: Entry, turns: Sequence[Turn]) -> bool:
        """Whether all that the user said in the turns that an entry cites was taken back."""
        said = {number for number in entry.turns if turns[number - 1].speaker == USER}
        return bool(said) and self.withdrawn >= said

    def left_out(self, decisions: Iterable[Entry], turns: Sequence[Turn]) -> list[Turn]:
        """Return the turns in which the user decided something and that no decision cites."""
        cited = {number for entry in decisions for number in entry.turns}
        return [turns[number - 1] for number in sorted(self.standing) if number not in cited]


def _read_decisions(turns: Sequence[Turn], *, by_sound: bool = False) -> _Decisions:
    """Return what the user decided, took back and reversed.

    A panel's mark on anything but a turn in which the user can have decided counts for nothing (SYN-3).
    """
    marked = {number for turn in turns for number in turn.verdict.decisions}
    standing: dict[int, Turn | None] = {}
    withdrawn: set[int] = set()
    before: Turn | None = None
    for turn in turns:
        if turn.speaker != USER:
            continue
        taken = find_taken_back(turn.text)
        earlier = [turns[number - 1] for number in sorted(standing, reverse=True)]
        replaced = next((each for each in earlier if _takes_back(taken, each, before)), None)
        holds = replaced is not None and taken is not None and bool(taken.instead)
        is_marked = turn.number in marked and can_decide(turn.text)
        if holds or is_marked or (by_sound and sounds_decided(turn.text)):
            reversed_ones = (each for each in earlier if reverses(turn.text, each.text))
            replaced = replaced or next(reversed_ones, None)
            standing[turn.number] = replaced
        if replaced is not None:
            standing.pop(replaced.number)
            withdrawn.add(replaced.number)
        before = turn
    return _Decisions(standing, frozenset(withdrawn))


def _takes_back(taken: TakenBack | None, earlier: Turn, before: Turn | None) -> bool:
    """Whether an earlier decision is what a message takes back; `before` is the user's turn before it."""
    if taken is None or (taken.needs_last and earlier != before):
        return False
    if taken.is_certain:
        return not taken.subject or is_about(taken.subject, earlier.text)
    return bool(taken.instead) and is_about(" ".join(taken.instead), earlier.text)


def decision_turns(turns: Sequence[Turn], *, by_sound: bool = False) -> tuple[int, ...]:
    """Return the numbers of the turns in which the user decided something that still stands, in order.

    With `by_sound` the words alone are enough, where nobody marked the turn.
    """
    return tuple(sorted(_read_decisions(turns, by_sound=by_sound).standing))


def decision_with_question(words: str, asked: str, turns: tuple[int, ...]) -> Entry:
    """Return a decision in the user's words, which say too little alone, and behind them what was asked."""
    reason = "" if _REASON.search(words) else f"{NO_REASON}; "
    return Entry(words, turns, f'{reason}{_IN_ANSWER_TO}{asked}"')


def split_detail(detail: str) -> tuple[str, str]:
    """Return the reason in a decision's detail and the question that it answers; either may be empty."""
    reason, mark, rest = detail.partition(_IN_ANSWER_TO)
    if not mark:
        return detail, ""
    asked, replaces, before = rest.partition(f'"{_REPLACES}')
    reason = reason.removesuffix("; ")
    return f"{reason}{_REPLACES}{before}" if replaces else reason, asked.removesuffix('"')


def problems(draft: Draft, turns: Sequence[Turn]) -> tuple[str, ...]:
    """Return what keeps a draft from being accepted as it is, in words that a panel can act on."""
    found: list[str] = []
    for entry in draft.entries:
        text = join_lines(entry.text)
        unknown = [number for number in entry.turns if not 1 <= number <= len(turns)]
        if not text:
            found.append("An entry has no text.")
        elif not entry.turns:
            found.append(f'No turn is cited for: "{text}".')
        found += [f'Turn {number} does not exist, cited for: "{text}".' for number in unknown]
    decided = _read_decisions(turns)
    for entry in _drop_uncited(draft.decisions, turns):
        if not decided.stands_in(entry, turns):
            cited, text = ", ".join(map(str, entry.turns)), shorten_text(entry.text, SUMMARY_LENGTH)
            why = f"The user decided nothing in turn {cited}, so this is an open question"
            if decided.has_withdrawn(entry, turns):
                why = f"The user took back what they decided in turn {cited}, so leave this out"
            found.append(f'{why}: "{text}".')
    found += [
        f"The user decided in turn {turn.number}, and no decision cites it: {own_words(turn)}"
        for turn in decided.left_out(draft.decisions, turns)
    ]
    return tuple(found)


def settle(draft: Draft, turns: Sequence[Turn], roster: Roster) -> Draft:
    """Return the draft with nothing uncited in it, every decision of the user's and nobody else's."""
    decided = _read_decisions(turns)
    decisions: list[Entry] = []
    proposed: list[Entry] = []
    for entry in _drop_uncited(draft.decisions, turns):
        if decided.stands_in(entry, turns):
            decisions.append(entry)
        elif not decided.has_withdrawn(entry, turns):
            # Nobody made it: it is somebody's proposal that is still open.
            names = _name_speakers((turns[number - 1] for number in entry.turns), roster)
            who = f"Proposed by {join_names(names)}: " if names else ""
            open_words = "nobody decided it; for you to settle"
            proposed.append(replace(entry, text=f"{who}{entry.text}", detail=open_words))
    added = [Entry(own_words(turn), (turn.number,)) for turn in decided.left_out(decisions, turns)]
    decisions += added
    for at, entry in enumerate(decisions):
        for before in filter(None, map(decided.standing.get, entry.turns)):
            detail = f'{entry.detail or NO_REASON}{_REPLACES}{own_words(before)}"'
            decisions[at] = replace(entry, detail=detail)
    return replace(
        draft,
        insights=tuple(entry for entry in _drop_uncited(draft.insights, turns) if not _repeats(entry, added)),
        decisions=tuple(decisions),
        questions=(*_drop_uncited(draft.questions, turns), *proposed),
        actions=_drop_uncited(draft.actions, turns),
    )


def _repeats(insight: Entry, added: Sequence[Entry]) -> bool:
    """Whether an insight is in the words of a decision that was added because no decision cited its turn."""
    said = fold_text(insight.text)
    return any(insight.turns == each.turns and said in fold_text(each.text) for each in added)


def mark_host_words(draft: Draft, turns: Sequence[Turn], *, by_host: bool) -> Draft:
    """Return the draft with a mark on all that a host brought in: its own words, and turns that it gave.

    What was added or edited in the review was marked then, if a host passed it on (ART-8).
    """

    def mark(_part: Part, entry: Entry) -> Entry:
        is_heard = entry.review or not (by_host or any(turns[number - 1].from_host for number in entry.turns))
        return entry if is_heard else mark_entry(entry)

    marked = draft.change_entries(mark)
    if not by_host:
        return marked
    return replace(marked, summary=mark_unverified(draft.summary), takeaway=mark_unverified(draft.takeaway))


def mark_entry(entry: Entry) -> Entry:
    """Return an entry with a mark at the end of its text, and of a detail that has several sentences."""
    detail = mark_unverified(entry.detail) if len(split_sentences(entry.detail)) > 1 else entry.detail
    return replace(entry, text=mark_unverified(entry.text), detail=detail)


def mark_unverified(text: str) -> str:
    """Return a text with the mark at its end, once; an empty one stays empty."""
    words = text.rstrip()
    if not words or words.rstrip(".").endswith(UNVERIFIED):
        return text
    return f"{words.rstrip('.')} {UNVERIFIED}"


def mark_like(source: str, text: str) -> str:
    """Return a part of a text, marked as unverified where the whole is."""
    return mark_unverified(text) if UNVERIFIED in source else text


def strip_mark(text: str) -> str:
    """Return a text without any mark, as somebody who read it with its marks accepts it."""
    return text.replace(f" {UNVERIFIED}", "")


# --- the block ------------------------------------------------------------------------------------------


def credit(entry: Entry, turns: Sequence[Turn], roster: Roster) -> str:
    """Return who is credited for an entry, computed from the speakers of the turns that it cites (SYN-2).

    What the user added or edited in the review is theirs too.
    """
    said = [turn for turn in turns if turn.number in entry.turns]
    names = _name_speakers(said, roster)
    is_opposed = any(turn.verdict.opposes in entry.turns for turn in said)
    if len(names) == len(roster.personas) > 1 and not is_opposed:
        names = ["All"]
    is_users = entry.review or any(turn.speaker == USER for turn in said)
    return "/".join((["User"] if is_users else []) + names)


def _name_speakers(said: Iterable[Turn], roster: Roster) -> list[str]:
    """Return the first names of the personas that spoke, in the roster's order."""
    speakers = {turn.speaker for turn in said}
    return [persona.first_name for persona in roster.personas if persona.key in speakers]


def list_people(turns: Sequence[Turn]) -> tuple[str, ...]:
    """Return the names of those of several people who spoke, in order."""
    return tuple(dict.fromkeys(turn.by for turn in turns if turn.by))


def render(
    draft: Draft,
    *,
    step_id: str,
    title: str,
    roster: Roster,
    turns: Sequence[Turn],
    exit_type: Exit,
) -> str:
    """Return the block of SYN-1, from a settled draft."""
    personas = (f"{persona.name} ({persona.short_role})" for persona in roster.personas)
    participants = ", ".join((*personas, *map(escape_markdown, list_people(turns))))
    silent = "" if any(turn.speaker == USER for turn in turns) else " | **User**: silent"
    parts = [
        f"### Elaboration Insights ({f'Step {step_id}: ' if step_id else ''}{title})",
        f"**Participants**: {participants}\n**Turns**: {len(turns)} | **Exit**: {exit_type}{silent}",
    ]
    for part, heading in HEADINGS.items():
        entries = draft.part(part)
        if entries or part != "actions":
            bullets = "\n".join(f"- {write_entry(entry, part, turns, roster)}" for entry in entries)
            parts.append(f"#### {heading}\n{bullets or '- None'}")
    return "\n\n".join(parts) + "\n"


def render_review(draft: Draft, turns: Sequence[Turn], roster: Roster) -> str:
    """Return the synthesis with a number before every entry, as the user reviews it (SYN-8)."""
    shown: list[str] = []
    for part, heading in HEADINGS.items():
        entries = draft.part(part)
        shown += [heading] if entries else []
        shown += [f"  {each.number}. {write_entry(each, part, turns, roster)}" for each in entries]
    return "\n".join(shown)


def lacks_reason(entry: Entry, part: Part) -> bool:
    """Whether a decision stands without a reason; one in its words stays where the user put it (SYN-7)."""
    may_tell = _REASON.search(entry.text) or (entry.review and ": " in entry.text)
    return part == "decisions" and (entry.detail == NO_REASON or not (entry.detail or may_tell))


def write_entry(entry: Entry, part: Part, turns: Sequence[Turn], roster: Roster) -> str:
    """Return an entry as it stands in the block, without its bullet."""
    text = escape_markdown(entry.text)
    if part == "insights":
        return f"[{credit(entry, turns, roster)}] {text}"
    detail = entry.detail
    if part == "decisions":
        words = "" if entry.review else _quote_decision(entry, turns)
        text = f'{text.rstrip(".")} ("{escape_markdown(words)}")' if words else text
        detail = NO_REASON if lacks_reason(entry, part) else detail
    return _join_detail(text, escape_markdown(detail))


def _quote_decision(entry: Entry, turns: Sequence[Turn]) -> str:
    """Return the user's words that made a decision; empty where the entry already is in these words."""
    said = [turn for turn in turns if turn.number in entry.turns and turn.speaker == USER]
    turn = next((turn for turn in reversed(said) if can_decide(turn.text)), None)
    if turn is None:
        return ""
    plain = strip_mark(entry.text)
    if fold_text(plain).rstrip(".!") in fold_text(join_lines(turn.text)):
        return ""
    words = own_words(turn, plain)
    told = set(words_of(f"{plain} {entry.detail}"))
    return "" if told.issuperset(words_of(words)) else words


def description(draft: Draft) -> str:
    """What was added, in a few words: `3 insights, 1 decision`."""
    nouns = ("insight", "decision", "open question", "action item")
    counts = map(len, (draft.insights, draft.decisions, draft.questions, draft.actions))
    pairs = zip(counts, nouns, strict=True)
    return ", ".join(f"{count} {noun}{'' if count == 1 else 's'}" for count, noun in pairs if count)


def summary(draft: Draft, title: str) -> str:
    """The one sentence for the record: one line, not empty, never cut in a word (META-5)."""
    text = join_lines(draft.summary) or join_lines(draft.takeaway)
    found = (("Decided", draft.decisions), ("Found", draft.insights), ("Still open", draft.questions))
    for lead, entries in found:
        if not text and entries:
            text = f"{lead}: {join_lines(entries[0].text)}"
    if UNVERIFIED in text:
        # Wherever it is cut, the mark stays.
        return mark_unverified(shorten_text(text, SUMMARY_LENGTH - len(UNVERIFIED)))
    return shorten_text(text or f"Discussed {title}", SUMMARY_LENGTH)


def shorten_text(text: str, length: int) -> str:
    """Return the text up to the end of the word that reaches the length, so that no word is cut."""
    if len(text) <= length:
        return text
    end = length
    while end < len(text) and not text[end - 1].isspace() and not text[end].isspace():
        end += 1
    return text if end == len(text) else text[:end].rstrip(",;: ") + " ..."


def own_words(turn: Turn, subject: str = "") -> str:
    """Return what the user said when they decided: the sentence nearest to the subject, and the reason.

    The reason is the sentence right after it, unless that worries, asks or defers.
    """
    sentences = split_standing(join_lines(turn.text))
    firm = [at for at, each in enumerate(sentences) if can_decide(each) and not _WORRIES.search(each)]
    if not firm:
        return shorten_text(join_lines(turn.text), _OWN_WORDS_LENGTH)

    def fits(at: int) -> int:
        said = fold_text(sentences[at])
        shared = len(set(content_stems(subject)).intersection(content_stems(said)))
        return shared + 2 * sounds_decided(said) + 4 * said.startswith(("decision", "decided"))

    at = max(firm, key=fits)
    words = sentences[at]
    if at + 1 in firm and len(words) + len(sentences[at + 1]) < _OWN_WORDS_LENGTH:
        words += f" {sentences[at + 1]}"
    return shorten_text(words, _OWN_WORDS_LENGTH)


def join_lines(text: str) -> str:
    """Return the text on one line."""
    return " ".join(text.split())


def _drop_uncited(entries: Iterable[Entry], turns: Sequence[Turn]) -> tuple[Entry, ...]:
    kept = []
    for entry in entries:
        numbers = tuple(sorted({number for number in entry.turns if 1 <= number <= len(turns)}))
        if numbers and join_lines(entry.text):
            kept.append(
                replace(entry, text=join_lines(entry.text), turns=numbers, detail=join_lines(entry.detail))
            )
    return tuple(kept)
