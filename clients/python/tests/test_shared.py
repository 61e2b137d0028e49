"""The server of a data folder, which all clients of a process share."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import support
from test_forks import in_child

from keyfold import Aborted, Client, KeyfoldError, Model, Options, OutcomeUnknown, Transport
from keyfold.aio import AsyncClient
from keyfold.transport import process, shared
from keyfold.transport.process import Server

has_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")


def blocking(model: Model, folder: Path, work: Callable[[Any], Any] | None = None) -> Any:
    """Reads the folder by a client that blocks, after some work."""
    with Client(model, f"keyfold:{folder}") as client:
        if work is not None:
            work(client)
        return [one["amount"] for one in client.all("bookings", {"accountId": "a"})]


def awaiting(model: Model, folder: Path, work: Callable[[Any], Any] | None = None) -> Any:
    """That by a client that awaits. The work is what it awaits."""

    async def run() -> Any:
        async with AsyncClient(model, f"keyfold:{folder}") as client:
            made = None if work is None else work(client)
            if made is not None:
                await made
            return [one["amount"] for one in await client.all("bookings", {"accountId": "a"})]

    return asyncio.run(run())


BOTH = [blocking, awaiting]


def kill(number: signal.Signals = signal.SIGKILL) -> None:
    """Kills the servers of folders that have started."""
    for server in list(process._running):  # pyright: ignore[reportPrivateUsage]
        held: Any = server
        if "--data" in held._process.args and held.endpoint:
            os.kill(held._process.pid, number)


def is_free(folder: Path) -> bool:
    """Whether no server uses a folder."""
    try:
        Server(["--data", str(folder)]).stop()
    except Transport:
        return False
    return True


def test_clients_of_a_folder_share_its_server(model: Model, folder: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        works = [pool.submit(BOTH[at % 2], model, folder) for at in range(8)]
        assert [one.result() for one in works] == [[7]] * 8
    assert is_free(folder)


def test_a_folder_is_one_by_whatever_name(
    model: Model, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    os.symlink(folder, "link")
    names = ("./data", "link", f"{folder}/", "../" + folder.parent.name + "/data")
    clients = [Client(model, f"keyfold:{name}") for name in names]
    for one in clients:
        assert len(one.all("bookings", {"accountId": "a"})) == 1
        one.close()
    assert is_free(folder)


def test_the_server_ends_with_the_last_client(model: Model, folder: Path) -> None:
    one, other = (Client(model, f"keyfold:{folder}") for _ in range(2))
    # A client that is closed twice takes nobody else's server.
    one.close()
    one.close()
    assert not is_free(folder)
    assert len(other.all("bookings", {"accountId": "a"})) == 1
    with pytest.raises(Transport, match="the client is closed"):
        one.all("bookings", {"accountId": "a"})
    other.close()
    assert is_free(folder)


def test_a_client_waits_for_the_end_of_the_last_one(model: Model, folder: Path) -> None:
    errors: list[BaseException] = []

    def again(read: Callable[[Model, Path], Any]) -> None:
        try:
            for _ in range(6):
                assert read(model, folder) == [7]
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=again, args=(BOTH[at % 2],)) for at in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert is_free(folder)


def test_a_client_that_does_not_open_uses_no_folder(model: Model, tmp_path: Path) -> None:
    taken = tmp_path / "data"
    taken.write_text("no folder")
    for read in BOTH:
        with pytest.raises(Transport, match="did not start"):
            read(model, taken)
    taken.unlink()
    with Client(model, f"keyfold:{taken}") as client:
        client.ensure_tables()
    assert is_free(taken)


@pytest.mark.parametrize("read", BOTH)
def test_a_server_that_has_ended_is_started_anew(model: Model, folder: Path, read: Any) -> None:
    with Client(model, f"keyfold:{folder}") as beside:
        for number in (signal.SIGKILL, signal.SIGTERM):
            assert read(model, folder, lambda _: kill(number)) == [7]
            assert len(beside.all("bookings", {"accountId": "a"})) == 1
    assert is_free(folder)


def test_each_call_meets_a_server_that_is_killed_again_and_again(
    model: Model, folder: Path
) -> None:
    """A write may be lost then, and is said to be; what is reported as written is there."""
    is_over, written = threading.Event(), [0]

    def kills() -> None:
        while not is_over.wait(0.3):
            kill()

    killer = threading.Thread(target=kills, daemon=True)
    with Client(model, f"keyfold:{folder}", Options(retries=20)) as client:
        killer.start()
        end = time.monotonic() + 3
        try:
            while time.monotonic() < end:
                with suppress(OutcomeUnknown):
                    client.create("Booking", {"accountId": "kills", "amount": 1})
                    written[0] += 1
        finally:
            is_over.set()
            killer.join()
        assert written[0] > 0
        assert len(client.all("bookings", {"accountId": "kills"})) >= written[0]
    assert is_free(folder)


@pytest.mark.parametrize("read", BOTH)
def test_a_server_that_does_not_start_again_is_told(
    model: Model, folder: Path, read: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ends(_: Any) -> None:
        monkeypatch.setenv("KEYFOLD_BIN", "/nowhere/keyfold")
        kill()

    with pytest.raises(Transport, match="/nowhere/keyfold does not start"):
        read(model, folder, ends)
    monkeypatch.setenv("KEYFOLD_BIN", support.KEYFOLD)
    assert read(model, folder) == [7]


def test_an_async_client_that_is_cancelled_while_it_opens_uses_no_folder(
    model: Model, folder: Path
) -> None:
    async def run() -> None:
        opening = asyncio.ensure_future(AsyncClient(model, f"keyfold:{folder}").__aenter__())
        await asyncio.sleep(0.01)
        opening.cancel()
        with suppress(asyncio.CancelledError):
            await opening

    asyncio.run(run())
    assert is_free(folder)


@has_fork
def test_a_forked_process_uses_the_server_of_its_parent(model: Model, folder: Path) -> None:
    with Client(model, f"keyfold:{folder}") as client:

        def works() -> Any:
            with client:
                found = [len(client.all("bookings", {"accountId": "a"})), *blocking(model, folder)]
            # The server goes on: the last client of this process is none of its parent.
            return [*found, *blocking(model, folder)]

        assert in_child(works)() == "[1, 7, 7]"
        assert len(client.all("bookings", {"accountId": "a"})) == 1
    assert is_free(folder)


@has_fork
def test_a_forked_process_starts_a_server_where_its_parent_has_none(
    model: Model, folder: Path
) -> None:
    reads, writes = os.pipe()
    with Client(model, f"keyfold:{folder}") as client:

        def works() -> Any:
            os.read(reads, 1)
            with client:
                return [*blocking(model, folder), len(client.all("bookings", {"accountId": "a"}))]

        child = in_child(works)
    os.write(writes, b"x")
    assert child() == "[7, 1]"
    assert is_free(folder)


@has_fork
def test_a_fork_while_a_server_starts_blocks_nobody(model: Model, folder: Path) -> None:
    done: list[Any] = []
    thread = threading.Thread(target=lambda: done.append(blocking(model, folder)))
    thread.start()
    time.sleep(0.005)

    def works() -> str:
        with suppress(KeyfoldError):
            blocking(model, folder)
        return "ended"

    assert in_child(works)() == "ended"
    thread.join()
    assert done == [[7]]


def count(client: Client) -> int:
    """The bookings of the folder."""
    return len(client.all("bookings", {"accountId": "a"}))


class Child:
    """A forked process that does pieces of work, each when it is told to."""

    def __init__(self, *works: Callable[[], Any]) -> None:
        turns, answers = os.pipe(), os.pipe()
        self._tell, self._hear = turns[1], answers[0]

        def run() -> str:
            os.close(turns[1])
            for work in works:
                os.read(turns[0], 1)
                try:
                    said = str(work())
                except BaseException as error:
                    said = f"{type(error).__name__}: {error}"
                os.write(answers[1], said.encode())
            # The process ends when its parent says so.
            os.read(turns[0], 1)
            return "ended"

        self._ended = in_child(run, 60)
        os.close(turns[0])

    def next(self) -> str:
        """What the next piece comes to."""
        os.write(self._tell, b"x")
        return os.read(self._hear, 1000).decode()

    def end(self) -> str:
        """Ends the process."""
        os.write(self._tell, b"x")
        return self._ended()


@has_fork
def test_a_forked_process_leaves_the_server_that_its_parent_has_ended(
    model: Model, folder: Path
) -> None:
    with Client(model, f"keyfold:{folder}") as client:
        works = [lambda: count(client), lambda: count(client), lambda: blocking(model, folder)]
        child = Child(*works, lambda: awaiting(model, folder), client.close)
        assert child.next() == "1"
    assert [child.next() for _ in range(4)] == ["1", "[7]", "[7]", "None"]
    assert is_free(folder)
    assert child.end() == "ended"


@has_fork
def test_an_async_client_leaves_the_server_that_the_parent_has_ended(
    model: Model, folder: Path
) -> None:
    client = Client(model, f"keyfold:{folder}")
    turns, answers = os.pipe(), os.pipe()

    def works() -> Any:
        async def waits(_: Any = None) -> None:
            os.write(answers[1], b"x")
            await asyncio.to_thread(os.read, turns[0], 1)

        return awaiting(model, folder, waits)

    child = in_child(works)
    os.read(answers[0], 1)
    client.close()
    os.write(turns[1], b"x")
    assert child() == "[7]"


@has_fork
def test_a_parent_uses_the_server_that_its_child_has_started(model: Model, folder: Path) -> None:
    with Client(model, f"keyfold:{folder}") as client:
        child = Child(lambda: count(client), lambda: count(client), client.close)
        assert child.next() == "1"
        kill()
        assert child.next() == "1"
        assert count(client) == 1
        assert blocking(model, folder) == [7]
        assert awaiting(model, folder) == [7]
        # The child's last client takes the server with it.
        assert child.next() == "None"
        assert count(client) == 1
        assert child.end() == "ended"
        assert count(client) == 1
    assert is_free(folder)


@has_fork
def test_a_child_finds_the_server_that_its_parent_has_started_anew(
    model: Model, folder: Path
) -> None:
    with Client(model, f"keyfold:{folder}") as client:
        works = [lambda: count(client), lambda: blocking(model, folder), lambda: count(client)]
        child = Child(*works, lambda: awaiting(model, folder))
        for expected in ("1", "[7]", "1", "[7]"):
            kill()
            assert count(client) == 1
            assert child.next() == expected
        assert child.end() == "ended"
        assert count(client) == 1
    assert is_free(folder)


@has_fork
def test_processes_of_a_family_that_start_a_server_at_once_share_it(
    model: Model, folder: Path
) -> None:
    with Client(model, f"keyfold:{folder}") as client:
        kill()
        children = [in_child(lambda: count(client), 60) for _ in range(4)]
        assert count(client) == 1
        assert [one() for one in children] == ["1"] * 4
        assert count(client) == 1
    assert is_free(folder)


@has_fork
@pytest.mark.parametrize("after", [0.0, 0.01, 0.05, 0.2])
def test_a_fork_while_a_server_starts_finds_it(model: Model, folder: Path, after: float) -> None:
    with ThreadPoolExecutor(1) as pool:
        client = pool.submit(Client, model, f"keyfold:{folder}")
        keeper = shared._keeper  # pyright: ignore[reportPrivateUsage]
        while str(folder) not in keeper._folders:  # pyright: ignore[reportPrivateUsage]
            time.sleep(0.001)
        time.sleep(after)
        child = in_child(lambda: blocking(model, folder), 60)
        assert child() == "[7]"
        client.result().close()
    assert is_free(folder)


@has_fork
@pytest.mark.parametrize("after", [0.0, 0.01, 0.05])
def test_a_fork_while_a_server_stops_starts_one(model: Model, folder: Path, after: float) -> None:
    client = Client(model, f"keyfold:{folder}")
    with ThreadPoolExecutor(1) as pool:
        closing = pool.submit(client.close)
        time.sleep(after)
        child = in_child(lambda: blocking(model, folder), 60)
        closing.result()
    assert child() == "[7]"
    assert is_free(folder)


def test_a_folder_of_another_program_is_told_in_words_of_the_client(
    model: Model, folder: Path
) -> None:
    with Server(["--data", str(folder)]):
        for read in BOTH:
            started = time.monotonic()
            with pytest.raises(Transport) as caught:
                read(model, folder)
            assert str(caught.value) == (
                f"{support.KEYFOLD} did not start: the data folder {folder} is in use, by another"
                " program or another copy of this one; end it, or let both use one server: start"
                f" `keyfold serve --data {folder}`, and open its URL"
            )
            assert time.monotonic() - started < 4


def test_a_timeout_bounds_the_start_of_a_server(
    model: Model, folder: Path, slow_start: Path
) -> None:
    with Client(model, f"keyfold:{folder}") as client, ThreadPoolExecutor(2) as pool:
        kill()
        slow_start.write_text("2")
        calls = [lambda: client.put("Booking", support.BOOKING, timeout=0.4), lambda: count(client)]
        started = time.monotonic()
        late, other = (pool.submit(call) for call in calls)
        with pytest.raises(Aborted):
            late.result()
        with pytest.raises(Aborted):
            client.all("bookings", {"accountId": "a"}, timeout=0.4)
        assert time.monotonic() - started < 1.9
        # The start goes on for the others.
        assert other.result() == 1
    assert is_free(folder)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no alarms here")
@pytest.mark.parametrize("after", [0.05, 0.5, 1.0])
def test_the_handler_of_a_signal_closes_a_client_whose_server_starts(
    model: Model, folder: Path, slow_start: Path, after: float
) -> None:
    client = Client(model, f"keyfold:{folder}")
    kill()
    slow_start.write_text("2")
    before = signal.signal(signal.SIGALRM, lambda *_: client.close())
    try:
        signal.setitimer(signal.ITIMER_REAL, after)
        with pytest.raises(Transport, match="the client is closed"):
            count(client)
    finally:
        signal.signal(signal.SIGALRM, before)
    slow_start.unlink()
    assert is_free(folder)
