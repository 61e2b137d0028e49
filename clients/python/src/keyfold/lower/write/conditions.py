"""The conditions of a named write's actions: judged by the engine, or on an entity that was
read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from keyfold.errors import NotFound, Refused
from keyfold.lower.bound import bind, holds
from keyfold.lower.expression import Term
from keyfold.lower.write.inputs import Inputs
from keyfold.lower.write.refusal import ByItem, Reason, Refusal, at_entity, key_text, not_found_text
from keyfold.lower.write.step import Step
from keyfold.lower.write.stored_entity import StoredEntity
from keyfold.plan import condition as plan
from keyfold.plan.condition import Condition, conjunction
from keyfold.plan.model import Action, Entity
from keyfold.values.value import Values, shown


def require(action: Action, inputs: Inputs, old: StoredEntity | None) -> list[str]:
    """Judges the conditions of an action on an entity that was read; an entity that does not exist
    has no attributes. Returns the attributes that they rest on."""
    held = old.values if old is not None else {}
    watched = [name for one in action.conditions for name in plan.attributes(one)]
    if old is not None:
        if action.verb == "check" or watched or inputs.lent:
            old.require_kind(action.entity)
        old.require_readable(lambda name: name in watched)
    for condition in action.conditions:
        if not holds(bind(condition, inputs.arguments), held):
            found: Found = "absent" if old is None else "stored"
            refusal = _refused(action, [condition], inputs, found)
            raise at_entity(refusal.error, action.name, action.entity, inputs.own)
    return watched


Found: TypeAlias = Literal["stored", "absent"]
"""What is known of the item whose conditions do not hold."""


def unfulfilled(action: Action, inputs: Inputs) -> Refusal:
    """The refusal of an action whose conditions do not hold, where the engine judges them."""
    # Where a missing item fulfils them, the item is stored.
    fits_new = all(holds(bind(one, inputs.arguments), {}) for one in action.conditions)
    stored = _refused(action, action.conditions, inputs, "stored")
    if fits_new:
        return stored
    return ByItem(_refused(action, action.conditions, inputs, "absent"), stored)


def _refused(
    action: Action, conditions: Sequence[Condition], inputs: Inputs, found: Found
) -> Reason:
    entity = action.entity
    key = key_text(entity, inputs.own)
    absent = not_found_text(entity, inputs.own)
    item = {
        "stored": f"the {entity.name} with {key}",
        "absent": f"{absent}, and a new one",
    }[found]
    shown_conditions = _show(conditions, inputs.arguments)
    message = f"{action.name}: {item} does not meet the condition {shown_conditions}"
    return Reason(Refused(message, conditions=shown_conditions), entity, inputs.own)


def _show(conditions: Sequence[Condition], arguments: Values) -> str:
    """Conditions as they are written, with the values of their parameters."""
    written = conjunction(conditions)
    names = dict.fromkeys(name for one in conditions for name in plan.parameters(one))
    given = [f"{name} = {shown(arguments[name])}" for name in names if name in arguments]
    return f"{written} ({', '.join(given)})" if given else written


def terms(conditions: Sequence[Condition], arguments: Values) -> list[Term]:
    """The conditions as the engine judges them."""
    return [bind(one, arguments) for one in conditions]


def add_conditions(step: Step, action: Action, inputs: Inputs) -> None:
    """Adds the action's conditions to a step, for the engine to judge."""
    conditions = action.conditions
    if not conditions:
        return
    step.conditions.extend(terms(conditions, inputs.arguments))
    absent = step.refusal
    if isinstance(absent, Reason) and isinstance(absent.error, NotFound):
        entity: Entity = action.entity
        shown_conditions = _show(conditions, inputs.arguments)
        key = key_text(entity, inputs.own)
        item = f"the {entity.name} with {key}"
        message = f"{step.label}: {item} does not meet the condition {shown_conditions}"
        error = Refused(message, conditions=shown_conditions)
        step.refusal = ByItem(absent, Reason(error, entity, inputs.own))
