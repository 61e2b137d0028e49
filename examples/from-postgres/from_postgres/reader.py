"""The program that goes on reading, first from one side, then from the other."""

from __future__ import annotations

import random
import threading
from typing import Protocol

from from_postgres.book import Book

PAUSE = 0.02


class Readable(Protocol):
    """What is read from."""

    name: str

    def look(self, user: str) -> int: ...


class Reader:
    """Reads the pages of users on a thread of its own, until it is stopped."""

    def __init__(self, book: Book, counts: dict[str, int]) -> None:
        self._users = list(book.users)
        self._counts = counts
        self._stops = threading.Event()
        self._side: Readable | None = None
        self._thread: threading.Thread | None = None
        self._wrong: BaseException | None = None

    def start(self, side: Readable) -> None:
        """Reads from a side from now on."""
        self._side = side
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def turn(self, side: Readable) -> str:
        """Reads from another side from now on."""
        self._side = side
        return f"pages are read by {side.name}"

    def stop(self) -> None:
        """Ends the reads, and raises an error of one."""
        self._stops.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        if self._wrong is not None:
            raise self._wrong

    def _run(self) -> None:
        drawn = random.Random(5)
        try:
            while not self._stops.wait(PAUSE):
                side = self._side
                if side is not None:
                    side.look(drawn.choice(self._users))
                    self._counts[side.name] = self._counts.get(side.name, 0) + 1
        except BaseException as error:
            self._wrong = error
