"""Stream records as typed entities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

from keyfold.calls import Calls, item_of
from keyfold.errors import Invalid, UnknownItem
from keyfold.item import Event
from keyfold.item import Item as Shown
from keyfold.lower.derive import is_of_period
from keyfold.lower.read.question import FoundItem, printed
from keyfold.lower.stored import is_as_written, values_of
from keyfold.lower.unknown import require, says_kind, unknown_item
from keyfold.options import OnUnknown, check_bool, check_on_unknown
from keyfold.plan.model import Copy, Entity, Model, Table, Unique
from keyfold.plan.template import Chunk, KeyColumn, Text
from keyfold.values.value import Item
from keyfold.values.wire import WireError
from keyfold.values.wire import item_of as item_in


class _Kind(NamedTuple):
    """What an item can be."""

    entity: Entity
    copy: Copy | None
    name: str
    """The name that the table's attribute of types holds."""
    follows: bool
    """Whether it follows from the entity and has no event: a guard, a further part of its list."""


def event_of(
    calls: Calls, record: Mapping[str, Any], on_unknown: OnUnknown | None, copies: bool
) -> Event | None:
    """The change of an entity in a stream record, in the form of a stream reader or of Lambda.

    None for the items that follow from an entity: its copies, unless they are asked for, guards and
    the further parts of its list. The record of the entity itself comes beside them.
    """
    model = calls.model
    on_unknown = calls.options.on_unknown if on_unknown is None else on_unknown
    check_on_unknown(on_unknown, "event")
    check_bool("copies", copies, "event")
    keys, old, new = _images(record)
    item = {**(keys or {}), **(new or old or {})}
    kind = _kind_of(model, record, item)
    if kind is None:
        if on_unknown == "skip":
            return None
        tables = _tables_of(model, record, item)
        if tables:
            raise unknown_item("the stream has", tables[0], item)
        held = ", ".join(printed(name, " = ", one) for name, one in (keys or item).items())
        raise UnknownItem(
            f"the stream has an item that the model does not know ({held}): it was not written"
            " through the model, or by an earlier version of it",
            key=held,
        )
    if kind.follows or (kind.copy is not None and not copies):
        return None
    try:
        images = (None if one is None else {**(keys or {}), **one} for one in (old, new))
        return Event(kind.name, *(None if one is None else _shown(kind, one) for one in images))
    except UnknownItem:
        if on_unknown == "skip":
            return None
        raise


def _images(record: object) -> list[Item | None]:
    """The key, the old and the new image of a record."""
    change: object = None
    if isinstance(record, Mapping):
        change = cast("Mapping[str, object]", record).get("dynamodb")
    found: list[Item | None] = []
    if isinstance(change, Mapping):
        images = cast("Mapping[str, object]", change)
        found = [_image(name, images.get(name)) for name in ("Keys", "OldImage", "NewImage")]
    if all(one is None for one in found):
        raise _no_record(
            "it has `dynamodb` with the `Keys` of an item, as those of Lambda's `event['Records']`"
            " and of a stream reader have"
        )
    if all(one is None for one in found[1:]):
        raise Invalid(
            "the record has no image; the table's stream must have new and old images",
            attribute="record",
        )
    return found


def _image(name: str, given: object) -> Item | None:
    try:
        return None if given is None else item_in(given)
    except WireError as wrong:
        of = f"`{wrong}` of its `{name}` is no value" if str(wrong) else f"its `{name}` is no item"
        raise _no_record(f"{of} of DynamoDB's JSON") from None


def _no_record(why: str) -> Invalid:
    return Invalid(f"this is no record of a stream: {why}", attribute="record")


def _kind_of(model: Model, record: Mapping[str, Any], item: Item) -> _Kind | None:
    """The kind of an item: its key and its table's attribute of types say it."""
    tables = _tables_of(model, record, item)
    for entity in model.entities.values():
        if entity.table not in tables:
            continue
        for kind in _kinds_of(entity, item):
            if says_kind(entity.table, kind.name, item):
                return kind
    return None


def _tables_of(model: Model, record: Mapping[str, Any], item: Item) -> list[Table]:
    """The tables that have an item's key attributes: of those that the record names, where it names
    one."""
    tables = [one for one in model.tables.values() if _is_of(one, record)]
    return [one for one in tables if all(name in item for name in one.columns)]


def _is_of(table: Table, record: Mapping[str, Any]) -> bool:
    """Whether a record is of a table. A record of a stream reader does not name its table."""
    source = record.get("eventSourceARN")
    if not isinstance(source, str) or ":table/" not in source:
        return True
    name = source.partition(":table/")[2].partition("/")[0]
    return name == table.name or is_of_period(table, name)


def _kinds_of(entity: Entity, item: Item) -> Iterator[_Kind]:
    """The kinds of an entity's items whose keys are as that of an item."""
    if _fits(entity.key, item):
        is_part = _is_part(entity, item)
        name = f"{entity.name}.part" if is_part else entity.name
        yield _Kind(entity, None, name, is_part)
    for copy in entity.copies.values():
        if _fits(copy.key, item):
            yield _Kind(entity, copy, f"{entity.name}.{copy.name}", False)
    if any(_is_guard(entity.table, unique, item) for unique in entity.uniques):
        yield _Kind(entity, None, "unique", True)


def _is_guard(table: Table, unique: Unique, item: Item) -> bool:
    """Whether an item's key is that of a guard."""
    start = unique.key[0]
    partition, *sort = table.columns
    held = item.get(partition, {}).get("S")
    if not isinstance(start, Text) or held is None or not held.startswith(start.text):
        return False
    return all(item.get(column) == {"S": unique.sort} for column in sort)


def _fits(key: tuple[KeyColumn, ...], item: Item) -> bool:
    for column in key:
        value = item.get(column.attribute)
        if value is None:
            return False
        if column.matches is not None:
            text = value.get("S")
            if text is None or column.matches.fullmatch(text) is None:
                return False
    return True


def _is_part(entity: Entity, item: Item) -> bool:
    """Whether an item is another part of a split list than the first."""
    last = entity.key[-1].parts[-1] if entity.key[-1].parts else None
    if entity.split is None or not isinstance(last, Chunk):
        return False
    text: str = item.get(entity.key[-1].attribute, {}).get("S", "")
    return text[-last.digits :].strip("0") != ""


def _shown(kind: _Kind, image: Item) -> Shown:
    entity, copy = kind.entity, kind.copy
    names = entity.attributes if copy is None else copy.attributes
    values = values_of(entity, copy, names, [image])
    # No record has all of a list that is stored in several items.
    cut = None
    if copy is None and entity.split is not None and not is_as_written(entity, image, values):
        cut = entity.split[0]
        values.pop(cut, None)
    certain = [name for name in names if name != cut]
    require("the stream has", entity, kind.name, certain, image, values)
    return item_of(entity, FoundItem(kind.name, values))
