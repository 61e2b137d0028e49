"""Refusals of a write: the meaning of a failed condition, and the sentence that the caller
reads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, TypeVar

from keyfold.errors import Exists, KeyfoldError, NotFound, Place, Refused, Taken
from keyfold.lower.derive import identifying_place
from keyfold.plan.model import Entity
from keyfold.values.value import Item, Value, Values, shown

E = TypeVar("E", bound=KeyfoldError)


@dataclass(frozen=True, eq=False)
class Reason:
    """The caller's error, and the entity that it is about."""

    error: KeyfoldError
    entity: Entity | None = None
    values: Values = field(default_factory=lambda: {})


@dataclass(frozen=True, eq=False)
class ByItem:
    """The caller's error depends on whether the item is stored, which the answer shows."""

    absent: Reason
    stored: Reason


Refusal: TypeAlias = "Literal['none', 'stale'] | Reason | ByItem"
"""The meaning of a condition that does not hold: the caller's error; `stale` when another writer
was faster, and the write reads again; `none` where the step has no condition of its own."""


def error_of(refusal: Refusal, is_stored: bool, place: Place) -> KeyfoldError | None:
    """The caller's error at the item of a step; none where the request is not at fault."""
    if isinstance(refusal, ByItem):
        refusal = refusal.stored if is_stored else refusal.absent
    if not isinstance(refusal, Reason):
        return None
    refusal.error.place = _about(place, refusal.entity, refusal.values)
    return refusal.error


def at_item(error: E, action: str, table: str, key: Item) -> E:
    """The error, at the item with this key."""
    error.place = place_of_item(action, table, key)
    return error


def at_reason(reason: Reason, action: str, table: str, key: Item) -> KeyfoldError:
    """The caller's error at the item with this key, about the reason's entity."""
    place = place_of_item(action, table, key)
    reason.error.place = _about(place, reason.entity, reason.values)
    return reason.error


def at_entity(error: E, action: str, entity: Entity, values: Values) -> E:
    """The error, at the item of the entity with these attributes."""
    at = identifying_place(entity, values)
    error.place = _about(place_of_item(action, at.table_name, at.key), entity, values)
    return error


def place_of_item(action: str, table: str, key: Item) -> Place:
    """Where a write is refused, for the caller."""
    return Place(action, table, _plain(key.items()))


def _about(place: Place, entity: Entity | None, values: Values) -> Place:
    if entity is None:
        return place
    held = [(name, values[name]) for name in entity.identity if name in values]
    return Place(place.action, place.table, place.key, entity.name, _plain(held))


def _plain(values: Iterable[tuple[str, Value]]) -> dict[str, str | bytes]:
    """The values of keys: each is a text, a number or bytes."""
    return {name: held for name, value in values for held in value.values()}


def reasons_of(refusal: Refusal) -> list[Reason]:
    """The reasons that a refusal may have."""
    if isinstance(refusal, ByItem):
        return [refusal.absent, refusal.stored]
    return [refusal] if isinstance(refusal, Reason) else []


def joined(one: Reason | ByItem, other: Reason | ByItem) -> Refusal:
    """The refusal of a step that has the conditions of two."""
    if not isinstance(one, ByItem) and not isinstance(other, ByItem):
        return _either(one, other)
    absent, stored = (
        _of_both(_reason(one, is_stored), _reason(other, is_stored)) for is_stored in (False, True)
    )
    if absent is None or stored is None:
        return absent or stored or "none"
    return ByItem(absent, stored)


def _reason(refusal: Reason | ByItem, is_stored: bool) -> Reason | None:
    """The reason where the item is stored, or is not; none where the condition holds then."""
    if isinstance(refusal, ByItem):
        return refusal.stored if is_stored else refusal.absent
    code = refusal.error.code
    if code == "refused":
        return refusal
    return None if (code == "not_found") == is_stored else refusal


def _of_both(one: Reason | None, other: Reason | None) -> Reason | None:
    if one is None or other is None:
        return one or other
    return _either(one, other)


def _either(one: Reason, other: Reason) -> Reason:
    first, second = one.error, other.error
    if first.code == second.code and first.message == second.message:
        return one
    return Reason(Refused(f"{first.message}; or {second.message}"))


def exists(entity: Entity, values: Values) -> Reason:
    """The refusal to create an entity that exists."""
    error = Exists(f"{entity.name} exists already ({key_text(entity, values)})")
    return Reason(error, entity, values)


def taken(entity: Entity, attributes: tuple[str, ...], values: Values) -> Reason:
    """The refusal of unique values that belong to another item."""
    all_of = (f"{name} `{shown(values[name]) if name in values else ''}`" for name in attributes)
    message = f"{', '.join(all_of)} is taken: another {entity.name} has it"
    return Reason(Taken(message, attributes), entity, values)


def occupied(entity: Entity, values: Values) -> Reason:
    """The refusal to put an item over one of another `id`."""
    error = Refused(
        f"the {entity.name} with {key_text(entity, values)} cannot be put: an item with another"
        f" {', '.join(entity.id)}, or that was not written through the model, is at its key"
    )
    return Reason(error, entity, values)


def key_text(entity: Entity, values: Values) -> str:
    """An entity's identity for people: `user = ada, order = 7`."""
    held = ((name, values[name]) for name in entity.identity if name in values)
    return ", ".join(f"{name} = {shown(value)}" for name, value in held)


def not_found_text(entity: Entity, values: Values) -> str:
    """The sentence about an entity that does not exist."""
    return f"there is no {entity.name} with {key_text(entity, values)}"


def absent(entity: Entity, values: Values) -> Reason:
    """The refusal of an entity that does not exist."""
    return Reason(NotFound(not_found_text(entity, values)), entity, values)


def not_found(entity: Entity, action: str, values: Values) -> NotFound:
    """The error about an entity that was read and does not exist."""
    return at_entity(NotFound(not_found_text(entity, values)), action, entity, values)
