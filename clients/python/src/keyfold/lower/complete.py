"""Defaults of an entity's attributes: fixed values, the present moment, new identifiers."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass

from keyfold.lower.steps import Origin
from keyfold.plan.kind import Kind
from keyfold.plan.model import Entity
from keyfold.values import times
from keyfold.values.value import Value, Values


@dataclass(frozen=True)
class Made:
    """An attribute that the client made: the present moment or a new identifier."""

    entity: str
    attribute: str
    """The attribute; behind the alias of an action that has one: `first.accountId`."""
    value: Value


class ChanceOrigin:
    """The origin of a call that begins now: the machine's clock, and its chance."""

    def __init__(self, now_epoch_ms: int | None = None) -> None:
        self.now_epoch_ms = time.time_ns() // 1_000_000 if now_epoch_ms is None else now_epoch_ms

    def identifier(self, kind: str) -> str:
        """A new identifier."""
        if kind == "uuid":
            return uuid_of(secrets.randbits(128))
        return ulid_of(self.now_epoch_ms, secrets.randbits(80))

    def of_part(self, part: int) -> Origin:
        """The same: all chance is independent."""
        return self


def ulid_of(now_epoch_ms: int, random: int) -> str:
    """A ULID: 48 bits of time and 80 random bits, in Crockford's base 32."""
    digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    bits = (now_epoch_ms & (2**48 - 1)) << 80 | random
    return "".join(digits[bits >> 5 * place & 31] for place in reversed(range(26)))


def uuid_of(random: int) -> str:
    """A UUID of version 4: 122 random bits."""
    bits = random & ~(0xF << 76) & ~(0x3 << 62) | 0x4 << 76 | 0x2 << 62
    text = f"{bits:032x}"
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def present(origin: Origin, kind: Kind) -> Value | None:
    """The present moment as a value of a time or date type; none for another type."""
    text = times.of_epoch_ms(kind.name, origin.now_epoch_ms)
    return None if text is None else {"S": text}


def complete(origin: Origin, entity: Entity, values: Values, made: list[Made]) -> Values:
    """The values with defaults for absent attributes. Moments and identifiers are added to `made`.

    Attributes that the model keeps start from their defaults, even where they are given.
    """
    all_of = dict(values)
    for name, attribute in entity.attributes.items():
        if attribute.kept:
            all_of.pop(name, None)
        default = attribute.default
        if name in all_of or default is None:
            continue
        if default.value is not None:
            all_of[name] = default.value
            continue
        new: Value | None
        if default.when == "new":
            new = {"S": origin.identifier("uuid" if attribute.kind.name == "uuid" else "ulid")}
        else:
            new = present(origin, attribute.kind)
        if new is not None:
            all_of[name] = new
            made.append(Made(entity.name, name, new))
    return all_of


def touch(origin: Origin, entity: Entity, changes: Values, made: list[Made]) -> Values:
    """Adds the present moment for the attributes that each write sets, where it is not given."""
    all_of = dict(changes)
    for name, attribute in entity.attributes.items():
        if attribute.default is None or attribute.default.when != "always" or name in all_of:
            continue
        now = present(origin, attribute.kind)
        if now is not None:
            all_of[name] = now
            made.append(Made(entity.name, name, now))
    return all_of
