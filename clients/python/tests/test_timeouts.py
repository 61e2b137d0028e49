"""A batch whose time is over says what was written, what was not, and what may have been."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from both import BOTH, Asked, awaiting, blocking, called, name_of
from support import Fault, Json, Proxy, Send

from keyfold import Aborted, Client, Incomplete, KeyfoldError, Model, Options


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
    proxy.fail("BatchWriteItem", *[slow] * 10)
    with pytest.raises(Incomplete) as part:
        blocking(model, proxy.endpoint, Options(), batch("slow", 250))
    assert (len(part.value.written), len(part.value.unwritten)) == (200, 50)
    assert there(client, "slow") == list(part.value.written)
    assert proxy.operations() == ["BatchWriteItem"] * 8


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
