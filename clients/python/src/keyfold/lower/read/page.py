"""Runs patterns: sends the requests of the plan and returns the items with their kinds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from keyfold.errors import Invalid, NotFound, Refused, UnknownItem
from keyfold.lower.arguments import the_pattern
from keyfold.lower.complete import present
from keyfold.lower.read import batch, current, cursor, fan, guarded, request, required
from keyfold.lower.read import together as by_keys
from keyfold.lower.read.kinds import Kinds
from keyfold.lower.read.places import Places
from keyfold.lower.read.question import FoundItem, Question, Raw
from keyfold.lower.steps import TRIES, Lowering, Origin, back_off, together
from keyfold.plan.model import Pattern, Plan, Shards
from keyfold.values.value import Item, Values


@dataclass(frozen=True)
class PageRequest:
    """The start, the size and the direction of a page."""

    limit: int | None = None
    """The most items of the page, instead of the pattern's limit."""
    after: Item | None = None
    """The cursor: the `next` of the page before."""
    backward: bool = False
    """Whether the items come against the pattern's order."""
    strong: bool = False
    """Whether the requests read what was written last, where the plan does not say so."""
    skips_unknown: bool = False
    """Whether items that the model does not know are left out."""
    is_first: bool = False
    """Whether the first item is enough: the page then ends before an item that is an error."""


@dataclass(frozen=True)
class FoundPage:
    """One page of a pattern's answer."""

    items: list[FoundItem]
    condition: str
    """The key condition of the first request, for people."""
    requests: int
    capacity: float
    next: Item | None
    """The cursor of the next page; none at the end of the answer."""


def page(
    origin: Origin, pattern: Pattern, arguments: Values, start: PageRequest
) -> Lowering[FoundPage]:
    """Runs a pattern and returns one page."""
    plan = pattern.plan_for(arguments)
    if start.strong:
        plan = _strong(pattern, plan)
    if plan.gets:
        items, raw = yield from by_keys.page(
            pattern,
            plan,
            arguments,
            has_cursor=start.after is not None,
            skips_unknown=start.skips_unknown,
            ends_early=start.is_first,
        )
        return FoundPage(items, raw.condition, raw.requests, raw.capacity, None)
    # One item that is promised is all of the answer.
    ends_early = start.is_first and not pattern.is_single
    kinds = Kinds(
        pattern,
        plan,
        pattern.returns,
        skips_unknown=start.skips_unknown,
        ends_early=ends_early,
    )
    # Whether one item is single is seen only where all of them are read.
    limit = None if pattern.is_single else start.limit or plan.page
    question = Question(
        name=pattern.name,
        plan=plan,
        arguments=_with_fixed(origin, pattern, arguments),
        parameters=pattern.parameters,
        digests=kinds.digests(),
        limit=limit,
        backward=start.backward,
    )
    if start.after is not None:
        cursor.check(question, pattern, start.after)
    ranged = _read_found(question, pattern, kinds, start, origin.now_epoch_ms)
    if plan.beside and start.after is None:
        raw, items = yield from _with_beside(question, pattern, kinds, ranged)
    else:
        raw, items = yield from ranged
    _check_single(pattern, items, raw.condition)
    if not (ends_early and items):
        required.check(pattern, question, start.after, items, raw)
    return FoundPage(items, raw.condition, raw.requests, raw.capacity, raw.next)


def _strong(pattern: Pattern, plan: Plan) -> Plan:
    """The plan whose requests read what was written last."""
    if plan.index is not None and not plan.index.is_local:
        raise Invalid(
            f"{pattern.name} reads the global index {plan.index.name}, and DynamoDB reads that"
            " eventually; leave `strong` out",
            of=the_pattern(pattern.name),
            attribute="strong",
        )
    return replace(
        plan,
        strong=True,
        gets=tuple((name, replace(own, strong=True)) for name, own in plan.gets),
        beside=tuple((at, replace(own, strong=True)) for at, own in plan.beside),
    )


def _beside(question: Question, pattern: Pattern) -> Lowering[Raw]:
    """Reads the single kinds of a collection that its range does not hold, for the first page."""
    raw = Raw()
    beside = question.plan.beside
    alone = [
        replace(question, plan=plan, digests=(), limit=None, backward=False) for _, plan in beside
    ]
    found = yield from together(request.get(own) for own in alone)
    for (at, _), own in zip(beside, found):
        returned = pattern.returns[at]
        if not own.items and not returned.optional:
            raise NotFound(f"{pattern.name}: there is no {returned.name} for {own.condition}")
        raw.add(own)
    return raw


def _with_beside(
    question: Question,
    pattern: Pattern,
    kinds: Kinds,
    ranged: Lowering[tuple[Raw, list[FoundItem]]],
) -> Lowering[tuple[Raw, list[FoundItem]]]:
    """Reads the range, and the single kinds beside it, whose items come first."""
    both: list[Lowering[Any]] = [_beside(question, pattern), _tried(ranged)]
    first, read = yield from together(both)
    if isinstance(read, UnknownItem):
        before = kinds.found(first.items) if kinds.ends_early else None
        if not before:
            raise read
        return first, before
    raw, items = read
    raw.requests += first.requests
    raw.capacity += first.capacity
    return raw, [*(kinds.found(first.items) or ()), *items]


def _tried(
    ranged: Lowering[tuple[Raw, list[FoundItem]]],
) -> Lowering[tuple[Raw, list[FoundItem]] | UnknownItem]:
    """Reads a range; an item in it that is an error is its result."""
    try:
        return (yield from ranged)
    except UnknownItem as error:
        return error


def _read_found(
    question: Question, pattern: Pattern, kinds: Kinds, start: PageRequest, now_epoch_ms: int
) -> Lowering[tuple[Raw, list[FoundItem]]]:
    """Reads a page; of a plan with a guard, the guard first. An item that moved between the two
    reads is looked for again, strongly."""
    guard = question.plan.guard
    if guard is None:
        return (yield from _read_consistent(question, pattern, kinds, start, now_epoch_ms))
    read = Raw()
    for tried in range(TRIES):
        strong = replace(question.plan, strong=question.plan.strong or tried > 0)
        asked = replace(question, plan=strong)
        found, arguments = yield from guarded.place(asked, guard)
        read.add(found)
        if arguments is None:
            return read, []
        complete = replace(asked, arguments=arguments)
        raw, items = yield from _read_consistent(complete, pattern, kinds, start, now_epoch_ms)
        read.add(raw)
        read.condition = raw.condition
        # An item that the caller leaves out is there, too.
        if raw.items:
            return read, items
        yield from back_off(tried)
    raise guarded.lost(question)


def _read_consistent(
    question: Question, pattern: Pattern, kinds: Kinds, start: PageRequest, now_epoch_ms: int
) -> Lowering[tuple[Raw, list[FoundItem]]]:
    """Reads a page until the parts of every list in it belong together."""
    for tried in range(TRIES):
        raw = yield from _read_once(question, pattern, kinds, start.after, now_epoch_ms)
        if pattern.is_single and len(raw.items) > 1:
            yield from current.keep(question, pattern, kinds, raw)
        items = kinds.found(raw.items)
        if items is not None:
            return raw, items
        yield from back_off(tried)
    raise UnknownItem(
        f"{pattern.name}: the parts of a list do not belong together: they were not written"
        " through the model, or are written without end"
    )


def _read_once(
    question: Question, pattern: Pattern, kinds: Kinds, after: Item | None, now_epoch_ms: int
) -> Lowering[Raw]:
    plan = question.plan
    if plan.request == "GetItem":
        return (yield from request.get(question))
    if plan.request in ("BatchGetItem", "TransactGetItems"):
        return (yield from batch.get(question, pattern))
    if plan.fan is None and kinds.is_split:
        return (yield from _split_entities(question, kinds, after))
    if plan.fan is None:
        return (yield from request.one_page(question, question.arguments, after, question.limit))
    if isinstance(plan.fan, Shards):
        return (yield from fan.shards(question, plan.fan.count, kinds, after))
    return (yield from fan.periods(question, plan.fan, kinds, after, now_epoch_ms))


def _split_entities(question: Question, kinds: Kinds, after: Item | None) -> Lowering[Raw]:
    """Reads until the page has its limit of entities with all their parts."""
    raw, limit, places = Raw(), question.limit, Places(question.name)
    while True:
        own = yield from request.one_page(question, question.arguments, after, None)
        after = own.next
        places.check(after)
        raw.add(own)
        groups = kinds.groups(raw.items)
        # The last entity of an unfinished page may go on.
        complete = len(groups) - 1 if after is not None and groups else len(groups)
        if limit is not None and (complete > limit or (complete == limit and after is not None)):
            raw.items = [item for group in groups[:limit] for item in group]
            raw.next = cursor.of_item(question, raw.items[-1])
            return raw
        if after is None:
            return raw


def _check_single(pattern: Pattern, items: Sequence[FoundItem], condition: str) -> None:
    """Refuses an answer that breaks the pattern's promise of one item."""
    if not pattern.is_single:
        return
    if len(items) > 1:
        raise Refused(
            f"{pattern.name} promises one item and found {len(items)}: they were not written"
            " through the model"
        )
    if not items and not pattern.returns[0].optional:
        raise NotFound(f"{pattern.name}: no item for {condition}")


def _with_fixed(origin: Origin, pattern: Pattern, arguments: Values) -> Values:
    """The arguments, the fixed values, and the present moment where `now` is not given."""
    all_of = dict(arguments)
    for name, parameter in pattern.parameters.items():
        moment = present(origin, parameter.kind) if parameter.now else None
        if moment is not None:
            all_of.setdefault(name, moment)
    all_of.update(pattern.fixed)
    return all_of
