"""Several items by keys of their own: one TransactGetItems, or one BatchGetItem."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from keyfold.errors import Invalid, KeyfoldError, NotFound, Overtaken, UnknownItem, is_conflict
from keyfold.lower import capacity
from keyfold.lower.arguments import the_pattern
from keyfold.lower.expression import Placeholders
from keyfold.lower.read import batch
from keyfold.lower.read.kinds import Kinds
from keyfold.lower.read.question import FoundItem, Question, Raw, printed_key
from keyfold.lower.read.request import key_of, projection
from keyfold.lower.steps import TRIES, Lowering, Request, ask, back_off
from keyfold.plan.model import Pattern, Plan, Returned
from keyfold.values.value import Item, Values, canonical_item


@dataclass(frozen=True)
class _Wanted:
    """One item to read."""

    name: str
    plan: Plan
    returned: Returned
    key: Item

    def is_at(self, other: _Wanted) -> bool:
        return self.plan.table.name == other.plan.table.name and self.key == other.key


def page(
    pattern: Pattern,
    plan: Plan,
    arguments: Values,
    *,
    has_cursor: bool,
    skips_unknown: bool,
    ends_early: bool,
) -> Lowering[tuple[list[FoundItem], Raw]]:
    """Runs a pattern that returns several items by their keys."""
    if has_cursor:
        message = f"{pattern.name} has one page: it reads each item by its key"
        raise Invalid(message, of=the_pattern(pattern.name))
    wanted = [
        _Wanted(name, own, returned, key_of(Question(own, arguments, name=pattern.name), arguments))
        for (name, own), returned in zip(plan.gets, pattern.returns)
    ]
    raw = Raw(condition="; ".join(printed_key(one.key) for one in wanted))
    if plan.request == "TransactGetItems":
        stored = yield from _snapshot(pattern, plan, arguments, wanted, raw)
    else:
        stored = yield from _batch(plan, arguments, wanted, raw)
    items: list[FoundItem] = []
    for one, item in zip(wanted, stored):
        kinds = Kinds(pattern, one.plan, [one.returned], skips_unknown=skips_unknown)
        try:
            found = kinds.found([] if item is None else [item])
        except UnknownItem:
            if ends_early and items:
                break
            raise
        if not found and not one.returned.optional:
            shown = printed_key(one.key)
            raise NotFound(f"{pattern.name}: there is no {one.name} for {shown}")
        items.extend(found or ())
    return items, raw


def _distinct(wanted: list[_Wanted]) -> list[_Wanted]:
    """The items without those of an earlier key: a request takes no key twice."""
    distinct: list[_Wanted] = []
    for one in wanted:
        if not any(one.is_at(other) for other in distinct):
            distinct.append(one)
    return distinct


def _snapshot(
    pattern: Pattern, plan: Plan, arguments: Values, wanted: list[_Wanted], raw: Raw
) -> Lowering[list[Item | None]]:
    """Reads all items as they are at one moment; again when a transaction writes one of them."""
    distinct = _distinct(wanted)
    gets: list[dict[str, Any]] = []
    for one in distinct:
        made = Placeholders()
        projected = projection(_of_whole(plan, one, arguments), made)
        table = one.plan.table.name
        gets.append({"Get": {"TableName": table, "Key": one.key, **projected, **made.members()}})
    request = Request("TransactGetItems", {"TransactItems": gets, **capacity.REQUESTED})
    for tried in range(TRIES):
        try:
            response = yield from ask(request)
        except KeyfoldError as error:
            if not is_conflict(error):
                raise
            yield from back_off(tried)
            continue
        raw.requests = tried + 1
        raw.capacity = capacity.total(response)
        read = [canonical_item(one.get("Item") or {}) for one in response.get("Responses", ())]
        at = ([one.is_at(other) for other in distinct].index(True) for one in wanted)
        return [read[place] or None if place < len(read) else None for place in at]
    raise Overtaken(
        f"{pattern.name}: other transactions were writing its items {TRIES} times in a row;"
        " try again"
    )


def _of_whole(plan: Plan, one: _Wanted, arguments: Values) -> Question:
    """The question of one item, with the projection of the pattern."""
    return Question(_in_table(plan, one.plan), arguments)


def _in_table(plan: Plan, own: Plan) -> Plan:
    return replace(plan, table=own.table)


def _batch(
    plan: Plan, arguments: Values, wanted: list[_Wanted], raw: Raw
) -> Lowering[list[Item | None]]:
    """Reads the items each for itself. Keys that the service leaves unprocessed are sent again."""
    asked: batch.Wanted = {}
    for one in _distinct(wanted):
        table = one.plan.table.name
        if table in asked:
            asked[table]["Keys"].append(one.key)
        else:
            asked[table] = batch.keys(_of_whole(plan, one, arguments), one.key)
    question = _of_whole(plan, wanted[0], arguments)
    read = yield from batch.ask_all(question, [asked], raw)
    return [batch.at_key(read, one.plan.table.name, one.key) for one in wanted]
