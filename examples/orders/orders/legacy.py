"""The old system's side: two tables, and the join of them."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import TypeVar

import psycopg
from psycopg.rows import class_row

SCHEMA = """
CREATE TABLE addresses (
    zip text PRIMARY KEY, street text NOT NULL, city text NOT NULL, country text NOT NULL
);
CREATE TABLE orders (
    custid text, transaction_id text, ordered_at timestamptz NOT NULL,
    amount numeric(12, 2) NOT NULL, delivery_code text NOT NULL,
    PRIMARY KEY (custid, transaction_id)
);
"""

JOIN = """SELECT o.custid, o.transaction_id, o.ordered_at, o.amount,
       a.zip, a.street, a.city, a.country
FROM orders o JOIN addresses a ON a.zip = o.delivery_code
WHERE o.custid = %s
ORDER BY o.transaction_id COLLATE "C\""""

PLACES = [
    ("8006", "Sjøgata 14", "Bodø", "Norway"),
    ("8514", "Kongens gate 33", "Narvik", "Norway"),
    ("9008", "Storgata 92", "Tromsø", "Norway"),
    ("5014", "Torgallmenningen 8", "Bergen", "Norway"),
    ("20457", "Am Sandtorkai 5", "Hamburg", "Germany"),
    ("EH1 1YZ", "12 High Street", "Edinburgh", "Scotland"),
]


@dataclass(frozen=True, slots=True)
class Address:
    """An address."""

    zip: str
    street: str
    city: str
    country: str


@dataclass(frozen=True, slots=True)
class Row:
    """An order with its address."""

    custid: str
    transaction_id: str
    ordered_at: datetime
    amount: Decimal
    zip: str
    street: str
    city: str
    country: str


Connection = psycopg.AsyncConnection[tuple[object, ...]]
Answer = TypeVar("Answer")


class Legacy:
    """The old system. Its connection is made anew after it has ended."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._connection: Connection | None = None
        self._turn = asyncio.Lock()

    async def opened(self) -> Connection:
        """The connection, which is open as far as is known."""
        async with self._turn:
            if self._connection is None or self._connection.closed:
                self._connection = await psycopg.AsyncConnection.connect(
                    self._text, autocommit=True
                )
            return self._connection

    async def close(self) -> None:
        """Closes the connection."""
        if self._connection is not None:
            await self._connection.close()

    async def _read(self, work: Callable[[Connection], Awaitable[Answer]]) -> Answer:
        """What is read. That a connection has ended is known when it is used: it is read again."""
        connection = await self.opened()
        try:
            return await work(connection)
        except psycopg.OperationalError:
            if not connection.closed:
                raise
            return await work(await self.opened())

    async def fill(self, customers: int, most: int) -> None:
        """Makes the tables, with customers who have up to so many orders. They are always the same
        ones; each hundredth order has a delivery code that no address has.
        """
        drawn = random.Random(2)
        first = datetime(2026, 1, 1, 8, tzinfo=timezone.utc)
        connection = await self.opened()
        await connection.execute(SCHEMA)
        number = 0
        async with connection.cursor() as cursor:
            async with cursor.copy("COPY addresses FROM STDIN") as copy:
                for place in PLACES:
                    await copy.write_row(place)
            async with cursor.copy("COPY orders FROM STDIN") as copy:
                for customer in range(1, customers + 1):
                    for _ in range(drawn.randint(1, most)):
                        number += 1
                        code = "none" if number % 100 == 0 else drawn.choice(PLACES)[0]
                        at = first + timedelta(minutes=17 * number)
                        amount = Decimal(drawn.randint(100, 99_999)) / 100
                        order = (f"C{customer:03}", f"T{number:06}", at, amount, code)
                        await copy.write_row(order)

    async def customers(self) -> list[str]:
        """All who have ordered."""
        query = 'SELECT DISTINCT custid COLLATE "C" FROM orders ORDER BY 1'
        return await self._texts(query)

    async def orders(self, custid: str) -> list[Row]:
        """N2: the orders of a customer with their addresses: a join."""

        async def joined(connection: Connection) -> list[Row]:
            async with connection.cursor(row_factory=class_row(Row)) as cursor:
                await cursor.execute(JOIN, (custid,))
                return await cursor.fetchall()

        return await self._read(joined)

    async def without_address(self) -> list[str]:
        """The orders that the join leaves out."""
        query = """SELECT o.transaction_id FROM orders o
            LEFT JOIN addresses a ON a.zip = o.delivery_code
            WHERE a.zip IS NULL ORDER BY o.transaction_id"""
        return await self._texts(query)

    async def addresses(self) -> list[Address]:
        """All addresses."""
        query = (
            'SELECT zip, street, city, country FROM addresses ORDER BY zip COLLATE "C"'
        )
        return await self._addresses(query)

    async def rename(self, zip_code: str, street: str) -> Address | None:
        """Gives an address another street, as the old system's programs do: in one row. The address as it is then;
        none where there is none. Done again, it changes nothing more.
        """
        query = """UPDATE addresses SET street = %s WHERE zip = %s
            RETURNING zip, street, city, country"""
        return next(iter(await self._addresses(query, street, zip_code)), None)

    async def _addresses(self, query: str, *values: str) -> list[Address]:
        async def found(connection: Connection) -> list[Address]:
            async with connection.cursor(row_factory=class_row(Address)) as cursor:
                await cursor.execute(query.encode(), values)
                return await cursor.fetchall()

        return await self._read(found)

    async def _texts(self, query: str) -> list[str]:
        """The one column of a query."""

        async def column(connection: Connection) -> list[str]:
            cursor = await connection.execute(query.encode())
            return [str(text) async for (text,) in cursor]

        return await self._read(column)

    async def change(self, query: str, *values: object) -> None:
        """Changes something, as the old system's programs do."""
        await (await self.opened()).execute(query.encode(), values)


@asynccontextmanager
async def connected(text: str) -> AsyncIterator[Legacy]:
    """The old system at a connection, until it is not needed any more."""
    legacy = Legacy(text)
    await legacy.opened()
    try:
        yield legacy
    finally:
        await legacy.close()
