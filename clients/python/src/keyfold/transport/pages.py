"""What a page of a query or scan holds: items of the partition that was asked for, at most as many,
and where it ends."""

from __future__ import annotations

import re
from typing import Any

from keyfold.lower.steps import Request
from keyfold.values import number
from keyfold.values.value import Item, Value

_TERM = re.compile(r"(#?\w+) = (:\w+)")
"""A term of a key condition, as this package writes them, in which an attribute has one value."""


def mistake(request: Request, answer: dict[str, Any]) -> str | None:
    """Why an answer is no page of a query or scan that was asked for."""
    operation, given = request
    member = "Count" if given.get("Select") == "COUNT" else "Items"
    end: Item | None = answer.get("LastEvaluatedKey")
    if member not in answer or end == {}:
        return f"has no {member} of a {operation}, or an empty key"
    items: list[Item] = answer.get("Items", [])
    size = len(items) if member == "Items" else answer["Count"]
    said = answer.get("Count", size)
    if said != size:
        return f"says that it has {said} items, and has {size}"
    if size > given.get("Limit", size):
        return f"has {size} items of at most {given['Limit']}"
    partition = _partition(given)
    for name, value in partition.items():
        if any(name in item and not is_same(item[name], value) for item in items):
            return "has an item of another partition than the one that was asked for"
        if end is not None and not (name in end and is_same(end[name], value)):
            return "ends in another partition than the one that was asked for"
    return None


def _partition(given: dict[str, Any]) -> Item:
    """The attributes of which a query reads one value: those of its partition, and perhaps some of
    its sort key."""
    terms = given.get("KeyConditionExpression", "").split(" AND ")
    found = (_TERM.fullmatch(term) for term in terms)
    names, values = (given.get(f"ExpressionAttribute{one}", {}) for one in ("Names", "Values"))
    return {names.get(term[1], term[1]): values[term[2]] for term in found if term is not None}


def is_same(one: Value, other: Value) -> bool:
    """Whether two values of a key are the same: a number has several texts."""
    return one == other or canonical(one) == canonical(other)


def canonical(value: Value) -> object:
    """The type and the value of an attribute of a key, in the one form of a number."""
    (kind, held), *_ = value.items()
    # A list or a map is the value of no key.
    return kind, number.of_text(held) if kind == "N" else held if kind in ("S", "B") else None
