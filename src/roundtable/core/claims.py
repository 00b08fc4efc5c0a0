"""Whether what is claimed can be verified, whoever speaks (ART-8): paths, credits, names, figures, forms.

A contribution and a synthesis are held against the turns, the item and the documents. Whether a file exists
is asked through a callable. What is found is first given as a reason to say it otherwise; what is still there
then is marked `(unverified)`, right behind the claim where that is possible. What a host brought into a
section is not judged by what it says: whatever the user did not give or accept in a form is marked.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from . import citations
from . import lazy_re as re
from .citations import Code
from .commands import Table
from .hearing import Part
from .personas import Persona, Roster
from .synthesis import UNVERIFIED, Draft, Entry, join_lines, shorten_text
from .text import (
    content_stems,
    find_code_end,
    fold_look_alikes,
    fold_text,
    split_sentences,
    word_set,
    words_of,
)
from .turns import USER, Turn
from .validation import is_role, is_settled, is_unknown

ClaimKind = Literal["path", "credit", "name", "form", "figure", "code", "negation"]

_QUOTE_LENGTH = 60
_FEW_WORDS = 2


class UnverifiedClaim(Struct, frozen=True):
    """A claim that does not hold: the reason to give, and where in the text its mark goes."""

    kind: ClaimKind
    reason: str
    end: int | None = None
    """None for the end of the text."""


def mark_claims(text: str, claims: Iterable[UnverifiedClaim]) -> str:
    """Return the text with `(unverified)` behind every claim that has no mark yet."""
    whole = len(text.rstrip().rstrip(".!?")) or len(text.rstrip())
    places = {whole if claim.end is None else claim.end for claim in claims}
    for place in sorted(places, reverse=True):
        before, behind = text[max(0, place - 40) : place], text[place : place + 40]
        if behind.lstrip().startswith(UNVERIFIED) or before.rstrip().endswith(UNVERIFIED):
            continue
        gap = "\n" if text[:place].endswith("```") else " "
        text = f"{text[:place]}{gap}{UNVERIFIED}{text[place:]}"
    return text


# --- a contribution -------------------------------------------------------------------------------------


def check_contribution(text: str, speaker: Persona, table: Table, code: Code) -> tuple[UnverifiedClaim, ...]:
    """Return what cannot be verified in a persona's words at the table."""
    documents = _documents(table)
    known = [*documents, *(turn.text for turn in table.turns if turn.speaker == USER)]
    found = check_words(text, speaker, table.roster, known, code)
    if any(claim.kind == "form" for claim in found):
        return found
    return (
        *found,
        *_check_credits(text, speaker.key, table.turns, documents, table.roster),
        *check_code(text, _list_said(table), documents, code),
    )


def check_words(
    text: str, speaker: Persona, roster: Roster, known: Sequence[str], code: Code
) -> tuple[UnverifiedClaim, ...]:
    """Return what cannot be verified in words that are said outside a discussion."""
    if fault := _find_fault_of_form(text, speaker):
        return (UnverifiedClaim("form", fault),)
    return (*_check_names(text, speaker, roster), *_check_paths(text, known, code))


def _documents(table: Table) -> list[str]:
    """Return what is known without anybody's turn: the item, the step, and the documents."""
    texts = (each.text for each in (*table.material, *table.documents))
    return [table.item.name, table.item.text, table.step.title, *texts]


# --- forms ----------------------------------------------------------------------------------------------

_FENCE = re.compile(r"```\w*\n(?P<code>.*?)\n?```", re.DOTALL)
_KEY = re.compile(r"""[\[{]\s*(?:\{\s*)?"[\w -]{1,40}"\s*:""")
_REFUSAL = re.compile(
    r"\A(?:i'm|i am) (?:very |so )?sorry,? (?:but )?i (?:can't|cannot|won't|am (?:not able|unable))"
    r"|\A(?:sorry,? (?:but )?)?i (?:can't|cannot|won't|am unable to|am not able to)"
    r" (?:help|assist|comply|fulfil|continue|(?:provide|do|answer|write) that)\b"
    r"|\bas an? (?:ai|artificial intelligence|(?:large )?language model)"
    r"(?: (?:language model|model|assistant))?(?=,| i\b|\.|\Z)"
)
_PREAMBLE = re.compile(
    r"\A(?:(?:sure|certainly|of course|absolutely|okay|ok|great|understood|got it)(?: thing)?[,!.:]* "
    r"(?:here(?:'s| is| are)\b|let me (?:write|answer|draft|respond)|i'd be |i'll (?:write|answer|play)"
    r"|below )"
    r"|here(?:'s| is| are) (?:\S+ ){0,4}"
    r"(?:contribution|response|reply|answer|turn|synthesis|summary|version|draft|text|take|section)\b[^.]{0,60}:"
    r"|(?:as )?requested,? )"
)
# Only what nobody says of their own accord: a brief begins with a turn's number, or tells a name what to do.
_INSTRUCTION = (
    r"\A(?:now turn \d+ of \d+:|(?:answer|judge) turn \d+, the user's)|\bto (?:add|say), answer pass\b"
    r"|\byou are NAME\b|\A(?:answer|open the discussion) as NAME\b|\bas NAME, (?:add|ask|say|take)\b"
)


def _find_fault_of_form(text: str, speaker: Persona) -> str:
    """Return why a text is no contribution at all; empty where it is one."""
    plain = " ".join(fold_text(text).split())
    if not words_of(text):
        return "The text is empty: say something."
    if _is_json(text):
        return "It is JSON: say it in plain words."
    if _REFUSAL.search(plain):
        return f"It refuses to speak: say what {speaker.first_name} thinks, about the item."
    if _PREAMBLE.search(plain):
        return "It begins with a preamble: send the words alone, nothing before them."
    if re.search(_INSTRUCTION.replace("NAME", re.escape(fold_text(speaker.name))), plain):
        return f"It repeats what you were told: say it in words of {speaker.first_name}'s own."
    return ""


def _is_json(text: str) -> bool:
    fenced = _FENCE.fullmatch(text.strip())
    inner = (fenced["code"] if fenced else text).strip()
    if not inner.startswith(("{", "[")):
        return False
    try:
        return isinstance(json.loads(inner), dict | list)
    except (ValueError, RecursionError):
        return bool(_KEY.match(inner))  # cut off, or with something behind it


# --- names before words ---------------------------------------------------------------------------------


def _check_names(text: str, speaker: Persona, roster: Roster) -> Iterator[UnverifiedClaim]:
    """Yield the lines that begin with somebody else's name, as if that one spoke them."""
    others = tuple(fold_look_alikes(each.name) for each in roster.personas if each.key != speaker.key)
    start = 0
    for line in text.split("\n"):
        found = _name_pattern(others).match(fold_look_alikes(line))
        # `Alex: how far does this reach?` speaks to Alex, and `- Alex: the export` gives Alex a task.
        is_plain = found and found["first"] and not found["role"] and not found["bold"]
        if found and not (is_plain and (line.rstrip().endswith("?") or found["bullet"])):
            where = f'these words stand after "{found["who"].strip()}:"'
            reason = f"Nobody speaks under another's name: {where}, and {speaker.first_name} has the turn."
            yield UnverifiedClaim("name", reason, start + len(line.rstrip().rstrip(".!?")))
        start += len(line) + 1


@lru_cache(maxsize=64)
def _name_pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    whole = "|".join(re.escape(name) for name in names if " " in name)
    first = "|".join(re.escape(name.split()[0]) for name in names)
    return re.compile(
        rf"[ \t>\"'#]{{0,20}}(?P<bullet>[-*+][ \t]{{1,9}})?(?P<bold>[*_]{{1,3}})?\[?"
        rf"(?P<who>{whole or '(?!)'}|(?P<user>(?:the[ ])?user|you|person)|(?P<first>{first or '(?!)'}))"
        r"(?P<role>[ \t]*\([^()\n]{1,40}\))?\]?[*_]{0,3}[ \t]*"
        r"(?::(?!\d)[*_]{0,3}(?=[ \t]|$)|[\u2010-\u2015\u2212][ \t]|(?<=[ \t])-[ \t])",
        re.IGNORECASE,
    )


# --- paths, credits and figures -------------------------------------------------------------------------


def _list_said(table: Table) -> list[str]:
    """Return the user's own words, which the code does not disprove: the item and the user's turns."""
    turns = (turn.text for turn in table.turns if turn.speaker == USER)
    return [table.item.name, table.item.text, *turns]


def check_code(
    text: str, said: Sequence[str], documents: Sequence[str], code: Code
) -> Iterator[UnverifiedClaim]:
    """Yield what stands beside a `path:line` and the code says otherwise or does not know."""
    for name, figure, end in citations.find_disproved(text, said, documents, code):
        wrong = (
            f"{name} is not {figure} in the code" if figure else f"Nothing in the project is called {name}"
        )
        place = end + (text[end : end + 1] == "`")
        yield UnverifiedClaim("code", f"{wrong}. Say what stands there, or ask.", place)


def cites_wrongly(text: str, source: str, said: Sequence[str], known: Sequence[str], code: Code) -> bool:
    """Whether a draft answer or its source names a line that does not exist, or says what is not there."""
    told = "\n".join(map(citations.trusted_text, known))
    cited = [
        *citations.find_paths(source),
        *(each for each in citations.find_paths(text) if each[0] not in told),
    ]
    lines = (each for each in cited if "line" in each.groupdict())
    beside = "".join(f"{each.rstrip('.')} ({source}). " for each in split_sentences(text)) if source else text
    is_missing = any(citations.check_citation(each, code.count_lines) for each in lines)
    return is_missing or any(check_code(beside, said, known, code))


def _check_paths(text: str, known: Sequence[str], code: Code) -> Iterator[UnverifiedClaim]:
    for found in citations.find_paths(text):
        after = (rest for each in known for rest in citations.trusted_text(each).split(found[0])[1:])
        if any(not rest[:1].isdigit() for rest in after):
            continue  # they quote the item, a document or the user, line and all
        if problem := citations.check_citation(found, code.count_lines):
            end = found.end() + (text[found.end() : found.end() + 1] == "`")
            yield UnverifiedClaim("path", f"{problem} Cite what exists, or leave it out.", end)


_SAID = (
    "said|says|mentioned|note[ds]|point(?:ed|s) out|argue[ds]|suggest(?:ed|s)|propose[ds]|raise[ds]"
    "|explained|described|observed|warned|stressed|told (?:us|me)|insisted|confirm(?:ed|s)|agree[ds]"
    "|decided|admitted|promised|(?:put|called) it|stated|claimed|approved|chose|rejected|ruled out"
    "|accepted|reported|asked (?:for|us)|demanded"
)
_POINTS = (
    "points?|concerns?|question|idea|suggestion|argument|proposal|remark|observation|warning|objection|worry"
    "|comment|claim|answer|numbers?|figures?|estimate|decision|choice|words|example|demand"
)
_SOMETIMES = (
    r"(?:(?:has|have|had|just|already|rightly|also|clearly|himself|herself|earlier|themselves) ){0,2}"
)
_CONDITION = re.compile(
    r"\b(?:if|once|until|unless|when|whenever|before|after|whether|should|could|would|might)\s\Z"
)


def _check_credits(
    text: str, speaker: str, turns: Sequence[Turn], documents: Sequence[str], roster: Roster
) -> Iterator[UnverifiedClaim]:
    """Yield the sentences that credit somebody who has said nothing, the user included."""
    pattern = _credit_pattern(tuple(persona.first_name for persona in roster.personas))
    keys = {persona.first_name: persona.key for persona in roster.personas}
    for sentence, start in citations.locate_sentences(text):
        for found in pattern.finditer(sentence):
            name = next(each for each in (found["who"], found["whose"], found["whom"]) if each)
            key = keys.get(name, USER)
            is_condition = _CONDITION.search(fold_text(sentence[: found.start()]))
            is_question = key == USER and sentence.rstrip().endswith("?")
            # The documents hold the user's answers, and what a persona said in an earlier discussion.
            is_heard = any(turn.speaker == key for turn in turns) or any(
                len(_stems(sentence) & _stems(each)) > _FEW_WORDS if key == USER else name in each
                for each in documents
            )
            if key != speaker and not is_condition and not is_question and not is_heard:
                who = name if key != USER else "The user"
                reason = f'{who} has said nothing yet, so nobody can refer to it: "{found[0]}".'
                yield UnverifiedClaim("credit", reason, start + len(sentence.rstrip(".!?")))
                break


@lru_cache(maxsize=64)
def _credit_pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    listed = "|".join(re.escape(name) for name in names)
    last = r"(?:\s[A-Z][\w'-]+)?"
    user = r"[Tt]he\suser|[Tt]he\sperson"
    return re.compile(
        rf"\b(?P<who>{listed}|[Yy]ou|{user})(?:{last})\s{_SOMETIMES}(?:{_SAID})\b"
        rf"|\b(?P<whose>{listed}|[Yy]our|{user})(?:{last})(?:['’]s|(?<=our))\s(?:\w+\s)?(?:{_POINTS})\b(?!\sof\sview)"
        rf"|\b(?:agree|disagree|side|siding|agreeing)\swith\s(?P<whom>{listed}|{user})\b"
    )


def _check_figures(text: str, sources: Iterable[str], *, exempt: int = 0) -> Iterator[UnverifiedClaim]:
    """Yield the figures that stand in none of the sources; small counts up to `exempt` are free."""
    for words, end in citations.find_unknown_figures(text, sources, exempt=exempt):
        reason = (
            f"{words} is not in the cited turns, the item or the documents. Take the figure that was said."
        )
        yield UnverifiedClaim("figure", reason, end)


_PERSON = re.compile(r"[A-ZÀ-Þ][a-zß-ÿ]+(?: [A-ZÀ-Þ][a-zß-ÿ]+)?")
_NO_PERSON = word_set("""
        me you user users monday tuesday wednesday thursday friday saturday sunday next later before after not
        no open pending both shared together anyone unassigned product platform backend frontend operations
        data release design engineering management business testing accounting research architecture scrum
        """)


def _check_owner(detail: str, table: Table) -> Iterator[UnverifiedClaim]:
    """Yield an owner that is no more than a person's name, and one that nobody has said."""
    words = set(words_of(detail))
    if not _PERSON.fullmatch(detail) or any(map(is_role, words)) or is_settled(detail) or is_unknown(detail):
        return
    people = (persona.title for persona in table.roster.personas)
    known = (*_documents(table), *_list_said(table), *people, *(turn.by for turn in table.turns))
    heard = {word.removesuffix("'s") for text in known for word in words_of(citations.trusted_text(text))}
    if not words & (_NO_PERSON | heard):
        reason = f"Nobody has named {detail}: an owner is a persona, the user, a role, or who was named."
        yield UnverifiedClaim("credit", reason)


# --- a synthesis ----------------------------------------------------------------------------------------


def check_draft(draft: Draft, table: Table, code: Code) -> tuple[tuple[str, ...], Draft]:
    """Return what cannot be verified in a synthesis, in words for a panel, and the draft with marks there."""
    reasons: list[str] = []

    def mark(part: Part, entry: Entry) -> Entry:
        place = f'In: "{shorten_text(join_lines(entry.text), _QUOTE_LENGTH)}".'
        text, detail = _check_entry(entry, part, table, code)
        reasons.extend(f"{claim.reason} {place}" for claim in (*text, *detail))
        return replace(entry, text=mark_claims(entry.text, text), detail=mark_claims(entry.detail, detail))

    def mark_summary(words: str) -> str:
        sources = [*_documents(table), *(turn.text for turn in table.turns)]
        figures = _check_figures(words, sources, exempt=len(draft.entries))
        found = [*_check_paths(words, sources, code), *figures]
        reasons.extend(f"{claim.reason} In the summary." for claim in found)
        return mark_claims(words, found)

    marked = draft.change_entries(mark)
    summary, takeaway = mark_summary(draft.summary), mark_summary(draft.takeaway)
    return tuple(dict.fromkeys(reasons)), replace(marked, summary=summary, takeaway=takeaway)


def _check_entry(
    entry: Entry, part: Part, table: Table, code: Code
) -> tuple[list[UnverifiedClaim], list[UnverifiedClaim]]:
    """Return what cannot be verified in an entry's text, and in its detail."""
    cited = [table.turns[number - 1] for number in entry.turns if 1 <= number <= len(table.turns)]
    documents = _documents(table)
    known = [*documents, *(turn.text for turn in cited if turn.speaker == USER)]
    sources = [*documents, *(turn.text for turn in cited)]
    text, detail = (
        [
            *_check_paths(words, known, code),
            *_check_credits(words, "", cited, documents, table.roster),
            *_check_figures(words, sources),
        ]
        for words in (entry.text, entry.detail)
    )
    if part == "actions":
        detail += _check_owner(entry.detail, table)
    if part == "insights":  # the others say what is to be
        text += check_code(entry.text, _list_said(table), documents, code)
    if part != "questions" and _says_the_contrary(entry.text, cited):
        numbers = ", ".join(str(turn.number) for turn in cited)
        reason = f"Turn {numbers} says the opposite. Keep the negation."
        text.append(UnverifiedClaim("negation", reason))
    return text, detail


_NEGATION_WORDS = "not no never none nobody nothing without cannot neither nor"
_NEGATIONS = frozenset(_NEGATION_WORDS.split())
_CLAUSE = re.compile(
    r"[.;:!?\n]\s|,\s|\b(?:but|and|because|so|while|unless|if|until|when|rather|that|which|who)\b",
    re.IGNORECASE,
)
_IS_OUT = re.compile(r"\b(?:is|are) (?:ruled )?out\W*$", re.IGNORECASE)
_CITATION = re.compile(r"(?<![\w./-])[\w./-]++:\d++(?:-\d++)?")
_SAME, _LEAST_SHARED = 0.8, 2
_SHORT_STEM, _LONG_STEM = 3, 7


def _says_the_contrary(text: str, cited: Sequence[Turn]) -> bool:
    """Whether a text repeats a clause nearly word for word, but for a negation.

    Less alike than that, the alarms are false: "never in a blocking join" is "a blocking join is out".
    """
    sentences = (sentence for turn in cited for sentence, _ in citations.locate_sentences(turn.text))
    told = [clause for each in sentences if not each.endswith("?") for clause in _read_clauses(each)]
    for stems, is_negated in _read_clauses(text):
        near = [
            other_negated != is_negated
            for other, other_negated in told
            if len(stems & other) >= max(_LEAST_SHARED, _SAME * len(stems), _SAME * len(other))
        ]
        if near and all(near):
            return True
    return False


def _read_clauses(text: str) -> Iterator[tuple[frozenset[str], bool]]:
    """Yield the stems of each clause, and whether it is negated."""
    for piece in _CLAUSE.split(_CITATION.sub(" ", text)):
        if stems := _stems(piece).difference(content_stems(_NEGATION_WORDS, frozenset())):
            negations = sum(word in _NEGATIONS or word.endswith("n't") for word in words_of(piece))
            yield stems, (negations + bool(_IS_OUT.search(piece))) % 2 == 1


def shares_words(one: str, other: str) -> bool:
    """Whether two texts have at least one word in common that carries a point."""
    return bool(_stems(one) & _stems(other))


def _stems(text: str) -> frozenset[str]:
    """Return the words that carry a point, cut so that forms of one word are alike; numbers carry none."""
    stems = content_stems(text.replace(UNVERIFIED, " "))
    return frozenset(stem[:_LONG_STEM] for stem in stems if len(stem) >= _SHORT_STEM and not stem.isdecimal())


# --- lines of a section --------------------------------------------------------------------------------

_LABEL = re.compile(r"\*\*[^*\n]+\*\*:")
_CODE_FENCE = re.compile(r"[\s>]*+(?:(?:[-*+]|\d++[.)])\s++)?(?P<fence>`{3,}+(?=[^`]*$)|~{3,}+).*")
_ANY_WORD = re.compile(r"[^\s|:-]")
_SOME_WORD = re.compile(r"[^\s;,.:()|`~*+\d-]+")
_OTHER_DIGITS = str.maketrans("0123456789", "7894561230")


def blot_out(text: str) -> str:
    """Return a text of the same form, such as a list, in which every word and figure is another one."""
    return _SOME_WORD.sub("qzx", text.translate(_OTHER_DIGITS))


def find_shared_lines(texts: Iterable[str], others: Iterable[str]) -> frozenset[str]:
    """Return the lines that stand in both; of the first also labels without words and the heads of tables."""
    lines = [line.strip() for text in texts for line in text.split("\n")]
    shared = {line.strip() for text in others for line in text.split("\n")}.intersection(lines)
    heads = (
        head
        for head, rule, row in zip(lines, lines[1:], lines[2:], strict=False)
        if rule.startswith("| --- |") and row.startswith("|")
    )
    return frozenset(shared).union(heads, (line for line in lines if _LABEL.fullmatch(line)))


def mark_new_lines(text: str, known: Collection[str] = ()) -> str:
    """Return a text with a mark at the end of every line that is not known; for code, below it."""
    lines = text.rstrip().split("\n")
    marked: list[str] = []
    at = 0
    while at < len(lines):
        opening = _CODE_FENCE.fullmatch(lines[at])
        end = find_code_end(lines, at, opening["fence"]) if opening else at
        new = [line for line in lines[at : end + 1] if _ANY_WORD.search(line) and line.strip() not in known]
        if opening and end == at:
            marked.append(_mark_line("\\" + lines[at]))  # open code would swallow what stands below it
        elif opening:
            marked += [*lines[at : end + 1], *([UNVERIFIED] if new else [])]
        else:
            marked.append(_mark_line(lines[at]) if new else lines[at])
        at = end + 1
    return "\n".join(marked)


def _mark_line(line: str) -> str:
    """Return a line with the mark at its end: within the last cell of a table, or within a comment."""
    text = line.rstrip()
    closing = next((sign for sign in ("|", "-->") if text.endswith(sign)), "")
    end = len(text.removesuffix(closing).rstrip())
    words = line[:end].rstrip(".")
    return line if words.endswith(UNVERIFIED) else f"{words} {UNVERIFIED}{line[end:]}"
