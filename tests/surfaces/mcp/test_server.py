"""What the server says about itself, what can be read from it, and how it is reached."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError
from mcp_types import TextContent, TextResourceContents

from commandline import CommandLine, command_line
from hosting import Host, Refusal, here, host, play
from project import meta, talk
from roundtable.project import Project
from roundtable.settings import Settings
from roundtable.store.lock import item_lock
from roundtable.surfaces.mcp.server import RoundtableServer
from roundtable.surfaces.mcp.sessions import HostedSessions

Place = tuple[Path, Path]


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    return command_line(tmp_path, monkeypatch)


# --- what a model with nothing else goes by -------------------------------------------------------------


def test_the_instructions_fit_and_every_tool_and_parameter_is_described(raw: Place) -> None:
    async def test() -> None:
        async with here(raw[0]) as (player, _):
            instructions = player.client.instructions or ""
            assert 0 < len(instructions) <= 2_000
            tools = (await player.client.list_tools()).tools
            assert [tool.name for tool in tools] == [
                "start", "next_move", "submit_turn", "hear_user", "relay_user", "submit_judgement", "leave",
                "add_item", "list_items", "status", "hand_off",
            ]  # fmt: skip
            for tool in tools:
                assert len(tool.description or "") > 60
                assert tool.output_schema is None
                for name, schema in tool.input_schema["properties"].items():
                    assert schema.get("description") or schema.get("anyOf"), f"{tool.name}.{name}"
                assert tool.annotations is not None
                assert tool.annotations.read_only_hint is (tool.name in ("list_items", "status", "hand_off"))

    play(test())


def test_a_host_is_told_what_a_model_is_told_each_part_once(place: Place) -> None:
    root, item = place

    async def test() -> None:
        async with here(root) as (player, _):
            context = (await player.start(item.name, "00-01"))["context"]
            assert "Maya Chen (Business Analyst): user needs" in context
            assert "Limits: Alex does not talk about feelings" in context
            assert "The document quick-scan.md:" in context
            await player.obey()
            brief = player.move["brief"]
            assert brief.startswith("Now turn 2 of 10: Alex Rivera. A first view on the focus question")
            assert "About 110 words, at most 170." in brief
            assert (player.move["turn"], player.move["purpose"]) == ("2 of 10", "first-round")
            assert "context" not in player.last
            await player.until_heard()
            await player.send("relay_user", words="Alex, how many?")
            assert "Answer turn 4, the user's, first;" in player.move["brief"]
            assert "how many" not in player.move["brief"]  # it stands in the lines
            assert "Judge turn 4, the user's, too." in player.move["brief"]
            assert "context" not in player.last

    play(test())


def test_an_item_is_told_once_though_its_documents_change(raw: Place) -> None:
    root, item = raw

    async def test() -> None:
        async with here(root) as (player, _):
            await player.start(item.name)
            await player.play(["The inspector retypes forms.", "60", "The office too.", "E", "done"])
            contexts = [json.loads(answer).get("context", "") for answer in player.answers]
            assert sum("The document quick-scan.md:" in each for each in contexts) > 1
            assert sum("The item:\n| Offline forms" in each for each in contexts) == 1

    play(test())


def test_start_again_tells_everything_again_and_next_move_the_same(place: Place) -> None:
    root, item = place

    async def test() -> None:
        async with here(root) as (player, _):
            await player.start(item.name, "00-01")
            await player.obey()
            first = await player.raw("next_move", session=item.name)
            assert await player.raw("next_move", session=item.name) == first
            assert player.answers[-1] == first
            again = await player.start(item.name)
            assert again["move"]["id"] == json.loads(first)["move"]["id"]
            assert "The item:\n| Offline forms" in again["context"]
            assert again["lines"][0]["text"].startswith("Maya Chen (Business Analyst): We just covered")

    play(test())


@pytest.mark.parametrize(
    ("words", "more"), [("Basements have no signal. ", "x "), ("data:image/png;base64", "x")]
)
def test_answers_are_bounded_whatever_the_item_holds(raw: Place, words: str, more: str) -> None:
    root, item = raw
    (item / "draft.md").write_text("# Offline forms\n\n" + words * 40_000)
    talk(root, item, ["word " * 15_000, "60 " * 9_000])
    (item / "quick-scan.md").write_text(
        (item / "quick-scan.md").read_text() + "\n## More\n\n" + more * 90_000
    )

    async def test() -> None:
        async with here(root) as (player, _):
            await player.start(item.name, "00-01")
            await player.play(["word " * 3_000, "done"])
            await player.raw("status", item=item.name)
            assert max(map(len, player.answers)) < 50_000
            assert "[... the rest is left out]" in "".join(player.answers)

    play(test())


def test_a_ten_turn_elaboration_keeps_to_its_budget() -> None:
    from bench import briefs

    rows = list(briefs.measure())
    assert rows[-1].startswith("10 turns")


# --- two clients, and nobody any more -------------------------------------------------------------------


@pytest.mark.rule("LOOP-9")
def test_two_clients_at_one_table_the_first_counts(place: Place) -> None:
    root, item = place

    async def test() -> None:
        sessions = HostedSessions(Settings(root))
        server = RoundtableServer(sessions)
        async with host(server) as one, host(server) as two:
            await one.start(item.name, "00-01")
            await two.call("next_move", session=item.name)
            assert one.move["id"] == two.move["id"]
            await one.obey()
            with pytest.raises(Refusal, match="has been used"):
                await two.obey()
            await two.start(item.name)
            assert two.move == {**one.move, "brief": two.move["brief"]}
            both = await asyncio.gather(_tried(one), _tried(two))
            assert sorted(both) == [False, True]
        await sessions.close()
        assert '"PersonaSpoke"' in (item / ".journal" / "00-01.jsonl").read_text()

    async def _tried(player: Host) -> bool:
        try:
            await player.send("submit_turn", speaker="solutions-architect", text="The gateway is narrow.")
        except Refusal:
            return False
        return True

    play(test())


def test_an_item_is_let_go_of_when_nobody_calls_any_more_and_taken_up_where_it_stood(place: Place) -> None:
    root, item = place

    async def test() -> None:
        async with here(root, idle=0.01) as (player, sessions):
            await player.start(item.name, "00-01")
            left = player.move["id"]
            while not sessions.in_play[item.name].has_ended:
                await asyncio.sleep(0)
            with item_lock(item):
                pass
            await player.obey()
            assert left != player.move["id"]

    play(test())


def test_leave_lets_a_terminal_go_on(place: Place) -> None:
    root, item = place

    async def test() -> None:
        async with here(root) as (player, _):
            await player.start(item.name, "00-01")
            await player.until_heard()
            assert "is free, and everything is saved" in await player.raw("leave", session=item.name)
            lines = await asyncio.to_thread(talk, root, item, ["done"])
            assert [line.kind for line in lines][-2:] == ["listen", "paused"]
            await player.start(item.name)
            assert player.move["kind"] == "menu"

    play(test())
    assert meta(item)["elaborations"][0]["turn_count"] == 3


@pytest.mark.rule("META-4")
def test_an_item_is_free_after_leave_and_next_move_takes_it_up_again(place: Place) -> None:
    root, item = place

    async def test() -> None:
        async with here(root) as (player, sessions):
            await player.start(item.name, "00-01")
            left = player.move["id"]
            await player.raw("leave", session=item.name)
            assert sessions.in_play == {}
            with item_lock(item):
                pass
            await player.call("next_move", session=item.name)
            assert player.move["id"] == left

    play(test())


@pytest.mark.rule("GREET-5")
def test_the_end_is_a_move_of_its_own(raw: Place) -> None:
    root, item = raw
    for path in (root / ".roundtable" / "steps").rglob("*.md"):
        text = path.read_text().replace("### Measure", "### First Test").replace("- Measure |", "- Point |")
        path.write_text(text)
    words = ["The inspector retypes 40 forms.", "A form survives a lost signal."]
    talk(root, item, [*words, "C"] * 9 + words)

    async def test() -> None:
        async with here(root) as (player, _):
            await player.start(item.name)
            await player.send("relay_user", words="C")
            assert player.move["kind"] == "done"
            assert "The analysis is complete" in player.lines[-1].text
            advised = f'hand_off(item="{item.name}")'
            assert any(each.text.endswith(f"The whole page: {advised}") for each in player.lines)
            assert advised in player.move["legal"]
            again = await player.call("next_move", session=item.name)
            assert again["move"]["kind"] == "done"
            with pytest.raises(Refusal, match="The session has ended"):
                await player.raw("relay_user", session=item.name, move="x", words="C")
            await player.start(item.name)
            assert player.move["kind"] == "choice"

    play(test())


@pytest.mark.rule("META-1")
def test_what_fails_outside_is_said_and_the_next_call_goes_on(raw: Place) -> None:
    root, item = raw

    async def test() -> None:
        async with here(root) as (player, _):
            await player.start(item.name)
            await player.play(["The inspector."])
            sound = (item / "meta.json").read_bytes()
            (item / "meta.json").write_bytes(b"{")
            with pytest.raises(Refusal, match=r"meta\.json"):
                await player.play(["60 inspectors"])
            with pytest.raises(Refusal, match=r"meta\.json"):
                await player.call("next_move", session=item.name)
            with pytest.raises(Refusal, match=r"meta\.json"):
                await player.start(item.name)
            (item / "meta.json").write_bytes(sound)
            await player.start(item.name)
            await player.until_heard()
            assert player.move["kind"] == "menu"

    play(test())
    assert meta(item)["steps_completed"] == ["00-01"]


def test_a_person_is_asked_the_question_that_stands(raw: Place) -> None:
    root, item = raw

    async def test() -> None:
        async with here(root, user=["The inspector.", "60", "C"]) as (player, _):
            await player.start(item.name)
            for _ in range(3):
                await player.send("hear_user")
                await player.until_heard()
            first, _, menu = player.asked
            assert first == f"Roundtable, {item.name}\n\nWhat is the point?"
            assert "[E] Elaboration Mode" in menu

    play(test())


# --- resources and prompts ------------------------------------------------------------------------------


def test_documents_transcripts_and_progress_can_be_read(place: Place) -> None:
    root, item = place
    talk(root, item, ["E", "done"])

    async def read(player: Host, address: str) -> str:
        content = (await player.client.read_resource(f"roundtable://{item.name}/{address}")).contents[0]
        assert isinstance(content, TextResourceContents)
        return content.text

    async def test() -> None:
        async with here(root) as (player, _):
            assert await read(player, "artifact/quick-scan.md") == (item / "quick-scan.md").read_text()
            transcript = await read(player, "transcript/1")
            assert transcript == (item / "elaborations" / "00-01-1.md").read_text()
            assert json.loads(await player.raw("status", item="offline"))["elaborations"] == 1
            status = json.loads(await read(player, "status"))
            assert status == json.loads(await player.raw("status", item=item.name))
            with pytest.raises(MCPError, match="nothing-like-it"):
                await player.client.read_resource("roundtable://nothing-like-it/status")
            for wrong in ("artifact/nothing.md", "artifact/..%2Fmeta.json", "transcript/2", "transcript/x"):
                with pytest.raises(MCPError):
                    await read(player, wrong)
            with pytest.raises(Refusal):
                await player.raw("status", item="nothing-like-it")

    play(test())


def test_what_there_is_to_read_is_listed_as_it_comes_and_all_of_it_can_be_read(raw: Place) -> None:
    root, item = raw

    async def listed(player: Host) -> list[str]:
        uris = [each.uri for each in (await player.client.list_resources()).resources]
        for uri in uris:
            assert (await player.client.read_resource(uri)).contents
        return [uri.removeprefix(f"roundtable://{item.name}/") for uri in uris]

    async def test() -> None:
        async with here(root) as (player, _):
            assert await listed(player) == []
            await asyncio.to_thread(talk, root, item, ["The inspector.", "60", "E", "done"])
            (item / "a note é.md").write_text("Words.")
            names = ["artifact/a%20note%20%C3%A9.md", "artifact/quick-scan.md"]
            assert await listed(player) == [*names, "transcript/1"]

    play(test())


def test_the_hand_off_is_a_tool(tmp_path: Path) -> None:
    root, item = tmp_path, tmp_path / "docs" / "requirements" / "renew-loans"
    shutil.copytree(Path(__file__).parents[3] / "docs" / "example", item)

    async def test() -> None:
        async with here(root) as (player, _):
            page = json.loads(await player.raw("hand_off", item=item.name))["page"]
            assert page == Project(root).write_hand_off(item.name, "page", None)[0]

    play(test())


def test_at_a_phase_s_menu_an_item_does_not_look_finished(raw: Place) -> None:
    root, item = raw
    talk(root, item, ["The inspector.", "60", "C", "The inspector.", "60"])

    async def test() -> None:
        async with here(root) as (player, _):
            status = json.loads(await player.raw("status", item=item.name))
            assert (status["next_step"], status["next"]) == (None, "the menu of phase 00")
            (row,) = json.loads(await player.raw("list_items"))["items"]
            assert (row["next_step"], row["next"]) == (None, "the menu of phase 00")

    play(test())


def test_what_a_host_is_advised_to_do_is_a_tool_and_no_command(tmp_path: Path) -> None:
    async def test() -> None:
        async with here(tmp_path) as (player, _):
            with pytest.raises(Refusal, match=r"There are no items here yet. Add one with: add_item\(text\)"):
                await player.start("nothing")
            item = (await player.call("add_item", text="Offline forms"))["item"]
            with pytest.raises(Refusal, match=f'Go on with: start.item="{item}"'):
                await player.raw("hand_off", item=item)

    play(test())


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_a_transcript_that_is_no_file_of_the_item_cannot_be_read(
    place: Place, tmp_path: Path, kind: str
) -> None:
    root, item = place
    (tmp_path / "private").write_text("secret")
    (item / "elaborations").mkdir()
    path = item / "elaborations" / "00-01-1.md"
    if kind == "link":
        path.symlink_to(tmp_path / "private")
    else:
        os.mkfifo(path)

    async def test() -> None:
        async with here(root) as (player, _):
            for number in ("1", "0000000001", "9" * 5_000):
                with pytest.raises(MCPError):
                    await player.client.read_resource(f"roundtable://{item.name}/transcript/{number}")

    play(test())


def test_the_prompts_name_the_call_to_begin_with(raw: Place) -> None:
    async def test() -> None:
        async with here(raw[0]) as (player, _):
            whole = await player.client.get_prompt("roundtable", {"item": "offline-forms"})
            talk_ = await player.client.get_prompt("elaborate", {"item": "offline-forms", "step": "00-01"})
            texts = [each.messages[0].content for each in (whole, talk_)]
            assert all(isinstance(text, TextContent) for text in texts)
            assert 'start with item="offline-forms"' in texts[0].text  # type: ignore[union-attr]
            assert 'step="00-01"' in texts[1].text  # type: ignore[union-attr]

    play(test())


# --- how it is reached ----------------------------------------------------------------------------------


def test_nothing_but_the_protocol_stands_on_stdout(place: Place, cli: CommandLine) -> None:
    called = {"name": "start", "arguments": {"item": "offline-forms"}}
    hello = {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"},
    }  # fmt: skip
    sent = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        "this is no JSON",
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": called},
    ]
    said = "".join((each if isinstance(each, str) else json.dumps(each)) + "\n" for each in sent).encode()
    (place[0] / "roundtable.toml").write_text("nonsense = 7\n")
    command = [sys.executable, "-m", "roundtable", "mcp", "--root", str(place[0])]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as server:
        assert server.stdin is not None and server.stdout is not None and server.stderr is not None
        server.stdin.write(said)
        server.stdin.flush()
        answers: dict[Any, Any] = {}
        while 2 not in answers:
            answer = json.loads(server.stdout.readline())
            assert answer["jsonrpc"] == "2.0"
            answers[answer.get("id")] = answer
        server.stdin.close()
        assert server.stdout.read() == b""
        assert b"nonsense is not a setting" in server.stderr.read()
    assert server.returncode == 0
    assert json.loads(answers[2]["result"]["content"][0]["text"])["move"]["kind"] == "menu"


def test_without_the_extra_the_command_that_installs_it_is_named(cli: CommandLine) -> None:
    program = (
        "import sys; sys.modules['mcp'] = None; sys.modules['mcp.server.mcpserver'] = None\n"
        "from roundtable.surfaces.cli.main import main; sys.exit(main(['mcp']))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=cli.root, check=False
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert 'pip install "path/to/roundtable[mcp]"' in ran.stderr


def test_no_other_command_loads_the_library(cli: CommandLine) -> None:
    cli.add()
    program = (
        "import sys\nfrom roundtable.surfaces.cli.main import main\n"
        "assert main(['list']) == main(['analyze', '--answers', sys.argv[1]]) == 0\n"
        "assert not [name for name in sys.modules if name.split('.')[0] in ('mcp', 'pydantic', 'starlette')]"
    )
    command = [sys.executable, "-c", program, os.devnull]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=cli.root, check=False)
    assert ran.returncode == 0, ran.stderr


def test_a_signal_ends_it_at_once(place: Place) -> None:
    command = [sys.executable, "-m", "roundtable", "mcp", "--root", str(place[0])]
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, **pipes) as server:
        assert server.stdin is not None and server.stdout is not None
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        server.stdin.write(json.dumps(ping).encode() + b"\n")
        server.stdin.flush()
        server.stdout.readline()
        server.terminate()
        assert server.wait(20) == 130
