"""Entities by their keys: BatchGetItem, in the order of the keys, absent ones as absent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from keyfold.errors import Invalid, UnknownItem
from keyfold.lower.derive import held_place, identifying_place, place_of
from keyfold.lower.positions import each_of
from keyfold.lower.read.batch import KEYS_MAX, Found, Wanted, at_key, fetch
from keyfold.lower.read.question import FoundItem
from keyfold.lower.steps import TRIES, Lowering, back_off, together
from keyfold.lower.stored import values_of
from keyfold.lower.unknown import require, require_kind
from keyfold.plan.model import Entity
from keyfold.values.value import Item, Values

_Keyed: TypeAlias = "tuple[str, Item]"


@dataclass
class _Question:
    """The entity that is read."""

    entity: Entity
    strong: bool
    skips_unknown: bool


def many(
    entity: Entity, keys: Sequence[Values], *, strong: bool, skips_unknown: bool
) -> Lowering[list[FoundItem | None]]:
    """Reads entities by the attributes that identify them, 100 of them in a request.

    A key that is given twice is read once. The items are not of one moment.
    """
    if entity.split is not None:
        raise Invalid(
            f"{entity.name} is stored as several items, which one key does not read; read each by a"
            " pattern",
            of=entity.name,
        )
    moves = entity.id_guard is not None
    question = _Question(entity, strong or moves, skips_unknown)
    guards = each_of(keys, entity.name, partial(identifying_place, entity))
    items: list[FoundItem | None] = [None] * len(keys)
    left: dict[int, _Keyed] = {at: (one.table_name, one.key) for at, one in enumerate(guards)}
    for tried in range(TRIES):
        wanted = left
        found = yield from _read(question, wanted.values())
        if moves:
            wanted = _moved(entity, keys, left, found)
            found = yield from _read(question, wanted.values())
        again: dict[int, _Keyed] = {}
        for at, (table, key) in wanted.items():
            item = at_key(found, table, key)
            if item is not None:
                items[at] = _found_item(question, item)
            elif moves:
                # An item that moves was there when its guard was read.
                again[at] = left[at]
        left = again
        if not left:
            return items
        yield from back_off(tried)
    raise UnknownItem(
        f"items of {entity.name} are not where the guards of their ids say: they were not written"
        " through the model, or move without end"
    )


def _found_item(question: _Question, item: Item) -> FoundItem | None:
    """The entity of an item; none for one of another kind that is left out."""
    entity = question.entity
    try:
        require_kind("a key has", entity.table, entity.name, item)
        values = values_of(entity, None, list(entity.attributes), [item])
        require("a key has", entity, entity.name, entity.attributes, item, values)
        return FoundItem(entity.name, values)
    except UnknownItem:
        if question.skips_unknown:
            return None
        raise


def _moved(
    entity: Entity, keys: Sequence[Values], guards: dict[int, _Keyed], found: Found
) -> dict[int, _Keyed]:
    """Where the guards say that items are. A key without a guard has no item."""
    places: dict[int, _Keyed] = {}
    for at, (table, key) in guards.items():
        guard = at_key(found, table, key)
        if guard is not None:
            place = place_of(entity, held_place(entity, keys[at], guard))
            places[at] = (place.table_name, place.key)
    return places


def _read(question: _Question, places: Iterable[_Keyed]) -> Lowering[Found]:
    """Reads the items at these places, each once."""
    distinct: list[_Keyed] = []
    for one in places:
        if one not in distinct:
            distinct.append(one)
    has_periods = question.entity.table.period is not None
    batches = (distinct[at : at + KEYS_MAX] for at in range(0, len(distinct), KEYS_MAX))
    wanted = [one for batch in batches for one in _requests(question, batch, has_periods)]
    parts = yield from together(fetch(has_periods, one) for one in wanted)
    return [item for items, _ in parts for item in items]


def _requests(question: _Question, batch: Sequence[_Keyed], has_periods: bool) -> list[Wanted]:
    """The requests for one batch of keys. One absent table of a period would fail the request for
    all tables."""
    wanted: Wanted = {}
    strong = {"ConsistentRead": True} if question.strong else {}
    for table, key in batch:
        wanted.setdefault(table, {"Keys": [], **strong})["Keys"].append(key)
    return [{table: own} for table, own in wanted.items()] if has_periods else [wanted]
