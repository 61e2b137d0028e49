"""Which actions the engine carries out by itself, without a read before them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from keyfold.plan import condition as plan
from keyfold.plan.condition import Attribute
from keyfold.plan.model import Action, Assignment, Entity, Fate


def without(action: Action, absent: Sequence[str]) -> Action:
    """The action without assignments and comparisons that use one of these parameters, which are
    not given: their attributes stay as they are."""
    if not absent:
        return action

    def kept(all_of: Sequence[Assignment]) -> tuple[Assignment, ...]:
        return tuple(one for one in all_of if not any(name in absent for name in one.parameters()))

    conditions = (plan.without(one, absent) for one in action.conditions)
    return replace(
        action,
        assignments=kept(action.assignments),
        otherwise=kept(action.otherwise),
        conditions=tuple(one for one in conditions if one is not None),
    )


def used_parameters(action: Action) -> set[str]:
    """The parameters that an action's assignments and conditions use."""
    assigned = (*action.assignments, *action.otherwise)
    names = {name for one in assigned for name in one.parameters()}
    return names.union(name for one in action.conditions for name in plan.parameters(one))


def upsert_plan(action: Action, absent: Sequence[str]) -> dict[str, Fate] | None:
    """What an upsert as one update does to each stored attribute; none where the item is read
    first.

    `action` has all of its assignments, `absent` are the optional parameters that are not given.
    """
    choice = frozenset(used_parameters(action).intersection(absent))
    return next((fates for without_, fates in action.upserts if without_ == choice), None)


def is_direct_put(action: Action) -> bool:
    """Whether a put needs no read before it."""
    return action.entity.alone and _engine_judges(action)


def is_direct_check(action: Action) -> bool:
    """Whether a check needs no read before it."""
    return not action.entity.id and _engine_judges(action)


def is_direct_update(action: Action) -> bool:
    """Whether an update is one expression that the engine evaluates."""
    entity = action.entity
    touched = [one.attribute for one in action.assignments]
    touched += [
        *(path[0] for path in action.removed),
        *([entity.version] if entity.version else []),
    ]
    is_plain = all(name not in entity.followed and entity.stores_plainly(name) for name in touched)
    is_simple = all(_is_simple(entity, one) for one in action.assignments)
    return not entity.id and is_plain and is_simple and _engine_judges(action)


def _engine_judges(action: Action) -> bool:
    """Whether the engine can judge the conditions of an action: it sees attributes as they are
    stored, and the item of a maximum may change in the same write."""
    entity = action.entity
    if not action.conditions:
        return True
    names = (name for one in action.conditions for name in plan.attributes(one))
    return not entity.keeps_maximum and all(entity.stores_plainly(name) for name in names)


def _is_simple(entity: Entity, assignment: Assignment) -> bool:
    """Whether the engine can carry out an assignment: it copies stored attributes, adds and
    subtracts numbers, and adds one given element to the list or set itself."""
    names = [one.name for one in assignment.operands() if isinstance(one, Attribute)]
    attribute, path = assignment.attribute, assignment.path
    if not all(entity.stores_plainly(name) for name in names):
        return False
    if assignment.fields and not entity.stores_plainly(attribute):
        return False
    kind = entity.kind_at(path)
    if assignment.right is None or kind is None or kind.name not in ("list", "set"):
        return True
    # ADD and DELETE take a whole attribute only.
    if kind.name == "set" and assignment.fields:
        return False
    left = assignment.left
    changes_itself = isinstance(left, Attribute) and left.path == path
    return changes_itself and not isinstance(assignment.right, Attribute)
