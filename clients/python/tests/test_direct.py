"""Requests without botocore's serializer: its signature, its hooks, and binary values."""

from __future__ import annotations

from typing import Any

import boto3  # type: ignore[import-untyped, unused-ignore]
import pytest
from botocore.auth import SigV4Auth  # type: ignore[import-untyped, unused-ignore]
from botocore.awsrequest import (  # type: ignore[import-untyped, unused-ignore]
    AWSRequest,
    AWSResponse,
)
from botocore.config import Config  # type: ignore[import-untyped, unused-ignore]
from botocore.exceptions import (  # type: ignore[import-untyped, unused-ignore]
    ClientError,
    NoCredentialsError,
)

from keyfold.transport.answers import NoAnswer
from keyfold.transport.direct import Direct


def client(endpoint: str = "https://db.example:443", token: str | None = "token") -> Any:
    keys = {"aws_access_key_id": "key", "aws_secret_access_key": "s/e+c"}
    config = Config(retries={"total_max_attempts": 1})
    made: Any = boto3
    return made.client(
        "dynamodb",
        endpoint_url=endpoint,
        region_name="eu-west-1",
        config=config,
        aws_session_token=token,
        **keys,
    )


def direct() -> Direct:
    made = Direct.of(client())
    assert made is not None
    return made


@pytest.mark.parametrize(
    ("endpoint", "host", "token"),
    [
        ("https://db.example:443", "db.example", "token"),
        ("http://db.example:8000", "db.example:8000", None),
    ],
)
def test_the_signature_is_that_of_botocore(endpoint: str, host: str, token: str | None) -> None:
    direct = Direct.of(client(endpoint, token))
    assert direct is not None
    body = direct.body({"TableName": "Größe", "Key": {"PK": {"B": b"\0\xff"}}})
    assert body == '{"TableName":"Größe","Key":{"PK":{"B":"AP8="}}}'.encode()
    frozen = direct.credentials.get_frozen_credentials()
    signer: Any = SigV4Auth(direct.credentials, "dynamodb", "eu-west-1")
    # The second may change between the two signatures.
    while True:
        mine = direct.signed("GetItem", body, frozen).headers
        names = ("content-type", "host", "x-amz-target")
        request: Any = AWSRequest("POST", endpoint, {one: mine[one] for one in names}, body)
        signer.add_auth(request)
        if request.headers["X-Amz-Date"] == mine["x-amz-date"]:
            break
    assert mine["host"] == host
    assert mine["authorization"] == request.headers["Authorization"]


def test_a_hook_may_answer_in_the_place_of_the_service() -> None:
    """As moto does."""
    own = client()
    seen: list[str] = []

    def answer(request: Any, **_: Any) -> Any:
        seen.append(request.headers["x-amz-target"])

        class Raw:
            def stream(self, *_: Any, **__: Any) -> Any:
                yield b'{"Item":{"B":{"B":"AP8="},"BS":{"L":[{"BS":["AA=="]},{"S":"B"}]}}}'

        made: Any = AWSResponse
        return made(request.url, 200, {}, Raw())

    own.meta.events.register("before-send.dynamodb.GetItem", answer)
    direct = Direct.of(own)
    assert direct is not None
    item = {"B": {"B": b"\0\xff"}, "BS": {"L": [{"BS": [b"\0"]}, {"S": "B"}]}}
    assert direct.send("GetItem", b"{}") == {"Item": item}
    assert seen == ["DynamoDB_20120810.GetItem"]


def test_refusals_are_the_exceptions_of_botocore() -> None:
    cancelled = (
        b'{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException",'
        b'"Message":"no","CancellationReasons":[{"Code":"None"}]}'
    )
    with pytest.raises(ClientError) as refused:
        direct().read("TransactWriteItems", 400, cancelled)
    error: Any = refused.value
    response = error.response
    assert response["Error"] == {"Code": "TransactionCanceledException", "Message": "no"}
    assert response["CancellationReasons"] == [{"Code": "None"}]


@pytest.mark.parametrize(
    ("status", "content"),
    [
        (200, b"<html>"),
        (200, b""),
        (200, b"[]"),
        (200, b'{"status":"ok"}'),
        (200, b'{"Item":{}}'),
        (200, b'{"Item":'),
        (200, b"[" * 100_000),
        (503, b"<html>"),
        (408, b'{"message":"timeout"}'),
        (302, b""),
    ],
)
def test_what_is_not_dynamodbs_is_no_answer(status: int, content: bytes) -> None:
    with pytest.raises(NoAnswer, match=str(status)):
        direct().read("PutItem", status, content)


def test_a_checksum_is_checked() -> None:
    assert direct().read("GetItem", 200, b"{}", {"x-amz-crc32": "2745614147"}) == {}
    with pytest.raises(NoAnswer, match="its checksum differs"):
        direct().read("GetItem", 200, b'{"Item":{}}', {"x-amz-crc32": "2745614147"})


def test_no_credentials_are_no_request() -> None:
    own = client()
    with pytest.raises(NoCredentialsError):
        Direct(own, None, None).send("GetItem", b"{}")
