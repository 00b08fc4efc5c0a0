"""Start-up: from command to answer, against a Python that does nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from roundtable.store.items import add_item

from .stopwatch import median


def measure() -> Iterator[str]:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}

    def run(*arguments: str, until: bytes = b"") -> None:
        command = [sys.executable, *arguments]
        with subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            if until:
                next(line for line in process.stdout if until in line)
            process.stdout.read()

    nothing = median(lambda: run("-c", "pass"))
    yield f"python -c pass            {nothing:6.0f} ms   1.0"
    with tempfile.TemporaryDirectory() as folder:
        add_item(Path(folder), "Renew loans by text message", commit=None)
        for name, arguments in (
            ("roundtable --version", ("--version",)),
            ("roundtable status", ("status", "--root", folder)),
            ("roundtable analyze, to pause", ("analyze", "--json", "--root", folder)),
        ):
            taken = median(lambda arguments=arguments: run("-m", "roundtable", *arguments))  # type: ignore[misc]
            yield f"{name:<30}{taken:6.0f} ms   {taken / nothing:.1f}"
