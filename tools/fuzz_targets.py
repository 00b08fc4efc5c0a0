"""What `tools.fuzz --coverage` feeds: each target takes any bytes and raises only where something is wrong.

`python -m tools.fuzz_targets NAME [options of libFuzzer]`; with a file it is run once, to see a case again.
Needs atheris, and the folder `tests` on the path.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

atheris: Any = import_module("atheris")  # it is not among the packages for development


with atheris.instrument_imports(include=["roundtable"]):
    from mcp.server.mcpserver.exceptions import ToolError

    from drafts import STEPS, ask
    from insertions import find_insertion
    from project import ANSWERS, project, small_steps, talk
    from roundtable import change_meta, hear, insert_addition, load_roster, read_meta
    from roundtable.catalogue import load_steps, read_personas, read_tracks
    from roundtable.core.errors import ItemCorrupt, RuleBroken
    from roundtable.core.markers import ElaborationMarker
    from roundtable.documents.additions import find_block, take_out_block
    from roundtable.documents.answers import read_answers
    from roundtable.documents.drafting import draft
    from roundtable.documents.outline import ADDITIONAL, read_outline
    from roundtable.item_check import check_documents
    from roundtable.panel.offline.prompts import read_project_prompts
    from roundtable.runtime.resume import read_leg
    from roundtable.settings import Settings
    from roundtable.store.journal import list_journals
    from roundtable.surfaces.mcp.server import RoundtableServer
    from roundtable.surfaces.mcp.sessions import HostedSessions

Target = Callable[[bytes], None]
MARKER = ElaborationMarker("01-03", "2026-02-20T14:30:00.000Z")
BLOCK = f"{MARKER}\n\n### Insights\n\n- [Maya] One.\n"
TALK = ("E", "Alex, how many forms are locked at once?", "We go with merging.", "done")


def hearing(_base: Path) -> tuple[Target, list[bytes]]:
    roster = load_roster()

    def run(data: bytes) -> None:
        hear(data.decode("utf-8", "replace"), roster)

    return run, [b"Alex, what breaks?", b"done", b"let's wrap up, all", b"no, not yet done"]


def content(base: Path) -> tuple[Target, list[bytes]]:
    """Feed files of steps, personas, tracks and prompts; the first byte says which."""
    own = base / ".roundtable"
    files = (
        own / "steps/01-requirements/01-03.md",
        own / "personas/a.md",
        own / "tracks/a.md",
        own / "prompts/a.toml",
    )
    for file in files:
        file.parent.mkdir(parents=True)
    readers: tuple[Callable[[Path], object], ...] = (
        load_steps,
        read_personas,
        read_tracks,
        read_project_prompts,
    )

    def run(data: bytes) -> None:
        kind = data[0] % len(files) if data else 0
        files[kind].write_bytes(data[1:])
        try:
            readers[kind](base)
        finally:
            files[kind].unlink()

    import roundtable.content

    home = Path(next(iter(roundtable.content.__path__)))
    found = (sorted((home / name).rglob("*.*"))[:3] for name in ("steps", "personas", "tracks", "prompts"))
    return run, [
        bytes([kind]) + path.read_bytes()
        for kind, paths in enumerate(found)
        for path in paths
        if path.is_file()
    ]


def meta(base: Path) -> tuple[Target, list[bytes]]:
    root, item = project(base / "project")
    small_steps(root)
    talk(root, item, [*ANSWERS, *TALK])
    file = item / "meta.json"
    good = file.read_bytes()

    def run(data: bytes) -> None:
        file.write_bytes(data)
        found = read_meta(item)
        try:
            change_meta(item, lambda meta: meta.update(team="ours"))
        except ItemCorrupt:
            assert found is None
            assert file.read_bytes() == data
        with suppress(ItemCorrupt):
            talk(root, item, [])

    return run, [good, b"{}", b'{"elaborations": [{}], "steps_completed": [1, null]}']


def insertion(_base: Path) -> tuple[Target, list[bytes]]:
    def run(data: bytes) -> None:
        try:
            added = insert_addition(data, BLOCK, topic="User Journeys")
        except RuleBroken:
            return
        assert find_insertion(data, added.document) is not None
        shape = read_outline(added.document)
        place = find_block(shape, MARKER)
        if place is not None and not MARKER.stands_in(data) and ADDITIONAL.encode() not in data:
            # Whether a blank line beside the block was there before cannot always be seen.
            assert take_out_block(shape, place).split() == data.split()

    parts = (
        b"# A\n\n## 3. User Journeys\n\n- one\n",
        b"```\n## x\n",
        b"<div>\n\n## y\r\n",
        b"---\na: b\n---\n\n    code\n",
    )
    return run, [*parts, b"".join(parts)]


def journal(base: Path) -> tuple[Target, list[bytes]]:
    root, item = project(base / "project")
    small_steps(root)
    talk(root, item, [*ANSWERS, *TALK])
    (found,) = list_journals(item)
    good = found.path.read_bytes()
    head, _, rest = good.partition(b"\n")

    def run(data: bytes) -> None:
        found.path.write_bytes(head + b"\n" + data[1:] if data[:1] == b"h" else data)
        with suppress(ItemCorrupt):
            read_leg(found)

    return run, [b"h" + rest, good, *(b"h" + line + b"\n" for line in rest.splitlines())]


def drafting(_base: Path) -> tuple[Target, list[bytes]]:
    """Draft any answer to any question, read it again, and check the documents."""
    labels = sorted({(step.step_id, each.label) for step in STEPS for each in step.questions("deep")})

    def run(data: bytes) -> None:
        step_id, label = labels[(data[0] if data else 0) % len(labels)]
        text = data[1:].decode("utf-8", "replace")
        written = draft(ask(step_id, {label: text}), {})
        documents = {each.target.output: each.text for each in written}
        read_answers(documents, "Offline forms")
        check_documents(
            {**documents, "design.md": text, "user-stories.json": text, "matrix.csv": text}, lambda _: 3
        )

    return run, [
        b"\0- Given x\n- When y; must FR-001",
        b'\5{"stories": [{"id": "US-001"}]}',
        b"\x20a,b\n1,2\n",
    ]


def mcp(base: Path) -> tuple[Target, list[bytes]]:
    """Feed calls of the MCP tools: a JSON list of names and arguments."""
    prepared, item = project(base / "prepared")
    small_steps(prepared)
    talk(prepared, item, ANSWERS)
    root = base / "project"

    async def call(calls: Iterator[tuple[str, dict[str, Any]]]) -> None:
        sessions = HostedSessions(Settings(root))
        server = RoundtableServer(sessions)
        try:
            async with server._lowlevel_server.lifespan(server._lowlevel_server):
                for name, arguments in calls:
                    with suppress(ToolError):
                        await asyncio.wait_for(server.call_tool(name, arguments), 20)
        finally:
            await sessions.close()

    def run(data: bytes) -> None:
        try:
            given = json.loads(data)
            calls = [(str(name), dict(arguments)) for name, arguments in given][:8]
        except (ValueError, TypeError, RecursionError):
            return
        shutil.copytree(prepared, root, dirs_exist_ok=True)
        try:
            asyncio.run(call(iter(calls)))
        finally:
            shutil.rmtree(root)

    slug = item.name
    opening = ["start", {"item": slug}]
    menu = ["relay_user", {"session": slug, "move": "00-01.3", "words": "E"}]
    words = [
        "submit_turn",
        {"session": slug, "move": "00-01.5", "speaker": "business-analyst", "text": "Two."},
    ]
    seeds: list[list[Any]] = [
        [opening, menu, words],
        [["status", {"item": slug}]],
        [["add_item", {"text": "x"}]],
    ]
    return run, [json.dumps(each).encode() for each in seeds]


TARGETS = (hearing, content, meta, insertion, journal, drafting, mcp)


def main() -> None:
    name, *options = sys.argv[1:]
    make = next(each for each in TARGETS if each.__name__ == name)
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        base = Path(folder)
        (base / "corpus").mkdir()
        (base / "place").mkdir()
        run, seeds = make(base / "place")
        for number, seed in enumerate(seeds):
            (base / "corpus" / str(number)).write_bytes(seed)
        is_replay = any(not option.startswith("-") for option in options)
        atheris.Setup([name, *options, *([] if is_replay else [str(base / "corpus")])], run)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
