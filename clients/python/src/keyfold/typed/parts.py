"""Writes as parts of a transaction: nothing is sent before `transact` takes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from keyfold import item
from keyfold.lower.write.meeting import no_write
from keyfold.options import check_list
from keyfold.typed.classes import Takes
from keyfold.typed.made import NothingMade, Part, PartWritten, Transacted, Written
from keyfold.typed.shapes import Shapes
from keyfold.writes import Create, Delete, Put, Run, TransactionWrite, Update

New = TypeVar("New")
PutT = TypeVar("PutT")
Key = TypeVar("Key")
Patch = TypeVar("Patch")
T = TypeVar("T")
M = TypeVar("M")
Touched = TypeVar("Touched")


class NamedPart(Part[M]):
    """A named write as a part of a transaction."""

    write: Run


class Parts(Generic[New, PutT, Key, Patch, T, M, Touched]):
    """The writes of an entity as parts of a transaction."""

    def __init__(
        self, shapes: Shapes, entity: str, made: type[M], touched: type[Touched], takes: Takes
    ) -> None:
        self._shapes = shapes
        self._entity = entity
        self._made = made
        self._touched = touched
        self._takes = takes

    def create(self, new: New | T) -> Part[M]:
        """Creates one that must not exist. Defaults are filled in."""
        given = self._takes.new(new)
        return self._part(Create(self._entity, given), "create", given, self._made)

    def put(self, whole: PutT | T) -> Part[M]:
        """Writes a whole one, whether it exists or not."""
        given = self._takes.put(whole)
        return self._part(Put(self._entity, given), "create", given, self._made)

    def update(self, key: Key | T, patch: Patch) -> Part[Touched]:
        """Changes one that exists. `UNSET` attributes stay as they are; `None` removes one."""
        held, given = self._takes.key(key), self._takes.patch(patch)
        write = Update(self._entity, given, key=held)
        return self._part(write, "update", given, self._touched)

    def delete(self, key: Key | T) -> Part[NothingMade]:
        """Deletes one that exists, with everything that follows from it."""
        given = self._takes.key(key)
        return self._part(Delete(self._entity, given), "delete", given, NothingMade)

    def _part(
        self, write: TransactionWrite, verb: str, given: Mapping[str, object], of: type[Any]
    ) -> Part[Any]:
        members = self._shapes.made_by(f"{verb} {self._entity}")
        return Part(write, members, given, of, self._shapes.names)


class NamedParts:
    """The named writes of a model as parts of a transaction: what generated ones share."""

    def __init__(self, shapes: Shapes) -> None:
        self._shapes = shapes

    def _run(self, name: str, args: Mapping[str, object], of: type[M]) -> NamedPart[M]:
        given = self._shapes.of_write(name, args)
        return NamedPart(
            Run(name, given), self._shapes.made_by(name), given, of, self._shapes.names
        )


def parts_of(writes: Iterable[Part[Any]]) -> list[Part[Any]]:
    """The parts of a transaction. Refuses what is none."""
    parts = check_list("writes", writes, "transact")
    for at, part in enumerate(parts):
        if not isinstance(part, Part):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise no_write(at, "a part, such as those of `part`", part)
    return parts


def written(done: item.Written, part: Part[M]) -> Written[M]:
    """The report of a write, with the type of what it made."""
    return Written(done.operation, done.changes, done.capacity, part.made(done.made))


def transacted(done: item.Transacted, parts: Sequence[Part[Any]]) -> Transacted:
    """The report of a transaction of parts."""
    both = zip(done.writes, parts, strict=True)
    writes = [PartWritten(one.changes, part.made(one.made)) for one, part in both]
    return Transacted(done.operation, done.capacity, writes, parts)
