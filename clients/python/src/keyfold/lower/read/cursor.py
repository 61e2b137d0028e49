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

from keyfold.errors import Invalid, Transport
from keyfold.keys.periods import first_time, is_period
from keyfold.keys.text import SHARD, column
from keyfold.lower.arguments import the_pattern
from keyfold.lower.read.question import Question
from keyfold.plan.model import Pattern, Periods, Plan, Shards
from keyfold.values.value import Item, Value, Values

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


def key_names(plan: Plan) -> set[str]:
    """The attributes of the key at which a page of one query or scan ends."""
    return {*plan.table.columns, *(one.attribute for one in plan.partition), *plan.sort_attributes}


def check(question: Question, pattern: Pattern, after: Item) -> None:
    """Refuses a cursor that no page of this pattern with these arguments returns."""
    fan, arguments = question.plan.fan, question.arguments
    if fan is None:
        is_own = _is_own_key(question, after, arguments)
    elif isinstance(fan, Shards):
        is_own = _is_of_shards(question, fan.count, after, arguments)
    else:
        is_own = _is_of_period(question, fan, after)
    if not is_own:
        raise foreign(pattern.name)


def foreign(pattern: str) -> Invalid:
    """The error about a cursor that no page of a pattern returns."""
    return Invalid(
        f"this is not where a page of {pattern} ended with these arguments;"
        " give the `next` of that page",
        of=the_pattern(pattern),
    )


def check_end(question: Question, arguments: Values, next_key: Item) -> None:
    """Refuses a key in which a page cannot have ended: the next page would be another one."""
    if not _is_own_key(question, next_key, arguments):
        raise Transport(
            f"a page of {question.name} ends with a key that is none of what was asked for"
        )


def _is_own_key(question: Question, after: Item, arguments: Values) -> bool:
    """Whether a key is one of the partition that the arguments give, with values of its types."""
    plan = question.plan
    if plan.request not in ("Query", "Scan") or set(after) != key_names(plan):
        return False
    kinds = plan.table.kinds
    if not all(_is_of_kind(value, kinds.get(name)) for name, value in after.items()):
        return False
    try:
        return all(after[one.attribute] == column(one.parts, arguments) for one in plan.partition)
    except Invalid:
        return False


def _is_of_kind(value: Value, kind: str | None) -> bool:
    """Whether a value is one of a key, whose type may be known."""
    (own, held), *others = value.items()
    is_known = kind is None or own == kind
    return is_known and not others and isinstance(held, (str, bytes)) and bool(held)


def _is_of_shards(question: Question, count: int, after: Item, arguments: Values) -> bool:
    """Whether these are positions in the shards of the partition that the arguments give."""
    if set(after) != {f"{_SHARD}{number}" for number in range(count)}:
        return False
    for number in range(count):
        held = after[f"{_SHARD}{number}"]
        if set(held) != {"M"}:
            return False
        own = {**arguments, SHARD: {"N": str(number)}}
        if held["M"] and held != _value("done") and not _is_own_key(question, held["M"], own):
            return False
    return True


def _is_of_period(question: Question, fan: Periods, after: Item) -> bool:
    """Whether this is a position in a period, at its start or behind a key."""
    period, key = split_period(after)
    if not isinstance(period, str) or not is_period(fan.unit, period):
        return False
    own = {**question.arguments, fan.attribute: {"S": first_time(fan.kind, period)}}
    if key is None:
        return True
    if fan.shards is not None:
        return _is_of_shards(question, fan.shards, key, own)
    return _is_own_key(question, key, own)
