"""The shop on one table: what its programs write, by the generated client."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar, cast

from keyfold import Options, Service

from from_postgres.book import Address, Draft, Payment
from from_postgres.load import Closed
from from_postgres.model import (
    ItemId,
    Line,
    OrderId,
    PaymentId,
    ProductId,
    ShopClient,
    UserId,
)


Write = TypeVar("Write", bound=Callable[..., None])


def _while_open(write: Write) -> Write:
    """A write that says when the table refuses it because the database leads."""

    @wraps(write)
    def checked(*arguments: object) -> None:
        try:
            write(*arguments)
        except Service as error:
            if error.exception == "AccessDeniedException":
                raise Closed(error.text) from error
            raise

    return cast(Write, checked)


class Table:
    """The table, as a program uses it."""

    name = "the generated client"

    def __init__(self, endpoint: str) -> None:
        self.client = ShopClient(endpoint, Options(timeout=10))

    def close(self) -> None:
        """Ends the connections."""
        self.client.client.close()

    def look(self, user: str) -> int:
        """A user's page: E1 and E2. How many orders it shows."""
        found = self.client.user(user_id=UserId(user))
        orders = self.client.orders_of_user(user_id=UserId(user)).all()
        return len(orders) if found else 0

    @_while_open
    def order(self, draft: Draft) -> None:
        """An order with its items, in one transaction; the user's copy and count follow."""
        lines = [
            Line(
                item_id=ItemId(str(one.line)),
                product_id=ProductId(one.product),
                quantity=one.quantity,
                price=one.price,
            )
            for one in draft.lines
        ]
        self.client.create_order(
            order_id=OrderId(draft.order),
            user_id=UserId(draft.user),
            created_at=draft.at,
            total=draft.total,
            status="pending",
            lines=lines,
        )

    @_while_open
    def pay(self, payment: Payment) -> None:
        """A payment, which is added up in its order, and by which the order is paid."""
        self.client.pay(
            order_id=OrderId(payment.order),
            payment_id=PaymentId(payment.payment),
            amount=payment.amount,
            paid_at=payment.at,
        )

    @_while_open
    def ship(self, order: str) -> None:
        """An order leaves the house: it moves in the index, and its copy follows."""
        self.client.set_status(order_id=OrderId(order), status="shipped")

    @_while_open
    def move(self, address: Address) -> None:
        """A user has another address, which stands in the user, too."""
        self.client.move_user(
            user_id=UserId(address.user), street=address.street, city=address.city, country="NO"
        )
