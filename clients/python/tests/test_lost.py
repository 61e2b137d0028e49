"""A transaction whose answer was lost is not reported as refused, where its repeat is refused."""

from __future__ import annotations

import json
import socket
import struct
import threading

import pytest
from both import ALL, BOTH, Asked, called, name_of
from support import Fault, Json, Proxy, Send, lost_after, lost_before

from keyfold import (
    Client,
    Exists,
    Incomplete,
    Model,
    Options,
    OutcomeUnknown,
    Service,
    Transport,
)


def refusing(exception: str) -> Fault:
    """Refuses a request with an exception."""

    def refuse(_operation: str, _input: Json, _send: Send) -> tuple[int, bytes]:
        name = f"com.amazonaws.dynamodb.v20120810#{exception}"
        return 400, json.dumps({"__type": name, "message": "no"}).encode()

    return refuse


class Reset:
    """A server that reads each request and resets its connection."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.endpoint = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.requests = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                opened, _ = self._socket.accept()
            except OSError:
                return
            opened.recv(1)
            self.requests += 1
            # Closing sends a reset at once.
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            opened.close()

    def close(self) -> None:
        self._socket.close()


@pytest.mark.parametrize("ask", ALL)
def test_a_connection_that_is_reset_was_one(model: Model, ask: Asked) -> None:
    """aiobotocore says that it could not be opened."""
    server = Reset()
    rename = called("write", "rename", {"accountId": "reset", "owner": "o"})
    with pytest.raises(OutcomeUnknown):
        ask(model, server.endpoint, Options(retries=1), rename)
    assert server.requests == 1
    server.close()


OPEN = [
    "AccessDeniedException",
    "ExpiredTokenException",
    "IdempotentParameterMismatchException",
    "ResourceNotFoundException",
    "SomeNewException",
    "UnrecognizedClientException",
    "ValidationException",
]
"""What the service says of a request, whatever became of the one before."""


@pytest.mark.parametrize("ask", BOTH)
@pytest.mark.parametrize("exception", OPEN)
@pytest.mark.parametrize("lost", [lost_after, lost_before])
def test_a_refused_repeat_does_not_show_what_became_of_the_first(
    model: Model, proxy: Proxy, ask: Asked, exception: str, lost: Fault
) -> None:
    name = f"{name_of(ask)} {exception} {lost.__name__}"
    account = {"accountId": name, "owner": "o", "email": f"{name}@lost"}
    proxy.fail("TransactWriteItems", lost, refusing(exception))
    with pytest.raises(OutcomeUnknown, match=f"sent again, it was refused: {exception}: no"):
        ask(model, proxy.endpoint, Options(), called("create", "Account", account))
    # Without a lost answer, a refusal is one.
    proxy.fail("TransactWriteItems", refusing(exception))
    with pytest.raises(Service) as caught:
        ask(model, proxy.endpoint, Options(), called("create", "Account", account))
    assert caught.value.exception == exception


@pytest.mark.parametrize("ask", BOTH)
def test_a_condition_that_refuses_a_repeat_is_a_refusal(
    model: Model, proxy: Proxy, ask: Asked
) -> None:
    """With the token of the first, which would have succeeded again if it had."""
    account = {"accountId": "decided", "owner": "o", "email": f"{name_of(ask)}@decided"}
    with Client(model, proxy.endpoint) as client:
        client.put("Account", account)
    proxy.fail("TransactWriteItems", lost_after)
    with pytest.raises(Exists):
        ask(model, proxy.endpoint, Options(), called("create", "Account", account))


@pytest.mark.parametrize("ask", BOTH)
def test_a_transaction_that_is_under_way_is_not_refused(
    model: Model, proxy: Proxy, ask: Asked
) -> None:
    account = {"accountId": "under way", "owner": "o", "email": "under@way"}
    proxy.fail("TransactWriteItems", *[refusing("TransactionInProgressException")] * 3)
    with pytest.raises(OutcomeUnknown, match="TransactionInProgressException"):
        ask(model, proxy.endpoint, Options(retries=2), called("create", "Account", account))


@pytest.mark.parametrize("ask", BOTH)
@pytest.mark.parametrize("length", [1, 2, 5])
def test_pages_that_come_again_are_no_endless_loop(
    model: Model, proxy: Proxy, ask: Asked, length: int
) -> None:
    def again(_operation: str, given: Json, _send: Send) -> tuple[int, bytes]:
        before = given.get("ExclusiveStartKey", {"SK": {"S": "NOTE#000000"}})
        at = (int(before["SK"]["S"][5:]) + 1) % (length + 3)
        end = {"PK": {"S": "THING#t"}, "SK": {"S": f"NOTE#{at or 3:06}"}}
        return 200, json.dumps({"Items": [], "Count": 0, "LastEvaluatedKey": end}).encode()

    proxy.fail("Query", *([again] * 100))
    with pytest.raises(Transport, match="notes has a page again"):
        ask(model, proxy.endpoint, Options(), called("all", "notes", {"thingId": "t"}, most=9))
    assert len(proxy.operations()) < 4 * length + 20


def foreign(_operation: str, request: Json, send: Send) -> tuple[int, bytes]:
    """Writes a batch, and leaves an item that nobody sent."""
    send()
    (table,) = request["RequestItems"]
    other = {"PutRequest": {"Item": {"PK": {"S": "ACCOUNT#x"}, "SK": {"S": "y"}}}}
    return 200, json.dumps({"UnprocessedItems": {table: [other]}}).encode()


def deletions(_operation: str, request: Json, send: Send) -> tuple[int, bytes]:
    """Writes a batch, and leaves deletions of what it puts."""
    send()
    ((table, requests),) = request["RequestItems"].items()
    items = [one["PutRequest"]["Item"] for one in requests]
    left = [{"DeleteRequest": {"Key": {"PK": one["PK"], "SK": one["SK"]}}} for one in items]
    return 200, json.dumps({"UnprocessedItems": {table: left}}).encode()


@pytest.mark.parametrize("ask", BOTH)
@pytest.mark.parametrize("fault", [foreign, deletions])
def test_an_answer_that_leaves_what_was_not_sent_is_lost(
    model: Model, proxy: Proxy, ask: Asked, fault: Fault
) -> None:
    items = [{"accountId": "left", "amount": at} for at in range(3)]
    proxy.fail("BatchWriteItem", fault)
    with pytest.raises(Incomplete) as error:
        ask(model, proxy.endpoint, Options(), called("put_many", "Booking", items))
    assert error.value.unknown == (0, 1, 2)
