"""A client of the model shop, version 1.

Made by keyfold 0.1.0. The plan document's hash: 564beabdd7f946263fa8c921a238088c.
Changes here are lost: change the model, and run `keyfold generate`.
"""

from __future__ import annotations

import datetime as _datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, NewType, TypeAlias, overload

from keyfold import Client, Options, typed
from keyfold.aio import AsyncClient

UserId = NewType("UserId", str)
"""A value of `User.userId`."""
OrderId = NewType("OrderId", str)
"""A value of `Order.orderId`."""
ItemId = NewType("ItemId", str)
"""A value of `OrderItem.itemId`."""
PaymentId = NewType("PaymentId", str)
"""A value of `Payment.paymentId`."""
ProductId = NewType("ProductId", str)
"""A value of `Product.productId`."""

OrderStatus: TypeAlias = Literal["pending", "paid", "shipped"]
"""The words of `Order.status`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The record `Line`."""

    item_id: str
    product_id: ProductId
    quantity: int
    price: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """The entity `User` as it is stored, under `"USER#{userId}" "PROFILE"`."""

    user_id: UserId
    email: str
    name: str
    created_at: _datetime.datetime
    street: str | None = None
    city: str | None = None
    country: str | None = None
    orders: int
    """Kept by the model: a count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewUser:
    """The attributes of a `User` that is created or put."""

    user_id: UserId
    email: str
    name: str
    created_at: _datetime.datetime
    street: str | None = None
    city: str | None = None
    country: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UserKey:
    """The key of a `User`."""

    user_id: UserId


@dataclass(frozen=True, slots=True, kw_only=True)
class UserPatch:
    """Changes of a `User`: what is not named stays as it is, and `None` removes an
    optional attribute.
    """

    email: str | typed.Unset = typed.UNSET
    name: str | typed.Unset = typed.UNSET
    created_at: _datetime.datetime | typed.Unset = typed.UNSET
    street: str | None | typed.Unset = typed.UNSET
    city: str | None | typed.Unset = typed.UNSET
    country: str | None | typed.Unset = typed.UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class UserChange:
    """A change of a `User` that a stream reports."""

    old: User | None = None
    new: User | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """The entity `Address` as it is stored, under `"USER#{userId}" "ADDRESS"`."""

    user_id: UserId
    street: str
    city: str
    country: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAddress:
    """The attributes of an `Address` that is created or put."""

    user_id: UserId
    street: str
    city: str
    country: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressKey:
    """The key of an `Address`."""

    user_id: UserId


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressPatch:
    """Changes of an `Address`: what is not named stays as it is."""

    street: str | typed.Unset = typed.UNSET
    city: str | typed.Unset = typed.UNSET
    country: str | typed.Unset = typed.UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressChange:
    """A change of an `Address` that a stream reports."""

    old: Address | None = None
    new: Address | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """The entity `Order` as it is stored, under `"ORDER#{orderId}" "META"`."""

    order_id: OrderId
    user_id: UserId
    created_at: _datetime.datetime
    total: Decimal
    status: OrderStatus
    received: Decimal
    """Kept by the model: a sum."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewOrder:
    """The attributes of an `Order` that is created or put."""

    order_id: OrderId
    user_id: UserId
    created_at: _datetime.datetime
    total: Decimal | int
    status: OrderStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderKey:
    """The key of an `Order`."""

    order_id: OrderId


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderPatch:
    """Changes of an `Order`: what is not named stays as it is."""

    user_id: UserId | typed.Unset = typed.UNSET
    created_at: _datetime.datetime | typed.Unset = typed.UNSET
    total: Decimal | int | typed.Unset = typed.UNSET
    status: OrderStatus | typed.Unset = typed.UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderSummary:
    """The copy `Order.summary`."""

    order_id: OrderId
    created_at: _datetime.datetime
    total: Decimal
    status: OrderStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderSummaryChange:
    """A change of a copy `Order.summary` that a stream reports."""

    old: OrderSummary | None = None
    new: OrderSummary | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderChange:
    """A change of an `Order` that a stream reports."""

    old: Order | None = None
    new: Order | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderItem:
    """The entity `OrderItem` as it is stored, under `"ORDER#{orderId}"
    "ITEM#{itemId}"`.
    """

    order_id: OrderId
    item_id: ItemId
    product_id: ProductId
    quantity: int
    price: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class NewOrderItem:
    """The attributes of an `OrderItem` that is created or put."""

    order_id: OrderId
    item_id: ItemId
    product_id: ProductId
    quantity: int
    price: Decimal | int


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderItemKey:
    """The key of an `OrderItem`."""

    order_id: OrderId
    item_id: ItemId


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderItemPatch:
    """Changes of an `OrderItem`: what is not named stays as it is."""

    product_id: ProductId | typed.Unset = typed.UNSET
    quantity: int | typed.Unset = typed.UNSET
    price: Decimal | int | typed.Unset = typed.UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderItemChange:
    """A change of an `OrderItem` that a stream reports."""

    old: OrderItem | None = None
    new: OrderItem | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Payment:
    """The entity `Payment` as it is stored, under `"ORDER#{orderId}"
    "PAYMENT#{paymentId}"`.
    """

    order_id: OrderId
    payment_id: PaymentId
    amount: Decimal
    paid_at: _datetime.datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPayment:
    """The attributes of a `Payment` that is created or put."""

    order_id: OrderId
    payment_id: PaymentId
    amount: Decimal | int
    paid_at: _datetime.datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentKey:
    """The key of a `Payment`."""

    order_id: OrderId
    payment_id: PaymentId


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentPatch:
    """Changes of a `Payment`: what is not named stays as it is."""

    amount: Decimal | int | typed.Unset = typed.UNSET
    paid_at: _datetime.datetime | typed.Unset = typed.UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentChange:
    """A change of a `Payment` that a stream reports."""

    old: Payment | None = None
    new: Payment | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """The entity `Product` as it is stored, under `"PRODUCT#{productId}" "INFO"`."""

    product_id: ProductId
    name: str
    price: Decimal
    stock: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NewProduct:
    """The attributes of a `Product` that is created or put."""

    product_id: ProductId
    name: str
    price: Decimal | int
    stock: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductKey:
    """The key of a `Product`."""

    product_id: ProductId


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductPatch:
    """Changes of a `Product`: what is not named stays as it is."""

    name: str | typed.Unset = typed.UNSET
    price: Decimal | int | typed.Unset = typed.UNSET
    stock: int | typed.Unset = typed.UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductChange:
    """A change of a `Product` that a stream reports."""

    old: Product | None = None
    new: Product | None = None


OrderWithItemsItem: TypeAlias = Order | OrderItem | Payment
"""An item of `order_with_items`; its class says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderWithItemsAnswer:
    """The whole answer of `order_with_items`."""

    order: Order
    order_items: list[OrderItem]
    payments: list[Payment]


ShopEvent: TypeAlias = (
    UserChange
    | AddressChange
    | OrderChange
    | OrderItemChange
    | PaymentChange
    | ProductChange
)
"""A change that a stream reports; its class says of what."""


ShopEventWithCopies: TypeAlias = ShopEvent | OrderSummaryChange
"""A change of an entity or of a copy; its class says of what."""


class ShopParts(typed.NamedParts):
    """The named writes as parts of a transaction: nothing is sent before `transact`
    takes them.
    """

    def create_order(
        self,
        *,
        lines: Sequence[Line],
        order_id: OrderId,
        user_id: UserId,
        created_at: _datetime.datetime,
        total: Decimal | int,
        status: OrderStatus,
    ) -> typed.NamedPart[typed.NothingMade]:
        """The write `create_order`."""
        return self._run(
            "create_order",
            {
                "lines": lines,
                "orderId": order_id,
                "userId": user_id,
                "createdAt": created_at,
                "total": total,
                "status": status,
            },
            typed.NothingMade,
        )

    def set_status(
        self,
        *,
        status: OrderStatus,
        order_id: OrderId,
    ) -> typed.NamedPart[typed.NothingMade]:
        """The write `set_status`."""
        return self._run(
            "set_status",
            {"status": status, "orderId": order_id},
            typed.NothingMade,
        )

    def move_user(
        self,
        *,
        street: str,
        city: str,
        country: str,
        user_id: UserId,
    ) -> typed.NamedPart[typed.NothingMade]:
        """The write `move_user`."""
        return self._run(
            "move_user",
            {"street": street, "city": city, "country": country, "userId": user_id},
            typed.NothingMade,
        )

    def pay(
        self,
        *,
        payment_id: PaymentId,
        amount: Decimal | int,
        paid_at: _datetime.datetime,
        order_id: OrderId,
    ) -> typed.NamedPart[typed.NothingMade]:
        """The write `pay`."""
        return self._run(
            "pay",
            {
                "paymentId": payment_id,
                "amount": amount,
                "paidAt": paid_at,
                "orderId": order_id,
            },
            typed.NothingMade,
        )


class ShopFakes(typed.NamedFakes):
    """Entities for tests: random by a seed, and valid for the model. What is not
    given is made; of `_related`, entities by their names, attributes that refer
    to one have its values.
    """

    def user(
        self,
        _related: Mapping[str, object] | None = None,
        /,
        *,
        user_id: UserId | typed.Unset = typed.UNSET,
        email: str | typed.Unset = typed.UNSET,
        name: str | typed.Unset = typed.UNSET,
        created_at: _datetime.datetime | typed.Unset = typed.UNSET,
        street: str | None | typed.Unset = typed.UNSET,
        city: str | None | typed.Unset = typed.UNSET,
        country: str | None | typed.Unset = typed.UNSET,
    ) -> NewUser:
        """A new `User`."""
        return self._new(
            "User",
            NewUser,
            {
                "userId": user_id,
                "email": email,
                "name": name,
                "createdAt": created_at,
                "street": street,
                "city": city,
                "country": country,
            },
            _related,
        )

    def address(
        self,
        _related: Mapping[str, object] | None = None,
        /,
        *,
        user_id: UserId | typed.Unset = typed.UNSET,
        street: str | typed.Unset = typed.UNSET,
        city: str | typed.Unset = typed.UNSET,
        country: str | typed.Unset = typed.UNSET,
    ) -> NewAddress:
        """A new `Address`."""
        return self._new(
            "Address",
            NewAddress,
            {"userId": user_id, "street": street, "city": city, "country": country},
            _related,
        )

    def order(
        self,
        _related: Mapping[str, object] | None = None,
        /,
        *,
        order_id: OrderId | typed.Unset = typed.UNSET,
        user_id: UserId | typed.Unset = typed.UNSET,
        created_at: _datetime.datetime | typed.Unset = typed.UNSET,
        total: Decimal | int | typed.Unset = typed.UNSET,
        status: OrderStatus | typed.Unset = typed.UNSET,
    ) -> NewOrder:
        """A new `Order`."""
        return self._new(
            "Order",
            NewOrder,
            {
                "orderId": order_id,
                "userId": user_id,
                "createdAt": created_at,
                "total": total,
                "status": status,
            },
            _related,
        )

    def order_item(
        self,
        _related: Mapping[str, object] | None = None,
        /,
        *,
        order_id: OrderId | typed.Unset = typed.UNSET,
        item_id: ItemId | typed.Unset = typed.UNSET,
        product_id: ProductId | typed.Unset = typed.UNSET,
        quantity: int | typed.Unset = typed.UNSET,
        price: Decimal | int | typed.Unset = typed.UNSET,
    ) -> NewOrderItem:
        """A new `OrderItem`."""
        return self._new(
            "OrderItem",
            NewOrderItem,
            {
                "orderId": order_id,
                "itemId": item_id,
                "productId": product_id,
                "quantity": quantity,
                "price": price,
            },
            _related,
        )

    def payment(
        self,
        _related: Mapping[str, object] | None = None,
        /,
        *,
        order_id: OrderId | typed.Unset = typed.UNSET,
        payment_id: PaymentId | typed.Unset = typed.UNSET,
        amount: Decimal | int | typed.Unset = typed.UNSET,
        paid_at: _datetime.datetime | typed.Unset = typed.UNSET,
    ) -> NewPayment:
        """A new `Payment`."""
        return self._new(
            "Payment",
            NewPayment,
            {
                "orderId": order_id,
                "paymentId": payment_id,
                "amount": amount,
                "paidAt": paid_at,
            },
            _related,
        )

    def product(
        self,
        _related: Mapping[str, object] | None = None,
        /,
        *,
        product_id: ProductId | typed.Unset = typed.UNSET,
        name: str | typed.Unset = typed.UNSET,
        price: Decimal | int | typed.Unset = typed.UNSET,
        stock: int | typed.Unset = typed.UNSET,
    ) -> NewProduct:
        """A new `Product`."""
        return self._new(
            "Product",
            NewProduct,
            {"productId": product_id, "name": name, "price": price, "stock": stock},
            _related,
        )


class ShopClient(typed.Typed):
    """The patterns, named writes and entities of the model `shop`, version 1."""

    def __init__(self, connection: str | Any, options: Options | None = None) -> None:
        """Takes `http://localhost:8000`, `dynamodb://eu-west-1?profile=prod`,
        `keyfold:./data`, or a low-level client of boto3.
        """
        super().__init__(Client(_PLAN, connection, options or Options()), _SHAPES)
        self.User = typed.Writer[
            NewUser,
            NewUser,
            UserKey,
            UserPatch,
            User,
            typed.NothingMade,
            typed.NothingMade,
        ](self, "User", User, typed.NothingMade, typed.NothingMade)
        """Writes a `User` with all that follows from it."""
        self.Address = typed.BatchWriter[
            NewAddress,
            NewAddress,
            AddressKey,
            AddressPatch,
            Address,
            typed.NothingMade,
            typed.NothingMade,
        ](self, "Address", Address, typed.NothingMade, typed.NothingMade)
        """Writes an `Address` with all that follows from it."""
        self.Order = typed.Writer[
            NewOrder,
            NewOrder,
            OrderKey,
            OrderPatch,
            Order,
            typed.NothingMade,
            typed.NothingMade,
        ](self, "Order", Order, typed.NothingMade, typed.NothingMade)
        """Writes an `Order` with all that follows from it."""
        self.OrderItem = typed.BatchWriter[
            NewOrderItem,
            NewOrderItem,
            OrderItemKey,
            OrderItemPatch,
            OrderItem,
            typed.NothingMade,
            typed.NothingMade,
        ](self, "OrderItem", OrderItem, typed.NothingMade, typed.NothingMade)
        """Writes an `OrderItem` with all that follows from it."""
        self.Payment = typed.Writer[
            NewPayment,
            NewPayment,
            PaymentKey,
            PaymentPatch,
            Payment,
            typed.NothingMade,
            typed.NothingMade,
        ](self, "Payment", Payment, typed.NothingMade, typed.NothingMade)
        """Writes a `Payment` with all that follows from it."""
        self.Product = typed.BatchWriter[
            NewProduct,
            NewProduct,
            ProductKey,
            ProductPatch,
            Product,
            typed.NothingMade,
            typed.NothingMade,
        ](self, "Product", Product, typed.NothingMade, typed.NothingMade)
        """Writes a `Product` with all that follows from it."""
        self.fake = ShopFakes(self)
        """Entities for tests, random by a seed."""
        self.part = ShopParts(_SHAPES)
        """The named writes as parts of a transaction."""

    def user(
        self,
        *,
        user_id: UserId,
        strong: bool = False,
        timeout: float | None = None,
    ) -> User | None:
        """`user(userId) -> User?`

        GetItem of Shop: `PK = "USER#{userId}" AND SK = "PROFILE"`; 1 request,
        about 0.5 read units.
        """
        return self._one("user", {"userId": user_id}, {"User": User}, strong, timeout)

    def user_by_email(self, *, email: str, timeout: float | None = None) -> User | None:
        """`user_by_email(email) -> User?`

        Query of Shop.GSI1: `GSI1PK = "EMAIL#{email}" AND GSI1SK = "PROFILE"`; 1
        request, about 0.5 read units.
        """
        return self._one(
            "user_by_email",
            {"email": email},
            {"User": User},
            False,
            timeout,
        )

    def orders_of_user(
        self,
        *,
        user_id: UserId,
        backward: bool = False,
        strong: bool = False,
    ) -> typed.Query[OrderSummary]:
        """`orders_of_user(userId) -> Order.summary[] newest page 20`

        Query of Shop: `PK = "USER#{userId}" AND begins_with(SK, "ORDER#")`,
        descending, 20 items a page; 1 request a page, about 1 read units.
        """
        return typed.Query(
            self,
            "orders_of_user",
            {"userId": user_id},
            {"Order.summary": OrderSummary},
            backward=backward,
            strong=strong,
        )

    def order_with_items(
        self,
        *,
        order_id: OrderId,
        backward: bool = False,
        strong: bool = False,
    ) -> typed.Collection[OrderWithItemsItem, OrderWithItemsAnswer]:
        """`order_with_items(orderId) -> Order + OrderItem[] + Payment[]`

        Query of Shop: `PK = "ORDER#{orderId}"`; 1 request a page.
        """
        return typed.Collection(
            self,
            "order_with_items",
            {"orderId": order_id},
            {"Order": Order, "OrderItem": OrderItem, "Payment": Payment},
            OrderWithItemsAnswer,
            backward=backward,
            strong=strong,
        )

    def items_of_order(
        self,
        *,
        order_id: OrderId,
        backward: bool = False,
        strong: bool = False,
    ) -> typed.Query[OrderItem]:
        """`items_of_order(orderId) -> OrderItem[]`

        Query of Shop: `PK = "ORDER#{orderId}" AND begins_with(SK, "ITEM#")`; 1
        request a page.
        """
        return typed.Query(
            self,
            "items_of_order",
            {"orderId": order_id},
            {"OrderItem": OrderItem},
            backward=backward,
            strong=strong,
        )

    def product(
        self,
        *,
        product_id: ProductId,
        strong: bool = False,
        timeout: float | None = None,
    ) -> Product | None:
        """`product(productId) -> Product?`

        GetItem of Shop: `PK = "PRODUCT#{productId}" AND SK = "INFO"`; 1 request,
        about 0.5 read units.
        """
        return self._one(
            "product",
            {"productId": product_id},
            {"Product": Product},
            strong,
            timeout,
        )

    def orders_by_status(
        self,
        *,
        status: OrderStatus,
        backward: bool = False,
    ) -> typed.Query[Order]:
        """`orders_by_status(status) -> Order[] newest page 50`

        Query of Shop.GSI1: `GSI1PK = "STATUS#{status}" AND begins_with(GSI1SK,
        "ORDER#")`, descending, 50 items a page; 1 request a page, about 2 read
        units.
        """
        return typed.Query(
            self,
            "orders_by_status",
            {"status": status},
            {"Order": Order},
            backward=backward,
        )

    def recent_orders(
        self,
        *,
        user_id: UserId,
        since: _datetime.datetime,
        backward: bool = False,
        strong: bool = False,
    ) -> typed.Query[OrderSummary]:
        """`recent_orders(userId, since) -> Order.summary[] newest page 20`

        Query of Shop: `PK = "USER#{userId}" AND SK BETWEEN "ORDER#{since}" AND
        "ORDER#…"`, descending, 20 items a page; 1 request a page, about 1 read
        units.

        - `since`: `createdAt` is at least this.
        """
        return typed.Query(
            self,
            "recent_orders",
            {"userId": user_id, "since": since},
            {"Order.summary": OrderSummary},
            backward=backward,
            strong=strong,
        )

    def recent_orders_by_status(
        self,
        *,
        status: OrderStatus,
        since: _datetime.datetime,
        backward: bool = False,
    ) -> typed.Query[Order]:
        """`recent_orders_by_status(status, since) -> Order[] newest page 50`

        Query of Shop.GSI1: `GSI1PK = "STATUS#{status}" AND GSI1SK BETWEEN
        "ORDER#{since}" AND "ORDER#…"`, descending, 50 items a page; 1 request a
        page, about 2 read units.

        - `since`: `createdAt` is at least this.
        """
        return typed.Query(
            self,
            "recent_orders_by_status",
            {"status": status, "since": since},
            {"Order": Order},
            backward=backward,
        )

    def create_order(
        self,
        *,
        lines: Sequence[Line],
        order_id: OrderId,
        user_id: UserId,
        created_at: _datetime.datetime,
        total: Decimal | int,
        status: OrderStatus,
        timeout: float | None = None,
    ) -> typed.Written[typed.NothingMade]:
        """The write `create_order`:

        - create Order
        - create OrderItem for each of lines
        Requests: TransactWriteItems.
        """
        return self._write(
            self.part.create_order(
                lines=lines,
                order_id=order_id,
                user_id=user_id,
                created_at=created_at,
                total=total,
                status=status,
            ),
            timeout,
        )

    def set_status(
        self,
        *,
        status: OrderStatus,
        order_id: OrderId,
        timeout: float | None = None,
    ) -> typed.Written[typed.NothingMade]:
        """The write `set_status`:

        - update Order (status = status)
        Requests: GetItem, then TransactWriteItems.
        """
        return self._write(
            self.part.set_status(status=status, order_id=order_id),
            timeout,
        )

    def move_user(
        self,
        *,
        street: str,
        city: str,
        country: str,
        user_id: UserId,
        timeout: float | None = None,
    ) -> typed.Written[typed.NothingMade]:
        """The write `move_user`:

        - put Address
        - update User (street = street, city = city, country = country)
        Requests: TransactWriteItems.
        """
        return self._write(
            self.part.move_user(
                street=street,
                city=city,
                country=country,
                user_id=user_id,
            ),
            timeout,
        )

    def pay(
        self,
        *,
        payment_id: PaymentId,
        amount: Decimal | int,
        paid_at: _datetime.datetime,
        order_id: OrderId,
        timeout: float | None = None,
    ) -> typed.Written[typed.NothingMade]:
        """The write `pay`:

        - create Payment
        - update Order (status = "paid")
        Requests: GetItem, then TransactWriteItems.
        """
        return self._write(
            self.part.pay(
                payment_id=payment_id,
                amount=amount,
                paid_at=paid_at,
                order_id=order_id,
            ),
            timeout,
        )

    @overload
    def event(
        self,
        record: Mapping[str, Any],
        *,
        on_unknown: typed.OnUnknown | None = None,
        copies: Literal[False] = False,
    ) -> ShopEvent | None: ...

    @overload
    def event(
        self,
        record: Mapping[str, Any],
        *,
        on_unknown: typed.OnUnknown | None = None,
        copies: bool,
    ) -> ShopEventWithCopies | None: ...

    def event(
        self,
        record: Mapping[str, Any],
        *,
        on_unknown: typed.OnUnknown | None = None,
        copies: bool = False,
    ) -> ShopEventWithCopies | None:
        """The change that a stream's record reports, of a reader or of Lambda; None
        for an item that follows from an entity. `on_unknown` says what becomes of
        an item that the model does not know, instead of the client's. With
        `copies`, those of copies are changes, too.
        """
        return self._change(record, _EVENTS, on_unknown, copies)


class AsyncShopClient(typed.AsyncTyped):
    """The patterns, named writes and entities of the model `shop`, version 1, for
    `asyncio`.
    """

    def __init__(self, connection: str | Any, options: Options | None = None) -> None:
        """Takes `http://localhost:8000`, `dynamodb://eu-west-1?profile=prod`,
        `keyfold:./data`, or a low-level client of aioboto3. It is used in `async
        with`.
        """
        super().__init__(AsyncClient(_PLAN, connection, options or Options()), _SHAPES)
        self.User = typed.AsyncWriter[
            NewUser,
            NewUser,
            UserKey,
            UserPatch,
            User,
            typed.NothingMade,
            typed.NothingMade,
        ](self, "User", User, typed.NothingMade, typed.NothingMade)
        """Writes a `User` with all that follows from it."""
        self.Address = typed.AsyncBatchWriter[
            NewAddress,
            NewAddress,
            AddressKey,
            AddressPatch,
            Address,
            typed.NothingMade,
            typed.NothingMade,
        ](self, "Address", Address, typed.NothingMade, typed.NothingMade)
        """Writes an `Address` with all that follows from it."""
        self.Order = typed.AsyncWriter[
            NewOrder,
            NewOrder,
            OrderKey,
            OrderPatch,
            Order,
            typed.NothingMade,
            typed.NothingMade,
        ](self, "Order", Order, typed.NothingMade, typed.NothingMade)
        """Writes an `Order` with all that follows from it."""
        self.OrderItem = typed.AsyncBatchWriter[
            NewOrderItem,
            NewOrderItem,
            OrderItemKey,
            OrderItemPatch,
            OrderItem,
            typed.NothingMade,
            typed.NothingMade,
        ](self, "OrderItem", OrderItem, typed.NothingMade, typed.NothingMade)
        """Writes an `OrderItem` with all that follows from it."""
        self.Payment = typed.AsyncWriter[
            NewPayment,
            NewPayment,
            PaymentKey,
            PaymentPatch,
            Payment,
            typed.NothingMade,
            typed.NothingMade,
        ](self, "Payment", Payment, typed.NothingMade, typed.NothingMade)
        """Writes a `Payment` with all that follows from it."""
        self.Product = typed.AsyncBatchWriter[
            NewProduct,
            NewProduct,
            ProductKey,
            ProductPatch,
            Product,
            typed.NothingMade,
            typed.NothingMade,
        ](self, "Product", Product, typed.NothingMade, typed.NothingMade)
        """Writes a `Product` with all that follows from it."""
        self.fake = ShopFakes(self)
        """Entities for tests, random by a seed."""
        self.part = ShopParts(_SHAPES)
        """The named writes as parts of a transaction."""

    async def user(
        self,
        *,
        user_id: UserId,
        strong: bool = False,
        timeout: float | None = None,
    ) -> User | None:
        """`user(userId) -> User?`

        GetItem of Shop: `PK = "USER#{userId}" AND SK = "PROFILE"`; 1 request,
        about 0.5 read units.
        """
        return await self._one(
            "user",
            {"userId": user_id},
            {"User": User},
            strong,
            timeout,
        )

    async def user_by_email(
        self,
        *,
        email: str,
        timeout: float | None = None,
    ) -> User | None:
        """`user_by_email(email) -> User?`

        Query of Shop.GSI1: `GSI1PK = "EMAIL#{email}" AND GSI1SK = "PROFILE"`; 1
        request, about 0.5 read units.
        """
        return await self._one(
            "user_by_email",
            {"email": email},
            {"User": User},
            False,
            timeout,
        )

    def orders_of_user(
        self,
        *,
        user_id: UserId,
        backward: bool = False,
        strong: bool = False,
    ) -> typed.AsyncQuery[OrderSummary]:
        """`orders_of_user(userId) -> Order.summary[] newest page 20`

        Query of Shop: `PK = "USER#{userId}" AND begins_with(SK, "ORDER#")`,
        descending, 20 items a page; 1 request a page, about 1 read units.
        """
        return typed.AsyncQuery(
            self,
            "orders_of_user",
            {"userId": user_id},
            {"Order.summary": OrderSummary},
            backward=backward,
            strong=strong,
        )

    def order_with_items(
        self,
        *,
        order_id: OrderId,
        backward: bool = False,
        strong: bool = False,
    ) -> typed.AsyncCollection[OrderWithItemsItem, OrderWithItemsAnswer]:
        """`order_with_items(orderId) -> Order + OrderItem[] + Payment[]`

        Query of Shop: `PK = "ORDER#{orderId}"`; 1 request a page.
        """
        return typed.AsyncCollection(
            self,
            "order_with_items",
            {"orderId": order_id},
            {"Order": Order, "OrderItem": OrderItem, "Payment": Payment},
            OrderWithItemsAnswer,
            backward=backward,
            strong=strong,
        )

    def items_of_order(
        self,
        *,
        order_id: OrderId,
        backward: bool = False,
        strong: bool = False,
    ) -> typed.AsyncQuery[OrderItem]:
        """`items_of_order(orderId) -> OrderItem[]`

        Query of Shop: `PK = "ORDER#{orderId}" AND begins_with(SK, "ITEM#")`; 1
        request a page.
        """
        return typed.AsyncQuery(
            self,
            "items_of_order",
            {"orderId": order_id},
            {"OrderItem": OrderItem},
            backward=backward,
            strong=strong,
        )

    async def product(
        self,
        *,
        product_id: ProductId,
        strong: bool = False,
        timeout: float | None = None,
    ) -> Product | None:
        """`product(productId) -> Product?`

        GetItem of Shop: `PK = "PRODUCT#{productId}" AND SK = "INFO"`; 1 request,
        about 0.5 read units.
        """
        return await self._one(
            "product",
            {"productId": product_id},
            {"Product": Product},
            strong,
            timeout,
        )

    def orders_by_status(
        self,
        *,
        status: OrderStatus,
        backward: bool = False,
    ) -> typed.AsyncQuery[Order]:
        """`orders_by_status(status) -> Order[] newest page 50`

        Query of Shop.GSI1: `GSI1PK = "STATUS#{status}" AND begins_with(GSI1SK,
        "ORDER#")`, descending, 50 items a page; 1 request a page, about 2 read
        units.
        """
        return typed.AsyncQuery(
            self,
            "orders_by_status",
            {"status": status},
            {"Order": Order},
            backward=backward,
        )

    def recent_orders(
        self,
        *,
        user_id: UserId,
        since: _datetime.datetime,
        backward: bool = False,
        strong: bool = False,
    ) -> typed.AsyncQuery[OrderSummary]:
        """`recent_orders(userId, since) -> Order.summary[] newest page 20`

        Query of Shop: `PK = "USER#{userId}" AND SK BETWEEN "ORDER#{since}" AND
        "ORDER#…"`, descending, 20 items a page; 1 request a page, about 1 read
        units.

        - `since`: `createdAt` is at least this.
        """
        return typed.AsyncQuery(
            self,
            "recent_orders",
            {"userId": user_id, "since": since},
            {"Order.summary": OrderSummary},
            backward=backward,
            strong=strong,
        )

    def recent_orders_by_status(
        self,
        *,
        status: OrderStatus,
        since: _datetime.datetime,
        backward: bool = False,
    ) -> typed.AsyncQuery[Order]:
        """`recent_orders_by_status(status, since) -> Order[] newest page 50`

        Query of Shop.GSI1: `GSI1PK = "STATUS#{status}" AND GSI1SK BETWEEN
        "ORDER#{since}" AND "ORDER#…"`, descending, 50 items a page; 1 request a
        page, about 2 read units.

        - `since`: `createdAt` is at least this.
        """
        return typed.AsyncQuery(
            self,
            "recent_orders_by_status",
            {"status": status, "since": since},
            {"Order": Order},
            backward=backward,
        )

    async def create_order(
        self,
        *,
        lines: Sequence[Line],
        order_id: OrderId,
        user_id: UserId,
        created_at: _datetime.datetime,
        total: Decimal | int,
        status: OrderStatus,
        timeout: float | None = None,
    ) -> typed.Written[typed.NothingMade]:
        """The write `create_order`:

        - create Order
        - create OrderItem for each of lines
        Requests: TransactWriteItems.
        """
        return await self._write(
            self.part.create_order(
                lines=lines,
                order_id=order_id,
                user_id=user_id,
                created_at=created_at,
                total=total,
                status=status,
            ),
            timeout,
        )

    async def set_status(
        self,
        *,
        status: OrderStatus,
        order_id: OrderId,
        timeout: float | None = None,
    ) -> typed.Written[typed.NothingMade]:
        """The write `set_status`:

        - update Order (status = status)
        Requests: GetItem, then TransactWriteItems.
        """
        return await self._write(
            self.part.set_status(status=status, order_id=order_id),
            timeout,
        )

    async def move_user(
        self,
        *,
        street: str,
        city: str,
        country: str,
        user_id: UserId,
        timeout: float | None = None,
    ) -> typed.Written[typed.NothingMade]:
        """The write `move_user`:

        - put Address
        - update User (street = street, city = city, country = country)
        Requests: TransactWriteItems.
        """
        return await self._write(
            self.part.move_user(
                street=street,
                city=city,
                country=country,
                user_id=user_id,
            ),
            timeout,
        )

    async def pay(
        self,
        *,
        payment_id: PaymentId,
        amount: Decimal | int,
        paid_at: _datetime.datetime,
        order_id: OrderId,
        timeout: float | None = None,
    ) -> typed.Written[typed.NothingMade]:
        """The write `pay`:

        - create Payment
        - update Order (status = "paid")
        Requests: GetItem, then TransactWriteItems.
        """
        return await self._write(
            self.part.pay(
                payment_id=payment_id,
                amount=amount,
                paid_at=paid_at,
                order_id=order_id,
            ),
            timeout,
        )

    @overload
    def event(
        self,
        record: Mapping[str, Any],
        *,
        on_unknown: typed.OnUnknown | None = None,
        copies: Literal[False] = False,
    ) -> ShopEvent | None: ...

    @overload
    def event(
        self,
        record: Mapping[str, Any],
        *,
        on_unknown: typed.OnUnknown | None = None,
        copies: bool,
    ) -> ShopEventWithCopies | None: ...

    def event(
        self,
        record: Mapping[str, Any],
        *,
        on_unknown: typed.OnUnknown | None = None,
        copies: bool = False,
    ) -> ShopEventWithCopies | None:
        """The change that a stream's record reports, of a reader or of Lambda; None
        for an item that follows from an entity. `on_unknown` says what becomes of
        an item that the model does not know, instead of the client's. With
        `copies`, those of copies are changes, too.
        """
        return self._change(record, _EVENTS, on_unknown, copies)


_SHAPES = typed.Shapes(
    {
        "createdAt": "created_at",
        "itemId": "item_id",
        "orderId": "order_id",
        "orderItems": "order_items",
        "paidAt": "paid_at",
        "paymentId": "payment_id",
        "productId": "product_id",
        "userId": "user_id",
    },
    {"Line": Line},
)
_EVENTS: Mapping[str, tuple[type[Any], type[ShopEventWithCopies]]] = {
    "User": (User, UserChange),
    "Address": (Address, AddressChange),
    "Order": (Order, OrderChange),
    "OrderItem": (OrderItem, OrderItemChange),
    "Payment": (Payment, PaymentChange),
    "Product": (Product, ProductChange),
    "Order.summary": (OrderSummary, OrderSummaryChange),
}

_PLAN = r"""
{
"entities": [
  {"aggregates":[{"attribute":"orders","changes":"orders:changes","entity":"Order","items":"orders","kind":"count","link":[{"other":"userId","own":"userId"}]}],"attributes":[{"name":"userId","type":"string"},{"name":"email","type":"string"},{"name":"name","type":"string"},{"name":"createdAt","type":"time.s"},{"name":"street","optional":true,"type":"string"},{"name":"city","optional":true,"type":"string"},{"name":"country","optional":true,"type":"string"},{"default":{"value":{"N":"0"}},"kept":true,"name":"orders","type":"int"}],"followed":["email"],"indexes":[{"index":"GSI1","key":[{"attribute":"GSI1PK","matches":"EMAIL#[^\u0000]+","parts":["EMAIL#",{"field":"email","type":"string"}]},{"attribute":"GSI1SK","matches":"PROFILE","parts":["PROFILE"]}]}],"key":[{"attribute":"PK","matches":"USER#[^\u0000]+","parts":["USER#",{"field":"userId","type":"string"}]},{"attribute":"SK","matches":"PROFILE","parts":["PROFILE"]}],"name":"User","table":"Shop","uniques":[{"attributes":["email"],"key":["UNIQUE#User#email#",{"field":"email","format":"escaped","not":"#","type":"string"}],"sort":"UNIQUE"}]},
  {"alone":true,"attributes":[{"name":"userId","refers":{"attribute":"userId","entity":"User"},"type":"string"},{"name":"street","type":"string"},{"name":"city","type":"string"},{"name":"country","type":"string"}],"key":[{"attribute":"PK","matches":"USER#[^\u0000]+","parts":["USER#",{"field":"userId","type":"string"}]},{"attribute":"SK","matches":"ADDRESS","parts":["ADDRESS"]}],"name":"Address","table":"Shop"},
  {"aggregates":[{"attribute":"received","changes":"received:changes","entity":"Payment","items":"received:items","kind":"sum","link":[{"other":"orderId","own":"orderId"}],"of":"amount"}],"attributes":[{"name":"orderId","type":"string"},{"name":"userId","refers":{"attribute":"userId","entity":"User"},"type":"string"},{"name":"createdAt","type":"time.s"},{"name":"total","type":"number"},{"name":"status","type":{"words":["pending","paid","shipped"]}},{"default":{"value":{"N":"0"}},"kept":true,"name":"received","type":"number"}],"copies":[{"attributes":["orderId","total","status","createdAt"],"key":[{"attribute":"PK","matches":"USER#[^\u0000]+","parts":["USER#",{"field":"userId","type":"string"}]},{"attribute":"SK","matches":"ORDER#[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z#[^\u0000]+","parts":["ORDER#",{"field":"createdAt","type":"time.s"},"#",{"field":"orderId","type":"string"}]}],"name":"summary"}],"followed":["createdAt","orderId","status","total","userId"],"indexes":[{"index":"GSI1","key":[{"attribute":"GSI1PK","matches":"STATUS#(?:pending|paid|shipped)","parts":["STATUS#",{"field":"status","type":{"words":["pending","paid","shipped"]}}]},{"attribute":"GSI1SK","matches":"ORDER#[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z#[^\u0000]+","parts":["ORDER#",{"field":"createdAt","type":"time.s"},"#",{"field":"orderId","type":"string"}]}]}],"key":[{"attribute":"PK","matches":"ORDER#[^\u0000]+","parts":["ORDER#",{"field":"orderId","type":"string"}]},{"attribute":"SK","matches":"META","parts":["META"]}],"name":"Order","table":"Shop"},
  {"alone":true,"attributes":[{"name":"orderId","refers":{"attribute":"orderId","entity":"Order"},"type":"string"},{"name":"itemId","type":"string"},{"name":"productId","refers":{"attribute":"productId","entity":"Product"},"type":"string"},{"name":"quantity","type":"int"},{"name":"price","type":"number"}],"key":[{"attribute":"PK","matches":"ORDER#[^\u0000]+","parts":["ORDER#",{"field":"orderId","type":"string"}]},{"attribute":"SK","matches":"ITEM#[^\u0000]+","parts":["ITEM#",{"field":"itemId","type":"string"}]}],"name":"OrderItem","table":"Shop"},
  {"attributes":[{"name":"orderId","refers":{"attribute":"orderId","entity":"Order"},"type":"string"},{"name":"paymentId","type":"string"},{"name":"amount","type":"number"},{"name":"paidAt","type":"time.s"}],"followed":["amount","orderId"],"key":[{"attribute":"PK","matches":"ORDER#[^\u0000]+","parts":["ORDER#",{"field":"orderId","type":"string"}]},{"attribute":"SK","matches":"PAYMENT#[^\u0000]+","parts":["PAYMENT#",{"field":"paymentId","type":"string"}]}],"name":"Payment","table":"Shop"},
  {"alone":true,"attributes":[{"name":"productId","type":"string"},{"name":"name","type":"string"},{"name":"price","type":"number"},{"name":"stock","type":"int"}],"key":[{"attribute":"PK","matches":"PRODUCT#[^\u0000]+","parts":["PRODUCT#",{"field":"productId","type":"string"}]},{"attribute":"SK","matches":"INFO","parts":["INFO"]}],"name":"Product","table":"Shop"}
],
"keyfoldPlan": 1,
"model": {"hash":"564beabdd7f946263fa8c921a238088c","name":"shop","version":1},
"patterns": [
  {"name":"user","parameters":[{"attribute":"userId","limit":"equal","name":"userId","type":"string"}],"plan":{"partition":[{"attribute":"PK","parts":["USER#",{"field":"userId","type":"string"}]}],"request":"GetItem","sort":{"at":["PROFILE"],"attribute":"SK","is":"equal"},"sortAttributes":["SK"],"table":"Shop"},"returns":[{"entity":"User","name":"User","optional":true}]},
  {"name":"user_by_email","parameters":[{"attribute":"email","limit":"equal","name":"email","type":"string"}],"plan":{"index":"GSI1","partition":[{"attribute":"GSI1PK","parts":["EMAIL#",{"field":"email","type":"string"}]}],"request":"Query","sort":{"at":["PROFILE"],"attribute":"GSI1SK","is":"equal"},"sortAttributes":["GSI1SK"],"table":"Shop"},"returns":[{"entity":"User","name":"User","optional":true}]},
  {"name":"orders_of_user","parameters":[{"attribute":"userId","limit":"equal","name":"userId","type":"string"}],"plan":{"descending":true,"orderedBy":"createdAt","page":20,"partition":[{"attribute":"PK","parts":["USER#",{"field":"userId","type":"string"}]}],"request":"Query","sort":{"at":["ORDER#"],"attribute":"SK","is":"beginsWith"},"sortAttributes":["SK"],"table":"Shop"},"returns":[{"copy":"summary","entity":"Order","many":true,"name":"Order.summary"}]},
  {"name":"order_with_items","parameters":[{"attribute":"orderId","limit":"equal","name":"orderId","type":"string"}],"plan":{"partition":[{"attribute":"PK","parts":["ORDER#",{"field":"orderId","type":"string"}]}],"request":"Query","sortAttributes":["SK"],"table":"Shop"},"returns":[{"entity":"Order","name":"Order"},{"entity":"OrderItem","many":true,"name":"OrderItem"},{"entity":"Payment","many":true,"name":"Payment"}]},
  {"name":"items_of_order","parameters":[{"attribute":"orderId","limit":"equal","name":"orderId","type":"string"}],"plan":{"partition":[{"attribute":"PK","parts":["ORDER#",{"field":"orderId","type":"string"}]}],"request":"Query","sort":{"at":["ITEM#"],"attribute":"SK","is":"beginsWith"},"sortAttributes":["SK"],"table":"Shop"},"returns":[{"entity":"OrderItem","many":true,"name":"OrderItem"}]},
  {"name":"product","parameters":[{"attribute":"productId","limit":"equal","name":"productId","type":"string"}],"plan":{"partition":[{"attribute":"PK","parts":["PRODUCT#",{"field":"productId","type":"string"}]}],"request":"GetItem","sort":{"at":["INFO"],"attribute":"SK","is":"equal"},"sortAttributes":["SK"],"table":"Shop"},"returns":[{"entity":"Product","name":"Product","optional":true}]},
  {"name":"orders_by_status","parameters":[{"attribute":"status","limit":"equal","name":"status","type":{"words":["pending","paid","shipped"]}}],"plan":{"descending":true,"index":"GSI1","orderedBy":"createdAt","page":50,"partition":[{"attribute":"GSI1PK","parts":["STATUS#",{"field":"status","type":{"words":["pending","paid","shipped"]}}]}],"request":"Query","sort":{"at":["ORDER#"],"attribute":"GSI1SK","is":"beginsWith"},"sortAttributes":["GSI1SK"],"table":"Shop"},"returns":[{"entity":"Order","many":true,"name":"Order"}]},
  {"name":"recent_orders","parameters":[{"attribute":"userId","limit":"equal","name":"userId","type":"string"},{"attribute":"createdAt","limit":"atLeast","name":"since","type":"time.s"}],"plan":{"descending":true,"orderedBy":"createdAt","page":20,"partition":[{"attribute":"PK","parts":["USER#",{"field":"userId","type":"string"}]}],"request":"Query","sort":{"at":["ORDER#",{"field":"since","type":"time.s"}],"attribute":"SK","is":"between","to":["ORDER#","􏿿"]},"sortAttributes":["SK"],"table":"Shop"},"returns":[{"copy":"summary","entity":"Order","many":true,"name":"Order.summary"}]},
  {"name":"recent_orders_by_status","parameters":[{"attribute":"status","limit":"equal","name":"status","type":{"words":["pending","paid","shipped"]}},{"attribute":"createdAt","limit":"atLeast","name":"since","type":"time.s"}],"plan":{"descending":true,"index":"GSI1","orderedBy":"createdAt","page":50,"partition":[{"attribute":"GSI1PK","parts":["STATUS#",{"field":"status","type":{"words":["pending","paid","shipped"]}}]}],"request":"Query","sort":{"at":["ORDER#",{"field":"since","type":"time.s"}],"attribute":"GSI1SK","is":"between","to":["ORDER#","􏿿"]},"sortAttributes":["GSI1SK"],"table":"Shop"},"returns":[{"entity":"Order","many":true,"name":"Order"}]}
],
"records": [
  {"fields":[{"name":"itemId","type":"string"},{"name":"productId","type":"string"},{"name":"quantity","type":"int"},{"name":"price","type":"number"}],"name":"Line"}
],
"tables": [
  {"create":{"AttributeDefinitions":[{"AttributeName":"GSI1PK","AttributeType":"S"},{"AttributeName":"GSI1SK","AttributeType":"S"},{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST","GlobalSecondaryIndexes":[{"IndexName":"GSI1","KeySchema":[{"AttributeName":"GSI1PK","KeyType":"HASH"},{"AttributeName":"GSI1SK","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}}],"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}]},"indexes":[{"name":"GSI1","partition":[{"name":"GSI1PK","type":"S"}],"projection":"all","sort":[{"name":"GSI1SK","type":"S"}]}],"name":"Shop","partition":{"name":"PK","type":"S"},"sort":{"name":"SK","type":"S"},"typeAttribute":"entity"}
],
"writes": [
  {"actions":[{"entity":"Order","verb":"create"},{"each":"lines","entity":"OrderItem","verb":"create"}],"name":"create_order","parameters":[{"name":"lines","type":{"list":{"record":"Line"}}},{"name":"orderId","type":"string"},{"name":"userId","type":"string"},{"name":"createdAt","type":"time.s"},{"name":"total","type":"number"},{"name":"status","type":{"words":["pending","paid","shipped"]}}]},
  {"actions":[{"entity":"Order","set":[{"attribute":"status","left":{"parameter":"status"}}],"verb":"update"}],"name":"set_status","parameters":[{"name":"status","type":{"words":["pending","paid","shipped"]}},{"name":"orderId","type":"string"}]},
  {"actions":[{"entity":"Address","verb":"put"},{"entity":"User","set":[{"attribute":"street","left":{"parameter":"street"}},{"attribute":"city","left":{"parameter":"city"}},{"attribute":"country","left":{"parameter":"country"}}],"verb":"update"}],"name":"move_user","parameters":[{"name":"street","type":"string"},{"name":"city","type":"string"},{"name":"country","type":"string"},{"name":"userId","type":"string"}]},
  {"actions":[{"entity":"Payment","verb":"create"},{"entity":"Order","set":[{"attribute":"status","left":{"value":{"S":"paid"}}}],"verb":"update"}],"name":"pay","parameters":[{"name":"paymentId","type":"string"},{"name":"amount","type":"number"},{"name":"paidAt","type":"time.s"},{"name":"orderId","type":"string"}]}
]
}
"""
