"""The main item of an entity before and after a change, and the step between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from keyfold.lower.derive import Derived
from keyfold.lower.expression import Changes, Set, Term
from keyfold.lower.write.step import Step, Update, put
from keyfold.plan.model import Entity
from keyfold.values.value import Item, Value


@dataclass(frozen=True)
class MainItem:
    """The main item of an entity before and after a change."""

    entity: Entity
    stored: Item
    """The item as it was read, with attributes that the model does not name."""
    before: Derived
    after: Derived
    given: Sequence[str] | None
    """The attributes that the caller gives, none for all. They are written even where they equal
    the values read, since another writer may have changed them in the meantime."""
    left: Sequence[str]
    """The attributes of index keys that go, and that did not follow from the old values."""

    def step(self, conditions: Sequence[Term]) -> Step | None:
        """The step that changes the main item; none when nothing differs."""
        if self.given is None and not self._loses_by_put():
            return put(self.entity, self.after).unless_stale(conditions)
        lost = self._lost_attributes()
        written = list(self._written_attributes())
        differing = {name for name, value in written if self.stored.get(name) != value}
        if self.given is not None and not lost and not differing:
            return None
        changes: Changes = [
            (name, Set(value))
            for name, value in written
            if name in differing or self._is_given(name)
        ]
        removed = [(name,) for name in (*lost, *self._absent_attributes(lost))]
        return Step(
            label=f"update {self.entity.name}",
            refusal="stale",
            table=self.after.table,
            key=self.after.key,
            conditions=list(conditions),
            action=Update(changes, [*removed]),
        )

    def _is_kept(self, name: str) -> bool:
        """Whether the model keeps an attribute in the item. The version goes with every change."""
        return self.entity.is_kept(name) and self.entity.version != name

    def _loses_by_put(self) -> bool:
        """Whether a put would lose an attribute that the model keeps, or does not name."""
        known = (self.entity.attributes, self.before.item, self.after.item)
        keeps = any(self._is_kept(name) for name in self.entity.attributes)
        return keeps or any(all(name not in one for one in known) for name in self.stored)

    def _written_attributes(self) -> Iterator[tuple[str, Value]]:
        """The new attributes that are not of the key and not kept by the model."""
        for name, value in sorted(self.after.item.items()):
            if name not in self.after.key and not self._is_kept(name):
                yield name, value

    def _lost_attributes(self) -> list[str]:
        """The attributes that followed from the old values and not from the new ones."""
        before, after = self.before.item, self.after.item
        lost = [name for name in before if name not in after and not self._is_kept(name)]
        return sorted({*lost, *self.left})

    def _absent_attributes(self, lost: Sequence[str]) -> list[str]:
        """The given attributes without a value that were absent when the item was read: another
        writer may have added them since."""
        after = self.after.item
        if self.given is not None:
            return [
                name
                for name in sorted(set(self.given))
                if name not in after and name not in self.before.item
            ]
        return [
            name
            for name in self.entity.attributes
            if name not in after and not self._is_kept(name) and name not in lost
        ]

    def _is_given(self, name: str) -> bool:
        return self.given is None or name in self.given
