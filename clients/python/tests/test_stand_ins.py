"""A program's own stand-in for a client of boto3 or aioboto3, whose answers nobody has checked."""

from __future__ import annotations

import asyncio
from datetime import datetime, timezone
from types import SimpleNamespace
from typing import Any

import pytest

from keyfold import Client, Model, Options, OutcomeUnknown, Transport
from keyfold.aio import AsyncClient
from keyfold.transport.answers import given

READ = ("all", "bookings", {"accountId": "a"})


def stand_in(answer: object) -> Any:
    """A client that answers so to each request."""
    events = SimpleNamespace(register=lambda *_, **__: None, unregister=lambda *_, **__: None)
    methods = ("query", "put_item", "get_item", "batch_get_item")
    made = {name: lambda **_: answer for name in methods}
    return SimpleNamespace(meta=SimpleNamespace(events=events), **made)


def blocking(model: Model, answer: object, call: tuple[Any, ...]) -> Any:
    """The result of a call of the client that blocks."""
    with Client(model, stand_in(answer), Options(retries=1)) as client:
        return getattr(client, call[0])(*call[1:])


def awaiting(model: Model, answer: object, call: tuple[Any, ...]) -> Any:
    """That of the client that awaits."""

    async def run() -> Any:
        own = stand_in(answer)
        for name in ("query", "put_item", "get_item", "batch_get_item"):

            async def answers(**_: Any) -> object:
                return answer

            setattr(own, name, answers)
        async with AsyncClient(model, own, Options(retries=1)) as client:
            return await getattr(client, call[0])(*call[1:])

    return asyncio.run(run())


@pytest.mark.parametrize("ask", [blocking, awaiting])
@pytest.mark.parametrize(
    ("call", "answer"),
    [
        (READ, {"Items": [5], "Count": 1}),
        (READ, {"Items": [{"PK": {}}], "Count": 1}),
        (READ, {"Items": [{"PK": "ACCOUNT#a"}], "Count": 1}),
        (READ, {"Items": 5, "Count": 1}),
        (READ, {"Items": [{"PK": {"L": [{"M": {"a": {}}}]}}], "Count": 1}),
        (READ, {"Items": [], "Count": 0, "LastEvaluatedKey": {"PK": {}}}),
        (READ, [5]),
        (READ, None),
        (("one", "thing", {"thingId": "a"}), {"Item": []}),
        (("get_many", "Thing", [{"thingId": "a"}]), {"Responses": {"Things": [5]}}),
        (("get_many", "Thing", [{"thingId": "a"}]), {"UnprocessedKeys": {"Things": 5}}),
    ],
)
def test_a_misshapen_answer_is_no_answer(model: Model, ask: Any, call: Any, answer: object) -> None:
    with pytest.raises(Transport, match="the answer is none to "):
        ask(model, answer, call)


@pytest.mark.parametrize("ask", [blocking, awaiting])
@pytest.mark.parametrize("answer", [None, {"Attributes": {"PK": {}}}])
def test_a_misshapen_answer_to_a_write_leaves_it_open(
    model: Model, ask: Any, answer: object
) -> None:
    with pytest.raises(OutcomeUnknown, match="the answer is none to PutItem"):
        ask(model, answer, ("create", "Thing", {"thingId": "a"}))


def test_the_answer_of_a_client_stays_as_it_is() -> None:
    """Bytes are bytes there, and moments moments."""
    held = {"Items": [{"b": {"B": b"\xff"}, "s": {"BS": [b"x"]}}], "ResponseMetadata": {"a": 1}}
    assert given("Query", held) is held and held["Items"] == [
        {"b": {"B": b"\xff"}, "s": {"BS": [b"x"]}}
    ]
    table = {"Table": {"TableName": "T", "CreationDateTime": datetime.now(timezone.utc)}}
    assert given("DescribeTable", table) is table
