"""The time of a call. What is not begun when it is over is not sent."""

from __future__ import annotations

import threading
import time

from keyfold.errors import Aborted
from keyfold.options import check_seconds


class Over(Exception):
    """The time of a call is over before its request could be sent."""


class Limit:
    """The time that a call has, from now on."""

    def __init__(self, seconds: float | None, call: str) -> None:
        if seconds is not None:
            check_seconds("timeout", seconds)
        self._seconds = seconds
        self._call = call
        # No clock of a system waits longer than this.
        is_endless = seconds is None or seconds >= threading.TIMEOUT_MAX
        self.end = None if seconds is None or is_endless else time.monotonic() + seconds
        """The end, by the clock of `time.monotonic`; none without a limit."""

    def left(self) -> float | None:
        """The seconds that are left."""
        return None if self.end is None else max(0.0, self.end - time.monotonic())

    def to_send(self) -> float | None:
        """The seconds that are left for a request. Raises `Over` where there are none."""
        left = self.left()
        if left == 0.0:
            raise Over
        return left

    def within(self, seconds: float) -> float:
        """So many seconds, and no more than are left."""
        left = self.left()
        return seconds if left is None else min(seconds, left)

    def aborted(self) -> Aborted:
        """The error of a request that the end of the time has met."""
        return Aborted(self._seconds or 0, self._call)

    def over(self) -> Aborted | None:
        """The answer to a request that is not sent, since no time is left."""
        return self.aborted() if self.left() == 0.0 else None
