"""Plain text: a program's output piece by piece, without what only a terminal understands."""

from __future__ import annotations

import codecs
import re

from ...core.markup import printable

_LONGEST_HELD = 4_096
# An escape sequence that the end of the text may have cut in two.
_OPEN = re.compile(
    r"(?:(?:\x1b\[|\x9b)[0-?]*[ -/]*"  # CSI: colours, cursor
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*\x1b?"  # OSC, DCS, SOS, PM, APC
    r"|\x1b[ -/]*)\Z"
)


class PlainText:
    """Turns bytes into text: UTF-8 that may be split anywhere, terminal escapes cut, bad bytes marked."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""

    def take(self, data: bytes, *, last: bool = False) -> str:
        """The text that is certain by now; what may be the beginning of something is held back."""
        text = self._held + self._decoder.decode(data, last)
        unfinished = None if last else _OPEN.search(text, max(0, len(text) - _LONGEST_HELD))
        end = len(text)
        if unfinished and end - unfinished.start() <= _LONGEST_HELD:
            end = unfinished.start()
        self._held = text[end:]
        return printable(text[:end])
