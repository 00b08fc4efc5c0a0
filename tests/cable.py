"""A cable between people and a server, which can be cut and mended."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

_CHUNK = 64 * 1024


class Cable:
    """Passes everything on to a server; cut, it breaks what is open and takes nothing new.

    What is new while it is held waits, and is passed on with the last one first.
    """

    def __init__(self, server: str) -> None:
        place = urlsplit(server)
        self._server = (str(place.hostname), int(place.port or 80))
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._port = self._listener.getsockname()[1]
        self._open: set[socket.socket] = set()
        self._is_cut = False
        self._held: list[socket.socket] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.close()
        self.cut()

    def cut(self) -> None:
        self._is_cut = True
        for end in tuple(self._open):
            _close(end)

    def mend(self) -> None:
        self._is_cut = False

    def hold(self) -> None:
        self._held = []

    def release(self) -> None:
        held, self._held = self._held or [], None
        for near in reversed(held):
            self._connect(near)

    def _accept(self) -> None:
        with suppress(OSError):  # the listener is closed at the end
            while True:
                near, _ = self._listener.accept()
                if self._is_cut:
                    _close(near)
                    continue
                if self._held is not None:
                    self._held.append(near)
                else:
                    self._connect(near)

    def _connect(self, near: socket.socket) -> None:
        far = socket.create_connection(self._server)
        self._open |= {near, far}
        for source, target in ((near, far), (far, near)):
            threading.Thread(target=self._pass_on, args=(source, target), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(_CHUNK):
                target.sendall(data)
        for end in (source, target):
            self._open.discard(end)
            _close(end)


def _close(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()
