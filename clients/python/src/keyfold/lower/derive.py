"""The items that are stored for one entity: its main item, the parts of its list, its copies, and
the guards of its unique values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from keyfold.errors import Invalid, UnknownItem
from keyfold.keys.periods import in_name, is_period_in_name, period_of
from keyfold.keys.text import CHUNK, column, lower, text
from keyfold.lower import lengths
from keyfold.lower.bound import all_hold, missing_argument
from keyfold.lower.stored import Packed, chunks, digest, digest_attribute, pack, parts_attribute
from keyfold.plan.model import Copy, Entity, IndexKey, Table, Unique
from keyfold.plan.template import KeyColumn, Unit
from keyfold.values import times
from keyfold.values.value import Item, Value, Values, display


@dataclass(frozen=True)
class Main:
    """The main item: the entity itself, or the first part of it."""


@dataclass(frozen=True)
class PartRole:
    """Another part of its list, by number from 1."""

    number: int


@dataclass(frozen=True)
class CopyRole:
    """A copy, by name."""

    name: str


@dataclass(frozen=True)
class Guard:
    """The guard of unique attributes."""

    attributes: tuple[str, ...]


@dataclass(frozen=True)
class IdGuard:
    """The guard of the `id`, which holds where the main item lies."""


Role: TypeAlias = "Main | PartRole | CopyRole | Guard | IdGuard"
"""The role of an item."""


@dataclass(frozen=True)
class Derived:
    """One item that follows from an entity's attributes."""

    role: Role
    table: str
    key: Item
    item: Item
    """All of its attributes, key included."""


@dataclass(frozen=True)
class Place:
    """The place of an entity's main item."""

    table: Table
    table_name: str
    key: Item


def physical_name(table: Table, period: str) -> str:
    """The name of the table of a period."""
    return f"{table.name}_{in_name(period)}"


def is_of_period(table: Table, name: str) -> bool:
    """Whether a physical table is one of a period of a table."""
    start = f"{table.name}_"
    return (
        table.period is not None
        and name.startswith(start)
        and is_period_in_name(table.period, name[len(start) :])
    )


def table_name(entity: Entity, values: Values) -> str:
    """The name of the table that an item is stored in."""
    if entity.table.period is None or entity.period_attribute is None:
        return entity.table.name
    return name_in_period(entity.table, entity.table.period, entity.period_attribute, values)


def name_in_period(table: Table, unit: Unit, attribute: str, values: Values) -> str:
    """The name of the table of the period that an attribute's time lies in."""
    held = values.get(attribute, {}).get("S")
    if held is None:
        raise missing_argument("the table's name", attribute)
    return physical_name(table, period_of(unit, held))


def make_key(of: str, columns: Sequence[KeyColumn], values: Values) -> Item:
    """The key that templates make of values, for an item of this name."""
    key: Item = {}
    for one, part in zip(columns, ("partition", "sort")):
        held = column(one.parts, values)
        lengths.check(of, part, (one.attribute, one.parts), held)
        key[one.attribute] = held
    return key


def main_key(entity: Entity, values: Values) -> Item:
    """The key of an entity's main item."""
    return make_key(entity.name, entity.key, values)


def place_of(entity: Entity, values: Values) -> Place:
    """The place of the entity with these key attributes."""
    return Place(entity.table, table_name(entity, values), main_key(entity, values))


def identifying_place(entity: Entity, values: Values) -> Place:
    """The place by which an item is told from others: that of its main item, or of the guard of its
    `id` where the main item moves."""
    unique = entity.id_guard
    if unique is None:
        return place_of(entity, values)
    key = guard_key(entity, unique, values)
    return Place(entity.table, table_name(entity, values), key)


def derive(
    entity: Entity,
    values: Values,
    packed: Packed | None = None,
    stored: Item | None = None,
) -> list[Derived]:
    """All items that follow from an entity's attributes, the main item first.

    Compressed values that are in `packed` stay as they are stored. Index keys that cannot be made
    of the attributes of a `stored` item are as it holds them: another program wrote it.
    """
    name = table_name(entity, values)
    all_chunks = chunks(entity, values)
    key, item = _main(entity, values, all_chunks, packed, stored)
    all_of = [Derived(Main(), name, key, item)]
    for at, chunk in enumerate(all_chunks[1:], 1):
        key, item = _part(entity, values, at, chunk, packed)
        all_of.append(Derived(PartRole(at), name, key, item))
    for copy in entity.copies.values():
        if all_hold(copy.when, values):
            all_of.append(_copy(name, entity, copy, values, packed))
    for unique in entity.uniques:
        if all(attribute in values for attribute in unique.attributes):
            all_of.append(_guard(name, entity, unique, values))
    return all_of


def kind_name(entity: Entity, copy: Copy | None) -> str:
    """The name of a kind of items: the entity, or `Entity.copy`."""
    return entity.name if copy is None else f"{entity.name}.{copy.name}"


def _copy(name: str, entity: Entity, copy: Copy, values: Values, packed: Packed | None) -> Derived:
    kind = kind_name(entity, copy)
    key = make_key(kind, copy.key, values)
    item = dict(key)
    for attribute in copy.attributes:
        if attribute in values and attribute not in copy.left_out:
            item[attribute] = pack(entity, attribute, values[attribute], packed)
    lengths.check_indexes(entity, kind, copy.key, (), item)
    _add_table_attributes(entity, values, kind, item)
    return Derived(CopyRole(copy.name), name, key, item)


def guard_key(entity: Entity, unique: Unique, values: Values) -> Item:
    """The key of the guard of unique attributes."""
    table = entity.table
    compared = dict(values)
    for attribute in unique.lower:
        plain = compared[attribute].get("S")
        if plain is not None:
            compared[attribute] = {"S": lower(plain)}
    held: Value = {"S": text(unique.key, compared)}
    of = f"the guard of {', '.join(unique.attributes)} of {entity.name}"
    lengths.check(of, "partition", (table.partition, unique.key), held)
    key: Item = {table.partition: held}
    if table.sort is not None:
        key[table.sort] = {"S": unique.sort}
    return key


def held_place(entity: Entity, identity: Values, guard: Item) -> Values:
    """The key attributes of an item that the guard of its `id` holds, beside the `id` itself."""
    values = dict(identity)
    for attribute, name in entity.uniques[0].holds:
        if name not in guard:
            raise UnknownItem(
                f"the guard of this {entity.name} lacks `{attribute}` of its key: it was not"
                " written through the model, or by an earlier version of it"
            )
        values[attribute] = guard[name]
    return values


def _guard(name: str, entity: Entity, unique: Unique, values: Values) -> Derived:
    key = guard_key(entity, unique, values)
    item = dict(key)
    item.update({own: values[held] for held, own in unique.holds if held in values})
    _add_table_attributes(entity, values, "unique", item)
    role = IdGuard() if unique is entity.id_guard else Guard(unique.attributes)
    return Derived(role, name, key, item)


def _add_table_attributes(entity: Entity, values: Values, kind: str, item: Item) -> None:
    """Adds the attributes that the table defines for all items: the kind, and the expiry."""
    table = entity.table
    if table.type_attribute is not None:
        item[table.type_attribute] = {"S": kind}
    held = values.get(entity.ttl, {}).get("S") if entity.ttl else None
    expires = None if held is None else times.epoch_seconds(held)
    if table.ttl_attribute is not None and expires is not None:
        item[table.ttl_attribute] = {"N": str(expires)}


def _part(
    entity: Entity, values: Values, at: int, chunk: Value | None, packed: Packed | None
) -> tuple[Item, Item]:
    key = make_key(entity.name, entity.key, {**values, CHUNK: {"N": str(at)}})
    item = dict(key)
    if entity.split is not None and chunk is not None:
        name = entity.split[0]
        item[name] = pack(entity, name, chunk, packed)
    _add_table_attributes(entity, values, f"{entity.name}.part", item)
    return key, item


def _main(
    entity: Entity,
    values: Values,
    all_chunks: list[Value | None],
    packed: Packed | None,
    stored: Item | None,
) -> tuple[Item, Item]:
    key = make_key(entity.name, entity.key, values)
    item = dict(key)
    split = entity.split[0] if entity.split else None
    for name in entity.attributes:
        if name == split:
            first = all_chunks[0]
            if first is not None:
                item[name] = pack(entity, name, first, packed)
                item[parts_attribute(name)] = {"N": str(len(all_chunks))}
                item[digest_attribute(name)] = digest(values.get(name, first))
        elif name in values and name not in entity.left_out:
            item[name] = pack(entity, name, values[name], packed)
    for index_key in entity.indexes:
        item.update(_index_attributes(entity.table, index_key, values, stored))
    if stored is None:
        lengths.check_indexes(entity, entity.name, entity.key, entity.indexes, item)
    _add_table_attributes(entity, values, entity.name, item)
    return key, item


def columns_made(table: Table, index_key: IndexKey, values: Values) -> list[KeyColumn]:
    """The columns of an index key that make attributes of these values, without those of the
    table's own key; none when the item is not in the index."""
    if not all(name in values for name in index_key.fields) or not is_in(index_key, values):
        return []
    return [one for one in index_key.key if one.attribute not in table.columns]


def _index_attributes(
    table: Table, index_key: IndexKey, values: Values, stored: Item | None
) -> Item:
    """The attributes that an index key makes; where they cannot be made, those that the stored item
    holds."""
    columns = columns_made(table, index_key, values)
    try:
        return {one.attribute: column(one.parts, values) for one in columns}
    except Invalid:
        if stored is None:
            raise
        return {one.attribute: stored[one.attribute] for one in columns if one.attribute in stored}


def is_in(index_key: IndexKey, values: Values) -> bool:
    sparse = index_key.sparse
    if sparse is None:
        return True
    held = values.get(sparse.attribute)
    return held is not None and (sparse.value is None or display(held) == sparse.value)
