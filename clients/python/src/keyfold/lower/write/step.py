"""The steps of a write: one changed item each, with its action, its conditions and the refusal when
they fail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from keyfold.lower.derive import CopyRole, Derived, Guard, IdGuard, PartRole, Role
from keyfold.lower.expression import Changes, Missing, Placeholders, Term
from keyfold.lower.write.lacking import Unread
from keyfold.lower.write.refusal import ByItem, Reason, Refusal
from keyfold.plan.condition import Path
from keyfold.plan.model import Entity
from keyfold.values.value import Item, Value, Values


@dataclass
class Put:
    """Puts an item."""

    item: Item


@dataclass
class Update:
    """Changes and removes attributes."""

    changes: Changes
    removed: list[Path]


@dataclass
class Delete:
    """Deletes the item."""


@dataclass
class Check:
    """Checks the conditions, without a change."""


StepAction: TypeAlias = "Put | Update | Delete | Check"


@dataclass
class MaximumChange:
    """The changes of one write among the items of a maximum."""

    removed: list[Item] = field(default_factory=lambda: [])
    """The keys of changed and deleted items: the search for the next maximum skips them."""
    added: list[Value] = field(default_factory=lambda: [])
    """The values of the items after the write."""
    lost_maximum: bool = False
    """Whether one of the removed items held the maximum."""


@dataclass
class Step:
    """One action of a write."""

    label: str
    """The step for people: `put Order`."""
    refusal: Refusal
    table: str
    key: Item
    conditions: list[Term]
    action: StepAction
    maxima: dict[str, MaximumChange] = field(default_factory=lambda: {})
    """By attribute of a maximum that this item keeps: the changes of this write among its items."""

    def unless_stale(self, conditions: Sequence[Term]) -> Step:
        """The step under these conditions, which fail when another writer was faster."""
        self.conditions, self.refusal = list(conditions), "stale"
        return self

    def is_at(self, table: str, key: Item) -> bool:
        """Whether the step changes the item with this key."""
        return self.table == table and self.key == key

    def lower(self) -> tuple[str, dict[str, Any]]:
        """The step as an action of a transaction: its name and its members."""
        made = Placeholders()
        members: dict[str, Any] = {"TableName": self.table}
        if isinstance(self.action, Put):
            name, members["Item"] = "Put", self.action.item
        else:
            members["Key"] = self.key
            name = "Delete" if isinstance(self.action, Delete) else "ConditionCheck"
        if isinstance(self.action, Update):
            name = "Update"
            expression = made.changes(self.action.changes, self.action.removed)
            members["UpdateExpression"] = expression
        condition = made.terms(self.conditions)
        if condition is not None:
            members["ConditionExpression"] = condition
        members.update(made.members())
        if isinstance(self.refusal, ByItem):
            # The error then shows whether the item is stored.
            members["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        return name, members


def put(entity: Entity, derived: Derived) -> Step:
    """Puts an item, whether one exists or not."""
    label = f"put {_described(entity, derived.role)}"
    return Step(label, "none", derived.table, derived.key, [], Put(dict(derived.item)))


def put_new(entity: Entity, derived: Derived, refusal: Refusal) -> Step:
    """Puts an item that must not exist."""
    step = put(entity, derived)
    step.conditions, step.refusal = [Missing(entity.table.partition)], refusal
    return step


def delete(entity: Entity, derived: Derived) -> Step:
    """Deletes an item."""
    label = f"delete {_described(entity, derived.role)}"
    return Step(label, "none", derived.table, derived.key, [], Delete())


def _described(entity: Entity, role: Role) -> str:
    if isinstance(role, PartRole):
        return f"part {role.number} of {entity.name}"
    if isinstance(role, CopyRole):
        return f"{entity.name}.{role.name}"
    if isinstance(role, Guard):
        return f"the guard of {', '.join(role.attributes)}"
    if isinstance(role, IdGuard):
        return f"the guard of {', '.join(entity.id)}"
    return entity.name


@dataclass
class EntityChange:
    """The change of an entity; one side is none when it is created or deleted."""

    entity: Entity
    before: Values | None
    after: Values | None


@dataclass
class RemainingItems:
    """The items that one aggregate of a deleted entity counts. The write must delete them too."""

    table: str
    key: Item
    counter: str
    """The attribute that holds the number of items."""
    items: str
    reason: Reason
    """The refusal, about the deleted entity."""
    judged: bool = False
    """Whether a condition of the deletion is judged on the counter."""


@dataclass
class Draft:
    """A write that is being composed. Aggregates follow once all of its steps are known."""

    steps: list[Step] = field(default_factory=lambda: [])
    changes: list[EntityChange] = field(default_factory=lambda: [])
    remaining: list[RemainingItems] = field(default_factory=lambda: [])
    unread: list[Unread] = field(default_factory=lambda: [])
    """The updates of items that are not read before."""
