"""Messages: what the user says in a discussion, sentence by sentence, and which prompt each piece answers.

A message that may answer several prompts counts as an answer to none. The word lists and expressions are in
`content/interview/words.toml`, measured on `tests/samples`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from ...content import read_tables
from ...core.commands import Table
from ...core.hearing import address, can_decide, find_instead, split_standing, strip_correction
from ...core.synthesis import Draft, Entry, decision_turns, decision_with_question, join_lines
from ...core.text import EMPTY_WORDS, content_stems, fold_text, split_sentences, stem_word, words_of
from ...core.turns import USER, Turn
from ...core.validation import is_unknown
from .prompts import AnswerKind, Library, Prompt, extract_question

PieceKind = Literal["question", "decision", "statement", "aside"]
MessageAct = Literal["", "settled", "rejected", "clarify", "kept_open", "objection"]

_REMARKS: tuple[MessageAct, ...] = ("settled", "rejected", "clarify")  # about the discussion itself
WORDS_FILE = "interview/words.toml"
_FEW = 2
_PASTED_LINES = 20
MAX_LENGTH_READ = 4_000  # characters of a message that are analysed; what is kept is never cut

_GROUP_NAMES = ("everyone", "everybody", "team", "all of you", "you all")


@cache
def word_list(*names: str) -> frozenset[str]:
    """Return the words of these lists, in lower case."""
    return frozenset(word for name in names for word in read_tables(WORDS_FILE)["words"][name].split())


@lru_cache(maxsize=4_096)
def telling_stems(text: str) -> frozenset[str]:
    """Return the stems of the words that say something; "a good question", "1)" or "B" has none."""
    stems = content_stems(text, EMPTY_WORDS | word_list("empty"))
    return frozenset(stem for stem in stems if len(stem) > 1 or not stem.isascii())


@lru_cache(maxsize=4_096)
def similar_stems(stem: str) -> frozenset[str]:
    """Return the stems of words that mean nearly the same."""
    listed = read_tables(WORDS_FILE)["alike"]["rows"].split("\n")
    rows = (frozenset(map(stem_word, row.split())) for row in listed)
    return frozenset[str]().union(*(row for row in rows if stem in row)) - {stem}


@cache
def pattern(name: str) -> re.Pattern[str]:
    """Return the expression that recognises what a sentence does: object, announce, ask openly."""
    signs = read_tables(WORDS_FILE)["signs"][name]
    return re.compile("|".join(f"(?:{each})" for each in signs), re.IGNORECASE)


def drop_name(words: str, names: Iterable[str]) -> str:
    """Return words without the name that they address, which is in the transcript."""
    name, _, rest = words.partition(", ")
    if not rest or name not in names:
        return words
    return f"{rest[0].upper()}{rest[1:]}" if rest.split()[0].isalpha() else rest  # a file keeps its name


def strip_address(message: str, names: Iterable[str]) -> str:
    """Return a message without fillers and names at its beginning or end, for comparing only."""
    text = message.strip()
    anyone = "|".join(map(re.escape, (*names, *_GROUP_NAMES)))
    called = rf"^(?:{anyone})\b ?(?:[,:] ?|\?{{1,3}}$)|, ?(?:{anyone})(?=[?.!]?$)"
    for _ in range(2):
        text = re.sub(called, "", pattern("fillers").sub("", text), flags=re.IGNORECASE)
    return text.strip()


class Piece(Struct, frozen=True):
    """A part of a message that does one thing, exactly as it was typed."""

    kind: PieceKind
    text: str
    turn: int = 0  # of a discussion
    prompt: OpenPrompt | None = None  # that it answers or, if it is a question, leaves open


class UserMessage(Struct, frozen=True):
    """A message of the user, as far as rules can understand it."""

    text: str
    pieces: tuple[Piece, ...]
    act: MessageAct = ""
    """What it does to a prompt or question: settle or reject it, ask about it, leave it open, or object."""

    def of_kind(self, *kinds: PieceKind) -> str:
        """Return the pieces of these kinds as one text; empty if there are none."""
        return " ".join(piece.text for piece in self.pieces if piece.kind in kinds)


@lru_cache(maxsize=256)
def read_message(text: str, names: tuple[str, ...] = ()) -> UserMessage:
    """Return a message as it is understood; `names` are first names that it may address."""
    whole = text.strip()
    if whole.count("\n") > _PASTED_LINES or len(whole) > MAX_LENGTH_READ:
        return UserMessage(whole, (Piece("statement", whole),))
    plain = fold_text(strip_address(whole, names)).strip()
    sentences = [fold_text(strip_address(sentence, names)) for sentence in split_sentences(whole)]
    pieces = _cut_pieces(whole, names)
    act: MessageAct = next((sign for sign in _REMARKS if any(map(pattern(sign).match, sentences))), "")
    if not act and all(piece.kind in ("statement", "aside") for piece in pieces):
        if is_unknown(drop_name(whole, names)) or pattern("kept_open").match(plain):
            act = "kept_open"
        elif pattern("objection").search(plain):
            act = "objection"
    return UserMessage(whole, () if is_noise(plain) else tuple(pieces), act)


def _cut_pieces(message: str, names: tuple[str, ...]) -> list[Piece]:
    decided = find_decisions(message, names)
    pieces: list[Piece] = []
    for sentence in split_standing(message):
        told = fold_text(strip_address(sentence, names))
        kind: PieceKind = "statement"
        remarks = [pattern("aside").match(fold_text(drop_name(sentence, names)))]
        remarks += [pattern(sign).match(told) for sign in _REMARKS]
        if any(remarks) or (sentence.endswith("?") and not told):  # a name alone calls somebody
            kind = "aside"
        elif sentence in decided:
            kind = "decision"
        elif is_question(told) and telling_stems(told):
            kind = "question"
        # Kept together: neighbouring statements, a decision and why, "Approved." and what is approved.
        last = pieces[-1] if pieces else Piece(kind, "")
        is_about_last = told.startswith("because ") or len(telling_stems(last.text)) < _FEW
        explains = last.kind == "decision" and kind == "statement" and is_about_last
        if pieces and (explains or kind == last.kind != "decision"):
            pieces[-1] = Piece(last.kind, f"{last.text} {sentence}")
        else:
            pieces.append(Piece(kind, sentence))
    return pieces


def is_noise(said: str) -> bool:
    """Whether folded words say nothing worth writing: no word, or only a greeting, a key or a wish to end."""
    return not words_of(said) or pattern("noise").fullmatch(said.strip(" .!?,\n")) is not None


def is_question(sentence: str) -> bool:
    """Whether a sentence asks, with or without a question mark."""
    words = sentence.rstrip("\"')* ")
    return words.endswith("?") or pattern("openly").match(words) is not None


def find_decisions(message: str, names: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the sentences of a message that decide something; none if it is too long or noise."""
    if len(message) > MAX_LENGTH_READ or is_noise(fold_text(message)):
        return ()
    known, standing = tuple(names), split_standing(message)
    decided = [each for each in split_sentences(message) if _is_decision(each, known)]
    instead = find_instead(message) or ()
    replaces = not set(standing).issuperset(decided)  # what replaces a decision is one
    return tuple(
        each
        for each in dict.fromkeys(standing)
        if each in (*decided, *instead) or (replaces and strip_correction(each) != each and can_decide(each))
    )


def _is_decision(piece: str, names: tuple[str, ...]) -> bool:
    """Whether a sentence announces a decision, says "let's" or what "we" will do, or gives an order."""
    sentence = piece.replace("’", "'")
    told = strip_correction(sentence)
    concludes = told != sentence
    while lead := pattern("lead").match(told):
        concludes = concludes or lead["mark"] is not None
        told = told[lead.end() :]
    told = strip_address(told, names)
    if is_question(sentence) or is_question(told) or not can_decide(sentence):
        return False
    if pattern("announced").search(sentence) or pattern("ended").search(told):
        return True
    if condition := pattern("condition").match(told):
        told = condition["rest"] or ""
    is_resolved = not condition and _is_resolution(told, concludes=concludes)
    return is_resolved or _is_proposal(told) or _is_order(told)


def _is_proposal(told: str) -> bool:
    """Whether a sentence says "let's" and means more than talk."""
    found = pattern("lets").search(told)
    rest = found["rest"] if found else ""
    only_talks = not word_list("talk").isdisjoint(words_of(rest)[:1]) or pattern("only_talk").match(rest)
    return found is not None and (not only_talks or pattern("meaning").match(rest) is not None)


def _is_resolution(told: str, *, concludes: bool) -> bool:
    """Whether "we" or "I" take a side, announce what will be done, or draw a conclusion."""
    if pattern("resolved").search(told):
        return True
    for found in pattern("will").finditer(told):
        unwilled = word_list("unwilled", "promise") if found["who"][0] in "iI" else word_list("unwilled")
        if found["verb"].lower() not in unwilled:
            return True
    we = pattern("we").match(told)
    willed = word_list("act", "act_noun") - word_list("unwilled", "talk")
    if we is None or we["verb"].lower() not in willed:
        return False
    # What "we" do is decided if it is weighed against something else or has a reason.
    return concludes or we["no"] is not None or pattern("weighs").search(told) is not None


def _is_order(told: str) -> bool:
    """Whether words without address and fillers begin with a verb that orders something done to the item."""
    always = pattern("always").match(told)
    rest = told[always.end() :] if always else told
    verb, following, *_ = (*words_of(rest[:200]), "", "")
    is_code = re.match(r"\w+(?:\(|\.\w)", rest)  # "take() subtracts twice" says what the code does
    if is_code or verb in word_list("talk") or any(map(pattern("to_panel").match, (told, rest))):
        return False
    if verb == "have":
        return following in word_list("determiner") | {"it", "them"}
    if verb not in word_list("act", "act_noun"):
        return False
    if always or following in word_list("finite") or following in ("", "of", "or", "and", "plus"):
        return bool(always and following)
    is_certain = verb not in word_list("act_noun") or following in word_list("determiner")
    return is_certain or not _has_verb(rest)


def _has_verb(rest: str) -> bool:
    """Whether the first clause has a finite verb after its first word, which is then its subject."""
    verbs = word_list("act", "act_noun", "unwilled", "talk")
    for before, word in pairwise(words_of(re.split(r"[,;:(]", rest)[0])):
        # "Arrives" is a verb by its ending; a possible plural noun does not count.
        stems = {word[:-1], word[:-2], word[:-3] + "y"} if word.endswith("s") else set[str]()
        is_third_person = not stems.isdisjoint(verbs - word_list("act_noun"))
        if word in word_list("finite") or is_third_person or (before.endswith("s") and word in verbs):
            return True
    return False


_LEAST_SCORE = 2.0
_MAX_ANSWER_WORDS = 12
# Each has one pattern for questions and one for answers; the first that matches a question is its kind.
_KINDS_WITH_SIGNS: tuple[AnswerKind, ...] = ("choice", "value", "person", "case")


class OpenPrompt(Struct):
    """A prompt that was asked in the discussion, and whether it still waits for an answer."""

    turn: int
    speaker: str
    text: str
    question: str
    label: str
    kind: AnswerKind
    prompt: Prompt | None = None
    is_open: bool = True


class Discussion(Struct):
    """What was asked and said so far, without the questions that the user calls answered."""

    prompts: list[OpenPrompt] = []
    said: list[Piece] = []

    def list_open(self, speaker: str | None = None) -> list[OpenPrompt]:
        """Return the prompts, of one speaker or of all, that still wait for an answer."""
        return [each for each in self.prompts if each.is_open and speaker in (None, each.speaker)]


def first_names(table: Table) -> tuple[str, ...]:
    """Return the first names at the table."""
    return tuple(persona.first_name for persona in table.roster.personas)


def follow_discussion(table: Table, library: Library) -> Discussion:
    """Return what the turns asked and said, and what became of each prompt."""
    found = Discussion()
    for turn in table.turns:
        if turn.speaker == USER:
            _hear_user(found, turn, table)
        elif prompt := _read_prompt(turn, table.focus_question, library):
            found.prompts.append(prompt)
    return found


def _read_prompt(turn: Turn, focus_question: str, library: Library) -> OpenPrompt | None:
    """Return what a persona asked: the focus question, a prompt, its `further` question, or a model's."""
    speaker, text, label = turn.speaker, turn.text, ""
    if turn.number == 1 and focus_question:
        asked = focus_question[:1].upper() + focus_question[1:]
    elif prompt := library.find_prompt(speaker, text):
        asked = extract_question(prompt.text) or prompt.text
        return OpenPrompt(turn.number, speaker, text, asked, prompt.label, prompt.answer, prompt)
    else:
        asked = extract_question(text)
        for each in library.of_persona(speaker):
            if each.further and each.further in text:
                asked, label = each.further, each.label
    return OpenPrompt(turn.number, speaker, asked, asked, label, guess_kind(asked)) if asked else None


def _hear_user(found: Discussion, turn: Turn, table: Table) -> None:
    """Keep what the user said, paired with the prompt that it answers or leaves open."""
    message = read_message(turn.text, first_names(table))
    addressed = address(turn.text, table.roster).persona
    waiting = found.list_open(addressed)
    if message.act == "settled":  # the question that was left open last
        asked = [each for each in found.said if each.kind == "question"]
        found.said = [each for each in found.said if each not in asked[-1:]]
    left = waiting[-1] if waiting and message.act in ("rejected", "kept_open") else None
    if left is not None:
        left.is_open = False
    if message.act == "kept_open":
        found.said.append(Piece("question", turn.text, turn.number, left))
        return
    answered = find_answered_prompt(message, found.list_open(), addressed=addressed)
    if answered is not None:
        answered.is_open = False
    for piece in message.pieces:
        pairs = piece.kind in ("statement", "decision")
        found.said.append(replace(piece, turn=turn.number, prompt=answered if pairs else None))
        answered = None if pairs else answered


def find_answered_prompt(
    message: UserMessage, waiting: Sequence[OpenPrompt], *, addressed: str | None = None
) -> OpenPrompt | None:
    """Return the prompt that a message answers; None if it answers none or it is not clear which."""
    told = message.of_kind("statement", "decision")
    candidates = [each for each in waiting if addressed in (None, each.speaker)]
    if not told or not candidates:
        return None
    turns_down = message.of_kind("question", "aside") or message.act == "objection"
    if addressed is not None and len(candidates) == 1 and not turns_down:
        # Words to somebody with only one open prompt answer that prompt.
        return candidates[0]
    rated = [(*_rate(told, each, waiting), each) for each in candidates]
    (best, fits, answered), *others = sorted(rated, key=lambda row: -row[0])
    # A few words that could answer only one of the prompts.
    is_alone = fits and all(score <= 0 for score, *_ in others)
    is_only = is_alone and len(words_of(told)) <= _MAX_ANSWER_WORDS and message.act != "objection"
    is_clear = best >= _LEAST_SCORE and all(score < best for score, *_ in others)
    return answered if is_clear or is_only else None


def _rate(told: str, prompt: OpenPrompt, waiting: Sequence[OpenPrompt]) -> tuple[float, bool]:
    """Return how well words fit as the answer to a prompt, and whether they have its shape."""
    others = frozenset(stem for each in waiting if each is not prompt for stem in telling_stems(each.text))
    shared = len((telling_stems(told) & telling_stems(prompt.text)) - others)
    said = told[:MAX_LENGTH_READ].replace("’", "'").strip()
    has_shape = prompt.kind in _KINDS_WITH_SIGNS and pattern(f"tells_{prompt.kind}").search(said)
    fits = bool(has_shape) and not (prompt.kind == "case" and pattern("states_fact").match(said))
    score = min(shared, 3) + 1.2 * fits
    if pattern("somebody").match(fold_text(told).strip()):
        score += 0.8 if pattern("has_somebody").search(prompt.text) else -1.5
    return score, fits


def guess_kind(asked: str) -> AnswerKind:
    """Guess what kind of answer suits a question that no prompt file describes."""
    question = fold_text(asked)
    if "___" in question:
        return "case"
    return next((kind for kind in _KINDS_WITH_SIGNS if pattern(f"asks_{kind}").search(question)), "text")


WHO_COULD_TELL: Mapping[str, str] = read_tables(WORDS_FILE)["could-tell"]
ANYBODY = "for somebody who knows"
NOBODY_ANSWERED = "Nobody answered; the prompts are in the transcript"

_MAX_ENTRIES = 12
_FEW_STEMS = 3


def extract_synthesis(table: Table, library: Library) -> Draft:
    """Draft the synthesis from what the user said, without small talk."""
    chat = {turn.number for turn in table.turns if (drift := turn.verdict.off_topic) and drift.is_chat}
    said = [each for each in follow_discussion(table, library).said if each.turn not in chat]
    marked = decision_turns(table.turns)
    statements = [each for each in said if each.kind == "statement"]
    telling = [each for each in statements if each.prompt or telling_stems(each.text)]
    decided = [each for each in said if each.kind == "decision" and each.turn in marked]
    asked = [each for each in said if each.kind == "question"]
    parts = (telling[:_MAX_ENTRIES], decided, asked[:_MAX_ENTRIES])
    insights, decisions, questions = (tuple(_put_entry(each, table) for each in part) for part in parts)
    draft = Draft(insights, decisions, questions)
    return draft if draft.entries else Draft(summary=NOBODY_ANSWERED, takeaway=NOBODY_ANSWERED)


def _put_entry(said: Piece, table: Table) -> Entry:
    """Return the user's words as an entry, with the prompt they answer if they say too little alone."""
    prompt, typed = said.prompt, join_lines(said.text)
    words, stems = drop_name(typed, first_names(table)), telling_stems(said.text)
    if said.kind == "question":
        # What the user asked and nobody answered, or the prompt that the user left open.
        if prompt is None:
            addressed = address(table.turns[said.turn - 1].text, table.roster).persona
            return Entry(words, (said.turn,), WHO_COULD_TELL.get(addressed or "", ANYBODY))
        detail = f'"{typed}"' if len(stems) > 1 else WHO_COULD_TELL.get(prompt.speaker, ANYBODY)
        return Entry(prompt.question, (prompt.turn,), detail)
    says_little = len(stems) < _FEW_STEMS or pattern("names_option").search(words)
    if prompt is None or not says_little or "___" in prompt.question:
        return Entry(words, (said.turn,))
    asked = prompt.question
    if prompt.kind == "choice" and prompt.prompt is not None:
        asked = prompt.prompt.text  # with its options
    turns = (prompt.turn, said.turn)
    if said.kind == "decision":
        return decision_with_question(words, join_lines(asked), turns)
    return Entry(f'{join_lines(asked)} "{words}"', turns)
