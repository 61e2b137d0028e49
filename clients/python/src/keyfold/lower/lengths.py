"""The lengths of keys. DynamoDB refuses a longer key without a word about where it came from, so
it is refused before it is sent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from keyfold.errors import Invalid
from keyfold.plan.model import Entity, IndexKey
from keyfold.plan.template import Field, KeyColumn, Parts
from keyfold.values.value import Item, Value

_MOST = {"partition": 2048, "sort": 1024}


def check(of: str, part: str, column: tuple[str, Parts], held: Value) -> None:
    """Checks one attribute of a key: the `partition` key or the `sort` key. `of` names the entity
    or pattern that it is a key of."""
    name, parts = column
    size = _size(held)
    if size > _MOST[part]:
        raise _too_long(of, part, name, _fields(parts) or [name], size)


def check_indexes(
    entity: Entity,
    of: str,
    key: Sequence[KeyColumn],
    indexes: Sequence[IndexKey],
    item: Item,
) -> None:
    """Checks the keys of an item in the indexes that it is in. `key` makes its key in the table,
    and `indexes` those of its entity in indexes."""
    for index in entity.table.indexes.values():
        if any(name not in item for name in index.columns):
            continue
        own = (one.key for one in indexes if one.index is index)
        made = {one.attribute: one.parts for one in (*next(own, ()), *key)}
        groups = {
            "partition": index.columns[: index.partition],
            "sort": index.columns[index.partition :],
        }
        for part, names in groups.items():
            size = sum(_size(item[name]) for name in names)
            if size > _MOST[part]:
                column = f"{' and '.join(names)} of {index.name}"
                sources = [
                    source
                    for name in names
                    for source in (_fields(made[name]) if name in made else [name])
                ]
                raise _too_long(of, part, column, sources, size)


def _size(held: Value) -> int:
    """The bytes of a text or of binary. Numbers are short."""
    text = held.get("S")
    if text is not None:
        # Most are far from any limit: no character has more than four bytes.
        return len(text.encode()) if len(text) * 4 > _MOST["sort"] else len(text)
    return len(held.get("B", b""))


def _fields(parts: Iterable[object]) -> list[str]:
    """The attributes or parameters that parts are made of."""
    return [part.name for part in parts if isinstance(part, Field)]


def _too_long(of: str, part: str, column: str, sources: Sequence[str], size: int) -> Invalid:
    names = ", ".join(dict.fromkeys(sources)) or column
    return Invalid(
        f"{of}: {names} makes {column} {size} bytes long, and a {part} key has at most"
        f" {_MOST[part]} bytes",
        attribute=names,
    )
