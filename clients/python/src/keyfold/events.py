"""Stream records as typed entities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from keyfold.calls import item_of
from keyfold.errors import Invalid, UnknownItem
from keyfold.item import Event
from keyfold.item import Item as Shown
from keyfold.lacking import lacking
from keyfold.lower.derive import is_of_period
from keyfold.lower.read.question import FoundItem
from keyfold.lower.stored import is_as_written, values_of
from keyfold.options import OnUnknown
from keyfold.plan.model import Entity, Model, Table
from keyfold.plan.template import Chunk, KeyColumn
from keyfold.values.value import Item, decoded_item, shown


def event_of(model: Model, record: Mapping[str, Any], on_unknown: OnUnknown) -> Event | None:
    """The change of an entity in a stream record, in the form of a stream reader or of Lambda.

    None for the items that follow from an entity: its copies, guards and the parts of its list. The
    record of the entity itself comes beside them.
    """
    images = _images(record)
    keys = images["Keys"] or {}
    tables = [one for one in model.tables.values() if _is_of(one, record)]
    found = _entity_of(model, tables, keys, images["NewImage"] or images["OldImage"] or {})
    if isinstance(found, Entity):
        try:
            old, new = (_shown(found, images[name]) for name in ("OldImage", "NewImage"))
        except UnknownItem:
            if on_unknown == "skip":
                return None
            raise
        return Event(found.name, old, new)
    if found == "unknown" and on_unknown == "error":
        held = ", ".join(f"{name} = {shown(value)}" for name, value in keys.items())
        raise UnknownItem(
            f"the stream has an item that the model does not know ({held}): it was not written"
            " through the model",
            key=held,
        )
    return None


def _images(record: object) -> dict[str, Item | None]:
    """The key and the images of a record."""
    try:
        change = cast("Mapping[str, Any]", record)["dynamodb"]
        found = {
            name: decoded_item(dict(change[name])) if change.get(name) else None
            for name in ("Keys", "OldImage", "NewImage")
        }
    except (LookupError, TypeError, ValueError, AttributeError, StopIteration):
        found = {}
    if not found.get("Keys"):
        raise Invalid(
            "this is no record of a stream: it has `dynamodb` with the `Keys` of an item, as those"
            " of Lambda's `event['Records']` and of a stream reader have",
            attribute="record",
        )
    return found


def _is_of(table: Table, record: Mapping[str, Any]) -> bool:
    """Whether a record is of a table. A record of a stream reader does not name its table."""
    source = record.get("eventSourceARN")
    if not isinstance(source, str):
        return True
    name = source.partition(":table/")[2].partition("/")[0]
    return name == table.name or is_of_period(table, name)


def _entity_of(model: Model, tables: list[Table], keys: Item, image: Item) -> Entity | str:
    """The entity of an item: `follows` for one that follows from an entity, or `unknown`."""
    entities = [one for one in model.entities.values() if one.table in tables]
    for entity, role in _candidates(entities, keys):
        attribute = entity.table.type_attribute
        kind = image.get(attribute, {}).get("S") if attribute else None
        if kind is None or kind == role:
            is_main = role == entity.name
            return entity if is_main else "follows"
    return "unknown"


def _candidates(entities: list[Entity], keys: Item) -> Iterator[tuple[Entity, str]]:
    """The entities whose key, or whose copy's or guard's key, an item may have, and its kind."""
    for entity in entities:
        if _fits(entity.key, keys):
            yield entity, f"{entity.name}.part" if _is_part(entity, keys) else entity.name
    for entity in entities:
        for copy in entity.copies.values():
            if _fits(copy.key, keys):
                yield entity, f"{entity.name}.{copy.name}"
        partition = keys.get(entity.table.partition, {}).get("S", "")
        if entity.uniques and partition.startswith(f"UNIQUE#{entity.name}#"):
            yield entity, "unique"


def _fits(key: tuple[KeyColumn, ...], keys: Item) -> bool:
    for column in key:
        value = keys.get(column.attribute)
        if value is None:
            return False
        if column.matches is not None:
            text = value.get("S")
            if text is None or column.matches.fullmatch(text) is None:
                return False
    return True


def _is_part(entity: Entity, keys: Item) -> bool:
    """Whether an item is another part of a split list than the first."""
    last = entity.key[-1].parts[-1] if entity.key[-1].parts else None
    if entity.split is None or not isinstance(last, Chunk):
        return False
    text: str = keys.get(entity.key[-1].attribute, {}).get("S", "")
    return text[-last.digits :].strip("0") != ""


def _shown(entity: Entity, image: Item | None) -> Shown | None:
    if image is None:
        return None
    values = values_of(entity, None, entity.attributes, [image])
    # The first item of a split list holds only its beginning.
    cut = None
    if entity.split is not None and not is_as_written(entity, image, values):
        cut = entity.split[0]
        values.pop(cut, None)
    shown = item_of(entity, FoundItem(entity.name, values))
    for name, attribute in entity.attributes.items():
        is_certain = not (attribute.optional or attribute.kept or name == cut)
        if is_certain and name not in values:
            raise lacking(entity, shown, name)
    return shown
