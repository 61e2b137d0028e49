"""The shop's database: its tables, its rows, what its programs write, and E1 to E7 as SQL."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import psycopg

from from_postgres.book import Address, Book, Draft, Payment
from from_postgres.load import Closed

SCHEMA = """
CREATE TABLE users (
    id text PRIMARY KEY, email text NOT NULL UNIQUE, name text NOT NULL, created_at timestamptz(0) NOT NULL
);
CREATE TABLE addresses (
    user_id text PRIMARY KEY REFERENCES users (id), street text NOT NULL, city text NOT NULL, country text NOT NULL
);
CREATE TABLE products (
    id text PRIMARY KEY, name text NOT NULL, price numeric(10, 2) NOT NULL, stock integer NOT NULL
);
CREATE TABLE orders (
    id text PRIMARY KEY, user_id text NOT NULL REFERENCES users (id), created_at timestamptz(0) NOT NULL,
    total numeric(12, 2) NOT NULL, status text NOT NULL CHECK (status IN ('pending', 'paid', 'shipped'))
);
CREATE INDEX orders_of_user ON orders (user_id, created_at);
CREATE INDEX orders_by_status ON orders (status, created_at);
CREATE TABLE order_items (
    order_id text NOT NULL REFERENCES orders (id), line integer NOT NULL,
    product_id text NOT NULL REFERENCES products (id), quantity integer NOT NULL, price numeric(10, 2) NOT NULL,
    PRIMARY KEY (order_id, line)
);
CREATE TABLE payments (
    order_id text NOT NULL REFERENCES orders (id), id text NOT NULL, amount numeric(12, 2) NOT NULL,
    paid_at timestamptz(0) NOT NULL, PRIMARY KEY (order_id, id)
);
"""

TABLES = ["users", "addresses", "products", "orders", "order_items", "payments"]

FIRST = datetime(2026, 1, 1, 8, tzinfo=timezone.utc)

CITIES = ["Bodø", "Narvik", "Tromsø", "Bergen", "Hamburg", "Edinburgh", "Ulm"]


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many rows the shop begins with."""

    users: int = 2_000
    products: int = 500
    orders: int = 5_000


def fill(text: str, sizes: Sizes) -> tuple[Book, dict[str, int]]:
    """Makes the tables with their rows, always the same ones: the book of what is there, and the rows of
    each table.
    """
    drawn = random.Random(2)
    book = Book(drawn)
    with psycopg.connect(text) as connection, connection.cursor() as cursor:
        cursor.execute(SCHEMA)
        with cursor.copy("COPY users FROM STDIN") as copy:
            for number in range(sizes.users):
                user = f"u{number}"
                book.users.append(user)
                copy.write_row((user, f"{user}@shop.example", f"User {number}", FIRST))
        with cursor.copy("COPY addresses FROM STDIN") as copy:
            # Each tenth user has none.
            for number in (one for one in range(sizes.users) if one % 10):
                copy.write_row((f"u{number}", f"Street {number}", drawn.choice(CITIES), "NO"))
        with cursor.copy("COPY products FROM STDIN") as copy:
            for number in range(sizes.products):
                price = Decimal(drawn.randint(100, 99_999)) / 100
                book.products.append((f"p{number}", price))
                copy.write_row((f"p{number}", f"Product {number}", price, drawn.randint(0, 500)))
        drafts = [_old(book, number) for number in range(sizes.orders)]
        with cursor.copy("COPY orders FROM STDIN") as copy:
            for draft, status in drafts:
                copy.write_row((draft.order, draft.user, draft.at, draft.total, status))
        with cursor.copy("COPY order_items FROM STDIN") as copy:
            for draft, _ in drafts:
                for one in draft.lines:
                    copy.write_row((draft.order, one.line, one.product, one.quantity, one.price))
        with cursor.copy("COPY payments FROM STDIN") as copy:
            for draft, status in drafts:
                if status != "pending":
                    at = draft.at + timedelta(hours=1)
                    copy.write_row((draft.order, f"{draft.order}-1", draft.total, at))
        counts: dict[str, int] = {}
        for table in TABLES:
            row = cursor.execute(f"SELECT count(*) FROM {table}").fetchone()
            counts[table] = row[0] if row else 0
    return book, counts


def _old(book: Book, number: int) -> tuple[Draft, str]:
    """An order of the past, and its status."""
    draft = book.draft(FIRST + timedelta(minutes=3 * number))
    status = book.drawn.choice(["pending", "paid", "shipped", "shipped"])
    if status == "pending":
        book.pending.append((draft.order, draft.total))
    if status == "paid":
        book.paid.append(draft.order)
    return draft, status


@contextmanager
def _while_open() -> Iterator[None]:
    """A block that says when the database refuses writes because the table leads."""
    try:
        yield
    except psycopg.errors.ReadOnlySqlTransaction as error:
        raise Closed(str(error)) from error


class Legacy:
    """The database, as a program uses it: each write is a transaction."""

    name = "SQL"

    def __init__(self, text: str) -> None:
        self._connection = psycopg.connect(text, autocommit=True)
        self._reads = psycopg.connect(text, autocommit=True)

    def close(self) -> None:
        """Ends the connections."""
        self._connection.close()
        self._reads.close()

    def look(self, user: str) -> int:
        """A user's page: E1 and E2. How many orders it shows."""
        found = self.user(user)
        return len(self.orders_of_user(user)) if found else 0

    def order(self, draft: Draft) -> None:
        """An order with its items."""
        with (
            _while_open(),
            self._connection.transaction(),
            self._connection.cursor() as cursor,
        ):
            cursor.execute(
                "INSERT INTO orders VALUES (%s, %s, %s, %s, 'pending')",
                (draft.order, draft.user, draft.at, draft.total),
            )
            cursor.executemany(
                "INSERT INTO order_items VALUES (%s, %s, %s, %s, %s)",
                [(draft.order, one.line, one.product, one.quantity, one.price) for one in draft.lines],
            )

    def pay(self, payment: Payment) -> None:
        """A payment, by which the order is paid."""
        with _while_open(), self._connection.transaction():
            self._connection.execute(
                "INSERT INTO payments VALUES (%s, %s, %s, %s)",
                (payment.order, payment.payment, payment.amount, payment.at),
            )
            self._connection.execute(
                "UPDATE orders SET status = 'paid' WHERE id = %s", (payment.order,)
            )

    def ship(self, order: str) -> None:
        """An order leaves the house."""
        with _while_open():
            self._connection.execute("UPDATE orders SET status = 'shipped' WHERE id = %s", (order,))

    def move(self, address: Address) -> None:
        """A user has another address."""
        with _while_open():
            self._connection.execute(
                "INSERT INTO addresses VALUES (%s, %s, %s, %s) ON CONFLICT (user_id)"
                " DO UPDATE SET street = EXCLUDED.street, city = EXCLUDED.city",
                (address.user, address.street, address.city, "NO"),
            )

    def user(self, user: str) -> dict[str, Any] | None:
        """E1: a user by id, with the address and the number of orders."""
        found = self._rows(
            "SELECT u.id, u.email, u.name, a.street, a.city,"
            " (SELECT count(*) FROM orders o WHERE o.user_id = u.id) AS orders"
            " FROM users u LEFT JOIN addresses a ON a.user_id = u.id WHERE u.id = %s",
            user,
        )
        return found[0] if found else None

    def orders_of_user(self, user: str) -> list[dict[str, Any]]:
        """E2: the orders of a user, newest first."""
        return self._rows(
            "SELECT id, total, status, created_at FROM orders WHERE user_id = %s"
            ' ORDER BY created_at DESC, id COLLATE "C" DESC',
            user,
        )

    def order_by_id(self, order: str) -> dict[str, Any] | None:
        """E3: an order with its items, and what was received for it."""
        found = self._rows(
            "SELECT id, user_id, total, status, (SELECT coalesce(sum(amount), 0) FROM payments p"
            " WHERE p.order_id = o.id) AS received FROM orders o WHERE id = %s",
            order,
        )
        return {**found[0], "items": self.items_of_order(order)} if found else None

    def items_of_order(self, order: str) -> list[dict[str, Any]]:
        """E4: the items of an order."""
        return self._rows(
            "SELECT line::text AS line, product_id, quantity, price FROM order_items WHERE order_id = %s"
            ' ORDER BY line::text COLLATE "C"',
            order,
        )

    def product(self, product: str) -> dict[str, Any] | None:
        """E5: a product by id."""
        found = self._rows("SELECT id, name, price, stock FROM products WHERE id = %s", product)
        return found[0] if found else None

    def orders_by_status(self, status: str) -> list[str]:
        """E6: the orders of a status, newest first."""
        return self._ids(
            'SELECT id FROM orders WHERE status = %s ORDER BY created_at DESC, id COLLATE "C" DESC',
            status,
        )

    def recent_orders(self, status: str, since: datetime) -> list[str]:
        """E7: the recent orders of a status, newest first."""
        return self._ids(
            "SELECT id FROM orders WHERE status = %s AND created_at >= %s"
            ' ORDER BY created_at DESC, id COLLATE "C" DESC',
            status,
            since,
        )

    def _rows(self, sql: str, *arguments: object) -> list[dict[str, Any]]:
        cursor = self._reads.execute(sql, arguments)
        names = [one.name for one in cursor.description or []]
        return [dict(zip(names, row)) for row in cursor.fetchall()]

    def _ids(self, sql: str, *arguments: object) -> list[str]:
        return [row[0] for row in self._reads.execute(sql, arguments).fetchall()]
