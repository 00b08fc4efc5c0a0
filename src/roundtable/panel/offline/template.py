"""Templates: sentences with slots, filled from what was read and found again in what was said.

`{slot}` takes a value, `{Slot}` the same with a capital letter, `<is|are>` follows the number of `{thing}`,
and of `{one way|another}` one is taken, by the value of `pick`.
Since a filled template can be recovered from the words alone, a panel needs no memory of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from zlib import crc32

PLURAL = "plural"
"""The value that says that `{thing}` is more than one."""

PICK = "pick"
"""The value by which one of several wordings is taken."""

_PART = re.compile(r"\{([A-Za-z_]+)\}|<([^<>|]*)\|([^<>|]*)>|\{([^{}|]*(?:\|[^{}|]*)+)\}")


@dataclass(frozen=True, slots=True)
class Template:
    """A sentence or several with slots."""

    text: str

    @property
    def slots(self) -> frozenset[str]:
        """The names of its slots, in small letters."""
        return frozenset(name.lower() for name, *_ in _PART.findall(self.text) if name)

    @property
    def fragment(self) -> str:
        """The longest piece between two slots, in small letters: what the template is known by."""
        return _fragment(self.text)

    def fill(self, values: Mapping[str, str]) -> str | None:
        """The text with every slot filled; None where a value is missing or empty."""
        if any(not values.get(name) for name in self.slots):
            return None
        return _PART.sub(lambda part: _filled(part, values), self.text)

    def recover(self, said: str) -> dict[str, str] | None:
        """The values with which the template stands in the words; None where it does not."""
        if self.fragment not in said.lower():
            return None
        found = _pattern(self.text).search(said)
        if found is None:
            return None
        raised = {name.lower() for name, *_ in _PART.findall(self.text) if name[:1].isupper()}
        return {
            name: value[:1].lower() + value[1:] if name in raised else value
            for name, value in found.groupdict().items()
        }


def capital(text: str) -> str:
    """The text with its first letter large."""
    return text[:1].upper() + text[1:]


def _filled(part: re.Match[str], values: Mapping[str, str]) -> str:
    name = part[1]
    if part[4] is not None:
        ways = str(part[4]).split("|")
        return ways[crc32(f"{values.get(PICK)}|{part[4]}".encode()) % len(ways)]
    if name is None:
        return str(part[3] if values.get(PLURAL) else part[2])
    value = values[name.lower()]
    return capital(value) if name[0].isupper() else value


@lru_cache(maxsize=16_384)
def _fragment(text: str) -> str:
    pieces, at = [], 0
    for part in _PART.finditer(text):
        pieces.append(text[at : part.start()])
        at = part.end()
    return max((*pieces, text[at:]), key=len).lower()


@lru_cache(maxsize=2_048)
def _pattern(text: str) -> re.Pattern[str]:
    """The template as a regular expression; each slot is a group, the first time that it stands there."""
    parts: list[str] = []
    at, known = 0, set[str]()
    for part in _PART.finditer(text):
        parts.append(re.escape(text[at : part.start()]))
        at = part.end()
        if part[1] is None:
            ways = part[4].split("|") if part[4] is not None else (part[2], part[3])
            parts.append(f"(?:{'|'.join(map(re.escape, ways))})")
            continue
        name = part[1].lower()
        # A quotation ends at its own mark, however often the words after it recur.
        inside = ".*?" if name == "lead" else '[^"]+' if text[at : at + 1] == '"' else ".+?"
        parts.append(f"(?:{inside})" if name in known else f"(?P<{name}>{inside})")
        known.add(name)
    parts.append(re.escape(text[at:]))
    return re.compile("".join(parts), re.IGNORECASE | re.DOTALL)
