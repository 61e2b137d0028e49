"""Ends of key ranges: the least or the greatest key of the values that a parameter allows.

A range of DynamoDB includes its ends. An end that lies outside of the range (`a > low`) becomes the
next key inside of it, or a text beside which no key lies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from keyfold.keys.text import BREAK, LAST, column, directed, missing, text, written
from keyfold.plan.kind import Kind
from keyfold.plan.model import Limit
from keyfold.plan.template import Field, Part
from keyfold.values import number
from keyfold.values.value import Value, Values


@dataclass(frozen=True)
class At:
    """The range ends at this key, which it includes."""

    value: Value


@dataclass(frozen=True)
class Before:
    """The range ends before this key."""

    value: Value


End: TypeAlias = "At | Before | Literal['open', 'nothing']"
"""An end: at or before a key, nowhere on this side, or a range that is empty."""

_STRICT: tuple[Limit, ...] = ("above", "below")


def is_lower(limit: Limit) -> bool:
    """Whether a parameter is the lower end of a range."""
    return limit in ("atLeast", "above")


def is_upper(limit: Limit) -> bool:
    """Whether a parameter is the upper end of a range."""
    return limit in ("atMost", "below")


def end(parts: Sequence[Part], values: Values, limit_of: Callable[[str], Limit | None]) -> End:
    """The end of a range that parts make of values. `limit_of` names the limit of a parameter."""
    for at, part in enumerate(parts):
        limit = limit_of(part.name) if isinstance(part, Field) else None
        if limit is not None and isinstance(part, Field):
            return _limited(parts, at, part, values, limit)
    return At(column(parts, values))


def _limited(parts: Sequence[Part], at: int, field: Field, values: Values, limit: Limit) -> End:
    held = values.get(field.name)
    if held is None:
        raise missing(field.name)
    if field.format.form == "bare":
        return _bare(held, field.kind, limit)
    start, rest = text(parts[:at], values), text(parts[at + 1 :], values)
    if "N" in held and field.format.form == "padded":
        size = _padded_limit(field, held["N"], limit)
        made = None if size is None else f"{start}{size}{rest}"
    elif "S" in held and field.format.form == "plain" and field.kind.name == "string":
        made = _beside(start, held["S"], rest, field, limit)
    else:
        made = _beside(start, written(field, held), rest, field, limit)
    if made is None:
        return "nothing"
    if made:
        return At({"S": made})
    # A key is never empty.
    return "open" if is_lower(limit) else "nothing"


def _padded_limit(field: Field, held: str, limit: Limit) -> str | None:
    made = field.format
    if made.signed:
        found = _signed_end(held, made.whole, made.decimals, limit)
    else:
        size = _padded_end(held, made.whole, made.decimals, limit)
        found = None if size is None else (size, False)
    if found is None:
        return None
    size, is_negative = found
    return directed(size, is_negative=is_negative, reverses=made.reversed, signed=made.signed)


def _bare(held: Value, kind: Kind, limit: Limit) -> End:
    lower = is_lower(limit)
    if held.get("S") == "":
        return "open" if lower else "nothing"
    if limit not in _STRICT:
        return At(held)
    if "N" in held:
        size = held["N"] if lower else number.negated(held["N"])
        following = _next_number(size, kind)
        if following is None:
            return "nothing"
        return At({"N": following if lower else number.negated(following)})
    if lower and "S" in held:
        return At({"S": held["S"] + BREAK})
    if lower and "B" in held:
        return At({"B": held["B"] + b"\0"})
    return Before(held)


def _next_number(held: str, kind: Kind) -> str | None:
    if kind.name == "int":
        try:
            return number.add(held, "1")
        except number.NumberError:
            pass
    return number.next_up(held)


def _beside(start: str, value: str, rest: str, field: Field, limit: Limit) -> str | None:
    """The text at which a range ends; none where no key lies in the range."""
    if limit not in _STRICT:
        return f"{start}{value}{rest}"
    if is_lower(limit) != field.format.is_reversed:
        # No value begins with another of its width.
        return f"{start}{value}{LAST if _is_fixed_width(field) else BREAK}"
    # Every key of the value goes on behind it.
    if rest:
        return f"{start}{value}"
    less = _before(value)
    return None if less is None else f"{start}{less}"


def _is_fixed_width(field: Field) -> bool:
    if field.format.form in ("padded", "cut", "hash"):
        return True
    fixed = ("date", "hour", "day", "month", "year", "ulid", "uuid")
    return field.kind.is_time or field.kind.name in fixed


def _before(held: str) -> str | None:
    """A text above all texts that are less, of those without the last character."""
    if not held:
        return None
    kept, last = held[:-1], ord(held[-1])
    if last == 0:
        return kept
    less = last - 1
    if 0xD800 <= less <= 0xDFFF:
        less = 0xD7FF
    return f"{kept}{chr(less)}{LAST}"


def _padded_end(held: str, whole: int, decimals: int, limit: Limit) -> str | None:
    """The first padded number inside of a limit; none if there is none."""
    lower, is_strict = is_lower(limit), limit in _STRICT

    def join(digits: str | None) -> str | None:
        if digits is None or len(digits) < whole:
            return None
        return f"{digits[:whole]}.{digits[whole:]}" if decimals else digits[:whole]

    if held.startswith("-"):
        return join("0" * (whole + decimals)) if lower else None
    before, _, behind = held.partition(".")
    before = before.lstrip("0")
    if len(before) > whole:
        return None if lower else join("9" * (whole + decimals))
    is_cut = behind[decimals:].strip("0") != ""
    # The digits without the point: the greatest padded number that is not above.
    digits = before.zfill(whole) + behind[:decimals].ljust(decimals, "0")
    if lower and (is_strict or is_cut):
        return join(_changed(digits, 1))
    if not lower and is_strict and not is_cut:
        return join(_changed(digits, -1))
    return join(digits)


_OPPOSITE: dict[Limit, Limit] = {
    "atLeast": "atMost",
    "above": "below",
    "atMost": "atLeast",
    "below": "above",
}


def _signed_end(held: str, whole: int, decimals: int, limit: Limit) -> tuple[str, bool] | None:
    """As `_padded_end`, where negative numbers fit: the digits, and whether it is negative."""
    if held.startswith("-"):
        size = _padded_end(held[1:], whole, decimals, _OPPOSITE.get(limit, limit))
        return None if size is None else (size, True)
    size = _padded_end(held, whole, decimals, limit)
    if size is not None:
        return size, False
    # Only zero has no lesser number without a sign.
    size = _padded_end("0", whole, decimals, "above") if limit == "below" else None
    return None if size is None else (size, True)


def _changed(digits: str, by: int) -> str | None:
    """The digits of the number that is one more or one less; none beyond the last and the first."""
    changed = int(digits or "0") + by
    text_of = str(changed).zfill(len(digits))
    return text_of if changed >= 0 and len(text_of) == len(digits) else None
