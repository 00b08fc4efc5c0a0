"""Cases: the condition that a question puts, in its own words."""

from __future__ import annotations

import re

from .questions import AUXILIARY, swapped

_MOST_WORDS = 22
_AUX = "|".join(sorted(AUXILIARY))
# A second question after a comma is another matter, and cutting it off would cut the point.
_SECOND = re.compile(
    rf",\s+(?:(?:and|or|so|but)\s+)?(?:then|what|who|which|where|how|why|whose|{_AUX})\b", re.IGNORECASE
)
# What stands behind the last comma, or behind "or does", is not the case any more.
_REST = re.compile(rf",\s+(?:\w+\s+){{0,4}}\w+$|\b(?:or|and) (?:{_AUX})\b", re.IGNORECASE)
_PUT = re.compile(
    r"^(?:and\s+|but\s+|so\s+)?(?:what\s+(?:happens\s+)?)?(?P<link>if|when)\s+(?P<case>.+)$", re.IGNORECASE
)
_THEN = re.compile(r"^(?P<case>.{8,}?),?\s+(?:and\s+)?(?:what then|then what|what happens)$", re.IGNORECASE)


def case(question: str) -> str | None:
    """The case as a sentence may begin with it ("if the tablet breaks"); None where it is not certain."""
    plain = question.rstrip(" ?!.").replace("’", "'").replace('"', "'")
    if re.match(rf"(?:and\s+)?when\s+(?:{_AUX})\b", plain, re.IGNORECASE):
        return None
    ended = _THEN.match(plain)
    put = _PUT.match(ended["case"] if ended else plain)
    link, said = (put["link"].lower(), put["case"]) if put else ("if", ended["case"] if ended else "")
    if not said or "?" in said or len(said.split()) > _MOST_WORDS:
        return None
    if _SECOND.search(said) or _REST.search(said):
        return None
    return f"{link} {swapped(said.strip(' ,;:'))}"
