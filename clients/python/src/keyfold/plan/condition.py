"""Conditions of filters, writes and copies, and the operands of assignments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from keyfold.values.value import Value

Path: TypeAlias = "tuple[str, ...]"
"""An attribute, and the way to a field inside it."""


@dataclass(frozen=True)
class Parameter:
    """The value of a parameter."""

    name: str


@dataclass(frozen=True)
class Attribute:
    """The value of another attribute, or of a field inside it."""

    name: str
    fields: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        """The attribute, and the way to the field."""
        return (self.name, *self.fields)


@dataclass(frozen=True)
class Literal_:
    """A fixed value."""

    value: Value


@dataclass(frozen=True)
class Lent:
    """An attribute of the entity of an earlier action of the write."""

    action: int
    attribute: str

    @property
    def argument(self) -> str:
        """The name of the value among the arguments. No parameter has a colon in its name."""
        return f"{self.action}:{self.attribute}"


Operand: TypeAlias = "Parameter | Attribute | Lent | Literal_"

Comparator: TypeAlias = Literal[
    "=", "<>", "<", "<=", ">", ">=", "contains", "starts", "exists", "missing", "in", "within"
]


@dataclass(frozen=True)
class Comparison:
    """A comparison of an attribute, or of a field inside it."""

    path: Path
    comparator: Comparator
    operands: tuple[Operand, ...]
    is_size: bool
    """Whether the size of the value is compared."""
    text: str
    """The comparison as the model writes it."""

    def attributes(self) -> Iterator[str]:
        """The attributes that it looks at."""
        yield self.path[0]
        for operand in self.operands:
            if isinstance(operand, Attribute):
                yield operand.name

    def parameters(self) -> Iterator[str]:
        """The parameters that it compares with."""
        return (one.name for one in self.operands if isinstance(one, Parameter))


@dataclass(frozen=True)
class Not:
    """The member does not hold."""

    member: Condition


@dataclass(frozen=True)
class All:
    """All members hold."""

    members: tuple[Condition, ...]


@dataclass(frozen=True)
class Any:
    """At least one member holds."""

    members: tuple[Condition, ...]


Condition: TypeAlias = "Comparison | Not | All | Any"


def comparisons(condition: Condition) -> Iterator[Comparison]:
    """The comparisons of a condition, from left to right."""
    if isinstance(condition, Comparison):
        yield condition
    elif isinstance(condition, Not):
        yield from comparisons(condition.member)
    else:
        for member in condition.members:
            yield from comparisons(member)


def attributes(condition: Condition) -> Iterator[str]:
    """The attributes that a condition looks at."""
    return (name for one in comparisons(condition) for name in one.attributes())


def parameters(condition: Condition) -> Iterator[str]:
    """The parameters that a condition compares with."""
    return (name for one in comparisons(condition) for name in one.parameters())


def without(condition: Condition, absent: Sequence[str]) -> Condition | None:
    """The condition without the comparisons that use one of these parameters, if any remains."""
    if isinstance(condition, Comparison):
        return None if any(name in absent for name in condition.parameters()) else condition
    if isinstance(condition, Not):
        member = without(condition.member, absent)
        return None if member is None else Not(member)
    kept = tuple(one for one in (without(m, absent) for m in condition.members) if one)
    if len(kept) < 2:
        return kept[0] if kept else None
    return All(kept) if isinstance(condition, All) else Any(kept)


def written(condition: Condition) -> str:
    """The condition as the model writes it."""
    if isinstance(condition, Comparison):
        return condition.text
    if isinstance(condition, Not):
        return f"not {_member(condition.member)}"
    word = " and " if isinstance(condition, All) else " or "
    return word.join(_member(member) for member in condition.members)


def _member(condition: Condition) -> str:
    is_plain = isinstance(condition, (Comparison, Not))
    return written(condition) if is_plain else f"({written(condition)})"


def conjunction(conditions: Sequence[Condition]) -> str:
    """The text of conditions that all hold."""
    if len(conditions) == 1:
        return written(conditions[0])
    return " and ".join(_member(one) for one in conditions)
