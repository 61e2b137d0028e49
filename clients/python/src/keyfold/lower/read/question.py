"""A pattern with everything that its requests need, and what they answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from keyfold.keys.end import is_lower, is_upper
from keyfold.keys.text import column
from keyfold.lower import lengths
from keyfold.plan.model import Limit, ParameterPlan, Plan, Table
from keyfold.plan.template import KeyColumn, Parts
from keyfold.values.value import Item, Value, Values, display, order, shown


@dataclass
class Question:
    """A plan with its arguments."""

    plan: Plan
    arguments: Values
    """The caller's arguments, and the values that the pattern fixes."""
    parameters: Mapping[str, ParameterPlan] = field(default_factory=lambda: {})
    digests: tuple[str, ...] = ()
    """The digest attributes of lists that are joined from parts."""
    limit: int | None = None
    backward: bool = False
    name: str = ""
    """The pattern, for messages."""

    def checked(self, part: str, one: KeyColumn, arguments: Values) -> Value:
        """An attribute of a key that the pattern asks for. One that is too long is refused."""
        held = column(one.parts, arguments)
        self.check_length(part, one.attribute, one.parts, held)
        return held

    def check_length(self, part: str, attribute: str, parts: Parts, held: Value) -> None:
        """Refuses an attribute of a key that is longer than a key can be."""
        lengths.check(f"the pattern {self.name}", part, (attribute, parts), held)

    @property
    def is_descending(self) -> bool:
        """Whether the requests read in descending order of sort keys."""
        return self.plan.descending != self.backward

    def compare(self, one: Item, other: Item) -> int:
        """The order in which the answer has two items. Absent attributes are equal to all."""
        for name in self.plan.sort_attributes:
            left, right = one.get(name), other.get(name)
            ordered = order(left, right) if left is not None and right is not None else None
            if ordered:
                return -ordered if self.is_descending else ordered
        return 0

    def range_end(self, parameter: str) -> Limit | None:
        """The end of a range that a parameter gives; none for other parameters."""
        found = self.parameters.get(parameter)
        if found is None or not (is_lower(found.limit) or is_upper(found.limit)):
            return None
        return found.limit

    def is_strict(self, parameter: str) -> bool:
        """Whether a parameter is an end outside of its range."""
        found = self.parameters.get(parameter)
        return found is not None and found.limit in ("above", "below")


@dataclass
class Raw:
    """Items as they are stored, and the cost of reading them."""

    items: list[Item] = field(default_factory=lambda: [])
    condition: str = ""
    """The key condition of the first request, for people."""
    requests: int = 0
    capacity: float = 0.0
    next: Item | None = None

    def add(self, other: Raw) -> None:
        """Adds the items and the cost of another reading."""
        if self.requests == 0:
            self.condition = other.condition
        self.requests += other.requests
        self.capacity += other.capacity
        self.items.extend(other.items)


@dataclass(frozen=True)
class FoundItem:
    """An item and its kind."""

    kind: str
    """The entity, or `Entity.copy`, or the name that the pattern gives it."""
    attributes: Values
    """The attributes of the model, without keys, in the order of their declaration."""


def printed(attribute: str, comparison: str, value: Value) -> str:
    """A comparison for people."""
    if "S" in value:
        text = '"' + display(value).replace("\U0010ffff", "…") + '"'
    else:
        text = shown(value)
    return f"{attribute}{comparison}{text}"


def printed_columns(table: Table, item: Item) -> str:
    """The key attributes of an item, for people."""
    columns = [name for name in table.columns if name in item]
    return ", ".join(printed(name, " = ", item[name]) for name in columns)


def printed_key(key: Item) -> str:
    """A key for people."""
    return " AND ".join(printed(name, " = ", value) for name, value in sorted(key.items()))
