"""Creates, replaces, changes and deletes one entity, with everything that follows from it.

A change of an existing entity is optimistic. It reads the entity, compares the items that follow
from its old and its new attributes, and requires in the transaction that the attributes it rests on
are still the same. When another writer was faster, the change starts over.
"""

from __future__ import annotations

from collections.abc import Sequence

from keyfold.errors import Invalid, Overtaken, StaleVersion
from keyfold.lower.complete import Made, complete, touch
from keyfold.lower.steps import TRIES, Lowering, Origin
from keyfold.lower.write import entity as steps
from keyfold.lower.write.execute import Written, sent
from keyfold.lower.write.refusal import at_entity, exists, key_text, not_found, not_found_text
from keyfold.lower.write.step import Draft
from keyfold.lower.write.stored_entity import StoredEntity, read
from keyfold.plan.model import Entity, Model
from keyfold.values.value import Values, shown


def create(origin: Origin, model: Model, entity: Entity, given: Values) -> Lowering[Written]:
    """Creates an entity that must not exist. Defaults are filled in."""
    made: list[Made] = []
    values = complete(origin, entity, given, made)
    for tried in range(TRIES):
        draft = Draft()
        steps.create(entity, values, exists(entity, values), draft)
        written = yield from sent(model, origin, draft, tried)
        if written is not None:
            return written.with_made(made)
    raise _overtaken(entity)


def put(origin: Origin, model: Model, entity: Entity, given: Values) -> Lowering[Written]:
    """Writes a whole entity, whether it exists or not. Defaults are filled in; attributes that the
    model keeps stay as they are. A version among the values must be the stored one, and 0 where
    there is no such entity yet."""
    made: list[Made] = []
    values = complete(origin, entity, given, made)
    for tried in range(TRIES):
        draft = Draft()
        yield from add_put(entity, given, values, draft)
        written = yield from sent(model, origin, draft, tried)
        if written is not None:
            return written.with_made(made)
    raise _overtaken(entity)


def update(
    origin: Origin, model: Model, entity: Entity, changes: Values, removed: Sequence[str]
) -> Lowering[Written]:
    """Changes some attributes of an entity that exists, and removes others. A version among the
    changes must be the stored one."""
    check_removable(entity, changes, removed)
    made: list[Made] = []
    changes = touch(origin, entity, changes, made)
    for tried in range(TRIES):
        draft = Draft()
        yield from add_update(entity, changes, removed, False, draft)
        written = yield from sent(model, origin, draft, tried)
        if written is not None:
            return written.with_made(made)
    raise _overtaken(entity)


def delete(origin: Origin, model: Model, entity: Entity, key: Values) -> Lowering[Written]:
    """Deletes an entity that exists, with everything that follows from it. A version beside the key
    must be the stored one."""
    for tried in range(TRIES):
        draft = Draft()
        yield from add_deletion(entity, key, draft)
        written = yield from sent(model, origin, draft, tried)
        if written is not None:
            return written
    raise _overtaken(entity)


def add_put(entity: Entity, given: Values, values: Values, draft: Draft) -> Lowering[None]:
    """Adds the steps that write a whole entity, whether it exists or not. `values` are those given,
    with their defaults."""
    old = yield from read(entity, values)
    if old is not None:
        _check_version(entity, "put", old, given)
    else:
        _check_absent(entity, given)
    steps.put_over(entity, values, old, (), draft)


def add_update(
    entity: Entity, changes: Values, removed: Sequence[str], is_part: bool, draft: Draft
) -> Lowering[None]:
    """Adds the steps that change an entity which exists. `is_part`: others may happen with it."""
    old = yield from read(entity, changes)
    if old is None:
        raise not_found(entity, f"update {entity.name}", changes)
    _check_version(entity, "update", old, changes)
    new = {**old.values, **changes}
    for name in removed:
        new.pop(name, None)
    # The order of names is that of a sorted map.
    given = [*sorted(changes), *removed]
    steps.replace(steps.Replacement(entity, old, new, given, is_part=is_part), draft)


def add_deletion(entity: Entity, key: Values, draft: Draft) -> Lowering[None]:
    """Adds the steps that delete an entity which exists."""
    old = yield from read(entity, key)
    if old is None:
        raise not_found(entity, f"delete {entity.name}", key)
    _check_version(entity, "delete", old, key)
    watched = [entity.version] if entity.version is not None else []
    steps.delete(entity, old, watched, draft)


def check_removable(entity: Entity, changes: Values, removed: Sequence[str]) -> None:
    """Refuses to remove attributes that the entity does not have, requires, or is given."""
    for name in removed:
        attribute = entity.attributes.get(name)
        message = None
        if attribute is None:
            message = f"{entity.name} has no `{name}`"
        elif name in changes:
            message = f"`{name}` is both set and removed"
        elif not attribute.optional or attribute.kept:
            message = f"{name} is required and cannot be removed"
        if message is not None:
            raise Invalid(message, of=entity.name, attribute=name)


def _check_version(entity: Entity, verb: str, old: StoredEntity, given: Values) -> None:
    """Refuses a given version that is not the stored one."""
    wanted = given.get(entity.version) if entity.version else None
    if wanted is None or entity.version is None:
        return
    held = old.values.get(entity.version)
    if held != wanted:
        error = StaleVersion(
            f"the {entity.name} with {key_text(entity, old.values)} has been changed: its"
            f" {entity.version} is {'missing' if held is None else shown(held)}, and"
            f" {shown(wanted)} was expected; read it again"
        )
        raise at_entity(error, f"{verb} {entity.name}", entity, old.values)


def _check_absent(entity: Entity, given: Values) -> None:
    """Refuses a given version, other than 0, of an entity that does not exist."""
    wanted = given.get(entity.version) if entity.version else None
    if wanted is not None and wanted != {"N": "0"}:
        error = StaleVersion(
            f"{not_found_text(entity, given)}, and its version {shown(wanted)} was expected:"
            " it has been deleted"
        )
        raise at_entity(error, f"put {entity.name}", entity, given)


def _overtaken(entity: Entity) -> Overtaken:
    return Overtaken(f"{entity.name} was changed by others {TRIES} times in a row; try again")
