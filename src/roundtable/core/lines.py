"""Lines: everything that is shown, with the words that the rules prescribe. A turn is a line that counts."""

import re
import textwrap
from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct

from .personas import Persona, Roster
from .progress import Past
from .steps import Depth, Phase, Step
from .text import EMPTY_WORDS, word_set
from .turns import USER, Turn

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
# It promises no drafts, since no panel writes any (MENU-4).
SKIPPING = "Skipping remaining steps in this phase."
REVIEW = (
    "Nothing is written yet. Enter accepts; `drop 2 5`, `edit 3 NEW WORDS` and `add decision: WORDS` "
    "(or insight, question, action) change it; `undo` takes back the last change."
)
REVIEW_EMPTY = "Nothing is left: Enter writes nothing to the documents, `undo` takes back the last change."
REVIEW_AGAIN = "The synthesis is still under review; nothing of it is written yet."
NOT_YET = "Letters and `edit` work at the menu after this step. Please answer this question, or `skip` it."
AT_A_QUESTION = (
    "`back` returns to the question before, `skip` leaves this one open or keeps the answer that it has, "
    '`quit` pauses; all is saved. "I don\'t know" is a fair answer.'
)
AT_A_MENU = (
    "Enter goes on, `undo` takes back what was written last, `back` asks the last question again, `quit` "
    "pauses. Anything else you type goes into the document as your feedback."
)
NOT_AN_ANSWER = "Your question was not taken as an answer."
REMINDER = "  (What you know is enough; ? shows an example.)"
NOTHING_WRITTEN = "Nothing was written since this step was opened, so there is nothing to undo here."
DEPTH_ANNOUNCEMENTS: dict[Depth, str] = {  # said once after the greeting; nothing at standard (DEPTH-3)
    "brief": "This looks straightforward. I'll keep the analysis brief"
    " -- say 'deep' if you want the full treatment.",
    "deep": "This is a substantial change. I'll do a thorough analysis"
    " -- say 'brief' if you want to speed things up.",
}
_LATER = "We can come back to that after this discussion."
_RULE = "---"

# Functions that fill in one sentence.
depth_changed: Callable[[str], str] = "Got it, switching to {} mode.".format  # the depth (DEPTH-2)
artifact_updated: Callable[[str, str, str], str] = 'Updated {}, section "{}": added {}.'.format  # ART-6
not_updated: Callable[[str, str], str] = (  # an output, and the reason
    "Could not update {} ({}). Elaboration insights are in the synthesis summary above.".format
)


class MenuChoice(Struct, frozen=True):
    key: str  # the letter that takes it
    label: str
    hint: str = ""  # a few more words, if there is room


class Menu(Struct, frozen=True):
    """The user's choices; if the menu takes feedback, every other message is feedback."""

    choices: tuple[MenuChoice, ...]
    takes_feedback: bool = False
    is_short: bool = False  # one line in plain text

    @property
    def on_enter(self) -> MenuChoice:
        """The choice that Enter takes: to continue, else the first one."""
        return next((each for each in self.choices if each.key == "C"), self.choices[0])

    def find_label(self, key: str) -> str:
        """Return the label that a letter chooses; empty if it chooses nothing."""
        return next((each.label for each in self.choices if each.key == key), "")

    def write(self, above: str) -> str:
        """Return the menu in plain text, with the words above it (MENU-1, MENU-2, MENU-6)."""
        head = [above] if above else []
        if self.is_short:
            row = [f"[{each.key}] {each.label}" for each in self.choices]
            row += ["or say what should change."] if self.takes_feedback else []
            return "\n".join([*head, "  ".join(row)])
        rows = [f"[{each.key}] {each.label}{each.hint and f' -- {each.hint}'}" for each in self.choices]
        if self.takes_feedback:
            return "\n".join([_RULE, *head, *rows, "Or type naturally to provide feedback.", _RULE])
        return "\n".join([*head, *rows])


class Line(Struct, frozen=True):
    """Something that a person reads, and what kind of thing it is.

    A surface arranges the parts as it likes; `text` has all of them in plain text.
    """

    kind: LineKind
    words: str
    speaker: str | None = None
    turn: int | None = None
    state: str | None = None
    awaits: Awaits | None = None
    by: str = ""  # which of several people said it, if the speaker is the user
    name: str = ""  # the persona's name, shown before the words
    heading: str = ""  # the words are a document's section under this heading
    draft: str = ""  # the draft answer to a question, which Enter takes
    source: str = ""  # where the draft comes from
    menu: Menu | None = None  # what can be chosen; the words go above it

    @property
    def draft_label(self) -> str:
        return f"Draft, from {self.source}" if self.source else "Draft"

    @property
    def text(self) -> str:
        """The line in plain text, as a pipe, a program and a host get it."""
        if self.menu is not None:
            return self.menu.write(self.words)
        if self.kind == "introduction":
            return f"{_RULE}\n{self.words}\n{_RULE}"
        if self.name:
            return f"{self.name}{' --' if self.kind == 'step' else ':'} {self.words}"
        if self.heading:
            return f"### {self.heading}\n\n{self.words}"
        if self.draft:
            return f"{self.words}\n  {self.draft_label}: {self.draft}\n  (Enter takes the draft.)"
        return self.words


FINISHED_MENU = Line("menu", "", menu=Menu((
    MenuChoice("L", "Leave", "keep everything as it is"),
    MenuChoice("S", "Start over", "go through all phases again"),
)))  # fmt: skip
"""What can be chosen when all phases are complete (GREET-5)."""


def article(noun: str) -> str:
    """Return `a` or `an`, by the sound of the noun."""
    return "an" if re.match(r"(?!uni|us|eu|one|ut)[aeiou]", noun.strip(), re.IGNORECASE) else "a"


def join_names(parts: Sequence[str]) -> str:
    """Return `A`, `A and B`, or `A, B, and C`."""
    return " and ".join(parts) if len(parts) < 3 else f"{', '.join(parts[:-1])}, and {parts[-1]}"


def introduction(others: Sequence[Persona], *, title: str, item_name: str, max_turns: int) -> str:
    """Return the text that opens an elaboration (ENTRY-3)."""
    bringing = f"Bringing {join_names([persona.title for persona in others])}"
    names = textwrap.fill(bringing, 76, break_long_words=False, break_on_hyphens=False)
    return (
        "ELABORATION MODE\n\n"
        f"{names}\ninto the discussion.\n\n"
        f"Topic: {title} for {item_name}\n\n"
        f'Turn limit: {max_turns} exchanges. Type "done" to end discussion early.'
    )


def leads_instead(lead: Persona, phase: Phase | None, key: str) -> str:
    """Return the notice that nobody leads the phase, or that it is unknown (ENTRY-1)."""
    if phase:
        return f"Nobody leads {phase.name}; {lead.name} leads this discussion."
    return f"Unknown phase key '{key}'. Defaulting to {lead.name} as lead persona for elaboration."


def framing_text(step: Step, summary: str, focus_question: str, first: Persona) -> str:
    """The three paragraphs of the lead's framing, without its name (FRAME-1, MENU-8)."""
    landed = summary.strip()
    landed += "" if landed.endswith((".", "!", "?")) else "."
    covered = f"We just covered {step.title}. Here is where we landed:"
    opening = covered if step.step_id else f"We have {step.title} before us."
    perspective = f"{article(first.perspective)} {first.perspective} perspective"
    return (
        f"{opening} {landed}\n\n"
        "I think we could benefit from all our perspectives on this specific question: "
        f"{focus_question.strip()}\n\n"
        f"{first.first_name}, what is your take from {perspective}?"
    )


def speech(persona: Persona, words: str, kind: LineKind) -> Line:
    """Return a line with its speaker's name and role (LOOP-3)."""
    return Line(kind, words, persona.key, name=persona.title)


def contribution(turn: Turn, roster: Roster) -> Line:
    """Return a turn as a line; surfaces know the user's own name (LOOP-3)."""
    name = "" if turn.speaker == USER else roster[turn.speaker].title
    return Line("contribution", turn.text, turn.speaker, turn.number, by=turn.by, name=name)


def redirect(speaker: str, subject: str, *, topic: str, ahead: str | None) -> str:
    """Return the lead's gentle redirect of a persona, by name, or of the user (FOCUS-1)."""
    if speaker == USER:
        place, later = (f" for {ahead}", "") if ahead else ("", f" {_LATER}")
        return f"That is a great question{place}. For now, let us focus on {topic}.{later}"
    then = f"We can explore that when we get to {ahead}." if ahead else _LATER
    raised = f"{speaker} raises an interesting point about {subject}"
    return f"{raised}, but let us stay focused on {topic}. {then}"


def inactivity(user_name: str | None) -> str:
    """The lead's question to a user who has been silent for three rounds (LOOP-6)."""
    return f"{f'{user_name}, any' if user_name else 'Any'} thoughts on this, or should we wrap up?"


def not_taken(hidden: int, length: int, longest: int) -> tuple[str, ...]:
    """Return what to tell the user about a message that was shortened or cleaned; empty if it was not."""
    characters = "1 invisible character was" if hidden == 1 else f"{hidden:,} invisible characters were"
    remarks = [f"{characters} left out of your message."] if hidden else []
    if length > longest:
        taken = f"Your message has {length:,} characters; only the first {longest:,} were taken."
        remarks.append(f"{taken} Say the rest in another message.")
    return tuple(remarks)


def menu(*, last: bool, next_phase: Phase | None, is_quick: bool = False) -> Line:
    """Return the menu after a step, or after the last of a phase; one line if quick (MENU-1, MENU-2)."""
    elaborate = MenuChoice("E", "Elaboration Mode", "bring all perspectives to discuss this topic")
    if not last:
        go_on = MenuChoice("C", "Continue", "move to the next step")
    elif next_phase:
        place = next_phase.name if is_quick else f"Phase {next_phase.number} ({next_phase.name})"
        go_on = MenuChoice("C", f"Continue to {place}")
    else:
        go_on = MenuChoice("C", "Complete analysis")
    if is_quick:
        return Line("menu", "", menu=Menu((go_on, elaborate), takes_feedback=True, is_short=True))
    skip = () if last else (MenuChoice("S", "Skip remaining steps in this phase"),)
    return Line("menu", "", menu=Menu((elaborate, go_on, *skip), takes_feedback=True))


def choice_menu(question: str, choices: Sequence[str]) -> Line:
    """The menu that asks for one of a few choices, each taken by its first letter."""
    offered = tuple(MenuChoice(choice[0].upper(), choice.capitalize()) for choice in choices)
    return Line("menu", question, menu=Menu(offered, is_short=True))


def track_proposal(title: str, summary: str, word: str, others: Sequence[str], *, is_asked: bool) -> str:
    """Return the words that propose a track and say how to change it (STEP-9)."""
    because = f" (it says '{word}')" if word else ""
    names = " or ".join(f"`{name}`" for name in others)
    change = f"Press Enter to agree, or type {names}" if is_asked else f"Type {names} to change that"
    return f"This looks like {article(title)} {title}{because}: {summary}. {change}."


def new_in_phase(persona: Persona, phase: Phase, *, has_met: bool = False) -> Line:
    """Return the greeting in a new phase; a persona the user has met only names the phase (GREET-1)."""
    who = f"Hi, I'm {persona.first_name}, your {persona.role}."
    words = f"{who} I'll be guiding you through {phase.description}. Let's get started."
    words = f"Next is {phase.description}." if has_met else words
    return Line("greeting", words, persona.key, name=persona.name)


def welcome_back(persona: Persona, *, titles: Sequence[str], past: Sequence[Past], ahead: str) -> Line:
    """Return the greeting after a pause: what was done and discussed, what is next (GREET-2, GREET-3)."""
    said = ["Welcome back."]
    if titles:
        said.append(f"Last time we completed {join_names(titles[-3:])}.")
    said += [
        f"We also had a roundtable discussion on step {each.step_id} where {continue_sentence(each.summary)}"
        for each in past[-3:]
    ]
    said.append(f"Let us pick up from {ahead}.")
    return Line("greeting", " ".join(said), persona.key, name=persona.name)


# How the parts of our own summaries begin, also in earlier versions, and the verb for each in a sentence.
_PARTS = {"Decided": "decided", "Found": "found", "Said": "heard"}
_PARTS |= {"Open": "left open", "Still open": "left open"}
_PART = re.compile(rf"(?:^|(?<=[.?!]) )({'|'.join(_PARTS)}): ")
_PAST = word_set("chose drew found gave held kept laid left made met put said saw set split took wrote")


def continue_sentence(summary: str) -> str:
    """Return a summary as the end of a sentence: `Identified 3 gaps` becomes `we identified 3 gaps.`

    What the user said, such as `Decided: We wait.`, is quoted: `we decided: "We wait".`
    """
    text = " ".join(summary.split())
    before, *parts = _PART.split(text)
    if parts and not before:
        told = (words.replace('"', "'") for words in parts[1::2])
        quoted = (f"{words.rstrip('. ')}{' ...' if words.endswith('...') else ''}" for words in told)
        said = [f'{_PARTS[lead]}: "{words}"' for lead, words in zip(parts[::2], quoted, strict=True)]
        return f"we {' and '.join(said)}."
    first = text.partition(" ")[0].lower()
    is_past = first in _PAST or re.match(r"\w+ed\b", text)
    is_name = text[1:2].isupper() or re.match(r"I\b", text)  # "IT", "I'm"
    if is_past or (first in EMPTY_WORDS | {"nobody"} and not is_name):
        text = f"{'we ' if is_past else ''}{text[0].lower()}{text[1:]}"
    return text if text.endswith(" ...") else text.rstrip(".?!") + "."
