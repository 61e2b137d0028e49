"""The key condition of a query: the partition, and the range of sort keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

from keyfold.errors import Invalid
from keyfold.keys.end import At, Before, End, end
from keyfold.keys.fitted import Side, fitted, is_longer_than_keys
from keyfold.keys.text import column, prefix
from keyfold.lower.expression import Placeholders
from keyfold.lower.read.question import Question, printed
from keyfold.plan.model import Plan, Range
from keyfold.plan.template import Parts
from keyfold.plan.template import printed as printed_parts
from keyfold.values.value import Value, Values, order

Written: TypeAlias = "tuple[str, str]"
"""A term of a key condition: its expression, and its text for people."""
_Write: TypeAlias = Callable[[str, Placeholders], Written]
_Whole: TypeAlias = Literal["all", "nothing"]
"""A range of every key, or of none."""


class _Bounds(NamedTuple):
    """A range: its ends, the lower one first, and the writer of its term."""

    ends: tuple[Value, ...]
    write: _Write


def of_key(question: Question, arguments: Values, made: Placeholders) -> list[Written] | None:
    """The terms of a key condition; none where no key can fulfil it.

    `arguments` give the partition, with the period or shard to read; the question's own arguments
    give the ends of the range.
    """
    plan = question.plan
    terms = [
        _equal(one.attribute, question.checked("partition", one, arguments), made)
        for one in plan.partition
    ]
    if plan.sort is None:
        return terms
    for one in plan.sort.before:
        held = question.checked("sort", one, question.arguments)
        terms.append(_equal(one.attribute, held, made))
    if not plan.sort.at:
        return terms
    found = _range(question, plan.sort)
    if found == "nothing":
        return None
    if found != "all":
        if plan.sort.shape == "equal":
            question.check_length("sort", plan.sort.attribute, plan.sort.at, found.ends[0])
        terms.append(found.write(plan.sort.attribute, made))
    return terms


def _equal(attribute: str, held: Value, made: Placeholders) -> Written:
    name = made.name(attribute)
    return f"{name} = {made.value(held)}", printed(attribute, " = ", held)


def _range(question: Question, sort: Range) -> _Bounds | _Whole:
    """The writer of a range's term, `all` or `nothing`."""
    arguments = question.arguments
    if sort.shape == "equal":
        return _compared("=", column(sort.at, arguments))
    if sort.shape == "beginsWith":
        text = prefix(sort.at, arguments)
        if is_longer_than_keys(text):
            return "nothing"
        return _starts({"S": text}) if text else "all"

    def end_of(parts: Parts, side: Side) -> End:
        return fitted(end(parts, arguments, question.range_end), side)

    if sort.shape == "atLeast":
        return _between(end_of(sort.at, "low"), "open")
    if sort.shape == "atMost":
        return _between("open", end_of(sort.at, "high"))
    return _between(end_of(sort.at, "low"), end_of(sort.to or (), "high"))


def _between(low: End, high: End) -> _Bounds | _Whole:
    if low == "nothing" or high == "nothing":
        return "nothing"
    if isinstance(low, At) and isinstance(high, At):
        # DynamoDB refuses a range that ends before it starts.
        if (order(low.value, high.value) or 0) > 0:
            return "nothing"
        return _within(low.value, high.value)
    if isinstance(low, At) and high == "open":
        return _compared(">=", low.value)
    if low == "open" and not isinstance(high, str):
        return _compared("<" if isinstance(high, Before) else "<=", high.value)
    if low == "open":
        return "all"
    # The compiler refuses such a range: BETWEEN includes its ends.
    raise Invalid("a range with two ends includes its upper end")


def _compared(sign: str, held: Value) -> _Bounds:
    def write(attribute: str, made: Placeholders) -> Written:
        name = made.name(attribute)
        return f"{name} {sign} {made.value(held)}", printed(attribute, f" {sign} ", held)

    return _Bounds((held,), write)


def _starts(held: Value) -> _Bounds:
    def write(attribute: str, made: Placeholders) -> Written:
        name = made.name(attribute)
        shown = f"begins_with({printed(attribute, ', ', held)})"
        return f"begins_with({name}, {made.value(held)})", shown

    return _Bounds((held,), write)


def _within(low: Value, high: Value) -> _Bounds:
    def write(attribute: str, made: Placeholders) -> Written:
        name = made.name(attribute)
        shown = printed(attribute, " BETWEEN ", low) + printed("", " AND ", high)
        return f"{name} BETWEEN {made.value(low)} AND {made.value(high)}", shown

    return _Bounds((low, high), write)


def planned(plan: Plan) -> str:
    """The key condition of a plan with the templates of its keys, for people."""
    if not plan.partition:
        return "every item"
    terms = [f"{one.attribute} = {printed_parts(one.parts)}" for one in plan.partition]
    sort = plan.sort
    if sort is None:
        return " AND ".join(terms)
    terms.extend(f"{one.attribute} = {printed_parts(one.parts)}" for one in sort.before)
    at = printed_parts(sort.at)
    forms = {
        "equal": f"{sort.attribute} = {at}",
        "beginsWith": f"begins_with({sort.attribute}, {at})" if sort.at else "",
        "between": f"{sort.attribute} BETWEEN {at} AND {printed_parts(sort.to or ())}",
        "atLeast": f"{sort.attribute} >= {at}",
        "atMost": f"{sort.attribute} <= {at}",
    }
    return " AND ".join([*terms, forms[sort.shape]] if forms[sort.shape] else terms)
