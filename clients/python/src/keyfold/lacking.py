"""The error about an item without an attribute that it always has."""

from __future__ import annotations

from keyfold.errors import UnknownItem
from keyfold.item import Item
from keyfold.plan.model import Entity


def lacking(entity: Entity, item: Item, name: str) -> UnknownItem:
    """The error about an item that lacks an attribute."""
    held = ((name, item.get(name)) for name in entity.identity)
    key = ", ".join(f"{name} = {value}" for name, value in held if value is not None)
    return UnknownItem(
        f"{item.kind} ({key}) lacks {name}: it was not written through the model, or by an"
        " earlier version of it",
        entity=item.kind,
        key=key,
        attribute=name,
    )
