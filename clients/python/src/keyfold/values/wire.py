"""Values that a program gives in the form of DynamoDB's JSON, such as those of a stream record."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NoReturn, cast

from keyfold.values import number
from keyfold.values.value import Item, Value, bytes_of, shown_text

_DEPTH_MAX = 64
"""The deepest nesting that is read; the service's own limit is far below."""


class WireError(ValueError):
    """Something is no value of DynamoDB's JSON. The message is where it stands."""


def item_of(given: object) -> Item:
    """An item in canonical form: binary values are bytes, also where base64 is given."""
    return _members("", given, 0)


def _members(path: str, given: object, depth: int) -> Item:
    if not isinstance(given, Mapping):
        _refuse(path)
    entries = cast("Mapping[object, object]", given)
    held: Item = {}
    for name, one in entries.items():
        if not isinstance(name, str):
            _refuse(path)
        held[name] = _value(f"{path}.{name}" if path else name, one, depth)
    return held


def _value(path: str, given: object, depth: int) -> Value:
    """A value: an object with one type. What is null, or of no type that is known, is not there."""
    if not isinstance(given, Mapping) or depth >= _DEPTH_MAX:
        _refuse(path)
    entries = cast("Mapping[str, object]", given)
    found = [tag for tag in _TYPES if entries.get(tag) is not None]
    if len(found) != 1:
        _refuse(path)
    (tag,) = found
    return {tag: _TYPES[tag](path, entries[tag], depth)}


def _text(path: str, given: object, _depth: int = 0) -> str:
    if not isinstance(given, str):
        _refuse(path)
    try:
        given.encode()
    except UnicodeEncodeError:
        _refuse(path)
    return given


def _number(path: str, given: object, _depth: int = 0) -> str:
    try:
        return number.of_text(_text(path, given))
    except number.NumberError:
        _refuse(path)


def _bytes(path: str, given: object, _depth: int = 0) -> bytes:
    if isinstance(given, (bytes, bytearray, memoryview)):
        return bytes(cast("bytes", given))
    try:
        return bytes_of(_text(path, given))
    except ValueError:
        _refuse(path)


def _bool(path: str, given: object, _depth: int) -> bool:
    if not isinstance(given, bool):
        _refuse(path)
    return given


def _null(path: str, given: object, _depth: int) -> bool:
    if given is not True:
        _refuse(path)
    return True


def _list(path: str, given: object, depth: int) -> list[Value]:
    return [
        _value(f"{path}[{at}]", one, depth + 1) for at, one in enumerate(_elements(path, given))
    ]


def _elements(path: str, given: object) -> Sequence[object]:
    if not isinstance(given, (list, tuple)):
        _refuse(path)
    return cast("Sequence[object]", given)


def _set(
    one_of: Callable[[str, object], Any], key: Callable[[Any], Any] | None = None
) -> Callable[[str, object, int], list[Any]]:
    def read(path: str, given: object, _depth: int) -> list[Any]:
        # boto3's resources give sets, readers of streams lists.
        held = list(cast("set[object]", given)) if isinstance(given, (set, frozenset)) else given
        members = sorted((one_of(path, one) for one in _elements(path, held)), key=key)
        if not members or len(set(members)) < len(members):
            _refuse(path)
        return members

    return read


_TYPES: dict[str, Callable[[str, Any, int], Any]] = {
    "S": _text,
    "N": _number,
    "B": _bytes,
    "BOOL": _bool,
    "NULL": _null,
    "L": _list,
    "M": lambda path, given, depth: _members(path, given, depth + 1),
    "SS": _set(_text),
    "NS": _set(_number, Decimal),
    "BS": _set(_bytes),
}
"""What reads the content of a value, by the descriptor of its type."""


def _refuse(path: str) -> NoReturn:
    raise WireError(shown_text(path))
