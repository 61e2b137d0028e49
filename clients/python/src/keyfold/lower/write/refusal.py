"""Refusals of a write: the meaning of a failed condition, and the sentence that the caller
reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from keyfold.errors import Exists, KeyfoldError, NotFound, Refused, Taken
from keyfold.plan.model import Entity
from keyfold.values.value import Values, shown


@dataclass(frozen=True, eq=False)
class ByItem:
    """The caller's error depends on whether the item is stored, which the answer shows."""

    absent: KeyfoldError
    stored: KeyfoldError


Refusal: TypeAlias = "Literal['none', 'stale'] | KeyfoldError | ByItem"
"""The meaning of a condition that does not hold: the caller's error; `stale` when another writer
was faster, and the write reads again; `none` where the step has no condition of its own."""


def error_of(refusal: Refusal, is_stored: bool) -> KeyfoldError | None:
    """The caller's error; none where the request is not at fault."""
    if isinstance(refusal, ByItem):
        return refusal.stored if is_stored else refusal.absent
    return refusal if isinstance(refusal, KeyfoldError) else None


def joined(one: KeyfoldError | ByItem, other: KeyfoldError | ByItem) -> Refusal:
    """The refusal of a step that has the conditions of two."""
    if not isinstance(one, ByItem) and not isinstance(other, ByItem):
        return _either(one, other)
    absent, stored = (
        _of_both(_reason(one, is_stored), _reason(other, is_stored)) for is_stored in (False, True)
    )
    if absent is None or stored is None:
        return absent or stored or "none"
    return ByItem(absent, stored)


def _reason(refusal: KeyfoldError | ByItem, is_stored: bool) -> KeyfoldError | None:
    """The reason where the item is stored, or is not; none where the condition holds then."""
    if isinstance(refusal, ByItem):
        return refusal.stored if is_stored else refusal.absent
    if refusal.code == "refused":
        return refusal
    return None if (refusal.code == "not_found") == is_stored else refusal


def _of_both(one: KeyfoldError | None, other: KeyfoldError | None) -> KeyfoldError | None:
    if one is None or other is None:
        return one or other
    return _either(one, other)


def _either(one: KeyfoldError, other: KeyfoldError) -> KeyfoldError:
    if one.code == other.code and one.message == other.message:
        return one
    return Refused(f"{one.message}; or {other.message}")


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
