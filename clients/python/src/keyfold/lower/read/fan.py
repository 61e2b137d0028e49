"""Patterns over several partitions or tables: one period after another, or all shards merged by
sort key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cmp_to_key

from keyfold.errors import Invalid, Refused
from keyfold.keys.periods import PERIODS_MAX, between, first_time
from keyfold.keys.text import SHARD
from keyfold.lower.bound import missing_argument
from keyfold.lower.read import condition, cursor
from keyfold.lower.read.cursor import ShardPosition
from keyfold.lower.read.kinds import Kinds
from keyfold.lower.read.places import Places
from keyfold.lower.read.question import Question, Raw
from keyfold.lower.read.request import one_page
from keyfold.lower.steps import Lowering, together
from keyfold.plan.model import Periods
from keyfold.values import times
from keyfold.values.value import Item, Value, Values, display, shown


def periods(
    question: Question, fan: Periods, kinds: Kinds, after: Item | None, now_epoch_ms: int
) -> Lowering[Raw]:
    """Reads a page of several periods."""
    if kinds.is_split:
        raise Refused("items that are split are not read over several periods; ask for one period")
    all_of = _periods_of(question, fan, now_epoch_ms)
    period, key = cursor.split_period(after)
    if period is not None and period not in all_of:
        if not _moves(question, fan):
            raise cursor.foreign(question.name)
        key = None
    left = all_of[all_of.index(period) if period in all_of else 0 :]
    if question.limit is None:
        raw = yield from _whole_periods(question, fan, left, key)
    else:
        raw = yield from _until_full(question, fan, left, key, question.limit)
    raw.condition = condition.planned(question.plan)
    return raw


def _until_full(
    question: Question, fan: Periods, left: Sequence[str], after: Item | None, limit: int
) -> Lowering[Raw]:
    """Reads periods one after the other until the page is full."""
    raw = Raw()
    for period in left:
        places = Places(question.name)
        while True:
            room = limit - len(raw.items)
            if room <= 0:
                raw.next = cursor.in_period(after, period)
                return raw
            page = yield from _page_of_period(question, fan, period, after, room)
            after = page.next
            places.check(after)
            raw.add(page)
            if after is None:
                break
    return raw


def _whole_periods(
    question: Question, fan: Periods, left: Sequence[str], after: Item | None
) -> Lowering[Raw]:
    """Reads all of the periods at the same time, the first of them after a key."""
    parts = [
        _whole_period(question, fan, period, None if at else after)
        for at, period in enumerate(left)
    ]
    raw = Raw()
    for part in (yield from together(parts)):
        raw.add(part)
    return raw


def _whole_period(
    question: Question, fan: Periods, period: str, after: Item | None
) -> Lowering[Raw]:
    raw, places = Raw(), Places(question.name)
    while True:
        page = yield from _page_of_period(question, fan, period, after, None)
        after = page.next
        places.check(after)
        raw.add(page)
        if after is None:
            return raw


def _page_of_period(
    question: Question, fan: Periods, period: str, after: Item | None, limit: int | None
) -> Lowering[Raw]:
    """Reads a page of a period, from whose time its partition and table follow."""
    time: Value = {"S": first_time(fan.kind, period)}
    arguments = {**question.arguments, fan.attribute: time}
    if fan.shards is None:
        return (yield from one_page(question, arguments, after, limit))
    return (yield from _merged(question, fan.shards, arguments, after, limit))


def _periods_of(question: Question, fan: Periods, now_epoch_ms: int) -> list[str]:
    """The periods that the arguments ask for, in the order in which they are read."""
    low = _given(question, fan.low)
    if fan.high is not None:
        high = _given(question, fan.high)
    else:
        # Without an upper end, the present period is the last.
        present = times.of_epoch_ms(fan.kind.name, now_epoch_ms)
        high = low if present is None else {"S": present}
    found = between(fan.unit, display(low), display(high))
    if found is None:
        raise Invalid(
            f"{fan.attribute}: from {shown(low)} to {shown(high)} are more than {PERIODS_MAX}"
            f" {fan.unit}s; ask for less",
            attribute=fan.attribute,
        )
    if question.is_strict(fan.low):
        # A date is its own period.
        found = [period for period in found if period != display(low)]
    if fan.high is not None and question.is_strict(fan.high):
        # The range ends before the first moment of this period.
        found = [period for period in found if first_time(fan.kind, period) != display(high)]
    return found[::-1] if question.is_descending != question.plan.reversed else found


def _moves(question: Question, fan: Periods) -> bool:
    """Whether the periods of the same call are others at another moment."""
    ends = (question.parameters.get(name or "") for name in (fan.low, fan.high))
    return any(one is not None and one.now for one in ends)


def _given(question: Question, name: str) -> Value:
    held = question.arguments.get(name)
    if held is None:
        raise missing_argument("the pattern", name)
    return held


@dataclass
class _Shard:
    """The page that was read of one shard."""

    items: list[Item]
    start: ShardPosition
    """The position before the page."""
    next: Item | None = None

    def position_after(self, question: Question, taken: int) -> ShardPosition:
        """The position after the first `taken` items of the page."""
        if self.start == "done":
            return "done"
        if taken == len(self.items):
            return "done" if self.next is None else self.next
        return cursor.of_item(question, self.items[taken - 1]) if taken else self.start


def shards(question: Question, count: int, kinds: Kinds, after: Item | None) -> Lowering[Raw]:
    """Reads a page of each shard and merges them by sort key."""
    if kinds.is_split:
        raise Refused("items that are split are not read over several shards")
    return (yield from _merged(question, count, question.arguments, after, question.limit))


def _merged(
    question: Question, count: int, arguments: Values, after: Item | None, limit: int | None
) -> Lowering[Raw]:
    """Reads a page of each shard of the partition that the arguments give, and merges them."""
    parts = [
        _read_shard(
            question,
            {**arguments, SHARD: {"N": str(number)}},
            cursor.position_of(after, number),
            limit,
        )
        for number in range(count)
    ]
    raw = Raw()
    all_of: list[_Shard] = []
    for shard, cost in (yield from together(parts)):
        raw.add(cost)
        all_of.append(shard)
    raw.condition = condition.planned(question.plan)
    raw.items, taken = _merge(question, all_of, limit)
    ends = list(zip(all_of, taken))
    if any(own < len(shard.items) or shard.next is not None for shard, own in ends):
        positions: list[ShardPosition] = []
        for shard, own in ends:
            positions.append(shard.position_after(question, own))
        raw.next = cursor.in_shards(positions)
    return raw


def _read_shard(
    question: Question, arguments: Values, start: ShardPosition, limit: int | None
) -> Lowering[tuple[_Shard, Raw]]:
    """Reads a page of a shard; all of it, if the pattern has no limit."""
    shard, raw, places = _Shard([], start), Raw(), Places(question.name)
    if start == "done":
        return shard, raw
    after = None if isinstance(start, str) else start
    while True:
        page = yield from one_page(question, arguments, after, limit)
        shard.items.extend(page.items)
        shard.next, page.items = page.next, []
        places.check(shard.next)
        raw.add(page)
        if shard.next is None or limit is not None:
            return shard, raw
        after = shard.next


def _merge(
    question: Question, all_of: Sequence[_Shard], limit: int | None
) -> tuple[list[Item], list[int]]:
    """Takes items in order, at most a page and no further than every shard has been read.

    Returns them, and the number of items taken from each shard.
    """
    by_order = cmp_to_key(question.compare)
    # Items behind the end of an unfinished page may come before those of other shards.
    bound = min((one.next for one in all_of if one.next is not None), key=by_order, default=None)
    taken = [0] * len(all_of)
    items: list[Item] = []
    while limit is None or len(items) < limit:
        heads = [
            (at, shard.items[taken[at]])
            for at, shard in enumerate(all_of)
            if taken[at] < len(shard.items)
        ]
        if not heads:
            break
        at, head = min(heads, key=lambda one: by_order(one[1]))
        if bound is not None and question.compare(head, bound) > 0:
            break
        items.append(head)
        taken[at] += 1
    return items, taken
