"""Python's values as stored values, checked by their type.

| type | Python |
|---|---|
| `int`, `number` | `int`, `Decimal`; a `float` is refused, since it is not exact |
| `time` | an aware `datetime`, or a text with its zone |
| `date` | `date`, or a text |
| `binary` | `bytes` |
| `list`, `set`, `map`, record | `list` or `tuple`, `set` or `frozenset`, `dict` |
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, cast

from keyfold.errors import Invalid
from keyfold.keys.periods import is_period
from keyfold.plan.kind import Kind
from keyfold.values import number, times
from keyfold.values.value import Value, set_of, shown_given, shown_text

_ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
_ANY_ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ANY_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_PERIODS = {
    "hour": "an hour like 2024-01-15T10",
    "day": "a day like 2024-01-15",
    "month": "a month like 2024-01",
    "year": "a year like 2024",
}


def wrong(name: str, held: object, wanted: str) -> Invalid:
    """The error about a text that is no value of its type."""
    return Invalid(f"{name}: `{shown_text(str(held))}` is not {wanted}", attribute=name)


def _no_moment(name: str, held: object, wanted: str) -> Invalid:
    """The error about a text that is no time or day."""
    text = shown_text(str(held))
    if not text.startswith("0000-"):
        return wrong(name, held, wanted)
    why = "it is outside the years 0001 to 9999 of UTC"
    return Invalid(f"{name}: there is no `{text}`: {why}", attribute=name)


def wrong_kind(name: str, kind: Kind, held: object) -> Invalid:
    """The error about a value of another type."""
    shown = shown_given(held)
    if isinstance(held, str):
        # Without quotes the text "5" would read as a number.
        shown = f'"{shown}"'
    return Invalid(f"{name} is no {kind}: {shown}", attribute=name)


def typed(name: str, kind: Kind, given: object) -> Value:
    """The stored value of a value of Python.

    Raises `Invalid`, with the path to the wrong value.
    """
    make = _MAKERS.get(kind.name)
    if make is not None:
        return make(name, kind, given)
    return _time(name, kind, given) if kind.is_time else _period(name, kind, given)


def _string(name: str, kind: Kind, given: object) -> Value:
    if not isinstance(given, str):
        raise wrong_kind(name, kind, given)
    return {"S": _unicode(name, given)}


def _unicode(name: str, given: str) -> str:
    try:
        str.encode(given)
    except UnicodeEncodeError:
        shown = str.encode(given, "utf-8", "replace").decode()
        raise wrong(name, shown, "valid Unicode") from None
    # The text itself, where it is a member of an enumeration.
    return str.__str__(given)


def _number(name: str, kind: Kind, given: object) -> Value:
    if isinstance(given, float):
        raise Invalid(
            f"{name}: {given!r} is a float, which is not exact; give an int or a Decimal",
            attribute=name,
        )
    if isinstance(given, bool) or not isinstance(given, (int, Decimal)):
        raise wrong_kind(name, kind, given)
    try:
        text = number.of_int(int(given)) if isinstance(given, int) else number.of_decimal(given)
    except number.NumberError as error:
        shown = shown_given(given if isinstance(given, int) else str(given))
        raise Invalid(f"{name}: {shown} is not a number: {error}", attribute=name) from None
    if kind.name == "int" and not number.is_whole(text):
        raise wrong(name, text, "a whole number")
    return {"N": text}


def _bool(name: str, kind: Kind, given: object) -> Value:
    if not isinstance(given, bool):
        raise wrong_kind(name, kind, given)
    return {"BOOL": given}


def check_zone(name: str, held: datetime) -> None:
    """Refuses a moment whose offset from UTC is not known."""
    try:
        offset = held.utcoffset()
    except Exception as error:
        why = f"{name}: the zone of the time fails: {error}"
        raise Invalid(why, attribute=name) from error
    if offset is None:
        raise Invalid(
            f"{name}: {held.isoformat()} has no zone; give an aware datetime:"
            " .replace(tzinfo=timezone.utc), if it is in UTC",
            attribute=name,
        )


def exact_time(name: str, kind: Kind, given: object) -> str:
    """The time of a value in UTC, with nanoseconds."""
    exact: str | None = None
    if isinstance(given, datetime):
        check_zone(name, given)
        try:
            return times.exact_of_datetime(given)
        except OverflowError:
            exact = None
    elif isinstance(given, str):
        exact = times.exact_of_text(given)
    else:
        error = wrong_kind(name, kind, given)
        why = "; give an aware datetime" if isinstance(given, date) else ""
        raise Invalid(f"{error.message}{why}", attribute=name)
    if exact is None:
        wanted = "a time with its zone, like 2024-01-15T10:30:00Z (or a day: midnight UTC)"
        raise _no_moment(name, given, wanted)
    return exact


def _time(name: str, kind: Kind, given: object) -> Value:
    exact = exact_time(name, kind, given)
    digits = times.DIGITS[kind.name]
    if times.is_finer(exact, digits):
        held, cut = str(given), ""
        if isinstance(given, datetime):
            held, cut = given.isoformat(), " (`keyfold.typed.truncated` cuts them)"
        raise Invalid(
            f"{name}: `{shown_text(held)}` is finer than a {kind} keeps it; leave out the digits"
            f" that would be cut{cut}, or declare a finer time",
            attribute=name,
        )
    return {"S": times.cut(exact, digits)}


def at_most(name: str, kind: Kind, given: object) -> object:
    """A time cut to what its type keeps, as the upper end of a range. No key lies in between."""
    if not kind.is_time or not isinstance(given, (str, datetime)):
        return given
    return times.cut(exact_time(name, kind, given), times.DIGITS[kind.name])


def _date(name: str, kind: Kind, given: object) -> Value:
    if isinstance(given, datetime):
        error = wrong_kind(name, kind, given)
        raise Invalid(f"{error.message}; give a date: .date()", attribute=name)
    text = given.isoformat() if isinstance(given, date) else given
    if not isinstance(text, str):
        raise wrong_kind(name, kind, given)
    if not times.is_day(text):
        raise _no_moment(name, text, "a day like 2024-01-15")
    return {"S": text}


def is_stored_text(kind: Kind, text: str) -> bool:
    """Whether a stored text is one of its type."""
    name = kind.name
    if name == "string":
        return True
    if name == "words":
        return text in kind.words
    if kind.is_time:
        return times.is_stored(name, text)
    if name == "date":
        return times.is_day(text)
    if name in ("ulid", "uuid"):
        return (_ULID if name == "ulid" else _UUID).fullmatch(text) is not None
    return is_period(cast(Any, name), text)


def _period(name: str, kind: Kind, given: object) -> Value:
    is_day = kind.name == "day" and isinstance(given, date) and not isinstance(given, datetime)
    text = cast(date, given).isoformat() if is_day else given
    if not isinstance(text, str):
        error = wrong_kind(name, kind, given)
        why = f"; give the text of {_PERIODS[kind.name]}" if isinstance(given, date) else ""
        raise Invalid(f"{error.message}{why}", attribute=name)
    if not is_period(cast(Any, kind.name), text):
        raise wrong(name, text, _PERIODS[kind.name])
    return {"S": text}


def _binary(name: str, kind: Kind, given: object) -> Value:
    if not isinstance(given, (bytes, bytearray, memoryview)):
        raise wrong_kind(name, kind, given)
    return {"B": bytes(cast("bytes | bytearray", given))}


def _ulid(name: str, kind: Kind, given: object) -> Value:
    if not isinstance(given, str):
        raise wrong_kind(name, kind, given)
    # Small letters beyond ASCII may have a large one in it.
    if not _ANY_ULID.fullmatch(given):
        raise wrong(name, given, "a ULID of 26 characters")
    return {"S": given.upper()}


def _uuid(name: str, kind: Kind, given: object) -> Value:
    text = str(given) if isinstance(given, uuid.UUID) else given
    if not isinstance(text, str):
        raise wrong_kind(name, kind, given)
    if not _ANY_UUID.fullmatch(text):
        raise wrong(name, text, "a UUID like 123e4567-e89b-12d3-a456-426614174000")
    return {"S": text.lower()}


def _word(name: str, kind: Kind, given: object) -> Value:
    if not isinstance(given, str):
        raise wrong_kind(name, kind, given)
    if given not in kind.words:
        raise wrong(name, given, f"one of {', '.join(kind.words)}")
    return {"S": str.__str__(given)}


def _list(name: str, kind: Kind, given: object) -> Value:
    if not isinstance(given, (list, tuple)):
        raise wrong_kind(name, kind, given)
    return {"L": _each(name, kind.element, cast("list[object]", given))}


def _each(name: str, of: Kind, given: Iterable[object]) -> list[Value]:
    return [typed(f"{name}[{at}]", of, one) for at, one in enumerate(given)]


def _set(name: str, kind: Kind, given: object) -> Value:
    if not isinstance(given, (set, frozenset, list, tuple)):
        raise wrong_kind(name, kind, given)
    members = _each(name, kind.element, cast("list[object]", given))
    of = kind.element
    descriptor = "S" if of.is_text else "N" if of.is_number else "B"
    made = set_of(f"{descriptor}S", [member[descriptor] for member in members])
    if made is None:
        raise Invalid(f"{name}: a set has at least one value, and none twice", attribute=name)
    return made


def _map(name: str, kind: Kind, given: object) -> Value:
    if not isinstance(given, Mapping):
        raise wrong_kind(name, kind, given)
    entries = cast("Mapping[object, object]", given)
    held: dict[str, Value] = {}
    for key, entry in entries.items():
        if not isinstance(key, str):
            raise wrong_kind(name, kind, entries)
        held[_unicode(name, key)] = typed(f"{name}.{key}", kind.element, entry)
    return {"M": held}


def _record(name: str, kind: Kind, given: object) -> Value:
    record = kind.record
    if record is None or not isinstance(given, Mapping):
        raise wrong_kind(name, kind, given)
    entries = cast("Mapping[object, object]", given)
    for key in entries:
        if not isinstance(key, str):
            raise wrong_kind(name, kind, entries)
        if key not in record.fields:
            key = shown_text(key)
            known = ", ".join(record.fields)
            raise Invalid(
                f"{name}.{key} is no field of {record.name}; it has {known}: {key}",
                attribute=f"{name}.{key}",
            )
    held: dict[str, Value] = {}
    for field, own in record.fields.items():
        entry = entries.get(field)
        if entry is not None:
            held[field] = typed(f"{name}.{field}", own.kind, entry)
        elif not own.optional:
            path = f"{name}.{field}"
            raise Invalid(f"{path} is missing: a field of its record", attribute=path)
    return {"M": held}


_MAKERS: dict[str, Callable[[str, Kind, object], Value]] = {
    "string": _string,
    "int": _number,
    "number": _number,
    "bool": _bool,
    "date": _date,
    "binary": _binary,
    "ulid": _ulid,
    "uuid": _uuid,
    "words": _word,
    "list": _list,
    "set": _set,
    "map": _map,
    "record": _record,
}


def of_plain_text(name: str, kind: Kind, text: str) -> Value:
    """The value that a model writes as a text: `true`, `12`, `open`."""
    if kind.is_number:
        try:
            return typed(name, kind, Decimal(number.of_text(text)))
        except number.NumberError:
            raise wrong(name, text, "a number") from None
    if kind.name == "bool":
        return {"BOOL": text == "true"}
    return typed(name, kind, text)
