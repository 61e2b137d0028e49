"""Another service's JSON is no answer: a write is not reported as done, nor a read as empty."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from both import ALL, BOTH, Asked, called, model_of, name_of
from support import Json, Proxy, Send

from keyfold import Model, Options, OutcomeUnknown, Transport
from keyfold.lower.steps import Request
from keyfold.transport.answers import NoAnswer, fitting, members
from keyfold.transport.boto import METHODS


def other(_operation: str, _input: Json, send: Send) -> tuple[int, bytes]:
    """Carries a request out, and answers as the page of a monitor does."""
    send()
    return 200, b'{"status":"ok"}'


def empty(_operation: str, _input: Json, send: Send) -> tuple[int, bytes]:
    """Carries a request out, and answers nothing."""
    send()
    return 200, b"{}"


@pytest.mark.parametrize("ask", ALL)
def test_the_json_of_another_is_no_answer(model: Model, proxy: Proxy, ask: Asked) -> None:
    name = f"other {name_of(ask)}"
    account = {"accountId": name, "owner": "o", "email": f"{name}@lost"}
    key, options = {"accountId": name}, Options(retries=2)

    def do(*of: Any) -> Any:
        return ask(model, proxy.endpoint, options, called(*of))

    proxy.fail("TransactWriteItems", other)
    do("create", "Account", account)
    assert proxy.operations().count("TransactWriteItems") == 2
    proxy.fail("TransactWriteItems", *[other] * 3)
    with pytest.raises(OutcomeUnknown, match="has no member of an answer to TransactWriteItems"):
        do("write", "book", {**key, "amount": 1})
    proxy.fail("UpdateItem", other)
    with pytest.raises(OutcomeUnknown):
        do("write", "rename", {**key, "owner": "p"})
    proxy.fail("GetItem", other, other)
    found = do("one", "account", key)
    assert found["owner"] == "p"
    for fault in (other, empty):
        proxy.fail("Query", fault)
        assert len(do("all", "bookings", key)) == 1
        proxy.fail("Query", *[fault] * 3)
        with pytest.raises(Transport, match="has no member of an answer to Query"):
            do("all", "bookings", key)
    proxy.fail("UpdateItem", empty)
    do("write", "rename", {**key, "owner": "q"})


SILENT = {"GetItem", "PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"}
"""The operations whose answers may have no member: a write is done, or there is no item."""


@pytest.mark.parametrize("operation", sorted(METHODS))
def test_an_answer_without_members(operation: str) -> None:
    """A batch would be taken for written, keys for those of no item."""
    if operation in SILENT:
        assert members(model_of(operation), 200, b"{}", None) == {}
        return
    with pytest.raises(NoAnswer, match=f"has no member of an answer to {operation}"):
        members(model_of(operation), 200, b"{}", None)


@pytest.mark.parametrize(
    ("operation", "content", "is_answer"),
    [
        ("BatchWriteItem", b'{"ConsumedCapacity":[]}', False),
        ("BatchWriteItem", b'{"UnprocessedItems":{}}', True),
        ("BatchGetItem", b'{"UnprocessedKeys":{}}', False),
        ("BatchGetItem", b'{"Responses":{}}', True),
        ("TransactGetItems", b'{"ConsumedCapacity":[]}', False),
        ("TransactGetItems", b'{"Responses":[]}', True),
        ("Query", b'{"ConsumedCapacity":{}}', False),
        ("Query", b'{"Count":0}', True),
        ("PutItem", b'{"ConsumedCapacity":{}}', True),
        ("ListTagsOfResource", b'{"Tags":[]}', True),
    ],
)
def test_the_member_that_an_answer_always_has(
    operation: str, content: bytes, is_answer: bool
) -> None:
    if is_answer:
        assert len(members(model_of(operation), 200, content, None)) == 1
        return
    with pytest.raises(NoAnswer):
        members(model_of(operation), 200, content, None)


def _batch(keys: list[Json], found: list[Json], left: list[Json] | None = None) -> Json:
    """The answer to a batch that reads keys: what it finds and leaves. Raises `NoAnswer`."""
    request = Request("BatchGetItem", {"RequestItems": {"Main": {"Keys": keys}}})
    answer = {"Responses": {"Main": found}, "UnprocessedKeys": {"Main": {"Keys": left or []}}}
    return fitting(request, answer)


@pytest.mark.parametrize(
    ("asked", "found", "is_same"),
    [
        ({"N": "1"}, {"N": "1.0"}, True),
        ({"N": "0"}, {"N": "-0"}, True),
        ({"N": "100"}, {"N": "1E2"}, True),
        ({"B": b"abc"}, {"B": b"abc"}, True),
        ({"N": "1"}, {"S": "1"}, False),
        ({"N": "1"}, {"N": "2"}, False),
        ({"S": "YWJj"}, {"B": b"YWJj"}, False),
        ({"S": "1"}, {"BOOL": True}, False),
        ({"S": "1"}, {"L": [{"S": "1"}]}, False),
    ],
)
def test_a_key_is_told_by_types_and_values(asked: Json, found: Json, is_same: bool) -> None:
    item, key = {"k": found}, {"k": asked}
    calls: list[Callable[[], object]] = [
        lambda: fitting(Request("GetItem", {"TableName": "Main", "Key": key}), {"Item": item}),
        lambda: _batch([key], [item]),
        lambda: _batch([key], [], [item]),
    ]
    for call in calls:
        if is_same:
            call()
        else:
            with pytest.raises(NoAnswer, match="of a key that was not asked for"):
                call()


def test_a_key_that_is_left_has_the_attributes_of_one() -> None:
    one, two = ({"a": {"S": name}, "b": {"N": "1"}} for name in "xy")
    for item in (two, {}, {"a": {"S": "y"}}, {"b": {"N": "1.0"}, "c": {"S": "z"}}):
        _batch([one, two], [item])
    for left in ({}, {"a": {"S": "x"}}, {**one, "c": {"S": "z"}}):
        with pytest.raises(NoAnswer, match="a key with other attributes"):
            _batch([one, two], [], [left])


def test_each_item_of_a_snapshot_is_of_its_key() -> None:
    one, two = ({"a": {"S": name}, "b": {"N": "1"}} for name in "xy")
    gets = [{"Get": {"TableName": "Main", "Key": key}} for key in (one, two)]

    def read(*found: Json) -> None:
        answer = {"Responses": [{"Item": item} if item else {} for item in found]}
        fitting(Request("TransactGetItems", {"TransactItems": gets}), answer)

    # The attributes of a key may not be read, and an item may not exist.
    for item in (two, {**two, "c": {"S": "z"}}, {"b": {"N": "1.0"}}, {"c": {"S": "z"}}, {}):
        read(one, item)
    read({}, {})
    for found in (
        (two, one),
        (one, one),
        ({}, one),
        (one, {"a": {"S": "x"}}),
        ({"b": {"N": "2"}},),
    ):
        with pytest.raises(NoAnswer):
            read(*found)
    with pytest.raises(NoAnswer, match="an item of a key that was not asked for"):
        read(two, one)


def test_the_keys_of_a_batch_are_compared_in_a_time_that_grows_as_they_do() -> None:
    looks = 0

    class Watched(dict[str, Any]):
        def __getitem__(self, name: str) -> Any:
            nonlocal looks
            looks += 1
            return super().__getitem__(name)

        def items(self) -> Any:
            nonlocal looks
            looks += 1
            return super().items()

    keys: list[Json] = [Watched(k={"S": str(at)}) for at in range(100)]
    found: list[Json] = [{"k": {"S": str(99 - at)}} for at in range(100)]
    _batch(keys, found, found)
    assert looks <= 10 * len(keys)


def _query(found: list[Json], **more: Any) -> None:
    """The answer to a query of a partition, with these items. Raises `NoAnswer`."""
    given = {
        "TableName": "Main",
        "Limit": 2,
        "KeyConditionExpression": "#n0 = :v0 AND #n1 = :v1 AND #n2 BETWEEN :v2 AND :v3",
        "ExpressionAttributeNames": {"#n0": "a", "#n1": "b", "#n2": "c"},
        "ExpressionAttributeValues": {
            ":v0": {"S": "x"},
            ":v1": {"N": "10"},
            ":v2": {"S": "e"},
            ":v3": {"S": "f"},
        },
    }
    fitting(Request("Query", given), {"Items": found, "Count": len(found), **more})


def test_each_item_of_a_query_is_of_its_partition() -> None:
    one: Json = {"a": {"S": "x"}, "b": {"N": "1E1"}, "c": {"S": "e"}}
    # What is no part of the partition, and what was not read, is not compared.
    for item in (one, {}, {"b": {"N": "10"}}, {"z": {"S": "y"}}):
        _query([one, item])
    for item in ({**one, "a": {"S": "y"}}, {"a": {"B": b"x"}}, {**one, "b": {"N": "1"}}):
        with pytest.raises(NoAnswer, match="an item of another partition"):
            _query([one, item])
    end = {**one, "k": {"S": "z"}}
    _query([one], LastEvaluatedKey=end)
    for wrong in ({**end, "a": {"S": "y"}}, {**end, "b": {"N": "1"}}, {"a": {"S": "x"}}):
        with pytest.raises(NoAnswer, match="ends in another partition"):
            _query([one], LastEvaluatedKey=wrong)


@pytest.mark.parametrize("operation", ["Query", "Scan"])
def test_the_items_of_a_page_are_as_many_as_it_says(operation: str) -> None:
    given: Json = {"TableName": "Main", "Limit": 2}

    def read(count: int, **more: Any) -> None:
        fitting(Request(operation, given), {"Items": [{}] * count, **more})

    for count in (0, 1, 2):
        read(count)
        read(count, Count=count)
    for said in (0, 7):
        with pytest.raises(NoAnswer, match=f"says that it has {said} items, and has 1"):
            read(1, Count=said)
    with pytest.raises(NoAnswer, match="has 3 items of at most 2"):
        read(3, Count=3)
    counts = {**given, "Select": "COUNT"}
    fitting(Request(operation, counts), {"Count": 2})
    with pytest.raises(NoAnswer, match="has 3 items of at most 2"):
        fitting(Request(operation, counts), {"Count": 3})


def _paged(items: list[Json], **more: Any) -> Callable[..., tuple[int, bytes]]:
    def answer(_operation: str, _input: Json, _send: Send) -> tuple[int, bytes]:
        return 200, json.dumps({"Items": items, "Count": len(items), **more}).encode()

    return answer


@pytest.mark.parametrize("ask", ALL)
def test_the_page_of_another_partition_is_a_lost_answer(
    model: Model, proxy: Proxy, ask: Asked
) -> None:
    def note(thing: str) -> Json:
        key = {"PK": {"S": f"THING#{thing}"}, "SK": {"S": "NOTE#000001"}}
        return {**key, "noteId": {"N": "1"}, "text": {"S": ""}, "level": {"N": "0"}}

    def all_notes() -> Any:
        calls = called("all", "notes", {"thingId": "own"})
        return ask(model, proxy.endpoint, Options(retries=2), calls)

    other = {name: note("other")[name] for name in ("PK", "SK")}
    wrong = [_paged([note("other")]), _paged([], LastEvaluatedKey=other)]
    wrong += [_paged([note("own")] * 5), _paged([note("own")], Count=7)]
    for fault in wrong:
        proxy.operations()
        proxy.fail("Query", fault)
        assert all_notes() == []
        assert proxy.operations() == ["Query", "Query"]
        proxy.fail("Query", *[fault] * 3)
        with pytest.raises(Transport):
            all_notes()


@pytest.mark.parametrize("ask", BOTH)
@pytest.mark.parametrize(
    "end",
    [
        {"PK": {"S": "THING#own"}},
        {"x": {"S": "y"}},
        {"PK": {"S": "THING#own"}, "SK": {"N": "1"}},
        {"PK": {"S": "THING#own"}, "SK": {"S": ""}},
        {"PK": {"S": "THING#own"}, "SK": {"S": "NOTE#000001"}, "x": {"S": "y"}},
    ],
)
def test_a_page_that_ends_at_no_key_is_no_mistake_of_the_program(
    model: Model, proxy: Proxy, ask: Asked, end: Json
) -> None:
    """Nor is it handed out as a cursor, which the next call would refuse."""
    for pattern, args in (("notes", {"thingId": "own"}), ("all_notes", {})):
        for name in ("page", "all"):
            proxy.fail("Query", *[_paged([], LastEvaluatedKey=end)] * 9)
            with pytest.raises(Transport):
                ask(model, proxy.endpoint, Options(retries=2), called(name, pattern, args))
            proxy.faults.clear()
