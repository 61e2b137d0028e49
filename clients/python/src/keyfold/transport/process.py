"""A Keyfold server in a process of its own."""

from __future__ import annotations

import atexit
import http.client
import json
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from types import FrameType, TracebackType
from typing import IO, cast
from urllib.parse import urlsplit

from keyfold.errors import Transport

STEP_SECONDS = 0.005
"""The time between two looks at a server that starts or stops."""
START_SECONDS = 60
"""The longest time from a server's start until it listens."""
STOP_SECONDS = 20
_LAST_WORDS_SECONDS = 2
"""The time in which a server that does not start ends by itself, and has said why."""
_PROOF_SECONDS = 1
_IN_USE = "the data folder is in use"
"""What a server says whose folder another one has open."""
_running: set[Server] = set()
"""The servers that have not been stopped."""
_spawning = threading.RLock()
"""Is held while a server's process is made, and during a fork: a forked process knows all inputs of
servers that it has."""


def binary() -> str:
    """The `keyfold` binary: that of KEYFOLD_BIN, or of the PATH."""
    found = os.environ.get("KEYFOLD_BIN") or shutil.which("keyfold")
    if found is None:
        raise Transport("there is no `keyfold` in the PATH; install it, or set KEYFOLD_BIN")
    return found


class Server:
    """A server on a free port, from its creation until `stop`, or the end of this process.

    One that is `is_awaited=False` has begun to start: `is_ready` says whether it listens.
    """

    def __init__(self, arguments: Sequence[str], *, is_awaited: bool = True) -> None:
        self.name = f"{secrets.token_hex(8)}.invalid"
        """The name of a host that this server has, and no other one."""
        # Its standard input ends with this process, even when nothing of it can run any more.
        own = ("--until-stdin-closes", "--no-project", "--allow-host", self.name)
        command = [binary(), "serve", "--json", "--port", "0", *own, *arguments]
        self.endpoint = ""
        """Its address, as soon as it listens."""
        self.is_own = True
        """Whether it is this process's, and not that of a parent which it was forked from."""
        self.lacks_folder = False
        """Whether it did not start because its data folder is in use."""
        self.program = command[0]
        self._end = time.monotonic() + START_SECONDS
        """The time until which it may start, and from its stop on that until which it may end."""
        self._is_wrong = False
        """Whether its first line is none of a server that listens."""
        try:
            with _spawning:
                # What it says goes to no terminal of the program, and explains a failed start.
                self._line, self._said = (tempfile.TemporaryFile("a+b") for _ in range(2))
                self._process = subprocess.Popen(
                    command, bufsize=0, stdin=subprocess.PIPE, stdout=self._line, stderr=self._said
                )
                _running.add(self)
        except OSError as error:
            raise Transport(f"{command[0]} does not start: {error}") from None
        try:
            while is_awaited and not self.is_ready():
                time.sleep(STEP_SECONDS)
        except BaseException:
            # Whatever ends the start, such as the exception of a signal's handler, the server goes.
            self.stop()
            raise

    def is_ready(self) -> bool:
        """Whether the server listens by now. Raises `Transport` where it does not start."""
        if self.endpoint:
            return True
        has_ended = self.has_ended()
        line, end, _ = _text(self._line).partition("\n")
        if (end or has_ended) and not self._is_wrong:
            try:
                self.endpoint = _endpoint(line)
                return True
            except ValueError:
                self._is_wrong = True
                self._end = min(self._end, time.monotonic() + _LAST_WORDS_SECONDS)
        if not has_ended and time.monotonic() < self._end:
            return False
        why = _message(line) or _text(self._said).strip() or "it ended and said nothing"
        if not self._is_wrong:
            why = f"it has said nothing for {START_SECONDS} seconds"
        self.lacks_folder = _IN_USE in why
        raise Transport(f"{self.program} did not start: {why}")

    def has_ended(self) -> bool:
        """Whether the server is known to have ended. Of that of a parent it is not known."""
        return self.is_own and self._process.poll() is not None

    def leave(self) -> None:
        """Leaves the server to the parent: this is a forked process, and does not keep it alive."""
        self.is_own = False
        if self._process.stdin is not None:
            self._process.stdin.close()
        # It is no child of this process, whose end would be awaited.
        self._process.returncode = 0

    def stop(self) -> None:
        """Stops the server, and waits until it has ended."""
        self.terminate()
        while not self.is_stopped():
            time.sleep(STEP_SECONDS)

    def terminate(self) -> None:
        """Begins to stop the server."""
        self._end = time.monotonic() + STOP_SECONDS
        if self.is_own and not self.has_ended():
            self._process.terminate()

    def is_stopped(self) -> bool:
        """Whether a server that is to stop has ended. It is killed where that takes long."""
        if self.is_own and not self.has_ended():
            if time.monotonic() > self._end:
                self._process.kill()
            return False
        _running.discard(self)
        for held in (self._process.stdin, self._line, self._said):
            if held is not None:
                held.close()
        return True

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


def has_name(endpoint: str, name: str) -> bool:
    """Whether the server at an address has this name alone, and not any."""
    if _health(endpoint, name)[0] != 200:
        return False
    other = f"not-{name}"
    # A server with credentials has any: it takes the requests of those that know them.
    has_credentials = bool(os.environ.get("KEYFOLD_CREDENTIALS"))
    return has_credentials or _health(endpoint, other) == (403, misdirected(other))


def misdirected(name: str) -> bytes:
    """The begin of what a server answers to a request for a name that it has not."""
    return f"`{name}` is not a name of this server".encode()


def _health(endpoint: str, name: str) -> tuple[int, bytes]:
    """The answer of a server that is asked for by a name; 0 without one."""
    asked = http.client.HTTPConnection(urlsplit(endpoint).netloc, timeout=_PROOF_SECONDS)
    try:
        asked.request("GET", "/health", headers={"Host": name})
        answer = asked.getresponse()
        return answer.status, answer.read(len(misdirected(name)))
    except (OSError, http.client.HTTPException):
        return 0, b""
    finally:
        asked.close()


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


def _text(said: IO[bytes]) -> str:
    """What a server has written into a file by now."""
    said.seek(0)
    return said.read().decode("utf-8", "replace")


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
    global _spawning
    _spawning = threading.RLock()
    for server in _running:
        server.leave()
    _running.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=lambda: _spawning.acquire(),
        after_in_parent=lambda: _spawning.release(),
        after_in_child=_in_child,
    )
