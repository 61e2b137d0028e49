"""The program that goes on writing: to the side that leads, which it finds by being refused."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from from_postgres.book import Address, Book, Draft, Payment, now

LOOKS_AGAIN = 0.02
"""The seconds until a write that both sides refuse is tried again."""

SideWrite = Callable[["Side"], None]


class Closed(Exception):
    """A side refuses writes, because the other one leads. Nothing was written."""


class Side(Protocol):
    """What the program writes to. Each write is whole or absent, and raises `Closed` where it may not be."""

    name: str

    def order(self, draft: Draft) -> None: ...

    def pay(self, payment: Payment) -> None: ...

    def ship(self, order: str) -> None: ...

    def move(self, address: Address) -> None: ...


@dataclass(slots=True)
class Written:
    """What was written to a side."""

    orders: int = 0
    payments: int = 0
    shipped: int = 0
    moves: int = 0
    slowest: float = 0.0
    """The longest write, in seconds, without those that waited for a switch."""

    @property
    def all(self) -> int:
        """All writes."""
        return self.orders + self.payments + self.shipped + self.moves


@dataclass(frozen=True, slots=True)
class Turn:
    """The program writes to another side from now on."""

    to: str
    pause: float
    """The seconds between its last write to one side and its first one to the other."""


class Load:
    """Writes so many times a second on a thread of its own, until it is stopped."""

    def __init__(self, book: Book, pace: float, sides: Sequence[Side]) -> None:
        """`sides`: the one that leads, and the other one."""
        self._book = book
        self._pause = 1 / pace
        self._sides = list(sides)
        self._stops = threading.Event()
        self._thread: threading.Thread | None = None
        self._wrong: BaseException | None = None
        self._last = 0.0
        self.written: dict[str, Written] = {}
        self.turns: list[Turn] = []

    def start(self) -> None:
        """Writes from now on."""
        self._stops.clear()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends the writes; none is under way when it returns.

        An error of a write is raised here.
        """
        self._stops.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        if self._wrong is not None:
            raise self._wrong

    def await_writes(self, side: str, count: int, seconds: float) -> None:
        """Waits until so much more was written to a side."""
        wanted = self._count(side) + count
        until = time.monotonic() + seconds
        while self._count(side) < wanted:
            if self._wrong is not None or time.monotonic() > until:
                self.stop()
                raise TimeoutError(f"nothing is written by {side}")
            time.sleep(LOOKS_AGAIN)

    def _count(self, side: str) -> int:
        written = self.written.get(side)
        return written.all if written else 0

    def _run(self) -> None:
        self._last = time.monotonic()
        try:
            while not self._stops.is_set():
                self._write(*self._next())
                self._stops.wait(self._pause)
        except BaseException as error:
            self._wrong = error

    def _write(self, kind: str, write: SideWrite, done: Callable[[], None]) -> None:
        """Writes to the side that leads, however long there is none."""
        first = self._sides[0]
        while True:
            began = time.monotonic()
            try:
                write(self._sides[0])
                break
            except Closed:
                self._sides.reverse()
                time.sleep(LOOKS_AGAIN)
        ended = time.monotonic()
        side = self._sides[0]
        written = self.written.setdefault(side.name, Written())
        if side is first:
            written.slowest = max(written.slowest, ended - began)
        else:
            self.turns.append(Turn(side.name, ended - self._last))
        setattr(written, kind, getattr(written, kind) + 1)
        done()
        self._last = ended

    def _next(self) -> tuple[str, SideWrite, Callable[[], None]]:
        """What is written next: its kind, the write, and what the program knows when it is done."""
        book = self._book
        chance = book.drawn.random()
        if chance < 0.3 and book.pending:
            payment = book.payment()
            return (
                "payments",
                lambda side: side.pay(payment),
                lambda: book.paid.append(payment.order),
            )
        if chance < 0.45 and book.paid:
            order = book.paid.popleft()
            return "shipped", lambda side: side.ship(order), lambda: None
        if chance < 0.6:
            address = book.address()
            return "moves", lambda side: side.move(address), lambda: None
        draft = book.draft(now())
        return (
            "orders",
            lambda side: side.order(draft),
            lambda: book.pending.append((draft.order, draft.total)),
        )
