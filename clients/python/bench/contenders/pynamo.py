"""PynamoDB: a model each for the order, its copy and its guard."""

from __future__ import annotations

from typing import Any

from data import REGION, stored, summary
from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.connection import Connection
from pynamodb.models import Model
from pynamodb.transactions import TransactWrite


class Base(Model):
    class Meta:
        table_name = "BenchPynamo"
        region = REGION
        aws_access_key_id = "local"
        aws_secret_access_key = "local"
        billing_mode = "PAY_PER_REQUEST"

    PK = UnicodeAttribute(hash_key=True)
    SK = UnicodeAttribute(range_key=True)


class Guard(Base):
    class Meta(Base.Meta):
        pass


class Summary(Base):
    class Meta(Base.Meta):
        pass

    orderId = UnicodeAttribute()
    userId = UnicodeAttribute()
    total = NumberAttribute()
    status = UnicodeAttribute()
    createdAt = UnicodeAttribute()


class Order(Summary):
    class Meta(Base.Meta):
        pass

    reference = UnicodeAttribute()
    quantity = NumberAttribute()
    note = UnicodeAttribute()


class Contender:
    """Reads and writes by models; its numbers are of binary floating point."""

    def __init__(self, endpoint: str) -> None:
        for one in (Guard, Summary, Order):
            one.Meta.host = endpoint
        self.connection = Connection(region=REGION, host=endpoint)
        self.connection.session.set_credentials("local", "local")
        Order.create_table(wait=False)

    def get(self, order_id: str) -> Any:
        return Order.get(f"ORDER#{order_id}", "META").quantity

    def query(self, user_id: str) -> list[Any]:
        condition = Summary.SK.startswith("ORDER#")
        found = Summary.query(f"USER#{user_id}", condition, scan_index_forward=False, limit=20)
        return [one.total for one in found]

    def put(self, order: dict[str, Any]) -> None:
        order = stored(order)
        order["total"] = float(order["total"])
        key = f"USER#{order['userId']}", f"ORDER#{order['createdAt']}#{order['orderId']}"
        with TransactWrite(connection=self.connection) as transaction:
            main = Order(f"ORDER#{order['orderId']}", "META", **order)
            transaction.save(main, condition=Order.PK.does_not_exist())
            transaction.save(Summary(*key, **summary(order)))
            guard = Guard(f"UNIQUE#{order['reference']}", "UNIQUE")
            transaction.save(guard, condition=Guard.PK.does_not_exist())
