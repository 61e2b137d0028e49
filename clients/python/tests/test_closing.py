"""Clients for asyncio that are closed during calls, and closings that are cancelled."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from support import Json, Proxy, Send, throttled
from test_shared import is_free

from keyfold import Client, Incomplete, Model, OutcomeUnknown, Transport
from keyfold.aio import AsyncClient

CLOSED = "the client is closed"


def slow(_operation: str, _input: Json, send: Send) -> tuple[int, bytes]:
    """Carries a request out, later than the client is closed."""
    answer = send()
    time.sleep(1.5)
    return answer


def closed_during(
    model: Model, connection: str, calls: Callable[[AsyncClient], list[Awaitable[Any]]]
) -> tuple[list[Any], float]:
    """What calls come to during which their client is closed, and how long they take then."""

    async def run() -> tuple[list[Any], float]:
        client = await AsyncClient(model, connection).__aenter__()
        ends = asyncio.gather(*calls(client), return_exceptions=True)
        await asyncio.sleep(0.4)
        started = time.monotonic()
        await client.__aexit__(None, None, None)
        return await ends, time.monotonic() - started

    return asyncio.run(run())


def test_reads_under_way_are_told_that_their_client_is_closed(model: Model, proxy: Proxy) -> None:
    def calls(client: AsyncClient) -> list[Awaitable[Any]]:
        keys = [{"thingId": f"t{at}"} for at in range(150)]
        reads = [client.all("bookings", {"accountId": f"{at}"}) for at in range(12)]
        return [*reads, client.get_many("Thing", keys)]

    proxy.fail("Query", *[slow] * 12)
    proxy.fail("BatchGetItem", *[slow] * 9)
    ends, seconds = closed_during(model, proxy.endpoint, calls)
    assert [(type(one), CLOSED in str(one)) for one in ends] == [(Transport, True)] * 13
    assert seconds < 1


def test_writes_under_way_have_an_unknown_outcome(model: Model, proxy: Proxy) -> None:
    def calls(client: AsyncClient) -> list[Awaitable[Any]]:
        items = [{"accountId": "closing", "amount": at} for at in range(50)]
        return [client.create("Thing", {"thingId": "closing"}), client.put_many("Booking", items)]

    proxy.fail("PutItem", slow)
    proxy.fail("BatchWriteItem", slow, slow)
    (one, many), seconds = closed_during(model, proxy.endpoint, calls)
    assert isinstance(one, OutcomeUnknown) and CLOSED in str(one), repr(one)
    assert isinstance(many, Incomplete) and len(many.unknown) == 50, repr(many)
    assert seconds < 1


def test_a_pause_ends_with_the_client(model: Model, proxy: Proxy) -> None:
    proxy.fail("GetItem", *[throttled] * 30)
    proxy.fail("PutItem", *[throttled] * 30)

    def calls(client: AsyncClient) -> list[Awaitable[Any]]:
        made = client.create("Thing", {"thingId": "pauses"})
        return [client.one("thing", {"thingId": "pauses"}), made]

    ends, seconds = closed_during(model, proxy.endpoint, calls)
    for one in ends:
        assert isinstance(one, (Transport, OutcomeUnknown)) and CLOSED in str(one), repr(one)
    assert seconds < 1
    proxy.faults.clear()


def test_calls_of_a_folder_end_with_the_client(model: Model, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with Client(model, f"keyfold:{folder}") as client:
        client.ensure_tables()

    async def reads(client: AsyncClient, account: str) -> None:
        while True:
            await client.all("bookings", {"accountId": account})

    for _ in range(3):
        ends, _ = closed_during(
            model, f"keyfold:{folder}", lambda client: [reads(client, str(at)) for at in range(20)]
        )
        # A read that begins afterwards meets a client that is not open.
        said = {str(one) for one in ends if not (isinstance(one, Exception) and CLOSED in str(one))}
        assert said <= {"the client is not open; use it in `async with`"}, ends
    assert is_free(folder)


def test_a_call_that_the_program_cancels_is_cancelled(model: Model, proxy: Proxy) -> None:
    proxy.fail("Query", slow)

    async def run() -> None:
        async with AsyncClient(model, proxy.endpoint) as client:
            call = asyncio.ensure_future(client.all("bookings", {"accountId": "cancelled"}))
            await asyncio.sleep(0.2)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            assert await client.all("bookings", {"accountId": "cancelled"}) == []

    asyncio.run(run())


def test_a_closing_that_is_cancelled_ends_the_server(model: Model, tmp_path: Path) -> None:
    folder = tmp_path / "data"

    async def run() -> None:
        client = await AsyncClient(model, f"keyfold:{folder}").__aenter__()
        # No thread of the loop is free while the client is closed.
        pool = ThreadPoolExecutor(1)
        asyncio.get_running_loop().set_default_executor(pool)
        busy = pool.submit(time.sleep, 0.6)
        closing = asyncio.ensure_future(client.__aexit__(None, None, None))
        await asyncio.sleep(0.2)
        closing.cancel()
        with suppress(asyncio.CancelledError):
            await closing
        busy.result()

    asyncio.run(run())
    assert is_free(folder)
