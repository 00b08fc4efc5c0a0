"""Cutting: what a model writes becomes what the persona says, while it comes.

Names before the words, words of others, stage directions, marks of material and what exceeds the length are
cut; the trailer is kept apart. What might turn out to be one of these is held back until it is clear, so the
pieces that come out always join to the text that counts.
"""

from __future__ import annotations

import re
from typing import Literal

from ...core.personas import Persona, Roster
from .verdict import SIGN

PASS = "pass"
_SOME = 1.4  # how far a sentence may run past the word limit before it is broken off
_LONGEST_LABEL = 90
_LONGEST_DIRECTION = 70
_ELLIPSIS = " ..."
_LINE_END = re.compile(r"\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
# Sign by sign, so that it makes no difference where a piece ends.
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ufeff\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_PASS = re.compile(r"[\s*_\"'`(\[-]*(?:i\s+)?pass[\s*_\"'`.!)\]]*", re.IGNORECASE)
_RULE = re.compile(r"\s*(?:[-*_]\s*){3,}$|\s*`{3,}\w*\s*$")
_MARKS = re.compile(r"\s*(?:\|\s?|#{1,6}\s+)")
_DECORATION = " \t*_\"'`>|#[(-"
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]`*_]*$")
_NUMBERED = re.compile(r"turn \d")
# What may stand between a name and its colon, as far as it has come.
_OPEN_LABEL = re.compile(r"\s*+(?:\([^():]{0,40}\)?)?[\s*_\]]*+")
_OPENERS = "*(["
_DOING = r"""\s{0,9}(?:\w{1,30}ly\s{1,9})?(?:pause|beat|silence|
    (?:nod|lean|paus|sigh|smil|look|turn|glanc|gestur|laugh|shrug|rais|frown|clear|tap|point|sketch|draw|writ|
       scratch|wav|grin|chuckl|pull|sit|sitt|stand|shift|tak|flip|open|shak|cross|adjust|rub|fold|hold|walk|
       think|consider|scribbl|pick|putt|star|blink|wink|lift|speak|furrow|strok|hesitat)(?:s|es|ing))\b"""
_DIRECTION = re.compile(
    rf"\*{_DOING}[^*\n]{{0,40}}\*|\({_DOING}[^()\n]{{0,40}}\)|\[{_DOING}[^\[\]\n]{{0,40}}\]",
    re.VERBOSE | re.IGNORECASE,
)
_THINKING, _THOUGHT = "<think>", "</think>"

_At = Literal["line", "words", "skipped", "trailer", "over"]


class Cutter:
    """Takes in what a model writes, and gives out what the persona says."""

    def __init__(self, speaker: Persona, roster: Roster, words: int) -> None:
        self.text = ""
        self.trailer = ""
        self.passed = False
        self._limit = words
        self._half = ""
        self._held = ""
        self._space = ""
        self._count = 0
        self._full = False
        self._muted = False
        self._first = True
        self._at: _At = "line"
        self._labels = _labels(roster)
        self._own = {_folded(speaker.name), _folded(speaker.first_name)}
        names = (name for persona in roster.personas for name in (persona.name, persona.first_name))
        self._names = [*map(_folded, names), "the user", "user", "you", "turn"]

    def feed(self, piece: str) -> str:
        """What can be shown now that this piece has come."""
        text = self._half + piece
        self._half = "\r" if text.endswith("\r") else ""  # perhaps half a line end
        return self._advance(_plain(text.removesuffix(self._half)), ended=False)

    def end(self) -> str:
        """What is left to be shown when nothing more comes."""
        return self._advance("", ended=True)

    # --- the walk through the text -----------------------------------------------------------------------

    def _advance(self, piece: str, *, ended: bool) -> str:
        before = len(self.text)
        self._held += piece
        while self._step(ended):
            pass
        return self.text[before:]

    def _step(self, ended: bool) -> bool:
        """Take in as much of what is held as is clear; False where nothing more is."""
        if not self._held or self._at == "over":
            self._held = ""
            return False
        match self._at:
            case "line":
                return self._begin_line(ended)
            case "words":
                return self._go_on_line(ended)
            case _:
                return self._leave_line()

    def _begin_line(self, ended: bool) -> bool:
        head, newline, _ = self._held.partition("\n")
        if self._first and head.lstrip().startswith(_THINKING):
            return self._think(ended)
        if not (newline or ended) and self._may_grow(head):
            return False
        if not head.strip():
            self._held = self._held[len(head) + len(newline) :]
            self._space += newline
            return bool(newline)
        return self._decide(head)

    def _think(self, ended: bool) -> bool:
        """What a model thinks aloud before it speaks is not said."""
        _, found, rest = self._held.partition(_THOUGHT)
        if not found and not ended:
            return False
        self._held = rest
        return True

    def _may_grow(self, head: str) -> bool:
        """True where more of the line has to be seen before it is clear what it is."""
        bare = head.lstrip(_DECORATION)
        if _PASS.fullmatch(head):
            return True
        if not bare or bare[0] in "@<":
            return len(head) < _LONGEST_LABEL and _is_prefix_of_sign(bare)
        label = self._labels.match(head)
        if label:  # what decorates the name may still be closed
            return not head[label.end() :].strip(" *_")
        if head.lstrip()[:1] in _OPENERS and len(head) < _LONGEST_DIRECTION and not _closed(head):
            return True
        if len(head) > _LONGEST_LABEL or ":" in bare:
            return False
        start = _folded(bare)
        if PASS.startswith(start) or "i pass".startswith(start):
            return True
        if _NUMBERED.match(start):
            return True
        return any(
            name.startswith(start) or (start.startswith(name) and _OPEN_LABEL.fullmatch(start[len(name) :]))
            for name in self._names
        )

    def _decide(self, head: str) -> bool:
        """Find out what a line is, and go on accordingly."""
        if _PASS.fullmatch(head):
            self.passed = self.passed or not self.text
            self._at = "skipped"
        elif head.lstrip(_DECORATION).startswith(SIGN):
            self._at = "trailer"
        elif label := self._labels.match(head):
            self._take_label(label)
        elif self._muted or _RULE.fullmatch(head):
            self._at = "skipped"
        else:
            marks = _MARKS.match(head)
            self._held = self._held[marks.end() :] if marks else self._held
            self._first = False
            self._at = "words"
        return True

    def _take_label(self, label: re.Match[str]) -> None:
        who = _folded(label["who"])
        if who in self._own:
            self._muted = False
            decorated = label.string.lstrip()[:1] in ("*", "_")
            self._held = self._held[label.end() :].lstrip(" \t*_" if decorated else " \t")
        elif label["whole"] is None and self._first and not label["turn"]:
            # `Alex: how far does this reach?` speaks to somebody; only the whole name begins another's words.
            self._first, self._at = False, "words"
        else:
            self._muted, self._at = True, "skipped"

    def _go_on_line(self, ended: bool) -> bool:
        head, newline, _ = self._held.partition("\n")
        sign = head.find(SIGN)
        if sign >= 0:
            self._say(_undirected(head[:sign]))
            self._held, self._at = self._held[sign:], "trailer"
            return True
        clear = len(head) if newline or ended else _clear(head)
        if clear == 0 and not newline:
            return False
        self._say(_undirected(head[:clear]))
        self._held = self._held[clear:]
        if newline:
            self._held, self._space, self._at = self._held[1:], self._space + "\n", "line"
        return bool(newline)

    def _leave_line(self) -> bool:
        head, newline, rest = self._held.partition("\n")
        if self._at == "trailer":
            self.trailer += head
        self._held = rest
        if newline:
            self._at = "over" if self._at == "trailer" else "line"
        return bool(newline)

    # --- what comes out ----------------------------------------------------------------------------------

    def _say(self, words: str) -> None:
        for token in re.findall(r"\s+|\S+", words):
            if self._full or self.passed:
                return
            if token.isspace():
                self._space += token
            else:
                self._say_word(token)

    def _say_word(self, token: str) -> None:
        begins = bool(self._space) or not self.text
        if begins and self._count >= self._limit:
            broken = self._count >= self._limit * _SOME
            if broken or _SENTENCE_END.search(self.text):
                self.text += "" if _SENTENCE_END.search(self.text) else _ELLIPSIS
                self._full = True
                return
        self._count += begins
        self.text += (_gap(self._space) if self.text else "") + token
        self._space = ""


def _labels(roster: Roster) -> re.Pattern[str]:
    """What stands before somebody's words: a name, the role perhaps, and a colon."""
    whole = "|".join(re.escape(persona.name) for persona in roster.personas)
    first = "|".join(re.escape(persona.first_name) for persona in roster.personas)
    return re.compile(
        rf"[\s*_\"'`>|#\[-]*(?P<turn>turn\s+\d+\s*[,.:-]?\s*)?"
        rf"(?P<who>(?P<whole>{whole}|(?:{first})(?=\s*\()|(?:the\s+)?user|you)|{first})"
        rf"(?:\s*\([^():\n]{{1,40}}\))?[*_\]]*\s*:[*_]*",
        re.IGNORECASE,
    )


def _plain(text: str) -> str:
    """The text with one kind of line end, and nothing that could upset a terminal."""
    return _UNPRINTABLE.sub("", _LINE_END.sub("\n", text))


def _undirected(words: str) -> str:
    """The words without stage directions."""
    return _DIRECTION.sub("", words)


def _clear(head: str) -> int:
    """How much of an unfinished line can be given out: nothing that may become a trailer or a direction."""
    clear = len(head) - (1 if head.endswith("@") else 0)
    while True:
        opened = (_last_open(head[:clear], opener) for opener in _OPENERS)
        near = [at for at in opened if at >= 0 and len(head) - at < _LONGEST_DIRECTION]
        if not near:
            return clear
        clear = min(near)


def _last_open(head: str, opener: str) -> int:
    """Where something begins that is not closed yet; -1 where all is."""
    if opener == "*":
        return head.rfind("*") if head.count("*") % 2 else -1
    at = head.rfind(opener)
    return -1 if at < 0 or _closed(head[at:]) else at


def _closed(direction: str) -> bool:
    """True where what begins with this sign is closed again."""
    bare = direction.lstrip()
    return {"(": ")", "[": "]"}.get(bare[:1], bare[:1]) in bare[1:]


def _is_prefix_of_sign(bare: str) -> bool:
    return any(sign.startswith(bare[: len(sign)]) for sign in (SIGN, _THINKING))


def _gap(space: str) -> str:
    """White space between words: one blank, or up to one empty line."""
    if space.count("\n") > 1:
        return "\n\n"
    return "\n" if "\n" in space else " " if space else ""


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
