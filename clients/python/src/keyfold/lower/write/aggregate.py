"""Aggregates follow the items of a write: counts, sums and maxima that a parent keeps of an
entity's items change in the same transaction."""

from __future__ import annotations

from keyfold.errors import NotFound, Refused
from keyfold.lower.derive import Place, place_of
from keyfold.lower.expression import Add, Changes, Exists, Set
from keyfold.lower.steps import Lowering
from keyfold.lower.write import maximum
from keyfold.lower.write.contribution import (
    AggregateChange,
    Contribution,
    Target,
    contribution_of,
    no_parent_text,
)
from keyfold.lower.write.refusal import Reason, Refusal, at_item, at_reason
from keyfold.lower.write.step import Check, Delete, Draft, EntityChange, Put, Step, Update
from keyfold.lower.write.stored_entity import get
from keyfold.plan.model import Model
from keyfold.values import number


def with_aggregates(model: Model, draft: Draft) -> Lowering[list[Step]]:
    """All steps of a write: those of its items, and those of the aggregates that follow them."""
    yield from add_aggregates(model, draft)
    return draft.steps


def add_aggregates(model: Model, draft: Draft) -> Lowering[None]:
    """Adds the steps of the aggregates that follow the changes so far."""
    changes, draft.changes = draft.changes, []
    for change in changes:
        yield from _follow(model, change, draft)
    remaining, draft.remaining = draft.remaining, []
    for one in remaining:
        if one.items != "0":
            deleted = (step.label for step in draft.steps if step.is_at(one.table, one.key))
            label = next(deleted, "delete")
            raise at_reason(one.reason, label, one.table, one.key)


def _follow(model: Model, change: EntityChange, draft: Draft) -> Lowering[None]:
    """Adds the steps of the aggregates that follow the change of one entity."""
    for parent, aggregate in model.aggregates_of(change.entity):
        old = contribution_of(aggregate, change.before)
        new = contribution_of(aggregate, change.after)
        pairs: list[tuple[Contribution | None, Contribution | None]]
        if old is not None and new is not None and old.parent == new.parent:
            pairs = [(old, new)] if old.value != new.value else []
        else:
            pairs = [(old, None), (None, new)]
        for lost, gained in pairs:
            of_parent = AggregateChange(
                parent, aggregate, change.entity, change.before, change.after, lost, gained
            )
            yield from _apply(of_parent, draft)


def _apply(change: AggregateChange, draft: Draft) -> Lowering[None]:
    """Adds the step of one parent, or changes the step that the parent has already."""
    contribution = change.old or change.new
    if contribution is None:
        return
    place = place_of(change.parent, contribution.parent)
    found = (at for at, step in enumerate(draft.steps) if step.is_at(place.table_name, place.key))
    at = next(found, None)
    if at is not None and isinstance(draft.steps[at].action, Delete):
        _subtract_remaining(change, place, draft.steps[at].label, draft)
        return
    target = Target(place, at)
    if change.aggregate.kind == "max":
        yield from maximum.follow(change, target, draft.steps)
    else:
        yield from _add(change, target, draft.steps)


def _subtract_remaining(change: AggregateChange, place: Place, label: str, draft: Draft) -> None:
    """Subtracts an item that is deleted together with its parent from the remaining items."""
    added = change.items_added
    if added == "1":
        error = f"`{label}` in the same write: {change.aggregate.attribute} cannot follow"
        raise at_item(Refused(error), label, place.table_name, place.key)
    for one in draft.remaining:
        is_of_parent = one.table == place.table_name and one.key == place.key
        if is_of_parent and one.counter == change.aggregate.items:
            one.items = number.add(one.items, added)
            return


def _add(change: AggregateChange, target: Target, steps: list[Step]) -> Lowering[None]:
    """Adds the difference to a count or a sum."""
    aggregate, place = change.aggregate, target.place
    added = [(aggregate.attribute, _difference(change))]
    if aggregate.kind == "sum":
        added.append((aggregate.items, change.items_added))
    label = f"{aggregate.kind} {change.parent.name}.{aggregate.attribute}"
    if target.step is not None:
        step = steps[target.step]
        if isinstance(step.action, Check):
            step.label = f"{step.label}, {label}"
        for attribute, difference in added:
            _add_to_step(step, attribute, difference)
        return
    refusal: Refusal = "stale"
    if change.new is not None:
        error = NotFound(no_parent_text(change.parent, change.new.parent))
        refusal = Reason(error, change.parent, change.new.parent)
    # The parent may be deleted before the items that it counts.
    elif (yield from get(place.table_name, place.key)) is None:
        return
    changes: Changes = [(name, Add(difference)) for name, difference in added]
    steps.append(
        Step(
            label=label,
            refusal=refusal,
            table=place.table_name,
            key=place.key,
            conditions=[Exists(place.table.partition)],
            action=Update(changes, []),
        )
    )


def _difference(change: AggregateChange) -> str:
    """The new contribution minus the old one."""
    new, old = (
        one.value.get("N", "0") if one is not None else "0" for one in (change.new, change.old)
    )
    try:
        return number.subtract(new, old)
    except number.NumberError as error:
        name = f"{change.parent.name}.{change.aggregate.attribute}"
        raise Refused(f"{name} would leave DynamoDB's numbers: {error}") from None


def _sum(attribute: str, held: str, difference: str) -> str:
    try:
        return number.add(held, difference)
    except number.NumberError as error:
        raise Refused(f"{attribute} would leave DynamoDB's numbers: {error}") from None


def _add_to_step(step: Step, attribute: str, difference: str) -> None:
    """Adds to a number that another step of the same write sets or changes."""
    action = step.action
    if isinstance(action, Put):
        held = action.item.get(attribute, {}).get("N", "0")
        action.item[attribute] = {"N": _sum(attribute, held, difference)}
    elif isinstance(action, Check):
        step.action = Update([(attribute, Add(difference))], [])
    elif isinstance(action, Update):
        for at, (name, change) in enumerate(action.changes):
            if name != attribute:
                continue
            if isinstance(change, Add):
                action.changes[at] = (name, Add(_sum(attribute, change.number, difference)))
                return
            if isinstance(change, Set) and "N" in change.value:
                held = _sum(attribute, change.value["N"], difference)
                action.changes[at] = (name, Set({"N": held}))
                return
            break
        action.changes.append((attribute, Add(difference)))
