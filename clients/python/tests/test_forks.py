"""Clients and the processes that are forked from theirs."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import boto3  # type: ignore[import-untyped, unused-ignore]
import pytest
from both import KEYS
from support import Json, Proxy, Send

from keyfold import Client, Invalid, KeyfoldError, Model, testing
from keyfold.aio import AsyncClient

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")


def slow(_operation: str, _input: Json, send: Send) -> tuple[int, bytes]:
    """Carries a request out, later than the other process has sent its own."""
    answer = send()
    time.sleep(0.2)
    return answer


def in_child(work: Callable[[], object], seconds: float = 20) -> Callable[[], str]:
    """Does the work in a forked process. What is returned waits for what it has come to."""
    reads, writes = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            said = str(work())
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(writes, said.encode())
        os._exit(0)
    os.close(writes)

    def wait() -> str:
        end = time.monotonic() + seconds
        while os.waitpid(pid, os.WNOHANG) == (0, 0):
            if time.monotonic() > end:
                os.kill(pid, 9)
            time.sleep(0.01)
        with os.fdopen(reads) as said:
            return said.read()

    return wait


@pytest.mark.parametrize("given", [False, True])
def test_a_forked_process_has_connections_of_its_own(
    model: Model, client: Client, proxy: Proxy, given: bool
) -> None:
    names = [f"forked {given} {at}" for at in range(4)]
    client.put_many("Booking", [{"accountId": one, "amount": at} for at, one in enumerate(names)])

    def amounts(name: str) -> list[int]:
        return [one["amount"] for one in shared.all("bookings", {"accountId": name})]

    sdk: Any = boto3
    made = sdk.client("dynamodb", endpoint_url=proxy.endpoint, **KEYS) if given else None
    with Client(model, made or proxy.endpoint) as shared:
        assert amounts(names[0]) == [0]
        proxy.fail("Query", *[slow] * 4)
        children = [in_child(partial(amounts, one)) for one in names[1:]]
        assert amounts(names[0]) == [0]
        assert [one() for one in children] == ["[1]", "[2]", "[3]"]
        assert amounts(names[0]) == [0]


def test_a_forked_process_has_threads_of_its_own(model: Model, endpoint: str) -> None:
    items = [{"accountId": "forked threads", "amount": at} for at in range(60)]
    with Client(model, endpoint) as shared:
        shared.put_many("Booking", items)
        child = in_child(lambda: shared.put_many("Booking", items).requests)
        assert child() == "3"


def test_a_forked_process_does_not_stop_the_server(model: Model) -> None:
    with testing.serve() as server, Client(model, server.endpoint) as shared:
        shared.ensure_tables()

        def ends() -> str:
            shared.close()
            server.stop()
            return "ended"

        assert in_child(ends)() == "ended"
        assert shared.all("bookings", {"accountId": "none"}) == []


def test_an_async_client_stays_in_its_process(model: Model, endpoint: str) -> None:
    async def run() -> str:
        async with AsyncClient(model, endpoint) as shared:
            await shared.all("bookings", {"accountId": "none"})

            def in_its_loop() -> str:
                walk = shared.all("bookings", {"accountId": "none"})
                try:
                    walk.send(None)
                except KeyfoldError as error:
                    assert isinstance(error, Invalid)
                    return error.message
                return "sent"

            return await asyncio.to_thread(in_child(in_its_loop))

    assert "opened in another process" in asyncio.run(run())
