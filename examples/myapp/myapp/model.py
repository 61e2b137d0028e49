"""A client of the model myapp, version 1.

Made by keyfold 0.1.0. The plan document's hash: 19653d24bf306ca92dd502f218f520de.
Changes here are lost: change the model, and run `keyfold generate`.
"""

from __future__ import annotations

import datetime as _datetime
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, NewType, TypeAlias

from keyfold import Client, Options, typed
from keyfold.aio import AsyncClient

UserId = NewType("UserId", int)
"""A value of `User.userId`."""
OrderId = NewType("OrderId", int)
"""A value of `Order.orderId`."""
Sku = NewType("Sku", str)
"""A value of `Product.sku`."""

OrderStatus: TypeAlias = Literal["pending", "paid", "shipped", "cancelled"]
"""The words of `Order.status`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """The entity `User` as it is stored, under `"USER#{userId}" "PROFILE"`."""

    user_id: UserId
    email: str
    name: str
    created_at: _datetime.datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class NewUser:
    """The attributes of a `User` that is created or put."""

    user_id: UserId
    email: str
    name: str
    created_at: _datetime.datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class UserKey:
    """The key of a `User`."""

    user_id: UserId


@dataclass(frozen=True, slots=True, kw_only=True)
class UserPatch:
    """Changes of a `User`: what is not named stays as it is."""

    email: str | typed.Unset = typed.UNSET
    name: str | typed.Unset = typed.UNSET
    created_at: _datetime.datetime | typed.Unset = typed.UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class UserChange:
    """A change of a `User` that a stream reports."""

    old: User | None = None
    new: User | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """The entity `Order` as it is stored, under `"USER#{userId}"
    "ORDER#{orderDate}#{orderId:08}"`.
    """

    user_id: UserId
    order_date: _datetime.date
    order_id: OrderId
    total: Decimal
    status: OrderStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class NewOrder:
    """The attributes of an `Order` that is created or put."""

    user_id: UserId
    order_date: _datetime.date
    order_id: OrderId
    total: Decimal | int
    status: OrderStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderKey:
    """The key of an `Order`."""

    user_id: UserId
    order_date: _datetime.date
    order_id: OrderId


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderPatch:
    """Changes of an `Order`: what is not named stays as it is."""

    total: Decimal | int | typed.Unset = typed.UNSET
    status: OrderStatus | typed.Unset = typed.UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderChange:
    """A change of an `Order` that a stream reports."""

    old: Order | None = None
    new: Order | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """The entity `Address` as it is stored, under `"USER#{userId}"
    "ADDRESS#{label}"`.
    """

    user_id: UserId
    label: str
    street: str
    city: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAddress:
    """The attributes of an `Address` that is created or put."""

    user_id: UserId
    label: str
    street: str
    city: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressKey:
    """The key of an `Address`."""

    user_id: UserId
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressPatch:
    """Changes of an `Address`: what is not named stays as it is."""

    street: str | typed.Unset = typed.UNSET
    city: str | typed.Unset = typed.UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressChange:
    """A change of an `Address` that a stream reports."""

    old: Address | None = None
    new: Address | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """The entity `Product` as it is stored, under `"PRODUCT#{sku}" "METADATA"`."""

    sku: Sku
    name: str
    price: Decimal
    stock: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NewProduct:
    """The attributes of a `Product` that is created or put."""

    sku: Sku
    name: str
    price: Decimal | int
    stock: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductKey:
    """The key of a `Product`."""

    sku: Sku


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


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderItem:
    """The entity `OrderItem` as it is stored, under `"ORDER#{orderId}"
    "ITEM#{line:04}"`.
    """

    order_id: OrderId
    line: int
    sku: Sku
    quantity: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NewOrderItem:
    """The attributes of an `OrderItem` that is created or put."""

    order_id: OrderId
    line: int
    sku: Sku
    quantity: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderItemKey:
    """The key of an `OrderItem`."""

    order_id: OrderId
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderItemPatch:
    """Changes of an `OrderItem`: what is not named stays as it is."""

    sku: Sku | typed.Unset = typed.UNSET
    quantity: int | typed.Unset = typed.UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderItemChange:
    """A change of an `OrderItem` that a stream reports."""

    old: OrderItem | None = None
    new: OrderItem | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingOrdersItem:
    """`Order` as `pending_orders` returns it."""

    user_id: UserId
    order_date: _datetime.date
    order_id: OrderId
    total: Decimal
    status: Literal["pending"]


UserOverviewItem: TypeAlias = User | Order | Address
"""An item of `user_overview`; its class says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserOverviewAnswer:
    """The whole answer of `user_overview`."""

    user: User
    orders: list[Order]
    addresses: list[Address]


MyappEvent: TypeAlias = (
    UserChange | OrderChange | AddressChange | ProductChange | OrderItemChange
)
"""A change that a stream reports; its class says of what."""


class MyappParts(typed.NamedParts):
    """The named writes as parts of a transaction: nothing is sent before `transact`
    takes them.
    """

    def place_order(
        self,
        *,
        quantity: int,
        user_id: UserId,
        order_date: _datetime.date,
        order_id: OrderId,
        total: Decimal | int,
        status: OrderStatus,
        sku: Sku,
    ) -> typed.NamedPart[typed.NothingMade]:
        """The write `place_order`."""
        return self._run(
            "place_order",
            {
                "quantity": quantity,
                "userId": user_id,
                "orderDate": order_date,
                "orderId": order_id,
                "total": total,
                "status": status,
                "sku": sku,
            },
            typed.NothingMade,
        )


class MyappFakes(typed.NamedFakes):
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
    ) -> NewUser:
        """A new `User`."""
        return self._new(
            "User",
            NewUser,
            {"userId": user_id, "email": email, "name": name, "createdAt": created_at},
            _related,
        )

    def order(
        self,
        _related: Mapping[str, object] | None = None,
        /,
        *,
        user_id: UserId | typed.Unset = typed.UNSET,
        order_date: _datetime.date | typed.Unset = typed.UNSET,
        order_id: OrderId | typed.Unset = typed.UNSET,
        total: Decimal | int | typed.Unset = typed.UNSET,
        status: OrderStatus | typed.Unset = typed.UNSET,
    ) -> NewOrder:
        """A new `Order`."""
        return self._new(
            "Order",
            NewOrder,
            {
                "userId": user_id,
                "orderDate": order_date,
                "orderId": order_id,
                "total": total,
                "status": status,
            },
            _related,
        )

    def address(
        self,
        _related: Mapping[str, object] | None = None,
        /,
        *,
        user_id: UserId | typed.Unset = typed.UNSET,
        label: str | typed.Unset = typed.UNSET,
        street: str | typed.Unset = typed.UNSET,
        city: str | typed.Unset = typed.UNSET,
    ) -> NewAddress:
        """A new `Address`."""
        return self._new(
            "Address",
            NewAddress,
            {"userId": user_id, "label": label, "street": street, "city": city},
            _related,
        )

    def product(
        self,
        _related: Mapping[str, object] | None = None,
        /,
        *,
        sku: Sku | typed.Unset = typed.UNSET,
        name: str | typed.Unset = typed.UNSET,
        price: Decimal | int | typed.Unset = typed.UNSET,
        stock: int | typed.Unset = typed.UNSET,
    ) -> NewProduct:
        """A new `Product`."""
        return self._new(
            "Product",
            NewProduct,
            {"sku": sku, "name": name, "price": price, "stock": stock},
            _related,
        )

    def order_item(
        self,
        _related: Mapping[str, object] | None = None,
        /,
        *,
        order_id: OrderId | typed.Unset = typed.UNSET,
        line: int | typed.Unset = typed.UNSET,
        sku: Sku | typed.Unset = typed.UNSET,
        quantity: int | typed.Unset = typed.UNSET,
    ) -> NewOrderItem:
        """A new `OrderItem`."""
        return self._new(
            "OrderItem",
            NewOrderItem,
            {"orderId": order_id, "line": line, "sku": sku, "quantity": quantity},
            _related,
        )


class MyappClient(typed.Typed):
    """The patterns, named writes and entities of the model `myapp`, version 1."""

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
        self.fake = MyappFakes(self)
        """Entities for tests, random by a seed."""
        self.part = MyappParts(_SHAPES)
        """The named writes as parts of a transaction."""

    def user(
        self,
        *,
        user_id: UserId,
        strong: bool = False,
        timeout: float | None = None,
    ) -> User | None:
        """`user(userId) -> User?`

        GetItem of MyApp: `PK = "USER#{userId}" AND SK = "PROFILE"`; 1 request,
        about 0.5 read units.
        """
        return self._one("user", {"userId": user_id}, {"User": User}, strong, timeout)

    def user_by_email(self, *, email: str, timeout: float | None = None) -> User | None:
        """`user_by_email(email) -> User?`

        Query of MyApp.GSI1: `GSI1PK = "EMAIL#{email}" AND GSI1SK = "PROFILE"`; 1
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
    ) -> typed.Query[Order]:
        """`orders_of_user(userId) -> Order[] newest page 10`

        Query of MyApp: `PK = "USER#{userId}" AND begins_with(SK, "ORDER#")`,
        descending, 10 items a page; 1 request a page, about 0.5 read units.
        """
        return typed.Query(
            self,
            "orders_of_user",
            {"userId": user_id},
            {"Order": Order},
            backward=backward,
            strong=strong,
        )

    def order(self, *, order_id: OrderId, timeout: float | None = None) -> Order | None:
        """`order(orderId) -> Order?`

        Query of MyApp.GSI1: `GSI1PK = "ORDER#{orderId}" AND GSI1SK = "METADATA"`;
        1 request, about 0.5 read units.
        """
        return self._one(
            "order",
            {"orderId": order_id},
            {"Order": Order},
            False,
            timeout,
        )

    def pending_orders(
        self,
        *,
        backward: bool = False,
    ) -> typed.Query[PendingOrdersItem]:
        """`pending_orders() -> Order[] where status = pending page 20`

        Query of MyApp.GSI2: `GSI2PK = "STATUS#pending"`, 20 items a page; 1
        request a page, about 1 read units.
        """
        return typed.Query(
            self,
            "pending_orders",
            {},
            {"Order": PendingOrdersItem},
            backward=backward,
        )

    def user_overview(
        self,
        *,
        user_id: UserId,
        backward: bool = False,
        strong: bool = False,
    ) -> typed.Collection[UserOverviewItem, UserOverviewAnswer]:
        """`user_overview(userId) -> User + Order[] + Address[]`

        Query of MyApp: `PK = "USER#{userId}"`; 1 request a page.
        """
        return typed.Collection(
            self,
            "user_overview",
            {"userId": user_id},
            {"User": User, "Order": Order, "Address": Address},
            UserOverviewAnswer,
            backward=backward,
            strong=strong,
        )

    def product(
        self,
        *,
        sku: Sku,
        strong: bool = False,
        timeout: float | None = None,
    ) -> Product | None:
        """`product(sku) -> Product?`

        GetItem of MyApp: `PK = "PRODUCT#{sku}" AND SK = "METADATA"`; 1 request,
        about 0.5 read units.
        """
        return self._one("product", {"sku": sku}, {"Product": Product}, strong, timeout)

    def items_of_order(
        self,
        *,
        order_id: OrderId,
        backward: bool = False,
        strong: bool = False,
    ) -> typed.Query[OrderItem]:
        """`items_of_order(orderId) -> OrderItem[]`

        Query of MyApp: `PK = "ORDER#{orderId}" AND begins_with(SK, "ITEM#")`; 1
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

    def place_order(
        self,
        *,
        quantity: int,
        user_id: UserId,
        order_date: _datetime.date,
        order_id: OrderId,
        total: Decimal | int,
        status: OrderStatus,
        sku: Sku,
        timeout: float | None = None,
    ) -> typed.Written[typed.NothingMade]:
        """The write `place_order`:

        - create Order
        - update Product (stock = stock - quantity) if stock >= quantity
        Requests: TransactWriteItems.
        """
        return self._write(
            self.part.place_order(
                quantity=quantity,
                user_id=user_id,
                order_date=order_date,
                order_id=order_id,
                total=total,
                status=status,
                sku=sku,
            ),
            timeout,
        )

    def event(
        self,
        record: Mapping[str, Any],
        *,
        on_unknown: typed.OnUnknown | None = None,
    ) -> MyappEvent | None:
        """The change that a stream's record reports, of a reader or of Lambda; None
        for an item that follows from an entity. `on_unknown` says what becomes of
        an item that the model does not know, instead of the client's.
        """
        return self._change(record, _EVENTS, on_unknown)


class AsyncMyappClient(typed.AsyncTyped):
    """The patterns, named writes and entities of the model `myapp`, version 1, for
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
        self.fake = MyappFakes(self)
        """Entities for tests, random by a seed."""
        self.part = MyappParts(_SHAPES)
        """The named writes as parts of a transaction."""

    async def user(
        self,
        *,
        user_id: UserId,
        strong: bool = False,
        timeout: float | None = None,
    ) -> User | None:
        """`user(userId) -> User?`

        GetItem of MyApp: `PK = "USER#{userId}" AND SK = "PROFILE"`; 1 request,
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

        Query of MyApp.GSI1: `GSI1PK = "EMAIL#{email}" AND GSI1SK = "PROFILE"`; 1
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
    ) -> typed.AsyncQuery[Order]:
        """`orders_of_user(userId) -> Order[] newest page 10`

        Query of MyApp: `PK = "USER#{userId}" AND begins_with(SK, "ORDER#")`,
        descending, 10 items a page; 1 request a page, about 0.5 read units.
        """
        return typed.AsyncQuery(
            self,
            "orders_of_user",
            {"userId": user_id},
            {"Order": Order},
            backward=backward,
            strong=strong,
        )

    async def order(
        self,
        *,
        order_id: OrderId,
        timeout: float | None = None,
    ) -> Order | None:
        """`order(orderId) -> Order?`

        Query of MyApp.GSI1: `GSI1PK = "ORDER#{orderId}" AND GSI1SK = "METADATA"`;
        1 request, about 0.5 read units.
        """
        return await self._one(
            "order",
            {"orderId": order_id},
            {"Order": Order},
            False,
            timeout,
        )

    def pending_orders(
        self,
        *,
        backward: bool = False,
    ) -> typed.AsyncQuery[PendingOrdersItem]:
        """`pending_orders() -> Order[] where status = pending page 20`

        Query of MyApp.GSI2: `GSI2PK = "STATUS#pending"`, 20 items a page; 1
        request a page, about 1 read units.
        """
        return typed.AsyncQuery(
            self,
            "pending_orders",
            {},
            {"Order": PendingOrdersItem},
            backward=backward,
        )

    def user_overview(
        self,
        *,
        user_id: UserId,
        backward: bool = False,
        strong: bool = False,
    ) -> typed.AsyncCollection[UserOverviewItem, UserOverviewAnswer]:
        """`user_overview(userId) -> User + Order[] + Address[]`

        Query of MyApp: `PK = "USER#{userId}"`; 1 request a page.
        """
        return typed.AsyncCollection(
            self,
            "user_overview",
            {"userId": user_id},
            {"User": User, "Order": Order, "Address": Address},
            UserOverviewAnswer,
            backward=backward,
            strong=strong,
        )

    async def product(
        self,
        *,
        sku: Sku,
        strong: bool = False,
        timeout: float | None = None,
    ) -> Product | None:
        """`product(sku) -> Product?`

        GetItem of MyApp: `PK = "PRODUCT#{sku}" AND SK = "METADATA"`; 1 request,
        about 0.5 read units.
        """
        return await self._one(
            "product",
            {"sku": sku},
            {"Product": Product},
            strong,
            timeout,
        )

    def items_of_order(
        self,
        *,
        order_id: OrderId,
        backward: bool = False,
        strong: bool = False,
    ) -> typed.AsyncQuery[OrderItem]:
        """`items_of_order(orderId) -> OrderItem[]`

        Query of MyApp: `PK = "ORDER#{orderId}" AND begins_with(SK, "ITEM#")`; 1
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

    async def place_order(
        self,
        *,
        quantity: int,
        user_id: UserId,
        order_date: _datetime.date,
        order_id: OrderId,
        total: Decimal | int,
        status: OrderStatus,
        sku: Sku,
        timeout: float | None = None,
    ) -> typed.Written[typed.NothingMade]:
        """The write `place_order`:

        - create Order
        - update Product (stock = stock - quantity) if stock >= quantity
        Requests: TransactWriteItems.
        """
        return await self._write(
            self.part.place_order(
                quantity=quantity,
                user_id=user_id,
                order_date=order_date,
                order_id=order_id,
                total=total,
                status=status,
                sku=sku,
            ),
            timeout,
        )

    def event(
        self,
        record: Mapping[str, Any],
        *,
        on_unknown: typed.OnUnknown | None = None,
    ) -> MyappEvent | None:
        """The change that a stream's record reports, of a reader or of Lambda; None
        for an item that follows from an entity. `on_unknown` says what becomes of
        an item that the model does not know, instead of the client's.
        """
        return self._change(record, _EVENTS, on_unknown)


_SHAPES = typed.Shapes(
    {
        "createdAt": "created_at",
        "orderDate": "order_date",
        "orderId": "order_id",
        "userId": "user_id",
    },
    {},
)
_EVENTS: Mapping[str, tuple[type[Any], type[MyappEvent]]] = {
    "User": (User, UserChange),
    "Order": (Order, OrderChange),
    "Address": (Address, AddressChange),
    "Product": (Product, ProductChange),
    "OrderItem": (OrderItem, OrderItemChange),
}

_PLAN = r"""
{
"entities": [
  {"attributes":[{"name":"userId","type":"int"},{"name":"email","type":"string"},{"name":"name","type":"string"},{"name":"createdAt","type":"time.ms"}],"followed":["email"],"indexes":[{"index":"GSI1","key":[{"attribute":"GSI1PK","matches":"EMAIL#[^\u0000]+","parts":["EMAIL#",{"field":"email","type":"string"}]},{"attribute":"GSI1SK","matches":"PROFILE","parts":["PROFILE"]}]}],"key":[{"attribute":"PK","matches":"USER#[\\-0-9]+","parts":["USER#",{"field":"userId","type":"int"}]},{"attribute":"SK","matches":"PROFILE","parts":["PROFILE"]}],"name":"User","table":"MyApp","uniques":[{"attributes":["email"],"key":["UNIQUE#User#email#",{"field":"email","format":"escaped","not":"#","type":"string"}],"sort":"UNIQUE"}]},
  {"attributes":[{"name":"userId","refers":{"attribute":"userId","entity":"User"},"type":"int"},{"name":"orderDate","type":"date"},{"name":"orderId","type":"int"},{"name":"total","type":"number"},{"name":"status","type":{"words":["pending","paid","shipped","cancelled"]}}],"followed":["orderId","status"],"indexes":[{"index":"GSI1","key":[{"attribute":"GSI1PK","matches":"ORDER#[\\-0-9]+","parts":["ORDER#",{"field":"orderId","type":"int"}]},{"attribute":"GSI1SK","matches":"METADATA","parts":["METADATA"]}]},{"index":"GSI2","key":[{"attribute":"GSI2PK","matches":"STATUS#(?:pending|paid|shipped|cancelled)","parts":["STATUS#",{"field":"status","type":{"words":["pending","paid","shipped","cancelled"]}}]}],"sparse":{"attribute":"status","value":"pending"}}],"key":[{"attribute":"PK","matches":"USER#[\\-0-9]+","parts":["USER#",{"field":"userId","type":"int"}]},{"attribute":"SK","matches":"ORDER#[0-9]{4}-[0-9]{2}-[0-9]{2}#[0-9]{8}","parts":["ORDER#",{"field":"orderDate","type":"date"},"#",{"field":"orderId","format":{"padded":{"whole":8}},"type":"int"}]}],"name":"Order","table":"MyApp","uniques":[{"attributes":["orderId"],"key":["UNIQUE#Order#orderId#",{"field":"orderId","type":"int"}],"sort":"UNIQUE"}]},
  {"alone":true,"attributes":[{"name":"userId","refers":{"attribute":"userId","entity":"User"},"type":"int"},{"name":"label","type":"string"},{"name":"street","type":"string"},{"name":"city","type":"string"}],"key":[{"attribute":"PK","matches":"USER#[\\-0-9]+","parts":["USER#",{"field":"userId","type":"int"}]},{"attribute":"SK","matches":"ADDRESS#[^\u0000]+","parts":["ADDRESS#",{"field":"label","type":"string"}]}],"name":"Address","table":"MyApp"},
  {"alone":true,"attributes":[{"name":"sku","type":"string"},{"name":"name","type":"string"},{"name":"price","type":"number"},{"name":"stock","type":"int"}],"key":[{"attribute":"PK","matches":"PRODUCT#[^\u0000]+","parts":["PRODUCT#",{"field":"sku","type":"string"}]},{"attribute":"SK","matches":"METADATA","parts":["METADATA"]}],"name":"Product","table":"MyApp"},
  {"alone":true,"attributes":[{"name":"orderId","refers":{"attribute":"orderId","entity":"Order"},"type":"int"},{"name":"line","type":"int"},{"name":"sku","refers":{"attribute":"sku","entity":"Product"},"type":"string"},{"name":"quantity","type":"int"}],"key":[{"attribute":"PK","matches":"ORDER#[\\-0-9]+","parts":["ORDER#",{"field":"orderId","type":"int"}]},{"attribute":"SK","matches":"ITEM#[0-9]{4}","parts":["ITEM#",{"field":"line","format":{"padded":{"whole":4}},"type":"int"}]}],"name":"OrderItem","table":"MyApp"}
],
"keyfoldPlan": 1,
"model": {"hash":"19653d24bf306ca92dd502f218f520de","name":"myapp","version":1},
"patterns": [
  {"name":"user","parameters":[{"attribute":"userId","limit":"equal","name":"userId","type":"int"}],"plan":{"partition":[{"attribute":"PK","parts":["USER#",{"field":"userId","type":"int"}]}],"request":"GetItem","sort":{"at":["PROFILE"],"attribute":"SK","is":"equal"},"sortAttributes":["SK"],"table":"MyApp"},"returns":[{"entity":"User","name":"User","optional":true}]},
  {"name":"user_by_email","parameters":[{"attribute":"email","limit":"equal","name":"email","type":"string"}],"plan":{"index":"GSI1","partition":[{"attribute":"GSI1PK","parts":["EMAIL#",{"field":"email","type":"string"}]}],"request":"Query","sort":{"at":["PROFILE"],"attribute":"GSI1SK","is":"equal"},"sortAttributes":["GSI1SK"],"table":"MyApp"},"returns":[{"entity":"User","name":"User","optional":true}]},
  {"name":"orders_of_user","parameters":[{"attribute":"userId","limit":"equal","name":"userId","type":"int"}],"plan":{"descending":true,"orderedBy":"orderDate","page":10,"partition":[{"attribute":"PK","parts":["USER#",{"field":"userId","type":"int"}]}],"request":"Query","sort":{"at":["ORDER#"],"attribute":"SK","is":"beginsWith"},"sortAttributes":["SK"],"table":"MyApp"},"returns":[{"entity":"Order","many":true,"name":"Order"}]},
  {"name":"order","parameters":[{"attribute":"orderId","limit":"equal","name":"orderId","type":"int"}],"plan":{"index":"GSI1","partition":[{"attribute":"GSI1PK","parts":["ORDER#",{"field":"orderId","type":"int"}]}],"request":"Query","sort":{"at":["METADATA"],"attribute":"GSI1SK","is":"equal"},"sortAttributes":["GSI1SK"],"table":"MyApp"},"returns":[{"entity":"Order","name":"Order","optional":true}]},
  {"fixed":[{"name":"status","value":{"S":"pending"}}],"name":"pending_orders","plan":{"index":"GSI2","page":20,"partition":[{"attribute":"GSI2PK","parts":["STATUS#","pending"]}],"request":"Query","table":"MyApp"},"returns":[{"entity":"Order","many":true,"name":"Order"}]},
  {"name":"user_overview","parameters":[{"attribute":"userId","limit":"equal","name":"userId","type":"int"}],"plan":{"partition":[{"attribute":"PK","parts":["USER#",{"field":"userId","type":"int"}]}],"request":"Query","sortAttributes":["SK"],"table":"MyApp"},"returns":[{"entity":"User","name":"User"},{"entity":"Order","many":true,"name":"Order"},{"entity":"Address","many":true,"name":"Address"}]},
  {"name":"product","parameters":[{"attribute":"sku","limit":"equal","name":"sku","type":"string"}],"plan":{"partition":[{"attribute":"PK","parts":["PRODUCT#",{"field":"sku","type":"string"}]}],"request":"GetItem","sort":{"at":["METADATA"],"attribute":"SK","is":"equal"},"sortAttributes":["SK"],"table":"MyApp"},"returns":[{"entity":"Product","name":"Product","optional":true}]},
  {"name":"items_of_order","parameters":[{"attribute":"orderId","limit":"equal","name":"orderId","type":"int"}],"plan":{"partition":[{"attribute":"PK","parts":["ORDER#",{"field":"orderId","type":"int"}]}],"request":"Query","sort":{"at":["ITEM#"],"attribute":"SK","is":"beginsWith"},"sortAttributes":["SK"],"table":"MyApp"},"returns":[{"entity":"OrderItem","many":true,"name":"OrderItem"}]}
],
"tables": [
  {"create":{"AttributeDefinitions":[{"AttributeName":"GSI1PK","AttributeType":"S"},{"AttributeName":"GSI1SK","AttributeType":"S"},{"AttributeName":"GSI2PK","AttributeType":"S"},{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST","GlobalSecondaryIndexes":[{"IndexName":"GSI1","KeySchema":[{"AttributeName":"GSI1PK","KeyType":"HASH"},{"AttributeName":"GSI1SK","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}},{"IndexName":"GSI2","KeySchema":[{"AttributeName":"GSI2PK","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}],"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}]},"indexes":[{"name":"GSI1","partition":[{"name":"GSI1PK","type":"S"}],"projection":"all","sort":[{"name":"GSI1SK","type":"S"}]},{"name":"GSI2","partition":[{"name":"GSI2PK","type":"S"}],"projection":"all"}],"name":"MyApp","partition":{"name":"PK","type":"S"},"sort":{"name":"SK","type":"S"}}
],
"writes": [
  {"actions":[{"entity":"Order","verb":"create"},{"entity":"Product","set":[{"attribute":"stock","joint":"minus","left":{"attribute":"stock"},"right":{"parameter":"quantity"}}],"verb":"update","when":[{"attribute":"stock","is":">=","operands":[{"parameter":"quantity"}],"text":"stock >= quantity"}]}],"name":"place_order","parameters":[{"name":"quantity","type":"int"},{"name":"userId","type":"int"},{"name":"orderDate","type":"date"},{"name":"orderId","type":"int"},{"name":"total","type":"number"},{"name":"status","type":{"words":["pending","paid","shipped","cancelled"]}},{"name":"sku","type":"string"}]}
]
}
"""
