"""Where the requests of a connection text go."""

from __future__ import annotations

from keyfold.transport import connection as connections
from keyfold.transport.connection import Connection
from keyfold.transport.limit import Limit
from keyfold.transport.process import end_by_signals
from keyfold.transport.shared import Use


class Target:
    """The endpoint that a connection text names, or that of the server of its data folder: another
    one after each start."""

    def __init__(self, text: str) -> None:
        self._read = connections.read(text)
        self._use: Use | None = None
        if self._read.folder is not None:
            end_by_signals()
            self._use = Use(self._read.folder)

    def known(self) -> Connection | None:
        """The connection now; none where a server is to be started first. It does not wait."""
        return self._read if self._use is None else self._use.known()

    def found(self, limit: Limit | None = None) -> Connection:
        """The connection, for which a server may be started. Raises `Transport`, and `Over` where
        that takes longer than the call may."""
        return self._read if self._use is None else self._use.started(limit)

    def refused(self, connection: Connection) -> None:
        """Says that nothing listened there: the server of another process may have ended."""
        if self._use is not None:
            self._use.forget(connection)

    def close(self) -> None:
        """Ends the use of a server, and waits for its end where it was the last one."""
        if self._use is not None:
            self._use.close()
