"""What is an answer of the service: another server's page and a text that was cut are none.

A program between the client and the service may answer in its place, before or after the service
has carried the request out.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping
from typing import Any, cast

from botocore.session import get_session  # type: ignore[import-untyped, unused-ignore]

from keyfold.lower.steps import Request
from keyfold.transport import pages
from keyfold.transport.shapes import Read, reader
from keyfold.values.value import Value

CHECKSUM = "x-amz-crc32"
"""The header with the CRC-32 of a body."""
_UNIQUE = "keyfold-answers"
_SILENT = ("DeleteItem", "GetItem", "PutItem", "TransactWriteItems", "UpdateItem")
"""The operations whose answers may have no member: a write is done, or there is no item."""
_ALWAYS = {
    operation: frozenset(names.split())
    for operation, names in {
        "BatchGetItem": "Responses",
        "BatchWriteItem": "UnprocessedItems",
        "ListTagsOfResource": "Tags",
        "Query": "Count Items",
        "Scan": "Count Items",
        "TransactGetItems": "Responses",
    }.items()
}
"""The members of which an answer has one, also where nothing was found or is left. Answers of other
operations have any member."""
_REFUSALS = {
    "CancellationReasons": "TransactionCanceledException",
    "Item": "ConditionalCheckFailedException",
}
"""The members of errors that are read beside their name and text, and the exceptions that describe
them."""
_SHOWN_MAX = 60
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
"""What may be half a character."""


class NoAnswer(Exception):
    """An answer is not the service's. What became of the request is not known."""

    @classmethod
    def of(cls, status: int, content: bytes, why: str) -> NoAnswer:
        """That of a body."""
        begin = content[:_SHOWN_MAX].decode("utf-8", "replace")
        return cls(f"the answer ({status}) {why}: {begin!r}")


class Misdirected(NoAnswer):
    """Another server has the address by now, and has not carried the request out."""

    def __init__(self) -> None:
        super().__init__("another server has the address of the one that was asked")


def members(model: Any, status: int, content: bytes, checksum: str | None) -> dict[str, Any]:
    """The members of an answer to an operation, by botocore's model of it: of an error `Code`,
    `Message` and what else is read of one. Raises `NoAnswer` for one that is not the service's."""
    if checksum is not None and checksum != str(zlib.crc32(content)):
        raise NoAnswer.of(status, content, "is not the one that was sent: its checksum differs")
    try:
        answer = _json(content)
    except (ValueError, RecursionError):
        raise NoAnswer.of(status, content, "is not DynamoDB's JSON") from None
    try:
        return _answered(model, answer) if status == 200 else _refused(model, status, answer)
    except (ValueError, RecursionError) as error:
        raise NoAnswer.of(status, content, str(error)) from None


def _json(content: bytes) -> dict[str, Any]:
    """The object in a body. Raises `ValueError` for another one."""
    answer: Any = _DECODER.decode(content.decode())
    if not isinstance(answer, dict):
        raise ValueError("no object")
    if _SURROGATE.search(content):
        # Half a character is no text.
        json.dumps(answer, ensure_ascii=False).encode()
    return cast("dict[str, Any]", answer)


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number of JSON")


_DECODER = json.JSONDecoder(parse_constant=_no_number)


def _answered(model: Any, answer: dict[str, Any]) -> dict[str, Any]:
    operation: str = model.name
    try:
        found: dict[str, Any] = _reader_of(operation, model.output_shape)(answer)
    except ValueError as error:
        raise ValueError(f"is none to {operation}: {error}") from None
    if operation in _SILENT:
        is_answer = not answer or any(name in model.output_shape.members for name in answer)
    else:
        is_answer = any(name in found for name in _ALWAYS.get(operation, found))
    if not is_answer:
        raise ValueError(f"has no member of an answer to {operation}")
    return found


def _refused(model: Any, status: int, answer: dict[str, Any]) -> dict[str, Any]:
    named, *said = (answer.get(name) for name in ("__type", "message", "Message"))
    code = named.rpartition("#")[2] if isinstance(named, str) else ""
    if status < 400 or not code or not all(one is None or isinstance(one, str) for one in said):
        raise ValueError("is no error of DynamoDB")
    error: dict[str, Any] = {"Code": code, "Message": said[0] or said[1] or ""}
    for member, exception in _REFUSALS.items():
        held = answer.get(member)
        if held is None:
            continue
        try:
            shape = model.service_model.shape_for(exception).members[member]
            error[member] = _reader_of(f"{exception} {member}", shape)(held)
        except ValueError as wrong:
            raise ValueError(f"is no error of DynamoDB: {wrong}") from None
    return error


def fitting(request: Request, answer: dict[str, Any]) -> dict[str, Any]:
    """An answer, if it is one to this request: of its tables, of the keys that it names, and
    of each of its actions. Raises
    `NoAnswer`."""
    operation, given = request
    rows: Any = answer.get("ConsumedCapacity") or []
    named = {row["TableName"] for row in _rows(rows) if "TableName" in row}
    if operation in ("Query", "Scan"):
        wrong = pages.mistake(request, answer)
        if wrong is not None:
            raise NoAnswer(f"the answer {wrong}")
    elif operation == "GetItem":
        if "Item" in answer:
            _check_asked([given["Key"]], [answer["Item"]])
    elif operation == "TransactGetItems":
        asked, count = len(given["TransactItems"]), len(answer.get("Responses", ()))
        if asked != count:
            raise NoAnswer(f"the answer has {count} items of {asked} that were asked for")
        for one, read in zip(given["TransactItems"], answer.get("Responses", ())):
            if "Item" in read:
                _check_asked([one["Get"]["Key"]], [read["Item"]])
    elif operation.startswith("Batch"):
        for member in ("Responses", "UnprocessedKeys", "UnprocessedItems"):
            named.update(answer.get(member, ()))
    others = named.difference(request.tables())
    if others:
        raise NoAnswer(f"the answer is about other tables: {', '.join(sorted(others))}")
    if operation == "BatchGetItem":
        found: dict[str, list[Any]] = answer.get("Responses") or {}
        unread: dict[str, dict[str, list[Any]]] = answer.get("UnprocessedKeys") or {}
        for table, asked_of in given["RequestItems"].items():
            _check_asked(asked_of["Keys"], found.get(table, []))
            left = unread.get(table, {}).get("Keys", [])
            _check_asked(asked_of["Keys"], left, are_keys=True)
    return answer


def _check_asked(
    keys: list[dict[str, Value]], found: list[dict[str, Value]], *, are_keys: bool = False
) -> None:
    """Refuses items of other keys than these, and other keys. An item may lack attributes of its
    key, which were not read."""
    names = list(keys[0])
    known: dict[tuple[str, ...], set[object]] = {}
    for item in found:
        read = tuple(name for name in names if name in item)
        if are_keys and not len(read) == len(names) == len(item):
            raise NoAnswer("the answer has a key with other attributes than those of the table")
        asked = known.get(read)
        if asked is None:
            asked = known[read] = {_told_apart(key, read) for key in keys}
        if _told_apart(item, read) not in asked:
            raise NoAnswer("the answer has an item of a key that was not asked for")


def _told_apart(item: dict[str, Value], names: tuple[str, ...]) -> object:
    """What tells keys apart: the types and values of attributes, of which a number has one form."""
    return tuple(pages.canonical(item[name]) for name in names)


def _rows(consumed: Any) -> list[dict[str, Any]]:
    return [consumed] if isinstance(consumed, dict) else consumed


def given(operation: str, answer: object) -> dict[str, Any]:
    """The answer of a program's own client, which may be a stand-in that answers by itself. Raises
    `NoAnswer` for one of another shape."""
    global _service
    if not isinstance(answer, dict):
        raise NoAnswer(f"the answer is none to {operation}: it is no dictionary")
    held = cast("dict[str, Any]", answer)
    if _service is None:
        _service = cast(Any, get_session)().get_service_model("dynamodb")
    try:
        # The values stay as the client has read them: bytes, moments.
        _reader_of(operation, _service.operation_model(operation).output_shape)(held)
    except (ValueError, RecursionError) as error:
        raise NoAnswer(f"the answer is none to {operation}: {error}") from None
    return held


_service: Any = None
"""The description of the service in botocore, as soon as it is needed."""
_readers: dict[str, Read] = {}
"""What reads the answers of operations, and members of errors."""


def _reader_of(name: str, shape: Any) -> Read:
    known = _readers.get(name)
    if known is None:
        known = _readers[name] = reader(shape)
    return known


def check(client: Any) -> None:
    """Checks the answers to a client of boto3 or aioboto3, which takes one that it cannot read for
    an empty one, or fails as its reading does."""
    client.meta.events.register("before-parse.dynamodb", _checked, unique_id=_UNIQUE)


def _checked(operation_model: Any, response_dict: Mapping[str, Any], **_: Any) -> None:
    headers: Mapping[str, str] = response_dict["headers"]
    content: bytes = response_dict["body"]
    members(operation_model, response_dict["status_code"], content, headers.get(CHECKSUM))
