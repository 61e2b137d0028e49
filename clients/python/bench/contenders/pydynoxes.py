"""pydynox: a model each for the order, its copy and its guard, on a client in Rust."""

from __future__ import annotations

from typing import Any

from data import REGION, stored, summary
from pydynox import DynamoDBClient, Model, ModelConfig, SyncTransaction
from pydynox.attributes import NumberAttribute, StringAttribute

NAME = "BenchPydynox"
CLIENT: list[DynamoDBClient] = []


class Guard(Model):
    model_config = ModelConfig(table=NAME)
    PK = StringAttribute(partition_key=True)
    SK = StringAttribute(sort_key=True)


class Summary(Model):
    model_config = ModelConfig(table=NAME)
    PK = StringAttribute(partition_key=True)
    SK = StringAttribute(sort_key=True)
    orderId = StringAttribute()
    userId = StringAttribute()
    total = NumberAttribute()
    status = StringAttribute()
    createdAt = StringAttribute()


class Order(Model):
    model_config = ModelConfig(table=NAME)
    PK = StringAttribute(partition_key=True)
    SK = StringAttribute(sort_key=True)
    orderId = StringAttribute()
    userId = StringAttribute()
    total = NumberAttribute()
    status = StringAttribute()
    createdAt = StringAttribute()
    reference = StringAttribute()
    quantity = NumberAttribute()
    note = StringAttribute()


class Contender:
    """Reads and writes by models; its numbers are of binary floating point."""

    def __init__(self, endpoint: str) -> None:
        keys = {"access_key": "local", "secret_key": "local"}
        self.client = DynamoDBClient(region=REGION, endpoint_url=endpoint, **keys)
        for one in (Guard, Summary, Order):
            one.model_config = ModelConfig(table=NAME, client=self.client)
        Order.sync_create_table()

    def get(self, order_id: str) -> Any:
        return Order.sync_get(PK=f"ORDER#{order_id}", SK="META").quantity

    def query(self, user_id: str) -> list[Any]:
        found = Summary.sync_query(
            partition_key=f"USER#{user_id}",
            sort_key_condition=Summary.SK.begins_with("ORDER#"),
            scan_index_forward=False,
            limit=20,
        )
        return [one.total for one in found]

    def put(self, order: dict[str, Any]) -> None:
        order = stored(order)
        order["total"] = float(order["total"])
        sort = f"ORDER#{order['createdAt']}#{order['orderId']}"
        with SyncTransaction(self.client) as transaction:
            main = Order(PK=f"ORDER#{order['orderId']}", SK="META", **order)
            transaction.save_model(main, condition=Order.PK.not_exists())
            transaction.save_model(Summary(PK=f"USER#{order['userId']}", SK=sort, **summary(order)))
            guard = Guard(PK=f"UNIQUE#{order['reference']}", SK="UNIQUE")
            transaction.save_model(guard, condition=Guard.PK.not_exists())
