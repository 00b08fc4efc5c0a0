"""A conversation at the terminal with a panel that streams: `python streaming.py ROOT ITEM STEP`.

Each contribution stops halfway until a file `go-N` or `go` lies in the root: a test can act meanwhile. With
`silent-N` it stops before its first word.
"""

from __future__ import annotations

import asyncio
import sys
from functools import partial
from pathlib import Path

from roundtable.core.commands import Brief
from roundtable.core.errors import RoundtableError
from roundtable.panel.base import OnWords, Speech
from roundtable.runtime.session import Session
from roundtable.surfaces.terminal.conversation import TerminalConversation
from roundtable.testing import ScriptedPanel

REJECTED = "That would delight everyone, I am sure of it."


def contribution(number: int, name: str) -> str:
    """What the panel lets somebody say: a paragraph, a list and a table."""
    words = " ".join(f"word{each}" for each in range(1, 41))
    return (
        f"Remark {number} by {name}: {words}, and that was all.\n\n"
        f"- first point of turn {number}, which is long enough to be wrapped in a window that is narrow\n"
        f"- second point of turn {number} with `code`"
    )


class StreamingPanel(ScriptedPanel):
    """Streams its contributions word by word, each with a pause in the middle."""

    root = Path()

    async def speak(self, brief: Brief, on_words: OnWords) -> Speech | None:
        if brief.may_pass:
            return None
        text = contribution(brief.number, brief.speaker.first_name)
        if (self.root / f"reject-{brief.number}").exists() and not brief.again:
            text = REJECTED
        if (self.root / f"silent-{brief.number}").exists():
            await self._may_go_on(brief.number)
        words = text.split(" ")
        for number, word in enumerate(words):
            on_words(word if number == 0 else f" {word}")
            if number == len(words) // 2:
                await self._may_go_on(brief.number)
        return Speech(text)

    async def _may_go_on(self, number: int) -> None:
        while not any((self.root / name).exists() for name in ("go", f"go-{number}")):
            await asyncio.sleep(0.01)


def main(root: str, item: str, step: str) -> int:
    panel = StreamingPanel()
    panel.root = Path(root)
    start = partial(Session, root, item, step=step, user_name="Ada", interactive=True)
    try:
        conversation = TerminalConversation(start, lambda: panel, user_name="Ada")
        return conversation.hold(f"roundtable elaborate {item} --step {step}")
    except KeyboardInterrupt as interrupt:
        sys.stderr.write(f"{interrupt}\n")
        return 130
    except RoundtableError as error:
        sys.stderr.write(f"{error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
