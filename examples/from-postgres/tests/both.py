"""E1 to E7, asked of both sides."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from from_postgres.legacy import FIRST, Legacy
from from_postgres.model import OrderId, OrderStatus, ProductId, UserId
from from_postgres.table import Table

USERS = [f"u{number}" for number in range(150)] + ["nobody"]
PRODUCTS = [f"p{number}" for number in range(60)] + ["nothing"]
STATUSES: tuple[OrderStatus, ...] = ("pending", "paid", "shipped")

Answers = list[object]


def e1(legacy: Legacy, table: Table) -> tuple[Answers, Answers]:
    sql: Answers = []
    own: Answers = []
    for user in USERS:
        row = legacy.user(user)
        one = table.client.user(user_id=UserId(user))
        sql.append(row and tuple(row.values()))
        own.append(one and (one.user_id, one.email, one.name, one.street, one.city, one.orders))
    return sql, own


def e2(legacy: Legacy, table: Table) -> tuple[Answers, Answers]:
    sql: Answers = []
    own: Answers = []
    for user in USERS:
        found = table.client.orders_of_user(user_id=UserId(user)).all()
        sql += [tuple(row.values()) for row in legacy.orders_of_user(user)]
        own += [(one.order_id, one.total, one.status, one.created_at) for one in found]
    return sql, own


def e3(legacy: Legacy, table: Table) -> tuple[Answers, Answers]:
    sql: Answers = []
    own: Answers = []
    for order in _orders(legacy):
        row = legacy.order_by_id(order)
        assert row is not None
        answer = table.client.order_with_items(order_id=OrderId(order)).whole()
        one = answer.order
        items = [{"line": item.item_id, "product_id": item.product_id} for item in answer.order_items]
        sql.append((*list(row.values())[:-1], [item["product_id"] for item in row["items"]]))
        own.append(
            (one.order_id, one.user_id, one.total, one.status, one.received)
            + ([item["product_id"] for item in items],)
        )
    return sql, own


def e4(legacy: Legacy, table: Table) -> tuple[Answers, Answers]:
    sql: Answers = []
    own: Answers = []
    for order in _orders(legacy):
        found = table.client.items_of_order(order_id=OrderId(order)).all()
        sql += [tuple(row.values()) for row in legacy.items_of_order(order)]
        own += [(one.item_id, one.product_id, one.quantity, one.price) for one in found]
    return sql, own


def e5(legacy: Legacy, table: Table) -> tuple[Answers, Answers]:
    sql: Answers = []
    own: Answers = []
    for product in PRODUCTS:
        row = legacy.product(product)
        one = table.client.product(product_id=ProductId(product))
        sql.append(row and tuple(row.values()))
        own.append(one and (one.product_id, one.name, one.price, one.stock))
    return sql, own


def e6(legacy: Legacy, table: Table) -> tuple[Answers, Answers]:
    sql: Answers = []
    own: Answers = []
    for status in STATUSES:
        sql += legacy.orders_by_status(status)
        own += [one.order_id for one in table.client.orders_by_status(status=status)]
    return sql, own


def e7(legacy: Legacy, table: Table) -> tuple[Answers, Answers]:
    sql: Answers = []
    own: Answers = []
    since = FIRST + timedelta(hours=12)
    for status in STATUSES:
        found = table.client.recent_orders_by_status(status=status, since=since)
        sql += legacy.recent_orders(status, since)
        own += [one.order_id for one in found]
    return sql, own


def _orders(legacy: Legacy) -> list[str]:
    return [one for status in STATUSES for one in legacy.orders_by_status(status)[:40]]


ALL: dict[str, Callable[[Legacy, Table], tuple[Answers, Answers]]] = {
    "E1": e1,
    "E2": e2,
    "E3": e3,
    "E4": e4,
    "E5": e5,
    "E6": e6,
    "E7": e7,
}
