"""The generated client of this package."""

from __future__ import annotations

from typing import Any

from made.bench import BenchClient, NewOrder, OrderId

RENAMED = {"orderId": "order_id", "userId": "user_id", "createdAt": "created_at"}


class Contender:
    """Asks patterns, and creates orders."""

    def __init__(self, endpoint: str) -> None:
        self.bench = BenchClient(endpoint)
        self.bench.client.ensure_tables()

    def get(self, order_id: str) -> Any:
        found = self.bench.order(order_id=OrderId(order_id))
        return found and found.quantity

    def query(self, user_id: str) -> list[Any]:
        return [one.total for one in self.bench.orders_of_user(user_id=user_id).page().items]

    def put(self, order: dict[str, Any]) -> None:
        self.bench.Order.create(NewOrder(**{RENAMED.get(k, k): v for k, v in order.items()}))
