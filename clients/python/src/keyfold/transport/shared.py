"""The servers of data folders. All clients of a process share that of a folder.

The rules:

- One thread, the keeper, starts and stops the servers, and alone changes what is known of a folder.
  It goes on step by step, and waits for no folder while another one has work.
- Clients ask it by a queue that the handler of a signal may use, too, and wait for its answer as
  long as their call may. They hold no lock while they wait, and it needs none of theirs.
- A start is nobody's own. A caller that is interrupted, or whose time is over, leaves it to the
  next one; all that wait for it get the same answer; it is given up with the folder's last client.
- A forked process has a keeper and clients of its own, and holds no server of its parent. The
  keeper that has started a server writes its address and its name on a board that the family
  shares, as soon as it listens. An address that is read there may be old: a server is used after
  it has proved its name, and each request asks for that name. While a start or stop takes long, it
  writes that there, too: relatives wait for it as long as it goes on.
"""

from __future__ import annotations

import _thread
import asyncio
import os
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TypeAlias

from keyfold.errors import Transport
from keyfold.transport.board import Board
from keyfold.transport.connection import Connection
from keyfold.transport.limit import Limit, Over
from keyfold.transport.process import (
    START_SECONDS,
    STEP_SECONDS,
    STOP_SECONDS,
    Server,
    has_name,
)

_IN_USE_SECONDS = 5.0
"""How long a folder may be in use by another process of a family: its server starts or stops, and
nothing is known of it."""
_LONG_SECONDS = 1.0
"""The time from which on a start or stop is a long one. A server whose folder is in use says so
before."""
_FAMILY_SECONDS = START_SECONDS + STOP_SECONDS
"""How long a folder may be in use by another process whose long start or stop goes on."""
_AGAIN_SECONDS = 0.1

_ENDS = "the program ends"

_Answer: TypeAlias = Connection | Transport | None
"""The connection to a server, or why there is none; none where a use has ended."""
_Reply: TypeAlias = Callable[[_Answer], object]


class _Folder:
    """A data folder, with its server while there is one. The keeper alone calls its methods."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._board = Board()
        self._works = Board()
        """The process whose long start or stop goes on, and when it was seen to."""
        self.in_child()
        self.is_forked = False
        """Whether other processes of the family have the folder."""

    def in_child(self) -> None:
        """Begins anew in a forked process: the server and the users are its parent's. Clients use
        the folder here from their next request on."""
        self.users: set[Use] = set()
        self.server: Server | None = None
        """The server that this process has started."""
        self.connection: Connection | None = None
        """The connection to that server, or to that of another process of the family."""
        self._waiting: list[tuple[Use, _Reply]] = []
        self._closing: list[_Reply] = []
        self._life = self._lived()
        self.is_forked = True

    def begin(self, user: Use, reply: _Reply) -> None:
        """Asks for the connection."""
        self.users.add(user)
        self._waiting.append((user, reply))

    def refuse(self, user: Use) -> None:
        """Ends what a user waits for."""
        for asked in [one for one in self._waiting if one[0] is user]:
            self._waiting.remove(asked)
            asked[1](closed())

    def end(self, user: Use, reply: _Reply) -> None:
        """Ends a use. That is answered once the server has ended, unless others use it."""
        self.refuse(user)
        self.users.discard(user)
        if self.users:
            reply(None)
        else:
            self._closing.append(reply)

    def goes_on(self) -> bool:
        """Does the next step: whether there is another one without a question."""
        try:
            return next(self._life)
        except Exception as error:
            self._life = self._lived()
            self._answer(Transport(f"the server of {self.path} was not started: {error!r}"))
            self._ended()
            return False

    def is_idle(self) -> bool:
        """Whether nothing has to be known of it."""
        return not (self.users or self.server or self._closing or self.is_forked)

    def _lived(self) -> Generator[bool, None, None]:
        while True:
            if not self.users:
                yield from self._stopped()
                self.connection = None
            self._ended()
            if self._waiting:
                self._answer((yield from self._found()))
            else:
                yield False

    def _answer(self, answer: Connection | Transport) -> None:
        self.connection = answer if isinstance(answer, Connection) else None
        self._waiting, asked = [], self._waiting
        for _, reply in asked:
            # An exception is raised once.
            reply(answer if isinstance(answer, Connection) else Transport(answer.message))

    def _ended(self) -> None:
        self._closing, asked = [], self._closing
        for reply in asked:
            reply(None)

    def _found(self) -> Generator[bool, None, Connection | Transport]:
        """The connection to its server, which is started where none runs."""
        begun = time.monotonic()
        end = begun + _FAMILY_SECONDS
        while self.users:
            tried = time.monotonic()
            try:
                return (yield from self._running())
            except Transport as error:
                server = self.server
                yield from self._stopped()
                if server is None or not server.lacks_folder:
                    return error
                now = time.monotonic()
                if now > tried + _LONG_SECONDS:
                    # A relative may have begun meanwhile.
                    begun = now
                if not (self.is_forked and now < end and self._may_wait(begun)):
                    return self._in_use(server)
            again = time.monotonic() + _AGAIN_SECONDS
            while time.monotonic() < again:
                yield True
        return closed()

    def _may_wait(self, begun: float) -> bool:
        """Whether a relative may be the one that has the folder, so long after the begin."""
        now = time.monotonic()
        if now < begun + _IN_USE_SECONDS:
            return True
        process, _, seen = self._works.read().partition(" ")
        return process not in ("", str(os.getpid())) and now < float(seen) + _IN_USE_SECONDS

    def _goes_on(self, begun: float) -> None:
        """Tells relatives of a start or stop that goes on for long."""
        now = time.monotonic()
        if now > begun + _LONG_SECONDS:
            self._works.write(f"{os.getpid()} {now}")

    def _running(self) -> Generator[bool, None, Connection | Transport]:
        if self.server is not None and self.server.has_ended():
            yield from self._stopped()
        if self.server is None:
            name, _, address = self._board.read().partition(" ")
            if address and has_name(address, name):
                return Connection(endpoint=address, server=name)
            self.server = Server(["--data", self.path], is_awaited=False)
        server = self.server
        begun = time.monotonic()
        while not server.is_ready():
            if not self.users:
                return closed()
            self._goes_on(begun)
            yield True
        self._board.write(f"{server.name} {server.endpoint}")
        return Connection(endpoint=server.endpoint, server=server.name)

    def _stopped(self) -> Generator[bool, None, None]:
        if self.server is not None:
            self.connection = None
            self.server.terminate()
            begun = time.monotonic()
            while not self.server.is_stopped():
                self._goes_on(begun)
                yield True
            self.server = None

    def _in_use(self, server: Server) -> Transport:
        why = f"{server.program} did not start: the data folder {self.path} is in use, by another"
        helps = f"end it, or let both use one server: start `keyfold serve --data {self.path}`"
        return Transport(f"{why} program or another copy of this one; {helps}, and open its URL")


class _Keeper:
    """The thread that starts and stops the servers of folders."""

    def __init__(self) -> None:
        self._folders: dict[str, _Folder] = {}
        self.in_child()

    def in_child(self) -> None:
        """Begins anew in a forked process, which has none of its parent's threads."""
        self._asked: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._turn = threading.Lock()
        """Is held by the thread, for good."""
        for folder in self._folders.values():
            folder.in_child()

    def fork(self) -> None:
        """Says that other processes are going to have the folders."""
        for folder in list(self._folders.values()):
            folder.is_forked = True

    def ask(self, question: Callable[[], None]) -> None:
        """Asks a question, which the thread carries out. It does not wait."""
        if sys.is_finalizing():
            # The thread does not go on any more, and the servers have ended.
            raise Transport(f"{_ENDS}: its clients are closed")
        self._asked.put(question)
        if not self._turn.locked():
            # Of several threads one goes on. A `Thread` has locks that the handler of a signal may
            # have interrupted.
            try:
                _thread.start_new_thread(self._run, ())
            except RuntimeError as error:
                raise Transport(f"{_ENDS}: {error}") from None

    def folder(self, path: str) -> _Folder:
        """A folder, as long as somebody uses it."""
        if path not in self._folders:
            self._folders[path] = _Folder(path)
        return self._folders[path]

    def _run(self) -> None:
        if not self._turn.acquire(blocking=False):
            return
        is_busy = False
        while True:
            with suppress(Empty):
                self._asked.get(timeout=STEP_SECONDS if is_busy else None)()
            is_busy = False
            for folder in list(self._folders.values()):
                is_busy = folder.goes_on() or is_busy
                if folder.is_idle():
                    del self._folders[folder.path]


_keeper = _Keeper()


class Use:
    """The use of a data folder by a client, from its creation until `close`."""

    def __init__(self, folder: str) -> None:
        try:
            self._path = os.path.realpath(folder)
        except OSError as error:
            # The program's own folder, which a relative path begins in, was removed.
            raise Transport(f"the data folder {folder} is nowhere: {error}") from None
        self._folder: _Folder | None = None
        self._is_closed = False

    def known(self) -> Connection | None:
        """The connection to the server that runs; none where the keeper is to be asked. It does not
        wait."""
        folder = self._folder
        if folder is None or self._is_closed or self not in folder.users:
            return None
        connection, server = folder.connection, folder.server
        return None if server is not None and server.has_ended() else connection

    def doubt(self, connection: Connection) -> None:
        """Forgets a connection whose server may not be there any more: the keeper looks anew."""
        folder = self._folder
        if folder is not None and folder.connection == connection:
            folder.connection = None

    def begin(self, reply: _Reply) -> None:
        """Asks for the connection to the server, which is started where none runs."""

        def begun() -> None:
            if self._is_closed:
                reply(closed())
                return
            self._folder = _keeper.folder(self._path)
            self._folder.begin(self, reply)

        _keeper.ask(begun)

    def refuse(self) -> None:
        """Ends what waits for the connection."""
        self._is_closed = True
        folder = self._folder
        if folder is not None and not sys.is_finalizing():
            _keeper.ask(lambda: folder.refuse(self))

    def end(self, reply: _Reply) -> None:
        """Ends the use, and says when its server has ended, too, which does with the last one."""
        self._is_closed = True
        if sys.is_finalizing():
            # All servers have.
            reply(None)
            return

        def ended() -> None:
            folder = self._folder
            if folder is None or folder.is_idle():
                reply(None)
            else:
                folder.end(self, reply)

        _keeper.ask(ended)


_waits: dict[int, list[tuple[Callable[[_Reply], None], _Reply]]] = {}
"""What each thread waits for: calls that the handler of a signal makes, too."""


def waited(ask: Callable[[_Reply], None], limit: Limit | None = None) -> Connection | None:
    """What a question comes to. Raises `Transport`, and `Over` where that takes longer than the
    call may."""
    answers: SimpleQueue[_Answer] = SimpleQueue()
    waits = _waits.setdefault(threading.get_ident(), [])
    waits.append((ask, answers.put))
    try:
        ask(answers.put)
        return _given(answers.get(timeout=None if limit is None else limit.left()))
    except Empty:
        raise Over from None
    finally:
        waits.pop()
        if not waits:
            _waits.pop(threading.get_ident(), None)


async def awaited(ask: Callable[[_Reply], None]) -> Connection | None:
    """That in a loop. Whoever ends the waiting does not end what was asked for."""
    loop = asyncio.get_running_loop()
    answered: asyncio.Future[_Answer] = loop.create_future()

    def settle(answer: _Answer) -> None:
        if not answered.done():
            answered.set_result(answer)

    def reply(answer: _Answer) -> None:
        # The loop may have been closed.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(settle, answer)

    ask(reply)
    return _given(await answered)


def _given(answer: _Answer) -> Connection | None:
    if isinstance(answer, Transport):
        raise answer
    return answer


def closed() -> Transport:
    """The answer to what is not sent any more."""
    return Transport("the client is closed: make another one")


def _in_child() -> None:
    """Begins anew in a forked process. Where the handler of a signal has forked it, its one thread
    goes on to wait for answers, which the keeper of its parent does not give here."""
    _keeper.in_child()
    own = _waits.get(threading.get_ident(), [])
    _waits.clear()
    if own:
        _waits[threading.get_ident()] = own
    for ask, reply in own:
        ask(reply)


if hasattr(os, "register_at_fork"):  # Windows has no fork.
    os.register_at_fork(before=_keeper.fork, after_in_parent=_keeper.fork, after_in_child=_in_child)
