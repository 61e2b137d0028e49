"""Entities for tests: random by a seed, and valid for their model.

Values have the forms that keys demand: texts without the characters that a key excludes, numbers
with as many digits as one has room for. Each text, moment and number of a key is another one, so
that entities do not meet, and says its seed, so that those of two seeds do not meet either: as far
as its type has room. What a write would fill in, identifiers, moments and defaults, is there; what
the model keeps, counts and versions, is not.

```python
fakes = Fakes(shop, seed=7)
user = fakes.of(shop.User, NewUser)
shop.User.create(user)
shop.Order.create(fakes.of(shop.Order, NewOrder, {"total": 5}, related={"User": user}))
```
"""

from __future__ import annotations

import random
import string
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, TypeVar, cast

from keyfold.aio import AsyncClient
from keyfold.client import Client
from keyfold.errors import Invalid
from keyfold.item import Item
from keyfold.lower.near import meant
from keyfold.plan.kind import Kind
from keyfold.plan.model import AttributePlan, Entity, Model
from keyfold.plan.template import Field, Part, Shard
from keyfold.typed import awaited, blocking
from keyfold.typed.shapes import Shapes
from keyfold.values.native import native

New = TypeVar("New")

_START = datetime(2024, 1, 1, tzinfo=timezone.utc)
"""The first moment: those that follow are a minute later each. Expiry lies far behind it."""
_SEED_MINUTES, _SEED_MOMENTS = 4 * 24 * 60, 4096
"""The minutes between the first moments of two seeds, and the seeds that have moments of their
own."""
_SEED_DAYS, _SEED_DATES = 200, 128
"""The days between the first dates of two seeds, and the seeds that have dates of their own."""
_SEED_NUMBERS = 100_003
"""The numbers between the first ones of two seeds."""
_EXPIRY_YEAR = 2099
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_DIGITS, _KEY_DIGITS = 4, 9
"""The most digits of a number that is no key's, and of one that is."""


@dataclass
class _Demand:
    """What keys demand of the values of an attribute."""

    excluded: str = ""
    whole: int = _KEY_DIGITS
    decimals: int = 2
    is_in_key: bool = False


class Fakes:
    """Makes entities of a model. The same seed makes the same ones."""

    def __init__(
        self,
        of: blocking.Typed | awaited.AsyncTyped | Client | AsyncClient | Model,
        *,
        seed: int = 1,
    ) -> None:
        """Takes a generated client, a client, or a model. The seed is a whole number from 0 on,
        below 2 ** 55."""
        if not 0 <= seed < 2**55:
            message = f"a seed is a whole number from 0 on, below 2 ** 55, not {seed}"
            raise Invalid(message, attribute="seed")
        self._shapes: Shapes | None = None
        if isinstance(of, (blocking.Typed, awaited.AsyncTyped)):
            self._shapes = of.shapes
            of = of.client
        self._model = of if isinstance(of, Model) else of.model
        self._seed = seed
        self._random = random.Random(seed)
        self._count = 0

    def of(
        self,
        writer: blocking.Writer[New, Any, Any, Any, Any, Any, Any]
        | awaited.AsyncWriter[New, Any, Any, Any, Any, Any, Any],
        new: type[New],
        values: Mapping[str, object] | None = None,
        *,
        related: Mapping[str, object] | None = None,
    ) -> New:
        """A new entity as an instance of its class.

        `values` are given ones by their names in the model. Attributes that refer to one of
        `related`, which are entities by their names, have its values. Raises `Invalid` for a name
        that the model does not have.
        """
        return self.named(writer.entity, new, values or {}, related)

    def named(
        self,
        name: str,
        new: type[New],
        values: Mapping[str, object],
        related: Mapping[str, object] | None,
    ) -> New:
        """A new entity of a name as an instance of its class."""
        if self._shapes is None:
            raise Invalid("factories of classes need the generated client")
        given = {name: self._shapes.plain(one) for name, one in values.items()}
        made = self.entity(name, given, related=related)
        return self._shapes.made(self._model.entities[name], Item(name, made), new)

    def entity(
        self,
        name: str,
        values: Mapping[str, object] | None = None,
        *,
        related: Mapping[str, object] | None = None,
    ) -> dict[str, Any]:
        """The attributes of a new entity, by their names in the model. One that is given as `None`
        is absent."""
        for other in (name, *(related or ())):
            if other not in self._model.entities:
                near = meant(other, self._model.entities)
                raise Invalid(f"the model has no entity `{other}`{near}", of=other)
        entity = self._model.entities[name]
        given = dict(values or {})
        for wrong in given:
            if wrong not in entity.attributes:
                near = meant(wrong, entity.attributes)
                raise Invalid(f"{name} has no `{wrong}`{near}", of=name, attribute=wrong)
        self._count += 1
        made: dict[str, Any] = {}
        # The first of an entity that refers to its own kind refers to itself.
        others = {name: made, **(related or {})}
        for attribute in entity.attributes.values():
            if attribute.kept or attribute.name in given:
                continue
            is_left_out = attribute.optional and attribute.default is None
            if is_left_out and self._random.random() < 0.5:
                continue
            linked = self._linked(attribute, others)
            made[attribute.name] = self._own(entity, attribute) if linked is None else linked
        return {**made, **{name: one for name, one in given.items() if one is not None}}

    def _linked(self, attribute: AttributePlan, related: Mapping[str, object]) -> Any:
        """The value that an attribute has of an entity to which it refers."""
        if attribute.refers is None:
            return None
        name, other = attribute.refers
        held: Any = related.get(name)
        if is_dataclass(held) and self._shapes is not None:
            held = self._shapes.given(name, held)
        return cast("Mapping[str, Any]", held).get(other) if isinstance(held, Mapping) else None

    def _own(self, entity: Entity, attribute: AttributePlan) -> Any:
        if attribute.default is not None and attribute.default.value is not None:
            return native(attribute.name, attribute.kind, attribute.default.value)
        value = self._value(attribute.name, attribute.kind, _demand_of(entity, attribute.name))
        if entity.ttl != attribute.name:
            return value
        if isinstance(value, str):
            return f"{_EXPIRY_YEAR}{value[4:]}"
        return value.replace(year=_EXPIRY_YEAR)

    def _value(self, name: str, kind: Kind, demand: _Demand) -> Any:
        many = range(self._random.randint(1, 3))
        if kind.name == "words":
            return self._random.choice(kind.words)
        if kind.name == "list":
            return [self._value(name, kind.element, _Demand()) for _ in many]
        if kind.name == "map":
            return {f"key{at}": self._value(name, kind.element, _Demand()) for at in many}
        if kind.name == "set":
            if kind.element.words:
                return frozenset(kind.element.words[: len(many)])
            # Each element is another one.
            apart = _Demand(is_in_key=True)
            return frozenset(self._scalar(name, kind.element, apart) for _ in many)
        if kind.record is not None:
            fields = kind.record.fields.items()
            held = [one for one in fields if not one[1].optional or self._random.random() < 0.5]
            return {name: self._value(name, one.kind, _Demand()) for name, one in held}
        return self._scalar(name, kind, demand)

    def _scalar(self, name: str, kind: Kind, demand: _Demand) -> Any:
        if demand.is_in_key:
            self._count += 1
        seed = self._seed
        minutes = seed % _SEED_MOMENTS * _SEED_MINUTES + self._count
        moment = _START + timedelta(minutes=minutes)
        if kind.is_number:
            return self._number(kind, demand)
        if kind.name == "time.ns":
            return moment.strftime("%Y-%m-%dT%H:%M:%S.000000000Z")
        if kind.is_time:
            return moment
        if kind.name == "date":
            days = seed % _SEED_DATES * _SEED_DAYS + self._count
            return (_START + timedelta(days=days)).date()
        if kind.name == "bool":
            return self._random.random() < 0.5
        if kind.name == "binary":
            own = seed.to_bytes(7, "big") + self._count.to_bytes(4, "big")
            return own + self._random.randbytes(1)
        if kind.name == "ulid":
            text = _spelled(seed, _CROCKFORD).rjust(11, "0")
            return "0" + text + "".join(self._random.choices(_CROCKFORD, k=14))
        if kind.name == "uuid":
            bits = seed % 2**48 << 80 | self._random.getrandbits(80)
            return str(uuid.UUID(int=bits, version=4))
        return self._word(name, demand.excluded)

    def _word(self, name: str, excluded: str) -> str:
        """A text that begins with the attribute's name and ends with the seed and a number, as far
        as its characters may."""
        letters = "".join(one for one in string.ascii_letters if one not in excluded)
        if not set(excluded) & set(string.digits):
            start = "".join(one for one in name if one not in excluded)
            between = letters[:1] if "-" in excluded else "-"
            return between.join((start, str(self._seed), str(self._count)))
        seed, count = (_spelled(one, letters[1:]) for one in (self._seed, self._count))
        return seed + letters[:1] + count

    def _number(self, kind: Kind, demand: _Demand) -> int | Decimal:
        most: int = 10 ** min(demand.whole, _KEY_DIGITS if demand.is_in_key else _DIGITS)
        own = self._seed * _SEED_NUMBERS + self._count
        size = own % most if demand.is_in_key else self._random.randrange(most)
        if kind.name == "int":
            return size
        places: int = 10 ** min(demand.decimals, 2)
        return size + Decimal(self._random.randrange(places)) / places


def _spelled(number: int, digits: str) -> str:
    """A number in the digits of an alphabet."""
    text, rest = "", number
    while not text or rest:
        rest, at = divmod(rest, len(digits))
        text = digits[at] + text
    return text


def _demand_of(entity: Entity, name: str) -> _Demand:
    """What the keys of an entity demand of an attribute."""
    keys = [entity.key]
    keys += [one.key for one in entity.indexes]
    keys += [one.key for one in entity.copies.values()]
    parts = [part for key in keys for column in key for part in column.parts]
    parts += [part for unique in entity.uniques for part in unique.key]
    demand = _Demand()
    for field in _fields(parts):
        if field.name != name:
            continue
        demand.is_in_key = True
        # An escaped text has any character.
        demand.excluded += "" if field.format.form == "escaped" else field.excluded
        if field.format.form == "padded":
            demand.whole = min(demand.whole, field.format.whole)
            demand.decimals = min(demand.decimals, field.format.decimals)
    return demand


def _fields(parts: Iterable[Part]) -> Iterator[Field]:
    for part in parts:
        if isinstance(part, Field):
            yield part
        elif isinstance(part, Shard):
            yield from _fields(part.of)
