"""The values that the actions of a named write take: parameters, fields of records, and attributes
of the entities of other actions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from keyfold.errors import Invalid, Refused
from keyfold.lower.complete import Made
from keyfold.lower.derive import identifying_place
from keyfold.lower.write.lacking import Lacking
from keyfold.lower.write.refusal import at_entity, key_text
from keyfold.plan.condition import Attribute, Lent, Operand, Parameter
from keyfold.plan.model import Action, Entity, Taken, Write
from keyfold.values.value import Item, Value, Values


@dataclass
class Inputs:
    """The inputs of an action."""

    own: Values
    """The values that the action takes for attributes of its entity."""
    arguments: Values
    """The parameters and the fields of the record, which operands name, and what they take from
    other actions."""
    lent: Sequence[str]
    """The attributes of its entity that later actions take, except those that identify the item.
    They must not change before the write."""


def _taken_by_assignments(action: Action) -> Iterator[Lent]:
    """What the assignments of an action take from the entities of the actions above it."""
    for one in (*action.assignments, *action.otherwise):
        yield from one.lent()


def lent(write: Write, at: int) -> list[str]:
    """The attributes of an action's entity that other actions of the write take. Those that
    identify the item are given, and do not change."""
    identity = write.actions[at].entity.identity
    sources: list[Operand] = []
    for action in write.actions:
        sources += (taken.source for taken in action.taken)
        sources += _taken_by_assignments(action)
    names = (one.attribute for one in sources if isinstance(one, Lent) and one.action == at)
    return [name for name in names if name not in identity]


def with_lent(
    write: Write, action: Action, arguments: Values, lenders: Sequence[Values | None]
) -> Values:
    """The arguments of an action, and beside them what its assignments take from the entities of
    the actions above it."""
    made = dict(arguments)
    for one in _taken_by_assignments(action):
        values = lenders[one.action] or {}
        held = values.get(one.attribute)
        if held is None:
            # A stored item of another program.
            raise Lacking(write.actions[one.action].entity, values).of((one.attribute,))
        made[one.argument] = held
    return made


def own(
    action: Action, arguments: Values, fields: Sequence[str], lenders: Sequence[Values | None]
) -> Values | None:
    """The values that an action takes for attributes of its entity.

    None when it is left out, because the source of its key has no value. `lenders` are the
    attributes of the entities of the actions above it.
    """
    made = dict(arguments)
    if action.alias is not None:
        # A parameter of an attribute's name belongs to another action.
        made = {name: value for name, value in made.items() if name in fields}
    for taken in action.taken:
        held = _held(taken, arguments, lenders)
        if held is not None:
            made[taken.attribute] = held
        elif taken.declared and taken.attribute in action.entity.identity:
            return None
        else:
            made.pop(taken.attribute, None)
    return made


def parameter_of(action: Action, fields: Sequence[str], attribute: str) -> str | None:
    """The parameter that gives an attribute to an action that writes all of them; None where it has
    its value from elsewhere."""
    for taken in action.taken:
        if taken.attribute == attribute:
            return taken.source.name if isinstance(taken.source, Parameter) else None
    return None if action.alias is not None or attribute in fields else attribute


def _held(taken: Taken, arguments: Values, lenders: Sequence[Values | None]) -> Value | None:
    source = taken.source
    if isinstance(source, Lent):
        lender = lenders[source.action] if source.action < len(lenders) else None
        return None if lender is None else lender.get(source.attribute)
    if isinstance(source, (Parameter, Attribute)):
        return arguments.get(source.name)
    return source.value


def of_alias(action: Action, made: Made) -> Made:
    """A value that the client made, under the name of the parameter that would give it."""
    if action.alias is None:
        return made
    return replace(made, attribute=f"{action.alias}.{made.attribute}")


def of_argument(action: Action, fields: Sequence[str], number: int, error: Invalid) -> Invalid:
    """The error about an attribute, under the argument that gave its value: a parameter of another
    name, or a field of the record of this number."""
    held = error.attribute
    if held is None:
        return error
    # The name may go on with the way into the value.
    end = next((at for at, sign in enumerate(held) if sign in ".["), len(held))
    attribute, way = held[:end], held[end:]
    sources = [
        one.left
        for one in (*action.assignments, *action.otherwise)
        if one.path == (attribute,) and one.right is None
    ]
    sources += [one.source for one in action.taken if one.attribute == attribute]
    names = (one.name for one in sources if isinstance(one, Parameter))
    parameter = next(names, attribute)
    argument = f"{parameter}{way}"
    if action.each is not None and parameter in fields:
        argument = f"{action.each}[{number}].{argument}"
    if argument == held:
        return error
    return Invalid(f"{argument}: {error.message}", of=error.of, attribute=argument)


@dataclass(frozen=True)
class _GivenItem:
    """An item that an action is given."""

    place: tuple[str, Item]
    action: str
    """The action: `update Account as from`."""
    item: str
    """The item, for people: `the Account with accountId = 7`."""
    is_checked_only: bool


class GivenItems:
    """The items that the actions of a write are given. A write changes an item once."""

    def __init__(self) -> None:
        self._all: list[_GivenItem] = []

    def add(self, action: Action, key: Values) -> None:
        """Adds the main item of an entity that an action is given."""
        given = _given(action.entity, action.name, key, action.verb == "check")
        for first in self._all:
            if first.place != given.place:
                continue
            both = f"`{given.action}` is given twice"
            if first.action != given.action:
                both = f"`{first.action}` and `{given.action}` are both given"
            error = Refused(f"{both} {given.item}; a write changes an item once")
            raise at_entity(error, given.action, action.entity, key)
        self._all.append(given)

    def add_changed(self, verb: str, entity: Entity, key: Values) -> None:
        """Adds the main item of the one entity that a write changes."""
        self._all.append(_given(entity, f"{verb} {entity.name}", key, False))

    def changed_before(self, earlier: GivenItems) -> tuple[str, str, str] | None:
        """The item that both an earlier write and this one are given, where the earlier one changes
        it: the two actions, and the item."""
        for first in earlier._all:
            for same in self._all:
                if not first.is_checked_only and same.place == first.place:
                    return first.action, same.action, same.item
        return None


def _given(entity: Entity, action: str, key: Values, is_checked_only: bool) -> _GivenItem:
    place = identifying_place(entity, key)
    item = f"the {entity.name} with {key_text(entity, key)}"
    return _GivenItem((place.table_name, place.key), action, item, is_checked_only)
