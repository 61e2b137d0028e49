"""Items, pages and reports, as programs get them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any


class Item(Mapping[str, Any]):
    """An item: its kind, and its attributes by name.

    `item | {"total": 5}` is the item with other values, which may be written back: what the model
    keeps is left out there. An item is also the key of itself.
    """

    __slots__ = ("_values", "kind", "of")

    def __init__(self, kind: str, values: dict[str, Any], of: str | None = None) -> None:
        self.kind = kind
        """The entity, or `Entity.copy`, or the name that the pattern gives it."""
        self.of = kind if of is None else of
        """The entity, or `Entity.copy`, whatever name the pattern gives it."""
        self._values = values

    def __or__(self, other: Mapping[str, Any]) -> Item:
        return Item(self.kind, {**self._values, **other}, self.of)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Item):
            return self.kind == other.kind and self._values == other._values
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Item({self.kind!r}, {self._values!r})"


@dataclass(frozen=True)
class Page:
    """One page of a pattern's answer."""

    items: list[Item]
    next: str | None
    """The cursor of the next page; none at the end of the answer. It may be given to a browser."""
    requests: int
    """The number of requests that it took."""
    capacity: float
    """The capacity units consumed."""


@dataclass(frozen=True)
class Made:
    """An attribute that was not given, and has the present moment or a new identifier."""

    entity: str
    attribute: str
    """The attribute; behind the alias of an action that has one: `first.accountId`."""
    value: Any


@dataclass(frozen=True)
class Written:
    """The report of a write."""

    operation: str
    """PutItem, UpdateItem, DeleteItem or TransactWriteItems; GetItem when nothing had to be
    written."""
    changes: list[str]
    """The change of each item: `put Order`, `delete the guard of email`."""
    capacity: float
    """The capacity units consumed."""
    made: list[Made] = field(default_factory=lambda: [])

    def value(self, attribute: str) -> Any:
        """The value that was made for an attribute."""
        return next(one.value for one in self.made if one.attribute == attribute)


@dataclass(frozen=True)
class OneOfSeveral:
    """The report of one write of a transaction."""

    changes: list[str]
    """The change of each item. An item that several writes change is the first one's."""
    made: list[Made]

    def value(self, attribute: str) -> Any:
        """The value that was made for an attribute."""
        return next(one.value for one in self.made if one.attribute == attribute)


@dataclass(frozen=True)
class Transacted:
    """The report of a transaction."""

    operation: str
    """TransactWriteItems; the operation of the one item where only one changes; GetItem when
    nothing had to be written."""
    capacity: float
    """The capacity units consumed."""
    writes: list[OneOfSeveral]
    """The report of each write, in their order."""


@dataclass(frozen=True)
class BatchWritten:
    """The report of a batch that was written as a whole."""

    requests: int
    """The number of requests that it took."""
    capacity: float
    """The capacity units consumed."""
    made: list[list[Made]]
    """For each item, the attributes that were not given and were made."""


@dataclass(frozen=True)
class Event:
    """A change of an entity or of a copy, from a stream record."""

    kind: str
    """The entity, or `Entity.copy`."""
    old: Item | None
    """The attributes before the change, if the stream has them."""
    new: Item | None
    """The attributes after the change, if the stream has them."""
