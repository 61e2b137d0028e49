"""Refusals of a write: the meaning of a failed condition, and the sentence that the caller
reads."""

from __future__ import annotations

from typing import Literal, TypeAlias

from keyfold.errors import Exists, KeyfoldError, NotFound, Refused, Taken
from keyfold.plan.model import Entity
from keyfold.values.value import Values, shown

Refusal: TypeAlias = "Literal['none', 'stale'] | KeyfoldError"
"""The meaning of a condition that does not hold: the caller's error; `stale` when another writer
was faster, and the write reads again; `none` where the step has no condition of its own."""


def exists(entity: Entity, values: Values) -> Exists:
    """The refusal to create an entity that exists."""
    return Exists(f"{entity.name} exists already ({key_text(entity, values)})")


def taken(entity: Entity, attributes: tuple[str, ...], values: Values) -> Taken:
    """The refusal of unique values that belong to another item."""
    all_of = (f"{name} `{shown(values[name]) if name in values else ''}`" for name in attributes)
    message = f"{', '.join(all_of)} is taken: another {entity.name} has it"
    return Taken(message, attributes)


def occupied(entity: Entity, values: Values) -> Refused:
    """The refusal to put an item over one of another `id`."""
    return Refused(
        f"the {entity.name} with {key_text(entity, values)} cannot be put: an item with another"
        f" {', '.join(entity.id)}, or that was not written through the model, is at its key"
    )


def key_text(entity: Entity, values: Values) -> str:
    """An entity's identity for people: `user = ada, order = 7`."""
    held = ((name, values[name]) for name in entity.identity if name in values)
    return ", ".join(f"{name} = {shown(value)}" for name, value in held)


def not_found_text(entity: Entity, values: Values) -> str:
    """The sentence about an entity that does not exist."""
    return f"there is no {entity.name} with {key_text(entity, values)}"


def not_found(entity: Entity, values: Values) -> NotFound:
    """The error about an entity that does not exist."""
    return NotFound(not_found_text(entity, values))
