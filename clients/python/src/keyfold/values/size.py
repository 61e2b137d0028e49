"""Sizes in bytes as DynamoDB counts them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from keyfold.values.value import Item


def size_of_item(item: Item) -> int:
    """The size of an item: names and values of all attributes."""
    return sum(len(name.encode()) + _size(value) for name, value in item.items())


def _size(value: dict[str, Any]) -> int:
    ((tag, held),) = value.items()
    if tag == "S":
        return len(held.encode())
    if tag == "N":
        return _number(held)
    if tag == "B":
        return len(held)
    if tag == "L":
        return 3 + sum(_size(one) + 1 for one in held)
    if tag == "M":
        return 3 + sum(len(name.encode()) + _size(one) + 1 for name, one in held.items())
    if tag == "SS":
        return sum(len(one.encode()) for one in held)
    if tag == "NS":
        return sum(_number(one) for one in held)
    if tag == "BS":
        return sum(len(one) for one in held)
    return 1


def _number(text: str) -> int:
    """One byte, one for each two digits before the point, one for each two behind it, and one for a
    sign."""
    sign, digits, exponent = Decimal(text).as_tuple()
    kept = "".join(map(str, digits)).lstrip("0")
    short = kept.rstrip("0")
    if not short or not isinstance(exponent, int):
        return 1
    fraction = min(len(short), max(0, -(exponent + len(kept) - len(short))))
    return 1 + -(-(len(short) - fraction) // 2) + -(-fraction // 2) + sign
