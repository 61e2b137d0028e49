"""The contributions of items to an aggregate of another entity, before and after a change."""

from __future__ import annotations

from dataclasses import dataclass

from keyfold.lower.derive import Place
from keyfold.plan.model import Aggregate, Entity
from keyfold.values.value import Value, Values, display, shown


@dataclass(frozen=True)
class Contribution:
    """The contribution of an item to an aggregate."""

    parent: Values
    """The key attributes of the parent, which keeps the aggregate."""
    value: Value
    """The number that is added, or the value that may be the greatest."""


def contribution_of(aggregate: Aggregate, values: Values | None) -> Contribution | None:
    """The contribution of an item with these values; none when it is not in the aggregate."""
    if values is None:
        return None
    if aggregate.where is not None:
        attribute, wanted = aggregate.where
        held = values.get(attribute)
        if held is None or display(held) != wanted:
            return None
    value = values.get(aggregate.of) if aggregate.of else {"N": "1"}
    if value is None or not all(other in values for _, other in aggregate.link):
        return None
    return Contribution({own: values[other] for own, other in aggregate.link}, value)


@dataclass(frozen=True)
class AggregateChange:
    """The change of one aggregate of one parent, which follows from the change of one item."""

    parent: Entity
    """The entity that keeps the aggregate."""
    aggregate: Aggregate
    child: Entity
    """The entity of the item that changes."""
    before: Values | None
    """The attributes of the item before the change."""
    after: Values | None
    old: Contribution | None
    """The contribution that this parent loses."""
    new: Contribution | None

    @property
    def items_added(self) -> str:
        """The difference in the number of items: -1, 0 or 1."""
        return str(int(self.new is not None) - int(self.old is not None))


@dataclass(frozen=True)
class Target:
    """The item that keeps an aggregate."""

    place: Place
    step: int | None
    """The index of the step of the same write that changes this item."""


def no_parent_text(parent: Entity, key: Values) -> str:
    """The sentence about a parent that does not exist."""
    held = ", ".join(f"{name} = {shown(value)}" for name, value in sorted(key.items()))
    return f"there is no {parent.name} with {held}"
