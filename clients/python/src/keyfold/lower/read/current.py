"""Unique items in an index that is late: it may still show an item that had the value before. The
table decides."""

from __future__ import annotations

from typing import Any

from keyfold.errors import KeyfoldError, Overtaken, is_conflict
from keyfold.keys.text import lower
from keyfold.lower import capacity
from keyfold.lower.read.kinds import Kinds
from keyfold.lower.read.question import Question, Raw
from keyfold.lower.read.request import table_name
from keyfold.lower.steps import TRIES, Lowering, Request, ask, back_off
from keyfold.lower.stored import values_of
from keyfold.plan.model import Entity, Pattern
from keyfold.plan.template import Field
from keyfold.values.value import Item, Values, canonical_item

ACTIONS_MAX = 100
"""The most actions of one transaction."""


def keep(question: Question, pattern: Pattern, kinds: Kinds, raw: Raw) -> Lowering[None]:
    """Keeps the entries of a single item's index whose item has the unique values that are given.

    The guard allows one at each moment, and the items are read as they are at one moment.
    """
    only = kinds.only()
    if only is None:
        return
    entity, copy = only
    if question.plan.index is None and not entity.id:
        return
    unique = _unique(pattern, entity, question.arguments)
    if unique is None:
        return
    groups = kinds.groups(raw.items)
    # All parts are of one item.
    if len(groups) < 2:
        return
    keys: list[Item] = []
    owners: list[list[Item]] = []
    for members in groups:
        key = _own_key(question, kinds.main_of(members))
        if key not in keys:
            keys.append(key)
            owners.append(members)
    # So many former owners there are not: the check of the whole answer refuses it.
    if len(keys) > ACTIONS_MAX:
        return
    stored = yield from _read(question, keys, raw)
    kept: list[Item] = []
    for members, item in zip(owners, stored):
        values = values_of(entity, copy, unique, [item]) if item else {}
        if item and all(_has(question, values, name) for name in unique):
            kept.extend(members)
    raw.items = kept


def _has(question: Question, values: Values, name: str) -> bool:
    """Whether an item has the value of a unique attribute that the pattern gives."""
    held, given = values.get(name), question.arguments.get(name)
    if held == given:
        return True
    if held is None or given is None or not _in_small_letters(question, name):
        return False
    return "S" in held and "S" in given and lower(held["S"]) == lower(given["S"])


def _in_small_letters(question: Question, name: str) -> bool:
    """Whether the key that is read holds an attribute in small letters only."""
    plan = question.plan
    columns = [one.parts for one in plan.partition]
    if plan.sort is not None:
        columns += [*(one.parts for one in plan.sort.before), plan.sort.at]
    fields = (part for parts in columns for part in parts if isinstance(part, Field))
    forms = [field.format.form for field in fields if field.name == name]
    return bool(forms) and all(form == "lower" for form in forms)


def _unique(pattern: Pattern, entity: Entity, arguments: Values) -> tuple[str, ...] | None:
    """The unique attributes that a pattern gives."""
    equal = {one.attribute for one in pattern.parameters.values() if one.limit == "equal"}
    given = {name for name in (*equal, *pattern.fixed) if name in arguments}
    uniques = (unique.attributes for unique in entity.uniques)
    return next((names for names in uniques if given.issuperset(names)), None)


def _own_key(question: Question, item: Item) -> Item:
    """The key of an item in the table."""
    return {name: item[name] for name in question.plan.table.columns if name in item}


def _read(question: Question, keys: list[Item], raw: Raw) -> Lowering[list[Item]]:
    """Reads the items with these keys as they are at one moment; absent ones are empty."""
    name = table_name(question, question.arguments)
    gets: list[dict[str, Any]] = [{"Get": {"TableName": name, "Key": key}} for key in keys]
    request = Request("TransactGetItems", {"TransactItems": gets, **capacity.REQUESTED})
    for tried in range(TRIES):
        raw.requests += 1
        try:
            response = yield from ask(request)
        except KeyfoldError as error:
            if not is_conflict(error):
                raise
            yield from back_off(tried)
            continue
        raw.capacity += capacity.total(response)
        return [canonical_item(one.get("Item") or {}) for one in response.get("Responses", ())]
    raise Overtaken(
        f"the items of {question.plan.table.name} were written {TRIES} times in a row while they"
        " were read; try again"
    )
