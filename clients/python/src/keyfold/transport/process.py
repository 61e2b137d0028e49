"""A Keyfold server in a process of its own."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType, TracebackType
from typing import IO, cast
from urllib.parse import urlsplit

from keyfold.errors import Transport

_START_SECONDS = 60
"""The longest time from a server's start until it listens."""
_STOP_SECONDS = 20
_LAST_WORDS_SECONDS = 2
"""The time in which a server that does not start ends by itself, and has said why."""
_IN_USE = "the data folder is in use"
"""What a server says whose folder another one has open."""
_running: set[Server] = set()
"""The servers that have not been stopped."""


def binary() -> str:
    """The `keyfold` binary: that of KEYFOLD_BIN, or of the PATH."""
    found = os.environ.get("KEYFOLD_BIN") or shutil.which("keyfold")
    if found is None:
        raise Transport("there is no `keyfold` in the PATH; install it, or set KEYFOLD_BIN")
    return found


class Server:
    """A server on a free port, from its creation until `stop`, or the end of this process.

    One that is `is_awaited=False` has begun to start: `ready` waits until it listens.
    """

    def __init__(self, arguments: Sequence[str], *, is_awaited: bool = True) -> None:
        # Its standard input ends with this process, even when nothing of it can run any more.
        own = ("--until-stdin-closes", "--no-project")
        command = [binary(), "serve", "--json", "--port", "0", *own, *arguments]
        self.endpoint = ""
        """Its address, as soon as it listens."""
        self.is_own = True
        """Whether it is this process's, and not that of a parent which it was forked from."""
        self.lacks_folder = False
        """Whether it did not start because its data folder is in use."""
        self.program = command[0]
        self._first: _FirstLine | None = None
        self._end = time.monotonic() + _START_SECONDS
        # What it says goes to no terminal of the program, and explains a failed start.
        self._said = tempfile.TemporaryFile()
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said
            )
        except OSError as error:
            self._said.close()
            raise Transport(f"{command[0]} does not start: {error}") from None
        try:
            _running.add(self)
            self._first = _FirstLine(cast("IO[bytes]", self._process.stdout))
            if is_awaited:
                self.ready()
        except BaseException:
            # Whatever ends the start, such as the exception of a signal's handler, the server goes.
            self.stop()
            raise

    def ready(self, seconds: float | None = None) -> bool:
        """Waits until the server listens, for so many seconds at most: whether it does. Raises
        `Transport` where it does not start."""
        if self.endpoint:
            return True
        left = max(0.0, self._end - time.monotonic())
        waits = left if seconds is None else min(left, seconds)
        line = None if self._first is None else self._first.wait(waits)
        if line is None and waits < left:
            return False
        try:
            self.endpoint = _endpoint(line or "")
        except ValueError:
            why = self._why(line)
            self.lacks_folder = _IN_USE in why
            raise Transport(f"{self.program} did not start: {why}") from None
        return True

    def _why(self, line: str | None) -> str:
        """Why the server did not start, which has said this."""
        if line is None:
            return f"it has said nothing for {_START_SECONDS} seconds"
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_LAST_WORDS_SECONDS)
        self._said.seek(0)
        said = self._said.read().decode("utf-8", "replace").strip()
        return _message(line) or said or "it ended and said nothing"

    def has_ended(self) -> bool:
        """Whether the server is known to have ended. Of that of a parent it is not known."""
        return self.is_own and self._process.poll() is not None

    def leave(self) -> None:
        """Leaves the server to the parent: this is a forked process."""
        self.is_own = False

    def stop(self) -> None:
        """Stops the server, and waits until it has ended."""
        _running.discard(self)
        process = self._process
        if self.is_own and process.poll() is None:
            process.terminate()
            try:
                process.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if process.stdin is not None:
            process.stdin.close()
        if self.is_own and self._first is not None:
            self._first.close()
        self._said.close()

    def terminate(self) -> None:
        """Stops the server without waiting for its end."""
        self._process.terminate()

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


def listens(endpoint: str) -> bool:
    """Whether something listens at an address."""
    parts = urlsplit(endpoint)
    try:
        socket.create_connection((parts.hostname or "", parts.port or 0), 5).close()
    except OSError:
        return False
    return True


@atexit.register
def _stop_all() -> None:
    """Stops the servers of clients that the program has not closed."""
    for server in list(_running):
        server.stop()


def end_by_signals() -> None:
    """Lets the signals that end the program end its servers too, where the program handles none.

    Python has handlers only in its main thread.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _ended)


def _ended(number: int, _frame: FrameType | None) -> None:
    for server in list(_running):
        server.terminate()
    # The program ends as it would have without a handler.
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


class _FirstLine:
    """The first line of a server, which a thread waits for: the server may never say one."""

    def __init__(self, said: IO[bytes]) -> None:
        self._said = said
        self._line = b""
        self._is_read = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        try:
            self._line = self._said.readline()
        finally:
            self._is_read.set()

    def wait(self, seconds: float) -> str | None:
        """The line, or what was said of it before the end; none where that takes longer."""
        return self._line.decode("utf-8", "replace") if self._is_read.wait(seconds) else None

    def close(self) -> None:
        """Ends the reading. The server has ended, but what it has started may hold the pipe."""
        if self._is_read.wait(_LAST_WORDS_SECONDS):
            self._said.close()


def _endpoint(line: str) -> str:
    """The address in the first line of a server. Raises `ValueError` for another line."""
    endpoint = _members(_members(json.loads(line)).get("result")).get("endpoint")
    if not isinstance(endpoint, str):
        raise ValueError("no address")
    return endpoint


def _message(line: str) -> str:
    """Why the server did not start: of its report the place in a file, the message and what helps;
    the line as it is, where that is none."""
    try:
        error = _members(_members(json.loads(line)).get("error"))
    except ValueError:
        error = {}
    message = error.get("message")
    if not isinstance(message, str):
        return line.strip()
    where = _members(error.get("where"))
    place = [str(where[name]) for name in ("file", "line", "column") if name in where]
    is_placed = "file" not in where or message.startswith(f"{where['file']}:")
    said = message if is_placed else f"{':'.join(place)}: {message}"
    listed = error.get("diagnostics")
    first = cast("list[object]", listed)[0] if isinstance(listed, list) and listed else None
    helps = _members(first).get("help")
    more = cast("list[object]", helps) if isinstance(helps, list) else []
    return "; ".join([said, *map(str, more)])


def _members(held: object) -> dict[str, object]:
    """The members of an object of JSON; none of anything else."""
    return cast("dict[str, object]", held) if isinstance(held, dict) else {}


def _in_child() -> None:
    """The servers are the parent's: a forked process ends none."""
    for server in _running:
        server.leave()
    _running.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
