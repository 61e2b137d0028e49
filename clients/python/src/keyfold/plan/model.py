"""A model as its plan document describes it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any as Json
from typing import Literal, NamedTuple, TypeAlias

from keyfold.plan.condition import Condition, Lent, Operand, Path
from keyfold.plan.condition import Parameter as ParameterOperand
from keyfold.plan.kind import Kind
from keyfold.plan.template import KeyColumn, Parts, Unit
from keyfold.values.value import Value


@dataclass(frozen=True)
class Index:
    """A secondary index."""

    name: str
    columns: tuple[str, ...]
    """The attributes of its key."""
    partition: int
    """The number of them that make its partition key."""
    projection: Literal["all"] | tuple[str, ...]
    is_local: bool


@dataclass(frozen=True)
class Table:
    """A table."""

    name: str
    columns: tuple[str, ...]
    """The attributes of its key, the partition key first."""
    type_attribute: str | None
    ttl_attribute: str | None
    period: Unit | None
    indexes: dict[str, Index]
    create: dict[str, Json] = field(repr=False)
    """The body of CreateTable, without the name."""
    create_past: dict[str, Json] | None = field(repr=False)
    recovery: bool

    @property
    def partition(self) -> str:
        """The attribute of its partition key."""
        return self.columns[0]

    @property
    def sort(self) -> str | None:
        """The attribute of its sort key."""
        return self.columns[1] if len(self.columns) > 1 else None

    @property
    def kinds(self) -> dict[str, str]:
        """The types of the attributes of its key and of its indexes' keys."""
        defined = self.create.get("AttributeDefinitions", ())
        return {one["AttributeName"]: one["AttributeType"] for one in defined}


@dataclass(frozen=True)
class Default:
    """The value of an attribute that is not given."""

    when: Literal["value", "now", "always", "new"]
    value: Value | None = None


@dataclass(frozen=True)
class AttributePlan:
    """An attribute of an entity."""

    name: str
    kind: Kind
    optional: bool
    kept: bool
    """Whether the model keeps it: an aggregate or a version."""
    default: Default | None
    refers: tuple[str, str] | None
    """The entity to which it refers, and its attribute there."""


@dataclass(frozen=True)
class Sparse:
    """The condition under which an item is in an index."""

    attribute: str
    value: str | None


@dataclass(frozen=True)
class IndexKey:
    """An entity's key in an index."""

    index: Index
    key: tuple[KeyColumn, ...]
    fields: tuple[str, ...]
    sparse: Sparse | None


@dataclass(frozen=True)
class Copy:
    """A further item of an entity."""

    name: str
    key: tuple[KeyColumn, ...]
    attributes: tuple[str, ...]
    left_out: frozenset[str]
    when: tuple[Condition, ...]


class Held(NamedTuple):
    """An attribute of an item's key, and the attribute of a guard that holds its value."""

    attribute: str
    name: str


@dataclass(frozen=True)
class Unique:
    """Attributes that no two items have the same values of."""

    attributes: tuple[str, ...]
    lower: frozenset[str]
    """Attributes whose letters are compared as small ones."""
    key: Parts
    sort: str
    holds: tuple[Held, ...]
    """The key attributes of the item that the guard of an `id` holds."""


@dataclass(frozen=True)
class Aggregate:
    """An attribute that follows the items of another entity."""

    kind: Literal["count", "sum", "max"]
    attribute: str
    entity: str
    of: str | None
    where: tuple[str, str] | None
    link: tuple[tuple[str, str], ...]
    """For each attribute of this entity's key, the other entity's attribute that holds it."""
    items: str
    changes: str
    next: Plan | None
    next_copy: str | None


@dataclass(frozen=True)
class Entity:
    """An entity."""

    name: str
    table: Table
    attributes: dict[str, AttributePlan]
    key: tuple[KeyColumn, ...]
    key_fields: tuple[str, ...]
    id: tuple[str, ...]
    """The attributes that identify an item, where the others of its key may change."""
    left_out: frozenset[str]
    indexes: tuple[IndexKey, ...]
    copies: dict[str, Copy]
    uniques: tuple[Unique, ...]
    ttl: str | None
    view: str | None
    """The entity from which the rows of a view follow."""
    version: str | None
    aggregates: tuple[Aggregate, ...]
    split: tuple[str, int] | None
    compressed: frozenset[str]
    period_attribute: str | None
    followed: tuple[str, ...]
    deciding: frozenset[str]
    """The attributes that decide which other items follow, where they lie and what aggregates
    count. Copies may hold other attributes, and parts the split list."""
    alone: bool

    def kind_at(self, path: Path) -> Kind | None:
        """The type of an attribute, or of a field inside it."""
        found = self.attributes.get(path[0])
        kind = None if found is None else found.kind
        for name in path[1:]:
            if kind is not None and kind.record is not None:
                field = kind.record.fields.get(name)
                kind = None if field is None else field.kind
            else:
                kind = kind.of if kind is not None and kind.name == "map" else None
        return kind

    @property
    def identity(self) -> tuple[str, ...]:
        """The attributes that identify an item: those of `id`, or those of its key."""
        return self.id or self.key_fields

    @property
    def id_guard(self) -> Unique | None:
        """The `id` as unique attributes; none where the item does not move. Its guard says where
        the item lies."""
        return self.uniques[0] if self.id else None

    def always_has(self, name: str) -> bool:
        """Whether every item that the model has written has an attribute.

        What the model keeps in an item beside others may not have been written yet; a row of a view
        is written whole.
        """
        found = self.attributes.get(name)
        if found is None or found.optional:
            return False
        return not found.kept or self.view is not None

    def is_kept(self, name: str) -> bool:
        """Whether the model keeps an attribute."""
        found = self.attributes.get(name)
        return found is not None and found.kept

    def stores_plainly(self, name: str) -> bool:
        """Whether the main item stores an attribute as it is."""
        is_split = self.split is not None and self.split[0] == name
        inside = any(name in copy.left_out for copy in self.copies.values())
        return not (name in self.compressed or name in self.left_out or inside or is_split)

    @property
    def keeps_maximum(self) -> bool:
        """Whether it keeps a maximum of other items."""
        return any(one.kind == "max" for one in self.aggregates)


Limit: TypeAlias = Literal[
    "equal", "atLeast", "atMost", "above", "below", "starts", "among", "free", "in"
]


@dataclass(frozen=True)
class ParameterPlan:
    """A parameter of a pattern."""

    name: str
    attribute: str | None
    kind: Kind
    limit: Limit
    optional: bool
    now: bool


@dataclass(frozen=True)
class Returned:
    """A kind of a pattern's answer."""

    name: str
    entity: Entity
    copy: Copy | None
    many: bool
    optional: bool

    @property
    def of(self) -> str:
        """What it is, whatever its name: the entity, or `Entity.copy`."""
        own = self.entity.name
        return own if self.copy is None else f"{own}.{self.copy.name}"


@dataclass(frozen=True)
class Range:
    """A range of sort keys."""

    shape: Literal["equal", "beginsWith", "between", "atLeast", "atMost"]
    before: tuple[KeyColumn, ...]
    """The attributes of a composite sort key that have one value."""
    attribute: str
    at: Parts
    to: Parts | None


@dataclass(frozen=True)
class Shards:
    """All shards are read and merged."""

    count: int


@dataclass(frozen=True)
class Periods:
    """One period is read after another."""

    unit: Unit
    attribute: str
    kind: Kind
    low: str
    high: str | None
    shards: int | None


@dataclass(frozen=True)
class GuardPlan:
    """The guard of an `id`, which is read first."""

    key: tuple[KeyColumn, ...]
    holds: tuple[Held, ...]
    """What it holds of the key of the item."""


@dataclass(frozen=True)
class Plan:
    """The requests of a pattern."""

    request: Literal["GetItem", "Query", "BatchGetItem", "Scan", "TransactGetItems"]
    table: Table
    index: Index | None
    partition: tuple[KeyColumn, ...]
    sort: Range | None
    sort_attributes: tuple[str, ...]
    fan: Shards | Periods | None
    period: tuple[Unit, str] | None
    """The unit of the table's periods, and the parameter whose time decides the table."""
    descending: bool
    reversed: bool
    page: int | None
    strong: bool
    only: tuple[str, ...]
    filters: tuple[Condition, ...]
    gets: tuple[tuple[str, Plan], ...]
    beside: tuple[tuple[int, Plan], ...]
    fetched: tuple[str, ...]
    guard: GuardPlan | None


@dataclass(frozen=True)
class Pattern:
    """An access pattern."""

    name: str
    parameters: dict[str, ParameterPlan]
    fixed: dict[str, Value]
    returns: tuple[Returned, ...]
    together: Literal["snapshot", "batch"] | None
    only: tuple[str, ...]
    plan: Plan
    variants: tuple[tuple[frozenset[str], Plan], ...]

    @property
    def is_single(self) -> bool:
        """Whether it returns at most one item."""
        return len(self.returns) == 1 and not self.returns[0].many

    def plan_for(self, given: dict[str, Value]) -> Plan:
        """The plan for the parameters that are given."""
        optional = [name for name, one in self.parameters.items() if one.optional]
        for absent, plan in self.variants:
            if all((name in absent) != (name in given) for name in optional):
                return plan
        return self.plan


@dataclass(frozen=True)
class Assignment:
    """An assignment of a write."""

    attribute: str
    fields: tuple[str, ...]
    left: Operand
    joint: Literal["plus", "minus", "before"] | None
    right: Operand | None

    @property
    def path(self) -> Path:
        """The path that it changes."""
        return (self.attribute, *self.fields)

    def operands(self) -> Iterator[Operand]:
        """Its operands."""
        yield self.left
        if self.right is not None:
            yield self.right

    def parameters(self) -> Iterator[str]:
        """The parameters that it uses."""
        return (one.name for one in self.operands() if isinstance(one, ParameterOperand))

    def lent(self) -> Iterator[Lent]:
        """The attributes of the entities of earlier actions that it takes."""
        return (one for one in self.operands() if isinstance(one, Lent))


@dataclass(frozen=True)
class Taken:
    """The source of an attribute that an action takes."""

    attribute: str
    source: Operand
    declared: bool


Fate: TypeAlias = Literal["same", "first", "moved", "added"]
Verb: TypeAlias = Literal["create", "put", "update", "upsert", "delete", "check"]


@dataclass(frozen=True)
class Action:
    """An action of a write."""

    verb: Verb
    entity: Entity
    alias: str | None
    taken: tuple[Taken, ...]
    each: str | None
    assignments: tuple[Assignment, ...]
    otherwise: tuple[Assignment, ...]
    removed: tuple[Path, ...]
    conditions: tuple[Condition, ...]
    upserts: tuple[tuple[frozenset[str], dict[str, Fate]], ...]

    @property
    def name(self) -> str:
        """The action as the model writes it: `update Account as from`."""
        verb = "create or update" if self.verb == "upsert" else self.verb
        return f"{verb} {self.entity.name}" + (f" as {self.alias}" if self.alias else "")


@dataclass(frozen=True)
class WriteParameter:
    """A parameter of a write."""

    name: str
    kind: Kind
    optional: bool
    now: bool


@dataclass(frozen=True)
class Write:
    """A named write."""

    name: str
    parameters: dict[str, WriteParameter]
    actions: tuple[Action, ...]


@dataclass(frozen=True)
class Model:
    """A model."""

    name: str
    version: int
    hash: str
    tables: dict[str, Table]
    entities: dict[str, Entity]
    patterns: dict[str, Pattern]
    writes: dict[str, Write]

    def aggregates_of(self, entity: Entity) -> Iterator[tuple[Entity, Aggregate]]:
        """The aggregates that entities keep of one, each with its keeper."""
        for parent in self.entities.values():
            for aggregate in parent.aggregates:
                if aggregate.entity == entity.name:
                    yield parent, aggregate
