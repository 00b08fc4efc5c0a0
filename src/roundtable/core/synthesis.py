"""The synthesis: entries that cite their turns, attributed and completed by rule (SYN-1 to SYN-5).

Only the user decides: a decision counts only if it cites a turn in which the user made it, and it quotes the
user's words. A proposal of anybody else is an open question.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import count
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from . import hearing
from . import lazy_re as re
from .hearing import Part, can_decide, sounds_decided
from .lines import join_names
from .personas import Roster
from .steps import Step
from .text import content_stems, escape_markdown, fold_text, split_sentences, words_of
from .turns import USER, Turn

Exit = Literal["user-initiated", "turn-limit"]

SUMMARY_LENGTH = 100
NO_REASON = "reason not given"
UNVERIFIED = "(unverified)"  # marks what nobody could verify (ART-8)
LEAD_IN = re.compile(r"(?i)^(?:(?:we|i)(?: have|'ve)? )?(?:agreed?|decided?|decision)(?: that| on)?: ")
"""Words that only announce a decision, such as `We agreed: `."""
HEADINGS: Mapping[Part, str] = {
    "insights": "Key Insights",
    "decisions": "Decisions Made",
    "questions": "Open Questions",
    "actions": "Action Items",
}
_REVERSES = re.compile(
    r"^(?:no[,.:!]|no wait|actually|wait|sorry|hm+|rather|correction|i meant)(?!\w)|\b(?:on second thoughts?"
    r"|instead|after all|rather not|no longer|reverse|not any ?more|chang\w+ my mind|other way round)\b"
)
# Names the decision itself, without its subject.
_THE_DECISION = re.compile(r"\bdeci(?:ded?|sion)\b(?! (?:on|about|for)\b)")
_IN_ANSWER_TO, _REPLACES = 'in answer to "', '; replaces "'
_OWN_WORDS_LENGTH = 300
_REASON = re.compile(r"\b(?:because|so that)\s|,\ssince\s(?=[^\d\W])", re.IGNORECASE)
_WORRIES = re.compile(r"\b(?:worr(?:y|ies|ied)|afraid|fears?|concern(?:s|ed)?|not sure)\b", re.IGNORECASE)


class Entry(Struct, frozen=True):
    """An insight, decision, question or action, the turns it cites, and its rationale, reason or owner."""

    text: str
    turns: tuple[int, ...]
    detail: str = ""
    review: Literal["", "added", "edited"] = ""  # what the user did to it in the review (SYN-8)
    number: int = 0  # its number there, which never changes
    typed: bool = False  # whether the user typed the words there, so that no host relayed them


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

    def part(self, part: Part) -> tuple[Entry, ...]:
        """Return the entries of one part."""
        entries: tuple[Entry, ...] = getattr(self, part)
        return entries

    def change_entries(self, change: Callable[[Part, Entry], Entry | None]) -> Draft:
        """Return the draft with each entry replaced by what `change` returns; None drops the entry."""
        parts: dict[str, Any] = {
            part: tuple(filter(None, [change(part, entry) for entry in self.part(part)])) for part in HEADINGS
        }
        return replace(self, **parts)

    def number_entries(self) -> Draft:
        """Return the draft with its entries numbered from 1 over all parts, for the review."""
        numbers = count(1)
        return self.change_entries(lambda _part, entry: replace(entry, number=next(numbers)))

    def words_of_entry(self, number: int) -> str:
        """Return an entry's words, to be edited."""
        entry = next(entry for entry in self.entries if entry.number == number)
        return _join_detail(entry.text, entry.detail)

    def edit_entry(self, number: int, words: str, *, typed: bool) -> Draft:
        """Return the draft with new words for an entry."""

        def edit(part: Part, entry: Entry) -> Entry:
            changed = replace(entry, review=entry.review or "edited", typed=typed)
            return _put_words(changed, words, part) if entry.number == number else entry

        return self.change_entries(edit)

    def add_entry(self, part: Part, words: str, number: int, *, typed: bool) -> Draft:
        """Return the draft with an entry of the user's own at the end of a part."""
        entry = _put_words(Entry("", (), review="added", typed=typed, number=number), words, part)
        parts: dict[str, Any] = {part: (*self.part(part), entry)}
        return replace(self, **parts)


def _put_words(entry: Entry, words: str, part: Part) -> Entry:
    """Return an entry with the user's words.

    A decision is split at a colon only if its reason is unchanged: other words may belong to the decision.
    """
    text, detail, kept = join_lines(words), "", f": {entry.detail}"
    if part == "questions":
        text, detail = split_question(text)
    elif part == "actions":
        text, _, detail = text.partition(": ")
    elif entry.detail and text.endswith(kept):
        text, detail = text.removesuffix(kept), entry.detail
    return replace(entry, text=text.strip(), detail=detail.strip())


def _join_detail(text: str, detail: str) -> str:
    return f"{text.rstrip('.')}: {detail}" if detail else text


def split_question(words: str) -> tuple[str, str]:
    """Return a question, and the words that say why it is open and who can resolve it."""
    text, mark, rest = words.partition("?: ")
    older, bracket, said = words.partition("? (")  # an older form
    if bracket and len(older) < len(text) and said.endswith(")") and not said.startswith(UNVERIFIED[1:]):
        return f"{older}?", said[:-1]
    if mark and rest:
        return f"{text}?", rest
    text, mark, rest = words.rpartition(": ")
    return (words, "") if not mark or rest.endswith("?") else (text, rest)


def _read_decisions(turns: Sequence[Turn]) -> tuple[Mapping[int, Turn | None], Collection[int]]:
    """Return the turns with decisions that hold, each with the turn it replaces, and those taken back.

    A decision that a panel marks counts only in a turn in which the user can have decided (SYN-3).
    """
    marked = {number for turn in turns for number in turn.verdict.decisions}
    standing: dict[int, Turn | None] = {}
    withdrawn: set[int] = set()
    before: Turn | None = None
    for turn in (turn for turn in turns if turn.speaker == USER):
        instead = hearing.find_instead(turn.text)
        earlier = [turns[number - 1] for number in sorted(standing, reverse=True)]
        meant = [each for each in earlier if hearing.is_about(turn.text, each.text)]
        if instead is not None:  # the last decision that shares a word with it, or the one right before
            is_named = _THE_DECISION.search(fold_text(turn.text))
            meant = meant or [each for each in earlier[:1] if each == before or is_named]
        elif not _REVERSES.search(fold_text(turn.text).strip()):
            meant = []
        is_marked = turn.number in marked and can_decide(turn.text)
        is_made = is_marked or (bool(meant) and hearing.corrects(turn.text))
        if is_made or (meant and instead):
            standing[turn.number] = next(iter(meant), None)
        if meant and (is_made or instead is not None):
            standing.pop(meant[0].number)
            withdrawn.add(meant[0].number)
        before = turn
    return standing, withdrawn


def decision_turns(turns: Sequence[Turn]) -> tuple[int, ...]:
    """Return the numbers of the turns with decisions that still hold."""
    return tuple(sorted(_read_decisions(turns)[0]))


def _sort_decisions(
    draft: Draft, turns: Sequence[Turn]
) -> tuple[list[Entry], list[Entry], list[Entry], list[Turn], Mapping[int, Turn | None]]:
    """Return decisions made, taken back and only proposed, the turns that none cites, and what holds."""
    standing, withdrawn = _read_decisions(turns)
    made, taken_back, proposed = list[Entry](), list[Entry](), list[Entry]()
    for entry in _drop_uncited(draft, turns).decisions:
        said = [turns[number - 1] for number in entry.turns if turns[number - 1].speaker == USER]
        held = [turn for turn in said if turn.number not in withdrawn]
        # By drafting a decision, the panel has judged the turn; the turn need only sound like one.
        is_made = any(turn.number in standing or sounds_decided(turn.text) for turn in held)
        (made if is_made else taken_back if said and not held else proposed).append(entry)
    cited = {number for entry in made for number in entry.turns}
    left_out = [turns[number - 1] for number in sorted(standing) if number not in cited]
    return made, taken_back, proposed, left_out, standing


def decision_with_question(words: str, asked: str, turns: tuple[int, ...]) -> Entry:
    """Return a decision in the user's words and the question they answer, since alone they say too little."""
    reason = "" if _REASON.search(words) else f"{NO_REASON}; "
    return Entry(words, turns, f'{reason}{_IN_ANSWER_TO}{asked}"')


def split_detail(detail: str) -> tuple[str, str]:
    """Return the reason in a decision's detail and the question that it answers; either may be empty."""
    reason, mark, rest = detail.partition(_IN_ANSWER_TO)
    asked, replaces, before = rest.partition(f'"{_REPLACES}')
    reason = reason.removesuffix("; ") + (f"{_REPLACES}{before}" if replaces else "")
    return (reason, asked.removesuffix('"')) if mark else (detail, "")


def problems(draft: Draft, turns: Sequence[Turn]) -> tuple[str, ...]:
    """Return what keeps a draft from being accepted as it is, in words that a panel can act on."""
    found: list[str] = []
    for entry in draft.entries:
        text = join_lines(entry.text)
        unknown = [number for number in entry.turns if not 1 <= number <= len(turns)]
        if not text or not entry.turns:
            found.append(f'No turn is cited for: "{text}".' if text else "An entry has no text.")
        found += [f'Turn {number} does not exist, cited for: "{text}".' for number in unknown]
    _, taken_back, proposed, left_out, _ = _sort_decisions(draft, turns)
    took_back = "The user took back what they decided in turn {}, so leave this out"
    nothing = "The user decided nothing in turn {}, so this is an open question"
    for why, entry in (*((took_back, each) for each in taken_back), *((nothing, each) for each in proposed)):
        cited = why.format(", ".join(map(str, entry.turns)))
        found.append(f'{cited}: "{shorten_text(entry.text, SUMMARY_LENGTH)}".')
    missing = "The user decided in turn {}, and no decision cites it: {}"
    return (*found, *(missing.format(turn.number, own_words(turn)) for turn in left_out))


def settle(draft: Draft, turns: Sequence[Turn], roster: Roster) -> Draft:
    """Return the draft without uncited entries, with every decision of the user and nobody else's."""
    draft = _drop_uncited(draft, turns)
    made, _, proposed, left_out, standing = _sort_decisions(draft, turns)
    for at, entry in enumerate(proposed):  # not a decision, but a proposal that is still open
        names = _name_speakers((turns[number - 1] for number in entry.turns), roster)
        text = f"Proposed by {join_names(names)}: {entry.text}" if names else entry.text
        proposed[at] = replace(entry, text=text, detail="nobody decided it; for you to settle")
    added = [Entry(own_words(turn), (turn.number,)) for turn in left_out]
    made += added
    for at, entry in enumerate(made):
        for before in filter(None, map(standing.get, entry.turns)):
            made[at] = replace(entry, detail=f'{entry.detail or NO_REASON}{_REPLACES}{own_words(before)}"')
    said = {(each.turns, each.text) for each in added}  # not also as an insight
    insights = tuple(each for each in draft.insights if (each.turns, each.text) not in said)
    return replace(draft, insights=insights, decisions=tuple(made), questions=(*draft.questions, *proposed))


def mark_host_words(draft: Draft, turns: Sequence[Turn], *, by_host: bool) -> Draft:
    """Return a draft that the user has not accepted, with marks on what a host worded or relayed (ART-8)."""

    def mark(part: Part, entry: Entry) -> Entry:
        is_relayed = entry.review or any(turns[number - 1].relayed for number in entry.turns)
        if entry.typed or not (by_host or is_relayed):
            return entry
        if part == "decisions":  # a record takes only the words before the colon
            lead_in = found[0] if (found := LEAD_IN.match(entry.text)) else ""
            decision, colon, rest = entry.text.removeprefix(lead_in).partition(": ")
            entry = replace(entry, text=f"{lead_in}{mark_unverified(decision)}{colon}{rest}")
        return mark_entry(entry)

    marked = draft.change_entries(mark)
    if not by_host:
        return marked
    return replace(marked, summary=mark_unverified(draft.summary), takeaway=mark_unverified(draft.takeaway))


def mark_entry(entry: Entry) -> Entry:
    """Return an entry with a mark at the end of its text, and of its detail if that has several sentences."""
    detail = mark_unverified(entry.detail) if len(split_sentences(entry.detail)) > 1 else entry.detail
    return replace(entry, text=mark_unverified(entry.text), detail=detail)


def mark_unverified(text: str) -> str:
    """Return a text with the mark at its end, once; an empty one stays empty."""
    words = text.rstrip()
    if not words or words.rstrip(".").endswith(UNVERIFIED):
        return text
    return f"{words.rstrip('.')} {UNVERIFIED}"


def mark_like(source: str, text: str) -> str:
    """Return a part of a text, marked as unverified if the whole is."""
    return mark_unverified(text) if UNVERIFIED in source else text


def strip_mark(text: str) -> str:
    """Return a text without any `(unverified)` mark."""
    return text.replace(f" {UNVERIFIED}", "").replace(f"\n{UNVERIFIED}", "")


def credit(entry: Entry, turns: Sequence[Turn], roster: Roster) -> str:
    """Return who is credited for an entry: who spoke in the turns that it cites, or reviewed it (SYN-2)."""
    said = [turn for turn in turns if turn.number in entry.turns]
    names = _name_speakers(said, roster)
    is_opposed = any(turn.verdict.opposes in entry.turns for turn in said)
    if len(names) == len(roster.personas) > 1 and not is_opposed:
        names = ["All"]
    is_users = entry.review or any(turn.speaker == USER for turn in said)
    return "/".join((["User"] if is_users else []) + names)


def _name_speakers(said: Iterable[Turn], roster: Roster) -> list[str]:
    speakers = {turn.speaker for turn in said}
    return [persona.first_name for persona in roster.personas if persona.key in speakers]


def list_people(turns: Sequence[Turn]) -> tuple[str, ...]:
    """Return the names of the people who spoke, in order, if several did."""
    return tuple(dict.fromkeys(turn.by for turn in turns if turn.by))


def render(draft: Draft, step: Step, turns: Sequence[Turn], roster: Roster, exit_type: Exit) -> str:
    """Return the block of SYN-1, from a settled draft."""
    personas = (f"{persona.name} ({persona.short_role})" for persona in roster.personas)
    participants = ", ".join((*personas, *map(escape_markdown, list_people(turns))))
    silent = "" if any(turn.speaker == USER for turn in turns) else " | **User**: silent"
    parts = [
        f"### Elaboration Insights ({f'Step {step.step_id}: ' if step.step_id else ''}{step.title})",
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
        listed = [f"  {each.number}. {write_entry(each, part, turns, roster)}" for each in draft.part(part)]
        shown += [heading, *listed] if listed else []
    return "\n".join(shown)


def lacks_reason(entry: Entry, part: Part) -> bool:
    """Whether a decision has no reason, neither in its detail nor within its words (SYN-7)."""
    may_tell = _REASON.search(entry.text) or (entry.review and ": " in entry.text)
    return part == "decisions" and (entry.detail == NO_REASON or not (entry.detail or may_tell))


def write_entry(entry: Entry, part: Part, turns: Sequence[Turn], roster: Roster) -> str:
    """Return an entry as the block shows it, without its bullet."""
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
    """Return the user's words that made a decision; empty if the entry already uses them."""
    said = (turn for turn in reversed(turns) if turn.number in entry.turns and turn.speaker == USER)
    turn = next((turn for turn in said if can_decide(turn.text)), None)
    plain = strip_mark(entry.text)
    if turn is None or fold_text(plain).rstrip(".!") in fold_text(join_lines(turn.text)):
        return ""
    words = own_words(turn, plain)
    return "" if set(words_of(f"{plain} {entry.detail}")).issuperset(words_of(words)) else words


def description(draft: Draft) -> str:
    """Return what was added, in a few words: `3 insights, 1 decision`."""
    nouns = ("insight", "decision", "open question", "action item")
    counts = zip((len(draft.part(part)) for part in HEADINGS), nouns, strict=True)
    return ", ".join(f"{count} {noun}{'' if count == 1 else 's'}" for count, noun in counts if count)


def summary(draft: Draft, title: str) -> str:
    """Return the sentence for the record: one line, not empty, never cut within a word (META-5)."""
    given = join_lines(draft.summary) or join_lines(draft.takeaway)
    text = given or _sum_up(draft) or f"Discussed {title}"
    if UNVERIFIED in text:  # the mark stays when the text is cut
        return mark_unverified(shorten_text(text, SUMMARY_LENGTH - len(UNVERIFIED)))
    return shorten_text(text, SUMMARY_LENGTH)


def _sum_up(draft: Draft) -> str:
    """Return the first decision, else insight, and the first open question; empty if there is none."""
    # "Let's not decide this now" is not a finding.
    found = [f"Found: {join_lines(each.text)}" for each in draft.insights if can_decide(each.text)]
    done = [f"Decided: {join_lines(each.text)}" for each in draft.decisions] or found
    left = [f"Open: {join_lines(each.text)}" for each in draft.questions]
    if not (done and left):
        return next(iter(done or left), "")
    asked = shorten_text(left[0], SUMMARY_LENGTH // 2)
    told = shorten_text(done[0], SUMMARY_LENGTH - len(asked) - 12)  # its last word may be long
    text = f"{told}{'' if told.endswith(('.', '!', '?')) else '.'} {asked}"
    return mark_unverified(text) if UNVERIFIED in done[0] + left[0] else text


def shorten_text(text: str, length: int) -> str:
    """Return the text up to the end of the word that reaches the length, so that no word is cut."""
    space = re.search(r"\s", text[length - 1 :]) if len(text) > length else None
    return f"{text[: length - 1 + space.start()].rstrip(',;: ')} ..." if space else text


def own_words(turn: Turn, subject: str = "") -> str:
    """Return the deciding sentence nearest to the subject, and the next, unless that voices a worry."""
    sentences = hearing.split_standing(join_lines(turn.text))
    firm = [at for at, each in enumerate(sentences) if can_decide(each) and not _WORRIES.search(each)]
    if not firm:
        return shorten_text(join_lines(turn.text), _OWN_WORDS_LENGTH)

    def fits(at: int) -> int:
        said = fold_text(sentences[at])
        shared = len(set(content_stems(subject)).intersection(content_stems(said)))
        return shared + 2 * sounds_decided(said) + 4 * said.startswith(("decision", "decided"))

    at = max(firm, key=fits)
    words = " ".join(sentences[each] for each in (at, at + 1) if each in firm)
    return shorten_text(words if len(words) <= _OWN_WORDS_LENGTH else sentences[at], _OWN_WORDS_LENGTH)


def join_lines(text: str) -> str:
    """Return the text on one line."""
    return " ".join(text.split())


def _drop_uncited(draft: Draft, turns: Sequence[Turn]) -> Draft:
    """Return the draft with each entry on one line, without those that are empty or cite no turn."""

    def keep(_part: Part, entry: Entry) -> Entry | None:
        numbers = tuple(sorted({number for number in entry.turns if 1 <= number <= len(turns)}))
        text, detail = join_lines(entry.text), join_lines(entry.detail)
        return replace(entry, text=text, turns=numbers, detail=detail) if numbers and text else None

    return draft.change_entries(keep)
