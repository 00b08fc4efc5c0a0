"""Focus: whether the user's words drift, by words alone and only where they leave no doubt (FOCUS-1).

Small talk is recognised by its words (`far_off` in `interview/words.toml`) in a message that shares nothing
with the item, the documents or the discussion; a question for another phase by expressions that only that
phase uses.
"""

from __future__ import annotations

from ...core.commands import Table
from ...core.hearing import address
from ...core.text import words_of
from ...core.turns import USER, OffTopic, Verdict
from .decisions import find_decisions
from .lexicon import content_stems, pattern, phase_expressions, stems_of_list, strip_address
from .messages import read_message
from .pairing import find_answered_prompt, first_names, follow_discussion
from .prompts import Library
from .section import SectionContext

_MAX_CHAT_WORDS = 30
_MAX_SUBJECT_WORDS = 8


def judge_message(table: Table, section: SectionContext, library: Library) -> Verdict:
    """Judge the last turn, the user's: what it drifts to, and whether it decides something."""
    if not table.turns or table.turns[-1].speaker != USER:
        return Verdict()
    turn = table.turns[-1]
    off_topic = _find_drift(table, section, library)
    chats = off_topic is not None and off_topic.is_chat
    decides = not chats and bool(find_decisions(turn.text, first_names(table)))
    return Verdict(off_topic=off_topic, decisions=(turn.number,) if decides else ())


def _find_drift(table: Table, section: SectionContext, library: Library) -> OffTopic | None:
    """Return what the last turn drifts to; None unless it is certain."""
    text, names = table.turns[-1].text, first_names(table)
    told = [turn.text for turn in table.turns[:-1] if turn.verdict.off_topic is None]
    discussed = " ".join((table.step.title, table.focus_question, table.focus_topic, *told))
    home = section.stems.union(content_stems(discussed))
    message = read_message(text, names)
    if _is_small_talk(strip_address(text, names), home):
        waiting = follow_discussion(table, library, upto=len(table.turns) - 1).open_prompts
        if find_answered_prompt(message, waiting) is None:
            return OffTopic(_subject(text, names), is_chat=True)
    question = message.of_kind("question")
    if not question or address(text, table.roster).kind != "open" or not table.step.step_id:
        return None  # without a step there is no other phase that it could belong to
    asked = frozenset(content_stems(question))
    for phase, expression in phase_expressions().items():
        found = expression.search(question)
        if phase == table.step.step_id[:2] or found is None:
            continue
        if not home.issuperset(content_stems(found[0])) and len(asked & home) <= len(asked) // 2:
            step = next((step for step in table.steps if step.step_id.startswith(phase)), None)
            return OffTopic(_subject(question, names), step.step_id if step else None)
    return None


def _is_small_talk(message: str, home: frozenset[str]) -> bool:
    """Whether a short message speaks of private life or the meeting, and of nothing that is at home here."""
    said = frozenset(content_stems(message))
    is_private = not said.isdisjoint(stems_of_list("far_off")) and home.isdisjoint(said)
    if not is_private or len(words_of(message)) > _MAX_CHAT_WORDS:
        return False
    return bool(pattern("chat").search(message.replace("’", "'"))) and not find_decisions(message)


def _subject(text: str, names: tuple[str, ...]) -> str:
    words = strip_address(text, names).rstrip("?!. ").split()
    short = " ".join(words[:_MAX_SUBJECT_WORDS])
    return f'"{short}{" ..." if len(words) > _MAX_SUBJECT_WORDS else ""}"'
