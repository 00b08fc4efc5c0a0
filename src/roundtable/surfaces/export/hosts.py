"""Hosts: the files by which a coding agent finds the MCP server, the commands and the agent file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from ...core.personas import Roster
from ...core.steps import Step
from ...version import __version__
from .agentfile import agent_file, fill

Files = Mapping[str, str]
"""What is to be written, by path inside the folder."""

AGENT = "roundtable-analyst"
_SUMMARY = "Think a backlog item through with three disciplined colleagues before anything is built."
_SERVER: dict[str, object] = {"command": "roundtable", "args": ["mcp"]}
_COMMANDS = {
    "analyze": ("Analyse a backlog item at the roundtable", "ITEM"),
    "elaborate": ("Discuss a completed step with all three personas", "ITEM STEP"),
}


def claude_code(roster: Roster, steps: tuple[Step, ...]) -> Files:
    """A plugin folder for Claude Code."""
    manifest = {
        "name": "roundtable",
        "version": __version__,
        "description": _SUMMARY,
        "author": {"name": "Roundtable"},
    }
    head = {"name": AGENT, "description": f"{_SUMMARY} For use without the MCP server."}
    return {
        ".claude-plugin/plugin.json": _json(manifest),
        ".mcp.json": _json({"mcpServers": {"roundtable": _SERVER}}),
        **{
            f"skills/{name}/SKILL.md": _fronted(
                {"description": about, "argument-hint": hint},
                fill(f"{name}.md", {"arguments": "$ARGUMENTS"}),
            )
            for name, (about, hint) in _COMMANDS.items()
        },
        f"agents/{AGENT}.md": _fronted(head, agent_file(roster, steps)),
    }


def codex(roster: Roster, steps: tuple[Step, ...]) -> Files:
    """A project's files for Codex: the server, a skill per command, and the agent file."""
    return {
        ".codex/config.toml": '[mcp_servers.roundtable]\ncommand = "roundtable"\nargs = ["mcp"]\n',
        **{
            f".agents/skills/roundtable-{name}/SKILL.md": _fronted(
                {"name": f"roundtable-{name}", "description": f"{about} ({hint})."},
                fill(f"{name}.md", {"arguments": "as the person named them"}),
            )
            for name, (about, hint) in _COMMANDS.items()
        },
        f"{AGENT}.md": agent_file(roster, steps),
    }


def gemini(roster: Roster, steps: tuple[Step, ...]) -> Files:
    """An extension folder for Gemini CLI."""
    manifest = {
        "name": "roundtable",
        "version": __version__,
        "mcpServers": {"roundtable": _SERVER},
        "contextFileName": "GEMINI.md",
    }
    return {
        "gemini-extension.json": _json(manifest),
        "GEMINI.md": fill("guide.md", {}),
        **{
            f"commands/roundtable/{name}.toml": _command_toml(
                about, fill(f"{name}.md", {"arguments": "{{args}}"})
            )
            for name, (about, _) in _COMMANDS.items()
        },
        f"{AGENT}.md": agent_file(roster, steps),
    }


def cursor(roster: Roster, steps: tuple[Step, ...]) -> Files:
    """A project's files for Cursor."""
    rule = {"description": "When an item is to be analysed or elaborated", "alwaysApply": False}
    return {
        ".cursor/mcp.json": _json({"mcpServers": {"roundtable": _SERVER}}),
        ".cursor/rules/roundtable.mdc": _fronted(rule, fill("guide.md", {})),
        **{
            f".cursor/commands/roundtable-{name}.md": fill(
                f"{name}.md", {"arguments": "as the person named them"}
            )
            for name in _COMMANDS
        },
        f"{AGENT}.md": agent_file(roster, steps),
    }


HOSTS: Mapping[str, Callable[[Roster, tuple[Step, ...]], Files]] = {
    "claude-code": claude_code,
    "codex": codex,
    "gemini": gemini,
    "cursor": cursor,
}


def _json(value: object) -> str:
    return json.dumps(value, indent=2) + "\n"


def _fronted(head: Mapping[str, object], body: str) -> str:
    """Markdown with front matter; JSON's strings are YAML's too."""
    fields = "\n".join(f"{name}: {json.dumps(value)}" for name, value in head.items())
    return f"---\n{fields}\n---\n\n{body}"


def _command_toml(about: str, prompt: str) -> str:
    """A command of Gemini CLI; JSON's strings are TOML's too."""
    return f"description = {json.dumps(about)}\nprompt = {json.dumps(prompt)}\n"
