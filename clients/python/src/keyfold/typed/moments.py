"""Moments with the digits that a model keeps, of which Python's own clock has more."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Final, Literal, TypeAlias

Timespec: TypeAlias = Literal["seconds", "milliseconds", "microseconds"]
"""What `time(s)`, `time` and `time(us)` keep, in the words of `datetime.isoformat`."""

_MICROSECONDS: Final[dict[Timespec, int]] = {
    "seconds": 1_000_000,
    "milliseconds": 1_000,
    "microseconds": 1,
}


def truncated(moment: datetime, timespec: Timespec = "milliseconds") -> datetime:
    """A moment without the digits that its type does not keep; `time` keeps milliseconds."""
    finer = moment.microsecond % _MICROSECONDS[timespec]
    return moment.replace(microsecond=moment.microsecond - finer)


def now(timespec: Timespec = "milliseconds") -> datetime:
    """The present moment in UTC with the digits that its type keeps; `time` keeps milliseconds."""
    return truncated(datetime.now(timezone.utc), timespec)
