"""An item that moves: its key is made of attributes that change. It is deleted where it was and put
where it belongs, in one transaction with the guard of its `id`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from keyfold.errors import Refused
from keyfold.lower.derive import Derived
from keyfold.lower.expression import Equal, Missing, Term
from keyfold.lower.write.refusal import Reason, key_text
from keyfold.lower.write.step import Step, delete, put, put_new
from keyfold.lower.write.stored_entity import StoredEntity
from keyfold.plan.model import Entity


def watched(entity: Entity, old: StoredEntity) -> list[str]:
    """The attributes that must be as they were read: all of them, since the new item is made of
    them."""
    return [name for name in (*entity.attributes, *old.item) if name not in entity.table.columns]


def steps(
    entity: Entity,
    old: StoredEntity,
    mains: tuple[Derived, Derived],
    conditions: Sequence[Term],
    left: Sequence[str],
) -> list[Step]:
    """The steps that move a main item from one key to another, if it is as the conditions say."""
    before, after = mains
    key = key_text(entity, old.values)
    error = Refused(
        f"the {entity.name} with {key} cannot move: an item that was not written through the model"
        " is in its place"
    )
    occupied = Reason(error, entity, old.values)
    moved = _with_others(entity, old, before, after)
    for name in left:
        moved.item.pop(name, None)
    return [
        delete(entity, before).unless_stale(conditions),
        put_new(entity, moved, occupied),
    ]


def _with_others(entity: Entity, old: StoredEntity, before: Derived, after: Derived) -> Derived:
    """The moved item, with the attributes of the stored one that the model does not name."""
    others = {
        name: value
        for name, value in old.item.items()
        if name not in entity.attributes and name not in before.item and name not in after.item
    }
    return replace(after, item={**after.item, **others})


def guard(entity: Entity, all_before: Sequence[Derived], after: Derived) -> Step:
    """The step that makes the guard of an `id` say the new place. It must say the old one until
    then, or be absent where the item has none."""
    step = put(entity, after)
    before = next((one for one in all_before if one.key == after.key), None)
    if before is None:
        return step.unless_stale([Missing(entity.table.partition)])
    said = sorted(name for _, name in entity.uniques[0].holds if name in before.item)
    return step.unless_stale([Equal(name, before.item[name]) for name in said])
