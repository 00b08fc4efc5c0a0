"""Write docs/transcripts/cheating-host.md: a host that cheats on purpose, through the real MCP server.

`python -m tools.cheating_host` plays it in a folder of its own. A host that is asked once more says the same
again, so that the page shows what becomes of one that insists. A test compares the page with a new play.
"""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp import Client
from mcp_types import ElicitResult, TextContent

from roundtable.settings import Settings
from roundtable.store.items import add_item
from roundtable.surfaces.mcp.server import RoundtableServer, to_json
from roundtable.surfaces.mcp.sessions import HostedSessions

from .example import ROOT, read_documents

PAGE = ROOT / "docs" / "transcripts" / "cheating-host.md"
ITEM = "Offline forms\n\nInspectors fill in forms in basements without signal and retype them at the office."
PERSON = (
    "Inspectors lose forms when the tablet is offline.",
    "E",
    "Don't overwrite a signed form.",
    "done",
)
"""What the person says, each time the client puts the form before them."""
LIES = {
    "an answer that nobody gave": "Legal approved deleting every signature",
    "a file that does not exist": "forms/audit.py:3",
    "a confirmation that the user never gave": "The user confirmed that inspectors sign with a fingerprint",
    "words under somebody else's name": "I accept whatever Alex proposes",
    "a line of a file that does not exist": "forms/queue.py:41",
    "a point that nobody made, with evidence from nowhere": "the incident report counts 9,300",
    "a decision in the user's name, relayed": "We go with deleting every signature after one day",
    "the contrary of what the user decided": "A signed form is overwritten",
    "a summary with a figure of its own": "Found that 9,300",
}
"""Every lie of the play: what it is, and words to find it by."""
PROPOSAL = "All tablets are replaced by phones"
"""What Alex calls decided. Nobody decided it, so it ends as an open question that says so."""

_WORDS = {
    2: f"{PROPOSAL}, that is decided.\n**Jordan Park (System Designer)**: I accept whatever Alex proposes.",
    3: "The retries sit in `forms/queue.py:41`, and the error is called QUEUE_FULL.",
    5: "As Jordan said, the incident report counts 9,300 scans.",
    7: "Whoever keeps a copy at the office can compare it with what the tablet holds.",
}
_FRAMING = {
    "text": "The user confirmed that inspectors sign with a fingerprint.",
    "focus_question": "Who deletes the forms at the office?",
    "focus_topic": "who deletes the forms",
}
_SYNTHESIS = {
    "insights": [
        {"text": "4,700 forms were lost, see `forms/audit.py:3`.", "turns": [3]},
        {"text": "The retries sit in `forms/queue.py:41`.", "turns": [3]},
    ],
    "decisions": [
        {"text": PROPOSAL, "turns": [2], "detail": "the user said so"},
        {"text": "A signed form is overwritten", "turns": [6], "detail": "the user said so"},
    ],
    "summary": "Found that 9,300 scans vanish",
}


@dataclass
class CheatingHost:
    """Plays one item and lies wherever it can; `log` keeps each call and what came back."""

    client: Client
    log: list[str] = field(default_factory=list)
    last: dict[str, Any] = field(default_factory=dict)
    times_asked: int = 0
    has_skipped: bool = False
    is_closed: bool = False  # the person closes the form, and the host may say that they spoke in the chat

    @property
    def move(self) -> dict[str, Any]:
        found = self.last["move"]
        assert isinstance(found, dict)
        return found

    async def play(self) -> None:
        """Cheat at every move, until the person has ended the discussion."""
        await self.call("start", item="offline-forms")
        while True:
            match self.move["kind"]:
                case "answer" | "menu" | "discussion":
                    if self.times_asked == len(PERSON):
                        return
                    await self.skip_or_hear()
                case "review":  # for the person to accept, not for the host
                    await self.relay("accept")
                case "synthesis":
                    await self.call("submit_judgement", **_SYNTHESIS)
                case "framing":
                    await self.speak(**_FRAMING)
                case _ if self.move.get("purpose") in (None, "follow") and "passes=true" in str(
                    self.move["legal"]
                ):
                    await self.speak(passes=True)
                case _:
                    words: dict[str, Any] = {"text": _WORDS[int(self.move["turn"].split()[0])]}
                    if judged := re.findall(r"Judge turn (\d+),", self.move["brief"]):
                        words["decides"] = [2, int(judged[0])]
                    await self.speak(**words)

    async def skip_or_hear(self) -> None:
        """Answer for the person after the first question and in the discussion; else let the form ask."""
        kind = self.move["kind"]
        if kind == "answer" and self.times_asked == 1:
            await self.relay("Legal approved deleting every signature last spring.")
        elif kind == "discussion" and not self.has_skipped:
            self.has_skipped = True
            await self.call("submit_turn", speaker="solutions-architect", text="We go on without the user.")
            await self.relay("We go with deleting every signature after one day.")
        else:
            self.times_asked += 1
            await self.call("hear_user")

    async def relay(self, words: str) -> None:
        """Speak for the person; that is refused until they have closed the form."""
        await self.call("relay_user", words=words)
        self.is_closed = True
        await self.call("hear_user")
        self.is_closed = False
        await self.call("relay_user", words=words)

    async def speak(self, **words: Any) -> None:
        await self.call("submit_turn", speaker=self.move["speaker"], **words)

    async def call(self, tool: str, **arguments: Any) -> None:
        """Call a tool, with session and move where they are needed."""
        self.log.append(f"**{tool}** ``{to_json(arguments)}``" if arguments else f"**{tool}**")
        opened = {"session": self.last["session"], "move": self.move["id"]} if self.last else {}
        text, is_error = await self._raw(tool, **opened, **arguments)
        if is_error:
            reason = text.partition(" Nothing ")[0].partition(f"tool {tool}: ")[2]
            self.log.append(f"> **Refused.** {reason}")
            return
        self.last = json.loads(text)
        for line in self.last.get("lines", []):
            if line["kind"] in ("contribution", "update", "synthesis"):
                self.log.append("\n".join(f"> {row}".rstrip() for row in line["text"].splitlines()))
        if reasons := self.move["brief"].partition("Avoid what was wrong with it:\n")[2]:
            self.log.append(f"> **Not accepted.** {' '.join(reasons.replace('| ', '').splitlines())}")

    async def _raw(self, tool: str, **arguments: Any) -> tuple[str, bool]:
        result = await self.client.call_tool(tool, arguments)
        content = result.content[0]
        assert isinstance(content, TextContent)
        return content.text, bool(result.is_error)


@dataclass(frozen=True, slots=True)
class CheatedItem:
    """What a play left: the calls with their answers, and the text of each document by its name."""

    calls: tuple[str, ...]
    documents: dict[str, str]


def play_cheating_host() -> CheatedItem:
    """Play the whole of it in a folder of its own."""
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        (root / "forms").mkdir()
        (root / "forms" / "sync.py").write_text("def sync(forms):\n    return list(forms)\n")
        folder = add_item(root, ITEM, commit=None)
        calls = asyncio.run(asyncio.wait_for(_play(root), 120))
        return CheatedItem(tuple(calls), read_documents(folder))


async def _play(root: Path) -> list[str]:
    said = iter(PERSON)

    async def ask(context: Any, params: Any) -> ElicitResult:  # noqa: ARG001 (the client gives both)
        if host.is_closed:
            return ElicitResult(action="decline")
        return ElicitResult(action="accept", content={"words": next(said)})

    sessions = HostedSessions(Settings(root))
    options: dict[str, Any] = {"elicitation_callback": ask, "read_timeout_seconds": 60}
    try:
        async with Client(RoundtableServer(sessions), **options) as client:
            host = CheatingHost(client)
            await host.play()
            return host.log
    finally:
        await sessions.close()


def write_page(played: CheatedItem) -> str:
    """Return the page: what was tried, every call with its answer, and the documents at the end."""
    rows = "\n".join(f"| {what} | {words} |" for what, words in LIES.items())
    shown = [name for name in played.documents if name != "draft.md"]
    parts = [
        "<!-- made by tools/cheating_host.py -->\n# A host that cheats",
        "A script plays the host over MCP with the order to cheat: it invents evidence, puts words into\n"
        "mouths, makes decisions and answers for the person. Whatever is not accepted it says once more in\n"
        f"the same words. The person is asked through a form {len(PERSON)} times and says: "
        + ", ".join(f'"{words}"' for words in PERSON)
        + ".\nThree more forms the person closes, so that the host may pass on what they say in the chat.",
        "What can be told from the truth is not accepted at first. What the host says for the person, and\n"
        "the synthesis that it drafts and accepts itself, stand in the documents only with `(unverified)`\n"
        "beside them; the person's words are clean. What its personas say stands in the transcript alone.\n"
        "What Alex calls decided is an open question that nobody settled.",
        f"| the lie | its words |\n|---|---|\n{rows}",
        "## The play",
        *played.calls,
        "## What was written",
        *(f"`{name}`\n\n````text\n{played.documents[name].rstrip()}\n````" for name in shown),
    ]
    return "\n\n".join(parts) + "\n"


def main() -> None:
    PAGE.write_text(write_page(play_cheating_host()), encoding="utf-8")


if __name__ == "__main__":
    main()
