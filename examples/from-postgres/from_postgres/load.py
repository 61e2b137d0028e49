"""The program that goes on writing, first to one side, then to the other."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Protocol

from from_postgres.book import Address, Book, Draft, Payment, now


class Side(Protocol):
    """What the program writes to."""

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
    """The longest write, in seconds."""

    @property
    def all(self) -> int:
        """All writes."""
        return self.orders + self.payments + self.shipped + self.moves


class Load:
    """Writes so many times a second on a thread of its own, until it is stopped."""

    def __init__(self, book: Book, pace: float) -> None:
        self._book = book
        self._pause = 1 / pace
        self._stops = threading.Event()
        self._thread: threading.Thread | None = None
        self._wrong: BaseException | None = None
        self.written: dict[str, Written] = {}
        self.last_write = 0.0
        """When the last write had ended."""
        self.first_write = threading.Event()

    def start(self, side: Side) -> None:
        """Writes to a side from now on."""
        self._stops.clear()
        self.first_write.clear()
        self._thread = threading.Thread(target=self._run, args=(side,), daemon=True)
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

    def await_first(self, seconds: float) -> None:
        """Waits until something was written."""
        if not self.first_write.wait(seconds):
            self.stop()
            raise TimeoutError("nothing was written")

    def _run(self, side: Side) -> None:
        written = self.written.setdefault(side.name, Written())
        try:
            while not self._stops.is_set():
                began = time.monotonic()
                self._write(side, written)
                self.last_write = time.monotonic()
                written.slowest = max(written.slowest, self.last_write - began)
                self.first_write.set()
                self._stops.wait(self._pause)
        except BaseException as error:
            self._wrong = error

    def _write(self, side: Side, written: Written) -> None:
        book = self._book
        chance = book.drawn.random()
        if chance < 0.3 and book.pending:
            payment = book.payment()
            side.pay(payment)
            book.paid.append(payment.order)
            written.payments += 1
        elif chance < 0.45 and book.paid:
            side.ship(book.paid.popleft())
            written.shipped += 1
        elif chance < 0.6:
            side.move(book.address())
            written.moves += 1
        else:
            draft = book.draft(now())
            side.order(draft)
            book.pending.append((draft.order, draft.total))
            written.orders += 1
