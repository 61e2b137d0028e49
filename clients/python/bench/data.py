"""The data that every contender stores: that of clients/typescript/bench."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

USERS = 50
ORDERS = USERS * 20
REGION = "us-east-1"
START = datetime(2024, 1, 1, tzinfo=timezone.utc)


def order(number: int) -> dict[str, Any]:
    """The order of a number. Those from `ORDERS` on are new."""
    return {
        "orderId": f"o{number:08}",
        "userId": f"u{number % USERS}",
        "reference": f"R-{number}",
        "createdAt": START + timedelta(seconds=number),
        "status": ("pending", "paid", "shipped")[number % 3],
        "total": Decimal(105 + 10 * (number % 1000)) / 10,
        "quantity": number % 7,
        "note": f"Leave it at the door, please; nobody is in before {number % 24} o'clock.",
    }


def stored(values: dict[str, Any]) -> dict[str, Any]:
    """An order with its time as the text that is stored."""
    at = values["createdAt"].strftime("%Y-%m-%dT%H:%M:%S.000Z")
    return {**values, "createdAt": at}


def summary(values: dict[str, Any]) -> dict[str, Any]:
    """What the copy in the user's collection holds."""
    return {name: values[name] for name in ("orderId", "userId", "total", "status", "createdAt")}


def create_table(client: Any, name: str) -> None:
    """Creates a table with the keys `PK` and `SK`."""
    columns = (("PK", "HASH"), ("SK", "RANGE"))
    client.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": one, "AttributeType": "S"} for one, _ in columns],
        KeySchema=[{"AttributeName": one, "KeyType": kind} for one, kind in columns],
    )
