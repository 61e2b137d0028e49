"""Requests that are sent again: after throttling, lost answers and unprocessed keys, and not
else."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aioboto3  # type: ignore[import-untyped, unused-ignore]
import boto3  # type: ignore[import-untyped, unused-ignore]
import pytest
from support import (
    Fault,
    Json,
    Proxy,
    Send,
    altered,
    conflicting,
    cut,
    failed,
    lost_after,
    lost_before,
    page,
    plan,
    throttled,
    timed_out,
)

from keyfold import (
    Aborted,
    Client,
    Exists,
    Incomplete,
    Model,
    Options,
    OutcomeUnknown,
    Reason,
    Service,
    Throttled,
    Transport,
    load,
)
from keyfold.aio import AsyncClient
from keyfold.lower.steps import Request
from keyfold.transport.limit import Limit
from keyfold.transport.policy import Attempts, Lost, NotSent, Outcome, Wait

THING = {"thingId": "retries"}


@pytest.mark.parametrize("fault", [throttled, lost_before, lost_after, failed])
def test_reads_are_sent_again(proxied: Client, proxy: Proxy, fault: Fault) -> None:
    proxied.put("Thing", THING)
    proxy.operations()
    proxy.fail("GetItem", fault, fault)
    assert proxied.one("thing", THING) is not None
    assert proxy.operations() == ["GetItem"] * 3


def test_reads_end_with_their_error(proxied: Client, proxy: Proxy) -> None:
    proxy.fail("GetItem", *[throttled] * 5)
    with pytest.raises(Throttled) as caught:
        proxied.one("thing", THING)
    assert caught.value.code == "throttled"
    assert caught.value.exception == "ProvisionedThroughputExceededException"
    assert proxy.operations() == ["GetItem"] * 5
    proxy.fail("GetItem", *[lost_after] * 5)
    with pytest.raises(Transport):
        proxied.one("thing", THING)


def test_a_deadline_bounds_retries(model: Model, proxy: Proxy) -> None:
    proxy.fail("GetItem", *[throttled] * 100)
    with Client(model, proxy.endpoint, Options(deadline=0.5, retries=100)) as client:
        started = time.monotonic()
        with pytest.raises(Throttled):
            client.one("thing", THING)
        assert time.monotonic() - started < 5


@pytest.mark.parametrize("fault", [lost_before, lost_after, failed, throttled])
def test_a_transaction_has_one_token(proxied: Client, proxy: Proxy, fault: Fault) -> None:
    """The answer that is lost is asked for again: the account is created once, and reported so."""
    name = getattr(fault, "__name__", "")
    account = {"accountId": name, "owner": "o", "email": f"{name}@retries"}
    proxy.fail("TransactWriteItems", fault, fault)
    proxied.create("Account", account)
    sent = [held for operation, held in proxy.seen if operation == "TransactWriteItems"]
    assert len(sent) == 3 and len({one["ClientRequestToken"] for one in sent}) == 1
    with pytest.raises(Exists):
        proxied.create("Account", {**account, "email": "other@retries"})
    assert len({held["ClientRequestToken"] for _, held in proxy.seen}) == 2


def test_a_transaction_whose_outcome_is_unknown_says_so(proxied: Client, proxy: Proxy) -> None:
    proxy.fail("TransactWriteItems", *[lost_after] * 5)
    with pytest.raises(OutcomeUnknown) as caught:
        proxied.create("Account", {"accountId": "u", "owner": "o", "email": "u@retries"})
    assert caught.value.code == "outcome_unknown"
    assert "put Account, put the guard of email of Things (PK = ACCOUNT#u" in caught.value.check


@pytest.mark.parametrize("fault", [lost_before, lost_after, failed])
def test_another_write_is_not_repeated(proxied: Client, proxy: Proxy, fault: Fault) -> None:
    proxied.create("Account", {"accountId": "once", "owner": "a", "email": "once@retries"})
    proxy.operations()
    proxy.fail("UpdateItem", fault)
    with pytest.raises(OutcomeUnknown, match="look at update Account of Things"):
        proxied.write("rename", {"accountId": "once", "owner": "b"})
    assert proxy.operations() == ["UpdateItem"]
    # What was refused has not happened, and is tried again.
    proxy.fail("UpdateItem", throttled)
    proxied.write("rename", {"accountId": "once", "owner": "c"})
    assert proxy.operations() == ["UpdateItem"] * 2
    proxied.delete("Account", {"accountId": "once"})


def given(endpoint: str) -> Any:
    """A program's own client of boto3."""
    made: Any = boto3
    return made.client("dynamodb", **arguments(endpoint))


def arguments(endpoint: str) -> dict[str, str]:
    keys = {"aws_access_key_id": "k", "aws_secret_access_key": "s"}
    return {"endpoint_url": endpoint, "region_name": "local", **keys}


FOREIGN = [page, cut, altered, timed_out]


@pytest.mark.parametrize("connected", [str, given])
@pytest.mark.parametrize("fault", FOREIGN)
def test_what_is_no_answer_is_a_lost_one(
    model: Model, proxy: Proxy, connected: Callable[[str], Any], fault: Fault
) -> None:
    """An answer that is not DynamoDB's is no empty one: a write would count as done."""
    name = f"foreign {connected.__name__} {fault.__name__}"
    with Client(model, connected(proxy.endpoint), Options(retries=2)) as client:
        account = {"accountId": name, "owner": "a", "email": f"{name}@retries"}
        proxy.fail("TransactWriteItems", fault)
        client.create("Account", account)
        sent = [held for operation, held in proxy.seen if operation == "TransactWriteItems"]
        assert len(sent) == 2 and len({one["ClientRequestToken"] for one in sent}) == 1
        proxy.fail("GetItem", fault, fault)
        found = client.one("account", {"accountId": name})
        assert found is not None and found["owner"] == "a"
        proxy.fail("GetItem", *[fault] * 3)
        with pytest.raises(Transport):
            client.one("account", {"accountId": name})
        proxy.operations()
        proxy.fail("UpdateItem", fault)
        with pytest.raises(OutcomeUnknown):
            client.write("rename", {"accountId": name, "owner": "b"})
        assert proxy.operations() == ["UpdateItem"]


@pytest.mark.parametrize("is_given", [False, True])
@pytest.mark.parametrize("fault", FOREIGN)
def test_the_client_that_awaits_loses_them_alike(
    model: Model, proxy: Proxy, is_given: bool, fault: Fault
) -> None:
    async def used(connection: Any) -> None:
        async with AsyncClient(model, connection, Options(retries=1)) as client:
            name = f"awaits {is_given} {fault.__name__}"
            proxy.fail("TransactWriteItems", fault)
            account = {"accountId": name, "owner": "a", "email": f"{name}@retries"}
            await client.create("Account", account)
            proxy.fail("GetItem", fault)
            assert await client.one("account", {"accountId": name}) is not None
            proxy.fail("UpdateItem", fault)
            with pytest.raises(OutcomeUnknown):
                await client.write("rename", {"accountId": name, "owner": "b"})

    async def run() -> None:
        if not is_given:
            return await used(proxy.endpoint)
        session: Any = aioboto3
        async with session.Session().client("dynamodb", **arguments(proxy.endpoint)) as own:
            await used(own)

    asyncio.run(run())


def test_a_conflict_after_a_lost_answer_keeps_the_token(proxied: Client, proxy: Proxy) -> None:
    """The write that is lost may be the one in the way, or may arrive later."""
    proxied.create("Account", {"accountId": "late", "owner": "a", "email": "late@retries"})
    held: list[Send] = []

    def late(_operation: str, _input: Json, send: Send) -> None:
        held.append(send)

    proxy.operations()
    proxy.fail("TransactWriteItems", late, conflicting)
    proxied.write("book", {"accountId": "late", "amount": 5})
    (send,) = held
    assert send()[0] == 200
    account = proxied.one("account", {"accountId": "late"})
    assert account is not None and account["balance"] == 5
    assert len({one["ClientRequestToken"] for _, one in proxy.seen if "TransactItems" in one}) == 1
    # Conflicts until the end leave it open.
    proxy.fail("TransactWriteItems", lost_before, *[conflicting] * 4)
    with pytest.raises(OutcomeUnknown):
        proxied.write("book", {"accountId": "late", "amount": 5})


BATCHES = """model batches 1

table Batches (PK)

entity Thing
  thingId: string, size: int
  key "THING#{thingId}"

pattern some(thingId[]) -> Thing[]
"""


def half(_operation: str, request: Json, send: Send) -> tuple[int, bytes]:
    """Leaves half of the keys of a batch unprocessed."""
    status, body = send()
    answer = json.loads(body)
    for table, asked in request["RequestItems"].items():
        late = asked["Keys"][len(asked["Keys"]) // 2 :]
        found = answer["Responses"][table]
        answer["Responses"][table] = [
            one for one in found if all(one["PK"] != key["PK"] for key in late)
        ]
        answer["UnprocessedKeys"] = {table: {**asked, "Keys": late}}
    return status, json.dumps(answer).encode()


def test_unprocessed_keys_are_asked_again(tmp_path: Path, proxy: Proxy) -> None:
    source = tmp_path / "batches.keyfold"
    source.write_text(BATCHES)
    with Client(load(plan(source)), proxy.endpoint) as client:
        client.ensure_tables()
        ids = [f"t{at:03}" for at in range(120)]
        for at, one in enumerate(ids):
            client.put("Thing", {"thingId": one, "size": at})
        proxy.operations()
        proxy.fail("BatchGetItem", half, half, half)
        found = client.all("some", {"thingId": [*ids, "none"]})
        assert [item["thingId"] for item in found] == ids
        assert len(proxy.operations()) >= 5


def test_a_client_that_is_closed_sends_nothing_and_says_what_it_has_done(
    model: Model, proxy: Proxy
) -> None:
    items = [{"accountId": "closed", "amount": at} for at in range(50)]
    client = Client(model, proxy.endpoint)

    def closing(_operation: str, _request: Json, send: Send) -> tuple[int, bytes]:
        """Closes the client while both requests are under way, and leaves one item."""
        while [operation for operation, _ in proxy.seen].count("BatchWriteItem") < 2:
            time.sleep(0.01)
        threading.Thread(target=client.close).start()
        time.sleep(0.1)
        return leaving(_operation, _request, send)

    def leaving(_operation: str, request: Json, send: Send) -> tuple[int, bytes]:
        """Leaves one item of a batch unprocessed."""
        send()
        ((table, requests),) = request["RequestItems"].items()
        return 200, json.dumps({"UnprocessedItems": {table: requests[-1:]}}).encode()

    proxy.fail("BatchWriteItem", closing, leaving)
    with pytest.raises(Incomplete, match="the client is closed") as error:
        client.put_many("Booking", items)
    assert (len(error.value.written), len(error.value.unwritten)) == (48, 2)
    sent = len(proxy.operations())
    # Whatever it is, and however many requests it has.
    calls: list[Callable[[], object]] = [
        lambda: client.one("thing", THING),
        lambda: client.put("Thing", THING),
        lambda: client.put_many("Booking", items),
    ]
    for call in calls:
        with pytest.raises(Transport, match="the client is closed"):
            call()
    assert sent > 0 and proxy.operations() == []


def test_a_timeout_aborts_a_call(model: Model, proxied: Client, proxy: Proxy) -> None:
    def slow(_operation: str, _request: Json, send: Send) -> tuple[int, bytes]:
        time.sleep(0.6)
        return send()

    proxy.fail("GetItem", throttled, *[slow] * 3)
    with pytest.raises((Aborted, Throttled)):
        proxied.one("thing", THING, timeout=0.05)
    proxy.faults.clear()
    proxy.fail("GetItem", slow)
    with pytest.raises(Aborted, match="did not end within 0.3 seconds") as caught:
        proxied.put("Thing", THING, timeout=0.3)
    assert caught.value.code == "aborted"

    async def run() -> None:
        async with AsyncClient(model, proxy.endpoint, Options(timeout=0.2)) as client:
            proxy.fail("GetItem", slow)
            started = time.monotonic()
            with pytest.raises(Aborted):
                await client.one("thing", THING)
            assert time.monotonic() - started < 0.55
            proxy.fail("GetItem", slow)
            await client.one("thing", THING, timeout=30)
            # A read under way changes nothing; a write may.
            proxy.fail("GetItem", slow)
            with pytest.raises(Aborted):
                await client.put("Thing", THING)
            reference = "123e4567-e89b-12d3-a456-426614174001"
            for operation, late in (
                ("PutItem", client.create("Thing", {"thingId": "late"})),
                (
                    "TransactWriteItems",
                    client.create("Thing", {"thingId": "late", "reference": reference}),
                ),
            ):
                proxy.fail(operation, slow)
                with pytest.raises(OutcomeUnknown, match="did not end within 0.2 sec") as writing:
                    await late
                assert "late" in writing.value.check
            # The program's own end of a task is no error of the call.
            proxy.fail("GetItem", slow)
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(client.one("thing", THING, timeout=30), 0.1)

    asyncio.run(run())


def test_the_client_that_awaits_retries_alike(model: Model, proxy: Proxy) -> None:
    async def outcome(call: Callable[[], Awaitable[Any]]) -> object:
        try:
            return await call()
        except (Service, OutcomeUnknown, Transport) as error:
            return error.code

    async def run() -> None:
        options = Options(retries=2)
        async with AsyncClient(model, proxy.endpoint, options) as client:
            account = {"accountId": "aio retries", "owner": "o", "email": "aio@retries"}
            proxy.fail("TransactWriteItems", lost_after, failed)
            await client.create("Account", account)
            proxy.fail("GetItem", throttled, lost_before)
            assert await client.one("account", {"accountId": "aio retries"}) is not None
            rename = {"accountId": "aio retries", "owner": "p"}
            proxy.fail("UpdateItem", lost_after)
            assert await outcome(lambda: client.write("rename", rename)) == "outcome_unknown"
            proxy.fail("GetItem", *[throttled] * 3)
            one = {"accountId": "aio retries"}
            assert await outcome(lambda: client.one("account", one)) == "throttled"

    asyncio.run(run())


THROTTLED = Service("ThrottlingException", "slow")
CANCELLED = Service("TransactionCanceledException", "no", (Reason("ThrottlingError", None),))
CONFLICT = Service("TransactionCanceledException", "no", (Reason("TransactionConflict", None),))
REFUSED = Service("ConditionalCheckFailedException", "no")
FAILED = Service("TransactionCanceledException", "no", (Reason("ConditionalCheckFailed", None),))
DENIED = Service("AccessDeniedException", "no")
UNDER_WAY = Service("TransactionInProgressException", "wait")
LOST, AWAY = Lost("closed"), NotSent("refused")


@pytest.mark.parametrize(
    ("operation", "outcomes", "code"),
    [
        # The last outcome is final.
        ("GetItem", [LOST, REFUSED], "service"),
        ("Query", [AWAY, AWAY, AWAY], "transport"),
        ("PutItem", [LOST], "outcome_unknown"),
        ("PutItem", [AWAY, THROTTLED, REFUSED], "service"),
        ("PutItem", [THROTTLED, LOST], "outcome_unknown"),
        ("PutItem", [AWAY, AWAY, AWAY], "transport"),
        # It may be an attempt of this request that is under way, which no token tells apart.
        ("PutItem", [UNDER_WAY], "outcome_unknown"),
        ("GetItem", [UNDER_WAY, UNDER_WAY, UNDER_WAY], "service"),
        ("TransactWriteItems", [CANCELLED, CANCELLED, CANCELLED], "throttled"),
        # A cancelled transaction says that no earlier attempt with this token succeeded; a refusal
        # before tokens are compared does not, and silence does not. The exception of a single
        # write is none of a transaction's.
        ("TransactWriteItems", [LOST, FAILED], "service"),
        ("TransactWriteItems", [LOST, REFUSED], "outcome_unknown"),
        ("TransactWriteItems", [LOST, DENIED], "outcome_unknown"),
        ("TransactWriteItems", [LOST, AWAY, DENIED], "outcome_unknown"),
        ("TransactWriteItems", [UNDER_WAY, DENIED], "outcome_unknown"),
        ("TransactWriteItems", [THROTTLED, DENIED], "service"),
        ("GetItem", [LOST, DENIED], "service"),
        ("TransactWriteItems", [LOST, AWAY, THROTTLED], "outcome_unknown"),
        # Without a lost attempt the write is made again; with one, it keeps its token.
        ("TransactWriteItems", [CONFLICT], "service"),
        ("TransactWriteItems", [LOST, CONFLICT, CONFLICT], "outcome_unknown"),
        ("CreateTable", [LOST], "outcome_unknown"),
    ],
)
def test_outcomes_decide(operation: str, outcomes: list[Outcome], code: str) -> None:
    attempts = Attempts(Request(operation, {}), started=0.0, deadline=60.0, retries=2)
    *waits, last = [attempts.after(outcome, 1.0) for outcome in outcomes]
    assert all(isinstance(one, Wait) for one in waits)
    assert not isinstance(last, Wait) and last.code == code


@pytest.mark.parametrize("minutes", [8, 10])
def test_a_lost_transaction_is_not_sent_again_when_its_token_may_be_forgotten(
    model: Model, proxy: Proxy, monkeypatch: pytest.MonkeyPatch, minutes: int
) -> None:
    """The machine sleeps while the answer is awaited: the service knows a token for ten minutes,
    and would carry the transaction out a second time."""
    clock = time.time
    slept = 0.0

    def lost_in_sleep(operation: str, given: Json, send: Send) -> None:
        nonlocal slept
        slept += minutes * 60
        lost_after(operation, given, send)

    monkeypatch.setattr("keyfold.transport.policy.time.time", lambda: clock() + slept)
    request = Request("TransactWriteItems", {"TransactItems": []})
    proxy.fail("TransactWriteItems", lost_in_sleep)
    with Client(model, proxy.endpoint) as client:
        answers = [client._driver._answer(request, Limit(None, "a write"), "a write")]

    async def awaited() -> None:
        async with AsyncClient(model, proxy.endpoint) as client:
            proxy.fail("TransactWriteItems", lost_in_sleep)
            driver = client._driver
            assert driver is not None
            answers.append(await driver._answer(request, Limit(None, "a write"), "a write"))

    asyncio.run(awaited())
    for answer in answers:
        assert isinstance(answer, OutcomeUnknown)
        assert ("; it was not sent again 600 s after its start" in answer.why) == (minutes == 10)
    assert len(proxy.operations()) == (2 if minutes == 10 else 4)
