"""Pieces of work that are done at the same time, in threads that end with them."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def together(works: Sequence[Callable[[], T]], most: int) -> list[T]:
    """What pieces of work come to, in their order. At most so many are done at the same time. The
    error of one ends those that are not begun."""
    left = deque(enumerate(works))
    ended: dict[int, T] = {}
    errors: list[BaseException] = []

    def take() -> None:
        while left:
            try:
                at, work = left.popleft()
            except IndexError:
                return
            try:
                ended[at] = work()
            except BaseException as error:
                errors.append(error)
                left.clear()

    threads: list[threading.Thread] = []
    try:
        for _ in range(min(len(works), most) - 1):
            thread = threading.Thread(target=take, name="keyfold request", daemon=True)
            try:
                thread.start()
            except RuntimeError:
                # The program ends, or has too many: the others do it.
                break
            threads.append(thread)
        take()
        for thread in threads:
            thread.join()
    finally:
        # An exception of a signal's handler ends the call.
        left.clear()
    if errors:
        raise errors[0]
    return [ended[at] for at in range(len(works))]
