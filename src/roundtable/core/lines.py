"""Lines: everything that is shown, with the words that the rules fix. A turn is a line that counts."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from .personas import Persona
from .progress import Past
from .steps import Phase, Step
from .turns import USER

LineKind = Literal[
    "greeting", "handoff", "depth", "step", "question", "answer", "menu", "choice", "feedback", "notice",
    "resume", "introduction", "listen", "contribution", "redirect", "warning", "limit", "inactivity",
    "unclear-exit", "acknowledgement", "synthesis", "review", "update", "saved", "paused", "done", "error",
]  # fmt: skip
Awaits = Literal["answer", "menu", "discussion", "exit", "choice", "review"]

ACKNOWLEDGEMENT = "Wrapping up the discussion. Let me synthesize our key points."
UNCLEAR_EXIT = "Did you want to end the discussion, or continue exploring this?"
LIMIT_WARNING = "We are nearing the end of our discussion time. Any final points before we synthesize?"
SYNTHESIZING = "Let me synthesize the key points from our conversation."
LIMIT = f"We have had a thorough discussion. {SYNTHESIZING}"
CONTEXT_UNREADABLE = (
    "I could not load the step context for elaboration. Let me continue with the normal menu."
)
RECORD_FAILED = (
    "Elaboration completed successfully but I could not save the elaboration record to meta.json. "
    "The discussion insights are in the artifacts."
)
SKIPPING = (
    "Skipping remaining steps in this phase. "
    "I'll produce draft artifacts based on what we've discussed so far."
)
REVIEW = (
    "Nothing is written yet. Enter accepts; `drop 2 5`, `edit 3 NEW WORDS` and `add decision: WORDS` "
    "(or insight, question, action) change it; `undo` takes back the last change."
)
REVIEW_EMPTY = (
    "Nothing is left of the synthesis. Enter writes nothing to the documents; `undo` takes back the last "
    "change, `add decision: WORDS` (or insight, question, action) adds an entry."
)
REVIEW_AGAIN = "The synthesis is still under review; nothing of it is written yet."
NOT_YET = (
    "[E] and `edit` are for the menu after this step. First this question; not knowing is a fair answer."
)
NOT_YET_BUT_BACK = f"{NOT_YET} `back` asks the question before again."
AT_A_MENU = (
    "Enter goes on, `undo` takes back what was written last, `back` asks the last question again, `quit` "
    "pauses. What you say of the step in a few words goes into its document as your feedback."
)
TAKES_DRAFT = "  (Enter takes the draft.)"
BLOCK_IS_NEXT = "There is nothing of this to undo: `undo` would take back the discussion before it."
NOTHING_WRITTEN = (
    "Nothing was written since this step was opened, so there is nothing to undo here. "
    "`roundtable undo` takes back an earlier discussion."
)


class Line(Struct, frozen=True):
    """Something that a person reads, and what kind of thing it is."""

    kind: LineKind
    text: str
    speaker: str | None = None
    turn: int | None = None
    state: str | None = None
    awaits: Awaits | None = None
    by: str = ""
    """Who of several people said it, where the speaker is the user."""


def article(noun: str) -> str:
    """`a` or `an`, as the sound of the noun asks."""
    word = noun.strip().casefold()
    sounds_like_consonant = word.startswith(("uni", "us", "eu", "one", "ut"))
    return "an" if word[:1] in "aeiou" and word and not sounds_like_consonant else "a"


def join_names(parts: Sequence[str]) -> str:
    """`A`, `A and B`, `A, B, and C`."""
    if len(parts) < 3:
        return " and ".join(parts)
    return ", ".join(parts[:-1]) + ", and " + parts[-1]


def introduction(others: Sequence[Persona], *, title: str, item_name: str, max_turns: int) -> str:
    """What is shown at once when an elaboration begins (ENTRY-3)."""
    bringing = f"Bringing {join_names([persona.title for persona in others])}"
    names = textwrap.fill(bringing, 76, break_long_words=False, break_on_hyphens=False)
    return (
        "---\nELABORATION MODE\n\n"
        f"{names}\ninto the discussion.\n\n"
        f"Topic: {title} for {item_name}\n\n"
        f'Turn limit: {max_turns} exchanges. Type "done" to end discussion early.\n---'
    )


def nobody_leads(lead: Persona, step: Step) -> str:
    """What is said where nobody leads the phase of a step, and the first of the roster does (PERS-2)."""
    if step.phase:
        return f"Nobody leads {step.phase.name}; {lead.name} leads this discussion."
    return f"Unknown phase key '{step.step_id}'. Defaulting to {lead.name} as lead persona for elaboration."


def framing_text(
    *, title: str, summary: str, focus_question: str, first: Persona, is_step: bool = True
) -> str:
    """The three paragraphs of the lead's framing, without its name (FRAME-1, MENU-8)."""
    landed = summary.strip()
    if not landed.endswith((".", "!", "?")):
        landed += "."
    perspective = f"{article(first.perspective)} {first.perspective} perspective"
    opening = (
        f"We just covered {title}. Here is where we landed:" if is_step else f"We have {title} before us."
    )
    return (
        f"{opening} {landed}\n\n"
        "I think we could benefit from all our perspectives on this specific question: "
        f"{focus_question.strip()}\n\n"
        f"{first.first_name}, what is your take from {perspective}?"
    )


def contribution(persona: Persona, text: str) -> str:
    """A persona's words as they are shown (LOOP-3)."""
    return f"{persona.title}: {text}"


def redirect(speaker: str, subject: str, *, topic: str, ahead: str | None) -> str:
    """The lead's gentle redirect of a persona, by name, or of the user, to where it belongs (FOCUS-1)."""
    later = "We can come back to that after this discussion."
    if speaker == USER:
        said = (
            f"That is a great question{f' for {ahead}' if ahead else ''}. For now, let us focus on {topic}."
        )
        return said if ahead else f"{said} {later}"
    then = f"We can explore that when we get to {ahead}." if ahead else later
    return (
        f"{speaker} raises an interesting point about {subject}, but let us stay focused on {topic}. {then}"
    )


def inactivity(user_name: str | None) -> str:
    """The lead's question to a user who has been silent for three rounds (LOOP-6)."""
    return f"{f'{user_name}, any' if user_name else 'Any'} thoughts on this, or should we wrap up?"


def artifact_updated(output: str, heading: str, description: str) -> str:
    """What was added where (ART-6)."""
    return f'Updated {output}, section "{heading}": added {description}.'


def not_updated(output: str, reason: str) -> str:
    """An output that was left as it is, and why (ART-1, ART-2, ART-5)."""
    return f"Could not update {output} ({reason}). Elaboration insights are in the synthesis summary above."


def left_alone(output: str) -> str:
    """An output that holds data and gets no text (ART-2)."""
    return f"Left {output} as it is: only markdown artifacts take elaboration insights."


def not_taken(hidden: int, length: int, longest: int) -> tuple[str, ...]:
    """Return what to tell the user about a message that was shortened or cleaned; empty if it was not."""
    remarks = []
    if hidden:
        characters = "1 invisible character was" if hidden == 1 else f"{hidden:,} invisible characters were"
        remarks.append(f"{characters} left out of your message.")
    if length > longest:
        taken = f"Your message has {length:,} characters; only the first {longest:,} were taken."
        remarks.append(f"{taken} Say the rest in another message.")
    return tuple(remarks)


def menu(*, last: bool, next_phase: Phase | None, is_quick: bool = False) -> str:
    """The menu after a step, or after the last one of its phase; a quick one is one line (MENU-1, MENU-2)."""
    if is_quick:
        ahead = f"Continue to {next_phase.name}" if next_phase else "Complete analysis"
        return f"[C] {ahead if last else 'Continue'}  [E] Elaboration Mode  or say what should change."
    choices = ["[E] Elaboration Mode -- bring all perspectives to discuss this topic"]
    if not last:
        choices += ["[C] Continue -- move to the next step", "[S] Skip remaining steps in this phase"]
    elif next_phase:
        choices.append(f"[C] Continue to Phase {next_phase.number} ({next_phase.name})")
    else:
        choices.append("[C] Complete analysis")
    return "\n".join(["---", *choices, "Or type naturally to provide feedback.", "---"])


def propose_track(title: str, summary: str, word: str, others: Sequence[str], *, is_asked: bool) -> str:
    """The track that the quick scan proposes, and how it is changed (STEP-9)."""
    because = f" (it says '{word}')" if word else ""
    names = " or ".join(f"`{name}`" for name in others)
    change = f"Enter takes that; {names} changes it" if is_asked else f"Say {names} to change that"
    return f"I take this as {article(title)} {title}{because}: {summary}. {change}."


def track_taken(title: str) -> str:
    """What is said to somebody who goes straight to the matter where a track is proposed (STEP-9)."""
    taken = f"Taken as {article(title)} {title}; `track` at a menu changes that."
    return f"{taken} What you said is not kept as an answer yet: the first question follows."


def with_forecast(menu_text: str, forecast: str) -> str:
    """A menu that says what an elaboration may cost, above its choices (MENU-6)."""
    rule = "---\n" if menu_text.startswith("---\n") else ""
    return f"{rule}{forecast}\n{menu_text.removeprefix(rule)}" if "[E]" in menu_text else menu_text


def brought_up(subject: str, speaker: str, step_id: str) -> str:
    """A parked point, when the step where it belongs starts (FOCUS-2)."""
    return f"Put off until now, by {speaker} in the discussion of step {step_id}: {subject}"


def discussion_cut_off(step_id: str, turn: int, max_turns: int) -> str:
    """Where a discussion stood that was cut off (GREET-6)."""
    subject = f"step {step_id}" if step_id else "this document"
    return f"The discussion of {subject} was cut off at turn {turn} of {max_turns}."


def new_in_phase(persona: Persona, phase: Phase, *, has_met: bool = False) -> str:
    """The first words in a phase; who has introduced itself before only names the phase (GREET-1)."""
    if has_met:
        return f"{persona.name}: Next is {phase.description}."
    return (
        f"{persona.name}: Hi, I'm {persona.first_name}, your {persona.role}. "
        f"I'll be guiding you through {phase.description}. Let's get started."
    )


def welcome_back(persona: Persona, *, titles: Sequence[str], past: Sequence[Past], ahead: str) -> str:
    """The first words after a pause: what was done, discussed, and comes next (GREET-2, GREET-3)."""
    said = ["Welcome back."]
    if titles:
        said.append(f"Last time we completed {join_names(list(titles)[-3:])}.")
    said += [
        f"We also had a roundtable discussion on step {each.step_id} where {continue_sentence(each.summary)}"
        for each in list(past)[-3:]
    ]
    said.append(f"Let us pick up from {ahead}.")
    return f"{persona.name}: " + " ".join(said)


def continue_sentence(summary: str) -> str:
    """A summary as the end of a sentence: `Identified 3 gaps` becomes `we identified 3 gaps.`"""
    text = " ".join(summary.split())
    if re.match(r"\w+ed\b", text):
        text = f"we {text[0].lower()}{text[1:]}"
    return text if text.endswith(" ...") else text.rstrip(".") + "."


def hand_off(outgoing: Persona, done: Phase, incoming: Persona, ahead: Phase) -> str:
    """The line between two leads (GREET-4)."""
    return (
        f"{outgoing.name} has finished {done.description}. "
        f"Handing off to {incoming.title} who will guide you through {ahead.description}."
    )


def all_done(item_name: str, *, moved_on: bool) -> str:
    """What is said when nothing is left (GREET-5)."""
    since = "has moved on since: some findings may be out of date" if moved_on else "has not moved on since"
    return f"All five phases of {item_name} are complete. The code {since}."
