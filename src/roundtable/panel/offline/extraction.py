"""Extraction: the synthesis taken from the turns themselves, every entry with its turns; nothing invented."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...core.commands import Table
from ...core.synthesis import SUMMARY_LENGTH, Draft, Entry, decided, flat, own_words, shortened
from ...core.turns import USER, Turn
from ...core.voice import without_quotations
from ...core.words import words_of
from .asking import main_question
from .claims import core, told
from .decisions import deciding, option, points_back
from .lexicon import words
from .memory import Made, is_stock, recall, still_open
from .occasions import NEXT
from .phrases import content, pasted, quote, without_address
from .probes import Library
from .replybook import SHAPED_FORM
from .template import capital
from .utterances import asks, plainly, utterances

_MOST_INSIGHTS = 7
_MOST_QUESTIONS = 5
_MOST_ACTIONS = 4
_LONG = 240
_FEWEST = 3
_FEW = 2
_MANY = 5
_MOSTLY = 0.8
_MANY_LINES = 20
_ASKED = "asked by the user"
_ANSWERING = frozenset({"found", "figure", "reason", "who-named", "why"})
_QUOTED_FIRST = re.compile(r'[^".?!]{0,40}"([^"\n]{4,})"')
_STRONG = re.compile(
    r"\b(?:must|has to|have to|needs?|the risk|criterion|never|cannot|Option [AB]|implies|contract|fails?)\b",
    re.IGNORECASE,
)
_BECAUSE = re.compile(r"[,;]?\s+(?:because|so that|as otherwise)\s+(?P<why>[^.?!]+)", re.IGNORECASE)
_CHANGE = re.compile(r"\b(?:no|instead|actually|rather|after all|change|scrap|forget|not)\b", re.IGNORECASE)
_TAKES_BACK = re.compile(
    r"\b(?:actually|instead|after all|scrap|forget|changed? (?:my|our) mind)\b", re.IGNORECASE
)
_TODO = re.compile(
    r"\b(?P<who>I|we|[A-Z][\w'-]+)(?:'ll|’ll| will| shall|,? please| can you| needs? to| has to| should)\s+"
    r"(?P<what>(?:ask|check|write|measure|find out|talk to|clarify|document|prepare|send|test|look up|confirm"
    r"|collect|draft)\b[^.?!;]*)"
)


def synthesise(table: Table, library: Library) -> Draft:
    """What was decided, found, left open and promised, in the words of those who said it."""
    names = tuple(persona.first_name for persona in table.roster.personas)
    made = {each.turn: each for turn in table.turns if (each := recall(turn, library))}
    decisions = _decisions(table, names, library)
    insights = (*_persona_insights(table, made, library), *_user_insights(table, names))
    insights = tuple(sorted(insights, key=lambda entry: entry.turns))
    settled = {number for entry in decisions for number in entry.turns}
    questions = _questions(table, made, names, settled, library)
    actions = _actions(table, made)
    draft = Draft(insights, decisions, questions, actions)
    takeaway = "" if draft.entries else f"Discussed {table.step.title} without a point that could be kept"
    return Draft(insights, decisions, questions, actions, _summary(draft, table), takeaway)


# --- decisions ------------------------------------------------------------------------------------------


def _decisions(table: Table, names: Sequence[str], library: Library) -> tuple[Entry, ...]:
    found: list[Entry] = []
    for number in decided(table.turns):
        entry = _decision(table, table.turns[number - 1], names, library)
        said = table.turns[number - 1].text
        earlier = next((each for each in found if _replaces(said, each)), None)
        if earlier is not None:
            found.remove(earlier)
            before = f"replaces: {earlier.text}"
            detail = f"{entry.detail}; {before}" if entry.detail else before
            entry = Entry(entry.text, (*earlier.turns, *entry.turns), shortened(detail, _LONG))
        found.append(entry)
    return tuple(found)


def _decision(table: Table, turn: Turn, names: Sequence[str], library: Library) -> Entry:
    """A decision in the user's words; what "that" or "option A" means comes from what was proposed."""
    sentences = deciding(turn.text, names) if turn.speaker == USER else ()
    text = capital(flat(" ".join(_plainly(sentence) for sentence in sentences))) or own_words(turn)
    if sentences and all(points_back(sentence, names) for sentence in sentences):
        before = _proposal(table, turn, library)
        if before is not None:
            proposed = proposal(before.text)
            return Entry(
                f"{capital(text.rstrip('.! '))}: {shortened(proposed, _LONG)}", (before.number, turn.number)
            )
    letter = option(text)
    if letter:
        offered = _offered(table, turn, letter)
        if offered is not None:
            said, number = offered
            return Entry(shortened(text, _LONG), (number, turn.number), f"option {letter} is {said}")
    why = _BECAUSE.search(text)
    if why:
        return Entry(flat(text[: why.start()] + text[why.end() :]), (turn.number,), flat(why["why"]))
    return Entry(shortened(text, _LONG), (turn.number,))


def _plainly(sentence: str) -> str:
    """A decision without the words that announce it, as long as hardly anything is lost with them."""
    plain = core(sentence)
    kept, said = set(content(plain)), set(content(sentence))
    return plain if len(kept) >= max(_MANY, _MOSTLY * len(said)) else sentence


def _replaces(later: str, earlier: Entry) -> bool:
    """True where the words of a decision take back an earlier one on the same thing."""
    if not _CHANGE.search(later):
        return False
    one, other = set(content(later)), set(content(earlier.text))
    wanted = 1 if _TAKES_BACK.search(later) else max(1, min(len(one), len(other)) // 2)
    return len(one & other) >= wanted


def _proposal(table: Table, turn: Turn, library: Library) -> Turn | None:
    """The last contribution that made a point; the last one at all where none did."""
    before = [each for each in reversed(table.turns[1 : turn.number - 1]) if each.speaker != USER]
    return next((each for each in before if not is_stock(each, library)), before[0] if before else None)


def proposal(text: str) -> str:
    """The sentence of a contribution that proposes something."""
    pieces = [piece for piece in utterances(text) if not asks(piece)]
    for wanted in ("criterion", "i would", "mitigate", "contract|`", "must|has to|should"):
        for piece in pieces:
            if re.search(wanted, piece, re.IGNORECASE):
                return piece
    return pieces[0] if pieces else flat(text)


def _offered(table: Table, turn: Turn, letter: str) -> tuple[str, int] | None:
    for each in reversed(table.turns[: turn.number - 1]):
        found = re.search(rf"\bOption {letter}:\s*(?P<said>[^.]+)", each.text)
        if found and each.speaker != USER:
            return flat(found["said"]), each.number
    return None


# --- insights -------------------------------------------------------------------------------------------


def _persona_insights(table: Table, made: dict[int, Made], library: Library) -> list[Entry]:
    found: list[Entry] = []
    for turn in table.turns[1:]:
        if turn.speaker == USER or len(found) >= _MOST_INSIGHTS:
            continue
        known = made.get(turn.number)
        text = known.insight if known else None if is_stock(turn, library) else _strongest(turn.text)
        if text:
            about = _about(turn, table) if known and known.phrase.form == SHAPED_FORM else ""
            found.append(Entry(about + shortened(flat(text), _LONG), (turn.number,)))
    return found or _remarks(table, library)


def _about(turn: Turn, table: Table) -> str:
    """What a way to an answer is about: the user's words that it names, or the question that it answers."""
    said = next((each for each in reversed(table.turns[: turn.number - 1]) if each.speaker == USER), None)
    if said is None:
        return ""
    named = _QUOTED_FIRST.match(turn.text)
    if named and named[1].lower() in said.text.lower().replace('"', "'"):
        return f'On "{named[1]}": '
    names = tuple(persona.first_name for persona in table.roster.personas)
    put = main_question(said.text, names)
    return f'On "{put.asked}": ' if put else ""


def _remarks(table: Table, library: Library) -> list[Entry]:
    """What was said of single sentences, where nobody had a larger point."""
    lines = [line.text for line in library.stock if line.use in NEXT]
    found = []
    for turn in table.turns[1:]:
        if turn.speaker == USER or not any(line.recover(turn.text) is not None for line in lines):
            continue
        quoted = (piece for piece in utterances(turn.text) if '"' in piece and not asks(piece))
        told = next((piece for piece in quoted if len(content(without_quotations(piece))) >= _FEWEST), None)
        if told:
            found.append(Entry(shortened(flat(told), _LONG), (turn.number,)))
    return found[:_MOST_INSIGHTS]


def _strongest(text: str) -> str | None:
    """The sentence that carries the point; None where a contribution only asks or waits."""
    pieces = [piece for piece in utterances(text) if not asks(piece)]
    return next((piece for piece in pieces if _STRONG.search(piece) and len(content(piece)) >= _FEWEST), None)


def _user_insights(table: Table, names: Sequence[str]) -> list[Entry]:
    """Every statement of the user that is no decision."""
    holding = set(decided(table.turns))
    found: list[Entry] = []
    for turn in table.turns:
        if turn.speaker != USER or _strays(turn):
            continue
        decisions = set(deciding(turn.text, names)) if turn.number in holding else set()
        if turn.number in holding and not decisions:
            continue
        if turn.text.count("\n") > _MANY_LINES:
            count, telling = pasted(turn.text)
            found.append(Entry(f'Pasted {count}, among them "{telling}".', (turn.number,)))
            continue
        said = [piece for piece in told(turn.text, tuple(names)) if piece not in decisions]
        said = [piece for piece in said if _states(piece, names)]
        away = turn.verdict.off_topic is not None
        if said and not (away and len(content(" ".join(said))) <= _FEWEST):
            text = flat(" ".join(plainly(said[0], names).split()) + " " + " ".join(said[1:]))
            found.append(Entry(shortened(text, 2 * _LONG), (turn.number,)))
    return found


def _strays(turn: Turn) -> bool:
    """True for small talk: nothing of it belongs into a document."""
    return turn.verdict.off_topic is not None and turn.verdict.off_topic.belongs_to is None


def _states(piece: str, names: Sequence[str]) -> bool:
    """True for more than assent or a sound."""
    told = words_of(without_address(piece, names))
    return not words("assent").issuperset(told)


# --- questions and actions --------------------------------------------------------------------------------


def _questions(
    table: Table, made: dict[int, Made], names: Sequence[str], settled: set[int], library: Library
) -> tuple[Entry, ...]:
    """What nobody answered: the user's own questions, and those of points that no decision took up."""
    found: list[Entry] = []
    for turn in table.turns:
        if (
            turn.speaker == USER
            and turn.verdict.off_topic is None
            and not _was_answered(table, turn, made, library)
        ):
            stated = told(turn.text, tuple(names))
            put = [piece for piece in utterances(turn.text) if asks(piece) and piece not in stated]
            found += [
                Entry(capital(without_address(piece, names)), (turn.number,), _ASKED)
                for piece in put[:2]
                if not _settled_later(table, turn, piece, settled)
            ]
    for each, question in reversed(still_open(tuple(made.values()), table)):
        if each.turn in settled:
            continue
        owner = table.roster[each.speaker].first_name if each.speaker in table.roster else each.speaker
        found.append(Entry(question, (each.turn,), f"raised by {owner}, not answered yet"))
    unique = {entry.text.casefold(): entry for entry in reversed(found)}
    kept = sorted(unique.values(), key=lambda entry: (entry.detail != _ASKED, -entry.turns[0]))
    return tuple(sorted(kept[:_MOST_QUESTIONS], key=lambda entry: (entry.detail != _ASKED, entry.turns)))


def _settled_later(table: Table, turn: Turn, question: str, settled: set[int]) -> bool:
    """True where a later decision takes up most of what a question names."""
    asked = set(content(question))
    later = (each.text for each in table.turns[turn.number :] if each.number in settled)
    return any(len(asked.intersection(content(text))) >= max(_FEW, len(asked) - 1) for text in later)


def _was_answered(table: Table, turn: Turn, made: dict[int, Made], library: Library) -> bool:
    """True where somebody answered with a point or with a figure."""
    reply = next(iter(table.turns[turn.number :]), None)
    if reply is None or reply.speaker == USER:
        return False
    answers = {line.text for line in library.stock if line.use in _ANSWERING}
    found = made.get(reply.number)
    if found is not None:
        return found.phrase.form != SHAPED_FORM
    return any(line.recover(reply.text) is not None for line in answers)


def _actions(table: Table, made: dict[int, Made]) -> tuple[Entry, ...]:
    """What somebody said has to be done, and by whom."""
    found: list[Entry] = []
    firsts = {persona.first_name.casefold(): persona.first_name for persona in table.roster.personas}
    for turn in table.turns:
        if turn.speaker != USER:
            continue
        for piece in utterances(turn.text):
            todo = _TODO.search(piece)
            if todo and not asks(piece):
                who = todo["who"]
                owner = firsts.get(who.casefold(), "User" if who.casefold() in ("i", "we") else who)
                found.append(Entry(flat(todo["what"][:1].upper() + todo["what"][1:]), (turn.number,), owner))
    for each in made.values():
        action = each.action
        if action and len(found) < _MOST_ACTIONS and each.speaker in table.roster:
            found.append(Entry(action, (each.turn,), table.roster[each.speaker].first_name))
    return tuple(sorted(found, key=lambda entry: entry.turns))


# --- the one line -----------------------------------------------------------------------------------------


def _summary(draft: Draft, table: Table) -> str:
    """One sentence of at most 100 characters that begins with a verb in the past."""
    if not draft.entries:
        return shortened(f"Discussed {table.step.title}", SUMMARY_LENGTH)
    counts = []
    if draft.insights:
        counts.append(_count(len(draft.insights), "insight"))
    if draft.questions:
        counts.append(_count(len(draft.questions), "open question"))
    topic = table.focus_topic or table.step.title
    for about in (topic, table.step.title, f"step {table.step.step_id}"):
        for rest in (" with " + " and ".join(counts) if counts else "", ""):
            start = (
                "Decided " + _count(len(draft.decisions), "point")
                if draft.decisions
                else "Identified open points"
            )
            if not draft.decisions and counts:
                start, rest = "Identified " + " and ".join(counts), ""
            text = f"{start} on {about}{rest}"
            if len(text) <= SUMMARY_LENGTH:
                return text
    return quote(f"Discussed step {table.step.step_id}", SUMMARY_LENGTH)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
