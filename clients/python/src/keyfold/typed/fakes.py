"""Entities for tests by methods of a generated client: `shop.fake.order(status="paid")`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar

from keyfold.typed.shapes import UNSET

if TYPE_CHECKING:
    from keyfold.fakes import Fakes
    from keyfold.typed.awaited import AsyncTyped
    from keyfold.typed.blocking import Typed

New = TypeVar("New")


class NamedFakes:
    """Random entities by a seed, each valid for the model: what generated factories share."""

    def __init__(self, owner: Typed | AsyncTyped, *, seed: int = 1) -> None:
        self._owner = owner
        self._seed = seed
        self._fakes: Fakes | None = None

    def _new(
        self,
        entity: str,
        of: type[New],
        values: Mapping[str, object],
        related: Mapping[str, object] | None,
    ) -> New:
        """A new entity. Values that are not set are made."""
        if self._fakes is None:
            # A program that makes none does not load them.
            from keyfold.fakes import Fakes

            self._fakes = Fakes(self._owner, seed=self._seed)
        given = {name: one for name, one in values.items() if one is not UNSET}
        return self._fakes.named(entity, of, given, related)
