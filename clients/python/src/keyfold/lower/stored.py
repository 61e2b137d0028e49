"""Attributes as they are stored in items: compressed as GZIP, long lists split over several
items."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from keyfold.errors import UnknownItem
from keyfold.keys.inverse import gives_back, inverse
from keyfold.keys.text import digest as text_digest
from keyfold.lower.read.question import printed_columns
from keyfold.plan.model import Copy, Entity
from keyfold.plan.template import KeyColumn
from keyfold.values.value import Item, Value, Values, decoded, encoded

_INFLATED_BYTES_MAX = 64 * 1024 * 1024
"""The most bytes that a compressed attribute may expand to."""
_INSIDE = "v"
"""The member that holds a compressed value in its JSON."""


Packed: TypeAlias = "dict[str, Value]"
"""Compressed values as they are stored, by the JSON inside of them. Each library compresses in its
own way: a value that has not changed keeps its bytes, and is no change of the item."""

Unreadable: TypeAlias = "dict[str, UnknownItem]"
"""The errors about attributes that are not stored as the model stores them, by their names."""


def parts_attribute(attribute: str) -> str:
    """The attribute that holds the number of items that a list is split over."""
    return f"{attribute}:parts"


def digest_attribute(attribute: str) -> str:
    """The attribute that holds the digest of a split list."""
    return f"{attribute}:digest"


def digest(held: Value) -> Value:
    """The digest of a list, which differs wherever the list does."""
    return {"S": text_digest(encoded(held))}


def is_as_written(entity: Entity, first: Item, values: Values) -> bool:
    """Whether a list that was joined from its parts has the stored digest."""
    if entity.split is None:
        return True
    name = entity.split[0]
    held = values.get(name)
    return first.get(digest_attribute(name)) == (None if held is None else digest(held))


def pack(entity: Entity, name: str, value: Value, stored: Packed | None = None) -> Value:
    """A value as it is stored: compressed, if the model says so."""
    if name not in entity.compressed:
        return value
    inside = encoded({_INSIDE: value})
    if stored is not None and inside in stored:
        return stored[inside]
    return {"B": gzip.compress(inside.encode(), mtime=0)}


def unpack(entity: Entity, name: str, value: Value, stored: Packed | None = None) -> Value:
    """The value that was stored by `pack`, which is added to `stored`."""
    if name not in entity.compressed:
        return value
    try:
        inflater = zlib.decompressobj(wbits=31)
        held = json.loads(inflater.decompress(value["B"], _INFLATED_BYTES_MAX))
        inside = decoded(held[_INSIDE])
    except (KeyError, TypeError, ValueError, StopIteration, zlib.error):
        message = f"{name} is stored, but not as the model compresses it"
        raise UnknownItem(message, attribute=name) from None
    if stored is not None:
        stored[encoded({_INSIDE: inside})] = value
    return inside


def chunks(entity: Entity, values: Values) -> list[Value | None]:
    """The chunks of the split list, in order; a single none where the entity has no list."""
    if entity.split is None:
        return [None]
    name, size = entity.split
    held = values.get(name)
    if held is None or not held.get("L"):
        return [held]
    elements = held["L"]
    step = max(size, 1)
    return [{"L": elements[at : at + step]} for at in range(0, len(elements), step)]


def _in_keys(entity: Entity, copy: Copy | None, item: Item, name: str) -> Value | None:
    """The value of an attribute that an item holds only inside its keys."""
    keys: list[Sequence[KeyColumn]] = [copy.key if copy else entity.key]
    if copy is None:
        keys.extend(index_key.key for index_key in entity.indexes)
    for column in (column for key in keys for column in key):
        if not gives_back(column.parts, name):
            continue
        made = item.get(column.attribute)
        values = None if made is None else inverse(column.parts, made)
        if values and name in values:
            return values[name]
    return None


def values_of(
    entity: Entity,
    copy: Copy | None,
    names: Iterable[str],
    items: Sequence[Item],
    packed: Packed | None = None,
    unreadable: Unreadable | None = None,
) -> Values:
    """The attributes of an entity or a copy from its stored items: the main one, then the parts.

    Compressed values are added to `packed`. An attribute that cannot be read is added to
    `unreadable`, or is an error without it.
    """
    values: Values = {}
    if not items:
        return values
    for name in names:
        try:
            held = _value_of(entity, copy, name, items, packed)
        except UnknownItem as wrong:
            named = _named(entity, copy, items[0], wrong)
            if unreadable is None:
                raise named from None
            unreadable[name] = named
            continue
        if held is not None:
            values[name] = held
    return values


def _value_of(
    entity: Entity, copy: Copy | None, name: str, items: Sequence[Item], packed: Packed | None
) -> Value | None:
    """One of the attributes that `values_of` returns."""
    if entity.split is not None and name == entity.split[0]:
        return _joined(entity, name, items, packed)
    stored = items[0].get(name)
    if stored is None:
        return _in_keys(entity, copy, items[0], name)
    return unpack(entity, name, stored, packed)


def _named(entity: Entity, copy: Copy | None, item: Item, wrong: UnknownItem) -> UnknownItem:
    """The error about an attribute with the entity and the key of its item."""
    kind = entity.name if copy is None else f"{entity.name}.{copy.name}"
    key = printed_columns(entity.table, item)
    why = "it was not written through the model, or by an earlier version of it"
    message = f"{kind} ({key}): {wrong.message}; {why}"
    return UnknownItem(message, entity=kind, key=key, attribute=wrong.attribute)


def without_list(entity: Entity, values: Values, unreadable: Unreadable, first: Item) -> None:
    """Takes the split list, whose parts are not those that the main item describes, out of the
    values."""
    if entity.split is None:
        return
    name = entity.split[0]
    values.pop(name, None)
    if name not in unreadable:
        message = f"{name} is stored, but its parts do not belong together"
        unreadable[name] = _named(entity, None, first, UnknownItem(message, attribute=name))


def _joined(
    entity: Entity, name: str, items: Sequence[Item], packed: Packed | None
) -> Value | None:
    """The list that several items hold."""
    elements: list[Value] | None = None
    for item in items:
        if name not in item:
            continue
        held = unpack(entity, name, item[name], packed)
        if "L" not in held:
            raise UnknownItem(f"{name} is stored, but is no list", attribute=name)
        elements = [*(elements or ()), *held["L"]]
    return None if elements is None else {"L": elements}
