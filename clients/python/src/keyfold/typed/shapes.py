"""Values of a model as instances of generated classes, and back."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import (
    Any,
    Final,
    Generic,
    Protocol,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from keyfold.errors import Invalid, NotFound, UnknownItem
from keyfold.item import Event, Item
from keyfold.lacking import lacking
from keyfold.options import OnUnknown, Options
from keyfold.plan.kind import Kind, Record
from keyfold.plan.model import Entity, Model, Pattern
from keyfold.typed.made import MadeMember, MadeTable
from keyfold.values.typed import wrong_kind

T = TypeVar("T")
W = TypeVar("W")


class Unset(Enum):
    """The type of `UNSET`."""

    UNSET = "unset"

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, _handler: object) -> Any:
        """For pydantic: no JSON is `UNSET`, whatever its text."""
        from pydantic_core import PydanticCustomError, core_schema

        def refuse(_given: object) -> None:
            raise PydanticCustomError("is_instance_of", "no JSON is unset", {"class": cls.__name__})

        return core_schema.json_or_python_schema(
            json_schema=core_schema.no_info_plain_validator_function(refuse),
            python_schema=core_schema.is_instance_schema(cls),
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, _schema: object, _handler: object) -> Any:
        """For pydantic: the schema of JSON has no such value."""
        from pydantic_core import PydanticOmit

        raise PydanticOmit


UNSET: Final = Unset.UNSET
"""An attribute that an update does not name. It stays as it is."""


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of a pattern's answer."""

    items: list[T]
    next: str | None
    """The cursor of the next page; none at the end of the answer. It may be given to a browser."""
    requests: int
    """The number of requests that it took."""
    capacity: float
    """The capacity units consumed."""


Convert = Callable[[Any], Any]
"""Makes a value of a generated class of a value of the client."""
Take = Callable[[str, str, Any], Any]
"""Makes a value of the client of one of a generated class, which belongs to an entity, pattern or
write, and has a name there."""


class Shapes:
    """The classes of a model's values.

    `names` has the attributes whose name in Python is another than in the model, by their name in
    the model; `records` the classes of nested types, by the same; `made` what writes make.
    """

    def __init__(
        self,
        names: Mapping[str, str],
        records: Mapping[str, type[Any]],
        made: MadeTable | None = None,
    ) -> None:
        self.names = names
        self._made = made or {}
        self._python = names
        self._model = {python: name for name, python in names.items()}
        self._records = records
        self._fields: dict[type[Any], list[tuple[str, str]]] = {}
        self._always: dict[type[Any], list[str]] = {}
        self._makers: dict[tuple[str, type[Any]], dict[str, Convert | None]] = {}
        self._takers: dict[str, dict[str, Take]] = {}

    def bind(self, model: Model) -> None:
        """Takes the types of the attributes and parameters from the model of the classes."""
        if self._takers:
            return
        for entity in model.entities.values():
            kinds = {name: one.kind for name, one in entity.attributes.items()}
            self._takers[entity.name] = self._takers_of(kinds)
        for pattern in model.patterns.values():
            kinds = {name: one.kind for name, one in pattern.parameters.items()}
            self._takers[f"the pattern {pattern.name}"] = self._takers_of(kinds)
        for write in model.writes.values():
            kinds = {name: one.kind for name, one in write.parameters.items()}
            self._takers[f"the write {write.name}"] = self._takers_of(kinds)

    def given(self, entity: str, value: Any) -> dict[str, object]:
        """The attributes of an instance for an entity, by their names in the model, except for
        unset ones. Raises `Invalid` where a record is no instance of its class."""
        if not dataclasses.is_dataclass(value) or isinstance(value, type):
            raise Invalid(
                f"{entity} takes an instance of its class, and no {type(value).__name__}", of=entity
            )
        members = ((name, held) for name, held in self._members(value) if held is not UNSET)
        return self._taken(entity, members)

    def of_pattern(self, pattern: str, args: Mapping[str, object]) -> dict[str, object]:
        """The arguments of a pattern."""
        return self._taken(f"the pattern {pattern}", args.items())

    def of_write(self, write: str, args: Mapping[str, object]) -> dict[str, object]:
        """The arguments of a named write, with dictionaries for records."""
        return self._taken(f"the write {write}", args.items())

    def made_by(self, write: str) -> Mapping[str, MadeMember]:
        """What a write makes: of `create Order` and `update Order`, and of named writes."""
        return self._made.get(write, {})

    def model_name(self, name: str) -> str:
        """The name in the model of an attribute by its name in Python."""
        return self._model.get(name, name)

    def renamed(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Values by their names in Python."""
        return {self._python.get(name, name): value for name, value in values.items()}

    def made(self, entity: Entity, item: Item, of: type[T]) -> T:
        """An item as an instance of a class."""
        key = (entity.name, of)
        makers = self._makers.get(key)
        if makers is None:
            makers = self._makers[key] = self._makers_of(entity, of)
        values = {
            self._python.get(name, name): value if makers[name] is None else makers[name](value)  # type: ignore[misc]
            for name, value in item.items()
            if name in makers
        }
        for name in self._required(of):
            if name not in values:
                raise lacking(entity, item, self._model.get(name, name))
        return of(**values)

    def _members(self, value: Any) -> list[tuple[str, Any]]:
        of: type[Any] = value.__class__
        fields = self._fields.get(of)
        if fields is None:
            names = [field.name for field in dataclasses.fields(of)]
            fields = self._fields[of] = [(name, self._model.get(name, name)) for name in names]
        return [(name, getattr(value, python)) for python, name in fields]

    def _taken(self, of: str, members: Iterable[tuple[str, Any]]) -> dict[str, object]:
        takers = self._takers[of]
        return {
            name: takers[name](of, name, held) if name in takers and held is not None else held
            for name, held in members
        }

    def _takers_of(self, kinds: Mapping[str, Kind]) -> dict[str, Take]:
        """How members are taken that are no values of the client, or may be some that their class
        has not, by their names."""
        takers = ((name, self._taker(kind)) for name, kind in kinds.items())
        return {name: taker for name, taker in takers if taker is not None}

    def _taker(self, kind: Kind) -> Take | None:
        """How a value of a generated class becomes one of the client; none where it is one."""
        if kind.record is not None:
            return self._record_taker(kind, kind.record)
        if kind.name == "date" or (kind.is_time and kind.name != "time.ns"):
            return _moment_taker(kind)
        take = self._taker(kind.of) if kind.of is not None else None
        if take is None:
            return None

        def taken(of: str, name: str, held: Any) -> Any:
            if isinstance(held, Mapping):
                entries = cast("Mapping[str, Any]", held)
                return {key: take(of, f"{name}.{key}", one) for key, one in entries.items()}
            if isinstance(held, (set, frozenset)):
                members = enumerate(cast("frozenset[Any]", held))
                return frozenset(take(of, f"{name}[{at}]", one) for at, one in members)
            if isinstance(held, (list, tuple)):
                elements = enumerate(cast("list[Any]", held))
                return [take(of, f"{name}[{at}]", one) for at, one in elements]
            return held

        return taken

    def _record_taker(self, kind: Kind, record: Record) -> Take:
        made, takers = (
            self._records[record.name],
            self._takers_of({name: one.kind for name, one in record.fields.items()}),
        )

        def taken(of: str, name: str, held: Any) -> Any:
            if not isinstance(held, made):
                error = wrong_kind(name, kind, held)
                raise Invalid(f"{of}: {error.message}", of=of, attribute=name)
            members = ((field, one) for field, one in self._members(held) if one is not None)
            return {
                field: takers[field](of, f"{name}.{field}", one) if field in takers else one
                for field, one in members
            }

        return taken

    def plain(self, value: Any) -> Any:
        """A value with dictionaries for instances of classes."""
        if isinstance(value, (str, int, type(None))):
            return value
        if isinstance(value, (list, tuple)):
            return [self.plain(one) for one in cast("list[Any]", value)]
        if isinstance(value, dict):
            entries = cast("dict[str, Any]", value)
            return {name: self.plain(one) for name, one in entries.items()}
        if dataclasses.is_dataclass(value):
            return {name: self.plain(one) for name, one in self._members(value) if one is not None}
        return value

    def _makers_of(self, entity: Entity, of: type[Any]) -> dict[str, Convert | None]:
        fields = {self._model.get(one.name, one.name) for one in dataclasses.fields(of)}
        return {
            name: self._maker(attribute.kind)
            for name, attribute in entity.attributes.items()
            if name in fields
        }

    def _maker(self, kind: Kind) -> Convert | None:
        """How a value of a type becomes one of a generated class; none where it is one already."""
        if kind.record is not None:
            record, of = kind.record, self._records[kind.record.name]
            makers = {name: self._maker(field.kind) for name, field in record.fields.items()}
            return lambda held: self._record(of, makers, held)
        maker = self._maker(kind.of) if kind.of is not None else None
        if maker is None:
            return None
        if kind.name == "map":
            return lambda held: {name: maker(one) for name, one in held.items()}
        return lambda held: [maker(one) for one in held]

    def _record(
        self, of: type[Any], makers: Mapping[str, Convert | None], held: Mapping[str, Any]
    ) -> Any:
        values: dict[str, Any] = {}
        for name, value in held.items():
            make = makers[name]
            values[self._python.get(name, name)] = value if make is None else make(value)
        return of(**values)

    def _required(self, of: type[Any]) -> list[str]:
        """The names in Python of the members that an instance has always."""
        names = self._always.get(of)
        if names is None:
            fields = dataclasses.fields(of)
            required = [one.name for one in fields if one.default is dataclasses.MISSING]
            names = self._always[of] = required
        return names


def _moment_taker(kind: Kind) -> Take:
    """Refuses a text: a class has a `datetime` or `date`. A client by name takes texts of JSON."""
    wanted = "date" if kind.name == "date" else "datetime"

    def taken(of: str, name: str, held: Any) -> Any:
        if isinstance(held, str):
            error = wrong_kind(name, kind, held)
            message = f"{of}: {error.message}; give a {wanted}"
            raise Invalid(message, of=of, attribute=name)
        return held

    return taken


class Asked(Protocol):
    """The client that answers."""

    @property
    def model(self) -> Model:
        """The model."""
        ...

    @property
    def options(self) -> Options:
        """What holds for all of its calls."""
        ...


class Answers(Generic[T]):
    """The classes of a pattern's answer, by the kinds of items.

    An item that is none of its class is an error or left out, as the caller says.
    """

    def __init__(
        self,
        client: Asked,
        shapes: Shapes,
        by_kind: Mapping[str, tuple[Entity, type[T]]],
        pattern: Pattern | None = None,
    ) -> None:
        self._client = client
        self._shapes = shapes
        self._by_kind = by_kind
        self._pattern = pattern

    def all(self, items: Iterable[Item], on_unknown: OnUnknown | None) -> list[T]:
        """The items as instances of their classes."""
        skips = (on_unknown or self._client.options.on_unknown) == "skip"
        made: list[T] = []
        for item in items:
            entity, of = self._by_kind[item.kind]
            try:
                made.append(self._shapes.made(entity, item, of))
            except UnknownItem:
                if not skips:
                    raise
        return made

    def found(self, item: Item) -> T | None:
        """An item as an instance of its class; none where it is left out."""
        return next(iter(self.all([item], None)), None)

    def together(self, found: Mapping[str, Item | None]) -> dict[str, T | None]:
        """Items by their names. One that is promised is not found where it is left out."""
        made = {name: None if item is None else self.found(item) for name, item in found.items()}
        if self._pattern is not None:
            for one in self._pattern.returns:
                if made.get(one.name) is None and not one.optional:
                    raise NotFound(f"{self._pattern.name}: no {one.name}")
        return made


def answers_of(
    client: Asked, shapes: Shapes, pattern: str, classes: Mapping[str, type[T]]
) -> Answers[T]:
    """The classes of a pattern's answer."""
    found = client.model.patterns[pattern]
    by_kind = {one.name: (one.entity, classes[one.name]) for one in found.returns}
    return Answers(client, shapes, by_kind, found)


def changed(
    client: Asked,
    shapes: Shapes,
    event: Event,
    classes: tuple[type[Any], type[T]],
    on_unknown: OnUnknown | None,
) -> T | None:
    """An event as an instance of its class, which has images of another; none where an image that
    does not fit is left out."""
    image_class, change = classes
    entity = client.model.entities[event.kind.partition(".")[0]]
    images = {"old": event.old, "new": event.new}
    try:
        made = {
            name: None if image is None else shapes.made(entity, image, image_class)
            for name, image in images.items()
        }
    except UnknownItem:
        if (on_unknown or client.options.on_unknown) == "skip":
            return None
        raise
    return change(**made)


def collected(
    pattern: str, items: Iterable[object], classes: Mapping[str, type[object]], of: type[W]
) -> W:
    """All items of several kinds, each where its class belongs: `Order`, `Order | None` or
    `list[Order]`."""
    members: dict[str, object] = {}
    all_of = list(items)
    for name, hint in get_type_hints(of).items():
        arguments = get_args(hint)
        of_member = arguments[0] if arguments else hint
        found = [one for one in all_of if type(one) is of_member]
        if get_origin(hint) is list:
            members[name] = found
        elif found or arguments:
            members[name] = found[0] if found else None
        else:
            (kind,) = (kind for kind, one in classes.items() if one is of_member)
            raise NotFound(f"{pattern}: no {kind}")
    return of(**members)
