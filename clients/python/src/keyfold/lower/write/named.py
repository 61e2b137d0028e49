"""Named writes: actions that happen together or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from keyfold.errors import Invalid, Overtaken, Refused
from keyfold.lower.bound import missing_argument
from keyfold.lower.complete import Made, complete, present
from keyfold.lower.derive import place_of
from keyfold.lower.expression import Add, Changes, Exists
from keyfold.lower.steps import TRIES, Lowering, Origin
from keyfold.lower.write import blind, direct, entity, stored_entity, upsert
from keyfold.lower.write import inputs as own_inputs
from keyfold.lower.write.assignment import apply, change_of
from keyfold.lower.write.conditions import add_conditions, require, terms, unfulfilled
from keyfold.lower.write.execute import Written, sent
from keyfold.lower.write.inputs import GivenItems, Inputs
from keyfold.lower.write.lacking import unread
from keyfold.lower.write.left_behind import with_outside
from keyfold.lower.write.meeting import hand_over
from keyfold.lower.write.refusal import absent, at_entity, exists, not_found
from keyfold.lower.write.step import Check, Draft, Step, Update
from keyfold.lower.write.stored_entity import StoredEntity
from keyfold.plan.condition import Parameter as ParameterOperand
from keyfold.plan.model import Action, Model, Write
from keyfold.values.value import Values, shown


def run(origin: Origin, model: Model, write: Write, arguments: Values) -> Lowering[Written]:
    """Runs a named write: its actions together or not at all."""
    given = with_now(origin, write, arguments)
    for tried in range(TRIES):
        composition = Composition(origin, write)
        yield from composition.compose(arguments, given)
        written = yield from sent(model, origin, composition.draft, tried)
        if written is not None:
            return written.with_made(composition.made)
    raise Overtaken(f"{write.name}: the items were changed by others {TRIES} times in a row")


def with_now(origin: Origin, write: Write, arguments: Values) -> Values:
    """The arguments, with the present moment where a condition compares with `now` or a write sets
    it, and the caller gave none."""
    all_of = dict(arguments)
    for name, parameter in write.parameters.items():
        moment = present(origin, parameter.kind) if parameter.now and parameter.optional else None
        if moment is not None:
            all_of.setdefault(name, moment)
    return all_of


def _fields_of(write: Write, action: Action) -> list[str]:
    """The fields of the records that an action repeats over."""
    parameter = write.parameters.get(action.each) if action.each else None
    of = parameter.kind.of if parameter is not None else None
    return list(of.record.fields) if of is not None and of.record is not None else []


def _arguments_of(action: Action, fields: Sequence[str], arguments: Values) -> list[Values]:
    """The arguments of an action: one set, or one for each record of the list that it repeats
    over."""
    if action.each is None:
        return [arguments]
    # A field that a record lacks has no value: an argument of the same name is another item's.
    others = {name: value for name, value in arguments.items() if name not in fields}
    records = arguments.get(action.each, {}).get("L")
    if records is None:
        raise missing_argument("the write", action.each)
    all_of: list[Values] = []
    for record in records:
        if "M" not in record:
            raise Refused(f"{action.each} holds {shown(record)}, which is no record")
        all_of.append({**others, **record["M"]})
    return all_of


@dataclass
class Composition:
    """The steps of all actions of one try of a write."""

    origin: Origin
    write: Write
    draft: Draft = field(default_factory=Draft)
    made: list[Made] = field(default_factory=lambda: [])
    given: GivenItems = field(default_factory=GivenItems)

    def compose(self, asked: Values, arguments: Values) -> Lowering[None]:
        """Adds the steps of all actions. The arguments are the caller's, and those with the present
        moment."""
        parameters = self.write.parameters.values()
        optional = [one.name for one in parameters if one.optional and not one.now]
        lenders: list[Values | None] = []
        for at, action in enumerate(self.write.actions):
            fields = _fields_of(self.write, action)
            lender: Values | None = None
            for number, own_arguments in enumerate(_arguments_of(action, fields, arguments)):
                own = own_inputs.own(action, own_arguments, fields, lenders)
                if own is None:
                    continue
                left_out = [name for name in optional if name not in own_arguments]
                given_action = direct.without(action, left_out)
                given = own_inputs.with_lent(self.write, given_action, own_arguments, lenders)
                inputs = Inputs(own, given, own_inputs.lent(self.write, at))
                try:
                    lender = yield from self._one(action, left_out, inputs)
                except Invalid as error:
                    raise own_inputs.of_argument(action, fields, number, error) from None
                except Refused as error:
                    if error.place is None:
                        at_entity(error, action.name, action.entity, inputs.own)
                    raise
                moments = self._moments(given_action, fields, (asked, arguments))
                self.made.extend(own_inputs.of_alias(action, one) for one in moments)
            lenders.append(lender)
        self.draft.steps = hand_over(self.draft.steps)

    def _moments(
        self, action: Action, fields: Sequence[str], values: tuple[Values, Values]
    ) -> Iterator[Made]:
        """The attributes that an action sets to the present moment since the caller did not give
        one: those that it assigns, whether its item is new or not, and those of a whole entity."""
        asked, arguments = values
        only_stored = {one.attribute for one in action.otherwise}
        given: list[tuple[str, str | None]] = [
            (one.attribute, one.left.name)
            for one in action.assignments
            if isinstance(one.left, ParameterOperand) and not one.right and not one.fields
            if one.attribute not in only_stored
        ]
        if action.verb in ("create", "put"):
            assigned = {one.attribute for one in action.assignments}
            others = [name for name in action.entity.attributes if name not in assigned]
            given += [(name, own_inputs.parameter_of(action, fields, name)) for name in others]
        for attribute, name in given:
            parameter = None if name is None else self.write.parameters.get(name)
            if name is None or parameter is None or name in asked:
                continue
            if parameter.now and parameter.optional:
                yield Made(action.entity.name, attribute, arguments[name])

    def _one(self, whole: Action, left_out: Sequence[str], inputs: Inputs) -> Lowering[Values]:
        """Adds the steps of one action, and returns the attributes that others may take."""
        action = direct.without(whole, left_out)
        made: list[Made] = []
        if action.verb in ("create", "put"):
            inputs.own = self._all_attributes(action, inputs, made)
        self.given.add(action, inputs.own)
        if action.verb == "upsert":
            fates = direct.upsert_plan(whole, left_out)
            made += yield from upsert.add(self.origin, action, fates, inputs, self.draft)
            lender = inputs.own
        else:
            lender = yield from self._add(action, inputs)
        self.made.extend(own_inputs.of_alias(action, one) for one in made)
        return lender

    def _all_attributes(self, action: Action, inputs: Inputs, made: list[Made]) -> Values:
        """The attributes of a whole entity: those given, those assigned, and the defaults."""
        known = action.entity.attributes
        values = {name: value for name, value in inputs.own.items() if name in known}
        for one in action.assignments:
            apply(action.entity, one, inputs.arguments, {}, values)
        return complete(self.origin, action.entity, values, made)

    def _add(self, action: Action, inputs: Inputs) -> Lowering[Values]:
        """Adds the steps of one action. Returns the attributes of its entity that others may take:
        as they are stored, or as they are created or put."""
        own = action.entity
        if action.verb == "create":
            entity.create(own, inputs.own, exists(own, inputs.own), self.draft)
        elif action.verb == "put" and direct.is_direct_put(action):
            step = blind.put(own, inputs.own)
            step.conditions = terms(action.conditions, inputs.arguments)
            step.refusal = unfulfilled(action, inputs)
            self.draft.steps.append(step)
        elif action.verb == "put":
            found = yield from stored_entity.read(own, inputs.own)
            watched = require(action, inputs, found)
            entity.put_over(own, inputs.own, found, watched, self.draft)
        elif action.verb == "delete":
            old = yield from _read(action, inputs.own)
            watched = [*require(action, inputs, old), *inputs.lent]
            old.require_readable(lambda name: name in inputs.lent)
            entity.delete(own, old, watched, self.draft)
            return old.values
        elif action.verb == "check":
            return (yield from self._check(action, inputs))
        else:
            return (yield from self._update(action, inputs))
        return inputs.own

    def _check(self, action: Action, inputs: Inputs) -> Lowering[Values]:
        if direct.is_direct_check(action) and not inputs.lent:
            step = _on_main_item(action, inputs.own)
            add_conditions(step, action, inputs)
            self.draft.steps.append(step)
            return inputs.own
        old = yield from _read(action, inputs.own)
        watched = [*require(action, inputs, old), *inputs.lent]
        old.require_readable(lambda name: name in inputs.lent)
        conditions = entity.unchanged(action.entity, old, watched)
        step = _on_main_item(action, old.values if action.entity.id else inputs.own)
        self.draft.steps.append(step.unless_stale(conditions))
        return old.values

    def _update(self, action: Action, inputs: Inputs) -> Lowering[Values]:
        if direct.is_direct_update(action) and not inputs.lent:
            step = _on_main_item(action, inputs.own)
            add_conditions(step, action, inputs)
            change = _update_expression(action, inputs)
            if change is not None:
                step.action = change
                self.draft.unread.append(unread(action, inputs.own, step.table, step.key))
            self.draft.steps.append(step)
            return inputs.own
        old = yield from _read(action, inputs.own)
        upsert.change_stored(action, inputs, old, self.draft)
        return old.values


def _read(action: Action, key: Values) -> Lowering[StoredEntity]:
    """Reads an entity that must exist."""
    found = yield from stored_entity.read(action.entity, key)
    if found is None:
        raise not_found(action.entity, action.name, key)
    return found


def _on_main_item(action: Action, key: Values) -> Step:
    """A step on the main item of an entity that must exist."""
    place = place_of(action.entity, key)
    refusal = absent(action.entity, key)
    conditions = [Exists(place.table.partition)]
    return Step(action.name, refusal, place.table_name, place.key, [*conditions], Check())


def _update_expression(action: Action, inputs: Inputs) -> Update | None:
    """The update that the engine evaluates; none where nothing is given that it changes."""
    own = action.entity
    changes: Changes = [
        (one.attribute, change_of(own, one, inputs.arguments)) for one in action.assignments
    ]
    if own.version is not None:
        changes.append((own.version, Add("1")))
    if not changes and not action.removed:
        return None
    return Update(changes, with_outside(own, inputs.own, action.removed))
