"""Keyfold's side: one table of what is read together, and the import into it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from orders.legacy import Legacy, Row
from orders.model import (
    AsyncOrdersWithAddressClient,
    CustomerOrder,
    CustomerOrderKey,
    NewCustomerOrder,
    TransactionId,
)

CENT = Decimal("0.01")


@dataclass(slots=True)
class Imported:
    """What an import did."""

    customers: int = 0
    rows: int = 0
    """Those of the join."""
    written: int = 0
    """Those that were new, or other ones."""
    deleted: int = 0
    """Those that the join has no more."""
    without_address: int = 0
    """Orders that the join leaves out, since no address has their delivery code."""


class Shelf:
    """The orders with their addresses, stored together."""

    def __init__(self, client: AsyncOrdersWithAddressClient) -> None:
        self._client = client

    async def orders(self, custid: str) -> tuple[list[Row], float]:
        """N2: the orders of a customer with their addresses, without a join, and the units."""
        rows: list[Row] = []
        units = 0.0
        async for page in self._client.orders_of_customer(custid=custid).pages():
            rows += [_row(one) for one in page.items]
            units += page.capacity
        return rows, units

    async def order(self, custid: str, transaction_id: str) -> Row | None:
        """N2: one of them."""
        found = await self._client.order_of_customer(
            custid=custid, transaction_id=TransactionId(transaction_id)
        )
        return None if found is None else _row(found)

    async def take(self, legacy: Legacy) -> Imported:
        """Imports the join, customer by customer: only what is new, other or gone is written, so that
        it can be done again at any time. A customer who is gone altogether stays.
        """
        done = Imported(without_address=len(await legacy.without_address()))
        for custid in await legacy.customers():
            joined = {row.transaction_id: row for row in await legacy.orders(custid)}
            stored = {row.transaction_id: row for row in (await self.orders(custid))[0]}
            other = [row for key, row in joined.items() if stored.get(key) != row]
            gone = [row for key, row in stored.items() if key not in joined]
            await self._client.CustomerOrder.put_many(list(map(_new, other)))
            await self._client.CustomerOrder.delete_many(list(_keys(gone)))
            done.customers += 1
            done.rows += len(joined)
            done.written += len(other)
            done.deleted += len(gone)
        return done


def _row(one: CustomerOrder) -> Row:
    return Row(
        custid=one.custid,
        transaction_id=one.transaction_id,
        ordered_at=one.ordered_at,
        # A stored number has no zeros at its end; the old system's amounts have two places.
        amount=one.amount.quantize(CENT),
        zip=one.zip,
        street=one.street,
        city=one.city,
        country=one.country,
    )


def _new(row: Row) -> NewCustomerOrder:
    return NewCustomerOrder(
        custid=row.custid,
        transaction_id=TransactionId(row.transaction_id),
        ordered_at=row.ordered_at,
        amount=row.amount,
        zip=row.zip,
        street=row.street,
        city=row.city,
        country=row.country,
    )


def _keys(rows: Iterable[Row]) -> Iterable[CustomerOrderKey]:
    for row in rows:
        transaction_id = TransactionId(row.transaction_id)
        yield CustomerOrderKey(custid=row.custid, transaction_id=transaction_id)
