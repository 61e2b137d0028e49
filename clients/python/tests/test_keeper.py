"""Starts and stops of folders' servers, whoever waits for them, and who ends while they go on."""

from __future__ import annotations

import asyncio
import json
import math
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import support
from test_forks import in_child
from test_shared import BOTH, Child, awaiting, blocking, count, has_fork, is_free, kill

from keyfold import Aborted, Client, Invalid, KeyfoldError, Model, Options, Transport
from keyfold.aio import AsyncClient
from keyfold.transport import process, shared
from keyfold.transport.process import Server

KEYS = [{"thingId": f"t{at}"} for at in range(250)]
"""Keys of which a call reads at most 100 in one request."""


@contextmanager
def alarm(seconds: float, work: Callable[[], object]) -> Iterator[None]:
    """Does work in the handler of a signal that comes after so many seconds."""
    before = signal.signal(signal.SIGALRM, lambda *_: work())
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@has_fork
def test_the_handler_of_a_signal_closes_another_client_of_a_folder_that_starts(
    model: Model, folder: Path, slow_start: Path
) -> None:
    def works() -> str:
        one, other = (Client(model, f"keyfold:{folder}") for _ in range(2))
        kill()
        slow_start.write_text("1.5")
        seconds: list[float] = []

        def closes() -> None:
            started = time.monotonic()
            one.close()
            seconds.append(time.monotonic() - started)

        with ThreadPoolExecutor(1) as pool, alarm(0.5, closes):
            # The requests of this call wait for the start, too.
            reads = pool.submit(one.get_many, "Thing", KEYS)
            found = count(other)
            with suppress(KeyfoldError):
                reads.result()
        other.close()
        return f"{found} {seconds[0] < 1}"

    assert in_child(works, 20)() == "1 True"
    assert is_free(folder)


@has_fork
def test_an_async_client_needs_no_thread_of_its_loop(model: Model, folder: Path) -> None:
    """The only one waits for a call of the client."""

    async def run() -> str:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(1))

        def reads() -> int:
            call = client.all("bookings", {"accountId": "a"})
            return len(asyncio.run_coroutine_threadsafe(call, loop).result())

        async with AsyncClient(model, f"keyfold:{folder}") as client:
            kill()
            first = await loop.run_in_executor(None, reads)
            # Nor does its end.
            is_over = threading.Event()
            busy = loop.run_in_executor(None, is_over.wait)
        is_over.set()
        await busy
        return str(first)

    assert in_child(lambda: asyncio.run(run()), 20)() == "1"
    assert is_free(folder)


@has_fork
def test_a_relative_finds_the_server_of_a_start_that_nobody_waited_for(
    model: Model, folder: Path, slow_start: Path
) -> None:
    with Client(model, f"keyfold:{folder}") as client:
        child = Child(lambda: count(client), lambda: count(client))
        assert child.next() == "1"
        kill()
        slow_start.write_text("0.5")
        with pytest.raises(Aborted):
            client.all("bookings", {"accountId": "a"}, timeout=0.1)
        assert child.next() == "1"
        assert child.end() == "ended"
    assert is_free(folder)


@has_fork
def test_the_end_of_a_server_takes_no_address_of_a_relative_from_the_board(
    model: Model, folder: Path
) -> None:
    with Client(model, f"keyfold:{folder}") as client:
        child = Child(lambda: count(client), lambda: count(client))
        assert child.next() == "1"
        kill()
        assert child.next() == "1"
        # This process's own server is not there any more, and that of the child is.
        client.close()
        assert blocking(model, folder) == [7]
        assert child.end() == "ended"
    assert is_free(folder)


def test_a_loop_goes_on_while_a_server_starts(model: Model, folder: Path, slow_start: Path) -> None:
    async def run() -> None:
        async with AsyncClient(model, f"keyfold:{folder}") as client:
            kill()
            slow_start.write_text("1.5")
            other = asyncio.ensure_future(asyncio.to_thread(blocking, model, folder))
            await asyncio.sleep(0.1)
            started = time.monotonic()
            reads = [client.all("bookings", {"accountId": "a"}, timeout=0.3) for _ in range(3)]
            ends = await asyncio.gather(*reads, return_exceptions=True)
            assert [type(one) for one in ends] == [Aborted] * 3
            assert time.monotonic() - started < 1
            assert await other == [7]

    asyncio.run(run())
    assert is_free(folder)


@has_fork
@pytest.mark.parametrize("read", BOTH)
def test_all_that_wait_for_a_folder_in_use_are_told_at_once(
    model: Model, folder: Path, read: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared, "_IN_USE_SECONDS", 1.0)

    def tries(how_many: int) -> float:
        started = time.monotonic()
        with ThreadPoolExecutor(how_many) as pool:
            for one in [pool.submit(read, model, folder) for _ in range(how_many)]:
                with pytest.raises(Transport, match="is in use"):
                    one.result()
        return time.monotonic() - started

    with Client(model, f"keyfold:{folder}"):
        # From now on a relative may have the folder.
        in_child(lambda: None)()
    # The folder stays known while somebody uses it.
    with ThreadPoolExecutor(1) as pool, Server(["--data", str(folder)]):
        first = pool.submit(tries, 1).result()
        assert tries(6) < 3 * first
    assert is_free(folder)


@pytest.mark.parametrize("seconds", [math.inf, 1e300, 10**12, threading.TIMEOUT_MAX])
def test_a_timeout_may_be_endless(model: Model, folder: Path, seconds: float) -> None:
    with Client(model, f"keyfold:{folder}", Options(timeout=seconds)) as client:
        for _ in range(2):
            assert count(client) == 1
            assert client.get_many("Thing", KEYS, timeout=seconds) == [None] * 250
            kill()

    async def reads(client: Any) -> None:
        kill()
        assert len(await client.all("bookings", {"accountId": "a"}, timeout=seconds)) == 1

    assert awaiting(model, folder, reads) == [7]


def run(program: str, *arguments: str) -> subprocess.Popen[str]:
    """A program of its own."""
    paths = {**os.environ, "PYTHONPATH": str(support.PACKAGE / "src")}
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.Popen(
        command, env=paths, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


@pytest.fixture
def document(tmp_path: Path) -> str:
    """The path of the model's plan."""
    path = tmp_path / "things.plan.json"
    path.write_text(json.dumps(support.plan(support.THINGS)))
    return str(path)


FORKS = """
import os, signal, sys, time
from keyfold import Client
client = Client(sys.argv[1], f"keyfold:{sys.argv[2]}")
if os.fork() == 0:
    client.all("bookings", {"accountId": "a"})
    client.close()
    print(os.getpid(), flush=True)
    time.sleep(60)
    os._exit(0)
time.sleep(60)
"""


@has_fork
def test_a_forked_process_does_not_keep_the_server_of_a_killed_parent(
    folder: Path, document: str
) -> None:
    parent = run(FORKS, document, str(folder))
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    try:
        parent.kill()
        end = time.monotonic() + 5
        while not is_free(folder):
            assert time.monotonic() < end, "the server is there yet"
            time.sleep(0.1)
        os.kill(child, 0)
    finally:
        os.kill(child, signal.SIGKILL)
        parent.communicate()


class Page(BaseHTTPRequestHandler):
    """Answers any request as a program does that is no server of tables."""

    def do_GET(self) -> None:
        body = b"<html>Welcome</html>"
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@contextmanager
def a_page(port: int, _folder: Path) -> Iterator[None]:
    """Another program at a port."""
    server = ThreadingHTTPServer(("127.0.0.1", port), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def another_folder(port: int, folder: Path) -> Iterator[None]:
    """The server of another folder at a port."""
    command = [support.KEYFOLD, "serve", "--no-project", "--port", str(port), "--data", str(folder)]
    quiet = subprocess.DEVNULL
    server = subprocess.Popen(command, stdout=quiet, stderr=quiet)
    end = time.monotonic() + 10
    while time.monotonic() < end:
        with suppress(OSError):
            socket.create_connection(("127.0.0.1", port)).close()
            break
        time.sleep(0.02)
    try:
        yield
    finally:
        server.terminate()
        server.wait()


def endpoint(folder: Path) -> str:
    """The address of the server of a folder."""
    running: list[Any] = list(process._running)  # pyright: ignore[reportPrivateUsage]
    (found,) = (one.endpoint for one in running if str(folder) in one._process.args)
    return str(found)


@has_fork
@pytest.mark.parametrize("other", [a_page, another_folder])
@pytest.mark.parametrize("write", [False, True])
def test_a_server_that_took_an_address_gets_no_request(
    model: Model, folder: Path, tmp_path: Path, other: Any, write: bool
) -> None:
    second = tmp_path / "second"
    with Client(model, f"keyfold:{second}") as client:
        client.ensure_tables()
    with Client(model, f"keyfold:{folder}") as client:

        def goes_on() -> Any:
            # Of a write nobody knows what a page made of it.
            if write and other is another_folder:
                client.create("Booking", {"accountId": "a", "amount": 8})
            return count(client), *(sorted(read(model, folder)) for read in BOTH)

        child = Child(lambda: count(client), goes_on)
        assert child.next() == "1"
        port = urlsplit(endpoint(folder)).port
        client.close()
        with other(port, second):
            wrote = write and other is another_folder
            assert child.next() == ("(2, [7, 8], [7, 8])" if wrote else "(1, [7], [7])")
        assert child.end() == "ended"
    assert blocking(model, second) == []


ENDS = """
import atexit, sys
from keyfold import Client
client = Client(sys.argv[1], f"keyfold:{sys.argv[2]}")
keys = [{"thingId": f"t{at}"} for at in range(250)]
atexit.register(lambda: print(client.get_many("Thing", keys) == [None] * 250))
"""


def test_a_program_may_call_while_it_ends(folder: Path, document: str) -> None:
    said, errors = run(ENDS, document, str(folder)).communicate(timeout=30)
    assert said == "True\n", errors


class Alarm(Exception):
    """What a handler of a signal raises."""


def test_a_start_that_is_interrupted_holds_no_folder(model: Model, folder: Path) -> None:
    def rings() -> None:
        raise Alarm

    for after in (0.001, 0.002, 0.004, 0.006, 0.01, 0.02, 0.04):
        with suppress(Alarm), alarm(after, rings):
            Client(model, f"keyfold:{folder}").close()
        assert blocking(model, folder) == [7]


@pytest.mark.parametrize("keys", [KEYS[:1], KEYS])
def test_a_hook_may_close_its_client(model: Model, folder: Path, keys: Any) -> None:
    errors: list[Exception] = []

    def hook(_: object) -> None:
        try:
            client.close()
        except Exception as error:
            errors.append(error)
            raise

    client = Client(model, f"keyfold:{folder}", Options(on_request=hook))
    with suppress(KeyfoldError):
        client.get_many("Thing", keys)
    assert errors == []
    assert is_free(folder)
    with pytest.raises(Transport, match="the client is closed"):
        count(client)


def test_each_close_waits_for_the_end_of_the_server(model: Model, folder: Path) -> None:
    client = Client(model, f"keyfold:{folder}")
    with ThreadPoolExecutor(8) as pool:
        for one in [pool.submit(client.close) for _ in range(8)]:
            one.result()
            # Whichever has returned, the server has ended.
            assert is_free(folder)
    client.close()


def test_an_async_client_is_opened_in_each_loop(model: Model, folder: Path) -> None:
    client = AsyncClient(model, f"keyfold:{folder}")

    async def opens() -> None:
        await client.__aenter__()

    async def reads() -> int:
        return len(await client.all("bookings", {"accountId": "a"}))

    async def uses() -> int:
        async with client:
            return await reads()

    assert [asyncio.run(uses()), asyncio.run(uses())] == [1, 1]
    asyncio.run(opens())
    with pytest.raises(Invalid, match="opened in another loop"):
        asyncio.run(reads())
    with pytest.raises(Invalid, match="is open already"):
        asyncio.run(uses())
    asyncio.run(client.__aexit__(None, None, None))
    assert is_free(folder)
    assert asyncio.run(uses()) == 1
    assert is_free(folder)
