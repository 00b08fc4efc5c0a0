"""Speaking: the framing, and the next contribution of a persona: a prompt, or a reply with one.

A contribution never claims anything: it asks, it shows written lines with where they stand, or it repeats
what was decided.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from zlib import crc32

from msgspec import Struct

from ...core.commands import Brief, StepBrief
from ...core.hearing import address
from ...core.lines import join_names
from ...core.text import content_stems, cut_words, escape_markdown, fold_text, stem_word, words_of
from ...core.turns import USER
from ..base import Framing, Look, LookUpsWanted
from .lexicon import drop_name, persona_line, strip_address, telling_stems
from .messages import UserMessage, read_message
from .pairing import Discussion, OpenPrompt, first_names, follow_discussion
from .prompts import QUOTE, Focus, Library, Prompt
from .section import (
    MAX_LINES_SHOWN,
    LabelAnswer,
    SearchLine,
    SectionContext,
    document_lines,
    find_closest_lines,
    read_section,
)

_MAX_FRAMING_QUOTE = 20
_MAX_SHOWN_LINE = 45
_MAX_DECISION_WORDS = 40
_POINTING = frozenset({"that", "this", "these", "those", "it", "they", "them", "its", "one"})
_MAX_CODE_WORDS = 8
IN_THE_CODE = "in the code"
_CODE_LINE = re.compile(r"[^\s:]++:\d++ ")
_NOT_SOURCE = re.compile(
    r"\.(?:md|rst|txt|ya?ml|toml|json|lock)$|(?:^|/)(?:tests?|docs?)/|(?:^|/)test_", re.IGNORECASE
)
# A name as code is spelled: `name`, name(), some_name, SomeName.
_CODE_NAME = re.compile(
    r"`(?:\w{1,40}\.){0,4}(?P<quoted>[A-Za-z_]\w{0,40})(?P<brackets>\(\))?`"
    r"|\b(?P<called>[A-Za-z_]\w{0,40})\("
    r"|\b(?P<spelled>[a-z]\w{0,40}_\w{1,40}|[A-Z]\w{0,20}[a-z]\w{0,20}[A-Z]\w{0,20})\b"
)
_MAX_CODE_NAMES = 2
_ASKS_FOR_CALLS = re.compile(r"\b(?:calls?|called|callers?|uses?|used)\b")
_ASKS_FOR_CODE = re.compile(r"\bwhere\b|\b(?:which|what) (?:file|module|function|class|line)s?\b|\bcode\b")
_DECIDED = re.compile(r"^decided: ", re.IGNORECASE)
_OPENNESS = ("unknown", "given", "none")
_NO_SUCH_QUESTION = (
    "This discussion has no such question. `roundtable questions` lists what is open in the documents."
)
_TRADEOFF = (
    "There are two views on the table here. Which way should it go, and what would you give up for it?"
)
_PLAIN_FOCUS = Focus(
    step="00-00",
    label="",
    gap="We do not know yet what a developer would still have to ask before building it.",
    question="what is still missing here before somebody could build it without asking again?",
    topic="what is still missing here",
)


class Floor(Struct, frozen=True, dict=True):
    """One request to speak, with everything it can draw on."""

    brief: Brief
    section: SectionContext
    library: Library

    @property
    def may_ask(self) -> bool:
        """Whether somebody can still answer; in the first round there is nothing else to say."""
        table = self.brief.table
        return self.brief.purpose == "first-round" or len(table.turns) + 1 < table.max_turns

    @cached_property
    def discussion(self) -> Discussion:
        return follow_discussion(self.brief.table, self.library)

    @cached_property
    def message(self) -> UserMessage | None:
        """The message that is to be answered."""
        table, number = self.brief.table, self.brief.answers
        return read_message(table.turns[number - 1].text, first_names(table)) if number else None

    @cached_property
    def focus_label(self) -> str:
        asked = fold_text(self.brief.table.focus_question)
        labels = (each.label for each in self.library.focuses if fold_text(each.question) == asked)
        return fold_text(next(labels, ""))

    @cached_property
    def persona_texts(self) -> tuple[str, ...]:
        return tuple(fold_text(turn.text) for turn in self.brief.table.turns if turn.speaker != USER)

    def was_said(self, words: str) -> bool:
        """Whether a persona has said these words in this discussion."""
        return any(fold_text(words) in text for text in self.persona_texts)

    def say(self, kind: str) -> str:
        """Return how the speaker says one kind of thing."""
        return persona_line(self.brief.speaker.key, kind)


# --- framing --------------------------------------------------------------------------------------------


def frame_discussion(brief: Brief, library: Library) -> Framing:
    """Frame the discussion on the label that leaves most open: unknown first, then the shortest answers."""
    section = read_section(brief.table)

    def openness(answer: LabelAnswer) -> tuple[int, int, int]:
        rank, length = _OPENNESS.index(answer.state), min(len(answer.text.split()) // 12, 2)
        return rank, length, crc32(f"{brief.table.item.slug}|{answer.label}".encode())

    for answer in sorted(section.answers, key=openness):
        suits = "unknown" if answer.state == "unknown" else "given"
        focus = library.find_focus(section.step.step_id, answer.label, suits)
        if focus is not None and not any(fold_text(focus.question) in text for text in section.asked_before):
            landed, gap = _summarise(section, answer), focus.gap
            if answer.label not in landed:
                gap = f"On {answer.label}: {gap[:1].lower()}{gap[1:]}"
            return Framing(f"{landed} {gap}", focus.question, focus.topic)
    plain = _PLAIN_FOCUS
    return Framing(f"{_summarise(section, None)} {plain.gap}", plain.question, plain.topic)


def _summarise(section: SectionContext, focus: LabelAnswer | None) -> str:
    """Say what stands in the section; only a whole answer is quoted, since half of one misleads."""
    answered = [each for each in section.answers if each.state != "unknown"]
    given = [each for each in answered if each is not focus] or answered
    if not section.answers:
        return "the document has text, but no answer to one of the step's questions."
    if not given:
        return "nothing is answered yet."
    # A surface that reads markdown would show `__init__` without its underscores.
    plain = (each for each in given if '"' not in each.text and escape_markdown(each.text) == each.text)
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
        case "answer" if floor.message is not None:
            said = _reply(floor, floor.message)
        case "follow":
            said = _ask_further(floor)
        case _:
            said = _ask_next(floor)
    if said is None and not floor.brief.may_be_silent:
        return _ask_by_lens(floor)
    return said


def _reply(floor: Floor, message: UserMessage) -> str | None:
    names = first_names(floor.brief.table)
    own = [each for each in floor.discussion.prompts if each.speaker == floor.brief.speaker.key]
    if message.asks_to_clarify and own:
        return _put_otherwise(floor, own[-1])
    is_told = message.of_kind("statement", "decision", "question")
    if message.settles_question and not is_told:
        is_struck = floor.brief.answers in floor.discussion.settling_turns
        return _join("Good, then it is off the list." if is_struck else _NO_SUCH_QUESTION, _ask_next(floor))
    if message.rejects_prompt and not is_told:
        instead = floor.say("instead")
        can_ask = floor.may_ask and not floor.was_said(instead)
        return _join(floor.say("rejected"), instead if can_ask else _ask_next(floor))
    if message.keeps_open:
        return _join(floor.say("kept"), _ask_next(floor))
    question = message.of_kind("question")
    if decided := drop_name(message.of_kind("decision"), names):
        is_short = len(decided.split()) <= _MAX_DECISION_WORDS
        said = _DECIDED.sub("", decided)
        repeated = f'Decided: "{said}"' if is_short else "Decided, in your words."
        shown = _show_closest(floor, strip_address(question, names)) if question else None
        return _join(repeated, shown or _ask_next(floor, message.text))
    if question:
        if floor.may_ask and address(message.text, floor.brief.table.roster).kind == "group":
            return _ask_next(floor, question)
        return _show_closest(floor, strip_address(question, names))
    objection = _choose(floor, "objection") if message.objects else None
    return _ask_further(floor) or (objection.text if objection else _ask_next(floor, message.text))


def _show_closest(floor: Floor, question: str) -> str:
    named, written = _find_named_code(floor, question), find_closest_lines(question, floor.section.lines)
    code = named or _find_code(floor, question)
    asks_for_code = named or _ASKS_FOR_CODE.search(fold_text(question))
    first, then = (code, written) if asks_for_code else (written, code)
    lines = (*first[: MAX_LINES_SHOWN - bool(then)], *then)[:MAX_LINES_SHOWN]
    if lines:
        return floor.say("closest").format(lines=_show_lines(lines))
    said = floor.say("nothing_close")
    # Said before, it would only be an echo: the next prompt goes with it.
    return _join(said, _ask_next(floor, question)) if floor.was_said(said) else said


def _find_named_code(floor: Floor, question: str) -> list[SearchLine]:
    """Return the lines that define or use what a question names as code; calls first if it asks for them."""
    found = list(_CODE_NAME.finditer(question))[:_MAX_CODE_NAMES]
    names = [each["quoted"] or each["called"] or each["spelled"] for each in found]
    spelled = [
        f"{name}()" if each["called"] or each["brackets"] else name
        for name, each in zip(names, found, strict=True)
    ]
    hits = _look_up(floor, spelled)
    lines = sorted(hits, key=lambda line: bool(_NOT_SOURCE.search(line.partition(":")[0])))
    if _ASKS_FOR_CALLS.search(fold_text(question)):
        defines = re.compile(
            rf"\b(?:def|class|func|function|fn)\s{{1,9}}(?:{'|'.join(map(re.escape, names))})\b"
        )
        lines.sort(key=lambda line: bool(defines.search(line)))
    return [SearchLine(line, IN_THE_CODE) for line in lines]


def _look_up(floor: Floor, words: Sequence[str]) -> list[str]:
    """Return the lines of code that a search for the words finds; the runtime is asked for it first."""
    look = Look("search", " ".join(words))
    shown = [each.text for each in floor.brief.table.looked_up if each.name == f"{look.kind} {look.what}"]
    if words and not shown and floor.brief.look_ups:
        raise LookUpsWanted((look,))
    return [line for text in shown for line in text.split("\n") if _CODE_LINE.match(line)]


def _find_code(floor: Floor, question: str) -> list[SearchLine]:
    """Return the lines of code that hold most words of a question, which are looked up first.

    One word alone says little; where the question asks for a place in the code, half of its words will do.
    """
    asks_for_code = bool(_ASKS_FOR_CODE.search(fold_text(question)))
    stems = {stem_word(word): word for word in words_of(question)}
    told = [(stem, word) for stem, word in stems.items() if stem in telling_stems(question)]
    # "Reports" is looked for as "report", and "queries" as itself.
    words = [stem if word.startswith(stem) else word for stem, word in told][:_MAX_CODE_WORDS]
    if len(words) < 2 and not asks_for_code:
        return []
    code = (line for line in _look_up(floor, words) if not _NOT_SOURCE.search(line.partition(":")[0]))
    parts = [re.compile(rf"(?<![a-z]){re.escape(word)}[a-z]{{0,5}}(?![a-z])") for word in words]
    least = (len(parts) + (1 if asks_for_code else 2)) // 2
    held = (line for line in code if sum(bool(part.search(line.lower())) for part in parts) >= least)
    # A path within the quotation is nobody's own word, whatever the speaker's vocabulary.
    return [SearchLine(line, IN_THE_CODE) for line in held]


def answer_aside(brief: StepBrief, question: str) -> str:
    """Return what a persona can say to a question at a menu: the lines that come closest, if any."""
    said = [SearchLine(each.text, each.label) for each in brief.answers if not each.unknown]
    written = (("the item", brief.item.text), *((each.name, each.text) for each in brief.documents))
    others = [line for name, text in written if name != "draft.md" for line in document_lines(name, text)]
    new = (line for line in others if not any(line.text.endswith(each.text) for each in said))
    lines = find_closest_lines(question, (*said, *new))
    if not lines:
        return "I can't answer that from what is written. Press E at the menu to ask everyone."
    return f"The closest lines in the documents: {_show_lines(lines)}."


def _show_lines(lines: Sequence[SearchLine]) -> str:
    """Return lines in quotation marks, each with its place, which for code is in the quotation."""
    shown: list[str] = []
    place = ""
    for line in lines:
        text = cut_words(line.text.rstrip("."), _MAX_SHOWN_LINE)
        quoted = f"“{text}”" if '"' in text else f'"{text}"'
        is_code, is_said = line.place == IN_THE_CODE, line.place == place
        shown.append(quoted if is_code and is_said else f"{line.place}{'' if is_code else ':'} {quoted}")
        place = line.place
    return "; ".join(shown)


def _put_otherwise(floor: Floor, asked: OpenPrompt) -> str:
    """Put a prompt in other words: the help that the step gives for its label."""
    for question in floor.section.step.every_question:
        if fold_text(question.label) == fold_text(asked.label) and question.help:
            return f"It goes with {question.label}. {question.help}"
    return f"In short: {asked.question}"


def _ask_further(floor: Floor) -> str | None:
    """Go one step further where the user has answered the speaker's own prompt."""
    answered = (said.prompt for said in floor.discussion.said if said.turn == floor.brief.answers)
    for prompt in answered if floor.may_ask else ():
        if prompt and prompt.prompt and prompt.speaker == floor.brief.speaker.key:
            further = prompt.prompt.further
            return further if further and not floor.was_said(further) else None
    return None


def _ask_next(floor: Floor, about: str = "") -> str | None:
    prompt = _choose(floor, "", about)
    if prompt is None:
        return None
    answer = floor.section.find_answer(prompt.label) if prompt.label else None
    return _join(_lead_in(floor, prompt), prompt.text.replace(QUOTE, answer.quote if answer else ""))


def _choose(floor: Floor, suits: str, about: str = "") -> Prompt | None:
    """Choose the prompt that fits best and was never asked; `suits` restricts it to one occasion."""
    key, found = floor.brief.speaker.key, floor.discussion
    passed = {fold_text(each.label) for each in found.open_prompts if each.speaker == key and each.label}
    theirs = {fold_text(each.label) for each in found.prompts if each.speaker != key and each.label}
    wanted = frozenset(content_stems(about))
    asked = (*floor.persona_texts, *floor.section.asked_before)
    ranked: list[tuple[tuple[bool, float, float, int], Prompt]] = []
    for place, prompt in enumerate(floor.library.of_persona(key) if floor.may_ask else ()):
        distance = _distance(prompt, floor, suits)
        is_asked = any(prompt.needle in text for text in asked)
        if distance is None or is_asked or floor.section.is_settled(prompt):
            continue
        label = fold_text(prompt.label)
        crowded = label in theirs - {floor.focus_label}
        overlap = len(wanted & (prompt.stems | frozenset(content_stems(prompt.label))))
        chance = crc32(f"{floor.brief.table.item.slug}|{prompt.needle}".encode()) / 2**32
        order = (label in passed, distance + crowded - min(overlap, 2), chance if label else 0.0, place)
        ranked.append((order, prompt))
    ranked.sort(key=lambda each: each[0])
    # What was refused the first time is not said again.
    return ranked[min(len(floor.brief.again), len(ranked) - 1)][1] if ranked else None


def _distance(prompt: Prompt, floor: Floor, suits: str) -> float | None:
    """Return how far a prompt is from the focus, 0 being the focus itself; None where it does not fit."""
    section = floor.section
    if suits or prompt.suits == "objection":
        return 0.0 if prompt.suits == suits else None
    if prompt.label:
        answer = section.find_answer(prompt.label) if prompt.step == section.step.step_id else None
        is_met = answer is not None and answer.state == prompt.suits and all(map(answer.meets, prompt.needs))
        if answer is None or not is_met or (QUOTE in prompt.text and not answer.quote):
            return None
        return 0.0 if fold_text(prompt.label) == floor.focus_label else 2.0
    if prompt.is_topical:
        return 1.0 if prompt.fits_topic(section.stems) else None
    if prompt.suits != "given":
        return 0.5 if _label_in_state(floor, prompt.suits) is not None else None
    # What fits any step is filler once the talk has begun: then it is better to ask whether to wrap up.
    return 4.0 if floor.brief.purpose == "first-round" else None


def _label_in_state(floor: Floor, state: str) -> str | None:
    """Return the label that a prompt for unanswered labels is about: the focus first, each label once."""
    asked = [fold_text(each.text) for each in floor.discussion.prompts]
    labels = [each.label for each in floor.section.answers if each.state == state]
    unasked = [label for label in labels if not any(fold_text(label) in text for text in asked)]
    return min(unasked, key=lambda label: fold_text(label) != floor.focus_label, default=None)


def _lead_in(floor: Floor, prompt: Prompt) -> str:
    """Name what a prompt is about where its words alone would point at nothing."""
    if prompt.label:
        asked = [fold_text(each.label) for each in floor.discussion.prompts if each.label]
        is_new = fold_text(prompt.label) != (asked[-1] if asked else floor.focus_label)
        return f"On {prompt.label}:" if is_new and not _POINTING.isdisjoint(words_of(prompt.text)) else ""
    label = _label_in_state(floor, prompt.suits)
    if prompt.suits == "unknown":
        return f"{label} is still open." if label else ""
    return f"You said there is nothing for {label}." if label and prompt.suits == "none" else ""


def _ask_by_lens(floor: Floor) -> str:
    """Ask from the speaker's own field, where no prompt is left; after a statement say that it is kept."""
    message = floor.message if floor.brief.purpose == "answer" else None
    is_told = message is not None and not message.of_kind("question")
    if not floor.may_ask or is_told:
        return _join(floor.say("taken") if floor.may_ask else "", floor.say("nothing_to_ask"))
    lens = floor.brief.speaker.lens or (floor.brief.speaker.perspective or floor.brief.speaker.role,)
    chosen = next((each for each in lens if not floor.was_said(each)), lens[0])
    return f"Looking at {chosen} alone: what could still go wrong?"


def _join(*parts: str | None) -> str:
    return " ".join(part for part in parts if part)
