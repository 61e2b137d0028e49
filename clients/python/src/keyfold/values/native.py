"""Stored values as values of Python."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from keyfold.errors import UnknownItem
from keyfold.plan.kind import Kind, Record
from keyfold.values import times
from keyfold.values.typed import is_stored_text
from keyfold.values.value import Value, shown, tag

_TAGS = {
    "int": "N",
    "number": "N",
    "bool": "BOOL",
    "binary": "B",
    "list": "L",
    "map": "M",
    "record": "M",
}


def native(name: str, kind: Kind, value: Value) -> Any:
    """The value of Python: see `keyfold.values.typed`. A set is a `frozenset`.

    Raises `UnknownItem` when the stored value is none of the type.
    """
    if kind.name == "string" and "S" in value:
        return value["S"]
    if kind.name == "set":
        return _set(name, kind, value)
    held = value.get(_TAGS.get(kind.name, "S"))
    if held is None:
        raise _wrong(name, kind, value)
    if kind.is_number:
        return _number(name, kind, value)
    if kind.name == "list":
        of = kind.element
        return [native(f"{name}[{at}]", of, one) for at, one in enumerate(held)]
    if kind.name == "map":
        of = kind.element
        return {key: native(f"{name}.{key}", of, one) for key, one in held.items()}
    if kind.record is not None:
        return _record(name, kind.record, held)
    if kind.is_text:
        return _text(name, kind, value)
    return bytes(held) if kind.name == "binary" else held


def _text(name: str, kind: Kind, value: Value) -> Any:
    """The value of a text that has a form: a time, an identifier, a word."""
    held: str = value["S"]
    made: Any = held
    if kind.name == "date":
        made = times.to_date(held)
    elif kind.is_time and kind.name != "time.ns":
        made = times.to_datetime(kind.name, held)
    elif not is_stored_text(kind, held):
        made = None
    if made is None:
        raise _wrong(name, kind, value)
    return made


def _record(name: str, record: Record, held: dict[str, Value]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for field, own in record.fields.items():
        if field in held:
            made[field] = native(f"{name}.{field}", own.kind, held[field])
        elif not own.optional:
            path = f"{name}.{field}"
            raise UnknownItem(
                f"{path} is missing, a field of its record: it was not written through the model,"
                " or by an earlier version of it",
                attribute=path,
            )
    return made


def _number(name: str, kind: Kind, value: Value) -> int | Decimal:
    number = Decimal(value["N"])
    if kind.name == "number":
        return number
    whole = int(number)
    if whole != number:
        raise _wrong(name, kind, value)
    return whole


def _set(name: str, kind: Kind, value: Value) -> frozenset[Any]:
    of = kind.element
    descriptor = "S" if of.is_text else "N" if of.is_number else "B"
    held = value.get(f"{descriptor}S")
    if held is None:
        raise _wrong(name, kind, value)
    return frozenset(native(f"{name}[]", of, {descriptor: one}) for one in held)


def _wrong(name: str, kind: Kind, value: Value) -> UnknownItem:
    return UnknownItem(
        f"{name} is stored as {tag(value)}, {shown(value)}, which is no {kind}:"
        " it was not written through the model, or by an earlier version of it",
        attribute=name,
    )
