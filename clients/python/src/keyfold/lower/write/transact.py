"""Several writes in one transaction: all of them happen at one moment, or none does.

The outcome is that of the writes one after the other. All of them read at the same time, the items
as they are before the transaction. Then the steps of each write are put together in order, with the
aggregates that follow them; where two writes meet in an item and the order would make a difference,
the transaction is refused before it is sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from keyfold.errors import Invalid, KeyfoldError, Overtaken, Refused
from keyfold.lower.arguments import the_write
from keyfold.lower.complete import Made, complete, touch
from keyfold.lower.steps import TRIES, Lowering, Origin, together
from keyfold.lower.write import entity as steps
from keyfold.lower.write.aggregate import add_aggregates
from keyfold.lower.write.change import add_deletion, add_put, add_update, check_removable
from keyfold.lower.write.execute import sent_steps
from keyfold.lower.write.inputs import GivenItems
from keyfold.lower.write.invalid import place_text
from keyfold.lower.write.meeting import check_taken_twice, in_write, join, numbered
from keyfold.lower.write.named import Composition, with_now
from keyfold.lower.write.refusal import at_item, exists, reasons_of
from keyfold.lower.write.step import Draft, Step
from keyfold.plan.model import Entity, Model, Write
from keyfold.values.value import Values


@dataclass(frozen=True)
class OfEntity:
    """The write of one entity."""

    verb: Literal["create", "put", "update", "delete"]
    entity: Entity
    values: Values
    removed: Sequence[str] = ()

    @property
    def name(self) -> str:
        """The write, for people."""
        return f"{self.verb} {self.entity.name}"


@dataclass(frozen=True)
class Run:
    """A named write with its arguments."""

    write: Write
    values: Values

    @property
    def name(self) -> str:
        """The write, for people."""
        return self.write.name


Part: TypeAlias = "OfEntity | Run"
"""One write of a transaction."""


@dataclass(frozen=True)
class PartWritten:
    """What one write did."""

    changes: list[str]
    made: list[Made]


@dataclass(frozen=True)
class Transacted:
    """The report of a transaction."""

    operation: str
    writes: list[PartWritten]


def transact(origin: Origin, model: Model, parts: Sequence[Part]) -> Lowering[Transacted]:
    """Carries several writes out in one transaction, as if one happened after the other."""
    if not parts:
        raise Invalid("a transaction has at least one write")
    ready = [_ready(origin, part, at) for at, part in enumerate(parts)]
    for tried in range(TRIES):
        composed = yield from together(_compose(one) for one in ready)
        _check_given(composed)
        merged = _Merged(model)
        for one in composed:
            yield from merged.add(one)
        labels = [step.label for step in merged.draft.steps]
        every, unread = merged.draft.steps, merged.draft.unread
        written = yield from sent_steps(model, origin, every, unread, tried)
        if written is None:
            continue
        owners = merged.owners if written.changes else []
        done = [
            PartWritten(
                [label for label, owner in zip(labels, owners) if owner == one.of.at], one.made
            )
            for one in composed
        ]
        return Transacted(written.operation, done)
    raise Overtaken(
        f"the transaction: its items were changed by others {TRIES} times in a row; try again"
    )


@dataclass(frozen=True)
class _Ready:
    """A write whose values have their defaults."""

    part: Part
    at: int
    name: str
    """The write, for people, by its number from 0: `write 1 (create Order)`."""
    origin: Origin
    values: Values
    made: list[Made]


@dataclass
class _Composed:
    """The steps of one write."""

    of: _Ready
    draft: Draft = field(default_factory=Draft)
    given: GivenItems = field(default_factory=GivenItems)
    made: list[Made] = field(default_factory=lambda: [])
    error: KeyfoldError | None = None


def _ready(origin: Origin, part: Part, at: int) -> _Ready:
    name = numbered(at, part.name)
    own, made, values = origin.of_part(at), list[Made](), part.values
    if isinstance(part, Run):
        values = with_now(own, part.write, values)
    elif part.verb == "update":
        try:
            check_removable(part.entity, values, part.removed)
        except KeyfoldError as error:
            raise in_write(error, name, at) from None
        values = touch(own, part.entity, values, made)
    elif part.verb != "delete":
        values = complete(own, part.entity, values, made)
    return _Ready(part, at, name, own, values, made)


def _compose(of: _Ready) -> Lowering[_Composed]:
    """Reads what a write rests on, and makes its steps."""
    composed = _Composed(of)
    try:
        yield from _add(of, composed)
    except KeyfoldError as error:
        if isinstance(error, Invalid):
            error.of = error.of or (
                the_write(of.part.write.name) if isinstance(of.part, Run) else of.part.entity.name
            )
        composed.error = error
    return composed


def _add(of: _Ready, into: _Composed) -> Lowering[None]:
    part, values, draft = of.part, of.values, into.draft
    if isinstance(part, Run):
        composition = Composition(of.origin, part.write)
        into.draft, into.given, into.made = composition.draft, composition.given, composition.made
        yield from composition.compose(part.values, values)
        return
    into.made = of.made
    entity = part.entity
    into.given.add_changed(part.verb, entity, values)
    if part.verb == "create":
        steps.create(entity, values, exists(entity, values), draft)
    elif part.verb == "put":
        yield from add_put(entity, part.values, values, draft)
    elif part.verb == "update":
        yield from add_update(entity, values, part.removed, True, draft)
    else:
        yield from add_deletion(entity, values, draft)


class _Merged:
    """The steps of all writes."""

    def __init__(self, model: Model) -> None:
        self.draft = Draft()
        self.owners: list[int] = []
        """The number of the write that each step is of."""
        self._model = model
        self._names: list[str] = []

    def add(self, part: _Composed) -> Lowering[None]:
        """Adds the steps of the next write, and the aggregates that follow it."""
        name, at = part.of.name, part.of.at
        self._names.append(name)
        try:
            if part.error is not None:
                raise part.error
            for step in part.draft.steps:
                self._add_step(_named(step, name, at), part)
            self.draft.changes, self.draft.remaining = part.draft.changes, part.draft.remaining
            self.draft.unread.extend(part.draft.unread)
            yield from add_aggregates(self._model, self.draft)
        except KeyfoldError as error:
            raise in_write(error, name, at) from None
        for step in self.draft.steps[len(self.owners) :]:
            _named(step, name, at)
            self.owners.append(at)

    def _add_step(self, step: Step, part: _Composed) -> None:
        for known, owner in zip(self.draft.steps, self.owners):
            if owner == part.of.at or not known.is_at(step.table, step.key):
                continue
            first, second = known.label, step.label
            check_taken_twice(known, step)
            if join(known, step, part.draft.remaining):
                return
            error = Refused(
                _meeting(self._names[owner], first, second, place_text(step.table, step.key))
            )
            raise at_item(error, second, step.table, step.key)
        self.draft.steps.append(step)
        self.owners.append(part.of.at)


def _named(step: Step, name: str, at: int) -> Step:
    """The step, with a refusal in the words of its write."""
    for reason in reasons_of(step.refusal):
        in_write(reason.error, name, at)
    return step


def _check_given(parts: Sequence[_Composed]) -> None:
    """Refuses a write that is given an item which an earlier one changes."""
    for at, later in enumerate(parts):
        for earlier in parts[:at]:
            both = later.given.changed_before(earlier.given)
            if both is not None:
                error = Refused(_meeting(earlier.of.name, *both))
                raise in_write(error, later.of.name, later.of.at)


def _meeting(write: str, first: str, second: str, item: str) -> str:
    """The refusal of two writes of one item whose order would make a difference."""
    return (
        f"{write} uses the same item, {item}: first `{first}`, then `{second}`; a transaction takes"
        " one action for an item: put both into one write, or into transactions of their own"
    )
