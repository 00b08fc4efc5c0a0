"""Resources: an item's documents, transcripts and progress, for a host to read."""

from __future__ import annotations

from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError

from ...core.errors import RoundtableError
from ...store.artifact import read_artifact
from ...store.transcript import find_transcript, read_transcript, transcripts
from . import reports
from .briefs import cut
from .tables import Tables

LONGEST = 200_000
_CUT = "\n\n(cut: the file is longer)"


def register(server: MCPServer[Any], tables: Tables) -> None:
    """Add the resource templates to the server."""

    @server.resource("roundtable://{item}/artifact/{name}", title="A document of an item")
    def artifact(item: str, name: str) -> str:
        """A document that the analysis wrote, such as requirements-spec.md."""
        try:
            return _text(read_artifact(tables.folder(item), name))
        except FileNotFoundError as missing:
            raise ResourceNotFoundError(f"There is no document {name[:60]!r} yet.") from missing
        except RoundtableError as error:
            raise ResourceError(str(error)) from error

    @server.resource("roundtable://{item}/transcript/{n}", title="A transcript of an item")
    def transcript(item: str, n: str) -> str:
        """The transcript of a discussion, by its number in the list that `roundtable show` gives."""
        try:
            folder = tables.folder(item)
            path = find_transcript(folder, n)
            if path is None:
                count = len(transcripts(folder))
                raise ResourceNotFoundError(f"There are {count} transcripts, numbered from 1.")
            return _text(read_transcript(folder, path))
        except RoundtableError as error:
            raise ResourceError(str(error)) from error

    @server.resource("roundtable://{item}/status", title="An item's progress", mime_type="application/json")
    def status(item: str) -> str:
        """Completed steps and phases, the next step, an open discussion, problems."""
        try:
            return reports.item(tables.settings, item)
        except RoundtableError as error:
            raise ResourceError(str(error)) from error


def _text(data: bytes) -> str:
    return cut(data.decode("utf-8-sig", "replace"), LONGEST, _CUT)
