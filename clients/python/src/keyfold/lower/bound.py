"""Conditions with the values of their parameters, and their judgement on an entity's attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from keyfold.errors import Invalid
from keyfold.plan import condition as plan
from keyfold.plan.condition import Comparator, Condition, Operand
from keyfold.values.value import Value, Values, at_path, order, tag


def missing_argument(of: str, name: str) -> Invalid:
    """The error about an absent argument."""
    return Invalid(f"{of} needs {name}", of=of, attribute=name)


Other: TypeAlias = "Value | plan.Attribute"
"""The right side of a comparison: a value, or another attribute."""


@dataclass(frozen=True)
class Test:
    """A comparison whose parameters have values. A range is two."""

    path: tuple[str, ...]
    comparator: Comparator
    operands: tuple[Other, ...]
    is_size: bool

    def holds(self, values: Values) -> bool:
        """Whether it holds for these attributes."""
        left = self._left(values)
        if self.comparator == "exists":
            return left is not None
        if self.comparator == "missing":
            return left is None
        right = [
            at_path(values, one.path) if isinstance(one, plan.Attribute) else one
            for one in self.operands
        ]
        if self.comparator == "in":
            return any(_compare(left, "=", one) for one in right)
        return _compare(left, self.comparator, right[0] if right else None)

    def _left(self, values: Values) -> Value | None:
        held = at_path(values, self.path)
        if held is None or not self.is_size:
            return held
        return _size(held)


@dataclass(frozen=True)
class Not:
    """The member does not hold."""

    member: Bound


@dataclass(frozen=True)
class All:
    """All members hold."""

    members: tuple[Bound, ...]


@dataclass(frozen=True)
class Any:
    """At least one member holds."""

    members: tuple[Bound, ...]


Bound: TypeAlias = "Test | Not | All | Any"


def bind(condition: Condition, arguments: Values) -> Bound:
    """Gives the parameters of a condition their values."""
    if isinstance(condition, plan.Not):
        return Not(bind(condition.member, arguments))
    if isinstance(condition, plan.All):
        return All(tuple(bind(one, arguments) for one in condition.members))
    if isinstance(condition, plan.Any):
        return Any(tuple(bind(one, arguments) for one in condition.members))
    operands = tuple(_operand(one, arguments) for one in condition.operands)
    test = Test(condition.path, condition.comparator, operands, condition.is_size)
    if test.comparator != "within":
        return test
    # BETWEEN refuses a range whose upper end is below the lower one.
    low = replace(test, comparator=">=", operands=operands[:1])
    return All((low, replace(test, comparator="<=", operands=operands[1:2])))


def _operand(operand: Operand, arguments: Values) -> Other:
    if isinstance(operand, plan.Attribute):
        return operand
    if isinstance(operand, plan.Literal_):
        return operand.value
    name = operand.argument if isinstance(operand, plan.Lent) else operand.name
    held = arguments.get(name)
    if held is None:
        raise missing_argument("the condition", name)
    return held


def holds(bound: Bound, values: Values) -> bool:
    """Whether a condition holds for these attributes."""
    if isinstance(bound, Test):
        return bound.holds(values)
    if isinstance(bound, Not):
        return not holds(bound.member, values)
    if isinstance(bound, All):
        return all(holds(one, values) for one in bound.members)
    return any(holds(one, values) for one in bound.members)


def all_hold(conditions: Sequence[Condition], values: Values) -> bool:
    """Whether conditions without parameters hold for these attributes."""
    return all(holds(bind(one, {}), values) for one in conditions)


def _compare(left: Value | None, comparator: Comparator, right: Value | None) -> bool:
    """Whether two values compare. A comparison with an absent one is false, except `<>`."""
    if left is None or right is None:
        return comparator == "<>"
    if comparator == "=":
        return left == right
    if comparator == "<>":
        return left != right
    if comparator == "contains":
        return _contains(left, right)
    if comparator == "starts":
        texts = "S" in left and "S" in right
        return texts and bool(left["S"].startswith(right["S"]))
    ordered = order(left, right)
    if ordered is None:
        return False
    return {"<": ordered < 0, "<=": ordered <= 0, ">": ordered > 0, ">=": ordered >= 0}[comparator]


def _contains(container: Value, part: Value) -> bool:
    kind = tag(container)
    if kind == "S":
        return "S" in part and part["S"] in container["S"]
    if kind == "L":
        return part in container["L"]
    if kind in ("SS", "NS", "BS"):
        return kind[0] in part and part[kind[0]] in container[kind]
    return False


def _size(value: Value) -> Value | None:
    """The size of a value as DynamoDB counts it."""
    kind = tag(value)
    if kind == "S":
        return {"N": str(len(value["S"].encode("utf-16-le")) // 2)}
    if kind in ("B", "L", "M", "SS", "NS", "BS"):
        return {"N": str(len(value[kind]))}
    return None
