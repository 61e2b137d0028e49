"""Stored values, in the form of DynamoDB's JSON: `{"S": "open"}`, with bytes for binary.

A value of this package is canonical: numbers have one text, sets are sorted. Equal values are then
equal dictionaries.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, TypeAlias, cast

from keyfold.values import number

Value: TypeAlias = "dict[str, Any]"
"""One value: a dictionary with its type's descriptor and its content."""
Values: TypeAlias = "dict[str, Value]"
"""Values by the name of their attribute or parameter."""
Item: TypeAlias = "dict[str, Value]"
"""An item or a key: values by the name of the stored attribute."""

_SHOWN_MAX = 120


def text(held: str) -> Value:
    """A text."""
    return {"S": held}


def whole(held: int) -> Value:
    """A whole number."""
    return {"N": str(held)}


def at_path(values: Values, path: Sequence[str]) -> Value | None:
    """The value of an attribute, or of a field inside it; none where anything on the way is
    missing."""
    held = values.get(path[0])
    for name in path[1:]:
        if held is None or "M" not in held:
            return None
        held = held["M"].get(name)
    return held


def tag(value: Value) -> str:
    """The descriptor of a value's type: `S`."""
    return next(iter(value))


def canonical(value: Value) -> Value:
    """The canonical form of a value that a service sent."""
    if "S" in value:
        return value
    kind = tag(value)
    held = value[kind]
    if kind == "N":
        text = number.of_text(held)
        return value if text == held else {kind: text}
    if kind == "L":
        return {kind: [canonical(one) for one in held]}
    if kind == "M":
        return {kind: {name: canonical(one) for name, one in held.items()}}
    if kind == "NS":
        return {kind: sorted((number.of_text(one) for one in held), key=Decimal)}
    if kind in ("SS", "BS"):
        return {kind: sorted(held)}
    return value


def canonical_item(item: Item) -> Item:
    """The canonical form of an item that a service sent."""
    return {name: canonical(value) for name, value in item.items()}


def set_of(kind: str, members: list[Any]) -> Value | None:
    """A set of distinct members; none when it is empty or has a member twice."""
    ordered = sorted(members, key=Decimal if kind == "NS" else None)
    if not ordered or any(one == other for one, other in zip(ordered, ordered[1:])):
        return None
    return {kind: ordered}


def order(one: Value, other: Value) -> int | None:
    """-1, 0 or 1: the order of two texts, numbers or binary values; none for other types."""
    kind = tag(one)
    if kind != tag(other) or kind not in ("S", "N", "B"):
        return None
    left, right = one[kind], other[kind]
    if kind == "N":
        left, right = Decimal(left), Decimal(right)
    return int(left > right) - int(left < right)


def display(value: Value) -> str:
    """The text of a value as people read and type it."""
    kind = tag(value)
    held = value[kind]
    if kind in ("S", "N"):
        return cast(str, held)
    if kind == "BOOL":
        return "true" if held else "false"
    if kind == "NULL":
        return "null"
    if kind == "B":
        return f"{len(held)} bytes"
    if kind == "L":
        return "[" + ", ".join(display(one) for one in held) + "]"
    if kind == "M":
        entries = (f"{name}: {display(one)}" for name, one in sorted(held.items()))
        return "{" + ", ".join(entries) + "}"
    if kind == "BS":
        return f"<{len(held)} binary values>"
    return "<" + ", ".join(held) + ">"


def shown(value: Value) -> str:
    """A value in a message."""
    return shown_text(display(value))


def shown_text(held: str) -> str:
    """A text in a message: cut where it is long, and without characters that break the line
    and half ones."""
    out = "".join(_escaped(sign) if _is_hidden(sign) else sign for sign in held[:_SHOWN_MAX])
    return out + "…" if len(held) > _SHOWN_MAX else out


def shown_given(held: object) -> str:
    """A value that a program gives in a message, whatever it is."""
    if isinstance(held, str):
        return shown_text(str.__str__(held))
    if isinstance(held, int) and not isinstance(held, bool):
        # Python refuses to print an `int` of many digits.
        return shown_text(str(Decimal(held)))
    try:
        return shown_text(repr(held))
    except Exception:
        return f"a value of {type(held).__name__}, which cannot be shown"


_HIDDEN = (
    ("\u200b", "\u200f"),
    ("\u2028", "\u202e"),
    ("\u2066", "\u2069"),
    ("\ud800", "\udfff"),
    ("\ufeff", "\ufeff"),
)


def _is_hidden(sign: str) -> bool:
    is_control = sign < " " or "\x7f" <= sign <= "\x9f"
    return is_control or any(low <= sign <= high for low, high in _HIDDEN)


def _escaped(sign: str) -> str:
    return {"\t": "\\t", "\r": "\\r", "\n": "\\n"}.get(sign, f"\\u{{{ord(sign):x}}}")


def is_for_system(held: str) -> bool:
    """Whether a text can be given to the system, as a path is."""
    try:
        return b"\0" not in os.fsencode(held)
    except UnicodeEncodeError:
        return False


def _base64(held: object) -> str:
    if isinstance(held, (bytes, bytearray)):
        return base64.b64encode(held).decode("ascii")
    raise TypeError(f"{type(held).__name__} is no value of an item")


def encoded(value: object) -> str:
    """DynamoDB's JSON of a value or an item, without blanks, with the names of maps in order."""
    separators = (",", ":")
    return json.dumps(
        value, ensure_ascii=False, separators=separators, sort_keys=True, default=_base64
    )


def bytes_of(text: str) -> bytes:
    """The bytes of base64 as DynamoDB has it. Raises a `ValueError` for another text."""
    if text.startswith("="):
        # Python 3.10 takes it for no bytes.
        raise ValueError("padding without bytes")
    return base64.b64decode(text, validate=True)


def decoded(value: Value) -> Value:
    """A value of DynamoDB's JSON, in which binary values are base64, in canonical form."""
    return canonical(_with_bytes(value))


def decoded_item(item: Item) -> Item:
    """An item of DynamoDB's JSON, as `decoded`."""
    return {name: decoded(value) for name, value in item.items()}


def _with_bytes(value: Value) -> Value:
    kind = tag(value)
    held = value[kind]
    if kind == "B" and isinstance(held, str):
        return {kind: base64.b64decode(held)}
    if kind == "BS":
        return {kind: [base64.b64decode(one) if isinstance(one, str) else one for one in held]}
    if kind == "L":
        return {kind: [_with_bytes(one) for one in held]}
    if kind == "M":
        return {kind: {name: _with_bytes(one) for name, one in held.items()}}
    return value
