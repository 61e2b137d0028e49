"""Whole entities in batches: BatchWriteItem, 25 of them in a request.

Each item is written as a whole; the batch is not atomic. Only entities from which nothing follows
are written so: a batch has no condition, and no second item that must change with the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

from keyfold.errors import (
    Incomplete,
    Invalid,
    KeyfoldError,
    OutcomeUnknown,
    Transport,
    is_absent_table,
)
from keyfold.lower import capacity, tables
from keyfold.lower.complete import Made, complete
from keyfold.lower.derive import derive, place_of
from keyfold.lower.positions import each_of
from keyfold.lower.steps import Lowering, Origin, Request, Response, ask, pause, together
from keyfold.lower.write import invalid
from keyfold.lower.write.invalid import Sent
from keyfold.plan.model import Entity, Model
from keyfold.values.value import Item, Values, canonical_item

_TRIES = 16
"""The most requests for items that the service leaves unprocessed."""
WRITES_MAX = 25
"""The most items of one request."""

_Keyed: TypeAlias = "tuple[str, Item]"


@dataclass(frozen=True)
class ManyWritten:
    """The report of a batch that is written as a whole."""

    requests: int
    capacity: float
    made: list[list[Made]]
    """For each item, the attributes that were not given and were made."""


@dataclass(frozen=True)
class _One:
    """An item of a batch."""

    at: int
    place: _Keyed
    request: dict[str, Any]


@dataclass
class _Outcome:
    """What became of a part of a batch."""

    written: list[int] = field(default_factory=lambda: [])
    unwritten: list[int] = field(default_factory=lambda: [])
    unknown: list[int] = field(default_factory=lambda: [])
    error: KeyfoldError | None = None
    requests: int = 0
    capacity: float = 0.0


def put_many(
    origin: Origin, model: Model, entity: Entity, items: Sequence[Values]
) -> Lowering[ManyWritten]:
    """Writes whole entities, whether they exist or not. Attributes that the model does not name
    go."""
    _check_alone(model, entity, "put")
    made: list[list[Made]] = []

    def one(values: Values) -> _One:
        own: list[Made] = []
        main = derive(entity, complete(origin, entity, values, own))[0]
        made.append(own)
        request = {"PutRequest": {"Item": main.item}}
        return _One(len(made) - 1, (main.table, main.key), request)

    all_of = each_of(items, entity.name, one)
    _check_distinct(entity, all_of)
    return (yield from _Batch(origin, model, entity, True).write(all_of, made))


def delete_many(
    origin: Origin, model: Model, entity: Entity, keys: Sequence[Values]
) -> Lowering[ManyWritten]:
    """Deletes entities by the attributes that identify them, whether they exist or not."""
    _check_alone(model, entity, "delete")
    all_of: list[_One] = []
    for at, place in enumerate(each_of(keys, entity.name, partial(place_of, entity))):
        request = {"DeleteRequest": {"Key": place.key}}
        all_of.append(_One(at, (place.table_name, place.key), request))
    made: list[list[Made]] = [[] for _ in keys]
    return (yield from _Batch(origin, model, entity, False).write(all_of, made))


def _check_alone(model: Model, entity: Entity, verb: str) -> None:
    """Refuses an entity from which something follows."""
    reason = _reason(model, entity)
    if reason is not None:
        raise Invalid(
            f"{entity.name} cannot be written in a batch, where nothing follows and nothing is"
            f" compared: {reason}; {verb} each, or up to 100 items in a transaction",
            of=entity.name,
        )


def _reason(model: Model, entity: Entity) -> str | None:
    if entity.copies:
        return "it has copies"
    if entity.id_guard is not None:
        return "its items move, and a guard says where they are"
    for unique in entity.uniques:
        return f"a guard keeps its {', '.join(unique.attributes)} unique"
    if entity.split is not None:
        return "it is stored as several items"
    if entity.version is not None:
        return f"its {entity.version} counts its writes"
    for parent, aggregate in model.aggregates_of(entity):
        return f"{parent.name}.{aggregate.attribute} follows it"
    for aggregate in entity.aggregates:
        return f"it keeps {aggregate.attribute}"
    return None


def _check_distinct(entity: Entity, all_of: Sequence[_One]) -> None:
    """Refuses two items with one key: which of them would stay is not known."""
    for at, one in enumerate(all_of):
        for first in all_of[:at]:
            if first.place == one.place:
                raise Invalid(
                    f"items {first.at} and {at} of the batch are the same {entity.name}; put it"
                    " once",
                    of=entity.name,
                    item=at,
                )


@dataclass(frozen=True)
class _Batch:
    """The entity that is written."""

    origin: Origin
    model: Model
    entity: Entity
    is_put: bool

    def write(self, all_of: Sequence[_One], made: list[list[Made]]) -> Lowering[ManyWritten]:
        """Sends all requests. A key that is given twice is written once, and has the fate of the
        first."""
        firsts: list[_One] = []
        for one in all_of:
            if all(first.place != one.place for first in firsts):
                firsts.append(one)
        # By table, since a table of a period may be absent.
        by_table: dict[str, list[_One]] = {}
        for one in firsts:
            by_table.setdefault(one.place[0], []).append(one)
        parts = yield from together(
            self._send(table, own[at : at + WRITES_MAX])
            for table, own in by_table.items()
            for at in range(0, len(own), WRITES_MAX)
        )
        error = next((one.error for one in parts if one.error is not None), None)
        if error is None:
            requests, units = sum(one.requests for one in parts), sum(one.capacity for one in parts)
            return ManyWritten(requests, units, made)

        def positions(of: Iterable[list[int]]) -> tuple[int, ...]:
            known = {at for one in of for at in one}
            places = [first.place for first in firsts if first.at in known]
            return tuple(one.at for one in all_of if one.place in places)

        written = positions(one.written for one in parts)
        unwritten = positions(one.unwritten for one in parts)
        unknown = positions(one.unknown for one in parts)
        if not written and not unknown:
            raise error
        raise Incomplete(self.entity.name, written, unwritten, unknown, error.message) from error

    def _send(self, table: str, batch: Sequence[_One]) -> Lowering[_Outcome]:
        """Sends one request, and what the service leaves unprocessed again."""
        outcome, left = _Outcome(), list(batch)
        for tried in range(_TRIES):
            try:
                response = yield from self._ask(table, left, outcome)
                again = self._left(response, left)
            except KeyfoldError as error:
                may_be_done = isinstance(error, OutcomeUnknown)
                fate = outcome.unknown if may_be_done else outcome.unwritten
                fate.extend(one.at for one in left)
                outcome.error = invalid.explained(error, [self._sent(one) for one in left])
                return outcome
            outcome.capacity += capacity.total(response)
            done = [one for one in left if not _is_among(one, again)]
            outcome.written.extend(one.at for one in done)
            left = [one for one in left if _is_among(one, again)]
            if not left:
                return outcome
            yield from pause(1, 20 << min(tried, 6))
        outcome.unwritten.extend(one.at for one in left)
        outcome.error = Transport(
            "the backend left items unprocessed again and again; try again later"
        )
        return outcome

    def _left(self, response: Response, sent: Sequence[_One]) -> list[Item]:
        """The items that an answer leaves. One that leaves others says nothing of those that were
        sent."""
        unprocessed: dict[str, list[Any]] = response.get("UnprocessedItems") or {}
        requests = [request for own in unprocessed.values() for request in own]
        items = [_item(request) for request in requests]
        keys = [one.place[1] for one in sent]
        are_ours = all(("PutRequest" in request) == self.is_put for request in requests)
        if not are_ours or not all(any(_has_key(item, key) for key in keys) for item in items):
            why = "the answer leaves items that were not sent"
            raise OutcomeUnknown(why, "what the BatchWriteItem was to change")
        return items

    def _sent(self, one: _One) -> Sent:
        """The change of an item, for an error of its request."""
        put = one.request["PutRequest"]["Item"] if self.is_put else None
        verb = "put" if self.is_put else "delete"
        return Sent(f"{verb} {self.entity.name}", *one.place, put)

    def _ask(self, table: str, left: Sequence[_One], outcome: _Outcome) -> Lowering[Response]:
        """Asks one request. The table of a new period is created for the first item; a deletion
        finds nothing in a table that does not exist."""
        items = {table: [one.request for one in left]}
        request = Request("BatchWriteItem", {"RequestItems": items, **capacity.REQUESTED})
        outcome.requests += 1
        try:
            return (yield from ask(request))
        except KeyfoldError as error:
            if not is_absent_table(error):
                raise
            if not self.is_put and self.entity.table.period is not None:
                return {}
            if not (yield from tables.ensure_periods(self.origin, self.model, [table])):
                raise
        outcome.requests += 1
        return (yield from ask(request))


def _item(request: dict[str, Any]) -> Item:
    """The item or key that a request writes."""
    if "PutRequest" in request:
        return canonical_item(request["PutRequest"]["Item"])
    return canonical_item(request["DeleteRequest"]["Key"])


def _is_among(one: _One, items: Sequence[Item]) -> bool:
    return any(_has_key(item, one.place[1]) for item in items)


def _has_key(item: Item, key: Item) -> bool:
    return all(item.get(name) == held for name, held in key.items())
