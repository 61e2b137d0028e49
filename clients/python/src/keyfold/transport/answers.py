"""What is an answer of the service: another server's page and a text that was cut are none.

A program between the client and the service may answer in its place, before or after the service
has carried the request out.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from typing import Any, cast

CHECKSUM = "x-amz-crc32"
"""The header with the CRC-32 of a body."""
_UNIQUE = "keyfold-answers"
_WRITTEN = "Attributes ConsumedCapacity ItemCollectionMetrics"
_READ = "ConsumedCapacity Count Items LastEvaluatedKey ScannedCount"
MEMBERS = {
    operation: frozenset(names.split())
    for operation, names in {
        "BatchGetItem": "ConsumedCapacity Responses UnprocessedKeys",
        "BatchWriteItem": "ConsumedCapacity ItemCollectionMetrics UnprocessedItems",
        "CreateTable": "TableDescription",
        "DeleteItem": _WRITTEN,
        "DescribeContinuousBackups": "ContinuousBackupsDescription",
        "DescribeTable": "Table",
        "DescribeTimeToLive": "TimeToLiveDescription",
        "GetItem": "ConsumedCapacity Item",
        "ListTagsOfResource": "NextToken Tags",
        "PutItem": _WRITTEN,
        "Query": _READ,
        "Scan": _READ,
        "TransactGetItems": "ConsumedCapacity Responses",
        "TransactWriteItems": "ConsumedCapacity ItemCollectionMetrics",
        "UpdateContinuousBackups": "ContinuousBackupsDescription",
        "UpdateItem": _WRITTEN,
        "UpdateTimeToLive": "TimeToLiveSpecification",
    }.items()
}
"""The members that the answer of an operation may have. Another one's answer is not judged."""
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
"""The members of which an answer has one, also where nothing was found or is left."""
_SHOWN_MAX = 60


class NoAnswer(Exception):
    """An answer is not the service's. What became of the request is not known."""

    def __init__(self, status: int, content: bytes, why: str) -> None:
        begin = content[:_SHOWN_MAX].decode("utf-8", "replace")
        super().__init__(f"the answer ({status}) {why}: {begin!r}")


def members(
    operation: str,
    status: int,
    content: bytes,
    checksum: str | None,
    *,
    has_binary: bool = False,
) -> dict[str, Any]:
    """The members of an answer. Raises `NoAnswer` for one that is not the service's."""
    _check_sum(status, content, checksum)
    try:
        hook = _with_bytes if has_binary else None
        answer: Any = json.loads(content, object_hook=hook) if content else None
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise NoAnswer(status, content, "is not DynamoDB's JSON")
    found = cast("dict[str, Any]", answer)
    if status != 200 and not isinstance(found.get("__type"), str):
        raise NoAnswer(status, content, "is no error of DynamoDB")
    if status == 200 and not _may_answer(operation, found):
        raise NoAnswer(status, content, f"has no member of an answer to {operation}")
    return found


def _may_answer(operation: str, found: Mapping[str, Any]) -> bool:
    """Whether an object may be the answer to an operation."""
    if not found and operation in _SILENT:
        return True
    names = _ALWAYS.get(operation) or MEMBERS.get(operation)
    return names is None or not names.isdisjoint(found)


def check(client: Any) -> None:
    """Checks the answers to a client of boto3 or aioboto3, which takes one that it cannot read for
    an empty one."""
    client.meta.events.register("before-parse.dynamodb", _checked, unique_id=_UNIQUE)


def _checked(operation_model: Any, response_dict: Mapping[str, Any], **_: Any) -> None:
    headers: Mapping[str, str] = response_dict["headers"]
    status: int = response_dict["status_code"]
    content: bytes = response_dict["body"]
    checksum = headers.get(CHECKSUM)
    if status == 200 and checksum is not None:
        # Another server's page has no checksum of DynamoDB.
        _check_sum(status, content, checksum)
    else:
        members(operation_model.name, status, content, checksum)


def _check_sum(status: int, content: bytes, checksum: str | None) -> None:
    if checksum is not None and checksum != str(zlib.crc32(content)):
        raise NoAnswer(status, content, "is not the one that was sent: its checksum differs")


def _with_bytes(held: dict[str, Any]) -> dict[str, Any]:
    """An object of an answer, with bytes for base64 where it is a binary value: the members of an
    item are never texts."""
    if len(held) == 1:
        one = held.get("B")
        if isinstance(one, str):
            return {"B": base64.b64decode(one)}
        many = held.get("BS")
        if isinstance(many, list):
            return {"BS": [base64.b64decode(each) for each in cast("list[str]", many)]}
    return held
