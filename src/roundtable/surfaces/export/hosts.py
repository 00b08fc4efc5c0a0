"""Hosts: the files by which a coding agent finds the MCP server, the commands and the agent file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ...core.personas import Roster
from ...core.steps import Step
from ...version import __version__
from .agentfile import agent_file, fill

Files = Mapping[str, str]
"""What is to be written, by path inside the folder."""

AGENT = "roundtable-analyst"
SHARED_FILES = (".codex/config.toml", ".cursor/mcp.json")
"""Files that configure other servers too: they are never replaced."""

_SUMMARY = "Think a backlog item through with three disciplined colleagues before anything is built."
_SERVERS: dict[str, object] = {"mcpServers": {"roundtable": {"command": "roundtable", "args": ["mcp"]}}}
_COMMANDS = {
    "analyze": ("Analyse a backlog item at the roundtable", "ITEM"),
    "elaborate": ("Discuss a completed step with all three personas", "ITEM STEP"),
}


@dataclass(frozen=True, slots=True)
class Host:
    """A coding agent: its files, what the user does next, and whether it reads the project's own folder."""

    make_files: Callable[[Roster, tuple[Step, ...]], Files]
    next_step: str
    reads_project: bool = False


def claude_code(roster: Roster, steps: tuple[Step, ...]) -> Files:
    """Return a plugin folder for Claude Code."""
    manifest = {
        "name": "roundtable",
        "version": __version__,
        "description": _SUMMARY,
        "author": {"name": "Roundtable"},
    }
    head = {"name": AGENT, "description": f"{_SUMMARY} For use without the MCP server."}
    return {
        ".claude-plugin/plugin.json": _json(manifest),
        ".mcp.json": _json(_SERVERS),
        **{
            f"skills/{name}/SKILL.md": _with_front_matter(
                {"description": about, "argument-hint": hint}, _fill_command(name, "$ARGUMENTS")
            )
            for name, (about, hint) in _COMMANDS.items()
        },
        f"agents/{AGENT}.md": _with_front_matter(head, agent_file(roster, steps)),
    }


def codex(roster: Roster, steps: tuple[Step, ...]) -> Files:
    """Return a project's files for Codex: the server, a skill per command, and the agent file."""
    return {
        ".codex/config.toml": '[mcp_servers.roundtable]\ncommand = "roundtable"\nargs = ["mcp"]\n',
        **{
            f".agents/skills/roundtable-{name}/SKILL.md": _with_front_matter(
                {"name": f"roundtable-{name}", "description": f"{about} ({hint})."}, _fill_command(name)
            )
            for name, (about, hint) in _COMMANDS.items()
        },
        f"{AGENT}.md": agent_file(roster, steps),
    }


def gemini(roster: Roster, steps: tuple[Step, ...]) -> Files:
    """Return an extension folder for Gemini CLI."""
    manifest = {
        "name": "roundtable",
        "version": __version__,
        **_SERVERS,
        "contextFileName": "GEMINI.md",
    }
    return {
        "gemini-extension.json": _json(manifest),
        "GEMINI.md": fill("guide.md", {}),
        **{
            # JSON's strings are TOML's too.
            f"commands/roundtable/{name}.toml": f"description = {json.dumps(about)}\n"
            f"prompt = {json.dumps(_fill_command(name, '{{args}}'))}\n"
            for name, (about, _) in _COMMANDS.items()
        },
        f"{AGENT}.md": agent_file(roster, steps),
    }


def cursor(roster: Roster, steps: tuple[Step, ...]) -> Files:
    """Return a project's files for Cursor."""
    rule = {"description": "When an item is to be analysed or elaborated", "alwaysApply": False}
    return {
        ".cursor/mcp.json": _json(_SERVERS),
        ".cursor/rules/roundtable.mdc": _with_front_matter(rule, fill("guide.md", {})),
        **{f".cursor/commands/roundtable-{name}.md": _fill_command(name) for name in _COMMANDS},
        f"{AGENT}.md": agent_file(roster, steps),
    }


HOSTS: Mapping[str, Host] = {
    "claude-code": Host(claude_code, "Start Claude Code with: claude --plugin-dir {folder}"),
    "codex": Host(
        codex,
        "Codex reads it when it is started in {folder} and the project is trusted.",
        reads_project=True,
    ),
    "gemini": Host(gemini, "Link it with: gemini extensions link {folder}"),
    "cursor": Host(
        cursor,
        "Cursor reads it when {folder} is opened; allow the server under Settings, MCP.",
        reads_project=True,
    ),
}


def _fill_command(name: str, arguments: str = "as the person named them") -> str:
    return fill(f"{name}.md", {"arguments": arguments})


def _json(value: object) -> str:
    return json.dumps(value, indent=2) + "\n"


def _with_front_matter(head: Mapping[str, object], body: str) -> str:
    """Return markdown with front matter; JSON's strings are YAML's too."""
    fields = "\n".join(f"{name}: {json.dumps(value)}" for name, value in head.items())
    return f"---\n{fields}\n---\n\n{body}"
