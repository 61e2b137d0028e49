"""Index keys that another program left in an item: the item lacks an attribute of the key, so that
the model makes none of its attributes, and yet it has some of the key's attributes."""

from __future__ import annotations

from keyfold.errors import Refused
from keyfold.lower.derive import columns_made
from keyfold.lower.write.refusal import key_text
from keyfold.lower.write.stored_entity import StoredEntity
from keyfold.plan.model import Entity, IndexKey
from keyfold.values.value import Item, Values


def left_behind(
    entity: Entity, old: StoredEntity, new: Values, made: Item, *, is_whole: bool
) -> list[str]:
    """The attributes of index keys that go with the change to the new values, which make the new
    item, `made`."""
    left: list[str] = []
    for key in entity.indexes:
        columns = [
            name
            for name in key.index.columns
            if name in old.item
            and name not in made
            and name not in entity.attributes
            and name not in entity.table.columns
        ]
        if not columns or any(
            columns_made(entity.table, key, values) for values in (old.values, new)
        ):
            continue
        if not is_whole and not _is_changed(key, old.values, new):
            continue
        for name in key.fields:
            attribute = entity.attributes.get(name)
            if name not in new and not (attribute and attribute.optional):
                item = f"the {entity.name} with {key_text(entity, old.values)}"
                raise Refused(
                    f"{item} has no `{name}`, of which its key in {key.index.name} is made: give"
                    f" `{name}`, too; `keyfold verify` finds such items"
                )
        left.extend(columns)
    return left


def _is_changed(key: IndexKey, old: Values, new: Values) -> bool:
    deciding = [key.sparse.attribute] if key.sparse else []
    return any(old.get(name) != new.get(name) for name in (*key.fields, *deciding))
