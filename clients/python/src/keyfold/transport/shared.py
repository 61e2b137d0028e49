"""Servers that the clients of a process share: a data folder has one server."""

from __future__ import annotations

import os
import threading

from keyfold.errors import Transport
from keyfold.transport.connection import Connection
from keyfold.transport.process import Server


class _Folder:
    """A data folder, with its server while there is one."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.users = 0
        """The clients that use it. It changes under the lock of all folders."""
        self.lock = threading.Lock()
        """Is held while its server starts or stops: who wants another one waits."""
        self.server: Server | None = None
        self.connection = Connection(folder=path)

    def start(self, user: Use) -> Connection:
        """The connection to its server, which is started where none runs."""
        with self.lock:
            if user.is_closed:
                raise closed()
            if self.server is not None and not self.server.is_there():
                self._stop()
            if self.server is None:
                server = Server(["--data", self.path])
                # Who sees the server sees its address.
                self.connection = Connection(endpoint=server.endpoint)
                self.server = server
            return self.connection

    def end(self) -> None:
        """Stops its server, unless somebody has begun to use it meanwhile. That of a parent goes
        on, and others of this process find it."""
        with self.lock:
            if self.users == 0 and self.server is not None and self.server.is_own:
                self._stop()

    def _stop(self) -> None:
        server, self.server = self.server, None
        if server is not None:
            server.stop()


_folders: dict[str, _Folder] = {}
_lock = threading.Lock()


class Use:
    """The use of a data folder by a client, from its creation until `close`."""

    def __init__(self, folder: str) -> None:
        path = os.path.realpath(folder)
        self.is_closed = False
        with _lock:
            self._folder = _folders.setdefault(path, _Folder(path))
            self._folder.users += 1

    def known(self) -> Connection | None:
        """The connection to the server that runs; none where one is to be started. It does not
        wait."""
        folder, server = self._folder, self._folder.server
        is_running = server is not None and not server.has_ended()
        return folder.connection if is_running and not self.is_closed else None

    def started(self) -> Connection:
        """The connection to the server, which is started where none runs. Raises `Transport`."""
        return self._folder.start(self)

    def close(self) -> None:
        """Ends the use. The server ends with the last one."""
        folder = self._folder
        with _lock:
            if self.is_closed:
                return
            self.is_closed = True
            folder.users -= 1
        folder.end()
        with _lock:
            is_left = folder.users == 0 and folder.server is None
            if is_left and _folders.get(folder.path) is folder:
                del _folders[folder.path]


def closed() -> Transport:
    """The answer to what is not sent any more."""
    return Transport("the client is closed: make another one")


def _in_child() -> None:
    """The threads that held the locks are not in a forked process. The servers are its parent's."""
    global _lock
    _lock = threading.Lock()
    for folder in _folders.values():
        folder.lock = threading.Lock()


if hasattr(os, "register_at_fork"):  # Windows has no fork.
    os.register_at_fork(after_in_child=_in_child)
