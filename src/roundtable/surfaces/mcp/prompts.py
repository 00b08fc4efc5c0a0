"""Prompts: what a host shows as commands."""

from __future__ import annotations

from typing import Any

from mcp.server.mcpserver import MCPServer

from . import guide


def register(server: MCPServer[Any]) -> None:
    """Add the prompts to the server."""

    @server.prompt(title="Analyse a backlog item")
    def roundtable(item: str) -> str:
        """Take an item through its analysis, or go on where it stood."""
        return guide.text("prompt", "roundtable", item=item)

    @server.prompt(title="Hold a roundtable")
    def elaborate(item: str, step: str) -> str:
        """Discuss a completed step, such as 01-03, with all personas."""
        return guide.text("prompt", "elaborate", item=item, step=step)
