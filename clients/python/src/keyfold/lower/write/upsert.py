"""Changes of an entity by a named write's assignments: of one that was read, or that may not
exist."""

from __future__ import annotations

from collections.abc import Sequence

from keyfold.lower.complete import Made, complete
from keyfold.lower.steps import Lowering, Origin
from keyfold.lower.write import blind, entity, stored_entity
from keyfold.lower.write.assignment import apply, remove
from keyfold.lower.write.conditions import require, terms, unfulfilled
from keyfold.lower.write.inputs import Inputs
from keyfold.lower.write.step import Draft
from keyfold.lower.write.stored_entity import StoredEntity
from keyfold.plan.condition import Attribute
from keyfold.plan.model import Action, Fate
from keyfold.values.value import Values


def add(
    origin: Origin,
    action: Action,
    fates: dict[str, Fate] | None,
    inputs: Inputs,
    draft: Draft,
) -> Lowering[list[Made]]:
    """Adds the steps of an upsert: one update where that has the outcome of both, a change or a
    creation of what was read otherwise. Returns what was made for a new item."""
    if fates is not None:
        # Whether a new item takes what is made here is not known.
        new = _new_values(origin, action, inputs, [])
        step = blind.upsert(action, inputs.arguments, new, fates)
        if step is not None:
            step.conditions = terms(action.conditions, inputs.arguments)
            step.refusal = unfulfilled(action, inputs)
            draft.steps.append(step)
            return []
    old = yield from stored_entity.read(action.entity, inputs.own)
    if old is not None:
        change_stored(action, inputs, old, draft)
        return []
    require(action, inputs, None)
    made: list[Made] = []
    new = _new_values(origin, action, inputs, made)
    entity.create(action.entity, new, "stale", draft)
    return made


def _new_values(origin: Origin, action: Action, inputs: Inputs, made: list[Made]) -> Values:
    """The attributes of a new item: its parameters, what stands behind `else`, assignments that
    need no stored item, and defaults."""
    otherwise = {one.attribute for one in action.otherwise}
    assigned = [one for one in action.assignments if one.attribute not in otherwise]
    said = otherwise.union(one.attribute for one in action.assignments)
    values: Values = {}
    for name, value in inputs.own.items():
        found = action.entity.attributes.get(name)
        # An optional attribute that the upsert does not name is no parameter of it.
        if found is None or (found.optional and found.default is None) or name in said:
            continue
        values[name] = value
    for one in (*assigned, *action.otherwise):
        apply(action.entity, one, inputs.arguments, {}, values)
    return complete(origin, action.entity, values, made)


def _is_taken(action: Action, name: str) -> bool:
    """Whether an action takes the old value of an attribute, or changes a part of it."""
    for one in action.assignments:
        if one.fields and one.attribute == name:
            return True
        if any(isinstance(own, Attribute) and own.name == name for own in one.operands()):
            return True
    return any(len(path) > 1 and path[0] == name for path in action.removed)


def change_stored(action: Action, inputs: Inputs, old: StoredEntity, draft: Draft) -> None:
    """Adds the steps that change an entity that was read."""
    watched = [*require(action, inputs, old), *inputs.lent]
    old.require_readable(lambda name: name in inputs.lent or _is_taken(action, name))
    new = dict(old.values)
    for one in action.assignments:
        apply(action.entity, one, inputs.arguments, old.values, new)
        # The whole of it is written.
        if one.fields:
            watched.append(one.attribute)
        watched.extend(own.name for own in one.operands() if isinstance(own, Attribute))
    for path in action.removed:
        remove(action.entity, path, new)
        if len(path) > 1:
            watched.append(path[0])
    replacement = entity.Replacement(
        action.entity,
        old,
        new,
        given=_written_attributes(action),
        watched=watched,
        is_part=True,
    )
    entity.replace(replacement, draft)


def _written_attributes(action: Action) -> Sequence[str]:
    """The attributes that an action assigns or removes."""
    return [*(one.attribute for one in action.assignments), *(path[0] for path in action.removed)]
