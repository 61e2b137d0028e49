"""Pieces of work at the same time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from keyfold.transport.together import together


def test_results_have_the_order_of_the_works() -> None:
    under_way: list[int] = []
    most: list[int] = []

    def work(at: int) -> Callable[[], int]:
        def done() -> int:
            under_way.append(at)
            most.append(len(under_way))
            time.sleep(0.01 * (at % 3))
            under_way.remove(at)
            return at

        return done

    assert together([work(at) for at in range(20)], 4) == list(range(20))
    assert 2 <= max(most) <= 4
    assert together([], 4) == []


def test_an_error_ends_what_is_not_begun() -> None:
    begun: list[int] = []

    def work(at: int) -> Callable[[], None]:
        def done() -> None:
            begun.append(at)
            time.sleep(0.05)
            if at == 1:
                raise ValueError(at)

        return done

    with pytest.raises(ValueError, match="1"):
        together([work(at) for at in range(40)], 4)
    assert len(begun) < 12


def test_where_no_thread_starts_the_caller_does_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuses)
    assert together([lambda: threading.get_ident()] * 5, 4) == [threading.get_ident()] * 5
