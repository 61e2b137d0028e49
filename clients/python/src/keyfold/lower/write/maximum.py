"""Maxima that a parent keeps of an entity's items.

The maximum is read and set. When its item goes, the next one is searched. Every change of the items
increments a counter beside the maximum, and the write requires that the counter is as it was read:
the search never misses an item that another writer adds in the meantime.
"""

from __future__ import annotations

from dataclasses import dataclass

from keyfold.errors import NotFound
from keyfold.lower.derive import derive, kind_name, table_name
from keyfold.lower.expression import Add, Change, Changes, Equal, Exists, Missing, Set, Term
from keyfold.lower.read import request
from keyfold.lower.read.places import Places
from keyfold.lower.read.question import Question
from keyfold.lower.steps import Lowering
from keyfold.lower.stored import values_of
from keyfold.lower.unknown import require_kind
from keyfold.lower.write.contribution import AggregateChange, Target, no_parent_text
from keyfold.lower.write.refusal import at_entity
from keyfold.lower.write.step import Check, MaximumChange, Put, Step, Update
from keyfold.lower.write.stored_entity import get
from keyfold.plan.condition import Path
from keyfold.plan.model import Aggregate
from keyfold.values import number
from keyfold.values.typed import of_plain_text
from keyfold.values.value import Item, Value, order


def follow(change: AggregateChange, target: Target, steps: list[Step]) -> Lowering[None]:
    """Adds the step of the parent that keeps the maximum, or changes the step that it has."""
    attribute, place = change.aggregate.attribute, target.place
    own = steps[target.step] if target.step is not None else None
    if own is not None and isinstance(own.action, Put):
        _add_to_new_parent(change, own.action.item)
        return
    earlier = own.maxima.get(attribute) if own is not None else None
    parent = yield from get(place.table_name, place.key)
    if parent is None:
        if change.new is None:
            return
        error = NotFound(no_parent_text(change.parent, change.new.parent))
        label = f"max {change.parent.name}.{attribute}"
        raise at_entity(error, label, change.parent, change.new.parent)
    stored = parent.get(attribute)
    items = _changed_items(change, stored, earlier or MaximumChange())
    following = yield from _next_maximum(change, stored, items)
    _parent_update(change, target, parent, following).add_to(change, target, steps)
    for step in steps:
        if step.is_at(place.table_name, place.key):
            step.maxima[attribute] = items
            return


def _add_to_new_parent(change: AggregateChange, parent: Item) -> None:
    """Sets the maximum of a parent that the same write creates: all its items are in that write."""
    aggregate = change.aggregate
    held = parent.get(aggregate.attribute)
    if change.new is not None and (held is None or _is_greater(change.new.value, held)):
        parent[aggregate.attribute] = change.new.value
    parent[aggregate.changes] = {"N": "1"}
    items = parent.get(aggregate.items, {}).get("N", "0")
    parent[aggregate.items] = {"N": number.add(items, change.items_added)}


def _is_greater(one: Value, other: Value) -> bool:
    return (order(one, other) or 0) > 0


def _changed_items(
    change: AggregateChange, stored: Value | None, earlier: MaximumChange
) -> MaximumChange:
    """The changes of the write among the items of the maximum: `earlier` and this one."""
    items = MaximumChange(list(earlier.removed), list(earlier.added), earlier.lost_maximum)
    if change.old is not None and change.before is not None:
        own = derive(change.child, change.before, stored={})
        items.removed.extend(one.key for one in own)
        items.lost_maximum = items.lost_maximum or change.old.value == stored
    if change.new is not None:
        items.added.append(change.new.value)
    return items


def _next_maximum(
    change: AggregateChange, stored: Value | None, items: MaximumChange
) -> Lowering[Value | None]:
    """The maximum after the write; none when no item remains."""
    following = stored
    if items.lost_maximum:
        following = yield from _search(change, items.removed)
    for value in items.added:
        if following is None or _is_greater(value, following):
            following = value
    return following


def _search(change: AggregateChange, removed: list[Item]) -> Lowering[Value | None]:
    """The maximum of the stored items that this write does not change."""
    aggregate, child = change.aggregate, change.child
    # The item at hand links to the parent before the change if it was counted there, after the
    # change otherwise.
    linked = change.before if change.old is not None else change.after
    if aggregate.next is None or linked is None or aggregate.of is None:
        return None
    arguments = dict(linked)
    if aggregate.where is not None and aggregate.where[0] in child.attributes:
        name, text = aggregate.where
        arguments[name] = of_plain_text(name, child.attributes[name].kind, text)
    table = table_name(child, linked)
    copy = child.copies[aggregate.next_copy] if aggregate.next_copy else None
    question = Question(aggregate.next, arguments, name=child.table.name)
    # The first items may be removed ones, or parts of a list, which lack the attribute.
    limit = len(removed) + 1
    after: Item | None = None
    places = Places(question.name)
    while True:
        raw = yield from request.query(question, table, arguments, after, limit)
        for item in raw.items:
            if any(_has_key(item, key) for key in removed):
                continue
            found = values_of(child, copy, [aggregate.of], [item]).get(aggregate.of)
            if found is not None:
                kind = kind_name(child, copy)
                require_kind(f"a key of {kind} has", child.table, kind, item)
                return found
        after = raw.next
        places.check(after)
        if after is None:
            return None


def _has_key(item: Item, key: Item) -> bool:
    return all(item.get(name) == value for name, value in key.items())


@dataclass(frozen=True)
class _ParentUpdate:
    """The update of the parent's item."""

    changes: Changes
    removed: list[Path]
    conditions: list[Term]

    def add_to(self, change: AggregateChange, target: Target, steps: list[Step]) -> None:
        """Adds the update as a step, or to the step of the same item."""
        label = f"max {change.parent.name}.{change.aggregate.attribute}"
        if target.step is None:
            steps.append(
                Step(
                    label=label,
                    refusal="stale",
                    table=target.place.table_name,
                    key=target.place.key,
                    conditions=self.conditions,
                    action=Update(self.changes, self.removed),
                )
            )
            return
        step = steps[target.step]
        if isinstance(step.action, Update):
            self._merge_into(step.action, change.aggregate)
        elif isinstance(step.action, Check):
            step.action = Update(self.changes, self.removed)
            step.label = f"{step.label}, {label}"
        else:
            return
        step.conditions.extend(one for one in self.conditions if one not in step.conditions)
        # A failed condition of the step itself is judged again after the item has been read again.
        step.refusal = "stale"

    def _merge_into(self, action: Update, aggregate: Aggregate) -> None:
        for name, change in self.changes:
            action.removed = [one for one in action.removed if one[0] != name]
            _merge_change(action.changes, name, change, aggregate)
        for path in self.removed:
            action.changes = [one for one in action.changes if one[0] != path[0]]
            if path not in action.removed:
                action.removed.append(path)


def _parent_update(
    change: AggregateChange, target: Target, parent: Item, following: Value | None
) -> _ParentUpdate:
    """The update that sets the next maximum. It requires that the counter of changes is as it was
    read with the parent."""
    aggregate = change.aggregate
    changes: Changes = [
        (aggregate.changes, Add("1")),
        (aggregate.items, Add(change.items_added)),
    ]
    removed: list[Path] = []
    if following is None:
        removed.append((aggregate.attribute,))
    else:
        changes.append((aggregate.attribute, Set(following)))
    held = parent.get(aggregate.changes)
    as_read: Term = Missing(aggregate.changes) if held is None else Equal(aggregate.changes, held)
    return _ParentUpdate(changes, removed, [Exists(target.place.table.partition), as_read])


def _merge_change(known: Changes, name: str, change: Change, aggregate: Aggregate) -> None:
    """Adds a change in place of an earlier one of the same attribute. The number of items adds up;
    the counter of changes goes up once."""
    for at, (other, held) in enumerate(known):
        if other != name:
            continue
        if not isinstance(held, Add):
            known[at] = (name, change)
        elif isinstance(change, Add) and name != aggregate.changes:
            known[at] = (name, Add(number.add(held.number, change.number)))
        return
    known.append((name, change))
