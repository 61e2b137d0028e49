"""What a write makes where the caller does not give it, identifiers and moments, as generated
classes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from keyfold.item import Made
from keyfold.writes import TransactionWrite

M = TypeVar("M")
M_co = TypeVar("M_co", covariant=True)

_Way: TypeAlias = "Literal['argument', 'element', 'never']"
MadeMember: TypeAlias = "tuple[str, str, _Way, str | None] | tuple[str, str, _Way, str | None, str]"
"""The entity and the attribute as a report names them, where the caller may give the value, the
argument for each element of which it is made, and the argument that gives it where that has another
name."""

MadeTable: TypeAlias = "Mapping[str, Mapping[str, MadeMember]]"
"""What writes make, by the names of the model."""


@dataclass(frozen=True, slots=True)
class NothingMade:
    """Of a write that makes nothing."""


def made_of(
    members: Mapping[str, MadeMember], args: Mapping[str, Any], made: Sequence[Made]
) -> dict[str, Any]:
    """What a write made: values as the caller gave them, the others of its report."""
    left = list(made)

    def own(member: MadeMember, given: Mapping[str, Any]) -> Any:
        entity, attribute, way = member[:3]
        argument = member[4] if len(member) == 5 else attribute
        held = None if way == "never" else given.get(argument)
        if held is not None:
            return held
        for at, one in enumerate(left):
            if (one.entity, one.attribute) == (entity, attribute):
                return left.pop(at).value
        return None

    def value(member: MadeMember) -> Any:
        way, each = member[2], member[3]
        if each is None:
            return own(member, args)
        return [own(member, one if way == "element" else args) for one in args[each]]

    return {name: value(member) for name, member in members.items()}


@dataclass(frozen=True, slots=True)
class Written(Generic[M_co]):
    """The report of a write."""

    operation: str
    """PutItem, UpdateItem, DeleteItem or TransactWriteItems; GetItem when nothing had to be
    written."""
    changes: list[str]
    """The change of each item: `put Order`, `delete the guard of email`."""
    capacity: float
    """The capacity units consumed."""
    made: M_co
    """The identifiers and moments that it wrote of itself: as the caller gave them, or as they were
    made."""


@dataclass(frozen=True, slots=True)
class BatchWritten(Generic[M_co]):
    """The report of a batch that was written as a whole."""

    requests: int
    """The number of requests that it took."""
    capacity: float
    """The capacity units consumed."""
    made: list[M_co]
    """For each item, the identifiers and moments."""


class Part(Generic[M_co]):
    """A write as a part of a transaction."""

    def __init__(
        self,
        write: TransactionWrite,
        members: Mapping[str, MadeMember],
        args: Mapping[str, object],
        of: type[M_co],
        renamed: Mapping[str, str],
    ) -> None:
        self.write = write
        self._members = members
        self._args = args
        self._of = of
        self._renamed = renamed

    def made(self, made: Sequence[Made]) -> M_co:
        """What it made, of its report."""
        values = made_of(self._members, self._args, made)
        return self._of(**{self._renamed.get(name, name): held for name, held in values.items()})


@dataclass(frozen=True, slots=True)
class PartWritten(Generic[M_co]):
    """The report of one part of a transaction."""

    changes: list[str]
    """The change of each item. An item that several writes change is the first one's."""
    made: M_co
    """The identifiers and moments that it wrote of itself."""


@dataclass(frozen=True, slots=True)
class Transacted:
    """The report of a transaction."""

    operation: str
    """TransactWriteItems; the operation of the one item where only one changes; GetItem when
    nothing had to be written."""
    capacity: float
    """The capacity units consumed."""
    writes: list[PartWritten[Any]]
    """The report of each part, in their order."""
    parts: Sequence[Part[Any]]

    def of(self, part: Part[M]) -> PartWritten[M]:
        """The report of a part, with the type of what it made."""
        at = next(at for at, one in enumerate(self.parts) if one is part)
        return self.writes[at]
