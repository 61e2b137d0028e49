"""Servers that the clients of a process share: a data folder has one server.

Forked processes have the folders of their parent. The one that starts a server writes its address
where the others find it; its server ends with its own last client.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager

from keyfold.errors import Transport
from keyfold.transport.board import Board
from keyfold.transport.connection import Connection
from keyfold.transport.limit import Limit, Over
from keyfold.transport.process import Server, listens

_IN_USE_SECONDS = 5.0
"""How long a folder may be in use by another process of a family: its server starts or stops."""
_AGAIN_SECONDS = 0.1


class _InUse(Exception):
    """The server did not start, since another process has the folder open."""


class _Folder:
    """A data folder, with its server while there is one."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.users: set[Use] = set()
        """The clients of this process that use it. It changes under the lock of all folders."""
        self.lock = threading.RLock()
        """Is held while its server starts or stops: who wants another one waits. The handler of a
        signal may close a client meanwhile, in the thread that holds it."""
        self.server: Server | None = None
        """The server that this process has started."""
        self.connection: Connection | None = None
        """The connection to that server, or to that of another process of the family."""
        self.is_forked = False
        """Whether other processes of the family have the folder."""
        self._inherited: Server | None = None
        self._board = Board()

    def start(self, user: Use, limit: Limit | None) -> Connection:
        """The connection to its server, which is started where none runs."""
        with self._held(limit):
            end = time.monotonic() + _IN_USE_SECONDS
            while True:
                try:
                    return self._started(user, limit)
                except _InUse as error:
                    if not self.is_forked or time.monotonic() > end:
                        raise self._in_use(error) from None
                time.sleep(_AGAIN_SECONDS if limit is None else limit.within(_AGAIN_SECONDS))
                if limit is not None and limit.over() is not None:
                    raise Over

    @contextmanager
    def _held(self, limit: Limit | None) -> Generator[None, None, None]:
        left = None if limit is None else limit.left()
        if not self.lock.acquire(timeout=-1 if left is None else left):
            raise Over
        try:
            yield
        finally:
            self.lock.release()

    def _started(self, user: Use, limit: Limit | None) -> Connection:
        if user.is_closed:
            raise closed()
        if self.server is not None and self.server.has_ended():
            self._stop()
        server = self.server
        if server is None:
            address = self._board.read()
            if address and listens(address):
                self.connection = Connection(endpoint=address)
                return self.connection
            self.connection = None
            server = Server(["--data", self.path], is_awaited=False)
            self.server = server
        try:
            is_ready = server.ready(None if limit is None else limit.left())
        except BaseException as error:
            self._stop()
            if user.is_closed and isinstance(error, Exception):
                raise closed() from None
            if server.lacks_folder:
                raise _InUse(server.program) from None
            raise
        # The handler of a signal may have closed the client.
        if user.is_closed or self.server is not server:
            self.end()
            raise closed()
        if not is_ready:
            # It goes on to start, for the next call.
            raise Over
        # Who sees the connection sees a server that listens.
        self._board.write(server.endpoint)
        self.connection = Connection(endpoint=server.endpoint)
        return self.connection

    def _in_use(self, error: _InUse) -> Transport:
        why = f"{error} did not start: the data folder {self.path} is in use, by another"
        helps = f"end it, or let both use one server: start `keyfold serve --data {self.path}`"
        return Transport(f"{why} program or another copy of this one; {helps}, and open its URL")

    def forget(self, connection: Connection) -> None:
        """Forgets a connection that was refused, where another process has started the server."""
        with self.lock:
            if self.server is None and self.connection == connection:
                self.connection = None

    def end(self) -> None:
        """Stops its server, unless somebody has begun to use it meanwhile. That of another process
        goes on, and others of this one find it."""
        with self.lock:
            if not self.users:
                self._stop()

    def _stop(self) -> None:
        server, self.server = self.server, None
        if server is not None:
            self.connection = None
            if self._board.read() == server.endpoint:
                self._board.write("")
            server.stop()

    def in_child(self) -> None:
        """The threads that held the lock are not in a forked process, and the server and its users
        are its parent's: clients use the folder here from their next request on."""
        self.lock = threading.RLock()
        self.users = set()
        # What holds its pipes open stays: they close with this process, at the latest.
        self._inherited, self.server = self.server or self._inherited, None


_folders: dict[str, _Folder] = {}
_lock = threading.RLock()


class Use:
    """The use of a data folder by a client, from its creation until `close`."""

    def __init__(self, folder: str) -> None:
        path = os.path.realpath(folder)
        self.is_closed = False
        with _lock:
            self._folder = _folders.setdefault(path, _Folder(path))
            self._folder.users.add(self)

    def known(self) -> Connection | None:
        """The connection to the server that runs; none where one is to be started. It does not
        wait."""
        folder, server = self._folder, self._folder.server
        self._begin()
        has_ended = server is not None and server.has_ended()
        return None if has_ended or self.is_closed else folder.connection

    def started(self, limit: Limit | None = None) -> Connection:
        """The connection to the server, which is started where none runs. Raises `Transport`, and
        `Over` where that takes longer than the call may."""
        self._begin()
        return self._folder.start(self, limit)

    def _begin(self) -> None:
        """Uses the folder in this process, which may have been forked after the use began."""
        if self not in self._folder.users:
            with _lock:
                if not self.is_closed:
                    self._folder.users.add(self)

    def forget(self, connection: Connection) -> None:
        """Forgets a connection that was refused: the next request asks for another one."""
        self._folder.forget(connection)

    def close(self) -> None:
        """Ends the use. The server ends with the last one."""
        folder = self._folder
        with _lock:
            if self.is_closed:
                return
            self.is_closed = True
            folder.users.discard(self)
        folder.end()
        with _lock:
            # The others of a family find the folder's server through it.
            is_left = not folder.users and folder.server is None and not folder.is_forked
            if is_left and _folders.get(folder.path) is folder:
                del _folders[folder.path]


def closed() -> Transport:
    """The answer to what is not sent any more."""
    return Transport("the client is closed: make another one")


def _before_fork() -> None:
    for folder in list(_folders.values()):
        folder.is_forked = True


def _in_child() -> None:
    """The threads that held the locks are not in a forked process. The servers are its parent's."""
    global _lock
    _lock = threading.RLock()
    for folder in _folders.values():
        folder.in_child()


if hasattr(os, "register_at_fork"):  # Windows has no fork.
    os.register_at_fork(before=_before_fork, after_in_child=_in_child)
