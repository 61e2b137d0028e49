"""Writes as parts of a transaction: nothing is sent before `transact` takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic, TypeVar

from keyfold.typed.shapes import Shapes
from keyfold.writes import Create, Delete, Put, Run, Update

NewT = TypeVar("NewT")
PutT = TypeVar("PutT")
KeyT = TypeVar("KeyT")
PatchT = TypeVar("PatchT")


class Parts(Generic[NewT, PutT, KeyT, PatchT]):
    """The writes of an entity as parts of a transaction."""

    def __init__(self, shapes: Shapes, entity: str) -> None:
        self._shapes = shapes
        self._entity = entity

    def create(self, new: NewT) -> Create:
        """Creates one that must not exist. Defaults are filled in."""
        return Create(self._entity, self._shapes.given(new))

    def put(self, whole: PutT) -> Put:
        """Writes a whole one, whether it exists or not."""
        return Put(self._entity, self._shapes.given(whole))

    def update(self, key: KeyT, patch: PatchT) -> Update:
        """Changes one that exists. `UNSET` attributes stay as they are; `None` removes one."""
        return Update(self._entity, self._shapes.changes(key, patch))

    def delete(self, key: KeyT) -> Delete:
        """Deletes one that exists, with everything that follows from it."""
        return Delete(self._entity, self._shapes.key(key))


class NamedParts:
    """The named writes of a model as parts of a transaction: what generated ones share."""

    def __init__(self, shapes: Shapes) -> None:
        self._shapes = shapes

    def _run(self, name: str, args: Mapping[str, object]) -> Run:
        return Run(name, self._shapes.arguments(args))
