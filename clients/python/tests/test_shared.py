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

from keyfold import Client, KeyfoldError, Model, Options, OutcomeUnknown, Transport
from keyfold.aio import AsyncClient
from keyfold.transport import process
from keyfold.transport.process import Server

has_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
ITEM = {"accountId": "a", "amount": 7}


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


@pytest.fixture
def folder(model: Model, tmp_path: Path) -> Path:
    """A data folder with an item, which nobody uses."""
    with Client(model, f"keyfold:{tmp_path / 'data'}") as client:
        client.ensure_tables()
        client.put("Booking", ITEM)
    return tmp_path / "data"


def kill(number: signal.Signals = signal.SIGKILL) -> None:
    """Kills the servers of folders that have started."""
    for server in list(process._running):  # pyright: ignore[reportPrivateUsage]
        held: Any = server
        if "--data" in held._process.args and hasattr(held, "endpoint"):
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
    with Client(model, f"keyfold:{folder}") as shared:

        def works() -> Any:
            with shared:
                found = [len(shared.all("bookings", {"accountId": "a"})), *blocking(model, folder)]
            # The server goes on: the last client of this process is none of its parent.
            return [*found, *blocking(model, folder)]

        assert in_child(works)() == "[1, 7, 7]"
        assert len(shared.all("bookings", {"accountId": "a"})) == 1
    assert is_free(folder)


@has_fork
def test_a_forked_process_starts_a_server_where_its_parent_has_none(
    model: Model, folder: Path
) -> None:
    reads, writes = os.pipe()
    with Client(model, f"keyfold:{folder}") as shared:

        def works() -> Any:
            os.read(reads, 1)
            with shared:
                return [*blocking(model, folder), len(shared.all("bookings", {"accountId": "a"}))]

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
