"""The function for Lambda, on records of the table's stream."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

import boto3  # type: ignore[import-untyped, unused-ignore]
import pytest
from conftest import ADA, DAY, PEN, order_id
from keyfold import Options

from myapp import handler
from myapp.handler import Mail, Mailer
from myapp.model import (
    MyappClient,
    NewProduct,
    Order,
    OrderChange,
    ProductKey,
    ProductPatch,
    Sku,
    UserId,
)
from myapp.service import Service

KEYS = {
    "region_name": "local",
    "aws_access_key_id": "own",
    "aws_secret_access_key": "own",
}


@pytest.fixture
def streamed(client: MyappClient, endpoint: str) -> str:
    """The stream of the table, which begins now."""
    table = boto3.client("dynamodb", endpoint_url=endpoint, **KEYS)
    images = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    table.update_table(TableName="MyApp", StreamSpecification=images)
    described = table.describe_table(TableName="MyApp")["Table"]
    assert isinstance(described["LatestStreamArn"], str)
    return described["LatestStreamArn"]


def records(endpoint: str, arn: str) -> list[dict[str, Any]]:
    """All records of a stream, shard by shard."""
    streams = boto3.client("dynamodbstreams", endpoint_url=endpoint, **KEYS)
    found: list[dict[str, Any]] = []
    shards = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
    for shard in shards:
        place = {"ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
        iterator = streams.get_shard_iterator(StreamArn=arn, **place)["ShardIterator"]
        while iterator is not None:
            answer = streams.get_records(ShardIterator=iterator)
            found.extend(answer["Records"])
            # An open shard has no end, but has nothing more now.
            iterator = answer.get("NextShardIterator") if answer["Records"] else None
    return found


def event_of(found: list[dict[str, Any]], arn: str) -> dict[str, Any]:
    """The event that Lambda makes of records: JSON, with times as seconds."""

    def plain(value: object) -> object:
        if isinstance(value, datetime):
            return value.timestamp()
        raise TypeError(str(value))

    source = {"eventSource": "aws:dynamodb", "eventSourceARN": arn}
    event = {"Records": [{**one, **source} for one in found]}
    held: dict[str, Any] = json.loads(json.dumps(event, default=plain))
    return held


def test_changes_become_mails(
    streamed: str, service: Service, client: MyappClient, endpoint: str
) -> None:
    service.place_order(order_id(1), ADA, PEN, 10, DAY)
    service.set_status(order_id(1), "shipped")
    service.change_email(ADA, "countess@example.com")
    found = records(endpoint, streamed)
    sent: list[Mail] = []
    mailer = Mailer(client, sent.append, "buyer@example.com")
    answer = mailer.handle(event_of(found, streamed))
    assert answer == {"batchItemFailures": []}
    ada = "countess@example.com"
    assert sorted(sent, key=lambda mail: (mail.to, mail.subject)) == [
        Mail("ada@example.com", "Welcome, Ada"),
        Mail("bob@example.com", "Welcome, Bob"),
        Mail("buyer@example.com", "Pen is sold out"),
        Mail(ada, "We have your order 1001"),
        Mail(ada, "Your order 1001 is shipped"),
    ]


def test_a_reader_gets_the_same_types(
    streamed: str, service: Service, client: MyappClient, endpoint: str
) -> None:
    service.place_order(order_id(1), ADA, PEN, 1, DAY)
    changes = [client.event(record) for record in records(endpoint, streamed)]
    orders = [change for change in changes if isinstance(change, OrderChange)]
    placed = Order(
        user_id=ADA,
        order_date=DAY,
        order_id=order_id(1),
        total=Decimal("1.1"),
        status="pending",
    )
    assert orders == [OrderChange(old=None, new=placed)]


def test_records_come_again_from_the_first_that_failed(
    streamed: str, client: MyappClient, endpoint: str
) -> None:
    for name in ("ink", "nib"):
        product = NewProduct(sku=Sku(name), name=name, price=1, stock=1)
        client.Product.create(product)
        client.Product.update(ProductKey(sku=product.sku), ProductPatch(stock=0))
    found = records(endpoint, streamed)
    sent: list[Mail] = []

    def send(mail: Mail) -> None:
        if mail.subject.startswith("nib"):
            raise OSError("the post office is closed")
        sent.append(mail)

    event = event_of(found, streamed)
    answer = Mailer(client, send, "buyer@example.com").handle(event)
    (failed,) = [
        record["dynamodb"]["SequenceNumber"]
        for record in event["Records"]
        if record["dynamodb"]["Keys"]["PK"]["S"] == "PRODUCT#nib"
        and record["eventName"] == "MODIFY"
    ]
    assert answer == {"batchItemFailures": [{"itemIdentifier": failed}]}


def test_lambda_calls_the_function(
    endpoint: str,
    client: MyappClient,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("MYAPP_CONNECTION", endpoint)
    keys = {"PK": {"S": "USER#7"}, "SK": {"S": "PROFILE"}}
    image = {
        **keys,
        "userId": {"N": "7"},
        "email": {"S": "eve@example.com"},
        "name": {"S": "Eve"},
        "createdAt": {"S": "2024-01-15T00:00:00.000Z"},
    }
    foreign = {"PK": {"S": "OTHER"}, "SK": {"S": "x"}}
    assert handler.handler(lambda_event(foreign, foreign), None) == {
        "batchItemFailures": []
    }
    handler.handler(lambda_event(keys, image), None)
    assert "Welcome, Eve" in capsys.readouterr().out
    with MyappClient(endpoint, Options(on_unknown="skip")) as other:
        assert other.event(lambda_event(foreign, foreign)["Records"][0]) is None
    assert client.user(user_id=UserId(7)) is None


def lambda_event(keys: Mapping[str, Any], image: Mapping[str, Any]) -> dict[str, Any]:
    """An event with one record of a new item."""
    change = {"Keys": keys, "NewImage": image, "SequenceNumber": "1"}
    return {"Records": [{"eventID": "1", "eventName": "INSERT", "dynamodb": change}]}
