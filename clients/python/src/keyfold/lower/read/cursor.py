"""Cursors: the keys after which pages go on.

| plan | cursor |
|---|---|
| one query or scan | the key of the last item in the table, and in the index |
| periods | that key, if any, and `#period` with the period that is being read |
| periods with shards | `#period`, and the members of its shards |
| shards | `#shardN` for each shard: the key in it, or `#done` at its end |
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from keyfold.errors import Invalid
from keyfold.keys.text import column
from keyfold.lower.arguments import the_pattern
from keyfold.lower.read.question import Question
from keyfold.plan.model import Pattern, Shards
from keyfold.values.value import Item, Value

_PERIOD = "#period"
_SHARD = "#shard"
_DONE = "#done"

ShardPosition: TypeAlias = "Literal['start', 'done'] | Item"
"""The position in one shard: before the first item, after the item with a key, or at the end."""


def of_item(question: Question, item: Item) -> Item:
    """The key of an item, after which a page goes on."""
    plan = question.plan
    index = [one.attribute for one in plan.partition]
    names = [*plan.table.columns, *index, *plan.sort_attributes]
    return {name: item[name] for name in names if name in item}


def in_period(key: Item | None, period: str) -> Item:
    """The cursor in a period: after a key in it, or at its start."""
    return {**(key or {}), _PERIOD: {"S": period}}


def split_period(cursor: Item | None) -> tuple[str | None, Item | None]:
    """Splits a cursor into its period and the key in it."""
    if cursor is None:
        return None, None
    period = cursor.get(_PERIOD, {}).get("S")
    key = {name: value for name, value in cursor.items() if name != _PERIOD}
    return period, key or None


def position_of(cursor: Item | None, shard: int) -> ShardPosition:
    """The position of a shard in a cursor."""
    held = (cursor or {}).get(f"{_SHARD}{shard}", {}).get("M")
    if held and _DONE in held:
        return "done"
    return dict(held) if held else "start"


def in_shards(positions: Sequence[ShardPosition]) -> Item:
    """The cursor with the positions of all shards, by number."""
    return {f"{_SHARD}{at}": _value(position) for at, position in enumerate(positions)}


def _value(position: ShardPosition) -> Value:
    if position == "start":
        return {"M": {}}
    if position == "done":
        return {"M": {_DONE: {"BOOL": True}}}
    return {"M": position}


def check(question: Question, pattern: Pattern, after: Item) -> None:
    """Refuses a cursor that no page of this pattern with these arguments returns."""
    fan = question.plan.fan
    if fan is None:
        is_own = _is_own_key(question, after)
    elif isinstance(fan, Shards):
        is_own = all(name.startswith(_SHARD) for name in after)
    else:
        is_own = _PERIOD in after
    if not is_own:
        raise Invalid(
            f"this is not where a page of {pattern.name} ended with these arguments;"
            " give the `next` of that page",
            of=the_pattern(pattern.name),
        )


def _is_own_key(question: Question, after: Item) -> bool:
    plan = question.plan
    if plan.request not in ("Query", "Scan"):
        return False
    partition = [one.attribute for one in plan.partition]
    if set(after) != {*plan.table.columns, *partition, *plan.sort_attributes}:
        return False
    try:
        return all(
            after.get(one.attribute) == column(one.parts, question.arguments)
            for one in plan.partition
        )
    except Invalid:
        return False
