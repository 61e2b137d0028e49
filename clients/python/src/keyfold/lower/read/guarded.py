"""One item by its `id`, whose key has attributes that change: the guard of the id holds them."""

from __future__ import annotations

from dataclasses import replace

from keyfold.errors import UnknownItem
from keyfold.lower.read import request
from keyfold.lower.read.question import Question, Raw
from keyfold.lower.steps import Lowering
from keyfold.plan.model import GuardPlan, Plan, Range
from keyfold.values.value import Values, shown


def place(question: Question, guard: GuardPlan) -> Lowering[tuple[Raw, Values | None]]:
    """Reads the guard. Returns its cost, and the arguments with what the guard holds; no arguments
    where there is no guard, and no item."""
    of_guard = replace(question, plan=_plan(question.plan, guard), digests=())
    found = yield from request.get(of_guard)
    if not found.items:
        return found, None
    held = found.items.pop()
    arguments = dict(question.arguments)
    for attribute, name in guard.holds:
        if name not in held:
            raise lost(question)
        arguments[attribute] = held[name]
    return found, arguments


def _plan(plan: Plan, guard: GuardPlan) -> Plan:
    """The plan that reads the guard."""
    sort = None
    if len(guard.key) > 1:
        column = guard.key[1]
        sort = Range("equal", before=(), attribute=column.attribute, at=column.parts, to=None)
    return replace(
        plan,
        request="GetItem",
        index=None,
        partition=guard.key[:1],
        sort=sort,
        fan=None,
        period=None,
        page=None,
        only=(),
        filters=(),
        beside=(),
        fetched=(),
        guard=None,
    )


def lost(question: Question) -> UnknownItem:
    """The error about a guard whose item is not where it says."""
    held = ", ".join(
        f"{name} = {shown(value)}" for name, value in sorted(question.arguments.items())
    )
    return UnknownItem(
        f"the item with {held} is not where the guard of its id says: it was not written through"
        " the model, or moves without end"
    )
