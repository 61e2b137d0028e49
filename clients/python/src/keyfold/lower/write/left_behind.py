"""Index keys that another program left in an item: the item is not in the index, so that the model
makes none of the key's attributes, and yet it has some of them. Each write of the item takes them
out. A write that reads nothing knows the key of the item only: it takes out those of the sparse
indexes for which an attribute of the key decides."""

from __future__ import annotations

from collections.abc import Sequence

from keyfold.errors import Refused
from keyfold.keys.inverse import gives_back
from keyfold.lower.derive import columns_made, is_in
from keyfold.lower.write.refusal import key_text
from keyfold.lower.write.stored_entity import StoredEntity
from keyfold.plan.condition import Path
from keyfold.plan.model import Entity, IndexKey
from keyfold.values.value import Item, Values


def left_behind(
    entity: Entity, old: StoredEntity, new: Values, made: Item, *, is_whole: bool
) -> list[str]:
    """The attributes of index keys that go with the change to the new values, which make the new
    item, `made`. A key of which a required attribute is absent stays: whether the item is in the
    index is not known. So does one that holds what the model cannot read, and nothing of which
    changes: it may be the only place of a value."""
    left: list[str] = []
    kept: list[str] = []
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
        missing = _unknown(entity, key, new)
        stays = not (is_whole or _is_changed(key, old.values, new))
        if stays and (missing is not None or _is_unread(key, old)):
            kept.extend(columns)
        elif missing is None:
            left.extend(columns)
        else:
            item = f"the {entity.name} with {key_text(entity, old.values)}"
            raise Refused(
                f"{item} has no `{missing}`, of which its key in {key.index.name} is made: give"
                f" `{missing}`, too; `keyfold verify` finds such items"
            )
    # Indexes share columns: what one of them keeps, the other does not take out.
    return [name for name in left if name not in kept]


def with_outside(entity: Entity, values: Values, known: Sequence[Path]) -> list[Path]:
    """The keys of the sparse indexes that an item is not in, as its own key says, whose attributes
    are among the values. An update that reads nothing, and removes what is known, removes them,
    too."""
    outside = [key for key in entity.indexes if _is_outside(entity, key, values)]
    others = [key for key in entity.indexes if key not in outside]
    own = {*entity.table.columns, *entity.attributes, *_columns(others)}
    removed = list(known)
    for name in _columns(outside):
        if name not in own and (name,) not in removed:
            removed.append((name,))
    return removed


def _columns(keys: Sequence[IndexKey]) -> list[str]:
    return [one.attribute for key in keys for one in key.key]


def _is_outside(entity: Entity, key: IndexKey, values: Values) -> bool:
    sparse = key.sparse
    if sparse is None or is_in(key, values):
        return False
    return any(gives_back(column.parts, sparse.attribute) for column in entity.key)


def _unknown(entity: Entity, key: IndexKey, values: Values) -> str | None:
    """The required attribute that an item lacks, so that it is not known whether it is in an index.
    An absent optional attribute leaves no doubt, nor does another value of the one that decides
    about a sparse index."""
    if _is_decided(key, values):
        return None
    absent = [name for name in _names(key) if name not in values]
    if any(name in entity.attributes and entity.attributes[name].optional for name in absent):
        return None
    return absent[0] if absent else None


def _is_decided(key: IndexKey, values: Values) -> bool:
    """Whether the attribute of a sparse index says that an item is not in it."""
    return key.sparse is not None and key.sparse.attribute in values and not is_in(key, values)


def _is_unread(key: IndexKey, old: StoredEntity) -> bool:
    """Whether an item has attributes of a key from which the model reads no value, although they
    would give it back."""
    absent = [name for name in key.fields if name not in old.values]
    held = [one for one in key.key if one.attribute in old.item]
    return not _is_decided(key, old.values) and any(
        gives_back(one.parts, name) for one in held for name in absent
    )


def _is_changed(key: IndexKey, old: Values, new: Values) -> bool:
    return any(old.get(name) != new.get(name) for name in _names(key))


def _names(key: IndexKey) -> list[str]:
    """The attributes of which the key of an index is made, and the one that puts an item into a
    sparse index."""
    return [*key.fields, *([key.sparse.attribute] if key.sparse else [])]
