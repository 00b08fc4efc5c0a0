"""The offline panel: an interviewer without a model. It asks, keeps and finds; it never claims.

It answers requests from prompts and from what it has read: a persona asks, shows written lines with their
place, or repeats what was decided.
"""

import re
from pathlib import Path
from typing import Any, Final, assert_never
from zlib import crc32

from ...content import read_tables
from ...core import commands as do
from ...core.hearing import address
from ...core.lines import join_names
from ...core.steps import PHASES, phase_of
from ...core.text import content_stems, cut_words, escape_markdown, fold_text, stem_word, words_of
from ...core.turns import USER, Material, OffTopic, Verdict
from ...documents.questions import find_open_questions
from ..base import OFFLINE, Framing, Look, LookUpsWanted, OnWords, PanelRequest, Speech, ignore_words
from . import messages
from .messages import UserMessage, first_names, pattern, read_message, strip_address, telling_stems
from .prompts import Library, Prompt, load_library
from .section import LabelAnswer, SearchLine, SectionContext, find_closest_lines, read_section

_MAX_DOCUMENTS_NAMED = 3
_MAX_CHAT_WORDS = 30
_MAX_SUBJECT_WORDS = 8
_MAX_QUOTED_WORDS, _MAX_LINE_WORDS, _MAX_DECISION_WORDS = 20, 45, 40
_MAX_SEARCH_WORDS = 8
_CODE_LINE = re.compile(r"[^\s:]++:\d++ ")
_OPENNESS = ("unknown", "given", "none")


class OfflinePanel:
    """Three colleagues without a model: they ask, keep what is said, and find lines."""

    name = OFFLINE
    kind: Final = OFFLINE

    def __init__(self, project: Path | None = None, library: Library | None = None) -> None:
        self._project = project
        self._library = library

    @property
    def library(self) -> Library:
        """The prompts in use, loaded when they are first needed."""
        return self._library or load_library(self._project)

    async def answer(self, request: PanelRequest, on_words: OnWords = ignore_words) -> Any:
        match request:
            case do.AskFraming(brief):
                return frame_discussion(brief, self.library)
            case do.AskPersona(brief):
                text = say_next(Floor(brief, self.library))
                if text is None:
                    return None
                on_words(text)
                return Speech(text)
            case do.AskVerdict(table):
                turn = table.turns[-1]  # the user's
                decides = bool(messages.find_decisions(turn.text, first_names(table)))
                off_topic = _find_drift(table, self.library, decides=decides)
                return Verdict(off_topic=off_topic, decisions=(turn.number,) if decides else ())
            case do.AskSynthesis(table):
                return messages.extract_synthesis(table, self.library)
            case do.AskOffers():
                return ()
            case do.AskFollowUp():
                return request.criterion.follow_up
            case do.AskFeedback(brief, words) if request.aside:
                return answer_aside(brief, words)
            case do.AskFeedback(brief):
                return f"I've added that to {brief.step.title}, in your words."
            case do.AskReading():
                return _read_documents(request.brief.documents)
            case do.AskFiles():
                return None
            case other:
                assert_never(other)


def _read_documents(material: tuple[Material, ...]) -> str:
    written = [document.name for document in material if document.text.strip()]
    said = f"I've read {join_names(written[:_MAX_DOCUMENTS_NAMED])}."
    asked = [each for document in material for _, each in find_open_questions(document.text)]
    more = f" and {len(asked) - 1} more." if len(asked) > 1 else ""
    return f'{said} Still open there: "{asked[0]}"{more}' if asked else said


def _find_drift(table: do.Table, library: Library, *, decides: bool) -> OffTopic | None:
    """Return what the last turn drifts to, small talk or another phase; None unless it is certain."""
    turn, names = table.turns[-1], first_names(table)
    told = [each.text for each in table.turns[:-1] if each.verdict.off_topic is None]
    discussed = " ".join((table.step.title, table.focus_question, table.focus_topic, *told))
    home = read_section(table).stems.union(content_stems(discussed))
    message = strip_address(turn.text, names)
    is_strange = len(words_of(message)) <= _MAX_CHAT_WORDS and home.isdisjoint(content_stems(message))
    if not decides and is_strange and pattern("chat").search(message.replace("’", "'")):
        said = messages.follow_discussion(table, library).said
        if not any(each.prompt for each in said if each.turn == turn.number):
            return OffTopic(_name_subject(message), is_chat=True)
    question = read_message(turn.text, names).of_kind("question")
    if not question or address(turn.text, table.roster).kind != "open" or not table.step.step_id:
        return None  # without a step there is no other phase that it could belong to
    asked = frozenset(content_stems(question))
    for number in (each.number for each in PHASES[1:] if each != phase_of(table.step.step_id)):
        found = pattern(f"phase_{number}").search(question)
        if found and not home.issuperset(content_stems(found[0])) and 2 * len(asked & home) <= len(asked):
            ahead = (step.step_id for step in table.steps if step.step_id.startswith(number))
            return OffTopic(_name_subject(strip_address(question, names)), next(ahead, None))
    return None


def _name_subject(message: str) -> str:
    return f'"{cut_words(message.rstrip("?!. "), _MAX_SUBJECT_WORDS)}"'


class Floor:
    """One request to speak, with everything it can draw on."""

    def __init__(self, brief: do.Brief, library: Library) -> None:
        table, asked = brief.table, fold_text(brief.table.focus_question)
        self.brief = brief
        self.prompts = library.of_persona(brief.speaker.key)
        self.section = read_section(table)
        self.discussion = messages.follow_discussion(table, library)
        self.persona_texts = tuple(fold_text(turn.text) for turn in table.turns if turn.speaker != USER)
        focus = (each.label for each in library.focuses if fold_text(each.question) == asked)
        self.focus_label = fold_text(next(focus, ""))
        # Whether somebody can still answer; in the first round there is nothing else to say.
        self.may_ask = brief.purpose == "first-round" or len(table.turns) + 1 < table.max_turns

    def was_said(self, words: str) -> bool:
        """Whether a persona has said these words in this discussion."""
        return any(fold_text(words) in text for text in self.persona_texts)

    def say(self, kind: str) -> str:
        """Return the speaker's line of one kind; a speaker without lines of its own has the architect's."""
        known = read_tables(messages.WORDS_FILE)["lines"]
        return str(known.get(self.brief.speaker.key, known["solutions-architect"])[kind])


def frame_discussion(brief: do.Brief, library: Library) -> Framing:
    """Frame the discussion on the label that leaves most open: unknown first, then the shortest answers."""
    section = read_section(brief.table)

    def openness(answer: LabelAnswer) -> tuple[int, int, int]:
        rank, length = _OPENNESS.index(answer.state), min(len(answer.text.split()) // 12, 2)
        return rank, length, crc32(f"{brief.table.item.slug}|{answer.label}".encode())

    for answer in sorted(section.answers, key=openness):
        suits = "unknown" if answer.state == "unknown" else "given"
        focus = library.find_focus(brief.table.step.step_id, answer.label, suits)
        if focus is not None and not any(fold_text(focus.question) in text for text in section.asked_before):
            landed, gap = _summarise(section, answer), focus.gap
            if answer.label not in landed:
                gap = f"On {answer.label}: {gap[:1].lower()}{gap[1:]}"
            return Framing(f"{landed} {gap}", focus.question, focus.topic)
    plain = read_tables(messages.WORDS_FILE)["plain"]
    return Framing(f"{_summarise(section)} {plain['gap']}", plain["question"], plain["topic"])


def _summarise(section: SectionContext, focus: LabelAnswer | None = None) -> str:
    # Only a whole answer is quoted: half of one misleads.
    answered = [each for each in section.answers if each.state != "unknown"]
    given = [each for each in answered if each is not focus] or answered
    if not given:
        return "nothing is answered yet." if section.answers else "the document has text, but no answers."
    # A surface that reads markdown would show `__init__` without its underscores.
    plain = (each for each in given if '"' not in each.text and escape_markdown(each.text) == each.text)
    short = [each for each in plain if 3 <= len(each.text.split()) <= _MAX_QUOTED_WORDS][:2]
    if short:
        return " and ".join(f'for {each.label} you wrote "{each.text.rstrip(".")}"' for each in short) + "."
    return f"{join_names([each.label for each in given])} {'is' if len(given) == 1 else 'are'} answered."


def say_next(floor: Floor) -> str | None:
    """Return the persona's contribution; None if there is nothing left to ask."""
    brief = floor.brief
    said, is_told = None, False
    match brief.purpose:
        case "tradeoff" if floor.may_ask:
            return str(read_tables(messages.WORDS_FILE)["plain"]["tradeoff"])
        case "answer" if brief.answers:
            message = read_message(brief.table.turns[brief.answers - 1].text, first_names(brief.table))
            said, is_told = _reply(floor, message), not message.of_kind("question")
        case "follow":
            said = _ask_further(floor)
        case _:
            said = _ask_next(floor)
    if said is not None or brief.may_be_silent:
        return said
    if is_told or not floor.may_ask:
        return _join(floor.say("taken") if floor.may_ask else "", floor.say("nothing_to_ask"))
    # Without a prompt left, the speaker asks about its own field.
    lens = brief.speaker.lens
    chosen = next((each for each in lens if not floor.was_said(each)), lens[0])
    return f"Looking at {chosen} alone: what could still go wrong?"


def _reply(floor: Floor, message: UserMessage) -> str | None:
    names = first_names(floor.brief.table)
    question, decided = message.of_kind("question"), messages.drop_name(message.of_kind("decision"), names)
    is_told = message.of_kind("statement", "decision", "question")
    own = [each for each in floor.discussion.prompts if each.speaker == floor.brief.speaker.key]
    if message.act == "clarify" and own:
        return f"In short: {own[-1].question}"
    if message.act in ("settled", "rejected") and not is_told:
        return _join(floor.say("left"), _ask_next(floor))
    if message.act == "kept_open":
        return _join(floor.say("kept"), _ask_next(floor))
    if decided:
        is_short = len(decided.split()) <= _MAX_DECISION_WORDS
        words = pattern("decided").sub("", decided)
        repeated = f'Decided: "{words}"' if is_short else "Decided, in your words."
        return _join(repeated, _show_closest(floor, question) if question else _ask_next(floor, message.text))
    if question:
        is_for_all = address(message.text, floor.brief.table.roster).kind == "group"
        return _ask_next(floor, question) if floor.may_ask and is_for_all else _show_closest(floor, question)
    objection = _choose(floor, "objection") if message.act == "objection" else None
    return _ask_further(floor) or (objection.text if objection else _ask_next(floor, message.text))


def _ask_further(floor: Floor) -> str | None:
    said = (each for each in floor.discussion.said if each.turn == floor.brief.answers)
    answered = (each.prompt for each in said if each.prompt and each.kind != "question")
    own = (each.prompt for each in answered if each.prompt and each.speaker == floor.brief.speaker.key)
    further = next((prompt.further for prompt in own), "")
    return further if further and floor.may_ask and not floor.was_said(further) else None


def _join(*parts: str | None) -> str:
    return " ".join(part for part in parts if part)


def _show_closest(floor: Floor, question: str) -> str:
    asked = strip_address(question, first_names(floor.brief.table))
    written, code = find_closest_lines(asked, floor.section.lines), _find_code(floor, asked)
    asks_for_code = pattern("code_name").search(asked) or pattern("asks_code").search(asked)
    first, then = (code, written) if asks_for_code else (written, code)
    if lines := (*first[: 2 if then else 3], *then)[:3]:
        return floor.say("closest").format(lines=_show_lines(lines))
    said = floor.say("nothing_close")
    # If it was said before, it would only be an echo: the next prompt is added.
    return _join(said, _ask_next(floor, asked)) if floor.was_said(said) else said


def _find_code(floor: Floor, question: str) -> tuple[SearchLine, ...]:
    """Return code lines with at least half of a question's words; raise LookUpsWanted to search first."""
    names = list(dict.fromkeys(pattern("code_name").findall(question)))
    stems = {stem_word(word): word for word in words_of(question)}
    told = [(stem, word) for stem, word in stems.items() if stem in telling_stems(question)]
    # "Reports" is looked for as "report", and "queries" as itself.
    spoken = [stem if word.startswith(stem) else word for stem, word in told][:_MAX_SEARCH_WORDS]
    words, asks_for_code = names or spoken, bool(names or pattern("asks_code").search(question))
    look = Look("search", " ".join(words))
    shown = [each.text for each in floor.brief.table.looked_up if each.name == f"{look.kind} {look.what}"]
    if len(words) < (1 if asks_for_code else 2):  # one word alone says little
        return ()
    if not shown and floor.brief.look_ups:
        raise LookUpsWanted((look,))
    lines = [line for text in shown for line in text.split("\n") if _CODE_LINE.match(line)]
    source = [line for line in lines if not pattern("no_source").search(line.partition(":")[0])]
    held = (line for line in source if 2 * sum(word.lower() in line.lower() for word in words) >= len(words))
    # The path is quoted too, so that it does not count as the speaker's own words.
    return tuple(SearchLine(line, "in the code") for line in held)


def answer_aside(brief: do.StepBrief, question: str) -> str:
    """Return a persona's reply to a question at a menu: the lines that come closest, if any."""
    said = [SearchLine(each.text, each.label) for each in brief.answers if not each.unknown]
    answers = tuple(each.text for each in said)
    written = (line for line in read_section(brief).lines if not line.text.endswith(answers))
    lines = find_closest_lines(question, (*said, *written))
    if not lines:
        return "I can't answer that from what is written. Press E at the menu to ask everyone."
    return f"The closest lines in the documents: {_show_lines(lines)}."


def _show_lines(lines: tuple[SearchLine, ...]) -> str:
    shown = ((line.place, cut_words(line.text.rstrip("."), _MAX_LINE_WORDS)) for line in lines)
    return "; ".join(f"{place}: “{text}”" if '"' in text else f'{place}: "{text}"' for place, text in shown)


def _ask_next(floor: Floor, about: str = "") -> str | None:
    prompt = _choose(floor, "", about)
    return _join(_lead_in(floor, prompt), prompt.text) if prompt else None


def _choose(floor: Floor, suits: str, about: str = "") -> Prompt | None:
    """Return the best prompt that was never asked, if any; `suits` restricts it to one occasion."""
    key, found = floor.brief.speaker.key, floor.discussion
    passed = {fold_text(each.label) for each in found.list_open(key) if each.label}
    theirs = {fold_text(each.label) for each in found.prompts if each.speaker != key and each.label}
    wanted = frozenset(content_stems(about))
    asked = (*floor.persona_texts, *floor.section.asked_before)
    ranked: list[tuple[tuple[bool, float, int], Prompt]] = []
    for prompt in floor.prompts if floor.may_ask else ():
        distance = _distance(prompt, floor, suits)
        if distance is None or any(prompt.needle in text for text in asked):
            continue
        label = fold_text(prompt.label)
        distance += (label in theirs - {floor.focus_label}) - min(len(wanted & prompt.stems), 2)
        chance = crc32(f"{floor.brief.table.item.slug}|{prompt.needle}".encode()) if label else 0
        ranked.append(((label in passed, distance, chance), prompt))
    ranked.sort(key=lambda each: each[0])
    # What was refused the first time is not said again.
    return ranked[min(len(floor.brief.again), len(ranked) - 1)][1] if ranked else None


def _distance(prompt: Prompt, floor: Floor, suits: str) -> float | None:
    """Return how far a prompt is from the focus, 0 being the focus itself; None if it does not fit."""
    section = floor.section
    if suits or prompt.suits == "objection":
        return 0.0 if prompt.suits == suits else None
    if prompt.label:
        label = fold_text(prompt.label) if prompt.step == floor.brief.table.step.step_id else None
        answer = next((each for each in section.answers if fold_text(each.label) == label), None)
        if answer is None or answer.state != prompt.suits or not all(map(answer.meets, prompt.needs)):
            return None
        return 0.0 if label == floor.focus_label else 2.0
    if prompt.is_topical:
        return 1.0 if prompt.fits_topic(section.stems) else None
    if prompt.suits != "given":
        return 0.5 if _label_in_state(floor, prompt.suits) else None
    # What fits any step is filler once the talk has begun: then it is better to ask whether to wrap up.
    return 4.0 if floor.brief.purpose == "first-round" else None


def _label_in_state(floor: Floor, state: str) -> str:
    """Return a label in this state that no prompt has named, the focus first; empty if there is none."""
    asked = [fold_text(each.text) for each in floor.discussion.prompts]
    labels = [each.label for each in floor.section.answers if each.state == state]
    unasked = [label for label in labels if not any(fold_text(label) in text for text in asked)]
    return min(unasked, key=lambda label: fold_text(label) != floor.focus_label, default="")


def _lead_in(floor: Floor, prompt: Prompt) -> str:
    """Return words that name what a prompt is about, if its text alone does not."""
    if prompt.label:
        asked = [fold_text(each.label) for each in floor.discussion.prompts if each.label]
        is_new = fold_text(prompt.label) != (asked[-1] if asked else floor.focus_label)
        points_back = not messages.word_list("pointing").isdisjoint(words_of(prompt.text))
        return f"On {prompt.label}:" if is_new and points_back else ""
    leads = {"unknown": "{} is still open.", "none": "You said there is nothing for {}."}
    label = _label_in_state(floor, prompt.suits)
    return leads[prompt.suits].format(label) if label and prompt.suits in leads else ""
