"""Items that are of no kind that they can be: no kind has their key, or they say another one.

A write stores the name of the kind in the table's attribute of types. An item that holds another
name is none of the kind, whatever its key is. One that holds none says nothing: another program
wrote it, or the attribute was not read. Its key decides. An item of a kind is unknown, too, where
it lacks an attribute that each has.
"""

from __future__ import annotations

from collections.abc import Iterable

from keyfold.errors import UnknownItem
from keyfold.lower.read.question import printed, printed_columns
from keyfold.plan.model import Entity, Table
from keyfold.values.value import Item, Values


def says_kind(table: Table, kind: str, item: Item) -> bool:
    """Whether an item holds the name of a kind in its table's attribute of types, or none."""
    attribute = table.type_attribute
    said = item.get(attribute) if attribute else None
    return said is None or said.get("S") == kind


def require_kind(found: str, table: Table, kind: str, item: Item) -> None:
    """Refuses an item that was found by a key of a kind and says another one. `found` begins the
    sentence."""
    if not says_kind(table, kind, item):
        raise unknown_item(found, table, item)


def unknown_item(found: str, table: Table, item: Item) -> UnknownItem:
    """The error about an item that is of no kind that it can be. `found` begins the sentence."""
    key = printed_columns(table, item)
    attribute = table.type_attribute or ""
    said = f"; {printed(attribute, ' = ', item[attribute])}" if attribute in item else ""
    return UnknownItem(
        f"{found} an item that the model does not know ({key}{said}): it was not written through"
        " the model, or by an earlier version of it",
        key=key,
    )


def require(
    found: str,
    entity: Entity,
    kind: str,
    names: Iterable[str],
    item: Item,
    values: Values,
    *,
    place: str = "which is neither stored nor in a key",
) -> None:
    """Refuses an item without an attribute that every item of its kind has, and a row of a view
    whose sum is no number. `found` begins the sentence, and `kind` is the name in it."""
    key = printed_columns(entity.table, item)
    for name in names:
        exact = item.get(f"{name}:exact", {}).get("S") if entity.view else None
        if exact is not None:
            of_sum = f"{name}, the sum of its items, is {exact}, which is no number of DynamoDB"
            message = f"{found} an item of {kind} ({key}): {of_sum}"
        elif name not in values and entity.always_has(name):
            by_view = "`keyfold verify` says why" if entity.view else None
            why = by_view or "it was not written through the model, or by an earlier version of it"
            message = f"{found} an item of {kind} without `{name}`, {place} ({key}): {why}"
        else:
            continue
        raise UnknownItem(message, entity=kind, key=key, attribute=name)
