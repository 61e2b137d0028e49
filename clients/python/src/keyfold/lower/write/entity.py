"""The steps of one entity: its creation, its change from old to new attributes, its deletion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from keyfold.errors import Invalid, Refused
from keyfold.lower.derive import Derived, Guard, IdGuard, Main, derive, guard_key, place_of
from keyfold.lower.expression import Equal, Exists, Missing, Term
from keyfold.lower.stored import digest_attribute
from keyfold.lower.write import moved
from keyfold.lower.write.left_behind import left_behind
from keyfold.lower.write.main_item import MainItem
from keyfold.lower.write.refusal import Reason, Refusal, key_text, occupied, taken
from keyfold.lower.write.step import (
    Check,
    Draft,
    EntityChange,
    RemainingItems,
    Step,
    put,
    put_new,
)
from keyfold.lower.write.step import delete as delete_step
from keyfold.lower.write.stored_entity import StoredEntity
from keyfold.plan.model import Aggregate, Entity
from keyfold.values import number
from keyfold.values.value import Values


def create(entity: Entity, values: Values, exists: Refusal, draft: Draft) -> None:
    """Adds the puts of all items that follow from the values.

    `exists` is the refusal when the main item, or one with its `id`, exists.
    """
    main = occupied(entity, values) if entity.id and exists == "stale" else exists
    for one in derive(entity, values):
        if isinstance(one.role, Main):
            draft.steps.append(put_new(entity, one, main))
        elif isinstance(one.role, IdGuard):
            draft.steps.append(put_new(entity, one, exists))
        elif isinstance(one.role, Guard):
            refusal = taken(entity, one.role.attributes, values)
            draft.steps.append(put_new(entity, one, refusal))
        else:
            draft.steps.append(put(entity, one))
    draft.changes.append(EntityChange(entity, None, values))


def put_over(
    entity: Entity,
    values: Values,
    old: StoredEntity | None,
    watched: Sequence[str],
    draft: Draft,
) -> None:
    """Adds the steps that put a whole entity over what was read: nothing, or the stored entity,
    whose `watched` attributes must still be as they were read."""
    if old is None:
        create(entity, values, "stale", draft)
        return
    new = old.with_kept(entity, values)
    replace(Replacement(entity, old, new, None, watched=watched), draft)


def delete(entity: Entity, old: StoredEntity, watched: Sequence[str], draft: Draft) -> None:
    """Adds the deletion of everything that follows from an entity."""
    old.require_kind(entity)
    old.require_readable(lambda name: name in entity.deciding)
    for aggregate in entity.aggregates:
        for one in _remaining_items(entity, old, aggregate):
            one.judged = one.counter in watched
            draft.remaining.append(one)
    counters = [aggregate.items for aggregate in entity.aggregates]
    conditions = unchanged(entity, old, [*watched, *counters, *_identity(entity, old)])
    steps = [delete_step(entity, one) for one in old.derived(entity)]
    steps[0].unless_stale(conditions)
    draft.steps.extend(steps)
    if old.lacks_guard:
        draft.steps.append(_guard_is_absent(entity, old))
    draft.changes.append(EntityChange(entity, old.values, None))


def _identity(entity: Entity, old: StoredEntity) -> Sequence[str]:
    """The attributes by which an item without a guard is told from others."""
    return entity.id if old.lacks_guard else ()


def _guard_is_absent(entity: Entity, old: StoredEntity) -> Step:
    """The check that another writer has not made the guard of an item that lacks it."""
    key = guard_key(entity, entity.uniques[0], old.values)
    label = f"check the guard of {', '.join(entity.id)}"
    conditions: list[Term] = [Missing(entity.table.partition)]
    return Step(label, "stale", entity.table.name, key, conditions, Check())


def _remaining_items(
    entity: Entity, old: StoredEntity, aggregate: Aggregate
) -> list[RemainingItems]:
    """The items that an aggregate of a deleted entity counts. The entity cannot be deleted while
    there are any, except those that the same write deletes."""
    items = old.item.get(aggregate.items, {}).get("N")
    if items is None:
        return []
    key = key_text(entity, old.values)
    place = place_of(entity, old.values)
    message = f"the {entity.name} with {key} still has {aggregate.entity} items; delete them first"
    reason = Reason(Refused(message), entity, old.values)
    return [RemainingItems(place.table_name, place.key, aggregate.items, items, reason)]


def unchanged(entity: Entity, old: StoredEntity, watched: Sequence[str]) -> list[Term]:
    """The conditions that everything a write rests on is as it was read."""
    split = entity.split[0] if entity.split else None
    # A split list is compared by its digest.
    names = {
        digest_attribute(name) if name == split else name for name in (*entity.followed, *watched)
    }
    terms: list[Term] = [Exists(entity.table.partition)]
    for name in sorted(names):
        held = old.item.get(name)
        terms.append(Missing(name) if held is None else Equal(name, held))
    return terms


@dataclass(frozen=True)
class Replacement:
    """The change of an entity from its old to its new attributes."""

    entity: Entity
    old: StoredEntity
    new: Values
    given: Sequence[str] | None
    """The attributes that the caller gives; none for all."""
    watched: Sequence[str] = ()
    """Attributes that must still be as they were read."""
    is_part: bool = False
    """Whether other actions may happen together with it: then the entity must be as it was read
    even where nothing differs."""

    def with_next_version(self) -> Values:
        """The new values with the next version: it counts writes, also those that change nothing
        else."""
        version = self.entity.version
        if version is None:
            return self.new
        held = self.old.values.get(version, {}).get("N")
        following = "1"
        if held is not None:
            try:
                following = number.add(held, "1")
            except number.NumberError:
                pass
        return {**self.new, version: {"N": following}}


def replace(replacement: Replacement, draft: Draft) -> None:
    """Adds the steps that move an entity from its old to its new attributes. When nothing differs,
    also no version, it adds none, or a check in a write of several actions."""
    entity, old, given = replacement.entity, replacement.old, replacement.given
    old.require_kind(entity)
    old.require_readable(
        lambda name: name in entity.deciding or (given is not None and name not in given)
    )
    new = replacement.with_next_version()
    before = old.derived(entity)
    try:
        after = derive(entity, new, old.packed)
    except Invalid as error:
        raise old.explained(entity, given, error) from None
    is_moved = before[0].key != after[0].key or before[0].table != after[0].table
    if is_moved and not entity.id:
        raise Invalid(
            f"the key of {entity.name} cannot change; delete it and put it again", of=entity.name
        )
    left = left_behind(entity, old, new, after[0].item, is_whole=given is None)
    if is_moved:
        conditions = unchanged(entity, old, moved.watched(entity, old))
        draft.steps.extend(moved.steps(entity, old, (before[0], after[0]), conditions, left))
        _replace_followers(entity, before[1:], after[1:], new, draft)
        draft.changes.append(EntityChange(entity, old.values, new))
        return
    is_same = before == after
    watched = [*replacement.watched, *([entity.version] if entity.version else [])]
    if given is not None and is_same:
        watched.extend(given)
    watched.extend(_identity(entity, old))
    conditions = unchanged(entity, old, watched)
    main = MainItem(entity, old.item, before[0], after[0], given, left).step(conditions)
    if main is None and is_same and not replacement.is_part:
        return
    if main is None:
        # Copies or guards differ. They rest on the entity being as it was read.
        place = after[0]
        label = f"check {entity.name}"
        main = Step(label, "stale", place.table, place.key, conditions, Check())
    draft.steps.append(main)
    _replace_followers(entity, before[1:], after[1:], new, draft)
    draft.changes.append(EntityChange(entity, old.values, new))


def _replace_followers(
    entity: Entity,
    before: Sequence[Derived],
    after: Sequence[Derived],
    new: Values,
    draft: Draft,
) -> None:
    """Deletes the items that no longer follow, and puts those that are new or differ."""
    for gone in before:
        if not _has(after, gone):
            draft.steps.append(delete_step(entity, gone))
    for one in after:
        if one in before:
            continue
        if isinstance(one.role, Guard) and not _has(before, one):
            refusal = taken(entity, one.role.attributes, new)
            draft.steps.append(put_new(entity, one, refusal))
        elif isinstance(one.role, IdGuard):
            draft.steps.append(moved.guard(entity, before, one))
        else:
            draft.steps.append(put(entity, one))


def _has(all_of: Sequence[Derived], one: Derived) -> bool:
    return any(other.key == one.key for other in all_of)
