"""What the shop's program knows while it writes: who may order what, and which orders wait."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field
from datetime import datetime, timezone
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Line:
    """An item of an order."""

    line: int
    product: str
    quantity: int
    price: Decimal


@dataclass(frozen=True, slots=True)
class Draft:
    """An order with its items."""

    order: str
    user: str
    at: datetime
    lines: list[Line]

    @property
    def total(self) -> Decimal:
        """What is to be paid."""
        return sum((one.price * one.quantity for one in self.lines), Decimal(0))


@dataclass(frozen=True, slots=True)
class Payment:
    """Money for an order."""

    order: str
    payment: str
    amount: Decimal
    at: datetime


@dataclass(frozen=True, slots=True)
class Address:
    """Where a user lives from now on."""

    user: str
    street: str
    city: str


def now() -> datetime:
    """The time in seconds, as both sides keep it."""
    return datetime.now(timezone.utc).replace(microsecond=0)


@dataclass(slots=True)
class Book:
    """The program's knowledge, which outlives the change of the database."""

    drawn: random.Random
    users: list[str] = field(default_factory=list)
    products: list[tuple[str, Decimal]] = field(default_factory=list)
    pending: deque[tuple[str, Decimal]] = field(default_factory=deque)
    """Orders that nobody has paid, with their totals."""
    paid: deque[str] = field(default_factory=deque)
    orders: int = 0
    """How many orders were made."""
    payments: int = 0
    moves: int = 0

    def draft(self, at: datetime) -> Draft:
        """A new order."""
        self.orders += 1
        lines = []
        for line in range(1, self.drawn.randint(1, 4) + 1):
            product, price = self.drawn.choice(self.products)
            lines.append(Line(line, product, self.drawn.randint(1, 3), price))
        return Draft(f"o{self.orders}", self.drawn.choice(self.users), at, lines)

    def payment(self) -> Payment:
        """The payment of the order that has waited longest."""
        order, total = self.pending.popleft()
        self.payments += 1
        return Payment(order, f"n{self.payments}", total, now())

    def address(self) -> Address:
        """Somebody's new address."""
        self.moves += 1
        return Address(self.drawn.choice(self.users), f"New street {self.moves}", "Bodø")
