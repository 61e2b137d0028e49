"""Fixtures: a server in memory for each test, and a client of it. Where EXAMPLE_CONNECTION names another
engine, its tables are deleted before each test."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import date
from decimal import Decimal

import boto3  # type: ignore[import-untyped]
import pytest
from keyfold import testing

from myapp.model import MyappClient, NewProduct, OrderId, Sku, UserId
from myapp.service import Service

# A server in memory takes any keys; those of the environment are not for tests, unless these are to run
# at another engine.
ELSEWHERE = os.environ.get("EXAMPLE_CONNECTION")
if ELSEWHERE is None:
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        del os.environ[name]

ADA, BOB = UserId(1), UserId(2)
PEN = Sku("pen")
DAY = date(2024, 1, 15)


@pytest.fixture
def endpoint() -> Iterator[str]:
    """A server."""
    if ELSEWHERE is not None:
        delete_tables(ELSEWHERE)
        yield ELSEWHERE
        return
    with testing.serve() as server:
        yield server.endpoint


def delete_tables(endpoint: str) -> None:
    """Deletes all tables there."""
    engine = boto3.client("dynamodb", endpoint_url=endpoint)
    for table in engine.list_tables()["TableNames"]:
        engine.delete_table(TableName=table)
        engine.get_waiter("table_not_exists").wait(TableName=table)


@pytest.fixture
def client(endpoint: str) -> Iterator[MyappClient]:
    """A client of the server, which has the model's table."""
    with MyappClient(endpoint) as made:
        made.ensure_tables()
        yield made


@pytest.fixture
def service(client: MyappClient) -> Service:
    """The operations, with two users and a product of which there are ten."""
    made = Service(client)
    made.register(ADA, "ada@example.com", "Ada")
    made.register(BOB, "bob@example.com", "Bob")
    made.put_product(NewProduct(sku=PEN, name="Pen", price=Decimal("1.10"), stock=10))
    return made


def order_id(number: int) -> OrderId:
    """An order's number."""
    return OrderId(1000 + number)
