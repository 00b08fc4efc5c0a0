"""The command line, watched: `python watched.py LOG ARGUMENTS...`.

Each connection, each name that is looked up and each program that is started becomes a line of the log, from
Python's own audit of this process.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

_WATCHED = (
    "socket.connect",
    "socket.getaddrinfo",
    "socket.sendto",
    "subprocess.Popen",
    "os.exec",
    "os.system",
)


def watch(log: str) -> None:
    """Write down what leaves this process from now on."""
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def note(event: str, what: tuple[Any, ...]) -> None:
        if event in _WATCHED:
            where = what[1] if event in ("socket.connect", "subprocess.Popen") else what[:2]
            os.write(handle, (json.dumps([event, where], default=str) + "\n").encode())

    sys.addaudithook(note)


if __name__ == "__main__":
    watch(sys.argv[1])
    from roundtable.surfaces.cli.main import main

    sys.exit(main(sys.argv[2:]))
