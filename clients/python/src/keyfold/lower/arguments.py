"""Arguments as Python's values, and their stored values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar, cast

from keyfold.errors import Invalid
from keyfold.item import Item
from keyfold.lower.near import meant
from keyfold.plan.kind import Kind
from keyfold.plan.model import Entity, Pattern, Write
from keyfold.values.typed import at_most, typed
from keyfold.values.value import Values, shown_text

T = TypeVar("T")
Make = Callable[[str, Kind, object], T]
Given = Mapping[str, object]
"""Values by name. A value that is `None` is not given."""


def the_pattern(name: str) -> str:
    """A pattern, as errors name it."""
    return f"the pattern {name}"


def the_write(name: str) -> str:
    """A named write, as errors name it."""
    return f"the write {name}"


def checked(given: object, of: str) -> Given:
    """Values by name. Raises `Invalid` for what has no names."""
    if not isinstance(given, Mapping):
        raise Invalid(f"{of} takes values by name, and no {type(given).__name__}", of=of)
    entries = cast("Mapping[object, object]", given)
    for name in entries:
        if not isinstance(name, str):
            raise Invalid(f"{of} takes values by name, and no {type(name).__name__} is one", of=of)
    return cast(Given, entries)


def _typed(given: Given, known: Mapping[str, Kind], of: str) -> Values:
    """The stored values of arguments of known names. `of` names the owner in messages."""
    values: Values = {}
    for name, argument in sorted(given.items()):
        kind = known.get(name)
        if kind is None:
            listed = f"it has {', '.join(known)}" if known else "it takes none"
            suggestion = meant(name, known)
            raise Invalid(
                f"{of} has no `{shown_text(name)}`{suggestion}; {listed}", of=of, attribute=name
            )
        if argument is not None:
            values[name] = _one(name, kind, argument, of)
    return values


def _one(name: str, kind: Kind, argument: object, of: str) -> dict[str, object]:
    return _owned(of, typed, name, kind, argument)


def _owned(of: str, make: Make[T], name: str, kind: Kind, argument: object) -> T:
    """A value that is made; errors name the owner."""
    try:
        return make(name, kind, argument)
    except Invalid as error:
        raise Invalid(f"{of}: {error.message}", of=of, attribute=error.attribute) from None


def _require(values: Values, names: Iterable[str], of: str, what: str | None = None) -> None:
    """Refuses values that lack one of the names. `what` says of the owner what lacks it."""
    missing = [name for name in names if name not in values]
    if missing:
        raise Invalid(f"{what or of} needs {', '.join(missing)}", of=of, attribute=missing[0])


def of_pattern(pattern: Pattern, given: Given) -> Values:
    """The arguments of a pattern. Only optional parameters and `now` may be left out."""
    of = the_pattern(pattern.name)
    cut = dict(checked(given, of))
    for name, parameter in pattern.parameters.items():
        argument = cut.get(name)
        if argument is None:
            continue
        # No key lies between `at <= t` or `at > t` and the cut time.
        if parameter.limit in ("atMost", "above"):
            cut[name] = _owned(of, at_most, name, parameter.kind, argument)
        elif parameter.limit == "among" and not isinstance(argument, (list, tuple)):
            cut[name] = [argument]
    parameters = pattern.parameters.values()
    values = _typed(cut, {one.name: one.kind for one in parameters}, of)
    _require(values, (one.name for one in parameters if not one.optional and not one.now), of)
    # An optional parameter needs those before it: only these combinations have a proved plan.
    absent: str | None = None
    for one in parameters:
        if not one.optional:
            continue
        if one.name not in values:
            absent = absent or one.name
        elif absent is not None:
            message = f"{of}: {one.name} is given, and {absent} before it is not"
            raise Invalid(message, of=of, attribute=absent)
    return values


def of_write(write: Write, given: Given) -> Values:
    """The arguments of a named write."""
    of = the_write(write.name)
    parameters = write.parameters.values()
    values = _typed(checked(given, of), {one.name: one.kind for one in parameters}, of)
    _require(values, (one.name for one in parameters if not one.optional), of)
    return values


def of_entity(entity: Entity, given: Given) -> Values:
    """The attributes of a whole entity. A version is the one that the stored entity must have."""
    given = without_kept(entity, given)
    _refuse_kept(entity, given)
    attributes = entity.attributes.values()
    values = _typed(given, {one.name: one.kind for one in attributes}, entity.name)
    required = (
        one.name for one in attributes if not (one.optional or one.kept or one.default is not None)
    )
    _require(values, required, entity.name)
    return values


def some_of_entity(entity: Entity, given: Given) -> Values:
    """Some attributes of an entity, among them all that identify it."""
    given = checked(given, entity.name)
    _refuse_kept(entity, given)
    known = {one.name: one.kind for one in entity.attributes.values()}
    values = _typed(given, known, entity.name)
    _require(values, entity.identity, entity.name, f"the key of {entity.name}")
    return values


def is_read(entity: Entity, given: object, copies: Iterable[str] = ()) -> bool:
    """Whether what is given is an item that was read: of the entity, or one of these copies of it.
    Raises `Invalid` for an item of another kind."""
    if not isinstance(given, Item):
        return False
    if given.of == entity.name or given.of in (f"{entity.name}.{one}" for one in copies):
        return True
    shown = shown_text(given.of)
    raise Invalid(f"{entity.name}: an item of the kind `{shown}` is none", of=entity.name)


def without_kept(entity: Entity, given: Given) -> Given:
    """What is given for an entity. Of an item that was read, what the model keeps is left out, and
    its version stays."""
    if not is_read(entity, given):
        return checked(given, entity.name)
    kept = {name for name, one in entity.attributes.items() if one.kept and name != entity.version}
    return {name: value for name, value in given.items() if name not in kept}


def _own_key(entity: Entity, given: Given) -> Given:
    """What is given as a key. An item that was read, or its copy, is the key of itself: what is no
    part of a key is left out there, and its version is the one that the item must have."""
    if not is_read(entity, given, entity.copies):
        return given
    names = (*entity.identity, entity.version)
    return {name: value for name, value in given.items() if name in names}


def key_of_entity(entity: Entity, given: Given) -> Values:
    """The attributes that identify an item, and no other: a key from JSON changes nothing else. The
    version that the item must have may stand among them."""
    given = _own_key(entity, given)
    values = some_of_entity(entity, given)
    for name in given:
        if name not in entity.identity and name != entity.version:
            raise Invalid(
                f"{name} is no part of the key of {entity.name},"
                f" which is {', '.join(entity.identity)}",
                of=entity.name,
                attribute=name,
            )
    return values


def with_key(entity: Entity, changes: Given, key: Given) -> Given:
    """The changes with the key that is given apart from them."""
    key = _own_key(entity, key)
    held = key_of_entity(entity, key)
    for name in checked(changes, entity.name):
        if name in entity.identity or name in held:
            raise Invalid(
                f"{name} is part of the key of {entity.name}, which an update does not change",
                of=entity.name,
                attribute=name,
            )
    # A version that is not given is not removed.
    return {**changes, **{name: one for name, one in key.items() if one is not None}}


def _refuse_kept(entity: Entity, given: Given) -> None:
    """Refuses attributes that the model keeps, except the version."""
    for name, attribute in entity.attributes.items():
        if attribute.kept and given.get(name) is not None and entity.version != name:
            raise Invalid(
                f"{name} of {entity.name} is kept by the model and not written by hand: leave it"
                " out, or change an item that was read by `item | {...}`, which leaves it out",
                of=entity.name,
                attribute=name,
            )
