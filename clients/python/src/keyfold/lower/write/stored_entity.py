"""An entity as it is stored: its main item, the parts of a split list, and its attributes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from keyfold.errors import Invalid, KeyfoldError, Refused, UnknownItem, is_absent_table
from keyfold.keys.text import CHUNK, column
from keyfold.lower import capacity
from keyfold.lower.derive import (
    CopyRole,
    Derived,
    IdGuard,
    Main,
    PartRole,
    derive,
    guard_key,
    held_place,
    main_key,
    table_name,
)
from keyfold.lower.read.places import Places
from keyfold.lower.steps import TRIES, Lowering, Request, ask, back_off
from keyfold.lower.stored import (
    Packed,
    Unreadable,
    digest_attribute,
    is_as_written,
    parts_attribute,
    values_of,
    without_list,
)
from keyfold.lower.unknown import require_kind
from keyfold.lower.write.refusal import key_text
from keyfold.plan.model import Entity
from keyfold.plan.template import Chunk
from keyfold.values.value import Item, Value, Values, canonical_item


@dataclass(frozen=True)
class StoredEntity:
    """An entity as it was read."""

    item: Item
    """The main item."""
    values: Values
    """The attributes, unpacked and joined."""
    parts: Sequence[Item]
    """The items behind the main one that a list is split over."""
    packed: Packed
    """Its compressed values, as they are stored."""
    lacks_guard: bool = False
    """Whether it has an `id` whose guard is absent: another program wrote it."""
    unreadable: Unreadable = field(default_factory=lambda: {})
    """The attributes that cannot be read, and are absent from the values: another program wrote
    them. The item can be deleted and replaced."""

    def derived(self, entity: Entity) -> list[Derived]:
        """The items that are stored for the entity, the main one first.

        The parts of a list are those that were read: another version of the model may have split it
        differently.
        """
        try:
            all_of = derive(entity, self.values, self.packed, self.item)
        except Invalid as wrong:
            repair = f"correct `{wrong.attribute}` in the table"
            raise self._wrong_value(entity, wrong, "copies and guards", repair) from None
        if self.lacks_guard:
            all_of = [one for one in all_of if not isinstance(one.role, IdGuard)]
        all_of = [self._with_unreadable(entity, one) for one in all_of]
        if entity.split is None:
            return all_of
        all_of = [one for one in all_of if not isinstance(one.role, PartRole)]
        name = table_name(entity, self.values)
        for at, item in enumerate(self.parts, 1):
            key = {own: item[own] for own in entity.table.columns if own in item}
            all_of.append(Derived(PartRole(at), name, key, item))
        return all_of

    def _with_unreadable(self, entity: Entity, one: Derived) -> Derived:
        """An item with what is stored of attributes that cannot be read, where it holds them: new
        values differ from it."""
        copy = entity.copies[one.role.name] if isinstance(one.role, CopyRole) else None
        stored: Item = {}
        for name in self.unreadable:
            if not (isinstance(one.role, Main) or (copy is not None and name in copy.attributes)):
                continue
            for held in (name, parts_attribute(name), digest_attribute(name)):
                if held in self.item:
                    stored[held] = self.item[held]
        return replace(one, item={**one.item, **stored}) if stored else one

    def require_kind(self, entity: Entity) -> None:
        """Refuses what rests on the item, where it says that it is of another kind. A write that
        does not read it replaces and deletes it."""
        found = f"the key of this {entity.name} has"
        require_kind(found, entity.table, entity.name, self.item)

    def require_readable(self, is_needed: Callable[[str], bool]) -> None:
        """Refuses what needs an attribute that cannot be read."""
        for name, wrong in self.unreadable.items():
            if is_needed(name):
                raise wrong

    def explained(
        self, entity: Entity, given: Sequence[str] | None, error: Invalid
    ) -> KeyfoldError:
        """The error of new values of which no key can be made, where the value is one that another
        program wrote and the caller does not give."""
        own = entity.attributes.get(error.attribute or "")
        if own is None or (not own.kept if given is None else own.name in given):
            return error
        return self._wrong_value(entity, error, "index keys", f"give `{own.name}`, too")

    def _wrong_value(self, entity: Entity, wrong: Invalid, unknown: str, repair: str) -> Refused:
        """The error of an item whose stored values make no keys, which another program wrote.
        `unknown` are the keys, and `repair` corrects the attribute."""
        identity = key_text(entity, self.values)
        return Refused(
            f"the {entity.name} with {identity} holds a value of which no key can be made"
            f" ({wrong}), so that its {unknown} are not known: {repair}; `keyfold verify` finds"
            " such items"
        )

    def with_kept(self, entity: Entity, given: Values) -> Values:
        """The given values, with the attributes that the model keeps as they are stored."""
        all_of = dict(given)
        for name, attribute in entity.attributes.items():
            if not attribute.kept:
                continue
            if name in self.values:
                all_of[name] = self.values[name]
            else:
                all_of.pop(name, None)
        return all_of


def get(table: str, key: Item) -> Lowering[Item | None]:
    """Reads an item with strong consistency; none when there is no item with that key."""
    request = {"TableName": table, "Key": key, "ConsistentRead": True, **capacity.REQUESTED}
    response = yield from ask(Request("GetItem", request))
    return canonical_item(response["Item"]) if "Item" in response else None


def read(entity: Entity, key: Values) -> Lowering[StoredEntity | None]:
    """Reads an entity with strong consistency, with all of its parts; one that moves by its
    `id`."""
    unique = entity.id_guard
    if unique is None:
        return (yield from _read_at(entity, key))
    for tried in range(TRIES):
        guard = yield from get(entity.table.name, guard_key(entity, unique, key))
        if guard is None:
            return (yield from _unguarded(entity, key))
        found = yield from _read_at(entity, held_place(entity, key, guard))
        if found is not None:
            return found
        # It moved between the two reads.
        yield from back_off(tried)
    raise UnknownItem(
        f"the {entity.name} with {key_text(entity, key)} is not where the guard of its id says: it"
        " was not written through the model, or moves without end"
    )


def _unguarded(entity: Entity, key: Values) -> Lowering[StoredEntity | None]:
    """The item of an `id` without a guard, at its own key where that is given."""
    if not all(name in key for name in entity.key_fields):
        return None
    found = yield from _read_at(entity, key)
    unique = entity.uniques[0]
    if found is None or any(name not in found.values for name in unique.attributes):
        return None
    if guard_key(entity, unique, found.values) != guard_key(entity, unique, key):
        return None
    return replace(found, lacks_guard=True)


def _read_at(entity: Entity, key: Values) -> Lowering[StoredEntity | None]:
    """Reads an entity by its whole key."""
    name = table_name(entity, key)
    before: list[Item] | None = None
    tried = 0
    while True:
        main = yield from _main_item(entity, name, key)
        if main is None:
            return None
        parts = yield from _parts(entity, name, key, main)
        packed: Packed = {}
        unreadable: Unreadable = {}
        items = [main, *parts]
        values = values_of(entity, None, entity.attributes, items, packed, unreadable)
        is_whole = is_as_written(entity, main, values)
        if is_whole or tried == TRIES or items == before:
            if not is_whole:
                without_list(entity, values, unreadable, main)
            return StoredEntity(main, values, parts, packed, unreadable=unreadable)
        # A list whose parts changed while they were read is read again.
        before = items
        yield from back_off(tried)
        tried += 1


def _main_item(entity: Entity, name: str, key: Values) -> Lowering[Item | None]:
    try:
        return (yield from get(name, main_key(entity, key)))
    except KeyfoldError as error:
        # The table of a period does not exist before its first item is written.
        if entity.table.period is not None and is_absent_table(error):
            return None
        raise


def _parts(entity: Entity, name: str, key: Values, main: Item) -> Lowering[list[Item]]:
    """Reads the items behind the main one: as many as the main item counts."""
    if entity.split is None or entity.table.sort is None or len(entity.key) < 2:
        return []
    count = int(main.get(parts_attribute(entity.split[0]), {}).get("N", 0))
    if count < 2:
        return []
    first, last = _sort_key(entity, key, 1), _sort_key(entity, key, count - 1)
    request: dict[str, Any] = {
        "TableName": name,
        "KeyConditionExpression": "#p = :p AND #s BETWEEN :f AND :l",
        "ExpressionAttributeNames": {"#p": entity.table.partition, "#s": entity.table.sort},
        "ExpressionAttributeValues": {":p": main[entity.table.partition], ":f": first, ":l": last},
        "ConsistentRead": True,
        **capacity.REQUESTED,
    }
    items: list[Item] = []
    places = Places(f"the parts of {entity.name}")
    while True:
        response = yield from ask(Request("Query", request))
        found = (canonical_item(item) for item in response.get("Items", ()))
        items.extend(item for item in found if _is_part(entity, item, first))
        after = response.get("LastEvaluatedKey")
        if not after:
            return items
        places.check(canonical_item(after))
        request = {**request, "ExclusiveStartKey": canonical_item(after)}


def _sort_key(entity: Entity, key: Values, part: int) -> Value:
    return column(entity.key[1].parts, {**key, CHUNK: {"N": str(part)}})


def _is_part(entity: Entity, item: Item, first: Value) -> bool:
    """Whether an item in the range is a part. Items of other kinds may lie between the parts: their
    sort keys do not end with a part's number."""
    last = entity.key[1].parts[-1]
    digits = last.digits if isinstance(last, Chunk) else 0
    text = item.get(entity.key[1].attribute, {}).get("S")
    start = first["S"][:-digits]
    if text is None or not text.startswith(start):
        return False
    number = text[len(start) :]
    return len(number) == digits and number.isascii() and number.isdigit()
