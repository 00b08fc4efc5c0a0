"""Words as they are compared: whatever the keyboard, the case or the script they were typed with."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

_LOOKALIKES = str.maketrans(
    {"’": "'", "‘": "'", "ʼ": "'", "´": "'", "`": "'", "“": '"', "”": '"', "、": ",", "،": ",", "؟": "?"}
)
# A hyphen, an apostrophe or an underscore inside makes one word: `back-end`, `let's`, `is_done`.
WORD = re.compile(r"[^\W_]+(?:[-'_][^\W_]+)*")


@lru_cache(maxsize=1_024)
def folded(text: str) -> str:
    """The text in small letters, composed, with straight apostrophes and without invisible characters."""
    if text.isascii() and text.replace("\n", " ").isprintable():
        # Most texts, and nothing of it has to be normalised.
        return text.lower().replace("`", "'")
    # Before as well as after: normalising takes some lookalikes apart and brings others forth.
    plain = unicodedata.normalize("NFKC", text.translate(_LOOKALIKES)).translate(_LOOKALIKES)
    seen = "".join(char for char in plain if char.isspace() or unicodedata.category(char) not in {"Cc", "Cf"})
    return unicodedata.normalize("NFKC", seen.casefold()).translate(_LOOKALIKES)


def words_of(text: str) -> tuple[str, ...]:
    """The words of the text, folded, without punctuation."""
    return tuple(WORD.findall(folded(text)))


def is_silence(text: str) -> bool:
    """True where nothing of the text can be seen."""
    return not folded(text).strip()


def place_of(phrase: Sequence[str], words: Sequence[str]) -> int | None:
    """Where the phrase first stands among the words, one after another; None where it does not."""
    length = len(phrase)
    starts = range(len(words) - length + 1)
    return next((start for start in starts if tuple(words[start : start + length]) == tuple(phrase)), None)
