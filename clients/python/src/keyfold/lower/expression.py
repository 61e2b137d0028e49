"""Conditions, filters and changes as values, and their expressions with placeholders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any as Json
from typing import TypeAlias

from keyfold.lower.bound import All, Any, Bound, Not, Test
from keyfold.plan.condition import Attribute as OtherAttribute
from keyfold.plan.condition import Path
from keyfold.values.value import Value


@dataclass(frozen=True)
class Exists:
    """The item has the attribute."""

    attribute: str


@dataclass(frozen=True)
class Missing:
    """The item does not have the attribute."""

    attribute: str


@dataclass(frozen=True)
class Equal:
    """The attribute has this value."""

    attribute: str
    value: Value


Term: TypeAlias = "Exists | Missing | Equal | Bound"
"""A condition on an item."""


@dataclass(frozen=True)
class Set:
    """A given value."""

    value: Value


@dataclass(frozen=True)
class Of:
    """The stored value of an attribute, or of a field inside it."""

    path: Path


@dataclass(frozen=True)
class Joined:
    """One operand plus or minus another."""

    left: Change
    right: Change
    is_sum: bool


@dataclass(frozen=True)
class First:
    """The stored value, or this one where there is none."""

    value: Value


@dataclass(frozen=True)
class Add:
    """The stored number plus this one; an absent attribute counts as zero."""

    number: str


@dataclass(frozen=True)
class Append:
    """The stored list with this element behind or before the others."""

    element: Value
    is_before: bool = False


@dataclass(frozen=True)
class Include:
    """The stored set with the elements of this one."""

    value: Value


@dataclass(frozen=True)
class Exclude:
    """The stored set without the elements of this one."""

    value: Value


@dataclass(frozen=True)
class InField:
    """The stored record or map with another value of the field at the end of this way."""

    fields: tuple[str, ...]
    change: Change


Change: TypeAlias = "Set | Of | Joined | First | Add | Append | Include | Exclude | InField"
"""The new value of an attribute."""
Changes: TypeAlias = "list[tuple[str, Change]]"


class Placeholders:
    """The placeholders of the expressions of one request."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._values: dict[str, Value] = {}

    def name(self, attribute: str) -> str:
        """The placeholder of a name, the same for the same name."""
        return self._names.setdefault(attribute, f"#n{len(self._names)}")

    def path(self, path: Path) -> str:
        """The placeholders of a path, joined by points."""
        return ".".join([self.name(name) for name in path])

    def value(self, value: Value) -> str:
        """A new placeholder of a value."""
        placeholder = f":v{len(self._values)}"
        self._values[placeholder] = value
        return placeholder

    def members(self) -> dict[str, Json]:
        """The members of a request that hold the names and values."""
        made: dict[str, Json] = {}
        if self._names:
            made["ExpressionAttributeNames"] = {own: name for name, own in self._names.items()}
        if self._values:
            made["ExpressionAttributeValues"] = self._values
        return made

    def terms(self, terms: Sequence[Term]) -> str | None:
        """The terms joined by AND; none for no terms."""
        return " AND ".join([self._term(term) for term in terms]) or None

    def _term(self, term: Term) -> str:
        if isinstance(term, Exists):
            return f"attribute_exists({self.name(term.attribute)})"
        if isinstance(term, Missing):
            return f"attribute_not_exists({self.name(term.attribute)})"
        if isinstance(term, Equal):
            name = self.name(term.attribute)
            return f"{name} = {self.value(term.value)}"
        return f"({self._condition(term)})" if isinstance(term, Any) else self._condition(term)

    def _condition(self, bound: Bound) -> str:
        if isinstance(bound, Test):
            return self._test(bound)
        if isinstance(bound, Not):
            return f"NOT ({self._condition(bound.member)})"
        word = " AND " if isinstance(bound, All) else " OR "
        return word.join([self._member(member) for member in bound.members])

    def _member(self, member: Bound) -> str:
        made = self._condition(member)
        return f"({made})" if isinstance(member, (All, Any)) else made

    def _test(self, test: Test) -> str:
        path = self.path(test.path)
        left = f"size({path})" if test.is_size else path
        right = [
            self.path(one.path) if isinstance(one, OtherAttribute) else self.value(one)
            for one in test.operands
        ]
        made = {
            "contains": "contains({left}, {right})",
            "starts": "begins_with({left}, {right})",
            "exists": "attribute_exists({left})",
            "missing": "attribute_not_exists({left})",
            "in": "{left} IN ({right})",
        }.get(test.comparator, f"{{left}} {test.comparator} {{right}}")
        return made.format(left=left, right=", ".join(right))

    def changes(self, changes: Changes, removed: Sequence[Path]) -> str:
        """The update expression: `SET ... REMOVE ... ADD ... DELETE ...`."""
        clauses: dict[str, list[str]] = {"SET": [], "REMOVE": [], "ADD": [], "DELETE": []}
        for attribute, change in changes:
            fields = change.fields if isinstance(change, InField) else ()
            target = self.path((attribute, *fields))
            made = self._change(target, change)
            if isinstance(change, Include):
                clauses["ADD"].append(f"{target} {made}")
            elif isinstance(change, Exclude):
                clauses["DELETE"].append(f"{target} {made}")
            else:
                clauses["SET"].append(f"{target} = {made}")
        clauses["REMOVE"] = [self.path(path) for path in removed]
        said = (f"{word} {', '.join(all_of)}" for word, all_of in clauses.items() if all_of)
        return " ".join(said)

    def _change(self, target: str, change: Change) -> str:
        """The new value of what lies at `target`, the placeholders of its path."""
        if isinstance(change, (Set, Include, Exclude)):
            return self.value(change.value)
        if isinstance(change, InField):
            return self._change(target, change.change)
        if isinstance(change, Of):
            return self.path(change.path)
        if isinstance(change, Joined):
            left = self._change(target, change.left)
            sign = "+" if change.is_sum else "-"
            return f"{left} {sign} {self._change(target, change.right)}"
        if isinstance(change, First):
            return f"if_not_exists({target}, {self.value(change.value)})"
        if isinstance(change, Add):
            zero = self.value({"N": "0"})
            return f"if_not_exists({target}, {zero}) + {self.value({'N': change.number})}"
        nothing = self.value({"L": []})
        one, stored = self.value({"L": [change.element]}), f"if_not_exists({target}, {nothing})"
        return (
            f"list_append({one}, {stored})" if change.is_before else f"list_append({stored}, {one})"
        )
