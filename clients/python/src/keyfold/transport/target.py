"""Where the requests of a connection text go."""

from __future__ import annotations

import asyncio

from keyfold.transport import connection as connections
from keyfold.transport.connection import Connection
from keyfold.transport.limit import Limit
from keyfold.transport.process import end_by_signals
from keyfold.transport.shared import Use, awaited, waited


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
        found = None if self._use is None else waited(self._use.begin, limit)
        return found or self._read

    async def awaited(self) -> Connection:
        """That in a loop."""
        found = None if self._use is None else await awaited(self._use.begin)
        return found or self._read

    def doubt(self, connection: Connection) -> None:
        """Says that no answer came from there: the server may have ended."""
        if self._use is not None:
            self._use.doubt(connection)

    def refuse(self) -> None:
        """Ends what waits for a server. No other one is found."""
        if self._use is not None:
            self._use.refuse()

    def close(self) -> None:
        """Ends the use of a server, and waits for its end where it was the last one."""
        if self._use is not None:
            waited(self._use.end)

    async def closed(self) -> None:
        """That in a loop. The server ends, also where the program does not wait for it any more."""
        if self._use is None:
            return
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            # The loop was closed, and what was left in it is dropped: nobody waits.
            self._use.end(lambda _: None)
        else:
            await awaited(self._use.end)
