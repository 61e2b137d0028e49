"""Times as stored texts: UTC, of fixed width, so that the order of texts is the order of times."""

from __future__ import annotations

import calendar
import re
from datetime import date, datetime, timedelta, timezone

DIGITS = {"time.s": 0, "time.ms": 3, "time.us": 6, "time.ns": 9}
"""The digits after the seconds, by type."""
_FORM = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
    r"(?:[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,9}))?)?)?"
    r"([Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)?"
)
_STORED = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-2][0-9]:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?Z")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
# The last second that times with zones have: 9999-12-30T22:00:00Z.
_SECONDS_MAX = 253_402_207_200
_OFFSET_HOURS_MAX = 25


def cut(exact: str, digits: int) -> str:
    """A time with nanoseconds, cut to a number of digits."""
    return exact[: 19 if digits == 0 else 20 + digits] + "Z"


def exact_of_text(text: str) -> str | None:
    """The time of a text in UTC with nanoseconds; none when it is no time with its zone."""
    found = _FORM.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second, fraction, zone = found.groups()
    if hour is None:
        return None if zone or not _is_day(text) else f"{text}T00:00:00.000000000Z"
    if zone is None:
        return None
    clock = f"{hour}:{minute}:{second or '00'}"
    if not _is_day(f"{year}-{month}-{day}") or not _is_clock(clock):
        return None
    nanos = (fraction or "").ljust(9, "0")
    if zone in "Zz":
        return f"{year}-{month}-{day}T{clock}.{nanos}Z"
    offset = _offset(zone)
    if offset is None:
        return None
    try:
        local = datetime.fromisoformat(f"{year}-{month}-{day}T{clock}")
        utc = local - offset
    except (ValueError, OverflowError):
        return None
    return f"{_seconds_text(utc)}.{nanos}Z"


def _offset(zone: str) -> timedelta | None:
    digits = zone[1:].replace(":", "").ljust(4, "0")
    hours, minutes = int(digits[:2]), int(digits[2:])
    if hours > _OFFSET_HOURS_MAX or minutes > 59:
        return None
    size = timedelta(hours=hours, minutes=minutes)
    return -size if zone.startswith("-") else size


def _is_day(text: str) -> bool:
    year, month, day = text.split("-")
    try:
        date(int(year), int(month), int(day))
    except ValueError:
        return False
    return True


def _is_clock(text: str) -> bool:
    hour, minute, second = (int(part) for part in text.split(":"))
    return hour < 24 and minute < 60 and second < 60


def _seconds_text(moment: datetime) -> str:
    return (
        f"{moment.year:04}-{moment.month:02}-{moment.day:02}"
        f"T{moment.hour:02}:{moment.minute:02}:{moment.second:02}"
    )


def exact_of_datetime(moment: datetime) -> str:
    """An aware time in UTC with nanoseconds. Raises `OverflowError` beyond the calendar."""
    utc = moment.astimezone(timezone.utc)
    return f"{_seconds_text(utc)}.{utc.microsecond:06}000Z"


def is_finer(exact: str, digits: int) -> bool:
    """Whether a time with nanoseconds has more digits than a type keeps."""
    return exact[20 + digits : -1].strip("0") != ""


def is_day(text: str) -> bool:
    """Whether a text is a day: `2024-01-15`."""
    return _DAY.fullmatch(text) is not None and _is_day(text)


def of_epoch_ms(kind: str, epoch_ms: int) -> str | None:
    """A moment as the text of a time or date type; none for another type, or beyond the
    calendar."""
    if kind != "date" and kind not in DIGITS:
        return None
    try:
        moment = _EPOCH + timedelta(milliseconds=epoch_ms)
    except OverflowError:
        return None
    exact = exact_of_datetime(moment)
    return exact[:10] if kind == "date" else cut(exact, DIGITS[kind])


def epoch_seconds(text: str) -> int | None:
    """The seconds from 1970 to a time or day; none for another text."""
    exact = exact_of_text(text)
    if exact is None:
        return None
    moment = datetime.fromisoformat(exact[:19])
    seconds = calendar.timegm(moment.timetuple())
    if seconds > _SECONDS_MAX:
        return None
    # Seconds are cut towards 1970.
    return seconds + 1 if seconds < 0 and exact[20:-1].strip("0") else seconds


def is_stored(kind: str, text: str) -> bool:
    """Whether a text is a time in the form in which a type stores it."""
    digits = DIGITS[kind]
    is_formed = _STORED.fullmatch(text) and len(text) == (21 + digits if digits else 20)
    return bool(is_formed) and _is_day(text[:10]) and _is_clock(text[11:19])


def to_datetime(kind: str, text: str) -> datetime | None:
    """The aware time of a stored text; none when it is none."""
    if not is_stored(kind, text):
        return None
    moment = datetime.fromisoformat(text[:19])
    micros = int(text[20:-1].ljust(6, "0")[:6])
    return moment.replace(microsecond=micros, tzinfo=timezone.utc)


def to_date(text: str) -> date | None:
    """The day of a stored text; none when it is none."""
    if not is_day(text):
        return None
    return date.fromisoformat(text)
