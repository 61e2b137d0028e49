"""Periods of tables and partitions: hours, days, months and years as texts."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from keyfold.plan.kind import Kind
from keyfold.plan.template import Unit
from keyfold.values.times import DIGITS, cut

PERIODS_MAX = 10_000
"""The most periods of a range: each is a request."""
WIDTH: dict[Unit, int] = {"hour": 13, "day": 10, "month": 7, "year": 4}
_FORMS: dict[Unit, re.Pattern[str]] = {
    "hour": re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}"),
    "day": re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}"),
    "month": re.compile(r"[0-9]{4}-[0-9]{2}"),
    "year": re.compile(r"[0-9]{4}"),
}
_FIRST = "0000-01-01T00:00:00.000000000Z"


def period_of(unit: Unit, time: str) -> str:
    """The period of a time or day."""
    return time[: WIDTH[unit]]


def in_name(period: str) -> str:
    """A period as a part of a table's name: `2024_01`."""
    return period.replace("-", "_").replace("T", "_")


def is_period(unit: Unit, text: str) -> bool:
    """Whether a text is a period of the unit."""
    return _start(unit, text) is not None


def is_period_in_name(unit: Unit, text: str) -> bool:
    """Whether a part of a table's name stands for a period of the calendar: `2024_13` does not."""
    period = text[:10].replace("_", "-") + text[10:].replace("_", "T", 1)
    return in_name(period) == text and is_period(unit, period)


def _start(unit: Unit, text: str) -> datetime | None:
    if _FORMS[unit].fullmatch(text) is None:
        return None
    try:
        return datetime.fromisoformat((text + _FIRST[len(text) :])[:19])
    except ValueError:
        return None


def between(unit: Unit, low: str, high: str) -> list[str] | None:
    """The periods from that of `low` to that of `high`; none when there are too many."""
    at, last = _start(unit, period_of(unit, low)), _start(unit, period_of(unit, high))
    if at is None or last is None:
        return None
    periods: list[str] = []
    while at <= last:
        if len(periods) == PERIODS_MAX:
            return None
        periods.append(_text(unit, at))
        following = _next(unit, at)
        if following is None:
            break
        at = following
    return periods


def _text(unit: Unit, at: datetime) -> str:
    text = f"{at.year:04}-{at.month:02}-{at.day:02}T{at.hour:02}"
    return text[: WIDTH[unit]]


def _next(unit: Unit, at: datetime) -> datetime | None:
    try:
        if unit == "hour":
            return at + timedelta(hours=1)
        if unit == "day":
            return at + timedelta(days=1)
        if unit == "month":
            years, month = divmod(at.month, 12)
            return at.replace(year=at.year + years, month=month + 1)
        return at.replace(year=at.year + 1)
    except (OverflowError, ValueError):
        # The calendar ends here.
        return None


def first_time(kind: Kind, period: str) -> str:
    """The first time of a period, or its first day, as a text of the type."""
    text = period + _FIRST[len(period) :]
    return cut(text, DIGITS[kind.name]) if kind.is_time else text[:10]
