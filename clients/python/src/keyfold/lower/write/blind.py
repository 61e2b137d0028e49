"""An entity in one request, without a read before it: an update that creates the item where it does
not exist. Attributes that the model keeps, and those that it does not name, stay."""

from __future__ import annotations

from keyfold.lower.derive import Derived, derive
from keyfold.lower.expression import Add, Change, Changes, First, Joined, Set
from keyfold.lower.write.assignment import change_of
from keyfold.lower.write.left_behind import with_outside
from keyfold.lower.write.step import Step, Update
from keyfold.plan.condition import Path
from keyfold.plan.model import Action, Entity, Fate
from keyfold.values import number
from keyfold.values.value import Value, Values


def put(entity: Entity, values: Values) -> Step:
    """The step that writes a whole entity, whether it exists or not."""
    main = derive(entity, values)[0]
    changes: Changes = [
        (name, Set(value))
        for name, value in sorted(main.item.items())
        if name not in main.key and not entity.is_kept(name)
    ]
    removed: list[Path] = [(name,) for name in _absent(entity, main)]
    return _step(f"put {entity.name}", main, [*changes, *_kept(entity)], removed)


def upsert(action: Action, arguments: Values, new: Values, fates: dict[str, Fate]) -> Step | None:
    """The step of an upsert by its plan; none where a number is out of range."""
    entity = action.entity
    main = derive(entity, new)[0]
    changes: Changes = []
    removed: list[Path] = []
    for name, fate in sorted(fates.items()):
        if name in main.key:
            continue
        held = main.item.get(name)
        assigned = next((one for one in action.assignments if one.attribute == name), None)
        if fate == "same" and held is None:
            removed.append((name,))
        elif fate == "same" and held is not None:
            changes.append((name, Set(held)))
        elif fate == "first" and held is not None:
            changes.append((name, First(held)))
        elif fate == "moved" and held is not None and assigned is not None:
            moved = _moved(change_of(entity, assigned, arguments), held)
            if moved is None:
                return None
            changes.append((name, moved))
        elif fate == "added" and assigned is not None:
            changes.append((name, change_of(entity, assigned, arguments)))
    label = f"create or update {entity.name}"
    removed = with_outside(entity, new, removed)
    return _step(label, main, [*changes, *_kept(entity)], removed)


def _step(label: str, main: Derived, changes: Changes, removed: list[Path]) -> Step:
    return Step(label, "none", main.table, main.key, [], Update(changes, removed))


def _moved(change: Change, first: Value) -> Change | None:
    """The change that moves a stored number, and gives a new item its `first` one: what is missing
    counts as the number that the move takes there. None where that is out of range."""
    if not isinstance(change, Joined) or not isinstance(change.right, Set):
        return None
    added = change.right.value.get("N")
    if added is None or "N" not in first:
        return None
    reverse = number.subtract if change.is_sum else number.add
    try:
        start = reverse(first["N"], added)
    except number.NumberError:
        return None
    return Joined(First({"N": start}), change.right, change.is_sum)


def _kept(entity: Entity) -> Changes:
    """The changes of the attributes that the model keeps: the version goes up, and starts at 1; a
    count or sum starts at 0, and stays where it is."""
    return [
        (name, Add("1" if entity.version == name else "0"))
        for name, attribute in entity.attributes.items()
        if attribute.kept and not attribute.optional
    ]


def _absent(entity: Entity, main: Derived) -> list[str]:
    """The attributes that a stored item may have and the new one has not: its own, index keys, and
    the time of expiry."""
    table = entity.table
    names = set(entity.attributes)
    for index_key in entity.indexes:
        names.update(index_key.index.columns)
    if table.ttl_attribute is not None and entity.ttl is not None:
        names.add(table.ttl_attribute)
    return sorted(name for name in names if name not in main.item and not entity.is_kept(name))
