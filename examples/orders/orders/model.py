"""A client of the model orders_with_address, version 1.

Made by keyfold 0.1.0. The plan document's hash: 2361470cbb758a0edd42f03acda9ce49.
Changes here are lost: change the model, and run `keyfold generate`.
"""

from __future__ import annotations

import datetime as _datetime
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NewType, TypeAlias

from keyfold import Client, Options, typed
from keyfold.aio import AsyncClient

TransactionId = NewType("TransactionId", str)
"""A value of `CustomerOrder.Transaction_Id`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomerOrder:
    """The entity `CustomerOrder` as it is stored, under `{Custid} {Transaction_Id}`."""

    custid: str
    transaction_id: TransactionId
    ordered_at: _datetime.datetime
    amount: Decimal
    zip: str
    street: str
    city: str
    country: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCustomerOrder:
    """The attributes of a `CustomerOrder` that is created or put."""

    custid: str
    transaction_id: TransactionId
    ordered_at: _datetime.datetime
    amount: Decimal | int
    zip: str
    street: str
    city: str
    country: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomerOrderKey:
    """The key of a `CustomerOrder`."""

    custid: str
    transaction_id: TransactionId


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomerOrderPatch:
    """Changes of a `CustomerOrder`: what is not named stays as it is."""

    ordered_at: _datetime.datetime | typed.Unset = typed.UNSET
    amount: Decimal | int | typed.Unset = typed.UNSET
    zip: str | typed.Unset = typed.UNSET
    street: str | typed.Unset = typed.UNSET
    city: str | typed.Unset = typed.UNSET
    country: str | typed.Unset = typed.UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomerOrderChange:
    """A change of a `CustomerOrder` that a stream reports."""

    old: CustomerOrder | None = None
    new: CustomerOrder | None = None


OrdersWithAddressEvent: TypeAlias = CustomerOrderChange
"""A change that a stream reports; its class says of what."""


class OrdersWithAddressFakes(typed.NamedFakes):
    """Entities for tests: random by a seed, and valid for the model. What is not
    given is made; of `_related`, entities by their names, attributes that refer
    to one have its values.
    """

    def customer_order(
        self,
        _related: Mapping[str, object] | None = None,
        /,
        *,
        custid: str | typed.Unset = typed.UNSET,
        transaction_id: TransactionId | typed.Unset = typed.UNSET,
        ordered_at: _datetime.datetime | typed.Unset = typed.UNSET,
        amount: Decimal | int | typed.Unset = typed.UNSET,
        zip: str | typed.Unset = typed.UNSET,
        street: str | typed.Unset = typed.UNSET,
        city: str | typed.Unset = typed.UNSET,
        country: str | typed.Unset = typed.UNSET,
    ) -> NewCustomerOrder:
        """A new `CustomerOrder`."""
        return self._new(
            "CustomerOrder",
            NewCustomerOrder,
            {
                "Custid": custid,
                "Transaction_Id": transaction_id,
                "orderedAt": ordered_at,
                "amount": amount,
                "zip": zip,
                "street": street,
                "city": city,
                "country": country,
            },
            _related,
        )


class OrdersWithAddressClient(typed.Typed):
    """The patterns, named writes and entities of the model `orders_with_address`,
    version 1.
    """

    def __init__(self, connection: str | Any, options: Options | None = None) -> None:
        """Takes `http://localhost:8000`, `dynamodb://eu-west-1?profile=prod`,
        `keyfold:./data`, or a low-level client of boto3.
        """
        super().__init__(Client(_PLAN, connection, options or Options()), _SHAPES)
        self.CustomerOrder = typed.BatchWriter[
            NewCustomerOrder,
            NewCustomerOrder,
            CustomerOrderKey,
            CustomerOrderPatch,
            CustomerOrder,
            typed.NothingMade,
            typed.NothingMade,
        ](self, "CustomerOrder", CustomerOrder, typed.NothingMade, typed.NothingMade)
        """Writes a `CustomerOrder` with all that follows from it."""
        self.fake = OrdersWithAddressFakes(self)
        """Entities for tests, random by a seed."""

    def orders_of_customer(
        self,
        *,
        custid: str,
        backward: bool = False,
        strong: bool = False,
    ) -> typed.Query[CustomerOrder]:
        """`orders_of_customer(Custid) -> CustomerOrder[] page 50`

        Query of CustomerOrders: `Custid = {Custid}`, 50 items a page; 1 request a
        page, about 2 read units.
        """
        return typed.Query(
            self,
            "orders_of_customer",
            {"Custid": custid},
            {"CustomerOrder": CustomerOrder},
            backward=backward,
            strong=strong,
        )

    def order_of_customer(
        self,
        *,
        custid: str,
        transaction_id: TransactionId,
        strong: bool = False,
        timeout: float | None = None,
    ) -> CustomerOrder | None:
        """`order_of_customer(Custid, Transaction_Id) -> CustomerOrder?`

        GetItem of CustomerOrders: `Custid = {Custid} AND Transaction_Id =
        {Transaction_Id}`; 1 request, about 0.5 read units.
        """
        return self._one(
            "order_of_customer",
            {"Custid": custid, "Transaction_Id": transaction_id},
            {"CustomerOrder": CustomerOrder},
            strong,
            timeout,
        )

    def event(
        self,
        record: Mapping[str, Any],
        *,
        on_unknown: typed.OnUnknown | None = None,
    ) -> OrdersWithAddressEvent | None:
        """The change that a stream's record reports, of a reader or of Lambda; None
        for an item that follows from an entity. `on_unknown` says what becomes of
        an item that the model does not know, instead of the client's.
        """
        return self._change(record, _EVENTS, on_unknown)


class AsyncOrdersWithAddressClient(typed.AsyncTyped):
    """The patterns, named writes and entities of the model `orders_with_address`,
    version 1, for `asyncio`.
    """

    def __init__(self, connection: str | Any, options: Options | None = None) -> None:
        """Takes `http://localhost:8000`, `dynamodb://eu-west-1?profile=prod`,
        `keyfold:./data`, or a low-level client of aioboto3. It is used in `async
        with`.
        """
        super().__init__(AsyncClient(_PLAN, connection, options or Options()), _SHAPES)
        self.CustomerOrder = typed.AsyncBatchWriter[
            NewCustomerOrder,
            NewCustomerOrder,
            CustomerOrderKey,
            CustomerOrderPatch,
            CustomerOrder,
            typed.NothingMade,
            typed.NothingMade,
        ](self, "CustomerOrder", CustomerOrder, typed.NothingMade, typed.NothingMade)
        """Writes a `CustomerOrder` with all that follows from it."""
        self.fake = OrdersWithAddressFakes(self)
        """Entities for tests, random by a seed."""

    def orders_of_customer(
        self,
        *,
        custid: str,
        backward: bool = False,
        strong: bool = False,
    ) -> typed.AsyncQuery[CustomerOrder]:
        """`orders_of_customer(Custid) -> CustomerOrder[] page 50`

        Query of CustomerOrders: `Custid = {Custid}`, 50 items a page; 1 request a
        page, about 2 read units.
        """
        return typed.AsyncQuery(
            self,
            "orders_of_customer",
            {"Custid": custid},
            {"CustomerOrder": CustomerOrder},
            backward=backward,
            strong=strong,
        )

    async def order_of_customer(
        self,
        *,
        custid: str,
        transaction_id: TransactionId,
        strong: bool = False,
        timeout: float | None = None,
    ) -> CustomerOrder | None:
        """`order_of_customer(Custid, Transaction_Id) -> CustomerOrder?`

        GetItem of CustomerOrders: `Custid = {Custid} AND Transaction_Id =
        {Transaction_Id}`; 1 request, about 0.5 read units.
        """
        return await self._one(
            "order_of_customer",
            {"Custid": custid, "Transaction_Id": transaction_id},
            {"CustomerOrder": CustomerOrder},
            strong,
            timeout,
        )

    def event(
        self,
        record: Mapping[str, Any],
        *,
        on_unknown: typed.OnUnknown | None = None,
    ) -> OrdersWithAddressEvent | None:
        """The change that a stream's record reports, of a reader or of Lambda; None
        for an item that follows from an entity. `on_unknown` says what becomes of
        an item that the model does not know, instead of the client's.
        """
        return self._change(record, _EVENTS, on_unknown)


_SHAPES = typed.Shapes(
    {"Custid": "custid", "Transaction_Id": "transaction_id", "orderedAt": "ordered_at"},
    {},
)
_EVENTS: Mapping[str, tuple[type[Any], type[OrdersWithAddressEvent]]] = {
    "CustomerOrder": (CustomerOrder, CustomerOrderChange),
}

_PLAN = r"""
{
"entities": [
  {"alone":true,"attributes":[{"name":"Custid","type":"string"},{"name":"Transaction_Id","type":"string"},{"name":"orderedAt","type":"time.ms"},{"name":"amount","type":"number"},{"name":"zip","type":"string"},{"name":"street","type":"string"},{"name":"city","type":"string"},{"name":"country","type":"string"}],"key":[{"attribute":"Custid","parts":[{"field":"Custid","format":"bare","type":"string"}]},{"attribute":"Transaction_Id","parts":[{"field":"Transaction_Id","format":"bare","type":"string"}]}],"name":"CustomerOrder","table":"CustomerOrders"}
],
"keyfoldPlan": 1,
"model": {"hash":"2361470cbb758a0edd42f03acda9ce49","name":"orders_with_address","version":1},
"patterns": [
  {"name":"orders_of_customer","parameters":[{"attribute":"Custid","limit":"equal","name":"Custid","type":"string"}],"plan":{"page":50,"partition":[{"attribute":"Custid","parts":[{"field":"Custid","format":"bare","type":"string"}]}],"request":"Query","sortAttributes":["Transaction_Id"],"table":"CustomerOrders"},"returns":[{"entity":"CustomerOrder","many":true,"name":"CustomerOrder"}]},
  {"name":"order_of_customer","parameters":[{"attribute":"Custid","limit":"equal","name":"Custid","type":"string"},{"attribute":"Transaction_Id","limit":"equal","name":"Transaction_Id","type":"string"}],"plan":{"partition":[{"attribute":"Custid","parts":[{"field":"Custid","format":"bare","type":"string"}]}],"request":"GetItem","sort":{"at":[{"field":"Transaction_Id","format":"bare","type":"string"}],"attribute":"Transaction_Id","is":"equal"},"sortAttributes":["Transaction_Id"],"table":"CustomerOrders"},"returns":[{"entity":"CustomerOrder","name":"CustomerOrder","optional":true}]}
],
"tables": [
  {"create":{"AttributeDefinitions":[{"AttributeName":"Custid","AttributeType":"S"},{"AttributeName":"Transaction_Id","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"Custid","KeyType":"HASH"},{"AttributeName":"Transaction_Id","KeyType":"RANGE"}]},"name":"CustomerOrders","partition":{"name":"Custid","type":"S"},"sort":{"name":"Transaction_Id","type":"S"}}
]
}
"""
