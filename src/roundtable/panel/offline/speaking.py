"""Speaking: the framing, and the next contribution of a persona: a prompt, or a reply with one.

A contribution never claims anything: it asks, it shows written lines with where they stand, or it repeats
what was decided.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from zlib import crc32

from msgspec import Struct

from ...core.commands import Brief, StepBrief, Table
from ...core.hearing import address, insists_on_topic
from ...core.lines import join_names
from ...core.personas import Persona
from ...core.text import fold_text, words_of
from ...core.turns import USER
from ..base import Framing
from .lexicon import content_stems, drop_name, persona_line, strip_address
from .messages import UserMessage, read_message
from .pairing import Discussion, OpenPrompt, find_answered_prompt, first_names, follow_discussion
from .prompts import QUOTE, Focus, Library, Prompt
from .search import answers_question, find_closest_lines
from .section import LabelAnswer, SearchLine, SectionContext, document_lines, read_section

_MAX_FRAMING_QUOTE = 20
_MAX_SHOWN_LINE = 45
_MAX_DECISION_WORDS = 40
_LEAST_ALIKE, _SHARE_ALIKE = 4, 0.4
_POINTING = frozenset({"that", "this", "these", "those", "it", "they", "them", "its", "one"})
_OPENNESS = ("unknown", "given", "none")
_SETTLED = "Good, then it is off the list."
_TRADEOFF = (
    "There are two views on the table here. Which way should it go, and what would you give up for it?"
)
_PLAIN_FOCUS = Focus(
    step="00-00",
    label="",
    gap="What somebody would still have to ask before building it is not visible yet.",
    question="what is still missing here before somebody could build it without asking again?",
    topic="what is still missing here",
)


class Floor(Struct, frozen=True, dict=True):
    """One request to speak, with everything it can draw on."""

    brief: Brief
    section: SectionContext
    library: Library

    @property
    def table(self) -> Table:
        return self.brief.table

    @property
    def speaker(self) -> Persona:
        return self.brief.speaker

    @property
    def may_ask(self) -> bool:
        """Whether somebody can still answer; in the first round there is nothing else to say."""
        is_last = len(self.table.turns) + 1 >= self.table.max_turns
        return self.brief.purpose == "first-round" or not is_last

    @cached_property
    def discussion(self) -> Discussion:
        return follow_discussion(self.table, self.library)

    @cached_property
    def before_reply(self) -> Discussion:
        """The discussion before the message that is to be answered."""
        return follow_discussion(self.table, self.library, upto=(self.brief.answers or 1) - 1)

    @cached_property
    def focus_label(self) -> str:
        asked = fold_text(self.table.focus_question)
        return next((each.label for each in self.library.focuses if fold_text(each.question) == asked), "")

    @cached_property
    def persona_texts(self) -> tuple[str, ...]:
        return tuple(fold_text(turn.text) for turn in self.table.turns if turn.speaker != USER)


# --- framing --------------------------------------------------------------------------------------------


def frame_discussion(brief: Brief, library: Library) -> Framing:
    """Frame the discussion on the label that leaves most open."""
    section = read_section(brief.table)
    for answer in _order_labels(section, brief.table):
        suits = "unknown" if answer.state == "unknown" else "given"
        focus = library.find_focus(section.step.step_id, answer.label, suits)
        if focus is not None and not any(fold_text(focus.question) in text for text in section.asked_before):
            landed, gap = _summarise(section, answer), focus.gap
            if answer.label not in landed:
                gap = f"On {answer.label}: {gap[:1].lower()}{gap[1:]}"
            return Framing(f"{landed} {gap}", focus.question, focus.topic)
    return Framing(
        f"{_summarise(section, None)} {_PLAIN_FOCUS.gap}", _PLAIN_FOCUS.question, _PLAIN_FOCUS.topic
    )


def _order_labels(section: SectionContext, table: Table) -> list[LabelAnswer]:
    """Order the labels by what they leave open: unknown first, then the shortest answers."""

    def openness(answer: LabelAnswer) -> tuple[int, int, int]:
        rank, length = _OPENNESS.index(answer.state), min(len(answer.text.split()) // 12, 2)
        return rank, length, crc32(f"{table.item.slug}|{answer.label}".encode())

    return sorted(section.answers, key=openness)


def _summarise(section: SectionContext, focus: LabelAnswer | None) -> str:
    """Say what stands in the section; only a whole answer is quoted, since half of one misleads."""
    answered = [each for each in section.answers if each.state != "unknown"]
    given = [each for each in answered if each is not focus] or answered
    if not section.answers:
        return "there is a text, and none of its lines stands under one of the step's own questions."
    if not given:
        return "nothing is answered yet."
    plain = (each for each in given if '"' not in each.text and "\n" not in each.text)
    short = [each for each in plain if 3 <= len(each.text.split()) <= _MAX_FRAMING_QUOTE][:2]
    if short:
        quoted = (f'for {each.label} you wrote "{each.text.rstrip(".")}"' for each in short)
        return " and ".join(quoted) + "."
    return f"{join_names([each.label for each in given])} {'is' if len(given) == 1 else 'are'} answered."


# --- contributions --------------------------------------------------------------------------------------


def say_next(floor: Floor) -> str | None:
    """Return the persona's contribution; None where there is nothing left to ask."""
    match floor.brief.purpose:
        case "tradeoff" if floor.may_ask:
            return _TRADEOFF
        case "answer":
            said = _reply(floor)
        case "follow":
            said = _follow(floor)
        case _:
            said = _ask_next(floor)
    if said is None and not (floor.brief.may_pass or floor.brief.may_yield):
        return _ask_by_lens(floor)
    return said


def _reply(floor: Floor) -> str | None:
    message, answered = _read_last_message(floor)
    if message is None:
        return _ask_next(floor)
    key, subject = floor.speaker.key, message.text
    if message.asks_to_clarify and (clearer := _clarify(floor)):
        return clearer
    if message.settles_question:
        return _join(_SETTLED, _ask_next(floor))
    if message.keeps_open and floor.before_reply.open_prompts:
        return _join(persona_line(key, "kept"), _ask_next(floor))
    decided = drop_name(" ".join(message.of_kind("decision")), first_names(floor.table))
    if decided:
        short = len(decided.split()) <= _MAX_DECISION_WORDS
        return _join(
            f'Decided: "{decided}"' if short else "Decided, in your words.", _ask_next(floor, subject)
        )
    if message.question:
        if floor.may_ask and address(message.text, floor.table.roster).kind == "group":
            return _ask_next(floor, message.question)
        return _show_closest(floor, strip_address(message.question, first_names(floor.table)))
    if message.of_kind("denial"):
        return _join(persona_line(key, "kept"), _ask_next(floor))
    if answered is not None and answered.speaker == key and (more := _ask_further(floor, answered)):
        return more
    if message.objects and (prompt := _choose(floor, "objection")):
        return _fill(prompt, None)
    return _compare_with_document(floor, subject) or _ask_next(floor, subject)


def _follow(floor: Floor) -> str | None:
    """Speak after somebody else: to go one step further, or where the objection was to one's own prompt."""
    message, answered = _read_last_message(floor)
    if message is None or message.question:
        return None
    if answered is not None and answered.speaker == floor.speaker.key:
        return _ask_further(floor, answered)
    before = floor.before_reply.prompts
    concerned = message.objects and before and before[-1].speaker == floor.speaker.key
    prompt = _choose(floor, "objection") if concerned else None
    return _fill(prompt, None) if prompt else None


def _read_last_message(floor: Floor) -> tuple[UserMessage | None, OpenPrompt | None]:
    number = floor.brief.answers
    if number is None or number > len(floor.table.turns):
        return None, None
    turn, names = floor.table.turns[number - 1], first_names(floor.table)
    earlier = [each for each in floor.table.turns[: number - 1] if each.speaker == USER]
    if earlier and insists_on_topic(turn.text) and not read_message(turn.text, names).question:
        # "No, this belongs here": what is to be answered was said before.
        turn = earlier[-1]
    message = read_message(turn.text, names)
    addressed = address(turn.text, floor.table.roster).persona
    return message, find_answered_prompt(message, floor.before_reply.open_prompts, addressed=addressed)


def _show_closest(floor: Floor, question: str) -> str | None:
    key = floor.speaker.key
    lines = find_closest_lines(question, floor.section.lines)
    if lines:
        is_found = answers_question(question, lines[0])
        shown = "; ".join(map(_show_line, lines[:1] if is_found else lines))
        return persona_line(key, "found" if is_found else "closest").format(lines=shown)
    said = persona_line(key, "nothing_close")
    # Said before, it would only be an echo: the next prompt goes with it.
    echoes = any(fold_text(said) in text for text in floor.persona_texts)
    return _join(said, _ask_next(floor, question)) if echoes else said


def _compare_with_document(floor: Floor, said: str) -> str | None:
    """Show the line of a document that says much of what the user says; on a step the words are theirs."""
    if floor.table.step.step_id or not floor.may_ask:
        return None
    stems = frozenset(content_stems(said))
    for line in find_closest_lines(said, floor.section.lines)[:1]:
        shared = len(stems.intersection(content_stems(line.text)))
        is_shown = any(fold_text(line.text) in text for text in floor.persona_texts)
        if shared >= max(_LEAST_ALIKE, _SHARE_ALIKE * len(stems)) and not is_shown:
            return persona_line(floor.speaker.key, "alike").format(lines=_show_line(line))
    return None


def answer_aside(brief: StepBrief, question: str) -> str:
    """Return what a persona can say to a question at a menu: the lines that come closest, if any."""
    said = [SearchLine(each.text, each.label, each.question) for each in brief.answers if not each.unknown]
    written = (("the item", brief.item.text), *((each.name, each.text) for each in brief.documents))
    others = [line for name, text in written if name != "draft.md" for line in document_lines(name, text)]
    new = (line for line in others if not any(line.text.endswith(each.text) for each in said))
    lines = find_closest_lines(question, (*said, *new))
    if not lines:
        return "I can't answer that from what is written. E brings everyone to the table to talk it over."
    return f"What is written that comes closest: {'; '.join(map(_show_line, lines))}."


def _show_line(line: SearchLine) -> str:
    words = line.text.rstrip(".").split()
    shown = " ".join(words[:_MAX_SHOWN_LINE]) + (" ..." if len(words) > _MAX_SHOWN_LINE else "")
    marks = ("“", "”") if '"' in shown else ('"', '"')
    return f"{line.place}: {marks[0]}{shown}{marks[1]}"


def _clarify(floor: Floor) -> str | None:
    """Put the speaker's last prompt in other words: the help that the step gives for its label."""
    asked = reversed(floor.before_reply.prompts)
    own = next((each for each in asked if each.speaker == floor.speaker.key), None)
    if own is None:
        return None
    questions = (*floor.section.step.standard, *floor.section.step.deep)
    question = next((each for each in questions if fold_text(each.label) == fold_text(own.label)), None)
    if question is not None and question.help:
        return f"It goes with {question.label}. {question.help}"
    return f"In short: {own.question}"


def _ask_further(floor: Floor, answered: OpenPrompt) -> str | None:
    if answered.prompt is None or answered.further or not floor.may_ask:
        return None
    further = answered.prompt.further
    return None if any(fold_text(further) in text for text in floor.persona_texts) else further


def _ask_next(floor: Floor, about: str = "") -> str | None:
    prompt = _choose(floor, "", about)
    if prompt is None:
        return None
    answer = floor.section.find_answer(prompt.label) if prompt.label else None
    return _fill(prompt, answer, lead=_lead_in(floor, prompt))


def _choose(floor: Floor, suits: str, about: str = "") -> Prompt | None:
    """Choose the prompt that fits best and was never asked; `suits` restricts it to one occasion."""
    skipped = len(floor.brief.again)
    ranked = sorted(_rank(floor, suits, about), key=lambda each: each[0]) if floor.may_ask else []
    return ranked[min(skipped, len(ranked) - 1)][1] if ranked else None


def _rank(floor: Floor, suits: str, about: str) -> Iterator[tuple[tuple[float, ...], Prompt]]:
    section, table = floor.section, floor.table
    mine = [each for each in floor.discussion.open_prompts if each.speaker == floor.speaker.key]
    passed = {fold_text(each.label) for each in mine}
    theirs = {fold_text(each.label) for each in floor.discussion.prompts if each.speaker != floor.speaker.key}
    wanted = frozenset(content_stems(about))
    asked = (*floor.persona_texts, *section.asked_before)
    for place, prompt in enumerate(floor.library.of_persona(floor.speaker.key)):
        distance = _distance(prompt, floor, suits)
        if distance is None or any(prompt.needle in text for text in asked) or section.is_settled(prompt):
            continue
        label = fold_text(prompt.label)
        again = bool(label) and label in passed
        crowded = bool(label) and label in theirs and label != fold_text(floor.focus_label)
        overlap = len(wanted & (prompt.stems | frozenset(content_stems(prompt.label))))
        chance = crc32(f"{table.item.slug}|{prompt.needle}".encode()) / 2**32
        order = chance if label else place / 10_000
        yield (again, -min(overlap, 2) + distance + crowded, order), prompt


def _distance(prompt: Prompt, floor: Floor, suits: str) -> float | None:
    """Return how far a prompt is from the focus, 0 being the focus itself; None where it does not fit."""
    section = floor.section
    if suits:
        return 0.0 if prompt.suits == suits else None
    if prompt.suits == "objection":
        return None
    if prompt.label:
        answer = section.find_answer(prompt.label) if prompt.step == section.step.step_id else None
        if answer is None or not suits_answer(prompt, answer):
            return None
        return 0.0 if fold_text(prompt.label) == fold_text(floor.focus_label) else 2.0
    if prompt.is_topical:
        return 1.0 if prompt.fits_topic(section.stems) else None
    if prompt.suits != "given":
        return 0.5 if _label_in_state(floor, prompt.suits) is not None else None
    # What fits any step is filler once the talk has begun: then it is better to ask whether to wrap up.
    return 4.0 if floor.brief.purpose == "first-round" else None


def suits_answer(prompt: Prompt, answer: LabelAnswer) -> bool:
    """Whether an answer is of the kind that a prompt is for, and holds what the prompt presupposes."""
    quotable = QUOTE not in prompt.text or bool(answer.quote)
    return answer.state == prompt.suits and quotable and all(map(answer.meets, prompt.needs))


def _label_in_state(floor: Floor, state: str) -> LabelAnswer | None:
    """Return the label that a prompt for unanswered labels is about: the focus first, each label once."""
    asked = {fold_text(each.text) for each in floor.discussion.prompts}
    states = [each for each in floor.section.answers if each.state == state]
    unasked = [each for each in states if not any(fold_text(each.label) in text for text in asked)]
    focus = [each for each in unasked if fold_text(each.label) == fold_text(floor.focus_label)]
    return next(iter((*focus, *unasked)), None)


def _lead_in(floor: Floor, prompt: Prompt) -> str:
    """Name what a prompt is about where its words alone would point at nothing."""
    if prompt.label:
        points = not _POINTING.isdisjoint(words_of(prompt.text))
        asked = [each.label for each in floor.discussion.prompts if each.label]
        last = asked[-1] if asked else floor.focus_label
        return f"On {prompt.label}:" if points and fold_text(prompt.label) != fold_text(last) else ""
    if prompt.suits not in ("none", "unknown"):
        return ""
    answer = _label_in_state(floor, prompt.suits)
    if answer is None:
        return ""
    unknown = prompt.suits == "unknown"
    return f"{answer.label} is still open." if unknown else f"For {answer.label} there is nothing, you say."


def _fill(prompt: Prompt, answer: LabelAnswer | None, lead: str = "") -> str:
    return _join(lead, prompt.text.replace(QUOTE, answer.quote if answer is not None else ""))


def _ask_by_lens(floor: Floor) -> str:
    """Ask from the speaker's own field, where no prompt is left; after a statement say that it is kept."""
    message, _ = _read_last_message(floor)
    is_told = floor.brief.purpose == "answer" and message is not None and not message.question
    if not floor.may_ask or is_told:
        said = persona_line(floor.speaker.key, "nothing_to_ask")
        return _join(persona_line(floor.speaker.key, "taken") if floor.may_ask else "", said)
    lens = floor.speaker.lens or (floor.speaker.perspective or floor.speaker.role,)
    persona_texts = " ".join(floor.persona_texts)
    chosen = next((each for each in lens if fold_text(each) not in persona_texts), lens[0])
    return f"Looking at {chosen} alone: what could still go wrong?"


def _join(*parts: str | None) -> str:
    return " ".join(part for part in parts if part)
