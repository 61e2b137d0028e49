"""The time that a request under way has left: the rest of its call's, or that of its attempt.

A client of botocore has its times from its start on, and its session hands them anew to the
connection of each request. The session of a client of this package hands over the time that is
left where that is less.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from urllib3.util import Timeout

_SECONDS_MIN = 0.001
"""urllib3 refuses a time of 0 seconds."""
_left: ContextVar[float | None] = ContextVar("keyfold_left", default=None)


class _Left(Timeout):
    """The times of a session, cut to what the call has left."""

    def clone(self) -> Timeout:
        left, own = _left.get(), super().clone()
        if left is None:
            return own
        # The total holds for connecting and the first part of the answer together.
        return Timeout(total=left, connect=own.connect_timeout, read=own.read_timeout)


def heed(session: Any) -> None:
    """Makes a session of botocore keep to `within`. A version of botocore that keeps its times in
    other attributes is left as it is: its requests have the session's own times only."""
    own = getattr(session, "_timeout", None)
    pools = getattr(getattr(session, "_manager", None), "connection_pool_kw", None)
    if isinstance(own, Timeout) and isinstance(pools, dict):
        # Proxies take the session's, the other connections those of its pools.
        times = _Left(connect=own.connect_timeout, read=own.read_timeout)
        setattr(session, "_timeout", times)
        pools["timeout"] = times


def left_of(own: float | None) -> float | None:
    """The seconds that a session waits for a part of an answer, by its own time."""
    left = _left.get()
    return left if own is None or left is not None and left < own else own


@contextmanager
def within(seconds: float | None) -> Generator[None, None, None]:
    """Requests that are sent in this block wait no longer than so many seconds for a part of their
    answer."""
    before = _left.set(None if seconds is None else max(seconds, _SECONDS_MIN))
    try:
        yield
    finally:
        _left.reset(before)
