"""The operations of MyApp, for programs that block. An operation returns what was asked for, or a
`Problem`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, timezone
from functools import wraps
from typing import ParamSpec, TypeVar

from keyfold import KeyfoldError

from myapp.model import (
    Address,
    MyappClient,
    NewAddress,
    NewOrderItem,
    NewProduct,
    NewUser,
    Order,
    OrderId,
    OrderItem,
    OrderKey,
    OrderPatch,
    OrderStatus,
    PendingOrdersItem,
    Product,
    Sku,
    User,
    UserId,
    UserKey,
    UserPatch,
)
from myapp.results import Problem, absent, invalid, problem_of

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(slots=True)
class Overview:
    """Everything about a user."""

    user: User
    orders: list[Order] = field(default_factory=list)
    addresses: list[Address] = field(default_factory=list)


@dataclass(slots=True)
class OrderWithLines:
    """An order and what is in it."""

    order: Order
    lines: list[OrderItem]


def answered(operation: Callable[P, T | Problem]) -> Callable[P, T | Problem]:
    """Makes problems of the errors of an operation."""

    @wraps(operation)
    def run(*args: P.args, **kwargs: P.kwargs) -> T | Problem:
        try:
            return operation(*args, **kwargs)
        except KeyfoldError as error:
            return problem_of(error)

    return run


class Service:
    """MyApp on a client of its model."""

    def __init__(self, client: MyappClient) -> None:
        self._client = client

    @answered
    def register(self, user_id: UserId, email: str, name: str) -> User | Problem:
        """Creates a user. The table guards that no two have the same e-mail."""
        now = datetime.now(timezone.utc).replace(microsecond=0)
        self._client.User.create(
            NewUser(user_id=user_id, email=email, name=name, created_at=now)
        )
        return User(user_id=user_id, email=email, name=name, created_at=now)

    @answered
    def change_email(self, user_id: UserId, email: str) -> None | Problem:
        """Gives a user another e-mail, and lets the old one go."""
        self._client.User.update(UserKey(user_id=user_id), UserPatch(email=email))
        return None

    @answered
    def user(self, user_id: UserId) -> User | Problem:
        """M1: a user by id."""
        return self._client.user(user_id=user_id) or absent(f"user {user_id}")

    @answered
    def user_by_email(self, email: str) -> User | Problem:
        """M2: a user by e-mail."""
        return self._client.user_by_email(email=email) or absent(f"user with {email}")

    @answered
    def put_address(
        self, user_id: UserId, label: str, street: str, city: str
    ) -> None | Problem:
        """Writes the address that a user calls by a label."""
        address = NewAddress(user_id=user_id, label=label, street=street, city=city)
        self._client.Address.put(address)
        return None

    @answered
    def put_product(self, product: NewProduct) -> None | Problem:
        """Writes a product."""
        self._client.Product.put(product)
        return None

    @answered
    def put_products(self, products: list[NewProduct]) -> None | Problem:
        """Writes products in batches. A part of them may be written before a problem."""
        self._client.Product.put_many(products)
        return None

    @answered
    def product(self, sku: Sku) -> Product | Problem:
        """A product by its number."""
        return self._client.product(sku=sku) or absent(f"product {sku}")

    @answered
    def latest_orders(self, user_id: UserId, most: int) -> list[Order] | Problem:
        """M3: the newest orders of a user."""
        return self._client.orders_of_user(user_id=user_id).page(limit=most).items

    @answered
    def order(self, order_id: OrderId) -> OrderWithLines | Problem:
        """M4: an order by id, with its lines."""
        order = self._client.order(order_id=order_id)
        if order is None:
            return absent(f"order {order_id}")
        return OrderWithLines(
            order, self._client.items_of_order(order_id=order_id).all()
        )

    @answered
    def pending_orders(self, most: int) -> list[PendingOrdersItem] | Problem:
        """M5: all orders that wait, for the administrator; more than `most` are a problem."""
        return self._client.pending_orders().all(most=most)

    @answered
    def overview(self, user_id: UserId) -> Overview | Problem:
        """M6: everything about a user, by one query. The class of an item says what it is."""
        user: User | None = None
        orders: list[Order] = []
        addresses: list[Address] = []
        for item in self._client.user_overview(user_id=user_id):
            match item:
                case User():
                    user = item
                case Order():
                    orders.append(item)
                case Address():
                    addresses.append(item)
        if user is None:
            return absent(f"user {user_id}")
        return Overview(user, orders, addresses)

    @answered
    def place_order(
        self,
        order_id: OrderId,
        user_id: UserId,
        sku: Sku,
        quantity: int,
        day: date | None = None,
    ) -> Order | Problem:
        """M7: places an order at the product's price, if enough is in stock: both or nothing."""
        if quantity < 1:
            return invalid("quantity", "an order has one piece at least")
        if self._client.user(user_id=user_id) is None:
            return absent(f"user {user_id}")
        product = self._client.product(sku=sku)
        if product is None:
            return absent(f"product {sku}")
        order = Order(
            user_id=user_id,
            order_date=day or datetime.now(timezone.utc).date(),
            order_id=order_id,
            total=product.price * quantity,
            status="pending",
        )
        self._client.place_order(
            order_id=order.order_id,
            user_id=order.user_id,
            order_date=order.order_date,
            total=order.total,
            status=order.status,
            sku=sku,
            quantity=quantity,
        )
        return order

    @answered
    def put_line(self, line: NewOrderItem) -> None | Problem:
        """Writes a line of an order."""
        self._client.OrderItem.put(line)
        return None

    @answered
    def set_status(self, order_id: OrderId, status: OrderStatus) -> None | Problem:
        """Changes the status of an order. What is not pending leaves the administrator's index."""
        order = self._client.order(order_id=order_id)
        if order is None:
            return absent(f"order {order_id}")
        self._client.Order.update(_key(order), OrderPatch(status=status))
        return None

    @answered
    def ship(self, order_ids: list[OrderId]) -> None | Problem:
        """Marks orders as shipped: all of them or none."""
        orders = [self._client.order(order_id=order_id) for order_id in order_ids]
        for order_id, order in zip(order_ids, orders, strict=True):
            if order is None:
                return absent(f"order {order_id}")
        part = self._client.Order.part
        shipped = OrderPatch(status="shipped")
        self._client.transact(
            [part.update(_key(order), shipped) for order in orders if order]
        )
        return None


def _key(order: Order) -> OrderKey:
    return OrderKey(
        user_id=order.user_id, order_date=order.order_date, order_id=order.order_id
    )
