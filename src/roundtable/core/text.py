"""Fold words for comparison, strip what nobody should see, escape markdown, and split sentences."""

import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from . import lazy_re as re

_LOOKALIKES = str.maketrans(
    {"’": "'", "‘": "'", "ʼ": "'", "´": "'", "`": "'", "“": '"', "”": '"', "、": ",", "،": ",", "؟": "?"}
)
# A hyphen, an apostrophe or an underscore inside makes one word: `back-end`, `let's`, `is_done`.
WORD = re.compile(r"[^\W_]+(?:[-'_][^\W_]+)*")


def fill_blanks(text: str, blanks: Mapping[str, object]) -> str:
    """Return the text with each `{{blank}}` filled, in one pass; KeyError for one that is not given."""
    return re.sub(r"\{\{(\w+)\}\}", lambda blank: str(blanks[blank[1]]), text)


@lru_cache(maxsize=1_024)
def fold_text(text: str) -> str:
    """Return the text in lower case, normalised, with straight quotes, without invisible characters."""
    if text.isascii() and text.replace("\n", " ").isprintable():  # most texts
        return text.lower().replace("`", "'")
    # Before as well as after: normalising splits some lookalikes and produces others.
    plain = unicodedata.normalize("NFKC", text.translate(_LOOKALIKES)).translate(_LOOKALIKES)
    seen = "".join(char for char in plain if char.isspace() or unicodedata.category(char) not in {"Cc", "Cf"})
    return unicodedata.normalize("NFKC", seen.casefold()).translate(_LOOKALIKES)


_FOREIGN_LETTERS = str.maketrans(
    "АВСЕНІЈКМОРЅТХУҮԜаԁеһіјкмопрѕтухԝѵɑɡıΑΒΕΗΙΚΜΝΟΡΤΥΧΖαικνορτυχ",
    "ABCEHIJKMOPSTXYYWadehijkmonpstyxwvagiABEHIKMNOPTYXZaiknoptux",
)


def fold_look_alikes(words: str) -> str:
    """Return words with look-alike letters in plain Latin, without accents and hidden characters."""
    plain = unicodedata.normalize("NFKD", words)
    shown = "".join(char for char in plain if unicodedata.category(char) not in ("Cf", "Mn"))
    return shown.translate(_FOREIGN_LETTERS)


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of the text, folded, without punctuation."""
    return tuple(WORD.findall(fold_text(text)))


def word_set(text: str) -> frozenset[str]:
    """Return the set of the words in a text."""
    return frozenset(words_of(text))


@lru_cache(maxsize=16_384)
def stem_word(word: str) -> str:
    """Return the English Snowball stem of a word in lower case."""
    import snowballstemmer  # on first use, since it loads every language

    return word if word.isdecimal() else str(snowballstemmer.stemmer("english").stemWord(word))


# Words without content of their own, so that the others can be counted.
EMPTY_WORDS = word_set("""
    a about above after again all also am an and any are as at be because been before being both but by can
    could did do does doing down each either else even every everyone everybody few for from get go has have
    having he her here his how i if in into is it its just let let's like may me might more most much must my
    need needs no nor not now of off ok okay on once one only or other our out over own per please really said
    same say says shall she should so some such than thank thanks that that's the their them then there these
    they this those through to together too under until up us very was we we're well were what when where
    which while who why will with would yes yet you your i'm i'd i'll it's we'd we'll what's here's don't
    agree agreed everything anything nothing thing things point points team group absolutely exactly indeed
    totally completely think
    """)


@lru_cache(maxsize=4_096)
def content_stems(text: str, empty: frozenset[str] = EMPTY_WORDS) -> tuple[str, ...]:
    """Return the stems of the words that carry content, in order."""
    spoken = (word.removesuffix("'s") for word in words_of(text))
    return tuple(stem_word(word) for word in spoken if word not in empty)


def cut_words(text: str, most: int) -> str:
    """Return the first words of a text on one line, with dots if there are more."""
    words = text.split()
    return " ".join(words[:most]) + (" ..." if len(words) > most else "")


def cut_line(text: str, width: int) -> str:
    """Return a text of at most `width` characters, with dots if it was cut; 0 leaves it whole."""
    return text if not width or len(text) <= width else text[: width - 3].rstrip() + "..."


def is_silence(text: str) -> bool:
    """Whether the text has no visible characters."""
    return not fold_text(text).strip()


def find_phrase(phrase: Sequence[str], words: Sequence[str]) -> int | None:
    """Return where the whole phrase first occurs among the words; None if it does not."""
    starts = range(len(words) - len(phrase) + 1)
    return next((at for at in starts if tuple(words[at : at + len(phrase)]) == tuple(phrase)), None)


# Colours and cursor (CSI), strings with a terminator (OSC, DCS, SOS, PM, APC), and all other escapes.
_ESCAPE_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*+(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-~]?"
)
# Direction overrides show text in another order than it is stored; lone surrogates cannot be written.
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
# What nobody sees can still be read by a model. Tag characters spell whole sentences; only the three flags
# that emoji fonts draw with them are kept. One joiner or one variation selector shapes the character before
# it and stays; more of them in a row, or a rare selector after anything but an ideograph, only hide data.
_HIDDEN = re.compile(
    "(?P<flag>\U0001f3f4\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074"
    "|\U000e0077\U000e006c\U000e0073)\U000e007f)"
    "|[\u115f\u1160\u17b4\u17b5\u180e\u2061-\u2065\u206a-\u206f\u3164\uffa0\ufff0-\ufffb]"
    "|[\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]"
    "|(?<![\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])[\U000e0100-\U000e01ef]"
    "|(?<=[\u180b-\u180d\ufe00-\ufe0f\U000e0100-\U000e01ef])[\u180b-\u180d\ufe00-\ufe0f]+"
    "|(?<=[\xad\u034f\u061c\u200b-\u200f\u2060])[\xad\u034f\u061c\u200b-\u200f\u2060]+"
)
_LINE_BREAKS = re.compile(r"(?:(?<![ \t])[ \t]+)?[\n\r\x85\u2028\u2029]\s*|\t")
_LEADING_SIGN = re.compile(
    r"#{1,6}(?= |$)|>|[-+*](?= |$)|(?:(?:- *)+|(?:\* *)+|(?:_ *)+|=+)$|~~~|\|"
    r"|\[(?=[ xX]\](?: |$))|\[(?=(?:\\.|[^\]\\])*\]:)"
)
_HEADING_SIGNS = re.compile(r" {0,3}(?P<signs>#{1,6})[ \t]+")
_LEADING_NUMBER = re.compile(r"^([0-9]{1,9})([.)])(?= |$)")
# Code in backquotes ends at the next run of the same length. With a comment's sign in it, it is not kept.
_CODE = r"(?P<code>(?<!`)(?P<fence>`++)(?:%s|(?!(?P=fence)(?!`))`++)*(?P=fence)(?!`))"
_CODE_WITHOUT_COMMENTS = _CODE % "[^`<-]++|<(?!!--)|-(?!->)"
# Everything that markdown acts on in the middle of a line. Runs are matched whole, since each acts as one.
_ACTING = re.compile(
    rf"(?P<backslash>\\(?=[!-/:-@\[-`{{-~]|\Z))|{_CODE_WITHOUT_COMMENTS}|(?P<ticks>`+)|(?P<runs>\*+|_+|~+)"
    r"|(?P<tag><(?=[A-Za-z/!?])|-->|&(?=#?[A-Za-z0-9]{1,32};))|(?P<bracket>\[)"
)
_ESCAPED = re.compile(rf"{_CODE % '[^`]++'}|\\(?P<sign>[!-/:-@\[-`{{-~])|&(?:lt|gt|amp);")
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&amp;": "&"}


def strip_unprintable(text: str) -> str:
    """Return the text without escapes, control and invisible characters; line breaks and tabs stay."""
    return strip_hidden(_UNPRINTABLE.sub("", _ESCAPE_SEQUENCE.sub("", text)))


def strip_unprintable_values(value: Any) -> Any:
    """Return JSON data with `strip_unprintable` applied to every text in it."""
    match value:
        case str():
            return strip_unprintable(value)
        case dict():
            return {str(key): strip_unprintable_values(each) for key, each in value.items()}
        case list() | tuple():
            return [strip_unprintable_values(each) for each in value]
    return value


def clean_text(text: str) -> str:
    """Return the text with plain line ends and without what `strip_unprintable` takes out."""
    return strip_unprintable(text.replace("\r\n", "\n").replace("\r", "\n"))


def strip_hidden(text: str) -> str:
    """Return the text without characters that a model could read but nobody sees."""
    return text if text.isascii() else _HIDDEN.sub(lambda found: found["flag"] or "", text)


def escape_markdown(text: str) -> str:
    """Return one line of markdown that shows the text, which is not markdown, as it was typed.

    Only what markdown would act on is escaped: not `snake_case`, `a < b`, `[Maya]`. Code in backquotes stays
    code. Line breaks become blanks. Nothing in the line can open a block, HTML or a comment. Not idempotent:
    escape once, where the words enter a document; `unescape_markdown` gives the words back. In a table cell
    every `|` of the result needs another backslash.
    """
    line = _LINE_BREAKS.sub(" ", strip_unprintable(text)).strip()
    is_linked, acting = "](" in line or "][" in line, _find_acting_runs(line)

    def escape(found: re.Match[str]) -> str:
        match found.lastgroup:
            case "tag":
                return found[0].replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
            case "code":
                return found[0]
            case "bracket" if not is_linked:
                return found[0]
            case "runs" if found.start() not in acting:
                return found[0]
        return "".join(f"\\{sign}" for sign in found[0])

    line = _ACTING.sub(escape, line)
    if _LEADING_SIGN.match(line):
        return "\\" + line
    return _LEADING_NUMBER.sub(r"\1\\\2", line, count=1)


def escape_in_bold(text: str) -> str:
    """Return the text as `escape_markdown` does, for bold type, which no star in the text can end."""
    return re.sub(r"(?<!\\)\*", r"\\*", escape_markdown(text))


def unescape_markdown(text: str) -> str:
    """Return the words that were given to `escape_markdown`: escapes and entities undone, code unchanged."""
    return _ESCAPED.sub(lambda found: found["code"] or found["sign"] or _ENTITIES[found[0]], text)


def _find_acting_runs(line: str) -> frozenset[int]:
    """Return the starts of the runs of `*`, `_` and `~` that must be escaped so that no emphasis is left.

    It is enough to escape all that can begin it, or all that can end it.
    """
    acting: set[int] = set()
    for sign in "*_~":
        begins: list[re.Match[str]] = []
        ends: list[re.Match[str]] = []
        for run in re.finditer(re.escape(sign) + "+", line) if sign in line else ():
            before, after = line[run.start() - 1 : run.start()], line[run.end() : run.end() + 1]
            if begins and before.strip() and not (sign == "_" and after.isalnum()):
                ends.append(run)
            if after.strip() and not (sign == "_" and before.isalnum()):
                begins.append(run)
        begins = [run for run in begins if ends and run.start() < ends[-1].start()]
        fewest = min(begins, ends, key=lambda runs: sum(len(run[0]) for run in runs))
        acting.update(run.start() for run in fewest)
    return frozenset(acting)


def parse_heading(line: str) -> tuple[int, str] | None:
    """Return the level and the words of a `#` heading; None for any other line, or if it has no words."""
    opening = _HEADING_SIGNS.match(line)
    # "C#" keeps its sign
    words = re.sub(r"(?<=[ \t])#+$", "", line[opening.end() :].strip()).rstrip() if opening else ""
    return (len(opening["signs"]), words) if opening and words else None


def find_code_end(lines: Sequence[str], at: int, fence: str) -> int:
    """Return the line that closes the code; the line that opens it if none does."""
    closing = (later for later in range(at + 1, len(lines)) if lines[later].strip().startswith(fence))
    return next((later for later in closing if not lines[later].strip().strip(fence[0])), at)


_SENTENCE_END = re.compile(r"(?<=[.!?。！？])[\"'”’)]{0,2}(?:\s+|(?<=[。！？]))|\n+")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|approx|no|ca|Dr|Mr|Mrs|St)\.$", re.IGNORECASE)


@lru_cache(maxsize=1_024)
def split_sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of a message or a paragraph, each exactly as it was written."""
    pieces, start = list[str](), 0
    for end in _SENTENCE_END.finditer(text):
        piece = text[start : end.end()]
        if not _ABBREVIATION.search(piece.rstrip()[-12:]):
            pieces.append(piece.strip())
            start = end.end()
    pieces.append(text[start:].strip())
    return tuple(piece for piece in pieces if piece)
