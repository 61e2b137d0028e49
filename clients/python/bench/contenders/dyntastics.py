"""Dyntastic: a Pydantic model each for the order, its copy and its guard."""

from __future__ import annotations

import os
from decimal import Decimal
from typing import Any

from data import REGION, create_table, stored, summary
from dyntastic import A, Dyntastic, transaction

os.environ.update(AWS_ACCESS_KEY_ID="local", AWS_SECRET_ACCESS_KEY="local")
NAME = "BenchDyntastic"


class Base(Dyntastic):
    __table_name__ = NAME
    __table_region__ = REGION
    __hash_key__ = "PK"
    __range_key__ = "SK"
    PK: str
    SK: str


class Guard(Base):
    pass


class Summary(Base):
    orderId: str
    userId: str
    total: Decimal
    status: str
    createdAt: str


class Order(Summary):
    reference: str
    quantity: int
    note: str


class Contender:
    """Reads and writes by models."""

    def __init__(self, endpoint: str) -> None:
        for one in (Guard, Summary, Order):
            one.__table_host__ = endpoint
        create_table(Order._dynamodb_client(), NAME)

    def get(self, order_id: str) -> Any:
        return Order.get(f"ORDER#{order_id}", "META").quantity

    def query(self, user_id: str) -> list[Any]:
        found = Summary.query_page(
            f"USER#{user_id}",
            range_key_condition=A.SK.begins_with("ORDER#"),
            scan_index_forward=False,
            per_page=20,
        )
        return [one.total for one in found.items]

    def put(self, order: dict[str, Any]) -> None:
        order = stored(order)
        sort = f"ORDER#{order['createdAt']}#{order['orderId']}"
        new = A.PK.not_exists()
        with transaction():
            Order(PK=f"ORDER#{order['orderId']}", SK="META", **order).save(condition=new)
            Summary(PK=f"USER#{order['userId']}", SK=sort, **summary(order)).save()
            Guard(PK=f"UNIQUE#{order['reference']}", SK="UNIQUE").save(condition=new)
