"""The types of what a service answers, by its own description of its API.

A JSON `null` is an absent member, and members that are not known are skipped, as in the service's
SDKs. A shape is read once into a function, which checks a JSON value and returns it as botocore
does: with bytes for base64, and without what is absent.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Any, cast

from keyfold.values import number
from keyfold.values.value import bytes_of

_SHORT = re.compile(r"-?[0-9]{1,19}(?:\.[0-9]{1,18})?").fullmatch
"""Most numbers: none of these is out of DynamoDB's range."""
Read = Callable[[Any], Any]
"""Reads a JSON value. Raises `ValueError` for one of another shape."""


def reader(shape: Any) -> Read:
    """What reads values of a shape of botocore's description."""
    name = str(shape.name)
    if name == "AttributeValue":
        return _value
    if shape.type_name == "structure":
        members = {member: reader(one) for member, one in shape.members.items()}
        if name == "WriteRequest":
            return partial(_one_of, name, members)
        return partial(_structure, name, members, shape.required_members)
    if shape.type_name == "list":
        return partial(_list, name, reader(shape.member))
    if shape.type_name == "map" and shape.value.name == "AttributeValue":
        return partial(_item, name)
    if shape.type_name == "map":
        return partial(_map, name, reader(shape.value))
    return partial(_SCALARS.get(shape.type_name, _text), name)


def _structure(
    name: str, members: Mapping[str, Read], needed: list[str], held: Any
) -> dict[str, Any]:
    read: dict[str, Any] = {}
    for member, one in _object(name, held).items():
        known = members.get(member)
        if known is not None and one is not None:
            read[member] = known(one)
    if needed and not all(member in read for member in needed):
        raise ValueError(f"{name} lacks {', '.join(needed)}")
    return read


def _one_of(name: str, members: Mapping[str, Read], held: Any) -> dict[str, Any]:
    """A request of a batch, which is one of its members."""
    read = _structure(name, members, [], held)
    if len(read) != 1:
        raise ValueError(f"{name} has {len(read)} members of which it has one")
    return read


def _object(name: str, held: Any) -> dict[str, Any]:
    entries: dict[str, Any] = held
    if type(held) is not dict:
        raise ValueError(f"{name} is no object")
    return entries


def _list(name: str, element: Read, held: Any) -> list[Any]:
    elements: list[Any] = held
    if type(held) is not list:
        raise ValueError(f"{name} is no list")
    return [element(one) for one in elements]


def _set(name: str, element: Read, held: Any) -> list[Any]:
    """A set has an element, and each one once."""
    elements = _list(name, element, held)
    if not 0 < len(elements) == len(set(elements)):
        raise ValueError(f"{name} is no set")
    return elements


def _map(name: str, element: Read, held: Any) -> dict[str, Any]:
    return {key: element(one) for key, one in _object(name, held).items()}


def _text(name: str, held: Any) -> str:
    if type(held) is not str:
        raise ValueError(f"{name} is no text")
    return held


def _number(name: str, held: Any) -> float:
    if type(held) not in (int, float) or not math.isfinite(held):
        raise ValueError(f"{name} is no number")
    return cast(float, held)


def _whole(name: str, held: Any) -> float:
    """A count."""
    count = _number(name, held)
    if count < 0 or count % 1:
        raise ValueError(f"{name} is no count")
    return count


def _moment(name: str, held: Any) -> Any:
    """A moment: the seconds since 1970, its text, or what a client has read of them."""
    return held if isinstance(held, (str, datetime)) else _number(name, held)


def _bool(name: str, held: Any) -> bool:
    if type(held) is not bool:
        raise ValueError(f"{name} is no boolean")
    return held


_SCALARS: dict[str, Callable[[str, Any], Any]] = {
    "boolean": _bool,
    "double": _number,
    "float": _number,
    "integer": _whole,
    "long": _number,
    "timestamp": _moment,
}
"""What reads values without parts; others are texts."""


def _item(name: str, held: Any) -> dict[str, Any]:
    """An item, whose values are replaced in place: most of them are texts."""
    item = cast("dict[str, dict[str, Any]]", _object(name, held))
    for attribute, value in item.items():
        if type(value) is dict and len(value) == 1 and type(value.get("S")) is str:
            continue
        item[attribute] = _value(value)
    return item


def _value(held: Any) -> dict[str, Any]:
    """A value of an item, of one type."""
    entries: dict[str, Any] = held
    if type(held) is dict:
        if len(entries) == 1:
            for tag, one in entries.items():
                known = _TYPES.get(tag)
                if known is not None:
                    read = known(one)
                    return entries if read is one else {tag: read}
        else:
            known_tags = {
                tag: one for tag, one in entries.items() if one is not None and tag in _TYPES
            }
            if len(known_tags) == 1:
                return _value(known_tags)
    raise ValueError("AttributeValue is no value")


def _digits(held: Any) -> str:
    text = _text("N", held)
    # What is no number raises a `ValueError`, too.
    if not _SHORT(text):
        number.of_text(text)
    return text


def _bytes(held: Any) -> bytes:
    """Bytes, or their text."""
    return held if type(held) is bytes else bytes_of(_text("B", held))


def _null(held: Any) -> bool:
    if held is not True:
        raise ValueError("NULL is not true")
    return True


_TYPES: dict[str, Read] = {
    "S": partial(_text, "S"),
    "N": _digits,
    "B": _bytes,
    "BOOL": partial(_bool, "BOOL"),
    "NULL": _null,
    "L": partial(_list, "L", _value),
    "M": partial(_item, "M"),
    "SS": partial(_set, "SS", partial(_text, "SS")),
    "NS": partial(_set, "NS", _digits),
    "BS": partial(_set, "BS", _bytes),
}
"""What reads the content of a value, by the descriptor of its type."""
