"""From stored items to the model's: keys distinguish the kinds, of which an item may say another
name; split lists are joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from keyfold.errors import UnknownItem
from keyfold.lower.derive import kind_name
from keyfold.lower.read.question import FoundItem, printed_columns
from keyfold.lower.stored import digest_attribute, is_as_written, values_of
from keyfold.lower.unknown import require, says_kind, unknown_item
from keyfold.plan.model import Copy, Entity, Index, Pattern, Plan, Returned
from keyfold.plan.template import Chunk, KeyColumn
from keyfold.values.value import Item, Values


@dataclass(frozen=True)
class _Kind:
    name: str
    entity: Entity
    copy: Copy | None
    attributes: tuple[str, ...]
    key: tuple[KeyColumn, ...]
    is_split: bool
    """Whether the sort key ends with the number of a part."""
    index: Index | None
    """The index that is read; none for the table."""

    @property
    def list(self) -> str | None:
        """The split list, if the pattern returns it."""
        split = self.entity.split
        return split[0] if split and split[0] in self.attributes else None

    @property
    def digits(self) -> int:
        last = self.key[-1].parts[-1]
        return last.digits if isinstance(last, Chunk) else 0

    def fits(self, item: Item) -> bool:
        return all(_fits(column, item) for column in self.key)


def _fits(column: KeyColumn, item: Item) -> bool:
    value = item.get(column.attribute)
    if value is None or column.matches is None:
        return value is not None
    return "S" in value and column.matches.fullmatch(value["S"]) is not None


def _kind(pattern: Pattern, plan: Plan, returned: Returned) -> _Kind:
    entity, copy = returned.entity, returned.copy
    key = copy.key if copy else entity.key
    names = copy.attributes if copy else tuple(entity.attributes)
    parts = key[-1].parts if len(key) > 1 else ()
    ends_with_part = bool(parts) and isinstance(parts[-1], Chunk)
    return _Kind(
        name=returned.name,
        entity=entity,
        copy=copy,
        attributes=tuple(name for name in names if not pattern.only or name in pattern.only),
        key=key,
        is_split=copy is None and ends_with_part and plan.index is None,
        index=plan.index,
    )


class Kinds:
    """The kinds of items that a pattern returns, with what distinguishes them."""

    def __init__(
        self,
        pattern: Pattern,
        plan: Plan,
        returned: Sequence[Returned],
        *,
        skips_unknown: bool = False,
        ends_early: bool = False,
    ) -> None:
        self._pattern = pattern
        self._kinds = [_kind(pattern, plan, one) for one in returned]
        self._table = plan.table
        self._skips = skips_unknown or plan.request == "Scan"
        self._skips_wrong = skips_unknown
        self.ends_early = ends_early
        """Whether an answer ends before an item that is an error, where it has one before it."""

    def only(self) -> tuple[Entity, Copy | None] | None:
        """The entity or the copy, where the pattern returns only one kind."""
        if len(self._kinds) != 1:
            return None
        return self._kinds[0].entity, self._kinds[0].copy

    @property
    def is_split(self) -> bool:
        """Whether an entity may be stored as several items."""
        return any(kind.is_split for kind in self._kinds)

    def digests(self) -> tuple[str, ...]:
        """The digest attributes of the split lists."""
        lists = (kind.list for kind in self._kinds if kind.is_split)
        return tuple(digest_attribute(name) for name in lists if name)

    def _kind_of(self, item: Item) -> _Kind | None:
        return next((kind for kind in self._kinds if kind.fits(item)), None)

    def _part_of(self, item: Item) -> tuple[str, str] | None:
        """The sort key without the number of the part, and that number; none for no part."""
        kind = self._kind_of(item)
        if kind is None or not kind.is_split or self._table.sort is None:
            return None
        text = item.get(self._table.sort, {}).get("S")
        if text is None or len(text) < kind.digits:
            return None
        return text[: -kind.digits], text[-kind.digits :]

    def groups(self, items: Sequence[Item]) -> list[list[Item]]:
        """The items that belong together. The parts of one entity lie side by side."""
        groups: list[list[Item]] = []
        if not self.is_split:
            return [[item] for item in items]
        before: object = None
        for item in items:
            part = self._part_of(item)
            start = None if part is None else (item.get(self._table.partition), part[0])
            if groups and start is not None and start == before:
                groups[-1].append(item)
            else:
                groups.append([item])
            before = start
        return groups

    def main_of(self, members: Sequence[Item]) -> Item:
        """The main item of an entity among its parts."""
        return min(members, key=lambda item: (self._part_of(item) or ("", ""))[1])

    def found(self, items: Sequence[Item]) -> list[FoundItem] | None:
        """The items with their kinds; none when parts of a list do not belong together.

        A scan skips items of other kinds; elsewhere they are an error unless the caller skips them.
        """
        found: list[FoundItem] = []
        for group in self.groups(items):
            try:
                one = self._one(group)
            except UnknownItem:
                if self.ends_early and found:
                    return found
                raise
            if one == "apart":
                return found if self.ends_early and found else None
            if one is not None:
                found.append(one)
        return found

    def _one(self, group: Sequence[Item]) -> FoundItem | Literal["apart"] | None:
        """The entity or copy of the items that are stored of it; none for one that is left out, and
        `apart` where parts of a list do not belong together."""
        kind = self._kind_of(group[0])
        stranger = group[0] if kind is None else self._stranger(kind, group)
        if kind is None or stranger is not None:
            if self._skips:
                return None
            raise unknown_item(f"{self._pattern.name} found", self._table, stranger or group[0])
        ordered = sorted(group, key=lambda item: (self._part_of(item) or ("", ""))[1])
        try:
            values = values_of(kind.entity, kind.copy, kind.attributes, ordered)
            if kind.is_split and not self._is_complete(kind, ordered, values):
                return "apart"
            self._check_required(kind, group[0], values)
        except UnknownItem as error:
            if self._skips_wrong:
                return None
            raise error if error.entity else self._wrong(kind, group[0], error) from None
        return FoundItem(kind.name, values)

    def _stranger(self, kind: _Kind, group: Sequence[Item]) -> Item | None:
        """The first of the items of one entity or copy that says that it is of another kind."""
        for item in group:
            part = self._part_of(item)
            name = kind_name(kind.entity, kind.copy)
            # The further parts of a list have a name of their own.
            if part and part[1].strip("0"):
                name = f"{name}.part"
            if not says_kind(self._table, name, item):
                return item
        return None

    def _is_complete(self, kind: _Kind, parts: Sequence[Item], values: Values) -> bool:
        """Whether the parts of an entity begin with the first, and belong together."""
        part = self._part_of(parts[0])
        if part is None or part[1].strip("0"):
            return False
        return kind.list is None or is_as_written(kind.entity, parts[0], values)

    def _wrong(self, kind: _Kind, item: Item, error: UnknownItem) -> UnknownItem:
        """The error about an item of a kind that is not as the model writes it."""
        return UnknownItem(
            f"{self._pattern.name} found an item of {kind.name} ({self._key(item)}):"
            f" {error.message}",
            entity=kind.name,
            key=self._key(item),
            attribute=error.attribute,
        )

    def _check_required(self, kind: _Kind, item: Item, values: Values) -> None:
        """Refuses an item without an attribute that every item of its kind has."""
        place = "which is neither stored nor in a key"
        if kind.index is not None:
            place = f"which {kind.index.name} holds for it neither as an attribute nor in a key"
        found = f"{self._pattern.name} found"
        require(found, kind.entity, kind.name, kind.attributes, item, values, place=place)

    def _key(self, item: Item) -> str:
        """The key attributes of an item, for people."""
        return printed_columns(self._table, item)
