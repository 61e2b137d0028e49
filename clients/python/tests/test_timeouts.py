"""A batch whose time is over says what was written, what was not, and what may have been."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from both import BOTH, Asked, awaiting, blocking, called, given_blocking, name_of
from support import Fault, Json, Proxy, Send

from keyfold import Aborted, Client, Incomplete, KeyfoldError, Model, Options
from keyfold.aio import AsyncClient

THING = {"thingId": "a"}


def unprocessed(_operation: str, request: Json, _send: Send) -> tuple[int, bytes]:
    """Writes no item of a batch."""
    return 200, json.dumps({"UnprocessedItems": request["RequestItems"]}).encode()


def passing(_operation: str, _input: Json, send: Send) -> tuple[int, bytes]:
    """Carries a request out."""
    return send()


def slow(_operation: str, _input: Json, send: Send) -> tuple[int, bytes]:
    """Carries a request out, later than a call waits."""
    time.sleep(1.4)
    return send()


def hanging(_operation: str, _input: Json, send: Send) -> None:
    """Carries a request out, and does not answer while the call waits."""
    send()
    time.sleep(3)


def batch(account: str, count: int) -> tuple[Any, ...]:
    """The call that writes so many bookings, the amount of each its position."""
    items = [{"accountId": account, "amount": at} for at in range(count)]
    return called("put_many", "Booking", items, timeout=1.0)


def there(client: Client, account: str) -> list[int]:
    """The positions of the bookings that are stored."""
    return sorted(one["amount"] for one in client.all("bookings", {"accountId": account}))


def over(ask: Callable[[str], object]) -> tuple[str, KeyfoldError]:
    """The error of a call whose time is over in a pause, and the name that it was given. On a busy
    machine a request may be under way at that moment: the call is then made again."""
    for turn in range(20):
        with pytest.raises(KeyfoldError) as ended:
            ask(str(turn))
        if not (isinstance(ended.value, Incomplete) and ended.value.unknown):
            return str(turn), ended.value
    raise AssertionError("no call was over in a pause")


@pytest.mark.parametrize("ask", BOTH)
def test_a_batch_whose_time_is_over_says_what_was_written(
    model: Model, client: Client, proxy: Proxy, ask: Asked
) -> None:
    def call(name: str, *first: Fault) -> object:
        proxy.faults.clear()
        proxy.fail("BatchWriteItem", *first, *[unprocessed] * 99)
        return ask(model, proxy.endpoint, Options(), batch(f"{name} {name_of(ask)}", 60))

    turn, error = over(lambda name: call(name, passing))
    assert isinstance(error, Incomplete) and "did not end within 1.0 seconds" in str(error)
    written = there(client, f"{turn} {name_of(ask)}")
    assert list(error.written) == written and len(written) in (10, 25)
    assert len(error.written) + len(error.unwritten) == 60
    _, error = over(lambda name: call(f"none {name}"))
    assert isinstance(error, Aborted)


def test_requests_that_are_not_begun_in_time_are_not_sent(
    model: Model, client: Client, proxy: Proxy
) -> None:
    # A client of boto3 that is a program's own has its own times: the answers are awaited.
    for ask, is_awaited in ((given_blocking, True), (blocking, False)):
        account = name_of(ask)
        proxy.fail("BatchWriteItem", *[slow] * 10)
        with pytest.raises(Incomplete) as part:
            ask(model, proxy.endpoint, Options(), batch(account, 250))
        error = part.value
        begun, other = (error.written, error.unknown)[:: 1 if is_awaited else -1]
        # Eight can be under way. A busy machine may begin fewer of them in time.
        assert other == () and 0 < len(begun) <= 200
        assert len(begun) + len(error.unwritten) == 250
        assert len(proxy.operations()) <= 8
        assert set(there(client, account)).isdisjoint(error.unwritten)
        assert set(there(client, account)) >= set(error.written)
        proxy.faults.clear()


def test_a_batch_that_hangs_may_be_written(model: Model, client: Client, proxy: Proxy) -> None:
    proxy.fail("BatchWriteItem", passing, *[hanging] * 9)
    started = time.monotonic()
    with pytest.raises(Incomplete) as part:
        awaiting(model, proxy.endpoint, Options(), batch("hangs", 250))
    assert time.monotonic() - started < 2.5
    error = part.value
    # Of ten requests eight are under way, and one more after the answer to the first.
    assert (len(error.written), len(error.unknown), len(error.unwritten)) == (25, 200, 25)
    assert set(there(client, "hangs")) >= set(error.written)
    assert set(there(client, "hangs")).isdisjoint(error.unwritten)
    # Reads and writes of one request: only what was under way may have been written.
    proxy.fail("BatchWriteItem", *[hanging] * 9)
    with pytest.raises(Incomplete) as unknown:
        awaiting(model, proxy.endpoint, Options(), batch("hangs too", 3))
    assert unknown.value.unknown == (0, 1, 2)


UNANSWERED = (
    ("all", ("bookings", {"accountId": "a"}), "aborted"),
    ("get_many", ("Thing", [THING]), "aborted"),
    ("put_many", ("Booking", [{"accountId": "a", "amount": 1}]), "incomplete"),
)
"""Calls of one request, and their errors where it has no answer in time."""


@contextmanager
def in_half_a_second(code: str) -> Iterator[None]:
    """A call that ends with this error after half a second."""
    started = time.monotonic()
    with pytest.raises(KeyfoldError, match="did not end within 0.5 seconds") as late:
        yield
    assert 0.5 <= time.monotonic() - started < 2
    assert late.value.code == code
    assert not isinstance(late.value, Incomplete) or late.value.unknown == (0,)


def test_a_server_that_does_not_answer_costs_the_time_of_a_call(model: Model) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with Client(model, endpoint) as client:
            for name, args, code in UNANSWERED:
                with in_half_a_second(code):
                    getattr(client, name)(*args, timeout=0.5)

        async def run() -> None:
            async with AsyncClient(model, endpoint) as client:
                for name, args, code in UNANSWERED[-1:]:
                    with in_half_a_second(code):
                        await getattr(client, name)(*args, timeout=0.5)

        asyncio.run(run())


def silent_until(ends: threading.Event) -> Fault:
    """Loses a request, and says nothing before the end."""

    def silent(_operation: str, _input: Json, _send: Send) -> None:
        ends.wait(120)

    return silent


READS: dict[str, tuple[Any, ...]] = {
    "GetItem": called("one", "thing", THING),
    "Query": called("all", "bookings", {"accountId": "a"}),
    "BatchGetItem": called("get_many", "Thing", [THING]),
}


@pytest.mark.parametrize("ask", BOTH)
def test_a_read_by_a_connection_that_has_died_is_sent_again(
    model: Model, proxy: Proxy, ask: Asked
) -> None:
    ends = threading.Event()
    for operation in READS:
        proxy.fail(operation, silent_until(ends))

    def asked(call: tuple[Any, ...]) -> object:
        return ask(model, proxy.endpoint, Options(), call)

    try:
        with ThreadPoolExecutor(len(READS)) as others:
            assert list(others.map(asked, READS.values())) == [None, [], [None]]
    finally:
        ends.set()
        proxy.faults.clear()
    assert sorted(proxy.operations()) == sorted([*READS, *READS])


@pytest.mark.parametrize("ask", BOTH)
def test_an_answer_that_is_slow_is_awaited(
    model: Model, client: Client, proxy: Proxy, ask: Asked
) -> None:
    """That of a write, that of the second attempt of a read, and that of a call with a time."""

    def slower(_operation: str, _input: Json, send: Send) -> tuple[int, bytes]:
        time.sleep(6)
        return send()

    name = f"{name_of(ask)} slower"
    account = {"accountId": name, "owner": "o", "email": f"{name}@slow"}
    booking = {"accountId": name, "amount": 1}
    calls: list[tuple[str, int, tuple[Any, ...]]] = [
        ("TransactWriteItems", 1, called("create", "Account", account)),
        ("PutItem", 1, called("create", "Booking", booking)),
        ("GetItem", 2, called("one", "thing", THING)),
        ("Query", 1, called("all", "bookings", {"accountId": name}, timeout=100.0)),
    ]
    ends = threading.Event()
    proxy.fail("GetItem", silent_until(ends))
    for operation, _, _ in calls:
        proxy.fail(operation, *[slower] * 2)
    with ThreadPoolExecutor(len(calls)) as others:

        def asked(call: tuple[Any, ...]) -> object:
            return ask(model, proxy.endpoint, Options(), call)

        for done in [others.submit(asked, call) for _, _, call in calls]:
            done.result()
    ends.set()
    proxy.faults.clear()
    counts = Counter(proxy.operations())
    assert {operation: counts[operation] for operation, _, _ in calls} == {
        operation: count for operation, count, _ in calls
    }
    assert there(client, name) == [1]


def test_a_connection_keeps_no_time_of_a_call(model: Model, proxy: Proxy) -> None:
    with Client(model, proxy.endpoint) as client:

        def asked(timeout: float | None = None) -> object:
            return client.one("thing", THING, timeout=timeout)

        # The connection is there already, and the calls of other threads have their own times.
        assert asked(timeout=1.2) is None
        proxy.operations()
        proxy.fail("GetItem", slow)
        with ThreadPoolExecutor(1) as other:
            endless = other.submit(asked)
            while not proxy.seen:
                time.sleep(0.01)
            assert asked(timeout=1.2) is None
            assert endless.result() is None
        proxy.fail("GetItem", slow)
        with pytest.raises(Aborted):
            asked(timeout=0.4)
        proxy.fail("GetItem", slow)
        assert asked() is None
        proxy.fail("GetItem", slow)
        assert asked(timeout=1e9) is None
