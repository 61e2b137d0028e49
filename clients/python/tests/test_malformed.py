"""Answers of another service or of a proxy, with DynamoDB's names of members and other types, or
with other statuses: each is a lost answer, whatever the client is made of."""

from __future__ import annotations

import zlib
from typing import Any

import pytest
from both import ALL, Asked, called, model_of, name_of
from support import Answered, Fault, Json, Proxy, Send, failed

from keyfold import Client, Incomplete, Model, Options, OutcomeUnknown, Transport
from keyfold.transport.answers import NoAnswer, members
from keyfold.transport.boto import METHODS

_VALUES = [
    '{"a":5}',
    '{"a":null}',
    '{"a":{}}',
    '{"a":"S"}',
    '{"a":{"S":5}}',
    '{"a":{"N":"x"}}',
    '{"a":{"N":5}}',
    '{"a":{"N":"1e400"}}',
    '{"a":{"B":"="}}',
    '{"a":{"BOOL":"true"}}',
    '{"a":{"NULL":false}}',
    '{"a":{"L":{}}}',
    '{"a":{"L":[5]}}',
    '{"a":{"M":[]}}',
    '{"a":{"M":{"b":5}}}',
    '{"a":{"SS":"b"}}',
    '{"a":{"SS":[5]}}',
    '{"a":{"NS":["x"]}}',
    '{"a":{"BS":[5]}}',
    '{"a":{"X":"b"}}',
    '{"a":{"S":"b","N":"1"}}',
    r'{"a":{"S":"\ud800"}}',
]
"""Items with a value that is none."""
_WRONG = ["5", "[5]", '"x"', "true", "[]", *_VALUES]
"""What is no item."""
_UNITS = [f'{{"ConsumedCapacity":{one}}}' for one in ("7", '"x"', '{"CapacityUnits":"x"}', "[7]")]
_UNREADABLE = [b"", b"null", b"[]", b"5", b'{"Item":', b"\xff\xfe", b"[" * 100_000]
_ITEM = [f'{{"Item":{one}}}' for one in _WRONG]
_WRITTEN = ['{"Attributes":[]}', *(f'{{"Attributes":{one}}}' for one in _VALUES), *_UNITS]
_FOUND = [
    '{"Items":{},"Count":1}',
    '{"Items":[null],"Count":1}',
    '{"Items":[],"Count":"x"}',
    '{"Items":[],"Count":NaN}',
    '{"Items":[],"LastEvaluatedKey":5}',
    *(f'{{"Items":[{one}],"Count":1}}' for one in _WRONG),
    *(f'{{"Items":[],"LastEvaluatedKey":{one}}}' for one in _WRONG),
    *(f'{one[:-1]},"Items":[]}}' for one in _UNITS),
]
_BATCH = [
    '{"Responses":5}',
    '{"Responses":[]}',
    '{"Responses":{"Things":{}}}',
    '{"Responses":{},"UnprocessedKeys":5}',
    '{"Responses":{},"UnprocessedKeys":{"Things":{}}}',
    '{"Responses":{},"UnprocessedKeys":{"Things":{"Keys":[5]}}}',
    *(f'{{"Responses":{{"Things":[{one}]}}}}' for one in _WRONG),
]
_UNWRITTEN = [
    '{"UnprocessedItems":[]}',
    '{"UnprocessedItems":{"Things":5}}',
    '{"UnprocessedItems":{"Things":[{}]}}',
    '{"UnprocessedItems":{"Things":[{"PutRequest":{}}]}}',
    *(f'{{"UnprocessedItems":{{"T":[{{"PutRequest":{{"Item":{one}}}}}]}}}}' for one in _WRONG),
]
MALFORMED: dict[str, list[str]] = {
    "BatchGetItem": _BATCH,
    "BatchWriteItem": _UNWRITTEN,
    "CreateTable": ['{"TableDescription":5}'],
    "DeleteItem": _WRITTEN,
    "DescribeContinuousBackups": [
        '{"ContinuousBackupsDescription":5}',
        '{"ContinuousBackupsDescription":{"PointInTimeRecoveryDescription":5}}',
    ],
    "DescribeTable": [
        '{"Table":5}',
        '{"Table":null}',
        '{"Table":{"KeySchema":{}}}',
        '{"Table":{"KeySchema":[{}]}}',
        '{"Table":{"AttributeDefinitions":[5]}}',
        '{"Table":{"GlobalSecondaryIndexes":[5]}}',
    ],
    "DescribeTimeToLive": ['{"TimeToLiveDescription":[]}'],
    "GetItem": _ITEM + _UNITS,
    "ListTagsOfResource": ['{"Tags":{}}', '{"Tags":[5]}', '{"Tags":[{"Key":"a"}]}'],
    "PutItem": _WRITTEN,
    "Query": _FOUND,
    "Scan": _FOUND,
    "TransactGetItems": [
        '{"Responses":{}}',
        '{"Responses":[5]}',
        *(f'{{"Responses":[{one}]}}' for one in _ITEM),
    ],
    "TransactWriteItems": _UNITS,
    "UpdateContinuousBackups": ['{"ContinuousBackupsDescription":[]}'],
    "UpdateItem": _WRITTEN,
    "UpdateTimeToLive": ['{"TimeToLiveSpecification":5}'],
}
"""Bodies of status 200 that are no answers, by operation."""
ERRORS = [
    "{}",
    '{"message":"no"}',
    '{"__type":5,"message":"no"}',
    '{"__type":"","message":"no"}',
    '{"__type":"x#ValidationException","message":5}',
    '{"__type":"x#TransactionCanceledException","CancellationReasons":5}',
    '{"__type":"x#TransactionCanceledException","CancellationReasons":[5]}',
    '{"__type":"x#TransactionCanceledException","CancellationReasons":[{"Code":5}]}',
    '{"__type":"x#TransactionCanceledException","CancellationReasons":[{"Item":{"a":5}}]}',
    '{"__type":"x#ConditionalCheckFailedException","Item":5}',
    '{"__type":"x#ConditionalCheckFailedException","Item":{"a":{"S":5}}}',
]
"""Bodies of status 400 that are no errors."""
STATUSES = [201, 202, 204, 206, 301, 302, 303, 307, 308, 400, 401, 403, 404, 407, 408, 413, 429]
STATUSES += [500, 501, 502, 503, 504, 511]
HTML = b"<html>Please sign in</html>"


@pytest.mark.parametrize("operation", sorted(METHODS))
def test_another_type_is_no_answer(operation: str) -> None:
    model = model_of(operation)
    for content in (*(one.encode() for one in MALFORMED[operation]), *_UNREADABLE):
        with pytest.raises(NoAnswer):
            members(model, 200, content, None)
            pytest.fail(f"{operation} took {content[:99]!r}")
    for one in ERRORS:
        with pytest.raises(NoAnswer):
            members(model, 400, one.encode(), None)
            pytest.fail(f"{operation} took {one}")


def test_what_a_member_may_be() -> None:
    """A null is an absent member, and members that are not known are none."""
    item = (
        '{"a":{"S":"é\\ud83d\\ude00"},"b":{"N":"-1.5e3"},"c":{"B":"AP8="},"d":{"L":[{"M":{}}]},'
        '"e":{"BOOL":false},"f":{"NULL":true},"g":{"NS":["1"]},"h":{"BS":["AA=="]},"i":{"SS":[""]}}'
    )
    content = f'{{"Item":{item},"ConsumedCapacity":null,"New":[5]}}'.encode()
    assert members(model_of("GetItem"), 200, content, None) == {
        "Item": {
            "a": {"S": "é\U0001f600"},
            "b": {"N": "-1.5e3"},
            "c": {"B": b"\0\xff"},
            "d": {"L": [{"M": {}}]},
            "e": {"BOOL": False},
            "f": {"NULL": True},
            "g": {"NS": ["1"]},
            "h": {"BS": [b"\0"]},
            "i": {"SS": [""]},
        }
    }


def answering(status: int, content: bytes, headers: dict[str, Any] | None = None) -> Fault:
    """Carries a request out, and answers with this."""

    def answer(_operation: str, _input: Json, send: Send) -> Answered:
        send()
        return status, content, headers or {}

    return answer


class Outcomes:
    """What becomes of each kind of call whose answers are all the same."""

    def __init__(self, model: Model, proxy: Proxy, ask: Asked) -> None:
        self._model, self._proxy, self._ask = model, proxy, ask
        self._key = {"accountId": f"malformed {name_of(ask)}"}
        with Client(model, proxy.endpoint) as client:
            email = f"{name_of(ask)}@malformed"
            client.put("Account", {**self._key, "owner": "o", "email": email})
        proxy.operations()

    def _asked(self, operation: str, tried: int, *of: Any) -> None:
        self._proxy.operations()
        try:
            self._ask(self._model, self._proxy.endpoint, Options(retries=1), called(*of))
        finally:
            assert self._proxy.operations().count(operation) == tried, (operation, of)

    def _fails(self, operation: str, answer: Fault, tried: int) -> None:
        self._proxy.faults.clear()
        self._proxy.fail(operation, *[answer] * tried)

    def read(self, operation: str, answer: Fault) -> None:
        """A read is repeated, and is then one that did not come to the service."""
        call: tuple[Any, ...] = ("one", "account", self._key)
        if operation == "Query":
            call = ("all", "bookings", self._key)
        elif operation == "BatchGetItem":
            call = ("get_many", "Account", [self._key])
        self._fails(operation, answer, 2)
        with pytest.raises(Transport):
            self._asked(operation, 2, *call)

    def write(self, answer: Fault) -> None:
        """A write without a token is not repeated."""
        self._fails("UpdateItem", answer, 1)
        with pytest.raises(OutcomeUnknown):
            self._asked("UpdateItem", 1, "write", "rename", {**self._key, "owner": "p"})

    def batch(self, answer: Fault) -> None:
        """So is a batch of writes."""
        self._fails("BatchWriteItem", answer, 1)
        with pytest.raises(Incomplete) as caught:
            self._asked("BatchWriteItem", 1, "put_many", "Booking", [{**self._key, "amount": 1}])
        assert caught.value.unknown == (0,)

    def transaction(self, answer: Fault) -> None:
        """A transaction is repeated with its token."""
        self._fails("TransactWriteItems", answer, 2)
        with pytest.raises(OutcomeUnknown):
            self._asked("TransactWriteItems", 2, "write", "book", {**self._key, "amount": 1})
        tokens = {given["ClientRequestToken"] for _, given in self._proxy.seen[-2:]}
        assert len(tokens) <= 1


SOME: list[tuple[str, bytes]] = [
    ("GetItem", b'{"Item":5}'),
    ("GetItem", b'{"Item":{"a":{"N":"x"}}}'),
    ("GetItem", b'{"ConsumedCapacity":7}'),
    ("Query", b'{"Items":{},"Count":1}'),
    ("Query", b'{"Items":[{"a":5}],"Count":1}'),
    ("Query", b'{"Items":[],"LastEvaluatedKey":5}'),
    ("BatchGetItem", b'{"Responses":5}'),
    ("BatchGetItem", b'{"Responses":{},"UnprocessedKeys":5}'),
]


@pytest.mark.parametrize("ask", ALL)
def test_a_malformed_answer_is_a_lost_one(model: Model, proxy: Proxy, ask: Asked) -> None:
    outcomes = Outcomes(model, proxy, ask)
    for operation, content in SOME:
        outcomes.read(operation, answering(200, content))
    for content in (b'{"Attributes":[]}', b'{"ConsumedCapacity":7}', b"null"):
        outcomes.write(answering(200, content))
    outcomes.batch(answering(200, b'{"UnprocessedItems":[]}'))
    for content in (b'{"ConsumedCapacity":7}', b'{"Consumed'):
        outcomes.transaction(answering(200, content))
    for one in ERRORS[4:6]:
        outcomes.transaction(answering(400, one.encode()))


@pytest.mark.parametrize("ask", ALL)
@pytest.mark.parametrize("has_sum", [False, True])
def test_a_checksum_makes_no_answer(model: Model, proxy: Proxy, ask: Asked, has_sum: bool) -> None:
    """Of a malformed answer it may be the right one."""
    content = b'{"Items":[5],"Count":1}'
    headers = {"x-amz-crc32": str(zlib.crc32(content))} if has_sum else None
    Outcomes(model, proxy, ask).read("Query", answering(200, content, headers))


@pytest.mark.parametrize("status", STATUSES)
def test_a_status_with_other_content_is_no_answer(status: int) -> None:
    bodies = [HTML, b"", b"{}", b'{"Item":{}}']
    # Only an error of 400 to 499 is the service's refusal.
    if status < 400:
        bodies.append(b'{"__type":"x#ValidationException","message":"no"}')
    for content in bodies:
        with pytest.raises(NoAnswer):
            members(model_of("GetItem"), status, content, None)
            pytest.fail(f"took {content!r}")


@pytest.mark.parametrize("ask", ALL)
@pytest.mark.parametrize("status", [201, 202, 204, 307, 403, 429, 502])
def test_a_page_of_any_status_is_a_lost_answer(
    model: Model, proxy: Proxy, ask: Asked, status: int
) -> None:
    """Nor is a redirection followed."""
    outcomes = Outcomes(model, proxy, ask)
    headers = {"Location": proxy.endpoint} if status == 307 else None
    answer = answering(status, b"" if status == 204 else HTML, headers)
    outcomes.read("GetItem", answer)
    outcomes.write(answer)
    outcomes.transaction(answer)


def test_a_failure_of_the_service_is_a_lost_answer(model: Model, proxy: Proxy) -> None:
    Outcomes(model, proxy, ALL[0]).write(failed)
